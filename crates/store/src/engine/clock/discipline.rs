//! The clock discipline: how a time that never jumps follows a reference clock that may.
//!
//! Readings are arguments, in microseconds: of a monotonic clock, and of the reference since 1970. Nothing
//! here reads a clock, so a test says "an hour ahead, and a minute later" with numbers.
//! docs/decisions/0024-clock.md gives the reasons.

use till_domain::defect::Defect;

/// One second, in the unit of readings.
pub(super) const SECOND: i64 = 1_000_000;

/// The smallest deviation that is reported to operators.
const REPORTED_FROM: i64 = SECOND;

/// The smallest jump that is judged before it is followed.
const JUDGED_FROM: i64 = 60 * SECOND;

/// How long a reference that jumped must be stable before it is followed.
const STABLE_FOR: i64 = 60 * SECOND;

/// How far a reference may move and still count as stable.
const STABLE_WITHIN: i64 = SECOND;

/// How long after a jump another process that agrees with the reference proves that this one was stopped.
/// Processes that judge a jump of the reference agree with it only after [`STABLE_FOR`].
const COMPARED_FOR: i64 = 10 * SECOND;

/// The maximum age of a running process's heartbeat: it writes one every ten seconds.
const HEARTBEAT_WITHIN: i64 = 30 * SECOND;

/// How long expiry is held at most for a reference that does not become stable. A payment that is open at its
/// deadline is waited for longer than this, so none is given up because of the clock.
const HELD_AT_MOST: i64 = 180 * SECOND;

/// How long a step forward settles: every lease that was taken before the step has ended by then.
const SETTLES_FOR: i64 = 30 * SECOND;

/// Slew rate: the time runs faster or slower than the monotonic clock by one part in this many: 500 ppm, as
/// kernels slew. A session of an hour loses 1.8 seconds by it.
const SLEWED_BY: i64 = 2_000;

/// Slew rate while the time is ahead by more than [`REPORTED_FROM`]: a tenth slower. Nothing expires early
/// by it.
const BRAKED_BY: i64 = 10;

/// The number of steps that are remembered.
const STEPS: usize = 16;

/// How far the time that an earlier process recorded may be ahead of the reference and still be continued.
const CONTINUED_UP_TO: i64 = 24 * 3_600 * SECOND;

/// The maximum age of another process's heartbeat whose deviation is continued.
const ALIVE_WITHIN: i64 = 60 * SECOND;

/// A steady time and the reference that it follows.
#[derive(Debug)]
pub(super) struct Discipline {
    /// A reading of the monotonic clock, and the time at that reading.
    anchor: (i64, i64),
    /// The offset of the reference from the monotonic clock towards which the time slews.
    accepted: i64,
    /// The offset of the reference as it was last read.
    sampled: i64,
    phase: Phase,
    /// True while a deviation that was reported is not over.
    reported: bool,
    jumps: u64,
    steps: Vec<TimeStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The time slews towards the reference.
    Following,
    /// The reference jumped and is observed: `since` is when it reached this offset, `began` when holding
    /// expiry began.
    Judging { offset: i64, since: i64, began: i64 },
    /// The reference is stable ahead of the time: stored deadlines are to be moved, and then the time.
    Confirmed,
    /// The time was set forward. `stepped` if by a step, with which stored deadlines move.
    Settling { until: i64, stepped: bool },
}

/// A step: the time was set forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeStep {
    pub(super) before: i64,
    pub(super) after: i64,
}

impl TimeStep {
    pub(super) fn by(self) -> i64 {
        self.after - self.before
    }

    /// The boundary between stamps made before the step and after it. Several nodes take a step within
    /// seconds of each other, so it is as far from both ends as it can be.
    pub(super) fn middle(self) -> i64 {
        self.before + self.by() / 2
    }
}

/// The time that an earlier process, or another one, last recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordedTime {
    /// The recorded time, in microseconds.
    pub(crate) time: i64,
    /// By how much that time was ahead of the reference.
    pub(crate) ahead: i64,
}

/// A report for operators, with how far the reference is ahead of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockNotice {
    /// It jumped a little, and the time slews towards it.
    Slewed(i64),
    /// It jumped far, and is judged before it is followed.
    Jumped(i64),
    /// It jumped back to where the time is.
    Returned,
    /// It is right, and this process was stopped for this long: the time was set.
    Adopted(i64),
    /// It is stable behind the time, which slows down until they agree.
    Behind(i64),
}

