//! The simulated bank over time: what it says, what can be decided, and that nothing is decided twice.

use crate::doubles::MemoryBank;
use futures_util::FutureExt as _;
use std::sync::Arc;
use till_domain::{
    attempt::{Attempt, AttemptState, Instructions, Observation, Quantity, Started},
    finding::DisputeState,
    id::{AttemptId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    refund::{Origin, Refund, RefundSeen, RefundState},
    session::FailureReason,
    time::Timestamp,
};
use till_providers::{
    Bank, BankDecision, BankPayment, Behaviour, Book, Notice, NoticeSubject, Order, Provider, ProviderError,
    RefundEntry, Simulator,
};

/// The bank's reference of a payment.
fn reference(id: AttemptId) -> String {
    format!("sim_{id}")
}

struct Scene {
    pages: Arc<MemoryBank>,
    bank: Arc<Bank>,
    simulator: Simulator,
    attempt: Attempt,
}

const KEY: [u8; 32] = [7; 32];

impl Scene {
    fn new(method: Method) -> Self {
        Self::with(method, None)
    }

    /// A sandbox scene if there is a choice, else a live one.
    fn with(method: Method, choice: Option<&str>) -> Self {
        let pages = Arc::new(MemoryBank::default());
        let book: Arc<dyn Book> = Arc::clone(&pages) as _;
        let bank = Arc::new(Bank::new(book, "https://pay.example/bank".to_owned(), KEY));
        let simulator = match choice {
            None => Simulator::live(Arc::clone(&bank)),
            Some(_) => Simulator::sandbox(Arc::clone(&bank)),
        };
        Self { pages, bank, simulator, attempt: attempt(method, choice) }
    }

    fn later(&self, ms: i64) {
        self.pages.later(ms);
    }

    fn start(&self) -> Result<Started, ProviderError> {
        let order = Order {
            attempt: &self.attempt,
            amount: price(),
            item: "Atlas",
            back: "https://x.example",
            deadline: Timestamp::from_ms(i64::MAX),
        };
        self.simulator.start(&order).now_or_never().expect("at once")
    }

    fn check(&self) -> Observation {
        self.simulator.check(&self.attempt).now_or_never().expect("at once").expect("an answer")
    }

    fn close(&self) -> Observation {
        self.simulator.close(&self.attempt).now_or_never().expect("at once").expect("an answer")
    }

    /// Makes a decision; true if it was possible.
    fn decide(&self, decision: BankDecision) -> bool {
        let decided = self.bank.decide(self.attempt.id, decision).now_or_never().expect("at once");
        decided.expect("an answer").is_some()
    }

    fn entry(&self) -> BankPayment {
        self.pages.get(self.attempt.id).expect("a payment")
    }
}

fn price() -> Money {
    Money { minor: 4_990, currency: Currency::parse("RUB").expect("a currency") }
}

fn attempt(method: Method, choice: Option<&str>) -> Attempt {
    let now = Timestamp::from_ms(0);
    Attempt {
        id: AttemptId::new(now, &[1; 10]),
        session: SessionId::new(now, &[2; 10]),
        vendor: VendorId::new(now, &[3; 10]),
        method,
        provider: "simulator".to_owned(),
        choice: choice.map(str::to_owned),
        email: None,
        language: None,
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: price().into(),
        received: 0,
        recorded: 0,
        confirmations: None,
        in_flight_since: None,
        started_at: now,
        updated_at: now,
        check_at: None,
        checks: 0,
        version: 1,
    }
}

fn coins(atoms: u128) -> Quantity {
    Quantity { atoms, decimals: 6, unit: "USDC".to_owned() }
}

fn paid(scene: &Scene, received: Quantity) -> Observation {
    Observation::Paid { received, reference: reference(scene.attempt.id) }
}

/// Milliseconds after a decision, and the expected answer.
type Said = (i64, fn(&Scene) -> Observation);

/// The answer after each decision: at once, and at these milliseconds after it.
#[test]
fn what_the_bank_says_follows_from_the_decision_and_the_time() {
    use BankDecision as D;
    use FailureReason as F;
    let no = Observation::Declined;
    let money = |scene: &Scene| paid(scene, price().into());
    for method in [Method::Card, Method::Sbp] {
        let cases: Vec<(D, Vec<Said>)> = vec![
            (D::Approve, vec![(0, |s| paid(s, price().into())), (999_999, |s| paid(s, price().into()))]),
            (
                D::ApproveSlowly,
                vec![
                    (0, |_| Observation::InFlight),
                    (11_999, |_| Observation::InFlight),
                    (12_000, |s| paid(s, price().into())),
                ],
            ),
            (D::Decline, vec![(0, |_| Observation::Declined(F::CardDeclined))]),
            (D::InsufficientFunds, vec![(0, |_| Observation::Declined(F::InsufficientFunds))]),
            (D::CardExpired, vec![(0, |_| Observation::Declined(F::CardExpired))]),
            (D::Cancel, vec![(0, |_| Observation::Declined(F::CanceledByCustomer))]),
            (
                D::ThreeDs,
                vec![
                    (0, |_| Observation::InFlight),
                    (299_999, |_| Observation::InFlight),
                    (300_000, |_| Observation::Declined(F::ThreeDsFailed)),
                ],
            ),
        ];
        for (decision, words) in cases {
            for (ms, expected) in words {
                let scene = Scene::new(method);
                scene.start().expect("it starts");
                assert_eq!(scene.check(), Observation::Waiting);
                let offered = scene.bank.decisions(&scene.entry()).contains(&decision);
                assert_eq!(scene.decide(decision), offered, "{decision:?} by {method}");
                if offered {
                    scene.later(ms);
                    assert_eq!(scene.check(), expected(&scene), "{decision:?} by {method} after {ms}");
                }
            }
        }
    }
    for (answer, expected) in [(D::Confirm, None), (D::Refuse, Some(no(F::ThreeDsFailed)))] {
        let scene = Scene::new(Method::Card);
        scene.start().expect("it starts");
        assert!(!scene.decide(answer), "nobody has asked");
        assert!(scene.decide(D::ThreeDs) && !scene.decide(D::Approve), "the bank asks first");
        scene.later(299_999);
        assert!(scene.decide(answer));
        assert_eq!(scene.check(), expected.unwrap_or_else(|| money(&scene)));
    }
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    assert!(scene.decide(D::ThreeDs));
    scene.later(300_000);
    assert!(!scene.decide(D::Confirm), "too late");
}

#[test]
fn a_transfer_is_confirmed_block_after_block() {
    for (decision, atoms) in [
        (BankDecision::PayExact, 550_000),
        (BankDecision::PayShort, 495_000),
        (BankDecision::PayOver, 605_000),
    ] {
        let scene = Scene::new(Method::Crypto);
        let started = scene.start().expect("it starts");
        assert_eq!(started.charge, coins(550_000), "49.90 roubles at 91.93 a coin");
        assert!(scene.decide(decision));
        for seen in 0..6 {
            assert_eq!(scene.check(), Observation::Confirming { seen, needed: 6, received: coins(atoms) });
            scene.later(2_000);
        }
        let expected = match decision {
            BankDecision::PayShort => Observation::Partial { received: coins(atoms) },
            _ => paid(&scene, coins(atoms)),
        };
        assert_eq!(scene.check(), expected);
        let more = scene.bank.decisions(&scene.entry());
        assert_eq!(more.is_empty(), decision != BankDecision::PayShort, "what is missing can still be sent");
    }
}

#[test]
fn a_payment_is_opened_once_and_shown_the_same_again() {
    for method in Method::ALL {
        let scene = Scene::new(method);
        let first = scene.start().expect("it starts");
        assert!(scene.decide(if method == Method::Crypto {
            BankDecision::PayExact
        } else {
            BankDecision::Approve
        }));
        scene.later(19_000);
        assert_eq!(scene.start().expect("it starts"), first, "{method}");
        assert!(matches!(scene.check(), Observation::Paid { .. }), "nothing is undone");
        let page = format!("https://pay.example/bank/{}", scene.attempt.id);
        match (method, first.instructions) {
            (Method::Card, Instructions::Redirect { url }) => assert_eq!(url, page),
            (Method::Sbp, Instructions::Qr { app_url, .. }) => assert_eq!(app_url, page),
            (Method::Crypto, Instructions::Address { address, uri, wallet_url, rate, network }) => {
                // No wallet can pay any of this: no chain, no contract, no address.
                assert_eq!((&uri, &wallet_url), (&page, &page));
                assert!(address.starts_with("SIMULATED-NOT-AN-ADDRESS-"), "{address}");
                assert_eq!((network.as_str(), rate.as_deref()), ("Simulated network", Some("91.93")));
            }
            (method, shown) => panic!("{method}: {shown:?}"),
        }
        assert_eq!(first.reference, reference(scene.attempt.id));
    }
}

#[test]
fn what_a_tester_chose_is_decided_from_the_start() {
    for (choice, expected) in [
        ("paid", None),
        ("declined", Some(Observation::Declined(FailureReason::CardDeclined))),
        ("insufficient_funds", Some(Observation::Declined(FailureReason::InsufficientFunds))),
        ("three_ds", Some(Observation::InFlight)),
        ("expire", Some(Observation::TimedOut)),
    ] {
        let scene = Scene::with(Method::Card, Some(choice));
        let started = scene.start().expect("it starts");
        let asked = choice == "three_ds";
        assert_eq!(
            matches!(started.instructions, Instructions::Redirect { .. }),
            asked,
            "only the bank's question needs a page"
        );
        assert_eq!(scene.check(), expected.unwrap_or_else(|| paid(&scene, price().into())), "{choice}");
        let offered = scene.simulator.choices(Method::Card, price().currency);
        assert!(offered.iter().any(|offered| offered.value == choice));
    }
    let wrong = Scene::with(Method::Card, Some("bribe"));
    assert!(matches!(wrong.start(), Err(ProviderError::Definite(_))), "nothing was charged");
    assert_eq!(wrong.check(), Observation::NeverStarted);
}

#[test]
fn p12_closing_tells_what_is_there_or_calls_it_off() {
    use BankDecision as D;
    // A payment that is undecided or in progress is called off and takes no money any more.
    for (method, decision) in [
        (Method::Card, None),
        (Method::Sbp, None),
        (Method::Card, Some(D::ThreeDs)),
        (Method::Sbp, Some(D::ApproveSlowly)),
    ] {
        let scene = Scene::new(method);
        scene.start().expect("it starts");
        assert!(decision.is_none_or(|decision| scene.decide(decision)));
        assert_eq!(scene.close(), Observation::Closed);
        scene.later(400_000);
        assert_eq!((scene.check(), scene.close()), (Observation::Closed, Observation::Closed));
        assert_eq!(scene.bank.decisions(&scene.entry()), []);
        for decision in D::ALL {
            assert!(!scene.decide(decision), "{decision:?} after it was closed");
        }
        scene.start().expect("again");
        assert_eq!(scene.check(), Observation::Closed, "starting it again opens nothing");
    }
    // Money that was taken stays taken.
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    assert!(scene.decide(D::Approve));
    assert_eq!((scene.close(), scene.entry().closed_at), (paid(&scene, price().into()), None));
    // A payment on a chain cannot be closed.
    let scene = Scene::new(Method::Crypto);
    scene.start().expect("it starts");
    assert_eq!(scene.close(), Observation::CannotBeClosed);
    assert!(scene.decide(D::PayExact));
    assert!(matches!(scene.close(), Observation::Confirming { .. }));
    // A payment that was never started is reported as such.
    assert_eq!(Scene::new(Method::Card).close(), Observation::NeverStarted);
}

#[test]
fn money_can_come_after_the_session_has_expired() {
    use BankDecision as D;
    for method in [Method::Card, Method::Sbp] {
        let scene = Scene::new(method);
        scene.start().expect("it starts");
        assert!(!scene.decide(D::ApproveLate), "the session has not expired yet");
        assert!(scene.decide(D::Expire));
        assert_eq!(scene.check(), Observation::TimedOut);
        assert_eq!(scene.bank.decisions(&scene.entry()), [D::ApproveLate]);
        assert!(scene.decide(D::ApproveLate));
        assert_eq!(scene.check(), paid(&scene, price().into()));
    }
}

#[test]
fn a_customer_disputes_a_payment_once_it_is_made() {
    use BankDecision as D;
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    let disputes = scene.simulator.disputes().expect("disputes");
    let of =
        |payment: &str| disputes.disputes_of(payment).now_or_never().expect("at once").expect("an answer");
    let payment = reference(scene.attempt.id);
    assert!(!scene.decide(D::Dispute), "nothing is paid yet");
    assert!(scene.decide(D::Approve));
    assert_eq!(of(&payment), []);
    let noticed = scene.bank.decide(scene.attempt.id, D::Dispute).now_or_never().expect("at once");
    let notice = noticed.expect("an answer").expect("a notice");
    let read = Notice { signature: Some(&notice.signature), body: &notice.body };
    let Some(NoticeSubject::Dispute { dispute, payment: about }) = scene.simulator.read_notice(&read) else {
        panic!("a notice of a dispute");
    };
    assert_eq!(about.as_deref(), Some(payment.as_str()));
    let known = disputes.dispute(&dispute).now_or_never().expect("at once").expect("a dispute");
    assert_eq!((known.state, known.amount.clone()), (DisputeState::NeedsResponse, price().into()));
    assert_eq!(of(&payment), [known]);
    assert_eq!(scene.check(), paid(&scene, price().into()), "the money is here until the dispute is lost");
    assert_eq!(scene.bank.decisions(&scene.entry()), [], "there is one dispute of a payment");
    let unknown = disputes.dispute("simd_1").now_or_never().expect("at once");
    assert!(matches!(unknown, Err(ProviderError::Definite(_))));
}

#[test]
fn a_bank_can_refuse_the_refunds_of_a_payment() {
    let scene = Scene::new(Method::Sbp);
    scene.start().expect("it starts");
    assert!(scene.decide(BankDecision::Approve) && scene.decide(BankDecision::RefuseRefunds));
    assert_eq!(scene.check(), paid(&scene, price().into()));
    let refund = refund(&scene, 1, 100, "");
    let seen = scene.simulator.refunds().expect("refunds").refund(&refund).now_or_never().expect("at once");
    assert!(matches!(seen, Ok(RefundSeen::Failed { .. })), "{seen:?}");
}

#[test]
fn in_the_sandbox_nothing_happens_after_a_payment() {
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    let bank = Bank::new(Arc::clone(&scene.pages) as _, String::new(), KEY).for_sandbox();
    assert!(scene.decide(BankDecision::Approve));
    assert_eq!(bank.decisions(&scene.entry()), []);
    let refused = bank.decide(scene.attempt.id, BankDecision::Dispute).now_or_never().expect("at once");
    assert!(refused.expect("an answer").is_none());
}

#[test]
fn p12_of_closing_and_deciding_in_the_same_moment_one_happens() {
    let now = Timestamp::from_ms(0);
    // It is approved while it is being closed: the money is there, and closing says so.
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    let approved = BankPayment { decision: Some((BankDecision::Approve, now)), ..scene.entry() };
    scene.pages.meanwhile(approved);
    assert_eq!(scene.close(), paid(&scene, price().into()));
    assert_eq!(scene.entry().closed_at, None);
    // It is closed while it is being approved: there is no money, and no notice of any.
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    scene.pages.meanwhile(BankPayment { closed_at: Some(now), ..scene.entry() });
    assert!(!scene.decide(BankDecision::Approve));
    assert_eq!((scene.check(), scene.entry().decision), (Observation::Closed, None));
}

#[test]
fn p12_a_bank_that_does_not_answer_leaves_it_unknown() {
    let scene = Scene::new(Method::Card);
    scene.pages.fall_silent();
    assert!(matches!(scene.start(), Err(ProviderError::Unknown(_))));
    let asked = scene.simulator.check(&scene.attempt).now_or_never().expect("at once");
    assert!(matches!(asked, Err(ProviderError::Unknown(_))));
    let asked = scene.simulator.close(&scene.attempt).now_or_never().expect("at once");
    assert!(matches!(asked, Err(ProviderError::Unknown(_))));
}

#[test]
fn only_what_the_bank_signed_is_read() {
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    let decided = scene.bank.decide(scene.attempt.id, BankDecision::Approve).now_or_never().expect("at once");
    let notice = decided.expect("an answer").expect("a notice");
    let read =
        |signature: Option<&str>, body: &[u8]| scene.simulator.read_notice(&Notice { signature, body });
    let good = notice.signature.as_str();
    let payment =
        NoticeSubject::Payment { reference: reference(scene.attempt.id), attempt: Some(scene.attempt.id) };
    assert_eq!(read(Some(good), &notice.body), Some(payment));
    assert_eq!(read(None, &notice.body), None);
    for wrong in
        ["", "zz", &good[2..], &good.replace(|c: char| c.is_ascii_digit(), "a"), &format!("{good}00")]
    {
        assert_eq!(read(Some(wrong), &notice.body), None, "{wrong}");
    }
    for place in 0..notice.body.len() {
        let mut body = notice.body.clone();
        body[place] ^= 1;
        assert_eq!(read(Some(good), &body), None, "byte {place}");
    }
    assert_eq!(read(Some(good), &[notice.body.as_slice(), b" "].concat()), None);
    let elsewhere = Scene::new(Method::Card);
    elsewhere.start().expect("it starts");
    let other = Bank::new(Arc::clone(&elsewhere.pages) as _, String::new(), [8; 32]);
    let other = other.decide(elsewhere.attempt.id, BankDecision::Approve).now_or_never().expect("at once");
    let other = other.expect("an answer").expect("a notice");
    assert_eq!(other.body, notice.body, "it says the same");
    assert_eq!(read(Some(&other.signature), &notice.body), None, "another bank's");
}

/// A refund of this amount of a payment, for this reason.
fn refund(scene: &Scene, number: u8, minor: i64, reason: &str) -> Refund {
    Refund {
        id: RefundId::from_bytes([number; 16]),
        session: scene.attempt.session,
        vendor: scene.attempt.vendor,
        transaction: TransactionId::from_bytes([1; 16]),
        number: i64::from(number),
        method: scene.attempt.method,
        provider: "simulator".to_owned(),
        payment: reference(scene.attempt.id),
        amount: Money { minor, ..price() },
        origin: Origin::Payment { fee: 0 },
        pending: None,
        reason: Some(reason.to_owned()),
        requested_by: "api".to_owned(),
        state: RefundState::Sent,
        reference: None,
        moved: None,
        manual: None,
        attempts: 1,
        check_at: None,
        silent_since: None,
        version: 2,
        created_at: Timestamp::from_ms(0),
        updated_at: Timestamp::from_ms(0),
    }
}

/// A payment that was taken.
fn taken() -> Scene {
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    scene
        .bank
        .decide(scene.attempt.id, BankDecision::Approve)
        .now_or_never()
        .expect("at once")
        .expect("a bank");
    scene
}

fn send(scene: &Scene, refund: &Refund) -> Result<RefundSeen, ProviderError> {
    scene.simulator.refunds().expect("it can").refund(refund).now_or_never().expect("at once")
}

fn ask(scene: &Scene, refund: &Refund) -> RefundSeen {
    let asked = scene.simulator.refunds().expect("it can").check(refund).now_or_never();
    asked.expect("at once").expect("an answer")
}

/// The total that the bank has refunded.
fn sent_back(scene: &Scene) -> i64 {
    let all = scene.pages.all_refunds();
    let gone = |refund: &&RefundEntry| {
        refund.acted_at.is_some() && !matches!(refund.behaviour, Behaviour::Fail | Behaviour::TooMuch)
    };
    all.iter().filter(gone).map(|refund| refund.minor).sum()
}

fn succeeded(seen: &RefundSeen) -> bool {
    matches!(seen, RefundSeen::Succeeded { .. })
}

#[test]
fn money_goes_back_once_for_each_id_and_never_more_than_was_taken() {
    let scene = taken();
    let first = refund(&scene, 1, price().minor - 1, "too large");
    assert_eq!(ask(&scene, &first), RefundSeen::Unheard);
    for _ in 0..3 {
        assert!(succeeded(&send(&scene, &first).expect("an answer")));
    }
    assert!(succeeded(&ask(&scene, &first)));
    let second = refund(&scene, 2, 2, "too large");
    assert!(matches!(send(&scene, &second), Ok(RefundSeen::Failed { .. })));
    assert!(succeeded(&send(&scene, &refund(&scene, 3, 1, "")).expect("an answer")));
    assert_eq!(sent_back(&scene), price().minor);
}

#[test]
fn nothing_goes_back_of_what_was_not_taken() {
    let scene = Scene::new(Method::Card);
    scene.start().expect("it starts");
    assert!(matches!(send(&scene, &refund(&scene, 1, 1, "")), Ok(RefundSeen::Failed { .. })));
    let unknown = Refund { payment: "sim_x".to_owned(), ..refund(&scene, 2, 1, "") };
    assert!(matches!(send(&scene, &unknown), Err(ProviderError::Definite(_))));
}

#[test]
fn a_bank_that_fails_is_slow_or_silent_still_sends_once() {
    let scene = taken();
    let failing = refund(&scene, 1, 10, "simulate fail");
    assert!(matches!(send(&scene, &failing), Ok(RefundSeen::Failed { .. })));
    assert!(matches!(ask(&scene, &failing), RefundSeen::Failed { .. }));
    let slow = refund(&scene, 2, 10, "simulate slow");
    assert_eq!(send(&scene, &slow), Ok(RefundSeen::Pending));
    scene.later(12_000);
    assert!(succeeded(&ask(&scene, &slow)));
    let before = refund(&scene, 3, 10, "simulate timeout_before");
    assert!(matches!(send(&scene, &before), Err(ProviderError::Unknown(_))));
    assert_eq!((ask(&scene, &before), sent_back(&scene)), (RefundSeen::Unheard, 10));
    assert!(succeeded(&send(&scene, &before).expect("an answer")));
    let after = refund(&scene, 4, 10, "simulate timeout_after");
    assert!(matches!(send(&scene, &after), Err(ProviderError::Unknown(_))));
    assert!(succeeded(&ask(&scene, &after)) && succeeded(&send(&scene, &after).expect("an answer")));
    assert_eq!(sent_back(&scene), 30);
}
