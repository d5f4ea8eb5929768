//! The pages of callbacks of all vendors: the list, one callback, and sending many again.

use crate::{
    console::actions::view::session_path,
    pages::{
        form::{Complaint, Input},
        vendor_name::VendorName,
        view::{Crumb, View, template},
    },
};
use std::time::Duration;
use till_domain::{
    delivery::DeliveryState,
    environment::EnvironmentName,
    id::{EventId, SessionId},
    time::Timestamp,
};
use till_service::web::words::Words;

/// The callbacks of one environment.
#[derive(Debug, Clone)]
pub struct Deliveries {
    pub environment: EnvironmentName,
    /// The state filter.
    pub stand: Option<CallbackGroup>,
    /// The vendor filter as typed: a name or id.
    pub vendor: String,
    /// The start date filter as typed.
    pub since: String,
    /// Problems with the filter.
    pub problems: Vec<FilterProblem>,
    /// The callbacks of this page, newest first.
    pub rows: Vec<DeliveryLine>,
    /// The link to the page of newer callbacks.
    pub newer: Option<String>,
    /// The link to the page of older callbacks.
    pub older: Option<String>,
}

/// The state of a callback, as the panel groups it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackGroup {
    /// It is queued or being sent.
    OnItsWay,
    /// The vendor received it.
    Delivered,
    Undelivered,
    /// There was no address to send it to.
    NoTarget,
}

impl CallbackGroup {
    pub const ALL: [Self; 4] = [Self::OnItsWay, Self::Delivered, Self::Undelivered, Self::NoTarget];

    /// The word used in addresses and translation keys.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OnItsWay => "on-its-way",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::NoTarget => "no-target",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stand| stand.word() == word)
    }

    /// The group of a delivery state.
    #[must_use]
    pub fn of(state: DeliveryState) -> Self {
        match state {
            DeliveryState::Queued | DeliveryState::Sending => Self::OnItsWay,
            DeliveryState::Delivered => Self::Delivered,
            DeliveryState::Undelivered => Self::Undelivered,
            DeliveryState::NoTarget => Self::NoTarget,
        }
    }

    /// The translation key of its name.
    pub fn key(self) -> String {
        format!("deliver-{}", self.word())
    }

    /// The CSS class of its colour.
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

/// A problem with the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterProblem {
    /// A vendor is required.
    VendorMissing,
    /// No vendor has this name or id.
    NoVendor,
    Since,
}

fn complaints(problems: &[FilterProblem], t: &Words) -> Vec<Complaint> {
    let complaints = problems.iter().map(|problem| match problem {
        FilterProblem::VendorMissing => Complaint::about("vendor", t.text("deliver-vendor-missing")),
        FilterProblem::NoVendor => Complaint::about("vendor", t.text("deliver-no-vendor")),
        FilterProblem::Since => Complaint::about("since", t.text("deliver-wrong-since")),
    });
    complaints.collect()
}

impl Deliveries {
    pub fn inputs(&self, t: &Words) -> [Input; 2] {
        let complaints = self.complaints(t);
        let vendor = Input::new("vendor", t.text("vendor")).kind("search").value(&self.vendor).max(100);
        // A browser would not show an invalid date in a field of type `date`.
        let kind = if self.problems.contains(&FilterProblem::Since) { "text" } else { "date" };
        let since = Input::new("since", t.text("deliver-since")).kind(kind).value(&self.since);
        [vendor.marked(&complaints), since.marked(&complaints)]
    }

    /// True if the list is filtered to this state.
    pub fn has(&self, stand: &CallbackGroup) -> bool {
        self.stand == Some(*stand)
    }

    /// True if any filter is set.
    pub fn is_filtered(&self) -> bool {
        self.stand.is_some() || !self.vendor.is_empty() || !self.since.is_empty()
    }

    /// The link for sending many again, with the filters of the list.
    pub fn resend_path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("env", self.environment.as_str());
        query.append_pair("vendor", &self.vendor).append_pair("since", &self.since);
        format!("/operator/callbacks/resend?{}", query.finish())
    }
}

#[derive(Debug, Clone)]
pub struct DeliveryLine {
    pub id: EventId,
    /// The environment of its session.
    pub environment: EnvironmentName,
    /// The event type, such as `session.paid`.
    pub event: String,
    /// The session that it is about.
    pub session: SessionId,
    pub vendor: VendorName,
    pub stand: CallbackGroup,
    /// The number of attempts so far.
    pub attempts: u32,
    pub created_at: Timestamp,
    /// The time of the next attempt.
    pub next_at: Option<Timestamp>,
    /// The time of the first successful delivery.
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

    /// Its address, and the address without the scheme, whose beginning tells shops apart.
    pub fn shown_target(&self) -> Option<(&str, &str)> {
        let target = self.target.as_deref()?;
        Some((target, target.split_once("://").map_or(target, |(_, place)| place)))
    }

    /// True if it can be sent again.
    pub fn can_be_resent(&self) -> bool {
        matches!(self.stand, CallbackGroup::Delivered | CallbackGroup::Undelivered)
    }
}

#[derive(Debug, Clone)]
pub struct OneDelivery {
    pub line: DeliveryLine,
    /// The bytes that are sent, as text.
    pub body: String,
    /// The delivery attempts, oldest first.
    pub attempts: Vec<SendLine>,
}

#[derive(Debug, Clone)]
pub struct SendLine {
    pub number: u32,
    pub started_at: Timestamp,
    pub took: Option<Duration>,
    /// The word of its result.
    pub result: String,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// Who asked for it, if it is a manual one.
    pub requested_by: Option<String>,
}

impl SendLine {
    /// The translated result.
    pub fn text(&self, t: &Words) -> String {
        match self.status {
            Some(status) => t.with("sent-status", "status", &status.to_string()),
            None => t.text(&format!("sent-{}", self.result)),
        }
    }

    /// True if this attempt delivered the callback.
    pub fn is_good(&self) -> bool {
        self.result == "delivered"
    }
}

/// Sends many callbacks again: first the filter, then the number, then the confirmation.
#[derive(Debug, Clone)]
pub struct DeliverAll {
    pub environment: EnvironmentName,
    /// The vendor as typed: a name or id.
    pub vendor: String,
    /// The start of the period as typed.
    pub since: String,
    /// Problems with the filter.
    pub problems: Vec<FilterProblem>,
    /// The vendor, and the number of its callbacks that match.
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
