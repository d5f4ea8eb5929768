//! The records of the simulated bank. They are not payment data: they stand for the outside world, which is
//! why they are written separately from [`Payments::commit`].

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::Payments,
};
use till_domain::{
    id::{AttemptId, RefundId, SessionId},
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
};

/// A payment at the simulated bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedPayment {
    /// The attempt that it is for.
    pub id: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    pub method: Method,
    pub amount: Money,
    /// When the bank first received it.
    pub opened_at: Timestamp,
    /// The decision about it, and when it was made.
    pub decision: Option<(String, Timestamp)>,
    /// When the shop closed it.
    pub closed_at: Option<Timestamp>,
    /// Rises with every change; the basis of optimistic concurrency.
    pub revision: i64,
}

/// A refund at the simulated bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedRefund {
    /// The shop's id of the refund.
    pub id: RefundId,
    pub payment: AttemptId,
    /// The amount, in minor units.
    pub minor: i64,
    /// The word for the behaviour that the bank simulates.
    pub behaviour: String,
    /// When the bank acted on it, if it did.
    pub acted_at: Option<Timestamp>,
    /// When the bank first received it.
    pub opened_at: Timestamp,
}

statements! {
    static OPEN = Sql::insert_unless(
        "INSERT INTO simulated_payments (id, session_id, method, amount_minor, currency, opened_at, decision, decided_at,
            revision)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1) ON CONFLICT (id) DO NOTHING",
    );
    static ENTRY = Sql::new(
        "SELECT id, session_id, method, amount_minor, currency, opened_at, decision, decided_at, closed_at, revision
         FROM simulated_payments WHERE id = $1",
    );
    static CHANGE = Sql::update(
        "UPDATE simulated_payments SET decision = $3, decided_at = $4, closed_at = $5, revision = revision + 1
         WHERE id = $1 AND revision = $2",
    );
    // The guard (compare-and-set): of two that sum up the refunds at once, one must repeat it.
    static TOUCH =
        Sql::new("UPDATE simulated_payments SET revision = revision + 1 WHERE id = $1 AND revision = $2");
    static WRITE_REFUND = Sql::new(
        "INSERT INTO simulated_refunds (id, payment_id, amount_minor, behaviour, acted_at, opened_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET acted_at = excluded.acted_at",
    );
    static REFUNDS = Sql::new(
        "SELECT id, payment_id, amount_minor, behaviour, acted_at, opened_at FROM simulated_refunds
         WHERE payment_id = $1 ORDER BY id",
    );
}

impl Payments {
    /// Opens a payment unless it is open already, and returns it as it is stored.
    pub async fn open_simulated(&self, payment: &SimulatedPayment) -> Result<SimulatedPayment, StoreError> {
        let (decision, decided_at) = decision(payment);
        let params = vec![
            payment.id.as_bytes().into(),
            payment.session.as_bytes().into(),
            payment.method.as_str().into(),
            payment.amount.minor.into(),
            payment.amount.currency.code().into(),
            payment.opened_at.into(),
            decision,
            decided_at,
        ];
        self.engine.write(vec![Statement { sql: &OPEN, params, guarded: false }]).await?;
        let entry = self.simulated(payment.id).await?;
        entry.ok_or_else(|| StoreError::Corrupt("a simulated payment disappeared".to_owned()))
    }

    pub async fn simulated(&self, id: AttemptId) -> Result<Option<SimulatedPayment>, StoreError> {
        let rows = self.engine.read(&ENTRY, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read).transpose()
    }

    /// Changes a payment. False if it has changed since it was read.
    pub async fn change_simulated(&self, payment: &SimulatedPayment) -> Result<bool, StoreError> {
        let (decision, decided_at) = decision(payment);
        let params = vec![
            payment.id.as_bytes().into(),
            payment.revision.into(),
            decision,
            decided_at,
            payment.closed_at.into(),
        ];
        let written = self.engine.write(vec![Statement { sql: &CHANGE, params, guarded: true }]).await?;
        Ok(written == WriteOutcome::Done)
    }

    /// The refunds of a payment at the simulated bank.
    pub async fn simulated_refunds(&self, payment: AttemptId) -> Result<Vec<SimulatedRefund>, StoreError> {
        let rows = self.engine.read(&REFUNDS, vec![payment.as_bytes().into()]).await?;
        rows.into_iter().map(read_refund).collect()
    }

    /// Stores a refund. False if its payment has changed since it was read.
    pub async fn write_simulated_refund(
        &self,
        payment: &SimulatedPayment,
        refund: &SimulatedRefund,
    ) -> Result<bool, StoreError> {
        let touch = vec![payment.id.as_bytes().into(), payment.revision.into()];
        let params = vec![
            refund.id.as_bytes().into(),
            refund.payment.as_bytes().into(),
            refund.minor.into(),
            refund.behaviour.as_str().into(),
            refund.acted_at.into(),
            refund.opened_at.into(),
        ];
        let unit = vec![
            Statement { sql: &TOUCH, params: touch, guarded: true },
            Statement { sql: &WRITE_REFUND, params, guarded: false },
        ];
        Ok(self.engine.write(unit).await? == WriteOutcome::Done)
    }
}

fn read_refund(mut row: Row) -> Result<SimulatedRefund, StoreError> {
    Ok(SimulatedRefund {
        id: RefundId::from_bytes(row.array()?),
        payment: AttemptId::from_bytes(row.array()?),
        minor: row.int()?,
        behaviour: row.text()?,
        acted_at: row.opt_time()?,
        opened_at: row.time()?,
    })
}

fn decision(payment: &SimulatedPayment) -> (Value, Value) {
    let decision = payment.decision.as_ref();
    (decision.map(|(word, _)| word.as_str()).into(), decision.map(|(_, at)| *at).into())
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(format!("a simulated payment's {what}"))
}

fn read(mut row: Row) -> Result<SimulatedPayment, StoreError> {
    let (id, session) = (AttemptId::from_bytes(row.array()?), SessionId::from_bytes(row.array()?));
    let method = Method::parse(&row.text()?).ok_or_else(|| corrupt("method"))?;
    let (minor, currency) = (row.int()?, row.text()?);
    let currency = Currency::from_stored(&currency).ok_or_else(|| corrupt("currency"))?;
    let opened_at = row.time()?;
    let decision = row.opt_text()?.zip(row.opt_time()?);
    let (closed_at, revision) = (row.opt_time()?, row.int()?);
    let amount = Money { minor, currency };
    Ok(SimulatedPayment { id, session, method, amount, opened_at, decision, closed_at, revision })
}
