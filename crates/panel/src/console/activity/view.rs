//! The page of a provider's activity: three plots of the last 24 hours, and the last of what happened.

use crate::{
    console::{providers::view::ProviderLine, reconciliations::view::RunLine},
    pages::{
        Frame,
        chart::{Bars, Lines, Stack, StackPart},
        view::{Crumb, View, template},
    },
};
use std::time::Duration;
use till_domain::{
    activity::{CallCounts, NoticeRefusal},
    time::Timestamp,
};
use till_service::{registry::ProviderKind, web::words::Words};

#[derive(Debug, Clone)]
pub struct ActivityPage {
    pub line: ProviderLine,
    /// Its kind and the last comparison of its books with ours, if it has books.
    pub reconciled: Option<(ProviderKind, Option<RunLine>)>,
}

impl ActivityPage {
    /// All calls of the 24 hours.
    pub fn sum(&self) -> CallCounts {
        self.line.activity.day.sum()
    }

    /// The hours with their starts, newest first.
    pub fn hours(&self) -> Vec<(Timestamp, CallCounts)> {
        self.line.activity.day.hours().into_iter().rev().collect()
    }

    /// The time that a percentage of the answers took at most, as text.
    pub fn took(&self, counts: &CallCounts, percent: u64, t: &Words) -> String {
        counts.percentile(percent).map_or_else(|| "–".to_owned(), |time| t.span(&time))
    }

    /// The calls, by quarter of an hour.
    pub fn calls_chart(&self, frame: &Frame, t: &Words) -> Bars {
        self.bars("calls", |counts| counts.calls, frame, t)
    }

    /// The calls that failed, by quarter of an hour.
    pub fn failures_chart(&self, frame: &Frame, t: &Words) -> Bars {
        self.bars("failed", CallCounts::failures, frame, t)
    }

    fn bars(&self, word: &'static str, of: fn(&CallCounts) -> u64, frame: &Frame, t: &Words) -> Bars {
        let stack = |(start, counts): (Timestamp, &CallCounts)| {
            let (day, value) = (clock(start, frame, t), of(counts));
            let title = format!("{day}: {value}");
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            Stack { day, parts: vec![StackPart { word, value, title }] }
        };
        Bars::new(&self.line.activity.day.quarters().map(stack).collect::<Vec<_>>(), 1)
    }

    /// The median and the 95th percentile of the answer times, by quarter of an hour.
    pub fn latency_chart(&self, frame: &Frame, t: &Words) -> Lines {
        let day = &self.line.activity.day;
        let starts: Vec<_> = day.quarters().map(|(start, _)| clock(start, frame, t)).collect();
        let line = |percent| {
            let took = |counts: &CallCounts| counts.percentile(percent).map(milliseconds);
            day.quarters().map(|(_, counts)| took(counts)).collect()
        };
        let label = |value| t.span(&Duration::from_millis(u64::try_from(value).unwrap_or(0)));
        Lines::scaled(&starts, vec![("p95", line(95)), ("p50", line(50))], label)
    }

    /// The description of a chart of calls, for screen readers: their number, and when there were most.
    pub fn calls_label(&self, frame: &Frame, t: &Words) -> String {
        self.label("activity-calls-label", |counts| counts.calls, frame, t)
    }

    /// The description of the chart of failures, for screen readers.
    pub fn failures_label(&self, frame: &Frame, t: &Words) -> String {
        self.label("activity-failures-label", CallCounts::failures, frame, t)
    }

    fn label(&self, key: &str, of: fn(&CallCounts) -> u64, frame: &Frame, t: &Words) -> String {
        let quarters = self.line.activity.day.quarters().map(|(start, counts)| (start, of(counts)));
        let most = quarters.max_by_key(|(_, count)| *count);
        let (at, most) = most.map(|(start, count)| (clock(start, frame, t), count)).unwrap_or_default();
        let values = [("all", of(&self.sum()).to_string()), ("most", most.to_string()), ("time", at)];
        t.fill(key, values.map(|(name, value)| (name, value.into())))
    }

    /// The description of the chart of answer times, for screen readers.
    pub fn latency_label(&self, t: &Words) -> String {
        let sum = self.sum();
        let (half, most) = (self.took(&sum, 50, t), self.took(&sum, 95, t));
        t.with_two("activity-latency-label", ("half", &half), ("most", &most))
    }

    /// The share of calls that failed, such as `0.3%`; at least a tenth if there is any.
    pub fn failed_share(&self, t: &Words) -> String {
        let sum = self.sum();
        let tenths = sum.failures().saturating_mul(1_000).checked_div(sum.calls).unwrap_or(0);
        let tenths = if sum.failures() > 0 { tenths.max(1) } else { tenths };
        t.with("percent", "number", &t.number(&format!("{}.{}", tenths / 10, tenths % 10)))
    }

    pub fn refusal(&self, reason: &NoticeRefusal, t: &Words) -> String {
        t.text(match reason {
            NoticeRefusal::Unsigned => "notice-unsigned",
            NoticeRefusal::Unproven => "notice-unproven",
            NoticeRefusal::ForeignAddress => "notice-foreign-address",
        })
    }
}

/// The hour and minute of a moment in the visitor's zone.
fn clock(at: Timestamp, frame: &Frame, t: &Words) -> String {
    let clock = t.moment_in(&at, &frame.zone).clock;
    clock.get(..5).unwrap_or_default().to_owned()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl View for ActivityPage {
    fn kind(&self) -> &'static str {
        "activity"
    }

    fn heading(&self, t: &Words) -> String {
        t.with("activity-heading", "provider", &self.line.title(t))
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        let mut crumbs = vec![Crumb::new("/operator/providers", t.text("nav-providers"))];
        if let Some(kind) = self.line.kind {
            let href = format!("/operator/providers/{}", kind.name());
            crumbs.push(Crumb::new(&href, self.line.title(t)));
        }
        crumbs
    }

    template!(write, view: ActivityPage, "operator/activity.html");
}
