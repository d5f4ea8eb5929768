//! The differences between live and sandbox, as data. The code is the same for both: there is no `if sandbox`
//! anywhere else.

use crate::{
    environment::EnvironmentName,
    ledger::{Books, Terms},
    method::{Lifetimes, Method},
    money::Currency,
};
use std::time::Duration;

/// The rules of one environment.
#[derive(Debug, Clone)]
pub struct Rules {
    pub environment: EnvironmentName,
    /// True if a create request may name a product or a category of the catalog.
    pub catalog: bool,
    /// The rule that determines the methods of a session.
    pub methods: MethodRule,
    /// The lifetime of an unpaid session, by method.
    pub lifetimes: Lifetimes,
    /// The lifetime of a Bearer token.
    pub token_lifetime: Duration,
    /// True if callbacks may go to loopback, private and link-local addresses.
    pub private_callbacks: bool,
    /// The settlement delay of vendors without one of their own; `None` in an environment without a ledger.
    pub settlement_delay: Option<Duration>,
    /// True if payments have a receipt.
    pub receipts: bool,
    /// True if mails about payments are sent.
    pub mails: bool,
    /// True if the registration of fiscal receipts is played, because there is no till.
    pub plays_registration: bool,
    /// The providers that pass fiscal receipts on to a till.
    pub tills: Vec<&'static str>,
    /// The providers that can refund. In an environment without a ledger, none does.
    pub refunding: Vec<&'static str>,
}

/// The rule that determines the methods of a session.
#[derive(Debug, Clone)]
pub enum MethodRule {
    /// The methods that the providers serve, the vendor has and the request asks for.
    Offered(Vec<Offering>),
    /// Always this one; the methods in the request are only recorded.
    Always(Method),
}

/// A method that some provider serves, and its currencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offering {
    pub method: Method,
    /// The currencies in which it can be used.
    pub currencies: Currencies,
}

/// The currencies that an offering accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Currencies {
    Any,
    /// Only these.
    Only(Vec<Currency>),
}

impl Currencies {
    /// Returns true when this currency is accepted.
    #[must_use]
    pub fn take(&self, currency: Currency) -> bool {
        match self {
            Self::Any => true,
            Self::Only(list) => list.contains(&currency),
        }
    }
}

/// The operator's settings that rules are made of.
#[derive(Debug, Clone)]
pub struct RuleSettings {
    /// The lifetime of an unpaid session, by method.
    pub lifetimes: Lifetimes,
    /// The lifetime of a Bearer token.
    pub token_lifetime: Duration,
    /// True if callbacks may go to private addresses.
    pub private_callbacks: bool,
    /// The settlement delay of vendors without one of their own.
    pub settlement_delay: Duration,
    /// True if a mail server is set up.
    pub mails: bool,
}

impl Rules {
    /// Live: the catalog, the methods that the configured providers serve, the ledger, receipts, and mails if
    /// a mail server is set up.
    #[must_use]
    pub fn live(settings: &RuleSettings, offerings: Vec<Offering>) -> Self {
        let settlement_delay = Some(settings.settlement_delay);
        let methods = MethodRule::Offered(offerings);
        let rules = Self::new(EnvironmentName::Live, settings, methods);
        Self { catalog: true, settlement_delay, receipts: true, mails: settings.mails, ..rules }
    }

    /// Sets the providers that can refund.
    #[must_use]
    pub fn with_refunds(self, refunding: Vec<&'static str>) -> Self {
        Self { refunding, ..self }
    }

    /// Sets the providers that pass fiscal receipts on to a till. Where registrations are played, there are none.
    #[must_use]
    pub fn with_tills(self, tills: Vec<&'static str>) -> Self {
        if self.plays_registration { self } else { Self { tills, ..self } }
    }

    /// Replaces the offered methods and the providers that can refund. Rules with one fixed method stay as
    /// they are.
    #[must_use]
    pub fn with_providers(self, offerings: Vec<Offering>, refunding: Vec<&'static str>) -> Self {
        match self.methods {
            MethodRule::Offered(_) => Self { methods: MethodRule::Offered(offerings), refunding, ..self },
            MethodRule::Always(_) => self,
        }
    }

    /// Sandbox: no catalog, card as the only method, no ledger, no receipt, never a mail, and no till.
    #[must_use]
    pub fn sandbox(settings: &RuleSettings) -> Self {
        let rules = Self::new(EnvironmentName::Sandbox, settings, MethodRule::Always(Method::Card));
        Self { plays_registration: true, ..rules }
    }

    /// How the money of a vendor with these terms is booked; `None` in an environment without a ledger.
    #[must_use]
    pub fn books<'a>(&self, terms: &'a Terms) -> Option<Books<'a>> {
        let delay = terms.settlement_delay;
        self.settlement_delay.map(|otherwise| Books { terms, delay: delay.unwrap_or(otherwise) })
    }

    fn new(environment: EnvironmentName, settings: &RuleSettings, methods: MethodRule) -> Self {
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
            plays_registration: false,
            tills: Vec::new(),
            refunding: Vec::new(),
        }
    }
}
