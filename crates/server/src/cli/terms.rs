//! `till vendor fee` and `till vendor delay`: the terms agreed on with a vendor.

use super::{
    context::{Context, no_such_vendor, vendor_id},
    output::{print, table},
    vendor::report,
};
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use std::time::Duration;
use till_domain::{
    audit::AuditEvent,
    id::VendorId,
    ledger::{Fee, Terms},
    method::Method,
    money::Currency,
};
use till_service::settings;

#[derive(Debug, Args)]
pub struct FeeArgs {
    /// The vendor's id; `till vendor list` lists them
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    id: VendorId,
    /// The payment method: card, sbp or crypto; without it, the fees are listed
    #[arg(long, value_parser = method)]
    method: Option<Method>,
    /// The currency; without it, the fee applies to every currency that has no fee of its own
    #[arg(long, value_parser = currency, value_name = "CODE", requires = "method")]
    currency: Option<Currency>,
    /// The percentage of the payment, such as 2.5; rounded to the nearest minor unit, half up
    #[arg(long, requires = "method")]
    percent: Option<String>,
    /// The fixed amount, such as 10.00
    #[arg(long, value_name = "AMOUNT", requires = "method")]
    fixed: Option<String>,
    /// Refund the fee when a payment is refunded
    #[arg(long, requires = "method")]
    returned: bool,
    /// Remove the fee
    #[arg(long, requires = "method", conflicts_with_all = ["percent", "fixed", "returned"])]
    remove: bool,
}

#[derive(Debug, Args)]
pub struct DelayArgs {
    /// The vendor's id; `till vendor list` lists them
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    id: VendorId,
    /// Time until a payment can be paid out, such as 7d or 0s, or `default` for TILL_SETTLEMENT_DELAY
    #[arg(value_parser = delay, value_name = "DURATION")]
    delay: Delay,
}

/// A vendor's own settlement delay, or `None` for the default.
#[derive(Debug, Clone, Copy)]
struct Delay(Option<Duration>);

fn method(word: &str) -> Result<Method, String> {
    Method::parse(word).ok_or_else(|| "use card, sbp or crypto".to_owned())
}

fn currency(code: &str) -> Result<Currency, String> {
    Currency::parse(code).ok_or_else(|| "use a currency code, such as RUB".to_owned())
}

fn delay(text: &str) -> Result<Delay, String> {
    if text == "default" {
        return Ok(Delay(None));
    }
    let delay = settings::parse_duration(text).filter(|delay| *delay <= Terms::MAX_DELAY);
    let delay =
        delay.ok_or_else(|| "use a duration such as 7d or 0s, at most a year, or default".to_owned())?;
    Ok(Delay(Some(delay)))
}

/// Runs `till vendor fee`.
pub async fn fee(context: &Context, json: bool, args: FeeArgs) -> anyhow::Result<()> {
    let Some(method) = args.method else { return list(context, json, args.id).await };
    let of = args.currency.map_or("every currency".to_owned(), |currency| currency.to_string());
    if args.remove {
        let entry =
            context.entry(AuditEvent::TermsChanged).about(args.id).saying(format!("{method}, {of}: no fee"));
        if !context.accounts.remove_fee(args.id, method, args.currency, &entry).await? {
            bail!("there is no such fee; `till vendor fee {}` lists the fees", args.id);
        }
        return report(json, args.id, true, "fee removed");
    }
    let (percent, fixed) = (args.percent.as_deref(), args.fixed.as_deref());
    if percent.is_none() && fixed.is_none() {
        bail!("nothing to set: add --percent, --fixed or both, or --remove");
    }
    let fee = Fee {
        method,
        currency: args.currency,
        millionths: Fee::parse_percent(percent.unwrap_or("0"))
            .map_err(|p| anyhow::anyhow!("--percent {p}"))?,
        fixed: Fee::parse_fixed(fixed.unwrap_or("0"), args.currency)
            .map_err(|p| anyhow::anyhow!("--fixed {p}"))?,
        returned: args.returned,
    };
    let words = fee.words();
    let entry =
        context.entry(AuditEvent::TermsChanged).about(args.id).saying(format!("{method}, {of}: {words}"));
    let found = context.accounts.set_fee(args.id, &fee, &entry).await?;
    report(json, args.id, found, &format!("the fee for {method} payments in {of} is {words}"))
}

/// Runs `till vendor delay`.
pub async fn set_delay(context: &Context, json: bool, args: DelayArgs) -> anyhow::Result<()> {
    let word = args.delay.0.map_or("as TILL_SETTLEMENT_DELAY says".to_owned(), settings::duration_words);
    let entry =
        context.entry(AuditEvent::TermsChanged).about(args.id).saying(format!("settlement delay: {word}"));
    let found = context.accounts.set_settlement_delay(args.id, args.delay.0, &entry).await?;
    report(json, args.id, found, &format!("payments are pending {word}"))
}

#[derive(Serialize)]
struct TermsRow {
    method: &'static str,
    currency: Option<&'static str>,
    percent: String,
    fixed_minor: i64,
    returned: bool,
    words: String,
}

#[derive(Serialize)]
struct TermsReport {
    vendor_id: String,
    settlement_delay: Option<String>,
    fees: Vec<TermsRow>,
}

async fn list(context: &Context, json: bool, id: VendorId) -> anyhow::Result<()> {
    let vendor = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?;
    let line = |fee: &Fee| TermsRow {
        method: fee.method.as_str(),
        currency: fee.currency.map(Currency::code),
        percent: fee.percent(),
        fixed_minor: fee.fixed,
        returned: fee.returned,
        words: fee.words(),
    };
    let listed = TermsReport {
        vendor_id: id.to_string(),
        settlement_delay: vendor.terms.settlement_delay.map(settings::duration_words),
        fees: vendor.terms.fees.iter().map(line).collect(),
    };
    print(json, &listed, |listed| {
        let delay = listed.settlement_delay.as_deref().unwrap_or("as TILL_SETTLEMENT_DELAY says");
        let delay = format!("payments are pending {delay}");
        if listed.fees.is_empty() {
            return format!("No fees.\n{delay}");
        }
        let row = |line: &TermsRow| {
            let returned = if line.returned { "refunded" } else { "kept" };
            let currency = line.currency.unwrap_or("all others");
            vec![line.method.to_owned(), currency.to_owned(), line.words.clone(), returned.to_owned()]
        };
        let rows: Vec<_> = listed.fees.iter().map(row).collect();
        format!("{}\n{delay}", table(&["method", "currency", "fee", "on a refund"], &rows))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_written_as_it_is_read() {
        for text in ["7d", "36h", "90s", "0ms", "1500ms", "1d"] {
            assert_eq!(settings::duration_words(settings::parse_duration(text).expect("a duration")), text);
        }
        assert!(delay("367d").is_err() && delay("soon").is_err());
        assert!(matches!(
            (delay("default"), delay("0s")),
            (Ok(Delay(None)), Ok(Delay(Some(Duration::ZERO))))
        ));
    }
}
