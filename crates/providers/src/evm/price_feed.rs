//! Current prices, fixed and fetched. A fetched price is kept until it is too old, also while its source
//! fails. Of several sources the median counts, if they agree; `credible.rs` decides which answers are
//! accepted. The caller runs [`PriceBoard::refresh`] periodically; the board never sleeps and has no clock of
//! its own.

use super::{
    credible::{self, FIRST_CONFIRMED_AFTER, Track},
    price::{Price, Prices, Quote},
    setup::{EvmSetup, PriceRules, PriceSource},
};
use crate::web::Web;
use futures_util::future::join_all;
use serde_json::value::RawValue;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::{money::Currency, time::Timestamp};

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

/// The longest pause before a source that failed is asked again.
const RETRY: Duration = Duration::from_secs(10);

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

pub struct PriceFeed {
    sources: Vec<Source>,
    rules: PriceRules,
    web: Web,
    clock: Clock,
}

impl fmt::Debug for PriceFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sources.iter().map(|source| &source.config)).finish()
    }
}

struct Source {
    config: PriceSource,
    known: Mutex<SourceRecord>,
}

/// The state of a source.
#[derive(Default)]
struct SourceRecord {
    track: Track,
    error: Option<String>,
    /// True if the last query had no answer.
    unreachable: bool,
    next: Option<Timestamp>,
}

/// The state of a source, for the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    pub coin: String,
    pub currency: String,
    /// Its host, or `fixed`.
    pub source: String,
    /// Its last accepted price.
    pub price: Option<Price>,
    /// The time that this price refers to.
    pub at: Option<Timestamp>,
    /// True if it has a usable price that is young enough.
    pub fresh: bool,
    /// Why its last answer was not used, if it was not.
    pub error: Option<String>,
    /// True if there was no answer: the network or the host is in trouble.
    pub unreachable: bool,
}

impl PriceFeed {
    /// A board that knows the fixed prices of a setup at once, and the others when they are fetched.
    #[must_use]
    pub fn new(setup: &EvmSetup, web: Web, clock: Clock) -> Self {
        let source = |config: &PriceSource| Source { config: config.clone(), known: Mutex::default() };
        Self { sources: setup.prices.iter().map(source).collect(), rules: setup.price_rules, web, clock }
    }

    /// Asks the sources that are due: those whose price is older than a third of what is allowed, and those
    /// that failed.
    pub async fn refresh(&self, now: Timestamp) {
        let due = |source: &&Source| source.known().next.is_none_or(|next| next <= now);
        let due = self.sources.iter().filter(due);
        join_all(due.map(|source| source.ask(&self.web, now, self.rules))).await;
        self.confirm_each_other(now);
    }

    /// Accepts answers in doubt that another source confirms.
    fn confirm_each_other(&self, now: Timestamp) {
        let in_doubt = |source: &&Source| source.known().track.is_in_doubt();
        let agrees = |source: &Source, other: &Source| {
            let is_another = source.config.label() != other.config.label() && source.is_same_pair(other);
            let said = |source: &Source| source.known().track.current();
            let (Some((price, _)), Some((theirs, at))) = (said(source), said(other)) else { return false };
            is_another && self.is_fresh(at, now) && price.is_within(theirs, self.rules.max_spread)
        };
        let confirmed = self.sources.iter().filter(in_doubt);
        let confirmed = confirmed.filter(|source| self.sources.iter().any(|other| agrees(source, other)));
        for source in confirmed.collect::<Vec<_>>() {
            let mut known = source.known();
            known.track.confirm();
            known.error = None;
        }
    }

    fn is_fresh(&self, at: Timestamp, now: Timestamp) -> bool {
        now.since(at) <= Duration::from_secs(self.rules.max_age)
    }

