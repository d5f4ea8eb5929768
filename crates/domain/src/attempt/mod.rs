//! The attempt to take a session's money at a provider, from the intent to its end.
//!
//! [`begin`] makes the intent, which is committed before the provider is called; at most one attempt of a
//! session is active. A provider's answer is an [`Observation`]; [`observe`] alone decides what it means for
//! the attempt, the session and the money. Nothing here calls a provider: [`next_step`] says which call is to
//! be made.

mod begin;
mod observe;
mod quantity;
mod schedule;
mod silence;
mod stray;
mod verdict;
mod write;

pub use begin::{Beginning, begin};
pub use observe::{AttemptDecision, AttemptFacts, closing, observe, started};
pub use quantity::Quantity;
pub use schedule::{AttemptStep, GRACE, Pace, claim, hasten, next_step};
pub use silence::{UnreachableActions, leave, unreachable};
pub use stray::{StrayTransfer, stray};

use crate::{
    id::{AttemptId, SessionId, VendorId},
    method::Method,
    session::FailureReason,
    time::Timestamp,
};
use std::fmt;

/// One try to take a session's money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its id; also the idempotency key at the provider.
    pub id: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    pub vendor: VendorId,
    pub method: Method,
    /// The name of the provider.
    pub provider: String,
    /// The customer's choice on our page, where the provider asks for one.
    pub choice: Option<String>,
    /// The mail address for a receipt.
    pub email: Option<String>,
    /// The language in which the customer read our page.
    pub language: Option<String>,
    pub state: AttemptState,
    /// The provider's reference of the payment.
    pub reference: Option<String>,
    /// The page, form, code or address that the customer was given to pay with.
    pub instructions: Option<Instructions>,
    /// The amount to pay, in the provider's own unit.
    pub charge: Quantity,
    /// The amount received, according to the provider, in atoms of the charge's unit.
    pub received: u128,
    /// The part of it that is recorded in transactions.
    pub recorded: u128,
    /// The confirmations of a transfer on a chain.
    pub confirmations: Option<Confirmations>,
    /// Since when the money is on its way.
    pub in_flight_since: Option<Timestamp>,
    pub started_at: Timestamp,
    pub updated_at: Timestamp,
    /// When the provider is called next.
    pub check_at: Option<Timestamp>,
    /// Number of calls since the last news.
    pub checks: u32,
    /// Increases with every change, for optimistic concurrency: of two concurrent changes one is committed.
    pub version: i64,
}

impl Attempt {
    /// The newest of a session's attempts. Two may have been started in the same millisecond; an active one is always the newer.
    #[must_use]
    pub fn newest(of_session: &[Self]) -> Option<&Self> {
        of_session.iter().max_by_key(|attempt| (attempt.state.is_active(), attempt.id))
    }

    /// Returns true if a transfer that is enough is in a block of a chain: the session waits until it is
    /// confirmed, also if the customer has chosen another method since.
    #[must_use]
    pub fn holds_session(&self) -> bool {
        let waits = matches!(self.state, AttemptState::InFlight | AttemptState::Watched);
        let enough = |seen: Confirmations| seen.seen > 0 && seen.atoms >= self.charge.atoms;
        waits && self.method == Method::Crypto && self.confirmations.is_some_and(enough)
    }

    /// The same, for an attempt that the customer left for another method.
    #[must_use]
    pub fn holds_though_left(&self) -> bool {
        self.state == AttemptState::Watched && self.holds_session()
    }
}

/// The state of a session's other attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherAttempts {
    /// Nothing that matters: no other one is active, and none holds the session.
    Nothing,
    /// Another one is active.
    Active,
    /// Another one was left, and holds the session: see [`Attempt::holds_session`].
    Holding,
}

impl OtherAttempts {
    /// The state of the other attempts among these.
    #[must_use]
    pub fn of(attempt: AttemptId, all: &[Attempt]) -> Self {
        let mut others = all.iter().filter(|other| other.id != attempt);
        if others.clone().any(Attempt::holds_though_left) {
            Self::Holding
        } else if others.any(|other| other.state.is_active()) {
            Self::Active
        } else {
            Self::Nothing
        }
    }
}

/// The confirmations of a transfer on a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmations {
    /// Confirmations so far; 0 while it is in no block.
    pub seen: u32,
    /// Confirmations that make it final.
    pub needed: u32,
    /// Its amount, which does not count as received yet.
    pub atoms: u128,
}

