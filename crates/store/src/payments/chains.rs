//! The data about blockchains: which address was assigned to which payment, which transfers came to it, and
//! how far each chain was read. Only the live store has it.
//!
//! It records the outside world, as the simulated bank's records do, which is why it is written separately
//! from [`Payments::commit`]. The findings of one pass over new blocks are one unit of work, guarded by the
//! version of the cursor that was read (optimistic concurrency): of two nodes that read a chain at once, one
//! succeeds.

use crate::{
    engine::{
        WriteOutcome,
        due::{Key, Queue, QueueName, Unreadable, single, sort_out},
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::{
        Payments,
        chain_rows::{
            chain_id, corrupt, number, read_cursor, read_deposit, read_stray, read_transfer, read_watched,
            recent_text, text, transfer_values,
        },
    },
};
use std::time::Duration;
use till_domain::{
    chain::{Address, Advance, Atoms, ChainId, Cursor, Deposit, Transfer, TxHash},
    id::{AttemptId, SessionId},
    time::Timestamp,
};

/// A payment that was waited for lately was given an address no longer ago than this; older addresses are
/// checked as seldom as any other.
const LATELY: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum number of transfers that are reported to a person in one pass.
const MAX_STRAYS: u32 = 10_000;

/// Deposits, each with the sum that came to it, and those that cannot be read.
type Watched = (Vec<(Deposit, Atoms)>, Unreadable);

/// The columns of a deposit, of the table with the alias `d`.
macro_rules! deposit_columns {
    () => {
        "d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept"
    };
}

/// The columns of a transfer, of the table with the alias `t`.
macro_rules! transfer_columns {
    () => {
        "t.chain, t.reference, t.hash, t.address, t.contract, t.atoms, t.block, t.block_hash, t.seen_at, t.gone_at,
            t.told"
    };
}

/// Deposits with each of their transfers of the chain's native coin that was not removed by a reorg, in one
/// query so that both are of one moment.
macro_rules! watched {
    ($which:literal) => {
        Sql::new(concat!(
            "SELECT d.attempt_id, ",
            deposit_columns!(),
            ", t.atoms FROM chain_deposits AS d LEFT JOIN chain_transfers AS t
                ON t.address = d.address AND t.chain = d.chain AND t.contract IS NULL AND t.gone_at IS NULL
             WHERE d.chain = $1 AND ",
            $which,
            " ORDER BY d.attempt_id"
        ))
    };
}

static STRAY: Queue =
    Queue { name: QueueName::Strays, sql: &STRAYS, key: &[Key::Number, Key::Text, Key::Text] };
pub(crate) static STRAY_ANYWHERE: Queue = Queue {
    name: QueueName::Strays,
    sql: &ALL_STRAYS,
    key: &[Key::Number, Key::Number, Key::Text, Key::Text],
};
pub(crate) static WATCHED_ANYWHERE: Queue =
    Queue { name: QueueName::Deposits, sql: &ALL_WATCHED, key: &[Key::Newest] };

statements! {
    static NEXT_INDEX = Sql::new(
        "SELECT MAX(place) FROM (
            SELECT COALESCE(MAX(place), -1) + 1 AS place FROM chain_deposits WHERE key = $1
            UNION ALL SELECT place FROM chain_floor
         ) AS free",
    );
    // An attempt, an index or an address that is taken adds no row.
    static OPEN = Sql::new(
        "INSERT INTO chain_deposits (attempt_id, session_id, key, place, address, chain, coin, contract, decimals, charge,
            rate, rate_source, opened_at, since_block, before, swept, touched, looked)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0) ON CONFLICT DO NOTHING",
    );
    static DEPOSIT =
        Sql::new(concat!("SELECT ", deposit_columns!(), " FROM chain_deposits AS d WHERE d.attempt_id = $1"));
    static DEPOSIT_AT =
        Sql::new(concat!("SELECT ", deposit_columns!(), " FROM chain_deposits AS d WHERE d.address = $1"));
    static SESSIONS_OF_HASH = Sql::new(
        "SELECT DISTINCT d.session_id FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
         WHERE t.hash = $1 ORDER BY d.session_id DESC LIMIT $2",
    );
    static TRANSFERS = Sql::new(concat!(
        "SELECT ",
        transfer_columns!(),
        " FROM chain_transfers AS t WHERE t.address = $1 AND t.chain = $2 ORDER BY t.block, t.reference"
    ));
    static CAME_SINCE = Sql::new(concat!(
        "SELECT t.reference, t.address, d.attempt_id, ",
        transfer_columns!(),
        " FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
         WHERE t.chain = $1 AND t.block >= $2 AND t.gone_at IS NULL ORDER BY t.block, t.reference"
    ));
    static WATCHED = watched!("d.opened_at >= $2");
    // Active attempts are few, whatever their age. For the others the session tells until when the payment
    // was waited for, because later checks change the attempt.
    static WAITED_FOR = watched!(
        "d.attempt_id IN (
            SELECT id FROM payment_attempts WHERE state IN ('intended', 'open', 'in_flight')
            UNION ALL
            SELECT o.attempt_id FROM chain_deposits AS o LEFT JOIN sessions AS s ON s.id = o.session_id
            WHERE o.chain = $1 AND o.opened_at >= $3
                AND (o.opened_at >= $2 OR s.due_at IS NOT NULL OR s.updated_at >= $2))"
    );
    static CURSOR =
        Sql::new("SELECT chain, block, head, at, recent, version FROM chain_cursors WHERE chain = $1");
    static CURSORS =
        Sql::new("SELECT chain, block, head, at, recent, version FROM chain_cursors ORDER BY chain");
    // The guards: the first reader of a chain must find no cursor, a later one the version that it knows
    // (compare-and-set).
    static FIRST_CURSOR = Sql::new(
        "INSERT INTO chain_cursors (chain, block, head, at, recent, version) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (chain) DO NOTHING",
    );
    static NEXT_CURSOR = Sql::new(
        "UPDATE chain_cursors SET block = $2, head = $3, at = $4, recent = $5, version = $6
         WHERE chain = $1 AND version = $7",
    );
    static COMPARED = Sql::new("SELECT compared_at, compared_until FROM chain_comparisons WHERE chain = $1");
    static NOTE_COMPARED = Sql::new(
        "INSERT INTO chain_comparisons (chain, compared_at, compared_until) VALUES ($1, $2, $3)
         ON CONFLICT (chain) DO UPDATE
         SET compared_at = excluded.compared_at, compared_until = excluded.compared_until",
    );
    static REPLACE =
        Sql::new("UPDATE chain_transfers SET gone_at = $3 WHERE chain = $1 AND block >= $2 AND gone_at IS NULL");
    // A transaction may be included in another block, and have another effect there.
    static MOVE_TRANSFER = Sql::new(
        "UPDATE chain_transfers SET hash = $4, contract = $5, atoms = $6, block = $7, block_hash = $8, gone_at = NULL,
            stray = (SELECT COALESCE(contract, '') <> COALESCE(CAST($5 AS TEXT), '') FROM chain_deposits WHERE address = $3)
         WHERE chain = $1 AND reference = $2 AND address = $3",
    );
    static ADD_TRANSFER = Sql::new(
        "INSERT INTO chain_transfers (chain, reference, address, hash, contract, atoms, block, block_hash, seen_at, stray,
            told)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
            (SELECT COALESCE(contract, '') <> COALESCE(CAST($5 AS TEXT), '') FROM chain_deposits WHERE address = $3), FALSE)
         ON CONFLICT (chain, reference, address) DO NOTHING",
    );
    static SWEEP = Sql::new("UPDATE chain_deposits SET swept = $3 WHERE address = $2 AND chain = $1");
    static BEFORE =
        Sql::new("UPDATE chain_deposits SET before = $3 WHERE address = $2 AND chain = $1 AND before IS NULL");
    static TOUCH = Sql::new("UPDATE chain_deposits SET touched = touched + 1 WHERE attempt_id = $1");
    static TOUCHED = Sql::new(
        "SELECT attempt_id, attempt_id, touched FROM chain_deposits WHERE chain = $1 AND touched > looked ORDER BY attempt_id",
    );
    static LOOKED =
        Sql::new("UPDATE chain_deposits SET looked = $2 WHERE attempt_id = $1 AND looked < $2 AND touched >= $2");
    static STRAYS = Sql::new(concat!(
        "SELECT t.block, t.reference, t.address, ",
        deposit_columns!(),
        ", ",
        transfer_columns!(),
        " FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
         WHERE t.chain = $1 AND t.block <= $2 AND t.stray AND NOT t.told AND t.gone_at IS NULL
            AND (t.block, t.reference, t.address) > ($3, $4, $5)
         ORDER BY t.block, t.reference, t.address LIMIT $6"
    ));
    // Of all chains, for operators.
    static ALL_STRAYS = Sql::new(concat!(
        "SELECT t.chain, t.block, t.reference, t.address, ",
        deposit_columns!(),
        ", ",
        transfer_columns!(),
        " FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
         WHERE t.stray AND NOT t.told AND t.gone_at IS NULL
            AND (t.chain, t.block, t.reference, t.address) > ($1, $2, $3, $4)
         ORDER BY t.chain, t.block, t.reference, t.address LIMIT $5"
    ));
    // They are read again and again for weeks, so the newest come first.
    static ALL_WATCHED = Sql::new(concat!(
        "SELECT d.attempt_id, ",
        deposit_columns!(),
        ", t.atoms FROM (SELECT * FROM chain_deposits WHERE attempt_id > $1 AND attempt_id < $2
            ORDER BY attempt_id DESC LIMIT $3) AS d LEFT JOIN chain_transfers AS t
            ON t.address = d.address AND t.chain = d.chain AND t.contract IS NULL AND t.gone_at IS NULL
         ORDER BY d.attempt_id DESC"
    ));
    // The guard of a report to a person: a transfer that was reported, or removed by a reorg, changes no row.
    pub(crate) static TELL = Sql::new(
        "UPDATE chain_transfers SET told = TRUE
         WHERE chain = $1 AND reference = $2 AND address = $3 AND NOT told AND gone_at IS NULL",
    );
}

