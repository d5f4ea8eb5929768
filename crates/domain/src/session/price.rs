//! Magic prices: in the sandbox, the last two digits of a price can stand for an outcome, so that a test that creates
//! sessions chooses it without another call.

use super::{FailureReason, Outcome};
use crate::money::Money;
use std::time::Duration;

/// How long a payment takes that succeeds after a while.
const AFTER: Duration = Duration::from_secs(10);

/// The outcome that a price stands for, and after which time; `None` for most prices, and in a currency that does not
/// have two decimals.
#[must_use]
pub fn outcome(price: Money) -> Option<(Outcome, Duration)> {
    if price.currency.exponent() != 2 {
        return None;
    }
    let at_once = |outcome| Some((outcome, Duration::ZERO));
    match price.minor % 100 {
        1 => at_once(Outcome::Failed(FailureReason::CardDeclined)),
        2 => at_once(Outcome::Failed(FailureReason::InsufficientFunds)),
        3 => at_once(Outcome::Failed(FailureReason::ThreeDsFailed)),
        4 => at_once(Outcome::Failed(FailureReason::ProviderError)),
        5 => Some((Outcome::Paid, AFTER)),
        6 => at_once(Outcome::Expired),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;

    #[test]
    fn the_last_two_digits_stand_for_an_outcome() {
        let of = |minor, code| outcome(Money { minor, currency: Currency::parse(code).expect("a currency") });
        let failed = |reason| Some((Outcome::Failed(reason), Duration::ZERO));
        assert_eq!(of(1, "RUB"), failed(FailureReason::CardDeclined));
        assert_eq!(of(499_002, "USD"), failed(FailureReason::InsufficientFunds));
        assert_eq!(of(103, "EUR"), failed(FailureReason::ThreeDsFailed));
        assert_eq!(of(104, "EUR"), failed(FailureReason::ProviderError));
        assert_eq!(of(105, "EUR"), Some((Outcome::Paid, AFTER)));
        assert_eq!(of(106, "EUR"), Some((Outcome::Expired, Duration::ZERO)));
        for (minor, code) in [(100, "RUB"), (107, "RUB"), (110, "RUB"), (101, "JPY"), (1_001, "KWD")] {
            assert_eq!(of(minor, code), None, "{minor} {code}");
        }
    }
}
