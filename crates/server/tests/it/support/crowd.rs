//! Helpers for tests with thousands of connections: exclusive use of the machine, and file descriptors.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::const_new(());

/// Waits until no other such test of this process runs, and keeps others waiting until it is dropped.
pub async fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

/// Raises the limit of open files as far as the system allows, here and in every service started after this,
/// and returns it.
pub fn open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let allowed = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    allowed.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}
