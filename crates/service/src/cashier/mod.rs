//! Takes a session's money: begins attempts, calls providers, and commits the results.
//!
//! The intent is committed before the provider is called, and no database transaction is open during a call.
//! `till-domain` decides what an answer means. Of two concurrent answers the first commit counts; the other
//! is lost, because the attempt's version has changed (optimistic concurrency).

pub mod activity;
mod book;
mod breaker;
mod calls;
mod chains;
mod checks;
mod crossing;
mod due;
mod expire;
pub mod findings;
mod fiscal;
mod incidents;
mod journal;
pub mod notices;
mod pacer;
mod provider_handle;
mod refund_stage;
mod refunds;
mod repeat;
mod sealing;

pub use book::StoreBook;
pub use calls::{Health, Tally};
pub use chains::StoreChainBook;
pub use expire::ExpireRefusal;
pub use incidents::NoticeError;
pub use pacer::Limited;
pub use provider_handle::{ProviderHandle, Readiness};
pub use refund_stage::RefundStage;
pub(crate) use sealing::form_place;

use self::checks::Look;
use crate::{
    environment::{Environment, Retries},
    limits::TooMany,
    random,
    telemetry::Complaints,
};
use std::{
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use till_domain::{
    attempt::{self, Attempt, AttemptState, AttemptStep, Beginning, Observation},
    change::Guard,
    defect::Defect,
    id::SessionId,
    method::Method,
    rejection::Rejection,
    rules::Offering,
    session::{self, Session, State},
};
use till_providers::{Provider, ProviderError};
use till_store::{Committed, FailPoint, StoreError};

/// The least time between two checks that a customer causes.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Takes the money of one environment's sessions.
#[derive(Debug)]
pub struct Cashier {
    environment: Arc<Environment>,
    handles: RwLock<Arc<[ProviderHandle]>>,
    complaints: Complaints,
    /// The shared state of all providers that are not set up here.
    strangers: Arc<provider_handle::ProviderRecord>,
    /// True if limits and pauses follow the environment's clock, which a test moves.
    by_clock: bool,
}

/// A customer's choice on the checkout page.
#[derive(Debug, Clone)]
pub struct PaymentChoice {
    pub method: Method,
    /// The chosen option, where the provider offers several.
    pub choice: Option<String>,
    /// The mail address for a receipt.
    pub email: Option<String>,
    /// The language of the page.
    pub language: &'static str,
    /// The source address of the customer's request.
    pub address: IpAddr,
}

/// The reason why a payment was not begun.
#[derive(Debug, thiserror::Error)]
pub enum PaymentRefusal {
    /// The session or the method does not allow it.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// No provider takes this method right now.
    #[error("no provider accepts {0} right now")]
    Down(Method),
    /// A payment by this method is being started, and its provider has not answered yet.
    #[error("the provider for {0} has not responded yet")]
    Silent(Method),
    /// The fiscal receipt has no e-mail address to which it can be sent.
    #[error("the fiscal receipt needs the customer's e-mail address")]
    EmailNeeded,
    /// No till sends a fiscal receipt to such a long address.
    #[error("the customer's e-mail address is too long for a fiscal receipt")]
    EmailTooLong,
    /// Another session has paid the same order.
    #[error("the order is already paid")]
    AlreadyPaid,
    /// Too many payments were begun.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The provider refused to start it; nothing was charged.
    #[error("the provider did not start the payment")]
    NotStarted(Method),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Cashier {
    /// A cashier with these providers, in the operator's order.
    pub fn new(environment: Arc<Environment>, providers: Vec<Arc<dyn Provider>>) -> Arc<Self> {
        Self::timed(environment, providers, false)
    }

    /// The same for a test that moves the clock: limits and pauses follow it, too.
    pub fn by_clock(environment: Arc<Environment>, providers: Vec<Arc<dyn Provider>>) -> Arc<Self> {
        Self::timed(environment, providers, true)
    }

    fn timed(environment: Arc<Environment>, providers: Vec<Arc<dyn Provider>>, by_clock: bool) -> Arc<Self> {
        let (handles, strangers) = (RwLock::new(Arc::from([])), Arc::default());
        let complaints = Complaints::new();
        let cashier = Self { environment, handles, complaints, strangers, by_clock };
        cashier.replace(providers, Vec::new());
        Arc::new(cashier)
    }

    /// The time for limits, pauses and the health of providers: it never jumps.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        if self.by_clock {
            return Duration::from_millis(u64::try_from(self.environment.now().as_ms()).unwrap_or(0));
        }
        self.environment.uptime()
    }

    /// Replaces the providers, in this order. Withdrawn ones are not offered to customers, but still asked
    /// about earlier payments; so is every present provider that is in neither list.
    pub fn replace(&self, offered: Vec<Arc<dyn Provider>>, withdrawn: Vec<Arc<dyn Provider>>) {
        let mut handles = self.handles.write().unwrap_or_else(PoisonError::into_inner);
        let named = |name: &str| offered.iter().chain(&withdrawn).any(|provider| provider.name() == name);
        let left = handles.iter().filter(|handle| !named(handle.provider.name()));
        let left = left.map(|handle| Arc::clone(&handle.provider));
        let withdrawn = withdrawn.iter().cloned().chain(left).map(|provider| (provider, false));
        let all = offered.iter().cloned().map(|provider| (provider, true)).chain(withdrawn);
        let all: Arc<[ProviderHandle]> =
            all.map(|(provider, offered)| ProviderHandle::new(provider, offered, &handles)).collect();
        let offerings =
            all.iter().filter(|handle| handle.offered).flat_map(|handle| handle.provider.methods());
        let refunding = all.iter().filter(|handle| handle.provider.refunds().is_some());
        let refunding = refunding.map(|handle| handle.provider.name()).collect();
        let tills = all.iter().filter(|handle| handle.provider.receipts().is_some());
        let tills: Vec<_> = tills.map(|handle| handle.provider.name()).collect();
        let offerings = offerings.collect();
        self.environment
            .store
            .change_rules(|rules| rules.clone().with_providers(offerings, refunding).with_tills(tills));
        *handles = all;
    }

    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// The handles of the providers, in the operator's order.
    #[must_use]
    pub fn handles(&self) -> Arc<[ProviderHandle]> {
        Arc::clone(&self.handles.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The handle of a provider, offered or not.
    pub(super) fn handle_of(&self, provider: &str) -> Option<ProviderHandle> {
        self.handles().iter().find(|handle| handle.provider.name() == provider).cloned()
    }

    /// The state of a provider, set up here or not.
    fn known(&self, provider: &str) -> Arc<provider_handle::ProviderRecord> {
        self.handle_of(provider)
            .map_or_else(|| Arc::clone(&self.strangers), |handle| Arc::clone(handle.known()))
    }

    /// True if a call of a worker to a provider is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.handles().iter().any(|handle| handle.under_way() > 0)
    }

    /// Returns true if a provider is offered that moves no real money.
    #[must_use]
    pub fn plays(&self) -> bool {
        self.handles().iter().any(|handle| handle.offered && handle.provider.is_simulated())
    }

    /// The names of the providers, in the operator's order.
    #[must_use]
    pub fn providers(&self) -> Vec<&'static str> {
        self.handles().iter().map(|handle| handle.provider.name()).collect()
    }

    /// The script that puts a provider's own form into our page, if it has one.
    #[must_use]
    pub fn element(&self, provider: &str) -> Option<&'static str> {
        self.handle_of(provider)?.provider.element()
    }

    /// The handle for a session's money and this method: the first in the operator's order that can take it
    /// right now, otherwise the first that serves the method.
    #[must_use]
    pub fn handle(&self, session: &Session, method: Method) -> Option<ProviderHandle> {
        let money = session.item.price.money();
        let serves = |handle: &&ProviderHandle| {
            let serves = |o: &Offering| o.method == method && o.currencies.take(money.currency);
            handle.offered && handle.provider.methods().iter().any(serves)
        };
        let ready = |handle: &&ProviderHandle| self.can_take(handle, session, method);
        let handles = self.handles();
        let found = handles.iter().filter(serves).find(ready).or_else(|| handles.iter().find(serves));
        found.cloned()
    }

    /// Whether a provider could take a session's money by this method right now.
    #[must_use]
    pub fn can_take(&self, handle: &ProviderHandle, session: &Session, method: Method) -> bool {
        let now = self.environment.now();
        let chosen = session::choose_method(session, method, &self.environment.rules(), now);
        let left = chosen.map_or(Duration::ZERO, |(chosen, _)| chosen.deadline().since(now));
        handle.can_take(method, session.item.price.money(), left, self.uptime())
    }

    /// Begins an attempt to take a session's money, unless the same one is under way. An attempt by another
    /// method is closed first, but only if the new one can begin.
    pub async fn pay(&self, id: SessionId, payment_choice: &PaymentChoice) -> Result<(), PaymentRefusal> {
        self.environment.store.hold.check()?;
        let (mut counted, mut retries) = (false, Retries::with_provider_calls());
        loop {
            let Some(session) = self.environment.page_session(id).await? else {
                return Err(Rejection::SessionNotFound.into());
            };
            if session.state != State::Pending {
                return Err(Rejection::SessionNotPending.into());
            }
            // Also for a page that was opened before the order was paid in another session.
            if self.earlier_payment(&session).await?.is_some() {
                return Err(PaymentRefusal::AlreadyPaid);
            }
            let attempts = self.environment.store.attempts_of(id).await?;
            // The money is on its way by a transfer: the page shows that instead of another form.
            if attempts.iter().any(Attempt::holds_though_left) {
                return Ok(());
            }
            let active = attempts.iter().find(|attempt| attempt.state.is_active());
            if active.is_some_and(|active| {
                active.method == payment_choice.method && active.choice == payment_choice.choice
            }) {
                return Ok(());
            }
            let handle = self.check_choice(&session, payment_choice)?;
            if attempts.len() >= self.environment.limits.attempts_session {
                return Err(TooMany::OfSession.into());
            }
            if !std::mem::replace(&mut counted, true) {
                self.environment.limits.count_attempt(
                    session.vendor,
                    payment_choice.address,
                    self.environment.uptime(),
                )?;
            }
            if let Some(active) = active.cloned() {
                self.end_other(active).await?;
            } else if self.begin(&session, &handle, payment_choice).await? {
                return Ok(());
            }
            retries.lost()?;
        }
    }

    /// Ends an attempt because the customer wants to pay another way.
    async fn end_other(&self, active: Attempt) -> Result<(), PaymentRefusal> {
        let method = active.method;
        if active.state != AttemptState::Intended {
            self.look(active, Look::Step(AttemptStep::Close), None).await?;
        } else if !self.leave_or_start(active).await? {
            return Err(PaymentRefusal::Silent(method));
        }
        Ok(())
    }

    /// Leaves an attempt whose start was never answered, or starts it: a payment that another request may be starting
    /// can only be closed once it is started. `false` if the provider does not answer.
    async fn leave_or_start(&self, intended: Attempt) -> Result<bool, StoreError> {
        if self.leave(&intended).await? {
            return Ok(true);
        }
        let looked = self.look(intended, Look::Step(AttemptStep::Start), None).await?;
        match looked.filter(|looked| looked.state == AttemptState::Intended) {
            Some(unanswered) => self.leave(&unanswered).await,
            None => Ok(true),
        }
    }

    /// The handle that takes the money, if the customer's choice is possible.
    fn check_choice(
        &self,
        session: &Session,
        payment_choice: &PaymentChoice,
    ) -> Result<ProviderHandle, PaymentRefusal> {
        session::choose_method(
            session,
            payment_choice.method,
            &self.environment.rules(),
            self.environment.now(),
        )?;
        let handle = self.handle(session, payment_choice.method).ok_or(Rejection::MethodNotOffered)?;
        let money = session.item.price.money();
        if !self.can_take(&handle, session, payment_choice.method) {
            return Err(PaymentRefusal::Down(payment_choice.method));
        }
        let choices = handle.provider.choices(payment_choice.method, money.currency);
        let chosen = choices.iter().any(|choice| payment_choice.choice.as_ref() == Some(&choice.value));
        let nothing_to_choose = choices.is_empty() && payment_choice.choice.is_none();
        if !(chosen || nothing_to_choose) {
            return Err(Rejection::MethodNotOffered.into());
        }
        Self::check_contact(session, &handle, payment_choice.email.as_deref())?;
        Ok(handle)
    }

    /// Commits the intent and asks the provider to start. `false` if another request was faster.
    async fn begin(
        &self,
        session: &Session,
        handle: &ProviderHandle,
        payment_choice: &PaymentChoice,
    ) -> Result<bool, PaymentRefusal> {
        let now = self.environment.now();
        let beginning = Beginning {
            session,
            method: payment_choice.method,
            provider: handle.provider.name(),
            choice: payment_choice.choice.clone(),
            email: payment_choice.email.clone(),
            language: Some(payment_choice.language.to_owned()),
            id: random::id_for(now, &[session.id.as_bytes()]),
        };
        let (_, attempt, changes) = attempt::begin(beginning, &self.environment.rules(), now)?;
        match self.environment.commit(&changes).await? {
            Committed::Done => FailPoint::AttemptIntended.reach(),
            Committed::Lost(Guard::AttemptActive | Guard::NotPending) => return Ok(false),
            Committed::Lost(guard) => unreachable!("nothing else guards a beginning: {guard:?}"),
        }
        let looked = self.look(attempt, Look::Step(AttemptStep::Start), None).await?;
        if looked.is_some_and(|a| a.state == AttemptState::Closed && a.reference.is_none()) {
            return Err(PaymentRefusal::NotStarted(payment_choice.method));
        }
        Ok(true)
    }

    /// Checks a session's active attempt now, or the transfer that it waits for, at the customer's request.
    pub async fn check_now(&self, id: SessionId) -> Result<(), StoreError> {
        self.environment.store.hold.check()?;
        let now = self.environment.now();
        let attempts = self.environment.store.attempts_of(id).await?;
        let current = attempts.iter().find(|attempt| attempt.holds_though_left());
        let current = current.or_else(|| attempts.iter().find(|attempt| attempt.state.is_active()));
        let checked_just_now = |attempt: &&Attempt| now.since(attempt.updated_at) < ASK_AGAIN_AFTER;
        if let Some(current) = current.filter(|attempt| !checked_just_now(attempt)) {
            self.look(current.clone(), Look::Due, None).await?;
        }
        Ok(())
    }

    /// Logs a provider's error, and returns the observation that follows from it, if any.
    fn judge(&self, attempt: &Attempt, error: &ProviderError) -> Option<Observation> {
        let provider = &attempt.provider;
        if self.complaints.tell(&error.to_string(), std::time::Instant::now()).is_some() {
            let environment = self.environment.name;
            let what = match error {
                ProviderError::Definite(_) | ProviderError::Denied(_) => "refused a payment",
                _ => "did not respond",
            };
            tracing::warn!(%environment, attempt.id = %attempt.id, %error, "{provider} {what}");
        }
        match error {
            ProviderError::Definite(_) | ProviderError::Denied(_) => Some(Observation::NeverStarted),
            _ if Defect::UnansweredStartCountsAsRefused.is_planted() => Some(Observation::NeverStarted),
            ProviderError::Unknown(_) | ProviderError::Unclear(_) | ProviderError::RateLimited { .. } => None,
        }
    }
}
