//! Announcements between nodes that a session has changed, by PostgreSQL's LISTEN and NOTIFY.
//!
//! An announcement is a hint and carries only ids; the receiver reads the sessions itself. None is missed
//! while the connection holds, unless a queue is full. After the connection broke, the receiver learns that
//! anything may have changed.

use super::connection::{Connection, Connector, describe};
use crate::engine::news::{Announcement, News};
use std::time::Duration;
use till_domain::id::SessionId;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};

/// Ids per notification: the server takes 8,000 bytes.
const AT_ONCE: usize = 200;

/// Announcements that may wait; more are dropped, and the receivers find those changes a little later.
const WAITING: usize = 8192;

/// How often the connection is checked, so that a dead one is noticed.
const TRY_EVERY: Duration = Duration::from_secs(5);

/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The delay before a lost connection is made again.
const AFTER_ERROR: Duration = Duration::from_millis(500);

/// Starts to announce and to listen. It ends when either end of the [`News`] is dropped.
pub(super) fn start(mut connector: Connector, channel: &'static str, node: [u8; 4]) -> News {
    let (announce, announced) = mpsc::channel(WAITING);
    let (tell, heard) = mpsc::channel(WAITING);
    let (raw_in, raw) = mpsc::unbounded_channel();
    connector.forward_notifications(raw_in);
    let node = hex(&node);
    tokio::spawn(Exchange { connector, channel, node, announced, tell, raw, pending: Vec::new() }.run());
    News { announce, heard }
}

struct Exchange {
    connector: Connector,
    channel: &'static str,
    /// The prefix of this node's own announcements.
    node: String,
    announced: mpsc::Receiver<SessionId>,
    tell: mpsc::Sender<Announcement>,
    raw: mpsc::UnboundedReceiver<String>,
    pending: Vec<SessionId>,
}

impl Exchange {
    async fn run(mut self) {
        while !self.tell.is_closed() {
            let connected = match self.connector.connect().await {
                Ok(connection) => match connection.run(&format!("LISTEN {}", self.channel)).await {
                    Ok(()) => Some(connection),
                    Err(_) => None,
                },
                Err(_) => None,
            };
            if let Some(connection) = connected {
                // Announcements from before this connection were not received.
                let _ = self.tell.try_send(Announcement::AnythingMayHaveChanged);
                self.exchange(&connection).await;
            }
            if self.announced.is_closed() {
                return;
            }
            sleep(AFTER_ERROR).await;
        }
    }

    /// Sends and receives until the connection ends.
    async fn exchange(&mut self, connection: &Connection) {
        let mut try_at = Instant::now() + TRY_EVERY;
        // Announcements that an earlier connection could not send.
        if !self.send(connection).await {
            return;
        }
        loop {
            tokio::select! {
                count = self.announced.recv_many(&mut self.pending, AT_ONCE) => {
                    if count == 0 || !self.send(connection).await { return }
                }
                Some(payload) = self.raw.recv() => self.hear(&payload),
                () = connection.ended() => return,
                () = tokio::time::sleep_until(try_at) => {
                    let answer = timeout(ANSWER_WITHIN, connection.ask_number("SELECT CAST(1 AS BIGINT)")).await;
                    if !matches!(answer, Ok(Ok(_))) { return }
                    try_at = Instant::now() + TRY_EVERY;
                }
            }
        }
    }

    /// Sends the pending announcements. They stay pending if that fails.
    async fn send(&mut self, connection: &Connection) -> bool {
        if self.pending.is_empty() {
            return true;
        }
        let words: String = self.pending.iter().map(|id| hex(id.as_bytes())).collect();
        let payload = format!("{}{words}", self.node);
        match timeout(ANSWER_WITHIN, connection.notify(self.channel, &payload)).await {
            Ok(Ok(())) => {
                self.pending.clear();
                true
            }
            Ok(Err(error)) => {
                tracing::debug!(error = describe(&error), "could not notify other nodes of a change");
                false
            }
            Err(_) => false,
        }
    }

    fn hear(&self, payload: &str) {
        let Some((node, words)) = payload.split_at_checked(self.node.len()) else { return };
        if node == self.node {
            return;
        }
        for word in words.as_bytes().chunks_exact(32) {
            if let Some(id) = read(word) {
                // A receiver that cannot keep up gets fewer announcements, and reads less often.
                let _ = self.tell.try_send(Announcement::Changed(id));
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(word: &[u8]) -> Option<SessionId> {
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(word.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(SessionId::from_bytes(bytes))
}
