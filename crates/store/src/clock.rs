//! The clock that decides deadlines and tokens. It belongs to the store, because on a shared database all
//! nodes must agree on the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use till_domain::time::Timestamp;

/// Tells the time.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock: right for the embedded store, which has one node.
    System,
    /// Stands still until it is moved. A test says "15 minutes later" with it.
    Manual(Arc<AtomicI64>),
    /// The clock of the database server, as this node knows it.
    Server(Arc<ServerClock>),
}

impl Clock {
    /// A clock that stands at this moment.
    #[must_use]
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.as_ms())))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Timestamp::from_ms(milliseconds(since))
            }
            Self::Manual(ms) => Timestamp::from_ms(ms.load(Ordering::SeqCst)),
            Self::Server(clock) => clock.now(),
        }
    }

    /// Moves a manual clock on.
    pub fn advance(&self, by: Duration) {
        match self {
            Self::System | Self::Server(_) => unreachable!("only a manual clock is moved by hand"),
            Self::Manual(ms) => {
                ms.fetch_add(milliseconds(by), Ordering::SeqCst);
            }
        }
    }
}

/// Another machine's clock: what it last said, and how long ago that was by a clock that never jumps. The
/// time of day on this machine does not matter.
#[derive(Debug)]
pub struct ServerClock {
    started: Instant,
    /// What to add to the milliseconds since the start.
    offset_ms: AtomicI64,
}

impl ServerClock {
    /// A clock that knows nothing yet.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), offset_ms: AtomicI64::new(0) }
    }

    /// Whether the server has ever said anything.
    pub(crate) fn is_set(&self) -> bool {
        self.offset_ms.load(Ordering::Relaxed) != 0
    }

    fn now(&self) -> Timestamp {
        let since = milliseconds(self.started.elapsed());
        Timestamp::from_ms(since.saturating_add(self.offset_ms.load(Ordering::Relaxed)))
    }

    /// Notes that the server said `told_ms` somewhere between two moments, and gives by how much this moved
    /// the clock.
    pub(crate) fn set(&self, told_ms: i64, asked: Instant, answered: Instant) -> i64 {
        let halfway = asked + answered.duration_since(asked) / 2;
        let offset = told_ms.saturating_sub(milliseconds(halfway.duration_since(self.started)));
        offset.saturating_sub(self.offset_ms.swap(offset, Ordering::Relaxed))
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f7_a_servers_clock_goes_on_from_what_the_server_said() {
        let clock = ServerClock::new();
        let (asked, answered) =
            (clock.started + Duration::from_secs(10), clock.started + Duration::from_secs(12));
        assert_eq!(clock.set(1_000_011_000, asked, answered), 1_000_000_000, "halfway, 11 s after the start");
        let now = Clock::Server(Arc::new(clock)).now().as_ms();
        assert!((1_000_000_000..1_000_060_000).contains(&now), "{now}");
    }
}
