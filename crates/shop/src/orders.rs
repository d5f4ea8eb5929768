//! The shop's own database of orders, in a SQLite file that survives restarts.
//!
//! One connection, used on threads that may block. What a report changes, the event's id and its journal
//! entry are one transaction.

use crate::{
    environment::Environment,
    journal::{self, JournalEntry, MessageKind},
    order::{Disagreement, Order, Status},
    report::PaymentReport,
};
use anyhow::Context as _;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

/// Journal entries that an order keeps.
const MAX_ENTRIES: i64 = 100;

/// Orders that the list shows.
const MAX_LISTED: i64 = 50;

const SCHEMA: &str = "
    create table if not exists orders (
        id text primary key, environment text not null, item text not null, product_name text not null,
        price text not null, currency text not null, status text not null, reason text, method text,
        session_id text, session_url text, trouble text, confirmed integer not null,
        called_back integer not null, asked_at_ms integer not null, created_at_ms integer not null,
        updated_at_ms integer not null
    ) strict;
    create index if not exists orders_by_time on orders (created_at_ms);
    create table if not exists refunded (order_id text primary key, total text not null) strict;
    create table if not exists events (event_id text primary key, order_id text not null) strict;
    create table if not exists journal (
        number integer primary key autoincrement, order_id text not null, kind text not null,
        at_ms integer not null, took_ms integer not null, method text not null, path text not null,
        headers text not null, body text not null, status integer, answer text not null, note text,
        times integer not null
    ) strict;
    create index if not exists journal_by_order on journal (order_id, number);
";

const COLUMNS: &str = "id, environment, item, product_name, price, currency, status, reason, method, session_id, \
    session_url, trouble, confirmed, called_back, asked_at_ms, created_at_ms, updated_at_ms";

/// The total of an order's refunds, as one more column.
const REFUNDED: &str = "(select total from refunded where order_id = orders.id)";

/// The result of a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackResult {
    /// No order of this environment has that number.
    Unknown,
    Repeat,
    /// It is stored, and was applied to the order.
    Believed,
    /// It is stored, and a person has to look at it.
    Doubted(Disagreement),
}

#[derive(Clone)]
pub struct Orders(Arc<Mutex<Connection>>);

impl fmt::Debug for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Orders")
    }
}

impl Orders {
    /// Opens the file, or creates it at the first start.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let opened = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        let connection = opened().with_context(|| format!("{} cannot be opened", path.display()))?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Stores a new order.
    pub async fn add(&self, order: Order) -> anyhow::Result<()> {
        self.run(move |tx| save(tx, &order)).await
    }

    /// The order with this number.
    pub async fn find(&self, id: &str) -> anyhow::Result<Option<Order>> {
        let id = id.to_owned();
        self.run(move |tx| load(tx, &id)).await
    }

    /// The latest orders, newest first.
    pub async fn recent(&self) -> anyhow::Result<Vec<Order>> {
        self.run(|tx| {
            let query =
                format!("select {COLUMNS}, {REFUNDED} from orders order by created_at_ms desc, id limit ?1");
            tx.prepare_cached(&query)?.query_map([MAX_LISTED], read)?.collect()
        })
        .await
    }

    /// Changes an order in a transaction and returns what `change` returns; `None` if there is no such order.
    pub async fn change<T: Send + 'static>(
        &self,
        id: &str,
        change: impl FnOnce(&mut Order) -> T + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        let id = id.to_owned();
        self.run(move |tx| {
            let Some(mut order) = load(tx, &id)? else { return Ok(None) };
            let before = order.clone();
            let result = change(&mut order);
            // Pages poll often; only a changed order is written and synced.
            if order != before {
                save(tx, &order)?;
            }
            Ok(Some(result))
        })
        .await
    }

    /// Processes a callback whose signature is valid. A repeated event changes nothing but the journal.
    pub async fn hear(
        &self,
        environment: Environment,
        report: PaymentReport,
        mut entry: JournalEntry,
        started: Instant,
    ) -> anyhow::Result<CallbackResult> {
        self.run(move |tx| {
            let order = load(tx, &report.order_id)?.filter(|order| order.environment == environment);
            let Some(mut order) = order else { return Ok(CallbackResult::Unknown) };
            entry.took_ms = journal::since(started);
            let event = report.event_id.as_deref().unwrap_or_default();
            let new = "insert into events (event_id, order_id) values (?1, ?2) on conflict do nothing";
            if tx.execute(new, params![event, order.id])? == 0 {
                entry.note = Some("repeat".to_owned());
                write(tx, &order.id, &entry)?;
                return Ok(CallbackResult::Repeat);
            }
            let heard = match order.believe(&report, entry.at_ms) {
                Ok(()) => {
                    order.called_back |=
                        report.status.is_final() && !report.is_refund() && !report.is_for_a_person();
                    save(tx, &order)?;
                    CallbackResult::Believed
                }
                Err(disagreement) => CallbackResult::Doubted(disagreement),
            };
            entry.note = Some(match heard {
                CallbackResult::Doubted(disagreement) => format!("doubt-{}", disagreement.word()),
                _ => "verified".to_owned(),
            });
            write(tx, &order.id, &entry)?;
            Ok(heard)
        })
        .await
    }

    /// Logs a callback whose signature is valid and that the shop does not understand, if it names one of its
    /// orders.
    pub async fn overhear(
        &self,
        environment: Environment,
        order: String,
        mut entry: JournalEntry,
        started: Instant,
    ) -> anyhow::Result<()> {
        self.run(move |tx| {
            let order = load(tx, &order)?.filter(|order| order.environment == environment);
            let Some(order) = order else { return Ok(()) };
            entry.took_ms = journal::since(started);
            entry.note = Some("ignored".to_owned());
            write(tx, &order.id, &entry)
        })
        .await
    }

    /// Adds entries to an order's journal.
    pub async fn note(&self, id: &str, entries: Vec<JournalEntry>) -> anyhow::Result<()> {
        let id = id.to_owned();
        self.run(move |tx| entries.iter().try_for_each(|entry| write(tx, &id, entry))).await
    }

    /// An order's journal, oldest first.
    pub async fn journal(&self, id: &str) -> anyhow::Result<Vec<JournalEntry>> {
        let id = id.to_owned();
        self.run(move |tx| {
            let query = "select kind, at_ms, took_ms, method, path, headers, body, status, answer, note, times \
                from journal where order_id = ?1 order by at_ms, number";
            tx.prepare_cached(query)?.query_map([id], read_entry)?.collect()
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let connection = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let tx = connection.transaction()?;
            let result = work(&tx)?;
            tx.commit()?;
            Ok(result)
        });
        done.await?.map_err(|error: rusqlite::Error| anyhow::Error::new(error).context("the shop's orders"))
    }
}

