//! The types of the API's JSON. The store has types of its own, so changing the API cannot change storage,
//! and changing storage cannot change the API.

use serde::Serialize;
use std::collections::BTreeMap;
use till_domain::{fiscal::FiscalReceipt, refund::Refund, session::Session};
use till_store::{ListedMoney, ListedTransaction};
use utoipa::ToSchema;

/// A Bearer token.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccessToken {
    /// Send it as `Authorization: Bearer <access_token>`.
    #[schema(examples("till_sandbox_AQEBmpMl…"))]
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(examples("Bearer"))]
    pub token_type: &'static str,
    /// The token's lifetime in seconds.
    #[schema(minimum = 1, examples(3600))]
    pub expires_in: u64,
}

/// A new session.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionCreated {
    /// Always `pending`.
    #[schema(examples("pending"))]
    status: &'static str,
    /// Your order identifier, exactly as sent.
    #[schema(examples("A-1042"))]
    order_id: String,
    /// The session's id.
    #[schema(format = "uuid", examples("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2"))]
    session_id: String,
    /// Redirect the customer to this URL.
    #[schema(
        format = "uri",
        examples("https://pay.example.com/session/01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2")
    )]
    session_url: String,
}

impl SessionCreated {
    /// The answer to the create of this session, whatever its status is by now.
    #[must_use]
    pub fn new(session: &Session, session_url: String) -> Self {
        Self {
            status: "pending",
            order_id: session.order_id.clone(),
            session_id: session.id.to_string(),
            session_url,
        }
    }
}

/// A session's status.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    /// The session's id.
    #[schema(format = "uuid", examples("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2"))]
    session_id: String,
    /// `pending`, or one of the final `paid`, `failed` and `expired`.
    #[schema(pattern = "^(pending|paid|failed|expired)$", examples("paid"))]
    status: &'static str,
    /// The name of the item.
    #[schema(examples("Atlas of Northern Light"))]
    product_name: String,
    /// The amount, with the digits you sent.
    #[schema(pattern = r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$", examples("4990.00"))]
    price: String,
    /// ISO 4217.
    #[schema(pattern = "^[A-Z]{3}$", examples("RUB"))]
    currency: &'static str,
    /// When the session was created, UTC.
    #[schema(format = "date-time", examples("2026-11-15T09:30:00.000Z"))]
    created_at: String,
    /// When the status last changed, UTC.
    #[schema(format = "date-time", examples("2026-11-15T09:31:12.345Z"))]
    updated_at: String,
    /// Your order identifier, exactly as sent.
    #[schema(examples("A-1042"))]
    order_id: String,
    /// Your own data, if you sent any.
    #[schema(examples(json!({"cart": "7f31"})))]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    /// The registration of the fiscal receipt, if there is one; `none` while no till has it.
    #[schema(pattern = "^(none|pending|registered|failed)$", examples("registered"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_status: Option<&'static str>,
}

