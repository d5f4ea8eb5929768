//! Verifies the stored payment data: the invariants that can be read off the rows.
//!
//! It only reads, beside a running service. Each check scans a table in pages, or follows the hash chain; a
//! statement sees one moment, and compares only what is written in one commit. A new check is a query here
//! and a line in [`WALKS`]: `$1` is the id after which the page begins and `$2` the number of its rows; it
//! returns each row's id with 0 if the row is right, 1 if it is wrong, and 2 if it is from before the ledger
//! was begun.

use crate::{
    engine::{
        Engine,
        checked::{CheckResult, NAMED},
        error::StoreError,
        sql::{Row, Sql, statements},
    },
    payments::{Payments, ledger::Ledger, verify_prices},
};
use std::collections::{BTreeMap, BTreeSet};
use till_domain::{
    hash_chain::NOTHING,
    id::{EntryId, VendorId},
    ledger::{Account, BalanceChange, follow},
    time::Timestamp,
};

/// Rows per page.
const AT_ONCE: u32 = 1_000;

macro_rules! judged {
    ($table:literal, $bad:expr) => {
        concat!(
            "SELECT t.id, CAST(CASE WHEN ",
            $bad,
            " THEN 1 ELSE 0 END AS BIGINT) FROM ",
            $table,
            " AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2"
        )
    };
    ($table:literal, $bad:expr, before $at:literal) => {
        concat!(
            "SELECT t.id, CAST(CASE WHEN NOT (",
            $bad,
            ") THEN 0 WHEN ",
            $at,
            " < COALESCE((SELECT at FROM entries ORDER BY id LIMIT 1), 9223372036854775807) THEN 2 ELSE 1 END AS BIGINT)
             FROM ",
            $table,
            " AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2"
        )
    };
}

