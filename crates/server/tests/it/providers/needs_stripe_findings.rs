//! Stripe's money events beyond payments, through the whole service: disputes, returned refunds, and the
//! reconciliation of its books with ours.

use crate::{
    money::decisions::Operator,
    support::{Customer, MASTER_KEY, Server, Shop, Vendor},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    sync::Arc,
    time::Duration,
};
use till_domain::{
    attempt::{self, AttemptFacts, Observation, OtherAttempts},
    change::Change,
    id::AttemptId,
    ledger::Account,
    money::{Currency, Money},
    receipt::ReceiptLink,
    session::State,
    time::Timestamp,
    user::Role,
};
use till_providers::{
    Order, Provider as _,
    stripe::{Stripe, StripeSetup, VERSION},
    web::Web,
};
use till_service::reconcile::{self, DifferenceKind, DifferenceState, Reconciliation, Task};
use till_store::{ActionFilter, Committed, StoredAction};
use till_testing::stripe::{Fake, GOOD, KEY};

const SECRET: &str = "webhook_secrets = [\"whsec_fake\"]";

/// The fake, a service that takes cards through it, and a vendor. Events are held back until the test sends
/// them.
pub(super) struct World {
    pub(super) fake: Fake,
    pub(super) server: Server,
    vendor: Vendor,
    shop: Shop,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

/// A session, and its payment at Stripe.
pub(super) struct Sold {
    session: String,
    pub(super) intent: String,
}

pub(super) fn today() -> Timestamp {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
    Timestamp::from_ms(i64::try_from(since.as_millis()).expect("a time"))
}

impl World {
    pub(super) async fn new() -> Self {
        // The tests make the runs of a night themselves.
        Self::reconciling("off").await
    }

    /// A world whose service reconciles at this time.
    pub(super) async fn reconciling(at: &str) -> Self {
        let fake = Fake::start();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("stripe.toml");
        fs::write(&file, fake.document(SECRET)).expect("a file");
        let path = file.to_str().expect("a path").to_owned();
        let settings = [
            ("TILL_SIMULATOR", "off"),
            ("TILL_STRIPE_FILE", path.as_str()),
            ("TILL_SETTLEMENT_DELAY", "0s"),
            ("TILL_OPERATOR_TOTP", "off"),
            ("TILL_RECONCILE_AT", at),
        ];
        let server = Server::at(today(), &settings).await;
        let vendor = server.vendor().await;
        let shop = server.shop("live", &vendor).await;
        let url = format!("{}/notices/stripe/events", server.local);
        fake.control("/endpoint", json!({ "url": url, "hold": true })).await;
        Self { fake, server, vendor, shop, file, _folder: folder }
    }

    /// A session of 49.90 USD whose customer has the card form.
    async fn begin(&self, order: &str) -> Sold {
        let body = json!({ "product_name": "Tea", "price": "49.90", "currency": "USD", "order_id": order });
        let session = self.shop.create(&body).await.text("session_id");
        assert_eq!(self.server.customer().pay(&session, "card").await.status, 303);
        let intent = self.server.attempts(&session).await.remove(0).reference.expect("a payment there");
        Sold { session, intent }
    }

    pub(super) async fn sell(&self, order: &str) -> Sold {
        let sold = self.begin(order).await;
        self.fake.pays(&sold.intent, GOOD).await;
        self.becomes("it is paid", async || self.server.session(&sold.session).await.state == State::Paid)
            .await;
        sold
    }

