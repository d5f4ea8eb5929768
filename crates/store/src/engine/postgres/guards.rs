//! The guards of units: the statements that must change a row, or their unit does nothing.
//!
//! Two nodes that want the same rows lock them in the same order, which prevents a deadlock: hot updates are
//! sent as one statement with sorted arrays, table after table; the others are sent one after the other,
//! sorted. Where several statements change rows of one table, the rows are locked before the first of them.

use super::{
    connection::Connection,
    steps::{self, StepResult, Unfit, WireStep},
};
use crate::engine::{
    WriteOutcome,
    sql::{Sql, Statement, Value},
};

/// A guard, and the index of its unit.
#[derive(Clone, Copy)]
struct Guard<'a> {
    unit: usize,
    statement: &'a Statement,
}

impl<'a> Guard<'a> {
    /// The value that identifies its row.
    fn row(&self) -> Option<&'a Value> {
        self.statement.params.first()
    }

    fn table(&self) -> Option<&'static str> {
        self.statement.sql.updates()
    }
}

/// What is sent together.
enum Group<'a> {
    /// The lock of the rows that the following groups change.
    Lock(&'static Sql, Vec<&'a Value>),
    /// Hot guards of one kind.
    Hot(&'static Sql, Vec<Guard<'a>>),
    Single(Guard<'a>),
}

/// The guards of a batch in the order in which they are sent.
pub(super) struct Guards<'a>(Vec<Group<'a>>);

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
        let (mut hot, single) = split(&all);
        hot.sort_by_key(|(sql, _)| sql.postgres());
        let mut groups = Vec::with_capacity(hot.len() + single.len());
        let mut locked = None;
        for (sql, guards) in hot {
            let table = sql.updates();
            let kinds = all.iter().filter(|guard| guard.table() == table).map(|guard| guard.statement.sql);
            if table.is_some() && locked != table && kinds.clone().any(|kind| !std::ptr::eq(kind, sql)) {
                let rows = all.iter().filter(|guard| guard.table() == table).filter_map(Guard::row);
                groups.push(Group::Lock(sql, rows.collect()));
            }
            locked = table;
            groups.push(Group::Hot(sql, guards));
        }
        groups.extend(single.into_iter().map(Group::Single));
        Self(groups)
    }

    /// The steps that send these guards.
    pub(super) async fn steps(&self, connection: &Connection) -> Result<Vec<WireStep<'a>>, Unfit> {
        let mut steps = Vec::with_capacity(self.0.len());
        for group in &self.0 {
            steps.push(match group {
                Group::Lock(sql, rows) => steps::lock(connection, sql, rows.clone()).await?,
                Group::Hot(sql, guards) => {
                    let rows: Vec<&'a [Value]> =
                        guards.iter().map(|guard| guard.statement.params.as_slice()).collect();
                    steps::many(connection, sql, &rows).await?
                }
                Group::Single(guard) => steps::single(connection, guard.statement).await?,
            });
        }
        Ok(steps)
    }

    /// The units whose guard did not hold, judged by the result of each step.
    pub(super) fn stopped(&self, done: &[StepResult]) -> Vec<usize> {
        let mut stopped = Vec::new();
        for (group, done) in self.0.iter().zip(done) {
            let guards = match group {
                Group::Lock(..) => &[][..],
                Group::Hot(_, guards) => guards,
                Group::Single(guard) => std::slice::from_ref(guard),
            };
            let not_held = |(place, _): &(usize, &Guard<'_>)| !done.held(*place);
            stopped.extend(guards.iter().enumerate().filter(not_held).map(|(_, guard)| guard.unit));
        }
        stopped
    }
}

/// Hot guards of one kind.
type Kind<'a> = (&'static Sql, Vec<Guard<'a>>);

/// The hot guards by their kind, and those that are sent one by one.
fn split<'a>(all: &[Guard<'a>]) -> (Vec<Kind<'a>>, Vec<Guard<'a>>) {
    // Rows that a guard finds in another way than by their ids cannot be locked before.
    let unknown: Vec<&str> =
        all.iter().filter(|guard| !guard.statement.sql.is_by_id()).filter_map(Guard::table).collect();
    let (mut hot, mut single) = (Vec::<Kind<'a>>::new(), Vec::new());
    for guard in all.iter().copied() {
        let sql = guard.statement.sql;
        if !sql.is_bulk() || guard.table().is_some_and(|table| unknown.contains(&table)) {
            single.push(guard);
            continue;
        }
        match hot.iter_mut().find(|(kind, _)| std::ptr::eq(*kind, sql)) {
            // One statement changes a row once, so a second guard of the same row is sent as a single one.
            Some((_, guards)) if guards.last().is_some_and(|last| last.row() == guard.row()) => {
                single.push(guard);
            }
            Some((_, guards)) => guards.push(guard),
            None => hot.push((sql, vec![guard])),
        }
    }
    (hot, single)
}
