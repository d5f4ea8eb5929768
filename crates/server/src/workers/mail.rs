//! Sends the mails of the outbox.
//!
//! A mail is taken before it is sent, and stays with the node that took it for the length of a lease: what a
//! crash cut off is sent again once after that, with the same Message-ID. Trouble is tried again at growing
//! intervals for a day; what a server refuses for good is not.

use crate::{
    environment::Directory,
    mail::{Failure, KEPT_FOR, Letter, Postman},
    telemetry::{Complaints, explain, report_unreadable},
    vault::Vault,
};
use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_store::{Clock, DueMail, MailEnd, StoreError};
use tokio::sync::Mutex;

/// Mails sent at once.
pub(super) const AT_ONCE: u32 = 8;

/// How often is looked for new ones.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// How long before its lease ends an attempt is given up, so that two clocks may differ by this much.
pub(super) const BEFORE_LEASE: Duration = Duration::from_secs(1);

/// How often old ones are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(3_600);

const MINUTE: Duration = Duration::from_secs(60);

/// How long after each attempt the next one is made: for a day.
pub const RETRIES: [Duration; 8] = [
    MINUTE,
    MINUTE.saturating_mul(5),
    MINUTE.saturating_mul(30),
    MINUTE.saturating_mul(120),
    MINUTE.saturating_mul(300),
    MINUTE.saturating_mul(300),
    MINUTE.saturating_mul(300),
    MINUTE.saturating_mul(380),
];

/// How mails are sent.
#[derive(Debug, Clone)]
pub struct MailOptions {
    /// How long after each attempt the next one is made; after the last one the mail is given up.
    pub retries: Vec<Duration>,
    /// How long a mail that was taken stays with a node that no longer answers.
    pub lease: Duration,
}

/// The one who sends a node's share of the mails.
#[derive(Debug)]
pub struct Mailer {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    postman: Arc<Postman>,
    options: MailOptions,
    complaints: Complaints,
    /// When old mails were last forgotten. Held during a pass.
    forgot: Mutex<Option<Instant>>,
}

impl Mailer {
    /// A mailer with nothing under way.
    #[must_use]
    pub fn new(
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        postman: Arc<Postman>,
        options: MailOptions,
    ) -> Arc<Self> {
        let (complaints, forgot) = (Complaints::new(), Mutex::default());
        Arc::new(Self { directory, vault, postman, options, complaints, forgot })
    }

    /// The clock that its leases go by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        self.directory.accounts().clock()
    }

    /// Waits until nothing is under way.
    pub async fn idle(&self) {
        drop(self.forgot.lock().await);
    }

    /// Sends what is due, and says when to look again.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let mut forgot = self.forgot.lock().await;
        let accounts = self.directory.accounts();
        if forgot.is_none_or(|at| at.elapsed() > FORGET_EVERY) {
            accounts.forget_mails(accounts.now().minus(KEPT_FOR)).await?;
            *forgot = Some(Instant::now());
        }
        // Before the moment that the leases count from, so that sending is over before they are.
        let latest = Instant::now() + self.options.lease.saturating_sub(BEFORE_LEASE);
        let (mails, unreadable) = accounts.take_mails(AT_ONCE, self.options.lease).await?;
        report_unreadable("accounts", &unreadable);
        let ended = join_all(mails.iter().map(|mail| self.deliver(mail, latest))).await;
        ended.into_iter().collect::<Result<(), _>>()?;
        Ok(if mails.is_empty() { PAUSE } else { Duration::ZERO })
    }

    /// Sends a mail, and writes down what came of it.
    async fn deliver(&self, mail: &DueMail, latest: Instant) -> Result<(), StoreError> {
        let end = match self.send(mail, latest).await {
            Ok(()) => MailEnd::Sent,
            Err(failure) => self.judge(mail, failure),
        };
        let (id, kind) = (mail.id, &mail.kind);
        if !self.directory.accounts().end_mail(mail, end).await? {
            tracing::warn!("the result of mail {id} came too late: another node took it over");
            return Ok(());
        }
        match end {
            MailEnd::Sent => tracing::info!(mail.id = %id, mail.kind = kind, "mail {id} ({kind}) was sent"),
            MailEnd::Failed { error } => {
                let attempts = mail.attempts;
                tracing::error!(
                    mail.id = %id, mail.kind = kind, error,
                    "mail {id} ({kind}) is given up after {attempts} attempts: {error}; see till doctor"
                );
            }
            MailEnd::Again { error, .. } => {
                if let Some(untold) = self.complaints.tell(error, Instant::now()) {
                    tracing::error!(
                        mail.id = %id, error, untold,
                        "mails cannot be sent ({error}) and are tried again; see till doctor"
                    );
                }
            }
        }
        Ok(())
    }

    async fn send(&self, mail: &DueMail, latest: Instant) -> Result<(), Failure> {
        let body = self.vault.open_mail(mail.id, &mail.body_sealed).map_err(|error| {
            tracing::error!("mail {} cannot be opened: {}", mail.id, explain(&error));
            Failure { class: "sealed", lasting: true }
        })?;
        let letter = Letter {
            id: mail.id.to_string(),
            sender: None,
            reply_to: None,
            recipient: &mail.recipient,
            subject: &mail.subject,
            body: &body,
            html: None,
            now: self.directory.accounts().now(),
        };
        self.postman.send(&letter, latest).await
    }

    fn judge(&self, mail: &DueMail, failure: Failure) -> MailEnd {
        let error = failure.class;
        let number = usize::try_from(mail.attempts).unwrap_or(usize::MAX).saturating_sub(1);
        match self.options.retries.get(number) {
            Some(pause) if !failure.lasting => {
                MailEnd::Again { due_at: self.directory.accounts().now().plus(*pause), error }
            }
            _ => MailEnd::Failed { error },
        }
    }
}
