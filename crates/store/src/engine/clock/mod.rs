//! The clock that decides deadlines and the validity of tokens. It belongs to the store, because on a shared
//! database all nodes must agree on the time.
//!
//! The time is a monotonic clock plus an offset that follows a reference: the machine's wall clock
//! ("calendar") for the embedded store, the server's clock for PostgreSQL. `discipline.rs` has the rules.

mod discipline;

pub(crate) use discipline::RecordedTime;

use discipline::{ClockNotice, Discipline, SECOND};
use std::{
    fmt, future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use till_domain::time::Timestamp;
use tokio::sync::Notify;

/// The interval in which a reference that costs nothing to read is sampled, in microseconds.
const READ_EVERY: i64 = SECOND;

/// The largest deviation at which a time and a reference agree.
pub(crate) const AGREES_WITHIN_MS: i64 = 1_000;

#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's wall clock, as it is: for what is compared with other machines.
    System,
    /// Stands still until it is moved, so that a test can say "15 minutes later".
    Manual(Arc<ManualClock>),
    /// Never jumps, and follows a reference that may.
    Steady(Arc<SteadyClock>),
}

impl Clock {
    /// A manual clock that stands at this time.
    #[must_use]
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(ManualClock {
            ms: AtomicI64::new(start.as_ms()),
            woken: Notify::new(),
            paused: AtomicBool::new(false),
            working: AtomicUsize::new(0),
        }))
    }

    /// A steady clock whose monotonic clock and reference stand still until they are moved, for tests of
    /// jumps.
    #[must_use]
    pub fn by_hand(start: Timestamp) -> Self {
        Self::moved(start, None)
    }

    /// The same, moved by the time of the runtime too, which a simulation decides.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn by_runtime(start: Timestamp) -> Self {
        Self::moved(start, Some(tokio::time::Instant::now()))
    }

    fn moved(start: Timestamp, since: Option<tokio::time::Instant>) -> Self {
        let calendar = AtomicI64::new(micros(start));
        let reference = Reference::Hand { mono: AtomicI64::new(0), calendar, since };
        Self::Steady(Arc::new(SteadyClock::new(reference, micros(start), None)))
    }

    /// A clock that follows the machine's wall clock.
    pub(crate) fn machine(left: Option<RecordedTime>) -> Self {
        Self::Steady(Arc::new(SteadyClock::new(Reference::Machine, calendar(), left)))
    }

    #[must_use]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => timestamp(calendar()),
            Self::Manual(clock) => Timestamp::from_ms(clock.ms.load(Ordering::SeqCst)),
            Self::Steady(clock) => timestamp(clock.with(|discipline, mono| discipline.time(mono))),
        }
    }

    /// The time for values that others compare with their own clocks, such as the timestamp of a signature:
    /// that of the reference, even while [`Clock::now`] is still moving towards it.
    #[must_use]
    pub fn calendar(&self) -> Timestamp {
        match self {
            Self::System | Self::Manual(_) => self.now(),
            Self::Steady(clock) => timestamp(clock.with(|discipline, mono| discipline.calendar(mono))),
        }
    }

    /// The time to compare with a stamp that cannot be changed, such as that of a token: without the steps
    /// that this process has taken since the stamp was made.
    #[must_use]
    pub fn now_for(&self, stamp: Timestamp) -> Timestamp {
        match self {
            Self::System | Self::Manual(_) => self.now(),
            Self::Steady(clock) => {
                timestamp(clock.with(|discipline, mono| discipline.time_for(micros(stamp), mono)))
            }
        }
    }

    /// True if the reference has jumped so far that no session may be ended, nor a payment closed, because of
    /// the time.
    #[must_use]
    pub fn holds_expiry(&self) -> bool {
        self.steady().is_some_and(|clock| clock.with(|discipline, mono| discipline.holds(mono)))
    }

    /// True if the time was set forward a moment ago: leases that were taken before seem to have ended, and
    /// deadlines to have passed.
    #[must_use]
    pub fn is_settling(&self) -> bool {
        self.steady().is_some_and(|clock| clock.with(|discipline, _| discipline.is_settling()))
    }

    /// The deviation of the clock from its reference.
    #[must_use]
    pub fn status(&self) -> ClockStatus {
        match self.steady() {
            None => ClockStatus { whose: "the machine's", ahead_ms: 0, holds_expiry: false, jumps: 0 },
            Some(clock) => clock.with(|discipline, mono| ClockStatus {
                whose: clock.reference.whose(),
                ahead_ms: discipline.ahead(mono) / 1_000,
                holds_expiry: discipline.holds(mono),
                jumps: discipline.jumps(),
            }),
        }
    }

    /// The step forward that is due, as it would be if it were taken now.
    #[must_use]
    pub fn planned_step(&self) -> Option<ClockStep> {
        self.steady()?.with(|discipline, mono| discipline.planned(mono)).map(ClockStep)
    }

    /// Takes a step forward that is due. Deadlines that were stored before have to be moved with it.
    #[must_use]
    pub fn step(&self) -> Option<ClockStep> {
        let clock = self.steady()?;
        let step = clock.with(Discipline::step).map(ClockStep)?;
        let (whose, by) = (clock.reference.whose(), Seconds(step.0.by()));
        tracing::warn!(
            "{whose} clock has been stable for a minute: the time is set forward by {by}, and open sessions keep the \
             time that they had left"
        );
        Some(step)
    }

    /// The last step, once it has settled for long enough: writes still stamped with the time before it have
    /// arrived.
    #[must_use]
    pub fn settled_step(&self) -> Option<ClockStep> {
        self.steady()?.with(|discipline, mono| discipline.settled(mono)).map(ClockStep)
    }

    /// Ends the settling of the last step.
    pub fn end_settling(&self) {
        if let Some(clock) = self.steady() {
            clock.with(Discipline::end_settling);
        }
    }

    /// Compares the time with the heartbeat of another process whose time agreed with the reference.
    pub(crate) fn compare(&self, written: Timestamp) {
        if let Some(clock) = self.steady() {
            let notice = clock.with(|discipline, mono| discipline.compare(mono, micros(written)));
            clock.tell(notice);
        }
    }

    fn steady(&self) -> Option<&SteadyClock> {
        match self {
            Self::Steady(clock) => Some(clock),
            Self::System | Self::Manual(_) => None,
        }
    }

    /// Begins work that the time causes, which lasts until the result is dropped. `None` while nothing may happen because of
    /// the time: the workers wait until a manual clock is moved.
    #[must_use]
    pub fn begin_work(&self) -> Option<TimedWork> {
        let Self::Manual(clock) = self else { return Some(TimedWork(None)) };
        // Counted before the look, so that a pause that it does not see waits for it.
        clock.working.fetch_add(1, Ordering::SeqCst);
        let work = TimedWork(Some(Arc::clone(clock)));
        (!clock.paused.load(Ordering::SeqCst)).then_some(work)
    }

    /// True while work that began before a manual clock was paused has not ended.
    #[must_use]
    pub fn is_working(&self) -> bool {
        matches!(self, Self::Manual(clock) if clock.working.load(Ordering::SeqCst) > 0)
    }

    /// Lets the workers of a manual clock wait, or run again.
    pub fn set_paused(&self, paused: bool) {
        if let Self::Manual(clock) = self {
            clock.paused.store(paused, Ordering::SeqCst);
        }
    }

    /// Waits until the waiting workers are woken, which happens with a manual clock alone.
    pub async fn woken(&self) {
        match self {
            Self::Manual(clock) => clock.woken.notified().await,
            Self::System | Self::Steady(_) => future::pending().await,
        }
    }

    /// Lets workers that wait for the time look at a manual clock again.
    pub fn wake(&self) {
        if let Self::Manual(clock) = self {
            clock.woken.notify_waiters();
        }
    }

    /// Moves a clock for tests.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        match self {
            Self::Manual(clock) => {
                clock.ms.fetch_add(by / 1_000, Ordering::SeqCst);
            }
            _ => {
                let (mono, calendar) = self.hands();
                mono.fetch_add(by, Ordering::SeqCst);
                calendar.fetch_add(by, Ordering::SeqCst);
            }
        }
    }

    /// Makes the reference of a clock for tests jump.
    pub fn jump(&self, seconds: i64) {
        self.hands().1.fetch_add(seconds * SECOND, Ordering::SeqCst);
    }

    fn hands(&self) -> (&AtomicI64, &AtomicI64) {
        match self.steady().map(|clock| &clock.reference) {
            Some(Reference::Hand { mono, calendar, .. }) => (mono, calendar),
            _ => unreachable!("only a clock for tests is moved by hand"),
        }
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct ManualClock {
    ms: AtomicI64,
    /// Wakes the workers that wait for the time.
    woken: Notify,
    /// True while nothing may happen because of the time.
    paused: AtomicBool,
    /// How much work that the time causes is under way.
    working: AtomicUsize,
}

/// Work that the time causes, until it is dropped.
#[derive(Debug)]
pub struct TimedWork(Option<Arc<ManualClock>>);

impl Drop for TimedWork {
    fn drop(&mut self) {
        if let Some(clock) = &self.0 {
            clock.working.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// A step forward of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep(discipline::TimeStep);

impl ClockStep {
    pub(crate) fn by_ms(self) -> i64 {
        self.0.by() / 1_000
    }

    /// The boundary: stamps earlier than this were made before the step.
    pub(crate) fn stamped_before(self) -> Timestamp {
        timestamp(self.0.middle())
    }

    /// The time to which it was set.
    pub(crate) fn after(self) -> Timestamp {
        timestamp(self.0.after)
    }
}

/// The deviation of a clock from its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStatus {
    whose: &'static str,
    /// By how many milliseconds the store's time is ahead of the reference.
    pub ahead_ms: i64,
    /// Whether the expiry of sessions and the closing of payments are held.
    pub holds_expiry: bool,
    /// Jumps of more than a minute that were judged.
    pub jumps: u64,
}

impl ClockStatus {
    /// A warning for the operator, if there is one.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let (whose, ahead) = (self.whose, self.ahead_ms.saturating_mul(1_000));
        let off = Seconds(ahead.abs());
        if self.holds_expiry {
            let jump = Seconds(-ahead);
            return Some(format!(
                "{whose} clock jumped by {jump}: expiry is on hold until it has been stable for a minute"
            ));
        }
        let side = if ahead > 0 { "ahead of" } else { "behind" };
        let warning = format!("the store's time is {off} {side} {whose} clock and moves towards it slowly");
        (ahead.abs() > SECOND).then_some(warning)
    }
}

/// Microseconds, displayed as seconds.
struct Seconds(i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, tenths) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs() / 100_000);
        write!(f, "{sign}{}.{} s", tenths / 10, tenths % 10)
    }
}

