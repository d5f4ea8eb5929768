//! The warning to a customer that an order was paid before.

use crate::fixture::{Shop, after, minutes};
use till_domain::{
    id::{SessionId, VendorId},
    rejection::Rejection,
    session::{self, FailureReason, Session, State},
};

const DAY: i64 = minutes(24 * 60);

fn paid(different: &str) -> Session {
    let id = SessionId::parse("01963f2a-7b1c-7def-8123-000000000001").expect("an id");
    Session { id, state: State::Paid, updated_at: after(1_000), ..Shop::live().session(different) }
}

#[test]
fn t21_only_the_same_order_amount_and_currency_is_a_repeated_payment() {
    let new = Shop::live().session(r#"{"price":"10"}"#);
    for (different, repeats) in [
        (r#"{"price":"10"}"#, true),
        (r#"{"price":"10.00"}"#, true),
        (r#"{"price":"10.01"}"#, false),
        (r#"{"price":"10","currency":"EUR"}"#, false),
        (r#"{"price":"10","order_id":"A-2"}"#, false),
    ] {
        assert_eq!(session::repeats(&new, &paid(different), after(2_000)), repeats, "{different}");
    }
    let same = paid(r#"{"price":"10"}"#);
    for (other, what) in [
        (Session { id: new.id, ..same.clone() }, "itself"),
        (Session { vendor: VendorId::from_bytes([9; 16]), ..same.clone() }, "another vendor's"),
        (Session { state: State::Pending, ..same.clone() }, "pending"),
        (Session { state: State::Failed(FailureReason::CardDeclined), ..same.clone() }, "failed"),
        (Session { state: State::Expired, ..same }, "expired"),
    ] {
        assert!(!session::repeats(&new, &other, after(2_000)), "{what}");
    }
}

#[test]
fn t21_a_payment_counts_for_30_days() {
    let (new, paid) = (Shop::live().session("{}"), paid("{}"));
    assert!(session::repeats(&new, &paid, after(1_000 + 30 * DAY)));
    assert!(!session::repeats(&new, &paid, after(1_001 + 30 * DAY)));
}

#[test]
fn only_a_pending_session_is_confirmed_to_be_paid_again() {
    let new = Shop::live().session("{}");
    assert_eq!(session::confirm_repeat(&new, after(0)).expect("it is pending").len(), 1);
    let refused = session::confirm_repeat(&paid("{}"), after(0)).expect_err("it is final");
    assert_eq!(refused, Rejection::SessionNotPending);
}
