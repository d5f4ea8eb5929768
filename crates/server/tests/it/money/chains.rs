//! The set-up of crypto on chains, in the console, by command and by file: who may see it, and how soon it is
//! followed.

use crate::support::{Person, Server, Till, until};
use axum::{Json, http::StatusCode};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use till_domain::{audit::AuditEvent, method::Method, money::Currency, user::Role};
use till_providers::Provider as _;
use till_service::registry::ProviderKind;
use till_store::AuditFilter;

/// A set-up whose node is unreachable.
const DOCUMENT: &str = r#"
[[chain]]
id = 31337
name = "Testnet"
endpoints = ["http://127.0.0.1:1/key-of-the-node"]
xpub = "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP"
confirmations = 2
poll = "1s"

[[chain.coin]]
symbol = "ETH"
decimals = 18

[[price]]
coin = "ETH"
currency = "USD"
fixed = "2500"
"#;

const PATH: &str = "/operator/providers/evm";

async fn console(settings: &[(&str, &str)]) -> (Server, Person) {
    let server = Server::with(&[&[("TILL_OPERATOR_TOTP", "off")], settings].concat()).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

async fn save(olga: &Person, document: &str, version: &str) -> crate::support::Answer {
    let form = [("document", document), ("version", version), ("do", "save")];
    olga.post(&format!("{PATH}/document"), &form).await
}

/// The audit log as deeds and as text.
async fn log(server: &Server) -> (Vec<AuditEvent>, String) {
    let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    (lines.iter().rev().map(|line| line.event).collect(), format!("{lines:?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sets_crypto_up_changes_it_and_switches_it() {
    let (server, olga) = console(&[]).await;
    assert!(olga.get("/operator/providers").await.body.contains("/operator/providers/evm/edit"));
    let form = olga.get(&format!("{PATH}/edit")).await;
    assert!(
        form.body.contains("name=\"chain-1-xpub\"") && form.body.contains("value=\"Ethereum\""),
        "a form"
    );
    let form = olga.get(&format!("{PATH}/document")).await;
    assert!(form.body.contains("[[chain]]") && form.body.contains("xpub"), "begins with a template");
    let saved = save(&olga, &DOCUMENT.replace('\n', "\r\n"), "0").await;
    assert_eq!(saved.header("location"), Some("/operator/providers/evm?done=saved"), "{}", saved.body);
    let current = server.registry.current(ProviderKind::Evm);
    assert_eq!((current.version, current.enabled), (1, true));
    let page = olga.get(PATH).await.body;
    for words in ["Testnet", "ETH", "olga@shop.example", "2500"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for shown in ["", "/edit", "/document"] {
        let page = olga.get(&format!("{PATH}{shown}")).await;
        assert!(
            page.status == 200 && !page.body.contains("key-of-the-node"),
            "{shown} shows what may be secret"
        );
    }

    assert_eq!(save(&olga, &DOCUMENT.replace("Testnet", "Othernet"), "1").await.status, 303);
    for (switch, enabled, version) in [("off", false, 3), ("off", false, 3), ("on", true, 4)] {
        assert_eq!(olga.post(&format!("{PATH}/{switch}"), &[]).await.status, 303);
        let current = server.registry.current(ProviderKind::Evm);
        assert_eq!((current.version, current.enabled), (version, enabled), "{switch}");
        let running = current.chains().expect("it runs on, whatever is offered");
        assert_eq!(running.setup.chains[0].name, "Othernet");
    }
    let (deeds, text) = log(&server).await;
    let about: Vec<_> = deeds.into_iter().filter(|deed| deed.as_str().starts_with("provider")).collect();
    let expected = [
        AuditEvent::ProviderSetUp,
        AuditEvent::ProviderChanged,
        AuditEvent::ProviderOff,
        AuditEvent::ProviderOn,
    ];
    assert_eq!(about, expected);
    assert!(!text.contains("SecretRevealed"), "no page shows a secret");
    assert!(!text.contains("key-of-the-node") && !text.contains("xpub6"), "{text}");
    for file in ["accounts.db", "accounts.db-wal"] {
        let bytes = fs::read(server.folder().join(file)).unwrap_or_default();
        let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(!holds("key-of-the-node") && !holds("xpub6Ce9"), "{file} holds it unsealed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_adds_and_removes_chains_nodes_coins_and_prices() {
    let (server, olga) = console(&[]).await;
    assert_eq!(save(&olga, DOCUMENT, "0").await.status, 303);
    let page = olga.get(&format!("{PATH}/edit")).await.body;
    for words in ["chain-1-endpoints-2", "chain-2-name", "chain-1-coin-2-symbol", "price-2-coin"] {
        assert!(page.contains(&format!("name=\"{words}\"")), "room for more: {words}");
    }
    assert!(page.contains("Stored: 127.0.0.1:1."), "the host of a node is shown: {page}");
    let xpub = DOCUMENT.split("xpub = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a key");
    let form = [
        ("version", "1"),
        ("chain-1-id", "31337"),
        ("chain-1-name", "Testnet"),
        ("chain-1-endpoints-2", "http://127.0.0.1:1/other-key"),
        ("chain-1-xpub", xpub),
        ("chain-1-confirmations", "2"),
        ("chain-1-coin-1-symbol", "ETH"),
        ("chain-1-coin-1-decimals", "18"),
        ("chain-1-coin-2-symbol", "USDC"),
        ("chain-1-coin-2-decimals", "six"),
        ("chain-1-coin-2-contract", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
        ("price-1-coin", "ETH"),
        ("price-1-currency", "USD"),
        ("price-1-fixed", "2500"),
        ("price-2-coin", "USDC"),
        ("price-2-currency", "USD"),
        ("price-2-fixed", "1"),
    ];
    let wrong = olga.post(PATH, &form).await;
    assert_eq!(wrong.status, 422);
    let error =
        wrong.body.split("id=\"chain-1-coin-2-decimals-error\"").nth(1).expect("an error beside the field");
    assert!(error.contains("from 0 to 24") && wrong.body.contains("value=\"USDC\""), "{}", wrong.body);
    assert!(!wrong.body.contains("key-of-the-node") && !wrong.body.contains("other-key"), "{}", wrong.body);
    let right = form.map(|(name, value)| (name, if value == "six" { "6" } else { value }));
    let saved = olga.post(PATH, &right).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let chains = server.registry.current(ProviderKind::Evm);
    let setup = Arc::clone(&chains.chains().expect("it runs").setup);
    let nodes = ["http://127.0.0.1:1/key-of-the-node", "http://127.0.0.1:1/other-key"];
    assert_eq!(
        (&setup.chains[0].endpoints[..], setup.chains[0].coins.len()),
        (&nodes.map(str::to_owned)[..], 2)
    );
    let removed =
        [("chain-1-coin-2-remove", "on"), ("price-2-remove", "on"), ("chain-1-endpoints-1-remove", "on")];
    let rest: Vec<_> =
        right.into_iter().filter(|(name, _)| !name.contains("endpoints") && *name != "version").collect();
    let removed = [&rest[..], &removed, &[("version", "2")]].concat();
    assert_eq!(olga.post(PATH, &removed).await.status, 303);
    let chains = server.registry.current(ProviderKind::Evm);
    let setup = Arc::clone(&chains.chains().expect("it runs").setup);
    assert_eq!(
        (&setup.chains[0].endpoints[..], setup.chains[0].coins.len()),
        (&[nodes[1].to_owned()][..], 1)
    );
    assert_eq!(setup.prices.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_said_and_what_was_typed_is_kept() {
    let (server, olga) = console(&[]).await;
    let wrong = DOCUMENT.replace("confirmations = 2", "confirmations = 0").replace("ETH", "E<b>H");
    for what in ["save", "test"] {
        let form = [("document", wrong.as_str()), ("version", "0"), ("do", what)];
        let answer = olga.post(&format!("{PATH}/document"), &form).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
        assert!(answer.body.contains("confirmations") && answer.body.contains("E&#60;b&#62;H"), "typed text");
    }
    assert_eq!(server.registry.current(ProviderKind::Evm).version, 0);
    assert_eq!(save(&olga, &"a".repeat(16 * 1024 + 1), "0").await.status, 422);
    assert_eq!(save(&olga, DOCUMENT, "0").await.status, 303);
    let late = save(&olga, &DOCUMENT.replace("Testnet", "Latenet"), "0").await;
    assert_eq!(late.status, 409);
    assert!(late.body.contains("Latenet"), "what was typed is kept: {}", late.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_asks_everybody_and_stores_nothing() {
    let (server, olga) = console(&[]).await;
    let form = [("document", DOCUMENT), ("version", "0"), ("do", "test")];
    let answer = olga.post(&format!("{PATH}/document"), &form).await;
    assert_eq!(answer.status, 200);
    for words in
        ["data-state=\"unreachable\"", "127.0.0.1", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "2500"]
    {
        assert!(answer.body.contains(words), "{words}: {}", answer.body);
    }
    assert!(server.accounts.setups().await.expect("a read").is_empty());
}

/// A node of chain 31337, where every contract is a token USDC with six decimals.
async fn node() -> String {
    node_with(6, Arc::default()).await
}

/// The same with other decimals; it answers nothing while `silent` is set.
async fn node_with(decimals: u8, silent: Arc<AtomicBool>) -> String {
    node_of("0x7a69", decimals, silent).await
}

async fn node_of(chain: &'static str, decimals: u8, silent: Arc<AtomicBool>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = axum::routing::post(async move |Json(asked): Json<Value>| {
        if silent.load(Ordering::Relaxed) {
            return (StatusCode::SERVICE_UNAVAILABLE, Json(Value::Null));
        }
        let text = |text: &str| {
            let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            format!("0x{:064x}{:064x}{digits:0<64}", 32, text.len())
        };
        let result = match (asked["method"].as_str(), asked["params"][0]["data"].as_str()) {
            (Some("eth_chainId"), _) => json!(chain),
            (Some("eth_getBlockByNumber"), _) => {
                let hash = |digit: &str| format!("0x{}", digit.repeat(64));
                json!({ "number": "0x7", "hash": hash("a"), "parentHash": hash("b"), "timestamp": "0x65000000" })
            }
            (_, Some("0x313ce567")) => json!(format!("0x{decimals:064x}")),
            (_, Some("0x95d89b41")) => json!(text("USDC")),
            _ => Value::Null,
        };
        (StatusCode::OK, Json(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result })))
    });
    let app = axum::Router::new().route("/", answer);
    tokio::spawn(async { axum::serve(listener, app).await.expect("it serves") });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_up_that_a_chain_contradicts_is_not_saved() {
    let (server, olga) = console(&[]).await;
    let mut till = Till::new();
    till.set("TILL_DATA_DIR", server.folder().to_str().expect("a path"));
    let file = till.file("evm.toml");
    let path = file.to_str().expect("a path").to_owned();
    let token = "symbol = \"USDC\"\ncontract = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"\ndecimals = 6";
    let right = DOCUMENT.replace("http://127.0.0.1:1/key-of-the-node", &node().await);
    let right =
        right.replace("symbol = \"ETH\"\ndecimals = 18", token).replace("coin = \"ETH\"", "coin = \"USDC\"");
    for (was, wrong, said) in [
        ("decimals = 6", "decimals = 18", "set decimals = 6"),
        ("\"USDC\"", "\"DAI\"", "the contract is called"),
        ("id = 31337", "id = 1", "a node of chain 31337"),
    ] {
        let document = right.replace(was, wrong);
        let refused = save(&olga, &document, "0").await;
        assert_eq!(refused.status, 422, "{wrong}: {}", refused.body);
        let problems = refused.body.split("id=\"document-error\"").nth(1).expect("a problem");
        assert!(problems.contains(said) && problems.contains("Testnet"), "{wrong}: {problems}");
        assert!(
            refused.body.contains("data-testid=\"checks\"") && refused.body.contains("data-state=\"bad\"")
        );
        fs::write(&file, &document).expect("a file");
        let refused = till.error(&["provider", "set", "evm", "--file", &path]);
        assert!(refused.contains(said), "{wrong}: {refused}");
    }
    assert!(server.accounts.setups().await.expect("a read").is_empty());
    // An unreachable node contradicts nothing.
    let silent =
        right.replace("decimals = 6", "decimals = 18").replace("http://127.0.0.1:", "http://127.0.0.1:1/");
    assert_eq!(save(&olga, &silent, "0").await.status, 303);
    assert_eq!(save(&olga, &right, "1").await.status, 303);
    fs::write(&file, &right).expect("a file");
    assert_eq!(till.json(&["provider", "set", "evm", "--file", &path])["version"], 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m4_a_coin_is_offered_once_a_node_has_confirmed_it_and_the_console_says_why_not() {
    let (server, olga) = console(&[]).await;
    let token = "symbol = \"USDC\"\ncontract = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"\ndecimals = 6";
    let offered = || {
        let current = server.registry.current(ProviderKind::Evm);
        let provider = current.chains().expect("chains").provider.clone();
        provider.choices(Method::Crypto, Currency::parse("USD").expect("a currency")).len()
    };
    for (version, chain, decimals, said) in [
        ("0", "0x7a69", 18, Some("set decimals = 18")),
        ("1", "0x1", 6, Some("chain 1")),
        ("2", "0x7a69", 6, None),
    ] {
        let silent = Arc::new(AtomicBool::new(true));
        let node = node_of(chain, decimals, Arc::clone(&silent)).await;
        let document = DOCUMENT.replace("http://127.0.0.1:1/key-of-the-node", &node);
        let document = document
            .replace("symbol = \"ETH\"\ndecimals = 18", token)
            .replace("coin = \"ETH\"", "coin = \"USDC\"");
        assert_eq!(save(&olga, &document, version).await.status, 303, "nobody contradicts it");
        assert_eq!(offered(), 0);
        assert!(olga.get(PATH).await.body.contains("Not offered: USDC"));
        silent.store(false, Ordering::Relaxed);
        match said {
            Some(said) => {
                until("the console says why", async || olga.get(PATH).await.body.contains(said)).await;
                assert_eq!(offered(), 0);
            }
            None => {
                until("it is offered", async || offered() == 1).await;
                assert!(!olga.get(PATH).await.body.contains("Not offered"));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_by_somebody_else_is_followed_within_two_seconds() {
    let (server, _) = console(&[]).await;
    let mut till = Till::new();
    till.set("TILL_DATA_DIR", server.folder().to_str().expect("a path"));
    let file = till.file("evm.toml");
    fs::write(&file, DOCUMENT).expect("a file");
    let file = file.to_str().expect("a path").to_owned();
    let done = till.json(&["provider", "set", "evm", "--file", &file]);
    assert_eq!((&done["enabled"], &done["version"]), (&true.into(), &1.into()));
    let began = std::time::Instant::now();
    until("it is followed", async || server.registry.current(ProviderKind::Evm).version == 1).await;
    assert!(began.elapsed() < std::time::Duration::from_secs(2), "{:?}", began.elapsed());
    till.json(&["provider", "off", "evm"]);
    until("it is followed", async || !server.registry.current(ProviderKind::Evm).enabled).await;
    let listed = till.json(&["provider", "list"]);
    assert_eq!((&listed[0]["state"], &listed[0]["updated_by"]), (&"off".into(), &"shell".into()));
    assert_eq!(till.json(&["provider", "show", "evm"])["document"], DOCUMENT);
    fs::write(&file, DOCUMENT.replace("decimals = 18", "decimals = 99")).expect("a file");
    let refused = till.error(&["provider", "set", "evm", "--file", &file]);
    assert!(refused.contains("decimals"), "{refused}");
}

#[test]
fn a_file_wins_and_a_bad_one_stops_the_start_with_all_that_is_wrong() {
    let mut till = Till::new();
    till.vendor();
    let file = till.file("evm.toml");
    fs::write(&file, DOCUMENT.replace("confirmations = 2", "confirmations = 0").replace("31337", "-1"))
        .expect("a file");
    till.set("TILL_EVM_FILE", file.to_str().expect("a path"));
    let refused = till.refusal();
    for words in ["TILL_EVM_FILE names", "`confirmations`", "`id`"] {
        assert!(refused.contains(words), "{words}: {refused}");
    }
    fs::write(&file, DOCUMENT).expect("a file");
    let listed = till.json(&["provider", "list"]);
    assert_eq!(listed[0]["state"], "on");
    for arguments in [&["provider", "off", "evm"][..], &["provider", "show", "evm"]] {
        assert!(till.error(arguments).contains("TILL_EVM_FILE is set"), "{arguments:?}");
    }
    let tested = till.run(&["provider", "test", "evm", "--json"]);
    let text = String::from_utf8_lossy(&tested.stdout);
    assert!(!tested.status.success() && text.contains("\"ok\":false"), "{text}");
    till.serve().terminate();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_a_chain_contradicts_stops_the_start() {
    let mut till = Till::new();
    till.vendor();
    let token = "symbol = \"USDC\"\ncontract = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"\ndecimals = 18";
    let wrong = DOCUMENT.replace("http://127.0.0.1:1/key-of-the-node", &node().await);
    let wrong =
        wrong.replace("symbol = \"ETH\"\ndecimals = 18", token).replace("coin = \"ETH\"", "coin = \"USDC\"");
    let file = till.file("evm.toml");
    fs::write(&file, &wrong).expect("a file");
    till.set("TILL_EVM_FILE", file.to_str().expect("a path"));
    let refused = tokio::task::block_in_place(|| till.refusal());
    for words in ["TILL_EVM_FILE names", "which the services it names contradict", "set decimals = 6"] {
        assert!(refused.contains(words), "{words}: {refused}");
    }
    fs::write(&file, wrong.replace("decimals = 18", "decimals = 6")).expect("a file");
    tokio::task::block_in_place(|| till.serve().terminate());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_file_says_is_shown_and_cannot_be_changed_in_the_console() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("evm.toml");
    fs::write(&path, DOCUMENT).expect("a file");
    let (server, olga) = console(&[("TILL_EVM_FILE", path.to_str().expect("a path"))]).await;
    let page = olga.get(PATH).await.body;
    assert!(page.contains("Testnet") && page.contains("evm.toml"), "{page}");
    assert!(!page.contains("/evm/edit") && !page.contains("/evm/off"), "{page}");
    assert_eq!(olga.get(&format!("{PATH}/edit")).await.status, 404);
    assert_eq!(save(&olga, DOCUMENT, "0").await.status, 404);
    assert_eq!(olga.post(&format!("{PATH}/off"), &[]).await.status, 404);
    assert!(server.registry.current(ProviderKind::Evm).enabled);
}
