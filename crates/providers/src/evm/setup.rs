//! What an operator sets up: chains, coins, keys and prices, as one TOML document. `document.rs` reads it.

use super::{document, price::Price};
use crate::web::host_of;
use std::{fmt, time::Duration};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The chains, in the order in which they are shown.
    pub chains: Vec<Chain>,
    /// Where prices come from, in the order in which they are asked.
    pub prices: Vec<PriceSource>,
    /// When a price is used.
    pub price_rules: PriceRules,
}

/// When a price is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceRules {
    /// How old it may be when it is locked, in seconds.
    pub max_age: u64,
    /// By how much it may differ from the last one of its source, in per cent; more has to be confirmed first.
    pub max_jump: u32,
    /// By how much several sources may differ, in per cent.
    pub max_spread: u32,
}

impl Default for PriceRules {
    fn default() -> Self {
        Self { max_age: 120, max_jump: 20, max_spread: 5 }
    }
}

/// What a fetched price may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriceLimits {
    pub min: Option<Price>,
    pub max: Option<Price>,
    /// How long it may stay the same to the last digit.
    pub max_unchanged: Option<Duration>,
}

impl PriceLimits {
    /// Whether it is bounded on both sides.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.min.is_some() && self.max.is_some()
    }
}

impl Setup {
    /// Reads the document; else all that is wrong with it, a sentence each.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        document::read(text)
    }

    /// A document to begin with: everything is there but the key.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("template.toml")
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Chain {
    /// Its number, as `eth_chainId` says it.
    pub id: u64,
    /// Its name, for people: `Ethereum`.
    pub name: String,
    /// Nodes that are asked, in this order. They may hold secrets.
    pub endpoints: Vec<String>,
    /// The extended public key of the account that addresses are derived from.
    pub xpub: String,
    /// Blocks that make a transfer final, its own included.
    pub confirmations: u32,
    /// How often new blocks are looked for, in milliseconds.
    pub poll_ms: u64,
    /// The coins, in the order in which they are shown.
    pub coins: Vec<Coin>,
    /// How much of the chain's own coin, in its smallest part, is taken for the fee of a sweep where a token came.
    pub max_fuel: u128,
}

/// Without what is secret.
impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.endpoints.iter().map(|endpoint| host_of(endpoint)).collect();
        let mut shown = f.debug_struct("Chain");
        shown.field("id", &self.id).field("name", &self.name).field("endpoints", &hosts);
        shown.field("confirmations", &self.confirmations).field("coins", &self.coins).finish_non_exhaustive()
    }
}

/// A coin on a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coin {
    /// Its symbol: `ETH`, `USDC`.
    pub symbol: String,
    /// Its contract, in lower case; nothing for the chain's own coin.
    pub contract: Option<String>,
    pub decimals: u8,
}

/// Where the price of a coin comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum PriceSource {
    /// What the operator wrote down.
    Fixed {
        coin: String,
        currency: String,
        /// What one coin costs, exactly as written.
        price: String,
    },
    /// A JSON document on the web.
    Json {
        coin: String,
        currency: String,
        /// Where the document is. It may hold a secret.
        url: String,
        /// Where the price is in it, as a JSON pointer.
        pointer: String,
        /// Where the time of the price is in it, as a JSON pointer; else it is as old as the answer. Unix seconds or
        /// milliseconds, or RFC 3339.
        time_pointer: Option<String>,
        /// What it may be.
        limits: PriceLimits,
    },
}

impl PriceSource {
    /// Whose price it is.
    #[must_use]
    pub fn coin(&self) -> &str {
        match self {
            Self::Fixed { coin, .. } | Self::Json { coin, .. } => coin,
        }
    }

    /// In what it is counted.
    #[must_use]
    pub fn currency(&self) -> &str {
        match self {
            Self::Fixed { currency, .. } | Self::Json { currency, .. } => currency,
        }
    }

    /// Where it comes from, for people: a host, never an address.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Fixed { .. } => "fixed".to_owned(),
            Self::Json { url, .. } => host_of(url),
        }
    }
}

/// Without what is secret.
impl fmt::Debug for PriceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} from {}", self.coin(), self.currency(), self.label())
    }
}
