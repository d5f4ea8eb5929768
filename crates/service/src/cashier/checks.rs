//! A look at an attempt: one call to its provider, and the commit of what the answer means. `due.rs` finds
//! the attempts that are due for the worker.

use super::{
    Cashier,
    pacer::Priority,
    provider_handle::{Call, finish_call},
};
use crate::{
    random,
    traces::{SpanKind, TraceSpan},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, AttemptState, AttemptStep, Instructions, OtherAttempts,
        Pace, UnreachableActions,
    },
    change::Change,
    id::ActionId,
    ledger::Terms,
    method::Method,
    receipt::ReceiptLink,
    rules::Rules,
    session::{self, Session, State},
    transaction::ActionKind,
    vendor::Settings,
};
use till_providers::{Order, ProviderError, web};
use till_store::{Committed, FailPoint, StoreError};

/// Timeout of a call to a provider.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// How long a start or a close waits for the rate limit before it is left to the worker.
const TURN_WITHIN: Duration = Duration::from_secs(3);

/// Shows that a call was counted against its provider's rate limit.
#[derive(Debug)]
pub(super) struct Token;

/// The call that a look makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The one that is next.
    Due,
    Step(AttemptStep),
    /// Closes the payment, and ends the pending session with it.
    End,
}

/// The result of one call.
#[derive(Debug)]
pub(super) struct Looked {
    /// The attempt after the commit.
    pub attempt: Attempt,
    /// True if the provider was called and answered.
    pub answered: bool,
}

/// The facts that a decision about an attempt depends on and does not change.
struct Stage {
    session: Session,
    beside: OtherAttempts,
    settings: Settings,
    terms: Terms,
    rules: Arc<Rules>,
    pace: Pace,
    /// The open `unreachable` actions of a session that has ended, and whether every other attempt has ended
    /// too.
    unreachable: Vec<ActionId>,
    last: bool,
    ends_now: bool,
}

impl Stage {
    fn facts<'a>(&'a self, cashier: &Cashier, attempt: &'a Attempt) -> AttemptFacts<'a> {
        AttemptFacts {
            session: &self.session,
            attempt,
            beside: self.beside,
            settings: &self.settings,
            terms: &self.terms,
            rules: &self.rules,
            now: cashier.environment.now(),
            event_id: cashier.environment.next_event_id(self.session.id),
            link: ReceiptLink::new(random::draw_for("receipt link", &[attempt.id.as_bytes()])),
            pace: self.pace,
            doubt: UnreachableActions { actions: &self.unreachable, last: self.last },
            ends_now: self.ends_now,
        }
    }
}

impl Cashier {
    /// Makes this call, or the one that is next, to the provider of an attempt, and commits the result.
    /// Returns the attempt after that; `None` if another commit changed it meanwhile. Without a token it
    /// waits for the rate limit.
    pub(super) async fn look(
        &self,
        attempt: Attempt,
        look: Look,
        token: Option<Token>,
    ) -> Result<Option<Attempt>, StoreError> {
        Ok(self.look_while_news(attempt, look, token).await?.map(|looked| looked.attempt))
    }

    /// As [`look`](Self::look), with whether the provider answered the last call.
    pub(super) async fn look_while_news(
        &self,
        mut attempt: Attempt,
        look: Look,
        token: Option<Token>,
    ) -> Result<Option<Looked>, StoreError> {
        let (mut next, mut token, mut answered) = (look, token, false);
        // A payment that needs nothing from the customer is checked right after its start, and again while
        // there is news.
        for _ in 0..3 {
            let looked = self.look_once(attempt, next, token.take()).await?;
            let Some(Looked { attempt: looked, answered: last }) = looked else { return Ok(None) };
            answered = last;
            let again = looked.state.is_active()
                && looked.instructions == Some(Instructions::Nothing)
                && looked.checks == 0;
            attempt = looked;
            if !again {
                break;
            }
            next = Look::Due;
        }
        Ok(Some(Looked { attempt, answered }))
    }

