//! The service's own list of payments and refunds, as it is compared with ours.

use super::*;
use till_providers::{Books as _, Record};

#[tokio::test]
async fn the_books_have_all_that_was_taken_and_nothing_else() {
    let world = World::new();
    let from = now();
    let mut sold = Vec::new();
    for number in 0..105 {
        let attempt = world.open(Method::Sbp).await;
        if number % 7 != 0 {
            world.pay(&attempt).await;
            sold.push(attempt);
        }
    }
    let held = world.open(Method::Card).await;
    world.pay(&held).await;
    let back = refund(&sold[0], 5_000);
    world.shop.refunds().expect("refunds").refund(&back).await.expect("it goes back");
    let to = now().plus(Duration::from_secs(1));
    let mut records = world.shop.records(from, to).await.expect("the books").expect("not too many");
    records.sort_by_key(|record| record.attempt);
    assert_eq!(records.len(), sold.len());
    for (record, attempt) in records.iter().zip(&sold) {
        assert_eq!((Some(attempt.id), attempt.reference.as_ref()), (record.attempt, Some(&record.payment)));
        assert_eq!(record.taken, attempt.charge);
        assert_eq!(
            record.returned.as_ref().map(|sum| sum.atoms),
            Some(if attempt.id == sold[0].id { 5_000 } else { 0 })
        );
        assert!(from <= record.at && record.at < to);
    }
    let sums = |of: fn(&Record) -> u128| records.iter().map(of).sum::<u128>();
    let (_, _, taken, returned) = world.truth().await;
    assert_eq!(sums(|record| record.taken.atoms), u128::try_from(taken).expect("a sum"));
    assert_eq!(
        sums(|record| record.returned.as_ref().map_or(0, |sum| sum.atoms)),
        u128::try_from(returned).expect("a sum")
    );
    assert_eq!(world.shop.records(to, to.plus(Duration::from_secs(9))).await, Ok(Some(Vec::new())));
    world.fault("payments", "500_before", 1).await;
    assert!(is_unknown(&world.shop.records(from, to).await));
}

#[tokio::test]
async fn a_payment_is_found_in_the_books_by_its_name() {
    let world = World::new();
    let (paid, open) = (world.open(Method::Sbp).await, world.open(Method::Sbp).await);
    world.pay(&paid).await;
    let name = |attempt: &Attempt| attempt.reference.clone().expect("a reference");
    let found = world.shop.record(&name(&paid)).await.expect("an answer").expect("a record");
    assert_eq!((found.attempt, &found.taken), (Some(paid.id), &paid.charge));
    assert_eq!(world.shop.record(&name(&open)).await, Ok(None), "nothing was taken");
    let nobody = "22e12f66-000f-5000-8000-18db351245c7";
    assert_eq!(world.shop.record(nobody).await, Ok(None));
    world.fault("any", "500_before", 1).await;
    assert!(is_unknown(&world.shop.record(&name(&paid)).await));
}
