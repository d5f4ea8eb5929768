//! Clients without a pause: each creates with idempotency keys of its own and repeats every create that was
//! not acknowledged, as a vendor's server should.

use crate::support::{Nodes, Shop};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{task::JoinSet, time::sleep};

/// The acknowledged session of each key, and the moment and node of each acknowledgement.
#[derive(Default)]
pub struct Acknowledged {
    pub sessions: HashMap<String, String>,
    pub moments: Vec<(Instant, usize)>,
    /// Creates that had to be repeated.
    pub repeated: usize,
}

impl Acknowledged {
    /// The longest time in which a node acknowledged nothing, between two moments.
    pub fn longest_silence(&self, node: usize, from: Instant, to: Instant) -> Duration {
        let own = self.moments.iter().filter(|(at, by)| *by == node && *at > from && *at < to);
        let mut moments: Vec<Instant> = own.map(|(at, _)| *at).chain([from, to]).collect();
        moments.sort();
        moments.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
    }

    /// The time from a moment to the first acknowledgement of a node.
    pub fn first_after(&self, node: usize, from: Instant) -> Option<Duration> {
        let own = self.moments.iter().filter(|(at, by)| *by == node && *at > from);
        own.map(|(at, _)| *at - from).min()
    }
}

pub struct Load {
    running: JoinSet<()>,
    stop: Arc<AtomicBool>,
    told: Arc<Mutex<Acknowledged>>,
}

impl Load {
    /// Starts this many clients, spread over the nodes, in groups of `sharing` with the same keys: they
    /// create the same session at the same time. A client that loses its node continues with the next one and
    /// the same key.
    pub fn start(shops: &[Shop], clients: usize, sharing: usize) -> Self {
        let (stop, told) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Acknowledged::default())));
        let mut running = JoinSet::new();
        for group in 0..clients / sharing {
            let next = Arc::new(AtomicUsize::new(0));
            for member in 0..sharing {
                let (shops, stop, told) = (shops.to_vec(), Arc::clone(&stop), Arc::clone(&told));
                let next = Arc::clone(&next);
                running.spawn(async move {
                    let mut node = (group * sharing + member) % shops.len();
                    while !stop.load(Ordering::Relaxed) {
                        let number = next.load(Ordering::Relaxed);
                        node = create(&shops, node, &format!("c{group}-{number}"), &told).await;
                        next.fetch_max(number + 1, Ordering::Relaxed);
                    }
                });
            }
        }
        Self { running, stop, told }
    }

    /// The number of sessions acknowledged so far.
    pub fn count(&self) -> usize {
        self.told.lock().expect("not poisoned").sessions.len()
    }

    /// Waits until this many more are acknowledged.
    pub async fn more(&self, count: usize) {
        let (began, enough) = (Instant::now(), self.count() + count);
        while self.count() < enough {
            assert!(began.elapsed() < Duration::from_secs(60), "{} of {enough}", self.count());
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops the load after every client's current create.
    pub async fn end(self) -> Acknowledged {
        self.stop.store(true, Ordering::Relaxed);
        self.running.join_all().await;
        std::mem::take(&mut self.told.lock().expect("not poisoned"))
    }
}

/// Creates one session, with retries, and returns the node that acknowledged it.
async fn create(shops: &[Shop], mut node: usize, key: &str, told: &Mutex<Acknowledged>) -> usize {
    loop {
        let answer = shops[node].try_create_once(key, &Shop::book(key)).await;
        match &answer {
            Ok(answer) if answer.status == 201 => {
                let mut told = told.lock().expect("not poisoned");
                let id = answer.text("session_id");
                let known = told.sessions.insert(key.to_owned(), id.clone());
                assert!(known.is_none_or(|known| known == id), "a key has two sessions");
                told.moments.push((Instant::now(), node));
                return node;
            }
            // Unavailable, or still in progress on this node: again, with the same key.
            Ok(answer) => {
                let expected = ["503 unavailable", "409 idempotency_in_progress"];
                assert!(expected.contains(&answer.problem().as_str()), "{}", answer.body);
            }
            Err(_) => node = (node + 1) % shops.len(),
        }
        told.lock().expect("not poisoned").repeated += 1;
        sleep(Duration::from_millis(20)).await;
    }
}

/// Checks that every key has one session, the acknowledged one, and no other.
pub async fn assert_kept(nodes: &Nodes, acknowledged: &Acknowledged) {
    let shell = nodes.shell().await;
    let query = "SELECT s.order_id, encode(s.id, 'hex'), k.key FROM sandbox.sessions s
        LEFT JOIN sandbox.idempotency_keys k ON k.session_id = s.id WHERE s.order_id LIKE 'c%'";
    let mut stored = HashMap::new();
    for row in shell.rows(query).await {
        let [order, id, key] = <[String; 3]>::try_from(row).expect("three columns");
        assert_eq!(order, key, "a session commits with its key");
        assert!(stored.insert(order.clone(), id).is_none(), "{order} has two sessions");
    }
    for (key, id) in &acknowledged.sessions {
        assert_eq!(stored.get(key), Some(&id.replace('-', "")), "{key} was acknowledged");
    }
    assert_eq!(stored.len(), acknowledged.sessions.len(), "every key was retried to its end");
}