    /// Makes one call: see [`look`](Self::look).
    pub(super) async fn look_once(
        &self,
        attempt: Attempt,
        look: Look,
        token: Option<Token>,
    ) -> Result<Option<Looked>, StoreError> {
        self.environment.store.hold.check()?;
        let stage = Stage { ends_now: look == Look::End, ..self.stage(&attempt).await? };
        let step = match look {
            Look::Due => self.next_step(&stage.session, &attempt, stage.beside).await?,
            Look::Step(step) => step,
            Look::End => AttemptStep::Close,
        };
        if token.is_none() && !self.has_its_turn(&attempt.provider, step).await {
            let postponed = self.postpone(attempt).await?;
            return Ok(postponed.map(|attempt| Looked { attempt, answered: false }));
        }
        let answer = self.ask(&stage.session, &attempt, step).await;
        FailPoint::AttemptAnswered.reach();
        let stage = self.after_clock_step(stage).await?;
        let (answered, started) = (answer.is_ok(), matches!(answer, Ok(ProviderAnswer::Started(_))));
        let observed = self.judge_answer(&stage.facts(self, &attempt), step, answer);
        let committed = self.commit_observed(observed).await?;
        if committed.is_none() && started {
            self.close_orphan(&stage.session, &attempt).await?;
        } else if committed.is_none() && step.is_closing() {
            self.find_returned(&attempt).await?;
        }
        Ok(committed.map(|attempt| Looked { attempt, answered }))
    }

    /// Reads the session again if the clock was set forward a moment ago: deadlines were moved with it.
    async fn after_clock_step(&self, stage: Stage) -> Result<Stage, StoreError> {
        if !self.environment.store.clock().is_settling() {
            return Ok(stage);
        }
        let session = self.environment.read_again(stage.session.id, stage.session.vendor).await?;
        Ok(Stage { session, ..stage })
    }

    /// Gives up an attempt whose start was never answered, so that another can begin. `false` while it is too
    /// early.
    pub(super) async fn leave(&self, attempt: &Attempt) -> Result<bool, StoreError> {
        let stage = self.stage(attempt).await?;
        let Some(left) = attempt::leave(&stage.facts(self, attempt)) else { return Ok(false) };
        // Lost: the attempt has changed, and the caller reads it again.
        self.commit_observed(left).await?;
        Ok(true)
    }

    async fn stage(&self, attempt: &Attempt) -> Result<Stage, StoreError> {
        let (environment, id) = (&self.environment, attempt.session);
        let Some(session) = environment.store.page_session(id).await? else {
            return Err(StoreError::Corrupt(format!("session {id} disappeared")));
        };
        let vendor = environment.directory.vendor(session.vendor).await?;
        let (settings, terms) =
            vendor.map(|vendor| (vendor.settings.clone(), vendor.terms.clone())).unwrap_or_default();
        let pace =
            self.handle_of(&attempt.provider).map(|handle| handle.pace(self.uptime())).unwrap_or_default();
        let (mut unreachable, mut last) = (Vec::new(), false);
        if session.state != State::Pending {
            let actions = environment.store.actions_of(id).await?.into_iter();
            let open = actions.filter(|stored| stored.decided.is_none()).map(|stored| stored.action);
            unreachable.extend(open.filter(|open| open.kind == ActionKind::Unreachable).map(|open| open.id));
            let over = |other: &Attempt| !other.state.is_active() && other.state != AttemptState::Watched;
            let attempts = environment.store.attempts_of(id).await?;
            last = attempts.iter().all(|other| other.id == attempt.id || over(other));
        }
        let beside = self.beside(&session, attempt).await?;
        let (rules, ends_now) = (environment.rules(), false);
        Ok(Stage { session, beside, settings, terms, rules, pace, unreachable, last, ends_now })
    }

    /// Takes a token of the provider's rate limit; true if the call may be made now. A start or a close waits
    /// for one, up to `TURN_WITHIN`.
    async fn has_its_turn(&self, provider: &str, step: AttemptStep) -> bool {
        let known = self.known(provider);
        if step == AttemptStep::Check {
            return known.pacer().take(Priority::Check, 1, self.uptime()) == 1;
        }
        let mut left = TURN_WITHIN;
        while known.pacer().take(Priority::Act, 1, self.uptime()) == 0 {
            let wait = known.pacer().wait(Priority::Act, self.uptime()).max(Duration::from_millis(1));
            let Some(rest) = left.checked_sub(wait) else { return false };
            left = rest;
            tokio::time::sleep(wait).await;
        }
        true
    }