impl From<&Session> for SessionStatus {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.id.to_string(),
            status: session.state.status().as_str(),
            product_name: session.item.name.clone(),
            price: session.item.price.digits().to_owned(),
            currency: session.item.price.currency().code(),
            created_at: session.created_at.to_string(),
            updated_at: session.updated_at.to_string(),
            order_id: session.order_id.clone(),
            metadata: session
                .metadata
                .iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            receipt_status: session.fiscal.map(|fiscal| fiscal.status.as_str()),
        }
    }
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionList {
    /// The sessions, newest first.
    pub sessions: Vec<SessionStatus>,
    /// Send it as `cursor` to get the next page; null on the last one.
    #[schema(required, examples("AQGTLFp8HntqmlEPa18McdI1zKq3n0dRWA"))]
    pub next_cursor: Option<String>,
    /// True while the service is on hold after a restore: sessions past their deadline are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

/// A page of transactions.
#[derive(Debug, Serialize, ToSchema)]
pub struct TransactionList {
    /// The transactions, newest first.
    pub transactions: Vec<TransactionObject>,
    /// Send it as `cursor` to get the next page; null on the last one.
    #[schema(required, examples("AQGTLFp8HntqmlEPa18McdI1zKq3n0dRWA"))]
    pub next_cursor: Option<String>,
}

/// A movement of money.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransactionObject {
    /// The transaction's id.
    #[schema(format = "uuid", examples("01932c61-02ab-7c11-9a52-3f0c5b7e21d4"))]
    transaction_id: String,
    /// The session that it belongs to.
    #[schema(format = "uuid", examples("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2"))]
    session_id: String,
    /// Your order identifier, exactly as sent.
    #[schema(examples("A-1042"))]
    order_id: String,
    /// `payment`, or money that leaves: `refund`, `reversal` or `dispute` (a lost one).
    #[serde(rename = "type")]
    #[schema(pattern = "^(payment|refund|reversal|dispute)$", examples("payment"))]
    kind: &'static str,
    /// The amount, always positive.
    #[schema(pattern = r"^(0|[1-9][0-9]*)(\.[0-9]{1,4})?$", examples("4990.00"))]
    amount: String,
    /// ISO 4217: the currency of the session.
    #[schema(pattern = "^[A-Z]{3}$", examples("RUB"))]
    currency: &'static str,
    /// `card`, `sbp` or `crypto`.
    #[schema(pattern = "^(card|sbp|crypto)$", examples("card"))]
    method: &'static str,
    /// When the money moved, UTC.
    #[schema(format = "date-time", examples("2026-11-15T09:31:12.345Z"))]
    created_at: String,
    /// The coin, for crypto.
    #[schema(examples("USDC"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    coin: Option<String>,
    /// The number of coins, for crypto.
    #[schema(examples("54.28"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    coin_amount: Option<String>,
    /// The refund, for a refund of the payment. A refund of money that the session does not cover has none.
    #[schema(format = "uuid", examples("01932c61-02ab-7c11-9a52-3f0c5b7e21d4"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_id: Option<String>,
    /// The dispute, for a dispute.
    #[schema(format = "uuid", examples("01932c61-02ab-7c11-9a52-3f0c5b7e21d4"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    dispute_id: Option<String>,
    /// Present if true: the money came after the session was final.
    #[schema(examples(true))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    late: bool,
    /// Present if true: the money was less than the price.
    #[schema(examples(true))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Present if true: the money was more than the price.
    #[schema(examples(true))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    over: bool,
}

impl From<&ListedTransaction> for TransactionObject {
    fn from(listed: &ListedTransaction) -> Self {
        let (mut money, mut refund_id, mut dispute_id) = (None, None, None);
        match &listed.what {
            ListedMoney::Moved(moved) => money = Some(moved),
            ListedMoney::Refund(refund) => refund_id = refund.map(|refund| refund.to_string()),
            ListedMoney::Dispute(action) => dispute_id = Some(action.to_string()),
        }
        let marks = money.map(|money| money.marks).unwrap_or_default();
        let coins = money.filter(|money| money.is_in_coins()).map(|money| &money.received);
        Self {
            transaction_id: listed.id.to_string(),
            session_id: listed.session.to_string(),
            order_id: listed.order_id.clone(),
            kind: listed.kind().as_str(),
            amount: listed.amount.digits(),
            currency: listed.amount.currency.code(),
            method: listed.method.as_str(),
            created_at: listed.at.to_string(),
            coin: coins.map(|coins| coins.unit.clone()),
            coin_amount: coins.map(|coins| coins.digits()),
            refund_id,
            dispute_id,
            late: marks.late,
            partial: marks.partial,
            over: marks.over,
        }
    }
}

