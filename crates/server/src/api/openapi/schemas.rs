//! The schemas of the bodies: of requests by hand, of answers by the wire types.

use super::parts::{described, reference};
use crate::api::wire::{RefundList, SessionList, TransactionList};
use serde_json::{Value, json};
use till_domain::{
    metadata,
    misdelivery::{DeliveryChoice, Fault},
    session::FailureReason,
    text::MAX_CHARS,
    weburl::MAX_URL_CHARS,
};
use utoipa::PartialSchema;

pub(super) fn schema<T: PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_else(|_| unreachable!("a schema is JSON"))
}

pub(super) fn token_request() -> Value {
    json!({
        "type": "object",
        "required": ["client_id", "client_secret"],
        "properties": {
            "client_id": { "type": "string", "description": "Your client id, `live_…` or `sandbox_…`.", "examples": ["sandbox_5f0c71d2a9"] },
            "client_secret": { "type": "string", "description": "Its secret, `sk_live_…` or `sk_sandbox_…`.", "writeOnly": true },
        },
    })
}

/// A field that may be left out or null.
pub(super) fn optional_text(description: &str, rest: Value) -> Value {
    let mut field = json!({ "type": ["string", "null"], "description": description });
    if let (Value::Object(field), Value::Object(rest)) = (&mut field, rest) {
        field.extend(rest);
    }
    field
}

pub(super) fn create_session() -> Value {
    let url = |example: &str| {
        let pattern = "^[Hh][Tt][Tt][Pp][Ss]?://";
        json!({ "maxLength": MAX_URL_CHARS, "format": "uri", "pattern": pattern, "examples": [example] })
    };
    json!({
        "type": "object",
        "description": "Describe the item with product_name, price and currency; in live, you can send the \
            product_id of a product in your catalog instead. Unknown fields are ignored; null counts as \
            absent.",
        "required": ["order_id"],
        "properties": {
            "product_name": optional_text(
                "What the customer pays for. Required unless product_id is given. 1 to 255 characters after trimming; no \
                 control characters or bidirectional overrides.",
                json!({ "minLength": 1, "examples": ["Atlas of Northern Light"] }),
            ),
            "price": {
                "description": "The amount, greater than 0, as a decimal string or a number. At most 12 \
                    digits before the point, and no more decimals than the currency has. Responses repeat it \
                    digit for digit.",
                "type": ["string", "number", "null"],
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1_000_000_000_000_i64,
                "pattern": r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$",
                "examples": ["4990.00", 49.9],
            },
            "currency": optional_text(
                "An active ISO 4217 code, any case. Required with price.",
                json!({ "pattern": "^[A-Za-z]{3}$", "examples": ["RUB"] }),
            ),
            "order_id": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_CHARS,
                "description": "Your own order identifier, returned exactly as sent. Not unique: a new \
                    session for the same order is a new attempt. No control characters.",
                "examples": ["A-1042"],
            },
            "callback_url": optional_text(
                "The callback URL for this session, instead of the one in your settings.",
                url("https://shop.example.com/callback"),
            ),
            "return_url": optional_text(
                "The return URL for this session, instead of the one in your settings. {SESSION_ID} and \
                 {ORDER_ID} are filled in.",
                url("https://shop.example.com/thanks?order={ORDER_ID}"),
            ),
            "defaultPaymentMethod": optional_text(
                "The method to start with: `card`, `crypto` or `sbp`, one of those offered. In the sandbox, \
                 any text: it is stored and has no effect.",
                json!({ "examples": ["card"] }),
            ),
            "availablePaymentMethods": {
                "type": ["array", "null"],
                "items": { "type": "string" },
                "description": "The methods to offer, at least one of yours. In the sandbox, any texts: they \
                    are stored and have no effect.",
                "examples": [["card", "sbp"]],
            },
            "metadata": {
                "type": ["object", "null"],
                "maxProperties": metadata::MAX_KEYS,
                "propertyNames": { "pattern": "^[A-Za-z0-9_.-]{1,40}$" },
                "additionalProperties": { "type": "string", "maxLength": metadata::MAX_VALUE_CHARS },
                "description": "Your own data, up to 20 keys and 8 KiB in all. Returned in the status, the list and the \
                    callbacks of the session. No control characters except newline and tab.",
                "examples": [{ "cart": "7f31" }],
            },
            "customer_email": optional_text(
                "The customer's email address. It prefills the field on the live checkout page and gets the receipt. \
                 It is never in a callback.",
                json!({ "format": "email", "maxLength": 254, "examples": ["ann@mail.example"] }),
            ),
            "locale": optional_text(
                "A BCP 47 language tag. The page opens in the nearest available language, unless the customer chose \
                 another one.",
                json!({ "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", "maxLength": 100, "examples": ["ru-RU"] }),
            ),
            "expires_in": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "How long the session can be paid, in seconds: 60 up to the longest lifetime of a payment \
                    method. The lifetime of the chosen method still applies if it ends earlier.",
                "examples": [600],
            },
            "receipt": described("Receipt", "A fiscal receipt (54-FZ), if you are a Russian vendor with a till."),
            "product_id": optional_text(
                "A product in your catalog, whose name, price and currency are copied. Cannot be combined \
                 with product_name, price or currency. Rejected in the sandbox.",
                json!({ "examples": ["prd_9f31"] }),
            ),
            "category_id": optional_text(
                "A category in your catalog; with product_id, it must be that product's. Rejected in the \
                 sandbox.",
                json!({ "examples": ["cat_07aa"] }),
            ),
        },
    })
}

