//! How messages of Quake II tell what states hold: numbers in two lengths, values in several fields, and fields that
//! other dialects have elsewhere.

use serde_json::Value;

use super::{Effects, Eyes, Fog, FogDensity, GunView, Guns, LoopSound, Screen};
use crate::describe::{
    Alpha, Braced, ByteDialect, Carries, Condition, Link, ModelIndex, Plain, Share16, SoundIndex, State, StateValue,
    TypeSchema, carries,
};
use crate::format::dm2::{
    AlphaInFront, Angles16, Blend, BlendParts, Effects as EffectsNumber, EntityAngle, EntitySound, FrameNumber, Gun,
    GunIndex, GunParts, LoopAttenuation, MoreEffects, Movement, OldOriginInFront, OriginCoord, PlayerFog,
    PreciseAngles, PreciseGun, PreciseKick, PreciseViewOffset, Quarters, Sized32, SizedNumber, Solid, SolidInFront,
    Stats, TestGun, WideEffects,
};
use crate::format::dm2::{Dialect, EntityMaskKind, Packing};
use crate::format::mvd2::{OriginXY, PitchYaw, Roll, SentStats};
use crate::wire::{Angle, AngleKind, Coord, F32};

/// The re-release.
pub(super) struct Rerelease;

impl Condition<Dialect> for Rerelease {
    fn holds(d: &Dialect) -> bool {
        d.layout.rerelease
    }
}

/// KMQuake2.
pub(super) struct KmQuake2;

impl Condition<Dialect> for KmQuake2 {
    fn holds(d: &Dialect) -> bool {
        d.layout.entity_mask == EntityMaskKind::KmQuake2
    }
}

carries! {
    Movement(u16);
    Solid(u32);
}

/// Fields that stand elsewhere carry what those carry that stand there.
macro_rules! in_front {
    ($($ty:ident($inner:ty): $value:ty;)*) => {$(
        impl Carries<$value, Dialect> for $ty {
            #[inline(always)]
            fn value(&self, before: &$value, d: &Dialect) -> $value {
                self.0.value(before, d)
            }
            fn of(value: &$value, before: &$value, d: &Dialect) -> Self {
                $ty(<$inner>::of(value, before, d))
            }
        }
    )*};
}

in_front! {
    SolidInFront(Solid): u32;
    AlphaInFront(Alpha): Alpha;
    OldOriginInFront([OriginCoord; 3]): [F32; 3];
}

/// A number in one byte, or in more where one does not do.
macro_rules! byte_or {
    ($($long:ty: $value:ty;)*) => {$(
        impl Link<(Option<u8>, Option<$long>), $value, Dialect> for Plain {
            fn apply((byte, long): &(Option<u8>, Option<$long>), to: &mut $value, _: &Dialect) {
                *to = long.map(<$value>::from).or(byte.map(<$value>::from)).unwrap_or(*to);
            }
            fn diff(from: &$value, to: &$value, _: &Dialect) -> (Option<u8>, Option<$long>) {
                match u8::try_from(*to) {
                    _ if from == to => (None, None),
                    Ok(byte) => (Some(byte), None),
                    Err(_) => (None, Some(<$long>::try_from(*to).unwrap_or(<$long>::MAX))),
                }
            }
        }
    )*};
}

byte_or! {
    u16: u16;
    u16: u32;
    u32: u32;
}

impl Link<FrameNumber, u16, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &FrameNumber, to: &mut u16, _: &Dialect) {
        *to = sent.short.or(sent.byte.map(u16::from)).unwrap_or(*to);
    }
    fn diff(from: &u16, to: &u16, d: &Dialect) -> FrameNumber {
        let (byte, short) = Plain::diff(from, to, d);
        FrameNumber { byte, short }
    }
}

impl<N: SizedNumber> Link<Sized32<N>, u32, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Sized32<N>, to: &mut u32, _: &Dialect) {
        *to = sent.value().unwrap_or(*to);
    }
    fn diff(from: &u32, to: &u32, _: &Dialect) -> Sized32<N> {
        if from == to { Sized32::default() } else { Sized32::of(*to) }
    }
}