/// A comparison of a chain with the transfers that were read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCompared {
    /// When it was made.
    pub at: Timestamp,
    /// The time of the chain up to which it was compared.
    pub until: Timestamp,
}

/// The blockchain data of a store.
#[derive(Debug, Clone, Copy)]
pub struct Chains<'a> {
    payments: &'a Payments,
}

impl Payments {
    /// The blockchain data; `None` in a sandbox.
    #[must_use]
    pub fn chains(&self) -> Option<Chains<'_>> {
        self.keeps_books.then_some(Chains { payments: self })
    }
}

impl Chains<'_> {
    async fn read(&self, sql: &'static Sql, params: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        self.payments.engine.read(sql, params).await
    }

    async fn write(&self, unit: Vec<Statement>) -> Result<WriteOutcome, StoreError> {
        self.payments.engine.write(unit).await
    }

    /// The first address index of a key that is above all that were given out.
    pub async fn next_index(&self, key: &str) -> Result<u32, StoreError> {
        let rows = self.read(&NEXT_INDEX, vec![key.into()]).await?;
        let next = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        u32::try_from(next).map_err(|_| corrupt("place", &next.to_string()))
    }

    /// Stores a deposit, and returns the one that its attempt has: this or an older one. `None` if its index
    /// or its address belongs to another attempt.
    pub async fn open(&self, deposit: &Deposit) -> Result<Option<Deposit>, StoreError> {
        let params = vec![
            deposit.attempt.as_bytes().into(),
            deposit.session.as_bytes().into(),
            deposit.key.as_str().into(),
            i64::from(deposit.index).into(),
            text(deposit.address),
            chain_id(deposit.chain)?,
            deposit.coin.as_str().into(),
            deposit.contract.map(text).into(),
            i64::from(deposit.decimals).into(),
            text(deposit.charge),
            deposit.rate.as_str().into(),
            deposit.rate_source.as_str().into(),
            deposit.opened_at.into(),
            number("block", deposit.since_block)?,
            deposit.before.map(text).into(),
            text(deposit.swept),
        ];
        self.write(vec![Statement { sql: &OPEN, params, guarded: false }]).await?;
        self.alone(deposit.attempt).await
    }

    async fn alone(&self, id: AttemptId) -> Result<Option<Deposit>, StoreError> {
        let rows = self.read(&DEPOSIT, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(|mut row| read_deposit(&mut row)).transpose()
    }

    /// The deposit of an attempt, with all transfers that ever came to it, in block order.
    pub async fn deposit(&self, id: AttemptId) -> Result<Option<(Deposit, Vec<Transfer>)>, StoreError> {
        let Some(deposit) = self.alone(id).await? else { return Ok(None) };
        let params = vec![text(deposit.address), chain_id(deposit.chain)?];
        let rows = self.read(&TRANSFERS, params).await?;
        let transfers = rows.into_iter().map(|mut row| read_transfer(&mut row)).collect::<Result<_, _>>()?;
        Ok(Some((deposit, transfers)))
    }

    /// The deposit to which an address was given.
    pub async fn deposit_at(&self, address: Address) -> Result<Option<Deposit>, StoreError> {
        let rows = self.read(&DEPOSIT_AT, vec![text(address)]).await?;
        rows.into_iter().next().map(|mut row| read_deposit(&mut row)).transpose()
    }

    /// The sessions to whose addresses the transaction with this hash transferred coins, newest first.
    pub async fn sessions_of_hash(&self, hash: TxHash, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.read(&SESSIONS_OF_HASH, vec![text(hash), i64::from(limit).into()]).await?;
        rows.into_iter().map(|mut row| Ok(SessionId::from_bytes(row.array()?))).collect()
    }

    /// Transfers to the addresses of a chain in this block or later that were not removed by a reorg, each
    /// with its attempt; and the transfers that cannot be read.
    pub async fn came_since(
        &self,
        chain: ChainId,
        block: u64,
    ) -> Result<(Vec<(AttemptId, Transfer)>, Unreadable), StoreError> {
        let params = vec![chain_id(chain)?, number("block", block)?];
        let rows = self.payments.engine.scan(&CAME_SINCE, params).await?;
        let read = |mut row: Row| Ok((AttemptId::from_bytes(row.array()?), read_transfer(&mut row)?));
        sort_out(QueueName::Deposits, rows, 2, single(read))
    }

    /// Deposits on a chain that were opened since then, each with the sum of the chain's native coin that
    /// came and was not removed by a reorg; and those of them that cannot be read.
    pub async fn watched(&self, chain: ChainId, since: Timestamp) -> Result<Watched, StoreError> {
        let rows = self.payments.engine.scan(&WATCHED, vec![chain_id(chain)?, since.into()]).await?;
        sort_out(QueueName::Deposits, rows, 1, read_watched)
    }

    /// As [`Chains::watched`], for deposits whose payment is waited for, or was at or after `since`.
    pub async fn waited_for(&self, chain: ChainId, since: Timestamp) -> Result<Watched, StoreError> {
        let params = vec![chain_id(chain)?, since.into(), since.minus(LATELY).into()];
        let rows = self.payments.engine.scan(&WAITED_FOR, params).await?;
        sort_out(QueueName::Deposits, rows, 1, read_watched)
    }

    /// The cursor of a chain: how far it was read, if ever.
    pub async fn cursor(&self, chain: ChainId) -> Result<Option<Cursor>, StoreError> {
        let rows = self.read(&CURSOR, vec![chain_id(chain)?]).await?;
        rows.into_iter().next().map(read_cursor).transpose()
    }

    /// The cursors of all chains.
    pub async fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        self.read(&CURSORS, vec![]).await?.into_iter().map(read_cursor).collect()
    }

    /// The last comparison of a chain with the transfers that were read from it, if there was one.
    pub async fn compared(&self, chain: ChainId) -> Result<Option<ChainCompared>, StoreError> {
        let rows = self.read(&COMPARED, vec![chain_id(chain)?]).await?;
        let read = |mut row: Row| Ok(ChainCompared { at: row.time()?, until: row.time()? });
        rows.into_iter().next().map(read).transpose()
    }

    /// Records a comparison of a chain.
    pub async fn note_compared(&self, chain: ChainId, compared: ChainCompared) -> Result<(), StoreError> {
        let params = vec![chain_id(chain)?, compared.at.into(), compared.until.into()];
        self.write(vec![Statement { sql: &NOTE_COMPARED, params, guarded: false }]).await.map(drop)
    }

    /// Writes the findings of one pass, all of them. `false` if another node was first: nothing was written
    /// then.
    pub async fn advance(&self, advance: &Advance) -> Result<bool, StoreError> {
        let unit = advance_unit(advance)?;
        Ok(self.write(unit).await? == WriteOutcome::Done)
    }

    /// Payments of a chain that changed since they were last checked, each with its change counter; and those
    /// that cannot be read.
    pub async fn touched(&self, chain: ChainId) -> Result<(Vec<(AttemptId, i64)>, Unreadable), StoreError> {
        let rows = self.payments.engine.scan(&TOUCHED, vec![chain_id(chain)?]).await?;
        let read = |mut row: Row| Ok((AttemptId::from_bytes(row.array()?), row.int()?));
        sort_out(QueueName::Deposits, rows, 1, single(read))
    }

    /// Records that a payment was checked when its change counter was `seen`.
    pub async fn looked(&self, id: AttemptId, seen: i64) -> Result<(), StoreError> {
        let params = vec![id.as_bytes().into(), seen.into()];
        self.write(vec![Statement { sql: &LOOKED, params, guarded: false }]).await.map(drop)
    }

    /// Transfers up to this block that were not removed by a reorg, are of another coin than their deposit
    /// expects, and were not reported yet: the first ones if there are very many. And the rows before them
    /// that cannot be read.
    pub async fn strays(
        &self,
        chain: ChainId,
        block: u64,
    ) -> Result<(Vec<(Deposit, Transfer)>, Unreadable), StoreError> {
        let params = vec![chain_id(chain)?, number("block", block)?];
        STRAY.read(&self.payments.engine, params, MAX_STRAYS, single(read_stray)).await
    }

    /// Records that a transfer was reported to a person.
    pub async fn mark_reported(
        &self,
        chain: ChainId,
        reference: &str,
        address: Address,
    ) -> Result<(), StoreError> {
        let params = tell(chain, reference, address);
        self.write(vec![Statement { sql: &TELL, params, guarded: false }]).await.map(drop)
    }
}

