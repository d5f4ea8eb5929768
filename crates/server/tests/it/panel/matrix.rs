//! The access matrix: every route for every role. The routes are read from the list that the router is made
//! of, so a new one without a row here fails.

use crate::support::{Answer, Person, Server, entry};
use serde_json::json;
use std::collections::BTreeMap;
use till_domain::{
    audit::AuditEvent,
    change::Change,
    id::{ActionId, EntryId, EventId, PayoutId, RequestId, SessionId, VendorId},
    money::{Currency, Money},
    payout::Payout,
    transaction::{Action, ActionKind},
    user::Role,
};
use till_panel as panel;
use till_store::{AuditFilter, Committed};

/// The roles with access to each route, and the answers: o operator, s super vendor, a vendor's admin, v
/// vendor's viewer, x not logged in; `=` a status, `>` a redirect target. Every request sends the form of
/// [`World::form`].
const TABLE: &[(&str, &str, &str)] = &[
    ("GET", "/panel", "o>/operator s>/panel/profile av=200"),
    ("GET", "/panel/login", "o>/operator s>/panel/profile av>/panel x=200"),
    ("POST", "/panel/login", "osavx=401"),
    ("GET", "/panel/login/code", "osavx>/panel/login"),
    ("POST", "/panel/login/code", "osavx>/panel/login?ended=1"),
    ("POST", "/panel/logout", "osav>/panel/login?done=logged-out"),
    ("POST", "/panel/password", "o>/operator s>/panel/profile av>/panel"),
    ("GET", "/panel/forgot", "osavx=200"),
    ("POST", "/panel/forgot", "osavx=200"),
    ("GET", "/panel/link/{token}", "osavx=410"),
    ("POST", "/panel/link/{token}", "osavx=410"),
    ("GET", "/panel/account", "osav=200"),
    ("POST", "/panel/account/password", "osav=422"),
    ("POST", "/panel/account/time-zone", "osav>/panel/account?done=saved"),
    ("GET", "/panel/account/totp", "osav=200"),
    ("POST", "/panel/account/totp", "osav>/panel/account/totp"),
    ("POST", "/panel/account/totp/confirm", "osav=422"),
    ("POST", "/panel/account/totp/off", "osav=422"),
    ("POST", "/panel/account/totp/codes", "osav=422"),
    ("POST", "/panel/account/sessions/{id}/end", "osav>/panel/account?done=session-ended"),
    ("POST", "/panel/account/sessions/end-others", "osav>/panel/account?done=sessions-ended"),
    ("GET", "/panel/settings", "av=200"),
    ("POST", "/panel/settings", "a>/panel/settings?done=saved"),
    ("POST", "/panel/settings/reveal", "a=200"),
    ("GET", "/panel/settings/rotate", "a=200"),
    ("POST", "/panel/settings/rotate", "a=422"),
    ("GET", "/panel/settings/endpoint-check", "av=200"),
    ("POST", "/panel/settings/endpoint-check", "a=422"),
    ("GET", "/panel/settings/endpoint-check/{id}", "av=404"),
    ("GET", "/operator/vendors/{vendor}/endpoint-checks/{id}", "o=404"),
    ("GET", "/panel/settings/delivery", "av=200"),
    ("POST", "/panel/settings/delivery", "a=422"),
    ("GET", "/panel/settings/fiscal", "av=200"),
    ("POST", "/panel/settings/fiscal", "a=422"),
    ("GET", "/panel/settings/signature", "a=200"),
    ("POST", "/panel/settings/signature", "a=422"),
    ("POST", "/panel/settings/test-callback", "a>/panel/settings?done=failed"),
    ("GET", "/panel/sandbox", "av=200"),
    ("POST", "/panel/sandbox/ask", "a>/panel/sandbox?done=sandbox-on"),
    ("GET", "/panel/products", "av=200"),
    ("POST", "/panel/products", "a=409"),
    ("GET", "/panel/products/new", "a=200"),
    ("GET", "/panel/products/item", "av=200"),
    ("POST", "/panel/products/item", "a=409"),
    ("GET", "/panel/products/archive", "a=200"),
    ("POST", "/panel/products/archive", "a=409"),
    ("POST", "/panel/products/restore", "a=409"),
    ("GET", "/panel/products/import", "a=200"),
    ("POST", "/panel/products/import", "a=409"),
    ("POST", "/panel/products/import/take", "a=409"),
    ("GET", "/panel/categories", "av=200"),
    ("POST", "/panel/categories", "a=409"),
    ("GET", "/panel/categories/new", "a=200"),
    ("GET", "/panel/categories/item", "a=200"),
    ("POST", "/panel/categories/item", "a=409"),
    ("GET", "/panel/categories/archive", "a=200"),
    ("POST", "/panel/categories/archive", "a=409"),
    ("POST", "/panel/categories/restore", "a=409"),
    ("GET", "/panel/categories/import", "a=200"),
    ("POST", "/panel/categories/import", "a=409"),
    ("POST", "/panel/categories/import/take", "a=409"),
    ("GET", "/panel/team", "a=200"),
    ("POST", "/panel/team", "a=200"),
    ("GET", "/panel/team/new", "a=200"),
    ("GET", "/panel/team/{id}", "a=200"),
    ("POST", "/panel/team/{id}/role", "a>/panel/team/{id}?done=saved"),
    ("POST", "/panel/team/{id}/invite", "a=200"),
    ("GET", "/panel/team/{id}/remove", "a=200"),
    ("POST", "/panel/team/{id}/remove", "a>/panel/team/{id}?done=last-admin"),
    ("POST", "/panel/team/{id}/restore", "a>/panel/team/{id}?done=failed"),
    ("GET", "/panel/audit", "av=200"),
    ("GET", "/panel/sessions", "av=200"),
    ("POST", "/panel/sessions", "av>/panel/sessions"),
    ("GET", "/panel/sessions/news", "av=200"),
    ("GET", "/panel/sessions.csv", "av=200"),
    ("GET", "/panel/transactions", "av=200"),
    ("POST", "/panel/transactions", "av>/panel/transactions"),
    ("GET", "/panel/transactions/news", "av=200"),
    ("GET", "/panel/transactions.csv", "av=200"),
    ("GET", "/panel/wallet", "av=200"),
    ("GET", "/panel/wallet.csv", "av=200"),
    ("GET", "/panel/wallet/payout", "a=200"),
    ("POST", "/panel/wallet/payout", "a=409"),
    ("GET", "/panel/callbacks", "av=200"),
    ("POST", "/panel/callbacks", "av>/panel/callbacks"),
    ("GET", "/panel/callbacks/news", "av=200"),
    ("GET", "/panel/callbacks.csv", "av=200"),
    ("GET", "/panel/callbacks/resend", "a=200"),
    ("POST", "/panel/callbacks/resend", "a>/panel/callbacks?done=on-its-way"),
    ("GET", "/panel/sessions/{id}", "av=200"),
    ("GET", "/panel/sessions/{id}/refund", "a=200"),
    ("POST", "/panel/sessions/{id}/refund", "a=200"),
    ("POST", "/panel/callbacks/{id}/resend", "a>/panel/callbacks?done=no-address"),
    ("POST", "/panel/callbacks/{id}/now", "a>/panel/callbacks?done=on-its-way"),
    ("GET", "/panel/profile", "s=200"),
    ("GET", "/panel/profile/{vendor}", "s=200"),
    ("POST", "/panel/profile/{vendor}/reveal", "s=200"),
    ("GET", "/operator/vendors", "o=200"),
    ("POST", "/operator/vendors", "o=200"),
    ("GET", "/operator/vendors/new", "o=200"),
    ("GET", "/operator/vendors/{id}", "o=200"),
    ("GET", "/operator/vendors/{id}/sandbox", "o=200"),
    ("POST", "/operator/vendors/{id}/sandbox", "o>/operator/vendors/{id}?done=sandbox-off"),
    ("GET", "/operator/vendors/{id}/disable", "o=200"),
    ("POST", "/operator/vendors/{id}/disable", "o>/operator/vendors/{id}?done=disabled"),
    ("POST", "/operator/vendors/{id}/enable", "o>/operator/vendors/{id}?done=enabled"),
    ("POST", "/operator/vendors/{id}/methods", "o>/operator/vendors/{id}?done=saved"),
    ("POST", "/operator/vendors/{id}/parent", "o>/operator/vendors/{id}?done=saved"),
    ("GET", "/operator/vendors/{id}/terms", "o=200"),
    ("POST", "/operator/vendors/{id}/fees", "o>/operator/vendors/{id}/terms?done=saved"),
    ("POST", "/operator/vendors/{id}/delay", "o>/operator/vendors/{id}/terms?done=saved"),
    ("GET", "/operator/vendors/{id}/fiscal", "o=200"),
    ("POST", "/operator/vendors/{id}/fiscal", "o>/operator/vendors/{id}/fiscal?done=saved"),
    ("GET", "/operator/vendors/{id}/wallet", "o=200"),
    ("GET", "/operator/vendors/{id}/wallet.csv", "o>/operator/vendors/{id}/wallet?month=%3F&currency="),
    ("GET", "/operator/users", "o=200"),
    ("POST", "/operator/users", "o=200"),
    ("GET", "/operator/users/new", "o=200"),
    ("GET", "/operator/users/{id}", "o=200"),
    ("GET", "/operator/users/{id}/{deed}", "o=200"),
    ("POST", "/operator/users/{id}/{deed}", "o=200"),
    ("GET", "/operator/requests", "o=200"),
    ("POST", "/operator/requests/{id}/grant", "o>/operator/requests?done=sandbox-on"),
    ("GET", "/operator/requests/{id}/dismiss", "o=200"),
    ("POST", "/operator/requests/{id}/dismiss", "o>/operator/requests?done=dismissed"),
    ("GET", "/operator/audit", "o=200"),
    ("GET", "/operator/actions", "o=200"),
    ("GET", "/operator/actions/{env}/{id}", "o=200"),
    ("POST", "/operator/actions/{env}/{id}/assign", "o>/operator/actions/sandbox/{id}?done=saved"),
    ("POST", "/operator/actions/{env}/{id}/note", "o=422"),
    ("GET", "/operator/actions/{env}/{id}/{resolution}", "o=200"),
    ("POST", "/operator/actions/{env}/{id}/{resolution}", "o>/operator/actions?env=sandbox&done=decided"),
    ("GET", "/operator/payouts", "o=200"),
    ("GET", "/operator/payouts/{id}/{step}", "o=200"),
    ("POST", "/operator/payouts/{id}/{step}", "o>/operator/payouts?done=payout-moved"),
    ("GET", "/operator/refunds", "o=200"),
    ("GET", "/operator/refunds/{id}/{step}", "o=404"),
    ("POST", "/operator/refunds/{id}/{step}", "o=404"),
    ("GET", "/operator/reconciliations", "o=200"),
    ("POST", "/operator/reconciliations", "o=422"),
    ("GET", "/operator/callbacks", "o=200"),
    ("GET", "/operator/callbacks/resend", "o=200"),
    ("POST", "/operator/callbacks/resend", "o=422"),
    ("GET", "/operator/callbacks/{env}/{id}", "o=200"),
    ("POST", "/operator/callbacks/{env}/{id}/resend", "o>/operator/callbacks/sandbox/{id}?done=no-address"),
    ("GET", "/operator/sessions/{env}/{id}", "o=200"),
    ("GET", "/operator/sessions/{env}/{id}/refund", "o=200"),
    ("POST", "/operator/sessions/{env}/{id}/refund", "o=200"),
    ("GET", "/operator", "o=200"),
    ("GET", "/operator/sessions", "o=200"),
    ("GET", "/operator/sessions.csv", "o=200"),
    ("GET", "/operator/transactions", "o=200"),
    ("GET", "/operator/transactions.csv", "o=200"),
    ("GET", "/operator/search", "o=200"),
    ("POST", "/operator/search", "o>/operator/search?q="),
    ("GET", "/operator/providers", "o=200"),
    ("GET", "/operator/activity/{env}/{name}", "o=200"),
    ("GET", "/operator/system", "o=200"),
    ("GET", "/operator/hold", "o=200"),
    ("POST", "/operator/hold", "o>/operator/hold?done=overtaken"),
    ("GET", "/operator/personal-data", "o=200"),
    ("POST", "/operator/personal-data", "o=422"),
    ("POST", "/operator/personal-data/erase", "o>/operator/personal-data?done=overtaken"),
    ("GET", "/operator/providers/{kind}", "o=200"),
    ("POST", "/operator/providers/{kind}", "o=422"),
    ("GET", "/operator/providers/{kind}/edit", "o=200"),
    ("GET", "/operator/providers/{kind}/document", "o=200"),
    ("POST", "/operator/providers/{kind}/document", "o=422"),
    ("POST", "/operator/providers/{kind}/test", "o=404"),
    ("POST", "/operator/providers/{kind}/on", "o=404"),
    ("POST", "/operator/providers/{kind}/off", "o=404"),
    ("POST", "/operator/providers/{kind}/up", "o=404"),
    ("POST", "/operator/providers/{kind}/down", "o=404"),
];

