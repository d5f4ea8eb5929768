//! Vendors and customers: each payment is a small script that calls any node, is cut off, calls again, and remembers every
//! answer it got.

use crate::{
    conditions::Conditions,
    dice::Dice,
    node::{KEPT, Node},
    world::World,
};
use axum::{
    Router,
    body::Body,
    http::{Method as HttpMethod, Request},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use till_domain::{
    id::{AttemptId, SessionId},
    method::Method,
    time::Timestamp,
};
use till_providers::{BankDecision, Notice, SignedNotice, Simulator};
use till_service::cashier::PaymentChoice;
use tower_service::Service as _;

pub const LIVE: usize = 0;
pub const SANDBOX: usize = 1;

/// A vendor with its tokens of both environments.
#[derive(Debug, Clone)]
pub struct Merchant {
    pub id: till_domain::id::VendorId,
    pub tokens: [String; 2],
}

/// One payment, from the order to the last question about it.
#[derive(Debug)]
pub struct Payment {
    pub environment: usize,
    pub merchant: usize,
    pub order: String,
    pub key: Option<String>,
    body: String,
    pub session: Option<SessionId>,
    step: Step,
    pub next_at: Timestamp,
    /// True while a request is under way.
    pub busy: bool,
    /// Final statuses that a node reported.
    pub told: Vec<String>,
    /// Answers that contradict an earlier one.
    pub contradictions: Vec<String>,
    /// When the session was first asked for, and how long it may be paid.
    created_at: Option<Timestamp>,
    lifetime: Duration,
    /// When the last request was made.
    asked_at: Timestamp,
    /// Whether an outcome was begun or chosen.
    touched: bool,
    /// Sessions that answers to the create named.
    pub named: Vec<SessionId>,
    /// Whether the customer decides at once and the vendor asks once: most payments are like that.
    is_brief: bool,
    /// Requests of this step that got no answer, or one that says to try again.
    tries: u32,
    questions: u32,
}

/// The step that a payment takes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Create,
    Pay,
    Decide,
    Ask,
    After,
    Refund,
    Done,
}

/// What a request led to.
#[derive(Debug)]
pub enum Reply {
    Answer {
        status: u16,
        body: Value,
    },
    /// The call of the page ended; its result shows in the session.
    Called,
    /// A notice of the bank; true if the node accepted it.
    Noticed(SignedNotice, bool),
    /// The answer to a second request of the same step, which the vendor's server sent at the same time.
    Twin {
        status: u16,
        body: Value,
    },
    /// The connection broke, or the node died.
    Cut,
}

pub type Replies = Arc<Mutex<Vec<(usize, Reply)>>>;

/// Reports the end of a request, whatever that is.
struct Caller {
    replies: Replies,
    payment: usize,
    reply: Option<Reply>,
}

impl Caller {
    fn new(replies: &Replies, payment: usize) -> Self {
        Self { replies: Arc::clone(replies), payment, reply: None }
    }

    fn end(mut self, reply: Reply) {
        self.reply = Some(reply);
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        let reply = self.reply.take().unwrap_or(Reply::Cut);
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push((self.payment, reply));
    }
}

/// How the customers of a simulation decide, and where their requests go.
pub struct Crowd {
    pub payments: Vec<Payment>,
    pub merchants: Vec<Merchant>,
    pub dice: Dice,
    conditions: Conditions,
    pub replies: Replies,
    now: Timestamp,
    /// The payments that wait for their next step, by its time.
    due: BTreeSet<(Timestamp, usize)>,
    /// Payments that are not done.
    open: usize,
    /// Requests under way, so that some can be cut off.
    under_way: Vec<tokio::task::AbortHandle>,
    /// Notices that the bank has still to deliver.
    notices: Vec<(Timestamp, usize, SignedNotice)>,
    /// Whether two like requests were sent at the same time in this round.
    has_twins: bool,
}

const DECISIONS: [BankDecision; 12] = [
    BankDecision::Approve,
    BankDecision::Approve,
    BankDecision::Approve,
    BankDecision::ApproveSlowly,
    BankDecision::Decline,
    BankDecision::InsufficientFunds,
    BankDecision::CardExpired,
    BankDecision::ThreeDs,
    BankDecision::Cancel,
    BankDecision::Expire,
    BankDecision::PayShort,
    BankDecision::PayOver,
];

