//! The panel's search: values by their beginning, and the sessions with a value, compared with a plain scan.

use crate::fixture::{
    Backend, Kind, Shop, commit, good_request, minutes, on_both_engines, start, text, vendor_id,
};
use till_domain::{
    attempt::{self, Beginning},
    id::{AttemptId, EventId, SessionId},
    method::Method,
    money::{Currency, Money},
    request::{CreateRequest, FieldValue},
    session::{self, Catalog, Creation, FailureReason, Outcome, Session, Status},
    vendor::Vendor,
};
use till_store::{Payments, SearchColumn, SessionFilter, SessionKey, Span, Turn};

const NAMES: [&str; 5] = ["Atlas", "Atlas II", "atlas", "Глобус", "Zoo%_"];

fn entropy(number: u64) -> [u8; 10] {
    let mut entropy = [7; 10];
    entropy[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    entropy
}

/// Creates the session with this number: a product of five, a price of three, pending or ended, of two vendors, every
/// third with an e-mail address and metadata.
async fn play(payments: &Payments, number: u64) -> Session {
    let mut shop = Shop::live();
    shop.vendor = Vendor { id: vendor_id(1 + number % 2), ..shop.vendor };
    let now = start().plus(minutes(number));
    let pick = |count: usize| usize::try_from(number).expect("small") / 2 % count;
    let mut request = good_request();
    request.product_name = text(NAMES[pick(5)]);
    request.price = text(["2490", "2490.00", "24.90"][pick(3)]);
    request.currency = text(["RUB", "USD"][pick(2)]);
    request.order_id = text(&format!("B-{}", number / 4));
    request.default_method = text(Method::ALL[pick(3)].as_str());
    if pick(3) == 1 {
        request.customer_email = text("Carl@Mail.example");
        let members = [("cart", format!("c{}", pick(2))), ("note", "a\nb".to_owned())];
        let members = members.map(|(key, value)| (key.to_owned(), FieldValue::Text(value)));
        request.metadata = FieldValue::Object(members.into());
    }
    let creation = Creation {
        rules: &shop.rules,
        vendor: &shop.vendor,
        catalog: &Catalog::default(),
        now,
        id: SessionId::new(now, &entropy(number)),
        request_id: "req",
    };
    let (session, changes) = session::create(&request, &creation).expect("a good request");
    commit(payments, &changes).await;
    let outcome = match number % 7 {
        0 | 1 => return session,
        2..=4 => Outcome::Paid,
        5 => Outcome::Failed(FailureReason::CardDeclined),
        _ => Outcome::Expired,
    };
    let event = EventId::new(now, &entropy(number + 1_000));
    let (session, changes) =
        session::finish(&session, outcome, now, &shop.vendor.settings, event).expect("it is pending");
    commit(payments, &changes).await;
    session
}

async fn story(kind: Kind) -> (Backend, Vec<Session>) {
    let backend = Backend::new(kind).await;
    let mut sessions = Vec::new();
    for number in 0..80 {
        sessions.push(play(&backend.stores.live, number).await);
    }
    sessions.reverse();
    (backend, sessions)
}

/// All pages of a key, there and back.
async fn walk(live: &Payments, key: &SessionKey, filter: &SessionFilter) -> Vec<SessionId> {
    let read = async |turn| -> Vec<SessionId> {
        let page = live.sessions_with(key, filter, turn, 3).await.expect("a read");
        page.iter().map(|session| session.id).collect()
    };
    let (mut down, mut page) = (Vec::new(), read(Turn::Newest).await);
    while let Some(last) = page.last().copied() {
        down.extend(&page);
        page = read(Turn::Older(last)).await;
    }
    let mut up: Vec<SessionId> = down.last().copied().into_iter().collect();
    while let Some(first) = up.first().copied() {
        let page = read(Turn::Newer(first)).await;
        if page.is_empty() {
            break;
        }
        up.splice(0..0, page);
    }
    assert_eq!(down, up, "there and back");
    down
}

async fn values_are_found_by_their_beginning(kind: Kind) {
    let (backend, _) = story(kind).await;
    let live = &backend.stores.live;
    let find = async |column, text: &str, limit| {
        live.values_beginning(vendor_id(1), column, text, limit).await.expect("a read")
    };
    for (text, names) in [
        ("Atlas", vec!["Atlas", "Atlas II"]),
        ("Atlas ", vec!["Atlas II"]),
        ("at", vec!["atlas"]),
        ("Гло", vec!["Глобус"]),
        ("Zoo%_", vec!["Zoo%_"]),
        ("Zoo__", vec![]),
        ("%", vec![]),
        ("las", vec![]),
        ("\0", vec![]),
    ] {
        assert_eq!(find(SearchColumn::Product, text, 10).await, names, "{text}");
    }
    assert_eq!(find(SearchColumn::Product, "", 3).await, ["Atlas", "Atlas II", "Zoo%_"], "byte by byte");
    assert_eq!(find(SearchColumn::Order, "B-1", 4).await, ["B-1", "B-10", "B-11", "B-12"], "the first ones");
    assert_eq!(find(SearchColumn::Order, "B-1", 50).await.len(), 11);
    let shop = Shop::live();
    let request =
        CreateRequest { product_id: text("globe"), order_id: text("G-1"), ..CreateRequest::default() };
    let (session, changes) = shop.create(1, start(), &request);
    commit(live, &changes).await;
    let globe = SessionKey::ProductId("globe".to_owned());
    let all = SessionFilter { vendor: vendor_id(1), status: None, method: None, span: Span::default() };
    for pending in [true, false] {
        assert_eq!(find(SearchColumn::ProductId, "glo", 5).await, ["globe"], "{pending}");
        let found = live.sessions_with(&globe, &all, Turn::Newest, 5).await.expect("a read");
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [session.id], "{pending}");
        if pending {
            commit(live, &shop.finish(&session, Outcome::Paid, 1).1).await;
        }
    }
    assert!(find(SearchColumn::ProductId, "a", 5).await.is_empty());
    let units = async |minor| live.currencies_of(vendor_id(1), minor).await.expect("a read");
    assert_eq!(units(249_000).await.len(), 2);
    assert!(units(1).await.is_empty());
    let strange = live.values_beginning(vendor_id(3), SearchColumn::Order, "B", 5).await.expect("a read");
    assert!(strange.is_empty(), "another vendor has none of them");
}

