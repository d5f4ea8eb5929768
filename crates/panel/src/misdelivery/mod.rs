//! `/panel/settings/delivery`: how the sandbox delivers a vendor's callbacks where the tester chooses nothing.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    misdelivery::view::{DeliveryPage, DeliveryProblem},
    pages::{FlashMessage, NavItem},
    shows,
    visit::{Answer, Visit, done},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    audit::AuditEvent,
    misdelivery::{DEFAULT_DELAY, DeliveryChoice},
    user::Right,
};

const PLACE: Option<NavItem> = Some(NavItem::Settings);
const PATH: &str = "/panel/settings/delivery";

pub(super) fn routes() -> Vec<Route> {
    let (see, run) = (Access::May(Right::SeeVendor), Access::May(Right::RunVendor));
    vec![shows(PATH, see, show), does(PATH, run, save)]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.sandbox_vendor()?;
    let choice = panel.faults.default_of(vendor.id).await?;
    let delay = if choice.delay.is_zero() { DEFAULT_DELAY } else { choice.delay };
    let page = DeliveryPage {
        chosen: choice.word().to_owned(),
        delay_ms: delay.as_millis().to_string(),
        can_change: visit.user().role.may(Right::RunVendor),
        problems: Vec::new(),
    };
    Ok(visit.page(&panel, PLACE, page))
}

async fn save(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.sandbox_vendor()?;
    let (fault, delay_ms) = (visit.form.get("fault"), visit.form.get("delay_ms"));
    let choice = match DeliveryChoice::typed(fault, delay_ms) {
        Ok(choice) => choice,
        Err(fields) => {
            let page = DeliveryPage {
                chosen: fault.to_owned(),
                delay_ms: delay_ms.to_owned(),
                can_change: true,
                problems: fields.into_iter().filter_map(DeliveryProblem::about).collect(),
            };
            return Ok(visit.again(&panel, PLACE, page));
        }
    };
    panel.faults.set_default(vendor.id, choice).await?;
    let entry = panel.admin.entry(&visit.actor(), AuditEvent::SandboxDeliveryChanged).about(vendor.id);
    panel.admin.accounts.record(&entry.saying(choice.to_string())).await?;
    Ok(done(PATH, FlashMessage::Saved))
}
