//! Cards and SBP by T-Bank (internet acquiring, API v2). Not yet run against the real service:
//! `docs/providers/tbank.md` says what to try.
//!
//! The life of a payment there ends with the session (`RedirectDueDate`), and before that it can be cancelled. A
//! card payment is held first and confirmed only while its attempt is active; SBP cannot hold money. [`api`]
//! makes the calls, [`token`] signs them, [`outcome`] and [`codes`] interpret the answers, [`start`] copes with
//! a start that has no idempotency key, [`refunds`] makes refunds, [`receipt`] and [`receipts`] have the fiscal
//! receipts of the till behind the terminal, if there is one ([`till`]).

mod api;
mod codes;
mod notice;
mod outcome;
mod probe;
mod receipt;
mod receipts;
mod records;
mod refunds;
mod setup;
mod shapes;
mod start;
mod till;
mod token;

pub use notice::{NETWORKS, is_own_address};
pub use probe::TerminalProbe;
pub use setup::{FIELDS, TbankSetup};
pub use till::{Ffd, Registration, TillSetup};

use crate::{
    Books, Notice, NoticeSubject, Order, Proof, Provider, ProviderError, Receipts, Refunds, web::Web,
};
use api::{Api, CallFailure};
use codes::CodeKind;
use futures_util::future::BoxFuture;
use outcome::PaymentStatus;
use serde_json::{Map, Value, json};
use shapes::{Cancelled, OrderPayments, PaymentState, is_id};
use std::{fmt, net::IpAddr, sync::Arc, time::Duration};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    method::Method,
    money::Money,
    rules::Offering,
    time::Timestamp,
};

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The provider for one terminal at T-Bank.
pub struct Tbank {
    setup: TbankSetup,
    api: Api,
    clock: Clock,
}

