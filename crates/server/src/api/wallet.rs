//! The vendor's balances. Live only.

use super::{
    call::authorized,
    wire::{Wallet, WalletBalance},
};
use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use std::{collections::BTreeMap, sync::Arc};
use till_domain::{ledger::Account, money::Money};
use till_service::environment::Environment;
use till_store::Balance;

/// `GET /api/wallet`
pub async fn show(State(environment): State<Arc<Environment>>, request: Request) -> Response {
    let environment = &*environment;
    authorized(environment, &environment.limits.status, request, |call, _| async move {
        let balances = match environment.store.ledger() {
            Some(ledger) => ledger.balances(call.vendor.id).await?,
            None => Vec::new(),
        };
        Ok(Json(sum_up(&balances)).into_response())
    })
    .await
}

fn sum_up(balances: &[Balance]) -> Wallet {
    let by_currency: BTreeMap<_, _> =
        balances.iter().map(|balance| (balance.amount.currency.code(), balance.amount.currency)).collect();
    let of = |currency, account: &Account| {
        let found = balances.iter().find(|b| b.amount.currency == currency && b.account == *account);
        found.map_or(Money { minor: 0, currency }, |balance| balance.amount).digits()
    };
    let balance = |currency| WalletBalance {
        available: of(currency, &Account::Available),
        pending: of(currency, &Account::Pending),
        refunds: of(currency, &Account::Refunds),
        payouts: of(currency, &Account::Payouts),
        currency: currency.code(),
    };
    Wallet { balances: by_currency.into_values().map(balance).collect() }
}
