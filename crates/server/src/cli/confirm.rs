//! Questions before a command does what cannot be undone.

use anyhow::bail;
use clap::Args;
use std::io::{BufRead as _, IsTerminal as _, Write as _};

#[derive(Debug, Args)]
pub struct ConfirmOption {
    /// Do it without asking; needed without a terminal
    #[arg(long)]
    pub yes: bool,
}

impl ConfirmOption {
    /// Asks on the terminal unless `--yes` was given.
    pub fn ask(&self, question: &str) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        if !std::io::stdin().is_terminal() {
            bail!("nothing was done: this needs a confirmation; add --yes");
        }
        let mut screen = std::io::stderr();
        write!(screen, "{question} [y/N] ")?;
        screen.flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!("nothing was done"),
        }
    }
}