impl fmt::Debug for Tbank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tbank").field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl Tbank {
    /// Its name in settings, logs and addresses.
    pub const NAME: &str = "tbank";

    /// A provider for the terminal in this setup; an error if its file of root certificates cannot be used. The
    /// time that is left for a payment is judged by this clock.
    pub fn new(setup: TbankSetup, web: Web, clock: Clock) -> Result<Self, String> {
        let web = match &setup.ca_file {
            Some(file) => web.also_trusting(file)?,
            None => web,
        };
        Ok(Self { api: Api::new(&setup, web), setup, clock })
    }

    /// The same with a shorter timeout of calls, for tests.
    #[must_use]
    pub fn hurried(self, within: Duration) -> Self {
        Self { api: self.api.hurried(within), ..self }
    }

    /// The payment of an attempt; `None` if there is none.
    async fn find(&self, attempt: &Attempt) -> Result<Option<PaymentState>, ProviderError> {
        let state = match &attempt.reference {
            Some(reference) => self.state(reference).await?,
            None => match self.search(attempt).await? {
                Some(found) => self.state(&found.payment_id).await?,
                None => return Ok(None),
            },
        };
        if state.order_id == order_of(attempt) {
            return Ok(Some(state));
        }
        Err(ProviderError::Unclear("T-Bank's payment does not belong to this attempt".to_owned()))
    }

    /// The state of a payment (`GetState`).
    async fn state(&self, reference: &str) -> Result<PaymentState, ProviderError> {
        let found: Result<PaymentState, CallFailure> = self.api.call("GetState", payment(reference)?).await;
        let found = found.map_err(CallFailure::unknown)?;
        if found.payment_id == reference {
            return Ok(found);
        }
        Err(ProviderError::Unclear("T-Bank responded for another payment".to_owned()))
    }

    /// Searches for the payment of an attempt whose start was never answered (`CheckOrder`). Of several, one
    /// with money counts: the customer got a link to none.
    async fn search(&self, attempt: &Attempt) -> Result<Option<PaymentState>, ProviderError> {
        let members = object(json!({ "OrderId": order_of(attempt) }));
        let found: OrderPayments = match self.api.call("CheckOrder", members).await {
            Ok(found) => found,
            Err(trouble) if trouble.is(CodeKind::NotFound) => return Ok(None),
            Err(trouble) => return Err(trouble.unknown()),
        };
        let mut all = found.payments;
        all.retain(|payment| is_id(&payment.payment_id));
        all.sort_by_key(|payment| weight(PaymentStatus::parse(&payment.status)));
        Ok(all.into_iter().next().map(|payment| PaymentState { order_id: order_of(attempt), ..payment }))
    }

    /// Confirms held money. A repeated confirmation is refused, so the state is read again.
    async fn take(&self, held: &PaymentState, attempt: &Attempt) -> Result<Observation, ProviderError> {
        if held.amount.and_then(outcome::roubles).as_ref() != Some(&attempt.charge) {
            return Err(ProviderError::Unclear("T-Bank holds a different amount than requested".to_owned()));
        }
        let mut members = payment(&held.payment_id)?;
        members.insert("Amount".to_owned(), json!(held.amount));
        let taken: Result<Cancelled, CallFailure> = self.api.call("Confirm", members).await;
        match taken {
            Ok(taken) if taken.payment_id == held.payment_id => {
                outcome::observe(&PaymentState { status: taken.status, ..held.clone() }, attempt)
            }
            // It was not done. Whether it can be done later depends on the terminal, not on the payment.
            Err(trouble @ CallFailure::Limited { .. }) => Err(trouble.unknown()),
            Err(trouble) if trouble.is(CodeKind::Account) => Err(trouble.unknown()),
            Err(CallFailure::Refused { .. }) => {
                outcome::observe(&self.state(&held.payment_id).await?, attempt)
            }
            // The money is held, or confirmed already: the payment is in flight until that is known.
            other => {
                let trouble = other.err().map(|trouble| trouble.to_string()).unwrap_or_default();
                tracing::warn!(attempt.id = %attempt.id, "could not confirm the payment that T-Bank holds: {trouble}");
                Ok(Observation::InFlight)
            }
        }
    }

    /// Cancels a payment that was not made, or releases what is held for it. T-Bank refunds one that was made
    /// in the same moment, so nothing stays taken either way.
    async fn cancel(&self, open: &PaymentState, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let cancelled: Result<Cancelled, CallFailure> =
            self.api.call("Cancel", payment(&open.payment_id)?).await;
        let status = match cancelled {
            Ok(cancelled) if cancelled.payment_id == open.payment_id => {
                PaymentStatus::parse(&cancelled.status)
            }
            Ok(_) => return Err(ProviderError::Unclear("T-Bank responded for another payment".to_owned())),
            Err(CallFailure::Refused { .. }) => return self.after_refusal(open, attempt).await,
            Err(trouble) => return Err(trouble.unknown()),
        };
        Ok(match status {
            PaymentStatus::Closed | PaymentStatus::GoneBack => Observation::Closed,
            PaymentStatus::Expired => Observation::TimedOut,
            PaymentStatus::Rejected => Observation::Declined(codes::reason(&open.error_code, attempt.method)),
            _ => Observation::InFlight,
        })
    }

    /// The state after a refused cancellation. A payment that is still open is closed by its due date.
    async fn after_refusal(
        &self,
        open: &PaymentState,
        attempt: &Attempt,
    ) -> Result<Observation, ProviderError> {
        let state = self.state(&open.payment_id).await?;
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::Open => Ok(Observation::ClosesAtDeadline),
            _ => outcome::observe(&state, attempt),
        }
    }

    /// A payment whose last try failed is rejected next, as a rule; one that stays so has failed.
    async fn after_failed_try(
        &self,
        failed: &PaymentState,
        attempt: &Attempt,
    ) -> Result<Observation, ProviderError> {
        let state = self.state(&failed.payment_id).await?;
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::TryFailed | PaymentStatus::Rejected => self.decline(state, attempt).await,
            _ => outcome::observe(&state, attempt),
        }
    }

    /// The reason of a decline is in the order, if the payment's state has none.
    async fn decline(
        &self,
        mut state: PaymentState,
        attempt: &Attempt,
    ) -> Result<Observation, ProviderError> {
        if matches!(state.error_code.as_str(), "" | "0") {
            let found = self.search(attempt).await.ok().flatten();
            let same = found.filter(|found| found.payment_id == state.payment_id);
            state.error_code = same.map(|found| found.error_code).unwrap_or_default();
        }
        Ok(outcome::declined(&state, attempt))
    }

    async fn look(&self, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let Some(state) = self.find(attempt).await? else { return Ok(Observation::NeverStarted) };
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::Held if attempt.state.is_active() => self.take(&state, attempt).await,
            // The attempt is no longer active, or what is held is less than ordered.
            PaymentStatus::Held | PaymentStatus::HeldInPart => self.cancel(&state, attempt).await,
            PaymentStatus::TryFailed => self.after_failed_try(&state, attempt).await,
            PaymentStatus::Rejected => self.decline(state, attempt).await,
            _ => outcome::observe(&state, attempt),
        }
    }

    /// Closes a payment that is open. Of a session that waits, one that was authorised in time is taken instead, and
    /// never cancelled while another request may be confirming it: T-Bank would refund what a session was paid with.
    async fn shut(&self, attempt: &Attempt, held: HeldMoney) -> Result<Observation, ProviderError> {
        let Some(state) = self.find(attempt).await? else { return Ok(Observation::NeverStarted) };
        let takes = held == HeldMoney::IsTaken && attempt.state.is_active();
        match PaymentStatus::parse(&state.status) {
            PaymentStatus::Open => self.cancel(&state, attempt).await,
            PaymentStatus::Held if takes => self.take(&state, attempt).await,
            PaymentStatus::Held | PaymentStatus::HeldInPart => self.cancel(&state, attempt).await,
            PaymentStatus::TryFailed => self.after_failed_try(&state, attempt).await,
            PaymentStatus::Rejected => self.decline(state, attempt).await,
            _ => outcome::observe(&state, attempt),
        }
    }
}

