//! Outcomes and events that a tester chooses for a sandbox session, by a call of the API or on a page.

use crate::{
    admin::refunds::payment,
    environment::{Environment, Retries},
};
use till_domain::{
    fiscal::{FiscalReceipt, registration},
    id::SessionId,
    refund::Refund,
    rejection::Rejection,
    request::SimulateRequest,
    session::{self, Session, Status},
    simulation::{self, SimulationFacts},
    transaction::{Action, ActionKind, Transaction},
    vendor::Vendor,
};
use till_store::{Committed, PaidWith, StoreError};

/// The reason why a simulation did not happen.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Simulates for the sessions of one vendor.
#[derive(Debug, Clone, Copy)]
pub struct Simulator<'a> {
    pub environment: &'a Environment,
    pub vendor: &'a Vendor,
}

impl Simulator<'_> {
    /// Ends a pending session as the tester wants, now or later.
    pub async fn end(&self, id: SessionId, request: &SimulateRequest) -> Result<Session, SimulationError> {
        let (environment, settings) = (self.environment, &self.vendor.settings);
        let mut retries = Retries::default();
        loop {
            let found = self.session(id).await?;
            let (now, event_id) = (environment.now(), environment.next_event_id(id));
            let (session, changes) = session::simulate(&found, request, now, settings, event_id)?;
            if changes.is_empty() {
                return Ok(session);
            }
            // Lost: the session is final now, or another method or plan was chosen; the next read tells.
            if environment.commit(&changes).await? == Committed::Done {
                if session.state.status() != Status::Pending {
                    environment.log_final(&session);
                }
                return Ok(session);
            }
            retries.lost()?;
        }
    }

    /// Lets the fiscal receipt of a session have the status that the tester wants: now if it is paid, otherwise once it is.
    pub async fn register(
        &self,
        id: SessionId,
        request: &SimulateRequest,
    ) -> Result<Session, SimulationError> {
        let found = self.session(id).await?;
        let (session, change) = registration::simulate(&found, request, self.environment.now())?;
        match self.environment.commit(&[change]).await? {
            Committed::Done => Ok(session),
            Committed::Lost(_) => unreachable!("nothing in this list is guarded"),
        }
    }

    /// Makes an event about the money of a final session happen.
    pub async fn make_event(
        &self,
        id: SessionId,
        request: &SimulateRequest,
    ) -> Result<Session, SimulationError> {
        let mut retries = Retries::default();
        loop {
            let session = self.session(id).await?;
            let money = self.money_of(&session).await?;
            let changes = simulation::simulate_event(request, &self.facts(&session, &money))?;
            // Lost: another request opened or decided the same; the next read tells.
            if self.environment.commit(&changes).await? == Committed::Done {
                return Ok(session);
            }
            retries.lost()?;
        }
    }

    /// Whether each of these events could happen now.
    pub async fn which_can_happen(
        &self,
        session: &Session,
        requests: &[SimulateRequest],
    ) -> Result<Vec<bool>, StoreError> {
        let money = self.money_of(session).await?;
        let facts = self.facts(session, &money);
        Ok(requests.iter().map(|request| simulation::simulate_event(request, &facts).is_ok()).collect())
    }

    async fn session(&self, id: SessionId) -> Result<Session, SimulationError> {
        let session = self.environment.session(id, self.vendor).await?;
        Ok(session.ok_or(Rejection::SessionNotFound)?)
    }

    async fn money_of(&self, session: &Session) -> Result<SessionMoney, StoreError> {
        let store = &self.environment.store;
        let stored = store.actions_of(session.id).await?;
        let refunds = store.refunds().of_session(session.id).await?;
        let payment = store.refunds().paid_with(session.id, &refunds).await?;
        Ok(SessionMoney {
            transactions: store.transactions_of(session.id).await?,
            disputes: stored.iter().filter(|one| one.action.kind == ActionKind::Disputed).count(),
            open: stored.into_iter().filter(|one| one.decided.is_none()).map(|one| one.action).collect(),
            refunds,
            fiscal: match session.fiscal {
                Some(_) => store.fiscal_receipt(session.id.into()).await?,
                None => None,
            },
            payment,
        })
    }

    fn facts<'a>(&'a self, session: &'a Session, money: &'a SessionMoney) -> SimulationFacts<'a> {
        SimulationFacts {
            session,
            transactions: &money.transactions,
            open: &money.open,
            disputes: money.disputes,
            refunds: &money.refunds,
            fiscal: money.fiscal.as_ref(),
            payment: money.payment.as_ref().map(payment),
            settings: &self.vendor.settings,
            now: self.environment.now(),
            id: self.environment.next_event_id(session.id),
        }
    }
}

/// The money of a session, and what is undecided about it.
struct SessionMoney {
    transactions: Vec<Transaction>,
    open: Vec<Action>,
    disputes: usize,
    refunds: Vec<Refund>,
    fiscal: Option<FiscalReceipt>,
    payment: Option<PaidWith>,
}
