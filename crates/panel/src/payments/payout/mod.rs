//! `/panel/wallet/payout`: a vendor requests a payout. The page asks for confirmation before it is stored.

pub mod view;

use crate::{
    Access, Panel, Route, does,
    pages::FlashMessage,
    payments::{
        VendorScope,
        payout::view::{AskPayout, PayoutRequestProblem},
        wallet::{LiveWallet, PLACE, funds},
    },
    shows,
    visit::{Answer, Fields, Refused, done},
};
use axum::extract::State;
use std::sync::Arc;
use till_domain::{
    money::{Currency, Money, Price, plain_digits},
    payout::{Payout, PayoutProblem},
};
use till_service::admin::{self, PayoutOutcome, PayoutRequest};

const PATH: &str = "/panel/wallet/payout";

pub(super) fn routes(run: Access) -> Vec<Route> {
    vec![shows(PATH, run, show), does(PATH, run, ask).after_password()]
}

/// The form as filled in.
async fn form(scope: &VendorScope<'_>, fields: &Fields) -> Result<AskPayout, Refused> {
    let balances = scope.ledger()?.balances(scope.vendor.id).await?;
    let available = funds(&balances, &[]).into_iter().map(|fund| fund.available);
    Ok(AskPayout {
        available: available.filter(|money| money.minor > 0).collect(),
        currency: fields.get("currency").to_owned(),
        amount: fields.get("amount").trim().to_owned(),
        destination: fields.get("destination").trim().to_owned(),
        sure: None,
        problems: Vec::new(),
    })
}

async fn show(State(panel): State<Arc<Panel>>, LiveWallet(visit): LiveWallet) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let view = form(&scope, &visit.query).await?;
    Ok(visit.page(&panel, PLACE, view))
}

async fn ask(State(panel): State<Arc<Panel>>, LiveWallet(visit): LiveWallet) -> Answer {
    let scope = VendorScope::new(&panel, &visit);
    let view = form(&scope, &visit.form).await?;
    let again = |view| Ok(visit.again(&panel, PLACE, view));
    let (amount, destination) = match read(&view) {
        Ok(wanted) => wanted,
        Err(problems) => return again(AskPayout { problems, ..view }),
    };
    if !visit.form.ticked("sure") {
        let view = AskPayout { sure: Some(amount), destination, ..view };
        return Ok(visit.page(&panel, PLACE, view));
    }
    let wanted = PayoutRequest { vendor: scope.vendor.id, amount, destination };
    let store = &scope.environment.store;
    match admin::ask_payout(&panel.admin.accounts, store, &visit.actor(), wanted).await? {
        PayoutOutcome::Done(_) => Ok(done("/panel/wallet", FlashMessage::PayoutAsked)),
        PayoutOutcome::Wrong(problem) => {
            again(AskPayout { problems: vec![PayoutRequestProblem::Payout(problem)], ..view })
        }
    }
}

/// Parses the form; an error lists all problems.
fn read(view: &AskPayout) -> Result<(Money, String), Vec<PayoutRequestProblem>> {
    let currency = Currency::parse(&view.currency);
    let has = |money: &&Money| Some(money.currency) == currency;
    let amount = match view.available.iter().find(has) {
        None => Err(PayoutRequestProblem::Payout(PayoutProblem::NotAvailable)),
        Some(there) => match Price::from_text(&plain_digits(&view.amount), there.currency) {
            Err(problem) => Err(PayoutRequestProblem::Amount(problem)),
            Ok(price) if price.money().minor > there.minor => {
                Err(PayoutRequestProblem::Payout(PayoutProblem::NotAvailable))
            }
            Ok(price) => Ok(price.money()),
        },
    };
    let destination = Payout::read_destination(&view.destination).map_err(PayoutRequestProblem::Payout);
    match (amount, destination) {
        (Ok(amount), Ok(destination)) => Ok((amount, destination)),
        (amount, destination) => Err(amount.err().into_iter().chain(destination.err()).collect()),
    }
}
