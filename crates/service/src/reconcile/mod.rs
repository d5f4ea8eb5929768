//! Reconciliation: compares a provider's books with ours, payment by payment.
//!
//! It only reads. Differences are recorded by [`enter`] afterwards, when everything was compared: a provider
//! that stops answering half way proves nothing. A payment at the edge of the period is looked up by its
//! reference on the other side, whenever it was booked there. Payments still under way on either side are
//! counted and left for a later comparison.

mod chains;
mod ours;
mod reading;
mod runs;

pub use chains::{add as add_chain, compare_chains};
pub use runs::{SumLine, audit, end_of, hold, lease_of, new_run, request, result_of, run};

use crate::cashier::findings;
use crate::environment::EnvironmentStore;
use ours::OurAmounts;
use std::{
    collections::{BTreeMap, HashSet},
    slice,
    time::Duration,
};
use till_domain::{
    attempt::{Attempt, Quantity},
    change::Change,
    finding::{self, Finding},
    id::{AttemptId, SessionId, VendorId},
    refund::{Refund, RefundSeen, RefundState},
    time::Timestamp,
    transaction::Transaction,
};
use till_providers::{Books, Provider, ProviderError, Record};
use till_store::{Accounts, Committed, Payments, Span, StoreError};

/// Payments more recent than this may still be under way.
pub const IN_FLIGHT: Duration = Duration::from_secs(15 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of our payments unknown to the provider at which the books count as another account's, if none is
/// known.
const STRANGERS: u64 = 3;

/// The same number, if some of our payments are known: as many as these, and more than are known.
const MANY_STRANGERS: u64 = 20;

/// Transactions read at once.
const AT_ONCE: u32 = 500;

/// The reason why books could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The provider has no books, or they cannot be read.
    #[error("{0} has no records to compare")]
    NoBooks(&'static str),
    /// The provider knows no payment of ours.
    #[error("{0} knows none of our {1} payments: these are the records of another account or mode")]
    OtherBooks(&'static str, u64),
    /// The provider knows some payments of ours, and does not know many more.
    #[error(
        "{0} does not know {1} of our {2} payments: most were made with another account or mode, so nothing was \
         added to Needs action"
    )]
    MostlyOtherBooks(&'static str, u64, u64),
    /// The provider does not answer.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    pub accounts: &'a Accounts,
    pub store: &'a Payments,
    pub provider: &'a dyn Provider,
    /// The beginning of the period.
    pub from: Timestamp,
    pub to: Timestamp,
    /// The present time.
    pub now: Timestamp,
}

#[derive(Debug)]
pub struct Reconciliation {
    /// The end of the compared period.
    pub until: Timestamp,
    /// Payments that were compared.
    pub compared: u64,
    /// Payments that are still under way in our books.
    pub under_way: u64,
    /// Payments that the provider took without Till.
    pub foreign: u64,
    /// The sums by currency.
    pub sums: BTreeMap<String, Sums>,
    pub differences: Vec<Difference>,
    /// Parts that could not be compared because they did not answer.
    pub unanswered: Vec<String>,
    /// What has changed about disputes that wait for a decision. It is no difference.
    news: Vec<Change>,
}

/// The sums of both sides in one currency, in its smallest unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// The number of decimals.
    pub decimals: u8,
    /// Taken and refunded, by the provider's books.
    pub theirs: (u128, u128),
    /// Taken and refunded, by our books.
    pub ours: (u128, u128),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The provider took money for an attempt of ours that is not in our books.
    NotHere,
    /// Our books have money that is not in the provider's.
    NotThere,
    /// The amounts taken differ.
    Amount,
    /// The refunded amounts differ.
    Returned,
    /// A refund of ours came back to the provider.
    RefundLost,
    /// A dispute (chargeback) that is not in our books.
    Disputed,
}

impl DifferenceKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotHere => "not_here",
            Self::NotThere => "not_there",
            Self::Amount => "amount",
            Self::Returned => "returned",
            Self::RefundLost => "refund_lost",
            Self::Disputed => "disputed",
        }
    }
}

/// The state of a difference in our actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceState {
    New,
    /// Its action waits for a decision.
    Open,
    /// Its action was decided.
    Settled,
}

#[derive(Debug, Clone)]
pub struct Difference {
    pub what: DifferenceKind,
    /// The provider's reference of the payment.
    pub payment: String,
    /// The session, if it is known here.
    pub session: Option<SessionId>,
    /// The description, for people.
    pub note: String,
    pub known: DifferenceState,
    changes: Vec<Change>,
}

