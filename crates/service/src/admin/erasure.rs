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
    fiscal::{Buyer, FiscalReceipt},
    id::{SessionId, VendorId},
    receipt::Receipt,
    refund::Refund,
    session::Session,
    transaction::ActionNote,
};
use till_store::{Accounts, Erasure, FreeText, Mention, StoreError, StoredDispatch, VendorFilter};

/// A customer's address and the stores in which it is looked for.
#[derive(Debug, Clone, Copy)]
pub struct CustomerLookup<'a> {
    /// In lower case.
    pub address: &'a str,
    pub accounts: &'a Accounts,
    pub stores: [&'a EnvironmentStore; 2],
}

/// The bounds of a lookup that a page waits for; a command has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct LookupBounds {
    /// The longest that metadata, notes and reasons of refunds are searched. They have no index by address.
    pub within: Option<Duration>,
    /// The most sessions of which everything is read.
    pub sessions: Option<usize>,
}

/// What is known of a customer's address.
#[derive(Debug)]
pub struct CustomerRecord {
    /// The ids of all sessions, oldest first.
    pub ids: Vec<(EnvironmentName, SessionId)>,
    /// The newest of them with all that belongs to them, oldest first.
    pub sessions: Vec<CustomerSession>,
    /// Notes and reasons of refunds, of other sessions or of none, that mention the address.
    pub mentions: Vec<(EnvironmentName, Mention)>,
    /// Mails to panel users at this address that were sent or given up.
    pub panel_mails: u64,
    /// True if a panel user has this address. An erasure leaves the user.
    pub is_panel_user: bool,
    /// The vendors whose contact address it is. An erasure leaves it.
    pub contact_of: Vec<VendorId>,
    /// False if the time was not enough to search all texts.
    pub is_complete: bool,
}

impl CustomerRecord {
    /// True if an erasure would remove anything.
    #[must_use]
    pub fn can_be_erased(&self) -> bool {
        !self.ids.is_empty() || !self.mentions.is_empty() || self.panel_mails > 0
    }
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
    pub fiscal: Vec<FiscalReceipt>,
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
            ("fiscal", self.fiscal.iter().any(|receipt| receipt.content.buyer != Buyer::default())),
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

/// What was erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasureReport {
    /// Sessions whose personal data is erased.
    pub erased: u64,
    /// Sessions that the service erases: those with open work when it has ended, and the rest of very many.
    pub waiting: u64,
    /// Notes and reasons of refunds that were erased alone.
    pub mentions: u64,
    /// Mails to panel users that were deleted.
    pub panel_mails: u64,
}

/// The sessions of a customer, in the order of their ids, and where the address is mentioned elsewhere.
#[derive(Debug, Default)]
struct Found {
    sessions: BTreeSet<(SessionId, EnvironmentName)>,
    mentions: Vec<(EnvironmentName, Mention)>,
    /// True if the time was not enough to search all texts.
    is_cut: bool,
}

impl<'a> CustomerLookup<'a> {
    /// Everything that is known. `progress` is called with the number of texts that were searched.
    pub async fn record(
        &self,
        bounds: LookupBounds,
        progress: impl FnMut(u64),
    ) -> Result<CustomerRecord, StoreError> {
        let found = self.search(bounds.within, progress).await?;
        let ids: Vec<_> = found.sessions.into_iter().map(|(id, name)| (name, id)).collect();
        let skipped = bounds.sessions.map_or(0, |most| ids.len().saturating_sub(most));
        let mut sessions = Vec::new();
        for (name, id) in ids.iter().skip(skipped) {
            sessions.extend(session(self.store(*name), *id).await?);
        }
        let filter =
            VendorFilter { has: self.address.to_owned(), limit: u32::MAX, ..VendorFilter::default() };
        let contact = |email: &Option<String>| {
            email.as_deref().is_some_and(|email| email.eq_ignore_ascii_case(self.address))
        };
        let vendors = self.accounts.find_vendors(&filter).await?;
        Ok(CustomerRecord {
            ids,
            sessions,
            mentions: found.mentions,
            panel_mails: self.accounts.count_ended_mails(self.address).await?,
            is_panel_user: self.accounts.user_by_email(self.address).await?.is_some(),
            contact_of: vendors.iter().filter(|v| contact(&v.contact_email)).map(|v| v.summary.id).collect(),
            is_complete: !found.is_cut,
        })
    }

