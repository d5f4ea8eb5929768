//! Crypto on chains: how it is set up, how each chain and each price does, and the form for it.

use super::form::Complaint;
use crate::web::words::Words;
use std::time::Duration;
use till_domain::time::Timestamp;

/// How the chains are set up, and how they do.
#[derive(Debug, Clone)]
pub struct Chains {
    /// Who says how.
    pub origin: SetupOrigin,
    /// What is wrong with what is stored, if it cannot be used.
    pub problems: Vec<String>,
    /// The chains, in the operator's order.
    pub chains: Vec<ChainLine>,
    /// Where prices come from.
    pub prices: Vec<PriceLine>,
}

/// Who says how the chains are set up.
#[derive(Debug, Clone)]
pub enum SetupOrigin {
    /// Nobody yet.
    Nobody,
    /// A file on the machine, which the console cannot change.
    File {
        /// Where it is.
        path: String,
    },
    /// The console or a command.
    Console {
        /// Whether customers are sent there.
        enabled: bool,
        /// When it was changed.
        at: Timestamp,
        /// Who changed it.
        by: String,
    },
}

impl SetupOrigin {
    /// `unset`, `on` or `off`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Nobody => "unset",
            Self::File { .. } | Self::Console { enabled: true, .. } => "on",
            Self::Console { enabled: false, .. } => "off",
        }
    }
}

/// A chain.
#[derive(Debug, Clone)]
pub struct ChainLine {
    /// Its name.
    pub name: String,
    /// Its number.
    pub id: u64,
    /// Its coins.
    pub coins: Vec<String>,
    /// Blocks that make a transfer final.
    pub confirmations: u64,
    /// How far it was read, if ever.
    pub read: Option<ChainRead>,
    /// The last error, and when it was.
    pub last_error: Option<(Timestamp, String)>,
    /// The highest place under its key that an address was given out of.
    pub highest: Option<u32>,
}

/// How far a chain was read.
#[derive(Debug, Clone, Copy)]
pub struct ChainRead {
    /// The last block.
    pub block: u64,
    /// The newest block that anybody told us of.
    pub head: u64,
    /// When.
    pub at: Timestamp,
}

impl ChainRead {
    /// Blocks that were not read yet.
    pub(super) fn lag(&self) -> u64 {
        self.head.saturating_sub(self.block)
    }
}

/// Where a price comes from.
#[derive(Debug, Clone)]
pub struct PriceLine {
    /// The coin.
    pub coin: String,
    /// The currency.
    pub currency: String,
    /// Where from, without secrets.
    pub source: String,
    /// The last price, and how old it is.
    pub last: Option<(String, Duration)>,
    /// Whether it may be locked now.
    pub fresh: bool,
}

/// The form of the set-up.
#[derive(Debug, Clone)]
pub struct EditChains {
    /// The document.
    pub document: String,
    /// The version that it is made of; 0 if there is none yet.
    pub version: i64,
    /// What is wrong with it, as sentences.
    pub problems: Vec<String>,
    /// Whether somebody else changed it meanwhile.
    pub moved: bool,
    /// What a test found.
    pub checks: Option<Vec<CheckLine>>,
}

/// What a test found about one thing.
#[derive(Debug, Clone)]
pub struct CheckLine {
    /// What was looked at.
    pub what: String,
    /// How it is.
    pub outcome: CheckOutcome,
    /// More about it.
    pub sentence: String,
}

/// How something is that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// As it should be.
    Good,
    /// Somebody should look.
    Doubtful,
    /// Money could not be taken like this.
    Bad,
}

impl CheckOutcome {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
        }
    }

    /// The class that gives it its colour.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "paid",
            Self::Doubtful => "warn",
            Self::Bad => "failed",
        }
    }

    pub(super) fn icon(self) -> &'static str {
        match self {
            Self::Doubtful => "alert",
            Self::Good | Self::Bad => self.class(),
        }
    }
}

impl EditChains {
    /// One complaint, however much is wrong: all of it is said beside the field.
    pub(super) fn complaints(&self, t: &Words) -> Vec<Complaint> {
        let text = match (self.moved, self.problems.as_slice()) {
            (true, _) => t.text("chains-moved"),
            (false, []) => return Vec::new(),
            (false, [only]) => only.clone(),
            (false, all) => t.count("chains-problems", &u64::try_from(all.len()).unwrap_or(u64::MAX)),
        };
        vec![Complaint::about("document", text)]
    }
}
