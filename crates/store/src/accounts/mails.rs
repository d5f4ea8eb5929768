//! Mails on their way: queued with what they are about, taken by one node at a time, and what came of them.
//!
//! [`queue`] is a statement, so that a mail is committed with what it tells of, or not at all. Whoever takes a
//! mail raises its fence and sets the moment from which somebody else may; what a node that was replaced
//! reports changes nothing. The text comes sealed, and is gone once the mail is sent or given up.

use crate::{
    accounts::Accounts,
    engine::{
        Written,
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        inspect::{Inspected, Inspector},
        sql::{Row, Sql, Statement, statements},
    },
};
use std::time::Duration;
use till_domain::{id::MailId, time::Timestamp};

/// A mail to queue.
#[derive(Debug, Clone)]
pub struct NewMail {
    pub id: MailId,
    pub recipient: String,
    /// What it is about.
    pub subject: String,
    /// Its text, encrypted; this crate never sees it.
    pub body_sealed: Vec<u8>,
    /// What kind of mail it is, in a word.
    pub kind: &'static str,
}

/// A mail whose time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueMail {
    pub id: MailId,
    pub recipient: String,
    /// What it is about.
    pub subject: String,
    /// Its text, encrypted.
    pub body_sealed: Vec<u8>,
    /// What kind of mail it is.
    pub kind: String,
    /// When it was queued.
    pub created_at: Timestamp,
    /// How often it was tried, this time included once it was taken.
    pub attempts: u32,
    /// Higher each time that somebody takes it.
    pub fence: i64,
}

/// How far a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailState {
    /// It waits for its first or next attempt.
    Queued,
    /// A server has accepted it.
    Sent,
    /// It was given up.
    Failed,
}

impl MailState {
    /// The word that is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Queued, Self::Sent, Self::Failed].into_iter().find(|state| state.as_str() == word)
    }
}

/// What an attempt came to. An error is a word of ours, never a server's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailEnd {
    /// A server has accepted it.
    Sent,
    /// It is tried again.
    Again { due_at: Timestamp, error: &'static str },
    /// It is given up.
    Failed { error: &'static str },
}

/// A mail as it is stored, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMail {
    pub id: MailId,
    pub recipient: String,
    /// What kind of mail it is.
    pub kind: String,
    /// How far it is.
    pub state: MailState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried next, or taken over.
    pub due_at: Option<Timestamp>,
    /// When it was sent or given up.
    pub ended_at: Option<Timestamp>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// How many mails there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailCounts {
    /// Those on their way.
    pub queued: i64,
    /// Those that were given up, and not forgotten yet.
    pub failed: i64,
}

pub(crate) static DUE: Queue =
    Queue { name: QueueName::Mails, sql: &DUE_MAILS, key: &[Key::Number, Key::Bytes] };

statements! {
    static QUEUE = Sql::new(
        "INSERT INTO mails (id, recipient, subject, body_sealed, kind, created_at, state, attempts, due_at, fence)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $6, 0)",
    );
    static DUE_MAILS = Sql::new(
        "SELECT due_at, id, id, recipient, subject, body_sealed, kind, created_at, attempts, fence
         FROM mails WHERE due_at <= $1 AND (due_at, id) > ($2, $3) ORDER BY due_at, id LIMIT $4",
    );
    static NEXT_DUE = Sql::new("SELECT due_at FROM mails WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1");
    // The fence must still be the one that was read: of two who try at once, one gets it.
    static TAKE = Sql::new(
        "UPDATE mails SET fence = fence + 1, attempts = attempts + 1, due_at = $3
         WHERE id = $1 AND fence = $2 AND state = 'queued'",
    );
    static AGAIN = Sql::new(
        "UPDATE mails SET due_at = $3, last_error = $4 WHERE id = $1 AND fence = $2 AND state = 'queued'",
    );
    static END = Sql::new(
        "UPDATE mails SET state = $3, ended_at = $4, last_error = $5, due_at = NULL, body_sealed = NULL
         WHERE id = $1 AND fence = $2 AND state = 'queued'",
    );
    static MAIL = Sql::new(
        "SELECT id, recipient, kind, state, attempts, due_at, ended_at, last_error FROM mails WHERE id = $1",
    );
    static COUNT = Sql::new(
        "SELECT (SELECT COUNT(*) FROM mails WHERE due_at IS NOT NULL),
            (SELECT COUNT(*) FROM mails WHERE ended_at IS NOT NULL AND state = 'failed')",
    );
    static FORGET = Sql::new("DELETE FROM mails WHERE ended_at < $1");
}

/// Queues a mail, as part of a unit of work.
pub(crate) fn queue(mail: NewMail, now: Timestamp) -> Statement {
    let params = vec![
        mail.id.as_bytes().into(),
        mail.recipient.into(),
        mail.subject.into(),
        mail.body_sealed.as_slice().into(),
        mail.kind.into(),
        now.into(),
    ];
    Statement { sql: &QUEUE, params, guarded: false }
}

