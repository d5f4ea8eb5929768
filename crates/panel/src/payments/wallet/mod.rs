//! `/panel/wallet`: a vendor's balances and ledger entries. Live only: the sandbox has none and shows a page
//! that says so.

pub mod view;

use crate::{
    Access, Panel, Route,
    pages::{NavItem, vendor_name::VendorName},
    payments::{
        VendorScope,
        list_query::{Leaf, ListQuery, limit, turn},
        lists::view::List,
        payout::view::PayoutLine,
        wallet::view::{Fund, Movement, NoWallet, WalletPage, path as wallet_path},
    },
    shows,
    visit::{Answer, Refused, Visit, live},
};
use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
    response::Response,
};
use futures_util::future::try_join_all;
use std::{collections::BTreeMap, sync::Arc};
use till_domain::{
    id::EntryId,
    ledger::{Account, EntryKind},
    money::{Currency, Money},
};
use till_store::{
    Balance, Due, Ledger, MovedBy, PayoutFilter, StoreError, StoredPayout, Turn, WalletFilter, WalletLine,
};

pub(super) const PLACE: Option<NavItem> = Some(NavItem::Wallet);

pub(super) fn routes(see: Access) -> Vec<Route> {
    vec![shows("/panel/wallet", see, wallet)]
}

/// A visit to the wallet of a vendor in live mode. Every handler of the wallet takes this instead of a
/// [`Visit`], so that none can forget to exclude the sandbox.
pub(super) struct LiveWallet(pub(super) Visit);

impl FromRequestParts<Arc<Panel>> for LiveWallet {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, panel: &Arc<Panel>) -> Result<Self, Response> {
        live(parts, panel, NoWallet).map(Self).map_err(|answer| *answer)
    }
}

impl VendorScope<'_> {
    /// The ledger; an error outside live.
    pub(super) fn ledger(&self) -> Result<Ledger<'_>, Refused> {
        self.environment.store.ledger().ok_or(Refused::NotFound)
    }
}

async fn wallet(State(panel): State<Arc<Panel>>, LiveWallet(visit): LiveWallet) -> Answer {
    answer(&panel, &visit, &VendorScope::new(&panel, &visit), (PLACE, None)).await
}

/// The page of a wallet: a vendor's own, or that of `owner` for the operator.
pub(crate) async fn answer(
    panel: &Panel,
    visit: &Visit,
    scope: &VendorScope<'_>,
    (place, owner): (Option<NavItem>, Option<VendorName>),
) -> Answer {
    let view = page(scope, visit, owner).await?;
    let wrong = view.narrowed.wrong_from || view.narrowed.wrong_to || view.wrong_month;
    Ok(if wrong { visit.again(panel, place, view) } else { visit.page(panel, place, view) })
}

async fn page(
    scope: &VendorScope<'_>,
    visit: &Visit,
    owner: Option<VendorName>,
) -> Result<WalletPage, Refused> {
    let ledger = scope.ledger()?;
    let funds = funds(&ledger.balances(scope.vendor.id).await?, &ledger.next_due(scope.vendor.id).await?);
    let mut query = ListQuery::read(scope, visit, List::Wallet);
    let currency = chosen(&funds, visit.query.get("currency"));
    query.narrowed.currency = currency.map_or("", Currency::code).to_owned();
    // A wallet has no method filter, so its links must not contain one.
    query.narrowed.method = String::new();
    let page = match currency {
        Some(currency) if !query.is_wrong() => {
            entries_page(scope, visit, (&query, &wallet_path(owner.as_ref())), currency).await?
        }
        _ => Leaf { rows: Vec::new(), newer: None, older: None },
    };
    let month = visit.query.get("month");
    let day = scope.zone.day_of(scope.environment.now());
    Ok(WalletPage {
        owner,
        funds,
        narrowed: query.narrowed,
        rows: movements(scope, page.rows).await?,
        newer: page.newer,
        older: page.older,
        payouts: payouts(scope).await?,
        can_ask: scope.can_send,
        wrong_month: !month.is_empty(),
        month: if month.is_empty() { day.chars().take(7).collect() } else { month.to_owned() },
    })
}

/// Payouts shown with the wallet.
const PAYOUTS: u32 = 20;

