//! Prices from a real web server, valid and invalid.

use crate::web::Server;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};
use till_domain::{money::Currency, time::Timestamp};
use till_providers::{
    evm::{EvmSetup, Price, PriceFeed, PriceLimits, PriceRules, PriceSource, Prices as _},
    web::Web,
};

const START: i64 = 1_794_697_200_000;

/// A price board of ETH in USD with a maximum age of two minutes; the test moves its clock.
struct Trial {
    board: PriceFeed,
    now: Arc<AtomicI64>,
    usd: Currency,
}

impl Trial {
    fn new(prices: Vec<PriceSource>) -> Self {
        let now = Arc::new(AtomicI64::new(START));
        let clock = Arc::clone(&now);
        let setup = EvmSetup { chains: Vec::new(), prices, price_rules: PriceRules::default() };
        let clock = Arc::new(move || Timestamp::from_ms(clock.load(Relaxed)));
        let board = PriceFeed::new(&setup, Web::trusting([]), clock);
        Self { board, now, usd: Currency::parse("USD").expect("a currency") }
    }

    fn later(&self, duration: Duration) {
        self.now.fetch_add(i64::try_from(duration.as_millis()).expect("short"), Relaxed);
    }

    async fn refresh(&self) {
        self.board.refresh(Timestamp::from_ms(self.now.load(Relaxed))).await;
    }

    /// Refreshes twice: a source's first price is accepted only when it is repeated.
    async fn settle(&self) {
        self.refresh().await;
        self.later(Duration::from_secs(2));
        self.refresh().await;
    }

    /// The price of ETH now, and its source.
    fn quote(&self) -> Option<(String, String)> {
        self.board.quote("ETH", self.usd).map(|quote| (quote.price.to_string(), quote.source))
    }

    fn price(&self) -> Option<String> {
        self.quote().map(|(price, _)| price)
    }
}

fn json(url: &str, time_pointer: Option<&str>) -> PriceSource {
    PriceSource::Json {
        coin: "ETH".to_owned(),
        currency: "USD".to_owned(),
        url: format!("{url}/a-secret?key=a-secret"),
        pointer: "/data/amount".to_owned(),
        time_pointer: time_pointer.map(str::to_owned),
        limits: PriceLimits::default(),
    }
}

/// The same with bounds.
fn bounded(url: &str, min: &str, max: &str) -> PriceSource {
    let bounds = PriceLimits { min: Price::parse(min), max: Price::parse(max), max_unchanged: None };
    match json(url, None) {
        PriceSource::Json { coin, currency, url, pointer, time_pointer, .. } => {
            PriceSource::Json { coin, currency, url, pointer, time_pointer, limits: bounds }
        }
        fixed @ PriceSource::Fixed { .. } => fixed,
    }
}

