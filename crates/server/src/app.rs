//! The running service: builds environments, routes and workers, and shuts them down.

use crate::{
    access::{codes::WrongCodes, password::Passwords, throttle::Throttle},
    admin::Admin,
    api,
    callbacks::{Sender, SenderOptions},
    cashier::{Cashier, StoreBook},
    checkout::{self, CheckoutState, pages::Banner},
    docs,
    environment::{Directory, Environment, EnvironmentStore, Keyring, Waiting},
    limits::Limits,
    listener::{self, ConnectionLimits, tls::Tls},
    mail::MailTransport,
    metrics::{self, Metrics},
    outbound::{Outbound, OutboundOptions, Resolver},
    panel::{self, Panel},
    random,
    registry::{self, Prober, Registry, SetupFile},
    settings::{Settings, is_open_to_others},
    vault::Vault,
    web::{self, Problem},
    workers::{
        self,
        dispatch::{MailContext, PaymentMailer},
        heartbeat::Heartbeat,
        mail::{MailOptions, Mailer, RETRIES},
    },
};
use anyhow::{Context as _, bail};
use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::json;
use std::{
    fs::File,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use till_domain::{
    environment::EnvironmentName,
    rules::{Offering, Rules},
};
use till_providers::{Bank, Provider, Simulator, evm::Evm, stripe::Stripe, yookassa::Yookassa};
use till_store::{Clock, Durability, NodeId, OnFault, StoreLocation, Stores};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    task::JoinSet,
};
use tower_http::catch_panic::CatchPanicLayer;
use url::{Host, Url};

/// Password hashes computed at once: each takes 19 MiB for a while.
const PASSWORDS_AT_ONCE: usize = 2;

/// The time in which the stores must answer for the service to be ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Added to the timeout of an attempt for the lease of a callback.
const AFTER_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for callbacks in flight to end when the service stops. The rest are left to their lease: one
/// receiver that hangs must not keep the next process from starting.
const CALLBACKS_END_WITHIN: Duration = Duration::from_secs(2);

/// The shortest lease of a mail: a conversation with a mail server takes time.
const MAIL_LEASE: Duration = Duration::from_secs(30);

/// What the tests may change about a service.
#[derive(Debug)]
pub struct AppOptions {
    /// The clock for deadlines and tokens, if it is not the store's own.
    pub clock: Option<Clock>,
    /// The durability of commits; anything less than full is refused by [`App::start`] unless `refuse_weak`
    /// is off.
    pub durability: Durability,
    /// True if a store that may lose acknowledged commits must stop the start.
    pub refuse_weak: bool,
    /// The reaction to a failing database file. A test that removes its folder while the service runs must
    /// not end.
    pub on_fault: OnFault,
}

impl Default for AppOptions {
    fn default() -> Self {
        let on_fault = OnFault::EndProcess;
        Self { clock: None, durability: Durability::Full, refuse_weak: true, on_fault }
    }
}

/// A service with its sockets bound.
#[derive(Debug)]
pub struct App {
    /// The address it listens on.
    pub address: SocketAddr,
    /// The address of the operator's listener, if there is one.
    pub metrics_address: Option<SocketAddr>,
    pub live: Arc<Environment>,
    pub sandbox: Arc<Environment>,
    senders: [Arc<Sender>; 2],
    /// The cashiers of live and sandbox.
    pub cashiers: [Arc<Cashier>; 2],
    /// The providers that are set up and running.
    pub registry: Arc<Registry>,
    mailer: Option<Arc<Mailer>>,
    courier: Option<Arc<PaymentMailer>>,
    heart: Arc<Heartbeat>,
    simulated: bool,
    refund_late: bool,
    sandbox_retention: Option<Duration>,
    support: Option<String>,
    panel: Arc<Panel>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    base_url: Arc<str>,
    // Held for as long as the service runs.
    _lock: Option<File>,
    connections: ConnectionLimits,
    metrics: Arc<Metrics>,
    metrics_listener: Option<TcpListener>,
    guest: Router,
}

