//! Search by any id, order, product or amount, across vendors and environments.

pub mod view;

use crate::{
    Access, Panel, Route,
    console::search::view::{Hit, HitKind, Search},
    does,
    pages::{NavItem, vendor_name::VendorName},
    payments::keys::{self, FoundKeys},
    sealed_search, shows,
    visit::{Answer, Visit, go},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    attempt::Attempt,
    chain::{Address, TxHash},
    id::{ActionId, AttemptId, EventId, SessionId, TransactionId, UserId, VendorId},
    session::Session,
    text, user,
};
use till_service::environment::Environment;
use till_store::{SearchColumn, SessionFilter, SessionKey, Span, StoreError, Turn, VendorFilter};

const PATH: &str = "/operator/search";

/// Who may decrypt a search for a customer.
const OWNER: &str = "the operator";

/// Characters of the query that are used. An order id may be this long.
const MAX_QUERY: usize = 255;

/// The most hits shown.
const MOST: usize = 50;

/// The most sessions shown for one order, product or amount.
const EACH: u32 = 20;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![shows(PATH, operate, show), does(PATH, operate, search)]
}

/// Leads to the results of the text that was typed; the address has an e-mail address encrypted.
async fn search(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let typed = visit.form.get("q").trim();
    let sealed = sealed_search::seal(&panel.admin.vault, OWNER, typed);
    let (name, value) = sealed.as_deref().map_or(("q", typed), |sealed| (sealed_search::PARAMETER, sealed));
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    Ok(go(&format!("{PATH}?{query}")))
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let sealed = visit.query.get(sealed_search::PARAMETER);
    let customer = sealed_search::open(&panel.admin.vault, OWNER, sealed);
    let typed = customer.unwrap_or_else(|| visit.query.get("q").to_owned());
    let q: String = typed.trim().chars().take(MAX_QUERY).collect();
    let mut hits = if q.is_empty() { Vec::new() } else { find(&panel, &q).await? };
    // If all hits lead to the same page, redirects there.
    if let Some(first) = hits.first().filter(|first| hits.iter().all(|hit| hit.href == first.href)) {
        return Ok(go(&first.href));
    }
    let more = hits.len() > MOST;
    hits.truncate(MOST);
    Ok(visit.page(&panel, Some(NavItem::Search), Search { q, hits, more }))
}

/// What the text stands for, the surest meanings first: ids and references, users and vendors, then orders.
/// Beginnings, products and amounts are searched only if no id and no order is the whole text.
async fn find(panel: &Panel, q: &str) -> Result<Vec<Hit>, StoreError> {
    let (mut hits, mut is_id) = (Vec::new(), false);
    for environment in panel.senders.iter().map(|sender| sender.environment()) {
        let known = by_id(environment, q).await?;
        is_id |= !known.is_empty();
        hits.extend(if known.is_empty() { by_beginning(panel, environment, q).await? } else { known });
        hits.extend(by_reference(panel, environment, q).await?);
        if let Some(session) = environment.session_of_request(q).await? {
            hits.push(session_hit(environment, HitKind::Request, session.id, session.order_id));
            is_id = true;
        }
    }
    hits.extend(accounts(panel, q).await?);
    let of_customer = of_customer(panel, q).await?;
    is_id |= !of_customer.is_empty();
    hits.extend(of_customer);
    let mut orders = Vec::new();
    for sender in &panel.senders {
        orders.extend(of_each(panel, sender.environment(), q, Meaning::Order).await?);
    }
    if orders.is_empty() && !is_id {
        for sender in &panel.senders {
            orders.extend(of_each(panel, sender.environment(), q, Meaning::Beginning).await?);
        }
    }
    hits.extend(orders);
    Ok(hits)
}

/// The sessions in which a customer typed this e-mail address.
async fn of_customer(panel: &Panel, q: &str) -> Result<Vec<Hit>, StoreError> {
    let Ok(email) = text::email(q) else { return Ok(Vec::new()) };
    let mut hits = Vec::new();
    for environment in panel.senders.iter().map(|sender| sender.environment()) {
        let sessions = environment.store.sessions_of_customer(&email, one_more()).await?;
        hits.extend(hits_of(panel, environment, HitKind::Customer, &sessions).await?);
    }
    Ok(hits)
}

