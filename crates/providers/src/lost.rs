//! Answers that are lost, for tests.

use std::sync::{Mutex, PoisonError};

/// When an answer is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The question was not heard: nothing was done.
    Before,
    /// What was asked for was done.
    After,
}

/// The one question whose answer is lost next.
#[derive(Debug, Default)]
pub(crate) struct Lost(Mutex<Option<(&'static str, When)>>);

impl Lost {
    pub(crate) fn lose(&self, question: &'static str, when: When) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((question, when));
    }

    /// Does what is asked for, and gives the answer unless it is lost.
    pub(crate) fn answer<T>(&self, question: &str, act: impl FnOnce() -> T) -> Option<T> {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = next.take_if(|(name, _)| *name == question).map(|(_, when)| when);
        drop(next);
        if lost == Some(When::Before) {
            return None;
        }
        let answer = act();
        lost.is_none().then_some(answer)
    }
}
