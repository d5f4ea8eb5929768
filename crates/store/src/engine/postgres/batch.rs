//! Runs units of work in one transaction, in as few round trips as their guards allow.
//!
//! Guards are sent first. The statements behind a guard are sent only once the guard has held, together with
//! the COMMIT. Hot inserts (`Sql::insert`) of all units are sent as one statement with arrays.
//!
//! The meaning of an error depends on when it came. Before COMMIT was sent, nothing was written. After that,
//! an error that the server gave to a statement still means that nothing was written, because it aborts the
//! whole transaction; so does a deferred constraint that the COMMIT itself violated. After any other error
//! the outcome is unknown, and so it is after a COMMIT that the server answered without waiting for its
//! standby.

use super::{
    connection::{CommitDurability, Connection, describe, is_definite},
    guards::Guards,
    steps::{self, StepResult, WireStep},
};
use crate::engine::{WriteOutcome, error::StoreError, queue::Answer, sql::Statement};
use tokio_postgres::Error;

/// The answers to units, and whether their connection can be used again.
pub(super) struct BatchResult {
    pub(super) answers: Vec<Answer>,
    pub(super) keep: bool,
}

/// Why a transaction did not happen.
enum BatchFailure {
    /// One of the units failed, with the reason if it is known. Everything is rolled back, and each unit is
    /// tried on its own.
    Unit(Option<String>),
    /// The server or the connection failed before a commit could happen: nothing was written.
    Server(String),
    /// The commit gave an error, or no answer: its outcome is unknown.
    Commit(String),
}

impl BatchFailure {
    /// Classifies an error that came before COMMIT was sent.
    fn before_commit(connection: &Connection, error: &Error) -> Self {
        if is_of_unit(error) && !connection.is_closed() {
            Self::Unit(Some(describe(error)))
        } else {
            Self::Server(describe(error))
        }
    }

    /// Classifies a statement's error that came when COMMIT was sent behind it.
    fn with_commit(connection: &Connection, error: &Error) -> Self {
        match error.as_db_error() {
            Some(_) => Self::before_commit(connection, error),
            None => Self::Commit(describe(error)),
        }
    }
}

/// Why a COMMIT that the server answered with success counts as unknown.
const NOT_CONFIRMED: &str = "the server's wait for its synchronous standby was canceled";

/// True if an error is caused by a unit and not by the server: data, constraints, triggers, and rows locked
/// by another transaction.
fn is_of_unit(error: &Error) -> bool {
    const CLASSES: [&str; 5] = ["22", "23", "40", "55", "P0"];
    let class = error.code().and_then(|code| code.code().get(..2));
    class.is_some_and(|class| CLASSES.contains(&class))
}

/// A writer's connection can write only after this: statements whose BEGIN failed fail too.
const BEGIN: &str = "BEGIN READ WRITE";

/// The lock timeout is short, because a locked row has delayed the whole batch already.
const BEGIN_ALONE: &str = "BEGIN READ WRITE; SET LOCAL lock_timeout = '100ms'";

/// Runs units together; one by one if any of them fails.
pub(super) async fn run(connection: &Connection, units: &[&[Statement]]) -> BatchResult {
    let all = |answer: &dyn Fn() -> StoreError| units.iter().map(|_| Err(answer())).collect();
    match in_one_transaction(connection, units).await {
        Ok(answers) => BatchResult { answers: answers.into_iter().map(Ok).collect(), keep: true },
        Err(BatchFailure::Server(reason)) => {
            BatchResult { answers: all(&|| StoreError::failed("a write", reason.as_str())), keep: false }
        }
        Err(BatchFailure::Commit(reason)) => {
            BatchResult { answers: all(&|| StoreError::unknown(&reason)), keep: false }
        }
        Err(BatchFailure::Unit(Some(reason))) if units.len() == 1 => {
            BatchResult { answers: all(&|| StoreError::failed("a write", reason.as_str())), keep: true }
        }
        Err(BatchFailure::Unit(_)) => {
            let mut answers = Vec::with_capacity(units.len());
            for unit in units {
                answers.push(alone(connection, unit).await);
            }
            let keep = !answers.iter().any(|answer| matches!(answer, Err(StoreError::Unknown(_))));
            BatchResult { answers, keep }
        }
    }
}

async fn in_one_transaction(
    connection: &Connection,
    units: &[&[Statement]],
) -> Result<Vec<WriteOutcome>, BatchFailure> {
    let mut answers = vec![WriteOutcome::Done; units.len()];
    let guards = |unit: &&[Statement]| unit.iter().take_while(|statement| statement.guarded).count();
    let rounds = units.iter().map(guards).max().unwrap_or(0);
    for round in 0..rounds {
        hold_guards(connection, units, round, &mut answers).await?;
    }
    let going = units.iter().zip(&answers).filter(|(_, answer)| **answer == WriteOutcome::Done);
    let rest: Vec<&[Statement]> = going.map(|(unit, _)| &unit[guards(unit)..]).collect();
    commit(connection, rounds > 0, &rest).await?;
    Ok(answers)
}

