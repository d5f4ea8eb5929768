//! Statements on their way to the server: prepared first, then pipelined, one behind the other without
//! waiting.

use super::connection::{CommitDurability, Connection};
use crate::engine::sql::{Sql, Statement, Value};
use futures_util::future::maybe_done;
use std::{future::poll_fn, pin::Pin, task::Poll};
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

/// The steps of units: the first statements of all units come before the second statements of any, and hot
/// inserts share a step.
pub(super) async fn plan<'a>(
    connection: &Connection,
    units: &[&'a [Statement]],
) -> Result<Vec<WireStep<'a>>, Unfit> {
    let mut steps = Vec::new();
    let longest = units.iter().map(|unit| unit.len()).max().unwrap_or(0);
    for position in 0..longest {
        let mut hot: Vec<(&'static Sql, Vec<&'a [Value]>)> = Vec::new();
        for statement in units.iter().filter_map(|unit| unit.get(position)) {
            if !statement.sql.is_bulk() {
                steps.push(single(connection, statement).await?);
            } else if let Some((_, rows)) = hot.iter_mut().find(|(sql, _)| std::ptr::eq(*sql, statement.sql))
            {
                rows.push(&statement.params);
            } else {
                hot.push((statement.sql, vec![&statement.params]));
            }
        }
        for (sql, rows) in hot {
            steps.push(many(connection, sql, &rows).await?);
        }
    }
    Ok(steps)
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
    Ok(if sql.updates().is_some() {
        WireStep::Updates(prepared, columns)
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
    }
}

/// Runs one statement, waiting for it.
pub(super) async fn run_one(connection: &Connection, statement: &Statement) -> Result<u64, Error> {
    let prepared = connection.prepare(statement.sql).await?;
    connection.execute(&prepared, &statement.params).await
}
