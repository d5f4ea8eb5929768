//! The two environments, live and sandbox.
//!
//! Only a name: their differences are data in [`crate::rules`], and the store keeps their rows apart.

use std::fmt;

/// One of the two isolated copies of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EnvironmentName {
    /// Real providers, real money.
    Live,
    /// The tester chooses the outcome; no money moves.
    Sandbox,
}

impl EnvironmentName {
    pub const ALL: [Self; 2] = [Self::Live, Self::Sandbox];

    /// The word used in credentials, headers, logs and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.as_str() == text)
    }
}

impl fmt::Display for EnvironmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
