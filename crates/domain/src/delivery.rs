//! Delivery of a callback event: when each attempt is made, and what its result means.
//!
//! An attempt is stored before it is made, together with the moment from which another worker may take over
//! if no result was stored. So an attempt that a crash interrupts counts, and the next one comes at its time.

use crate::{
    change::Change,
    defect::Defect,
    id::{EventId, VendorId},
    time::Timestamp,
    weburl::WebUrl,
};
use std::time::Duration;

/// How much of the body of a failed attempt's response is kept.
pub const RESPONSE_LIMIT: usize = 2048;

/// How long it is kept.
pub const RESPONSE_KEPT_FOR: Duration = Duration::from_secs(30 * 86_400);

/// The retry schedule: the delays of the attempts after the first, counted from the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    retries: Vec<Duration>,
}

impl Schedule {
    /// A schedule of these retries; `None` unless each is later than the one before.
    #[must_use]
    pub fn new(retries: Vec<Duration>) -> Option<Self> {
        let mut before = Duration::ZERO;
        for retry in &retries {
            if *retry <= before {
                return None;
            }
            before = *retry;
        }
        Some(Self { retries })
    }

    /// The number of automatic attempts: the first one and its retries.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        u32::try_from(self.retries.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The time from the start of an attempt to the start of the next; `None` after the last.
    fn gap(&self, number: u32) -> Option<Duration> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let next = self.retries.get(index)?;
        let this = index.checked_sub(1).and_then(|before| self.retries.get(before));
        Some(next.saturating_sub(this.copied().unwrap_or_default()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits for the next attempt.
    Queued,
    /// An attempt is being made, or was interrupted.
    Sending,
    /// The vendor has accepted it.
    Delivered,
    Undelivered,
    /// There was no callback URL.
    NoTarget,
}

impl DeliveryState {
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Sending, Self::Delivered, Self::Undelivered, Self::NoTarget];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::NoTarget => "no_target",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// The result of an attempt. Nothing else of the receiver's response is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult {
    /// A status from 200 to 299 in time.
    Delivered(u16),
    Status(u16),
    /// The receiver's address is one that no callback may go to (SSRF protection).
    Blocked,
    /// The host name could not be resolved.
    Dns,
    /// The connection could not be established.
    Connect,
    /// The receiver's certificate or its TLS is wrong.
    Tls,
    /// No answer in time.
    Timeout,
    /// The connection was closed before the answer.
    Closed,
    /// The response is not HTTP.
    Protocol,
    /// The node that made it stopped or froze; the result is unknown.
    Interrupted,
    /// It was not sent: a tester of the sandbox wants it to be lost.
    Dropped,
}

impl AttemptResult {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered(_) => "delivered",
            Self::Status(_) => "status",
            Self::Blocked => "blocked",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Closed => "closed",
            Self::Protocol => "protocol",
            Self::Interrupted => "interrupted",
            Self::Dropped => "dropped",
        }
    }

    /// The HTTP status of the response, if there was one.
    #[must_use]
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Delivered(status) | Self::Status(status) => Some(status),
            _ => None,
        }
    }
}

/// An event whose next attempt is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEvent {
    pub id: EventId,
    pub vendor: VendorId,
    pub target: WebUrl,
    /// The host of `target`, as sending limits count it.
    pub host: String,
    /// The body, never built again.
    pub body: Vec<u8>,
    /// True if an attempt had begun and its result was not stored.
    pub sending: bool,
    /// The number of the last attempt; 0 if there was none.
    pub attempts: u32,
    /// When the last attempt started.
    pub started_at: Option<Timestamp>,
    /// True if the vendor has accepted it before.
    pub delivered: bool,
    /// Fencing token: increases whenever a worker claims the event.
    pub fence: i64,
}

/// An attempt that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    pub event: EventId,
    /// Its number, as the vendor sees it.
    pub number: u32,
    pub started_at: Timestamp,
    /// The fencing token that its result must be committed with.
    pub fence: i64,
    delivered: bool,
}

/// The record of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    pub event: EventId,
    pub number: u32,
    pub started_at: Timestamp,
    /// The duration, if it is known.
    pub took: Option<Duration>,
    pub result: AttemptResult,
}

/// The user who asked for a manual attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// The email address, or the name of a command's user.
    pub name: String,
    /// True for an operator, false for a user of the vendor.
    pub is_operator: bool,
}

/// The start of a receiver's response to a failed attempt. It is kept for the vendor, who may see in it why
/// the receiver failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverResponse {
    /// The `Content-Type` header, if it is text.
    pub content_type: Option<String>,
    /// The first bytes of the body, at most [`RESPONSE_LIMIT`].
    pub body: Vec<u8>,
}

