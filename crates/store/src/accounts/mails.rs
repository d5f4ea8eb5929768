//! The queue of mails to users: a mail is queued with the change that it reports, taken by one node at a time
//! under a lease, and ended with an outcome.
//!
//! [`queue`] returns a statement, so that a mail is committed with the change that it reports, or not at all.
//! A node that takes a mail raises its fencing token and sets its lease, the time from which another node may
//! take it; the report of a node that was replaced changes nothing. The text arrives sealed, and is deleted
//! once the mail is sent or given up.

use crate::{
    accounts::Accounts,
    engine::{
        WriteOutcome,
        due::{Key, Queue, QueueName, Unreadable, single},
        error::StoreError,
        inspect::{Inspector, QueueInspection},
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
    pub subject: String,
    /// The text, encrypted; this crate never decrypts it.
    pub body_sealed: Vec<u8>,
    /// The kind of mail, in one word.
    pub kind: &'static str,
}

/// A mail that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueMail {
    pub id: MailId,
    pub recipient: String,
    pub subject: String,
    /// The text, encrypted.
    pub body_sealed: Vec<u8>,
    pub kind: String,
    /// When it was queued.
    pub created_at: Timestamp,
    /// The number of attempts, including this one once the mail is taken.
    pub attempts: u32,
    /// Fencing token: raised each time a node takes the mail.
    pub fence: i64,
}

/// The state of a mail.
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

/// The outcome of an attempt. An error is a word of ours, never the mail server's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailEnd {
    /// A server has accepted it.
    Sent,
    /// It is tried again at `due_at`.
    Again { due_at: Timestamp, error: &'static str },
    /// It is given up.
    Failed { error: &'static str },
}

/// A mail as it is stored, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMail {
    pub id: MailId,
    pub recipient: String,
    pub kind: String,
    pub state: MailState,
    pub attempts: u32,
    /// When it is tried next, or when the lease of the node that took it ends.
    pub due_at: Option<Timestamp>,
    /// When it was sent or given up.
    pub ended_at: Option<Timestamp>,
    pub last_error: Option<String>,
}

/// The numbers of mails by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailCounts {
    /// Mails that are neither sent nor given up.
    pub queued: i64,
    /// Mails that were given up and are not pruned yet.
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
    // Compare-and-set of the fencing token: of two nodes that try at once, one takes the mail.
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
    static ENDED_TO = Sql::new(
        "SELECT COUNT(*) FROM mails WHERE lower(recipient COLLATE \"C\") = $1 AND state <> 'queued'",
    );
    static DELETE_ENDED_TO =
        Sql::new("DELETE FROM mails WHERE lower(recipient COLLATE \"C\") = $1 AND state <> 'queued'");
    static MAIL = Sql::new(
        "SELECT id, recipient, kind, state, attempts, due_at, ended_at, last_error FROM mails WHERE id = $1",
    );
    static COUNT = Sql::new(
        "SELECT (SELECT COUNT(*) FROM mails WHERE due_at IS NOT NULL),
            (SELECT COUNT(*) FROM mails WHERE ended_at IS NOT NULL AND state = 'failed')",
    );
    static FORGET = Sql::new("DELETE FROM mails WHERE ended_at < $1");
}

/// Queues a mail as part of a unit of work.
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
    /// Inspects the queue of mails to users: rows that are due by `at`, until `limit` of them could be read.
    pub async fn inspect_mails(&self, at: Timestamp, limit: u32) -> Result<QueueInspection, StoreError> {
        let inspector = Inspector { engine: &self.engine, limit };
        inspector.look(&DUE, vec![at.into()], single(read_due)).await
    }

    /// Queues a mail on its own, when it reports no change that is written here.
    pub async fn queue_mail(&self, mail: NewMail) -> Result<(), StoreError> {
        self.engine.write(vec![queue(mail, self.now())]).await.map(drop)
    }

    /// Takes mails that are due, the longest overdue first, and returns the rows before them that cannot be
    /// read. The caller holds a lease on each mail for `lease`.
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
                Ok(WriteOutcome::Done) => {
                    taken.push(DueMail { fence: mail.fence + 1, attempts: mail.attempts + 1, ..mail });
                }
                // Another node was first and has the mail.
                Ok(WriteOutcome::Stopped(_)) => {}
                // The attempt of the mails taken so far is already counted, so they must be sent.
                Err(_) if !taken.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok((taken, unreadable))
    }

    /// The number of mails to an address, in lower case, that were sent or given up and are not pruned yet.
    pub async fn count_ended_mails(&self, recipient: &str) -> Result<u64, StoreError> {
        let rows = self.engine.browse(&ENDED_TO, vec![recipient.into()]).await?;
        let count = rows.into_iter().next().map_or(Ok(0), |mut row| row.int())?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Deletes them, and returns their number.
    pub async fn delete_ended_mails(&self, recipient: &str) -> Result<u64, StoreError> {
        let count = self.count_ended_mails(recipient).await?;
        let delete = Statement { sql: &DELETE_ENDED_TO, params: vec![recipient.into()], guarded: false };
        self.engine.write(vec![delete]).await?;
        Ok(count)
    }

    /// Records the outcome of an attempt. False if another node has taken the mail meanwhile.
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
        Ok(written == WriteOutcome::Done)
    }

    /// The earliest time at which a mail is due.
    pub async fn next_mail_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.engine.read(&NEXT_DUE, vec![]).await?;
        rows.into_iter().next().map(|mut row| row.time()).transpose()
    }

    pub async fn mail(&self, id: MailId) -> Result<Option<StoredMail>, StoreError> {
        let rows = self.engine.read(&MAIL, vec![id.as_bytes().into()]).await?;
        rows.into_iter().next().map(read_stored).transpose()
    }

    pub async fn count_mails(&self) -> Result<MailCounts, StoreError> {
        let rows = self.engine.scan(&COUNT, vec![]).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(MailCounts::default()) };
        Ok(MailCounts { queued: row.int()?, failed: row.int()? })
    }

    /// Deletes mails that ended before this time.
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
