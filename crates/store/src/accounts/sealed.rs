//! The texts that are sealed with the master key, for its rotation.

use crate::{
    accounts::Accounts,
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
};
use till_domain::{
    environment::EnvironmentName,
    id::{MailId, UserId, VendorId},
};

/// What becomes of a column whose values depend on the master key when the key is rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtRotation {
    /// Its values are sealed anew.
    SealedAnew,
    /// Its values are computed anew, from a text that is sealed in the same row.
    ComputedAnew,
    /// Its values hash what only a browser knows. They are compared with both keys until they end.
    ReadWithBoth,
    /// It names the key in use.
    Replaced,
    /// It does not depend on the master key.
    Independent,
}

/// Every column that holds something sealed, or a check value: table, column and what becomes of it.
pub const SEALED_COLUMNS: &[(&str, &str, AtRotation)] = &[
    ("credentials", "secret_sealed", AtRotation::SealedAnew),
    ("credentials", "secret_check", AtRotation::ComputedAnew),
    ("users", "factor_sealed", AtRotation::SealedAnew),
    ("users", "factor_pending", AtRotation::SealedAnew),
    ("mails", "body_sealed", AtRotation::SealedAnew),
    ("providers", "document_sealed", AtRotation::SealedAnew),
    ("payment_attempts", "shown", AtRotation::SealedAnew),
    ("key_check", "sealed", AtRotation::Replaced),
    ("logins", "cookie_check", AtRotation::ReadWithBoth),
    ("links", "link_check", AtRotation::ReadWithBoth),
    ("recovery_codes", "code_check", AtRotation::Independent),
];

/// A table of the accounts with sealed texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedTable {
    Credentials,
    Factors,
    /// Second factors that their users have not confirmed yet.
    PendingFactors,
    Mails,
    Setups,
}

impl SealedTable {
    pub const ALL: [Self; 5] =
        [Self::Credentials, Self::Factors, Self::PendingFactors, Self::Mails, Self::Setups];

    /// Its name, and the column with the sealed texts.
    #[must_use]
    pub fn column(self) -> (&'static str, &'static str) {
        match self {
            Self::Credentials => ("credentials", "secret_sealed"),
            Self::Factors => ("users", "factor_sealed"),
            Self::PendingFactors => ("users", "factor_pending"),
            Self::Mails => ("mails", "body_sealed"),
            Self::Setups => ("providers", "document_sealed"),
        }
    }
}

/// The row of a sealed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealedKey {
    Credential { vendor: VendorId, environment: EnvironmentName, number: i64 },
    Factor(UserId),
    PendingFactor(UserId),
    Mail(MailId),
    Setup(String),
}

/// A sealed text and its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRow {
    pub key: SealedKey,
    pub sealed: Vec<u8>,
}

statements! {
    static CREDENTIALS = Sql::new(
        "SELECT vendor_id, environment, number, secret_sealed FROM credentials
         WHERE (vendor_id, environment, number) > ($1, $2, $3) ORDER BY vendor_id, environment, number LIMIT $4",
    );
    static FACTORS = Sql::new(
        "SELECT id, factor_sealed FROM users WHERE id > $1 AND factor_sealed IS NOT NULL ORDER BY id LIMIT $2",
    );
    static PENDING_FACTORS = Sql::new(
        "SELECT id, factor_pending FROM users WHERE id > $1 AND factor_pending IS NOT NULL ORDER BY id LIMIT $2",
    );
    static MAILS = Sql::new(
        "SELECT id, body_sealed FROM mails WHERE id > $1 AND body_sealed IS NOT NULL ORDER BY id LIMIT $2",
    );
    static SETUPS =
        Sql::new("SELECT name, document_sealed FROM providers WHERE name > $1 ORDER BY name LIMIT $2");
    // The guards (compare-and-set): a text that was replaced meanwhile stays.
    static RESEAL_CREDENTIAL = Sql::new(
        "UPDATE credentials SET secret_sealed = $5, secret_check = $6
         WHERE vendor_id = $1 AND environment = $2 AND number = $3 AND secret_sealed = $4",
    );
    static RESEAL_FACTOR =
        Sql::new("UPDATE users SET factor_sealed = $3 WHERE id = $1 AND factor_sealed = $2");
    static RESEAL_PENDING_FACTOR =
        Sql::new("UPDATE users SET factor_pending = $3 WHERE id = $1 AND factor_pending = $2");
    static RESEAL_MAIL = Sql::new("UPDATE mails SET body_sealed = $3 WHERE id = $1 AND body_sealed = $2");
    static RESEAL_SETUP = Sql::new(
        "UPDATE providers SET document_sealed = $3, version = version + 1 WHERE name = $1 AND document_sealed = $2",
    );
}

