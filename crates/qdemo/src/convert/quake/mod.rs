//! Quake: from any protocol to 15, 666 and 999.

use std::io::{Read, Write};

use crate::convert::loss::{Conversion, Loss};
use crate::convert::pass::{Converter, MessageOf, Pass, run};
use crate::convert::places::nearest;
use crate::demo::Reader;
use crate::describe::{ByteOrShort, LongSoundIndex, ModelIndex, StaticSoundIndex};
use crate::error::Result;
use crate::format::dem::{
    ClientData, Dem, Dialect, Extensions, Items, Message, Placement, ServerInfo, Sound, SpawnBaseline, SpawnBaseline2,
    SpawnStatic, SpawnStatic2, SpawnStaticSound, SpawnStaticSound2, StuffText, UpdateEntity, UpdateMore, Variant,
};
use crate::wire::{Angle, AngleKind, Coord, Str, StrList};

pub(super) fn convert<R: Read, W: Write>(
    reader: Reader<R>,
    name: &str,
    protocol: i32,
    out: W,
) -> Result<(W, Conversion)> {
    run(reader, name, Quake::new(protocol), out)
}

/// What of an entity's base state later updates build on, where the target has no room for all of it.
#[derive(Debug, Clone, Copy, Default)]
struct Base {
    model: u16,
    frame: u16,
    alpha: u8,
}

/// Values of opacity that mean something else: that of the engine's choice, and none at all.
const DEFAULT: u8 = 0;
const INVISIBLE: u8 = 1;
const OPAQUE: u8 = 255;
/// The size that a model has, in 16ths.
const FULL_SIZE: u8 = 16;

/// The message that tells a state: the one that all protocols have where that is enough, else FitzQuake's.
macro_rules! base_state {
    ($state:expr, $plain:ident, $wide:ident $(, $entity:ident)?) => {{
        let State { model, frame, colormap, skin, placement, alpha, scale } = $state;
        let (default_modelindex, default_colormap, default_skin) = (ModelIndex(model), colormap, skin);
        match u8::try_from(frame).ok().filter(|_| model <= 255 && alpha.is_none() && scale.is_none()) {
            Some(default_frame) => {
                $plain { $($entity,)? default_modelindex, default_frame, default_colormap, default_skin, placement }.into()
            }
            None => $wide {
                $($entity,)?
                default_modelindex,
                default_frame: ByteOrShort(frame),
                default_colormap,
                default_skin,
                placement,
                default_alpha: alpha,
                default_scale: scale,
                mask_extra: 0,
            }
            .into(),
        }
    }};
}

pub(super) struct Quake {
    /// Base states, by entity.
    bases: Vec<Base>,
    /// What the recorder carried, as told last.
    items: Items,
    pass: Pass<Dem>,
}

impl Converter<Dem> for Quake {
    fn pass(&mut self) -> &mut Pass<Dem> {
        &mut self.pass
    }

    fn convert<'a>(&mut self, message: &mut MessageOf<'a, Dem>) -> bool {
        macro_rules! state {
            ($m:ident, $frame:expr, $alpha:expr, $scale:expr) => {
                State {
                    model: $m.default_modelindex.0,
                    frame: $frame,
                    colormap: $m.default_colormap,
                    skin: $m.default_skin,
                    placement: $m.placement,
                    alpha: $alpha,
                    scale: $scale,
                }
            };
        }
        let new = match message {
            Message::ServerInfo(m) => {
                self.serverinfo(m);
                return true;
            }
            Message::UpdateEntity(m) => {
                self.update(m);
                return true;
            }
            Message::ClientData(m) => {
                self.clientdata(m);
                return true;
            }
            Message::Sound(m) => return self.sound(m),
            Message::SpawnBaseline(m) => Some(self.baseline(m.entity, state!(m, m.default_frame.into(), None, None))),
            Message::SpawnBaseline2(m) => {
                Some(self.baseline(m.entity, state!(m, m.default_frame.0, m.default_alpha, m.default_scale)))
            }
            Message::SpawnStatic(m) => self.static_thing(state!(m, m.default_frame.into(), None, None)),
            Message::SpawnStatic2(m) => {
                self.static_thing(state!(m, m.default_frame.0, m.default_alpha, m.default_scale))
            }
            Message::SpawnStaticSound(m) => self.static_sound(SpawnStaticSound2 {
                origin: m.origin,
                soundnum: LongSoundIndex(m.soundnum.0),
                vol: m.vol,
                attenuation: m.attenuation,
            }),
            Message::SpawnStaticSound2(m) => self.static_sound(m.clone()),
            other => return self.other(other),
        };
        new.map(|new| *message = new).is_some()
    }
}

