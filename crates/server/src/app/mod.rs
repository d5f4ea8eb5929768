//! The running service: `build.rs` puts it together, `routes.rs` has its addresses, and this file runs it and shuts it
//! down.

mod build;
mod command;
mod manual_clock;
mod providers;
mod request_layer;
mod routes;
mod warnings;

pub use build::{Shared, cashiers};
pub use command::cashiers_of_a_command;
pub use manual_clock::{PATH as CLOCK_PATH, is_loopback, next_due};
pub use providers::{live_rules, offerings, sandbox_rules};

use crate::{
    checkout::pages::OperatorLinks,
    workers::{self, Workers, dispatch::PaymentMailer, mail::Mailer, retention::Retention},
};
use axum::Router;
use std::{fs::File, net::SocketAddr, sync::Arc, time::Duration};
use till_panel::Panel;
use till_service::{
    callbacks::{LiveSender, SandboxSender, endpoint_check::EndpointChecker},
    cashier::Cashier,
    environment::Environment,
    heartbeat::Heartbeat,
    listener::{self, ConnectionLimits, tls::Tls},
    metrics::{self, Metrics},
    registry::Registry,
    traces::Exporter,
};
use till_store::{Clock, Durability, OnFault};
use tokio::{net::TcpListener, sync::watch};

/// The time for callbacks in flight to end when the service stops. The rest are left to their lease: one
/// receiver that hangs must not keep the next process from starting.
const CALLBACKS_END_WITHIN: Duration = Duration::from_secs(2);

/// How long the export of the last traces may take.
const TRACES_END_WITHIN: Duration = Duration::from_secs(1);

/// What the tests and the demo may change about a service.
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
    /// The settings that the command chose itself, such as `TILL_SIMULATOR`: no warning is logged about them.
    pub chosen: Vec<&'static str>,
    /// True if the service ends with its terminal. A server that was started in one keeps running.
    pub ends_with_terminal: bool,
}

impl Default for AppOptions {
    fn default() -> Self {
        let on_fault = OnFault::EndProcess;
        Self {
            clock: None,
            durability: Durability::Full,
            refuse_weak: true,
            on_fault,
            chosen: Vec::new(),
            ends_with_terminal: false,
        }
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
    live_sender: Arc<LiveSender>,
    sandbox_sender: Arc<SandboxSender>,
    checker: Arc<EndpointChecker>,
    /// The cashiers of live and sandbox.
    pub cashiers: [Arc<Cashier>; 2],
    /// The providers that are set up and running.
    pub registry: Arc<Registry>,
    mailer: Option<Arc<Mailer>>,
    payment_mailer: Option<Arc<PaymentMailer>>,
    heartbeat: Arc<Heartbeat>,
    simulated: bool,
    refund_late: bool,
    /// How long data is kept; that of sessions concerns the sandbox alone.
    retention: Retention,
    reconcile_at: Option<Duration>,
    operator: OperatorLinks,
    panel: Arc<Panel>,
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    base_url: Arc<str>,
    // Held for as long as the service runs.
    _lock: Option<File>,
    connections: ConnectionLimits,
    metrics: Arc<Metrics>,
    metrics_listener: Option<TcpListener>,
    exporter: Option<Exporter>,
    guest: Router,
    /// Where the bare address leads.
    home: &'static str,
}

impl App {
    /// Serves a router of another component beside its own, such as the shop of a demo; the bare address leads
    /// to its page `home`.
    pub fn host(&mut self, guest: Router, home: &'static str) {
        (self.guest, self.home) = (guest, home);
    }

