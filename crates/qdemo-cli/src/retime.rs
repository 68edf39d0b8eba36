//! `qdemo retime`: a recording on another time.

use std::ffi::OsString;
use std::fmt::Write as _;

use anyhow::Result;
use clap::ValueHint;
use qdemo::edit::{Account, TimeMap};
use qdemo::world::DemoTime;
use qdemo_inputs::unpacked_name;

use crate::clips::{Writing, rewritten};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;
use crate::when::GivenClock;
use crate::writing::Rewriting;

/// Play a recording slower, faster, backwards, again, or on another clock
///
/// Writes a new recording. What it shows at a moment is what the old one shows at another: states stay as they are,
/// times apart. Times are counted from the beginning of the recording, unless --clock says otherwise.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("how").required(true)))]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read or written, or has no such moment

Examples:
  qdemo retime run.dem -o slow.dem --speed 0.5                    half as fast
  qdemo retime duel.mvd -o slow.mvd --speed 0.25 --from 1:00 --to 1:10
  qdemo retime duel.dm_68 -o again.dm_68 --loop 0:05 0:08 3        three seconds, three times
  qdemo retime run.dem -o stop.dem --freeze 0:05 4                stands still for four seconds
  qdemo retime run.dem -o back.dem --reverse
  qdemo retime duel.dm_68 -o later.dm_68 --shift 60               the clock shows a minute more
  qdemo retime duel.dm_68 --speed 2 -n --json                         tell what would be done")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Seconds of the recording in a second: 0.5 is slow motion
    #[arg(long, value_name = "X", allow_negative_numbers = true, group = "how")]
    speed: Option<f64>,

    /// Play what lies between two moments so many times
    #[arg(long = "loop", value_names = ["FROM", "TO", "N"], num_args = 3, group = "how")]
    repeat: Option<Vec<String>>,

    /// Stand still at a moment, for so long
    #[arg(long, value_names = ["TIME", "LENGTH"], num_args = 2, value_parser = report::time, group = "how")]
    freeze: Option<Vec<DemoTime>>,

    /// Play backwards
    #[arg(long, group = "how")]
    reverse: bool,

    /// Add so much to what the game's clock shows, or take it off: 60, -1:30, 500ms
    #[arg(long, value_name = "TIME", value_parser = signed, allow_hyphen_values = true, group = "how")]
    shift: Option<i64>,

    /// Where --speed or --reverse begins; the default is the beginning
    #[arg(long, value_name = "TIME", value_parser = report::time, conflicts_with_all = ["repeat", "freeze", "shift"])]
    from: Option<DemoTime>,

    /// Where it ends; the default is the end
    #[arg(long, value_name = "TIME", value_parser = report::time, conflicts_with_all = ["repeat", "freeze", "shift"])]
    to: Option<DemoTime>,

    #[command(flatten)]
    clock: GivenClock,

    /// The match from whose beginning times count, with --clock match
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,

    #[command(flatten)]
    writing: Writing,
}

/// Milliseconds, which may be negative.
fn signed(text: &str) -> Result<i64, String> {
    let (sign, time) = text.strip_prefix('-').map_or((1, text), |time| (-1, time));
    time.parse::<DemoTime>().map(|time| sign * time.ms())
}

impl Args {
    /// How time is to run in a recording, on whose clock `resolve` finds times.
    fn map(&self, resolve: &dyn Fn(DemoTime) -> Result<DemoTime>) -> Result<TimeMap> {
        let range = match (self.from, self.to) {
            (None, None) => None,
            (from, to) => {
                let from = from.map_or(Ok(DemoTime::default()), resolve)?;
                Some((from, to.map_or(Ok(TimeMap::END), resolve)?))
            }
        };
        if let Some(speed) = self.speed {
            return Ok(TimeMap::speed(speed, range)?);
        }
        if let Some([from, to, times]) = self.repeat.as_deref() {
            let time = |text: &str| {
                let time = text.parse::<DemoTime>().map_err(|e| anyhow::anyhow!("--loop: {e}"))?;
                resolve(time)
            };
            let times = times.parse().map_err(|_| anyhow::anyhow!("--loop: {times}: how often is a whole number"))?;
            return Ok(TimeMap::repeat(time(from)?, time(to)?, times)?);
        }
        if let Some([at, length]) = self.freeze.as_deref() {
            return Ok(TimeMap::freeze(resolve(*at)?, *length)?);
        }
        if let Some(ms) = self.shift {
            return Ok(TimeMap::shift(ms));
        }
        Ok(TimeMap::reverse(range)?)
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    // What is wrong with it by itself is told once.
    args.map(&Ok)?;
    let when = args.clock.when(args.number);
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: Vec::new(),
        rename: &unpacked_name,
        reads_again: when.reads_again(),
        plan: &|again, name| args.map(&|time| when.time(time, again, name)),
        carry_out: |input, name, means, map, output| {
            qdemo::edit::retime(input, name, means.limits, map, output).map(|(_, account)| account)
        },
        text,
    };
    rewriting.run(session)
}

fn text(account: &Account, name: &str) -> String {
    let mut text = rewritten(account, name);
    for note in &account.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}
