//! Attempts, transactions, actions for the operator, and the books of the simulated bank: they read back as
//! they were written, and change only by compare-and-set (promises P12 to P14). [`shell`] tests what a
//! database shell cannot change about them.

mod shell;

use crate::{
    fixture::{
        Backend, Kind, Shop, commit, event_id, history, minutes, on_both_engines, read, session_id, start,
        vendor_id,
    },
    shell::bytes,
};
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, AttemptState, Beginning, Confirmations, Instructions,
        Observation, Origins, OtherAttempts, Pace, Quantity, Started, UnreachableActions, Values,
    },
    change::{Change, Guard},
    id::{ActionId, AttemptId},
    method::Method,
    money::{Currency, Money},
    receipt::ReceiptLink,
    session::{FailureReason, Outcome, Session, State},
    time::Timestamp,
    transaction::{Action, ActionKind, Marks, Resolution, Transaction},
};
use till_store::{ActionFilter, AttemptsDue, Committed, Payments, SimulatedPayment};
use tokio::{sync::Barrier, task::JoinSet};

/// More than any integer column holds.
const HUGE: u128 = u128::MAX;

fn attempt_id(number: u64) -> AttemptId {
    AttemptId::from_bytes(*event_id(number).as_bytes())
}

fn reference(id: AttemptId) -> String {
    format!("sim_{id}")
}

/// The link to the receipt with this number.
fn link(number: u64) -> ReceiptLink {
    ReceiptLink::new(*event_id(number).as_bytes())
}

/// The intent to pay a session, with the attempt of this number.
fn intent(shop: &Shop, session: &Session, method: Method, number: u64) -> (Attempt, Vec<Change>) {
    let id = attempt_id(number);
    let beginning =
        Beginning { session, method, provider: "bank", choice: None, email: None, language: None, id };
    let (_, attempt, changes) = attempt::begin(beginning, &shop.rules, start()).expect("it may begin");
    (attempt, changes)
}

/// The result of a provider's observation, with the event of this number.
pub(crate) fn observe(
    shop: &Shop,
    session: &Session,
    attempt: &Attempt,
    word: Observation,
    event: u64,
) -> AttemptDecision {
    let now = start().plus(Duration::from_secs(1));
    let settings = &shop.vendor.settings;
    let (rules, link) = (&shop.rules, link(event));
    let terms = &shop.vendor.terms;
    let (event_id, beside, pace) = (event_id(event), OtherAttempts::Nothing, Pace::Polling);
    let doubt = UnreachableActions::default();
    let scene = AttemptFacts {
        session,
        attempt,
        beside,
        settings,
        terms,
        rules,
        now,
        event_id,
        link,
        pace,
        doubt,
        ends_now: false,
    };
    attempt::observe(&scene, word)
}

pub(crate) fn paid(attempt: &Attempt) -> Observation {
    Observation::Paid { received: attempt.charge.clone(), reference: reference(attempt.id) }
}

/// A stored session with an open attempt.
pub(crate) async fn opened(payments: &Payments, shop: &Shop, number: u64) -> (Session, Attempt) {
    let session = shop.store(payments, number, start()).await;
    let (attempt, changes) = intent(shop, &session, Method::Card, number);
    commit(payments, &changes).await;
    let session = read(payments, number).await.expect("a session");
    let settings = &shop.vendor.settings;
    let (now, event_id) = (start(), event_id(number));
    let (rules, link) = (&shop.rules, link(number));
    let terms = &shop.vendor.terms;
    let (session, attempt, beside) = (&session, &attempt, OtherAttempts::Nothing);
    let (pace, doubt) = (Pace::Polling, UnreachableActions::default());
    let scene = AttemptFacts {
        session,
        attempt,
        beside,
        settings,
        terms,
        rules,
        now,
        event_id,
        link,
        pace,
        doubt,
        ends_now: false,
    };
    let (reference, charge) = (reference(attempt.id), attempt.charge.clone());
    let observed =
        attempt::started(&scene, Started { reference, instructions: Instructions::Nothing, charge });
    commit(payments, &observed.changes).await;
    (observed.session, observed.attempt)
}

