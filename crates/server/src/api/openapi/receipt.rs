//! The schemas of fiscal receipts in requests.

use super::{parts::reference, schemas::optional_text};
use serde_json::{Value, json};
use till_domain::fiscal::{MAX_ITEMS, Measure, PaymentMode, Subject, TaxSystem, Vat};

/// The words of an enum, and null.
fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Value {
    all.iter().map(|one| json!(word(*one))).chain([Value::Null]).collect()
}

fn choice(description: &str, words: Value) -> Value {
    json!({ "type": ["string", "null"], "enum": words, "description": description })
}

fn decimal(description: &str, example: &str) -> Value {
    json!({
        "description": description,
        "type": ["string", "number", "null"],
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 1_000_000_000_000_i64,
        "pattern": r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,3})?$",
        "examples": [example],
    })
}

pub(super) fn receipt() -> Value {
    json!({
        "type": ["object", "null"],
        "required": ["items"],
        "additionalProperties": false,
        "description": "A fiscal receipt (54-FZ), only in roubles and only if fiscal receipts are on in your settings. Unknown fields \
            are rejected, unlike elsewhere: a misspelled one would change what is taxed. null counts as absent.",
        "properties": {
            "customer": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "description": "The customer. Without email and phone, customer_email is used.",
                "properties": {
                    "email": optional_text(
                        "At most 64 characters.",
                        json!({ "format": "email", "maxLength": 64, "examples": ["ann@mail.example"] }),
                    ),
                    "phone": optional_text(
                        "With a plus sign and the country code, in digits.",
                        json!({ "pattern": r"^\+[1-9][0-9]{6,14}$", "examples": ["+79000000000"] }),
                    ),
                    "full_name": optional_text(
                        "The name of a company or a person, at most 256 characters.",
                        json!({ "minLength": 1, "examples": ["ООО «Ромашка»"] }),
                    ),
                    "inn": optional_text(
                        "The taxpayer number (INN): 10 or 12 digits.",
                        json!({ "pattern": "^([0-9]{10}|[0-9]{12})$", "examples": ["7712345678"] }),
                    ),
                },
            },
            "tax_system": choice(
                "Your tax system; the one in your settings if omitted.",
                words(TaxSystem::ALL, TaxSystem::as_str),
            ),
            "items": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_ITEMS,
                "items": reference("ReceiptItem"),
                "description": "The lines. Their totals add up to the price, to the kopeck. At most 100, or the limit in your \
                    settings.",
            },
        },
    })
}

pub(super) fn item() -> Value {
    let rates: Value = Vat::ALL
        .iter()
        .map(|vat| json!(vat.as_str()))
        .chain([0, 5, 7, 10, 20, 22].map(Value::from))
        .collect();
    json!({
        "type": "object",
        "required": ["name", "price", "vat"],
        "additionalProperties": false,
        "description": "A line of a fiscal receipt.",
        "properties": {
            "name": {
                "type": "string",
                "minLength": 1,
                "description": "1 to 128 characters after trimming; no control characters or bidirectional overrides.",
                "examples": ["Atlas of Northern Light"],
            },
            "quantity": decimal("At most 99999.999, with at most 3 decimals; 1 if omitted.", "2"),
            "price": {
                "description": "The price of one, written like the price of a session.",
                "type": ["string", "number"],
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1_000_000_000_000_i64,
                "pattern": r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,2})?$",
                "examples": ["545.00"],
            },
            "amount": decimal(
                "The total of the line, to have it checked: price times quantity, rounded half up to a kopeck.",
                "1090.00",
            ),
            "vat": {
                "type": ["string", "number"],
                "enum": rates,
                "description": "The VAT rate; none if you pay no VAT. The forms with a slash are for prepayments and advances. 20 and \
                    20/120 are for refunds of what was sold before 2026.",
                "examples": ["22"],
            },
            "subject": choice("What is paid for; the default in your settings, or commodity.", words(Subject::ALL, Subject::as_str)),
            "mode": choice(
                "Whether the goods are handed over with the payment (full_payment) or later; the default in your settings, or \
                 full_payment.",
                words(PaymentMode::ALL, PaymentMode::as_str),
            ),
            "measure": choice("The unit of the quantity; piece if omitted.", words(Measure::ALL, Measure::as_str)),
        },
    })
}

pub(super) fn create_receipt() -> Value {
    json!({
        "type": "object",
        "required": ["type"],
        "additionalProperties": false,
        "description": "Unknown fields are rejected; null counts as absent.",
        "properties": {
            "type": { "type": "string", "enum": ["closing"], "description": "Always closing." },
            "items": {
                "type": ["array", "null"],
                "minItems": 1,
                "maxItems": MAX_ITEMS,
                "items": reference("ReceiptItem"),
                "description": "What was handed over. If omitted, all prepaid items that were not refunded, with the mode full_payment \
                    and the plain VAT rate. Required if a refund was not of whole items. They add up to what is left.",
            },
        },
    })
}
