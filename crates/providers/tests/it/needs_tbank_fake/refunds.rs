//! Refunds: by card with an idempotency key, by SBP without one.

use super::*;
use till_domain::refund::RefundSeen;
use till_providers::Refunds;

impl World {
    fn refunds(&self) -> &dyn Refunds {
        self.tbank.refunds().expect("refunds")
    }

    async fn paid(&self, method: Method) -> Attempt {
        let attempt = self.open(method).await;
        self.pay(&attempt).await;
        assert_eq!(self.check(&attempt).await, paid(&attempt));
        attempt
    }

    async fn refunded(&self, attempt: &Attempt, done: bool) {
        self.does("refunded", json!({ "payment": attempt.reference, "done": done })).await;
    }
}

/// The refund after this answer, as the service stores it.
fn after(refund: &Refund, seen: RefundSeen) -> Refund {
    let reference = match seen {
        RefundSeen::Accepted { reference } => Some(reference),
        other => panic!("{other:?}"),
    };
    Refund { reference, attempts: refund.attempts + 1, ..refund.clone() }
}

fn is_accepted(seen: &Result<RefundSeen, ProviderError>) -> bool {
    matches!(seen, Ok(RefundSeen::Accepted { .. }))
}

fn is_failed(seen: &Result<RefundSeen, ProviderError>) -> bool {
    matches!(seen, Ok(RefundSeen::Failed { .. }))
}

#[tokio::test]
async fn a_card_refund_is_made_once_however_often_it_is_sent() {
    let world = World::new();
    let attempt = world.paid(Method::Card).await;
    let (first, second) = (refund(&attempt, 5_000), Refund { number: 2, ..refund(&attempt, 7_000) });
    for sent in [&first, &second] {
        world.fault("Cancel", "timeout_after", 1).await;
        assert!(is_unknown(&world.refunds().refund(sent).await));
        for _ in 0..3 {
            let again = Refund { attempts: 3, ..sent.clone() };
            assert!(matches!(world.refunds().refund(&again).await, Ok(RefundSeen::Succeeded { .. })));
        }
    }
    assert_eq!(world.truth().await.3, 12_000);
    let asked = world.calls("Cancel").await;
    assert_eq!(asked[0]["ExternalRequestId"], first.id.to_string());
}

#[tokio::test]
async fn an_sbp_refund_is_accepted_and_then_made_or_undone() {
    let world = World::new();
    let attempt = world.paid(Method::Sbp).await;
    let good = refund(&attempt, 5_000);
    let accepted = after(&good, world.refunds().refund(&good).await.expect("accepted"));
    assert!(is_accepted(&world.refunds().check(&accepted).await));
    world.refunded(&attempt, true).await;
    assert!(matches!(world.refunds().check(&accepted).await, Ok(RefundSeen::Succeeded { .. })));
    // The second one is undone. The reason that T-Bank names may be that of an earlier one, so an operator compares.
    let bad = Refund { number: 2, ..refund(&attempt, 7_000) };
    let accepted = after(&bad, world.refunds().refund(&bad).await.expect("accepted"));
    world.refunded(&attempt, false).await;
    assert!(is_unknown(&world.refunds().check(&accepted).await));
    let third = Refund { number: 3, ..refund(&attempt, 9_000) };
    let accepted = after(&third, world.refunds().refund(&third).await.expect("accepted"));
    world.refunded(&attempt, true).await;
    assert!(matches!(world.refunds().check(&accepted).await, Ok(RefundSeen::Succeeded { .. })));
    assert_eq!(world.truth().await.3, 14_000);
}

#[tokio::test]
async fn an_accepted_sbp_refund_has_failed_only_after_time_without_a_trace() {
    let world = World::new();
    let attempt = world.paid(Method::Sbp).await;
    let asked = refund(&attempt, 5_000);
    let accepted = after(&asked, world.refunds().refund(&asked).await.expect("accepted"));
    world.refunded(&attempt, false).await;
    // It may have waited for long before it was sent, and the reason may be that of an earlier try.
    let old = Refund { created_at: Timestamp::from_ms(0), ..accepted };
    for silent in [None, Some(MINUTE), Some(MINUTE * 14)] {
        let asked = silent.map_or_else(|| old.clone(), |silent| again(&old, silent));
        assert!(is_unknown(&world.refunds().check(&asked).await), "{silent:?}");
    }
    let failed = world.refunds().check(&again(&old, MINUTE * 15)).await;
    assert!(matches!(&failed, Ok(RefundSeen::Failed { reason }) if reason.contains("I05043")), "{failed:?}");
    world.does("refunded_code", json!({ "payment": attempt.reference, "code": "" })).await;
    assert!(is_unknown(&world.refunds().check(&again(&old, MINUTE * 59)).await), "no reason is named");
    assert!(is_failed(&world.refunds().check(&again(&old, MINUTE * 60)).await));
}

