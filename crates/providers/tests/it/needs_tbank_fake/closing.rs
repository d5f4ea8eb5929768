//! States, declines, and how a payment is closed: by cancelling it, or by its due date.

use super::*;
use till_domain::session::FailureReason;

#[tokio::test]
async fn every_status_has_a_meaning() {
    let world = World::new();
    let attempt = world.open(Method::Card).await;
    for (status, meaning) in [
        ("NEW", Observation::Waiting),
        ("FORM_SHOWED", Observation::Waiting),
        ("FORMSHOWED", Observation::Waiting),
        ("PREAUTHORIZING", Observation::InFlight),
        ("AUTHORIZING", Observation::InFlight),
        ("3DS_CHECKING", Observation::InFlight),
        ("3DS_CHECKED", Observation::InFlight),
        ("PAY_CHECKING", Observation::InFlight),
        ("CONFIRMING", Observation::InFlight),
        ("CONFIRM_CHECKING", Observation::InFlight),
        ("PROCESSING", Observation::InFlight),
        ("REVERSING", Observation::InFlight),
        ("CONFIRMED", paid(&attempt)),
        ("REJECTED", Observation::Declined(FailureReason::CardDeclined)),
        ("AUTH_FAIL", Observation::Declined(FailureReason::CardDeclined)),
        ("ATTEMPTS_EXPIRED", Observation::Declined(FailureReason::CardDeclined)),
        ("DEADLINE_EXPIRED", Observation::TimedOut),
        ("CANCELED", Observation::Closed),
        ("REVERSED", Observation::Closed),
        ("REFUNDING", Observation::InFlight),
        ("ASYNC_REFUNDING", Observation::InFlight),
        ("REFUNDED", Observation::Closed),
    ] {
        world.does("status", json!({ "payment": attempt.reference, "status": status })).await;
        assert_eq!(world.check(&attempt).await, meaning, "{status}");
    }
    for status in ["UNKNOWN", "COMPLETED", "CANCEL_CHECKING", "SOMETHING_NEW", "PARTIAL_REFUNDED"] {
        world.does("status", json!({ "payment": attempt.reference, "status": status })).await;
        assert!(is_unknown(&world.tbank.check(&attempt).await), "{status}");
    }
    let counted = Attempt { state: AttemptState::Paid, recorded: attempt.charge.atoms, ..attempt.clone() };
    for status in ["REFUNDING", "ASYNC_REFUNDING", "PARTIAL_REFUNDED", "REFUNDED"] {
        world.does("status", json!({ "payment": attempt.reference, "status": status })).await;
        assert_eq!(world.check(&counted).await, paid(&attempt), "{status}: what was counted stays");
    }
}

#[tokio::test]
async fn a_decline_has_its_reason_wherever_t_bank_says_it() {
    let world = World::new();
    for codes in ["none", "code", "failed"] {
        world.set(json!({ "state_codes": codes })).await;
        for (code, reason) in [
            ("1051", FailureReason::InsufficientFunds),
            ("1054", FailureReason::CardExpired),
            ("101", FailureReason::ThreeDsFailed),
            ("1005", FailureReason::CardDeclined),
        ] {
            let attempt = world.open(Method::Card).await;
            world.does("decline", json!({ "payment": attempt.reference, "code": code })).await;
            assert_eq!(world.check(&attempt).await, Observation::Declined(reason), "{codes} {code}");
            assert_eq!(world.close(&attempt).await, Observation::Declined(reason), "{codes} {code}");
        }
    }
    let failed = world.open(Method::Card).await;
    let fail = json!({ "payment": failed.reference, "code": "101", "status": "AUTH_FAIL" });
    world.does("decline", fail).await;
    assert_eq!(world.check(&failed).await, Observation::Declined(FailureReason::ThreeDsFailed));
    assert_eq!(world.calls("GetState").await.len() % 2, 0, "it is asked once more");
}

#[tokio::test]
async fn held_money_is_confirmed_while_the_attempt_is_active_and_released_otherwise() {
    let world = World::new();
    let taken = world.open(Method::Card).await;
    world.pay(&taken).await;
    assert_eq!(world.truth().await, (1, 149_000, 0, 0));
    assert_eq!(world.check(&taken).await, paid(&taken));
    assert_eq!(world.truth().await, (1, 0, 149_000, 0));
    let late = world.open(Method::Card).await;
    world.pay(&late).await;
    assert_eq!(world.check(&watched(&late)).await, Observation::Closed);
    assert_eq!(world.truth().await, (2, 0, 149_000, 0));
    // A payment that was authorised in time is taken at the deadline, never cancelled.
    let at_the_end = world.open(Method::Card).await;
    world.pay(&at_the_end).await;
    assert_eq!(world.close(&at_the_end).await, paid(&at_the_end));
    assert_eq!(world.truth().await, (3, 0, 298_000, 0));
    // After the end of its session it is released, also if the attempt is still followed.
    let over = Attempt { state: AttemptState::InFlight, ..world.open(Method::Card).await };
    world.pay(&over).await;
    assert_eq!(world.tbank.release(&over).await, Ok(Observation::Closed));
    assert_eq!(world.truth().await, (4, 0, 298_000, 0));
    assert_eq!(world.tbank.release(&at_the_end).await, Ok(paid(&at_the_end)), "it was taken before");
}

