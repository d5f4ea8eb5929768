//! What a stranger with the URL of a payment page can do, and data that is never stored.

use crate::support::{Customer, Shop, Till};
use std::{
    fs,
    io::Write as _,
    net::TcpStream,
    time::{Duration, Instant},
};

const CANARY: &str = "https://canary.example/away";

/// Parameter names that often carry a redirect target.
const NAMES: [&str; 14] = [
    "next",
    "url",
    "to",
    "return",
    "return_url",
    "redirect",
    "redirect_uri",
    "continue",
    "callback",
    "callback_url",
    "success_url",
    "target",
    "lang",
    "methods",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t8_no_parameter_of_a_payment_page_leads_elsewhere() {
    let mut till = Till::new();
    till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
    let (vendor, service) = (till.vendor(), till.serve());
    let customer = Customer::new(&service.url);
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(NAMES.map(|name| (name, CANARY)))
        .finish();
    let form = NAMES.map(|name| (name, CANARY));
    let chosen = |pair: (&'static str, &'static str)| [&form[..], &[pair]].concat();
    for (environment, prefix) in [("live", ""), ("sandbox", "/sandbox")] {
        let mut shop = service.shop(environment, &vendor);
        shop.log_in().await;
        let id = shop.create(&Shop::book("1")).await.text("session_id");
        let page = format!("{prefix}/session/{id}");
        for rest in ["", "/pay", "/pay-again", "/check", "/return", "/events"] {
            let host = [("x-forwarded-host", "canary.example"), ("referer", CANARY)];
            if rest != "/events" {
                check(rest, &customer.get(&format!("{page}{rest}?{query}"), &host).await);
            }
            check(
                rest,
                &customer.post(&format!("{page}{rest}?{query}"), &chosen(("method", CANARY)), &host).await,
            );
        }
        let receipt = customer.get(&format!("/receipt/x?{query}"), &[]).await;
        check("receipt", &receipt);
    }
}

/// Checks that neither the answer's headers nor a link or form of its page leads to the canary.
fn check(what: &str, answer: &crate::support::Answer) {
    let to = answer.header("location").unwrap_or_default();
    assert!(!to.contains("canary"), "{what}: {to}");
    let document = scraper::Html::parse_document(&answer.body);
    let leading =
        scraper::Selector::parse("[href], [src], [action], [formaction], [content]").expect("a selector");
    for element in document.select(&leading) {
        for name in ["href", "src", "action", "formaction", "content"] {
            let value = element.attr(name).unwrap_or_default();
            // A choice of language leads back to this very page.
            assert!(!value.contains("canary.example") || value.starts_with('?'), "{what}: {name}={value}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t20_the_address_of_a_payment_cannot_be_guessed_and_its_page_tells_no_contact_data() {
    let mut till = Till::new();
    till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
    let (vendor, service) = (till.vendor(), till.serve());
    let mut shop = service.shop("live", &vendor);
    shop.log_in().await;
    // Beside the time an id has 74 random bits: each is 1 in about half of the ids.
    let mut ones = [0_u32; 80];
    for number in 0..400 {
        let id = shop.create(&Shop::book(&format!("A-{number}"))).await.text("session_id");
        let digits: Vec<u8> = id.bytes().filter(|b| *b != b'-').collect();
        let hex = |digit: u8| (digit as char).to_digit(16).expect("a digit");
        for (place, digit) in digits[12..].iter().enumerate() {
            for bit in 0..4 {
                ones[place * 4 + bit] += hex(*digit) >> (3 - bit) & 1;
            }
        }
    }
    // The version (4 bits) and the variant (2 bits) are fixed.
    let random = ones.iter().filter(|count| (120..=280).contains(*count)).count();
    assert_eq!(random, 74, "{ones:?}");
    let customer = Customer::new(&service.url);
    let id = shop.create(&Shop::book("B-1")).await.text("session_id");
    let form = [("method", "card"), ("email", "ann.customer@mail.example")];
    customer.post(&format!("/session/{id}/pay"), &form, &[]).await;
    let page = customer.get(&format!("/session/{id}"), &[]).await;
    assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, Some("no-store")));
    assert!(page.body.contains("<meta name=\"robots\" content=\"noindex\">"));
    assert!(!page.body.contains("ann.customer@mail.example"));
    assert_eq!(page.header("referrer-policy"), Some("same-origin"), "the address goes to no other site");
}

/// Texts that look like card numbers: 15 or 16 digits of a scheme, with the right check digit.
fn cards(bytes: &[u8]) -> Vec<String> {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let runs = bytes.split(|b| !is_digit(b)).filter(|run| matches!(run.len(), 15 | 16));
    let texts = runs.map(|run| String::from_utf8_lossy(run).into_owned());
    texts
        .filter(|text| {
            ["4", "51", "52", "53", "54", "55", "22", "34", "37"].iter().any(|p| text.starts_with(p))
        })
        .filter(|text| luhn(text))
        .collect()
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| match u32::from(digit - b'0') * if place % 2 == 1 { 2 } else { 1 } {
            double if double > 9 => double - 9,
            single => single,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t32_a_card_number_that_a_customer_types_anywhere_is_neither_kept_nor_logged() {
    const CARD: &str = "4111111111111111";
    assert_eq!(cards(format!("x{CARD}y 4111111111111112").as_bytes()), [CARD]);
    let mut till = Till::new();
    till.set("TILL_SIMULATOR", "on").set("TILL_RATE_LIMITS", "off");
    let (vendor, service) = (till.vendor(), till.serve());
    let customer = Customer::new(&service.url);
    for (environment, prefix) in [("live", ""), ("sandbox", "/sandbox")] {
        let mut shop = service.shop(environment, &vendor);
        shop.log_in().await;
        let id = shop.create(&Shop::book("1")).await.text("session_id");
        let page = format!("{prefix}/session/{id}");
        let mail = format!("{CARD}@mail");
        for form in [
            [("method", CARD), ("email", "")],
            [("method", "card"), ("email", CARD)],
            [("method", "card"), ("email", mail.as_str())],
            [("card_number", CARD), ("outcome", CARD)],
            [("method", "card"), ("outcome", CARD)],
        ] {
            customer.post(&format!("{page}/pay"), &form, &[]).await;
        }
        customer.get(&format!("{page}?card={CARD}"), &[("cookie", &format!("card={CARD}"))]).await;
        customer.post("/panel/login", &[("email", CARD), ("password", CARD)], &[]).await;
        customer.post("/panel/forgot", &[("email", CARD)], &[]).await;
    }
    let log = service.log();
    service.terminate();
    for entry in fs::read_dir(till.folder()).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_file() {
            let found = cards(&fs::read(&path).expect("a file"));
            assert_eq!(found, [""; 0], "{}", path.display());
        }
    }
    assert_eq!(cards(log.as_bytes()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_senders_that_stop_half_way_hold_up_no_notice_and_no_import() {
    let mut till = Till::new();
    till.vendor();
    let file = till.file("stripe.toml");
    let document = "secret_key = \"sk_test_a\"\npublishable_key = \"pk_test_b\"\nwebhook_secrets = [\"whsec_c\"]\n\
        currencies = [\"EUR\"]\napi = \"http://127.0.0.1:1\"\nscript = \"http://127.0.0.1:1/x.js\"\n";
    crate::support::write_secret(&file, document);
    till.set("TILL_STRIPE_FILE", file.to_str().expect("a path")).set("TILL_CLIENT_TIMEOUT", "30s");
    let service = tokio::task::block_in_place(|| till.serve());
    let address = service.url.strip_prefix("http://").expect("a URL").to_owned();
    let mut stuck = Vec::new();
    for path in ["/notices/nobody/x", "/panel/products/import"] {
        for _ in 0..70 {
            let mut stream = TcpStream::connect(&address).expect("it listens");
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: multipart/form-data; boundary=x\r\n\
                 Content-Length: 200000\r\n\r\n"
            );
            stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(&[b'x'; 40_000]))
                .expect("it reads");
            stuck.push(stream);
        }
    }
    let began = Instant::now();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let notice = client.post(format!("{}/notices/stripe/events", service.url)).body(vec![b'x'; 100_000]);
    assert_eq!(notice.send().await.expect("an answer").status(), 404, "it is read, and nobody has signed it");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    drop(stuck);
}