#[tokio::test]
async fn an_old_reason_does_not_fail_the_first_refund_that_was_made() {
    let world = World::new();
    let attempt = world.paid(Method::Sbp).await;
    let asked = refund(&attempt, 5_000);
    let accepted = after(&asked, world.refunds().refund(&asked).await.expect("accepted"));
    world.refunded(&attempt, true).await;
    world.does("refunded_code", json!({ "payment": attempt.reference, "code": "I05043" })).await;
    assert!(matches!(world.refunds().check(&accepted).await, Ok(RefundSeen::Succeeded { .. })));
    assert!(is_unknown(&world.refunds().check(&Refund { number: 2, ..accepted }).await), "it cannot tell");
}

#[tokio::test]
async fn a_part_that_went_back_in_the_cabinet_is_not_a_refund_by_sbp_that_was_never_sent() {
    let world = World::new();
    world.set(json!({ "sbp_refunds": "now" })).await;
    let attempt = world.paid(Method::Sbp).await;
    let by_hand = refund(&attempt, 10_000);
    assert!(matches!(world.refunds().refund(&by_hand).await, Ok(RefundSeen::Succeeded { .. })));
    let own = refund(&attempt, 50_000);
    world.fault("Cancel", "429_before", 1).await;
    assert!(is_unknown(&world.refunds().refund(&own).await));
    for silent in [MINUTE, MINUTE * 16] {
        assert!(is_unknown(&world.refunds().check(&again(&own, silent)).await));
        assert!(is_unknown(&world.refunds().refund(&again(&own, silent)).await));
    }
    assert_eq!(world.truth().await.3, 10_000);
}

/// The same refund, asked about again after this time without a clear answer.
fn again(refund: &Refund, silent: Duration) -> Refund {
    let since = now().as_ms() - i64::try_from(silent.as_millis()).expect("a time");
    Refund { attempts: 2, silent_since: Some(Timestamp::from_ms(since)), ..refund.clone() }
}

#[tokio::test]
async fn an_unanswered_sbp_refund_is_sent_again_only_after_time_without_a_trace() {
    let world = World::new();
    for (kind, made) in
        [("hang_up_after", true), ("500_after", true), ("hang_up_before", false), ("429_before", false)]
    {
        let attempt = world.paid(Method::Sbp).await;
        let before = world.truth().await.3;
        let sent = refund(&attempt, 5_000);
        world.fault("Cancel", kind, 1).await;
        // The payment shows at once that it is under way.
        let seen = world.refunds().refund(&sent).await;
        assert!(if made { is_accepted(&seen) } else { is_unknown(&seen) }, "{kind}: {seen:?}");
        let soon = again(&sent, MINUTE * 14);
        if made {
            assert!(is_accepted(&world.refunds().check(&soon).await), "{kind}");
            assert!(is_accepted(&world.refunds().refund(&soon).await), "{kind}");
        } else {
            let calls = world.calls("Cancel").await.len();
            for too_soon in [soon, Refund { silent_since: None, ..again(&sent, MINUTE) }] {
                assert!(is_unknown(&world.refunds().check(&too_soon).await), "{kind}");
                assert!(is_unknown(&world.refunds().refund(&too_soon).await), "{kind}");
            }
            assert_eq!(world.calls("Cancel").await.len(), calls, "{kind}");
            let later = again(&sent, MINUTE * 15);
            assert_eq!(world.refunds().check(&later).await, Ok(RefundSeen::Unheard), "{kind}");
            after(&later, world.refunds().refund(&later).await.expect("accepted"));
        }
        world.refunded(&attempt, true).await;
        let last = Refund { reference: Some(sent.id.to_string()), ..again(&sent, MINUTE * 16) };
        assert!(matches!(world.refunds().check(&last).await, Ok(RefundSeen::Succeeded { .. })), "{kind}");
        assert_eq!(world.truth().await.3 - before, 5_000, "{kind}");
    }
}

#[tokio::test]
async fn an_unanswered_first_refund_by_sbp_is_made_if_something_went_back_since() {
    let world = World::new();
    world.set(json!({ "sbp_refunds": "now" })).await;
    for minor in [5_000, 149_000] {
        let attempt = world.paid(Method::Sbp).await;
        world.fault("Cancel", "hang_up_after", 1).await;
        let seen = world.refunds().refund(&refund(&attempt, minor)).await;
        assert!(matches!(seen, Ok(RefundSeen::Succeeded { .. })), "{minor}: {seen:?}");
    }
}