/// A clock that never jumps.
#[derive(Debug)]
pub struct SteadyClock {
    /// When it was created, on the boot clock.
    started: i64,
    reference: Reference,
    state: Mutex<ClockState>,
}

#[derive(Debug)]
struct ClockState {
    discipline: Discipline,
    /// The monotonic reading at which the reference was last sampled.
    read: i64,
}

/// The reference that a clock follows.
#[derive(Debug)]
enum Reference {
    /// The machine's wall clock, sampled when the time is asked for.
    Machine,
    /// A database server's clock, reported by [`SteadyClock::note`].
    Server,
    /// Set by a test. In a simulation it also moves with the runtime's own time, from `since` on.
    Hand { mono: AtomicI64, calendar: AtomicI64, since: Option<tokio::time::Instant> },
}

impl Reference {
    fn whose(&self) -> &'static str {
        match self {
            Self::Machine | Self::Hand { .. } => "the machine's",
            Self::Server => "the database server's",
        }
    }

    /// Its current value, if it costs nothing to read.
    fn read(&self) -> Option<i64> {
        match self {
            Self::Machine => Some(calendar()),
            Self::Server => None,
            Self::Hand { calendar, since, .. } => Some(calendar.load(Ordering::SeqCst) + elapsed(*since)),
        }
    }
}

