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
        when: "The client ID and secret are not a pair of this environment.",
        remedy: "Check both, and that they belong to the environment you call. Till slows down wrong \
            attempts.",
    },
    ErrorCode {
        code: "invalid_token",
        status: 401,
        when: "The Bearer token is missing, malformed, expired, revoked or from the other environment.",
        remedy: "Get a new token and retry the request.",
    },
    ErrorCode {
        code: "sandbox_disabled",
        status: 403,
        when: "The credentials are right, but sandbox mode is off for this vendor.",
        remedy: "Ask the service operator to turn it on.",
    },
    ErrorCode {
        code: "vendor_disabled",
        status: 403,
        when: "The credentials are right, but the vendor is disabled.",
        remedy: "Contact the service operator.",
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
        when: "This vendor has no session with this ID in this environment.",
        remedy: "Check the ID, and that the session was created in the environment you call.",
    },
    ErrorCode {
        code: "refund_not_found",
        status: 404,
        when: "The session has no refund with this ID.",
        remedy: "Check the ID, and that it is a refund of this session.",
    },
    ErrorCode {
        code: "method_not_allowed",
        status: 405,
        when: "The address exists, but does not accept this method.",
        remedy: "Use a method from the Allow header.",
    },
    ErrorCode {
        code: "request_timeout",
        status: 408,
        when: "The body did not arrive in time, so we closed the connection.",
        remedy: "Retry the request; for a create, use the same Idempotency-Key.",
    },
    ErrorCode {
        code: "idempotency_in_progress",
        status: 409,
        when: "Another request with the same Idempotency-Key is still running.",
        remedy: "Wait a moment, then retry the same request with the same key.",
    },
    ErrorCode {
        code: "session_not_pending",
        status: 409,
        when: "The session already has its final status.",
        remedy: "Get its status. For another attempt, create a new session.",
    },
    ErrorCode {
        code: "not_possible_now",
        status: 409,
        when: "You simulated an event that cannot happen to the sandbox session now, such as a dispute of a session that \
               is not paid.",
        remedy: "Bring the session into the state that the event needs; the reference lists them.",
    },
    ErrorCode {
        code: "check_running",
        status: 409,
        when: "You started an endpoint check while another one is running.",
        remedy: "Wait until its state is `done`.",
    },
    ErrorCode {
        code: "check_not_found",
        status: 404,
        when: "You have no endpoint check with this id, or it is older than your last 50.",
        remedy: "Use the `check_id` that the start of a check returned.",
    },
    ErrorCode {
        code: "payment_in_flight",
        status: 409,
        when: "You asked to expire a session whose payment is in flight and cannot be stopped at the provider.",
        remedy: "Wait for the callback with its outcome. If the payment fails, the session ends by itself.",
    },
    ErrorCode {
        code: "session_not_paid",
        status: 409,
        when: "You requested a refund, but the session is not paid.",
        remedy: "You can refund only paid sessions. Get the session's status.",
    },
    ErrorCode {
        code: "payload_too_large",
        status: 413,
        when: "The body is larger than 32 KiB, or that of a create than 128 KiB.",
        remedy: "Send a smaller one.",
    },
    ErrorCode {
        code: "unsupported_media_type",
        status: 415,
        when: "The Content-Type is missing or not JSON.",
        remedy: "Send `Content-Type: application/json`.",
    },
    ErrorCode {
        code: "invalid_request",
        status: 422,
        when: "One or more fields are wrong.",
        remedy: "Correct every field that `errors` names, then retry the request.",
    },
    ErrorCode {
        code: "invalid_cursor",
        status: 422,
        when: "The cursor of a list is damaged, or belongs to other filters.",
        remedy: "Send the `next_cursor` of a response to the same filters, or start without a cursor.",
    },
    ErrorCode {
        code: "amount_too_large",
        status: 422,
        when: "The refund is more than the rest of the payment; `detail` says how much is left.",
        remedy: "Request less, or omit the amount to refund the rest.",
    },
    ErrorCode {
        code: "nothing_to_refund",
        status: 422,
        when: "The full payment is refunded, or its refunds are pending.",
        remedy: "Nothing. List the session's refunds to see them.",
    },
    ErrorCode {
        code: "too_many_refunds",
        status: 422,
        when: "The payment already has 100 partial refunds.",
        remedy: "Refund in fewer parts. For this one, contact the service operator.",
    },
    ErrorCode {
        code: "insufficient_balance",
        status: 422,
        when: "Your balance does not cover the refund; `detail` says what it takes and what is available.",
        remedy: "Request less, or try again when later payments are available.",
    },
    ErrorCode {
        code: "refund_not_supported",
        status: 422,
        when: "The provider does not support refunds, or the payment is older than the ledger.",
        remedy: "Contact the service operator.",
    },
    ErrorCode {
        code: "no_payment_method",
        status: 422,
        when: "There is no payment method to offer for this session.",
        remedy: "Check `availablePaymentMethods` and the currency, or ask the operator for a method.",
    },
    ErrorCode {
        code: "receipt_not_enabled",
        status: 422,
        when: "You sent a fiscal receipt, but fiscal receipts are off in your settings.",
        remedy: "Switch them on if your acquirer has a till for you. Otherwise omit the receipt.",
    },
    ErrorCode {
        code: "receipt_required",
        status: 422,
        when: "You sent no fiscal receipt, but your settings require one for payments in roubles.",
        remedy: "Send a receipt, or set a default VAT rate, from which a receipt of one line is made.",
    },
    ErrorCode {
        code: "no_prepayment",
        status: 422,
        when: "You asked for a closing receipt, but the session has no prepayment, or all of it is refunded.",
        remedy: "Nothing: what was paid on hand-over needs no closing receipt.",
    },
    ErrorCode {
        code: "refund_pending",
        status: 409,
        when: "You asked for a closing receipt while a refund of the payment is pending.",
        remedy: "Ask again when the refund has succeeded or failed: a callback reports it.",
    },
    ErrorCode {
        code: "conflicting_item",
        status: 422,
        when: "You sent product_id together with product_name, price or currency.",
        remedy: "Send one or the other.",
    },
    ErrorCode {
        code: "unknown_product",
        status: 422,
        when: "product_id is not a product in your catalog.",
        remedy: "Use the ID of a product that is not archived.",
    },
    ErrorCode {
        code: "unknown_category",
        status: 422,
        when: "category_id is not a category in your catalog.",
        remedy: "Use the ID of a category that is not archived.",
    },
    ErrorCode {
        code: "category_mismatch",
        status: 422,
        when: "category_id is not the category of this product.",
        remedy: "Omit category_id, or send the product's own.",
    },
    ErrorCode {
        code: "field_not_allowed_in_sandbox",
        status: 422,
        when: "You sent product_id or category_id in the sandbox, which has no catalog.",
        remedy: "Describe the item with product_name, price and currency.",
    },
    ErrorCode {
        code: "private_address",
        status: 422,
        when: "callback_url points to a private or reserved address, such as localhost.",
        remedy: "Use an address that is reachable from the internet.",
    },
    ErrorCode {
        code: "idempotency_key_reused",
        status: 422,
        when: "You already used the Idempotency-Key with a different body.",
        remedy: "Use a new key for a new request.",
    },
    ErrorCode {
        code: "invalid_idempotency_key",
        status: 422,
        when: "The Idempotency-Key is not 1 to 255 printable ASCII characters, or you sent it twice.",
        remedy: "Send one such key, for example a UUID.",
    },
    ErrorCode {
        code: "rate_limited",
        status: 429,
        when: "Too many requests in a short time.",
        remedy: "Wait for the number of seconds in Retry-After.",
    },
    ErrorCode {
        code: "internal_error",
        status: 500,
        when: "Something went wrong on our side.",
        remedy: "Send the service operator the request_id.",
    },
    ErrorCode {
        code: "unavailable",
        status: 503,
        when: "The service cannot respond now, or does not know whether it carried out the request.",
        remedy: "Retry the same request after Retry-After; for a create, use the same Idempotency-Key.",
    },
];