/// Each role with access, with its answer.
fn answers(row: &'static str) -> Vec<(char, &'static str)> {
    let parts = row.split(' ').map(|part| part.split_at(part.find(['=', '>']).expect("an answer")));
    parts.flat_map(|(letters, answer)| letters.chars().map(move |letter| (letter, answer))).collect()
}

fn may(row: &'static str, who: char) -> bool {
    answers(row).iter().any(|(letter, _)| *letter == who)
}

/// An answer in the notation of the table.
fn told(answer: &Answer) -> String {
    match (answer.status.as_u16(), answer.header("location")) {
        (303, Some(to)) => format!(">{to}"),
        (status, _) => format!("={status}"),
    }
}

struct World {
    server: Server,
    vendor: VendorId,
    /// A paid session of the sandbox, its event, and an action about it.
    session: SessionId,
    event: EventId,
    action: ActionId,
    /// A payout that the vendor requested.
    payout: PayoutId,
    people: BTreeMap<char, Person>,
    wish: RequestId,
}

async fn world() -> World {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let shopkeeper = server.vendor().await;
    let vendor = shopkeeper.id;
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
    let shop = server.shop("sandbox", &shopkeeper).await;
    let session = SessionId::parse(&shop.order("A-1").await).expect("an id");
    assert_eq!(shop.simulate(&session.to_string(), &json!({ "outcome": "paid" })).await.status, 200);
    let event = server.sandbox.store.callback(session).await.expect("a read").expect("an event").id;
    let action = ActionId::from(event);
    let (kind, at) = (ActionKind::Unreachable, server.clock.now());
    let (session_of, of) = (Some(session), Some(vendor));
    let needed =
        Action { id: action, kind, session: session_of, vendor: of, transaction: None, finding: None, at };
    let _ = server.sandbox.store.commit(&[Change::NeedAction(Box::new(needed))]).await.expect("stored");
    let payout = ask_payout(&server, vendor).await;
    World { server, vendor, session, event, action, payout, people, wish }
}

