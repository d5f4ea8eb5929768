//! Reconciliations: when a provider's books are compared with ours, for which days, and what came of it. The
//! comparison itself is in the service's `reconcile/`.

use crate::{
    time::{TimeZone, Timestamp},
    words::words,
};
use std::time::Duration;

/// The most days compared in one run, and those of the weekly one.
pub const MAX_DAYS: u32 = 92;

/// The days of a nightly run.
pub const NIGHTLY_DAYS: u32 = 3;

/// How often a nightly run is tried before it counts as failed.
pub const MAX_TRIES: i64 = 4;

/// The pause before a provider that did not answer is asked again.
pub const RETRY_AFTER: Duration = Duration::from_secs(10 * 60);

/// How long runs are kept.
pub const KEPT_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

words! {
    /// The state of a run.
    pub enum RunState {
        /// It was requested, or is tried again later.
        Waiting = "waiting",
        Running = "running",
        /// The books match, or every difference was decided.
        Matched = "matched",
        Differed = "differed",
        /// The books could not be compared, or not all of them.
        Failed = "failed",
    }
}

impl RunState {
    /// True once nothing more happens to the run.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

words! {
    /// What started a run.
    pub enum RunOrigin {
        Nightly = "nightly",
        /// The night of Sunday, which compares [`MAX_DAYS`].
        Weekly = "weekly",
        /// An operator in the console.
        Panel = "panel",
        /// `till reconcile`.
        Command = "command",
    }
}

/// The time that a run compares, from `from` until just before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// A problem with the days that a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodProblem {
    /// The first day is not a date.
    First,
    /// The last day is not a date.
    Last,
    /// The last day is before the first.
    Order,
    /// The last day is after today.
    Future,
    /// More than [`MAX_DAYS`].
    TooLong,
}

impl Period {
    /// The period from the first to the last day in UTC, both included. The last day is at most today.
    pub fn of_days(first: &str, last: &str, now: Timestamp) -> Result<Self, PeriodProblem> {
        let utc = TimeZone::utc();
        let from = utc.day_start(first).ok_or(PeriodProblem::First)?;
        let last_start = utc.day_start(last).ok_or(PeriodProblem::Last)?;
        let to = utc.day_end(last).ok_or(PeriodProblem::Last)?;
        if to <= from {
            return Err(PeriodProblem::Order);
        }
        if last_start > now {
            return Err(PeriodProblem::Future);
        }
        if to.since(from) > DAY * MAX_DAYS {
            return Err(PeriodProblem::TooLong);
        }
        Ok(Self { from, to })
    }

    /// The first and the last day in UTC.
    #[must_use]
    pub fn days(self) -> (String, String) {
        let utc = TimeZone::utc();
        (utc.day_of(self.from), utc.day_of(self.to.minus(Duration::from_millis(1)).max(self.from)))
    }
}

/// What is stored about the automatic runs of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PastNights {
    /// The first and the last night with a run, whatever came of it.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// The beginning of all their periods.
    pub from: Option<Timestamp>,
    /// The end of the period of the last run that compared the books.
    pub compared_to: Option<Timestamp>,
    /// The night of the last weekly run that compared the books.
    pub weekly: Option<Timestamp>,
}

/// A run that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRun {
    pub night: Timestamp,
    pub origin: RunOrigin,
    pub period: Period,
    /// True if nights before this one had no run.
    pub after_missed: bool,
}

fn day_number(at: Timestamp) -> i64 {
    at.as_ms().div_euclid(DAY_MS)
}

/// The first night after a moment; `at` is the time of day in UTC.
#[must_use]
pub fn next_night(at: Duration, after: Timestamp) -> Timestamp {
    last_night(at, after).plus(DAY)
}

/// The last night that has begun.
#[must_use]
pub fn last_night(at: Duration, now: Timestamp) -> Timestamp {
    let at = i64::try_from(at.as_millis()).unwrap_or(0);
    Timestamp::from_ms((now.as_ms() - at).div_euclid(DAY_MS) * DAY_MS + at)
}

/// The number of the last Sunday up to this day. 1970 began on a Thursday.
fn last_sunday(day: i64) -> i64 {
    day - (day + 4).rem_euclid(7)
}

