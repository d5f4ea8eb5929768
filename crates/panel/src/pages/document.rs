//! Puts a page together: its frame, its complaints, and its body.

use crate::pages::{
    Frame, Language, PanelPage,
    form::{self, Complaint},
    nav,
    view::View,
};
use askama::Template;
use till_domain::time::Timestamp;
use till_service::web::{assets, links::Contact, moments::Moment, words::Words};

/// The document, as its template sees it.
#[derive(Template)]
#[template(path = "panel/page.html")]
pub struct PanelDocument<'a> {
    pub t: Words,
    pub frame: &'a Frame,
    pub body: &'a dyn View,
    pub heading: String,
    pub complaints: Vec<Complaint>,
}

impl<'a> PanelDocument<'a> {
    pub fn new(page: &'a PanelPage) -> Self {
        let (frame, body) = (&page.frame, page.body.as_ref());
        let t = Words { language: frame.language };
        Self { t, frame, body, heading: body.heading(&t), complaints: body.complaints(&t) }
    }

    pub fn write(&self) -> String {
        self.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
    }

    /// The title, such as `Error: [Sandbox] Settings · Till`.
    fn title(&self) -> String {
        let sandbox = self.frame.sandbox_banner;
        let title =
            if sandbox { self.t.with("title-sandbox", "title", &self.heading) } else { self.heading.clone() };
        let title = format!("{title} · Till");
        if self.complaints.is_empty() { title } else { self.t.with("error-prefix", "title", &title) }
    }

    /// The link of the brand.
    pub fn home(&self) -> &'static str {
        self.frame.who.as_ref().map_or("/panel/login", |who| nav::home(who.role))
    }

    pub fn moment(&self, moment: &Timestamp) -> Moment {
        self.t.moment_near(moment, &self.frame.zone, self.frame.now)
    }

    /// The heading of a column of times, with the name of the zone.
    pub fn when(&self, key: &str) -> String {
        format!("{}, {}", self.t.text(key), self.frame.zone.name())
    }

    /// The period that a list covers, as text.
    pub fn span(&self, span: Option<(Timestamp, Timestamp)>) -> Option<String> {
        let (oldest, newest) = span?;
        let (oldest, newest) = (self.moment(&oldest), self.moment(&newest));
        let t = &self.t;
        Some(t.with_two("span", ("from", &oldest.short), ("to", &newest.short)))
    }

    pub fn contact(&self, contact: &Option<String>) -> Option<Contact> {
        contact.as_deref().map(Contact::new)
    }
}