/// Requests a payout as if there were money.
async fn ask_payout(server: &Server, vendor: VendorId) -> PayoutId {
    let (now, id) = (server.clock.now(), PayoutId::from_bytes([7; 16]));
    let amount = Money { minor: 100, currency: Currency::parse("RUB").expect("a currency") };
    let payout =
        Payout { id, vendor, amount, destination: "a bank".to_owned(), at: now, by: "ada".to_owned() };
    let changes = payout.ask(0, amount, EntryId::from_bytes([8; 16])).expect("enough");
    assert_eq!(server.live.store.commit(&changes).await.expect("stored"), Committed::Done);
    id
}

/// An id that does not exist.
const NOBODY: &str = "01963f2a-7b1c-7def-8123-456789abcdef";

impl World {
    /// The id for a path, of an object that this user may see.
    async fn id(&self, path: &str, who: Option<&Person>) -> String {
        if path.starts_with("/operator/vendors") {
            self.vendor.to_string()
        } else if path.starts_with("/operator/users") {
            self.people[&'v'].id.to_string()
        } else if path.starts_with("/operator/requests") {
            self.wish.to_string()
        } else if path.starts_with("/operator/payouts") {
            self.payout.to_string()
        } else if path.starts_with("/operator/actions") {
            self.action.to_string()
        } else if path.contains("/callbacks/") {
            self.event.to_string()
        } else if path.starts_with("/panel/sessions") || path.starts_with("/operator/sessions") {
            self.session.to_string()
        } else if path.starts_with("/panel/team") {
            // The last admin cannot be removed, so the rows below keep all the users they need.
            self.people[&'a'].id.to_string()
        } else {
            let user = who.unwrap_or(&self.people[&'v']).id;
            let logins = self.server.accounts.logins(user).await.expect("a read");
            logins.first().map_or_else(|| user.to_string(), |login| login.id.to_string())
        }
    }

