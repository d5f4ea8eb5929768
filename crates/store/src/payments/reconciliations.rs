//! Runs of the reconciliation: comparisons of a provider's books with ours that wait, run or are done. Only live
//! has them.
//!
//! The process that holds the provider's lease starts a run and ends it. A run counts its starts, and the count is
//! the guard of its end: a process that was thought dead cannot end a run that another has taken over.

use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Row, Sql, Statement, Value, statements},
    },
    payments::{Payments, money::corrupt},
};
use till_domain::{
    id::ReconciliationId,
    reconciliation::{PastNights, Period, RunOrigin, RunState},
    time::Timestamp,
};

/// The most characters of an error that are stored.
const MAX_ERROR: usize = 2_000;

macro_rules! select_run {
    ($($rest:expr),*) => {
        Sql::new(concat!(
            "SELECT id, provider, chain, from_at, to_at, origin, requested_by, night_at, requested_at, due_at, started_at,
                finished_at, state, tries, compared, under_way, without_till, differences, entered, sums, error
             FROM reconciliations ",
            $($rest),*
        ))
    };
}

macro_rules! insert_run {
    ($($rest:expr),*) => {
        Sql::new(concat!(
            "INSERT INTO reconciliations (id, provider, chain, from_at, to_at, origin, requested_by, night_at, requested_at,
                due_at, started_at, finished_at, state, tries, compared, under_way, without_till, differences, entered,
                sums, error)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) ",
            $($rest),*
        ))
    };
}

statements! {
    // The guard: a night has one run, and the console one request at a time.
    static ADD = insert_run!("ON CONFLICT DO NOTHING");
    // The guard: a chain that answers after all replaces the failure of its night, and nothing else.
    static RECORD_NIGHT = insert_run!(
        "ON CONFLICT (provider, chain, night_at) WHERE night_at IS NOT NULL DO UPDATE SET from_at = excluded.from_at,
            to_at = excluded.to_at, finished_at = excluded.finished_at, state = excluded.state,
            tries = reconciliations.tries + 1, compared = excluded.compared, under_way = excluded.under_way,
            without_till = excluded.without_till, differences = excluded.differences, entered = excluded.entered,
            sums = excluded.sums, error = excluded.error
         WHERE reconciliations.state = 'failed'"
    );
    static START = Sql::new(
        "UPDATE reconciliations SET state = 'running', tries = tries + 1, started_at = $3
         WHERE id = $1 AND tries = $2 AND state IN ('waiting', 'running')",
    );
    static POSTPONE = Sql::new(
        "UPDATE reconciliations SET state = 'waiting', due_at = $3, error = $4
         WHERE id = $1 AND tries = $2 AND state = 'running'",
    );
    static FINISH = Sql::new(
        "UPDATE reconciliations SET state = $3, finished_at = $4, compared = $5, under_way = $6, without_till = $7,
            differences = $8, entered = $9, sums = $10, error = $11, to_at = $12
         WHERE id = $1 AND tries = $2 AND state IN ('waiting', 'running')",
    );
    static OPEN = select_run!(
        "WHERE provider = $1 AND state IN ('waiting', 'running') ORDER BY id LIMIT $2"
    );
    static PAGE = select_run!("WHERE id < $1 ORDER BY id DESC LIMIT $2");
    static PAGE_OF_PROVIDER = select_run!("WHERE provider = $3 AND id < $1 ORDER BY id DESC LIMIT $2");
    static LAST =
        select_run!("WHERE provider = $1 AND chain IN ('', $2) ORDER BY id DESC LIMIT 1");
    static LAST_NIGHT = select_run!(
        "WHERE provider = $1 AND chain = $2 AND night_at IS NOT NULL ORDER BY night_at DESC LIMIT 1"
    );
    static PAST = Sql::new(
        "SELECT MIN(night_at), MAX(night_at), MIN(from_at), MAX(CASE WHEN state IN ('matched', 'differed') THEN to_at END),
            MAX(CASE WHEN state IN ('matched', 'differed') AND origin = 'weekly' THEN night_at END)
         FROM reconciliations WHERE provider = $1 AND chain = $2 AND night_at IS NOT NULL",
    );
    static PRUNE = Sql::new(
        "DELETE FROM reconciliations WHERE id IN
            (SELECT id FROM reconciliations WHERE id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)",
    );
}

/// A comparison of a provider's books with ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconciliationRun {
    pub id: ReconciliationId,
    pub provider: String,
    /// The chain whose nightly comparison it is.
    pub chain: Option<String>,
    pub period: Period,
    pub origin: RunOrigin,
    /// The operator's email address, or `shell`; `None` for automatic runs.
    pub requested_by: Option<String>,
    /// The night of an automatic run.
    pub night: Option<Timestamp>,
    pub requested_at: Timestamp,
    /// When it may start.
    pub due_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// How often it was started: the guard of its end.
    pub tries: i64,
    /// What came of it; the last error of a run that is tried again.
    pub result: RunResult,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    pub state: RunState,
    pub counts: RunCounts,
    /// The sums of both sides by currency, as JSON.
    pub sums: String,
    /// Why the books, or some of them, could not be compared.
    pub error: Option<String>,
}

