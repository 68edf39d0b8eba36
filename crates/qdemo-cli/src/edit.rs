//! `qdemo edit`: what a recording says, changed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::ValueHint;
use clap::builder::NonEmptyStringValueParser;
use qdemo::edit::{Changed, EditAccount, Edits, Look, Matcher, Subtitle, Which};
use qdemo::replay::{Position, Range};
use qdemo::world::TextTag;
use qdemo::{FileKind, Limits};
use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::batch::Outcome;
use crate::clips::{Again, Target, Writing, Written};
use crate::console::KEY;
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::{Wanted, unpacked_name};
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count, moment, size};
use crate::when::Given;
use crate::writing;

/// Change what a recording says: texts, names, colours, subtitles, traces of people
///
/// Writes a new recording. What shows the game stays as it is, byte for byte where nothing is changed. KIND is a message of
/// the format (`qdemo schema` lists them), or a text: chat, print, centerprint, stufftext, command, name, userinfo,
/// serverinfo, configstring. --player, --match, --from and --to say which messages --remove and --keep mean.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read or written

Examples:
  qdemo edit duel.mvd -o quiet.mvd --remove chat,centerprint
  qdemo edit duel.dm_68 -o clip.dm_68 --remove chat --match 'https?://'
  qdemo edit run.dem -o film.dem --keep chat                      no other text, sound or effect
  qdemo edit duel.mvd -o other.mvd --rename 'old name=new' --recolor 'bro=4,4'
  qdemo edit match.qwd -o match2.qwd --team 'bro=red' --skin 'bro=base'
  qdemo edit run.dem -o film.dem --subtitles film.srt --track 4
  qdemo edit demos/ -o public/ --sanitize                         no addresses, no passwords
  qdemo edit duel.mvd -n --sanitize                               tell what would be taken out
  qdemo edit duel.mvd -o film.mvd --rules film.toml")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Leave out messages of these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    remove: Vec<String>,

    /// Of texts, sounds and effects keep these kinds alone; beside --remove, keep them all the same
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    keep: Vec<String>,

    /// Only messages with this in their text, or about a player whose name contains it, whatever its case
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Option<String>,

    /// Only messages whose text matches this regular expression, whatever its case
    #[arg(long = "match", value_name = "REGEX", value_parser = regex)]
    matches: Option<Regex>,

    /// Only messages from this place on: 90, 1:30, 1500ms, server:90, frame:12, block:12
    #[arg(
        long,
        value_name = "PLACE",
        allow_negative_numbers = true,
        default_value = "start",
        hide_default_value = true
    )]
    from: Position,

    /// Only messages up to this place
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true, default_value = "end", hide_default_value = true)]
    to: Position,

    #[command(flatten)]
    given: Given,

    /// Give a player another name, in all that is printed, too
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<String>,

    /// Give a player, or all, other colours of shirt and trousers: 0 to 13
    #[arg(long, value_name = "[PLAYER=]SHIRT,PANTS")]
    recolor: Vec<String>,

    /// Give a player, or all, another skin; in Quake II and III a model and its skin: male/grunt
    #[arg(long, value_name = "[PLAYER=]SKIN")]
    skin: Vec<String>,

    /// Put a player, or all, into another team; in Quake a colour, in Quake III free, red, blue, spectator
    #[arg(long, value_name = "[PLAYER=]TEAM")]
    team: Vec<String>,

    /// Play another CD track; in Quake III the name of a file
    #[arg(long, value_name = "N")]
    track: Option<String>,

    /// Show the texts of a SubRip file in the middle of the screen; times count from the beginning
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    subtitles: Option<PathBuf>,

    /// Leave out prints of nothing but numbers and dots: counters, as of grenades
    #[arg(long)]
    strip_counters: bool,

    /// Make addresses, identities and passwords unreadable, leave out commands that act on a viewer's machine
    #[arg(long)]
    sanitize: bool,

    /// Take these and more edits from a TOML file; docs/rules.md tells how to write them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rules: Vec<PathBuf>,

    #[command(flatten)]
    writing: Writing,
}

/// Edits as a TOML file has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rules {
    remove: Vec<Choice>,
    keep: Vec<Choice>,
    rename: Vec<Rename>,
    look: Vec<Looks>,
    track: Option<Track>,
    subtitles: Option<PathBuf>,
    #[serde(rename = "strip-counters")]
    strip_counters: bool,
    sanitize: bool,
}

/// Which messages are meant.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Choice {
    kinds: Vec<String>,
    player: Option<String>,
    #[serde(rename = "match")]
    matches: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    from: String,
    to: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Looks {
    player: Option<String>,
    shirt: Option<u8>,
    pants: Option<u8>,
    skin: Option<String>,
    team: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Track {
    Number(i32),
    File(String),
}

fn regex(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).case_insensitive(true).build().map_err(|e| e.to_string())
}

fn matcher(regex: Regex) -> Matcher {
    Box::new(move |text| regex.is_match(text))
}

