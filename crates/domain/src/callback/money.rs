//! Events about money beside a session's own payment: money that it does not cover, the decision about that, and
//! disputes.

use super::{CallbackEvent, EventFacts, EventKind, MoneyBody, make};
use crate::{
    attempt::Quantity,
    change::Change,
    id::EventId,
    method::Method,
    money::Money,
    session::Session,
    time::Timestamp,
    transaction::{Action, ActionKind, Resolution, Transaction},
    vendor::Settings,
};

/// The session and the vendor's settings, from which the events about its money are made.
#[derive(Debug, Clone, Copy)]
pub struct EventSource<'a> {
    pub session: &'a Session,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// The id of the event.
    pub id: EventId,
}

impl EventSource<'_> {
    /// Money came that the session does not cover: this much, of this transaction.
    #[must_use]
    pub fn uncovered(&self, kind: EventKind, part: &UncoveredMoney<'_>) -> Option<Change> {
        let UncoveredMoney { money, amount, received } = part;
        let coins = money.is_in_coins().then_some(*received);
        let body = MoneyBody {
            transaction_id: money.id.to_string(),
            amount: amount.digits(),
            coin: coins.map(|coins| coins.unit.as_str()),
            coin_amount: coins.map(Quantity::digits),
            resolution: None,
            dispute_id: None,
            answer_by: None,
        };
        self.event(kind, money.method, body)
    }

    /// What a decision about an action means for the vendor: money that the session does not cover was accepted or
    /// refunded, or a dispute has ended. `held` is the amount that the decision is about. `None` for an action that is
    /// not reported to vendors, such as a dispute of unknown value.
    #[must_use]
    pub fn decided(
        &self,
        action: &Action,
        money: &Transaction,
        resolution: Resolution,
        held: Money,
    ) -> Option<Change> {
        let resolved = |word| Some((EventKind::PaymentResolved, Some(word)));
        let (kind, word) = match (action.kind, resolution) {
            (ActionKind::Disputed, _) if action.amount().is_none() => None,
            (ActionKind::Disputed, Resolution::Dismiss) => Some((EventKind::DisputeWon, None)),
            (ActionKind::Disputed, Resolution::Charge | Resolution::Absorb) => {
                Some((EventKind::DisputeLost, None))
            }
            (kind, Resolution::Accept) if is_uncovered(kind) => resolved("accepted"),
            (kind, Resolution::Refund) if is_uncovered(kind) => resolved("refunded"),
            _ => None,
        }?;
        let body = MoneyBody {
            resolution: word,
            dispute_id: (action.kind == ActionKind::Disputed).then(|| action.id.to_string()),
            ..MoneyBody::of(money, held)
        };
        self.event(kind, money.method, body)
    }

    /// A customer's bank demands a payment back. `None` if the value is unknown: an operator has to find out, and cannot
    /// decide in Till who bears it.
    #[must_use]
    pub fn disputed(&self, action: &Action, money: &Transaction) -> Option<Change> {
        let amount = action.amount()?;
        let body = MoneyBody {
            dispute_id: Some(action.id.to_string()),
            answer_by: action.due_at().map(|at| at.to_string()),
            ..MoneyBody::of(money, amount)
        };
        self.event(EventKind::DisputeOpened, money.method, body)
    }

    fn event(&self, kind: EventKind, method: Method, body: MoneyBody<'_>) -> Option<Change> {
        let Self { session, settings, now, id } = *self;
        let about = Some(id.into());
        let facts = EventFacts { id, kind, method, at: now, about, refund: None, money: Some(body) };
        make(session, settings, facts).map(|event: CallbackEvent| Change::QueueCallback(Box::new(event)))
    }
}

/// Money that a session does not cover.
#[derive(Debug, Clone, Copy)]
pub struct UncoveredMoney<'a> {
    /// The transaction that it came with.
    pub money: &'a Transaction,
    /// Its value in the session's currency; of a payment that is too much, the excess.
    pub amount: Money,
    /// The same in the provider's own unit.
    pub received: &'a Quantity,
}

/// Returns true for actions about money that Till reports to the vendor.
fn is_uncovered(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Late | ActionKind::Partial | ActionKind::Surplus | ActionKind::RefundLost)
}

impl MoneyBody<'_> {
    fn of(money: &Transaction, amount: Money) -> Self {
        Self {
            transaction_id: money.id.to_string(),
            amount: amount.digits(),
            coin: None,
            coin_amount: None,
            resolution: None,
            dispute_id: None,
            answer_by: None,
        }
    }
}
