//! Payment methods, the lifetime of each, and the clock of each in a session.
//!
//! A method's clock starts the first time the method is chosen and is never restarted. The moment at which it
//! runs out is stored, so that a later change of the setting does not move running sessions.

use crate::time::Timestamp;
use std::{fmt, time::Duration};

/// A payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    Card,
    /// SBP, by QR code.
    Sbp,
    /// A transfer on a blockchain.
    Crypto,
}

impl Method {
    /// Every method, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Card, Self::Sbp, Self::Crypto];

    /// The text form on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Sbp => "sbp",
            Self::Crypto => "crypto",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.as_str() == text)
    }

    /// Parses a comma-separated list, as settings and rows hold it. The error is the unknown word.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
        words.map(|w| Self::parse(w).ok_or_else(|| w.to_owned())).collect()
    }

    /// Writes the list that [`Method::parse_list`] reads.
    #[must_use]
    pub fn join(methods: &[Self]) -> String {
        methods.iter().map(|m| m.as_str()).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The lifetime of an unpaid session, by method (specification §8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// Card: 15 minutes unless the operator says otherwise.
    pub card: Duration,
    /// SBP: 10 minutes, the validity of the QR code.
    pub sbp: Duration,
    /// Crypto: 60 minutes; always longer than card.
    pub crypto: Duration,
}

impl Default for Lifetimes {
    fn default() -> Self {
        let minutes = |m: u64| Duration::from_secs(m * 60);
        Self { card: minutes(15), sbp: minutes(10), crypto: minutes(60) }
    }
}

impl Lifetimes {
    /// The longest of all methods.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.card.max(self.sbp).max(self.crypto)
    }

    /// The lifetime of one method.
    #[must_use]
    pub fn of(&self, method: Method) -> Duration {
        match method {
            Method::Card => self.card,
            Method::Sbp => self.sbp,
            Method::Crypto => self.crypto,
        }
    }
}

/// The end of each method's clock; `None` while the method was never chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clocks {
    /// End of the card clock.
    pub card: Option<Timestamp>,
    /// End of the SBP clock.
    pub sbp: Option<Timestamp>,
    /// End of the crypto clock.
    pub crypto: Option<Timestamp>,
}

impl Clocks {
    /// The end of one method's clock.
    #[must_use]
    pub fn of(&self, method: Method) -> Option<Timestamp> {
        match method {
            Method::Card => self.card,
            Method::Sbp => self.sbp,
            Method::Crypto => self.crypto,
        }
    }

    /// Starts a method's clock unless it runs already; returns when it ends. No clock ends after `latest`.
    pub fn start(
        &mut self,
        method: Method,
        now: Timestamp,
        lifetimes: &Lifetimes,
        latest: Option<Timestamp>,
    ) -> Timestamp {
        let end = match method {
            Method::Card => &mut self.card,
            Method::Sbp => &mut self.sbp,
            Method::Crypto => &mut self.crypto,
        };
        let own = now.plus(lifetimes.of(method));
        *end.get_or_insert_with(|| latest.map_or(own, |latest| latest.min(own)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_restarted() {
        let lifetimes = Lifetimes::default();
        let mut clocks = Clocks::default();
        let first = clocks.start(Method::Sbp, Timestamp::from_ms(0), &lifetimes, None);
        assert_eq!(first.as_ms(), 600_000);
        let again = clocks.start(Method::Sbp, Timestamp::from_ms(500_000), &lifetimes, None);
        assert_eq!(again, first);
        assert_eq!(clocks.of(Method::Card), None);
    }

    #[test]
    fn the_latest_end_shortens_a_clock_and_never_lengthens_one() {
        let mut clocks = Clocks::default();
        let (now, latest) = (Timestamp::from_ms(0), Some(Timestamp::from_ms(700_000)));
        assert_eq!(clocks.start(Method::Card, now, &Lifetimes::default(), latest).as_ms(), 700_000);
        assert_eq!(clocks.start(Method::Sbp, now, &Lifetimes::default(), latest).as_ms(), 600_000);
    }

    #[test]
    fn lists_read_back_what_they_write() {
        assert_eq!(Method::parse_list("card, sbp"), Ok(vec![Method::Card, Method::Sbp]));
        assert_eq!(Method::parse_list(""), Ok(vec![]));
        assert_eq!(Method::parse_list("card,cash"), Err("cash".to_owned()));
        assert_eq!(Method::join(&Method::ALL), "card,sbp,crypto");
    }
}