    /// A path with ids of existing objects.
    async fn fill(&self, path: &str, who: Option<&Person>) -> String {
        fill(path, &self.id(path, who).await, &self.vendor.to_string())
    }

    /// The form values that are sent to a path.
    fn form(&self, path: &str) -> Vec<(&'static str, String)> {
        let form: &[(&'static str, &str)] = match path {
            "/panel/login" | "/panel/forgot" => &[("email", "nobody@shop.example"), ("password", "x")],
            "/panel/settings" => &[("display_name", "Halden"), ("confirm_shared", "on")],
            "/panel/settings/rotate" => &[("overlap", "1h"), ("password", "not mine")],
            "/operator/vendors" => &[("name", "Another")],
            "/operator/vendors/{id}/sandbox" => &[("on", "off"), ("asked_by", "ada"), ("why", "a test")],
            "/operator/vendors/{id}/methods" => &[("methods", "card")],
            "/operator/vendors/{id}/parent" => &[("super", &self.people[&'s'].id.to_string())],
            "/operator/vendors/{id}/fees" => &[("method", "card"), ("percent", "2.5")],
            "/operator/vendors/{id}/delay" => &[("delay", "7d")],
            "/operator/vendors/{id}/fiscal" => &[("fiscal", "accept"), ("max_items", "80")],
            "/operator/users" => &[("email", "new@shop.example"), ("role", "operator")],
            "/panel/team" => &[("email", "colleague@shop.example"), ("role", "vendor_viewer")],
            "/panel/team/{id}/role" => &[("role", "vendor_admin")],
            _ => &[],
        };
        form.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    fn stranger(&self) -> Person {
        let (browser, id) = (self.server.customer(), self.people[&'v'].id);
        Person { browser, id, email: String::new(), cookies: String::new() }
    }

    /// Sends a request to a filled-in path of the table.
    async fn send(&self, method: &str, path: &str, filled: &str, who: Option<&Person>) -> Answer {
        let stranger = self.stranger();
        let person = who.unwrap_or(&stranger);
        let form = self.form(path);
        let form: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        if method == "GET" { person.get(filled).await } else { person.post(filled, &form).await }
    }

    /// The number of recorded acts; a refused access is none.
    async fn log(&self) -> usize {
        let filter = AuditFilter { limit: 10_000, ..AuditFilter::default() };
        let lines = self.server.accounts.audit(&filter).await.expect("a read");
        lines.iter().filter(|line| line.event != AuditEvent::AccessRefused).count()
    }

    /// Logs every user in, and makes a request for a sandbox if there is none.
    async fn set_up(&mut self) {
        for person in self.people.values_mut() {
            self.server.open_browser(person).await;
        }
        let wishes = self.server.accounts.sandbox_requests(None).await.expect("a read");
        if wishes.is_empty() {
            self.wish = till_service::random::id::<RequestId>(self.server.clock.now());
            let who = (self.vendor, self.people[&'a'].id);
            let asked = self.server.accounts.ask_for_sandbox(self.wish, who, "to test", &entry()).await;
            assert!(asked.expect("stored"));
        }
    }
}

fn fill(path: &str, id: &str, vendor: &str) -> String {
    let path = path.replace("{id}", id).replace("{vendor}", vendor);
    let path =
        path.replace("{env}", "sandbox").replace("{resolution}", "dismiss").replace("{step}", "approved");
    path.replace("{token}", "none")
        .replace("{deed}", "reset")
        .replace("{kind}", "yookassa")
        .replace("{name}", "simulator")
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
    for (method, path, row) in TABLE {
        let filled = world.fill(path, None).await;
        for (letter, person) in &world.people {
            if !may(row, *letter) {
                let answer = world.send(method, path, &filled, Some(person)).await;
                assert_eq!(told(&answer), "=403", "{method} {path} as {letter}");
            }
        }
        if !may(row, 'x') {
            let answer = told(&world.send(method, path, &filled, None).await);
            // A script that polls for news gets a status instead of the log-in page.
            let expected = if path.ends_with("/news") { "=401" } else { ">/panel/login?" };
            assert!(answer.starts_with(expected), "{method} {path} as a stranger: {answer}");
        }
    }
    assert_eq!(world.log().await, before, "no act was done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_everybody_gets_what_they_may_and_nothing_breaks_for_one_role() {
    let mut world = world().await;
    let mut wrong = Vec::new();
    for (method, path, row) in TABLE {
        for (letter, expected) in answers(row) {
            // Some of these acts log users out.
            world.set_up().await;
            let person = world.people.get(&letter);
            let filled = world.fill(path, person).await;
            let expected = expected.replace("{id}", &world.id(path, person).await);
            let answer = world.send(method, path, &filled, person).await;
            let table = path.ends_with(".csv") || path.ends_with("/news");
            let page = table || answer.body.contains("<h1") || answer.status == 303;
            if told(&answer) != expected || !page {
                wrong.push(format!("{method} {path} as {letter}: {}, not {expected}", told(&answer)));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_t11_what_belongs_to_somebody_else_is_not_there() {
    let world = world().await;
    let other = world.server.vendor().await.id.to_string();
    let stranger = world.server.person("other", Role::SuperVendor, None).await;
    let login = world.server.accounts.logins(stranger.id).await.expect("a read")[0].id.to_string();
    let before = world.log().await;
    for (method, path, row) in TABLE {
        if !path.contains("{id}") && !path.contains("{vendor}") {
            continue;
        }
        for (letter, _) in answers(row) {
            let person = &world.people[&letter];
            // An operator may see every vendor; a log-in belongs to its own user, for every role.
            let foreign = if path.contains("{vendor}") { &other } else { &login };
            for id in [foreign.as_str(), NOBODY, "x", "%00"] {
                let answer = world.send(method, path, &fill(path, id, id), Some(person)).await;
                assert_eq!(told(&answer), "=404", "{method} {path} with {id} as {letter}");
            }
        }
    }
    let watched = format!("/panel/profile/{}", world.vendor);
    assert_eq!(stranger.get(&watched).await.status, 404, "another super vendor's");
    assert_eq!(stranger.post(&format!("{watched}/reveal"), &[]).await.status, 404);
    let user = format!("/operator/users/{}/promote", world.people[&'v'].id);
    for answer in [world.people[&'o'].get(&user).await, world.people[&'o'].post(&user, &[]).await] {
        assert_eq!(answer.status, 404, "there is no such deed");
    }
    assert_eq!(world.log().await, before, "no act was done");
    assert_eq!(stranger.get("/panel/account").await.status, 200, "still logged in");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t18_no_form_from_elsewhere_does_anything() {
    let world = world().await;
    let before = world.log().await;
    for (_, path, row) in TABLE.iter().filter(|(method, ..)| *method == "POST") {
        for (letter, _) in answers(row) {
            let stranger = world.stranger();
            let person = world.people.get(&letter).unwrap_or(&stranger);
            let filled = world.fill(path, Some(person)).await;
            let csrf = person.csrf().await;
            let form = world.form(path);
            let form: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let form = [&form[..], &[("csrf", csrf.as_str())]].concat();
            for headers in [
                &[("origin", "https://evil.example")][..],
                &[("origin", "null")],
                &[("origin", "")],
                &[("sec-fetch-site", "cross-site")],
                &[("sec-fetch-site", "same-site")],
            ] {
                let answer = person.post_with(&filled, &form, headers).await;
                assert_eq!(told(&answer), "=403", "{path} as {letter} with {headers:?}");
            }
        }
    }
    assert_eq!(world.log().await, before, "no act was done");
    for person in world.people.values() {
        assert_eq!(person.get("/panel/account").await.status, 200, "nobody was logged out");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t19_every_page_has_its_headers_and_cannot_be_framed() {
    let world = world().await;
    for (method, path, _) in TABLE {
        for person in [None, Some(&world.people[&'v'])] {
            let filled = world.fill(path, person).await;
            let answer = world.send(method, path, &filled, person).await;
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