impl Reconciliation {
    /// An empty report of the period before this moment.
    #[must_use]
    pub fn new(until: Timestamp) -> Self {
        Self {
            until,
            compared: 0,
            under_way: 0,
            foreign: 0,
            sums: BTreeMap::new(),
            differences: Vec::new(),
            unanswered: Vec::new(),
            news: Vec::new(),
        }
    }

    /// The number of differences that were not decided.
    #[must_use]
    pub fn unsettled(&self) -> usize {
        self.differences.iter().filter(|difference| difference.known != DifferenceState::Settled).count()
    }
}

/// Records the new differences as actions for an operator, and returns how many were recorded. Open disputes are
/// brought up to date.
pub async fn enter(store: &EnvironmentStore, report: &Reconciliation) -> Result<usize, StoreError> {
    for news in &report.news {
        // Lost: an operator has decided meanwhile, and the note that they read stays.
        let _: Committed = store.commit(slice::from_ref(news)).await?;
    }
    let mut entered = 0;
    for difference in report.differences.iter().filter(|difference| difference.known == DifferenceState::New)
    {
        if store.commit(&difference.changes).await? == Committed::Done {
            entered += 1;
        }
    }
    Ok(entered)
}

/// Compares day by day. `tell` is called with the number of compared days, of all days, and of payments.
pub async fn compare(
    task: Task<'_>,
    tell: &mut (dyn FnMut(u64, u64, u64) + Send),
) -> Result<Reconciliation, ReconcileError> {
    let books = task.provider.books().ok_or(ReconcileError::NoBooks(task.provider.name()))?;
    let until = task.to.min(task.now.minus(IN_FLIGHT));
    let report = Reconciliation::new(until);
    let mut comparison =
        Comparison { task, books, report, judged: HashSet::new(), window: DAY, met: 0, missed: 0 };
    let days = until.since(task.from).as_millis().div_ceil(DAY.as_millis());
    let days = u64::try_from(days).unwrap_or(u64::MAX);
    let (mut from, mut done) = (task.from, 0);
    while from < until {
        tell(done, days, comparison.report.compared);
        let to = from.plus(DAY).min(until);
        comparison.day(from, to).await?;
        (from, done) = (to, done + 1);
    }
    comparison.refuse_other_books()?;
    Ok(comparison.report)
}

struct Comparison<'a> {
    task: Task<'a>,
    books: &'a dyn Books,
    report: Reconciliation,
    /// References of the payments that were compared.
    judged: HashSet<String>,
    /// The longest period whose records are asked for at once.
    window: Duration,
    /// Number of payments that both sides know.
    met: u64,
    /// Number of our payments that the provider does not know.
    missed: u64,
}

