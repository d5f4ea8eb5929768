//! Request bodies as the vendor wrote them, before validation.
//!
//! The wire layer hands over each field as [`Given`], so that a wrong type is reported together with every
//! other wrong field. [`crate::session`] decides what the fields mean.

use crate::{
    catalog::{CategoryId, ProductId},
    money::Digits,
    rejection::FieldProblem,
};
use std::{ops::RangeInclusive, time::Duration};

/// Retention of an idempotency key with the object that it created.
pub const KEY_REMEMBERED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The JSON value of a field, as far as validation needs it. Numbers keep their digits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FieldValue {
    /// Not there, or null.
    #[default]
    Absent,
    Text(String),
    /// A number, as written.
    Number(String),
    List(Vec<FieldValue>),
    /// An object, with each name once.
    Object(Vec<(String, FieldValue)>),
    /// A boolean.
    Other,
}

impl FieldValue {
    /// Returns true when the field is there and not null.
    #[must_use]
    pub fn is_present(&self) -> bool {
        *self != Self::Absent
    }

    /// The text of a field that may be left out.
    pub fn text(&self) -> Result<Option<&str>, FieldProblem> {
        match self {
            Self::Absent => Ok(None),
            Self::Text(text) => Ok(Some(text)),
            _ => Err(FieldProblem::WrongType("a string")),
        }
    }

    /// The text of a field that must be there.
    pub fn required_text(&self) -> Result<&str, FieldProblem> {
        self.text()?.ok_or(FieldProblem::Required)
    }

    /// The digits of an amount that may be left out.
    pub fn digits(&self) -> Result<Option<Digits>, FieldProblem> {
        match self {
            Self::Absent => Ok(None),
            Self::Text(text) => Ok(Some(Digits::from_text(text)?)),
            Self::Number(text) => Ok(Some(Digits::from_json_number(text)?)),
            Self::List(_) | Self::Object(_) | Self::Other => {
                Err(FieldProblem::WrongType("a number or a string with a decimal number"))
            }
        }
    }

    /// The whole number of a field that may be left out. `1.0` is as whole as `1`.
    pub fn whole(&self, range: RangeInclusive<u32>, what: &'static str) -> Result<Option<u32>, FieldProblem> {
        let text = match self {
            Self::Absent => return Ok(None),
            Self::Number(text) => text,
            _ => return Err(FieldProblem::WrongType(what)),
        };
        let digits = match text.split_once('.') {
            Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
            _ => text,
        };
        let number = digits.parse().ok().filter(|number| range.contains(number));
        let problem = FieldProblem::OutOfRange { least: *range.start(), most: *range.end() };
        number.map(Some).ok_or(problem)
    }

    /// The members of an object that may be left out.
    pub fn members(&self) -> Result<&[(String, Self)], FieldProblem> {
        match self {
            Self::Absent => Ok(&[]),
            Self::Object(members) => Ok(members),
            _ => Err(FieldProblem::WrongType("an object")),
        }
    }

    /// The strings of an array that may be left out.
    pub fn texts(&self) -> Result<Option<Vec<&str>>, FieldProblem> {
        let wrong = FieldProblem::WrongType("an array of strings");
        match self {
            Self::Absent => Ok(None),
            Self::List(items) => items
                .iter()
                .map(|item| if let Self::Text(text) = item { Ok(text.as_str()) } else { Err(wrong.clone()) })
                .collect::<Result<_, _>>()
                .map(Some),
            _ => Err(wrong),
        }
    }
}

/// The body of a create request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CreateRequest {
    pub product_name: FieldValue,
    pub price: FieldValue,
    pub currency: FieldValue,
    pub order_id: FieldValue,
    pub callback_url: FieldValue,
    pub return_url: FieldValue,
    /// `defaultPaymentMethod` on the wire.
    pub default_method: FieldValue,
    /// `availablePaymentMethods` on the wire.
    pub available_methods: FieldValue,
    pub product_id: FieldValue,
    pub category_id: FieldValue,
    pub metadata: FieldValue,
    pub customer_email: FieldValue,
    pub locale: FieldValue,
    pub expires_in: FieldValue,
    /// The fiscal receipt.
    pub receipt: FieldValue,
}