/// What happens to held money when its payment is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldMoney {
    IsTaken,
    IsReleased,
}

/// The order of several payments of one order: with money first, then those that may still get some.
fn weight(status: PaymentStatus) -> u8 {
    match status {
        PaymentStatus::Confirmed | PaymentStatus::Held | PaymentStatus::HeldInPart => 0,
        PaymentStatus::InWork | PaymentStatus::GoingBack | PaymentStatus::Other => 1,
        PaymentStatus::Open => 2,
        PaymentStatus::GoneBackInPart | PaymentStatus::GoneBack => 3,
        PaymentStatus::TryFailed
        | PaymentStatus::Rejected
        | PaymentStatus::TooManyTries
        | PaymentStatus::Expired
        | PaymentStatus::Closed => 4,
    }
}

/// The name of an attempt's order at T-Bank.
fn order_of(attempt: &Attempt) -> String {
    attempt.id.to_string()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => unreachable!("every call has an object"),
    }
}

/// The members of a call about a payment. The id is checked, because it came from outside.
fn payment(reference: &str) -> Result<Map<String, Value>, ProviderError> {
    if !is_id(reference) {
        return Err(ProviderError::Unclear("T-Bank has no payment with this id".to_owned()));
    }
    Ok(object(json!({ "PaymentId": reference })))
}

impl Provider for Tbank {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        self.setup.offerings()
    }

    fn takes(&self, method: Method, money: Money) -> bool {
        self.fits(method, money).is_ok()
    }

    fn least_time(&self) -> Duration {
        start::LEAST_TIME
    }

    fn notifies_of_every_change(&self) -> bool {
        true
    }

    fn requests_per_second(&self) -> Option<u32> {
        Some(self.setup.requests_per_second)
    }

    fn is_simulated(&self) -> bool {
        self.setup.is_test()
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(self.begin(order, None))
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.look(attempt))
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.shut(attempt, HeldMoney::IsTaken))
    }

    fn release<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.shut(attempt, HeldMoney::IsReleased))
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn receipts(&self) -> Option<&dyn Receipts> {
        self.setup.till.is_some().then_some(self)
    }

    fn books(&self) -> Option<&dyn Books> {
        Some(self)
    }

    fn proof(&self) -> Proof {
        Proof::Body
    }

    fn acknowledgement(&self) -> Option<&'static str> {
        Some("OK")
    }

    fn sends_from(&self, address: IpAddr) -> bool {
        is_own_address(address)
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        notice::read(notice, &self.setup)
    }
}
