//! The OpenAPI 3.1 document, made from the table of endpoints and the wire types.
//!
//! Both environments have the same description of an operation; only the path differs.

use super::{
    endpoints::{ENDPOINTS, Operation},
    feed::{DEFAULT_LIMIT, MAX_CURSOR, MAX_LIMIT},
    sessions,
    wire::{
        AccessToken, CallbackPage, FetchedCallback, RefundList, RefundObject, SessionCreated, SessionList,
        SessionStatus, Wallet, WalletBalance,
    },
};
use serde_json::{Map, Value, json};
use till_domain::{
    environment::EnvironmentName, metadata, session::FailureReason, text::MAX_CHARS, weburl::MAX_URL_CHARS,
};
use till_service::web::{FieldOfProblem, ProblemDocument};
use utoipa::PartialSchema;

/// The document for a service at this base URL.
#[must_use]
pub fn document(base_url: &str) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Till session API",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "Take a payment on a hosted checkout page: get a token, create a session, send the \
                customer to its session_url, and wait for the signed callback. Live and sandbox have the same \
                formats; moving to live changes the paths and the credentials, nothing else.",
        },
        "servers": [{ "url": base_url }],
        "tags": [
            { "name": "live", "description": "Real payments." },
            { "name": "sandbox", "description": "An isolated environment. You choose the outcome; no money moves." },
        ],
        "paths": paths(),
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token of the same environment." },
            },
            "schemas": {
                "TokenRequest": token_request(),
                "AccessToken": schema::<AccessToken>(),
                "CreateSession": create_session(),
                "SessionCreated": schema::<SessionCreated>(),
                "SessionStatus": schema::<SessionStatus>(),
                "Simulate": simulate(),
                "CreateRefund": create_refund(),
                "Refund": schema::<RefundObject>(),
                "SessionList": session_list(),
                "RefundList": refund_list(),
                "CallbackPage": schema::<CallbackPage>(),
                "FetchedCallback": schema::<FetchedCallback>(),
                "Wallet": schema::<Wallet>(),
                "WalletBalance": schema::<WalletBalance>(),
                "Problem": schema::<ProblemDocument>(),
                "FieldError": schema::<FieldOfProblem>(),
            },
        },
    })
}

fn schema<T: PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_else(|_| unreachable!("a schema is JSON"))
}

fn paths() -> Value {
    let mut paths = Map::new();
    for environment in EnvironmentName::ALL {
        for endpoint in ENDPOINTS {
            let Some(path) = endpoint.path(environment) else { continue };
            let method = match endpoint.operation {
                Operation::ListSessions
                | Operation::GetSession
                | Operation::ListRefunds
                | Operation::GetRefund
                | Operation::FetchCallbacks
                | Operation::GetWallet => "get",
                Operation::ObtainToken
                | Operation::CreateSession
                | Operation::Simulate
                | Operation::CreateRefund => "post",
            };
            let at_path = paths.entry(path).or_insert_with(|| json!({}));
            at_path[method] = operation(endpoint.operation, environment);
        }
    }
    Value::Object(paths)
}

fn operation(operation: Operation, environment: EnvironmentName) -> Value {
    let mut described = match operation {
        Operation::ObtainToken => obtain_token(),
        Operation::CreateSession => create_operation(environment),
        Operation::ListSessions => list_operation(),
        Operation::GetSession => get_operation(),
        Operation::Simulate => simulate_operation(),
        Operation::CreateRefund => create_refund_operation(),
        Operation::ListRefunds => list_refunds_operation(),
        Operation::GetRefund => get_refund_operation(),
        Operation::FetchCallbacks => fetch_operation(),
        Operation::GetWallet => wallet_operation(),
    };
    let id = described["operationId"].as_str().unwrap_or_default();
    described["operationId"] = json!(format!("{id}{}", suffix(environment)));
    described["tags"] = json!([environment.as_str()]);
    if described.get("security").is_none() {
        described["security"] = json!([{ "bearer": [] }]);
    }
    described
}

/// Errors that any call may return.
const ALWAYS: [(&str, &str); 3] =
    [("429", "rate_limited"), ("500", "internal_error"), ("503", "unavailable")];

/// Errors that any call with a body may return in addition.
const WITH_BODY: [(&str, &str); 4] = [
    ("400", "invalid_json"),
    ("408", "request_timeout"),
    ("413", "payload_too_large"),
    ("415", "unsupported_media_type"),
];

/// Errors that any call with a token may return in addition.
const WITH_TOKEN: [(&str, &str); 1] = [("401", "invalid_token")];

