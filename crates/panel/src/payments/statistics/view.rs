//! Figures of a period: paid volume, success rate, failure reasons.

use crate::pages::{
    chart::{Bars, Lines, Stack, StackPart},
    counted::PendingCount,
};
use till_domain::{
    method::Method,
    money::{Currency, Money},
    session::FailureReason,
};
use till_service::web::words::Words;

/// The periods to choose from, in days.
pub const PERIODS: [u32; 3] = [7, 30, 90];

/// The fewest days of a chart.
const FEWEST_DAYS: usize = 7;

#[derive(Debug, Clone)]
pub struct Statistics {
    /// The path of the page that shows them.
    pub path: String,
    /// The number of days, including today.
    pub period: u32,
    /// The paid volume in one currency; `None` in the sandbox.
    pub volume: Option<Volume>,
    /// The outcomes of sessions, day by day, oldest first. Every day of the period is present.
    pub days: Vec<Day>,
    /// The number of sessions that are still pending.
    pub pending: PendingCount,
    /// The reasons why payments failed, the most frequent first.
    pub reasons: Vec<(FailureReason, u64)>,
}

#[derive(Debug, Clone)]
pub struct Volume {
    /// Every currency with payments.
    pub currencies: Vec<Currency>,
    /// The volume in the currency that is shown.
    pub total: Money,
    /// The volume of the same number of days before, in minor units.
    pub before: i64,
    /// Minor units by method, day by day, like [`Statistics::days`].
    pub days: Vec<[i64; 3]>,
}

impl Volume {
    pub fn is_shown(&self, currency: &Currency) -> bool {
        self.total.currency == *currency
    }
}

/// The outcomes of a day's sessions.
#[derive(Debug, Clone, Default)]
pub struct Day {
    /// The date: `2026-11-15`.
    pub date: String,
    pub methods: [Ends; 3],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    pub paid: u64,
    pub failed: u64,
    pub expired: u64,
}

impl Ends {
    fn and(self, other: Self) -> Self {
        Self {
            paid: self.paid + other.paid,
            failed: self.failed + other.failed,
            expired: self.expired + other.expired,
        }
    }

    fn paid_count(self) -> i64 {
        i64::try_from(self.paid).unwrap_or(i64::MAX)
    }

    /// Sessions that were paid or failed.
    pub fn tried(self) -> u64 {
        self.paid + self.failed
    }

    /// The success rate in tenths of a percent, of the sessions that were paid or failed.
    pub fn rate(self) -> Option<u64> {
        let tried = self.tried();
        (tried > 0).then(|| (self.paid * 1000 + tried / 2) / tried)
    }

    /// Such as `236 of 263`.
    pub fn part(self, t: &Words) -> String {
        t.with_two("of", ("part", &self.paid.to_string()), ("all", &self.tried().to_string()))
    }

    /// Such as `91.4%`.
    pub fn percent(self, t: &Words) -> Option<String> {
        self.rate().map(|rate| t.number(&format!("{}.{}%", rate / 10, rate % 10)))
    }

    /// The CSS class of its bar.
    pub fn class(self) -> &'static str {
        if self.rate().is_some_and(|rate| rate < 850) { "slow" } else { "paid" }
    }

    /// The width of its bar, out of 1000.
    pub fn width(self) -> u64 {
        self.rate().unwrap_or(0)
    }
}

impl Day {
    pub fn all(&self) -> Ends {
        self.methods.iter().fold(Ends::default(), |sum, ends| sum.and(*ends))
    }
}

/// A method, and the outcomes of its sessions.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub method: Method,
    pub ends: Ends,
}

impl Share {
    /// Such as `Card`.
    pub fn name(&self, t: &Words) -> String {
        t.text(&format!("method-{}", self.method))
    }
}

fn total(by_method: &[i64]) -> i64 {
    by_method.iter().copied().fold(0, i64::saturating_add)
}

impl Statistics {
    pub fn all(&self) -> Ends {
        self.days.iter().fold(Ends::default(), |sum, day| sum.and(day.all()))
    }

    /// The methods with at least one ended session.
    pub fn shares(&self) -> Vec<Share> {
        let sum = |index: usize| {
            let mine = self.days.iter().filter_map(|day| day.methods.get(index));
            mine.fold(Ends::default(), |sum, ends| sum.and(*ends))
        };
        let all = Method::ALL.into_iter().enumerate();
        let shares = all.map(|(index, method)| Share { method, ends: sum(index) });
        shares.filter(|share| share.ends != Ends::default()).collect()
    }

