//! Checks of vendors' endpoints, with their steps. Only the sandbox has these tables.

use crate::engine::{
    Engine, WriteOutcome,
    error::StoreError,
    sql::{Row, Sql, Statement, Value, statements},
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    endpoint_check::{CheckStep, CheckVerdict, MadeStep},
    id::{CheckId, VendorId},
    time::Timestamp,
    weburl::WebUrl,
};

/// How many checks of a vendor are kept.
pub const KEPT_CHECKS: u32 = 50;

macro_rules! select_check {
    ($rest:literal) => {
        Sql::new(concat!(
            "SELECT id, vendor_id, target, requested_by, code_language, started_at, lease_until, ended_at, verdict
             FROM endpoint_checks ",
            $rest
        ))
    };
}

statements! {
    // The check of a node that stopped: what was not tried did not pass.
    static END_LOST = Sql::new(
        "UPDATE endpoint_checks SET lease_until = NULL, ended_at = $2, verdict = 'not_ready'
         WHERE vendor_id = $1 AND lease_until <= $2",
    );
    static PRUNE = Sql::new(
        "DELETE FROM endpoint_checks WHERE vendor_id = $1 AND lease_until IS NULL AND id NOT IN
            (SELECT id FROM endpoint_checks WHERE vendor_id = $1 ORDER BY id DESC LIMIT $2)",
    );
    // The guard: a check that is running changes no row.
    static BEGIN = Sql::new(
        "INSERT INTO endpoint_checks (id, vendor_id, target, requested_by, code_language, started_at, lease_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (vendor_id) WHERE lease_until IS NOT NULL DO NOTHING",
    );
    static EXTEND = Sql::new(
        "UPDATE endpoint_checks SET lease_until = $2 WHERE id = $1 AND lease_until > $3",
    );
    static ADD_STEP = Sql::new(
        "INSERT INTO endpoint_check_steps (check_id, number, name, passed, result, status, took_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    );
    static END = Sql::new(
        "UPDATE endpoint_checks SET lease_until = NULL, ended_at = $2, verdict = $3
         WHERE id = $1 AND lease_until IS NOT NULL",
    );
    static ONE = select_check!("WHERE id = $1 AND vendor_id = $2");
    static OF_VENDOR = select_check!("WHERE vendor_id = $1 ORDER BY id DESC LIMIT $2");
    static STEPS = Sql::new(
        "SELECT name, passed, result, status, took_ms FROM endpoint_check_steps WHERE check_id = $1 ORDER BY number",
    );
    static PASSED = Sql::new(
        "SELECT DISTINCT steps.name FROM endpoint_checks AS checks
         JOIN endpoint_check_steps AS steps ON steps.check_id = checks.id
         WHERE checks.vendor_id = $1 AND steps.passed = 1",
    );
}

/// The checks of the sandbox.
#[derive(Debug, Clone)]
pub struct EndpointChecks {
    engine: Arc<Engine>,
}

/// A check to begin.
#[derive(Debug, Clone)]
pub struct NewCheck {
    pub id: CheckId,
    pub vendor: VendorId,
    pub target: WebUrl,
    /// The user, or `api`.
    pub requested_by: String,
    /// The word of the programming language that the vendor seems to use.
    pub code_language: Option<String>,
    pub started_at: Timestamp,
}

/// A check as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheck {
    pub id: CheckId,
    pub vendor: VendorId,
    pub target: WebUrl,
    pub requested_by: String,
    pub code_language: Option<String>,
    pub started_at: Timestamp,
    lease_until: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    verdict: Option<CheckVerdict>,
}

impl StoredCheck {
    /// The verdict; `None` while the check is running. One whose node stopped is not ready.
    #[must_use]
    pub fn verdict(&self, now: Timestamp) -> Option<CheckVerdict> {
        let lost = self.lease_until.is_some_and(|until| until <= now);
        self.verdict.or(lost.then_some(CheckVerdict::NotReady))
    }

    /// When it ended.
    #[must_use]
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.ended_at
    }
}

/// A step as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStep {
    pub step: CheckStep,
    pub passed: bool,
    /// The word of its result.
    pub result: String,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    pub took: Duration,
}

impl EndpointChecks {
    pub(crate) fn new(sandbox: Arc<Engine>) -> Self {
        Self { engine: sandbox }
    }

    /// Begins a check. False if another one of the vendor is running.
    pub async fn begin(&self, check: &NewCheck, lease_until: Timestamp) -> Result<bool, StoreError> {
        let vendor = || Value::from(check.vendor.as_bytes());
        let ended =
            Statement { sql: &END_LOST, params: vec![vendor(), check.started_at.into()], guarded: false };
        self.engine.write(vec![ended]).await?;
        let params = vec![
            check.id.as_bytes().into(),
            vendor(),
            check.target.as_str().into(),
            check.requested_by.as_str().into(),
            check.code_language.as_deref().into(),
            check.started_at.into(),
            lease_until.into(),
        ];
        let unit = vec![
            Statement { sql: &BEGIN, params, guarded: true },
            Statement { sql: &PRUNE, params: vec![vendor(), i64::from(KEPT_CHECKS).into()], guarded: false },
        ];
        Ok(self.engine.write(unit).await? == WriteOutcome::Done)
    }

