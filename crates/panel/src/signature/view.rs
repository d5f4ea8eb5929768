//! The page of the signature doctor.

use crate::pages::{
    form::Complaint,
    view::{Crumb, View, template},
};
use till_service::{callbacks::signature_check::SignatureReport, web::words::Words};

#[derive(Debug, Clone, Default)]
pub struct SignaturePage {
    /// As typed.
    pub form: SignatureForm,
    pub problem: Option<SignatureProblem>,
    /// What was found, once a signature was sent.
    pub report: Option<SignatureReport>,
}

#[derive(Debug, Clone, Default)]
pub struct SignatureForm {
    pub body: String,
    pub signature: String,
    pub is_base64: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureProblem {
    NoBody,
    NotBase64,
    NoSignature,
}

impl SignatureProblem {
    /// The id of the field that it is about.
    pub fn field(self) -> &'static str {
        match self {
            Self::NoBody | Self::NotBase64 => "body",
            Self::NoSignature => "signature",
        }
    }

    pub fn text(self, t: &Words) -> String {
        t.text(match self {
            Self::NoBody => "signature-no-body",
            Self::NotBase64 => "signature-not-base64",
            Self::NoSignature => "signature-no-signature",
        })
    }
}

impl SignaturePage {
    /// The problem with a field, for people.
    pub fn error(&self, field: &str, t: &Words) -> Option<String> {
        self.problem.filter(|problem| problem.field() == field).map(|problem| problem.text(t))
    }
}

impl View for SignaturePage {
    fn kind(&self) -> &'static str {
        "signature"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("signature-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/settings", t.text("nav-settings"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = self.problem.map(|problem| Complaint::about(problem.field(), problem.text(t)));
        complaint.into_iter().collect()
    }

    template!(write, view: SignaturePage, "panel/signature.html");
}
