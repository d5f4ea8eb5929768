//! A vendor's terms: its fees, and its settlement delay (how long payments stay pending).

pub mod view;

use crate::{
    Access, Panel, Route,
    console::{
        terms::view::{FeeForm, FeeFormProblem, TermsPage, TermsView},
        vendors::{PLACE, find},
    },
    does,
    pages::{FlashMessage, vendor_name::VendorName},
    shows,
    visit::{Answer, Fields, Visit, done},
};
use axum::extract::{Path, State};
use std::{sync::Arc, time::Duration};
use till_domain::{
    audit::AuditEvent,
    environment::EnvironmentName,
    id::VendorId,
    ledger::{Fee, Terms},
    method::Method,
    money::{Currency, plain_digits},
    vendor::Vendor,
};
use till_service::settings;

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/vendors/{id}/terms", operate, show),
        does("/operator/vendors/{id}/fees", operate, set_fee),
        does("/operator/vendors/{id}/delay", operate, set_delay),
    ]
}

fn path(id: VendorId) -> String {
    format!("/operator/vendors/{id}/terms")
}

/// A vendor's current terms, for display.
pub(super) fn agreed(panel: &Panel, terms: &Terms) -> TermsView {
    let usual = panel.environment(EnvironmentName::Live).rules().settlement_delay.unwrap_or_default();
    TermsView { fees: terms.fees.clone(), delay: terms.settlement_delay, usual }
}

fn view(panel: &Panel, vendor: &Vendor) -> TermsPage {
    let agreed = agreed(panel, &vendor.terms);
    TermsPage {
        vendor: VendorName { id: vendor.id, name: vendor.name.clone() },
        delay: agreed.delay.map(settings::duration_words).unwrap_or_default(),
        agreed,
        fee: FeeForm::default(),
        wrong_delay: false,
    }
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    Ok(visit.page(&panel, PLACE, view(&panel, &vendor)))
}

/// The fee form as typed, to be shown again.
fn typed(fields: &Fields) -> FeeForm {
    let text = |name| fields.get(name).trim().to_owned();
    FeeForm {
        method: text("method"),
        currency: text("currency").to_ascii_uppercase(),
        percent: text("percent"),
        fixed: text("fixed"),
        returned: fields.ticked("returned"),
        problems: Vec::new(),
    }
}

/// The method and the currency of a fee.
fn read_place(form: &FeeForm) -> Result<(Method, Option<Currency>), Vec<FeeFormProblem>> {
    let currency = Currency::parse(&form.currency);
    let wrong = [
        (Method::parse(&form.method).is_none(), FeeFormProblem::Method),
        (currency.is_none() && !form.currency.is_empty(), FeeFormProblem::Currency),
    ];
    let problems: Vec<_> = wrong.iter().filter(|(wrong, _)| *wrong).map(|(_, problem)| *problem).collect();
    match Method::parse(&form.method) {
        Some(method) if problems.is_empty() => Ok((method, currency)),
        _ => Err(problems),
    }
}

/// Parses the fee; an error lists all problems.
fn read(form: &FeeForm) -> Result<Fee, Vec<FeeFormProblem>> {
    let place = read_place(form);
    let currency = Currency::parse(&form.currency);
    let number = |text: &str| if text.is_empty() { "0".to_owned() } else { plain_digits(text) };
    let percent = Fee::parse_percent(&number(&form.percent)).map_err(FeeFormProblem::Fee);
    let fixed = Fee::parse_fixed(&number(&form.fixed), currency).map_err(FeeFormProblem::Fee);
    // Without a valid currency, the amount cannot be validated.
    let fixed = if currency.is_none() && !form.currency.is_empty() { Ok(0) } else { fixed };
    let nothing = form.percent.is_empty() && form.fixed.is_empty();
    let mut problems = place.as_ref().err().cloned().unwrap_or_default();
    problems.extend(nothing.then_some(FeeFormProblem::Nothing));
    problems.extend(percent.err());
    problems.extend(fixed.err());
    match (place, percent, fixed) {
        (Ok((method, currency)), Ok(millionths), Ok(fixed)) if problems.is_empty() => {
            Ok(Fee { method, currency, millionths, fixed, returned: form.returned })
        }
        _ => Err(problems),
    }
}

