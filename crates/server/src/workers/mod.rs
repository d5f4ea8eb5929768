//! Background workers: one driver, small passes.
//!
//! A pass takes no input, is bounded and can be repeated at any time. It returns the pause until the next
//! one. A pass that fails or panics is logged and runs again a little later: no error ends a worker.

pub mod activity;
mod audit;
pub mod chains;
mod clock;
pub mod dispatch;
mod expiry;
mod figures;
mod keys;
mod late_refunds;
pub mod login_pruning;
pub mod mail;
pub mod reconcile;
pub mod retention;
mod seal;
mod settlement;

use self::retention::Retention;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_service::{
    callbacks::{Sender, Transmitter},
    cashier::Cashier,
    environment::{Environment, Hold},
    heartbeat::Heartbeat,
    registry::{ProviderKind, Registry},
    telemetry::{Complaints, explain},
    vault::Vault,
};
use till_store::{Accounts, Clock, StoreError};
use tokio::{sync::watch, task::JoinSet};

/// The pause after a failed pass.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// The pause of a pass that takes work while a step of the clock settles.
const WHILE_SETTLING: Duration = Duration::from_millis(500);

/// How often a node looks whether the store is on hold, and how long a worker waits that may not run while it is.
const HOLD_LOOK: Duration = Duration::from_millis(500);

/// How often a node looks which master key is in use.
const KEY_LOOK: Duration = Duration::from_millis(500);

/// The background workers of a service.
#[derive(Debug)]
pub struct Workers {
    /// They end when `stop` turns true.
    pub tasks: JoinSet<()>,
    stop: watch::Receiver<bool>,
    /// A manual clock can wake the workers.
    clock: Clock,
}

impl Workers {
    #[must_use]
    pub fn new(clock: &Clock, stop: &watch::Receiver<bool>) -> Self {
        Self { tasks: JoinSet::new(), stop: stop.clone(), clock: clock.clone() }
    }

    /// Runs passes until stopped, each in a separate task so that a panic ends only that pass.
    fn spawn<Pass>(
        &mut self,
        (name, environment): (&'static str, &'static str),
        while_held: WhileHeld<'_>,
        mut pass: impl FnMut() -> Pass + Send + 'static,
    ) where
        Pass: Future<Output = Result<Duration, StoreError>> + Send + 'static,
    {
        let (mut stop, clock) = (self.stop.clone(), self.clock.clone());
        let complaints = Complaints::new();
        let (hold, paused_by) = match while_held {
            WhileHeld::Runs => (Hold::default(), Clock::System),
            WhileHeld::Waits(hold) => (hold.clone(), clock.clone()),
        };
        self.tasks.spawn(async move {
            while !*stop.borrow() {
                let work = if hold.is_held() { None } else { paused_by.begin_work() };
                let passed = match work {
                    Some(_until_it_ends) => tokio::spawn(pass()).await,
                    None => Ok(Ok(HOLD_LOOK)),
                };
                let wait = match passed {
                    // The hold was placed during the pass.
                    Ok(Err(StoreError::Held)) => HOLD_LOOK,
                    Ok(Ok(wait)) => wait,
                    Ok(Err(error)) => {
                        let error = explain(&error);
                        if let Some(suppressed) = complaints.tell(&error, Instant::now()) {
                            tracing::error!(
                                environment,
                                error,
                                untold = suppressed,
                                "the {name} worker failed; retrying"
                            );
                        }
                        AFTER_ERROR
                    }
                    Err(panic) => {
                        tracing::error!(environment, error = %panic, "the {name} worker panicked; restarting");
                        AFTER_ERROR
                    }
                };
                tokio::select! {
                    biased;
                    () = tokio::time::sleep(wait) => {}
                    () = clock.woken() => {}
                    changed = stop.changed() => if changed.is_err() { break },
                }
            }
        });
    }
}

