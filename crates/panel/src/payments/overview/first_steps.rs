//! The first steps of a vendor on its way to real payments, each done once Till has seen it.

use super::view::{FirstStep, FirstSteps};
use crate::{Panel, payments::VendorScope};
use till_domain::{endpoint_check::CheckStep, environment::EnvironmentName, session::Status};
use till_store::{SessionFilter, Span, StoreError, Turn};

/// The steps, while the vendor works in the sandbox and has not done all of them.
pub(super) async fn read(panel: &Panel, scope: &VendorScope<'_>) -> Result<Option<FirstSteps>, StoreError> {
    if !scope.is_sandbox() {
        return Ok(None);
    }
    let vendor = scope.vendor.id;
    let signs = panel.faults.signs(vendor).await?;
    // Any check counts: one that fails at another URL takes nothing back.
    let passed_steps = panel.checker.passed_steps(vendor).await?;
    let passed = |step: CheckStep| passed_steps.contains(&step);
    let is_used = |credential: &&till_domain::credential::Credential| {
        credential.environment == EnvironmentName::Sandbox && credential.first_used_at.is_some()
    };
    let forgery_refused = signs.forgery_refused || passed(CheckStep::WrongSignature);
    let steps = FirstSteps([
        (FirstStep::Credentials, scope.vendor.credentials.iter().any(|one| is_used(&one))),
        (FirstStep::Session, signs.session),
        (FirstStep::Callback, forgery_refused && (signs.accepted || passed(CheckStep::RightCallback))),
        (
            FirstStep::Outcomes,
            (signs.failed || passed(CheckStep::FailedSession))
                && (signs.expired || passed(CheckStep::ExpiredSession)),
        ),
        (FirstStep::Check, panel.checker.was_ready(vendor).await?),
        (FirstStep::Live, was_paid_live(panel, scope).await?),
    ]);
    Ok(Some(steps).filter(|steps| !steps.are_done()))
}

async fn was_paid_live(panel: &Panel, scope: &VendorScope<'_>) -> Result<bool, StoreError> {
    let live = panel.environment(EnvironmentName::Live);
    let filter = SessionFilter {
        vendor: scope.vendor.id,
        status: Some(Status::Paid),
        method: None,
        span: Span::default(),
    };
    Ok(!live.store.sessions(&filter, Turn::Newest, 1).await?.is_empty())
}