impl App {
    /// Opens the store, checks what must hold, and listens. Nothing is served before [`App::run`].
    pub async fn start(settings: Settings, options: AppOptions) -> anyhow::Result<Self> {
        let vault = Arc::new(Vault::new(&settings.master_key()?));
        let files = settings.setup_files.iter().map(|(kind, path)| SetupFile::read(*kind, path));
        let files = files.collect::<anyhow::Result<Vec<_>>>()?;
        let web = registry::web(settings.callbacks.roots.as_deref())?;
        let prober = Prober { web: web.clone(), clock: Arc::new(|| Clock::System.now()) };
        registry::refuse_contradicted(&files, &prober).await?;
        let tls = settings.tls.clone().map(Tls::start).transpose()?;
        let named = || settings.name_place();
        let lock = settings.place.lock().with_context(named)?;
        let AppOptions { clock, durability, refuse_weak, on_fault } = options;
        let stores = Stores::open_with(&settings.place, durability, clock, on_fault).await;
        let stores = stores.with_context(named)?;
        if refuse_weak {
            stores.assert_durable().await?;
        }
        for warning in stores.warnings().await? {
            tracing::warn!("{warning}");
        }
        let listener = bind("TILL_LISTEN", settings.listen)?;
        let metrics_listener = match settings.metrics_listen {
            Some(address) => Some(bind("TILL_METRICS_LISTEN", address)?),
            None => None,
        };
        let address = listener.local_addr()?;
        let metrics_address = metrics_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let base_url: Arc<str> =
            settings.base_url.clone().unwrap_or_else(|| format!("{scheme}://{address}")).into();
        let checkout_url = settings.checkout_url.clone().unwrap_or_else(|| base_url.to_string());

        let rules = [live_rules(&settings), Rules::sandbox(&settings.rules)];
        let connections = ConnectionLimits {
            connections: settings.max_connections,
            per_address: settings.max_connections_per_address,
            client_timeout: settings.client_timeout,
            trusted_proxies: settings.trusted_proxies.clone(),
        };
        let shared = Shared {
            rates: settings.rates,
            trusted_proxies: settings.trusted_proxies.clone(),
            node: NodeId(random::bytes()),
            lease: settings.lease,
            vault,
            directory: Arc::new(Directory::new(Arc::new(stores.accounts))),
        };
        check_master_key(&shared).await?;
        warn(&settings, &base_url);
        let [live_rules, sandbox_rules] = rules;
        let live = shared.environment(live_rules, stores.live, checkout_url.clone());
        let sandbox = shared.environment(sandbox_rules, stores.sandbox, format!("{checkout_url}/sandbox"));
        let outbound = Outbound::new(OutboundOptions {
            allow_private: settings.rules.private_callbacks,
            roots: settings.callbacks.roots.clone(),
            own: [Some(address), metrics_address].into_iter().flatten().map(|own| own.ip()).collect(),
            own_hosts: [&*base_url, &checkout_url].into_iter().filter_map(host).collect(),
            timeout: settings.callbacks.timeout,
            resolver: Resolver::System,
        })?;
        let sending = SenderOptions {
            schedule: settings.callbacks.schedule.clone(),
            limits: settings.callbacks.limits,
            lease: settings.lease.max(settings.callbacks.timeout + AFTER_TIMEOUT),
        };
        let metrics = Metrics::new([Arc::clone(&live), Arc::clone(&sandbox)]);
        let sender = |environment: &Arc<Environment>| {
            Sender::new(Arc::clone(environment), outbound.apart(), Arc::clone(&metrics), sending.clone())
        };
        let senders = [sender(&live), sender(&sandbox)];
        let fixed = live_providers(&settings, &live);
        let cashiers = [
            Cashier::new(Arc::clone(&live), fixed.clone()),
            Cashier::new(Arc::clone(&sandbox), vec![Arc::new(Simulator::sandbox(bank(&sandbox)))]),
        ];
        let admin = Admin { accounts: shared.directory.accounts_shared(), vault: Arc::clone(&shared.vault) };
        let registry = Registry::new(admin.clone(), Arc::clone(&cashiers[0]), (fixed, files), web);
        let registry = Arc::new(registry);
        registry.load().await?;
        metrics.watch(&registry, &cashiers);
        let panel = Panel {
            looks: panel::RecentViews::default(),
            refusals: panel::Refusals::default(),
            admin: admin,
            registry: Arc::clone(&registry),
            directory: Arc::clone(&shared.directory),
            senders: senders.clone(),
            cashiers: cashiers.clone(),
            passwords: Passwords::new(PASSWORDS_AT_ONCE),
            metrics: Arc::clone(&metrics),
            throttle: Throttle::new(settings.rate_limits, settings.rates.failed_tries_address),
            codes: WrongCodes::default(),
            trusted_proxies: settings.trusted_proxies.clone(),
            secure: tls.is_some() || base_url.starts_with("https://"),
            base_url: Arc::clone(&base_url),
            operator_totp: settings.operator_totp,
            mail: settings.mail.is_some(),
            support: settings.support_contact.clone(),
            private_callbacks: settings.rules.private_callbacks,
            node: shared.node,
            folder: match &settings.place {
                StoreLocation::Folder(folder) => Some(folder.clone()),
                StoreLocation::Server(_) => None,
            },
            changed_settings: settings.changed.clone(),
            started: Instant::now(),
        };
        let (mailer, courier) = match &settings.mail {
            None => (None, None),
            Some(mail) => {
                let options =
                    MailOptions { retries: RETRIES.to_vec(), lease: settings.lease.max(MAIL_LEASE) };
                let (directory, vault) = (Arc::clone(&shared.directory), Arc::clone(&shared.vault));
                let postman = Arc::new(MailTransport::new(mail)?);
                let head = MailContext {
                    checkout_url: checkout_url.clone(),
                    base_url: base_url.to_string(),
                    cashier: Arc::clone(&cashiers[0]),
                };
                let courier =
                    PaymentMailer::new(Arc::clone(&live), Arc::clone(&postman), head, options.clone());
                (Some(Mailer::new(directory, vault, postman, options)), Some(courier))
            }
        };
        let heart = Arc::new(Heartbeat {
            directory: Arc::clone(&shared.directory),
            node: shared.node,
            listens: address.to_string(),
            started_at: live.now(),
            last: Mutex::default(),
        });
        Ok(Self {
            heart,
            panel: Arc::new(panel),
            address,
            metrics_address,
            metrics,
            senders,
            cashiers,
            registry,
            mailer,
            courier,
            simulated: settings.simulator,
            refund_late: settings.refund_late,
            sandbox_retention: settings.sandbox_retention,
            support: settings.support_contact.clone(),
            live,
            sandbox,
            listener,
            tls,
            metrics_listener,
            base_url,
            _lock: lock,
            connections,
            guest: Router::new(),
        })
    }

