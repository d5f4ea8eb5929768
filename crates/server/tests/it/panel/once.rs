//! A form that is answered by a page counts once: reloading that page repeats nothing, and says so.

use crate::support::{Answer, PASSWORD, Person, Receiver, Reply, Server, entry};
use scraper::{Html, Selector};
use till_domain::user::Role;
use till_service::access::totp::Secret;

fn first(body: &str, selector: &str) -> Option<String> {
    let document = Html::parse_document(body);
    let selector = Selector::parse(selector).expect("a selector");
    let found = document.select(&selector).next()?;
    Some(found.attr("value").map_or_else(|| found.text().collect(), str::to_owned))
}

/// Sends the same form twice, as a browser that reloads the answer does; returns both answers.
async fn twice(person: &Person, page: &str, path: &str, form: &[(&str, &str)]) -> [Answer; 2] {
    let shown = person.get(page).await.body;
    let field = |name: &str| first(&shown, &format!("main input[name={name}]")).expect(name);
    let (csrf, once) = (field("csrf"), field("once"));
    let form = [form, &[("csrf", csrf.as_str()), ("once", once.as_str())]].concat();
    let answer = person.post_with(path, &form, &[]).await;
    [answer, person.post_with(path, &form, &[]).await]
}

fn is_repeated(answer: &Answer) -> bool {
    answer.status == 303 && answer.header("location").is_some_and(|to| to.ends_with("?done=repeated"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_who_reloads_makes_one_vendor_one_user_and_one_link() {
    let server = Server::with(&[("TILL_OPERATOR_TOTP", "off")]).await;
    let olga = server.person("olga", Role::Operator, None).await;
    let (page, path) = ("/operator/vendors/new", "/operator/vendors");
    let [made, again] = twice(&olga, page, path, &[("name", "Halden")]).await;
    assert!(made.status == 200 && is_repeated(&again), "{}", again.status);
    assert_eq!(server.accounts.list_vendors().await.expect("a read").len(), 1);
    let [_, another] = twice(&olga, page, path, &[("name", "")]).await;
    assert_eq!(another.status, 422, "what was wrong can be sent again");

    let form = [("email", "ben@shop.example"), ("role", "super_vendor")];
    let [invited, again] = twice(&olga, "/operator/users/new", "/operator/users", &form).await;
    assert!(invited.status == 200 && is_repeated(&again), "{}", again.status);
    let ben = server.accounts.user_by_email("ben@shop.example").await.expect("a read").expect("a user");
    let reset = format!("/operator/users/{}/reset", ben.user.id);
    let [reset, again] = twice(&olga, &reset, &reset, &[]).await;
    assert!(is_repeated(&again), "{}", again.status);
    let link = first(&reset.body, "[data-testid=link]").expect("a link").replace(&server.url, "");
    assert_eq!(server.customer().get(link.trim(), &[]).await.status, 200, "the link that was shown works");
    let told = olga.get(again.header("location").expect("a page")).await;
    assert_eq!(told.status, 200);
    assert!(told.body.contains("data-notice=\"repeated\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vendor_who_reloads_rotates_once_and_sends_one_test() {
    let server = Server::with(&[("TILL_ALLOW_PRIVATE_CALLBACKS", "true")]).await;
    let vendor = server.vendor().await.id;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    let count = async || server.accounts.credentials(vendor).await.expect("a read").len();
    let page = "/panel/settings/rotate";
    let [rotated, again] = twice(&ada, page, page, &[("overlap", "1h"), ("password", PASSWORD)]).await;
    assert!(rotated.status == 200 && is_repeated(&again), "{}", again.status);
    assert_eq!(count().await, 3);
    let [wrong, right] = twice(&ada, page, page, &[("overlap", "1h"), ("password", "wrong")]).await;
    assert_eq!((wrong.status.as_u16(), right.status.as_u16()), (422, 422));

    let receiver = Receiver::start().await;
    receiver.answer("/cb", &[Reply::Status(204), Reply::Status(204)]);
    let url = receiver.url("/cb");
    let form = [("callback_url", url.as_str()), ("display_name", "Halden"), ("confirm_shared", "1")];
    assert_eq!(ada.post("/panel/settings", &form).await.status, 303);
    let [sent, again] = twice(&ada, "/panel/settings", "/panel/settings/test-callback", &[]).await;
    assert!(sent.status == 200 && is_repeated(&again), "{}", again.status);
    assert_eq!(receiver.at("/cb").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_phone_and_new_codes_are_had_with_the_password_and_once() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    let mut ada = server.user("ada", Role::VendorAdmin, Some(vendor)).await;
    ada.log_in(PASSWORD).await;
    assert_eq!(ada.post("/panel/account/totp/codes", &[("password", PASSWORD)]).await.status, 404);
    let set_up = async |ada: &Person| {
        let page = ada.get("/panel/account/totp").await.body;
        let secret = first(&page, "[data-testid=totp-secret]").expect("a secret").replace(' ', "");
        let code = Secret::parse(&secret).expect("a secret").code_at(server.clock.now());
        let path = "/panel/account/totp";
        let [codes, again] = twice(ada, path, "/panel/account/totp/confirm", &[("code", &code)]).await;
        assert!(codes.status == 200 && is_repeated(&again), "{}", again.status);
        (secret, first(&codes.body, "[data-testid=recovery-codes] li").expect("a code"))
    };
    let (old_secret, old_code) = set_up(&ada).await;
    let page = ada.get("/panel/account").await.body;
    for button in ["totp-phone", "totp-codes", "totp-off"] {
        assert!(first(&page, &format!("button[data-testid={button}]")).is_some(), "{button}");
    }
    for path in ["/panel/account/totp", "/panel/account/totp/codes"] {
        let wrong = ada.post(path, &[("password", "wrong")]).await;
        assert_eq!(wrong.status, 422, "{path}");
        assert!(first(&wrong.body, "details[open] [aria-invalid=true]").is_some(), "beside its field");
    }
    let left = async || server.accounts.recovery_codes_left(ada.id).await.expect("a read");
    let form = [("password", PASSWORD)];
    let [codes, again] = twice(&ada, "/panel/account", "/panel/account/totp/codes", &form).await;
    assert!(codes.status == 200 && is_repeated(&again), "{}", again.status);
    let new_code = first(&codes.body, "[data-testid=recovery-codes] li").expect("a code");
    assert_eq!(left().await, 10);
    let log_in = async |code: &str| {
        let mut browser = Person { cookies: String::new(), ..ada.clone() };
        browser.log_in(PASSWORD).await;
        browser.post_with("/panel/login/code", &[("code", code)], &[]).await.status.as_u16()
    };
    assert_eq!((log_in(&old_code).await, log_in(&new_code).await), (401, 303), "only the new codes work");

    let begun = ada.post("/panel/account/totp", &form).await;
    assert_eq!(begun.header("location"), Some("/panel/account/totp"));
    let (new_secret, _) = set_up(&ada).await;
    assert_ne!(old_secret, new_secret);
    server.later(std::time::Duration::from_secs(60));
    let code = |secret: &str| Secret::parse(secret).expect("a secret").code_at(server.clock.now());
    assert_eq!(log_in(&code(&old_secret)).await, 401, "the old phone is out");
    assert_eq!(log_in(&code(&new_secret)).await, 303);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_product_and_a_category_without_an_id_are_made_once() {
    let server = Server::start().await;
    let vendor = server.vendor().await.id;
    server.accounts.set_sandbox(vendor, false, &entry()).await.expect("stored");
    let ada = server.person("ada", Role::VendorAdmin, Some(vendor)).await;
    let (page, path) = ("/panel/products/new", "/panel/products");
    let form = [("name", "Atlas"), ("price", "10"), ("currency", "EUR"), ("product_id", "")];
    let [made, again] = twice(&ada, page, path, &form).await;
    assert!(made.status == 303 && !is_repeated(&made) && is_repeated(&again), "{}", again.status);
    let made = server.accounts.products(vendor).await.expect("a read");
    let [product] = made.as_slice() else { panic!("{made:?}") };
    let told = ada.get(again.header("location").expect("a page")).await;
    assert!(told.body.contains("data-notice=\"repeated\""));
    let id = product.id.to_string();
    let taken = [("name", "Globe"), ("price", "10"), ("currency", "EUR"), ("product_id", id.as_str())];
    for refused in twice(&ada, page, path, &taken).await {
        assert_eq!(refused.status, 422, "a form that did nothing can be sent again");
    }
    let (page, path) = ("/panel/categories/new", "/panel/categories");
    let [made, again] = twice(&ada, page, path, &[("name", "Books"), ("category_id", "")]).await;
    assert!(made.status == 303 && !is_repeated(&made) && is_repeated(&again), "{}", again.status);
    assert_eq!(server.accounts.categories(vendor).await.expect("a read").len(), 1);
}
