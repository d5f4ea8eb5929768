//! The accounts database: vendors, their credentials, and everything else that both environments share. The
//! operator's commands write it while the service runs; the service reads the changes as they happen.

pub(crate) mod audit;
pub(crate) mod audit_chain;
pub(crate) mod catalog;
mod fiscal;
pub(crate) mod forms;
pub(crate) mod hold;
pub(crate) mod keys;
pub(crate) mod logins;
pub(crate) mod mails;
pub(crate) mod nodes;
pub(crate) mod providers;
pub(crate) mod prune;
pub(crate) mod sandbox_requests;
pub(crate) mod sealed;
pub(crate) mod team;
pub(crate) mod terms;
pub(crate) mod users;

use crate::{
    accounts::users::guarded,
    engine::{
        Engine, StoreStats,
        clock::Clock,
        error::StoreError,
        size::StoreSize,
        sql::{Row, Sql, Statement, Value, statements},
    },
};
use std::sync::Mutex;
use till_domain::{
    audit::AuditEntry,
    callback::EventFamilies,
    credential::Credential,
    environment::EnvironmentName,
    fiscal::FiscalPolicy,
    id::{UserId, VendorId},
    ledger::Terms,
    method::Method,
    time::{TimeZone, Timestamp},
    vendor::{Settings, SettingsChange, Vendor},
    weburl::WebUrl,
};

/// The store of the data that both environments share.
#[derive(Debug)]
pub struct Accounts {
    pub(crate) engine: Engine,
    clock: Clock,
    /// The last id that was given to an audit entry.
    pub(crate) last_audit_id: Mutex<u128>,
}

/// The names of vendors by whether they have fiscal receipts, oldest first.
#[derive(Debug, Clone, Default)]
pub struct VendorsByReceipts {
    pub with: Vec<String>,
    pub without: Vec<String>,
}

/// A vendor to add.
#[derive(Debug)]
pub struct NewVendor {
    pub id: VendorId,
    pub name: String,
    /// Whether its sandbox is on.
    pub sandbox: bool,
    /// The address to which its customers write.
    pub contact_email: Option<String>,
    /// Its first credential pairs, one for each environment.
    pub credentials: Vec<NewCredential>,
}

/// A credential pair (client id and secret) to add. The secret arrives sealed; this crate never sees it.
#[derive(Debug)]
pub struct NewCredential {
    pub environment: EnvironmentName,
    /// The sequence number of the pair among the vendor's pairs of that environment.
    pub number: u32,
    pub client_id: String,
    /// A keyed hash of the secret.
    pub secret_check: [u8; 32],
    /// The secret, encrypted.
    pub secret_sealed: Vec<u8>,
}

/// A credential pair with its sealed secret.
#[derive(Debug)]
pub struct SealedCredential {
    pub credential: Credential,
    /// The secret, encrypted.
    pub secret_sealed: Vec<u8>,
}

/// A row of the list of vendors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorSummary {
    pub id: VendorId,
    pub name: String,
    /// Whether its sandbox is on.
    pub sandbox: bool,
    pub disabled: bool,
}

/// A filter of vendors, newest first.
#[derive(Debug, Clone, Default)]
pub struct VendorFilter {
    /// Only vendors with this text in their name or in the address to which their customers write.
    pub has: String,
    /// Only vendors of this super vendor.
    pub parent: Option<UserId>,
    /// Keyset cursor: only vendors older than this one.
    pub before: Option<VendorId>,
    pub limit: u32,
}

/// A vendor as the operator's list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundVendor {
    /// Its id, name and switches.
    pub summary: VendorSummary,
    /// The payment methods to which it is restricted.
    pub methods: Option<Vec<Method>>,
    /// The email address of its super vendor.
    pub parent: Option<String>,
    pub created_at: Timestamp,
    /// When its open request for a sandbox was filed.
    pub asked_at: Option<Timestamp>,
    /// The address to which its customers write.
    pub contact_email: Option<String>,
}

/// Vendors read per page when a name is searched for.
const SEARCHED_AT_ONCE: u32 = 500;

