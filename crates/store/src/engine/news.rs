//! Announcements between nodes that a session has changed.

use till_domain::id::SessionId;
use tokio::sync::mpsc;

/// Both ends of the announcements: what this node sends, and what it receives.
#[derive(Debug)]
pub struct News {
    /// Announces a change to the other nodes. When this channel is full, an announcement may be dropped.
    pub announce: mpsc::Sender<SessionId>,
    /// The announcements of other nodes.
    pub heard: mpsc::Receiver<Announcement>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announcement {
    /// This session has changed.
    Changed(SessionId),
    /// This node did not receive announcements for a while.
    AnythingMayHaveChanged,
}
