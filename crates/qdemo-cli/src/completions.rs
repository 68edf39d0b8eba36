//! `qdemo completions` and `qdemo man`: what shells and manuals want to know of the command line.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::manual::{self, DOCUMENTS};
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
/// Without a folder the page of qdemo itself goes to standard output, or that which is named: a verb, or `tables`, `rules`,
/// `text` and `cookbook`, which tell what no help of a verb has room for.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  qdemo man | man -l -
  qdemo man --page rules | man -l -
  qdemo man ~/.local/share/man           all pages, in man1, man5 and man7")]
pub(crate) struct ManArgs {
    /// Write all pages into this folder, each into the one of its section
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,

    /// Print this page
    #[arg(long, value_name = "NAME", conflicts_with = "folder")]
    page: Option<String>,
}

pub(crate) fn completions(args: &Args, session: &Session) -> Result<Exit> {
    // Into memory first: clap_complete panics when writing fails.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::with_all_verbs(), "qdemo", &mut text);
    session.console.raw(&text)?;
    Ok(Exit::Fine)
}

pub(crate) fn man(args: &ManArgs, session: &Session) -> Result<Exit> {
    let pages = pages()?;
    let Some(folder) = &args.folder else {
        let name = args.page.as_ref().map_or("qdemo".to_owned(), |page| format!("qdemo-{page}"));
        let Some(page) = pages.iter().find(|page| page.name == name) else {
            let names: Vec<_> = pages.iter().filter_map(|page| page.name.strip_prefix("qdemo-")).collect();
            anyhow::bail!("there is no such page: it is one of {}", names.join(", "));
        };
        session.console.raw(&page.text)?;
        return Ok(Exit::Fine);
    };
    for page in pages {
        let folder = folder.join(format!("man{}", page.section));
        let path = folder.join(format!("{}.{}", page.name, page.section));
        let in_file = |e: std::io::Error| qdemo::Error::from(e).in_file(&path.display().to_string());
        std::fs::create_dir_all(&folder).map_err(in_file)?;
        let mut file = std::fs::File::create(&path).map_err(in_file)?;
        file.write_all(&page.text).map_err(in_file)?;
    }
    Ok(Exit::Fine)
}

/// A page of the manual.
struct Page {
    name: String,
    section: &'static str,
    text: Vec<u8>,
}

/// All pages: qdemo's own, one for each verb, and the documents.
fn pages() -> Result<Vec<Page>> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        pages.push(Page { name, section: "1", text: page(command)? });
    }
    pages.extend(DOCUMENTS.iter().map(|(name, section, about, text)| Page {
        name: (*name).to_owned(),
        section,
        text: manual::page(name, section, about, text).into_bytes(),
    }));
    Ok(pages)
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