/// The numbers of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunCounts {
    /// Payments that were compared.
    pub compared: u64,
    /// Payments that were still in progress.
    pub under_way: u64,
    /// Payments that the provider took without Till.
    pub without_till: u64,
    /// Differences that were not decided.
    pub differences: u64,
    /// Differences that were added to Needs action.
    pub entered: u64,
}

impl RunResult {
    /// The result of a run that has not ended.
    #[must_use]
    pub fn none(state: RunState) -> Self {
        Self { state, counts: RunCounts::default(), sums: "[]".to_owned(), error: None }
    }

    /// The result of a run that could not compare anything.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::none(RunState::Failed) }
    }
}

/// The runs of a live store.
#[derive(Debug, Clone, Copy)]
pub struct Reconciliations<'a> {
    payments: &'a Payments,
}

impl Payments {
    /// The runs of the reconciliation; `None` in a sandbox.
    #[must_use]
    pub fn reconciliations(&self) -> Option<Reconciliations<'_>> {
        self.keeps_books.then_some(Reconciliations { payments: self })
    }
}

impl Reconciliations<'_> {
    async fn browse(
        &self,
        sql: &'static Sql,
        params: Vec<Value>,
    ) -> Result<Vec<ReconciliationRun>, StoreError> {
        self.payments.engine.browse(sql, params).await?.into_iter().map(read_run).collect()
    }

    async fn one(
        &self,
        sql: &'static Sql,
        params: Vec<Value>,
    ) -> Result<Option<ReconciliationRun>, StoreError> {
        let rows = self.payments.engine.read(sql, params).await?;
        rows.into_iter().next().map(read_run).transpose()
    }

    /// Writes one row; false if its guard did not hold.
    async fn write(&self, sql: &'static Sql, params: Vec<Value>) -> Result<bool, StoreError> {
        let written = self.payments.engine.write(vec![Statement { sql, params, guarded: true }]).await?;
        Ok(written == WriteOutcome::Done)
    }

    /// Adds a run. False if the night has one, or if it is the console's and one of its runs of that provider has
    /// not ended.
    pub async fn add(&self, run: &ReconciliationRun) -> Result<bool, StoreError> {
        self.write(&ADD, params_of(run)?).await
    }

    /// Stores an ended comparison of a night, in place of a failed one. False if that night was compared.
    pub async fn record_night(&self, run: &ReconciliationRun) -> Result<bool, StoreError> {
        self.write(&RECORD_NIGHT, params_of(run)?).await
    }

    /// Starts a run that waits or was left by another process, and returns the count that ends it. `None` if
    /// another process has started it.
    pub async fn start(&self, run: &ReconciliationRun, now: Timestamp) -> Result<Option<i64>, StoreError> {
        let params = vec![run.id.as_bytes().into(), run.tries.into(), now.into()];
        Ok(self.write(&START, params).await?.then_some(run.tries + 1))
    }

    /// Lets a run that was started wait until then, because of an error. False if another process has taken it
    /// over.
    pub async fn postpone(
        &self,
        (id, tries): (ReconciliationId, i64),
        due_at: Timestamp,
        error: &str,
    ) -> Result<bool, StoreError> {
        let params = vec![id.as_bytes().into(), tries.into(), due_at.into(), error_text(Some(error))];
        self.write(&POSTPONE, params).await
    }

    /// Ends a run that has compared until `to`. False if it has ended, or another process has taken it over.
    pub async fn finish(
        &self,
        (id, tries): (ReconciliationId, i64),
        (to, result): (Timestamp, &RunResult),
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut params =
            vec![id.as_bytes().into(), tries.into(), result.state.as_str().into(), Value::from(now)];
        params.extend(count_values(&result.counts)?);
        params.extend([result.sums.as_str().into(), error_text(result.error.as_deref()), to.into()]);
        self.write(&FINISH, params).await
    }

    /// The runs of a provider that have not ended, oldest first.
    pub async fn open(&self, provider: &str, limit: u32) -> Result<Vec<ReconciliationRun>, StoreError> {
        let rows = self.payments.engine.read(&OPEN, vec![provider.into(), i64::from(limit).into()]).await?;
        rows.into_iter().map(read_run).collect()
    }

    /// A page of runs, newest first, of one provider or of all.
    pub async fn page(
        &self,
        provider: Option<&str>,
        before: Option<ReconciliationId>,
        limit: u32,
    ) -> Result<Vec<ReconciliationRun>, StoreError> {
        let below = before.as_ref().map_or(&[0xff; 16], |id| id.as_bytes());
        let mut params = vec![below.into(), i64::from(limit).into()];
        match provider {
            None => self.browse(&PAGE, params).await,
            Some(provider) => {
                params.push(provider.into());
                self.browse(&PAGE_OF_PROVIDER, params).await
            }
        }
    }

    /// The newest run of a provider, or of a chain and of all chains at once.
    pub async fn last(
        &self,
        provider: &str,
        chain: Option<&str>,
    ) -> Result<Option<ReconciliationRun>, StoreError> {
        self.one(&LAST, vec![provider.into(), chain.unwrap_or_default().into()]).await
    }

    /// The newest automatic run of a provider or a chain.
    pub async fn last_night(
        &self,
        provider: &str,
        chain: Option<&str>,
    ) -> Result<Option<ReconciliationRun>, StoreError> {
        self.one(&LAST_NIGHT, vec![provider.into(), chain.unwrap_or_default().into()]).await
    }

    /// What is stored about the automatic runs of a provider or a chain.
    pub async fn past_nights(&self, provider: &str, chain: Option<&str>) -> Result<PastNights, StoreError> {
        let params = vec![provider.into(), chain.unwrap_or_default().into()];
        let rows = self.payments.engine.read(&PAST, params).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(PastNights::default()) };
        let (first, last, from) = (row.opt_time()?, row.opt_time()?, row.opt_time()?);
        Ok(PastNights { first, last, from, compared_to: row.opt_time()?, weekly: row.opt_time()? })
    }

    /// Deletes at most `limit` runs from before a time; true if there were any.
    pub async fn prune(&self, before: Timestamp, limit: u32) -> Result<bool, StoreError> {
        let oldest = ReconciliationId::new(before, &[0; 10]);
        self.write(&PRUNE, vec![oldest.as_bytes().into(), i64::from(limit).into()]).await
    }
}