impl Discipline {
    /// A time that starts at the reference, or continues from what an earlier process recorded.
    pub(super) fn new(mono: i64, reference: i64, left: Option<RecordedTime>) -> Self {
        let offset = reference - mono;
        let time = left.map_or(reference, |left| starting_time(reference, left));
        let (accepted, phase) = if reference - time > JUDGED_FROM {
            // Another process judges a jump.
            (time - mono, Phase::Judging { offset, since: mono, began: mono })
        } else {
            (offset, Phase::Following)
        };
        let reported = (reference - time).abs() > REPORTED_FROM;
        Self { anchor: (mono, time), accepted, sampled: offset, phase, reported, jumps: 0, steps: Vec::new() }
    }

    /// The time at a reading of the monotonic clock.
    pub(super) fn time(&self, mono: i64) -> i64 {
        let (then, time) = self.anchor;
        let elapsed = (mono - then).max(0);
        let missing = then + self.accepted - time;
        let correction = if missing >= 0 {
            missing.min(elapsed / SLEWED_BY)
        } else {
            let part = if -missing > REPORTED_FROM { BRAKED_BY } else { SLEWED_BY };
            missing.max(-elapsed / part)
        };
        time + elapsed + correction
    }

    /// The time by the reference; a jump that is being judged is not included.
    pub(super) fn calendar(&self, mono: i64) -> i64 {
        mono + self.accepted
    }

    /// By how much the time is ahead of the reference as it was last read.
    pub(super) fn ahead(&self, mono: i64) -> i64 {
        self.time(mono) - (mono + self.sampled)
    }

    /// The time without the steps that were taken after this stamp was made.
    pub(super) fn time_for(&self, stamp: i64, mono: i64) -> i64 {
        let later = self.steps.iter().filter(|step| stamp < step.middle());
        self.time(mono) - later.map(|step| step.by()).sum::<i64>()
    }

    /// The number of jumps that were judged.
    pub(super) fn jumps(&self) -> u64 {
        self.jumps
    }

    /// True while sessions must not be ended, nor payments closed, because of the time.
    pub(super) fn holds(&self, mono: i64) -> bool {
        match self.phase {
            Phase::Following => false,
            Phase::Judging { began, .. } => mono - began < HELD_AT_MOST,
            Phase::Confirmed | Phase::Settling { .. } => true,
        }
    }

    /// True while a recent setting forward of the time settles.
    pub(super) fn is_settling(&self) -> bool {
        matches!(self.phase, Phase::Settling { .. })
    }

    /// Takes a sample of the reference.
    pub(super) fn sample(&mut self, mono: i64, reference: i64) -> Option<ClockNotice> {
        let (time, offset) = (self.time(mono), reference - mono);
        self.anchor = (mono, time);
        self.sampled = offset;
        if Defect::ClockJumpsFollowed.is_planted() {
            (self.anchor, self.accepted) = ((mono, reference), offset);
            return None;
        }
        // A reference that was behind the time before may be behind by any amount.
        let near = reference - time <= JUDGED_FROM && offset - self.accepted >= -JUDGED_FROM;
        if matches!(self.phase, Phase::Settling { until, stepped: false } if until <= mono) {
            self.phase = Phase::Following;
        }
        match self.phase {
            Phase::Following if near => self.follow(offset, reference - time),
            Phase::Settling { .. } if near => {
                self.accepted = offset;
                None
            }
            Phase::Following | Phase::Settling { .. } => {
                self.jumps += 1;
                self.phase = Phase::Judging { offset, since: mono, began: mono };
                self.reported = true;
                Some(ClockNotice::Jumped(reference - time))
            }
            Phase::Judging { .. } | Phase::Confirmed if near => {
                (self.phase, self.accepted, self.reported) = (Phase::Following, offset, false);
                Some(ClockNotice::Returned)
            }
            Phase::Judging { offset: was, began, .. } if (offset - was).abs() > STABLE_WITHIN => {
                self.phase = Phase::Judging { offset, since: mono, began };
                None
            }
            Phase::Judging { since, .. } if mono - since < STABLE_FOR => None,
            Phase::Judging { .. } if reference > time => {
                self.phase = Phase::Confirmed;
                None
            }
            Phase::Judging { .. } => {
                (self.phase, self.accepted) = (Phase::Following, offset);
                Some(ClockNotice::Behind(reference - time))
            }
            Phase::Confirmed => None,
        }
    }

