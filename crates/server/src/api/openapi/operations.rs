//! What each operation is: its words, its body and its answers.

use super::{
    parts::{
        body, check_id, idempotency_key, list_parameters, optional_body, optional_body_of, page_parameters,
        refund_id, responses, session_id, transaction_parameters,
    },
    suffix,
};
use serde_json::{Value, json};
use till_domain::environment::EnvironmentName;

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

pub(super) fn obtain_token() -> Value {
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

pub(super) fn create_operation(environment: EnvironmentName) -> Value {
    let own = [
        ("409", "idempotency_in_progress"),
        (
            "422",
            "invalid_request, no_payment_method, receipt_not_enabled, receipt_required, conflicting_item, unknown_product, unknown_category, \
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
        "refunds": {
            "operationId": format!("createRefund{}", suffix(environment)),
            "parameters": { "session_id": "$response.body#/session_id" },
        },
    });
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

pub(super) fn get_operation() -> Value {
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

pub(super) fn expire_operation() -> Value {
    let own = [("404", "session_not_found"), ("409", "session_not_pending, payment_in_flight")];
    let good = ("200", "The session's status: expired.", "SessionStatus");
    json!({
        "operationId": "expireSession",
        "summary": "Expire a session",
        "description": "Ends a pending session now, so that it can no longer be paid: for an order that was changed or \
            canceled. The payment is closed at the provider first; where a provider cannot close it, money that still \
            arrives is reported as late. A session that has expired already is returned as it is. The body is empty \
            or `{}`.",
        "parameters": [session_id()],
        "requestBody": optional_body(),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

pub(super) fn simulate_operation() -> Value {
    let own = [
        ("404", "session_not_found"),
        ("409", "session_not_pending, not_possible_now"),
        ("422", "invalid_request, amount_too_large"),
    ];
    let good = ("200", "The session's status.", "SessionStatus");
    json!({
        "operationId": "simulate",
        "summary": "Choose a sandbox session's outcome or event",
        "description": "For automated tests. With after_ms, the outcome is scheduled and the response shows \
            the current status; a later call replaces it, and an earlier deadline takes precedence. With event, \
            something happens to the money of a session that has ended, and your server gets the same callback as \
            in live; the session's status does not change.",
        "parameters": [session_id()],
        "requestBody": body("Simulate"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

pub(super) fn check_signature_operation() -> Value {
    let own = [("422", "invalid_request")];
    let good = ("200", "What was found.", "SignatureVerdict");
    json!({
        "operationId": "checkSignature",
        "summary": "Find the mistake in a signature",
        "description": "Send the raw body of a callback and the signature that your code computed over it. The response \
            says whether it is right and, if not, which mistake leads to it: another secret, another algorithm, another \
            encoding, or a body that was changed before it was signed. Nothing is sent anywhere, nothing is kept, and no \
            secret is shown.",
        "requestBody": body("CheckSignature"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

pub(super) fn check_endpoint_operation() -> Value {
    let own = [("409", "check_running"), ("422", "invalid_request, private_address")];
    let good = ("202", "The check was started.", "CheckStarted");
    json!({
        "operationId": "checkEndpoint",
        "summary": "Check your callback endpoint",
        "description": "Plays a fixed script of callbacks, right and wrong, against your endpoint, with real sandbox \
            sessions of an order that begins with till-check-, and says whether it is ready for real payments. One check \
            runs at a time.",
        "requestBody": optional_body_of("CheckEndpoint"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

pub(super) fn get_endpoint_check_operation() -> Value {
    let own = [("404", "check_not_found")];
    let good = ("200", "The check, with the steps so far.", "EndpointCheck");
    json!({
        "operationId": "getEndpointCheck",
        "summary": "Get an endpoint check",
        "description": "Repeat the request until state is done. The last 50 checks are kept.",
        "parameters": [check_id()],
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

pub(super) fn create_refund_operation() -> Value {
    let own = [
        ("404", "session_not_found"),
        ("409", "session_not_paid, idempotency_in_progress"),
        (
            "422",
            "invalid_request, receipt_required, receipt_not_enabled, amount_too_large, nothing_to_refund, \
             too_many_refunds, insufficient_balance, refund_not_supported, idempotency_key_reused, invalid_idempotency_key",
        ),
    ];
    let good = ("201", "The refund. A callback reports its final status.", "Refund");
    json!({
        "operationId": "createRefund",
        "summary": "Refund a payment",
        "description": "Refunds a paid session in full or in part. In live, the amount leaves your balance at once \
            and returns if the provider declines; in the sandbox, no money moves and the simulated bank responds. The \
            session stays paid. A repeated request with the same Idempotency-Key and body does not create a second \
            refund.",
        "parameters": [session_id(), idempotency_key()],
        "requestBody": body("CreateRefund"),
        "responses": responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]),
    })
}

pub(super) fn create_receipt_operation() -> Value {
    let own = [
        ("404", "session_not_found"),
        ("409", "session_not_paid, refund_pending"),
        ("422", "invalid_request, no_prepayment"),
    ];
    let good = ("201", "The receipt.", "ClosingReceipt");
    let mut responses = responses(good, &[&own, &WITH_TOKEN, &WITH_BODY, &ALWAYS]);
    let mut again = responses["201"].clone();
    again["description"] = json!("The receipt that the session had before.");
    responses["200"] = again;
    json!({
        "operationId": "createReceipt",
        "summary": "Close a prepayment",
        "description": "What the customer paid before has been handed over: makes the closing fiscal receipt (54-FZ) of a paid \
            session whose receipt has a prepayment. A session has one; a second call returns the first one again.",
        "parameters": [session_id()],
        "requestBody": body("CreateReceipt"),
        "responses": responses,
    })
}

pub(super) fn list_refunds_operation() -> Value {
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

pub(super) fn list_operation() -> Value {
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

pub(super) fn list_transactions_operation() -> Value {
    let own = [("422", "invalid_request, invalid_cursor")];
    let good = ("200", "A page of transactions, newest first.", "TransactionList");
    json!({
        "operationId": "listTransactions",
        "summary": "List transactions",
        "description": "The movements of your customers' money, newest first: payments, refunds that succeeded, reversals \
            and lost disputes, by session, order, type and time. A transaction is on exactly one page. Unknown parameters \
            are rejected.",
        "parameters": transaction_parameters(),
        "responses": responses(good, &[&own, &WITH_TOKEN, &ALWAYS]),
    })
}

pub(super) fn get_refund_operation() -> Value {
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

pub(super) fn fetch_operation() -> Value {
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

pub(super) fn wallet_operation() -> Value {
    let good = ("200", "Your balances, by currency.", "Wallet");
    json!({
        "operationId": "getWallet",
        "summary": "Get your balances",
        "description": "What the operator currently holds for you. The panel shows every entry behind it, \
            with a statement for each month. Live only: the sandbox moves no money.",
        "responses": responses(good, &[&WITH_TOKEN, &ALWAYS]),
    })
}
