//! Prices: text and JSON numbers against an independent computation with big integers, and no input that
//! panics (decisions §10, invariant I23).

use proptest::prelude::*;
use std::sync::LazyLock;
use till_domain::money::{Currency, Digits, Price, PriceProblem};
use till_testing::fuzz::text_target;

/// Every accepted currency, found by trying all codes of three letters.
static CURRENCIES: LazyLock<Vec<Currency>> = LazyLock::new(|| {
    let letters = || 'A'..='Z';
    let codes = letters()
        .flat_map(|a| letters().flat_map(move |b| letters().map(move |c| String::from_iter([a, b, c]))));
    codes.filter_map(|code| Currency::parse(&code)).collect()
});

fn with_exponent(exponent: usize) -> Vec<&'static str> {
    CURRENCIES.iter().filter(|c| c.exponent() == exponent).map(|c| c.code()).collect()
}

#[test]
fn minor_units_are_those_of_iso_4217() {
    let none = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
    assert_eq!(with_exponent(0).join(" "), none);
    assert_eq!(with_exponent(3).join(" "), "BHD IQD JOD KWD LYD OMR TND");
    assert_eq!(with_exponent(0).len() + with_exponent(2).len() + with_exponent(3).len(), CURRENCIES.len());
    for code in
        ["USD", "EUR", "RUB", "GBP", "CNY", "INR", "TRY", "KZT", "AED", "MRU", "MGA", "STN", "SLE", "ZWG"]
    {
        assert!(with_exponent(2).contains(&code), "{code} has two digits");
    }
}

/// Any currency; each minor unit is equally likely.
fn any_currency() -> impl Strategy<Value = Currency> {
    prop::sample::select(vec![0, 2, 3]).prop_flat_map(|exponent| {
        let codes = with_exponent(exponent);
        prop::sample::select(codes).prop_map(|code| Currency::parse(code).expect("it is in the list"))
    })
}

fn whole() -> impl Strategy<Value = String> {
    prop_oneof![1 => Just("0".to_owned()), 4 => "[1-9][0-9]{0,11}"]
}

/// A currency with a price text that it accepts.
fn right_price() -> impl Strategy<Value = (Currency, String)> {
    any_currency().prop_flat_map(|currency| {
        let fraction = prop::collection::vec(prop::char::range('0', '9'), 0..=currency.exponent());
        (whole(), fraction).prop_map(move |(whole, fraction)| {
            let point = if fraction.is_empty() { "" } else { "." };
            (currency, format!("{whole}{point}{}", String::from_iter(fraction)))
        })
    })
}

/// The minor units of a plain decimal: its digits without the point, with zeros up to the minor unit.
fn minor_by_padding(text: &str, exponent: usize) -> i128 {
    let decimals = text.find('.').map_or(0, |point| text.len() - point - 1);
    let digits: String =
        text.chars().filter(|c| *c != '.').chain("0".repeat(exponent - decimals).chars()).collect();
    digits.parse().expect("digits")
}

/// Compares a price with digits and minor units computed in another way.
fn check_price(
    digits: Result<Digits, PriceProblem>,
    currency: Currency,
    expected: Result<(String, i128), &str>,
) {
    let price = digits.and_then(|digits| Price::new(digits, currency));
    match (price, expected) {
        (Ok(price), Ok((digits, minor))) => {
            assert_eq!(price.digits(), digits);
            assert_eq!(i128::from(price.money().minor), minor);
            assert_eq!((price.currency(), price.money().currency), (currency, currency));
        }
        (Err(problem), Err(name)) => {
            assert!(format!("{problem:?}").starts_with(name), "{problem:?}, not {name}")
        }
        (price, expected) => panic!("{price:?}, not {expected:?}"),
    }
}

