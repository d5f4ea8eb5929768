//! `till search`: finds a payment by anything that is known of it.

use super::{
    Common,
    context::{Context, block_on},
    output::{print, table},
};
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;
use till_domain::environment::EnvironmentName;
use till_providers::Simulator;
use till_service::{
    registry::ProviderKind,
    search::{Hit, HitTarget, MAX_QUERY, MOST, Search, Searched},
};

#[derive(Debug, Args)]
pub struct SearchOptions {
    /// An id or its beginning, an order or its beginning, an amount, a customer's or user's email address, a
    /// provider's reference, a transaction hash, an address of a chain, a request id, or a vendor's name
    text: String,
}

/// Runs `till search`.
pub fn run(common: &Common, options: &SearchOptions) -> anyhow::Result<ExitCode> {
    block_on(async move {
        let q: String = options.text.trim().chars().take(MAX_QUERY).collect();
        if q.is_empty() {
            bail!("the text to search for is empty");
        }
        let context = Context::open(common).await?;
        let providers = || ProviderKind::NAMES.into_iter().chain([Simulator::NAME]).collect();
        let searched = |name| Searched { store: context.store(name), providers: providers() };
        let environments = [EnvironmentName::Live, EnvironmentName::Sandbox].map(searched);
        let mut hits = Search::new(&context.accounts, environments).find(&q).await?;
        let more = hits.len() > MOST;
        hits.truncate(MOST);
        let found = SearchReport { hits: hits.into_iter().map(HitRow::from).collect(), more };
        print(common.json, &found, |found| found.text())?;
        Ok(ExitCode::SUCCESS)
    })
}

#[derive(Serialize)]
struct SearchReport {
    hits: Vec<HitRow>,
    /// True if there are more hits.
    more: bool,
}

#[derive(Serialize)]
struct HitRow {
    found_by: &'static str,
    environment: Option<&'static str>,
    description: String,
    /// The command that shows it.
    show: String,
}

impl From<Hit> for HitRow {
    fn from(hit: Hit) -> Self {
        let environment = hit.environment.map(EnvironmentName::as_str);
        let env = environment.map(|name| format!(" --env {name}")).unwrap_or_default();
        Self {
            found_by: hit.what.word(),
            environment,
            description: hit.name,
            show: match hit.target {
                HitTarget::Session(id) => format!("till session show {id}{env}"),
                HitTarget::Callback(id) => format!("till callback show {id}{env}"),
                HitTarget::Action(id) => format!("till action show {id}{env}"),
                HitTarget::Vendor(id) => format!("till vendor show {id}"),
                HitTarget::User(id) => format!("till user show {id}"),
            },
        }
    }
}

impl SearchReport {
    fn text(&self) -> String {
        if self.hits.is_empty() {
            return "Nothing matches.".to_owned();
        }
        let row = |hit: &HitRow| {
            let environment = hit.environment.unwrap_or("-").to_owned();
            vec![hit.found_by.to_owned(), environment, hit.description.clone(), hit.show.clone()]
        };
        let rows: Vec<_> = self.hits.iter().map(row).collect();
        let mut text = table(&["found by", "environment", "what", "show"], &rows);
        if self.more {
            text.push_str(&format!("\nThere are more than {MOST}: search for more of it."));
        }
        text
    }
}
