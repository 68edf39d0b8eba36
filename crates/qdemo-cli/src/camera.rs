//! `qdemo camera`: a recording seen from elsewhere.

mod suggest;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::ValueHint;
use qdemo::edit::{CameraAccount, Script};
use qdemo::world::DemoTime;
use qdemo_inputs::unpacked_name;

use crate::clips::{Writing, rewritten};
use crate::exit::Exit;
use crate::session::Session;
use crate::show::count;
use crate::when::GivenClock;
use crate::writing::Rewriting;

/// Show a recording from elsewhere: fixed cameras, ways through keys, behind or in the eyes of somebody
///
/// Writes a new recording, in which the view is where a script says, as long as its shots last; else it is the recorded one.
/// docs/camera.md tells how to write scripts; --suggest prints one to begin with. Recordings of one player have a camera: .dem,
/// .qwd, .dm2, .dm_68 and its relatives.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file or script could not be read, or the recording has no view of its own

Examples:
  qdemo camera duel.dm_68 --suggest > cam.toml           a script for its highlights
  qdemo camera run.dem --script cam.toml -o film.dem
  qdemo camera duel.dm_68 --script cam.toml -n           which shots show whom
  qdemo camera duel.dm_68 --script cam.toml --clock match -o film.dm_68")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// The shots, as a TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "what")]
    script: Option<PathBuf>,

    /// Print a script with a shot behind and one beside the player of each highlight
    #[arg(long, group = "what", conflicts_with_all = ["output", "dry_run", "json"])]
    suggest: bool,

    #[command(flatten)]
    clock: GivenClock,

    /// The match from whose beginning times count, with --clock match
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,

    #[command(flatten)]
    writing: Writing,
}

impl Args {
    fn script(&self) -> Result<Script> {
        let Some(path) = &self.script else { bail!("name the shots with --script FILE") };
        let text = fs::read_to_string(path).map_err(|e| anyhow!("{}: {e}", path.display()))?;
        qdemo_inputs::camera::parse(&text).map_err(|e| anyhow!("{}: {e}", path.display()))
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    if args.suggest {
        return suggest::run(&args.files, session);
    }
    args.writing.check()?;
    let script = args.script()?;
    let when = args.clock.when(args.number);
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: args.script.as_deref().into_iter().collect(),
        rename: &unpacked_name,
        reads_again: when.reads_again(),
        plan: &|again, name| script.on_clock(&|time: DemoTime| when.time(time, again, name)),
        carry_out: |input, name, means, script, output| {
            qdemo::edit::camera(input, name, means.limits, script, output).map(|(_, account)| account)
        },
        text,
    };
    rewriting.run(session)
}

fn text(account: &CameraAccount, name: &str) -> String {
    let mut text = rewritten(&account.account, name);
    for shot in &account.shots {
        let _ = write!(text, "  shot {}, {} to {}: {}", shot.shot, shot.from, shot.to, count(shot.frames, "frame"));
        if let Some(first) = &shot.first_unseen {
            let _ = write!(
                text,
                "; {} do not show whom it is about, the first at {} in block {}",
                shot.unseen, first.at.demo, first.block
            );
        }
        text.push('\n');
    }
    let told = [
        (account.recorder_shown, "the recorder's player was put in", "frame"),
        (
            account.recorder_missing,
            "the recorder's player is not to be seen, as what he looks like is not told",
            "frame",
        ),
        (account.flashes_dropped, "flashes and kicks of the recorder's view were left out", "message"),
    ];
    for (n, what, of) in told.into_iter().filter(|(n, ..)| *n > 0) {
        let _ = writeln!(text, "  {what}: {}", count(n, of));
    }
    for note in &account.account.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}
