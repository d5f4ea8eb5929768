//! The double-entry ledger of the vendors' money: entries and their postings, account balances, and
//! settlements (pending funds that become available).
//!
//! Only the live store has it. The pass that seals entries into the hash chain also carries balances forward;
//! a balance is the carried amount and the few entries that are not sealed yet, so it costs the same however
//! long the history is.

use crate::{
    engine::{
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::Payments,
};
use till_domain::{
    hash_chain::{NOTHING, Seal},
    id::{EntryId, SessionId, VendorId},
    ledger::{Account, BalanceChange, Cause, Entry, EntryKind, Heading, Posting, Settlement},
    money::{Currency, Money},
    time::Timestamp,
};

/// Entries with their postings, one row for each posting, in an order that keeps those of an entry together.
/// `$from` selects the entries.
macro_rules! select_entry {
    ($from:expr, $order:literal) => {
        Sql::new(concat!(
            "SELECT ",
            $crate::payments::ledger::entry_columns!(),
            " FROM ",
            $from,
            " AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY ",
            $order,
            ", p.line"
        ))
    };
}

macro_rules! entry_columns {
    () => {
        "e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount"
    };
}

pub(crate) use entry_columns;

pub(crate) use select_entry;

pub(crate) static UNSEALED_ENTRIES: Queue =
    Queue { name: QueueName::Seals, sql: &UNSEALED, key: &[Key::Bytes] };

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Settlements, sql: &DUE_SETTLEMENTS, key: &[Key::Number, Key::Bytes] };

