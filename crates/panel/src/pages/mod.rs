//! The pages of the vendor panel and the operator console: renders a view as a whole HTML document.
//!
//! Pure: no clock, no store, no request. The caller decides what is shown and to which user ([`View`]); this
//! module decides the wording and layout. Templates escape every text that users typed. Paths and names of
//! form fields are written in the templates and in [`Question`]; every form that changes something carries
//! [`Frame::csrf`].

pub mod browser;
pub mod chart;
pub mod confirm;
pub mod counted;
pub mod document;
pub mod fiscal;
pub mod form;
pub mod frame;
pub mod nav;
pub mod refund;
pub mod refusal;
pub mod sandbox_request_form;
#[cfg(test)]
#[path = "../../tests/unit/pages/mod.rs"]
mod tests;
pub mod vendor_name;
pub mod view;
pub mod zones;

pub use confirm::{PasswordAgain, PasswordAgainProblem, Question, UserConfirmation};
pub use frame::{FlashMessage, Frame, LivePayments, Viewer};
pub use nav::{NavItem, home, path};
pub use refusal::{Busy, RefusalPage, TroublePage};
pub use till_service::web::{language::Language, moments::Zone};
pub use view::View;

use document::PanelDocument;

/// A page: its frame and its content.
#[derive(Debug)]
pub struct PanelPage {
    pub frame: Frame,
    pub body: Box<dyn View>,
}

impl PanelPage {
    #[must_use]
    pub fn render(&self) -> String {
        PanelDocument::new(self).write()
    }
}
