//! The two environments of the API. They differ in credentials and paths, and in nothing else.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// Real payments; in a demo a simulated bank takes them.
    Live,
    /// Tests, whose outcome the tester chooses.
    Sandbox,
}

impl Environment {
    /// Both, the safe one first.
    pub const ALL: [Self; 2] = [Self::Sandbox, Self::Live];

    /// Its name in paths, forms and the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|environment| environment.word() == word)
    }

    /// Path of the token endpoint.
    pub fn token_path(self) -> &'static str {
        match self {
            Self::Live => "/api/tokens",
            Self::Sandbox => "/api/sandbox/vendor/tokens",
        }
    }

    /// Path of the session endpoint; each session has its own path below it.
    pub fn session_path(self) -> &'static str {
        match self {
            Self::Live => "/api/product/session",
            Self::Sandbox => "/api/sandbox/vendor/checkout-session",
        }
    }
}
