//! Fiscal receipts (54-FZ) at providers that pass them on to a till: the receipt that goes with a payment or a refund, and the
//! worker that follows registrations to their end.

use super::{
    Cashier, PaymentRefusal, ProviderHandle,
    checks::ANSWER_WITHIN,
    due::{MAX_PAUSE, MIN_PAUSE},
    incidents::NoticeError,
    pacer::Priority,
    provider_handle::{Call, finish_call},
};
use crate::{
    environment::Retries,
    random,
    telemetry::{explain, report_unreadable},
    traces::{SpanKind, TraceSpan},
};
use futures_util::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use till_domain::{
    attempt::{Attempt, AttemptState},
    change::Change,
    fiscal::{
        self, Contact, FiscalKind, FiscalReceipt, Meant, NoticedReceipt,
        follow::{self, BlockedAction, RegistrationFacts, RegistrationSeen, RegistrationState},
    },
    method::Method,
    refund::Refund,
    session::Session,
};
use till_providers::{ProviderError, ReceiptNews, Receipts, web};
use till_store::{Committed, StoreError};
use tokio::sync::OwnedSemaphorePermit;

/// Receipts of one provider that are claimed at once.
const AT_ONCE: usize = 32;

impl Cashier {
    /// Returns true if a payment by this method needs the customer's e-mail address for the fiscal receipt.
    #[must_use]
    pub fn needs_email(&self, session: &Session, method: Method) -> bool {
        self.handle(session, method).is_some_and(|handle| lacks_contact(session, &handle))
    }

    /// Refuses a payment whose receipt could not be sent to the customer, or not to the address that the customer typed.
    pub(super) fn check_contact(
        session: &Session,
        handle: &ProviderHandle,
        email: Option<&str>,
    ) -> Result<(), PaymentRefusal> {
        match email {
            _ if !lacks_contact(session, handle) => Ok(()),
            None => Err(PaymentRefusal::EmailNeeded),
            Some(email) if !fiscal::fits_receipt(email) => Err(PaymentRefusal::EmailTooLong),
            Some(_) => Ok(()),
        }
    }

    /// The receipt that goes with a payment at this provider, to the address that the customer typed if it has none.
    pub(super) async fn receipt_with(
        &self,
        session: &Session,
        attempt: &Attempt,
        handle: &ProviderHandle,
    ) -> Result<Option<FiscalReceipt>, StoreError> {
        if session.fiscal.is_none() || handle.provider.receipts().is_none() {
            return Ok(None);
        }
        let mut receipt = self.environment.store.fiscal_receipt(session.id.into()).await?;
        if let Some(buyer) = receipt.as_mut().map(|receipt| &mut receipt.content.buyer) {
            buyer.email = buyer.email.take().or_else(|| attempt.email.clone());
        }
        Ok(receipt)
    }

    /// The receipt that goes with a refund, if this till takes one. Without one, the till returns the payment's own lines, as they
    /// were paid: that is right only for a refund of everything before the hand-over.
    pub(super) async fn receipt_with_refund(
        &self,
        refund: &Refund,
        till: &dyn Receipts,
    ) -> Result<Option<FiscalReceipt>, StoreError> {
        let differing = self.differing_receipt(refund).await?;
        Ok(differing.filter(|(_, whole)| !whole || till.takes_receipt_of_whole()).map(|(receipt, _)| receipt))
    }

    /// True if the till returns the payment's lines with this refund, and its receipt has others.
    pub(super) async fn returns_other_lines(&self, refund: &Refund) -> Result<bool, StoreError> {
        let handle = self.handle_of(&refund.provider);
        let till = handle.as_ref().and_then(|handle| handle.provider.receipts());
        if till.is_none_or(Receipts::takes_receipt_of_whole) {
            return Ok(false);
        }
        Ok(self.differing_receipt(refund).await?.is_some_and(|(_, whole)| whole))
    }

    /// The receipt of a refund that differs from that of the payment, and whether everything is refunded.
    async fn differing_receipt(&self, refund: &Refund) -> Result<Option<(FiscalReceipt, bool)>, StoreError> {
        let store = &self.environment.store;
        let Some(paid) = store.fiscal_receipt(refund.session.into()).await? else { return Ok(None) };
        if paid.provider.as_ref() != Some(&refund.provider) {
            return Ok(None);
        }
        let receipt = store.fiscal_receipt(refund.id.into()).await?;
        let whole = refund.amount.minor >= paid.total.minor;
        let differs = receipt.filter(|receipt| paid.differs_from(&receipt.content));
        Ok(differs.map(|receipt| (receipt, whole)))
    }

