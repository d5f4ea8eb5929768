//! Tests of the endpoint check: what passes a step, and what the verdict needs.

use super::*;

fn made(except: &[CheckStep]) -> Vec<MadeStep> {
    let step = |step: CheckStep| {
        let answer =
            if step.is_refusal() { AttemptResult::Status(401) } else { AttemptResult::Delivered(200) };
        let made = MadeStep::requested(step, answer, Duration::from_millis(20));
        assert!(made.passed, "{step:?}");
        if except.contains(&step) { MadeStep::not_tried(step) } else { made }
    };
    CheckStep::ALL.map(step).to_vec()
}

#[test]
fn a_forged_request_must_be_refused_with_a_client_error() {
    use AttemptResult::{Closed, Delivered, Status, Timeout};
    for (result, taken, refused) in [
        (Delivered(200), true, false),
        (Delivered(204), true, false),
        (Status(400), false, true),
        (Status(499), false, true),
        (Status(301), false, false),
        (Status(500), false, false),
        (Timeout, false, false),
        (Closed, false, false),
    ] {
        assert_eq!(CheckStep::RightCallback.passes(result), taken, "{result:?}");
        assert_eq!(CheckStep::WrongSecret.passes(result), refused, "{result:?}");
    }
}

#[test]
fn ready_needs_every_must_and_no_should() {
    for https in [true, false] {
        assert_eq!(CheckVerdict::of(&made(&[]), https), CheckVerdict::Ready);
        for step in CheckStep::ALL {
            let expected = match step.level(https) {
                CheckLevel::Must => CheckVerdict::NotReady,
                CheckLevel::Should => CheckVerdict::Ready,
            };
            assert_eq!(CheckVerdict::of(&made(&[step]), https), expected, "{step:?}");
        }
        assert_eq!(CheckVerdict::of(&[], https), CheckVerdict::NotReady, "nothing was proved");
    }
    assert_eq!(CheckStep::OldTimestamp.level(true), CheckLevel::Should);
    assert_eq!(CheckStep::ValidTls.level(true), CheckLevel::Must);
}

#[test]
fn the_first_request_decides_about_tls() {
    for (first, https, result, passed) in [
        (AttemptResult::Delivered(200), true, "tls_valid", true),
        (AttemptResult::Status(500), true, "tls_valid", true),
        (AttemptResult::Tls, true, "tls", false),
        (AttemptResult::Dns, true, "not_tried", false),
        (AttemptResult::Timeout, true, "not_tried", false),
        (AttemptResult::Closed, true, "not_tried", false),
        (AttemptResult::Delivered(200), false, "plain_http", false),
    ] {
        let made = MadeStep::tls(first, https);
        assert_eq!((made.result.as_str(), made.passed), (result, passed), "{first:?}");
    }
}

#[test]
fn words_are_read_back() {
    for step in CheckStep::ALL {
        assert_eq!(CheckStep::parse(step.as_str()), Some(step));
    }
    for verdict in [CheckVerdict::Ready, CheckVerdict::NotReady] {
        assert_eq!(CheckVerdict::parse(verdict.as_str()), Some(verdict));
    }
}
