//! `qdemo retime`: a recording on another time.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use qdemo::Limits;
use qdemo::edit::{Account, TimeMap};
use qdemo::world::DemoTime;

use crate::batch::Outcome;
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::{Wanted, unpacked_name};
use crate::output::Output;
use crate::report;
use crate::session::Session;
use crate::source::open_one;
use crate::writing;

/// Play a recording slower, faster, backwards, again, or on another clock
///
/// Writes a new recording. What it shows at a moment is what the old one shows at another: states stay as they are,
/// times apart. Times are counted from the beginning of the recording.
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

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,

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

    /// Write nothing, tell what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// Tell what was done as one JSON object a line; needs -o or --dry-run
    #[arg(long)]
    json: bool,
}

/// Milliseconds, which may be negative.
fn signed(text: &str) -> Result<i64, String> {
    let (sign, time) = text.strip_prefix('-').map_or((1, text), |time| (-1, time));
    time.parse::<DemoTime>().map(|time| sign * time.ms())
}

impl Args {
    fn map(&self) -> Result<TimeMap> {
        let range = (self.from.is_some() || self.to.is_some())
            .then(|| (self.from.unwrap_or_default(), self.to.unwrap_or(TimeMap::END)));
        if let Some(speed) = self.speed {
            return Ok(TimeMap::speed(speed, range)?);
        }
        if let Some([from, to, times]) = self.repeat.as_deref() {
            let time = |text: &str| text.parse::<DemoTime>().map_err(|e| anyhow::anyhow!("--loop: {e}"));
            let times = times.parse().map_err(|_| anyhow::anyhow!("--loop: {times}: how often is a whole number"))?;
            return Ok(TimeMap::repeat(time(from)?, time(to)?, times)?);
        }
        if let Some([at, length]) = self.freeze.as_deref() {
            return Ok(TimeMap::freeze(*at, *length)?);
        }
        if let Some(ms) = self.shift {
            return Ok(TimeMap::shift(ms));
        }
        Ok(TimeMap::reverse(range)?)
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let map = args.map()?;
    let to_stdout = args.output.as_deref().is_none_or(|path| path.as_os_str() == "-");
    if args.json && to_stdout && !args.dry_run {
        bail!("--json is written to standard output, and so is the recording: give -o FILE or --dry-run");
    }
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| match one(
        item, target, protected, &map, args, limits,
    ) {
        Ok(account) => told(&account, item, args, to_stdout),
        Err(e) => report::failed(&item.to_string(), &e, args.json),
    };
    if args.dry_run {
        let several = inputs.several;
        let protected = inputs.protected.clone();
        let work = |item: &Item| work(item, None, &protected);
        return crate::batch::run(session, inputs.items(), several, args.json, Ok, work, |_| Ok(()));
    }
    writing::run(inputs, args.output.as_deref(), session, unpacked_name, work)
}

fn one(
    item: &Item,
    target: Option<&Path>,
    protected: &Protected,
    map: &TimeMap,
    args: &Args,
    limits: Limits,
) -> Result<Account> {
    let source = open_one(item, Some(Wanted::Demos), &limits)?;
    let name = item.to_string();
    if args.dry_run {
        return Ok(qdemo::edit::retime(source, &name, limits, map, std::io::sink())?.1);
    }
    let mut output = match target {
        Some(path) => Output::create(path, protected)?,
        None => Output::binary_stdout()?,
    };
    let done = qdemo::edit::retime(source, &name, limits, map, &mut output).map(|(_, account)| account);
    let account = done.map_err(|e| output.explain(e))?;
    output.finish()?;
    Ok(account)
}

fn told(account: &Account, item: &Item, args: &Args, to_stdout: bool) -> Outcome {
    let name = item.to_string();
    if args.json {
        return match serde_json::to_value(account) {
            Ok(facts) => Outcome::json(&report::line(&name, facts)),
            Err(_) => Outcome::new(),
        };
    }
    if to_stdout && !args.dry_run {
        return Outcome::new();
    }
    let Account { blocks_kept, blocks_changed, blocks_dropped, blocks_made, bytes_written, .. } = account;
    let mut out = format!(
        "{}: {blocks_kept} blocks as they were, {blocks_changed} changed, {blocks_made} new, {blocks_dropped} left out; {bytes_written} bytes\n",
        crate::show::Safe(&name)
    );
    for note in &account.notes {
        let _ = writeln!(out, "  {note}");
    }
    Outcome::text(out)
}
