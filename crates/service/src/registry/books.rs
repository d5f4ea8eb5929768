//! Builds a provider from its set-up, for a command.

use super::{Chains, Prober, SetupPlan};
use anyhow::anyhow;
use std::sync::Arc;
use till_providers::{Provider, stripe::Stripe, tbank::Tbank, yookassa::Yookassa};
use till_store::Payments;

/// The provider of a set-up, with the live store for those that keep records there.
pub fn of_a_command(
    plan: &SetupPlan,
    prober: &Prober,
    live: &Arc<Payments>,
) -> anyhow::Result<Arc<dyn Provider>> {
    let web = prober.web.clone();
    Ok(match plan {
        SetupPlan::Yookassa(setup) => Arc::new(Yookassa::new(setup.as_ref().clone(), web)),
        SetupPlan::Tbank(setup) => {
            let tbank = Tbank::new(setup.as_ref().clone(), web, Arc::clone(&prober.clock));
            Arc::new(tbank.map_err(|problem| anyhow!(problem))?)
        }
        SetupPlan::Stripe(setup) => {
            Arc::new(Stripe::new(setup.as_ref().clone(), web, Arc::clone(&prober.clock)))
        }
        SetupPlan::Evm(_) => chains_of_a_command(plan, prober, live)?
            .map(|chains| chains.provider as Arc<dyn Provider>)
            .ok_or_else(|| anyhow!("no chain is set up"))?,
    })
}

/// The chains of a set-up, if it is one of chains.
pub fn chains_of_a_command(
    plan: &SetupPlan,
    prober: &Prober,
    live: &Arc<Payments>,
) -> anyhow::Result<Option<Chains>> {
    let SetupPlan::Evm(setup) = plan else { return Ok(None) };
    let chains = Chains::over(setup, live, Arc::clone(&prober.clock), &prober.web);
    chains.map(Some).map_err(|problem| anyhow!(problem))
}
