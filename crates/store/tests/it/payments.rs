//! Sessions and their history: they read back as inserted, for their vendor only.

use crate::fixture::{
    Backend, Kind, Shop, commit, good_request, history, minutes, on_both_engines, read, session_id, start,
    text, texts, vendor_id,
};
use std::time::Duration;
use till_domain::{
    change::{Change, HistoryEntry, HistoryKind},
    method::Method,
    request::{CreateRequest, FieldValue},
    session::{self, FailureReason, Outcome, Plan, Session},
};

/// Creates a session by these rules and expects the store to return the very same one.
async fn check_reads_back(kind: Kind, shop: &Shop, request: CreateRequest) {
    let backend = Backend::new(kind).await;
    let (session, changes) = shop.create(1, start(), &request);
    commit(&backend.stores.live, &changes).await;
    assert_eq!(read(&backend.stores.live, 1).await, Some(session.clone()), "{request:?}");
    let backend = backend.reopen().await;
    assert_eq!(read(&backend.stores.live, 1).await, Some(session), "{request:?}, after reopening");
}

async fn an_item_reads_back_as_it_was_inserted(kind: Kind) {
    let described = |name: &str, price: &str, currency: &str| CreateRequest {
        product_name: text(name),
        price: text(price),
        currency: text(currency),
        ..good_request()
    };
    let named = |product: &str, category: &str| CreateRequest {
        order_id: text("A-1"),
        product_id: text(product),
        category_id: text(category),
        ..CreateRequest::default()
    };
    let requests = [
        good_request(),
        described("Ж 🧾 'quoted\" $1 ?1", "999999999999.99", "USD"),
        described("a", "999999999999", "JPY"),
        described("a", "0.001", "KWD"),
        described("a", "10.0", "EUR"),
        CreateRequest { category_id: text("maps"), ..good_request() },
        CreateRequest { order_id: text("  A-1 "), ..good_request() },
        CreateRequest { order_id: text(&"🧾".repeat(255)), ..good_request() },
        named("globe", "maps"),
        CreateRequest { category_id: FieldValue::Absent, ..named("globe", "maps") },
    ];
    for request in requests {
        check_reads_back(kind, &Shop::live(), request).await;
    }
}

async fn addresses_read_back_as_they_were_inserted(kind: Kind) {
    let long = format!("https://shop.example/{}", "a".repeat(2048 - 21));
    for (callback, back) in [
        ("https://shop.example/cb?x=1#f", "https://shop.example/thanks?s={SESSION_ID}"),
        ("HTTPS://Пример.рф/путь", long.as_str()),
    ] {
        let urls = CreateRequest { callback_url: text(callback), return_url: text(back), ..good_request() };
        check_reads_back(kind, &Shop::live(), urls).await;
    }
    check_reads_back(
        kind,
        &Shop::live(),
        CreateRequest { callback_url: text("http://a/"), ..good_request() },
    )
    .await;
    check_reads_back(kind, &Shop::live(), CreateRequest { return_url: text("http://a/"), ..good_request() })
        .await;
}

async fn methods_read_back_as_they_were_inserted(kind: Kind) {
    for method in Method::ALL {
        let default_method = text(method.as_str());
        check_reads_back(kind, &Shop::live(), CreateRequest { default_method, ..good_request() }).await;
        let available_methods = texts(&[method.as_str()]);
        check_reads_back(kind, &Shop::live(), CreateRequest { available_methods, ..good_request() }).await;
    }
    let reversed = CreateRequest {
        default_method: text("sbp"),
        available_methods: texts(&["crypto", "sbp", "card"]),
        ..good_request()
    };
    check_reads_back(kind, &Shop::live(), reversed).await;
}

async fn asked_methods_read_back_whatever_their_words_are(kind: Kind) {
    let odd = ["\u{0}", "a\u{0}b", "🧾", "\"],[\\", "", "\u{202e}", "null"];
    for list in [&odd[..], &[]] {
        let available_methods = texts(list);
        check_reads_back(kind, &Shop::sandbox(), CreateRequest { available_methods, ..good_request() }).await;
    }
    for word in odd {
        let asked = CreateRequest {
            default_method: text(word),
            available_methods: texts(&[word, word]),
            ..good_request()
        };
        check_reads_back(kind, &Shop::sandbox(), asked).await;
        let default_method = text(word);
        check_reads_back(kind, &Shop::sandbox(), CreateRequest { default_method, ..good_request() }).await;
    }
}

async fn another_vendors_session_is_not_found(kind: Kind) {
    let backend = Backend::new(kind).await;
    Shop::live().store(&backend.stores.live, 1, start()).await;
    let found = async |number, vendor| {
        let found = backend.stores.live.session(session_id(number), vendor_id(vendor)).await;
        found.expect("a read").is_some()
    };
    assert!(found(1, 1).await);
    assert!(!found(1, 2).await, "it is another vendor's");
    assert!(!found(2, 1).await, "it does not exist");
}

