//! The set-up of YooKassa and Stripe, and the operator's order where two serve one method: in the console and
//! by command. Crypto, which is set up the same way, is in `chains.rs`.

use crate::support::{Answer, Person, Server, Shop, Till, until};
use scraper::{Html, Selector};
use serde_json::json;
use std::fs;
use till_domain::{audit::AuditEvent, user::Role};
use till_providers::form::mask;
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
    let yookassa = (ProviderKind::Yookassa, yookassa(), ["/notices/yookassa/<span", "Live: money moves"]);
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
    let form = [("document", document), ("version", version), ("do", "save")];
    olga.post(&format!("{}/document", path(kind)), &form).await
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
        assert!(olga.get(&format!("{path}/edit")).await.body.contains("name=\"secret_key\""), "a form");
        assert!(olga.get(&format!("{path}/document")).await.body.contains("secret_key ="), "a template");
        let saved = save(&olga, kind, &document.replace('\n', "\r\n"), "0").await;
        assert_eq!(saved.header("location"), Some(format!("{path}?done=saved").as_str()), "{}", saved.body);
        let page = olga.get(&path).await.body;
        for words in ["olga@shop.example", "EUR", said[0], said[1]] {
            assert!(page.contains(words), "{words}: {page}");
        }
        for shown in ["", "/edit", "/document"] {
            let page = olga.get(&format!("{path}{shown}")).await;
            assert!(page.status == 200 && !page.body.contains(HUSH), "no page shows what is secret: {shown}");
        }
        let shown = olga.get(&format!("{path}/document")).await.body;
        assert!(shown.contains("&#60;stored:1 …cdef&#62;"), "a placeholder: {shown}");
        let list = olga.get("/operator/providers").await.body;
        assert!(list.contains(&format!("configure-{name}")) && !list.contains(&format!("{path}/edit")));

        let tested = olga.post(&format!("{path}/test"), &[]).await;
        assert_eq!(tested.status, 200);
        assert!(tested.body.contains("data-state=\"unreachable\""), "no answer: {}", tested.body);
        assert!(!tested.body.contains("data-state=\"bad\""), "nothing is known to be wrong: {}", tested.body);
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
    assert_eq!(lines.iter().filter(|line| line.event == AuditEvent::SecretRevealed).count(), 0);
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
            let answer = olga.post(&format!("{}/document", path(kind)), &form).await;
            assert_eq!(answer.status, 422, "{}", answer.body);
            let problem = answer.body.split("id=\"document-error\"").nth(1).expect("a problem");
            let (problem, typed) = problem.split_once("<textarea").expect("the field");
            assert!(problem.contains("currencies") && !problem.contains(HUSH), "{problem}");
            assert!(typed.contains("&#60;b&#62;") && typed.contains("&#60;entered:1 …cdef&#62;"), "{typed}");
            assert!(!answer.body.contains(HUSH), "a secret is not repeated: {typed}");
        }
        let form = [("document", document.as_str()), ("version", "0"), ("do", "test")];
        let tested = olga.post(&format!("{}/document", path(kind)), &form).await;
        assert_eq!(tested.status, 200);
        assert!(
            tested.body.contains("data-testid=\"checks\"") && !tested.body.contains(HUSH),
            "{}",
            tested.body
        );
        assert_eq!(server.registry.current(kind).version, 0, "a test stores nothing");
        assert_eq!(save(&olga, kind, &document, "0").await.status, 303);
        let late = save(&olga, kind, &document, "0").await;
        assert_eq!(late.status, 409);
        assert!(
            late.body.contains("currencies = ") && !late.body.contains(HUSH),
            "text is kept: {}",
            late.body
        );
    }
    assert_eq!(olga.get("/operator/providers/simulator").await.status, 404);
    assert_eq!(olga.get("/operator/providers/simulator/edit").await.status, 404);
}

