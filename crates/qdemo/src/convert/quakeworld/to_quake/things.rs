//! What is in view, as Quake tells it: the recorder's state, and players and all else as entities.

use std::io::Write;

use super::ToQuake;
use crate::convert::across::Output;
use crate::convert::loss::Loss;
use crate::convert::quakeworld::alike::{LAST_ENTITY, MUZZLE_FLASH, SHARED_EFFECTS};
use crate::describe::SignedByte;
use crate::format::dem::{self, Dem, Message};
use crate::game::quake::{self, Client, InView};
use crate::game::quakeworld::{EntityState, PlayerState, World, stat};
use crate::wire::{Angle, AngleKind, Coord, CoordKind, F32};
use crate::world::Scene;

const SPIKE: &[u8] = b"progs/spike.mdl";

impl ToQuake {
    /// What the recorder has, and how the view is.
    pub(super) fn client<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Message<'static> {
        let own = self.own();
        let stats = self.world.stats(own.into()).copied().unwrap_or_default();
        let state = self.world.slot(own.into()).and_then(|slot| slot.state);
        let mut number = |index: usize| byte(stats.get(index), out);
        let (armor, ammo) = (number(stat::ARMOR), number(stat::AMMO));
        let [shells, nails, rockets, cells] = [0, 1, 2, 3].map(|n| number(stat::SHELLS + n));
        let weapon_model = number(stat::WEAPON_MODEL);
        let flags = state.map(|state| state.flags).unwrap_or_default();
        let height = match (flags.gib, flags.dead) {
            (true, _) => 8,
            (_, true) => -16,
            _ => self.world.view_height(own.into()) as i8,
        };
        let speed = |v: i16| SignedByte((v / 16).clamp(-128, 127) as i8);
        let client = Client {
            view_height: SignedByte(height),
            punch: [SignedByte(std::mem::take(&mut self.kick)), SignedByte(0), SignedByte(0)],
            velocity: state.map_or([SignedByte(0); 3], |state| state.velocity.map(speed)),
            items: stats.get(stat::ITEMS) as u32,
            on_ground: self.world.stands(own.into()),
            weapon_frame: state.map_or(0, |state| state.weapon_frame.into()),
            armor,
            weapon_model,
            health: stats.get(stat::HEALTH).clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            ammo,
            shells,
            nails,
            rockets,
            cells,
            // The axe is told as no weapon.
            weapon: stats.get(stat::ACTIVE_WEAPON) as u8,
            ..Client::default()
        };
        Message::ClientData(client.message(None, &dem::Dialect::QUAKE))
    }

    /// What is in view.
    pub(super) fn seen<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Vec<InView> {
        let own = self.own();
        let (mut seen, flashes) = (Vec::with_capacity(self.last_seen), std::mem::take(&mut self.flashes));
        let camera = self.world.intermission().copied();
        for player in 0..World::SLOTS as u8 {
            let is_own = player == own;
            let in_view = self.world.is_in_view(player.into()) || is_own;
            let Some(state) = self.world.slot(player.into()).and_then(|it| it.state).filter(|_| in_view) else {
                continue;
            };
            let Some(slot) = self.slots.of(player) else {
                out.lose(Loss::Entity);
                continue;
            };
            if state.alpha.is_some() {
                out.lose(Loss::Alpha);
            }
            if state.tells_movement() && !is_own {
                out.lose(Loss::Movement);
            }
            let view = if is_own { self.world.view_angles() } else { state.angles() }.unwrap_or_default();
            let flash = if flashes >> player & 1 == 1 { MUZZLE_FLASH } else { 0 };
            let mut body = player_thing(&state, view, slot, out);
            body.effects |= flash;
            if let (true, Some(camera)) = (is_own, camera) {
                body.origin = camera.origin.map(|v| Coord::of_float(v.into(), CoordKind::I16));
            }
            seen.push(InView::new(u16::from(slot) + 1, body));
        }
        if self.world.is_complete() {
            seen.extend(self.world.entity_states().iter().map(|state| InView::new(state.number, thing(state, out))));
        }
        let models = self.world.models();
        let spike = (1..=models.len()).find(|n| !self.world.nails().is_empty() && models.get(*n) == Some(SPIKE));
        if let Some(model) = spike.and_then(|model| u8::try_from(model).ok()) {
            let last = seen.iter().map(|it| it.number).max().unwrap_or(0).max(LAST_ENTITY);
            let nails = (last + 1..).zip(self.world.nails());
            seen.extend(nails.map(|(number, nail)| {
                let origin = nail.origin().map(|v| Coord::of_float(F32::from(f32::from(v)), CoordKind::I16));
                let angles = nail.angles().map(|v| Angle::of_float(F32::from(v), AngleKind::I8));
                let state = quake::EntityState { model: model.into(), origin, angles, ..quake::EntityState::default() };
                // Lists of nails do not say which is which.
                InView { step: true, ..InView::new(number, state) }
            }));
        }
        seen.sort_by_key(|it| it.number);
        self.last_seen = seen.len();
        seen
    }
}

/// A number that has a byte.
fn byte<W: Write>(value: i32, out: &mut Output<Dem, W>) -> u16 {
    let told = value.clamp(0, u8::MAX.into());
    if told != value {
        out.lose(Loss::Stat);
    }
    told as u16
}

pub(super) fn coord<W: Write>(v: F32, out: &mut Output<Dem, W>) -> Coord {
    let eighths = v.get() * 8.0;
    if f32::from(eighths as i16) == eighths {
        return Coord::I16(eighths as i16);
    }
    let new = Coord::of_float(v, CoordKind::I16);
    if (new.get() - f64::from(v.get())).abs() > 0.5 {
        out.lose(Loss::FarPlace);
    } else if new.float() != v {
        out.lose(Loss::Place);
    }
    new
}

fn angle(degrees: f32) -> Angle {
    Angle::of_float(degrees.into(), AngleKind::I8)
}

/// An entity as Quake has one.
pub(super) fn thing<W: Write>(state: &EntityState, out: &mut Output<Dem, W>) -> quake::EntityState {
    let model = u8::try_from(state.model).unwrap_or_else(|_| {
        out.lose(Loss::Model);
        0
    });
    if state.alpha != 0 || state.color != [0; 3] {
        out.lose(Loss::Alpha);
    }
    quake::EntityState {
        model: model.into(),
        frame: state.frame.into(),
        colormap: state.colormap,
        skin: state.skin,
        effects: state.effects & SHARED_EFFECTS,
        origin: state.origin.map(|v| coord(v, out)),
        angles: state.angles().map(angle),
        ..quake::EntityState::default()
    }
}

/// A player as Quake has one: an entity whose model bends by a third of the view.
fn player_thing<W: Write>(
    state: &PlayerState,
    view: [f32; 3],
    slot: u8,
    out: &mut Output<Dem, W>,
) -> quake::EntityState {
    let [pitch, yaw, _] = view;
    let angles = [pitch / quake::EntityState::VIEW, yaw, 0.0];
    let body = EntityState {
        number: 0,
        model: state.look.model,
        frame: state.frame,
        colormap: slot + 1,
        skin: state.look.skin,
        effects: state.effects,
        origin: state.origin,
        angles: angles.map(F32::from),
        ..EntityState::default()
    };
    thing(&body, out)
}