async fn stored(payments: &Payments, id: AttemptId) -> Attempt {
    payments.attempt(id).await.expect("a read").expect("an attempt")
}

fn later(seconds: u64) -> Timestamp {
    start().plus(Duration::from_secs(seconds))
}

/// An attempt with all fields set.
fn full(attempt: Attempt, state: AttemptState, shown: Instructions) -> Attempt {
    Attempt {
        state,
        instructions: Some(shown),
        reference: Some(format!("ref \u{1f9fe} {}", attempt.id)),
        charge: Quantity { atoms: HUGE, decimals: 18, unit: "USDC".to_owned() },
        received: HUGE - 1,
        recorded: 7,
        confirmations: Some(Confirmations { seen: 3, needed: u32::MAX, atoms: HUGE - 2 }),
        in_flight_since: Some(later(1)),
        updated_at: later(2),
        check_at: Some(later(3)),
        checks: 9,
        version: attempt.version + 1,
        ..attempt
    }
}

async fn an_attempt_reads_back_as_it_was_given(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let text = || "https://bank.example/?a=1&b=\"\u{1f9fe}\"".to_owned();
    let address = |rate| Instructions::Address {
        network: text(),
        address: text(),
        uri: text(),
        wallet_url: text(),
        rate,
    };
    let shown = [
        Instructions::Redirect { url: text() },
        Instructions::Embedded {
            origins: Origins { scripts: vec![text(), text()], frames: vec![], connections: vec![text()] },
            values: Values::Open(vec![(text(), text()), (text(), text())]),
        },
        Instructions::Embedded { origins: Origins::default(), values: Values::Sealed(text()) },
        Instructions::Qr { payload: text(), app_url: text() },
        address(Some(text())),
        address(None),
        Instructions::Nothing,
    ];
    let states = [AttemptState::Open, AttemptState::InFlight, AttemptState::Paid, AttemptState::Closed];
    let states = states.into_iter().chain([AttemptState::Watched]);
    let states = states.chain(FailureReason::ALL.map(AttemptState::Declined));
    for ((number, state), shown) in (1..).zip(states).zip(shown.into_iter().cycle()) {
        let session = shop.store(live, number, start()).await;
        let id = attempt_id(number);
        let beginning = Beginning {
            session: &session,
            method: Method::Crypto,
            provider: "bank",
            choice: Some("three_ds".to_owned()),
            email: Some("a@example.org".to_owned()),
            language: Some("ru".to_owned()),
            id,
        };
        let (held, attempt, changes) = attempt::begin(beginning, &shop.rules, start()).expect("it may");
        commit(live, &changes).await;
        assert_eq!(stored(live, id).await, attempt);
        assert_eq!(read(live, number).await, Some(held), "held, with its method");
        let moved = full(attempt, state, shown);
        let change = Change::MoveAttempt { attempt: Box::new(moved.clone()), was: 1, news: true };
        commit(live, &[change]).await;
        assert_eq!(stored(live, id).await, moved, "{state:?}");
        assert_eq!(live.latest_attempt(session.id).await.expect("a read"), Some(moved.clone()));
        assert_eq!(live.attempts_of(session.id).await.expect("a read"), std::slice::from_ref(&moved));
        let reference = moved.reference.clone().expect("one");
        let found = live.attempt_by_reference("bank", &reference).await.expect("a read");
        assert_eq!(found, Some(moved));
        assert_eq!(live.attempt_by_reference("another", &reference).await.expect("a read"), None);
    }
    assert_eq!(live.attempt(attempt_id(99)).await.expect("a read"), None);
    assert_eq!(live.latest_attempt(session_id(99)).await.expect("a read"), None);
}