impl Accounts {
    /// The sealed texts of a table in the order of their rows, after this one.
    pub async fn sealed_rows(
        &self,
        table: SealedTable,
        after: Option<&SealedKey>,
        limit: u32,
    ) -> Result<Vec<SealedRow>, StoreError> {
        let sql = match table {
            SealedTable::Credentials => &CREDENTIALS,
            SealedTable::Factors => &FACTORS,
            SealedTable::PendingFactors => &PENDING_FACTORS,
            SealedTable::Mails => &MAILS,
            SealedTable::Setups => &SETUPS,
        };
        let mut params = match after {
            Some(key) => key.params(),
            None => match table {
                SealedTable::Credentials => vec![[0_u8; 0].as_slice().into(), "".into(), 0_i64.into()],
                SealedTable::Factors | SealedTable::PendingFactors | SealedTable::Mails => {
                    vec![[0_u8; 0].as_slice().into()]
                }
                SealedTable::Setups => vec!["".into()],
            },
        };
        params.push(i64::from(limit).into());
        let rows = self.engine.read(sql, params).await?;
        rows.into_iter().map(|row| read(table, row)).collect()
    }

    /// Replaces a sealed text, and its check value if it is a client secret. False if it was replaced since it was
    /// read.
    pub async fn reseal(
        &self,
        row: &SealedRow,
        sealed: &[u8],
        secret_check: &[u8; 32],
    ) -> Result<bool, StoreError> {
        let mut params = row.key.params();
        params.extend([row.sealed.as_slice().into(), sealed.into()]);
        let sql = match row.key {
            SealedKey::Credential { .. } => {
                params.push(secret_check.into());
                &RESEAL_CREDENTIAL
            }
            SealedKey::Factor(_) => &RESEAL_FACTOR,
            SealedKey::PendingFactor(_) => &RESEAL_PENDING_FACTOR,
            SealedKey::Mail(_) => &RESEAL_MAIL,
            SealedKey::Setup(_) => &RESEAL_SETUP,
        };
        let written = self.engine.write(vec![Statement { sql, params, guarded: true }]).await?;
        Ok(written == WriteOutcome::Done)
    }
}

impl SealedKey {
    fn params(&self) -> Vec<Value> {
        match self {
            Self::Credential { vendor, environment, number } => {
                vec![vendor.as_bytes().into(), environment.as_str().into(), (*number).into()]
            }
            Self::Factor(id) | Self::PendingFactor(id) => vec![id.as_bytes().into()],
            Self::Mail(id) => vec![id.as_bytes().into()],
            Self::Setup(name) => vec![name.as_str().into()],
        }
    }
}

fn read(table: SealedTable, mut row: Row) -> Result<SealedRow, StoreError> {
    let key = match table {
        SealedTable::Credentials => {
            let (vendor, word) = (VendorId::from_bytes(row.array()?), row.text()?);
            let environment = EnvironmentName::parse(&word)
                .ok_or_else(|| StoreError::Corrupt(format!("a credential of {word:?}")))?;
            SealedKey::Credential { vendor, environment, number: row.int()? }
        }
        SealedTable::Factors => SealedKey::Factor(UserId::from_bytes(row.array()?)),
        SealedTable::PendingFactors => SealedKey::PendingFactor(UserId::from_bytes(row.array()?)),
        SealedTable::Mails => SealedKey::Mail(MailId::from_bytes(row.array()?)),
        SealedTable::Setups => SealedKey::Setup(row.text()?),
    };
    Ok(SealedRow { key, sealed: row.bytes()? })
}