async fn a_session_whose_id_exists_is_refused_and_the_first_stays(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shop = Shop::live();
    let first = shop.store(&backend.stores.live, 1, start()).await;
    let second = CreateRequest { price: text("1"), ..good_request() };
    let (_, changes) = shop.create(1, start().plus(minutes(1)), &second);
    backend.stores.live.commit(&changes).await.expect_err("the id is taken");
    assert_eq!(read(&backend.stores.live, 1).await, Some(first));
    assert_eq!(history(&backend.stores.live, 1).await, Vec::<String>::new());
}

async fn changes_are_stored_all_or_none(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (session, mut changes) = Shop::live().order(1);
    let stray =
        HistoryEntry { session: session_id(2), at: start(), kind: HistoryKind::MethodChosen, detail: None };
    changes.push(Change::Record(stray));
    backend.stores.live.commit(&changes).await.expect_err("a line about a session that does not exist");
    assert_eq!(read(&backend.stores.live, 1).await, None);
    assert!(history(&backend.stores.live, 1).await.is_empty());
    commit(&backend.stores.live, &changes[..1]).await;
    assert_eq!(read(&backend.stores.live, 1).await, Some(session));
}

async fn history_is_kept_in_the_order_of_the_commits(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut session = shop.store(live, 1, start()).await;
    let now = start().plus(minutes(1));
    // All at one moment, so that only the order of the commits decides.
    for method in [Method::Sbp, Method::Card, Method::Crypto] {
        let (chosen, changes) = session::choose_method(&session, method, &shop.rules, now).expect("offered");
        commit(live, &changes).await;
        session = chosen;
    }
    let lines = live.history(session.id).await.expect("a read");
    let line = |at, kind: &str, detail: Option<&str>| (at, kind.to_owned(), detail.map(str::to_owned));
    let expected = [
        line(now, "method_chosen", Some("sbp")),
        line(now, "method_chosen", Some("card")),
        line(now, "method_chosen", Some("crypto")),
    ];
    assert_eq!(lines, expected);
}

async fn a_choice_of_method_reads_back_with_every_clock(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let mut session = shop.store(live, 1, start()).await;
    for (method, after, deadline) in [(Method::Sbp, 2, 12), (Method::Crypto, 3, 63), (Method::Card, 4, 15)] {
        let now = start().plus(minutes(after));
        let (chosen, changes) = session::choose_method(&session, method, &shop.rules, now).expect("offered");
        commit(live, &changes).await;
        session = read(live, 1).await.expect("stored");
        assert_eq!(session, chosen);
        assert_eq!(session.deadline(), start().plus(minutes(deadline)), "{method}");
    }
}

async fn a_planned_outcome_reads_back_and_the_last_plan_counts(kind: Kind) {
    let backend = Backend::new(kind).await;
    let sandbox = &backend.stores.sandbox;
    let session = Shop::sandbox().store(sandbox, 1, start()).await;
    let mut due = session.due_at();
    let failures = FailureReason::ALL.map(Outcome::Failed);
    for outcome in [Outcome::Paid, Outcome::Expired].into_iter().chain(failures) {
        let plan = Plan { outcome, at: start().plus(Duration::from_millis(30_001)) };
        commit(sandbox, &[Change::PlanOutcome { id: session.id, plan, due_at: plan.at, was_due_at: due }])
            .await;
        due = plan.at;
        let planned = read(sandbox, 1).await.expect("stored");
        assert_eq!(planned, Session { plan: Some(plan), ..session.clone() });
    }
}

#[tokio::test]
#[should_panic(expected = "guarded changes come first in their list")]
async fn a_guarded_change_that_is_not_the_first_is_a_mistake_of_the_program() {
    let backend = Backend::new(Kind::Embedded).await;
    let shop = Shop::live();
    let (session, mut changes) = shop.order(1);
    changes.extend(shop.finish(&session, Outcome::Paid, 1).1);
    let _ = backend.stores.live.commit(&changes).await;
}

on_both_engines!(
    an_item_reads_back_as_it_was_inserted,
    addresses_read_back_as_they_were_inserted,
    methods_read_back_as_they_were_inserted,
    asked_methods_read_back_whatever_their_words_are,
    another_vendors_session_is_not_found,
    a_session_whose_id_exists_is_refused_and_the_first_stays,
    changes_are_stored_all_or_none,
    history_is_kept_in_the_order_of_the_commits,
    a_choice_of_method_reads_back_with_every_clock,
    a_planned_outcome_reads_back_and_the_last_plan_counts,
);