/// A refund.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundObject {
    /// The refund's id.
    #[schema(format = "uuid", examples("01932c61-02ab-7c11-9a52-3f0c5b7e21d4"))]
    refund_id: String,
    /// The session that was paid.
    #[schema(format = "uuid", examples("01932c5a-7c1e-7b7a-9a51-0f6b5f0c71d2"))]
    session_id: String,
    /// The amount refunded.
    #[schema(pattern = r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$", examples("10.00"))]
    amount: String,
    /// ISO 4217: the currency of the session.
    #[schema(pattern = "^[A-Z]{3}$", examples("RUB"))]
    currency: &'static str,
    /// `pending`, or one of the final `succeeded` and `failed`.
    #[schema(pattern = "^(pending|succeeded|failed)$", examples("pending"))]
    status: &'static str,
    /// The reason, as you sent it.
    #[schema(examples("wrong size"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The reason for the failure, for people; only for `failed`.
    #[schema(examples("the customer's bank declined the refund"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<String>,
    /// When the refund was requested, UTC.
    #[schema(format = "date-time", examples("2026-11-15T09:40:00.000Z"))]
    created_at: String,
    /// When the refund last changed, UTC.
    #[schema(format = "date-time", examples("2026-11-15T09:40:03.120Z"))]
    updated_at: String,
}

impl From<&Refund> for RefundObject {
    fn from(refund: &Refund) -> Self {
        Self {
            refund_id: refund.id.to_string(),
            session_id: refund.session.to_string(),
            amount: refund.amount.digits(),
            currency: refund.amount.currency.code(),
            status: refund.state.status(),
            reason: refund.reason.clone(),
            failure_reason: refund.state.failure().map(str::to_owned),
            created_at: refund.created_at.to_string(),
            updated_at: refund.updated_at.to_string(),
        }
    }
}

/// A fiscal receipt of a session besides that of its payment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptObject {
    /// The receipt's id.
    #[schema(format = "uuid", examples("01932c61-02ab-7c11-9a52-3f0c5b7e21d4"))]
    receipt_id: String,
    /// `closing`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(closing)$", examples("closing"))]
    kind: &'static str,
    /// The state of its registration.
    #[schema(pattern = "^(none|pending|registered|failed)$", examples("pending"))]
    status: &'static str,
}

impl From<&FiscalReceipt> for ReceiptObject {
    fn from(receipt: &FiscalReceipt) -> Self {
        Self {
            receipt_id: receipt.id.to_string(),
            kind: receipt.kind.as_str(),
            status: receipt.status.as_str(),
        }
    }
}

/// The refunds of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefundList {
    /// All of them, oldest first.
    pub refunds: Vec<RefundObject>,
}

/// A page of callbacks.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallbackPage {
    /// The callbacks after the cursor, oldest first; empty if there are none yet.
    pub callbacks: Vec<FetchedCallback>,
    /// The cursor for the next call: send it as `after`. Save it after you have processed the page.
    #[schema(pattern = "^(0|[1-9][0-9]*)$", max_length = 18, examples("20"))]
    pub next: String,
    /// Whether more callbacks are available now.
    #[schema(examples(false))]
    pub has_more: bool,
}

/// A callback, as Till sends it to a callback URL.
#[derive(Debug, Serialize, ToSchema)]
pub struct FetchedCallback {
    /// The event's id, for ignoring duplicates.
    #[schema(format = "uuid", examples("01963f2a-9d40-7c11-9a52-3f0c5b7e21d4"))]
    pub event_id: String,
    /// The headers of the callback, with names in lower case, signed now.
    #[schema(examples(json!(example_headers())))]
    pub headers: BTreeMap<String, String>,
    /// The raw body of the callback: verify the signature over exactly these bytes, in UTF-8.
    #[schema(examples(json!(EXAMPLE_BODY)))]
    pub body: String,
}

/// What the signature doctor found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatureVerdict {
    /// True if Till signs this body with this signature now.
    pub right: bool,
    /// What is wrong, or that nothing is. Several mistakes that were made together are all listed.
    pub diagnosis: Vec<SignatureDiagnosis>,
}

/// A mistake in a signature.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatureDiagnosis {
    /// A code that does not change.
    #[schema(examples("base64"))]
    pub code: &'static str,
    /// What is wrong, and what to do.
    #[schema(examples("It is written in base64. X-Signature has 64 lower-case hex digits."))]
    pub says: String,
    /// The client id of the pair whose secret was used, if another secret of yours was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("sandbox_d3f1c0a94be27716f0a3c9e2"))]
    pub client_id: Option<String>,
}

/// An endpoint check that was started.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckStarted {
    /// The id of the check. Get the check to see how far it is.
    #[schema(examples("0199a8f2-5c1e-7a44-b0a3-1f0f4e0b9d10"))]
    pub check_id: String,
}