/// In the re-release upper effects that are not told beside the others are none, and those that are stand with these.
impl Link<(Sized32<EffectsNumber>, Sized32<MoreEffects>), Effects, Dialect> for Plain {
    #[inline(always)]
    fn apply((effects, more): &(Sized32<EffectsNumber>, Sized32<MoreEffects>), to: &mut Effects, d: &Dialect) {
        if let Some(effects) = effects.value() {
            to.effects = effects;
            if d.layout.rerelease {
                to.more = 0;
            }
        }
        Plain::apply(more, &mut to.more, d);
    }
    fn diff(from: &Effects, to: &Effects, d: &Dialect) -> (Sized32<EffectsNumber>, Sized32<MoreEffects>) {
        match (d.layout.rerelease, to.more) {
            (false, _) => (Plain::diff(&from.effects, &to.effects, d), Plain::diff(&from.more, &to.more, d)),
            (true, 0) if from != to => (Sized32::of(to.effects), Sized32::default()),
            (true, _) => <(Sized32<_>, Sized32<_>)>::default(),
        }
    }
}

impl Link<Option<Box<WideEffects>>, Effects, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Option<Box<WideEffects>>, to: &mut Effects, _: &Dialect) {
        if let Some(sent) = sent {
            *to = Effects { effects: sent.effects, more: sent.morefx };
        }
    }
    fn diff(from: &Effects, to: &Effects, d: &Dialect) -> Option<Box<WideEffects>> {
        let wide = || WideEffects::of(u64::from(to.more) << 32 | u64::from(to.effects));
        (d.layout.rerelease && to.more != 0 && from != to).then(|| Box::new(wide()))
    }
}

impl Link<(Option<u8>, Option<u16>), Effects, Dialect> for Plain {
    fn apply(sent: &(Option<u8>, Option<u16>), to: &mut Effects, d: &Dialect) {
        Plain::apply(sent, &mut to.effects, d);
    }
    fn diff(from: &Effects, to: &Effects, d: &Dialect) -> (Option<u8>, Option<u16>) {
        Plain::diff(&from.effects, &to.effects, d)
    }
}

/// Where how loud a sound is and how it fades stand with its number, they are as usual unless they are told.
impl Link<(Option<EntitySound>, Option<LoopAttenuation>), LoopSound, Dialect> for Plain {
    #[inline(always)]
    fn apply((sound, attenuation): &(Option<EntitySound>, Option<LoopAttenuation>), to: &mut LoopSound, d: &Dialect) {
        if let Some(sound) = sound {
            to.index = sound.index;
            if d.layout.entity_sound == Packing::PackedWord {
                (to.volume, to.attenuation) = (sound.volume, sound.attenuation);
            }
        }
        if let Some(attenuation) = attenuation {
            to.attenuation = Some(attenuation.0);
        }
    }
    fn diff(from: &LoopSound, to: &LoopSound, d: &Dialect) -> (Option<EntitySound>, Option<LoopAttenuation>) {
        let LoopSound { index, volume, attenuation } = *to;
        if d.layout.entity_sound == Packing::PackedWord {
            return ((from != to).then_some(EntitySound { index, volume, attenuation }), None);
        }
        let fades = attenuation.filter(|_| from.attenuation != attenuation).map(LoopAttenuation);
        ((from.index != index).then(|| EntitySound::new(index)), fades)
    }
}

impl Carries<LoopSound, Dialect> for SoundIndex {
    fn value(&self, before: &LoopSound, _: &Dialect) -> LoopSound {
        LoopSound { index: self.0, ..*before }
    }
    fn of(value: &LoopSound, _: &LoopSound, _: &Dialect) -> Self {
        SoundIndex(value.index)
    }
}

impl Carries<F32, Dialect> for EntityAngle {
    #[inline(always)]
    fn value(&self, _: &F32, _: &Dialect) -> F32 {
        self.0.float()
    }
    fn of(value: &F32, before: &F32, d: &Dialect) -> Self {
        EntityAngle(Angle::of(value, before, d))
    }
}

/// An angle in 65536ths of a turn.
fn turn(degrees: F32) -> i16 {
    if let Angle::I16(turn) = Angle::of_float(degrees, AngleKind::I16) { turn } else { 0 }
}

fn degrees(turn: i16) -> F32 {
    Angle::I16(turn).float()
}

/// Triples of numbers that stand for floats: how each does, and how it comes from one.
macro_rules! triples {
    ($($ty:ident: $float:expr, $of:expr;)*) => {$(
        impl Carries<[F32; 3], Dialect> for $ty {
            #[inline]
            fn value(&self, _: &[F32; 3], _: &Dialect) -> [F32; 3] {
                self.0.map($float)
            }
            fn of(value: &[F32; 3], _: &[F32; 3], _: &Dialect) -> Self {
                $ty(value.map($of))
            }
        }
    )*};
}

triples! {
    Angles16: degrees, turn;
    Quarters: |v| F32::from(f32::from(v) / 4.0), |v| (v.get() * 4.0).round() as i8;
    PreciseAngles: |v| v, |v| v;
    PreciseKick: |v| F32::from(f32::from(v) / 1024.0), |v| (v.get() * 1024.0).round() as i16;
}

