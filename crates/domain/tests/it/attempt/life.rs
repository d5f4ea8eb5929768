//! Attempts under random events in any order: answers of providers, time, customers who change their method,
//! and workers that decide on stale data. They run against a store in memory that honours the guards of
//! changes.

use super::{CHARGE, attempt_id, coins, paid, reference};
use crate::fixture::{Shop, after, minutes};
use proptest::prelude::*;
use std::time::Duration;
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, AttemptState, AttemptStep, Beginning, Instructions,
        Observation, OtherAttempts, Pace, Started, UnreachableActions,
    },
    change::Change,
    id::EventId,
    ledger::{Account, Entry, EntryKind, Fee, Settlement, Terms},
    method::Method,
    receipt::ReceiptLink,
    session::{self, FailureReason, Outcome, Session, State},
    time::Timestamp,
    transaction::{Action, ActionKind, Transaction},
    vendor::Settings,
};

/// Payment data in memory. The guard of each change decides which of two concurrent commits wins.
#[derive(Clone)]
struct Store {
    session: Session,
    attempts: Vec<Attempt>,
    money: Vec<Transaction>,
    actions: Vec<Action>,
    callbacks: usize,
    entries: Vec<Entry>,
    settlements: Vec<Settlement>,
    receipts: usize,
}

impl Store {
    fn attempt(&self, attempt: &Attempt) -> usize {
        self.attempts.iter().position(|known| known.id == attempt.id).expect("it is stored")
    }

    /// True if the guard of a change holds.
    fn allows(&self, change: &Change) -> bool {
        let pending = self.session.state == State::Pending;
        match change {
            Change::FinishSession { was_due_at, .. } => {
                pending && was_due_at.is_none_or(|due| due == self.session.due_at())
            }
            Change::ChooseMethod { .. } | Change::HoldSession { .. } => pending,
            Change::InsertAttempt(_) => !self.attempts.iter().any(|attempt| attempt.state.is_active()),
            Change::MoveAttempt { attempt, was, .. } => self.attempts[self.attempt(attempt)].version == *was,
            _ => true,
        }
    }

    /// Commits the whole list, or nothing if a guard fails.
    fn commit(&mut self, changes: &[Change]) -> bool {
        let mut then = self.clone();
        for change in changes {
            if !then.allows(change) {
                return false;
            }
            then.make(change);
        }
        *self = then;
        true
    }

