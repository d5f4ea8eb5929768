//! The page of a vendor's wallet: balances, ledger entries, payouts and statements.

use crate::{
    pages::{
        form::Complaint,
        vendor_name::VendorName,
        view::{Action, Crumb, View, template},
    },
    payments::{
        lists::view::{List, ListFilter},
        payout::view::PayoutLine,
    },
};
use till_domain::{
    id::{EntryId, SessionId},
    ledger::EntryKind,
    money::{Currency, Money},
    time::Timestamp,
};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct WalletPage {
    /// The vendor, if the operator views the page.
    pub owner: Option<VendorName>,
    /// The balances, by currency.
    pub funds: Vec<Fund>,
    /// The filters of its movements; `status` is the kind of movement.
    pub narrowed: ListFilter,
    /// The movements of this page, newest first.
    pub rows: Vec<Movement>,
    /// The link to the page of newer movements.
    pub newer: Option<String>,
    /// The link to the page of older movements.
    pub older: Option<String>,
    /// The month of the statement that is offered: `2026-11`.
    pub month: String,
    /// True if the requested month is invalid.
    pub wrong_month: bool,
    pub payouts: Vec<PayoutLine>,
    /// True if the user may request a payout.
    pub can_ask: bool,
}

/// A vendor's balances in one currency.
#[derive(Debug, Clone)]
pub struct Fund {
    /// Settled money, which can be paid out.
    pub available: Money,
    /// Money that is not settled yet.
    pub pending: Money,
    /// The time and the amount of the next settlement.
    pub next: Option<(Timestamp, Money)>,
    /// Money reserved for refunds in progress.
    pub refunds: Money,
    /// Money reserved for payouts in progress.
    pub payouts: Money,
}

/// A ledger entry that moved a vendor's money.
#[derive(Debug, Clone)]
pub struct Movement {
    pub id: EntryId,
    pub at: Timestamp,
    pub kind: EntryKind,
    /// The session that it belongs to, with its order id.
    pub session: Option<(SessionId, String)>,
    /// The fee that the operator took.
    pub fee: Option<Money>,
    /// The change of the vendor's own money, available and pending.
    pub own: Money,
    /// The amount that became available, for a settlement.
    pub settled: Option<Money>,
    /// The vendor's balance after it.
    pub balance: Money,
}

/// The path of a wallet: a vendor's own, or that of a vendor on the operator's console.
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

    /// The translated kind of the entry.
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
    /// True if movements are shown in this currency.
    pub fn is_shown(&self, currency: Currency) -> bool {
        self.narrowed.currency == currency.code()
    }

    pub fn path(&self) -> String {
        path(self.owner.as_ref())
    }

    /// The path of a session's page.
    pub fn session(&self, id: &SessionId) -> String {
        let sessions = if self.owner.is_some() { "/operator/sessions/live" } else { "/panel/sessions" };
        format!("{sessions}/{id}")
    }

    /// A text, in a variant for the operator.
    pub fn text(&self, key: &str, t: &Words) -> String {
        if self.owner.is_some() { t.text(&format!("{key}-operator")) } else { t.text(key) }
    }

    /// The link to the same page in another currency.
    pub fn in_currency(&self, currency: Currency) -> String {
        let currency = currency.code().to_owned();
        ListFilter { currency, ..self.narrowed.clone() }.href(&self.path(), &[])
    }

    /// The link to the same page filtered by this word; unfiltered if it is empty.
    pub fn with_status(&self, word: &str) -> String {
        ListFilter { status: word.to_owned(), ..self.narrowed.clone() }.href(&self.path(), &[])
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

/// The page shown in the sandbox, which has no wallet.
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
