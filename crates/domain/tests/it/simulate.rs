//! `simulate` requests for a sandbox session (decisions §8 and §10): which are valid, and when the outcome
//! comes.

use crate::fixture::{Shop, after, event_id, minutes, shown, simulation};
use till_domain::{
    change::{Change, HistoryKind},
    method::Method,
    rejection::Rejection,
    session::{self, FailureReason, Outcome, Session, State},
    time::Timestamp,
};

fn simulate(session: &Session, json: &str, now: Timestamp) -> Result<(Session, Vec<Change>), Rejection> {
    session::simulate(session, &simulation(json), now, &Shop::sandbox().vendor.settings, event_id())
}

/// The state of a session: `state` and the millisecond since its creation, or its planned outcome.
fn standing(session: &Session) -> String {
    let ms = |at: Timestamp| at.since(after(0)).as_millis();
    let words = |state: State| match state {
        State::Failed(reason) => format!("failed {}", reason.as_str()),
        state => state.status().to_string(),
    };
    match session.plan {
        Some(plan) => format!("{}, {} at {}", words(session.state), words(plan.outcome.into()), ms(plan.at)),
        None => format!("{} at {}", words(session.state), ms(session.updated_at)),
    }
}

/// Sends this request one second after the session's creation, and compares the session's state.
fn check(json: &str, expected: &str) {
    let answer = simulate(&Shop::sandbox().session("{}"), json, after(1_000));
    let answer = answer.map_or_else(|rejection| shown(&rejection), |(session, _)| standing(&session));
    assert_eq!(answer, expected, "{json}");
}

