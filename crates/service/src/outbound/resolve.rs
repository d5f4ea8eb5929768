//! Resolves host names. The addresses are checked elsewhere.

use super::{CallFailure, target::Target};
use std::{
    collections::HashMap,
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use till_domain::id::VendorId;
use tokio::sync::{Notify, oneshot};
use url::Host;

/// Most lookups at a time. Each blocks a thread until the system gives up, which may be long after the
/// deadline.
const MAX_LOOKUPS: usize = 64;

/// Most lookups at a time for one vendor.
const MAX_LOOKUPS_VENDOR: usize = 8;

/// The resolver of a test. It may block.
type Script = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// The source of a host's addresses.
#[derive(Clone)]
pub enum Resolver {
    /// The system's resolver: `/etc/hosts`, then DNS, or as it is configured.
    System,
    Scripted(Arc<Script>),
}

impl Resolver {
    fn find(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::System => Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()),
            Self::Scripted(script) => script(name),
        }
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Scripted(_) => "Scripted",
        })
    }
}

/// Resolves hosts without a cache, a limited number at once. Concurrent lookups of the same name share one
/// result.
#[derive(Debug, Clone)]
pub struct Lookups {
    under_way: Arc<UnderWay>,
    threads: Arc<Threads>,
}

impl Lookups {
    pub fn new(resolver: Resolver) -> Self {
        let under_way = Arc::new(UnderWay::default());
        let threads = Arc::new(Threads::new(resolver, Arc::clone(&under_way)));
        Self { under_way, threads }
    }

    /// Lookups with the same resolver but their own limits.
    pub fn apart(&self) -> Self {
        Self::new(self.threads.resolver.clone())
    }

    /// Every address of the host. A literal address is returned as it is.
    pub async fn find(&self, target: &Target, vendor: VendorId) -> Result<Vec<IpAddr>, CallFailure> {
        let name = match &target.host {
            Host::Ipv4(ip) => return Ok(vec![IpAddr::V4(*ip)]),
            Host::Ipv6(ip) => return Ok(vec![IpAddr::V6(*ip)]),
            Host::Domain(name) => name.clone(),
        };
        let result = loop {
            // Subscribed before the check, so that no end in between is missed.
            let ended = self.under_way.ended.notified();
            match self.under_way.ask(&name, vendor) {
                LookupStart::Already(result) => break result,
                LookupStart::First(result) => {
                    self.threads.hand(LookupJob { name, vendor }).map_err(|_| CallFailure::Dns)?;
                    break result;
                }
                LookupStart::NoRoom => ended.await,
            }
        };
        result.await.ok().flatten().ok_or(CallFailure::Dns)
    }
}

/// The result of a lookup; `None` if it failed.
type Found = Option<Vec<IpAddr>>;

/// The lookups in progress, the callers that wait for each, and the count by vendor.
#[derive(Debug, Default)]
struct UnderWay {
    names: Mutex<Names>,
    /// Notified whenever a lookup ends.
    ended: Notify,
}

#[derive(Debug, Default)]
struct Names {
    waiting: HashMap<String, Vec<oneshot::Sender<Found>>>,
    vendors: HashMap<VendorId, usize>,
}

/// The answer to a request for a lookup.
enum LookupStart {
    /// The name is being resolved already; the result is shared.
    Already(oneshot::Receiver<Found>),
    /// The caller must start the lookup.
    First(oneshot::Receiver<Found>),
    /// The vendor has too many lookups in progress.
    NoRoom,
}

impl UnderWay {
    fn ask(&self, name: &str, vendor: VendorId) -> LookupStart {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, result) = oneshot::channel();
        if let Some(waiting) = names.waiting.get_mut(name) {
            waiting.retain(|gone| !gone.is_closed());
            waiting.push(sender);
            return LookupStart::Already(result);
        }
        let of_vendor = names.vendors.get(&vendor).copied().unwrap_or(0);
        // As with callbacks in flight: a vendor has at most as many as are left, so there is always one for
        // another vendor.
        if of_vendor >= MAX_LOOKUPS_VENDOR.min(MAX_LOOKUPS.saturating_sub(names.waiting.len())) {
            return LookupStart::NoRoom;
        }
        names.vendors.insert(vendor, of_vendor + 1);
        names.waiting.insert(name.to_owned(), vec![sender]);
        LookupStart::First(result)
    }

    fn end(&self, job: &LookupJob, found: &Found) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = names.waiting.remove(&job.name).unwrap_or_default();
        if let Some(count) = names.vendors.get_mut(&job.vendor) {
            *count -= 1;
            if *count == 0 {
                names.vendors.remove(&job.vendor);
            }
        }
        drop(names);
        for tell in waiting {
            // The caller may have stopped waiting.
            let _ = tell.send(found.clone());
        }
        self.ended.notify_waiters();
    }
}

/// A name to resolve, and the vendor that it is for.
#[derive(Debug)]
struct LookupJob {
    name: String,
    vendor: VendorId,
}

/// Threads that resolve names. They are not the runtime's, because the shutdown waits for those. And they
/// never end: with some versions of the C library, a thread that ends at the moment at which its handle is
/// dropped crashes the process.
#[derive(Debug)]
struct Threads {
    resolver: Resolver,
    under_way: Arc<UnderWay>,
    jobs: mpsc::Sender<LookupJob>,
    queue: Arc<Mutex<mpsc::Receiver<LookupJob>>>,
    /// Threads without a job. There is one thread per job at most.
    idle: Arc<AtomicUsize>,
}

impl Threads {
    fn new(resolver: Resolver, under_way: Arc<UnderWay>) -> Self {
        let (jobs, queue) = mpsc::channel();
        Self { resolver, under_way, jobs, queue: Arc::new(Mutex::new(queue)), idle: Arc::default() }
    }

    /// Gives a job to an idle thread, or to a new one. If no thread can be started, the job fails.
    fn hand(&self, job: LookupJob) -> io::Result<()> {
        if self.idle.fetch_update(SeqCst, SeqCst, |idle| idle.checked_sub(1)).is_err()
            && let Err(error) = self.start()
        {
            self.under_way.end(&job, &None);
            return Err(error);
        }
        self.jobs.send(job).map_err(io::Error::other)
    }

    fn start(&self) -> io::Result<()> {
        let (resolver, idle) = (self.resolver.clone(), Arc::clone(&self.idle));
        let (queue, under_way) = (Arc::clone(&self.queue), Arc::clone(&self.under_way));
        let work = move || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                // All senders are gone.
                let Ok(job) = next else { return };
                let found = resolver.find(&job.name).ok();
                idle.fetch_add(1, SeqCst);
                under_way.end(&job, &found);
            }
        };
        thread::Builder::new().name("look-up".to_owned()).spawn(work).map(drop)
    }
}
