//! The people beside customers: operators who decide about money, vendors' staff who ask for payouts and repeat callbacks,
//! testers, and a chain on which coins arrive that no payment waits for.

use crate::{
    crowd::{Crowd, LIVE, SANDBOX},
    dice::Dice,
    node::{Node, Parts},
};
use std::sync::Arc;
use till_domain::{
    attempt::{self, Quantity, StrayTransfer},
    audit::Actor,
    chain::{Address, Advance, Atoms, BlockHash, ChainId, Cursor, Deposit, Transfer},
    change::{Change, VisitKind},
    delivery::DeliveryState,
    id::{NoteId, SessionId, VendorId},
    misdelivery::{DeliveryChoice, Fault},
    money::{Currency, Money},
    session::{self, Session},
    transaction::{ActionNote, Resolution},
    visit,
};
use till_providers::evm::Book as _;
use till_service::{
    admin::{self, Decision, PayoutRequest, Resender, SentBy},
    cashier::StoreChainBook,
    environment::Environment,
    random,
    settings::Settings,
};
use till_store::{
    ActionFilter, Committed, DeliveryFilter, EventFilter, PayoutFilter, Span, StoreError, StoredAction, Turn,
};

/// How references of coins begin that no payment waits for.
pub const STRAY: &str = "0x";

/// Who acts, and about what.
struct Task {
    parts: Arc<Parts>,
    schedule: till_domain::delivery::Schedule,
    dice: Dice,
    environment: usize,
    vendor: VendorId,
    session: Option<SessionId>,
}

/// Lets one of them do something, at one node or at two at the same time.
pub fn act(nodes: [Option<&Node>; 2], crowd: &Crowd, settings: &Settings, dice: &mut Dice) {
    let session =
        crowd.payments.get(dice.index(crowd.payments.len().max(1))).and_then(|payment| payment.session);
    let own = dice.fork();
    let environment = if dice.one_in(3) { SANDBOX } else { LIVE };
    let vendor = crowd.merchants[dice.index(crowd.merchants.len())].id;
    let what = dice.below(12);
    for node in nodes.into_iter().flatten() {
        let (parts, schedule) = (Arc::clone(&node.parts), settings.callbacks.schedule.clone());
        start(node, what, Task { parts, schedule, dice: own.clone(), environment, vendor, session });
    }
}

fn start(node: &Node, what: u64, task: Task) {
    node.spawn(async move {
        // What fails is tried again later: an error means that nothing is known.
        let _: Result<(), Trouble> = match what {
            0..4 => task.decide().await,
            4 => task.work_on_action().await,
            5 => task.ask_for_payout().await,
            6 => task.step_payout().await,
            7 => task.repeat_callback().await,
            8 => task.hasten_callback().await,
            9 => task.choose_delivery().await,
            10 => task.visit().await,
            _ => task.receive_stray_coin().await,
        };
    });
}

/// Why something was not done.
#[derive(Debug)]
struct Trouble;

impl<E: std::error::Error> From<E> for Trouble {
    fn from(_: E) -> Self {
        Self
    }
}

/// Commits, or loses to another commit: then there is nothing left to do.
async fn commit(environment: &Environment, changes: &[Change]) -> Result<(), Trouble> {
    let _: Committed = environment.commit(changes).await?;
    Ok(())
}

impl Task {
    fn environment(&self) -> &Environment {
        &self.parts.environments[self.environment]
    }

    async fn open_action(&self) -> Result<Option<StoredAction>, StoreError> {
        let mut open = self.environment().store.actions(&ActionFilter::default(), 20).await?;
        let mut dice = self.dice.clone();
        Ok((!open.is_empty()).then(|| open.swap_remove(dice.index(open.len()))))
    }

    async fn decide(mut self) -> Result<(), Trouble> {
        let Some(stored) = self.open_action().await? else { return Ok(()) };
        let resolution = *self.dice.pick(&Resolution::ALL);
        let sent_by = if self.dice.one_in(4) { SentBy::Operator } else { SentBy::Service };
        let (environment, actor) = (self.environment(), Actor::shell());
        let decision = Decision { action: stored.action.id, resolution, by: "operator", sent_by };
        admin::resolve(environment.directory.accounts(), &environment.store, &actor, decision).await?;
        Ok(())
    }

    async fn work_on_action(mut self) -> Result<(), Trouble> {
        let Some(stored) = self.open_action().await? else { return Ok(()) };
        let (environment, id) = (self.environment(), stored.action.id);
        let now = environment.now();
        let change = match self.dice.below(3) {
            0 => Change::AssignAction { id, to: Some("operator@till.test".to_owned()), was: stored.assignee },
            1 => {
                Change::NoteAction { id, note: "the bank moved the time limit".to_owned(), due_at: Some(now) }
            }
            _ => Change::AddActionNote(Box::new(ActionNote {
                id: random::id::<NoteId>(now),
                action: id,
                at: now,
                by: "operator".to_owned(),
                text: "the customer was called".to_owned(),
            })),
        };
        commit(self.environment(), &[change]).await
    }

    async fn ask_for_payout(mut self) -> Result<(), Trouble> {
        let live = &self.parts.environments[LIVE];
        let Some(ledger) = live.store.ledger() else { return Ok(()) };
        let currency = Currency::parse("RUB").ok_or(Trouble)?;
        let available = ledger.wallet(self.vendor, currency).await?.available.minor;
        let share = 1 + i64::try_from(self.dice.below(3))?;
        // Sometimes all of it; if two ask at once, only one of them can have it.
        let amount = Money { minor: available / share, currency };
        let wanted =
            PayoutRequest { vendor: self.vendor, amount, destination: "the vendor's account".to_owned() };
        admin::ask_payout(live.directory.accounts(), &live.store, &Actor::shell(), wanted).await?;
        Ok(())
    }

