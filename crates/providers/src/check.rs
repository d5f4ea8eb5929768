//! What was found when somebody looked whether a set-up is true. For `till doctor`, `till provider test` and the console.

/// How something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be.
    Ok,
    Warn,
    /// Payments would go wrong.
    Fail,
    /// What was asked contradicts the set-up: it is not what it is said to be, and must not be used like this.
    Contradicts,
}

impl Outcome {
    /// Whether payments would go wrong.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Fail | Self::Contradicts)
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What: `Ethereum: node.example`.
    pub what: String,
    /// How it was found.
    pub outcome: Outcome,
    /// What was found, and what to change.
    pub sentence: String,
}

impl Check {
    /// One thing that was looked at.
    pub fn new(what: impl Into<String>, outcome: Outcome, sentence: impl Into<String>) -> Self {
        Self { what: what.into(), outcome, sentence: sentence.into() }
    }
}
