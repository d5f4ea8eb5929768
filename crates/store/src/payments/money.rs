//! Transactions (movements of money), and actions: what a person has to decide about them.

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
    finding::Finding,
    id::{ActionId, AttemptId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
    transaction::{Action, ActionKind, Mark, Marks, Resolution, Transaction},
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

macro_rules! select_action {
    ($rest:literal) => {
        Sql::new(concat!(
            "SELECT id, kind, session_id, vendor_id, transaction_id, created_at, resolution, resolved_at, resolved_by,
                subject, note, amount_minor, currency
             FROM actions ",
            $rest
        ))
    };
}

statements! {
    pub(crate) static RECORD_TRANSACTION = Sql::insert(
        "INSERT INTO transactions (id, session_id, vendor_id, attempt_id, method, provider, reference, amount_minor,
            currency, received_atoms, received_decimals, received_unit, late, partial, over, reversed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    );
    // The guard: a finding at a provider is entered once.
    pub(crate) static NEED_ACTION = Sql::new(
        "INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at, subject, note, amount_minor,
            currency)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (subject) WHERE subject IS NOT NULL DO NOTHING",
    );
    // The guard: a decision is final.
    pub(crate) static RESOLVE_ACTION = Sql::new(
        "UPDATE actions SET resolution = $2, resolved_at = $3, resolved_by = $4
         WHERE id = $1 AND resolution IS NULL",
    );
    // The guard: the note of a decided action is final.
    pub(crate) static NOTE_ACTION =
        Sql::new("UPDATE actions SET note = $2 WHERE id = $1 AND resolution IS NULL");
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
    static ACTIONS = select_action!(
        "WHERE ($1 OR vendor_id = $2) AND ($3 OR resolution IS NULL) AND id < $4 ORDER BY id DESC LIMIT $5"
    );
    static ACTION = select_action!("WHERE id = $1");
    static ACTION_ABOUT = select_action!("WHERE subject = $1");
    static ACTIONS_OF_SESSION = select_action!("WHERE session_id = $1 ORDER BY id");
    static OLDEST_OPEN_ACTION =
        Sql::new("SELECT created_at FROM actions WHERE resolution IS NULL ORDER BY id LIMIT 1");
    static OPEN_ACTIONS = Sql::new("SELECT COUNT(*) FROM actions WHERE resolution IS NULL");
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

/// An action as it is stored: something that a person has to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAction {
    pub action: Action,
    /// The decision, when it was made and by which user, once there is one.
    pub decided: Option<(Resolution, Timestamp, String)>,
}

/// A filter of actions.
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// Only actions of this vendor.
    pub vendor: Option<VendorId>,
    /// Also actions that were decided.
    pub decided: bool,
    /// Keyset cursor: only actions older than this one.
    pub before: Option<ActionId>,
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

    /// Actions, newest first.
    pub async fn actions(&self, filter: &ActionFilter, limit: u32) -> Result<Vec<StoredAction>, StoreError> {
        let nobody = [0; 16];
        let vendor = filter.vendor.as_ref().map_or(&nobody, |vendor| vendor.as_bytes());
        let params = vec![
            filter.vendor.is_none().into(),
            vendor.into(),
            filter.decided.into(),
            filter.before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes()).into(),
            i64::from(limit).into(),
        ];
        self.engine.browse(&ACTIONS, params).await?.into_iter().map(read_action).collect()
    }

    pub async fn action(&self, id: ActionId) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// The action, open or decided, about the finding with this subject.
    pub async fn action_about(&self, subject: &str) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION_ABOUT, vec![subject.into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// The actions of a session, open or decided, oldest first. There are few of them in all.
    pub async fn actions_of(&self, session: SessionId) -> Result<Vec<StoredAction>, StoreError> {
        let rows = self.engine.browse(&ACTIONS_OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_action).collect()
    }

    /// When the oldest open action was entered.
    pub async fn oldest_open_action(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&OLDEST_OPEN_ACTION, vec![]).await?;
        rows.into_iter().next().map(|mut row| row.time()).transpose()
    }

    /// The number of open actions.
    pub async fn open_actions(&self) -> Result<i64, StoreError> {
        let rows = self.engine.read(&OPEN_ACTIONS, vec![]).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
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

/// The values of [`NEED_ACTION`].
pub(crate) fn action(action: &Action) -> Vec<Value> {
    let finding = action.finding.as_ref();
    vec![
        action.id.as_bytes().into(),
        action.kind.as_str().into(),
        action.session.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.vendor.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.transaction.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        action.at.into(),
        finding.map(|finding| finding.subject.as_str()).into(),
        finding.map(|finding| finding.note.as_str()).into(),
        action.amount().map(|amount| amount.minor).into(),
        action.amount().map(|amount| amount.currency.code()).into(),
    ]
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} {value:?}"))
}

fn opt_id(row: &mut Row) -> Result<Option<[u8; 16]>, StoreError> {
    let id = row.opt_bytes()?.map(|bytes| bytes.try_into());
    id.transpose().map_err(|_| corrupt("id", "of another length"))
}

/// Reads columns in the order of `transaction_columns!`.
pub(crate) fn read_transaction(mut row: Row) -> Result<Transaction, StoreError> {
    let id = TransactionId::from_bytes(row.array()?);
    let (session, vendor) = (SessionId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let attempt = opt_id(&mut row)?.map(AttemptId::from_bytes);
    let method = row.text()?;
    let method = Method::parse(&method).ok_or_else(|| corrupt("method", &method))?;
    let (provider, reference, minor, code) = (row.text()?, row.text()?, row.int()?, row.text()?);
    let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
    let received = read_quantity(&mut row)?;
    let marks = Marks { late: row.bool()?, partial: row.bool()?, over: row.bool()?, reversed: row.bool()? };
    let amount = Money { minor, currency };
    let at = row.time()?;
    Ok(Transaction { id, session, vendor, attempt, method, provider, reference, amount, received, marks, at })
}

/// Reads columns in the order of `select_action!`.
fn read_action(mut row: Row) -> Result<StoredAction, StoreError> {
    let id = ActionId::from_bytes(row.array()?);
    let kind = row.text()?;
    let kind = ActionKind::parse(&kind).ok_or_else(|| corrupt("kind", &kind))?;
    let session = opt_id(&mut row)?.map(SessionId::from_bytes);
    let vendor = opt_id(&mut row)?.map(VendorId::from_bytes);
    let transaction = opt_id(&mut row)?.map(TransactionId::from_bytes);
    let at = row.time()?;
    let (resolution, when, by) = (row.opt_text()?, row.opt_time()?, row.opt_text()?);
    let decided = match (resolution, when, by) {
        (Some(word), Some(when), Some(by)) => {
            let resolution = Resolution::parse(&word).ok_or_else(|| corrupt("resolution", &word))?;
            Some((resolution, when, by))
        }
        _ => None,
    };
    let finding = read_finding(&mut row)?;
    Ok(StoredAction { action: Action { id, kind, session, vendor, transaction, finding, at }, decided })
}

fn read_finding(row: &mut Row) -> Result<Option<Finding>, StoreError> {
    let (subject, note) = (row.opt_text()?, row.opt_text()?);
    let (minor, code) = (row.opt_int()?, row.opt_text()?);
    let Some((subject, note)) = subject.zip(note) else { return Ok(None) };
    let money = |(minor, code): (i64, String)| {
        let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
        Ok(Money { minor, currency })
    };
    let amount = minor.zip(code).map(money).transpose()?;
    Ok(Some(Finding { subject, note, amount }))
}
