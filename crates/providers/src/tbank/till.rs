//! The till behind a terminal, as the operator's setup names it. T-Bank's API cannot be asked about it.

use crate::{
    acquirer_document::DocumentReader,
    form::{FieldKind, FormField, Rule, SetupProblem},
};
use till_domain::fiscal::TaxSystem;
use toml::Value;

/// The section of the document, and its fields in the form.
pub(super) const SECTION: &str = "receipts";
pub(super) const FFD: FormField = FormField::optional("receipts.ffd", FieldKind::Text, "1.2");
pub(super) const TAX_SYSTEM: FormField = FormField::optional("receipts.tax_system", FieldKind::Text, "osn");
pub(super) const REGISTRATION: FormField =
    FormField::advanced("receipts.registration", FieldKind::Text, "notifications");

const KEYS: [&str; 3] = ["ffd", "tax_system", "registration"];

/// The version of the format of fiscal documents that the till has. A receipt of the other version is accepted with the
/// payment, and fails later at the till.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ffd {
    V105,
    V12,
}

impl Ffd {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V105 => "1.05",
            Self::V12 => "1.2",
        }
    }
}

/// How Till learns what became of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// T-Bank notifies of it. A receipt without a notification fails after three days.
    Notifications,
    /// It does not: a receipt that was sent stays pending.
    Unknown,
}

/// The till behind a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TillSetup {
    pub ffd: Ffd,
    /// The tax system of receipts that name none: T-Bank needs one.
    pub tax_system: TaxSystem,
    pub registration: Registration,
}

/// Reads the section; `None` if there is none, or if it has problems.
pub(super) fn read(document: &mut DocumentReader<'_>) -> Option<TillSetup> {
    let Value::Table(table) = document.table.get(SECTION)? else {
        document.problem("", Rule::Known, "`receipts` must be a section: [receipts].");
        return None;
    };
    if table.keys().any(|key| !KEYS.contains(&key.as_str())) {
        document.problem("", Rule::Known, "`receipts` may contain ffd, tax_system and registration.");
    }
    let word = |key: &str| match table.get(key) {
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        // A version without quotes.
        Some(Value::Float(number)) => Some(number.to_string()),
        Some(_) => Some(String::new()),
        None => None,
    };
    let ffd = [Ffd::V105, Ffd::V12].into_iter().find(|ffd| word("ffd").as_deref() == Some(ffd.as_str()));
    if ffd.is_none() {
        document.problems.push(one_of("ffd", "1.05, 1.2"));
    }
    let tax_system = word("tax_system").as_deref().and_then(TaxSystem::parse);
    if tax_system.is_none() {
        document.problems.push(one_of("tax_system", TaxSystem::WORDS));
    }
    let registration = match word("registration").as_deref() {
        None | Some("notifications") => Some(Registration::Notifications),
        Some("unknown") => Some(Registration::Unknown),
        Some(_) => None,
    };
    if registration.is_none() {
        document.problems.push(one_of("registration", "notifications, unknown"));
    }
    Some(TillSetup { ffd: ffd?, tax_system: tax_system?, registration: registration? })
}

fn one_of(key: &str, list: &str) -> SetupProblem {
    let text = format!("`receipts.{key}` must be one of {list}.");
    SetupProblem::new(format!("receipts-{key}"), Rule::OneOf, text).with("list", list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Table;

    fn parse(text: &str) -> Result<Option<TillSetup>, Vec<String>> {
        let table: Table = text.parse().expect("TOML");
        let mut document = DocumentReader::new(&table, &[SECTION]);
        let till = read(&mut document);
        let problems = document.problems;
        if problems.is_empty() {
            Ok(till)
        } else {
            Err(problems.into_iter().map(|one| one.sentence).collect())
        }
    }

    #[test]
    fn a_till_is_optional_and_complete() {
        assert_eq!(parse(""), Ok(None));
        let (ffd, tax_system) = (Ffd::V12, TaxSystem::Osn);
        let full = TillSetup { ffd, tax_system, registration: Registration::Notifications };
        assert_eq!(parse("[receipts]\nffd = \"1.2\"\ntax_system = \"osn\""), Ok(Some(full)));
        assert_eq!(parse("[receipts]\nffd = 1.2\ntax_system = \"osn\""), Ok(Some(full)));
        let old = TillSetup { ffd: Ffd::V105, registration: Registration::Unknown, ..full };
        let text = "[receipts]\nffd = 1.05\ntax_system = \"osn\"\nregistration = \"unknown\"";
        assert_eq!(parse(text), Ok(Some(old)));
    }

    #[test]
    fn everything_wrong_about_a_till_is_said_at_once() {
        let problems = parse("[receipts]\nregistration = \"yes\"\nvat = \"22\"").expect_err("problems");
        assert_eq!(
            problems,
            [
                "`receipts` may contain ffd, tax_system and registration.",
                "`receipts.ffd` must be one of 1.05, 1.2.",
                "`receipts.tax_system` must be one of osn, usn_income, usn_income_outcome, esn, patent.",
                "`receipts.registration` must be one of notifications, unknown.",
            ]
        );
        assert_eq!(parse("receipts = \"1.2\"").expect_err("a problem").len(), 1);
        assert_eq!(parse("[receipts]\nffd = 1.1\ntax_system = \"osn\"").expect_err("a problem").len(), 1);
    }
}
