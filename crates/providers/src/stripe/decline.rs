//! Maps Stripe's decline codes to our failure reasons.

use super::wire::PaymentError;
use till_domain::session::FailureReason;

/// The failure reason of a payment error. The issuer's decline code counts before the general error code.
pub(super) fn reason(error: &PaymentError) -> FailureReason {
    let words = [error.decline_code.as_deref(), error.code.as_deref()];
    let known = words.into_iter().flatten().find_map(|word| match word {
        "insufficient_funds" => Some(FailureReason::InsufficientFunds),
        "expired_card" => Some(FailureReason::CardExpired),
        "payment_intent_authentication_failure"
        | "payment_intent_payment_attempt_expired"
        | "authentication_required"
        | "authentication_not_handled" => Some(FailureReason::ThreeDsFailed),
        "processing_error" => Some(FailureReason::ProviderError),
        _ => None,
    });
    let otherwise =
        if error.kind == "api_error" { FailureReason::ProviderError } else { FailureReason::CardDeclined };
    known.unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_reason() {
        use FailureReason as R;
        let check = |kind: &str, code: &str, decline: Option<&str>, expected| {
            let error = PaymentError {
                kind: kind.to_owned(),
                code: Some(code.to_owned()),
                decline_code: decline.map(str::to_owned),
            };
            assert_eq!(reason(&error), expected, "{code} {decline:?}");
        };
        check("card_error", "card_declined", Some("generic_decline"), R::CardDeclined);
        check("card_error", "card_declined", Some("insufficient_funds"), R::InsufficientFunds);
        check("card_error", "card_declined", Some("expired_card"), R::CardExpired);
        check("card_error", "card_declined", Some("authentication_required"), R::ThreeDsFailed);
        check("card_error", "card_declined", Some("stolen_card"), R::CardDeclined);
        check("card_error", "expired_card", None, R::CardExpired);
        check("card_error", "incorrect_cvc", None, R::CardDeclined);
        check("card_error", "processing_error", None, R::ProviderError);
        check("invalid_request_error", "payment_intent_authentication_failure", None, R::ThreeDsFailed);
        check("api_error", "something_new", None, R::ProviderError);
        check("card_error", "something_new", Some("something_newer"), R::CardDeclined);
    }
}
