//! One vendor's past in one environment: what its payments share, and the way to commit them.

use super::bank::PastBank;
use anyhow::ensure;
use std::time::Duration;
use till_domain::{
    attempt::{Attempt, AttemptFacts, OtherAttempts, Pace, UnreachableActions},
    change::Change,
    delivery::Schedule,
    id::EventId,
    method::Lifetimes,
    receipt::ReceiptLink,
    rules::Rules,
    session::Session,
    time::Timestamp,
    vendor::Vendor,
};
use till_service::{environment::EnvironmentStore, random};
use till_store::Committed;

/// One vendor's past in one environment.
pub(super) struct Past<'a> {
    pub(super) store: &'a EnvironmentStore,
    pub(super) vendor: Vendor,
    pub(super) rules: Rules,
    /// The retry schedule of callbacks.
    pub(super) schedule: &'a Schedule,
    /// The present.
    pub(super) now: Timestamp,
    /// The address of the checkout pages.
    pub(super) checkout_url: String,
    /// The address of the shop.
    pub(super) shop_url: String,
}

/// The rules of sample payments: sessions live as long as by default, money is available at once, and no mail
/// is sent, whatever this demo is set to.
pub(super) fn rules(rules: &Rules) -> Rules {
    Rules {
        lifetimes: Lifetimes::default(),
        private_callbacks: true,
        settlement_delay: rules.settlement_delay.map(|_| Duration::ZERO),
        mails: false,
        ..rules.clone()
    }
}

impl Past<'_> {
    /// Commits changes. Nothing else writes to the store, so every guard holds.
    pub(super) async fn commit(&self, changes: &[Change]) -> anyhow::Result<()> {
        let committed = self.store.commit(changes).await?;
        ensure!(committed == Committed::Done, "a sample payment was not written: {committed:?}");
        Ok(())
    }

    /// Commits changes that were decided one after the other as one list.
    pub(super) async fn commit_together(&self, mut changes: Vec<Change>) -> anyhow::Result<()> {
        changes.sort_by_key(|change| change.guard().is_none());
        self.commit(&changes).await
    }

    /// The simulated bank at a moment.
    pub(super) fn bank(&self, now: Timestamp) -> PastBank {
        PastBank::new(self.store, &format!("{}/bank", self.checkout_url), now)
    }

    /// The facts that a decision about an attempt depends on.
    pub(super) fn facts<'a>(
        &'a self,
        session: &'a Session,
        attempt: &'a Attempt,
        now: Timestamp,
    ) -> AttemptFacts<'a> {
        AttemptFacts {
            session,
            attempt,
            beside: OtherAttempts::Nothing,
            settings: &self.vendor.settings,
            terms: &self.vendor.terms,
            rules: &self.rules,
            now,
            event_id: random::id::<EventId>(now),
            link: ReceiptLink::new(random::draw("receipt link")),
            pace: Pace::default(),
            doubt: UnreachableActions::default(),
            ends_now: false,
        }
    }
}
