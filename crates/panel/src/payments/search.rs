//! The search in lists: by a session's id, by the id of a listed item, by the id of the request that created
//! a session, or by an order id.

use crate::payments::{VendorScope, list_query::ListQuery};
use till_domain::{
    id::{EventId, SessionId, TransactionId},
    session::Session,
    transaction::Transaction,
};
use till_store::{StoreError, StoredEvent, Turn};

/// The kind of list that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchTarget {
    Session,
    Transaction,
    Event,
}

#[derive(Debug)]
pub(super) enum SearchResult {
    /// Exactly one session matches.
    One(SessionId),
    /// The search is for an order id, which may not exist.
    Order(String),
    /// There is no search text.
    All,
}

impl SearchResult {
    /// The order id searched for.
    pub fn order(&self) -> Option<&str> {
        match self {
            Self::Order(order) => Some(order),
            Self::One(_) | Self::All => None,
        }
    }
}

impl VendorScope<'_> {
    /// Resolves the search text: an id leads to its session, any other text may be an order id.
    pub(super) async fn find(
        &self,
        query: &ListQuery,
        sought: SearchTarget,
    ) -> Result<SearchResult, StoreError> {
        let Some([typed, trimmed]) = query.searched() else { return Ok(SearchResult::All) };
        if let Some(id) = self.find_id(trimmed, sought).await? {
            return Ok(SearchResult::One(id));
        }
        let store = &self.environment.store;
        let is_typed =
            trimmed != typed && !store.sessions_of_order(self.vendor.id, typed, 1).await?.is_empty();
        Ok(SearchResult::Order(if is_typed { typed } else { trimmed }.to_owned()))
    }

    /// A page of sessions, of one order or of all.
    pub(super) async fn sessions(
        &self,
        query: &ListQuery,
        order: Option<&str>,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let (store, filter) = (&self.environment.store, query.sessions(self));
        match order {
            Some(order) => store.order_sessions(order, &filter, turn, limit).await,
            None => store.sessions(&filter, turn, limit).await,
        }
    }

    /// A page of transactions, of one order or of all.
    pub(super) async fn transactions(
        &self,
        query: &ListQuery,
        order: Option<&str>,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let (store, filter) = (&self.environment.store, query.transactions(self));
        match order {
            Some(order) => store.order_transactions(order, &filter, turn, limit).await,
            None => store.transactions(&filter, turn, limit).await,
        }
    }

    /// A page of callbacks, of one order or of all.
    pub(super) async fn events(
        &self,
        query: &ListQuery,
        order: Option<&str>,
        turn: Turn<EventId>,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let (store, filter) = (&self.environment.store, query.events(self));
        match order {
            Some(order) => store.order_events(self.vendor.id, order, &filter, turn, limit).await,
            None => store.events(&filter, turn, limit).await,
        }
    }

    /// The session with this id, or the session of the item with this id.
    async fn find_id(&self, text: &str, sought: SearchTarget) -> Result<Option<SessionId>, StoreError> {
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
            (SearchTarget::Transaction, Some(id), _) => {
                Ok(of_this(store.transaction(id).await?.map(|money| (money.vendor, money.session))))
            }
            (SearchTarget::Event, _, Some(id)) => {
                Ok(of_this(store.event(id).await?.map(|event| (event.vendor, event.session))))
            }
            _ => Ok(None),
        }
    }
}