/// Starts the workers of an environment.
pub fn start<T: Transmitter>(workers: &mut Workers, sender: &Arc<Sender<T>>, cashier: &Arc<Cashier>) {
    let environment = sender.environment();
    let (name, hold) = (environment.name.as_str(), environment.store.hold.clone());
    let expiring = Arc::clone(environment);
    workers.spawn(("expiry", name), WhileHeld::Waits(&hold), move || {
        let environment = Arc::clone(&expiring);
        async move { expiry::pass(&environment).await }
    });
    let forgetful = Arc::clone(environment);
    workers.spawn(("idempotency keys", name), WhileHeld::Waits(&hold), move || {
        let environment = Arc::clone(&forgetful);
        async move { keys::pass(&environment).await }
    });
    let counting = Arc::clone(environment);
    workers.spawn(("figures", name), WhileHeld::Runs, move || {
        let environment = Arc::clone(&counting);
        async move { figures::pass(&environment).await }
    });
    let settling = Arc::clone(environment);
    workers.spawn(("settlement", name), WhileHeld::Waits(&hold), move || {
        let environment = Arc::clone(&settling);
        async move { settlement::pass(&environment).await }
    });
    let sealing = Arc::clone(environment);
    workers.spawn(("seal", name), WhileHeld::Waits(&hold), move || {
        let environment = Arc::clone(&sealing);
        async move { seal::pass(&environment).await }
    });
    let sending = Arc::clone(sender);
    workers.spawn(("callback", name), WhileHeld::Waits(&hold), move || {
        let sender = Arc::clone(&sending);
        async move { unless_settling(sender.environment().store.clock(), sender.pass()).await }
    });
    let giving = Arc::clone(cashier);
    workers.spawn(("refund", name), WhileHeld::Waits(&hold), move || {
        let cashier = Arc::clone(&giving);
        async move { unless_settling(cashier.environment().store.clock(), cashier.refund_pass()).await }
    });
    let following = Arc::clone(cashier);
    workers.spawn(("fiscal receipt", name), WhileHeld::Waits(&hold), move || {
        let cashier = Arc::clone(&following);
        async move { unless_settling(cashier.environment().store.clock(), cashier.fiscal_pass()).await }
    });
    let writer = Arc::new(activity::ActivityWriter::new(Arc::clone(cashier)));
    workers.spawn(("activity", name), WhileHeld::Runs, move || {
        let writer = Arc::clone(&writer);
        async move { writer.pass().await }
    });
    let taking = Arc::clone(cashier);
    workers.spawn(("payment", name), WhileHeld::Waits(&hold), move || {
        let cashier = Arc::clone(&taking);
        async move { unless_settling(cashier.environment().store.clock(), cashier.pass()).await }
    });
}

/// Starts the worker that prunes data with a limited retention.
pub fn start_retention(workers: &mut Workers, environment: &Arc<Environment>, retention: Retention) {
    let environment = Arc::clone(environment);
    let (name, hold) = (environment.name.as_str(), environment.store.hold.clone());
    workers.spawn(("retention", name), WhileHeld::Waits(&hold), move || {
        let environment = Arc::clone(&environment);
        async move { retention::pass(&environment, retention).await }
    });
}

/// Starts the worker that refunds late money automatically.
pub fn start_late(workers: &mut Workers, cashier: &Arc<Cashier>) {
    let cashier = Arc::clone(cashier);
    let environment = cashier.environment();
    let (name, hold) = (environment.name.as_str(), environment.store.hold.clone());
    workers.spawn(("late money", name), WhileHeld::Waits(&hold), move || {
        let cashier = Arc::clone(&cashier);
        async move { late_refunds::pass(&cashier).await }
    });
}

/// Starts the worker that sends mails about live payments.
pub fn start_dispatch(workers: &mut Workers, mailer: &Arc<dispatch::PaymentMailer>, hold: &Hold) {
    let mailer = Arc::clone(mailer);
    workers.spawn(("receipt", "live"), WhileHeld::Waits(hold), move || {
        let mailer = Arc::clone(&mailer);
        async move { unless_settling(mailer.clock(), mailer.pass()).await }
    });
}

/// Starts the worker that reads the chains that are set up, and follows changes of the set-up.
pub fn start_chains(workers: &mut Workers, registry: &Arc<Registry>) {
    let reader = chains::Reader::new(Arc::clone(registry.cashier()), Arc::clone(registry.records()));
    workers.tasks.spawn(reader.run(registry.watchers(), workers.stop.clone()));
}

/// Starts the workers that reconcile the providers' books with ours, one for each provider; `at` is the time of
/// the nightly runs, if there are any.
pub fn start_reconciliation(workers: &mut Workers, registry: &Arc<Registry>, at: Option<Duration>) {
    let hold = registry.cashier().environment().store.hold.clone();
    for kind in ProviderKind::ALL {
        let reconciler = Arc::new(reconcile::Reconciler::new(Arc::clone(registry), kind, at));
        workers.spawn(("reconciliation", "live"), WhileHeld::Waits(&hold), move || {
            let reconciler = Arc::clone(&reconciler);
            async move { unless_settling(reconciler.clock(), reconciler.pass()).await }
        });
    }
}

/// Starts the worker that sends mails.
pub fn start_mail(workers: &mut Workers, mailer: &Arc<mail::Mailer>, hold: &Hold) {
    let mailer = Arc::clone(mailer);
    workers.spawn(("mail", "accounts"), WhileHeld::Waits(hold), move || {
        let mailer = Arc::clone(&mailer);
        async move { unless_settling(mailer.clock(), mailer.pass()).await }
    });
}

/// Starts the workers that follow the set-ups of providers, and the prices of coins.
pub fn start_registry(workers: &mut Workers, following: &Arc<Registry>) {
    let registry = Arc::clone(following);
    workers.spawn(("registry", "accounts"), WhileHeld::Runs, move || {
        let registry = Arc::clone(&registry);
        async move { registry.pass().await }
    });
    let pricing = Arc::clone(following);
    let hold = following.cashier().environment().store.hold.clone();
    workers.spawn(("prices", "live"), WhileHeld::Waits(&hold), move || {
        let registry = Arc::clone(&pricing);
        async move { registry.refresh_prices().await }
    });
}