    async fn search(
        &self,
        within: Option<Duration>,
        mut progress: impl FnMut(u64),
    ) -> Result<Found, StoreError> {
        let end = within.map(|within| Instant::now() + within);
        let (mut found, mut read) = (Found::default(), 0);
        for store in self.stores {
            let own = store.customer_session_ids(self.address).await?;
            found.sessions.extend(own.into_iter().map(|id| (id, store.name)));
            for text in FreeText::ALL {
                let mut next = Some([0; 16]);
                while let Some(after) = next {
                    if end.is_some_and(|end| Instant::now() >= end) {
                        found.is_cut = true;
                        break;
                    }
                    let step = store.mentions(text, self.address, after).await?;
                    read += step.read;
                    progress(read);
                    next = step.next;
                    found.add(store.name, step.found);
                }
            }
        }
        // Texts of the customer's own sessions are erased with them.
        let Found { sessions, mentions, .. } = &mut found;
        mentions.retain(|(name, mention)| mention.session.is_none_or(|id| !sessions.contains(&(id, *name))));
        Ok(found)
    }

    fn store(&self, name: EnvironmentName) -> &'a EnvironmentStore {
        let [first, second] = self.stores;
        if first.name == name { first } else { second }
    }

    /// Erases what a record found: at most `at_once` sessions, and the service the rest. The audit log gets the numbers, without
    /// the address. `None` if the actor's form was sent before.
    pub async fn erase(
        &self,
        actor: &Actor,
        record: &CustomerRecord,
        at_once: Option<usize>,
        mut progress: impl FnMut(u64),
    ) -> Result<Option<ErasureReport>, StoreError> {
        let ids = |name: EnvironmentName| -> Vec<SessionId> {
            record.ids.iter().filter(|(of, _)| *of == name).map(|(_, id)| *id).collect()
        };
        let counts = self.stores.map(|store| format!("{} {}", ids(store.name).len(), store.name));
        let line = entry(self.accounts, actor, AuditEvent::PersonalDataErased).saying(counts.join(", "));
        if !self.accounts.record_once(&line).await? {
            return Ok(None);
        }
        // Everything is requested first: if this is interrupted, the service does the rest.
        for store in self.stores {
            for step in ids(store.name).chunks(500) {
                store.request_erasure(step).await?;
            }
        }
        let mut report = ErasureReport {
            panel_mails: self.accounts.delete_ended_mails(self.address).await?,
            ..ErasureReport::default()
        };
        for (name, mention) in &record.mentions {
            report.mentions += u64::from(self.store(*name).erase_mention(mention).await?);
        }
        for (name, id) in record.ids.iter().take(at_once.unwrap_or(usize::MAX)) {
            report.erased += u64::from(self.store(*name).erase(*id).await?);
            progress(report.erased);
        }
        report.waiting = (record.ids.len() as u64).saturating_sub(report.erased);
        Ok(Some(report))
    }
}

impl Found {
    /// Metadata with the address belongs to the customer's session; other texts mention the customer.
    fn add(&mut self, name: EnvironmentName, mentions: Vec<Mention>) {
        for mention in mentions {
            match (mention.text, mention.session) {
                (FreeText::Metadata, Some(session)) => {
                    self.sessions.insert((session, name));
                }
                _ => self.mentions.push((name, mention)),
            }
        }
    }
}

async fn session(store: &EnvironmentStore, id: SessionId) -> Result<Option<CustomerSession>, StoreError> {
    let Some(session) = store.page_session(id).await? else { return Ok(None) };
    let mut notes = Vec::new();
    for action in store.actions_of(id).await? {
        notes.extend(store.notes_on(action.action.id).await?);
    }
    let (mut receipts, mut mails) = (Vec::new(), Vec::new());
    if store.rules().receipts {
        receipts = store.receipts_of(id).await?;
        mails = store.dispatches_of(id).await?;
    }
    Ok(Some(CustomerSession {
        environment: store.name,
        attempts: store.attempts_of(id).await?,
        receipts,
        mails,
        notes,
        refunds: store.refunds().of_session(id).await?,
        fiscal: store.fiscal_receipts_of(id).await?,
        erasure: store.erasure_of(id).await?,
        session,
    }))
}
