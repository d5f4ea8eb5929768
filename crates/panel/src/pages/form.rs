//! Form fields and their error messages, shown beside the field and in a summary above.

use std::borrow::Cow;
use till_service::web::words::Words;

/// A problem with a submitted form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The id of the field, if it is about one.
    pub field: Option<Cow<'static, str>>,
    /// The error message, with how to correct it.
    pub text: String,
}

impl Complaint {
    pub fn about(field: impl Into<Cow<'static, str>>, text: String) -> Self {
        Self { field: Some(field.into()), text }
    }

    /// True if it is about the field with this id.
    pub fn is_about(&self, field: &str) -> bool {
        self.field.as_deref() == Some(field)
    }

    pub fn general(text: String) -> Self {
        Self { field: None, text }
    }
}

/// A field with its label.
#[derive(Debug, Clone)]
pub struct Input {
    pub id: Cow<'static, str>,
    pub name: Cow<'static, str>,
    pub kind: &'static str,
    pub label: String,
    pub hint: Option<String>,
    pub value: String,
    pub error: Option<String>,
    pub autocomplete: &'static str,
    pub required: bool,
    pub fixed: bool,
    pub max: Option<u16>,
}

impl Input {
    pub fn new(name: impl Into<Cow<'static, str>>, label: String) -> Self {
        let name = name.into();
        Self {
            id: name.clone(),
            name,
            kind: "text",
            label,
            hint: None,
            value: String::new(),
            error: None,
            autocomplete: "off",
            required: false,
            fixed: false,
            max: None,
        }
    }

    /// A password field, whose value is never sent back.
    pub fn password(name: &'static str, label: String, autocomplete: &'static str) -> Self {
        Self { kind: "password", autocomplete, required: true, ..Self::new(name, label) }
    }

    /// Sets the value to the text that was typed.
    pub fn value(self, value: &str) -> Self {
        Self { value: value.to_owned(), ..self }
    }

    pub fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    pub fn hint(self, hint: String) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// Sets an id that differs from the name.
    pub fn id(self, id: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), ..self }
    }

    /// Sets the autocomplete attribute.
    pub fn autocomplete(self, autocomplete: &'static str) -> Self {
        Self { autocomplete, ..self }
    }

    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Makes it read-only.
    pub fn fixed(self, fixed: bool) -> Self {
        Self { fixed, ..self }
    }

    /// Sets the most characters.
    pub fn max(self, max: u16) -> Self {
        Self { max: Some(max), ..self }
    }

    /// Adds the error message about this field.
    pub fn marked(self, complaints: &[Complaint]) -> Self {
        let mine = complaints.iter().find(|complaint| complaint.is_about(&self.id));
        Self { error: mine.map(|complaint| complaint.text.clone()), ..self }
    }

    /// The ids of its hint and error message (`aria-describedby`).
    pub fn described_by(&self) -> Option<String> {
        let hint = self.hint.is_some().then(|| format!("{}-hint", self.id));
        let error = self.error.is_some().then(|| format!("{}-error", self.id));
        let ids: Vec<String> = hint.into_iter().chain(error).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

/// "Too many attempts", with the time to wait.
pub fn throttled(t: &Words, seconds: u64) -> String {
    if seconds >= 60 {
        t.count("throttled-minutes", &seconds.div_ceil(60))
    } else {
        t.count("throttled-seconds", &seconds.max(1))
    }
}

/// Initials for a tile: the first letters of the first two words.
pub fn initials(name: &str) -> String {
    let words = name.split_whitespace().filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    words.take(2).flat_map(char::to_uppercase).collect()
}
