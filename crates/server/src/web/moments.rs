//! Moments, as each language writes them, in a zone that is said with them.

use super::{language::Language, words::Words};
use till_domain::time::Timestamp;

/// Keeps a number and what belongs to it on one line.
const NO_BREAK: char = '\u{a0}';

/// A moment for people and for the script.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// RFC 3339, UTC.
    pub exact: String,
    /// In words, with its zone.
    pub text: String,
    /// In words, for a table whose heading names the zone.
    pub short: String,
}

/// In which zone moments are said: so many minutes ahead of UTC.
///
/// A zone with summer time is another offset in summer: the caller looks it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    offset_minutes: i32,
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self { offset_minutes: 0 };

    /// A zone so many minutes ahead of UTC; none has more than 18 hours.
    #[must_use]
    pub fn ahead(minutes: i32) -> Self {
        Self { offset_minutes: minutes.clamp(-18 * 60, 18 * 60) }
    }

    /// `UTC`, `UTC+3`, `UTC-3:30`.
    #[must_use]
    pub fn name(self) -> String {
        let (hours, minutes) = (self.offset_minutes.abs() / 60, self.offset_minutes.abs() % 60);
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        match (hours, minutes) {
            (0, 0) => "UTC".to_owned(),
            (_, 0) => format!("UTC{sign}{hours}"),
            _ => format!("UTC{sign}{hours}:{minutes:02}"),
        }
    }
}

impl Words {
    /// A moment in UTC: `14 Nov 2026, 18:34 UTC`.
    pub fn moment(&self, moment: &Timestamp) -> Moment {
        self.moment_in(moment, Zone::UTC)
    }

    /// A moment in a zone: `14 Nov 2026, 21:34 UTC+3`.
    pub fn moment_in(&self, moment: &Timestamp, zone: Zone) -> Moment {
        let local = Timestamp::from_ms(moment.as_ms() + i64::from(zone.offset_minutes) * 60_000).to_string();
        // Always `2026-11-14T18:34:05.000Z`.
        let part = |from: usize, to: usize| local.get(from..to).unwrap_or_default();
        let number = |from, to| part(from, to).parse::<usize>().unwrap_or(0);
        let (year, time, day) = (part(0, 4), part(11, 16), number(8, 10));
        let month = self.months().get(number(5, 7).wrapping_sub(1)).copied().unwrap_or_default();
        let short = match self.language {
            Language::English => format!("{day} {month} {year}, {time}"),
            Language::Russian => format!("{day} {month} {year}{NO_BREAK}г. в {time}"),
        };
        Moment { exact: moment.to_string(), text: format!("{short} {}", zone.name()), short }
    }

    fn months(&self) -> [&'static str; 12] {
        match self.language {
            Language::English => {
                ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"]
            }
            Language::Russian => [
                "января",
                "февраля",
                "марта",
                "апреля",
                "мая",
                "июня",
                "июля",
                "августа",
                "сентября",
                "октября",
                "ноября",
                "декабря",
            ],
        }
    }
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
    fn a_zone_moves_the_words_and_not_the_moment() {
        let moment = Timestamp::parse("2026-12-31T22:45:00Z").expect("a moment");
        for (minutes, expected) in [
            (0, "31 Dec 2026, 22:45 UTC"),
            (180, "1 Jan 2027, 01:45 UTC+3"),
            (-210, "31 Dec 2026, 19:15 UTC-3:30"),
            (345, "1 Jan 2027, 04:30 UTC+5:45"),
            (i32::MAX, "1 Jan 2027, 16:45 UTC+18"),
        ] {
            let said = ENGLISH.moment_in(&moment, Zone::ahead(minutes));
            assert_eq!(said.text, expected);
            assert_eq!(said.exact, "2026-12-31T22:45:00.000Z");
        }
    }
}