/// The hidden field of a page with this name.
fn hidden(page: &Answer, name: &str) -> String {
    let document = Html::parse_document(&page.body);
    let selector = Selector::parse(&format!("input[type=hidden][name={name}]")).expect("a selector");
    let field = document.select(&selector).next().unwrap_or_else(|| panic!("{name}: {}", page.body));
    field.attr("value").expect("a value").to_owned()
}

/// The error beside a field; empty if there is none.
fn error_of(page: &Answer, field: &str) -> String {
    let document = Html::parse_document(&page.body);
    let selector = Selector::parse(&format!("[id=\"{field}-error\"]")).expect("a selector");
    document.select(&selector).next().map(|error| error.text().collect()).unwrap_or_default()
}

/// The documents that are stored, by a command.
fn stored(server: &Server, kind: ProviderKind) -> String {
    let mut till = Till::new();
    till.set("TILL_DATA_DIR", server.folder().to_str().expect("a path"));
    till.json(&["provider", "show", kind.name()])["document"].as_str().expect("a document").to_owned()
}

const STRIPE_FORM: [(&str, &str); 6] = [
    ("secret_key", "sk_test_hush0123456789abcdef0123456789abcdef"),
    ("publishable_key", "pk_test_b"),
    ("webhook_secrets-1", "whsec_hush0123456789abcdef0123456789abcdef"),
    ("currencies", "eur, JPY"),
    ("api", "http://127.0.0.1:1"),
    ("script", "http://127.0.0.1:1/x.js"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_tested_and_saved_with_its_secrets_entered_once() {
    let (server, olga) = console(&[]).await;
    let path = path(ProviderKind::Stripe);
    let form = |more: &[(&'static str, &'static str)]| [&STRIPE_FORM[..], &[("version", "0")], more].concat();

    // A mistake elsewhere keeps what was typed, and the secrets out of sight.
    let mut wrong = form(&[("do", "save")]);
    wrong[3].1 = "eur, ZZZ";
    let answer = olga.post(&path, &wrong).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    assert!(error_of(&answer, "currencies").contains("ZZZ isn’t a currency code"), "{}", answer.body);
    assert!(
        answer.body.contains("value=\"eur, ZZZ\"") && answer.body.contains("pk_test_b"),
        "{}",
        answer.body
    );
    assert!(!answer.body.contains(HUSH), "no secret is repeated: {}", answer.body);
    assert!(answer.body.contains("Entered but not saved yet: …cdef"), "{}", answer.body);

    // A test with the secrets that were entered before, and without: it is the same.
    let carried = hidden(&answer, "carried");
    let rest = [("publishable_key", "pk_test_b"), ("currencies", "eur, JPY"), ("api", "http://127.0.0.1:1")];
    let rest = [&rest[..], &[("script", "http://127.0.0.1:1/x.js"), ("version", "0"), ("carried", &carried)]]
        .concat();
    let tested = olga.post(&path, &[&rest[..], &[("do", "test")]].concat()).await;
    assert_eq!(tested.status, 200, "{}", tested.body);
    assert!(
        tested.body.contains("data-state=\"unreachable\"") && !tested.body.contains(HUSH),
        "{}",
        tested.body
    );
    assert_eq!(server.registry.current(ProviderKind::Stripe).version, 0, "a test stores nothing");
    let carried = hidden(&tested, "carried");
    let rest: Vec<_> = rest
        .into_iter()
        .map(|(name, value)| (name, if name == "carried" { &carried } else { value }))
        .collect();
    let saved = olga.post(&path, &[&rest[..], &[("do", "save")]].concat()).await;
    assert_eq!(saved.header("location"), Some("/operator/providers/stripe?done=saved"), "{}", saved.body);
    let document = stored(&server, ProviderKind::Stripe);
    assert!(document.contains(&format!("secret_key = \"sk_test_{HUSH}\"")), "{document}");
    assert!(document.contains(&format!("webhook_secrets = [\"whsec_{HUSH}\"]")), "{document}");

    // An empty secret stays, a new one replaces it, and what is carried for one version counts for no other.
    let changed = [("publishable_key", "pk_test_c"), ("currencies", "EUR"), ("version", "1")];
    let changed =
        [&changed[..], &[("webhook_secrets-2", "whsec_new"), ("api", "http://127.0.0.1:1")]].concat();
    let changed = [&changed[..], &[("script", "http://127.0.0.1:1/x.js"), ("carried", &carried)]].concat();
    assert_eq!(olga.post(&path, &changed).await.status, 303);
    let document = stored(&server, ProviderKind::Stripe);
    assert!(document.contains(&format!("secret_key = \"sk_test_{HUSH}\"")), "{document}");
    assert!(document.contains(&format!("[\"whsec_{HUSH}\", \"whsec_new\"]")), "{document}");
    assert!(document.contains("pk_test_c"), "{document}");
    let page = olga.get(&format!("{path}/edit")).await.body;
    assert!(page.contains("Stored: …cdef. Leave empty to keep it."), "{page}");
    let late = olga.post(&path, &changed).await;
    assert_eq!(late.status, 409, "another version is stored");
    let removed = [&changed[..2], &[("version", "2"), ("webhook_secrets-1-remove", "on")]].concat();
    let removed =
        [&removed[..], &[("api", "http://127.0.0.1:1"), ("script", "http://127.0.0.1:1/x.js")]].concat();
    assert_eq!(olga.post(&path, &removed).await.status, 303);
    assert!(stored(&server, ProviderKind::Stripe).contains("webhook_secrets = [\"whsec_new\"]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_secret_for_notices_is_proposed_and_a_stored_one_is_not_shown() {
    let (server, olga) = console(&[]).await;
    let path = path(ProviderKind::Yookassa);
    let page = olga.get(&format!("{path}/edit")).await;
    let document = Html::parse_document(&page.body);
    let field = Selector::parse("#notice_token").expect("a selector");
    let proposed =
        document.select(&field).next().and_then(|field| field.attr("value")).expect("a value").to_owned();
    assert_eq!(proposed.len(), 48);
    assert!(page.body.contains(&format!("data-copy=\"{}\"", address(&server, &proposed))), "{}", page.body);
    for event in ["payment.waiting_for_capture", "refund.succeeded", "/docs/providers/yookassa"] {
        assert!(page.body.contains(event), "{event}");
    }
    let key = format!("live_{HUSH}");
    let form = [
        ("shop_id", "x"),
        ("secret_key", &key),
        ("notice_token", &proposed),
        ("methods", "card"),
        ("currencies", "EUR"),
        ("currencies", "USD"),
        ("api", "http://127.0.0.1:1/v3"),
        ("version", "0"),
    ];
    let wrong = olga.post(&path, &form).await;
    assert_eq!(wrong.status, 422);
    assert!(
        error_of(&wrong, "shop_id").contains("digits only") && !wrong.body.contains(HUSH),
        "{}",
        wrong.body
    );
    assert!(wrong.body.contains(&proposed), "an address that was copied stays right");
    let right: Vec<_> =
        form.map(|(name, value)| (name, if name == "shop_id" { "100500" } else { value })).into();
    let saved = olga.post(&path, &right).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let document = stored(&server, ProviderKind::Yookassa);
    assert!(document.contains(&proposed) && document.contains("[\"EUR\", \"USD\"]"), "{document}");
    for shown in ["", "/edit", "/document"] {
        let page = olga.get(&format!("{path}{shown}")).await.body;
        assert!(!page.contains(&proposed) && !page.contains(HUSH), "{shown}: {page}");
    }
    // A form that is late is refused, and the page does not propose what is stored by now.
    let late = olga.post(&path, &right).await;
    assert!(late.status == 409 && !late.body.contains(&proposed), "{}", late.body);
}

fn address(server: &Server, token: &str) -> String {
    format!("{}/notices/yookassa/{token}", server.url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_and_the_document_edit_the_same_set_up() {
    let (server, olga) = console(&[]).await;
    let path = path(ProviderKind::Stripe);
    let commented = format!("# Keys of the shop in Oslo.\n{}", stripe());
    assert_eq!(save(&olga, ProviderKind::Stripe, &commented, "0").await.status, 303);
    let form = olga.get(&format!("{path}/edit")).await.body;
    assert!(form.contains("data-testid=\"drops-comments\"") && form.contains("stripe/document"), "{form}");
    let document = olga.get(&format!("{path}/document")).await;
    assert!(document.body.contains("Keys of the shop in Oslo") && document.body.contains("stripe/edit"));
    let page = Html::parse_document(&document.body);
    let field = Selector::parse("textarea").expect("a selector");
    let text: String = page.select(&field).next().expect("the document").text().collect();
    let changed = text.replace("\"EUR\"", "\"USD\"");
    assert_eq!(save(&olga, ProviderKind::Stripe, &changed, "1").await.status, 303);
    assert_eq!(stored(&server, ProviderKind::Stripe).trim(), commented.replace("\"EUR\"", "\"USD\"").trim());
    let lost = save(&olga, ProviderKind::Stripe, &changed.replace("<stored:1", "<stored:7"), "2").await;
    assert_eq!(lost.status, 422, "{}", lost.body);
}

/// S15: what is sent before the password is asked for travels encrypted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_the_console_has_a_secret() {
    let (server, olga) = console(&[]).await;
    set_both_up(&olga).await;
    for path in [
        "/operator/providers",
        "/operator/audit",
        "/operator/system",
        "/operator/vendors",
        "/operator/search?q=hush",
        "/operator/actions",
    ] {
        assert!(!olga.get(path).await.body.contains(HUSH), "{path}");
    }
    for (kind, document, _) in services() {
        let path = path(kind);
        for shown in ["", "/edit", "/document"] {
            let page = olga.get(&format!("{path}{shown}")).await;
            assert!(page.status == 200 && !page.body.contains(HUSH), "{path}{shown}");
        }
        for to in ["", "/document", "/test", "/off", "/on"] {
            for what in ["test", "save"] {
                let version = server.registry.current(kind).version.to_string();
                let form = [("document", document.as_str()), ("version", &version), ("do", what)];
                let answer = olga.post(&format!("{path}{to}"), &form).await;
                assert!(!answer.body.contains(HUSH), "{path}{to} {what}: {}", answer.body);
            }
        }
    }
    server.later(std::time::Duration::from_secs(600));
    let (kind, document, _) = &services()[1];
    let asked = save(&olga, *kind, document, "0").await;
    assert!(asked.body.contains("password_again") && !asked.body.contains(HUSH), "{}", asked.body);
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
    let names: Vec<_> = (0..4).map(|place| listed[place]["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["yookassa", "stripe", "tbank", "evm"]);
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
        // A document from the console has placeholders, which keep what is stored.
        let masked = mask(kind.fields(), &document, "stored", 1).text;
        assert!(masked.contains("<stored:1 ") && !masked.contains(HUSH), "{masked}");
        fs::write(&file, masked).expect("a file");
        assert_eq!(till.json(&["provider", "set", name, "--file", &path])["version"], 2);
        assert_eq!(till.json(&["provider", "show", name])["document"], document.as_str());
        fs::write(&file, &document).expect("a file");
        assert_eq!(till.json(&["provider", "off", name])["enabled"], false);
        assert_eq!(till.json(&["provider", "on", name])["version"], 4);
        let tested = till.run(&["provider", "test", name, "--json"]);
        let text = String::from_utf8_lossy(&tested.stdout);
        assert!(!tested.status.success() && text.contains("\"ok\":false") && !text.contains(HUSH), "{text}");
        assert!(text.contains("\"outcome\":\"unreachable\""), "no answer is not a wrong setup: {text}");
        till.set(kind.setting(), &path);
        assert!(till.error(&["provider", "off", name]).contains(kind.setting()));
        assert!(till.error(&["provider", "order", name]).contains(kind.setting()));
        till.set(kind.setting(), "");
    }
    till.serve().terminate();
}
