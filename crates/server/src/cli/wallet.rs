//! `till vendor wallet`: a vendor's balances, and the statement of a month.

use super::{
    context::{Context, require_vendor, vendor_id},
    output::{print, table},
};
use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use till_domain::{
    environment::EnvironmentName,
    id::VendorId,
    ledger::{Account, Entry},
    money::{Currency, Money},
    time::TimeZone,
};
use till_store::{Ledger, Span, WalletFilter};

/// Entries that are read at once.
const AT_ONCE: u32 = 500;

#[derive(Debug, Args)]
pub struct WalletArgs {
    /// The vendor's id; `till vendor list` lists them
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: VendorId,
    /// The month of the statement in UTC, such as 2026-11
    #[arg(long, value_name = "MONTH", requires = "currency")]
    month: Option<String>,
    /// The currency of the statement, such as EUR
    #[arg(long, value_name = "CODE", requires = "month")]
    currency: Option<String>,
}

/// Prints the balances, or a statement.
pub async fn show(context: &Context, json: bool, args: &WalletArgs) -> anyhow::Result<()> {
    require_vendor(&context.accounts, args.vendor).await?;
    let ledger = context.store(EnvironmentName::Live).ledger().context("live has no ledger")?;
    match args.month.as_deref().zip(args.currency.as_deref()) {
        None => balances(&ledger, json, args.vendor).await,
        Some((month, code)) => {
            let Some(currency) = Currency::parse(code) else {
                bail!("--currency is {code:?}: use a code such as EUR or RUB");
            };
            let Some((since, until)) = TimeZone::utc().month(month) else {
                bail!("--month is {month:?}: use a month such as 2026-11");
            };
            let span = Span { since: Some(since), until: Some(until) };
            let filter = WalletFilter { vendor: args.vendor, currency, moved_by: None, span };
            let opening = Money { minor: ledger.own_before(args.vendor, currency, since).await?, currency };
            statement(&ledger, json, &filter, opening).await
        }
    }
}

/// A vendor's balances in one currency.
#[derive(Serialize, Clone)]
struct BalanceRow {
    currency: &'static str,
    available: String,
    pending: String,
    refunds_in_progress: String,
    payouts_in_progress: String,
}

async fn balances(ledger: &Ledger<'_>, json: bool, vendor: VendorId) -> anyhow::Result<()> {
    let mut rows: BTreeMap<&'static str, BalanceRow> = BTreeMap::new();
    for balance in ledger.balances(vendor).await? {
        let currency = balance.amount.currency;
        let nothing = Money { minor: 0, currency }.digits();
        let row = rows.entry(currency.code()).or_insert_with(|| BalanceRow {
            currency: currency.code(),
            available: nothing.clone(),
            pending: nothing.clone(),
            refunds_in_progress: nothing.clone(),
            payouts_in_progress: nothing,
        });
        let cell = match balance.account {
            Account::Available => &mut row.available,
            Account::Pending => &mut row.pending,
            Account::Refunds => &mut row.refunds_in_progress,
            Account::Payouts => &mut row.payouts_in_progress,
            Account::Clearing(_) | Account::Fees | Account::Suspense | Account::Losses => continue,
        };
        *cell = balance.amount.digits();
    }
    let rows: Vec<BalanceRow> = rows.into_values().collect();
    print(json, &rows, |rows| {
        if rows.is_empty() {
            return "The wallet is empty.".to_owned();
        }
        let head = ["currency", "available", "pending", "refunds in progress", "payouts in progress"];
        let row = |row: &BalanceRow| {
            let BalanceRow { currency, available, pending, refunds_in_progress, payouts_in_progress } =
                row.clone();
            vec![currency.to_owned(), available, pending, refunds_in_progress, payouts_in_progress]
        };
        table(&head, &rows.iter().map(row).collect::<Vec<_>>())
    })
}

#[derive(Serialize)]
struct Statement {
    currency: &'static str,
    opening_balance: String,
    entries: Vec<EntryRow>,
    closing_balance: String,
}

/// A movement of a vendor's money.
#[derive(Serialize)]
struct EntryRow {
    entry_id: String,
    created_at: String,
    entry: &'static str,
    session_id: Option<String>,
    fee: String,
    amount: String,
    balance: String,
}

fn entry_row(entry: &Entry, balance: Money) -> EntryRow {
    let heading = entry.heading();
    EntryRow {
        entry_id: heading.id.to_string(),
        created_at: heading.at.to_string(),
        entry: heading.kind.as_str(),
        session_id: heading.session.map(|id| id.to_string()),
        fee: entry.amount_on(&Account::Fees).digits(),
        amount: entry.own().digits(),
        balance: balance.digits(),
    }
}

async fn statement(
    ledger: &Ledger<'_>,
    json: bool,
    filter: &WalletFilter,
    opening: Money,
) -> anyhow::Result<()> {
    let (mut after, mut balance, mut entries) = (None, opening, Vec::new());
    loop {
        let page = ledger.movements_after(filter, after, AT_ONCE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id());
        for entry in &page {
            balance.minor = balance.minor.saturating_add(entry.own().minor);
            entries.push(entry_row(entry, balance));
        }
    }
    let statement = Statement {
        currency: opening.currency.code(),
        opening_balance: opening.digits(),
        entries,
        closing_balance: balance.digits(),
    };
    print(json, &statement, |statement| {
        let row = |row: &EntryRow| {
            let session = row.session_id.clone().unwrap_or_else(|| "-".to_owned());
            vec![
                row.created_at.clone(),
                row.entry.to_owned(),
                row.amount.clone(),
                row.fee.clone(),
                row.balance.clone(),
                session,
            ]
        };
        let head = ["at", "entry", "amount", "fee", "balance", "session"];
        let rows: Vec<_> = statement.entries.iter().map(row).collect();
        format!(
            "opening balance {} {}\n{}\nclosing balance {} {}",
            statement.opening_balance,
            statement.currency,
            table(&head, &rows),
            statement.closing_balance,
            statement.currency
        )
    })
}
