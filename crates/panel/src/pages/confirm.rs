//! Confirmation pages: the question before a change that affects others.

use crate::pages::{
    form::{Complaint, Input, throttled},
    refund::RefundForm,
    sandbox_request_form::SandboxRequestForm,
    view::{View, template},
};
use till_domain::id::VendorId;
use till_service::web::words::Words;

/// A question. Each is the page at the address that its form posts to.
#[derive(Debug, Clone)]
pub enum Question {
    /// `/operator/vendors/{id}/sandbox`, switching it off.
    SandboxOff {
        vendor: VendorId,
        name: String,
        /// Who asks for it and why.
        request_form: SandboxRequestForm,
    },
    /// `/operator/vendors/{id}/disable`.
    DisableVendor { vendor: VendorId, name: String },
    /// `/operator/vendors/{id}/methods`, with none of them.
    NoMethods { vendor: VendorId, name: String },
    /// `/operator/users/{id}/{deed}`.
    User { confirmation: UserConfirmation, id: String, email: String },
    /// `/panel/products/archive`.
    ArchiveProduct { id: String, name: String },
    /// `/panel/categories/archive`.
    ArchiveCategory { id: String, name: String },
    /// `/panel/team/{id}/remove`.
    RemoveMember { id: String, email: String },
    /// `/panel/sessions/{id}/refund` or the operator's, first with fields and then without.
    Refund(Box<RefundForm>),
    /// Any form, or `/panel/password` for a page: the password, once in five minutes.
    Password(Box<PasswordAgain>),
    /// `/operator/requests/{id}/dismiss`.
    Dismiss {
        id: String,
        /// The name of the vendor that asked.
        vendor: String,
    },
}

/// The form that asks for the password again.
#[derive(Debug, Clone)]
pub struct PasswordAgain {
    /// The path that the form posts to.
    pub action: String,
    /// The fields that were sent before, and are sent again.
    pub hidden: Vec<(String, String)>,
    /// The link to leave the form.
    pub back: String,
    pub problem: Option<PasswordAgainProblem>,
}

/// The reason why a password was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordAgainProblem {
    Wrong,
    Throttled {
        /// Seconds until the next try.
        seconds: u64,
    },
}

impl PasswordAgain {
    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let text = match self.problem {
            None => return Vec::new(),
            Some(PasswordAgainProblem::Wrong) => t.text("current-wrong"),
            Some(PasswordAgainProblem::Throttled { seconds }) => throttled(t, seconds),
        };
        vec![Complaint::about("password_again", text)]
    }
}

/// An operator's change to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserConfirmation {
    /// The user may no longer log in.
    Disable,
    /// A link to set a new password.
    Reset,
    /// Switches the second factor off.
    TotpOff,
    /// Ends every log-in.
    EndSessions,
}

impl UserConfirmation {
    pub const ALL: [Self; 4] = [Self::Disable, Self::Reset, Self::TotpOff, Self::EndSessions];

    /// The last part of the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Reset => "reset",
            Self::TotpOff => "totp-off",
            Self::EndSessions => "end-sessions",
        }
    }
}

/// The page of an item of the catalog.
fn item(goods: &str, id: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    format!("/panel/{goods}/item?{}", query.append_pair("id", id).finish())
}

/// A question as the template shows it.
#[derive(Debug)]
pub struct Confirm {
    pub title: String,
    pub text: String,
    pub action: String,
    pub hidden: Vec<(String, String)>,
    pub inputs: Vec<Input>,
    /// The CSS class of the button.
    pub weight: &'static str,
    pub button: String,
    pub back: String,
}

impl Question {
    /// The translated question.
    pub fn ask(&self, t: &Words) -> Confirm {
        let confirm = |kind: &str, name: &str, action: String, back: String| Confirm {
            title: t.with(&format!("ask-{kind}-title"), "name", name),
            text: t.text(&format!("ask-{kind}-text")),
            action,
            hidden: Vec::new(),
            inputs: Vec::new(),
            weight: "danger",
            button: t.text(&format!("ask-{kind}-button")),
            back,
        };
        match self {
            Self::SandboxOff { vendor, name, request_form } => {
                let back = format!("/operator/vendors/{vendor}");
                Confirm {
                    hidden: vec![("on".to_owned(), "off".to_owned())],
                    inputs: request_form.inputs(t).into(),
                    ..confirm("sandbox-off", name, format!("{back}/sandbox"), back)
                }
            }
            Self::DisableVendor { vendor, name } => {
                let back = format!("/operator/vendors/{vendor}");
                confirm("disable-vendor", name, format!("{back}/disable"), back)
            }
            Self::NoMethods { vendor, name } => {
                let back = format!("/operator/vendors/{vendor}");
                Confirm {
                    hidden: vec![("none".to_owned(), "on".to_owned())],
                    ..confirm("no-methods", name, format!("{back}/methods"), back)
                }
            }
            Self::User { confirmation, id, email } => {
                let back = format!("/operator/users/{id}");
                confirm(
                    &format!("user-{}", confirmation.word()),
                    email,
                    format!("{back}/{}", confirmation.word()),
                    back,
                )
            }
            Self::ArchiveProduct { id, name } => Confirm {
                hidden: vec![("id".to_owned(), id.clone())],
                ..confirm("archive-product", name, "/panel/products/archive".to_owned(), item("products", id))
            },
            Self::ArchiveCategory { id, name } => Confirm {
                hidden: vec![("id".to_owned(), id.clone())],
                ..confirm(
                    "archive-category",
                    name,
                    "/panel/categories/archive".to_owned(),
                    item("categories", id),
                )
            },
            Self::RemoveMember { id, email } => {
                let back = format!("/panel/team/{id}");
                confirm("remove-member", email, format!("{back}/remove"), back)
            }
            Self::Refund(form) => Confirm {
                title: form.title(t),
                text: form.text(t),
                action: format!("{}/refund", form.back),
                hidden: form.hidden(),
                inputs: form.inputs(t),
                weight: "danger",
                button: t.text(if form.cost.is_some() { "ask-refund-button" } else { "review-refund" }),
                back: form.back.clone(),
            },
            Self::Password(form) => {
                let label = t.text("password");
                let input = Input::password("password_again", label, "current-password");
                Confirm {
                    hidden: form.hidden.clone(),
                    inputs: vec![input.marked(&form.complaints(t))],
                    weight: "primary",
                    ..confirm("password", "", form.action.clone(), form.back.clone())
                }
            }
            Self::Dismiss { id, vendor } => Confirm {
                inputs: vec![Input::new("note", t.text("note")).hint(t.text("note-hint")).max(500)],
                ..confirm(
                    "dismiss",
                    vendor,
                    format!("/operator/requests/{id}/dismiss"),
                    "/operator/requests".to_owned(),
                )
            },
        }
    }
}

impl View for Question {
    fn kind(&self) -> &'static str {
        "confirm"
    }

    fn heading(&self, t: &Words) -> String {
        self.ask(t).title
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        match self {
            Self::SandboxOff { request_form, .. } => request_form.complaints(t),
            Self::Refund(form) => form.complaints(t),
            Self::Password(form) => form.complaints(t),
            _ => Vec::new(),
        }
    }

    template!(write, question: Question, "panel/confirm.html");
}
