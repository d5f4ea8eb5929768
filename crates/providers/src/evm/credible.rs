//! Plausibility checks for the answers of a price source. An answer outside the operator's bounds is
//! rejected, and one that is far from the last good price has to be confirmed first. While an answer is in
//! doubt the source has no price: nothing is sold at an absurd price, nor at one that may be out of date.

use super::{price::Price, setup::PriceLimits};
use std::{cmp::Ordering, time::Duration};
use till_domain::time::Timestamp;

/// How long a source has to repeat a price that is far from its last good one before it is accepted.
pub(super) const JUMP_CONFIRMED_AFTER: Duration = Duration::from_secs(5 * 60);

/// Minimum time over which a source's first price must be repeated; the source is asked again after it.
pub(super) const FIRST_CONFIRMED_AFTER: Duration = Duration::from_secs(2);

/// The history of one source's answers, as far as it decides which price may be used.
#[derive(Debug, Default)]
pub(super) struct Track {
    good: Option<(Price, Timestamp)>,
    doubt: Option<PendingPrice>,
    /// The last answer, and since when it has not changed.
    still: Option<(Price, Timestamp)>,
    /// True if the last answer was out of bounds or had not changed for too long.
    refused: bool,
}

/// An answer that waits for confirmation.
#[derive(Debug, Clone, Copy)]
struct PendingPrice {
    price: Price,
    at: Timestamp,
    since: Timestamp,
    answers: u32,
}

impl Track {
    /// Takes in an answer and the time it refers to. An error says why the answer is not used.
    pub(super) fn hear(
        &mut self,
        (price, at): (Price, Timestamp),
        now: Timestamp,
        limits: &PriceLimits,
        max_jump: u32,
    ) -> Result<(), String> {
        self.refused = true;
        check_bounds(price, limits)?;
        self.check_movement(price, now, limits)?;
        self.refused = false;
        let is_near = |good: Price| price.is_within(good, max_jump);
        let believed = match self.good {
            Some((good, _)) => is_near(good),
            None => limits.is_bounded(),
        };
        if believed || self.is_confirmed(price, at, now, max_jump) {
            self.believe(price, at);
            return Ok(());
        }
        Err(match self.good {
            Some((good, _)) => {
                format!("{price} is more than {max_jump} % from {good}: not used until it is confirmed")
            }
            None => format!("{price} is its first price: not used until it is confirmed"),
        })
    }

    fn believe(&mut self, price: Price, at: Timestamp) {
        (self.good, self.doubt) = (Some((price, at)), None);
    }

    fn check_movement(&mut self, price: Price, now: Timestamp, limits: &PriceLimits) -> Result<(), String> {
        let since = match self.still {
            Some((last, since)) if last == price => since,
            _ => now,
        };
        self.still = Some((price, since));
        match limits.max_unchanged {
            Some(most) if now.since(since) > most => {
                Err(format!("{price} has not changed for more than {} s", most.as_secs()))
            }
            _ => Ok(()),
        }
    }

    /// Counts an answer that is in doubt. Returns true when it was repeated often and long enough.
    fn is_confirmed(&mut self, price: Price, at: Timestamp, now: Timestamp, max_jump: u32) -> bool {
        let doubt = match self.doubt.filter(|doubt| price.is_within(doubt.price, max_jump)) {
            Some(doubt) => PendingPrice { price, at, answers: doubt.answers.saturating_add(1), ..doubt },
            None => PendingPrice { price, at, since: now, answers: 1 },
        };
        self.doubt = Some(doubt);
        let long = if self.good.is_some() { JUMP_CONFIRMED_AFTER } else { FIRST_CONFIRMED_AFTER };
        doubt.answers >= 2 && now.since(doubt.since) >= long
    }

    /// Accepts the answer in doubt, because another source reports the same price.
    pub(super) fn confirm(&mut self) {
        if let Some(doubt) = self.doubt {
            self.believe(doubt.price, doubt.at);
        }
    }

    /// The price that may be used, and the time it refers to.
    pub(super) fn usable(&self) -> Option<(Price, Timestamp)> {
        self.good.filter(|_| self.doubt.is_none() && !self.refused)
    }

    /// The last answer that is accepted or in doubt, and the time it refers to; `None` if the last one was
    /// rejected.
    pub(super) fn current(&self) -> Option<(Price, Timestamp)> {
        let doubted = self.doubt.map(|doubt| (doubt.price, doubt.at));
        doubted.or(self.good).filter(|_| !self.refused)
    }