async fn p12_a_session_has_one_active_attempt(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (session, attempt) = opened(live, &shop, 1).await;
    let (_, second) = intent(&shop, &session, Method::Sbp, 2);
    assert_eq!(live.commit(&second).await.expect("an answer"), Committed::Lost(Guard::AttemptActive));
    let unchanged = read(live, 1).await.expect("a session");
    assert_eq!((unchanged.methods.chosen, history(live, 1).await.len()), (Method::Card, 1));
    // Once it is closed another may begin, and the newest is the active one even within the same millisecond.
    let closed = observe(&shop, &session, &attempt, Observation::Closed, 1);
    commit(live, &closed.changes).await;
    for number in [2, 0] {
        let session = read(live, 1).await.expect("a session");
        assert_eq!(session.held_until, None, "free again");
        let (attempt, changes) = intent(&shop, &session, Method::Sbp, number);
        commit(live, &changes).await;
        assert_eq!(live.latest_attempt(session.id).await.expect("a read"), Some(attempt.clone()));
        let session = read(live, 1).await.expect("a session");
        commit(live, &observe(&shop, &session, &attempt, Observation::NeverStarted, number).changes).await;
    }
    assert_eq!(live.attempts_of(session.id).await.expect("a read").len(), 3);
}

async fn p12_of_64_that_begin_at_once_exactly_one_does(kind: Kind) {
    let backend = Backend::new(kind).await;
    let shop = Shop::live();
    let session = shop.store(&backend.stores.live, 1, start()).await;
    let together = Arc::new(Barrier::new(64));
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let method = Method::ALL[usize::try_from(number).expect("small") % 3];
        let (_, changes) = intent(&shop, &session, method, number);
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            together.wait().await;
            (number, method, stores.live.commit(&changes).await.expect("an answer"))
        });
    }
    let answers = tasks.join_all().await;
    let done: Vec<_> = answers.iter().filter(|(.., committed)| *committed == Committed::Done).collect();
    // The first one also moved the session's due time.
    let guards = [Guard::AttemptActive, Guard::NotPending].map(Committed::Lost);
    let lost = answers.iter().filter(|(.., committed)| guards.contains(committed)).count();
    assert_eq!((done.len(), lost), (1, 63), "{answers:?}");
    let live = &backend.stores.live;
    let attempts = live.attempts_of(session.id).await.expect("a read");
    assert_eq!((attempts.len(), attempts[0].id), (1, attempt_id(done[0].0)));
    let session = read(live, 1).await.expect("a session");
    assert_eq!(session.methods.chosen, done[0].1, "of what lost nothing was done");
    assert_eq!(history(live, 1).await, ["method_chosen"]);
}

/// Everything that a list of changes about a session could have left behind.
async fn traces(payments: &Payments, number: u64) -> (Session, usize, usize, usize, bool) {
    let id = session_id(number);
    (
        read(payments, number).await.expect("a session"),
        history(payments, number).await.len(),
        payments.transactions_of(id).await.expect("a read").len(),
        payments.actions(&ActionFilter::default(), 1_000).await.expect("a read").len(),
        payments.callback(id).await.expect("a read").is_some(),
    )
}

async fn p18_i2_who_decided_on_an_attempt_that_has_moved_changes_nothing(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (session, attempt) = opened(live, &shop, 1).await;
    let outcomes = [
        paid(&attempt),
        Observation::Declined(FailureReason::CardDeclined),
        Observation::Closed,
        Observation::InFlight,
        Observation::Paid { received: attempt.charge.clone(), reference: "another".to_owned() },
    ];
    let stale = outcomes.map(|word| observe(&shop, &session, &attempt, word, 7));
    let (_, claim) = attempt::claim(&attempt, start(), Duration::from_secs(20));
    commit(live, std::slice::from_ref(&claim)).await;
    let before = traces(live, 1).await;
    for stale in stale {
        let committed = live.commit(&stale.changes).await.expect("an answer");
        // For some of them the first guard, of the session, had held.
        assert_eq!(committed, Committed::Lost(Guard::AttemptMoved), "{:?}", stale.changes);
        assert_eq!(traces(live, 1).await, before);
    }
    assert_eq!(live.commit(&[claim]).await.expect("an answer"), Committed::Lost(Guard::AttemptMoved));
}

