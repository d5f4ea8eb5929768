//! Chains: an address is given out once even to concurrent callers, a pass is written as a whole or not at
//! all, a transfer removed by a reorg is gone and may come again, and a database shell can change none of it.

use crate::{
    fixture::{Backend, Kind, Shop, commit, event_id, on_both_engines, session_id, start},
    verify::drop_triggers,
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use till_domain::{
    attempt::{self, Beginning},
    chain::{Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer, TxHash},
    id::AttemptId,
    method::Method,
    session::Outcome,
    time::Timestamp,
};
use till_store::{Chains, StoreError, Stores};
use tokio::{sync::Barrier, task::JoinSet};

const CHAIN: ChainId = ChainId(31_337);
const OTHER_CHAIN: ChainId = ChainId(1);
const TOKEN: Address = Address::from_bytes([0xa0; 20]);
const OTHER_TOKEN: Address = Address::from_bytes([0xb0; 20]);
/// More than an integer column holds, and more than a float represents exactly.
const HUGE: Atoms = Atoms(340_282_366_920_938_463_463_374_607_431_768_211_455);
const ALMOST_HUGE: Atoms = Atoms(HUGE.0 - 1);

fn attempt_id(number: u64) -> AttemptId {
    AttemptId::from_bytes(event_id(number).into())
}

fn address(number: u64) -> Address {
    Address::parse(&format!("0x{number:040x}")).expect("an address")
}

fn block_hash(block: u64) -> BlockHash {
    BlockHash::parse(&format!("0x{block:064x}")).expect("a hash")
}

fn deposit(number: u64, index: u32) -> Deposit {
    Deposit {
        attempt: attempt_id(number),
        session: session_id(number),
        key: "key".to_owned(),
        index,
        address: address(u64::from(index) + 100),
        chain: CHAIN,
        coin: "ETH".to_owned(),
        contract: None,
        decimals: 18,
        charge: HUGE,
        rate: "91.93 RUB".to_owned(),
        rate_source: "a table".to_owned(),
        opened_at: start(),
        since_block: 7,
        before: None,
        swept: Atoms::ZERO,
    }
}

fn transfer(reference: &str, to: &Deposit, atoms: Atoms, block: u64) -> Transfer {
    Transfer {
        chain: CHAIN,
        reference: reference.to_owned(),
        transaction: Some(TxHash::from_bytes([0xfe; 32])),
        address: to.address,
        contract: None,
        atoms,
        block,
        block_hash: block_hash(block),
        seen_at: start(),
        gone_at: None,
        reported: false,
    }
}

fn cursor(block: u64, version: i64) -> Cursor {
    let recent = [block.saturating_sub(1), block].map(|number| (number, block_hash(number))).to_vec();
    Cursor { chain: CHAIN, block, head: block + 3, at: start(), recent, version }
}

fn advance(block: u64, version: i64) -> Advance {
    Advance {
        cursor: cursor(block, version),
        replaced_from: None,
        found: Vec::new(),
        swept: Vec::new(),
        before: Vec::new(),
        touched: Vec::new(),
    }
}

fn chains(stores: &Stores) -> Chains<'_> {
    stores.live.chains().expect("chains")
}

async fn opened(backend: &Backend, number: u64, index: u32) -> Deposit {
    let wanted = deposit(number, index);
    let got = chains(&backend.stores).open(&wanted).await.expect("a write");
    assert_eq!(got, Some(wanted.clone()));
    wanted
}

async fn transfers(backend: &Backend, number: u64) -> Vec<Transfer> {
    let found = chains(&backend.stores).deposit(attempt_id(number)).await.expect("a read");
    found.expect("a deposit").1
}

async fn a_deposit_is_kept_as_it_was_given_out(kind: Kind) {
    let backend = Backend::new(kind).await;
    assert!(backend.stores.sandbox.chains().is_none(), "a sandbox has no real coins");
    let all = chains(&backend.stores);
    assert_eq!(all.next_index("key").await.expect("a read"), 0);
    let own = opened(&backend, 1, 0).await;
    assert_eq!(all.next_index("key").await.expect("a read"), 1);
    assert_eq!(all.next_index("other").await.expect("a read"), 0, "each key counts for itself");
    let mut again = deposit(1, 7);
    again.charge = Atoms(5);
    assert_eq!(all.open(&again).await.expect("a write"), Some(own.clone()), "an attempt has one address");
    assert_eq!(all.open(&deposit(2, 0)).await.expect("a write"), None, "the place is taken");
    let mut elsewhere = deposit(2, 0);
    (elsewhere.key, elsewhere.chain) = ("other".to_owned(), OTHER_CHAIN);
    assert_eq!(all.open(&elsewhere).await.expect("a write"), None, "the address is, on every chain");
    let token = Deposit { contract: Some(TOKEN), decimals: 6, ..deposit(3, 1) };
    assert_eq!(all.open(&token).await.expect("a write"), Some(token.clone()));
    assert_eq!(all.deposit(attempt_id(1)).await.expect("a read"), Some((own, vec![])));
    assert_eq!(all.deposit(attempt_id(2)).await.expect("a read"), None);
}

