//! What the name of a file says of the run in it, and whether the recording says the same.
//!
//! DeFRaG's clients and sites call a run `map[mdf.cpm]00.12.345(nick.Country).dm_68`; the archive of Quake's speedruns
//! calls one `map_mmss.dem`. A name is what somebody wrote: it is compared, and never taken for a fact.

use schemars::JsonSchema;
use serde::Serialize;

use crate::event::Run;
use crate::game::quake::runs::AT_THE_END;
use crate::replay::info::{Facts, Info};
use crate::wire::without_colors;

/// A run as the name of a file has it. What the name does not say is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RunName {
    /// Name of the map.
    pub map: String,
    /// Kind of run, of DeFRaG: `df`, `mdf` (on a server of several players), `fc` (with flags) ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Physics, of DeFRaG: `vq3` or `cpm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physics: Option<String>,
    /// The time in seconds.
    #[serde(rename = "run_time")]
    pub time: f64,
    /// Digits of it behind the point.
    pub precision: u8,
    /// Who ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nick: Option<String>,
    /// Where that one comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// What the name says, and what the recording says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Disagreement {
    /// What it is about: `map`, `physics`, `run_time`, `nick`.
    pub what: &'static str,
    /// As the name has it.
    pub name: String,
    /// As the recording has it.
    pub recording: String,
}

/// How a name and a recording agree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Comparison {
    /// What the name says.
    #[serde(flatten)]
    pub name: RunName,
    /// What the recording says as well.
    pub confirmed: Vec<&'static str>,
    /// What it says otherwise. What stands in neither list it does not tell.
    pub disagreements: Vec<Disagreement>,
}

impl RunName {
    /// The run that a file is called after; `None` for other names. Folders in front do not matter.
    ///
    /// ```
    /// use qdemo::analysis::run_name::RunName;
    /// let run = RunName::of("runs/ghost-strafe1[mdf.cpm]00.12.345(nick.Country).dm_68").unwrap();
    /// assert_eq!((run.map.as_str(), run.time, run.nick.as_deref()), ("ghost-strafe1", 12.345, Some("nick")));
    /// assert_eq!(RunName::of("e1m1_024.dem").unwrap().time, 24.0);
    /// assert_eq!(RunName::of("demo1.dem"), None);
    /// ```
    pub fn of(file: &str) -> Option<Self> {
        let name = file.rsplit(['/', '\\', ':']).next().unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let (stem, extension) = name.rsplit_once('.')?;
        let small = extension.to_ascii_lowercase();
        if small.starts_with("dm_") { defrag(stem) } else { Some(stem).filter(|_| small == "dem").and_then(quake) }
    }

    /// Compares with what a recording says. `None` where the recording has no runs to compare with: a name may look like
    /// that of a run by chance.
    pub fn against(self, info: &Info) -> Option<Comparison> {
        let (runs, known) = match &info.facts {
            Facts::Dem(facts) if !facts.runs.is_empty() => (&facts.runs, None),
            Facts::Dm3(facts) if facts.levels.iter().any(|level| level.defrag.is_some()) => (&facts.runs, Some(facts)),
            _ => return None,
        };
        let mut of = Comparison { name: self, confirmed: Vec::new(), disagreements: Vec::new() };
        let name = of.name.clone();
        let maps: Vec<&str> = match known {
            Some(facts) => facts.levels.iter().map(|level| level.map.as_str()).collect(),
            None => runs.iter().map(|run| run.map.as_str()).collect(),
        };
        let maps = different(maps);
        // A run of several levels of Quake is called after its kind.
        if known.is_some() || maps.len() == 1 {
            of.note("map", &name.map, &maps, |map| map.eq_ignore_ascii_case(&name.map));
        }
        of.time(runs, known.is_none());
        if let (Some(physics), Some(facts)) = (&name.physics, known) {
            let told: Vec<_> = facts.levels.iter().filter_map(|level| level.defrag.as_ref()?.physics).collect();
            of.note("physics", physics, &different(told), |told| told == physics);
        }
        if let (Some(nick), Some(facts)) = (&name.nick, known) {
            let mut told: Vec<_> =
                runs.iter().filter_map(|run| run.player.as_ref()).map(|who| who.name.clone()).collect();
            let recorder = facts.players.iter().filter(|player| Some(player.slot) == facts.recorder);
            told.extend(
                recorder.flat_map(|player| [player.login.as_deref().map(without), Some(player.name())]).flatten(),
            );
            let told = different(told);
            let told: Vec<_> = told.iter().map(String::as_str).collect();
            of.note("nick", nick, &told, |told| letters(told) == letters(nick));
        }
        Some(of)
    }
}

fn without(name: &str) -> String {
    without_colors(name.as_bytes())
}

fn different<T: PartialEq>(mut all: Vec<T>) -> Vec<T> {
    all.dedup();
    all
}

