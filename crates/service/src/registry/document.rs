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
pub enum ProviderKind {
    /// Cards and SBP at YooKassa.
    Yookassa,
    Stripe,
    Evm,
}

/// A parsed set-up document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupPlan {
    /// A shop at YooKassa.
    Yookassa(Arc<yookassa::YookassaSetup>),
    /// An account at Stripe.
    Stripe(Arc<stripe::StripeSetup>),
    Evm(Arc<evm::EvmSetup>),
}

impl ProviderKind {
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
    pub fn read(self, document: &str) -> Result<SetupPlan, Vec<String>> {
        match self {
            Self::Yookassa => {
                yookassa::YookassaSetup::parse(document).map(|setup| SetupPlan::Yookassa(Arc::new(setup)))
            }
            Self::Stripe => {
                stripe::StripeSetup::parse(document).map(|setup| SetupPlan::Stripe(Arc::new(setup)))
            }
            Self::Evm => evm::EvmSetup::parse(document).map(|setup| SetupPlan::Evm(Arc::new(setup))),
        }
    }

    /// A template of a document, with comments that explain it.
    #[must_use]
    pub fn template(self) -> &'static str {
        match self {
            Self::Yookassa => yookassa::YookassaSetup::template(),
            Self::Stripe => stripe::StripeSetup::template(),
            Self::Evm => evm::EvmSetup::template(),
        }
    }
}

/// A set-up file of a provider. It overrides the console.
#[derive(Debug, Clone)]
pub struct SetupFile {
    pub kind: ProviderKind,
    pub path: PathBuf,
    pub plan: SetupPlan,
}

impl SetupFile {
    /// Reads the file. The error names every problem.
    pub fn read(kind: ProviderKind, path: &Path) -> anyhow::Result<Self> {
        let (setting, path_text) = (kind.setting(), path.display());
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{setting} names {path_text}, which cannot be read"))?;
        match kind.read(&text) {
            Ok(plan) => Ok(Self { kind, path: path.to_owned(), plan }),
            Err(problems) => {
                bail!(
                    "{setting} names {path_text}, which is not a usable setup:\n  {}",
                    problems.join("\n  ")
                )
            }
        }
    }
}
