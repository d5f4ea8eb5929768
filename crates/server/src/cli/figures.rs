//! `till figures`: how many sessions ended how, and what they were worth, day by day.

use super::{
    Common,
    context::{Context, EnvironmentOption, block_on, require_vendor, vendor_id},
    output::{print, table},
};
use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use std::{collections::BTreeMap, process::ExitCode, time::Duration};
use till_domain::{
    environment::EnvironmentName, id::VendorId, money::Money, session::Outcome, time::TimeZone,
};
use till_store::{Figure, Span};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Args)]
pub struct FiguresOptions {
    #[command(flatten)]
    place: EnvironmentOption,
    /// Only sessions of this vendor
    #[arg(long, value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: Option<VendorId>,
    /// The number of days in UTC
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=366))]
    days: u32,
    /// The last of these days, such as 2026-11-15 [default: today]
    #[arg(long, value_name = "DAY")]
    to: Option<String>,
}

/// Runs `till figures`.
pub fn run(common: &Common, options: &FiguresOptions) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let context = Context::open(common).await?;
        let environment = EnvironmentName::from(options.place.env);
        let store = context.store(environment);
        let zone = TimeZone::utc();
        let last = options.to.clone().unwrap_or_else(|| zone.day_of(store.now()));
        let until = zone.day_end(&last);
        let until = until.with_context(|| format!("--to is {last:?}: use a day such as 2026-11-15"))?;
        let span = Span { since: Some(until.minus(DAY * options.days)), until: Some(until) };
        let found = match options.vendor {
            Some(vendor) => {
                require_vendor(&context.accounts, vendor).await?;
                store.figures(vendor, span).await?
            }
            None => store.total_figures(span).await?,
        };
        let rows = rows(&found, environment);
        print(common.json, &rows, |rows| text(rows))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The sessions of one day, method and currency that ended.
#[derive(Serialize, Clone)]
struct FigureRow {
    day: String,
    method: &'static str,
    currency: &'static str,
    paid: i64,
    failed: i64,
    expired: i64,
    /// The worth of the paid ones; nothing in the sandbox, which has no money.
    volume: Option<String>,
}

fn rows(figures: &[Figure], environment: EnvironmentName) -> Vec<FigureRow> {
    let zone = TimeZone::utc();
    let mut days: BTreeMap<(String, &'static str, &'static str), (FigureRow, i64)> = BTreeMap::new();
    for figure in figures {
        let (day, method, currency) = (zone.day_of(figure.at), figure.method.as_str(), figure.currency);
        let blank = || FigureRow {
            day: day.clone(),
            method,
            currency: currency.code(),
            paid: 0,
            failed: 0,
            expired: 0,
            volume: None,
        };
        let (row, minor) = days.entry((day.clone(), method, currency.code())).or_insert_with(|| (blank(), 0));
        match figure.outcome {
            Outcome::Paid => {
                row.paid += figure.count;
                *minor = minor.saturating_add(figure.minor);
            }
            Outcome::Failed(_) => row.failed += figure.count,
            Outcome::Expired => row.expired += figure.count,
        }
        if environment == EnvironmentName::Live {
            row.volume = Some(Money { minor: *minor, currency }.digits());
        }
    }
    days.into_values().map(|(row, _)| row).collect()
}

fn text(rows: &[FigureRow]) -> String {
    if rows.is_empty() {
        return "No sessions ended in these days.".to_owned();
    }
    let row = |row: &FigureRow| {
        let FigureRow { day, method, currency, paid, failed, expired, volume } = row.clone();
        let counts = [paid, failed, expired].map(|count| count.to_string());
        let [paid, failed, expired] = counts;
        let volume = volume.unwrap_or_else(|| "-".to_owned());
        vec![day, method.to_owned(), paid, failed, expired, volume, currency.to_owned()]
    };
    let head = ["day", "method", "paid", "failed", "expired", "volume", "currency"];
    table(&head, &rows.iter().map(row).collect::<Vec<_>>())
}
