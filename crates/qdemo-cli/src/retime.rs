//! `qdemo retime`: a recording on another time.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::edit::{Account, TimeMap};
use qdemo::world::DemoTime;

use crate::batch::Outcome;
use crate::clips::{Again, Target, Writing, Written};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::{Wanted, unpacked_name};
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count, size};
use crate::when::Given;
use crate::writing;

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
    #[arg(long, value_name = "X", group = "how")]
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
    given: Given,

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
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let name = item.to_string();
        match one(item, target, protected, args, limits) {
            Ok(account) => told(&account, &name, target, &args.writing),
            Err(e) => report::failed(&name, &e, args.writing.json),
        }
    };
    let (output, dry_run) = (args.writing.output.as_deref(), args.writing.dry_run);
    writing::run_dry(inputs, output, dry_run, session, unpacked_name, work)
}

fn one(item: &Item, target: Option<&Path>, protected: &Protected, args: &Args, limits: Limits) -> Result<Account> {
    let (again, name) = (Again::new(item, limits)?, item.to_string());
    let when = args.given.when(args.number);
    let map = args.map(&|time| when.time(time, &again, &name))?;
    let mut output = Target::create(target, protected, args.writing.dry_run)?;
    let done = qdemo::edit::retime(again.open()?, &name, limits, &map, &mut output).map(|(_, account)| account);
    let account = done.map_err(|e| output.explain(e))?;
    output.finish()?;
    Ok(account)
}

fn told(account: &Account, name: &str, target: Option<&Path>, args: &Writing) -> Outcome {
    let output = target.map(|path| path.display().to_string());
    let line = report::line(name, Written { account, output: output.clone(), dry_run: args.dry_run });
    let shown = output.unwrap_or_else(|| name.to_owned());
    let mut text = format!("{KEY}{}{KEY:#}: ", Safe(&shown));
    let blocks = [
        (account.blocks_kept, "as they were"),
        (account.blocks_changed, "changed"),
        (account.blocks_made, "new"),
        (account.blocks_dropped, "left out"),
    ];
    for (n, what) in blocks.into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(text, "{} {what}, ", count(n, "block"));
    }
    let _ = writeln!(text, "{}", size(account.bytes_written));
    for note in &account.notes {
        let _ = writeln!(text, "  {note}");
    }
    let mut outcome = Outcome::new();
    args.tell(&mut outcome, &line, &text);
    outcome
}
