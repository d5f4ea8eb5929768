//! Records when customers open a session's page and when they leave for the shop, for the vendor to see. The
//! customer does not wait for the write, and a lost one changes nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::{change::VisitKind, id::SessionId, session::Session, visit};
use till_service::{environment::Environment, telemetry::explain};

/// Shortest interval between two records of the same visit.
const NOTE_EVERY: Duration = Duration::from_secs(60);

/// Upper bound of entries in memory.
const MOST: usize = 10_000;

/// The visits that were recorded lately.
#[derive(Debug, Default)]
pub struct Visits {
    noted: Mutex<HashMap<(SessionId, VisitKind), Instant>>,
}

impl Visits {
    /// Records a visit, unless the session is long over or the same was recorded within the last minute.
    pub(super) fn note(&self, environment: &Arc<Environment>, session: &Session, kind: VisitKind) {
        let Some(note) = visit::note(session, kind, environment.now()) else { return };
        if !self.is_new(session.id, kind, Instant::now()) {
            return;
        }
        let (environment, session) = (Arc::clone(environment), session.id);
        tokio::spawn(async move {
            if let Err(error) = environment.store.commit(&[note]).await {
                tracing::debug!(%session, error = explain(&error), "a visit was not noted");
            }
        });
    }

    /// Whether the customer of this session returned to the shop lately, as far as this process knows.
    pub(super) fn has_returned(&self, session: SessionId) -> bool {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.contains_key(&(session, VisitKind::Returned))
    }

    fn is_new(&self, session: SessionId, kind: VisitKind, now: Instant) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(&(session, kind)).is_some_and(|before| now.duration_since(*before) < NOTE_EVERY) {
            return false;
        }
        if noted.len() >= MOST {
            noted.retain(|_, before| now.duration_since(*before) < NOTE_EVERY);
        }
        if noted.len() >= MOST {
            noted.clear();
        }
        noted.insert((session, kind), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::time::Timestamp;

    #[test]
    fn a_look_is_noted_once_a_minute_and_what_is_remembered_is_bounded() {
        let visits = Visits::default();
        let id = |number: u8| SessionId::new(Timestamp::from_ms(i64::from(number)), &[number; 10]);
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(visits.is_new(id(1), VisitKind::Opened, start));
        assert!(!visits.is_new(id(1), VisitKind::Opened, after(59)));
        assert!(visits.is_new(id(1), VisitKind::Returned, after(59)));
        assert!(visits.is_new(id(2), VisitKind::Opened, after(59)));
        assert!(visits.is_new(id(1), VisitKind::Opened, after(60)));
        for number in 0..(MOST + 10) {
            let id = SessionId::new(Timestamp::from_ms(i64::try_from(number).unwrap_or(0)), &[3; 10]);
            visits.is_new(id, VisitKind::Opened, after(61));
        }
        assert!(visits.noted.lock().is_ok_and(|noted| noted.len() <= MOST));
    }
}