/// The value of a JSON number, computed with integers only: `mantissa` with its point removed, times ten to
/// the power of `scale`.
fn by_big_integers(mantissa: i128, scale: i32, currency: Currency) -> Result<(String, i128), &'static str> {
    let ten_to = |power: i32| 10_i128.pow(power.unsigned_abs());
    if mantissa == 0 {
        return Err("NotPositive");
    }
    let (whole, rest) = if scale < 0 {
        (mantissa / ten_to(scale), mantissa % ten_to(scale))
    } else {
        (mantissa * ten_to(scale), 0)
    };
    if whole >= 1_000_000_000_000 {
        return Err("TooLarge");
    }
    let (decimals, exponent) = (usize::try_from(-scale).unwrap_or(0), currency.exponent());
    if decimals > exponent {
        return Err("TooPrecise");
    }
    let fraction = if decimals == 0 { String::new() } else { format!(".{rest:0decimals$}") };
    let padding = 10_i128.pow(u32::try_from(exponent - decimals).expect("a small number"));
    Ok((format!("{whole}{fraction}"), (whole * 10_i128.pow(decimals as u32) + rest) * padding))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_price_text_reads_as_its_exact_amount_and_comes_back_unchanged((currency, text) in right_price()) {
        let minor = minor_by_padding(&text, currency.exponent());
        let expected = if minor == 0 { Err("NotPositive") } else { Ok((text.clone(), minor)) };
        check_price(Digits::from_text(&text), currency, expected.clone());
        check_price(Digits::from_json_number(&text), currency, expected);
    }

    #[test]
    fn an_amount_shows_as_a_text_that_reads_as_the_same_amount((currency, text) in right_price()) {
        if let Ok(price) = Price::from_text(&text, currency) {
            let shown = price.money().to_string();
            let digits = shown.strip_suffix(&format!(" {currency}")).expect("the currency comes last");
            prop_assert_eq!(Price::from_text(digits, currency).map(|p| p.money()), Ok(price.money()));
        }
    }

    #[test]
    fn one_decimal_too_many_is_refused((currency, text) in right_price(), more in "[0-9]{1,6}") {
        let decimals = text.find('.').map_or(0, |point| text.len() - point - 1);
        let missing = "0".repeat(currency.exponent() - decimals);
        let point = if decimals == 0 { "." } else { "" };
        let text = format!("{text}{point}{missing}{more}");
        let zero = text.bytes().all(|b| b == b'0' || b == b'.');
        check_price(Digits::from_text(&text), currency, Err(if zero { "NotPositive" } else { "TooPrecise" }));
    }

    #[test]
    fn a_json_number_with_an_exponent_is_worth_what_arithmetic_says(
        currency in any_currency(),
        whole in whole(),
        fraction in "[0-9]{0,6}",
        sign in prop::sample::select(vec!["", "+", "-"]),
        exponent in 0_i32..=14,
        letter in prop::sample::select(vec!['e', 'E']),
        zeros in "0{0,2}",
    ) {
        let point = if fraction.is_empty() { "" } else { "." };
        let number = format!("{whole}{point}{fraction}{letter}{sign}{zeros}{exponent}");
        let mantissa: i128 = format!("{whole}{fraction}").parse().expect("digits");
        let exponent = if sign == "-" { -exponent } else { exponent };
        let decimals = i32::try_from(fraction.len()).expect("a small number");
        let expected = by_big_integers(mantissa, exponent - decimals, currency);
        check_price(Digits::from_json_number(&number), currency, expected);
    }
}

/// Parses any text in both ways: neither may panic, and accepted text is plain digits.
fn check_any(text: &str) {
    let plain = |digits: &str| {
        let points = digits.bytes().filter(|b| *b == b'.').count();
        digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') && points <= 1
    };
    if let Ok(digits) = Digits::from_text(text) {
        assert!(plain(text), "{text:?} was accepted");
        assert_eq!(digits.as_str(), text);
    }
    if let Ok(digits) = Digits::from_json_number(text) {
        assert!(plain(digits.as_str()), "{text:?} became {digits:?}");
        assert!(text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b)), "{text:?} was accepted");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_panics_and_only_plain_digits_are_accepted(text in "\\PC{0,40}", any in "(?s).{0,40}") {
        check_any(&text);
        check_any(&any);
    }

    #[test]
    fn no_near_miss_of_a_number_panics(text in "[0-9.eE+\\-]{0,40}", other in "[0-9.,eE+\\- ٣é]{0,12}") {
        check_any(&text);
        check_any(&other);
    }
}

#[test]
fn the_most_extreme_exponents_are_refused() {
    for (number, problem) in [
        ("1e2147483647", PriceProblem::TooLarge),
        ("1e2147483648", PriceProblem::TooLarge),
        ("1e33", PriceProblem::TooLarge),
        ("1e-33", PriceProblem::Malformed),
        ("1e-2147483647", PriceProblem::Malformed),
        ("0e-2147483648", PriceProblem::NotPositive),
    ] {
        assert_eq!(Digits::from_json_number(number), Err(problem), "{number}");
    }
}

#[test]
fn the_smallest_exponent_of_32_bits_is_refused_like_its_neighbours() {
    for number in ["1e-2147483648", "1e-2147483649", "1.5E-2147483648"] {
        assert!(Digits::from_json_number(number).is_err(), "{number}");
    }
}

#[test]
fn a_mantissa_that_is_not_ascii_is_refused() {
    for text in ["éée-1", "１２e-1", "éE-1", "1e٣"] {
        assert!(Digits::from_json_number(text).is_err(), "{text}");
    }
}

#[test]
fn f26_price_text() {
    let seeds = ["1", "49.90", "0.01", "999999999999.999", "1e2", "12.5E-1", "0", "-1", "1_000", "1,50"];
    text_target(&seeds, &["e", "E-", ".", "00000000000000000000", "9999999999999", "2147483648"], |text| {
        check_any(text);
        for currency in ["JPY", "EUR", "KWD"].map(|code| Currency::parse(code).expect("a currency")) {
            for digits in [Digits::from_text(text), Digits::from_json_number(text)] {
                let Ok(price) = digits.and_then(|digits| Price::new(digits, currency)) else { continue };
                assert!(price.money().minor > 0, "{price:?}");
                assert_eq!(
                    i128::from(price.money().minor),
                    minor_by_padding(price.digits(), currency.exponent())
                );
                assert_eq!(Price::from_text(price.digits(), currency), Ok(price), "it reads as itself");
            }
        }
    });
}
