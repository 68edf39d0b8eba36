//! `qdemo cut` and `qdemo split`: parts of recordings as recordings of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::ValueHint;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use qdemo::analysis::highlight::HighlightKind;
use qdemo::analysis::parts::{self, Part, PartKind};
use qdemo::replay::{Position, Range};
use qdemo::world::DemoTime;
use qdemo_inputs::{Inputs, Item, Protected, Wanted, unpacked_name};
use regex_lite::{Regex, RegexBuilder};

use crate::batch::Outcome;
use crate::clips::{self, Again, Clip, Writing, clip_name};
use crate::console::Note;
use crate::exit::Exit;
use crate::highlights;
use crate::report;
use crate::session::Session;
use crate::when::GivenClock;
use crate::writing;

/// Cut a part out of a recording: a clip that plays by itself
///
/// The clip begins with all that is known just before the first block of the part, and ends cleanly. What lies between is
/// byte for byte that of the recording, but for frames that build on what was cut off. The part is between two places
/// (--from, --to), or around something that happens.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A place is a time since the recording began (90, 1:30, 1500ms), what the game's own clock shows (server:90, recorder:90,
recording:90, clock:90), a number (frame:1200 in Quake II, block:55), start or end.
Numbers count what the verbs frags, chat, runs and highlights tell, with the same --player.

Exit codes:
  0 fine   2 a part is not there, or a file could not be read or written

Examples:
  qdemo cut duel.mvd --from 1:00 --to 1:30 -o clip.mvd
  qdemo cut duel.dm_68 --from server:7.25 --to server:0:12 -o clip.dm_68
  qdemo cut marathon.dem --level 2 -o e1m2.dem
  qdemo cut ffa.dm_71 --frag 3 --player sarge --before 5s --after 3s -o frag.dm_71
  qdemo cut demos/ --highlight multikill --all --before 8s --after 4s -o clips/
  qdemo cut duel.mvd --chat '^gg' --before 10s -o gg.mvd
  qdemo cut duel.mvd --clock level --from 0:05 --to 0:10 -o clip.mvd
  qdemo cut duel.mvd --frag all -n --json           what there would be")]
pub(crate) struct CutArgs {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// The first moment of the clip
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true, default_value = "start")]
    from: Position,

    /// Its last moment
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true, default_value = "end")]
    to: Position,

    #[command(flatten)]
    clock: GivenClock,

    #[command(flatten)]
    event: EventArgs,

    /// Only what is about a player whose name contains this; alone: the time in which such a player is there
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Option<String>,

    /// So much more in front of what happens
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = report::time)]
    before: Option<DemoTime>,

    /// So much more behind it
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = report::time)]
    after: Option<DemoTime>,

    /// The one of this number among those that fit, of --highlight, --chat and --player; else the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = NUMBERED)]
    nth: Option<u32>,

    /// Each that fits, into a folder
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    writing: Writing,
}

/// What has a number, or none, by itself.
const NUMBERED: [&str; 6] = ["all", "frag", "match_", "round", "level", "run"];

/// What a part is about.
#[derive(Debug, clap::Args)]
struct EventArgs {
    /// The frag of this number
    #[arg(long, value_name = "N|all", group = "one")]
    frag: Option<Number>,

    /// The match of this number
    #[arg(long = "match", value_name = "N|all", group = "one")]
    match_: Option<Number>,

    /// The round of this number
    #[arg(long, value_name = "N|all", group = "one")]
    round: Option<Number>,

    /// The level of this number
    #[arg(long, value_name = "N|all", group = "one")]
    level: Option<Number>,

    /// The run against the clock of this number
    #[arg(long, value_name = "N|all", group = "one")]
    run: Option<Number>,

    /// Highlights of these kinds: see `qdemo highlights`
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = highlights::kinds(), group = "one")]
    highlight: Vec<HighlightKind>,

    /// Chat that fits this pattern, whatever the case
    #[arg(long, value_name = "REGEX", value_parser = pattern, group = "one")]
    chat: Option<Regex>,
}

/// A number, or all.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    One(u32),
    All,
}

