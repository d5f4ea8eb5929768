//! The queue for password hashes: the order in which log-ins are served when there are more than can be.
//!
//! A few hashes are computed at once. The others wait, in this order:
//!
//! 1. known callers: a device that has logged in to the account before, a logged-in user, the holder of a
//!    one-time link, a command on the machine;
//! 2. new callers, those from the network with the fewest recent failures first; among equals, in order of
//!    arrival.
//!
//! Every third turn goes to a new caller, so that users who log in all the time do not starve the others. One
//! user or network has at most [`MAX_EACH`] requests, running or waiting. When the places for new callers are
//! taken, a newcomer with fewer failures takes the place of the one with the most, who is answered [`Busy`].
//! So a flood of wrong passwords delays other floods, hardly a new device, and known devices least.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use till_domain::id::UserId;
use tokio::sync::oneshot;

/// Most new callers that may wait.
pub const MAX_NEW: usize = 16;

/// Most known callers that may wait.
pub const MAX_KNOWN: usize = 32;

/// Most requests of one user or network, running or waiting.
pub const MAX_EACH: usize = 2;

/// Too many log-ins wait already; the caller should retry in a few seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many logins at once")]
pub struct Busy;

/// The origin of a request for a password hash, which decides its place in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A command on the machine.
    Shell,
    /// A user who is recognised: by a device, a log-in or a link.
    Known(UserId),
    New {
        /// The network that the request comes from.
        network: IpAddr,
        /// Recent failed log-ins from that network.
        failures: u32,
    },
}

impl Caller {
    fn is_new(&self) -> bool {
        matches!(self, Self::New { .. })
    }

    /// True if both are the same user or network.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(one), Self::Known(two)) => one == two,
            (Self::New { network: one, .. }, Self::New { network: two, .. }) => one == two,
            _ => false,
        }
    }

    /// The caller's rank in the queue: the lowest is served first.
    fn rank(&self) -> u32 {
        match self {
            Self::Shell | Self::Known(_) => 0,
            Self::New { failures, .. } => failures.saturating_add(1),
        }
    }
}

/// A number of turns, and the callers that wait for one.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<QueueState>,
    turns: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    /// The callers that have a turn.
    under_way: Vec<Caller>,
    /// Turns given since the start.
    granted: u64,
    /// In order of arrival.
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    caller: Caller,
    turn: oneshot::Sender<HashPermit>,
    /// Turns that had ended before its arrival.
    arrived: u64,
}

/// Permission to compute one hash. Dropping it gives the turn to the next caller.
#[derive(Debug)]
pub struct HashPermit {
    /// `None` once the turn was passed on.
    queue: Option<Arc<Queue>>,
    caller: Caller,
    /// Number of other hashes that this caller waited for.
    pub waited: u64,
}

impl Queue {
    /// A queue that gives this many turns at once.
    #[must_use]
    pub fn new(turns: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), turns })
    }

    /// Waits for a turn.
    pub async fn turn(self: &Arc<Self>, caller: Caller) -> Result<HashPermit, Busy> {
        let waits = {
            let state = &mut *self.state();
            // Callers that disconnected no longer count.
            state.waiting.retain(|waiting| !waiting.turn.is_closed());
            if state.under_way.len() < self.turns && state.waiting.is_empty() {
                state.under_way.push(caller);
                state.granted += 1;
                return Ok(HashPermit { queue: Some(Arc::clone(self)), caller, waited: 0 });
            }
            state.make_room(caller)?;
            let (turn, waits) = oneshot::channel();
            let arrived = state.granted - u64::try_from(state.under_way.len()).unwrap_or(0);
            state.waiting.push(Waiting { caller, turn, arrived });
            waits
        };
        // The sender is dropped when another caller takes the place.
        waits.await.map_err(|_| Busy)
    }

    /// Ends a turn and gives it to the next in the queue.
    fn pass_on(self: Arc<Self>, done: Caller) {
        let state = &mut *self.state();
        if let Some(place) = state.under_way.iter().position(|caller| *caller == done) {
            state.under_way.swap_remove(place);
        }
        while let Some(next) = state.next() {
            let waited = state.granted - next.arrived;
            let turn = HashPermit { queue: Some(Arc::clone(&self)), caller: next.caller, waited };
            let Err(mut unused) = next.turn.send(turn) else {
                state.under_way.push(next.caller);
                state.granted += 1;
                return;
            };
            // The caller disconnected just now; its turn must not end a second time.
            unused.queue = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if no turn is taken and no caller waits.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state();
        state.under_way.is_empty() && state.waiting.iter().all(|waiting| waiting.turn.is_closed())
    }
}

impl QueueState {
    /// Finds a place for a newcomer, if necessary by removing the caller with the most failures.
    fn make_room(&mut self, caller: Caller) -> Result<(), Busy> {
        let all = self.waiting.iter().map(|waiting| &waiting.caller).chain(&self.under_way);
        if all.filter(|other| other.is_like(&caller)).count() >= MAX_EACH {
            return Err(Busy);
        }
        let most = if caller.is_new() { MAX_NEW } else { MAX_KNOWN };
        let same = |waiting: &&Waiting| waiting.caller.is_new() == caller.is_new();
        if self.waiting.iter().filter(same).count() < most {
            return Ok(());
        }
        // The last of those with the most failures.
        let ranks = self.waiting.iter().map(|waiting| waiting.caller.rank()).enumerate();
        match ranks.max_by_key(|(_, rank)| *rank) {
            Some((place, rank)) if caller.is_new() && rank > caller.rank() => {
                self.waiting.remove(place);
                Ok(())
            }
            _ => Err(Busy),
        }
    }

