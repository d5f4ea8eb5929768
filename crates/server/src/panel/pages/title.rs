//! The titles of the pages, which are their headings too.

use super::Body;
use crate::web::words::Words;
use till_domain::user::LinkPurpose;

/// The heading of a page.
pub(super) fn heading(body: &Body, t: &Words) -> String {
    match body {
        Body::Login(_) => t.text("login-heading"),
        Body::Code(_) => t.text("code-heading"),
        Body::Forgot(_) => t.text("forgot-heading"),
        Body::ForgotSent { .. } => t.text("forgot-sent-heading"),
        Body::SetPassword(view) if view.purpose == LinkPurpose::Invitation => t.text("invitation-heading"),
        Body::SetPassword(_) => t.text("reset-heading"),
        Body::LinkEnded(_) => t.text("link-ended-heading"),
        Body::Account(_) => t.text("nav-account"),
        Body::TotpSetup(_) => t.text("totp-setup-heading"),
        Body::RecoveryCodes(_) => t.text("recovery-heading"),
        Body::Overview(_) => t.text("nav-overview"),
        Body::Sessions(_) => t.text("nav-sessions"),
        Body::Session(view) => t.money(&view.price),
        Body::Transactions(_) => t.text("nav-transactions"),
        Body::Callbacks(_) => t.text("nav-callbacks"),
        Body::ResendAll(_) => t.text("resend-heading"),
        Body::Settings(_) => t.text("nav-settings"),
        Body::Rotate(view) if view.is_sandbox() => t.text("rotate-heading-sandbox"),
        Body::Rotate(_) => t.text("rotate-heading"),
        Body::Rotated(_) => t.text("rotated-heading"),
        Body::Sandbox(_) => t.text("sandbox-heading"),
        Body::Profile(_) => t.text("nav-profile"),
        Body::ProfileVendor(view) => view.name.clone(),
        Body::Vendors(_) => t.text("nav-vendors"),
        Body::NewVendor(_) => t.text("new-vendor"),
        Body::VendorCreated(view) => t.with("vendor-created-heading", "name", &view.name),
        Body::Vendor(view) => view.line.name.clone(),
        Body::Users(_) => t.text("nav-users"),
        Body::NewUser(_) => t.text("new-user"),
        Body::Invited(view) if view.link.is_some() => t.text("link-made-heading"),
        Body::Invited(_) => t.text("link-mailed-heading"),
        Body::User(view) => view.line.email.clone(),
        Body::Requests(_) => t.text("nav-requests"),
        Body::Audit(_) => t.text("nav-audit"),
        Body::Confirm(question) => question.ask(t).title,
        Body::Forbidden => t.text("refused-heading"),
        Body::NotFound => t.text("nowhere-heading"),
        Body::Trouble { .. } => t.text("trouble-heading"),
    }
}