    /// Serves a router of another component beside its own, such as the shop of a demo.
    pub fn host(&mut self, guest: Router) {
        self.guest = guest;
    }

    /// The public address of the API.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Serves until `stop` turns true, then lets requests under way finish.
    pub async fn run(mut self, stop: watch::Receiver<bool>) {
        let mut background = JoinSet::new();
        for (sender, cashier) in self.senders.iter().zip(&self.cashiers) {
            workers::start(&mut background, sender, cashier, &stop);
        }
        if self.refund_late {
            workers::start_late(&mut background, &self.cashiers[0], &stop);
        }
        workers::start_retention(&mut background, &self.live, None, &stop);
        workers::start_retention(&mut background, &self.sandbox, self.sandbox_retention, &stop);
        workers::start_registry(&mut background, &self.registry, &stop);
        workers::start_chains(&mut background, &self.registry, &stop);
        workers::start_nightly(&mut background, &self.registry, &stop);
        workers::start_doors(&mut background, &self.panel.admin.accounts, &stop);
        workers::start_audit(&mut background, &self.panel.admin.accounts, &stop);
        if let Some(mailer) = &self.mailer {
            workers::start_mail(&mut background, mailer, &stop);
        }
        if let Some(courier) = &self.courier {
            workers::start_dispatch(&mut background, courier, &stop);
        }
        workers::start_beat(&mut background, &self.heart, &stop);
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        workers::start_clock(&mut background, environments, &stop);
        if let Some(listener) = self.metrics_listener.take() {
            let router = metrics::router(Arc::clone(&self.metrics));
            let (limits, nothing) = (self.connections.clone(), async {});
            background.spawn(listener::serve(listener, None, router, limits, stop.clone(), nothing));
        }
        if let Some(tls) = &self.tls {
            background.spawn(Arc::clone(tls).follow(stop.clone()));
        }
        let router = self.router(stop.clone());
        let mut stopped = stop.clone();
        let draining = async {
            while !*stopped.borrow() && stopped.changed().await.is_ok() {}
            for environment in [&self.live, &self.sandbox] {
                environment.stopping.send_replace(true);
            }
            // Callbacks and mails in flight may end too; the others are taken over when their lease ends.
            let [one, other] = &self.senders;
            let callbacks = async { tokio::join!(one.idle(), other.idle()) };
            let callbacks = tokio::time::timeout(CALLBACKS_END_WITHIN, callbacks);
            let mails = async {
                if let Some(mailer) = &self.mailer {
                    mailer.idle().await;
                }
                if let Some(courier) = &self.courier {
                    courier.idle().await;
                }
            };
            let idle = async { tokio::join!(callbacks, mails) };
            let _ = tokio::time::timeout(listener::DRAIN, idle).await;
        };
        listener::serve(self.listener, self.tls, router, self.connections, stop, draining).await;
        // A pass is short; one that hangs on a dead disk is not waited for.
        let end = async {
            while background.join_next().await.is_some() {}
            for environment in [&self.live, &self.sandbox] {
                // A lease that is not released expires by itself.
                let _ = environment.store.release(environment.node).await;
            }
        };
        // The node signs off even if the passes do not end in time. If it cannot, other nodes miss its
        // heartbeat.
        let ends = async { tokio::join!(self.heart.stop(), end) };
        let _ = tokio::time::timeout(Duration::from_millis(500), ends).await;
    }

