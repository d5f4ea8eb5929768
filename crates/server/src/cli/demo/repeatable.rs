//! A demo that is the same in every run, for automated tests: its ids and secrets follow from a seed, and its time stands
//! still until a test moves it.

use crate::app::is_loopback;
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use std::{net::SocketAddr, ops::Range};
use till_domain::time::Timestamp;
use till_service::{
    callbacks::TrafficLimits,
    random,
    settings::{CallbackSettings, Settings},
};
use till_store::Clock;
use url::Url;

/// The time at which a manual clock starts: 2026-01-01T00:00:00Z.
const START_MS: i64 = 1_767_225_600_000;

/// The times between which a manual clock starts: 1971-01-01T00:00:00Z, and before 9999-01-01T00:00:00Z, so that there
/// are times to move it to.
const STARTS_MS: Range<i64> = 31_536_000_000..253_370_764_800_000;

/// What a folder with secrets that can be calculated does not work without, as the beginning of an error.
const SEEDED_FOLDER: &str = "a folder that was filled with --seed needs";

#[derive(Debug, Args)]
pub(super) struct Repeatable {
    /// The clock: that of the machine, or a manual one that stands still until it is moved with POST /sandbox/clock.
    /// Callbacks are sent and sessions expire only while it is moved
    #[arg(long, value_enum, default_value = "machine", hide_possible_values = false)]
    clock: ClockKind,
    /// The time at which the manual clock starts [default: 2026-01-01T00:00:00Z]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    clock_start: Option<Timestamp>,
    /// Derive every id and secret from this number, so that they are the same in every run. They are no secrets then, so
    /// the demo has to be reachable from this machine alone
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockKind {
    Machine,
    Manual,
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text)
        .filter(|time| STARTS_MS.contains(&time.as_ms()))
        .ok_or_else(|| "write it like 2026-01-01T00:00:00Z, with a year from 1971 to 9998".to_owned())
}

impl Repeatable {
    pub(super) fn has_manual_clock(&self) -> bool {
        self.clock == ClockKind::Manual
    }

    /// The options that were given, as the beginning of an error about what they need.
    fn given(&self) -> Option<&'static str> {
        match (self.seed, self.clock) {
            (None, ClockKind::Machine) => None,
            (Some(_), ClockKind::Machine) => Some("--seed needs"),
            (None, ClockKind::Manual) => Some("--clock manual needs"),
            (Some(_), ClockKind::Manual) => Some("--seed and --clock manual need"),
        }
    }

    /// Refuses addresses that other machines can reach, also if the folder was filled with a seed before. `listen` is
    /// the name of the option or setting that the address of the service comes from.
    pub(super) fn check_listeners(
        &self,
        settings: &Settings,
        listen: &str,
        was_seeded: bool,
    ) -> anyhow::Result<()> {
        if self.clock_start.is_some() && !self.has_manual_clock() {
            bail!("--clock-start is the start of a manual clock: add --clock manual");
        }
        let before = was_seeded.then_some(SEEDED_FOLDER);
        self.given().or(before).map_or(Ok(()), |given| check_reach(settings, listen, given))
    }

    /// True if every id and secret follows from a number.
    pub(super) fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// Refuses a folder with data: their ids are not the seed's, and their time has passed.
    pub(super) async fn check_store(&self, settings: &Settings) -> anyhow::Result<()> {
        let Some(given) = self.given() else { return Ok(()) };
        if settings.place.has_store().await.with_context(|| settings.name_place())? {
            bail!(
                "{given} an empty data folder, and {} has data: use --ephemeral, or start over with --reset",
                settings.data_dir.display()
            );
        }
        Ok(())
    }

    /// Seeds this process, and returns its clock if that is a manual one.
    pub(super) fn start(&self) -> Option<Clock> {
        if let Some(seed) = self.seed {
            random::seed(seed);
        }
        self.has_manual_clock()
            .then(|| Clock::manual(self.clock_start.unwrap_or_else(|| Timestamp::from_ms(START_MS))))
    }

    /// With a manual clock many callbacks are due at the same time: they are sent one after the other, in the same order
    /// in every run.
    pub(super) fn send_in_order(&self, callbacks: &mut CallbackSettings) {
        if self.has_manual_clock() {
            callbacks.limits = TrafficLimits { all: 1, vendor: 1, host: 1 };
        }
    }

    /// The line of the start text.
    pub(super) fn note(&self, clock_url: Option<&str>) -> String {
        let seed = self.seed.map_or_else(String::new, |seed| {
            format!("  Seed             {seed}   (ids and secrets are the same in every run)\n")
        });
        let clock = clock_url.map_or_else(String::new, |url| {
            format!(
                "  Clock            stands still; to move it, and to let what is due happen:\n                   curl -s {url} -H 'Content-Type: \
                 application/json' -d '{{\"advance_ms\":60000}}'\n"
            )
        });
        seed + &clock
    }
}

/// Refuses to serve a folder that was filled with a seed under addresses that other machines can reach.
pub(super) fn check_seeded_folder(settings: &Settings) -> anyhow::Result<()> {
    check_reach(settings, "TILL_LISTEN", SEEDED_FOLDER)
}

/// Refuses settings with addresses that other machines can reach; `given` says what needs others.
fn check_reach(settings: &Settings, listen: &str, given: &str) -> anyhow::Result<()> {
    let open = |(_, address): &(_, Option<SocketAddr>)| address.is_some_and(|a| !a.ip().is_loopback());
    let listeners = [(listen, Some(settings.listen)), ("TILL_METRICS_LISTEN", settings.metrics_listen)];
    if let Some((name, Some(address))) = listeners.into_iter().find(open) {
        bail!("{name} is {address}: {given} an address that only this machine can reach, such as 127.0.0.1");
    }
    let urls = [("TILL_BASE_URL", &settings.base_url), ("TILL_CHECKOUT_URL", &settings.checkout_url)];
    for (name, url) in urls {
        let Some(url) = url else { continue };
        if !Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
            bail!("{name} is {url}: {given} a URL that only this machine can reach, or none");
        }
    }
    Ok(())
}
