//! Refunds: money that goes back to customers. In the sandbox there is no ledger behind them.

use crate::{
    engine::{
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::Payments,
};
use till_domain::{
    id::{ActionId, EntryId, RefundId, SessionId, TransactionId, VendorId},
    ledger::{Account, EntryKind, Settlement},
    method::Method,
    money::{Currency, Money},
    refund::{ManualTransfer, Origin, Refund, RefundState, UnsettledMoney},
    time::Timestamp,
    transaction::{Marks, Transaction},
};

macro_rules! refund_columns {
    () => {
        "id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
            amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
            attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at, silent_since, moved_id"
    };
}

macro_rules! select_refund {
    ($rest:literal) => {
        Sql::new(concat!("SELECT ", refund_columns!(), " FROM refunds ", $rest))
    };
}

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Refunds, sql: &DUE_REFUNDS, key: &[Key::Number, Key::Bytes] };
static DUE_OF_PROVIDER: Queue =
    Queue { name: QueueName::Refunds, sql: &DUE_AT_PROVIDER, key: &[Key::Number, Key::Bytes] };

statements! {
    // The guard: a number that another refund of the same payment already has adds no row.
    pub(crate) static INSERT = Sql::new(
        "INSERT INTO refunds (id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider,
            payment, amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure,
            reference, attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at, silent_since, moved_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24, $25, $26, $27, $28, $29)
         ON CONFLICT (transaction_id, number) DO NOTHING",
    );
    // The guard (optimistic concurrency): a version that has risen changes no row.
    pub(crate) static MOVE = Sql::new(
        "UPDATE refunds SET version = $3, state = $4, failure = $5, reference = $6, attempts = $7, check_at = $8,
            updated_at = $9, hand_what = $10, hand_note = $11, hand_sent_at = $12, silent_since = $13, moved_id = $14
         WHERE id = $1 AND version = $2",
    );
    static REFUND = select_refund!("WHERE id = $1");
    static OF_SESSION = select_refund!("WHERE session_id = $1 ORDER BY id");
    static OLDER = select_refund!("WHERE id < $1 ORDER BY id DESC LIMIT $2");
    static OLDER_OF_VENDOR = select_refund!("WHERE vendor_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
    static BY_HAND = select_refund!("WHERE state = 'by_hand' AND id < $1 ORDER BY id DESC LIMIT $2");
    static BY_REFERENCE = select_refund!("WHERE provider = $1 AND reference = $2");
    static BY_HAND_COUNT = Sql::new("SELECT COUNT(*) FROM refunds WHERE state = 'by_hand'");
    // Money for which a refund was tried before is left out: a person decides about it.
    static LATE = Sql::new(
        "SELECT a.id FROM actions a JOIN transactions t ON t.id = a.transaction_id
         WHERE a.resolution IS NULL AND a.kind = 'late' AND t.provider = $1
            AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.transaction_id = t.id)
            AND NOT EXISTS (SELECT 1 FROM transactions x WHERE x.session_id = t.session_id AND x.reversed)
         ORDER BY a.id LIMIT $2",
    );
    static DUE_REFUNDS = Sql::new(concat!(
        "SELECT check_at, id, ",
        refund_columns!(),
        " FROM refunds WHERE check_at <= $1 AND (check_at, id) > ($2, $3) ORDER BY check_at, id LIMIT $4"
    ));
    static DUE_AT_PROVIDER = Sql::new(concat!(
        "SELECT check_at, id, ",
        refund_columns!(),
        " FROM refunds WHERE provider = $1 AND check_at <= $2 AND (check_at, id) > ($3, $4)
         ORDER BY check_at, id LIMIT $5"
    ));
    // One step of a loose index scan: the next provider's name.
    static NEXT_PROVIDER =
        Sql::new("SELECT MIN(provider) FROM refunds WHERE check_at IS NOT NULL AND provider > $1");
    static COUNTS = Sql::new(
        "SELECT (SELECT COUNT(*) FROM refunds WHERE check_at IS NOT NULL),
            (SELECT COUNT(*) FROM refunds WHERE check_at <= $1)",
    );
    static NEXT_DUE = Sql::new("SELECT MIN(check_at) FROM refunds WHERE check_at IS NOT NULL");
}