    /// Compares the time with the heartbeat of another process whose time agreed with the reference. If that
    /// heartbeat is still in the future, this process was stopped together with its machine, and takes the
    /// reference's time at once: no deadline moves, because for the others time has passed. A reference that
    /// jumps agrees with no process.
    pub(super) fn compare(&mut self, mono: i64, written: i64) -> Option<ClockNotice> {
        let (time, reference) = (self.time(mono), mono + self.sampled);
        let early = match self.phase {
            Phase::Following => true,
            Phase::Judging { began, .. } => mono - began < COMPARED_FOR,
            Phase::Confirmed | Phase::Settling { .. } => false,
        };
        // The heartbeat of a process that ended long ago proves nothing.
        let is_alive = (reference - HEARTBEAT_WITHIN..=reference + REPORTED_FROM).contains(&written);
        if !early || !is_alive || written <= time + REPORTED_FROM {
            return None;
        }
        let judged = self.phase != Phase::Following;
        (self.anchor, self.accepted, self.reported) = ((mono, reference), self.sampled, false);
        // The other process may have stepped a moment ago and may still be moving deadlines.
        self.phase = match judged {
            true => Phase::Settling { until: mono + SETTLES_FOR, stepped: false },
            false => Phase::Following,
        };
        Some(ClockNotice::Adopted(reference - time))
    }

    fn follow(&mut self, offset: i64, missing: i64) -> Option<ClockNotice> {
        self.accepted = offset;
        let far = missing.abs() > REPORTED_FROM;
        let news = far && !self.reported;
        self.reported = far;
        news.then_some(ClockNotice::Slewed(missing))
    }

    /// The step that is due, as it would be if it were taken now.
    pub(super) fn planned(&self, mono: i64) -> Option<TimeStep> {
        let step = TimeStep { before: self.time(mono), after: mono + self.sampled };
        (self.phase == Phase::Confirmed).then_some(step)
    }

    /// Sets the time forward to the reference, if a step is due.
    pub(super) fn step(&mut self, mono: i64) -> Option<TimeStep> {
        let step = self.planned(mono)?;
        self.anchor = (mono, step.after);
        self.accepted = self.sampled;
        self.phase = Phase::Settling { until: mono + SETTLES_FOR, stepped: true };
        self.reported = false;
        self.steps.push(step);
        if self.steps.len() > STEPS {
            self.steps.remove(0);
        }
        Some(step)
    }

    /// The last step, once it has settled for long enough.
    pub(super) fn settled(&self, mono: i64) -> Option<TimeStep> {
        match self.phase {
            Phase::Settling { until, stepped: true } if until <= mono => self.steps.last().copied(),
            _ => None,
        }
    }

    /// Ends the settling of a step.
    pub(super) fn end_settling(&mut self, mono: i64) {
        if self.settled(mono).is_some() {
            self.phase = Phase::Following;
        }
    }
}

