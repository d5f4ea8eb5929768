//! Decides which host of a URL is used, from what was last seen of each. Nothing here waits or does I/O: time
//! is an argument.
//!
//! The rules, in docs/decisions/0023-postgres-hosts.md: only a host that accepts writes on the highest
//! timeline ever seen is used. The host in use stays until another one is on a higher timeline, or until it
//! accepts no writes or gives no answers while another one does.

use super::timeline::Timeline;
use std::time::{Duration, Instant};

/// An answer is given to a caller only if every other host was probed within this time before it.
pub(super) const FRESH_FOR: Duration = Duration::from_millis(1_200);

/// How long a node that finds a new primary waits before its first write there, unless none of the other
/// hosts can be an older primary in use. It is longer than [`FRESH_FOR`]: by then every node that can reach
/// the new primary has left the old one, so no caller is given an answer from before that write.
const SETTLE: Duration = Duration::from_millis(1_300);

/// Probes in a row without an answer after which another address of the same server is used.
const SILENCES: u32 = 2;

/// The result of probing a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProbeResult {
    /// It was not probed yet.
    Unseen,
    /// It accepts writes, on this timeline.
    Writable(Timeline),
    /// It answers and accepts no writes, as a standby does.
    ReadOnly,
    /// Nothing serves there: no node can be reading from it.
    Down(String),
    /// It could not be probed. Another node may still be using it.
    Unclear(String),
}

#[derive(Debug)]
struct Host {
    sight: ProbeResult,
    /// Its timeline when it last accepted writes.
    timeline: Option<Timeline>,
    /// Probes in a row that ended unclear.
    silences: u32,
    /// When the last finished probe began.
    looked_at: Option<Instant>,
}

/// The hosts of a URL, and the one in use.
#[derive(Debug)]
pub(super) struct HostChoice {
    hosts: Vec<Host>,
    highest: Timeline,
    /// When the highest timeline was seen for the first time.
    rose_at: Option<Instant>,
    chosen: Option<usize>,
    /// Rises whenever connections made before must no longer be used.
    generation: u64,
}

impl HostChoice {
    /// A single host is always the one in use.
    pub(super) fn new(count: usize) -> Self {
        let host = || Host { sight: ProbeResult::Unseen, timeline: None, silences: 0, looked_at: None };
        Self {
            hosts: (0..count).map(|_| host()).collect(),
            highest: 0,
            rose_at: None,
            chosen: (count == 1).then_some(0),
            generation: 0,
        }
    }

    pub(super) fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn highest(&self) -> Timeline {
        self.highest
    }

    /// Records the result of a probe. `looked_at` is when it began, or until when it was without an answer.
    pub(super) fn note(&mut self, index: usize, sight: ProbeResult, looked_at: Instant, now: Instant) {
        let Some(host) = self.hosts.get_mut(index) else { return };
        host.silences =
            if matches!(sight, ProbeResult::Unclear(_)) { host.silences.saturating_add(1) } else { 0 };
        host.looked_at = Some(looked_at);
        if let ProbeResult::Writable(timeline) = sight {
            host.timeline = Some(timeline);
            self.raise(timeline, now);
        }
        if let Some(host) = self.hosts.get_mut(index) {
            host.sight = sight;
        }
        self.choose();
    }

    /// Returns the generation in which a new connection to a host may be used, judged by the timeline of the
    /// server behind it, or the reason why it must not be used.
    pub(super) fn admit(&mut self, index: usize, timeline: Timeline, now: Instant) -> Result<u64, String> {
        self.raise(timeline, now);
        if timeline < self.highest {
            let highest = self.highest;
            return Err(format!(
                "it is an old primary: its timeline is {timeline}, and a server on timeline {highest} has replaced it \
                 (if the database was restored or upgraded on purpose, restart till)"
            ));
        }
        if self.chosen != Some(index) {
            return Err("another host is the primary now".to_owned());
        }
        Ok(self.generation)
    }

    /// Leaves a host that failed to answer, if another one can be used.
    pub(super) fn distrust(&mut self, index: usize) {
        if self.chosen == Some(index)
            && let Some(other) = self.candidate().filter(|other| *other != index)
        {
            self.move_to(other);
        }
    }

    /// How much longer writes must wait; see [`SETTLE`].
    pub(super) fn settles_in(&self, now: Instant) -> Duration {
        let older = |(index, host): (usize, &Host)| Some(index) != self.chosen && self.may_be_older(host);
        if !self.hosts.iter().enumerate().any(older) {
            return Duration::ZERO;
        }
        self.rose_at.map_or(Duration::ZERO, |at| (at + SETTLE).saturating_duration_since(now))
    }

    /// Until when answers of the host in use are valid; `None` if it is the only one.
    pub(super) fn fresh_until(&self) -> Option<Instant> {
        let others = self.hosts.iter().enumerate().filter(|(index, _)| Some(*index) != self.chosen);
        others.filter_map(|(_, host)| host.looked_at).min().map(|at| at + FRESH_FOR)
    }

