//! Transactions (movements of money). Next: `actions.rs`, what a person has to decide about them.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::{
        Payments,
        attempts::read_quantity,
        lists::{Bounds, Span, Turn},
    },
};
use till_domain::{
    id::{AttemptId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    transaction::{Mark, Marks, Transaction},
};

macro_rules! transaction_columns {
    () => {
        "id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor, currency,
            received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at"
    };
}
pub(crate) use transaction_columns;

macro_rules! select_transaction {
    ($($rest:expr),*) => {
        Sql::new(concat!("SELECT ", transaction_columns!(), " FROM transactions ", $($rest),*))
    };
}

/// A vendor's transactions of one method, as parts of a union: out of all of them, and out of the unusual
/// ones. Parameters: `$1` vendor, `$2` above, `$3` below, `$4` kind or empty, `$5` method or empty, `$6`
/// limit.
macro_rules! moved {
    ($method:literal, $order:literal) => {
        concat!(
            "SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = '",
            $method,
            "' AND $5 IN ('', '",
            $method,
            "') AND ($4 = '' OR $4 = 'plain' AND NOT (late OR partial OR over OR reversed))
                AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS all_",
            $method,
            " UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE vendor_id = $1 AND method = '",
            $method,
            "' AND $5 IN ('', '",
            $method,
            "') AND (late OR partial OR over OR reversed)
                AND ($4 = 'late' AND late OR $4 = 'partial' AND partial OR $4 = 'over' AND over
                    OR $4 = 'reversed' AND reversed)
                AND id > $2 AND id < $3 ORDER BY id ",
            $order,
            " LIMIT $6) AS marked_",
            $method
        )
    };
}

macro_rules! of_vendor {
    ($order:literal) => {
        select_transaction!(
            "WHERE id IN (SELECT id FROM (",
            moved!("card", $order),
            " UNION ALL ",
            moved!("sbp", $order),
            " UNION ALL ",
            moved!("crypto", $order),
            " UNION ALL
             SELECT id FROM (SELECT id FROM transactions WHERE $4 = 'to_decide' AND $5 IN ('', method)
                AND id IN (SELECT transaction_id FROM actions WHERE resolution IS NULL AND vendor_id = $1)
                AND COALESCE(id, id) > $2 AND COALESCE(id, id) < $3 ORDER BY COALESCE(id, id) ",
            $order,
            " LIMIT $6) AS undecided) AS matching ORDER BY id ",
            $order,
            " LIMIT $6) ORDER BY id DESC"
        )
    };
}

statements! {
    pub(crate) static RECORD_TRANSACTION = Sql::insert(
        "INSERT INTO transactions (id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor,
            currency, received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    );
    static OLDER_OF_VENDOR = of_vendor!("DESC");
    static NEWER_OF_VENDOR = of_vendor!("ASC");
    static OF_SESSION = select_transaction!("WHERE session_id = $1 ORDER BY id");
    // Money that a provider claims under a reference that no attempt has is left to decide; there are few
    // such transactions.
    static CLAIMED = select_transaction!(
        "WHERE id IN (SELECT transaction_id FROM actions WHERE kind = 'mismatch') AND reference = $1
         ORDER BY id DESC LIMIT $2"
    );
    static OF_PROVIDER =
        select_transaction!("WHERE id > $1 AND id < $2 AND provider = $3 ORDER BY id LIMIT $4");
    static TRANSACTION = select_transaction!("WHERE id = $1");
}

/// A filter of transactions.
#[derive(Debug, Clone, Copy)]
pub struct TransactionFilter {
    pub vendor: VendorId,
    /// Only transactions of this kind.
    pub kind: Option<MoneyKind>,
    /// Only transactions of this method.
    pub method: Option<Method>,
    /// Only transactions seen in this span.
    pub span: Span,
}

/// A kind of transaction to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyKind {
    /// Transactions with this mark: what is unusual about them, or that nothing is.
    Is(Mark),
    /// Transactions that need a manual decision.
    ToDecide,
}

impl TransactionFilter {
    /// The word of the kind, or an empty text.
    pub(crate) fn word(&self) -> &'static str {
        match self.kind {
            None => "",
            Some(MoneyKind::Is(mark)) => mark.as_str(),
            Some(MoneyKind::ToDecide) => "to_decide",
        }
    }
}