statements! {
    static INSERT_VENDOR = Sql::new(
        "INSERT INTO vendors (id, name, sandbox, disabled, created_at, contact_email) VALUES ($1, $2, $3, $4, $5, $6)",
    );
    static INSERT_CREDENTIAL = Sql::new(
        "INSERT INTO credentials (vendor_id, environment, number, client_id, secret_check, secret_sealed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    );
    // Optimistic concurrency: the highest number must still be the one that was read, so that of two
    // concurrent rotations only one succeeds.
    static END_CREDENTIALS = Sql::new(
        "UPDATE credentials SET ends_at = $3
         WHERE vendor_id = $1 AND environment = $2 AND (ends_at IS NULL OR ends_at > $3)
            AND $4 = (SELECT MAX(number) FROM credentials WHERE vendor_id = $1 AND environment = $2)",
    );
    static FIRST_USE = Sql::new(
        "UPDATE credentials SET first_used_at = $4
         WHERE vendor_id = $1 AND environment = $2 AND number = $3 AND first_used_at IS NULL",
    );
    static VENDOR = Sql::new(
        "SELECT id, name, sandbox, disabled, created_at, parent_id, callback_url, return_url, contact_email, methods, display_name,
            time_zone, language, receipt_copy, events, fiscal, fiscal_tax_system, fiscal_vat, fiscal_subject, fiscal_mode,
            fiscal_max_items, settlement_delay
         FROM vendors WHERE id = $1",
    );
    static VENDOR_OF_CLIENT = Sql::new(
        "SELECT v.id, v.name, v.sandbox, v.disabled, v.created_at, v.parent_id, v.callback_url, v.return_url, v.contact_email, v.methods,
            v.display_name, v.time_zone, v.language, v.receipt_copy, v.events, v.fiscal, v.fiscal_tax_system, v.fiscal_vat, v.fiscal_subject,
            v.fiscal_mode, v.fiscal_max_items, v.settlement_delay
         FROM credentials c JOIN vendors v ON v.id = c.vendor_id WHERE c.client_id = $1",
    );
    static CREDENTIALS = Sql::new(
        "SELECT number, environment, client_id, secret_check, created_at, ends_at, first_used_at, secret_sealed
         FROM credentials WHERE vendor_id = $1 ORDER BY environment, number",
    );
    static LIST_VENDORS = Sql::new("SELECT id, name, sandbox, disabled FROM vendors ORDER BY id");
    static BY_RECEIPTS = Sql::new("SELECT name, fiscal FROM vendors WHERE NOT disabled ORDER BY id");
    pub(crate) static SET_SANDBOX = Sql::new("UPDATE vendors SET sandbox = $2 WHERE id = $1");
    static FIND_VENDORS = Sql::new(
        "SELECT v.id, v.name, v.sandbox, v.disabled, v.methods, u.email, v.created_at,
            (SELECT MIN(r.created_at) FROM sandbox_requests r WHERE r.vendor_id = v.id AND r.answer IS NULL), v.contact_email
         FROM vendors v LEFT JOIN users u ON u.id = v.parent_id
         WHERE v.id < $1 AND (CAST($2 AS BYTEA) IS NULL OR v.parent_id = $2)
         ORDER BY v.id DESC LIMIT $3",
    );
    static SET_PARENT = Sql::new(
        "UPDATE vendors SET parent_id = $2
         WHERE id = $1 AND (CAST($2 AS BYTEA) IS NULL OR EXISTS (
            SELECT 1 FROM users WHERE id = $2 AND role = 'super_vendor' AND NOT disabled))",
    );
    static SET_DISABLED = Sql::new("UPDATE vendors SET disabled = $2 WHERE id = $1");
    // Writes only the given settings, so that two concurrent changes of different settings both take effect.
    static SET_SETTINGS = Sql::new(
        "UPDATE vendors SET
            callback_url = CASE WHEN $2 THEN $3 ELSE callback_url END,
            return_url = CASE WHEN $4 THEN $5 ELSE return_url END,
            contact_email = CASE WHEN $6 THEN $7 ELSE contact_email END,
            methods = CASE WHEN $8 THEN $9 ELSE methods END,
            display_name = CASE WHEN $10 THEN $11 ELSE display_name END,
            time_zone = CASE WHEN $12 THEN $13 ELSE time_zone END,
            language = CASE WHEN $14 THEN $15 ELSE language END,
            receipt_copy = CASE WHEN $16 THEN $17 ELSE receipt_copy END,
            events = CASE WHEN $18 THEN $19 ELSE events END,
            fiscal = CASE WHEN $20 THEN $21 ELSE fiscal END,
            fiscal_tax_system = CASE WHEN $20 THEN $22 ELSE fiscal_tax_system END,
            fiscal_vat = CASE WHEN $20 THEN $23 ELSE fiscal_vat END,
            fiscal_subject = CASE WHEN $20 THEN $24 ELSE fiscal_subject END,
            fiscal_mode = CASE WHEN $20 THEN $25 ELSE fiscal_mode END,
            fiscal_max_items = CASE WHEN $20 THEN $26 ELSE fiscal_max_items END
         WHERE id = $1",
    );
}

impl Accounts {
    pub async fn size(&self) -> Result<StoreSize, StoreError> {
        self.engine.size().await
    }

    pub(crate) fn new(engine: Engine, clock: Clock) -> Self {
        Self { engine, clock, last_audit_id: Mutex::new(0) }
    }

    /// The time by the clock that decides the validity of tokens and rotated credentials.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Adds a vendor with its credential pairs. `lines` are the audit entries of this and of everything the
    /// vendor has from the start. False if the form was sent before.
    pub async fn add_vendor(&self, new: NewVendor, lines: &[AuditEntry]) -> Result<bool, StoreError> {
        let now = self.now();
        let params = vec![
            new.id.as_bytes().into(),
            new.name.into(),
            new.sandbox.into(),
            false.into(),
            now.into(),
            new.contact_email.into(),
        ];
        let mut unit: Vec<_> = lines.first().and_then(|line| forms::once(line, now)).into_iter().collect();
        unit.push(Statement { sql: &INSERT_VENDOR, params, guarded: false });
        unit.extend(new.credentials.into_iter().map(|c| insert_credential(new.id, c, now)));
        unit.extend(lines.iter().map(audit::line));
        self.done(unit).await
    }

    /// Replaces a vendor's credential pair: the pairs that work now end at `old_ends_at`. False, with nothing
    /// done, if another rotation came between or the form was sent before.
    pub async fn rotate(
        &self,
        vendor: VendorId,
        new: NewCredential,
        old_ends_at: Timestamp,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = vec![
            vendor.as_bytes().into(),
            new.environment.as_str().into(),
            old_ends_at.into(),
            (i64::from(new.number) - 1).into(),
        ];
        let end = Statement { sql: &END_CREDENTIALS, params, guarded: true };
        let insert = insert_credential(vendor, new, self.now());
        let mut unit: Vec<_> = forms::once(entry, self.now()).into_iter().collect();
        unit.extend([end, insert, audit::line(entry)]);
        self.done(unit).await
    }

    /// Records when a pair obtained its first token.
    pub async fn note_first_use(
        &self,
        vendor: VendorId,
        environment: EnvironmentName,
        number: u32,
    ) -> Result<(), StoreError> {
        let params = vec![
            vendor.as_bytes().into(),
            environment.as_str().into(),
            i64::from(number).into(),
            self.now().into(),
        ];
        self.engine.write(vec![Statement { sql: &FIRST_USE, params, guarded: false }]).await.map(drop)
    }

    /// A vendor with its settings and credentials.
    pub async fn vendor(&self, id: VendorId) -> Result<Option<Vendor>, StoreError> {
        let rows = self.engine.read(&VENDOR, vec![id.as_bytes().into()]).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        self.with_credentials(read_vendor(row)?).await.map(Some)
    }

    /// The vendor with this client id, with its settings and credentials. Here an unknown id costs as many
    /// reads as a known one; a caller that caches known ids answers those sooner, which is acceptable because
    /// client ids are not secret.
    pub async fn vendor_of_client(&self, client_id: &str) -> Result<Option<Vendor>, StoreError> {
        let rows = self.engine.read(&VENDOR_OF_CLIENT, vec![client_id.into()]).await?;
        match rows.into_iter().next() {
            Some(row) => self.with_credentials(read_vendor(row)?).await.map(Some),
            None => {
                self.terms(NOBODY, None).await?;
                self.credentials(NOBODY).await.map(|_| None)
            }
        }
    }

    async fn with_credentials(&self, vendor: Vendor) -> Result<Vendor, StoreError> {
        let terms = self.terms(vendor.id, vendor.terms.settlement_delay).await?;
        let sealed = self.credentials(vendor.id).await?;
        let credentials = sealed.into_iter().map(|sealed| sealed.credential).collect();
        Ok(Vendor { terms, credentials, ..vendor })
    }

    /// A vendor's credential pairs with their sealed secrets, of both environments, the oldest first in each.
    pub async fn credentials(&self, vendor: VendorId) -> Result<Vec<SealedCredential>, StoreError> {
        let rows = self.engine.read(&CREDENTIALS, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().map(read_credential).collect()
    }

    /// All vendors, oldest first.
    pub async fn list_vendors(&self) -> Result<Vec<VendorSummary>, StoreError> {
        let rows = self.engine.scan(&LIST_VENDORS, vec![]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(VendorSummary {
                    id: VendorId::from_bytes(row.array()?),
                    name: row.text()?,
                    sandbox: row.bool()?,
                    disabled: row.bool()?,
                })
            })
            .collect()
    }

    /// The names of vendors who may sell, by whether they have fiscal receipts.
    pub async fn vendors_by_receipts(&self) -> Result<VendorsByReceipts, StoreError> {
        let mut found = VendorsByReceipts::default();
        for mut row in self.engine.scan(&BY_RECEIPTS, vec![]).await? {
            let (name, policy) = (row.text()?, row.text()?);
            if policy == FiscalPolicy::Off.as_str() {
                found.without.push(name)
            } else {
                found.with.push(name)
            }
        }
        Ok(found)
    }

    /// Vendors whose name or contact address contains a text, regardless of case, newest first. The texts are
    /// compared here and not in the database, because lower-casing there depends on the engine and its
    /// locale.
    pub async fn find_vendors(&self, filter: &VendorFilter) -> Result<Vec<FoundVendor>, StoreError> {
        let most = usize::try_from(filter.limit).unwrap_or(usize::MAX);
        let wanted = filter.has.to_lowercase();
        let at_once = if wanted.is_empty() { filter.limit } else { filter.limit.max(SEARCHED_AT_ONCE) };
        let (mut before, mut found) = (filter.before, Vec::new());
        loop {
            let read = self.vendors_before(before, filter.parent, at_once).await?;
            let last = read.last().map(|vendor| vendor.summary.id);
            let is_end = u32::try_from(read.len()).is_ok_and(|count| count < at_once);
            let has = |text: &str| text.to_lowercase().contains(&wanted);
            let fits = |vendor: &FoundVendor| {
                has(&vendor.summary.name) || vendor.contact_email.as_deref().is_some_and(has)
            };
            found.extend(read.into_iter().filter(fits));
            if found.len() >= most || is_end || last.is_none() {
                found.truncate(most);
                return Ok(found);
            }
            before = last;
        }
    }

    async fn vendors_before(
        &self,
        before: Option<VendorId>,
        parent: Option<UserId>,
        limit: u32,
    ) -> Result<Vec<FoundVendor>, StoreError> {
        let before = before.map_or([0xff; 16], |id| *id.as_bytes());
        let parent = parent.as_ref().map(UserId::as_bytes);
        let params = vec![(&before).into(), parent.into(), i64::from(limit).into()];
        self.engine.read(&FIND_VENDORS, params).await?.into_iter().map(read_found).collect()
    }

    /// Switches a vendor's sandbox on or off. Switching it on grants the vendor's open requests. False if
    /// there is no such vendor.
    pub async fn set_sandbox(&self, id: VendorId, on: bool, entry: &AuditEntry) -> Result<bool, StoreError> {
        let set = guarded(&SET_SANDBOX, vec![id.as_bytes().into(), on.into()]);
        let mut unit = vec![set, audit::line(entry)];
        if on {
            unit.push(self.grant_sandbox_requests(id));
        }
        self.done(unit).await
    }

    /// Disables or enables a vendor. False if there is no such vendor.
    pub async fn set_disabled(
        &self,
        id: VendorId,
        disabled: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let set = guarded(&SET_DISABLED, vec![id.as_bytes().into(), disabled.into()]);
        self.done(vec![set, audit::line(entry)]).await
    }

    /// Puts a vendor below a super vendor, or below none. False if there is no such vendor, or no such super
    /// vendor that is enabled.
    pub async fn set_parent(
        &self,
        id: VendorId,
        parent: Option<UserId>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let parent = parent.as_ref().map(UserId::as_bytes);
        let set = guarded(&SET_PARENT, vec![id.as_bytes().into(), parent.into()]);
        self.done(vec![set, audit::line(entry)]).await
    }

    /// Changes only the given settings of a vendor. False if there is no such vendor.
    pub async fn set_settings(
        &self,
        id: VendorId,
        change: &SettingsChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let url = |url: &Option<WebUrl>| url.as_ref().map(|url| url.as_str().to_owned());
        let columns = [
            change.callback_url.as_ref().map(url),
            change.return_url.as_ref().map(url),
            change.contact_email.clone(),
            change.methods.as_ref().map(|methods| methods.as_ref().map(|m| Method::join(m))),
            change.display_name.clone(),
            change.time_zone.as_ref().map(|zone| zone.as_ref().map(|zone| zone.as_str().to_owned())),
            change.language.clone(),
        ];
        let mut params: Vec<Value> = vec![id.as_bytes().into()];
        for column in columns {
            params.push(column.is_some().into());
            params.push(column.flatten().into());
        }
        params.push(change.receipt_copy.is_some().into());
        params.push(change.receipt_copy.unwrap_or_default().into());
        params.push(change.events.is_some().into());
        // All of them are stored as none chosen, so that a family of a later version is sent too.
        let chosen = change.events.filter(|events| *events != EventFamilies::default());
        params.push(chosen.map(EventFamilies::list).into());
        params.extend(fiscal::columns(change.fiscal));
        self.done(vec![guarded(&SET_SETTINGS, params), audit::line(entry)]).await
    }

    /// The write counters of this database.
    #[must_use]
    pub fn stats(&self) -> StoreStats {
        self.engine.stats()
    }

    /// Checks that the store can be read and written.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.stored_key_check().await?;
        self.engine.probe().await
    }

    /// Reads the whole database and returns the damage found; empty if there is none.
    pub async fn find_damage(&self) -> Result<Vec<String>, StoreError> {
        self.engine.find_damage().await
    }

    /// Checks that the store keeps what it acknowledges.
    pub async fn assert_durable(&self) -> Result<(), StoreError> {
        self.engine.assert_durable().await
    }
}

