//! What this node has counted of a provider for all nodes: calls by quarter of an hour, and the last error and notices.
//! Kept in memory until `activity.rs` writes it, so that neither a call nor a notice costs a commit.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use till_domain::{
    activity::{CallCounts, LastEvent, ProviderEvent, quarter_of},
    time::Timestamp,
};

/// The quarters of an hour that are kept after they were written: a call that ended late still counts in its own.
const KEPT: usize = 8;

/// The most quarters that are kept while the store takes no writes: those of a day. Then the oldest are lost.
const MOST: usize = 96;

/// Maximum characters of a text that is kept.
const MAX_NOTE: usize = 300;

/// The journal of one provider on this node.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<JournalRecord>);

#[derive(Debug, Default)]
struct JournalRecord {
    quarters: BTreeMap<Timestamp, CountedQuarter>,
    /// The last event of each kind, and whether it is written.
    events: BTreeMap<ProviderEvent, (LastEvent, bool)>,
}

#[derive(Debug, Default)]
struct CountedQuarter {
    counts: CallCounts,
    /// The number of calls that were written.
    written: u64,
}

/// A copy of what a journal holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JournalPart {
    pub quarters: Vec<(Timestamp, CallCounts)>,
    pub events: Vec<(ProviderEvent, LastEvent)>,
}

impl Journal {
    fn record(&self) -> MutexGuard<'_, JournalRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a call that was answered, or its error.
    pub(super) fn note_call(&self, at: Timestamp, took: Duration, error: Option<String>) {
        let mut record = self.record();
        record.quarters.entry(quarter_of(at)).or_default().counts.note(error.is_none(), took);
        record.drop_old();
        if let Some(error) = error {
            record.note_event(ProviderEvent::Error, at, &error);
        }
    }

    /// Records an event, of which only the last is kept.
    pub(super) fn note_event(&self, kind: ProviderEvent, at: Timestamp, note: &str) {
        self.record().note_event(kind, at, note);
    }

    /// All that it holds.
    pub(super) fn all(&self) -> JournalPart {
        let record = self.record();
        JournalPart {
            quarters: record.quarters.iter().map(|(start, known)| (*start, known.counts.clone())).collect(),
            events: record.events.iter().map(|(kind, (event, _))| (*kind, event.clone())).collect(),
        }
    }

    /// The part that is not written yet: the totals of quarters with new calls, and new events.
    pub(super) fn unwritten(&self) -> JournalPart {
        let record = self.record();
        let quarters = record.quarters.iter().filter(|(_, known)| known.counts.calls > known.written);
        let events = record.events.iter().filter(|(_, (_, written))| !written);
        JournalPart {
            quarters: quarters.map(|(start, known)| (*start, known.counts.clone())).collect(),
            events: events.map(|(kind, (event, _))| (*kind, event.clone())).collect(),
        }
    }

    /// Records that a part was written. What was counted meanwhile stays unwritten.
    pub(super) fn mark_written(&self, part: &JournalPart) {
        let mut record = self.record();
        for (start, counts) in &part.quarters {
            if let Some(known) = record.quarters.get_mut(start) {
                known.written = known.written.max(counts.calls);
            }
        }
        for (kind, event) in &part.events {
            if let Some((known, written)) = record.events.get_mut(kind) {
                *written |= known == event;
            }
        }
        record.drop_old();
    }
}

impl JournalRecord {
    fn note_event(&mut self, kind: ProviderEvent, at: Timestamp, note: &str) {
        let note = note.chars().take(MAX_NOTE).collect();
        self.events.insert(kind, (LastEvent { at, note }, false));
    }

    /// Drops old quarters that are written, and the oldest if there are too many.
    fn drop_old(&mut self) {
        while self.quarters.len() > KEPT {
            let Some(oldest) = self.quarters.first_entry() else { return };
            let is_written = oldest.get().counts.calls <= oldest.get().written;
            if !is_written && self.quarters.len() <= MOST {
                return;
            }
            self.quarters.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: u64) -> Timestamp {
        Timestamp::from_ms(1_763_164_800_000).plus(Duration::from_secs(60 * minutes))
    }

    fn call(journal: &Journal, minutes: u64, error: Option<&str>) {
        journal.note_call(at(minutes), Duration::from_millis(3), error.map(str::to_owned));
    }

    fn calls(part: &JournalPart) -> Vec<u64> {
        part.quarters.iter().map(|(_, counts)| counts.calls).collect()
    }

    #[test]
    fn totals_are_written_until_they_are_known_to_be_written() {
        let journal = Journal::default();
        call(&journal, 0, None);
        call(&journal, 14, Some("no answer in time"));
        let first = journal.unwritten();
        assert_eq!((calls(&first), first.events.len()), (vec![2], 1));
        assert_eq!(journal.unwritten(), first, "a write that failed is repeated");
        call(&journal, 14, None);
        journal.mark_written(&first);
        assert_eq!(calls(&journal.unwritten()), [3], "the total, with the call that came meanwhile");
        assert!(journal.unwritten().events.is_empty());
        journal.mark_written(&journal.unwritten());
        assert_eq!(journal.unwritten(), JournalPart::default());
        call(&journal, 15, None);
        assert_eq!((calls(&journal.unwritten()), calls(&journal.all())), (vec![1], vec![3, 1]));
    }

    #[test]
    fn an_event_that_was_replaced_meanwhile_stays_unwritten() {
        let journal = Journal::default();
        journal.note_event(ProviderEvent::NoticeRefused, at(0), "unsigned");
        let part = journal.unwritten();
        journal.note_event(ProviderEvent::NoticeRefused, at(1), "unproven");
        journal.mark_written(&part);
        assert_eq!(journal.unwritten().events[0].1.note, "unproven");
    }

    #[test]
    fn memory_is_bounded_also_while_nothing_can_be_written() {
        let journal = Journal::default();
        for quarter in 0..1_000 {
            call(&journal, 15 * quarter, Some(&"ж".repeat(10_000)));
        }
        let part = journal.unwritten();
        assert_eq!(part.quarters.len(), MOST);
        assert_eq!(part.events[0].1.note.chars().count(), MAX_NOTE);
        journal.mark_written(&part);
        assert_eq!(journal.all().quarters.len(), KEPT);
    }
}