impl Quake {
    pub(super) fn new(protocol: i32) -> Self {
        let initial = Dialect::initial(Variant::Standard);
        Quake { bases: Vec::new(), items: Items::default(), pass: Pass::new(protocol, initial) }
    }

    fn lose(&mut self, loss: Loss) {
        self.pass.lose(loss);
    }

    /// True when the target has numbers above 255.
    fn is_wide(&self) -> bool {
        self.pass.progress.done.to_protocol != 15
    }

    /// Messages that have nothing but places to be told in another way, or that the target may lack.
    fn other(&mut self, message: &mut Message<'_>) -> bool {
        match message {
            Message::SetAngle(m) => self.angles(&mut m.angles),
            Message::Particle(m) => self.coords(&mut m.origin),
            Message::Damage(m) => self.coords(&mut m.origin),
            Message::TempEntity(m) => {
                [&mut m.origin, &mut m.trace_endpos, &mut m.rgb].into_iter().flatten().for_each(|at| self.coords(at));
                if m.is_misread(&self.pass.to) {
                    self.lose(Loss::Effect);
                    return false;
                }
            }
            _ => {}
        }
        if message.kind().is_some_and(|kind| self.pass.to.number_of(kind).is_some()) {
            return true;
        }
        self.lose(match message {
            // A command that all engines know does what the message does.
            Message::BonusFlash(_) => {
                *message = StuffText { text: Str::from("bf\n") }.into();
                return true;
            }
            Message::SkyBox(_) | Message::SkyBoxSize(_) => Loss::Sky,
            Message::Fog(_) | Message::NehahraFog(_) => Loss::Fog,
            Message::ShowLmp(_) | Message::HideLmp(_) => Loss::Picture,
            Message::Achievement(_) | Message::LocalSound(_) => Loss::Rerelease,
            _ => Loss::Message,
        });
        false
    }

    fn serverinfo(&mut self, m: &mut ServerInfo<'_>) {
        self.pass.progress.is_from(m.serverversion);
        // From 999 to 999 places stay as fine as they are.
        let flags = if m.serverversion == 999 { m.protocolflags.unwrap_or(0) } else { 0 };
        m.serverversion = self.pass.progress.done.to_protocol;
        m.protocolflags = (self.pass.progress.done.to_protocol == 999).then_some(flags);
        if !m.extensions.pairs().is_empty() || m.gamedir.is_some() {
            self.lose(Loss::Extension);
            (m.extensions, m.gamedir) = (Extensions::default(), None);
        }
        if !self.is_wide() {
            for list in [&mut m.models, &mut m.sounds] {
                for _ in NAMES..list.len() {
                    self.pass.lose(Loss::Name);
                }
                if list.len() > NAMES {
                    *list = StrList::from_strings(list.iter().take(NAMES));
                }
            }
        }
        self.bases.clear();
        self.pass.to = Dialect::after(m, Variant::Standard);
    }

    /// A model's number in the target: 0, which is not seen, where it has none.
    fn model(&mut self, model: u16) -> u16 {
        if self.is_wide() || model <= 255 {
            return model;
        }
        self.lose(Loss::Model);
        0
    }

    fn frame(&mut self, frame: u16) -> u16 {
        if self.is_wide() || frame <= 255 {
            return frame;
        }
        self.lose(Loss::Frame);
        0
    }

    /// The state of something as protocol 15 has it: what cannot be seen at all has no model.
    fn plain(&mut self, state: &mut State) {
        state.model = self.model(state.model);
        state.frame = self.frame(state.frame);
        match state.alpha.take() {
            Some(INVISIBLE) => state.model = 0,
            None | Some(DEFAULT | OPAQUE) => {}
            Some(_) => self.lose(Loss::Alpha),
        }
        if state.scale.take().is_some_and(|scale| scale != FULL_SIZE) {
            self.lose(Loss::Scale);
        }
    }