/// The kinds that a user named.
fn kinds(named: &[String]) -> Result<Vec<String>> {
    let references = FileKind::FORMATS.iter().filter_map(|kind| kind.reference());
    let messages = references.flat_map(|r| r.messages.iter().map(|m| m.schema.name).collect::<Vec<_>>());
    let known: BTreeSet<&str> = messages.chain(TextTag::ALL.iter().map(|tag| tag.name())).collect();
    for kind in named {
        if !known.contains(kind.as_str()) {
            let near = known.iter().find(|name| name.eq_ignore_ascii_case(kind) || name.starts_with(kind.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            bail!("{kind}: no message and no text is called so{near} (`qdemo schema` lists the messages)");
        }
    }
    Ok(named.to_vec())
}

/// Text as bytes of the game: a character of up to U+00FF is one of them.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let byte = |c: char| u8::try_from(c).map_err(|_| anyhow!("{text}: the game has no such character: {c}"));
    text.chars().map(byte).collect()
}

/// A value, and the player in front of it, if one is named.
fn of_player(text: &str) -> (Option<String>, &str) {
    match text.rsplit_once('=') {
        Some((player, value)) => (Some(player.to_owned()), value),
        None => (None, text),
    }
}

fn color(text: &str) -> Result<u8> {
    let color = text.trim().parse().ok().filter(|color| *color <= 16);
    color.ok_or_else(|| anyhow!("--recolor: {text}: colours are numbers from 0 to 13, as 4,4"))
}

/// Finds places on another clock in a recording.
type Resolve<'r> = &'r dyn Fn(Range) -> Result<Range>;

impl Choice {
    fn which(self, resolve: Resolve<'_>) -> Result<Which> {
        let place = |text: Option<String>, usual| match text {
            Some(text) => text.parse::<Position>().map_err(|e| anyhow!("{e}")),
            None => Ok(usual),
        };
        let range = Range { from: place(self.from, Position::Start)?, to: place(self.to, Position::End)? };
        let text = self.matches.map(|text| regex(&text).map_err(|e| anyhow!("{e}"))).transpose()?;
        Ok(Which {
            kinds: kinds(&self.kinds)?,
            range: (range != Range::ALL).then(|| resolve(range)).transpose()?,
            player: self.player,
            text: text.map(matcher),
        })
    }
}

impl Args {
    fn edits(&self, resolve: Resolve<'_>) -> Result<Edits> {
        let mut edits = Edits {
            track: self.track.clone(),
            strip_counters: self.strip_counters,
            sanitize: self.sanitize,
            ..Edits::default()
        };
        let which = |named: &[String]| -> Result<Option<Which>> {
            let range = Range { from: self.from, to: self.to };
            let which = Which {
                kinds: kinds(named)?,
                range: (range != Range::ALL).then(|| resolve(range)).transpose()?,
                player: self.player.clone(),
                text: self.matches.clone().map(matcher),
            };
            Ok((!named.is_empty()).then_some(which))
        };
        edits.remove.extend(which(&self.remove)?);
        edits.keep.extend(which(&self.keep)?);
        let chosen =
            self.player.is_some() || self.matches.is_some() || self.from != Position::Start || self.to != Position::End;
        if chosen && self.remove.is_empty() && self.keep.is_empty() {
            bail!("--player, --match, --from and --to say which messages --remove and --keep mean; name their kinds");
        }
        for text in &self.rename {
            let (old, new) = text.split_once('=').ok_or_else(|| anyhow!("--rename: {text}: write OLD=NEW"))?;
            edits.rename.push((old.to_owned(), bytes(new)?));
        }
        for text in &self.recolor {
            let (player, colors) = of_player(text);
            let (shirt, pants) =
                colors.split_once(',').ok_or_else(|| anyhow!("--recolor: {text}: write SHIRT,PANTS, as 4,4"))?;
            edits.looks.push((player.clone(), Look::Shirt(color(shirt)?)));
            edits.looks.push((player, Look::Pants(color(pants)?)));
        }
        for (all, look) in [(&self.skin, Look::Skin as fn(Vec<u8>) -> Look), (&self.team, Look::Team)] {
            for text in all {
                let (player, value) = of_player(text);
                edits.looks.push((player, look(bytes(value)?)));
            }
        }
        if let Some(path) = &self.subtitles {
            edits.subtitles = subtitles(path)?;
        }
        for path in &self.rules {
            let at = |e: &dyn std::fmt::Display| anyhow!("{}: {}", path.display(), e.to_string().trim_end());
            let text = fs::read_to_string(path).map_err(|e| at(&e))?;
            let rules: Rules = toml::from_str(&text).map_err(|e| at(&e))?;
            rules.add_to(&mut edits, path, resolve).map_err(|e| at(&e))?;
        }
        edits.check()?;
        let nothing =
            edits.remove.is_empty() && edits.keep.is_empty() && edits.rename.is_empty() && edits.looks.is_empty();
        let nothing = nothing && edits.track.is_none() && edits.subtitles.is_empty();
        if nothing && !edits.strip_counters && !edits.sanitize {
            bail!("nothing is to be changed; --help lists the edits");
        }
        Ok(edits)
    }
}

fn subtitles(path: &Path) -> Result<Vec<Subtitle>> {
    let name = path.display();
    let text = fs::read(path).map_err(|e| anyhow!("{name}: {e}"))?;
    let text = String::from_utf8(text).map_err(|_| anyhow!("{name}: subtitles are read as UTF-8"))?;
    Subtitle::parse_srt(&text).map_err(|e| anyhow!("{name}: {e}"))
}

impl Rules {
    fn add_to(self, edits: &mut Edits, path: &Path, resolve: Resolve<'_>) -> Result<()> {
        for choice in self.remove {
            edits.remove.push(choice.which(resolve)?);
        }
        for choice in self.keep {
            edits.keep.push(choice.which(resolve)?);
        }
        for rename in self.rename {
            edits.rename.push((rename.from, bytes(&rename.to)?));
        }
        for look in self.look {
            let player = &look.player;
            let mut add = |look: Option<Look>| edits.looks.extend(look.map(|look| (player.clone(), look)));
            add(look.shirt.map(Look::Shirt));
            add(look.pants.map(Look::Pants));
            add(look.skin.as_deref().map(bytes).transpose()?.map(Look::Skin));
            add(look.team.as_deref().map(bytes).transpose()?.map(Look::Team));
        }
        if let Some(track) = self.track {
            edits.track = Some(match track {
                Track::Number(number) => number.to_string(),
                Track::File(name) => name,
            });
        }
        if let Some(file) = self.subtitles {
            // Beside the rules that name it.
            edits.subtitles.extend(subtitles(&path.parent().unwrap_or(Path::new("")).join(file))?);
            edits.subtitles.sort_by_key(|subtitle| subtitle.from.ms());
        }
        edits.strip_counters |= self.strip_counters;
        edits.sanitize |= self.sanitize;
        Ok(())
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    // What is wrong with the edits by themselves is told once.
    args.edits(&Ok)?;
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

fn one(item: &Item, target: Option<&Path>, protected: &Protected, args: &Args, limits: Limits) -> Result<EditAccount> {
    let (again, name) = (Again::new(item, limits)?, item.to_string());
    let when = args.given.when(None);
    let edits = args.edits(&|range| when.places(range, &again, &name))?;
    let mut output = Target::create(target, protected, args.writing.dry_run)?;
    let done = qdemo::edit::change(again.open()?, &name, limits, &edits, &mut output).map(|(_, account)| account);
    let account = done.map_err(|e| output.explain(e))?;
    output.finish()?;
    Ok(account)
}

fn told(account: &EditAccount, name: &str, target: Option<&Path>, args: &Writing) -> Outcome {
    let output = target.map(|path| path.display().to_string());
    let line = report::line(name, Written { account, output: output.clone(), dry_run: args.dry_run });
    let mut outcome = Outcome::new();
    args.tell(&mut outcome, &line, &text(account, &output.unwrap_or_else(|| name.to_owned())));
    outcome
}

/// Changes that are shown one by one.
const SHOWN: usize = 20;

fn text(account: &EditAccount, name: &str) -> String {
    let mut text = format!("{KEY}{}{KEY:#}: ", Safe(name));
    let messages = [(account.removed, "left out"), (account.changed, "changed"), (account.added, "added")];
    for (n, what) in messages.into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(text, "{} {what}, ", count(n, "message"));
    }
    let all = &account.account;
    let (kept, written) = (count(all.blocks_kept, "block"), size(all.bytes_written));
    let _ = writeln!(text, "{kept} of {} as they were, {written}", all.blocks_read);
    for change in account.changes.iter().take(SHOWN) {
        let mark = match change.done {
            Changed::Removed => '-',
            Changed::Changed => '~',
            Changed::Added => '+',
        };
        let said = |text: &Option<String>| text.as_deref().map(|text| short(text.trim()));
        let what = match (said(&change.before), said(&change.after)) {
            (Some(_), Some(_)) => {
                let both = change.before.as_deref().zip(change.after.as_deref()).unwrap_or_default();
                let [before, after] = where_they_differ(both.0.trim(), both.1.trim());
                format!("{before}  ->  {after}")
            }
            (before, after) => before.or(after).unwrap_or_default(),
        };
        let (time, why) = (moment(Some(qdemo::error::Moment::Milliseconds(change.clock.demo.ms() as i32))), change.why);
        let _ = writeln!(text, "  {mark} {time:>10}  {:<14} {why:<9} {}", change.message, Safe(&what));
    }
    let more = account.removed + account.changed + account.added;
    if let Some(more) = more.checked_sub(SHOWN as u64).filter(|more| *more > 0) {
        let _ = writeln!(text, "  ... and {more} more; --json tells {}", count(account.changes.len() as u64, "change"));
    }
    for note in &all.notes {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// Two texts from a little in front of where they differ.
fn where_they_differ(before: &str, after: &str) -> [String; 2] {
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let front = if same > 24 { same - 12 } else { 0 };
    [before, after].map(|text| {
        let rest: String = text.chars().skip(front).collect();
        let dots = if front > 0 { "..." } else { "" };
        format!("{dots}{}", short(&rest))
    })
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    let most = 48;
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
