//! The fixed rates of the simulated coin: plausible, and the same on every day.

use till_domain::{
    attempt::Quantity,
    money::{Currency, Money},
};

/// The simulated coin, with six decimal places like the real one of this name.
pub(super) const COIN: &str = "USDC";
const PLACES: u8 = 6;

/// The price of one coin in thousandths of each currency's unit. The coin is offered in these currencies.
const PRICES: [(&str, u32); 27] = [
    ("AED", 3_673),
    ("AMD", 388_000),
    ("AUD", 1_520),
    ("BRL", 5_600),
    ("BYN", 3_270),
    ("CAD", 1_380),
    ("CHF", 880),
    ("CNY", 7_240),
    ("CZK", 23_300),
    ("DKK", 6_860),
    ("EUR", 920),
    ("GBP", 790),
    ("GEL", 2_720),
    ("HUF", 362_000),
    ("INR", 84_100),
    ("JPY", 151_400),
    ("KGS", 86_000),
    ("KWD", 307),
    ("KZT", 480_000),
    ("NOK", 10_900),
    ("PLN", 3_980),
    ("RUB", 91_930),
    ("SEK", 10_600),
    ("TRY", 34_200),
    ("UAH", 41_300),
    ("USD", 1_000),
    ("UZS", 12_780_000),
];

/// The currencies in which the coin is offered.
pub(super) fn currencies() -> Vec<Currency> {
    PRICES.iter().filter_map(|(code, _)| Currency::parse(code)).collect()
}

fn price(currency: Currency) -> Option<u128> {
    let known = PRICES.iter().find(|(code, _)| *code == currency.code());
    known.map(|(_, thousandths)| u128::from(*thousandths))
}

/// The price of one coin in a currency, for people: `91.93`.
pub(super) fn rate(currency: Currency) -> Option<String> {
    let unit = currency.code().to_owned();
    Some(Quantity { atoms: price(currency)?, decimals: 3, unit }.digits())
}

/// The coins that are worth this, rounded up to hundredths of a coin. Without a rate, one coin for one unit.
pub(super) fn coins(amount: Money) -> Quantity {
    let minor = u128::from(amount.minor.unsigned_abs());
    let unit = 10_u128.pow(u32::try_from(amount.currency.exponent()).unwrap_or(0));
    let hundredths = (minor * 100_000).div_ceil(price(amount.currency).unwrap_or(1_000) * unit);
    Quantity {
        atoms: hundredths * 10_u128.pow(u32::from(PLACES) - 2),
        decimals: PLACES,
        unit: COIN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_worth_a_plausible_number_of_coins_whatever_the_currency() {
        for (code, minor, coins_due, rate_shown) in [
            ("RUB", 249_000, "27.09", Some("91.93")),
            ("USD", 4_990, "49.90", Some("1.00")),
            ("JPY", 350, "2.32", Some("151.40")),
            ("KWD", 1_234, "4.02", Some("0.307")),
            ("EUR", 1, "0.02", Some("0.92")),
            ("TND", 1_234, "1.24", None),
        ] {
            let currency = Currency::parse(code).expect("a currency");
            assert_eq!(coins(Money { minor, currency }).digits(), coins_due, "{code}");
            assert_eq!(rate(currency).as_deref(), rate_shown, "{code}");
        }
    }
}