impl ReceiverResponse {
    /// The body as text to be shown: what is not UTF-8 and characters that control a terminal or the direction
    /// of writing become U+FFFD.
    #[must_use]
    pub fn text(&self) -> String {
        let whole = match std::str::from_utf8(&self.body) {
            // The limit may have cut the last character.
            Err(error) if error.error_len().is_none() => &self.body[..error.valid_up_to()],
            _ => &self.body,
        };
        let shown = |c: char| match c {
            '\n' | '\t' => Some(c),
            '\r' => None,
            '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
            c if c.is_control() => Some('\u{FFFD}'),
            c => Some(c),
        };
        String::from_utf8_lossy(whole).chars().filter_map(shown).collect()
    }
}

/// Claims a due event: the changes to commit, and the attempt to make once they are committed. There is no
/// attempt if the previous one was interrupted and was the last.
#[must_use]
pub fn begin(
    due: &DueEvent,
    now: Timestamp,
    schedule: &Schedule,
    lease: Duration,
) -> (Vec<Change>, Option<DeliveryAttempt>) {
    let interrupted = due.sending.then(|| {
        Change::RecordAttempt(AttemptRecord {
            event: due.id,
            number: due.attempts,
            started_at: due.started_at.unwrap_or(now),
            took: None,
            result: AttemptResult::Interrupted,
        })
    });
    if due.sending && due.attempts >= schedule.attempts() {
        let end = Change::EndAttempt {
            id: due.id,
            fence: due.fence,
            state: ended(due.delivered),
            due_at: None,
            delivered_at: None,
        };
        return ([end].into_iter().chain(interrupted).collect(), None);
    }
    let attempt = DeliveryAttempt {
        event: due.id,
        number: due.attempts.saturating_add(1),
        started_at: now,
        fence: due.fence.saturating_add(1),
        delivered: due.delivered,
    };
    let mut wait = schedule.gap(attempt.number).map_or(lease, |gap| gap.max(lease));
    if Defect::InterruptedCallbackIsForgotten.is_planted() {
        wait = Duration::from_secs(1_000 * 86_400);
    }
    let begin = Change::BeginAttempt {
        id: due.id,
        fence: due.fence,
        number: attempt.number,
        at: now,
        due_at: now.plus(wait),
    };
    ([begin].into_iter().chain(interrupted).collect(), Some(attempt))
}

/// Returns an attempt that [`begin`] claimed from `due` and that was certainly not sent: it does not count,
/// and is due at once. Lost if the claim was never committed, or if another node has claimed the event since.
#[must_use]
pub fn give_back(due: &DueEvent, attempt: &DeliveryAttempt, now: Timestamp) -> Change {
    Change::ReturnAttempt {
        id: attempt.event,
        fence: attempt.fence,
        number: attempt.number,
        started_at: due.started_at,
        due_at: now,
    }
}

/// The changes that follow from an attempt's result: delivered, retried later, or undelivered.
#[must_use]
pub fn end(
    attempt: &DeliveryAttempt,
    result: AttemptResult,
    took: Duration,
    now: Timestamp,
    schedule: &Schedule,
) -> Vec<Change> {
    let retry_at = schedule.gap(attempt.number).map(|gap| attempt.started_at.plus(gap).max(now));
    let (state, due_at, delivered_at) = match (result, retry_at) {
        (AttemptResult::Delivered(_), _) => (DeliveryState::Delivered, None, Some(now)),
        (_, Some(retry_at)) => (DeliveryState::Queued, Some(retry_at), None),
        (_, None) => (ended(attempt.delivered), None, None),
    };
    vec![
        Change::EndAttempt { id: attempt.event, fence: attempt.fence, state, due_at, delivered_at },
        Change::RecordAttempt(AttemptRecord {
            event: attempt.event,
            number: attempt.number,
            started_at: attempt.started_at,
            took: Some(took),
            result,
        }),
    ]
}

/// Keeps the response to a failed attempt, beside its record.
#[must_use]
pub fn keep_response(attempt: &DeliveryAttempt, response: ReceiverResponse, now: Timestamp) -> Change {
    Change::KeepResponse { event: attempt.event, number: attempt.number, at: now, response }
}

/// The state after the last attempt failed. If the vendor accepted the event before, a manual attempt that
/// fails does not change that.
fn ended(delivered: bool) -> DeliveryState {
    if delivered { DeliveryState::Delivered } else { DeliveryState::Undelivered }
}

/// Queues one manual attempt of an event, now. Its number is above those of the automatic attempts.
#[must_use]
pub fn resend(event: EventId, now: Timestamp, schedule: &Schedule, by: Requester) -> Change {
    Change::Resend { id: event, at: now, attempts: schedule.attempts(), by }
}

