//! The timeline of a server: it rises each time a standby is promoted, so of two servers that both accept
//! writes the one on the lower timeline is an old primary.

use tokio_postgres::{Client, Error, SimpleQueryMessage, error::SqlState};

/// A server's timeline. Servers count from 1; 0 stands for a server that does not reveal it.
pub(super) type Timeline = u32;

/// The timeline in hexadecimal, or NULL if the server accepts no writes. Every user may ask; the control file
/// would lag behind until the first checkpoint after a promotion.
const TIMELINE: &str =
    "SELECT CASE WHEN current_setting('transaction_read_only') = 'off' AND NOT pg_is_in_recovery()
    THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// As [`TIMELINE`] without the timeline, for a server whose administrator revoked the right to these
/// functions.
const WRITABLE: &str = "SELECT CASE WHEN current_setting('transaction_read_only') = 'off' THEN '0' END";

/// The timeline of the server behind a connection, or `None` if it accepts no writes.
pub(super) async fn of_writable(client: &Client) -> Result<Option<Timeline>, Error> {
    let text = match ask(client, TIMELINE).await {
        Err(error) if error.code().is_some_and(is_withheld) => ask(client, WRITABLE).await?,
        answer => answer?,
    };
    Ok(text.map(|hex| Timeline::from_str_radix(&hex, 16).unwrap_or(0)))
}

/// True if an error says that the server does not offer these functions, or not to this user.
fn is_withheld(code: &SqlState) -> bool {
    let withheld =
        [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::UNDEFINED_FUNCTION, SqlState::FEATURE_NOT_SUPPORTED];
    withheld.contains(code)
}

async fn ask(client: &Client, query: &str) -> Result<Option<String>, Error> {
    let answer = client.simple_query(query).await?;
    let row = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    Ok(row.and_then(|row| row.get(0)).map(str::to_owned))
}
