//! Exact money: integers in minor units with a currency, and the vendor's own digits to echo them unchanged.
//!
//! The only place where text becomes an amount and an amount becomes text. There is no float here or anywhere
//! near it; a tidy test enforces that.

use std::fmt;

/// Maximum digits of a price before the decimal point.
pub const MAX_INTEGER_DIGITS: usize = 12;

/// A JSON number may have an exponent; one beyond this is outside the range of any price.
const MAX_EXPONENT: u32 = 32;

/// An active ISO 4217 currency with a minor unit: no funds, metals or test codes, no withdrawn ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(iso_currency::Currency);

impl Currency {
    /// Parses an alphabetic code in any case.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let is_alphabetic = code.len() == 3 && code.bytes().all(|b| b.is_ascii_alphabetic());
        if !is_alphabetic {
            return None;
        }
        let currency = iso_currency::Currency::from_code(&code.to_ascii_uppercase())?;
        currency.exponent()?;
        // The table calls VES superseded by VED; ISO 4217 lists both as active.
        let active = currency.flags().is_empty() || currency == iso_currency::Currency::VES;
        active.then_some(Self(currency))
    }

    /// Reads a stored code. A currency that was withdrawn since stays readable.
    #[must_use]
    pub fn from_stored(code: &str) -> Option<Self> {
        iso_currency::Currency::from_code(code).filter(|c| c.exponent().is_some()).map(Self)
    }

    #[must_use]
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// Digits of the minor unit: 0 for JPY, 2 for USD, 3 for KWD.
    #[must_use]
    pub fn exponent(self) -> usize {
        self.0.exponent().map_or(0, usize::from)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An amount of one currency, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    /// Whole minor units: cents, kopecks, fils.
    pub minor: i64,
    pub currency: Currency,
}

impl Money {
    /// The amount without its currency, with as many decimals as the currency has.
    #[must_use]
    pub fn digits(&self) -> String {
        let places = self.currency.exponent();
        let sign = if self.minor < 0 { "-" } else { "" };
        let digits = format!("{:0width$}", self.minor.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let point = if places > 0 { "." } else { "" };
        format!("{sign}{whole}{point}{fraction}")
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.digits(), self.currency)
    }
}

/// A validation error of a price.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceProblem {
    /// Not `digits` or `digits.digits`.
    #[error(
        "price must be a decimal such as 49.90: digits and at most one point; no sign, spaces, leading zeros \
         or exponent"
    )]
    Malformed,
    #[error("price must be greater than 0")]
    NotPositive,
    /// Over [`MAX_INTEGER_DIGITS`].
    #[error("price may have at most {MAX_INTEGER_DIGITS} digits before the point")]
    TooLarge,
    /// More decimals than the currency has.
    #[error("price has {decimals} decimals but {currency} allows {allowed}")]
    TooPrecise {
        decimals: usize,
        /// Decimals of the currency.
        allowed: usize,
        currency: Currency,
    },
}

/// Plain decimal digits of a positive number, as written: `100`, `49.90`, `0.5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digits(String);

/// An amount as a person types it, with the decimal mark of any language and spaces between thousands, in
/// plain digits with a point. What is no amount stays as it is, and is refused with its own words; so is a
/// comma before three digits, which may mean a thousand.
#[must_use]
pub fn plain_digits(typed: &str) -> String {
    let plain: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
    match plain.split_once(',') {
        Some((whole, fraction))
            if fraction.len() != 3 && !fraction.contains([',', '.']) && !whole.contains('.') =>
        {
            format!("{whole}.{fraction}")
        }
        _ => plain,
    }
}

/// Signs of currencies that people type instead of a code.
const SIGNS: [(char, &str); 4] = [('₽', "RUB"), ('€', "EUR"), ('$', "USD"), ('£', "GBP")];