    /// Advances time until something holds.
    async fn becomes(&self, what: &str, is: impl AsyncFn() -> bool) {
        for _ in 0..300 {
            if is().await {
                return;
            }
            self.server.later(Duration::from_millis(250));
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        panic!("not in time: {what}");
    }

    /// Refunds this amount, waits until the refund is final, and returns its id at Stripe.
    async fn give_back(&self, sold: &Sold, amount: &str) -> String {
        let asked = self.shop.refund(&sold.session, &json!({ "amount": amount }), &[]).await;
        assert_eq!(asked.status, 201, "{}", asked.body);
        let id = self.server.session(&sold.session).await.id;
        let refunds = self.server.live.store.refunds();
        let last = async || refunds.of_session(id).await.expect("a read").pop().expect("a refund");
        self.becomes("it went back", async || last().await.state.is_final()).await;
        last().await.reference.expect("a reference")
    }

    pub(super) async fn open(&self) -> Vec<StoredAction> {
        self.server.live.store.actions(&ActionFilter::default(), 50).await.expect("a read")
    }

    async fn balance(&self, account: Account) -> i64 {
        let books = self.server.live.store.ledger().expect("books");
        let all = books.balances(self.vendor.id).await.expect("balances");
        all.iter().find(|balance| balance.account == account).map_or(0, |balance| balance.amount.minor)
    }

    async fn is_right(&self) {
        let verified = self.server.live.store.verify(&mut |_, _| ()).await.expect("it can be read");
        assert!(verified.iter().all(|check| check.wrong == 0), "{verified:?}");
    }

    /// Compares the books as `till reconcile` would an hour later.
    async fn compare(&self) -> Result<Reconciliation, reconcile::ReconcileError> {
        let now = self.server.clock.now().plus(Duration::from_secs(3_600));
        let day = Duration::from_secs(24 * 3_600);
        let desk = self.server.cashier.handles().iter().find(|d| d.provider.name() == "stripe").cloned();
        let provider = desk.expect("stripe").provider;
        let task = Task {
            accounts: &self.server.accounts,
            store: &self.server.live.store,
            provider: provider.as_ref(),
            from: now.minus(day),
            to: now.plus(day),
            now,
        };
        reconcile::compare(task, &mut |_, _, _| ()).await
    }

    /// Calls the API with Till's key, but not through Till.
    pub(super) async fn call(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let key = format!("Bearer {KEY}");
        let once = format!("{path}{form:?}");
        let headers =
            [("authorization", key.as_str()), ("stripe-version", VERSION), ("idempotency-key", &once)];
        Customer::new(&self.fake.api).post(path, form, &headers).await.json()
    }

    /// Records a payment that Stripe never reported.
    async fn believe(&self, sold: &Sold, more: u128) {
        let environment = &self.server.live;
        let session = self.server.session(&sold.session).await;
        let attempt = self.server.attempts(&sold.session).await.remove(0);
        let vendor = environment.directory.vendor(session.vendor).await.expect("a read").expect("a vendor");
        let scene = AttemptFacts {
            session: &session,
            attempt: &attempt,
            beside: OtherAttempts::Nothing,
            settings: &vendor.settings,
            terms: &vendor.terms,
            rules: &environment.rules(),
            now: environment.now(),
            event_id: environment.next_event_id(session.id),
            link: ReceiptLink::new(environment.next_event_id(session.id).into()),
            pace: attempt::Pace::Polling,
            doubt: attempt::UnreachableActions::default(),
            ends_now: false,
        };
        let received = attempt.charge.with(attempt.charge.atoms + more);
        let word = Observation::Paid { received, reference: sold.intent.clone() };
        let changes = attempt::observe(&scene, word).changes;
        assert_eq!(environment.commit(&changes).await.expect("a commit"), Committed::Done);
    }

    /// Runs the command while the service runs.
    pub(super) fn reconcile(&self, more: &[&str]) -> Output {
        self.command(&[&["reconcile"], more].concat())
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_till"));
        command.env_clear().env("TILL_DATA_DIR", self.server.folder()).env("TILL_MASTER_KEY", MASTER_KEY);
        command.env("TILL_STRIPE_FILE", &self.file).args(arguments).output().expect("the binary runs")
    }
}

fn kinds(report: &Reconciliation) -> Vec<DifferenceKind> {
    report.differences.iter().map(|difference| difference.what).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dispute_is_reported_once_and_borne_once() {
    let world = World::new().await;
    let (sold, won) = (world.sell("A-1").await, world.sell("A-2").await);
    let hostile = "<script>alert(1)</script>\"'&\u{202e}";
    world.fake.control("/dispute", json!({ "intent": sold.intent, "reason": hostile })).await;
    // Stripe does not answer about the dispute at first: the event is refused, and comes again.
    world.fake.fault("/v1/disputes", "error_before").await;
    world.fake.control("/deliver", json!({ "order": "reverse", "times": 3 })).await;
    let answers = world.fake.truth().await["answers"].clone();
    let answers = answers.as_array().expect("answers");
    assert_eq!(answers.iter().filter(|answer| answer[1] == 503).count(), 1, "{answers:?}");
    let open = world.open().await;
    assert_eq!(open.len(), 1, "{open:?}");
    let action = &open[0].action;
    let usd = Currency::parse("USD").expect("a currency");
    assert_eq!(action.amount(), Some(Money { minor: 4_990, currency: usd }));
    let note = &action.finding.as_ref().expect("a finding").note;
    assert!(note.contains("49.90 USD") && note.contains("respond by 2"), "{note}");
    assert_eq!(world.server.session(&sold.session).await.state, State::Paid);
    assert_eq!(world.balance(Account::Available).await, 2 * 4_990, "it may be won");
    let olga = world.server.person("olga", Role::Operator, None).await;
    let page = olga.get("/operator/actions").await;
    assert_eq!(page.status, 200, "{:?}", page.header("location"));
    let page = page.body;
    assert!(page.contains("data-testid=\"note\"") && page.contains("&#60;script&#62;alert(1)"), "{page}");
    assert!(!page.contains("<script>alert"), "{page}");
    let id = action.id.to_string();
    let unfit = Operator(&world.server).run(&["action", "resolve", &id, "accept"]).expect_err("unfit");
    assert!(unfit.contains("dismiss or charge or absorb"), "{unfit}");
    let decided = olga.post(&format!("/operator/actions/live/{id}/charge"), &[]).await;
    assert_eq!(decided.status, 303, "{}", decided.body);
    assert_eq!(world.balance(Account::Available).await, 4_990);
    assert_eq!(world.balance(Account::Clearing("stripe".to_owned())).await, -4_990);
    assert_eq!(world.balance(Account::Suspense).await, 0);
    world.is_right().await;
    // Later events about it enter nothing, and neither does a dispute that was won before it was known here.
    let dispute = world.fake.control("/dispute", json!({ "intent": won.intent })).await;
    world.fake.control("/dispute/close", json!({ "id": dispute["id"], "won": true })).await;
    world.fake.control("/deliver", json!({ "times": 2 })).await;
    assert_eq!(world.open().await, []);
    assert!(kinds(&world.compare().await.expect("compared")).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_that_comes_back_waits_in_suspense_and_is_reported_once() {
    let world = World::new().await;
    let sold = world.sell("A-1").await;
    let reference = world.give_back(&sold, "10.00").await;
    assert_eq!(world.balance(Account::Clearing("stripe".to_owned())).await, -3_990);
    // Events of a successful refund change nothing.
    world.fake.control("/deliver", json!({ "times": 2 })).await;
    assert_eq!(world.open().await, []);
    let failed = json!({ "id": reference, "status": "failed", "failure": "expired_or_canceled_card" });
    world.fake.control("/refund", failed).await;
    world.fake.control("/deliver", json!({ "order": "shuffle", "times": 3 })).await;
    let open = world.open().await;
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(open[0].action.kind.as_str(), "refund_lost");
    assert_eq!(world.balance(Account::Clearing("stripe".to_owned())).await, -4_990, "it is there again");
    assert_eq!(world.balance(Account::Suspense).await, 1_000);
    assert_eq!(world.balance(Account::Available).await, 3_990);
    world.is_right().await;
    // It is sent again and fails again, so that the operator has to decide again.
    let id = open[0].action.id.to_string();
    world.fake.control("/refunds", json!({ "next": ["failed"] })).await;
    Operator(&world.server).run(&["action", "resolve", &id, "refund"]).expect("decided");
    world.becomes("it failed", async || world.open().await.len() == 1).await;
    assert_eq!(world.balance(Account::Suspense).await, 1_000);
    let id = world.open().await[0].action.id.to_string();
    Operator(&world.server).run(&["action", "resolve", &id, "accept"]).expect("decided");
    assert_eq!((world.balance(Account::Suspense).await, world.balance(Account::Available).await), (0, 4_990));
    world.fake.control("/deliver", json!({ "times": 1 })).await;
    assert_eq!(world.open().await, []);
    world.is_right().await;
    let report = world.compare().await.expect("compared");
    assert!(report.differences.is_empty(), "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_are_compared_and_each_difference_is_found_once() {
    let world = World::new().await;
    let (plain, back) = (world.sell("A-1").await, world.sell("A-2").await);
    world.give_back(&back, "10.00").await;
    let clean = world.compare().await.expect("compared");
    assert!(clean.differences.is_empty(), "{clean:?}");
    assert_eq!((clean.compared, clean.foreign, clean.under_way), (2, 0, 0));
    let sums = &clean.sums["USD"];
    assert_eq!((sums.theirs, sums.ours), ((9_980, 1_000), (9_980, 1_000)));

    // A payment without Till, and one with Till's metadata for an attempt that is missing here, as after a
    // restored backup.
    let foreign = [
        ("amount", "700"),
        ("currency", "usd"),
        ("allowed_payment_method_types[0]", "card"),
        ("capture_method", "automatic"),
    ];
    let intent = world.call("/v1/payment_intents", &foreign).await;
    world.fake.pays(intent["id"].as_str().expect("an id"), GOOD).await;
    let setup = StripeSetup::parse(&world.fake.document(SECRET)).expect("a set-up");
    let stripe = Stripe::new(setup, Web::trusting([]), Arc::new(today));
    let mut stranger = world.server.attempts(&plain.session).await.remove(0);
    (stranger.id, stranger.reference) = (AttemptId::from_bytes([9; 16]), None);
    let usd = Currency::parse("USD").expect("a currency");
    let amount = Money { minor: 4_990, currency: usd };
    let order = Order {
        attempt: &stranger,
        amount,
        item: "Tea",
        back: "https://pay.example/",
        deadline: Timestamp::from_ms(i64::MAX),
    };
    let started = stripe.start(&order).await.expect("it starts");
    world.fake.pays(&started.reference, GOOD).await;
    // One payment is paid only in our books, and one has more in our books than at Stripe.
    world.believe(&world.begin("A-3").await, 0).await;
    let more = world.begin("A-4").await;
    world.believe(&more, 10).await;
    world.fake.pays(&more.intent, GOOD).await;
    // Refunded at Stripe by hand; disputed, with the event not delivered; refund returned, with the event not
    // delivered.
    world.call("/v1/refunds", &[("payment_intent", &plain.intent), ("amount", "500")]).await;
    let (demanded, lost) = (world.sell("A-5").await, world.sell("A-6").await);
    world.fake.control("/dispute", json!({ "intent": demanded.intent })).await;
    let reference = world.give_back(&lost, "20.00").await;
    world
        .fake
        .control("/refund", json!({ "id": reference, "status": "failed", "failure": "declined" }))
        .await;

    let already = world.open().await.len();
    let report = world.compare().await.expect("compared");
    let mut found: Vec<_> = kinds(&report).into_iter().map(DifferenceKind::as_str).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        ["amount", "disputed", "not_here", "not_there", "refund_lost", "returned"],
        "{report:?}"
    );
    assert_eq!((report.foreign, report.unsettled()), (1, 6));
    assert_eq!(world.open().await.len(), already, "it only reads");
    let store = &world.server.live.store;
    assert_eq!(reconcile::enter(store, &report).await.expect("entered"), 6);
    assert_eq!(world.open().await.len(), already + 6);
    assert_eq!(reconcile::enter(store, &report).await.expect("entered"), 0, "once");
    world.is_right().await;

    // The same is found again but not entered again; events enter nothing new either.
    let again = world.compare().await.expect("compared");
    assert_eq!(again.unsettled(), 4, "disputes and refunds that are known are no difference: {again:?}");
    assert!(
        again.differences.iter().all(|difference| difference.known == DifferenceState::Open),
        "{again:?}"
    );
    assert_eq!(reconcile::enter(store, &again).await.expect("entered"), 0);
    world.fake.control("/deliver", json!({})).await;
    assert_eq!(world.open().await.len(), already + 6);
    // A difference that the operator has settled does not count any more.
    for stored in world.open().await {
        if stored.action.kind.as_str() == "difference" {
            let id = stored.action.id.to_string();
            Operator(&world.server).run(&["action", "resolve", &id, "dismiss"]).expect("decided");
        }
    }
    let settled = world.compare().await.expect("compared");
    assert_eq!((settled.unsettled(), settled.differences.len()), (0, 4));
    // A provider that fails before the end of the comparison yields no result.
    world.fake.fault("/v1/charges", "error_before").await;
    assert!(matches!(world.compare().await, Err(reconcile::ReconcileError::Provider(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_says_what_it_could_not_compare() {
    let world = World::new().await;
    world.sell("A-1").await;
    let utc = till_domain::time::TimeZone::utc();
    let day = utc.day_of(today());
    // Just after midnight nothing of today is old enough to be compared.
    let yesterday = utc.day_of(today().minus(Duration::from_secs(24 * 60 * 60)));
    let run = |more: &[&str]| {
        let output = world.reconcile(&[&["--provider", "stripe"], more].concat());
        let (said, told) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        (output.status.code(), said.expect("text"), told.expect("text"))
    };
    let (code, said, told) = run(&["--from", &day, "--to", &day]);
    assert_eq!(code, Some(0), "{told}");
    assert!(said.contains("The records match") && told.contains("were left out"), "{said} {told}");
    let (code, said, _) = run(&["--from", "2026-01-01", "--to", &day, "--json"]);
    assert_eq!((code, said.as_str()), (Some(2), ""), "too many days");
    for days in
        [["--from", "2026-02-02", "--to", "2026-02-01"], ["--from", "2026-02-30", "--to", "2026-03-01"]]
    {
        assert_eq!(run(&days).0, Some(2), "{days:?}");
    }
    let evm = world.reconcile(&["--provider", "evm", "--from", &day, "--to", &day]);
    assert_eq!(evm.status.code(), Some(2));
    world.fake.fault("/v1/charges", "error_before").await;
    let (code, _, told) = run(&["--from", &yesterday, "--to", &day]);
    assert_eq!(code, Some(2), "{told}");
    assert_eq!(world.open().await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dispute_that_ends_otherwise_than_it_was_decided_is_reported_again() {
    let world = World::new().await;
    for (order, decision, won, kind) in
        [("A-1", "dismiss", false, "disputed"), ("A-2", "charge", true, "difference")]
    {
        let sold = world.sell(order).await;
        let dispute = world.fake.control("/dispute", json!({ "intent": sold.intent })).await;
        world.fake.control("/deliver", json!({ "times": 1 })).await;
        let id = world.open().await[0].action.id.to_string();
        Operator(&world.server).run(&["action", "resolve", &id, decision]).expect("decided");
        world.fake.control("/dispute/close", json!({ "id": dispute["id"], "won": won })).await;
        world.fake.control("/deliver", json!({ "order": "reverse", "times": 3 })).await;
        let open = world.open().await;
        let told: Vec<_> = open.iter().map(|stored| stored.action.kind.as_str()).collect();
        assert_eq!(told, [kind], "{decision}: {open:?}");
        let id = open[0].action.id.to_string();
        Operator(&world.server).run(&["action", "resolve", &id, "dismiss"]).expect("decided");
        world.fake.control("/deliver", json!({ "times": 1 })).await;
        assert_eq!(world.open().await, [], "{decision}: once");
        world.is_right().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_of_somebody_else_are_not_compared() {
    let world = World::new().await;
    for order in ["A-1", "A-2", "A-3"] {
        world.sell(order).await;
    }
    world.fake.control("/forget", json!({})).await;
    let trouble = world.compare().await.expect_err("not compared").to_string();
    assert!(trouble.contains("none of our 3 payments"), "{trouble}");
    assert_eq!(world.open().await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn books_that_lack_most_of_our_payments_are_those_of_another_account() {
    let world = World::new().await;
    world.sell("A-0").await;
    // Payments of a previous account: the new one has never seen them.
    for order in 1..20 {
        world.believe(&world.begin(&format!("A-{order}")).await, 0).await;
    }
    let few = world.compare().await.expect("compared");
    assert_eq!(few.unsettled(), 19, "fewer than twenty are reported one by one");
    world.believe(&world.begin("A-20").await, 0).await;
    let trouble = world.compare().await.expect_err("not compared").to_string();
    assert!(trouble.contains("20 of our 21 payments"), "{trouble}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_dispute_is_brought_up_to_date_by_the_comparison() {
    let world = World::new().await;
    let sold = world.sell("A-1").await;
    world.fake.control("/dispute", json!({ "intent": sold.intent })).await;
    world.fake.control("/deliver", json!({})).await;
    let due = async || {
        let open = world.open().await;
        assert_eq!(open.len(), 1, "{open:?}");
        let action = open[0].action.clone();
        (action.id, action.finding.expect("a finding").due_at)
    };
    let (id, due_at) = due().await;
    assert!(due_at.is_some(), "Stripe names a time");
    // As a previous version has stored it.
    let store = &world.server.live.store;
    let before = [Change::NoteAction { id, note: "disputed".to_owned(), due_at: None }];
    assert_eq!(store.commit(&before).await.expect("a commit"), Committed::Done);
    let report = world.compare().await.expect("compared");
    assert_eq!(due().await, (id, None), "it only reads");
    assert_eq!(reconcile::enter(store, &report).await.expect("entered"), 0);
    assert_eq!((due().await, report.unsettled()), ((id, due_at), 0), "it is no difference");
}