async fn i2_in_a_crowd_each_list_is_done_whole_or_not_at_all(kind: Kind) {
    const SESSIONS: u64 = 60;
    let backend = Backend::new(kind).await;
    let shop = Shop::live();
    let live = &backend.stores.live;
    let mut lists = Vec::new();
    for number in 1..=SESSIONS {
        let (session, attempt) = opened(live, &shop, number).await;
        let list = observe(&shop, &session, &attempt, paid(&attempt), 1_000 + number).changes;
        if number % 3 == 0 {
            let (_, claim) = attempt::claim(&attempt, start(), Duration::from_secs(20));
            commit(live, &[claim]).await;
        }
        if number % 3 == 1 {
            let word = Observation::Declined(FailureReason::CardDeclined);
            lists.push((number, observe(&shop, &session, &attempt, word, 2_000 + number).changes));
        }
        lists.push((number, list));
    }
    // Concurrently with lists that have one guard or none.
    for number in 1..=SESSIONS {
        lists.push((0, shop.order(1_000 + number).1));
    }
    let together = Arc::new(Barrier::new(lists.len()));
    let mut tasks = JoinSet::new();
    for (number, changes) in lists {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            together.wait().await;
            (number, stores.live.commit(&changes).await.expect("an answer"))
        });
    }
    let answers = tasks.join_all().await;
    assert!(answers.iter().all(|(number, answer)| *number != 0 || *answer == Committed::Done));
    for number in 1..=SESSIONS {
        let mine: Vec<_> = answers.iter().filter(|(of, _)| *of == number).map(|(_, a)| *a).collect();
        let (session, lines, money, _, told) = traces(live, number).await;
        if number % 3 == 0 {
            assert_eq!(mine, [Committed::Lost(Guard::AttemptMoved)], "{number}");
            assert_eq!((session.state, lines, money, told), (State::Pending, 1, 0, false), "{number}");
        } else {
            assert_eq!(mine.iter().filter(|answer| **answer == Committed::Done).count(), 1, "{mine:?}");
            let paid = session.state == State::Paid;
            assert!(paid || number % 3 == 1);
            assert_eq!((lines, money, told), (1, usize::from(paid), true), "{number}");
        }
        assert!(read(live, 1_000 + number).await.is_some());
    }
}

async fn attempts_are_due_when_they_say_so(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    assert_eq!(live.next_attempt_due().await.expect("a read"), None);
    let due = async |now, limit| {
        let (due, unreadable) =
            live.due_attempts("bank", AttemptsDue::Any, now, limit).await.expect("a read");
        assert!(unreadable.is_empty(), "{unreadable}");
        due.iter().map(|attempt| attempt.id).collect::<Vec<_>>()
    };
    for (number, seconds) in [(1, 50), (2, 30), (3, 40)] {
        let (_, attempt) = opened(live, &shop, number).await;
        let moved =
            Attempt { check_at: Some(later(seconds)), version: attempt.version + 1, ..attempt.clone() };
        let was = attempt.version;
        commit(live, &[Change::MoveAttempt { attempt: Box::new(moved), was, news: false }]).await;
    }
    assert_eq!(live.next_attempt_due().await.expect("a read"), Some(later(30)));
    assert_eq!(due(later(29), 10).await, []);
    assert_eq!(due(later(40), 10).await, [attempt_id(2), attempt_id(3)], "the longest overdue first");
    assert_eq!(due(later(60), 1).await, [attempt_id(2)]);
    // An attempt that has ended is not due.
    let (session, attempt) = (read(live, 2).await.expect("a session"), stored(live, attempt_id(2)).await);
    commit(live, &observe(&shop, &session, &attempt, paid(&attempt), 2).changes).await;
    assert_eq!(live.next_attempt_due().await.expect("a read"), Some(later(40)));
    assert_eq!(due(later(60), 10).await, [attempt_id(3), attempt_id(1)]);
}

