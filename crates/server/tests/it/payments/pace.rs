//! Providers that limit our request rate, hang, or do not answer. The cashier is the real one, on a real
//! store; the test moves the clock, which limits and pauses use.

use crate::support::{MASTER_KEY, Server, until};
use futures_util::future::{BoxFuture, join_all};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use till::app::{App, AppOptions};
use till_domain::{
    attempt::{self, Attempt, AttemptState, Beginning, Instructions, Observation, Started},
    change::Change,
    id::{AttemptId, SessionId, VendorId},
    ledger::Terms,
    method::Method,
    request::{CreateRequest, FieldValue},
    rules::{Currencies, Offering},
    session::{self, Catalog, Creation, Session, State},
    time::Timestamp,
    transaction::{ActionKind, Resolution},
    vendor::Vendor,
};
use till_providers::{Notice, NoticeSubject, Order, Provider, ProviderError, web};
use till_service::{
    cashier::{Cashier, NoticeError, PaymentChoice, Readiness},
    environment::Environment,
    random,
    settings::Settings,
};
use till_store::{ActionFilter, Clock, Committed, Durability, StoredAction};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Requests per second that an endpoint takes.
const LIMIT: usize = 25;

/// The state of a payment at the acquirer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Paid,
    Closed,
}

/// An acquirer that answers 429 above its rate limit, and nothing at all when the test says so.
#[derive(Debug)]
struct Acquirer {
    name: &'static str,
    method: Method,
    rate: Option<u32>,
    clock: Clock,
    payments: Mutex<HashMap<AttemptId, Status>>,
    /// The requests to each endpoint in the last second.
    asked: Mutex<HashMap<&'static str, VecDeque<i64>>>,
    requests: AtomicU64,
    refused: AtomicU64,
    /// True if requests about a payment are never answered.
    hangs: AtomicBool,
    /// True if every request is answered with an error at once.
    silent: AtomicBool,
}

impl Acquirer {
    fn new(name: &'static str, method: Method, clock: &Clock) -> Arc<Self> {
        Self::with_rate(name, method, clock, Some(20))
    }

    fn with_rate(name: &'static str, method: Method, clock: &Clock, rate: Option<u32>) -> Arc<Self> {
        Arc::new(Self {
            name,
            method,
            rate,
            clock: clock.clone(),
            payments: Mutex::default(),
            asked: Mutex::default(),
            requests: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            hangs: AtomicBool::new(false),
            silent: AtomicBool::new(false),
        })
    }

    /// One request to an endpoint.
    fn request(&self, endpoint: &'static str) -> Result<(), ProviderError> {
        web::count_request();
        if self.silent.load(Ordering::Relaxed) {
            return Err(ProviderError::Unknown("no answer".to_owned()));
        }
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (now, mut asked) = (self.clock.now().as_ms(), self.asked.lock().expect("a lock"));
        let lately = asked.entry(endpoint).or_default();
        lately.retain(|at| *at > now - 1_000);
        if lately.len() >= LIMIT {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(ProviderError::RateLimited { retry_after: None, message: "429".to_owned() });
        }
        lately.push_back(now);
        Ok(())
    }

    fn set(&self, id: AttemptId, status: Status) -> Option<Status> {
        self.payments.lock().expect("a lock").insert(id, status)
    }

    fn status(&self, attempt: &Attempt) -> Option<Status> {
        self.payments.lock().expect("a lock").get(&attempt.id).copied()
    }

    async fn answer(&self, attempt: &Attempt, closing: bool) -> Result<Observation, ProviderError> {
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        self.request("retrieve")?;
        match self.status(attempt) {
            None => Ok(Observation::NeverStarted),
            Some(Status::Closed) => Ok(Observation::Closed),
            Some(Status::Paid) => {
                let reference = attempt.reference.clone().unwrap_or_default();
                Ok(Observation::Paid { received: attempt.charge.clone(), reference })
            }
            Some(Status::Open) if closing => {
                self.request("cancel")?;
                self.set(attempt.id, Status::Closed);
                Ok(Observation::Closed)
            }
            Some(Status::Open) => Ok(Observation::Waiting),
        }
    }
}

