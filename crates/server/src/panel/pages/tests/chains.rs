//! The pages of crypto on chains, in the states that look different.

use super::fixture::{Maker, Pages, at};
use crate::panel::pages::{
    Body, ChainLine, ChainRead, Chains, CheckLine, CheckOutcome, EditChains, Place, PriceLine, SetupOrigin,
};
use std::time::Duration;

impl Maker {
    pub fn chain_pages(&self) -> Pages {
        let read = ChainRead { block: 21_190_412, head: 21_190_414, at: at("2026-11-14T18:34:13Z") };
        let chain = |read, last_error| ChainLine {
            name: self.s("Ethereum"),
            id: 1,
            coins: vec![self.s("ETH"), self.s("USDC")],
            confirmations: 12,
            read,
            last_error,
            highest: read.map(|_| 417),
        };
        let error = (at("2026-11-14T18:34:13Z"), self.s("no answer in time"));
        let price = |last: Option<&str>, fresh| PriceLine {
            coin: self.s("USDC"),
            currency: "USD".to_owned(),
            source: self.s("prices.example"),
            last: last.map(|price| (price.to_owned(), Duration::from_secs(41))),
            fresh,
        };
        let page = |origin, problems| {
            let chains =
                vec![chain(Some(read), None), ChainLine { id: 137, ..chain(None, Some(error.clone())) }];
            let prices = vec![
                price(Some("91.93"), true),
                PriceLine { currency: "EUR".to_owned(), ..price(Some("78.11"), false) },
                PriceLine { currency: "RUB".to_owned(), ..price(None, false) },
            ];
            let body = Chains { origin, problems, chains, prices };
            self.operator(Place::Providers, "/operator/providers/evm", Body::Chains(Box::new(body)))
        };
        let by = |enabled| SetupOrigin::Console {
            enabled,
            at: at("2026-11-14T18:34:13Z"),
            by: self.s("ines@till.example"),
        };
        let empty = Chains {
            origin: SetupOrigin::Nobody,
            problems: Vec::new(),
            chains: Vec::new(),
            prices: Vec::new(),
        };
        let empty = Body::Chains(Box::new(empty));
        vec![
            ("chains", page(by(true), Vec::new())),
            ("chains-off", page(by(false), vec![self.s("There is no [[chain]].")])),
            ("chains-file", page(SetupOrigin::File { path: self.s("/etc/till/evm.toml") }, Vec::new())),
            ("chains-empty", self.operator(Place::Providers, "/operator/providers/evm", empty)),
        ]
    }

    pub fn chain_forms(&self) -> Pages {
        let page = |problems, moved, checks| {
            let document = self.s("[[chain]]\nid = 1\nname = \"Ethereum\"");
            let body = EditChains { document, version: 3, problems, moved, checks };
            let path = "/operator/providers/evm/edit";
            self.operator(Place::Providers, path, Body::EditChains(Box::new(body)))
        };
        let outcomes = [CheckOutcome::Good, CheckOutcome::Doubtful, CheckOutcome::Bad];
        let check = |outcome| CheckLine {
            what: self.s("Ethereum: node.example"),
            outcome,
            sentence: self.s("chain 1, block 21190414."),
        };
        let problems = vec![self.s("There is no [[chain]]."), self.s("There is no price of USDC.")];
        vec![
            ("edit-chains", page(Vec::new(), false, None)),
            ("edit-chains-wrong", page(problems, false, None)),
            ("edit-chains-moved", page(Vec::new(), true, None)),
            ("edit-chains-tested", page(Vec::new(), false, Some(outcomes.map(check).to_vec()))),
        ]
    }
}
