//! Puts a page together: its frame, its complaints, and the part that shows its body.

use super::{
    Body, Frame, Import, Language, OneSession, PERIODS, Page, ProfileLine, Step, VendorName,
    form::{self, Complaint},
    nav, part,
    title::{heading, setup_name},
};
use crate::{
    registry::Kind,
    web::{assets, links::Contact, moments::Moment, words::Words},
};
use askama::Template;
use till_domain::time::Timestamp;

/// The document, as its template sees it.
#[derive(Template)]
#[template(path = "panel/page.html")]
pub(super) struct Document<'a> {
    pub(super) t: Words,
    pub(super) frame: &'a Frame,
    pub(super) body: &'a Body,
    pub(super) heading: String,
    pub(super) complaints: Vec<Complaint>,
}

/// A page above.
struct Crumb {
    href: String,
    text: String,
}

/// A link in the head of a page.
struct Action {
    href: &'static str,
    word: &'static str,
    /// Whether it is the main one.
    key: bool,
}

impl<'a> Document<'a> {
    /// The document of a page.
    pub fn new(page: &'a Page) -> Self {
        let Page { frame, body } = page;
        let t = Words { language: frame.language };
        Self { t, frame, body, heading: heading(body, &t), complaints: body.complaints(&t) }
    }

    /// The HTML.
    pub fn write(&self) -> String {
        self.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail"))
    }

    /// What the page shows.
    fn part(&self) -> part::Html {
        part::write(self)
    }

    /// `Error: [Sandbox] Settings · Till`.
    fn title(&self) -> String {
        let sandbox = self.frame.sandbox_banner;
        let title =
            if sandbox { self.t.with("title-sandbox", "title", &self.heading) } else { self.heading.clone() };
        let title = format!("{title} · Till");
        if self.complaints.is_empty() { title } else { self.t.with("error-prefix", "title", &title) }
    }

    /// Whether the page is one slip in the middle: for those who are not in yet, or may go nowhere else.
    pub(super) fn is_slip(&self) -> bool {
        match self.body {
            Body::TotpSetup(view) => view.forced,
            Body::RecoveryCodes(_) => self.frame.place.is_none(),
            body => self.frame.who.is_none() || body.is_entry(),
        }
    }

