//! A recording as one row of a list: what it is, of what, by whom, how long.

use std::io::Read;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::demo::detect::Detected;
use crate::demo::{AnyVisitor, Faults};
use crate::error::Result;
use crate::event::{EventKind, Run};
use crate::limits::Limits;
use crate::replay::info::{self, Facts, Info};
use crate::replay::timeline::{self, Presence, SpanKind, Timeline};
use crate::replay::{Analyser, Pass, Step};
use crate::world::{Rules, Scene};

/// What a recording says of itself, what lies where in it, and its runs: of one reading.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// What it says about itself.
    pub info: Info,
    /// What lies where, and who played.
    pub timeline: Timeline,
    /// Runs against the clock.
    pub runs: Vec<Run>,
    /// The rules at the end, as far as the server tells them.
    pub rules: Rules,
    /// The SHA-256 of the recording in small hexadecimal digits, where the reader of the file tells it.
    pub sha256: Option<String>,
    /// The containers that it was in, the outermost first, where the reader of the file tells them.
    pub containers: Vec<&'static str>,
    /// Why the file could not be read to its end, where the reader of the file tells it.
    pub error: Option<String>,
    facts: OnceLock<Map<String, Value>>,
}

/// Reads a recording once and tells all that a list of recordings needs: a row of [`DEMOS`](crate::table::DEMOS).
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, analysis::summary::summary};
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let summary = summary(demo, "clip.dem", Limits::default())?;
/// assert_eq!(summary.maps(), ["start"]);
/// assert_eq!(summary.protocol(), Some(999));
/// # Ok(()) }
/// ```
pub fn summary(mut input: impl Read, name: &str, limits: Limits) -> Result<Summary> {
    read(&mut input, name, limits)
}

/// Compiled here, and not again for each type of input.
fn read(input: &mut dyn Read, name: &str, limits: Limits) -> Result<Summary> {
    let mut builder = Builder::default();
    let faults = Pass::new(limits).run(&mut *input, name, &mut [&mut builder])?;
    match builder.finish(faults) {
        Some(summary) => Ok(summary),
        // Never: the end of a recording is a step, too.
        None => Ok(Summary::of(info::info(input, name, limits)?, timeline::Builder::new().finish())),
    }
}

/// Gathers a [`Summary`], in a [`Pass`].
#[derive(Debug, Default)]
pub struct Builder {
    timeline: timeline::Builder,
    info: Option<(info::Builder, Detected)>,
    bytes: u64,
    runs: Vec<Run>,
    rules: Rules,
}

impl Analyser for Builder {
    fn visitor(&mut self, detected: &Detected) -> Option<AnyVisitor<'_>> {
        let (info, _) = self.info.get_or_insert_with(|| (info::Builder::new(detected), detected.clone()));
        info.visitor()
    }

    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        self.timeline.step(step)?;
        if let (Some((info, _)), Some(chunk)) = (&mut self.info, step.chunk) {
            info.seen(chunk, step.world);
        }
        self.bytes = step.offset;
        let told = step.events.iter().filter_map(|event| match &event.kind {
            EventKind::Run(run) => Some(run.clone()),
            _ => None,
        });
        self.runs.extend(told);
        if step.is_end() {
            self.rules = step.world.rules();
        }
        Ok(())
    }
}

impl Builder {
    /// What was gathered, with what is wrong with the file; nothing without a step.
    pub fn finish(self, faults: Faults) -> Option<Summary> {
        let (info, detected) = self.info?;
        let info = Info { detected, bytes: self.bytes, facts: info.finish(), faults };
        Some(Summary { runs: self.runs, rules: self.rules, ..Summary::of(info, self.timeline.finish()) })
    }
}

impl Summary {
    fn of(info: Info, timeline: Timeline) -> Self {
        Summary {
            info,
            timeline,
            runs: Vec::new(),
            rules: Rules::default(),
            sha256: None,
            containers: Vec::new(),
            error: None,
            facts: OnceLock::new(),
        }
    }

    /// All that it says of itself: the object that `qdemo info --json` writes.
    pub(crate) fn facts(&self) -> &Map<String, Value> {
        self.facts.get_or_init(|| crate::json::map(&self.info))
    }