fn error_text(error: Option<&str>) -> Value {
    let error = error.filter(|error| !error.is_empty());
    error.map(|error| error.chars().take(MAX_ERROR).collect::<String>()).into()
}

fn count_values(counts: &RunCounts) -> Result<Vec<Value>, StoreError> {
    let RunCounts { compared, under_way, without_till, differences, entered } = *counts;
    let value =
        |count: u64| i64::try_from(count).map(Value::from).map_err(|_| corrupt("count", &count.to_string()));
    [compared, under_way, without_till, differences, entered].into_iter().map(value).collect()
}

/// The values of `insert_run!`.
fn params_of(run: &ReconciliationRun) -> Result<Vec<Value>, StoreError> {
    let result = &run.result;
    let mut params = vec![
        run.id.as_bytes().into(),
        run.provider.as_str().into(),
        run.chain.as_deref().unwrap_or_default().into(),
        run.period.from.into(),
        run.period.to.into(),
        run.origin.as_str().into(),
        run.requested_by.as_deref().into(),
        run.night.into(),
        run.requested_at.into(),
        run.due_at.into(),
        run.started_at.into(),
        run.finished_at.into(),
        result.state.as_str().into(),
        run.tries.into(),
    ];
    params.extend(count_values(&result.counts)?);
    params.extend([result.sums.as_str().into(), error_text(result.error.as_deref())]);
    Ok(params)
}

/// Reads columns in the order of `select_run!`.
fn read_run(mut row: Row) -> Result<ReconciliationRun, StoreError> {
    let id = ReconciliationId::from_bytes(row.array()?);
    let (provider, chain) = (row.text()?, Some(row.text()?).filter(|chain| !chain.is_empty()));
    let period = Period { from: row.time()?, to: row.time()? };
    let origin = row.text()?;
    let origin = RunOrigin::parse(&origin).ok_or_else(|| corrupt("origin", &origin))?;
    let (requested_by, night) = (row.opt_text()?, row.opt_time()?);
    let (requested_at, due_at) = (row.time()?, row.time()?);
    let (started_at, finished_at) = (row.opt_time()?, row.opt_time()?);
    let state = row.text()?;
    let state = RunState::parse(&state).ok_or_else(|| corrupt("state", &state))?;
    let tries = row.int()?;
    let mut count = || row.int().map(|count| u64::try_from(count).unwrap_or(0));
    let counts = RunCounts {
        compared: count()?,
        under_way: count()?,
        without_till: count()?,
        differences: count()?,
        entered: count()?,
    };
    let result = RunResult { state, counts, sums: row.text()?, error: row.opt_text()? };
    Ok(ReconciliationRun {
        id,
        provider,
        chain,
        period,
        origin,
        requested_by,
        night,
        requested_at,
        due_at,
        started_at,
        finished_at,
        tries,
        result,
    })
}