    /// True if a host may yet turn out to be usable.
    pub(super) fn is_pending(&self) -> bool {
        self.hosts.iter().any(|host| matches!(host.sight, ProbeResult::Unseen | ProbeResult::Unclear(_)))
    }

    /// True if no host is in use, or the one in use did not say at its last probe that it accepts writes.
    pub(super) fn is_searching(&self) -> bool {
        let used = self.chosen.and_then(|index| self.hosts.get(index));
        !used.is_some_and(|host| host.sight == ProbeResult::Writable(self.highest))
    }

    /// The reason why a host is not used.
    pub(super) fn reason(&self, index: usize) -> Option<String> {
        match &self.hosts.get(index)?.sight {
            ProbeResult::Unseen => Some("it has not responded yet".to_owned()),
            ProbeResult::Writable(timeline) if *timeline < self.highest => {
                Some(format!("it is an old primary, on timeline {timeline} instead of {}", self.highest))
            }
            ProbeResult::Writable(_) => None,
            ProbeResult::ReadOnly => Some("it does not accept writes".to_owned()),
            ProbeResult::Down(reason) | ProbeResult::Unclear(reason) => Some(reason.clone()),
        }
    }

    fn raise(&mut self, timeline: Timeline, now: Instant) {
        if timeline > self.highest {
            self.highest = timeline;
            self.rose_at = Some(now);
            self.generation += 1;
        }
    }

    fn choose(&mut self) {
        let seen = self.hosts.iter().all(|host| host.sight != ProbeResult::Unseen);
        let keeps = self.chosen.is_some_and(|index| self.serves(index));
        if keeps || (self.chosen.is_none() && !seen) {
            return;
        }
        if let Some(best) = self.candidate()
            && self.chosen != Some(best)
        {
            self.move_to(best);
        }
    }

    /// The next host after the one in use that accepts writes on the highest timeline.
    fn candidate(&self) -> Option<usize> {
        let count = self.hosts.len();
        let first = self.chosen.map_or(0, |index| index + 1);
        let mut order = (0..count).map(|step| (first + step) % count);
        order.find(|index| {
            self.hosts.get(*index).is_some_and(|host| host.sight == ProbeResult::Writable(self.highest))
        })
    }

    fn move_to(&mut self, index: usize) {
        self.chosen = Some(index);
        self.generation += 1;
    }

    /// True if the host in use stays in use. A host that is slow to answer stays for a while.
    fn serves(&self, index: usize) -> bool {
        self.hosts.get(index).is_some_and(|host| match host.sight {
            ProbeResult::Writable(timeline) => timeline == self.highest,
            ProbeResult::Unclear(_) => host.timeline == Some(self.highest) && host.silences < SILENCES,
            ProbeResult::Unseen | ProbeResult::ReadOnly | ProbeResult::Down(_) => false,
        })
    }