impl CreateRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self {
            product_name: field("product_name"),
            price: field("price"),
            currency: field("currency"),
            order_id: field("order_id"),
            callback_url: field("callback_url"),
            return_url: field("return_url"),
            default_method: field("defaultPaymentMethod"),
            available_methods: field("availablePaymentMethods"),
            product_id: field("product_id"),
            category_id: field("category_id"),
            metadata: field("metadata"),
            customer_email: field("customer_email"),
            locale: field("locale"),
            expires_in: field("expires_in"),
            receipt: field("receipt"),
        }
    }

    /// Returns true when the request describes its item itself, even only in part.
    #[must_use]
    pub fn describes_item(&self) -> bool {
        [&self.product_name, &self.price, &self.currency].iter().any(|value| value.is_present())
    }

    /// The product to look up, if the request has a well-formed id.
    #[must_use]
    pub fn product(&self) -> Option<ProductId> {
        ProductId::parse(self.product_id.text().ok()??)
    }

    /// The category to look up, if the request has a well-formed id.
    #[must_use]
    pub fn category(&self) -> Option<CategoryId> {
        CategoryId::parse(self.category_id.text().ok()??)
    }
}

/// The body of a request for a refund.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefundRequest {
    pub amount: FieldValue,
    pub currency: FieldValue,
    pub reason: FieldValue,
    /// The fiscal receipt of what comes back.
    pub receipt: FieldValue,
}

/// The body of a request for another fiscal receipt of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptRequest {
    /// `type` on the wire.
    pub kind: FieldValue,
    pub items: FieldValue,
    /// The names of the other members of the body.
    pub unknown: Vec<String>,
}

impl ReceiptRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self { kind: field("type"), items: field("items"), unknown: Vec::new() }
    }
}

impl RefundRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self {
            amount: field("amount"),
            currency: field("currency"),
            reason: field("reason"),
            receipt: field("receipt"),
        }
    }

    /// The request that a user typed into a form; an empty field is absent.
    #[must_use]
    pub fn typed(amount: &str, reason: &str) -> Self {
        let field = |text: &str| match text.trim() {
            "" => FieldValue::Absent,
            text => FieldValue::Text(text.to_owned()),
        };
        Self { amount: field(amount), reason: field(reason), ..Self::default() }
    }
}

/// The body of a sandbox `simulate` request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimulateRequest {
    pub outcome: FieldValue,
    pub failure_reason: FieldValue,
    pub after_ms: FieldValue,
    /// An event about the money of a final session, instead of an outcome.
    pub event: FieldValue,
    pub amount: FieldValue,
    pub resolution: FieldValue,
    /// How the callback is to be delivered.
    pub callback: FieldValue,
    /// The status of the fiscal receipt.
    pub receipt: FieldValue,
}

/// The body of a request for an endpoint check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointCheckRequest {
    pub callback_url: FieldValue,
}

/// The body of a request to the signature doctor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignatureRequest {
    pub body: FieldValue,
    pub signature: FieldValue,
    /// `utf8` or `base64`.
    pub body_encoding: FieldValue,
}

impl EndpointCheckRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self { callback_url: field("callback_url") }
    }
}

impl SignatureRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self { body: field("body"), signature: field("signature"), body_encoding: field("body_encoding") }
    }
}

impl SimulateRequest {
    /// Reads each field by its name on the wire.
    pub fn from_fields(mut field: impl FnMut(&'static str) -> FieldValue) -> Self {
        Self {
            outcome: field("outcome"),
            failure_reason: field("failure_reason"),
            after_ms: field("after_ms"),
            event: field("event"),
            amount: field("amount"),
            resolution: field("resolution"),
            callback: field("callback"),
            receipt: field("receipt"),
        }
    }
}
