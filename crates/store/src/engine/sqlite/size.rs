//! The size of a file and the row counts of its large tables. Counting a table stops at [`COUNTED`].

use super::Sqlite;
use crate::engine::{
    error::StoreError,
    size::{LARGE, Rows, StoreSize, TableSize, large_tables},
    sql::Sql,
};
use std::path::Path;

/// The maximum number of rows that are counted; a larger table is reported as having more than this.
const COUNTED: u64 = 100_000;

static TABLES: Sql = Sql::new("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");

macro_rules! rows_of {
    ($($table:literal,)*) => {
        [$(($table, Sql::new(concat!("SELECT COUNT(*) FROM (SELECT 1 FROM ", $table, " LIMIT 100001)")))),*]
    };
}

static COUNTS: [(&str, Sql); LARGE.len()] = large_tables!(rows_of);

impl Sqlite {
    /// The names of its tables.
    pub(crate) async fn tables(&self) -> Result<Vec<String>, StoreError> {
        self.scan(&TABLES, vec![]).await?.into_iter().map(|mut row| row.text()).collect()
    }

    pub(crate) async fn size(&self) -> Result<StoreSize, StoreError> {
        let path = self.readers.path.clone();
        // Recent commits are in the write-ahead log beside the file.
        let log = path.with_extension("db-wal");
        let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        let bytes = bytes(&path) + bytes(&log);
        let there = self.tables().await?;
        let mut tables = Vec::new();
        for (name, sql) in COUNTS.iter().filter(|(name, _)| there.iter().any(|table| table == name)) {
            let rows = self.scan(sql, vec![]).await?;
            let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
            let count = u64::try_from(count).unwrap_or(0);
            let rows = if count > COUNTED { Rows::MoreThan(COUNTED) } else { Rows::Exactly(count) };
            tables.push(TableSize { name: (*name).to_owned(), rows });
        }
        Ok(StoreSize { bytes, tables })
    }
}