    /// Each pair of a coin and a currency that has a source.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, Currency)> {
        let mut pairs: Vec<(String, Currency)> = Vec::new();
        for source in &self.sources {
            let pair = (source.config.coin().to_owned(), Currency::parse(source.config.currency()));
            if let (coin, Some(currency)) = pair
                && !pairs.iter().any(|known| known.0.eq_ignore_ascii_case(&coin) && known.1 == currency)
            {
                pairs.push((coin, currency));
            }
        }
        pairs
    }

    /// The state of each source, in the order of the setup.
    #[must_use]
    pub fn status(&self) -> Vec<SourceState> {
        let now = (self.clock)();
        let state = |source: &Source| {
            let (last, usable) = (source.last(now), source.usable(now));
            let known = source.known();
            SourceState {
                coin: source.config.coin().to_owned(),
                currency: source.config.currency().to_owned(),
                source: source.config.label(),
                price: last.map(|(price, _)| price),
                at: last.map(|(_, at)| at),
                fresh: usable.is_some_and(|(_, at)| self.is_fresh(at, now)),
                error: known.error.clone(),
                unreachable: known.unreachable,
            }
        };
        self.sources.iter().map(state).collect()
    }
}

impl Prices for PriceFeed {
    fn quote(&self, coin: &str, currency: Currency) -> Option<Quote> {
        let now = (self.clock)();
        let same = |source: &&Source| {
            source.config.coin().eq_ignore_ascii_case(coin) && source.config.currency() == currency.code()
        };
        let quote = |source: &Source| {
            let (price, at) = source.usable(now).filter(|(_, at)| self.is_fresh(*at, now))?;
            Some(Quote { price, source: source.config.label(), at })
        };
        let sources: Vec<&Source> = self.sources.iter().filter(same).collect();
        let mut fixed = sources.iter().filter(|source| source.is_fixed());
        // A fixed price that is written first always counts. One that is written after other sources is the
        // fallback for when none of them has a price.
        if sources.first()?.is_fixed() {
            return fixed.next().and_then(|source| quote(source));
        }
        let fetched: Vec<Quote> =
            sources.iter().filter(|source| !source.is_fixed()).filter_map(|source| quote(source)).collect();
        if fetched.is_empty() {
            return fixed.next().and_then(|source| quote(source));
        }
        let prices: Vec<Price> = fetched.iter().map(|quote| quote.price).collect();
        let middle = credible::median(&prices, self.rules.max_spread)?;
        let several = fetched.len() > 1;
        let quote = fetched.get(middle)?.clone();
        let source =
            if several { format!("{} (median of {})", quote.source, prices.len()) } else { quote.source };
        Some(Quote { source, ..quote })
    }
}

impl Source {
    fn known(&self) -> std::sync::MutexGuard<'_, SourceRecord> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_fixed(&self) -> bool {
        matches!(self.config, PriceSource::Fixed { .. })
    }

    fn is_same_pair(&self, other: &Self) -> bool {
        self.config.coin().eq_ignore_ascii_case(other.config.coin())
            && self.config.currency() == other.config.currency()
    }

    /// The last accepted price, and the time it refers to.
    fn last(&self, now: Timestamp) -> Option<(Price, Timestamp)> {
        match &self.config {
            PriceSource::Fixed { price, .. } => Some((Price::parse(price)?, now)),
            PriceSource::Json { .. } => self.known().track.good(),
        }
    }

    /// The price that may be used, and the time it refers to.
    fn usable(&self, now: Timestamp) -> Option<(Price, Timestamp)> {
        match &self.config {
            PriceSource::Fixed { .. } => self.last(now),
            PriceSource::Json { .. } => self.known().track.usable(),
        }
    }

    async fn ask(&self, web: &Web, now: Timestamp, rules: PriceRules) {
        let PriceSource::Json { url, pointer, time_pointer, limits, .. } = &self.config else { return };
        let said = fetch(web, url, pointer, time_pointer.as_deref(), now).await;
        let unreachable = matches!(said, Err(Unpriced::Unreachable(_)));
        let said = said.map_err(Unpriced::text);
        let mut known = self.known();
        known.unreachable = unreachable;
        let heard = said.and_then(|said| known.track.hear(said, now, limits, rules.max_jump));
        let is_first = known.track.good().is_none() && known.track.is_in_doubt();
        let rest = Duration::from_secs(rules.max_age) / 3;
        let rest = match &heard {
            Ok(()) => rest,
            Err(_) if is_first => FIRST_CONFIRMED_AFTER,
            Err(_) => rest.min(RETRY),
        };
        (known.error, known.next) = (heard.err(), Some(now.plus(rest)));
    }
}

/// Why a source gave no price.
enum Unpriced {
    /// There was no answer.
    Unreachable(String),
    /// The answer cannot be used.
    Unusable(String),
}

impl Unpriced {
    fn text(self) -> String {
        let (Self::Unreachable(text) | Self::Unusable(text)) = self;
        text
    }
}

