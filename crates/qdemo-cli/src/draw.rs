//! `qdemo draw`: a picture of a recording.

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::{Result, bail};
use clap::ValueHint;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use qdemo::draw::{Choice, Size, Subject, draw};
use qdemo_inputs::{as_io, unpacked_name};
use schemars::JsonSchema;
use serde::Serialize;

use crate::called::with_extension;
use crate::clips::Writing;
use crate::console::KEY;
use crate::exit::Exit;
use crate::png;
use crate::session::Session;
use crate::show::{Safe, count};
use crate::shown::{Lacks, Plan, Read, Shown};
use crate::writing::Rewriting;

/// Draw where players died, killed, were and went, what they took, and how scores, speed and health went on
///
/// A picture is a plan of the level, seen from above, or a chart over time, with names, units and a legend. It is written as
/// SVG, or as PNG where OUT says so.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 written   2 a file could not be read or written, or there is nothing to draw

Examples:
  qdemo draw duel.mvd -o deaths.svg --what deaths
  qdemo draw duel.mvd -o speed.png --what speed --from 0:02 --to 0:10
  qdemo draw ffa.dm_71 -o kills.png --what kills --weapon rocket
  qdemo draw ffa.dm_71 -o paths.png --what paths --size 1920x1080 --maps .   on the map found here
  qdemo draw 'demos/*.dm_68' -o pictures/ --what presence                    SVG, one for each")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// What the picture shows
    #[arg(long, value_name = "WHAT", value_parser = subject())]
    what: Subject,

    /// Only players whose name contains this, whatever its case; may be given several times
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Vec<String>,

    /// Only kills or deaths with a weapon whose name contains this: rocket
    #[arg(long, value_name = "WEAPON", value_parser = NonEmptyStringValueParser::new())]
    weapon: Option<String>,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1200x900")]
    size: Size,

    /// The kind of picture; without it the name of OUT tells, and in a folder it is SVG
    #[arg(long = "as", value_name = "KIND", value_enum)]
    kind: Option<Kind>,

    #[command(flatten)]
    shown: Shown,

    #[command(flatten)]
    writing: Writing,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Scalable, to be shown in pages and to be worked on
    Svg,
    /// Pixels, to be shown anywhere
    Png,
}

impl Kind {
    fn extension(self) -> &'static str {
        match self {
            Kind::Svg => "svg",
            Kind::Png => "png",
        }
    }
}

/// What pictures show, by the names that the library has.
fn subject() -> impl TypedValueParser<Value = Subject> {
    let values = Subject::ALL.iter().map(|subject| PossibleValue::new(subject.name()).help(subject.about()));
    PossibleValuesParser::new(values)
        .try_map(|name| Subject::by_name(&name).ok_or_else(|| format!("{name} is no subject of a picture")))
}

/// What was drawn.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Drawn {
    /// What the picture shows.
    what: Subject,
    /// The map of the level of a plan: that in which there is most to show; null for a chart.
    map: Option<String>,
    /// What was drawn: deaths, kills, items that were taken, what happened to flags; of presence, paths and charts the players.
    count: usize,
    /// What a plan leaves out because the recording does not tell where it was.
    without_place: usize,
    /// Levels that a plan leaves out although there is something to show in them.
    other_levels: usize,
    #[serde(flatten)]
    lacks: Lacks,
    /// The size of the picture in bytes.
    bytes_written: u64,
}

/// What is drawn of a recording, and how it is written.
struct Task {
    plan: Plan,
    choice: Choice,
    kind: Kind,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    args.shown.check()?;
    if args.weapon.is_some() && !args.what.has_weapons() {
        let with: Vec<_> = Subject::ALL.iter().filter(|it| it.has_weapons()).map(|it| it.name()).collect();
        bail!("--weapon is for pictures of {}; leave it out, or give --what {}", with.join(" and "), with.join(" or "));
    }
    let kind = kind(args)?;
    let choice =
        Choice { players: args.player.clone(), weapon: args.weapon.clone(), size: args.size, ..Choice::new(args.what) };
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: args.shown.beside(),
        rename: &|input| {
            let name = with_extension(unpacked_name(input), kind.extension());
            let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            name.with_file_name(format!("{stem}-{}.{}", args.what.name(), kind.extension()))
        },
        reads_again: args.shown.reads_again(),
        plan: &|input, name| {
            let plan = args.shown.plan(input, name)?;
            let plan = if args.what.is_plan() { plan } else { plan.without_floor() };
            Ok(Task { plan, choice: choice.clone(), kind })
        },
        carry_out: |input, name, means, task: &Task, output| {
            let Read { replay, lacks } = task.plan.read(input, name, means)?;
            let picture = draw(&replay, &task.choice).map_err(|e| e.in_file(name))?;
            let bytes = match task.kind {
                Kind::Svg => picture.svg.as_bytes().to_vec(),
                Kind::Png => png::of_svg(&picture.svg).map_err(as_io)?,
            };
            output.write_all(&bytes)?;
            Ok(Drawn {
                what: task.choice.subject,
                map: picture.map,
                count: picture.count,
                without_place: picture.without_place,
                other_levels: picture.other_levels,
                lacks,
                bytes_written: bytes.len() as u64,
            })
        },
        text,
    };
    rewriting.run(session)
}

/// Which kind of picture, by what was asked for and by the name of the output.
fn kind(args: &Args) -> Result<Kind> {
    let output = args.writing.output.as_deref();
    let extension = output.and_then(|path| path.extension()).map(|it| it.to_string_lossy().to_lowercase());
    match (args.kind, extension.as_deref()) {
        (Some(kind), _) => Ok(kind),
        (None, Some("png")) => Ok(Kind::Png),
        (None, Some("svg") | None) => Ok(Kind::Svg),
        _ if output.is_some_and(std::path::Path::is_dir) => Ok(Kind::Svg),
        (None, Some(other)) => {
            bail!("pictures are written as .svg and .png, not as .{}: name the output so, or give --as", Safe(other))
        }
    }
}

fn text(drawn: &Drawn, name: &str) -> String {
    let (what, n) = (drawn.what, drawn.count as u64);
    let of = match what {
        Subject::Deaths => count(n, "death"),
        Subject::Kills => count(n, "kill"),
        Subject::Items => count(n, "item"),
        Subject::Flags => count(n, "turn") + " of flags",
        Subject::Scores => count(n, "line"),
        Subject::Presence | Subject::Paths | Subject::Speed | Subject::Health => count(n, "player"),
    };
    let mut text = format!("{KEY}{}{KEY:#}: {}, {of}", Safe(name), what.name());
    if let Some(map) = &drawn.map {
        text += &format!(" on {}", Safe(map));
    }
    if drawn.without_place > 0 {
        text += &format!("; {} left out: the recording does not tell where", drawn.without_place);
    }
    if drawn.other_levels > 0 {
        let levels = count(drawn.other_levels as u64, "other level");
        text += &format!("; {levels} left out: --from and --to choose a time");
    }
    text.push('\n');
    text + &drawn.lacks.warnings()
}
