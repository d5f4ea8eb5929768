//! A vendor's settings for fiscal receipts in a line: as the audit log stores them, and as a reader sees them.

use till_domain::fiscal::{FiscalPolicy, FiscalSettings, MAX_ITEMS, PaymentMode, Subject, TaxSystem, Vat};
use till_service::web::words::Words;

/// The line for the audit log, which [`parse`] reads.
pub fn stored_line(settings: &FiscalSettings) -> String {
    let FiscalSettings { policy, tax_system, vat, subject, mode, max_items } = settings;
    let named = [
        ("tax system", tax_system.map(TaxSystem::as_str)),
        ("VAT", vat.map(Vat::as_str)),
        ("subject", subject.map(Subject::as_str)),
        ("mode", mode.map(PaymentMode::as_str)),
    ];
    let named = named.into_iter().filter_map(|(name, value)| Some(format!(", {name} {}", value?)));
    format!("{}{}, at most {max_items} items", policy.as_str(), named.collect::<String>())
}

/// The settings of a line, as this service or `till vendor set` wrote it; `None` if a part is not recognized.
pub fn parse(line: &str) -> Option<FiscalSettings> {
    let mut parts = line.split(", ");
    let policy = FiscalPolicy::parse(parts.next()?)?;
    let mut settings = FiscalSettings { policy, ..FiscalSettings::default() };
    for part in parts {
        if let Some(word) = part.strip_prefix("tax system ") {
            settings.tax_system = Some(TaxSystem::parse(word)?);
        } else if let Some(word) = part.strip_prefix("VAT ") {
            settings.vat = Some(Vat::parse(word)?);
        } else if let Some(word) = part.strip_prefix("subject ") {
            settings.subject = Some(Subject::parse(word)?);
        } else if let Some(word) = part.strip_prefix("mode ") {
            settings.mode = Some(PaymentMode::parse(word)?);
        } else {
            let of_panel = part.strip_prefix("at most ").and_then(|rest| rest.strip_suffix(" items"));
            let number = of_panel.or_else(|| part.strip_prefix("items at most "))?;
            settings.max_items = number.parse().ok().filter(|number| (1..=MAX_ITEMS).contains(number))?;
        }
    }
    Some(settings)
}

/// The settings for a reader: the policy, then what is set.
pub fn text(settings: &FiscalSettings, t: &Words) -> String {
    let FiscalSettings { policy, tax_system, vat, subject, mode, max_items } = settings;
    let named = [
        ("fiscal-tax-system", tax_system.map(TaxSystem::as_str)),
        ("fiscal-vat", vat.map(Vat::as_str)),
        ("fiscal-subject", subject.map(Subject::as_str)),
        ("fiscal-mode", mode.map(PaymentMode::as_str)),
    ];
    let named = named.into_iter().filter_map(|(key, word)| {
        let word = t.text(&format!("{key}-{}", word?.replace('/', "-of-")));
        Some(format!("{}: {word}", t.text(key)))
    });
    let policy = t.text(&format!("fiscal-policy-{}", policy.as_str()));
    let items = format!("{}: {max_items}", t.text("fiscal-items"));
    [policy].into_iter().chain(named).chain([items]).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_audit_log_is_read_back() {
        let full = FiscalSettings {
            policy: FiscalPolicy::Required,
            tax_system: Some(TaxSystem::Osn),
            vat: Some(Vat::TwentyTwoOf122),
            subject: Some(Subject::Service),
            mode: Some(PaymentMode::FullPrepayment),
            max_items: 80,
        };
        for settings in [FiscalSettings::default(), full] {
            assert_eq!(parse(&stored_line(&settings)), Some(settings));
        }
        let of_command =
            "required, tax system osn, VAT 22/122, subject service, mode full_prepayment, items at most 80";
        assert_eq!(parse(of_command), Some(full));
        assert_eq!(parse("off"), Some(FiscalSettings::default()));
        for strange in ["", "maybe", "off, VAT 18", "off, at most 0 items", "off, x", "accept, tax system "] {
            assert_eq!(parse(strange), None, "{strange}");
        }
    }
}