async fn t37_a_restored_store_passes_over_addresses_that_may_have_been_given_out(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    opened(&backend, 1, 0).await;
    opened(&backend, 2, 500_000_000).await;
    backend.stores.live.prepare_after_restore().await.expect("a write");
    assert_eq!(all.next_index("key").await.expect("a read"), 501_000_001);
    assert_eq!(all.next_index("set up after the backup").await.expect("a read"), 501_000_001);
    opened(&backend, 3, 501_000_001).await;
    assert_eq!(all.next_index("key").await.expect("a read"), 501_000_002);
    backend.stores.live.prepare_after_restore().await.expect("a write");
    assert_eq!(all.next_index("key").await.expect("a read"), 502_000_002, "each time it passes over more");
    backend.stores.sandbox.prepare_after_restore().await.expect("a write");
}

/// Sixteen tasks that all want the next index, on two nodes where the engine allows two: each gets its own.
async fn no_address_is_given_out_twice_whoever_asks_at_once(kind: Kind) {
    const ASKERS: u64 = 16;
    let backend = Backend::new(kind).await;
    let nodes = match kind {
        Kind::Embedded => vec![Arc::clone(&backend.stores)],
        Kind::Postgres => vec![Arc::clone(&backend.stores), Arc::new(backend.again().await)],
    };
    let barrier = Arc::new(Barrier::new(usize::try_from(ASKERS).expect("small")));
    let mut tasks = JoinSet::new();
    for number in 0..ASKERS {
        let stores = Arc::clone(&nodes[usize::try_from(number).expect("small") % nodes.len()]);
        let barrier = Arc::clone(&barrier);
        tasks.spawn(async move {
            barrier.wait().await;
            loop {
                let all = chains(&stores);
                let index = all.next_index("key").await.expect("a read");
                if let Some(got) = all.open(&deposit(number, index)).await.expect("a write") {
                    assert_eq!(got.attempt, attempt_id(number));
                    break got.index;
                }
            }
        });
    }
    let mut places = BTreeSet::new();
    while let Some(place) = tasks.join_next().await {
        assert!(places.insert(place.expect("no panic")), "a place was given out twice");
    }
    assert_eq!(places, (0..u32::try_from(ASKERS).expect("small")).collect(), "and none was left out");
}

async fn a_pass_is_written_as_a_whole_by_the_first_who_read(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let own = opened(&backend, 1, 0).await;
    assert_eq!(all.cursor(CHAIN).await.expect("a read"), None);
    let mut first = advance(10, 0);
    first.found = vec![transfer("0x1:0", &own, HUGE, 10)];
    first.touched = vec![own.attempt];
    assert!(all.advance(&first).await.expect("a write"));
    let read = Cursor { version: 1, ..cursor(10, 0) };
    assert_eq!(all.cursor(CHAIN).await.expect("a read"), Some(read.clone()));
    assert_eq!(all.cursors().await.expect("a read"), [read]);
    assert_eq!(transfers(&backend, 1).await, [transfer("0x1:0", &own, HUGE, 10)], "to the last digit");
    // A pass that read an older cursor writes nothing at all: neither as the first write, nor with an older
    // version.
    let mut late = advance(11, 0);
    late.found = vec![transfer("0x2:0", &own, Atoms(5), 11)];
    late.swept = vec![(own.address, Atoms(7))];
    late.before = vec![(own.address, ALMOST_HUGE)];
    late.touched = vec![own.attempt];
    late.replaced_from = Some(0);
    assert!(!all.advance(&late).await.expect("a write"));
    assert!(all.advance(&advance(12, 1)).await.expect("a write"));
    late.cursor.version = 1;
    assert!(!all.advance(&late).await.expect("a write"));
    assert_eq!(
        all.cursor(CHAIN).await.expect("a read").map(|read| (read.block, read.version)),
        Some((12, 2))
    );
    assert_eq!(transfers(&backend, 1).await, [transfer("0x1:0", &own, HUGE, 10)]);
    assert_eq!(all.touched(CHAIN).await.expect("a read").0, [(own.attempt, 1)]);
    assert_eq!(all.watched(CHAIN, start()).await.expect("a read").0, [(own.clone(), HUGE)]);
    late.cursor.version = 2;
    late.replaced_from = None;
    assert!(all.advance(&late).await.expect("a write"));
    let (swept, known) = all.watched(CHAIN, start()).await.expect("a read").0.remove(0);
    assert_eq!((swept.swept, known), (Atoms(7), HUGE), "as much as fits");
    assert_eq!((swept.since_block, swept.before), (7, Some(ALMOST_HUGE)));
    // The balance an address had before it was given out is stored only once.
    let again = Advance { before: vec![(own.address, Atoms(1))], ..advance(12, 3) };
    assert!(all.advance(&again).await.expect("a write"));
    let (read, _) = all.watched(CHAIN, start()).await.expect("a read").0.remove(0);
    assert_eq!(read.before, Some(ALMOST_HUGE));
}

