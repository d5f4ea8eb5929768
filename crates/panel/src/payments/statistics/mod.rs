//! Computes the figures of the last days, in the time zone of the user: of one vendor, or of all.

pub mod view;

use crate::{
    pages::counted::PendingCount,
    payments::statistics::view::{Day, Ends, PERIODS, Statistics, Volume},
    visit::Visit,
};
use std::{cmp::Reverse, collections::BTreeMap, time::Duration};
use till_domain::{
    environment::EnvironmentName,
    id::VendorId,
    method::Method,
    money::{Currency, Money},
    session::{FailureReason, Outcome},
    time::{TimeZone, Timestamp},
};
use till_service::environment::Environment;
use till_store::{Figure, Span, StoreError};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The period that a visit asks for.
fn period(visit: &Visit) -> u32 {
    let requested = visit.query.get("days").parse().ok();
    PERIODS.into_iter().find(|days| Some(*days) == requested).unwrap_or(30)
}

/// The figures of a vendor, or of all vendors, for the page at this path.
pub(crate) async fn read(
    visit: &Visit,
    environment: &Environment,
    vendor: Option<VendorId>,
    path: &str,
) -> Result<Statistics, StoreError> {
    let (store, period) = (&environment.store, period(visit));
    let calendar = Calendar::new(&visit.zone(), environment.now(), period);
    let figures = async |span| match vendor {
        Some(vendor) => store.figures(vendor, span).await,
        None => store.total_figures(span).await,
    };
    let found = figures(calendar.span()).await?;
    // The sandbox has no money.
    let volume = if environment.name == EnvironmentName::Sandbox {
        None
    } else {
        volume(&calendar, &found, &figures(calendar.before()).await?, visit.query.get("currency"))
    };
    let pending = store.pending_sessions(vendor, PendingCount::LOOK_FOR).await?;
    Ok(Statistics {
        path: path.to_owned(),
        period,
        volume,
        days: days(&calendar, &found),
        pending: PendingCount::new(pending),
        reasons: reasons(&found),
    })
}

/// The days that are shown, the last of them today.
struct Calendar {
    zone: TimeZone,
    dates: Vec<String>,
    since: Timestamp,
    until: Timestamp,
}

impl Calendar {
    fn new(zone: &TimeZone, now: Timestamp, period: u32) -> Self {
        let today = zone.day_of(now);
        let mut since = zone.day_start(&today).unwrap_or(now);
        let until = zone.day_end(&today).unwrap_or_else(|| now.plus(DAY));
        let mut dates = vec![today];
        for _ in 1..period {
            // Noon of the day before, whether that has 23, 24 or 25 hours.
            let date = zone.day_of(since.minus(DAY / 2));
            since = zone.day_start(&date).unwrap_or_else(|| since.minus(DAY));
            dates.push(date);
        }
        dates.reverse();
        Self { zone: zone.clone(), dates, since, until }
    }

    fn span(&self) -> Span {
        Span { since: Some(self.since), until: Some(self.until) }
    }

    /// The same number of days before these.
    fn before(&self) -> Span {
        let days = u32::try_from(self.dates.len()).unwrap_or(0);
        Span { since: Some(self.since.minus(DAY * days)), until: Some(self.since) }
    }

    /// The index of the day that a moment belongs to.
    fn place(&self, at: Timestamp) -> Option<usize> {
        let date = self.zone.day_of(at);
        self.dates.iter().position(|day| *day == date)
    }
}

fn days(calendar: &Calendar, figures: &[Figure]) -> Vec<Day> {
    let mut days: Vec<Day> =
        calendar.dates.iter().map(|date| Day { date: date.clone(), ..Day::default() }).collect();
    for figure in figures {
        let day = calendar.place(figure.at).and_then(|place| days.get_mut(place));
        let ends = day.and_then(|day| of_method(&mut day.methods, figure.method));
        let Some(Ends { paid, failed, expired }) = ends else { continue };
        let place = match figure.outcome {
            Outcome::Paid => paid,
            Outcome::Failed(_) => failed,
            Outcome::Expired => expired,
        };
        *place += number(figure);
    }
    days
}

