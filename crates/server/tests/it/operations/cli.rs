//! The operator's commands, with the real binary: their output, what they refuse, and how soon a running
//! service follows them. The catalog's commands are in `catalog`, the doctor's in `doctor`.

use crate::support::{Answer, Credentials, MASTER_KEY, OTHER_KEY, Process, Shop, Till};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

const NOBODY: &str = "01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2";

#[test]
fn vendor_create_prints_both_pairs_as_one_line_of_json_and_nothing_else() {
    let output = Till::new().run(&["vendor", "create", "--name", "Halden Press", "--sandbox", "--json"]);
    let line = text(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(line.find('\n'), Some(line.len() - 1), "one line: {line}");
    let vendor: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(keys(&vendor), BTreeSet::from(["live", "sandbox", "vendor_id"]));
    let mut secrets = BTreeSet::new();
    for environment in ["live", "sandbox"] {
        let pair = &vendor[environment];
        assert_eq!(keys(pair), BTreeSet::from(["client_id", "client_secret"]));
        let client_id = pair["client_id"].as_str().expect("text");
        assert!(client_id.starts_with(&format!("{environment}_")), "{client_id}");
        let secret = pair["client_secret"].as_str().expect("text");
        let random = secret.strip_prefix(&format!("sk_{environment}_")).expect("the environment in the text");
        let plain = random.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        assert!(random.len() >= 43 && plain, "256 random bits: {secret}");
        secrets.insert(random.to_owned());
    }
    assert_eq!(secrets.len(), 2, "live and sandbox have nothing in common");
}

#[test]
fn list_and_show_tell_what_create_made_and_secrets_only_when_asked() {
    let till = Till::new();
    let first = till.vendor();
    let second = till.json(&["vendor", "create", "--name", "  Nordlys  "]);
    till.json(&["vendor", "disable", &text_of(&second["vendor_id"])]);
    let expected = json!([
        { "vendor_id": first["vendor_id"], "name": "Halden Press", "sandbox": true, "disabled": false },
        { "vendor_id": second["vendor_id"], "name": "Nordlys", "sandbox": false, "disabled": true },
    ]);
    assert_eq!(till.json(&["vendor", "list"]), expected);

    let id = text_of(&first["vendor_id"]);
    let hidden = till.json(&["vendor", "show", &id]);
    assert!(!hidden.to_string().contains("sk_"), "{hidden}");
    for environment in ["live", "sandbox"] {
        assert_eq!(hidden[environment]["client_id"], first[environment]["client_id"]);
    }
    let shown = till.json(&["vendor", "show", &id, "--secrets"]);
    assert_eq!((&shown["live"], &shown["sandbox"]), (&first["live"], &first["sandbox"]));
}

#[test]
fn output_without_json_is_for_people() {
    let till = Till::new();
    let nothing = till.error(&["vendor", "list"]);
    assert!(
        nothing.contains("there is no store: TILL_DATA_DIR is") && nothing.contains("till vendor create"),
        "{nothing}"
    );
    assert!(!till.file("live.db").exists(), "looking makes no store");
    till.serve().terminate();
    let empty = text(&till.run(&["vendor", "list"]).stdout);
    assert!(empty.contains("till vendor create --name"), "says what to do: {empty}");
    let created = text(&till.run(&["vendor", "create", "--name", "Halden Press"]).stdout);
    assert!(created.contains("sk_live_") && created.contains("sk_sandbox_"), "{created}");
    assert!(created.contains("Sandbox mode is off") && !created.contains('{'), "{created}");
    let id = text_of(&till.json(&["vendor", "list"])[0]["vendor_id"]);
    for (arguments, words) in [
        (&["vendor", "list"] as &[&str], &["vendor  ", "sandbox", &id, "Halden Press"] as &[&str]),
        (&["vendor", "show", &id], &["Halden Press", "all available", "hidden; add --secrets"]),
        (&["vendor", "show", &id, "--secrets"], &["sk_live_", "sk_sandbox_"]),
        (
            &["vendor", "sandbox", "on", &id, "--asked-by", "ada@shop.example", "--why", "to try it"],
            &[&id, "sandbox mode on", "within 2 seconds"],
        ),
        (&["vendor", "sandbox", "off", &id], &["sandbox mode off", "kept"]),
        (&["vendor", "rotate", &id, "--env", "live"], &["sk_live_", "old pair stops working at"]),
        (&["vendor", "set", &id, "--callback-url", "http://shop.example/"], &["warning", "without https"]),
        (&["vendor", "disable", &id], &["disabled"]),
        (&["vendor", "enable", &id], &["enabled"]),
    ] {
        let told = text(&till.run(arguments).stdout);
        assert!(words.iter().all(|word| told.contains(word)), "{arguments:?}: {told}");
    }
}

#[test]
fn an_empty_reason_for_a_sandbox_is_none() {
    let till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let told = till.error(&["vendor", "sandbox", "on", &id, "--asked-by", " ", "--why", ""]);
    assert!(told.contains("--asked-by is empty") && told.contains("--why is empty"), "{told}");
}

#[test]
fn a_vendor_that_does_not_exist_is_refused_with_a_hint() {
    let till = Till::new();
    till.vendor();
    for arguments in [
        &["vendor", "show"] as &[&str],
        &["vendor", "set", "--return-url", ""],
        &["vendor", "sandbox", "off"],
        &["vendor", "sandbox", "on", "--asked-by", "ada", "--why", "to try"],
        &["vendor", "rotate", "--env", "live"],
        &["vendor", "disable"],
        &["vendor", "enable"],
        &["product", "list", "--vendor"],
        &["category", "list", "--vendor"],
    ] {
        for (id, code) in [(NOBODY, 1), ("halden", 2), ("", 2)] {
            let output = till.run(&[arguments, &[id]].concat());
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{arguments:?} {id}: {told}");
            assert!(output.stdout.is_empty() && told.contains("`till vendor list` lists them"), "{told}");
        }
    }
}

#[test]
fn secrets_need_the_master_key_of_the_store() {
    let mut till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let shown = till.json(&["vendor", "show", &id, "--secrets"]);
    for key in [OTHER_KEY, "", "not a key"] {
        till.set("TILL_MASTER_KEY", key);
        for arguments in [
            &["vendor", "create", "--name", "Nordlys"] as &[&str],
            &["vendor", "rotate", &id, "--env", "live"],
            &["vendor", "show", &id, "--secrets"],
        ] {
            let told = till.error(arguments);
            assert!(told.starts_with("till: TILL_MASTER_KEY "), "{arguments:?} with {key:?}: {told}");
        }
    }
    till.set("TILL_MASTER_KEY", OTHER_KEY);
    assert_eq!(till.json(&["vendor", "list"]).as_array().map(Vec::len), Some(1), "needs no key");
    till.set("TILL_MASTER_KEY", MASTER_KEY);
    assert_eq!(till.json(&["vendor", "show", &id, "--secrets"]), shown, "nothing was changed");
}

#[test]
fn vendor_set_changes_one_setting_and_an_empty_value_clears_it() {
    let till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let mut expected = till.json(&["vendor", "show", &id]);
    let options = [
        ("--callback-url", "callback_url", "https://shop.example/cb", json!("https://shop.example/cb")),
        ("--return-url", "return_url", "http://localhost/{ORDER_ID}", json!("http://localhost/{ORDER_ID}")),
        ("--contact-email", "contact_email", "shop@example.com", json!("shop@example.com")),
        ("--methods", "methods", "sbp, card", json!(["sbp", "card"])),
    ];
    for (option, field, value, stored) in &options {
        till.json(&["vendor", "set", &id, option, value]);
        expected[field] = stored.clone();
        assert_eq!(till.json(&["vendor", "show", &id]), expected, "{option}");
    }
    for (option, field, _, _) in &options {
        till.json(&["vendor", "set", &id, option, ""]);
        expected[field] = Value::Null;
        assert_eq!(till.json(&["vendor", "show", &id]), expected, "{option}");
    }
}

#[test]
fn vendor_set_changes_the_settings_for_fiscal_receipts() {
    let till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let fiscal = || till.json(&["vendor", "show", &id])["fiscal"].clone();
    let mut expected = json!({
        "policy": "off", "tax_system": null, "vat": null, "subject": null, "mode": null, "max_items": 100,
    });
    assert_eq!(fiscal(), expected);
    for (option, value, field, stored) in [
        ("--fiscal", "required", "policy", json!("required")),
        ("--tax-system", "usn_income", "tax_system", json!("usn_income")),
        ("--fiscal-vat", "22/122", "vat", json!("22/122")),
        ("--fiscal-subject", "service", "subject", json!("service")),
        ("--fiscal-mode", "full_prepayment", "mode", json!("full_prepayment")),
        ("--fiscal-items", "80", "max_items", json!(80)),
        ("--tax-system", "", "tax_system", Value::Null),
        ("--fiscal-items", "", "max_items", json!(100)),
    ] {
        till.json(&["vendor", "set", &id, option, value]);
        expected[field] = stored;
        assert_eq!(fiscal(), expected, "{option} {value}");
    }
    let shown = text(&till.run(&["vendor", "show", &id]).stdout);
    assert!(shown.contains("required, VAT 22/122, subject service, mode full_prepayment"), "{shown}");
    for (option, value, words) in [
        ("--fiscal", "on", "off, accept, required"),
        ("--fiscal", "", "off, accept, required"),
        ("--tax-system", "envd", "patent"),
        ("--fiscal-vat", "18", "22/122"),
        ("--fiscal-subject", "marked", "commodity"),
        ("--fiscal-mode", "later", "full_payment"),
        ("--fiscal-items", "101", "1 to 100"),
    ] {
        let told = till.error(&["vendor", "set", &id, option, value]);
        assert!(told.starts_with(&format!("till: {option} ")) && told.contains(words), "{value}: {told}");
        assert_eq!(fiscal(), expected, "{option} {value}");
    }
    let warned = text(&till.run(&["vendor", "set", &id, "--fiscal-vat", "20"]).stdout);
    assert!(warned.contains("warning") && warned.contains("20"), "{warned}");
    let noted = text(&till.run(&["vendor", "set", &id, "--fiscal-vat", ""]).stdout);
    assert!(noted.contains("without --fiscal-vat"), "{noted}");
}

#[test]
fn a_bad_setting_of_a_vendor_is_refused_by_its_option_and_nothing_changes() {
    let mut till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let before = till.json(&["vendor", "show", &id]);
    for (option, value, words) in [
        ("--callback-url", "shop.example", "https://"),
        ("--callback-url", "https://user:pw@shop.example/", "password"),
        ("--callback-url", "http://localhost:9000/cb", "private"),
        ("--callback-url", "http://10.0.0.1/cb", "private"),
        ("--return-url", "javascript:alert(1)", "https://"),
        ("--contact-email", "nobody", "name@example.com"),
        ("--methods", "card,cash", "card, sbp, crypto"),
    ] {
        let good = if option == "--return-url" { "--callback-url" } else { "--return-url" };
        let told = till.error(&["vendor", "set", &id, good, "https://shop.example/", option, value]);
        assert!(told.starts_with(&format!("till: {option} ")) && told.contains(words), "{value}: {told}");
        assert_eq!(till.json(&["vendor", "show", &id]), before, "{option} {value}");
    }
    let private = ["vendor", "set", &id, "--callback-url", "http://localhost:9000/cb"];
    till.set("TILL_ALLOW_PRIVATE_CALLBACKS", "true").json(&private);
    assert_eq!(till.json(&["vendor", "show", &id])["callback_url"], "http://localhost:9000/cb");
}

/// An empty value means every method, so a list that contains only separators must not mean none.
#[test]
fn a_list_of_methods_without_any_method_is_refused() {
    let till = Till::new();
    let id = text_of(&till.vendor()["vendor_id"]);
    let told = till.error(&["vendor", "set", &id, "--methods", ","]);
    assert!(told.starts_with("till: --methods "), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switching_the_sandbox_takes_effect_within_two_seconds_and_never_disturbs_live() {
    let running = Running::start();
    let (live, order) = running.shop("live").await;
    let (sandbox, test) = running.shop("sandbox").await;
    let both = async || {
        assert_eq!(live.status(&order).await.outcome(), "200", "live is undisturbed");
        sandbox.status(&test).await
    };
    for (switch, session_call, token_call) in
        [("off", "401 invalid_token", "403 sandbox_disabled"), ("on", "200", "200")]
    {
        running.operator(&["sandbox", switch, "--asked-by", "ada@shop.example", "--why", "a test"]);
        within_2s(session_call, both).await;
        assert_eq!(token(&sandbox).await, token_call);
        assert_eq!(token(&live).await, "200");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disabled_vendor_is_shut_out_within_two_seconds_until_it_is_enabled() {
    let running = Running::start();
    let mut other = running.service.shop("live", &running.till.vendor());
    other.log_in().await;
    let shops = [running.shop("live").await, running.shop("sandbox").await];
    for (command, status_call, create_call, token_call) in [
        ("disable", "401 invalid_token", "401 invalid_token", "403 vendor_disabled"),
        ("enable", "200", "201", "200"),
    ] {
        running.operator(&[command]);
        for (shop, session) in &shops {
            within_2s(status_call, async || shop.status(session).await).await;
            assert_eq!(shop.create(&Shop::book("A-2")).await.outcome(), create_call);
            assert_eq!(token(shop).await, token_call);
        }
        other.order("A-3").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rotation_without_overlap_ends_the_old_pair_and_its_tokens() {
    let running = Running::start();
    let (live, order) = running.shop("live").await;
    let (mut sandbox, test) = running.shop("sandbox").await;
    let first = running.operator(&["rotate", "--env", "sandbox"]);
    assert_eq!(keys(&first), BTreeSet::from(["client_id", "client_secret"]));
    within_2s("401 invalid_token", async || sandbox.status(&test).await).await;
    assert_eq!(token(&sandbox).await, "401 invalid_client");

    let second = running.operator(&["rotate", "--env", "sandbox"]);
    sandbox.credentials = Credentials::of(&json!({ "sandbox": second }), "sandbox");
    sandbox.log_in().await;
    assert_eq!(sandbox.status(&test).await.outcome(), "200", "the new pair works at once");
    sandbox.credentials = Credentials::of(&json!({ "sandbox": first }), "sandbox");
    assert_eq!(token(&sandbox).await, "401 invalid_client");
    assert_eq!(
        [token(&live).await, live.status(&order).await.outcome()],
        ["200", "200"],
        "live is untouched"
    );
    let shown = running.till.json(&["vendor", "show", &running.id, "--secrets"]);
    assert_eq!((&shown["sandbox"], &shown["live"]), (&second, &running.vendor["live"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rotation_with_overlap_keeps_both_pairs_working() {
    let running = Running::start();
    let (old, test) = running.shop("sandbox").await;
    let pair = running.operator(&["rotate", "--env", "sandbox", "--overlap", "24h"]);
    let mut new = running.service.shop("sandbox", &json!({ "sandbox": pair }));
    // The service reads a vendor afresh for a token, so from here on the rotated pairs apply.
    new.log_in().await;
    assert_eq!(old.status(&test).await.outcome(), "200", "the old pair's token");
    assert_eq!(token(&old).await, "200", "the old pair");
    assert_eq!(new.status(&test).await.outcome(), "200", "the new pair's token");
    let told = running.till.error(&["vendor", "rotate", &running.id, "--env", "live", "--overlap", "a day"]);
    assert!(told.contains("--overlap") && told.contains("24h"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_made_while_the_service_runs_sells_at_once() {
    let running = Running::start();
    for environment in ["live", "sandbox"] {
        let mut shop = running.service.shop(environment, &running.till.vendor());
        shop.log_in().await;
        shop.order("A-1").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn narrowing_a_vendors_methods_takes_effect_within_two_seconds() {
    let running = Running::start();
    let (live, _) = running.shop("live").await;
    let mut dollars = Shop::book("A-2");
    dollars["currency"] = json!("USD");
    assert_eq!(live.create(&dollars).await.outcome(), "201");
    running.operator(&["set", "--methods", "sbp"]);
    within_2s("422 no_payment_method", async || live.create(&dollars).await).await;
    live.order("A-3").await;
    running.operator(&["set", "--methods", ""]);
    within_2s("201", async || live.create(&dollars).await).await;
}

#[test]
fn every_command_helps_with_its_options() {
    for (command, words) in [
        ("", "serve vendor product category doctor --config --data-dir --json --version TILL_MASTER_KEY"),
        ("serve", "--listen --config --data-dir TILL_MASTER_KEY TILL_MASTER_KEY_FILE SIGTERM"),
        ("vendor", "create list show sandbox rotate set disable enable"),
        ("vendor create", "--name --sandbox --asked-by --why --json"),
        ("vendor list", "--json"),
        ("vendor show", "VENDOR_ID --secrets"),
        ("vendor sandbox", "VENDOR_ID on off --asked-by --why"),
        ("vendor rotate", "VENDOR_ID --env live sandbox --overlap 24h"),
        ("vendor set", "VENDOR_ID --callback-url --return-url --contact-email --methods"),
        ("vendor disable", "VENDOR_ID"),
        ("vendor enable", "VENDOR_ID"),
        ("product", "create list archive restore import"),
        ("product create", "--vendor --name --price --currency --category --id"),
        ("product list", "--vendor"),
        ("product archive", "--vendor <ID>"),
        ("product restore", "--vendor <ID>"),
        ("product import", "--vendor <FILE> --dry-run name price currency product_id category_id"),
        ("category", "create list archive restore import"),
        ("category create", "--vendor --name --id"),
        ("category list", "--vendor"),
        ("category archive", "--vendor <ID>"),
        ("category restore", "--vendor <ID>"),
        ("category import", "--vendor <FILE> --dry-run name category_id"),
        ("doctor", "--min-free"),
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = Till::new().run(&arguments);
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command}");
        let missing: Vec<&str> = words.split_whitespace().filter(|word| !help.contains(word)).collect();
        assert!(missing.is_empty(), "{command} --help does not say {missing:?}:\n{help}");
    }
}

#[test]
fn till_alone_shows_its_help() {
    let output = Till::new().run(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), text(&Till::new().run(&["-h"]).stdout));
}

#[test]
fn an_address_on_the_command_line_overrides_the_setting() {
    let mut till = Till::new();
    till.set("TILL_LISTEN", "nowhere").set("TILL_MASTER_KEY", "");
    let refused = text(&till.run(&["serve", "--listen", "127.0.0.1:0"]).stderr);
    assert!(refused.contains("TILL_MASTER_KEY") && !refused.contains("TILL_LISTEN"), "{refused}");
}

#[test]
fn a_call_that_no_command_understands_ends_with_2() {
    for (call, words) in [
        ("vender list", "'vendor'"),
        ("vendor remove", "remove"),
        ("vendor create", "--name"),
        ("vendor rotate --env test", "--env"),
        ("vendor sandbox on 01963f2a-7b1c-7def-8123-456789abcdef --why x", "--asked-by"),
        ("vendor sandbox on 01963f2a-7b1c-7def-8123-456789abcdef --asked-by x", "--why"),
        ("vendor create --name x --why y", "--sandbox"),
    ] {
        let output = Till::new().run(&call.split_whitespace().collect::<Vec<_>>());
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(2) && told.contains(words), "{call}: {told}");
    }
}

/// A service with the simulator on, and a vendor with its sandbox on.
struct Running {
    till: Till,
    service: Process,
    vendor: Value,
    id: String,
}

impl Running {
    fn start() -> Self {
        let mut till = Till::new();
        till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
        let service = till.serve();
        let vendor = till.vendor();
        let id = text_of(&vendor["vendor_id"]);
        Self { till, service, vendor, id }
    }

    /// A client of the vendor with a token and a session, so that the service has the vendor in its cache.
    async fn shop(&self, environment: &str) -> (Shop, String) {
        let mut shop = self.service.shop(environment, &self.vendor);
        shop.log_in().await;
        let session = shop.order("A-1").await;
        (shop, session)
    }

    /// Runs a command on the vendor.
    fn operator(&self, arguments: &[&str]) -> Value {
        self.till.json(&[&["vendor"], arguments, &[&self.id]].concat())
    }
}

/// Repeats the call until its outcome is the expected one, which must be within two seconds of the command.
async fn within_2s(expected: &str, ask: impl AsyncFn() -> Answer) {
    let since = Instant::now();
    loop {
        let asked = since.elapsed();
        let given = ask().await.outcome();
        if given == expected {
            return;
        }
        assert!(asked < Duration::from_secs(2), "still {given} instead of {expected}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The outcome of a token request. The client keeps the token that it has.
async fn token(shop: &Shop) -> String {
    shop.ask_token(&shop.credentials.body()).await.outcome()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let till = Till::new();
    let help = String::from_utf8(till.run(&["--help"]).stdout).expect("text");
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let commands: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next().filter(|_| line.starts_with("  ")))
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(till.run(&["completions", shell]).stdout).expect("text");
        assert!(commands.iter().all(|command| script.contains(command)), "{shell}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("man");
    assert!(till.run(&["man", "--into", into.to_str().expect("text")]).status.success());
    let page = |name: &str| std::fs::read_to_string(into.join(format!("{name}.1"))).expect(name);
    for command in commands {
        assert!(page(&format!("till-{command}")).starts_with(".ie"), "{command}");
    }
    assert!(
        page("till").contains("hosted payment checkout") && page("till-vendor-create").contains("sandbox")
    );
}