statements! {
    pub(crate) static INSERT_POSTING = Sql::insert(
        "INSERT INTO postings (entry_id, line, vendor_id, account, currency, amount) VALUES ($1, $2, $3, $4, $5, $6)",
    );
    pub(crate) static INSERT_ENTRY = Sql::insert(
        "INSERT INTO entries (id, vendor_id, kind, cause, session_id, currency, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    );
    pub(crate) static SCHEDULE_SETTLEMENT = Sql::insert(
        "INSERT INTO settlements (entry_id, vendor_id, session_id, currency, amount, due_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    );
    // The guard: funds that are no longer pending have no row.
    pub(crate) static SETTLE_ENTRY = Sql::new("DELETE FROM settlements WHERE entry_id = $1");
    // The guard (optimistic concurrency): a version that has risen changes no row. A wallet from which
    // nothing was taken yet has no row, and version 0.
    pub(crate) static TAKE_FROM_WALLET = Sql::new(
        "INSERT INTO wallets (vendor_id, currency, version) VALUES ($1, $2, $4)
         ON CONFLICT (vendor_id, currency) DO UPDATE SET version = excluded.version WHERE wallets.version = $3",
    );
    // Not guarded: the trigger refuses every wrong seal, and a guard for each of many would cost a round trip
    // each.
    pub(crate) static SEAL_ENTRY = Sql::update("UPDATE entries SET seq = $2, hash = $3 WHERE id = $1");
    pub(crate) static CARRY_BALANCE = Sql::new(
        "INSERT INTO balances (vendor_id, currency, account, balance, seq) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (vendor_id, currency, account) DO UPDATE
         SET balance = balances.balance + excluded.balance, seq = excluded.seq",
    );
    static BY_CAUSE = select_entry!("(SELECT * FROM entries WHERE kind = $1 AND cause = $2)", "e.id");
    static BY_ID = select_entry!("(SELECT * FROM entries WHERE id = $1)", "e.id");
    static OF_SESSION = select_entry!("(SELECT * FROM entries WHERE session_id = $1)", "e.id");
    // An entry without postings cannot be read, so it must not vanish from its page.
    static UNSEALED = Sql::new(concat!(
        "SELECT e.id, ",
        entry_columns!(),
        " FROM (SELECT * FROM entries WHERE seq IS NULL AND id > $1 ORDER BY id LIMIT $2) AS e
         LEFT JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id, p.line"
    ));
    static SEALED_AFTER = select_entry!(
        "(SELECT * FROM entries WHERE seq IS NOT NULL AND seq > $1 ORDER BY seq LIMIT $2)",
        "e.seq"
    );
    static LAST_SEAL =
        Sql::new("SELECT seq, hash FROM entries WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1");
    static UNSEALED_COUNT = Sql::new("SELECT COUNT(*) FROM entries WHERE seq IS NULL");
    // One statement, so that an entry is counted once: in the carried balance, or by itself.
    static BALANCES = Sql::new(
        "SELECT currency, account, CAST(SUM(amount) AS BIGINT) FROM (
            SELECT currency, account, balance AS amount FROM balances WHERE vendor_id = $1
            UNION ALL
            SELECT p.currency, p.account, p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.seq IS NULL AND e.vendor_id = $1) AS parts
         GROUP BY currency, account ORDER BY currency, account",
    );
    static CARRIED = Sql::new(
        "SELECT vendor_id, currency, account, balance, seq FROM balances
         WHERE (vendor_id, currency, account) > ($1, $2, $3) ORDER BY vendor_id, currency, account LIMIT $4",
    );
    static SEALED_SUM = Sql::new(
        "SELECT CAST(COALESCE(SUM(p.amount), 0) AS BIGINT) FROM postings AS p JOIN entries AS e ON e.id = p.entry_id
         WHERE p.vendor_id = $1 AND p.currency = $2 AND p.account = $3 AND e.seq IS NOT NULL AND e.seq <= $4",
    );
    static NEWER_THAN = Sql::new(
        "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM postings
         WHERE vendor_id = $1 AND currency = $2 AND account = $3 AND entry_id > $4",
    );
    static ACCOUNT_LINES = Sql::new(
        "SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, p.amount
         FROM (SELECT entry_id, amount FROM postings
            WHERE vendor_id = $1 AND currency = $2 AND account = $3 AND entry_id < $4
            ORDER BY entry_id DESC LIMIT $5) AS p JOIN entries AS e ON e.id = p.entry_id ORDER BY e.id DESC",
    );
    static WALLET_VERSION = Sql::new("SELECT version FROM wallets WHERE vendor_id = $1 AND currency = $2");
    static DUE_SETTLEMENTS = Sql::new(
        "SELECT due_at, entry_id, entry_id, vendor_id, session_id, currency, amount, due_at FROM settlements
         WHERE due_at <= $1 AND (due_at, entry_id) > ($2, $3) ORDER BY due_at, entry_id LIMIT $4",
    );
    static SETTLEMENT_COUNTS = Sql::new(
        "SELECT (SELECT COUNT(*) FROM settlements), (SELECT COUNT(*) FROM settlements WHERE due_at <= $1)",
    );
    static NEXT_SETTLEMENT = Sql::new("SELECT MIN(due_at) FROM settlements");
    static SETTLEMENT = Sql::new(
        "SELECT entry_id, vendor_id, session_id, currency, amount, due_at FROM settlements WHERE entry_id = $1",
    );
}

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    pub entry: Entry,
    /// Its sequence number and hash in the hash chain, once it is sealed.
    pub seal: Option<Seal>,
}

/// The balance of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    pub account: Account,
    pub amount: Money,
}

/// A vendor's funds in a currency, for a change that takes some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wallet {
    /// The version for [`TakeFromWallet`](till_domain::change::Change::TakeFromWallet). It was read before
    /// the balances, so a commit with it has counted nothing that another commit took.
    pub version: i64,
    /// Funds that can be paid out.
    pub available: Money,
    /// Funds that cannot be paid out yet.
    pub pending: Money,
}

/// A line of an account statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLine {
    pub heading: Heading,
    /// The posted amount, in minor units.
    pub amount: i64,
    /// The balance of the account after it, in minor units.
    pub balance: i64,
}

/// The ledger of a store that has one.
#[derive(Debug, Clone, Copy)]
pub struct Ledger<'a> {
    pub(crate) payments: &'a Payments,
}

impl Payments {
    /// The ledger; `None` in a sandbox.
    #[must_use]
    pub fn ledger(&self) -> Option<Ledger<'_>> {
        self.keeps_books.then_some(Ledger { payments: self })
    }
}

