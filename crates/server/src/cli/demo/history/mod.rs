//! The demo's sample payments: a month of history that ends now, so that no page of the panel is empty.
//!
//! `month.rs` plans it, `life.rs` and `refunds.rs` write it: the decisions are the domain's, the answers are
//! the simulated bank's, and the way into the store is that of every payment. Only the times are in the past.

mod bank;
mod delivery;
mod dice;
mod life;
mod month;
mod past;
mod refunds;

use super::people::{DemoVendors, vendor_id};
use crate::cli::{context::Context, output};
use anyhow::Context as _;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use life::live_through;
use month::Purchase;
use past::Past;
use refunds::refund_all;
use std::{pin::pin, time::Duration};
use till_domain::{environment::EnvironmentName, id::VendorId};
use till_service::settings::Settings;

/// Sessions that are written at the same time: the store puts their commits into one transaction.
const AT_ONCE: usize = 128;

/// The time after which the demo says what it is doing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes the history of both vendors, which have none yet.
pub(super) async fn write(context: &Context, vendors: &DemoVendors) -> anyhow::Result<()> {
    let mut writing = pin!(write_both(context, vendors));
    if let Ok(written) = tokio::time::timeout(PATIENCE, &mut writing).await {
        return written;
    }
    output::complain("Writing a month of sample payments…");
    writing.await
}

async fn write_both(context: &Context, vendors: &DemoVendors) -> anyhow::Result<()> {
    let live = past(context, EnvironmentName::Live, vendor_id(&vendors.live)?).await?;
    let sandbox = past(context, EnvironmentName::Sandbox, vendor_id(&vendors.sandbox)?).await?;
    write_one(&live, &month::live()).await?;
    write_one(&sandbox, &month::sandbox()).await
}

async fn past(context: &Context, name: EnvironmentName, vendor: VendorId) -> anyhow::Result<Past<'_>> {
    let (store, home) = (context.store(name), home(context.settings()));
    let checkout_url = context.settings().checkout_url.clone().unwrap_or_else(|| home.clone());
    let vendor = context.accounts.vendor(vendor).await?;
    Ok(Past {
        store,
        vendor: vendor.context("the vendor was created")?,
        rules: past::rules(&store.rules()),
        schedule: context.schedule(),
        now: store.now(),
        checkout_url: match name {
            EnvironmentName::Live => checkout_url,
            EnvironmentName::Sandbox => format!("{checkout_url}/sandbox"),
        },
        shop_url: format!("{home}/shop"),
    })
}

/// The demo's address. A port that the system picks is not known yet; nothing listens at port 9.
fn home(settings: &Settings) -> String {
    let mut listen = settings.listen;
    if listen.port() == 0 {
        listen.set_port(9);
    }
    settings.base_url.clone().unwrap_or_else(|| format!("http://{listen}"))
}

/// Writes one vendor's history: every session with its end, then the refunds.
async fn write_one(past: &Past<'_>, orders: &[Purchase]) -> anyhow::Result<()> {
    let lives: Vec<_> = orders
        .iter()
        .map(|order| async move { anyhow::Ok((live_through(past, order).await?, order.refund)) })
        .collect();
    let ended: Vec<_> = stream::iter(lives).buffer_unordered(AT_ONCE).try_collect().await?;
    let refunded: Vec<_> = ended.into_iter().filter_map(|(paid, refund)| paid.zip(refund)).collect();
    if refunded.is_empty() { Ok(()) } else { refund_all(past, refunded).await }
}
