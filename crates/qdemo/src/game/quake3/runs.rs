//! Runs of DeFRaG: what it prints when somebody finishes, and the rules that a run is made by.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::event::{PlayerRef, Run};
use crate::game::quake3::Configstrings;
use crate::json;
use crate::wire::{info_value, without_colors};
use crate::world::Charset;

/// A run as a text tells it: who, in how many milliseconds, and which of the texts it was. Whose it is where no name stands
/// is clear: such a text goes to whoever ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finish<'t> {
    pub(crate) name: Option<&'t str>,
    pub(crate) ms: u64,
    pub(crate) from: &'static str,
}

/// The run that a print in plain characters tells: of 1.9 and later for one player and for several, and of 1.5.
///
/// Sources: recordings of 1.91; DemoCleaner3 and a validator of runs (all).
pub(crate) fn finish(text: &str) -> Option<Finish<'_>> {
    let (name, time, from) = if let Some((_, rest)) = text.split_once("Time performed by ") {
        let (name, rest) = rest.rsplit_once(" : ")?;
        (Some(name.trim()), rest, PERFORMED)
    } else if let Some((name, rest)) = text.rsplit_once(" reached the finish line in ") {
        (Some(name.trim()), rest, "print: finish line")
    } else {
        (None, text.trim_start().strip_prefix("Time Performed: ")?, PERFORMED)
    };
    let digits = time.split(|c: char| c != ':' && !c.is_ascii_digit()).next()?;
    Some(Finish { name, ms: run_time(digits)?, from })
}

const PERFORMED: &str = "print: time performed";

/// The run that a command in plain characters tells, which begins with one of these words.
///
/// * `NewTime CHECKSUM M:SS:mmm "VERSION" "NAME" ...`: 1.80.
/// * `newTime MILLISECONDS`: 1.43.
///
/// Source: DemoCleaner3.
pub(crate) fn new_time(text: &str) -> Option<Finish<'_>> {
    let mut words = text.split_ascii_whitespace();
    if words.next()? == "newTime" {
        return Some(Finish { name: None, ms: words.next()?.parse().ok()?, from: "command: newTime" });
    }
    let ms = run_time(words.nth(1)?)?;
    let name = text.split('"').nth(3).map(str::trim);
    Some(Finish { name, ms, from: "command: NewTime" })
}

/// True for a player of whom a text tells by a name: DeFRaG knows players by the name that they log in with (`df_name`), and
/// prints that one of runs for oneself.
pub(crate) fn logs_in_as(info: &[u8], name: &str, charset: Charset) -> bool {
    info_value(info, LOGIN).is_some_and(|login| charset.clean(login) == name)
}

/// The key of that name in the configstring of a player.
pub(crate) const LOGIN: &str = "dfn";

impl Finish<'_> {
    /// The run, on a level that these configstrings tell of. `player` is who it is, as far as that is known.
    pub(crate) fn run(&self, player: Option<PlayerRef>, strings: &Configstrings) -> Run {
        let map = info_value(strings.get(0), "mapname").unwrap_or_default();
        let is_other = |login: &&str| player.as_ref().is_some_and(|player| player.name != **login);
        Run {
            login: self.name.filter(is_other).map(str::to_owned),
            player,
            time: self.ms as f64 / 1000.0,
            precision: 3,
            from: self.from,
            map: without_colors(map),
            totals: None,
            mode: physics(strings).map(str::to_owned),
        }
    }
}

/// A setting of the server, from either of the two configstrings with settings.
fn setting<'s>(strings: &'s Configstrings, key: &str) -> Option<&'s [u8]> {
    info_value(strings.get(0), key).or_else(|| info_value(strings.get(1), key))
}

/// Which physics a level is played with: those of Quake III, or those of CPMA.
fn physics(strings: &Configstrings) -> Option<&'static str> {
    match setting(strings, "df_promode")? {
        b"1" => Some("cpm"),
        b"0" => Some("vq3"),
        _ => None,
    }
}

