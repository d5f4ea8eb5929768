//! The life of a session after its creation: after any events in any order it gets one final status at the
//! right moment (decisions §5 and §10, invariants I2 and I3).

use crate::fixture::{Shop, after, event_id, minutes, shown, simulation};
use proptest::prelude::*;
use std::collections::BTreeMap;
use till_domain::{
    change::{Change, HistoryEntry},
    method::Method,
    rejection::Rejection,
    session::{self, FailureReason, Outcome, Session, State},
    time::Timestamp,
};

/// Longer than any session lives.
const FOREVER: i64 = minutes(100_000);

/// Something that happens to a session.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// An outcome is reported.
    Finish(Outcome),
    /// A tester requests an outcome after this many milliseconds.
    Simulate(Outcome, i64),
    /// The customer chooses a method.
    Choose(Method),
    /// This many milliseconds pass.
    Wait(i64),
    /// A read or the expiry worker applies what time has changed.
    Notice,
}

/// A session under events: its state now, the time, and every list of changes so far.
#[derive(Clone)]
struct Life {
    session: Session,
    now_ms: i64,
    lists: Vec<Vec<Change>>,
}

impl Life {
    fn starting_with(method: Method) -> Self {
        let session = Shop::live().session(&format!(r#"{{"defaultPaymentMethod":"{method}"}}"#));
        Self { session, now_ms: 0, lists: Vec::new() }
    }

    fn apply(&mut self, event: Event) -> Result<(), Rejection> {
        let Shop { rules, vendor } = Shop::live();
        let (session, now, settings) = (&self.session, after(self.now_ms), &vendor.settings);
        let (session, changes) = match event {
            Event::Finish(outcome) => session::finish(session, outcome, now, settings, event_id())?,
            Event::Simulate(outcome, after_ms) => {
                let request = simulation(&in_json(outcome, after_ms));
                session::simulate(session, &request, now, settings, event_id())?
            }
            Event::Choose(method) => session::choose_method(session, method, &rules, now)?,
            Event::Wait(ms) => {
                self.now_ms += ms;
                return Ok(());
            }
            Event::Notice => match session::due(session, now) {
                Some((outcome, at)) => session::finish(session, outcome, at, settings, event_id())?,
                None => return Ok(()),
            },
        };
        self.session = session;
        self.lists.push(changes);
        Ok(())
    }
}

/// The body of a `simulate` request for this outcome.
fn in_json(outcome: Outcome, after_ms: i64) -> String {
    let status = State::from(outcome).status();
    let reason = outcome.reason().map_or("null".to_owned(), |reason| format!("{:?}", reason.as_str()));
    format!(r#"{{"outcome":"{status}","failure_reason":{reason},"after_ms":{after_ms}}}"#)
}

/// Applies the events in turn, and passes the life before and after each to the check.
fn live(
    start: Method,
    events: &[Event],
    mut see: impl FnMut(&Life, Event, Result<(), Rejection>, &Life),
) -> Life {
    let mut life = Life::starting_with(start);
    for event in events {
        let before = life.clone();
        let result = life.apply(*event);
        see(&before, *event, result, &life);
    }
    life
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    let failed = prop::sample::select(FailureReason::ALL.to_vec()).prop_map(Outcome::Failed);
    prop_oneof![Just(Outcome::Paid), Just(Outcome::Expired), failed]
}

fn any_method() -> impl Strategy<Value = Method> {
    prop::sample::select(Method::ALL.to_vec())
}

/// Up to twenty events, most of which leave the session pending.
fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        1 => any_outcome().prop_map(Event::Finish),
        1 => any_outcome().prop_map(|outcome| Event::Simulate(outcome, 0)),
        3 => (any_outcome(), 1..=600_000_i64).prop_map(|(outcome, ms)| Event::Simulate(outcome, ms)),
        5 => any_method().prop_map(Event::Choose),
        5 => (0..=minutes(12)).prop_map(Event::Wait),
        2 => Just(Event::Notice),
    ];
    prop::collection::vec(event, 0..20)
}

/// The lifetime of a session by its method in milliseconds, as specified.
fn lifetime(method: Method) -> i64 {
    match method {
        Method::Card => minutes(15),
        Method::Sbp => minutes(10),
        Method::Crypto => minutes(60),
    }
}

/// The outcome and moment that time alone gives a pending session: its plan, unless the deadline comes first.
fn fate(session: &Session) -> (Outcome, Timestamp) {
    let deadline = session.deadline();
    match session.plan {
        Some(plan) if plan.at <= deadline => (plan.outcome, plan.at),
        _ => (Outcome::Expired, deadline),
    }
}

/// Commits changes to a stored session, as a store would.
fn commit(stored: &mut Session, changes: &[Change]) {
    for change in changes {
        match change {
            Change::FinishSession { id, outcome, at, was_due_at } => {
                assert_eq!(*id, stored.id);
                assert!(was_due_at.is_none_or(|due| due == stored.due_at()));
                (stored.state, stored.updated_at, stored.plan) = ((*outcome).into(), *at, None);
            }
            Change::PlanOutcome { id, plan, due_at, was_due_at } => {
                assert_eq!(*was_due_at, stored.due_at());
                stored.plan = Some(*plan);
                assert_eq!((*id, *due_at), (stored.id, stored.due_at()));
            }
            Change::ChooseMethod { id, method, clocks, due_at, was_due_at, held_until: _ } => {
                assert_eq!(*was_due_at, stored.due_at());
                (stored.methods.chosen, stored.methods.clocks) = (*method, *clocks);
                assert_eq!((*id, *due_at), (stored.id, stored.due_at()));
            }
            Change::Record(HistoryEntry { session, .. }) => assert_eq!(*session, stored.id),
            Change::QueueCallback(event) => assert_eq!(event.session, stored.id),
            Change::RecordTransaction(money) => {
                assert_eq!((stored.state, money.session), (State::Paid, stored.id));
            }
            other => panic!("not a change of a session's life: {other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn i2_a_final_session_never_changes_again(start in any_method(), events in any_events()) {
        live(start, &events, |before, event, result, then| {
            assert_eq!(then.session.created_at, after(0));
            if then.session.state == State::Pending {
                assert_eq!(then.session.updated_at, after(0), "updated only with the status");
            }
            if before.session.state != State::Pending {
                assert_eq!(then.session, before.session, "{event:?}");
                assert_eq!(then.lists.len(), before.lists.len());
                assert_eq!(session::due(&then.session, after(FOREVER)), None);
                let asked = !matches!(event, Event::Wait(_) | Event::Notice);
                assert_eq!(result, if asked { Err(Rejection::SessionNotPending) } else { Ok(()) });
            }
        });
    }

    #[test]
    fn i3_a_session_is_finished_once_with_one_callback(start in any_method(), events in any_events()) {
        let to_the_end = [events, vec![Event::Wait(FOREVER), Event::Notice]].concat();
        let life = live(start, &to_the_end, |_, _, _, _| ());
        prop_assert_ne!(life.session.state, State::Pending);
        let of_kind = |list: &Vec<Change>, kind: fn(&Change) -> bool| list.iter().filter(|c| kind(c)).count();
        let counts = life.lists.iter().map(|list| {
            let finished = of_kind(list, |c| matches!(c, Change::FinishSession { .. }));
            (finished, of_kind(list, |c| matches!(c, Change::QueueCallback(_))))
        });
        let final_lists: Vec<_> = counts.filter(|counts| *counts != (0, 0)).collect();
        prop_assert_eq!(final_lists, [(1, 1)], "in one list, so in one commit");
    }

    #[test]
    fn the_guarded_change_comes_first(start in any_method(), events in any_events()) {
        for list in live(start, &events, |_, _, _, _| ()).lists {
            let guarded: Vec<_> = list.iter().map(|change| change.guard().is_some()).collect();
            prop_assert!(guarded[0], "a move of a session is always guarded: {:?}", list);
            prop_assert!(guarded.is_sorted_by(|a, b| a >= b), "{:?}", list);
        }
    }

    #[test]
    fn the_changes_lead_a_stored_session_to_the_same_place(start in any_method(), events in any_events()) {
        let mut stored = Life::starting_with(start).session;
        let life = live(start, &events, |_, _, _, _| ());
        life.lists.iter().for_each(|list| commit(&mut stored, list));
        prop_assert_eq!(stored, life.session);
    }

    #[test]
    fn time_acts_at_its_own_moment_however_late_it_is_noticed(
        start in any_method(),
        events in any_events(),
        late_ms in 0..=FOREVER,
    ) {
        live(start, &events, |_, _, _, then| {
            if then.session.state == State::Pending {
                let (outcome, at) = fate(&then.session);
                let just_before = Timestamp::from_ms(at.as_ms() - 1);
                assert_eq!(session::due(&then.session, just_before), None);
                assert_eq!(session::due(&then.session, at), Some((outcome, at)));
                let mut late = Life { now_ms: at.as_ms() - after(0).as_ms() + late_ms, ..then.clone() };
                late.apply(Event::Notice).expect("it is pending");
                assert_eq!((late.session.state, late.session.updated_at), (outcome.into(), at));
            }
        });
    }

    #[test]
    fn a_clock_is_never_restarted_nor_chosen_once_run_out(start in any_method(), events in any_events()) {
        let mut ends = BTreeMap::from([(start, after(lifetime(start)))]);
        live(start, &events, |before, event, result, then| {
            if let Event::Choose(method) = event {
                let now = after(before.now_ms);
                let over = before.session.state != State::Pending || fate(&before.session).1 <= now;
                let expected = match ends.get(&method) {
                    _ if over => Err(Rejection::SessionNotPending),
                    Some(end) if *end <= now => Err(Rejection::MethodTimedOut),
                    _ => Ok(()),
                };
                assert_eq!(result, expected, "{method} after {} ms", before.now_ms);
                if result.is_ok() {
                    ends.entry(method).or_insert(after(before.now_ms + lifetime(method)));
                    assert_eq!(then.session.methods.chosen, method);
                }
            }
            let clocks = then.session.methods.clocks;
            let same = Method::ALL.iter().all(|m| clocks.of(*m) == ends.get(m).copied());
            assert!(same, "{clocks:?}, not {ends:?}");
            assert_eq!(Some(&then.session.deadline()), ends.get(&then.session.methods.chosen));
        });
    }
}

/// Chooses methods at these minutes, and compares the session's deadlines after each.
fn check_choices(start: Method, choices: &[(i64, Method, &str)]) {
    let mut life = Life::starting_with(start);
    for (minute, method, expected) in choices {
        life.now_ms = minutes(*minute);
        let answer = match life.apply(Event::Choose(*method)) {
            Ok(()) => format!("until {}", life.session.deadline().since(after(0)).as_secs() / 60),
            Err(rejection) => shown(&rejection),
        };
        assert_eq!(answer, *expected, "{method} at minute {minute}");
    }
}

#[test]
fn a_session_ends_with_the_clock_of_the_method_chosen_now() {
    use Method::{Card, Crypto, Sbp};
    check_choices(
        Card,
        &[
            (1, Crypto, "until 61"),
            (14, Card, "until 15"),
            (14, Crypto, "until 61"),
            (15, Card, "method_timed_out"),
            (16, Sbp, "until 26"),
            (20, Crypto, "until 61"),
            (26, Sbp, "method_timed_out"),
            (60, Crypto, "until 61"),
            (61, Crypto, "session_not_pending"),
        ],
    );
    check_choices(Sbp, &[(9, Sbp, "until 10"), (10, Card, "session_not_pending")]);
}

#[test]
fn only_an_offered_method_can_be_chosen() {
    let shop = Shop::live();
    let session = shop.session(r#"{"currency":"USD"}"#);
    let result = session::choose_method(&session, Method::Sbp, &shop.rules, after(1));
    assert_eq!(result.expect_err("SBP takes no USD"), Rejection::MethodNotOffered);
}

#[test]
fn d4_a_session_that_ends_by_a_clock_that_was_after_restore_does_not_end_before_it_was_created() {
    let Shop { vendor, .. } = Shop::live();
    let session = Shop::live().session("{}");
    let (finished, changes) =
        session::finish(&session, Outcome::Paid, after(-5_000), &vendor.settings, event_id())
            .expect("pending");
    assert_eq!(finished.updated_at, session.created_at);
    assert!(
        matches!(changes[0], Change::FinishSession { at, .. } if at == session.created_at),
        "{changes:?}"
    );
    let event = changes.iter().find_map(|change| match change {
        Change::QueueCallback(event) => Some(event),
        _ => None,
    });
    assert_eq!(event.expect("an event").at, session.created_at, "one moment everywhere");
}