    /// A text among these facts.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.facts().get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// A number among these facts.
    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        self.facts().get(key)?.as_i64()
    }

    /// Number of the protocol.
    pub fn protocol(&self) -> Option<i64> {
        Some(match &self.info.facts {
            Facts::Dem(facts) => facts.dialect.protocol.into(),
            Facts::QuakeWorld(facts) => facts.dialect.protocol.into(),
            Facts::Dm2(facts) => facts.dialect.protocol.into(),
            Facts::Mvd2(facts) => facts.dialect.protocol.into(),
            Facts::Dm3(facts) => facts.dialect.protocol.into(),
            Facts::Unknown => return None,
        })
    }

    /// The maps of its levels, each once, in their order.
    pub fn maps(&self) -> Vec<&str> {
        let mut maps = Vec::new();
        for span in &self.timeline.spans {
            if let SpanKind::Level { map, .. } = &span.kind {
                if !map.is_empty() && !maps.contains(&map.as_str()) {
                    maps.push(map.as_str());
                }
            }
        }
        maps
    }

    /// The name of the first level for people.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.timeline.spans.iter().find_map(|span| match &span.kind {
            SpanKind::Level { title, .. } => Some(title.as_str()),
            _ => None,
        });
        title.filter(|title| !title.is_empty())
    }

    /// How many spans are of a kind.
    pub(crate) fn count(&self, is: fn(&SpanKind) -> bool) -> usize {
        self.timeline.spans.iter().filter(|span| is(&span.kind)).count()
    }

    /// The directory of the game or mod, where it is told.
    pub fn game(&self) -> Option<&str> {
        let game = match &self.info.facts {
            Facts::Dem(facts) => facts.game.as_deref(),
            Facts::QuakeWorld(facts) => facts.levels.first().map(|level| level.gamedir.as_str()),
            Facts::Dm2(facts) => facts.levels.first().map(|level| level.gamedir.as_str()),
            Facts::Mvd2(facts) => facts.levels.first().map(|level| level.gamedir.as_str()),
            Facts::Dm3(facts) => facts.game.as_deref(),
            Facts::Unknown => None,
        };
        game.filter(|game| !game.is_empty())
    }

    /// The kind of game in words, where it is told.
    pub fn mode(&self) -> Option<String> {
        if let Some(mode) = &self.rules.game_type {
            return Some(mode.clone());
        }
        match &self.info.facts {
            Facts::Dem(facts) => facts.levels.first().map(|level| level.mode().to_owned()),
            Facts::QuakeWorld(facts) => facts.setting("mode"),
            Facts::Dm3(facts) => facts.levels.first().map(|level| level.game_type_name.to_owned()),
            _ => None,
        }
        .filter(|mode| !mode.is_empty())
    }

    /// The physics, where they are told: `vq3`, `cpm` ...
    pub fn physics(&self) -> Option<&str> {
        let defrag = match &self.info.facts {
            Facts::Dm3(facts) => facts.levels.iter().find_map(|level| level.defrag.as_ref()?.physics),
            _ => None,
        };
        defrag.or(self.rules.gameplay.as_deref())
    }

    /// Who recorded, where a player did.
    pub fn recorder(&self) -> Option<&Presence> {
        self.timeline.players.iter().find(|player| player.recorder)
    }

    /// When it was recorded, or its match began: seconds since 1970, where the server tells that.
    pub fn recorded_at(&self) -> Option<i64> {
        let at = match &self.info.facts {
            Facts::QuakeWorld(facts) => facts.recorded_at.and_then(|ms| i64::try_from(ms / 1000).ok()),
            _ => None,
        };
        at.or(self.rules.started_at)
    }

    /// The date of the match as the game prints it.
    pub fn match_date(&self) -> Option<&str> {
        match &self.info.facts {
            Facts::QuakeWorld(facts) => facts.match_date.as_deref(),
            _ => None,
        }
    }

    /// True when it ends as recordings of its format do.
    pub fn ends_cleanly(&self) -> Option<bool> {
        Some(match &self.info.facts {
            Facts::Dem(facts) => facts.ends_cleanly,
            Facts::QuakeWorld(facts) => facts.ends_cleanly,
            Facts::Dm2(facts) => facts.ends_cleanly,
            Facts::Mvd2(facts) => facts.ends_cleanly,
            Facts::Dm3(facts) => facts.ends_cleanly,
            Facts::Unknown => return None,
        })
    }
}
