//! Configstrings as they change: by gamestates and by the commands that the engine itself handles.

use std::ops::Range;

use super::names::Module;
use super::world::first_word;
use crate::format::dm3::{Dialect, Gamestate};
use crate::wire::info_value;

/// The configstrings at a moment.
#[derive(Debug, Clone, Default)]
pub struct Configstrings {
    strings: Vec<Vec<u8>>,
    /// The beginning of a long one that comes in parts.
    parts: Vec<u8>,
    /// Its number, while more of it is to come.
    parts_of: Option<u16>,
}

/// What a command of the server shows to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown<'a> {
    /// A print.
    Print(&'a [u8]),
    /// Text in the middle of the screen.
    Center(&'a [u8]),
    /// What somebody says.
    Chat(&'a [u8]),
    /// A configstring, or a part of one.
    Configstring,
    /// Anything else.
    Other,
}

/// What a command shows, by its first word.
pub(crate) fn shown(text: &[u8]) -> Shown<'_> {
    let rest = text.get(shown_at(text)).unwrap_or_default();
    match first_word(text) {
        b"print" => Shown::Print(rest),
        b"cp" | b"pcp" => Shown::Center(rest),
        b"chat" | b"tchat" | b"bchat" | b"mm2" => Shown::Chat(rest),
        b"cs" | b"bcs0" | b"bcs1" | b"bcs2" => Shown::Configstring,
        _ => Shown::Other,
    }
}

/// Where in a command that shows something what it shows stands.
pub(crate) fn shown_at(text: &[u8]) -> Range<usize> {
    let from = (first_word(text).len() + 1).min(text.len());
    let at = unquoted_at(text.get(from..).unwrap_or_default());
    from + at.start..from + at.end
}

/// A configstring, or a part of one, that a command tells: the word of the command, the number, and where in the command
/// the value stands.
pub(crate) fn told_string(text: &[u8]) -> Option<(&[u8], u16, Range<usize>)> {
    let word = first_word(text);
    if !matches!(word, b"cs" | b"bcs0" | b"bcs1" | b"bcs2") {
        return None;
    }
    let rest = text.get(word.len() + 1..)?;
    let number = rest.split(|b| *b == b' ').next()?;
    let index = std::str::from_utf8(number).ok()?.parse().ok()?;
    let from = (word.len() + 1 + number.len() + 1).min(text.len());
    let at = unquoted_at(text.get(from..).unwrap_or_default());
    Some((word, index, from + at.start..from + at.end))
}

/// What a server command did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// A configstring changed.
    Configstring(u16),
    /// The level begins anew.
    MapRestart,
    /// A command for the game module.
    Other,
}

impl Configstrings {
    /// Highest number that protocols allow, and then some.
    const MOST: usize = 4096;
    /// A configstring is no longer, in any engine.
    const LONGEST: usize = 65_536;

    /// The value of a configstring; empty when there is none.
    pub fn get(&self, index: u16) -> &[u8] {
        self.strings.get(usize::from(index)).map_or(&[], Vec::as_slice)
    }

    /// The configstrings that are not empty, by number.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> + '_ {
        self.strings.iter().map(Vec::as_slice).enumerate().filter(|(_, value)| !value.is_empty())
    }

    /// The configstring that comes in parts, as far as it has come: its number and beginning.
    pub fn begun(&self) -> Option<(u16, &[u8])> {
        self.parts_of.map(|index| (index, &*self.parts))
    }

    /// Forgets all and takes those of a gamestate.
    pub fn set_all(&mut self, gamestate: &Gamestate) {
        self.strings.clear();
        for string in gamestate.configstrings() {
            self.set(string.index, string.value.0.clone());
        }
    }

    fn set(&mut self, index: u16, value: Vec<u8>) {
        let index = usize::from(index);
        if index < Self::MOST {
            if self.strings.len() <= index {
                self.strings.resize(index + 1, Vec::new());
            }
            self.strings[index] = value;
        }
    }

    /// Carries out a server command, as far as it is the engine's.
    pub fn command(&mut self, text: &[u8]) -> Command {
        if first_word(text) == b"map_restart" {
            return Command::MapRestart;
        }
        let Some((word, index, at)) = told_string(text) else { return Command::Other };
        let value = text.get(at).unwrap_or_default();
        match word {
            b"bcs0" => {
                self.parts = value.to_vec();
                self.parts_of = Some(index);
                return Command::Other;
            }
            b"cs" => self.set(index, value.to_vec()),
            _ => {
                if self.parts.len() + value.len() <= Self::LONGEST {
                    self.parts.extend_from_slice(value);
                }
                if word == b"bcs1" {
                    return Command::Other;
                }
                let whole = std::mem::take(&mut self.parts);
                self.parts_of = None;
                self.set(index, whole);
            }
        }
        Command::Configstring(index)
    }

    /// A value of what CPMA tells about the game; `None` in other modules.
    pub(super) fn cpma(&self, module: Module, key: &str) -> Option<&[u8]> {
        info_value(self.get(CPMA_GAME), key).filter(|_| module == Module::Cpma)
    }

    /// Where the match is, as far as configstrings tell.
    pub fn phase(&self, dialect: &Dialect, module: Module) -> Phase {
        if dialect.layout.indices.quake_live {
            return match info_value(self.get(0), "g_gameState") {
                Some(b"IN_PROGRESS") => Phase::Playing,
                Some(b"COUNT_DOWN") => Phase::Countdown,
                _ => Phase::Warmup,
            };
        }
        let warmup = match self.cpma(module, "tw") {
            Some(warmup) => warmup,
            None => self.get(WARMUP),
        };
        match warmup {
            b"" | b"0" => Phase::Playing,
            _ if warmup.starts_with(b"-") => Phase::Warmup,
            _ => Phase::Countdown,
        }
    }
}

