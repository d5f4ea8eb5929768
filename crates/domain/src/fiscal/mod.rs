//! Fiscal receipts by the Russian law 54-FZ: what a vendor's till has to register with the tax service for each payment, refund
//! and hand-over.
//!
//! Not to be confused with [`crate::receipt`], Till's own receipts for customers. A fiscal receipt is stored with its session and
//! passed to a provider with the payment; the provider's till registers it. Nothing here talks to a till, and no status of a
//! registration changes a session. [`read`] validates what a vendor wrote, [`registration`] hands it to a till, [`follow`] asks what became
//! of it.

mod closing;
mod codes;
pub mod follow;
mod news;
mod problem;
mod quantity;
mod read;
mod refund;
pub mod registration;

pub use closing::{ClosingFacts, check_body, close};
pub use codes::{Measure, PaymentMode, Subject, TaxSystem, Vat};
pub use news::{Meant, NoticedReceipt, meant};
pub use problem::FiscalProblem;
pub use quantity::ItemQuantity;
pub use read::{MAX_ITEMS, Offer, at_creation, fits_receipt};
pub use refund::{PaidReceipts, on_refund, refund_body};

use crate::{
    id::{FiscalReceiptId, SessionId, VendorId},
    money::Money,
    time::Timestamp,
    words::words,
};

words! {
    /// Whether the sessions of a vendor have fiscal receipts.
    pub enum FiscalPolicy {
        /// A receipt is refused: it would not reach a till.
        Off = "off",
        /// A receipt is passed on if there is one.
        Accept = "accept",
        /// A session in roubles is refused without one, unless the defaults make it.
        Required = "required",
    }
}

impl FiscalPolicy {
    /// Its words, for messages.
    pub const WORDS: &str = "off, accept, required";
}

/// A vendor's settings for fiscal receipts. The rates are the vendor's own responsibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiscalSettings {
    pub policy: FiscalPolicy,
    pub tax_system: Option<TaxSystem>,
    /// For the one line of a receipt that is made because none was sent; without it none is made.
    pub vat: Option<Vat>,
    /// The subject of lines that name none; `commodity` if unset.
    pub subject: Option<Subject>,
    /// The mode of lines that name none; `full_payment` if unset.
    pub mode: Option<PaymentMode>,
    /// The most lines of a receipt, as the vendor's till accepts them.
    pub max_items: u32,
}

impl Default for FiscalSettings {
    fn default() -> Self {
        Self {
            policy: FiscalPolicy::Off,
            tax_system: None,
            vat: None,
            subject: None,
            mode: None,
            max_items: MAX_ITEMS,
        }
    }
}

impl FiscalSettings {
    /// The subject of lines that name none.
    #[must_use]
    pub fn default_subject(&self) -> Subject {
        self.subject.unwrap_or(Subject::Commodity)
    }

    /// The mode of lines that name none.
    #[must_use]
    pub fn default_mode(&self) -> PaymentMode {
        self.mode.unwrap_or(PaymentMode::FullPayment)
    }

    /// True if the default rate does not apply to what is sold at this moment.
    #[must_use]
    pub fn has_outdated_rate(&self, at: Timestamp) -> bool {
        self.policy != FiscalPolicy::Off && self.vat.is_some_and(|vat| !vat.applies_at(at))
    }
}

/// The customer, as a receipt names them. Personal data: cleared by the retention.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Buyer {
    pub email: Option<String>,
    /// In digits, with the country's code and no plus sign.
    pub phone: Option<String>,
    /// The name of a company or a person.
    pub full_name: Option<String>,
    /// The taxpayer number: 10 digits of a company, 12 of a person.
    pub inn: Option<String>,
}

impl Buyer {
    /// Everything that identifies the customer.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        let phone = self.phone.as_ref().map(|phone| format!("+{phone}"));
        let all = [self.email.clone(), phone, self.full_name.clone(), self.inn.clone()];
        all.into_iter().flatten().collect()
    }

    /// The contact to which the receipt can be sent, as the law demands.
    #[must_use]
    pub fn contact(&self) -> Contact {
        match (&self.email, &self.phone) {
            (Some(_), _) => Contact::Email,
            (None, Some(_)) => Contact::Phone,
            (None, None) => Contact::Unknown,
        }
    }
}

