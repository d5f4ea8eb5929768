//! `/panel/settings/signature`: finds the mistake in a signature that a vendor's code computed.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::NavItem,
    shows,
    signature::view::{SignatureForm, SignaturePage, SignatureProblem},
    visit::{Answer, Visit},
};
use axum::extract::State;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::sync::Arc;
use till_domain::user::Right;
use till_service::callbacks::signature_check::VendorSignature;

const PLACE: Option<NavItem> = Some(NavItem::Settings);
const PATH: &str = "/panel/settings/signature";

pub(super) fn routes() -> Vec<Route> {
    let run = Access::May(Right::RunVendor);
    vec![shows(PATH, run, show), does(PATH, run, check)]
}

async fn show(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    Ok(visit.page(&panel, PLACE, SignaturePage::default()))
}

async fn check(State(panel): State<Arc<Panel>>, visit: Visit) -> Answer {
    let vendor = visit.vendor();
    let environment = panel.vendor_environment(vendor);
    let form = SignatureForm {
        body: visit.form.get("body").to_owned(),
        signature: visit.form.get("signature").trim().to_owned(),
        is_base64: visit.form.ticked("base64"),
    };
    let mut page = SignaturePage { form, ..SignaturePage::default() };
    match bytes(&page.form) {
        Ok(_) if page.form.signature.is_empty() => page.problem = Some(SignatureProblem::NoSignature),
        Ok(body) => {
            let signature = page.form.signature.clone();
            let asked = VendorSignature { vendor: vendor.id, signature, body, token: None };
            page.report = Some(asked.check(environment).await?);
        }
        Err(problem) => page.problem = Some(problem),
    }
    Ok(if page.problem.is_some() {
        visit.again(&panel, PLACE, page)
    } else {
        visit.page(&panel, PLACE, page)
    })
}

/// The bytes of the body that was typed. A browser sends every line break as CRLF; a callback has no others than LF.
fn bytes(form: &SignatureForm) -> Result<Vec<u8>, SignatureProblem> {
    if form.body.is_empty() {
        return Err(SignatureProblem::NoBody);
    }
    if form.is_base64 {
        let text: String = form.body.split_whitespace().collect();
        return BASE64_STANDARD.decode(text).map_err(|_| SignatureProblem::NotBase64);
    }
    Ok(form.body.replace("\r\n", "\n").into_bytes())
}