statements! {
    static STATUSES = Sql::new(judged!(
        "sessions",
        "t.status NOT IN ('pending', 'paid', 'failed', 'expired') OR t.updated_at < t.created_at
            OR (t.status = 'pending') <> (t.due_at IS NOT NULL) OR (t.status = 'failed') <> (t.failure_reason IS NOT NULL)
            OR t.status = 'pending' AND t.updated_at <> t.created_at"
    ));
    static EVENTS = Sql::new(judged!(
        "sessions",
        "(SELECT COUNT(*) FROM callbacks AS c WHERE c.session_id = t.id AND c.event LIKE 'session.%')
                <> CASE WHEN t.status = 'pending' THEN 0 ELSE 1 END
            OR EXISTS (SELECT 1 FROM callbacks AS c WHERE c.session_id = t.id AND c.event LIKE 'session.%'
                AND (c.event <> 'session.' || t.status OR c.vendor_id <> t.vendor_id OR c.created_at <> t.updated_at))"
    ));
    static ATTEMPTS = Sql::new(judged!(
        "sessions",
        "(SELECT COUNT(*) FROM payment_attempts AS a
            WHERE a.session_id = t.id AND a.state IN ('intended', 'open', 'in_flight')) > 1"
    ));
    // The value of a part of a price in coins was once rounded down for each part by itself. A price paid at
    // once is paid exactly.
    static AMOUNTS = Sql::new(judged!(
        "sessions",
        "t.status = 'paid' AND (SELECT COUNT(*) FROM transactions AS m WHERE m.session_id = t.id) = 1
                AND EXISTS (SELECT 1 FROM transactions AS m WHERE m.session_id = t.id AND m.amount_minor <> t.amount_minor)
            OR t.status = 'paid' AND (SELECT COALESCE(SUM(m.amount_minor), 0) + CASE WHEN COUNT(*) > 2 THEN COUNT(*) - 2 ELSE 0 END
                FROM transactions AS m WHERE m.session_id = t.id AND m.currency = t.currency AND NOT m.reversed)
                < t.amount_minor
            OR EXISTS (SELECT 1 FROM transactions AS m WHERE m.session_id = t.id
                AND (m.currency <> t.currency OR m.vendor_id <> t.vendor_id))"
    ));
    static DELIVERIES = Sql::new(judged!(
        "callbacks",
        "t.state NOT IN ('queued', 'sending', 'delivered', 'undelivered', 'no_target')
            OR (t.state IN ('queued', 'sending')) <> (t.due_at IS NOT NULL) OR (t.state = 'no_target') <> (t.target IS NULL)
            OR t.state = 'delivered' AND t.delivered_at IS NULL
            OR (SELECT COUNT(*) FROM callback_attempts AS a WHERE a.callback_id = t.id AND a.number > t.attempts) > 0"
    ));
    static PAYMENTS = Sql::new(judged!(
        "sessions",
        "(SELECT COUNT(*) FROM entries AS e WHERE e.session_id = t.id AND e.kind = 'payment')
            <> CASE WHEN t.status = 'paid' THEN 1 ELSE 0 END",
        before "t.updated_at"
    ));
    static RECEIPTS = Sql::new(
        "SELECT t.id, CAST(CASE WHEN t.status <> 'paid'
                OR EXISTS (SELECT 1 FROM receipts AS r WHERE r.session_id = t.id AND r.kind = 'paid') THEN 0
            WHEN t.updated_at < COALESCE((SELECT created_at FROM receipts ORDER BY id LIMIT 1), 9223372036854775807) THEN 2
            ELSE 1 END AS BIGINT)
         FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2",
    );
    static BOOKED = Sql::new(judged!(
        "transactions",
        "t.amount_minor > 0 AND NOT t.reversed AND (
            (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id AND e.kind = 'payment')
            + (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id AND e.kind = 'suspense')
                NOT BETWEEN 1 AND CASE WHEN t.over THEN 2 ELSE 1 END
            OR (SELECT COALESCE(SUM(-p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind IN ('payment', 'suspense') AND p.account = 'clearing:' || t.provider
                    AND p.currency = t.currency)
                NOT BETWEEN t.amount_minor AND CASE WHEN t.over THEN 9223372036854775807 ELSE t.amount_minor END)",
        before "t.created_at"
    ));
    // A reversal is booked on the account to which the money came, and a person was notified; or a person decided
    // who bears the amount of a dispute.
    static TAKEN_BACK = Sql::new(judged!(
        "transactions",
        "t.reversed AND (NOT EXISTS (SELECT 1 FROM actions AS a WHERE a.session_id = t.session_id
                AND (a.kind = 'reversed' AND a.transaction_id = t.id
                    OR a.kind = 'disputed' AND a.resolution IN ('charge', 'absorb') AND a.amount_minor = t.amount_minor))
            OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'reversal' AND p.account = 'clearing:' || t.provider
                    AND p.currency = t.currency AND p.vendor_id = t.vendor_id) <> t.amount_minor)"
    ));
    static BALANCED = Sql::new(judged!(
        "entries",
        "(SELECT COUNT(*) FROM postings AS p WHERE p.entry_id = t.id) < 2
            OR (SELECT SUM(p.amount) FROM postings AS p WHERE p.entry_id = t.id) <> 0
            OR EXISTS (SELECT 1 FROM postings AS p
                WHERE p.entry_id = t.id AND (p.currency <> t.currency OR p.vendor_id <> t.vendor_id))"
    ));
    static OWNED = Sql::new(
        "SELECT p.entry_id, CAST(CASE WHEN EXISTS (SELECT 1 FROM entries AS e WHERE e.id = p.entry_id) THEN 0 ELSE 1 END
            AS BIGINT)
         FROM postings AS p WHERE p.entry_id > $1 GROUP BY p.entry_id ORDER BY p.entry_id LIMIT $2",
    );
    static PAYOUTS = Sql::new(judged!(
        "payouts",
        "(SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'payout' AND p.account = 'payouts' AND p.currency = t.currency
                    AND p.vendor_id = t.vendor_id) <> t.amount
            OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'payout_sent' AND p.account = 'payouts')
                <> CASE WHEN t.state = 'sent' THEN -t.amount ELSE 0 END
            OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'payout_failed' AND p.account = 'payouts')
                <> CASE WHEN t.state IN ('refused', 'failed') THEN -t.amount ELSE 0 END"
    ));
    // A refund of money in suspense was booked by the decision about it, and is no part of the payment.
    static REFUNDS = Sql::new(judged!(
        "refunds",
        "(SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = COALESCE(t.action_id, t.id) AND e.kind = 'refund' AND p.account = 'refunds'
                    AND p.currency = t.currency AND p.vendor_id = t.vendor_id) <> t.amount
            OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'refund_sent' AND p.account = 'refunds')
                <> CASE WHEN t.state = 'succeeded' THEN -t.amount ELSE 0 END
            OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
                WHERE e.cause = t.id AND e.kind = 'refund_failed' AND p.account = 'refunds')
                <> CASE WHEN t.state = 'failed' THEN -t.amount ELSE 0 END
            OR t.action_id IS NULL AND (SELECT SUM(r.amount) FROM refunds AS r
                WHERE r.transaction_id = t.transaction_id AND r.action_id IS NULL AND r.state <> 'failed')
                > (SELECT m.amount_minor FROM transactions AS m WHERE m.id = t.transaction_id)
                + COALESCE((SELECT SUM(p.amount) FROM transactions AS m
                    JOIN actions AS a ON a.session_id = m.session_id AND a.transaction_id = m.id
                    JOIN entries AS e ON e.kind = 'accepted' AND e.cause = a.id
                    JOIN postings AS p ON p.entry_id = e.id AND p.account = 'available'
                    WHERE m.session_id = t.session_id AND m.provider = t.provider AND m.reference = t.payment), 0)"
    ));
    static DECISIONS = Sql::new(judged!(
        "actions",
        "t.resolution IN ('accept', 'refund')
            AND EXISTS (SELECT 1 FROM entries AS e WHERE e.kind = 'suspense' AND e.cause = t.transaction_id)
            AND (SELECT COUNT(*) FROM entries AS e WHERE e.kind = 'accepted' AND e.cause = t.id)
                + (SELECT COUNT(*) FROM entries AS e WHERE e.kind = 'refund' AND e.cause = t.id) <> 1
            OR t.resolution IN ('charge', 'absorb')
            AND (t.kind = 'disputed'
                OR EXISTS (SELECT 1 FROM entries AS e WHERE e.kind = 'reversal' AND e.cause = t.transaction_id))
            AND (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id
                AND e.kind = CASE WHEN t.resolution = 'charge' THEN 'charged' ELSE 'absorbed' END) <> 1"
    ));
    // Money on its way back to a customer has a refund that sends it.
    static GOING_BACK = Sql::new(judged!(
        "entries",
        "t.kind = 'refund' AND EXISTS (SELECT 1 FROM postings AS p WHERE p.entry_id = t.id AND p.account = 'refunds')
            AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.id = t.cause)
            AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.session_id = t.session_id AND r.action_id = t.cause)"
    ));
    // The pending balance less the scheduled settlements: of one moment, in the currency where they differ
    // most.
    static PENDING = Sql::new(
        "SELECT CAST(COALESCE(MAX(ABS(total)), 0) AS BIGINT) FROM (SELECT SUM(amount) AS total FROM (
            SELECT currency, balance AS amount FROM balances WHERE vendor_id = $1 AND account = 'pending'
            UNION ALL
            SELECT p.currency, p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.seq IS NULL AND e.vendor_id = $1 AND p.account = 'pending'
            UNION ALL
            SELECT currency, -amount FROM settlements WHERE vendor_id = $1) AS parts GROUP BY currency) AS sums",
    );
    // The shortfall of the suspense account while it is not decided yet who bears a reversal.
    static UNBORNE = Sql::new(
        "SELECT p.currency, CAST(SUM(p.amount) AS BIGINT) FROM actions AS a
            JOIN entries AS e ON e.kind = 'reversal' AND e.cause = a.transaction_id
            JOIN postings AS p ON p.entry_id = e.id
         WHERE a.resolution IS NULL AND a.kind = 'reversed' AND a.vendor_id = $1 AND p.account = 'suspense'
         GROUP BY p.currency",
    );
    static VENDORS = Sql::new(
        "SELECT vendor_id FROM balances WHERE vendor_id > $1
         UNION SELECT vendor_id FROM entries WHERE seq IS NULL AND vendor_id > $1
         UNION SELECT vendor_id FROM settlements WHERE vendor_id > $1 ORDER BY vendor_id LIMIT $2",
    );
}