/// Sends the guards at this position of each unit, with BEGIN in the first round, and marks the units that
/// are stopped. A unit that is stopped in a later round leaves the changes of its earlier guards behind:
/// everything is rolled back, and each unit is tried on its own.
async fn hold_guards(
    connection: &Connection,
    units: &[&[Statement]],
    round: usize,
    answers: &mut [WriteOutcome],
) -> Result<(), BatchFailure> {
    let guards = Guards::of(units, round, answers);
    let mut steps = match guards.steps(connection).await {
        Ok(steps) => steps,
        Err(error) => {
            roll_back(connection).await;
            return Err(of_step(connection, &error));
        }
    };
    if round == 0 {
        steps.insert(0, WireStep::Run(BEGIN));
    }
    let done = match steps::send(connection, &steps).await.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(done) => done,
        Err(error) => {
            roll_back(connection).await;
            return Err(BatchFailure::before_commit(connection, &error));
        }
    };
    let done = if round == 0 { done.get(1..).unwrap_or_default() } else { &done };
    let stopped = guards.stopped(done);
    if round > 0 && !stopped.is_empty() {
        roll_back(connection).await;
        return Err(BatchFailure::Unit(None));
    }
    for unit in stopped {
        if let Some(answer) = answers.get_mut(unit) {
            *answer = WriteOutcome::Stopped(0);
        }
    }
    Ok(())
}

/// Sends the remaining statements, and the COMMIT behind them.
async fn commit(connection: &Connection, began: bool, units: &[&[Statement]]) -> Result<(), BatchFailure> {
    let planned = steps::plan(connection, units).await;
    let mut steps = match planned {
        Ok(steps) => steps,
        Err(error) => {
            roll_back(connection).await;
            return Err(of_step(connection, &error));
        }
    };
    if !began {
        steps.insert(0, WireStep::Run(BEGIN));
    }
    // Of very many steps, all but the last are awaited first: an error of theirs comes before the COMMIT.
    while steps.len() > steps::AT_ONCE {
        let later = steps.split_off(steps::AT_ONCE);
        let early = std::mem::replace(&mut steps, later);
        if let Some(error) = steps::send(connection, &early).await.into_iter().find_map(Result::err) {
            roll_back(connection).await;
            return Err(BatchFailure::before_commit(connection, &error));
        }
    }
    steps.push(WireStep::Commit);
    let mut results = steps::send(connection, &steps).await;
    let committed = results.pop();
    if let Some(error) = results.into_iter().find_map(Result::err) {
        return Err(BatchFailure::with_commit(connection, &error));
    }
    match committed {
        Some(Err(error)) if is_definite(&error) => Err(BatchFailure::Unit(Some(describe(&error)))),
        Some(Err(error)) => Err(BatchFailure::Commit(describe(&error))),
        Some(Ok(StepResult::Committed(CommitDurability::Here))) => {
            Err(BatchFailure::Commit(NOT_CONFIRMED.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Classifies the failure to make a step.
fn of_step(connection: &Connection, error: &steps::Unfit) -> BatchFailure {
    match error {
        steps::Unfit::Values => BatchFailure::Unit(None),
        steps::Unfit::Server(error) => BatchFailure::before_commit(connection, error),
    }
}

/// Runs a unit in a transaction of its own, statement by statement, so that an error belongs to it alone.
async fn alone(connection: &Connection, unit: &[Statement]) -> Answer {
    let failed = |error: Error| StoreError::failed("a write", describe(&error));
    connection.run(BEGIN_ALONE).await.map_err(failed)?;
    for (index, statement) in unit.iter().enumerate() {
        let changed = match steps::run_one(connection, statement).await {
            Ok(changed) => changed,
            Err(error) => {
                roll_back(connection).await;
                return Err(failed(error));
            }
        };
        if statement.guarded && changed == 0 {
            roll_back(connection).await;
            return Ok(WriteOutcome::Stopped(index));
        }
    }
    match connection.commit().await {
        Ok(CommitDurability::Everywhere) => Ok(WriteOutcome::Done),
        Ok(CommitDurability::Here) => Err(StoreError::unknown(NOT_CONFIRMED)),
        Err(error) if is_definite(&error) => Err(failed(error)),
        Err(error) => Err(StoreError::unknown(&describe(&error))),
    }
}

async fn roll_back(connection: &Connection) {
    // If this fails the connection is not used again, and the transaction ends with it.
    if let Err(error) = connection.run("ROLLBACK").await {
        tracing::debug!(error = describe(&error), "a transaction could not be rolled back");
    }
}