impl Provider for Acquirer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn methods(&self) -> Vec<Offering> {
        vec![Offering { method: self.method, currencies: Currencies::Any }]
    }

    fn notifies_of_every_change(&self) -> bool {
        true
    }

    fn requests_per_second(&self) -> Option<u32> {
        self.rate
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(async {
            self.request("create")?;
            self.set(order.attempt.id, Status::Open);
            let reference = order.attempt.id.to_string();
            let shown = Instructions::Redirect { url: "https://bank.example/".to_owned() };
            Ok(Started { reference, instructions: shown, charge: order.attempt.charge.clone() })
        })
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.answer(attempt, false))
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(self.answer(attempt, true))
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        String::from_utf8(notice.body.to_vec())
            .ok()
            .map(|reference| NoticeSubject::Payment { reference, attempt: None })
    }
}

/// A service whose workers the test runs itself.
struct Bench {
    cashier: Arc<Cashier>,
    live: Arc<Environment>,
    clock: Clock,
    vendor: Vendor,
    _app: App,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new(acquirers: impl FnOnce(&Clock) -> Vec<Arc<Acquirer>>) -> (Self, Vec<Arc<Acquirer>>) {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Timestamp::from_ms(1_794_735_000_000);
        let clock = Clock::manual(start);
        let variables = [
            ("TILL_DATA_DIR", folder.path().to_str().expect("a path")),
            ("TILL_LISTEN", "127.0.0.1:0"),
            ("TILL_MASTER_KEY", MASTER_KEY),
            // Twenty minutes pass in a few seconds.
            ("TILL_RATE_LIMITS", "off"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings = Settings::load(None, variables).expect("good settings");
        // These tests are about when providers are called; durability is tested elsewhere.
        let (clock_of_app, durability) = (Some(clock.clone()), Durability::Off);
        let options =
            AppOptions { clock: clock_of_app, durability, refuse_weak: false, ..AppOptions::default() };
        let app = App::start(settings, options).await.expect("the service starts");
        let all = acquirers(&clock);
        let providers = all.iter().map(|one| Arc::clone(one) as Arc<dyn Provider>).collect();
        let live = Arc::clone(&app.live);
        let cashier = Cashier::by_clock(Arc::clone(&live), providers);
        let vendor = Vendor {
            id: random::id::<VendorId>(start),
            name: "Halden Press".to_owned(),
            sandbox: false,
            disabled: false,
            created_at: start,
            parent: None,
            settings: till_domain::vendor::Settings::default(),
            terms: Terms::default(),
            credentials: Vec::new(),
        };
        (Self { cashier, live, clock, vendor, _app: app, _folder: folder }, all)
    }

    async fn commit(&self, changes: &[Change]) {
        assert_eq!(self.live.commit(changes).await.expect("a commit"), Committed::Done);
    }

    async fn order(&self, number: usize) -> Session {
        let text = |text: &str| FieldValue::Text(text.to_owned());
        let request = CreateRequest {
            product_name: text("Atlas"),
            price: text("49.90"),
            currency: text("EUR"),
            order_id: text(&format!("A-{number}")),
            ..CreateRequest::default()
        };
        let now = self.clock.now();
        let creation = Creation {
            rules: &self.live.rules(),
            vendor: &self.vendor,
            catalog: &Catalog::default(),
            now,
            id: random::id::<SessionId>(now),
            request_id: "req-1",
        };
        let (session, changes) = session::create(&request, &creation).expect("a good request");
        self.commit(&changes).await;
        session
    }

    async fn pay(
        &self,
        session: &Session,
        method: Method,
    ) -> Result<(), till_service::cashier::PaymentRefusal> {
        let wish = PaymentChoice {
            method,
            choice: None,
            email: None,
            language: "en",
            address: std::net::Ipv4Addr::LOCALHOST.into(),
        };
        self.cashier.pay(session.id, &wish).await
    }

    async fn attempts(&self, id: SessionId) -> Vec<Attempt> {
        self.live.store.attempts_of(id).await.expect("a read")
    }

    async fn state(&self, id: SessionId) -> State {
        self.live.store.page_session(id).await.expect("a read").expect("a session").state
    }

    async fn actions(&self) -> Vec<StoredAction> {
        let filter = ActionFilter { shown: till_store::ActionsShown::All, ..ActionFilter::default() };
        self.live.store.actions(&filter, 10_000).await.expect("a read")
    }

    /// Lets the worker do what is due now, and waits until these providers have answered it all.
    async fn work(&self, answering: &[&str]) -> Duration {
        loop {
            let pause = self.cashier.pass().await.expect("a pass");
            let desks = self.cashier.handles();
            let busy =
                |name: &str| desks.iter().any(|desk| desk.provider.name() == name && desk.under_way() > 0);
            while answering.iter().any(|name| busy(name)) {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
            if !pause.is_zero() {
                return pause;
            }
        }
    }

    fn is_down(&self, provider: &str) -> bool {
        let (desks, now) = (self.cashier.handles(), self.cashier.uptime());
        desks.iter().any(|desk| desk.provider.name() == provider && desk.readiness(now) == Readiness::Down)
    }
}

/// The number of minutes in which customers come.
fn minutes() -> u32 {
    if till_testing::is_long() { 60 } else { 20 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h3_three_checkouts_a_second_stay_below_the_limit_and_none_is_given_up() {
    let (bench, all) = Bench::new(|clock| vec![Acquirer::new("cards", Method::Card, clock)]).await;
    let cards = &all[0];
    let start = bench.clock.now();
    let (mut sessions, mut paying) = (Vec::new(), VecDeque::<(Timestamp, AttemptId)>::new());
    let (until_then, third) = (start.plus(MINUTE * minutes()), SECOND / 3);
    let mut next_customer = start;
    loop {
        let now = bench.clock.now();
        if now >= next_customer && now < until_then {
            let session = bench.order(sessions.len()).await;
            bench.pay(&session, Method::Card).await.expect("cards are always taken");
            // Two of three customers pay after a while; the others leave.
            if sessions.len() % 3 != 0 {
                let attempt = bench.attempts(session.id).await.remove(0);
                paying.push_back((now.plus(SECOND * 25), attempt.id));
            }
            sessions.push(session.id);
            next_customer = next_customer.plus(third);
        }
        while paying.front().is_some_and(|(at, _)| *at <= now) {
            let (_, id) = paying.pop_front().expect("a customer");
            cards.set(id, Status::Paid);
            let body = id.to_string();
            let notice = Notice { signature: None, body: body.as_bytes() };
            assert!(bench.cashier.notice("cards", None, &notice).await.expect("it is heard"));
        }
        let pause = bench.work(&["cards"]).await;
        assert!(!bench.is_down("cards"), "after {:?}", now.since(start));
        let mut moments = vec![now.plus(pause)];
        moments.extend((next_customer < until_then).then_some(next_customer));
        moments.extend(paying.front().map(|(at, _)| *at));
        if moments.len() == 1 {
            // No more customers come: advance to what is due next.
            match bench.live.store.next_attempt_due().await.expect("a read") {
                None => break,
                Some(due) => moments[0] = moments[0].max(due),
            }
        }
        let next = moments.into_iter().min().expect("a moment").max(now.plus(Duration::from_millis(1)));
        bench.clock.advance(next.since(now));
    }
    assert_eq!(cards.refused.load(Ordering::Relaxed), 0, "nothing was asked too often");
    let mut counts = HashMap::<&str, usize>::new();
    for id in &sessions {
        *counts.entry(bench.state(*id).await.status().as_str()).or_default() += 1;
    }
    let came = sessions.len();
    assert!(came >= usize::try_from(minutes() * 60 * 3).expect("a number"), "{came} checkouts");
    let left = came.div_ceil(3);
    assert_eq!((counts.get("paid"), counts.get("expired")), (Some(&(came - left)), Some(&left)));
    assert_eq!(bench.actions().await, [], "nobody was unreachable");
    let requests = cards.requests.load(Ordering::Relaxed);
    assert!(requests <= 5 * u64::try_from(came).expect("a number"), "{requests} requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h3_a_provider_that_refuses_too_many_requests_is_left_alone_and_nothing_is_lost() {
    let (bench, all) = Bench::new(|clock| vec![Acquirer::new("cards", Method::Card, clock)]).await;
    let session = bench.order(1).await;
    bench.pay(&session, Method::Card).await.expect("it begins");
    // Another client uses the same account: every request is refused for three seconds.
    let crowd = |at: Timestamp| vec![at.as_ms() + 3_000; LIMIT];
    bench.clock.advance(SECOND * 2);
    all[0].asked.lock().expect("a lock").insert("retrieve", crowd(bench.clock.now()).into());
    bench.work(&["cards"]).await;
    assert_eq!(all[0].refused.load(Ordering::Relaxed), 1);
    let before = all[0].requests.load(Ordering::Relaxed);
    for _ in 0..9 {
        bench.clock.advance(SECOND / 10);
        bench.cashier.check_now(session.id).await.expect("it is left to the worker");
        bench.work(&["cards"]).await;
    }
    assert_eq!(all[0].requests.load(Ordering::Relaxed), before, "no question within a second");
    assert!(!bench.is_down("cards"));
    let attempt = bench.attempts(session.id).await.remove(0);
    all[0].set(attempt.id, Status::Paid);
    for _ in 0..100 {
        bench.clock.advance(SECOND / 10);
        bench.work(&["cards"]).await;
    }
    assert_eq!(bench.state(session.id).await, State::Paid);
    assert!(all[0].refused.load(Ordering::Relaxed) <= 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m7_a_provider_that_hangs_delays_no_closing_elsewhere() {
    let (bench, all) = Bench::new(|clock| {
        vec![
            Acquirer::with_rate("hangs", Method::Card, clock, None),
            Acquirer::with_rate("sbp", Method::Sbp, clock, None),
        ]
    })
    .await;
    let (rules, hanging) = (bench.live.rules(), &all[0]);
    hanging.hangs.store(true, Ordering::Relaxed);
    let open = async |number: usize| {
        let session = bench.order(number).await;
        let now = bench.clock.now();
        let id = random::id::<AttemptId>(now);
        let (method, provider) = (Method::Card, "hangs");
        let beginning =
            Beginning { session: &session, method, provider, choice: None, email: None, language: None, id };
        let (_, attempt, changes) = attempt::begin(beginning, &rules, now).expect("it may begin");
        bench.commit(&changes).await;
        let was = attempt.version;
        let state = AttemptState::Open;
        let attempt = Attempt { state, check_at: Some(now.plus(SECOND)), version: was + 1, ..attempt };
        bench.commit(&[Change::MoveAttempt { attempt: Box::new(attempt), was, news: false }]).await;
    };
    for from in (0..5_000).step_by(250) {
        join_all((from..from + 250).map(open)).await;
    }
    let mut waiting = Vec::new();
    for number in 0..40 {
        let session = bench.order(5_000 + number).await;
        bench.pay(&session, Method::Sbp).await.expect("SBP is well");
        waiting.push(session.id);
        bench.clock.advance(SECOND / 10);
    }
    // The hanging provider's attempts are due, and use all of its slots.
    bench.clock.advance(MINUTE);
    bench.work(&["sbp"]).await;
    let under_way = |name: &str| {
        let desks = bench.cashier.handles();
        desks.iter().find(|desk| desk.provider.name() == name).expect("a desk").under_way()
    };
    assert!(under_way("hangs") > 0 && under_way("hangs") < 256, "{}", under_way("hangs"));
    bench.clock.advance(MINUTE * 9);
    let mut passes = 0;
    while let Some(id) = waiting.last() {
        if bench.state(*id).await == State::Expired {
            waiting.pop();
            continue;
        }
        passes += 1;
        assert!(passes <= 20, "{} sessions are open 5 s after their deadline", waiting.len());
        bench.clock.advance(SECOND / 4);
        bench.work(&["sbp"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn l3_what_an_outage_left_open_is_resolved_when_the_provider_is_back() {
    let (bench, all) = Bench::new(|clock| vec![Acquirer::new("cards", Method::Card, clock)]).await;
    let session = bench.order(1).await;
    bench.pay(&session, Method::Card).await.expect("it begins");
    all[0].silent.store(true, Ordering::Relaxed);
    for _ in 0..25 {
        bench.clock.advance(MINUTE);
        bench.work(&["cards"]).await;
    }
    assert_eq!(bench.state(session.id).await, State::Expired);
    let open = bench.actions().await;
    assert!(
        matches!(&open[..], [only] if only.action.kind == ActionKind::Unreachable && only.decided.is_none())
    );
    all[0].silent.store(false, Ordering::Relaxed);
    for _ in 0..5 {
        bench.clock.advance(MINUTE);
        bench.work(&["cards"]).await;
    }
    assert_eq!(bench.attempts(session.id).await[0].state, AttemptState::Closed);
    let resolved = bench.actions().await;
    let by_system = |stored: &StoredAction| matches!(&stored.decided, Some((Resolution::Dismiss, _, by)) if by == "system");
    assert!(resolved.len() == 1 && by_system(&resolved[0]), "{resolved:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m2_an_open_payment_is_closed_as_soon_as_another_session_of_its_order_is_paid() {
    let (bench, all) = Bench::new(|clock| vec![Acquirer::new("cards", Method::Card, clock)]).await;
    let mut sessions = Vec::new();
    for number in [1, 1, 2] {
        let session = bench.order(number).await;
        bench.pay(&session, Method::Card).await.expect("it begins");
        sessions.push(session);
    }
    // By then each is checked once a minute.
    for _ in 0..200 {
        bench.clock.advance(SECOND);
        bench.work(&["cards"]).await;
    }
    let open = async |number: usize| bench.attempts(sessions[number].id).await.remove(0);
    all[0].set(open(0).await.id, Status::Paid);
    bench.cashier.check_now(sessions[0].id).await.expect("an answer");
    assert_eq!(bench.state(sessions[0].id).await, State::Paid);
    bench.work(&["cards"]).await;
    assert_eq!(open(1).await.state, AttemptState::Closed, "the other session of the order");
    assert_eq!(all[0].status(&open(1).await), Some(Status::Closed));
    assert_eq!(open(2).await.state, AttemptState::Open, "another order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m1_a_start_that_nobody_answers_is_left_for_another_method_and_the_page_names_the_silent_one() {
    let server = Server::with(&[("TILL_SIMULATOR", "off")]).await;
    let cards = Acquirer::new("cards", Method::Card, &server.clock);
    let sbp = Acquirer::new("sbp", Method::Sbp, &server.clock);
    let providers: [Arc<dyn Provider>; 2] = [Arc::clone(&cards) as _, Arc::clone(&sbp) as _];
    server.cashier.replace(providers.to_vec(), Vec::new());
    let vendor = server.vendor().await;
    let id = server.shop("live", &vendor).await.order("A-1").await;
    let customer = server.customer();
    cards.silent.store(true, Ordering::Relaxed);
    assert_eq!(customer.pay(&id, "card").await.status, 303);
    assert_eq!(server.attempts(&id).await[0].state, AttemptState::Intended);
    let path = format!("/session/{id}/pay");
    for (language, words) in [("en", "The card payment you started"), ("ru", "начатой оплате картой")]
    {
        let too_early = customer.post(&path, &[("method", "sbp")], &[("accept-language", language)]).await;
        assert_eq!(too_early.status, 503);
        assert!(too_early.body.contains(words), "{}", too_early.body);
    }
    server.later(SECOND * 15);
    let left = customer.pay(&id, "sbp").await;
    assert_eq!(left.status, 303, "{}", left.body);
    let attempts = server.attempts(&id).await;
    let states: Vec<_> = attempts.iter().map(|attempt| attempt.state).collect();
    assert_eq!(states, [AttemptState::Watched, AttemptState::Open]);
    // The acquirer had started it after all. The worker finds that, and closes it.
    cards.set(attempts[0].id, Status::Open);
    cards.silent.store(false, Ordering::Relaxed);
    server.later(SECOND * 30);
    until("it is closed", async || server.attempts(&id).await[0].state == AttemptState::Closed).await;
    assert_eq!(cards.status(&attempts[0]), Some(Status::Closed));
    assert_eq!(server.session(&id).await.state, State::Pending);
    sbp.set(attempts[1].id, Status::Paid);
    server.later(SECOND * 30);
    until("it is paid", async || server.session(&id).await.state == State::Paid).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_about_an_ended_payment_is_accepted_only_if_the_provider_answers() {
    let (bench, all) = Bench::new(|clock| vec![Acquirer::new("cards", Method::Card, clock)]).await;
    let session = bench.order(1).await;
    bench.pay(&session, Method::Card).await.expect("it begins");
    for _ in 0..25 {
        bench.clock.advance(MINUTE);
        bench.work(&["cards"]).await;
    }
    let attempt = bench.attempts(session.id).await.remove(0);
    assert_eq!((attempt.state, attempt.check_at), (AttemptState::Closed, None), "no worker asks again");
    // The acquirer takes the money after all, and cannot say so at first.
    all[0].set(attempt.id, Status::Paid);
    all[0].silent.store(true, Ordering::Relaxed);
    let body = attempt.reference.clone().expect("a reference").into_bytes();
    let notice = Notice { signature: None, body: &body };
    let refused = bench.cashier.notice("cards", None, &notice).await;
    assert!(matches!(refused, Err(NoticeError::Provider(_))), "it has to be sent again: {refused:?}");
    all[0].silent.store(false, Ordering::Relaxed);
    assert!(bench.cashier.notice("cards", None, &notice).await.expect("it is processed"));
    let recorded = bench.live.store.transactions_of(session.id).await.expect("a read");
    assert!(matches!(&recorded[..], [money] if money.marks.late), "{recorded:?}");
}