/// One line of a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiscalItem {
    pub name: String,
    pub quantity: ItemQuantity,
    /// The price of one, in minor units.
    pub price: i64,
    pub vat: Vat,
    pub subject: Subject,
    pub mode: PaymentMode,
    pub measure: Measure,
}

impl FiscalItem {
    /// The total of the line, in minor units.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.quantity.times(self.price)
    }
}

/// The content of a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiscalContent {
    pub buyer: Buyer,
    pub tax_system: Option<TaxSystem>,
    pub items: Vec<FiscalItem>,
}

words! {
    /// What a receipt is for.
    pub enum FiscalKind {
        /// The payment of a session.
        Payment = "payment",
        /// A refund.
        Refund = "refund",
        /// The hand-over of what was paid before.
        Closing = "closing",
    }
}

words! {
    /// What is known of a receipt's registration.
    pub enum ReceiptStatus {
        /// It was not given to a till: the money has not come, or came by a way without one.
        None = "none",
        /// The till has it.
        Pending = "pending",
        /// The tax service has it.
        Registered = "registered",
        /// It will not be registered. A person has to make a correction receipt.
        Failed = "failed",
    }
}

/// The contact of a receipt's customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contact {
    Unknown,
    /// A phone number alone.
    Phone,
    Email,
}

/// What a session says of its fiscal receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionFiscal {
    pub status: ReceiptStatus,
    /// The status that the sandbox plays once the session is paid.
    pub plan: ReceiptStatus,
    /// The contact of the customer that it has.
    pub contact: Contact,
}

/// A fiscal receipt as it is stored. What it says never changes, except that a contact is added that the customer typed, and that the
/// customer is cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiscalReceipt {
    /// The id of its session for a payment, of its transaction for a second payment of the session, of the refund for a refund.
    pub id: FiscalReceiptId,
    pub session: SessionId,
    pub vendor: VendorId,
    pub kind: FiscalKind,
    pub content: FiscalContent,
    /// The sum of its lines.
    pub total: Money,
    /// True if it was made from the vendor's defaults.
    pub is_made: bool,
    pub status: ReceiptStatus,
    /// The status that the sandbox plays.
    pub plan: ReceiptStatus,
    /// The provider that has it.
    pub provider: Option<String>,
    /// The provider's reference of the payment, the refund or the receipt.
    pub reference: Option<String>,
    /// The fiscal document that the till made of it, where the provider names it: the numbers of the fiscal drive and of the
    /// document.
    pub document: Option<String>,
    /// Why it is not registered.
    pub failure: Option<String>,
    /// When the provider got it.
    pub sent_at: Option<Timestamp>,
    /// When the provider is asked next.
    pub check_at: Option<Timestamp>,
    /// How often the provider was asked.
    pub checks: u32,
    /// Increases with every change, for optimistic concurrency.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl FiscalReceipt {
    /// A new receipt, which no till has.
    #[must_use]
    pub fn new(
        id: FiscalReceiptId,
        kind: FiscalKind,
        (session, vendor): (SessionId, VendorId),
        content: FiscalContent,
        total: Money,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            session,
            vendor,
            kind,
            content,
            total,
            is_made: false,
            status: ReceiptStatus::None,
            plan: ReceiptStatus::Registered,
            provider: None,
            reference: None,
            document: None,
            failure: None,
            sent_at: None,
            check_at: None,
            checks: 0,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// True if it is of the payment that the session waited for.
    #[must_use]
    pub fn is_of_session(&self) -> bool {
        self.id == self.session.into()
    }

    /// What its session says of it.
    #[must_use]
    pub fn summary(&self) -> SessionFiscal {
        SessionFiscal { status: self.status, plan: self.plan, contact: self.content.buyer.contact() }
    }

    /// True if a refund of this payment that returns this has to be sent with it. Of a refund without a receipt, a till
    /// returns the lines of the payment, to its customer.
    #[must_use]
    pub fn differs_from(&self, returned: &FiscalContent) -> bool {
        self.content != *returned
    }

    /// Lines whose rate did not apply on the day of the receipt: right for a refund of an older sale alone.
    pub fn outdated(&self) -> impl Iterator<Item = &FiscalItem> {
        let at = self.created_at;
        let sale = self.kind != FiscalKind::Refund;
        self.content.items.iter().filter(move |item| sale && !item.vat.applies_at(at))
    }
}
