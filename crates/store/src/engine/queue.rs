//! The queue before a writer: units of work from many callers, taken in batches by one.
//!
//! It is bounded: a unit that finds it full is refused at once. A unit that was taken is done, even if its
//! caller has gone.

use crate::engine::{StoreStats, Written, error::StoreError, sql::Statement};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
};

/// Units that may wait.
const QUEUE: usize = 4096;

/// Units of one transaction.
const MAX_BATCH: usize = 256;

/// Waiting units for which a writer waits no longer. While it writes, those whose units come later are served: with all
/// of them in one batch, they would stand still until it is done.
const ENOUGH: usize = 64;

pub(crate) type Answer = Result<Written, StoreError>;

#[derive(Debug)]
struct Job {
    unit: Vec<Statement>,
    answer: oneshot::Sender<Answer>,
}

/// What a writer counts.
#[derive(Debug, Default)]
struct Counters {
    units: AtomicU64,
    batches: AtomicU64,
    refused: AtomicU64,
    write_us: AtomicU64,
}

/// The callers' end. When it is dropped, the writer finishes what waits and ends.
#[derive(Debug)]
pub(crate) struct Queue {
    counters: Arc<Counters>,
    jobs: mpsc::Sender<Job>,
}

impl Queue {
    /// Both ends of a new queue, for callers who run there.
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

    /// Hands a unit over and waits for what becomes of it.
    pub(crate) async fn write(&self, unit: Vec<Statement>) -> Answer {
        let (answer, written) = oneshot::channel();
        self.jobs.try_send(Job { unit, answer }).map_err(|error| match error {
            TrySendError::Full(_) => {
                self.counters.refused.fetch_add(1, Ordering::Relaxed);
                StoreError::Busy { waiting: QUEUE }
            }
            TrySendError::Closed(_) => StoreError::Closed,
        })?;
        // The writer answers every job; a lost answer means that it died in the middle.
        written.await.unwrap_or_else(|_| Err(StoreError::Unknown(Box::new(StoreError::Closed))))
    }
}

#[derive(Debug)]
pub(crate) struct Jobs {
    counters: Arc<Counters>,
    jobs: mpsc::Receiver<Job>,
    /// Where the callers run, if the writer does not run there itself.
    callers: Option<Handle>,
}

impl Jobs {
    /// Waits for work, on a thread of its own. Nothing if there will never be any.
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

/// Whether it pays to let others run first: those who were just answered come back with more, and one sync
/// serves all of them. It ends when several looks in a row find nothing new.
#[derive(Debug, Default)]
struct Patience {
    seen: usize,
    in_vain: u32,
}

impl Patience {
    /// Looks in a row that may find nothing new, once somebody waits.
    const IN_VAIN: u32 = 6;

    fn lasts(&mut self, waiting: usize, most: usize) -> bool {
        if waiting > self.seen {
            self.in_vain = 0;
        } else {
            self.in_vain += 1;
        }
        self.seen = waiting;
        // Who is alone waits for one turn only.
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

    /// Tells every caller what became of its unit, in the order of [`Batch::units`].
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
                // A caller that went away meanwhile no longer wants to know.
                let _ = job.answer.send(answer);
            }
        };
        match self.callers {
            // One task wakes the callers from among themselves: a thread that wakes each of them from outside
            // takes a lock and often a system call for every one.
            Some(callers) if several => drop(callers.spawn(async move { tell() })),
            _ => tell(),
        }
    }
}