async fn p14_money_and_what_is_to_be_decided_read_back(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (session, attempt) = opened(live, &shop, 1).await;
    let mut expected = Vec::new();
    let currency = Currency::parse("RUB").expect("a currency");
    let marks = [(false, false, false), (true, false, false), (false, true, false), (true, false, true)];
    for (number, (late, partial, over)) in (1..).zip(marks) {
        let money = Transaction {
            id: event_id(number).into(),
            session: session.id,
            vendor: vendor_id(1),
            attempt: (number > 1).then_some(attempt.id),
            method: Method::Crypto,
            provider: "bank".to_owned(),
            reference: "ref \u{1f9fe}".to_owned(),
            amount: Money { minor: i64::MAX, currency },
            received: Quantity { atoms: HUGE, decimals: 18, unit: "USDC".to_owned() },
            marks: Marks { late, partial, over, reversed: number == 3 },
            at: later(number),
        };
        let kind = ActionKind::ALL[usize::try_from(number).expect("small") - 1];
        let action = Action {
            id: event_id(number).into(),
            kind,
            session: Some(session.id),
            vendor: Some(vendor_id(1 + number % 2)),
            transaction: (number > 1).then_some(money.id),
            finding: None,
            at: later(number),
        };
        let (money_row, action_row) = (Box::new(money.clone()), Box::new(action.clone()));
        commit(live, &[Change::RecordTransaction(money_row), Change::NeedAction(action_row)]).await;
        assert_eq!(live.transaction(money.id).await.expect("a read").as_ref(), Some(&money));
        let found = live.action(action.id).await.expect("a read").expect("an action");
        assert_eq!((found.action, found.decided), (action.clone(), None));
        expected.push(money);
    }
    assert_eq!(live.transactions_of(session.id).await.expect("a read"), expected);
    assert_eq!(live.open_actions().await.expect("a read"), 4);
    let list = async |filter: ActionFilter, limit| {
        let list = live.actions(&filter, limit).await.expect("a read");
        list.iter().map(|stored| stored.action.id).collect::<Vec<_>>()
    };
    let ids = |numbers: &[u64]| numbers.iter().map(|n| ActionId::from(event_id(*n))).collect::<Vec<_>>();
    assert_eq!(list(ActionFilter::default(), 9).await, ids(&[4, 3, 2, 1]), "newest first");
    assert_eq!(list(ActionFilter::default(), 2).await, ids(&[4, 3]));
    let before = ActionFilter { before: Some(event_id(3).into()), ..ActionFilter::default() };
    assert_eq!(list(before, 9).await, ids(&[2, 1]));
    let of_one = ActionFilter { vendor: Some(vendor_id(1)), ..ActionFilter::default() };
    assert_eq!(list(of_one, 9).await, ids(&[4, 2]));
    commit(live, &[resolve(4, Resolution::Refund)]).await;
    assert_eq!(list(ActionFilter::default(), 9).await, ids(&[3, 2, 1]));
    let all = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
    assert_eq!(list(all, 9).await, ids(&[4, 3, 2, 1]));
    assert_eq!(live.open_actions().await.expect("a read"), 3);
}

fn resolve(number: u64, resolution: Resolution) -> Change {
    Change::ResolveAction { id: event_id(number).into(), resolution, at: later(9), by: "ops".to_owned() }
}

