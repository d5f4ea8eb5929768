//! Looking at an attempt: one question to its provider, and what comes of the answer. The worker looks at
//! those that are due.

use super::{Cashier, desk::Call};
use crate::{
    random,
    telemetry::{explain, report_unreadable},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    attempt::{self, Attempt, AttemptState, Observed, Scene, Shown, Step},
    change::Change,
    receipt::ReceiptLink,
    session::{Session, State},
};
use till_providers::{Order, ProviderError};
use till_store::{Committed, StoreError};

/// How long a provider may take for an answer.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Attempts looked at in one pass.
const AT_ONCE: u32 = 64;

/// The longest pause: an attempt that becomes due earlier than any other waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(20);

impl Cashier {
    /// Asks the provider of an attempt for what is to be done, or for this step, and commits what comes of
    /// it. The attempt then; nothing if somebody else changed it meanwhile.
    pub(super) async fn look(
        &self,
        mut attempt: Attempt,
        step: Option<Step>,
    ) -> Result<Option<Attempt>, StoreError> {
        let mut step = step;
        // What needs nothing of the customer is asked about at once; so is what was only just started.
        for _ in 0..3 {
            let Some(looked) = self.look_once(attempt, step).await? else { return Ok(None) };
            let again =
                looked.state.is_active() && looked.shown == Some(Shown::Nothing) && looked.checks == 0;
            attempt = looked;
            if !again {
                break;
            }
            step = None;
        }
        Ok(Some(attempt))
    }

    async fn look_once(&self, attempt: Attempt, step: Option<Step>) -> Result<Option<Attempt>, StoreError> {
        let Some(session) = self.environment.store.page_session(attempt.session).await? else {
            return Err(StoreError::Corrupt(format!("session {} disappeared", attempt.session)));
        };
        let vendor = self.environment.directory.vendor(session.vendor).await?;
        let (settings, terms) =
            vendor.map(|vendor| (vendor.settings.clone(), vendor.terms.clone())).unwrap_or_default();
        let step = match step {
            Some(step) => step,
            None => self.next_step(&session, &attempt).await?,
        };
        let answer = self.ask(&session, &attempt, step).await;
        let session = self.after_clock_step(session).await?;
        let started = matches!(answer, Ok(Answer::Started(_)));
        let scene = Scene {
            session: &session,
            attempt: &attempt,
            settings: &settings,
            terms: &terms,
            rules: &self.environment.rules(),
            now: self.environment.now(),
            event_id: self.environment.next_event_id(),
            link: ReceiptLink::new(random::bytes()),
        };
        let observed = self.judge_answer(&scene, step, answer);
        let committed = self.commit_observed(observed).await?;
        if committed.is_none() && started {
            self.close_orphan(&session, &attempt).await?;
        }
        Ok(committed)
    }

    /// The session as it is now, if the clock was set forward a moment ago: deadlines were moved with it.
    async fn after_clock_step(&self, session: Session) -> Result<Session, StoreError> {
        if self.environment.store.clock().is_settling() {
            return self.environment.read_again(session.id, session.vendor).await;
        }
        Ok(session)
    }

    /// What to ask for. What is open for an order that was paid meanwhile is closed. While the clock's jump is judged,
    /// nothing is closed because its time is over.
    async fn next_step(&self, session: &Session, attempt: &Attempt) -> Result<Step, StoreError> {
        let step = attempt::next_step(session, attempt, self.environment.now());
        if step == Step::Close
            && session.state == State::Pending
            && self.environment.store.clock().holds_expiry()
        {
            return Ok(Step::Check);
        }
        let idle = step == Step::Check && attempt.state == AttemptState::Open;
        if idle && session.state == State::Pending && self.earlier_payment(session).await?.is_some() {
            return Ok(Step::Close);
        }
        Ok(step)
    }

    /// A payment was started while somebody else ended its attempt: nobody would look at it again.
    async fn close_orphan(&self, session: &Session, attempt: &Attempt) -> Result<(), StoreError> {
        let now = self.environment.store.attempt(attempt.id).await?;
        if now.is_some_and(|now| !now.state.is_active()) {
            tracing::warn!(attempt.id = %attempt.id, "a payment was started too late, and is closed");
            let _ = self.ask(session, attempt, Step::Close).await;
        }
        Ok(())
    }

