//! The page of one session for the operator: its data, history, attempts, money, refunds and callback.

use crate::{
    console::{
        actions::view::ActionLine,
        callbacks::view::{DeliveryLine, SendLine},
        vendors::view as vendors,
    },
    pages::{
        fiscal::FiscalLine,
        refund::RefundLine,
        vendor_name::VendorName,
        view::{Crumb, View, template},
    },
    payments::lists::view as lists,
};
use till_domain::{
    attempt::Quantity,
    environment::EnvironmentName,
    id::{AttemptId, SessionId, TransactionId},
    metadata::Metadata,
    method::Method,
    money::Money,
    refund::RefundedPart,
    session::{Customer, Status},
    time::Timestamp,
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct OperatorSession {
    pub environment: EnvironmentName,
    pub id: SessionId,
    pub status: Status,
    pub refunded: RefundedPart,
    /// The word of the reason why it failed.
    pub reason: Option<&'static str>,
    /// The vendor's own order number.
    pub order_id: String,
    /// The name of the item paid for.
    pub item: String,
    pub price: Money,
    pub vendor: VendorName,
    /// The methods that the checkout page offers.
    pub methods: Vec<Method>,
    /// The method chosen now.
    pub method: Method,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The end of the payment period, while the session is pending.
    pub ends_at: Option<Timestamp>,
    /// The request that created it.
    pub request_id: String,
    /// What the vendor said of the customer.
    pub customer: Customer,
    /// The vendor's own data.
    pub metadata: Metadata,
    /// When the personal data was erased, if it was.
    pub erased_at: Option<Timestamp>,
    /// The callback address of this session, used instead of the vendor's.
    pub callback_url: Option<String>,
    /// The return address of this session, used instead of the vendor's.
    pub return_url: Option<String>,
    pub checkout_url: String,
    /// The receipt that the customer has.
    pub receipt_url: Option<String>,
    /// The recorded events, oldest first.
    pub history: Vec<CaseLine>,
    /// Attempts to take its money, oldest first.
    pub attempts: Vec<TryLine>,
    /// Movements of money, oldest first.
    pub money: Vec<MoneyLine>,
    /// Its callbacks with their delivery attempts, oldest first: its own status, its refunds.
    pub callbacks: Vec<(DeliveryLine, Vec<SendLine>)>,
    /// Actions about its money, decided or open.
    pub actions: Vec<ActionLine>,
    /// Its refunds in any state.
    pub refunds: Vec<RefundLine>,
    /// True if an amount is left to refund.
    pub can_refund: bool,
    /// Its fiscal receipts, oldest first.
    pub fiscal: Vec<FiscalLine>,
}

/// A line of a session's history.
#[derive(Debug, Clone)]
pub struct CaseLine {
    pub at: Timestamp,
    /// The word of the event type.
    pub kind: String,
    pub detail: Option<String>,
}

impl CaseLine {
    /// The translation key.
    pub fn key(&self) -> String {
        format!("case-{}", self.kind.replace('_', "-"))
    }
}

/// An attempt to take a session's money.
#[derive(Debug, Clone)]
pub struct TryLine {
    pub id: AttemptId,
    /// The time when it started.
    pub at: Timestamp,
    pub method: Method,
    pub provider: String,
    /// The provider's reference of it.
    pub reference: Option<String>,
    /// The word of its state.
    pub state: &'static str,
    /// The word of the reason why the provider declined it.
    pub reason: Option<&'static str>,
    /// The time when the provider is asked next.
    pub check_at: Option<Timestamp>,
}

impl TryLine {
    /// The translation key of its state.
    pub fn key(&self) -> String {
        format!("try-{}", self.state.replace('_', "-"))
    }

    /// The CSS class of its colour.
    pub fn class(&self) -> &'static str {
        match self.state {
            "paid" => "paid",
            "declined" => "failed",
            "closed" => "expired",
            "watched" => "warn",
            _ => "pending",
        }
    }

    pub fn icon(&self) -> &'static str {
        match self.class() {
            "expired" => "off",
            "warn" => "eye",
            class => class,
        }
    }
}

/// A movement of money.
#[derive(Debug, Clone)]
pub struct MoneyLine {
    pub id: TransactionId,
    pub at: Timestamp,
    /// Its value in the session's currency.
    pub worth: Money,
    /// The amount received, in the provider's own unit.
    pub received: Quantity,
    pub method: Method,
    pub provider: String,
    /// The provider's reference of it.
    pub reference: String,
    /// The words of its marks: `late`, `partial`, `over`, `reversed`.
    pub marks: Vec<&'static str>,
}

impl OperatorSession {
    /// The word of its badge.
    pub fn badge(&self) -> &'static str {
        lists::badge(self.status, self.refunded)
    }
}

impl View for OperatorSession {
    fn kind(&self) -> &'static str {
        "case"
    }

    fn heading(&self, _: &Words) -> String {
        self.order_id.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/search", t.text("nav-search"))]
    }

    template!(write, view: OperatorSession, "operator/case.html");
}
