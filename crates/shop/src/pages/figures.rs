//! Amounts and times, formatted as each language writes them.

use super::{Language, Words};
use jiff::Timestamp;

/// The no-break space, which keeps a number and its unit on one line.
const NO_BREAK: char = '\u{a0}';

const ENGLISH: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"];
const RUSSIAN: [&str; 12] = [
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
];

/// An amount, split into the parts that pages show differently.
#[derive(Debug)]
pub struct Amount {
    /// The whole part, grouped.
    pub whole: String,
    /// The minor units with their decimal mark.
    pub fraction: String,
    /// The currency's sign or code.
    pub unit: String,
}

#[derive(Debug)]
pub struct Moment {
    /// RFC 3339.
    pub exact: String,
    /// The day and the time.
    pub text: String,
    /// The time alone, to the second.
    pub time: String,
}

impl Words {
    /// Formats an amount.
    pub fn amount(&self, price: &str, currency: &str) -> Amount {
        let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
        let (group, mark) = match self.language {
            Language::English => (',', '.'),
            Language::Russian => (NO_BREAK, ','),
        };
        let mut grouped = String::new();
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place).is_multiple_of(3) {
                grouped.push(group);
            }
            grouped.push(digit);
        }
        let unit = match (self.language, currency) {
            (Language::Russian, "RUB") => "₽",
            (_, code) => code,
        };
        let fraction = if fraction.is_empty() { String::new() } else { format!("{mark}{fraction}") };
        Amount { whole: grouped, fraction, unit: unit.to_owned() }
    }

    /// Formats a time, in UTC.
    pub fn moment(&self, at_ms: &i64) -> Moment {
        let exact = Timestamp::from_millisecond(*at_ms).unwrap_or_default().to_string();
        // Always `2026-11-14T18:34:05…Z`.
        let part = |from: usize, to: usize| exact.get(from..to).unwrap_or_default();
        let number = |from, to| part(from, to).parse::<usize>().unwrap_or(1);
        let (year, time, day, month) = (part(0, 4), part(11, 16), number(8, 10), number(5, 7));
        let name = |names: [&'static str; 12]| names.get(month.wrapping_sub(1)).copied().unwrap_or_default();
        let text = match self.language {
            Language::English => format!("{day} {} {year}, {time} UTC", name(ENGLISH)),
            Language::Russian => format!("{day} {} {year}{NO_BREAK}г. в {time} UTC", name(RUSSIAN)),
        };
        Moment { text, time: part(11, 19).to_owned(), exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_the_language() {
        let (english, russian) = (Words::new(Language::English), Words::new(Language::Russian));
        let text = |words: &Words, price, currency| {
            let Amount { whole, fraction, unit } = words.amount(price, currency);
            format!("{whole}{fraction} {unit}")
        };
        assert_eq!(text(&english, "4990.00", "RUB"), "4,990.00 RUB");
        assert_eq!(text(&russian, "4990.00", "RUB"), "4\u{a0}990,00 ₽");
        assert_eq!(text(&russian, "54.90", "USD"), "54,90 USD");
        assert_eq!(english.moment(&1_794_735_090_123).text, "15 Nov 2026, 09:31 UTC");
        assert_eq!(russian.moment(&1_794_735_090_123).text, "15 ноября 2026\u{a0}г. в 09:31 UTC");
        assert_eq!(english.moment(&1_794_735_090_123).time, "09:31:30");
    }
}
