//! The clock that decides deadlines and tokens. It belongs to the store, because on a shared database all
//! nodes must agree on the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use till_domain::time::Timestamp;

/// Tells the time.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock: right for the embedded store, which has one node.
    System,
    /// Stands still until it is moved. A test says "15 minutes later" with it.
    Manual(Arc<AtomicI64>),
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
                Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
            Self::Manual(ms) => Timestamp::from_ms(ms.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock on.
    pub fn advance(&self, by: Duration) {
        match self {
            Self::System => unreachable!("only a manual clock is moved by hand"),
            Self::Manual(ms) => {
                let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
                ms.fetch_add(by, Ordering::SeqCst);
            }
        }
    }
}
