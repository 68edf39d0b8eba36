//! The world of one recording, whatever its game.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::Error;
use crate::demo::detect::Detected;
use crate::demo::{AnyVisitor, Chunk, Demo, Faults, FileKind, Listed, Recording};
use crate::error::{ErrorKind, Result};
use crate::format::dem::Dem;
use crate::format::dm2::Dm2;
use crate::format::dm3::Dm3;
use crate::format::mvd::Mvd;
use crate::format::mvd2::Mvd2;
use crate::format::qwd::Qwd;
use crate::format::{AnyDialect as _, DialectOf, Format, Packet, Visitor, dem};
use crate::frame::Diagnostic;
use crate::game::{quake, quake2, quake3, quakeworld};
use crate::wire::Fault;
use crate::world::{Changes, Charset, Clock, Entity, Input, Level, Place, Player, Rules, Scene, ScoreLine, View};

macro_rules! worlds {
    ($($(#[$doc:meta])* $variant:ident($world:ty),)*) => {
        /// The world of one recording, whatever its game. A clone is a keyframe.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum World {
            $($(#[$doc])* $variant(Box<$world>),)*
        }

        impl Clone for World {
            fn clone(&self) -> Self {
                match self { $(World::$variant(world) => World::$variant(world.clone()),)* }
            }
            fn clone_from(&mut self, from: &Self) {
                match (self, from) {
                    $((World::$variant(world), World::$variant(from)) => world.clone_from(from),)*
                    (to, _) => *to = from.clone(),
                }
            }
        }

        /// Asks the world of whichever game it is.
        macro_rules! ask {
            ($it:expr, $world_name:ident => $answer:expr) => {
                match $it { $(World::$variant($world_name) => $answer,)* }
            };
        }
    };
}

worlds! {
    /// Quake.
    Dem(quake::World),
    /// QuakeWorld, `.qwd` and `.mvd`.
    QuakeWorld(quakeworld::World),
    /// Quake II.
    Dm2(quake2::World),
    /// Quake II, multi-view.
    Mvd2(quake2::multiview::World),
    /// Quake III.
    Dm3(quake3::World),
}

impl World {
    /// The world before anything happened in a recording; `None` for a file that is no recording.
    pub fn new(detected: &Detected) -> Option<World> {
        Some(match detected.kind {
            FileKind::Dem => World::Dem(Box::new(quake::World::default().reading(Dem::decoder(detected)))),
            FileKind::Qwd => {
                World::QuakeWorld(Box::new(quakeworld::World::new(false).reading_packets(Qwd::decoder(detected))))
            }
            FileKind::Mvd => {
                World::QuakeWorld(Box::new(quakeworld::World::new(true).reading_records(Mvd::decoder(detected))))
            }
            FileKind::Dm2 => World::Dm2(Box::new(quake2::World::default().reading(Dm2::decoder(detected)))),
            FileKind::Dm3 => World::Dm3(Box::new(quake3::World::new(Dm3::first_dialect(detected.protocol)))),
            FileKind::Mvd2 => {
                World::Mvd2(Box::new(quake2::multiview::World::default().reading(Mvd2::decoder(detected))))
            }
            FileKind::Unknown => return None,
        })
    }

    /// [`World::new`] for a file that was looked at.
    ///
    /// # Errors
    /// A file that is no recording.
    pub fn of(detected: &Detected, file: &str) -> Result<World> {
        World::new(detected).ok_or_else(|| Error::new(ErrorKind::NotADemo(detected.reason.clone())).in_file(file))
    }

    /// True where nothing is known of what the frames now show, as what they build on is not in the recording. QuakeWorld's
    /// tell of players all the same.
    pub(crate) fn hides(&self) -> bool {
        let shows_nothing = matches!(self, World::Dm2(_) | World::Mvd2(_) | World::Dm3(_));
        shows_nothing && !self.is_complete() && self.clock().now.is_some()
    }

    /// Takes in the next chunk, and notes a frame of which nothing is known.
    pub(crate) fn apply_noting(
        &mut self,
        chunk: &Chunk<'_>,
        others: Vec<AnyVisitor<'_>>,
        faults: &mut Faults,
    ) -> Option<Diagnostic> {
        let diagnostic = self.apply_with(chunk, others);
        if self.hides() && self.changes().sent {
            faults.hide(self.clock().demo.ms());
        }
        diagnostic
    }

    /// Takes in the next chunk: [`Scene::changes`] tells what it changed. Gives the fault in it; what stands in front
    /// of a fault is taken in.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, Vec::new())
    }

    /// The same, and others see the messages of a block as the world does.
    pub(crate) fn apply_with(&mut self, chunk: &Chunk<'_>, others: Vec<AnyVisitor<'_>>) -> Option<Diagnostic> {
        fn of<F: Listed>(others: Vec<AnyVisitor<'_>>) -> Vec<&mut dyn Visitor<F>> {
            if others.is_empty() {
                return Vec::new();
            }
            others.into_iter().filter_map(F::visitor).collect()
        }
        match (self, chunk) {
            (World::Dem(world), Chunk::Dem(chunk)) => world.apply_with(chunk, &mut of(others)),
            (World::QuakeWorld(world), Chunk::Qwd(chunk)) => world.apply_packet_with(chunk, &mut of(others)),
            (World::QuakeWorld(world), Chunk::Mvd(chunk)) => world.apply_record_with(chunk, &mut of(others)),
            (World::Dm2(world), Chunk::Dm2(chunk)) => world.apply_with(chunk, &mut of(others)),
            (World::Mvd2(world), Chunk::Mvd2(chunk)) => world.apply_with(chunk, &mut of(others)),
            (World::Dm3(world), Chunk::Dm3(chunk)) => world.apply_with(chunk, &mut of(others)),
            // Chunks of another recording say nothing about this one.
            _ => None,
        }
    }

    /// A recording that holds nothing but a full start, from which on a real engine shows this world: what the world knows
    /// now, as a server would tell it to a client who connects. Empty when no level has begun. What a keyframe cannot
    /// carry the games' worlds tell: [`quake::World::keyframe`], [`quakeworld::World::keyframe_packets`] and
    /// [`keyframe_records`](quakeworld::World::keyframe_records), [`quake2::World::keyframe`],
    /// [`quake2::multiview::World::keyframe`], [`quake3::World::keyframe`].
    ///
    /// ```
    /// # fn main() -> qdemo::Result<()> {
    /// use qdemo::{Limits, replay::{Seeker, World}, world::DemoTime};
    /// let bytes = std::fs::read("../../testdata/oa-dm4.dm_71")?;
    /// let mut seeker = Seeker::open(bytes, "oa-dm4.dm_71", Limits::default())?;
    /// let then = seeker.seek(DemoTime::from_ms(20_000));
    /// let start = then.keyframe()?;
    /// let mut again = World::of(start.detected(), start.name())?;
    /// start.each_chunk(|chunk| {
    ///     assert_eq!(again.apply(chunk), None);
    ///     Ok(())
    /// })?;
    /// assert_eq!(again.difference(then), None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A value that the dialect cannot write.
    pub fn keyframe(&self) -> Result<Demo> {
        fn recording<F: Listed>(
            dialect: DialectOf<F>,
            packets: std::result::Result<Vec<Packet<'static, F>>, Fault>,
        ) -> Result<Recording<F>> {
            let mut recording = Recording::new(Some(dialect.protocol()));
            packets?.into_iter().for_each(|packet| recording.push_in(packet, dialect));
            Ok(recording)
        }
        Ok(match self {
            World::Dem(world) => {
                Demo::Dem(recording(dem::Dialect::initial(world.dialect().variant), world.keyframe())?)
            }
            World::QuakeWorld(world) if world.is_multiview() => {
                Demo::Mvd(recording(Mvd::first_dialect(None), world.keyframe_records())?)
            }
            World::QuakeWorld(world) => Demo::Qwd(recording(Qwd::first_dialect(None), world.keyframe_packets())?),
            World::Dm2(world) => Demo::Dm2(recording(world.dialect(), world.keyframe())?),
            World::Mvd2(world) => Demo::Mvd2(recording(Mvd2::first_dialect(None), world.keyframe())?),
            World::Dm3(world) => Demo::Dm3(recording(world.dialect(), world.keyframe())?),
        })
    }

    /// The first part in which another world differs, by name; `None` when both show the same. Left out is what a
    /// [keyframe](World::keyframe) cannot carry.
    pub fn difference(&self, other: &World) -> Option<&'static str> {
        self.differences(other).first().copied()
    }

    /// All parts in which another world differs, by name: see [`World::difference`].
    pub fn differences(&self, other: &World) -> Vec<&'static str> {
        match (self, other) {
            (World::Dem(one), World::Dem(other)) => one.differences(other),
            (World::QuakeWorld(one), World::QuakeWorld(other)) => one.differences(other),
            (World::Dm2(one), World::Dm2(other)) => one.differences(other),
            (World::Mvd2(one), World::Mvd2(other)) => one.differences(other),
            (World::Dm3(one), World::Dm3(other)) => one.differences(other),
            _ => vec!["game"],
        }
    }

    /// A copy to be kept, as small as can be.
    pub(crate) fn compact_copy(&self) -> World {
        let mut copy = self.clone();
        if let World::Dm3(world) = &mut copy {
            world.shrink();
        }
        copy
    }

    /// From here on what players and entities do is left out, for those who want texts, settings and clocks only: that
    /// is much faster. [`Changes::frame`] stays false where a frame is made of what is left out.
    pub fn only_texts(&mut self) {
        ask!(self, world => world.only_texts());
    }

    /// True for a game of two sides in which everybody plays to win, whatever the side: Quake Live's red rover.
    pub(crate) fn is_for_oneself(&self) -> bool {
        matches!(self, World::Dm3(world) if world.is_for_oneself())
    }

    /// True for a game of teams, where the recording tells.
    pub fn in_teams(&self) -> bool {
        match self {
            World::QuakeWorld(world) => world.in_teams(),
            World::Dm3(world) => world.in_teams(),
            World::Dm2(world) => world.in_teams(),
            World::Mvd2(world) => world.game().in_teams(),
            World::Dem(_) => false,
        }
    }

    /// The scores of the red and the blue team, where the game itself tells them.
    pub(crate) fn team_scores(&self) -> Option<[Option<i32>; 2]> {
        match self {
            World::Dm3(world) => world.team_scores(),
            World::Dem(_) | World::QuakeWorld(_) | World::Dm2(_) | World::Mvd2(_) => None,
        }
    }

    /// The whole world as JSON, with the keys that `qdemo state --json` documents.
    pub fn to_json(&self) -> Map<String, Value> {
        ask!(self, world => crate::world::to_json(&**world))
    }

    /// The same to be compared with another world: without tables, and what stands in them, that are the same there.
    pub(crate) fn to_json_beside(&self, other: &World) -> Map<String, Value> {
        use crate::world::to_json_beside;
        match (self, other) {
            (World::Dem(one), World::Dem(other)) => to_json_beside(&**one, &**other),
            (World::QuakeWorld(one), World::QuakeWorld(other)) => to_json_beside(&**one, &**other),
            (World::Dm2(one), World::Dm2(other)) => to_json_beside(&**one, &**other),
            (World::Mvd2(one), World::Mvd2(other)) => to_json_beside(&**one, &**other),
            (World::Dm3(one), World::Dm3(other)) => to_json_beside(&**one, &**other),
            _ => self.to_json(),
        }
    }
}

