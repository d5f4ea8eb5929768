//! A vendor's settings for fiscal receipts, as columns of its row.

use crate::engine::{
    error::StoreError,
    sql::{Row, Value},
};
use till_domain::fiscal::{FiscalPolicy, FiscalSettings, PaymentMode, Subject, TaxSystem, Vat};

/// The parameters of a change: whether there is one, and the columns.
pub(super) fn columns(change: Option<FiscalSettings>) -> [Value; 7] {
    let FiscalSettings { policy, tax_system, vat, subject, mode, max_items } = change.unwrap_or_default();
    [
        change.is_some().into(),
        policy.as_str().into(),
        tax_system.map(TaxSystem::as_str).into(),
        vat.map(Vat::as_str).into(),
        subject.map(Subject::as_str).into(),
        mode.map(PaymentMode::as_str).into(),
        i64::from(max_items).into(),
    ]
}

/// Reads the columns in the order of [`columns`].
pub(super) fn read(row: &mut Row) -> Result<FiscalSettings, StoreError> {
    let policy = row.text()?;
    Ok(FiscalSettings {
        policy: FiscalPolicy::parse(&policy).ok_or_else(|| corrupt(&policy))?,
        tax_system: word(row, TaxSystem::parse)?,
        vat: word(row, Vat::parse)?,
        subject: word(row, Subject::parse)?,
        mode: word(row, PaymentMode::parse)?,
        max_items: u32::try_from(row.int()?).unwrap_or(u32::MAX),
    })
}

fn word<T>(row: &mut Row, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StoreError> {
    row.opt_text()?.map(|word| parse(&word).ok_or_else(|| corrupt(&word))).transpose()
}

fn corrupt(word: &str) -> StoreError {
    StoreError::Corrupt(format!("fiscal setting {word:?}"))
}
