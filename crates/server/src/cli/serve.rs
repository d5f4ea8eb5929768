//! `till serve`.

use super::{Common, context::variables, demo, service_manager};
use crate::app::{App, AppOptions};
use clap::Args;
use std::{net::SocketAddr, process::ExitCode};
use till_service::{listener::open_files, settings::Settings, telemetry};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

#[derive(Debug, Args)]
pub struct ServeOptions {
    /// Address and port to listen on; overrides TILL_LISTEN
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

/// Runs the service until it is stopped.
pub fn run(common: &Common, options: &ServeOptions) -> anyhow::Result<ExitCode> {
    let (config, mut variables) = variables(common)?;
    if let Some(listen) = options.listen {
        variables.retain(|(name, _)| name != "TILL_LISTEN");
        variables.push(("TILL_LISTEN".to_owned(), listen.to_string()));
    }
    let settings = Settings::load(config.as_deref(), variables)?;
    demo::check_folder(&settings)?;
    run_until_stopped(settings, AppOptions::default(), |_| Ok(()))
}

/// Runs a service with these settings; `started` is called once it listens.
pub fn run_until_stopped(
    settings: Settings,
    options: AppOptions,
    started: impl FnOnce(&mut App) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let _log = telemetry::start(settings.log_format, settings.log_filter());
    open_files::raise();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut hangup = options.ends_with_terminal.then(|| signal(SignalKind::hangup())).transpose()?;
        let mut app = App::start(settings, options).await?;
        let (stop, stopped) = watch::channel(false);
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            let mut next = async || {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                    _ = async { hangup.as_mut()?.recv().await }, if hangup.is_some() => {}
                }
            };
            next().await;
            tracing::info!("stopping: finishing the requests in progress; a second signal stops at once");
            service_manager::stopping();
            let _ = stop.send(true);
            next().await;
            std::process::exit(1);
        });
        tracing::info!(address = %app.address, "till {} serves {}", env!("CARGO_PKG_VERSION"), app.base_url());
        if let Some(address) = app.metrics_address {
            tracing::info!("metrics are at http://{address}/metrics");
        }
        started(&mut app)?;
        service_manager::ready(app.base_url());
        app.run(stopped).await;
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    })
}