fn amount(text: &str) -> (u16, String) {
    (200, format!(r#"{{"data":{{"amount":"{text}"}}}}"#))
}

/// A server that answers with what the test puts there.
async fn source() -> (Server, Arc<Mutex<(u16, String)>>) {
    let said = Arc::new(Mutex::new((200, r#"{"data":{"amount":"2500"}}"#.to_owned())));
    let kept = Arc::clone(&said);
    (Server::saying(move || kept.lock().expect("an answer").clone()).await, said)
}

#[tokio::test]
async fn a_price_is_fetched_kept_and_forgotten_when_it_is_too_old() {
    let (server, said) = source().await;
    let trial = Trial::new(vec![json(&server.url, None)]);
    assert_eq!(trial.quote(), None, "nobody has asked yet");
    trial.refresh().await;
    assert_eq!(trial.quote(), None, "one answer alone sells nothing");
    trial.later(Duration::from_secs(2));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2500"));
    trial.later(Duration::from_secs(39));
    trial.refresh().await;
    assert_eq!(server.asked(), 2, "it is young");
    *said.lock().expect("an answer") = (200, r#"{"data":{"amount":2514.123456789012345678901}}"#.to_owned());
    trial.later(Duration::from_secs(1));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2514.123456789012345678901"), "digit for digit");

    *said.lock().expect("an answer") = (503, String::new());
    trial.later(Duration::from_secs(120));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2514.123456789012345678901"), "the last good one, just");
    assert_eq!(trial.board.status()[0].error.as_deref(), Some("the response has status 503"));
    trial.later(Duration::from_millis(1));
    assert_eq!(trial.quote(), None, "no price is better than a wrong one");
    let state = &trial.board.status()[0];
    assert!(!state.fresh && state.price.is_some(), "the console still shows it");

    *said.lock().expect("an answer") = amount("2499");
    trial.later(Duration::from_secs(10));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2499"));
    assert_eq!(trial.board.status()[0].error, None);
}

#[tokio::test]
async fn what_is_not_a_price_changes_nothing() {
    let (server, said) = source().await;
    let trial = Trial::new(vec![json(&server.url, None)]);
    trial.settle().await;
    let long = format!(r#"{{"data":{{"amount":"1","x":"{}"}}}}"#, "x".repeat(64 * 1024));
    for (status, body) in [
        (200, ""),
        (200, "<html>"),
        (200, "{}"),
        (200, r#"{"data":null}"#),
        (200, r#"{"data":{"amount":null}}"#),
        (200, r#"{"data":{"amount":0}}"#),
        (200, r#"{"data":{"amount":-3}}"#),
        (200, r#"{"data":{"amount":"1,5"}}"#),
        (200, r#"{"data":{"amount":{"x":1}}}"#),
        (200, r#"{"data":{"amount":1e400}}"#),
        (200, long.as_str()),
        (302, r#"{"data":{"amount":"1"}}"#),
        (500, r#"{"data":{"amount":"1"}}"#),
    ] {
        *said.lock().expect("an answer") = (status, body.to_owned());
        trial.later(Duration::from_secs(40));
        trial.refresh().await;
        let state = &trial.board.status()[0];
        let error = state.error.clone().unwrap_or_else(|| panic!("{body} is no price"));
        assert!(!error.contains("secret"), "{error}");
        assert_eq!(state.price.map(|price| price.to_string()).as_deref(), Some("2500"), "{body}");
    }
    assert_eq!(trial.quote(), None);
    assert!(!format!("{:?}", trial.board).contains("secret"));
}

#[tokio::test]
async fn a_source_that_says_when_its_price_was_true_is_believed_about_that() {
    let (server, said) = source().await;
    let trial = Trial::new(vec![json(&server.url, Some("/time"))]);
    let say = |time: i64| {
        *said.lock().expect("an answer") = (200, format!(r#"{{"time":{time},"data":{{"amount":"7"}}}}"#));
    };
    say(START / 1_000 - 121);
    trial.refresh().await;
    assert_eq!(trial.quote(), None, "fetched now, and too old already");
    say(START / 1_000 + 9_999);
    trial.later(Duration::from_secs(40));
    trial.settle().await;
    assert_eq!(trial.price().as_deref(), Some("7"));
    trial.later(Duration::from_secs(121));
    assert_eq!(trial.quote(), None, "a price from the future grows old too");
}

#[tokio::test]
async fn m5_two_sources_that_contradict_each_other_sell_nothing() {
    let ((first, said), (second, _)) = (source().await, source().await);
    *said.lock().expect("an answer") = amount("25");
    let trial = Trial::new(vec![json(&first.url, None), json(&second.url, None)]);
    trial.settle().await;
    assert_eq!(trial.quote(), None, "25 or 2500");
    *said.lock().expect("an answer") = amount("2510");
    trial.later(Duration::from_secs(40));
    trial.refresh().await;
    let median = format!("{} (median of 2)", second.url.replace("http://", ""));
    assert_eq!(trial.quote(), Some(("2500".to_owned(), median)), "they agree");
}

#[tokio::test]
async fn m5_two_sources_that_agree_are_believed_at_once_also_about_a_crash() {
    let ((first, one), (second, two)) = (source().await, source().await);
    let trial = Trial::new(vec![json(&first.url, None), json(&second.url, None)]);
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2500"));
    *one.lock().expect("an answer") = amount("1500");
    trial.later(Duration::from_secs(40));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2500"), "the other has not changed");
    *two.lock().expect("an answer") = amount("1510");
    trial.later(Duration::from_secs(40));
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("1500"));
}

#[tokio::test]
async fn m5_one_absurd_answer_sells_nothing() {
    for absurd in ["25", "0.01", "2500000"] {
        let (server, said) = source().await;
        let trial = Trial::new(vec![json(&server.url, None)]);
        trial.settle().await;
        *said.lock().expect("an answer") = amount(absurd);
        for _ in 0..7 {
            trial.later(Duration::from_secs(40));
            trial.refresh().await;
            assert_eq!(trial.quote(), None, "{absurd}");
        }
        let state = &trial.board.status()[0];
        assert!(state.error.as_ref().is_some_and(|error| error.contains(absurd)), "{state:?}");
        assert!(!state.fresh);
        *said.lock().expect("an answer") = amount("2501");
        trial.later(Duration::from_secs(10));
        trial.refresh().await;
        assert_eq!(trial.price().as_deref(), Some("2501"), "it was a slip");
    }
}

#[tokio::test]
async fn m5_what_is_outside_of_the_bounds_is_never_used_and_what_is_inside_at_once() {
    let (server, said) = source().await;
    let trial = Trial::new(vec![bounded(&server.url, "1000", "5000")]);
    trial.refresh().await;
    assert_eq!(trial.price().as_deref(), Some("2500"), "the operator vouches for it");
    for absurd in ["999", "5001"] {
        *said.lock().expect("an answer") = amount(absurd);
        for _ in 0..20 {
            trial.later(Duration::from_secs(40));
            trial.refresh().await;
            assert_eq!(trial.quote(), None, "{absurd}");
        }
    }
}

#[tokio::test]
async fn a_source_that_fails_leaves_the_others_and_a_fixed_price_is_always_fresh() {
    let (first, said) = source().await;
    let (second, _) = source().await;
    let fixed = |price: &str| PriceSource::Fixed {
        coin: "eth".to_owned(),
        currency: "USD".to_owned(),
        price: price.to_owned(),
    };
    let trial = Trial::new(vec![json(&first.url, None), json(&second.url, None)]);
    trial.refresh().await;
    *said.lock().expect("an answer") = (500, String::new());
    for _ in 0..4 {
        trial.later(Duration::from_secs(40));
        trial.refresh().await;
    }
    assert_eq!(trial.quote(), Some(("2500".to_owned(), second.url.replace("http://", ""))));

    let trial = Trial::new(vec![json(&first.url, None), fixed("7")]);
    trial.settle().await;
    assert_eq!(trial.quote(), Some(("7".to_owned(), "fixed".to_owned())), "for when no other has a price");

    let trial = Trial::new(vec![fixed("1.50"), json(&second.url, None)]);
    assert_eq!(trial.quote(), Some(("1.5".to_owned(), "fixed".to_owned())));
    trial.later(Duration::from_secs(999_999));
    assert_eq!(trial.price().as_deref(), Some("1.5"));
    assert_eq!(trial.board.pairs(), [("eth".to_owned(), trial.usd)]);
    assert_eq!(trial.board.quote("ETH", Currency::parse("EUR").expect("a currency")), None);
    assert_eq!(trial.board.quote("BTC", trial.usd), None);
}
