//! The player who is seen, for those who look from elsewhere: a camera without a body, and the player as others see him.

use super::World;
use super::scene::{ANGLES, ET_PLAYER, NO_ENTITY, ORIGIN, PLAYERS, PM_SPECTATOR, VELOCITY};
use super::states::{EntityState, FullSnapshot, PlayerState};
use crate::format::dm3::{AreaMask, Array, EntityField, PlayerField};
use crate::game::quake3::names::Game;

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

    /// The state of a spectator at a place instead of that of the player who is seen.
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
        state.set_int(F::PmType, PM_SPECTATOR);
        state.set_int(F::GroundEntityNum, NO_ENTITY);
        state.set_int(F::ClientNum, at.slot.into());
        if let Some(fov) = at.fov {
            state.set_int(F::Fov, fov.round() as i32);
        }
        let game = Game::of(self.dialect.layout.era);
        state.set_slot(Array::Persistant, game.scores.team, TEAM_SPECTATOR);
        for slot in 0..Array::SLOTS {
            state.set_slot(Array::Powerups, slot, 0);
        }
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
        let game = Game::of(self.dialect.layout.era);
        let health = state.slot(Array::Stats, game.stats.health);
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