    /// The elements of an array by method, for the methods of [`Self::shares`] only.
    fn used<T>(&self, by_method: [T; 3]) -> Vec<T> {
        let used = self.shares();
        let all = Method::ALL.into_iter().zip(by_method);
        all.filter(|(method, _)| used.iter().any(|share| share.method == *method))
            .map(|(_, one)| one)
            .collect()
    }

    /// A day's outcomes for the methods of [`Self::shares`].
    pub fn by_share(&self, day: &Day) -> Vec<(Share, Ends)> {
        self.shares().into_iter().zip(self.used(day.methods)).collect()
    }

    /// The paid amounts of a day for the methods of [`Self::shares`]: minor units, or the number of sessions
    /// if no money is shown.
    fn paid(&self, index: usize) -> Vec<i64> {
        let volume = self.volume.as_ref().map(|volume| volume.days.get(index).copied());
        let counted = || self.days.get(index).map(|day| day.methods.map(Ends::paid_count));
        self.used(volume.unwrap_or_else(counted).unwrap_or_default())
    }

    /// An amount of [`Self::paid`] as text.
    fn said(&self, paid: i64, t: &Words) -> String {
        match &self.volume {
            Some(volume) => t.money(&Money { minor: paid, ..volume.total }),
            None => paid.to_string(),
        }
    }

    /// The paid amounts of a day as text, method by method.
    pub fn paid_by_share(&self, index: &usize, t: &Words) -> Vec<(Share, String)> {
        let paid = self.paid(*index).into_iter().map(|paid| self.said(paid, t));
        self.shares().into_iter().zip(paid).collect()
    }

    /// The heading of what was paid: money, or the number of sessions.
    pub fn paid_heading(&self, t: &Words) -> String {
        t.text(if self.volume.is_some() { "paid-volume" } else { "paid-sessions" })
    }

    /// What was paid on a day, as text.
    pub fn paid_of(&self, index: &usize, t: &Words) -> String {
        self.said(total(&self.paid(*index)), t)
    }

    /// The first day that is drawn: days before the first session are left out, down to a week.
    pub fn first_day(&self) -> usize {
        let used = self.days.iter().position(|day| day.all() != Ends::default());
        used.unwrap_or(0).min(self.days.len().saturating_sub(FEWEST_DAYS))
    }

    /// True if the success rate of two days or more is known, so that lines can be drawn.
    pub fn has_rates(&self) -> bool {
        self.days.iter().filter(|day| day.all().tried() > 0).count() > 1
    }

    /// The link to this page for another period.
    pub fn href(&self, period: &u32, currency: Option<&Currency>) -> String {
        match currency {
            Some(currency) => format!("{}?days={period}&currency={currency}", self.path),
            None => format!("{}?days={period}", self.path),
        }
    }

    /// The currency that is shown, if money is shown.
    pub fn currency(&self) -> Option<&Currency> {
        self.volume.as_ref().map(|volume| &volume.total.currency)
    }

    /// The paid amounts as a bar chart, stacked by method.
    pub fn paid_chart(&self, t: &Words) -> Bars {
        let exponent = self.currency().map_or(0, |currency| u32::try_from(currency.exponent()).unwrap_or(0));
        let days = self.days.iter().enumerate().skip(self.first_day());
        let stacks = days.map(|(index, day)| self.stack(&t.calendar_day(&day.date), &self.paid(index), t));
        Bars::new(&stacks.collect::<Vec<_>>(), 10_i64.pow(exponent))
    }

    /// A day's bar: `14 Nov: Card, 1,000.00 RUB of 3,500.00 RUB`.
    fn stack(&self, day: &str, paid: &[i64], t: &Words) -> Stack {
        let all = self.said(total(paid), t);
        let part = |(share, value): (Share, &i64)| {
            let of = t.with_two("of", ("part", &self.said(*value, t)), ("all", &all));
            let title = format!("{day}: {}, {of}", share.name(t));
            StackPart { word: share.method.as_str(), value: *value, title }
        };
        Stack { day: day.to_owned(), parts: self.shares().into_iter().zip(paid).map(part).collect() }
    }

