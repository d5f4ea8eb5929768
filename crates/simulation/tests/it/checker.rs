//! Compares what every client was told, what the bank did and what the vendors received with what is stored.

use crate::{
    crowd::{Crowd, LIVE, Payment},
    node::Parts,
    staff::STRAY,
    world::World,
};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use std::collections::{BTreeMap, BTreeSet};
use till_domain::{
    attempt::{Attempt, Observation},
    delivery::DeliveryState,
    id::{AttemptId, SessionId, VendorId},
    method::Method,
    refund::{Refund, RefundState},
    session::{Session, State},
    transaction::{ActionKind, Transaction},
};
use till_providers::{Behaviour, Provider as _};
use till_service::environment::Environment;

/// Everything that a simulation leaves behind.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    pub parts: &'a Parts,
    pub world: &'a World,
    pub crowd: &'a Crowd,
}

/// What is still to be done although nothing has failed for a long time.
pub async fn unsettled(evidence: Evidence<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for environment in &evidence.parts.environments {
        let (store, name) = (&environment.store, environment.name);
        let pending = store.pending_sessions(None, 10).await.expect("a count");
        if pending > 0 {
            wrong.push(format!("{name}: {pending} sessions are still pending"));
        }
        if let Some(due) = store.next_callback_due().await.expect("a time") {
            wrong.push(format!("{name}: a callback is still due, at {due}"));
        }
        if let Some(due) = store.refunds().next_due().await.expect("a time") {
            wrong.push(format!("{name}: a refund is still under way, due at {due}"));
        }
        if let Some(ledger) = store.ledger() {
            let unsealed = ledger.unsealed_count().await.expect("a count");
            if unsealed > 0 {
                wrong.push(format!("{name}: {unsealed} ledger entries are not sealed"));
            }
        }
    }
    wrong
}

/// Everything that is wrong.
pub async fn check(evidence: Evidence<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for environment in &evidence.parts.environments {
        let checked = environment.store.verify(&mut |_, _| {}).await.expect("the checks run");
        for check in checked.iter().filter(|check| check.wrong > 0) {
            wrong.push(format!("{}: {}: {:?}", environment.name, check.name, check.first));
        }
    }
    let secrets = secrets(evidence).await;
    for payment in &evidence.crowd.payments {
        wrong.extend(payment.contradictions.iter().cloned());
    }
    let mut keys = BTreeMap::new();
    for payment in &evidence.crowd.payments {
        check_payment(evidence, payment, &mut wrong).await;
        let (key, named) = (payment.key.clone(), payment.named.first());
        if let (Some(key), Some(first)) = (key, named)
            && keys.insert(key, *first).is_some_and(|other| other != *first)
        {
            wrong.push(format!("a key made two sessions: {}", payment.order));
        }
    }
    check_bank(evidence, &mut wrong).await;
    check_received(evidence, &secrets, &mut wrong).await;
    wrong
}

/// Live sessions that have ended without money although their payment is open at the bank, and no operator knows. While
/// things fail. One that was paid another way may have an open payment until the next check closes that.
pub async fn left_open(evidence: Evidence<'_>) -> Vec<String> {
    let live = &evidence.parts.environments[LIVE];
    let mut wrong = Vec::new();
    for payment in evidence.crowd.payments.iter().rev().take(NEWEST) {
        let Some(id) = payment.session.filter(|_| payment.environment == LIVE) else { continue };
        let session = live.store.page_session(id).await.expect("a read").expect("a session");
        if matches!(session.state, State::Pending | State::Paid) {
            continue;
        }
        let attempts = live.store.attempts_of(id).await.expect("attempts");
        let actions = live.store.actions_of(id).await.expect("actions");
        let known = actions.iter().any(|stored| stored.action.kind == ActionKind::Unreachable);
        if attempts.iter().any(|attempt| attempt.state.is_active()) && !known {
            let status = session.state.status();
            wrong.push(format!(
                "session {id} is {status} while its payment is open: {session:?}; {attempts:?}"
            ));
        }
    }
    wrong
}

/// Payments that [`left_open`] looks at.
const NEWEST: usize = 2_500;

/// Compares a payment with what its vendor was told.
async fn check_payment(evidence: Evidence<'_>, payment: &Payment, wrong: &mut Vec<String>) {
    let environment = &evidence.parts.environments[payment.environment];
    let sessions: BTreeSet<SessionId> = payment.named.iter().copied().collect();
    if sessions.len() > 1 {
        wrong.push(format!("{}: one key made {} sessions", payment.order, sessions.len()));
    }
    let merchant = &evidence.crowd.merchants[payment.merchant];
    for id in sessions {
        let stored = environment.store.session(id, merchant.id).await.expect("a session");
        let Some(session) = stored else {
            // Old sandbox sessions are deleted.
            if payment.environment == LIVE {
                wrong.push(format!("session {id} was acknowledged and is lost"));
            }
            continue;
        };
        check_session(environment, payment, &session, wrong).await;
    }
}

