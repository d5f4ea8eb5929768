//! Every route as everybody. The routes are read from the list that the router is made of, so a new one
//! without a row here fails.

use crate::support::{Answer, Person, Server, entry};
use std::collections::BTreeMap;
use till::panel;
use till_domain::{
    id::{RequestId, VendorId},
    user::Role,
};
use till_store::AuditFilter;

/// Who may: o operator, s super vendor, a vendor's admin, v vendor's viewer, x a stranger.
const TABLE: &[(&str, &str, &str)] = &[
    ("GET", "/panel", "osav"),
    ("GET", "/panel/login", "osavx"),
    ("POST", "/panel/login", "osavx"),
    ("GET", "/panel/login/code", "osavx"),
    ("POST", "/panel/login/code", "osavx"),
    ("POST", "/panel/logout", "osav"),
    ("GET", "/panel/forgot", "osavx"),
    ("POST", "/panel/forgot", "osavx"),
    ("GET", "/panel/link/{token}", "osavx"),
    ("POST", "/panel/link/{token}", "osavx"),
    ("GET", "/panel/account", "osav"),
    ("POST", "/panel/account/password", "osav"),
    ("GET", "/panel/account/totp", "osav"),
    ("POST", "/panel/account/totp", "osav"),
    ("POST", "/panel/account/totp/confirm", "osav"),
    ("POST", "/panel/account/totp/off", "osav"),
    ("POST", "/panel/account/sessions/{id}/end", "osav"),
    ("POST", "/panel/account/sessions/end-others", "osav"),
    ("GET", "/panel/sessions", "av"),
    ("GET", "/panel/sessions/news", "av"),
    ("GET", "/panel/sessions.csv", "av"),
    ("GET", "/panel/transactions", "av"),
    ("GET", "/panel/transactions/news", "av"),
    ("GET", "/panel/transactions.csv", "av"),
    ("GET", "/panel/callbacks", "av"),
    ("GET", "/panel/callbacks/news", "av"),
    ("GET", "/panel/callbacks.csv", "av"),
    ("GET", "/panel/callbacks/resend", "a"),
    ("POST", "/panel/callbacks/resend", "a"),
    ("GET", "/panel/sessions/{id}", "av"),
    ("POST", "/panel/callbacks/{id}/resend", "a"),
    ("POST", "/panel/callbacks/{id}/now", "a"),
    ("GET", "/panel/settings", "av"),
    ("POST", "/panel/settings", "a"),
    ("POST", "/panel/settings/reveal", "a"),
    ("GET", "/panel/settings/rotate", "a"),
    ("POST", "/panel/settings/rotate", "a"),
    ("POST", "/panel/settings/test-callback", "a"),
    ("GET", "/panel/sandbox", "av"),
    ("POST", "/panel/sandbox/ask", "a"),
    ("GET", "/panel/products", "av"),
    ("POST", "/panel/products", "a"),
    ("GET", "/panel/products/new", "a"),
    ("GET", "/panel/products/item", "av"),
    ("POST", "/panel/products/item", "a"),
    ("GET", "/panel/products/archive", "a"),
    ("POST", "/panel/products/archive", "a"),
    ("POST", "/panel/products/restore", "a"),
    ("GET", "/panel/products/import", "a"),
    ("POST", "/panel/products/import", "a"),
    ("POST", "/panel/products/import/take", "a"),
    ("GET", "/panel/categories", "av"),
    ("POST", "/panel/categories", "a"),
    ("GET", "/panel/categories/new", "a"),
    ("GET", "/panel/categories/item", "a"),
    ("POST", "/panel/categories/item", "a"),
    ("GET", "/panel/categories/archive", "a"),
    ("POST", "/panel/categories/archive", "a"),
    ("POST", "/panel/categories/restore", "a"),
    ("GET", "/panel/categories/import", "a"),
    ("POST", "/panel/categories/import", "a"),
    ("POST", "/panel/categories/import/take", "a"),
    ("GET", "/panel/team", "a"),
    ("POST", "/panel/team", "a"),
    ("GET", "/panel/team/new", "a"),
    ("GET", "/panel/team/{id}", "a"),
    ("POST", "/panel/team/{id}/role", "a"),
    ("POST", "/panel/team/{id}/invite", "a"),
    ("GET", "/panel/team/{id}/remove", "a"),
    ("POST", "/panel/team/{id}/remove", "a"),
    ("POST", "/panel/team/{id}/restore", "a"),
    ("GET", "/panel/audit", "av"),
    ("GET", "/panel/profile", "s"),
    ("GET", "/panel/profile/{vendor}", "s"),
    ("POST", "/panel/profile/{vendor}/reveal", "s"),
    ("GET", "/operator/vendors", "o"),
    ("POST", "/operator/vendors", "o"),
    ("GET", "/operator/vendors/new", "o"),
    ("GET", "/operator/vendors/{id}", "o"),
    ("GET", "/operator/vendors/{id}/sandbox", "o"),
    ("POST", "/operator/vendors/{id}/sandbox", "o"),
    ("GET", "/operator/vendors/{id}/disable", "o"),
    ("POST", "/operator/vendors/{id}/disable", "o"),
    ("POST", "/operator/vendors/{id}/enable", "o"),
    ("POST", "/operator/vendors/{id}/methods", "o"),
    ("POST", "/operator/vendors/{id}/parent", "o"),
    ("GET", "/operator/users", "o"),
    ("POST", "/operator/users", "o"),
    ("GET", "/operator/users/new", "o"),
    ("GET", "/operator/users/{id}", "o"),
    ("GET", "/operator/users/{id}/{deed}", "o"),
    ("POST", "/operator/users/{id}/{deed}", "o"),
    ("GET", "/operator/requests", "o"),
    ("POST", "/operator/requests/{id}/grant", "o"),
    ("GET", "/operator/requests/{id}/dismiss", "o"),
    ("POST", "/operator/requests/{id}/dismiss", "o"),
    ("GET", "/operator/audit", "o"),
];