async fn sessions_of_a_product_or_an_amount_are_paged_both_ways_by_every_filter(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    let rub = Currency::parse("RUB").expect("a currency");
    let mut keys: Vec<SessionKey> =
        NAMES.iter().map(|name| SessionKey::Product((*name).to_owned())).collect();
    keys.extend([249_000, 2_490].map(|minor| SessionKey::Amount(Money { minor, currency: rub })));
    keys.push(SessionKey::Order("B-3".to_owned()));
    keys.push(SessionKey::Ids([sessions[40].id, sessions[20].id]));
    keys.push(SessionKey::Email("carl@mail.example".to_owned()));
    for (key, value) in [("cart", "c0"), ("cart", "c1"), ("note", "a\nb"), ("note", "a"), ("Cart", "c0")] {
        keys.push(SessionKey::Metadata([key.to_owned(), value.to_owned()]));
    }
    let fits = |key: &SessionKey, session: &Session| match key {
        SessionKey::Product(name) => session.item.name == *name,
        SessionKey::Amount(money) => session.item.price.money() == *money,
        SessionKey::Order(order) => session.order_id == *order,
        SessionKey::Ids([first, last]) => (*first..=*last).contains(&session.id),
        SessionKey::Email(email) => {
            session.customer.email.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(email))
        }
        SessionKey::Metadata([key, value]) => session.metadata.iter().any(|member| member == (key, value)),
        SessionKey::ProductId(_) => false,
    };
    let mut found = 0;
    for key in &keys {
        for status in Status::ALL.into_iter().map(Some).chain([None]) {
            for method in [None, Some(Method::Card), Some(Method::Crypto)] {
                let span =
                    Span { since: Some(start().plus(minutes(5))), until: Some(start().plus(minutes(70))) };
                let filter = SessionFilter { vendor: vendor_id(1), status, method, span };
                let wanted = sessions.iter().filter(|session| {
                    let at = session.created_at.since(start()).as_secs() / 60;
                    session.vendor == vendor_id(1)
                        && fits(key, session)
                        && status.is_none_or(|status| session.state.status() == status)
                        && method.is_none_or(|method| session.methods.chosen == method)
                        && (5..70).contains(&at)
                });
                let wanted: Vec<SessionId> = wanted.map(|session| session.id).collect();
                assert_eq!(walk(live, key, &filter).await, wanted, "{key:?} {filter:?}");
                found += wanted.len();
            }
        }
    }
    assert!(found > 100, "the story has something to find, not {found}");
}

/// Begins an attempt at a pending session by a customer with this address.
async fn try_to_pay(payments: &Payments, session: &Session, email: &str, number: u64) {
    let beginning = Beginning {
        session,
        method: session.methods.chosen,
        provider: "simulator",
        choice: None,
        email: Some(email.to_owned()),
        language: None,
        id: AttemptId::new(session.created_at, &entropy(number)),
    };
    let begun = attempt::begin(beginning, &Shop::live().rules, session.created_at);
    let (_, _, changes) = begun.expect("it may begin");
    commit(payments, &changes).await;
}

