//! Times in the format of each language, with their time zone.

use super::{language::Language, words::Words};
use till_domain::time::{TimeZone, Timestamp};

/// A non-breaking space, between a number and its unit.
const NO_BREAK: char = '\u{a0}';

/// A time for people and for the script.
#[derive(Debug, Clone)]
pub struct Moment {
    /// RFC 3339, UTC.
    pub exact: String,
    /// As text, with its zone: `14 Nov 2026, 18:34 UTC`.
    pub text: String,
    /// As text, to the second: `14 Nov 2026, 18:34:05 UTC`.
    pub full: String,
    /// As text, for a table whose heading names the zone: `14 Nov, 18:34`. The year is added if it is not the
    /// current one.
    pub short: String,
    /// The day alone: `14 Nov`, or `14 Nov 2025`.
    pub day: String,
    /// The time alone: `18:34:05`.
    pub clock: String,
    /// The milliseconds after that: `.114`.
    pub fraction: String,
}

/// A time zone: a named one with daylight saving time, or a fixed offset from UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    named: Option<TimeZone>,
    offset_minutes: i32,
}

impl Zone {
    pub const UTC: Self = Self { named: None, offset_minutes: 0 };

    /// A fixed offset in minutes ahead of UTC; at most 18 hours.
    #[must_use]
    pub fn ahead(minutes: i32) -> Self {
        Self { named: None, offset_minutes: minutes.clamp(-18 * 60, 18 * 60) }
    }

    /// A named zone, whose offset depends on the time.
    #[must_use]
    pub fn named(zone: TimeZone) -> Self {
        Self { named: Some(zone), offset_minutes: 0 }
    }

    /// Its name: `Europe/Oslo`, or `UTC`, `UTC+3`, `UTC-3:30` for a fixed offset.
    #[must_use]
    pub fn name(&self) -> String {
        self.named.as_ref().map_or_else(|| said(self.offset_minutes), |zone| zone.as_str().to_owned())
    }

    /// A time in the format of exported files: `2026-11-14T21:34:05.000+03:00`.
    #[must_use]
    pub fn exact(&self, moment: Timestamp) -> String {
        let ahead = self.minutes(moment);
        let local = shifted(moment, ahead);
        let sign = if ahead < 0 { '-' } else { '+' };
        let (hours, minutes) = (ahead.abs() / 60, ahead.abs() % 60);
        format!("{}{sign}{hours:02}:{minutes:02}", local.trim_end_matches('Z'))
    }

    /// The offset at this time, in minutes ahead of UTC.
    fn minutes(&self, moment: Timestamp) -> i32 {
        self.named.as_ref().map_or(self.offset_minutes, |zone| zone.seconds_ahead(moment) / 60)
    }
}