/// What became of a request.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Fate {
    /// Somebody let it through.
    Through,
    /// To the log-in.
    LogIn,
    /// Not for them.
    Forbidden,
}

fn fate(answer: &Answer) -> Fate {
    let to_login = answer
        .header("location")
        .is_some_and(|to| to.starts_with("/panel/login?next=") || to == "/panel/login?");
    match answer.status.as_u16() {
        403 => Fate::Forbidden,
        303 if to_login => Fate::LogIn,
        500..=599 => panic!("{}: {}", answer.status, answer.body),
        _ => Fate::Through,
    }
}

struct World {
    server: Server,
    vendor: VendorId,
    people: BTreeMap<char, Person>,
    wish: RequestId,
}

async fn world() -> World {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await.id;
    let mut people = BTreeMap::new();
    for (letter, role) in
        [('o', Role::Operator), ('s', Role::SuperVendor), ('a', Role::VendorAdmin), ('v', Role::VendorViewer)]
    {
        let works_for = role.has_vendor().then_some(vendor);
        people.insert(letter, server.person(role.as_str(), role, works_for).await);
    }
    let parent = people[&'s'].id;
    assert!(server.accounts.set_parent(vendor, Some(parent), &entry()).await.expect("stored"));
    let wish = RequestId::from_bytes([9; 16]);
    let asked = server.accounts.ask_for_sandbox(wish, (vendor, people[&'a'].id), "to test", &entry()).await;
    assert!(asked.expect("stored"));
    World { server, vendor, people, wish }
}

impl World {
    /// A path with the ids of things that are there.
    async fn fill(&self, path: &str) -> String {
        let target = self.people[&'v'].id;
        let id = if path.starts_with("/operator/vendors") {
            self.vendor.to_string()
        } else if path.starts_with("/operator/users") {
            target.to_string()
        } else if path.starts_with("/panel/team") {
            // The last admin stays, so that everybody has who they need for the next row.
            self.people[&'a'].id.to_string()
        } else if path.starts_with("/operator/requests") {
            self.wish.to_string()
        } else {
            let logins = self.server.accounts.logins(target).await.expect("a read");
            logins.first().map_or_else(|| target.to_string(), |login| login.id.to_string())
        };
        let path = path.replace("{id}", &id).replace("{vendor}", &self.vendor.to_string());
        path.replace("{token}", "none").replace("{deed}", "reset")
    }