/// Stores late money of an expired session, with its action, all with number 1.
async fn late_money(payments: &Payments, shop: &Shop) -> (Session, Attempt) {
    let (session, attempt) = opened(payments, shop, 1).await;
    let closed = observe(shop, &session, &attempt, Observation::CannotBeClosed, 2);
    commit(payments, &closed.changes).await;
    let session = read(payments, 1).await.expect("a session");
    let (expired, changes) = shop.finish(&session, Outcome::Expired, 3);
    commit(payments, &changes).await;
    let late = observe(shop, &expired, &closed.attempt, paid(&attempt), 1);
    commit(payments, &late.changes).await;
    (expired, late.attempt)
}

async fn p14_late_money_is_kept_beside_a_session_that_stays_expired(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    let (expired, attempt) = late_money(live, &shop).await;
    assert_eq!(read(live, 1).await, Some(expired.clone()));
    let money = live.transactions_of(expired.id).await.expect("a read");
    assert_eq!((money.len(), money[0].marks.late, money[0].attempt), (1, true, Some(attempt.id)));
    assert_eq!(history(live, 1).await, ["method_chosen", "money_late"]);
}

async fn what_was_decided_is_decided_once(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    late_money(live, &shop).await;
    let together = Arc::new(Barrier::new(12));
    let mut tasks = JoinSet::new();
    for resolution in Resolution::ALL.into_iter().cycle().take(12) {
        let (stores, together) = (Arc::clone(&backend.stores), Arc::clone(&together));
        tasks.spawn(async move {
            together.wait().await;
            (resolution, stores.live.commit(&[resolve(1, resolution)]).await.expect("an answer"))
        });
    }
    let answers = tasks.join_all().await;
    let done: Vec<_> = answers.iter().filter(|(_, answer)| *answer == Committed::Done).collect();
    let lost = answers.iter().filter(|(_, a)| *a == Committed::Lost(Guard::Resolved)).count();
    assert_eq!((done.len(), lost), (1, 11));
    let stored = live.action(event_id(1).into()).await.expect("a read").expect("an action");
    assert_eq!(stored.decided, Some((done[0].0, later(9), "ops".to_owned())));
    let unknown = live.commit(&[resolve(9, Resolution::Accept)]).await.expect("an answer");
    assert_eq!(unknown, Committed::Lost(Guard::Resolved));
}

fn at_the_bank(number: u64) -> SimulatedPayment {
    let currency = Currency::parse("RUB").expect("a currency");
    SimulatedPayment {
        id: attempt_id(number),
        session: session_id(number),
        method: Method::Sbp,
        amount: Money { minor: 4_990, currency },
        opened_at: start(),
        decision: None,
        closed_at: None,
        revision: 1,
    }
}

async fn the_bank_opens_a_payment_once_and_changes_what_it_knows(kind: Kind) {
    let backend = Backend::new(kind).await;
    let live = &backend.stores.live;
    assert_eq!(live.simulated(attempt_id(1)).await.expect("a read"), None);
    let first = at_the_bank(1);
    assert_eq!(live.open_simulated(&first).await.expect("written"), first);
    let decision = Some(("approve".to_owned(), later(1)));
    let again = SimulatedPayment { opened_at: later(1), decision: decision.clone(), ..first.clone() };
    assert_eq!(live.open_simulated(&again).await.expect("written"), first, "the first one counts");
    let chosen = SimulatedPayment { decision: decision.clone(), ..at_the_bank(2) };
    assert_eq!(live.open_simulated(&chosen).await.expect("written"), chosen);
    // Of a close and a decision on the same revision of the payment, only one succeeds.
    let (decided, closed) = (
        SimulatedPayment { decision, ..first.clone() },
        SimulatedPayment { closed_at: Some(later(2)), ..first.clone() },
    );
    let (one, other) = tokio::join!(live.change_simulated(&decided), live.change_simulated(&closed));
    let (one, other) = (one.expect("an answer"), other.expect("an answer"));
    assert!(one != other, "one of them");
    let stored = live.simulated(first.id).await.expect("a read").expect("a payment");
    let expected = if one { decided } else { closed };
    assert_eq!(stored, SimulatedPayment { revision: 2, ..expected.clone() });
    assert!(!live.change_simulated(&expected).await.expect("an answer"), "that page has been turned");
    assert!(live.change_simulated(&stored).await.expect("an answer"));
    assert!(!live.change_simulated(&at_the_bank(9)).await.expect("an answer"), "there is none");
}