/// `25:488`, `1:02:345`: the last part are milliseconds.
fn run_time(digits: &str) -> Option<u64> {
    let parts: Vec<u64> = digits.split(':').map(|p| p.parse().ok()).collect::<Option<_>>()?;
    let seconds = |parts: &[u64]| parts.iter().try_fold(0u64, |all, p| all.checked_mul(60)?.checked_add(*p));
    match parts.as_slice() {
        [before @ .., ms] if !before.is_empty() && *ms < 1000 => seconds(before)?.checked_mul(1000)?.checked_add(*ms),
        _ => None,
    }
}

/// The rules of a level of DeFRaG, as its settings tell them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Defrag {
    /// `vq3` or `cpm`.
    pub physics: Option<&'static str>,
    /// True for a level that is played on a server of several players: `defrag_gametype` from 5 on.
    pub online: Option<bool>,
    /// Settings that rules are about, by their names, as they stand in the file.
    #[serde(serialize_with = "json::object")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub settings: Vec<(&'static str, String)>,
}

/// The settings that a run is judged by.
const SETTINGS: [&str; 18] = [
    "defrag_vers",
    "defrag_gametype",
    "defrag_mode",
    "defrag_flags",
    "defrag_svfps",
    "defrag_clfps",
    "defrag_obs",
    "df_promode",
    "df_mp_InterferenceOff",
    "sv_cheats",
    "sv_fps",
    "timescale",
    "g_speed",
    "g_gravity",
    "g_knockback",
    "g_synchronousClients",
    "pmove_fixed",
    "pmove_msec",
];

impl Defrag {
    /// The rules that configstrings tell; `None` for another game.
    pub(crate) fn of(strings: &Configstrings) -> Option<Self> {
        let game = info_value(strings.get(0), "gamename").unwrap_or_default();
        if !game.eq_ignore_ascii_case(b"defrag") {
            return None;
        }
        let told = |key: &'static str| Some((key, without_colors(setting(strings, key)?)));
        let settings: Vec<_> = SETTINGS.into_iter().filter_map(told).collect();
        let kind = settings.iter().find(|(key, _)| *key == "defrag_gametype");
        let kind = kind.and_then(|(_, value)| value.trim().parse::<i32>().ok());
        Some(Defrag { physics: physics(strings), online: kind.map(|kind| kind >= 5), settings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_runs() {
        assert_eq!(run_time("25:488"), Some(25_488));
        assert_eq!(run_time("1:02:345"), Some(62_345));
        assert_eq!(run_time("25"), None);
        assert_eq!(run_time(""), None);
        assert_eq!(run_time("1:99999"), None);
    }

    #[test]
    fn texts_of_runs() {
        let told = |text| finish(text).map(|f| (f.name, f.ms, f.from));
        let offline = told("Time performed by lokki : 25:488 (v1.91.25 beta)\n");
        assert_eq!(offline, Some((Some("lokki"), 25_488, PERFORMED)));
        let between = told("Time performed by a : b : 00:54:184\n");
        assert_eq!(between, Some((Some("a : b"), 54_184, PERFORMED)));
        let online = told("a b reached the finish line in 1:02:345 (est 1:02:000)\n");
        assert_eq!(online, Some((Some("a b"), 62_345, "print: finish line")));
        assert_eq!(told("Time Performed: 25:912 (defrag 1.5)\n"), Some((None, 25_912, PERFORMED)));
        assert_eq!(told("lokki finished"), None);
        assert_eq!(told("eve: Time Performed: 25:912"), None);
    }

    #[test]
    fn commands_of_runs() {
        let told = |text| new_time(text).map(|f| (f.name, f.ms, f.from));
        let named = told("NewTime -971299442 7:200 \"defrag 1.80\" \"Viper\" route ya->->rg");
        assert_eq!(named, Some((Some("Viper"), 7200, "command: NewTime")));
        assert_eq!(told("newTime 47080\n"), Some((None, 47_080, "command: newTime")));
        assert_eq!((told("newTime"), told("newTime -1"), told("NewTime 1 2")), (None, None, None));
    }
}
