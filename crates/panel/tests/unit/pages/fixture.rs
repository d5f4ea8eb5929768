//! Makes every page in every state that looks different, with texts that a test may choose; the samples are
//! in the other files of this folder, by subject.

use crate::pages::{
    Frame, Language, LivePayments, NavItem, PanelPage, View, Viewer, Zone, counted::UndeliveredCount,
};
use scraper::{Html, Selector};
use till_domain::{id::VendorId, time::Timestamp, user::Role};

/// The CSRF token in these pages.
pub const CSRF: &str = "csrf-of-this-session";

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a moment")
}

pub fn vendor_id(last: u8) -> VendorId {
    VendorId::parse(&format!("0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2b{last:02x}")).expect("an id")
}

/// Makes pages of one language.
pub struct Maker {
    pub language: Language,
    /// Replaces every text that a user typed, if set.
    pub text: Option<String>,
}

pub type Pages = Vec<(&'static str, PanelPage)>;

impl Maker {
    pub fn usual(language: Language) -> Self {
        Self { language, text: None }
    }

    pub fn s(&self, usual: &str) -> String {
        self.text.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// Every page, with a name.
    pub fn pages(&self) -> Pages {
        let parts = [
            self.entries(),
            self.accounts(),
            self.payments(),
            self.settings_pages(),
            self.signatures(),
            self.deliveries(),
            self.fiscal_settings(),
            self.endpoint_checks(),
            self.sandboxes(),
            self.catalog_pages(),
            self.profiles(),
            self.vendor_pages(),
            self.user_pages(),
            self.console_pages(),
            self.watching(),
            self.errors(),
        ];
        parts.into_iter().flatten().collect()
    }

    pub fn frame(&self, role: Option<Role>, place: Option<NavItem>, path: &str) -> Frame {
        let name = match role {
            Some(Role::SuperVendor) => Some("Northquay Group"),
            Some(Role::VendorAdmin | Role::VendorViewer) => Some("Halden Press"),
            _ => None,
        };
        Frame {
            language: self.language,
            zone: Zone::ahead(180),
            now: at("2026-11-16T12:00:00Z"),
            path: path.to_owned(),
            csrf: CSRF.to_owned(),
            once: "0199a8f2-5c1e-7a44-b0a3-9d5e7c1f2bff".to_owned(),
            who: role.map(|role| Viewer {
                email: self.s("ines@haldenpress.example"),
                role,
                vendor: name.map(|name| self.s(name)),
            }),
            place,
            sandbox_banner: false,
            live_payments: LivePayments::Real,
            notice: None,
            open_requests: 2,
            open_payouts: 0,
            open_refunds: 0,
            open_actions: 3,
            undelivered: UndeliveredCount::new(2),
        }
    }

    pub fn outside(&self, path: &str, body: Box<dyn View>) -> PanelPage {
        PanelPage { frame: self.frame(None, None, path), body }
    }

    pub fn vendor(&self, path: &str, body: Box<dyn View>) -> PanelPage {
        PanelPage { frame: self.frame(Some(Role::VendorAdmin), Some(NavItem::Settings), path), body }
    }

    pub fn sandboxed(&self, path: &str, body: Box<dyn View>) -> PanelPage {
        let mut page = self.vendor(path, body);
        page.frame.sandbox_banner = true;
        page
    }

    pub fn operator(&self, place: NavItem, path: &str, body: Box<dyn View>) -> PanelPage {
        PanelPage { frame: self.frame(Some(Role::Operator), Some(place), path), body }
    }
}

/// The number of elements of a document that match.
pub fn count(document: &Html, selector: &str) -> usize {
    document.select(&Selector::parse(selector).expect("a selector")).count()
}

/// The text of the first element that matches.
pub fn text(document: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).next().map(|element| element.text().collect())
}
