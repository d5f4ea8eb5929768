//! The operator's setup: chains, coins, keys and prices, as one TOML document. `document.rs` parses it.

use super::{document, price::Price};
use crate::{
    form::{SetupProblem, sentences},
    web::host_of,
};
use std::{fmt, time::Duration};
use till_domain::chain::{Address, Atoms, ChainId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvmSetup {
    /// The chains, in display order.
    pub chains: Vec<Chain>,
    /// The price sources, in the order of the document.
    pub prices: Vec<PriceSource>,
    pub price_rules: PriceRules,
}

/// Rules that decide when a price is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceRules {
    /// The largest age of a price when it is locked, in seconds.
    pub max_age: u64,
    /// The largest difference from the last price of its source, in per cent; a larger one has to be
    /// confirmed first.
    pub max_jump: u32,
    /// The largest difference between several sources, in per cent.
    pub max_spread: u32,
}

impl Default for PriceRules {
    fn default() -> Self {
        Self { max_age: 120, max_jump: 20, max_spread: 5 }
    }
}

/// Limits of a fetched price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriceLimits {
    pub min: Option<Price>,
    pub max: Option<Price>,
    /// The longest time that it may stay the same to the last digit.
    pub max_unchanged: Option<Duration>,
}

impl PriceLimits {
    /// True if it is bounded on both sides.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.min.is_some() && self.max.is_some()
    }
}

impl EvmSetup {
    /// Parses the document, or returns every problem with it, one sentence each.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        document::read(text).map_err(sentences)
    }

    /// Parses the document, or returns every problem with it and its field.
    pub fn read(text: &str) -> Result<Self, Vec<SetupProblem>> {
        document::read(text)
    }

    /// A document to start from: complete except for the key.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("template.toml")
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Chain {
    /// Its chain id, as `eth_chainId` reports it.
    pub id: ChainId,
    /// Its name, for display: `Ethereum`.
    pub name: String,
    /// URLs of the nodes, asked in this order. They may hold secrets.
    pub endpoints: Vec<String>,
    /// The extended public key of the account that addresses are derived from.
    pub xpub: String,
    /// Confirmations that make a transfer final, its own block included.
    pub confirmations: u32,
    /// Polling interval for new blocks, in milliseconds.
    pub poll_ms: u64,
    /// The coins, in display order.
    pub coins: Vec<Coin>,
    /// How much native coin is taken for the gas of a sweep where a token arrived.
    pub max_fuel: Atoms,
}

/// Leaves out secrets.
impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.endpoints.iter().map(|endpoint| host_of(endpoint)).collect();
        let mut output = f.debug_struct("Chain");
        output.field("id", &self.id.0).field("name", &self.name).field("endpoints", &hosts);
        output.field("confirmations", &self.confirmations).field("coins", &self.coins).finish_non_exhaustive()
    }
}

/// A coin on a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coin {
    /// Its symbol: `ETH`, `USDC`.
    pub symbol: String,
    /// Its contract; `None` for the native coin.
    pub contract: Option<Address>,
    pub decimals: u8,
}

/// The source of a coin's price.
#[derive(Clone, PartialEq, Eq)]
pub enum PriceSource {
    /// A price that the operator wrote down.
    Fixed {
        coin: String,
        currency: String,
        /// The price of one coin, exactly as written.
        price: String,
    },
    /// A JSON document on the web.
    Json {
        coin: String,
        currency: String,
        /// The document's URL. It may hold a secret.
        url: String,
        /// JSON pointer to the price in it.
        pointer: String,
        /// JSON pointer to the time of the price in it: Unix seconds or milliseconds, or RFC 3339. Without it
        /// the price is as old as the answer.
        time_pointer: Option<String>,
        limits: PriceLimits,
    },
}

impl PriceSource {
    /// The coin's symbol.
    #[must_use]
    pub fn coin(&self) -> &str {
        match self {
            Self::Fixed { coin, .. } | Self::Json { coin, .. } => coin,
        }
    }

    /// The currency of the price, as an ISO 4217 code.
    #[must_use]
    pub fn currency(&self) -> &str {
        match self {
            Self::Fixed { currency, .. } | Self::Json { currency, .. } => currency,
        }
    }

    /// The source, for display: a host or `fixed`, never a URL.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Fixed { .. } => "fixed".to_owned(),
            Self::Json { url, .. } => host_of(url),
        }
    }
}

/// Leaves out secrets.
impl fmt::Debug for PriceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} from {}", self.coin(), self.currency(), self.label())
    }
}
