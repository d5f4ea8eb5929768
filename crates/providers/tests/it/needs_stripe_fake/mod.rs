//! The Stripe adapter against the fake in `tests/providers/stripe`, a separate process with its own record of
//! the money. At the end of a test that record is compared with the adapter's answers.

mod conformance;
mod faults;
mod notices;
mod payments;
mod races;
mod records;
mod refunds;

pub(crate) use conformance::StripeCards;

use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use till_domain::{
    attempt::{Attempt, AttemptState, Instructions, Observation, Quantity, Started, Values},
    id::{AttemptId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    refund::{Origin, Refund, RefundSeen, RefundState},
    time::Timestamp,
};
use till_providers::{
    Order, Provider as _, ProviderError,
    stripe::{Stripe, StripeSetup},
    web::Web,
};
use till_testing::stripe::Fake;

/// The fake and the adapter, and all answers of the adapter.
pub(super) struct Scene {
    fake: Fake,
    pub(super) stripe: Stripe,
    said: Mutex<Said>,
}

/// The amounts of payments and refunds as the adapter reported them, by reference; and the payments that it
/// ended.
#[derive(Default)]
struct Said {
    paid: HashMap<String, u128>,
    /// Payments that the adapter reported as ended without money.
    over: HashMap<String, Observation>,
    refunded: HashMap<RefundId, i64>,
}

impl Scene {
    pub(super) async fn new() -> Self {
        Self::with("webhook_secrets = [\"whsec_fake\"]").await
    }

    /// A scene with this line for the webhook secrets.
    pub(super) async fn with(secrets: &str) -> Self {
        Self::begin(secrets)
    }

    fn begin(secrets: &str) -> Self {
        let fake = Fake::start();
        let setup = StripeSetup::parse(&fake.document(secrets)).expect("a set-up");
        let stripe = Stripe::new(setup, Web::trusting([]), clock());
        Self { fake, stripe, said: Mutex::default() }
    }

    pub(super) async fn control(&self, path: &str, wish: Value) -> Value {
        self.fake.control(path, wish).await
    }

    pub(super) async fn truth(&self) -> Value {
        self.fake.truth().await
    }

    pub(super) async fn fault(&self, path: &str, kind: &str) {
        self.fake.fault(path, kind).await;
    }

    pub(super) async fn pays(&self, attempt: &Attempt, card: &str) {
        self.fake.pays(attempt.reference.as_ref().expect("a payment"), card).await;
    }

    pub(super) async fn answers_bank(&self, attempt: &Attempt, word: &str) {
        self.fake.answers_bank(attempt.reference.as_ref().expect("a payment"), word).await;
    }

    pub(super) async fn calls(&self, method: &str, path: &str) -> usize {
        self.fake.calls(method, path).await
    }

    pub(super) async fn start(&self, attempt: &Attempt, amount: Money) -> Result<Started, ProviderError> {
        let back = "https://pay.example/session/1";
        self.stripe
            .start(&Order {
                attempt,
                amount,
                item: "Tea, 100 g",
                back,
                deadline: Timestamp::from_ms(i64::MAX),
            })
            .await
    }

    /// A started payment.
    pub(super) async fn open(&self, number: u8) -> Attempt {
        let mut attempt = attempt(number);
        let started = self.start(&attempt, price()).await.expect("it starts");
        attempt.reference = Some(started.reference);
        attempt.instructions = Some(started.instructions);
        attempt.state = AttemptState::Open;
        attempt
    }

    /// A paid payment.
    pub(super) async fn paid(&self, number: u8) -> Attempt {
        let attempt = self.open(number).await;
        self.pays(&attempt, "4242424242424242").await;
        assert_eq!(self.check(&attempt).await, Ok(paid(&attempt)));
        attempt
    }

    pub(super) async fn check(&self, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let said = self.stripe.check(attempt).await;
        self.note(attempt, &said);
        said
    }

    pub(super) async fn close(&self, attempt: &Attempt) -> Result<Observation, ProviderError> {
        let said = self.stripe.close(attempt).await;
        self.note(attempt, &said);
        said
    }

    fn note(&self, attempt: &Attempt, said: &Result<Observation, ProviderError>) {
        let mut known = self.said.lock().expect("notes");
        match (said, &attempt.reference) {
            (Ok(Observation::Paid { received, reference }), _) => {
                known.paid.insert(reference.clone(), received.atoms);
            }
            (
                Ok(over @ (Observation::Declined(_) | Observation::Closed | Observation::TimedOut)),
                Some(reference),
            ) => {
                known.over.insert(reference.clone(), over.clone());
            }
            _ => {}
        }
    }

    pub(super) async fn refund(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let seen = self.stripe.refunds().expect("it can").refund(refund).await;
        self.note_refund(refund, &seen);
        seen
    }

    pub(super) async fn ask(&self, refund: &Refund) -> Result<RefundSeen, ProviderError> {
        let seen = self.stripe.refunds().expect("it can").check(refund).await;
        self.note_refund(refund, &seen);
        seen
    }

    fn note_refund(&self, refund: &Refund, seen: &Result<RefundSeen, ProviderError>) {
        let mut known = self.said.lock().expect("notes");
        match seen {
            Ok(RefundSeen::Succeeded { .. } | RefundSeen::Pending) => {
                known.refunded.insert(refund.id, refund.amount.minor);
            }
            Ok(RefundSeen::Failed { .. }) | Err(ProviderError::Definite(_)) => {
                known.refunded.remove(&refund.id);
            }
            _ => {}
        }
    }

    /// Compares the adapter's answers with the fake's record of the money.
    pub(super) async fn compare(&self) {
        let truth = self.truth().await;
        let known = self.said.lock().expect("notes");
        let mut received = HashMap::new();
        for (id, intent) in truth["intents"].as_object().expect("intents") {
            let amount = intent["amount_received"].as_u64().expect("an amount");
            if amount > 0 {
                received.insert(id.clone(), u128::from(amount));
            }
        }
        assert_eq!(known.paid, received, "what was taken");
        for (id, over) in &known.over {
            let status = &truth["intents"][id]["status"];
            assert_eq!(status, "canceled", "{id} was said to be {over:?}");
        }
        let said: i64 = known.refunded.values().sum();
        assert_eq!(truth["totals"]["usd"]["refunded"].as_i64().unwrap_or(0), said, "what has gone back");
    }
}

fn clock() -> Arc<dyn Fn() -> Timestamp + Send + Sync> {
    Arc::new(now)
}

pub(super) fn now() -> Timestamp {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
    Timestamp::from_ms(i64::try_from(since.as_millis()).expect("a time"))
}

pub(super) fn money(minor: i64, code: &str) -> Money {
    Money { minor, currency: Currency::parse(code).expect("a currency") }
}

pub(super) fn price() -> Money {
    money(4_990, "USD")
}

pub(super) fn attempt(number: u8) -> Attempt {
    Attempt {
        id: AttemptId::from_bytes([number; 16]),
        session: SessionId::from_bytes([number; 16]),
        vendor: VendorId::from_bytes([9; 16]),
        method: Method::Card,
        provider: Stripe::NAME.to_owned(),
        choice: None,
        email: None,
        language: None,
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: Quantity::from(price()),
        received: 0,
        recorded: 0,
        confirmations: None,
        in_flight_since: None,
        started_at: now(),
        updated_at: now(),
        check_at: None,
        checks: 0,
        version: 1,
    }
}

pub(super) fn paid(attempt: &Attempt) -> Observation {
    Observation::Paid { received: price().into(), reference: attempt.reference.clone().expect("a reference") }
}

pub(super) fn refund_of(payment: &Attempt, number: u8, minor: i64) -> Refund {
    Refund {
        id: RefundId::from_bytes([number; 16]),
        session: payment.session,
        vendor: payment.vendor,
        transaction: TransactionId::from_bytes([1; 16]),
        number: i64::from(number),
        method: Method::Card,
        provider: Stripe::NAME.to_owned(),
        payment: payment.reference.clone().expect("a payment"),
        amount: Money { minor, ..price() },
        origin: Origin::Payment { fee: 0 },
        reason: None,
        requested_by: "api".to_owned(),
        state: RefundState::Sent,
        reference: None,
        moved: None,
        manual: None,
        pending: None,
        attempts: 1,
        check_at: None,
        silent_since: None,
        version: 2,
        created_at: now(),
        updated_at: now(),
    }
}

pub(super) fn value(attempt: &Attempt, name: &str) -> String {
    let Some(Instructions::Embedded { values: Values::Open(values), .. }) = &attempt.instructions else {
        panic!("a form")
    };
    values.iter().find(|(key, _)| key == name).expect("a value").1.clone()
}
