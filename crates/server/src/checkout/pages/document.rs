//! Builds a page: picks the template's view of a body and renders the document.

use super::{
    Address, Bank, Banner, Body, Challenge, ChallengeNote, CheckoutPage, Coins, Confirming, Embedded, Frame,
    Language, LeaveQuestion, Methods, Panel, PanelState, Problem, Qr, Waiting,
    challenge::delivery_by_default,
    notice::NoticeView,
    result::{FactValue, ResultView, ResultWriter},
    slip::SlipView,
    summary::OrderSummary,
    title::title,
};
use askama::Template;
use till_domain::{
    method::Method,
    misdelivery::{DeliveryChoice, Fault},
    session::Status,
};
use till_service::web::{
    assets,
    links::{self, Contact},
    qr::Code,
    words::Words,
};

/// The document for the template.
#[derive(Template)]
#[template(path = "checkout/page.html")]
pub(super) struct CheckoutDocument<'a> {
    t: Words,
    frame: &'a Frame,
    path: &'a str,
    shop: String,
    can_return: bool,
    contact: Option<Contact>,
    title: String,
    kind: &'static str,
    state: String,
    /// Announced by a screen reader when the page changes into this one.
    spoken: Option<String>,
    stub: Option<OrderSummary<'a>>,
    content: Content<'a>,
}