/// Starts the worker that prunes old log-ins, links and forms.
pub fn start_login_pruning(workers: &mut Workers, accounts: &Arc<Accounts>) {
    let accounts = Arc::clone(accounts);
    workers.spawn(("doors", "accounts"), WhileHeld::Runs, move || {
        let accounts = Arc::clone(&accounts);
        async move { login_pruning::pass(&accounts).await }
    });
}

/// Starts the worker that seals the audit log.
pub fn start_audit(workers: &mut Workers, accounts: &Arc<Accounts>) {
    let accounts = Arc::clone(accounts);
    workers.spawn(("audit", "accounts"), WhileHeld::Runs, move || {
        let accounts = Arc::clone(&accounts);
        async move { audit::pass(&accounts).await }
    });
}

/// Starts the worker that sends this process's heartbeat.
pub fn start_heartbeat(workers: &mut Workers, heartbeat: &Arc<Heartbeat>) {
    let heartbeat = Arc::clone(heartbeat);
    workers.spawn(("node", "accounts"), WhileHeld::Runs, move || {
        let heartbeat = Arc::clone(&heartbeat);
        async move { heartbeat.pass().await }
    });
}

/// Starts the worker that looks whether the store is on hold.
pub fn start_hold(workers: &mut Workers, accounts: &Arc<Accounts>, hold: &Hold) {
    let (accounts, hold) = (Arc::clone(accounts), hold.clone());
    workers.spawn(("hold", "accounts"), WhileHeld::Runs, move || {
        let (accounts, hold) = (Arc::clone(&accounts), hold.clone());
        async move { hold.refresh(&accounts).await.map(|()| HOLD_LOOK) }
    });
}

/// Starts the worker that looks which master key the store is sealed with.
pub fn start_keys(workers: &mut Workers, accounts: &Arc<Accounts>, vault: &Arc<Vault>) {
    let (accounts, vault) = (Arc::clone(accounts), Arc::clone(vault));
    workers.spawn(("keys", "accounts"), WhileHeld::Runs, move || {
        let (accounts, vault) = (Arc::clone(&accounts), Arc::clone(&vault));
        async move {
            if accounts.stored_key_check().await?.is_some_and(|stored| !vault.adopt(&stored)) {
                // What is sealed with the old key from now on could not be opened later.
                tracing::error!(
                    "the store is sealed with another master key: restart with the new TILL_MASTER_KEY, and during a rotation \
                     with TILL_MASTER_KEY_PREVIOUS too"
                );
                std::process::exit(1);
            }
            Ok(KEY_LOOK)
        }
    });
}

/// Starts the worker that sets the clock forward with the deadlines of both environments.
pub fn start_clock(workers: &mut Workers, environments: [Arc<Environment>; 2]) {
    let environments = Arc::new(environments);
    workers.spawn(("clock", "accounts"), WhileHeld::Runs, move || {
        let environments = Arc::clone(&environments);
        async move { clock::pass(&environments).await }
    });
}

/// Runs a pass that takes work by leases. While a step of the clock settles, work in progress seems to be
/// free, so nothing is taken.
async fn unless_settling(
    clock: &Clock,
    pass: impl Future<Output = Result<Duration, StoreError>>,
) -> Result<Duration, StoreError> {
    if clock.is_settling() { Ok(WHILE_SETTLING) } else { pass.await }
}

/// Whether a worker runs while the store is on hold, or a manual clock paused.
enum WhileHeld<'a> {
    /// It sends nothing, ends no session and moves no money.
    Runs,
    Waits(&'a Hold),
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::time::Timestamp;
    use tokio::{sync::Semaphore, task::yield_now};

    #[tokio::test]
    async fn a_paused_clock_knows_a_pass_that_began_before_and_no_other_begins() {
        let (clock, stop) = (Clock::manual(Timestamp::from_ms(0)), watch::Sender::new(false));
        let [begun, may_end] = [(); 2].map(|()| Arc::new(Semaphore::new(0)));
        let mut workers = Workers::new(&clock, &stop.subscribe());
        let (begins, ends) = (Arc::clone(&begun), Arc::clone(&may_end));
        workers.spawn(("test", "sandbox"), WhileHeld::Waits(&Hold::default()), move || {
            let (begins, ends) = (Arc::clone(&begins), Arc::clone(&ends));
            async move {
                begins.add_permits(1);
                ends.acquire().await.expect("it is open").forget();
                Ok(Duration::ZERO)
            }
        });
        begun.acquire().await.expect("it is open").forget();
        clock.set_paused(true);
        assert!(clock.is_working(), "the pass that waits");
        may_end.add_permits(2);
        while clock.is_working() {
            yield_now().await;
        }
        for _ in 0..100 {
            clock.wake();
            yield_now().await;
        }
        assert_eq!(begun.available_permits(), 0, "nothing begins while it is paused");
        clock.set_paused(false);
        while begun.available_permits() == 0 {
            clock.wake();
            yield_now().await;
        }
    }
}