fn insert_credential(vendor: VendorId, new: NewCredential, now: Timestamp) -> Statement {
    let params = vec![
        vendor.as_bytes().into(),
        new.environment.as_str().into(),
        i64::from(new.number).into(),
        new.client_id.into(),
        (&new.secret_check).into(),
        new.secret_sealed.as_slice().into(),
        now.into(),
    ];
    Statement { sql: &INSERT_CREDENTIAL, params, guarded: false }
}

/// An id that no vendor has: real ids contain their time.
const NOBODY: VendorId = VendorId::from_bytes([0; 16]);

/// A vendor without its credentials and fees.
fn read_vendor(mut row: Row) -> Result<Vendor, StoreError> {
    Ok(Vendor {
        id: VendorId::from_bytes(row.array()?),
        name: row.text()?,
        sandbox: row.bool()?,
        disabled: row.bool()?,
        created_at: row.time()?,
        parent: row.opt_array()?.map(UserId::from_bytes),
        settings: Settings {
            callback_url: row.opt_text()?.map(WebUrl::from_stored),
            return_url: row.opt_text()?.map(WebUrl::from_stored),
            contact_email: row.opt_text()?,
            methods: row
                .opt_text()?
                .map(|list| Method::parse_list(&list))
                .transpose()
                .map_err(|word| StoreError::Corrupt(format!("method {word:?}")))?,
            display_name: row.opt_text()?,
            time_zone: row.opt_text()?.and_then(|name| TimeZone::parse(&name)),
            language: row.opt_text()?,
            receipt_copy: row.bool()?,
            events: row
                .opt_text()?
                .map_or_else(EventFamilies::default, |list| EventFamilies::from_stored(&list)),
            fiscal: fiscal::read(&mut row)?,
        },
        terms: Terms { settlement_delay: terms::read_delay(&mut row)?, ..Terms::default() },
        credentials: Vec::new(),
    })
}

