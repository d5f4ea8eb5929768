//! Notifications to the service manager (`sd_notify`): ready, alive, stopping. Nothing is sent unless it asked for them by
//! `NOTIFY_SOCKET`.

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};

/// The service listens and takes requests. From now on the watchdog is fed, if there is one: a process whose tasks no
/// longer run is restarted.
pub fn ready(base_url: &str) {
    send(&[NotifyState::Ready, NotifyState::Status(&format!("serves {base_url}"))]);
    if let Some(period) = sd_notify::watchdog_enabled() {
        // A third of the time, so that one late task is no reason for a restart.
        let mut ticks = interval((period / 3).max(std::time::Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                send(&[NotifyState::Watchdog]);
            }
        });
    }
}

/// The service finishes the requests in progress and ends.
pub fn stopping() {
    send(&[NotifyState::Stopping, NotifyState::Status("finishes the requests in progress")]);
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "the service manager was not notified");
    }
}