/// How far the runtime's time has moved since then, in microseconds.
fn elapsed(since: Option<tokio::time::Instant>) -> i64 {
    since.map_or(0, |since| i64::try_from(since.elapsed().as_micros()).unwrap_or(i64::MAX))
}

impl SteadyClock {
    /// A clock that follows a server's clock, which showed `reading` microseconds at this moment.
    pub(crate) fn server(reading: i64, left: Option<RecordedTime>) -> Self {
        Self::new(Reference::Server, reading, left)
    }

    fn new(reference: Reference, reading: i64, left: Option<RecordedTime>) -> Self {
        let discipline = Discipline::new(0, reading, left);
        let ahead = discipline.ahead(0);
        if ahead.abs() > SECOND {
            let (whose, off) = (reference.whose(), Seconds(ahead.abs()));
            let side = if ahead > 0 { "ahead of" } else { "behind" };
            tracing::warn!("the store's time is {off} {side} {whose} clock; this process continues from it");
        }
        Self { started: boot_time(), reference, state: Mutex::new(ClockState { discipline, read: 0 }) }
    }

    /// The reading of the monotonic clock at a moment of the boot clock.
    fn mono(&self, at: i64) -> i64 {
        match &self.reference {
            Reference::Hand { mono, since, .. } => mono.load(Ordering::SeqCst) + elapsed(*since),
            _ => at.saturating_sub(self.started).max(0),
        }
    }

