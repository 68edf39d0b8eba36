//! What is read of a recording to be shown: which part, and the maps of its levels.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueHint;
use qdemo::replay::Range;
use qdemo::view::{self, Map, Replay};
use qdemo::{Faults, Limits};
use qdemo_inputs::as_io;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clips::Again;
use crate::console::DOUBT;
use crate::maps::Maps;
use crate::show::{Safe, count};
use crate::when::{Between, GivenClock};
use crate::writing::Means;

/// On which floor.
#[derive(Debug, clap::Args)]
pub(crate) struct Floor {
    /// Where maps of your own game are, for the floor: folders, .pak, .pk3, or a .bsp; without it, the floor is where people
    /// stood
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    maps: Vec<PathBuf>,
}

impl Floor {
    pub(crate) fn maps(&self) -> Maps {
        Maps(self.maps.clone())
    }

    /// What is read beside the recordings.
    pub(crate) fn beside(&self) -> Vec<&Path> {
        self.maps.iter().map(PathBuf::as_path).collect()
    }
}

/// Which part of a recording is shown, on which floor.
#[derive(Debug, clap::Args)]
pub(crate) struct Shown {
    #[command(flatten)]
    floor: Floor,

    #[command(flatten)]
    between: Between,

    #[command(flatten)]
    given: GivenClock,

    /// Only this match, counted from 1 as `timeline` lists them
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,
}

impl Shown {
    /// What is read beside the recordings.
    pub(crate) fn beside(&self) -> Vec<&Path> {
        self.floor.beside()
    }

    /// # Errors
    /// A part that ends before it begins.
    pub(crate) fn check(&self) -> Result<()> {
        Ok(self.between.range().check_order()?)
    }

    /// True where a recording is read once more to find the part.
    pub(crate) fn reads_again(&self) -> bool {
        self.given.when(self.number).reads_again()
    }

    /// What is to be read of a recording.
    ///
    /// # Errors
    /// A match or level that is not there, and what reading gives.
    pub(crate) fn plan(&self, input: &Again<'_>, name: &str) -> Result<Plan> {
        let range = self.given.when(self.number).places(self.between.range(), input, name)?;
        Ok(Plan { range, maps: self.floor.maps() })
    }
}

/// Which part is read, and where maps are.
pub(crate) struct Plan {
    range: Range,
    maps: Maps,
}

/// A part of a recording, with the maps of its levels.
pub(crate) struct Read {
    pub(crate) replay: Replay,
    pub(crate) lacks: Lacks,
}

impl Plan {
    /// What has no floor needs no maps.
    pub(crate) fn without_floor(self) -> Self {
        Plan { maps: Maps(Vec::new()), ..self }
    }

    /// # Errors
    /// What reading gives, and a map that is none.
    pub(crate) fn read(&self, input: impl std::io::Read, name: &str, means: Means) -> qdemo::Result<Read> {
        let Means { limits, threads } = means;
        let (mut replay, faults) = view::read_on(threads, input, name, limits, self.range)?;
        let lacks = furnish(&mut replay, &self.maps, &limits)?.with(&faults);
        Ok(Read { replay, lacks })
    }
}

/// Puts in the maps of the levels, and leaves out where the recording lay. Gives the files that the maps are from, and the
/// levels that have none.
///
/// # Errors
/// What reading gives, and a map that is none.
pub(crate) fn furnish(replay: &mut Replay, maps: &Maps, limits: &Limits) -> qdemo::Result<Lacks> {
    replay.without_folder();
    let mut lacks = Lacks::default();
    if maps.0.is_empty() {
        return Ok(lacks);
    }
    let names: Vec<String> = replay.about.levels.iter().map(|level| level.map.clone()).collect();
    for (level, name) in names.iter().enumerate() {
        match maps.find(name, names.len() == 1, limits, &|bytes| Map::from_bsp(bytes, level as u32)).map_err(as_io)? {
            Some((file, map)) => {
                replay.maps.push(map);
                lacks.maps.push(file);
            }
            None => lacks.without_map.push(name.clone()),
        }
    }
    Ok(lacks)
}

/// What a picture or a page was drawn with, and what is missing in it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Lacks {
    /// The files of which the maps of the levels are.
    maps: Vec<String>,
    /// Levels of which no map was found where --maps says.
    without_map: Vec<String>,
    /// Faults of the recording: what it says there is not shown.
    fault_count: u64,
    /// Frames of which nothing is known, as what they build on is not in the recording.
    hidden_frames: u64,
}

impl Lacks {
    pub(crate) fn with(self, faults: &Faults) -> Self {
        let hidden_frames = faults.hidden().map_or(0, |it| it.count);
        Lacks { fault_count: faults.count(), hidden_frames, ..self }
    }

    /// In lines for people.
    pub(crate) fn warnings(&self) -> String {
        let mut text = String::new();
        if !self.without_map.is_empty() {
            let names = self.without_map.join(", ");
            text += &format!("  {DOUBT}no map{DOUBT:#} of {}: the floor is where people stood\n", Safe(&names));
        }
        if self.fault_count > 0 {
            let faults = count(self.fault_count, "fault");
            text += &format!(
                "  {DOUBT}{faults}{DOUBT:#} in the recording: what it says there is missing; `qdemo verify` tells\n"
            );
        }
        if self.hidden_frames > 0 {
            let frames = count(self.hidden_frames, "frame");
            text += &format!(
                "  {DOUBT}{frames}{DOUBT:#} build on what is not in the recording: what they show is missing; `qdemo repair` may \
                 bring it back\n"
            );
        }
        text
    }
}
