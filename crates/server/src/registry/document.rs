//! The set-up documents of providers, from a file or from a form.

use anyhow::{Context as _, bail};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use till_providers::{
    evm::{self, Evm},
    stripe::{self, Stripe},
    yookassa::{self, Yookassa},
};

/// A provider that an operator sets up by a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cards and SBP at YooKassa.
    Yookassa,
    Stripe,
    Evm,
}

/// A parsed set-up document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// A shop at YooKassa.
    Yookassa(Arc<yookassa::Setup>),
    /// An account at Stripe.
    Stripe(Arc<stripe::Setup>),
    Evm(Arc<evm::Setup>),
}

impl Kind {
    /// All kinds, in the default order.
    pub const ALL: [Self; 3] = [Self::Yookassa, Self::Stripe, Self::Evm];

    pub const NAMES: [&'static str; 3] = [Yookassa::NAME, Stripe::NAME, Evm::NAME];

    /// Its name in settings, logs and addresses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Yookassa => Yookassa::NAME,
            Self::Stripe => Stripe::NAME,
            Self::Evm => Evm::NAME,
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The setting that names a file with its document.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Yookassa => "TILL_YOOKASSA_FILE",
            Self::Stripe => "TILL_STRIPE_FILE",
            Self::Evm => "TILL_EVM_FILE",
        }
    }

    /// Parses a document. The error has a sentence for each problem.
    pub fn read(self, document: &str) -> Result<Plan, Vec<String>> {
        match self {
            Self::Yookassa => yookassa::Setup::parse(document).map(|setup| Plan::Yookassa(Arc::new(setup))),
            Self::Stripe => stripe::Setup::parse(document).map(|setup| Plan::Stripe(Arc::new(setup))),
            Self::Evm => evm::Setup::parse(document).map(|setup| Plan::Evm(Arc::new(setup))),
        }
    }

    /// A template of a document, with comments that explain it.
    #[must_use]
    pub fn template(self) -> &'static str {
        match self {
            Self::Yookassa => yookassa::Setup::template(),
            Self::Stripe => stripe::Setup::template(),
            Self::Evm => evm::Setup::template(),
        }
    }
}

/// A set-up file of a provider. It overrides the console.
#[derive(Debug, Clone)]
pub struct SetupFile {
    pub kind: Kind,
    pub path: PathBuf,
    pub plan: Plan,
}

impl SetupFile {
    /// Reads the file. The error names every problem.
    pub fn read(kind: Kind, path: &Path) -> anyhow::Result<Self> {
        let (setting, shown) = (kind.setting(), path.display());
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{setting} names {shown}, which cannot be read"))?;
        match kind.read(&text) {
            Ok(plan) => Ok(Self { kind, path: path.to_owned(), plan }),
            Err(problems) => {
                bail!("{setting} names {shown}, which cannot be used:\n  {}", problems.join("\n  "))
            }
        }
    }
}
