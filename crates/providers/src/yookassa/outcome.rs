//! Translates a payment's status into an [`Observation`].

use super::shapes::{Cancellation, Payment, PaymentStatus};
use crate::ProviderError;
use till_domain::{attempt::Observation, method::Method, session::FailureReason};

/// The state of a payment. Held funds count as in flight.
pub(super) fn observe(payment: &Payment, method: Method) -> Result<Observation, ProviderError> {
    match payment.status {
        PaymentStatus::Pending => Ok(Observation::Waiting),
        PaymentStatus::WaitingForCapture => Ok(Observation::InFlight),
        PaymentStatus::Succeeded => {
            let received = payment.amount.quantity().filter(|_| payment.paid);
            let unclear = || ProviderError::Unknown("YooKassa reports success without an amount".to_owned());
            let received = received.ok_or_else(unclear)?;
            Ok(Observation::Paid { received, reference: payment.id.clone() })
        }
        PaymentStatus::Canceled => {
            Ok(ended(&payment.cancellation_details.clone().unwrap_or_default(), method))
        }
    }
}

/// The meaning of a cancelled payment, by its cancellation details.
fn ended(details: &Cancellation, method: Method) -> Observation {
    let declined =
        if method == Method::Card { FailureReason::CardDeclined } else { FailureReason::ProviderError };
    let reason = match details.reason.as_str() {
        "expired_on_confirmation" => return Observation::TimedOut,
        // By us or in the merchant profile; or held funds were never captured.
        "canceled_by_merchant" | "expired_on_capture" => return Observation::Closed,
        "insufficient_funds" => FailureReason::InsufficientFunds,
        "card_expired" => FailureReason::CardExpired,
        "3d_secure_failed" => FailureReason::ThreeDsFailed,
        "call_issuer"
        | "country_forbidden"
        | "fraud_suspected"
        | "general_decline"
        | "identification_required"
        | "invalid_card_number"
        | "invalid_csc"
        | "payment_method_limit_exceeded"
        | "payment_method_restricted"
        | "permission_revoked" => declined,
        "issuer_unavailable" | "internal_timeout" | "rejected_by_timeout" => FailureReason::ProviderError,
        // An unknown reason: the party that gave it tells most.
        _ if details.party == "payment_network" => declined,
        _ => FailureReason::ProviderError,
    };
    Observation::Declined(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(party: &str, reason: &str, method: Method) -> Observation {
        ended(&Cancellation { party: party.to_owned(), reason: reason.to_owned() }, method)
    }

    #[test]
    fn every_reason_has_a_word_of_ours() {
        use FailureReason as R;
        for (reason, expected) in [
            ("3d_secure_failed", R::ThreeDsFailed),
            ("call_issuer", R::CardDeclined),
            ("card_expired", R::CardExpired),
            ("country_forbidden", R::CardDeclined),
            ("deal_expired", R::ProviderError),
            ("fraud_suspected", R::CardDeclined),
            ("general_decline", R::CardDeclined),
            ("identification_required", R::CardDeclined),
            ("insufficient_funds", R::InsufficientFunds),
            ("internal_timeout", R::ProviderError),
            ("invalid_card_number", R::CardDeclined),
            ("invalid_csc", R::CardDeclined),
            ("issuer_unavailable", R::ProviderError),
            ("payment_method_limit_exceeded", R::CardDeclined),
            ("payment_method_restricted", R::CardDeclined),
            ("permission_revoked", R::CardDeclined),
            ("unsupported_mobile_operator", R::ProviderError),
            ("rejected_by_timeout", R::ProviderError),
            ("loan_application_declined", R::ProviderError),
        ] {
            assert_eq!(why("yoo_money", reason, Method::Card), Observation::Declined(expected), "{reason}");
        }
        for (reason, expected) in [
            ("expired_on_confirmation", Observation::TimedOut),
            ("canceled_by_merchant", Observation::Closed),
            ("expired_on_capture", Observation::Closed),
        ] {
            assert_eq!(why("merchant", reason, Method::Card), expected, "{reason}");
        }
        let network = |method| why("payment_network", "something_new", method);
        assert_eq!(network(Method::Card), Observation::Declined(R::CardDeclined));
        assert_eq!(network(Method::Sbp), Observation::Declined(R::ProviderError), "no card was declined");
        assert_eq!(why("", "", Method::Card), Observation::Declined(R::ProviderError));
    }
}
