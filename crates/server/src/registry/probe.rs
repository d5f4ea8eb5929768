//! Tries out how something is set up: asks the nodes, the tokens and the price sources, and stores nothing.

use crate::environment::Environment;
use futures_util::future::join_all;
use std::{path::Path, sync::Arc, time::Duration};
use till_domain::time::Timestamp;
use till_providers::{
    evm::{Check, Clock, Outcome, Setup, probe_chain, probe_prices},
    web::Web,
};

/// How long somebody who saves a set-up waits for the word of its nodes.
const BEFORE_SAVING: Duration = Duration::from_secs(15);

/// How it is said that a chain contradicts a set-up. Anything else that fails is somebody who does not answer.
const CONTRADICTIONS: [&str; 4] =
    ["the contract has ", "the contract is called ", "there is no token ", "it is a node of chain "];

/// What questions are asked with.
#[derive(Clone)]
pub struct Prober {
    /// The way out.
    pub web: Web,
    /// The time that counts.
    pub clock: Clock,
}

impl Prober {
    /// For a command, which has no environment: the machine's time, and whoever the machine believes.
    pub fn of_a_command(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> anyhow::Result<Self> {
        Ok(Self { web: web(None)?, clock: Arc::new(now) })
    }
}

/// The way to nodes and price sources: whoever the machine believes, and those of a file.
pub(crate) fn web(roots: Option<&Path>) -> anyhow::Result<Web> {
    Ok(Web::trusting(crate::outbound::roots::certificates(roots)?))
}

/// The time of an environment.
pub(super) fn clock(environment: &Arc<Environment>) -> Clock {
    let environment = Arc::clone(environment);
    Arc::new(move || environment.now())
}

/// Looks at everything that a set-up names, all at once.
pub async fn probe(setup: &Setup, prober: &Prober) -> Vec<Check> {
    let chains = join_all(setup.chains.iter().map(|chain| probe_chain(chain, &prober.web)));
    let prices = probe_prices(setup, &prober.web, Arc::clone(&prober.clock));
    let (chains, prices) = tokio::join!(chains, prices);
    chains.into_iter().flatten().chain(prices).collect()
}

/// What the chains of a set-up were found to say, if they contradict it: coins with other decimals, or another token by
/// the same name, would be sold for next to nothing. Who does not answer contradicts nothing.
pub async fn contradictions(setup: &Setup, prober: &Prober) -> Option<Vec<Check>> {
    let chains = join_all(setup.chains.iter().map(|chain| probe_chain(chain, &prober.web)));
    let checks: Vec<_> =
        tokio::time::timeout(BEFORE_SAVING, chains).await.ok()?.into_iter().flatten().collect();
    checks.iter().any(contradicts).then_some(checks)
}

/// Whether a check found something that is not as it is set up.
pub fn contradicts(check: &Check) -> bool {
    check.outcome == Outcome::Fail && CONTRADICTIONS.iter().any(|words| check.sentence.starts_with(words))
}
