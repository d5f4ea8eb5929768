//! "Send all undelivered callbacks since then": how many they are, before it is done.

use crate::{
    panel::pages::{
        form::{Complaint, Input},
        view::{Crumb, View, template},
    },
    web::words::Words,
};

/// What is asked before all undelivered callbacks are sent once more.
#[derive(Debug, Clone)]
pub struct ResendAll {
    /// Since when, as it was typed: a day and a time in the vendor's zone. Empty for all.
    pub since: String,
    /// The name of that zone.
    pub zone: String,
    /// Whether that is no moment.
    pub wrong: bool,
    /// How many there are.
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
