//! Reads chains for the provider that takes coins: passes over new blocks, then a check of every payment that
//! they concern, then an action for a person about coins that no attempt waited for.
//!
//! One node at a time reads a chain, by a lease; losing it in between does no harm, since a pass is guarded
//! by what was read before. Payments to check are stored, so after a crash the next node continues with them.

use super::HOLD_LOOK;
use futures_util::{StreamExt, stream};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use till_domain::{
    attempt::{self, AttemptState, Quantity, StrayTransfer},
    chain::{Atoms, ChainId, Deposit, Transfer},
    finding::{self, Finding},
    id::AttemptId,
};
use till_providers::evm::{Evm, Pass, Watcher};
use till_service::{
    cashier::Cashier,
    environment::Environment,
    registry::ChainRecords,
    telemetry::{Complaints, explain},
};
use till_store::{Committed, StoreError};
use tokio::{sync::watch, task::JoinSet};

/// The pause after a failed pass.
const AFTER_ERROR: Duration = Duration::from_secs(2);

/// Payments checked concurrently.
const AT_ONCE: usize = 16;

/// The reader of the chains on a node.
#[derive(Debug)]
pub struct Reader {
    cashier: Arc<Cashier>,
    records: Arc<ChainRecords>,
    complaints: Complaints,
}

/// The reason why a chain could not be read, or a payment not checked.
type Trouble = String;

impl Reader {
    /// A reader of chains for this cashier's payments, which keeps these records.
    #[must_use]
    pub fn new(cashier: Arc<Cashier>, records: Arc<ChainRecords>) -> Arc<Self> {
        Arc::new(Self { cashier, records, complaints: Complaints::new() })
    }

    /// Reads chains until stopped, each at its own pace, and restarts when the set-up changes.
    pub async fn run(
        self: Arc<Self>,
        mut watchers: watch::Receiver<Vec<Arc<Watcher>>>,
        mut stop: watch::Receiver<bool>,
    ) {
        loop {
            let all = watchers.borrow_and_update().clone();
            self.records.keep(&all);
            let mut chains = JoinSet::new();
            for watcher in all {
                chains.spawn(Arc::clone(&self).read(watcher));
            }
            let others = tokio::select! {
                changed = watchers.changed() => changed.is_ok(),
                _ = stop.wait_for(|stop| *stop) => return,
            };
            if !others {
                // The set-up cannot change any more.
                let _ = stop.wait_for(|stop| *stop).await;
                return;
            }
        }
    }