    fn baseline<'a>(&mut self, entity: u16, mut state: State) -> Message<'a> {
        let base = Base { model: state.model, frame: state.frame, alpha: state.alpha.unwrap_or(DEFAULT) };
        let number = usize::from(entity);
        self.bases.resize(self.bases.len().max(number + 1), Base::default());
        if let Some(slot) = self.bases.get_mut(number) {
            *slot = base;
        }
        self.placement(&mut state.placement);
        if !self.is_wide() {
            self.plain(&mut state);
        }
        base_state!(state, SpawnBaseline, SpawnBaseline2, entity)
    }

    fn static_thing<'a>(&mut self, mut state: State) -> Option<Message<'a>> {
        self.placement(&mut state.placement);
        if !self.is_wide() {
            self.plain(&mut state);
            if state.model == 0 {
                return None;
            }
        }
        Some(base_state!(state, SpawnStatic, SpawnStatic2))
    }

    fn static_sound<'a>(&mut self, mut m: SpawnStaticSound2) -> Option<Message<'a>> {
        self.coords(&mut m.origin);
        if m.soundnum.0 > 255 && self.is_wide() {
            return Some(m.into());
        }
        if m.soundnum.0 > 255 {
            self.lose(Loss::Sound);
            return None;
        }
        let SpawnStaticSound2 { origin, soundnum, vol, attenuation } = m;
        Some(SpawnStaticSound { origin, soundnum: StaticSoundIndex(soundnum.0), vol, attenuation }.into())
    }

    fn sound(&mut self, m: &mut Sound) -> bool {
        self.coords(&mut m.origin);
        // Bits without a meaning in one protocol may have one in another.
        m.mask_extra &= u64::from(!Dialect::FITZQUAKE.sound_bits);
        let is_short = m.soundnum.0 <= 255 && m.source.entity <= 0x1FFF && m.source.channel <= 7;
        if !is_short && !self.is_wide() {
            self.lose(Loss::Sound);
            return false;
        }
        true
    }

    fn update(&mut self, m: &mut UpdateEntity) {
        self.each_coord(m.place.first.iter_mut().flatten());
        self.each_angle(m.place.second.iter_mut().flatten());
        m.mask_extra &= SHARED_BITS;
        let base = self.bases.get(usize::from(m.entity.0)).copied().unwrap_or_default();
        let more = std::mem::take(&mut m.more);
        let UpdateMore { mut alpha, scale, frame2, modelindex2, lerpfinish, trans } = more;
        if let Some(trans) = trans {
            // 0 is the engine's choice, and 1 to 255 the rest.
            let part = f64::from(trans.alpha.get()).clamp(0.0, 1.0);
            alpha = Some((1.0 + 254.0 * part).round() as u8);
            if trans.fullbright.is_some_and(|bright| bright.get() > 0.5) {
                self.lose(Loss::Fullbright);
            }
        }
        let full = |low: Option<u16>, high: Option<u8>, base: u16| match high {
            Some(high) => Some(low.unwrap_or(base) & 0xFF | u16::from(high) << 8),
            None => low,
        };
        let model = full(m.modelindex.map(|model| model.0), modelindex2, base.model);
        let frame = full(m.frame.map(u16::from), frame2, base.frame);
        if self.is_wide() {
            // A number that is told in one field of two bytes is told in two of one byte.
            if model.is_some_and(|model| model > 255 && modelindex2.is_none()) {
                let [low, high] = model.unwrap_or_default().to_le_bytes();
                m.modelindex = Some(ModelIndex(low.into()));
                m.more = UpdateMore { modelindex2: Some(high), ..UpdateMore::default() };
            } else {
                m.more.modelindex2 = modelindex2;
            }
            (m.more.alpha, m.more.scale, m.more.frame2, m.more.lerpfinish) = (alpha, scale, frame2, lerpfinish);
            return;
        }
        m.modelindex = model.map(|model| ModelIndex(self.model(model)));
        m.frame = frame.map(|frame| u8::try_from(self.frame(frame)).unwrap_or(0));
        match alpha.unwrap_or(base.alpha) {
            INVISIBLE => m.modelindex = Some(ModelIndex(0)),
            DEFAULT | OPAQUE => {
                // The base state is one that cannot be seen.
                if base.alpha == INVISIBLE && m.modelindex.is_none() {
                    m.modelindex = Some(ModelIndex(self.model(base.model)));
                }
            }
            _ => self.lose(Loss::Alpha),
        }
        if scale.is_some_and(|scale| scale != FULL_SIZE) {
            self.lose(Loss::Scale);
        }
        if lerpfinish.is_some() {
            self.lose(Loss::Lerp);
        }
    }

