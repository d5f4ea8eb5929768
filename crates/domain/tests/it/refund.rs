//! Refunds: how much can be refunded, from which account, and the meaning of a provider's answer about one.

use crate::{
    fiscal_refund,
    fixture::{Shop, after, event_id, shown},
};
use std::time::Duration;
use till_domain::{
    chain::TxHash,
    change::{Change, Guard},
    decision::Wallet,
    fiscal::{FiscalReceipt, ReceiptStatus},
    id::{ActionId, EntryId, ReceiptId, RefundId, TransactionId},
    ledger::{Entry, Fee, Settlement, Terms},
    method::Method,
    money::{Currency, Money},
    receipt::{Receipt, ReceiptKind, ReceiptLink},
    refund::{
        self, Origin, Payment, Refund, RefundDecision, RefundFacts, RefundSeen, RefundState, RefundStep,
        RequestFacts, SilenceAction, TotalVersion,
    },
    request::RefundRequest,
    session::{Session, State},
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Transaction},
};

/// Transactions that the operator names.
const HASH: TxHash = TxHash::from_bytes([0xab; 32]);
const OTHER_HASH: TxHash = TxHash::from_bytes([0xcd; 32]);

fn rub(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("RUB").expect("a currency") }
}

/// A paid session of 49.90, and the state that a refund of it depends on.
struct RefundCase {
    shop: Shop,
    session: Session,
    money: Transaction,
    accepted: i64,
    fee: i64,
    terms: Terms,
    pending: Option<Settlement>,
    available: i64,
    taken_back: i64,
    refunds: Vec<Refund>,
    receipt: Option<Receipt>,
    /// The action about a provider that leaves the refund open.
    silence: Option<SilenceAction>,
}

impl RefundCase {
    fn new() -> Self {
        let shop = Shop::live();
        let shop = Shop { rules: shop.rules.with_refunds(vec!["bank"]), vendor: shop.vendor };
        let session = Session { state: State::Paid, ..shop.session("{}") };
        let money = Transaction {
            id: TransactionId::from_bytes([7; 16]),
            session: session.id,
            vendor: session.vendor,
            attempt: None,
            method: Method::Card,
            provider: "bank".to_owned(),
            reference: "pay-1".to_owned(),
            amount: rub(4_990),
            received: rub(4_990).into(),
            marks: Marks::default(),
            at: after(0),
        };
        Self {
            shop,
            session,
            money,
            accepted: 0,
            fee: 0,
            terms: Terms::default(),
            pending: None,
            available: 4_990,
            taken_back: 0,
            refunds: Vec::new(),
            receipt: None,
            silence: None,
        }
    }

    /// A case whose payment has this fee, returned by a refund or not; the rest is available.
    fn with_fee(fee: i64, returned: bool) -> Self {
        let mut case = Self::new();
        let millionths = 0;
        let terms = Fee { method: Method::Card, currency: None, millionths, fixed: 0, returned };
        case.terms.fees.push(terms);
        Self { fee, available: 4_990 - fee, ..case }
    }

    /// The available money is pending instead.
    fn pending(mut self) -> Self {
        let (vendor, session) = (self.session.vendor, Some(self.session.id));
        let (entry, amount) = (EntryId::from_bytes([9; 16]), rub(self.available));
        self.pending = Some(Settlement { entry, vendor, session, amount, due_at: after(60_000) });
        self.available = 0;
        self
    }