pub(super) fn session_list() -> Value {
    let mut list = schema::<SessionList>();
    list["properties"]["sessions"]["items"] = reference("SessionStatus");
    list
}

pub(super) fn transaction_list() -> Value {
    let mut list = schema::<TransactionList>();
    list["properties"]["transactions"]["items"] = reference("Transaction");
    list
}

pub(super) fn refund_list() -> Value {
    let mut list = schema::<RefundList>();
    list["properties"]["refunds"]["items"] = reference("Refund");
    list
}

pub(super) fn create_refund() -> Value {
    json!({
        "type": "object",
        "description": "Unknown fields are ignored; null counts as absent.",
        "properties": {
            "amount": {
                "description": "The amount to refund, in the session's currency, written like a price. The \
                    full remaining amount if omitted.",
                "type": ["string", "number", "null"],
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1_000_000_000_000_i64,
                "pattern": r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$",
                "examples": ["10.00"],
            },
            "currency": {
                "description": "Optional; must be the session's currency.",
                "type": ["string", "null"],
                "examples": ["RUB"],
            },
            "receipt": described(
                "Receipt",
                "The fiscal receipt of what comes back; its items add up to the amount. Required for a partial refund of a payment \
                 that has a receipt.",
            ),
            "reason": optional_text(
                "The reason, for people. 1 to 255 characters after trimming; no control characters or \
                 bidirectional overrides.",
                json!({ "minLength": 1, "examples": ["wrong size"] }),
            ),
        },
    })
}

pub(super) fn check_signature() -> Value {
    json!({
        "type": "object",
        "required": ["body", "signature"],
        "properties": {
            "body": {
                "type": "string",
                "description": "The raw body of the callback, as your server received it.",
                "examples": ["{\"event\":\"session.paid\",\"status\":\"paid\"}"],
            },
            "signature": {
                "type": "string",
                "description": "The signature that your code computed, as it is written there.",
                "examples": ["DeEbOrnBJlpR6MdwjDLjg+7nSDPJF1Q8SrBPcokZ5Mk="],
            },
            "body_encoding": {
                "type": ["string", "null"],
                "enum": ["utf8", "base64", null],
                "description": "How body is written: utf8 if omitted, base64 for bytes that JSON cannot carry, such as a \
                    byte order mark that your editor hides.",
            },
        },
    })
}