/// `UTC`, `UTC+3`, `UTC-3:30`.
fn said(ahead: i32) -> String {
    let (hours, minutes) = (ahead.abs() / 60, ahead.abs() % 60);
    let sign = if ahead < 0 { '-' } else { '+' };
    match (hours, minutes) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

/// The local time at this offset, always in the form `2026-11-14T18:34:05.000Z`.
fn shifted(moment: Timestamp, ahead: i32) -> String {
    Timestamp::from_ms(moment.as_ms() + i64::from(ahead) * 60_000).to_string()
}

impl Words {
    /// A time in UTC: `14 Nov 2026, 18:34 UTC`.
    pub fn moment(&self, moment: &Timestamp) -> Moment {
        self.moment_in(moment, &Zone::UTC)
    }

    /// A time in a zone: `14 Nov 2026, 21:34 UTC+3`. Short forms have their year.
    pub fn moment_in(&self, moment: &Timestamp, zone: &Zone) -> Moment {
        self.moment_unless(moment, zone, "")
    }

    /// A time in a zone, for a page that is shown now: short forms of this year have no year.
    pub fn moment_near(&self, moment: &Timestamp, zone: &Zone, now: Timestamp) -> Moment {
        let today = shifted(now, zone.minutes(now));
        self.moment_unless(moment, zone, today.get(0..4).unwrap_or_default())
    }

    /// A time whose short forms leave out this year.
    fn moment_unless(&self, moment: &Timestamp, zone: &Zone, this_year: &str) -> Moment {
        let ahead = zone.minutes(*moment);
        let local = shifted(*moment, ahead);
        let part = |from: usize, to: usize| local.get(from..to).unwrap_or_default();
        let number = |from, to| part(from, to).parse::<usize>().unwrap_or(0);
        let (year, time, clock) = (part(0, 4), part(11, 16), part(11, 19));
        let (number, month) = (number(8, 10), number(5, 7));
        let shown_year = if year == this_year { "" } else { year };
        let day = self.date(number, self.short_month(month), shown_year);
        let zone = said(ahead);
        let date = self.date(number, self.month(month), year);
        let between = match self.language {
            Language::English => ", ",
            Language::Russian => " в ",
        };
        Moment {
            exact: moment.to_string(),
            text: format!("{date}{between}{time} {zone}"),
            full: format!("{date}{between}{clock} {zone}"),
            short: format!("{day}, {time}"),
            day,
            clock: clock.to_owned(),
            fraction: part(19, 23).to_owned(),
        }
    }

    /// `14 Nov 2026`; without a year, `14 Nov`.
    fn date(&self, day: usize, month: &str, year: &str) -> String {
        match self.language {
            _ if year.is_empty() => format!("{day} {month}"),
            Language::English => format!("{day} {month} {year}"),
            Language::Russian => format!("{day} {month} {year}{NO_BREAK}г."),
        }
    }

    /// A calendar day, `2026-11-15`, without its year: `15 Nov`.
    pub fn calendar_day(&self, day: &str) -> String {
        let number = |from, to| day.get(from..to).and_then(|part| part.parse::<usize>().ok()).unwrap_or(0);
        self.date(number(8, 10), self.short_month(number(5, 7)), "")
    }

    /// The name of a month in a date.
    fn month(&self, number: usize) -> &'static str {
        match self.language {
            Language::English => of_month(number, SHORT_ENGLISH),
            Language::Russian => of_month(number, RUSSIAN),
        }
    }

    /// The short name of a month in a date.
    fn short_month(&self, number: usize) -> &'static str {
        match self.language {
            Language::English => of_month(number, SHORT_ENGLISH),
            Language::Russian => of_month(number, SHORT_RUSSIAN),
        }
    }
}

const SHORT_ENGLISH: &str = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec";
const RUSSIAN: &str = "января февраля марта апреля мая июня июля августа сентября октября ноября декабря";
const SHORT_RUSSIAN: &str = "янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.";

