//! States of Quake: entities, the recorder, sounds that never end.

use serde_json::Value;

use crate::describe::{
    Attenuation, Carries, Field, Link, ModelIndex, Plain, Scale, SignedByte, State, StateValue, TypeSchema, Volume,
    Whole, Width, carries, state, told,
};
use crate::format::dem::{
    Bytes, ClientData, Dialect, Items, NehahraTrans, SpawnBaseline, SpawnBaseline2, SpawnStatic, SpawnStatic2,
    SpawnStaticSound, SpawnStaticSound2, UpdateEntity, WeaponBits,
};
use crate::game::ShortOrLong;
use crate::wire::{Angle, Coord, F32, signed};

state! {
    /// The state of an entity.
    pub struct EntityState, told by UpdateEntity {
        /// Model number; 0 none.
        model: u16 = modelindex & more.modelindex2;
        /// Frame of the model.
        frame: u16 as "frame" common = frame & more.frame2;
        /// 0 none, n: the colours of player n - 1.
        colormap: u8 as "colormap" = colormap;
        /// Skin of the model.
        skin: u8 as "skin" common = skin;
        /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light.
        effects: u8 = effects;
        /// Opacity: 0 as usual, 1 invisible, 255 opaque. (FitzQuake)
        alpha: u8 = more.alpha;
        /// Size. (999)
        scale: Scale as "scale", at first (Scale(16)) = more.scale;
        /// Where it is.
        origin: [Coord; 3] as "origin" common = place.first;
        /// Pitch, yaw and roll.
        angles: [Angle; 3] as "angles" common = place.second;
        /// Opacity and light of its own. (Nehahra, BJP)
        trans: Option<NehahraTrans> = more.trans as Rare;
    }
}

// The same, spelled out.
told! {
    EntityState by SpawnBaseline, SpawnStatic {
        model = default_modelindex as Whole;
        frame = default_frame as Byte;
        colormap = default_colormap as Whole;
        skin = default_skin as Whole;
        origin = placement.origin as Whole;
        angles = placement.angles as Whole;
    }
}
told! {
    EntityState by SpawnBaseline2, SpawnStatic2 {
        model = default_modelindex as Whole;
        frame = default_frame as Whole;
        colormap = default_colormap as Whole;
        skin = default_skin as Whole;
        origin = placement.origin as Whole;
        angles = placement.angles as Whole;
        alpha = default_alpha;
        scale = default_scale;
    }
}

impl EntityState {
    /// The state of an entity of which nothing was told, in a dialect.
    pub fn zero(d: &Dialect) -> Self {
        EntityState { origin: [Coord::zero(d.coord); 3], angles: [Angle::zero(d.angle); 3], ..Self::ZERO }
    }

    /// Where it is, in units.
    #[inline]
    pub fn origin(&self) -> [f32; 3] {
        self.origin.map(|v| v.float().get())
    }

    /// Pitch, yaw and roll in degrees.
    #[inline]
    pub fn angles(&self) -> [f32; 3] {
        self.angles.map(|v| v.float().get())
    }

    /// Degrees of a player's view for one of the model's pitch: models bend by a third of it, the other way
    /// (`SV_ClientThink`).
    pub(crate) const VIEW: f32 = -3.0;

    /// Where a player looks whose entity it is: pitch, yaw and roll in degrees. Most protocols cut the model's pitch to whole
    /// degrees, and to steps of 1.4: the view's is up to 7 degrees off. The view has no roll: that of the model says how fast
    /// the player goes aside (`V_CalcRoll`).
    pub fn view_angles(&self) -> [f32; 3] {
        let [pitch, yaw, _] = self.angles();
        // Zero has no sign.
        [signed(pitch) * Self::VIEW + 0.0, yaw, 0.0]
    }

    /// Opacity, 0 to 1. `None`: opaque, unless the texture says other. (FitzQuake, Nehahra, BJP)
    pub fn opacity(&self) -> Option<f32> {
        self.trans.map_or_else(|| opacity(self.alpha), |trans| Some(trans.alpha.get()))
    }

    /// Shown without shadows. (Nehahra)
    pub fn fullbright(&self) -> bool {
        self.trans.and_then(|trans| trans.fullbright).is_some_and(|v| v.get() > 0.5)
    }

    /// The base state of an entity as a server tells it, in the longer form only where that is needed.
    pub fn baseline(&self, entity: u16, d: &Dialect) -> ShortOrLong<SpawnBaseline, SpawnBaseline2> {
        match ShortOrLong::of::<_, Bytes>(self, d) {
            ShortOrLong::Short(m) => ShortOrLong::Short(SpawnBaseline { entity, ..m }),
            ShortOrLong::Long(m) => ShortOrLong::Long(SpawnBaseline2 { entity, ..m }),
        }
    }

