//! The player who is seen, for those who look from elsewhere: a camera without a body, the player as others see him, and
//! another player's eyes.

use super::World;
use super::scene::{ANGLES, ET_PLAYER, NO_ENTITY, ORIGIN, PLAYERS, PM_SPECTATOR, VELOCITY};
use super::snapshot::FullSnapshot;
use super::states::{EntityState, PlayerState};
use crate::format::dm3::{AreaMask, Array, EntityField, PlayerField};
use crate::game::quake3::names::{Game, TEAMS};
use crate::world::Scene as _;

/// How things move that are told anew in each snapshot (`TR_INTERPOLATE` in the game's `q_shared.h`).
const INTERPOLATED: i32 = 1;
/// Flags of entities: is dead; toggles when it is somewhere else at once.
const EF_DEAD: i32 = 1;
const EF_TELEPORT: i32 = 4;
/// Less health than this leaves no body (`GIB_HEALTH` in `bg_public.h`).
const GIBBED: i32 = -40;
/// Kinds of movement of those who stand before the scores.
const INTERMISSIONS: [i32; 2] = [5, 6];
/// The team of those who only watch.
const TEAM_SPECTATOR: i32 = 3;
/// Kind of movement of the dead.
const PM_DEAD: i32 = 3;
/// Heights of the eyes above the place of a player (`bg_public.h`): standing, crouching, dead.
const STANDING: i32 = 26;
const CROUCHING: i32 = 12;
const LYING: i32 = -16;
/// Movements of the legs of those who crouch (`LEGS_WALKCR`, `LEGS_IDLECR`, `LEGS_BACKCR`), without the bit that toggles.
const CROUCHED: [i32; 3] = [13, 23, 32];
const TOGGLES: i32 = 128;
/// What engines take for unhurt.
const FULL_HEALTH: i32 = 100;
/// A place that others have too (`RANK_TIED_FLAG`).
const TIED: i32 = 0x4000;

/// The events of a player that were told of the entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventsTold {
    slot: i32,
    /// So many of the sequence were told.
    sequence: i32,
    /// The last one from outside of it, and what is told now.
    external: i32,
    event: [i32; 2],
}

/// Where a camera is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Viewpoint {
    pub(crate) place: [f32; 3],
    pub(crate) angles: [f32; 3],
    pub(crate) fov: Option<f32>,
    /// The slot of a player who is not there.
    pub(crate) slot: u8,
    /// Changes when nothing leads here from where the camera was.
    pub(crate) jumped: bool,
}

impl World {
    /// A slot that no player has.
    pub(crate) fn free_slot(&self) -> Option<u8> {
        let snapshot = self.snapshot();
        let is_free = |slot: &u8| {
            let there = snapshot.is_some_and(|snapshot| snapshot.entity(u16::from(*slot)).is_some());
            !there && self.player_info(usize::from(*slot)).is_empty() && self.seen() != Some(usize::from(*slot))
        };
        (0..PLAYERS as u8).rev().find(is_free)
    }

    /// The state of a spectator at a place instead of that of the player who is seen. As servers have it, a spectator has no
    /// score, nor anything else that counts for a player, is unhurt (`ClientSpawn` in id's `g_client.c`; engines lay the view of
    /// the dead on its side), and looks at the scores when all do (`MoveClientToIntermission`).
    pub(crate) fn seen_from(&self, snapshot: &FullSnapshot<'_>, at: &Viewpoint) -> PlayerState {
        use PlayerField as F;
        let mut state = *snapshot.player();
        let none = [
            F::BobCycle,
            F::PmFlags,
            F::PmTime,
            F::Weapon,
            F::Weaponstate,
            F::Viewheight,
            F::DamageEvent,
            F::DamageYaw,
            F::DamagePitch,
            F::DamageCount,
            F::EventSequence,
            F::Events0,
            F::Events1,
            F::EventParms0,
            F::EventParms1,
            F::ExternalEvent,
            F::ExternalEventParm,
            F::LoopSound,
        ];
        for field in none {
            state.set_int(field, 0);
        }
        for i in 0..3 {
            state.set_float(ORIGIN[i], at.place[i]);
            state.set_float(ANGLES[i], at.angles[i]);
            state.set_float(VELOCITY[i], 0.0);
        }
        state.set_int(F::EFlags, if at.jumped { EF_TELEPORT } else { 0 });
        if !INTERMISSIONS.contains(&state.int(F::PmType)) {
            state.set_int(F::PmType, PM_SPECTATOR);
        }
        state.set_int(F::GroundEntityNum, NO_ENTITY);
        state.set_int(F::ClientNum, at.slot.into());
        if let Some(fov) = at.fov {
            state.set_int(F::Fov, fov.round() as i32);
        }
        for slot in 0..Array::SLOTS {
            state.set_slot(Array::Powerups, slot, 0);
            state.set_slot(Array::Persistant, slot, 0);
        }
        let game = Game::of(self.dialect.layout.era);
        state.set_slot(Array::Persistant, game.scores.team, TEAM_SPECTATOR);
        state.set_slot(Array::Stats, self.stat_slots(snapshot.player()).health, FULL_HEALTH);
        state
    }

