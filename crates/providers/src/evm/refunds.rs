//! Refunds on a chain. A person sends them, because no private key is held here; the transaction that the
//! person names is verified on the chain.

use super::{Chain, Evm, Node, NodeError, Receipt, observation, quote};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use till_domain::{
    attempt::Quantity,
    chain::{Address, Atoms, ChainId, Deposit, TxHash},
    refund::{Refund, RefundSeen},
    time::Timestamp,
};

/// How long a transaction that no node knows may be on its way. After that it is rejected, and the person can
/// name it again.
const UNKNOWN_FOR: Duration = Duration::from_secs(15 * 60);

/// Clock skew: how much earlier than the payment's address the block of a refund may be dated.
const CLOCKS: Duration = Duration::from_secs(15 * 60);

impl From<NodeError> for ProviderError {
    fn from(error: NodeError) -> Self {
        Self::Unknown(error.to_string())
    }
}

fn unknown(text: impl Into<String>) -> ProviderError {
    ProviderError::Unknown(text.into())
}

fn not_this(reason: impl Into<String>) -> RefundSeen {
    RefundSeen::NotThis { reason: reason.into() }
}

impl Evm {
    /// The deposit whose address the money came to.
    async fn paid_at(&self, refund: &Refund) -> Result<Deposit, ProviderError> {
        let found = match refund.payment.split(':').nth(1).and_then(Address::parse) {
            Some(address) => self.book.deposit_at(address).await?,
            None => None,
        };
        found.ok_or_else(|| unknown(format!("no payment came to {:?}", refund.payment)))
    }

    fn node(&self, chain: ChainId) -> Result<&Arc<dyn Node>, ProviderError> {
        let found = self.nodes.iter().find(|(id, _)| *id == chain).map(|(_, node)| node);
        found.ok_or_else(|| unknown(format!("chain {chain} is not set up")))
    }

    /// The network's name, for display.
    fn network(&self, deposit: &Deposit) -> String {
        self.chain(deposit.chain)
            .map_or_else(|_| format!("chain {}", deposit.chain), |chain| chain.name.clone())
    }

    /// Verifies that the transaction which a person named is this refund.
    async fn judge(&self, refund: &Refund, transaction: &str) -> Result<RefundSeen, ProviderError> {
        let deposit = self.paid_at(refund).await?;
        let (chain, node) = (self.chain(deposit.chain)?, self.node(deposit.chain)?);
        // The head is read first: what is in a block by then has at least this many confirmations.
        let head = node.head().await?;
        let Some(receipt) = receipt_of(node, transaction).await? else {
            let since = refund.manual.as_ref().and_then(|hand| hand.sent_at).unwrap_or(refund.created_at);
            let text = format!("{} knows no such transaction", chain.name);
            let is_lost = self.book.now().since(since) >= UNKNOWN_FOR;
            return Ok(if is_lost { not_this(text) } else { RefundSeen::Pending });
        };
        let header = node.header(receipt.block).await?.filter(|header| header.hash == receipt.block_hash);
        // A reorg happened between the queries.
        let Some(header) = header else { return Ok(RefundSeen::Pending) };
        let made_at = Timestamp::from_ms(i64::try_from(header.timestamp).unwrap_or(0).saturating_mul(1_000));
        let is_final =
            head.number.saturating_add(1).saturating_sub(receipt.block) >= u64::from(chain.confirmations);
        if made_at < deposit.opened_at.minus(CLOCKS) {
            return Ok(not_this("the transaction is older than the payment"));
        }
        if !is_final {
            return Ok(RefundSeen::Pending);
        }
        self.read_receipt(refund, (&deposit, chain), &receipt, transaction).await
    }