/// A check of your callback endpoint.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointCheck {
    /// The id of the check.
    #[schema(examples("0199a8f2-5c1e-7a44-b0a3-1f0f4e0b9d10"))]
    pub check_id: String,
    /// The URL that is checked.
    #[schema(examples("https://shop.example.com/till"))]
    pub callback_url: String,
    /// When the check was started.
    #[schema(format = DateTime, examples("2026-11-15T09:30:00.000Z"))]
    pub started_at: String,
    /// running or done.
    #[schema(pattern = "^(running|done)$", examples("done"))]
    pub state: &'static str,
    /// ready if every step passed whose level is must, otherwise not_ready. null while the check is running.
    #[schema(required = true, pattern = "^(ready|not_ready)$", examples("ready"))]
    pub verdict: Option<&'static str>,
    /// The steps so far, in their order.
    pub steps: Vec<EndpointCheckStep>,
}

/// A step of an endpoint check.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndpointCheckStep {
    /// A name that does not change.
    #[schema(examples("wrong_signature"))]
    pub name: &'static str,
    /// must or should. A should is good advice, and does not change the verdict.
    #[schema(pattern = "^(must|should)$", examples("must"))]
    pub level: &'static str,
    /// The response that a correct endpoint gives.
    #[schema(examples("A 4xx response"))]
    pub wanted: String,
    /// The response that came.
    #[schema(examples("200"))]
    pub got: String,
    /// True if the endpoint did what was wanted.
    pub passed: bool,
    /// Why it matters.
    #[schema(examples(
        "Anyone who knows your URL can send a request to it. Without this check, a forged callback ships goods that nobody paid for."
    ))]
    pub why: String,
    /// What to change, if the step did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("Compare the signature in constant time, and answer 401 if it differs."))]
    pub repair: Option<String>,
    /// The line of code to add, if your programming language is known from your User-Agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("if (!hash_equals($expected, $signature)) { http_response_code(401); exit; }"))]
    pub code: Option<&'static str>,
    /// How long the requests of the step took, in milliseconds.
    #[schema(examples(48))]
    pub duration_ms: u64,
}

/// A vendor's balances.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wallet {
    /// One balance for each currency in which you have received a payment.
    pub balances: Vec<WalletBalance>,
}

/// A vendor's balance in one currency. Amounts have the currency's number of decimals.
#[derive(Debug, Serialize, ToSchema)]
pub struct WalletBalance {
    /// ISO 4217.
    #[schema(pattern = "^[A-Z]{3}$", examples("RUB"))]
    pub currency: &'static str,
    /// The amount that can be paid out to you.
    #[schema(pattern = r"^-?[0-9]+(\.[0-9]{1,4})?$", examples("970.00"))]
    pub available: String,
    /// The amount that is yours and cannot be paid out yet.
    #[schema(pattern = r"^-?[0-9]+(\.[0-9]{1,4})?$", examples("120.00"))]
    pub pending: String,
    /// The amount being refunded to customers.
    #[schema(pattern = r"^-?[0-9]+(\.[0-9]{1,4})?$", examples("0.00"))]
    pub refunds: String,
    /// The amount being paid out to you.
    #[schema(pattern = r"^-?[0-9]+(\.[0-9]{1,4})?$", examples("0.00"))]
    pub payouts: String,
}

/// The example body of docs/callbacks.md.
const EXAMPLE_BODY: &str = include_str!("../../../../docs/callbacks/example.json");

/// The headers of the example; the signature is the one in docs/callbacks.md.
fn example_headers() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        ("content-type", "application/json"),
        ("x-signature", "0de11b3ab9c1265a51e8c7708c32e383eee74833c917543c4ab04f728919e4c9"),
        ("x-attempt", "1"),
        ("x-environment", "sandbox"),
        ("webhook-id", "01963f2a-9d40-7c11-9a52-3f0c5b7e21d4"),
        ("webhook-timestamp", "1794735090"),
        ("webhook-signature", "v1,…"),
    ])
}