/// The objects of an environment that have this id.
async fn by_id(environment: &Environment, q: &str) -> Result<Vec<Hit>, StoreError> {
    let Some(id) = SessionId::parse(q) else { return Ok(Vec::new()) };
    let (store, bytes) = (&environment.store, *id.as_bytes());
    let mut hits = Vec::new();
    if let Some(session) = store.page_session(id).await? {
        hits.push(session_hit(environment, HitKind::Session, id, session.order_id));
    }
    if let Some(event) = store.event(EventId::from_bytes(bytes)).await? {
        let href = format!("/operator/callbacks/{}/{}", environment.name, event.id);
        hits.push(hit(environment, HitKind::Callback, (event.event, event.session.to_string()), href));
    }
    if let Some(money) = store.transaction(TransactionId::from_bytes(bytes)).await? {
        hits.push(session_hit(environment, HitKind::Transaction, money.session, money.amount.to_string()));
    }
    if let Some(attempt) = store.attempt(AttemptId::from_bytes(bytes)).await? {
        hits.push(attempt_hit(environment, HitKind::Attempt, &attempt));
    }
    if let Some(stored) = store.action(ActionId::from_bytes(bytes)).await? {
        let kind = stored.action.kind.as_str().to_owned();
        hits.push(match stored.action.session {
            Some(session) => session_hit(environment, HitKind::Action, session, kind),
            None => {
                let href = format!("/operator/actions?env={}", environment.name);
                hit(environment, HitKind::Action, (kind, stored.action.id.to_string()), href)
            }
        });
    }
    Ok(hits)
}

/// The sessions whose ids begin with this text, such as a payment's reference.
async fn by_beginning(panel: &Panel, environment: &Environment, q: &str) -> Result<Vec<Hit>, StoreError> {
    let Some(ids) = SessionId::beginning_with(q) else { return Ok(Vec::new()) };
    let sessions = environment.store.all_sessions_between(ids, one_more()).await?;
    hits_of(panel, environment, HitKind::Session, &sessions).await
}

/// The hits of sessions of any vendor.
async fn hits_of(
    panel: &Panel,
    environment: &Environment,
    kind: HitKind,
    sessions: &[Session],
) -> Result<Vec<Hit>, StoreError> {
    let mut hits = Vec::with_capacity(sessions.len());
    for session in sessions {
        let vendor = panel.vendor_name(session.vendor).await?;
        hits.push(session_hit(environment, kind, session.id, name(session, &vendor.name)));
    }
    Ok(hits)
}

/// One more than are shown, which tells whether there are more.
fn one_more() -> u32 {
    u32::try_from(MOST + 1).unwrap_or(u32::MAX)
}

/// What a text may stand for among the sessions of a vendor.
#[derive(Clone, Copy)]
enum Meaning {
    /// The whole id of an order.
    Order,
    /// The beginning of an order or a product, or an amount.
    Beginning,
}

/// The sessions of all vendors that the text stands for.
async fn of_each(
    panel: &Panel,
    environment: &Environment,
    q: &str,
    meaning: Meaning,
) -> Result<Vec<Hit>, StoreError> {
    let vendors = match meaning {
        Meaning::Order => environment.store.vendors_of_order(q, one_more()).await?,
        Meaning::Beginning => matching_vendors(environment, q).await?,
    };
    let mut hits = Vec::new();
    for vendor in vendors {
        let vendor = panel.vendor_name(vendor).await?;
        hits.extend(of_vendor(environment, &vendor, q, meaning).await?);
        if hits.len() > MOST {
            break;
        }
    }
    Ok(hits)
}

/// The vendors with an order or a product that begins with the text, or with such an amount.
async fn matching_vendors(environment: &Environment, q: &str) -> Result<Vec<VendorId>, StoreError> {
    let (store, texts) = (&environment.store, keys::spellings(q));
    let mut vendors = Vec::new();
    for column in [SearchColumn::Order, SearchColumn::Product, SearchColumn::ProductId] {
        vendors.extend(store.vendors_beginning(column, &texts, one_more()).await?);
    }
    for minor in keys::minor_units(q) {
        vendors.extend(store.vendors_of_amount(minor, one_more()).await?);
    }
    vendors.sort_unstable();
    vendors.dedup();
    Ok(vendors)
}