/// What of a nick every file system has room for.
fn letters(nick: &str) -> String {
    nick.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Comparison {
    fn note(&mut self, what: &'static str, name: &str, told: &[&str], same: impl Fn(&str) -> bool) {
        if told.is_empty() {
            return;
        }
        match told.iter().any(|told| same(told)) {
            true => self.confirmed.push(what),
            false => {
                let recording = told.join(", ");
                self.disagreements.push(Disagreement { what, name: name.to_owned(), recording });
            }
        }
    }

    /// Compared in as many digits as the name has: Quake's screen shows whole seconds that have passed. `summed` tells that
    /// all levels may be one run.
    fn time(&mut self, runs: &[Run], summed: bool) {
        let digits = usize::from(self.name.precision);
        let shown = |time: f64| {
            let unit = 10f64.powi(i32::from(self.name.precision));
            format!("{:.digits$}", (time * unit + 1e-6).floor() / unit)
        };
        let mut told: Vec<String> = runs.iter().map(|run| shown(run.time)).collect();
        let levels: Vec<_> = runs.iter().filter(|run| run.from == AT_THE_END).collect();
        if summed && levels.len() > 1 {
            told.push(shown(levels.iter().map(|run| run.time).sum()));
        }
        let told = different(told);
        let name = format!("{:.digits$}", self.name.time);
        let told: Vec<_> = told.iter().map(String::as_str).collect();
        self.note("run_time", &name, &told, |told| told == name);
    }
}

/// `map[mdf.cpm]00.12.345(nick.Country)`, and whatever stands behind.
fn defrag(stem: &str) -> Option<RunName> {
    let (map, rest) = stem.split_once('[').filter(|(map, _)| !map.is_empty())?;
    let (kind, rest) = rest.split_once(']')?;
    let (time, who) = rest.split_once('(').unwrap_or((rest, ""));
    let parts: Vec<u32> = time.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [minutes, seconds @ 0..60, ms @ 0..1000] = parts[..] else { return None };
    let mut words = kind.split('.');
    let mode = words.next().filter(|word| !word.is_empty()).map(str::to_owned);
    let physics = words.find(|word| matches!(*word, "vq3" | "cpm")).map(str::to_owned);
    let who = who.split_once(')').map_or("", |(who, _)| who);
    // A nick may have points in it, no country has.
    let (nick, country) = who.rsplit_once('.').map_or((who, None), |(nick, country)| (nick, Some(country.to_owned())));
    Some(RunName {
        map: map.to_owned(),
        mode,
        physics,
        time: f64::from(minutes) * 60.0 + f64::from(seconds) + f64::from(ms) / 1000.0,
        precision: 3,
        nick: Some(nick.to_owned()).filter(|nick| !nick.is_empty()),
        country,
    })
}

/// `map_mmss`, minutes with as many digits as they take; or `map_m.ss`.
fn quake(stem: &str) -> Option<RunName> {
    let (map, time) = stem.rsplit_once('_').filter(|(map, _)| !map.is_empty())?;
    let (minutes, seconds) = match time.split_once('.') {
        Some(parts) => parts,
        None => time.split_at_checked(time.len().checked_sub(2)?)?,
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
    if !digits(minutes) || !digits(seconds) || seconds.len() != 2 || minutes.len() > 4 {
        return None;
    }
    let (minutes, seconds): (u32, u32) = (minutes.parse().ok()?, seconds.parse().ok()?);
    (seconds < 60).then(|| RunName {
        map: map.to_owned(),
        mode: None,
        physics: None,
        time: f64::from(minutes * 60 + seconds),
        precision: 0,
        nick: None,
        country: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs() {
        let run = RunName::of("a-b[df.vq3.tr]01.02.003(x.y.Czech Republic){12}.dm_68").unwrap();
        assert_eq!((&*run.map, run.time, run.mode.as_deref()), ("a-b", 62.003, Some("df")));
        let who = [run.physics, run.nick, run.country].map(Option::unwrap);
        assert_eq!(who, ["vq3", "x.y", "Czech Republic"]);
        assert_eq!(RunName::of("a[mdf.cpm]00.61.000(x).dm_68"), None);
        assert_eq!(RunName::of("a[mdf.cpm]00.01.000.dm_68").unwrap().nick, None);
        assert_eq!(RunName::of("duel[dm2]20240426-1716.mvd"), None);
        assert_eq!(RunName::of("pack.zip:runs/adse_3450.dem.gz").unwrap().time, 2090.0);
        assert_eq!(RunName::of("start_0.17.dem").unwrap().time, 17.0);
        for other in ["e1m6_conny.dem", "e1m1_61.dem", "e1m1_75.dem", "e1m1_.dem", "_024.dem", "demo.dem", "x_0160.dem"]
        {
            assert_eq!(RunName::of(other), None, "{other}");
        }
    }
}
