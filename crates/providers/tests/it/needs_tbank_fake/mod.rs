//! The T-Bank adapter against the fake in `tests/providers/tbank`, a separate program with its own
//! record of the money. Each test starts its own.

mod closing;
mod conformance;
mod notices;
mod receipts;
mod refunds;
mod starts;

use serde_json::{Value, json};
use std::{
    ops::Deref,
    sync::Arc,
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
    tbank::{Tbank, TbankSetup},
};
use till_testing::tbank::Fake;

const BACK: &str = "https://pay.example/session/1";
const MINUTE: Duration = Duration::from_secs(60);

/// The fake, and the adapter that talks to it.
struct World {
    fake: Fake,
    tbank: Tbank,
}

impl Deref for World {
    type Target = Fake;

    fn deref(&self) -> &Fake {
        &self.fake
    }
}

impl World {
    fn new() -> Self {
        Self::with("")
    }

    /// A world with more lines in the set-up.
    fn with(more: &str) -> Self {
        let fake = Fake::start();
        let setup = TbankSetup::parse(&fake.document(more)).expect("a set-up");
        let tbank = Tbank::new(setup, fake.web.clone(), Arc::new(now)).expect("a client");
        Self { tbank: tbank.hurried(Duration::from_millis(1_500)), fake }
    }

    async fn set(&self, settings: Value) {
        self.does("settings", settings).await;
    }

    async fn start(&self, attempt: &Attempt) -> Result<Started, ProviderError> {
        self.start_until(attempt, attempt.started_at.plus(15 * MINUTE)).await
    }

    async fn start_until(&self, attempt: &Attempt, deadline: Timestamp) -> Result<Started, ProviderError> {
        let order = Order { attempt, amount: price(attempt), item: "Заказ 72", back: BACK, deadline };
        self.tbank.start(&order).await
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
        self.tbank.check(attempt).await.expect("an answer")
    }

    async fn close(&self, attempt: &Attempt) -> Observation {
        self.tbank.close(attempt).await.expect("an answer")
    }
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

fn money(minor: i64) -> Money {
    Money { minor, currency: Currency::parse("RUB").expect("a currency") }
}

fn price(attempt: &Attempt) -> Money {
    money(i64::try_from(attempt.charge.atoms).expect("a price"))
}

/// An attempt of 1,490 roubles that was not started.
fn attempt(method: Method) -> Attempt {
    Attempt {
        id: AttemptId::new(now(), &entropy()),
        session: SessionId::new(now(), &entropy()),
        vendor: VendorId::new(now(), &entropy()),
        method,
        provider: Tbank::NAME.to_owned(),
        choice: None,
        email: None,
        language: Some("ru".to_owned()),
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: Quantity::from(money(149_000)),
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
        provider: Tbank::NAME.to_owned(),
        payment: attempt.reference.clone().expect("a reference"),
        amount: money(minor),
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