    /// An entity that never changes, likewise.
    pub fn still(&self, d: &Dialect) -> ShortOrLong<SpawnStatic, SpawnStatic2> {
        ShortOrLong::of::<_, Bytes>(self, d)
    }
}

/// An opacity byte of FitzQuake: 0 the default, else 1 to 255 for 0 to 1.
fn opacity(byte: u8) -> Option<f32> {
    byte.checked_sub(1).map(|v| f32::from(v) / 254.0)
}

state! {
    /// The recorder's state, as `clientdata` tells it.
    pub struct Client, told by ClientData {
        /// Height of the eyes above the origin, in units.
        view_height: SignedByte as "view_height", at first (SignedByte(22)) = view_ofs_z;
        /// Pitch that the view drifts to on slopes, in degrees.
        ideal_pitch: SignedByte as "ideal_pitch" = punchangle_x;
        /// Kick of the view: pitch, yaw and roll in degrees.
        punch: [SignedByte; 3] as "punch" = motion.first;
        /// Velocity in 16 units a second.
        velocity: [SignedByte; 3] = motion.second;
        /// Items as bits: see the DEM document, table 5.
        items: u32 as "items" = items as Carried;
        /// Stands on something.
        on_ground: bool as "on_ground" = onground;
        /// Is under water.
        in_water: bool as "in_water" = inwater;
        /// Frame of the weapon.
        weapon_frame: u16 = weaponframe & fitzquake.weaponframe2;
        /// Armour.
        armor: u16 = armorvalue & fitzquake.armorvalue2;
        /// Model number of the weapon.
        weapon_model: u16 = weaponmodel & fitzquake.weaponmodel2;
        /// Health.
        health: i16 = health as Whole;
        /// Ammunition of the weapon in hand.
        ammo: u16 = currentammo & fitzquake.currentammo2;
        /// Shells.
        shells: u16 = ammo_shells & fitzquake.ammo_shells2;
        /// Nails.
        nails: u16 = ammo_nails & fitzquake.ammo_nails2;
        /// Rockets and grenades.
        rockets: u16 = ammo_rockets & fitzquake.ammo_rockets2;
        /// Cells.
        cells: u16 = ammo_cells & fitzquake.ammo_cells2;
        /// The weapon in hand.
        weapon: u8 = weapon as Whole;
        /// Opacity of the weapon: 0 as usual, 1 invisible, 255 opaque. (FitzQuake)
        weapon_alpha: u8 = fitzquake.weaponalpha;
    }
}

impl Client {
    /// After a message. What it leaves out is as usual, it is never what it was `before`.
    #[inline]
    pub(super) fn after(m: &ClientData, before: Option<&Client>, d: &Dialect) -> Client {
        // But for items: engines up to 1.06 leave them out, and then they are what they were.
        let mut client = Client { items: before.map_or(0, |before| before.items), ..Client::ZERO };
        client.apply(m, d);
        client
    }

    /// The message that tells the state to those who know the one `before`.
    pub fn message(&self, before: Option<&Client>, d: &Dialect) -> ClientData {
        State::diff(&Client { items: before.map_or(0, |before| before.items), ..Client::ZERO }, self, d)
    }

    /// Velocity in units a second.
    pub fn velocity(&self) -> [f32; 3] {
        self.velocity.map(|v| f32::from(v.0) * 16.0)
    }

    /// Opacity of the weapon, 0 to 1; `None`: opaque. (FitzQuake)
    pub fn weapon_opacity(&self) -> Option<f32> {
        opacity(self.weapon_alpha)
    }
}

state! {
    /// A sound that never ends.
    pub shared struct AmbientSound, told by SpawnStaticSound, SpawnStaticSound2 {
        /// Number of the sound: see [`Scene::sound_name`](crate::world::Scene::sound_name).
        sound: u16 = soundnum as Whole;
        /// Where it is.
        origin: [Coord; 3] as "origin" = origin as Whole;
        /// Loudness.
        volume: Volume as "volume" = vol as Whole;
        /// How fast it fades with distance: 0 everywhere, 1 normal, 2 idle, 3 static.
        attenuation: Attenuation as "attenuation" = attenuation as Whole;
    }
}

impl AmbientSound {
    /// Where it is, in units.
    pub fn origin(&self) -> [f32; 3] {
        self.origin.map(|v| v.float().get())
    }