async fn check_session(
    environment: &Environment,
    payment: &Payment,
    session: &Session,
    wrong: &mut Vec<String>,
) {
    let (id, status) = (session.id, session.state.status().as_str());
    if let Some(told) = payment.told.iter().find(|told| *told != status) {
        wrong.push(format!("session {id} is {status}, and a client was told {told}"));
    }
    let events = environment.store.session_events(id).await.expect("events");
    let last = |kind: &str| events.iter().filter(|event| event.event == format!("session.{kind}")).count();
    let finals: usize = ["paid", "failed", "expired"].map(last).into_iter().sum();
    if session.state != State::Pending && finals != 1 {
        wrong.push(format!("session {id} is {status} and has {finals} events about that"));
    }
    if last(status) != finals {
        wrong.push(format!("session {id} is {status}, and an event says something else"));
    }
    let money = environment.store.transactions_of(id).await.expect("transactions");
    let counted = money.iter().filter(|money| !money.marks.late && !money.marks.reversed).count();
    let refunds = environment.store.refunds().of_session(id).await.expect("refunds");
    let attempts = environment.store.attempts_of(id).await.expect("attempts");
    let sent = refunds.iter().filter(|refund| refund.state == RefundState::Succeeded);
    // A surplus goes back with its payment if an operator accepted it.
    let surplus: i64 = money.iter().map(|money| surplus(money, &attempts)).sum();
    let (sent, came) = (sent.map(|refund| refund.amount.minor).sum::<i64>(), sum(&money, true) + surplus);
    if sent > came {
        wrong.push(format!("session {id}: {sent} went back of {came}"));
    }
    for refund in refunds.iter().filter(|refund| refund.is_of_payment()) {
        let earlier =
            refunds.iter().filter(|earlier| earlier.is_of_payment() && earlier.number < refund.number);
        let earlier = earlier.filter(|earlier| earlier.state == RefundState::Succeeded);
        if earlier.map(|earlier| earlier.amount.minor).sum::<i64>() + refund.amount.minor > came {
            wrong.push(format!(
                "session {id}: refund {} was accepted beyond what was left of {came}: {refunds:?}; {money:?}",
                refund.id
            ));
        }
    }
    let price = session.item.price.money().minor;
    if session.state == State::Paid && sum(&money, false) < price {
        wrong.push(format!("session {id} is paid with less than {price}"));
    }
    let by_provider = money.iter().any(|money| money.attempt.is_some());
    if session.state == State::Paid
        && by_provider
        && !attempts.iter().any(|attempt| is_whole(attempt, &money))
    {
        wrong.push(format!("session {id} is paid, and no attempt of it has its whole charge"));
    }
    if session.state == State::Paid && counted == 0 {
        wrong.push(format!("session {id} is paid without money"));
    }
    // A coin that the payment did not wait for pays nothing.
    let in_time = |money: &Transaction| {
        let deviates = money.marks.late || money.marks.partial || money.marks.reversed;
        !deviates && !money.reference.starts_with(STRAY)
    };
    if session.state != State::Paid && money.iter().any(in_time) {
        wrong.push(format!("session {id} is {status} although money came in time: {money:?}"));
    }
    if session.state != State::Pending && attempts.iter().any(|attempt| attempt.state.is_active()) {
        wrong.push(format!("session {id} is {status} and has an active attempt"));
    }
}

/// What came beyond the charge of a transaction's attempt, in minor units: no part of the transaction's amount.
fn surplus(money: &Transaction, attempts: &[Attempt]) -> i64 {
    let attempt = attempts.iter().find(|attempt| money.attempt == Some(attempt.id));
    let Some(attempt) = attempt.filter(|_| money.marks.over && !money.marks.reversed) else { return 0 };
    let over = money.received.atoms.saturating_sub(attempt.charge.atoms);
    let worth = over * u128::try_from(money.amount.minor).unwrap_or(0);
    i64::try_from(worth.div_ceil(attempt.charge.atoms.max(1))).unwrap_or(i64::MAX)
}

/// Whether all that an attempt asked for came in time.
fn is_whole(attempt: &Attempt, money: &[Transaction]) -> bool {
    let own = money.iter().filter(|money| money.attempt == Some(attempt.id));
    let own = own.filter(|money| !money.marks.late && !money.marks.reversed);
    let own = own.filter(|money| money.received.same_unit(&attempt.charge));
    own.map(|money| money.received.atoms).sum::<u128>() >= attempt.charge.atoms
}

/// The money that came for a session in minor units, with late money or without.
fn sum(money: &[Transaction], with_late: bool) -> i64 {
    let counts = |money: &&Transaction| !money.marks.reversed && (with_late || !money.marks.late);
    money.iter().filter(counts).map(|money| money.amount.minor).sum()
}

