//! The intent of an attempt: method and provider are chosen, and the provider has not been called yet.

use super::{Attempt, AttemptState, Quantity, schedule};
use crate::{
    change::{Change, HistoryEntry, HistoryKind},
    id::AttemptId,
    method::Method,
    rejection::Rejection,
    rules::Rules,
    session::{self, Session},
    time::Timestamp,
};
use std::time::Duration;

/// How long the node that made the intent has to start the payment before the worker does.
pub(super) const START_WITHIN: Duration = Duration::from_secs(15);

/// The data of a new attempt.
#[derive(Debug, Clone)]
pub struct Beginning<'a> {
    /// The session that is paid.
    pub session: &'a Session,
    pub method: Method,
    pub provider: &'a str,
    /// The customer's choice on our page, where the provider asks for one.
    pub choice: Option<String>,
    /// The mail address for a receipt.
    pub email: Option<String>,
    /// The language in which the customer reads our page.
    pub language: Option<String>,
    /// The new attempt's id.
    pub id: AttemptId,
}

/// Makes the intent to take a session's money. The changes are lost if the session is final by then, or has
/// an active attempt.
pub fn begin(
    beginning: Beginning<'_>,
    rules: &Rules,
    now: Timestamp,
) -> Result<(Session, Attempt, Vec<Change>), Rejection> {
    let Beginning { session, method, provider, choice, email, language, id } = beginning;
    let (mut chosen, _) = session::choose_method(session, method, rules, now)?;
    let attempt = Attempt {
        id,
        session: session.id,
        vendor: session.vendor,
        method,
        provider: provider.to_owned(),
        choice,
        email,
        language,
        state: AttemptState::Intended,
        reference: None,
        instructions: None,
        charge: Quantity::from(session.item.price.money()),
        received: 0,
        recorded: 0,
        confirmations: None,
        in_flight_since: None,
        started_at: now,
        updated_at: now,
        check_at: Some(now.plus(START_WITHIN)),
        checks: 0,
        version: 1,
    };
    chosen.held_until = Some(schedule::hold(&chosen, &attempt, now));
    let changes = vec![
        Change::choose_method(&chosen, session),
        Change::InsertAttempt(Box::new(attempt.clone())),
        Change::Record(HistoryEntry {
            session: session.id,
            at: now,
            kind: HistoryKind::MethodChosen,
            detail: Some(format!("{method} at {provider}")),
        }),
    ];
    Ok((chosen, attempt, changes))
}