impl Carries<Eyes, Dialect> for Quarters {
    fn value(&self, before: &Eyes, d: &Dialect) -> Eyes {
        Eyes { offset: self.value(&before.offset, d), ..*before }
    }
    fn of(value: &Eyes, before: &Eyes, d: &Dialect) -> Self {
        Quarters::of(&value.offset, &before.offset, d)
    }
}

impl Carries<Eyes, Dialect> for PreciseViewOffset {
    fn value(&self, _: &Eyes, _: &Dialect) -> Eyes {
        Eyes { offset: self.eyes().map(F32::from), height: self.viewheight }
    }
    fn of(value: &Eyes, _: &Eyes, _: &Dialect) -> Self {
        let [x, y, z] = value.offset.map(F32::get);
        let offset = [x, y, z - f32::from(value.height)].map(|v| (v * 16.0).round() as i16);
        PreciseViewOffset { offset, viewheight: value.height }
    }
}

/// Where a weapon's skin stands with its model, the two are told together.
impl Link<Option<GunIndex>, Guns, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Option<GunIndex>, to: &mut Guns, d: &Dialect) {
        if let Some(gun) = sent {
            to.index = gun.index;
            if d.layout.gun_index == Packing::PackedWord {
                to.skin = gun.skin.into();
            }
        }
    }
    fn diff(from: &Guns, to: &Guns, d: &Dialect) -> Option<GunIndex> {
        if d.layout.gun_index == Packing::PackedWord {
            let gun = GunIndex { index: to.index, skin: u8::try_from(to.skin).unwrap_or(u8::MAX) };
            return ((from.index, from.skin) != (to.index, to.skin)).then_some(gun);
        }
        (from.index != to.index).then(|| GunIndex::new(to.index))
    }
}

impl Link<(Option<GunIndex>, Option<ModelIndex>), Guns, Dialect> for Plain {
    #[inline(always)]
    fn apply((gun, second): &(Option<GunIndex>, Option<ModelIndex>), to: &mut Guns, d: &Dialect) {
        Plain::apply(gun, to, d);
        Plain::apply(second, &mut to.index2, d);
    }
    fn diff(from: &Guns, to: &Guns, d: &Dialect) -> (Option<GunIndex>, Option<ModelIndex>) {
        (Plain::diff(from, to, d), Plain::diff(&from.index2, &to.index2, d))
    }
}

impl Link<(Option<u16>, Option<u16>), Guns, Dialect> for Plain {
    fn apply((skin, skin2): &(Option<u16>, Option<u16>), to: &mut Guns, d: &Dialect) {
        Plain::apply(skin, &mut to.skin, d);
        Plain::apply(skin2, &mut to.skin2, d);
    }
    fn diff(from: &Guns, to: &Guns, d: &Dialect) -> (Option<u16>, Option<u16>) {
        (Plain::diff(&from.skin, &to.skin, d), Plain::diff(&from.skin2, &to.skin2, d))
    }
}

impl Carries<Guns, Dialect> for u16 {
    fn value(&self, before: &Guns, _: &Dialect) -> Guns {
        Guns { index: *self, ..*before }
    }
    fn of(value: &Guns, _: &Guns, _: &Dialect) -> Self {
        value.index
    }
}

/// The frame of a weapon in one byte.
fn short_frame(frame: u16) -> u8 {
    u8::try_from(frame).unwrap_or(u8::MAX)
}

impl Carries<GunView, Dialect> for Gun {
    fn value(&self, before: &GunView, d: &Dialect) -> GunView {
        GunView {
            frame: self.frame.map_or(before.frame, u16::from),
            frame2: self.frame2.map_or(before.frame2, u16::from),
            offset: self.offset.value(&before.offset, d),
            angles: self.angles.value(&before.angles, d),
            ..*before
        }
    }
    fn of(value: &GunView, before: &GunView, d: &Dialect) -> Self {
        // Place and direction come with a frame: that of the second weapon does too.
        let frame2 = (value.frame2 != before.frame2).then(|| short_frame(value.frame2));
        let frame = (frame2.is_none() || value.frame != before.frame).then(|| short_frame(value.frame));
        let (offset, angles) = (&value.offset, &value.angles);
        Gun {
            frame,
            frame2,
            offset: Quarters::of(offset, &before.offset, d),
            angles: Quarters::of(angles, &before.angles, d),
        }
    }
}

