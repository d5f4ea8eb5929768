//! What it means that a provider does not answer: when it is asked again, when a session expires without its answer,
//! which action that leaves to an operator, and how the action is resolved once the provider has answered.

use super::{
    Attempt, AttemptState, Pace,
    observe::{Observed, Scene, go_on, is_being_started, retire},
};
use crate::{
    audit::Actor,
    change::Change,
    id::ActionId,
    session::{self, Outcome, State},
    transaction::{Action, Resolution},
};

/// What a person was left with because a provider could not be asked about a session's attempts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Doubt<'a> {
    /// The open `unreachable` actions of the session.
    pub actions: &'a [ActionId],
    /// Whether this attempt is the last one that could bring money: every other of the session has ended.
    pub last: bool,
}

/// The provider gave no answer: it is asked again, less and less often. A session whose last moment has come
/// expires without its answer, and an `unreachable` action is left to an operator.
#[must_use]
pub fn unreachable(scene: &Scene<'_>) -> Observed {
    // A notice may have led to this question, and does not come again.
    let scene = &Scene { pace: Pace::Polling, ..*scene };
    let mut observed = go_on(scene, scene.attempt.clone(), false);
    if scene.attempt.state == AttemptState::Watched && observed.attempt.check_at.is_none() {
        // The watch is over without a provider's word that no money came: an operator gets one action, unless one is
        // open.
        if scene.attempt.check_at.is_some() && scene.doubt.actions.is_empty() {
            let action = Action::unreachable(scene.session, scene.now, scene.event_id);
            observed.changes.push(Change::NeedAction(Box::new(action)));
        }
        return observed;
    }
    let end = scene.session.ends_at();
    if scene.session.state != State::Pending || !scene.attempt.state.is_active() || scene.now < end {
        return observed;
    }
    let concluded =
        session::conclude(scene.session, Outcome::Expired, end, scene.settings, scene.event_id, None);
    let Ok((session, mut changes)) = concluded else { return observed };
    session::unless_moved(scene.session, &mut changes);
    changes.extend(observed.changes.drain(..).filter(|change| matches!(change, Change::MoveAttempt { .. })));
    changes.sort_by_key(|change| change.guard().is_none());
    let action = Action::unreachable(scene.session, end, scene.event_id);
    changes.push(Change::NeedAction(Box::new(action)));
    Observed { session, attempt: observed.attempt, changes }
}

/// The customer pays another way, and the provider never said whether it started this payment. The session is free for
/// another attempt; the worker looks for this one and closes it. `None` while the start may still be under way.
#[must_use]
pub fn leave(scene: &Scene<'_>) -> Option<Observed> {
    let unanswered = scene.attempt.state == AttemptState::Intended && !is_being_started(scene);
    unanswered.then(|| retire(scene, Attempt { state: AttemptState::Watched, ..scene.attempt.clone() }))
}

/// The provider has answered after all, and no attempt of the session can bring money any more: nobody has to look into
/// what was left open because it could not be asked.
pub(super) fn resolve_doubt(scene: &Scene<'_>, observed: &mut Observed) {
    let ended = matches!(observed.attempt.state, AttemptState::Closed | AttemptState::Declined(_));
    if !ended || !scene.doubt.last {
        return;
    }
    let resolve = |id: &ActionId| Change::ResolveAction {
        id: *id,
        resolution: Resolution::Dismiss,
        at: scene.now,
        by: Actor::system().name,
    };
    observed.changes.splice(0..0, scene.doubt.actions.iter().map(resolve));
}
