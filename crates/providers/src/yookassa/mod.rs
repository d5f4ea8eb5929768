//! Cards and SBP by YooKassa (API v3). Not yet run against the real service: `docs/providers/yookassa.md`
//! says what to try.
//!
//! A card payment is authorised first (the funds are held) and captured only while its attempt is active. SBP
//! cannot hold funds, and a payment that the customer has not made yet cannot be closed: it is watched until
//! YooKassa cancels it after an hour. [`api`] makes the calls, [`outcome`] interprets the answers,
//! [`refunds`] makes refunds, [`receipts`] hands fiscal receipts to the shop's till.

mod api;
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

pub use notice::{NETWORKS, is_own_address};
pub use probe::Probe;
pub use setup::{EVENTS, FIELDS, YookassaSetup};

use crate::{
    Books, Notice, NoticeSubject, Order, Proof, Provider, ProviderError, Receipts, Refunds, web::Web,
};
use api::{Api, CallFailure, path};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use shapes::{Payment, PaymentStatus, word};
use std::{net::IpAddr, time::Duration};
use till_domain::{
    attempt::{Attempt, Observation, Started},
    method::Method,
    money::{Currency, Money},
    rules::{Currencies, Offering},
};

/// Margin around the time of an attempt's start within which its payment is searched: clocks differ, and a
/// call takes a while.
const MARGIN: Duration = Duration::from_secs(2 * 60);

/// Pages of a hundred payments to search.
const PAGES: usize = 20;

/// The provider for one shop at YooKassa.
#[derive(Debug)]
pub struct Yookassa {
    setup: YookassaSetup,
    api: Api,
}

impl Yookassa {
    /// Its name in settings, logs and addresses.
    pub const NAME: &str = "yookassa";

    /// A provider for the shop in this setup.
    #[must_use]
    pub fn new(setup: YookassaSetup, web: Web) -> Self {
        Self { api: Api::new(&setup, web), setup }
    }

    /// The same with shorter times, for tests: the timeout of a call, and the pause before a request that is
    /// still being processed is repeated.
    #[must_use]
    pub fn hurried(self, within: Duration, pause: Duration) -> Self {
        Self { api: self.api.hurried(within, pause), ..self }
    }

    /// The payment of an attempt; `None` if there is none.
    async fn find(&self, attempt: &Attempt) -> Result<Option<Payment>, ProviderError> {
        let found = match &attempt.reference {
            Some(reference) => Some(self.fetch(reference).await?),
            None => self.search(attempt).await?,
        };
        found.map(|payment| self.own(payment, attempt)).transpose()
    }

    async fn fetch(&self, reference: &str) -> Result<Payment, ProviderError> {
        let fetched: Result<Payment, CallFailure> = self.api.get(&path("payments", reference, "")?).await;
        let payment = fetched.map_err(|trouble| match trouble {
            // Such as a payment of another shop: YooKassa itself works.
            CallFailure::Refused(text) => ProviderError::Unclear(text),
            other => other.unknown(),
        })?;
        if payment.id != reference {
            return Err(ProviderError::Unclear("YooKassa responded for another payment".to_owned()));
        }
        Ok(payment)
    }

    /// Searches for the payment of an attempt whose start was never answered.
    async fn search(&self, attempt: &Attempt) -> Result<Option<Payment>, ProviderError> {
        // Each start without an answer has updated the attempt.
        let (from, to) = (attempt.started_at.minus(MARGIN), attempt.updated_at.plus(MARGIN));
        let (from, to, id) = (from.to_string(), to.to_string(), attempt.id.to_string());
        let filters = [("created_at.gte", from.as_str()), ("created_at.lte", to.as_str())];
        let ours = |thing: &Value| word(thing, "attempt") == Some(id.as_str());
        let found =
            self.api.search("/payments", &filters, PAGES, ours).await.map_err(CallFailure::unknown)?;
        let read = |thing: Value| {
            let unclear = |_| ProviderError::Unknown("YooKassa's payment is invalid".to_owned());
            serde_json::from_value::<Payment>(thing).map_err(unclear)
        };
        let mut all = found.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        // There can be two where a QR code was refused first. The customer got a link to neither; one with
        // money counts.
        all.sort_by_key(|payment| !payment.paid);
        Ok(all.into_iter().next())
    }

    /// The payment, if it belongs to this attempt, so that nothing is captured or released by mistake.
    fn own(&self, payment: Payment, attempt: &Attempt) -> Result<Payment, ProviderError> {
        let of = payment.metadata.get("attempt").and_then(Value::as_str);
        if of != Some(attempt.id.to_string().as_str()) {
            return Err(ProviderError::Unclear(
                "YooKassa's payment does not belong to this attempt".to_owned(),
            ));
        }
        if payment.test && !self.setup.is_test() {
            return Err(ProviderError::Unclear("YooKassa marks this payment as a test".to_owned()));
        }
        Ok(payment)
    }