impl Carries<GunView, Dialect> for TestGun {
    fn value(&self, before: &GunView, d: &Dialect) -> GunView {
        GunView {
            frame: self.frame,
            offset: self.offset.value(&before.offset, d),
            angles: self.angles.value(&before.angles, d),
            ..*before
        }
    }
    fn of(value: &GunView, before: &GunView, d: &Dialect) -> Self {
        TestGun {
            frame: value.frame,
            offset: Quarters::of(&value.offset, &before.offset, d),
            angles: Quarters::of(&value.angles, &before.angles, d),
        }
    }
}

impl Carries<GunView, Dialect> for PreciseGun {
    fn value(&self, before: &GunView, d: &Dialect) -> GunView {
        let p = &self.parts;
        let mut gun = GunView { frame: self.frame, rate: p.gunrate.unwrap_or(before.rate), ..*before };
        Plain::apply(&(p.gunoffset_x, p.gunoffset_y, p.gunoffset_z), &mut gun.offset, d);
        Plain::apply(&(p.gunangles_1, p.gunangles_2, p.gunangles_3), &mut gun.angles, d);
        gun
    }
    fn of(value: &GunView, before: &GunView, d: &Dialect) -> Self {
        let (gunoffset_x, gunoffset_y, gunoffset_z) = Plain::diff(&before.offset, &value.offset, d);
        let (gunangles_1, gunangles_2, gunangles_3) = Plain::diff(&before.angles, &value.angles, d);
        let gunrate = Plain::diff(&before.rate, &value.rate, d);
        let parts = GunParts { gunoffset_x, gunoffset_y, gunoffset_z, gunangles_1, gunangles_2, gunangles_3, gunrate };
        PreciseGun { frame: value.frame, parts }
    }
}

/// In a multi-view recording.
impl Link<(Option<u8>, Option<Quarters>, Option<Quarters>), GunView, Dialect> for Plain {
    fn apply(
        (frame, offset, angles): &(Option<u8>, Option<Quarters>, Option<Quarters>),
        to: &mut GunView,
        d: &Dialect,
    ) {
        to.frame = frame.map_or(to.frame, u16::from);
        Plain::apply(offset, &mut to.offset, d);
        Plain::apply(angles, &mut to.angles, d);
    }
    fn diff(from: &GunView, to: &GunView, d: &Dialect) -> (Option<u8>, Option<Quarters>, Option<Quarters>) {
        let frame = (from.frame != to.frame).then(|| short_frame(to.frame));
        (frame, Plain::diff(&from.offset, &to.offset, d), Plain::diff(&from.angles, &to.angles, d))
    }
}

impl Link<(Option<OriginXY>, Option<OriginCoord>), [F32; 3], Dialect> for Plain {
    fn apply((xy, z): &(Option<OriginXY>, Option<OriginCoord>), to: &mut [F32; 3], d: &Dialect) {
        if let Some(xy) = xy {
            to.iter_mut().zip(xy.0).for_each(|(to, coord)| *to = coord.float_after(*to));
        }
        Plain::apply(z, &mut to[2], d);
    }
    fn diff(from: &[F32; 3], to: &[F32; 3], d: &Dialect) -> (Option<OriginXY>, Option<OriginCoord>) {
        let coord = |n: usize| Coord::of_float_after(to[n], from[n], d.origin);
        ((from[..2] != to[..2]).then(|| OriginXY([coord(0), coord(1)])), Plain::diff(&from[2], &to[2], d))
    }
}

impl Link<(Option<PitchYaw>, Option<Roll>), [F32; 3], Dialect> for Plain {
    fn apply((pitch_yaw, roll): &(Option<PitchYaw>, Option<Roll>), to: &mut [F32; 3], _: &Dialect) {
        let told = pitch_yaw.map_or([None; 2], |angles| angles.0.map(Some));
        let told = told.into_iter().chain([roll.map(|roll| roll.0)]);
        to.iter_mut().zip(told).for_each(|(to, told)| *to = told.map_or(*to, degrees));
    }
    fn diff(from: &[F32; 3], to: &[F32; 3], _: &Dialect) -> (Option<PitchYaw>, Option<Roll>) {
        let pitch_yaw = (from[..2] != to[..2]).then(|| PitchYaw([turn(to[0]), turn(to[1])]));
        (pitch_yaw, (from[2] != to[2]).then(|| Roll(turn(to[2]))))
    }
}

