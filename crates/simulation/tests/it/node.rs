//! A node of the service: a runtime of its own, whose tasks run only when the driver lets them, one step at a time.
//! Dropping it cuts every task at the await that it has reached, as a kill does.

use crate::{bank::DistantBank, world::World};
use axum::{
    Router,
    middleware::{self, Next},
};
use std::{path::Path, sync::Arc, time::Duration};
use till::{
    api,
    app::{Shared, cashiers, live_rules, sandbox_rules},
    workers::{
        self, Workers,
        dispatch::{MailContext, PaymentMailer},
        mail::{MailOptions, RETRIES},
        retention::Retention,
    },
};
use till_providers::Provider;
use till_service::{
    admin::{Admin, adopt_key},
    callbacks::{FaultPlayer, PlainTransmitter, Sender, SenderOptions, endpoint_check::EndpointChecker},
    cashier::Cashier,
    environment::Environment,
    mail::MailTransport,
    metrics::Metrics,
    outbound::Outbound,
    settings::Settings,
    web,
};
use till_store::{Accounts, Clock, Durability, OnFault, StoreError, StoreLocation, Stores};
use tokio::{
    runtime::{Builder, Runtime},
    sync::watch,
    task::yield_now,
};

/// How long data is kept, so that the retention has something to do within a simulation.
pub const KEPT: Duration = Duration::from_secs(3_600);

/// How long a node runs after a long time that it skips.
const AWAKE: Duration = Duration::from_secs(1);

/// What a node shares with the other nodes: settings, the network, the outside world.
#[derive(Debug)]
pub struct Surroundings {
    pub settings: Settings,
    pub world: Arc<World>,
    pub outbound: Outbound,
}

/// The parts of a running node that its callers use.
#[derive(Debug)]
pub struct Parts {
    pub environments: [Arc<Environment>; 2],
    pub cashiers: [Arc<Cashier>; 2],
    pub router: Router,
    pub admin: Admin,
}

pub struct Node {
    runtime: Runtime,
    pub clock: Clock,
    pub parts: Arc<Parts>,
    _stop: watch::Sender<bool>,
}

impl Node {
    /// Starts a node on the store in a folder, and with it its workers.
    pub fn start(folder: &Path, around: &Surroundings) -> Result<Self, String> {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .event_interval(1)
            .global_queue_interval(1)
            .build()
            .expect("a runtime");
        let guard = runtime.enter();
        let clock = Clock::by_runtime(around.world.now());
        drop(guard);
        let (stop, stopped) = watch::channel(false);
        let parts = runtime.block_on(async {
            let location = StoreLocation::Folder(folder.to_owned());
            let stores =
                Stores::open_with(&location, Durability::Full, Some(clock.clone()), OnFault::EndNode).await;
            let stores = stores.map_err(|error| error.to_string())?;
            run(stores, around, &clock, &stopped).await.map_err(|error| error.to_string())
        })?;
        Ok(Self { runtime, clock, parts: Arc::new(parts), _stop: stop })
    }

    /// Lets its tasks make this many steps; a step is one poll of one task.
    pub fn run(&self, steps: u64) {
        self.runtime.block_on(async {
            for _ in 0..steps {
                yield_now().await;
            }
        });
    }

    /// Lets its tasks do everything that is due within this time.
    pub fn advance(&self, by: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(by).await });
    }

    /// Continues it after it was suspended for this long: its time jumps.
    pub fn wake(&self, missed: Duration) {
        self.runtime.block_on(tokio::time::advance(missed));
    }

    /// Lets a long time pass in which it does little: its clock moves, and then its tasks run for a second.
    pub fn skip(&self, by: Duration) {
        self.clock.advance(by.saturating_sub(AWAKE));
        self.advance(AWAKE.min(by));
    }

    /// Starts a task on it. It ends with the node.
    pub fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(task)
    }

    /// Runs a task to its end. Only its own timers move the time.
    pub fn finish<T>(&self, task: impl Future<Output = T>) -> T {
        self.runtime.block_on(task)
    }
}

