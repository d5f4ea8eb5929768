//! The payment session: one order to be paid, and the only graph of its states.
//!
//! [`create`](create::create) makes a session from a request, [`outcome`] moves it: to its final status, to
//! another method, or by the passing of time. Every move is a list of changes for the store; none is made
//! here.

mod create;
mod outcome;
pub mod price;
mod repeat;
mod state;

pub use create::{Catalog, Creation, create};
pub(crate) use outcome::{Ending, end};
pub use outcome::{choose_delivery, choose_method, due, expire, finish, settle, simulate};
pub use repeat::{REPEAT_WINDOW, confirm_repeat, repeats};
pub use state::{FailureReason, Outcome, State, Status, TRANSITIONS};

use crate::{
    catalog::{CategoryId, ProductId},
    defect::Defect,
    fiscal::SessionFiscal,
    id::{SessionId, VendorId},
    metadata::Metadata,
    method::{Clocks, Method},
    money::Price,
    time::Timestamp,
    weburl::WebUrl,
};
use std::time::Duration;

/// Time after the end of a session that is held for an attempt at which it expires, even if the attempt was
/// never closed.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, public: it is the last part of the checkout URL.
    pub id: SessionId,
    pub vendor: VendorId,
    /// The vendor's own order identifier, exactly as sent.
    pub order_id: String,
    /// The item that is paid for.
    pub item: Item,
    pub state: State,
    /// The id of the request that created it.
    pub request_id: String,
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// Its callback URL, used instead of the vendor's.
    pub callback_url: Option<WebUrl>,
    /// Its return URL for the customer, used instead of the vendor's.
    pub return_url: Option<WebUrl>,
    /// The vendor's own data.
    pub metadata: Metadata,
    /// What the vendor said of the customer.
    pub customer: Customer,
    /// The latest end of every clock, if the vendor set one.
    pub closes_at: Option<Timestamp>,
    /// The methods to pay with, and their clocks.
    pub methods: Methods,
    /// The outcome that a tester planned for it.
    pub plan: Option<Plan>,
    /// Until when it is kept open for an attempt that is not closed yet.
    pub held_until: Option<Timestamp>,
    /// Its fiscal receipt, if it has one.
    pub fiscal: Option<SessionFiscal>,
}

/// What the vendor said of the customer when it created the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Customer {
    /// Fills the field of the checkout page and gets the receipt.
    pub email: Option<String>,
    /// A language tag: the page opens in the nearest language there is.
    pub locale: Option<String>,
}

impl Session {
    /// The end of the customer's time: of the clock of the chosen method.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        let end = self.methods.clocks.of(self.methods.chosen);
        end.unwrap_or_else(|| unreachable!("choosing a method starts its clock"))
    }

    /// The end of the time in which the session can be paid: its deadline, or later while an attempt has to
    /// be closed first.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        let deadline = self.deadline();
        self.held_until.map_or(deadline, |held| held.max(deadline))
    }

    /// When time alone ends the session. One that is held for an attempt is normally ended after its provider
    /// was asked; the later moment only makes sure that none stays open for ever.
    fn expires_at(&self) -> Timestamp {
        match self.held_until {
            Some(_) if !Defect::ExpiryWithoutClosing.is_planted() => self.ends_at().plus(FORGOTTEN_AFTER),
            _ => self.deadline(),
        }
    }

    /// When time next changes the session: its end or its plan, whichever comes first.
    #[must_use]
    pub fn due_at(&self) -> Timestamp {
        let end = self.expires_at();
        self.plan.map_or(end, |plan| plan.at.min(end))
    }
}

/// The item of a session. A product's name and price are copied at creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The name that customers see.
    pub name: String,
    pub price: Price,
    /// The catalog's product, if one was named.
    pub product: Option<ProductId>,
    /// The catalog's category, if one was named.
    pub category: Option<CategoryId>,
}

/// The methods to pay a session with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Methods {
    /// The methods on the checkout page, in this order; never empty.
    pub offered: Vec<Method>,
    /// The method that is chosen now.
    pub chosen: Method,
    /// The end of each chosen method's clock.
    pub clocks: Clocks,
    /// The methods in the request, word for word.
    pub requested: RequestedMethods,
}

/// The two method fields of the request, as they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestedMethods {
    /// `defaultPaymentMethod` on the wire.
    pub default: Option<String>,
    /// `availablePaymentMethods` on the wire.
    pub available: Option<Vec<String>>,
}

/// The outcome that a tester planned for a sandbox session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub outcome: Outcome,
    pub at: Timestamp,
}