impl Link<Option<Blend>, Screen, Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Option<Blend>, to: &mut Screen, d: &Dialect) {
        match sent {
            None => {}
            Some(Blend::All(all)) => to.blend = *all,
            Some(Blend::Parts(Braced(parts))) => {
                let (own, damage) = colors(parts);
                to.blend.iter_mut().zip(own).for_each(|(to, part)| Plain::apply(&part.map(|part| part.0), to, d));
                to.damage.iter_mut().zip(damage).for_each(|(to, part)| Plain::apply(&part.map(|part| part.0), to, d));
            }
        }
    }
    fn diff(from: &Screen, to: &Screen, d: &Dialect) -> Option<Blend> {
        if !d.layout.blend_parts {
            return (from.blend != to.blend).then_some(Blend::All(to.blend));
        }
        let part = |from: &[u8; 4], to: &[u8; 4], n: usize| (from[n] != to[n]).then_some(Alpha(to[n]));
        let own = |n| part(&from.blend, &to.blend, n);
        let damage = |n| part(&from.damage, &to.damage, n);
        let parts = BlendParts {
            red: own(0),
            green: own(1),
            blue: own(2),
            alpha: own(3),
            damage_red: damage(0),
            damage_green: damage(1),
            damage_blue: damage(2),
            damage_alpha: damage(3),
        };
        (from != to).then_some(Blend::Parts(Braced(parts)))
    }
}

/// The colours that are told of the game's own, and of those of damage.
fn colors(p: &BlendParts) -> ([Option<Alpha>; 4], [Option<Alpha>; 4]) {
    ([p.red, p.green, p.blue, p.alpha], [p.damage_red, p.damage_green, p.damage_blue, p.damage_alpha])
}

/// Colours of damage that stand for themselves.
pub(super) struct Damage;

impl Link<Option<Blend>, Screen, Dialect> for Damage {
    fn apply(sent: &Option<Blend>, to: &mut Screen, _: &Dialect) {
        if let Some(Blend::All(all)) = sent {
            to.damage = *all;
        }
    }
    fn diff(from: &Screen, to: &Screen, _: &Dialect) -> Option<Blend> {
        (from.damage != to.damage).then_some(Blend::All(to.damage))
    }
}

impl Carries<Fog, Dialect> for Braced<PlayerFog> {
    fn value(&self, before: &Fog, d: &Dialect) -> Fog {
        let mut fog = *before;
        fog.apply(&self.0, d);
        fog
    }
    fn of(value: &Fog, before: &Fog, d: &Dialect) -> Self {
        Braced(State::diff(before, value, d))
    }
}

impl Link<(Option<Share16>, Option<Share16>), FogDensity, Dialect> for Plain {
    fn apply((density, sky): &(Option<Share16>, Option<Share16>), to: &mut FogDensity, d: &Dialect) {
        Plain::apply(density, &mut to.density, d);
        Plain::apply(sky, &mut to.sky_factor, d);
    }
    fn diff(from: &FogDensity, to: &FogDensity, _: &Dialect) -> (Option<Share16>, Option<Share16>) {
        if from == to { (None, None) } else { (Some(to.density), Some(to.sky_factor)) }
    }
}

/// A height in eighths of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Eighths(pub i32);

impl StateValue for Eighths {
    const ZERO: Self = Eighths(0);
    const TYPE: TypeSchema = TypeSchema::new("i32/8", "number", "units");
    fn json(&self) -> Value {
        (f64::from(self.0) / 8.0).into()
    }
}

impl Carries<Eighths, Dialect> for Coord {
    fn value(&self, _: &Eighths, _: &Dialect) -> Eighths {
        Eighths((self.get() * 8.0) as i32)
    }
    fn of(value: &Eighths, _: &Eighths, d: &Dialect) -> Self {
        Coord::of_float(F32::from(value.0 as f32 / 8.0), d.coord())
    }
}

impl Link<Stats, [i16; 256], Dialect> for Plain {
    #[inline(always)]
    fn apply(sent: &Stats, to: &mut [i16; 256], _: &Dialect) {
        if sent.mask == 0 {
            return;
        }
        for (n, value) in sent.iter() {
            if let Some(stat) = to.get_mut(n) {
                *stat = value;
            }
        }
    }
    fn diff(from: &[i16; 256], to: &[i16; 256], d: &Dialect) -> Stats {
        Stats::of(to, |n| from[n] != to[n], d.layout.stats)
    }
}

impl Link<Option<SentStats>, [i16; 256], Dialect> for Plain {
    fn apply(sent: &Option<SentStats>, to: &mut [i16; 256], d: &Dialect) {
        if let Some(stats) = sent {
            Plain::apply(&stats.0, to, d);
        }
    }
    fn diff(from: &[i16; 256], to: &[i16; 256], d: &Dialect) -> Option<SentStats> {
        Some(SentStats(Plain::diff(from, to, d))).filter(|stats| stats.0.mask != 0)
    }
}