fn load(tx: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<Order>> {
    let query = format!("select {COLUMNS}, {REFUNDED} from orders where id = ?1");
    tx.prepare_cached(&query)?.query_row([id], read).optional()
}

fn save(tx: &Transaction<'_>, order: &Order) -> rusqlite::Result<()> {
    let write = format!(
        "insert or replace into orders ({COLUMNS}) \
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
    );
    let trouble = order.trouble.as_ref().and_then(|trouble| serde_json::to_string(trouble).ok());
    tx.prepare_cached(&write)?.execute(params![
        order.id,
        order.environment.word(),
        order.item,
        order.product_name,
        order.price,
        order.currency,
        order.status.word(),
        order.reason,
        order.method,
        order.session_id,
        order.session_url,
        trouble,
        order.confirmed,
        order.called_back,
        order.asked_at_ms,
        order.created_at_ms,
        order.updated_at_ms,
    ])?;
    if let Some(total) = &order.refunded {
        let write = "insert or replace into refunded (order_id, total) values (?1, ?2)";
        tx.prepare_cached(write)?.execute(params![order.id, total])?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Order> {
    let trouble: Option<String> = row.get(11)?;
    Ok(Order {
        id: row.get(0)?,
        environment: word(row, 1, Environment::parse)?,
        item: row.get(2)?,
        product_name: row.get(3)?,
        price: row.get(4)?,
        currency: row.get(5)?,
        status: word(row, 6, Status::parse)?,
        reason: row.get(7)?,
        method: row.get(8)?,
        session_id: row.get(9)?,
        session_url: row.get(10)?,
        trouble: trouble.and_then(|text| serde_json::from_str(&text).ok()),
        confirmed: row.get(12)?,
        called_back: row.get(13)?,
        asked_at_ms: row.get(14)?,
        created_at_ms: row.get(15)?,
        updated_at_ms: row.get(16)?,
        refunded: row.get(17)?,
    })
}

/// Writes a journal entry. The same status answer twice in a row is one entry, and so is a token request that
/// is refused again; the oldest entries beyond the limit are deleted.
fn write(tx: &Transaction<'_>, order: &str, entry: &JournalEntry) -> rusqlite::Result<()> {
    if entry.kind == MessageKind::Status || (entry.kind == MessageKind::Token && !entry.went_well()) {
        let again = "update journal set times = times + 1, at_ms = ?2, took_ms = ?3
            where number = (select max(number) from journal where order_id = ?1)
            and kind = ?7 and status is ?4 and answer = ?5 and note is ?6";
        let kind = entry.kind.word();
        let same = params![order, entry.at_ms, entry.took_ms, entry.status, entry.answer, entry.note, kind];
        if tx.execute(again, same)? > 0 {
            return Ok(());
        }
    }
    let add = "insert into journal
        (order_id, kind, at_ms, took_ms, method, path, headers, body, status, answer, note, times)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    tx.prepare_cached(add)?.execute(params![
        order,
        entry.kind.word(),
        entry.at_ms,
        entry.took_ms,
        entry.method,
        entry.path,
        entry.headers,
        entry.body,
        entry.status,
        entry.answer,
        entry.note,
        entry.times,
    ])?;
    let forget = "delete from journal where order_id = ?1 and number <= (
        select number from journal where order_id = ?1 order by number desc limit 1 offset ?2)";
    tx.execute(forget, params![order, MAX_ENTRIES])?;
    Ok(())
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    Ok(JournalEntry {
        kind: word(row, 0, MessageKind::parse)?,
        at_ms: row.get(1)?,
        took_ms: row.get(2)?,
        method: row.get(3)?,
        path: row.get(4)?,
        headers: row.get(5)?,
        body: row.get(6)?,
        status: row.get(7)?,
        answer: row.get(8)?,
        note: row.get(9)?,
        times: row.get(10)?,
    })
}

fn word<T>(row: &Row<'_>, column: usize, parse: impl Fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| {
        let problem = format!("{text:?} is no word that the shop writes");
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, problem.into())
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::order::tests::{order, report};
    use tempfile::TempDir;

    pub fn entry(kind: MessageKind, answer: &str) -> JournalEntry {
        JournalEntry {
            kind,
            at_ms: 1,
            took_ms: 1,
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: String::new(),
            body: String::new(),
            status: Some(200),
            answer: answer.to_owned(),
            note: None,
            times: 1,
        }
    }

    async fn table() -> (TempDir, Orders) {
        let folder = TempDir::new().expect("a folder");
        let orders = Orders::open(&folder.path().join("shop.db")).expect("a file");
        orders.add(order()).await.expect("kept");
        (folder, orders)
    }

    async fn hear(orders: &Orders, environment: Environment, report: PaymentReport) -> CallbackResult {
        orders
            .hear(environment, report, entry(MessageKind::Callback, ""), Instant::now())
            .await
            .expect("stored")
    }

    #[tokio::test]
    async fn an_event_counts_once_and_only_where_it_belongs() {
        let (_folder, orders) = table().await;
        let paid = report(Status::Paid);
        assert_eq!(hear(&orders, Environment::Live, paid.clone()).await, CallbackResult::Unknown);
        assert_eq!(hear(&orders, Environment::Sandbox, paid.clone()).await, CallbackResult::Believed);
        assert_eq!(hear(&orders, Environment::Sandbox, paid.clone()).await, CallbackResult::Repeat);
        let late = PaymentReport { event_id: Some("e-2".to_owned()), ..report(Status::Failed) };
        let doubted = CallbackResult::Doubted(Disagreement::Status);
        assert_eq!(hear(&orders, Environment::Sandbox, late).await, doubted);
        let order = orders.find("B-TEST-0001").await.expect("read").expect("an order");
        assert_eq!((order.status, order.called_back), (Status::Paid, true));
        let notes: Vec<_> =
            orders.journal(&order.id).await.expect("read").into_iter().map(|e| e.note).collect();
        assert_eq!(notes.iter().flatten().collect::<Vec<_>>(), ["verified", "repeat", "doubt-status"]);
    }

    #[tokio::test]
    async fn a_refund_is_stored_with_its_order() {
        let (folder, orders) = table().await;
        assert_eq!(hear(&orders, Environment::Sandbox, report(Status::Paid)).await, CallbackResult::Believed);
        let refund = PaymentReport {
            event: Some("refund.succeeded".to_owned()),
            event_id: Some("e-2".to_owned()),
            refunded_total: Some("4990.00".to_owned()),
            ..report(Status::Paid)
        };
        assert_eq!(hear(&orders, Environment::Sandbox, refund).await, CallbackResult::Believed);
        drop(orders);
        let again = Orders::open(&folder.path().join("shop.db")).expect("a file");
        assert_eq!(again.recent().await.expect("read")[0].shown_status(), "refunded");
    }

    #[tokio::test]
    async fn a_journal_is_bounded_and_the_same_answer_is_one_line() {
        let (_folder, orders) = table().await;
        let pending = || entry(MessageKind::Status, "pending");
        orders
            .note("B-TEST-0001", vec![pending(), pending(), entry(MessageKind::Status, "paid")])
            .await
            .expect("kept");
        let lines = orders.journal("B-TEST-0001").await.expect("read");
        assert_eq!(lines.iter().map(|line| line.times).collect::<Vec<_>>(), [2, 1]);
        let refused = || JournalEntry { status: Some(401), ..entry(MessageKind::Token, "invalid_client") };
        orders.note("B-TEST-0001", vec![refused(), refused(), refused()]).await.expect("kept");
        let issued = || entry(MessageKind::Token, "a token");
        orders.note("B-TEST-0001", vec![issued(), issued()]).await.expect("kept");
        let lines = orders.journal("B-TEST-0001").await.expect("read");
        assert_eq!(lines.iter().map(|line| line.times).collect::<Vec<_>>(), [2, 1, 3, 1, 1]);
        let many = (0..200).map(|number| entry(MessageKind::Create, &number.to_string())).collect();
        orders.note("B-TEST-0001", many).await.expect("kept");
        let lines = orders.journal("B-TEST-0001").await.expect("read");
        assert_eq!((lines.len(), lines[0].answer.as_str()), (100, "100"));
    }

    #[tokio::test]
    async fn orders_survive_a_restart() {
        let (folder, orders) = table().await;
        drop(orders);
        let again = Orders::open(&folder.path().join("shop.db")).expect("a file");
        assert_eq!(again.recent().await.expect("read").len(), 1);
    }
}