    async fn send(&self, method: &str, path: &str, who: Option<&Person>) -> Answer {
        let stranger = Person {
            browser: self.server.customer(),
            id: self.people[&'v'].id,
            email: String::new(),
            cookies: String::new(),
        };
        let person = who.unwrap_or(&stranger);
        if method == "GET" { person.get(path).await } else { person.post(path, &[]).await }
    }

    async fn log(&self) -> usize {
        let filter = AuditFilter { limit: 10_000, ..AuditFilter::default() };
        self.server.accounts.audit(&filter).await.expect("a read").len()
    }
}

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let mut routes: Vec<_> = panel::routes().iter().map(|route| (route.method, route.path)).collect();
    let mut rows: Vec<_> = TABLE.iter().map(|(method, path, _)| (*method, *path)).collect();
    routes.sort_unstable();
    rows.sort_unstable();
    assert_eq!(routes, rows);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_nobody_gets_where_they_may_not_and_nothing_is_done() {
    let world = world().await;
    let before = world.log().await;
    for (method, path, allowed) in TABLE {
        let filled = world.fill(path).await;
        for (letter, person) in &world.people {
            if !allowed.contains(*letter) {
                let answer = world.send(method, &filled, Some(person)).await;
                assert_eq!(fate(&answer), Fate::Forbidden, "{method} {path} as {letter}");
            }
        }
        if !allowed.contains('x') {
            let answer = world.send(method, &filled, None).await;
            assert_eq!(fate(&answer), Fate::LogIn, "{method} {path} as a stranger: {}", answer.status);
        }
    }
    assert_eq!(world.log().await, before, "no act was done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_everybody_gets_where_they_may() {
    let mut world = world().await;
    for (method, path, allowed) in TABLE {
        let filled = world.fill(path).await;
        for letter in allowed.chars() {
            let person = world.people.get(&letter).cloned();
            let answer = world.send(method, &filled, person.as_ref()).await;
            assert_eq!(fate(&answer), Fate::Through, "{method} {path} as {letter}");
            // Some of these acts log people out.
            if let Some(mut person) = person {
                world.server.open_browser(&mut person).await;
                world.people.insert(letter, person);
            }
        }
        let mut target = world.people[&'v'].clone();
        world.server.open_browser(&mut target).await;
        world.people.insert('v', target);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_t11_what_belongs_to_somebody_else_is_not_there() {
    let world = world().await;
    let other = world.server.vendor().await.id;
    let stranger = world.server.person("other", Role::SuperVendor, None).await;
    let watcher = &world.people[&'s'];
    for id in [other.to_string(), "01963f2a-7b1c-7def-8123-456789abcdef".to_owned(), "x".to_owned()] {
        assert_eq!(watcher.get(&format!("/panel/profile/{id}")).await.status, 404, "{id}");
        assert_eq!(watcher.post(&format!("/panel/profile/{id}/reveal"), &[]).await.status, 404, "{id}");
    }
    let foreign = format!("/panel/profile/{}", world.vendor);
    assert_eq!(stranger.get(&foreign).await.status, 404);
    assert_eq!(stranger.post(&format!("{foreign}/reveal"), &[]).await.status, 404);
    let admin = &world.people[&'a'];
    let login = world.server.accounts.logins(world.people[&'o'].id).await.expect("a read")[0].id;
    assert_eq!(admin.post(&format!("/panel/account/sessions/{login}/end"), &[]).await.status, 404);
    assert_eq!(world.people[&'o'].get("/panel/account").await.status, 200, "still logged in");
    for path in ["vendors", "users", "requests"] {
        for id in ["01963f2a-7b1c-7def-8123-456789abcdef", "x"] {
            let rest = if path == "requests" { "/dismiss" } else { "" };
            let answer = world.people[&'o'].get(&format!("/operator/{path}/{id}{rest}")).await;
            assert_eq!(answer.status, 404, "{path} {id}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t19_every_page_has_its_headers_and_cannot_be_framed() {
    let world = world().await;
    for (method, path, _) in TABLE {
        for person in [None, Some(&world.people[&'v'])] {
            let answer = world.send(method, &world.fill(path).await, person).await;
            let header =
                |name: &str| answer.header(name).unwrap_or_else(|| panic!("no {name} on {method} {path}"));
            let policy = header("content-security-policy");
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(header("cache-control"), "no-store", "{path}");
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert!(matches!(header("referrer-policy"), "same-origin" | "no-referrer"), "{path}");
        }
    }
}