#[tokio::test]
async fn an_unanswered_confirmation_leaves_the_payment_in_flight() {
    let world = World::new();
    for kind in ["500_before", "500_after", "timeout_after", "code_999_after"] {
        let attempt = world.open(Method::Card).await;
        world.pay(&attempt).await;
        world.fault("Confirm", kind, 1).await;
        assert_eq!(world.check(&attempt).await, Observation::InFlight, "{kind}");
        assert_eq!(world.check(&attempt).await, paid(&attempt), "{kind}");
    }
    // T-Bank has not done it, and is asked again when it may.
    for kind in ["429_before", "code_204_before"] {
        let attempt = world.open(Method::Card).await;
        world.pay(&attempt).await;
        world.fault("Confirm", kind, 1).await;
        assert!(is_unknown(&world.tbank.check(&attempt).await), "{kind}");
        assert_eq!(world.check(&attempt).await, paid(&attempt), "{kind}");
    }
    let held = world.open(Method::Card).await;
    world.pay(&held).await;
    let less = json!({ "Amount": 100 });
    world.does("fault", json!({ "on": "GetState", "kind": "changed", "members": less })).await;
    assert!(is_unknown(&world.tbank.check(&held).await), "it is not what was ordered");
    assert_eq!(world.payment(held.reference.as_deref().expect("a payment")).await["held"], 149_000);
}

#[tokio::test]
async fn a_shown_code_that_cannot_be_cancelled_is_closed_by_its_due_date() {
    let world = World::new();
    world.set(json!({ "cancel_shown": "refused" })).await;
    let attempt = world.open(Method::Sbp).await;
    assert_eq!(world.close(&attempt).await, Observation::ClosesAtDeadline);
    world.does("advance", json!({ "seconds": 901 })).await;
    assert_eq!(world.close(&attempt).await, Observation::TimedOut);
    assert_eq!(world.happens("pay", json!({ "payment": attempt.reference })).await, 409);
    world.set(json!({ "cancel_shown": "closes" })).await;
}

#[tokio::test]
async fn expired_means_closed_however_late_t_bank_marks_it() {
    let world = World::new();
    world.set(json!({ "lag": 60, "cancel_shown": "refused" })).await;
    for method in [Method::Card, Method::Sbp] {
        let attempt = world.open(method).await;
        world.does("show", json!({ "payment": attempt.reference })).await;
        world.does("advance", json!({ "seconds": 901 })).await;
        assert_eq!(world.close(&attempt).await, Observation::ClosesAtDeadline, "{method}: not marked yet");
        assert_eq!(world.happens("pay", json!({ "payment": attempt.reference })).await, 409);
        world.does("advance", json!({ "seconds": 60 })).await;
        assert_eq!(world.close(&attempt).await, Observation::TimedOut);
        world.does("advance", json!({ "seconds": -961 })).await;
    }
}

#[tokio::test]
async fn a_cancellation_that_meets_a_payment_leaves_no_money_taken() {
    let world = World::new();
    let attempt = world.open(Method::Sbp).await;
    let reference = attempt.reference.clone().expect("a payment");
    // The customer pays between the question and the cancellation.
    world.does("fault", json!({ "on": "GetState", "kind": "slow", "seconds": 0.4 })).await;
    let closing = world.tbank.close(&attempt);
    let paying = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        world.pay(&attempt).await;
    };
    let (closed, ()) = tokio::join!(closing, paying);
    assert_eq!(closed, Ok(Observation::InFlight), "SBP refunds take a while");
    world.does("refunded", json!({ "payment": reference })).await;
    assert_eq!(world.check(&attempt).await, Observation::Closed);
    let (_, held, taken, returned) = world.truth().await;
    assert_eq!((held, taken - returned), (0, 0));
}

#[tokio::test]
async fn in_work_is_not_cancelled() {
    let world = World::new();
    for status in ["AUTHORIZING", "3DS_CHECKING"] {
        let attempt = world.open(Method::Card).await;
        world.does("authorize", json!({ "payment": attempt.reference, "status": status })).await;
        assert_eq!(world.close(&attempt).await, Observation::InFlight, "{status}");
        world.pay(&attempt).await;
        assert_eq!(world.close(&attempt).await, paid(&attempt), "{status}");
    }
    assert!(world.calls("Cancel").await.is_empty());
}