fn obtain_token() -> Value {
    let own =
        [("401", "invalid_client"), ("403", "sandbox_disabled, vendor_disabled"), ("422", "invalid_request")];
    json!({
        "operationId": "obtainToken",
        "summary": "Obtain a token",
        "description": "Exchanges a client id and secret for a Bearer token. Credentials work only in their own \
            environment.",
        "security": [],
        "requestBody": body("TokenRequest"),
        "responses": responses(("200", "The token.", "AccessToken"), &[&own, &WITH_BODY, &ALWAYS]),
    })
}

fn create_operation(environment: EnvironmentName) -> Value {
    let own = [
        ("409", "idempotency_in_progress"),
        (
            "422",
            "invalid_request, no_payment_method, conflicting_item, unknown_product, unknown_category, \
             category_mismatch, field_not_allowed_in_sandbox, private_address, idempotency_key_reused, \
             invalid_idempotency_key",
        ),
    ];
    let good = ("201", "The new session.", "SessionCreated");
    let mut responses = responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]);
    responses["201"]["links"] = json!({
        "status": {
            "operationId": format!("getSession{}", suffix(environment)),
            "parameters": { "session_id": "$response.body#/session_id" },
        },
    });
    if environment == EnvironmentName::Live {
        responses["201"]["links"]["refunds"] = json!({
            "operationId": "createRefund",
            "parameters": { "session_id": "$response.body#/session_id" },
        });
    }
    json!({
        "operationId": "createSession",
        "summary": "Create a payment session",
        "description": "Redirect the customer to the session_url in the response. A repeated request with \
            the same Idempotency-Key and body returns the first response again, with Idempotent-Replayed: \
            true.",
        "parameters": [idempotency_key()],
        "requestBody": body("CreateSession"),
        "responses": responses,
    })
}

