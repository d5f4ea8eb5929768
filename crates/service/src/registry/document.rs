//! The set-up documents of providers, from a file or from a form.

use anyhow::{Context as _, bail};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use till_providers::{
    evm::{self, Evm},
    form::{FormField, SetupProblem},
    stripe::{self, Stripe},
    tbank::{self, Tbank},
    yookassa::{self, Yookassa},
};

/// A provider that an operator sets up by a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// Cards and SBP at YooKassa.
    Yookassa,
    /// Cards and SBP at T-Bank.
    Tbank,
    Stripe,
    Evm,
}

/// A parsed set-up document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupPlan {
    /// A shop at YooKassa.
    Yookassa(Arc<yookassa::YookassaSetup>),
    /// A terminal at T-Bank.
    Tbank(Arc<tbank::TbankSetup>),
    /// An account at Stripe.
    Stripe(Arc<stripe::StripeSetup>),
    Evm(Arc<evm::EvmSetup>),
}

impl ProviderKind {
    /// All kinds, in the default order.
    pub const ALL: [Self; 4] = [Self::Yookassa, Self::Tbank, Self::Stripe, Self::Evm];

    pub const NAMES: [&'static str; 4] = [Yookassa::NAME, Tbank::NAME, Stripe::NAME, Evm::NAME];

    /// Its name in settings, logs and addresses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Yookassa => Yookassa::NAME,
            Self::Tbank => Tbank::NAME,
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
            Self::Tbank => "TILL_TBANK_FILE",
            Self::Stripe => "TILL_STRIPE_FILE",
            Self::Evm => "TILL_EVM_FILE",
        }
    }

    /// Parses a document. The error has a sentence for each problem.
    pub fn read(self, document: &str) -> Result<SetupPlan, Vec<String>> {
        let sentences = |problems: Vec<SetupProblem>| problems.iter().map(SetupProblem::to_string).collect();
        self.check(document).map_err(sentences)
    }

    /// Parses a document. The error has each problem with its field.
    pub fn check(self, document: &str) -> Result<SetupPlan, Vec<SetupProblem>> {
        Ok(match self {
            Self::Yookassa => SetupPlan::Yookassa(Arc::new(yookassa::YookassaSetup::read(document)?)),
            Self::Tbank => SetupPlan::Tbank(Arc::new(tbank::TbankSetup::read(document)?)),
            Self::Stripe => SetupPlan::Stripe(Arc::new(stripe::StripeSetup::read(document)?)),
            Self::Evm => SetupPlan::Evm(Arc::new(evm::EvmSetup::read(document)?)),
        })
    }

    /// The fields of its form.
    #[must_use]
    pub fn fields(self) -> &'static [FormField] {
        match self {
            Self::Yookassa => yookassa::FIELDS,
            Self::Tbank => tbank::FIELDS,
            Self::Stripe => stripe::FIELDS,
            Self::Evm => evm::FIELDS,
        }
    }

    /// The events that its webhook needs.
    #[must_use]
    pub fn events(self) -> &'static [&'static str] {
        match self {
            Self::Yookassa => &yookassa::EVENTS,
            Self::Stripe => &stripe::EVENTS,
            // T-Bank sends all notices to one address.
            Self::Tbank | Self::Evm => &[],
        }
    }

    /// The version of its API that a webhook has to have.
    #[must_use]
    pub fn api_version(self) -> Option<&'static str> {
        match self {
            Self::Stripe => Some(stripe::VERSION),
            Self::Yookassa | Self::Tbank | Self::Evm => None,
        }
    }

    /// A template of a document, with comments that explain it.
    #[must_use]
    pub fn template(self) -> &'static str {
        match self {
            Self::Yookassa => yookassa::YookassaSetup::template(),
            Self::Tbank => tbank::TbankSetup::template(),
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
