//! Puts the service together: stores, sockets, environments, senders, cashiers, panel and mailers.

use super::{
    App, AppOptions,
    providers::{bank, live_providers, live_rules, sandbox_rules, tester},
    warnings,
};
use crate::{
    checkout::pages::OperatorLinks,
    workers::{
        dispatch::{MailContext, PaymentMailer},
        mail::{MailOptions, Mailer, RETRIES},
        retention::Retention,
    },
};
use anyhow::Context as _;
use axum::Router;
use std::{
    fs::File,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use till_domain::rules::Rules;
use till_panel::Panel;
use till_providers::{Provider, Simulator};
use till_service::{
    access::{codes::WrongCodes, password::Passwords, throttle::Throttle},
    admin::{Admin, adopt_key},
    callbacks::{
        FaultPlayer, LiveSender, PlainTransmitter, SandboxSender, Sender, SenderOptions,
        endpoint_check::EndpointChecker,
    },
    cashier::Cashier,
    environment::{Directory, Environment, EnvironmentStore, Hold, Keyring, Waiting},
    heartbeat::Heartbeat,
    limits::Limits,
    listener::{ConnectionLimits, tls::Tls},
    mail::MailTransport,
    metrics::Metrics,
    outbound::{Outbound, OutboundOptions, Resolver},
    random,
    registry::{self, Prober, Registry, SetupFile},
    settings::Settings,
    traces::{EXPORT_TIMEOUT, Exporter},
    vault::Vault,
};
use till_store::{Clock, EndpointChecks, Faults, NodeId, StoreLocation, Stores};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
};
use url::{Host, Url};

/// Password hashes computed at once: each takes 19 MiB for a while.
const PASSWORDS_AT_ONCE: usize = 2;

/// Added to the timeout of an attempt for the lease of a callback.
const AFTER_TIMEOUT: Duration = Duration::from_secs(5);

/// The shortest lease of a mail: a conversation with a mail server takes time.
const MAIL_LEASE: Duration = Duration::from_secs(30);

impl App {
    /// Opens the store, checks what must hold, and listens. Nothing is served before [`App::run`].
    pub async fn start(settings: Settings, options: AppOptions) -> anyhow::Result<Self> {
        let chosen = options.chosen.clone();
        let vault = Arc::new(settings.vault()?);
        let files = read_setup_files(&settings)?;
        let web = registry::web(settings.callbacks.roots.as_deref())?;
        let prober = Prober {
            web: web.clone(),
            clock: Arc::new(|| Clock::System.now()),
            base_url: None,
            vendors: None,
        };
        registry::refuse_contradicted(&files, &prober).await?;
        let tls = settings.tls.clone().map(Tls::start).transpose()?;
        let (stores, lock) = open_stores(&settings, options).await?;
        let sockets = Sockets::bind(&settings, tls.is_some())?;
        let shared = Shared::new(&settings, vault, stores.accounts);
        adopt_key(shared.directory.accounts(), &shared.vault).await?;
        shared.hold.refresh(shared.directory.accounts()).await?;
        warnings::warn(&settings, &sockets.base_url, &chosen);
        let checkout_url = &sockets.checkout_url;
        let live = shared.environment(live_rules(&settings), stores.live, checkout_url.clone());
        let sandbox =
            shared.environment(sandbox_rules(&settings), stores.sandbox, format!("{checkout_url}/sandbox"));
        let metrics = Metrics::new([Arc::clone(&live), Arc::clone(&sandbox)]);
        let laboratory = (stores.faults, stores.endpoint_checks);
        let callbacks = callbacks(&settings, &sockets, [&live, &sandbox], laboratory, &metrics)?;
        let fixed = live_providers(&settings, &live);
        let cashiers = cashiers([&live, &sandbox], fixed.clone());
        let admin = Admin { accounts: shared.directory.accounts_shared(), vault: Arc::clone(&shared.vault) };
        let registry = Registry::new(admin.clone(), Arc::clone(&cashiers[0]), (fixed, files), web);
        let registry = Arc::new(registry);
        registry.load().await?;
        metrics.watch(&registry, &cashiers);
        let parts = Parts { registry, callbacks, cashiers, metrics, live, sandbox };
        let secure = tls.is_some() || sockets.base_url.starts_with("https://");
        let panel =
            Arc::new(panel(&settings, &shared, &parts, admin, (Arc::clone(&sockets.base_url), secure)));
        let (mailer, payment_mailer) = mailers(&settings, &sockets, &shared, &parts)?;
        let Parts { registry, callbacks, cashiers, metrics, live, sandbox } = parts;
        let exporter = exporter(&settings, shared.node)?;
        Ok(Self {
            heartbeat: shared.heartbeat(sockets.address, &live),
            panel,
            address: sockets.address,
            metrics_address: sockets.metrics_address,
            metrics,
            live_sender: callbacks.live,
            sandbox_sender: callbacks.sandbox,
            checker: callbacks.checker,
            cashiers,
            registry,
            mailer,
            payment_mailer,
            simulated: settings.simulator,
            refund_late: settings.refund_late,
            retention: Retention {
                sessions: settings.sandbox_retention,
                personal_data: settings.personal_data_retention,
            },
            reconcile_at: settings.reconcile_at,
            connections: connections(&settings),
            operator: OperatorLinks {
                support: settings.support_contact,
                terms: settings.terms_url,
                privacy: settings.privacy_url,
            },
            live,
            sandbox,
            listener: sockets.listener,
            tls,
            metrics_listener: sockets.metrics_listener,
            exporter,
            base_url: sockets.base_url,
            _lock: lock,
            guest: Router::new(),
            home: "/panel",
        })
    }
}

