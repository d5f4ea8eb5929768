//! The page of providers and their health.

use crate::{
    console::{setups::view::setup_name, vendors::view as vendors},
    pages::{
        chart::{Bars, Stack, StackPart},
        view::{Action, View, template},
    },
};
use std::time::Duration;
use till_domain::{
    activity::{Activity, CallCounts},
    environment::EnvironmentName,
    method::Method,
    time::Timestamp,
};
use till_service::{registry::ProviderKind, web::words::Words};

/// The 95th percentile of answer times above which a provider is shown as slow.
const SLOW: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct Providers {
    /// The providers in the operator's order, live first.
    pub rows: Vec<ProviderLine>,
    /// Kinds of providers that were never set up.
    pub can_begin: Vec<ProviderKind>,
}

/// A provider with its health as measured by this process, and its activity on all of them.
#[derive(Debug, Clone)]
pub struct ProviderLine {
    pub name: String,
    pub environment: EnvironmentName,
    /// The methods that it serves.
    pub methods: Vec<Method>,
    /// True for a simulator, where no real money moves.
    pub simulated: bool,
    /// Its position in the operator's order, from 1.
    pub order: usize,
    /// True if it is offered to customers.
    pub offered: bool,
    /// The kind of its set-up document, if it has one.
    pub kind: Option<ProviderKind>,
    /// True if it can swap places with the provider before it, and with the one after it.
    pub moves: (bool, bool),
    /// True if its stored set-up cannot be used.
    pub unusable: bool,
    /// True if it is not offered now because its calls fail (circuit breaker).
    pub down: bool,
    /// Its calls in the last 15 minutes, from this process.
    pub lately: CallsLine,
    /// What it did in the last 24 hours, on all processes.
    pub activity: Activity,
    /// The time of the last payment it reported, if recent.
    pub last_paid: Option<Timestamp>,
    /// The number of sessions with an open payment there.
    pub open: u64,
}

impl ProviderLine {
    /// The icon of its first method.
    pub fn icon(&self) -> &'static str {
        self.methods.first().map_or("card", |method| method.as_str())
    }

    /// Its display name.
    pub fn title(&self, t: &Words) -> String {
        self.kind.map_or_else(|| self.name.clone(), |kind| setup_name(kind, t))
    }

    /// Its state: `unusable`, `off`, `down`, `failing`, `slow`, `quiet` or `working`.
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

    /// Its calls in the last 24 hours, from all processes.
    pub fn day(&self) -> CallsLine {
        CallsLine::from(&self.activity.day.sum())
    }

    /// The calls of the last 24 hours as a small chart, hour by hour, with those that failed on top.
    pub fn spark(&self) -> Bars {
        let part = |word, value: u64| StackPart {
            word,
            value: i64::try_from(value).unwrap_or(i64::MAX),
            title: String::new(),
        };
        let hours = self.activity.day.hours().into_iter();
        let stacks = hours.map(|(_, counts)| Stack {
            day: String::new(),
            parts: vec![part("calls", counts.answered), part("failed", counts.failures())],
        });
        Bars::new(&stacks.collect::<Vec<_>>(), 1)
    }

    /// The address of the page of its activity.
    pub fn activity_href(&self) -> String {
        format!("/operator/activity/{}/{}", self.environment, self.name)
    }

    /// The CSS class of its colour.
    pub fn class(&self) -> &'static str {
        match self.word() {
            "unusable" | "down" => "failed",
            "failing" | "slow" => "warn",
            "quiet" | "off" => "expired",
            _ => "paid",
        }
    }

    /// The icon of its state.
    pub fn mark(&self) -> &'static str {
        match self.word() {
            "failing" | "slow" => "alert",
            "quiet" | "off" => "off",
            _ => self.class(),
        }
    }
}

/// Calls to a provider in a period.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallsLine {
    pub calls: u64,
    pub answered: u64,
    /// The 95th percentile of the answer times.
    pub p95: Option<Duration>,
}

impl From<&CallCounts> for CallsLine {
    fn from(counts: &CallCounts) -> Self {
        Self { calls: counts.calls, answered: counts.answered, p95: counts.percentile(95) }
    }
}

impl CallsLine {
    /// The share that was answered, in tenths of a percent rounded down, so that one failure is never 100%.
    pub fn share(&self, t: &Words) -> String {
        if self.calls == 0 {
            return t.text("prov-no-calls");
        }
        let tenths = self.answered.saturating_mul(1_000) / self.calls;
        t.with("percent", "number", &t.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }

    /// The share in a sentence about the last 24 hours.
    pub fn share_of_day(&self, t: &Words) -> String {
        t.with("prov-calls-day", "share", &self.share(t))
    }

    /// The 95th percentile of the answer times, as text.
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
        let begin = |kind: &ProviderKind| match kind {
            ProviderKind::Yookassa => {
                Action::other("/operator/providers/yookassa/edit", "setup-begin-yookassa")
            }
            ProviderKind::Tbank => Action::other("/operator/providers/tbank/edit", "setup-begin-tbank"),
            ProviderKind::Stripe => Action::other("/operator/providers/stripe/edit", "setup-begin-stripe"),
            ProviderKind::Evm => Action::other("/operator/providers/evm/edit", "setup-begin-evm"),
        };
        self.can_begin.iter().map(begin).collect()
    }

    template!(write, view: Providers, "operator/providers.html");
}
