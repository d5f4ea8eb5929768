//! Log-in and access: passwords, second factors, links, cookies, CSRF, guessing.

use crate::support::{MailServer, PASSWORD, Person, Server, entry, until};
use std::time::{Duration, Instant};
use till_domain::{audit::AuditEvent, user::Role};
use till_service::access::totp::Secret;
use till_store::AuditFilter;

const NEW: &str = "another long password";

async fn deeds(server: &Server) -> Vec<AuditEvent> {
    let filter = AuditFilter { limit: 100, ..AuditFilter::default() };
    server.accounts.audit(&filter).await.expect("a read").into_iter().map(|line| line.event).collect()
}

/// The text of the first element that the selector finds.
fn text_of(body: &str, selector: &str) -> String {
    let document = scraper::Html::parse_document(body);
    let selector = scraper::Selector::parse(selector).expect("a selector");
    document.select(&selector).next().map(|element| element.text().collect::<String>()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_opens_the_door_and_the_role_decides_where_to() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let vendor = server.vendor().await.id;
    for (name, role, home) in [
        ("olga", Role::Operator, "/operator"),
        ("sven", Role::SuperVendor, "/panel/profile"),
        ("ada", Role::VendorAdmin, "/panel"),
    ] {
        let mut person = server.user(name, role, role.has_vendor().then_some(vendor)).await;
        let wrong = person.log_in("wrong password!").await;
        assert_eq!((wrong.status.as_u16(), wrong.header("set-cookie")), (401, None));
        assert!(wrong.body.contains(&person.email), "what was typed is kept");
        let unknown =
            person.post_with("/panel/login", &[("email", "no@shop.example"), ("password", "x")], &[]).await;
        assert_eq!(text_of(&unknown.body, "#problem"), text_of(&wrong.body, "#problem"), "the same words");
        let right = person.log_in(PASSWORD).await;
        assert_eq!((right.status.as_u16(), right.header("location")), (303, Some(home)));
        assert_eq!(person.get(home).await.status, 200);
        let begins = person.get("/panel").await;
        assert_eq!(begins.header("location").unwrap_or("/panel"), home);
        let out = person.post("/panel/logout", &[]).await;
        assert_eq!(out.header("location"), Some("/panel/login?done=logged-out"));
        assert_eq!(person.get(home).await.status, 303, "the cookie is worth nothing now");
    }
    assert_eq!(deeds(&server).await.iter().filter(|deed| **deed == AuditEvent::LoggedIn).count(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_in_leads_back_to_what_was_asked_for_and_nowhere_else() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    let asked = olga.get("/operator/audit").await;
    assert_eq!(asked.header("location"), Some("/panel/login?next=%2Foperator%2Faudit"));
    for (next, expected) in [
        ("/operator/audit", "/operator/audit"),
        ("//evil.example", "/operator"),
        ("https://evil.example/panel", "/operator"),
        ("/panel/../../x", "/panel/../../x"),
        ("", "/operator"),
    ] {
        let form = [("email", olga.email.as_str()), ("password", PASSWORD), ("next", next)];
        let answer = olga.post_with("/panel/login", &form, &[]).await;
        assert_eq!(answer.header("location"), Some(expected), "{next}");
    }
    olga.log_in(PASSWORD).await;
    let again = olga.get("/panel/login?next=%2Foperator%2Fusers").await;
    assert_eq!(again.header("location"), Some("/operator/users"), "who is in is not asked again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t18_cookies_belong_to_one_host_and_are_hidden_from_scripts() {
    let https = [("TILL_BASE_URL", "https://till.example"), ("TILL_OPERATOR_TOTP", "off")];
    for (settings, name, secure) in
        [(&https[..], "__Host-till-login", true), (&https[1..], "till-login", false)]
    {
        let server = Server::with(settings).await;
        let mut olga = server.user("olga", Role::Operator, None).await;
        olga.browser.url.clone_from(&server.local);
        let answer = olga.log_in(PASSWORD).await;
        let lines: Vec<_> =
            answer.headers.get_all("set-cookie").iter().map(|line| line.to_str().expect("text")).collect();
        let line = lines.iter().find(|line| line.starts_with(&format!("{name}="))).expect("a cookie");
        for part in ["; Path=/", "; HttpOnly", "; SameSite=Lax"] {
            assert!(line.contains(part), "{line}");
        }
        assert_eq!((line.contains("; Secure"), line.contains("Domain")), (secure, false), "{line}");
        let page = olga.get("/operator/vendors").await;
        assert_eq!(page.status, 200);
        // Without https a browser sends the origin of a form only under this policy.
        let policy = if secure { "no-referrer" } else { "same-origin" };
        assert_eq!(page.header("referrer-policy"), Some(policy));
        // The store does not contain the cookie's value.
        let value = line.split_once('=').and_then(|(_, rest)| rest.split(';').next()).expect("a value");
        for file in ["accounts.db", "accounts.db-wal"] {
            let bytes = std::fs::read(server.folder().join(file)).unwrap_or_default();
            assert!(!bytes.windows(value.len()).any(|part| part == value.as_bytes()), "{file}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t18_a_form_from_elsewhere_or_without_its_token_does_nothing() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let csrf = olga.csrf().await;
    let before = deeds(&server).await.len();
    let form = [("csrf", csrf.as_str()), ("name", "Evil")];
    for headers in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "")],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
    ] {
        assert_eq!(olga.post_with("/operator/vendors", &form, headers).await.status, 403, "{headers:?}");
    }
    let other = server.person("other", Role::Operator, None).await.csrf().await;
    for token in ["", "0", other.as_str(), &csrf[..63]] {
        let form = [("csrf", token), ("name", "Evil")];
        assert_eq!(olga.post_with("/operator/vendors", &form, &[]).await.status, 403, "{token}");
    }
    assert_eq!(server.accounts.list_vendors().await.expect("a read").len(), 0);
    let acts = deeds(&server).await.into_iter().filter(|deed| *deed != AuditEvent::AccessRefused);
    assert_eq!(acts.count(), before + 2, "the second operator was added and logged in, nothing else");
    assert_eq!(
        olga.post_with("/operator/vendors", &form, &[("sec-fetch-site", "same-origin")]).await.status,
        200
    );
    assert_eq!(server.accounts.list_vendors().await.expect("a read").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_in_ends_by_time_by_hand_and_with_its_user() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let mut olga = server.person("olga", Role::Operator, None).await;
    let here = async |person: &Person| person.get("/panel/account").await.status == 200;
    server.later(Duration::from_secs(12 * 3600 - 1));
    assert!(here(&olga).await);
    server.later(Duration::from_secs(12 * 3600 - 1));
    assert!(here(&olga).await, "whoever comes back in time stays");
    server.later(Duration::from_secs(12 * 3600));
    let late = olga.get("/panel/account").await;
    assert_eq!(late.header("location"), Some("/panel/login?next=%2Fpanel%2Faccount&ended=1"));
    assert!(late.header("set-cookie").is_some_and(|line| line.contains("Max-Age=0")), "the cookie goes");
    server.open_browser(&mut olga).await;
    let listed = server.accounts.logins(olga.id).await.expect("a read");
    assert_eq!(listed.len(), 1, "what ended by itself is not listed");
    let mut other = olga.clone();
    server.open_browser(&mut other).await;
    assert_eq!(olga.post("/panel/account/sessions/end-others", &[]).await.status, 303);
    assert!(here(&olga).await && !here(&other).await);
    assert!(server.accounts.set_user_disabled(olga.id, true, &entry()).await.expect("stored"));
    assert!(!here(&olga).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_factor_is_set_up_asked_for_and_works_once() {
    let server = Server::start().await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    olga.log_in(PASSWORD).await;
    // An operator without a second factor can open no other page.
    for path in ["/operator/vendors", "/panel/account", "/panel"] {
        assert_eq!(olga.get(path).await.header("location"), Some("/panel/account/totp"), "{path}");
    }
    let page = olga.get("/panel/account/totp").await;
    let secret = text_of(&page.body, "[data-testid=totp-secret]").replace(' ', "");
    let secret = Secret::parse(&secret).expect("a secret");
    assert_eq!(olga.get("/panel/account/totp").await.body.contains("otpauth"), page.body.contains("otpauth"));
    let form =
        |csrf: &str, code: &str| [("csrf".to_owned(), csrf.to_owned()), ("code".to_owned(), code.to_owned())];
    let document = scraper::Html::parse_document(&page.body);
    let csrf = document.select(&scraper::Selector::parse("input[name=csrf]").expect("a selector")).next();
    let csrf = csrf.and_then(|input| input.attr("value")).expect("a token").to_owned();
    let send = async |person: &Person, path: &str, code: &str| {
        let fields = form(&csrf, code);
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        person.post_with(path, &fields, &[]).await
    };
    assert_eq!(send(&olga, "/panel/account/totp/confirm", "000000").await.status, 422);
    let code = secret.code_at(server.clock.now());
    let codes = send(&olga, "/panel/account/totp/confirm", &code).await;
    let document = scraper::Html::parse_document(&codes.body);
    let each = scraper::Selector::parse("[data-testid=recovery-codes] li").expect("a selector");
    let recovery: Vec<String> = document.select(&each).map(|element| element.text().collect()).collect();
    assert_eq!(recovery.len(), 10, "{}", codes.body);
    assert_eq!(olga.get("/operator/vendors").await.status, 200);
    assert_eq!(send(&olga, "/panel/account/totp/off", "").await.status, 403, "an operator needs it");

    let replaced = send(&olga, "/panel/account/totp", "").await;
    assert_eq!(replaced.status, 422, "another factor takes its place only with the password");

    olga.cookies.clear();
    let half = olga.log_in(PASSWORD).await;
    assert_eq!(half.header("location"), Some("/panel/login/code?next="));
    assert_eq!(olga.get("/operator/vendors").await.status, 303, "half way is not in");
    assert_eq!(send(&olga, "/panel/login/code", &code).await.status, 401, "used already");
    server.later(Duration::from_secs(30));
    let next = secret.code_at(server.clock.now());
    let answer = send(&olga, "/panel/login/code", &next).await;
    olga.take_cookies(&answer);
    assert_eq!(answer.header("location"), Some("/operator"));
    assert_eq!(olga.get("/operator/vendors").await.status, 200);

    olga.cookies.clear();
    olga.log_in(PASSWORD).await;
    let written = recovery[3].to_uppercase().replace('-', " ");
    assert_eq!(send(&olga, "/panel/login/code", &written).await.status, 303);
    assert_eq!(send(&olga, "/panel/login/code", &written).await.status, 401, "a recovery code works once");
    assert!(deeds(&server).await.contains(&AuditEvent::RecoveryCodeUsed));
    server.later(Duration::from_secs(601));
    assert_eq!(
        send(&olga, "/panel/login/code", &recovery[4]).await.header("location"),
        Some("/panel/login?ended=1")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_sets_a_password_once() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let invited =
        olga.post("/operator/users", &[("email", " Ben@Shop.example "), ("role", "super_vendor")]).await;
    assert_eq!(invited.status, 200);
    let link = text_of(&invited.body, "[data-testid=link]");
    let path = link.trim().strip_prefix(&server.url).expect("a link here").to_owned();
    let stranger = server.customer();
    let here = [("origin", server.url.as_str())];
    assert!(stranger.get(&path, &[]).await.body.contains("ben@shop.example"));
    for (password, again) in [("short", "short"), (NEW, "another"), ("ben@shop.example", "ben@shop.example")]
    {
        let answer = stranger.post(&path, &[("password", password), ("again", again)], &here).await;
        assert_eq!(answer.status, 422, "{password}");
    }
    let form = [("password", NEW), ("again", NEW)];
    let set = stranger.post(&path, &form, &here).await;
    assert_eq!(set.header("location"), Some("/panel/login?done=password-set"));
    assert_eq!(stranger.post(&path, &form, &here).await.status, 410);
    assert_eq!(stranger.get(&path, &[]).await.status, 410);
    let again = olga.post("/operator/users", &[("email", "ben@shop.example"), ("role", "operator")]).await;
    assert_eq!(again.status, 422, "the address is taken");
    let mut ben = Person { email: "ben@shop.example".to_owned(), cookies: String::new(), ..olga.clone() };
    assert_eq!(ben.log_in(NEW).await.header("location"), Some("/panel/profile"));
    assert_eq!(stranger.get("/panel/link/AAAA", &[]).await.status, 410);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_is_changed_with_the_old_one_and_ends_other_log_ins() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    olga.log_in(PASSWORD).await;
    let mut other = olga.clone();
    server.open_browser(&mut other).await;
    let change = async |current: &str, new: &str| {
        let form = [("current", current), ("password", new), ("again", new)];
        olga.post("/panel/account/password", &form).await.status.as_u16()
    };
    assert_eq!(change("wrong", NEW).await, 422);
    assert_eq!(change(PASSWORD, "short").await, 422);
    assert_eq!(change(PASSWORD, NEW).await, 303);
    assert_eq!(olga.get("/panel/account").await.status, 200);
    assert_eq!(other.get("/panel/account").await.status, 303);
    assert_eq!(other.log_in(PASSWORD).await.status, 401);
    assert_eq!(other.log_in(NEW).await.status, 303);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_is_a_page_and_not_json() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let stranger = Person { cookies: String::new(), ..olga.clone() };
    for person in [&olga, &stranger] {
        for (path, status, kind) in [
            ("/panel/nothing", 404, "nowhere"),
            ("/panel/settings/nothing/at/all", 404, "nowhere"),
            ("/operator/nothing", 404, "nowhere"),
            ("/operator/vendors/x/y/z", 404, "nowhere"),
            ("/panel/logout", 405, "wrong-way"),
            ("/operator/vendors/x/enable", 405, "wrong-way"),
        ] {
            let answer = person.get(path).await;
            assert_eq!(answer.status, status, "{path}");
            assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
            assert!(answer.body.contains(&format!("data-kind=\"{kind}\"")), "{path}: {}", answer.body);
            assert!(answer.header("content-security-policy").is_some_and(|it| it.contains("'none'")));
        }
    }
    let allowed = olga.get("/panel/logout").await;
    assert_eq!(allowed.header("allow"), Some("POST"));
    let form = olga.post("/panel/profile", &[]).await;
    assert_eq!((form.status.as_u16(), form.body.contains("data-kind=\"wrong-way\"")), (405, true));
    let (name, csrf) = ("x".repeat(100_000), olga.csrf().await);
    let large = olga.post_with("/operator/vendors", &[("csrf", &csrf), ("name", &name)], &[]).await;
    assert_eq!((large.status.as_u16(), large.body.contains("data-kind=\"too-large\"")), (413, true));
    let json = stranger.get("/api/nothing").await;
    assert_eq!(json.header("content-type"), Some("application/problem+json"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_hash_is_made_anew_at_the_log_in() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    let id = olga.id;
    let hash = async || server.accounts.user(id).await.expect("a read").expect("a user").password;
    // A hash of the same password, with the cost of a smaller machine.
    let params = argon2::Params::new(8, 1, 1, None).expect("parameters");
    use argon2::PasswordHasher as _;
    let weak = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let old = weak.hash_password_with_salt(PASSWORD.as_bytes(), &[7; 16]).expect("a hash").to_string();
    let now = hash().await.expect("a hash");
    assert!(server.accounts.renew_hash(olga.id, &now, &old).await.expect("stored"));
    assert_eq!(olga.log_in("wrong password!").await.status, 401);
    assert_eq!(hash().await.as_deref(), Some(old.as_str()), "only who knows the password has it made anew");
    assert_eq!(olga.log_in(PASSWORD).await.status, 303);
    let new = hash().await.expect("a hash");
    assert!(new != old && new.starts_with("$argon2id$v=19$m="), "{new}");
    assert_eq!(olga.log_in(PASSWORD).await.status, 303);
    assert_eq!(hash().await.as_deref(), Some(new.as_str()), "once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t16_guessing_is_slowed_down_and_the_owner_gets_in() {
    let settings =
        [("TILL_RATE_LIMITS", "on"), ("TILL_OPERATOR_TOTP", "off"), ("TILL_TRUSTED_PROXIES", "127.0.0.1")];
    let server = Server::with(&settings).await;
    let mut olga = server.user("olga", Role::Operator, None).await;
    assert_eq!(olga.log_in(PASSWORD).await.status, 303, "a browser that is known from now on");
    let form = [("email", olga.email.as_str()), ("password", "a guess")];
    let mut slowed = 0;
    for number in 0..200 {
        let from = format!("198.51.100.{}", number % 20);
        let answer = olga
            .browser
            .post("/panel/login", &form, &[("origin", &server.url), ("x-forwarded-for", &from)])
            .await;
        match answer.status.as_u16() {
            401 => {}
            429 => {
                let wait = answer.header("retry-after").and_then(|text| text.parse::<u64>().ok());
                assert!(wait.is_some_and(|seconds| seconds > 0), "{wait:?}");
                let words = text_of(&answer.body, "#problem");
                assert!(words.contains("Too many attempts. Try again in"), "{words}");
                assert!(answer.body.contains(&olga.email), "what was typed is kept");
                slowed += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert!(slowed > 100, "only {slowed} of 200 were slowed down");
    let began = Instant::now();
    let form = [("email", olga.email.as_str()), ("password", PASSWORD)];
    let headers = [("x-forwarded-for", "203.0.113.7")];
    let answer = olga.post_with("/panel/login", &form, &headers).await;
    assert_eq!(answer.status, 303, "the owner comes from a known browser, at another address");
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn needs_smtp_links_are_mailed_and_not_shown() {
    let mails = MailServer::start(&[]);
    let (smtp, from) = (mails.url(), "till@pay.example");
    let settings =
        [("TILL_SMTP_URL", smtp.as_str()), ("TILL_MAIL_FROM", from), ("TILL_OPERATOR_TOTP", "off")];
    let server = Server::with(&settings).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let invited =
        olga.post("/operator/users", &[("email", "ben@shop.example"), ("role", "super_vendor")]).await;
    assert!(invited.status == 200 && !invited.body.contains("/panel/link/"), "the operator does not see it");
    let newest = async |count: usize| {
        until("the mail comes", async || mails.kept().len() == count).await;
        let mail = mails.kept().pop().expect("a mail");
        let body = mail["body"].as_str().expect("a text").to_owned();
        let link = body.lines().find(|line| line.starts_with(&server.url)).expect("a link").to_owned();
        (mail["envelope_to"][0].as_str().expect("an address").to_owned(), link.replace(&server.url, ""))
    };
    let (to, link) = newest(1).await;
    assert_eq!(to, "ben@shop.example");
    let (stranger, here) = (server.customer(), [("origin", server.url.as_str())]);
    let form = [("password", NEW), ("again", NEW)];
    assert_eq!(stranger.post(&link, &form, &here).await.status, 303);
    // The answer is the same for every address, and only a known user gets a mail, once in five minutes.
    server.later(Duration::from_secs(301));
    let mut answers = Vec::new();
    for email in ["nobody@shop.example", "ben@shop.example"] {
        answers.push(stranger.post("/panel/forgot", &[("email", email)], &here).await.body);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let (to, link) = newest(2).await;
    assert_eq!(to, "ben@shop.example");
    stranger.post("/panel/forgot", &[("email", "ben@shop.example")], &here).await;
    let form = [("password", "yet another password"), ("again", "yet another password")];
    assert_eq!(stranger.post(&link, &form, &here).await.status, 303);
    let mut ben = Person { email: "ben@shop.example".to_owned(), cookies: String::new(), ..olga };
    assert_eq!(ben.log_in("yet another password").await.status, 303);
    assert_eq!(mails.kept().len(), 2, "the second wish came too soon");
}