    fn payment(&self) -> Payment<'_> {
        let pending = self.pending.as_ref();
        let (accepted, taken_back) = (self.accepted, self.taken_back);
        Payment { money: &self.money, accepted, fee: self.fee, pending, taken_back }
    }

    fn left(&self) -> Money {
        self.payment().left(&self.refunds)
    }

    fn ask(&self, amount: &str) -> Result<(Refund, Vec<Change>), String> {
        let number = u8::try_from(self.refunds.len()).expect("few") + 1;
        let situation = RequestFacts {
            rules: &self.shop.rules,
            session: &self.session,
            payment: Some(self.payment()),
            refunds: &self.refunds,
            terms: &self.terms,
            wallet: Some(Wallet { version: 3, available: rub(self.available) }),
            fiscal: None,
            fiscal_settings: &self.shop.vendor.settings.fiscal,
            by: "api",
            now: after(1_000),
            id: RefundId::from_bytes([number; 16]),
        };
        let request = RefundRequest::typed(amount, "a reason");
        refund::request(&request, &situation).map_err(|rejection| shown(&rejection))
    }

    /// Refunds this amount, and returns the change of each account: pending, available, fees.
    fn take(&mut self, amount: &str) -> [i64; 3] {
        let (refund, changes) = self.ask(amount).unwrap_or_else(|code| panic!("{amount}: {code}"));
        let taken = ["pending", "available", "fees"].map(|name| on(&changes, name));
        if taken[0] != 0 {
            let left = |change: &Change| match change {
                Change::ScheduleSettlement(left) => Some(left.clone()),
                _ => None,
            };
            self.pending = changes.iter().find_map(left);
        }
        self.available += taken[1];
        self.refunds.push(refund);
        taken
    }

    fn see(&self, index: usize, seen: RefundSeen) -> RefundDecision {
        self.see_at(index, seen, after(3_000))
    }

    fn see_at(&self, index: usize, seen: RefundSeen, now: Timestamp) -> RefundDecision {
        let (claimed, _) = refund::claim(&self.refunds[index], after(2_000), Duration::from_secs(15));
        self.stage(&claimed, now, |scene| refund::observe(scene, seen))
    }

    fn give_up(&self, index: usize, reason: &str) -> Option<RefundDecision> {
        self.stage(&self.refunds[index], after(3_000), |scene| refund::give_up(scene, reason))
    }

    fn confirm(&self, index: usize) -> Option<RefundDecision> {
        self.stage(&self.refunds[index], after(3_000), refund::confirm)
    }

    fn stage<T>(&self, refund: &Refund, now: Timestamp, decide: impl FnOnce(&RefundFacts<'_>) -> T) -> T {
        let action = Action {
            id: ActionId::from_bytes([5; 16]),
            kind: ActionKind::Late,
            session: Some(self.session.id),
            vendor: Some(self.session.vendor),
            transaction: Some(self.money.id),
            finding: None,
            at: after(0),
        };
        decide(&RefundFacts {
            refund,
            refunds: &self.refunds,
            session: &self.session,
            settings: &self.shop.vendor.settings,
            action: Some(&action),
            silence_action: self.silence,
            pending: self.pending.as_ref(),
            version: TotalVersion::Wallet(4),
            receipt: self.receipt.as_ref(),
            returns_other_lines: false,
            rules: &self.shop.rules,
            now,
            event_id: event_id(),
            link: ReceiptLink::new([4; 16]),
        })
    }
}

fn entry(changes: &[Change]) -> Option<&Entry> {
    changes
        .iter()
        .find_map(|change| if let Change::PostEntry(entry) = change { Some(&**entry) } else { None })
}

/// The sum by which changes move an account.
fn on(changes: &[Change], account: &str) -> i64 {
    let account = till_domain::ledger::Account::parse(account).expect("an account");
    entry(changes).map_or(0, |entry| entry.amount_on(&account).minor)
}

fn body(changes: &[Change]) -> Option<serde_json::Value> {
    changes.iter().find_map(|change| match change {
        Change::QueueCallback(event) => Some(serde_json::from_slice(&event.body).expect("JSON")),
        _ => None,
    })
}

