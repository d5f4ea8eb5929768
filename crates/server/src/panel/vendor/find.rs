//! What a search finds: by a session's id, by the id of what is listed, by the request that made a session, or by an
//! order.

use super::{Desk, asked::Asked};
use till_domain::{
    id::{EventId, SessionId, TransactionId},
    session::{Session, Status},
};
use till_store::StoreError;

/// Sessions of one order that are looked at.
const MAX_FOUND: u32 = 100;

/// What is listed where it is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    Session,
    Transaction,
    Event,
}

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// One session, which is what was meant.
    One(SessionId),
    /// Sessions of an order, newest first; possibly none.
    Many(Vec<Session>),
}

impl Desk<'_> {
    /// Looks for what was typed. An id leads to its session; so does an order in the list of sessions, if it has one.
    pub(super) async fn find(&self, asked: &Asked, sought: Sought) -> Result<Found, StoreError> {
        let Some([typed, trimmed]) = asked.searched() else { return Ok(Found::Many(Vec::new())) };
        if let Some(id) = self.find_id(trimmed, sought).await? {
            return Ok(Found::One(id));
        }
        let mut found = self.of_order(typed).await?;
        if found.is_empty() && trimmed != typed {
            found = self.of_order(trimmed).await?;
        }
        if sought == Sought::Session {
            let status = Status::parse(&asked.narrowed.status);
            found.retain(|session| {
                status.is_none_or(|status| session.state.status() == status)
                    && asked.method.is_none_or(|method| session.methods.chosen == method)
                    && asked.has(session.created_at)
            });
            if let [one] = found.as_slice() {
                return Ok(Found::One(one.id));
            }
        }
        Ok(Found::Many(found))
    }

    async fn of_order(&self, order: &str) -> Result<Vec<Session>, StoreError> {
        self.environment.store.sessions_of_order(self.vendor.id, order, MAX_FOUND).await
    }

    /// The session with this id, or the one that the thing with this id belongs to.
    async fn find_id(&self, text: &str, sought: Sought) -> Result<Option<SessionId>, StoreError> {
        let (store, vendor) = (&self.environment.store, self.vendor.id);
        let Some(id) = SessionId::parse(text) else {
            let made = self.environment.session_of_request(text).await?;
            return Ok(made.filter(|session| session.vendor == vendor).map(|session| session.id));
        };
        if store.session(id, vendor).await?.is_some() {
            return Ok(Some(id));
        }
        let of_this = |found: Option<_>| {
            found.filter(|(owner, _)| *owner == vendor).map(|(_, session): (_, SessionId)| session)
        };
        match (sought, TransactionId::parse(text), EventId::parse(text)) {
            (Sought::Transaction, Some(id), _) => {
                Ok(of_this(store.transaction(id).await?.map(|money| (money.vendor, money.session))))
            }
            (Sought::Event, _, Some(id)) => {
                Ok(of_this(store.event(id).await?.map(|event| (event.vendor, event.session))))
            }
            _ => Ok(None),
        }
    }
}
