//! What differs between live and sandbox, as data. The code is the same for both: there is no
//! `if sandbox` anywhere else.

use crate::{
    environment::Environment,
    ledger::{Books, Terms},
    method::{Lifetimes, Method},
    money::Currency,
};
use std::time::Duration;

/// The rules of one environment.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Which environment these rules are for.
    pub environment: Environment,
    /// Whether a create may name a product or a category of the catalog.
    pub catalog: bool,
    /// How the methods of a session are found.
    pub methods: MethodRule,
    /// How long a session lives.
    pub lifetimes: Lifetimes,
    /// How long a Bearer token lives.
    pub token_lifetime: Duration,
    /// Whether callbacks may go to loopback, private and link-local addresses.
    pub private_callbacks: bool,
    /// How long payments are pending for vendors without a delay of their own; nothing where no books are kept.
    pub settlement_delay: Option<Duration>,
    /// Whether what is paid has a receipt.
    pub receipts: bool,
    /// Whether mails about payments are sent.
    pub mails: bool,
    /// The providers that can send money back. Where no books are kept, none does.
    pub refunding: Vec<&'static str>,
}

/// How the methods of a session are found.
#[derive(Debug, Clone)]
pub enum MethodRule {
    /// By what the providers serve, the vendor has and the request asks for.
    Offered(Vec<Offering>),
    /// Always this one; what the request asks for is only recorded.
    Always(Method),
}

/// That some provider serves a method, and for which currencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offering {
    pub method: Method,
    /// Where it can be used.
    pub currencies: Currencies,
}

/// Currencies that an offering takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Currencies {
    Any,
    /// Only these.
    Only(Vec<Currency>),
}

impl Currencies {
    /// Whether this currency is taken.
    #[must_use]
    pub fn take(&self, currency: Currency) -> bool {
        match self {
            Self::Any => true,
            Self::Only(list) => list.contains(&currency),
        }
    }
}

/// The settings of an operator that rules are made of.
#[derive(Debug, Clone)]
pub struct RuleSettings {
    /// How long a session lives.
    pub lifetimes: Lifetimes,
    /// How long a Bearer token lives.
    pub token_lifetime: Duration,
    /// Whether callbacks may go to private addresses.
    pub private_callbacks: bool,
    /// How long payments are pending for vendors without a delay of their own.
    pub settlement_delay: Duration,
    /// Whether there is a server that takes mails.
    pub mails: bool,
}

impl Rules {
    /// Live: the catalog, the methods that the configured providers serve, the vendors' money, receipts, and mails if
    /// a server takes them.
    #[must_use]
    pub fn live(settings: &RuleSettings, offerings: Vec<Offering>) -> Self {
        let settlement_delay = Some(settings.settlement_delay);
        let methods = MethodRule::Offered(offerings);
        let rules = Self::new(Environment::Live, settings, methods);
        Self { catalog: true, settlement_delay, receipts: true, mails: settings.mails, ..rules }
    }

    /// The same, where these providers can send money back.
    #[must_use]
    pub fn with_refunds(self, refunding: Vec<&'static str>) -> Self {
        Self { refunding, ..self }
    }

    /// The same, where other providers offer methods and send money back. Where there is always one method, it stays.
    #[must_use]
    pub fn with_providers(self, offerings: Vec<Offering>, refunding: Vec<&'static str>) -> Self {
        match self.methods {
            MethodRule::Offered(_) => Self { methods: MethodRule::Offered(offerings), refunding, ..self },
            MethodRule::Always(_) => self,
        }
    }

    /// Sandbox: no catalog, a single card option, no money, no receipt and never a mail.
    #[must_use]
    pub fn sandbox(settings: &RuleSettings) -> Self {
        Self::new(Environment::Sandbox, settings, MethodRule::Always(Method::Card))
    }

    /// How the money of a vendor with these terms is booked; nothing where no books are kept.
    #[must_use]
    pub fn books<'a>(&self, terms: &'a Terms) -> Option<Books<'a>> {
        let delay = terms.settlement_delay;
        self.settlement_delay.map(|otherwise| Books { terms, delay: delay.unwrap_or(otherwise) })
    }

    fn new(environment: Environment, settings: &RuleSettings, methods: MethodRule) -> Self {
        Self {
            environment,
            catalog: false,
            methods,
            lifetimes: settings.lifetimes,
            token_lifetime: settings.token_lifetime,
            private_callbacks: settings.private_callbacks,
            settlement_delay: None,
            receipts: false,
            mails: false,
            refunding: Vec::new(),
        }
    }
}
