//! `/panel/settings/fiscal`: whether a vendor's sessions have fiscal receipts (54-FZ), and what a receipt says by default.

pub mod summary;
pub mod view;

use crate::{
    Access, Panel, Route, does,
    fiscal_settings::view::{FiscalForm, FiscalPage, FiscalSettingsProblem},
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Fields, Visit, done},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    fiscal::{FiscalPolicy, FiscalSettings, MAX_ITEMS, PaymentMode, Subject, TaxSystem, Vat},
    id::VendorId,
    user::Right,
    vendor::SettingsChange,
};
use till_store::StoreError;

const PLACE: Option<NavItem> = Some(NavItem::Settings);
const PATH: &str = "/panel/settings/fiscal";

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    vec![shows(PATH, see, show), does(PATH, run, save)]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let page = page(&panel, &visit, FiscalForm::of(&visit.vendor().settings.fiscal), Vec::new());
    Ok(visit.page(&panel, PLACE, page))
}

fn page(panel: &Panel, visit: &Visit, form: FiscalForm, problems: Vec<FiscalSettingsProblem>) -> FiscalPage {
    FiscalPage {
        path: PATH.to_owned(),
        vendor: None,
        outdated: visit.vendor().settings.fiscal.has_outdated_rate(panel.now()),
        can_change: visit.user().role.may(Right::RunVendor),
        form,
        problems,
    }
}

async fn save(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.vendor();
    let form = FiscalForm::typed(&visit.form);
    let settings = match read(&form) {
        Ok(settings) => settings,
        Err(problems) => return Ok(visit.again(&panel, PLACE, page(&panel, &visit, form, problems))),
    };
    store(&panel, &visit, vendor.id, settings).await?;
    Ok(done(PATH, FlashMessage::Saved))
}

/// Stores the settings, with a line in the audit log.
pub(crate) async fn store(
    panel: &Panel,
    visit: &Visit,
    vendor: VendorId,
    settings: FiscalSettings,
) -> Result<(), StoreError> {
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SettingsChanged).about(vendor);
    let entry = entry.saying(format!("fiscal receipts: {}", summary::stored_line(&settings)));
    let change = SettingsChange { fiscal: Some(settings), ..SettingsChange::default() };
    panel.admin.accounts.set_settings(vendor, &change, &entry).await?;
    panel.directory.forget(vendor);
    Ok(())
}

impl FiscalForm {
    /// The stored settings.
    pub fn of(settings: &FiscalSettings) -> Self {
        let word = |word: Option<&'static str>| word.unwrap_or_default().to_owned();
        Self {
            policy: settings.policy.as_str().to_owned(),
            tax_system: word(settings.tax_system.map(TaxSystem::as_str)),
            vat: word(settings.vat.map(Vat::as_str)),
            subject: word(settings.subject.map(Subject::as_str)),
            mode: word(settings.mode.map(PaymentMode::as_str)),
            max_items: settings.max_items.to_string(),
        }
    }

    pub(crate) fn typed(fields: &Fields) -> Self {
        let text = |name| fields.get(name).trim().to_owned();
        Self {
            policy: text("fiscal"),
            tax_system: text("tax_system"),
            vat: text("vat"),
            subject: text("subject"),
            mode: text("mode"),
            max_items: text("max_items"),
        }
    }
}

/// The settings that a form names, or all problems.
pub(crate) fn read(form: &FiscalForm) -> Result<FiscalSettings, Vec<FiscalSettingsProblem>> {
    let mut problems = Vec::new();
    let policy = FiscalPolicy::parse(&form.policy);
    let tax_system = choice(&form.tax_system, TaxSystem::parse);
    let vat = choice(&form.vat, Vat::parse);
    let subject = choice(&form.subject, Subject::parse);
    let mode = choice(&form.mode, PaymentMode::parse);
    let max_items = form.max_items.parse().ok().filter(|number| (1..=MAX_ITEMS).contains(number));
    let wrong = [
        (policy.is_none(), FiscalSettingsProblem::Policy),
        (tax_system.is_none(), FiscalSettingsProblem::TaxSystem),
        (vat.is_none(), FiscalSettingsProblem::Vat),
        (subject.is_none(), FiscalSettingsProblem::Subject),
        (mode.is_none(), FiscalSettingsProblem::Mode),
        (max_items.is_none(), FiscalSettingsProblem::MaxItems),
    ];
    problems.extend(wrong.into_iter().filter(|(wrong, _)| *wrong).map(|(_, problem)| problem));
    match (policy, tax_system, vat, subject, mode, max_items) {
        (Some(policy), Some(tax_system), Some(vat), Some(subject), Some(mode), Some(max_items)) => {
            Ok(FiscalSettings { policy, tax_system, vat, subject, mode, max_items })
        }
        _ => Err(problems),
    }
}

/// The choice of a list; the inner `None` if none was made, the outer one if it is not in the list.
#[allow(clippy::option_option, reason = "the two have different meanings")]
fn choice<T>(word: &str, parse: fn(&str) -> Option<T>) -> Option<Option<T>> {
    if word.is_empty() { Some(None) } else { parse(word).map(Some) }
}
