//! The rules for a provider that does not answer: when it is asked again, when a session expires without its
//! answer, which action that leaves to an operator, and how the action is resolved once the provider has
//! answered.

use super::{
    Attempt, AttemptState, Pace,
    observe::{AttemptDecision, AttemptFacts, is_being_started},
    verdict::{SessionVerdict, Verdict, follow, retire},
    write::write,
};
use crate::{
    id::ActionId,
    session::{Outcome, State},
};

/// The actions that are open because a provider could not be asked about a session's attempts.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnreachableActions<'a> {
    /// The open `unreachable` actions of the session.
    pub actions: &'a [ActionId],
    /// True if this attempt is the last one that could bring money: every other of the session has ended.
    pub last: bool,
}

/// The provider gave no answer: it is asked again, with growing intervals. A session whose last moment has
/// come expires without its answer, and an operator gets an `unreachable` action.
#[must_use]
pub fn unreachable(facts: &AttemptFacts<'_>) -> AttemptDecision {
    write(facts, judge(facts))
}

pub(super) fn judge(facts: &AttemptFacts<'_>) -> Verdict {
    // A notice may have led to this question, and does not come again.
    let facts = &AttemptFacts { pace: Pace::Polling, ..*facts };
    let mut verdict = follow(facts, facts.attempt.clone(), false);
    if facts.attempt.state == AttemptState::Watched && verdict.attempt.check_at.is_none() {
        // The watch is over, and the provider never said that no money came: an operator gets one action,
        // unless one is open.
        let first = facts.attempt.check_at.is_some() && facts.doubt.actions.is_empty();
        verdict.unreachable_at = first.then_some(facts.now);
        return verdict;
    }
    let end = facts.session.ends_at();
    let waits = facts.session.state == State::Pending && facts.attempt.state.is_active();
    if waits && facts.now >= end {
        verdict.session = SessionVerdict::Ends { outcome: Outcome::Expired, at: end };
        verdict.unreachable_at = Some(end);
    }
    verdict
}

/// The customer pays another way, and the provider never said whether it started this payment. The session is
/// free for another attempt; the worker looks for this one and closes it. `None` while the start may still be
/// under way.
#[must_use]
pub fn leave(facts: &AttemptFacts<'_>) -> Option<AttemptDecision> {
    let unanswered = facts.attempt.state == AttemptState::Intended && !is_being_started(facts);
    unanswered.then(|| {
        write(facts, retire(facts, Attempt { state: AttemptState::Watched, ..facts.attempt.clone() }))
    })
}
