//! How much fails in a run, and how much happens at the same moment.

use std::time::Duration;

/// The conditions of a run. Harsh ones show within some hundred payments what usual ones show once in many thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    Usual,
    Harsh,
}

impl Conditions {
    fn choose<T>(self, usual: T, harsh: T) -> T {
        match self {
            Self::Usual => usual,
            Self::Harsh => harsh,
        }
    }

    /// In how many rounds all orders come.
    pub fn ordering(self) -> usize {
        self.choose(1_000, 100)
    }

    /// How long payments are followed after the last order came. What is open then, such as a coin that no block has, is left
    /// to the time in which nothing fails.
    pub fn patience(self) -> Duration {
        Duration::from_secs(60 * self.choose(15, 12))
    }

    /// In how many rounds the power fails about once: at any moment, and as often within a write.
    pub fn power_fails(self) -> u64 {
        self.choose(700, 80)
    }

    /// In how many rounds a node dies about once.
    pub fn node_dies(self) -> u64 {
        self.choose(200, 40)
    }

    /// In how many rounds a node stops for some time, as a process does that is suspended.
    pub fn node_stops(self) -> Option<u64> {
        self.choose(None, Some(30))
    }

    /// In how many rounds the clock jumps about once.
    pub fn clock_jumps(self) -> u64 {
        self.choose(300, 60)
    }

    /// In how many rounds the staff act about once.
    pub fn staff_act(self) -> u64 {
        self.choose(8, 2)
    }

    /// One payment in this many is long: its customer hesitates or changes the method, its vendor asks again and again, and
    /// its money has a story after its end.
    pub fn long_ones(self) -> u64 {
        self.choose(4, 1)
    }

    /// One request in this many is sent twice at the same moment.
    pub fn twins(self) -> u64 {
        self.choose(12, 2)
    }

    /// One paid session in this many is refunded, and one of these refunds is requested twice.
    pub fn refunds(self) -> u64 {
        self.choose(3, 1)
    }

    /// Five messages in this many go wrong.
    pub fn messages(self) -> u64 {
        self.choose(40, 12)
    }
}