/// A configstring with another clock: times in it are those that `at` gives; `None` where it has none.
///
/// Times are when the level began, when the warm-up and votes end, of Quake Live when rounds and time-outs begin and end, of
/// CPMA when the match began, when the warm-up ends and when a vote began. Numbers up to 0 are none. What CPMA tells of
/// time-outs is how long they took and how long the match had gone on: what has been stays as long.
pub(crate) fn retimed(
    index: u16,
    value: &[u8],
    dialect: &Dialect,
    module: Module,
    at: impl Fn(i32) -> i32,
) -> Option<Vec<u8>> {
    let indices = &dialect.layout.indices;
    let positive = |text: &[u8]| number::<i32>(text).filter(|ms| *ms > 0);
    let within = |keys: &[&str]| {
        let mut info = value.to_vec();
        for key in keys {
            if let Some(ms) = info_value(value, key).and_then(positive) {
                replace_value(&mut info, key, &at(ms).to_string());
            }
        }
        (info != value).then_some(info)
    };
    if index == CPMA_GAME && module == Module::Cpma {
        return within(&["ts", "tw", "vt"]);
    }
    if indices.quake_live && matches!(index, WARMUP | ROUND_STATUS) && value.starts_with(b"\\") {
        return within(&["time"]);
    }
    let team_votes = !indices.quake_live && indices.level_start == LEVEL_START_48;
    let timeouts = indices.timeout.is_some_and(|start| index == start || index == start + 1);
    let is_time = index == indices.level_start
        || matches!(index, WARMUP | VOTE)
        || team_votes && TEAM_VOTES.contains(&index)
        || indices.quake_live && index == ROUND
        || timeouts;
    // A level may begin at 0.
    let ms = if index == indices.level_start { number::<i32>(value) } else { positive(value) };
    ms.filter(|_| is_time).map(|ms| at(ms).to_string().into_bytes())
}

/// Sets the value of a key that is there, in its place.
fn replace_value(info: &mut Vec<u8>, key: &str, value: &str) {
    let mut parts: Vec<Vec<u8>> = info.split(|b| *b == b'\\').map(<[u8]>::to_vec).collect();
    // Not all begin with the mark that divides them.
    let first = usize::from(parts.first().is_some_and(Vec::is_empty));
    let is_it = |part: &Vec<u8>| part.eq_ignore_ascii_case(key.as_bytes());
    let place = (first..parts.len()).step_by(2).find(|n| parts.get(*n).is_some_and(is_it));
    if let Some(old) = place.and_then(|n| parts.get_mut(n + 1)) {
        *old = value.as_bytes().to_vec();
        *info = parts.join(&b'\\');
    }
}

/// When a vote ends.
const VOTE: u16 = 8;
/// When those of the teams end.
const TEAM_VOTES: [u16; 2] = [12, 13];
/// Where protocols from 48 on have the beginning of the level.
const LEVEL_START_48: u16 = 21;
/// The round that is counted down to, and when it begins: Quake Live.
const ROUND_STATUS: u16 = 661;
/// When the round began, and -1 once it is over: Quake Live.
pub(super) const ROUND: u16 = 662;

/// Where a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for players.
    Warmup,
    /// It begins at a known time. Some games count down before every round.
    Countdown,
    /// Under way.
    Playing,
}

/// Configstring with the end of the warm-up, in all protocols.
const WARMUP: u16 = 5;
/// CPMA's configstring about the state of the game: `tw` when the warm-up ends, `ts` when the match began, `te` how long it
/// had gone on when a time-out began, `td` how long all of them took, `vt` when a vote began, `tl` and `sl` the limits, `pm` the physics, `sr` and `sb` the scores.
pub(super) const CPMA_GAME: u16 = 672;

/// A whole number; `None` for none, and for what is no number.
pub(super) fn number<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// A value without its quotes and line end.
pub(crate) fn unquoted(text: &[u8]) -> &[u8] {
    text.get(unquoted_at(text)).unwrap_or_default()
}

/// Where it stands.
fn unquoted_at(text: &[u8]) -> Range<usize> {
    let from = usize::from(text.first() == Some(&b'"'));
    let inner = text.get(from..).unwrap_or_default();
    let end = inner.iter().rposition(|&b| b == b'"');
    from..end.map_or_else(|| text.len() - usize::from(inner.last() == Some(&b'\n')), |end| from + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_engine() {
        let mut strings = Configstrings::default();
        assert_eq!(strings.command(b"cs 21 \"194081\"\n"), Command::Configstring(21));
        assert_eq!(strings.get(21), b"194081");
        assert_eq!(strings.command(b"cs 21 \"\""), Command::Configstring(21));
        assert_eq!(strings.get(21), b"");
        assert_eq!(strings.command(b"bcs0 1 \"ab\""), Command::Other);
        assert_eq!(strings.command(b"bcs1 1 \"cd\""), Command::Other);
        assert_eq!(strings.begun(), Some((1, &b"abcd"[..])));
        assert_eq!(strings.command(b"bcs2 1 \"ef\""), Command::Configstring(1));
        assert_eq!((strings.get(1), strings.begun()), (&b"abcdef"[..], None));
        assert_eq!(strings.command(b"map_restart\n"), Command::MapRestart);
        assert_eq!(strings.command(b"cs x \"a\""), Command::Other);
        assert_eq!(strings.command(b"chat \"cs 1\""), Command::Other);
    }
}