/// The amounts that a person may mean who searches for one: `2490`, `2,490.00`, `2 490,00 RUB`, `₽2490`. One mark
/// before three digits may be a decimal mark or may part thousands, so it is read both ways.
#[must_use]
pub fn sought_amounts(typed: &str) -> (Vec<Digits>, Option<Currency>) {
    let mut text: String = typed.chars().filter(|c| !c.is_whitespace() && *c != '\'').collect();
    let mut currency = None;
    for (sign, code) in SIGNS {
        if text.contains(sign) {
            text = text.replace(sign, "");
            currency = Currency::parse(code);
        }
    }
    let is_code = |c: char| c.is_ascii_alphabetic();
    let code: String = text.chars().filter(|c| is_code(*c)).collect();
    if !code.is_empty() && currency.is_none() {
        let rest = text.trim_start_matches(is_code).trim_end_matches(is_code).to_owned();
        currency = Currency::parse(&code);
        text = if currency.is_some() { rest } else { text };
    }
    let numbers = readings(&text).into_iter();
    (numbers.filter_map(|number| Digits::from_text(&number).ok()).collect(), currency)
}

/// The plain digits that a number with marks may stand for.
fn readings(text: &str) -> Vec<String> {
    let marks: Vec<char> = text.chars().filter(|c| matches!(c, ',' | '.')).collect();
    let whole = || text.replace([',', '.'], "");
    let decimal = || match text.rsplit_once([',', '.']) {
        Some((whole, fraction)) => format!("{}.{fraction}", whole.replace([',', '.'], "")),
        None => text.to_owned(),
    };
    let after_mark = text.rsplit([',', '.']).next().map_or(0, str::len);
    match marks.as_slice() {
        [] => vec![text.to_owned()],
        [_] if after_mark == 3 => vec![whole(), decimal()],
        [_] => vec![decimal()],
        [first, .., last] if first == last => vec![whole()],
        _ => vec![decimal()],
    }
}

impl Digits {
    /// The amount in minor units of a currency with so many decimals, if it has no more of them.
    #[must_use]
    pub fn minor(&self, decimals: usize) -> Option<i64> {
        let (whole, fraction) = self.0.split_once('.').unwrap_or((&self.0, ""));
        let fits = fraction.len() <= decimals;
        fits.then(|| format!("{whole}{fraction:0<decimals$}").parse().ok()).flatten()
    }

    /// Parses a price given as a string.
    pub fn from_text(text: &str) -> Result<Self, PriceProblem> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return Err(PriceProblem::Malformed),
            Some((whole, fraction)) => (whole, fraction),
            None => (text, ""),
        };
        let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return Err(PriceProblem::Malformed);
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(PriceProblem::Malformed);
        }
        if text.bytes().all(|b| b == b'0' || b == b'.') {
            return Err(PriceProblem::NotPositive);
        }
        if whole.len() > MAX_INTEGER_DIGITS {
            return Err(PriceProblem::TooLarge);
        }
        Ok(Self(text.to_owned()))
    }

    /// Parses a price given as a JSON number, expanding an exponent: `1e2` becomes `100`.
    pub fn from_json_number(text: &str) -> Result<Self, PriceProblem> {
        if text.starts_with('-') {
            return Err(PriceProblem::NotPositive);
        }
        let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
            return Self::from_text(text);
        };
        let plain = mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if !plain || mantissa.bytes().filter(|b| *b == b'.').count() > 1 {
            return Err(PriceProblem::Malformed);
        }
        if mantissa.bytes().all(|b| b == b'0' || b == b'.') {
            return Err(PriceProblem::NotPositive);
        }
        let exponent: i32 = exponent.parse().map_err(|_| PriceProblem::TooLarge)?;
        if exponent.unsigned_abs() > MAX_EXPONENT {
            return Err(if exponent > 0 { PriceProblem::TooLarge } else { PriceProblem::Malformed });
        }
        Self::from_text(&shift_point(mantissa, exponent))
    }

    /// The digits, as they are echoed to the vendor.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Moves the point of `mantissa` by `exponent` places and drops leading zeros.
fn shift_point(mantissa: &str, exponent: i32) -> String {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{whole}{fraction}");
    let mut point = i32::try_from(whole.len()).unwrap_or(i32::MAX).saturating_add(exponent);
    while point < 1 {
        digits.insert(0, '0');
        point += 1;
    }
    let point = usize::try_from(point).unwrap_or(0);
    while digits.len() < point {
        digits.push('0');
    }
    let (whole, fraction) = digits.split_at(point);
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The price of an item: the amount, and the vendor's own digits to echo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    money: Money,
    digits: Digits,
}

