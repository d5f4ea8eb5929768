//! The size of a schema and the row counts of its large tables, as the server estimates them.

use super::Postgres;
use crate::engine::{
    error::StoreError,
    size::{LARGE, Rows, StoreSize, TableSize},
    sql::Sql,
};

// `reltuples` is the server's estimate from its last maintenance of the table; -1 means that there was none.
static SIZES: Sql = Sql::new(
    "SELECT CAST(relname AS TEXT), CAST(reltuples AS BIGINT), CAST(pg_total_relation_size(oid) AS BIGINT)
     FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
);

impl Postgres {
    /// The names of its tables.
    pub(crate) async fn tables(&self) -> Result<Vec<String>, StoreError> {
        self.scan(&SIZES, &[]).await?.into_iter().map(|mut row| row.text()).collect()
    }

    pub(crate) async fn size(&self) -> Result<StoreSize, StoreError> {
        let (mut bytes, mut found) = (0_u64, Vec::new());
        for mut row in self.scan(&SIZES, &[]).await? {
            let (name, rows, size) = (row.text()?, row.int()?, row.int()?);
            bytes = bytes.saturating_add(u64::try_from(size).unwrap_or(0));
            found.push(TableSize { name, rows: u64::try_from(rows).map_or(Rows::Unknown, Rows::About) });
        }
        let large = LARGE.iter().filter_map(|name| found.iter().find(|table| table.name == *name));
        Ok(StoreSize { bytes, tables: large.cloned().collect() })
    }
}
