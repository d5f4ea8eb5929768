//! The hosts of one URL, shared by everything in this process that uses it: the host in use, and the
//! connections that are ended when another one is chosen.

use super::{
    choice::{HostChoice, ProbeResult},
    probe::{self, Probe},
    timeline::Timeline,
};
use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::{sync::watch, task::AbortHandle, time::timeout};
use tokio_postgres::{Config, config::Host};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The hosts of one URL.
pub(super) struct Hosts {
    /// The connection settings of each host, in the order of the URL.
    configs: Vec<Config>,
    tls: MakeRustlsConnect,
    state: Mutex<HostsState>,
    /// Changes whenever a probe of a host has ended.
    probe_ended: watch::Sender<()>,
    /// The current generation of connections.
    generation: AtomicU64,
    /// Until when the answers of the host in use are valid, in milliseconds after `made`.
    fresh_until: AtomicU64,
    made: Instant,
    probe: Mutex<Weak<Probe>>,
}

struct HostsState {
    choice: HostChoice,
    /// The driver task of each connection, with its generation.
    connections: Vec<(u64, AbortHandle)>,
}

impl Hosts {
    pub(super) fn new(configs: Vec<Config>, tls: MakeRustlsConnect) -> Arc<Self> {
        let state = HostsState { choice: HostChoice::new(configs.len()), connections: Vec::new() };
        Arc::new(Self {
            configs,
            tls,
            state: Mutex::new(state),
            probe_ended: watch::Sender::new(()),
            generation: AtomicU64::new(0),
            fresh_until: AtomicU64::new(u64::MAX),
            made: Instant::now(),
            probe: Mutex::default(),
        })
    }

    pub(super) fn configs(&self) -> &[Config] {
        &self.configs
    }

