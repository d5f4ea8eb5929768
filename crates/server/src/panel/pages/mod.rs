//! The pages of the vendor panel and the operator console: a view goes in, a whole HTML document comes out.
//!
//! Pure: no clock, no store, no request. The caller decides what is true and who may see it ([`View`]); this
//! module decides how it is said. Every text of a person is escaped by the templates. Paths and names of form
//! fields are written in the templates and in [`Question`]; every form that changes something carries
//! [`Frame::csrf`].

pub mod asked_form;
pub mod chart;
pub mod confirm;
pub mod document;
pub mod form;
pub mod frame;
pub mod nav;
pub mod refund;
pub mod refusal;
#[cfg(test)]
mod tests;
pub mod vendor_name;
pub mod view;

pub use crate::web::{language::Language, moments::Zone};
pub use confirm::{PasswordAgain, PasswordAgainProblem, Question, UserDeed};
pub use frame::{Frame, Notice, Who};
pub use nav::{Place, home, path};
pub use refusal::{Busy, Refusal, Trouble};
pub use view::View;

use document::Document;

/// A page: what surrounds it, and what it shows.
#[derive(Debug)]
pub struct Page {
    /// What every page has.
    pub frame: Frame,
    /// What this page shows.
    pub body: Box<dyn View>,
}

impl Page {
    /// The whole HTML document.
    #[must_use]
    pub fn render(&self) -> String {
        Document::new(self).write()
    }
}