/// The run that is due now. A provider without runs waits for the night after `since`, when this process first
/// saw it; otherwise the stored runs alone decide, so that a missed night is made up for.
#[must_use]
pub fn plan(at: Duration, now: Timestamp, since: Timestamp, past: &PastNights) -> Option<PlannedRun> {
    let night = last_night(at, now);
    let today = day_number(night);
    match past.last {
        Some(last) if day_number(last) >= today => return None,
        None if night <= since => return None,
        _ => {}
    }
    let sunday = last_sunday(today);
    let is_before = |night: Option<Timestamp>| night.is_none_or(|night| day_number(night) < sunday);
    let knew_sunday = past.first.is_some_and(|first| day_number(first) <= sunday);
    let weekly = today == sunday || knew_sunday && is_before(past.weekly);
    let to = Timestamp::from_ms(today * DAY_MS);
    let earliest = to.minus(DAY * MAX_DAYS);
    let usual = to.minus(DAY * NIGHTLY_DAYS);
    // If nothing was compared yet, the days of the nights that failed count, too.
    let left = past.compared_to.map(|until| until.minus(DAY * (NIGHTLY_DAYS - 1))).or(past.from);
    let from = left.map_or(usual, |left| left.min(usual));
    Some(PlannedRun {
        night,
        origin: if weekly { RunOrigin::Weekly } else { RunOrigin::Nightly },
        period: Period { from: if weekly { earliest } else { from.max(earliest) }, to },
        after_missed: past.last.is_some_and(|last| day_number(last) + 1 < today),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hours after midnight.
    const AT: Duration = Duration::from_secs(2 * 60 * 60);

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    fn days(planned: &PlannedRun) -> (String, String) {
        planned.period.days()
    }

    fn texts((first, last): (&str, &str)) -> (String, String) {
        (first.to_owned(), last.to_owned())
    }

    #[test]
    fn l11_a_night_begins_two_hours_after_midnight() {
        for (after, expected) in [
            ("2026-11-14T00:00:00Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T01:59:59Z", "2026-11-14T02:00:00Z"),
            ("2026-11-14T02:00:00Z", "2026-11-15T02:00:00Z"),
            ("2026-12-31T23:00:00Z", "2027-01-01T02:00:00Z"),
        ] {
            assert_eq!(next_night(AT, at(after)), at(expected), "{after}");
        }
    }

    #[test]
    fn a_new_provider_waits_for_its_first_night() {
        let past = PastNights::default();
        let since = at("2026-11-17T10:00:00Z");
        assert_eq!(plan(AT, at("2026-11-18T01:59:59Z"), since, &past), None);
        let first = plan(AT, at("2026-11-18T02:00:00Z"), since, &past).expect("a run");
        assert_eq!(days(&first), texts(("2026-11-15", "2026-11-17")));
        assert_eq!((first.origin, first.after_missed), (RunOrigin::Nightly, false));
    }

    #[test]
    fn missed_nights_are_made_up_for_with_their_days() {
        let past = PastNights {
            first: Some(at("2026-11-09T02:00:00Z")),
            last: Some(at("2026-11-10T02:00:00Z")),
            from: Some(at("2026-11-06T00:00:00Z")),
            compared_to: Some(at("2026-11-10T00:00:00Z")),
            weekly: Some(at("2026-11-08T02:00:00Z")),
        };
        // The process started a minute ago: what is stored decides.
        let now = at("2026-11-14T15:01:00Z");
        let run = plan(AT, now, at("2026-11-14T15:00:00Z"), &past).expect("a run");
        assert_eq!(days(&run), texts(("2026-11-08", "2026-11-13")));
        assert!(run.after_missed && run.origin == RunOrigin::Nightly);
        let done = PastNights { last: Some(run.night), ..past };
        assert_eq!(plan(AT, now, now, &done), None, "once");
        // If every run failed, all their days are compared.
        let never = PastNights { compared_to: None, ..past };
        let run = plan(AT, now, now, &never).expect("a run");
        assert_eq!(days(&run), texts(("2026-11-06", "2026-11-13")));
        // After half a year no more than what one run may compare.
        let late = plan(AT, at("2027-05-14T15:00:00Z"), now, &past).expect("a run");
        assert_eq!(late.period.to.since(late.period.from), DAY * MAX_DAYS);
    }

    #[test]
    fn sunday_compares_three_months_and_a_failed_sunday_is_repeated() {
        let night = |day: &str| Some(at(&format!("2026-11-{day}T02:00:00Z")));
        let past = PastNights {
            first: night("09"),
            last: night("14"),
            from: Some(at("2026-11-06T00:00:00Z")),
            compared_to: Some(at("2026-11-14T00:00:00Z")),
            weekly: None,
        };
        let on = |day: &str, past: &PastNights| {
            let now = at(&format!("2026-11-{day}T02:30:00Z"));
            plan(AT, now, now, past).expect("a run")
        };
        let sunday = on("15", &past);
        assert_eq!(sunday.origin, RunOrigin::Weekly);
        assert_eq!(days(&sunday), texts(("2026-08-15", "2026-11-14")));
        let failed = PastNights { last: night("15"), ..past };
        assert_eq!(on("16", &failed).origin, RunOrigin::Weekly);
        let compared = PastNights { last: night("16"), weekly: night("16"), ..past };
        assert_eq!(on("17", &compared).origin, RunOrigin::Nightly);
        // A provider that was set up after Sunday waits for the next one.
        let new = PastNights { first: night("16"), last: night("16"), ..PastNights::default() };
        assert_eq!(on("17", &new).origin, RunOrigin::Nightly);
    }

    #[test]
    fn days_are_dates_in_order_and_not_too_many() {
        let now = at("2026-11-01T00:00:00Z");
        let one = Period::of_days("2026-11-01", "2026-11-01", now).expect("a day");
        assert_eq!(one.days(), texts(("2026-11-01", "2026-11-01")));
        for (first, last, problem) in [
            ("2026-02-30", "2026-03-01", PeriodProblem::First),
            ("2026-03-01", "soon", PeriodProblem::Last),
            ("2026-03-02", "2026-03-01", PeriodProblem::Order),
            ("2026-01-01", "2026-04-03", PeriodProblem::TooLong),
            ("2026-11-01", "2026-11-02", PeriodProblem::Future),
            ("2026-11-02", "2026-11-02", PeriodProblem::Future),
        ] {
            assert_eq!(Period::of_days(first, last, now), Err(problem), "{first} {last}");
        }
        assert!(Period::of_days("2026-01-01", "2026-04-02", now).is_ok());
    }
}