async fn a_customer_is_found_by_the_whole_address_in_any_case(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    let pending: Vec<&Session> =
        sessions.iter().filter(|session| session.state.status() == Status::Pending).collect();
    assert!(pending.len() > 15, "{}", pending.len());
    let mut of_ann = Vec::new();
    for (number, session) in (0..).zip(&pending) {
        let email = ["Ann@Mail.example", "ann@mail.example", "bob@mail.example"][number % 3];
        // An address that was both given and typed is found once.
        let email = session.customer.email.as_deref().unwrap_or(email);
        try_to_pay(live, session, email, 9_000 + u64::try_from(number).expect("small")).await;
        of_ann.extend((email.eq_ignore_ascii_case("ann@mail.example")).then_some(*session));
    }
    let ann = SessionKey::Email("ANN@mail.example".to_owned());
    for method in [None, Some(Method::Card), Some(Method::Crypto)] {
        for vendor in [vendor_id(1), vendor_id(2), vendor_id(3)] {
            let filter = SessionFilter { vendor, status: None, method, span: Span::default() };
            let wanted = of_ann.iter().filter(|session| {
                session.vendor == vendor && method.is_none_or(|method| session.methods.chosen == method)
            });
            let wanted: Vec<SessionId> = wanted.map(|session| session.id).collect();
            assert_eq!(walk(live, &ann, &filter).await, wanted, "{filter:?}");
            let paid = SessionFilter { status: Some(Status::Paid), ..filter };
            assert!(walk(live, &ann, &paid).await.is_empty());
        }
    }
    let all: Vec<SessionId> = of_ann.iter().map(|session| session.id).collect();
    let ids = async |email, limit| -> Vec<SessionId> {
        let found = live.sessions_of_customer(email, limit).await.expect("a read");
        found.iter().map(|session| session.id).collect()
    };
    assert_eq!(ids("ann@MAIL.example", 100).await, all, "of every vendor");
    assert_eq!(ids("ann@mail.example", 3).await.len(), 3);
    let carl: Vec<SessionId> = sessions
        .iter()
        .filter(|session| session.customer.email.is_some())
        .map(|session| session.id)
        .collect();
    assert!(carl.len() > 20 && ids("carl@MAIL.example", 100).await == carl, "the vendor gave the address");
    for other in ["ann@mail.exampl", "ann@mail.example2", "%", ""] {
        assert!(ids(other, 9).await.is_empty(), "{other}");
    }
}

async fn the_sessions_of_all_vendors_are_found_by_order_and_amount(kind: Kind) {
    let (backend, sessions) = story(kind).await;
    let live = &backend.stores.live;
    let ids = |found: Vec<Session>| -> Vec<SessionId> { found.iter().map(|session| session.id).collect() };
    let wanted = |fits: &dyn Fn(&Session) -> bool| -> Vec<SessionId> {
        sessions.iter().filter(|session| fits(session)).map(|session| session.id).collect()
    };
    for order in ["B-1", "B-12", "B", "B-999", "", "\0"] {
        let found = live.all_sessions_of_order(order, 1_000).await.expect("a read");
        assert_eq!(ids(found), wanted(&|session| session.order_id == order), "{order}");
    }
    let between = live.all_sessions_between([sessions[40].id, sessions[20].id], 99).await.expect("a read");
    assert_eq!(between, sessions[20..=40]);
    for begin in ["B-1", "B-12", "B", "b", "", "\0", "B-999"] {
        let found = live.all_sessions_beginning(begin, 1_000).await.expect("a read");
        assert!(found.is_sorted_by(|one, next| one.order_id <= next.order_id), "{begin}");
        let mut found = ids(found);
        found.sort_unstable_by(|one, next| next.cmp(one));
        let of_orders = wanted(&|session| !begin.is_empty() && session.order_id.starts_with(begin));
        assert_eq!(found, of_orders, "{begin}");
    }
    for minor in [249_000, 2_490, 1] {
        let found = live.all_sessions_of_amount(minor, None, 1_000).await.expect("a read");
        let of_amount = wanted(&|session| session.item.price.money().minor == minor);
        assert_eq!(ids(found), of_amount, "{minor}: newest first, pending ones too");
        // Those of other currencies do not use up the limit.
        let usd = Currency::parse("USD").expect("a currency");
        let money = Money { minor, currency: usd };
        let found = live.all_sessions_of_amount(minor, Some(usd), 4).await.expect("a read");
        let wanted = wanted(&|session| session.item.price.money() == money);
        assert!(found.len() >= wanted.len().min(4), "{minor}");
        assert!(found.iter().all(|session| session.item.price.money() == money), "{minor}");
    }
    for found in [live.all_sessions_of_order("B-1", 1).await, live.all_sessions_beginning("B", 1).await] {
        assert_eq!(found.expect("a read").len(), 1);
    }
}

on_both_engines!(
    the_sessions_of_all_vendors_are_found_by_order_and_amount,
    a_customer_is_found_by_the_whole_address_in_any_case,
    values_are_found_by_their_beginning,
    sessions_of_a_product_or_an_amount_are_paged_both_ways_by_every_filter,
);
