//! Edits as users write them, in options and in TOML files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use qdemo::FileKind;
use qdemo::edit::{Edits, Look, Matcher, Setting, Subtitle, Which};
use qdemo::replay::{Position, Range};
use qdemo::world::TextTag;
use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;

/// What a user looks for, whatever its case.
///
/// # Errors
/// What is wrong with the pattern.
pub fn regex(text: &str) -> Result<Regex, String> {
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

/// Finds places on another clock in a recording.
pub type Resolve<'r> = &'r dyn Fn(Range) -> Result<Range>;

impl Choice {
    fn which(self, resolve: Resolve<'_>) -> Result<Which> {
        Ok(Which {
            kinds: kinds(&self.kinds)?,
            range: (self.range != Range::ALL).then(|| resolve(self.range)).transpose()?,
            player: self.player,
            text: self.matches.map(matcher),
        })
    }
}

/// Edits as a TOML file has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Messages that are left out.
    pub remove: Vec<Choice>,
    /// Messages that stay alone.
    pub keep: Vec<Choice>,
    /// Players who get other names.
    pub rename: Vec<Rename>,
    /// Players who get other looks.
    pub look: Vec<Looks>,
    /// The music.
    pub track: Option<Track>,
    /// A file of subtitles, beside that of the rules.
    pub subtitles: Option<PathBuf>,
    /// Texts that are counters are left out.
    #[serde(rename = "strip-counters")]
    pub strip_counters: bool,
    /// What is private goes.
    pub sanitize: bool,
    /// Values that are others.
    pub set: Vec<Set>,
}

/// A value that is another one, and when.
#[derive(Debug, Deserialize)]
#[serde(try_from = "WrittenSet")]
pub struct Set {
    /// The value.
    pub setting: Setting,
    /// When.
    pub range: Range,
}

/// The same as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { what = \"player.health=100\" }")]
struct WrittenSet {
    what: String,
    from: Option<String>,
    to: Option<String>,
}

impl TryFrom<WrittenSet> for Set {
    type Error = String;

    fn try_from(written: WrittenSet) -> Result<Self, String> {
        let setting = written.what.parse().map_err(|e: qdemo::Error| e.to_string())?;
        Ok(Set { setting, range: range(written.from, written.to)? })
    }
}

/// From one place to another, as they are written.
fn range(from: Option<String>, to: Option<String>) -> Result<Range, String> {
    let place = |text: Option<String>, usual| text.map_or(Ok(usual), |text| text.parse());
    Ok(Range { from: place(from, Position::Start)?, to: place(to, Position::End)? })
}

/// Which messages are meant.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct Choice {
    /// Kinds of messages and texts.
    pub kinds: Vec<String>,
    /// Part of the name of a player.
    pub player: Option<String>,
    /// What the text says.
    pub matches: Option<Regex>,
    /// When.
    pub range: Range,
}

/// The same as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { kinds = [\"chat\"] }")]
struct Written {
    #[serde(default)]
    kinds: Vec<String>,
    player: Option<String>,
    #[serde(rename = "match")]
    matches: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

impl TryFrom<Written> for Choice {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let range = range(written.from, written.to)?;
        let matches = written.matches.as_deref().map(regex).transpose()?;
        Ok(Choice { kinds: written.kinds, player: written.player, matches, range })
    }
}

/// A player who gets another name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The name in plain characters.
    pub from: String,
    /// The other one.
    pub to: String,
}

/// How a player looks; all of them where none is named.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Looks {
    /// The player.
    pub player: Option<String>,
    /// Colour of the shirt.
    pub shirt: Option<u8>,
    /// Colour of the trousers.
    pub pants: Option<u8>,
    /// Skin, or model.
    pub skin: Option<String>,
    /// Team.
    pub team: Option<String>,
}

/// The music.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Track {
    /// Number of a CD track.
    Number(i32),
    /// Name of a file: Quake III.
    File(String),
}

impl Rules {
    /// Adds them to others. `path` is the file that they stand in, `resolve` finds places on another clock.
    ///
    /// # Errors
    /// What no recording can have.
    pub fn add_to(self, edits: &mut Edits, path: &Path, resolve: Resolve<'_>) -> Result<()> {
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
        for Set { setting, range } in self.set {
            let range = (range != Range::ALL).then(|| resolve(range)).transpose()?;
            edits.set.push(Setting { range, ..setting });
        }
        edits.strip_counters |= self.strip_counters;
        edits.sanitize |= self.sanitize;
        Ok(())
    }
}

fn subtitles(path: &Path) -> Result<Vec<Subtitle>> {
    let name = path.display();
    let text = fs::read(path).map_err(|e| anyhow!("{name}: {e}"))?;
    let text = String::from_utf8(text).map_err(|_| anyhow!("{name}: subtitles are read as UTF-8"))?;
    let all = Subtitle::parse_srt(&text).map_err(|e| anyhow!("{name}: {e}"))?;
    anyhow::ensure!(!all.is_empty(), "{name}: there are no subtitles in it");
    Ok(all)
}

/// The edits that rules in TOML ask for.
///
/// # Errors
/// What is not understood, and what no recording can have.
pub fn of_toml(text: &str) -> Result<Edits> {
    made(toml::from_str(text).map_err(|e| anyhow!("{}", e.to_string().trim_end()))?)
}

/// The same of an object with the same keys.
///
/// # Errors
/// Likewise.
pub fn of_json(rules: serde_json::Value) -> Result<Edits> {
    made(serde_json::from_value(rules)?)
}

fn made(rules: Rules) -> Result<Edits> {
    let mut edits = Edits::default();
    rules.add_to(&mut edits, Path::new(""), &Ok)?;
    edits.check()?;
    anyhow::ensure!(!edits.is_empty(), "nothing is to be changed");
    Ok(edits)
}
