//! The operator's console for payments: actions about money, callbacks, one session, search.

use super::detail::{attribute, switch, texts};
use crate::support::{Answer, MASTER_KEY, Person, Receiver, Reply, Server, Shop, until};
use serde_json::{Value, json};
use std::{process::Command, time::Duration};
use till_domain::{
    audit::AuditEvent,
    chain::{Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer, TxHash},
    delivery::DeliveryState,
    id::{AttemptId, EventId, SessionId},
    user::Role,
};
use till_store::{ActionFilter, AuditFilter, DeliveryFilter, EventFilter, NodeId, Turn};

pub(super) async fn console(settings: &[(&str, &str)]) -> (Server, Person) {
    let base = [("TILL_OPERATOR_TOTP", "off")];
    let server = Server::with(&[&base, settings].concat()).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

pub(super) fn location(answer: &Answer) -> &str {
    answer.header("location").unwrap_or_else(|| panic!("{}: {}", answer.status, answer.body))
}

/// The details of the audit lines with this deed, oldest first.
pub(super) async fn log(server: &Server, deed: AuditEvent) -> Vec<String> {
    let filter = AuditFilter { limit: 1_000, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    let mine = lines.into_iter().rev().filter(|line| line.event == deed);
    mine.map(|line| format!("{}: {}", line.actor.name, line.detail.unwrap_or_default())).collect()
}

/// A crypto session that was underpaid, and got the rest later: one action for each.
async fn short_and_late(server: &Server, shop: &mut Shop, order: &str) -> String {
    let customer = server.customer();
    let id = shop.order(order).await;
    customer.pay(&id, "crypto").await;
    let page = customer.get(&format!("/session/{id}"), &[]).await;
    let (_, rest) = page.body.split_once("/bank/").expect("a link to the bank");
    let bank = format!("/bank/{}", &rest[..36]);
    customer.post(&bank, &[("decision", "pay_short")], &[]).await;
    server.later(Duration::from_secs(3 * 60 * 60));
    shop.log_in().await;
    until("the session ends", || async {
        server.later(Duration::from_secs(1));
        shop.status(&id).await.text("status") == "expired"
    })
    .await;
    customer.post(&bank, &[("decision", "pay_exact")], &[]).await;
    let all = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
    let before = server.live.store.actions(&all, 100).await.expect("a read").len();
    until("the rest comes", || async {
        server.later(Duration::from_secs(10));
        server.live.store.actions(&all, 100).await.expect("a read").len() > before
    })
    .await;
    id
}

/// Logs the operator in again, because the clock that the test moved has ended the log-in.
async fn back(server: &Server, person: &mut Person) {
    server.open_browser(person).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_that_came_late_is_decided_once_and_logged() {
    let (server, mut olga) = console(&[]).await;
    let mut oscar = server.person("oscar", Role::Operator, None).await;
    let vendor = server.vendor().await;
    assert!(olga.get("/operator/actions").await.body.contains("data-testid=\"empty\""));
    let mut shop = server.shop("live", &vendor).await;
    let session = short_and_late(&server, &mut shop, "A-<1>").await;
    back(&server, &mut olga).await;
    back(&server, &mut oscar).await;
    let list = olga.get("/operator/actions").await;
    assert_eq!(list.body.matches("<article").count(), 2, "{}", list.body);
    for part in ["data-what=\"late\"", "data-what=\"partial\"", "A-&#60;1&#62;", "Halden Press", &session] {
        assert!(list.body.contains(part), "{part}");
    }
    assert!(list.body.contains("<span class=\"count\">2<"), "the navigation counts them");
    assert!(olga.get("/operator/actions?env=sandbox").await.body.contains("data-testid=\"empty\""));

    let actions = server.live.store.actions(&ActionFilter::default(), 10).await.expect("a read");
    let (first, second) = (actions[0].action.id, actions[1].action.id);
    let path = |id, how: &str| format!("/operator/actions/live/{id}/{how}");
    // There is money, so it cannot be dismissed.
    assert_eq!(olga.get(&path(first, "dismiss")).await.status, 404);
    assert_eq!(olga.post(&path(first, "dismiss"), &[]).await.status, 404);
    for wrong in [
        format!("/operator/actions/sandbox/{first}/refund"),
        format!("/operator/actions/nowhere/{first}/refund"),
        path(first, "keep"),
        "/operator/actions/live/x/refund".to_owned(),
    ] {
        assert_eq!(olga.get(&wrong).await.status, 404, "{wrong}");
        assert_eq!(olga.post(&wrong, &[]).await.status, 404, "{wrong}");
    }
    let question = olga.get(&path(first, "refund")).await;
    assert!(question.body.contains("data-testid=\"confirm\""), "{}", question.body);
    assert_eq!(server.live.store.open_actions().await.expect("a read"), 2, "asking decides nothing");

    let done = olga.post(&path(first, "refund"), &[]).await;
    assert_eq!(location(&done), "/operator/actions?env=live&done=decided");
    let late = oscar.post(&path(first, "accept"), &[]).await;
    assert_eq!(late.status, 409, "{}", late.body);
    assert!(late.body.contains("Already decided by olga@"), "{}", late.body);
    assert!(oscar.get(&path(first, "accept")).await.body.contains("data-testid=\"decided-before\""));
    let stored = server.live.store.action(first).await.expect("a read").expect("an action");
    let (resolution, _, by) = stored.decided.expect("it is decided");
    assert_eq!((resolution.as_str(), by.as_str()), ("refund", olga.email.as_str()));
    let logged = log(&server, AuditEvent::ActionResolved).await;
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].starts_with(&format!("{}: refund, ", olga.email)) && logged[0].contains(&session));

    olga.post(&path(second, "accept"), &[]).await;
    assert!(olga.get("/operator/actions").await.body.contains("data-testid=\"empty\""));
    let all = olga.get("/operator/actions?show=all").await;
    assert_eq!(all.body.matches("data-testid=\"decided\"").count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_is_led_to_the_money_that_needs_a_decision() {
    let (server, mut olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let mut shop = server.shop("live", &vendor).await;
    short_and_late(&server, &mut shop, "A-1").await;
    switch(&server, vendor.id, false).await;
    back(&server, &mut olga).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let overview = ada.get("/panel").await.body;
    assert!(texts(&overview, "[data-testid=actions]")[0].starts_with("2 payments need"), "{overview}");
    let list = attribute(&overview, "[data-testid=review-money]", "href");
    let rows = async |path: &str| texts(&ada.get(path).await.body, "[data-testid=rows] tbody tr").len();
    assert_eq!(rows(&list).await, 2);
    let first = server.live.store.actions(&ActionFilter::default(), 1).await.expect("a read")[0].action.id;
    olga.post(&format!("/operator/actions/live/{first}/refund"), &[]).await;
    assert_eq!((rows(&list).await, rows("/panel/transactions").await), (1, 2));
    assert_eq!(rows(&format!("{list}&q=A-1")).await, 1, "also in a search");
    let file = ada.get(&list.replace("transactions?", "transactions.csv?")).await.body;
    assert_eq!(file.lines().count(), 2, "{file}");
    let overview = ada.get("/panel").await.body;
    assert!(texts(&overview, "[data-testid=actions]")[0].starts_with("1 payment needs"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_decide_at_once_one_does() {
    let (server, mut olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let mut shop = server.shop("live", &vendor).await;
    short_and_late(&server, &mut shop, "A-1").await;
    back(&server, &mut olga).await;
    let id = server.live.store.actions(&ActionFilter::default(), 1).await.expect("a read")[0].action.id;
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..12 {
        let (olga, how) = (olga.clone(), ["refund", "accept"][call % 2]);
        let path = format!("/operator/actions/live/{id}/{how}");
        calls.spawn(async move { olga.post(&path, &[]).await.status.as_u16() });
    }
    let mut answers = calls.join_all().await;
    answers.sort_unstable();
    assert_eq!((answers[0], &answers[1..]), (303, [409; 11].as_slice()));
    assert_eq!(log(&server, AuditEvent::ActionResolved).await.len(), 1);
}

/// Runs a command on the store of a running service.
pub(super) fn shell(server: &Server, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
    command.env_clear().env("TILL_DATA_DIR", server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
    command.env("TILL_ALLOW_PRIVATE_CALLBACKS", "on");
    let output = command.args(arguments).arg("--json").output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// This many events for a vendor whose server answers 500, all undelivered.
async fn undelivered(server: &Server, shop: &Shop, count: usize) -> Vec<EventId> {
    for number in 0..count {
        let id = shop.order(&format!("U-{number}")).await;
        shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    }
    let standing = Some(DeliveryFilter::Is(DeliveryState::Undelivered));
    let filter = EventFilter { standing, ..EventFilter::default() };
    until("they are given up", || async {
        server.later(Duration::from_secs(60));
        server.sandbox.store.events(&filter, Turn::Newest, 100).await.expect("a read").len() >= count
    })
    .await;
    server
        .sandbox
        .store
        .events(&filter, Turn::Newest, 100)
        .await
        .expect("a read")
        .into_iter()
        .map(|event| event.id)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callbacks_are_found_and_sent_again_one_or_all() {
    let (server, mut olga) = console(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "on")]).await;
    let receiver = Receiver::start().await;
    let vendor = server.vendor().await;
    let target = receiver.url("/hook");
    receiver.answer("/hook", &[Reply::Status(500)]);
    shell(&server, &["vendor", "set", &vendor.id.to_string(), "--callback-url", &target]);
    let shop = server.shop("sandbox", &vendor).await;
    let events = undelivered(&server, &shop, 3).await;
    back(&server, &mut olga).await;
    for (query, rows) in [
        ("env=sandbox", 3),
        ("env=sandbox&state=undelivered", 3),
        ("env=sandbox&state=delivered", 0),
        ("env=sandbox&state=on-its-way", 0),
        ("env=sandbox&state=no-target", 0),
        ("env=sandbox&vendor=halden%20press", 3),
        ("env=sandbox&since=2026-11-15", 3),
        ("env=sandbox&since=2099-01-01", 0),
        ("env=live", 0),
    ] {
        let page = olga.get(&format!("/operator/callbacks?{query}")).await;
        assert_eq!(
            (page.status.as_u16(), page.body.matches("<tr role=\"row\" data-testid=\"event-").count()),
            (200, rows),
            "{query}"
        );
    }
    for query in ["vendor=nobody", "since=soon", "since=2026-13-41", "vendor=%27%3B--"] {
        let page = olga.get(&format!("/operator/callbacks?env=sandbox&{query}")).await;
        assert_eq!(page.status, 422, "{query}");
        assert!(page.body.contains("aria-invalid=\"true\"") && !page.body.contains("event-"), "{query}");
    }
    let one = events[0];
    let path = format!("/operator/callbacks/sandbox/{one}");
    let shown = olga.get(&path).await;
    assert!(shown.body.contains("data-state=\"undelivered\"") && shown.body.contains("Responded 500"));
    assert_eq!(olga.get(&format!("/operator/callbacks/live/{one}")).await.status, 404);

    // The confirmation page says how many, and sends nothing.
    let ask = format!("/operator/callbacks/resend?env=sandbox&vendor={}", vendor.id);
    assert!(olga.get(&ask).await.body.contains("data-count=\"3\""));
    assert!(olga.get(&format!("{ask}&since=2099-01-01")).await.body.contains("data-testid=\"nothing\""));
    let before = receiver.at("/hook").len();
    assert_eq!(olga.post("/operator/callbacks/resend", &[("env", "sandbox")]).await.status, 422);
    assert_eq!(receiver.at("/hook").len(), before, "nothing was sent");

    receiver.answer("/hook", &[Reply::Status(204)]);
    let done = olga.post(&format!("{path}/resend"), &[]).await;
    assert_eq!(location(&done), format!("{path}?done=resent"));
    let received = receiver.wait("/hook", before + 1).await;
    assert!(received[before].event() == one.to_string(), "the same event");
    until("it is delivered", || async { olga.get(&path).await.body.contains("data-state=\"delivered\"") })
        .await;
    let manual = format!("Manual resend: {}", olga.email);
    assert_eq!(texts(&olga.get(&path).await.body, "[data-testid=requester]"), [manual]);
    let session = server.sandbox.store.event(one).await.expect("a read").expect("an event").session;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let page = ada.get(&format!("/panel/sessions/{session}")).await.body;
    let requester = texts(&page, "[data-testid=requester]");
    assert_eq!(requester, ["The operator"], "a vendor does not learn which operator");
    server.later(Duration::from_millis(1));
    let form = [("env", "sandbox"), ("vendor", &vendor.id.to_string()), ("since", "")];
    let done = olga.post("/operator/callbacks/resend", &form).await;
    assert!(location(&done).ends_with("done=resent-all"), "{}", location(&done));
    receiver.wait("/hook", before + 3).await;
    until("nothing is undelivered", || async {
        olga.get(&ask).await.body.contains("data-testid=\"nothing\"")
    })
    .await;
    let logged = log(&server, AuditEvent::CallbackResent).await;
    assert_eq!(
        logged,
        [
            format!("{}: sandbox callback {one}", olga.email),
            format!("{}: 2 undelivered sandbox callbacks", olga.email),
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_without_an_address_is_not_sent() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("sandbox", &vendor).await;
    let id = shop.order("A-1").await;
    shop.simulate(&id, &json!({ "outcome": "paid" })).await;
    let event =
        server.sandbox.store.events(&EventFilter::default(), Turn::Newest, 1).await.expect("a read")[0].id;
    let path = format!("/operator/callbacks/sandbox/{event}");
    assert!(!olga.get(&path).await.body.contains("data-testid=\"resend\""));
    let done = olga.post(&format!("{path}/resend"), &[]).await;
    assert_eq!(location(&done), format!("{path}?done=no-address"));
    assert!(log(&server, AuditEvent::CallbackResent).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_session_shows_all_that_is_known_of_it() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("A-1").await;
    let path = format!("/operator/sessions/live/{id}");
    let pending = olga.get(&path).await;
    assert!(pending.body.contains("data-status=\"pending\"") && pending.body.contains("no-tries"));
    let customer = server.customer();
    let bank = customer.pay(&id, "card").await;
    let bank = location(&bank).replace(&server.url, "");
    customer.post(&bank, &[("decision", "approve")], &[]).await;
    assert_eq!(shop.status(&id).await.text("status"), "paid");
    let paid = olga.get(&path).await;
    for part in ["data-status=\"paid\"", "data-state=\"no-target\"", "simulator", "Halden Press"] {
        assert!(paid.body.contains(part), "{part}");
    }
    for wrong in [format!("/operator/sessions/sandbox/{id}"), "/operator/sessions/live/x".to_owned()] {
        assert_eq!(olga.get(&wrong).await.status, 404, "{wrong}");
    }
}

/// Writes that coins came to an address that was given to the customer of a session.
async fn coins_came(server: &Server, id: &str, address: Address, transaction: TxHash) {
    let (now, chain) = (server.clock.now(), ChainId(31_337));
    let attempt = AttemptId::from_bytes([3; 16]);
    let deposit = Deposit {
        attempt,
        session: SessionId::parse(id).expect("an id"),
        key: "key".to_owned(),
        index: 0,
        address,
        chain,
        coin: "ETH".to_owned(),
        contract: None,
        decimals: 18,
        charge: Atoms(5),
        rate: "91.93 RUB".to_owned(),
        rate_source: "a table".to_owned(),
        opened_at: now,
        since_block: 7,
        before: None,
        swept: Atoms::ZERO,
    };
    let block_hash = BlockHash::from_bytes([9; 32]);
    let transfer = Transfer {
        chain,
        reference: format!("{transaction}:0"),
        transaction: Some(transaction),
        address,
        contract: None,
        atoms: Atoms(5),
        block: 9,
        block_hash,
        seen_at: now,
        gone_at: None,
        reported: false,
    };
    let cursor = Cursor { chain, block: 9, head: 9, at: now, recent: vec![(9, block_hash)], version: 0 };
    let (before, swept) = (Vec::new(), Vec::new());
    let pass =
        Advance { cursor, replaced_from: None, found: vec![transfer], swept, before, touched: vec![attempt] };
    let chains = server.live.store.chains().expect("chains");
    assert!(chains.open(&deposit).await.expect("a write").is_some());
    assert!(chains.advance(&pass).await.expect("a write"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crypto_payment_is_found_by_transaction_hash_and_by_address() {
    let (server, olga) = console(&[]).await;
    let shop = server.shop("live", &server.vendor().await).await;
    let id = shop.order("A-1").await;
    let (address, hash) = (Address::from_bytes([0xad; 20]), TxHash::from_bytes([0x7c; 32]));
    coins_came(&server, &id, address, hash).await;
    for q in [hash.to_string(), hash.to_string().to_uppercase().replace("0X", "0x"), address.to_string()] {
        let found = olga.get(&format!("/operator/search?q={q}")).await;
        assert_eq!(location(&found), format!("/operator/sessions/live/{id}"), "{q}");
    }
    let other = olga.get(&format!("/operator/search?q={}", TxHash::from_bytes([1; 32]))).await;
    assert!(other.body.contains("data-testid=\"empty\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_found_by_its_id_and_one_hit_leads_there() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("Order 7/<b>").await;
    let request = server.live.store.page_session(SessionId::parse(&id).expect("an id")).await;
    let request = request.expect("a read").expect("a session").request_id;
    let customer = server.customer();
    let bank = customer.pay(&id, "card").await;
    let bank = location(&bank).replace(&server.url, "");
    customer.post(&bank, &[("decision", "approve")], &[]).await;
    assert_eq!(shop.status(&id).await.text("status"), "paid");
    let attempt = server.attempts(&id).await.remove(0);
    let event =
        server.live.store.events(&EventFilter::default(), Turn::Newest, 1).await.expect("a read")[0].id;
    let session = format!("/operator/sessions/live/{id}");
    let find = async |q: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("q", q).finish();
        olga.get(&format!("/operator/search?{query}")).await
    };
    let user = format!("/operator/users/{}", ada.id);
    let own = format!("/operator/vendors/{}", vendor.id);
    for (q, to) in [
        (id.as_str(), session.as_str()),
        (&id.to_uppercase(), &session),
        (&format!("  {id} "), &session),
        ("Order 7/<b>", &session),
        (&request, &session),
        (&attempt.id.to_string(), &session),
        (attempt.reference.as_deref().expect("a reference"), &session),
        (&ada.email, &user),
        (&ada.email.to_uppercase(), &user),
        (&vendor.id.to_string(), &own),
        ("halden", &own),
        (&vendor.live.client_id, &own),
        ("order 7", &session),
        ("4 990,00 RUB", &session),
        (&id[..18], &session),
    ] {
        let found = find(q).await;
        assert_eq!(found.header("location"), Some(to), "{q}: {}", found.status);
    }
    // The payment that makes a session final has the id of its event: two hits of different kinds.
    let both = find(&event.to_string()).await;
    assert_eq!(both.status, 200);
    assert!(both.body.contains("hit-callback") && both.body.contains("hit-transaction"), "{}", both.body);
    assert!(find("").await.body.contains("data-testid=\"about\""));
    assert!(
        find("Atl").await.body.contains("data-testid=\"empty\""),
        "products are found in a vendor's list"
    );
    // An id of the same moment but of another request, and an id that a caller chose: only the objects it
    // made are found.
    let near =
        format!("{}{}", &request[..16], if request.ends_with('0') { "1".repeat(12) } else { "0".repeat(12) });
    for other in [near.as_str(), "my-own-id"] {
        let nothing = find(other).await;
        assert!(nothing.body.contains("data-testid=\"empty\"") && nothing.body.contains("req_…"), "{other}");
    }
    for hostile in
        ["' OR 1=1 --", "%", "_", "\\", "<script>alert(1)</script>", "\u{202e}", &"x".repeat(5_000), "\0"]
    {
        let page = find(hostile).await;
        assert_eq!(page.status, 200, "{hostile}");
        assert!(!page.body.contains("hit-") && !page.body.contains("<script>alert"), "{hostile}");
    }
    server.vendor().await;
    let two = find("Halden").await;
    assert_eq!((two.status.as_u16(), two.body.matches("hit-vendor").count()), (200, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn providers_tell_how_they_answered_and_who_depends_on_them() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let row = async |environment: &str| {
        let page = olga.get("/operator/providers").await;
        let start = format!("data-testid=\"provider-{environment}-simulator\"");
        let (_, rest) = page.body.split_once(&start).unwrap_or_else(|| panic!("{}", page.body));
        rest.split("</tr>").next().expect("a row").to_owned()
    };
    assert!(row("live").await.contains("data-state=\"quiet\"") && row("sandbox").await.contains("quiet"));
    let shop = server.shop("live", &vendor).await;
    let id = shop.order("A-1").await;
    let customer = server.customer();
    customer.pay(&id, "card").await;
    let live = row("live").await;
    assert!(live.contains("data-state=\"working\"") && live.contains("100.0%"), "{live}");
    assert!(live.contains("data-label=\"Open sessions\">1</td>"), "one session is open there: {live}");
    assert!(row("sandbox").await.contains("data-state=\"quiet\""), "the other environment is another desk");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_system_page_tells_of_processes_queues_the_store_and_settings() {
    let (server, olga) = console(&[]).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    shop.order("A-1").await;
    until("the process says that it is there", || async {
        server.accounts.nodes().await.expect("a read").len() == 1
    })
    .await;
    let page = olga.get("/operator/system").await;
    assert_eq!(page.status, 200);
    for part in [
        "data-testid=\"node\" data-state=\"running\"",
        "data-testid=\"queue-mails\"",
        "data-testid=\"store-live\"",
        "data-testid=\"free\"",
        "<span class=\"mono\">sessions</span> 1<",
        "set, not shown",
        "operator_totp",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains(MASTER_KEY), "no secret is shown");
    // A node that never sends another heartbeat.
    let now = server.clock.now();
    server
        .accounts
        .record_heartbeat(NodeId([7; 16]), ("0.1.0", "10.0.0.7:8080"), now, &[])
        .await
        .expect("stored");
    assert_eq!(olga.get("/operator/system").await.body.matches("data-state=\"running\"").count(), 2);
    server.later(Duration::from_secs(3_600));
    let mut olga = olga;
    back(&server, &mut olga).await;
    let page = olga.get("/operator/system").await.body;
    let lost = page
        .split("<tr role=\"row\" data-testid=\"node\"")
        .find(|row| row.contains("07070707"))
        .expect("a row");
    assert!(lost.starts_with(" data-state=\"lost\""), "{lost}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t37_the_console_shows_what_waits_behind_a_hold_and_releases_it() {
    let (server, olga) = console(&[]).await;
    let shop = server.shop("live", &server.vendor().await).await;
    shop.order("A-1").await;
    crate::money::decisions::Operator(&server).run(&["hold", "--yes"]).expect("it is on hold");
    until("it is on hold", async || shop.create(&Shop::book("A-2")).await.status == 503).await;
    assert!(olga.get("/operator").await.body.contains("href=\"/operator/hold\""));
    let page = olga.get("/operator/hold").await.body;
    assert!(page.contains("data-testid=\"queue-sessions\"") && page.contains("data-testid=\"release\""));
    let released = olga.post("/operator/hold", &[]).await;
    assert_eq!(released.headers["location"], "/operator/hold?done=released");
    assert_eq!(shop.create(&Shop::book("A-3")).await.status, 201, "at once, on this process");
    assert!(!olga.get("/operator").await.body.contains("href=\"/operator/hold\""));
    let log = olga.get("/operator/audit").await.body;
    assert!(log.contains("Released the hold") && log.contains("Put the service on hold"), "{log}");
}