    /// Judges a final receipt: the transaction must have succeeded and sent the refund, in the right coin, to
    /// an address that is not ours.
    async fn read_receipt(
        &self,
        refund: &Refund,
        (deposit, chain): (&Deposit, &Chain),
        receipt: &Receipt,
        transaction: &str,
    ) -> Result<RefundSeen, ProviderError> {
        if !receipt.succeeded {
            return Ok(not_this("the transaction failed, it moved nothing"));
        }
        let coin = &deposit.coin;
        let mut sent = Atoms::ZERO;
        let mut own = false;
        for (to, atoms) in amounts_by_recipient(deposit, receipt) {
            if self.book.deposit_at(to).await?.is_some() {
                own = true;
            } else {
                sent = atoms.max(sent);
            }
        }
        let needed = share(refund, deposit)?;
        if sent == Atoms::ZERO && own {
            return Ok(not_this("the transaction pays one of our own addresses"));
        }
        if sent == Atoms::ZERO {
            return Ok(not_this(format!("the transaction sends no {coin} on {}", chain.name)));
        }
        if sent.0 < needed.atoms {
            let sent = observation::quantity(deposit, sent);
            return Ok(not_this(format!("the transaction sends {sent}, and {needed} go back")));
        }
        Ok(RefundSeen::Succeeded { reference: transaction.to_owned() })
    }
}

/// The receipt of the transaction that a person named. What is not a hash is in no block.
async fn receipt_of(node: &Arc<dyn Node>, transaction: &str) -> Result<Option<Receipt>, NodeError> {
    match TxHash::parse(transaction) {
        Some(hash) => node.receipt(hash).await,
        None => Ok(None),
    }
}

/// Amounts of the refund's coin in a receipt, by recipient.
fn amounts_by_recipient(deposit: &Deposit, receipt: &Receipt) -> BTreeMap<Address, Atoms> {
    let mut amounts: BTreeMap<Address, Atoms> = BTreeMap::new();
    let mut add = |to: Address, atoms: Atoms| {
        let sum = amounts.entry(to).or_default();
        *sum = sum.saturating_add(atoms);
    };
    match deposit.contract {
        Some(contract) => {
            let logs = receipt.logs.iter().filter(|log| log.contract == contract);
            logs.for_each(|log| add(log.to, log.atoms));
        }
        None => receipt.value.iter().for_each(|(to, atoms)| add(*to, *atoms)),
    }
    amounts.retain(|_, atoms| *atoms > Atoms::ZERO);
    amounts
}

/// The refund's amount in the coin that was paid, at the price that was locked.
fn share(refund: &Refund, deposit: &Deposit) -> Result<Quantity, ProviderError> {
    let price = quote::locked(&deposit.rate);
    let atoms = price.and_then(|price| quote::share(refund.amount, price, deposit.decimals));
    let atoms =
        atoms.ok_or_else(|| unknown(format!("{} cannot be counted in {}", refund.amount, deposit.coin)))?;
    Ok(observation::quantity(deposit, atoms))
}

impl Refunds for Evm {
    fn needs_a_person(&self) -> bool {
        true
    }

    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(async move {
            let deposit = self.paid_at(refund).await?;
            let what = format!("{} ({})", share(refund, &deposit)?, self.network(&deposit));
            Ok(RefundSeen::Manual { what })
        })
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(async move {
            match &refund.reference {
                Some(transaction) => self.judge(refund, transaction).await,
                None => Ok(RefundSeen::Unheard),
            }
        })
    }

    fn may_arrive<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<bool, ProviderError>> {
        Box::pin(async move {
            let Some(transaction) = &refund.reference else { return Ok(false) };
            let deposit = self.paid_at(refund).await?;
            // A chain that is no longer set up cannot be queried.
            let Ok(node) = self.node(deposit.chain) else { return Ok(false) };
            let Some(hash) = TxHash::parse(transaction) else { return Ok(false) };
            match node.receipt(hash).await? {
                Some(receipt) => Ok(receipt.succeeded),
                None => Ok(node.has_transaction(hash).await?),
            }
        })
    }
}
