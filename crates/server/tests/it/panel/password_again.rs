//! Sensitive acts require the password again, so that a borrowed browser cannot do them.

use crate::support::{Answer, PASSWORD, Person, Server, entry, until};
use std::time::Duration;
use till_domain::{audit::AuditEvent, user::Role};
use till_store::AuditFilter;

const FIVE_MINUTES: Duration = Duration::from_secs(5 * 60);

fn asks(answer: &Answer) -> bool {
    answer.body.contains("name=\"password_again\"")
}

/// An operator and a vendor's admin, who logged in a while ago.
async fn people(server: &Server) -> (Person, Person) {
    let vendor = server.vendor().await;
    assert!(server.accounts.set_sandbox(vendor.id, false, &entry()).await.expect("stored"));
    let mut operator = server.user("olga", Role::Operator, None).await;
    let mut admin = server.user("ada", Role::VendorAdmin, Some(vendor.id)).await;
    for person in [&mut operator, &mut admin] {
        server.open_browser(person).await;
    }
    server.later(FIVE_MINUTES);
    (operator, admin)
}

/// A Stripe document with live keys and these extra lines.
fn stripe(more: &str) -> String {
    format!(
        "secret_key = \"sk_live_a\"\npublishable_key = \"pk_live_b\"\nwebhook_secrets = [\"whsec_c\"]\n\
         currencies = [\"EUR\"]\n{more}"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s15_four_acts_ask_for_the_password_once_in_five_minutes() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (operator, admin) = people(&server).await;
    let document = stripe("api = \"http://127.0.0.1:1\"\nscript = \"http://127.0.0.1:1/x.js\"\n");
    let provider =
        ("/operator/providers/stripe/document", vec![("document", document.as_str()), ("version", "0")]);
    let payout = [("currency", "EUR"), ("amount", "1.00"), ("destination", "DE02")].to_vec();
    let acts = [
        (&operator, provider),
        (&admin, ("/panel/settings/reveal", vec![])),
        (&admin, ("/panel/account/totp", vec![])),
        (&admin, ("/panel/account/totp/confirm", vec![("code", "000000")])),
        (&admin, ("/panel/wallet/payout", payout)),
        (&operator, ("/operator/users", vec![("email", "new@shop.example"), ("role", "operator")])),
        (&admin, ("/panel/team", vec![("email", "colleague@shop.example"), ("role", "vendor_admin")])),
    ];
    for (person, (path, form)) in &acts {
        let asked = person.post(path, form).await;
        assert!(asked.status == 200 && asks(&asked), "{path}: {} {}", asked.status, asked.body);
        let page = scraper::Html::parse_document(&asked.body);
        let field = scraper::Selector::parse("input[type=hidden][name=sealed_form]").expect("a selector");
        let sealed = page.select(&field).next().and_then(|field| field.attr("value")).expect("what was sent");
        for (name, value) in form.iter().filter(|(_, value)| value.len() > 12) {
            assert!(!asked.body.contains(value), "{path}: {name} is only there encrypted");
        }
        let empty = person.post(path, &[&form[..], &[("password_again", "")]].concat()).await;
        assert!(empty.status == 422 && asks(&empty), "{path}: {}", empty.status);
        let wrong = person.post(path, &[&form[..], &[("password_again", "a guess")]].concat()).await;
        assert!(wrong.status == 422 && asks(&wrong), "{path}: {}", wrong.status);
        assert!(!wrong.body.contains("a guess"), "{path}");
        let other = person.post("/panel/password", &[("sealed_form", sealed)]).await;
        assert!(asks(&other), "it opens for its own address alone");
        let mut there = (*person).clone();
        let right = there.post(path, &[("sealed_form", sealed), ("password_again", PASSWORD)]).await;
        assert!(!asks(&right), "{path}: {}", right.body);
        let reached = match *path {
            "/operator/providers/stripe/document" => {
                right.header("location") == Some("/operator/providers/stripe?done=saved")
            }
            "/panel/settings/reveal" => right.body.contains("live_"),
            "/panel/account/totp" => right.header("location") == Some("/panel/account/totp"),
            // There is no money yet; that is what the form says.
            "/panel/wallet/payout" => right.status == 422,
            "/operator/users" => right.status == 200 && right.body.contains("new@shop.example"),
            "/panel/team" => right.status == 200 && right.body.contains("colleague@shop.example"),
            _ => right.status == 422,
        };
        assert!(reached, "{path} did what was asked: {} {}", right.status, right.body);
        there.take_cookies(&right);
        assert!(!asks(&there.post(path, form).await), "{path}: once in five minutes");
    }
    server.later(FIVE_MINUTES);
    assert!(asks(&admin.post("/panel/settings/reveal", &[]).await), "after five minutes again");
    let page = operator.get("/operator/providers/stripe/edit").await;
    assert!(asks(&page), "a set-up leads to the money");
    let mut there = operator.clone();
    let next = [("next", "/operator/providers/stripe/edit"), ("password_again", PASSWORD)];
    let answer = there.post("/panel/password", &next).await;
    assert_eq!(answer.header("location"), Some("/operator/providers/stripe/edit"));
    there.take_cookies(&answer);
    let page = there.get("/operator/providers/stripe/edit").await;
    assert!(
        !asks(&page) && page.body.contains("pk_live_b") && !page.body.contains("sk_live_a"),
        "{}",
        page.body
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s15_what_was_shown_in_one_log_in_does_not_count_in_another() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (_, mut admin) = people(&server).await;
    let shown = admin.post("/panel/settings/reveal", &[("password_again", PASSWORD)]).await;
    admin.take_cookies(&shown);
    let confirmed = admin.cookies.split("; ").find(|pair| pair.starts_with("till-confirmed="));
    let confirmed = confirmed.expect("a cookie").to_owned();
    let mut other = admin.clone();
    server.open_browser(&mut other).await;
    server.later(FIVE_MINUTES - Duration::from_secs(1));
    assert!(!asks(&admin.post("/panel/settings/reveal", &[]).await));
    server.later(Duration::from_secs(1));
    other.cookies = format!("{}; {confirmed}", other.cookies);
    assert!(asks(&other.post("/panel/settings/reveal", &[]).await), "the cookie of another log-in");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s6_a_script_from_elsewhere_is_not_saved_beside_live_keys() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let document = stripe("api = \"https://127.0.0.1:1\"\nscript = \"https://js.shop.example/skim.js\"\n");
    let form = [("document", document.as_str()), ("version", "0")];
    let answer = olga.post("/operator/providers/stripe/document", &form).await;
    assert_eq!(answer.status, 422);
    assert!(answer.body.contains("can be changed only with test keys"), "{}", answer.body);
    assert_eq!(server.accounts.setups().await.expect("a read").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s17_a_vendor_asks_about_few_addresses_of_other_users() {
    let server = Server::with(&[("TILL_RATE_LIMITS", "on"), ("TILL_OPERATOR_TOTP", "off")]).await;
    let (_, mut admin) = people(&server).await;
    server.open_browser(&mut admin).await;
    let invite = async |email: &str| {
        let answer = admin.post("/panel/team", &[("email", email), ("role", "vendor_viewer")]).await;
        (answer.status.as_u16(), answer.body.contains("Too many attempts"))
    };
    for _ in 0..5 {
        assert_eq!(invite("olga@shop.example").await, (422, false), "an operator's");
    }
    assert_eq!(invite("olga@shop.example").await, (422, true));
    assert_eq!(invite("someone.new@shop.example").await, (422, true), "whether there is a user is not told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s9_t34_failed_log_ins_wrong_codes_and_refused_acts_are_written_down_and_bounded() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (_, admin) = people(&server).await;
    let lines = async |deed: AuditEvent| {
        let filter = AuditFilter { event: Some(deed), limit: 100, ..AuditFilter::default() };
        server.accounts.audit(&filter).await.expect("a read")
    };
    let wait_for = async |deed: AuditEvent, count: usize| {
        until("the line is there", async || lines(deed).await.len() == count).await;
        lines(deed).await
    };
    let stranger = server.customer();
    for _ in 0..5 {
        for email in ["ada@shop.example", "nobody@shop.example", "no address"] {
            let form = [("email", email), ("password", "a guess")];
            assert_eq!(stranger.post("/panel/login", &form, &[("origin", &server.url)]).await.status, 401);
        }
    }
    let failed = wait_for(AuditEvent::LoginFailed, 2).await;
    let about: Vec<_> = failed.iter().map(|line| (line.user, line.detail.clone())).collect();
    assert!(about.contains(&(Some(admin.id), None)), "{about:?}");
    assert!(about.contains(&(None, Some("nobody@shop.example".to_owned()))), "{about:?}");
    assert!(failed.iter().all(|line| line.actor.address.as_deref() == Some("127.0.0.1")));
    for _ in 0..3 {
        let form = [("overlap", "24h"), ("password", "a guess")];
        assert_eq!(admin.post("/panel/settings/rotate", &form).await.status, 422);
        assert_eq!(admin.get("/operator/vendors").await.status, 403);
    }
    let wrong = wait_for(AuditEvent::PasswordFailed, 1).await;
    assert_eq!(
        (wrong[0].actor.user, wrong[0].detail.as_deref()),
        (Some(admin.id), Some("/panel/settings/rotate"))
    );
    let refused = wait_for(AuditEvent::AccessRefused, 1).await;
    let told = "GET /operator/vendors: the role does not allow it";
    assert_eq!((refused[0].actor.user, refused[0].detail.as_deref()), (Some(admin.id), Some(told)));
    // A wrong code: the password is right, and the second factor fails.
    let mut eve = server.user("eve", Role::Operator, None).await;
    assert!(server.accounts.set_pending_factor(eve.id, b"sealed").await.is_ok());
    let factor = till_store::ConfirmedFactor { pending: b"sealed", step: 1, codes: &[], keep: None };
    assert!(server.accounts.confirm_factor(eve.id, &factor, &entry()).await.expect("stored"));
    assert!(eve.log_in(PASSWORD).await.header("location").is_some_and(|to| to.contains("/panel/login/code")));
    assert_eq!(eve.post_with("/panel/login/code", &[("code", "000000")], &[]).await.status, 401);
    let wrong = wait_for(AuditEvent::CodeFailed, 1).await;
    assert_eq!(wrong[0].user, Some(eve.id));
    assert_eq!(admin.post("/panel/logout", &[]).await.status, 303);
    assert_eq!(lines(AuditEvent::LoggedOut).await.len(), 1);
}