/// A check that scans a table.
struct TableScan {
    name: &'static str,
    sql: &'static Sql,
    /// True if it is about money, of which a sandbox has none.
    live_only: bool,
}

const fn both(name: &'static str, sql: &'static Sql) -> TableScan {
    TableScan { name, sql, live_only: false }
}

const fn live(name: &'static str, sql: &'static Sql) -> TableScan {
    TableScan { name, sql, live_only: true }
}

/// The scans, each named by what must hold for every row.
static WALKS: &[TableScan] = &[
    both("statuses match their timestamps (I1, I2)", &STATUSES),
    both("every final session has exactly one event (I3)", &EVENTS),
    both("a session has at most one open attempt (I10)", &ATTEMPTS),
    both("the amount paid is the price (I11)", &AMOUNTS),
    both("every event is being delivered or finished (I13, I14)", &DELIVERIES),
    live("every paid session has exactly one entry (I4)", &PAYMENTS),
    live("every paid session has its receipt", &RECEIPTS),
    live("every payment is booked once (I8)", &BOOKED),
    live("every reversal is booked once and reported (I8)", &TAKEN_BACK),
    live("every entry sums to zero in one currency (I5)", &BALANCED),
    live("every posting belongs to an entry (I5)", &OWNED),
    live("payout bookings match their states", &PAYOUTS),
    live("refund bookings match their states and do not exceed the payment (I8)", &REFUNDS),
    live("every decision moved its money once (I8)", &DECISIONS),
    live("money on its way back belongs to a refund (I8)", &GOING_BACK),
];

