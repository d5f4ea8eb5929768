//! Background work: one driver, small passes.
//!
//! A pass takes no input, is bounded and can be repeated at any time. It says when it wants to run again.
//! One that fails, or panics, is logged and runs again a little later: no trouble ends a worker.

mod expiry;
mod keys;

use crate::{environment::Environment, telemetry::explain};
use std::{sync::Arc, time::Duration};
use till_store::StoreError;
use tokio::{
    sync::{Mutex, watch},
    task::JoinSet,
};

/// How long after a failed pass the next one runs.
const AFTER_ERROR: Duration = Duration::from_secs(1);

/// Starts the workers of an environment. They end when `stop` turns true.
pub fn start(workers: &mut JoinSet<()>, environment: &Arc<Environment>, stop: &watch::Receiver<bool>) {
    let expiry = Arc::new(Mutex::new(expiry::Expiry::new(Arc::clone(environment))));
    spawn(workers, "expiry", environment, stop, move || {
        let expiry = Arc::clone(&expiry);
        async move { expiry.lock().await.pass().await }
    });
    let forgetful = Arc::clone(environment);
    spawn(workers, "idempotency keys", environment, stop, move || {
        let environment = Arc::clone(&forgetful);
        async move { keys::pass(&environment).await }
    });
}

/// Runs passes until told to stop, each in a task of its own so that a panic ends only that pass.
fn spawn<Pass>(
    workers: &mut JoinSet<()>,
    name: &'static str,
    environment: &Environment,
    stop: &watch::Receiver<bool>,
    mut pass: impl FnMut() -> Pass + Send + 'static,
) where
    Pass: Future<Output = Result<Duration, StoreError>> + Send + 'static,
{
    let mut stop = stop.clone();
    let environment = environment.rules.environment;
    workers.spawn(async move {
        while !*stop.borrow() {
            let wait = match tokio::spawn(pass()).await {
                Ok(Ok(wait)) => wait,
                Ok(Err(error)) => {
                    tracing::error!(%environment, error = explain(&error), "the {name} worker failed and tries again");
                    AFTER_ERROR
                }
                Err(panic) => {
                    tracing::error!(%environment, error = %panic, "the {name} worker panicked and starts again");
                    AFTER_ERROR
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
    });
}
