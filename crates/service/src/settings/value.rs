//! Parsers of settings. Each error is the rest of a sentence that begins with the setting's name.

use crate::{limits::Rate, telemetry::LogFormat, vault::MasterKey};
use axum::http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use secrecy::SecretString;
use std::{net::SocketAddr, time::Duration};
use till_domain::{delivery::Schedule, ledger::Terms, text::email, weburl::WebUrl};
use tracing_subscriber::EnvFilter;
use url::Url;

/// Parses `250ms`, `30s`, `15m`, `1h` or `1d`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(ms).map(Duration::from_millis)
}

/// A duration in the form of the settings: `7d`.
#[must_use]
pub fn duration_words(duration: Duration) -> String {
    const UNITS: [(u128, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let ms = duration.as_millis();
    let unit = UNITS.iter().find(|(unit, _)| ms > 0 && ms.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{ms}ms"), |(unit, name)| format!("{}{name}", ms / unit))
}

/// The problem with a duration. A bare number most likely lacks its unit.
fn wrong_duration(text: &str, rule: &str) -> String {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return format!("is {text:?}: write a unit, such as {text}s; {rule}");
    }
    format!("is {text:?}: {rule}")
}

pub(super) fn lifetime(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text)
        .ok_or_else(|| wrong_duration(text, "use a duration such as 15m, 30s or 250ms"))?;
    if duration.is_zero() || duration > Duration::from_secs(365 * 86_400) {
        return Err(format!("is {text:?}: use a duration longer than 0 and at most a year"));
    }
    Ok(duration)
}

pub(super) fn delay(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).filter(|duration| *duration <= Terms::MAX_DELAY);
    duration.ok_or_else(|| wrong_duration(text, "use a duration such as 0s or 7d, at most a year"))
}

pub(super) fn retention(text: &str) -> Result<Duration, String> {
    const DAY: u64 = 86_400;
    let allowed = Duration::from_secs(DAY)..=Duration::from_secs(3_650 * DAY);
    let duration = parse_duration(text).filter(|duration| allowed.contains(duration));
    duration.ok_or_else(|| wrong_duration(text, "use a duration from 1d to 3650d, such as 90d"))
}

/// A time of day such as `02:00`, as the time since midnight; `None` for `off`.
pub(super) fn time_of_day(text: &str) -> Result<Option<Duration>, String> {
    if matches!(text, "off" | "no" | "false") {
        return Ok(None);
    }
    let number = |text: &str, below: u64| {
        let fits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|number| fits && *number < below)
    };
    let parts = text.split_once(':').and_then(|(hours, minutes)| number(hours, 24).zip(number(minutes, 60)));
    let (hours, minutes) =
        parts.ok_or_else(|| format!("is {text:?}: use a time of day in UTC such as 02:00, or off"))?;
    Ok(Some(Duration::from_secs((hours * 60 + minutes) * 60)))
}

pub(super) fn lease(text: &str) -> Result<Duration, String> {
    let allowed = Duration::from_secs(1)..=Duration::from_secs(30);
    let duration = parse_duration(text).filter(|duration| allowed.contains(duration));
    duration.ok_or_else(|| wrong_duration(text, "use a duration from 1s to 30s"))
}

pub(super) fn schedule(text: &str) -> Result<Schedule, String> {
    let wrong = || {
        format!(
            "is {text:?}: use the retry times after the first attempt, each later than the one before, \
             such as 30s,2m,5m"
        )
    };
    let times = text.split(',').map(str::trim).filter(|time| !time.is_empty());
    let retries: Option<Vec<Duration>> = times.map(parse_duration).collect();
    retries.and_then(Schedule::new).ok_or_else(wrong)
}

/// The timeout of an attempt. Its bound ensures that an attempt ends before the lease of its event.
pub(super) fn attempt_timeout(text: &str) -> Result<Duration, String> {
    let allowed = Duration::from_millis(100)..=Duration::from_secs(25);
    let duration = parse_duration(text).filter(|duration| allowed.contains(duration));
    duration.ok_or_else(|| wrong_duration(text, "use a duration of at least 100ms and at most 25s"))
}