    /// Checks the registrations that are due, provider by provider, and returns the pause until the next pass.
    pub async fn fiscal_pass(self: &Arc<Self>) -> Result<Duration, StoreError> {
        let store = &self.environment.store;
        let (mut taken, mut unreadable) = (0, false);
        for provider in store.fiscal_providers().await? {
            let places = self.known(&provider).places(Priority::Check, AT_ONCE, self.uptime());
            let limit = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let (due, wrong) = store.due_fiscal_receipts(&provider, self.environment.now(), limit).await?;
            unreadable |= !wrong.is_empty();
            report_unreadable(self.environment.name.as_str(), &wrong);
            taken += self.take_receipts(&provider, due, places).await?;
        }
        if taken > 0 {
            return Ok(Duration::ZERO);
        }
        let next = store.next_fiscal_check().await?;
        if unreadable || next.is_some_and(|due| due <= self.environment.now()) {
            return Ok(MAX_PAUSE);
        }
        let pause = next.map_or(MAX_PAUSE, |due| due.since(self.environment.now()));
        Ok(pause.clamp(MIN_PAUSE, MAX_PAUSE))
    }

    /// Claims due receipts of a provider together, and spawns a call for each. Returns the number claimed.
    async fn take_receipts(
        self: &Arc<Self>,
        provider: &str,
        due: Vec<FiscalReceipt>,
        places: Vec<OwnedSemaphorePermit>,
    ) -> Result<usize, StoreError> {
        let claims = join_all(due.iter().map(|receipt| self.claim_receipt(receipt))).await;
        let (mut places, mut taken, mut failed) = (places.into_iter(), 0, None);
        for claim in claims {
            match claim {
                Ok(None) => {}
                Err(error) => failed = Some(error),
                Ok(Some(claimed)) => {
                    let (cashier, place) = (Arc::clone(self), places.next());
                    taken += 1;
                    tokio::spawn(async move {
                        let _place = place;
                        if let Err(error) = cashier.follow_receipt(&claimed).await {
                            cashier.complain_of_receipt(&explain(&error));
                        }
                    });
                }
            }
        }
        self.known(provider).pacer().give_back(places.len());
        failed.map_or(Ok(taken), Err)
    }

    /// Claims a receipt with a lease for the duration of a call; `None` if another worker was faster.
    async fn claim_receipt(&self, receipt: &FiscalReceipt) -> Result<Option<FiscalReceipt>, StoreError> {
        let lease = self.environment.lease.max(ANSWER_WITHIN * 2);
        let (claimed, change) = follow::claim(receipt, self.environment.now(), lease);
        Ok((self.environment.commit(&[change]).await? == Committed::Done).then_some(claimed))
    }

    async fn follow_receipt(&self, receipt: &FiscalReceipt) -> Result<(), StoreError> {
        let payment = match receipt.kind {
            FiscalKind::Payment => receipt.reference.clone(),
            FiscalKind::Refund | FiscalKind::Closing => {
                let paid = self.environment.store.fiscal_receipt(receipt.session.into()).await?;
                paid.and_then(|paid| paid.reference)
            }
        };
        let payment = payment.unwrap_or_default();
        let answer = match follow::without_customer(receipt) {
            Some(unsendable) => Ok(unsendable),
            None => self.ask_for_registration(receipt, &payment).await,
        };
        if let Err(error) = &answer {
            self.complain_of_receipt(&error.to_string());
        }
        // Lost: another worker has checked it meanwhile, or a notice came.
        self.record_registration(receipt, answer.ok()).await?;
        Ok(())
    }

