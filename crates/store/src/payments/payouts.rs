//! Payouts: the requests of vendors and their progress. Only the live store has them.

use crate::{
    engine::{
        error::StoreError,
        sql::{Row, Sql, Value, statements},
    },
    payments::ledger::{Ledger, read_currency},
};
use till_domain::{
    id::{PayoutId, VendorId},
    money::Money,
    payout::{Payout, PayoutState, PayoutStep},
};

macro_rules! select_payout {
    ($rest:literal) => {
        Sql::new(concat!(
            "SELECT id, vendor_id, currency, amount, destination, asked_at, asked_by, state, note,
                decided_at, decided_by, ended_at, ended_by FROM payouts ",
            $rest
        ))
    };
}

statements! {
    pub(crate) static ASK = Sql::new(
        "INSERT INTO payouts (id, vendor_id, currency, amount, destination, state, asked_at, asked_by)
         VALUES ($1, $2, $3, $4, $5, 'asked', $6, $7)",
    );
    // The guards: a step is taken once.
    pub(crate) static DECIDE = Sql::new(
        "UPDATE payouts SET state = $2, decided_at = $3, decided_by = $4, note = $5 WHERE id = $1 AND state = 'asked'",
    );
    pub(crate) static END = Sql::new(
        "UPDATE payouts SET state = $2, ended_at = $3, ended_by = $4, note = $5 WHERE id = $1 AND state = 'approved'",
    );
    static BY_ID = select_payout!("WHERE id = $1");
    static OF_VENDOR = select_payout!("WHERE vendor_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
    static ALL_OF_THEM = select_payout!("WHERE id < $1 ORDER BY id DESC LIMIT $2");
    static OPEN =
        select_payout!("WHERE state IN ('asked', 'approved') AND id < $1 ORDER BY id DESC LIMIT $2");
    static OPEN_COUNT = Sql::new("SELECT COUNT(*) FROM payouts WHERE state IN ('asked', 'approved')");
}

/// A payout as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPayout {
    /// The payout as it was requested.
    pub payout: Payout,
    /// The steps since then, in their order. Only the last has its note.
    pub steps: Vec<PayoutStep>,
}

impl StoredPayout {
    #[must_use]
    pub fn state(&self) -> PayoutState {
        self.steps.last().map_or(PayoutState::Asked, |step| step.state)
    }
}

/// A filter of payouts.
#[derive(Debug, Clone, Copy, Default)]
pub struct PayoutFilter {
    /// Only payouts of this vendor, in any state.
    pub vendor: Option<VendorId>,
    /// For all vendors: also payouts that have ended.
    pub ended: bool,
    /// Keyset cursor: only payouts older than this one.
    pub before: Option<PayoutId>,
}

impl Ledger<'_> {
    pub async fn payout(&self, id: PayoutId) -> Result<Option<StoredPayout>, StoreError> {
        let rows = self.payments.engine.read(&BY_ID, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    pub async fn payouts(&self, filter: &PayoutFilter, limit: u32) -> Result<Vec<StoredPayout>, StoreError> {
        let before = filter.before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let mut params: Vec<Value> = vec![before.into(), i64::from(limit).into()];
        let sql = match filter.vendor {
            Some(vendor) => {
                params.insert(0, vendor.as_bytes().into());
                &OF_VENDOR
            }
            None if filter.ended => &ALL_OF_THEM,
            None => &OPEN,
        };
        self.payments.engine.browse(sql, params).await?.into_iter().map(read).collect()
    }

    /// The number of payouts that wait for the operator.
    pub async fn open_payouts(&self) -> Result<u64, StoreError> {
        let rows = self.payments.engine.read(&OPEN_COUNT, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}

/// The values of [`ASK`].
pub(crate) fn ask(payout: &Payout) -> Vec<Value> {
    vec![
        payout.id.as_bytes().into(),
        payout.vendor.as_bytes().into(),
        payout.amount.currency.code().into(),
        payout.amount.minor.into(),
        payout.destination.as_str().into(),
        payout.at.into(),
        payout.by.as_str().into(),
    ]
}

/// The statement that takes a step, and its values.
pub(crate) fn step(id: PayoutId, step: &PayoutStep) -> (&'static Sql, Vec<Value>) {
    let sql = if step.state.before() == Some(PayoutState::Approved) { &END } else { &DECIDE };
    let params = vec![
        id.as_bytes().into(),
        step.state.as_str().into(),
        step.at.into(),
        step.by.as_str().into(),
        step.note.as_deref().into(),
    ];
    (sql, params)
}

/// Reads columns in the order of `select_payout!`.
fn read(mut row: Row) -> Result<StoredPayout, StoreError> {
    let (id, vendor) = (PayoutId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let amount = Money { currency: read_currency(&mut row)?, minor: row.int()? };
    let payout = Payout { id, vendor, amount, destination: row.text()?, at: row.time()?, by: row.text()? };
    let (word, note) = (row.text()?, row.opt_text()?);
    let state = PayoutState::parse(&word)
        .ok_or_else(|| StoreError::Corrupt(format!("state of a payout {word:?}")))?;
    let decided = row.opt_time()?.zip(row.opt_text()?);
    let ended = row.opt_time()?.zip(row.opt_text()?);
    let first = if ended.is_some() { PayoutState::Approved } else { state };
    let steps = [(decided, first), (ended, state)].into_iter().filter_map(|(done, state)| {
        let (at, by) = done?;
        Some(PayoutStep { state, at, by, note: None })
    });
    let mut steps: Vec<PayoutStep> = steps.collect();
    if let Some(last) = steps.last_mut() {
        last.note = note;
    }
    Ok(StoredPayout { payout, steps })
}