fn payment_mailer(
    around: &Surroundings,
    live: &Arc<Environment>,
    cashier: &Arc<Cashier>,
) -> Arc<PaymentMailer> {
    let mail = around.settings.mail.as_ref().expect("a mail server");
    let transport = MailTransport::new(mail).expect("good settings").over(Arc::clone(&around.world) as _);
    let url = "http://127.0.0.1:9".to_owned();
    let context = MailContext { checkout_url: url.clone(), base_url: url, cashier: Arc::clone(cashier) };
    let options = MailOptions { retries: RETRIES.to_vec(), lease: Duration::from_secs(30) };
    PaymentMailer::new(Arc::clone(live), Arc::new(transport), context, options)
}

async fn run(
    stores: Stores,
    around: &Surroundings,
    clock: &Clock,
    stopped: &watch::Receiver<bool>,
) -> Result<Parts, StoreError> {
    let settings = &around.settings;
    let vault = Arc::new(settings.vault().expect("a key"));
    let shared = Shared::new(settings, vault, stores.accounts);
    adopt_key(shared.directory.accounts(), &shared.vault).await.expect("the key of the store");
    let url = "http://127.0.0.1:9";
    let live = shared.environment(live_rules(settings), stores.live, url.to_owned());
    let sandbox = shared.environment(sandbox_rules(settings), stores.sandbox, format!("{url}/sandbox"));
    let bank: Arc<dyn Provider> = Arc::new(DistantBank(Arc::clone(&around.world)));
    let cashiers = cashiers([&live, &sandbox], vec![bank]);
    let metrics = Metrics::new([Arc::clone(&live), Arc::clone(&sandbox)]);
    let sending = SenderOptions {
        schedule: settings.callbacks.schedule.clone(),
        limits: settings.callbacks.limits,
        lease: settings.lease.max(settings.callbacks.timeout + Duration::from_secs(5)),
    };
    let player = FaultPlayer::new(stores.faults, Arc::clone(&sandbox), around.outbound.timeout());
    let network = || around.outbound.clone();
    let senders = (
        Sender::new(Arc::clone(&live), PlainTransmitter, network(), Arc::clone(&metrics), sending.clone()),
        Sender::new(Arc::clone(&sandbox), player, network(), metrics, sending),
    );
    let checker = EndpointChecker::new(Arc::clone(&sandbox), network(), stores.endpoint_checks);
    let finish = web::Finish { base_url: url.into(), secure: false, environment: Arc::clone(&live) };
    let router = Router::new()
        .merge(api::router(Arc::clone(&cashiers[0]), Arc::clone(&checker)))
        .merge(api::router(Arc::clone(&cashiers[1]), checker))
        .layer(middleware::from_fn(move |request, next: Next| {
            let finish = finish.clone();
            async move { web::finish(&finish, request, |request| next.run(request)).await }
        }));
    let mut background = Workers::new(clock, stopped);
    workers::start(&mut background, &senders.0, &cashiers[0]);
    workers::start(&mut background, &senders.1, &cashiers[1]);
    workers::start_late(&mut background, &cashiers[0]);
    let kept = Retention { sessions: None, personal_data: Some(KEPT) };
    let mailer = payment_mailer(around, &live, &cashiers[0]);
    workers::start_dispatch(&mut background, &mailer, &live.store.hold);
    workers::start_retention(&mut background, &live, kept);
    workers::start_retention(&mut background, &sandbox, Retention { sessions: Some(KEPT), ..kept });
    workers::start_clock(&mut background, [Arc::clone(&live), Arc::clone(&sandbox)]);
    // They end with the runtime.
    background.tasks.detach_all();
    let accounts: Arc<Accounts> = shared.directory.accounts_shared();
    let admin = Admin { accounts, vault: Arc::clone(&shared.vault) };
    Ok(Parts { environments: [live, sandbox], cashiers, router, admin })
}
