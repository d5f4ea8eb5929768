//! Fault injection for tests: an answer that is lost before or after the action was done.

use std::sync::{Mutex, PoisonError};

/// The point at which an answer is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the action: nothing was done.
    Before,
    /// After the action: it was done, but the caller gets no answer.
    After,
}

/// The question whose next answer is lost, and when.
#[derive(Debug, Default)]
pub struct Lost(Mutex<Option<(&'static str, When)>>);

impl Lost {
    pub fn lose(&self, question: &'static str, when: When) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((question, when));
    }

    /// Performs the action and returns its answer, unless that answer is to be lost.
    pub fn answer<T>(&self, question: &str, act: impl FnOnce() -> T) -> Option<T> {
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
