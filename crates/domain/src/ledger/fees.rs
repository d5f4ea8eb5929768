//! The operator's fees, and the settlement delay of the rest.

use crate::{
    method::Method,
    money::{Currency, Digits, Money},
};
use std::time::Duration;

/// The fee on every payment by one method: a percentage and a fixed amount.
///
/// The percentage is rounded to the nearest minor unit, half up; the fee is never more than the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fee {
    /// The payment method that it applies to.
    pub method: Method,
    /// The currency that it applies to; `None` for every currency without a fee of its own.
    pub currency: Option<Currency>,
    /// The percentage, in millionths: 25 000 is 2.5 %.
    pub millionths: u32,
    /// The fixed amount, in minor units; 0 without a currency.
    pub fixed: i64,
    /// True if a refund gives the fee back.
    pub returned: bool,
}

/// A validation error of a fee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FeeProblem {
    /// The percentage is not a number like `2.5`, from 0 to 100, with at most four decimals.
    #[error("must be a number from 0 to 100 with at most four decimals, such as 2.5")]
    Percent,
    /// The fixed amount is not an amount of the currency.
    #[error("must be an amount of the currency, such as 10.00")]
    Fixed,
    /// A fixed amount without a currency.
    #[error("needs a currency")]
    NoCurrency,
}

impl Fee {
    /// Millionths that make 100 %.
    const WHOLE: u32 = 1_000_000;

    /// Parses a percentage such as `2.5` into millionths.
    pub fn parse_percent(text: &str) -> Result<u32, FeeProblem> {
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let pointed = text.contains('.') && fraction.is_empty();
        if whole.is_empty()
            || whole.len() > 3
            || fraction.len() > 4
            || pointed
            || !digits(whole)
            || !digits(fraction)
        {
            return Err(FeeProblem::Percent);
        }
        let millionths: u32 = format!("{whole}{fraction:0<4}").parse().map_err(|_| FeeProblem::Percent)?;
        if millionths > Self::WHOLE { Err(FeeProblem::Percent) } else { Ok(millionths) }
    }

    /// Parses a fixed amount such as `10.00`; an empty text or zero is none.
    pub fn parse_fixed(text: &str, currency: Option<Currency>) -> Result<i64, FeeProblem> {
        let text = text.trim();
        if text.is_empty() || text.bytes().all(|byte| byte == b'0' || byte == b'.') {
            return Ok(0);
        }
        let currency = currency.ok_or(FeeProblem::NoCurrency)?;
        let digits = Digits::from_text(text).map_err(|_| FeeProblem::Fixed)?;
        let price = crate::money::Price::new(digits, currency).map_err(|_| FeeProblem::Fixed)?;
        Ok(price.money().minor)
    }

    /// The percentage as text: `2.5`.
    #[must_use]
    pub fn percent(&self) -> String {
        let text = format!("{}.{:04}", self.millionths / 10_000, self.millionths % 10_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The fee as text: `2.5 % + 10.00 RUB`.
    #[must_use]
    pub fn words(&self) -> String {
        let fixed =
            self.currency.filter(|_| self.fixed != 0).map(|currency| Money { minor: self.fixed, currency });
        let fixed = fixed.map_or(String::new(), |fixed| format!(" + {fixed}"));
        format!("{} %{fixed}", self.percent())
    }

    /// The fee on a payment.
    #[must_use]
    pub fn of(&self, amount: Money) -> Money {
        let whole = i128::from(Self::WHOLE);
        let part = (i128::from(amount.minor) * i128::from(self.millionths) + whole / 2) / whole;
        let fee = (part + i128::from(self.fixed)).clamp(0, i128::from(amount.minor.max(0)));
        Money { minor: i64::try_from(fee).unwrap_or(amount.minor), ..amount }
    }
}

/// The terms that the operator and a vendor agreed on. The default has no fee.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// Fees, at most one for each method and currency.
    pub fees: Vec<Fee>,
    /// How long a payment stays pending; `None` for the operator's setting.
    pub settlement_delay: Option<Duration>,
}

impl Terms {
    /// Maximum settlement delay.
    pub const MAX_DELAY: Duration = Duration::from_secs(366 * 24 * 60 * 60);

