//! The page of a vendor's terms: fees, and the settlement delay.

use crate::pages::{
    form::{Complaint, Input},
    vendor_name::VendorName,
    view::{Crumb, View, template},
};
use std::time::Duration;
use till_domain::{
    ledger::{Fee, FeeProblem},
    method::Method,
    money::Money,
};
use till_service::{settings, web::words::Words};

/// A vendor's terms, for display.
#[derive(Debug, Clone, Default)]
pub struct TermsView {
    /// Fees, at most one for each method and currency.
    pub fees: Vec<Fee>,
    /// The vendor's own settlement delay, if it has one.
    pub delay: Option<Duration>,
    /// The default settlement delay.
    pub usual: Duration,
}

/// The page for changing a vendor's terms.
#[derive(Debug, Clone)]
pub struct TermsPage {
    pub vendor: VendorName,
    /// The current terms.
    pub agreed: TermsView,
    /// The fee form as typed.
    pub fee: FeeForm,
    /// The settlement delay as typed.
    pub delay: String,
    /// True if that is not a valid delay.
    pub wrong_delay: bool,
}

/// A fee as typed.
#[derive(Debug, Clone, Default)]
pub struct FeeForm {
    /// The method of the payments it applies to.
    pub method: String,
    /// The currency it applies to; empty for all.
    pub currency: String,
    pub percent: String,
    pub fixed: String,
    /// True if a refund returns the fee.
    pub returned: bool,
    pub problems: Vec<FeeFormProblem>,
}

/// A problem with a fee form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeFormProblem {
    /// No method was chosen.
    Method,
    /// There is no such currency.
    Currency,
    /// Neither a percentage nor a fixed amount.
    Nothing,
    /// A problem with the percentage or the fixed amount.
    Fee(FeeProblem),
}

impl TermsView {
    /// The currency of a fee, as text.
    pub fn currency(&self, fee: &Fee, t: &Words) -> String {
        let has_others = self.fees.iter().any(|other| other.method == fee.method && other.currency.is_some());
        match fee.currency {
            Some(currency) => currency.code().to_owned(),
            None if has_others => t.text("terms-other-currencies"),
            None => t.text("terms-every-currency"),
        }
    }

    /// A fee, as text: `2.5% + 10.00 RUB`.
    pub fn fee(&self, fee: &Fee, t: &Words) -> String {
        let percent = t.with("percentage", "number", &t.number(&fee.percent()));
        match fee.currency {
            Some(currency) if fee.fixed > 0 => {
                format!("{percent} + {}", t.money(&Money { minor: fee.fixed, currency }))
            }
            _ => percent,
        }
    }

    /// The settlement delay, as a sentence.
    pub fn pending(&self, t: &Words) -> String {
        match self.delay {
            Some(Duration::ZERO) => t.text("terms-no-delay-own"),
            Some(delay) => t.with("terms-delay-own", "delay", &t.delay(delay)),
            None if self.usual.is_zero() => t.text("terms-no-delay-usual"),
            None => t.with("terms-delay-usual", "delay", &t.delay(self.usual)),
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
        all.find(|complaint| complaint.is_about("method")).map(|complaint| complaint.text)
    }

    pub fn is_method(&self, method: &Method) -> bool {
        self.method == method.as_str()
    }
}

impl TermsPage {
    pub fn delay_field(&self, t: &Words) -> Input {
        let input = Input::new("delay", t.text("terms-delay")).value(&self.delay).max(12);
        let usual = settings::duration_words(self.agreed.usual);
        input.hint(t.with("terms-delay-hint", "delay", &usual)).marked(&self.complaints(t))
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
