//! Parses the prices of the document: their sources and limits.

use super::{
    super::{
        price::Price,
        setup::{PriceLimits, PriceRules, PriceSource},
    },
    Section, is_web_address,
};
use crate::form::{Rule, SetupProblem};
use std::{cmp::Ordering, time::Duration};
use till_domain::money::Currency;
use toml::Table;

/// The rules for using prices: age, jump and spread.
pub(super) fn rules(section: &mut Section<'_, '_>) -> PriceRules {
    let usual = PriceRules::default();
    let ages = Duration::from_secs(10)..=Duration::from_secs(86_400);
    let max_age = section.duration("price_max_age", Duration::from_secs(usual.max_age), ages).as_secs();
    let mut percent = |key: &str, usual: u32| {
        let written = section.table.contains_key(key).then(|| section.number(key, 1..=1_000));
        written.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual)
    };
    let max_jump = percent("price_max_jump", usual.max_jump);
    PriceRules { max_age, max_jump, max_spread: percent("price_max_spread", usual.max_spread) }
}

/// One `[[price]]` table; `None` unless it has exactly one of `fixed` and `url`.
pub(super) fn price(table: &Table, number: usize, problems: &mut Vec<SetupProblem>) -> Option<PriceSource> {
    let mut section =
        Section { name: format!("Price {number}: "), place: format!("price-{number}-"), table, problems };
    section.keys(&[
        "coin",
        "currency",
        "fixed",
        "url",
        "pointer",
        "time_pointer",
        "min",
        "max",
        "max_unchanged",
    ]);
    let coin = section.text("coin", 12);
    let code = section.text("currency", 12);
    let currency = Currency::parse(&code).map(|currency| currency.code().to_owned());
    if currency.is_none() && !code.is_empty() {
        let text = format!("`currency` is {code:?}: use an ISO 4217 code such as USD");
        let problem = section.new_problem("currency", Rule::Currency, &text).with("name", &code);
        section.problems.push(problem);
    }
    let currency = currency.unwrap_or(code);
    match (table.contains_key("fixed"), table.contains_key("url")) {
        (true, false) => Some(fixed_price(&mut section, coin, currency)),
        (false, true) => Some(json_price(&mut section, coin, currency)),
        (true, true) => {
            section.problem("fixed", Rule::OneSource, "has both `fixed` and `url`: keep one of them");
            None
        }
        (false, false) => {
            section.problem(
                "fixed",
                Rule::OneSource,
                "has neither `fixed` nor `url`: set fixed = \"1\", or url and pointer",
            );
            None
        }
    }
}

fn fixed_price(section: &mut Section<'_, '_>, coin: String, currency: String) -> PriceSource {
    let table = section.table;
    let fetched = ["pointer", "time_pointer", "min", "max", "max_unchanged"];
    for key in fetched.into_iter().filter(|key| table.contains_key(*key)) {
        section.problem(
            key,
            Rule::FetchedOnly,
            &format!("`{key}` cannot be combined with `fixed`: remove one of them"),
        );
    }
    let price = section.text("fixed", 40);
    if Price::parse(&price).is_none() && !price.is_empty() {
        section.problem(
            "fixed",
            Rule::Decimal,
            "`fixed` must be a decimal number above 0 in quotes, such as \"1\" or \"91.93\"",
        );
    }
    PriceSource::Fixed { coin, currency, price }
}

fn json_price(section: &mut Section<'_, '_>, coin: String, currency: String) -> PriceSource {
    let url = section.text("url", 2048);
    if !url.is_empty() && !is_web_address(&url) {
        section.problem(
            "url",
            Rule::WebAddress,
            "`url` must be an address that starts with https:// or http://",
        );
    }
    let pointer = section.pointer("pointer");
    let time_pointer = section.table.contains_key("time_pointer").then(|| section.pointer("time_pointer"));
    let limits = limits(section);
    PriceSource::Json { coin, currency, url, pointer, time_pointer, limits }
}

fn limits(section: &mut Section<'_, '_>) -> PriceLimits {
    let (min, max) = (bound(section, "min"), bound(section, "max"));
    if let (Some(least), Some(most)) = (min, max)
        && least.compare(most) == Ordering::Greater
    {
        section.problem("min", Rule::Bounds, "`min` is above `max`: swap them");
    }
    let allowed = Duration::from_secs(60)..=Duration::from_secs(30 * 86_400);
    let stands = section.table.contains_key("max_unchanged");
    let max_unchanged =
        stands.then(|| section.duration("max_unchanged", Duration::from_secs(3_600), allowed));
    PriceLimits { min, max, max_unchanged }
}

fn bound(section: &mut Section<'_, '_>, key: &str) -> Option<Price> {
    let text = section.table.contains_key(key).then(|| section.text(key, 40))?;
    let price = Price::parse(&text);
    if price.is_none() && !text.is_empty() {
        section.problem(
            key,
            Rule::Decimal,
            &format!("`{key}` must be a decimal number above 0 in quotes, such as \"1500\""),
        );
    }
    price
}
