//! Transactions, which are movements of money, and actions, which are decisions about money left to the
//! operator.

use crate::{
    attempt::{Attempt, Quantity},
    finding::Finding,
    id::{ActionId, AttemptId, EventId, NoteId, SessionId, TransactionId, VendorId},
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
    pub method: Method,
    pub provider: String,
    /// The provider's reference.
    pub reference: String,
    /// The value in the session's currency.
    pub amount: Money,
    /// The quantity that was received, in the provider's own unit.
    pub received: Quantity,
    /// Its deviations: late, too little, too much, or reversed.
    pub marks: Marks,
    /// When it was seen.
    pub at: Timestamp,
}

/// The deviations of a movement of money from a regular payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// It came after the session was final.
    pub late: bool,
    /// It is less than was asked for.
    pub partial: bool,
    /// It is more than was asked for.
    pub over: bool,
    /// The money did not come but left: what was recorded before was taken back. Sums subtract it.
    pub reversed: bool,
}

/// A search filter for movements of money: regular ones, or those with a deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Without a deviation.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.as_str() == word)
    }
}

impl Transaction {
    /// The provider name for an outcome that a tester chose by the API.
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

    /// The state of the money: `captured`, `reversed` if it was taken back, or only `claimed` by a provider
    /// and worth nothing until the operator has checked it.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match (self.marks.reversed, self.amount.minor) {
            (true, _) => "reversed",
            (false, 0) => "claimed",
            (false, _) => "captured",
        }
    }

    /// Returns true if what was received is a number of coins, and not money of the session's currency.
    #[must_use]
    pub fn is_in_coins(&self) -> bool {
        self.method == Method::Crypto && self.received.unit != self.amount.currency.code()
    }

    /// The amount with its sign: negative if it was taken back.
    #[must_use]
    pub fn moved(&self) -> Money {
        let minor = if self.marks.reversed { -self.amount.minor } else { self.amount.minor };
        Money { minor, ..self.amount }
    }

    /// The money that an attempt received and that is in no transaction yet.
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
        // A full payment is worth the price, whatever the coins were, less what was recorded before. A part
        // is worth the value of all that came so far less that of what was recorded: what rounding drops from
        // one part is in the next.
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
    /// What an attempt received beyond the charge, and beyond what is in a transaction already.
    #[must_use]
    pub fn surplus(attempt: &Attempt, session: &Session) -> Surplus {
        let expected = attempt.charge.atoms.max(attempt.recorded);
        let received = attempt.charge.with(attempt.received.saturating_sub(expected));
        Surplus { worth: received.share(&attempt.charge, session.item.price.money()), received }
    }

    /// Money that a provider claims to have received, although it is not what was asked for: it is worth
    /// nothing until the operator has checked it.
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

    /// The reversal of an attempt's money down to `left`: the difference, by its value.
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

/// What came beyond a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surplus {
    /// Its value in the session's currency.
    pub worth: Money,
    /// The same in the provider's own unit.
    pub received: Quantity,
}

/// Something about money that the operator has to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub id: ActionId,
    pub kind: ActionKind,
    /// The session; `None` if a provider has money marked as ours and no payment here belongs to it.
    pub session: Option<SessionId>,
    /// The vendor; `None` if there is no session.
    pub vendor: Option<VendorId>,
    /// The transaction, if money was seen.
    pub transaction: Option<TransactionId>,
    /// The finding at a provider, if the action is about one.
    pub finding: Option<Finding>,
    pub at: Timestamp,
}

impl Action {
    /// The amount of the finding, if it is known.
    #[must_use]
    pub fn amount(&self) -> Option<Money> {
        self.finding.as_ref()?.amount
    }

    /// The time until which the operator has to respond at the provider, if there is one.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        self.finding.as_ref()?.due_at
    }

    /// The possible decisions: about held money, where it goes; about a reversal, who bears it; about a
    /// dispute, who bears it or that nothing was lost; without money, only that there is none.
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

    /// The action about a session that ended while its provider could not be reached.
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

/// A note that a person wrote on an action. Never changed, except that its text is replaced by [`ActionNote::REMOVED`] when the
/// customer's personal data is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionNote {
    pub id: NoteId,
    pub action: ActionId,
    pub at: Timestamp,
    /// The author's name.
    pub by: String,
    pub text: String,
}

impl ActionNote {
    /// The text of a note that was erased.
    pub const REMOVED: &str = "[removed]";

    #[must_use]
    pub fn is_removed(&self) -> bool {
        self.text == Self::REMOVED
    }
}

/// The reason why an action is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Money came after the session was final.
    Late,
    /// Less money came than was asked for.
    Partial,
    /// The session ended while the provider could not be reached.
    Unreachable,
    /// The provider's payment is not the one that was asked for.
    Mismatch,
    /// More money came than was asked for.
    Surplus,
    /// Money that was counted was taken back, by a reorg for example.
    Reversed,
    /// A dispute (chargeback): a customer's bank demands money back.
    Disputed,
    /// A refund came back to the provider.
    RefundLost,
    /// A provider's books differ from ours.
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

    /// The text form in the database.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The money goes back to the customer.
    Refund,
    /// The money is the vendor's.
    Accept,
    /// There is no money to decide about, or nothing was lost.
    Dismiss,
    /// The vendor bears the loss.
    Charge,
    /// The operator bears the loss.
    Absorb,
}

impl Resolution {
    pub const ALL: [Self; 5] = [Self::Refund, Self::Accept, Self::Dismiss, Self::Charge, Self::Absorb];

    /// The text form in the database.
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

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.as_str() == word)
    }
}
