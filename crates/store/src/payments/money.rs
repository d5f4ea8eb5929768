//! Movements of money, and what a person has to decide about them.

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

/// A vendor's movements of one method, as parts of a union: out of all of them, and out of the unusual ones. `$1` vendor,
/// `$2` above, `$3` below, `$4` a kind or nothing, `$5` method or nothing, `$6` how many.
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
    // The guard: what was found at a provider is entered once.
    pub(crate) static NEED_ACTION = Sql::new(
        "INSERT INTO actions (id, kind, session_id, vendor_id, transaction_id, created_at, subject, note, amount_minor,
            currency)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (subject) WHERE subject IS NOT NULL DO NOTHING",
    );
    // The guard: what was decided stays decided.
    pub(crate) static RESOLVE_ACTION = Sql::new(
        "UPDATE actions SET resolution = $2, resolved_at = $3, resolved_by = $4
         WHERE id = $1 AND resolution IS NULL",
    );
    // The guard: what was decided stays as it was then.
    pub(crate) static NOTE_ACTION =
        Sql::new("UPDATE actions SET note = $2 WHERE id = $1 AND resolution IS NULL");
    static OLDER_OF_VENDOR = of_vendor!("DESC");
    static NEWER_OF_VENDOR = of_vendor!("ASC");
    static OLDER = select_transaction!("WHERE id < $1 ORDER BY id DESC LIMIT $2");
    static OF_SESSION = select_transaction!("WHERE session_id = $1 ORDER BY id");
    // What a provider claims under a name that no attempt has is left to decide, and there is little of that in all.
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
    static OPEN_ACTIONS = Sql::new("SELECT COUNT(*) FROM actions WHERE resolution IS NULL");
}

/// Which movements of money to list.
#[derive(Debug, Clone, Copy)]
pub struct TransactionFilter {
    pub vendor: VendorId,
    /// Only those of this kind.
    pub kind: Option<MoneyKind>,
    /// Only those of this method.
    pub method: Option<Method>,
    /// Only those seen in this span.
    pub span: Span,
}

/// What movements of money are looked for by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyKind {
    /// What is or is not unusual about them.
    Is(Mark),
    /// That somebody has to decide about them.
    ToDecide,
}

impl TransactionFilter {
    /// The word of the kind, or nothing.
    pub(crate) fn word(&self) -> &'static str {
        match self.kind {
            None => "",
            Some(MoneyKind::Is(mark)) => mark.as_str(),
            Some(MoneyKind::ToDecide) => "to_decide",
        }
    }
}

/// Something to decide, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAction {
    /// What it is about.
    pub action: Action,
    /// What was decided, when and by whom.
    pub decided: Option<(Resolution, Timestamp, String)>,
}

/// Which things to decide to list.
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// Only this vendor's.
    pub vendor: Option<VendorId>,
    /// Also those that were decided.
    pub decided: bool,
    /// Only those older than this one.
    pub before: Option<ActionId>,
}

impl Payments {
    /// The money of a session, oldest first.
    pub async fn transactions_of(&self, session: SessionId) -> Result<Vec<Transaction>, StoreError> {
        let rows = self.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_transaction).collect()
    }

    /// A page of a vendor's movements of money, the newest first whichever way it was turned to.
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

    /// Everybody's movements of money, newest first, and only those older than `before`.
    pub async fn all_transactions(
        &self,
        before: Option<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let before = before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let params = vec![before.into(), i64::from(limit).into()];
        self.engine.browse(&OLDER, params).await?.into_iter().map(read_transaction).collect()
    }

    /// A page of what happened to money at a provider in a span of time, oldest first: what follows this movement.
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

    /// A movement of money.
    pub async fn transaction(&self, id: TransactionId) -> Result<Option<Transaction>, StoreError> {
        let rows = self.engine.read(&TRANSACTION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_transaction).transpose()
    }

    /// Money that providers told of by a reference that no attempt has, newest first.
    pub async fn claimed(&self, reference: &str, limit: u32) -> Result<Vec<Transaction>, StoreError> {
        let params = vec![reference.into(), i64::from(limit).into()];
        self.engine.browse(&CLAIMED, params).await?.into_iter().map(read_transaction).collect()
    }

    /// What is to be decided, newest first.
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

    /// One thing to decide.
    pub async fn action(&self, id: ActionId) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// What has or had to be decided about what was found under this name.
    pub async fn action_about(&self, subject: &str) -> Result<Option<StoredAction>, StoreError> {
        let rows = self.engine.read(&ACTION_ABOUT, vec![subject.into()]).await?;
        rows.into_iter().next().map(read_action).transpose()
    }

    /// What had or has to be decided about a session, oldest first. There is little of it in all.
    pub async fn actions_of(&self, session: SessionId) -> Result<Vec<StoredAction>, StoreError> {
        let rows = self.engine.browse(&ACTIONS_OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read_action).collect()
    }

    /// How much is to be decided.
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

/// In the order of `transaction_columns!`.
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

/// In the order of `select_action!`.
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
