//! `till vendor set --fiscal …`: whether a vendor's sessions have fiscal receipts (54-FZ), and what a receipt says by default.

use super::context::{Context, no_such_vendor};
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use till_domain::{
    fiscal::{FiscalPolicy, FiscalSettings, MAX_ITEMS, PaymentMode, Subject, TaxSystem, Vat},
    id::VendorId,
    time::Timestamp,
};

#[derive(Debug, Args)]
pub struct FiscalArgs {
    /// Fiscal receipts (54-FZ) of payments in roubles: refused, passed on, or required
    #[arg(long, value_name = "off|accept|required")]
    fiscal: Option<String>,
    /// The tax system of receipts that name none: osn, usn_income, usn_income_outcome, esn or patent
    #[arg(long, value_name = "SYSTEM")]
    tax_system: Option<String>,
    /// The VAT rate of the receipt that is made if none was sent, such as none, 22 or 22/122
    #[arg(long, value_name = "RATE")]
    fiscal_vat: Option<String>,
    /// The subject of items that name none [default: commodity]
    #[arg(long, value_name = "SUBJECT")]
    fiscal_subject: Option<String>,
    /// The payment mode of items that name none [default: full_payment]
    #[arg(long, value_name = "MODE")]
    fiscal_mode: Option<String>,
    /// The most items of a receipt, as the vendor's till accepts them [default: 100]
    #[arg(long, value_name = "NUMBER")]
    fiscal_items: Option<String>,
}

/// The settings as they are printed.
#[derive(Serialize)]
pub struct FiscalReport {
    policy: &'static str,
    tax_system: Option<&'static str>,
    vat: Option<&'static str>,
    subject: Option<&'static str>,
    mode: Option<&'static str>,
    max_items: u32,
}

impl From<&FiscalSettings> for FiscalReport {
    fn from(settings: &FiscalSettings) -> Self {
        Self {
            policy: settings.policy.as_str(),
            tax_system: settings.tax_system.map(TaxSystem::as_str),
            vat: settings.vat.map(Vat::as_str),
            subject: settings.subject.map(Subject::as_str),
            mode: settings.mode.map(PaymentMode::as_str),
            max_items: settings.max_items,
        }
    }
}

impl FiscalReport {
    /// The settings in a line: `required, tax system osn, VAT 22`.
    pub fn text(&self) -> String {
        let limit = (self.max_items != MAX_ITEMS).then(|| self.max_items.to_string());
        let named = [
            ("tax system", self.tax_system.map(str::to_owned)),
            ("VAT", self.vat.map(str::to_owned)),
            ("subject", self.subject.map(str::to_owned)),
            ("mode", self.mode.map(str::to_owned)),
            ("items at most", limit),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
        [self.policy.to_owned()].into_iter().chain(named).collect::<Vec<_>>().join(", ")
    }
}

/// The new settings, if an option changes some.
pub async fn change(
    context: &Context,
    id: VendorId,
    args: &FiscalArgs,
) -> anyhow::Result<Option<FiscalSettings>> {
    let FiscalArgs { fiscal, tax_system, fiscal_vat, fiscal_subject, fiscal_mode, fiscal_items } = args;
    let all = [fiscal, tax_system, fiscal_vat, fiscal_subject, fiscal_mode, fiscal_items];
    if all.iter().all(|argument| argument.is_none()) {
        return Ok(None);
    }
    let now = context.accounts.vendor(id).await?.ok_or_else(|| no_such_vendor(id))?.settings.fiscal;
    Ok(Some(FiscalSettings {
        policy: match fiscal {
            None => now.policy,
            Some(word) => one_of("--fiscal", word, FiscalPolicy::WORDS, FiscalPolicy::parse)?,
        },
        tax_system: word("--tax-system", tax_system, now.tax_system, TaxSystem::WORDS, TaxSystem::parse)?,
        vat: word("--fiscal-vat", fiscal_vat, now.vat, Vat::WORDS, Vat::parse)?,
        subject: word("--fiscal-subject", fiscal_subject, now.subject, Subject::WORDS, Subject::parse)?,
        mode: word("--fiscal-mode", fiscal_mode, now.mode, PaymentMode::WORDS, PaymentMode::parse)?,
        max_items: match fiscal_items.as_deref() {
            None => now.max_items,
            Some("") => MAX_ITEMS,
            Some(number) => match number.parse().ok().filter(|number| (1..=MAX_ITEMS).contains(number)) {
                Some(number) => number,
                None => bail!("--fiscal-items must be a whole number from 1 to {MAX_ITEMS}"),
            },
        },
    }))
}

/// The value of an option: as it is now without one, and none if it is empty.
fn word<T>(
    option: &str,
    value: &Option<String>,
    now: Option<T>,
    words: &str,
    parse: fn(&str) -> Option<T>,
) -> anyhow::Result<Option<T>> {
    match value.as_deref() {
        None => Ok(now),
        Some("") => Ok(None),
        Some(word) => one_of(option, word, words, parse).map(Some),
    }
}

fn one_of<T>(option: &str, word: &str, words: &str, parse: fn(&str) -> Option<T>) -> anyhow::Result<T> {
    parse(word).ok_or_else(|| anyhow::anyhow!("{option} must be one of {words}"))
}

/// What may be a mistake in new settings.
pub fn warning(settings: &FiscalSettings, now: Timestamp) -> Option<String> {
    if settings.has_outdated_rate(now) {
        let vat = settings.vat.map_or("", Vat::as_str);
        return Some(format!("; warning: the VAT rate {vat} does not apply to what is sold today"));
    }
    let refuses = settings.policy == FiscalPolicy::Required && settings.vat.is_none();
    refuses.then(|| {
        "; note: without --fiscal-vat, a session in roubles is refused unless it has a receipt".to_owned()
    })
}
