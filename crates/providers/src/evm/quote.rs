//! Converts money to coins at a price. The arithmetic is exact; what does not fit is refused.

use super::Price;
use till_domain::{attempt::Quantity, chain::Atoms, money::Money};

/// The amount of a coin that is worth this, rounded up to the coin's smallest unit; `None` if it cannot be
/// represented, or the price is zero.
pub(super) fn charge(amount: Money, price: Price, decimals: u8) -> Option<Atoms> {
    let (whole, more) = divide(amount, price, decimals)?;
    whole.checked_add(u128::from(more)).map(Atoms)
}

/// The same rounded down: a refund is never more than it is worth.
pub(super) fn share(amount: Money, price: Price, decimals: u8) -> Option<Atoms> {
    divide(amount, price, decimals).map(|(whole, _)| Atoms(whole))
}

/// The amount rounded down, and whether there is a remainder.
fn divide(amount: Money, price: Price, decimals: u8) -> Option<(u128, bool)> {
    let minor = u128::try_from(amount.minor).ok()?;
    let (mut mantissa, mut scale) = (price.mantissa, u32::from(price.scale));
    if mantissa == 0 {
        return None;
    }
    while scale > 0 && mantissa.is_multiple_of(10) {
        (mantissa, scale) = (mantissa / 10, scale - 1);
    }
    let up = u32::from(decimals) + scale;
    let down = u32::try_from(amount.currency.exponent()).ok()?;
    let ten = |power: u32| 10_u128.checked_pow(power);
    let part = mantissa.checked_mul(ten(down.saturating_sub(up))?)?;
    // Long division: a coin of 18 decimal places times a price of many digits would overflow.
    let (mut whole, mut rest) = (minor / part, minor % part);
    for _ in down..up {
        let next = rest.checked_mul(10)?;
        whole = whole.checked_mul(10)?.checked_add(next / part)?;
        rest = next % part;
    }
    Some((whole, rest > 0))
}

/// The price of one coin, for display: `91.93 RUB`.
pub(super) fn rate(price: Price, amount: Money) -> String {
    let unit = amount.currency.code().to_owned();
    Quantity { atoms: price.mantissa, decimals: price.scale, unit }.to_string()
}

/// Parses the price in a text of [`rate`].
pub(super) fn locked(rate: &str) -> Option<Price> {
    rate.split_once(' ').and_then(|(digits, _)| Price::parse(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use till_domain::money::Currency;

    fn money(minor: i64, code: &str) -> Money {
        Money { minor, currency: Currency::parse(code).expect("a currency") }
    }

    #[test]
    fn a_charge_is_exact_and_rounded_up() {
        for (minor, code, mantissa, scale, decimals, expected) in [
            // 4,990.00 roubles at 91.93 a coin: 54.280430 and a little more.
            (499_000, "RUB", 9_193, 2, 6, 54_280_431),
            (4_990, "USD", 1, 0, 6, 49_900_000),
            (4_990, "USD", 100, 2, 6, 49_900_000),
            (1, "USD", 300_000, 2, 18, 3_333_333_333_334),
            (1, "USD", 9_999_999, 0, 0, 1),
            (500, "JPY", 15_023, 2, 6, 3_328_231),
            (1_234, "KWD", 307, 3, 6, 4_019_544),
            (1_234, "KWD", 2, 0, 0, 1),
            // A price of many digits.
            (500_000, "USD", 251_234_567_890_123_456_789, 17, 18, 1_990_171_990_260_007_607),
            (100_000_000_000_000, "USD", 1, 0, 18, 1_000_000_000_000_000_000_000_000_000_000),
        ] {
            let price = Price { mantissa, scale };
            assert_eq!(charge(money(minor, code), price, decimals), Some(Atoms(expected)), "{minor} {code}");
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let price = |mantissa, scale| Price { mantissa, scale };
        assert_eq!(charge(money(499, "USD"), price(0, 0), 6), None);
        assert_eq!(charge(money(-499, "USD"), price(1, 0), 6), None);
        assert_eq!(charge(money(i64::MAX, "USD"), price(1, 18), 36), None);
        assert_eq!(charge(money(1, "USD"), price(u128::MAX, 255), 255), None);
        assert_eq!(charge(money(1, "KWD"), price(u128::MAX, 0), 0), None);
    }

    proptest! {
        /// The charge is worth at least the price, and one smallest unit less would not be.
        #[test]
        fn a_charge_is_worth_the_price(
            minor in 1_i64..100_000_000_000, mantissa in 1_u128..100_000_000, scale in 0_u8..9, decimals in 0_u8..19,
        ) {
            let price = Price { mantissa, scale };
            let Some(Atoms(charged)) = charge(money(minor, "USD"), price, decimals) else {
                return Ok(());
            };
            // charged × mantissa ÷ 10^(decimals + scale) ≥ minor ÷ 100
            let ten = 10_u128.pow(u32::from(decimals + scale));
            let worth = |atoms: u128| atoms.checked_mul(mantissa).and_then(|worth| worth.checked_mul(100));
            if let (Some(enough), Some(less), Some(needed)) =
                (worth(charged), worth(charged - 1), u128::try_from(minor).expect("positive").checked_mul(ten))
            {
                prop_assert!(enough >= needed && less < needed, "{charged}");
            }
        }
    }

    #[test]
    fn what_goes_back_is_rounded_down_at_the_price_that_was_locked() {
        for (minor, code, mantissa, scale, decimals, expected) in [
            (499_000, "RUB", 9_193, 2, 6, 54_280_430),
            (4_990, "USD", 1, 0, 6, 49_900_000),
            (1, "USD", 300_000, 2, 18, 3_333_333_333_333),
            (1, "USD", 9_999_999, 0, 0, 0),
        ] {
            let price = Price { mantissa, scale };
            let locked = locked(&rate(price, money(minor, code))).expect("a price");
            assert_eq!(share(money(minor, code), locked, decimals), Some(Atoms(expected)), "{minor} {code}");
        }
        assert_eq!((locked("RUB"), locked(""), locked("x RUB")), (None, None, None));
    }

    #[test]
    fn a_rate_is_shown_as_it_was_reported() {
        let rate_text = |mantissa, scale| rate(Price { mantissa, scale }, money(1, "RUB"));
        assert_eq!(rate_text(9_193, 2), "91.93 RUB");
        assert_eq!(rate_text(91_930_000, 6), "91.93 RUB");
        assert_eq!(rate_text(1, 0), "1 RUB");
        assert_eq!(rate_text(12_345, 4), "1.2345 RUB");
    }
}
