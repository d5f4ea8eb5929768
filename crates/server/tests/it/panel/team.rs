//! A vendor's users and the audit log about the vendor, as its admins see them.

use super::{deeds, rows, text_of, told};
use crate::support::{Person, Server, entry};
use till_domain::{
    audit::{Actor, AuditEntry, AuditEvent},
    id::{AuditId, VendorId},
    user::{Role, User},
};

/// A password that is not in the list of common ones.
const CHOSEN: &str = "a battery of correct horses";

async fn known(server: &Server, person: &Person) -> User {
    server.accounts.user(person.id).await.expect("a read").expect("a user").user
}

async fn by_email(server: &Server, email: &str) -> User {
    server.accounts.user_by_email(email).await.expect("a read").expect("a user").user
}

/// A vendor with an admin who has a password and is logged in.
async fn team(server: &Server) -> (VendorId, Person) {
    let vendor = server.vendor().await.id;
    let mut ada = server.user(&format!("ada-{vendor}"), Role::VendorAdmin, Some(vendor)).await;
    server.open_browser(&mut ada).await;
    (vendor, ada)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_colleague_is_invited_comes_in_changes_role_and_is_removed() {
    let server = Server::start().await;
    let (vendor, ada) = team(&server).await;
    assert!(ada.get("/panel/team").await.body.contains("data-testid=\"alone\""));
    for (email, role, status) in
        [("nobody", "vendor_viewer", 422), ("bo@shop.example", "operator", 404), ("bo@shop.example", "", 404)]
    {
        let answer = ada.post("/panel/team", &[("email", email), ("role", role)]).await;
        assert_eq!(answer.status, status, "{email} {role}");
        assert!(status != 422 || answer.body.contains("nobody"), "what was typed is not lost");
    }
    let form = [("email", " Bo@Shop.example "), ("role", "vendor_viewer")];
    let invited = ada.post("/panel/team", &form).await;
    let link = text_of(&invited.body, "[data-testid=link]");
    assert!(
        link.starts_with(&format!("{}/panel/link/", server.url)),
        "shown once, as there is no mail: {link}"
    );
    assert_eq!(ada.post("/panel/team", &form).await.status, 422, "there is one already");
    let bo = by_email(&server, "bo@shop.example").await;
    assert_eq!((bo.role, bo.vendor, bo.has_password), (Role::VendorViewer, Some(vendor), false));
    let again = ada.post(&format!("/panel/team/{}/invite", bo.id), &[]).await;
    let newer = text_of(&again.body, "[data-testid=link]");
    let password = [("password", CHOSEN), ("again", CHOSEN)];
    let path = |link: &str| link.strip_prefix(&server.url).expect("a link of ours").to_owned();
    assert_eq!(server.customer().get(&path(&link), &[]).await.status, 410, "the older link is gone");
    let mut person =
        Person { browser: server.customer(), id: bo.id, email: bo.email.clone(), cookies: String::new() };
    assert_eq!(person.post_with(&path(&newer), &password, &[]).await.status, 303);
    person.log_in(CHOSEN).await;
    assert_eq!(person.get("/panel/team").await.status, 403, "a viewer does not see the team");
    let takeover = ada.post(&format!("/panel/team/{}/invite", bo.id), &[]).await;
    assert!(!takeover.body.contains("/panel/link/"), "no link for who has a password");
    let role = format!("/panel/team/{}/role", bo.id);
    assert_eq!(ada.post(&role, &[("role", "vendor_admin")]).await.status, 303);
    assert_eq!(person.get("/panel/team").await.status, 200, "at once");
    assert_eq!(ada.post(&role, &[("role", "operator")]).await.status, 404);
    assert_eq!(
        ada.post(&format!("/panel/team/{}/remove", bo.id), &[]).await.header("location"),
        Some("/panel/team?done=removed")
    );
    assert!(
        person.get("/panel/team").await.header("location").is_some_and(|to| to.starts_with("/panel/login"))
    );
    assert_eq!(rows(&ada.get("/panel/team").await.body, "removed").len(), 1);
    assert_eq!(ada.post(&format!("/panel/team/{}/restore", bo.id), &[]).await.status, 303);
    assert!(!known(&server, &person).await.disabled);
    let expected =
        [AuditEvent::UserCreated, AuditEvent::RoleChanged, AuditEvent::UserDisabled, AuditEvent::UserEnabled];
    assert_eq!(deeds(&server, vendor, &expected).await, expected, "each once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_admin_stays_and_others_may_go() {
    let server = Server::start().await;
    let (vendor, ada) = team(&server).await;
    let own = format!("/panel/team/{}", ada.id);
    let page = ada.get(&own).await.body;
    assert!(page.contains("data-testid=\"is-last\"") && !page.contains("data-testid=\"remove\""));
    let last = format!("{own}?done=last-admin");
    assert_eq!(ada.post(&format!("{own}/remove"), &[]).await.header("location"), Some(last.as_str()));
    assert_eq!(
        ada.post(&format!("{own}/role"), &[("role", "vendor_viewer")]).await.header("location"),
        Some(last.as_str())
    );
    assert_eq!(known(&server, &ada).await.role, Role::VendorAdmin);
    server.user("bo", Role::VendorAdmin, Some(vendor)).await;
    let demoted = ada.post(&format!("{own}/role"), &[("role", "vendor_viewer")]).await;
    assert_eq!(demoted.header("location"), Some("/panel/settings?done=saved"), "no team page to go back to");
    assert_eq!(ada.get("/panel/team").await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_another_vendors_people_are_not_there() {
    let server = Server::start().await;
    let (_, ada) = team(&server).await;
    let (other, eve) = team(&server).await;
    let vic = server.person("vic", Role::VendorViewer, Some(other)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let before = told(&server, other).await.len();
    for id in [eve.id, vic.id, olga.id] {
        for path in ["", "/remove"] {
            assert_eq!(ada.get(&format!("/panel/team/{id}{path}")).await.status, 404, "{path}");
        }
        for path in ["/role", "/invite", "/remove", "/restore"] {
            let answer = ada.post(&format!("/panel/team/{id}{path}"), &[("role", "vendor_viewer")]).await;
            assert_eq!(answer.status, 404, "{path}");
        }
    }
    assert!(!ada.get("/panel/team").await.body.contains(&vic.email));
    assert!(!known(&server, &vic).await.disabled && told(&server, other).await.len() == before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whom_the_operator_shut_out_a_colleague_cannot_let_in() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (vendor, ada) = team(&server).await;
    let vic = server.person("vic", Role::VendorViewer, Some(vendor)).await;
    let olga = server.person("olga", Role::Operator, None).await;
    assert_eq!(olga.post(&format!("/operator/users/{}/disable", vic.id), &[]).await.status, 303);
    let path = format!("/panel/team/{}", vic.id);
    assert!(ada.get(&path).await.body.contains("data-testid=\"shut-out\""));
    assert_eq!(
        ada.post(&format!("{path}/restore"), &[]).await.header("location"),
        Some(&*format!("{path}?done=failed"))
    );
    assert!(known(&server, &vic).await.disabled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_reads_its_own_log_and_learns_nothing_of_the_operators() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (vendor, ada) = team(&server).await;
    let (other, eve) = team(&server).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let sandbox = [("on", "off"), ("asked_by", "a secret note"), ("why", "another note")];
    assert_eq!(olga.post(&format!("/operator/vendors/{vendor}/sandbox"), &sandbox).await.status, 303);
    assert_eq!(olga.post(&format!("/operator/vendors/{other}/disable"), &[]).await.status, 303);
    let zone = [("display_name", "<b>Ada & Sons</b>"), ("time_zone", "Asia/Tokyo")];
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    assert_eq!(ada.post("/panel/settings", &zone).await.status, 303);
    let page = ada.get("/panel/audit").await.body;
    for (words, there) in [
        (ada.email.as_str(), true),
        ("&#60;b&#62;Ada &#38; Sons", true),
        ("127.0.0.1", true),
        ("Asia/Tokyo", true),
        (olga.email.as_str(), false),
        ("note", false),
        (eve.email.as_str(), false),
        ("vendor_disabled", false),
    ] {
        assert_eq!(page.contains(words), there, "{words}");
    }
    let acts = |page: &str| {
        let document = scraper::Html::parse_document(page);
        let act = scraper::Selector::parse("[data-act]").expect("a selector");
        document.select(&act).filter_map(|cell| cell.attr("data-act")).map(str::to_owned).collect::<Vec<_>>()
    };
    let sandbox_row = acts(&page).iter().position(|act| act == "sandbox_off").expect("a line");
    assert_eq!(rows(&page, "doer")[sandbox_row], "Operator");
    for number in 0..120_u128 {
        let id = AuditId::from_bytes((u128::MAX / 2 + number).to_be_bytes());
        let line =
            AuditEntry { id, ..AuditEntry::new(id, entry().at, Actor::shell(), AuditEvent::TestCallback) };
        server.accounts.record(&line.about(vendor)).await.expect("stored");
    }
    let (mut path, mut seen, mut pages) = ("/panel/audit".to_owned(), Vec::new(), 0);
    loop {
        let page = ada.get(&path).await.body;
        seen.extend(acts(&page));
        pages += 1;
        let document = scraper::Html::parse_document(&page);
        let older = scraper::Selector::parse("[data-testid=older]").expect("a selector");
        match document.select(&older).next().and_then(|link| link.attr("href")) {
            Some(href) => path = href.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.iter().filter(|act| *act == "test_callback").count(), 120, "each line once");
    assert!(pages >= 3 && seen.contains(&"settings_changed".to_owned()));
}