#[test]
fn a_refund_is_at_most_what_is_left_and_written_like_a_price() {
    let mut case = RefundCase::new();
    for (amount, expected) in [
        ("49.91", "amount_too_large: amount amount_too_large"),
        ("0", "invalid_request: amount not_positive"),
        ("-1", "invalid_request: amount invalid_number"),
        ("1.001", "invalid_request: amount too_many_decimals"),
    ] {
        assert_eq!(case.ask(amount).map(drop), Err(expected.to_owned()), "{amount}");
    }
    assert_eq!(case.take("10.00"), [0, -1_000, 0]);
    assert_eq!(case.left(), rub(3_990));
    assert_eq!(case.ask("39.91").map(drop), Err("amount_too_large: amount amount_too_large".to_owned()));
    assert_eq!(case.take(""), [0, -3_990, 0], "without an amount, the rest");
    assert_eq!(case.ask("").map(drop), Err("nothing_to_refund".to_owned()));
    assert_eq!(case.refunds.iter().map(|refund| refund.number).collect::<Vec<_>>(), [1, 2]);
    case.refunds[0].state = RefundState::Failed("no".to_owned());
    case.available = 1_000;
    assert_eq!(case.take(""), [0, -1_000, 0], "what failed can be refunded again");
    assert_eq!(case.refunds[2].number, 3);
}

#[test]
fn only_what_was_paid_by_somebody_who_can_send_it_back() {
    let mut case = RefundCase::new();
    case.money.provider = "another".to_owned();
    assert_eq!(case.ask("1").map(drop), Err("refund_not_supported".to_owned()));
    for state in [State::Pending, State::Expired] {
        case.session.state = state;
        assert_eq!(case.ask("1").map(drop), Err("session_not_paid".to_owned()), "{state:?}");
    }
}

#[test]
fn the_fee_comes_back_in_parts_that_sum_up_to_it_exactly() {
    let mut case = RefundCase::with_fee(125, true);
    assert_eq!(case.take("0.20"), [0, -19, -1], "0.501 of the fee");
    assert_eq!(case.take("0.20"), [0, -20, 0], "1.002 in all");
    assert_eq!(case.take("24.55"), [0, -2_393, -62], "62.5 in all, and a half is up");
    assert_eq!(case.take(""), [0, -2_433, -62]);
    assert_eq!((case.available, case.refunds.iter().map(Refund::fee).sum::<i64>()), (0, 125));
    let mut case = RefundCase::with_fee(125, true);
    assert_eq!(case.take(""), [0, -4_865, -125]);
}

#[test]
fn a_fee_that_is_kept_is_the_vendors_to_pay() {
    let mut case = RefundCase::with_fee(125, false);
    assert_eq!(case.ask("").map(drop), Err("insufficient_balance".to_owned()));
    assert_eq!(case.take("48.65"), [0, -4_865, 0]);
    assert_eq!(case.available, 0);
}

#[test]
fn what_is_pending_is_taken_first_and_the_rest_of_it_settles_in_time() {
    let mut case = RefundCase::with_fee(125, false).pending();
    let (refund, changes) = case.ask("10.00").expect("it is covered");
    let guards: Vec<_> = changes.iter().filter_map(Change::guard).collect();
    assert_eq!(guards.len(), 3, "the wallet, what was pending, and the number: {guards:?}");
    let Some(Change::ScheduleSettlement(left)) = changes.last() else { panic!("{changes:?}") };
    assert_eq!((left.entry, left.amount, left.due_at), (refund.id.into(), rub(3_865), after(60_000)));
    assert_eq!(case.take("10.00"), [-1_000, 0, 0]);
    assert_eq!(case.ask("").map(drop), Err("insufficient_balance".to_owned()), "the fee is not pending");
    case.available = 125;
    assert_eq!(case.take(""), [-3_865, -125, 0]);
    assert_eq!(case.pending, None, "nothing is left to settle");
}