impl Payments {
    /// The transactions of a session, oldest first.
    pub async fn transactions_of(&self, session: SessionId) -> Result<Vec<Transaction>, StoreError> {
        let rows = self.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_transaction).collect()
    }

    /// A page of a vendor's transactions, newest first in either direction.
    pub async fn transactions(
        &self,
        filter: &TransactionFilter,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let bounds = Bounds::new(filter.span, turn);
        let params = vec![
            filter.vendor.as_bytes().into(),
            (&bounds.above).into(),
            (&bounds.below).into(),
            filter.word().into(),
            filter.method.map_or("", Method::as_str).into(),
            i64::from(limit).into(),
        ];
        let sql = if bounds.rising { &NEWER_OF_VENDOR } else { &OLDER_OF_VENDOR };
        self.engine.browse(sql, params).await?.into_iter().map(read_transaction).collect()
    }

    /// A page of the transactions at a provider in a span of time, oldest first: those after this one.
    pub async fn transactions_at(
        &self,
        provider: &str,
        span: Span,
        after: Option<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let bounds = Bounds::new(span, after.map_or(Turn::Newest, Turn::Newer));
        let params =
            vec![(&bounds.above).into(), (&bounds.below).into(), provider.into(), i64::from(limit).into()];
        self.engine.browse(&OF_PROVIDER, params).await?.into_iter().map(read_transaction).collect()
    }

    pub async fn transaction(&self, id: TransactionId) -> Result<Option<Transaction>, StoreError> {
        let rows = self.engine.read(&TRANSACTION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_transaction).transpose()
    }

    /// Transactions that providers reported under a reference that no attempt has, newest first.
    pub async fn claimed(&self, reference: &str, limit: u32) -> Result<Vec<Transaction>, StoreError> {
        let params = vec![reference.into(), i64::from(limit).into()];
        self.engine.browse(&CLAIMED, params).await?.into_iter().map(read_transaction).collect()
    }
}

/// The values of [`RECORD_TRANSACTION`].
pub(crate) fn transaction(money: &Transaction) -> Vec<Value> {
    vec![
        money.id.as_bytes().into(),
        money.session.as_bytes().into(),
        money.vendor.as_bytes().into(),
        money.attempt.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        money.method.as_str().into(),
        money.provider.as_str().into(),
        money.reference.as_str().into(),
        money.amount.minor.into(),
        money.amount.currency.code().into(),
        money.received.atoms.to_string().into(),
        i64::from(money.received.decimals).into(),
        money.received.unit.as_str().into(),
        money.marks.late.into(),
        money.marks.partial.into(),
        money.marks.over.into(),
        money.marks.reversed.into(),
        money.at.into(),
    ]
}

pub(crate) fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} {value:?}"))
}

pub(crate) fn opt_id(row: &mut Row) -> Result<Option<[u8; 16]>, StoreError> {
    let id = row.opt_bytes()?.map(|bytes| bytes.try_into());
    id.transpose().map_err(|_| corrupt("id", "of another length"))
}

/// Reads columns in the order of `transaction_columns!`.
pub(crate) fn read_transaction(mut row: Row) -> Result<Transaction, StoreError> {
    read_money(&mut row)
}

/// The same of a row that has more columns after them.
pub(crate) fn read_money(row: &mut Row) -> Result<Transaction, StoreError> {
    let id = TransactionId::from_bytes(row.array()?);
    let (session, vendor) = (SessionId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let attempt = opt_id(row)?.map(AttemptId::from_bytes);
    let method = row.text()?;
    let method = Method::parse(&method).ok_or_else(|| corrupt("method", &method))?;
    let (provider, reference, minor, code) = (row.text()?, row.text()?, row.int()?, row.text()?);
    let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
    let received = read_quantity(row)?;
    let marks = Marks { late: row.bool()?, partial: row.bool()?, over: row.bool()?, reversed: row.bool()? };
    let amount = Money { minor, currency };
    let at = row.time()?;
    Ok(Transaction { id, session, vendor, attempt, method, provider, reference, amount, received, marks, at })
}
