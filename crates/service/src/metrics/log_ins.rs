//! Metrics of log-ins to the panel: by device and result, and their wait in the queue for password hashes.

use super::Metrics;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

/// The result of a log-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogIn {
    /// The password was right.
    Right,
    /// The password was wrong, or there is no such user.
    Wrong,
    /// The queue for password hashes was full.
    TurnedAway,
}

#[derive(Debug)]
pub(super) struct LogIns {
    count: Family<Labels, Counter>,
    waited: Family<Labels, Histogram>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    device: &'static str,
    result: &'static str,
}

impl Labels {
    fn new(known_device: bool, result: LogIn) -> Self {
        let result = match result {
            LogIn::Right => "right",
            LogIn::Wrong => "wrong",
            LogIn::TurnedAway => "turned_away",
        };
        Self { device: if known_device { "known" } else { "new" }, result }
    }
}

impl LogIns {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let count = Family::default();
        let help = "Login attempts with a password, by whether the device has logged in to the account \
            before";
        registry.register("log_ins", help, count.clone());
        let waited: Family<Labels, Histogram> =
            Family::new_with_constructor(|| Histogram::new([0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]));
        let help = "Password hashes of other logins that a login waited for";
        registry.register("log_in_waited_hashes", help, waited.clone());
        Self { count, waited }
    }
}

impl Metrics {
    pub fn count_log_in(&self, known_device: bool, result: LogIn) {
        self.log_ins.count.get_or_create(&Labels::new(known_device, result)).inc();
    }

    /// Records how many other hashes a log-in waited for.
    pub fn observe_log_in_wait(&self, known_device: bool, result: LogIn, hashes: u64) {
        self.log_ins
            .waited
            .get_or_create(&Labels::new(known_device, result))
            .observe(u32::try_from(hashes).unwrap_or(u32::MAX).into());
    }
}
