//! A vendor's settings for fiscal receipts (54-FZ), as the operator changes them: the form is that of the vendor's own page.

use crate::{
    Access, Panel, Route,
    console::vendors::{PLACE, find},
    does,
    fiscal_settings::{
        self,
        view::{FiscalForm, FiscalPage, FiscalSettingsProblem},
    },
    pages::{FlashMessage, vendor_name::VendorName},
    shows,
    visit::{Answer, Visit, done},
};
use axum::extract::{Path, State};
use std::sync::Arc;
use till_domain::{id::VendorId, vendor::Vendor};

pub(super) fn routes(operate: Access) -> Vec<Route> {
    vec![
        shows("/operator/vendors/{id}/fiscal", operate, show),
        does("/operator/vendors/{id}/fiscal", operate, save),
    ]
}

fn path(id: VendorId) -> String {
    format!("/operator/vendors/{id}/fiscal")
}

fn page(
    panel: &Panel,
    vendor: &Vendor,
    form: FiscalForm,
    problems: Vec<FiscalSettingsProblem>,
) -> FiscalPage {
    FiscalPage {
        path: path(vendor.id),
        vendor: Some(VendorName { id: vendor.id, name: vendor.name.clone() }),
        outdated: vendor.settings.fiscal.has_outdated_rate(panel.now()),
        can_change: true,
        form,
        problems,
    }
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let form = FiscalForm::of(&vendor.settings.fiscal);
    Ok(visit.page(&panel, PLACE, page(&panel, &vendor, form, Vec::new())))
}

async fn save(State(panel): State<Arc<Panel>>, visit: Visit, Path(id): Path<String>) -> Answer {
    let vendor = find(&panel, &id).await?;
    let form = FiscalForm::typed(&visit.form);
    match fiscal_settings::read(&form) {
        Ok(settings) => {
            fiscal_settings::store(&panel, &visit, vendor.id, settings).await?;
            Ok(done(&path(vendor.id), FlashMessage::Saved))
        }
        Err(problems) => Ok(visit.again(&panel, PLACE, page(&panel, &vendor, form, problems))),
    }
}