#[tokio::test]
async fn a_refund_that_takes_effect_late_is_neither_failed_nor_made_twice() {
    let world = World::new();
    for (method, busy) in
        [(Method::Card, true), (Method::Card, false), (Method::Sbp, true), (Method::Sbp, false)]
    {
        let attempt = world.paid(method).await;
        let before = world.truth().await.3;
        let sent = refund(&attempt, 5_000);
        world.does("fault", json!({ "on": "Cancel", "kind": "late", "busy": busy })).await;
        assert!(is_unknown(&world.refunds().refund(&sent).await), "{method}");
        let soon = again(&sent, MINUTE);
        if method == Method::Sbp || busy {
            let seen = world.refunds().refund(&soon).await;
            assert!(is_unknown(&seen), "{method} {busy}: {seen:?}");
        }
        world.does("land", json!({})).await;
        world.happens("refunded", json!({ "payment": attempt.reference })).await;
        let seen = match world.refunds().check(&soon).await {
            Ok(RefundSeen::Unheard) => world.refunds().refund(&soon).await,
            seen => seen,
        };
        let made = matches!(seen, Ok(RefundSeen::Succeeded { .. }));
        // By SBP it was not seen under way, so it may be one that was made in the cabinet.
        assert!(made || (method == Method::Sbp && is_unknown(&seen)), "{method} {busy}: {seen:?}");
        assert_eq!(world.truth().await.3 - before, 5_000, "{method} {busy}");
    }
}

#[tokio::test]
async fn a_repeated_refund_that_is_refused_stays_open() {
    let world = World::new();
    let attempt = world.paid(Method::Card).await;
    for code in ["4", "8", "100", "20", "255", "3002", "201"] {
        let sent = refund(&attempt, 1_000);
        world.fault("Cancel", &format!("code_{code}_after"), 1).await;
        let seen = world.refunds().refund(&again(&sent, MINUTE)).await;
        assert!(is_unknown(&seen), "{code}: {seen:?}");
    }
}

#[tokio::test]
async fn a_refund_fails_only_where_the_payment_certainly_has_no_money() {
    let world = World::new();
    let attempt = world.paid(Method::Card).await;
    let first = refund(&attempt, 5_000);
    let status = async |status: &str| {
        world.does("status", json!({ "payment": attempt.reference, "status": status })).await;
    };
    for word in [
        "CANCEL_CHECKING",
        "COMPLETED",
        "UNKNOWN",
        "SOMETHING_NEW",
        "REVERSING",
        "CONFIRM_CHECKING",
        "AUTHORIZED",
        "PARTIAL_REVERSED",
        "AUTH_FAIL",
    ] {
        status(word).await;
        let soon = again(&first, MINUTE);
        for seen in [world.refunds().check(&soon).await, world.refunds().refund(&soon).await] {
            assert!(is_unknown(&seen), "{word}: {seen:?}");
        }
        assert!(is_unknown(&world.refunds().refund(&first).await), "{word}");
    }
    for word in
        ["NEW", "FORM_SHOWED", "REJECTED", "ATTEMPTS_EXPIRED", "DEADLINE_EXPIRED", "CANCELED", "REVERSED"]
    {
        status(word).await;
        assert!(is_definite(&world.refunds().refund(&first).await), "{word}");
        assert!(is_unknown(&world.refunds().refund(&again(&first, MINUTE)).await), "{word}");
    }
    assert!(world.calls("Cancel").await.is_empty());
}

#[tokio::test]
async fn a_refund_is_made_only_if_the_amounts_say_so() {
    let world = World::new();
    for method in [Method::Card, Method::Sbp] {
        world.set(json!({ "sbp_refunds": "now" })).await;
        let attempt = world.paid(method).await;
        let other = json!({ "on": "Cancel", "kind": "changed", "members": { "NewAmount": 1 } });
        world.does("fault", other).await;
        assert!(is_unknown(&world.refunds().refund(&refund(&attempt, 5_000)).await), "{method}");
    }
    // A part that was refunded in the cabinet is not this refund.
    let attempt = world.paid(Method::Card).await;
    let before = world.truth().await.3;
    let sent = refund(&attempt, 5_000);
    world.fault("Cancel", "hang_up_before", 1).await;
    assert!(is_unknown(&world.refunds().refund(&sent).await));
    world.does("status", json!({ "payment": attempt.reference, "status": "PARTIAL_REFUNDED" })).await;
    let soon = again(&sent, MINUTE);
    assert_eq!(world.refunds().check(&soon).await, Ok(RefundSeen::Unheard));
    assert!(matches!(world.refunds().refund(&soon).await, Ok(RefundSeen::Succeeded { .. })));
    assert_eq!(world.truth().await.3 - before, 5_000);
    // Where the answer to a repetition has the amounts of now, it tells only of the first refund.
    world.set(json!({ "repeated_refund": "now" })).await;
    assert!(matches!(world.refunds().refund(&soon).await, Ok(RefundSeen::Succeeded { .. })));
    assert!(is_unknown(&world.refunds().refund(&Refund { number: 2, ..soon }).await));
    assert_eq!(world.truth().await.3 - before, 5_000);
}

