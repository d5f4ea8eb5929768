//! The guards of units: the statements that must change a row, or their unit does nothing.
//!
//! Two nodes that want the same rows lock them in the same order, which prevents a deadlock: hot updates are
//! sent as one statement with sorted arrays, table after table; the others are sent one after the other,
//! sorted.

use super::{
    connection::Connection,
    steps::{self, StepResult, Unfit, WireStep},
};
use crate::engine::{
    WriteOutcome,
    sql::{Sql, Statement, Value},
};

/// A guard, and the index of its unit.
pub(super) struct Guard<'a> {
    pub(super) unit: usize,
    pub(super) statement: &'a Statement,
}

/// The guards of a batch in the order in which they are sent.
pub(super) struct Guards<'a> {
    hot: Vec<(&'static Sql, Vec<Guard<'a>>)>,
    single: Vec<Guard<'a>>,
}

impl<'a> Guards<'a> {
    /// The guards at this position of the units that were not stopped.
    pub(super) fn of(units: &[&'a [Statement]], round: usize, answers: &[WriteOutcome]) -> Self {
        let guard = |(unit, (statements, answer)): (usize, (&&'a [Statement], &WriteOutcome))| {
            let prefix = statements.get(..=round)?;
            let going = *answer == WriteOutcome::Done && prefix.iter().all(|statement| statement.guarded);
            going.then(|| Guard { unit, statement: &statements[round] })
        };
        let mut all: Vec<Guard<'a>> = units.iter().zip(answers).enumerate().filter_map(guard).collect();
        all.sort_by(|one, other| one.statement.params.cmp(&other.statement.params));
        let mixed: Vec<&str> = all
            .iter()
            .filter_map(|g| g.statement.sql.updates().filter(|_| !g.statement.sql.is_bulk()))
            .collect();
        let mut guards = Self { hot: Vec::new(), single: Vec::new() };
        for guard in all {
            let sql = guard.statement.sql;
            // Other changes of the same table must be made in one order with it.
            if !sql.is_bulk() || sql.updates().is_some_and(|table| mixed.contains(&table)) {
                guards.single.push(guard);
            } else {
                guards.add_hot(guard);
            }
        }
        guards.hot.sort_by_key(|(sql, _)| sql.postgres());
        guards
    }

    fn add_hot(&mut self, guard: Guard<'a>) {
        let sql = guard.statement.sql;
        match self.hot.iter_mut().find(|(kind, _)| std::ptr::eq(*kind, sql)) {
            // One statement changes a row once, so a second guard of the same row is sent as a single one.
            Some((_, guards)) if guards.last().is_some_and(|last| row(last) == row(&guard)) => {
                self.single.push(guard);
            }
            Some((_, guards)) => guards.push(guard),
            None => self.hot.push((sql, vec![guard])),
        }
    }

    /// The steps that send these guards.
    pub(super) async fn steps(&self, connection: &Connection) -> Result<Vec<WireStep<'a>>, Unfit> {
        let mut steps = Vec::with_capacity(self.hot.len() + self.single.len());
        for (sql, guards) in &self.hot {
            let rows: Vec<&'a [Value]> =
                guards.iter().map(|guard| guard.statement.params.as_slice()).collect();
            steps.push(steps::many(connection, sql, &rows).await?);
        }
        for guard in &self.single {
            steps.push(steps::single(connection, guard.statement).await?);
        }
        Ok(steps)
    }

    /// The units whose guard did not hold, judged by the result of each step.
    pub(super) fn stopped(&self, done: &[StepResult]) -> Vec<usize> {
        let (hot, single) = done.split_at(self.hot.len().min(done.len()));
        let mut stopped = Vec::new();
        for ((_, guards), done) in self.hot.iter().zip(hot) {
            let not_held = |(place, _): &(usize, &Guard<'_>)| !done.held(*place);
            stopped.extend(guards.iter().enumerate().filter(not_held).map(|(_, guard)| guard.unit));
        }
        for (guard, done) in self.single.iter().zip(single) {
            if !done.held(0) {
                stopped.push(guard.unit);
            }
        }
        stopped
    }
}

/// The value that identifies the row of a guard.
fn row<'a>(guard: &Guard<'a>) -> Option<&'a Value> {
    guard.statement.params.first()
}
