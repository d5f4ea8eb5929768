//! Exact quantities, in thousandths, and the price of so many: no float, rounded half up to the minor unit.

use crate::money::Digits;
use std::fmt;

/// Decimals of a quantity.
const DECIMALS: usize = 3;

/// Thousandths of one.
const ONE: i64 = 1_000;

/// The largest quantity, in thousandths: 99999.999.
const MAX: i64 = 99_999_999;

/// How many of an item: more than 0, at most 99999.999, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemQuantity(i64);

impl ItemQuantity {
    pub const ONE: Self = Self(ONE);

    /// So many; `None` if there are more than 3 decimals, or too many.
    #[must_use]
    pub fn new(digits: &Digits) -> Option<Self> {
        digits.minor(DECIMALS).and_then(Self::from_thousandths)
    }

    /// A quantity as it is stored.
    #[must_use]
    pub fn from_thousandths(thousandths: i64) -> Option<Self> {
        (1..=MAX).contains(&thousandths).then_some(Self(thousandths))
    }

    #[must_use]
    pub fn thousandths(self) -> i64 {
        self.0
    }

    /// The price of so many, in minor units, half up. What exceeds every amount is the largest number.
    #[must_use]
    pub fn times(self, price: i64) -> i64 {
        let exact = i128::from(price) * i128::from(self.0);
        let rounded = (exact + i128::from(ONE / 2)).div_euclid(i128::from(ONE));
        i64::try_from(rounded).unwrap_or(i64::MAX)
    }
}

/// The shortest decimal: `2`, `0.285`.
impl fmt::Display for ItemQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / ONE, format!("{:03}", self.0 % ONE));
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            fraction => write!(f, "{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Option<ItemQuantity> {
        ItemQuantity::new(&Digits::from_text(text).ok()?)
    }

    #[test]
    fn a_quantity_has_three_decimals_and_a_largest_value() {
        for (text, expected) in [
            ("1", Some("1")),
            ("2.0", Some("2")),
            ("0.001", Some("0.001")),
            ("0.285", Some("0.285")),
            ("12.340", Some("12.34")),
            ("99999.999", Some("99999.999")),
            ("100000", None),
            ("1.0000", None),
            ("0", None),
        ] {
            assert_eq!(quantity(text).map(|found| found.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_rounded_half_up() {
        for (price, text, expected) in [
            // 28.5 kopecks; a float has 28.499999999999996.
            (100, "0.285", 29),
            (54_500, "2", 109_000),
            (1, "0.5", 1),
            (1, "0.499", 0),
            (333, "0.333", 111),
            (99_999_999_999_999, "99999.999", i64::MAX),
        ] {
            let quantity = quantity(text).expect("a quantity");
            assert_eq!(quantity.times(price), expected, "{price} x {text}");
        }
    }
}
