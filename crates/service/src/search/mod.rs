//! Search by any id, order, amount, customer or reference, across vendors and environments: for the operator's
//! console and for `till search`.

mod keys;

pub use keys::FoundKeys;

use crate::environment::EnvironmentStore;
use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use till_domain::{
    attempt::Attempt,
    chain::{Address, TxHash},
    environment::EnvironmentName,
    id::{ActionId, AttemptId, EventId, SessionId, TransactionId, UserId, VendorId},
    session::Session,
    text, user,
};
use till_store::{Accounts, StoreError, VendorFilter};

/// Characters of a query that are used. An order id may be this long.
pub const MAX_QUERY: usize = 255;

/// The most hits shown. One more may be found, which tells that there are more.
pub const MOST: usize = 50;

/// The most movements of money shown for one reference.
const EACH: u32 = 20;

/// An object that a text stands for.
#[derive(Debug, Clone)]
pub struct Hit {
    /// What the text is of it.
    pub what: HitKind,
    /// The environment; `None` for users and vendors, which exist in both.
    pub environment: Option<EnvironmentName>,
    /// Its description.
    pub name: String,
    /// Its id.
    pub about: String,
    /// What is to be shown.
    pub target: HitTarget,
}

/// What is to be shown for a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum HitTarget {
    Session(SessionId),
    Callback(EventId),
    Action(ActionId),
    Vendor(VendorId),
    User(UserId),
}

/// The kind of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A session found by its id.
    Session,
    /// A session found by its order id.
    Order,
    /// A session found by its amount.
    Amount,
    /// A session found by the customer's e-mail address.
    Customer,
    /// A session found by the id of the request that made it.
    Request,
    Callback,
    /// A movement of money.
    Transaction,
    /// An attempt at a provider.
    Attempt,
    /// An attempt found by the provider's reference, or a payment found by a transaction of its chain.
    Reference,
    /// A refund found by the provider's reference.
    Refund,
    Action,
    Vendor,
    User,
}

impl HitKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Session,
        Self::Order,
        Self::Amount,
        Self::Customer,
        Self::Request,
        Self::Callback,
        Self::Transaction,
        Self::Attempt,
        Self::Reference,
        Self::Refund,
        Self::Action,
        Self::Vendor,
        Self::User,
    ];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Order => "order",
            Self::Amount => "amount",
            Self::Customer => "customer",
            Self::Request => "request",
            Self::Callback => "callback",
            Self::Transaction => "transaction",
            Self::Attempt => "attempt",
            Self::Reference => "reference",
            Self::Refund => "refund",
            Self::Action => "action",
            Self::Vendor => "vendor",
            Self::User => "user",
        }
    }
}

/// One search: the stores that are read, and the names of vendors that were read before.
#[derive(Debug)]
pub struct Search<'a> {
    accounts: &'a Accounts,
    environments: [Searched<'a>; 2],
    vendors: Mutex<HashMap<VendorId, String>>,
}

/// An environment that is searched.
#[derive(Debug)]
pub struct Searched<'a> {
    /// Its store.
    pub store: &'a EnvironmentStore,
    /// The names of its providers.
    pub providers: Vec<&'static str>,
}

