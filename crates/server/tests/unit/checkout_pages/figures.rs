//! Amounts, coins and clocks in both languages.

use super::fixture::money;
use crate::checkout::pages::{Coins, Countdown, Language};
use std::time::Duration;
use till_domain::{text::masked_email, time::Timestamp};
use till_service::web::words::Amount;
use till_service::web::words::Words;

const ENGLISH: Words = Words { language: Language::English };
const RUSSIAN: Words = Words { language: Language::Russian };

#[test]
fn amounts_are_written_as_each_language_does() {
    for (minor, code, english, russian) in [
        (499_000, "RUB", "4,990.00 RUB", "4 990,00 ₽"),
        (5, "RUB", "0.05 RUB", "0,05 ₽"),
        (100, "USD", "1.00 USD", "1,00 USD"),
        (99_999, "EUR", "999.99 EUR", "999,99 EUR"),
        (500, "JPY", "500 JPY", "500 JPY"),
        (1_234_567, "JPY", "1,234,567 JPY", "1 234 567 JPY"),
        (1_234, "KWD", "1.234 KWD", "1,234 KWD"),
        (1_234_567, "KWD", "1,234.567 KWD", "1 234,567 KWD"),
        (99_999_999_999_999, "RUB", "999,999,999,999.99 RUB", "999 999 999 999,99 ₽"),
        (-123_456, "USD", "-1,234.56 USD", "-1 234,56 USD"),
    ] {
        let no_break = |text: &str| text.replace(' ', "\u{a0}");
        assert_eq!(ENGLISH.money(&money(minor, code)), no_break(english));
        assert_eq!(RUSSIAN.money(&money(minor, code)), no_break(russian));
    }
}

#[test]
fn the_parts_of_an_amount_make_the_whole() {
    let Amount { whole, fraction, unit } = RUSSIAN.amount(&money(499_000, "RUB"));
    assert_eq!((whole.as_str(), fraction.as_str(), unit), ("4\u{a0}990", ",00", "₽"));
    let Amount { whole, fraction, unit } = ENGLISH.amount(&money(500, "JPY"));
    assert_eq!((whole.as_str(), fraction.as_str(), unit), ("500", "", "JPY"));
}

#[test]
fn coins_keep_their_digits() {
    let coins = |amount: &str| Coins { amount: amount.to_owned(), unit: "USDC".to_owned() };
    assert_eq!(ENGLISH.coins(&coins("54.280000")), "54.280000\u{a0}USDC");
    assert_eq!(RUSSIAN.coins(&coins("54.28")), "54,28\u{a0}USDC");
    assert_eq!(RUSSIAN.rate("USDC", "91.93", &money(1, "RUB")), "1 USDC = 91,93\u{a0}₽");
}

#[test]
fn a_clock_rounds_up_and_never_shows_more_than_all() {
    let face = |left_ms, total| {
        let (left, total) = (Duration::from_millis(left_ms), Duration::from_secs(total));
        Countdown { left, total, ends_at: Timestamp::from_ms(0) }.face()
    };
    assert_eq!(face(863_000, 900).text, "14:23");
    assert_eq!(face(862_001, 900).text, "14:23");
    assert_eq!(face(3_600_000, 3_600).text, "60:00");
    assert_eq!((face(0, 900).text.as_str(), face(0, 900).late), ("00:00", true));
    assert!(face(60_000, 900).late && !face(60_001, 900).late);
    assert_eq!(face(10_000, 0).total, 10);
}

#[test]
fn minutes_agree_with_their_number() {
    for (count, expected) in
        [(1, "1\u{a0}минуту"), (3, "3\u{a0}минуты"), (15, "15\u{a0}минут"), (21, "21\u{a0}минуту")]
    {
        let text = RUSSIAN.count("expired", &count);
        assert!(text.contains(&format!("За {expected} оплата")), "{text}");
    }
    assert!(ENGLISH.count("outcome-expire-hint", &1).contains("1\u{a0}minute."));
    assert!(ENGLISH.count("outcome-expire-hint", &15).contains("15\u{a0}minutes."));
}

#[test]
fn an_e_mail_address_is_masked() {
    for (email, expected) in [
        ("anna@mail.example", "a•••@mail.example"),
        ("я@почта.рф", "я•••@почта.рф"),
        ("a@b@c.example", "a•••@c.example"),
        ("@mail.example", "•••@mail.example"),
        ("nonsense", "•••"),
        ("", "•••"),
    ] {
        assert_eq!(masked_email(email), expected);
    }
}
