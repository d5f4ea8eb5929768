//! The nodes: processes that serve. Each writes a heartbeat from time to time, so that operators see which
//! nodes are running.

use crate::{
    accounts::Accounts,
    engine::{
        Engine,
        clock::{AGREES_WITHIN_MS, RecordedTime},
        error::StoreError,
        node::NodeId,
        sql::{Row, Sql, Statement, statements},
    },
};
use std::time::Duration;
use till_domain::time::Timestamp;

/// How long a node stays listed after its last heartbeat.
const KEPT_FOR: Duration = Duration::from_secs(86_400);

/// A node that serves, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNode {
    /// Its id, drawn when it started.
    pub id: NodeId,
    pub version: String,
    pub listens: String,
    pub started_at: Timestamp,
    /// The time of its last heartbeat.
    pub seen_at: Timestamp,
    /// When it announced that it stops.
    pub stopped_at: Option<Timestamp>,
    /// The names of the master keys that it knows, the one in use first; none from a version that did not state them.
    pub keys: Vec<String>,
}

statements! {
    // A node that was taken for gone and pruned is listed again with its next heartbeat.
    static HEARTBEAT = Sql::new(
        "INSERT INTO nodes (id, version, listens, started_at, seen_at, clock_ahead_ms, keys)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (id) DO UPDATE SET seen_at = $5, clock_ahead_ms = $6, keys = $7",
    );
    static STOP = Sql::new("UPDATE nodes SET seen_at = $2, stopped_at = $2 WHERE id = $1");
    static FORGET = Sql::new("DELETE FROM nodes WHERE seen_at < $1");
    static NODES = Sql::new(
        "SELECT id, version, listens, started_at, seen_at, stopped_at, keys FROM nodes ORDER BY started_at DESC, id",
    );
    static NEWEST = Sql::new("SELECT seen_at, clock_ahead_ms FROM nodes ORDER BY seen_at DESC LIMIT 1");
    static NEWEST_AGREEING = Sql::new(
        "SELECT MAX(seen_at) FROM nodes WHERE id <> $1 AND clock_ahead_ms BETWEEN $2 AND $3 AND stopped_at IS NULL",
    );
}

/// The time and clock deviation in the most recent heartbeat of any node.
pub(crate) async fn left(engine: &Engine) -> Result<Option<RecordedTime>, StoreError> {
    let row = engine.read(&NEWEST, vec![]).await?.into_iter().next();
    let left = |mut row: Row| {
        let (time, ahead) = (row.int()?.saturating_mul(1_000), row.int()?.saturating_mul(1_000));
        Ok(RecordedTime { time, ahead })
    };
    row.map(left).transpose()
}

impl Accounts {
    /// Writes the heartbeat of a node, and prunes nodes that have long been gone.
    pub async fn record_heartbeat(
        &self,
        node: NodeId,
        (version, listens): (&str, &str),
        started_at: Timestamp,
        keys: &[&str],
    ) -> Result<(), StoreError> {
        let now = self.now();
        let params = vec![
            (&node.0).into(),
            version.into(),
            listens.into(),
            started_at.into(),
            now.into(),
            self.clock().status().ahead_ms.into(),
            keys.join(" ").into(),
        ];
        let heartbeat = Statement { sql: &HEARTBEAT, params, guarded: false };
        let forget = Statement { sql: &FORGET, params: vec![now.minus(KEPT_FOR).into()], guarded: false };
        self.engine.write(vec![heartbeat, forget]).await.map(drop)
    }

    /// Compares this node's clock with the heartbeats of nodes that agree with the reference, if it is behind
    /// the reference.
    pub async fn compare_clock(&self, node: NodeId) -> Result<(), StoreError> {
        if self.clock().status().ahead_ms >= -AGREES_WITHIN_MS {
            return Ok(());
        }
        let params = vec![(&node.0).into(), (-AGREES_WITHIN_MS).into(), AGREES_WITHIN_MS.into()];
        for mut row in self.engine.read(&NEWEST_AGREEING, params).await? {
            if let Some(written) = row.opt_time()? {
                self.clock().compare(written);
            }
        }
        Ok(())
    }

    /// Records that a node stops.
    pub async fn stop_node(&self, node: NodeId) -> Result<(), StoreError> {
        let params = vec![(&node.0).into(), self.now().into()];
        self.engine.write(vec![Statement { sql: &STOP, params, guarded: false }]).await.map(drop)
    }

    /// The nodes that serve or did lately, newest first.
    pub async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        self.engine.read(&NODES, vec![]).await?.into_iter().map(read_node).collect()
    }
}

fn read_node(mut row: Row) -> Result<StoredNode, StoreError> {
    Ok(StoredNode {
        id: NodeId(row.array()?),
        version: row.text()?,
        listens: row.text()?,
        started_at: row.time()?,
        seen_at: row.time()?,
        stopped_at: row.opt_time()?,
        keys: row.opt_text()?.iter().flat_map(|keys| keys.split_whitespace()).map(str::to_owned).collect(),
    })
}
