//! The built-in simulated acquirer: a whole provider that moves no money. In live it offers every method, and
//! the outcome is decided on a page that plays the bank; in the sandbox the tester chooses the outcome first.
//!
//! Its records are outside of the payment data, as a bank's are, and kept by the application that runs it
//! ([`Book`]). What the bank says at a moment follows from the entry and the time alone ([`world`]).

mod book;
mod disputes;
mod rates;
mod receipts;
mod refunds;
mod world;

pub use book::{BankDecision, BankError, BankPayment, Behaviour, Book, RefundEntry};
pub(crate) use world::SLOWLY;

use crate::{
    CustomerChoice, Disputes, Label, Notice, NoticeSubject, Order, Provider, ProviderError, Receipts, Refunds,
};
use futures_util::future::BoxFuture;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::json;
use sha2::Sha256;
use std::{sync::Arc, time::Duration};
use till_domain::{
    attempt::{Attempt, Instructions, Observation, Origins, Started, Values},
    finding::Dispute,
    id::AttemptId,
    method::Method,
    money::Currency,
    rules::{Currencies, Offering},
    session::Status,
    time::Timestamp,
};

/// A provider that simulates all banks.
#[derive(Debug)]
pub struct Simulator {
    bank: Arc<Bank>,
    /// True if the tester chooses the outcome on the checkout page.
    chooses: bool,
    /// True if its card form is embedded in the checkout page.
    embeds: bool,
}

/// The simulated bank: its records, and the page that plays it.
#[derive(Debug)]
pub struct Bank {
    book: Arc<dyn Book>,
    /// URL of a payment's page, without the payment's id.
    page: String,
    key: [u8; 32],
    /// True if its page ends with the payment: in the sandbox there are no refunds, disputes or late money.
    ends_with_payment: bool,
}

impl Bank {
    /// A bank with these records, whose page is at this address and whose notices (webhooks) are signed with
    /// this key.
    #[must_use]
    pub fn new(book: Arc<dyn Book>, page: String, key: [u8; 32]) -> Self {
        Self { book, page, key, ends_with_payment: false }
    }

    /// The same, for the sandbox: nothing happens after a payment.
    #[must_use]
    pub fn for_sandbox(self) -> Self {
        Self { ends_with_payment: true, ..self }
    }

    /// The URL of the page that plays the bank for a payment.
    #[must_use]
    pub fn page_of(&self, id: AttemptId) -> String {
        format!("{}/{id}", self.page)
    }

    /// A payment, for the page that plays the bank.
    pub async fn entry(&self, id: AttemptId) -> Result<Option<BankPayment>, BankError> {
        self.book.entry(id).await
    }

    /// The decisions that can be made about a payment now.
    #[must_use]
    pub fn decisions(&self, entry: &BankPayment) -> Vec<BankDecision> {
        let mut decisions = world::decisions(entry, self.book.now());
        decisions.retain(|decision| !(self.ends_with_payment && decision.is_after_payment()));
        decisions
    }

    /// The time left in a 3-D Secure challenge, and its full length; `None` if there is no challenge.
    #[must_use]
    pub fn challenge_left(&self, entry: &BankPayment) -> Option<(Duration, Duration)> {
        let (decision, since) = entry.decision?;
        let left = || world::CHALLENGE.saturating_sub(self.book.now().since(since));
        (decision == BankDecision::ThreeDs).then(|| (left(), world::CHALLENGE))
    }

    /// Makes a decision about a payment and returns the notice (webhook) of it; `None` if there is no such
    /// payment, or it cannot be decided that way any more.
    pub async fn decide(
        &self,
        id: AttemptId,
        decision: BankDecision,
    ) -> Result<Option<SignedNotice>, BankError> {
        loop {
            let now = self.book.now();
            let Some(entry) = self.book.entry(id).await? else { return Ok(None) };
            if !self.decisions(&entry).contains(&decision) {
                return Ok(None);
            }
            let decided = BankPayment { decision: Some((decision, now)), ..entry };
            if self.book.change(&decided).await? {
                return Ok(Some(self.sign(&decided)));
            }
        }
    }

    fn sign(&self, entry: &BankPayment) -> SignedNotice {
        let payment = reference(entry.id);
        let body = match world::dispute(entry) {
            Some(Dispute { id, .. }) => json!({ "payment": payment, "dispute": id }),
            None => json!({ "payment": payment }),
        };
        let body = body.to_string().into_bytes();
        SignedNotice { signature: hex::encode(self.mac(&body).finalize().into_bytes()), body }
    }

    fn mac(&self, body: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.key);
        let mut mac = mac.unwrap_or_else(|_| unreachable!("a key may have any length"));
        mac.update(body);
        mac
    }
}

/// A notice (webhook) as the bank sends it.
#[derive(Debug, Clone)]
pub struct SignedNotice {
    pub body: Vec<u8>,
    /// HMAC-SHA256 of the body, in hex.
    pub signature: String,
}

impl Simulator {
    /// Its name in settings, logs and addresses.
    pub const NAME: &str = "simulator";

    /// For live: the outcome is decided at the bank.
    #[must_use]
    pub fn live(bank: Arc<Bank>) -> Self {
        Self { bank, chooses: false, embeds: false }
    }

    /// For live, with the card form embedded in the checkout page instead of at the bank.
    #[must_use]
    pub fn embedded(bank: Arc<Bank>) -> Self {
        Self { embeds: true, ..Self::live(bank) }
    }

    /// For the sandbox: the tester chooses the outcome first.
    #[must_use]
    pub fn sandbox(bank: Arc<Bank>) -> Self {
        Self { bank, chooses: true, embeds: false }
    }

