//! The set-up of YooKassa and Stripe, and the operator's order where two serve one method: in the console and
//! by command. Crypto, which is set up the same way, is in `chains.rs`.

use crate::support::{Answer, Person, Server, Shop, Till, until};
use serde_json::json;
use std::fs;
use till_domain::{audit::AuditEvent, user::Role};
use till_service::registry::ProviderKind;
use till_store::AuditFilter;

/// The secret part of both documents.
const HUSH: &str = "hush0123456789abcdef0123456789abcdef";

/// A YooKassa set-up whose API is unreachable.
fn yookassa() -> String {
    format!(
        "shop_id = \"100500\"\nsecret_key = \"live_{HUSH}\"\nnotice_token = \"{HUSH}\"\nmethods = [\"card\"]\n\
         currencies = [\"EUR\"]\napi = \"http://127.0.0.1:1/v3\"\n"
    )
}

/// A Stripe set-up whose API is unreachable.
fn stripe() -> String {
    format!(
        "secret_key = \"sk_test_{HUSH}\"\npublishable_key = \"pk_test_b\"\nwebhook_secrets = [\"whsec_{HUSH}\"]\n\
         currencies = [\"EUR\"]\napi = \"http://127.0.0.1:1\"\nscript = \"http://127.0.0.1:1/x.js\"\n"
    )
}

