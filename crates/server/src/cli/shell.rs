//! `till completions` and `till man`: what a package installs beside the binary, made from the command line itself.

use super::{Cli, output::print};
use anyhow::Context as _;
use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Debug, Args)]
pub struct CompletionOptions {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManOptions {
    /// The folder for the pages; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
}

/// Runs `till completions`.
pub fn completions(options: &CompletionOptions) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "till", &mut script);
    print(false, &(), |()| String::from_utf8_lossy(&script).into_owned())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `till man`: a page for `till` and one for each command.
pub fn man(options: &ManOptions) -> anyhow::Result<ExitCode> {
    let into = &options.into;
    fs::create_dir_all(into).with_context(|| format!("cannot make {}", into.display()))?;
    let mut command = Cli::command();
    command.build();
    let pages = write_pages(&command, into)?;
    print(false, &(), |()| format!("{pages} pages are in {}.", into.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn write_pages(command: &Command, into: &Path) -> anyhow::Result<usize> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let path = into.join(format!("{name}.1"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown
        .filter(|command| command.get_name() != "help")
        .try_fold(1, |pages, command| Ok(pages + write_pages(command, into)?))
}
