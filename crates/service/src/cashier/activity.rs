//! The activity of providers on all nodes: writes what this node has counted, and reads what all of them have.
//!
//! A worker writes about once a minute, and the process once more when it stops. A process that crashes loses what it has
//! counted since the last write; nothing about money depends on it.

use super::{Cashier, journal::JournalPart};
use std::collections::BTreeMap;
use till_domain::{
    activity::{Activity, CallCounts, CallDay},
    time::Timestamp,
};
use till_store::{NodeId, Payments, ProviderCalls, ProviderNews, StoreError};

/// The activity by name of the provider. A provider without any is not in it.
pub type Activities = BTreeMap<String, Activity>;

/// The activity of an environment's providers in the 24 hours before this moment, as far as it is stored.
pub async fn stored(store: &Payments, now: Timestamp) -> Result<Activities, StoreError> {
    read(store, now, &[], &[]).await
}

impl Cashier {
    /// Writes what this node has counted since the last time. What cannot be written now is written the next time.
    pub async fn write_activity(&self) -> Result<(), StoreError> {
        let handles = self.handles();
        let parts: Vec<_> = handles.iter().map(|handle| (handle, handle.journal().unwritten())).collect();
        let named = parts.iter().map(|(handle, part)| (handle.provider.name(), part));
        let (calls, events) = rows(named, self.environment.node);
        self.environment.store.write_provider_activity(&calls, &events).await?;
        parts.iter().for_each(|(handle, part)| handle.journal().mark_written(part));
        Ok(())
    }

    /// The activity of the providers in the last 24 hours on all nodes: the stored one, and what this node has not
    /// written yet.
    pub async fn activity(&self) -> Result<Activities, StoreError> {
        let handles = self.handles();
        let parts: Vec<_> =
            handles.iter().map(|handle| (handle.provider.name(), handle.journal().all())).collect();
        let named = parts.iter().map(|(name, part)| (*name, part));
        let (calls, events) = rows(named, self.environment.node);
        read(&self.environment.store, self.environment.now(), &calls, &events).await
    }
}

/// The rows of journals. Events are in order, so that two nodes that write at once do not wait for each other.
fn rows<'a>(
    parts: impl Iterator<Item = (&'a str, &'a JournalPart)>,
    node: NodeId,
) -> (Vec<ProviderCalls>, Vec<ProviderNews>) {
    let (mut calls, mut events) = (Vec::new(), Vec::new());
    for (name, part) in parts {
        let provider = name.to_owned();
        calls.extend(part.quarters.iter().map(|(quarter, counts)| ProviderCalls {
            provider: provider.clone(),
            quarter: *quarter,
            node,
            counts: counts.clone(),
        }));
        events.extend(part.events.iter().map(|(kind, event)| ProviderNews {
            provider: provider.clone(),
            kind: *kind,
            event: event.clone(),
        }));
    }
    events.sort_by(|one: &ProviderNews, other| (&one.provider, one.kind).cmp(&(&other.provider, other.kind)));
    (calls, events)
}

/// Adds up what is stored. Totals of a node that are given here replace its stored ones, which are older.
async fn read(
    store: &Payments,
    now: Timestamp,
    calls: &[ProviderCalls],
    events: &[ProviderNews],
) -> Result<Activities, StoreError> {
    let stored = store.provider_calls(CallDay::start(now)).await?;
    let mut counted = BTreeMap::<_, &CallCounts>::new();
    for calls in stored.iter().chain(calls) {
        counted.insert((calls.provider.as_str(), calls.quarter, calls.node.0), &calls.counts);
    }
    let mut activities = Activities::new();
    for ((provider, quarter, _), counts) in counted {
        let activity = activities.entry(provider.to_owned()).or_insert_with(|| Activity::new(now));
        activity.day.add(quarter, counts);
    }
    let stored = store.provider_events().await?;
    for news in stored.iter().chain(events) {
        let activity = activities.entry(news.provider.clone()).or_insert_with(|| Activity::new(now));
        activity.add_event(news.kind, &news.event);
    }
    Ok(activities)
}
