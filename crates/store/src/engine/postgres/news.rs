//! The word from node to node that a session has changed, over the server's own notifications.
//!
//! It is a hint and carries nothing but ids; whoever hears it reads for itself. While the connection holds,
//! nothing is missed. When it broke, the listeners are told that anything may have changed.

use super::connection::{Connection, Connector, describe};
use crate::engine::news::{Heard, News};
use std::time::Duration;
use till_domain::id::SessionId;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};

/// Ids in one notification: the server takes 8,000 bytes.
const AT_ONCE: usize = 200;

/// Words that may wait; more are lost, and whoever waits for them looks a little later.
const WAITING: usize = 8192;

/// How often the connection is tried, so that one that is dead is noticed.
const TRY_EVERY: Duration = Duration::from_secs(5);

/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// How soon a lost connection is made again.
const AFTER_ERROR: Duration = Duration::from_millis(500);

/// Starts to tell and to listen. It ends when either end of the news is dropped.
pub(super) fn start(mut connector: Connector, channel: &'static str, node: [u8; 4]) -> News {
    let (announce, announced) = mpsc::channel(WAITING);
    let (tell, heard) = mpsc::channel(WAITING);
    let (raw_in, raw) = mpsc::unbounded_channel();
    connector.forward_notifications(raw_in);
    let node = hex(&node);
    tokio::spawn(Exchange { connector, channel, node, announced, tell, raw, untold: Vec::new() }.run());
    News { announce, heard }
}

struct Exchange {
    connector: Connector,
    channel: &'static str,
    /// What our own words begin with.
    node: String,
    announced: mpsc::Receiver<SessionId>,
    tell: mpsc::Sender<Heard>,
    raw: mpsc::UnboundedReceiver<String>,
    untold: Vec<SessionId>,
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
                // What happened before this connection was heard by nobody.
                let _ = self.tell.try_send(Heard::AnythingMayHaveChanged);
                self.exchange(&connection).await;
            }
            if self.announced.is_closed() {
                return;
            }
            sleep(AFTER_ERROR).await;
        }
    }

    /// Until the connection ends.
    async fn exchange(&mut self, connection: &Connection) {
        let mut try_at = Instant::now() + TRY_EVERY;
        // What an earlier connection could not tell.
        if !self.send(connection).await {
            return;
        }
        loop {
            tokio::select! {
                count = self.announced.recv_many(&mut self.untold, AT_ONCE) => {
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

    /// Tells what is untold. It stays so if that fails.
    async fn send(&mut self, connection: &Connection) -> bool {
        if self.untold.is_empty() {
            return true;
        }
        let words: String = self.untold.iter().map(|id| hex(id.as_bytes())).collect();
        let payload = format!("{}{words}", self.node);
        match timeout(ANSWER_WITHIN, connection.notify(self.channel, &payload)).await {
            Ok(Ok(())) => {
                self.untold.clear();
                true
            }
            Ok(Err(error)) => {
                tracing::debug!(error = describe(&error), "other nodes could not be told of a change");
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
                // Who cannot keep up is told less, and asks less often.
                let _ = self.tell.try_send(Heard::Changed(id));
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