    /// Leaves an attempt to the worker for which the rate limit has no room now.
    async fn postpone(&self, attempt: Attempt) -> Result<Option<Attempt>, StoreError> {
        let Some((due, change)) = attempt::hasten(&attempt, self.environment.now()) else {
            return Ok(Some(attempt));
        };
        let committed = self.environment.commit(&[change]).await?;
        Ok((committed == Committed::Done).then_some(due))
    }

    /// The state of the session's other attempts. It matters only where one of them may be a transfer on a
    /// chain.
    async fn beside(&self, session: &Session, attempt: &Attempt) -> Result<OtherAttempts, StoreError> {
        let waits = session.state == State::Pending;
        if !waits || !session.methods.offered.contains(&Method::Crypto) {
            return Ok(OtherAttempts::Nothing);
        }
        Ok(OtherAttempts::of(attempt.id, &self.environment.store.attempts_of(session.id).await?))
    }

    /// The next call to the provider. An open attempt for an order that was paid meanwhile is closed. While a
    /// jump of the clock is being judged, no attempt is closed because of its deadline.
    async fn next_step(
        &self,
        session: &Session,
        attempt: &Attempt,
        beside: OtherAttempts,
    ) -> Result<AttemptStep, StoreError> {
        let step = attempt::next_step(session, attempt, beside, self.environment.now());
        if step == AttemptStep::Close
            && session.state == State::Pending
            && self.environment.store.clock().holds_expiry()
        {
            return Ok(AttemptStep::Check);
        }
        let idle = step == AttemptStep::Check && attempt.state == AttemptState::Open;
        if idle && session.state == State::Pending && self.earlier_payment(session).await?.is_some() {
            return Ok(AttemptStep::Close);
        }
        Ok(step)
    }

    /// Closes a payment that was started while another commit ended its attempt: no worker would check it
    /// again.
    async fn close_orphan(&self, session: &Session, attempt: &Attempt) -> Result<(), StoreError> {
        let now = self.environment.store.attempt(attempt.id).await?;
        if now.is_some_and(|now| !now.state.is_active()) {
            tracing::warn!(attempt.id = %attempt.id, "a payment was started too late and is closed");
            self.known(&attempt.provider).pacer().spend(1, self.uptime());
            let _ = self.ask(session, attempt, AttemptStep::Release).await;
        }
        Ok(())
    }

    fn judge_answer(
        &self,
        facts: &AttemptFacts<'_>,
        step: AttemptStep,
        answer: Result<ProviderAnswer, ProviderError>,
    ) -> AttemptDecision {
        match answer {
            Ok(ProviderAnswer::Started(started)) => {
                attempt::started(facts, self.seal_started(facts.attempt.id, started))
            }
            Ok(ProviderAnswer::Observed(observation)) if step.is_closing() => {
                attempt::closing(facts, observation)
            }
            Ok(ProviderAnswer::Observed(observation)) => attempt::observe(facts, observation),
            Err(error) => match self.judge(facts.attempt, &error) {
                Some(observation) if step == AttemptStep::Start => attempt::observe(facts, observation),
                _ => attempt::unreachable(facts),
            },
        }
    }

