//! Helpers shared by the pages about payments of all vendors: parsing filters, and turning rows into views.

use crate::{
    Panel,
    console::{
        actions::view::{ActionLine, DecidedBy, DueTime, SeenMoney},
        callbacks::view::{CallbackGroup, DeliveryLine, SendLine},
    },
    pages::vendor_name::VendorName,
    visit::{Fields, Refused},
};
use till_domain::{
    delivery::DeliveryState,
    environment::EnvironmentName,
    id::VendorId,
    money::Money,
    refund::Refund,
    time::Timestamp,
    transaction::{ActionKind, Transaction},
};
use till_service::{admin, environment::Environment};
use till_store::{StoreError, StoredAction, StoredAttempt, StoredEvent, VendorFilter};

/// The most vendors with similar names that are read to find one by its whole name.
const NAMESAKES: u32 = 50;

/// The environment that a list is filtered to: live by default.
pub(super) fn environment_filter(fields: &Fields) -> EnvironmentName {
    EnvironmentName::parse(fields.get("env")).unwrap_or(EnvironmentName::Live)
}

/// The environment named by the address.
pub(super) fn named(word: &str) -> Result<EnvironmentName, Refused> {
    EnvironmentName::parse(word).ok_or(Refused::NotFound)
}

/// Parses a day or a moment. `None` if empty; an error if it is neither.
pub(super) fn moment(text: &str) -> Result<Option<Timestamp>, ()> {
    match text {
        "" => Ok(None),
        text if text.len() == 10 => Timestamp::parse(&format!("{text}T00:00:00Z")).map(Some).ok_or(()),
        text => Timestamp::parse(text).map(Some).ok_or(()),
    }
}

impl Panel {
    /// A vendor's id with its name, or with its id as the name if it is unknown.
    pub(super) async fn vendor_name(&self, id: VendorId) -> Result<VendorName, StoreError> {
        let vendor = self.directory.vendor(id).await?;
        let name = vendor.map_or_else(|| id.to_string(), |vendor| vendor.name.clone());
        Ok(VendorName { id, name })
    }

    /// Finds a vendor by its id or its whole name; `None` if there is none or the name is ambiguous.
    pub(super) async fn typed_vendor(&self, text: &str) -> Result<Option<VendorName>, StoreError> {
        if let Some(id) = VendorId::parse(text) {
            let vendor = self.admin.accounts.vendor(id).await?;
            return Ok(vendor.map(|vendor| VendorName { id, name: vendor.name }));
        }
        let filter = VendorFilter { has: text.to_owned(), limit: NAMESAKES, ..VendorFilter::default() };
        let found = self.admin.accounts.find_vendors(&filter).await?;
        let lower = text.to_lowercase();
        let mut same = found.into_iter().filter(|vendor| vendor.summary.name.to_lowercase() == lower);
        Ok(match (same.next(), same.next()) {
            (Some(one), None) => Some(VendorName { id: one.summary.id, name: one.summary.name }),
            _ => None,
        })
    }

    /// The display data of an action.
    pub(super) async fn action_line(
        &self,
        environment: &Environment,
        stored: StoredAction,
    ) -> Result<ActionLine, StoreError> {
        let StoredAction { action, decided, assignee } = stored;
        let held = admin::held(&environment.store, &action).await?;
        let session = match action.session {
            Some(session) => environment.store.page_session(session).await?,
            None => None,
        };
        let vendor = match action.vendor {
            Some(vendor) => Some(self.vendor_name(vendor).await?),
            None => None,
        };
        let money = match action.transaction {
            Some(id) => environment.store.transaction(id).await?,
            None => None,
        };
        let notes = environment.store.notes_on(action.id).await?;
        let due = action.due_at().filter(|_| decided.is_none());
        Ok(ActionLine {
            id: action.id,
            environment: environment.name,
            kind: action.kind,
            session: action.session,
            order_id: session.as_ref().map(|session| session.order_id.clone()).unwrap_or_default(),
            vendor,
            note: action.finding.as_ref().map(|finding| finding.note.clone()),
            refund: action.finding.as_ref().and_then(|finding| Refund::silent_about(&finding.subject)),
            price: session.map(|session| session.item.price.money()),
            money: money.map(|money| seen(money, held.filter(|_| action.kind == ActionKind::Surplus))),
            held,
            at: action.at,
            age: environment.now().since(action.at),
            choices: action.choices(),
            decided: decided.map(|(resolution, at, by)| DecidedBy { resolution, at, by }),
            due: due.map(|at| DueTime::new(at, environment.now())),
            assignee,
            notes,
        })
    }

    /// The display data of a callback, with its vendor's name.
    pub(super) async fn delivery_line(
        &self,
        environment: EnvironmentName,
        event: &StoredEvent,
    ) -> Result<DeliveryLine, StoreError> {
        let queued = event.state == DeliveryState::Queued;
        Ok(DeliveryLine {
            id: event.id,
            environment,
            event: event.event.clone(),
            session: event.session,
            vendor: self.vendor_name(event.vendor).await?,
            stand: CallbackGroup::of(event.state),
            attempts: event.attempts,
            created_at: event.created_at,
            next_at: event.due_at.filter(|_| queued),
            delivered_at: event.delivered_at,
            target: event.target.as_ref().map(ToString::to_string),
        })
    }
}

/// The display data of money. The surplus is not in the amount of its transaction, but was received with it.
fn seen(money: Transaction, surplus: Option<Money>) -> SeenMoney {
    let surplus = surplus.filter(|surplus| surplus.currency == money.amount.currency);
    let minor = money.amount.minor.saturating_add(surplus.map_or(0, |surplus| surplus.minor));
    SeenMoney {
        received: money.received,
        worth: Money { minor, ..money.amount },
        method: money.method,
        provider: money.provider,
        reference: money.reference,
    }
}

/// The display data of a delivery attempt.
pub(super) fn send_line(attempt: StoredAttempt) -> SendLine {
    SendLine {
        number: attempt.number,
        started_at: attempt.started_at,
        took: attempt.took,
        result: attempt.result,
        status: attempt.status,
        requested_by: attempt.requested_by.map(|by| by.name),
    }
}