    /// Stores a step, and extends the lease. False if the check was taken as lost before.
    pub async fn add_step(
        &self,
        id: CheckId,
        number: usize,
        made: &MadeStep,
        now: Timestamp,
        lease: Duration,
    ) -> Result<bool, StoreError> {
        let params = vec![
            id.as_bytes().into(),
            i64::try_from(number).unwrap_or(i64::MAX).into(),
            made.step.as_str().into(),
            i64::from(made.passed).into(),
            made.result.as_str().into(),
            made.result.status().map(i64::from).into(),
            i64::try_from(made.took.as_millis()).unwrap_or(i64::MAX).into(),
        ];
        let unit = vec![
            Statement {
                sql: &EXTEND,
                params: vec![id.as_bytes().into(), now.plus(lease).into(), now.into()],
                guarded: true,
            },
            Statement { sql: &ADD_STEP, params, guarded: false },
        ];
        Ok(self.engine.write(unit).await? == WriteOutcome::Done)
    }

    pub async fn end(&self, id: CheckId, verdict: CheckVerdict, now: Timestamp) -> Result<(), StoreError> {
        let params = vec![id.as_bytes().into(), now.into(), verdict.as_str().into()];
        self.engine.write(vec![Statement { sql: &END, params, guarded: false }]).await.map(drop)
    }

    /// A vendor's check.
    pub async fn check(&self, id: CheckId, vendor: VendorId) -> Result<Option<StoredCheck>, StoreError> {
        let params = vec![id.as_bytes().into(), vendor.as_bytes().into()];
        let rows = self.engine.read(&ONE, params).await?;
        rows.into_iter().next().map(read_check).transpose()
    }

    /// The newest checks of a vendor, newest first.
    pub async fn checks_of(&self, vendor: VendorId, limit: u32) -> Result<Vec<StoredCheck>, StoreError> {
        let params = vec![vendor.as_bytes().into(), i64::from(limit).into()];
        let rows = self.engine.read(&OF_VENDOR, params).await?;
        rows.into_iter().map(read_check).collect()
    }

    /// The newest check of a vendor that has ended.
    pub async fn last_ended(
        &self,
        vendor: VendorId,
        now: Timestamp,
    ) -> Result<Option<StoredCheck>, StoreError> {
        // At most one is running.
        let newest = self.checks_of(vendor, 2).await?;
        Ok(newest.into_iter().find(|check| check.verdict(now).is_some()))
    }

    /// The steps of a check that were made, in their order.
    pub async fn steps(&self, id: CheckId) -> Result<Vec<StoredStep>, StoreError> {
        let rows = self.engine.read(&STEPS, vec![id.as_bytes().into()]).await?;
        rows.into_iter().map(read_step).collect()
    }

    /// The steps that passed in any check of a vendor.
    pub async fn passed_steps(&self, vendor: VendorId) -> Result<Vec<CheckStep>, StoreError> {
        let rows = self.engine.read(&PASSED, vec![vendor.as_bytes().into()]).await?;
        rows.into_iter().map(|mut row| read_name(&row.text()?)).collect()
    }
}

fn read_check(mut row: Row) -> Result<StoredCheck, StoreError> {
    Ok(StoredCheck {
        id: CheckId::from_bytes(row.array()?),
        vendor: VendorId::from_bytes(row.array()?),
        target: WebUrl::from_stored(row.text()?),
        requested_by: row.text()?,
        code_language: row.opt_text()?,
        started_at: row.time()?,
        lease_until: row.opt_time()?,
        ended_at: row.opt_time()?,
        verdict: row
            .opt_text()?
            .map(|word| {
                CheckVerdict::parse(&word).ok_or_else(|| StoreError::Corrupt(format!("verdict {word:?}")))
            })
            .transpose()?,
    })
}

fn read_name(name: &str) -> Result<CheckStep, StoreError> {
    CheckStep::parse(name).ok_or_else(|| StoreError::Corrupt(format!("step {name:?}")))
}

fn read_step(mut row: Row) -> Result<StoredStep, StoreError> {
    Ok(StoredStep {
        step: read_name(&row.text()?)?,
        passed: row.int()? != 0,
        result: row.text()?,
        status: row.opt_int()?.and_then(|status| u16::try_from(status).ok()),
        took: Duration::from_millis(u64::try_from(row.int()?).unwrap_or(0)),
    })
}
