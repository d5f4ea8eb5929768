//! Background work: one driver, small passes.
//!
//! A pass takes no input, is bounded and can be repeated at any time. It says when it wants to run again;
//! an error is logged and the pass runs again a little later.

mod expiry;
mod keys;

use crate::{environment::Environment, telemetry::explain};
use std::{sync::Arc, time::Duration};
use till_store::StoreError;
use tokio::{sync::watch, task::JoinSet};

/// How long after a failed pass the next one runs.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// Starts the workers of an environment. They end when `stop` turns true.
pub fn start(workers: &mut JoinSet<()>, environment: &Arc<Environment>, stop: &watch::Receiver<bool>) {
    let expiry = Arc::clone(environment);
    spawn(workers, "expiry", environment, stop, move || expiry::pass(Arc::clone(&expiry)));
    let keys = Arc::clone(environment);
    spawn(workers, "idempotency keys", environment, stop, move || keys::pass(Arc::clone(&keys)));
}

/// Runs passes until told to stop.
fn spawn<Pass>(
    workers: &mut JoinSet<()>,
    name: &'static str,
    environment: &Environment,
    stop: &watch::Receiver<bool>,
    mut pass: impl FnMut() -> Pass + Send + 'static,
) where
    Pass: Future<Output = Result<Duration, StoreError>> + Send,
{
    let mut stop = stop.clone();
    let environment = environment.rules.environment;
    workers.spawn(async move {
        while !*stop.borrow() {
            let wait = pass().await.unwrap_or_else(|error| {
                tracing::error!(%environment, error = explain(&error), "the {name} worker failed, it will try again");
                AFTER_ERROR
            });
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
    });
}
