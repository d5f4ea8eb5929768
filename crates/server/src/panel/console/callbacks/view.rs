//! Callbacks across vendors: the list, one of them, and sending many again.

use crate::{
    panel::{
        console::actions::view::session_path,
        pages::{
            form::{Complaint, Input},
            vendor_name::VendorName,
            view::{Crumb, View, template},
        },
    },
    web::words::Words,
};
use std::time::Duration;
use till_domain::{
    delivery::DeliveryState,
    environment::Environment,
    id::{EventId, SessionId},
    time::Timestamp,
};

/// Callbacks of one environment.
#[derive(Debug, Clone)]
pub struct Deliveries {
    pub environment: Environment,
    /// Only those that stand like this.
    pub stand: Option<Stand>,
    /// Only this vendor's: what was typed, a name or id.
    pub vendor: String,
    /// Only those since then: what was typed.
    pub since: String,
    /// What is wrong with what was typed.
    pub problems: Vec<FilterProblem>,
    /// Those of this page, newest first.
    pub rows: Vec<DeliveryLine>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
}

/// How a callback stands, as people tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// It is sent, or will be.
    OnItsWay,
    /// The vendor has it.
    Delivered,
    Undelivered,
    /// There was no address to send it to.
    NoTarget,
}

impl Stand {
    pub const ALL: [Self; 4] = [Self::OnItsWay, Self::Delivered, Self::Undelivered, Self::NoTarget];

    /// Its word in addresses and keys.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OnItsWay => "on-its-way",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::NoTarget => "no-target",
        }
    }

    /// The one with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stand| stand.word() == word)
    }

    /// The one that a delivery's state is.
    #[must_use]
    pub fn of(state: DeliveryState) -> Self {
        match state {
            DeliveryState::Queued | DeliveryState::Sending => Self::OnItsWay,
            DeliveryState::Delivered => Self::Delivered,
            DeliveryState::Undelivered => Self::Undelivered,
            DeliveryState::NoTarget => Self::NoTarget,
        }
    }

    /// The key of its name.
    pub fn key(self) -> String {
        format!("deliver-{}", self.word())
    }

    /// The class that gives it its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::OnItsWay => "pending",
            Self::Delivered => "paid",
            Self::Undelivered => "failed",
            Self::NoTarget => "expired",
        }
    }

    pub fn icon(self) -> &'static str {
        if self == Self::NoTarget { "off" } else { self.class() }
    }
}

/// What is wrong with a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterProblem {
    /// There has to be a vendor.
    VendorMissing,
    /// No vendor is called that.
    NoVendor,
    Since,
}

fn complaints(problems: &[FilterProblem], t: &Words) -> Vec<Complaint> {
    let told = problems.iter().map(|problem| match problem {
        FilterProblem::VendorMissing => Complaint::about("vendor", t.text("deliver-vendor-missing")),
        FilterProblem::NoVendor => Complaint::about("vendor", t.text("deliver-no-vendor")),
        FilterProblem::Since => Complaint::about("since", t.text("deliver-wrong-since")),
    });
    told.collect()
}

impl Deliveries {
    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let vendor = Input::new("vendor", t.text("vendor")).kind("search").value(&self.vendor).max(100);
        // A browser would not show what is no date in a field for dates.
        let kind = if self.problems.contains(&FilterProblem::Since) { "text" } else { "date" };
        let since = Input::new("since", t.text("deliver-since")).kind(kind).value(&self.since);
        [vendor.marked(&complaints), since.marked(&complaints)]
    }

    /// Whether only these are listed.
    pub fn has(&self, stand: &Stand) -> bool {
        self.stand == Some(*stand)
    }

    /// Whether anything narrows the list.
    pub fn is_filtered(&self) -> bool {
        self.stand.is_some() || !self.vendor.is_empty() || !self.since.is_empty()
    }

    /// Where many are sent again, with what the list is narrowed to.
    pub fn resend_path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("env", self.environment.as_str());
        query.append_pair("vendor", &self.vendor).append_pair("since", &self.since);
        format!("/operator/callbacks/resend?{}", query.finish())
    }
}

/// A callback in a list.
#[derive(Debug, Clone)]
pub struct DeliveryLine {
    pub id: EventId,
    /// Where its session is.
    pub environment: Environment,
    /// `session.paid` and its like.
    pub event: String,
    /// The session that it is about.
    pub session: SessionId,
    pub vendor: VendorName,
    pub stand: Stand,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// When the vendor first had it.
    pub delivered_at: Option<Timestamp>,
    pub target: Option<String>,
}

impl DeliveryLine {
    pub fn path(&self) -> String {
        format!("/operator/callbacks/{}/{}", self.environment, self.id)
    }

    pub fn session_path(&self) -> String {
        session_path(self.environment, self.session)
    }

    /// Whether it can be sent once more.
    pub fn can_be_resent(&self) -> bool {
        matches!(self.stand, Stand::Delivered | Stand::Undelivered)
    }
}

#[derive(Debug, Clone)]
pub struct OneDelivery {
    pub line: DeliveryLine,
    /// The bytes that are sent, as text.
    pub body: String,
    /// Its attempts, oldest first.
    pub attempts: Vec<SendLine>,
}

/// An attempt to deliver a callback.
#[derive(Debug, Clone)]
pub struct SendLine {
    pub number: u32,
    pub started_at: Timestamp,
    /// How long it took.
    pub took: Option<Duration>,
    /// The word of its result.
    pub result: String,
    /// The status of the answer.
    pub status: Option<u16>,
}

impl SendLine {
    /// What it came to, in words.
    pub fn text(&self, t: &Words) -> String {
        match self.status {
            Some(status) => t.with("sent-status", "status", &status.to_string()),
            None => t.text(&format!("sent-{}", self.result)),
        }
    }

    /// Whether the vendor has it by this one.
    pub fn is_good(&self) -> bool {
        self.result == "delivered"
    }
}

/// Sends many again: first which, then how many, then the act.
#[derive(Debug, Clone)]
pub struct DeliverAll {
    pub environment: Environment,
    /// Whose: what was typed, a name or id.
    pub vendor: String,
    /// Since when: what was typed.
    pub since: String,
    /// What is wrong with what was typed.
    pub problems: Vec<FilterProblem>,
    /// The vendor, and how many of its callbacks these are.
    pub found: Option<(VendorName, u64)>,
}

impl DeliverAll {
    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let vendor = Input::new("vendor", t.text("vendor")).value(&self.vendor).max(100).required();
        let since = Input::new("since", t.text("deliver-since")).value(&self.since).max(40);
        [
            vendor.hint(t.text("deliver-vendor-hint")).marked(&complaints),
            since.hint(t.text("deliver-since-hint")).marked(&complaints),
        ]
    }
}

impl View for Deliveries {
    fn kind(&self) -> &'static str {
        "deliveries"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-deliveries")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        complaints(&self.problems, t)
    }

    template!(write, view: Deliveries, "operator/deliveries.html");
}

impl View for OneDelivery {
    fn kind(&self) -> &'static str {
        "delivery"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("found-callback")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/callbacks", t.text("nav-deliveries"))]
    }

    template!(write, view: OneDelivery, "operator/delivery.html");
}

impl View for DeliverAll {
    fn kind(&self) -> &'static str {
        "deliver-all"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("deliver-all-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/callbacks", t.text("nav-deliveries"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        complaints(&self.problems, t)
    }

    template!(write, view: DeliverAll, "operator/resend.html");
}