#[test]
fn what_was_sent_is_gone_and_reported_and_what_failed_is_back() {
    let mut case = RefundCase::with_fee(125, true);
    case.take("20");
    case.take("10");
    assert_eq!(refund::next_step(&case.refunds[0]), RefundStep::Send);
    let sent = case.see(0, RefundSeen::Succeeded { reference: "re-1".to_owned() });
    assert_eq!((on(&sent.changes, "refunds"), on(&sent.changes, "clearing:bank")), (-2_000, 2_000));
    assert_eq!((&sent.refund.state, sent.refund.check_at), (&RefundState::Succeeded, None));
    let told = body(&sent.changes).expect("an event");
    for (field, expected) in [
        ("event", "refund.succeeded"),
        ("status", "paid"),
        ("refundStatus", "succeeded"),
        ("refundAmount", "20.00"),
        ("refundedTotal", "20.00"),
        ("price", "49.90"),
        ("orderId", "A-1"),
    ] {
        assert_eq!(told[field], expected, "{field}");
    }
    assert!(told.get("refundFailureReason").is_none() && told.get("failureReason").is_none());
    case.refunds[0] = sent.refund;
    let failed = case.see(1, RefundSeen::Failed { reason: "the card is\nclosed".to_owned() });
    let moved = ["refunds", "available", "fees"].map(|account| on(&failed.changes, account));
    assert_eq!(moved, [-1_000, 975, 25]);
    let told = body(&failed.changes).expect("an event");
    assert_eq!(
        (&told["event"], &told["refundFailureReason"], &told["refundedTotal"]),
        (&"refund.failed".into(), &"the card is closed".into(), &"20.00".into())
    );
}

#[test]
fn an_accepted_refund_keeps_the_provider_s_reference_and_is_asked_about() {
    let mut case = RefundCase::new();
    case.take("10");
    let accepted = case.see(0, RefundSeen::Accepted { reference: "r-1".to_owned() }).refund;
    assert_eq!(accepted.reference.as_deref(), Some("r-1"));
    assert!(!accepted.state.is_final() && accepted.check_at.is_some());
    case.refunds[0] = accepted;
    let pending = case.see(0, RefundSeen::Pending).refund;
    assert_eq!(pending.reference.as_deref(), Some("r-1"), "it stays");
}

#[test]
fn a_refund_waits_for_an_earlier_one_of_the_same_payment_alone() {
    let mut case = RefundCase::new();
    case.take("10");
    case.take("5");
    let (first, second) = (case.refunds[0].clone(), case.refunds[1].clone());
    assert!(second.follows(&first) && !first.follows(&second) && !first.follows(&first));
    let ended = Refund { state: RefundState::Succeeded, ..first.clone() };
    assert!(!second.follows(&ended), "it has ended");
    let Change::MoveRefund { refund, was } = refund::wait(&second, after(1_000)) else { panic!("a move") };
    assert_eq!((refund.attempts, refund.state.clone(), was), (second.attempts, second.state, second.version));
    assert!(refund.check_at > Some(after(1_000)) && refund.version == was + 1);
}

#[test]
fn who_says_nothing_new_is_asked_less_and_less_often() {
    let mut case = RefundCase::new();
    case.take("10");
    let mut pauses = Vec::new();
    for _ in 0..14 {
        let seen = case.see(0, RefundSeen::Pending);
        assert_eq!(seen.changes.len(), 1, "nothing but the refund");
        let pause = seen.refund.check_at.expect("it is asked again").since(after(3_000)).as_secs();
        pauses.push(pause);
        case.refunds[0] = seen.refund;
    }
    assert_eq!(refund::next_step(&case.refunds[0]), RefundStep::Check, "it may have been sent");
    let Some(Change::MoveRefund { refund: hastened, was }) = refund::hasten(&case.refunds[0], after(4_000))
    else {
        panic!("it is asked much later");
    };
    assert_eq!((hastened.check_at, hastened.version), (Some(after(4_000)), was + 1));
    assert!(refund::hasten(&hastened, after(4_000)).is_none(), "it is due already");
    assert!(pauses.is_sorted() && pauses[0] == 2 && pauses[13] == 3_600, "{pauses:?}");
}

#[test]
fn money_that_was_never_the_vendors_is_reported_to_no_one_and_waits_again_if_it_cannot_go() {
    let mut case = RefundCase::new();
    case.take("10");
    case.refunds[0].origin = Origin::Suspense { action: ActionId::from_bytes([5; 16]) };
    assert_eq!(case.left(), rub(4_990), "it is not of what was paid");
    let sent = case.see(0, RefundSeen::Succeeded { reference: "re-1".to_owned() });
    assert_eq!((body(&sent.changes), on(&sent.changes, "clearing:bank")), (None, 1_000));
    let failed = case.see(0, RefundSeen::Failed { reason: "no".to_owned() });
    assert_eq!((on(&failed.changes, "suspense"), on(&failed.changes, "available")), (1_000, 0));
    let again = failed.changes.iter().any(|change| matches!(change, Change::NeedAction(_)));
    assert!(again && body(&failed.changes).is_none(), "{:?}", failed.changes);
}

