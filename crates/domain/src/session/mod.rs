//! The payment session: one attempt to pay for one order, and the one graph of its states.
//!
//! [`create`](create::create) makes a session from a request, [`outcome`] moves it: to its final status,
//! to another method, or through time. Every move is a list of changes for the store; none is made here.

mod create;
mod outcome;
mod repeat;
mod state;

pub use create::{Catalog, Creation, create};
pub use outcome::{choose_method, due, finish, settle, simulate};
pub(crate) use outcome::{conclude, unless_moved};
pub use repeat::{REPEAT_WINDOW, confirm_repeat, repeats};
pub use state::{FailureReason, Outcome, State, Status, TRANSITIONS};

use crate::{
    catalog::{CategoryId, ProductId},
    id::{SessionId, VendorId},
    method::{Clocks, Method},
    money::Price,
    time::Timestamp,
    weburl::WebUrl,
};
use std::time::Duration;

/// How long after its end a session that is held for an attempt counts as forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, public: it is the last part of the checkout address.
    pub id: SessionId,
    pub vendor: VendorId,
    /// The vendor's own order identifier, exactly as sent.
    pub order_id: String,
    /// What is paid for.
    pub item: Item,
    /// Where the session stands.
    pub state: State,
    /// The id of the request that created it.
    pub request_id: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// Where its callback goes instead of the vendor's address.
    pub callback_url: Option<WebUrl>,
    /// Where the customer goes instead of the vendor's address.
    pub return_url: Option<WebUrl>,
    /// How it can be paid, and for how long.
    pub methods: Methods,
    /// What a tester planned for it.
    pub plan: Option<Plan>,
    /// Until when it is kept open for an attempt that is not closed yet.
    pub held_until: Option<Timestamp>,
}

impl Session {
    /// When the customer's time is over: the clock of the method chosen now.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        let end = self.methods.clocks.of(self.methods.chosen);
        end.unwrap_or_else(|| unreachable!("choosing a method starts its clock"))
    }

    /// Until when the session is open for payment: its deadline, or later while an attempt has to be closed
    /// first.
    #[must_use]
    pub fn ends_at(&self) -> Timestamp {
        let deadline = self.deadline();
        self.held_until.map_or(deadline, |held| held.max(deadline))
    }

    /// When time ends the session without anybody asking. One that is held for an attempt is ended by whoever
    /// asks its provider; time only sees to it that none is forgotten.
    fn expires_at(&self) -> Timestamp {
        match self.held_until {
            Some(_) => self.ends_at().plus(FORGOTTEN_AFTER),
            None => self.deadline(),
        }
    }

    /// When time next changes the session: its end or its plan, whichever comes first.
    #[must_use]
    pub fn due_at(&self) -> Timestamp {
        let end = self.expires_at();
        self.plan.map_or(end, |plan| plan.at.min(end))
    }
}

/// What a session is for. A product's name and price are copied at creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What the customer reads.
    pub name: String,
    pub price: Price,
    /// The catalog's product, if one was named.
    pub product: Option<ProductId>,
    /// The catalog's category, if one was named.
    pub category: Option<CategoryId>,
}

/// How a session can be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Methods {
    /// What the checkout page shows, in this order; never empty.
    pub offered: Vec<Method>,
    /// The one that counts now.
    pub chosen: Method,
    /// When each chosen method's time runs out.
    pub clocks: Clocks,
    /// What the request asked for, word for word.
    pub asked: AskedMethods,
}

/// The two method fields of the request, as they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedMethods {
    /// `defaultPaymentMethod`
    pub default: Option<String>,
    /// `availablePaymentMethods`
    pub available: Option<Vec<String>>,
}

/// What a tester planned for a sandbox session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What shall become of it.
    pub outcome: Outcome,
    pub at: Timestamp,
}
