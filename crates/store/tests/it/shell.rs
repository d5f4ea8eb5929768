//! A database shell on either engine.

use rusqlite::{Connection, types::Value};
use till_testing::cluster::Cluster;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

pub enum Shell {
    Embedded(Connection),
    Postgres(Client),
}

impl Shell {
    /// A shell on one schema of a server.
    pub async fn connect(cluster: &Cluster, schema: &str) -> Self {
        Self::connect_to(cluster, 5432, schema).await
    }

    /// The same, on a server with a port of its own.
    pub async fn connect_to(cluster: &Cluster, port: u16, schema: &str) -> Self {
        let url = format!("postgres://till@{}:{port}/postgres", cluster.host());
        let (client, driver) = tokio_postgres::connect(&url, NoTls).await.expect("a connection");
        tokio::spawn(driver);
        client.batch_execute(&format!("SET search_path = {schema}")).await.expect("a schema");
        Self::Postgres(client)
    }

    /// Runs a statement with `x'00'` for bytes, and returns the number of changed rows, or the error.
    pub async fn run(&self, statement: &str) -> Result<u64, String> {
        match self {
            Self::Embedded(connection) => connection
                .execute(statement, [])
                .map(|rows| u64::try_from(rows).expect("a number of rows"))
                .map_err(|error| error.to_string()),
            Self::Postgres(client) => {
                let answer = client.execute(&with_bytea(statement), &[]).await;
                answer.map_err(|error| error.as_db_error().map_or(error.to_string(), ToString::to_string))
            }
        }
    }

    /// Runs statements in one transaction, and returns the error if it failed.
    pub async fn transact(&self, statements: &[String]) -> Result<(), String> {
        let mut done = self.run("BEGIN").await.map(drop);
        for statement in statements {
            if done.is_ok() {
                done = self.run(statement).await.map(drop);
            }
        }
        if done.is_ok() {
            done = self.run("COMMIT").await.map(drop);
        }
        if done.is_err() {
            // A refused commit may have ended the transaction already.
            let _ = self.run("ROLLBACK").await;
        }
        done
    }

    /// Every row of a table, as text.
    pub async fn rows(&self, table: &str) -> Vec<Vec<String>> {
        match self {
            Self::Embedded(connection) => {
                let mut statement =
                    connection.prepare(&format!("SELECT * FROM {table}")).expect("a statement");
                let width = statement.column_count();
                let rows = statement.query_map([], |row| {
                    (0..width).map(|column| row.get(column).map(|v: Value| format!("{v:?}"))).collect()
                });
                rows.expect("a query").collect::<Result<_, _>>().expect("rows")
            }
            Self::Postgres(client) => {
                let rows = client.simple_query(&format!("SELECT * FROM {table} ORDER BY 1, 2")).await;
                let mut found = Vec::new();
                for message in rows.expect("a query") {
                    if let SimpleQueryMessage::Row(row) = message {
                        found.push((0..row.len()).map(|i| format!("{:?}", row.get(i))).collect());
                    }
                }
                found
            }
        }
    }

    pub async fn columns(&self, table: &str) -> Vec<String> {
        let text = format!("SELECT * FROM {table}");
        match self {
            Self::Embedded(connection) => {
                let statement = connection.prepare(&text).expect("a statement");
                statement.column_names().map(str::to_owned).collect()
            }
            Self::Postgres(client) => {
                let statement = client.prepare(&text).await.expect("a statement");
                statement.columns().iter().map(|column| column.name().to_owned()).collect()
            }
        }
    }

    pub fn is_embedded(&self) -> bool {
        matches!(self, Self::Embedded(_))
    }
}

/// Bytes as a literal.
pub fn bytes(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{hex}'")
}

/// `x'00'` in PostgreSQL's notation.
fn with_bytea(statement: &str) -> String {
    let mut parts = statement.split("x'");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hex, rest) = part.split_once('\'').expect("a closed literal");
        text.push_str(&format!("'\\x{hex}'::bytea{rest}"));
    }
    text
}