    /// The sound as a server tells it, in the longer form only where that is needed.
    pub fn message(&self, d: &Dialect) -> ShortOrLong<SpawnStaticSound, SpawnStaticSound2> {
        ShortOrLong::of::<_, Bytes>(self, d)
    }
}

carries! {
    WeaponBits(u8);
}

impl Carries<Scale, Dialect> for u8 {
    fn value(&self, _: &Scale, _: &Dialect) -> Scale {
        Scale(*self)
    }
    fn of(value: &Scale, _: &Scale, _: &Dialect) -> Self {
        value.0
    }
}

impl StateValue for NehahraTrans {
    const ZERO: Self = NehahraTrans { kind: F32::from_bits(0), alpha: F32::from_bits(0), fullbright: None };
    const TYPE: TypeSchema = <NehahraTrans as Field<Bytes>>::TYPE;
    fn json(&self) -> Value {
        [Some(self.kind), Some(self.alpha), self.fullbright].iter().flatten().map(F32::json).collect()
    }
}

/// A number whose high byte, where it has one, stands beside it. (FitzQuake)
trait LowByte: Copy {
    fn number(self) -> u16;
    /// The number, or its low byte where the dialect has no room for more; and the other byte then.
    fn split(number: u16, d: &Dialect) -> (Self, Option<u8>);
}

impl LowByte for u8 {
    fn number(self) -> u16 {
        self.into()
    }
    fn split(number: u16, _: &Dialect) -> (Self, Option<u8>) {
        let [low, high] = number.to_le_bytes();
        (low, Some(high).filter(|high| *high != 0))
    }
}

impl LowByte for ModelIndex {
    fn number(self) -> u16 {
        self.0
    }
    fn split(number: u16, d: &Dialect) -> (Self, Option<u8>) {
        if d.model_index == Width::U16 {
            return (ModelIndex(number), None);
        }
        let (low, high) = u8::split(number, d);
        (ModelIndex(low.into()), high)
    }
}

/// Takes over the high byte that was sent, if any.
#[inline(always)]
fn add_high(number: &mut u16, high: Option<u8>) {
    if let Some(high) = high {
        *number = *number & 0xFF | u16::from(high) << 8;
    }
}

impl<W: LowByte> Link<(Option<W>, Option<u8>), u16, Dialect> for Plain {
    #[inline(always)]
    fn apply((low, high): &(Option<W>, Option<u8>), to: &mut u16, _: &Dialect) {
        if let Some(low) = low {
            *to = low.number();
        }
        add_high(to, *high);
    }
    fn diff(from: &u16, to: &u16, d: &Dialect) -> (Option<W>, Option<u8>) {
        if from == to {
            return (None, None);
        }
        let (low, high) = W::split(*to, d);
        (Some(low), high)
    }
}

impl Link<(u8, Option<u8>), u16, Dialect> for Plain {
    #[inline(always)]
    fn apply((low, high): &(u8, Option<u8>), to: &mut u16, _: &Dialect) {
        *to = low.number();
        add_high(to, *high);
    }
    fn diff(_: &u16, to: &u16, d: &Dialect) -> (u8, Option<u8>) {
        u8::split(*to, d)
    }
}

/// A number without its high byte.
struct Byte;

impl Link<u8, u16, Dialect> for Byte {
    fn apply(sent: &u8, to: &mut u16, _: &Dialect) {
        *to = sent.number();
    }
    fn diff(_: &u16, to: &u16, _: &Dialect) -> u8 {
        *to as u8
    }
}

/// A rare value in memory of its own.
struct Rare;

impl<T: Copy + PartialEq> Link<Option<Box<T>>, Option<T>, Dialect> for Rare {
    #[inline(always)]
    fn apply(sent: &Option<Box<T>>, to: &mut Option<T>, _: &Dialect) {
        if let Some(sent) = sent {
            *to = Some(**sent);
        }
    }
    fn diff(from: &Option<T>, to: &Option<T>, _: &Dialect) -> Option<Box<T>> {
        to.filter(|_| from != to).map(Box::new)
    }
}

/// Items, which most engines always send.
struct Carried;

impl Link<Option<Items>, u32, Dialect> for Carried {
    #[inline(always)]
    fn apply(sent: &Option<Items>, to: &mut u32, _: &Dialect) {
        if let Some(items) = sent {
            *to = items.0;
        }
    }
    fn diff(from: &u32, to: &u32, d: &Dialect) -> Option<Items> {
        (d.items_always || from != to).then_some(Items(*to))
    }
}