    /// Makes one call, with no database transaction open.
    async fn ask_for_registration(
        &self,
        receipt: &FiscalReceipt,
        payment: &str,
    ) -> Result<RegistrationSeen, ProviderError> {
        let name = receipt.provider.as_deref().unwrap_or_default();
        let handle = self.handle_of(name);
        let Some((handle, till)) =
            handle.as_ref().and_then(|handle| handle.provider.receipts().map(|till| (handle, till)))
        else {
            let missing = || ProviderError::Unknown(format!("{name} is not set up here, or without a till"));
            return follow::not_set_up(receipt).ok_or_else(missing);
        };
        let began = Instant::now();
        let span = TraceSpan::start(SpanKind::Client, || format!("{name} receipt"));
        let call = tokio::time::timeout(ANSWER_WITHIN, till.register(receipt, payment));
        let (answer, requests) = web::counting(call).await;
        let answer = answer.unwrap_or_else(|_| Err(ProviderError::Unknown("no response in time".to_owned())));
        let error = answer.as_ref().err();
        if let Some(span) = span {
            finish_call(span, name, requests, error, receipt.session);
        }
        // Without a request it says nothing about the provider.
        if requests > 0 {
            let at = self.environment.now();
            handle.note(Call { starts: false, at, took: began.elapsed(), requests, error }, self.uptime());
        }
        answer
    }

    /// Acts on a notice about a receipt, about which the provider cannot be asked. An error if the receipt is not recorded as sent
    /// yet: the provider sends the notice again.
    pub(super) async fn receipt_news(&self, provider: &str, news: &ReceiptNews) -> Result<(), NoticeError> {
        let store = &self.environment.store;
        let mut retries = Retries::default();
        loop {
            let attempt = store.attempt_by_reference(provider, &news.payment).await?;
            let Some(attempt) = attempt else { return Ok(()) };
            let receipts = store.fiscal_receipts_of(attempt.session).await?;
            let ReceiptNews { payment, of_refund, total, document, .. } = news;
            let (of_refund, total, document) = (*of_refund, *total, document.as_deref());
            let noticed = NoticedReceipt { payment, of_refund, total, document };
            let receipt = match fiscal::meant(&receipts, provider, noticed) {
                Meant::This(receipt) => receipt,
                Meant::Nothing => return Ok(()),
                // The payment brought no money, so its receipt is not recorded later either.
                Meant::NotSentYet
                    if matches!(attempt.state, AttemptState::Closed | AttemptState::Declined(_)) =>
                {
                    return Ok(());
                }
                Meant::NotSentYet => {
                    let early = "the notification is about a receipt that is not recorded yet";
                    return Err(ProviderError::Unclear(early.to_owned()).into());
                }
            };
            let state = match &news.failure {
                None => RegistrationState::Registered,
                Some(reason) => RegistrationState::Failed { reason: reason.clone() },
            };
            let document = news.document.clone();
            let seen = RegistrationSeen { document, ..RegistrationSeen::of(state) };
            if self.record_registration(receipt, Some(seen)).await? {
                return Ok(());
            }
            // A worker has claimed the receipt meanwhile.
            retries.lost()?;
        }
    }

    /// Commits what a provider said of a receipt. False if another commit changed the receipt meanwhile.
    async fn record_registration(
        &self,
        receipt: &FiscalReceipt,
        seen: Option<RegistrationSeen>,
    ) -> Result<bool, StoreError> {
        let now = self.environment.now();
        // Of the receipt, not of the session: it is drawn at each check, used or not.
        let event_id = random::following_id_for(now, &[receipt.id.as_bytes()]);
        let blocked = self.environment.store.action_about(&follow::blocked_subject(receipt)).await?;
        let blocked =
            blocked.map(|stored| BlockedAction { action: stored.action.id, open: stored.decided.is_none() });
        let facts = RegistrationFacts { receipt, now, event_id, blocked };
        let changes = follow::observe(&facts, seen);
        let done = self.environment.commit(&changes).await? == Committed::Done;
        if done && changes.iter().any(|change| matches!(change, Change::NeedAction(_))) {
            tracing::warn!(session.id = %receipt.session, "a fiscal receipt is not registered: see till action list");
        }
        Ok(done)
    }

    fn complain_of_receipt(&self, error: &str) {
        if self.complaints.tell(error, Instant::now()).is_some() {
            tracing::warn!(error, "could not check the registration of a fiscal receipt; retrying");
        }
    }
}

/// True if the provider's till has no contact of the customer to which it can send the receipt.
fn lacks_contact(session: &Session, handle: &ProviderHandle) -> bool {
    let (Some(fiscal), Some(till)) = (session.fiscal, handle.provider.receipts()) else { return false };
    let least = if till.needs_email() { Contact::Email } else { Contact::Phone };
    fiscal.contact < least
}
