//! Sends the mails about payments: receipts, and alarms about undelivered callbacks.
//!
//! As with the mails of [`super::mail`], one is taken before it is sent, and stays with the node that took it
//! for the length of a lease: a mail interrupted by a crash is sent again once after that, with the same
//! Message-ID. Only live has such mails, and only live has a courier.

use super::mail::{AT_ONCE, BEFORE_LEASE, MailOptions, PAUSE};
use crate::checkout::{pages::receipt_text, receipt};
use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    change::Change,
    delivery::DeliveryState,
    dispatch::{self, DispatchKind, DispatchState, DueDispatch, Sending},
    id::{ReceiptId, VendorId},
    session::Status,
    vendor::Vendor,
};
use till_service::{
    cashier::Cashier,
    environment::{Environment, receipt_path},
    mail::{
        MailFailure, MailTransport, OutgoingMail,
        notes::{AlarmNote, LostCallback, MailContent, ReceiptNote, one_line},
    },
    telemetry::{Complaints, report_unreadable},
    web::{language::Language, moments::Zone, words::Words},
};
use till_store::{Clock, Committed, DeliveryFilter, EventFilter, FailPoint, Span, StoreError, Turn};
use tokio::sync::Mutex;

/// Most callbacks that a mail lists; the panel has all of them.
const NAMED: u32 = 10;

/// The parts of mails about payments that are not stored.
#[derive(Debug, Clone)]
pub struct MailContext {
    /// The address of receipts, without a slash at the end.
    pub checkout_url: String,
    /// The address of the panel, without a slash at the end.
    pub base_url: String,
    /// Knows whether payments are simulated.
    pub cashier: Arc<Cashier>,
}

/// Sends a node's share of the mails about payments.
#[derive(Debug)]
pub struct PaymentMailer {
    live: Arc<Environment>,
    postman: Arc<MailTransport>,
    head: MailContext,
    options: MailOptions,
    complaints: Complaints,
    /// Held during a pass.
    busy: Mutex<()>,
}

/// A mail that is ready to be sent.
struct Ready {
    note: MailContent,
    /// The shop in whose name it is sent; `None` for the operator.
    sender: Option<String>,
    reply_to: Option<String>,
}

impl PaymentMailer {
    #[must_use]
    pub fn new(
        live: Arc<Environment>,
        postman: Arc<MailTransport>,
        head: MailContext,
        options: MailOptions,
    ) -> Arc<Self> {
        let (complaints, busy) = (Complaints::new(), Mutex::default());
        Arc::new(Self { live, postman, head, options, complaints, busy })
    }