async fn of_two_who_read_at_once_one_counts(kind: Kind) {
    let backend = Backend::new(kind).await;
    let other = backend.again().await;
    let own = opened(&backend, 1, 0).await;
    for version in 0..20 {
        let mut here = advance(10, version);
        here.found = vec![transfer(&format!("0x{version}:0"), &own, Atoms(1), 10)];
        let mut there = advance(11, version);
        there.found = vec![transfer(&format!("0x{version}:1"), &own, Atoms(1), 10)];
        let (all, more) = (chains(&backend.stores), chains(&other));
        let (one, two) = tokio::join!(all.advance(&here), more.advance(&there));
        assert!(one.expect("a write") ^ two.expect("a write"), "round {version}");
    }
    assert_eq!(transfers(&backend, 1).await.len(), 20);
}

async fn what_a_chain_takes_back_is_gone_and_may_come_again(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let own = opened(&backend, 1, 0).await;
    let mut first = advance(12, 0);
    let [old, back, lost] = ["0x1:0", "0x2:0", "0x3:0"];
    first.found = vec![
        transfer(old, &own, Atoms(1), 9),
        transfer(back, &own, Atoms(20), 10),
        transfer(lost, &own, Atoms(300), 11),
    ];
    assert!(all.advance(&first).await.expect("a write"));
    let later = start().plus(Duration::from_secs(60));
    let mut replaced = advance(13, 1);
    replaced.cursor.at = later;
    replaced.replaced_from = Some(10);
    let again = Transfer { seen_at: later, atoms: Atoms(21), ..transfer(back, &own, Atoms(21), 12) };
    replaced.found = vec![again.clone()];
    assert!(all.advance(&replaced).await.expect("a write"));
    let gone = |transfer: Transfer, at| Transfer { gone_at: Some(at), ..transfer };
    let moved = Transfer { seen_at: start(), ..again };
    assert_eq!(
        transfers(&backend, 1).await,
        [transfer(old, &own, Atoms(1), 9), gone(transfer(lost, &own, Atoms(300), 11), later), moved.clone()],
        "below is as it was, what was not found again is gone, what was is in its new block"
    );
    assert_eq!(all.watched(CHAIN, start()).await.expect("a read").0, [(own.clone(), Atoms(22))]);
    let mut found = advance(14, 2);
    found.found = vec![transfer(lost, &own, Atoms(300), 14)];
    assert!(all.advance(&found).await.expect("a write"));
    assert_eq!(
        transfers(&backend, 1).await,
        [transfer(old, &own, Atoms(1), 9), moved, transfer(lost, &own, Atoms(300), 14)],
        "what was gone came again"
    );
    assert_eq!(all.watched(CHAIN, start()).await.expect("a read").0, [(own, Atoms(322))]);
}

