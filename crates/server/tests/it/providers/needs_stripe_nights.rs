//! Reconciliation as the service does it: every night, after missed nights, when an operator requests it, and
//! once however many processes there are.

use super::needs_stripe_findings::{World, today};
use crate::support::{Nodes, until};
use serde_json::{Value, json};
use std::{fs, sync::Arc, time::Duration};
use till::workers::reconcile::Reconciler;
use till_domain::{
    audit::Actor,
    reconciliation::{Period, RETRY_AFTER, RunOrigin, RunState, last_night, next_night},
    time::{TimeZone, Timestamp},
    user::Role,
};
use till_service::{reconcile, registry::ProviderKind};
use till_store::{NodeId, ReconciliationRun, RunResult};
use till_testing::stripe::Fake;

/// The time of the night, and one of day.
const AT: Duration = Duration::from_secs(2 * 60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const KIND: ProviderKind = ProviderKind::Stripe;
const PAGE: &str = "/operator/reconciliations";

impl World {
    fn reconciler(&self, at: Option<Duration>) -> Reconciler {
        Reconciler::new(Arc::clone(&self.server.registry), KIND, at)
    }

    /// Waits for the next night on the service's clock. It is never a Sunday, whose run is longer.
    fn next_night(&self) {
        let now = self.server.clock.now();
        let mut night = next_night(AT, now);
        if is_sunday(&self.day(night)) {
            night = night.plus(DAY);
        }
        self.server.later(night.since(now));
    }

    fn day(&self, at: Timestamp) -> String {
        TimeZone::utc().day_of(at)
    }

    /// The runs, newest first.
    async fn runs(&self) -> Vec<ReconciliationRun> {
        let runs = self.server.live.store.reconciliations().expect("live has them");
        runs.page(Some("stripe"), None, 50).await.expect("a read")
    }

    /// The newest run, once it has ended or waits to be tried again. The service's own worker may make it, too.
    async fn made(&self, tries: i64) -> ReconciliationRun {
        let newest = async || self.runs().await.into_iter().next();
        let is_made = |run: ReconciliationRun| run.tries >= tries && run.result.state != RunState::Running;
        until("it is made", async || newest().await.is_some_and(is_made)).await;
        newest().await.expect("a run")
    }

    /// Requests the last three days, as the console does.
    async fn request(&self) -> bool {
        self.request_since(2).await
    }

    /// Requests today and so many days before.
    async fn request_since(&self, days: u32) -> bool {
        // Runs of one moment have no order.
        self.server.later(Duration::from_secs(1));
        let (live, now) = (&self.server.live, self.server.clock.now());
        let (first, last) = (self.day(now.minus(DAY * days)), self.day(now));
        let period = Period::of_days(&first, &last, now).expect("days");
        let actor = Actor { name: "olga@till.example".to_owned(), ..Actor::shell() };
        reconcile::request(live.directory.accounts(), &live.store, &actor, (KIND, period))
            .await
            .expect("a write")
    }

    async fn is_down(&self, times: u32) {
        let fault = json!({ "path": "/v1/charges", "kind": "error_before", "times": times });
        self.fake.fault_with(fault).await;
    }
}

/// 1970-01-04 was a Sunday.
fn is_sunday(day: &str) -> bool {
    let at = TimeZone::utc().day_start(day).expect("a day").as_ms();
    (at / (24 * 60 * 60 * 1_000) - 3) % 7 == 0
}

fn states(runs: &[ReconciliationRun]) -> Vec<RunState> {
    runs.iter().map(|run| run.result.state).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_night_has_one_run_and_a_difference_is_entered_once() {
    let world = World::new().await;
    let (plain, _) = (world.sell("A-1").await, world.sell("A-2").await);
    let reconciler = world.reconciler(Some(AT));
    reconciler.pass().await.expect("a pass");
    assert_eq!(world.runs().await, [], "the night has not come");
    world.next_night();
    // Without the setting nothing is compared.
    let off = world.reconciler(None);
    off.pass().await.expect("a pass");
    world.server.later(DAY);
    off.pass().await.expect("a pass");
    assert_eq!(world.runs().await, []);

    reconciler.pass().await.expect("a pass");
    reconciler.pass().await.expect("a pass");
    world.made(1).await;
    let runs = world.runs().await;
    assert_eq!(states(&runs), [RunState::Matched], "{runs:?}");
    let run = &runs[0];
    assert_eq!((run.origin, run.requested_by.as_deref(), run.tries), (RunOrigin::Nightly, None, 1));
    assert_eq!((run.result.counts.compared, run.result.counts.differences), (2, 0));
    assert!(run.result.sums.contains("\"99.80\""), "{}", run.result.sums);
    assert_eq!(world.open().await, []);

    // A refund that was made in the provider's dashboard.
    world.call("/v1/refunds", &[("payment_intent", &plain.intent), ("amount", "500")]).await;
    assert!(world.request().await);
    reconciler.pass().await.expect("a pass");
    let counts = world.made(1).await.result.counts;
    assert_eq!((counts.differences, counts.entered), (1, 1));
    assert_eq!(world.open().await.len(), 1);
    world.server.later(DAY);
    reconciler.pass().await.expect("a pass");
    let last = world.made(1).await;
    assert_eq!((last.result.state, last.result.counts.entered), (RunState::Differed, 0), "{last:?}");
    assert_eq!(world.open().await.len(), 1, "it was entered before");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_does_not_answer_is_asked_again_before_the_night_fails() {
    let world = World::new().await;
    world.sell("A-1").await;
    let reconciler = world.reconciler(Some(AT));
    reconciler.pass().await.expect("a pass");
    world.next_night();
    world.is_down(4).await;
    for tries in 1..4 {
        reconciler.pass().await.expect("a pass");
        // Before its time nothing is asked.
        reconciler.pass().await.expect("a pass");
        let run = world.made(tries).await;
        assert_eq!((run.result.state, run.tries), (RunState::Waiting, tries), "{run:?}");
        assert!(run.result.error.is_some(), "{run:?}");
        world.server.later(RETRY_AFTER);
    }
    reconciler.pass().await.expect("a pass");
    let run = world.made(4).await;
    assert_eq!((run.result.state, run.tries), (RunState::Failed, 4), "{run:?}");
    world.server.later(RETRY_AFTER);
    reconciler.pass().await.expect("a pass");
    assert_eq!(world.runs().await.len(), 1, "the next night is the next try");
    // Three nights are missed. A new process has only what is stored.
    world.server.later(3 * DAY);
    let another = world.reconciler(Some(AT));
    another.pass().await.expect("a pass");
    world.made(1).await;
    let runs = world.runs().await;
    assert_eq!(states(&runs), [RunState::Matched, RunState::Failed]);
    assert_eq!(runs[0].result.counts.compared, 1, "{:?}", runs[0]);
    // What an operator requested is not tried again by itself.
    world.is_down(1).await;
    assert!(world.request().await);
    another.pass().await.expect("a pass");
    let asked = world.made(1).await;
    assert_eq!((asked.origin, asked.result.state, asked.tries), (RunOrigin::Panel, RunState::Failed, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_a_dead_process_left_is_made_by_another() {
    let world = World::new().await;
    world.sell("A-1").await;
    let (store, reconciler) = (&world.server.live.store, world.reconciler(None));
    let runs = store.reconciliations().expect("live has them");
    let dead = NodeId([9; 16]);
    let lease = Duration::from_secs(30);
    store.claim(reconcile::lease_of(KIND), dead, lease).await.expect("an answer").expect("it is free");
    assert!(world.request().await);
    assert!(!world.request().await, "one request at a time");
    let waiting = world.runs().await.remove(0);
    assert_eq!(waiting.requested_by.as_deref(), Some("olga@till.example"));
    runs.start(&waiting, world.server.clock.now()).await.expect("a write").expect("it waits");
    reconciler.pass().await.expect("a pass");
    assert_eq!(states(&world.runs().await), [RunState::Running], "the other process may be alive");
    world.server.later(lease);
    until("it is made", async || {
        reconciler.pass().await.expect("a pass");
        world.runs().await[0].result.state.is_final()
    })
    .await;
    let run = world.runs().await.remove(0);
    assert_eq!((run.result.state, run.tries), (RunState::Matched, 2), "{run:?}");
    // The lease is free at once, for a command.
    let free = store.claim(reconcile::lease_of(KIND), dead, lease).await.expect("an answer");
    assert!(free.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_records_its_runs_and_lists_them() {
    let world = World::new().await;
    world.sell("A-1").await;
    let day = TimeZone::utc().day_of(today());
    let yesterday = TimeZone::utc().day_of(today().minus(DAY));
    let days = ["--provider", "stripe", "--from", &yesterday, "--to", &day];
    let listed = || -> Vec<Value> {
        let output = world.command(&["reconciliations", "--provider", "stripe", "--json"]);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let dry = world.reconcile(&[&days[..], &["--dry-run"]].concat());
    assert_eq!(dry.status.code(), Some(0), "{dry:?}");
    assert_eq!(listed(), Vec::<Value>::new(), "a dry run is not recorded");
    let made = world.reconcile(&days);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    world.is_down(1).await;
    assert_eq!(world.reconcile(&days).status.code(), Some(2));
    let lines = listed();
    let of = |key: &str| lines.iter().map(|line| line[key].as_str().unwrap_or("-")).collect::<Vec<_>>();
    assert_eq!(of("state"), ["failed", "matched"]);
    assert_eq!(of("requested_by"), ["shell", "shell"]);
    assert_eq!(of("origin"), ["command", "command"]);
    assert_eq!((of("from"), of("to")), (vec![&*yesterday; 2], vec![&*day; 2]));
    assert!(lines[0]["error"].is_string() && lines[1]["error"].is_null(), "{lines:?}");
    let audit = world.command(&["audit", "list", "--json"]);
    let audit = String::from_utf8_lossy(&audit.stdout).into_owned();
    let noted = format!("stripe, {yesterday} to {day}");
    assert_eq!(audit.matches(&noted).count(), 2, "without the dry run: {audit}");
    let tomorrow = TimeZone::utc().day_of(today().plus(DAY * 2));
    let early = world.reconcile(&["--provider", "stripe", "--from", &day, "--to", &tomorrow]);
    assert!(String::from_utf8_lossy(&early.stderr).contains("after today"), "{early:?}");
    let plain = world.command(&["reconciliations"]);
    assert!(String::from_utf8_lossy(&plain.stdout).contains("matched"), "{plain:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_requests_a_run_and_sees_what_came_of_it() {
    let world = World::new().await;
    let sold = world.sell("A-1").await;
    let olga = world.server.person("olga", Role::Operator, None).await;
    let empty = olga.get(PAGE).await.body;
    assert!(empty.contains("data-testid=\"empty\"") && empty.contains("Never reconciled"), "{empty}");
    assert!(empty.contains("TILL_RECONCILE_AT") && empty.contains("Reconcile now"), "{empty}");
    let (day, before) = (world.day(today()), world.day(today().minus(DAY)));
    for (provider, first, last, told) in [
        ("evm", &*before, &*day, "Choose a provider"),
        ("stripe", "2026-02-30", &day, "Enter a date"),
        ("stripe", &before, "soon", "Enter a date"),
        ("stripe", &day, &before, "The last day is before the first"),
        ("stripe", "2026-01-01", "2026-06-30", "at most 92 days"),
        ("stripe", &day, &world.day(today().plus(DAY * 2)), "The last day is in the future"),
    ] {
        let answer = olga.post(PAGE, &[("provider", provider), ("first", first), ("last", last)]).await;
        assert_eq!(answer.status, 422, "{told}");
        assert!(answer.body.contains(told) && answer.body.contains(first), "{told}: {}", answer.body);
    }
    assert_eq!(world.runs().await, []);
    world.call("/v1/refunds", &[("payment_intent", &sold.intent), ("amount", "500")]).await;
    // Payments of the last minutes are left out.
    world.server.later(Duration::from_secs(60 * 60));
    let form = [("provider", "stripe"), ("first", &*before), ("last", &*day)];
    let asked = olga.post(PAGE, &form).await;
    assert_eq!(asked.status, 303, "{}", asked.body);
    // The service's own worker makes it.
    let run = world.made(1).await;
    assert_eq!((run.origin, run.result.state), (RunOrigin::Panel, RunState::Differed), "{run:?}");
    let page = olga.get(PAGE).await.body;
    assert!(page.contains("1 difference") && page.contains("data-testid=\"to-differences\""), "{page}");
    assert!(page.contains(&olga.email) && page.contains("1 compared"), "{page}");
    let headers = [("cookie", olga.cookies.as_str()), ("accept-language", "ru")];
    let russian = olga.browser.get(PAGE, &headers).await.body;
    assert!(russian.contains("1 расхождение") && russian.contains("Сверить сейчас"), "{russian}");
    let of = async |provider: &str| olga.get(&format!("{PAGE}?provider={provider}")).await.body;
    assert!(of("stripe").await.contains("data-testid=\"run-"));
    assert!(!of("evm").await.contains("data-testid=\"run-"), "only the provider's runs");
    let setup = olga.get("/operator/providers/stripe").await.body;
    assert!(setup.contains("1 difference") && setup.contains(PAGE), "{setup}");
    assert!(olga.get("/operator/providers").await.body.contains(PAGE));
    let audit = olga.get("/operator/audit").await.body;
    assert!(audit.contains("reconciliation"), "{audit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_home_says_that_a_nightly_run_failed_until_it_was_made_up_for() {
    let world = World::reconciling("02:00").await;
    world.sell("A-1").await;
    let olga = world.server.person("olga", Role::Operator, None).await;
    let is_told = async || olga.get("/operator").await.body.contains("trouble-reconciliation");
    assert!(!is_told().await, "it is new");
    let (live, now) = (&world.server.live, world.server.clock.now());
    let runs = live.store.reconciliations().expect("live has them");
    let night = last_night(AT, now);
    let period = Period { from: night.minus(DAY), to: night };
    let failed = ReconciliationRun {
        night: Some(night),
        finished_at: Some(now),
        result: RunResult::failed("stripe does not answer"),
        ..reconcile::new_run(KIND, RunOrigin::Nightly, period, now)
    };
    assert!(runs.add(&failed).await.expect("a write"));
    assert!(is_told().await);
    assert!(olga.get(PAGE).await.body.contains("stripe does not answer"));
    world.server.later(Duration::from_secs(60 * 60));
    assert!(world.request_since(0).await);
    assert_eq!(world.made(1).await.result.state, RunState::Matched);
    assert!(is_told().await, "the days of the night were not compared");
    assert!(world.request().await);
    let made = world.made(1).await;
    assert_eq!(made.result.state, RunState::Matched);
    assert!(made.period.to <= world.server.clock.now(), "the rest of the day is yet to come: {made:?}");
    assert!(!is_told().await, "an operator has made up for it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_makes_the_run() {
    let fake = Fake::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("stripe.toml");
    fs::write(&file, fake.document("webhook_secrets = [\"whsec_fake\"]")).expect("a file");
    let path = file.to_str().expect("a path");
    let settings = [("TILL_STRIPE_FILE", path), ("TILL_RECONCILE_AT", "off"), ("TILL_OPERATOR_TOTP", "off")];
    let nodes = Nodes::start(&settings);
    // A slow answer: the other process looks at the run meanwhile.
    let slow = json!({ "path": "/v1/charges", "kind": "slow", "seconds": 2, "times": 1 });
    fake.fault_with(slow).await;
    // Each process has tested the setup.
    let before = fake.calls("GET", "/v1/charges").await;
    let shell = nodes.shell().await;
    let now = today().as_ms();
    shell
        .run(&format!(
            "INSERT INTO live.reconciliations (id, provider, chain, from_at, to_at, origin, requested_by,
                requested_at, due_at, state, tries)
             VALUES (decode(repeat('01', 16), 'hex'), 'stripe', '', {}, {now}, 'panel', 'olga@till.example', {now}, {now},
                'waiting', 0)",
            now - 3_600_000
        ))
        .await;
    let open = "SELECT COUNT(*) FROM live.reconciliations WHERE finished_at IS NULL";
    until("it is made", async || shell.row(open).await == ["0"]).await;
    let row = shell.row("SELECT state, tries, error FROM live.reconciliations").await;
    assert_eq!(row, ["matched", "1", ""], "once");
    assert_eq!(fake.calls("GET", "/v1/charges").await, before + 1);
}
