//! What the operator and a vendor agreed on about its money: fees, and how long a payment is pending.

use crate::{
    panel::pages::{
        form::{Complaint, Input},
        vendor_name::VendorName,
        view::{Crumb, View, template},
    },
    web::words::Words,
};
use till_domain::{
    ledger::{Fee, FeeProblem},
    method::Method,
};

/// What is agreed on, as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Agreed {
    /// Fees, at most one for each method and currency.
    pub fees: Vec<Fee>,
    /// How long a payment is pending, such as `7d`, if that is the vendor's own.
    pub delay: Option<String>,
    /// How long it is for all others.
    pub usual: String,
}

/// What is agreed on with a vendor, to be changed.
#[derive(Debug, Clone)]
pub struct TermsPage {
    pub vendor: VendorName,
    /// What is agreed on now.
    pub agreed: Agreed,
    /// A fee, as it was typed.
    pub fee: FeeForm,
    /// A delay, as it was typed.
    pub delay: String,
    /// Whether that is none.
    pub wrong_delay: bool,
}

/// A fee, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct FeeForm {
    /// Of payments by this method.
    pub method: String,
    /// In this currency; empty for all.
    pub currency: String,
    pub percent: String,
    pub fixed: String,
    /// Whether a refund gives it back.
    pub returned: bool,
    /// What is wrong with it.
    pub problems: Vec<FeeFormProblem>,
}

/// What is wrong with a fee that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeFormProblem {
    /// No method was chosen.
    Method,
    /// There is no such currency.
    Currency,
    /// Neither a part nor an amount.
    Nothing,
    /// Something about the part or the amount.
    Fee(FeeProblem),
}

impl Agreed {
    /// The currency of a fee, in words.
    pub fn currency(&self, fee: &Fee, t: &Words) -> String {
        fee.currency.map_or_else(|| t.text("terms-every-currency"), |currency| currency.code().to_owned())
    }

    /// How long a payment is pending, in words.
    pub fn pending(&self, t: &Words) -> String {
        match &self.delay {
            Some(delay) => t.with("terms-delay-own", "delay", delay),
            None => t.with("terms-delay-usual", "delay", &self.usual),
        }
    }
}

impl FeeForm {
    pub fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let complaint = |problem: &FeeFormProblem| match problem {
            FeeFormProblem::Method => Complaint::about("method", t.text("terms-wrong-method")),
            FeeFormProblem::Currency => Complaint::about("currency", t.text("terms-wrong-currency")),
            FeeFormProblem::Nothing => Complaint::about("percent", t.text("terms-nothing")),
            FeeFormProblem::Fee(FeeProblem::Percent) => {
                Complaint::about("percent", t.text("terms-wrong-percent"))
            }
            FeeFormProblem::Fee(FeeProblem::Fixed) => Complaint::about("fixed", t.text("terms-wrong-fixed")),
            FeeFormProblem::Fee(FeeProblem::NoCurrency) => {
                Complaint::about("currency", t.text("terms-no-currency"))
            }
        };
        self.problems.iter().map(complaint).collect()
    }

    pub fn inputs(&self, t: &Words) -> [Input; 3] {
        let complaints = self.complaints(t);
        let currency = Input::new("currency", t.text("currency")).value(&self.currency).max(3);
        let percent = Input::new("percent", t.text("terms-percent")).value(&self.percent).max(8);
        let fixed = Input::new("fixed", t.text("terms-fixed")).value(&self.fixed).max(20);
        [
            currency.hint(t.text("terms-currency-hint")).marked(&complaints),
            percent.hint(t.text("terms-percent-hint")).marked(&complaints),
            fixed.hint(t.text("terms-fixed-hint")).marked(&complaints),
        ]
    }

    pub fn method_error(&self, t: &Words) -> Option<String> {
        let mut all = self.complaints(t).into_iter();
        all.find(|complaint| complaint.field == Some("method")).map(|complaint| complaint.text)
    }

    pub fn is_method(&self, method: &Method) -> bool {
        self.method == method.as_str()
    }
}

impl TermsPage {
    pub fn delay_field(&self, t: &Words) -> Input {
        let input = Input::new("delay", t.text("terms-delay")).value(&self.delay).max(12);
        input.hint(t.with("terms-delay-hint", "delay", &self.agreed.usual)).marked(&self.complaints(t))
    }
}

impl View for TermsPage {
    fn kind(&self) -> &'static str {
        "terms"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("terms-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        self.vendor.crumbs(t)
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let delay = self.wrong_delay.then(|| Complaint::about("delay", t.text("terms-wrong-delay")));
        self.fee.complaints(t).into_iter().chain(delay).collect()
    }

    template!(write, view: TermsPage, "operator/terms.html");
}
