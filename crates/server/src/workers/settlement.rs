//! Settlement: makes pending money available when it is due. Every node does it; a compare-and-set lets only
//! one of them succeed.

use std::{sync::Arc, time::Duration};
use till_domain::{id::EntryId, ledger};
use till_service::{environment::Environment, random, telemetry::report_unreadable};
use till_store::StoreError;

/// Settlements of one pass.
const AT_ONCE: u32 = 256;

/// The longest pause: money that becomes due before all known settlements waits no longer than this.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The shortest pause while nothing is due yet.
const MIN_PAUSE: Duration = Duration::from_millis(20);

/// Settles the money that is due, and returns the pause until the next pass.
pub async fn pass(environment: &Arc<Environment>) -> Result<Duration, StoreError> {
    let Some(books) = environment.store.ledger() else { return Ok(MAX_PAUSE) };
    let now = environment.now();
    let (due, unreadable) = books.due_settlements(now, AT_ONCE).await?;
    report_unreadable(environment.name.as_str(), &unreadable);
    if due.is_empty() {
        // Rows that cannot be read stay due, and must not be read again without a pause.
        if !unreadable.is_empty() {
            return Ok(MAX_PAUSE);
        }
        let next = books.next_settlement().await?;
        return Ok(next.map_or(MAX_PAUSE, |next| next.since(now).clamp(MIN_PAUSE, MAX_PAUSE)));
    }
    // Concurrently, so that they share transactions.
    let mut tasks = tokio::task::JoinSet::new();
    for settlement in due {
        let environment = Arc::clone(environment);
        let id = random::id::<EntryId>(now);
        let changes = ledger::settle(&settlement, id, now);
        tasks.spawn(async move { environment.commit(&changes).await });
    }
    let mut failed = None;
    while let Some(settled) = tasks.join_next().await {
        // A lost commit was settled by another node.
        if let Err(error) = settled.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())) {
            failed = Some(error);
        }
    }
    failed.map_or(Ok(Duration::ZERO), Err)
}
