//! The queue in front of a writer: units of work from many callers, taken in batches by one.
//!
//! It is bounded (back-pressure): a unit that finds it full is refused at once. A unit that was accepted is
//! executed, even if its caller has gone.

use crate::engine::{StoreStats, WriteOutcome, error::StoreError, sql::Statement};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use till_domain::defect::Defect;
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
};

/// The maximum number of waiting units.
const QUEUE: usize = 4096;

/// The maximum number of units per transaction.
const MAX_BATCH: usize = 256;

/// The number of waiting units at which a writer stops waiting for more. While it writes, the callers of
/// later units are served: with all of them in one batch, they would stand still until it is done.
const ENOUGH: usize = 64;

pub(crate) type Answer = Result<WriteOutcome, StoreError>;

#[derive(Debug)]
struct Job {
    unit: Vec<Statement>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Debug, Default)]
struct Counters {
    units: AtomicU64,
    batches: AtomicU64,
    refused: AtomicU64,
    write_us: AtomicU64,
}

/// The callers' end of the queue. When it is dropped, the writer finishes what waits and ends.
#[derive(Debug)]
pub(crate) struct Queue {
    counters: Arc<Counters>,
    jobs: mpsc::Sender<Job>,
}

impl Queue {
    /// Both ends of a new queue. `callers` is the runtime of the callers, if the writer does not run on it.
    pub(crate) fn new(callers: Option<Handle>) -> (Self, Jobs) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let counters = Arc::new(Counters::default());
        (Self { counters: Arc::clone(&counters), jobs: sender }, Jobs { counters, jobs: receiver, callers })
    }

    pub(crate) fn stats(&self) -> StoreStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreStats {
            units: read(&self.counters.units),
            batches: read(&self.counters.batches),
            refused: read(&self.counters.refused),
            write_us: read(&self.counters.write_us),
            waiting: QUEUE - self.jobs.capacity(),
            log_bytes: None,
        }
    }

    /// Queues a unit and waits for its outcome.
    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Answer {
        let (answer, written) = oneshot::channel();
        self.jobs.try_send(Job { unit, answer }).map_err(|error| match error {
            TrySendError::Full(_) => {
                self.counters.refused.fetch_add(1, Ordering::Relaxed);
                StoreError::Busy { waiting: QUEUE }
            }
            TrySendError::Closed(_) => StoreError::Closed,
        })?;
        if Defect::AcknowledgedBeforeCommit.is_planted() {
            return Ok(WriteOutcome::Done);
        }
        // The writer answers every job; a lost answer means that it died in the middle.
        written.await.unwrap_or_else(|_| Err(StoreError::Unknown(Box::new(StoreError::Closed))))
    }
}

#[derive(Debug)]
pub(crate) struct Jobs {
    counters: Arc<Counters>,
    jobs: mpsc::Receiver<Job>,
    /// The runtime of the callers, if the writer does not run on it.
    callers: Option<Handle>,
}

impl Jobs {
    /// Waits for work, blocking the thread. `None` if there will never be any.
    pub(crate) fn blocking_batch(&mut self) -> Option<Batch> {
        let first = self.jobs.blocking_recv()?;
        let mut patience = Patience::default();
        while patience.lasts(self.jobs.len(), ENOUGH) {
            std::thread::yield_now();
        }
        Some(self.fill(first))
    }

    /// As [`Jobs::blocking_batch`], in a task.
    pub(crate) async fn batch(&mut self) -> Option<Batch> {
        let first = self.jobs.recv().await?;
        let mut patience = Patience::default();
        while patience.lasts(self.jobs.len(), ENOUGH) {
            tokio::task::yield_now().await;
        }
        Some(self.fill(first))
    }

    fn fill(&mut self, first: Job) -> Batch {
        let mut jobs = vec![first];
        while jobs.len() < MAX_BATCH
            && let Ok(job) = self.jobs.try_recv()
        {
            jobs.push(job);
        }
        let (counters, callers) = (Arc::clone(&self.counters), self.callers.clone());
        Batch { jobs, counters, began: Instant::now(), callers }
    }
}

/// Decides whether to let callers run before a batch is taken: those that were just answered come back with
/// more, and one sync serves all of them. It ends when several checks in a row find nothing new.
#[derive(Debug, Default)]
struct Patience {
    seen: usize,
    in_vain: u32,
}

impl Patience {
    /// Checks in a row that may find nothing new, once a unit waits.
    const IN_VAIN: u32 = 6;

    fn lasts(&mut self, waiting: usize, most: usize) -> bool {
        if waiting > self.seen {
            self.in_vain = 0;
        } else {
            self.in_vain += 1;
        }
        self.seen = waiting;
        // With no other unit waiting, only one turn is waited for.
        let enough = if waiting == 0 { 2 } else { Self::IN_VAIN };
        self.in_vain < enough && waiting < most
    }
}

/// Units that share a transaction.
#[derive(Debug)]
pub(crate) struct Batch {
    jobs: Vec<Job>,
    counters: Arc<Counters>,
    began: Instant,
    callers: Option<Handle>,
}

impl Batch {
    pub(crate) fn units(&self) -> Vec<&[Statement]> {
        self.jobs.iter().map(|job| job.unit.as_slice()).collect()
    }

    /// Sends every caller the outcome of its unit, in the order of [`Batch::units`].
    pub(crate) fn answer(self, answers: Vec<Answer>) {
        let several = self.jobs.len() > 1;
        let add = |counter: &AtomicU64, number: u64| counter.fetch_add(number, Ordering::Relaxed);
        add(&self.counters.units, u64::try_from(self.jobs.len()).unwrap_or(0));
        add(&self.counters.batches, 1);
        let took = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        add(&self.counters.write_us, took);
        let jobs = self.jobs;
        let tell = move || {
            for (job, answer) in jobs.into_iter().zip(answers) {
                // The caller may have gone meanwhile.
                let _ = job.answer.send(answer);
            }
        };
        match self.callers {
            // One task on the callers' runtime wakes all of them: a thread that wakes each of them from
            // outside takes a lock and often a system call for every one.
            Some(callers) if several => drop(callers.spawn(async move { tell() })),
            _ => tell(),
        }
    }
}