    /// True if another node may be reading from this host while it is on a lower timeline.
    fn may_be_older(&self, host: &Host) -> bool {
        match host.sight {
            ProbeResult::Writable(timeline) => timeline < self.highest,
            ProbeResult::Unseen | ProbeResult::Unclear(_) => host.timeline != Some(self.highest),
            ProbeResult::ReadOnly | ProbeResult::Down(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A choice among hosts that were all just seen like this, and the time of that.
    fn seen(sights: &[ProbeResult]) -> (HostChoice, Instant) {
        let (mut choice, now) = (HostChoice::new(sights.len()), Instant::now());
        for (index, sight) in sights.iter().enumerate() {
            choice.note(index, sight.clone(), now, now);
        }
        (choice, now)
    }

    fn silent() -> ProbeResult {
        ProbeResult::Unclear("no answer".to_owned())
    }

    fn down() -> ProbeResult {
        ProbeResult::Down("refused".to_owned())
    }

    #[test]
    fn the_first_choice_waits_for_every_host_and_takes_the_highest_timeline() {
        let now = Instant::now();
        let mut choice = HostChoice::new(3);
        choice.note(0, ProbeResult::Writable(1), now, now);
        choice.note(1, ProbeResult::ReadOnly, now, now);
        assert_eq!(choice.chosen(), None, "the third may be a newer primary");
        choice.note(2, ProbeResult::Writable(2), now, now);
        assert_eq!(choice.chosen(), Some(2));
        assert_eq!(
            seen(&[silent(), ProbeResult::Writable(1)]).0.chosen(),
            Some(1),
            "one that is silent is not waited for"
        );
        assert_eq!(seen(&[down(), ProbeResult::ReadOnly]).0.chosen(), None);
    }

    #[test]
    fn a_higher_timeline_is_taken_at_once_and_a_lower_one_never_again() {
        let (mut choice, now) = seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly]);
        let before = choice.generation();
        choice.note(1, ProbeResult::Writable(2), now, now);
        assert_eq!(choice.chosen(), Some(1));
        assert!(choice.generation() > before, "connections to the old primary are closed");
        let refused = choice.admit(0, 1, now).expect_err("an old primary");
        assert!(refused.contains("timeline is 1"), "{refused}");
        choice.note(1, down(), now, now);
        choice.note(0, ProbeResult::Writable(1), now, now);
        assert_eq!(choice.chosen(), Some(1), "although it is the only one that takes writes");
        choice.note(0, ProbeResult::Writable(3), now, now);
        assert_eq!(choice.chosen(), Some(0), "promoted in its turn");
    }

    #[test]
    fn a_silent_host_is_left_after_two_looks_if_another_way_to_the_server_answers() {
        let (mut choice, now) = seen(&[ProbeResult::Writable(1), ProbeResult::Writable(1)]);
        choice.note(0, silent(), now, now);
        assert_eq!(choice.chosen(), Some(0), "once is not enough");
        choice.note(0, ProbeResult::Writable(1), now, now);
        choice.note(0, silent(), now, now);
        choice.note(0, silent(), now, now);
        assert_eq!(choice.chosen(), Some(1));
        let (mut alone, now) = seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly]);
        let before = alone.generation();
        for _ in 0..10 {
            alone.note(0, silent(), now, now);
        }
        assert_eq!((alone.chosen(), alone.generation()), (Some(0), before), "a slow server is not cut off");
    }

    #[test]
    fn a_search_lasts_until_a_host_in_use_accepts_writes() {
        let now = Instant::now();
        let mut choice = HostChoice::new(2);
        assert!(choice.is_searching(), "nothing was seen yet");
        choice.note(0, ProbeResult::Writable(1), now, now);
        choice.note(1, ProbeResult::ReadOnly, now, now);
        assert!(!choice.is_searching());
        choice.note(0, silent(), now, now);
        assert!(choice.is_searching(), "already after one probe without an answer");
        choice.note(0, ProbeResult::Writable(1), now, now);
        assert!(!choice.is_searching());
        choice.note(0, down(), now, now);
        choice.note(1, ProbeResult::Writable(2), now, now);
        assert!(!choice.is_searching(), "the other one is in use");
    }

    #[test]
    fn after_an_unknown_batch_the_next_host_comes_first() {
        let (mut choice, _) =
            seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly, ProbeResult::Writable(1)]);
        choice.distrust(0);
        assert_eq!(choice.chosen(), Some(2));
        choice.distrust(0);
        assert_eq!(choice.chosen(), Some(2), "that was about an earlier connection");
        choice.distrust(2);
        assert_eq!(choice.chosen(), Some(0));
        let (mut alone, _) = seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly]);
        let before = alone.generation();
        alone.distrust(0);
        assert_eq!((alone.chosen(), alone.generation()), (Some(0), before));
    }

    #[test]
    fn writes_wait_until_no_node_reads_from_an_older_primary() {
        for (old, waits) in [
            (ProbeResult::Writable(1), true),
            (silent(), true),
            (down(), false),
            (ProbeResult::ReadOnly, false),
        ] {
            let (mut choice, now) = seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly]);
            assert_eq!(choice.settles_in(now), Duration::ZERO, "an ordinary start");
            choice.note(0, old.clone(), now, now);
            choice.note(1, ProbeResult::Writable(2), now, now);
            assert_eq!(choice.settles_in(now) > FRESH_FOR, waits, "{old:?}");
            assert_eq!(choice.settles_in(now + SETTLE), Duration::ZERO);
        }
    }

    #[test]
    fn answers_count_while_every_other_host_was_looked_at_lately() {
        let (mut choice, now) =
            seen(&[ProbeResult::Writable(1), ProbeResult::ReadOnly, ProbeResult::ReadOnly]);
        let later = now + Duration::from_secs(1);
        choice.note(0, ProbeResult::Writable(1), later, later);
        choice.note(1, ProbeResult::ReadOnly, later, later);
        assert_eq!(choice.fresh_until(), Some(now + FRESH_FOR), "the third was seen last");
        assert_eq!(HostChoice::new(1).fresh_until(), None);
    }

    #[test]
    fn a_single_host_is_used_unseen_and_refused_once_its_timeline_falls() {
        let now = Instant::now();
        let mut choice = HostChoice::new(1);
        let first = choice.admit(0, 2, now).expect("the first");
        assert_eq!(choice.admit(0, 2, now), Ok(first));
        assert!(choice.admit(0, 3, now).expect("a newer primary behind the same name") > first);
        assert!(choice.admit(0, 2, now).is_err());
        assert_eq!(choice.settles_in(now), Duration::ZERO);
    }
}
