//! Metrics of providers and of the chains' progress.

use super::Metrics;
use crate::{
    cashier::{Cashier, Limited, Readiness},
    registry::{ProviderKind, Registry},
};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// The sources of these metrics. They are set after the metrics were made, since some of them count.
pub(super) type Watched = Arc<OnceLock<(Arc<Registry>, [Arc<Cashier>; 2])>>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ChainLabels {
    chain: String,
}

impl Metrics {
    /// Adds the metrics of these providers.
    pub fn watch(&self, registry: &Arc<Registry>, cashiers: &[Arc<Cashier>; 2]) {
        // A second call would set the same.
        let _ = self.providers.set((Arc::clone(registry), cashiers.clone()));
    }

    /// Reads the progress of the chains that are set up now, whichever node reads them.
    pub(super) async fn look_at_chains(&self) {
        self.chain_lag.clear();
        self.chain_silence.clear();
        let Some((registry, _)) = self.providers.get() else { return };
        let environment = registry.cashier().environment();
        let (current, Some(book)) = (registry.current(ProviderKind::Evm), environment.store.chains()) else {
            return;
        };
        for chain in current.chains().iter().flat_map(|running| &running.setup.chains) {
            let Ok(Some(cursor)) = book.cursor(chain.id).await else { continue };
            let labels = ChainLabels { chain: chain.name.clone() };
            let lag = cursor.head.saturating_sub(cursor.block);
            self.chain_lag.get_or_create(&labels).set(i64::try_from(lag).unwrap_or(i64::MAX));
            let silence = environment.now().since(cursor.at).as_millis();
            self.chain_silence.get_or_create(&labels).set(i64::try_from(silence).unwrap_or(i64::MAX));
        }
    }
}

/// The cashiers' records of providers, read on each scrape.
#[derive(Debug)]
pub(super) struct ProviderCollector(pub(super) Watched);

/// One provider's record on this node.
struct ProviderSample {
    labels: [(&'static str, &'static str); 2],
    answered: u64,
    failed: u64,
    down: bool,
    limited: Limited,
    under_way: usize,
}

impl ProviderCollector {
    fn lines(&self) -> Vec<ProviderSample> {
        let cashiers = self.0.get().map(|(_, cashiers)| cashiers.as_slice()).unwrap_or_default();
        let of = |cashier: &Arc<Cashier>| {
            let (environment, now) = (cashier.environment().name.as_str(), cashier.uptime());
            let handles = cashier.handles();
            let line = |handle: &crate::cashier::ProviderHandle| {
                let calls = handle.health(now).all;
                ProviderSample {
                    labels: [("environment", environment), ("provider", handle.provider.name())],
                    answered: calls.answered,
                    failed: calls.calls.saturating_sub(calls.answered),
                    down: handle.readiness(now) == Readiness::Down,
                    limited: handle.limited(),
                    under_way: handle.under_way(),
                }
            };
            handles.iter().map(line).collect::<Vec<_>>()
        };
        cashiers.iter().flat_map(of).collect()
    }
}

impl Collector for ProviderCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let lines = self.lines();
        let help = "Calls to a provider, by whether it responded";
        let kind = ConstCounter::new(0_u64).metric_type();
        let mut family = encoder.encode_descriptor("provider_calls", help, None, kind)?;
        for ProviderSample { labels: [environment, provider], answered, failed, .. } in &lines {
            for (outcome, count) in [("answered", *answered), ("failed", *failed)] {
                let labels = [*environment, *provider, ("outcome", outcome)];
                ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        type Read = fn(&Limited) -> u64;
        let counters: [(&str, &str, Read); 2] = [
            ("provider_rate_limited", "Calls to which a provider responded with 429", |limited| {
                limited.refused
            }),
            (
                "provider_limit_wait_milliseconds",
                "How long due calls waited for a provider's rate limit",
                |limited| u64::try_from(limited.waited.as_millis()).unwrap_or(u64::MAX),
            ),
        ];
        for (name, help, value) in counters {
            let kind = ConstCounter::new(0_u64).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for line in &lines {
                ConstCounter::new(value(&line.limited)).encode(family.encode_family(&line.labels)?)?;
            }
        }
        type Gauge = fn(&ProviderSample) -> i64;
        let gauges: [(&str, &str, Gauge); 2] = [
            (
                "provider_down",
                "1 while customers are not sent to a provider because it does not respond",
                |line| i64::from(line.down),
            ),
            ("provider_calls_under_way", "Worker calls to a provider that are still in progress", |line| {
                i64::try_from(line.under_way).unwrap_or(i64::MAX)
            }),
        ];
        for (name, help, value) in gauges {
            let kind = ConstGauge::new(0_i64).metric_type();
            let mut family = encoder.encode_descriptor(name, help, None, kind)?;
            for line in &lines {
                ConstGauge::new(value(line)).encode(family.encode_family(&line.labels)?)?;
            }
        }
        self.encode_chains(&mut encoder)
    }
}

impl ProviderCollector {
    /// Encodes this node's records of chains.
    fn encode_chains(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let records = self.0.get().map(|(registry, _)| registry.records().all()).unwrap_or_default();
        let help = "Addresses that wait for a chain's native coin and whose earlier balance is unknown";
        let kind = ConstGauge::new(0_i64).metric_type();
        let mut family = encoder.encode_descriptor("chain_addresses_unproved", help, None, kind)?;
        for record in &records {
            let count = i64::try_from(record.unknown_before).unwrap_or(i64::MAX);
            ConstGauge::new(count).encode(family.encode_family(&[("chain", record.name.as_str())])?)?;
        }
        let kind = ConstCounter::new(0_u64).metric_type();
        let help = "Blocks that a chain replaced after Till had read them";
        let mut family = encoder.encode_descriptor("chain_blocks_replaced", help, None, kind)?;
        for record in &records {
            ConstCounter::new(record.replaced)
                .encode(family.encode_family(&[("chain", record.name.as_str())])?)?;
        }
        let help = "How often a chain replaced more blocks than Till keeps track of";
        let mut family = encoder.encode_descriptor("chain_deep_forks", help, None, kind)?;
        for record in &records {
            ConstCounter::new(record.deep_forks)
                .encode(family.encode_family(&[("chain", record.name.as_str())])?)?;
        }
        Ok(())
    }
}