impl std::str::FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Number::All),
            number => match number.parse() {
                Ok(number @ 1..) => Ok(Number::One(number)),
                _ => Err("a number from 1 on, or all".to_owned()),
            },
        }
    }
}

fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).case_insensitive(true).build().map_err(|e| e.to_string())
}

/// Parts that are asked for by what happens in them.
struct Asked<'a> {
    kind: PartKind,
    number: Number,
    chat: Option<&'a Regex>,
}

impl CutArgs {
    fn asked(&self) -> Option<Asked<'_>> {
        let event = &self.event;
        let nth = Some(Number::One(self.nth.unwrap_or(1)));
        let kinds = [
            (PartKind::Frag, event.frag),
            (PartKind::Match, event.match_),
            (PartKind::Round, event.round),
            (PartKind::Level, event.level),
            (PartKind::Run, event.run),
            (PartKind::Highlight, nth.filter(|_| !event.highlight.is_empty())),
            (PartKind::Chat, nth.filter(|_| event.chat.is_some())),
            (PartKind::Player, nth.filter(|_| self.player.is_some())),
        ];
        let (kind, number) = kinds.into_iter().find_map(|(kind, number)| Some((kind, number?)))?;
        let number = if self.all { Number::All } else { number };
        Some(Asked { kind, number, chat: event.chat.as_ref() })
    }

    /// The parts of an input that are asked for.
    fn find(&self, asked: &Asked<'_>, input: &Again<'_>, name: &str) -> Result<Vec<Part>> {
        let mut wanted = parts::Wanted::new(asked.kind);
        wanted.player = self.player.as_deref();
        wanted.highlights = &self.event.highlight;
        (wanted.before, wanted.after) = (self.before.unwrap_or_default(), self.after.unwrap_or_default());
        let mut found = find(input, name, &wanted)?;
        if let Some(chat) = asked.chat {
            found.retain(|part| part.text.as_ref().is_some_and(|text| chat.is_match(text)));
            (1..).zip(&mut found).for_each(|(number, part)| part.number = number);
        }
        let there = found.len();
        if let Number::One(number) = asked.number {
            found.retain(|part| part.number == number as usize);
        }
        if found.is_empty() {
            let which = match asked.number {
                Number::One(number) if there > 0 => format!("no {} {number}: there are {there}", asked.kind.name()),
                _ => format!("no {} that fits", asked.kind.name()),
            };
            let advice = "`qdemo events`, `qdemo timeline` and `qdemo players` tell what there is";
            return Err(Absent(format!("{name}: there is {which}; {advice}")).into());
        }
        Ok(found)
    }
}

/// Nothing in a recording is what was asked for.
#[derive(Debug)]
struct Absent(String);

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}

fn find(again: &Again<'_>, name: &str, wanted: &parts::Wanted<'_>) -> Result<Vec<Part>> {
    // Damage is told when the clips are cut.
    let (found, _) = again.read(&mut Vec::new(), |input| Ok(parts::parts(input, name, again.limits, wanted)?))?;
    Ok(found)
}

pub(crate) fn cut(args: &CutArgs, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    let limits = session.limits;
    let range = Range { from: args.from, to: args.to };
    let mut asked = args.asked();
    let mut when = args.clock.when(None);
    if range != Range::ALL && asked.is_some() {
        when = match (args.event.match_, args.clock.in_match()) {
            (Some(Number::One(number)), true) if args.player.is_none() => args.clock.when(Some(number)),
            _ => bail!(
                "--from and --to cannot be used with parts that are named by what happens; within a match they can: \
                 --clock match --match N"
            ),
        };
        asked = None;
    }
    let needs = [
        ("--all", args.all),
        ("--nth", args.nth.is_some()),
        ("--before", args.before.is_some()),
        ("--after", args.after.is_some()),
    ];
    if let Some((option, _)) = needs.iter().find(|(_, given)| asked.is_none() && *given) {
        bail!("{option} needs something that happens: --frag, --match, --highlight ...");
    }
    let all = asked.as_ref().is_some_and(|asked| asked.number == Number::All);
    run(&args.files, &args.writing, all, session, |item, target, protected, outcome| {
        let input = Again::new(item, limits)?;
        let name = item.to_string();
        let clips = match &asked {
            None => {
                let range = when.places(range, &input, &name)?;
                vec![Clip { part: None, range, path: target.map(Path::to_owned) }]
            }
            Some(asked) => named(args.find(asked, &input, &name)?, asked.kind, &input, target, all),
        };
        clips::write(&input, &clips, protected, &args.writing, outcome)
    })
}