    /// The last accepted price, and the time it refers to.
    pub(super) fn good(&self) -> Option<(Price, Timestamp)> {
        self.good
    }

    /// True if an answer waits for confirmation.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }
}

fn check_bounds(price: Price, limits: &PriceLimits) -> Result<(), String> {
    if limits.min.is_some_and(|min| price.compare(min) == Ordering::Less) {
        return Err(format!("{price} is below `min`"));
    }
    if limits.max.is_some_and(|max| price.compare(max) == Ordering::Greater) {
        return Err(format!("{price} is above `max`"));
    }
    Ok(())
}

/// The index of the median price; of an even number, the lower of the two in the middle. `None` unless more
/// than half of the prices are within `max_spread` per cent of it.
pub(super) fn median(prices: &[Price], max_spread: u32) -> Option<usize> {
    let mut order: Vec<usize> = (0..prices.len()).collect();
    order.sort_by(|a, b| prices[*a].compare(prices[*b]));
    let middle = *order.get(prices.len().checked_sub(1)? / 2)?;
    let near = prices.iter().filter(|price| price.is_within(prices[middle], max_spread)).count();
    (near * 2 > prices.len()).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> Price {
        Price::parse(text).expect("a price")
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_ms(seconds * 1_000)
    }

    #[test]
    fn m5_the_median_needs_most_sources_near_it() {
        let of = |texts: &[&str]| {
            let prices: Vec<_> = texts.iter().map(|text| price(text)).collect();
            median(&prices, 5).map(|place| texts[place].to_owned())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["2500"]).as_deref(), Some("2500"));
        assert_eq!(of(&["2500", "2501"]).as_deref(), Some("2500"));
        assert_eq!(of(&["2500", "25"]), None, "nobody says which is right");
        assert_eq!(of(&["25", "2500", "2501"]).as_deref(), Some("2500"));
        assert_eq!(of(&["0.01", "2500", "99999"]), None);
    }

    #[test]
    fn m5_a_jump_is_believed_after_it_was_repeated_for_minutes() {
        let (limits, mut track) = (PriceLimits::default(), Track::default());
        let mut hear = |text: &str, seconds: i64| {
            let heard = track.hear((price(text), at(seconds)), at(seconds), &limits, 20);
            heard.ok().and(track.usable()).map(|(price, _)| price.to_string())
        };
        assert_eq!(hear("2500", 0), None, "the first price needs a second one");
        assert_eq!(hear("2510", 2).as_deref(), Some("2510"));
        assert_eq!(hear("2900", 42).as_deref(), Some("2900"), "a rise by less than a fifth");
        assert_eq!(hear("0.01", 82), None);
        assert_eq!(hear("0.01", 142), None, "repeated for a minute only");
        assert_eq!(hear("2890", 152).as_deref(), Some("2890"), "it was a slip");
        assert_eq!(hear("2000", 200), None);
        assert_eq!(hear("2010", 350), None);
        assert_eq!(hear("1990", 500).as_deref(), Some("1990"), "a crash that is true");
    }

    #[test]
    fn m5_bounds_hold_from_the_first_answer_on() {
        let limits = PriceLimits { min: Some(price("1000")), max: Some(price("5000")), max_unchanged: None };
        let mut track = Track::default();
        assert!(track.hear((price("25"), at(0)), at(0), &limits, 20).is_err());
        assert_eq!(track.hear((price("2500"), at(10)), at(10), &limits, 20), Ok(()), "nothing to wait for");
        assert!(track.hear((price("250000"), at(20)), at(20), &limits, 20).is_err());
        assert_eq!(track.usable(), None, "nothing is sold while the source says something absurd");
    }

    #[test]
    fn m5_a_price_that_stands_still_is_not_used_where_the_operator_says_so() {
        let limits =
            PriceLimits { max_unchanged: Some(Duration::from_secs(3_600)), ..PriceLimits::default() };
        let mut track = Track::default();
        for seconds in [0, 2, 3_600] {
            let _ = track.hear((price("2500"), at(seconds)), at(seconds), &limits, 20);
        }
        assert!(track.usable().is_some());
        assert!(track.hear((price("2500"), at(3_601)), at(3_601), &limits, 20).is_err());
        assert_eq!(track.usable(), None);
        assert_eq!(track.hear((price("2501"), at(3_641)), at(3_641), &limits, 20), Ok(()));
    }
}
