//! The steps of a walk that move money.

use super::Walk;
use crate::{
    fixture::{Backend, event_id, good_request, text},
    ledger::books,
    refunds::{ask_at, end_at},
};
use till_domain::{
    attempt::{
        self, Attempt, AttemptDecision, AttemptFacts, Beginning, Instructions, Observation, OtherAttempts,
        Pace, Started, UnreachableActions,
    },
    change::Change,
    id::{AttemptId, PayoutId, RefundId},
    ledger::{self, EntryKind},
    method::Method,
    payout::{Payout, PayoutState, PayoutStep},
    receipt::ReceiptLink,
    refund::{self, Origin, RefundSeen},
    request::CreateRequest,
    session::{self, Outcome, Session, State},
    transaction::Resolution,
};

impl Walk {
    /// The result of a provider's answer now.
    fn hear(
        &mut self,
        shop: usize,
        session: &Session,
        attempt: &Attempt,
        word: impl FnOnce(&AttemptFacts<'_>) -> AttemptDecision,
    ) -> AttemptDecision {
        let event_id = event_id(self.next());
        let shop = &self.shops[shop];
        word(&AttemptFacts {
            session,
            attempt,
            beside: OtherAttempts::Nothing,
            settings: &shop.vendor.settings,
            terms: &shop.vendor.terms,
            rules: &shop.rules,
            now: self.now,
            event_id,
            link: ReceiptLink::new(event_id.into()),
            pace: Pace::Polling,
            doubt: UnreachableActions::default(),
            ends_now: false,
        })
    }

    /// A session of a random price, with a started attempt.
    async fn begin(&mut self, backend: &Backend) -> (usize, Session, Attempt) {
        let shop = usize::try_from(self.dice.roll(2)).expect("small");
        let price = 1 + self.dice.roll(100_000);
        let currency = ["JPY", "EUR", "RUB", "RUB"][usize::try_from(self.dice.roll(4)).expect("small")];
        let price = typed(price, currency);
        let request = CreateRequest { price: text(&price), currency: text(currency), ..good_request() };
        let number = self.next();
        let (session, changes) = self.shops[shop].create(number, self.now, &request);
        self.commit(backend, "created", &changes).await;
        let method = Method::ALL[usize::try_from(self.dice.roll(3)).expect("small")];
        let number = self.next();
        let id = AttemptId::from_bytes(event_id(number).into());
        let (choice, email, language) = (None, None, None);
        let beginning =
            Beginning { session: &session, method, provider: "bank", choice, email, language, id };
        let begun = attempt::begin(beginning, &self.shops[shop].rules, self.now).expect("it may begin");
        self.commit(backend, "begun", &begun.2).await;
        // Coins are not minor units: an amount is not always worth a whole number of them.
        let charge = match begun.1.charge.clone() {
            charge if self.dice.roll(2) == 0 => charge.with(charge.atoms * 7 + 3),
            charge => charge,
        };
        let started =
            Started { reference: format!("pay_{number}"), instructions: Instructions::Nothing, charge };
        let observed = self.hear(shop, &begun.0, &begun.1, |scene| attempt::started(scene, started));
        self.commit(backend, "started", &observed.changes).await;
        (shop, observed.session, observed.attempt)
    }

    /// Commits the result of a provider's answer, and keeps it for later steps.
    async fn keep(&mut self, backend: &Backend, what: &'static str, shop: usize, observed: AttemptDecision) {
        self.commit(backend, what, &observed.changes).await;
        for change in observed.changes {
            if let Change::NeedAction(action) = change {
                self.actions.push((shop, observed.session.clone(), *action));
            }
        }
        if observed.session.state == State::Paid {
            self.paid.push((shop, observed.session));
        }
    }

    /// A customer pays the price, more, or a part of it.
    pub(super) async fn take_money(&mut self, backend: &Backend) {
        let (shop, session, attempt) = self.begin(backend).await;
        let (asked, reference) = (attempt.charge.clone(), attempt.reference.clone().expect("it has one"));
        let kind = self.dice.roll(6);
        let (what, atoms) = match kind {
            0 => ("paid too much", asked.atoms + 1 + u128::from(self.dice.roll(5_000))),
            1 | 2 => ("paid in part", u128::from(self.dice.roll(u64::try_from(asked.atoms).expect("small")))),
            _ => ("paid", asked.atoms),
        };
        let received = asked.with(atoms);
        if what == "paid in part" {
            let word = Observation::Partial { received };
            let observed = self.hear(shop, &session, &attempt, |scene| attempt::closing(scene, word));
            self.short.push((shop, observed.session.clone(), observed.attempt.clone()));
            return self.keep(backend, what, shop, observed).await;
        }
        let word = Observation::Paid { received, reference };
        let observed = self.hear(shop, &session, &attempt, |scene| attempt::observe(scene, word));
        self.keep(backend, what, shop, observed).await;
    }

    /// The rest of a price comes, in time or too late; or a little more of it.
    pub(super) async fn take_rest(&mut self, backend: &Backend) {
        let Some((shop, mut session, attempt)) = self.dice.draw(&mut self.short) else { return };
        let (charge, reference) = (attempt.charge.clone(), attempt.reference.clone().expect("it has one"));
        let late = session.state != State::Pending || self.dice.roll(2) == 0;
        if session.state == State::Pending && late {
            let event = event_id(self.next());
            let settings = &self.shops[shop].vendor.settings;
            let ended = session::finish(&session, Outcome::Expired, self.now, settings, event);
            let (ended, changes) = ended.expect("it is pending");
            self.commit(backend, "expired", &changes).await;
            session = ended;
        }
        let more = u64::try_from(charge.atoms - attempt.recorded).expect("small");
        let part = u128::from(self.dice.roll(more)) + attempt.recorded;
        let (what, word, closes) = match (self.dice.roll(3), late) {
            (0, false) => ("paid in part", Observation::Partial { received: charge.with(part) }, true),
            (_, false) => ("the rest paid", Observation::Paid { received: charge, reference }, false),
            (_, true) => ("paid late", Observation::Paid { received: charge, reference }, false),
        };
        let observed = self.hear(shop, &session, &attempt, |scene| {
            if closes { attempt::closing(scene, word) } else { attempt::observe(scene, word) }
        });
        if closes {
            self.short.push((shop, observed.session.clone(), observed.attempt.clone()));
        }
        self.keep(backend, what, shop, observed).await;
    }

    /// A refund of a part of a payment, of all that is left, or of too much.
    pub(super) async fn ask_refund(&mut self, backend: &Backend) {
        let Some((shop, session)) = self.dice.draw(&mut self.paid) else { return };
        self.paid.push((shop, session.clone()));
        let price = session.item.price.money();
        let amount = match self.dice.roll(4) {
            0 => String::new(),
            _ => {
                let part = 1 + self.dice.roll(u64::try_from(price.minor).expect("small"));
                typed(part, price.currency.code())
            }
        };
        let number = self.next();
        let live = &backend.stores.live;
        match ask_at(live, &self.shops[shop], &session, &amount, number, self.now).await {
            Err(_) => *self.done.entry("refund refused").or_default() += 1,
            Ok((refund, changes)) => {
                self.commit(backend, "refund asked", &changes).await;
                self.refunds.push((shop, session, refund));
            }
        }
    }

    /// The provider's answer about a refund.
    pub(super) async fn end_refund(&mut self, backend: &Backend) {
        let Some((shop, session, refund)) = self.dice.draw(&mut self.refunds) else { return };
        let (what, seen) = match self.dice.roll(5) {
            0 => ("refund is on its way", RefundSeen::Pending),
            1 | 2 => ("refund failed", RefundSeen::Failed { reason: "no".to_owned() }),
            _ => ("refund succeeded", RefundSeen::Succeeded { reference: format!("re_{}", refund.id) }),
        };
        let at = (self.next(), self.now);
        let live = &backend.stores.live;
        let observed = end_at(live, &self.shops[shop], &session, &refund, seen, at).await;
        self.sums.add(&observed.changes);
        *self.done.entry(what).or_default() += 1;
        for change in observed.changes {
            if let Change::NeedAction(action) = change {
                self.actions.push((shop, session.clone(), *action));
            }
        }
        if !observed.refund.state.is_final() {
            self.refunds.push((shop, session, observed.refund));
        }
    }

    /// The operator decides about money in suspense.
    pub(super) async fn decide(&mut self, backend: &Backend) {
        let Some((shop, session, action)) = self.dice.draw(&mut self.actions) else { return };
        let (live, books) = (&backend.stores.live, books(&backend.stores));
        let (what, resolution, by_hand) = match self.dice.roll(4) {
            0 => ("money given back by hand", Resolution::Refund, true),
            1 => ("money given back", Resolution::Refund, false),
            _ => ("money accepted", Resolution::Accept, false),
        };
        let transaction = action.transaction.expect("there is money");
        let held = books.entry_of(EntryKind::Suspense, transaction.into()).await.expect("a read");
        let by = "Ada".to_owned();
        let mut changes = vec![Change::ResolveAction { id: action.id, resolution, at: self.now, by }];
        // Money worth less than a minor unit has no ledger entry.
        if let Some(held) = held {
            let id = event_id(self.next()).into();
            let moved = ledger::decide(&held.entry, (resolution, by_hand), action.id, id, self.now);
            let moved = moved.expect("it moves");
            if resolution == Resolution::Refund && !by_hand {
                let money = live.transaction(transaction).await.expect("a read").expect("money");
                let before = live.refunds().of_session(session.id).await.expect("a read");
                let id = RefundId::from_bytes(event_id(self.next()).into());
                let (refund, insert) = refund::give_back(&money, &moved, action.id, id, &before, "Ada");
                assert!(matches!(refund.origin, Origin::Suspense { .. }));
                changes.push(insert);
                self.refunds.push((shop, session, refund));
            }
            changes.push(Change::PostEntry(Box::new(moved)));
        }
        self.commit(backend, what, &changes).await;
    }

    /// A vendor requests a payout of a part of its balance, or of more.
    pub(super) async fn ask_payout(&mut self, backend: &Backend) {
        let vendor = self.shops[usize::try_from(self.dice.roll(2)).expect("small")].vendor.id;
        let currency = till_domain::money::Currency::parse("RUB").expect("a currency");
        let wallet = books(&backend.stores).wallet(vendor, currency).await.expect("a wallet");
        let most = u64::try_from(wallet.available.minor).expect("never below zero");
        let minor = i64::try_from(1 + self.dice.roll(most + 1 + most / 4)).expect("small");
        let amount = till_domain::money::Money { minor, currency };
        let id = PayoutId::from_bytes(event_id(self.next()).into());
        let (at, by) = (self.now, "Ada".to_owned());
        let payout = Payout { id, vendor, amount, destination: "an account".to_owned(), at, by };
        let entry = event_id(self.next()).into();
        if let Ok(changes) = payout.ask(wallet.version, wallet.available, entry) {
            self.commit(backend, "payout asked", &changes).await;
            self.payouts.push((payout, PayoutState::Asked));
        }
    }

    /// The operator approves or refuses a payout, and reports what the bank did.
    pub(super) async fn step_payout(&mut self, backend: &Backend) {
        let Some((payout, state)) = self.dice.draw(&mut self.payouts) else { return };
        let next = state.next();
        let state = next[usize::try_from(self.dice.roll(2)).expect("small")];
        let what = match state {
            PayoutState::Approved => "payout approved",
            PayoutState::Refused => "payout refused",
            PayoutState::Sent => "payout sent",
            PayoutState::Failed | PayoutState::Asked => "payout failed",
        };
        let note = state.needs_note().then(|| "because".to_owned());
        let step = PayoutStep { state, at: self.now, by: "op".to_owned(), note };
        let changes = payout.step(&step, event_id(self.next()).into());
        self.commit(backend, what, &changes).await;
        if state == PayoutState::Approved {
            self.payouts.push((payout, state));
        }
    }
}

/// This many minor units, as a person types them.
fn typed(minor: u64, currency: &str) -> String {
    match currency {
        "JPY" => minor.to_string(),
        _ => format!("{}.{:02}", minor / 100, minor % 100),
    }
}
