//! Phrases about values of the domain: roles, reasons, durations, sizes.

use super::Words;
use std::time::Duration;
use till_domain::{environment::EnvironmentName, method::Method, session::FailureReason, user::Role};

impl Words {
    /// The time since an event: `3 hours ago`.
    pub fn ago(&self, age: &Duration) -> String {
        let seconds = age.as_secs();
        match seconds {
            0..60 => self.text("ago-now"),
            60..3_600 => self.count("ago-minutes", &(seconds / 60)),
            3_600..86_400 => self.count("ago-hours", &(seconds / 3_600)),
            _ => self.count("ago-days", &(seconds / 86_400)),
        }
    }

    /// A duration: `14 ms`, `1.40 s`, `3 min`.
    pub fn span(&self, span: &Duration) -> String {
        match span.as_secs() {
            0 => self.with("span-ms", "ms", &span.subsec_millis().to_string()),
            1..60 => {
                let digits = format!("{}.{:02}", span.as_secs(), span.subsec_millis() / 10);
                self.with("span-seconds", "seconds", &self.number(&digits))
            }
            seconds @ 60..3_600 => self.count("span-minutes", &(seconds / 60)),
            seconds => self.count("span-hours", &(seconds / 3_600)),
        }
    }

    /// A delay that was agreed on, in its largest whole unit: `7 days`, `12 hours`.
    pub fn delay(&self, delay: Duration) -> String {
        let seconds = delay.as_secs();
        match seconds {
            86_400.. if seconds.is_multiple_of(86_400) => self.count("delay-days", &(seconds / 86_400)),
            3_600.. if seconds.is_multiple_of(3_600) => self.count("delay-hours", &(seconds / 3_600)),
            60.. if seconds.is_multiple_of(60) => self.count("delay-minutes", &(seconds / 60)),
            _ => self.count("delay-seconds", &seconds),
        }
    }

    /// A duration in its largest unit, rounded down: `2 days`, `5 hours`.
    pub fn lasting(&self, span: &Duration) -> String {
        let seconds = span.as_secs();
        match seconds {
            86_400.. => self.count("delay-days", &(seconds / 86_400)),
            3_600.. => self.count("delay-hours", &(seconds / 3_600)),
            60.. => self.count("delay-minutes", &(seconds / 60)),
            _ => self.count("delay-seconds", &seconds),
        }
    }

    /// The translated name of an environment.
    pub fn environment(&self, environment: &EnvironmentName) -> String {
        self.text(environment.as_str())
    }

    /// A number of bytes: `12.4 MiB`.
    pub fn bytes(&self, bytes: &u64) -> String {
        let (unit, divisor) = match *bytes {
            0..1_048_576 => ("KiB", 1_024),
            1_048_576..1_073_741_824 => ("MiB", 1_048_576),
            _ => ("GiB", 1_073_741_824),
        };
        let tenths = bytes.saturating_mul(10) / divisor;
        format!("{}\u{a0}{unit}", self.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }

    /// The name of a role.
    pub fn role(&self, role: &Role) -> String {
        self.text(&format!("role-{}", role.as_str().replace('_', "-")))
    }

    /// A description of the rights of a role.
    pub fn role_hint(&self, role: &Role) -> String {
        self.text(&format!("role-{}-hint", role.as_str().replace('_', "-")))
    }

    /// The reason why a payment failed, in a few words.
    pub fn failure(&self, reason: &FailureReason) -> String {
        self.text(&format!("fail-{}", reason.as_str()))
    }

    /// The answer of the vendor's server: an HTTP status, or why there is none.
    pub fn answer(&self, result: &str, status: Option<u16>) -> String {
        status.map_or_else(|| self.text(&format!("answer-{result}")), |status| status.to_string())
    }

    /// The name of an attempt: `First try`, `Retry 2`.
    pub fn try_name(&self, number: &u32) -> String {
        match number {
            0 | 1 => self.text("try-first"),
            number => self.with("try-again-number", "number", &(number - 1).to_string()),
        }
    }

    /// The duration of a request: `140 ms`, `1.92 s`.
    pub fn took(&self, took: Duration) -> String {
        let ms = took.as_millis();
        if ms < 1000 {
            return self.with("took-ms", "ms", &ms.to_string());
        }
        self.with("took-seconds", "seconds", &self.number(&format!("{}.{:02}", ms / 1000, ms % 1000 / 10)))
    }

    /// The names of methods: `Card, SBP`.
    pub fn methods(&self, methods: &[Method]) -> String {
        methods.iter().map(|method| self.text(&format!("method-{method}"))).collect::<Vec<_>>().join(", ")
    }

    /// The time left: `13:48`.
    pub fn left(&self, seconds: &u64) -> String {
        format!("{:02}:{:02}", seconds / 60, seconds % 60)
    }
}