/// Both, with texts that their pages contain.
fn services() -> [(ProviderKind, String, [&'static str; 2]); 2] {
    let yookassa =
        (ProviderKind::Yookassa, yookassa(), ["/notices/yookassa/your-notice-token", "Live: money moves"]);
    let stripe = (ProviderKind::Stripe, stripe(), ["/notices/stripe/events", "Test: no money moves"]);
    [yookassa, stripe]
}

fn path(kind: ProviderKind) -> String {
    format!("/operator/providers/{}", kind.name())
}

async fn console(settings: &[(&str, &str)]) -> (Server, Person) {
    let server = Server::with(&[&[("TILL_OPERATOR_TOTP", "off")], settings].concat()).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

async fn save(olga: &Person, kind: ProviderKind, document: &str, version: &str) -> Answer {
    olga.post(&path(kind), &[("document", document), ("version", version), ("do", "save")]).await
}

async fn set_both_up(olga: &Person) {
    for (kind, document, _) in services() {
        let saved = save(olga, kind, &document, "0").await;
        assert_eq!(saved.status, 303, "{}", saved.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sets_each_service_up_tests_it_changes_it_and_switches_it() {
    let (server, olga) = console(&[]).await;
    for (kind, document, said) in services() {
        let (name, path) = (kind.name(), path(kind));
        let list = olga.get("/operator/providers").await.body;
        assert!(list.contains(&format!("{path}/edit")), "it can be begun: {list}");
        assert!(olga.get(&path).await.body.contains("data-testid=\"empty\""));
        assert!(olga.get(&format!("{path}/edit")).await.body.contains("secret_key"), "a template");
        let saved = save(&olga, kind, &document.replace('\n', "\r\n"), "0").await;
        assert_eq!(saved.header("location"), Some(format!("{path}?done=saved").as_str()), "{}", saved.body);
        let page = olga.get(&path).await.body;
        for words in ["olga@shop.example", "EUR", said[0], said[1]] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains(HUSH), "only the form shows what is secret");
        assert!(olga.get(&format!("{path}/edit")).await.body.contains(HUSH));
        let list = olga.get("/operator/providers").await.body;
        assert!(list.contains(&format!("configure-{name}")) && !list.contains(&format!("{path}/edit")));

        let tested = olga.post(&format!("{path}/test"), &[]).await;
        assert_eq!(tested.status, 200);
        assert!(tested.body.contains("data-state=\"bad\""), "nobody answers: {}", tested.body);
        assert_eq!(
            save(&olga, kind, &document.replace("\"EUR\"", "\"EUR\", \"USD\""), "1").await.status,
            303
        );
        for (switch, enabled, version) in [("off", false, 3), ("off", false, 3), ("on", true, 4)] {
            assert_eq!(olga.post(&format!("{path}/{switch}"), &[]).await.status, 303);
            let current = server.registry.current(kind);
            let known = (current.version, current.enabled, current.running.is_some());
            assert_eq!(known, (version, enabled, true), "{name} {switch}");
        }
        assert!(olga.get(&path).await.body.contains("USD"));
    }
    let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    assert_eq!(lines.iter().filter(|line| line.event == AuditEvent::SecretRevealed).count(), 2);
    assert!(!format!("{lines:?}").contains(HUSH));
    for file in ["accounts.db", "accounts.db-wal"] {
        let bytes = fs::read(server.folder().join(file)).unwrap_or_default();
        assert!(!bytes.windows(HUSH.len()).any(|part| part == HUSH.as_bytes()), "{file} holds it unsealed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_said_and_what_was_typed_is_kept() {
    let (server, olga) = console(&[]).await;
    for (kind, document, _) in services() {
        let wrong = document.replace("\"EUR\"", "\"<b>\"");
        for what in ["save", "test"] {
            let form = [("document", wrong.as_str()), ("version", "0"), ("do", what)];
            let answer = olga.post(&path(kind), &form).await;
            assert_eq!(answer.status, 422, "{}", answer.body);
            let problem = answer.body.split("id=\"document-error\"").nth(1).expect("a problem");
            let (problem, typed) = problem.split_once("<textarea").expect("the field");
            assert!(problem.contains("currencies") && !problem.contains(HUSH), "{problem}");
            assert!(typed.contains("&#60;b&#62;") && typed.contains(HUSH), "typed text: {typed}");
        }
        let form = [("document", document.as_str()), ("version", "0"), ("do", "test")];
        let tested = olga.post(&path(kind), &form).await;
        assert_eq!(tested.status, 200);
        assert!(tested.body.contains("data-testid=\"checks\""), "{}", tested.body);
        assert_eq!(server.registry.current(kind).version, 0, "a test stores nothing");
        assert_eq!(save(&olga, kind, &document, "0").await.status, 303);
        let late = save(&olga, kind, &document, "0").await;
        assert_eq!(late.status, 409);
        assert!(late.body.contains(HUSH), "what was typed is kept: {}", late.body);
    }
    assert_eq!(olga.get("/operator/providers/simulator").await.status, 404);
    assert_eq!(olga.get("/operator/providers/simulator/edit").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_file_says_is_shown_and_cannot_be_changed_in_the_console() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("stripe.toml");
    fs::write(&file, stripe()).expect("a file");
    let (server, olga) = console(&[("TILL_STRIPE_FILE", file.to_str().expect("a path"))]).await;
    let page = olga.get("/operator/providers/stripe").await.body;
    assert!(page.contains("stripe.toml") && page.contains("/notices/stripe/events"), "{page}");
    assert!(
        !page.contains("/stripe/edit") && !page.contains("/stripe/off") && !page.contains(HUSH),
        "{page}"
    );
    assert_eq!(olga.get("/operator/providers/stripe/edit").await.status, 404);
    assert_eq!(save(&olga, ProviderKind::Stripe, &stripe(), "0").await.status, 404);
    for deed in ["on", "off", "up", "down"] {
        assert_eq!(olga.post(&format!("/operator/providers/stripe/{deed}"), &[]).await.status, 404, "{deed}");
    }
    assert_eq!(olga.post("/operator/providers/stripe/test", &[]).await.status, 200);
    assert_eq!(save(&olga, ProviderKind::Yookassa, &yookassa(), "0").await.status, 303);
    assert_eq!(server.cashier.providers(), ["stripe", "yookassa", "simulator"], "a file comes first");
}

/// The provider of a new session's card payment.
async fn asked(server: &Server, shop: &Shop, order: &str) -> String {
    let session = json!({ "product_name": "Atlas", "price": "10.00", "currency": "EUR", "order_id": order });
    let created = shop.create(&session).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.text("session_id");
    server.customer().pay(&id, "card").await;
    server.attempts(&id).await.last().expect("an attempt").provider.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_first_in_the_order_takes_cards_and_the_next_one_while_it_is_silent() {
    let (server, olga) = console(&[]).await;
    set_both_up(&olga).await;
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    let mut seen: Vec<String> = Vec::new();
    for number in 0..20 {
        let provider = asked(&server, &shop, &format!("A-{number}")).await;
        if seen.last() != Some(&provider) {
            seen.push(provider);
        }
    }
    assert_eq!(seen, ["yookassa", "stripe", "simulator"], "each is left after its silences");
    let list = olga.get("/operator/providers").await.body;
    assert!(list.contains("data-state=\"down\""), "{list}");
    let page = olga.get("/operator/providers/yookassa").await.body;
    let health = page.split("data-testid=\"last-error\"").nth(1).expect("its last error");
    assert!(health.contains("<time"), "{health}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_is_changed_by_buttons_and_by_a_command_and_followed() {
    let (server, olga) = console(&[]).await;
    set_both_up(&olga).await;
    let list = olga.get("/operator/providers").await.body;
    for (test_id, there) in [("up-stripe", true), ("up-yookassa", false), ("down-yookassa", true)] {
        assert_eq!(list.contains(&format!("data-testid=\"{test_id}\"")), there, "{test_id}");
    }
    for (button, order) in [
        ("stripe/up", ["stripe", "yookassa", "simulator"]),
        ("stripe/up", ["stripe", "yookassa", "simulator"]),
        ("stripe/down", ["yookassa", "stripe", "simulator"]),
        ("yookassa/down", ["stripe", "yookassa", "simulator"]),
    ] {
        let moved = olga.post(&format!("/operator/providers/{button}"), &[]).await;
        assert_eq!(moved.header("location"), Some("/operator/providers?done=saved"));
        assert_eq!(server.cashier.providers(), order, "{button}");
    }
    assert_eq!(olga.post("/operator/providers/evm/up", &[]).await.status, 404, "it is not set up");
    let vendor = server.vendor().await;
    let shop = server.shop("live", &vendor).await;
    assert_eq!(asked(&server, &shop, "A-1").await, "stripe");

    let mut till = Till::new();
    till.set("TILL_DATA_DIR", server.folder().to_str().expect("a path"));
    let ordered = till.json(&["provider", "order", "yookassa"]);
    assert_eq!(ordered["order"], json!(["yookassa", "stripe"]), "those that are not named follow");
    until("it is followed", async || server.cashier.providers()[0] == "yookassa").await;
    assert_eq!(asked(&server, &shop, "A-2").await, "yookassa");
    let listed = till.json(&["provider", "list"]);
    let names: Vec<_> = (0..3).map(|place| listed[place]["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["yookassa", "stripe", "evm"]);
    assert!(till.error(&["provider", "order", "evm"]).contains("evm is not set up"));
    assert!(till.error(&["provider", "order", "stripe", "stripe"]).contains("listed twice"));
    let lines = server.accounts.audit(&AuditFilter { limit: 100, ..AuditFilter::default() }).await;
    let ordered =
        lines.expect("a read").into_iter().filter(|line| line.event == AuditEvent::ProvidersOrdered);
    let told: Vec<_> = ordered.filter_map(|line| line.detail).collect();
    let (first, second) = ("stripe, yookassa", "yookassa, stripe");
    assert_eq!(told, [second, first, second, first], "newest first, and nothing where nothing changed");
}

#[test]
fn s6_each_service_is_set_up_at_a_shell() {
    let mut till = Till::new();
    till.vendor();
    for (kind, document, _) in services() {
        let (name, file) = (kind.name(), till.file("setup.toml"));
        let path = file.to_str().expect("a path").to_owned();
        assert!(till.error(&["provider", "show", name]).contains("is not set up"));
        fs::write(&file, document.replace("\"EUR\"", "\"ZZZ\"")).expect("a file");
        let refused = till.error(&["provider", "set", name, "--file", &path]);
        assert!(refused.contains("currencies") && !refused.contains(HUSH), "{refused}");
        // S6: live keys are sent only to the provider's own API or to this machine.
        let live = document.replace("k_test_", "k_live_");
        fs::write(
            &file,
            live.replace("api = \"http://127.0.0.1:1", "api = \"https://127.0.0.1.shop.example"),
        )
        .expect("a file");
        let refused = till.error(&["provider", "set", name, "--file", &path]);
        assert!(
            refused.contains("can be changed only with test keys") && !refused.contains(HUSH),
            "{refused}"
        );
        fs::write(&file, &document).expect("a file");
        assert_eq!(till.json(&["provider", "set", name, "--file", &path])["version"], 1);
        assert_eq!(till.json(&["provider", "show", name])["document"], document.as_str());
        assert_eq!(till.json(&["provider", "off", name])["enabled"], false);
        assert_eq!(till.json(&["provider", "on", name])["version"], 3);
        let tested = till.run(&["provider", "test", name, "--json"]);
        let text = String::from_utf8_lossy(&tested.stdout);
        assert!(!tested.status.success() && text.contains("\"ok\":false") && !text.contains(HUSH), "{text}");
        till.set(kind.setting(), &path);
        assert!(till.error(&["provider", "off", name]).contains(kind.setting()));
        assert!(till.error(&["provider", "order", name]).contains(kind.setting()));
        till.set(kind.setting(), "");
    }
    till.serve().terminate();
}
