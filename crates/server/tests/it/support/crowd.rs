//! What tests with thousands of connections need: the machine for themselves, and file descriptors.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::const_new(());

/// Waits until no other test of this process has a crowd, and keeps others waiting until it is dropped.
pub async fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

/// Allows as many open files as the system lets us, here and in every service started after this, and
/// gives their number.
pub fn open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let allowed = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    allowed.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}