#[test]
fn whoever_has_a_receipt_of_the_payment_gets_one_of_the_refund_when_the_money_is_gone() {
    let receipts = |changes: &[Change]| -> Vec<Receipt> {
        let of = |change: &Change| match change {
            Change::QueueReceipt(receipt) => Some((**receipt).clone()),
            _ => None,
        };
        changes.iter().filter_map(of).collect()
    };
    let mut case = RefundCase::new();
    case.take("10.00");
    let succeeded = RefundSeen::Succeeded { reference: "ref-1".to_owned() };
    assert_eq!(receipts(&case.see(0, succeeded.clone()).changes), [], "a payment of before receipts");
    let paid = Receipt {
        id: ReceiptId::from_bytes([7; 16]),
        session: case.session.id,
        vendor: case.session.vendor,
        kind: ReceiptKind::Paid,
        link: ReceiptLink::new([3; 16]),
        amount: rub(4_990),
        email: Some("ann@mail.example".to_owned()),
        language: Some("ru".to_owned()),
        at: after(0),
    };
    case.receipt = Some(paid.clone());
    let failed = RefundSeen::Failed { reason: "no".to_owned() };
    assert_eq!(receipts(&case.see(0, failed).changes), []);
    assert_eq!(receipts(&case.see(0, RefundSeen::Pending).changes), []);
    let own = Receipt {
        id: ReceiptId::from_bytes([1; 16]),
        kind: ReceiptKind::Refunded,
        link: ReceiptLink::new([4; 16]),
        amount: rub(1_000),
        at: after(3_000),
        ..paid
    };
    assert_eq!(receipts(&case.see(0, succeeded).changes), [own]);
}

#[test]
fn i8_what_was_taken_back_cannot_be_refunded_too() {
    let mut case = RefundCase::new();
    case.taken_back = 3_000;
    case.take("10");
    assert_eq!(case.left(), rub(990));
    assert_eq!(case.ask("9.91").map(drop), Err("amount_too_large: amount amount_too_large".to_owned()));
    assert_eq!(case.take(""), [0, -990, 0]);
    assert_eq!(case.ask("").map(drop), Err("nothing_to_refund".to_owned()));
    // Now more has been taken back than was left, because some was refunded before.
    case.taken_back = 4_990;
    assert_eq!(case.left(), rub(0));
}

/// A refund that the operator has to send: it waits for the operator's report, and is not checked before
/// that.
fn by_hand(case: &mut RefundCase) -> Refund {
    case.take("10");
    let seen = case.see(0, RefundSeen::Manual { what: "10.00 USDC (Ethereum)".to_owned() });
    assert_eq!(seen.changes.len(), 1, "nothing but the refund");
    case.refunds[0] = seen.refund.clone();
    seen.refund
}

#[test]
fn a_person_sends_what_no_provider_can_and_their_word_is_checked() {
    let mut case = RefundCase::new();
    let waits = by_hand(&mut case);
    let hand = waits.manual.clone().expect("a person has to send it");
    assert_eq!((&waits.state, waits.state.status()), (&RefundState::Manual, "pending"));
    assert_eq!((hand.what.as_str(), hand.note, hand.sent_at), ("10.00 USDC (Ethereum)", None, None));
    assert_eq!((waits.check_at, waits.reference.clone()), (None, None), "nobody is asked");
    assert!(refund::hasten(&waits, after(9_000)).is_none());
    assert!(waits.counts(), "its money is not there to be refunded again");
    let (sent, _) = refund::sent(&waits, HASH, after(9_000)).expect("it waits for this");
    assert_eq!((&sent.state, &sent.reference), (&RefundState::Sent, &Some(HASH.to_string())));
    assert_eq!((sent.check_at, sent.version), (Some(after(9_000)), waits.version + 1));
    assert_eq!(refund::next_step(&sent), RefundStep::Check);
    assert!(refund::sent(&sent, OTHER_HASH, after(9_500)).is_none(), "one word at a time");
    case.refunds[0] = sent;
    let confirming = case.see(0, RefundSeen::Pending).refund;
    assert_eq!(confirming.reference, Some(HASH.to_string()));
    let gone = case.see(0, RefundSeen::Succeeded { reference: HASH.to_string() });
    assert_eq!((on(&gone.changes, "refunds"), on(&gone.changes, "clearing:bank")), (-1_000, 1_000));
    assert_eq!(body(&gone.changes).expect("an event")["event"], "refund.succeeded");
    assert!(refund::sent(&gone.refund, OTHER_HASH, after(9_500)).is_none(), "it is over");
}