    pub(super) fn config(&self, index: usize) -> Config {
        self.configs.get(index).cloned().unwrap_or_default()
    }

    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }

    /// Probes every host while the returned value is kept; `None` if there is only one host.
    pub(super) fn watch(self: &Arc<Self>) -> Option<Arc<Probe>> {
        if self.configs.len() < 2 {
            return None;
        }
        let mut kept = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
        let probe = kept.upgrade().unwrap_or_else(|| Arc::new(probe::start(self)));
        *kept = Arc::downgrade(&probe);
        Some(probe)
    }

    /// Records the result of a probe. `looked_at` is when it began, or until when it was without an answer.
    pub(super) fn note(&self, index: usize, sight: ProbeResult, looked_at: Instant) {
        self.update(|choice| choice.note(index, sight, looked_at, Instant::now()));
        self.probe_ended.send_replace(());
    }

    /// Leaves the host of a connection that failed to answer, if another one can be used.
    pub(super) fn distrust(&self, index: usize, generation: u64) {
        if self.is_current(generation) {
            self.update(|choice| choice.distrust(index));
            self.probe_ended.send_replace(());
        }
    }

    /// Registers a new connection, or returns the reason why it must not be used. It is ended once it must no
    /// longer be used.
    pub(super) fn admit(&self, index: usize, timeline: Timeline, driver: AbortHandle) -> Result<u64, String> {
        let admitted = self.update(|choice| choice.admit(index, timeline, Instant::now()));
        let generation = admitted?;
        let mut state = self.lock();
        state.connections.retain(|(_, driver)| !driver.is_finished());
        if state.choice.generation() != generation {
            driver.abort();
            return Err("another host is the primary now".to_owned());
        }
        state.connections.push((generation, driver));
        Ok(generation)
    }

    /// The host in use. Fails once it is known that none can be used.
    pub(super) async fn chosen(&self) -> Result<usize, String> {
        let mut probe_ended = self.probe_ended.subscribe();
        loop {
            {
                let state = self.lock();
                if let Some(index) = state.choice.chosen() {
                    return Ok(index);
                }
                if !state.choice.is_pending() {
                    return Err(self.explain(&state.choice, None));
                }
            }
            let _ = probe_ended.changed().await;
        }
    }

    /// Waits until another host than this one is in use.
    pub(super) async fn left(&self, index: usize) {
        let mut probe_ended = self.probe_ended.subscribe();
        while self.lock().choice.chosen() == Some(index) {
            let _ = probe_ended.changed().await;
        }
    }

    /// True while the host in use does not serve, and another one may replace it.
    pub(super) fn is_searching(&self) -> bool {
        self.lock().choice.is_searching()
    }

    /// Waits until that is so.
    pub(super) async fn search(&self) {
        let mut probe_ended = self.probe_ended.subscribe();
        while !self.is_searching() {
            let _ = probe_ended.changed().await;
        }
    }

    /// Waits until no node can be reading from an older primary any more.
    pub(super) async fn settled(&self) {
        let mut probe_ended = self.probe_ended.subscribe();
        loop {
            let remaining = self.lock().choice.settles_in(Instant::now());
            if remaining.is_zero() {
                return;
            }
            let _ = timeout(remaining, probe_ended.changed()).await;
        }
    }

    /// True if an answer on a connection of this generation is still valid. It is not if there may be a newer
    /// primary: waits until the other hosts have been probed shortly before.
    pub(super) async fn confirm(&self, generation: u64) -> bool {
        if !self.is_fresh() {
            let mut probe_ended = self.probe_ended.subscribe();
            while !self.is_fresh() && self.is_current(generation) {
                let _ = probe_ended.changed().await;
            }
        }
        self.is_current(generation)
    }

    /// The reasons why a host and the others cannot be used, by their names.
    pub(super) fn reasons(&self, failed: usize, reason: String) -> String {
        self.explain(&self.lock().choice, Some((failed, reason)))
    }

    fn is_current(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) == generation
    }

    fn is_fresh(&self) -> bool {
        let now = u64::try_from(self.made.elapsed().as_millis()).unwrap_or(u64::MAX);
        now < self.fresh_until.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, HostsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the choice, and ends the connections that must no longer be used.
    fn update<T>(&self, change: impl FnOnce(&mut HostChoice) -> T) -> T {
        let mut state = self.lock();
        let before = (state.choice.chosen(), state.choice.highest());
        let changed = change(&mut state.choice);
        let fresh = state.choice.fresh_until().map_or(u64::MAX, |until| {
            u64::try_from(until.saturating_duration_since(self.made).as_millis()).unwrap_or(u64::MAX)
        });
        let generation = state.choice.generation();
        // A reader that sees the new freshness sees the new generation, too.
        self.generation.store(generation, Ordering::Release);
        self.fresh_until.store(fresh, Ordering::Release);
        state.connections.retain(|(of, driver)| {
            if *of < generation {
                driver.abort();
            }
            *of >= generation
        });
        self.tell(before, &state.choice);
        changed
    }

    /// Logs a change of the primary; the first choice is only the start.
    fn tell(&self, before: (Option<usize>, Timeline), choice: &HostChoice) {
        let now = (choice.chosen(), choice.highest());
        let Some(index) = now.0.filter(|_| now != before && self.configs.len() > 1) else { return };
        let (host, timeline) = (self.name(index), choice.highest());
        if before.0.is_some() {
            tracing::warn!("the database's primary is now {host}, on timeline {timeline}");
        } else {
            tracing::debug!("the database's primary is {host}, on timeline {timeline}");
        }
    }

    fn explain(&self, choice: &HostChoice, failed: Option<(usize, String)>) -> String {
        let mut failed = failed;
        let mut reasons = Vec::new();
        for index in 0..self.configs.len() {
            let reason = match failed.take_if(|(of, _)| *of == index) {
                Some((_, reason)) => Some(reason),
                None => choice.reason(index),
            };
            reasons.extend(reason.map(|reason| match self.configs.len() {
                1 => reason,
                _ => format!("{}: {reason}", self.name(index)),
            }));
        }
        reasons.join("; ")
    }

    /// The name of a host for messages.
    fn name(&self, index: usize) -> String {
        self.configs.get(index).map(name_of).unwrap_or_default()
    }
}

/// The host and port of a configuration with one host.
pub(super) fn name_of(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => format!("{name}:{}", config.get_ports().first().unwrap_or(&5432)),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    }
}

impl fmt::Debug for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configurations hold passwords.
        f.debug_list().entries(self.configs.iter().map(name_of)).finish()
    }
}