/// Makes the next attempt of an event due now instead of at its time. Later ones keep their distance from it.
#[must_use]
pub fn hasten(event: EventId, now: Timestamp) -> Change {
    Change::Hasten { id: event, at: now }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_ms(1_763_164_800_000).plus(Duration::from_secs(seconds))
    }

    fn schedule() -> Schedule {
        Schedule::new([30, 120, 300].map(Duration::from_secs).to_vec()).expect("it rises")
    }

    fn due(attempts: u32, sending: bool) -> DueEvent {
        DueEvent {
            id: EventId::new(at(0), &[7; 10]),
            vendor: VendorId::new(at(0), &[8; 10]),
            target: WebUrl::from_stored("https://shop.example/".to_owned()),
            host: "shop.example".to_owned(),
            body: b"{}".to_vec(),
            sending,
            attempts,
            started_at: (attempts > 0).then(|| at(0)),
            delivered: false,
            fence: i64::from(attempts),
        }
    }

    fn ending(changes: &[Change]) -> (DeliveryState, Option<Timestamp>) {
        match &changes[0] {
            Change::EndAttempt { state, due_at, .. } => (*state, *due_at),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn p8_i13_four_attempts_at_0_30_120_and_300_seconds() {
        let (mut now, mut number) = (at(0), 0);
        let mut starts = Vec::new();
        loop {
            let (_, attempt) = begin(&due(number, false), now, &schedule(), LEASE);
            let attempt = attempt.expect("one more");
            number = attempt.number;
            starts.push(now.since(at(0)).as_secs());
            let later = now.plus(Duration::from_secs(10));
            let changes = end(&attempt, AttemptResult::Timeout, LEASE, later, &schedule());
            match ending(&changes) {
                (DeliveryState::Queued, Some(due_at)) => now = due_at,
                last => break assert_eq!(last, (DeliveryState::Undelivered, None)),
            }
        }
        assert_eq!((starts, number), (vec![0, 30, 120, 300], 4));
    }

    #[test]
    fn after_an_outage_an_attempt_is_made_at_once_and_the_next_keeps_its_gap() {
        let (_, attempt) = begin(&due(1, false), at(3600), &schedule(), LEASE);
        let attempt = attempt.expect("the second");
        let changes = end(&attempt, AttemptResult::Status(500), LEASE, at(3601), &schedule());
        assert_eq!(ending(&changes), (DeliveryState::Queued, Some(at(3600 + 90))));
    }

    #[test]
    fn an_attempt_that_was_cut_off_counts_and_the_next_comes_at_its_time() {
        for (number, taken_over) in [(1, 30), (2, 90), (3, 180), (4, 30)] {
            let (changes, attempt) = begin(&due(number - 1, false), at(0), &schedule(), LEASE);
            assert_eq!(attempt.expect("an attempt").number, number);
            let Change::BeginAttempt { due_at, .. } = changes[0] else { panic!("{changes:?}") };
            assert_eq!(due_at, at(taken_over), "attempt {number}");
        }
        let (changes, next) = begin(&due(1, true), at(30), &schedule(), LEASE);
        assert_eq!(next.expect("the second").number, 2);
        let Change::RecordAttempt(record) = &changes[1] else { panic!("{changes:?}") };
        assert_eq!((record.number, record.result, record.started_at), (1, AttemptResult::Interrupted, at(0)));
    }

    #[test]
    fn the_last_attempt_is_not_made_again_if_it_was_cut_off() {
        let (changes, attempt) = begin(&due(4, true), at(30), &schedule(), LEASE);
        assert_eq!(attempt, None);
        assert_eq!(ending(&changes), (DeliveryState::Undelivered, None));
    }

    #[test]
    fn an_attempt_by_hand_is_the_fifth_or_later_and_has_no_retry() {
        let (_, attempt) = begin(&due(4, false), at(900), &schedule(), LEASE);
        let attempt = attempt.expect("by hand");
        assert_eq!(attempt.number, 5);
        let failed = end(&attempt, AttemptResult::Connect, LEASE, at(901), &schedule());
        assert_eq!(ending(&failed), (DeliveryState::Undelivered, None));
        let done = end(&attempt, AttemptResult::Delivered(204), LEASE, at(901), &schedule());
        assert_eq!(ending(&done), (DeliveryState::Delivered, None));
        let had = DueEvent { delivered: true, ..due(4, false) };
        let (_, again) = begin(&had, at(900), &schedule(), LEASE);
        let failed = end(&again.expect("by hand"), AttemptResult::Dns, LEASE, at(901), &schedule());
        assert_eq!(ending(&failed), (DeliveryState::Delivered, None), "the vendor has it all the same");
    }

    #[test]
    fn a_response_is_shown_as_text_that_controls_nothing() {
        let text = |body: &[u8]| ReceiverResponse { content_type: None, body: body.to_vec() }.text();
        assert_eq!(text("Ошибка:\r\n\tнет связи".as_bytes()), "Ошибка:\n\tнет связи");
        assert_eq!(text(&"да".as_bytes()[..3]), "д", "the limit cut the last character");
        assert_eq!(text(b"\xff\x00ok\x1b[31m"), "\u{FFFD}\u{FFFD}ok\u{FFFD}[31m");
        assert_eq!(text("\u{202e}live".as_bytes()), "\u{FFFD}live");
    }

    #[test]
    fn a_schedule_rises() {
        for (retries, fine) in [(vec![], true), (vec![1, 2], true), (vec![0], false), (vec![2, 2], false)] {
            let retries: Vec<Duration> = retries.into_iter().map(Duration::from_secs).collect();
            assert_eq!(Schedule::new(retries.clone()).is_some(), fine, "{retries:?}");
        }
    }
}
