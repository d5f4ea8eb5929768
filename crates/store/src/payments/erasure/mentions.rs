//! The search for a customer's address in free texts, and the erasure of such a text alone.
//!
//! Metadata with an address belongs to that customer. A note or the reason of a refund may mention one customer in the session
//! of another, so only the text itself is erased then.

use super::guarded;
use crate::{
    engine::{
        WriteOutcome,
        error::StoreError,
        sql::{Sql, statements},
    },
    payments::Payments,
};
use till_domain::{id::SessionId, transaction::ActionNote};

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
    static ERASE_NOTE = Sql::new("UPDATE action_notes SET body = $2 WHERE id = $1 AND body <> $2");
    // Only of a refund that has ended; until then it may still be shown to the person who decides.
    static ERASE_REASON = Sql::new(
        "UPDATE refunds SET reason = NULL WHERE id = $1 AND reason IS NOT NULL AND state IN ('succeeded', 'failed')",
    );
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

/// A text that mentions an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    pub text: FreeText,
    /// The id of its row.
    pub id: [u8; 16],
    /// `None` for a note on an action that belongs to no session.
    pub session: Option<SessionId>,
}

/// A step through free texts.
#[derive(Debug, Default)]
pub struct Mentions {
    pub found: Vec<Mention>,
    /// The number of texts that were read.
    pub read: u64,
    /// Where the next step starts; `None` after the last one.
    pub next: Option<[u8; 16]>,
}

/// The rows of one step. More than a session has keys of its metadata.
const STEP: usize = 2_000;

/// True if a text contains an address, in lower case, and not only as a part of another address.
fn mentions_address(text: &str, email: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-@".contains(c);
    text.match_indices(email).any(|(start, found)| {
        let (before, after) = (&text[..start], &text[start + found.len()..]);
        let mut next = after.chars();
        // A full stop after it ends the sentence, unless the host continues.
        let continues = match next.next() {
            Some('.') => next.next().is_some_and(is_part),
            Some(c) => is_part(c),
            None => false,
        };
        !continues && !before.ends_with(|c| is_part(c) || c == '.')
    })
}

impl Payments {
    /// Looks for an address, in lower case, in the next free texts after this place.
    pub async fn mentions(
        &self,
        text: FreeText,
        email: &str,
        after: [u8; 16],
    ) -> Result<Mentions, StoreError> {
        let params = vec![(&after).into(), i64::try_from(STEP).unwrap_or(i64::MAX).into()];
        let mut rows = Vec::new();
        for mut row in self.engine.browse(text.step(), params).await? {
            let (id, session) = (row.array()?, row.opt_array()?.map(SessionId::from_bytes));
            rows.push((Mention { text, id, session }, row.opt_text()?));
        }
        let mut step = Mentions { read: rows.len() as u64, ..Mentions::default() };
        if rows.len() == STEP {
            // The texts of the last place may continue after this step: it is read again.
            let last = rows.last().map(|(mention, _)| mention.id);
            rows.retain(|(mention, _)| Some(mention.id) != last);
            step.next = rows.last().map(|(mention, _)| mention.id);
        }
        let mentioned = rows
            .into_iter()
            .filter(|(_, text)| text.as_deref().is_some_and(|text| mentions_address(text, email)));
        step.found.extend(mentioned.map(|(mention, _)| mention));
        step.found.dedup();
        Ok(step)
    }

    /// Erases a note or the reason of a refund alone. False if it was erased before, or its refund is in progress.
    pub async fn erase_mention(&self, mention: &Mention) -> Result<bool, StoreError> {
        let id = (&mention.id).into();
        let unit = match mention.text {
            FreeText::Metadata => return Ok(false),
            FreeText::Notes => guarded(&ERASE_NOTE, vec![id, ActionNote::REMOVED.into()]),
            FreeText::Refunds => guarded(&ERASE_REASON, vec![id]),
        };
        Ok(self.engine.write(vec![unit]).await? == WriteOutcome::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::mentions_address;

    #[test]
    fn an_address_is_mentioned_whole() {
        let email = "ann@example.com";
        for text in [
            "ann@example.com",
            "<ANN@Example.com>",
            "ask ann@example.com.",
            "ann@example.com, or",
            "(ann@example.com)",
        ] {
            assert!(mentions_address(text, email), "{text}");
        }
        for text in [
            "joann@example.com",
            "jo.ann@example.com",
            "ann@example.com.au",
            "ann@example.community",
            "ann@example.co",
            "",
        ] {
            assert!(!mentions_address(text, email), "{text}");
        }
        assert!(mentions_address("joann@example.com and ann@example.com", email));
    }
}
