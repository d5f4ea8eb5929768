//! Inspects whole queues for operators: how many rows can be served, and which cannot be read. `due.rs`
//! describes how queues are read; the rows that workers skip are named here, for `/metrics`, `till doctor`
//! and `till verify`.

use super::{
    Engine,
    due::{Queue, Reader, Unreadable},
    error::StoreError,
    sql::{Row, Value},
};

/// The result of inspecting a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueInspection {
    /// Rows that can be served.
    pub readable: u64,
    /// Rows that cannot be read.
    pub unreadable: Unreadable,
}

/// Inspects queues, up to `limit` readable items of each.
pub(crate) struct Inspector<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) limit: u32,
}

impl Inspector<'_> {
    pub(crate) async fn look<T>(
        &self,
        queue: &Queue,
        params: Vec<Value>,
        read: impl Fn(Vec<Row>) -> Result<T, StoreError>,
    ) -> Result<QueueInspection, StoreError> {
        let mut readable = 0_u64;
        let count = |rows| {
            read(rows)?;
            readable += 1;
            Ok(())
        };
        let unreadable = queue.walk(self.engine, Reader::Operator, params, self.limit, count).await?;
        Ok(QueueInspection { readable, unreadable })
    }
}
