//! `qdemo report`: the matches of a recording as a page to be sent to friends.

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Result;
use clap::ValueHint;
use qdemo::report;
use qdemo_inputs::unpacked_name;
use schemars::JsonSchema;
use serde::Serialize;

use crate::called::with_extension;
use crate::clips::Writing;
use crate::console::KEY;
use crate::exit::Exit;
use crate::maps::Maps;
use crate::session::Session;
use crate::show::{Safe, count};
use crate::shown::{Floor, Lacks, furnish};
use crate::writing::Rewriting;

/// Write the matches of recordings as pages: scores, who killed whom, pictures, weapons, items, highlights, chat
///
/// A page is one file of HTML without a script, which any browser shows and prints; it asks the network for nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 written   2 a file could not be read or written

Examples:
  qdemo report duel.mvd -o duel.html
  qdemo report ffa.dm_71 -o ffa.html --maps .   pictures on the map found here
  qdemo report 'demos/*.dm_68' -o pages/           a page for each")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    #[command(flatten)]
    floor: Floor,

    #[command(flatten)]
    writing: Writing,
}

/// What a page was made of.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reported {
    /// How many matches, and levels without a match, it shows.
    periods: usize,
    /// How many players, each counted in every one of these.
    players: usize,
    #[serde(flatten)]
    lacks: Lacks,
    /// The size of the page in bytes.
    bytes_written: u64,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: args.floor.beside(),
        rename: &|input| with_extension(unpacked_name(input), "html"),
        reads_again: false,
        plan: &|_, _| Ok(args.floor.maps()),
        carry_out: |input, name, means, maps: &Maps, output| {
            let (mut report, faults) = report::read_on(means.threads, input, name, means.limits)?;
            let lacks = furnish(&mut report.replay, maps, &means.limits)?.with(&faults);
            let page = report.to_html();
            output.write_all(page.as_bytes())?;
            Ok(Reported {
                periods: report.periods.len(),
                players: report.periods.iter().map(|period| period.players.len()).sum(),
                lacks,
                bytes_written: page.len() as u64,
            })
        },
        text,
    };
    rewriting.run(session)
}

fn text(told: &Reported, name: &str) -> String {
    let (periods, players) = (count(told.periods as u64, "period"), count(told.players as u64, "player"));
    let text = format!("{KEY}{}{KEY:#}: {periods}, {players}\n", Safe(name));
    text + &told.lacks.warnings()
}
