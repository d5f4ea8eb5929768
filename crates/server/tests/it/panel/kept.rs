//! The contents of a form are not lost when the log-in ends before it is sent.

use crate::support::{Answer, PASSWORD, Person, Server, entry};
use scraper::{Html, Selector};
use std::time::Duration;
use till_domain::user::Role;
use till_service::access::totp::Secret;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const TYPED: [(&str, &str); 5] = [
    ("callback_url", "https://shop.example/cb?<x>"),
    ("return_url", "not yet right"),
    ("contact_email", "help@shop.example"),
    ("display_name", "Halden \u{1f9fe} & Sons"),
    ("time_zone", "Europe/Oslo"),
];

fn value(body: &str, selector: &str) -> String {
    let document = Html::parse_document(body);
    let selector = Selector::parse(selector).expect("a selector");
    let found = document.select(&selector).next().unwrap_or_else(|| panic!("{selector:?}: {body}"));
    let chosen = Selector::parse("option[selected]").expect("a selector");
    let found = found.select(&chosen).next().unwrap_or(found);
    found.attr("value").map_or_else(|| found.text().collect(), str::to_owned)
}

/// Sends a form after the log-in has ended, and opens the log-in page; returns that page and its `next`.
async fn too_late(server: &Server, who: &mut Person, path: &str, form: &[(&str, &str)]) -> (Answer, String) {
    server.later(DAY);
    let sent = who.post_with(path, &[form, &[("csrf", "of another day")]].concat(), &[]).await;
    assert_eq!(sent.status, 303);
    who.take_cookies(&sent);
    let page = who.get(sent.header("location").expect("the log-in")).await;
    let next = value(&page.body, "input[name=next]");
    (page, next)
}

/// Logs in from a page with this `next`, and returns the answer.
async fn log_in(who: &mut Person, next: &str) -> Answer {
    let form = [("email", who.email.clone()), ("password", PASSWORD.to_owned()), ("next", next.to_owned())];
    let form: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = who.post_with("/panel/login", &form, &[]).await;
    who.take_cookies(&answer);
    answer
}

fn says(page: &Answer, notice: &str) -> bool {
    page.body.contains(&format!("data-notice=\"{notice}\""))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_that_were_typed_are_there_again_after_the_log_in_and_not_saved() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    let form = [&TYPED[..], &[("language", "ru"), ("password", "a secret")]].concat();
    let (page, next) = too_late(&server, &mut ada, "/panel/settings", &form).await;
    assert_eq!(next, "/panel/settings?done=unsaved");
    assert!(page.body.contains("we kept what you typed"), "{}", page.body);
    for word in ["shop.example", "Halden", "secret"] {
        assert!(!ada.cookies.contains(word), "what goes with the browser is sealed");
    }
    assert_eq!(log_in(&mut ada, &next).await.header("location"), Some(next.as_str()));
    let settings = ada.get(&next).await;
    assert!(says(&settings, "unsaved"));
    for (name, typed) in TYPED {
        assert_eq!(value(&settings.body, &format!("#{name}")), typed);
    }
    assert!(settings.body.contains("<option value=\"ru\" selected"));
    let saved = server.accounts.vendor(vendor).await.expect("a read").expect("a vendor").settings;
    assert_eq!(saved, Default::default(), "nothing is saved by itself");
    ada.take_cookies(&settings);
    assert!(!ada.cookies.contains("till-kept"), "it is shown once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_person_typed_is_not_shown_to_another_with_the_same_browser() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    let ben = server.user("ben", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    let (_, next) = too_late(&server, &mut ada, "/panel/settings", &TYPED).await;
    let mut ben = Person { cookies: ada.cookies.clone(), ..ben };
    log_in(&mut ben, &next).await;
    assert!(!ben.get(&next).await.body.contains("not yet right"));
    let elsewhere = ben.get("/panel/sandbox?done=unsaved").await;
    assert!(!elsewhere.body.contains("not yet right"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_forms_are_filled_again_too_also_behind_a_second_step() {
    let server = Server::start().await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    olga.log_in(PASSWORD).await;
    let page = olga.get("/panel/account/totp").await.body;
    let secret = value(&page, "[data-testid=totp-secret]").replace(' ', "");
    let secret = Secret::parse(&secret).expect("a secret");
    let (csrf, code) = (value(&page, "input[name=csrf]"), secret.code_at(server.clock.now()));
    let confirm = [("csrf", csrf.as_str()), ("code", code.as_str())];
    assert_eq!(olga.post_with("/panel/account/totp/confirm", &confirm, &[]).await.status, 200);
    for (path, form, shown) in [
        ("/operator/vendors", &[("name", "Zoë"), ("sandbox", "on")][..], "#name"),
        ("/operator/users", &[("email", "Zoë"), ("role", "vendor_viewer")], "#email"),
    ] {
        let (_, next) = too_late(&server, &mut olga, path, form).await;
        let half = log_in(&mut olga, &next).await.header("location").expect("a page").to_owned();
        assert!(half.starts_with("/panel/login/code"), "{half}");
        let code = secret.code_at(server.clock.now());
        let answer = olga.post_with("/panel/login/code", &[("code", &code), ("next", &next)], &[]).await;
        assert_eq!(answer.header("location"), Some(next.as_str()));
        olga.take_cookies(&answer);
        let page = olga.get(&next).await;
        assert!(says(&page, "unsaved") && value(&page.body, shown) == "Zoë", "{path}");
    }
    assert_eq!(server.accounts.list_vendors().await.expect("a read").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_product_category_and_colleague_are_filled_in_again() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    server.accounts.set_sandbox(vendor, false, &entry()).await.expect("stored");
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    for (path, form) in [
        (
            "/panel/products",
            &[("product_id", "Z-1"), ("name", "Zoë"), ("price", "1,5,0"), ("currency", "EUR")][..],
        ),
        ("/panel/categories", &[("category_id", "z"), ("name", "Zoë")]),
        ("/panel/team", &[("email", "zoe@shop.example"), ("role", "vendor_admin")]),
    ] {
        let (_, next) = too_late(&server, &mut ada, path, form).await;
        assert_eq!(next, format!("{path}/new?done=unsaved"));
        log_in(&mut ada, &next).await;
        let page = ada.get(&next).await;
        assert!(says(&page, "unsaved"), "{path}");
        for (name, typed) in form.iter().filter(|(name, _)| !matches!(*name, "role" | "currency")) {
            assert_eq!(value(&page.body, &format!("[name={name}]")), *typed, "{path}");
        }
    }
    assert!(server.accounts.products(vendor).await.expect("a read").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_kept_is_reported_before_and_after_the_log_in() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    let long = "x".repeat(4000);
    for (path, form, page) in [
        ("/panel/settings", &[("callback_url", long.as_str())][..], "/panel/settings"),
        ("/panel/settings/rotate", &[("password", PASSWORD)], "/panel/settings/rotate"),
        ("/panel/settings/reveal", &[], "/panel/settings"),
    ] {
        let (shown, next) = too_late(&server, &mut ada, path, form).await;
        assert_eq!(next, format!("{page}?done=not-done"));
        assert!(shown.body.contains("your request wasn’t carried out"), "{path}");
        assert!(!ada.cookies.contains("till-kept"), "{path}");
        log_in(&mut ada, &next).await;
        assert!(says(&ada.get(&next).await, "not-done"), "{path}");
    }
    server.later(DAY);
    let out = ada.post_with("/panel/logout", &[], &[]).await;
    assert_eq!(out.header("location"), Some("/panel/login?ended=1"), "who wanted to leave is told nothing");
}