    fn judge_answer(&self, scene: &Scene<'_>, step: Step, answer: Result<Answer, ProviderError>) -> Observed {
        match answer {
            Ok(Answer::Started(started)) => {
                attempt::started(scene, self.seal_started(scene.attempt.id, started))
            }
            Ok(Answer::Observed(observation)) if step == Step::Close => attempt::closing(scene, observation),
            Ok(Answer::Observed(observation)) => attempt::observe(scene, observation),
            Err(error) => match self.judge(scene.attempt, &error) {
                Some(observation) if step == Step::Start => attempt::observe(scene, observation),
                _ => attempt::unreachable(scene),
            },
        }
    }

    /// One question, with no transaction open.
    async fn ask(&self, session: &Session, attempt: &Attempt, step: Step) -> Result<Answer, ProviderError> {
        let Some(desk) = self.desk_of(&attempt.provider) else {
            return Err(ProviderError::Unknown(format!("{} is no longer configured", attempt.provider)));
        };
        let back = self.environment.session_url(session.id);
        let order =
            Order { attempt, amount: session.item.price.money(), item: &session.item.name, back: &back };
        let asked = async {
            match step {
                Step::Start => desk.provider.start(&order).await.map(Answer::Started),
                Step::Check => desk.provider.check(attempt).await.map(Answer::Observed),
                Step::Close => desk.provider.close(attempt).await.map(Answer::Observed),
            }
        };
        let began = Instant::now();
        let answer = tokio::time::timeout(ANSWER_WITHIN, asked).await;
        let answer = answer.unwrap_or_else(|_| Err(ProviderError::Unknown("no answer in time".to_owned())));
        let error = answer.as_ref().err();
        let (starts, at) = (step == Step::Start, self.environment.now());
        let call = Call { starts, at, took: began.elapsed(), error };
        desk.note(call, self.environment.uptime());
        answer
    }

    async fn commit_observed(&self, observed: Observed) -> Result<Option<Attempt>, StoreError> {
        let Observed { session, attempt, changes } = observed;
        if self.environment.commit(&changes).await? != Committed::Done {
            return Ok(None);
        }
        if changes.iter().any(|change| matches!(change, Change::FinishSession { .. })) {
            self.environment.log_final(&session);
        }
        for change in &changes {
            if let Change::NeedAction(action) = change {
                let (environment, kind) = (self.environment.name, action.kind.as_str());
                tracing::warn!(%environment, session.id = %session.id, "{kind} money: see till action list");
            }
        }
        Ok(Some(attempt))
    }

    /// Looks at the attempts that are due, and says how long nothing will be.
    pub async fn pass(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let now = self.environment.now();
        let (due, unreadable) = self.environment.store.due_attempts(now, AT_ONCE).await?;
        report_unreadable(self.environment.name.as_str(), &unreadable);
        let found = due.len();
        for attempt in due {
            // Whoever takes long holds up nobody else; what finds no room is looked at a little later.
            let Ok(room) = Arc::clone(&self.looking).try_acquire_owned() else { return Ok(MAX_PAUSE) };
            let Some(attempt) = self.claim(attempt).await? else { continue };
            let cashier = Arc::clone(self);
            tokio::spawn(async move {
                let _room = room;
                if let Err(error) = cashier.look(attempt, None).await {
                    cashier.complain(&error);
                }
            });
        }
        if found > 0 {
            return Ok(Duration::ZERO);
        }
        // What cannot be read stays due, and must not be read without a pause.
        if !unreadable.is_empty() {
            return Ok(MAX_PAUSE);
        }
        let next = self.environment.store.next_attempt_due().await?;
        let pause = next.map_or(MAX_PAUSE, |due| due.since(self.environment.now()));
        Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
    }

    fn complain(&self, error: &StoreError) {
        let error = explain(error);
        if self.complaints.tell(&error, Instant::now()).is_some() {
            let environment = self.environment.name;
            tracing::error!(%environment, error, "a payment could not be looked at; it is tried again");
        }
    }

    /// Takes a due attempt for as long as a question and its answer may take, unless somebody else did.
    async fn claim(&self, attempt: Attempt) -> Result<Option<Attempt>, StoreError> {
        let (claimed, change) = attempt::claim(&attempt, self.environment.now(), self.environment.lease);
        let committed = self.environment.commit(&[change]).await?;
        Ok((committed == Committed::Done).then_some(claimed))
    }
}

/// What a provider answered.
enum Answer {
    Started(attempt::Started),
    Observed(attempt::Observation),
}