async fn m7_each_provider_has_a_list_of_its_own(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    assert_eq!(live.attempt_providers().await.expect("a read"), [] as [&str; 0]);
    for number in 1..=3 {
        opened(live, &shop, number).await;
    }
    let session = shop.store(live, 4, start()).await;
    let beginning = Beginning {
        session: &session,
        method: Method::Card,
        provider: "acquirer",
        choice: None,
        email: None,
        language: None,
        id: attempt_id(4),
    };
    let (_, intended, changes) = attempt::begin(beginning, &shop.rules, start()).expect("it may begin");
    commit(live, &changes).await;
    assert_eq!(live.attempt_providers().await.expect("a read"), ["acquirer", "bank"]);
    let due = async |provider: &str, which, now| {
        let (due, unreadable) = live.due_attempts(provider, which, now, 10).await.expect("a read");
        assert!(unreadable.is_empty(), "{unreadable}");
        due.iter().map(|attempt| attempt.id).collect::<Vec<_>>()
    };
    let (soon, late) = (later(60), start().plus(minutes(70)));
    assert_eq!(due("acquirer", AttemptsDue::Any, soon).await, [intended.id]);
    assert_eq!(due("acquirer", AttemptsDue::ToAct, soon).await, [intended.id], "the customer waits for it");
    assert_eq!(due("bank", AttemptsDue::Any, soon).await.len(), 3);
    assert_eq!(due("bank", AttemptsDue::ToAct, soon).await, [], "their time is not over");
    assert_eq!(due("bank", AttemptsDue::ToAct, late).await.len(), 3);
    assert_eq!(due("nobody", AttemptsDue::Any, late).await, []);
    assert_eq!(live.next_attempt_due_at("acquirer").await.expect("a read"), intended.check_at);
    assert_eq!(live.next_attempt_due_at("nobody").await.expect("a read"), None);
}

async fn a_row_that_makes_no_sense_does_not_keep_the_others_waiting(kind: Kind) {
    let backend = Backend::new(kind).await;
    let (live, shop) = (&backend.stores.live, Shop::live());
    opened(live, &shop, 1).await;
    opened(live, &shop, 2).await;
    let shell = backend.shell("live").await;
    let which = bytes(attempt_id(1).as_bytes());
    let change =
        format!("UPDATE payment_attempts SET version = version + 1, received = 'many' WHERE id = {which}");
    assert_eq!(shell.run(&change).await, Ok(1));
    let due = live.due_attempts("bank", AttemptsDue::Any, start().plus(minutes(20)), 10).await;
    let (due, unreadable) = due.expect("a read");
    assert_eq!(due.iter().map(|attempt| attempt.id).collect::<Vec<_>>(), [attempt_id(2)]);
    assert!(unreadable.count == 1 && unreadable.to_string().contains("many"), "{unreadable}");
}

on_both_engines!(
    an_attempt_reads_back_as_it_was_given,
    p12_a_session_has_one_active_attempt,
    p12_of_64_that_begin_at_once_exactly_one_does,
    p18_i2_who_decided_on_an_attempt_that_has_moved_changes_nothing,
    i2_in_a_crowd_each_list_is_done_whole_or_not_at_all,
    attempts_are_due_when_they_say_so,
    m7_each_provider_has_a_list_of_its_own,
    p14_money_and_what_is_to_be_decided_read_back,
    p14_late_money_is_kept_beside_a_session_that_stays_expired,
    what_was_decided_is_decided_once,
    the_bank_opens_a_payment_once_and_changes_what_it_knows,
    a_row_that_makes_no_sense_does_not_keep_the_others_waiting,
);