    fn clientdata(&mut self, m: &mut ClientData) {
        m.mask_extra &= SHARED_BITS;
        // Protocol 15 of old engines left them out when they were as before.
        self.items = *m.items.get_or_insert(self.items);
        if self.is_wide() {
            if let Some(model) = m.weaponmodel.filter(|model| model.0 > 255) {
                let [low, high] = model.0.to_le_bytes();
                m.weaponmodel = Some(ModelIndex(low.into()));
                m.fitzquake.weaponmodel2 = Some(high);
            }
            return;
        }
        let high = std::mem::take(&mut m.fitzquake);
        let is_high = |high: Option<u8>| high.is_some_and(|high| high > 0);
        let mut stat = |low: &mut u8, high: Option<u8>| {
            if is_high(high) {
                *low = 255;
                self.pass.lose(Loss::Stat);
            }
        };
        if is_high(high.armorvalue2) {
            stat(m.armorvalue.get_or_insert(0), high.armorvalue2);
        }
        stat(&mut m.currentammo, high.currentammo2);
        stat(&mut m.ammo_shells, high.ammo_shells2);
        stat(&mut m.ammo_nails, high.ammo_nails2);
        stat(&mut m.ammo_rockets, high.ammo_rockets2);
        stat(&mut m.ammo_cells, high.ammo_cells2);
        if is_high(high.weaponframe2) {
            m.weaponframe = None;
            self.lose(Loss::Frame);
        }
        if is_high(high.weaponmodel2) || m.weaponmodel.is_some_and(|model| model.0 > 255) {
            m.weaponmodel = None;
            self.lose(Loss::Model);
        }
        match high.weaponalpha {
            Some(INVISIBLE) => m.weaponmodel = None,
            None | Some(DEFAULT | OPAQUE) => {}
            Some(_) => self.lose(Loss::Alpha),
        }
    }

    fn placement(&mut self, placement: &mut Placement) {
        self.coords(&mut placement.origin);
        self.angles(&mut placement.angles);
    }

    fn coords(&mut self, coords: &mut [Coord; 3]) {
        self.each_coord(coords.iter_mut());
    }

    fn each_coord<'c>(&mut self, coords: impl Iterator<Item = &'c mut Coord>) {
        if self.pass.from.coord == self.pass.to.coord {
            return;
        }
        for coord in coords {
            let (near, lost) = nearest(coord.get(), self.pass.to.coord);
            *coord = near;
            if let Some(lost) = lost {
                self.lose(lost);
            }
        }
    }

    fn angles(&mut self, angles: &mut [Angle; 3]) {
        self.each_angle(angles.iter_mut());
    }

    fn each_angle<'c>(&mut self, angles: impl Iterator<Item = &'c mut Angle>) {
        if self.pass.from.angle == self.pass.to.angle {
            return;
        }
        for angle in angles {
            let new = Angle::of_float(angle.float(), self.pass.to.angle);
            if self.pass.to.angle != AngleKind::F32 && (new.degrees() - angle.degrees()).rem_euclid(360.0) != 0.0 {
                self.lose(Loss::Angle);
            }
            *angle = new;
        }
    }
}

/// Models and sounds that protocol 15 has names for.
const NAMES: usize = 255;
/// Bits of masks that have the same meaning in all protocols, or none in any.
const SHARED_BITS: u64 = 0x7FFF;

/// The state of something, in all fields that any protocol has.
#[derive(Debug, Clone, Copy)]
struct State {
    model: u16,
    frame: u16,
    colormap: u8,
    skin: u8,
    placement: Placement,
    alpha: Option<u8>,
    scale: Option<u8>,
}
