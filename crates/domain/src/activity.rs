//! The activity of a provider: its calls by quarter of an hour with their latency, and the last of what happened to it.
//!
//! Every process counts its own calls, and the sum of all of them is the activity of the service. Nothing here decides
//! about money.

use crate::{time::Timestamp, words::words};
use std::time::Duration;

/// How long the calls of a quarter of an hour are kept.
pub const CALLS_KEPT_FOR: Duration = Duration::from_secs(7 * 86_400);

/// The length of a period in which calls are counted.
pub const QUARTER: Duration = Duration::from_secs(15 * 60);

/// The quarters of an hour in a day.
pub const QUARTERS: usize = 96;

/// The quarters in an hour.
const IN_AN_HOUR: usize = 4;

/// Upper bounds of the buckets of the latency histogram, in milliseconds. Slower answers count in the last
/// one.
const BOUNDS: [u64; 20] =
    [1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 350, 500, 750, 1_000, 1_500, 2_500, 5_000, 7_500, 10_000];

/// Calls in a period of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallCounts {
    /// All of them.
    pub calls: u64,
    /// Number of them that were answered.
    pub answered: u64,
    /// Number of answers in each bucket of the histogram.
    took: [u64; BOUNDS.len()],
}

impl CallCounts {
    /// Counts one call.
    pub fn note(&mut self, answered: bool, took: Duration) {
        self.calls = self.calls.saturating_add(1);
        if !answered {
            return;
        }
        self.answered = self.answered.saturating_add(1);
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|bound| ms <= *bound).unwrap_or(BOUNDS.len() - 1);
        if let Some(count) = self.took.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds other calls to these.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.answered = self.answered.saturating_add(other.answered);
        for (mine, theirs) in self.took.iter_mut().zip(other.took) {
            *mine = mine.saturating_add(theirs);
        }
    }

    /// Number of calls that were not answered.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.calls.saturating_sub(self.answered)
    }

    /// The smallest bound of a bucket that this percentage of the answers keeps; `None` without an answer.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<Duration> {
        let wanted = self.answered.saturating_mul(percent).div_ceil(100);
        let mut seen = 0_u64;
        let bound = BOUNDS.iter().zip(self.took).find(|(_, count)| {
            seen = seen.saturating_add(*count);
            seen >= wanted
        });
        bound.filter(|_| self.answered > 0).map(|(bound, _)| Duration::from_millis(*bound))
    }

    /// The histogram as it is stored: the bound of each bucket that has answers, and their number, such as
    /// `20=95 1000=5`.
    #[must_use]
    pub fn latency_text(&self) -> String {
        let used = BOUNDS.iter().zip(self.took).filter(|(_, count)| *count > 0);
        used.map(|(bound, count)| format!("{bound}={count}")).collect::<Vec<_>>().join(" ")
    }

    /// Calls as they were stored; `None` if the histogram cannot be read. A bound that is not known, as of another
    /// version, counts in the next higher bucket.
    #[must_use]
    pub fn from_stored(calls: u64, failures: u64, latency: &str) -> Option<Self> {
        let mut counts = Self { calls, answered: calls.checked_sub(failures)?, ..Self::default() };
        for part in latency.split_whitespace() {
            let (bound, count) = part.split_once('=')?;
            let (bound, count): (u64, u64) = (bound.parse().ok()?, count.parse().ok()?);
            let bucket = BOUNDS.iter().position(|known| bound <= *known).unwrap_or(BOUNDS.len() - 1);
            let bucket = counts.took.get_mut(bucket)?;
            *bucket = bucket.saturating_add(count);
        }
        Some(counts)
    }
}

/// The start of the quarter of an hour in which a moment is.
#[must_use]
pub fn quarter_of(at: Timestamp) -> Timestamp {
    Timestamp::from_ms(at.as_ms() - at.as_ms().rem_euclid(quarter_ms()))
}

fn quarter_ms() -> i64 {
    i64::try_from(QUARTER.as_millis()).unwrap_or(i64::MAX)
}

/// The calls of the last 24 hours, as 96 quarters of an hour. The last one is not over yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDay {
    since: Timestamp,
    quarters: Vec<CallCounts>,
}