async fn a_touch_while_somebody_looks_is_not_lost(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let (own, other) = (opened(&backend, 1, 0).await.attempt, opened(&backend, 2, 1).await.attempt);
    assert_eq!(all.touched(CHAIN).await.expect("a read").0, []);
    let touching = |version, ids: &[AttemptId]| Advance { touched: ids.to_vec(), ..advance(10, version) };
    assert!(all.advance(&touching(0, &[own, other])).await.expect("a write"));
    assert_eq!(all.touched(CHAIN).await.expect("a read").0, [(own, 1), (other, 1)]);
    assert_eq!(all.touched(OTHER_CHAIN).await.expect("a read").0, [], "another chain's");
    assert!(all.advance(&touching(1, &[own])).await.expect("a write"));
    all.looked(own, 1).await.expect("a write");
    all.looked(other, 1).await.expect("a write");
    assert_eq!(
        all.touched(CHAIN).await.expect("a read").0,
        [(own, 2)],
        "what was new meanwhile is to be seen"
    );
    all.looked(own, 2).await.expect("a write");
    all.looked(own, 1).await.expect("who is late changes nothing");
    all.looked(own, 9).await.expect("nor does who saw what never was");
    assert_eq!(all.touched(CHAIN).await.expect("a read").0, []);
    assert!(all.advance(&touching(2, &[own])).await.expect("a write"));
    assert_eq!(all.touched(CHAIN).await.expect("a read").0, [(own, 3)]);
}

async fn coins_that_nobody_waits_for_are_reported_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let own = opened(&backend, 1, 0).await;
    let token = Deposit { contract: Some(TOKEN), ..deposit(2, 1) };
    all.open(&token).await.expect("a write");
    let of = |contract, transfer| Transfer { contract: Some(contract), ..transfer };
    let mut pass = advance(20, 0);
    let wrong = of(TOKEN, transfer("0x1:0", &own, Atoms(5), 10));
    let other = of(OTHER_TOKEN, transfer("0x1:1", &token, Atoms(6), 11));
    let native = transfer("balance:0x1", &token, Atoms(7), 12);
    let right = [transfer("0x2:0", &own, Atoms(8), 10), of(TOKEN, transfer("0x2:1", &token, Atoms(9), 10))];
    pass.found = [wrong.clone(), other.clone(), native.clone()].into_iter().chain(right).collect();
    assert!(all.advance(&pass).await.expect("a write"));
    let strays = |block| async move { all.strays(CHAIN, block).await.expect("a read").0 };
    let [first, second, third] = [(own, wrong.clone()), (token.clone(), other), (token, native)];
    assert_eq!(strays(9).await, []);
    assert_eq!(strays(11).await, [first.clone(), second.clone()]);
    assert_eq!(strays(20).await, [first, second.clone(), third.clone()]);
    all.mark_reported(CHAIN, &wrong.reference, wrong.address).await.expect("a write");
    assert_eq!(strays(20).await, [second.clone(), third]);
    // A transfer that is gone is not reported; one that was reported is not reported again, in whichever
    // block it comes.
    let mut replaced = advance(21, 1);
    replaced.replaced_from = Some(10);
    replaced.found = vec![Transfer { block: 13, ..wrong }];
    assert!(all.advance(&replaced).await.expect("a write"));
    assert_eq!(strays(21).await, []);
    let told = transfers(&backend, 1).await.remove(1);
    assert_eq!((told.reported, told.block, told.gone_at), (true, 13, None));
}

/// A payment begun at this time, with its deposit address.
async fn begun(backend: &Backend, number: u64, now: Timestamp) -> Deposit {
    let shop = Shop::live();
    let session = shop.store(&backend.stores.live, number, now).await;
    let beginning = Beginning {
        session: &session,
        method: Method::Crypto,
        provider: "evm",
        choice: None,
        email: None,
        language: None,
        id: attempt_id(number),
    };
    let (_, _, changes) = attempt::begin(beginning, &shop.rules, now).expect("it may begin");
    commit(&backend.stores.live, &changes).await;
    let index = u32::try_from(number).expect("small");
    let wanted = Deposit { opened_at: now, ..deposit(number, index) };
    chains(&backend.stores).open(&wanted).await.expect("a write").expect("a new place")
}