/// The values of [`TELL`].
pub(crate) fn tell(chain: ChainId, reference: &str, address: Address) -> Vec<Value> {
    // A chain id that does not fit the column has no transfers.
    vec![i64::try_from(chain.0).unwrap_or(0).into(), reference.into(), text(address)]
}

fn advance_unit(advance: &Advance) -> Result<Vec<Statement>, StoreError> {
    let plain = |sql, params| Statement { sql, params, guarded: false };
    let chain = chain_id(advance.cursor.chain)?;
    let mut unit = vec![cursor_guard(&advance.cursor)?];
    if let Some(block) = advance.replaced_from {
        let params = vec![chain.clone(), number("block", block)?, advance.cursor.at.into()];
        unit.push(plain(&REPLACE, params));
    }
    for transfer in &advance.found {
        let params = transfer_values(transfer)?;
        unit.push(plain(&MOVE_TRANSFER, params.clone()));
        unit.push(plain(&ADD_TRANSFER, [params, vec![transfer.seen_at.into()]].concat()));
    }
    for (address, swept) in &advance.swept {
        let params = vec![chain.clone(), text(address), text(swept)];
        unit.push(plain(&SWEEP, params));
    }
    for (address, before) in &advance.before {
        let params = vec![chain.clone(), text(address), text(before)];
        unit.push(plain(&BEFORE, params));
    }
    unit.extend(advance.touched.iter().map(|id| plain(&TOUCH, vec![id.as_bytes().into()])));
    Ok(unit)
}

fn cursor_guard(cursor: &Cursor) -> Result<Statement, StoreError> {
    let mut params = vec![
        chain_id(cursor.chain)?,
        number("block", cursor.block)?,
        number("block", cursor.head)?,
        cursor.at.into(),
        recent_text(&cursor.recent).into(),
        cursor.version.saturating_add(1).into(),
    ];
    if cursor.version == 0 {
        return Ok(Statement { sql: &FIRST_CURSOR, params, guarded: true });
    }
    params.push(cursor.version.into());
    Ok(Statement { sql: &NEXT_CURSOR, params, guarded: true })
}
