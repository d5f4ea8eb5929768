//! Tests set-ups: asks the providers, nodes and price sources that a document names, and stores nothing.

use super::{SetupFile, SetupPlan};
use crate::environment::Environment;
use anyhow::bail;
use futures_util::future::join_all;
use std::{path::Path, sync::Arc, time::Duration};
use till_domain::{rules::Offering, time::Timestamp};
use till_providers::{
    Check, CheckVerdict, Provider as _, ProviderError,
    evm::{self, Clock, Evm, probe_chain, probe_prices},
    stripe::{self, Stripe, WebhookState},
    tbank::{self, Tbank},
    web::Web,
    yookassa::{self, Yookassa},
};
use till_store::{Accounts, StoreError, VendorsByReceipts};

/// The longest that saving a set-up waits for the test.
const BEFORE_SAVING: Duration = Duration::from_secs(15);

/// The longest that a start waits for the test.
const BEFORE_STARTING: Duration = Duration::from_secs(5);

/// The HTTP client and clock of tests.
#[derive(Clone)]
pub struct Prober {
    pub web: Web,
    pub clock: Clock,
    /// The public address of Till, if the test should look for the webhook there.
    pub base_url: Option<String>,
    /// The vendors, if the test should say which of them have fiscal receipts that do not fit the setup of the till.
    pub vendors: Option<VendorsByReceipts>,
}