impl CallDay {
    /// A day without calls.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { since: Self::start(now), quarters: vec![CallCounts::default(); QUARTERS] }
    }

    /// The start of the oldest quarter of the day that ends now.
    #[must_use]
    pub fn start(now: Timestamp) -> Timestamp {
        let all = quarter_ms().saturating_mul(i64::try_from(QUARTERS).unwrap_or(i64::MAX) - 1);
        Timestamp::from_ms(quarter_of(now).as_ms().saturating_sub(all))
    }

    /// Adds calls of a quarter of an hour. Those of another day are left out.
    pub fn add(&mut self, quarter: Timestamp, counts: &CallCounts) {
        let place = (quarter.as_ms() - self.since.as_ms()).div_euclid(quarter_ms());
        let quarter = usize::try_from(place).ok().and_then(|place| self.quarters.get_mut(place));
        if let Some(known) = quarter {
            known.add(counts);
        }
    }

    /// The quarters with their starts, oldest first.
    pub fn quarters(&self) -> impl Iterator<Item = (Timestamp, &CallCounts)> {
        let starts = (0_i64..).map(|place| {
            Timestamp::from_ms(self.since.as_ms().saturating_add(place.saturating_mul(quarter_ms())))
        });
        starts.zip(&self.quarters)
    }

    /// The hours with their starts, oldest first: four quarters each, the last one being the present.
    #[must_use]
    pub fn hours(&self) -> Vec<(Timestamp, CallCounts)> {
        let quarters: Vec<_> = self.quarters().collect();
        let hour = |quarters: &[(Timestamp, &CallCounts)]| {
            let (start, _) = quarters.first()?;
            let mut sum = CallCounts::default();
            quarters.iter().for_each(|(_, counts)| sum.add(counts));
            Some((*start, sum))
        };
        quarters.chunks(IN_AN_HOUR).filter_map(hour).collect()
    }

    /// All calls of the day.
    #[must_use]
    pub fn sum(&self) -> CallCounts {
        let mut sum = CallCounts::default();
        self.quarters.iter().for_each(|counts| sum.add(counts));
        sum
    }
}

words! {
    /// Something of which the last one is kept for each provider.
    #[derive(PartialOrd, Ord)]
    pub enum ProviderEvent {
        /// A call failed.
        Error = "error",
        /// A notice (webhook) was accepted.
        NoticeAccepted = "notice_accepted",
        /// A notice was refused.
        NoticeRefused = "notice_refused",
    }
}

words! {
    /// The reason why a notice was refused.
    pub enum NoticeRefusal {
        /// It has no signature.
        Unsigned = "unsigned",
        /// Its signature or token is wrong, or it cannot be read.
        Unproven = "unproven",
        /// It has the provider's secret, and came from an address that is not the provider's.
        ForeignAddress = "foreign_address",
    }
}

/// The last time that something happened, and more about it: the text of an error, or the reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastEvent {
    pub at: Timestamp,
    pub note: String,
}

/// What a provider did in the last 24 hours, on all processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    pub day: CallDay,
    /// The last call that failed, with its error.
    pub last_error: Option<LastEvent>,
    /// When the last notice was accepted.
    pub notice_accepted: Option<Timestamp>,
    /// When the last notice was refused, with the reason.
    pub notice_refused: Option<(Timestamp, NoticeRefusal)>,
}