impl Ledger<'_> {
    /// The balances of a vendor's accounts, by currency and account.
    pub async fn balances(&self, vendor: VendorId) -> Result<Vec<Balance>, StoreError> {
        let rows = self.payments.engine.read(&BALANCES, vec![vendor.as_bytes().into()]).await?;
        let read = |mut row: Row| {
            let (currency, account) = (read_currency(&mut row)?, read_account(&mut row)?);
            Ok(Balance { account, amount: Money { minor: row.int()?, currency } })
        };
        rows.into_iter().map(read).collect()
    }

    /// A vendor's funds in a currency.
    pub async fn wallet(&self, vendor: VendorId, currency: Currency) -> Result<Wallet, StoreError> {
        let params = vec![vendor.as_bytes().into(), currency.code().into()];
        let rows = self.payments.engine.read(&WALLET_VERSION, params).await?;
        let version = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        let balances = self.balances(vendor).await?;
        let on = |account: Account| {
            let found = balances.iter().find(|b| b.amount.currency == currency && b.account == account);
            found.map_or(Money { minor: 0, currency }, |balance| balance.amount)
        };
        Ok(Wallet { version, available: on(Account::Available), pending: on(Account::Pending) })
    }

    /// The newest lines of a vendor's account; with `before`, only those older than that entry.
    pub async fn lines(
        &self,
        vendor: VendorId,
        currency: Currency,
        account: &Account,
        before: Option<EntryId>,
        limit: u32,
    ) -> Result<Vec<AccountLine>, StoreError> {
        let key = || -> Vec<Value> {
            vec![vendor.as_bytes().into(), currency.code().into(), account.to_string().into()]
        };
        let before = before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let mut params = key();
        params.extend([before.into(), i64::from(limit).into()]);
        let rows = self.payments.engine.browse(&ACCOUNT_LINES, params).await?;
        let read = |mut row: Row| Ok::<_, StoreError>((read_heading(&mut row)?, row.int()?));
        let lines = rows.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let Some((first, _)) = lines.first() else { return Ok(Vec::new()) };
        // Entries that came after the page was read are in both of these numbers, and cancel out.
        let mut params = key();
        params.push(first.id.as_bytes().into());
        let newer = self.payments.engine.browse(&NEWER_THAN, params).await?;
        let newer = newer.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        let all = self.balances(vendor).await?;
        let all = all.iter().find(|b| b.amount.currency == currency && b.account == *account);
        let mut balance = all.map_or(0, |balance| balance.amount.minor).saturating_sub(newer);
        let with_balance = |(heading, amount): (Heading, i64)| {
            let line = AccountLine { heading, amount, balance };
            balance = balance.saturating_sub(amount);
            line
        };
        Ok(lines.into_iter().map(with_balance).collect())
    }

    /// The entry that booked a cause.
    pub async fn entry_of(&self, kind: EntryKind, cause: Cause) -> Result<Option<StoredEntry>, StoreError> {
        let params = vec![kind.as_str().into(), cause.as_bytes().into()];
        let rows = self.payments.engine.read(&BY_CAUSE, params).await?;
        Ok(read_entries(rows)?.pop())
    }

    pub async fn entry(&self, id: EntryId) -> Result<Option<StoredEntry>, StoreError> {
        let rows = self.payments.engine.read(&BY_ID, vec![id.as_bytes().into()]).await?;
        Ok(read_entries(rows)?.pop())
    }

    /// The entries of a session, oldest first.
    pub async fn entries_of(&self, session: SessionId) -> Result<Vec<StoredEntry>, StoreError> {
        let rows = self.payments.engine.read(&OF_SESSION, vec![session.as_bytes().into()]).await?;
        read_entries(rows)
    }

    /// Unsealed entries, oldest first, and those before them that cannot be read. Unreadable entries stay
    /// unsealed: a hash of unreadable data would seal the damage.
    pub async fn unsealed(&self, limit: u32) -> Result<(Vec<Entry>, Unreadable), StoreError> {
        UNSEALED_ENTRIES.read(&self.payments.engine, vec![], limit, read_entry).await
    }

    /// The number of unsealed entries.
    pub async fn unsealed_count(&self) -> Result<u64, StoreError> {
        let rows = self.payments.engine.browse(&UNSEALED_COUNT, vec![]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The last seal of the hash chain.
    pub async fn last_seal(&self) -> Result<Seal, StoreError> {
        let rows = self.payments.engine.read(&LAST_SEAL, vec![]).await?;
        let read = |mut row: Row| Ok(Seal { seq: row.int()?, hash: row.array()? });
        rows.into_iter().next().map_or(Ok(NOTHING), read)
    }

    /// Sealed entries with higher sequence numbers than this, in order.
    pub async fn sealed_after(&self, seq: i64, limit: u32) -> Result<Vec<StoredEntry>, StoreError> {
        let params = vec![seq.into(), i64::from(limit).into()];
        read_entries(self.payments.engine.study(&SEALED_AFTER, params).await?)
    }

    /// The carried balances after this one (keyset pagination).
    pub async fn carried(
        &self,
        after: Option<&BalanceChange>,
        limit: u32,
    ) -> Result<Vec<BalanceChange>, StoreError> {
        let mut params: Vec<Value> = match after {
            None => vec![(&[0; 16]).into(), "".into(), "".into()],
            Some(last) => vec![
                last.vendor.as_bytes().into(),
                last.currency.code().into(),
                last.account.to_string().into(),
            ],
        };
        params.push(i64::from(limit).into());
        let read = |mut row: Row| {
            Ok(BalanceChange {
                vendor: VendorId::from_bytes(row.array()?),
                currency: read_currency(&mut row)?,
                account: read_account(&mut row)?,
                amount: row.int()?,
                seq: row.int()?,
            })
        };
        self.payments.engine.study(&CARRIED, params).await?.into_iter().map(read).collect()
    }

    /// The amount that should be carried for an account: the sum of its sealed postings up to the carried
    /// sequence number.
    pub async fn sealed_sum(&self, of: &BalanceChange) -> Result<i64, StoreError> {
        let params = vec![
            of.vendor.as_bytes().into(),
            of.currency.code().into(),
            of.account.to_string().into(),
            of.seq.into(),
        ];
        let rows = self.payments.engine.study(&SEALED_SUM, params).await?;
        rows.into_iter().next().map_or(Ok(0), |mut row| row.int())
    }

    /// Pending funds that become available by now, the longest overdue first, and the rows before them that
    /// cannot be read.
    pub async fn due_settlements(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<(Vec<Settlement>, Unreadable), StoreError> {
        DUE.read(&self.payments.engine, vec![now.into()], limit, single(read_settlement)).await
    }

    /// The number of settlements that are pending, and of those that are due by now.
    pub async fn settlement_counts(&self, now: Timestamp) -> Result<(u64, u64), StoreError> {
        let rows = self.payments.engine.browse(&SETTLEMENT_COUNTS, vec![now.into()]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok((0, 0)) };
        let mut next = || row.int().map(|count| u64::try_from(count).unwrap_or(0));
        Ok((next()?, next()?))
    }

    /// When a settlement is next due.
    pub async fn next_settlement(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.payments.engine.read(&NEXT_SETTLEMENT, vec![]).await?;
        rows.into_iter().next().map_or(Ok(None), |mut row| row.opt_time())
    }

    /// The settlement of an entry, while its funds are pending.
    pub async fn settlement(&self, entry: EntryId) -> Result<Option<Settlement>, StoreError> {
        let rows = self.payments.engine.read(&SETTLEMENT, vec![entry.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_settlement).transpose()
    }
}

/// The statements that add an entry's postings.
pub(crate) fn postings(entry: &Entry) -> impl Iterator<Item = Statement> {
    let heading = entry.heading();
    (1..).zip(entry.postings()).map(|(line, posting): (i64, _)| {
        let params = vec![
            heading.id.as_bytes().into(),
            line.into(),
            heading.vendor.as_bytes().into(),
            posting.account.to_string().into(),
            heading.currency.code().into(),
            posting.amount.into(),
        ];
        Statement { sql: &INSERT_POSTING, params, guarded: false }
    })
}

/// The values of [`INSERT_ENTRY`].
pub(crate) fn entry(entry: &Entry) -> Vec<Value> {
    let heading = entry.heading();
    vec![
        heading.id.as_bytes().into(),
        heading.vendor.as_bytes().into(),
        heading.kind.as_str().into(),
        heading.cause.as_bytes().into(),
        heading.session.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        heading.currency.code().into(),
        heading.at.into(),
    ]
}

/// The values of [`SCHEDULE_SETTLEMENT`].
pub(crate) fn settlement(settlement: &Settlement) -> Vec<Value> {
    vec![
        settlement.entry.as_bytes().into(),
        settlement.vendor.as_bytes().into(),
        settlement.session.as_ref().map(|id| id.as_bytes().as_slice()).into(),
        settlement.amount.currency.code().into(),
        settlement.amount.minor.into(),
        settlement.due_at.into(),
    ]
}

/// The values of [`CARRY_BALANCE`].
pub(crate) fn carried(carried: &BalanceChange) -> Vec<Value> {
    vec![
        carried.vendor.as_bytes().into(),
        carried.currency.code().into(),
        carried.account.to_string().into(),
        carried.amount.into(),
        carried.seq.into(),
    ]
}

fn corrupt(what: &str, value: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} {value:?}"))
}

pub(crate) fn read_currency(row: &mut Row) -> Result<Currency, StoreError> {
    let code = row.text()?;
    Currency::from_stored(&code).ok_or_else(|| corrupt("currency", &code))
}

fn read_account(row: &mut Row) -> Result<Account, StoreError> {
    let name = row.text()?;
    Account::parse(&name).ok_or_else(|| corrupt("account", &name))
}

fn read_heading(row: &mut Row) -> Result<Heading, StoreError> {
    let (id, vendor) = (EntryId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let kind = row.text()?;
    let kind = EntryKind::parse(&kind).ok_or_else(|| corrupt("kind", &kind))?;
    let (cause, session) = (Cause::from_bytes(row.array()?), row.opt_array()?.map(SessionId::from_bytes));
    Ok(Heading { id, vendor, kind, cause, session, currency: read_currency(row)?, at: row.time()? })
}

pub(crate) fn read_settlement(mut row: Row) -> Result<Settlement, StoreError> {
    let (entry, vendor) = (EntryId::from_bytes(row.array()?), VendorId::from_bytes(row.array()?));
    let session = row.opt_array()?.map(SessionId::from_bytes);
    let (currency, minor) = (read_currency(&mut row)?, row.int()?);
    Ok(Settlement { entry, vendor, session, amount: Money { minor, currency }, due_at: row.time()? })
}

/// Reads one entry from its rows.
pub(crate) fn read_entry(rows: Vec<Row>) -> Result<Entry, StoreError> {
    let entry = read_entries(rows)?.pop();
    entry.map(|stored| stored.entry).ok_or_else(|| StoreError::Corrupt("an entry without rows".to_owned()))
}

/// Reads entries from the rows of `select_entry!`.
pub(crate) fn read_entries(rows: Vec<Row>) -> Result<Vec<StoredEntry>, StoreError> {
    let mut parts: Vec<(Heading, Option<Seal>, Vec<Posting>)> = Vec::new();
    for mut row in rows {
        let heading = read_heading(&mut row)?;
        let seal = row.opt_int()?.zip(row.opt_array()?).map(|(seq, hash)| Seal { seq, hash });
        let posting = Posting { account: read_account(&mut row)?, amount: row.int()? };
        match parts.last_mut() {
            Some((last, _, postings)) if last.id == heading.id => postings.push(posting),
            _ => parts.push((heading, seal, vec![posting])),
        }
    }
    let whole = |(heading, seal, postings): (Heading, Option<Seal>, Vec<Posting>)| {
        let id = heading.id;
        let entry = Entry::read(heading, postings);
        let entry = entry.ok_or_else(|| StoreError::Corrupt(format!("entry {id} does not balance")))?;
        Ok(StoredEntry { entry, seal })
    };
    parts.into_iter().map(whole).collect()
}