impl Prober {
    /// For a command, which has no environment: the machine's time and trust store.
    pub fn of_a_command(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> anyhow::Result<Self> {
        Ok(Self { web: web(None)?, clock: Arc::new(now), base_url: None, vendors: None })
    }

    /// The same with the vendors of this installation.
    pub async fn for_vendors(self, accounts: &Accounts) -> Result<Self, StoreError> {
        Ok(Self { vendors: Some(accounts.vendors_by_receipts().await?), ..self })
    }

    /// The same for the Till at this public address.
    #[must_use]
    pub fn at(self, base_url: &str) -> Self {
        Self { base_url: Some(base_url.trim_end_matches('/').to_owned()), ..self }
    }
}

/// The HTTP client for providers, which trusts the machine's root certificates and those of a file.
pub fn web(roots: Option<&Path>) -> anyhow::Result<Web> {
    Ok(Web::trusting(crate::outbound::roots::certificates(roots)?))
}

/// The time of an environment, for comparison with the clocks of others.
pub(super) fn clock(environment: &Arc<Environment>) -> Clock {
    let environment = Arc::clone(environment);
    Arc::new(move || environment.calendar())
}

/// The time of an environment by which its deadlines are judged.
pub(super) fn now(environment: &Arc<Environment>) -> Clock {
    let environment = Arc::clone(environment);
    Arc::new(move || environment.now())
}

/// The methods and currencies that a document offers.
#[must_use]
pub fn offerings(plan: &SetupPlan, prober: &Prober) -> Vec<Offering> {
    match plan {
        SetupPlan::Evm(setup) => Evm::offering(setup).into_iter().collect(),
        SetupPlan::Yookassa(setup) => Yookassa::new(setup.as_ref().clone(), prober.web.clone()).methods(),
        SetupPlan::Tbank(setup) => setup.offerings(),
        SetupPlan::Stripe(setup) => stripe(setup, prober).methods(),
    }
}

/// Tests everything that a document names, concurrently.
pub async fn probe(plan: &SetupPlan, prober: &Prober) -> Vec<Check> {
    match plan {
        SetupPlan::Evm(setup) => {
            let prices = probe_prices(setup, &prober.web, Arc::clone(&prober.clock));
            let (mut chains, prices) = tokio::join!(probe_chains(setup, prober), prices);
            chains.extend(prices);
            chains
        }
        SetupPlan::Yookassa(setup) => probe_yookassa(setup, prober).await,
        SetupPlan::Tbank(setup) => probe_tbank(setup, prober).await,
        SetupPlan::Stripe(setup) => probe_stripe(setup, prober).await,
    }
}

/// The results of the test, if it contradicts the document: coins with other decimals, or another token by
/// the same name, would be sold for next to nothing. A provider that does not answer contradicts nothing.
pub async fn contradictions(plan: &SetupPlan, prober: &Prober) -> Option<Vec<Check>> {
    let checks = compare(plan, prober, BEFORE_SAVING).await?;
    (!contradicted(&checks).is_empty()).then_some(checks)
}

/// The contradictions among these results, as sentences.
#[must_use]
pub fn contradicted(checks: &[Check]) -> Vec<String> {
    let wrong = checks.iter().filter(|check| check.outcome == CheckVerdict::Contradicts);
    wrong.map(|check| format!("{}: {}", check.what, check.sentence)).collect()
}

/// Tests the set-ups in files, concurrently, before a start. A contradicted set-up of chains stops the start;
/// a provider or node that does not answer is only logged.
pub async fn refuse_contradicted(files: &[SetupFile], prober: &Prober) -> anyhow::Result<()> {
    let compared = files.iter().map(async |file| (file, compare(&file.plan, prober, BEFORE_STARTING).await));
    for (file, checks) in join_all(compared).await {
        let (setting, path) = (file.kind.setting(), file.path.display());
        let checks = checks.unwrap_or_default();
        let wrong = contradicted(&checks);
        // A wrong key of a payment service cannot take money; the other providers are needed all the same.
        if !wrong.is_empty() && matches!(file.plan, SetupPlan::Evm(_)) {
            bail!(
                "{setting} names {path}, which the services it names contradict:\n  {}",
                wrong.join("\n  ")
            );
        }
        if checks.iter().all(|check| check.outcome.is_bad()) {
            tracing::warn!(
                "{setting} names {path}: none of the services it names responds as expected; see till doctor"
            );
        }
    }
    Ok(())
}

/// The results of everything that could contradict a document; `None` after a timeout.
async fn compare(plan: &SetupPlan, prober: &Prober, within: Duration) -> Option<Vec<Check>> {
    let checks = async {
        match plan {
            SetupPlan::Evm(setup) => probe_chains(setup, prober).await,
            SetupPlan::Yookassa(_) | SetupPlan::Tbank(_) | SetupPlan::Stripe(_) => probe(plan, prober).await,
        }
    };
    tokio::time::timeout(within, checks).await.ok()
}

async fn probe_chains(setup: &evm::EvmSetup, prober: &Prober) -> Vec<Check> {
    let chains = join_all(setup.chains.iter().map(|chain| probe_chain(chain, &prober.web))).await;
    chains.into_iter().flatten().collect()
}

async fn probe_yookassa(setup: &yookassa::YookassaSetup, prober: &Prober) -> Vec<Check> {
    let what = format!("YooKassa: shop {}", setup.shop_id);
    let found = match Yookassa::new(setup.clone(), prober.web.clone()).probe().await {
        Ok(found) => found,
        Err(error) => return vec![failed(what, &error)],
    };
    let is_right = found.contradictions.is_empty() && found.problems.is_empty();
    let working =
        is_right.then(|| works(what.clone(), !found.test, "the key works; the shop is live.".to_owned()));
    let bad = |outcome| move |problem: String| (outcome, problem);
    let contradictions = found.contradictions.into_iter().map(bad(CheckVerdict::Contradicts));
    let all = contradictions.chain(found.problems.into_iter().map(bad(CheckVerdict::Fail)));
    let receipts =
        found.makes_receipts.then(|| missing_receipts("The shop", prober.vendors.as_ref())).flatten();
    let all = all.chain(receipts.map(bad(CheckVerdict::Warn)));
    let all = all.map(|(outcome, problem)| Check::new(what.clone(), outcome, problem));
    working.into_iter().chain(all).collect()
}

/// The warning for a shop or a terminal that makes fiscal receipts, if vendors send none; without the vendors, what they need.
fn missing_receipts(place: &str, vendors: Option<&VendorsByReceipts>) -> Option<String> {
    let begin = format!("{place} makes fiscal receipts (54-FZ) and refuses payments without one");
    let Some(vendors) = vendors else {
        return Some(format!(
            "{begin}: every vendor who sells in roubles needs till vendor set ID --fiscal required."
        ));
    };
    let names = some_of(&vendors.without)?;
    Some(format!(
        "{begin}, but receipts are off for {names}: those who sell in roubles need till vendor set ID --fiscal required."
    ))
}

/// The warning for a terminal whose setup names no till, if vendors send receipts.
fn missing_till(vendors: Option<&VendorsByReceipts>) -> Option<String> {
    let names = some_of(&vendors?.with)?;
    Some(format!(
        "Fiscal receipts (54-FZ) are on for {names}, but the setup names no till, so they are not sent: add the section \
         [receipts] if the terminal has one."
    ))
}

/// The first of these names, and how many more there are; `None` if there is none.
fn some_of(names: &[String]) -> Option<String> {
    const NAMED: usize = 5;
    let (named, more) = names.split_at(names.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!names.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

async fn probe_tbank(setup: &tbank::TbankSetup, prober: &Prober) -> Vec<Check> {
    let what = format!("T-Bank: terminal {}", setup.terminal_key);
    let tbank = match Tbank::new(setup.clone(), prober.web.clone(), Arc::clone(&prober.clock)) {
        Ok(tbank) => tbank,
        Err(problem) => return vec![Check::new(what, CheckVerdict::Fail, format!("{problem}."))],
    };
    match tbank.probe().await {
        Ok(found) => {
            let receipts = match &setup.till {
                Some(till) => format!("Fiscal receipts go to a till with format {}.", till.ffd.as_str()),
                None => "The setup names no till, so fiscal receipts are not sent.".to_owned(),
            };
            let mode = if found.test {
                "The terminal is a test terminal (DEMO): payments count as paid, but no money moves. "
            } else {
                ""
            };
            let sentence = format!(
                "T-Bank answers for the terminal. It shows no more without a payment: the first one proves the password \
                 and the methods. {mode}{receipts}"
            );
            let verdict = if found.test { CheckVerdict::Warn } else { CheckVerdict::Ok };
            let vendors = prober.vendors.as_ref();
            let warning = match setup.till {
                Some(_) => missing_receipts("The till of the terminal", vendors),
                None => missing_till(vendors),
            };
            let warning = warning.map(|warning| Check::new(what.clone(), CheckVerdict::Warn, warning));
            [Check::new(what.clone(), verdict, sentence)].into_iter().chain(warning).collect()
        }
        Err(error) => vec![failed(what, &error)],
    }
}

async fn probe_stripe(setup: &stripe::StripeSetup, prober: &Prober) -> Vec<Check> {
    let what = "Stripe: account".to_owned();
    let found = match stripe(setup, prober).probe().await {
        Ok(found) => found,
        Err(error) => return vec![failed(what, &error)],
    };
    let funds = found.currencies.join(", ");
    let sentence = format!("the key works and is a live key. The account has balances in {funds}.");
    let mut checks = vec![works(what.clone(), found.live, sentence)];
    checks.extend(found.denied.iter().map(|name| {
        let sentence = format!(
            "the key cannot read {name}: grant it that permission, and write access where it is needed."
        );
        Check::new(what.clone(), CheckVerdict::Fail, sentence)
    }));
    if let Some(base_url) = &prober.base_url {
        checks.push(probe_webhook(setup, prober, &format!("{base_url}/notices/stripe/events")).await);
    }
    checks
}

/// Looks for the webhook endpoint at Stripe. A payment is found without it, only later, so nothing about it
/// contradicts the setup.
async fn probe_webhook(setup: &stripe::StripeSetup, prober: &Prober, address: &str) -> Check {
    let what = "Stripe: webhook".to_owned();
    let state = match stripe(setup, prober).webhook(address).await {
        Ok(state) => state,
        Err(error) => return failed(what, &error),
    };
    let (verdict, sentence) = match state {
        WebhookState::Registered => {
            (CheckVerdict::Ok, "the endpoint is registered with all events.".to_owned())
        }
        WebhookState::Hidden => (
            CheckVerdict::Warn,
            "the key cannot read webhook endpoints, so the endpoint was not checked: compare it in the \
             dashboard."
                .to_owned(),
        ),
        WebhookState::Missing => (
            CheckVerdict::Fail,
            format!("no webhook endpoint is registered for {address}: add it in the dashboard."),
        ),
        WebhookState::Disabled => {
            (CheckVerdict::Fail, "the endpoint is disabled: enable it in the dashboard.".to_owned())
        }
        WebhookState::Version(found) => {
            let found = found.unwrap_or_else(|| "the account's default".to_owned());
            let wanted = stripe::VERSION;
            let sentence =
                format!("the endpoint has API version {found}, not {wanted}: add one with {wanted}.");
            (CheckVerdict::Warn, sentence)
        }
        WebhookState::Events(missing) => {
            (CheckVerdict::Warn, format!("the endpoint lacks events: add {}.", missing.join(", ")))
        }
    };
    Check::new(what, verdict, sentence)
}

/// The result for a key that works; a warning if it moves no money.
fn works(what: String, live: bool, sentence: String) -> Check {
    if live {
        return Check::new(what, CheckVerdict::Ok, sentence);
    }
    let sentence = "the key works but is a test key: payments count as paid, but no money moves. Use a live \
         key to sell.";
    Check::new(what, CheckVerdict::Warn, sentence)
}

fn stripe(setup: &stripe::StripeSetup, prober: &Prober) -> Stripe {
    Stripe::new(setup.clone(), prober.web.clone(), Arc::clone(&prober.clock))
}

/// The result for a provider that did not answer, or refused the key.
fn failed(what: String, error: &ProviderError) -> Check {
    let outcome = match error {
        ProviderError::Definite(_) | ProviderError::Denied(_) => CheckVerdict::Contradicts,
        ProviderError::Unknown(_) | ProviderError::RateLimited { .. } => CheckVerdict::Unreachable,
        ProviderError::Unclear(_) => CheckVerdict::Fail,
    };
    Check::new(what, outcome, format!("{error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_whose_receipts_do_not_fit_a_terminal_are_named() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let vendors =
            VendorsByReceipts { with: names(&["Ann"]), without: names(&["A", "B", "C", "D", "E", "F", "G"]) };
        let warning = missing_receipts("The shop", Some(&vendors)).expect("a warning");
        assert!(warning.contains("receipts are off for A, B, C, D, E and 2 more:"), "{warning}");
        assert!(missing_receipts("The shop", None).is_some_and(|warning| warning.contains("every vendor")));
        let warning = missing_till(Some(&vendors)).expect("a warning");
        assert!(warning.contains("are on for Ann, but the setup names no till"), "{warning}");
        let none = VendorsByReceipts::default();
        assert_eq!((missing_receipts("The shop", Some(&none)), missing_till(Some(&none))), (None, None));
        assert_eq!(missing_till(None), None);
    }
}
