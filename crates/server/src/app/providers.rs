//! The providers that the settings switch on, and the rules that follow.

use std::sync::Arc;
use till_domain::{
    environment::EnvironmentName,
    rules::{Offering, Rules},
    transaction::Transaction,
};
use till_providers::{
    Bank, Provider, Simulator, evm::Evm, stripe::Stripe, tbank::Tbank, tester::Tester, yookassa::Yookassa,
};
use till_service::{cashier::StoreBook, environment::Environment, settings::Settings};

/// The methods and currencies in live of the providers that the settings switch on.
#[must_use]
pub fn offerings(settings: &Settings) -> Vec<Offering> {
    if settings.simulator { Simulator::offerings() } else { Vec::new() }
}

/// The rules of live with the providers that the settings switch on.
#[must_use]
pub fn live_rules(settings: &Settings) -> Rules {
    // Payments at these providers can be refunded even where the provider is not set up now.
    let mut refunding = vec![Yookassa::NAME, Tbank::NAME, Stripe::NAME, Evm::NAME];
    refunding.extend(settings.simulator.then_some(Simulator::NAME));
    Rules::live(&settings.rules, offerings(settings)).with_refunds(refunding)
}

/// The rules of the sandbox.
#[must_use]
pub fn sandbox_rules(settings: &Settings) -> Rules {
    Rules::sandbox(&settings.rules).with_refunds(vec![Simulator::NAME, Transaction::TESTER])
}

/// The providers of live, in the operator's order.
pub(super) fn live_providers(settings: &Settings, live: &Environment) -> Vec<Arc<dyn Provider>> {
    let mut providers: Vec<Arc<dyn Provider>> = Vec::new();
    if settings.simulator {
        let make = if settings.simulator_embeds { Simulator::embedded } else { Simulator::live };
        providers.push(Arc::new(make(bank(live))));
    }
    providers
}

/// The provider of payments whose outcome a tester chose by a call.
pub(super) fn tester(sandbox: &Arc<Environment>) -> Arc<dyn Provider> {
    let sandbox = Arc::clone(sandbox);
    Arc::new(Tester::new(Arc::new(move || sandbox.now())))
}

/// The simulated bank of an environment.
pub(super) fn bank(environment: &Environment) -> Arc<Bank> {
    let book = Arc::new(StoreBook(environment.store.payments()));
    let key = environment.vault.simulator_key(environment.name);
    let bank = Bank::new(book, format!("{}/bank", environment.checkout_url), key);
    Arc::new(if environment.name == EnvironmentName::Sandbox { bank.for_sandbox() } else { bank })
}