async fn what_is_waited_for_is_watched_closely(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let day = Duration::from_secs(24 * 60 * 60);
    let hour = Duration::from_secs(60 * 60);
    let now = start().plus(40 * day);
    let hot = |since| async move {
        let found = all.waited_for(CHAIN, since).await.expect("a read").0;
        found.into_iter().map(|(deposit, _)| deposit.index).collect::<Vec<_>>()
    };
    // 1: active for a long time; 2: ended long ago; 3: ended lately; 4: just given out, without an attempt.
    begun(&backend, 1, start()).await;
    for (number, at) in [(2, now.minus(6 * hour)), (3, now.minus(hour / 2))] {
        begun(&backend, number, at).await;
        let session = crate::fixture::read(&backend.stores.live, number).await.expect("a session");
        let (_, changes) = Shop::live().finish(&session, Outcome::Expired, number);
        commit(&backend.stores.live, &changes).await;
        let found = backend.stores.live.attempt(attempt_id(number)).await.expect("a read");
        let mut closed = found.expect("an attempt");
        let was = closed.version;
        closed.state = attempt::AttemptState::Watched;
        // It was checked just now.
        (closed.version, closed.updated_at) = (was + 1, now);
        let attempt = Box::new(closed);
        let moved = [till_domain::change::Change::MoveAttempt { attempt, was, news: false }];
        commit(&backend.stores.live, &moved).await;
    }
    let new = Deposit { opened_at: now, ..deposit(4, 4) };
    all.open(&new).await.expect("a write");
    assert_eq!(hot(now.minus(hour)).await, [1, 3, 4]);
    assert_eq!(hot(now.minus(7 * hour)).await, [1, 2, 3, 4]);
    let since = |at| async move { all.watched(CHAIN, at).await.expect("a read").0.len() };
    assert_eq!((since(start()).await, since(now.minus(30 * day)).await), (4, 3));
    assert_eq!(all.waited_for(OTHER_CHAIN, now.minus(hour)).await.expect("a read").0, [], "another chain's");
}

async fn a_database_shell_gives_no_address_to_somebody_else(kind: Kind) {
    let backend = Backend::new(kind).await;
    let own = opened(&backend, 1, 0).await;
    let mut pass = advance(10, 0);
    pass.found = vec![transfer("0x1:0", &own, Atoms(5), 10)];
    pass.touched = vec![own.attempt];
    pass.before = vec![(own.address, Atoms(3))];
    let all = chains(&backend.stores);
    assert!(all.advance(&pass).await.expect("a write"));
    let paid = all.sessions_of_hash(TxHash::from_bytes([0xfe; 32]), 9).await.expect("a read");
    assert_eq!(paid, [own.session]);
    assert_eq!(all.sessions_of_hash(TxHash::from_bytes([0xfd; 32]), 9).await.expect("a read"), []);
    all.mark_reported(CHAIN, "0x1:0", own.address).await.expect("a write");
    let shell = backend.shell("live").await;
    let tables = ["chain_deposits", "chain_transfers", "chain_cursors"];
    let mut before = Vec::new();
    for table in tables {
        before.push(shell.rows(table).await);
    }
    let stays = "stays with the payment";
    for (statement, because) in [
        ("UPDATE chain_deposits SET address = '0x1'", stays),
        ("UPDATE chain_deposits SET attempt_id = x'00000000000000000000000000000009'", stays),
        ("UPDATE chain_deposits SET charge = '1'", stays),
        ("UPDATE chain_deposits SET contract = '0x1'", stays),
        ("UPDATE chain_deposits SET chain = 1", stays),
        ("UPDATE chain_deposits SET place = 5", stays),
        ("UPDATE chain_deposits SET since_block = 0", stays),
        ("UPDATE chain_deposits SET before = '0'", stays),
        ("UPDATE chain_deposits SET before = NULL", stays),
        ("UPDATE chain_deposits SET touched = 0", stays),
        ("UPDATE chain_deposits SET looked = 2", ""),
        ("DELETE FROM chain_deposits", ""),
        ("UPDATE chain_transfers SET reference = 'other'", "what names a transfer"),
        ("UPDATE chain_transfers SET told = FALSE", "what names a transfer"),
        ("DELETE FROM chain_transfers", "never deleted"),
        ("UPDATE chain_cursors SET block = 1", "only rises"),
        ("DELETE FROM chain_cursors", "never deleted"),
    ] {
        let error = shell.run(statement).await.expect_err(statement);
        assert!(error.contains(because), "{error}, by: {statement}");
    }
    let more: &[&str] = match kind {
        Kind::Postgres => &["chain_deposits", "chain_transfers", "chain_cursors"],
        Kind::Embedded => &[],
    };
    for table in more {
        let error = shell.run(&format!("TRUNCATE {table} CASCADE")).await.expect_err(table);
        assert!(error.contains("never deleted"), "{error}");
    }
    if kind == Kind::Embedded {
        for statement in [
            "INSERT OR REPLACE INTO chain_deposits SELECT attempt_id, session_id, key, place + 1, address, chain, coin,
                contract, decimals, '1', rate, rate_source, opened_at, since_block, before, swept, touched, looked FROM chain_deposits",
            "INSERT OR REPLACE INTO chain_transfers SELECT chain, reference, address, hash, contract, '9', block,
                block_hash, seen_at, gone_at, stray, 0 FROM chain_transfers",
            "INSERT OR REPLACE INTO chain_cursors SELECT chain, 1, head, at, recent, 1 FROM chain_cursors",
        ] {
            assert_eq!(shell.run(statement).await, Ok(0), "{statement}");
        }
    }
    for (table, rows) in tables.iter().zip(before) {
        assert_eq!(shell.rows(table).await, rows, "{table}");
    }
}