async fn set_fee(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let (accounts, form) = (&panel.admin.accounts, typed(&visit.form));
    let entry = |detail: String| {
        panel.admin.entry(&visit.actor(), AuditEvent::TermsChanged).about(vendor.id).saying(detail)
    };
    let of = |currency: Option<Currency>| {
        currency.map_or("every currency".to_owned(), |currency| currency.to_string())
    };
    let again = |problems| {
        let fee = FeeForm { problems, ..form.clone() };
        let body = TermsPage { fee, ..view(&panel, &vendor) };
        Ok(visit.again(&panel, PLACE, body))
    };
    if visit.form.ticked("remove") {
        let (method, currency) = match read_place(&form) {
            Ok(place) => place,
            Err(problems) => return again(problems),
        };
        let entry = entry(format!("{method}, {}: no fee", of(currency)));
        let removed = accounts.remove_fee(vendor.id, method, currency, &entry).await?;
        panel.directory.forget(vendor.id);
        return Ok(done(&path(vendor.id), if removed { FlashMessage::Saved } else { FlashMessage::Failed }));
    }
    let fee = match read(&form) {
        Ok(fee) => fee,
        Err(problems) => return again(problems),
    };
    let entry = entry(format!("{}, {}: {}", fee.method, of(fee.currency), fee.words()));
    accounts.set_fee(vendor.id, &fee, &entry).await?;
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), FlashMessage::Saved))
}

async fn set_delay(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let text = visit.form.get("delay").trim();
    let Ok(delay) = read_delay(text) else {
        let body = TermsPage { delay: text.to_owned(), wrong_delay: true, ..view(&panel, &vendor) };
        return Ok(visit.again(&panel, PLACE, body));
    };
    let delay_text = delay.map_or("as TILL_SETTLEMENT_DELAY says".to_owned(), settings::duration_words);
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::TermsChanged).about(vendor.id);
    let entry = entry.saying(format!("settlement delay: {delay_text}"));
    panel.admin.accounts.set_settlement_delay(vendor.id, delay, &entry).await?;
    panel.directory.forget(vendor.id);
    Ok(done(&path(vendor.id), FlashMessage::Saved))
}

/// Parses a settlement delay; `None` for an empty text, which means the default.
fn read_delay(text: &str) -> Result<Option<Duration>, ()> {
    if text.is_empty() {
        return Ok(None);
    }
    settings::parse_duration(text).filter(|delay| *delay <= Terms::MAX_DELAY).map(Some).ok_or(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::ledger::FeeProblem;

    fn form(method: &str, currency: &str, percent: &str, fixed: &str) -> FeeForm {
        let [method, currency, percent, fixed] = [method, currency, percent, fixed].map(str::to_owned);
        FeeForm { method, currency, percent, fixed, ..FeeForm::default() }
    }

    #[test]
    fn a_fee_is_read_or_everything_that_is_wrong_with_it_is_reported() {
        use FeeFormProblem as P;
        let words = |form: FeeForm| read(&form).map(|fee| fee.words());
        assert_eq!(words(form("card", "RUB", "2,5", "10.00")).as_deref(), Ok("2.5 % + 10.00 RUB"));
        assert_eq!(words(form("card", "", "2.5", "")).as_deref(), Ok("2.5 %"));
        for (wrong, problems) in [
            (form("", "XXX", "", ""), vec![P::Method, P::Currency, P::Nothing]),
            (form("card", "", "101", "x"), vec![P::Fee(FeeProblem::Percent), P::Fee(FeeProblem::NoCurrency)]),
            (form("card", "JPY", "1", "1.5"), vec![P::Fee(FeeProblem::Fixed)]),
        ] {
            assert_eq!(read(&wrong), Err(problems), "{wrong:?}");
        }
        assert_eq!(read_delay(""), Ok(None));
        assert_eq!(read_delay("7d"), Ok(Some(Duration::from_secs(7 * 86_400))));
        assert!(read_delay("367d").is_err() && read_delay("soon").is_err());
    }
}