/// As [`World::to_json`].
impl Serialize for World {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// What only one game has.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum Own {
    Quake(quake::Own),
    QuakeWorld(quakeworld::Own),
    Quake2(quake2::Own),
    Multiview(quake2::multiview::Own),
    Quake3(quake3::Own),
}

impl JsonSchema for World {
    fn schema_name() -> Cow<'static, str> {
        "World".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        crate::world::Shown::<Own>::json_schema(generator)
    }
}

impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        ask!(self, world => world.clock())
    }
    fn charset(&self) -> Charset {
        ask!(self, world => world.charset())
    }
    fn level(&self) -> Level<'_> {
        ask!(self, world => world.level())
    }
    fn recorder(&self) -> Option<usize> {
        ask!(self, world => world.recorder())
    }
    fn view(&self) -> Option<View> {
        ask!(self, world => world.view())
    }
    fn changes(&self) -> &Changes {
        ask!(self, world => world.changes())
    }
    fn is_complete(&self) -> bool {
        ask!(self, world => world.is_complete())
    }
    fn is_paused(&self) -> bool {
        ask!(self, world => world.is_paused())
    }
    fn rules(&self) -> Rules {
        ask!(self, world => world.rules())
    }
    fn player_slots(&self) -> usize {
        ask!(self, world => world.player_slots())
    }
    fn player(&self, slot: usize) -> Option<Player<'_>> {
        ask!(self, world => world.player(slot))
    }
    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        ask!(self, world => world.score_line(slot))
    }
    fn place(&self, slot: usize) -> Option<Place> {
        ask!(self, world => world.place(slot))
    }
    fn places(&self, each: &mut dyn FnMut(usize, Place)) {
        ask!(self, world => world.places(each));
    }
    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        ask!(self, world => world.carried(slot, each))
    }
    fn entity_slots(&self) -> usize {
        ask!(self, world => world.entity_slots())
    }
    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        ask!(self, world => world.entity(number))
    }
    fn is_player(&self, number: usize) -> bool {
        ask!(self, world => world.is_player(number))
    }
    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        ask!(self, world => world.sound_name(sound))
    }
    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        ask!(self, world => world.inputs(each));
    }
    fn own(&self) -> Map<String, Value> {
        ask!(self, world => world.own())
    }
}