/// A node of the previous version reads the same rows.
async fn addresses_and_hashes_are_stored_as_their_text(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let token = Deposit { contract: Some(TOKEN), ..deposit(1, 0) };
    all.open(&token).await.expect("a write");
    let pass = Advance { found: vec![transfer("0x1:0", &token, HUGE, 10)], ..advance(10, 0) };
    assert!(all.advance(&pass).await.expect("a write"));
    let shell = backend.shell("live").await;
    let stored = async |table| shell.rows(table).await.concat().join(" ").replace('\\', "");
    let (address, token) = (format!("0x{:040x}", 100), format!("0x{}", "a0".repeat(20)));
    let (hash, block) = (format!("0x{}", "fe".repeat(32)), format!("0x{:064x}", 10));
    let recent = format!("[[9,\"0x{:064x}\"],[10,\"{block}\"]]", 9);
    let huge = "340282366920938463463374607431768211455".to_owned();
    for (table, texts) in [
        ("chain_deposits", vec![address.clone(), token, huge.clone()]),
        ("chain_transfers", vec![address, hash, huge, block]),
        ("chain_cursors", vec![recent]),
    ] {
        let rows = stored(table).await;
        assert!(texts.iter().all(|text| rows.contains(text.as_str())), "{texts:?} in {rows}");
    }
}

async fn what_is_no_address_or_hash_is_named(kind: Kind) {
    let backend = Backend::new(kind).await;
    let all = chains(&backend.stores);
    let own = opened(&backend, 1, 0).await;
    let pass = Advance { found: vec![transfer("0x1:0", &own, HUGE, 10)], ..advance(10, 0) };
    assert!(all.advance(&pass).await.expect("a write"));
    let shell = backend.shell("live").await;
    drop_triggers(&shell).await;
    for (statement, what) in [
        ("UPDATE chain_cursors SET recent = '[[10,\"0x12\"]]'", "a chain's block hash \"0x12\""),
        ("UPDATE chain_cursors SET recent = '[[\"0x12\"]]'", "a chain's blocks"),
    ] {
        assert_eq!(shell.run(statement).await, Ok(1), "{statement}");
        let error = all.cursor(CHAIN).await.expect_err(statement);
        assert!(matches!(&error, StoreError::Corrupt(text) if text.contains(what)), "{error}");
    }
    for (statement, what) in [
        ("UPDATE chain_transfers SET block_hash = '10'", "a chain's block hash \"10\""),
        ("UPDATE chain_transfers SET hash = '0xfeed'", "a chain's transaction \"0xfeed\""),
        ("UPDATE chain_deposits SET contract = '0xa0'", "a chain's contract \"0xa0\""),
        ("UPDATE chain_deposits SET address = 'bad'", "a chain's address \"bad\""),
    ] {
        assert_eq!(shell.run(statement).await, Ok(1), "{statement}");
        let error = all.deposit(attempt_id(1)).await.expect_err(statement);
        assert!(matches!(&error, StoreError::Corrupt(text) if text.contains(what)), "{error}");
    }
}

on_both_engines!(
    a_deposit_is_kept_as_it_was_given_out,
    t37_a_restored_store_passes_over_addresses_that_may_have_been_given_out,
    no_address_is_given_out_twice_whoever_asks_at_once,
    a_pass_is_written_as_a_whole_by_the_first_who_read,
    of_two_who_read_at_once_one_counts,
    what_a_chain_takes_back_is_gone_and_may_come_again,
    a_touch_while_somebody_looks_is_not_lost,
    coins_that_nobody_waits_for_are_reported_once,
    what_is_waited_for_is_watched_closely,
    a_database_shell_gives_no_address_to_somebody_else,
    addresses_and_hashes_are_stored_as_their_text,
    what_is_no_address_or_hash_is_named,
);