    /// Where the brand leads.
    pub(super) fn home(&self) -> &'static str {
        self.frame.who.as_ref().map_or("/panel/login", |who| nav::home(who.role))
    }

    /// What is above the page.
    fn crumbs(&self) -> Vec<Crumb> {
        let crumb = |href: &str, text: String| Crumb { href: href.to_owned(), text };
        let t = &self.t;
        let of_vendor = |vendor: &VendorName| {
            let path = format!("/operator/vendors/{}", vendor.id);
            vec![crumb("/operator/vendors", t.text("nav-vendors")), crumb(&path, vendor.name.clone())]
        };
        match self.body {
            Body::TotpSetup(_) | Body::RecoveryCodes(_) => {
                vec![crumb("/panel/account", t.text("nav-account"))]
            }
            Body::Session(view) => {
                vec![crumb("/panel/sessions", t.text("nav-sessions")), crumb("", view.order_id.clone())]
            }
            Body::ResendAll(_) => vec![crumb("/panel/callbacks", t.text("nav-callbacks"))],
            Body::Rotate(_) | Body::Rotated(_) | Body::Sandbox(_) => {
                vec![crumb("/panel/settings", t.text("nav-settings"))]
            }
            Body::Product(_) | Body::Categories(_) | Body::NoCatalog => {
                vec![crumb("/panel/products", t.text("nav-products"))]
            }
            Body::Category(_) => vec![
                crumb("/panel/products", t.text("nav-products")),
                crumb("/panel/categories", t.text("categories")),
            ],
            Body::Import(Import { goods, .. }) => vec![crumb(goods.path(), t.text(goods.list()))],
            Body::Preview(view) => vec![
                crumb(view.goods.path(), t.text(view.goods.list())),
                crumb(&format!("{}/import", view.goods.path()), t.text("import-file-crumb")),
            ],
            Body::NewMember(_) | Body::Member(_) => vec![crumb("/panel/team", t.text("nav-team"))],
            Body::Invited(view) if view.of_team => vec![crumb("/panel/team", t.text("nav-team"))],
            Body::ProfileVendor(_) => vec![crumb("/panel/profile", t.text("nav-profile"))],
            Body::NewVendor(_) | Body::VendorCreated(_) | Body::Vendor(_) => {
                vec![crumb("/operator/vendors", t.text("nav-vendors"))]
            }
            Body::Terms(view) => of_vendor(&view.vendor),
            Body::Wallet(view) => view.owner.iter().flat_map(of_vendor).collect(),
            Body::NewUser(_) | Body::Invited(_) | Body::User(_) => {
                vec![crumb("/operator/users", t.text("nav-users"))]
            }
            Body::AskPayout(_) => vec![crumb("/panel/wallet", t.text("nav-wallet"))],
            Body::StepPayout(_) => vec![crumb("/operator/payouts", t.text("nav-payouts"))],
            Body::Decide(_) => vec![crumb("/operator/actions", t.text("nav-actions"))],
            Body::Delivery(_) | Body::DeliverAll(_) => {
                vec![crumb("/operator/callbacks", t.text("nav-deliveries"))]
            }
            Body::Chains(_) | Body::Service(_) => {
                vec![crumb("/operator/providers", t.text("nav-providers"))]
            }
            Body::EditSetup(view) => vec![
                crumb("/operator/providers", t.text("nav-providers")),
                crumb(&format!("/operator/providers/{}", view.kind.name()), setup_name(view.kind, t)),
            ],
            Body::Case(_) => vec![crumb("/operator/search", t.text("nav-search"))],
            _ => Vec::new(),
        }
    }

    /// What the head of the page offers.
    fn actions(&self) -> Vec<Action> {
        let key = |href, word| Action { href, word, key: true };
        let other = |href, word| Action { href, word, key: false };
        match self.body {
            Body::Vendors(_) => vec![key("/operator/vendors/new", "new-vendor")],
            Body::Users(_) => vec![key("/operator/users/new", "new-user")],
            Body::Providers(view) => {
                let begin = |kind: &Kind| match kind {
                    Kind::Yookassa => other("/operator/providers/yookassa/edit", "setup-begin-yookassa"),
                    Kind::Stripe => other("/operator/providers/stripe/edit", "setup-begin-stripe"),
                    Kind::Evm => other("/operator/providers/evm/edit", "setup-begin-evm"),
                };
                view.can_begin.iter().map(begin).collect()
            }
            Body::Products(view) if view.can_change => vec![
                other("/panel/categories", "categories"),
                other("/panel/products/import", "import"),
                key("/panel/products/new", "new-product"),
            ],
            Body::Products(_) => vec![other("/panel/categories", "categories")],
            Body::Categories(view) if view.can_change => {
                vec![
                    other("/panel/categories/import", "import"),
                    key("/panel/categories/new", "new-category"),
                ]
            }
            Body::Wallet(view) if view.can_ask => vec![other("/panel/wallet/payout", "payout-ask")],
            Body::Team(_) => vec![key("/panel/team/new", "invite-member")],
            _ => Vec::new(),
        }
    }

    /// Whether a vendor of a list is the one that the page shows.
    pub(super) fn is_shown(&self, line: &ProfileLine) -> bool {
        matches!(self.body, Body::ProfileVendor(view) if view.id == line.id)
    }

    pub(super) fn moment(&self, moment: &Timestamp) -> Moment {
        self.t.moment_in(moment, &self.frame.zone)
    }

    /// The heading of a column of moments.
    pub(super) fn when(&self, key: &str) -> String {
        format!("{}, {}", self.t.text(key), self.frame.zone.name())
    }

    /// The moments between which a list is, in words.
    pub(super) fn span(&self, span: Option<(Timestamp, Timestamp)>) -> Option<String> {
        let (oldest, newest) = span?;
        let (oldest, newest) = (self.moment(&oldest), self.moment(&newest));
        let t = &self.t;
        Some(t.with_two("span", ("from", &oldest.short), ("to", &newest.short)))
    }

    /// What happened to a session, with the day where it is another than before.
    pub(super) fn timeline(&self, view: &'a OneSession) -> Vec<(&'a Step, Option<String>)> {
        let mut last = String::new();
        let steps = view.steps.iter().map(|step| {
            let day = self.moment(&step.at).day;
            let is_new = std::mem::replace(&mut last, day.clone()) != day;
            (step, is_new.then_some(day))
        });
        steps.collect()
    }

    pub(super) fn contact(&self, contact: &Option<String>) -> Option<Contact> {
        contact.as_deref().map(Contact::new)
    }
}

impl Body {
    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        match self {
            Self::Login(view) => view.complaints(t),
            Self::Code(view) => view.complaints(t),
            Self::Forgot(view) => view.complaints(t),
            Self::SetPassword(view) => view.complaints(t),
            Self::Account(view) => view.complaints(t),
            Self::TotpSetup(view) => view.complaints(t),
            Self::Sessions(view) => view.narrowed.complaints(t),
            Self::Transactions(view) => view.narrowed.complaints(t),
            Self::Wallet(view) => view.complaints(t),
            Self::AskPayout(view) => view.complaints(t),
            Self::StepPayout(view) => view.complaints(t),
            Self::HandRefund(view) => view.complaints(t),
            Self::Callbacks(view) => view.narrowed.complaints(t),
            Self::ResendAll(view) => view.complaints(t),
            Self::Settings(view) => view.complaints(t),
            Self::Rotate(view) => view.complaints(t),
            Self::Sandbox(view) => view.complaints(t),
            Self::Product(view) => view.complaints(t),
            Self::Category(view) => view.complaints(t),
            Self::Import(view) => view.complaints(t),
            Self::Preview(view) => view.complaints(t),
            Self::NewMember(view) => view.complaints(t),
            Self::NewVendor(view) => view.complaints(t),
            Self::NewUser(view) => view.complaints(t),
            Self::Vendor(view) => view.asked.complaints(t),
            Self::Terms(view) => view.complaints(t),
            Self::Confirm(question) => question.complaints(t),
            Self::Deliveries(view) => view.complaints(t),
            Self::DeliverAll(view) => view.complaints(t),
            Self::EditSetup(view) => view.complaints(t),
            _ => Vec::new(),
        }
    }

    /// Whether it is on the way in, whoever looks.
    fn is_entry(&self) -> bool {
        matches!(
            self,
            Self::Login(_)
                | Self::Code(_)
                | Self::Forgot(_)
                | Self::ForgotSent { .. }
                | Self::SetPassword(_)
                | Self::LinkEnded(_)
        )
    }
}
