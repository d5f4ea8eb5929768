//! The password is asked for again before what a borrowed browser must not allow.

use crate::support::{Answer, PASSWORD, Person, Server, entry, until};
use std::time::Duration;
use till_domain::{audit::Deed, user::Role};
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

/// A document with live keys, and what else it says.
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
    let provider = ("/operator/providers/stripe", vec![("document", document.as_str()), ("version", "0")]);
    let payout = [("currency", "EUR"), ("amount", "1.00"), ("destination", "DE02")].to_vec();
    let acts = [
        (&operator, provider),
        (&admin, ("/panel/settings/reveal", vec![])),
        (&admin, ("/panel/account/totp", vec![])),
        (&admin, ("/panel/account/totp/confirm", vec![("code", "000000")])),
        (&admin, ("/panel/wallet/payout", payout)),
    ];
    for (person, (path, form)) in &acts {
        let asked = person.post(path, form).await;
        assert!(asked.status == 200 && asks(&asked), "{path}: {} {}", asked.status, asked.body);
        for (name, value) in form {
            let field = format!("name=\"{name}\" value=\"{}\"", value.replace('"', "&quot;"));
            assert!(
                asked.body.contains(&field) || value.contains('\n'),
                "{path} keeps {field}: {}",
                asked.body
            );
        }
        let wrong = person.post(path, &[&form[..], &[("password_again", "a guess")]].concat()).await;
        assert!(wrong.status == 422 && asks(&wrong), "{path}: {}", wrong.status);
        assert!(!wrong.body.contains("a guess"), "{path}");
        let mut there = (*person).clone();
        let right = there.post(path, &[&form[..], &[("password_again", PASSWORD)]].concat()).await;
        assert!(!asks(&right) && right.status != 403, "{path}: {}", right.status);
        there.take_cookies(&right);
        assert!(!asks(&there.post(path, form).await), "{path}: once in five minutes");
    }
    server.later(FIVE_MINUTES);
    assert!(asks(&admin.post("/panel/settings/reveal", &[]).await), "after five minutes again");
    let page = operator.get("/operator/providers/stripe/edit").await;
    assert!(asks(&page), "the document shows keys");
    let mut there = operator.clone();
    let next = [("next", "/operator/providers/stripe/edit"), ("password_again", PASSWORD)];
    let answer = there.post("/panel/password", &next).await;
    assert_eq!(answer.header("location"), Some("/operator/providers/stripe/edit"));
    there.take_cookies(&answer);
    let page = there.get("/operator/providers/stripe/edit").await;
    assert!(!asks(&page) && page.body.contains("sk_live_a"), "{}", page.body);
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
    let answer = olga.post("/operator/providers/stripe", &form).await;
    assert_eq!(answer.status, 422);
    assert!(answer.body.contains("can be changed only with test keys"), "{}", answer.body);
    assert_eq!(server.accounts.setups().await.expect("a read").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s9_t34_failed_log_ins_wrong_codes_and_refused_acts_are_written_down_and_bounded() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let (_, admin) = people(&server).await;
    let lines = async |deed: Deed| {
        let filter = AuditFilter { deed: Some(deed), limit: 100, ..AuditFilter::default() };
        server.accounts.audit(&filter).await.expect("a read")
    };
    let wait_for = async |deed: Deed, count: usize| {
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
    let failed = wait_for(Deed::LoginFailed, 2).await;
    let about: Vec<_> = failed.iter().map(|line| (line.user, line.detail.clone())).collect();
    assert!(about.contains(&(Some(admin.id), None)), "{about:?}");
    assert!(about.contains(&(None, Some("nobody@shop.example".to_owned()))), "{about:?}");
    assert!(failed.iter().all(|line| line.actor.address.as_deref() == Some("127.0.0.1")));
    for _ in 0..3 {
        let form = [("overlap", "24h"), ("password", "a guess")];
        assert_eq!(admin.post("/panel/settings/rotate", &form).await.status, 422);
        assert_eq!(admin.get("/operator/vendors").await.status, 403);
    }
    let wrong = wait_for(Deed::PasswordFailed, 1).await;
    assert_eq!(
        (wrong[0].actor.user, wrong[0].detail.as_deref()),
        (Some(admin.id), Some("/panel/settings/rotate"))
    );
    let refused = wait_for(Deed::AccessRefused, 1).await;
    let told = "GET /operator/vendors: the role does not allow it";
    assert_eq!((refused[0].actor.user, refused[0].detail.as_deref()), (Some(admin.id), Some(told)));
    assert_eq!(admin.post("/panel/logout", &[]).await.status, 303);
    assert_eq!(lines(Deed::LoggedOut).await.len(), 1);
}