impl From<String> for Unpriced {
    fn from(text: String) -> Self {
        Self::Unusable(text)
    }
}

async fn fetch(
    web: &Web,
    url: &str,
    pointer: &str,
    time_pointer: Option<&str>,
    now: Timestamp,
) -> Result<(Price, Timestamp), Unpriced> {
    let answer = web.get(url, MAX_ANSWER).await.map_err(|error| match error.is_unreachable() {
        true => Unpriced::Unreachable(error.to_string()),
        false => Unpriced::Unusable(error.to_string()),
    })?;
    if answer.status != 200 {
        let text = format!("the response has status {}", answer.status);
        let is_trouble = answer.status >= 500 || answer.status == 429;
        return Err(if is_trouble { Unpriced::Unreachable(text) } else { Unpriced::Unusable(text) });
    }
    let text = std::str::from_utf8(&answer.body).map_err(|_| "the response is not JSON".to_owned())?;
    let price = at_pointer(text, pointer)?;
    let price =
        Price::parse_json(&price).ok_or_else(|| format!("the value at {pointer} is not a number above 0"))?;
    let Some(pointer) = time_pointer else { return Ok((price, now)) };
    let time = read_time(&at_pointer(text, pointer)?)
        .ok_or_else(|| format!("the value at {pointer} is not a time"))?;
    // A price from the future would stay fresh for too long.
    Ok((price, time.min(now)))
}

/// The number or string at a JSON pointer, as text. Numbers keep their digits.
fn at_pointer(document: &str, pointer: &str) -> Result<String, String> {
    let not_json = |_| "the response is not JSON".to_owned();
    let missing = || format!("the response has nothing at {pointer}");
    let mut here: &RawValue = serde_json::from_str(document).map_err(not_json)?;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let inside = here.get();
        here = if inside.starts_with('{') {
            let mut object: HashMap<String, &RawValue> = serde_json::from_str(inside).map_err(not_json)?;
            object.remove(&step).ok_or_else(missing)?
        } else {
            let list: Vec<&RawValue> = serde_json::from_str(inside).map_err(|_| missing())?;
            step.parse().ok().and_then(|at: usize| list.get(at).copied()).ok_or_else(missing)?
        };
    }
    match here.get() {
        text if text.starts_with('"') => serde_json::from_str(text).map_err(not_json),
        number => Ok(number.to_owned()),
    }
}

/// Parses Unix seconds, with or without a fraction, Unix milliseconds, or RFC 3339.
fn read_time(text: &str) -> Option<Timestamp> {
    let Ok(number) = text.split('.').next().unwrap_or("").parse::<i64>() else {
        return Timestamp::parse(text);
    };
    /// Larger numbers are milliseconds: as seconds this is the year 5138, as milliseconds 1973.
    const MILLISECONDS: i64 = 100_000_000_000;
    let ms = if number >= MILLISECONDS { number } else { number.checked_mul(1_000)? };
    (ms > 0).then(|| Timestamp::from_ms(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_finds_the_digits_as_they_were_written() {
        let document = r#"{"a":[{"b/c":2514.123456789012345678901},{"t":"1.50"}],"~":1e-7}"#;
        assert_eq!(at_pointer(document, "/a/0/b~1c").as_deref(), Ok("2514.123456789012345678901"));
        assert_eq!(at_pointer(document, "/a/1/t").as_deref(), Ok("1.50"));
        assert_eq!(at_pointer(document, "/~0").as_deref(), Ok("1e-7"));
        for (pointer, said) in [("/a/2", "nothing at"), ("/x", "nothing at"), ("/a/0/b~1c/d", "nothing at")] {
            let problem = at_pointer(document, pointer).expect_err("nothing");
            assert!(problem.contains(said), "{problem}");
        }
        assert_eq!(at_pointer("<html>", "/a"), Err("the response is not JSON".to_owned()));
    }

    #[test]
    fn a_time_is_read_in_three_spellings() {
        for text in ["1794697200", "1794697200.25", "1794697200000", "2026-11-14T23:00:00Z"] {
            assert_eq!(read_time(text).map(Timestamp::as_ms), Some(1_794_697_200_000), "{text}");
        }
        for text in ["", "yesterday", "0", "-5", "null"] {
            assert_eq!(read_time(text), None, "{text}");
        }
    }
}