fn read_found(mut row: Row) -> Result<FoundVendor, StoreError> {
    let corrupt = |word| StoreError::Corrupt(format!("method {word:?}"));
    Ok(FoundVendor {
        summary: VendorSummary {
            id: VendorId::from_bytes(row.array()?),
            name: row.text()?,
            sandbox: row.bool()?,
            disabled: row.bool()?,
        },
        methods: row.opt_text()?.map(|list| Method::parse_list(&list)).transpose().map_err(corrupt)?,
        parent: row.opt_text()?,
        created_at: row.time()?,
        asked_at: row.opt_time()?,
        contact_email: row.opt_text()?,
    })
}

fn read_credential(mut row: Row) -> Result<SealedCredential, StoreError> {
    let number = row.int()?;
    let number = u32::try_from(number).map_err(|_| StoreError::Corrupt(format!("credential {number}")))?;
    let environment = row.text()?;
    let environment = EnvironmentName::parse(&environment)
        .ok_or_else(|| StoreError::Corrupt(format!("environment {environment:?}")))?;
    let credential = Credential {
        number,
        environment,
        client_id: row.text()?,
        secret_check: row.array()?,
        created_at: row.time()?,
        ends_at: row.opt_time()?,
        first_used_at: row.opt_time()?,
    };
    Ok(SealedCredential { credential, secret_sealed: row.bytes()? })
}