    /// Makes one call, with no database transaction open.
    async fn ask(
        &self,
        session: &Session,
        attempt: &Attempt,
        step: AttemptStep,
    ) -> Result<ProviderAnswer, ProviderError> {
        let Some(handle) = self.handle_of(&attempt.provider) else {
            return Err(ProviderError::Unknown(format!("{} is no longer set up", attempt.provider)));
        };
        let receipt = match step {
            AttemptStep::Start => self.receipt_with(session, attempt, &handle).await.map_err(unread)?,
            AttemptStep::Check | AttemptStep::Close | AttemptStep::Release => None,
        };
        let back = self.environment.url_from_bank(session.id);
        let (amount, item, deadline) = (session.item.price.money(), &session.item.name, session.deadline());
        let order = Order { attempt, amount, item, back: &back, deadline };
        let call = async {
            match step {
                AttemptStep::Start => match (handle.provider.receipts(), &receipt) {
                    (Some(till), Some(receipt)) => till.start_with(&order, receipt).await,
                    _ => handle.provider.start(&order).await,
                }
                .map(ProviderAnswer::Started),
                AttemptStep::Check => handle.provider.check(attempt).await.map(ProviderAnswer::Observed),
                AttemptStep::Close => handle.provider.close(attempt).await.map(ProviderAnswer::Observed),
                AttemptStep::Release => handle.provider.release(attempt).await.map(ProviderAnswer::Observed),
            }
        };
        let began = Instant::now();
        let span = TraceSpan::start(SpanKind::Client, || format!("{} {step}", attempt.provider));
        let (answer, requests) = web::counting(tokio::time::timeout(ANSWER_WITHIN, call)).await;
        let answer = answer.unwrap_or_else(|_| Err(ProviderError::Unknown("no response in time".to_owned())));
        let error = answer.as_ref().err();
        if let Some(span) = span {
            finish_call(span, &attempt.provider, requests, error, session.id);
        }
        let (starts, at) = (step == AttemptStep::Start, self.environment.now());
        handle.note(Call { starts, at, took: began.elapsed(), requests, error }, self.uptime());
        answer
    }

    async fn commit_observed(&self, observed: AttemptDecision) -> Result<Option<Attempt>, StoreError> {
        let AttemptDecision { session, attempt, changes } = observed;
        if self.environment.commit(&changes).await? != Committed::Done {
            return Ok(None);
        }
        FailPoint::AttemptConcluded.reach();
        if changes.iter().any(|change| matches!(change, Change::FinishSession { .. })) {
            self.environment.log_final(&session);
        }
        for change in &changes {
            if let Change::NeedAction(action) = change {
                let (environment, kind) = (self.environment.name, action.kind.as_str());
                tracing::warn!(%environment, session.id = %session.id, "{kind} money: see till action list");
            }
        }
        if attempt.holds_though_left() {
            self.hasten_other(&attempt).await?;
        }
        let is_paid =
            |change: &Change| matches!(change, Change::FinishSession { outcome: session::Outcome::Paid, .. });
        if changes.iter().any(is_paid)
            && let Err(error) = self.hasten_rivals(&session).await
        {
            // The payment is stored; the other attempts are checked when they are due.
            self.complain(&error);
        }
        Ok(Some(attempt))
    }

    /// Makes the open attempts of other sessions of the same order due now, so that they are closed: the
    /// order is paid.
    async fn hasten_rivals(&self, paid: &Session) -> Result<(), StoreError> {
        let (environment, now) = (&self.environment, self.environment.now());
        for rival in environment.store.pending_sessions_of_order(paid.vendor, &paid.order_id).await? {
            let attempts = match session::repeats(&rival, paid, now) {
                true => environment.store.attempts_of(rival.id).await?,
                false => Vec::new(),
            };
            // An attempt that is being started, or is in flight, is not closed.
            let open = attempts.iter().find(|attempt| attempt.state == AttemptState::Open);
            if let Some((_, change)) = open.and_then(|open| attempt::hasten(open, now)) {
                // Lost: it has changed, so it is being checked. If this commit wins, that of a concurrent
                // check is lost instead.
                let _ = environment.commit(&[change]).await?;
            }
        }
        Ok(())
    }

    /// Makes the active attempt of a session due now, because a transfer of another one is enough: the
    /// session must not be paid twice.
    async fn hasten_other(&self, holding: &Attempt) -> Result<(), StoreError> {
        let attempts = self.environment.store.attempts_of(holding.session).await?;
        let active = attempts.iter().find(|other| other.id != holding.id && other.state.is_active());
        if let Some((_, change)) = active.and_then(|active| attempt::hasten(active, self.environment.now())) {
            // Lost: it has changed, so it is being checked.
            let _ = self.environment.commit(&[change]).await?;
        }
        Ok(())
    }
}

/// The receipt that goes with a payment could not be read: nothing was started.
fn unread(error: StoreError) -> ProviderError {
    ProviderError::Unclear(format!("the fiscal receipt cannot be read: {error}"))
}

/// A provider's answer.
enum ProviderAnswer {
    Started(attempt::Started),
    Observed(attempt::Observation),
}