/// The state of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptState {
    /// It is about to be started; whether the provider knows of it is unknown.
    Intended,
    /// The customer can pay.
    Open,
    /// Money is on its way.
    InFlight,
    /// The money has arrived.
    Paid,
    /// The provider declined it.
    Declined(FailureReason),
    /// No more money can be taken by it.
    Closed,
    /// The customer left it, or its session has ended, but money could still arrive.
    Watched,
}

impl AttemptState {
    /// The text form in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Intended => "intended",
            Self::Open => "open",
            Self::InFlight => "in_flight",
            Self::Paid => "paid",
            Self::Declined(_) => "declined",
            Self::Closed => "closed",
            Self::Watched => "watched",
        }
    }

    /// The state that these two columns of a row hold.
    #[must_use]
    pub fn from_words(state: &str, reason: Option<&str>) -> Option<Self> {
        match (state, reason) {
            ("intended", None) => Some(Self::Intended),
            ("open", None) => Some(Self::Open),
            ("in_flight", None) => Some(Self::InFlight),
            ("paid", None) => Some(Self::Paid),
            ("closed", None) => Some(Self::Closed),
            ("watched", None) => Some(Self::Watched),
            ("declined", Some(reason)) => FailureReason::parse(reason).map(Self::Declined),
            _ => None,
        }
    }

    /// The reason, if the provider declined it.
    #[must_use]
    pub fn reason(self) -> Option<FailureReason> {
        match self {
            Self::Declined(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns true if it keeps another attempt of its session from starting.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Intended | Self::Open | Self::InFlight)
    }
}

/// The page, form, code or address that a customer is given to pay with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instructions {
    /// The provider's own page.
    Redirect { url: String },
    /// The provider's own form, which its script puts into our page.
    Embedded {
        /// The origins that the script loads from and connects to.
        origins: Origins,
        /// The values that the script needs for this payment.
        values: Values,
    },
    /// A QR code, or a bank's app on the same device.
    Qr {
        /// The content of the code.
        payload: String,
        /// The link that opens the app.
        app_url: String,
    },
    /// An address on a chain.
    Address {
        /// The chain's name, for people.
        network: String,
        address: String,
        /// Address and amount as wallets read them.
        uri: String,
        /// The link that opens a wallet on the same device.
        wallet_url: String,
        /// The price of one coin in the session's currency: `91.93`.
        rate: Option<String>,
    },
    /// Nothing: the provider has all it needs.
    Nothing,
}

/// The origins that the Content-Security-Policy of a page with a provider's form has to allow, each such as
/// `https://js.example.com`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// Origins of scripts.
    pub scripts: Vec<String>,
    /// Origins of frames.
    pub frames: Vec<String>,
    /// Origins that scripts connect to.
    pub connections: Vec<String>,
}

/// The values that a provider's script needs for a payment, by name. Their holder may be able to pay, so they
/// are for the customer alone.
#[derive(Clone, PartialEq, Eq)]
pub enum Values {
    /// In plain text, as the provider gave them.
    Open(Vec<(String, String)>),
    /// Sealed for the store: only this service can read them.
    Sealed(String),
}

/// Hides the values.
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open(_) => "Open(hidden)",
            Self::Sealed(_) => "Sealed(hidden)",
        })
    }
}

/// A provider's answer to the start of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The provider's reference of the payment.
    pub reference: String,
    /// The page, form, code or address for the customer.
    pub instructions: Instructions,
    /// The amount to pay.
    pub charge: Quantity,
}

/// A provider's answer about a payment, in the terms of this domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    Waiting,
    /// The customer has acted, and the outcome is not known yet.
    InFlight,
    /// A transfer is on the chain.
    Confirming {
        /// Confirmations so far; 0 while it is in no block.
        seen: u32,
        /// Confirmations that make it final.
        needed: u32,
        /// Its amount.
        received: Quantity,
    },
    /// Less than asked for has arrived.
    Partial {
        received: Quantity,
    },
    /// The money has arrived.
    Paid {
        received: Quantity,
        reference: String,
    },
    /// Less is left of money that had arrived: a reorg took it back.
    TakenBack {
        /// How much is left.
        received: Quantity,
    },
    /// The provider declined it; final.
    Declined(FailureReason),
    /// No more money can be taken.
    Closed,
    /// The provider says that the customer's time is up.
    TimedOut,
    /// It cannot be closed, and nothing has arrived.
    CannotBeClosed,
    /// It cannot be closed now. The provider takes no money for it after the deadline that its session had when it
    /// was started, which may be later than the session's end.
    ClosesAtDeadline,
    /// The provider does not know the payment: it was never started.
    NeverStarted,
}
