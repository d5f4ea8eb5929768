//! What is wrong with a setup: the field, the rule that it breaks, and a sentence. No part repeats anything
//! that may be a secret.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $word:literal,)*) => {
        /// A rule of a setup that a value can break.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word used in translation keys.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

rules! {
    /// A value is needed.
    Missing "missing",
    /// The document is TOML.
    Toml "toml",
    /// The document has only settings that exist.
    Known "known",
    /// A key of the provider begins with one of `list`.
    Key "key",
    /// The secret of a webhook, one or two of them.
    WebhookSecret "webhook-secret",
    /// Both keys are live keys, or both are test keys.
    Mode "mode",
    /// A list of currency codes.
    Currencies "currencies",
    /// `name` is the code of a currency.
    Currency "currency",
    /// The currency `name` is one that can be used.
    CurrencyUsable "currency-usable",
    /// `name` is listed once.
    Once "once",
    /// A whole number from `least` to `most`.
    Number "number",
    /// An address that begins with https://.
    Address "address",
    /// An address that begins with https:// or http://.
    WebAddress "web-address",
    /// Live keys go to the provider's own address alone.
    LiveAddress "live-address",
    /// At most `most` characters.
    Length "length",
    /// Digits only.
    ShopId "shop-id",
    /// 32 to 128 letters, digits, - and _.
    NoticeToken "notice-token",
    /// At least one method.
    Methods "methods",
    /// Receipts can always be sent by e-mail.
    ReceiptContacts "receipt-contacts",
    /// SBP needs rubles.
    SbpRubles "sbp-rubles",
    /// An amount.
    Amount "amount",
    /// Names of hosts.
    Hosts "hosts",
    /// One of `list`.
    OneOf "one-of",
    /// The whole path of a file on the server.
    Path "path",
    /// At least one chain.
    Chains "chains",
    /// At least one coin.
    Coins "coins",
    /// Chain ids differ.
    ChainOnce "chain-once",
    /// From 1 to `most` nodes.
    Nodes "nodes",
    /// Nodes differ.
    NodeOnce "node-once",
    /// The key is public: a private one was entered.
    XpubPublic "xpub-public",
    /// The key is an extended public key.
    Xpub "xpub",
    /// The key is an account's.
    XpubLevel "xpub-level",
    /// A decimal number above 0.
    Decimal "decimal",
    /// A duration from `least` to `most`.
    Duration "duration",
    /// Letters, digits and points.
    Symbol "symbol",
    /// The address of a contract.
    Contract "contract",
    /// Only the chain's own coin has no contract.
    NativeOnce "native-once",
    /// The coin `name` has a price.
    Priced "priced",
    /// A chain has the coin `name`.
    PricedCoin "priced-coin",
    /// A price is fixed or has an address.
    OneSource "one-source",
    /// The field is for fetched prices alone.
    FetchedOnly "fetched-only",
    /// A JSON pointer.
    Pointer "pointer",
    /// The least is not above the most.
    Bounds "bounds",
}

/// One problem with a setup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupProblem {
    /// The field of the form that it is about, such as `chain-1-name`; empty if it is about no single field.
    pub field: String,
    pub rule: Rule,
    /// The values that the rule names.
    pub values: Vec<(&'static str, String)>,
    /// The problem in a sentence, for those who read the document.
    pub sentence: String,
}

impl SetupProblem {
    pub(crate) fn new(field: impl Into<String>, rule: Rule, sentence: impl Into<String>) -> Self {
        Self { field: field.into(), rule, values: Vec::new(), sentence: sentence.into() }
    }

    /// Adds a value that the rule names.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }
}

impl fmt::Display for SetupProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// The sentences of problems.
pub(crate) fn sentences(problems: Vec<SetupProblem>) -> Vec<String> {
    problems.into_iter().map(|problem| problem.sentence).collect()
}
