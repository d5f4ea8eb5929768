//! What happened to money, and what a person has to decide about it.

use crate::{
    attempt::{Attempt, Quantity},
    finding::Finding,
    id::{ActionId, AttemptId, EventId, SessionId, TransactionId, VendorId},
    method::Method,
    money::Money,
    session::{Session, State},
    time::Timestamp,
};

/// A movement of money. Never changed, never removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    pub id: TransactionId,
    /// The session that it was paid for.
    pub session: SessionId,
    pub vendor: VendorId,
    /// The attempt that brought it, if one did.
    pub attempt: Option<AttemptId>,
    /// How it was paid.
    pub method: Method,
    pub provider: String,
    /// What the provider calls it.
    pub reference: String,
    /// What it is worth in the session's currency.
    pub amount: Money,
    /// What was received, in the provider's own unit.
    pub received: Quantity,
    /// Whether it is more than it should be, less, too late, or taken back.
    pub marks: Marks,
    /// When it was seen.
    pub at: Timestamp,
}

/// What is unusual about a movement of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// It came after the session was final.
    pub late: bool,
    /// It is less than was asked for.
    pub partial: bool,
    /// It is more than was asked for.
    pub over: bool,
    /// It did not come but go: what was written down before was taken back. Whoever sums up takes it off.
    pub reversed: bool,
}

/// What a movement of money is looked for by: as it should be, or what is unusual about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// As it should be.
    Plain,
    Late,
    Partial,
    Over,
    Reversed,
}

impl Mark {
    pub const ALL: [Self; 5] = [Self::Plain, Self::Late, Self::Partial, Self::Over, Self::Reversed];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Late => "late",
            Self::Partial => "partial",
            Self::Over => "over",
            Self::Reversed => "reversed",
        }
    }

    /// The mark with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.as_str() == word)
    }
}

impl Transaction {
    /// The provider of an outcome that a tester chose by the API.
    pub const TESTER: &'static str = "sandbox";

    /// The payment of a session whose outcome a tester chose without any attempt.
    #[must_use]
    pub fn by_tester(session: &Session, at: Timestamp, event: EventId) -> Self {
        let amount = session.item.price.money();
        Self {
            id: event.into(),
            session: session.id,
            vendor: session.vendor,
            attempt: None,
            method: session.methods.chosen,
            provider: Self::TESTER.to_owned(),
            reference: session.id.to_string(),
            amount,
            received: amount.into(),
            marks: Marks::default(),
            at,
        }
    }

    /// Where the money stands: `captured`, `reversed` if it was taken back, or only `claimed` by a provider and worth
    /// nothing until somebody has looked at it.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match (self.marks.reversed, self.amount.minor) {
            (true, _) => "reversed",
            (false, 0) => "claimed",
            (false, _) => "captured",
        }
    }

    /// By how much it changes what has come: less than nothing if it was taken back.
    #[must_use]
    pub fn moved(&self) -> Money {
        let minor = if self.marks.reversed { -self.amount.minor } else { self.amount.minor };
        Money { minor, ..self.amount }
    }

    /// What an attempt brought that is in no transaction yet.
    #[must_use]
    pub fn by_attempt(
        attempt: &Attempt,
        session: &Session,
        marks: Marks,
        at: Timestamp,
        event: EventId,
    ) -> Self {
        let received = attempt.charge.with(attempt.received.saturating_sub(attempt.recorded));
        let price = session.item.price.money();
        // What is paid in full is worth the price, whatever the coins were, less what was written down before. So is a
        // part worth what all of it is less that: what is rounded down of one is in the next.
        let before = attempt.charge.with(attempt.recorded).share(&attempt.charge, price);
        let so_far = attempt.charge.with(attempt.received).share(&attempt.charge, price);
        let part = Money { minor: so_far.minor.saturating_sub(before.minor).max(0), ..price };
        let rest = Money { minor: price.minor.saturating_sub(before.minor).max(0), ..price };
        let whole = !marks.late && !marks.partial;
        Self {
            id: event.into(),
            session: session.id,
            vendor: session.vendor,
            attempt: Some(attempt.id),
            method: attempt.method,
            provider: attempt.provider.clone(),
            reference: attempt.reference.clone().unwrap_or_default(),
            amount: if whole { rest } else { part },
            received,
            marks,
            at,
        }
    }
}

impl Transaction {
    /// What an attempt brought beyond what was asked for and what is in a transaction already, by its worth.
    #[must_use]
    pub fn surplus(attempt: &Attempt, session: &Session) -> Money {
        let expected = attempt.charge.atoms.max(attempt.recorded);
        let more = attempt.charge.with(attempt.received.saturating_sub(expected));
        more.share(&attempt.charge, session.item.price.money())
    }