#[test]
fn an_outcome_comes_at_once_unless_it_is_planned() {
    check(r#"{"outcome":"paid"}"#, "paid at 1000");
    check(r#"{"outcome":"failed"}"#, "failed card_declined at 1000");
    check(r#"{"outcome":"expired"}"#, "expired at 1000");
    check(r#"{"outcome":"failed","failure_reason":null,"after_ms":null}"#, "failed card_declined at 1000");
    check(r#"{"outcome":"paid","after_ms":0}"#, "paid at 1000");
    check(r#"{"outcome":"paid","after_ms":1}"#, "pending, paid at 1001");
    check(r#"{"outcome":"expired","after_ms":600000}"#, "pending, expired at 601000");
    check(r#"{"outcome":"failed","after_ms":5}"#, "pending, failed card_declined at 1005");
    for reason in FailureReason::ALL.map(FailureReason::as_str) {
        let json = format!(r#"{{"outcome":"failed","failure_reason":"{reason}"}}"#);
        check(&json, &format!("failed {reason} at 1000"));
    }
}

#[test]
fn a_wrong_request_names_every_wrong_field() {
    for (json, wrong) in [
        ("{}", "outcome required"),
        (r#"{"outcome":"pending"}"#, "outcome unknown_value"),
        (r#"{"outcome":"Paid"}"#, "outcome unknown_value"),
        (r#"{"outcome":""}"#, "outcome unknown_value"),
        (r#"{"outcome":true}"#, "outcome wrong_type"),
        (r#"{"outcome":"failed","failure_reason":"bored"}"#, "failure_reason unknown_value"),
        (r#"{"outcome":"failed","failure_reason":""}"#, "failure_reason unknown_value"),
        (r#"{"outcome":"failed","failure_reason":7}"#, "failure_reason wrong_type"),
        (r#"{"outcome":"paid","after_ms":600001}"#, "after_ms out_of_range"),
        (r#"{"outcome":"paid","after_ms":-1}"#, "after_ms out_of_range"),
        (r#"{"outcome":"paid","after_ms":1.5}"#, "after_ms out_of_range"),
        (r#"{"outcome":"paid","after_ms":99999999999999999999}"#, "after_ms out_of_range"),
        (r#"{"outcome":"paid","after_ms":"5"}"#, "after_ms wrong_type"),
        (r#"{"outcome":"paid","after_ms":[5]}"#, "after_ms wrong_type"),
        (
            r#"{"outcome":"won","failure_reason":"bored","after_ms":-1}"#,
            "failure_reason unknown_value, outcome unknown_value, after_ms out_of_range",
        ),
    ] {
        check(json, &format!("invalid_request: {wrong}"));
    }
}

#[test]
fn a_later_request_replaces_the_plan() {
    let mut session = Shop::sandbox().session("{}");
    for (json, expected) in [
        (r#"{"outcome":"paid","after_ms":5000}"#, "pending, paid at 6000"),
        (r#"{"outcome":"failed","after_ms":9000}"#, "pending, failed card_declined at 10000"),
        (r#"{"outcome":"expired","after_ms":2000}"#, "pending, expired at 3000"),
        (r#"{"outcome":"paid"}"#, "paid at 1000"),
    ] {
        session = simulate(&session, json, after(1_000)).expect("it is pending").0;
        assert_eq!(standing(&session), expected, "{json}");
    }
}

#[test]
fn a_final_session_refuses_every_outcome() {
    for outcome in [Outcome::Paid, Outcome::Expired, Outcome::Failed(FailureReason::Unconfirmed)] {
        let settings = Shop::sandbox().vendor.settings;
        let session = Shop::sandbox().session("{}");
        let (session, _) =
            session::finish(&session, outcome, after(5), &settings, event_id()).expect("pending");
        for json in [r#"{"outcome":"paid"}"#, r#"{"outcome":"expired","after_ms":10}"#] {
            let rejection = simulate(&session, json, after(10)).expect_err("it is final");
            assert_eq!(
                (&rejection, rejection.code()),
                (&Rejection::SessionNotPending, "session_not_pending")
            );
        }
    }
}

/// Plans a payment at `planned_ms` for `after_ms` later, and compares the state at the end of the day.
fn check_plan(planned_ms: i64, after_ms: i64, expected: &str) {
    let json = format!(r#"{{"outcome":"paid","after_ms":{after_ms}}}"#);
    let (session, _) = simulate(&Shop::sandbox().session("{}"), &json, after(planned_ms)).expect("pending");
    let (outcome, at) = session::due(&session, after(minutes(24 * 60))).expect("its time is over");
    assert_eq!(session.due_at(), at, "the sweep looks at the right moment");
    let status = State::from(outcome).status();
    assert_eq!(
        format!("{status} at {}", at.since(after(0)).as_millis()),
        expected,
        "{planned_ms} + {after_ms}"
    );
}

#[test]
fn the_earlier_of_plan_and_deadline_wins() {
    check_plan(0, 1, "paid at 1");
    check_plan(minutes(4), 600_000, "paid at 840000");
    check_plan(minutes(5) - 1, 600_000, "paid at 899999");
    check_plan(minutes(5), 600_000, "paid at 900000");
    check_plan(minutes(5) + 1, 600_000, "expired at 900000");
    check_plan(minutes(15) - 1, 600_000, "expired at 900000");
}

#[test]
fn a_plan_whose_time_has_come_ends_the_choice_of_methods() {
    let Shop { rules, vendor } = Shop::live();
    let request = simulation(r#"{"outcome":"paid","after_ms":1000}"#);
    let planned =
        session::simulate(&Shop::live().session("{}"), &request, after(0), &vendor.settings, event_id());
    let (session, _) = planned.expect("it is pending");
    let choose = |ms| session::choose_method(&session, Method::Crypto, &rules, after(ms));
    assert_eq!(choose(1_000).expect_err("it is paid"), Rejection::SessionNotPending);
    let (chosen, _) = choose(999).expect("it is pending");
    assert_eq!((chosen.plan, chosen.due_at()), (session.plan, after(1_000)), "a choice keeps the plan");
}

#[test]
fn a_plan_leaves_a_line_of_history_and_an_end_is_recorded_by_the_session() {
    let lines = |json: &str| {
        let (_, changes) = simulate(&Shop::sandbox().session("{}"), json, after(1_000)).expect("pending");
        let lines =
            changes.into_iter().filter_map(|c| if let Change::Record(line) = c { Some(line) } else { None });
        lines.map(|line| (line.at, line.kind, line.detail.unwrap_or_default())).collect::<Vec<_>>()
    };
    let detail = "paid at 2025-11-15T00:00:03.000Z".to_owned();
    let planned = (after(1_000), HistoryKind::OutcomePlanned, detail);
    assert_eq!(lines(r#"{"outcome":"paid","after_ms":2000}"#), [planned]);
    assert_eq!(lines(r#"{"outcome":"paid"}"#), []);
}