impl Activity {
    /// A provider that did nothing.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { day: CallDay::new(now), last_error: None, notice_accepted: None, notice_refused: None }
    }

    /// Adds an event, of which only the last one of its kind counts. A reason that is not known, as of another version,
    /// counts as [`NoticeRefusal::Unproven`].
    pub fn add_event(&mut self, kind: ProviderEvent, event: &LastEvent) {
        let later = |known: Option<Timestamp>| known.is_none_or(|known| known <= event.at);
        match kind {
            ProviderEvent::Error if later(self.last_error.as_ref().map(|known| known.at)) => {
                self.last_error = Some(event.clone());
            }
            ProviderEvent::NoticeAccepted if later(self.notice_accepted) => {
                self.notice_accepted = Some(event.at);
            }
            ProviderEvent::NoticeRefused if later(self.notice_refused.map(|(at, _)| at)) => {
                let reason = NoticeRefusal::parse(&event.note).unwrap_or(NoticeRefusal::Unproven);
                self.notice_refused = Some((event.at, reason));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    fn answered(count: u64, took: u64) -> CallCounts {
        let mut counts = CallCounts::default();
        (0..count).for_each(|_| counts.note(true, MS(took)));
        counts
    }

    #[test]
    fn a_percentile_is_what_so_many_of_100_answers_took_at_most() {
        let mut counts = answered(95, 18);
        counts.add(&answered(5, 900));
        assert_eq!((counts.percentile(50), counts.percentile(95)), (Some(MS(20)), Some(MS(20))));
        counts.note(true, MS(900));
        assert_eq!(counts.percentile(95), Some(MS(1_000)), "96 of 101");
        assert_eq!(answered(1, 90_000).percentile(95), Some(MS(10_000)), "the last bucket has no end");
        let mut silent = CallCounts::default();
        silent.note(false, MS(3));
        assert_eq!((silent.failures(), silent.percentile(95)), (1, None), "a failure has no latency");
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let mut counts = answered(95, 18);
        counts.add(&answered(5, 60_000));
        counts.note(false, MS(1));
        assert_eq!(counts.latency_text(), "20=95 10000=5");
        let read = |calls, text| CallCounts::from_stored(calls, 1, text);
        assert_eq!(read(101, "20=95 10000=5"), Some(counts));
        assert_eq!(read(2, "17=1"), read(2, "20=1"), "the bounds of another version");
        for wrong in ["20", "=", "x=1", "20=-1"] {
            assert_eq!(read(2, wrong), None, "{wrong}");
        }
        assert_eq!(read(0, ""), None, "more failures than calls");
    }

    #[test]
    fn a_day_has_96_quarters_and_24_hours_of_the_same_calls() {
        let now = at("2026-11-17T11:07:31Z");
        let mut day = CallDay::new(now);
        assert_eq!(CallDay::start(now), at("2026-11-16T11:15:00Z"));
        for moment in
            ["2026-11-16T11:14:59Z", "2026-11-16T11:15:00Z", "2026-11-17T11:07:31Z", "2026-11-17T11:15:00Z"]
        {
            day.add(quarter_of(at(moment)), &answered(1, 5));
        }
        assert_eq!(day.sum().calls, 2, "one is too old, and one is of the future");
        let used: Vec<_> =
            day.quarters().filter(|(_, counts)| counts.calls > 0).map(|(start, _)| start).collect();
        assert_eq!(used, [at("2026-11-16T11:15:00Z"), at("2026-11-17T11:00:00Z")]);
        assert_eq!((day.quarters().count(), day.hours().len()), (96, 24));
        let hours = day.hours();
        let (first, last) = (hours.first().expect("hours"), hours.last().expect("hours"));
        assert_eq!((first.0, first.1.calls), (at("2026-11-16T11:15:00Z"), 1));
        assert_eq!((last.0, last.1.calls), (at("2026-11-17T10:15:00Z"), 1));
    }

    #[test]
    fn only_the_last_event_of_a_kind_counts() {
        let now = at("2026-11-17T11:07:31Z");
        let mut activity = Activity::new(now);
        let event = |seconds, note: &str| LastEvent {
            at: now.plus(Duration::from_secs(seconds)),
            note: note.to_owned(),
        };
        for (kind, seconds, note) in [
            (ProviderEvent::Error, 2, "later"),
            (ProviderEvent::Error, 1, "earlier"),
            (ProviderEvent::NoticeRefused, 1, "unsigned"),
            (ProviderEvent::NoticeRefused, 2, "foreign_address"),
            (ProviderEvent::NoticeAccepted, 3, ""),
        ] {
            activity.add_event(kind, &event(seconds, note));
        }
        assert_eq!(activity.last_error, Some(event(2, "later")));
        assert_eq!(activity.notice_refused, Some((event(2, "").at, NoticeRefusal::ForeignAddress)));
        assert_eq!(activity.notice_accepted, Some(event(3, "").at));
    }
}