/// Parts that the panel and the mailers use.
struct Parts {
    registry: Arc<Registry>,
    callbacks: Callbacks,
    cashiers: [Arc<Cashier>; 2],
    metrics: Arc<Metrics>,
    live: Arc<Environment>,
    sandbox: Arc<Environment>,
}

/// The parts that send callbacks.
struct Callbacks {
    live: Arc<LiveSender>,
    sandbox: Arc<SandboxSender>,
    faults: Faults,
    checker: Arc<EndpointChecker>,
    outbound: Outbound,
}

/// The providers' set-ups in files.
pub(super) fn read_setup_files(settings: &Settings) -> anyhow::Result<Vec<SetupFile>> {
    settings.setup_files.iter().map(|(kind, path)| SetupFile::read(*kind, path)).collect()
}

async fn open_stores(settings: &Settings, options: AppOptions) -> anyhow::Result<(Stores, Option<File>)> {
    let named = || settings.name_place();
    let lock = settings.place.lock().with_context(named)?;
    let AppOptions { clock, durability, refuse_weak, on_fault, .. } = options;
    let stores = Stores::open_with(&settings.place, durability, clock, on_fault).await;
    let stores = stores.with_context(named)?;
    if refuse_weak {
        stores.assert_durable().await?;
    }
    for warning in stores.warnings().await? {
        tracing::warn!("{warning}");
    }
    Ok((stores, lock))
}

fn connections(settings: &Settings) -> ConnectionLimits {
    ConnectionLimits {
        connections: settings.max_connections,
        per_address: settings.max_connections_per_address,
        client_timeout: settings.client_timeout,
        trusted_proxies: settings.trusted_proxies.clone(),
    }
}

/// Turns traces on, if an endpoint is set.
fn exporter(settings: &Settings, node: NodeId) -> anyhow::Result<Option<Exporter>> {
    let Some(options) = &settings.traces else { return Ok(None) };
    let outbound = Outbound::new(OutboundOptions {
        // The operator chose the address.
        allow_private: true,
        roots: settings.callbacks.roots.clone(),
        own: Vec::new(),
        own_hosts: Vec::new(),
        timeout: EXPORT_TIMEOUT,
        resolver: Resolver::System,
        keep_responses: false,
    })?;
    Ok(Exporter::start(options, hex::encode(node.0), outbound))
}

fn callbacks(
    settings: &Settings,
    sockets: &Sockets,
    [live, sandbox]: [&Arc<Environment>; 2],
    (faults, checks): (Faults, EndpointChecks),
    metrics: &Arc<Metrics>,
) -> anyhow::Result<Callbacks> {
    let own = [Some(sockets.address), sockets.metrics_address];
    let outbound = Outbound::new(OutboundOptions {
        allow_private: settings.rules.private_callbacks,
        roots: settings.callbacks.roots.clone(),
        own: own.into_iter().flatten().map(|own| own.ip()).collect(),
        own_hosts: [&*sockets.base_url, &sockets.checkout_url].into_iter().filter_map(host).collect(),
        timeout: settings.callbacks.timeout,
        resolver: Resolver::System,
        keep_responses: settings.callbacks.keep_responses,
    })?;
    let sending = SenderOptions {
        schedule: settings.callbacks.schedule.clone(),
        limits: settings.callbacks.limits,
        lease: settings.lease.max(settings.callbacks.timeout + AFTER_TIMEOUT),
    };
    let player = FaultPlayer::new(faults.clone(), Arc::clone(sandbox), outbound.timeout());
    let (plain, options) = (PlainTransmitter, sending.clone());
    Ok(Callbacks {
        live: Sender::new(Arc::clone(live), plain, outbound.apart(), Arc::clone(metrics), options),
        sandbox: Sender::new(Arc::clone(sandbox), player, outbound.apart(), Arc::clone(metrics), sending),
        faults,
        checker: EndpointChecker::new(Arc::clone(sandbox), outbound.apart(), checks),
        outbound,
    })
}

/// The cashiers of live, with these providers, and sandbox.
pub fn cashiers([live, sandbox]: [&Arc<Environment>; 2], fixed: Vec<Arc<dyn Provider>>) -> [Arc<Cashier>; 2] {
    let simulator: Arc<dyn Provider> = Arc::new(Simulator::sandbox(bank(sandbox)));
    let in_sandbox = Cashier::new(Arc::clone(sandbox), vec![Arc::clone(&simulator)]);
    in_sandbox.replace(vec![simulator], vec![tester(sandbox)]);
    [Cashier::new(Arc::clone(live), fixed), in_sandbox]
}