    /// The clock of its leases.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        self.live.store.clock()
    }

    /// Waits until no mail is in flight.
    pub async fn idle(&self) {
        drop(self.busy.lock().await);
    }

    /// Sends the mails that are due, and returns the pause until the next pass.
    pub async fn pass(&self) -> Result<Duration, StoreError> {
        let _busy = self.busy.lock().await;
        // Taken before the moment from which the leases count, so that sending ends before they do.
        let latest = Instant::now() + self.options.lease.saturating_sub(BEFORE_LEASE);
        let now = self.live.now();
        let mut taken = Vec::new();
        let (all, unreadable) = self.live.store.due_dispatches(now, AT_ONCE).await?;
        report_unreadable(self.live.name.as_str(), &unreadable);
        for due in all {
            let (mail, take) = dispatch::take(&due, now, self.options.lease);
            match self.live.commit(&[take]).await {
                Ok(Committed::Done) => {
                    FailPoint::ReceiptClaimed.reach();
                    taken.push(mail);
                }
                // Another node took it first; then that node sends it.
                Ok(Committed::Lost(_)) => {}
                // An attempt of the taken ones is counted already, so they must be sent.
                Err(_) if !taken.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        let ended = join_all(taken.iter().map(|mail| self.deliver(mail, latest))).await;
        ended.into_iter().collect::<Result<(), _>>()?;
        Ok(if taken.is_empty() { PAUSE } else { Duration::ZERO })
    }

    /// Sends a mail, and stores the result.
    async fn deliver(&self, mail: &DueDispatch, latest: Instant) -> Result<(), StoreError> {
        let sending = match self.write(mail).await {
            Ok(Writing::Ready(ready)) => self.send(mail, &ready, latest).await,
            Ok(Writing::Nothing) => Sending::Accepted,
            Ok(Writing::Unsound) => Sending::Refused("unsound"),
            // The content cannot be read. It is retried as often as any other, and then given up.
            Err(StoreError::Corrupt(what)) => {
                if self.complaints.tell(&what, Instant::now()).is_some() {
                    tracing::error!(error = what, "cannot read the subject of an email");
                }
                Sending::Trouble("unsound")
            }
            Err(error) => return Err(error),
        };
        FailPoint::ReceiptSent.reach();
        let end = dispatch::end(mail, sending, self.live.now(), &self.options.retries);
        let kind = mail.dispatch.kind.as_str();
        let id = message_id(mail);
        if self.live.commit(std::slice::from_ref(&end)).await? != Committed::Done {
            tracing::warn!("the result of email {id} came too late: another node took it over");
            return Ok(());
        }
        FailPoint::ReceiptRecorded.reach();
        match end {
            Change::EndDispatch { state: DispatchState::Sent, .. } => {
                tracing::info!(mail.id = id, mail.kind = kind, "email {id} was sent");
            }
            Change::EndDispatch { state: DispatchState::Failed, error: Some(error), .. } => {
                let attempts = mail.attempts;
                tracing::error!(
                    mail.id = id,
                    mail.kind = kind,
                    error,
                    "email {id} could not be delivered after {attempts} attempts: {error}; see till doctor"
                );
            }
            Change::EndDispatch { error: Some(error), .. } => {
                if let Some(suppressed) = self.complaints.tell(error, Instant::now()) {
                    tracing::error!(
                        mail.id = id,
                        error,
                        untold = suppressed,
                        "cannot send emails about payments ({error}); retrying; see till doctor"
                    );
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn send(&self, mail: &DueDispatch, ready: &Ready, latest: Instant) -> Sending {
        let letter = OutgoingMail {
            id: message_id(mail),
            sender: ready.sender.as_deref(),
            reply_to: ready.reply_to.as_deref(),
            recipient: &mail.dispatch.recipient,
            subject: &ready.note.subject,
            body: &ready.note.text,
            html: Some(&ready.note.html),
            now: self.live.now(),
        };
        match self.postman.send(&letter, latest).await {
            Ok(()) => Sending::Accepted,
            Err(MailFailure { class, lasting: true }) => Sending::Refused(class),
            Err(MailFailure { class, lasting: false }) => Sending::Trouble(class),
        }
    }

    /// Writes a mail from the present data.
    async fn write(&self, mail: &DueDispatch) -> Result<Writing, StoreError> {
        match mail.dispatch.kind {
            DispatchKind::Receipt | DispatchKind::ReceiptCopy => {
                self.write_receipt(ReceiptId::from_bytes(mail.dispatch.about)).await
            }
            DispatchKind::Undelivered => self.write_alarm(mail.dispatch.vendor).await,
        }
    }

    async fn write_receipt(&self, id: ReceiptId) -> Result<Writing, StoreError> {
        let Some(found) = self.live.store.receipt(id).await? else { return Ok(Writing::Unsound) };
        let Some((slip, vendor)) = receipt::slip(&self.live, &found).await? else {
            return Ok(Writing::Unsound);
        };
        let customers = found.language.as_deref().and_then(Language::parse);
        let language = customers.unwrap_or_else(|| language_of(&vendor));
        let shop = vendor.display_name();
        let note = ReceiptNote {
            text: &receipt_text(&slip, language, shop),
            kind: found.kind,
            shop,
            link: &format!("{}{}", self.head.checkout_url, receipt_path(&found.link)),
            simulated: self.head.cashier.plays(),
        };
        let reply_to = vendor.settings.contact_email.clone();
        Ok(Writing::Ready(Ready { note: note.write(language), sender: Some(one_line(shop)), reply_to }))
    }

    async fn write_alarm(&self, vendor: VendorId) -> Result<Writing, StoreError> {
        let Some(vendor) = self.live.directory.vendor(vendor).await? else { return Ok(Writing::Unsound) };
        let count = self.live.store.undelivered(vendor.id, None).await?;
        // All of them were dealt with since.
        if count == 0 {
            return Ok(Writing::Nothing);
        }
        let language = language_of(&vendor);
        let note = AlarmNote {
            shop: vendor.display_name(),
            count,
            newest: self.newest(&vendor, language).await?,
            link: &format!("{}/panel/callbacks?status=undelivered", self.head.base_url),
        };
        Ok(Writing::Ready(Ready { note: note.write(language), sender: None, reply_to: None }))
    }

    /// The newest undelivered callbacks of a vendor.
    async fn newest(&self, vendor: &Vendor, language: Language) -> Result<Vec<LostCallback>, StoreError> {
        let filter = EventFilter {
            vendor: Some(vendor.id),
            standing: Some(DeliveryFilter::Is(DeliveryState::Undelivered)),
            method: None,
            span: Span { since: None, until: None },
        };
        let zone = vendor.settings.time_zone.clone().map_or(Zone::UTC, Zone::named);
        let mut newest = Vec::new();
        for event in self.live.store.events(&filter, Turn::Newest, NAMED).await? {
            let Some(session) = self.live.store.page_session(event.session).await? else { continue };
            let status: Status = session.state.status();
            let at = Words { language }.moment_in(&event.created_at, &zone).text;
            newest.push(LostCallback { order_id: session.order_id, status, at });
        }
        Ok(newest)
    }
}

/// The result of writing a mail.
enum Writing {
    Ready(Ready),
    /// There is nothing to report any more.
    Nothing,
    /// The data is missing: the store was changed by hand.
    Unsound,
}

/// The language of a vendor's mails.
fn language_of(vendor: &Vendor) -> Language {
    vendor.settings.language.as_deref().and_then(Language::parse).unwrap_or(Language::English)
}

/// The Message-ID: the same for every attempt, and different for every mail.
fn message_id(mail: &DueDispatch) -> String {
    format!("{}.{}", hex::encode(mail.dispatch.about), mail.dispatch.kind.as_str())
}
