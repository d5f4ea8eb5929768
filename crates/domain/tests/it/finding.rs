//! Findings at a provider (disputes, returned refunds, differences): the allowed decisions, the amount, and
//! where its money is booked.

use till_domain::{
    attempt::Quantity,
    change::{Change, Guard},
    finding::{self, Dispute, DisputeState, Finding},
    id::{AttemptId, EventId, SessionId, TransactionId, VendorId},
    ledger::Account,
    method::Method,
    money::{Currency, Money},
    time::Timestamp,
    transaction::{Action, Marks, Resolution, Transaction},
};

pub(crate) fn money(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("USD").expect("a currency") }
}

pub(crate) fn payment() -> Transaction {
    Transaction {
        id: TransactionId::from_bytes([1; 16]),
        session: SessionId::from_bytes([2; 16]),
        vendor: VendorId::from_bytes([3; 16]),
        attempt: Some(AttemptId::from_bytes([4; 16])),
        method: Method::Card,
        provider: "stripe".to_owned(),
        reference: "pi_1".to_owned(),
        amount: money(4_990),
        received: money(4_990).into(),
        marks: Marks::default(),
        at: Timestamp::from_ms(1),
    }
}

fn event() -> EventId {
    EventId::from_bytes([5; 16])
}

fn disputed(amount: Option<Money>) -> Action {
    let found = Finding::new("stripe:du_1", "fraudulent", amount);
    let changes = finding::disputed(found, &payment(), Timestamp::from_ms(2), event());
    let [change @ Change::NeedAction(action)] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(change.guard(), Some(Guard::Found), "it is entered once");
    action.as_ref().clone()
}

#[test]
fn what_can_be_decided_depends_on_what_is_known() {
    let known = disputed(Some(money(100)));
    assert_eq!(known.choices(), [Resolution::Dismiss, Resolution::Charge, Resolution::Absorb]);
    assert_eq!(disputed(None).choices(), [Resolution::Dismiss], "nobody knows how much");
    let found = Finding::new("stripe:pi_1:not_here", "nothing here", None);
    let changes = finding::differs(found, None, Timestamp::from_ms(2), event());
    let Some(Change::NeedAction(action)) = changes.first() else { panic!("{changes:?}") };
    assert_eq!((action.choices(), action.session), (&[Resolution::Dismiss][..], None));
}

#[test]
fn a_dispute_is_left_to_an_operator_once_and_again_when_it_comes_to_more() {
    use DisputeState::{Lost, NeedsResponse, Open, Withdrawn, Won};
    use Resolution::{Absorb, Charge, Dismiss};
    let subject = |state: DisputeState, decided: Option<Resolution>| {
        let dispute = Dispute {
            id: "du_1".to_owned(),
            payment: Some("pi_1".to_owned()),
            amount: money(4_990).into(),
            reason: "fraudulent".to_owned(),
            state,
            status: format!("{state:?}").to_lowercase(),
            answer_by: Some(Timestamp::from_ms(3)),
        };
        let changes = finding::enter_dispute(&dispute, &payment(), decided, Timestamp::from_ms(2), event())?;
        let [Change::NeedAction(action)] = &changes[..] else { panic!("{changes:?}") };
        let found = action.finding.clone().expect("a finding");
        assert_eq!(
            found.note.contains("respond by"),
            matches!(state, Open | NeedsResponse),
            "{}",
            found.note
        );
        Some((action.kind.as_str(), found.subject))
    };
    let entered = |kind: &'static str, subject: &str| Some((kind, subject.to_owned()));
    for (state, decided, expected) in [
        (Open, None, entered("disputed", "stripe:du_1")),
        (NeedsResponse, None, entered("disputed", "stripe:du_1")),
        (Lost, None, entered("disputed", "stripe:du_1")),
        (Won, None, None),
        (Withdrawn, None, None),
        (Open, Some(Dismiss), entered("disputed", "stripe:du_1")),
        (NeedsResponse, Some(Dismiss), entered("disputed", "stripe:du_1:needsresponse")),
        (Lost, Some(Dismiss), entered("disputed", "stripe:du_1:lost")),
        (Won, Some(Dismiss), None),
        (Won, Some(Charge), entered("difference", "stripe:du_1:won")),
        (Won, Some(Absorb), entered("difference", "stripe:du_1:won")),
        (Withdrawn, Some(Absorb), None),
        (Lost, Some(Charge), entered("disputed", "stripe:du_1")),
    ] {
        assert_eq!(subject(state, decided), expected, "{state:?} after {decided:?}");
    }
}

#[test]
fn a_providers_words_are_one_line_and_cut() {
    let found = Finding::new(&"s".repeat(999), &format!("a\nb\u{0}{}", "ж".repeat(999)), None);
    assert_eq!((found.subject.chars().count(), found.note.chars().count()), (255, 500));
    assert!(found.note.starts_with("a b ж"), "{}", found.note);
}

#[test]
fn a_demand_is_worth_no_more_than_was_paid() {
    let worth = |atoms: u128, unit: &str, decimals: u8| {
        finding::worth(&Quantity { atoms, decimals, unit: unit.to_owned() }, &payment())
    };
    assert_eq!(worth(4_990, "USD", 2), Some(money(4_990)));
    assert_eq!(worth(100, "USD", 2), Some(money(100)));
    assert_eq!(worth(u128::MAX, "USD", 2), Some(money(4_990)));
    assert_eq!(worth(0, "USD", 2), None);
    assert_eq!(worth(100, "EUR", 2), None);
    assert_eq!(worth(100, "USD", 3), None);
}

#[test]
fn who_bears_a_dispute_pays_what_the_provider_has_no_longer() {
    let action = disputed(Some(money(4_000)));
    let bear = |action: &Action, how| {
        let event = EventId::from_bytes([6; 16]);
        finding::bear(action, &payment(), how, Timestamp::from_ms(3), event)
    };
    for (how, account) in [(Resolution::Charge, Account::Available), (Resolution::Absorb, Account::Losses)] {
        let borne = bear(&action, how).expect("it moves money");
        assert_eq!(borne.entry.amount_on(&account), money(-4_000));
        let mut suspense = 0;
        let mut clearing = 0;
        for change in &borne.changes {
            assert_eq!(change.guard(), None);
            if let Change::PostEntry(entry) = change {
                suspense += entry.amount_on(&Account::Suspense).minor;
                clearing += entry.amount_on(&Account::Clearing("stripe".to_owned())).minor;
            }
        }
        assert_eq!((suspense, clearing), (0, 4_000));
        let taken = borne.changes.iter().find_map(|change| match change {
            Change::RecordTransaction(money) => Some(money),
            _ => None,
        });
        let taken = taken.expect("a movement");
        assert_eq!(
            (taken.moved(), taken.attempt),
            (money(-4_000), payment().attempt),
            "it is not refunded too"
        );
    }
    assert!(bear(&action, Resolution::Dismiss).is_none() && bear(&action, Resolution::Refund).is_none());
    assert!(bear(&disputed(None), Resolution::Charge).is_none());
}
