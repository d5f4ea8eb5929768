//! Amounts and coins in the format of each language.

use super::Words;
use crate::web::language::Language;
use till_domain::{attempt::Quantity, money::Money};

/// A non-breaking space, between a number and its unit.
const NO_BREAK: char = '\u{a0}';

/// An amount in the parts that pages format differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// The whole part, grouped.
    pub whole: String,
    /// The minor units with the decimal mark; empty if the currency has none.
    pub fraction: String,
    /// The symbol or code.
    pub unit: &'static str,
}

impl Amount {
    /// In one text: `4,990.00 RUB`, `4 990,00 ₽`.
    pub fn text(&self) -> String {
        format!("{}{}{NO_BREAK}{}", self.whole, self.fraction, self.unit)
    }
}

/// An amount of a coin.
#[derive(Debug, Clone)]
pub struct Coins {
    /// Plain digits with a point, such as `54.28`; shown with the language's own decimal mark.
    pub amount: String,
    /// The coin, such as `USDC`.
    pub unit: String,
}

impl Words {
    /// An amount, in parts.
    pub fn amount(&self, money: &Money) -> Amount {
        let plain = money.to_string();
        let digits = plain.split(' ').next().unwrap_or_default();
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mark = self.mark();
        let fraction = if fraction.is_empty() { String::new() } else { format!("{mark}{fraction}") };
        Amount { whole: self.grouped(whole), fraction, unit: self.unit(money) }
    }

    /// An amount in one text: `4,990.00 RUB`, `4 990,00 ₽`.
    pub fn money(&self, money: &Money) -> String {
        self.amount(money).text()
    }

    /// A number, grouped, with the decimal mark of the language: `2,490.28`, `2 490,28`.
    pub fn number(&self, digits: &str) -> String {
        match digits.split_once('.') {
            Some((whole, fraction)) => format!("{}{}{fraction}", self.grouped(whole), self.mark()),
            None => self.grouped(digits),
        }
    }

    /// A number that can be typed again: with the decimal mark of the language, not grouped.
    pub fn decimal(&self, digits: &str) -> String {
        digits.replacen('.', self.mark(), 1)
    }

    /// An amount in a provider's own unit, in the same format as [`Self::money`].
    pub fn quantity(&self, quantity: &Quantity) -> String {
        format!("{}{NO_BREAK}{}", self.number(&quantity.digits()), self.sign_of(&quantity.unit))
    }

    /// An amount of a coin.
    pub fn coins(&self, coins: &Coins) -> String {
        format!("{}{NO_BREAK}{}", self.number(&coins.amount), coins.unit)
    }

    /// The price of a coin: `1 USDC = 91.93 RUB`.
    pub fn rate(&self, unit: &str, price: &str, money: &Money) -> String {
        let price = format!("{}{NO_BREAK}{}", self.number(price), self.unit(money));
        self.with_two("rate-line", ("unit", unit), ("price", &price))
    }

    fn mark(&self) -> &'static str {
        match self.language {
            Language::English => ".",
            Language::Russian => ",",
        }
    }

    /// Russian pages use the sign of the ruble; every other currency keeps its unambiguous code.
    fn unit(&self, money: &Money) -> &'static str {
        self.sign_of(money.currency.code())
    }

    fn sign_of<'a>(&self, code: &'a str) -> &'a str {
        match (self.language, code) {
            (Language::Russian, "RUB") => "₽",
            (_, code) => code,
        }
    }

    fn grouped(&self, whole: &str) -> String {
        let group = match self.language {
            Language::English => ',',
            Language::Russian => NO_BREAK,
        };
        let mut grouped = String::new();
        for (place, digit) in whole.chars().enumerate() {
            let after = whole.len() - place;
            if place > 0 && after.is_multiple_of(3) && !grouped.ends_with('-') {
                grouped.push(group);
            }
            grouped.push(digit);
        }
        grouped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::money::Currency;

    #[test]
    fn money_looks_the_same_as_a_price_and_as_what_a_provider_received() {
        let price = Money { minor: 249_000, currency: Currency::parse("RUB").expect("a currency") };
        for (language, text) in
            [(Language::English, "2,490.00\u{a0}RUB"), (Language::Russian, "2\u{a0}490,00\u{a0}₽")]
        {
            let t = Words { language };
            assert_eq!(t.money(&price), text);
            assert_eq!(t.quantity(&price.into()), text);
        }
        let coins = Quantity { atoms: 54_280_000, decimals: 6, unit: "USDC".to_owned() };
        assert_eq!(Words { language: Language::Russian }.quantity(&coins), "54,28\u{a0}USDC");
        let typed =
            [Language::English, Language::Russian].map(|language| Words { language }.decimal("1125.5"));
        assert_eq!(typed, ["1125.5", "1125,5"]);
    }
}
