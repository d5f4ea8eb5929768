//! Queues: an unreadable row stops none of the rows behind it, however many there are, and each is reported.

use crate::{
    attempts::opened,
    fixture::{
        Backend, Kind, Shop, commit, event_id, minutes, on_both_engines, session_id, start, vendor_id,
    },
    ledger::{books, seal},
    refunds,
    shell::{Shell, bytes},
    verify::take_all_rights,
};
use std::time::Duration;
use till_domain::{
    chain::{Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer},
    change::Change,
    dispatch::{Dispatch, DispatchKind},
    fiscal::{Buyer, FiscalContent, FiscalKind, FiscalReceipt, ReceiptStatus, registration},
    id::{AttemptId, MailId},
    ledger::follow,
    session::Session,
    time::Timestamp,
};
use till_store::{AttemptsDue, NewMail, Payments, QueueName, Stores, Unreadable};

const CHAIN: ChainId = ChainId(31_337);
const LEASE: Duration = Duration::from_secs(30);

/// A queue, the table of its rows, and the values that make a copy of one unreadable. `{id}` is an id that
/// sorts before those of the readable rows, `{n}` a number.
struct Damage {
    queue: QueueName,
    database: &'static str,
    table: &'static str,
    values: &'static [(&'static str, &'static str)],
    problem: &'static str,
}

const DAMAGES: [Damage; 11] = [
    Damage {
        queue: QueueName::Sessions,
        database: "live",
        table: "sessions",
        values: &[("id", "{id}"), ("due_at", "1"), ("currency", "'ZZZ'")],
        problem: "ZZZ",
    },
    Damage {
        queue: QueueName::Attempts,
        database: "live",
        table: "payment_attempts",
        values: &[
            ("id", "{id}"),
            ("session_id", "{id}"),
            ("check_at", "1"),
            ("reference", "NULL"),
            ("received", "'many'"),
        ],
        problem: "many",
    },
    Damage {
        queue: QueueName::Callbacks,
        database: "live",
        table: "callbacks",
        values: &[("id", "{id}"), ("session_id", "{id}"), ("due_at", "1"), ("attempts", "5000000000")],
        problem: "5000000000",
    },
    Damage {
        queue: QueueName::Refunds,
        database: "live",
        table: "refunds",
        values: &[("id", "{id}"), ("transaction_id", "{id}"), ("check_at", "1"), ("currency", "'ZZZ'")],
        problem: "ZZZ",
    },
    Damage {
        queue: QueueName::FiscalReceipts,
        database: "live",
        table: "fiscal_receipts",
        values: &[("id", "{id}"), ("kind", "'refund'"), ("check_at", "1"), ("currency", "'ZZZ'")],
        problem: "the currency",
    },
    Damage {
        queue: QueueName::Settlements,
        database: "live",
        table: "settlements",
        values: &[("entry_id", "{id}"), ("due_at", "1"), ("currency", "'ZZZ'")],
        problem: "ZZZ",
    },
    Damage {
        queue: QueueName::Seals,
        database: "live",
        table: "entries",
        values: &[("id", "{id}"), ("cause", "{id}"), ("seq", "NULL"), ("hash", "NULL")],
        problem: "nothing where a text should be",
    },
    Damage {
        queue: QueueName::Dispatches,
        database: "live",
        table: "dispatches",
        values: &[("about", "{id}"), ("due_at", "1"), ("attempts", "-1")],
        problem: "-1",
    },
    Damage {
        queue: QueueName::Mails,
        database: "accounts",
        table: "mails",
        values: &[("id", "{id}"), ("due_at", "1"), ("attempts", "-1")],
        problem: "-1",
    },
    Damage {
        queue: QueueName::Deposits,
        database: "live",
        table: "chain_deposits",
        values: &[("attempt_id", "{id}"), ("place", "{n} + 1"), ("address", "'0xbad{n}'")],
        problem: "0xbad",
    },
    Damage {
        queue: QueueName::Strays,
        database: "live",
        table: "chain_transfers",
        values: &[("reference", "'bad {n}'"), ("block", "1"), ("atoms", "'many'")],
        problem: "many",
    },
];