fn get_operation() -> Value {
    let own = [("404", "session_not_found")];
    let good = ("200", "The session's status.", "SessionStatus");
    json!({
        "operationId": "getSession",
        "summary": "Get a session's status",
        "description": "For reconciliation, if a callback did not arrive. Rely on the callback to learn of a \
            payment.",
        "parameters": [session_id()],
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

fn simulate_operation() -> Value {
    let own = [("404", "session_not_found"), ("409", "session_not_pending"), ("422", "invalid_request")];
    let good = ("200", "The session's status.", "SessionStatus");
    json!({
        "operationId": "simulate",
        "summary": "Choose a sandbox session's outcome",
        "description": "For automated tests. With after_ms, the outcome is scheduled and the response shows \
            the current status; a later call replaces it, and an earlier deadline takes precedence.",
        "parameters": [session_id()],
        "requestBody": body("Simulate"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

fn create_refund_operation() -> Value {
    let own = [
        ("404", "session_not_found"),
        ("409", "session_not_paid, idempotency_in_progress"),
        (
            "422",
            "invalid_request, amount_too_large, nothing_to_refund, too_many_refunds, insufficient_balance, \
             refund_not_supported, idempotency_key_reused, invalid_idempotency_key",
        ),
    ];
    let good = ("201", "The refund. A callback reports its final status.", "Refund");
    json!({
        "operationId": "createRefund",
        "summary": "Refund a payment",
        "description": "Refunds a paid session in full or in part. The amount leaves your balance at once \
            and returns if the provider declines. The session stays paid. A repeated request with the same \
            Idempotency-Key and body does not create a second refund.",
        "parameters": [session_id(), idempotency_key()],
        "requestBody": body("CreateRefund"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

fn list_refunds_operation() -> Value {
    let own = [("404", "session_not_found")];
    let good = ("200", "The refunds, oldest first.", "RefundList");
    json!({
        "operationId": "listRefunds",
        "summary": "List a session's refunds",
        "description": "All refunds of a session, in any status.",
        "parameters": [session_id()],
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

fn list_operation() -> Value {
    let own = [("422", "invalid_request, invalid_cursor")];
    let good = ("200", "A page of sessions, newest first.", "SessionList");
    json!({
        "operationId": "listSessions",
        "summary": "List sessions",
        "description": "Your sessions, newest first, by order, status and time. A session is on exactly one page, no \
            matter how many are created while you read. Unknown parameters are rejected, so that a typing error does \
            not list everything.",
        "parameters": list_parameters(),
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

fn get_refund_operation() -> Value {
    let own = [("404", "session_not_found, refund_not_found")];
    let good = ("200", "The refund's status.", "Refund");
    json!({
        "operationId": "getRefund",
        "summary": "Get a refund's status",
        "description": "For reconciliation, if a callback did not arrive.",
        "parameters": [session_id(), refund_id()],
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

fn fetch_operation() -> Value {
    let own = [("422", "invalid_request")];
    let good = ("200", "The callbacks after the cursor.", "CallbackPage");
    json!({
        "operationId": "fetchCallbacks",
        "summary": "Fetch callbacks",
        "description": "For a server without a public address, or one that was down for longer than Till \
            retries callbacks: your events with the body and headers of their callbacks, oldest first. Treat \
            each like a callback: verify its signature and ignore duplicates by event_id. Unknown parameters \
            are ignored; a parameter sent twice is rejected.",
        "parameters": page_parameters(),
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

fn wallet_operation() -> Value {
    let good = ("200", "Your balances, by currency.", "Wallet");
    json!({
        "operationId": "getWallet",
        "summary": "Get your balances",
        "description": "What the operator currently holds for you. The panel shows every entry behind it, \
            with a statement for each month. Live only: the sandbox moves no money.",
        "responses": responses(good, &[&WITH_TOKEN, &ALWAYS]),
    })
}

/// The suffix of operation ids and of the links that name them, which must be unique in the document. With
/// the path it is the only difference between the environments.
fn suffix(environment: EnvironmentName) -> &'static str {
    match environment {
        EnvironmentName::Live => "",
        EnvironmentName::Sandbox => "Sandbox",
    }
}

fn body(schema: &str) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": reference(schema) } } })
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn responses(good: (&str, &str, &str), problems: &[&[(&str, &str)]]) -> Value {
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
fn headers(status: &str) -> Value {
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

fn session_id() -> Value {
    json!({
        "name": "session_id",
        "in": "path",
        "required": true,
        "description": "The session's id.",
        "schema": { "type": "string", "format": "uuid" },
    })
}

fn refund_id() -> Value {
    json!({
        "name": "refund_id",
        "in": "path",
        "required": true,
        "description": "The refund's id.",
        "schema": { "type": "string", "format": "uuid" },
    })
}

fn parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

fn list_parameters() -> Value {
    let formats = json!([{ "format": "date-time" }, { "format": "date" }]);
    let time = || json!({ "type": "string", "anyOf": formats, "examples": ["2026-11-15T09:30:00Z"] });
    json!([
        parameter(
            "order_id",
            "Only sessions of this order.",
            json!({ "type": "string", "minLength": 1, "maxLength": MAX_CHARS, "examples": ["A-1042"] }),
        ),
        parameter(
            "status",
            "Only sessions with this status.",
            json!({ "type": "string", "enum": ["pending", "paid", "failed", "expired"], "examples": ["paid"] }),
        ),
        parameter(
            "created_from",
            "Only sessions created at this time or later: RFC 3339 with at most milliseconds, or a date, which is its \
             midnight in UTC.",
            time(),
        ),
        parameter("created_to", "Only sessions created before this time, in the same formats.", time()),
        parameter(
            "limit",
            "The maximum number of sessions. It may differ between pages.",
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
    ])
}

fn page_parameters() -> Value {
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

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Makes retries safe: for 24 hours, the same key and body return the first response \
            again. The same key with a different body is rejected with 422 idempotency_key_reused.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$" },
    })
}

fn token_request() -> Value {
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
fn optional_text(description: &str, rest: Value) -> Value {
    let mut field = json!({ "type": ["string", "null"], "description": description });
    if let (Value::Object(field), Value::Object(rest)) = (&mut field, rest) {
        field.extend(rest);
    }
    field
}

fn create_session() -> Value {
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

fn session_list() -> Value {
    let mut list = schema::<SessionList>();
    list["properties"]["sessions"]["items"] = reference("SessionStatus");
    list
}

fn refund_list() -> Value {
    let mut list = schema::<RefundList>();
    list["properties"]["refunds"]["items"] = reference("Refund");
    list
}

fn create_refund() -> Value {
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
            "reason": optional_text(
                "The reason, for people. 1 to 255 characters after trimming; no control characters or \
                 bidirectional overrides.",
                json!({ "minLength": 1, "examples": ["wrong size"] }),
            ),
        },
    })
}

fn simulate() -> Value {
    let words = FailureReason::ALL.iter().map(|reason| json!(reason.as_str()));
    let reasons: Vec<Value> = words.chain([Value::Null]).collect();
    json!({
        "type": "object",
        "required": ["outcome"],
        "properties": {
            "outcome": { "type": "string", "enum": ["paid", "failed", "expired"], "description": "The outcome." },
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
        },
    })
}