impl<'a> Search<'a> {
    /// A search of these stores.
    #[must_use]
    pub fn new(accounts: &'a Accounts, environments: [Searched<'a>; 2]) -> Self {
        Self { accounts, environments, vendors: Mutex::default() }
    }

    fn stores(&self) -> impl Iterator<Item = &'a EnvironmentStore> {
        self.environments.iter().map(|searched| searched.store)
    }

    /// What the text stands for, the surest meanings first: ids and references, users and vendors, then orders.
    /// Beginnings and amounts are searched only if no id and no order is the whole text.
    pub async fn find(&self, q: &str) -> Result<Vec<Hit>, StoreError> {
        let (mut hits, mut is_id) = (Vec::new(), false);
        for searched in &self.environments {
            let store = searched.store;
            let known = by_id(store, q).await?;
            is_id |= !known.is_empty();
            hits.extend(if known.is_empty() { self.by_beginning(store, q).await? } else { known });
            hits.extend(self.by_reference(searched, q).await?);
            if let Some(session) = store.created_by(q).await? {
                hits.push(session_hit(store, HitKind::Request, session.id, session.order_id));
                is_id = true;
            }
        }
        hits.extend(self.people(q).await?);
        let of_customer = self.of_customer(q).await?;
        is_id |= !of_customer.is_empty();
        hits.extend(of_customer);
        let mut orders = Vec::new();
        for store in self.stores() {
            let sessions = store.all_sessions_of_order(q, one_more()).await?;
            orders.extend(self.hits_of(store, HitKind::Order, &sessions).await?);
        }
        if orders.is_empty() && !is_id {
            for store in self.stores() {
                orders.extend(self.orders_beginning(store, q).await?);
                orders.extend(self.of_amount(store, q).await?);
            }
        }
        hits.extend(orders);
        Ok(hits)
    }

    /// The sessions of the customer with this email address, newest first.
    async fn of_customer(&self, q: &str) -> Result<Vec<Hit>, StoreError> {
        let Ok(email) = text::email(q) else { return Ok(Vec::new()) };
        let mut hits = Vec::new();
        for store in self.stores() {
            let mut sessions = store.sessions_of_customer(&email, one_more()).await?;
            sessions.sort_unstable_by_key(|session| Reverse(session.id));
            hits.extend(self.hits_of(store, HitKind::Customer, &sessions).await?);
        }
        Ok(hits)
    }

    /// The sessions whose ids begin with the text.
    async fn by_beginning(&self, store: &EnvironmentStore, q: &str) -> Result<Vec<Hit>, StoreError> {
        let Some(ids) = SessionId::beginning_with(q) else { return Ok(Vec::new()) };
        let sessions = store.all_sessions_between(ids, one_more()).await?;
        self.hits_of(store, HitKind::Session, &sessions).await
    }

    /// The hits of sessions of any vendor.
    async fn hits_of(
        &self,
        store: &EnvironmentStore,
        kind: HitKind,
        sessions: &[Session],
    ) -> Result<Vec<Hit>, StoreError> {
        let mut hits = Vec::with_capacity(sessions.len());
        for session in sessions {
            let vendor = self.vendor_name(session.vendor).await?;
            hits.push(session_hit(store, kind, session.id, name(session, &vendor)));
        }
        Ok(hits)
    }

    /// The name of a vendor, or its id if it is unknown.
    async fn vendor_name(&self, id: VendorId) -> Result<String, StoreError> {
        let known = self.vendors.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(name) = known {
            return Ok(name);
        }
        let vendor = self.accounts.vendor(id).await?;
        let name = vendor.map_or_else(|| id.to_string(), |vendor| vendor.name);
        self.vendors.lock().unwrap_or_else(PoisonError::into_inner).insert(id, name.clone());
        Ok(name)
    }

    /// The sessions whose orders begin with the text, as it is written or in other letters' case.
    async fn orders_beginning(&self, store: &EnvironmentStore, q: &str) -> Result<Vec<Hit>, StoreError> {
        let mut sessions = Vec::new();
        for spelling in keys::spellings(q) {
            sessions.extend(store.all_sessions_beginning(&spelling, one_more()).await?);
        }
        self.hits_of(store, HitKind::Order, &sessions).await
    }

    /// The sessions with an amount that the text may mean.
    async fn of_amount(&self, store: &EnvironmentStore, q: &str) -> Result<Vec<Hit>, StoreError> {
        let mut sessions = Vec::new();
        for sought in keys::sought(q) {
            let found = store.all_sessions_of_amount(sought.minor, sought.currency, one_more()).await?;
            sessions.extend(found.into_iter().filter(|session| sought.fits(session.item.price.money())));
        }
        self.hits_of(store, HitKind::Amount, &sessions).await
    }

    /// The attempts and refunds with this provider reference, reported money with a reference that no attempt has, and
    /// what is known of a transaction or an address of a chain.
    async fn by_reference(&self, searched: &Searched<'_>, q: &str) -> Result<Vec<Hit>, StoreError> {
        let store = searched.store;
        let mut hits = self.on_chain(store, q).await?;
        for provider in &searched.providers {
            if let Some(attempt) = store.attempt_by_reference(provider, q).await? {
                hits.push(attempt_hit(store, HitKind::Reference, &attempt));
            }
            if let Some(refund) = store.refunds().called(provider, q).await? {
                let name = format!("{provider}, {}", refund.amount);
                hits.push(session_hit(store, HitKind::Refund, refund.session, name));
            }
        }
        for money in store.claimed(q, EACH).await? {
            let name = format!("{}, {}", money.provider, money.reference);
            hits.push(session_hit(store, HitKind::Transaction, money.session, name));
        }
        Ok(hits)
    }

    /// The sessions that a transaction of a chain paid, or whose customers were given this address.
    async fn on_chain(&self, store: &EnvironmentStore, q: &str) -> Result<Vec<Hit>, StoreError> {
        let Some(chains) = store.chains() else { return Ok(Vec::new()) };
        let mut ids = Vec::new();
        if let Some(hash) = TxHash::parse(q) {
            ids = chains.sessions_of_hash(hash, one_more()).await?;
        } else if let Some(address) = Address::parse(q) {
            ids.extend(chains.deposit_at(address).await?.map(|deposit| deposit.session));
        }
        let mut sessions = Vec::new();
        for id in ids {
            sessions.extend(store.page_session(id).await?);
        }
        self.hits_of(store, HitKind::Reference, &sessions).await
    }

    /// The vendors and users with this id, client id, name or email address.
    async fn people(&self, q: &str) -> Result<Vec<Hit>, StoreError> {
        let accounts = self.accounts;
        let vendor_hit = |id: VendorId, name: String| Hit {
            what: HitKind::Vendor,
            environment: None,
            name,
            about: id.to_string(),
            target: HitTarget::Vendor(id),
        };
        let mut hits = Vec::new();
        let by_id = match VendorId::parse(q) {
            Some(id) => accounts.vendor(id).await?,
            None => accounts.vendor_of_client(q).await?,
        };
        hits.extend(by_id.map(|vendor| vendor_hit(vendor.id, vendor.name)));
        let limit = u32::try_from(MOST).unwrap_or(u32::MAX);
        let named = VendorFilter { has: q.to_owned(), limit, ..VendorFilter::default() };
        let named = accounts.find_vendors(&named).await?;
        hits.extend(named.into_iter().map(|vendor| vendor_hit(vendor.summary.id, vendor.summary.name)));
        let known = match (UserId::parse(q), user::email(q)) {
            (Some(id), _) => accounts.user(id).await?,
            (None, Ok(email)) => accounts.user_by_email(&email).await?,
            (None, Err(_)) => None,
        };
        hits.extend(known.map(|known| Hit {
            what: HitKind::User,
            environment: None,
            about: known.user.id.to_string(),
            target: HitTarget::User(known.user.id),
            name: known.user.email,
        }));
        Ok(hits)
    }
}

