//! The search in lists: by a session's id or the beginning of it, by the id of a listed item, by the id of the
//! request that created a session, or by what `keys.rs` makes of the text.

use crate::payments::{VendorScope, list_query::ListQuery};
use futures_util::future::try_join_all;
use std::cmp::Reverse;
use till_domain::{
    id::{EventId, SessionId, TransactionId},
    session::Session,
    transaction::Transaction,
};
use till_service::search::FoundKeys;
use till_store::{SessionFilter, SessionKey, Span, StoreError, StoredEvent, Turn};

/// Most sessions whose orders stand for the beginning of an id.
const MAX_SESSIONS: u32 = 25;

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
    /// The search is for sessions with one of these keys.
    Keys(FoundKeys),
    /// There is no search text.
    All,
}

impl SearchResult {
    /// The keys searched for.
    pub fn keys(&self) -> Option<&[SessionKey]> {
        match self {
            Self::Keys(found) => Some(&found.keys),
            Self::One(_) | Self::All => None,
        }
    }

    /// True if the text has more meanings than were searched for.
    pub fn has_more(&self) -> bool {
        matches!(self, Self::Keys(found) if found.more)
    }

    /// True if a single session that is found is meant: an order or an id was typed, no product and no amount.
    pub fn is_of_one(&self) -> bool {
        let one = |key: &SessionKey| matches!(key, SessionKey::Order(_) | SessionKey::Ids(_));
        self.keys().is_some_and(|keys| keys.iter().all(one))
    }
}

impl VendorScope<'_> {
    /// Resolves the search text: an id leads to its session, an order that exists is meant alone, any other text
    /// may be the beginning of an order or a product, or an amount.
    pub(super) async fn find(
        &self,
        query: &ListQuery,
        sought: SearchTarget,
    ) -> Result<SearchResult, StoreError> {
        let Some([typed, trimmed]) = query.searched() else { return Ok(SearchResult::All) };
        if let Some(id) = self.find_id(trimmed, sought).await? {
            return Ok(SearchResult::One(id));
        }
        let (store, vendor) = (&self.environment.store, self.vendor.id);
        for order in [typed, trimmed] {
            if !store.sessions_of_order(vendor, order, 1).await?.is_empty() {
                let keys = vec![SessionKey::Order(order.to_owned())];
                return Ok(SearchResult::Keys(FoundKeys { keys, more: false }));
            }
        }
        if let Some(found) = self.find_beginning(trimmed, sought).await? {
            return Ok(found);
        }
        Ok(SearchResult::Keys(match sought {
            SearchTarget::Session => FoundKeys::all(store, vendor, trimmed).await?,
            SearchTarget::Transaction | SearchTarget::Event => {
                FoundKeys::orders(store, vendor, trimmed).await?
            }
        }))
    }

    /// The sessions whose ids begin with a text, such as a payment's reference. Lists of other things find them
    /// by their orders.
    async fn find_beginning(
        &self,
        text: &str,
        sought: SearchTarget,
    ) -> Result<Option<SearchResult>, StoreError> {
        let Some(ids) = SessionId::beginning_with(text) else { return Ok(None) };
        let span = Span { since: None, until: None };
        let all = SessionFilter { vendor: self.vendor.id, status: None, method: None, span };
        let limit = if sought == SearchTarget::Session { 2 } else { MAX_SESSIONS + 1 };
        let mut found = self.environment.store.sessions_between(ids, &all, Turn::Newest, limit).await?;
        let (keys, more) = match found.as_slice() {
            [] => return Ok(None),
            [one] => return Ok(Some(SearchResult::One(one.id))),
            _ if sought == SearchTarget::Session => (vec![SessionKey::Ids(ids)], false),
            _ => {
                let more = found.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
                found.sort_by(|one, other| one.order_id.cmp(&other.order_id));
                found.dedup_by(|one, other| one.order_id == other.order_id);
                (found.into_iter().map(|session| SessionKey::Order(session.order_id)).collect(), more)
            }
        };
        Ok(Some(SearchResult::Keys(FoundKeys { keys, more })))
    }

    /// A page of sessions, with one of these keys or all.
    pub(super) async fn sessions(
        &self,
        query: &ListQuery,
        keys: Option<&[SessionKey]>,
        turn: Turn<SessionId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let (store, filter) = (&self.environment.store, query.sessions(self));
        let Some(keys) = keys else { return store.sessions(&filter, turn, limit).await };
        let pages = keys.iter().map(|key| store.sessions_with(key, &filter, turn, limit));
        Ok(merged(try_join_all(pages).await?, turn, limit, |session| session.id))
    }

    /// A page of transactions, of these orders or of all.
    pub(super) async fn transactions(
        &self,
        query: &ListQuery,
        keys: Option<&[SessionKey]>,
        turn: Turn<TransactionId>,
        limit: u32,
    ) -> Result<Vec<Transaction>, StoreError> {
        let (store, filter) = (&self.environment.store, query.transactions(self));
        let Some(keys) = keys else { return store.transactions(&filter, turn, limit).await };
        let pages = orders(keys).map(|order| store.order_transactions(order, &filter, turn, limit));
        Ok(merged(try_join_all(pages).await?, turn, limit, |money| money.id))
    }

    /// A page of callbacks, of these orders or of all.
    pub(super) async fn events(
        &self,
        query: &ListQuery,
        keys: Option<&[SessionKey]>,
        turn: Turn<EventId>,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let (store, filter) = (&self.environment.store, query.events(self));
        let Some(keys) = keys else { return store.events(&filter, turn, limit).await };
        let vendor = self.vendor.id;
        let pages = orders(keys).map(|order| store.order_events(vendor, order, &filter, turn, limit));
        Ok(merged(try_join_all(pages).await?, turn, limit, |event| event.id))
    }

    /// The session with this id, or the session of the item with this id.
    async fn find_id(&self, text: &str, sought: SearchTarget) -> Result<Option<SessionId>, StoreError> {
        let (store, vendor) = (&self.environment.store, self.vendor.id);
        let Some(id) = SessionId::parse(text) else {
            let made = self.environment.store.created_by(text).await?;
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

/// The orders among the keys.
fn orders(keys: &[SessionKey]) -> impl Iterator<Item = &str> {
    keys.iter().filter_map(|key| match key {
        SessionKey::Order(order) => Some(order.as_str()),
        _ => None,
    })
}

/// One page of several that were read with the same turn and limit, newest first and each row once.
fn merged<Row, Id: Ord + Copy>(
    pages: Vec<Vec<Row>>,
    turn: Turn<Id>,
    limit: u32,
    id: impl Fn(&Row) -> Id,
) -> Vec<Row> {
    let mut rows: Vec<Row> = pages.into_iter().flatten().collect();
    rows.sort_by_key(|row| Reverse(id(row)));
    rows.dedup_by_key(|row| id(row));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // Of a newer page the rows next to the page before it are kept.
    if matches!(turn, Turn::Newer(_)) {
        rows.drain(..rows.len().saturating_sub(limit));
    }
    rows.truncate(limit);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_several_keys_become_one() {
        let pages = || vec![vec![9, 6, 3], vec![8, 6, 1], vec![]];
        assert_eq!(merged(pages(), Turn::Newest, 3, |row| *row), [9, 8, 6]);
        assert_eq!(merged(pages(), Turn::Older(10), 9, |row| *row), [9, 8, 6, 3, 1]);
        assert_eq!(merged(pages(), Turn::Newer(0), 3, |row| *row), [6, 3, 1]);
    }
}