async fn answer(mut router: Router, request: Request<Body>) -> (u16, Value) {
    let Ok(response) = router.call(request).await;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

impl Crowd {
    pub fn new(merchants: Vec<Merchant>, dice: Dice, conditions: Conditions) -> Self {
        Self {
            payments: Vec::new(),
            merchants,
            dice,
            conditions,
            replies: Replies::default(),
            now: Timestamp::from_ms(0),
            due: BTreeSet::new(),
            open: 0,
            under_way: Vec::new(),
            notices: Vec::new(),
            has_twins: false,
        }
    }

    /// A new order.
    pub fn order(&mut self, now: Timestamp) {
        let number = self.payments.len();
        let dice = &mut self.dice;
        let environment = if dice.one_in(4) { SANDBOX } else { LIVE };
        // Now and then a customer orders the same thing in two windows.
        let again = dice.one_in(12).then(|| self.payments.last()).flatten();
        let again = again.filter(|last| last.environment == environment);
        let (merchant, order) = match again {
            Some(last) => (last.merchant, last.order.clone()),
            None => (dice.index(self.merchants.len()), format!("order-{number}")),
        };
        let mut body = json!({
            "product_name": "Atlas",
            "price": format!("{}.{:02}", 1 + dice.below(9_000), dice.below(100)),
            "currency": "RUB",
            "order_id": order,
        });
        if !dice.one_in(10) {
            body["callback_url"] = json!(format!("http://127.0.0.1:9/callbacks/{merchant}"));
        }
        // The shortest of the methods' lifetimes, or the one that the vendor asks for.
        let mut lifetime = Duration::from_secs(600);
        if dice.one_in(6) {
            lifetime = Duration::from_secs(300 + dice.below(300));
            body["expires_in"] = json!(lifetime.as_secs());
        }
        if dice.one_in(3) {
            body["customer_email"] = json!(format!("customer-{number}@till.test"));
        }
        if number.is_multiple_of(6) {
            body["receipt"] = receipt(&body["price"]);
        }
        let next_at = now.plus(dice.millis(0, 2_000));
        let is_brief = !dice.one_in(self.conditions.long_ones());
        self.due.insert((next_at, number));
        self.open += 1;
        let key = (!dice.one_in(8)).then(|| format!("key-{number}"));
        self.payments.push(Payment {
            environment,
            merchant,
            order,
            key,
            body: body.to_string(),
            session: None,
            step: Step::Create,
            next_at,
            busy: false,
            told: Vec::new(),
            contradictions: Vec::new(),
            created_at: None,
            lifetime,
            asked_at: now,
            touched: false,
            named: Vec::new(),
            is_brief,
            tries: 0,
            questions: 0,
        });
    }

    /// Payments that are not done.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Whether two like requests are on their way since the last time.
    pub fn take_twins(&mut self) -> bool {
        std::mem::take(&mut self.has_twins)
    }

    /// Does what is due: each payment calls a node that the dice choose.
    pub fn act(&mut self, nodes: &[Option<Node>], world: &Arc<World>) {
        let now = world.now();
        self.now = now;
        let up: Vec<&Node> = nodes.iter().flatten().collect();
        if up.is_empty() {
            return;
        }
        let later = self.due.split_off(&(now.plus(Duration::from_millis(1)), 0));
        for (_, number) in std::mem::replace(&mut self.due, later) {
            let node = up[self.dice.index(up.len())];
            self.take_step(number, (node, &up), world);
            let payment = &self.payments[number];
            if payment.step == Step::Done {
                self.open -= 1;
            } else if !payment.busy {
                self.due.insert((payment.next_at, number));
            }
        }
        self.send_notices(&up, now);
    }

    /// Sends the notices that are left.
    pub fn only_send_notices(&mut self, nodes: &[Option<Node>], world: &World) {
        let up: Vec<&Node> = nodes.iter().flatten().collect();
        self.send_notices(&up, world.now());
    }

    /// Cuts off one of the requests that are under way.
    pub fn cut_one(&mut self) {
        self.under_way.retain(|request| !request.is_finished());
        if !self.under_way.is_empty() {
            let request = self.under_way.swap_remove(self.dice.index(self.under_way.len()));
            request.abort();
        }
    }

    fn take_step(&mut self, number: usize, (node, up): (&Node, &[&Node]), world: &Arc<World>) {
        match self.payments[number].step {
            Step::Create => self.create(number, node, up),
            Step::Pay => self.pay(number, node),
            Step::Decide => self.decide(number, world),
            Step::Ask => self.call_api(number, node, HttpMethod::GET, "", None),
            Step::After => self.after(number, (node, up), world),
            // Its answer is on the way, or lost: the vendor asks next.
            Step::Refund => self.payments[number].step = Step::Ask,
            Step::Done => {}
        }
    }

    fn create(&mut self, number: usize, node: &Node, up: &[&Node]) {
        let now = self.now;
        self.payments[number].created_at.get_or_insert(now);
        let payment = &self.payments[number];
        if payment.key.is_none() && payment.tries > 0 {
            // Without a key the vendor cannot know whether there is a session: it gives up.
            self.payments[number].step = Step::Done;
            return;
        }
        let body = payment.body.clone();
        // Two workers of the vendor take the same order from their queue.
        let twin = (payment.key.is_some() && self.dice.one_in(self.conditions.twins()))
            .then(|| self.dice.index(up.len()));
        if let Some(twin) = twin {
            let request = self.request(number, HttpMethod::POST, "", Some(body.clone()));
            self.send_twin(number, up[twin], request);
        }
        self.call_api(number, node, HttpMethod::POST, "", Some(body));
    }

    /// Calls the API of the vendor's environment, about the session if there is one.
    fn call_api(&mut self, number: usize, node: &Node, method: HttpMethod, path: &str, body: Option<String>) {
        let request = self.request(number, method, path, body);
        let (router, caller) = (node.parts.router.clone(), Caller::new(&self.replies, number));
        self.spawn(number, node, async move {
            let (status, body) = answer(router, request).await;
            caller.end(Reply::Answer { status, body });
        });
    }

    /// Sends a request that is like another one, and at the same time.
    fn send_twin(&mut self, number: usize, node: &Node, request: Request<Body>) {
        let (router, mut caller) = (node.parts.router.clone(), Caller::new(&self.replies, number));
        caller.reply = Some(Reply::Twin { status: 0, body: Value::Null });
        let task = node.spawn(async move {
            let (status, body) = answer(router, request).await;
            caller.end(Reply::Twin { status, body });
        });
        self.under_way.push(task.abort_handle());
        self.has_twins = true;
    }

    fn request(&self, number: usize, method: HttpMethod, path: &str, body: Option<String>) -> Request<Body> {
        let payment = &self.payments[number];
        let base = ["/api/product/session", "/api/sandbox/vendor/checkout-session"][payment.environment];
        let session = payment.session.map(|id| format!("/{id}")).unwrap_or_default();
        let token = &self.merchants[payment.merchant].tokens[payment.environment];
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{base}{session}{path}"))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        if let (Some(key), true) = (&payment.key, body.is_some()) {
            request = request.header("idempotency-key", format!("{key}{path}{}", payment.questions));
        }
        request.body(body.map_or_else(Body::empty, Body::from)).expect("a request")
    }

    fn spawn(&mut self, number: usize, node: &Node, task: impl Future<Output = ()> + Send + 'static) {
        (self.payments[number].busy, self.payments[number].asked_at) = (true, self.now);
        self.under_way.push(node.spawn(task).abort_handle());
        if self.under_way.len() > 2_000 {
            self.under_way.retain(|request| !request.is_finished());
        }
    }

    fn pay(&mut self, number: usize, node: &Node) {
        let payment = &self.payments[number];
        let Some(session) = payment.session else { return };
        self.payments[number].touched = true;
        let payment = &self.payments[number];
        if payment.environment == SANDBOX && self.dice.one_in(2) {
            return self.simulate(number, node);
        }
        let environment = payment.environment;
        let method = match self.dice.below(5) {
            0 if environment == LIVE => Method::Sbp,
            1 if environment == LIVE => Method::Crypto,
            _ => Method::Card,
        };
        let choices = ["paid", "declined", "insufficient_funds", "three_ds", "expire"];
        let choice = PaymentChoice {
            method,
            choice: (environment == SANDBOX).then(|| (*self.dice.pick(&choices)).to_owned()),
            email: self.dice.one_in(2).then(|| "payer@till.test".to_owned()),
            language: "en",
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let cashier = Arc::clone(&node.parts.cashiers[environment]);
        let caller = Caller::new(&self.replies, number);
        self.spawn(number, node, async move {
            let _ = cashier.pay(session, &choice).await;
            caller.end(Reply::Called);
        });
    }

    /// A tester chooses the outcome of a sandbox session by a call.
    fn simulate(&mut self, number: usize, node: &Node) {
        let outcome = *self.dice.pick(&["paid", "paid", "failed", "expired"]);
        let mut body = json!({ "outcome": outcome });
        if outcome == "failed" {
            body["failure_reason"] = json!("card_declined");
        }
        if self.dice.one_in(3) {
            body["after_ms"] = json!(self.dice.below(20_000));
        }
        if self.dice.one_in(3) {
            let faults = [
                "drop",
                "delay",
                "duplicate",
                "reorder",
                "bad_signature",
                "wrong_secret",
                "truncated",
                "unknown_event",
            ];
            body["callback"] = json!({ "fault": *self.dice.pick(&faults) });
        }
        if number.is_multiple_of(12) {
            body["receipt"] = json!("failed");
        }
        self.call_api(number, node, HttpMethod::POST, "/simulate", Some(body.to_string()));
    }

    /// The customer decides at the bank, which then sends a notice, once or twice, now or later.
    fn decide(&mut self, number: usize, world: &Arc<World>) {
        let now = world.now();
        self.payments[number].step = Step::Ask;
        self.payments[number].next_at = now.plus(self.dice.millis(10, 20_000));
        let Some(session) = self.payments[number].session else { return };
        let open = world.book.records().of_session(session);
        for id in open {
            self.decide_about(number, id, world);
        }
    }

    fn decide_about(&mut self, number: usize, id: AttemptId, world: &Arc<World>) {
        use futures_util::FutureExt as _;
        let entry = world.bank.entry(id).now_or_never().expect("an answer").expect("records");
        let Some(entry) = entry else { return };
        let possible = world.bank.decisions(&entry);
        let wanted = *self.dice.pick(&DECISIONS);
        let Some(decision) = possible.iter().find(|d| **d == wanted).or(possible.first()) else { return };
        let notice = world.bank.decide(id, *decision).now_or_never().expect("an answer").expect("records");
        let Some(notice) = notice else { return };
        for _ in 0..1 + self.dice.below(2) {
            let due = world.now().plus(if self.dice.one_in(5) {
                self.dice.millis(1_000, 600_000)
            } else {
                self.dice.millis(0, 500)
            });
            self.notices.push((due, number, notice.clone()));
        }
    }

    fn send_notices(&mut self, up: &[&Node], now: Timestamp) {
        let (due, rest) = std::mem::take(&mut self.notices).into_iter().partition(|(at, ..)| *at <= now);
        self.notices = rest;
        let due: Vec<(Timestamp, usize, SignedNotice)> = due;
        for (_, number, notice) in due {
            let node = up[self.dice.index(up.len())];
            let cashier = Arc::clone(&node.parts.cashiers[LIVE]);
            let mut caller = Caller::new(&self.replies, number);
            caller.reply = Some(Reply::Noticed(notice.clone(), false));
            let task = node.spawn(async move {
                let sent = Notice { signature: Some(&notice.signature), body: &notice.body };
                let accepted = matches!(cashier.notice(Simulator::NAME, None, &sent).await, Ok(true));
                caller.end(Reply::Noticed(notice, accepted));
            });
            self.under_way.push(task.abort_handle());
        }
    }

    /// What happens after a session has ended: refunds, disputes, late money.
    fn after(&mut self, number: usize, (node, up): (&Node, &[&Node]), world: &Arc<World>) {
        let payment = &mut self.payments[number];
        let paid = payment.told.last().is_some_and(|status| status == "paid");
        payment.step = Step::Ask;
        payment.questions += 10;
        payment.next_at = world.now().plus(Duration::from_secs(30));
        if paid && number.is_multiple_of(18) {
            let body = json!({ "type": "closing" });
            self.payments[number].step = Step::Refund;
            self.call_api(number, node, HttpMethod::POST, "/receipts", Some(body.to_string()));
        } else if paid && self.dice.one_in(self.conditions.refunds()) {
            let mut body = json!({});
            if self.dice.one_in(2) {
                body = json!({ "amount": "0.50", "currency": "RUB" });
            }
            let reasons = ["plain", "slow", "fail", "timeout_before", "timeout_after"];
            body["reason"] = json!(format!("simulate {}", self.dice.pick(&reasons)));
            self.payments[number].step = Step::Refund;
            // Two of the vendor's staff refund at once, or each of two clicks counts.
            if self.dice.one_in(self.conditions.refunds()) {
                let request = self.request(number, HttpMethod::POST, "/refunds", Some(body.to_string()));
                self.payments[number].questions += 1;
                let twin = self.dice.index(up.len());
                self.send_twin(number, up[twin], request);
            }
            self.call_api(number, node, HttpMethod::POST, "/refunds", Some(body.to_string()));
        } else {
            // A dispute, or money that comes although the time was up.
            self.decide(number, world);
        }
    }

    /// Takes the answers that came, and decides what each payment does next.
    pub fn take_replies(&mut self, world: &World) {
        let now = world.now();
        let replies = std::mem::take(&mut *self.replies.lock().unwrap_or_else(PoisonError::into_inner));
        for (number, reply) in replies {
            match reply {
                Reply::Noticed(notice, false) => {
                    let due = now.plus(self.dice.millis(1_000, 60_000));
                    self.notices.push((due, number, notice));
                }
                Reply::Noticed(_, true) => {}
                Reply::Twin { status, body } => {
                    self.payments[number].named.extend(session_named(&body));
                    self.payments[number].contradict_failure(status, &body);
                }
                Reply::Called => {
                    // Some customers leave the bank's page open for a long time, others decide in the last seconds.
                    let is_brief = self.payments[number].is_brief;
                    let within = if !is_brief && self.dice.one_in(5) { 700_000 } else { 3_000 };
                    self.next(number, Step::Decide, now, within);
                    if !is_brief && self.dice.one_in(3) {
                        self.postpone(number, Duration::from_secs(2));
                    }
                }
                Reply::Cut => self.retry(number, now),
                Reply::Answer { status, body } => self.take_answer(number, world, (status, &body), now),
            }
        }
    }

    fn retry(&mut self, number: usize, now: Timestamp) {
        self.payments[number].tries += 1;
        let step = self.payments[number].step;
        self.next(number, step, now, 5_000);
    }

    fn next(&mut self, number: usize, step: Step, now: Timestamp, within_ms: u64) {
        let payment = &mut self.payments[number];
        (payment.busy, payment.step) = (false, step);
        payment.next_at = now.plus(self.dice.millis(1, within_ms));
        if step == Step::Done {
            self.open -= 1;
        } else {
            self.due.insert((payment.next_at, number));
        }
    }

    /// Moves the next step to about the end of the payment's time, if that is still to come: up to this long before it.
    fn postpone(&mut self, number: usize, before: Duration) {
        let payment = &mut self.payments[number];
        let Some(end) = payment.created_at.map(|at| at.plus(payment.lifetime)) else { return };
        let at = end.minus(before).plus(self.dice.millis(0, 2_500));
        if at > payment.next_at && self.due.remove(&(payment.next_at, number)) {
            payment.next_at = at;
            self.due.insert((at, number));
        }
    }

    fn take_answer(&mut self, number: usize, world: &World, (status, body): (u16, &Value), now: Timestamp) {
        let payment = &mut self.payments[number];
        payment.contradict_failure(status, body);
        if payment.step == Step::Refund {
            return self.next(number, Step::Ask, now, 5_000);
        }
        if status >= 500 || status == 409 || status == 429 {
            return self.retry(number, now);
        }
        let named = session_named(body);
        match payment.step {
            Step::Create => {
                assert_eq!(status, 201, "a create was refused: {body}");
                payment.named.extend(named);
                payment.session = named;
                // Some customers never pay.
                let step = if self.dice.one_in(10) { Step::Ask } else { Step::Pay };
                self.next(number, step, now, 10_000);
            }
            Step::Ask => self.take_status(number, world, body, now),
            _ => self.next(number, Step::Ask, now, 5_000),
        }
    }

    fn take_status(&mut self, number: usize, world: &World, body: &Value, now: Timestamp) {
        let payment = &mut self.payments[number];
        let Some(status) = body["status"].as_str().filter(|_| body["sessionId"].is_string()) else {
            // Only old sandbox sessions are deleted.
            let young = payment.created_at.is_some_and(|at| now.since(at) < KEPT.saturating_sub(TOLERANCE));
            if payment.environment == LIVE || young {
                payment.contradictions.push(format!("{} is gone: {body}", payment.order));
            }
            return self.next(number, Step::Done, now, 1);
        };
        payment.questions += 1;
        let questions = payment.questions;
        if status == "pending" {
            payment.contradict_pending(world);
            // Now and then the customer chooses another method.
            let (is_brief, pause) =
                (self.payments[number].is_brief, 20_000 + 5_000 * u64::from(questions.min(60)));
            let step = match questions {
                // The rest is left to the callback.
                3.. if is_brief => Step::Done,
                _ if !is_brief && self.dice.one_in(4) => Step::Pay,
                _ => Step::Ask,
            };
            self.next(number, step, now, pause);
            if step == Step::Ask && (is_brief || self.dice.one_in(4)) {
                self.postpone(number, Duration::ZERO);
            }
            return;
        }
        payment.contradict_early_end(status, now);
        payment.contradict_later_end(body, now);
        payment.told.push(status.to_owned());
        let step = match questions {
            _ if payment.is_brief => Step::Done,
            ..10 if self.dice.one_in(4) => Step::After,
            ..2 => Step::Ask,
            10.. if self.dice.one_in(2) => Step::After,
            _ => Step::Done,
        };
        let step = if questions > 30 { Step::Done } else { step };
        self.next(number, step, now, 20_000);
    }
}

/// The session that the answer to a create names.
fn session_named(body: &Value) -> Option<SessionId> {
    body["session_id"].as_str().and_then(SessionId::parse)
}

/// A fiscal receipt of a payment of this price. It depends on no dice, so that runs with and without receipts are alike.
fn receipt(price: &Value) -> Value {
    json!({
        "customer": { "email": "payer@till.test" },
        "items": [{ "name": "Atlas", "price": price, "vat": "22/122", "mode": "full_prepayment" }],
    })
}

/// How far the clocks of a machine may be apart.
const TOLERANCE: Duration = Duration::from_secs(15);

impl Payment {
    /// Notes that a session is pending although its outcome was known before the question (I22).
    fn contradict_pending(&mut self, world: &World) {
        let reported = world.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let reported = self.session.and_then(|id| reported.get(&id).copied());
        if !self.told.is_empty() || reported.is_some_and(|at| at < self.asked_at) {
            self.contradictions.push(format!("{} is pending after its outcome was reported", self.order));
        }
    }

    /// Notes that a node failed in a way that it did not expect.
    fn contradict_failure(&mut self, status: u16, body: &Value) {
        if status == 500 {
            self.contradictions.push(format!("a call about {} failed: {body}", self.order));
        }
    }

    /// Notes that a session ended at a time that is still to come.
    fn contradict_later_end(&mut self, body: &Value, now: Timestamp) {
        let at = body["updatedAt"].as_str().and_then(Timestamp::parse);
        if at.is_none_or(|at| at > now.plus(TOLERANCE)) {
            self.contradictions.push(format!("{} is said to have ended at {at:?}", self.order));
        }
    }

    /// Notes that a session has expired before its time, although no one touched it (I12).
    fn contradict_early_end(&mut self, status: &str, now: Timestamp) {
        let age = self.created_at.map_or(Duration::MAX, |at| now.since(at));
        if status == "expired" && !self.touched && age + TOLERANCE < self.lifetime {
            self.contradictions.push(format!("{} has expired after {} s", self.order, age.as_secs()));
        }
    }
}