#[test]
fn what_was_not_it_is_free_again_and_the_operator_is_told_why() {
    let mut case = RefundCase::new();
    let waits = by_hand(&mut case);
    case.refunds[0] = refund::sent(&waits, HASH, after(9_000)).expect("it waits for this").0;
    let wrong = case.see(0, RefundSeen::NotThis { reason: "it\nfailed".to_owned() });
    assert_eq!(wrong.changes.len(), 1, "no money moves and nobody is told");
    let again = wrong.refund;
    assert_eq!((&again.state, &again.reference, again.check_at), (&RefundState::Manual, &None, None));
    let hand = again.manual.clone().expect("a person has to send it");
    assert_eq!((hand.note.as_deref(), hand.sent_at), (Some("it failed"), None));
    assert_eq!(hand.what, "10.00 USDC (Ethereum)");
    let (sent, _) = refund::sent(&again, OTHER_HASH, after(20_000)).expect("it waits for another");
    assert_eq!(sent.manual.expect("by hand").note, None);
}

#[test]
fn what_was_sent_by_hand_is_asked_about_by_its_own_age() {
    let mut case = RefundCase::new();
    let waits = Refund { attempts: 40, ..by_hand(&mut case) };
    for (sent_at, pause) in [(3_000, 2), (-37_000, 10), (-4_000_000, 120)] {
        case.refunds[0] = refund::sent(&waits, HASH, after(sent_at)).expect("it waits for this").0;
        let next = case.see(0, RefundSeen::Pending).refund.check_at.expect("it is asked again");
        assert_eq!(next.since(after(3_000)).as_secs(), pause, "{sent_at}");
    }
}

#[test]
fn who_gives_up_has_the_money_where_it_came_from() {
    let mut case = RefundCase::new();
    by_hand(&mut case);
    let failed = case.give_up(0, "no address").expect("it waits for a word");
    assert_eq!(failed.refund.state, RefundState::Failed("no address".to_owned()));
    assert_eq!((on(&failed.changes, "refunds"), on(&failed.changes, "available")), (-1_000, 1_000));
    let told = body(&failed.changes).expect("an event");
    assert_eq!(
        (&told["event"], &told["refundFailureReason"]),
        (&"refund.failed".into(), &"no address".into())
    );
    case.refunds[0].origin = Origin::Suspense { action: ActionId::from_bytes([5; 16]) };
    let failed = case.give_up(0, "no address").expect("it waits for a word");
    assert_eq!(on(&failed.changes, "suspense"), 1_000, "somebody decides again");
    case.refunds[0] = refund::sent(&case.refunds[0], HASH, after(9_000)).expect("it waits").0;
    let failed = case.give_up(0, "it was never sent").expect("also while it is checked").refund;
    assert_eq!(
        (failed.state.clone(), failed.check_at),
        (RefundState::Failed("it was never sent".to_owned()), None)
    );
    case.refunds[0] = Refund { manual: None, state: RefundState::Sent, ..failed.clone() };
    assert!(case.give_up(0, "no").is_none(), "a provider sends it");
    case.refunds[0] = failed;
    assert!(case.give_up(0, "no").is_none(), "it has ended");
}

/// A refund that was sent to its provider, which has not said anything about it.
fn sent_to_provider(case: &mut RefundCase) {
    case.take("10.00");
    let claimed = refund::claim(&case.refunds[0], after(2_000), Duration::from_secs(15)).0;
    case.refunds[0] = Refund { silent_since: Some(after(2_000)), ..claimed };
}