/// An e-mail address or a web address.
pub(super) fn contact(text: &str) -> Result<String, String> {
    let web = text.starts_with("https://") || text.starts_with("http://");
    let good = if web { WebUrl::parse(text).is_ok() } else { email(text).is_ok() };
    let bad = || format!("is {text:?}: use an email address or an https URL");
    if good { Ok(text.to_owned()) } else { Err(bad()) }
}

/// The address of a page of the operator's.
pub(super) fn page_url(text: &str) -> Result<String, String> {
    let url = WebUrl::parse(text).map_err(|_| format!("is {text:?}: use an https or http URL"))?;
    Ok(url.as_str().to_owned())
}

/// Headers as `name=value`, separated by commas. The values are secrets, so no error repeats them.
pub(super) fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let header = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    };
    let all: Option<Vec<_>> = text.split(',').map(header).collect();
    all.ok_or_else(|| "is not a list of headers: use name=value, separated by commas".to_owned())
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "on" | "yes" => Ok(true),
        "false" | "off" | "no" => Ok(false),
        _ => Err(format!("is {text:?}: use true or false (or on and off)")),
    }
}

pub(super) fn embedded(text: &str) -> Result<bool, String> {
    match text {
        "redirect" => Ok(false),
        "embedded" => Ok(true),
        _ => Err(format!("is {text:?}: use redirect or embedded")),
    }
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("is {text:?}: use an address and a port such as 127.0.0.1:8080"))
}

pub(super) fn public_url(text: &str) -> Result<String, String> {
    let wrong = || format!("is {text:?}: use an address such as https://pay.example.com, without ? and #");
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if !(lower.starts_with("http://") || lower.starts_with("https://")) {
        return Err(wrong());
    }
    let url = Url::parse(text).map_err(|_| wrong())?;
    let plain = matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    let anonymous = url.username().is_empty() && url.password().is_none();
    if !plain || !anonymous || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let network = |part: &str| {
        let single = || part.parse::<std::net::IpAddr>().map(IpNet::from);
        part.parse::<IpNet>().or_else(|_| single()).map_err(|_| {
            format!("has {part:?}: use networks such as 10.0.0.0/8 or addresses, separated by commas")
        })
    };
    parts.map(network).collect()
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| format!("is {text:?}: use a whole number from 1 to 1000000"))
}

pub(super) fn rate(text: &str) -> Result<Rate, String> {
    Rate::parse(text)
        .ok_or_else(|| format!("is {text:?}: use a rate such as 100/s burst 200, or 0 for no limit"))
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("is {text:?}: use text or json")),
    }
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => {
            Err(format!("is {text:?}: use error, warn, info, debug, or a filter such as till=debug,warn"))
        }
    }
}

/// The error for a key that can be guessed.
pub(super) const TRIVIAL_KEY: &str = "contains a key that can be guessed; create one with: openssl rand -hex \
    32";

pub(super) fn master_key(text: &str) -> Result<SecretString, String> {
    // The text itself is never repeated: even a wrong one is a secret.
    match MasterKey::parse(text) {
        Some(key) if key.is_trivial() => Err(TRIVIAL_KEY.to_owned()),
        Some(_) => Ok(text.into()),
        None => {
            Err("must be 64 hex digits or base64 of 32 bytes; create one with: openssl rand -hex 32"
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_has_hours_and_minutes() {
        let at = |minutes: u64| Ok(Some(Duration::from_secs(minutes * 60)));
        for (text, read) in [("00:00", at(0)), ("02:00", at(120)), ("23:59", at(1_439)), ("off", Ok(None))] {
            assert_eq!(time_of_day(text), read, "{text}");
        }
        for text in ["", "2:00", "24:00", "02:60", "02:00:00", "+2:00", "on", "02.00"] {
            assert!(time_of_day(text).is_err_and(|told| told.contains("such as 02:00, or off")), "{text}");
        }
    }

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for (text, ms) in
            [("250ms", 250), ("30s", 30_000), ("15m", 900_000), ("1h", 3_600_000), ("1d", 86_400_000)]
        {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "15", "m", "1.5h", "-1s", "1 s", "99999999999999999999s", "99999999999999999d"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
