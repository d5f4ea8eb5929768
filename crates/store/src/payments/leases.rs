//! Leases: work that one node at a time does, for as long as it renews its lease.
//!
//! A lease expires by itself, so a node that dies is replaced within its length. A node that was frozen
//! longer than that does not know that it was replaced, but its fencing token is outdated, and a commit that
//! begins with [`Change::HoldLease`](till_domain::change::Change::HoldLease) is refused.

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        node::NodeId,
        sql::{Sql, Statement, Value, statements},
    },
    payments::Payments,
};
use std::time::Duration;
use till_domain::time::Timestamp;

/// A lease: the right to do some work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub name: &'static str,
    /// Fencing token: higher for each holder than for the one before.
    pub fence: i64,
    /// When another node may take it.
    pub ends_at: Timestamp,
}

statements! {
    static LEASE = Sql::new("SELECT holder, fence, ends_at FROM leases WHERE name = $1");
    static TAKE_FIRST = Sql::new(
        "INSERT INTO leases (name, holder, fence, ends_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
    );
    // Compare-and-set of the fencing token: of two nodes that try at once, one takes the lease.
    static TAKE =
        Sql::new("UPDATE leases SET holder = $2, fence = $3, ends_at = $4 WHERE name = $1 AND fence = $5");
    static EXTEND =
        Sql::new("UPDATE leases SET ends_at = $4 WHERE name = $1 AND holder = $2 AND fence = $3");
    // Free for every clock, also one that is behind.
    static GIVE_BACK = Sql::new("UPDATE leases SET ends_at = 0 WHERE name = $1 AND fence = $2");
    static RELEASE = Sql::new("UPDATE leases SET ends_at = $2 WHERE holder = $1 AND ends_at > $2");
}

impl Payments {
    /// Takes a lease that is free or has ended, or extends one that this node holds. `None` if another node
    /// holds it. While a step forward of the clock settles, leases of other nodes only seem to have ended,
    /// and are not taken.
    pub async fn claim(
        &self,
        name: &'static str,
        node: NodeId,
        length: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        let now = self.now();
        let ends_at = now.plus(length);
        let row = self.engine.read(&LEASE, vec![name.into()]).await?.into_iter().next();
        let (sql, fence, before) = match row {
            None => (&TAKE_FIRST, 1, None),
            Some(mut row) => {
                let (holder, fence, ended) = (NodeId(row.array()?), row.int()?, row.time()? <= now);
                match (ended, holder == node) {
                    (false, true) => (&EXTEND, fence, None),
                    (false, false) => return Ok(None),
                    (true, false) if self.clock().is_settling() => return Ok(None),
                    (true, _) => (&TAKE, fence.saturating_add(1), Some(fence)),
                }
            }
        };
        let mut params: Vec<Value> = vec![name.into(), (&node.0).into(), fence.into(), ends_at.into()];
        params.extend(before.map(Value::from));
        let written = self.engine.write(vec![Statement { sql, params, guarded: true }]).await?;
        Ok((written == WriteOutcome::Done).then_some(Lease { name, fence, ends_at }))
    }

    /// Ends a lease whose work is done, so that another process need not wait for its end.
    pub async fn give_back(&self, lease: &Lease) -> Result<(), StoreError> {
        let params = vec![lease.name.into(), lease.fence.into()];
        self.engine.write(vec![Statement { sql: &GIVE_BACK, params, guarded: false }]).await.map(drop)
    }

    /// Releases every lease of a node that stops, so that the others need not wait for its end.
    pub async fn release(&self, node: NodeId) -> Result<(), StoreError> {
        let params = vec![(&node.0).into(), self.now().into()];
        self.engine.write(vec![Statement { sql: &RELEASE, params, guarded: false }]).await.map(drop)
    }
}