#[test]
fn an_operator_decides_about_a_refund_that_its_provider_has_left_open_for_long() {
    let mut case = RefundCase::new();
    sent_to_provider(&mut case);
    assert!(case.confirm(0).is_none() && case.give_up(0, "no").is_none(), "its provider is asked");
    let action = ActionId::from_bytes([6; 16]);
    for open in [true, false] {
        case.silence = Some(SilenceAction { action, open });
        let made = case.confirm(0).expect("it is in doubt");
        assert_eq!(made.refund.state, RefundState::Succeeded);
        assert_eq!(made.refund.reference, Some(made.refund.id.to_string()), "T-Bank has no other name of it");
        assert_eq!((on(&made.changes, "refunds"), on(&made.changes, "available")), (-1_000, 0));
        assert_eq!(body(&made.changes).expect("an event")["event"], "refund.succeeded");
        let failed = case.give_up(0, "not in the account").expect("it is in doubt");
        assert_eq!((on(&failed.changes, "refunds"), on(&failed.changes, "available")), (-1_000, 1_000));
        for changes in [&made.changes, &failed.changes] {
            let resolved =
                |change: &Change| matches!(change, Change::ResolveAction { id, .. } if *id == action);
            assert_eq!(changes.iter().any(resolved), open, "its action is settled with it");
        }
        case.refunds[0] = made.refund;
        assert!(case.confirm(0).is_none() && case.give_up(0, "no").is_none(), "it has ended");
        sent_again(&mut case);
        let silent = case.refunds[0].clone();
        case.refunds[0].silent_since = None;
        assert!(
            case.confirm(0).is_none() && case.give_up(0, "no").is_none(),
            "the provider has answered since"
        );
        case.refunds[0] = silent;
    }
}

/// The same refund, before it ended.
fn sent_again(case: &mut RefundCase) {
    let was = case.refunds[0].clone();
    let silent_since = Some(after(2_000));
    case.refunds[0] = Refund { state: RefundState::Sent, reference: None, moved: None, silent_since, ..was };
}

#[test]
fn a_refund_that_is_under_way_for_a_week_is_reported_once() {
    const WEEK: i64 = 7 * 24 * 3_600_000;
    let mut case = RefundCase::new();
    sent_to_provider(&mut case);
    let accepted = || RefundSeen::Accepted { reference: "re-1".to_owned() };
    let action = |changes: &[Change]| {
        changes.iter().find_map(|change| match change {
            Change::NeedAction(action) => Some(action.finding.as_ref().expect("a finding").note.clone()),
            _ => None,
        })
    };
    for seen in [RefundSeen::Pending, accepted()] {
        let soon = case.see_at(0, seen.clone(), after(1_000 + WEEK - 1));
        assert_eq!(action(&soon.changes), None);
        let note = action(&case.see_at(0, seen.clone(), after(1_000 + WEEK)).changes).expect("an action");
        assert!(
            note.contains("bank has not finished refund") && note.contains("till refund confirm"),
            "{note}"
        );
        case.silence = Some(SilenceAction { action: ActionId::from_bytes([6; 16]), open: true });
        assert_eq!(action(&case.see_at(0, seen, after(2 * WEEK)).changes), None, "once");
        case.silence = None;
    }
}

#[test]
fn the_hash_of_a_transaction_is_read_as_people_type_it() {
    let (digits, upper) = ("ab".repeat(32), "AB".repeat(32));
    let hash = format!("0x{digits}");
    for typed in [hash.clone(), format!(" {hash}\n"), format!("0x{upper}"), format!("0X{upper}")] {
        assert_eq!(refund::read_transaction(&typed), Some(HASH), "{typed}");
    }
    let wrong = [String::new(), digits.clone(), format!("0x{}", &digits[1..]), format!("{hash}0")];
    for typed in wrong.into_iter().chain([format!("0x{}", "xy".repeat(32)), "0x".to_owned()]) {
        assert_eq!(refund::read_transaction(&typed), None, "{typed}");
    }
}

