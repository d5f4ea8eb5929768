//! Starts: what is asked for, what T-Bank's answer may be, and starts that are not answered.

use super::*;
use till_domain::attempt::Instructions;

#[tokio::test]
async fn a_card_payment_lives_as_long_as_its_session() {
    let world = World::new();
    let attempt = attempt(Method::Card);
    let deadline = Timestamp::from_ms(attempt.started_at.as_ms() / 1_000 * 1_000 + 15 * 60_000 + 999);
    let started = world.start_until(&attempt, deadline).await.expect("it starts");
    assert!(
        matches!(&started.instructions, Instructions::Redirect { url } if url.starts_with("https://pay.tbank.ru/"))
    );
    let payment = world.payment(&started.reference).await;
    assert_eq!(payment["due"].as_f64().map(|due| due as i64), Some(deadline.as_ms() / 1_000), "rounded down");
    let asked = world.calls("Init").await.remove(0);
    for (name, value) in [
        ("OrderId", json!(attempt.id.to_string())),
        ("Amount", json!(149_000)),
        ("PayType", json!("T")),
        ("Language", json!("ru")),
        ("Description", json!("Заказ 72")),
        ("SuccessURL", json!(BACK)),
        ("FailURL", json!(BACK)),
        ("DATA", json!({ "OperationInitiatorType": "0" })),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
    assert!(asked.get("Password").is_none() && !asked.to_string().contains(Fake::PASSWORD));
}

#[tokio::test]
async fn sbp_gets_a_code_with_or_without_a_query() {
    let world = World::new();
    for code in ["https://qr.nspk.ru/{qrc}", "https://qr.nspk.ru/{qrc}?type=02&sum=1&cur=RUB&crc=AB75"] {
        world.set(json!({ "code": code })).await;
        let attempt = world.open(Method::Sbp).await;
        let Some(Instructions::Qr { payload, app_url }) = &attempt.instructions else { panic!("no code") };
        assert!(payload.starts_with("https://qr.nspk.ru/AD10") && payload == app_url, "{payload}");
        world.pay(&attempt).await;
        assert_eq!(world.check(&attempt).await, paid(&attempt));
    }
    assert_eq!(world.calls("Init").await[0]["PayType"], "O", "SBP holds nothing");
}

#[tokio::test]
async fn with_less_than_a_minute_left_nothing_is_started() {
    let world = World::new();
    let second = Duration::from_secs(1);
    for (left, asked) in [(59 * second, 0), (60 * second - Duration::from_millis(50), 0), (62 * second, 1)] {
        let attempt = attempt(Method::Sbp);
        let started = world.start_until(&attempt, now().plus(left)).await;
        assert_eq!(started.is_ok(), asked > 0, "{left:?}: {started:?}");
        assert!(started.is_ok() || is_definite(&started));
        assert_eq!(world.calls("Init").await.len(), asked, "{left:?}");
    }
    assert_eq!(world.tbank.least_time(), 60 * second);
}

#[tokio::test]
async fn what_t_bank_does_not_take_is_refused_without_a_call() {
    let world = World::with("[most]\ncard = \"2000.00\"\n");
    for (minor, method, taken) in [
        (99, Method::Card, false),
        (100, Method::Card, true),
        (200_000, Method::Card, true),
        (200_001, Method::Card, false),
        (999, Method::Sbp, false),
        (1_000, Method::Sbp, true),
        (100_000_000, Method::Sbp, true),
        (100_000_001, Method::Sbp, false),
        (1_000, Method::Crypto, false),
    ] {
        assert_eq!(world.tbank.takes(method, money(minor)), taken, "{minor} {method}");
        let attempt = Attempt { charge: Quantity::from(money(minor)), ..attempt(method) };
        assert!(taken || is_definite(&world.start(&attempt).await));
    }
    let euros = Money { minor: 5_000, currency: Currency::parse("EUR").expect("a currency") };
    assert!(!world.tbank.takes(Method::Card, euros));
    assert!(world.calls("Init").await.is_empty());
}

#[tokio::test]
async fn a_link_to_a_foreign_host_is_never_given_out() {
    let world = World::new();
    world.set(json!({ "page": "https://pay.tbank.ru.evil.example/{id}" })).await;
    assert!(is_definite(&world.start(&attempt(Method::Card)).await));
    world.set(json!({ "code": "https://qr.evil.example/{qrc}" })).await;
    assert!(is_definite(&world.start(&attempt(Method::Sbp)).await));
}

#[tokio::test]
async fn an_answer_about_something_else_is_not_believed() {
    let world = World::new();
    for members in [
        json!({ "Amount": 148_999 }),
        json!({ "OrderId": "another" }),
        json!({ "PaymentId": "../1" }),
        json!({ "PaymentId": null }),
    ] {
        world.does("fault", json!({ "on": "Init", "kind": "changed", "members": members })).await;
        assert!(is_unknown(&world.start(&attempt(Method::Card)).await), "{members}");
    }
    let open = world.open(Method::Card).await;
    for members in
        [json!({ "PaymentId": "1" }), json!({ "OrderId": "another" }), json!({ "Status": "NEWER" })]
    {
        world.does("fault", json!({ "on": "GetState", "kind": "changed", "members": members })).await;
        assert!(is_unknown(&world.tbank.check(&open).await), "{members}");
    }
    let other = json!({ "Status": "CONFIRMED", "Amount": 100 });
    world.does("fault", json!({ "on": "GetState", "kind": "changed", "members": other })).await;
    let Observation::Paid { received, .. } = world.check(&open).await else { panic!("it says paid") };
    assert_eq!(received, Quantity::from(money(100)), "the amount is T-Bank's");
}

#[tokio::test]
async fn an_unanswered_start_by_sbp_is_used_and_one_by_card_closed() {
    let world = World::new();
    // T-Bank's own documents differ on both: a second payment of an order, and which of them a search lists.
    for (duplicates, last_only) in [("refuse", false), ("accept", true)] {
        world.set(json!({ "duplicates": duplicates, "last_only": last_only })).await;
        for kind in
            ["timeout_after", "hang_up_after", "500_after", "code_999_after", "malformed_after", "429_after"]
        {
            for method in [Method::Sbp, Method::Card] {
                let mut attempt = attempt(method);
                world.fault("Init", kind, 1).await;
                assert!(is_unknown(&world.start(&attempt).await), "{kind}");
                attempt.version += 1;
                let again = world.start(&attempt).await;
                let found = world.look("truth").await;
                let order = attempt.id.to_string();
                let all = found["payments"].as_array().expect("payments").iter();
                let own: Vec<_> = all.filter(|payment| payment["order"] == order.as_str()).collect();
                assert_eq!(own.len(), 1, "{kind} {method}");
                if method == Method::Sbp {
                    assert_eq!(again.expect("it is used").reference, own[0]["id"].as_str().expect("an id"));
                } else {
                    assert!(is_definite(&again), "{again:?}");
                    assert_eq!(own[0]["status"], "CANCELED", "{kind}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_start_that_was_never_carried_out_is_made_again() {
    let world = World::new();
    for kind in
        ["timeout_before", "hang_up_before", "500_before", "code_999_before", "html_before", "429_before"]
    {
        let mut attempt = attempt(Method::Card);
        world.fault("Init", kind, 1).await;
        assert!(is_unknown(&world.start(&attempt).await), "{kind}");
        attempt.version += 1;
        let started = world.start(&attempt).await.expect("it starts");
        world.pay(&opened(attempt, started)).await;
    }
    let mut attempt = attempt(Method::Sbp);
    world.fault("GetQr", "timeout_before", 1).await;
    assert!(is_unknown(&world.start(&attempt).await), "a code that was not given out");
    attempt.version += 1;
    assert!(world.start(&attempt).await.is_ok());
}

#[tokio::test]
async fn a_wrong_password_denies_and_an_unknown_refusal_ends_the_start() {
    let world = World::new();
    world.fault("Init", "code_204_before", 1).await;
    assert!(matches!(world.start(&attempt(Method::Card)).await, Err(ProviderError::Denied(_))));
    world.fault("Init", "code_31337_before", 1).await;
    assert!(is_definite(&world.start(&attempt(Method::Card)).await));
    world.set(json!({ "sbp": false })).await;
    assert!(is_definite(&world.start(&attempt(Method::Sbp)).await), "SBP is not enabled");
    world.does("fault", json!({ "on": "GetState", "kind": "429_before", "wait": 7 })).await;
    let open = world.open(Method::Card).await;
    let limited = world.tbank.check(&open).await;
    let waits = Some(Duration::from_secs(7));
    assert!(matches!(limited, Err(ProviderError::RateLimited { retry_after, .. }) if retry_after == waits));
}

#[tokio::test]
async fn the_test_of_a_set_up_names_a_wrong_terminal_or_password() {
    let world = World::new();
    assert!(world.tbank.probe().await.expect("an answer").test);
    for (from, to) in [(Fake::TERMINAL, "999DEMO"), (Fake::PASSWORD, "guess")] {
        let setup = TbankSetup::parse(&world.document("").replace(from, to)).expect("a set-up");
        let tbank = Tbank::new(setup, world.web.clone(), Arc::new(now)).expect("a client");
        // The fake checks the token of CheckOrder before it looks for the order.
        assert!(matches!(tbank.probe().await, Err(ProviderError::Denied(_))), "{to}");
    }
}