    /// True where the protocol tells a field of view.
    pub(crate) fn has_fov(&self) -> bool {
        self.dialect.layout.player.place(PlayerField::Fov as u8).is_some()
    }

    /// The player who is seen as an entity, as the server shows him to others (`BG_PlayerStateToEntityState` in id's
    /// `bg_misc.c`), with its number; `None` for who only watches, and who has no body left. `told` goes along.
    pub(crate) fn seen_entity(
        &self,
        snapshot: &FullSnapshot<'_>,
        told: &mut Option<EventsTold>,
    ) -> Option<(u16, EntityState)> {
        use EntityField as E;
        let state = snapshot.player();
        let slot = state.int(PlayerField::ClientNum);
        let kind = state.int(PlayerField::PmType);
        let health = state.slot(Array::Stats, self.stat_slots(state).health);
        if kind == PM_SPECTATOR || INTERMISSIONS.contains(&kind) || health <= GIBBED || slot as usize >= PLAYERS {
            return None;
        }
        let mut entity = EntityState::ZERO;
        entity.set_int(E::EType, ET_PLAYER);
        entity.set_int(E::ClientNum, slot);
        entity.set_int(E::PosTrType, INTERPOLATED);
        entity.set_int(E::AposTrType, INTERPOLATED);
        for i in 0..3 {
            // Places of entities are whole units.
            entity.set_float(EntityState::BASE[i], state.float(ORIGIN[i]).trunc());
            entity.set_float(EntityState::DELTA[i], state.float(VELOCITY[i]));
            entity.set_float(EntityState::TURN_BASE[i], state.float(ANGLES[i]));
        }
        entity.set_float(E::Angles2Y, state.int(PlayerField::MovementDir) as f32);
        let same = [
            (E::LegsAnim, PlayerField::LegsAnim),
            (E::TorsoAnim, PlayerField::TorsoAnim),
            (E::Weapon, PlayerField::Weapon),
            (E::GroundEntityNum, PlayerField::GroundEntityNum),
            (E::LoopSound, PlayerField::LoopSound),
            (E::Generic1, PlayerField::Generic1),
        ];
        for (field, of) in same {
            entity.set_int(field, state.int(of));
        }
        let flags = state.int(PlayerField::EFlags) & !EF_DEAD;
        entity.set_int(E::EFlags, if health <= 0 { flags | EF_DEAD } else { flags });
        let powerups = state.array(Array::Powerups).iter().enumerate();
        let worn = powerups.filter(|(_, ends)| **ends != 0).fold(0, |bits, (n, _)| bits | 1 << n);
        entity.set_int(E::Powerups, worn);
        let [event, parm] = events(state, slot, told);
        entity.set_int(E::Event, event);
        entity.set_int(E::EventParm, parm);
        Some((slot as u16, entity))
    }
}

/// How often somebody came back to life, so far: what engines tell a new life by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lives {
    count: i32,
    was_dead: bool,
}

