//! The YooKassa adapter against the fake in `tests/providers/yookassa`, a separate program with its own
//! record of the money. Each test starts its own.

mod cards;
mod conformance;
mod faults;
mod notices;
mod races;
mod receipts;
mod records;
mod refunds;
mod sbp;

use serde_json::{Value, json};
use std::{
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use till_domain::{
    attempt::{Attempt, AttemptState, Observation, Quantity, Started},
    id::{AttemptId, RefundId, SessionId, TransactionId, VendorId},
    method::Method,
    money::{Currency, Money},
    refund::{Origin, Refund, RefundState},
    time::Timestamp,
};
use till_providers::{
    Order, Provider as _, ProviderError,
    yookassa::{Yookassa, YookassaSetup},
};
use till_testing::yookassa::Fake;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const BACK: &str = "https://pay.example/session/1";

/// The fake, and the adapter that talks to it.
struct World {
    fake: Fake,
    shop: Yookassa,
}

impl Deref for World {
    type Target = Fake;

    fn deref(&self) -> &Fake {
        &self.fake
    }
}

impl World {
    fn new() -> Self {
        Self::with("", "test_fake-secret")
    }

    /// A world with more lines in the set-up, and this key.
    fn with(more: &str, key: &str) -> Self {
        let fake = Fake::start(key);
        let shop = Yookassa::new(setup(&fake, key, more), fake.web.clone());
        let shop = shop.hurried(Duration::from_millis(1_500), Duration::from_millis(20));
        Self { fake, shop }
    }

    /// An adapter with another key.
    fn stranger(&self) -> Yookassa {
        Yookassa::new(setup(&self.fake, "test_other", ""), self.web.clone())
    }

    async fn start(&self, attempt: &Attempt) -> Result<Started, ProviderError> {
        let order = Order {
            attempt,
            amount: price(attempt),
            item: "Заказ 72",
            back: BACK,
            deadline: Timestamp::from_ms(i64::MAX),
        };
        self.shop.start(&order).await
    }

    /// A started attempt.
    async fn open(&self, method: Method) -> Attempt {
        let attempt = attempt(method);
        let started = self.start(&attempt).await.expect("it starts");
        opened(attempt, started)
    }

    async fn pay(&self, attempt: &Attempt) {
        self.does("pay", json!({ "payment": attempt.reference })).await;
    }

    async fn check(&self, attempt: &Attempt) -> Observation {
        self.shop.check(attempt).await.expect("an answer")
    }

    async fn close(&self, attempt: &Attempt) -> Observation {
        self.shop.close(attempt).await.expect("an answer")
    }
}

fn setup(fake: &Fake, key: &str, more: &str) -> YookassaSetup {
    YookassaSetup::parse(&fake.document(key, TOKEN, more)).expect("a set-up")
}

static NEXT: AtomicU64 = AtomicU64::new(1);

fn entropy() -> [u8; 10] {
    let mut entropy = [0; 10];
    entropy[..8].copy_from_slice(&NEXT.fetch_add(1, Relaxed).to_be_bytes());
    entropy
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time");
    Timestamp::from_ms(i64::try_from(since.as_millis()).expect("a time"))
}

fn money(minor: i64, code: &str) -> Money {
    Money { minor, currency: Currency::parse(code).expect("a currency") }
}

fn price(attempt: &Attempt) -> Money {
    money(i64::try_from(attempt.charge.atoms).expect("a price"), &attempt.charge.unit)
}

/// An attempt of 1,490 roubles that was not started.
fn attempt(method: Method) -> Attempt {
    Attempt {
        id: AttemptId::new(now(), &entropy()),
        session: SessionId::new(now(), &entropy()),
        vendor: VendorId::new(now(), &entropy()),
        method,
        provider: Yookassa::NAME.to_owned(),
        choice: None,
        email: None,
        language: Some("ru".to_owned()),
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: Quantity::from(money(149_000, "RUB")),
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

fn opened(attempt: Attempt, started: Started) -> Attempt {
    Attempt {
        state: AttemptState::Open,
        reference: Some(started.reference),
        instructions: Some(started.instructions),
        charge: started.charge,
        version: attempt.version + 1,
        ..attempt
    }
}

/// The attempt after its session has ended.
fn watched(attempt: &Attempt) -> Attempt {
    Attempt { state: AttemptState::Watched, version: attempt.version + 1, ..attempt.clone() }
}

fn paid(attempt: &Attempt) -> Observation {
    Observation::Paid {
        received: attempt.charge.clone(),
        reference: attempt.reference.clone().expect("a reference"),
    }
}

/// A refund of a paid attempt.
fn refund(attempt: &Attempt, minor: i64) -> Refund {
    Refund {
        id: RefundId::new(now(), &entropy()),
        session: attempt.session,
        vendor: attempt.vendor,
        transaction: TransactionId::new(now(), &entropy()),
        number: 1,
        method: attempt.method,
        provider: Yookassa::NAME.to_owned(),
        payment: attempt.reference.clone().expect("a reference"),
        amount: money(minor, "RUB"),
        origin: Origin::Payment { fee: 0 },
        reason: None,
        requested_by: "owner".to_owned(),
        state: RefundState::Sent,
        reference: None,
        moved: None,
        manual: None,
        pending: None,
        attempts: 1,
        check_at: None,
        silent_since: None,
        version: 1,
        created_at: now(),
        updated_at: now(),
    }
}

fn is_unknown<T: std::fmt::Debug>(answer: &Result<T, ProviderError>) -> bool {
    use ProviderError::{RateLimited, Unclear, Unknown};
    matches!(answer, Err(Unknown(_) | Unclear(_) | RateLimited { .. }))
}

fn is_definite<T: std::fmt::Debug>(answer: &Result<T, ProviderError>) -> bool {
    matches!(answer, Err(ProviderError::Definite(_)))
}
