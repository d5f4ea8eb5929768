//! Tests that a schema also serves the version before it: while nodes are upgraded one after the other, those
//! of the old version work on the schema that the first new node made.
//!
//! `previous/` holds the statements of the last release, one file for each database. `UPDATE_PREVIOUS=1 cargo
//! test -p till-store previous_` writes them anew; that is a part of every release, and of nothing else.

use super::prepare::{ACCOUNTS, LIVE, PAYMENTS};
use crate::engine::{
    migrate::{Role, Schema},
    postgres::{self, Connector, DatabaseUrl, SessionSetup},
    sql::Sql,
    sqlite,
};
use rusqlite::Connection;
use std::{fs, path::PathBuf};

/// The separator between two statements of a file.
const SEPARATOR: &str = "\n;\n";

/// The databases, each with its file and the lists of its statements today.
const FILES: [(Role, &str, &[&[&Sql]]); 3] = [
    (Role::Accounts, "accounts.sql", ACCOUNTS),
    (Role::Sandbox, "payments.sql", PAYMENTS),
    (Role::Live, "live.sql", LIVE),
];

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("previous").join(file)
}

/// The statements of the previous version for a database.
fn previous(file: &str) -> Vec<Sql> {
    let text = fs::read_to_string(path(file)).expect("the statements of the previous version");
    let statements = text.split(SEPARATOR).map(str::trim).filter(|text| !text.is_empty());
    // Statements are static everywhere else; this test keeps those that it reads from a file until it ends.
    statements.map(|text| Sql::new(Box::leak(text.to_owned().into_boxed_str()))).collect()
}

fn database(role: Role) -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    sqlite::migrate::migrate(&mut connection, ":memory:".as_ref(), &Schema::of(role)).expect("a schema");
    connection
}

/// The table and the columns of an `INSERT`.
fn inserted(text: &str) -> Option<(&str, Vec<&str>)> {
    let (table, rest) = text.trim_start().strip_prefix("INSERT INTO ")?.split_once('(')?;
    let (columns, _) = rest.split_once(')')?;
    Some((table.trim(), columns.split(',').map(str::trim).collect()))
}

/// The columns of a table that every insert has to fill.
fn required(connection: &Connection, table: &str) -> Vec<String> {
    let query = "SELECT name FROM pragma_table_info(?1) WHERE \"notnull\" AND dflt_value IS NULL";
    let mut statement = connection.prepare(query).expect("a statement");
    let names = statement.query_map([table], |row| row.get(0)).expect("a query");
    names.collect::<Result<_, _>>().expect("names")
}

#[test]
fn previous_statements_are_written_on_request() {
    if std::env::var_os("UPDATE_PREVIOUS").is_none() {
        return;
    }
    for (_, file, lists) in FILES {
        let texts: Vec<&str> = lists.concat().iter().map(|sql| sql.postgres()).collect();
        fs::write(path(file), texts.join(SEPARATOR) + "\n").expect("written");
    }
}

#[test]
fn f30_statements_of_the_previous_version_prepare_on_this_schema() {
    for (role, file, _) in FILES {
        let connection = database(role);
        let statements = previous(file);
        assert!(statements.len() > 20, "{file} has {}", statements.len());
        for sql in statements {
            if let Err(error) = connection.prepare(sql.sqlite()) {
                panic!("{error}: nodes of the previous version use {}", sql.sqlite());
            }
        }
    }
}

#[test]
fn f30_columns_that_the_previous_version_does_not_know_have_a_default() {
    let mut looked = 0;
    for (role, file, _) in FILES {
        let connection = database(role);
        for sql in previous(file) {
            let Some((table, filled)) = inserted(sql.postgres()) else { continue };
            for column in required(&connection, table) {
                let known = filled.contains(&column.as_str());
                assert!(known, "{table}.{column} needs a default: the previous version does not fill it");
            }
            looked += 1;
        }
    }
    assert!(looked > 30, "{looked} inserts");
}

#[tokio::test]
async fn needs_postgres_f30_statements_of_the_previous_version_prepare_on_this_schema() {
    let cluster = till_testing::cluster::Cluster::start();
    let url = DatabaseUrl::parse(&cluster.url()).expect("a URL");
    postgres::migrate(&url).await.expect("schemas");
    for (role, file, _) in FILES {
        let connector = Connector::new(&url, Some(role), "test", SessionSetup::Plain);
        let connection = connector.connect().await.expect("a connection");
        for sql in previous(file) {
            let prepared = connection.prepare(Box::leak(Box::new(sql))).await;
            assert!(prepared.is_ok(), "nodes of the previous version use {:?}", prepared.err());
        }
    }
}