    /// Calls `act` with the discipline and the current reading, after sampling the reference if that is due.
    fn with<T>(&self, act: impl FnOnce(&mut Discipline, i64) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mono = self.mono(boot_time());
        let reading = if mono - state.read >= READ_EVERY { self.reference.read() } else { None };
        let notice = reading.and_then(|reading| state.sample(mono, reading));
        let answer = act(&mut state.discipline, mono);
        drop(state);
        self.tell(notice);
        answer
    }

    /// Reports that the reference showed `reading` microseconds at a moment of the boot clock, a little while
    /// ago.
    pub(crate) fn note(&self, reading: i64, at: i64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mono, then) = (self.mono(boot_time()), self.mono(at));
        let notice = state.sample(mono, reading + (mono - then));
        drop(state);
        self.tell(notice);
    }

    fn tell(&self, notice: Option<ClockNotice>) {
        let whose = self.reference.whose();
        match notice {
            None => {}
            Some(ClockNotice::Slewed(by)) => {
                tracing::warn!("{whose} clock jumped by {}; the time moves towards it slowly", Seconds(by));
            }
            Some(ClockNotice::Jumped(by)) => tracing::warn!(
                "{whose} clock jumped by {}: expiry and closing are on hold until it has been stable for a \
                 minute",
                Seconds(by)
            ),
            Some(ClockNotice::Returned) => {
                tracing::warn!("{whose} clock is back where it was before its jump")
            }
            Some(ClockNotice::Adopted(by)) => tracing::warn!(
                "other processes agree with {whose} clock: this one was stopped for {}, and its time is set",
                Seconds(by)
            ),
            Some(ClockNotice::Behind(by)) => tracing::warn!(
                "{whose} clock has been stable for a minute, {} behind: the time runs 10 % slower until they agree",
                Seconds(-by)
            ),
        }
    }
}

impl ClockState {
    fn sample(&mut self, mono: i64, reading: i64) -> Option<ClockNotice> {
        self.read = mono;
        self.discipline.sample(mono, reading)
    }
}

/// Microseconds since the machine was booted. Unlike [`std::time::Instant`], this clock also runs while the
/// machine is suspended: the deadlines of sessions and leases do not wait for it.
pub(crate) fn boot_time() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec.saturating_mul(SECOND).saturating_add(now.tv_nsec / 1_000)
}

/// The machine's wall clock, in microseconds since 1970.
fn calendar() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

fn micros(moment: Timestamp) -> i64 {
    moment.as_ms().saturating_mul(1_000)
}

fn timestamp(micros: i64) -> Timestamp {
    Timestamp::from_ms(micros / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f7_a_servers_clock_goes_on_from_what_the_server_said() {
        let clock = SteadyClock::server(1_000_000_000 * SECOND, None);
        let now = Clock::Steady(Arc::new(clock)).now().as_ms();
        assert!((1_000_000_000_000..1_000_000_060_000).contains(&now), "{now}");
    }

    #[test]
    fn f7_an_answer_counts_for_the_moment_at_which_it_was_given() {
        let clock = SteadyClock::server(1_000_000_000 * SECOND, None);
        // The answer was given when the clock started, and was two seconds more: the server is two seconds
        // ahead.
        let ago = clock.started;
        std::thread::sleep(Duration::from_millis(50));
        clock.note(1_000_000_002 * SECOND, ago);
        let ahead = Clock::Steady(Arc::new(clock)).status().ahead_ms;
        assert!((-2_000..=-1_990).contains(&ahead), "{ahead}");
    }

    #[test]
    fn a_clock_that_follows_the_machine_tells_its_time() {
        let clock = Clock::machine(None);
        let apart = clock.now().as_ms() - Clock::System.now().as_ms();
        assert!(apart.abs() < 1_000, "{apart}");
        assert_eq!(clock.status().warning(), None);
    }

    #[test]
    fn t35_an_operator_is_told_of_a_jump_until_it_is_over() {
        let clock = Clock::by_hand(Timestamp::from_ms(1_794_735_000_000));
        clock.advance(Duration::from_secs(1));
        clock.jump(-3_600);
        clock.advance(Duration::from_secs(1));
        let warning = clock.status().warning().expect("a warning");
        assert!(
            warning.starts_with("the machine's clock jumped by -3600.0 s: expiry is on hold"),
            "{warning}"
        );
        clock.advance(Duration::from_secs(60));
        let warning = clock.status().warning().expect("a warning");
        assert!(
            warning.starts_with("the store's time is 3600.0 s ahead of the machine's clock"),
            "{warning}"
        );
    }
}