/// The objects of an environment that have this id.
async fn by_id(store: &EnvironmentStore, q: &str) -> Result<Vec<Hit>, StoreError> {
    let Some(id) = SessionId::parse(q) else { return Ok(Vec::new()) };
    let bytes = *id.as_bytes();
    let mut hits = Vec::new();
    if let Some(session) = store.page_session(id).await? {
        hits.push(session_hit(store, HitKind::Session, id, session.order_id));
    }
    if let Some(event) = store.event(EventId::from_bytes(bytes)).await? {
        let (target, about) = (HitTarget::Callback(event.id), event.session.to_string());
        hits.push(hit(store, HitKind::Callback, (event.event, about), target));
    }
    if let Some(money) = store.transaction(TransactionId::from_bytes(bytes)).await? {
        hits.push(session_hit(store, HitKind::Transaction, money.session, money.amount.to_string()));
    }
    if let Some(attempt) = store.attempt(AttemptId::from_bytes(bytes)).await? {
        hits.push(attempt_hit(store, HitKind::Attempt, &attempt));
    }
    if let Some(stored) = store.action(ActionId::from_bytes(bytes)).await? {
        let action = stored.action;
        let named = (action.kind.as_str().to_owned(), action.id.to_string());
        hits.push(hit(store, HitKind::Action, named, HitTarget::Action(action.id)));
    }
    Ok(hits)
}

/// One more than are shown, which tells whether there are more.
fn one_more() -> u32 {
    u32::try_from(MOST + 1).unwrap_or(u32::MAX)
}

/// A session as a hit names it: order, product and price, vendor, status.
fn name(session: &Session, vendor: &str) -> String {
    let item = &session.item;
    format!(
        "{}, {}, {}, {vendor}, {}",
        session.order_id,
        item.name,
        item.price.money(),
        session.state.status()
    )
}

fn hit(store: &EnvironmentStore, what: HitKind, (name, about): (String, String), target: HitTarget) -> Hit {
    Hit { what, environment: Some(store.name), name, about, target }
}

fn session_hit(store: &EnvironmentStore, what: HitKind, id: SessionId, name: String) -> Hit {
    hit(store, what, (name, id.to_string()), HitTarget::Session(id))
}

fn attempt_hit(store: &EnvironmentStore, what: HitKind, attempt: &Attempt) -> Hit {
    let name = format!("{}, {}", attempt.provider, attempt.reference.as_deref().unwrap_or("-"));
    session_hit(store, what, attempt.session, name)
}
