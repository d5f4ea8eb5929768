//! Sends the mails of the outbox.
//!
//! A mail is taken before it is sent, and stays with the node that took it for the length of a lease: a mail
//! interrupted by a crash is sent again once after that, with the same Message-ID. Failures are retried at
//! growing intervals for a day (backoff); a mail that a server refuses permanently is not.

use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_service::{
    environment::Directory,
    mail::{KEPT_FOR, MailFailure, MailTransport, OutgoingMail},
    telemetry::{Complaints, explain, report_unreadable},
    vault::Vault,
};
use till_store::{Clock, DueMail, FailPoint, MailEnd, StoreError};
use tokio::sync::Mutex;

/// Mails sent at once.
pub(super) const AT_ONCE: u32 = 8;

/// The pause when no mail is due.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// An attempt is given up this long before its lease ends, so that two clocks may differ by this much.
pub(super) const BEFORE_LEASE: Duration = Duration::from_secs(1);

/// Interval at which old mails are pruned.
const FORGET_EVERY: Duration = Duration::from_secs(3_600);

const MINUTE: Duration = Duration::from_secs(60);

/// The pauses after each attempt: together a day.
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

/// The options of sending mails.
#[derive(Debug, Clone)]
pub struct MailOptions {
    /// The pauses after each attempt; after the last attempt the mail is given up.
    pub retries: Vec<Duration>,
    /// The lease of a taken mail: how long it stays with a node that no longer answers.
    pub lease: Duration,
}

/// Sends a node's share of the mails.
#[derive(Debug)]
pub struct Mailer {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    postman: Arc<MailTransport>,
    options: MailOptions,
    complaints: Complaints,
    /// The time of the last pruning of old mails. Held during a pass.
    forgot: Mutex<Option<Instant>>,
}

impl Mailer {
    #[must_use]
    pub fn new(
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        postman: Arc<MailTransport>,
        options: MailOptions,
    ) -> Arc<Self> {
        let (complaints, forgot) = (Complaints::new(), Mutex::default());
        Arc::new(Self { directory, vault, postman, options, complaints, forgot })
    }

    /// The clock of its leases.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        self.directory.accounts().clock()
    }

    /// Waits until no mail is in flight.
    pub async fn idle(&self) {
        drop(self.forgot.lock().await);
    }

    /// Sends the mails that are due, and returns the pause until the next pass.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let mut forgot = self.forgot.lock().await;
        let accounts = self.directory.accounts();
        if forgot.is_none_or(|at| at.elapsed() > FORGET_EVERY) {
            accounts.forget_mails(accounts.now().minus(KEPT_FOR)).await?;
            *forgot = Some(Instant::now());
        }
        // Taken before the moment from which the leases count, so that sending ends before they do.
        let latest = Instant::now() + self.options.lease.saturating_sub(BEFORE_LEASE);
        let (mails, unreadable) = accounts.take_mails(AT_ONCE, self.options.lease).await?;
        report_unreadable("accounts", &unreadable);
        if !mails.is_empty() {
            FailPoint::MailClaimed.reach();
        }
        let ended = join_all(mails.iter().map(|mail| self.deliver(mail, latest))).await;
        ended.into_iter().collect::<Result<(), _>>()?;
        Ok(if mails.is_empty() { PAUSE } else { Duration::ZERO })
    }

    /// Sends a mail, and stores the result.
    async fn deliver(&self, mail: &DueMail, latest: Instant) -> Result<(), StoreError> {
        let end = match self.send(mail, latest).await {
            Ok(()) => MailEnd::Sent,
            Err(failure) => self.judge(mail, failure),
        };
        FailPoint::MailSent.reach();
        let (id, kind) = (mail.id, &mail.kind);
        if !self.directory.accounts().end_mail(mail, end).await? {
            tracing::warn!("the result of email {id} came too late: another node took it over");
            return Ok(());
        }
        FailPoint::MailRecorded.reach();
        match end {
            MailEnd::Sent => tracing::info!(mail.id = %id, mail.kind = kind, "email {id} ({kind}) was sent"),
            MailEnd::Failed { error } => {
                let attempts = mail.attempts;
                tracing::error!(
                    mail.id = %id, mail.kind = kind, error,
                    "email {id} ({kind}) could not be delivered after {attempts} attempts: {error}; see till \
                     doctor"
                );
            }
            MailEnd::Again { error, .. } => {
                if let Some(suppressed) = self.complaints.tell(error, Instant::now()) {
                    tracing::error!(
                        mail.id = %id, error, untold = suppressed,
                        "cannot send emails ({error}); retrying; see till doctor"
                    );
                }
            }
        }
        Ok(())
    }

    async fn send(&self, mail: &DueMail, latest: Instant) -> Result<(), MailFailure> {
        let body = self.vault.open_mail(mail.id, &mail.body_sealed).map_err(|error| {
            tracing::error!("cannot decrypt email {}: {}", mail.id, explain(&error));
            MailFailure { class: "sealed", lasting: true }
        })?;
        let letter = OutgoingMail {
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

    fn judge(&self, mail: &DueMail, failure: MailFailure) -> MailEnd {
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
