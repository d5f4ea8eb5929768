//! A vendor's own money: what it has, what moved it, and its statements.

use crate::{
    panel::{
        pages::{
            form::Complaint,
            vendor_name::VendorName,
            view::{Action, Crumb, View, template},
        },
        payments::{
            lists::{
                view as lists,
                view::{List, Narrowed},
            },
            payout::view::PayoutLine,
        },
    },
    web::words::Words,
};
use till_domain::{
    id::{EntryId, SessionId},
    ledger::EntryKind,
    money::{Currency, Money},
    time::Timestamp,
};

/// A vendor's own money.
#[derive(Debug, Clone)]
pub struct WalletPage {
    /// Whose it is, if the operator looks at it.
    pub owner: Option<VendorName>,
    /// What it has, by currency.
    pub funds: Vec<Fund>,
    /// What its movements are narrowed to; `status` is what moved it.
    pub narrowed: Narrowed,
    /// The movements of this page, newest first.
    pub rows: Vec<Movement>,
    /// Where the page with newer ones is.
    pub newer: Option<String>,
    /// Where the page with older ones is.
    pub older: Option<String>,
    /// The month of the statement that is offered: `2026-11`.
    pub month: String,
    /// Whether the month that was asked for is none.
    pub wrong_month: bool,
    pub payouts: Vec<PayoutLine>,
    /// Whether whoever looks may ask for one.
    pub can_ask: bool,
}

/// What a vendor has in one currency.
#[derive(Debug, Clone)]
pub struct Fund {
    /// What can be paid out.
    pub available: Money,
    /// What cannot yet.
    pub pending: Money,
    /// When the first of that becomes available, and how much.
    pub next: Option<(Timestamp, Money)>,
    /// What is on its way back to customers.
    pub refunds: Money,
    /// What is on its way to the vendor.
    pub payouts: Money,
}

/// What moved a vendor's money.
#[derive(Debug, Clone)]
pub struct Movement {
    pub id: EntryId,
    pub at: Timestamp,
    /// What it is about.
    pub kind: EntryKind,
    /// The session that it belongs to, with its order.
    pub session: Option<(SessionId, String)>,
    /// What the operator took of it.
    pub fee: Option<Money>,
    /// By how much it changed what is the vendor's.
    pub own: Money,
    /// How much of it became available, if that is what happened.
    pub settled: Option<Money>,
    /// What was the vendor's after it.
    pub balance: Money,
}

/// The address of a wallet: a vendor's own, or that of one of the operator's vendors.
#[must_use]
pub fn path(owner: Option<&VendorName>) -> String {
    owner.map_or_else(|| "/panel/wallet".to_owned(), |owner| format!("/operator/vendors/{}/wallet", owner.id))
}

impl Movement {
    pub fn came(&self) -> Option<Money> {
        (self.own.minor > 0).then_some(self.own)
    }

    pub fn went(&self) -> Option<Money> {
        let minor = self.own.minor.checked_neg().filter(|minor| *minor > 0)?;
        Some(Money { minor, ..self.own })
    }

    /// What it is about, in words.
    pub fn what(&self, t: &Words) -> String {
        t.text(&format!("entry-{}", self.kind.as_str().replace('_', "-")))
    }
}

impl Fund {
    pub fn currency(&self) -> Currency {
        self.available.currency
    }

    pub fn has_refunds(&self) -> bool {
        self.refunds.minor != 0
    }

    pub fn has_payouts(&self) -> bool {
        self.payouts.minor != 0
    }
}

impl WalletPage {
    /// Whether a currency is the one that movements are shown in.
    pub fn is_shown(&self, currency: Currency) -> bool {
        self.narrowed.currency == currency.code()
    }

    pub fn path(&self) -> String {
        path(self.owner.as_ref())
    }

    /// Where the page of a session is.
    pub fn session(&self, id: &SessionId) -> String {
        let sessions = if self.owner.is_some() { "/operator/sessions/live" } else { "/panel/sessions" };
        format!("{sessions}/{id}")
    }

    /// A text, in other words for the operator.
    pub fn text(&self, key: &str, t: &Words) -> String {
        if self.owner.is_some() { t.text(&format!("{key}-operator")) } else { t.text(key) }
    }

    /// The same page in another currency.
    pub fn in_currency(&self, currency: Currency) -> String {
        let currency = currency.code().to_owned();
        Narrowed { currency, ..self.narrowed.clone() }.href(&self.path(), &[])
    }

    /// The same page with only what this word says; all of it without one.
    pub fn with_status(&self, word: &str) -> String {
        Narrowed { status: word.to_owned(), ..self.narrowed.clone() }.href(&self.path(), &[])
    }

    pub fn nothing(&self, t: &Words) -> String {
        List::Wallet.nothing(self.narrowed.is_any(), t)
    }

    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.rows.last()?.at, self.rows.first()?.at))
    }
}

impl View for WalletPage {
    fn kind(&self) -> &'static str {
        "wallet"
    }

    fn heading(&self, t: &Words) -> String {
        t.text(if self.owner.is_some() { "vendor-wallet" } else { "nav-wallet" })
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        self.owner.iter().flat_map(|owner| owner.crumbs(t)).collect()
    }

    fn actions(&self) -> Vec<Action> {
        self.can_ask.then(|| Action::other("/panel/wallet/payout", "payout-ask")).into_iter().collect()
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let month = self.wrong_month.then(|| Complaint::about("month", t.text("wrong-month")));
        self.narrowed.complaints(t).into_iter().chain(month).collect()
    }

    template!(write, view: WalletPage, "panel/wallet.html");
}

/// The sandbox has no money.
#[derive(Debug, Clone, Copy)]
pub struct NoWallet;

impl View for NoWallet {
    fn kind(&self) -> &'static str {
        "no-wallet"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-wallet")
    }

    template!(write, view: NoWallet, "panel/no-wallet.html");
}
