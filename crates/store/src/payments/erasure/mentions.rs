//! The search for a customer's address in free texts.

use crate::{
    engine::{
        error::StoreError,
        sql::{Sql, statements},
    },
    payments::Payments,
};
use till_domain::id::SessionId;

statements! {
    static METADATA_STEP = Sql::new(
        "SELECT session_id, session_id, value FROM session_metadata WHERE session_id > $1 ORDER BY session_id LIMIT $2",
    );
    static NOTES_STEP = Sql::new(
        "SELECT n.id, a.session_id, n.body FROM action_notes AS n JOIN actions AS a ON a.id = n.action_id
         WHERE n.id > $1 ORDER BY n.id LIMIT $2",
    );
    static REFUNDS_STEP =
        Sql::new("SELECT id, session_id, reason FROM refunds WHERE id > $1 ORDER BY id LIMIT $2");
}

/// Free texts that may mention a customer's address. No index finds it in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreeText {
    /// The values of the vendors' own data.
    Metadata,
    /// Notes on actions.
    Notes,
    /// Reasons of refunds.
    Refunds,
}

impl FreeText {
    pub const ALL: [Self; 3] = [Self::Metadata, Self::Notes, Self::Refunds];

    fn step(self) -> &'static Sql {
        match self {
            Self::Metadata => &METADATA_STEP,
            Self::Notes => &NOTES_STEP,
            Self::Refunds => &REFUNDS_STEP,
        }
    }
}

/// A step through free texts.
#[derive(Debug, Default)]
pub struct Mentions {
    /// The sessions of the texts that mention the address.
    pub sessions: Vec<SessionId>,
    /// The number of texts that were read.
    pub read: u64,
    /// Where the next step starts; `None` after the last one.
    pub next: Option<[u8; 16]>,
}

/// The rows of one step. More than a session has keys of its metadata.
const STEP: usize = 2_000;

impl Payments {
    /// Looks for an address, in lower case, in the next free texts after this place.
    pub async fn mentions(
        &self,
        texts: FreeText,
        email: &str,
        after: [u8; 16],
    ) -> Result<Mentions, StoreError> {
        let params = vec![(&after).into(), i64::try_from(STEP).unwrap_or(i64::MAX).into()];
        let mut rows = Vec::new();
        for mut row in self.engine.browse(texts.step(), params).await? {
            let at: [u8; 16] = row.array()?;
            rows.push((at, SessionId::from_bytes(row.array()?), row.opt_text()?));
        }
        let mut step = Mentions { read: rows.len() as u64, ..Mentions::default() };
        if rows.len() == STEP {
            // The texts of the last place may continue after this step: it is read again.
            let last = rows.last().map(|(at, ..)| *at);
            if rows.first().map(|(at, ..)| *at) != last {
                rows.retain(|(at, ..)| Some(*at) != last);
            }
            step.next = rows.last().map(|(at, ..)| *at);
        }
        for (_, session, text) in rows {
            if text.is_some_and(|text| text.to_ascii_lowercase().contains(email)) {
                step.sessions.push(session);
            }
        }
        step.sessions.dedup();
        Ok(step)
    }
}
