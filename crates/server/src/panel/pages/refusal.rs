//! Pages that say why there is nothing else to see.

use crate::{
    panel::pages::view::{View, template},
    web::words::Words,
};

/// Why a request is not answered as it was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not for this user, or a form that did not come from our page.
    Forbidden,
    NotFound,
    /// A form's address that was opened, or a page's that a form was sent to.
    WrongMethod,
    /// A form that is too large.
    TooLarge,
}

impl View for Refusal {
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

    template!(write, view: Refusal, "panel/refusal.html");
}

/// Too much to do.
#[derive(Debug, Clone, Copy)]
pub struct Busy {
    /// When to try again.
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
pub struct Trouble {
    /// What to quote when asking about it.
    pub reference: String,
}

impl View for Trouble {
    fn kind(&self) -> &'static str {
        "trouble"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("trouble-heading")
    }

    template!(write, view: Trouble, "panel/trouble.html");
}
