//! Every error code of the API: the table behind the "Errors" section, to whose rows the problem documents
//! link.

/// An error code as documented.
#[derive(Debug)]
pub struct ErrorCode {
    /// The code in the problem document.
    pub code: &'static str,
    /// The HTTP status it comes with.
    pub status: u16,
    pub when: &'static str,
    /// The advice for the caller.
    pub remedy: &'static str,
}

/// True if a word is one of the codes.
pub fn is_code(word: &str) -> bool {
    ERRORS.iter().any(|error| error.code == word)
}

/// All error codes, by status.
pub const ERRORS: &[ErrorCode] = &[
    ErrorCode {
        code: "invalid_json",
        status: 400,
        when: "The body is not one JSON object, has a key twice, or is nested deeper than 16 levels.",
        remedy: "Send one JSON object in UTF-8.",
    },
    ErrorCode {
        code: "invalid_client",
        status: 401,
        when: "The client id and secret are not a pair of this environment.",
        remedy: "Check both, and that they belong to the environment you call. Wrong tries are slowed down.",
    },
    ErrorCode {
        code: "invalid_token",
        status: 401,
        when: "The Bearer token is missing, malformed, expired, revoked or of the other environment.",
        remedy: "Get a new token and send the request again.",
    },
    ErrorCode {
        code: "sandbox_disabled",
        status: 403,
        when: "The credentials are right, but the sandbox is switched off for this vendor.",
        remedy: "Ask the operator of this service to switch it on.",
    },
    ErrorCode {
        code: "vendor_disabled",
        status: 403,
        when: "The credentials are right, but the vendor is disabled.",
        remedy: "Ask the operator of this service.",
    },
    ErrorCode {
        code: "not_found",
        status: 404,
        when: "There is nothing at this address.",
        remedy: "Check the path. Live and sandbox have different ones.",
    },
    ErrorCode {
        code: "session_not_found",
        status: 404,
        when: "This vendor has no session with this id in this environment.",
        remedy: "Check the id, and that the session was created in the environment you ask.",
    },
    ErrorCode {
        code: "refund_not_found",
        status: 404,
        when: "The session has no refund with this id.",
        remedy: "Check the id, and that it is a refund of this session.",
    },
    ErrorCode {
        code: "method_not_allowed",
        status: 405,
        when: "The address exists, but does not take this method.",
        remedy: "Use a method that the Allow header names.",
    },
    ErrorCode {
        code: "request_timeout",
        status: 408,
        when: "The body did not arrive in time; the connection is closed.",
        remedy: "Send the request again, a create with the same Idempotency-Key.",
    },
    ErrorCode {
        code: "idempotency_in_progress",
        status: 409,
        when: "Another request with the same Idempotency-Key is still running.",
        remedy: "Wait a moment, then send the same request with the same key.",
    },
    ErrorCode {
        code: "session_not_pending",
        status: 409,
        when: "The session already has its final status.",
        remedy: "Ask for its status. For another attempt, create a new session.",
    },
    ErrorCode {
        code: "session_not_paid",
        status: 409,
        when: "A refund was asked for, but the session is not paid.",
        remedy: "Only what was paid can be refunded. Ask for the session's status.",
    },
    ErrorCode {
        code: "payload_too_large",
        status: 413,
        when: "The body is larger than 32 KiB.",
        remedy: "Send a smaller one.",
    },
    ErrorCode {
        code: "unsupported_media_type",
        status: 415,
        when: "The Content-Type is missing or something else than JSON.",
        remedy: "Send `Content-Type: application/json`.",
    },
    ErrorCode {
        code: "invalid_request",
        status: 422,
        when: "One or more fields are wrong.",
        remedy: "Correct every field that `errors` names, then send the request again.",
    },
    ErrorCode {
        code: "amount_too_large",
        status: 422,
        when: "The refund is more than is left of the payment; `detail` says how much is.",
        remedy: "Ask for less, or leave the amount out to refund all that is left.",
    },
    ErrorCode {
        code: "nothing_to_refund",
        status: 422,
        when: "All of the payment was refunded, or is on its way back.",
        remedy: "Nothing; list the session's refunds to see them.",
    },
    ErrorCode {
        code: "too_many_refunds",
        status: 422,
        when: "The payment was refunded in 100 parts already.",
        remedy: "Refund in fewer parts; ask the operator of this service about this one.",
    },
    ErrorCode {
        code: "insufficient_balance",
        status: 422,
        when: "Your balance does not cover the refund; `detail` says what it takes and what is available.",
        remedy: "Ask for less, or try again when later payments have become available.",
    },
    ErrorCode {
        code: "refund_not_supported",
        status: 422,
        when: "The provider that took the payment sends nothing back, or the payment is older than the books.",
        remedy: "Ask the operator of this service.",
    },
    ErrorCode {
        code: "no_payment_method",
        status: 422,
        when: "No payment method is left to offer for this session.",
        remedy: "Check `availablePaymentMethods` and the currency, or ask the operator for a method.",
    },
    ErrorCode {
        code: "conflicting_item",
        status: 422,
        when: "product_id came together with product_name, price or currency.",
        remedy: "Send one or the other.",
    },
    ErrorCode {
        code: "unknown_product",
        status: 422,
        when: "product_id names no product of your catalog.",
        remedy: "Use the id of a product that is not archived.",
    },
    ErrorCode {
        code: "unknown_category",
        status: 422,
        when: "category_id names no category of your catalog.",
        remedy: "Use the id of a category that is not archived.",
    },
    ErrorCode {
        code: "category_mismatch",
        status: 422,
        when: "category_id is not the category of this product.",
        remedy: "Leave category_id out, or send the product's own.",
    },
    ErrorCode {
        code: "field_not_allowed_in_sandbox",
        status: 422,
        when: "product_id or category_id was sent in sandbox, which has no catalog.",
        remedy: "Describe the item with product_name, price and currency.",
    },
    ErrorCode {
        code: "private_address",
        status: 422,
        when: "callback_url points to a private or reserved address, such as localhost.",
        remedy: "Use an address that can be reached from the internet.",
    },
    ErrorCode {
        code: "idempotency_key_reused",
        status: 422,
        when: "The Idempotency-Key was used before with another body.",
        remedy: "Use a new key for a new request.",
    },
    ErrorCode {
        code: "invalid_idempotency_key",
        status: 422,
        when: "The Idempotency-Key is not 1 to 255 printable ASCII characters, or was sent twice.",
        remedy: "Send one such key, for example a UUID.",
    },
    ErrorCode {
        code: "rate_limited",
        status: 429,
        when: "Too many requests in a short time.",
        remedy: "Wait as many seconds as Retry-After says.",
    },
    ErrorCode {
        code: "internal_error",
        status: 500,
        when: "Something broke on our side.",
        remedy: "Tell the operator of this service the request_id.",
    },
    ErrorCode {
        code: "unavailable",
        status: 503,
        when: "The service cannot answer now, or does not know whether it carried out the request.",
        remedy: "Send the same request again after Retry-After; a create with the same Idempotency-Key.",
    },
];
