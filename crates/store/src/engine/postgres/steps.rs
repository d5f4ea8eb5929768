//! Statements on their way to the server: prepared first, then pipelined, one behind the other without
//! waiting.

use super::connection::{CommitDurability, Connection};
use crate::engine::sql::{Sql, Statement, Value};
use futures_util::future::maybe_done;
use std::{collections::HashSet, future::poll_fn, pin::Pin, task::Poll};
use tokio_postgres::{Error, Statement as Prepared, types::Type};

/// The number of statements that are sent without waiting for an answer in between.
pub(super) const AT_ONCE: usize = 1024;

/// One statement to send.
pub(super) enum WireStep<'a> {
    /// SQL without parameters, such as BEGIN.
    Run(&'static str),
    Commit,
    /// A statement with its values.
    One(Prepared, &'a [Value]),
    /// A hot insert of many rows, column by column.
    Many(Prepared, Vec<Vec<&'a Value>>),
    /// Hot updates of many rows, column by column.
    Updates(Prepared, Vec<Vec<&'a Value>>),
    /// Hot inserts of many rows that may be there already, column by column.
    Inserts(Prepared, Vec<Vec<&'a Value>>),
    /// Locks rows that several statements change.
    Lock(Prepared, Vec<&'a Value>),
}

/// The result of a step.
pub(super) enum StepResult {
    /// This many rows were changed.
    Changed(u64),
    /// For each of many updates, whether it changed its row.
    Each(Vec<bool>),
    /// The transaction was committed.
    Committed(CommitDurability),
}

impl StepResult {
    /// True if the update at this position changed a row.
    pub(super) fn held(&self, place: usize) -> bool {
        match self {
            Self::Changed(changed) => *changed > 0,
            Self::Each(changed) => changed.get(place) == Some(&true),
            Self::Committed(_) => false,
        }
    }
}

/// Why a step could not be made.
pub(super) enum Unfit {
    /// The values do not fit the statement's parameters. Nothing may be sent behind such a statement: a
    /// COMMIT would keep the rest without it.
    Values,
    /// The server does not accept the statement.
    Server(Error),
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

/// The step of a single statement.
pub(super) async fn single<'a>(
    connection: &Connection,
    statement: &'a Statement,
) -> Result<WireStep<'a>, Unfit> {
    let prepared = connection.prepare(statement.sql).await?;
    if !fits(&prepared, &statement.params) {
        return Err(Unfit::Values);
    }
    Ok(WireStep::One(prepared, &statement.params))
}

/// The step that locks the rows with these ids of the table that an update changes.
pub(super) async fn lock<'a>(
    connection: &Connection,
    sql: &'static Sql,
    ids: Vec<&'a Value>,
) -> Result<WireStep<'a>, Unfit> {
    Ok(WireStep::Lock(connection.prepare_lock(sql).await?, ids))
}

/// The steps of units. Each unit's statements stay in their order; hot statements share a step, those of several units and those
/// of one that follow each other. Units of different kinds have the same statements at different positions, so the kind that
/// most units wait for is sent next.
pub(super) async fn plan<'a>(
    connection: &Connection,
    units: &[&'a [Statement]],
) -> Result<Vec<WireStep<'a>>, Unfit> {
    let (mut steps, mut rest) = (Vec::new(), units.to_vec());
    while let Some(sql) = most_wanted(&rest) {
        let mut rows: Vec<&'a [Value]> = Vec::new();
        let mut taken = HashSet::new();
        for unit in &mut rest {
            while let Some((statement, later)) = unit.split_first() {
                // A row is changed once by a step, so another statement about it waits for the next one.
                let mut is_free = |row| sql.is_plain_insert() || taken.insert(row);
                if !std::ptr::eq(statement.sql, sql) || !is_free(statement.params.first()) {
                    break;
                }
                *unit = later;
                if sql.is_bulk() {
                    rows.push(&statement.params);
                } else {
                    steps.push(single(connection, statement).await?);
                }
            }
        }
        if !rows.is_empty() {
            steps.push(many(connection, sql, &rows).await?);
        }
    }
    Ok(steps)
}

/// The statement that most units have next; of several, the one of the first unit.
fn most_wanted(units: &[&[Statement]]) -> Option<&'static Sql> {
    let mut counts: Vec<(&'static Sql, usize)> = Vec::new();
    for statement in units.iter().filter_map(|unit| unit.first()) {
        match counts.iter_mut().find(|(sql, _)| std::ptr::eq(*sql, statement.sql)) {
            Some((_, count)) => *count += 1,
            None => counts.push((statement.sql, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(sql, _)| sql)
}

/// The step of all rows of a hot insert, or of a hot update.
pub(super) async fn many<'a>(
    connection: &Connection,
    sql: &'static Sql,
    rows: &[&'a [Value]],
) -> Result<WireStep<'a>, Unfit> {
    let one = connection.prepare(sql).await?;
    if !rows.iter().all(|row| fits(&one, row)) {
        return Err(Unfit::Values);
    }
    if let [row] = rows {
        return Ok(WireStep::One(one, row));
    }
    let prepared = connection.prepare_arrays(sql).await?;
    let column = |index: usize| rows.iter().filter_map(|row| row.get(index)).collect();
    let columns = (0..one.params().len()).map(column).collect();
    Ok(if sql.returns_places() {
        WireStep::Updates(prepared, columns)
    } else if sql.returns_ids() {
        WireStep::Inserts(prepared, columns)
    } else {
        WireStep::Many(prepared, columns)
    })
}

/// True if the values fit the statement's parameters.
fn fits(prepared: &Prepared, values: &[Value]) -> bool {
    let fit = |(kind, value): (&Type, &Value)| match value {
        Value::Null => true,
        Value::Int(_) => *kind == Type::INT8,
        Value::Text(_) => *kind == Type::TEXT,
        Value::Bytes(_) => *kind == Type::BYTEA,
        Value::Bool(_) => *kind == Type::BOOL,
    };
    prepared.params().len() == values.len() && prepared.params().iter().zip(values).all(fit)
}

/// Sends steps in their order, and returns the result of each.
pub(super) async fn send(connection: &Connection, steps: &[WireStep<'_>]) -> Vec<Result<StepResult, Error>> {
    let sent = steps.iter().map(|step| Box::pin(maybe_done(take(connection, step))));
    let mut sent: Vec<Pin<Box<_>>> = sent.collect();
    // A step is sent when it is polled for the first time, so the order of polling is the order on the wire.
    poll_fn(|context| {
        let mut done = true;
        for step in &mut sent {
            done &= step.as_mut().poll(context).is_ready();
        }
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    sent.iter_mut().filter_map(|step| step.as_mut().take_output()).collect()
}

async fn take(connection: &Connection, step: &WireStep<'_>) -> Result<StepResult, Error> {
    match step {
        WireStep::Run(text) => connection.run(text).await.map(|()| StepResult::Changed(0)),
        WireStep::Commit => connection.commit().await.map(StepResult::Committed),
        WireStep::One(prepared, values) => {
            connection.execute(prepared, values).await.map(StepResult::Changed)
        }
        WireStep::Many(prepared, columns) => {
            connection.execute_arrays(prepared, columns).await.map(StepResult::Changed)
        }
        WireStep::Updates(prepared, columns) => {
            connection.update_each(prepared, columns).await.map(StepResult::Each)
        }
        WireStep::Inserts(prepared, columns) => {
            connection.insert_each(prepared, columns).await.map(StepResult::Each)
        }
        WireStep::Lock(prepared, ids) => {
            connection.execute_arrays(prepared, std::slice::from_ref(ids)).await.map(StepResult::Changed)
        }
    }
}

/// Runs one statement, waiting for it.
pub(super) async fn run_one(connection: &Connection, statement: &Statement) -> Result<u64, Error> {
    let prepared = connection.prepare(statement.sql).await?;
    connection.execute(&prepared, &statement.params).await
}
