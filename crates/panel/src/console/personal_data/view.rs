//! The page of a customer's personal data.

use crate::pages::{
    form::Complaint,
    view::{View, template},
};
use till_domain::{environment::EnvironmentName, id::SessionId, money::Money, time::Timestamp};
use till_service::web::words::Words;

/// The most sessions that are shown.
pub const MOST_LINES: usize = 100;

#[derive(Debug, Clone, Default)]
pub struct PersonalDataPage {
    /// The address that was typed.
    pub typed: String,
    /// True if it is not an e-mail address.
    pub is_wrong: bool,
    /// What is known of it, once an address was typed.
    pub found: Option<FoundCustomer>,
}

/// What is known of an address.
#[derive(Debug, Clone)]
pub struct FoundCustomer {
    /// The address, encrypted, for the form that erases.
    pub sealed: String,
    /// The number of sessions.
    pub count: usize,
    /// The newest of them.
    pub lines: Vec<CustomerLine>,
    /// Notes and reasons of refunds elsewhere that mention the address.
    pub mentions: usize,
    /// True if an erasure would remove anything.
    pub can_be_erased: bool,
    /// Mails to panel users at this address.
    pub panel_mails: u64,
    pub is_panel_user: bool,
    /// True if it is the contact address of a vendor.
    pub is_contact: bool,
    /// False if the time was not enough to search all metadata and notes.
    pub is_complete: bool,
}

impl FoundCustomer {
    /// True if there are more sessions than are shown.
    pub fn has_more(&self) -> bool {
        self.count > self.lines.len()
    }
}

/// A session of the customer.
#[derive(Debug, Clone)]
pub struct CustomerLine {
    pub environment: EnvironmentName,
    pub id: SessionId,
    pub order_id: String,
    pub price: Money,
    pub created_at: Timestamp,
    /// The words for the kinds of data that an erasure removes.
    pub personal_data: Vec<&'static str>,
    /// True if an erasure waits for the end of open work.
    pub is_waiting: bool,
}

impl CustomerLine {
    /// The kinds of data, for people.
    pub fn kinds(&self, t: &Words) -> String {
        let words: Vec<String> =
            self.personal_data.iter().map(|kind| t.text(&format!("personal-kind-{kind}"))).collect();
        words.join(", ")
    }
}

impl View for PersonalDataPage {
    fn kind(&self) -> &'static str {
        "personal-data"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("personal-heading")
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let wrong = self.is_wrong.then(|| Complaint::about("email", t.text("personal-bad-email")));
        wrong.into_iter().collect()
    }

    template!(write, view: PersonalDataPage, "operator/personal-data.html");
}
