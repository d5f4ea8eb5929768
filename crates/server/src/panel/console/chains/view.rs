//! Crypto on chains: how it is set up, how each chain and each price does.

use crate::{
    panel::{
        console::setups::view::{SetupHead, SetupOrigin},
        pages::view::{Crumb, View, template},
    },
    web::words::Words,
};
use std::time::Duration;
use till_domain::time::Timestamp;

/// How the chains are set up, and how they do.
#[derive(Debug, Clone)]
pub struct Chains {
    /// How they are set up.
    pub head: SetupHead,
    /// The chains, in the operator's order.
    pub chains: Vec<ChainLine>,
    /// Where prices come from.
    pub prices: Vec<PriceLine>,
}

#[derive(Debug, Clone)]
pub struct ChainLine {
    pub name: String,
    pub id: u64,
    pub coins: Vec<String>,
    /// Coins that are not offered because no node has confirmed them, and why if one was asked.
    pub not_offered: Vec<(String, Option<String>)>,
    /// Blocks that make a transfer final.
    pub confirmations: u64,
    /// How far it was read, if ever.
    pub read: Option<ChainRead>,
    /// The last error, and when it was.
    pub last_error: Option<(Timestamp, String)>,
    /// The highest place under its key that an address was given out of.
    pub highest: Option<u32>,
}

impl ChainLine {
    /// Why coins are not offered, a sentence or two for each.
    pub fn hidden_coins(&self, t: &Words) -> Vec<String> {
        let sentence = |(coin, why): &(String, Option<String>)| {
            let why = why.clone().unwrap_or_else(|| t.text("chains-unconfirmed"));
            t.with_two("chains-not-offered", ("coin", coin), ("reason", &why))
        };
        self.not_offered.iter().map(sentence).collect()
    }
}

/// How far a chain was read.
#[derive(Debug, Clone, Copy)]
pub struct ChainRead {
    pub block: u64,
    /// The newest block that anybody told us of.
    pub head: u64,
    pub at: Timestamp,
}

impl ChainRead {
    /// Blocks that were not read yet.
    pub fn lag(&self) -> u64 {
        self.head.saturating_sub(self.block)
    }
}

/// Where a price comes from.
#[derive(Debug, Clone)]
pub struct PriceLine {
    pub coin: String,
    pub currency: String,
    /// Where from, without secrets.
    pub source: String,
    /// The last price, and how old it is.
    pub last: Option<(String, Duration)>,
    /// Whether it may be locked now.
    pub fresh: bool,
    /// Why the last answer is not used.
    pub error: Option<String>,
}

impl View for Chains {
    fn kind(&self) -> &'static str {
        "chains"
    }

    fn heading(&self, t: &Words) -> String {
        self.head.name(t)
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        vec![Crumb::new("/operator/providers", t.text("nav-providers"))]
    }

    template!(write, view: Chains, "operator/chains.html");
}