async fn payouts(scope: &VendorScope<'_>) -> Result<Vec<PayoutLine>, Refused> {
    let filter = PayoutFilter { vendor: Some(scope.vendor.id), ..PayoutFilter::default() };
    let found = scope.ledger()?.payouts(&filter, PAYOUTS).await?;
    Ok(found.into_iter().map(|stored| payout_line(stored, None)).collect())
}

/// The display data of a payout.
pub(crate) fn payout_line(stored: StoredPayout, vendor: Option<VendorName>) -> PayoutLine {
    let (state, payout) = (stored.state(), stored.payout);
    let last = stored.steps.into_iter().next_back();
    PayoutLine {
        id: payout.id,
        vendor,
        amount: payout.amount,
        destination: payout.destination,
        at: payout.at,
        by: payout.by,
        state,
        note: last.as_ref().and_then(|step| step.note.clone()),
        moved: last.map(|step| (step.at, step.by)),
    }
}

/// The requested currency, or the first one with a balance.
fn chosen(funds: &[Fund], code: &str) -> Option<Currency> {
    let mut all = funds.iter().map(|fund| fund.available.currency);
    let first = all.clone().next();
    all.find(|currency| currency.code() == code).or(first)
}

async fn entries_page(
    scope: &VendorScope<'_>,
    visit: &Visit,
    (query, path): (&ListQuery, &str),
    currency: Currency,
) -> Result<Leaf<WalletLine>, Refused> {
    let ledger = scope.ledger()?;
    let moved_by = MovedBy::parse(&query.narrowed.status);
    let filter = WalletFilter { vendor: scope.vendor.id, currency, moved_by, span: query.span };
    let at = turn(&visit.query, EntryId::parse);
    let cut = |read, at: Turn<EntryId>| {
        Leaf::cut(read, &at, (path, &query.narrowed), |line: &WalletLine| line.entry.id())
    };
    if let Some(page) = cut(ledger.movements(&filter, at, limit()).await?, at) {
        return Ok(page);
    }
    let first = cut(ledger.movements(&filter, Turn::Newest, limit()).await?, Turn::Newest);
    Ok(first.unwrap_or_else(|| unreachable!("only a newer page can be missing")))
}

/// A vendor's balances, by currency.
pub(crate) fn funds(balances: &[Balance], due: &[Due]) -> Vec<Fund> {
    let mut funds: BTreeMap<&'static str, Fund> = BTreeMap::new();
    for Balance { account, amount } in balances {
        let currency = amount.currency;
        let nothing = Money { minor: 0, currency };
        let next = due.iter().find(|due| due.amount.currency == currency).map(|due| (due.at, due.amount));
        let fund = funds.entry(currency.code()).or_insert_with(|| Fund {
            available: nothing,
            pending: nothing,
            next,
            refunds: nothing,
            payouts: nothing,
        });
        match account {
            Account::Available => fund.available = *amount,
            Account::Pending => fund.pending = *amount,
            Account::Refunds => fund.refunds = *amount,
            Account::Payouts => fund.payouts = *amount,
            Account::Clearing(_) | Account::Fees | Account::Suspense | Account::Losses => {}
        }
    }
    funds.into_values().collect()
}

/// Ledger entries with their order ids.
async fn movements(scope: &VendorScope<'_>, lines: Vec<WalletLine>) -> Result<Vec<Movement>, StoreError> {
    let row = async |line: WalletLine| {
        let heading = line.entry.heading().clone();
        let session = match heading.session {
            Some(id) => scope.environment.store.session(id, scope.vendor.id).await?,
            None => None,
        };
        let fee = line.entry.amount_on(&Account::Fees);
        let settled = line.entry.amount_on(&Account::Available);
        Ok::<_, StoreError>(Movement {
            id: heading.id,
            at: heading.at,
            kind: heading.kind,
            session: session.map(|session| (session.id, session.order_id)),
            fee: (fee.minor != 0).then_some(fee),
            own: line.entry.own(),
            settled: (heading.kind == EntryKind::Settlement).then_some(settled),
            balance: line.balance,
        })
    };
    try_join_all(lines.into_iter().map(row)).await
}