impl Comparison<'_> {
    fn name(&self) -> &'static str {
        self.task.provider.name()
    }

    /// One payment may be missing there. If all or most are, the keys belong to another account than the payments.
    fn refuse_other_books(&self) -> Result<(), ReconcileError> {
        let (name, met, missed) = (self.name(), self.met, self.missed);
        if met == 0 && missed >= STRANGERS {
            return Err(ReconcileError::OtherBooks(name, missed));
        }
        if missed >= MANY_STRANGERS && missed > met {
            return Err(ReconcileError::MostlyOtherBooks(name, missed, missed.saturating_add(met)));
        }
        Ok(())
    }

    async fn day(&mut self, from: Timestamp, to: Timestamp) -> Result<(), ReconcileError> {
        for record in reading::records(self.books, &mut self.window, (from, to)).await? {
            self.judge(&record).await?;
        }
        let (store, name) = (self.task.store, self.name());
        let span = Span { since: Some(from), until: Some(to) };
        let mut after = None;
        loop {
            let page = store.transactions_at(name, span, after, AT_ONCE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id);
            for money in page.iter().filter(|money| counts(money)) {
                self.look_there(money).await?;
            }
        }
    }

    /// Compares a payment of ours with the provider's record of it, whenever that was booked.
    async fn look_there(&mut self, money: &Transaction) -> Result<(), ReconcileError> {
        if self.judged.contains(&money.reference) {
            return Ok(());
        }
        if let Some(record) = self.books.record(&money.reference).await? {
            return self.judge(&record).await;
        }
        self.judged.insert(money.reference.clone());
        self.missed += 1;
        let ours = OurAmounts::read(self.task.store, self.name(), money.session, &money.reference).await?;
        self.add(&money.received.with(0), (0, 0), (ours.taken, ours.returned()));
        let note = format!("Till recorded {}, the provider nothing", money.received);
        let found = FoundDifference { payment: &money.reference, detail: "not_there".to_owned(), note };
        self.differs(DifferenceKind::NotThere, found, Some((money.session, money.vendor))).await
    }

    /// Compares a payment of the provider with our books.
    async fn judge(&mut self, record: &Record) -> Result<(), ReconcileError> {
        if !self.judged.insert(record.payment.clone()) {
            return Ok(());
        }
        let Some(attempt) = self.attempt_of(record).await? else {
            return match record.attempt {
                Some(mark) => self.not_here(record, mark).await,
                None => {
                    self.report.foreign += 1;
                    Ok(())
                }
            };
        };
        self.met += 1;
        let mut ours =
            OurAmounts::read(self.task.store, self.name(), attempt.session, &record.payment).await?;
        let behind = ours.taken < record.taken.atoms && attempt.check_at.is_some();
        if behind || ours.is_moving(self.task.now.minus(IN_FLIGHT)) {
            self.report.under_way += 1;
            return Ok(());
        }
        let whose = Some((attempt.session, attempt.vendor));
        let Some(returned) = record.returned.as_ref() else {
            return self.judge_untold(record, &ours, whose).await;
        };
        self.add(&record.taken, (record.taken.atoms, returned.atoms), (ours.taken, ours.returned()));
        if ours.taken != record.taken.atoms || !record.taken.same_unit(&attempt.charge) {
            self.taken_otherwise(record, &ours, &attempt).await?;
        }
        if ours.returned() > returned.atoms {
            self.find_lost(record, &mut ours).await?;
        }
        if ours.returned() != returned.atoms {
            let back = record.taken.with(ours.returned());
            let note = format!("the provider refunded {returned}, Till recorded {back}");
            let detail = findings::returned_detail(returned, back.atoms);
            self.differs(
                DifferenceKind::Returned,
                FoundDifference { payment: &record.payment, detail, note },
                whose,
            )
            .await?;
        }
        if record.disputed { self.find_disputes(record).await } else { Ok(()) }
    }

    /// Compares a payment of which the provider refunded something without saying how much.
    async fn judge_untold(
        &mut self,
        record: &Record,
        ours: &OurAmounts,
        whose: Option<(SessionId, VendorId)>,
    ) -> Result<(), ReconcileError> {
        let back = ours.returned();
        self.add(&record.taken, (ours.taken, back), (ours.taken, back));
        if back > 0 {
            return Ok(());
        }
        let note = "the provider refunded something, Till recorded no refund".to_owned();
        let found = FoundDifference { payment: &record.payment, detail: "returned:?/0".to_owned(), note };
        self.differs(DifferenceKind::Returned, found, whose).await
    }

    async fn attempt_of(&self, record: &Record) -> Result<Option<Attempt>, StoreError> {
        let (store, name) = (self.task.store, self.name());
        if let Some(attempt) = store.attempt_by_reference(name, &record.payment).await? {
            return Ok(Some(attempt));
        }
        let Some(mark) = record.attempt else { return Ok(None) };
        Ok(store.attempt(mark).await?.filter(|attempt| attempt.provider == name))
    }

    async fn not_here(&mut self, record: &Record, mark: AttemptId) -> Result<(), ReconcileError> {
        let returned = record.returned.as_ref().map_or(0, |returned| returned.atoms);
        self.add(&record.taken, (record.taken.atoms, returned), (0, 0));
        let note = format!(
            "the provider took {} for payment attempt {mark}, which Till does not have",
            record.taken
        );
        let found = FoundDifference { payment: &record.payment, detail: "not_here".to_owned(), note };
        self.differs(DifferenceKind::NotHere, found, None).await
    }

    async fn taken_otherwise(
        &mut self,
        record: &Record,
        ours: &OurAmounts,
        attempt: &Attempt,
    ) -> Result<(), ReconcileError> {
        let whose = Some((attempt.session, attempt.vendor));
        let payment = record.payment.as_str();
        if ours.taken == 0 {
            let note = format!("the provider took {}, Till recorded nothing", record.taken);
            let found = FoundDifference { payment, detail: "not_here".to_owned(), note };
            return self.differs(DifferenceKind::NotHere, found, whose).await;
        }
        let have = attempt.charge.with(ours.taken);
        let note = format!("the provider took {}, Till recorded {have}", record.taken);
        let detail = format!("amount:{}{}/{}", record.taken.atoms, record.taken.unit, have.atoms);
        self.differs(DifferenceKind::Amount, FoundDifference { payment, detail, note }, whose).await
    }

    /// Asks about each refund when the provider refunded less than our books say.
    async fn find_lost(&mut self, record: &Record, ours: &mut OurAmounts) -> Result<(), ReconcileError> {
        let Some(provider) = self.task.provider.refunds() else { return Ok(()) };
        let succeeded = |refund: &&Refund| refund.state == RefundState::Succeeded;
        for refund in ours.refunds.clone().iter().filter(succeeded) {
            let RefundSeen::Failed { reason } = provider.check(refund).await? else { continue };
            let Some(changes) = findings::refund_lost(self.books(), refund, &reason).await? else {
                continue;
            };
            let Some(finding) = finding_of(&changes) else { continue };
            if self.known(&finding.subject).await? == DifferenceState::New {
                ours.lost += Quantity::from(refund.amount).atoms;
                self.push(DifferenceKind::RefundLost, &record.payment, (changes, DifferenceState::New));
            }
        }
        Ok(())
    }

    async fn find_disputes(&mut self, record: &Record) -> Result<(), ReconcileError> {
        let Some(disputes) = self.task.provider.disputes() else { return Ok(()) };
        let money = findings::payment(self.task.store, self.name(), &record.payment).await?;
        let Some(money) = money else { return Ok(()) };
        for dispute in disputes.disputes_of(&record.payment).await? {
            self.report.news.extend(findings::dispute_news(&dispute, &money, self.task.store).await?);
            let Some(changes) = findings::disputed(&dispute, &money, self.books()).await? else {
                continue;
            };
            let Some(finding) = finding_of(&changes) else { continue };
            if self.known(&finding.subject).await? == DifferenceState::New {
                self.push(DifferenceKind::Disputed, &record.payment, (changes, DifferenceState::New));
            }
        }
        Ok(())
    }

    /// The accounts, and the payments that are compared.
    fn books(&self) -> (&Accounts, &Payments) {
        (self.task.accounts, self.task.store)
    }

    async fn known(&self, subject: &str) -> Result<DifferenceState, StoreError> {
        Ok(match self.task.store.action_about(subject).await? {
            None => DifferenceState::New,
            Some(stored) if stored.decided.is_some() => DifferenceState::Settled,
            Some(_) => DifferenceState::Open,
        })
    }

    async fn differs(
        &mut self,
        what: DifferenceKind,
        found: FoundDifference<'_>,
        whose: Option<(SessionId, VendorId)>,
    ) -> Result<(), ReconcileError> {
        let finding = findings::difference(self.name(), found.payment, &found.detail, &found.note);
        let known = self.known(&finding.subject).await?;
        let (now, event) = findings::moment(self.task.store);
        let changes = finding::differs(finding, whose, now, event);
        self.push(what, found.payment, (changes, known));
        Ok(())
    }

    fn push(
        &mut self,
        what: DifferenceKind,
        payment: &str,
        (changes, known): (Vec<Change>, DifferenceState),
    ) {
        let Some(Change::NeedAction(action)) = changes.first() else { return };
        let note = action.finding.as_ref().map(|finding| finding.note.clone()).unwrap_or_default();
        let (session, payment) = (action.session, payment.to_owned());
        self.report.differences.push(Difference { what, payment, session, note, known, changes });
    }

    /// Adds a payment to the sums of both sides.
    fn add(&mut self, like: &Quantity, theirs: (u128, u128), ours: (u128, u128)) {
        self.report.compared += 1;
        let sums = self.report.sums.entry(like.unit.clone()).or_default();
        sums.decimals = like.decimals;
        let add = |sum: &mut (u128, u128), more: (u128, u128)| {
            *sum = (sum.0.saturating_add(more.0), sum.1.saturating_add(more.1));
        };
        add(&mut sums.theirs, theirs);
        add(&mut sums.ours, ours);
    }
}

/// A difference of one payment: the detail that tells it from others of the same payment, and a description.
struct FoundDifference<'a> {
    payment: &'a str,
    detail: String,
    note: String,
}

fn finding_of(changes: &[Change]) -> Option<&Finding> {
    match changes.first() {
        Some(Change::NeedAction(action)) => action.finding.as_ref(),
        _ => None,
    }
}

/// True if a transaction is money that a provider took: not claimed by a person, and not reversed.
fn counts(money: &Transaction) -> bool {
    money.attempt.is_some() && money.amount.minor > 0 && !money.marks.reversed
}
