//! Sets the clock forward when its reference is permanently ahead, and moves the deadlines of open sessions
//! with it.

use std::{sync::Arc, time::Duration};
use till_service::environment::Environment;
use till_store::{ClockStep, StoreError};

/// The interval of the checks.
const PAUSE: Duration = Duration::from_millis(500);

/// Takes a step that is due, or ends one that has settled.
///
/// Deadlines are moved before the step, so that none seems to have passed; after it, for sessions that were
/// created meanwhile; and when it has settled, for those that were committed late.
pub async fn pass(environments: &[Arc<Environment>; 2]) -> Result<Duration, StoreError> {
    let clock = environments[0].store.clock();
    if let Some(planned) = clock.planned_step() {
        move_deadlines(environments, planned).await?;
        if let Some(step) = clock.step() {
            move_deadlines(environments, step).await?;
        }
    } else if let Some(step) = clock.settled_step() {
        move_deadlines(environments, step).await?;
        clock.end_settling();
    }
    Ok(PAUSE)
}

async fn move_deadlines(environments: &[Arc<Environment>; 2], step: ClockStep) -> Result<(), StoreError> {
    for environment in environments {
        environment.store.move_deadlines(step).await?;
    }
    Ok(())
}
