//! Metrics of the store: its clock in comparison with the clock that it follows, and its hold. Read on each scrape.

use crate::environment::Environment;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};
use std::{fmt, sync::Arc};

#[derive(Debug)]
pub(super) struct ClockCollector(pub(super) Arc<Environment>);

impl Collector for ClockCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let status = self.0.store.clock().status();
        let offset = ConstGauge::new(status.ahead_ms);
        let help = "How far the store's time is ahead of the clock it follows, in milliseconds";
        let family =
            encoder.encode_descriptor("clock_offset_milliseconds", help, None, offset.metric_type())?;
        offset.encode(family)?;
        let holds = ConstGauge::new(i64::from(status.holds_expiry));
        let help = "1 while expiry and closing are on hold because that clock jumped";
        let family = encoder.encode_descriptor("clock_holds_expiry", help, None, holds.metric_type())?;
        holds.encode(family)?;
        let jumps = ConstCounter::new(status.jumps);
        let help = "Jumps of that clock by more than a minute";
        let family = encoder.encode_descriptor("clock_jumps", help, None, jumps.metric_type())?;
        jumps.encode(family)?;
        let held = ConstGauge::new(i64::from(self.0.store.hold.is_held()));
        let help =
            "1 while the store is on hold: nothing is sent, nothing expires, and no payments are taken";
        let family = encoder.encode_descriptor("held", help, None, held.metric_type())?;
        held.encode(family)
    }
}
