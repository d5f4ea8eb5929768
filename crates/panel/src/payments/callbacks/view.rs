//! The page that asks before all undelivered callbacks are sent again, with their number.

use crate::pages::{
    form::{Complaint, Input},
    view::{Crumb, View, template},
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct ResendAll {
    /// The start of the period as typed: a day and a time in the zone. Empty for all.
    pub since: String,
    /// The name of that zone.
    pub zone: String,
    /// True if the start is invalid.
    pub wrong: bool,
    /// The number of undelivered callbacks.
    pub count: u64,
}

impl ResendAll {
    pub fn input(&self, t: &Words) -> Input {
        let input = Input::new("since", t.with("undelivered-since", "zone", &self.zone));
        input
            .kind("datetime-local")
            .hint(t.text("undelivered-since-hint"))
            .value(&self.since)
            .marked(&self.complaints(t))
    }
}

impl View for ResendAll {
    fn kind(&self) -> &'static str {
        "resend-all"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("resend-heading")
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/panel/callbacks", t.text("nav-callbacks"))]
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        self.wrong.then(|| Complaint::about("since", t.text("wrong-since"))).into_iter().collect()
    }

    template!(write, view: ResendAll, "panel/resend-all.html");
}
