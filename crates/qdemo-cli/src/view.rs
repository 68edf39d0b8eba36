//! `qdemo view`: a recording as a page to look at.

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Result;
use clap::ValueHint;
use qdemo::view::{MarkKind, Replay};
use qdemo::world::DemoTime;
use qdemo_inputs::unpacked_name;
use schemars::JsonSchema;
use serde::Serialize;

use crate::called::with_extension;
use crate::clips::Writing;
use crate::console::KEY;
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, count};
use crate::shown::{Lacks, Plan, Read, Shown};
use crate::writing::Rewriting;

/// Write recordings as pages to look at, in any browser
///
/// The page is one file that opens from disk and asks the network for nothing: the map from above, from behind a player or
/// through a player's eyes, with everybody on it, score board, frags, chat, charts and heat maps. Its button ? lists its keys.
/// It can be sent to friends, and a link to a moment looks like replay.html#t=1:23.4&follow=Sarge&camera=eyes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 written   2 a file could not be read or written

Examples:
  qdemo view duel.mvd -o duel.html
  qdemo view duel.mvd -o duel.html --maps .     with the floor of a map that is found here
  qdemo view duel.dm_68 -o clip.html --from 0:01 --to 0:10
  qdemo view 'demos/*.dm_68' -o pages/")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    #[command(flatten)]
    shown: Shown,

    #[command(flatten)]
    writing: Writing,
}

/// What a page shows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page {
    /// When it begins, in milliseconds since the recording began; null where the recording shows nothing.
    from_ms: Option<i64>,
    /// When it ends.
    to_ms: Option<i64>,
    /// Moments that the recording shows in between.
    moments: usize,
    /// People who play at some time.
    players: usize,
    /// People who only watch.
    spectators: usize,
    /// Frags.
    frags: usize,
    #[serde(flatten)]
    lacks: Lacks,
    /// The size of the page.
    bytes_written: u64,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    args.shown.check()?;
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: args.shown.beside(),
        rename: &|input| with_extension(unpacked_name(input), "html"),
        reads_again: args.shown.reads_again(),
        plan: &|input, name| args.shown.plan(input, name),
        carry_out: |input, name, means, plan: &Plan, output| {
            let Read { replay, lacks } = plan.read(input, name, means)?;
            let page = replay.to_html_on(means.threads)?;
            output.write_all(page.as_bytes())?;
            let bytes_written = page.len() as u64;
            Ok(Page { lacks, bytes_written, ..told(&replay) })
        },
        text,
    };
    rewriting.run(session)
}

fn told(replay: &Replay) -> Page {
    let is_frag = |kind: &MarkKind| matches!(kind, MarkKind::Frag { .. });
    let [players, spectators] = replay.players_and_spectators();
    Page {
        from_ms: replay.rows.first().copied(),
        to_ms: replay.rows.last().copied(),
        moments: replay.rows.len(),
        players,
        spectators,
        frags: replay.about.marks.iter().filter(|mark| is_frag(&mark.kind)).count(),
        lacks: Lacks::default(),
        bytes_written: 0,
    }
}

fn text(page: &Page, name: &str) -> String {
    let time = |ms: Option<i64>| DemoTime::from_ms(ms.unwrap_or_default());
    let (from, to) = (time(page.from_ms), time(page.to_ms));
    let (players, frags) = (count(page.players as u64, "player"), count(page.frags as u64, "frag"));
    let spectators = match page.spectators {
        0 => String::new(),
        n => format!(", {}", count(n as u64, "spectator")),
    };
    let mut text = format!("{KEY}{}{KEY:#}: {from} to {to}, {players}{spectators}, {frags}\n", Safe(name));
    text += &page.lacks.warnings();
    text
}