/// A filter of refunds, newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct RefundFilter {
    /// Only refunds of this vendor.
    pub vendor: Option<VendorId>,
    /// Keyset cursor: only refunds older than this one.
    pub before: Option<RefundId>,
}

/// The payment of a paid session, with the amounts that a refund needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidWith {
    pub money: Transaction,
    /// Further money that the provider took with it and that a person accepted as the vendor's, in minor
    /// units.
    pub accepted: i64,
    /// The operator's fee on it, in minor units.
    pub fee: i64,
    /// The part of it that is pending, if any is.
    pub pending: Option<Settlement>,
    /// The part of it that was taken back (reversed), in minor units.
    pub taken_back: i64,
}

/// The refunds of an environment.
#[derive(Debug, Clone, Copy)]
pub struct Refunds<'a> {
    pub(crate) payments: &'a Payments,
}

impl Payments {
    #[must_use]
    pub fn refunds(&self) -> Refunds<'_> {
        Refunds { payments: self }
    }
}

impl Refunds<'_> {
    pub async fn refund(&self, id: RefundId) -> Result<Option<Refund>, StoreError> {
        let rows = self.payments.engine.read(&REFUND, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// Every refund of a session, oldest first.
    pub async fn of_session(&self, session: SessionId) -> Result<Vec<Refund>, StoreError> {
        let rows = self.payments.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        rows.into_iter().map(read).collect()
    }

    /// Refunds, newest first.
    pub async fn list(&self, filter: &RefundFilter, limit: u32) -> Result<Vec<Refund>, StoreError> {
        let before = filter.before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let (sql, mut params): (_, Vec<Value>) = match filter.vendor {
            Some(vendor) => (&OLDER_OF_VENDOR, vec![vendor.as_bytes().into()]),
            None => (&OLDER, Vec::new()),
        };
        params.extend([before.into(), i64::from(limit).into()]);
        self.payments.engine.browse(sql, params).await?.into_iter().map(read).collect()
    }

    /// Refunds that a person has to send, newest first; with `before`, only those older than that one.
    pub async fn by_hand(&self, before: Option<RefundId>, limit: u32) -> Result<Vec<Refund>, StoreError> {
        let before = before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let params = vec![before.into(), i64::from(limit).into()];
        self.payments.engine.browse(&BY_HAND, params).await?.into_iter().map(read).collect()
    }

    /// The number of refunds that a person has to send.
    pub async fn by_hand_count(&self) -> Result<u64, StoreError> {
        let rows = self.payments.engine.read(&BY_HAND_COUNT, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Open actions about late money at a provider for which no refund was tried and whose session has no
    /// reversal, oldest first.
    pub async fn late(&self, provider: &str, limit: u32) -> Result<Vec<ActionId>, StoreError> {
        let params = vec![provider.into(), i64::from(limit).into()];
        let rows = self.payments.engine.read(&LATE, params).await?.into_iter();
        rows.map(|mut row| Ok(ActionId::from_bytes(row.array()?))).collect()
    }

    /// The refund with this reference at a provider.
    pub async fn called(&self, provider: &str, reference: &str) -> Result<Option<Refund>, StoreError> {
        let params = vec![provider.into(), reference.into()];
        let rows = self.payments.engine.read(&BY_REFERENCE, params).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// The providers with refunds that have to be checked, now or later.
    pub async fn providers(&self) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<String> = Vec::new();
        loop {
            let last = found.last().map_or("", String::as_str);
            let rows = self.payments.engine.read(&NEXT_PROVIDER, vec![last.into()]).await?;
            match rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_text())? {
                Some(next) => found.push(next),
                None => return Ok(found),
            }
        }
    }

    /// Refunds of a provider that are due for a check, the longest overdue first, and the rows before them
    /// that cannot be read.
    pub async fn due(
        &self,
        provider: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<Refund>, Unreadable), StoreError> {
        let params = vec![provider.into(), now.into()];
        DUE_OF_PROVIDER.read(&self.payments.engine, params, limit, single(read)).await
    }

    /// The number of refunds on their way, and of those that are due for a check by now.
    pub async fn counts(&self, now: Timestamp) -> Result<(u64, u64), StoreError> {
        let rows = self.payments.engine.browse(&COUNTS, vec![now.into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok((0, 0)) };
        let mut next = || row.int().map(|count| u64::try_from(count).unwrap_or(0));
        Ok((next()?, next()?))
    }

    /// When a refund is next due.
    pub async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.payments.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }

    /// The payment of a session, as the ledger has it, or as it was recorded where there is none. `refunds` are all refunds of the session: what is left
    /// pending after some was refunded belongs to the entry of that refund.
    pub async fn paid_with(
        &self,
        session: SessionId,
        refunds: &[Refund],
    ) -> Result<Option<PaidWith>, StoreError> {
        let all = self.payments.transactions_of(session).await?;
        let Some(ledger) = self.payments.ledger() else { return self.recorded(&all).await };
        for money in &all {
            let Some(booked) = ledger.entry_of(EntryKind::Payment, money.id.into()).await? else { continue };
            let fee = booked.entry.amount_on(&Account::Fees).minor;
            let pending = self.pending(booked.entry.id(), refunds).await?;
            let accepted = self.accepted(money, &all).await?;
            let taken_back = taken_back(money, &all);
            return Ok(Some(PaidWith { money: money.clone(), accepted, fee, pending, taken_back }));
        }
        Ok(None)
    }

    /// The pending part of a payment. It belongs to the entry of the payment, or to that of the last refund
    /// that took some of it or gave it back.
    async fn pending(&self, booked: EntryId, refunds: &[Refund]) -> Result<Option<Settlement>, StoreError> {
        let Some(ledger) = self.payments.ledger() else { return Ok(None) };
        for refund in refunds.iter().rev().filter(|refund| refund.pending.is_some()) {
            let failed = match refund.state {
                RefundState::Failed(_) => ledger
                    .entry_of(EntryKind::RefundFailed, refund.id.into())
                    .await?
                    .map(|stored| stored.entry.id()),
                _ => None,
            };
            for entry in failed.into_iter().chain([refund.id.into()]) {
                if let Some(found) = ledger.settlement(entry).await? {
                    return Ok(Some(found));
                }
            }
        }
        ledger.settlement(booked).await
    }

    /// The money that a provider took with a payment and that a person accepted as the vendor's, among all
    /// transactions of its session.
    async fn accepted(&self, money: &Transaction, all: &[Transaction]) -> Result<i64, StoreError> {
        let mut sum = 0_i64;
        for stored in self.payments.actions_of(money.session).await? {
            let transaction = stored.action.transaction.and_then(|id| all.iter().find(|one| one.id == id));
            let Some(brought) = transaction.filter(|one| is_same_payment(one, money)) else { continue };
            let minor = match self.payments.ledger() {
                Some(ledger) => ledger
                    .entry_of(EntryKind::Accepted, stored.action.id.into())
                    .await?
                    .map_or(0, |booked| booked.entry.amount_on(&Account::Available).minor),
                None if stored.is_accepted() => brought.amount.minor,
                None => 0,
            };
            sum = sum.saturating_add(minor);
        }
        Ok(sum)
    }

    /// The payment of a session among its transactions, where no ledger is kept.
    async fn recorded(&self, all: &[Transaction]) -> Result<Option<PaidWith>, StoreError> {
        let pays = |money: &&Transaction| money.marks == Marks::default() && money.amount.minor > 0;
        let Some(money) = all.iter().find(pays).cloned() else { return Ok(None) };
        let (accepted, taken_back) = (self.accepted(&money, all).await?, taken_back(&money, all));
        Ok(Some(PaidWith { money, accepted, fee: 0, pending: None, taken_back }))
    }
}

/// True if a provider took both with one payment.
fn is_same_payment(one: &Transaction, other: &Transaction) -> bool {
    (&one.provider, &one.reference) == (&other.provider, &other.reference)
}

/// The part of a payment that was taken back, in minor units.
fn taken_back(money: &Transaction, all: &[Transaction]) -> i64 {
    let gone = all.iter().filter(|other| other.marks.reversed && other.attempt == money.attempt);
    gone.map(|other| other.amount.minor).sum()
}

/// The values of [`INSERT`].
pub(crate) fn insert(refund: &Refund) -> Vec<Value> {
    let action = match &refund.origin {
        Origin::Payment { .. } => None,
        Origin::Suspense { action } => Some(action.as_bytes().as_slice()),
    };
    let mut values = vec![
        refund.id.as_bytes().into(),
        refund.version.into(),
        refund.vendor.as_bytes().into(),
        refund.session.as_bytes().into(),
        refund.transaction.as_bytes().into(),
        action.into(),
        refund.number.into(),
        refund.method.as_str().into(),
        refund.provider.as_str().into(),
        refund.payment.as_str().into(),
        refund.amount.minor.into(),
        refund.amount.currency.code().into(),
        refund.fee().into(),
        refund.pending.map(|pending| pending.minor).into(),
        refund.pending.map(|pending| pending.until).into(),
        refund.reason.as_deref().into(),
        refund.requested_by.as_str().into(),
        refund.created_at.into(),
    ];
    values.extend(progress(refund));
    values
}

/// The values of [`MOVE`].
pub(crate) fn change(refund: &Refund, was: i64) -> Vec<Value> {
    let mut values = vec![refund.id.as_bytes().into(), was.into(), refund.version.into()];
    values.extend(progress(refund));
    values
}

/// The values of a refund that change, in the order of the columns.
fn progress(refund: &Refund) -> [Value; 11] {
    let hand = refund.manual.as_ref();
    [
        refund.state.as_str().into(),
        refund.state.failure().into(),
        refund.reference.as_deref().into(),
        i64::from(refund.attempts).into(),
        refund.check_at.into(),
        refund.updated_at.into(),
        hand.map(|hand| hand.what.as_str()).into(),
        hand.and_then(|hand| hand.note.as_deref()).into(),
        hand.and_then(|hand| hand.sent_at).into(),
        refund.silent_since.into(),
        refund.moved.as_ref().map(|id| id.as_bytes().as_slice()).into(),
    ]
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("a refund's {what} {value:?}"))
}

/// Reads columns in the order of `refund_columns!`.
pub(crate) fn read(mut row: Row) -> Result<Refund, StoreError> {
    let (id, version) = (RefundId::from_bytes(row.array()?), row.int()?);
    let (vendor, session) = (VendorId::from_bytes(row.array()?), SessionId::from_bytes(row.array()?));
    let transaction = TransactionId::from_bytes(row.array()?);
    let action = row.opt_array()?.map(ActionId::from_bytes);
    let number = row.int()?;
    let method = row.text()?;
    let method = Method::parse(&method).ok_or_else(|| corrupt("method", &method))?;
    let (provider, payment) = (row.text()?, row.text()?);
    let (minor, code, fee) = (row.int()?, row.text()?, row.int()?);
    let currency = Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))?;
    let origin = action.map_or(Origin::Payment { fee }, |action| Origin::Suspense { action });
    let pending = row.opt_int()?.zip(row.opt_time()?).map(|(minor, until)| UnsettledMoney { minor, until });
    let (reason, requested_by, created_at) = (row.opt_text()?, row.text()?, row.time()?);
    let (state, failure) = (row.text()?, row.opt_text()?);
    let state = RefundState::from_words(&state, failure).ok_or_else(|| corrupt("state", &state))?;
    let reference = row.opt_text()?;
    let attempts = u32::try_from(row.int()?).unwrap_or(u32::MAX);
    let (check_at, updated_at) = (row.opt_time()?, row.time()?);
    let (what, note, sent_at) = (row.opt_text()?, row.opt_text()?, row.opt_time()?);
    Ok(Refund {
        id,
        session,
        vendor,
        transaction,
        number,
        method,
        provider,
        payment,
        amount: Money { minor, currency },
        origin,
        pending,
        reason,
        requested_by,
        state,
        reference,
        manual: what.map(|what| ManualTransfer { what, note, sent_at }),
        attempts,
        check_at,
        silent_since: row.opt_time()?,
        moved: row.opt_array()?.map(TransactionId::from_bytes),
        version,
        created_at,
        updated_at,
    })
}
