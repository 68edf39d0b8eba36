//! Runs of DeFRaG: what it prints when somebody finishes, and the rules that a run is made by.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::event::{PlayerRef, Run};
use crate::game::quake3::Configstrings;
use crate::json;
use crate::wire::{info_value, without_colors};

/// A run as a print tells it: who, in how many milliseconds, and which of the texts it was.
pub(crate) struct Finish<'t> {
    pub(crate) name: &'t str,
    pub(crate) ms: u64,
    pub(crate) from: &'static str,
}

/// The run that a text in plain characters tells.
pub(crate) fn finish(text: &str) -> Option<Finish<'_>> {
    let (name, time, from) = if let Some((_, rest)) = text.split_once("Time performed by ") {
        let (name, rest) = rest.split_once(" : ")?;
        (name, rest, "print: time performed")
    } else {
        let (name, rest) = text.split_once(" reached the finish line in ")?;
        (name, rest, "print: finish line")
    };
    let digits = time.split(|c: char| c != ':' && !c.is_ascii_digit()).next()?;
    Some(Finish { name: name.trim(), ms: run_time(digits)?, from })
}

impl Finish<'_> {
    /// The run, on a level that these configstrings tell of. `player` is who has that name, if anybody.
    pub(crate) fn run(&self, player: PlayerRef, strings: &Configstrings) -> Run {
        let map = info_value(strings.get(0), "mapname").unwrap_or_default();
        Run {
            player: Some(player),
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
        let told = |text| finish(text).map(|f| (f.name.to_owned(), f.ms, f.from));
        let offline = told("Time performed by lokki : 25:488 (v1.91.25 beta)\n");
        assert_eq!(offline, Some(("lokki".to_owned(), 25_488, "print: time performed")));
        let online = told("a b reached the finish line in 1:02:345 (est 1:02:000)\n");
        assert_eq!(online, Some(("a b".to_owned(), 62_345, "print: finish line")));
        assert_eq!(told("lokki finished"), None);
    }
}