/// The content of the document.
enum Content<'a> {
    Methods(&'a Methods),
    Waiting(&'a Waiting, bool),
    Bank(&'a Bank),
    Embedded(&'a Embedded),
    Qr(&'a Qr, Option<Code>),
    Address(&'a Address, Option<Code>),
    Confirming(&'a Confirming),
    Outcome(ResultView),
    Receipt(SlipView),
    Notice(NoticeView),
    Leave(&'a LeaveQuestion),
    Challenge(&'a Challenge),
}

impl<'a> CheckoutDocument<'a> {
    pub fn new(page: &'a CheckoutPage) -> Self {
        let CheckoutPage { frame, body } = page;
        let t = Words { language: frame.language };
        let shop = frame.shop.as_ref().map_or_else(|| t.text("shop-unnamed"), |shop| shop.name.clone());
        let can_return = frame.shop.as_ref().is_some_and(|shop| shop.can_return);
        Self {
            t,
            frame,
            path: &frame.path,
            can_return,
            contact: frame.shop.as_ref().and_then(|shop| shop.contact.as_deref()).map(Contact::new),
            title: title(body, &t, &shop),
            kind: body.kind(),
            state: body.state(),
            spoken: spoken(body, &t),
            stub: OrderSummary::new(body, &t),
            content: Content::new(body, ResultWriter { t, shop: &shop, can_return }),
            shop,
        }
    }

    pub fn write(&self) -> String {
        self.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
    }

    /// True if the page is one column: a result or a notice, with nothing to do beside it.
    fn is_single(&self) -> bool {
        use Content::{Challenge, Leave, Notice, Outcome, Receipt};
        matches!(self.content, Outcome(_) | Receipt(_) | Notice(_) | Leave(_) | Challenge(_))
    }

    /// True if the header has a link back to the shop, on pages whose body has no button for it.
    fn back(&self) -> bool {
        self.can_return && !self.is_single()
    }

    fn events(&self) -> bool {
        self.frame.live && !self.frame.path.is_empty()
    }

    fn return_in(&self) -> Option<u64> {
        match &self.content {
            Content::Outcome(outcome) if self.can_return => outcome.return_in,
            _ => None,
        }
    }

    /// The link for help: to the shop, or to the operator if the shop names no contact.
    fn help(&self) -> Option<String> {
        let operator = self.frame.operator.support.as_deref().map(Contact::new);
        let shop = self.contact.as_ref().and_then(|contact| contact.href.clone());
        shop.or_else(|| operator?.href)
    }

    fn terms(&self) -> Option<&str> {
        self.frame.operator.terms.as_deref().and_then(links::page)
    }

    fn privacy(&self) -> Option<&str> {
        self.frame.operator.privacy.as_deref().and_then(links::page)
    }

    /// True if a tester can make happen what follows a payment.
    fn can_simulate(&self) -> bool {
        let ended = matches!(&self.content, Content::Outcome(outcome) if outcome.again.is_none());
        ended && self.frame.banner == Some(Banner::Sandbox)
    }

    fn is_final(&self) -> bool {
        matches!(self.content, Content::Outcome(_))
    }
}

impl<'a> Content<'a> {
    fn new(body: &'a Body, teller: ResultWriter<'_>) -> Self {
        if let Some(outcome) = teller.tell(body) {
            return Self::Outcome(outcome);
        }
        if let Some(notice) = NoticeView::new(body, &teller.t) {
            return Self::Notice(notice);
        }
        match body {
            Body::Methods(view) => Self::Methods(view),
            Body::Preparing(view) => Self::Waiting(view, true),
            Body::Processing(view) => Self::Waiting(view, false),
            Body::Bank(view) => Self::Bank(view),
            Body::Embedded(view) => Self::Embedded(view),
            Body::Qr(view) => Self::Qr(view, Code::new(&view.payload)),
            Body::Address(view) => Self::Address(view, Code::new(&view.payload)),
            Body::Confirming(view) => Self::Confirming(view),
            Body::Leave(view) => Self::Leave(view),
            Body::Challenge(view) => Self::Challenge(view),
            Body::Receipt(view) => Self::Receipt(teller.receipt(view)),
            _ => unreachable!("results and notices are taken above"),
        }
    }
}

/// The announcement of a screen reader when the page changes into this one by itself. A result is not
/// announced: its heading gets the focus. Of many confirmations only the first ones and the halfway mark are
/// announced.
fn spoken(body: &Body, t: &Words) -> Option<String> {
    match body {
        Body::Preparing(_) => Some(t.text("preparing-heading")),
        Body::Processing(_) => Some(t.text("processing-heading")),
        Body::Bank(_) => Some(t.text("bank-heading")),
        Body::Embedded(_) => Some(t.text("embedded-heading")),
        Body::Qr(_) => Some(t.text("qr-heading")),
        Body::Address(view) => view
            .partial
            .as_ref()
            .map(|partial| t.with("address-more-heading", "coins", &t.number(&partial.missing))),
        Body::Confirming(view) if view.seen <= 1 => Some(t.text("confirming-heading")),
        Body::Confirming(view) if view.seen == view.needed.div_ceil(2) => {
            Some(view.progress(t, "confirmations-spoken"))
        }
        _ => None,
    }
}

impl LeaveQuestion {
    fn key(&self) -> &'static str {
        if self.under_way { "leave-under-way" } else { "leave-unpaid" }
    }

    fn heading(&self, t: &Words) -> String {
        t.text(&format!("{}-heading", self.key()))
    }

    fn text(&self, t: &Words) -> String {
        t.with(self.key(), "host", &self.host)
    }

    fn stay(&self, t: &Words) -> String {
        t.text(&format!("{}-stay", self.key()))
    }
}

impl Methods {
    /// The number of methods that can be used now.
    fn ready(&self) -> usize {
        self.panels.iter().filter(|panel| panel.state == PanelState::Ready).count()
    }

    /// The one panel, if there is only one and it can be used: its form is shown without a selector.
    fn only(&self) -> Option<&Panel> {
        match self.panels.as_slice() {
            [panel] if panel.state == PanelState::Ready => Some(panel),
            _ => None,
        }
    }

    /// True if the tester chooses the outcome of the payment here.
    pub(super) fn is_test(&self) -> bool {
        self.only().is_some_and(|panel| !panel.choices.is_empty())
    }

    /// The word of the delivery that the tester chose; empty for the vendor's default.
    fn delivery(&self) -> &'static str {
        self.targets.as_ref().map_or("", |targets| targets.delivery)
    }

    /// The text of the vendor's default delivery.
    fn default_delivery(&self, t: &Words) -> String {
        let targets = self.targets.as_ref();
        delivery_by_default(targets.map_or(DeliveryChoice::NONE, |targets| targets.default_delivery), t)
    }

    /// The id of the field for the e-mail address beside this method; `None` if it has none.
    fn email_id(&self, panel: &Panel) -> Option<String> {
        match panel.method {
            Method::Card if self.receipts || panel.needs_email => Some("email".to_owned()),
            method if panel.needs_email => Some(format!("email-{method}")),
            _ => None,
        }
    }

    /// The ids of the hint and the error message of that field (`aria-describedby`).
    fn email_described_by(&self, panel: &Panel) -> Option<String> {
        let id = self.email_id(panel)?;
        let hint = panel.needs_email.then(|| format!("{id}-hint"));
        let error = self.wrong_email().map(|_| format!("{id}-error"));
        let ids: Vec<String> = hint.into_iter().chain(error).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// The text key of what is wrong with the e-mail address.
    fn wrong_email(&self) -> Option<&'static str> {
        match self.problem? {
            Problem::Email => Some("problem-email"),
            Problem::EmailNeeded => Some("problem-email-needed"),
            Problem::EmailTooLong => Some("problem-email-long"),
            _ => None,
        }
    }

    /// The link to the field of the open method, or else to the first one.
    fn email_link(&self) -> Option<String> {
        let open = self.panels.iter().find(|panel| panel.method == self.open);
        let link = open.and_then(|panel| self.email_id(panel));
        let link = link.or_else(|| self.panels.iter().find_map(|panel| self.email_id(panel)));
        link.map(|id| format!("#{id}"))
    }

    /// The text of the error summary, and the field that it links to.
    fn complaint(&self, t: &Words) -> Option<(String, Option<String>)> {
        Some(match self.problem? {
            Problem::Email => (t.text("problem-email"), self.email_link()),
            Problem::EmailNeeded => (t.text("problem-email-needed"), self.email_link()),
            Problem::EmailTooLong => (t.text("problem-email-long"), self.email_link()),
            Problem::MethodDown(method) => (t.text(&format!("problem-down-{method}")), None),
            Problem::MethodSilent(method) => (t.text(&format!("problem-silent-{method}")), None),
            Problem::MethodTimedOut(_) => (t.text("problem-timed-out"), None),
            Problem::StartFailed(_) => (t.text("problem-start-failed"), None),
            Problem::TooMany(limit) => {
                let words = match limit.seconds() {
                    None => t.text("problem-too-many-session"),
                    Some(seconds) if seconds < 60 => {
                        t.count(&format!("problem-too-many-{}-seconds", limit.limit()), &seconds)
                    }
                    Some(seconds) => {
                        t.count(&format!("problem-too-many-{}-minutes", limit.limit()), &seconds.div_ceil(60))
                    }
                };
                (words, None)
            }
            Problem::Busy => (t.text("problem-busy"), None),
        })
    }
}

impl Panel {
    fn hint(&self, t: &Words) -> String {
        let key = format!("method-{}-hint", self.method);
        t.count(&key, &self.minutes)
    }

    /// The reason why it cannot be used.
    fn reason(&self, t: &Words) -> String {
        match self.state {
            PanelState::Down => t.text(&format!("panel-down-{}", self.method)),
            PanelState::TimedOut | PanelState::Ready => t.text("panel-timed-out"),
        }
    }

    /// The text of the button.
    fn button(&self, t: &Words) -> String {
        t.text(&format!("pay-{}", self.method))
    }
}

impl Embedded {
    /// The text of the form's button.
    fn button(&self, t: &Words) -> String {
        t.with("embedded-pay", "amount", &t.money(&self.order.amount))
    }

    /// The values as JSON for the script.
    fn json(&self) -> String {
        let values = self.values.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        serde_json::Value::Object(values.collect()).to_string()
    }
}

impl Confirming {
    /// The request to send the rest, if the transfer is too little.
    fn short(&self, t: &Words) -> Option<String> {
        let missing = self.missing.as_ref()?;
        Some(t.with_two(
            "confirming-short",
            ("coins", &t.coins(&missing.coins)),
            ("address", &missing.address),
        ))
    }
}

impl Address {
    /// The amount still to be sent.
    pub(super) fn due(&self) -> Coins {
        let amount = self.partial.as_ref().map_or(&self.coins.amount, |partial| &partial.missing);
        Coins { amount: amount.clone(), unit: self.coins.unit.clone() }
    }

    fn wrong_network(&self, t: &Words) -> String {
        t.with_two("wrong-network", ("unit", &self.coins.unit), ("network", &self.network))
    }

    /// The address in three parts: the first and last characters, which people compare, around the middle.
    fn address_parts(&self) -> (String, String, String) {
        const ENDS: usize = 6;
        let letters: Vec<char> = self.address.chars().collect();
        if letters.len() <= 2 * ENDS {
            return (self.address.clone(), String::new(), String::new());
        }
        let text = |part: &[char]| part.iter().collect();
        let (head, rest) = letters.split_at(ENDS);
        let (middle, tail) = rest.split_at(rest.len() - ENDS);
        (text(head), text(middle), text(tail))
    }

    fn received_so_far(&self, t: &Words) -> Option<String> {
        let partial = self.partial.as_ref()?;
        let (received, missing) = (t.number(&partial.received), t.number(&partial.missing));
        let coins = t.coins(&self.coins);
        let values = [("received", received.into()), ("coins", coins.into()), ("missing", missing.into())];
        Some(t.fill("address-partial", values))
    }
}

impl Confirming {
    fn progress(&self, t: &Words, key: &str) -> String {
        t.fill(key, [("seen", self.seen.into()), ("needed", self.needed.into())])
    }

    /// The progress bar: its width, its filled part, and the gaps between segments, in twelfths of a segment.
    fn bar(&self) -> (u64, u64, Vec<u64>) {
        let gaps =
            if self.needed <= 24 { (1..self.needed).map(|place| place * 12 - 1).collect() } else { vec![] };
        (self.needed.max(1) * 12, self.seen.min(self.needed) * 12, gaps)
    }
}