/// The names of the checks that are not scans, by what must hold.
const CHAIN: &str = "the hash chain of the ledger is intact (I6)";
const CARRIED: &str = "balances match the sum of the entries (I7)";
const FUNDS: &str = "no balance is negative; pending amounts are scheduled (I7)";
const NO_BOOKS: &str = "the sandbox has no ledger (I19)";
const QUEUES: &str = "all queue rows are readable";
const FILE: &str = "the database reports no damage";

/// Tables that a sandbox must not have.
const BOOKS: [&str; 13] = [
    "entries",
    "postings",
    "settlements",
    "wallets",
    "balances",
    "payouts",
    "receipts",
    "dispatches",
    "chain_deposits",
    "chain_transfers",
    "chain_cursors",
    "chain_comparisons",
    "reconciliations",
];

impl Payments {
    /// The number of checks for this environment.
    #[must_use]
    pub fn checks(&self) -> usize {
        let walks = WALKS.iter().filter(|walk| self.keeps_books || !walk.live_only).count();
        walks + if self.keeps_books { 6 } else { 4 }
    }

    /// Runs every check. `progress` is called with the name of a check and the rows read so far.
    pub async fn verify(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<Vec<CheckResult>, StoreError> {
        let mut done = Vec::with_capacity(self.checks());
        for walk in WALKS.iter().filter(|walk| self.keeps_books || !walk.live_only) {
            done.push(CheckResult::or_damage(walk.name, walk.take(&self.engine, progress).await)?);
        }
        let prices = verify_prices::check(&self.engine, progress).await;
        done.push(CheckResult::or_damage(verify_prices::NAME, prices)?);
        match self.ledger() {
            Some(ledger) => {
                let (chain, sums) = ledger.check_chain(progress).await;
                let carried =
                    ledger.check_carried(sums, chain.as_ref().is_ok_and(|c| c.wrong == 0), progress).await;
                done.push(CheckResult::or_damage(CHAIN, chain)?);
                done.push(CheckResult::or_damage(CARRIED, carried)?);
                done.push(CheckResult::or_damage(FUNDS, ledger.check_funds(progress).await)?);
            }
            None => done.push(CheckResult::or_damage(NO_BOOKS, self.check_no_books(progress).await)?),
        }
        done.push(CheckResult::or_damage(QUEUES, self.check_queues(progress).await)?);
        done.push(CheckResult::or_damage(FILE, self.check_file(progress).await)?);
        Ok(done)
    }

    /// Names the rows that workers skip, because those are never served.
    async fn check_queues(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        let mut checked = CheckResult::new(QUEUES);
        progress(checked.name, 0);
        for inspected in self.inspect_queues(Timestamp::from_ms(i64::MAX), u32::MAX).await? {
            checked.rows += inspected.readable + inspected.unreadable.count;
            checked.wrong += inspected.unreadable.count;
            let queue = inspected.unreadable.queue;
            let named = inspected.unreadable.first.iter();
            let named = named.map(|row| format!("{queue} {}: {}", row.id, row.problem));
            checked.first.extend(named.take(NAMED.saturating_sub(checked.first.len())));
        }
        Ok(checked)
    }

    async fn check_no_books(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        let mut checked = CheckResult::new(NO_BOOKS);
        progress(checked.name, 0);
        let tables = self.engine.tables().await?;
        checked.rows = u64::try_from(tables.len()).unwrap_or(u64::MAX);
        for table in tables.into_iter().filter(|table| BOOKS.contains(&table.as_str())) {
            checked.wrong(table);
        }
        Ok(checked)
    }

    async fn check_file(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        let mut checked = CheckResult::new(FILE);
        progress(checked.name, 0);
        for line in self.engine.find_damage().await? {
            checked.wrong(line);
        }
        Ok(checked)
    }
}

impl TableScan {
    async fn take(
        &self,
        engine: &Engine,
        progress: &mut dyn FnMut(&str, u64),
    ) -> Result<CheckResult, StoreError> {
        let (mut checked, mut last) = (CheckResult::new(self.name), [0_u8; 16]);
        loop {
            progress(self.name, checked.rows);
            let rows = engine.study(self.sql, vec![(&last).into(), i64::from(AT_ONCE).into()]).await?;
            let count = rows.len();
            for mut row in rows {
                last = row.array()?;
                checked.rows += 1;
                match row.int()? {
                    0 => {}
                    1 => checked.wrong(EntryId::from_bytes(last).to_string()),
                    _ => checked.before += 1,
                }
            }
            if u32::try_from(count).is_ok_and(|count| count < AT_ONCE) {
                return Ok(checked);
            }
        }
    }
}

type Sums = BTreeMap<(VendorId, &'static str, String), i64>;

impl Ledger<'_> {
    /// Verifies the hash chain from the first entry to the last sealed one, and sums up its postings.
    async fn check_chain(
        &self,
        progress: &mut dyn FnMut(&str, u64),
    ) -> (Result<CheckResult, StoreError>, Sums) {
        let mut sums = Sums::new();
        let chain = self.follow_chain(&mut sums, progress).await;
        (chain, sums)
    }

    async fn follow_chain(
        &self,
        sums: &mut Sums,
        progress: &mut dyn FnMut(&str, u64),
    ) -> Result<CheckResult, StoreError> {
        let (mut chain, mut last) = (CheckResult::new(CHAIN), NOTHING);
        loop {
            progress(chain.name, chain.rows);
            let sealed = match self.sealed_after(last.seq, AT_ONCE).await {
                Ok(sealed) => sealed,
                // The rest of the chain cannot be followed.
                Err(StoreError::Corrupt(what) | StoreError::Damaged(what)) => {
                    chain.wrong(what);
                    return Ok(chain);
                }
                Err(error) => return Err(error),
            };
            chain.rows += u64::try_from(sealed.len()).unwrap_or(0);
            for stored in &sealed {
                let heading = stored.entry.heading();
                for posting in stored.entry.postings() {
                    let key = (heading.vendor, heading.currency.code(), posting.account.to_string());
                    let sum = sums.entry(key).or_default();
                    *sum = sum.saturating_add(posting.amount);
                }
            }
            let count = sealed.len();
            let pairs = sealed.iter().filter_map(|stored| Some((&stored.entry, stored.seal.as_ref()?)));
            match follow(last, pairs) {
                Ok(seal) => last = seal,
                Err(id) => {
                    chain.wrong(id.to_string());
                    // Later entries are wrong because this one is; they are still summed up.
                    last = sealed.last().and_then(|stored| stored.seal).unwrap_or(last);
                }
            }
            if u32::try_from(count).is_ok_and(|count| count < AT_ONCE) {
                chain.ends_with = Some(last.to_string());
                return Ok(chain);
            }
        }
    }

    async fn check_carried(
        &self,
        mut sums: Sums,
        whole: bool,
        progress: &mut dyn FnMut(&str, u64),
    ) -> Result<CheckResult, StoreError> {
        let mut checked = CheckResult::new(CARRIED);
        let mut last: Option<BalanceChange> = None;
        loop {
            progress(checked.name, checked.rows);
            let page = match self.carried(last.as_ref(), AT_ONCE).await {
                Ok(page) => page,
                // The rest of the balances cannot be compared.
                Err(StoreError::Corrupt(what)) => {
                    checked.wrong(what);
                    return Ok(checked);
                }
                Err(error) => return Err(error),
            };
            for carried in &page {
                checked.rows += 1;
                let key = (carried.vendor, carried.currency.code(), carried.account.to_string());
                let sum = sums.remove(&key);
                // More may have been sealed since the sums were made: then they are made again, up to this
                // very entry.
                if sum != Some(carried.amount) && self.sealed_sum(carried).await? != carried.amount {
                    checked.wrong(name(carried.vendor, carried.currency.code(), &key.2));
                }
            }
            let full = u32::try_from(page.len()).is_ok_and(|count| count >= AT_ONCE);
            last = page.into_iter().next_back();
            if !full {
                break;
            }
        }
        for ((vendor, currency, account), _) in sums.into_iter().filter(|(_, sum)| whole && *sum != 0) {
            checked.wrong(name(vendor, currency, &account));
        }
        Ok(checked)
    }

    /// Checks that no vendor has a negative balance, and that pending funds are scheduled to become
    /// available.
    async fn check_funds(&self, progress: &mut dyn FnMut(&str, u64)) -> Result<CheckResult, StoreError> {
        let mut checked = CheckResult::new(FUNDS);
        let mut last = [0_u8; 16];
        loop {
            progress(checked.name, checked.rows);
            let page =
                self.payments.engine.study(&VENDORS, vec![(&last).into(), i64::from(AT_ONCE).into()]).await?;
            let vendors =
                page.into_iter().map(|mut row: Row| row.array()).collect::<Result<BTreeSet<_>, _>>()?;
            for bytes in &vendors {
                checked.rows += 1;
                let vendor = VendorId::from_bytes(*bytes);
                match self.check_vendor(vendor).await {
                    Ok(offenders) => offenders.into_iter().for_each(|offender| checked.wrong(offender)),
                    Err(StoreError::Corrupt(what)) => checked.wrong(format!("{vendor}: {what}")),
                    Err(error) => return Err(error),
                }
            }
            match vendors.last() {
                Some(bytes) => last = *bytes,
                None => return Ok(checked),
            }
        }
    }

    async fn check_vendor(&self, vendor: VendorId) -> Result<Vec<String>, StoreError> {
        let balances = self.balances(vendor).await?;
        let unborne = self.payments.engine.scan(&UNBORNE, vec![vendor.as_bytes().into()]).await?;
        let read = |mut row: Row| Ok((row.text()?, row.int()?));
        let unborne = unborne.into_iter().map(read).collect::<Result<BTreeMap<_, _>, StoreError>>()?;
        let least = |balance: &crate::payments::ledger::Balance| {
            let missing = unborne.get(balance.amount.currency.code()).copied();
            missing.filter(|_| balance.account == Account::Suspense).unwrap_or(0)
        };
        let own =
            [Account::Available, Account::Pending, Account::Payouts, Account::Refunds, Account::Suspense];
        let below = balances
            .iter()
            .filter(|balance| balance.amount.minor < least(balance) && own.contains(&balance.account));
        let named = |balance: &crate::payments::ledger::Balance| {
            name(vendor, balance.amount.currency.code(), &balance.account.to_string())
        };
        let mut wrong: Vec<String> = below.map(named).collect();
        let rows = self.payments.engine.study(&PENDING, vec![vendor.as_bytes().into()]).await?;
        if rows.into_iter().next().map_or(Ok(0), |mut row| row.int())? != 0 {
            wrong.push(format!("{vendor} pending"));
        }
        Ok(wrong)
    }
}

fn name(vendor: VendorId, currency: &str, account: &str) -> String {
    format!("{vendor} {currency} {account}")
}
