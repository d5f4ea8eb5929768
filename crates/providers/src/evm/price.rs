//! The price of a coin as an exact decimal; floats are never used. `board.rs` knows the current prices.

use std::{
    cmp::Ordering,
    fmt::{self, Debug},
};
use till_domain::{money::Currency, time::Timestamp};

/// The price of one coin, exactly: `mantissa` divided by ten to the power of `scale`, in units of the
/// currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub mantissa: u128,
    /// Number of decimal places.
    pub scale: u8,
}

/// The most digits of a price; a shorter number always fits into `u128`.
const MAX_DIGITS: usize = 36;

impl Price {
    /// Parses a decimal number above zero: `1`, `91.93`. `None` for anything else, and for more digits than
    /// fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (text, ""),
        };
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{}{fraction}", whole.trim_start_matches('0'));
        if digits.len() > MAX_DIGITS || fraction.len() > MAX_DIGITS {
            return None;
        }
        let mantissa = digits.parse().ok().filter(|mantissa| *mantissa > 0)?;
        Some(Self { mantissa, scale: u8::try_from(fraction.len()).ok()? })
    }

    /// Parses a number as JSON writes it, which may have an exponent: `6.7e-5`.
    #[must_use]
    pub fn parse_json(text: &str) -> Option<Self> {
        let Some((number, exponent)) = text.split_once(['e', 'E']) else { return Self::parse(text) };
        let exponent: i32 = exponent.parse().ok().filter(|exponent: &i32| exponent.unsigned_abs() <= 40)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let shift = usize::try_from(exponent.unsigned_abs()).ok()?;
        let zeros = "0".repeat(shift);
        let digits = if exponent < 0 {
            format!("{zeros}{whole}{fraction}")
        } else {
            format!("{whole}{fraction}{zeros}")
        };
        let point = if exponent < 0 { whole.len() } else { whole.len() + shift };
        let (whole, fraction) = digits.split_at_checked(point)?;
        Self::parse(&if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
    }
}

/// Prices are compared by as many leading digits as stay below this: fifteen.
const COMPARED: u128 = 1_000_000_000_000_000;

impl Price {
    /// Its leading digits, and the power of ten that they are multiplied by.
    fn rounded(self) -> (u128, i32) {
        let (mut digits, mut power) = (self.mantissa, -i32::from(self.scale));
        while digits >= COMPARED {
            (digits, power) = (digits / 10, power + 1);
        }
        (digits, power)
    }

    /// Both prices as multiples of the same power of ten.
    fn aligned(self, other: Self) -> (u128, u128) {
        let ((mine, own), (theirs, other)) = (self.rounded(), other.rounded());
        // Saturates: a price that does not fit is larger by far.
        let raise = |digits: u128, by: i32| {
            let factor = 10_u128.checked_pow(u32::try_from(by).unwrap_or(0)).unwrap_or(u128::MAX);
            digits.saturating_mul(factor).min(u128::MAX / 1_000_000)
        };
        (raise(mine, own - other), raise(theirs, other - own))
    }

    /// Compares two prices by their first fifteen digits.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let (mine, theirs) = self.aligned(other);
        mine.cmp(&theirs)
    }

    /// True if it differs from `other` by at most this percentage of `other`.
    #[must_use]
    pub fn is_within(self, other: Self, percent: u32) -> bool {
        let (mine, theirs) = self.aligned(other);
        mine.abs_diff(theirs).saturating_mul(100) <= theirs.saturating_mul(percent.into())
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = usize::from(self.scale);
        let digits = format!("{:0width$}", self.mantissa, width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        if fraction.is_empty() { f.write_str(whole) } else { write!(f, "{whole}.{fraction}") }
    }
}

/// A price that may be locked now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    pub price: Price,
    /// Its source, for display; never a secret.
    pub source: String,
    /// The time that the price refers to.
    pub at: Timestamp,
}

/// A provider of current prices. It answers at once, from what it has in memory.
pub trait Prices: Debug + Send + Sync {
    /// The current price of a coin; `None` if there is none, or only one that is too old.
    fn quote(&self, coin: &str, currency: Currency) -> Option<Quote>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u128, u8)> {
        Price::parse_json(text).map(|price| (price.mantissa, price.scale))
    }

    #[test]
    fn prices_are_read_digit_for_digit() {
        for (text, expected) in [
            ("1", (1, 0)),
            ("91.93", (9193, 2)),
            ("2500.10", (25_001, 1)),
            ("0.05", (5, 2)),
            ("100", (100, 0)),
            ("2514.123456789012345678901", (2_514_123_456_789_012_345_678_901, 21)),
            ("6.7e-5", (67, 6)),
            ("1E+3", (1_000, 0)),
            ("1.5e1", (15, 0)),
            ("12.5e-1", (125, 2)),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_price_is_none() {
        let long = "9".repeat(37);
        let fine = format!("0.{}1", "0".repeat(36));
        for text in [
            "", "0", "0.0", "-1", "+1", "1.", ".5", "1,5", "NaN", "1e", "e5", "1e99", "0e1", " 1", "1.2.3",
            &long, &fine,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Price::parse("1e3"), None, "a person writes it out");
    }

    #[test]
    fn prices_are_compared_whatever_their_digits() {
        let price = |text: &str| Price::parse(text).expect("a price");
        for (one, other, order) in [
            ("1", "1.0", Ordering::Equal),
            ("2500.1", "2500.09", Ordering::Greater),
            ("0.000067", "67", Ordering::Less),
            (
                "999999999999999999999999999999999999",
                "0.000000000000000000000000000000000001",
                Ordering::Greater,
            ),
        ] {
            assert_eq!(price(one).compare(price(other)), order, "{one} {other}");
            assert_eq!(price(other).compare(price(one)), order.reverse(), "{other} {one}");
        }
        for (one, other, percent, within) in [
            ("120", "100", 20, true),
            ("120.01", "100", 20, false),
            ("80", "100", 20, true),
            ("79.99", "100", 20, false),
            ("25", "2500", 99, true),
            ("24", "2500", 99, false),
            ("999999999999999999999999999999999999", "0.000000000000000000000000000000000001", 1_000, false),
            ("2514.123456789012345678901", "2514.123456789012345678902", 0, true),
        ] {
            assert_eq!(price(one).is_within(price(other), percent), within, "{one} {other}");
        }
    }

    #[test]
    fn prices_are_shown_as_they_are() {
        for text in ["1", "91.93", "0.05", "100", "0.000067"] {
            assert_eq!(Price::parse(text).map(|price| price.to_string()).as_deref(), Some(text));
        }
    }
}
