//! Forms for setups. A provider describes the fields of its document once (`FIELDS` beside its parser); from
//! that description a document is read into the values of a form and written from them. Pages are made in
//! `till-panel`.
//!
//! A value is named by the path of its field, with the numbers of rows: `chain-1-coin-2-symbol`. Secrets are
//! values like all others here; `secrets.rs` leaves them out of what is shown.

mod problem;
mod secrets;
mod values;

pub(crate) use problem::sentences;
pub use problem::{Rule, SetupProblem};
pub use secrets::{
    FilledForm, KeptSecret, MaskedDocument, fill, has_comments, hint_of, kind_of, looks_secret, mask, unmask,
};
pub use values::FormValues;

/// A field of a setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormField {
    /// Its key in the document; a point separates the key of a table from that of a value in it.
    pub key: &'static str,
    pub kind: FieldKind,
    /// True if the document is not complete without it.
    pub required: bool,
    /// True if it is rarely changed.
    pub advanced: bool,
    /// The value that counts without it, or an example.
    pub usual: &'static str,
}

/// The kind of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// A key or token that is never shown again.
    Secret,
    /// A secret that the operator makes up, so that a page can propose one.
    Token,
    /// An address that may contain a secret, so that only its host is shown again.
    SecretAddress,
    Address,
    /// A whole number.
    Number,
    /// A decimal number, as text.
    Decimal,
    /// Words in one line.
    Words,
    /// Some of these words; the second list is chosen if the document has none.
    Choices(&'static [&'static str], &'static [&'static str]),
    /// A list of up to so many secrets of this kind.
    List(&'static FieldKind, usize),
    /// Tables, such as the coins of a chain.
    Rows(&'static [FormField]),
}

impl FormField {
    /// A field that the document needs.
    pub(crate) const fn required(key: &'static str, kind: FieldKind, usual: &'static str) -> Self {
        Self { key, kind, required: true, advanced: false, usual }
    }

    /// A field that can stay empty.
    pub(crate) const fn optional(key: &'static str, kind: FieldKind, usual: &'static str) -> Self {
        Self { key, kind, required: false, advanced: false, usual }
    }

    /// A field that can stay empty and mostly does.
    pub(crate) const fn advanced(key: &'static str, kind: FieldKind, usual: &'static str) -> Self {
        Self { key, kind, required: false, advanced: true, usual }
    }

    /// The name of its value below a prefix that is empty or ends in `-`.
    #[must_use]
    pub fn name(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.key.replace('.', "-"))
    }
}

impl FieldKind {
    /// True if its value is left out of what is shown.
    #[must_use]
    pub fn is_secret(self) -> bool {
        matches!(self, Self::Secret | Self::Token | Self::SecretAddress)
    }
}