#[tokio::test]
async fn where_sbp_does_not_tell_a_second_refund_is_not_repeated() {
    let world = World::new();
    let attempt = world.paid(Method::Sbp).await;
    world.set(json!({ "sbp_refunds": "now" })).await;
    assert!(matches!(
        world.refunds().refund(&refund(&attempt, 5_000)).await,
        Ok(RefundSeen::Succeeded { .. })
    ));
    let second = Refund { number: 2, ..refund(&attempt, 7_000) };
    for kind in ["hang_up_after", "hang_up_before"] {
        world.fault("Cancel", kind, 1).await;
        assert!(is_unknown(&world.refunds().refund(&second).await));
        let again = Refund { attempts: 2, ..second.clone() };
        assert!(is_unknown(&world.refunds().check(&again).await), "{kind}");
        assert!(is_unknown(&world.refunds().refund(&again).await), "{kind}");
    }
    assert_eq!(world.truth().await.3, 12_000);
    assert!(world.refunds().one_at_a_time(), "the service sends them one after the other");
}

#[tokio::test]
async fn what_t_bank_refuses_has_failed_and_an_open_payment_is_not_closed_by_a_refund() {
    let world = World::new();
    let attempt = world.paid(Method::Card).await;
    assert!(is_failed(&world.refunds().refund(&refund(&attempt, 149_001)).await));
    world.set(json!({ "card_refunds": "3002", "sbp_refunds": "3029" })).await;
    assert!(is_failed(&world.refunds().refund(&refund(&attempt, 1_000)).await));
    let sbp = world.paid(Method::Sbp).await;
    assert!(is_failed(&world.refunds().refund(&refund(&sbp, 1_000)).await));
    let open = world.open(Method::Card).await;
    assert!(is_definite(&world.refunds().refund(&refund(&open, 1_000)).await));
    assert_eq!(world.check(&open).await, Observation::Waiting, "it can still be paid");
    world.fault("Cancel", "code_204_before", 1).await;
    let denied = world.refunds().refund(&refund(&attempt, 1_000)).await;
    assert!(matches!(denied, Err(ProviderError::Denied(_))), "{denied:?}");
}

#[tokio::test]
async fn its_records_are_read_one_by_one() {
    let world = World::new();
    let books = world.tbank.books().expect("books");
    assert!(!books.has_list());
    assert_eq!(books.records(now(), now()).await, Ok(Some(Vec::new())));
    let (card, sbp, open) =
        (world.paid(Method::Card).await, world.paid(Method::Sbp).await, world.open(Method::Card).await);
    world.refunds().refund(&refund(&card, 149_000)).await.expect("an answer");
    world.set(json!({ "sbp_refunds": "now" })).await;
    let record = async |attempt: &Attempt| {
        books.record(attempt.reference.as_deref().expect("a payment")).await.expect("an answer")
    };
    let sums = |record: till_providers::Record| {
        (record.attempt, record.taken.atoms, record.returned.map(|sum| sum.atoms))
    };
    assert_eq!(record(&card).await.map(sums), Some((Some(card.id), 149_000, Some(149_000))));
    assert_eq!(record(&sbp).await.map(sums), Some((Some(sbp.id), 149_000, Some(0))));
    world.refunds().refund(&refund(&sbp, 1_000)).await.expect("an answer");
    assert_eq!(record(&sbp).await.map(sums), Some((Some(sbp.id), 149_000, None)), "it does not say how much");
    assert_eq!(record(&open).await, None);
    assert_eq!(books.record("1").await, Ok(None), "it is not T-Bank's");
    assert_eq!(books.record("../1").await, Ok(None));
    world.fault("GetState", "500_before", 1).await;
    assert!(books.record("1").await.is_err());
}