fn panel(
    settings: &Settings,
    shared: &Shared,
    parts: &Parts,
    admin: Admin,
    (base_url, secure): (Arc<str>, bool),
) -> Panel {
    Panel {
        recent_views: till_panel::RecentViews::default(),
        refusals: till_panel::Refusals::default(),
        admin,
        registry: Arc::clone(&parts.registry),
        directory: Arc::clone(&shared.directory),
        environments: [&parts.live, &parts.sandbox].map(Arc::clone),
        outbound: parts.callbacks.outbound.clone(),
        schedule: settings.callbacks.schedule.clone(),
        faults: parts.callbacks.faults.clone(),
        checker: Arc::clone(&parts.callbacks.checker),
        require_endpoint_check: settings.require_endpoint_check,
        cashiers: parts.cashiers.clone(),
        passwords: Passwords::new(PASSWORDS_AT_ONCE),
        metrics: Arc::clone(&parts.metrics),
        throttle: Throttle::new(settings.rate_limits, settings.rates.failed_tries_address),
        codes: WrongCodes::default(),
        trusted_proxies: settings.trusted_proxies.clone(),
        secure,
        base_url,
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
        reconcile_at: settings.reconcile_at,
        started: Instant::now(),
    }
}

type Mailers = (Option<Arc<Mailer>>, Option<Arc<PaymentMailer>>);

fn mailers(
    settings: &Settings,
    sockets: &Sockets,
    shared: &Shared,
    parts: &Parts,
) -> anyhow::Result<Mailers> {
    let Some(mail) = &settings.mail else { return Ok((None, None)) };
    let options = MailOptions { retries: RETRIES.to_vec(), lease: settings.lease.max(MAIL_LEASE) };
    let (directory, vault) = (Arc::clone(&shared.directory), Arc::clone(&shared.vault));
    let transport = Arc::new(MailTransport::new(mail)?);
    let context = MailContext {
        checkout_url: sockets.checkout_url.clone(),
        base_url: sockets.base_url.to_string(),
        cashier: Arc::clone(&parts.cashiers[0]),
    };
    let (live, about_payments) = (Arc::clone(&parts.live), Arc::clone(&transport));
    let payment_mailer = PaymentMailer::new(live, about_payments, context, options.clone());
    Ok((Some(Mailer::new(directory, vault, transport, options)), Some(payment_mailer)))
}

/// The bound sockets and the public addresses.
struct Sockets {
    listener: TcpListener,
    metrics_listener: Option<TcpListener>,
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    base_url: Arc<str>,
    checkout_url: String,
}

impl Sockets {
    fn bind(settings: &Settings, tls: bool) -> anyhow::Result<Self> {
        let listener = bind("TILL_LISTEN", settings.listen)?;
        let metrics = settings.metrics_listen.map(|address| bind("TILL_METRICS_LISTEN", address));
        let metrics_listener = metrics.transpose()?;
        let address = listener.local_addr()?;
        let metrics_address = metrics_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let scheme = if tls { "https" } else { "http" };
        let base_url = settings.base_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        let checkout_url = settings.checkout_url.clone().unwrap_or_else(|| base_url.clone());
        let base_url = base_url.into();
        Ok(Self { listener, metrics_listener, address, metrics_address, base_url, checkout_url })
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
        format!("{setting} is {address}: cannot listen on it; choose a free address and port")
    })
}

/// Parts that both environments share.
#[derive(Debug)]
pub struct Shared {
    rates: till_service::limits::Rates,
    trusted_proxies: Vec<ipnet::IpNet>,
    node: NodeId,
    lease: Duration,
    pub vault: Arc<Vault>,
    pub directory: Arc<Directory>,
    pub hold: Hold,
}

impl Shared {
    pub fn new(settings: &Settings, vault: Arc<Vault>, accounts: till_store::Accounts) -> Self {
        Self {
            rates: settings.rates,
            trusted_proxies: settings.trusted_proxies.clone(),
            node: NodeId(random::draw("node")),
            lease: settings.lease,
            vault,
            directory: Arc::new(Directory::new(Arc::new(accounts))),
            hold: Hold::default(),
        }
    }

    fn heartbeat(&self, address: SocketAddr, live: &Environment) -> Arc<Heartbeat> {
        Arc::new(Heartbeat {
            directory: Arc::clone(&self.directory),
            node: self.node,
            listens: address.to_string(),
            started_at: live.now(),
            vault: Arc::clone(&self.vault),
            last: Mutex::default(),
        })
    }

    pub fn environment(
        &self,
        rules: Rules,
        store: till_store::Payments,
        checkout_url: String,
    ) -> Arc<Environment> {
        let keyring = Keyring::new(rules.environment, Arc::clone(&self.directory), Arc::clone(&self.vault));
        Arc::new(Environment {
            name: rules.environment,
            store: EnvironmentStore::of_node(store, rules, self.node, self.hold.clone()),
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
            started: tokio::time::Instant::now(),
        })
    }
}

/// The host of a public address.
fn host(url: &str) -> Option<Host> {
    Url::parse(url).ok()?.host().map(|host| host.to_owned())
}
