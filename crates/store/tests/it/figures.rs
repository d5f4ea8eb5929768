//! Statistics of session outcomes, before and after a worker has added them up.

use crate::fixture::{Backend, Kind, Shop, commit, event_id, minutes, on_both_engines, start, vendor_id};
use std::{collections::BTreeMap, time::Duration};
use till_domain::{
    session::{FailureReason, Outcome},
    vendor::Vendor,
};
use till_store::{Figure, Payments, Span};

/// Ends a session one second after this minute.
async fn end(payments: &Payments, vendor: u64, number: u64, minute: u64, outcome: Outcome) {
    let mut shop = Shop::live();
    shop.vendor = Vendor { id: vendor_id(vendor), ..shop.vendor };
    let session = shop.store(payments, number, start().plus(minutes(minute))).await;
    commit(payments, &shop.finish(&session, outcome, number).1).await;
}

/// The sums of a vendor's figures by outcome.
async fn sums(payments: &Payments, vendor: u64, span: Span) -> BTreeMap<String, (i64, i64)> {
    add_up(payments.figures(vendor_id(vendor), span).await.expect("figures"))
}

fn add_up(figures: Vec<Figure>) -> BTreeMap<String, (i64, i64)> {
    let mut sums = BTreeMap::<_, (i64, i64)>::new();
    for figure in figures {
        let reason = figure.outcome.reason().map(|reason| reason.as_str());
        let words = format!(
            "{} {} {} {}",
            figure.status().as_str(),
            figure.method,
            figure.currency.code(),
            reason.unwrap_or("-")
        );
        let sum = sums.entry(words).or_default();
        *sum = (sum.0 + figure.count, sum.1 + figure.minor);
    }
    sums
}

fn told(lines: &[(&str, i64, i64)]) -> BTreeMap<String, (i64, i64)> {
    lines.iter().map(|(words, count, minor)| ((*words).to_owned(), (*count, *minor))).collect()
}

async fn figures_are_the_same_before_and_after_they_are_added_up(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    let declined = Outcome::Failed(FailureReason::CardDeclined);
    end(live, 1, 1, 0, Outcome::Paid).await;
    end(live, 1, 2, 20, Outcome::Paid).await;
    end(live, 1, 3, 20, declined).await;
    end(live, 2, 4, 20, Outcome::Paid).await;
    end(live, 1, 5, 40, Outcome::Expired).await;
    let all = told(&[
        ("paid card RUB -", 2, 9_980),
        ("failed card RUB card_declined", 1, 4_990),
        ("expired card RUB -", 1, 4_990),
    ]);
    let early = Span { since: None, until: Some(start().plus(minutes(15))) };
    let late = Span { since: Some(start().plus(minutes(30))), until: None };
    let check = async || {
        assert_eq!(sums(live, 1, Span::default()).await, all);
        assert_eq!(sums(live, 1, early).await, told(&[("paid card RUB -", 1, 4_990)]));
        assert_eq!(sums(live, 1, late).await, told(&[("expired card RUB -", 1, 4_990)]));
        assert_eq!(sums(live, 2, Span::default()).await, told(&[("paid card RUB -", 1, 4_990)]));
        let total = add_up(live.total_figures(Span::default()).await.expect("figures"));
        assert_eq!(total["paid card RUB -"], (3, 14_970), "of both vendors");
        assert_eq!(total.len(), 3);
        let total = add_up(live.total_figures(early).await.expect("figures"));
        assert_eq!(total, told(&[("paid card RUB -", 1, 4_990)]));
    };
    check().await;
    assert!(!live.count_events().await.expect("a pass"), "there is not that much");
    check().await;
    assert_eq!(count(&backend).await, 0, "a minute has to pass");
    backend.later(Duration::from_secs(61));
    assert!(!live.count_events().await.expect("a pass"), "there is not that much");
    check().await;
    assert_eq!(count(&backend).await, 5, "one line for each kind in each quarter of an hour");
    live.count_events().await.expect("a second pass adds nothing");
    check().await;
    end(live, 1, 6, 41, Outcome::Expired).await;
    backend.later(Duration::from_secs(61));
    assert_eq!(sums(live, 1, late).await, told(&[("expired card RUB -", 2, 9_980)]));
    let other = backend.again().await;
    let (one, two) = tokio::join!(live.count_events(), other.live.count_events());
    one.and(two).expect("two who count at once");
    assert_eq!(sums(live, 1, late).await, told(&[("expired card RUB -", 2, 9_980)]));
    let total = add_up(live.total_figures(late).await.expect("figures"));
    assert_eq!(total, told(&[("expired card RUB -", 2, 9_980)]));
    assert_eq!(count(&backend).await, 5);
}

/// The number of rows of figures.
async fn count(backend: &Backend) -> usize {
    backend.shell("live").await.rows("figures").await.len()
}

on_both_engines!(figures_are_the_same_before_and_after_they_are_added_up);

#[tokio::test]
async fn an_event_that_cannot_be_read_is_in_no_figure() {
    let backend = Backend::new(Kind::Embedded).await;
    end(&backend.stores.live, 1, 1, 0, Outcome::Paid).await;
    end(&backend.stores.live, 1, 2, 0, Outcome::Paid).await;
    let shell = backend.file_shell("live.db");
    shell.execute_batch("DROP TRIGGER callbacks_frozen").expect("a shell may do anything");
    let broken = shell.execute("UPDATE callbacks SET body = x'7b' WHERE id = ?1", [event_id(1).as_bytes()]);
    assert_eq!(broken.expect("an update"), 1);
    let one = told(&[("paid card RUB -", 1, 4_990)]);
    assert_eq!(sums(&backend.stores.live, 1, Span::default()).await, one);
    backend.later(Duration::from_secs(61));
    backend.stores.live.count_events().await.expect("a pass");
    assert_eq!(sums(&backend.stores.live, 1, Span::default()).await, one);
}