pub(super) fn check_endpoint() -> Value {
    json!({
        "type": "object",
        "properties": {
            "callback_url": {
                "type": ["string", "null"],
                "description": "The URL to check; the Callback URL of your settings if omitted.",
                "maxLength": MAX_URL_CHARS,
                "format": "uri",
                "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
            },
        },
    })
}

pub(super) fn simulate() -> Value {
    let words = FailureReason::ALL.iter().map(|reason| json!(reason.as_str()));
    let reasons: Vec<Value> = words.chain([Value::Null]).collect();
    let faults = [DeliveryChoice::NONE].into_iter().chain(Fault::ALL.map(Fault::as_str));
    let faults: Vec<Value> = faults.map(Value::from).collect();
    json!({
        "type": "object",
        "description": "Send the outcome of a pending session, an event about the money of a session that has ended, or the \
            registration of the fiscal receipt. \
            Unknown fields are ignored; null counts as absent.",
        "anyOf": [{ "required": ["outcome"] }, { "required": ["event"] }, { "required": ["receipt"] }],
        "properties": {
            "outcome": {
                "type": ["string", "null"],
                "enum": ["paid", "failed", "expired", "by_price", null],
                "description": "The outcome. by_price takes the one that the last two digits of the price stand for, in \
                    a currency with two decimals: 01 card_declined, 02 insufficient_funds, 03 three_ds_failed, 04 \
                    provider_error, 05 paid after 10 seconds, 06 expired; with others the session stays pending.",
            },
            "failure_reason": {
                "type": ["string", "null"],
                "enum": reasons,
                "description": "The reason for the failure; card_declined if omitted. Used only when the \
                    outcome is failed.",
            },
            "after_ms": {
                "type": ["integer", "null"],
                "minimum": 0,
                "maximum": 600_000,
                "description": "Milliseconds to wait; 0 if omitted.",
            },
            "event": {
                "type": ["string", "null"],
                "enum": [
                    "payment.late", "payment.partial", "payment.over", "payment.resolved",
                    "dispute.opened", "dispute.won", "dispute.lost", null,
                ],
                "description": "The event, instead of an outcome. payment.late needs an expired or failed session, \
                    payment.partial an expired one, payment.over and dispute.opened a paid one; dispute.won and \
                    dispute.lost end the open dispute, and payment.resolved decides the oldest open payment event.",
            },
            "amount": {
                "description": "The amount of the event, written like a price. If omitted: the price for payment.late, \
                    half of it for payment.partial, a tenth of it (the excess) for payment.over, and everything that is \
                    not refunded for dispute.opened.",
                "type": ["string", "number", "null"],
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1_000_000_000_000_i64,
                "pattern": r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$",
                "examples": ["10.00"],
            },
            "resolution": {
                "type": ["string", "null"],
                "enum": ["accepted", "refunded", null],
                "description": "Required with payment.resolved: what becomes of the money.",
            },
            "receipt": {
                "type": ["string", "null"],
                "enum": ["pending", "registered", "failed", null],
                "description": "What becomes of the fiscal receipt once the session is paid, or now if it is; registered if you \
                    never say. Alone, or with an outcome.",
            },
            "callback": {
                "type": ["object", "null"],
                "required": ["fault"],
                "description": "How the callback is delivered; the vendor's default if omitted. Whatever the fault, the \
                    event itself arrives afterward, correctly signed.",
                "properties": {
                    "fault": {
                        "type": "string",
                        "enum": faults,
                        "description": "none delivers it correctly. drop: the first attempt is never sent. delay: it is made \
                            later. slow: its bytes arrive slowly. duplicate: it is sent twice. reorder: an older event of \
                            the order follows it. The others send a wrong request first: bad_signature, wrong_secret, \
                            old_timestamp, changed_body (after signing), truncated, wrong_environment (the header alone), \
                            unknown_event, unknown_field.",
                    },
                    "delay_ms": {
                        "type": ["integer", "null"],
                        "minimum": 1,
                        "maximum": 60_000,
                        "description": "For delay and slow: how many milliseconds; 5000 if omitted.",
                    },
                },
            },
        },
    })
}
