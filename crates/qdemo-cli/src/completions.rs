//! `qdemo completions` and `qdemo man`: what shells and manuals want to know of the command line.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::session::Session;

/// Write completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  qdemo completions bash > ~/.local/share/bash-completion/completions/qdemo
  qdemo completions fish > ~/.config/fish/completions/qdemo.fish
  qdemo completions powershell >> $PROFILE")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Write the manual
///
/// Without a folder the page of qdemo itself goes to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  qdemo man | man -l -
  qdemo man ~/.local/share/man/man1      a page for each verb as well")]
pub(crate) struct ManArgs {
    /// Write qdemo.1 and a page for each verb into this folder
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

pub(crate) fn completions(args: &Args, session: &Session) -> Result<Exit> {
    // Into memory first: clap_complete panics when writing fails.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "qdemo", &mut text);
    session.console.raw(&text)?;
    Ok(Exit::Fine)
}

pub(crate) fn man(args: &ManArgs, session: &Session) -> Result<Exit> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        session.console.raw(&page(&command)?)?;
        return Ok(Exit::Fine);
    };
    let in_file = |e: std::io::Error| qdemo::Error::from(e).in_file(&folder.display().to_string());
    std::fs::create_dir_all(folder).map_err(in_file)?;
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{name}.1"));
        let mut file = std::fs::File::create(path).map_err(in_file)?;
        file.write_all(&page(command)?).map_err(in_file)?;
    }
    Ok(Exit::Fine)
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
