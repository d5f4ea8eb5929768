//! Everything outside the service: the time, the bank with its truth of money, the vendors' servers, and the network that
//! loses, doubles and delays.

use crate::{book::MemoryBook, conditions::Conditions, dice::Dice};
use futures_util::{FutureExt as _, future::BoxFuture};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};
use till_domain::{attempt::Attempt, id::SessionId, money::Money, refund::Refund, time::Timestamp};
use till_providers::{Bank, Order, Provider as _, Refunds as _, Simulator};
use till_service::{
    mail::{MailFailure, OutgoingMail, SimulatedMailServer},
    outbound::{CallFailure, Delivery, SimulatedNetwork},
};

/// 2026-11-15T09:30:00.000Z
pub const START_MS: i64 = 1_794_735_000_000;

/// The key with which the bank signs its notices.
const BANK_KEY: [u8; 32] = [7; 32];

pub struct World {
    now: Arc<AtomicI64>,
    /// True once nothing is to fail any more.
    calm: AtomicBool,
    conditions: Conditions,
    /// Whether the bank says that it sends a notice of every change. Then payments are rarely polled.
    pub promises_notices: bool,
    dice: Mutex<Dice>,
    pub book: Arc<MemoryBook>,
    pub bank: Arc<Bank>,
    pub simulator: Simulator,
    /// What the vendors' servers received, by the id of the event.
    received: Mutex<BTreeMap<String, Vec<Received>>>,
    /// When a vendor's server first received the outcome of a session.
    pub reported: Mutex<BTreeMap<SessionId, Timestamp>>,
    /// Mails that were taken, by their id.
    mails: Mutex<BTreeMap<String, u64>>,
    /// Requests to the bank that are still on their way, although their sender has given up.
    late: Mutex<Vec<(Timestamp, LateRequest)>>,
}

/// A callback as a vendor's server received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub body: Vec<u8>,
    /// The signature that came with it.
    pub signature: String,
}

/// A request that reaches the bank after its sender has given up.
pub enum LateRequest {
    Start { attempt: Box<Attempt>, amount: Money },
    Close(Box<Attempt>),
    Refund(Box<Refund>),
}

/// What happens to a message and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Plain,
    /// The message never arrives.
    Lost,
    /// The message arrives after its sender has given up.
    Late(Duration),
    /// The message is acted on, and the answer never arrives.
    AnswerLost,
    /// The other side answers with an error.
    Refused,
    /// The message arrives twice.
    Doubled,
}

