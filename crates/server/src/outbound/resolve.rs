//! Finds the addresses of a host. They are judged elsewhere.

use super::{Failure, target::Target};
use std::{
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use url::Host;

/// Look-ups at a time. Each holds a thread until the system gives up, which may be long after the deadline.
const MAX_LOOKUPS: usize = 64;

/// A look-up that a test makes up. It may block.
type Script = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// Who finds the addresses of a name.
#[derive(Clone)]
pub enum Resolver {
    /// The machine: `/etc/hosts`, then DNS, or whatever it is set up to ask.
    System,
    /// A test.
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

/// Looks hosts up, afresh each time and not too many at once.
#[derive(Debug, Clone)]
pub struct Lookups {
    room: Arc<Semaphore>,
    threads: Arc<Threads>,
}

impl Lookups {
    pub fn new(resolver: Resolver) -> Self {
        Self { room: Arc::new(Semaphore::new(MAX_LOOKUPS)), threads: Arc::new(Threads::new(resolver)) }
    }

    /// Every address of the host. A literal is its own.
    pub async fn find(&self, target: &Target) -> Result<Vec<IpAddr>, Failure> {
        let name = match &target.host {
            Host::Ipv4(ip) => return Ok(vec![IpAddr::V4(*ip)]),
            Host::Ipv6(ip) => return Ok(vec![IpAddr::V6(*ip)]),
            Host::Domain(name) => name.clone(),
        };
        let permit = Arc::clone(&self.room).acquire_owned().await.map_err(|_| Failure::Dns)?;
        let (tell, told) = oneshot::channel();
        self.threads.hand(Job { name, permit, tell }).map_err(|_| Failure::Dns)?;
        told.await.ok().and_then(Result::ok).ok_or(Failure::Dns)
    }
}

/// A name to look up.
struct Job {
    name: String,
    permit: OwnedSemaphorePermit,
    tell: oneshot::Sender<io::Result<Vec<IpAddr>>>,
}

/// Threads that look names up. They are not the runtime's, because those are waited for when the service
/// stops. And they stay: with some versions of the C library, a thread that ends at the moment at which its
/// handle is dropped crashes the process.
#[derive(Debug)]
struct Threads {
    resolver: Resolver,
    jobs: mpsc::Sender<Job>,
    queue: Arc<Mutex<mpsc::Receiver<Job>>>,
    /// Threads without a job. There is one thread per job at most.
    idle: Arc<AtomicUsize>,
}

impl Threads {
    fn new(resolver: Resolver) -> Self {
        let (jobs, queue) = mpsc::channel();
        Self { resolver, jobs, queue: Arc::new(Mutex::new(queue)), idle: Arc::default() }
    }

    /// Gives a job to a thread that is idle, or to a new one.
    fn hand(&self, job: Job) -> io::Result<()> {
        if self.idle.fetch_update(SeqCst, SeqCst, |idle| idle.checked_sub(1)).is_err() {
            self.start()?;
        }
        self.jobs.send(job).map_err(io::Error::other)
    }

    fn start(&self) -> io::Result<()> {
        let (resolver, idle) = (self.resolver.clone(), Arc::clone(&self.idle));
        let queue = Arc::clone(&self.queue);
        let work = move || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                // Nobody can ask any more.
                let Ok(job) = next else { return };
                let found = resolver.find(&job.name);
                idle.fetch_add(1, SeqCst);
                drop(job.permit);
                // Whoever asked may have gone.
                let _ = job.tell.send(found);
            }
        };
        thread::Builder::new().name("look-up".to_owned()).spawn(work).map(drop)
    }
}