impl Damage {
    /// Adds unreadable rows with these numbers: copies of a row that is due, with other values.
    async fn add(&self, shell: &Shell, numbers: std::ops::Range<u64>) {
        let columns = shell.columns(self.table).await;
        let value = |column: &String| {
            let other = self.values.iter().find(|(name, _)| name == column);
            let value = other.map_or(column.as_str(), |(_, value)| value);
            value.replace("'0xbad{n}'", "'0xbad' || bad_number").replace("'bad {n}'", "'bad ' || bad_number")
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let values = values.join(", ").replace("{id}", "bad_id").replace("{n}", "bad_number");
        let rows: Vec<_> = numbers.map(|number| format!("({number}, {})", bytes(&bad_id(number)))).collect();
        let (table, columns, rows) = (self.table, columns.join(", "), rows.join(", "));
        let due = match self.queue {
            QueueName::Attempts | QueueName::Refunds | QueueName::FiscalReceipts => "check_at IS NOT NULL",
            QueueName::Seals => "seq IS NULL",
            QueueName::Deposits | QueueName::Strays => "chain > 0",
            _ => "due_at IS NOT NULL",
        };
        let insert = format!(
            "WITH bad (bad_number, bad_id) AS (VALUES {rows})
             INSERT INTO {table} ({columns})
             SELECT {values} FROM (SELECT * FROM {table} WHERE {due} LIMIT 1) AS good, bad"
        );
        shell.run(&insert).await.unwrap_or_else(|error| panic!("{}: {error}", self.queue));
    }

    /// The text that identifies the row with this number.
    fn name(&self, number: u64) -> String {
        match self.queue {
            QueueName::Strays => format!("bad {number}"),
            _ => AttemptId::from_bytes(bad_id(number)).to_string(),
        }
    }

    /// Serves one item of the queue, and returns how many were found.
    async fn serve(&self, stores: &Stores, now: Timestamp) -> (usize, Unreadable) {
        let live = &stores.live;
        let (found, unreadable) = match self.queue {
            QueueName::Sessions => count(live.due_sessions(now, 1).await),
            QueueName::Attempts => count(live.due_attempts("bank", AttemptsDue::Any, now, 1).await),
            QueueName::Callbacks => {
                let busy = ["busy.example".to_owned()];
                let (found, _) = live.due_callbacks(vendor_id(1), now, 1, &busy).await.expect("a read");
                assert_eq!(found.len(), 1, "a host that is busy with others changes nothing");
                count(live.due_callbacks(vendor_id(1), now, 1, &[]).await)
            }
            QueueName::Refunds => count(live.refunds().due("bank", now, 1).await),
            QueueName::FiscalReceipts => count(live.due_fiscal_receipts("bank", now, 1).await),
            QueueName::Settlements => count(books(stores).due_settlements(now, 1).await),
            QueueName::Seals => count(books(stores).unsealed(1).await),
            QueueName::Dispatches => count(live.due_dispatches(now, 1).await),
            QueueName::Mails => count(stores.accounts.take_mails(1, LEASE).await),
            QueueName::Deposits => count(live.chains().expect("chains").watched(CHAIN, start()).await),
            QueueName::Strays => count(live.chains().expect("chains").strays(CHAIN, 10).await),
        };
        assert_eq!(unreadable.queue, self.queue);
        (found, unreadable)
    }
}

fn count<T>(read: Result<(Vec<T>, Unreadable), till_store::StoreError>) -> (usize, Unreadable) {
    let (found, unreadable) = read.expect("a read");
    (found.len(), unreadable)
}

fn bad_id(number: u64) -> [u8; 16] {
    let mut entropy = [0; 10];
    entropy[2..].copy_from_slice(&number.to_be_bytes());
    *AttemptId::new(start().minus(Duration::from_secs(1)), &entropy).as_bytes()
}

/// A store with at least one row in each queue.
async fn scene(kind: Kind) -> Backend {
    let backend = Backend::new(kind).await;
    let (live, mut shop) = (&backend.stores.live, refunds::shop());
    opened(live, &shop, 1).await;
    shop.vendor.terms.settlement_delay = Some(Duration::from_secs(60));
    let session = refunds::paid(live, &shop, 2).await;
    let asked = refunds::ask(live, &shop, &session, "10.00", 3).await.expect("it may");
    commit(live, &asked.1).await;
    let mail = Dispatch {
        about: *event_id(2).as_bytes(),
        kind: DispatchKind::Receipt,
        vendor: vendor_id(1),
        session: Some(session_id(2)),
        recipient: "ann@mail.example".to_owned(),
        at: start(),
    };
    commit(live, &[Change::QueueDispatch(Box::new(mail))]).await;
    commit(live, &[registering(&session)]).await;
    open_deposit(live).await;
    queue_mail(&backend.stores, 1).await;
    backend
}

/// A fiscal receipt whose registration is being followed.
fn registering(session: &Session) -> Change {
    let content = FiscalContent { buyer: Buyer::default(), tax_system: None, items: Vec::new() };
    let (owner, total) = ((session.id, session.vendor), session.item.price.money());
    let new = FiscalReceipt::new(session.id.into(), FiscalKind::Payment, owner, content, total, start());
    let (status, provider, at) = (ReceiptStatus::Pending, Some("bank".to_owned()), Some(start()));
    registration::inserted(FiscalReceipt { status, provider, sent_at: at, check_at: at, ..new })
}

async fn queue_mail(stores: &Stores, number: u8) {
    let mail = NewMail {
        id: MailId::new(start(), &[number; 10]),
        recipient: "ada@shop.example".to_owned(),
        subject: "Invitation".to_owned(),
        body_sealed: vec![1],
        kind: "invitation",
    };
    stores.accounts.queue_mail(mail).await.expect("queued");
}

/// An address with a transfer of an unexpected coin.
async fn open_deposit(live: &Payments) {
    let address = Address::from_bytes([10; 20]);
    let deposit = Deposit {
        attempt: AttemptId::from_bytes(event_id(1).into()),
        session: session_id(1),
        key: "key".to_owned(),
        index: 0,
        address,
        chain: CHAIN,
        coin: "ETH".to_owned(),
        contract: None,
        decimals: 18,
        charge: Atoms(5),
        rate: "91.93 RUB".to_owned(),
        rate_source: "a table".to_owned(),
        opened_at: start(),
        since_block: 1,
        before: None,
        swept: Atoms::ZERO,
    };
    let stray = Transfer {
        chain: CHAIN,
        reference: "good".to_owned(),
        transaction: None,
        address,
        contract: Some(Address::from_bytes([0xa0; 20])),
        atoms: Atoms(7),
        block: 5,
        block_hash: BlockHash::from_bytes([5; 32]),
        seen_at: start(),
        gone_at: None,
        reported: false,
    };
    let cursor = Cursor { chain: CHAIN, block: 5, head: 5, at: start(), recent: Vec::new(), version: 0 };
    let chains = live.chains().expect("chains");
    chains.open(&deposit).await.expect("a write");
    let advance = Advance {
        cursor,
        replaced_from: None,
        found: vec![stray],
        swept: Vec::new(),
        before: Vec::new(),
        touched: Vec::new(),
    };
    assert!(chains.advance(&advance).await.expect("a write"));
}

/// The number of unreadable rows of each queue, as an operator sees it.
async fn inspect(stores: &Stores, at: Timestamp, limit: u32) -> Vec<(QueueName, u64)> {
    let mut found = stores.live.inspect_queues(at, limit).await.expect("a read");
    found.push(stores.accounts.inspect_mails(at, limit).await.expect("a read"));
    let mut found: Vec<_> = found.into_iter().map(|q| (q.unreadable.queue, q.unreadable.count)).collect();
    found.sort_unstable();
    found
}

async fn m8_one_unreadable_row_or_a_thousand_stop_no_queue(kind: Kind) {
    let backend = scene(kind).await;
    let stores = &backend.stores;
    let shells = [("live", backend.shell("live").await), ("accounts", backend.shell("accounts").await)];
    take_all_rights(&shells[0].1).await;
    let shell_of = |database| shells.iter().find(|(name, _)| *name == database).map(|(_, s)| s).expect("one");
    let all = |bad: u64| {
        let mut all = DAMAGES.each_ref().map(|damage| (damage.queue, bad));
        all.sort_unstable();
        all
    };
    let forever = Timestamp::from_ms(i64::MAX);
    assert_eq!(inspect(stores, forever, u32::MAX).await, all(0));
    for (added, bad) in [(0..1, 1), (1..1_000, 1_000)] {
        for damage in &DAMAGES {
            damage.add(shell_of(damage.database), added.clone()).await;
        }
        // The mail that was claimed in the round before is free again, and everything is due.
        let now = backend.later(minutes(7 * 1_440));
        for damage in &DAMAGES {
            let queue = damage.queue;
            let (found, unreadable) = damage.serve(stores, now).await;
            assert_eq!((found, unreadable.count), (1, bad), "{queue}: {unreadable}");
            let first = &unreadable.first[0];
            assert!(first.id.starts_with(&damage.name(0)), "{queue}: {}", first.id);
            assert!(first.problem.contains(damage.problem), "{queue}: {}", first.problem);
        }
        assert_eq!(inspect(stores, forever, u32::MAX).await, all(bad));
        // However few rows are read, the unreadable ones are the oldest; of deposits the newest are read.
        let mut oldest = all(bad);
        let newest = oldest.iter_mut().find(|(queue, _)| *queue == QueueName::Deposits).expect("deposits");
        newest.1 = 0;
        assert_eq!(inspect(stores, now, 1).await, oldest);
        check_verify(&stores.live, 10 * bad).await;
    }
    check_sealing(stores).await;
}

/// `till verify` counts them, and names the first.
async fn check_verify(live: &Payments, bad: u64) {
    let checked = live.verify(&mut |_, _| ()).await.expect("it can be read");
    let queues = checked.iter().find(|check| check.name == "all queue rows are readable").expect("it");
    assert_eq!(queues.wrong, bad);
    assert!(queues.rows > bad, "{}", queues.rows);
    assert!(queues.first[0].starts_with("sessions "), "{:?}", queues.first);
}

/// Sealing skips the entries that cannot be read, and they stay unsealed.
async fn check_sealing(stores: &Stores) {
    let entries = seal(stores, 100).await;
    assert!(entries >= 2, "a payment and a refund");
    let history = books(stores).sealed_after(0, 100).await.expect("a read");
    assert_eq!(history.len(), entries);
    let pairs = history.iter().map(|stored| (&stored.entry, stored.seal.as_ref().expect("sealed")));
    assert_eq!(
        follow(till_domain::hash_chain::NOTHING, pairs),
        Ok(books(stores).last_seal().await.expect("a read"))
    );
    assert_eq!(books(stores).unsealed_count().await.expect("a read"), 1_000);
    assert_eq!(books(stores).unsealed(9).await.expect("a read").0, []);
}

async fn m8_an_unreadable_mail_costs_the_others_no_attempt(kind: Kind) {
    let backend = Backend::new(kind).await;
    for number in 1..=3 {
        queue_mail(&backend.stores, number).await;
    }
    let shell = backend.shell("accounts").await;
    let id = bytes(MailId::new(start(), &[2; 10]).as_bytes());
    assert_eq!(shell.run(&format!("UPDATE mails SET attempts = -1 WHERE id = {id}")).await, Ok(1));
    for round in 1..=2 {
        let (taken, unreadable) = backend.stores.accounts.take_mails(10, LEASE).await.expect("taken");
        let attempts: Vec<_> = taken.iter().map(|mail| mail.attempts).collect();
        assert_eq!((attempts, unreadable.count), (vec![round, round], 1));
        backend.later(LEASE);
    }
}

#[tokio::test]
async fn m8_a_text_that_is_no_text_makes_only_its_own_row_unreadable() {
    let backend = Backend::new(Kind::Embedded).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let broken = shop.store(live, 1, start()).await;
    let good = shop.store(live, 2, start()).await;
    let shell = backend.shell("live").await;
    take_all_rights(&shell).await;
    let id = bytes(broken.id.as_bytes());
    let change = format!("UPDATE sessions SET order_id = CAST(x'ff' AS TEXT) WHERE id = {id}");
    assert_eq!(shell.run(&change).await, Ok(1));
    let (due, unreadable) = live.due_sessions(good.deadline(), 10).await.expect("a read");
    assert_eq!((due, unreadable.count), (vec![good], 1));
}

on_both_engines!(
    m8_one_unreadable_row_or_a_thousand_stop_no_queue,
    m8_an_unreadable_mail_costs_the_others_no_attempt,
);
