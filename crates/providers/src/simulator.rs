//! The built-in simulated acquirer: serves every method in live without moving money. Off unless the
//! operator switches it on.

use crate::Provider;
use till_domain::{
    method::Method,
    money::Currency,
    rules::{Currencies, Offering},
};

/// A provider that plays all the banks.
#[derive(Debug, Clone, Copy)]
pub struct Simulator;

impl Provider for Simulator {
    fn name(&self) -> &'static str {
        "simulator"
    }

    fn methods(&self) -> Vec<Offering> {
        let roubles = Currency::parse("RUB").into_iter().collect();
        vec![
            Offering { method: Method::Card, currencies: Currencies::Any },
            Offering { method: Method::Sbp, currencies: Currencies::Only(roubles) },
            Offering { method: Method::Crypto, currencies: Currencies::Any },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sbp_takes_roubles_only() {
        let takes = |method: Method, code: &str| {
            let currency = Currency::parse(code).expect("a currency of the table");
            Simulator.methods().iter().any(|o| o.method == method && o.currencies.take(currency))
        };
        assert!(takes(Method::Sbp, "RUB") && !takes(Method::Sbp, "USD"));
        assert!(takes(Method::Card, "USD") && takes(Method::Crypto, "JPY"));
    }
}