    /// The state of an environment's checkout pages.
    fn checkout(&self, cashier: &Arc<Cashier>) -> CheckoutState {
        let environment = cashier.environment();
        let sandbox = environment.name == EnvironmentName::Sandbox;
        let tape = if sandbox { Some(Banner::Sandbox) } else { self.simulated.then_some(Banner::Simulated) };
        CheckoutState {
            cashier: Arc::clone(cashier),
            bank: tape.map(|_| bank(environment)),
            prefix: if sandbox { "/sandbox" } else { "" },
            tape,
            shows_targets: sandbox,
            support: self.support.clone(),
            metrics: Arc::clone(&self.metrics),
            visits: checkout::Visits::default(),
        }
    }

    /// The reader of request bodies.
    fn bodies(&self) -> Arc<web::Bodies> {
        let (panel, cashier) = (Arc::clone(&self.panel), Arc::clone(&self.cashiers[0]));
        web::Bodies::new(
            self.connections.client_timeout,
            self.live.trusted_proxies.clone(),
            move |headers| {
                let (panel, headers) = (Arc::clone(&panel), headers.clone());
                Box::pin(async move { panel.is_logged_in(&headers).await })
            },
            move |provider| cashier.proof(provider).is_some(),
        )
    }

    fn router(&self, stop: watch::Receiver<bool>) -> Router {
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        let ready = ReadinessCheck { environments, stop };
        let finish = web::Finish {
            base_url: Arc::clone(&self.base_url),
            secure: self.tls.is_some() || self.base_url.starts_with("https://"),
            environment: Arc::clone(&self.live),
        };
        Router::new()
            .merge(api::router(Arc::clone(&self.live)))
            .merge(api::router(Arc::clone(&self.sandbox)))
            .merge(docs::router(&self.base_url))
            .merge(web::assets::router())
            .merge(panel::router(&self.panel))
            .merge(checkout::router(self.checkout(&self.cashiers[0])))
            .merge(checkout::router(self.checkout(&self.cashiers[1])))
            .merge(crate::cashier::notices::router(Arc::clone(&self.cashiers[0])))
            .merge(self.guest.clone())
            .route("/healthz", get(async || Json(json!({ "status": "ok" }))))
            .route("/readyz", get(readiness).with_state(ready))
            .fallback(async || Problem::not_found())
            .method_not_allowed_fallback(async || Problem::method_not_allowed())
            .layer(CatchPanicLayer::custom(|_| {
                tracing::error!("a request panicked; see the message above");
                Problem::internal().into_response()
            }))
            .layer(middleware::from_fn_with_state(self.bodies(), web::take_body))
            .layer(middleware::from_fn(web::refuse_ambiguous))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.metrics), metrics::observe))
            .layer(middleware::from_fn_with_state(finish, web::finish))
    }
}