impl World {
    pub fn new(mut dice: Dice, conditions: Conditions) -> Arc<Self> {
        let now = Arc::new(AtomicI64::new(START_MS));
        let book = Arc::new(MemoryBook::new(Arc::clone(&now)));
        let bank = || Bank::new(Arc::clone(&book) as _, "http://127.0.0.1:9/bank".to_owned(), BANK_KEY);
        Arc::new(Self {
            calm: AtomicBool::new(false),
            conditions,
            promises_notices: dice.one_in(2),
            dice: Mutex::new(dice),
            bank: Arc::new(bank()),
            simulator: Simulator::live(Arc::new(bank())),
            received: Mutex::default(),
            reported: Mutex::default(),
            mails: Mutex::default(),
            late: Mutex::default(),
            book,
            now,
        })
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now.load(Ordering::SeqCst))
    }

    pub fn advance(&self, by: Duration) {
        self.now.fetch_add(i64::try_from(by.as_millis()).expect("a time"), Ordering::SeqCst);
        self.deliver_late();
    }

    pub fn calm_down(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::SeqCst)
    }

    fn dice(&self) -> MutexGuard<'_, Dice> {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fate of a message, and how long it and its answer take.
    pub fn message(&self) -> (Fate, Duration, Duration) {
        let calm = self.is_calm();
        let mut dice = self.dice();
        let fate = match if calm { 99 } else { dice.below(self.conditions.messages()) } {
            0 => Fate::Lost,
            1 => Fate::Late(dice.millis(1_000, 120_000)),
            2 => Fate::AnswerLost,
            3 => Fate::Refused,
            4 => Fate::Doubled,
            _ => Fate::Plain,
        };
        let slow = !calm && dice.one_in(30);
        let mut time = || if slow { dice.millis(1_000, 25_000) } else { dice.millis(0, 80) };
        (fate, time(), time())
    }

    /// Lets a request reach the bank later, although its sender gives up.
    pub fn send_late(&self, after: Duration, request: LateRequest) {
        let due = self.now().plus(after);
        self.late.lock().unwrap_or_else(PoisonError::into_inner).push((due, request));
    }

    fn deliver_late(&self) {
        let now = self.now();
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let (due, rest) = std::mem::take(&mut *late).into_iter().partition(|(at, _)| *at <= now);
        *late = rest;
        drop(late);
        let due: Vec<(Timestamp, LateRequest)> = due;
        for (_, request) in due {
            // The bank's records are in memory: its answer is ready, and no one waits for it.
            match request {
                LateRequest::Start { attempt, amount } => {
                    let order = Order {
                        attempt: &attempt,
                        amount,
                        item: "",
                        back: "",
                        deadline: Timestamp::from_ms(i64::MAX),
                    };
                    let _ = self.simulator.start(&order).now_or_never().expect("an answer");
                }
                LateRequest::Close(attempt) => {
                    let _ = self.simulator.close(&attempt).now_or_never().expect("an answer");
                }
                LateRequest::Refund(refund) => {
                    let _ = self.simulator.refund(&refund).now_or_never().expect("an answer");
                }
            }
        }
    }

    /// All callbacks that were received, by the id of their event.
    pub fn received(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Received>>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, delivery: Delivery<'_>) {
        let id = delivery.headers.iter().find(|(name, _)| name == "webhook-id");
        let id = id.map(|(_, value)| value.to_str().expect("text").to_owned()).unwrap_or_default();
        let signature = delivery.headers.iter().find(|(name, _)| name == "x-signature");
        let signature =
            signature.map(|(_, value)| value.to_str().expect("text").to_owned()).unwrap_or_default();
        let event: serde_json::Value = serde_json::from_slice(delivery.body).unwrap_or_default();
        if event["event"].as_str().is_some_and(|kind| kind.starts_with("session."))
            && let Some(session) = event["sessionId"].as_str().and_then(SessionId::parse)
        {
            let (mut reported, now) =
                (self.reported.lock().unwrap_or_else(PoisonError::into_inner), self.now());
            reported.entry(session).or_insert(now);
        }
        let received = Received { body: delivery.body.to_vec(), signature };
        self.received().entry(id).or_default().push(received);
    }
}

impl SimulatedNetwork for World {
    fn post<'a>(&'a self, delivery: Delivery<'a>) -> BoxFuture<'a, Result<u16, CallFailure>> {
        Box::pin(async move {
            let (fate, there, back) = self.message();
            tokio::time::sleep(there).await;
            match fate {
                Fate::Lost | Fate::Late(_) => return Err(CallFailure::Connect),
                Fate::Refused => return Err(CallFailure::Status(503)),
                Fate::Doubled => self.receive(delivery),
                Fate::Plain | Fate::AnswerLost => {}
            }
            self.receive(delivery);
            tokio::time::sleep(back).await;
            if fate == Fate::AnswerLost { Err(CallFailure::Closed) } else { Ok(200) }
        })
    }
}

impl SimulatedMailServer for World {
    fn take<'a>(&'a self, mail: &'a OutgoingMail<'a>) -> BoxFuture<'a, Result<(), MailFailure>> {
        Box::pin(async move {
            let (fate, there, _) = self.message();
            tokio::time::sleep(there).await;
            let trouble = MailFailure { class: "connection", lasting: false };
            if matches!(fate, Fate::Lost | Fate::Late(_) | Fate::Refused) {
                return Err(trouble);
            }
            *self.mails.lock().unwrap_or_else(PoisonError::into_inner).entry(mail.id.clone()).or_default() +=
                1;
            if fate == Fate::AnswerLost { Err(trouble) } else { Ok(()) }
        })
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("now", &self.now()).finish_non_exhaustive()
    }
}