async fn of_vendor(
    environment: &Environment,
    vendor: &VendorName,
    q: &str,
    meaning: Meaning,
) -> Result<Vec<Hit>, StoreError> {
    let store = &environment.store;
    let hit =
        |kind, session: &Session| session_hit(environment, kind, session.id, name(session, &vendor.name));
    if let Meaning::Order = meaning {
        let sessions = store.sessions_of_order(vendor.id, q, EACH).await?;
        return Ok(sessions.iter().map(|session| hit(HitKind::Order, session)).collect());
    }
    let mut hits: Vec<Hit> = Vec::new();
    for key in FoundKeys::all(store, vendor.id, q).await?.keys {
        let kind = match key {
            SessionKey::Order(_) | SessionKey::Ids(_) => HitKind::Order,
            SessionKey::Product(_) | SessionKey::ProductId(_) => HitKind::Product,
            SessionKey::Amount(_) => HitKind::Amount,
            SessionKey::Email(_) => HitKind::Customer,
        };
        for session in store.sessions_with(&key, &all_of(vendor.id), Turn::Newest, EACH).await? {
            let found = hit(kind, &session);
            if hits.iter().all(|known| known.href != found.href) {
                hits.push(found);
            }
        }
        if hits.len() > MOST {
            break;
        }
    }
    Ok(hits)
}

fn all_of(vendor: VendorId) -> SessionFilter {
    SessionFilter { vendor, status: None, method: None, span: Span::default() }
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

/// The attempts and refunds with this provider reference, reported money with a reference that no attempt has, and
/// what is known of a transaction or an address of a chain.
async fn by_reference(panel: &Panel, environment: &Environment, q: &str) -> Result<Vec<Hit>, StoreError> {
    let mut hits = on_chain(panel, environment, q).await?;
    for provider in panel.cashier(environment.name).providers() {
        if let Some(attempt) = environment.store.attempt_by_reference(provider, q).await? {
            hits.push(attempt_hit(environment, HitKind::Reference, &attempt));
        }
        if let Some(refunds) = environment.store.refunds()
            && let Some(refund) = refunds.called(provider, q).await?
        {
            let name = format!("{provider}, {}", refund.amount);
            hits.push(session_hit(environment, HitKind::Refund, refund.session, name));
        }
    }
    for money in environment.store.claimed(q, EACH).await? {
        let name = format!("{}, {}", money.provider, money.reference);
        hits.push(session_hit(environment, HitKind::Transaction, money.session, name));
    }
    Ok(hits)
}

/// The sessions that a transaction of a chain paid, or whose customers were given this address.
async fn on_chain(panel: &Panel, environment: &Environment, q: &str) -> Result<Vec<Hit>, StoreError> {
    let Some(chains) = environment.store.chains() else { return Ok(Vec::new()) };
    let mut ids = Vec::new();
    if let Some(hash) = TxHash::parse(q) {
        ids = chains.sessions_of_hash(hash, one_more()).await?;
    } else if let Some(address) = Address::parse(q) {
        ids.extend(chains.deposit_at(address).await?.map(|deposit| deposit.session));
    }
    let mut sessions = Vec::new();
    for id in ids {
        sessions.extend(environment.store.page_session(id).await?);
    }
    hits_of(panel, environment, HitKind::Reference, &sessions).await
}

async fn accounts(panel: &Panel, q: &str) -> Result<Vec<Hit>, StoreError> {
    let accounts = &panel.admin.accounts;
    let vendor_hit = |id: VendorId, name: String| Hit {
        what: HitKind::Vendor,
        environment: None,
        name,
        about: id.to_string(),
        href: format!("/operator/vendors/{id}"),
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
        name: known.user.email,
        about: known.user.id.to_string(),
        href: format!("/operator/users/{}", known.user.id),
    }));
    Ok(hits)
}

fn hit(environment: &Environment, what: HitKind, (name, about): (String, String), href: String) -> Hit {
    Hit { what, environment: Some(environment.name), name, about, href }
}

fn session_hit(environment: &Environment, what: HitKind, id: SessionId, name: String) -> Hit {
    let href = format!("/operator/sessions/{}/{id}", environment.name);
    hit(environment, what, (name, id.to_string()), href)
}

fn attempt_hit(environment: &Environment, what: HitKind, attempt: &Attempt) -> Hit {
    let name = format!("{}, {}", attempt.provider, attempt.reference.as_deref().unwrap_or("-"));
    session_hit(environment, what, attempt.session, name)
}
