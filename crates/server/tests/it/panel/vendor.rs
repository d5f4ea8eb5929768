//! A vendor's settings and sandbox, and a super vendor's view of it.

use super::{detail::texts, text_of, told};
use crate::support::{PASSWORD, Receiver, Reply, Server, entry, signature};
use serde_json::json;
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    environment::EnvironmentName,
    fiscal::{FiscalPolicy, FiscalSettings, PaymentMode, TaxSystem, Vat},
    id::VendorId,
    user::Role,
};

async fn switch(server: &Server, vendor: VendorId, on: bool) {
    server.accounts.set_sandbox(vendor, on, &entry()).await.expect("stored");
    server.later(Duration::from_millis(1));
    tokio::time::sleep(Duration::from_millis(1_100)).await;
}

const FORM: [(&str, &str); 6] = [
    ("callback_url", "https://shop.example/cb"),
    ("return_url", "https://shop.example/thanks"),
    ("contact_email", "help@shop.example"),
    ("display_name", "Halden & Sons"),
    ("time_zone", "europe/oslo"),
    ("language", "ru"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_settings_for_fiscal_receipts_are_saved_or_everything_wrong_is_said() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await.id;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let stored =
        async || server.accounts.vendor(vendor).await.expect("a read").expect("a vendor").settings.fiscal;
    let wrong = [
        ("fiscal", "perhaps"),
        ("tax_system", "envd"),
        ("vat", "18"),
        ("subject", "marked"),
        ("mode", "later"),
        ("max_items", "101"),
    ];
    let answer = ada.post("/panel/settings/fiscal", &wrong).await;
    assert_eq!(answer.status, 422);
    let document = scraper::Html::parse_document(&answer.body);
    let marked = scraper::Selector::parse("[aria-invalid=true]").expect("a selector");
    assert_eq!(document.select(&marked).count(), 6, "each beside its field");
    assert_eq!(stored().await, FiscalSettings::default());
    let right = [
        ("fiscal", "required"),
        ("tax_system", "patent"),
        ("vat", "20"),
        ("subject", ""),
        ("mode", "full_prepayment"),
        ("max_items", "80"),
    ];
    let saved = ada.post("/panel/settings/fiscal", &right).await;
    assert_eq!(saved.header("location"), Some("/panel/settings/fiscal?done=saved"));
    let settings = stored().await;
    assert_eq!((settings.policy, settings.vat), (FiscalPolicy::Required, Some(Vat::Twenty)));
    assert_eq!((settings.subject, settings.mode), (None, Some(PaymentMode::FullPrepayment)));
    assert_eq!((settings.tax_system, settings.max_items), (Some(TaxSystem::Patent), 80));
    let page = ada.get("/panel/settings/fiscal").await.body;
    assert!(page.contains("data-testid=\"outdated\""), "20 % ended with the year 2025");
    let line = server
        .accounts
        .last_event(vendor, AuditEvent::SettingsChanged)
        .await
        .expect("a read")
        .expect("a line");
    assert_eq!(
        line.detail.as_deref(),
        Some("fiscal receipts: required, tax system patent, VAT 20, mode full_prepayment, at most 80 items")
    );
    let olga = server.person("olga", Role::Operator, None).await;
    let shown = olga.get(&format!("/operator/vendors/{vendor}")).await.body;
    assert!(shown.contains("Required in rubles; Tax system: Patent; Default VAT rate: VAT 20%"), "{shown}");
    let path = format!("/operator/vendors/{vendor}/fiscal");
    assert!(shown.contains(&format!("href=\"{path}\"")), "{shown}");
    assert!(olga.get(&path).await.body.contains("data-testid=\"outdated\""));
    let answer = olga.post(&path, &wrong).await;
    assert_eq!(answer.status, 422);
    let document = scraper::Html::parse_document(&answer.body);
    assert_eq!(document.select(&marked).count(), 6, "each beside its field");
    assert_eq!(stored().await, settings);
    let saved = olga.post(&path, &[("fiscal", "accept"), ("vat", "none"), ("max_items", "7")]).await;
    assert_eq!(saved.header("location"), Some(format!("{path}?done=saved").as_str()));
    let settings = stored().await;
    assert_eq!(
        (settings.policy, settings.vat, settings.max_items),
        (FiscalPolicy::Accept, Some(Vat::None), 7)
    );
    let line = server.accounts.last_event(vendor, AuditEvent::SettingsChanged).await.expect("a read");
    let line = line.expect("a line");
    assert_eq!(line.detail.as_deref(), Some("fiscal receipts: accept, VAT none, at most 7 items"));
    assert!(line.actor.name.contains("olga"), "{}", line.actor.name);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_are_saved_or_everything_wrong_is_said_and_nothing_lost() {
    let server = Server::start().await;
    let made = server.vendor().await;
    let vendor = made.id;
    switch(&server, vendor, false).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let wrong = [
        ("callback_url", "http://localhost/cb"),
        ("return_url", "javascript:alert(1)"),
        ("contact_email", "nobody"),
        ("display_name", ""),
        ("time_zone", "Mars/Olympus"),
        ("language", "ru"),
    ];
    let answer = ada.post("/panel/settings", &wrong).await;
    assert_eq!(answer.status, 422);
    for (_, typed) in wrong.iter().filter(|(name, value)| !value.is_empty() && *name != "language") {
        assert!(answer.body.contains(typed), "{typed} is lost");
    }
    let document = scraper::Html::parse_document(&answer.body);
    let marked = scraper::Selector::parse("[aria-invalid=true]").expect("a selector");
    assert_eq!(document.select(&marked).count(), 5, "each beside its field");
    assert_eq!(
        server.accounts.vendor(vendor).await.expect("a read").expect("a vendor").settings,
        Default::default()
    );
    let saved = ada.post("/panel/settings", &FORM).await;
    assert_eq!(saved.header("location"), Some("/panel/settings?done=saved"));
    let settings = server.accounts.vendor(vendor).await.expect("a read").expect("a vendor").settings;
    assert_eq!(settings.callback_url.expect("an address").as_str(), "https://shop.example/cb");
    assert_eq!(settings.time_zone.expect("a zone").as_str(), "Europe/Oslo");
    assert_eq!(
        (settings.display_name.as_deref(), settings.language.as_deref()),
        (Some("Halden & Sons"), Some("ru"))
    );
    let page = ada.get("/panel/settings").await;
    assert!(page.body.contains("help@shop.example"));
    let shop = server.shop("live", &made).await;
    let checkout = server.customer().get(&format!("/session/{}", shop.order("A-1").await), &[]).await;
    assert!(checkout.body.contains("Halden &#38; Sons"), "customers read the new name");
    assert_eq!(
        checkout.header("content-language"),
        Some("ru"),
        "and the shop's language, if they ask for none"
    );
    let lines = told(&server, vendor).await;
    assert!(lines[0].0 == AuditEvent::SettingsChanged && lines[0].1.contains("callback URL"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t13_in_the_sandbox_shared_addresses_are_changed_knowingly() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let answer = ada.post("/panel/settings", &FORM).await;
    assert_eq!(answer.status, 422);
    assert!(answer.body.contains("https://shop.example/cb"), "what was typed is kept");
    let confirmed = [&FORM[..], &[("confirm_shared", "yes")]].concat();
    assert_eq!(ada.post("/panel/settings", &confirmed).await.status, 303);
    // A field that is not shared, or is unchanged, is saved without the confirmation.
    let change = async |name: &'static str, value: &'static str| {
        let form = FORM.map(|(known, old)| if known == name { (known, value) } else { (known, old) });
        ada.post("/panel/settings", &form).await.status.as_u16()
    };
    for (name, value) in [("display_name", "Halden"), ("time_zone", "UTC"), ("language", "en")] {
        assert_eq!(change(name, value).await, 303, "{name}");
    }
    for (name, value) in [
        ("callback_url", "https://shop.example/other"),
        ("return_url", ""),
        ("contact_email", "other@shop.example"),
    ] {
        assert_eq!(change(name, value).await, 422, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t34_only_the_credentials_of_the_mode_are_there_and_a_look_at_a_secret_is_logged() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let (live, sandbox) = (&vendor.live, &vendor.sandbox);
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    let viewer = server.person("vic", Role::VendorViewer, Some(vendor.id)).await;
    for on in [true, false, true] {
        switch(&server, vendor.id, on).await;
        let (shown, hidden) = if on { (sandbox, live) } else { (live, sandbox) };
        let page = ada.get("/panel/settings").await.body;
        assert!(page.contains(&shown.client_id) && !page.contains(&hidden.client_id));
        assert!(!page.contains(&shown.client_secret) && !page.contains(&hidden.client_secret));
        let revealed = ada.post("/panel/settings/reveal", &[]).await.body;
        assert!(revealed.contains(&shown.client_secret) && !revealed.contains(&hidden.client_secret));
        let word = if on { "sandbox" } else { "live" };
        assert_eq!(told(&server, vendor.id).await[0], (AuditEvent::SecretRevealed, word.to_owned()));
        assert_eq!(viewer.post("/panel/settings/reveal", &[]).await.status, 403);
        assert!(
            !viewer.get("/panel/settings").await.body.contains("settings/reveal"),
            "no button that fails"
        );
        // The live API still works, whichever environment the panel shows.
        let mut shop = crate::support::Shop::new(&server.url, "live", live.clone());
        shop.log_in().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pair_is_rotated_with_the_password_and_the_old_one_works_on() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor.id)).await;
    ada.log_in(PASSWORD).await;
    let rotate = async |password: &str, overlap: &str| {
        ada.post("/panel/settings/rotate", &[("password", password), ("overlap", overlap)]).await
    };
    assert_eq!(rotate("wrong", "1h").await.status, 422);
    assert_eq!(rotate(PASSWORD, "a year").await.status, 422);
    let answer = rotate(PASSWORD, "1h").await;
    assert_eq!(answer.status, 200);
    let admin = server.accounts.credentials(vendor.id).await.expect("a read");
    let newest =
        admin.iter().rfind(|s| s.credential.environment == EnvironmentName::Sandbox).expect("a pair");
    assert_eq!(newest.credential.number, 2);
    assert!(answer.body.contains(&newest.credential.client_id) && answer.body.contains("sk_sandbox_"));
    for credentials in [&vendor.sandbox] {
        let mut shop = crate::support::Shop::new(&server.url, "sandbox", credentials.clone());
        shop.log_in().await;
    }
    assert_eq!(told(&server, vendor.id).await[0].0, AuditEvent::SecretRotated);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_callback_is_signed_marked_and_its_answer_shown() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor.id)).await;
    assert_eq!(
        ada.post("/panel/settings/test-callback", &[]).await.header("location"),
        Some("/panel/settings?done=failed")
    );
    let receiver = Receiver::start().await;
    receiver.answer("/cb", &[Reply::Status(204)]);
    let url = receiver.url("/cb");
    let form = [("callback_url", url.as_str()), ("display_name", "Halden"), ("confirm_shared", "1")];
    assert_eq!(ada.post("/panel/settings", &form).await.status, 303);
    server.later(Duration::from_millis(1));
    let page = ada.post("/panel/settings/test-callback", &[]).await;
    assert!(text_of(&page.body, "[data-testid=test-result]").contains("204"), "{}", page.body);
    let received = receiver.at("/cb");
    assert_eq!(received.len(), 1);
    let body: serde_json::Value = serde_json::from_slice(&received[0].body).expect("JSON");
    assert_eq!((body["event"].as_str(), body["test"].as_bool()), (Some("test.ping"), Some(true)));
    let expected = signature(&vendor.sandbox.client_secret, &received[0].body);
    assert_eq!(received[0].header("x-signature"), expected);
    assert_eq!(received[0].header("x-environment"), "sandbox");
    assert_eq!(told(&server, vendor.id).await[0].0, AuditEvent::TestCallback);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_asks_for_a_sandbox_once_and_the_operator_grants_it() {
    let server =
        Server::with(&[("TILL_OPERATOR_TOTP", "off"), ("TILL_SUPPORT_CONTACT", "help@till.example")]).await;
    let vendor = server.vendor().await.id;
    switch(&server, vendor, false).await;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    assert!(ada.get("/panel/sandbox").await.body.contains("help@till.example"));
    let long = "x".repeat(501);
    for reason in ["", " \n ", &long] {
        let answer = ada.post("/panel/sandbox/ask", &[("reason", reason)]).await;
        assert_eq!(answer.status, 422, "{reason:?}");
        let document = scraper::Html::parse_document(&answer.body);
        let field = scraper::Selector::parse("textarea[name=reason][aria-invalid=true]").expect("a selector");
        let field = document.select(&field).next().expect("a marked field");
        assert_eq!(field.text().collect::<String>(), reason, "nothing typed is lost");
        assert!(answer.body.contains("id=\"reason-error\""), "{reason:?}");
    }
    assert!(server.accounts.sandbox_requests(None).await.expect("a read").is_empty());
    for _ in 0..2 {
        assert_eq!(ada.post("/panel/sandbox/ask", &[("reason", "to try <it>")]).await.status, 303);
    }
    assert!(ada.get("/panel/sandbox").await.body.contains("to try &#60;it&#62;"));
    let wishes = server.accounts.sandbox_requests(None).await.expect("a read");
    assert_eq!(wishes.len(), 1);
    let list = olga.get("/operator/requests").await.body;
    assert!(list.contains("ada@shop.example") && list.contains("to try &#60;it&#62;"));
    let granted = olga.post(&format!("/operator/requests/{}/grant", wishes[0].id), &[]).await;
    assert_eq!(granted.header("location"), Some("/operator/requests?done=sandbox-on"));
    assert!(ada.get("/panel/settings").await.body.contains("sandbox_"), "at once, on this node");
    let line = told(&server, vendor)
        .await
        .into_iter()
        .find(|(deed, _)| *deed == AuditEvent::SandboxOn)
        .expect("a line");
    assert!(line.1.contains("ada@shop.example") && line.1.contains("to try"), "{line:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_a_super_vendor_sees_sandbox_credentials_and_never_a_live_one() {
    let server = Server::start().await;
    let vendor = server.vendor().await;
    let sven = server.person("sven", Role::SuperVendor, None).await;
    assert!(server.accounts.set_parent(vendor.id, Some(sven.id), &entry()).await.expect("stored"));
    let path = format!("/panel/profile/{}", vendor.id);
    let mut looks = 0;
    for on in [true, false, true] {
        switch(&server, vendor.id, on).await;
        let pages = [
            sven.get("/panel/profile").await,
            sven.get(&path).await,
            sven.post(&format!("{path}/reveal"), &[]).await,
        ];
        for page in &pages {
            assert_eq!(page.status, 200);
            for secret in [&vendor.live.client_secret, &vendor.live.client_id] {
                assert!(!page.body.contains(secret.as_str()), "a live credential");
            }
        }
        assert_eq!(pages[2].body.contains(&vendor.sandbox.client_secret), on);
        looks += usize::from(on);
        let lines = told(&server, vendor.id).await;
        let logged = lines.iter().filter(|(deed, _)| *deed == AuditEvent::SecretRevealed).count();
        assert_eq!(logged, looks, "a look is logged, and only a look");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_a_super_vendor_sees_what_happens_in_the_sandboxes_of_its_own_vendors() {
    let server = Server::start().await;
    let (mine, other) = (server.vendor().await, server.vendor().await);
    let sven = server.person("sven", Role::SuperVendor, None).await;
    assert!(server.accounts.set_parent(mine.id, Some(sven.id), &entry()).await.expect("stored"));
    let path = format!("/panel/profile/{}", mine.id);
    assert_eq!(texts(&sven.get(&path).await.body, "[data-testid=no-activity]").len(), 1);
    for (vendor, order) in [(&mine, "mb-test-88"), (&other, "not-yours")] {
        let shop = server.shop("sandbox", vendor).await;
        let id = shop.order(order).await;
        assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.status, 200);
        server.shop("live", vendor).await.order(&format!("live-{order}")).await;
    }
    let page = sven.get(&path).await.body;
    let rows = texts(&page, "[data-testid=rows] tbody tr").concat();
    assert!(rows.contains("mb-test-88") && rows.contains("Paid") && rows.contains("4,990.00"), "{rows}");
    assert!(texts(&page, "[data-testid=last-callback]").concat().contains("session.paid"), "{page}");
    assert!(!page.contains("live-mb") && !page.contains("not-yours"), "nothing live, and no other vendor's");
    let list = sven.get("/panel/profile").await.body;
    assert_eq!(texts(&list, "[data-testid=vendor-count]"), ["1"]);
    assert!(texts(&list, "[data-testid=vendors] tbody tr").concat().contains("Paid"), "{list}");
    assert_eq!(sven.get("/panel/profile?page=99").await.status, 200);
    switch(&server, mine.id, false).await;
    let off = sven.get(&path).await.body;
    assert!(texts(&off, "[data-testid=activity]").is_empty() && !off.contains("mb-test-88"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t11_the_opening_of_a_vendors_credentials_is_logged_once_in_ten_minutes() {
    let server = Server::start().await;
    let (vendor, other) = (server.vendor().await.id, server.vendor().await.id);
    let mut sven = server.person("sven", Role::SuperVendor, None).await;
    for id in [vendor, other] {
        assert!(server.accounts.set_parent(id, Some(sven.id), &entry()).await.expect("stored"));
    }
    let openings = async |id| {
        let lines = told(&server, id).await;
        lines.into_iter().filter(|line| *line == (AuditEvent::CredentialsSeen, "sandbox".to_owned())).count()
    };
    let path = format!("/panel/profile/{vendor}");
    sven.get("/panel/profile").await;
    assert_eq!(openings(vendor).await, 0, "the list shows no credentials");
    for _ in 0..3 {
        assert_eq!(sven.get(&path).await.status, 200);
    }
    assert_eq!((openings(vendor).await, openings(other).await), (1, 0));
    sven.get(&format!("/panel/profile/{other}")).await;
    assert_eq!((openings(vendor).await, openings(other).await), (1, 1));
    server.open_browser(&mut sven).await;
    sven.get(&path).await;
    assert_eq!(openings(vendor).await, 2, "another log-in is another opening");
    server.later(Duration::from_secs(599));
    sven.get(&path).await;
    assert_eq!(openings(vendor).await, 2);
    server.later(Duration::from_secs(1));
    sven.get(&path).await;
    assert_eq!(openings(vendor).await, 3, "and after ten minutes it is one again");
    switch(&server, vendor, false).await;
    server.later(Duration::from_secs(600));
    sven.get(&path).await;
    assert_eq!(openings(vendor).await, 3, "without a sandbox nothing is there to see");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_runs_a_vendor_that_is_disabled() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    assert_eq!(ada.post("/panel/settings/reveal", &[]).await.status, 200);
    server.accounts.set_disabled(vendor, true, &entry()).await.expect("stored");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(ada.get("/panel/settings").await.status, 200, "they may look");
    for path in ["/panel/settings/reveal", "/panel/settings/rotate", "/panel/settings/test-callback"] {
        assert_eq!(ada.post(path, &[]).await.status, 403, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_language_changes_on_the_page_that_is_shown() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    for (page, form) in
        [("/panel/settings", "/panel/settings/reveal"), ("/panel/account", "/panel/account/totp/off")]
    {
        let shown = ada.post(form, &[]).await.body;
        assert!(shown.contains(&format!("href=\"{page}?lang=ru\"")), "{form}: the page is {page}");
    }
    let changed = ada.get("/panel/settings?x=%00y&lang=ru").await;
    assert_eq!(changed.header("location"), Some("/panel/settings?x=y"));
}
