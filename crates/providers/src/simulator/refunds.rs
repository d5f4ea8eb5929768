//! Refunds at the simulated bank: made once for each id, and never more than was taken.

use super::{
    Simulator,
    book::{BankDecision, Behaviour, RefundEntry},
    payment_of, world,
};
use crate::{ProviderError, Refunds};
use futures_util::future::BoxFuture;
use till_domain::refund::{Refund, RefundSeen};

impl Simulator {
    async fn known(&self, refund: &Refund) -> Result<Option<RefundEntry>, ProviderError> {
        let all = self.bank.book.refunds(payment_of(&refund.payment)?).await?;
        Ok(all.into_iter().find(|known| known.id == refund.id))
    }

    /// Writes a refund, or acts on one that was written before; `None` if the payment was changed meanwhile
    /// (compare-and-set).
    async fn write(&self, refund: &Refund) -> Result<Option<RefundSeen>, ProviderError> {
        let (id, now) = (payment_of(&refund.payment)?, self.now());
        let Some(entry) = self.bank.book.entry(id).await? else {
            return Err(ProviderError::Definite(format!("there is no payment {:?}", refund.payment)));
        };
        let all = self.bank.book.refunds(id).await?;
        if let Some(known) = all.iter().find(|known| known.id == refund.id) {
            if known.acted_at.is_some() {
                return Ok(Some(world::refunded(known, now)));
            }
            let acted = RefundEntry { acted_at: Some(now), ..known.clone() };
            let written = self.bank.book.write_refund(&entry, &acted).await?;
            return Ok(written.then(|| world::refunded(&acted, now)));
        }
        let sent =
            all.iter().filter(|known| !matches!(known.behaviour, Behaviour::Fail | Behaviour::TooMuch));
        let gone: i64 = sent.map(|known| known.minor).sum();
        let fits = refund.amount.currency == entry.amount.currency
            && refund.amount.minor <= world::taken(&entry, now).saturating_sub(gone);
        let refuses = matches!(entry.decision, Some((BankDecision::RefuseRefunds, _)));
        let behaviour = match fits {
            false => Behaviour::TooMuch,
            true if refuses => Behaviour::Fail,
            true => Behaviour::from_reason(refund.reason.as_deref()),
        };
        let acted_at = (behaviour != Behaviour::TimeoutBefore).then_some(now);
        let minor = refund.amount.minor;
        let new = RefundEntry { id: refund.id, payment: id, minor, behaviour, acted_at, opened_at: now };
        if !self.bank.book.write_refund(&entry, &new).await? {
            return Ok(None);
        }
        match behaviour {
            Behaviour::TimeoutBefore | Behaviour::TimeoutAfter => {
                Err(ProviderError::Unknown("the simulated bank does not answer in time".to_owned()))
            }
            _ => Ok(Some(world::refunded(&new, now))),
        }
    }
}

impl Refunds for Simulator {
    fn refund<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(async move {
            loop {
                if let Some(seen) = self.write(refund).await? {
                    return Ok(seen);
                }
            }
        })
    }

    fn check<'a>(&'a self, refund: &'a Refund) -> BoxFuture<'a, Result<RefundSeen, ProviderError>> {
        Box::pin(async move {
            let known = self.known(refund).await?;
            Ok(known.map_or(RefundSeen::Unheard, |known| world::refunded(&known, self.now())))
        })
    }
}