    fn make(&mut self, change: &Change) {
        match change {
            Change::FinishSession { outcome, at, .. } => {
                let session = &mut self.session;
                (session.state, session.updated_at, session.held_until) = ((*outcome).into(), *at, None);
            }
            Change::ChooseMethod { method, clocks, held_until, due_at, .. } => {
                let session = &mut self.session;
                (session.methods.chosen, session.methods.clocks) = (*method, *clocks);
                session.held_until = *held_until;
                assert_eq!(*due_at, session.due_at());
            }
            Change::HoldSession { held_until, due_at, .. } => {
                self.session.held_until = *held_until;
                assert_eq!(*due_at, self.session.due_at());
            }
            Change::InsertAttempt(attempt) => self.attempts.push((**attempt).clone()),
            Change::MoveAttempt { attempt, .. } => {
                let place = self.attempt(attempt);
                self.attempts[place] = (**attempt).clone();
            }
            Change::RecordTransaction(money) => {
                assert!(self.money.iter().all(|other| other.id != money.id), "an id of its own");
                self.money.push((**money).clone());
            }
            Change::NeedAction(action) => {
                assert!(self.actions.iter().all(|other| other.id != action.id), "an id of its own");
                self.actions.push((**action).clone());
            }
            Change::QueueCallback(event) => self.callbacks += usize::from(event.kind.family().is_none()),
            Change::QueueReceipt(_) => self.receipts += 1,
            Change::Record(_) => {}
            Change::PostEntry(entry) => {
                let cause = |other: &Entry| (other.heading().kind, other.heading().cause);
                let known = self.entries.iter().any(|o| o.id() == entry.id() || cause(o) == cause(entry));
                assert!(!known, "an id of its own, and a cause is booked once");
                self.entries.push((**entry).clone());
            }
            Change::ScheduleSettlement(settlement) => self.settlements.push(settlement.clone()),
            other => panic!("not a change of an attempt's life: {other:?}"),
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    /// This many milliseconds pass, and the workers do what is due by then.
    Wait(i64),
    /// The customer chooses a method.
    Choose(Method),
    /// The state at the provider of one attempt changes, and the attempt is checked.
    Happen(usize, Happening),
    /// The same, but a check that read the attempt before the change commits later and loses.
    Overtaken(usize, Happening),
    /// Providers are unreachable for this many milliseconds.
    Silent(i64),
}

#[derive(Debug, Clone, Copy)]
enum Happening {
    Waiting,
    Acting,
    /// A transfer of this many coins, with this many confirmations.
    Confirming(u32, u128),
    /// This many more coins arrive.
    Money(u128),
    Declined,
    TimedOut,
}

/// The state at the provider of one attempt. Money that arrived stays.
#[derive(Debug, Clone)]
struct World {
    now: Happening,
    arrived: u128,
}

struct Life {
    store: Store,
    worlds: Vec<World>,
    now: Timestamp,
    number: u32,
    reachable: bool,
}

impl Life {
    fn new(method: Method) -> Self {
        let session = Shop::live().session(&format!(r#"{{"defaultPaymentMethod":"{method}"}}"#));
        let store = Store {
            session,
            attempts: Vec::new(),
            money: Vec::new(),
            actions: Vec::new(),
            callbacks: 0,
            entries: Vec::new(),
            settlements: Vec::new(),
            receipts: 0,
        };
        Self { store, worlds: Vec::new(), now: after(0), number: 0, reachable: true }
    }

    fn next_id(&mut self) -> EventId {
        self.number += 1;
        let mut entropy = [0; 10];
        entropy[6..].copy_from_slice(&self.number.to_be_bytes());
        EventId::new(self.now, &entropy)
    }

    /// The provider's answer about an attempt at this step.
    fn answer(&mut self, place: usize, step: AttemptStep) -> Observation {
        let attempt = &self.store.attempts[place];
        let crypto = attempt.method == Method::Crypto;
        let world = &mut self.worlds[place];
        let closing = step.is_closing();
        if world.arrived >= CHARGE {
            return paid(attempt, world.arrived);
        }
        match world.now {
            Happening::Confirming(seen, atoms) if crypto => {
                Observation::Confirming { seen, needed: 6, received: coins(world.arrived + atoms) }
            }
            _ if world.arrived > 0 => Observation::Partial { received: coins(world.arrived) },
            Happening::Declined => Observation::Declined(FailureReason::CardDeclined),
            Happening::TimedOut => Observation::TimedOut,
            _ if closing && crypto => Observation::CannotBeClosed,
            _ if closing => {
                world.now = Happening::Waiting;
                Observation::Closed
            }
            Happening::Acting => Observation::InFlight,
            _ => Observation::Waiting,
        }
    }

    /// Asks the provider about an attempt as it is stored, and returns what would be committed.
    fn ask(&mut self, place: usize, step: Option<AttemptStep>) -> AttemptDecision {
        let (session, attempt) = (self.store.session.clone(), self.store.attempts[place].clone());
        let beside = OtherAttempts::of(attempt.id, &self.store.attempts);
        let step = step.unwrap_or_else(|| attempt::next_step(&session, &attempt, beside, self.now));
        let said = self.answer(place, step);
        let (settings, event_id) = (Settings::default(), self.next_id());
        let (shop, terms, now) = (Shop::live(), terms(), self.now);
        let (terms, link) = (&terms, ReceiptLink::new([9; 16]));
        let (settings, rules) = (&settings, &shop.rules);
        let scene = AttemptFacts {
            session: &session,
            attempt: &attempt,
            beside,
            settings,
            terms,
            rules,
            now,
            event_id,
            link,
            pace: Pace::Polling,
            doubt: UnreachableActions::default(),
            ends_now: false,
        };
        match step {
            _ if !self.reachable => attempt::unreachable(&scene),
            AttemptStep::Start => {
                let id = attempt.id;
                let (shown, charge) = (Instructions::Nothing, coins(CHARGE));
                attempt::started(&scene, Started { reference: reference(id), instructions: shown, charge })
            }
            AttemptStep::Check => attempt::observe(&scene, said),
            AttemptStep::Close | AttemptStep::Release => attempt::closing(&scene, said),
        }
    }

    fn look(&mut self, place: usize, step: Option<AttemptStep>) {
        let before = self.store.clone();
        let observed = self.ask(place, step);
        assert!(self.store.commit(&observed.changes), "nobody else is there");
        assert_eq!(self.store.session, observed.session);
        let then = &self.store.session;
        let held = before
            .attempts
            .iter()
            .enumerate()
            .any(|(other, attempt)| other != place && attempt.holds_though_left());
        let over = before.session.state == State::Pending && then.state != State::Pending;
        assert!(!(over && held && then.state != State::Paid), "M3: it ended while the money was on its way");
        if before.session.state == State::Pending && then.state == State::Expired {
            let attempt = &before.attempts[place];
            let flew = attempt.state == AttemptState::InFlight
                || before.session.ends_at() > before.session.deadline().plus(attempt::GRACE);
            let told = matches!(self.worlds[place].now, Happening::TimedOut);
            if !flew && !told && self.reachable {
                assert_eq!(then.updated_at, before.session.deadline(), "an open payment moves no deadline");
            }
        }
        self.check();
    }

    fn choose(&mut self, method: Method) {
        // The money is on its way: no other payment is started.
        if self.store.attempts.iter().any(Attempt::holds_though_left) {
            return;
        }
        if let Some(active) = self.store.attempts.iter().position(|attempt| attempt.state.is_active()) {
            if self.store.attempts[active].method == method {
                return;
            }
            self.look(active, Some(AttemptStep::Close));
        }
        let (session, number) = (self.store.session.clone(), self.store.attempts.len());
        let id = attempt_id(u8::try_from(number).expect("a few"));
        let beginning = Beginning {
            session: &session,
            method,
            provider: "bank",
            choice: None,
            email: None,
            language: None,
            id,
        };
        if let Ok((_, _, changes)) = attempt::begin(beginning, &Shop::live().rules, self.now)
            && self.store.commit(&changes)
        {
            self.worlds.push(World { now: Happening::Waiting, arrived: 0 });
            self.check();
            self.look(number, Some(AttemptStep::Start));
        }
    }

    /// Lets time pass, and runs the workers at each moment at which something is due.
    fn wait(&mut self, ms: i64) {
        let end = self.now.plus(Duration::from_millis(u64::try_from(ms).expect("not back")));
        for _ in 0..3_000 {
            let checks = self.store.attempts.iter().filter_map(|attempt| attempt.check_at);
            let ends = (self.store.session.state == State::Pending).then(|| self.store.session.due_at());
            let Some(next) = checks.chain(ends).min().filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            let due = |attempt: &Attempt| attempt.check_at.is_some_and(|at| at <= self.now);
            if let Some(place) = self.store.attempts.iter().position(due) {
                self.look(place, None);
            } else {
                self.settle();
            }
        }
        self.now = end;
    }

    fn settle(&mut self) {
        let event = self.next_id();
        let session = self.store.session.clone();
        if let Some((settled, changes)) = session::settle(&session, self.now, &Settings::default(), event) {
            let held = self.store.attempts.iter().any(|attempt| attempt.state.is_active());
            assert!(!held || !self.reachable, "nobody ends what can be closed: {session:?}");
            assert!(self.store.commit(&changes));
            assert_eq!((self.store.session.clone(), settled.updated_at), (settled, session.due_at()));
            self.check();
        }
    }

    fn happen(&mut self, place: usize, happening: Happening) -> Option<usize> {
        let place = place.checked_rem(self.worlds.len())?;
        let attempt = &self.store.attempts[place];
        // A payment that is closed takes no money; an address always does.
        if attempt.state == AttemptState::Closed || attempt.reference.is_none() {
            return None;
        }
        let world = &mut self.worlds[place];
        match happening {
            Happening::Money(more) => (world.now, world.arrived) = (Happening::Waiting, world.arrived + more),
            other => world.now = other,
        }
        Some(place)
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Wait(ms) => self.wait(*ms),
            Event::Choose(method) => self.choose(*method),
            Event::Happen(place, happening) => {
                if let Some(place) = self.happen(*place, *happening) {
                    self.look(place, None);
                }
            }
            Event::Overtaken(place, happening) => {
                let Some(place) = place.checked_rem(self.worlds.len()) else { return };
                let slow = self.ask(place, None);
                self.happen(place, *happening);
                self.look(place, None);
                let before = self.store.session.clone();
                assert!(!self.store.commit(&slow.changes), "what was true a moment ago is lost");
                assert_eq!(self.store.session, before);
            }
            Event::Silent(ms) => {
                self.reachable = false;
                self.wait(*ms);
                self.reachable = true;
            }
        }
    }

    /// Checks the invariants that hold at every moment.
    fn check(&self) {
        self.check_books();
        let Store { session, attempts, money, actions, callbacks, receipts, .. } = &self.store;
        let active: Vec<_> = attempts.iter().filter(|attempt| attempt.state.is_active()).collect();
        assert!(active.len() <= 1, "never two: {active:?}");
        assert_eq!(*callbacks, usize::from(session.state != State::Pending), "finished once");
        assert_eq!(*receipts, usize::from(session.state == State::Paid), "a receipt for what is paid");
        for attempt in attempts {
            let of = money.iter().filter(|money| money.attempt == Some(attempt.id));
            let sum: u128 = of.map(|money| money.received.atoms).sum();
            assert_eq!(sum, attempt.recorded);
            if !attempt.state.is_active() {
                let dust = session.state != State::Pending && worth(attempt, session) == 0;
                assert!(attempt.received == attempt.recorded || dust, "no money without a row: {attempt:?}");
            }
        }
        for money in money.iter().filter(|money| money.marks.late || money.marks.partial) {
            assert!(actions.iter().any(|action| action.transaction == Some(money.id)), "{money:?}");
        }
        if session.state == State::Paid {
            let paid = |attempt: &Attempt| {
                let money = money.iter().find(|m| m.attempt == Some(attempt.id) && !m.marks.late);
                money.is_some_and(|m| {
                    m.reference == reference(attempt.id) && m.received.same_unit(&attempt.charge)
                }) && attempt.received >= CHARGE
            };
            assert!(attempts.iter().any(paid), "paid by enough of the right money");
        }
        let held = attempts.iter().any(Attempt::holds_session);
        if session.state == State::Pending && session.methods.chosen != Method::Crypto && !held {
            assert!(session.ends_at() <= session.deadline().plus(attempt::GRACE));
        }
    }

    /// Every unit that a provider has is booked once: to the vendor and the operator, or to suspense with an
    /// action for the operator.
    fn check_books(&self) {
        let Store { session, money, actions, entries, settlements, .. } = &self.store;
        let mut held = 0;
        for (place, money) in money.iter().enumerate() {
            let of = |kind| {
                entries.iter().find(|e| e.heading().kind == kind && e.heading().cause == money.id.into())
            };
            let (paid, aside) = (of(EntryKind::Payment), of(EntryKind::Suspense));
            let on = |entry: Option<&Entry>, account| entry.map_or(0, |e| e.amount_on(&account).minor);
            let bank = || Account::Clearing("bank".to_owned());
            let surplus = on(aside, Account::Suspense);
            if money.marks.late || money.marks.partial {
                assert_eq!((paid, surplus), (None, money.amount.minor), "{money:?}");
            } else {
                assert_eq!(on(paid, bank()), -money.amount.minor, "{money:?}");
                let fee = on(paid, Account::Fees);
                assert_eq!(on(paid, Account::Pending) + fee, money.amount.minor, "{money:?}");
                assert!((0..=money.amount.minor).contains(&fee));
                let of = |other: &&Transaction| other.attempt == money.attempt;
                let so_far = self.store.money[..=place].iter().filter(of);
                let all: u128 = so_far.map(|other| other.received.atoms).sum();
                let price = session.item.price.money();
                let more = coins(all.saturating_sub(CHARGE)).share(&coins(CHARGE), price);
                assert_eq!(surplus, more.minor, "{money:?}");
                assert!(surplus == 0 || money.marks.over);
            }
            let asked = |action: &Action| {
                let unexpected = money.marks.late || money.marks.partial;
                action.transaction == Some(money.id) && (action.kind == ActionKind::Surplus) != unexpected
            };
            assert!(surplus == 0 || actions.iter().any(asked), "a person is asked: {money:?}");
            held += on(paid, bank()) + on(aside, bank());
        }
        let bank: i64 =
            entries.iter().map(|e| e.amount_on(&Account::Clearing("bank".to_owned())).minor).sum();
        assert_eq!(bank, held, "nothing is booked that did not come");
        let payments = entries.iter().filter(|entry| entry.heading().kind == EntryKind::Payment).count();
        assert_eq!(payments, usize::from(session.state == State::Paid), "I4: paid, and booked once");
        let pending: i64 = entries.iter().map(|e| e.amount_on(&Account::Pending).minor).sum();
        assert_eq!(pending, settlements.iter().map(|due| due.amount.minor).sum::<i64>(), "all of it settles");
    }

    /// Everything that is on its way arrives, and every attempt is checked.
    fn play_out(&mut self) {
        for world in &mut self.worlds {
            world.now = Happening::Waiting;
        }
        self.wait(minutes(3 * 24 * 60));
        assert_ne!(self.store.session.state, State::Pending);
        for place in 0..self.worlds.len() {
            self.look(place, None);
            let (attempt, world) = (&self.store.attempts[place], &self.worlds[place]);
            assert!(!attempt.state.is_active(), "{attempt:?}");
            assert_eq!(attempt.received, world.arrived, "all money is known: {attempt:?}");
            assert_eq!(worth(attempt, &self.store.session), 0, "and has a row: {attempt:?}");
        }
    }
}

/// The worth of an attempt's money that is in no transaction.
fn worth(attempt: &Attempt, session: &Session) -> i64 {
    let share = |atoms| coins(atoms).share(&coins(CHARGE), session.item.price.money()).minor;
    share(attempt.received) - share(attempt.recorded)
}

fn terms() -> Terms {
    let fee = |method| Fee { method, currency: None, millionths: 33_333, fixed: 0, returned: false };
    Terms { fees: Method::ALL.map(fee).to_vec(), settlement_delay: Some(Duration::from_secs(60)) }
}

fn any_happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        2 => Just(Happening::Waiting),
        4 => Just(Happening::Acting),
        4 => (0..6_u32).prop_map(|seen| Happening::Confirming(seen, CHARGE)),
        2 => (0..6_u32, 1..CHARGE).prop_map(|(seen, atoms)| Happening::Confirming(seen, atoms)),
        3 => (1..CHARGE).prop_map(Happening::Money),
        1 => (1..20_000_u128).prop_map(Happening::Money),
        2 => (CHARGE..2 * CHARGE).prop_map(Happening::Money),
        1 => Just(Happening::Declined),
        1 => Just(Happening::TimedOut),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    let method = prop::sample::select(Method::ALL.to_vec());
    prop_oneof![
        4 => (0..minutes(12)).prop_map(Event::Wait),
        2 => (0..5_000_i64).prop_map(Event::Wait),
        5 => method.prop_map(Event::Choose),
        8 => (0..4_usize, any_happening()).prop_map(|(place, what)| Event::Happen(place, what)),
        2 => (0..4_usize, any_happening()).prop_map(|(place, what)| Event::Overtaken(place, what)),
        1 => (0..minutes(20)).prop_map(Event::Silent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn f27_p12_p13_p14_whatever_happens_all_money_has_a_row_and_a_session_ends_once(
        start in prop::sample::select(Method::ALL.to_vec()),
        events in prop::collection::vec(any_event(), 1..25),
    ) {
        let mut life = Life::new(start);
        life.choose(start);
        for event in &events {
            life.apply(event);
        }
        life.play_out();
        let expired = life.store.session.state == Outcome::Expired.into();
        prop_assert!(!expired || life.store.session.updated_at <= life.now);
    }
}
