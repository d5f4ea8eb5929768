//! Probes every host of a URL continuously, each by a connection and a task of its own, so that a host that
//! hangs delays nothing else.

use super::{choice::ProbeResult, connection::describe, hosts::Hosts, timeline};
use std::{
    io,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    task::AbortHandle,
    time::{sleep_until, timeout_at},
};
use tokio_postgres::{Client, Config, Error, config::TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How often each host is probed.
const EVERY: Duration = Duration::from_millis(300);

/// How often each host that answers is probed while the one in use does not serve: the sooner a new primary is
/// seen, the sooner it is used.
const EVERY_IN_SEARCH: Duration = Duration::from_millis(50);

/// How long an answer may take before the host counts as silent. Together with `EVERY` it is less than
/// `choice::FRESH_FOR`, so that a silent standby delays no answers.
const ANSWER_WITHIN: Duration = Duration::from_millis(800);

/// How long a probe stays open: a slow server counts as silent for a while, but its answer is received.
const GIVE_UP_AFTER: Duration = Duration::from_secs(4);

/// The tasks that probe hosts. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct Probe {
    tasks: Vec<AbortHandle>,
}

impl Drop for Probe {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Starts to probe all hosts.
pub(super) fn start(hosts: &Arc<Hosts>) -> Probe {
    let watch = |index| tokio::spawn(keep_looking(Arc::clone(hosts), index)).abort_handle();
    Probe { tasks: (0..hosts.configs().len()).map(watch).collect() }
}

async fn keep_looking(hosts: Arc<Hosts>, index: usize) {
    let mut config = hosts.config(index);
    // A standby is probed too: it may be promoted.
    config.target_session_attrs(TargetSessionAttrs::Any).application_name("till probe");
    let mut link = None;
    loop {
        let started = Instant::now();
        link = look(&hosts, index, &config, link, started).await;
        // A new link for each look is more than a searching node may ask of a server that starts.
        let again = if link.is_some() && hosts.is_searching() { EVERY_IN_SEARCH } else { EVERY };
        tokio::select! {
            () = sleep_until((started + again).into()) => {}
            () = search_begins(&hosts, link.is_some()) => {}
        }
    }
}

/// Waits until a search for another primary begins, if this task has a link to take part with. One that has
/// begun before is over for this wait: the next look is due soon anyway.
async fn search_begins(hosts: &Hosts, has_link: bool) {
    if !has_link || hosts.is_searching() {
        std::future::pending::<()>().await;
    }
    hosts.search().await;
}

/// Probes a host once and records its answer; until it answers, records that it does not. Returns the
/// connection if it can be used again.
async fn look(
    hosts: &Hosts,
    index: usize,
    config: &Config,
    link: Option<Link>,
    started: Instant,
) -> Option<Link> {
    let mut asking = pin!(ask(config, hosts.tls(), link));
    let mut until = started + ANSWER_WITHIN;
    loop {
        if let Ok((link, sight)) = timeout_at(until.into(), &mut asking).await {
            hosts.note(index, sight, started);
            return link;
        }
        // If this process was suspended meanwhile, the probe is as old as it was meant to be, and does not
        // count as new.
        hosts.note(index, ProbeResult::Unclear(format!("no response within {ANSWER_WITHIN:?}")), until);
        if until >= started + GIVE_UP_AFTER {
            return None;
        }
        until = Instant::now() + ANSWER_WITHIN;
    }
}

/// Asks a host for its state, over the existing connection or a new one.
async fn ask(config: &Config, tls: MakeRustlsConnect, link: Option<Link>) -> (Option<Link>, ProbeResult) {
    if let Some(link) = link
        && let Ok(sight) = link.ask().await
    {
        return (Some(link), sight);
    }
    match Link::open(config, tls).await {
        Ok(link) => match link.ask().await {
            Ok(sight) => (Some(link), sight),
            Err(error) => (None, ProbeResult::Unclear(describe(&error))),
        },
        Err(error) if is_refused(&error) => (None, ProbeResult::Down(describe(&error))),
        Err(error) => (None, ProbeResult::Unclear(describe(&error))),
    }
}

/// True if nothing listens there. A server that only accepts no new connections is another matter.
fn is_refused(error: &Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound);
        }
        source = error.source();
    }
    false
}

/// A connection for probing.
struct Link {
    client: Client,
    driver: AbortHandle,
}

impl Link {
    async fn open(config: &Config, tls: MakeRustlsConnect) -> Result<Self, Error> {
        let (client, driver) = config.connect(tls).await?;
        let driver = tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(error = describe(&error), "a probe's connection to the database ended");
            }
        });
        Ok(Self { client, driver: driver.abort_handle() })
    }

    async fn ask(&self) -> Result<ProbeResult, Error> {
        Ok(timeline::of_writable(&self.client).await?.map_or(ProbeResult::ReadOnly, ProbeResult::Writable))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A server that hangs would keep the connection alive.
        self.driver.abort();
    }
}