    /// The public address of the API.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Serves until `stop` turns true, then lets requests under way finish.
    pub async fn run(mut self, stop: watch::Receiver<bool>) {
        let mut background = Workers::new(self.live.store.clock(), &stop);
        let [live, sandbox] = &self.cashiers;
        workers::start(&mut background, &self.live_sender, live);
        workers::start(&mut background, &self.sandbox_sender, sandbox);
        if self.refund_late {
            workers::start_late(&mut background, &self.cashiers[0]);
        }
        let live = Retention { sessions: None, ..self.retention };
        workers::start_retention(&mut background, &self.live, live);
        workers::start_retention(&mut background, &self.sandbox, self.retention);
        workers::start_registry(&mut background, &self.registry);
        workers::start_chains(&mut background, &self.registry);
        workers::start_reconciliation(&mut background, &self.registry, self.reconcile_at);
        workers::start_login_pruning(&mut background, &self.panel.admin.accounts);
        workers::start_audit(&mut background, &self.panel.admin.accounts);
        let hold = &self.live.store.hold;
        workers::start_hold(&mut background, &self.panel.admin.accounts, hold);
        let admin = &self.panel.admin;
        workers::start_keys(&mut background, &admin.accounts, &admin.vault);
        if let Some(mailer) = &self.mailer {
            workers::start_mail(&mut background, mailer, hold);
        }
        if let Some(mailer) = &self.payment_mailer {
            workers::start_dispatch(&mut background, mailer, hold);
        }
        workers::start_heartbeat(&mut background, &self.heartbeat);
        let environments = [Arc::clone(&self.live), Arc::clone(&self.sandbox)];
        workers::start_clock(&mut background, environments);
        if let Some(listener) = self.metrics_listener.take() {
            let router = metrics::router(Arc::clone(&self.metrics));
            let (limits, nothing) = (self.connections.clone(), async {});
            background.tasks.spawn(listener::serve(listener, None, router, limits, stop.clone(), nothing));
        }
        let export_ends = watch::Sender::new(false);
        let exporter =
            self.exporter.take().map(|exporter| tokio::spawn(exporter.run(export_ends.subscribe())));
        if let Some(tls) = &self.tls {
            background.tasks.spawn(Arc::clone(tls).follow(stop.clone()));
        }
        let router = self.router(stop.clone());
        let mut stopped = stop.clone();
        let draining = async {
            while !*stopped.borrow() && stopped.changed().await.is_ok() {}
            for environment in [&self.live, &self.sandbox] {
                environment.stopping.send_replace(true);
            }
            // Callbacks and mails in flight may end too; the others are taken over when their lease ends.
            let (live, sandbox) = (self.live_sender.idle(), self.sandbox_sender.idle());
            let callbacks = async { tokio::join!(live, sandbox) };
            let callbacks = tokio::time::timeout(CALLBACKS_END_WITHIN, callbacks);
            let mails = async {
                if let Some(mailer) = &self.mailer {
                    mailer.idle().await;
                }
                if let Some(mailer) = &self.payment_mailer {
                    mailer.idle().await;
                }
            };
            let idle = async { tokio::join!(callbacks, mails) };
            let _ = tokio::time::timeout(listener::DRAIN, idle).await;
        };
        listener::serve(self.listener, self.tls, router, self.connections, stop, draining).await;
        // A pass is short; one that hangs on a dead disk is not waited for.
        let end = async {
            while background.tasks.join_next().await.is_some() {}
            for environment in [&self.live, &self.sandbox] {
                // A lease that is not released expires by itself.
                let _ = environment.store.release(environment.node).await;
            }
            for cashier in &self.cashiers {
                let written = cashier.write_activity().await;
                if let Err(error) = written {
                    tracing::warn!(%error, "the last minute of the providers' activity is lost");
                }
            }
        };
        // The node signs off even if the passes do not end in time. If it cannot, other nodes miss its
        // heartbeat.
        let ends = async { tokio::join!(self.heartbeat.stop(), end) };
        let _ = tokio::time::timeout(Duration::from_millis(500), ends).await;
        // The last spans are those of the requests that ended just now.
        if let Some(exporter) = exporter {
            export_ends.send_replace(true);
            let _ = tokio::time::timeout(TRACES_END_WITHIN, exporter).await;
        }
    }
}
