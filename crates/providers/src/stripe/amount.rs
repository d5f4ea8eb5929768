//! Money in Stripe's units: mostly the currency's own minor unit, but not always.

use till_domain::{
    attempt::Quantity,
    money::{Currency, Money},
};

/// Currencies that have a minor unit in ISO 4217 and that Stripe counts in whole units.
const WHOLE: [&str; 1] = ["MGA"];

/// Currencies whose unit Stripe has changed; what it is now is not known for sure.
const UNSURE: [&str; 2] = ["ISK", "UGX"];

/// The largest payment, in Stripe's units: eight digits.
const MOST: i64 = 99_999_999;

/// The smallest payment, in Stripe's units, where that is known. In other currencies it is about as much, and
/// Stripe refuses less.
const LEAST: [(&str, i64); 2] = [("EUR", 50), ("USD", 50)];

/// True if a payment may be as little as this.
pub(super) fn is_enough(money: Money) -> bool {
    let least = LEAST.iter().find(|(code, _)| *code == money.currency.code());
    least.is_none_or(|(_, least)| money.minor >= *least)
}

/// True if amounts of this currency can be expressed exactly.
pub(super) fn is_supported(currency: Currency) -> bool {
    !UNSURE.contains(&currency.code()) && currency.exponent() <= 3
}

/// Number of our minor units in one of Stripe's units.
fn per_unit(currency: Currency) -> i64 {
    if WHOLE.contains(&currency.code()) { 100 } else { 1 }
}

/// Converts an amount to Stripe's units; `None` if that is not exact, or the amount is too large.
pub(super) fn to_units(money: Money) -> Option<i64> {
    let per_unit = per_unit(money.currency);
    // With three decimal places Stripe takes only amounts that end in 0.
    let step = if money.currency.exponent() == 3 { 10 } else { per_unit };
    let fits = is_supported(money.currency) && money.minor > 0 && money.minor % step == 0;
    Some(money.minor / per_unit).filter(|units| fits && *units <= MOST)
}

/// Converts an amount in Stripe's units to ours. One in an unsupported currency keeps its unit, and so never
/// equals what was asked for.
pub(super) fn from_units(units: u64, code: &str) -> Quantity {
    let code = code.to_ascii_uppercase();
    match (Currency::from_stored(&code), i64::try_from(units)) {
        (Some(currency), Ok(units)) if is_supported(currency) => {
            Money { minor: units.saturating_mul(per_unit(currency)), currency }.into()
        }
        _ => Quantity { atoms: u128::from(units), decimals: 0, unit: code },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(minor: i64, code: &str) -> Money {
        Money { minor, currency: Currency::parse(code).expect("a currency") }
    }

    #[test]
    fn amounts_are_exact_or_none() {
        let check =
            |minor, code: &str, units| assert_eq!(to_units(money(minor, code)), units, "{minor} {code}");
        check(4_990, "USD", Some(4_990));
        check(500, "JPY", Some(500));
        check(500, "XAF", Some(500));
        check(12_300, "MGA", Some(123));
        check(12_350, "MGA", None);
        check(1_230, "KWD", Some(1_230));
        check(1_234, "KWD", None);
        check(500, "ISK", None);
        check(500, "UGX", None);
        check(99_999_999, "USD", Some(99_999_999));
        check(100_000_000, "USD", None);
        check(0, "USD", None);
    }

    #[test]
    fn what_comes_back_is_what_was_said() {
        for (minor, code) in [(4_990, "USD"), (500, "JPY"), (12_300, "MGA"), (1_230, "KWD")] {
            let there = money(minor, code);
            let units = u64::try_from(to_units(there).expect("units")).expect("positive");
            assert_eq!(from_units(units, &code.to_lowercase()), there.into());
        }
        assert!(!from_units(1, "zzz").same_unit(&money(1, "USD").into()));
    }
}