/// The backlog of connections that wait to be accepted. Connections beyond it are delayed.
const BACKLOG: u32 = 4096;

/// The send buffer of a connection, in bytes.
const SEND_BUFFER: u32 = 256 * 1024;

fn bind(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        // Accepted connections inherit it. The kernel reports progress when a third of it is free, and holds
        // no more than this for a client that does not read.
        socket.set_send_buffer_size(SEND_BUFFER)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().with_context(|| {
        format!("{setting} is {address}: cannot listen there; choose a free address and port")
    })
}

/// Parts that both environments share.
struct Shared {
    rates: crate::limits::Rates,
    trusted_proxies: Vec<ipnet::IpNet>,
    node: NodeId,
    lease: Duration,
    vault: Arc<Vault>,
    directory: Arc<Directory>,
}

impl Shared {
    fn environment(
        &self,
        rules: Rules,
        store: till_store::Payments,
        checkout_url: String,
    ) -> Arc<Environment> {
        let keyring = Keyring::new(rules.environment, Arc::clone(&self.directory), Arc::clone(&self.vault));
        Arc::new(Environment {
            name: rules.environment,
            store: EnvironmentStore::of_node(store, rules, self.node),
            directory: Arc::clone(&self.directory),
            vault: Arc::clone(&self.vault),
            keyring,
            limits: Limits::new(&self.rates),
            in_flight: Default::default(),
            checkout_url,
            trusted_proxies: self.trusted_proxies.clone(),
            node: self.node,
            lease: self.lease,
            waiting: Waiting::default(),
            stopping: watch::Sender::new(false),
            started: Instant::now(),
        })
    }
}

/// The host of a public address.
fn host(url: &str) -> Option<Host> {
    Url::parse(url).ok()?.host().map(|host| host.to_owned())
}

/// The methods and currencies in live of the providers that the settings switch on.
#[must_use]
pub fn offerings(settings: &Settings) -> Vec<Offering> {
    if settings.simulator { Simulator::offerings() } else { Vec::new() }
}

/// The rules of live with the providers that the settings switch on.
#[must_use]
pub fn live_rules(settings: &Settings) -> Rules {
    // Payments at these providers can be refunded even where the provider is not set up now.
    let mut refunding = vec![Yookassa::NAME, Stripe::NAME, Evm::NAME];
    refunding.extend(settings.simulator.then_some(Simulator::NAME));
    Rules::live(&settings.rules, offerings(settings)).with_refunds(refunding)
}

/// The providers of live, in the operator's order.
fn live_providers(settings: &Settings, live: &Environment) -> Vec<Arc<dyn Provider>> {
    let mut providers: Vec<Arc<dyn Provider>> = Vec::new();
    if settings.simulator {
        let make = if settings.simulator_embeds { Simulator::embedded } else { Simulator::live };
        providers.push(Arc::new(make(bank(live))));
    }
    providers
}

