//! Providers and how they answer.

use crate::{
    panel::{
        console::{setups::view::setup_name, vendors::view as vendors},
        pages::view::{Action, View, template},
    },
    registry::Kind,
    web::words::Words,
};
use std::time::Duration;
use till_domain::{environment::Environment, method::Method, time::Timestamp};

/// What 95 of 100 answers take at most where customers do not notice.
const SLOW: Duration = Duration::from_secs(5);

/// The providers of both environments.
#[derive(Debug, Clone)]
pub struct Providers {
    /// In the operator's order, live first.
    pub rows: Vec<ProviderLine>,
    /// Those that were never set up.
    pub can_begin: Vec<Kind>,
}

/// A provider, as this process knows it.
#[derive(Debug, Clone)]
pub struct ProviderLine {
    pub name: String,
    /// Where it is used.
    pub environment: Environment,
    /// The methods that it serves.
    pub methods: Vec<Method>,
    /// Whether its money is only played.
    pub simulated: bool,
    /// Its place in the operator's order, from 1.
    pub order: usize,
    /// Whether customers are sent there at all.
    pub offered: bool,
    /// What is set up by a document, if it is.
    pub kind: Option<Kind>,
    /// Whether it can change its place in the order with the one before it, and with the one after it.
    pub moves: (bool, bool),
    /// Whether what is stored of it cannot be used.
    pub unusable: bool,
    /// Whether customers are not sent there because it does not answer.
    pub down: bool,
    /// Its calls in the last 15 minutes.
    pub lately: CallsLine,
    /// Its calls since the process started.
    pub all: CallsLine,
    /// Its last error, and when it was.
    pub last_error: Option<(Timestamp, String)>,
    /// When it last told of money, if that was lately.
    pub last_paid: Option<Timestamp>,
    /// Sessions with an open payment there.
    pub open: u64,
}

impl ProviderLine {
    /// The icon of its first method.
    pub fn icon(&self) -> &'static str {
        self.methods.first().map_or("card", |method| method.as_str())
    }

    /// What people call it.
    pub fn title(&self, t: &Words) -> String {
        self.kind.map_or_else(|| self.name.clone(), |kind| setup_name(kind, t))
    }

    /// How it does: `unusable`, `off`, `down`, `failing`, `slow`, `quiet` or `working`.
    pub fn word(&self) -> &'static str {
        if self.unusable {
            "unusable"
        } else if !self.offered {
            "off"
        } else if self.down {
            "down"
        } else if self.lately.calls == 0 {
            "quiet"
        } else if self.lately.answered < self.lately.calls {
            "failing"
        } else if self.lately.p95.is_some_and(|p95| p95 > SLOW) {
            "slow"
        } else {
            "working"
        }
    }

    /// The class that gives it its colour.
    pub fn class(&self) -> &'static str {
        match self.word() {
            "unusable" | "down" => "failed",
            "failing" | "slow" => "warn",
            "quiet" | "off" => "expired",
            _ => "paid",
        }
    }

    /// The icon of how it does.
    pub fn mark(&self) -> &'static str {
        match self.word() {
            "failing" | "slow" => "alert",
            "quiet" | "off" => "off",
            _ => self.class(),
        }
    }
}

/// Calls to a provider in a span of time.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallsLine {
    pub calls: u64,
    /// How many of them were answered.
    pub answered: u64,
    /// What 95 of 100 answers took at most.
    pub p95: Option<Duration>,
}

impl CallsLine {
    /// The part that was answered, in tenths of a percent rounded down, so that one failure is never 100%.
    pub fn share(&self, t: &Words) -> String {
        if self.calls == 0 {
            return t.text("prov-no-calls");
        }
        let tenths = self.answered.saturating_mul(1_000) / self.calls;
        t.with("percent", "number", &t.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }

    /// The same in a sentence: `prov-calls-lately` or `prov-calls-all`.
    pub fn told(&self, key: &str, t: &Words) -> String {
        t.with(key, "share", &self.share(t))
    }

    /// What 95 of 100 answers took at most.
    pub fn slowest(&self, t: &Words) -> String {
        self.p95.map_or_else(String::new, |p95| t.with("prov-at-most", "time", &t.span(&p95)))
    }
}

impl View for Providers {
    fn kind(&self) -> &'static str {
        "providers"
    }

    fn heading(&self, t: &Words) -> String {
        t.text("nav-providers")
    }

    fn actions(&self) -> Vec<Action> {
        let begin = |kind: &Kind| match kind {
            Kind::Yookassa => Action::other("/operator/providers/yookassa/edit", "setup-begin-yookassa"),
            Kind::Stripe => Action::other("/operator/providers/stripe/edit", "setup-begin-stripe"),
            Kind::Evm => Action::other("/operator/providers/evm/edit", "setup-begin-evm"),
        };
        self.can_begin.iter().map(begin).collect()
    }

    template!(write, view: Providers, "operator/providers.html");
}
