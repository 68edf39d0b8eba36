//! Runs of KTX's races: what it tells recordings when somebody finishes, and what it prints. Both tell the same.
//!
//! Source: KTX's `race.c`.

use crate::event::{LastRun, PlayerRef, Run};

/// A race that somebody finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finish<'t> {
    ms: u64,
    from: &'static str,
    /// Who, where a text names anybody.
    pub(crate) name: Option<&'t str>,
}

/// The line for the recording of who finished.
const COMMAND: &str = "command: race end";
/// The text for all.
const PRINT: &str = "print: race finished";

impl Finish<'_> {
    /// The run, on such a map.
    pub(crate) fn run(&self, player: Option<PlayerRef>, map: String) -> Run {
        let time = self.ms as f64 / 1000.0;
        Run { player, login: None, time, precision: 3, from: self.from, map, totals: None, mode: None }
    }
}

/// Follows races, each of which is told in one way or in both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Races {
    last: LastRun,
    /// The line before told of somebody who raced alone, and did not say who.
    unnamed: bool,
}

impl Races {
    /// Takes in a line for the console of somebody: `//ktx race end SECONDS ...`. Older versions write it before they take
    /// the time, and tell 0.
    pub(crate) fn command(&mut self, line: &[u8]) -> Option<Finish<'static>> {
        let line = std::str::from_utf8(line.strip_prefix(b"//ktx race end ")?).ok()?;
        let ms = milliseconds(line.split_ascii_whitespace().next()?).filter(|ms| *ms > 0)?;
        self.news(Finish { ms, from: COMMAND, name: None })
    }

    /// Takes in a line that the server prints, in plain characters: `Run finished in 12.345s`, or where several race
    /// `[NAME] finished in PLACE [12.345s]`, and `[NAME] also finished [12.345s]`, which older versions write without its `s`.
    pub(crate) fn print<'t>(&mut self, line: &'t str) -> Option<Finish<'t>> {
        let finish = match line.strip_prefix("Run finished in ") {
            Some(time) => Finish { ms: milliseconds(time.strip_suffix('s')?)?, from: PRINT, name: None },
            None => {
                let (text, time) = line.strip_suffix(']')?.rsplit_once(" [")?;
                let text = text.strip_prefix('[')?;
                let named = text.rsplit_once("] finished").or_else(|| text.rsplit_once("] also finished"));
                let ms = milliseconds(time.strip_suffix('s').unwrap_or(time))?;
                Finish { ms, from: PRINT, name: Some(named?.0) }
            }
        };
        self.news(finish)
    }

    /// Who finished as the line in front told, which did not say it: whoever races alone takes a place among the best, or does not.
    /// It is to be asked of each line, in front of [`print`](Self::print).
    pub(crate) fn finisher<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        if !std::mem::take(&mut self.unnamed) {
            return None;
        }
        let takes = |line: &'t str| Some(line.strip_suffix(" place record")?.rsplit_once(" took the ")?.0);
        let fails = |line: &'t str| Some(line.strip_suffix(" best time")?.rsplit_once(" couldn't beat ")?.0);
        takes(line).or_else(|| fails(line))
    }

    /// `None` where that was told the other way before.
    fn news<'t>(&mut self, finish: Finish<'t>) -> Option<Finish<'t>> {
        let is_new = self.last.is_new(finish.from, finish.ms);
        self.unnamed = is_new && finish.from == PRINT && finish.name.is_none();
        is_new.then_some(finish)
    }
}

fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (0.0..1e6).contains(&seconds).then_some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_told_once() {
        let mut races = Races::default();
        let command = |races: &mut Races, text: &str| races.command(text.as_bytes()).map(|it| it.ms);
        assert_eq!(command(&mut races, "//ktx race end 12.345000 100.0 600.0 400.0 1"), Some(12_345));
        assert_eq!(races.print("Run finished in 12.345s"), None);
        // The same time again, in prints alone.
        let alone = Some(Finish { ms: 12_345, from: PRINT, name: None });
        assert_eq!([races.print("Run finished in 12.345s"), races.print("Run finished in 12.345s")], [alone; 2]);
        let named = races.print("[a] finished in 1st place [9.500s]").map(|it| (it.ms, it.name));
        assert_eq!(named, Some((9500, Some("a"))));
        assert_eq!(command(&mut races, "//ktx race end 9.5 1 2 3 1"), None);
        assert_eq!(races.print("[b] also finished [9.500s]").and_then(|it| it.name), Some("b"));
        // Older versions.
        assert_eq!(command(&mut races, "//ktx race end 0.000000 1 2 3 1"), None);
        let named = races.print("[c] also finished [9.750]").map(|it| (it.ms, it.name));
        assert_eq!(named, Some((9750, Some("c"))));
        for no in ["Run finished in s", "Run finished in -1s", "[a] finished", "a finished in 1st place [9.500s]", ""] {
            assert_eq!(races.print(no), None, "{no}");
        }
        for no in ["//ktx race end", "//ktx race end x", "//ktx race cp 1 2.0", "//ktx race end inf"] {
            assert_eq!(command(&mut races, no), None, "{no}");
        }
    }
}