/// The element of a method in an array by method.
fn of_method<T>(by_method: &mut [T; 3], method: Method) -> Option<&mut T> {
    Method::ALL.into_iter().zip(by_method).find(|(other, _)| *other == method).map(|(_, place)| place)
}

fn number(figure: &Figure) -> u64 {
    u64::try_from(figure.count).unwrap_or(0)
}

/// The reasons why payments failed, the most frequent first.
fn reasons(figures: &[Figure]) -> Vec<(FailureReason, u64)> {
    let sum = |reason: FailureReason| {
        figures.iter().filter(|figure| figure.outcome == Outcome::Failed(reason)).map(number).sum::<u64>()
    };
    let all = FailureReason::ALL.into_iter().map(|reason| (reason, sum(reason)));
    let mut reasons: Vec<_> = all.filter(|(_, count)| *count > 0).collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    reasons
}

/// The paid volume in one currency: the requested one, or the one with the most payments. `None` if nothing
/// was paid.
fn volume(calendar: &Calendar, figures: &[Figure], before: &[Figure], currency_code: &str) -> Option<Volume> {
    let mut payments: BTreeMap<&str, (u64, Currency)> = BTreeMap::new();
    for figure in figures.iter().chain(before).filter(|figure| figure.outcome == Outcome::Paid) {
        payments.entry(figure.currency.code()).or_insert((0, figure.currency)).0 += number(figure);
    }
    let most = payments.values().max_by_key(|(count, _)| *count).map(|(_, currency)| *currency);
    let currency = payments.get(currency_code).map(|(_, currency)| *currency).or(most)?;
    let days = volume_by_day(calendar, paid_in(figures, currency));
    let sum = |minor: &mut dyn Iterator<Item = i64>| minor.fold(0, i64::saturating_add);
    Some(Volume {
        currencies: payments.values().map(|(_, currency)| *currency).collect(),
        total: Money { minor: sum(&mut days.iter().flatten().copied()), currency },
        before: sum(&mut paid_in(before, currency).map(|figure| figure.minor)),
        days,
    })
}

/// Minor units, day by day and by method.
fn volume_by_day<'a>(calendar: &Calendar, paid: impl Iterator<Item = &'a Figure>) -> Vec<[i64; 3]> {
    let mut days = vec![[0_i64; 3]; calendar.dates.len()];
    for figure in paid {
        let day = calendar.place(figure.at).and_then(|place| days.get_mut(place));
        if let Some(sum) = day.and_then(|day| of_method(day, figure.method)) {
            *sum = sum.saturating_add(figure.minor);
        }
    }
    days
}

fn paid_in(figures: &[Figure], currency: Currency) -> impl Iterator<Item = &Figure> {
    figures.iter().filter(move |figure| figure.outcome == Outcome::Paid && figure.currency == currency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_there_once_also_when_summer_ends() {
        let oslo = TimeZone::parse("Europe/Oslo").expect("a zone");
        // Summer time ended on 25 October 2026, which has 25 hours.
        let now = Timestamp::parse("2026-11-15T23:30:00Z").expect("a moment");
        let calendar = Calendar::new(&oslo, now, 30);
        assert_eq!(calendar.dates.len(), 30);
        assert_eq!(calendar.dates.first().map(String::as_str), Some("2026-10-18"));
        assert_eq!(
            calendar.dates.last().map(String::as_str),
            Some("2026-11-16"),
            "it is past midnight there"
        );
        assert!(calendar.dates.is_sorted_by(|a, b| a < b));
        assert_eq!(calendar.since.to_string(), "2026-10-17T22:00:00.000Z");
        let place = |moment: &str| calendar.place(Timestamp::parse(moment).expect("a moment"));
        assert_eq!(place("2026-10-24T22:00:00Z"), Some(7));
        assert_eq!(place("2026-10-25T22:59:59Z"), Some(7), "the 25th hour is of the same day");
        assert_eq!(place("2026-10-25T23:00:00Z"), Some(8));
        assert_eq!(place("2026-10-17T21:59:59Z"), None);
    }
}
