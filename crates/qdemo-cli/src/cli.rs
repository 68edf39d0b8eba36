//! The command line as a whole. Each verb declares its own arguments next to what it does.

use std::io::{self, Write as _};

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::exit::{Exit, is_closed_pipe};

/// Read, check and rewrite the demo files of the Quake family
#[derive(Debug, Parser)]
#[command(name = "qdemo", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = AFTER)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Cli {
    /// What the command was called with. Ends the process where that is no call, or one for help.
    pub(crate) fn called() -> Cli {
        use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
        let matches = Cli::command().try_get_matches().unwrap_or_else(|e| match e.kind() {
            DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
                Cli::with_all_verbs().try_get_matches().unwrap_or_else(|e| ends(&e))
            }
            _ => ends(&e),
        });
        Cli::from_arg_matches(&matches).unwrap_or_else(|e| ends(&e.format(&mut Cli::command())))
    }

    /// For help and completions, which say of each verb what it is for: that is declared with its options.
    pub(crate) fn with_all_verbs() -> Command {
        let mut whole = Cli::command();
        whole.build();
        Cli::command().mut_subcommands(|verb| {
            match whole.find_subcommand(verb.get_name()).and_then(Command::get_about) {
                Some(about) => verb.about(about.clone()),
                None => verb,
            }
        })
    }
}

/// Ends the process with help, or with what is wrong with the call. clap's own `exit` passes over what writing gives.
fn ends(e: &clap::Error) -> ! {
    let code = match e.print().map_err(anyhow::Error::from) {
        Err(e) if !is_closed_pipe(&e) => {
            let _ = writeln!(io::stderr(), "qdemo: standard output: {e}");
            Exit::Error as i32
        }
        _ => e.exit_code(),
    };
    std::process::exit(code)
}

const AFTER: &str = "\
FILE may be a file, a folder, a pattern, or a demo in a container:
  demo1.dem          a file; - is standard input
  demos/             every demo in the folder and the folders below, and in the containers there
  'demos/*.dem'      a pattern that the shell did not expand
  pak0.pak:e1m1.dem  one demo in a container (zip, pk3, pak, dz, tar, 7z; also within each other)
  'pak0.pak:*'       every demo in it

Exit codes:
  0 fine   1 the answer is no (verify, check, diff, repair -n, hash --duplicates, find)   2 something went wrong

Examples:
  qdemo info demo1.dem
  qdemo verify demos/
  qdemo check run.dem
  qdemo diff duel.dm_68 clip.dm_68
  qdemo state duel.mvd --at 5:00
  qdemo frags duel.dm_68 --json
  qdemo index demos/
  qdemo find 'player:sarge map:dm3'
  qdemo cut duel.mvd --from 1:00 --to 1:30 -o clip.mvd
  qdemo join e1m1.dem e1m2.dem -o e1.dem
  qdemo merge mine.dm_71 yours.dm_71 -o both.dm_71
  qdemo decompile demo1.dem -o demo1.txt
  qdemo compile demo1.txt -o demo2.dem
  qdemo edit duel.mvd -o clean.mvd --remove chat --sanitize
  qdemo camera run.dem --script cam.toml -o film.dem
  qdemo convert duel.dm_66 -o duel.dm_68
  qdemo repair broken.dem -o whole.dem";

/// Options of every verb.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Say nothing but results and errors: no progress, no warnings
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Tables as wide as they are; else what is wider than 100 columns is folded
    #[arg(long, global = true)]
    pub(crate) wide: bool,

    /// Threads, for several files or one large one; 0 takes as many as there are processors
    #[arg(short, long, value_name = "N", default_value_t = 0, global = true)]
    pub(crate) jobs: usize,

    /// Write over no file that is there
    #[arg(long, global = true)]
    pub(crate) no_clobber: bool,

    #[command(flatten)]
    pub(crate) limits: crate::limits::LimitArgs,
}

/// Options of a verb are declared when it is called: those of all verbs took a quarter of the instructions of `info`
/// of a small file.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Verb {
    Info(crate::info::Args),
    Decompile(crate::decompile::Args),
    Compile(crate::compile::Args),
    Verify(crate::verify::Args),
    Check(crate::check::Args),
    Diff(crate::diff::Args),
    Repair(crate::repair::Args),
    State(crate::state::Args),
    Timeline(crate::timeline::Args),
    Players(crate::timeline::PlayersArgs),
    Export(crate::export::Args),
    Frags(crate::events::FragsArgs),
    Chat(crate::events::ChatArgs),
    Scores(crate::events::ScoresArgs),
    Runs(crate::events::RunsArgs),
    Events(crate::events::EventsArgs),
    Texts(crate::texts::Args),
    Highlights(crate::highlights::HighlightsArgs),
    Stats(crate::stats::Args),
    View(crate::view::Args),
    Draw(crate::draw::Args),
    Report(crate::match_report::Args),
    Cut(crate::cut::CutArgs),
    Split(crate::cut::SplitArgs),
    Join(crate::join::Args),
    Merge(crate::merge::Args),
    Retime(crate::retime::Args),
    Edit(crate::edit::Args),
    Camera(crate::camera::Args),
    Convert(crate::convert::Args),
    Schema(crate::schema::Args),
    Hash(crate::hash::Args),
    Index(crate::index::Args),
    Find(crate::find::Args),
    Unpack(crate::unpack::Args),
    Completions(crate::completions::Args),
    Man(crate::completions::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
