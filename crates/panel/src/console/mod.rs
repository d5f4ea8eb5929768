//! The operator's console: vendors, users, sandbox requests, the audit log, and the payments of all vendors.

pub mod actions;
pub mod activity;
pub mod audit;
pub mod callbacks;
pub mod chains;
pub mod fiscal_settings;
pub mod home;
pub mod payments;
pub mod payouts;
pub mod personal_data;
pub mod providers;
pub mod reconciliations;
pub mod refunds;
pub mod requests;
pub mod sandbox;
pub mod search;
pub mod sessions;
pub mod setups;
pub mod system;
pub mod terms;
pub mod users;
pub mod vendors;
pub mod wallet;
pub mod watch;

pub(super) use users::line as user_line;

use crate::{Access, Route};
use till_domain::user::Right;

/// Lines per page of a list.
const LINES: u32 = 50;

pub(super) fn routes() -> Vec<Route> {
    let operate = Access::May(Right::Operate);
    let parts = [
        home::routes(operate),
        payments::routes(operate),
        vendors::routes(operate),
        terms::routes(operate),
        fiscal_settings::routes(operate),
        wallet::routes(operate),
        sandbox::routes(operate),
        users::routes(operate),
        requests::routes(operate),
        audit::routes(operate),
        actions::routes(operate),
        payouts::routes(operate),
        refunds::routes(operate),
        reconciliations::routes(operate),
        callbacks::routes(operate),
        sessions::routes(operate),
        search::routes(operate),
        system::routes(operate),
        personal_data::routes(operate),
        providers::routes(operate),
        activity::routes(operate),
        setups::routes(operate),
    ];
    parts.into_iter().flatten().collect()
}

/// The link to the next page of a list (keyset pagination), keeping the search fields.
fn older(path: &str, last: Option<String>, lines: usize, fields: &[(&str, &str)]) -> Option<String> {
    let full = u32::try_from(lines).is_ok_and(|lines| lines >= LINES);
    let last = last.filter(|_| full)?;
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    Some(format!("{path}?{}", query.append_pair("before", &last).finish()))
}

/// The link to the first page of a list, unless this is it.
fn newer(path: &str, before: &str, fields: &[(&str, &str)]) -> Option<String> {
    if before.is_empty() {
        return None;
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    Some(if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") })
}