impl World {
    /// The state of a player whom others see, as that player's own client knows it, as far as others are told: the way back
    /// from `BG_PlayerStateToEntityState`. Ammunition is -1, which stands for unknown; and so is health of the living, which
    /// engines need to be above 0, where the recording does not tell it. False with it: health was not told.
    pub(crate) fn eyes_of(
        &self,
        snapshot: &FullSnapshot<'_>,
        slot: u16,
        lives: &mut Lives,
    ) -> Option<(PlayerState, bool)> {
        use {EntityField as E, PlayerField as F};
        let entity = snapshot.entity(slot).filter(|entity| entity.kind() == ET_PLAYER)?;
        let player = self.player(usize::from(slot))?;
        let (seen, time) = (snapshot.player(), snapshot.server_time());
        let mut state = PlayerState::ZERO;
        for of_game in [F::Gravity, F::Speed, F::Fov] {
            state.set(of_game, seen.bits(of_game));
        }
        let flags = entity.int(E::EFlags);
        let is_dead = flags & EF_DEAD != 0;
        lives.count += i32::from(lives.was_dead && !is_dead);
        lives.was_dead = is_dead;
        let (place, angles) = (entity.origin(time), entity.angles(time));
        for i in 0..3 {
            state.set_float(ORIGIN[i], place[i]);
            state.set_float(VELOCITY[i], entity.velocity()[i]);
            state.set_float(ANGLES[i], angles[i]);
        }
        let legs = entity.int(E::LegsAnim);
        let crouches = CROUCHED.contains(&(legs & !TOGGLES));
        let height = if is_dead {
            LYING
        } else if crouches {
            CROUCHING
        } else {
            STANDING
        };
        let same = [E::TorsoAnim, E::Weapon, E::GroundEntityNum, E::LoopSound, E::Generic1];
        let into = [F::TorsoAnim, F::Weapon, F::GroundEntityNum, F::LoopSound, F::Generic1];
        for (from, to) in same.into_iter().zip(into) {
            state.set_int(to, entity.int(from));
        }
        for (field, value) in [
            (F::CommandTime, time),
            (F::PmType, if is_dead { PM_DEAD } else { 0 }),
            (F::PmFlags, i32::from(crouches)),
            (F::Viewheight, height),
            (F::MovementDir, entity.float(E::Angles2Y) as i32),
            (F::LegsAnim, legs),
            (F::EFlags, flags),
            (F::ClientNum, slot.into()),
            (F::ExternalEvent, entity.int(E::Event)),
            (F::ExternalEventParm, entity.int(E::EventParm)),
        ] {
            state.set_int(field, value);
        }
        let (game, slots) = (Game::of(self.dialect.layout.era), self.stat_slots(seen));
        let worn = entity.bits(E::Powerups);
        for slot in 0..Array::SLOTS {
            // Engines show no time for those that last as long.
            state.set_slot(Array::Powerups, slot, if worn >> slot & 1 == 1 { i32::MAX } else { 0 });
            state.set_slot(Array::Ammo, slot, -1);
        }
        let health = player.health.map(|health| if is_dead { health.min(0) } else { health.max(1) });
        let weapon = entity.int(E::Weapon).clamp(0, 15);
        let team = TEAMS.iter().position(|name| player.team.as_deref() == Some(name.as_bytes()));
        for (slot, value) in [
            (slots.health, health.unwrap_or(if is_dead { 0 } else { FULL_HEALTH })),
            (slots.max_health, FULL_HEALTH),
            (slots.armor, player.armor.unwrap_or(0)),
            (slots.weapons, 1 << weapon),
        ] {
            state.set_slot(Array::Stats, slot, value);
        }
        for (slot, value) in [
            (game.scores.score, player.frags.unwrap_or(0)),
            (game.scores.rank, self.rank_of(usize::from(slot))),
            (game.scores.team, team.and_then(|team| i32::try_from(team).ok()).unwrap_or(0)),
            (game.scores.spawns, lives.count),
        ] {
            state.set_slot(Array::Persistant, slot, value);
        }
        Some((state, player.health.is_some()))
    }

    /// The place of a player by score, 0 for the first, as far as scores are told.
    fn rank_of(&self, slot: usize) -> i32 {
        let Some(own) = self.score(slot) else { return 0 };
        let others = (0..PLAYERS).filter(|other| *other != slot).filter_map(|other| self.score(other));
        others.fold(0, |rank, other| match other.score.cmp(&own.score) {
            std::cmp::Ordering::Greater => rank + 1,
            std::cmp::Ordering::Equal => rank | TIED,
            std::cmp::Ordering::Less => rank,
        })
    }
}

/// The event that the entity of a player tells: one in each snapshot, as many as the state counts.
fn events(state: &PlayerState, slot: i32, told: &mut Option<EventsTold>) -> [i32; 2] {
    use PlayerField as F;
    let (sequence, external) = (state.int(F::EventSequence), state.int(F::ExternalEvent));
    let begin = EventsTold { slot, sequence, external, event: [0; 2] };
    let told = match told {
        Some(known) if known.slot == slot => known,
        other => {
            // What happened before is no news.
            other.replace(begin);
            return begin.event;
        }
    };
    let new = sequence.wrapping_sub(told.sequence) & 0xFFFF;
    if external != told.external && external != 0 {
        told.event = [external, state.int(F::ExternalEventParm)];
    } else if new > 0 {
        // The state keeps the last two.
        let next = sequence.wrapping_sub(new.min(2));
        let [event, parm] = if next & 1 == 0 { [F::Events0, F::EventParms0] } else { [F::Events1, F::EventParms1] };
        told.event = [state.int(event) | (next & 3) << 8, state.int(parm)];
        told.sequence = next.wrapping_add(1) & 0xFFFF;
    }
    told.external = external;
    told.event
}

/// A mask that hides no area: each bit that is set hides one (ioquake3 `SV_BuildClientSnapshot`, `R_MarkLeaves`).
pub(crate) fn all_areas(mask: &AreaMask) -> AreaMask {
    AreaMask::new(&vec![0; mask.bytes().len()]).unwrap_or_default()
}