impl Accounts {
    /// Reads the queue of mails to users: what is due by `at`, until `limit` rows of it could be read.
    pub async fn inspect_mails(&self, at: Timestamp, limit: u32) -> Result<Inspected, StoreError> {
        let inspector = Inspector { engine: &self.engine, limit };
        inspector.look(&DUE, vec![at.into()], single(read_due)).await
    }

    /// Queues a mail that is about nothing else that is written.
    pub async fn queue_mail(&self, mail: NewMail) -> Result<(), StoreError> {
        self.engine.write(vec![queue(mail, self.now())]).await.map(drop)
    }

    /// Takes mails whose time has come, the longest overdue first, and gives the rows before them that cannot be read.
    /// Each mail stays with the caller for `lease`.
    pub async fn take_mails(
        &self,
        limit: u32,
        lease: Duration,
    ) -> Result<(Vec<DueMail>, Unreadable), StoreError> {
        let now = self.now();
        let (due, unreadable) = DUE.read(&self.engine, vec![now.into()], limit, single(read_due)).await?;
        let mut taken = Vec::new();
        for mail in due {
            let params = vec![mail.id.as_bytes().into(), mail.fence.into(), now.plus(lease).into()];
            let take = Statement { sql: &TAKE, params, guarded: true };
            match self.engine.write(vec![take]).await {
                Ok(Written::Done) => {
                    taken.push(DueMail { fence: mail.fence + 1, attempts: mail.attempts + 1, ..mail });
                }
                // Another node was first; then it is that node's.
                Ok(Written::Stopped(_)) => {}
                // An attempt of those that were taken is counted already, so they must be sent.
                Err(_) if !taken.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok((taken, unreadable))
    }

    /// Writes down what an attempt came to. False if somebody else has taken the mail meanwhile.
    pub async fn end_mail(&self, mail: &DueMail, end: MailEnd) -> Result<bool, StoreError> {
        let now = self.now();
        let (sql, rest) = match end {
            MailEnd::Sent => (&END, vec![MailState::Sent.as_str().into(), now.into(), None::<&str>.into()]),
            MailEnd::Again { due_at, error } => (&AGAIN, vec![due_at.into(), error.into()]),
            MailEnd::Failed { error } => {
                (&END, vec![MailState::Failed.as_str().into(), now.into(), error.into()])
            }
        };
        let mut params = vec![mail.id.as_bytes().into(), mail.fence.into()];
        params.extend(rest);
        let written = self.engine.write(vec![Statement { sql, params, guarded: true }]).await?;
        Ok(written == Written::Done)
    }

    /// When a mail next needs attention.
    pub async fn next_mail_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map(|mut row| row.time()).transpose()
    }

    /// A mail by its id.
    pub async fn mail(&self, id: MailId) -> Result<Option<StoredMail>, StoreError> {
        let rows = self.engine.read(&MAIL, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_stored).transpose()
    }

    /// How many mails there are.
    pub async fn count_mails(&self) -> Result<MailCounts, StoreError> {
        let rows = self.engine.scan(&COUNT, vec![]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(MailCounts::default()) };
        Ok(MailCounts { queued: row.int()?, failed: row.int()? })
    }

    /// Forgets mails that ended before this moment.
    pub async fn forget_mails(&self, before: Timestamp) -> Result<(), StoreError> {
        let forget = Statement { sql: &FORGET, params: vec![before.into()], guarded: false };
        self.engine.write(vec![forget]).await.map(drop)
    }
}

pub(crate) fn read_due(mut row: Row) -> Result<DueMail, StoreError> {
    Ok(DueMail {
        id: MailId::from_bytes(row.array()?),
        recipient: row.text()?,
        subject: row.text()?,
        body_sealed: row.bytes()?,
        kind: row.text()?,
        created_at: row.time()?,
        attempts: read_count(row.int()?)?,
        fence: row.int()?,
    })
}

fn read_stored(mut row: Row) -> Result<StoredMail, StoreError> {
    Ok(StoredMail {
        id: MailId::from_bytes(row.array()?),
        recipient: row.text()?,
        kind: row.text()?,
        state: {
            let word = row.text()?;
            MailState::parse(&word)
                .ok_or_else(|| StoreError::Corrupt(format!("the state of a mail is {word:?}")))?
        },
        attempts: read_count(row.int()?)?,
        due_at: row.opt_time()?,
        ended_at: row.opt_time()?,
        last_error: row.opt_text()?,
    })
}

fn read_count(number: i64) -> Result<u32, StoreError> {
    u32::try_from(number).map_err(|_| StoreError::Corrupt(format!("{number} attempts")))
}
