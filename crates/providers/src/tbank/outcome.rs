//! Translates a payment's status into an [`Observation`].

use super::codes;
use super::shapes::PaymentState;
use crate::ProviderError;
use till_domain::{
    attempt::{Attempt, AttemptState, Observation, Quantity},
    money::{Currency, Money},
};

/// A payment's status, as far as Till distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PaymentStatus {
    /// The customer has not paid: the link or code was given out, or not even that.
    Open,
    /// The outcome is not known yet.
    InWork,
    /// Money is held.
    Held,
    /// A part of what was held was released: the rest cannot be captured as it was ordered.
    HeldInPart,
    Confirmed,
    Rejected,
    /// The last try failed; T-Bank rejects the payment next, as a rule.
    TryFailed,
    TooManyTries,
    Expired,
    /// Closed without money: cancelled, or what was held is released.
    Closed,
    /// Money is going back.
    GoingBack,
    GoneBackInPart,
    GoneBack,
    /// A status that is not in our table.
    Other,
}

impl PaymentStatus {
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "NEW" | "FORM_SHOWED" | "FORMSHOWED" => Self::Open,
            "PREAUTHORIZING" | "AUTHORIZING" | "3DS_CHECKING" | "3DS_CHECKED" | "PAY_CHECKING"
            | "CONFIRMING" | "CONFIRM_CHECKING" | "PROCESSING" | "CHECKING" | "COMPLETING" | "REVERSING" => {
                Self::InWork
            }
            "AUTHORIZED" => Self::Held,
            "PARTIAL_REVERSED" => Self::HeldInPart,
            "CONFIRMED" => Self::Confirmed,
            "REJECTED" => Self::Rejected,
            "AUTH_FAIL" => Self::TryFailed,
            "ATTEMPTS_EXPIRED" => Self::TooManyTries,
            "DEADLINE_EXPIRED" => Self::Expired,
            "CANCELED" | "REVERSED" => Self::Closed,
            "REFUNDING" | "ASYNC_REFUNDING" => Self::GoingBack,
            "PARTIAL_REFUNDED" => Self::GoneBackInPart,
            "REFUNDED" => Self::GoneBack,
            _ => Self::Other,
        }
    }
}

/// Kopecks as a quantity.
pub(super) fn roubles(kopecks: i64) -> Option<Quantity> {
    let currency = Currency::parse("RUB")?;
    (kopecks >= 0).then(|| Quantity::from(Money { minor: kopecks, currency }))
}

/// The observation that follows from a payment's state. Held money counts as in flight.
pub(super) fn observe(state: &PaymentState, attempt: &Attempt) -> Result<Observation, ProviderError> {
    let counted = attempt.state == AttemptState::Paid || attempt.recorded > 0;
    let paid = |received| Observation::Paid { received, reference: state.payment_id.clone() };
    Ok(match PaymentStatus::parse(&state.status) {
        PaymentStatus::Open => Observation::Waiting,
        PaymentStatus::InWork
        | PaymentStatus::Held
        | PaymentStatus::HeldInPart
        | PaymentStatus::TryFailed => Observation::InFlight,
        PaymentStatus::Confirmed => {
            let unclear = || ProviderError::Unclear("T-Bank reports a payment without its amount".to_owned());
            paid(state.amount.and_then(roubles).ok_or_else(unclear)?)
        }
        PaymentStatus::Rejected | PaymentStatus::TooManyTries => declined(state, attempt),
        PaymentStatus::Expired => Observation::TimedOut,
        PaymentStatus::Closed => Observation::Closed,
        // Money that was counted stays counted: our refunds are followed by themselves.
        PaymentStatus::GoingBack | PaymentStatus::GoneBack | PaymentStatus::GoneBackInPart if counted => {
            paid(attempt.charge.clone())
        }
        // A cancellation met a payment that was made at the same moment.
        PaymentStatus::GoingBack => Observation::InFlight,
        PaymentStatus::GoneBack => Observation::Closed,
        PaymentStatus::GoneBackInPart => {
            return Err(ProviderError::Unclear(
                "T-Bank refunded a part of a payment that Till has not counted".to_owned(),
            ));
        }
        PaymentStatus::Other => {
            return Err(ProviderError::Unclear(format!(
                "T-Bank reports an unknown status: {}",
                word(&state.status)
            )));
        }
    })
}

/// The observation of a payment that was declined.
pub(super) fn declined(state: &PaymentState, attempt: &Attempt) -> Observation {
    Observation::Declined(codes::reason(&state.error_code, attempt.method))
}

/// A word that came from outside, short and on one line.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
    text.chars().take(40).map(plain).collect()
}
