//! Refunds: sent once for each id, never more than was paid.

use super::*;
use till_domain::refund::RefundSeen;
use till_providers::Refunds;

impl World {
    async fn sold(&self, method: Method) -> Attempt {
        let attempt = self.open(method).await;
        self.pay(&attempt).await;
        assert_eq!(self.check(&attempt).await, paid(&attempt));
        attempt
    }

    fn refunds(&self) -> &dyn Refunds {
        self.shop.refunds().expect("it sends money back")
    }

    /// Sends a refund as the worker does: it checks first whether the refund may have been sent.
    async fn put(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        match self.refunds().check(refund).await? {
            RefundSeen::Unheard => self.refunds().refund(refund).await,
            seen => Ok(seen),
        }
    }

    async fn refund_ids(&self) -> Vec<String> {
        let truth = self.look("truth").await;
        let all = truth["refunds"].as_array().expect("refunds").iter();
        all.map(|refund| refund["id"].as_str().expect("an id").to_owned()).collect()
    }
}

fn succeeded(seen: &Result<RefundSeen, ProviderError>) -> bool {
    matches!(seen, Ok(RefundSeen::Succeeded { .. }))
}

#[tokio::test]
async fn a_payment_goes_back_in_parts_and_never_more_than_it_was() {
    let world = World::new();
    let sold = world.sold(Method::Card).await;
    let (first, rest) = (refund(&sold, 49_000), refund(&sold, 100_000));
    assert_eq!(world.refunds().check(&first).await, Ok(RefundSeen::Unheard));
    let seen = world.refunds().refund(&first).await;
    assert!(succeeded(&seen), "{seen:?}");
    assert_eq!(world.refunds().refund(&first).await, seen, "once");
    assert_eq!(world.refunds().check(&first).await, seen);
    assert_eq!(world.truth().await.3, 49_000);
    assert!(succeeded(&world.refunds().refund(&rest).await));
    let more = world.refunds().refund(&refund(&sold, 1)).await;
    assert!(matches!(&more, Err(ProviderError::Definite(text)) if text.contains("left")), "{more:?}");
    assert_eq!(world.truth().await, (1, 0, 149_000, 149_000));
    assert_eq!(world.check(&sold).await, paid(&sold), "what was paid was paid");
}

#[tokio::test]
async fn a_slow_refund_is_pending_until_it_is_there_or_refused() {
    let world = World::new();
    let sold = world.sold(Method::Sbp).await;
    world.does("settings", json!({ "refunds": "pending" })).await;
    let (good, bad) = (refund(&sold, 100), refund(&sold, 200));
    assert_eq!(world.refunds().refund(&good).await, Ok(RefundSeen::Pending));
    assert_eq!(world.refunds().refund(&bad).await, Ok(RefundSeen::Pending));
    assert_eq!(world.refunds().check(&good).await, Ok(RefundSeen::Pending));
    let ids = world.refund_ids().await;
    world.does("refund", json!({ "refund": ids[0], "status": "succeeded" })).await;
    let end = json!({ "refund": ids[1], "status": "canceled", "reason": "insufficient_funds" });
    world.does("refund", end).await;
    assert!(succeeded(&world.refunds().check(&good).await));
    let failed = world.refunds().check(&bad).await;
    assert!(
        matches!(&failed, Ok(RefundSeen::Failed { reason }) if reason.contains("does not cover the refund")),
        "{failed:?}"
    );
    assert_eq!(world.truth().await.3, 100);
    world.does("settings", json!({ "refunds": "canceled", "refund_reason": "rejected_by_payee" })).await;
    let refused = world.refunds().refund(&refund(&sold, 300)).await;
    assert!(matches!(refused, Ok(RefundSeen::Failed { .. })), "{refused:?}");
}

#[tokio::test]
async fn f16_a_refund_that_was_not_answered_happens_once() {
    let world = World::new();
    let kinds = [
        ("timeout_before", false),
        ("timeout_after", true),
        ("500_before", false),
        ("500_after", true),
        ("malformed_after", true),
        ("types", true),
        ("429_before", false),
        ("401_before", false),
        ("403_before", false),
        ("hang_up_after", true),
    ];
    let sold = world.sold(Method::Card).await;
    for (kind, acted) in kinds {
        let before = world.truth().await.3;
        let refund = refund(&sold, 1_000);
        world.fault("refund_create", kind, 1).await;
        assert!(is_unknown(&world.refunds().refund(&refund).await), "{kind}");
        assert_eq!(world.truth().await.3 - before, if acted { 1_000 } else { 0 }, "{kind}");
        world.fault("refunds", "500_before", 1).await;
        assert!(is_unknown(&world.put(&refund).await), "{kind}: who cannot look does not send");
        assert!(succeeded(&world.put(&refund).await), "{kind}");
        assert_eq!(world.truth().await.3 - before, 1_000, "{kind}");
    }
}

#[tokio::test]
async fn a_refund_is_found_when_its_key_is_long_forgotten() {
    let world = World::new();
    let sold = world.sold(Method::Card).await;
    let refund = refund(&sold, 1_000);
    world.fault("refund_create", "timeout_after", 1).await;
    assert!(is_unknown(&world.refunds().refund(&refund).await));
    world.does("advance", json!({ "seconds": 30 * 3_600 })).await;
    assert!(succeeded(&world.put(&refund).await));
    assert_eq!(world.truth().await.3, 1_000, "not twice");
}

#[tokio::test]
async fn of_refunds_that_are_too_much_together_only_as_many_as_fit_are_made() {
    let world = World::new();
    let sold = world.sold(Method::Card).await;
    let wanted: Vec<Refund> = (0..10).map(|_| refund(&sold, 40_000)).collect();
    // Each is requested three times at once.
    let asked = wanted.iter().chain(&wanted).chain(&wanted).map(|refund| world.refunds().refund(refund));
    let seen = futures_util::future::join_all(asked).await;
    let made =
        |seen: &[Result<RefundSeen, ProviderError>]| seen.iter().filter(|seen| succeeded(seen)).count();
    assert_eq!((made(&seen[..10]), made(&seen[10..20]), made(&seen[20..])), (3, 3, 3));
    for (index, one) in seen.iter().enumerate() {
        assert!(succeeded(one) || is_definite(one), "{one:?}");
        assert_eq!(succeeded(one), succeeded(&seen[index % 10]), "all three say the same");
    }
    assert_eq!(world.truth().await.3, 120_000);
}

#[tokio::test]
async fn what_was_never_paid_does_not_go_back() {
    let world = World::new();
    let open = world.open(Method::Card).await;
    assert!(is_definite(&world.refunds().refund(&refund(&open, 100)).await));
    world.pay(&open).await;
    assert!(is_definite(&world.refunds().refund(&refund(&open, 100)).await), "it is only held");
    let elsewhere = Refund { payment: "../payments".to_owned(), ..refund(&open, 100) };
    assert!(is_definite(&world.refunds().refund(&elsewhere).await));
    let unknown = Refund { payment: "23d93cac-000f-5000-8000-126628f15141".to_owned(), ..refund(&open, 100) };
    assert!(is_definite(&world.refunds().refund(&unknown).await));
    let said = world.refunds().check(&unknown).await;
    assert!(is_unknown(&said), "a payment of another shop may have been refunded there: {said:?}");
    assert_eq!(world.refunds().check(&refund(&open, 100)).await, Ok(RefundSeen::Unheard));
}