    async fn step_payout(mut self) -> Result<(), Trouble> {
        let live = &self.parts.environments[LIVE];
        let Some(ledger) = live.store.ledger() else { return Ok(()) };
        let open = ledger.payouts(&PayoutFilter { vendor: None, ended: false, before: None }, 10).await?;
        let Some(stored) = open.get(self.dice.index(open.len().max(1))) else { return Ok(()) };
        let next = stored.state().next();
        if next.is_empty() {
            return Ok(());
        }
        let step = (*self.dice.pick(next), Some("as the bank says".to_owned()));
        admin::step_payout(live.directory.accounts(), &live.store, &Actor::shell(), stored.payout.id, step)
            .await?;
        Ok(())
    }

    fn resender<'a>(&'a self, actor: &'a Actor) -> Resender<'a> {
        let environment = self.environment();
        let accounts = environment.directory.accounts();
        Resender { accounts, store: &environment.store, schedule: &self.schedule, actor, by_operator: false }
    }

    async fn event(&self, state: DeliveryState) -> Result<Option<till_store::StoredEvent>, StoreError> {
        let span = Span { since: None, until: None };
        let standing = Some(DeliveryFilter::Is(state));
        let filter = EventFilter { vendor: None, standing, method: None, span };
        let found = self.environment().store.events(&filter, Turn::Newest, 20).await?;
        let mut dice = self.dice.clone();
        Ok(if found.is_empty() { None } else { Some(dice.pick(&found).clone()) })
    }

    async fn repeat_callback(self) -> Result<(), Trouble> {
        let Some(event) = self.event(DeliveryState::Delivered).await? else { return Ok(()) };
        self.resender(&Actor::shell()).one(event.id).await?;
        Ok(())
    }

    async fn hasten_callback(self) -> Result<(), Trouble> {
        let Some(event) = self.event(DeliveryState::Queued).await? else { return Ok(()) };
        self.resender(&Actor::shell()).now(&event).await?;
        Ok(())
    }

    async fn session(&self, environment: usize) -> Result<Option<Session>, StoreError> {
        let Some(id) = self.session else { return Ok(None) };
        self.parts.environments[environment].store.page_session(id).await
    }

    /// A tester chooses how a callback is delivered, and perhaps takes it back.
    async fn choose_delivery(mut self) -> Result<(), Trouble> {
        let Some(session) = self.session(SANDBOX).await? else { return Ok(()) };
        let choice = DeliveryChoice { fault: Some(Fault::Duplicate), delay: std::time::Duration::ZERO };
        let sandbox = &self.parts.environments[SANDBOX];
        commit(sandbox, &[session::choose_delivery(&session, choice)]).await?;
        if self.dice.one_in(2) {
            commit(sandbox, &[Change::ForgetDelivery { session: session.id }]).await?;
        }
        Ok(())
    }

    async fn visit(self) -> Result<(), Trouble> {
        let Some(session) = self.session(LIVE).await? else { return Ok(()) };
        let live = &self.parts.environments[LIVE];
        if let Some(change) = visit::note(&session, VisitKind::Opened, live.now()) {
            commit(live, &[change]).await?;
        }
        Ok(())
    }

    /// A coin arrives that its payment did not wait for, and the reader of the chain reports it.
    async fn receive_stray_coin(mut self) -> Result<(), Trouble> {
        let Some(session) = self.session(LIVE).await? else { return Ok(()) };
        let live = &self.parts.environments[LIVE];
        let attempts = live.store.attempts_of(session.id).await?;
        let Some(attempt) = attempts.first() else { return Ok(()) };
        let (book, chain, now) = (StoreChainBook(live.store.payments()), ChainId(31_337), live.now());
        let [.., a, b, c, d] = attempt.id.as_bytes();
        let mut bytes = [7; 20];
        bytes[..4].copy_from_slice(&[*a, *b, *c, *d]);
        let (address, block_hash) = (Address::from_bytes(bytes), BlockHash::from_bytes([9; 32]));
        let cursor = book.cursor(chain).await?;
        let (version, block) = cursor.map_or((0, 1), |cursor| (cursor.version, cursor.block + 1));
        let deposit = Deposit {
            attempt: attempt.id,
            session: session.id,
            key: "simulation".to_owned(),
            index: u32::try_from(self.dice.below(1 << 31))?,
            address,
            chain,
            coin: "USDC".to_owned(),
            contract: None,
            decimals: 6,
            charge: Atoms(1_000_000),
            rate: "90 RUB".to_owned(),
            rate_source: "simulation".to_owned(),
            opened_at: now,
            since_block: 0,
            before: None,
            swept: Atoms::ZERO,
        };
        book.open(&deposit).await?;
        let reference = format!("{STRAY}{}:0", attempt.id);
        let transfer = Transfer {
            chain,
            reference: reference.clone(),
            transaction: None,
            address,
            contract: None,
            atoms: Atoms(5),
            block,
            block_hash,
            seen_at: now,
            gone_at: None,
            reported: false,
        };
        let cursor =
            Cursor { chain, block, head: block, at: now, recent: vec![(block, block_hash)], version };
        let nothing = (Vec::new(), Vec::new(), Vec::new());
        let (swept, before, touched) = nothing;
        book.advance(&Advance { cursor, replaced_from: None, found: vec![transfer], swept, before, touched })
            .await?;
        let received = &Quantity { atoms: 5, decimals: 6, unit: "ETH".to_owned() };
        let stray =
            StrayTransfer { session: &session, attempt, chain, reference: &reference, address, received };
        commit(live, &attempt::stray(&stray, now, live.next_event_id(session.id))).await
    }
}
