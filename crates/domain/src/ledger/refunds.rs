//! The ledger entries of a refund.

use super::{Account, Entry, EntryKind, Heading, Posting};
use crate::{
    id::EntryId,
    refund::{Origin, Refund},
    time::Timestamp,
};

/// A refund was requested: its money, from the vendor and from the fee, is on its way back.
pub(crate) fn refund_taken(refund: &Refund) -> Entry {
    let pending = refund.pending.map_or(0, |pending| pending.minor);
    let postings = [
        Posting::new(Account::Pending, -pending),
        Posting::new(Account::Available, pending - refund.of_vendor()),
        Posting::new(Account::Fees, -refund.fee()),
        Posting::new(Account::Refunds, refund.amount.minor),
    ];
    Entry::new(heading(refund, EntryKind::Refund, refund.id.into(), refund.created_at), postings)
}

/// A refund was sent: the provider holds that much less.
pub(crate) fn refund_sent(refund: &Refund, id: EntryId, now: Timestamp) -> Entry {
    let postings = [
        Posting::new(Account::Refunds, -refund.amount.minor),
        Posting::new(Account::Clearing(refund.provider.clone()), refund.amount.minor),
    ];
    Entry::new(heading(refund, EntryKind::RefundSent, id, now), postings)
}

/// A refund failed: its money returns to the accounts that it came from, or to suspense for another decision.
/// Money whose settlement was due meanwhile returns as available.
pub(crate) fn refund_failed(refund: &Refund, id: EntryId, now: Timestamp) -> Entry {
    let back = match refund.origin {
        Origin::Payment { .. } => Account::Available,
        Origin::Suspense { .. } => Account::Suspense,
    };
    let pending = refund.unsettled(now).map_or(0, |pending| pending.minor);
    let postings = [
        Posting::new(Account::Refunds, -refund.amount.minor),
        Posting::new(Account::Pending, pending),
        Posting::new(back, refund.of_vendor() - pending),
        Posting::new(Account::Fees, refund.fee()),
    ];
    Entry::new(heading(refund, EntryKind::RefundFailed, id, now), postings)
}

fn heading(refund: &Refund, kind: EntryKind, id: EntryId, at: Timestamp) -> Heading {
    Heading {
        id,
        vendor: refund.vendor,
        kind,
        cause: refund.id.into(),
        session: Some(refund.session),
        currency: refund.amount.currency,
        at,
    }
}
