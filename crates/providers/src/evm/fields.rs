//! The fields of the setup's form. `document.rs` parses and checks them.

use super::document::MAX_ENDPOINTS;
use crate::form::{FieldKind, FormField};

/// The fields of the form, in its order.
pub const FIELDS: &[FormField] = &[
    FormField::required("chain", FieldKind::Rows(CHAIN), ""),
    FormField::required("price", FieldKind::Rows(PRICE), ""),
    FormField::optional("price_max_age", FieldKind::Text, "2m"),
    FormField::advanced("price_max_jump", FieldKind::Number, "20"),
    FormField::advanced("price_max_spread", FieldKind::Number, "5"),
];

const CHAIN: &[FormField] = &[
    FormField::required("name", FieldKind::Text, "Ethereum"),
    FormField::required("id", FieldKind::Number, "1"),
    FormField::required("endpoints", FieldKind::List(&FieldKind::SecretAddress, MAX_ENDPOINTS), "https://…"),
    FormField::required("xpub", FieldKind::Text, "xpub6…"),
    FormField::required("confirmations", FieldKind::Number, "12"),
    FormField::advanced("poll", FieldKind::Text, "4s"),
    FormField::advanced("max_fuel", FieldKind::Decimal, "0.01"),
    FormField::required("coin", FieldKind::Rows(COIN), ""),
];

const COIN: &[FormField] = &[
    FormField::required("symbol", FieldKind::Text, "USDC"),
    FormField::required("decimals", FieldKind::Number, "6"),
    FormField::optional("contract", FieldKind::Text, "0x…"),
];

const PRICE: &[FormField] = &[
    FormField::required("coin", FieldKind::Text, "USDC"),
    FormField::required("currency", FieldKind::Text, "USD"),
    FormField::optional("fixed", FieldKind::Decimal, "1"),
    FormField::optional("url", FieldKind::SecretAddress, "https://…"),
    FormField::optional("pointer", FieldKind::Text, "/data/amount"),
    FormField::optional("min", FieldKind::Decimal, ""),
    FormField::optional("max", FieldKind::Decimal, ""),
    FormField::advanced("time_pointer", FieldKind::Text, "/data/time"),
    FormField::advanced("max_unchanged", FieldKind::Text, "1h"),
];
