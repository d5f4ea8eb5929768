//! Error pages.

use crate::pages::view::{View, template};
use till_service::web::words::Words;

/// The reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalPage {
    /// The user has no right to it, or the form did not come from our page (CSRF).
    Forbidden,
    NotFound,
    /// `GET` for a form's address, or `POST` for a page.
    WrongMethod,
    TooLarge,
}

impl View for RefusalPage {
    fn kind(&self) -> &'static str {
        match self {
            Self::Forbidden => "refused",
            Self::NotFound => "nowhere",
            Self::WrongMethod => "wrong-way",
            Self::TooLarge => "too-large",
        }
    }

    fn heading(&self, t: &Words) -> String {
        t.text(match self {
            Self::Forbidden => "refused-heading",
            Self::NotFound => "nowhere-heading",
            Self::WrongMethod => "wrong-way-heading",
            Self::TooLarge => "too-large-heading",
        })
    }

    template!(write, view: RefusalPage, "panel/refusal.html");
}

/// The service is too busy to answer.
#[derive(Debug, Clone, Copy)]
pub struct Busy {
    /// Seconds until the next try.
    pub seconds: u64,
}

impl View for Busy {
    fn kind(&self) -> &'static str {
        "busy"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("busy-heading")
    }

    template!(write, view: Busy, "panel/busy.html");
}

#[derive(Debug, Clone)]
pub struct TroublePage {
    /// A reference to quote to support.
    pub reference: String,
}

impl View for TroublePage {
    fn kind(&self) -> &'static str {
        "trouble"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("trouble-heading")
    }

    template!(write, view: TroublePage, "panel/trouble.html");
}
