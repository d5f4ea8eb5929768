//! Logs: structured, to standard error, as text for people or JSON for machines. Never bodies, secrets,
//! tokens or e-mail addresses.

use crate::settings::LogFormat;
use tracing_subscriber::{EnvFilter, fmt};

/// The driver tells every value of every statement at debug level; nobody gets to see that.
const QUIET: &str = "tokio_postgres=info";

/// Starts logging. The filter is a level such as `info`, or `till=debug,warn`.
pub fn start(format: LogFormat, filter: EnvFilter) {
    let filter = filter.add_directive(QUIET.parse().unwrap_or_else(|_| unreachable!("it is a directive")));
    let builder = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let started = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // A test that starts the service twice in one process has a log already.
    drop(started);
}

/// An error with everything that led to it, on one line.
#[must_use]
pub fn explain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text.replace('\n', " ")
}
