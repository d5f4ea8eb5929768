//! Both engines have the same tables: the files of a migration are a pair, and a difference between them is a
//! mistake.

use crate::{
    fixture::{Backend, Kind},
    shell::Shell,
};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// One line for each column, index and trigger.
type Lines = BTreeSet<String>;

fn read_file(shell: &Connection) -> Lines {
    let mut lines = Lines::new();
    let mut ask = |query: &str| {
        let mut statement = shell.prepare(query).expect("a statement");
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("a query");
        lines.extend(rows.collect::<Result<Vec<_>, _>>().expect("rows"));
    };
    ask("SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type || iif(c.\"notnull\", ' required', '')
         FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'");
    ask("SELECT 'index ' || t.name || ' (' || group_concat(c.name, ', ') || ')' || iif(i.\"unique\", ' unique', '')
             || iif(i.partial, ' partial', '')
         FROM sqlite_schema t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
         WHERE t.type = 'table' GROUP BY t.name, i.name");
    ask("SELECT 'trigger ' || tbl_name || '.' || name FROM sqlite_schema WHERE type = 'trigger'");
    ask("SELECT 'link ' || t.name || '.' || f.\"from\" || ' to ' || f.\"table\" || '.' || f.\"to\"
         FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'");
    lines
}

async fn read_schema(shell: &Shell, schema: &str) -> Lines {
    let columns = format!(
        "SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type
            || CASE WHEN is_nullable = 'NO' THEN ' required' ELSE '' END
         FROM information_schema.columns WHERE table_schema = '{schema}'"
    );
    let indexes = format!(
        "SELECT 'index ' || t.relname || ' (' || string_agg(a.attname, ', ' ORDER BY k.n) || ')'
            || CASE WHEN i.indisunique THEN ' unique' ELSE '' END
            || CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END
         FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
            CROSS JOIN UNNEST(i.indkey) WITH ORDINALITY k (attnum, n)
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
         WHERE s.nspname = '{schema}' GROUP BY t.relname, i.indexrelid, i.indisunique, i.indpred"
    );
    let triggers = format!(
        "SELECT 'trigger ' || t.relname || '.' || g.tgname FROM pg_trigger g
         JOIN pg_class t ON t.oid = g.tgrelid JOIN pg_namespace s ON s.oid = t.relnamespace
         WHERE s.nspname = '{schema}' AND NOT g.tgisinternal"
    );
    let links = format!(
        "SELECT 'link ' || t.relname || '.' || a.attname || ' to ' || o.relname || '.' || b.attname
         FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class o ON o.oid = c.confrelid
            JOIN pg_namespace s ON s.oid = t.relnamespace
            CROSS JOIN UNNEST(c.conkey, c.confkey) k (here, there)
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.here
            JOIN pg_attribute b ON b.attrelid = o.oid AND b.attnum = k.there
         WHERE s.nspname = '{schema}' AND c.contype = 'f'"
    );
    let mut lines = Lines::new();
    for query in [columns, indexes, triggers, links] {
        for row in shell.rows(&format!("({query}) AS asked (line) CROSS JOIN (SELECT 1) AS one (n)")).await {
            lines.insert(row[0].trim_start_matches("Some(\"").trim_end_matches("\")").to_owned());
        }
    }
    lines
}

/// A line in one notation for both engines. Flags are numbers in a file and booleans on a server.
fn plain(line: &str) -> String {
    const FLAGS: [&str; 13] = [
        ".sandbox ",
        ".disabled ",
        ".archived ",
        ".test ",
        ".late ",
        ".partial ",
        ".over ",
        ".returned ",
        ".receipt_copy ",
        ".stray ",
        ".told ",
        ".reversed ",
        ".made ",
    ];
    let line = line.replace("bigint", "INTEGER").replace("text", "TEXT").replace("bytea", "BLOB");
    let flag = FLAGS.iter().any(|flag| line.contains(flag));
    let line = line.replace("boolean", "INTEGER");
    if flag { line.replace("INTEGER", "flag") } else { line }
}

#[tokio::test]
async fn needs_postgres_both_engines_have_the_same_tables() {
    let embedded = Backend::new(Kind::Embedded).await;
    let server = Backend::new(Kind::Postgres).await;
    for database in ["accounts", "live", "sandbox"] {
        let here: Lines =
            read_file(&embedded.file_shell(&format!("{database}.db"))).iter().map(|l| plain(l)).collect();
        let there = read_schema(&server.shell(database).await, database).await;
        // REPLACE exists only in SQLite, TRUNCATE only in PostgreSQL; the server keeps its schema version in
        // a table, and a file counts its commits in one.
        let own = |line: &String| {
            line.ends_with("_once")
                || line.ends_with("_not_emptied")
                || line.contains("till_schema")
                || line.contains("commit_count")
                // A beginning is found in the order of bytes, which a file's indexes always have.
                || line == "index sessions (vendor_id, order_id) partial"
                // A program of the version before shares only a server.
                || line.ends_with("refunds_placed")
        };
        let here: Lines = here.into_iter().filter(|line| !own(line)).collect();
        let there: Lines = there.iter().map(|l| plain(l)).filter(|line| !own(line)).collect();
        assert!(here.len() > 30, "{here:#?}");
        let only_here: Vec<_> = here.difference(&there).collect();
        let only_there: Vec<_> = there.difference(&here).collect();
        assert!(only_here.is_empty() && only_there.is_empty(), "{database}: {only_here:#?} {only_there:#?}");
    }
}

/// Every column that may hold something made with the master key is in the table of what a rotation of it does: each that holds bytes
/// and is not known to be something else, and the forms of providers, which are texts.
#[test]
fn f33_every_sealed_column_is_known_to_the_rotation() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let place = till_store::StoreLocation::Folder(folder.path().to_owned());
    let open = till_store::Stores::open(&place, till_store::Durability::Full, None);
    drop(runtime.block_on(open).expect("a store"));
    let mut found = BTreeSet::new();
    for name in ["accounts.db", "live.db", "sandbox.db"] {
        let shell = Connection::open(folder.path().join(name)).expect("a shell");
        for line in read_file(&shell) {
            let Some(rest) = line.strip_prefix("column ") else { continue };
            let (column, kind) = rest.split_once(' ').expect("a type");
            let own_name = column.split('.').nth(1).unwrap_or_default();
            let is_id = own_name == "id" || own_name.ends_with("_id");
            if kind.starts_with("BLOB") && !is_id && !WITHOUT_KEY.contains(&column)
                || column == "payment_attempts.shown"
            {
                found.insert(column.to_owned());
            }
        }
    }
    let known: BTreeSet<String> =
        till_store::SEALED_COLUMNS.iter().map(|(table, column, _)| format!("{table}.{column}")).collect();
    assert_eq!(found, known);
    // What is to be sealed anew is sealed anew: by a table of the accounts, or as a form.
    let by_rotation = till_store::SealedTable::ALL.map(till_store::SealedTable::column);
    let by_rotation: BTreeSet<_> = by_rotation.into_iter().chain([("payment_attempts", "shown")]).collect();
    let promised = till_store::SEALED_COLUMNS.iter();
    let promised = promised.filter(|(.., becomes)| *becomes == till_store::AtRotation::SealedAnew);
    assert_eq!(by_rotation, promised.map(|(table, column, _)| (*table, *column)).collect());
}

/// Columns with bytes that the master key has no part in: hashes of chains and requests, ids under other names, and bodies
/// that were sent or received in clear.
const WITHOUT_KEY: &[&str] = &[
    "audit.hash",
    "audit_head.hash",
    "callback_faults.about",
    "callback_responses.body",
    "callbacks.about",
    "callbacks.body",
    "dispatches.about",
    "entries.cause",
    "entries.hash",
    "erasure_marks.last",
    "figures_mark.last",
    "idempotency_keys.fingerprint",
    "leases.holder",
    "provider_calls.node",
    "receipts.link",
];
