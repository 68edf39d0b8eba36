//! Runs of Quake II's jump mod: what it prints when somebody reaches the end of a map.
//!
//! Source: the mod's `maplist_log`. The time is that on the server, in milliseconds.

use crate::event::{PlayerRef, Run};

/// A run that somebody finished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Finish<'t> {
    time: f64,
    precision: u8,
    /// Who; `None` where the text says it to the player alone.
    pub(crate) name: Option<&'t str>,
}

/// Where the times come from, in words.
const FROM: &str = "print: finished";

/// What it tells whoever has not beaten a time of their own.
const YOU: &str = "You";

/// The run that a line tells: `NAME finished in 12.345 seconds (`, and behind that how it compares.
pub(crate) fn finish(line: &str) -> Option<Finish<'_>> {
    let (name, rest) = line.rsplit_once(" finished in ")?;
    let (seconds, _) = rest.split_once(" seconds (")?;
    let (_, digits) = seconds.split_once('.')?;
    let is_number = seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let time = seconds.parse().ok().filter(|_| is_number)?;
    Some(Finish { time, precision: u8::try_from(digits.len()).ok()?, name: Some(name).filter(|name| *name != YOU) })
}

impl Finish<'_> {
    /// The run, on such a map.
    pub(crate) fn run(&self, player: Option<PlayerRef>, map: String) -> Run {
        let Finish { time, precision, .. } = *self;
        Run { player, login: None, time, precision, from: FROM, map, totals: None, mode: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_runs() {
        let told = |line| finish(line).map(|it| (it.name, it.time, it.precision));
        assert_eq!(told("stg finished in 12.345 seconds (PB "), Some((Some("stg"), 12.345, 3)));
        let own = "You finished in 101.500 seconds (PB +1.000 | 1st +2.250)";
        assert_eq!(told(own), Some((None, 101.5, 3)));
        assert_eq!(
            told("a finished in 1 seconds (b finished in 0.500 seconds ("),
            Some((Some("a finished in 1 seconds (b"), 0.5, 3))
        );
        for no in [
            "stg finished in 12.345 seconds",
            "stg finished in - seconds (",
            "stg finished in 1e3 seconds (",
            "finished in 1.0 seconds (",
        ] {
            assert_eq!(told(no), None, "{no}");
        }
    }
}