    /// The methods and currencies that it offers in live.
    #[must_use]
    pub fn offerings() -> Vec<Offering> {
        let roubles = Currency::parse("RUB").into_iter().collect();
        vec![
            Offering { method: Method::Card, currencies: Currencies::Any },
            Offering { method: Method::Sbp, currencies: Currencies::Only(roubles) },
            Offering { method: Method::Crypto, currencies: Currencies::Only(rates::currencies()) },
        ]
    }

    fn show(&self, order: &Order<'_>, entry: &BankPayment) -> Instructions {
        let page = self.bank.page_of(order.attempt.id);
        match order.attempt.method {
            // An outcome chosen on the checkout page needs no bank page, except for a 3-D Secure challenge.
            Method::Card
                if self.chooses && entry.decision.is_some_and(|(d, _)| d != BankDecision::ThreeDs) =>
            {
                Instructions::Nothing
            }
            Method::Card if self.embeds => {
                let values = Values::Open(vec![("page".to_owned(), page)]);
                Instructions::Embedded { origins: Origins::default(), values }
            }
            Method::Card => Instructions::Redirect { url: page },
            Method::Sbp => Instructions::Qr { payload: page.clone(), app_url: page },
            Method::Crypto => {
                // The code leads to the bank's page: nothing here can be paid by a real wallet.
                Instructions::Address {
                    network: "Simulated network".to_owned(),
                    address: world::address(order.attempt.id),
                    uri: page.clone(),
                    wallet_url: page,
                    rate: rates::rate(order.amount.currency),
                }
            }
        }
    }

    async fn entry(&self, attempt: &Attempt) -> Result<Option<BankPayment>, ProviderError> {
        Ok(self.bank.book.entry(attempt.id).await?)
    }

    fn now(&self) -> Timestamp {
        self.bank.book.now()
    }
}

/// The bank's reference of a payment.
fn reference(id: AttemptId) -> String {
    format!("{REFERENCE}{id}")
}

const REFERENCE: &str = "sim_";

/// The payment with a reference of the bank.
fn payment_of(reference: &str) -> Result<AttemptId, ProviderError> {
    let id = reference.strip_prefix(REFERENCE).and_then(AttemptId::parse);
    id.ok_or_else(|| ProviderError::Definite(format!("there is no payment {reference:?}")))
}

impl Provider for Simulator {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn methods(&self) -> Vec<Offering> {
        let all = Self::offerings();
        if self.chooses { all.into_iter().take(1).collect() } else { all }
    }

    fn choices(&self, method: Method, _currency: Currency) -> Vec<CustomerChoice> {
        let choice = |(value, ends): (&str, Status)| CustomerChoice {
            value: value.to_owned(),
            label: Label::Outcome { ends },
        };
        let all = [
            ("paid", Status::Paid),
            ("declined", Status::Failed),
            ("insufficient_funds", Status::Failed),
            ("three_ds", Status::Pending),
            ("expire", Status::Expired),
        ];
        if self.chooses && method == Method::Card { all.map(choice).to_vec() } else { Vec::new() }
    }

    fn element(&self) -> Option<&'static str> {
        self.embeds.then_some(include_str!("element.js"))
    }

    fn is_simulated(&self) -> bool {
        true
    }

    /// In the sandbox there is no till: the registration is played.
    fn receipts(&self) -> Option<&dyn Receipts> {
        (!self.chooses).then_some(self as &dyn Receipts)
    }

    fn refunds(&self) -> Option<&dyn Refunds> {
        Some(self)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        (!self.chooses).then_some(self)
    }

    fn start<'a>(&'a self, order: &'a Order<'a>) -> BoxFuture<'a, Result<Started, ProviderError>> {
        Box::pin(async move {
            let attempt = order.attempt;
            let decision = match attempt.choice.as_deref() {
                Some(word) => Some(
                    BankDecision::chosen(word)
                        .ok_or_else(|| ProviderError::Definite(format!("there is no outcome {word:?}")))?,
                ),
                None => None,
            };
            let entry = BankPayment {
                id: attempt.id,
                session: attempt.session,
                method: attempt.method,
                amount: order.amount,
                opened_at: self.now(),
                decision: decision.map(|decision| (decision, self.now())),
                closed_at: None,
                revision: 1,
            };
            let entry = self.bank.book.open(entry).await?;
            let charge = world::charge(&entry);
            let instructions = self.show(order, &entry);
            Ok(Started { reference: reference(attempt.id), instructions, charge })
        })
    }

    fn check<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async move {
            let entry = self.entry(attempt).await?;
            Ok(entry.map_or(Observation::NeverStarted, |entry| world::at(&entry, self.now())))
        })
    }

    fn close<'a>(&'a self, attempt: &'a Attempt) -> BoxFuture<'a, Result<Observation, ProviderError>> {
        Box::pin(async move {
            loop {
                let Some(entry) = self.entry(attempt).await? else { return Ok(Observation::NeverStarted) };
                match world::closing(&entry, self.now()) {
                    Ok(observation) => return Ok(observation),
                    Err(closed) if self.bank.book.change(&closed).await? => return Ok(Observation::Closed),
                    Err(_) => {}
                }
            }
        })
    }

    fn read_notice(&self, notice: &Notice<'_>) -> Option<NoticeSubject> {
        let signature = hex::decode(notice.signature?).ok()?;
        self.bank.mac(notice.body).verify_slice(&signature).ok()?;
        let body: serde_json::Value = serde_json::from_slice(notice.body).ok()?;
        let text = |name: &str| body.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let payment = text("payment")?;
        Some(match text("dispute") {
            Some(dispute) => NoticeSubject::Dispute { dispute, payment: Some(payment) },
            None => {
                let attempt = payment_of(&payment).ok();
                NoticeSubject::Payment { reference: payment, attempt }
            }
        })
    }
}
