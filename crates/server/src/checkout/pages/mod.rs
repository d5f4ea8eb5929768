//! Renders the pages of the checkout: a view goes in, a whole HTML document comes out.
//!
//! Pure: no clock, no store, no request. The caller decides the facts ([`Body`]); this module decides the
//! wording, in the payer's language, and never says more than the view does. Every text of a vendor is
//! escaped by the templates, and an address becomes a link only in `web/links.rs`.

mod challenge;
mod document;
mod figures;
mod notice;
mod result;
mod slip;
mod summary;
#[cfg(test)]
#[path = "../../../tests/unit/checkout_pages/mod.rs"]
mod tests;
mod title;
mod views;

pub use till_service::web::language::Language;
pub use till_service::web::words::Coins;
pub use views::{
    Address, AlreadyPaid, Bank, BankLink, Challenge, ChallengeNote, CoinChoice, Confirming, Countdown,
    Embedded, Expired, Failed, LeaveQuestion, Methods, MissingCoins, Order, Paid, Panel, PanelState, Partial,
    Problem, Qr, ReceiptMail, ReceiptView, Targets, TestOutcome, Waiting,
};

pub(crate) use slip::receipt_text;

use document::CheckoutDocument;
use till_domain::session::Status;

/// A page: its frame and its content.
#[derive(Debug, Clone)]
pub struct CheckoutPage {
    pub frame: Frame,
    pub body: Body,
}

impl CheckoutPage {
    /// Renders the whole HTML document.
    #[must_use]
    pub fn render(&self) -> String {
        CheckoutDocument::new(self).write()
    }

    /// A text that changes whenever the page has something new to show, apart from its clock. The script
    /// loads the page again when an event carries another state than the one it shows (`data-state`).
    #[must_use]
    pub fn state(&self) -> String {
        self.body.state()
    }
}

/// The parts around a page's content.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The language of all texts.
    pub language: Language,
    /// The path of the session, the base of forms and links; empty on pages without a session.
    pub path: String,
    /// The banner on top.
    pub banner: Option<Banner>,
    /// The shop that the customer pays.
    pub shop: Option<Shop>,
    /// True if the script listens to `{path}/events`.
    pub live: bool,
    /// True if the customer comes back from the provider's page, which links of this page keep.
    pub from_bank: bool,
    /// The links of the footer that are the operator's.
    pub operator: OperatorLinks,
}

/// The operator's addresses that pages link to.
#[derive(Debug, Clone, Default)]
pub struct OperatorLinks {
    /// The contact for questions: an e-mail address or a web address.
    pub support: Option<String>,
    /// The terms of use.
    pub terms: Option<String>,
    /// The privacy policy.
    pub privacy: Option<String>,
}

/// The banner that says that no money moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Banner {
    /// A page of the sandbox.
    Sandbox,
    /// A live page whose payments are simulated.
    Simulated,
}

/// The shop that the customer pays.
#[derive(Debug, Clone)]
pub struct Shop {
    pub name: String,
    /// The contact for customers: an e-mail address or a web address. Anything else is shown as text.
    pub contact: Option<String>,
    /// True if `{path}/return` leads to the shop.
    pub can_return: bool,
}

impl Shop {
    /// The letters on its tile: the first of its first two words.
    #[must_use]
    pub fn initials(&self) -> String {
        let words =
            self.name.split_whitespace().filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
        words.take(2).flat_map(char::to_uppercase).collect()
    }
}

/// The content of a page.
#[derive(Debug, Clone)]
pub enum Body {
    /// The choice of a method; with one method, its form.
    Methods(Methods),
    /// An attempt is being started at the provider.
    Preparing(Waiting),
    /// An attempt is open on the provider's own page.
    Bank(Bank),
    /// An attempt is open in the provider's own form in our page.
    Embedded(Embedded),
    /// An SBP code to scan, or a bank app to open.
    Qr(Qr),
    /// An address to send coins to.
    Address(Address),
    /// A transfer that the network is confirming.
    Confirming(Confirming),
    /// In flight at the bank: nothing to do but wait.
    Processing(Waiting),
    Paid(Paid),
    Failed(Failed),
    Expired(Expired),
    /// A customer tries to pay an order that is paid already.
    AlreadyPaid(AlreadyPaid),
    /// The customer wants to go back to the shop before the session has ended.
    Leave(LeaveQuestion),
    /// A receipt, for every holder of its link.
    Receipt(ReceiptView),
    /// No such session.
    NotFound,
    /// No such receipt.
    NoReceipt,
    /// An address at which there is nothing.
    NoPage,
    /// A sandbox session of a vendor whose sandbox is off.
    SandboxOff {
        /// The operator's contact: an e-mail address or a web address.
        support: Option<String>,
    },
    Error {
        /// The request id, to quote when asking about the error.
        reference: String,
    },
    /// A form that did not come from our page.
    Forbidden,
    /// The page of the simulated bank.
    Challenge(Challenge),
}

impl Body {
    /// The kind of page, for styles, scripts and tests.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Methods(_) => "methods",
            Self::Preparing(_) => "preparing",
            Self::Bank(_) => "bank",
            Self::Embedded(_) => "embedded",
            Self::Qr(_) => "qr",
            Self::Address(_) => "address",
            Self::Confirming(_) => "confirming",
            Self::Processing(_) => "processing",
            Self::Paid(_) => "paid",
            Self::Failed(_) => "failed",
            Self::Expired(_) => "expired",
            Self::AlreadyPaid(_) => "already-paid",
            Self::Leave(_) => "leave",
            Self::Receipt(_) => "receipt",
            Self::NotFound => "not-found",
            Self::NoReceipt => "no-receipt",
            Self::NoPage => "no-page",
            Self::SandboxOff { .. } => "sandbox-off",
            Self::Error { .. } => "error",
            Self::Forbidden => "forbidden",
            Self::Challenge(_) => "challenge",
        }
    }

    /// The final status that the page shows, if it shows one.
    #[must_use]
    pub fn outcome(&self) -> Option<Status> {
        match self {
            Self::Paid(_) | Self::AlreadyPaid(_) => Some(Status::Paid),
            Self::Failed(_) => Some(Status::Failed),
            Self::Expired(_) => Some(Status::Expired),
            _ => None,
        }
    }

    pub(super) fn state(&self) -> String {
        let kind = self.kind();
        match self {
            Self::Methods(view) => {
                let panels = view.panels.iter().map(|p| format!(".{}{}", p.method, p.state.letter()));
                format!("{kind}{}", panels.collect::<String>())
            }
            Self::Address(view) => match &view.partial {
                Some(partial) => format!("{kind}.{}", partial.received),
                None => kind.to_owned(),
            },
            Self::Confirming(view) => format!("{kind}.{}.{}", view.seen, view.needed),
            Self::Preparing(view) | Self::Processing(view) => format!("{kind}.{}", view.method),
            Self::Bank(view) => format!("{kind}.{}", view.method),
            _ => kind.to_owned(),
        }
    }
}
