//! Ends a session at the vendor's request, before its deadline. A payment that is open for it is closed at the provider
//! first; where that is not possible, the attempt is watched for late money, as after a deadline.

use super::{Cashier, checks::Look};
use crate::environment::Retries;
use till_domain::{
    attempt::{Attempt, AttemptState},
    id::SessionId,
    rejection::Rejection,
    session::{self, Session, State},
    vendor::Vendor,
};
use till_store::{Committed, StoreError};

/// The reason why a session was not ended.
#[derive(Debug, thiserror::Error)]
pub enum ExpireRefusal {
    /// The session does not allow it.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The provider did not respond, so a payment may still be open there.
    #[error("the provider did not respond, so the payment is still open: try again shortly")]
    Silent,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Cashier {
    /// Ends a vendor's pending session now. One that has expired already is returned as it is.
    pub async fn expire(&self, id: SessionId, vendor: &Vendor) -> Result<Session, ExpireRefusal> {
        self.environment.store.hold.check()?;
        let mut retries = Retries::with_provider_calls();
        loop {
            let session = self.environment.session(id, vendor).await?.ok_or(Rejection::SessionNotFound)?;
            match session.state {
                State::Expired => return Ok(session),
                State::Paid | State::Failed(_) => return Err(Rejection::SessionNotPending.into()),
                State::Pending => {}
            }
            let attempts = self.environment.store.attempts_of(id).await?;
            if attempts.iter().any(Attempt::holds_though_left) {
                return Err(Rejection::PaymentInFlight.into());
            }
            match attempts.into_iter().find(|attempt| attempt.state.is_active()) {
                Some(active) => self.close_for_good(active).await?,
                None => {
                    if let Some(expired) = self.expire_idle(&session, vendor).await? {
                        return Ok(expired);
                    }
                }
            }
            retries.lost()?;
        }
    }

    /// Closes the active attempt of a session that is to end, and ends the session in the same commit.
    async fn close_for_good(&self, active: Attempt) -> Result<(), ExpireRefusal> {
        if active.state == AttemptState::Intended {
            return if self.leave_or_start(active).await? { Ok(()) } else { Err(ExpireRefusal::Silent) };
        }
        // `None`: another commit was faster, and the caller reads what it did.
        let Some(looked) = self.look_once(active, Look::End, None).await? else { return Ok(()) };
        match looked.attempt.state {
            AttemptState::InFlight if looked.answered => Err(Rejection::PaymentInFlight.into()),
            state if state.is_active() => Err(ExpireRefusal::Silent),
            _ => Ok(()),
        }
    }

    /// Ends a session without an active attempt; `None` if another commit was faster.
    async fn expire_idle(&self, session: &Session, vendor: &Vendor) -> Result<Option<Session>, StoreError> {
        let (now, event_id) = (self.environment.now(), self.environment.next_event_id(session.id));
        let ended = session::expire(session, now, &vendor.settings, event_id);
        let Some((expired, changes)) = ended else { return Ok(None) };
        if self.environment.commit(&changes).await? != Committed::Done {
            return Ok(None);
        }
        self.environment.log_final(&expired);
        Ok(Some(expired))
    }
}
