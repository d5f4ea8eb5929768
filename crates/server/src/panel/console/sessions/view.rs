//! One session as the operator sees it: what is true of it, what happened, money, its callback.

use crate::{
    panel::{
        console::{
            actions::view::ActionLine,
            callbacks::view::{DeliveryLine, SendLine},
            vendors::view as vendors,
        },
        pages::{
            refund::RefundLine,
            vendor_name::VendorName,
            view::{Crumb, View, template},
        },
    },
    web::words::Words,
};
use till_domain::{
    environment::Environment,
    id::{AttemptId, SessionId, TransactionId},
    method::Method,
    money::Money,
    session::Status,
    time::Timestamp,
};

#[derive(Debug, Clone)]
pub struct Case {
    pub environment: Environment,
    pub id: SessionId,
    pub status: Status,
    /// Why it failed, by its word.
    pub reason: Option<&'static str>,
    /// The vendor's own order number.
    pub order_id: String,
    /// What is paid for.
    pub item: String,
    pub price: Money,
    pub vendor: VendorName,
    /// What the checkout page offers.
    pub methods: Vec<Method>,
    /// The method that counts now.
    pub method: Method,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// Until when it can be paid, while it can.
    pub ends_at: Option<Timestamp>,
    /// The request that created it.
    pub request_id: String,
    /// Where its callback goes instead of the vendor's address.
    pub callback_url: Option<String>,
    /// Where the customer goes instead of the vendor's address.
    pub return_url: Option<String>,
    pub checkout_url: String,
    /// What was written down about it, oldest first.
    pub history: Vec<CaseLine>,
    /// Attempts to take its money, oldest first.
    pub attempts: Vec<TryLine>,
    /// What happened to money, oldest first.
    pub money: Vec<MoneyLine>,
    /// Its callback with its attempts, once it is final.
    pub callback: Option<(DeliveryLine, Vec<SendLine>)>,
    /// What had or has to be decided about it.
    pub actions: Vec<ActionLine>,
    /// What went back or is to go back.
    pub refunds: Vec<RefundLine>,
    /// Whether something is left to refund.
    pub can_refund: bool,
}

/// A line of a session's history.
#[derive(Debug, Clone)]
pub struct CaseLine {
    pub at: Timestamp,
    /// The word of what happened.
    pub kind: String,
    pub detail: Option<String>,
}

impl CaseLine {
    /// The key of its words.
    pub fn key(&self) -> String {
        format!("case-{}", self.kind.replace('_', "-"))
    }
}

/// An attempt to take a session's money.
#[derive(Debug, Clone)]
pub struct TryLine {
    pub id: AttemptId,
    /// When it was begun.
    pub at: Timestamp,
    pub method: Method,
    pub provider: String,
    /// What the provider calls it.
    pub reference: Option<String>,
    /// The word of where it stands.
    pub state: &'static str,
    /// Why the provider said no, by its word.
    pub reason: Option<&'static str>,
    /// When the provider is asked next.
    pub check_at: Option<Timestamp>,
}

impl TryLine {
    /// The key of where it stands.
    pub fn key(&self) -> String {
        format!("try-{}", self.state.replace('_', "-"))
    }

    /// The class that gives it its colour.
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
    /// What it is worth.
    pub worth: Money,
    /// What came, in the provider's own unit.
    pub received: String,
    pub method: Method,
    pub provider: String,
    /// What the provider calls it.
    pub reference: String,
    /// What is unusual about it, by words.
    pub marks: Vec<&'static str>,
}

impl View for Case {
    fn kind(&self) -> &'static str {
        "case"
    }

    fn heading(&self, _: &Words) -> String {
        self.order_id.clone()
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/search", t.text("nav-search"))]
    }

    template!(write, view: Case, "operator/case.html");
}
