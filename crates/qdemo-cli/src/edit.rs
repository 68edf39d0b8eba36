//! `qdemo edit`: what a recording says, changed.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::ValueHint;
use clap::builder::NonEmptyStringValueParser;
use qdemo::edit::{Changed, EditAccount, Edits, Setting};
use qdemo::replay::Range;
use qdemo_inputs::rules::{Choice, Looks, Rename, Resolve, Rules, Set, Track, regex};
use qdemo_inputs::unpacked_name;
use regex_lite::Regex;

use crate::clips::Writing;
use crate::console::KEY;
use crate::exit::Exit;
use crate::session::Session;
use crate::show::{Safe, count, moment, size};
use crate::when::{Between, GivenClock};
use crate::writing::Rewriting;

/// Change what a recording says: texts, names, colours, subtitles, traces of people
///
/// Writes a new recording. What shows the game stays as it is, byte for byte where nothing is changed. KIND is a message of
/// the format (`qdemo schema` lists them), or a text: chat, print, centerprint, stufftext, command, name, userinfo. Chat is
/// what `qdemo chat` lists: a line of the server with nobody in front is a print. Outside Quake III print is a message, too,
/// and means chat as well.
/// --player, --match, --from and --to say which messages --remove and --keep mean. --set alone changes what shows the game,
/// between --from and --to: a field of an entity, or of the state of the player who is seen through, by its name in `qdemo
/// state --json` (entity_states), in Quake III by that in `qdemo decompile`.
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
  qdemo edit run.dem -o film.dem --set 'entity[1].skin=2' --from 0:01 --to 0:03
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

    #[command(flatten)]
    between: Between,

    #[command(flatten)]
    clock: GivenClock,

    /// Give a player another name, in all that is printed, too; the account says where the old one still stands
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
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    track: Option<String>,

    /// Show the texts of a SubRip file in the middle of the screen, long ones in parts; times count from the beginning
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    subtitles: Option<PathBuf>,

    /// Give a field of an entity or of the player another value: 'entity[12].frame=3', 'player.health=100'
    #[arg(long, value_name = "WHAT=VALUE")]
    set: Vec<Setting>,

    /// Leave out printed lines of nothing but numbers and dots: counters, as of grenades
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

impl Args {
    /// What the options say, as a file of rules says it.
    fn rules(&self) -> Result<Rules> {
        let choices = |kinds: &[String]| {
            let choice = Choice {
                kinds: kinds.to_vec(),
                player: self.player.clone(),
                matches: self.matches.clone(),
                range: self.between.range(),
            };
            Vec::from_iter((!kinds.is_empty()).then_some(choice))
        };
        let chosen = self.player.is_some() || self.matches.is_some() || self.between.range() != Range::ALL;
        let of_messages = self.player.is_some() || self.matches.is_some();
        if chosen && self.remove.is_empty() && self.keep.is_empty() && (self.set.is_empty() || of_messages) {
            bail!("--player, --match, --from and --to say which messages --remove and --keep mean; name their kinds");
        }
        let mut rules = Rules {
            remove: choices(&self.remove),
            keep: choices(&self.keep),
            track: self.track.clone().map(Track::File),
            subtitles: self.subtitles.clone(),
            strip_counters: self.strip_counters,
            sanitize: self.sanitize,
            ..Rules::default()
        };
        rules.set.extend(self.set.iter().cloned().map(|setting| Set { setting, range: self.between.range() }));
        for text in &self.rename {
            let (old, new) = text.split_once('=').ok_or_else(|| anyhow!("--rename: {text}: write OLD=NEW"))?;
            rules.rename.push(Rename { from: old.to_owned(), to: new.to_owned() });
        }
        for text in &self.recolor {
            let (player, colors) = of_player(text);
            let (shirt, pants) =
                colors.split_once(',').ok_or_else(|| anyhow!("--recolor: {text}: write SHIRT,PANTS, as 4,4"))?;
            let (shirt, pants) = (Some(color(shirt)?), Some(color(pants)?));
            rules.look.push(Looks { player, shirt, pants, ..Looks::default() });
        }
        rules.look.extend(self.skin.iter().map(|text| {
            let (player, skin) = of_player(text);
            Looks { player, skin: Some(skin.to_owned()), ..Looks::default() }
        }));
        rules.look.extend(self.team.iter().map(|text| {
            let (player, team) = of_player(text);
            Looks { player, team: Some(team.to_owned()), ..Looks::default() }
        }));
        Ok(rules)
    }

    fn edits(&self, resolve: Resolve<'_>) -> Result<Edits> {
        let mut edits = Edits::default();
        self.rules()?.add_to(&mut edits, Path::new(""), resolve)?;
        for path in &self.rules {
            let at = |e: &dyn std::fmt::Display| anyhow!("{}: {}", path.display(), e.to_string().trim_end());
            let text = fs::read_to_string(path).map_err(|e| at(&e))?;
            let rules: Rules = toml::from_str(&text).map_err(|e| at(&e))?;
            rules.add_to(&mut edits, path, resolve).map_err(|e| at(&e))?;
        }
        edits.check()?;
        if edits.is_empty() {
            bail!("nothing is to be changed; --help lists the edits");
        }
        Ok(edits)
    }
}

/// A value, and the player in front of it, if one is named.
fn of_player(text: &str) -> (Option<String>, &str) {
    match text.rsplit_once('=') {
        Some((player, value)) => (Some(player.to_owned()), value),
        None => (None, text),
    }
}

fn color(text: &str) -> Result<u8> {
    text.trim().parse().map_err(|_| anyhow!("--recolor: {text}: colours are numbers from 0 to 13, as 4,4"))
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    args.writing.check()?;
    // What is wrong with the edits by themselves is told once.
    args.edits(&Ok)?;
    let when = args.clock.when(None);
    let rewriting = Rewriting {
        files: &args.files,
        writing: &args.writing,
        beside: args.rules.iter().chain(&args.subtitles).map(PathBuf::as_path).collect(),
        rename: &unpacked_name,
        reads_again: when.reads_again(),
        plan: &|again, name| args.edits(&|range| when.places(range, again, name)),
        carry_out: |input, name, means, edits, output| {
            qdemo::edit::change(input, name, means.limits, edits, output).map(|(_, account)| account)
        },
        text,
    };
    rewriting.run(session)
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
