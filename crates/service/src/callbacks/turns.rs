//! Turns in which a sender takes callbacks, where time is moved by hand.
//!
//! With a manual clock many things are due at the same moment, and which of them is committed first depends on the
//! machine. So the sender gets a turn only once everything else of the moment has happened, and takes one callback in it:
//! callbacks are then sent in the same order in every run.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Says when a sender may take callbacks. At first it always may.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<Allowed>);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    #[default]
    Always,
    /// Not before the next turn is given.
    Later,
    /// One pass may take callbacks.
    Once,
    /// That pass is under way.
    Taken,
}

/// A pass that may take callbacks; the turn ends with it.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Allowed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the sender wait for turns from now on.
    pub(super) fn begin(&self) {
        *self.lock() = Allowed::Later;
    }

    /// Gives the sender a turn.
    pub(super) fn give(&self) {
        *self.lock() = Allowed::Once;
    }

    /// True from the moment in which a turn is given until it ends.
    pub(super) fn is_under_way(&self) -> bool {
        matches!(*self.lock(), Allowed::Once | Allowed::Taken)
    }

    /// The turn of a pass, if it may take callbacks.
    pub(super) fn take(&self) -> Option<Turn<'_>> {
        let mut allowed = self.lock();
        match *allowed {
            Allowed::Always => {}
            Allowed::Once => *allowed = Allowed::Taken,
            Allowed::Later | Allowed::Taken => return None,
        }
        Some(Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut allowed = self.0.lock();
        if *allowed == Allowed::Taken {
            *allowed = Allowed::Later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_without_turns_may_always_take_callbacks() {
        let turns = Turns::default();
        assert!(turns.take().is_some());
        assert!(turns.take().is_some());
        assert!(!turns.is_under_way());
    }

    #[test]
    fn a_turn_is_for_one_pass() {
        let turns = Turns::default();
        turns.begin();
        assert!(turns.take().is_none());
        turns.give();
        assert!(turns.is_under_way());
        let turn = turns.take();
        assert!(turn.is_some() && turns.is_under_way());
        assert!(turns.take().is_none());
        drop(turn);
        assert!(!turns.is_under_way());
        assert!(turns.take().is_none());
    }
}
