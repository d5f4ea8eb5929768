//! The checkout pages open on this node, and their notifications of changes.
//!
//! A page is notified once for any number of changes, and then reads the session itself. Nothing is kept for
//! a session without an open page.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use till_domain::{change::Change, id::SessionId};
use till_store::Announcement;
use tokio::sync::{mpsc, watch};

/// The open pages of one environment.
#[derive(Debug, Clone, Default)]
pub struct OpenPages(Arc<Mutex<HashMap<SessionId, WatchedSession>>>);

#[derive(Debug)]
struct WatchedSession {
    pages: usize,
    changed: watch::Sender<()>,
}

/// One open page. Dropping the last page of a session removes its entry.
#[derive(Debug)]
pub struct OpenPage {
    pages: OpenPages,
    session: SessionId,
    changed: watch::Receiver<()>,
}

impl OpenPages {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, WatchedSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a page of a session.
    #[must_use]
    pub fn open(&self, session: SessionId) -> OpenPage {
        let mut open = self.lock();
        let watched = open
            .entry(session)
            .or_insert_with(|| WatchedSession { pages: 0, changed: watch::Sender::new(()) });
        watched.pages += 1;
        OpenPage { pages: self.clone(), session, changed: watched.changed.subscribe() }
    }

    /// Notifies the pages of a session that something has changed.
    pub fn tell(&self, session: SessionId) {
        if let Some(watched) = self.lock().get(&session) {
            watched.changed.send_replace(());
        }
    }

    pub fn tell_all(&self) {
        for watched in self.lock().values() {
            watched.changed.send_replace(());
        }
    }

    /// Passes on the notifications of other nodes, until their channel closes.
    pub async fn follow(self, mut heard: mpsc::Receiver<Announcement>) {
        while let Some(word) = heard.recv().await {
            match word {
                Announcement::Changed(session) => self.tell(session),
                Announcement::AnythingMayHaveChanged => self.tell_all(),
            }
        }
    }

    /// The number of open pages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().values().map(|watched| watched.pages).sum()
    }
}

impl OpenPage {
    /// Waits until something has changed.
    pub async fn changed(&mut self) {
        // The sender lives as long as this page.
        let _ = self.changed.changed().await;
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let mut open = self.pages.lock();
        if let Some(watched) = open.get_mut(&self.session) {
            watched.pages -= 1;
            if watched.pages == 0 {
                open.remove(&self.session);
            }
        }
    }
}

/// The session whose pages look different after this change.
#[must_use]
pub fn seen_by(change: &Change) -> Option<SessionId> {
    match change {
        Change::FinishSession { id, .. } | Change::ChooseMethod { id, .. } => Some(*id),
        Change::MoveAttempt { attempt, news: true, .. } => Some(attempt.session),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::time::Timestamp;

    #[tokio::test]
    async fn a_page_is_told_and_leaves_nothing_behind() {
        let pages = OpenPages::default();
        let id = SessionId::new(Timestamp::from_ms(1), &[1; 10]);
        let other = SessionId::new(Timestamp::from_ms(1), &[2; 10]);
        let mut one = pages.open(id);
        let two = pages.open(id);
        pages.tell(other);
        assert!(!one.changed.has_changed().expect("open"));
        pages.tell(id);
        pages.tell(id);
        one.changed().await;
        assert!(!one.changed.has_changed().expect("open"), "two changes are one word");
        assert_eq!(pages.count(), 2);
        drop((one, two));
        assert!(pages.lock().is_empty());
    }
}