/// Compares the bank's records with ours, in both directions.
async fn check_bank(evidence: Evidence<'_>, wrong: &mut Vec<String>) {
    let live = &evidence.parts.environments[LIVE];
    let payments: Vec<AttemptId> = evidence.world.book.records().payments.keys().copied().collect();
    for id in payments {
        let Some(attempt) = live.store.attempt(id).await.expect("an attempt") else {
            wrong.push(format!("the bank has payment {id}, which we do not know"));
            continue;
        };
        check_money(evidence, &attempt, wrong).await;
        let refunds = live.store.refunds().of_session(attempt.session).await.expect("refunds");
        let at_bank = evidence.world.book.records().refunds.get(&id).cloned().unwrap_or_default();
        for entry in &at_bank {
            let sent =
                entry.acted_at.is_some() && !matches!(entry.behaviour, Behaviour::Fail | Behaviour::TooMuch);
            let ours = refunds.iter().find(|refund| refund.id == entry.id);
            let succeeded = ours.is_some_and(|refund| refund.state == RefundState::Succeeded);
            if sent != succeeded {
                let state = ours.map(|refund| &refund.state);
                wrong.push(format!("the bank sent refund {}: {sent}, and ours is {state:?}", entry.id));
            }
        }
        let unsent = |refund: &&Refund| {
            refund.state == RefundState::Succeeded
                && refund.payment.ends_with(&id.to_string())
                && !at_bank.iter().any(|entry| entry.id == refund.id)
        };
        if let Some(refund) = refunds.iter().find(unsent) {
            wrong.push(format!("refund {} succeeded, and the bank never sent it", refund.id));
        }
    }
}

/// Compares the money of one payment at the bank with our transactions.
async fn check_money(evidence: Evidence<'_>, attempt: &Attempt, wrong: &mut Vec<String>) {
    let live = &evidence.parts.environments[LIVE];
    let observed = evidence.world.simulator.check(attempt).now_or_never().expect("an answer");
    let taken = match observed.expect("the bank's records") {
        Observation::Paid { received, .. } | Observation::Partial { received } => received.atoms,
        _ => 0,
    };
    let money = live.store.transactions_of(attempt.session).await.expect("transactions");
    // Coins that the payment did not wait for are no money of the bank.
    let is_own = |money: &&Transaction| {
        money.attempt == Some(attempt.id)
            && !money.marks.reversed
            && money.received.same_unit(&attempt.charge)
    };
    let own = money.iter().filter(is_own);
    let recorded: u128 = own.map(|money| money.received.atoms).sum();
    // Of a start that was never answered the price in coins is not known: an operator decides about what the bank claims.
    let actions = live.store.actions_of(attempt.session).await.expect("actions");
    let claimed = actions.iter().any(|stored| stored.action.kind == ActionKind::Mismatch);
    if taken != recorded && !(recorded == 0 && claimed && attempt.method == Method::Crypto) {
        wrong.push(format!(
            "the bank took {taken} for attempt {} of session {}, and we recorded {recorded}: {attempt:?}; {:?}",
            attempt.id,
            attempt.session,
            evidence.world.book.records().payments.get(&attempt.id),
        ));
    }
}

/// The secret of every vendor in live and in the sandbox.
async fn secrets(evidence: Evidence<'_>) -> BTreeMap<(usize, VendorId), SecretString> {
    let mut secrets = BTreeMap::new();
    for (number, environment) in evidence.parts.environments.iter().enumerate() {
        for merchant in &evidence.crowd.merchants {
            let known = environment.keyring.secrets(merchant.id, environment.now()).await.expect("a read");
            let known = known.expect("a secret").first.expose_secret().to_owned();
            secrets.insert((number, merchant.id), SecretString::from(known));
        }
    }
    secrets
}

fn signature(secret: &SecretString, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).expect("any key");
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

/// Compares what the vendors' servers received with the events.
async fn check_received(
    evidence: Evidence<'_>,
    secrets: &BTreeMap<(usize, VendorId), SecretString>,
    wrong: &mut Vec<String>,
) {
    let received = evidence.world.received().clone();
    for payment in &evidence.crowd.payments {
        let environment = &evidence.parts.environments[payment.environment];
        let secret = &secrets[&(payment.environment, evidence.crowd.merchants[payment.merchant].id)];
        for session in payment.named.iter().collect::<BTreeSet<_>>() {
            for event in environment.store.session_events(*session).await.expect("events") {
                let id = event.id.to_string();
                let got = received.get(&id).map(Vec::as_slice).unwrap_or_default();
                let intact = got
                    .iter()
                    .any(|got| got.body == event.body && got.signature == signature(secret, &got.body));
                if event.state == DeliveryState::Delivered && !intact {
                    wrong.push(format!("callback {id} is delivered, and its receiver has not got it"));
                }
                if payment.environment == LIVE && got.iter().any(|got| got.body != event.body) {
                    wrong.push(format!("callback {id} was sent with another body"));
                }
            }
        }
    }
}