fn settlement(changes: &[Change]) -> Option<&Settlement> {
    changes.iter().find_map(|change| match change {
        Change::ScheduleSettlement(settlement) => Some(settlement),
        _ => None,
    })
}

#[test]
fn what_fails_before_it_would_have_settled_is_pending_again_until_then() {
    let failed = || RefundSeen::Failed { reason: "no".to_owned() };
    let mut case = RefundCase::new().pending();
    assert_eq!(case.take("10.00"), [-1_000, 0, 0]);
    let back = case.see(0, failed()).changes;
    assert_eq!((on(&back, "pending"), on(&back, "available"), on(&back, "refunds")), (1_000, 0, -1_000));
    let again = settlement(&back).expect("it settles when it would have");
    assert_eq!((again.amount, again.due_at), (rub(4_990), after(60_000)), "with what was left, in one row");
    let guards: Vec<_> = back.iter().map_while(Change::guard).collect();
    assert_eq!(guards, [Guard::WalletMoved, Guard::Settled, Guard::RefundMoved]);
    let late = case.see_at(0, failed(), after(60_000)).changes;
    assert_eq!((on(&late, "pending"), on(&late, "available")), (0, 1_000), "its time has come meanwhile");
    assert!(settlement(&late).is_none());
    // The refund took all of it, so there is no scheduled settlement to join.
    let mut case = RefundCase::new().pending();
    case.take("");
    let back = case.see(0, failed()).changes;
    assert_eq!(
        settlement(&back).map(|again| (again.amount, again.due_at)),
        Some((rub(4_990), after(60_000)))
    );
    assert!(!back.iter().any(|change| change.guard() == Some(Guard::Settled)));
}

#[test]
fn who_gives_up_what_was_pending_has_it_pending_again() {
    let mut case = RefundCase::new().pending();
    by_hand(&mut case);
    let back = case.give_up(0, "no address").expect("it waits for a word").changes;
    assert_eq!((on(&back, "pending"), on(&back, "available"), on(&back, "refunds")), (1_000, 0, -1_000));
    let again = settlement(&back).expect("it settles when it would have");
    assert_eq!((again.amount, again.due_at), (rub(4_990), after(60_000)));
}

#[test]
fn what_else_came_with_a_payment_and_is_the_vendors_can_be_refunded_too() {
    let mut case = RefundCase::with_fee(90, true);
    (case.accepted, case.available) = (1_010, 4_990 - 90 + 1_010);
    assert_eq!(case.left(), rub(6_000));
    assert_eq!(case.ask("60.01").map(drop), Err("amount_too_large: amount amount_too_large".to_owned()));
    assert_eq!(case.take("30.00"), [0, -2_955, -45], "the fee's share is that of all of it");
    assert_eq!(case.take(""), [0, -2_955, -45]);
    assert_eq!((case.left(), case.available), (rub(0), 0));
}

#[test]
fn i8_what_was_taken_back_is_of_all_that_came_and_its_part_of_the_fee_stays() {
    let mut case = RefundCase::with_fee(90, true);
    (case.accepted, case.available, case.taken_back) = (1_010, 4_990 - 90 + 1_010, 2_000);
    assert_eq!(case.left(), rub(4_000));
    assert_eq!(case.take(""), [0, -3_940, -60]);
    assert_eq!(case.left(), rub(0));
}

#[test]
fn the_fiscal_receipt_of_a_refund_is_played_as_that_of_the_payment() {
    let (refund, _) = RefundCase::new().ask("49.90").expect("a refund");
    for plan in [ReceiptStatus::Registered, ReceiptStatus::Pending, ReceiptStatus::Failed] {
        let paid = FiscalReceipt { plan, total: rub(4_990), ..fiscal_refund::paid() };
        let change = refund::receipt_of_held(&refund, Some(&paid));
        let Some(Change::InsertFiscalReceipt(made)) = change else { panic!("a receipt: {change:?}") };
        assert_eq!((made.plan, made.status), (plan, ReceiptStatus::None));
    }
}