/// Clips with their files; several are named even where nothing is written.
fn named(parts: Vec<Part>, kind: PartKind, input: &Again<'_>, target: Option<&Path>, several: bool) -> Vec<Clip> {
    let of = parts.len();
    let unwritten = input.recording_name();
    let target = target.or(several.then_some(&*unwritten));
    let path = |part: &Part| match several {
        true => target.map(|target| clip_name(target, kind, part.number, of)),
        false => target.map(Path::to_owned),
    };
    parts.into_iter().map(|part| Clip { range: part.range, path: path(&part), part: Some(part) }).collect()
}

/// Works on each input; `several` results of each need a folder.
fn run(
    files: &[OsString],
    args: &Writing,
    several: bool,
    session: &Session,
    work: impl Fn(&Item, Option<&Path>, &Protected, &mut Outcome) -> Result<()> + Sync,
) -> Result<Exit> {
    let inputs = Inputs::gather(files, Wanted::Demos, session);
    // A folder that does not exist yet is one all the same.
    let folder = |path: &PathBuf| if several && path.as_os_str() != "-" { path.join("") } else { path.clone() };
    let output = args.output.as_ref().map(folder);
    if several && output.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        return Err(anyhow!("several results need a folder; give -o FOLDER"));
    }
    let many = inputs.several;
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        match work(item, target, protected, &mut outcome) {
            // Of many recordings some may have nothing of what is asked for.
            Err(e) if several && many && e.is::<Absent>() => outcome.notes.push(Note::Warning(e.to_string())),
            Err(e) => outcome.fail(&e),
            Ok(()) => {}
        }
        outcome
    };
    writing::run_dry(inputs, output.as_deref(), args.dry_run, session, unpacked_name, work)
}

/// Split recordings into parts: levels, matches, rounds, runs
///
/// Each part is a recording of its own, that begins with all that is known just before it and ends cleanly. Levels make up
/// the whole recording, byte for byte; of matches, rounds and runs what lies between them is left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 there is no such part, or a file could not be read or written

Examples:
  qdemo split duel.dm_68 --by match -o matches/
  qdemo split marathon.dem --by level -o levels/
  qdemo split demos/ --by match -o matches/ --json
  qdemo split marathon.dem --by gamestate -n       what there would be")]
pub(crate) struct SplitArgs {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// What each part is; a gamestate is what begins a level
    #[arg(long, value_name = "PART", value_parser = by())]
    by: PartKind,

    /// So much more in front of each; not of levels
    #[arg(long, value_name = "TIME", default_value = "0", allow_negative_numbers = true, value_parser = report::time)]
    before: DemoTime,

    /// So much more behind it
    #[arg(long, value_name = "TIME", default_value = "0", allow_negative_numbers = true, value_parser = report::time)]
    after: DemoTime,

    #[command(flatten)]
    writing: Writing,
}

fn by() -> impl TypedValueParser<Value = PartKind> {
    PossibleValuesParser::new(PartKind::SPLITS.map(|(name, _)| name))
        .try_map(|name| PartKind::to_split_by(&name).ok_or("no such part"))
}

pub(crate) fn split(args: &SplitArgs, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    let limits = session.limits;
    run(&args.files, &args.writing, true, session, |item, target, protected, outcome| {
        let input = Again::new(item, limits)?;
        let name = item.to_string();
        let mut wanted = parts::Wanted::new(args.by);
        (wanted.before, wanted.after) = (args.before, args.after);
        let found = find(&input, &name, &wanted)?;
        if found.is_empty() {
            let what = args.by.name();
            return Err(
                Absent(format!("{name}: there is no {what} in it; `qdemo timeline` tells what there is")).into()
            );
        }
        clips::write(&input, &named(found, args.by, &input, target, true), protected, &args.writing, outcome)
    })
}
