//! The operator's console: a vendor from its creation to its first payment, switches, users, the audit log.

use crate::support::{Credentials, PASSWORD, Server, Shop, entry};
use serde_json::json;
use std::time::Duration;
use till_domain::{audit::AuditEvent, id::VendorId, method::Method, user::Role};
use till_store::{AuditFilter, UserFilter};

async fn console() -> (Server, crate::support::Person) {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    (server, olga)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_makes_a_vendor_that_then_takes_a_payment() {
    let (server, olga) = console().await;
    for (name, email) in [("", ""), (" \t", ""), ("Halden", "nobody"), (&"x".repeat(101), "")] {
        let form = [("name", name), ("contact_email", email)];
        assert_eq!(olga.post("/operator/vendors", &form).await.status, 422, "{name:?} {email:?}");
    }
    let form = [("name", "Halden <Press>"), ("sandbox", "on"), ("contact_email", "help@halden.example")];
    let made = olga.post("/operator/vendors", &form).await;
    assert_eq!(made.status, 200);
    let find = |start: &str| {
        let words = made.body.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
        words.into_iter().find(|word| word.starts_with(start) && word.len() > 20).expect(start).to_owned()
    };
    for environment in ["live", "sandbox"] {
        let credentials = Credentials {
            client_id: find(&format!("{environment}_")),
            client_secret: find(&format!("sk_{environment}_")),
        };
        let mut shop = Shop::new(&server.url, environment, credentials);
        shop.log_in().await;
        let id = shop.order("A-1").await;
        if environment == "sandbox" {
            assert_eq!(shop.simulate(&id, &json!({ "outcome": "paid" })).await.text("status"), "paid");
        } else {
            let customer = server.customer();
            let bank = customer
                .pay(&id, "card")
                .await
                .header("location")
                .expect("the bank")
                .replace(&server.url, "");
            customer.post(&bank, &[("decision", "approve")], &[]).await;
            assert_eq!(shop.status(&id).await.text("status"), "paid");
        }
    }
    let vendors = server.accounts.list_vendors().await.expect("a read");
    assert_eq!((vendors.len(), vendors[0].name.as_str(), vendors[0].sandbox), (1, "Halden <Press>", true));
    let made = server.accounts.vendor(vendors[0].id).await.expect("a read").expect("a vendor");
    assert_eq!(made.settings.contact_email.as_deref(), Some("help@halden.example"));
    let on =
        server.accounts.last_event(made.id, AuditEvent::SandboxOn).await.expect("a read").expect("a line");
    assert_eq!(on.detail.as_deref(), Some("asked by olga@shop.example: on from the start"));
    assert!(olga.get("/operator/vendors").await.body.contains("Halden &#60;Press&#62;"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_of_a_vendor_hold_and_are_logged() {
    let (server, olga) = console().await;
    let vendor = server.vendor().await;
    let path = format!("/operator/vendors/{}", vendor.id);
    let now = async || server.accounts.vendor(vendor.id).await.expect("a read").expect("a vendor");
    for (what, form) in [
        ("sandbox", &[("on", "off"), ("asked_by", "ada@shop.example"), ("why", "going live")][..]),
        ("disable", &[]),
        ("enable", &[]),
        ("methods", &[("methods", "card"), ("methods", "sbp")]),
    ] {
        server.later(Duration::from_millis(1));
        let answer = olga.post(&format!("{path}/{what}"), form).await;
        assert!(answer.header("location").is_some_and(|to| to.starts_with(&path)), "{what}: {}", answer.body);
    }
    let asked = olga.post(&format!("{path}/methods"), &[]).await;
    assert!(asked.status == 200 && asked.body.contains("name=\"none\""), "none at all is asked about first");
    let vendor_now = now().await;
    assert!(!vendor_now.sandbox && !vendor_now.disabled);
    assert_eq!(vendor_now.settings.methods, Some(vec![Method::Card, Method::Sbp]));
    assert_eq!(olga.post(&format!("{path}/sandbox"), &[("on", "maybe")]).await.status, 404);
    assert_eq!(olga.post(&format!("{path}/methods"), &[("none", "on")]).await.status, 303);
    assert_eq!(now().await.settings.methods, Some(Vec::new()));
    let sven = server.person("sven", Role::SuperVendor, None).await;
    server.later(Duration::from_millis(1));
    olga.post(&format!("{path}/parent"), &[("super", &sven.id.to_string())]).await;
    assert_eq!(now().await.parent, Some(sven.id));
    let failed = olga.post(&format!("{path}/parent"), &[("super", &olga.id.to_string())]).await;
    assert!(
        failed.header("location").is_some_and(|to| to.ends_with("done=failed")),
        "an operator is no parent"
    );
    server.later(Duration::from_millis(1));
    olga.post(&format!("{path}/methods"), &[("methods", "card"), ("methods", "sbp"), ("methods", "crypto")])
        .await;
    assert_eq!(now().await.settings.methods, None, "all of them are all that come");
    let filter = AuditFilter {
        vendor: Some(vendor.id),
        actor: Some(olga.email.clone()),
        limit: 50,
        ..AuditFilter::default()
    };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    let deeds: Vec<AuditEvent> = lines.iter().rev().map(|line| line.event).collect();
    use AuditEvent::{ParentChanged, SandboxOff, SettingsChanged, VendorDisabled, VendorEnabled};
    assert_eq!(
        deeds,
        [
            SandboxOff,
            VendorDisabled,
            VendorEnabled,
            SettingsChanged,
            SettingsChanged,
            ParentChanged,
            SettingsChanged
        ]
    );
    assert_eq!(
        lines.last().and_then(|line| line.detail.clone()).as_deref(),
        Some("asked by ada@shop.example: going live")
    );
    assert!(lines.iter().all(|line| line.actor.address.is_some() && line.actor.user == Some(olga.id)));
    let page = olga.get("/operator/audit?who=olga@shop.example").await.body;
    assert!(page.contains("going live"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_switch_of_a_sandbox_asks_who_wants_it_and_why() {
    let (server, olga) = console().await;
    let vendor = server.vendor().await.id;
    let path = format!("/operator/vendors/{vendor}");
    let is_on = async || server.accounts.vendor(vendor).await.expect("a read").expect("a vendor").sandbox;
    let long = "x".repeat(501);
    for (on, word) in [(true, "off"), (false, "on")] {
        for (by, why, marked) in [
            ("", "", vec!["asked_by", "why"]),
            ("  ", "a try", vec!["asked_by"]),
            ("Ada <ada>", "", vec!["why"]),
            (&long, &long, vec!["asked_by", "why"]),
        ] {
            let form = [("on", word), ("asked_by", by), ("why", why)];
            let answer = olga.post(&format!("{path}/sandbox"), &form).await;
            assert_eq!((answer.status.as_u16(), is_on().await), (422, on), "{form:?}");
            let document = scraper::Html::parse_document(&answer.body);
            let wrong = scraper::Selector::parse("[aria-invalid=true]").expect("a selector");
            let names: Vec<_> = document.select(&wrong).filter_map(|input| input.attr("name")).collect();
            assert_eq!(names, marked, "{form:?}");
            let typed = scraper::Selector::parse("[name=asked_by]").expect("a selector");
            let value = document.select(&typed).next().and_then(|input| input.attr("value"));
            assert_eq!(value, Some(by), "nothing typed is lost");
        }
        let form = [("on", word), ("asked_by", " Ada <ada> "), ("why", "a try")];
        assert_eq!(olga.post(&format!("{path}/sandbox"), &form).await.status, 303);
        assert_eq!(is_on().await, !on);
        let page = olga.get(&path).await.body;
        let document = scraper::Html::parse_document(&page);
        let facts = scraper::Selector::parse("[data-testid=switched]").expect("a selector");
        let facts: String = document.select(&facts).flat_map(|facts| facts.text()).collect();
        for word in ["olga@shop.example", "Ada <ada>", "a try"] {
            assert!(facts.contains(word), "{facts}");
        }
    }
    let event = Some(AuditEvent::SandboxOn);
    let filter = AuditFilter { vendor: Some(vendor), event, limit: 9, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].detail.as_deref(), Some("asked by Ada <ada>: a try"));
    // Operators read times in UTC, until they choose a time zone.
    assert!(olga.get("/operator/audit").await.body.contains(", UTC"));
    assert_eq!(olga.post("/panel/account/time-zone", &[("time_zone", "Europe/Oslo")]).await.status, 303);
    assert!(olga.get("/operator/audit").await.body.contains(", Europe/Oslo"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_are_made_shut_out_and_let_in_again() {
    let (server, olga) = console().await;
    let vendor = server.vendor().await.id;
    for (email, role, works_for) in [
        ("nobody", "operator", String::new()),
        ("a@shop.example", "vendor_admin", String::new()),
        ("a@shop.example", "operator", vendor.to_string()),
        ("a@shop.example", "vendor_admin", "01963f2a-7b1c-7def-8123-456789abcdef".to_owned()),
    ] {
        let form = [("email", email), ("role", role), ("vendor", works_for.as_str())];
        let answer = olga.post("/operator/users", &form).await;
        assert_eq!(answer.status, 422, "{form:?}");
        assert!(answer.body.contains(email));
    }
    let form = [("email", "ada@shop.example"), ("role", "vendor_admin"), ("vendor", &vendor.to_string())];
    assert_eq!(olga.post("/operator/users", &form).await.status, 200);
    let filter = UserFilter { email_has: "ada".to_owned(), limit: 9, ..UserFilter::default() };
    let ada = server.accounts.users(&filter).await.expect("a read").remove(0);
    assert_eq!((ada.role, ada.vendor, ada.has_password), (Role::VendorAdmin, Some(vendor), false));
    let mut ben = server.user("ben", Role::VendorAdmin, Some(vendor)).await;
    ben.log_in(PASSWORD).await;
    let act = async |id: &str, deed: &str| olga.post(&format!("/operator/users/{id}/{deed}"), &[]).await;
    let id = ben.id.to_string();
    assert_eq!(act(&id, "disable").await.status, 303);
    assert_eq!(ben.get("/panel/settings").await.status, 303, "out at once");
    assert_eq!(ben.log_in(PASSWORD).await.status, 401);
    assert_eq!(act(&id, "enable").await.status, 303);
    assert_eq!(ben.log_in(PASSWORD).await.status, 303);
    assert_eq!(act(&id, "end-sessions").await.status, 303);
    assert_eq!(ben.get("/panel/settings").await.status, 303);
    assert!(act(&id, "reset").await.body.contains("/panel/link/"));
    assert_eq!(act(&id, "promote").await.status, 404);
    let last = server.user("last", Role::Operator, None).await.id.to_string();
    let kept = act(&last, "disable").await;
    assert!(
        kept.header("location").is_some_and(|to| to.ends_with("done=last-operator")),
        "nobody else has a password: {:?}",
        kept.header("location")
    );
    for own in ["disable", "totp-off"] {
        assert_eq!(act(&olga.id.to_string(), own).await.status, 403, "nobody locks themselves out");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_lists_go_on_where_they_ended_and_keep_what_was_searched_for() {
    let (server, olga) = console().await;
    for number in 0..60 {
        let id = VendorId::from_bytes([number; 16]);
        let new = till_store::NewVendor {
            id,
            name: format!("Shop {number:02}"),
            sandbox: false,
            contact_email: None,
            credentials: vec![],
        };
        server.accounts.add_vendor(new, &[entry()]).await.expect("stored");
    }
    let page = olga.get("/operator/vendors?q=shop").await.body;
    assert!(page.contains("Shop 59") && page.contains("Shop 10") && !page.contains("Shop 09"));
    let document = scraper::Html::parse_document(&page);
    let link = scraper::Selector::parse("[data-testid=older]").expect("a selector");
    let older = document.select(&link).next().and_then(|a| a.attr("href")).expect("a link").to_owned();
    let rest = olga.get(&older).await.body;
    assert!(rest.contains("Shop 09") && rest.contains("Shop 00") && !rest.contains("Shop 10"));
    assert!(rest.contains("value=\"shop\""), "the search is kept");
    assert!(olga.get("/operator/vendors?q=nothing%20like%20it").await.body.contains("data-testid"));
    let one = server.vendor().await;
    let own = format!("/operator/vendors/{}", one.id);
    for q in [one.id.to_string(), one.live.client_id, one.sandbox.client_id] {
        let found = olga.get(&format!("/operator/vendors?q={q}")).await;
        assert_eq!(found.header("location"), Some(own.as_str()), "{q}");
    }
}
