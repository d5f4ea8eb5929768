//! The worker for refunds: one call to the provider of a refund that is due, and the commit of the result.

use super::{
    Cashier, ProviderHandle,
    checks::ANSWER_WITHIN,
    due::{MAX_PAUSE, MIN_PAUSE},
    pacer::Priority,
    provider_handle::{Call, finish_call},
};
use crate::{
    cashier::RefundStage,
    environment::Retries,
    random,
    telemetry::{explain, report_unreadable},
    traces::{SpanKind, TraceSpan},
};
use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    change::Guard,
    defect::Defect,
    fiscal::FiscalReceipt,
    id::RefundId,
    refund::{self, Refund, RefundFacts, RefundSeen, RefundState, RefundStep},
};
use till_providers::{ProviderError, Receipts, Refunds, web};
use till_store::{Committed, FailPoint, StoreError};
use tokio::sync::OwnedSemaphorePermit;

/// Refunds of one provider that are claimed at once.
const AT_ONCE: usize = 32;

impl Cashier {
    /// The providers that send money back without an operator.
    pub fn send_back_by_themselves(&self) -> Vec<&'static str> {
        let alone = |handle: &&ProviderHandle| {
            handle.provider.refunds().is_some_and(|refunds| !refunds.needs_a_person())
        };
        self.handles().iter().filter(alone).map(|handle| handle.provider.name()).collect()
    }

    /// Processes the refunds that are due, provider by provider, and returns the pause until the next pass.
    pub async fn refund_pass(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let refunds = self.environment.store.refunds();
        let (mut taken, mut unreadable) = (0, false);
        for provider in refunds.providers().await? {
            let places = self.known(&provider).places(Priority::Act, AT_ONCE, self.uptime());
            let limit = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let (due, wrong) = refunds.due(&provider, self.environment.now(), limit).await?;
            unreadable |= !wrong.is_empty();
            report_unreadable(self.environment.name.as_str(), &wrong);
            taken += self.take_refunds(&provider, due, places).await?;
        }
        if taken > 0 {
            return Ok(Duration::ZERO);
        }
        // Rows that cannot be read stay due, and so do refunds for which the limits have no room: the pause
        // keeps them from being read over and over.
        let next = refunds.next_due().await?;
        if unreadable || next.is_some_and(|due| due <= self.environment.now()) {
            return Ok(MAX_PAUSE);
        }
        let pause = next.map_or(MAX_PAUSE, |due| due.since(self.environment.now()));
        Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
    }

    /// Claims due refunds of a provider together, and spawns a call for each. Returns the number claimed.
    async fn take_refunds(
        self: &Arc<Self>,
        provider: &str,
        due: Vec<Refund>,
        places: Vec<OwnedSemaphorePermit>,
    ) -> Result<usize, StoreError> {
        let claims = join_all(due.iter().map(|refund| self.claim_refund(refund))).await;
        let (mut places, mut taken, mut failed) = (places.into_iter(), 0, None);
        for (refund, claim) in due.iter().zip(claims) {
            match claim {
                Ok(None) => {}
                Err(error) => failed = Some(error),
                Ok(Some(claimed)) => {
                    let (cashier, place, step) = (Arc::clone(self), places.next(), refund::next_step(refund));
                    taken += 1;
                    FailPoint::RefundClaimed.reach();
                    tokio::spawn(async move {
                        let _place = place;
                        if let Err(error) = cashier.send_back(claimed, step).await {
                            cashier.complain_of_refund(&error);
                        }
                    });
                }
            }
        }
        self.known(provider).pacer().give_back(places.len());
        failed.map_or(Ok(taken), Err)
    }

    /// Claims a refund with a lease for the duration of a call; `None` if another worker was faster.
    async fn claim_refund(&self, refund: &Refund) -> Result<Option<Refund>, StoreError> {
        if self.waits_its_turn(refund).await? {
            let waiting = refund::wait(refund, self.environment.now());
            let _: Committed = self.environment.commit(&[waiting]).await?;
            return Ok(None);
        }
        let lease = self.environment.lease.max(ANSWER_WITHIN * 2);
        let (claimed, change) = refund::claim(refund, self.environment.now(), lease);
        Ok((self.environment.commit(&[change]).await? == Committed::Done).then_some(claimed))
    }

    /// Whether an earlier refund of the same payment has to end first.
    async fn waits_its_turn(&self, refund: &Refund) -> Result<bool, StoreError> {
        let handle = self.handle_of(&refund.provider);
        let provider = handle.as_ref().and_then(|handle| handle.provider.refunds());
        if refund.number == 1 || !provider.is_some_and(Refunds::one_at_a_time) {
            return Ok(false);
        }
        let all = self.environment.store.refunds().of_session(refund.session).await?;
        Ok(all.iter().any(|earlier| refund.follows(earlier)))
    }

    fn complain_of_refund(&self, error: &StoreError) {
        let error = explain(error);
        if self.complaints.tell(&error, Instant::now()).is_some() {
            tracing::error!(error, "could not check a refund; retrying");
        }
    }

    /// Makes the check of a refund due now, because a notice (webhook) names it by its id.
    pub(super) async fn hasten_refund(&self, provider: &str, id: RefundId) -> Result<(), StoreError> {
        let refund =
            self.environment.store.refunds().refund(id).await?.filter(|refund| refund.provider == provider);
        if let Some(change) = refund.and_then(|refund| refund::hasten(&refund, self.environment.now())) {
            // Lost: the worker has just checked it, or does so now.
            let _: Committed = self.environment.commit(&[change]).await?;
        }
        Ok(())
    }

    async fn send_back(&self, refund: Refund, step: RefundStep) -> Result<(), StoreError> {
        let answer = self.ask_for_refund(&refund, step).await;
        FailPoint::RefundAnswered.reach();
        let seen = match answer {
            Ok(seen) => Some(seen),
            Err(error) => {
                if self.complaints.tell(&error.to_string(), Instant::now()).is_some() {
                    let provider = &refund.provider;
                    tracing::warn!(refund.id = %refund.id, %error, "{provider} did not respond about a \
                        refund");
                }
                match error {
                    _ if Defect::UnansweredRefundCountsAsFailed.is_planted() => {
                        Some(RefundSeen::Failed { reason: error.to_string() })
                    }
                    ProviderError::Definite(reason) => Some(RefundSeen::Failed { reason }),
                    ProviderError::Denied(_)
                    | ProviderError::Unknown(_)
                    | ProviderError::Unclear(_)
                    | ProviderError::RateLimited { .. } => None,
                }
            }
        };
        self.conclude_refund(&refund, seen).await
    }

    /// Makes one call, with no database transaction open. A refund that the provider does not know is sent
    /// again, under the same id (idempotency key).
    async fn ask_for_refund(&self, refund: &Refund, step: RefundStep) -> Result<RefundSeen, ProviderError> {
        let mut refund = refund.clone();
        if Defect::RefundWithoutIdempotency.is_planted() {
            refund.id = random::id(self.environment.now());
        }
        let (refund, name) = (&refund, &refund.provider);
        let Some(handle) = self.handle_of(name) else {
            return Err(ProviderError::Unknown(format!("{name} is not set up here")));
        };
        let Some(provider) = handle.provider.refunds() else {
            return Err(ProviderError::Definite(format!("{name} does not support refunds")));
        };
        let till = handle.provider.receipts();
        let receipt = match till {
            Some(till) => self.receipt_with_refund(refund, till).await.map_err(|error| {
                ProviderError::Unclear(format!("the fiscal receipt of the refund cannot be read: {error}"))
            })?,
            None => None,
        };
        let with_receipt = till.zip(receipt.as_ref());
        let began = Instant::now();
        let span = TraceSpan::start(SpanKind::Client, || format!("{name} refund"));
        let call = tokio::time::timeout(ANSWER_WITHIN, put((provider, with_receipt), refund, step));
        let (answer, requests) = web::counting(call).await;
        let answer = answer.unwrap_or_else(|_| Err(ProviderError::Unknown("no response in time".to_owned())));
        let error = answer.as_ref().err();
        if let Some(span) = span {
            finish_call(span, name, requests, error, refund.session);
        }
        handle.note(
            Call { starts: false, at: self.environment.now(), took: began.elapsed(), requests, error },
            self.uptime(),
        );
        answer
    }

    /// Commits what an answer means, or that there was none.
    async fn conclude_refund(&self, claimed: &Refund, seen: Option<RefundSeen>) -> Result<(), StoreError> {
        let store = &self.environment.store;
        let vendor = self.environment.directory.vendor(claimed.vendor).await?;
        let settings = vendor.map(|vendor| vendor.settings.clone()).unwrap_or_default();
        let stage = RefundStage::read(store, settings, claimed).await?;
        let stage = stage.returning_other_lines(self.returns_other_lines(claimed).await?);
        let mut retries = Retries::default();
        loop {
            let judge = |facts: &RefundFacts<'_>| match seen.clone() {
                Some(seen) => refund::observe(facts, seen),
                None => refund::unanswered(facts),
            };
            let rules = self.environment.rules();
            let observed = stage.decide(store, &rules, claimed, judge).await?;
            match self.environment.commit(&observed.changes).await? {
                Committed::Lost(Guard::WalletMoved | Guard::Settled) => retries.lost()?,
                Committed::Lost(_) => return Ok(()),
                Committed::Done => {
                    FailPoint::RefundConcluded.reach();
                    let (id, state) = (claimed.id, &observed.refund.state);
                    if state.is_final() {
                        tracing::info!(session.id = %claimed.session, "refund {id} has {}", state.as_str());
                    } else if *state == RefundState::Manual {
                        tracing::info!(session.id = %claimed.session, "refund {id} is a manual refund \
                            waiting to be sent");
                    }
                    return Ok(());
                }
            }
        }
    }
}

async fn put(
    (provider, with_receipt): (&dyn Refunds, Option<(&dyn Receipts, &FiscalReceipt)>),
    refund: &Refund,
    step: RefundStep,
) -> Result<RefundSeen, ProviderError> {
    if step == RefundStep::Check {
        // A definite error of a check says nothing about the money.
        let unknown = |error: ProviderError| match error {
            ProviderError::RateLimited { .. } => error,
            other => ProviderError::Unknown(other.to_string()),
        };
        match provider.check(refund).await.map_err(unknown)? {
            RefundSeen::Unheard => {}
            seen => return Ok(seen),
        }
    }
    match with_receipt {
        Some((till, receipt)) => till.refund_with(refund, receipt).await,
        None => provider.refund(refund).await,
    }
}