    /// What a provider claims to have received, although it is not what was asked for: it is worth nothing
    /// until a person has looked at it.
    #[must_use]
    pub fn claimed(
        attempt: &Attempt,
        session: &Session,
        received: Quantity,
        reference: String,
        at: Timestamp,
        event: EventId,
    ) -> Self {
        let late = session.state != State::Pending;
        let marks = Marks { late, partial: true, ..Marks::default() };
        let nothing = Money { minor: 0, ..session.item.price.money() };
        let like = Self::by_attempt(attempt, session, marks, at, event);
        Self { received, reference, amount: nothing, ..like }
    }

    /// What of an attempt's money was taken back, so that only so much of it is left: the difference, by its worth.
    #[must_use]
    pub fn taken_back(
        attempt: &Attempt,
        left: u128,
        session: &Session,
        at: Timestamp,
        event: EventId,
    ) -> Self {
        let (charge, price) = (&attempt.charge, session.item.price.money());
        let worth = |atoms| charge.with(atoms).share(charge, price).minor;
        let minor = worth(attempt.recorded).saturating_sub(worth(left));
        let marks = Marks { reversed: true, ..Marks::default() };
        let like = Self::by_attempt(attempt, session, marks, at, event);
        let received = charge.with(attempt.recorded.saturating_sub(left));
        Self { received, amount: Money { minor, ..price }, ..like }
    }
}

/// Something about money that only a person can decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub id: ActionId,
    pub kind: ActionKind,
    /// To which session; nothing if a provider has money with our mark and nobody here knows of its payment.
    pub session: Option<SessionId>,
    /// Of which vendor; nothing if there is no session.
    pub vendor: Option<VendorId>,
    /// The money, if any was seen.
    pub transaction: Option<TransactionId>,
    /// What was found at a provider, if that is what it is about.
    pub finding: Option<Finding>,
    pub at: Timestamp,
}

impl Action {
    /// How much what was found is about, if anybody knows.
    #[must_use]
    pub fn amount(&self) -> Option<Money> {
        self.finding.as_ref()?.amount
    }

    /// What can be decided: about money that is there, where it goes; about money that was taken back, who bears it;
    /// about money that somebody demands back, who bears it or that nothing was lost; about none, that there is none.
    #[must_use]
    pub fn choices(&self) -> &'static [Resolution] {
        match (self.kind, self.transaction) {
            (ActionKind::Reversed, _) => &[Resolution::Charge, Resolution::Absorb],
            (ActionKind::Disputed, _) if self.amount().is_some() => {
                &[Resolution::Dismiss, Resolution::Charge, Resolution::Absorb]
            }
            (ActionKind::Disputed | ActionKind::Difference, _) => &[Resolution::Dismiss],
            (_, Some(_)) => &[Resolution::Refund, Resolution::Accept],
            (_, None) => &[Resolution::Dismiss],
        }
    }

    /// That a session ended while its provider could not be asked.
    #[must_use]
    pub fn unreachable(session: &Session, at: Timestamp, event: EventId) -> Self {
        Self {
            id: event.into(),
            kind: ActionKind::Unreachable,
            session: Some(session.id),
            vendor: Some(session.vendor),
            transaction: None,
            finding: None,
            at,
        }
    }
}

/// What a person has to decide about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Money came after the session was final.
    Late,
    /// Less money came than was asked for.
    Partial,
    /// The session ended while the provider could not be asked.
    Unreachable,
    /// The provider's payment is not the one that was asked for.
    Mismatch,
    /// More money came than was asked for.
    Surplus,
    /// Money that was counted was taken back.
    Reversed,
    /// A customer's bank demands money back.
    Disputed,
    /// Money that had gone back to a customer came back.
    RefundLost,
    /// A provider's books and ours do not say the same.
    Difference,
}

impl ActionKind {
    pub const ALL: [Self; 9] = [
        Self::Late,
        Self::Partial,
        Self::Unreachable,
        Self::Mismatch,
        Self::Surplus,
        Self::Reversed,
        Self::Disputed,
        Self::RefundLost,
        Self::Difference,
    ];

    /// The word that a store keeps.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Partial => "partial",
            Self::Unreachable => "unreachable",
            Self::Mismatch => "mismatch",
            Self::Surplus => "surplus",
            Self::Reversed => "reversed",
            Self::Disputed => "disputed",
            Self::RefundLost => "refund_lost",
            Self::Difference => "difference",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The money goes back.
    Refund,
    /// The money is the vendor's.
    Accept,
    /// There is no money to decide about, or nothing was lost.
    Dismiss,
    /// The vendor bears what was taken back.
    Charge,
    /// The operator bears it.
    Absorb,
}

impl Resolution {
    pub const ALL: [Self; 5] = [Self::Refund, Self::Accept, Self::Dismiss, Self::Charge, Self::Absorb];

    /// The word that a store keeps.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Accept => "accept",
            Self::Dismiss => "dismiss",
            Self::Charge => "charge",
            Self::Absorb => "absorb",
        }
    }

    /// The resolution with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.as_str() == word)
    }
}
