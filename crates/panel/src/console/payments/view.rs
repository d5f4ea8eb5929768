//! The lists of all vendors: sessions and transactions.

use crate::{
    pages::{
        form::Complaint,
        vendor_name::VendorName,
        view::{View, template},
    },
    payments::lists::view::{HasTime, List, ListFilter, SessionLine, TransactionLine},
};
use till_domain::{environment::EnvironmentName, method::Method, time::Timestamp};
use till_service::web::words::Words;

/// A row and its vendor.
#[derive(Debug, Clone)]
pub struct OfVendor<Line> {
    pub vendor: VendorName,
    pub line: Line,
}

/// A page of a list of all vendors.
#[derive(Debug, Clone)]
pub struct ConsoleList<Line> {
    pub environment: EnvironmentName,
    pub narrowed: ListFilter,
    /// Its rows, newest first.
    pub rows: Vec<OfVendor<Line>>,
    /// The link to the page of newer rows.
    pub newer: Option<String>,
    /// The link to the page of older rows.
    pub older: Option<String>,
}

pub type AllSessionsPage = ConsoleList<SessionLine>;
pub type AllTransactionsPage = ConsoleList<TransactionLine>;

impl<Line: HasTime> ConsoleList<Line> {
    /// A page without rows.
    #[must_use]
    pub fn empty(environment: EnvironmentName, narrowed: ListFilter) -> Self {
        Self { environment, narrowed, rows: Vec::new(), newer: None, older: None }
    }

    /// The period that its rows cover, oldest first.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.rows.last()?.line.at(), self.rows.first()?.line.at()))
    }

    /// The path of a row's session.
    pub fn path<Id: std::fmt::Display>(&self, id: &Id) -> String {
        format!("/operator/sessions/{}/{id}", self.environment)
    }
}

impl View for AllSessionsPage {
    fn kind(&self) -> &'static str {
        "all-sessions"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-sessions")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.narrowed.complaints(t)
    }

    template!(head, view: AllSessionsPage, "operator/sessions-head.html");

    template!(write, view: AllSessionsPage, "operator/sessions.html");
}

impl View for AllTransactionsPage {
    fn kind(&self) -> &'static str {
        "all-transactions"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-transactions")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.narrowed.complaints(t)
    }

    template!(head, view: AllTransactionsPage, "operator/transactions-head.html");

    template!(write, view: AllTransactionsPage, "operator/transactions.html");
}