    /// The success rate of each method, as a line chart.
    pub fn rate_chart(&self, t: &Words) -> Lines {
        let shares = self.shares();
        let line = |index: usize| -> Vec<Option<u64>> {
            let days = self.days.iter().skip(self.first_day());
            days.map(|day| self.by_share(day).get(index).and_then(|(_, ends)| ends.rate())).collect()
        };
        let lines = shares.iter().enumerate().map(|(index, share)| (share.method.as_str(), line(index)));
        let days = self.days.iter().skip(self.first_day());
        Lines::new(days.map(|day| t.calendar_day(&day.date)).collect(), lines.collect())
    }

    pub fn is_period(&self, period: &u32) -> bool {
        self.period == *period
    }

    pub fn period_name(&self, period: &u32, t: &Words) -> String {
        t.count("days", &u64::from(*period))
    }

    /// The description of a chart, for screen readers.
    pub fn label(&self, key: &str, t: &Words) -> String {
        t.count(key, &u64::from(self.period))
    }

    /// The description of the volume chart, with the day of the highest volume.
    pub fn volume_words(&self, t: &Words) -> String {
        let label = self.label("volume-label", t);
        let Some(volume) = &self.volume else { return label };
        let days = self.days.iter().zip(volume.days.iter().map(|day| total(day)));
        let best = days.max_by_key(|(_, minor)| *minor);
        let most = best.map(|(day, minor)| {
            t.with_two("chart-most", ("day", &t.calendar_day(&day.date)), ("amount", &self.said(minor, t)))
        });
        format!("{label}. {}", most.unwrap_or_default())
    }

    /// The change of the volume compared with the same number of days before.
    pub fn change(&self, t: &Words) -> Option<String> {
        let volume = self.volume.as_ref().filter(|volume| volume.before > 0)?;
        let difference = volume.total.minor - volume.before;
        let tenths =
            (i128::from(difference.abs()) * 1000 + i128::from(volume.before / 2)) / i128::from(volume.before);
        let percent = t.number(&format!("{}.{}%", tenths / 10, tenths % 10));
        let key = if difference < 0 { "volume-less" } else { "volume-more" };
        Some(t.fill(key, [("percent", percent.into()), ("count", self.period.into())]))
    }
}

impl Ends {
    /// Such as `412 paid of 451 tried. 58 more expired.`
    pub fn text(&self, t: &Words) -> String {
        let text = |number: u64| number.to_string();
        let values =
            [("paid", text(self.paid)), ("tried", text(self.tried())), ("expired", text(self.expired))];
        t.fill("rate-of", values.map(|(name, value)| (name, value.into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use till_service::web::language::Language;

    #[test]
    fn expired_sessions_are_not_in_the_success_rate() {
        let ends = Ends { paid: 412, failed: 39, expired: 58 };
        assert_eq!((ends.tried(), ends.rate()), (451, Some(914)));
        assert_eq!(Ends { expired: 5, ..Ends::default() }.rate(), None);
        assert_eq!(Ends { paid: 2, failed: 1, expired: 0 }.rate(), Some(667));
    }

    #[test]
    fn a_chart_begins_with_the_first_session_and_has_a_week() {
        let t = Words { language: Language::English };
        let statistics = |used: &[usize]| {
            let ends = |index| Ends { paid: u64::from(used.contains(&index)), ..Ends::default() };
            let day = |index: usize| Day {
                date: format!("2026-11-{:02}", index + 1),
                methods: [ends(index), Ends::default(), Ends::default()],
            };
            Statistics {
                path: "/panel".to_owned(),
                period: 30,
                volume: None,
                days: (0..30).map(day).collect(),
                pending: PendingCount::default(),
                reasons: Vec::new(),
            }
        };
        for (used, first, rates) in
            [(&[][..], 0, false), (&[29], 23, false), (&[12, 29], 12, true), (&[0, 1], 0, true)]
        {
            let statistics = statistics(used);
            assert_eq!((statistics.first_day(), statistics.has_rates()), (first, rates), "{used:?}");
        }
        let chart = statistics(&[29]).paid_chart(&t);
        assert_eq!(
            chart.bars.first().map(|bar| bar.width.as_str()),
            Some("100"),
            "a seventh of the width, with a gap"
        );
        assert_eq!(chart.names.first().map(|name| name.text.as_str()), Some("24 Nov"));
    }
}
