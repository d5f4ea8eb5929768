//! The page of crypto on chains: the configuration, and the status of each chain and price source.

use crate::{
    console::setups::view::{SetupHead, SetupOrigin},
    pages::view::{Crumb, View, template},
};
use std::time::Duration;
use till_domain::{chain::ChainId, time::Timestamp};
use till_service::web::words::Words;

#[derive(Debug, Clone)]
pub struct Chains {
    /// The part that all provider pages begin with.
    pub head: SetupHead,
    /// The chains, in the operator's order.
    pub chains: Vec<ChainLine>,
    /// The price sources.
    pub prices: Vec<PriceLine>,
}

#[derive(Debug, Clone)]
pub struct ChainLine {
    pub name: String,
    pub id: ChainId,
    pub coins: Vec<String>,
    /// Coins that are not offered because no node has confirmed them, with the reason if a node was asked.
    pub not_offered: Vec<(String, Option<String>)>,
    /// Confirmations that make a transfer final.
    pub confirmations: u64,
    /// How far the chain was read; `None` if never.
    pub read: Option<ChainRead>,
    /// The last error and its time.
    pub last_error: Option<(Timestamp, String)>,
    /// The highest derivation index under its key for which an address was issued.
    pub highest: Option<u32>,
}

impl ChainLine {
    /// The reasons why coins are not offered, a sentence or two for each.
    pub fn hidden_coins(&self, t: &Words) -> Vec<String> {
        let sentence = |(coin, why): &(String, Option<String>)| {
            let why = why.clone().unwrap_or_else(|| t.text("chains-unconfirmed"));
            t.with_two("chains-not-offered", ("coin", coin), ("reason", &why))
        };
        self.not_offered.iter().map(sentence).collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ChainRead {
    pub block: u64,
    /// The newest block that any node reported.
    pub head: u64,
    pub at: Timestamp,
}

impl ChainRead {
    /// The number of blocks not read yet.
    pub fn lag(&self) -> u64 {
        self.head.saturating_sub(self.block)
    }
}

/// A price source and its last price.
#[derive(Debug, Clone)]
pub struct PriceLine {
    pub coin: String,
    pub currency: String,
    /// The address of the source, without secrets.
    pub source: String,
    /// The last price and its age.
    pub last: Option<(String, Duration)>,
    /// True if the price may be locked for a payment now.
    pub fresh: bool,
    /// The reason why the last answer is not used.
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
