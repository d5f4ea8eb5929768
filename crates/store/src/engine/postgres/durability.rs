//! Checks whether the server keeps what it acknowledges.

use super::{connection::Connection, url::DatabaseUrl};

/// Settings that must be `on`: any other value loses acknowledged writes.
const MUST_BE_ON: [&str; 2] = ["fsync", "full_page_writes"];

/// The reason why a server may lose acknowledged writes, if there is one.
pub(super) async fn find_weakness(connection: &Connection) -> Result<Option<String>, tokio_postgres::Error> {
    for name in MUST_BE_ON {
        let value = connection.ask(&format!("SHOW {name}")).await?.unwrap_or_default();
        if value != "on" {
            return Ok(Some(format!("{name} is {value}; turn it on in the server's configuration")));
        }
    }
    let value = connection.ask("SHOW synchronous_commit").await?.unwrap_or_default();
    let weak = value == "off";
    Ok(weak.then(|| {
        "synchronous_commit is off; set it to on for the server, the database and the user".to_owned()
    }))
}

/// Conditions that are allowed but that the operator should know about.
pub(super) async fn warnings(
    connection: &Connection,
    url: &DatabaseUrl,
) -> Result<Vec<String>, tokio_postgres::Error> {
    let mut warnings = Vec::new();
    let commit = connection.ask("SHOW synchronous_commit").await?.unwrap_or_default();
    let waited_for = connection.ask("SHOW synchronous_standby_names").await?.unwrap_or_default();
    let nobody = waited_for.is_empty() || commit == "local";
    let which = if nobody { "TRUE" } else { "sync_state = 'async'" };
    let standbys = format!("SELECT COUNT(*) FROM pg_stat_replication WHERE {which}");
    let standbys = connection.ask_number(&standbys).await?.unwrap_or(0);
    if standbys > 0 {
        warnings.push(format!(
            "{standbys} standby servers follow asynchronously: a failover to one of them can lose \
             acknowledged payments; set synchronous_standby_names and leave synchronous_commit on"
        ));
    }
    if url.is_exposed() {
        warnings.push(
            "TILL_DATABASE_URL names a server on the network that is not verified: add sslmode=verify-full, and \
             sslrootcert if its certificate is your own"
                .to_owned(),
        );
    }
    Ok(warnings)
}
