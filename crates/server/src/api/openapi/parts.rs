//! Parts that operations share: parameters, answers and their headers.

use crate::api::{
    feed::{DEFAULT_LIMIT, MAX_CURSOR, MAX_LIMIT},
    sessions,
};
use serde_json::{Map, Value, json};
use till_domain::text::MAX_CHARS;

pub(super) fn body(schema: &str) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": reference(schema) } } })
}

/// A body that may be left out.
pub(super) fn optional_body_of(schema: &str) -> Value {
    json!({ "required": false, "content": { "application/json": { "schema": reference(schema) } } })
}

/// A body that may be left out, and in which nothing is read.
pub(super) fn optional_body() -> Value {
    json!({ "required": false, "content": { "application/json": { "schema": { "type": "object", "examples": [{}] } } } })
}

pub(super) fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

/// A field whose schema is a component.
pub(super) fn described(schema: &str, description: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}"), "description": description })
}

pub(super) fn responses(good: (&str, &str, &str), problems: &[&[(&str, &str)]]) -> Value {
    let response = |status: &str, description: &str, content_type: &str, schema: &str| {
        let content = json!({ content_type: { "schema": reference(schema) } });
        json!({ "description": description, "headers": headers(status), "content": content })
    };
    let (status, description, schema) = good;
    let mut responses = Map::new();
    responses.insert(status.to_owned(), response(status, description, "application/json", schema));
    let mut problems: Vec<_> = problems.concat();
    problems.sort_unstable();
    for (status, codes) in problems {
        let description = format!("Code: {codes}.");
        let problem = response(status, &description, "application/problem+json", "Problem");
        responses.insert(status.to_owned(), problem);
    }
    Value::Object(responses)
}

/// The documented headers of an answer.
pub(super) fn headers(status: &str) -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    let number = |description: &str| json!({ "description": description, "schema": { "type": "integer", "minimum": 0 } });
    let mut headers = Map::new();
    headers
        .insert("X-Request-Id".to_owned(), text("The request's id; yours, if you sent a well-formed one."));
    if !matches!(status, "401" | "408" | "500") {
        headers.insert(
            "RateLimit-Limit".to_owned(),
            number("The maximum number of calls at once; absent if not limited."),
        );
        headers.insert("RateLimit-Remaining".to_owned(), number("The number of calls left now."));
        headers.insert("RateLimit-Reset".to_owned(), number("Seconds until all calls are available again."));
    }
    match status {
        "201" => headers.insert(
            "Idempotent-Replayed".to_owned(),
            text("true if this is the response to an earlier request."),
        ),
        "401" => headers.insert("WWW-Authenticate".to_owned(), text("Bearer, with the reason.")),
        "429" | "503" => headers.insert("Retry-After".to_owned(), number("Seconds to wait.")),
        _ => None,
    };
    Value::Object(headers)
}

pub(super) fn session_id() -> Value {
    json!({
        "name": "session_id",
        "in": "path",
        "required": true,
        "description": "The session's id.",
        "schema": { "type": "string", "format": "uuid" },
    })
}

pub(super) fn refund_id() -> Value {
    json!({
        "name": "refund_id",
        "in": "path",
        "required": true,
        "description": "The refund's id.",
        "schema": { "type": "string", "format": "uuid" },
    })
}

pub(super) fn check_id() -> Value {
    json!({
        "name": "check_id",
        "in": "path",
        "required": true,
        "description": "The check's id.",
        "schema": { "type": "string", "format": "uuid" },
    })
}

pub(super) fn parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

/// The parameters that both lists have: the span of time, the limit and the cursor.
fn paging_parameters(what: &str) -> Vec<Value> {
    let formats = json!([{ "format": "date-time" }, { "format": "date" }]);
    let time = || json!({ "type": "string", "anyOf": formats, "examples": ["2026-11-15T09:30:00Z"] });
    vec![
        parameter(
            "created_from",
            &format!(
                "Only {what} created at this time or later: RFC 3339 with at most milliseconds, or a date, which is \
                 its midnight in UTC."
            ),
            time(),
        ),
        parameter(
            "created_to",
            &format!("Only {what} created before this time, in the same formats."),
            time(),
        ),
        parameter(
            "limit",
            &format!("The maximum number of {what}. It may differ between pages."),
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": sessions::MAX_LIMIT,
                "default": sessions::DEFAULT_LIMIT,
                "examples": [50],
            }),
        ),
        parameter(
            "cursor",
            "The next_cursor of the previous page. The filters must be the same; with others, or damaged, it is \
             rejected with 422 invalid_cursor.",
            json!({ "type": "string", "examples": ["AQGTLFp8HntqmlEPa18McdI1zKq3n0dRWA"] }),
        ),
    ]
}

fn order_parameter(what: &str) -> Value {
    parameter(
        "order_id",
        &format!("Only {what} of this order."),
        json!({ "type": "string", "minLength": 1, "maxLength": MAX_CHARS, "examples": ["A-1042"] }),
    )
}

pub(super) fn list_parameters() -> Value {
    let status = parameter(
        "status",
        "Only sessions with this status.",
        json!({ "type": "string", "enum": ["pending", "paid", "failed", "expired"], "examples": ["paid"] }),
    );
    let own = vec![order_parameter("sessions"), status];
    Value::Array([own, paging_parameters("sessions")].concat())
}

pub(super) fn transaction_parameters() -> Value {
    let session = parameter(
        "session_id",
        "Only transactions of this session.",
        json!({ "type": "string", "format": "uuid" }),
    );
    let kind = parameter(
        "type",
        "Only transactions of this type.",
        json!({ "type": "string", "enum": ["payment", "refund", "reversal", "dispute"], "examples": ["refund"] }),
    );
    let own = vec![session, order_parameter("transactions"), kind];
    Value::Array([own, paging_parameters("transactions")].concat())
}

pub(super) fn page_parameters() -> Value {
    json!([
        parameter(
            "after",
            "The cursor: the next value of the previous page. A cursor that Till never returned is rejected \
             with 422. Without it, the page starts with your oldest event.",
            json!({ "type": "string", "maxLength": MAX_CURSOR, "pattern": "^(0|[1-9][0-9]*)$", "examples": ["20"] }),
        ),
        parameter(
            "limit",
            "The maximum number of callbacks.",
            json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT, "examples": [50] }),
        ),
        parameter(
            "wait",
            "How long to keep the call open while there are no callbacks, at most 30s. Without it, Till \
             responds at once.",
            json!({
                "type": "string",
                "pattern": "^(([0-9]|[12][0-9]|30)s|([0-9]{1,4}|[12][0-9]{4}|30000)ms)$",
                "examples": ["30s", "500ms"],
            }),
        ),
    ])
}

pub(super) fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Makes retries safe: for 24 hours, the same key and body return the first response \
            again. The same key with a different body is rejected with 422 idempotency_key_reused.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$" },
    })
}