impl Price {
    /// The price with these digits in this currency.
    pub fn new(digits: Digits, currency: Currency) -> Result<Self, PriceProblem> {
        let (whole, fraction) = digits.0.split_once('.').unwrap_or((&digits.0, ""));
        let allowed = currency.exponent();
        if fraction.len() > allowed {
            return Err(PriceProblem::TooPrecise { decimals: fraction.len(), allowed, currency });
        }
        let padded = format!("{whole}{fraction:0<allowed$}");
        // 12 integer digits and at most 4 of a minor unit: always within 64 bits.
        let minor = padded.parse().map_err(|_| PriceProblem::TooLarge)?;
        Ok(Self { money: Money { minor, currency }, digits })
    }

    /// Parses digits that come from a store or a file.
    pub fn from_text(digits: &str, currency: Currency) -> Result<Self, PriceProblem> {
        Self::new(Digits::from_text(digits)?, currency)
    }

    #[must_use]
    pub fn money(&self) -> Money {
        self.money
    }

    /// The vendor's own digits.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.digits.as_str()
    }

    #[must_use]
    pub fn currency(&self) -> Currency {
        self.money.currency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(price: &str, currency: &str) -> String {
        show(Digits::from_text(price), currency)
    }

    fn number(price: &str, currency: &str) -> String {
        show(Digits::from_json_number(price), currency)
    }

    fn show(digits: Result<Digits, PriceProblem>, currency: &str) -> String {
        let currency = Currency::parse(currency).expect("a currency of the table");
        match digits.and_then(|d| Price::new(d, currency)) {
            Ok(price) => format!("{} = {}", price.digits(), price.money().minor),
            Err(problem) => format!("{problem:?}").split([' ', '{']).next().unwrap_or("").to_owned(),
        }
    }

    #[test]
    fn m8_people_type_amounts_with_a_comma_or_a_point() {
        for (typed, plain) in [
            ("10.50", "10.50"),
            ("10,50", "10.50"),
            (" 4 990,00 ", "4990.00"),
            ("4\u{a0}990", "4990"),
            ("1,234", "1,234"),
            ("1,234.50", "1,234.50"),
            ("1.234,50", "1.234,50"),
            ("1,2,3", "1,2,3"),
            ("", ""),
        ] {
            assert_eq!(plain_digits(typed), plain, "{typed:?}");
        }
    }

    #[test]
    fn an_amount_is_sought_however_it_is_typed() {
        for (typed, numbers, currency) in [
            ("2490", "2490", ""),
            ("2490.5", "2490.5", ""),
            ("2,490.00", "2490.00", ""),
            ("2 490,00 RUB", "2490.00", "RUB"),
            ("2\u{a0}490,00\u{a0}₽", "2490.00", "RUB"),
            ("rub 2490", "2490", "RUB"),
            ("$1,234,567.89", "1234567.89", "USD"),
            ("1.234.567,89 €", "1234567.89", "EUR"),
            ("1'234.50", "1234.50", ""),
            ("1,234,567", "1234567", ""),
            ("2,490", "2490 2.490", ""),
            ("1.234 KWD", "1234 1.234", "KWD"),
            ("A-2490", "", ""),
            ("2490 apples", "", ""),
            ("0", "", ""),
            ("", "", ""),
        ] {
            let (found, unit) = sought_amounts(typed);
            let found: Vec<_> = found.iter().map(Digits::as_str).collect();
            assert_eq!(
                (found.join(" "), unit.map_or("", Currency::code)),
                (numbers.to_owned(), currency),
                "{typed}"
            );
        }
        let digits = Digits::from_text("24.9").expect("digits");
        assert_eq!([0, 2, 3].map(|decimals| digits.minor(decimals)), [None, Some(2_490), Some(24_900)]);
    }

    #[test]
    fn a_price_text_is_plain_digits_with_at_most_one_point() {
        for (input, currency, expected) in [
            ("100", "USD", "100 = 10000"),
            ("49.90", "USD", "49.90 = 4990"),
            ("49.9", "USD", "49.9 = 4990"),
            ("0.50", "USD", "0.50 = 50"),
            ("0.01", "USD", "0.01 = 1"),
            ("1", "JPY", "1 = 1"),
            ("1.00", "JPY", "TooPrecise"),
            ("1.234", "KWD", "1.234 = 1234"),
            ("1.2345", "KWD", "TooPrecise"),
            ("1.005", "USD", "TooPrecise"),
            ("999999999999.99", "USD", "999999999999.99 = 99999999999999"),
            ("1000000000000", "USD", "TooLarge"),
            ("0", "USD", "NotPositive"),
            ("0.00", "USD", "NotPositive"),
            ("-1", "USD", "Malformed"),
            ("+1", "USD", "Malformed"),
            (" 1", "USD", "Malformed"),
            ("1 ", "USD", "Malformed"),
            ("01", "USD", "Malformed"),
            ("00.5", "USD", "Malformed"),
            (".5", "USD", "Malformed"),
            ("5.", "USD", "Malformed"),
            ("1.2.3", "USD", "Malformed"),
            ("1e2", "USD", "Malformed"),
            ("1,5", "USD", "Malformed"),
            ("１２", "USD", "Malformed"),
            ("NaN", "USD", "Malformed"),
            ("", "USD", "Malformed"),
            ("0x10", "USD", "Malformed"),
        ] {
            assert_eq!(text(input, currency), expected, "{input:?} {currency}");
        }
    }

    #[test]
    fn a_json_number_is_written_out_digit_for_digit() {
        for (input, currency, expected) in [
            ("100", "USD", "100 = 10000"),
            ("49.90", "USD", "49.90 = 4990"),
            ("1e2", "USD", "100 = 10000"),
            ("1E+2", "USD", "100 = 10000"),
            ("4.990e1", "USD", "49.90 = 4990"),
            ("150e-1", "USD", "15.0 = 1500"),
            ("1e-2", "USD", "0.01 = 1"),
            ("5e-1", "JPY", "TooPrecise"),
            ("100e-2", "JPY", "TooPrecise"),
            ("0.5e1", "JPY", "5 = 5"),
            ("0.05e1", "USD", "0.5 = 50"),
            ("1e999999", "USD", "TooLarge"),
            ("1e99999999999", "USD", "TooLarge"),
            ("1e-999999", "USD", "Malformed"),
            ("0e5", "USD", "NotPositive"),
            ("-1", "USD", "NotPositive"),
            ("-0", "USD", "NotPositive"),
            ("0.0", "USD", "NotPositive"),
            ("123456789012345678901234567890", "USD", "TooLarge"),
        ] {
            assert_eq!(number(input, currency), expected, "{input} {currency}");
        }
    }

    #[test]
    fn currencies_are_active_iso_4217_codes_with_a_minor_unit() {
        for (code, exponent) in [
            ("USD", 2),
            ("usd", 2),
            ("rUb", 2),
            ("JPY", 0),
            ("KWD", 3),
            ("VES", 2),
            ("VED", 2),
            ("XCG", 2),
            ("ISK", 0),
        ] {
            let currency = Currency::parse(code).unwrap_or_else(|| panic!("{code} is active"));
            assert_eq!(currency.exponent(), exponent, "{code}");
            assert_eq!(currency.code(), code.to_ascii_uppercase());
        }
        for code in [
            "XXX",
            "XAU",
            "XTS",
            "CLF",
            "XDR",
            "UYW",
            "BOV",
            "HRK",
            "BGN",
            "ZWL",
            "ABC",
            "US",
            "USDT",
            "",
            "840",
            "ＵＳＤ",
            "U D",
        ] {
            assert_eq!(Currency::parse(code), None, "{code} is refused");
        }
    }

    #[test]
    fn amounts_show_the_digits_of_their_currency() {
        let check = |minor, code, expected: &str| {
            let currency = Currency::parse(code).expect("a currency of the table");
            assert_eq!(Money { minor, currency }.to_string(), expected);
        };
        check(4_990, "USD", "49.90 USD");
        check(5, "USD", "0.05 USD");
        check(5, "JPY", "5 JPY");
        check(-1_234, "KWD", "-1.234 KWD");
    }
}
