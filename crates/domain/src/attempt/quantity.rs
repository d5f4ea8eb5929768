//! An amount in a provider's own unit: minor units of a currency, or the smallest part of a coin.

use crate::money::Money;
use std::fmt;

/// An exact amount of some unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The number of smallest parts.
    pub atoms: u128,
    /// Decimal places between the smallest part and the unit.
    pub decimals: u8,
    /// The unit's name: `RUB`, `USDC`.
    pub unit: String,
}

impl From<Money> for Quantity {
    fn from(money: Money) -> Self {
        Self {
            atoms: u128::from(money.minor.unsigned_abs()),
            decimals: u8::try_from(money.currency.exponent()).unwrap_or(0),
            unit: money.currency.code().to_owned(),
        }
    }
}

impl Quantity {
    /// The given number of atoms of the same unit.
    #[must_use]
    pub fn with(&self, atoms: u128) -> Self {
        Self { atoms, ..self.clone() }
    }

    /// Returns true if both have the same unit and the same decimals.
    #[must_use]
    pub fn same_unit(&self, other: &Self) -> bool {
        self.unit == other.unit && self.decimals == other.decimals
    }

    /// The number without its unit. A coin's zeros at the end are left out down to two places.
    #[must_use]
    pub fn digits(&self) -> String {
        let places = usize::from(self.decimals);
        let digits = format!("{:0width$}", self.atoms, width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let kept = fraction.trim_end_matches('0').len().max(places.min(2));
        let fraction = &fraction[..kept];
        if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
    }

    /// The part of `whole` that this is of `of`, rounded down: what a payment in coins is worth.
    #[must_use]
    pub fn share(&self, of: &Self, whole: Money) -> Money {
        let minor = u128::from(whole.minor.unsigned_abs());
        let share = if of.atoms == 0 {
            0
        } else {
            // Coins of 18 places times a price would overflow: digits beyond the price's precision are
            // dropped.
            let (mut part, mut of) = (self.atoms, of.atoms);
            while minor.checked_mul(part).is_none() {
                (part, of) = (part / 10, (of / 10).max(1));
            }
            minor * part / of
        };
        Money { minor: i64::try_from(share).unwrap_or(i64::MAX), currency: whole.currency }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.digits(), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;

    fn coins(atoms: u128, decimals: u8) -> Quantity {
        Quantity { atoms, decimals, unit: "USDC".to_owned() }
    }

    #[test]
    fn quantities_show_what_they_are() {
        let check = |atoms, decimals, text: &str| assert_eq!(coins(atoms, decimals).digits(), text);
        check(54_280_000, 6, "54.28");
        check(54_000_000, 6, "54.00");
        check(1, 6, "0.000001");
        check(5, 0, "5");
        check(120, 2, "1.20");
        check(1_500_000_000_000_000_000, 18, "1.50");
    }

    #[test]
    fn a_share_is_rounded_down_and_never_overflows() {
        let currency = Currency::parse("RUB").expect("a currency");
        let price = Money { minor: 499_000, currency };
        assert_eq!(coins(50_000_000, 6).share(&coins(54_280_000, 6), price).minor, 459_653);
        assert_eq!(coins(54_280_000, 6).share(&coins(54_280_000, 6), price).minor, 499_000);
        assert_eq!(coins(1, 6).share(&coins(0, 6), price).minor, 0);
        let huge = Money { minor: i64::MAX, currency };
        let full = coins(u128::MAX, 18).share(&coins(u128::MAX, 18), huge);
        assert!(full.minor > i64::MAX / 100 * 99, "{full}");
    }
}
