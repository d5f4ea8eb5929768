//! The data of the page templates.

use super::{
    Language, Words,
    figures::{Amount, Moment},
};
use crate::{
    Config, address, assets,
    catalog::{Currency, ITEMS, Item},
    environment::Environment,
    journal::{JournalEntry, MessageKind},
    order::{Order, Status, TroubleKind},
    visit::Visit,
};
use askama::Template;

#[derive(Template)]
#[template(path = "catalogue.html")]
pub struct Catalogue {
    t: Words,
    path: String,
    title: String,
    items: &'static [Item; 3],
    environment: Environment,
    currency: Currency,
}

impl Catalogue {
    pub fn new(visit: &Visit, environment: Environment, currency: Currency) -> Self {
        let t = Words::new(visit.language);
        let title = format!("{} · {}", t.text("brand"), t.text("catalogue-title"));
        Self { t, path: visit.path.clone(), title, items: &ITEMS, environment, currency }
    }

    pub fn write(&self) -> String {
        written(self)
    }
}

/// The list of orders.
#[derive(Template)]
#[template(path = "list.html")]
pub struct List {
    t: Words,
    path: String,
    title: String,
    orders: Vec<Order>,
}

impl List {
    pub fn new(visit: &Visit, orders: Vec<Order>) -> Self {
        let t = Words::new(visit.language);
        let title = format!("{} · {}", t.text("orders-title"), t.text("brand"));
        Self { t, path: visit.path.clone(), title, orders }
    }

    pub fn write(&self) -> String {
        written(self)
    }
}

/// A page with a single message.
#[derive(Template)]
#[template(path = "notice.html")]
pub struct MessagePage {
    t: Words,
    path: String,
    title: String,
    heading: &'static str,
    text: &'static str,
}

impl MessagePage {
    pub fn new(visit: &Visit, key: &str) -> Self {
        let t = Words::new(visit.language);
        let heading = t.text(&format!("{key}-title"));
        let title = format!("{heading} · {}", t.text("brand"));
        // The language switch leads to the shop: the address of a form or of a missing page is not worth
        // coming back to.
        Self { t, path: "/shop".to_owned(), title, heading, text: t.text(key) }
    }

    pub fn write(&self) -> String {
        written(self)
    }
}

/// An order with its journal.
#[derive(Template)]
#[template(path = "order.html")]
pub struct OrderPage {
    t: Words,
    path: String,
    title: String,
    order: Order,
    amount: Amount,
    refunded: Option<Amount>,
    heading: &'static str,
    text: &'static str,
    method: Option<String>,
    lines: Vec<JournalLine>,
    shows_secret: bool,
    /// Changes whenever the page has something new to show.
    pub state: String,
}

/// A journal entry as the page shows it.
struct JournalLine {
    number: usize,
    kind: &'static str,
    from_till: bool,
    title: &'static str,
    about: &'static str,
    moment: Moment,
    method: String,
    path: String,
    status: Option<u16>,
    good: bool,
    took: String,
    times: i64,
    note: Option<(&'static str, bool)>,
    request: String,
    answer: String,
    curl: String,
}

impl OrderPage {
    pub fn new(visit: &Visit, config: &Config, mut order: Order, journal: &[JournalEntry]) -> Self {
        order.session_url = order.session_url.map(|url| address::moved(&url, &config.checkout_url));
        let t = Words::new(visit.language);
        let status = order.shown_status();
        let heading = t.text(&format!("{status}-heading"));
        let said: i64 = journal.iter().map(|entry| entry.times).sum();
        let lines = journal.iter().enumerate();
        Self {
            t,
            path: format!("/shop/orders/{}", order.id),
            title: format!("{heading} · {}", t.text("brand")),
            amount: t.amount(&order.price, &order.currency),
            refunded: order.refunded.as_ref().map(|total| t.amount(total, &order.currency)),
            heading,
            text: explanation(&t, &order),
            method: order.method.as_ref().filter(|_| order.status == Status::Paid).map(|method| {
                let known = ["card", "sbp", "crypto"].contains(&method.as_str());
                if known { t.of("method", method).to_owned() } else { method.clone() }
            }),
            lines: lines
                .map(|(place, entry)| JournalLine::new(&t, config, &order, place + 1, entry))
                .collect(),
            shows_secret: address::is_loopback(&config.base_url),
            state: format!("{status}.{said}.{}", u8::from(order.is_settled())),
            order,
        }
    }

    pub fn write(&self) -> String {
        written(self)
    }

    /// True if the script polls for changes.
    fn follows(&self) -> bool {
        self.order.status != Status::New && !self.order.is_settled()
    }
}

impl JournalLine {
    fn new(t: &Words, config: &Config, order: &Order, number: usize, entry: &JournalEntry) -> Self {
        let kind = entry.kind.word();
        let note = entry.note.as_deref().map(|note| (t.of("note", note), !note.starts_with("doubt")));
        Self {
            number,
            kind,
            from_till: entry.kind == MessageKind::Callback,
            title: t.of("kind", kind),
            about: t.of("about", kind),
            moment: t.moment(&entry.at_ms),
            method: entry.method.clone(),
            path: entry.path.clone(),
            status: entry.status,
            good: entry.went_well(),
            took: if entry.took_ms == 0 { "< 1".to_owned() } else { entry.took_ms.to_string() },
            times: entry.times,
            note,
            request: entry.request_text(),
            answer: entry.answer_text(),
            curl: entry.curl(config, order.environment),
        }
    }
}

/// The text below the page's heading.
fn explanation(t: &Words, order: &Order) -> &'static str {
    let trouble = order.trouble.as_ref().map(|trouble| trouble.kind);
    match order.status {
        Status::Pending if trouble == Some(TroubleKind::Credentials) => t.text("trouble-credentials"),
        Status::New => t.text(match trouble {
            None => "trouble-none",
            Some(TroubleKind::Unreachable) => "trouble-unreachable",
            Some(TroubleKind::Busy) => "trouble-busy",
            Some(TroubleKind::Refused) => "trouble-refused",
            Some(TroubleKind::Credentials) => "trouble-credentials",
            Some(TroubleKind::Unreadable) => "trouble-unreadable",
        }),
        Status::Failed => {
            let reason = format!("reason-{}", order.reason.as_deref().unwrap_or("other"));
            t.first(&[&reason, "reason-other"])
        }
        _ => t.text(&format!("{}-text", order.shown_status())),
    }
}

fn written(page: &impl Template) -> String {
    page.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
}
