//! The page of a vendor's settings for fiscal receipts.

use crate::pages::{
    form::{Complaint, Input},
    vendor_name::VendorName,
    view::{Crumb, View, template},
};
use till_domain::fiscal::{FiscalPolicy, PaymentMode, Subject, TaxSystem, Vat};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct FiscalPage {
    /// The path of the page, to which the form is sent.
    pub path: String,
    /// The vendor, on the operator's page.
    pub vendor: Option<VendorName>,
    pub form: FiscalForm,
    pub can_change: bool,
    /// True if the stored default rate does not apply to what is sold today.
    pub outdated: bool,
    pub problems: Vec<FiscalSettingsProblem>,
}

/// The fields, as stored or as typed.
#[derive(Debug, Clone, Default)]
pub struct FiscalForm {
    pub policy: String,
    pub tax_system: String,
    pub vat: String,
    pub subject: String,
    pub mode: String,
    pub max_items: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiscalSettingsProblem {
    Policy,
    TaxSystem,
    Vat,
    Subject,
    Mode,
    MaxItems,
}

impl FiscalSettingsProblem {
    /// The name of the field that it is about.
    fn field(self) -> &'static str {
        match self {
            Self::Policy => "fiscal",
            Self::TaxSystem => "tax_system",
            Self::Vat => "vat",
            Self::Subject => "subject",
            Self::Mode => "mode",
            Self::MaxItems => "max_items",
        }
    }

    fn text(self, t: &Words) -> String {
        t.text(if self == Self::MaxItems { "fiscal-items-wrong" } else { "fiscal-choice-wrong" })
    }
}

/// A list to choose from.
#[derive(Debug, Clone)]
pub struct FiscalChoice {
    pub name: &'static str,
    /// The translation key of its label; that of its hint has `-hint` after it.
    pub key: &'static str,
    /// The translation key of the option that chooses nothing, if there is one.
    pub nothing: Option<&'static str>,
    /// Each word with the translation key of its label.
    pub options: Vec<(&'static str, String)>,
    pub chosen: String,
}

impl FiscalPage {
    /// The translation key of the text above the form.
    pub fn about(&self) -> &'static str {
        if self.vendor.is_some() { "fiscal-about-vendor" } else { "fiscal-about" }
    }

    /// The lists, in their order.
    pub fn choices(&self) -> Vec<FiscalChoice> {
        let form = &self.form;
        let choice = |name, key, nothing, words: Vec<&'static str>, chosen: &str| FiscalChoice {
            options: words
                .into_iter()
                .map(|word| (word, format!("{key}-{}", word.replace('/', "-of-"))))
                .collect(),
            chosen: chosen.to_owned(),
            name,
            key,
            nothing,
        };
        let policies = FiscalPolicy::ALL.iter().map(|one| one.as_str()).collect();
        let systems = TaxSystem::ALL.iter().map(|one| one.as_str()).collect();
        let rates = Vat::ALL.iter().map(|one| one.as_str()).collect();
        let subjects = Subject::ALL.iter().map(|one| one.as_str()).collect();
        let modes = PaymentMode::ALL.iter().map(|one| one.as_str()).collect();
        vec![
            choice("fiscal", "fiscal-policy", None, policies, &form.policy),
            choice("tax_system", "fiscal-tax-system", Some("fiscal-not-set"), systems, &form.tax_system),
            choice("vat", "fiscal-vat", Some("fiscal-vat-not-set"), rates, &form.vat),
            choice("subject", "fiscal-subject", Some("fiscal-subject-not-set"), subjects, &form.subject),
            choice("mode", "fiscal-mode", Some("fiscal-mode-not-set"), modes, &form.mode),
        ]
    }

    pub fn max_items(&self, t: &Words) -> Input {
        let input = Input::new("max_items", t.text("fiscal-items")).value(&self.form.max_items);
        input.max(3).hint(t.text("fiscal-items-hint")).marked(&self.complaints(t))
    }

    /// The problem with a field, for people.
    pub fn error(&self, field: &str, t: &Words) -> Option<String> {
        self.problems.iter().find(|problem| problem.field() == field).map(|problem| problem.text(t))
    }
}

impl View for FiscalPage {
    fn kind(&self) -> &'static str {
        "fiscal-settings"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("fiscal-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        match &self.vendor {
            Some(vendor) => vendor.crumbs(t),
            None => vec![Crumb::new("/panel/settings", t.text("nav-settings"))],
        }
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.problems.iter().map(|problem| Complaint::about(problem.field(), problem.text(t))).collect()
    }

    template!(write, view: FiscalPage, "panel/fiscal-settings.html");
}
