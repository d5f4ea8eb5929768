//! The document that says how the chains are set up, from a file or from a form.

use anyhow::{Context as _, bail};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use till_providers::evm::Setup;

/// A file that says how the chains are set up. It wins over the console.
#[derive(Debug, Clone)]
pub struct SetupFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub setup: Arc<Setup>,
}

impl SetupFile {
    /// Reads the file. The error names everything that is wrong with it.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("TILL_EVM_FILE names {shown}, which cannot be read"))?;
        match parse(&text) {
            Ok(setup) => Ok(Self { path: path.to_owned(), setup: Arc::new(setup) }),
            Err(problems) => {
                bail!("TILL_EVM_FILE names {shown}, which cannot be used:\n  {}", problems.join("\n  "))
            }
        }
    }
}

/// The set-up that a document describes, or everything that is wrong with it, as sentences.
pub fn parse(document: &str) -> Result<Setup, Vec<String>> {
    Setup::parse(document)
}

/// A document to begin with, with comments that say what to write.
#[must_use]
pub fn template() -> &'static str {
    Setup::template()
}