    /// Captures held funds. Of this and a cancellation at the same moment YooKassa lets one through.
    async fn take(&self, payment: &Payment, attempt: &Attempt) -> Result<Observation, ProviderError> {
        if payment.amount.quantity().as_ref() != Some(&attempt.charge) {
            return Err(ProviderError::Unclear(
                "YooKassa holds a different amount than requested".to_owned(),
            ));
        }
        let body = json!({ "amount": { "value": digits(attempt), "currency": attempt.charge.unit } });
        match self.act(payment, attempt, "capture", &body).await {
            Ok(taken) => outcome::observe(&taken, attempt.method),
            Err(CallFailure::Refused(text)) => self.after_refusal(payment, attempt, text).await,
            // The funds are held, or captured already: the payment is in flight until that is known.
            Err(trouble) => {
                tracing::warn!(attempt.id = %attempt.id, "could not capture the payment that YooKassa holds: \
                    {trouble}");
                Ok(Observation::InFlight)
            }
        }
    }

    /// Cancels an authorised payment, which releases the held funds.
    async fn let_go(&self, payment: &Payment, attempt: &Attempt) -> Result<Observation, ProviderError> {
        match self.act(payment, attempt, "cancel", &Value::Null).await {
            Ok(ended) => outcome::observe(&ended, attempt.method),
            Err(CallFailure::Refused(text)) => self.after_refusal(payment, attempt, text).await,
            Err(trouble) => Err(trouble.unknown()),
        }
    }

    async fn act(
        &self,
        payment: &Payment,
        attempt: &Attempt,
        what: &str,
        body: &Value,
    ) -> Result<Payment, CallFailure> {
        // A refusal is kept under its idempotency key for a day, so each check has its own key. It cannot
        // happen twice: only held funds can be captured or released.
        let key = format!("{}-{what}-{}", attempt.id, attempt.version);
        let acted: Payment =
            self.api.post(&path("payments", &payment.id, &format!("/{what}"))?, &key, body).await?;
        let same = acted.id == payment.id;
        if same {
            Ok(acted)
        } else {
            Err(CallFailure::Unknown("YooKassa responded for another payment".to_owned()))
        }
    }

    /// The state after a refused capture or cancellation: another request was quicker.
    async fn after_refusal(
        &self,
        payment: &Payment,
        attempt: &Attempt,
        text: String,
    ) -> Result<Observation, ProviderError> {
        let payment = self.own(self.fetch(&payment.id).await?, attempt)?;
        if payment.status == PaymentStatus::WaitingForCapture {
            return Err(ProviderError::Unknown(text));
        }
        outcome::observe(&payment, attempt.method)
    }

    async fn look(&self, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let Some(payment) = self.find(attempt).await? else { return Ok(Observation::NeverStarted) };
        match payment.status {
            PaymentStatus::WaitingForCapture if attempt.state.is_active() => {
                self.take(&payment, attempt).await
            }
            // The attempt is no longer active.
            PaymentStatus::WaitingForCapture => self.let_go(&payment, attempt).await,
            _ => outcome::observe(&payment, attempt.method),
        }
    }

    async fn shut(&self, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let Some(payment) = self.find(attempt).await? else { return Ok(Observation::NeverStarted) };
        match payment.status {
            PaymentStatus::Pending => Ok(Observation::CannotBeClosed),
            PaymentStatus::WaitingForCapture => self.let_go(&payment, attempt).await,
            _ => outcome::observe(&payment, attempt.method),
        }
    }
}

/// The charge, with all decimal places of the currency.
fn digits(attempt: &Attempt) -> String {
    let places = usize::from(attempt.charge.decimals);
    let digits = format!("{:0width$}", attempt.charge.atoms, width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction}")
}

impl Provider for Yookassa {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        let roubles = || Currency::parse("RUB").into_iter().collect();
        let currencies =
            |method| if method == Method::Sbp { roubles() } else { self.setup.currencies.clone() };
        let offering = |method| Offering { method, currencies: Currencies::Only(currencies(method)) };
        self.setup.methods.iter().copied().map(offering).collect()
    }

    fn takes(&self, method: Method, money: Money) -> bool {
        self.fits(method, money).is_ok()
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
        Box::pin(self.shut(attempt))
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn receipts(&self) -> Option<&dyn Receipts> {
        Some(self)
    }

    fn books(&self) -> Option<&dyn Books> {
        Some(self)
    }

    fn proof(&self) -> Proof {
        Proof::Address
    }

    fn sends_from(&self, address: IpAddr) -> bool {
        is_own_address(address)
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        notice::read(notice, &self.setup.notice_token)
    }
}