    /// The fee on a payment by this method in this currency, if any: the currency's own, else that for all.
    #[must_use]
    pub fn fee(&self, method: Method, currency: Currency) -> Option<&Fee> {
        let own = |of: Option<Currency>| {
            self.fees.iter().find(move |fee| fee.method == method && fee.currency == of)
        };
        own(Some(currency)).or_else(|| own(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).expect("a currency")
    }

    /// Asserts the fee on a payment of `minor` with this percentage and fixed amount.
    fn check(percent: &str, fixed: i64, minor: i64, expected: i64) {
        let millionths = Fee::parse_percent(percent).expect("a part");
        let rub = currency("RUB");
        let fee = Fee { method: Method::Card, currency: Some(rub), millionths, fixed, returned: false };
        assert_eq!(fee.of(Money { minor, currency: rub }).minor, expected, "{percent} + {fixed} of {minor}");
    }

    #[test]
    fn the_part_is_rounded_to_the_nearest_and_a_half_up() {
        check("2.5", 0, 4_990, 125); // 124.75
        check("2.5", 0, 4_980, 125); // 124.5
        check("2.5", 0, 4_979, 124); // 124.475
        check("2.5", 0, 20, 1); // 0.5
        check("2.5", 0, 19, 0); // 0.475
        check("0.0001", 0, 500_000, 1); // 0.5
        check("0.0001", 0, 499_999, 0);
        check("0", 0, 4_990, 0);
        check("100", 0, 4_990, 4_990);
    }

    #[test]
    fn a_fee_is_never_more_than_the_payment() {
        check("2.5", 1_000, 4_990, 1_125);
        check("0", 1_000, 999, 999);
        check("100", 1, 4_990, 4_990);
        check("100", i64::MAX, i64::MAX, i64::MAX);
        check("50", 0, i64::MAX, i64::MAX / 2 + 1);
        check("2.5", 10, 0, 0);
    }

    #[test]
    fn parts_and_amounts_are_read_as_people_write_them() {
        let percent =
            |text: &str, expected: Result<u32, FeeProblem>| assert_eq!(Fee::parse_percent(text), expected);
        percent("2.5", Ok(25_000));
        percent(" 0 ", Ok(0));
        percent("100", Ok(1_000_000));
        percent("1.2345", Ok(12_345));
        for wrong in ["", "2,5", "-1", "100.0001", "1.23456", "2.", ".5", "1e1", "999999", "2.5%"] {
            percent(wrong, Err(FeeProblem::Percent));
        }
        let fixed = |text: &str, code: Option<&str>| Fee::parse_fixed(text, code.map(currency));
        assert_eq!(fixed("10.00", Some("RUB")), Ok(1_000));
        assert_eq!(fixed("10", Some("JPY")), Ok(10));
        assert_eq!((fixed("", None), fixed("0.00", None)), (Ok(0), Ok(0)));
        assert_eq!(fixed("10.00", None), Err(FeeProblem::NoCurrency));
        for wrong in ["10.001", "-1", "ten", "1e3"] {
            assert_eq!(fixed(wrong, Some("RUB")), Err(FeeProblem::Fixed), "{wrong}");
        }
    }

    #[test]
    fn a_fee_says_what_it_takes() {
        let fee = |percent: &str, fixed| Fee {
            method: Method::Card,
            currency: Some(currency("RUB")),
            millionths: Fee::parse_percent(percent).expect("a part"),
            fixed,
            returned: false,
        };
        assert_eq!(fee("2.50", 1_000).words(), "2.5 % + 10.00 RUB");
        assert_eq!(fee("10", 0).words(), "10 %");
        assert_eq!(fee("0.0001", 0).words(), "0.0001 %");
    }

    #[test]
    fn a_currency_of_its_own_comes_before_all_currencies() {
        let fee =
            |method, currency, millionths| Fee { method, currency, millionths, fixed: 0, returned: false };
        let (rub, eur) = (currency("RUB"), currency("EUR"));
        let fees =
            vec![fee(Method::Card, None, 1), fee(Method::Card, Some(rub), 2), fee(Method::Sbp, Some(rub), 3)];
        let terms = Terms { fees, settlement_delay: None };
        let found = |method, currency| terms.fee(method, currency).map(|fee| fee.millionths);
        assert_eq!((found(Method::Card, rub), found(Method::Card, eur)), (Some(2), Some(1)));
        assert_eq!((found(Method::Sbp, rub), found(Method::Sbp, eur)), (Some(3), None));
    }
}
