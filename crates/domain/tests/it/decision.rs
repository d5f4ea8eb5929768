//! Decisions of an operator: the money that moves, and what stands in the way.

use crate::finding::{money, payment};
use till_domain::{
    change::Change,
    decision::{DecisionFacts, Obstacle, Wallet, decide},
    finding::{self, Finding},
    id::{EntryId, EventId, RefundId, TransactionId},
    ledger::{self, Account, Entry},
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Resolution, Transaction},
};

/// Late money of a session, its transaction and the entry that holds it in suspense.
struct Late {
    action: Action,
    transactions: Vec<Transaction>,
    held: Entry,
}

impl Late {
    fn new() -> Self {
        let money = Transaction { marks: Marks { late: true, ..Marks::default() }, ..payment() };
        let held = ledger::held(&money, money.amount, EntryId::from_bytes([6; 16]));
        let action = Action {
            id: EventId::from_bytes([5; 16]).into(),
            kind: ActionKind::Late,
            session: Some(money.session),
            vendor: Some(money.vendor),
            transaction: Some(money.id),
            finding: None,
            at: money.at,
        };
        Self { action, transactions: vec![money], held }
    }

    fn facts(&self, resolution: Resolution) -> DecisionFacts<'_> {
        DecisionFacts {
            action: &self.action,
            resolution,
            by: "operator",
            held: Some(&self.held),
            transactions: &self.transactions,
            refunds: &[],
            fiscal: None,
            wallet: Some(Wallet { version: 7, available: money(100) }),
            sent_by_provider: true,
            now: Timestamp::from_ms(9),
            event: EventId::from_bytes([8; 16]),
            refund: RefundId::from_bytes([9; 16]),
        }
    }
}

/// The amount that the entries of a decision post to an account.
fn posted(changes: &[Change], account: &Account) -> i64 {
    let entries = changes.iter().filter_map(|change| match change {
        Change::PostEntry(entry) => Some(entry.amount_on(account).minor),
        _ => None,
    });
    entries.sum()
}

fn refunds(changes: &[Change]) -> usize {
    changes.iter().filter(|change| matches!(change, Change::InsertRefund(_))).count()
}

#[test]
fn late_money_goes_to_the_vendor_or_back() {
    let late = Late::new();
    let accepted = decide(&late.facts(Resolution::Accept)).expect("accepted");
    assert!(matches!(&accepted[..], [Change::ResolveAction { .. }, Change::PostEntry(_)]), "{accepted:?}");
    assert_eq!((posted(&accepted, &Account::Available), refunds(&accepted)), (4_990, 0));

    let back = decide(&late.facts(Resolution::Refund)).expect("refunded");
    assert_eq!((posted(&back, &Account::Refunds), refunds(&back)), (4_990, 1), "the provider sends it");

    let by_operator = DecisionFacts { sent_by_provider: false, ..late.facts(Resolution::Refund) };
    let sent = decide(&by_operator).expect("refunded");
    let clearing = posted(&sent, &Account::Clearing("stripe".to_owned()));
    assert_eq!((posted(&sent, &Account::Refunds), clearing, refunds(&sent)), (0, 4_990, 0));
    for changes in [accepted, back, sent] {
        assert_eq!(posted(&changes, &Account::Suspense), -4_990, "it leaves suspense");
        assert!(
            changes.is_sorted_by_key(|change| change.guard().is_none()),
            "guards come first: {changes:?}"
        );
    }
}

#[test]
fn money_that_was_taken_back_cannot_be_sent_back() {
    let mut late = Late::new();
    let id = TransactionId::from_bytes([10; 16]);
    let marks = Marks { reversed: true, ..Marks::default() };
    late.transactions.push(Transaction { id, marks, ..payment() });
    assert_eq!(decide(&late.facts(Resolution::Refund)).err(), Some(Obstacle::Gone));
    assert!(decide(&late.facts(Resolution::Accept)).is_ok());
}

#[test]
fn a_resolution_has_to_fit_the_action() {
    let late = Late::new();
    for wrong in [Resolution::Charge, Resolution::Absorb, Resolution::Dismiss] {
        assert_eq!(decide(&late.facts(wrong)).err(), Some(Obstacle::Unfit), "{wrong:?}");
    }
}

#[test]
fn where_no_ledger_is_kept_only_the_action_is_resolved() {
    let late = Late::new();
    let facts = DecisionFacts { held: None, wallet: None, ..late.facts(Resolution::Accept) };
    let changes = decide(&facts).expect("accepted");
    assert!(matches!(&changes[..], [Change::ResolveAction { .. }]), "{changes:?}");
}

#[test]
fn a_vendor_is_charged_for_a_dispute_only_what_it_has() {
    let found = Finding::new("stripe:du_1", "fraudulent", Some(money(4_990)));
    let entered = finding::disputed(found, &payment(), Timestamp::from_ms(2), EventId::from_bytes([5; 16]));
    let [Change::NeedAction(action)] = &entered[..] else { panic!("{entered:?}") };
    let late = Late { action: action.as_ref().clone(), transactions: vec![payment()], ..Late::new() };
    let facts = |resolution, available| DecisionFacts {
        held: None,
        wallet: Some(Wallet { version: 7, available: money(available) }),
        ..late.facts(resolution)
    };
    let short = Obstacle::NotCovered { needed: money(4_990), available: money(4_989) };
    assert_eq!(decide(&facts(Resolution::Charge, 4_989)).err(), Some(short));
    let charged = decide(&facts(Resolution::Charge, 4_990)).expect("charged");
    assert!(matches!(charged[1], Change::TakeFromWallet { was: 7, .. }), "{charged:?}");
    assert_eq!(posted(&charged, &Account::Available), -4_990);
    let absorbed = decide(&facts(Resolution::Absorb, 0)).expect("absorbed");
    assert_eq!((posted(&absorbed, &Account::Available), posted(&absorbed, &Account::Losses)), (0, -4_990));
    let dismissed = decide(&facts(Resolution::Dismiss, 0)).expect("dismissed");
    assert!(matches!(&dismissed[..], [Change::ResolveAction { .. }]), "{dismissed:?}");
}