/// The name of a month, counted from one, of the twelve.
fn of_month(number: usize, names: &'static str) -> &'static str {
    names.split(' ').nth(number.wrapping_sub(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: Words = Words { language: Language::English };
    const RUSSIAN: Words = Words { language: Language::Russian };

    #[test]
    fn moments_are_written_as_each_language_does() {
        for (exact, english, russian) in [
            ("2026-11-14T18:34:05.000Z", "14 Nov 2026, 18:34 UTC", "14 ноября 2026\u{a0}г. в 18:34 UTC"),
            ("2024-02-29T00:00:00.000Z", "29 Feb 2024, 00:00 UTC", "29 февраля 2024\u{a0}г. в 00:00 UTC"),
            ("2027-05-01T09:05:59.999Z", "1 May 2027, 09:05 UTC", "1 мая 2027\u{a0}г. в 09:05 UTC"),
        ] {
            let moment = Timestamp::parse(exact).expect("a moment");
            assert_eq!(ENGLISH.moment(&moment).text, english);
            assert_eq!(RUSSIAN.moment(&moment).text, russian);
            assert_eq!(RUSSIAN.moment(&moment).exact, exact);
        }
    }

    #[test]
    fn a_short_moment_has_its_year_only_if_it_is_another_one() {
        let now = Timestamp::parse("2026-12-31T22:45:00Z").expect("a moment");
        let moscow = Zone::ahead(180);
        for (exact, zone, english, russian) in [
            ("2026-11-16T05:31:07Z", &Zone::UTC, "16 Nov, 05:31", "16 нояб., 05:31"),
            ("2026-05-01T05:31:07Z", &Zone::UTC, "1 May, 05:31", "1 мая, 05:31"),
            ("2025-09-02T05:31:07Z", &Zone::UTC, "2 Sept 2025, 05:31", "2 сент. 2025\u{a0}г., 05:31"),
            // Moscow has the new year already.
            ("2026-11-16T05:31:07Z", &moscow, "16 Nov 2026, 08:31", "16 нояб. 2026\u{a0}г., 08:31"),
            ("2026-12-31T21:00:00Z", &moscow, "1 Jan, 00:00", "1 янв., 00:00"),
        ] {
            let moment = Timestamp::parse(exact).expect("a moment");
            assert_eq!(ENGLISH.moment_near(&moment, zone, now).short, english);
            assert_eq!(RUSSIAN.moment_near(&moment, zone, now).short, russian);
        }
        let moment = Timestamp::parse("2026-11-16T05:31:07Z").expect("a moment");
        assert_eq!(ENGLISH.moment_near(&moment, &moscow, now).full, "16 Nov 2026, 08:31:07 UTC+3");
        assert_eq!(RUSSIAN.moment(&moment).full, "16 ноября 2026\u{a0}г. в 05:31:07 UTC");
        assert_eq!(RUSSIAN.calendar_day("2026-10-18"), "18 окт.");
    }

    #[test]
    fn a_zone_moves_the_words_and_not_the_moment() {
        let moment = Timestamp::parse("2026-12-31T22:45:00Z").expect("a moment");
        for (minutes, expected) in [
            (0, "31 Dec 2026, 22:45 UTC"),
            (180, "1 Jan 2027, 01:45 UTC+3"),
            (-210, "31 Dec 2026, 19:15 UTC-3:30"),
            (345, "1 Jan 2027, 04:30 UTC+5:45"),
            (i32::MAX, "1 Jan 2027, 16:45 UTC+18"),
        ] {
            let said = ENGLISH.moment_in(&moment, &Zone::ahead(minutes));
            assert_eq!(said.text, expected);
            assert_eq!(said.exact, "2026-12-31T22:45:00.000Z");
        }
    }

    #[test]
    fn a_named_zone_has_its_own_offset_at_every_moment() {
        let oslo = Zone::named(TimeZone::parse("Europe/Oslo").expect("a zone"));
        assert_eq!(oslo.name(), "Europe/Oslo");
        for (moment, expected, exact) in [
            ("2026-07-01T10:00:00Z", "1 Jul 2026, 12:00 UTC+2", "2026-07-01T12:00:00.000+02:00"),
            ("2026-12-01T10:00:00.114Z", "1 Dec 2026, 11:00 UTC+1", "2026-12-01T11:00:00.114+01:00"),
        ] {
            let moment = Timestamp::parse(moment).expect("a moment");
            assert_eq!(ENGLISH.moment_in(&moment, &oslo).text, expected);
            assert_eq!(oslo.exact(moment), exact);
        }
        let moment = Timestamp::parse("2026-12-01T10:00:05.114Z").expect("a moment");
        let said = RUSSIAN.moment_in(&moment, &oslo);
        assert_eq!((said.clock.as_str(), said.fraction.as_str()), ("11:00:05", ".114"));
        assert_eq!(said.day, "1 дек. 2026\u{a0}г.");
        assert_eq!(Zone::ahead(-210).exact(moment), "2026-12-01T06:30:05.114-03:30");
    }
}