/// The time with which a process starts: that of a process that runs, or ran a moment ago; else the
/// reference, but not before the time that an earlier process recorded.
fn starting_time(reference: i64, left: RecordedTime) -> i64 {
    let continued = reference + left.ahead;
    if left.ahead != 0 && left.ahead.abs() <= CONTINUED_UP_TO && (continued - left.time).abs() < ALIVE_WITHIN
    {
        return continued;
    }
    let ahead = left.time - reference;
    if (REPORTED_FROM..=CONTINUED_UP_TO).contains(&ahead) { left.time } else { reference }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600 * SECOND;
    /// The reference when the monotonic clock stands at zero.
    const START: i64 = 1_794_735_000 * SECOND;

    /// A time that has followed its reference for ten seconds.
    fn running() -> Discipline {
        let mut discipline = Discipline::new(0, START, None);
        drive(&mut discipline, 0..10, |_| 0);
        discipline
    }

    /// Samples each second a reference that is off by `off(second)`, and asserts that the time moves within
    /// its limits.
    fn drive(
        discipline: &mut Discipline,
        seconds: std::ops::Range<i64>,
        off: impl Fn(i64) -> i64,
    ) -> Vec<ClockNotice> {
        let mut notices = Vec::new();
        for second in seconds {
            let mono = second * SECOND;
            let (before, settling) = (discipline.time(mono), discipline.is_settling());
            notices.extend(discipline.sample(mono, START + mono + off(second)));
            assert_eq!(discipline.time(mono), before, "a sample moves nothing by itself");
            let passed = discipline.time(mono + SECOND) - before;
            assert!((SECOND * 9 / 10..=SECOND + SECOND / SLEWED_BY).contains(&passed), "{second}: {passed}");
            assert_eq!(settling, discipline.is_settling());
        }
        notices
    }

    #[test]
    fn f7_a_small_deviation_is_followed_slowly_and_reported_once() {
        let mut discipline = running();
        assert_eq!(drive(&mut discipline, 10..20, |_| SECOND / 2), []);
        let notices = drive(&mut discipline, 20..4_000, |_| 5 * SECOND);
        assert!(matches!(notices[..], [ClockNotice::Slewed(_)]), "{notices:?}");
        let gained = discipline.time(4_000 * SECOND) - START - 4_000 * SECOND;
        assert!((SECOND..=2 * SECOND).contains(&gained), "1.8 seconds in an hour: {gained}");
        assert!(!discipline.holds(4_000 * SECOND));
    }

    #[test]
    fn f7_five_seconds_back_are_waited_for_and_time_never_goes_backwards() {
        let mut discipline = running();
        let notices = drive(&mut discipline, 10..100, |_| -5 * SECOND);
        assert!(matches!(notices[..], [ClockNotice::Slewed(missing)] if missing < 0), "{notices:?}");
        let ahead = discipline.ahead(100 * SECOND);
        assert!((0..=SECOND).contains(&ahead), "{ahead}");
    }

    #[test]
    fn t35_an_hour_ahead_is_held_for_a_stable_minute_and_then_set() {
        let mut discipline = running();
        let notices = drive(&mut discipline, 10..70, |_| HOUR);
        assert!(matches!(notices[..], [ClockNotice::Jumped(_)]), "{notices:?}");
        let mono = 70 * SECOND;
        assert!(discipline.holds(mono) && discipline.planned(mono).is_none());
        assert!((discipline.time(mono) - START - mono).abs() < SECOND, "it keeps its own time meanwhile");
        assert_eq!(discipline.calendar(mono), START + mono);
        drive(&mut discipline, 70..71, |_| HOUR);
        let step = discipline.step(mono).expect("a minute has passed");
        assert!((step.by() - HOUR).abs() < SECOND / 2, "{}", step.by());
        assert_eq!(discipline.time(mono), START + mono + HOUR);
        assert!(discipline.holds(mono) && discipline.is_settling());
        assert_eq!(discipline.settled(mono + SETTLES_FOR - 1), None);
        drive(&mut discipline, 71..100, |_| HOUR);
        discipline.end_settling(100 * SECOND);
        assert!(!discipline.holds(100 * SECOND) && !discipline.is_settling());
        // A stamp from before the step stays on the time with which it was made.
        let (old, new) = (START + 60 * SECOND, START + 80 * SECOND + HOUR);
        let mono = 100 * SECOND;
        assert!((discipline.time_for(old, mono) - START - mono).abs() < SECOND / 2);
        assert_eq!(discipline.time_for(new, mono), discipline.time(mono));
    }

    #[test]
    fn t35_an_hour_back_is_held_for_a_stable_minute_and_then_waited_for() {
        let mut discipline = running();
        let notices = drive(&mut discipline, 10..71, |_| -HOUR);
        assert!(matches!(notices[..], [ClockNotice::Jumped(_), ClockNotice::Behind(_)]), "{notices:?}");
        assert!(!discipline.holds(71 * SECOND));
        assert_eq!(discipline.calendar(71 * SECOND), START + 71 * SECOND - HOUR, "what others read is right");
        drive(&mut discipline, 71..10 * 3_600 + 200, |_| -HOUR);
        let ahead = discipline.ahead((10 * 3_600 + 200) * SECOND);
        assert!((0..=SECOND).contains(&ahead), "ten hours later: {ahead}");
    }

    #[test]
    fn t35_a_reference_that_comes_back_within_the_minute_changes_nothing() {
        let mut discipline = running();
        let notices = drive(&mut discipline, 10..80, |second| if second < 40 { HOUR } else { 0 });
        assert!(matches!(notices[..], [ClockNotice::Jumped(_), ClockNotice::Returned]), "{notices:?}");
        assert!(!discipline.holds(80 * SECOND) && discipline.planned(80 * SECOND).is_none());
    }

    #[test]
    fn t35_a_reference_that_does_not_come_to_rest_holds_expiry_for_three_minutes_at_most() {
        let mut discipline = running();
        // The reference runs two seconds per second: F7's drift.
        drive(&mut discipline, 10..240, |second| second * SECOND);
        assert!(discipline.holds(240 * SECOND));
        drive(&mut discipline, 240..300, |second| second * SECOND);
        assert!(!discipline.holds(300 * SECOND) && discipline.planned(300 * SECOND).is_none());
        assert!(
            (discipline.time(300 * SECOND) - START - 300 * SECOND).abs() < SECOND,
            "it keeps its own time"
        );
    }

    #[test]
    fn f7_a_reference_that_stands_still_makes_nothing_early_and_time_goes_on() {
        let mut discipline = running();
        let before = discipline.time(10 * SECOND);
        drive(&mut discipline, 10..600, |second| (10 - second) * SECOND);
        let passed = discipline.time(600 * SECOND) - before;
        assert!(passed >= 590 * SECOND * 9 / 10, "{passed}");
    }

    #[test]
    fn d4_a_process_that_starts_with_the_calendar_back_goes_on_from_what_was_written() {
        let left = RecordedTime { time: START + HOUR, ahead: 0 };
        let mut discipline = Discipline::new(0, START, Some(left));
        assert_eq!(discipline.time(0), START + HOUR);
        assert_eq!(discipline.calendar(0), START);
        assert_eq!(drive(&mut discipline, 0..100, |_| 0), [], "it is told when it starts");
        assert!(!discipline.holds(100 * SECOND));
        assert!(discipline.ahead(100 * SECOND) < HOUR - 9 * SECOND, "it waits for the calendar");
        // A recorded time that is days ahead was never right.
        let left = RecordedTime { time: START + 48 * HOUR, ahead: 0 };
        assert_eq!(Discipline::new(0, START, Some(left)).time(0), START);
        // A process that was down for an hour starts with the calendar.
        let left = RecordedTime { time: START - HOUR, ahead: 0 };
        assert_eq!(Discipline::new(0, START, Some(left)).time(0), START);
    }

    /// The heartbeat that another process wrote a second ago, agreeing with a reference that is off by `off`.
    fn written(second: i64, off: i64) -> i64 {
        START + (second - 1) * SECOND + off
    }

    #[test]
    fn f7_a_process_that_was_stopped_takes_the_time_of_the_others_at_once() {
        for pause in [5 * SECOND, 40 * SECOND, 600 * SECOND] {
            let mut discipline = running();
            drive(&mut discipline, 10..12, |_| pause);
            assert!(discipline.ahead(12 * SECOND) < -4 * SECOND, "{pause}: it is behind");
            let notice = discipline.compare(12 * SECOND, written(12, pause));
            assert!(
                matches!(notice, Some(ClockNotice::Adopted(by)) if (by - pause).abs() < SECOND),
                "{notice:?}"
            );
            assert_eq!(discipline.time(12 * SECOND), START + 12 * SECOND + pause);
            assert_eq!(discipline.holds(12 * SECOND), pause > JUDGED_FROM, "it settles after a judged one");
            assert!(discipline.planned(12 * SECOND).is_none() && discipline.settled(50 * SECOND).is_none());
            for second in 13..100 {
                assert_eq!(discipline.sample(second * SECOND, START + second * SECOND + pause), None);
            }
            assert!(!discipline.holds(100 * SECOND) && !discipline.is_settling(), "{pause}");
        }
    }

    #[test]
    fn f7_a_reference_that_jumps_is_not_taken_for_a_stop_of_this_process() {
        for jump in [40 * SECOND, HOUR] {
            let mut discipline = running();
            drive(&mut discipline, 10..12, |_| jump);
            // A heartbeat from before the jump is not ahead of the time.
            assert_eq!(discipline.compare(12 * SECOND, written(12, 0)), None, "{jump}");
            assert!(discipline.ahead(12 * SECOND) < -30 * SECOND, "{jump}");
        }
        // Nor is the heartbeat of a process that crashed before the machine was booted with a wrong calendar.
        let mut discipline = running();
        drive(&mut discipline, 10..12, |_| 48 * HOUR);
        assert_eq!(discipline.compare(12 * SECOND, written(12, 47 * HOUR)), None);
        assert!(discipline.holds(12 * SECOND));
        // A process that stepped after its minute moved the deadlines; this process must do that too.
        let mut discipline = running();
        drive(&mut discipline, 10..21, |_| HOUR);
        assert_eq!(discipline.compare(21 * SECOND, written(21, HOUR)), None);
        assert!(discipline.holds(21 * SECOND));
    }

    #[test]
    fn t35_a_process_that_starts_beside_one_that_judges_a_jump_judges_it_too() {
        let left = RecordedTime { time: START - HOUR - 5 * SECOND, ahead: -HOUR };
        let mut discipline = Discipline::new(0, START, Some(left));
        assert_eq!(discipline.time(0), START - HOUR);
        assert!(discipline.holds(0));
        drive(&mut discipline, 0..61, |_| 0);
        assert!(discipline.planned(61 * SECOND).is_some());
    }
}
