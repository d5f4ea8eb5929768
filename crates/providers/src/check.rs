//! Results of testing a setup against the real service or chain, for `till doctor`, `till provider test` and
//! the console.

/// The verdict of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckVerdict {
    /// As it should be.
    Ok,
    Warn,
    /// There was no answer, or none that can be used: the network, the host, or the service itself. The setup
    /// may be right.
    Unreachable,
    /// Payments would go wrong.
    Fail,
    /// The service or chain contradicts the setup: it is not what the setup says it is, and must not be used
    /// like this.
    Contradicts,
}

impl CheckVerdict {
    /// True if payments would not work now.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Unreachable | Self::Fail | Self::Contradicts)
    }
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The thing that was checked: `Ethereum: node.example`.
    pub what: String,
    pub outcome: CheckVerdict,
    /// The finding, and what to change.
    pub sentence: String,
}

impl Check {
    pub fn new(what: impl Into<String>, outcome: CheckVerdict, sentence: impl Into<String>) -> Self {
        Self { what: what.into(), outcome, sentence: sentence.into() }
    }
}