    /// Reads one chain for ever. Each pass is a separate task, so that a panic ends only that pass.
    async fn read(self: Arc<Self>, watcher: Arc<Watcher>) {
        loop {
            let (reader, chain) = (Arc::clone(&self), Arc::clone(&watcher));
            let wait = match tokio::spawn(async move { reader.pass(&chain).await }).await {
                Ok(wait) => wait,
                Err(panic) => {
                    self.complain(&watcher, &format!("a pass panicked: {panic}"));
                    AFTER_ERROR
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Reads the new blocks of a chain, unless another node does; returns the pause until the next pass.
    pub async fn pass(&self, watcher: &Watcher) -> Duration {
        let environment = self.cashier.environment();
        if environment.store.hold.is_held() {
            return HOLD_LOOK;
        }
        // Done even if another node reads the chain: each process decides itself which coins it offers.
        watcher.confirm_coins().await;
        let lease = match environment.claim(lease_name(watcher.chain.id)).await {
            Ok(lease) => lease,
            Err(error) => {
                self.complain(watcher, &explain(&error));
                return AFTER_ERROR;
            }
        };
        if lease.is_none() {
            let known = watcher.book.cursor(watcher.chain.id).await.ok().flatten();
            self.records.change(watcher, |record| {
                (record.elsewhere, record.error, record.unknown_before) = (true, None, 0);
                known.iter().for_each(|cursor| record.note(cursor));
            });
            return environment.lease / 3;
        }
        self.records.change(watcher, |record| record.elsewhere = false);
        let passed = watcher.pass().await.map_err(|error| error.to_string());
        if let Ok(pass) = &passed {
            self.note_replaced(watcher, pass);
        }
        self.records.change(watcher, |record| record.unknown_before = watcher.unknown_before());
        // Done even if no node of the chain answers: payments found before a crash are checked all the same.
        let looked = self.look(watcher).await;
        let strays = self.report_strays(watcher).await;
        let reported = self.report_unproved(watcher).await;
        let displaced = self.report_displaced(watcher).await;
        let rest = looked.and(strays).and(reported).and(displaced);
        match passed {
            Ok(pass) => {
                self.records.change(watcher, |record| {
                    record.note(&pass.cursor);
                    record.error = None;
                });
                if let Err(trouble) = rest {
                    // The chain was read, so its coins stay on offer.
                    self.log(watcher, &trouble, "could not process everything that was read");
                    return AFTER_ERROR.max(Duration::from_millis(watcher.chain.poll_ms));
                }
                if pass.behind { Duration::ZERO } else { Duration::from_millis(watcher.chain.poll_ms) }
            }
            Err(trouble) => {
                self.complain(watcher, &trouble);
                AFTER_ERROR.max(Duration::from_millis(watcher.chain.poll_ms))
            }
        }
    }

    /// Counts and logs the blocks that a reorg has replaced.
    fn note_replaced(&self, watcher: &Watcher, pass: &Pass) {
        if pass.replaced == 0 {
            return;
        }
        let (chain, replaced, name) = (watcher.chain.id.0, pass.replaced, &watcher.chain.name);
        self.records.change(watcher, |record| {
            record.replaced = record.replaced.saturating_add(replaced);
            record.deep_forks += u64::from(pass.too_deep);
        });
        if pass.too_deep {
            tracing::error!(
                chain,
                replaced,
                "{name} has replaced more blocks than Till keeps track of; checking payments in older blocks"
            );
        } else {
            tracing::warn!(chain, replaced, "{name} has replaced blocks; they were read again");
        }
    }

    /// Records an action for addresses whose balance before they were given out is unknown to every node: the
    /// balance may be a payment.
    async fn report_unproved(&self, watcher: &Watcher) -> Result<(), Trouble> {
        for one in watcher.unreported() {
            let deposit = &one.deposit;
            let balance =
                Quantity { atoms: one.balance.0, decimals: deposit.decimals, unit: deposit.coin.clone() };
            let note = format!(
                "{} on {} was assigned at block {}, and no node has the state of that block, so its earlier \
                 balance is unknown. At block {} it held {balance}, which may be the payment of this \
                 session. Check it with a block explorer, or add an archive node",
                deposit.address, watcher.chain.name, one.wanted, one.oldest
            );
            self.report(deposit, "before", &note).await?;
            watcher.reported(deposit.address);
        }
        Ok(())
    }

    /// Records an action for payments whose blocks a deep reorg has replaced although they are still counted.
    async fn report_displaced(&self, watcher: &Watcher) -> Result<(), Trouble> {
        if !watcher.has_deep_fork() {
            return Ok(());
        }
        let silent = |error: till_providers::evm::BookError| error.to_string();
        for transfer in watcher.displaced().await.map_err(|error| error.to_string())? {
            let found = watcher.book.deposit_at(transfer.address).await.map_err(silent)?;
            let Some(deposit) = found else { continue };
            let note = format!(
                "{} has replaced block {} and many before it: {} to {} ({}) may be gone, and is still \
                 counted. Check it with a block explorer",
                watcher.chain.name,
                transfer.block,
                quantity(watcher, &transfer),
                transfer.address,
                transfer.reference
            );
            self.report(&deposit, &format!("displaced:{}", transfer.reference), &note).await?;
        }
        watcher.deep_fork_reported();
        Ok(())
    }

    /// Records an action about the address of a payment, once.
    async fn report(&self, deposit: &Deposit, what: &str, note: &str) -> Result<(), Trouble> {
        let environment = self.cashier.environment();
        let subject = format!("{}:{}:{what}", deposit.chain, deposit.address);
        let finding = Finding::new(&finding::subject(Evm::NAME, &subject), note, None);
        let session = environment.store.page_session(deposit.session).await;
        let session = session.map_err(|error| explain(&error))?;
        let whose = session.map(|session| (session.id, session.vendor));
        let event = environment.next_event_id(deposit.session);
        let changes = finding::differs(finding, whose, environment.now(), event);
        let committed = environment.commit(&changes).await.map_err(|error| explain(&error))?;
        if committed == Committed::Done {
            tracing::error!(chain = deposit.chain.0, session.id = %deposit.session, "{note}: see till action list");
        }
        Ok(())
    }

    fn complain(&self, watcher: &Watcher, trouble: &str) {
        let now = self.cashier.environment().now();
        self.records.change(watcher, |record| record.error = Some((now, trouble.to_owned())));
        self.log(watcher, trouble, "could not read it");
    }

    /// Logs trouble with a chain, each kind once a minute.
    fn log(&self, watcher: &Watcher, trouble: &str, what: &str) {
        let chain = watcher.chain.id.0;
        if let Some(suppressed) = self.complaints.tell(&format!("{chain}: {trouble}"), Instant::now()) {
            let name = &watcher.chain.name;
            tracing::warn!(chain, error = trouble, untold = suppressed, "{name}: {what}; retrying");
        }
    }

    /// Checks every payment with news. One that fails is checked again in a later pass, and does not stop the
    /// others.
    async fn look(&self, watcher: &Watcher) -> Result<(), Trouble> {
        let touched = watcher.book.touched(watcher.chain.id).await.map_err(|error| error.to_string())?;
        let checks = stream::iter(touched).map(|(id, seen)| self.look_at(watcher, id, seen));
        let ended: Vec<_> = checks.buffer_unordered(AT_ONCE).collect().await;
        ended.into_iter().collect()
    }

    async fn look_at(&self, watcher: &Watcher, id: AttemptId, seen: i64) -> Result<(), Trouble> {
        self.cashier.look_at(id).await.map_err(|error| explain(&error))?;
        watcher.book.looked(id, seen).await.map_err(|error| error.to_string())
    }

    /// Records actions for coins that no attempt waited for, once they have the confirmations that a payment
    /// needs.
    async fn report_strays(&self, watcher: &Watcher) -> Result<(), Trouble> {
        let chain = &watcher.chain;
        let silent = |error: till_providers::evm::BookError| error.to_string();
        let Some(cursor) = watcher.book.cursor(chain.id).await.map_err(silent)? else { return Ok(()) };
        let sure = (cursor.block + 1).checked_sub(u64::from(chain.confirmations));
        let Some(sure) = sure else { return Ok(()) };
        // One that fails is recorded in a later pass, and does not stop the others.
        let mut result = Ok(());
        for (deposit, transfer) in watcher.book.strays(chain.id, sure).await.map_err(silent)? {
            result = result.and(self.report_stray(watcher, &deposit, &transfer).await);
        }
        result
    }

    async fn report_stray(
        &self,
        watcher: &Watcher,
        deposit: &Deposit,
        transfer: &Transfer,
    ) -> Result<(), Trouble> {
        let environment = self.cashier.environment();
        record_stray(environment, watcher, deposit, transfer).await.map_err(|error| explain(&error))?;
        watcher.book.mark_reported(transfer).await.map_err(|error| error.to_string())
    }
}

/// Records a stray transfer for a person to decide, unless that was done already.
async fn record_stray(
    environment: &Environment,
    watcher: &Watcher,
    deposit: &Deposit,
    transfer: &Transfer,
) -> Result<(), StoreError> {
    let session = environment.store.page_session(deposit.session).await?;
    let attempt = environment.store.attempt(deposit.attempt).await?;
    let (Some(session), Some(attempt)) = (session, attempt) else {
        return Err(StoreError::Corrupt(format!("attempt {} disappeared", deposit.attempt)));
    };
    if is_fuel(transfer, (attempt.state, attempt.received), watcher.chain.max_fuel) {
        return Ok(());
    }
    let stray = StrayTransfer {
        session: &session,
        attempt: &attempt,
        chain: transfer.chain,
        reference: &transfer.reference,
        address: transfer.address,
        received: &quantity(watcher, transfer),
    };
    let changes = attempt::stray(&stray, environment.now(), environment.next_event_id(session.id));
    if environment.commit(&changes).await? == Committed::Done {
        let (chain, id) = (transfer.chain.0, session.id);
        tracing::warn!(chain, session.id = %id, "mismatch money: see till action list");
    }
    Ok(())
}

/// True for the chain's own coin at an address that received a token and that no attempt waits for any more:
/// sweeping the token takes some of it for the fee, which needs no decision. If no token came, there is
/// nothing to sweep, so the customer sent the wrong coin; and a transfer of more than a sweep costs is no
/// fee.
fn is_fuel(transfer: &Transfer, (state, received): (AttemptState, u128), most: Atoms) -> bool {
    transfer.contract.is_none() && !state.is_active() && received > 0 && transfer.atoms <= most
}

/// The transferred amount in the coin's unit; a coin that is no longer set up is named by its contract.
fn quantity(watcher: &Watcher, transfer: &Transfer) -> Quantity {
    let coin = watcher.chain.coins.iter().find(|coin| coin.contract == transfer.contract);
    let nameless = || transfer.contract.map_or_else(|| "native".to_owned(), |contract| contract.to_string());
    Quantity {
        atoms: transfer.atoms.0,
        decimals: coin.map_or(0, |coin| coin.decimals),
        unit: coin.map_or_else(nameless, |coin| coin.symbol.clone()),
    }
}

/// The name of the lease of a chain. The names are leaked, so each is made once.
fn lease_name(chain: ChainId) -> &'static str {
    static NAMES: Mutex<BTreeMap<ChainId, &'static str>> = Mutex::new(BTreeMap::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.entry(chain).or_insert_with(|| Box::leak(format!("read chain {chain}").into_boxed_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_domain::{
        chain::{Address, BlockHash},
        time::Timestamp,
    };

    #[test]
    fn a_lease_has_one_name_for_each_chain() {
        let (one, other) = (ChainId(1), ChainId(137));
        assert_eq!((lease_name(one), lease_name(other)), ("read chain 1", "read chain 137"));
        assert!(std::ptr::eq(lease_name(one), lease_name(one)), "and it is made once");
    }

    #[test]
    fn what_is_sent_to_sweep_a_token_is_no_question_to_anybody() {
        let came = |contract| Transfer {
            chain: ChainId(1),
            reference: "balance:0xb10".to_owned(),
            transaction: None,
            address: Address::from_bytes([0xa; 20]),
            contract,
            atoms: Atoms(7),
            block: 10,
            block_hash: BlockHash::from_bytes([0xb1; 32]),
            seen_at: Timestamp::from_ms(5),
            gone_at: None,
            reported: false,
        };
        for over in [AttemptState::Paid, AttemptState::Watched, AttemptState::Closed] {
            assert!(is_fuel(&came(None), (over, 9), Atoms(7)), "{over:?}");
            assert!(
                !is_fuel(&came(None), (over, 9), Atoms(6)),
                "L11: nobody pays so much for a sweep: {over:?}"
            );
            assert!(!is_fuel(&came(None), (over, 0), Atoms(7)), "nothing is there to be swept: {over:?}");
            let token = Some(Address::from_bytes([0xa0; 20]));
            assert!(!is_fuel(&came(token), (over, 9), Atoms(7)), "another token is a mistake: {over:?}");
        }
        for waited_for in [AttemptState::Open, AttemptState::InFlight] {
            let wrong = !is_fuel(&came(None), (waited_for, 9), Atoms(7));
            assert!(wrong, "the customer took the wrong coin: {waited_for:?}");
        }
    }
}
