//! Points in time, in whole milliseconds since 1970, UTC.
//!
//! Written on the wire as ISO 8601 with exactly three fraction digits and `Z`. Nothing here reads a clock:
//! the current time comes from the store's clock, as an argument.

use std::{fmt, time::Duration};

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The last moment that the wire format can represent (year 9999).
const MAX_MS: i64 = 253_402_207_199_999;

impl Timestamp {
    /// The moment this many milliseconds after 1970-01-01T00:00:00Z; clamped to the years 1970 to 9999.
    #[must_use]
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(0, MAX_MS))
    }

    /// Parses a moment in RFC 3339 format.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|moment| Self::from_ms(moment.as_millisecond()))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn as_ms(self) -> i64 {
        self.0
    }

    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(MAX_MS);
        Self::from_ms(self.0.saturating_add(ms))
    }

    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(MAX_MS);
        Self::from_ms(self.0.saturating_sub(ms))
    }

    /// The time from `earlier` until this; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0 - earlier.0).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => unreachable!("from_ms keeps to the years that can be shown"),
        }
    }
}

/// A time zone of the IANA database, such as `Europe/Oslo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeZone(String);

impl TimeZone {
    #[must_use]
    pub fn utc() -> Self {
        Self("UTC".to_owned())
    }

    /// The zone with this name, in any case; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let zone = ZONES.get(name.trim()).ok()?;
        zone.iana_name().map(|name| Self(name.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The offset of the zone from UTC at a moment, in seconds.
    #[must_use]
    pub fn seconds_ahead(&self, at: Timestamp) -> i32 {
        let (zone, moment) = (ZONES.get(&self.0), jiff::Timestamp::from_millisecond(at.as_ms()));
        zone.ok().zip(moment.ok()).map_or(0, |(zone, moment)| zone.to_offset(moment).seconds())
    }

    /// The start of a calendar day such as `2026-11-15` in this zone. `None` if there is no such day.
    #[must_use]
    pub fn day_start(&self, day: &str) -> Option<Timestamp> {
        let day: jiff::civil::Date = day.parse().ok().filter(|_| day.len() == 10)?;
        let start = day.to_zoned(ZONES.get(&self.0).ok()?).ok()?;
        let start = start.timestamp().as_millisecond();
        (0..=MAX_MS).contains(&start).then_some(Timestamp(start))
    }

    /// The moment at which the local time in this zone is, for example, `2026-11-15T09:30`. `None` if it is
    /// not a time.
    #[must_use]
    pub fn moment(&self, local: &str) -> Option<Timestamp> {
        let local: jiff::civil::DateTime = local.parse().ok().filter(|_| local.len() >= 16)?;
        let moment = local.to_zoned(ZONES.get(&self.0).ok()?).ok()?.timestamp().as_millisecond();
        (0..=MAX_MS).contains(&moment).then_some(Timestamp(moment))
    }

    /// The start of the day after this one.
    #[must_use]
    pub fn day_end(&self, day: &str) -> Option<Timestamp> {
        let day: jiff::civil::Date = day.parse().ok()?;
        self.day_start(&day.tomorrow().ok()?.to_string())
    }

    /// The start and the end of a month such as `2026-11`.
    #[must_use]
    pub fn month(&self, text: &str) -> Option<(Timestamp, Timestamp)> {
        let (year, month) = text.split_once('-')?;
        let digits = |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        let first = jiff::civil::Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
        let next = first.last_of_month().tomorrow().ok()?;
        let since = self.day_start(&first.to_string()).filter(|_| digits(year, 4) && digits(month, 2))?;
        Some((since, self.day_start(&next.to_string())?))
    }

    /// The calendar day in this zone: `2026-11-15`.
    #[must_use]
    pub fn day_of(&self, at: Timestamp) -> String {
        let local = at.as_ms() + i64::from(self.seconds_ahead(at)) * 1000;
        Timestamp::from_ms(local).to_string().chars().take(10).collect()
    }

    /// The names of all zones, for people to choose from.
    #[must_use]
    pub fn names() -> Vec<String> {
        ZONES.available().map(|name| name.to_string()).collect()
    }
}

/// The time zone database that is compiled in: the files of the machine have no influence.
static ZONES: std::sync::LazyLock<jiff::tz::TimeZoneDatabase> =
    std::sync::LazyLock::new(jiff::tz::TimeZoneDatabase::bundled);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_show_exactly_three_fraction_digits() {
        let check = |ms, expected: &str| assert_eq!(Timestamp::from_ms(ms).to_string(), expected);
        check(0, "1970-01-01T00:00:00.000Z");
        check(1_763_164_800_120, "2025-11-15T00:00:00.120Z");
        check(951_782_400_001, "2000-02-29T00:00:00.001Z");
        check(-5, "1970-01-01T00:00:00.000Z");
        check(i64::MAX, "9999-12-30T21:59:59.999Z");
    }

    #[test]
    fn adding_and_subtracting_never_overflow() {
        let moment = Timestamp::from_ms(1_000);
        assert_eq!(moment.plus(Duration::from_secs(2)).as_ms(), 3_000);
        assert_eq!(moment.minus(Duration::from_secs(2)).as_ms(), 0);
        assert_eq!(moment.plus(Duration::MAX).as_ms(), MAX_MS);
        assert_eq!(moment.since(Timestamp::from_ms(400)), Duration::from_millis(600));
        assert_eq!(moment.since(Timestamp::from_ms(4_000)), Duration::ZERO);
    }

    #[test]
    fn a_day_begins_when_its_zone_says_so() {
        let oslo = TimeZone::parse("Europe/Oslo").expect("a zone");
        let start = |day: &str| oslo.day_start(day).map(|start| start.to_string());
        assert_eq!(start("2026-11-15").as_deref(), Some("2026-11-14T23:00:00.000Z"));
        assert_eq!(start("2026-07-01").as_deref(), Some("2026-06-30T22:00:00.000Z"));
        // The day on which daylight saving time begins has 23 hours.
        let (began, ended) = (oslo.day_start("2026-03-29"), oslo.day_end("2026-03-29"));
        let hours = ended.zip(began).map(|(ended, began)| ended.since(began).as_secs() / 3600);
        assert_eq!(hours, Some(23));
        for day in
            ["", "2026-02-30", "2026-11-15T00:00", "15.11.2026", "-000001-01-01", "1950-01-01", "9999-12-31"]
        {
            assert_eq!(start(day), None, "{day}");
        }
        let utc = |local: &str| oslo.moment(local).map(|moment| moment.to_string());
        assert_eq!(utc("2026-11-15T09:30").as_deref(), Some("2026-11-15T08:30:00.000Z"));
        assert_eq!((utc("2026-11-15"), utc("yesterday"), utc("2026-11-15T25:00")), (None, None, None));
        assert_eq!(oslo.day_of(Timestamp::from_ms(1_794_697_200_000)), "2026-11-15");
        assert_eq!(oslo.day_of(Timestamp::from_ms(1_794_697_199_999)), "2026-11-14");
    }

    #[test]
    fn a_zone_is_known_by_its_name_and_knows_summer() {
        let oslo = TimeZone::parse("europe/oslo").expect("a zone");
        assert_eq!(oslo.as_str(), "Europe/Oslo");
        let winter = Timestamp::from_ms(1_763_164_800_000);
        assert_eq!(oslo.seconds_ahead(winter), 3_600);
        assert_eq!(oslo.seconds_ahead(winter.plus(Duration::from_secs(180 * 86_400))), 7_200);
        assert_eq!(TimeZone::parse("Mars/Olympus"), None);
        assert!(TimeZone::names().iter().any(|name| name == "Asia/Yekaterinburg"));
    }
}
