//! What is known of a customer's e-mail address, and its erasure.

use super::entry;
use crate::environment::EnvironmentStore;
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};
use till_domain::{
    attempt::Attempt,
    audit::{Actor, AuditEvent},
    dispatch::DispatchKind,
    environment::EnvironmentName,
    id::{SessionId, VendorId},
    receipt::Receipt,
    refund::Refund,
    session::Session,
    transaction::ActionNote,
};
use till_store::{Accounts, Erasure, FreeText, StoreError, StoredDispatch, VendorFilter};

/// A customer's address and the stores in which it is looked for.
#[derive(Debug, Clone, Copy)]
pub struct CustomerLookup<'a> {
    /// In lower case.
    pub address: &'a str,
    pub accounts: &'a Accounts,
    pub stores: [&'a EnvironmentStore; 2],
}

/// What is known of a customer's address.
#[derive(Debug)]
pub struct CustomerRecord {
    pub sessions: Vec<CustomerSession>,
    /// Mails to panel users at this address that were sent or given up.
    pub panel_mails: u64,
    /// True if a panel user has this address. An erasure leaves the user.
    pub is_panel_user: bool,
    /// The vendors whose contact address it is. An erasure leaves it.
    pub contact_of: Vec<VendorId>,
    /// False if the time was not enough to look through all metadata and notes.
    pub is_complete: bool,
}

/// A session of a customer, and the rows with personal data that belong to it.
#[derive(Debug)]
pub struct CustomerSession {
    pub environment: EnvironmentName,
    pub session: Session,
    pub attempts: Vec<Attempt>,
    pub receipts: Vec<Receipt>,
    pub mails: Vec<StoredDispatch>,
    pub notes: Vec<ActionNote>,
    pub refunds: Vec<Refund>,
    /// The erasure, if one was requested before.
    pub erasure: Option<Erasure>,
}

impl CustomerSession {
    /// The words for the kinds of data that an erasure removes.
    #[must_use]
    pub fn personal_data(&self) -> Vec<&'static str> {
        let has_receipts = self.receipts.iter().any(|receipt| receipt.email.is_some())
            || self.mails.iter().any(|mail| {
                mail.due.dispatch.kind == DispatchKind::Receipt && !mail.due.dispatch.recipient.is_empty()
            });
        let kinds = [
            ("address", self.session.customer.email.is_some()),
            ("metadata", !self.session.metadata.is_empty()),
            ("checkout", self.attempts.iter().any(|attempt| attempt.email.is_some())),
            ("receipts", has_receipts),
            ("refunds", self.refunds.iter().any(|refund| refund.reason.is_some())),
            ("notes", self.notes.iter().any(|note| !note.is_removed())),
        ];
        kinds.into_iter().filter(|(_, found)| *found).map(|(kind, _)| kind).collect()
    }

    /// True if an erasure was requested and waits for the end of open work.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.erasure.is_some_and(|erasure| erasure.erased_at.is_none())
    }
}

/// The number of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasureReport {
    /// Sessions whose personal data is erased.
    pub erased: u64,
    /// Sessions with open work: they are erased when it has ended.
    pub waiting: u64,
    /// Mails to panel users that were deleted.
    pub panel_mails: u64,
}

impl<'a> CustomerLookup<'a> {
    /// Everything that is known. Metadata and notes have no index by address: reading them all ends after `within`, if it is
    /// given. `progress` is called with the number of texts that were read.
    pub async fn record(
        &self,
        within: Option<Duration>,
        mut progress: impl FnMut(u64),
    ) -> Result<CustomerRecord, StoreError> {
        let end = within.map(|within| Instant::now() + within);
        let (mut sessions, mut is_complete, mut read) = (Vec::new(), true, 0);
        for store in self.stores {
            let payments = store.payments();
            let mut found: BTreeSet<SessionId> =
                payments.customer_session_ids(self.address).await?.into_iter().collect();
            for texts in FreeText::ALL {
                let mut next = Some([0; 16]);
                while let Some(after) = next {
                    if end.is_some_and(|end| Instant::now() >= end) {
                        is_complete = false;
                        break;
                    }
                    let step = payments.mentions(texts, self.address, after).await?;
                    read += step.read;
                    progress(read);
                    found.extend(step.sessions);
                    next = step.next;
                }
            }
            for id in found {
                sessions.extend(session(store, id).await?);
            }
        }
        let users = self.accounts.user_by_email(self.address).await?;
        let filter =
            VendorFilter { has: self.address.to_owned(), limit: u32::MAX, ..VendorFilter::default() };
        let contact = |email: &Option<String>| {
            email.as_deref().is_some_and(|email| email.eq_ignore_ascii_case(self.address))
        };
        let vendors = self.accounts.find_vendors(&filter).await?;
        Ok(CustomerRecord {
            sessions,
            panel_mails: self.accounts.count_ended_mails(self.address).await?,
            is_panel_user: users.is_some(),
            contact_of: vendors.iter().filter(|v| contact(&v.contact_email)).map(|v| v.summary.id).collect(),
            is_complete,
        })
    }

    /// Erases these sessions, and mails to panel users at the address. What has open work is erased later. The audit log gets
    /// the numbers, without the address. False if the actor's form was sent before.
    pub async fn erase(
        &self,
        actor: &Actor,
        record: &CustomerRecord,
        mut progress: impl FnMut(u64),
    ) -> Result<Option<ErasureReport>, StoreError> {
        let ids = |name: EnvironmentName| -> Vec<SessionId> {
            let of = record.sessions.iter().filter(|known| known.environment == name);
            of.map(|known| known.session.id).collect()
        };
        let counts = self.stores.map(|store| format!("{} {}", ids(store.name).len(), store.name));
        let line = entry(self.accounts, actor, AuditEvent::PersonalDataErased).saying(counts.join(", "));
        if !self.accounts.record_once(&line).await? {
            return Ok(None);
        }
        let mut report = ErasureReport::default();
        for store in self.stores {
            let (payments, ids) = (store.payments(), ids(store.name));
            for step in ids.chunks(500) {
                payments.request_erasure(step).await?;
            }
            for id in ids {
                match payments.erase(id).await? {
                    true => report.erased += 1,
                    false => report.waiting += 1,
                }
                progress(report.erased + report.waiting);
            }
        }
        report.panel_mails = self.accounts.delete_ended_mails(self.address).await?;
        Ok(Some(report))
    }
}

async fn session(store: &EnvironmentStore, id: SessionId) -> Result<Option<CustomerSession>, StoreError> {
    let payments = store.payments();
    let Some(session) = payments.page_session(id).await? else { return Ok(None) };
    let mut notes = Vec::new();
    for action in payments.actions_of(id).await? {
        notes.extend(payments.notes_on(action.action.id).await?);
    }
    let (mut receipts, mut mails) = (Vec::new(), Vec::new());
    if store.rules().receipts {
        receipts = payments.receipts_of(id).await?;
        mails = payments.dispatches_of(id).await?;
    }
    Ok(Some(CustomerSession {
        environment: store.name,
        attempts: payments.attempts_of(id).await?,
        receipts,
        mails,
        notes,
        refunds: payments.refunds().of_session(id).await?,
        erasure: payments.erasure_of(id).await?,
        session,
    }))
}
