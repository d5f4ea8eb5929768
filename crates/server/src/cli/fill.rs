//! `till fill-ledger`: makes entries for `bench/ledger`. Only in a binary that is built for benches.

use super::{
    Common,
    context::{Context, block_on, vendor_id},
};
use anyhow::Context as _;
use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::process::ExitCode;
use till_domain::{
    change::Change,
    environment::EnvironmentName,
    id::{EntryId, VendorId},
    ledger::{Account, Entry, EntryKind, Heading, Posting},
    money::Currency,
};
use till_service::random;
use till_store::Payments;

/// Entries of one commit: as many as are batched under load.
const AT_ONCE: u64 = 64;

/// Postings of each entry.
const LEGS: u64 = 3;

/// Commits in flight.
const COMMITS: usize = 8;

#[derive(Debug, Args)]
pub struct FillOptions {
    /// The vendor whose ledger is filled
    #[arg(value_parser = vendor_id, value_name = "VENDOR_ID")]
    vendor: VendorId,
    /// Number of postings, three for each payment
    postings: u64,
}

/// Runs `till fill-ledger`. The payments belong to no session; everything else about them is real.
pub fn run(common: &Common, options: &FillOptions) -> anyhow::Result<ExitCode> {
    block_on(async {
        let context = Context::open(common).await?;
        let live = context.store(EnvironmentName::Live);
        let currency = Currency::parse("RUB").context("there are roubles")?;
        let lists = options.postings.div_ceil(AT_ONCE * LEGS);
        let commits = (0..lists).map(|list| {
            let changes: Vec<Change> = (0..AT_ONCE)
                .map(|line| payment(live, options.vendor, currency, list * AT_ONCE + line))
                .collect();
            async move { live.commit(&changes).await }
        });
        let done: Vec<_> = stream::iter(commits).buffer_unordered(COMMITS).try_collect().await?;
        anyhow::ensure!(done.len() as u64 == lists, "some were not written");
        Ok(ExitCode::SUCCESS)
    })
}

fn payment(live: &Payments, vendor: VendorId, currency: Currency, number: u64) -> Change {
    let now = live.now();
    let (id, cause) = (random::id::<EntryId>(now), random::id::<EntryId>(now));
    let kind = EntryKind::Payment;
    let heading = Heading { id, vendor, kind, cause: cause.into(), session: None, currency, at: now };
    let amount = 10_000 + i64::try_from(number % 90_000).unwrap_or(0);
    let fee = amount / 40;
    let postings = [
        Posting::new(Account::Clearing("bench".to_owned()), -amount),
        Posting::new(Account::Available, amount - fee),
        Posting::new(Account::Fees, fee),
    ];
    Change::PostEntry(Box::new(Entry::new(heading, postings)))
}