    fn next(&mut self) -> Option<Waiting> {
        let new_only =
            self.granted.is_multiple_of(3) && self.waiting.iter().any(|waiting| waiting.caller.is_new());
        let ranks = self.waiting.iter().map(|waiting| &waiting.caller).enumerate();
        let ranks = ranks.filter(|(_, caller)| !new_only || caller.is_new());
        let (place, _) = ranks.min_by_key(|(_, caller)| caller.rank())?;
        Some(self.waiting.remove(place))
    }
}

impl Drop for HashPermit {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            queue.pass_on(self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::Future,
        net::Ipv4Addr,
        pin::Pin,
        task::{Context, Poll, Waker},
    };
    use till_domain::time::Timestamp;

    type Pending = Pin<Box<dyn Future<Output = Result<HashPermit, Busy>>>>;

    fn new(network: u32, failures: u32) -> Caller {
        Caller::New { network: Ipv4Addr::from_bits(0x7f00_0000 + network).into(), failures }
    }

    fn known(number: u8) -> Caller {
        Caller::Known(UserId::new(Timestamp::from_ms(1), &[number; 10]))
    }

    fn arrive(queue: &Arc<Queue>, caller: Caller) -> Pending {
        let queue = Arc::clone(queue);
        let mut pending: Pending = Box::pin(async move { queue.turn(caller).await });
        assert!(look(&mut pending).is_none(), "the turns are taken");
        pending
    }

    fn is_refused(queue: &Arc<Queue>, caller: Caller) -> bool {
        let queue = Arc::clone(queue);
        let mut pending: Pending = Box::pin(async move { queue.turn(caller).await });
        look(&mut pending).is_some_and(|answer| answer.is_err())
    }

    fn look(pending: &mut Pending) -> Option<Result<HashPermit, Busy>> {
        match pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    /// Takes the only turn.
    fn taken() -> (Arc<Queue>, HashPermit) {
        let queue = Queue::new(1);
        let mut first: Pending = Box::pin({
            let queue = Arc::clone(&queue);
            async move { queue.turn(new(0, 0)).await }
        });
        let turn = look(&mut first).expect("an answer").expect("a free turn");
        assert_eq!(turn.waited, 0);
        (queue, turn)
    }

    #[test]
    fn s5_known_callers_go_first_then_those_with_the_fewest_failures_then_those_who_came_first() {
        let (queue, first) = taken();
        let callers = [new(1, 3), new(2, 0), known(1), new(3, 0), known(2), new(4, 9)];
        let mut waiting: Vec<_> = callers.iter().map(|caller| Some(arrive(&queue, *caller))).collect();
        let (mut turn, mut order) = (Some(first), Vec::new());
        while turn.take().is_some() {
            for (number, pending) in waiting.iter_mut().enumerate() {
                let Some(answer) = pending.as_mut().and_then(look) else { continue };
                let permit = answer.expect("a turn");
                order.push((number, permit.waited));
                *pending = None;
                turn = Some(permit);
            }
        }
        // The third turn that is passed on is a new caller's; here none but new ones is left by then.
        assert_eq!(order, [(2, 1), (4, 2), (1, 3), (3, 4), (0, 5), (5, 6)]);
        assert!(queue.is_idle());
    }

    #[test]
    fn s5_a_network_has_two_places_and_a_newcomer_takes_that_of_the_caller_with_the_most_failures() {
        let (queue, turn) = taken();
        let mut crowd: Vec<_> =
            (0..MAX_NEW).map(|n| arrive(&queue, new(u32::try_from(n / 2).expect("small") + 1, 5))).collect();
        assert!(is_refused(&queue, new(1, 0)), "a third one");
        assert!(is_refused(&queue, new(99, 5)), "as bad as they");
        let mut owner = arrive(&queue, new(100, 0));
        let answers: Vec<_> = crowd.iter_mut().filter_map(look).collect();
        assert!(matches!(answers[..], [Err(Busy)]), "the last one made room");
        drop(turn);
        let turn = look(&mut owner).expect("an answer").expect("a turn");
        assert_eq!(turn.waited, 1);
    }

    #[test]
    fn s5_known_callers_without_end_leave_every_third_turn_to_new_ones() {
        let (queue, first) = taken();
        let mut stranger = arrive(&queue, new(1, 9));
        let (mut turn, mut known_turns) = (first, 0);
        loop {
            let mut next = arrive(&queue, known(known_turns));
            drop(turn);
            if let Some(answer) = look(&mut stranger) {
                assert!(known_turns <= 3, "after {known_turns}");
                assert_eq!(answer.expect("a turn").waited, u64::from(known_turns) + 1);
                break;
            }
            turn = look(&mut next).expect("an answer").expect("a turn");
            known_turns += 1;
        }
        // A user has two requests, running or waiting.
        let (queue, turn) = taken();
        let mut one = arrive(&queue, known(1));
        drop(turn);
        let _under_way = look(&mut one).expect("an answer").expect("a turn");
        let _waiting = arrive(&queue, known(1));
        assert!(is_refused(&queue, known(1)), "a third one");
    }

    #[test]
    fn s5_callers_that_go_away_leave_their_place_and_their_turn() {
        let (queue, turn) = taken();
        drop(arrive(&queue, new(1, 0)));
        let mut second = arrive(&queue, new(2, 0));
        drop(turn);
        let turn = look(&mut second).expect("an answer").expect("the turn of the one that went away");
        assert_eq!(turn.waited, 1);
        let third = arrive(&queue, new(3, 0));
        drop(turn);
        drop(third);
        assert!(queue.is_idle(), "a turn that was given to no one is free");
    }
}
