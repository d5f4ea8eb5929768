//! `till key`: the rotation of the master key.

use super::{
    Common,
    confirm::ConfirmOption,
    context::{Context, block_on},
    output::{complain, print},
    progress::Progress,
};
use anyhow::{Context as _, bail};
use clap::Subcommand;
use serde::Serialize;
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};
use till_domain::{audit::Actor, environment::EnvironmentName};
use till_service::{
    admin::{KeyRotation, ResealReport},
    status::short_id,
};
use till_store::{FailPoint, StoreError, StoredNode, StoredRotation};

/// How long running processes have to use the new key.
const NODES_WITHIN: Duration = Duration::from_secs(30);

/// The time in which requests end that were in progress when every process used the new key.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Put a new master key in use, and encrypt every stored secret with it
    #[command(
        after_help = "Set TILL_MASTER_KEY to the new key and TILL_MASTER_KEY_PREVIOUS to the one in use, restart every \
                      node with both, and run this with both. It can be interrupted and run again. Keep the previous \
                      key on the nodes until `till doctor` says that it is no longer needed."
    )]
    Rotate(ConfirmOption),
}

pub fn run(common: &Common, command: &KeyCommand) -> anyhow::Result<ExitCode> {
    match command {
        KeyCommand::Rotate(confirm) => block_on(rotate(common, confirm)),
    }
}

async fn rotate(common: &Common, confirm: &ConfirmOption) -> anyhow::Result<ExitCode> {
    let context = Context::open(common).await?;
    let vault = context.admin().await?.vault;
    let [live, sandbox] =
        [EnvironmentName::Live, EnvironmentName::Sandbox].map(|name| context.store(name).payments());
    let rotation = KeyRotation {
        accounts: &context.accounts,
        payments: [(EnvironmentName::Live, &live), (EnvironmentName::Sandbox, &sandbox)],
        vault: &vault,
    };
    if vault.previous_key().is_none() {
        bail!(
            "set TILL_MASTER_KEY to the new key and TILL_MASTER_KEY_PREVIOUS to the one in use, on every node and for \
             this command; create a key with: openssl rand -hex 32"
        );
    }
    let started = match rotation.started().await? {
        Some(started) => started,
        None if vault.uses_current() => {
            bail!("the store is sealed with TILL_MASTER_KEY already: remove TILL_MASTER_KEY_PREVIOUS")
        }
        None => start(&rotation, confirm).await?,
    };
    let sealing = async {
        wait_for_nodes(&rotation).await?;
        anyhow::Ok(reseal(&rotation).await?)
    };
    let report = tokio::select! {
        report = sealing => report,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    let report =
        report.context("the rotation is not complete: keep both keys, and run `till key rotate` again")?;
    FailPoint::RotationResealed.reach();
    for place in &report.unreadable {
        complain(&format!("warning: {place} cannot be decrypted with either key: it was left as it is"));
    }
    if started.completed_at.is_none() {
        rotation.complete(&started, &Actor::shell(), report.resealed).await?;
    }
    let finished = rotation.started().await?.and_then(|last| last.completed_at);
    let keep_until = finished.unwrap_or(context.accounts.now()).plus(context.settings().rules.token_lifetime);
    let row = RotatedRow {
        key: vault.current_key().to_owned(),
        resealed: report.resealed,
        unreadable: report.unreadable.len(),
        keep_previous_until: keep_until.to_string(),
    };
    print(common.json, &row, text)?;
    Ok(if report.unreadable.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Serialize)]
struct RotatedRow {
    /// The name of the key in use.
    key: String,
    /// Texts that this run sealed anew.
    resealed: u64,
    /// Texts that neither key opens.
    unreadable: usize,
    /// Until then, tokens that were signed with the previous key are in use.
    keep_previous_until: String,
}

fn text(row: &RotatedRow) -> String {
    format!(
        "The new master key ({}) is in use; secrets re-encrypted: {}. Keep TILL_MASTER_KEY_PREVIOUS on every node until {}, \
         when the last API token of the previous key ends. Then remove it and restart the nodes one by one: users who \
         logged in before the rotation log in again. Keep the previous key itself for as long as you keep backups from \
         before the rotation.",
        row.key, row.resealed, row.keep_previous_until
    )
}

/// Puts the new key in use, once every running process knows it.
async fn start(rotation: &KeyRotation<'_>, confirm: &ConfirmOption) -> anyhow::Result<StoredRotation> {
    refuse_unaware(rotation).await?;
    confirm.ask(
        "All nodes will switch to the new key, and every stored secret is encrypted with it again. Rotate?",
    )?;
    // A node may have been restarted while the question was on the screen.
    refuse_unaware(rotation).await?;
    rotation.start(&Actor::shell()).await?;
    FailPoint::RotationStarted.reach();
    match rotation.started().await? {
        Some(started) => Ok(started),
        None => bail!("nothing was changed: another rotation was started first; run `till doctor`"),
    }
}

/// An error if a running process does not know the new key.
async fn refuse_unaware(rotation: &KeyRotation<'_>) -> anyhow::Result<()> {
    let unaware = rotation.unaware_nodes().await?;
    if !unaware.is_empty() {
        bail!(
            "nothing was changed: these processes do not know the new key: {}. Restart each with the new \
             TILL_MASTER_KEY, and the one in use as TILL_MASTER_KEY_PREVIOUS. A process that was killed is no longer \
             counted after half a minute",
            names(&unaware)
        );
    }
    Ok(())
}

async fn wait_for_nodes(rotation: &KeyRotation<'_>) -> anyhow::Result<()> {
    let began = Instant::now();
    loop {
        let behind = rotation.nodes_behind().await?;
        if behind.is_empty() {
            return Ok(());
        }
        if began.elapsed() > NODES_WITHIN {
            bail!(
                "these processes do not use the new key yet: {}. Restart them with both keys, then run this again; \
                 until then both keys are needed",
                names(&behind)
            );
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Seals everything, until a pass finds nothing to seal. A request that was in progress when the key changed may have stored
/// something after the first pass, so the last one begins a moment later.
async fn reseal(rotation: &KeyRotation<'_>) -> Result<ResealReport, StoreError> {
    let (mut progress, total, mut resealed) = (Progress::new(), rotation.count().await?, 0);
    let last_pass_after = Instant::now() + SETTLED_AFTER;
    loop {
        let is_last = Instant::now() > last_pass_after;
        let report = rotation
            .reseal(|so_far| {
                progress.show(so_far.read, total.max(so_far.read + 1), || {
                    format!("{} rows read, {} secrets re-encrypted", so_far.read, resealed + so_far.resealed)
                });
            })
            .await?;
        resealed += report.resealed;
        if report.resealed == 0 && !is_last {
            tokio::time::sleep_until(last_pass_after.into()).await;
        } else if report.resealed == 0 {
            return Ok(ResealReport { resealed, ..report });
        }
    }
}

fn names(nodes: &[StoredNode]) -> String {
    let name = |node: &StoredNode| format!("{} at {}", short_id(node), node.listens);
    nodes.iter().map(name).collect::<Vec<_>>().join(", ")
}
