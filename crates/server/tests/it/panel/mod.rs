//! The panel and the operator's console from a user's side: access, forms, cookies, guessing.

mod action_work;
mod activity;
mod commands;
pub mod detail;
mod door;
mod export;
mod first_steps;
mod home;
mod kept;
mod lists;
mod matrix;
mod once;
mod operator;
mod password_again;
mod products;
mod responses;
mod team;
mod vendor;
mod wallet;
mod watch;

use crate::support::Server;
use till_domain::{audit::AuditEvent, id::VendorId};
use till_store::AuditFilter;

/// The text of the first element that a selector finds.
fn text_of(body: &str, selector: &str) -> String {
    let document = scraper::Html::parse_document(body);
    let selector = scraper::Selector::parse(selector).expect("a selector");
    document.select(&selector).next().map(|element| element.text().collect::<String>()).unwrap_or_default()
}

/// The text of every row with this handle.
fn rows(body: &str, handle: &str) -> Vec<String> {
    let document = scraper::Html::parse_document(body);
    let selector = scraper::Selector::parse(&format!("[data-testid={handle}]")).expect("a selector");
    document.select(&selector).map(|row| row.text().collect::<String>()).collect()
}

/// The lines of the audit log about a vendor, newest first.
async fn told(server: &Server, vendor: VendorId) -> Vec<(AuditEvent, String)> {
    let filter = AuditFilter { vendor: Some(vendor), limit: 100, ..AuditFilter::default() };
    let lines = server.accounts.audit(&filter).await.expect("a read");
    lines.into_iter().map(|line| (line.event, line.detail.unwrap_or_default())).collect()
}

/// Those of these deeds that the audit log has, as often as it has them. The test's clock stands still, so
/// their order says nothing.
async fn deeds(server: &Server, vendor: VendorId, of: &[AuditEvent]) -> Vec<AuditEvent> {
    let lines = told(server, vendor).await;
    of.iter()
        .flat_map(|deed| lines.iter().map(|line| line.0).filter(|told| told == deed).collect::<Vec<_>>())
        .collect()
}
