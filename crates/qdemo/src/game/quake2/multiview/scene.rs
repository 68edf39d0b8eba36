//! The questions of all games, answered for multi-view recordings of Quake II.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::World;
use crate::game::quake2::world::json;
use crate::game::quake2::world::scene::stat;
use crate::json::bytes_as_text;
use crate::world::{Changes, Clock, ClockKind, Entity, Input, Level, Place, Player, Scene, ScoreLine, View};

/// The recorder is the spectator that the server pretends to have, if there is one: of that only the name is told. In a
/// recording that is about one player it is that one, and the view is that player's.
///
/// At the end of a match everybody is gone, and the scores stay. Whoever is gone while others are here is a spectator, as is one
/// with a name who was never seen: servers leave out those who watch (`player_is_active` of Q2PRO). Velocities, and whether
/// somebody stands on something, are not recorded.
///
/// Names of `carried` are those of a `.dm2`.
///
/// Keys of `own`: `protocol`, `minor`, `flags`, `gamedir`, `key` (counts the levels of the server), `missing_bases`
/// (frames that build on what was not recorded), `portals` (a bit for each that is open); `player_states` (`client` is
/// the slot; then as in text: `pm_type`, `viewoffset`, `stats` by number ...); `entity_states` (`entity`, then as in
/// text: `modelindex`, `old_origin` ...); `scores` (`slot`, `score`, `ping`, `minutes`); `told` (`client`, `layout`,
/// `inventory` by number); `personal_configstrings` by slot and number; `configstrings` by number. Fields that are 0 are
/// left out.
/// What only multi-view demos of Quake II have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MultiviewWorld")]
pub(crate) struct Own {
    #[serde(flatten)]
    game: json::Own,
    /// Minor version of the protocol.
    minor: u16,
    /// 1 no messages stored, 2 one player only, 4 extended limits, 8 more of them.
    flags: u16,
    /// Bits of the portals of areas that are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    portals: Option<Vec<u8>>,
    /// Configstrings that one player has otherwise than all others, by slot and by number.
    personal_configstrings: BTreeMap<String, BTreeMap<String, String>>,
}

impl World {
    /// What the last state of a player tells: whether this one only watches, and else the score.
    fn take_last_state(&self, slot: usize, spectator: &mut bool, frags: &mut Option<i32>) {
        let last = self.known.last(slot, self.game.frame());
        // Without frames nobody is seen.
        let watches = last.is_none() || self.known.watches(slot);
        *spectator |= watches && self.is_complete() && !self.texts_only;
        if let Some(state) = last.filter(|_| !*spectator) {
            *frags = Some(i32::from(state.stat(stat::FRAGS)));
        }
    }
}

impl crate::sealed::Sealed for World {}

impl Scene for World {
    fn clock(&self) -> Clock {
        Clock {
            kind: ClockKind::Recording,
            now: self.clock.time(),
            frame: self.clock.frames.checked_sub(1).and_then(|n| i64::try_from(n).ok()),
            demo: self.time(),
        }
    }

    fn level(&self) -> Level<'_> {
        self.game.level()
    }

    fn recorder(&self) -> Option<usize> {
        self.game.recorder()
    }

    fn view(&self) -> Option<View> {
        self.game.view()
    }

    fn changes(&self) -> &Changes {
        self.game.changes()
    }

    fn is_complete(&self) -> bool {
        self.game.is_complete()
    }

    fn is_paused(&self) -> bool {
        self.game.is_paused()
    }

    fn player_slots(&self) -> usize {
        self.game.player_slots()
    }

    fn player(&self, slot: usize) -> Option<Player<'_>> {
        let mut player = self.game.player(slot)?;
        player.velocity = None;
        player.on_ground = None;
        if self.is_pretended(slot) {
            let name = player.name;
            return Some(Player { slot, name, spectator: true, ..Player::default() });
        }
        self.take_last_state(slot, &mut player.spectator, &mut player.frags);
        Some(player)
    }

    fn score_line(&self, slot: usize) -> Option<ScoreLine<'_>> {
        let mut line = self.game.score_line(slot)?;
        if self.is_pretended(slot) {
            let name = line.name;
            return Some(ScoreLine::from(Player { slot, name, spectator: true, ..Player::default() }));
        }
        self.take_last_state(slot, &mut line.spectator, &mut line.frags);
        Some(line)
    }

    fn place(&self, slot: usize) -> Option<Place> {
        let place = self.game.place(slot).filter(|_| !self.is_pretended(slot))?;
        Some(Place { on_ground: None, ..place })
    }

    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        if !self.is_pretended(slot) {
            self.game.carried(slot, each);
        }
    }

    fn entity_slots(&self) -> usize {
        self.game.entity_slots()
    }

    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        self.game.entity(number)
    }

    fn is_player(&self, number: usize) -> bool {
        self.game.is_player(number)
    }

    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        self.game.sound_name(sound)
    }

    fn inputs(&self, each: &mut dyn FnMut(&Input)) {
        self.game.views(false, each);
    }

    fn own(&self) -> Map<String, Value> {
        self.own_of(None)
    }

    fn own_beside(&self, other: &Self) -> Map<String, Value> {
        self.own_of(Some(other))
    }
}

impl World {
    fn own_of(&self, beside: Option<&World>) -> Map<String, Value> {
        let mut game = json::own(&self.game, beside.map(|world| &world.game));
        (game.isdemo, game.frame_rate, game.snapshot) = (None, None, None);
        (game.fog, game.baselines) = (None, None);
        let mut personal_configstrings: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for ((slot, index), text) in &*self.personal {
            let of = personal_configstrings.entry(slot.to_string()).or_default();
            of.insert(index.to_string(), bytes_as_text(text));
        }
        crate::json::map(&Own {
            game,
            minor: self.minor,
            flags: self.flags,
            portals: self.is_complete().then(|| self.portals.to_vec()),
            personal_configstrings,
        })
    }
}

impl World {
    /// True for the spectator that the server pretends to have.
    fn is_pretended(&self, slot: usize) -> bool {
        self.recorder() == Some(slot) && self.game.player_state().is_none()
    }
}
