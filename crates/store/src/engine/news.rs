//! The word from node to node that a session has changed.

use till_domain::id::SessionId;
use tokio::sync::mpsc;

/// Both ends of the news: what this node tells the others, and what it hears from them.
#[derive(Debug)]
pub struct News {
    /// Tells the others of a change. Who finds it full has told enough.
    pub announce: mpsc::Sender<SessionId>,
    /// What the others tell.
    pub heard: mpsc::Receiver<Heard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// This session has changed.
    Changed(SessionId),
    /// Nobody listened for a while.
    AnythingMayHaveChanged,
}