/// The simulated bank of an environment.
fn bank(environment: &Environment) -> Arc<Bank> {
    let book = Arc::new(StoreBook(environment.store.payments()));
    let key = environment.vault.simulator_key(environment.name);
    Arc::new(Bank::new(book, format!("{}/bank", environment.checkout_url), key))
}

/// Refuses a master key that the store was not made with: with another key every secret would be unreadable.
async fn check_master_key(shared: &Shared) -> anyhow::Result<()> {
    let stored = shared.directory.accounts().key_check(&shared.vault.seal_key_check()).await?;
    if !shared.vault.is_key_check(&stored) {
        bail!("TILL_MASTER_KEY is not the key that this store was made with: use that one, or another store");
    }
    Ok(())
}

/// Logs warnings about settings that are allowed but not suitable for production.
fn warn(settings: &Settings, base_url: &str) {
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    if let StoreLocation::Folder(folder) = &settings.place
        && is_open_to_others(folder)
    {
        let folder = folder.display();
        tracing::warn!("other users can write to {folder}, and replace its files; run: chmod go= {folder}");
    }
    if settings.simulator {
        tracing::warn!("TILL_SIMULATOR is on: live payments are simulated and no money moves");
    }
    if !settings.rate_limits {
        tracing::warn!("TILL_RATE_LIMITS is off: nothing is limited, failed log-ins included");
    }
    if !settings.operator_totp {
        tracing::warn!("TILL_OPERATOR_TOTP is off: a password alone lets an operator in");
    }
    if settings.rules.private_callbacks {
        tracing::warn!(
            "TILL_ALLOW_PRIVATE_CALLBACKS is on: vendors can make this service call private addresses"
        );
    }
    if settings.base_url.is_none() && settings.listen.ip().is_unspecified() {
        tracing::warn!(
            "TILL_BASE_URL is not set: links would lead to {base_url}, which customers cannot open"
        );
    }
    let behind_proxy = base_url.starts_with("https://") && settings.tls.is_none();
    if behind_proxy && settings.trusted_proxies.is_empty() {
        tracing::warn!(
            "TILL_TRUSTED_PROXIES is not set: behind a proxy every caller looks like one, and is slowed down as one"
        );
    }
    let checkout_url = settings.checkout_url.as_deref().unwrap_or(base_url);
    for (name, url) in [("TILL_BASE_URL", base_url), ("TILL_CHECKOUT_URL", checkout_url)] {
        if !url.starts_with("https://") {
            tracing::warn!("{name} is {url}: without https, tokens and payments can be read on the way");
        }
    }
}

/// The state of the readiness check.
#[derive(Debug, Clone)]
struct ReadinessCheck {
    environments: [Arc<Environment>; 2],
    stop: watch::Receiver<bool>,
}

impl ReadinessCheck {
    /// True if all stores read and write.
    async fn stores_are_ready(&self) -> bool {
        let [live, sandbox] = &self.environments;
        let ask = async {
            let accounts = live.directory.accounts().ping();
            tokio::try_join!(live.store.ping(), sandbox.store.ping(), accounts)
        };
        matches!(tokio::time::timeout(READY_WITHIN, ask).await, Ok(Ok(_)))
    }
}

/// `GET /readyz`: tells whether requests can be served, and passes on the warning of the store's clock, if
/// any.
async fn readiness(State(ready): State<ReadinessCheck>) -> Response {
    let not_ready =
        |why: &str| (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": why }))).into_response();
    if *ready.stop.borrow() {
        return not_ready("stopping");
    }
    if !ready.stores_are_ready().await {
        return not_ready("the store does not read and write");
    }
    match ready.environments[0].store.clock().status().warning() {
        None => Json(json!({ "status": "ready" })).into_response(),
        Some(warning) => Json(json!({ "status": "ready", "warnings": [warning] })).into_response(),
    }
}
