//! The limit of open files. Every connection, in or out, counts as one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files beside connections and callbacks: databases, logs, calls to providers and mail servers.
const RESERVE: u64 = 1024;

/// Raises the soft limit to the hard one: service managers start with 1024, which a busy hour exceeds.
pub fn raise() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "could not raise the limit of open files to {:?}", limit.maximum);
        }
    }
}

/// Checks the limit that the service would have, if it were started as this process was, against this number
/// of connections from clients and of connections for callbacks.
pub fn check(incoming: usize, outgoing: usize) -> Result<(), String> {
    let needed = u64::try_from(incoming + outgoing).unwrap_or(u64::MAX).saturating_add(RESERVE);
    let limit = getrlimit(Resource::Nofile).maximum;
    match limit {
        Some(limit) if limit < needed => Err(format!(
            "at most {limit} files can be open, {needed} may be needed: raise the hard limit (LimitNOFILE= in a systemd \
             unit, ulimit -Hn in a shell) or lower TILL_MAX_CONNECTIONS"
        )),
        _ => Ok(()),
    }
}
