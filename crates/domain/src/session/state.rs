//! The states of a session and the legal transitions between them.

use std::fmt;

/// The status on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not paid yet; also the status on creation.
    Pending,
    Paid,
    Failed,
    /// The time ran out without payment.
    Expired,
}

/// Every legal transition. The store's triggers enforce the same list.
pub const TRANSITIONS: [(Status, Status); 3] =
    [(Status::Pending, Status::Paid), (Status::Pending, Status::Failed), (Status::Pending, Status::Expired)];

impl Status {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Paid, Self::Failed, Self::Expired];

    /// The text form on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Returns true if [`TRANSITIONS`] has a transition to `to`.
    #[must_use]
    pub fn may_become(self, to: Self) -> bool {
        TRANSITIONS.contains(&(self, to))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The state of a session. A reason exists exactly when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Pending,
    Paid,
    Failed(FailureReason),
    Expired,
}

impl State {
    /// The status on the wire.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::Paid => Status::Paid,
            Self::Failed(_) => Status::Failed,
            Self::Expired => Status::Expired,
        }
    }
}

/// A final state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Paid,
    Failed(FailureReason),
    Expired,
}

impl Outcome {
    /// The outcome that these two columns of a row hold.
    #[must_use]
    pub fn from_words(status: &str, reason: Option<&str>) -> Option<Self> {
        match (Status::parse(status)?, reason) {
            (Status::Paid, None) => Some(Self::Paid),
            (Status::Expired, None) => Some(Self::Expired),
            (Status::Failed, Some(reason)) => FailureReason::parse(reason).map(Self::Failed),
            _ => None,
        }
    }

    /// The reason, if it failed.
    #[must_use]
    pub fn reason(self) -> Option<FailureReason> {
        match self {
            Self::Failed(reason) => Some(reason),
            Self::Paid | Self::Expired => None,
        }
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Paid => Self::Paid,
            Outcome::Failed(reason) => Self::Failed(reason),
            Outcome::Expired => Self::Expired,
        }
    }
}

/// Why a session failed, for the panel, the checkout page and the callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The bank declined the payment.
    CardDeclined,
    InsufficientFunds,
    CardExpired,
    /// The 3-D Secure check failed.
    ThreeDsFailed,
    /// The customer cancelled at the provider.
    CanceledByCustomer,
    /// A final error of the provider.
    ProviderError,
    /// A transfer that was never included in a block.
    Unconfirmed,
}

impl FailureReason {
    pub const ALL: [Self; 7] = [
        Self::CardDeclined,
        Self::InsufficientFunds,
        Self::CardExpired,
        Self::ThreeDsFailed,
        Self::CanceledByCustomer,
        Self::ProviderError,
        Self::Unconfirmed,
    ];

    /// The text forms of all reasons, for messages.
    pub const WORDS: &'static str = "card_declined, insufficient_funds, card_expired, three_ds_failed, canceled_by_customer, \
         provider_error, unconfirmed";

    /// The text form on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CardDeclined => "card_declined",
            Self::InsufficientFunds => "insufficient_funds",
            Self::CardExpired => "card_expired",
            Self::ThreeDsFailed => "three_ds_failed",
            Self::CanceledByCustomer => "canceled_by_customer",
            Self::ProviderError => "provider_error",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i1_only_pending_has_a_way_out() {
        for from in Status::ALL {
            for to in Status::ALL {
                let legal = from == Status::Pending && to != Status::Pending;
                assert_eq!(from.may_become(to), legal, "{from} to {to}");
            }
        }
    }

    #[test]
    fn the_words_in_messages_are_the_words_on_the_wire() {
        let words: Vec<_> = FailureReason::ALL.iter().map(|r| r.as_str()).collect();
        assert_eq!(words.join(", "), FailureReason::WORDS);
    }
}
