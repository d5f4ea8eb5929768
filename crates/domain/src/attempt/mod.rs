//! The attempt to take a session's money at a provider, from the intent to what became of it.
//!
//! [`begin`] makes the intent, which is committed before the provider hears of it; at most one attempt of a
//! session is active. What a provider says is an [`Observation`]; [`observe`] alone decides what it means
//! for the attempt, the session and the money. Nothing here asks anybody: [`next_step`] says what to ask.

mod begin;
mod observe;
mod quantity;
mod schedule;
mod silence;
mod stray;
mod verdict;
mod write;

pub use begin::{Beginning, begin};
pub use observe::{Observed, Scene, closing, observe, started};
pub use quantity::Quantity;
pub use schedule::{GRACE, Pace, Step, claim, hasten, next_step};
pub use silence::{Doubt, leave, unreachable};
pub use stray::{Stray, stray};

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
    /// Its id; the key under which the provider does it once.
    pub id: AttemptId,
    /// The session that is paid.
    pub session: SessionId,
    pub vendor: VendorId,
    pub method: Method,
    /// At which provider, by name.
    pub provider: String,
    /// What the customer chose on our page, where the provider asks for a choice.
    pub choice: Option<String>,
    /// Where the customer wants a receipt.
    pub email: Option<String>,
    /// The language in which the customer read our page.
    pub language: Option<String>,
    pub state: AttemptState,
    /// What the provider calls it.
    pub reference: Option<String>,
    /// What the customer was given to pay with.
    pub shown: Option<Shown>,
    /// What the customer has to pay, in the provider's own unit.
    pub charge: Quantity,
    /// What has arrived, as far as the provider says.
    pub received: u128,
    /// What of it is in transactions already.
    pub recorded: u128,
    /// How sure a transfer on a chain is.
    pub confirmations: Option<Confirmations>,
    /// Since when the money is on its way.
    pub in_flight_since: Option<Timestamp>,
    /// When it was begun.
    pub started_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When somebody asks the provider next.
    pub check_at: Option<Timestamp>,
    /// How often it was asked without hearing anything new.
    pub checks: u32,
    /// Rises with every change, so that of two who change it one does.
    pub version: i64,
}

impl Attempt {
    /// Whether a transfer that is enough is in a block of a chain: the session waits until it is confirmed, also if another
    /// method was chosen since.
    #[must_use]
    pub fn holds_session(&self) -> bool {
        let waits = matches!(self.state, AttemptState::InFlight | AttemptState::Watched);
        let enough = |seen: Confirmations| seen.seen > 0 && seen.atoms >= self.charge.atoms;
        waits && self.method == Method::Crypto && self.confirmations.is_some_and(enough)
    }

    /// The same of one that was left for another method.
    #[must_use]
    pub fn holds_though_left(&self) -> bool {
        self.state == AttemptState::Watched && self.holds_session()
    }
}

/// What the other attempts of a session do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Nothing that matters: no other one is active, and none holds the session.
    Nothing,
    /// Another one is active.
    Active,
    /// Another one was left, and holds the session: see [`Attempt::holds_session`].
    Holding,
}

impl Beside {
    /// What the others of these do beside an attempt.
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

/// How sure a transfer on a chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirmations {
    /// Blocks on top of it.
    pub seen: u32,
    /// Blocks that make it final.
    pub needed: u32,
    /// How much it is; not received yet.
    pub atoms: u128,
}

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptState {
    /// It is going to be started; whether the provider knows of it is not known.
    Intended,
    /// The customer can pay.
    Open,
    /// Money is on its way.
    InFlight,
    /// The money is there.
    Paid,
    /// The provider said no.
    Declined(FailureReason),
    /// No more money can be taken by it.
    Closed,
    /// Nobody waits for it, but money could still come.
    Watched,
}

impl AttemptState {
    /// The word that a store keeps.
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

    /// The state that these two words of a row name.
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

    /// The reason, if the provider said no.
    #[must_use]
    pub fn reason(self) -> Option<FailureReason> {
        match self {
            Self::Declined(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether it keeps another attempt of its session from starting.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Intended | Self::Open | Self::InFlight)
    }
}

/// What a customer is given to pay with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// The provider's own page.
    Redirect { url: String },
    /// The provider's own form, which its script puts into our page.
    Embedded {
        /// Where that script loads things from and whom it talks to.
        origins: Origins,
        /// What it needs to know of this payment.
        values: Values,
    },
    /// A QR code, or a bank's app on the same device.
    Qr {
        /// What the code says.
        payload: String,
        /// What opens the app.
        app_url: String,
    },
    /// An address on a chain.
    Address {
        /// The chain's name, for people.
        network: String,
        address: String,
        /// Address and amount as wallets read them.
        uri: String,
        /// What opens a wallet on the same device.
        wallet_url: String,
        /// What one coin costs in the session's currency: `91.93`.
        rate: Option<String>,
    },
    /// Nothing: the provider has all it needs.
    Nothing,
}

/// What a page with a provider's form has to let through, each such as `https://js.example.com`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// Where scripts are loaded from.
    pub scripts: Vec<String>,
    /// Whose frames are shown.
    pub frames: Vec<String>,
    /// Whom scripts talk to.
    pub connections: Vec<String>,
}

/// What a provider's script needs to know of a payment, by name. Whoever has it may be able to pay, so it is the
/// customer's alone.
#[derive(Clone, PartialEq, Eq)]
pub enum Values {
    /// As the provider says it.
    Open(Vec<(String, String)>),
    /// As it is stored: only this service can read it.
    Sealed(String),
}

/// Without what they are.
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open(_) => "Open(hidden)",
            Self::Sealed(_) => "Sealed(hidden)",
        })
    }
}

/// What a provider said when it was asked to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// What it calls the payment.
    pub reference: String,
    /// What the customer gets.
    pub shown: Shown,
    /// What the customer has to pay.
    pub charge: Quantity,
}

/// What a provider says about a payment, in our words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    Waiting,
    /// The customer has acted, and the outcome is not known yet.
    InFlight,
    /// A transfer is on the chain.
    Confirming {
        /// Blocks on top of it.
        seen: u32,
        /// Blocks that make it final.
        needed: u32,
        /// How much it is.
        received: Quantity,
    },
    /// Less than asked for has arrived.
    Partial {
        received: Quantity,
    },
    /// The money is there.
    Paid {
        received: Quantity,
        reference: String,
    },
    /// Of money that was there less is left: a chain took it back.
    TakenBack {
        /// How much is left.
        received: Quantity,
    },
    /// The provider said no, for good.
    Declined(FailureReason),
    /// No more money can be taken.
    Closed,
    /// The provider says that the customer's time is up.
    TimedOut,
    /// It cannot be closed, and nothing has arrived.
    CannotBeClosed,
    /// The provider does not know the payment: it was never started.
    NeverStarted,
}
