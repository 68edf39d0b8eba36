//! Recordings by clients, protocols 26 to 34: their messages, and what a level remembers.

use super::bytes::Bytes;
use super::configs::{CHECKSUM, Configs, MAP, MAX_CLIENTS, MODELS, SOUNDS};
use super::entities::{self, Baselines, Entity, is_entity};
use super::rules::{
    BASELINE_PLACE, Broken, DISCONNECT, DOWNLOAD, FRAME_AREAS, FRAME_BASE, FRAME_FULL, FRAME_NUMBER, FRAME_ONCE,
    FRAME_ORDER, FRAME_RING, MAP as MAP_NAMED, MESSAGE_KNOWN, MUZZLE_ENTITY, NOT_COVERED, PLAYER_BITS, PLAYER_MOVE,
    PRECACHE, PRINT_LEVEL, SERVERDATA_CLIENT, SERVERDATA_FIRST, SOUND_BITS, SOUND_ENTITY,
};
use super::{Play, Report, temp_entity};

const DISCONNECT_ID: u8 = 7;
const RECONNECT: u8 = 8;
const SERVERDATA: u8 = 12;
const PLAYERINFO: u8 = 17;
const PACKETENTITIES: u8 = 18;

/// Frames that a client remembers (facts 4.3).
const RING: i32 = 16;
/// Entities of frames that a client remembers, and how many of them may be overwritten (facts 4.3).
const ENTITY_RING: u64 = 1024;
const ENTITY_MARGIN: u64 = 128;
/// Milliseconds between two frames (facts 4.8).
const FRAME_TIME: i32 = 100;

/// A client that plays.
#[derive(Default)]
pub(super) struct Client {
    report: Report,
    level: Option<Level>,
    /// The message that ended the connection.
    over: Option<u8>,
}

/// What a `serverdata` begins.
struct Level {
    protocol: i32,
    player: i16,
    configs: Configs,
    /// Of the last configstring.
    config: u16,
    baselines: Baselines,
    /// Told to precache.
    active: bool,
    frames: [Option<Frame>; RING as usize],
    /// Number of the last frame.
    last: Option<i32>,
    /// Entities of all frames.
    entities: u64,
}

/// A frame that others may refer to.
struct Frame {
    number: i32,
    /// Of all the level's, the first entity.
    first: u64,
    entities: Vec<Entity>,
    fov: u8,
}

impl Play for Client {
    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    fn may_end_unmarked(&self) -> bool {
        false
    }

    fn block(&mut self, b: &mut Bytes) -> Result<(), Broken> {
        let frames = self.report.frames;
        let start = b.at();
        while !b.rest().is_empty() {
            let at = b.at();
            let id = b.byte()?;
            if let Some(over) = self.over {
                let goes_on = over == RECONNECT && id == SERVERDATA;
                DISCONNECT.holds(goes_on, at, || format!("message {id} behind message {over}"))?;
            }
            if id == SERVERDATA {
                if at != start {
                    self.report.note("serverdata behind other messages of its block");
                }
                self.over = None;
                self.serverdata(b)?;
                continue;
            }
            let Some(level) = &mut self.level else {
                return SERVERDATA_FIRST.broken(at, format!("message {id}"));
            };
            level.message(id, at, b, &mut self.report)?;
            if matches!(id, DISCONNECT_ID | RECONNECT) {
                self.over = Some(id);
            }
            FRAME_ONCE.holds(self.report.frames <= frames + 1, at, || "a second one".to_owned())?;
        }
        if self.report.frames == frames && self.level.as_ref().is_some_and(|level| level.last.is_some()) {
            self.report.note("block without a frame behind the first");
        }
        Ok(())
    }
}

impl Client {
    fn serverdata(&mut self, b: &mut Bytes) -> Result<(), Broken> {
        let at = b.at();
        let protocol = b.long()?;
        NOT_COVERED.holds((26..=34).contains(&protocol), at, || format!("protocol {protocol}"))?;
        b.long()?; // spawn count
        let at = b.at();
        match b.byte()? {
            0 => self.report.note("serverdata of a live server, which lets the client predict"),
            1 => {}
            2 => return NOT_COVERED.broken(at, "recorded by a server"),
            0x80 => return NOT_COVERED.broken(at, "recorded by Relay"),
            other => return NOT_COVERED.broken(at, format!("a mark of {other}")),
        }
        b.string()?; // game directory
        let at = b.at();
        let player = b.short()?;
        SERVERDATA_CLIENT.holds((-1..256).contains(&player), at, || player.to_string())?;
        b.string()?; // name of the level
        if self.level.as_ref().is_some_and(|level| level.last.is_none()) {
            self.report.note("level without a frame");
        }
        self.report.levels += 1;
        self.report.protocol = protocol;
        self.level = Some(Level {
            protocol,
            player,
            configs: Configs::default(),
            config: 0,
            baselines: Baselines::new(),
            active: false,
            frames: Default::default(),
            last: None,
            entities: 0,
        });
        Ok(())
    }
}

impl Level {
    fn message(&mut self, id: u8, at: usize, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        match id {
            1 | 2 => muzzle_flash(id, b, report)?,
            3 => {
                if temp_entity::read(b, self.protocol)? {
                    report.note("temporary entity of an entity out of range");
                }
            }
            4 | 15 => drop(b.string()?), // layout, centerprint
            5 => drop(b.skip(2 * 256)?),
            6 | DISCONNECT_ID | RECONNECT => {}
            9 => self.sound(b, report)?,
            10 => {
                let level = b.byte()?;
                PRINT_LEVEL.holds(level <= 3, at + 1, || level.to_string())?;
                b.string()?;
            }
            11 => self.stufftext(b, report)?,
            13 => self.configstring(b, report)?,
            14 => self.baseline(at, b, report)?,
            16 => self.download(b, report)?,
            PLAYERINFO | PACKETENTITIES => return FRAME_ORDER.broken(at, format!("message {id} behind no frame")),
            20 => self.frame(at, b, report)?,
            _ => return MESSAGE_KNOWN.broken(at, format!("message {id}")),
        }
        Ok(())
    }

    fn names(&self, index: u16, report: &mut Report, what: &'static str) {
        if !self.configs.has(index) {
            report.note(what);
        }
    }

    fn sound(&self, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        let at = b.at();
        let flags = b.byte()?;
        SOUND_BITS.holds(flags & !0x1F == 0, at, || format!("flags of {flags:#x}"))?;
        self.names(SOUNDS + u16::from(b.byte()?), report, "sound that no configstring names");
        for flag in [1, 2, 16] {
            if flags & flag != 0 {
                b.byte()?; // volume, attenuation, time
            }
        }
        if flags & 8 != 0 {
            let at = b.at();
            let entity = b.word()? >> 3;
            SOUND_ENTITY.holds(entity <= 1024, at, || entity.to_string())?;
        }
        if flags & 4 != 0 {
            b.position()?;
        }
        Ok(())
    }

    fn stufftext(&mut self, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        let at = b.at();
        let text = b.string()?;
        match text.split(u8::is_ascii_whitespace).next() {
            Some(b"precache") => {
                // A level without a player is a picture or a film, and has no map.
                let map = self.player < 0 || self.configs.has(MAP);
                MAP_NAMED.holds(map, at, || "none does".to_owned())?;
                for (index, what) in [
                    (MAX_CLIENTS, "no configstring tells how many clients there may be"),
                    (CHECKSUM, "no configstring tells the checksum of the map"),
                ] {
                    self.names(index, report, what);
                }
                if self.active {
                    report.note("told to precache again");
                }
                self.active = true;
            }
            Some(b"changing" | b"reconnect" | b"cmd" | b"disconnect") => report.note("stufftext of a connection"),
            _ => {}
        }
        Ok(())
    }

    fn configstring(&mut self, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        let at = b.at();
        let index = b.short()?;
        let index = self.configs.set(at, index, b.string()?)?;
        if !self.active && index < self.config {
            report.note("configstrings of a level's start out of order");
        }
        self.config = index;
        Ok(())
    }

    fn baseline(&mut self, at: usize, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        BASELINE_PLACE.holds(self.last.is_none(), at, || "one behind it".to_owned())?;
        let entity = entities::baseline(b)?;
        if entity.models[0] == 0 {
            report.note("baseline without a model");
        }
        if self.baselines.insert(entity.number, entity).is_some() {
            report.note("second baseline of an entity");
        }
        Ok(())
    }

    fn download(&self, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        let at = b.at();
        let (size, percent) = (b.short()?, b.byte()?);
        DOWNLOAD.holds(size >= -1 && percent <= 100, at, || format!("size {size}, {percent} per cent"))?;
        // Before 3.15 nothing followed.
        if let Some(size) = usize::try_from(size).ok().filter(|_| self.protocol >= 32) {
            b.skip(size)?;
        }
        report.note("download, which writes a file");
        Ok(())
    }

    fn frame(&mut self, at: usize, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        if self.protocol == 32 && !self.active && b.rest().get(4) == Some(&PACKETENTITIES) {
            return NOT_COVERED.broken(at, "recorded by a server, which protocol 32 does not say");
        }
        PRECACHE.holds(self.active, at, || "a frame without it".to_owned())?;
        let (number, delta) = (b.long()?, b.long()?);
        let last = self.last.unwrap_or(-1);
        FRAME_NUMBER.holds(number > last && number.checked_mul(FRAME_TIME).is_some(), at, || {
            format!("{number} behind {last}")
        })?;
        let base = self.base(at, number, delta)?;
        if self.protocol != 26 {
            b.byte()?; // suppressed packets
        }
        let areas = b.byte()?;
        FRAME_AREAS.holds(areas <= 32, b.at() - 1, || areas.to_string())?;
        b.skip(areas.into())?;
        follows(PLAYERINFO, b)?;
        let fov = self.playerinfo(base.map_or(0, |base| base.fov), b, report)?;
        if fov == 0 {
            report.note("frame with a field of view of 0");
        }
        follows(PACKETENTITIES, b)?;
        let old = base.map_or(&[][..], |base| &base.entities);
        let entities = entities::list(b, old, &self.baselines, report)?;
        let end = self.entities + entities.len() as u64;
        if let Some(base) = base {
            FRAME_RING.holds(end - base.first <= ENTITY_RING, at, || {
                format!("{} entities from frame {delta} to the end of frame {number}", end - base.first)
            })?;
        }
        for entity in &entities {
            self.named(entity, report);
        }
        report.frames += 1;
        report.full_frames += u64::from(delta <= 0);
        let frame = Frame { number, first: self.entities, entities, fov };
        self.frames[(number % RING) as usize] = Some(frame);
        self.last = Some(number);
        self.entities = end;
        Ok(())
    }

    /// The frame that a frame refers to: none where it refers to none.
    fn base(&self, at: usize, number: i32, delta: i32) -> Result<Option<&Frame>, Broken> {
        if delta <= 0 {
            return Ok(None);
        }
        FRAME_FULL.holds(self.last.is_some(), at, || format!("frame {number} refers to {delta}"))?;
        let Some(base) = &self.frames[(delta % RING) as usize] else {
            return FRAME_BASE.broken(at, format!("frame {number} refers to {delta}, whose place is empty"));
        };
        FRAME_BASE.holds(base.number == delta, at, || {
            format!("frame {number} refers to {delta}, whose place holds {}", base.number)
        })?;
        let back = self.entities - base.first;
        FRAME_RING.holds(back < ENTITY_RING - ENTITY_MARGIN, at, || {
            format!("frame {number} refers to {delta}, whose entities are {back} back")
        })?;
        Ok(Some(base))
    }

    fn named(&self, entity: &Entity, report: &mut Report) {
        // Model 255 is the one of a player's skin.
        for model in entity.models.into_iter().filter(|model| !matches!(model, 0 | 255)) {
            self.names(MODELS + u16::from(model), report, "model that no configstring names");
        }
        if entity.sound != 0 {
            self.names(SOUNDS + u16::from(entity.sound), report, "sound of an entity that no configstring names");
        }
        if entity.event > 7 {
            report.note("event that no engine knows");
        }
    }

    /// Reads the state of the player, and gives the field of view.
    fn playerinfo(&self, mut fov: u8, b: &mut Bytes, report: &mut Report) -> Result<u8, Broken> {
        let at = b.at();
        let bits = b.word()?;
        PLAYER_BITS.holds(bits & 0x8000 == 0, at, || format!("a mask of {bits:#x}"))?;
        let has = |bit| bits & bit != 0;
        if has(0x1) {
            let kind = b.byte()?;
            PLAYER_MOVE.holds(kind <= 4, b.at() - 1, || kind.to_string())?;
        }
        // Origin, velocity, time, flags, gravity, delta angles, view offset, view angles, kick.
        let fields = [(0x2, 6), (0x4, 6), (0x8, 1), (0x10, 1), (0x20, 2), (0x40, 6), (0x80, 3), (0x100, 6), (0x200, 3)];
        for (bit, bytes) in fields {
            if has(bit) {
                b.skip(bytes)?;
            }
        }
        if has(0x1000) {
            let gun = b.byte()?;
            if gun != 0 {
                self.names(MODELS + u16::from(gun), report, "gun that no configstring names");
            }
        }
        for (bit, bytes) in [(0x2000, 7), (0x400, 4)] {
            if has(bit) {
                b.skip(bytes)?; // gun's frame, offset, angles; blend
            }
        }
        if has(0x800) {
            fov = b.byte()?;
        }
        if has(0x4000) {
            b.byte()?; // flags of the picture
        }
        let stats = b.mask()?;
        b.skip(2 * stats.count_ones() as usize)?;
        Ok(fov)
    }
}

/// Reads the id of the message that must come.
pub(super) fn follows(id: u8, b: &mut Bytes) -> Result<(), Broken> {
    let at = b.at();
    let found = b.rest().first();
    FRAME_ORDER.holds(found == Some(&id), at, || match found {
        Some(found) => format!("message {found} where message {id} must stand"),
        None => format!("the block ends where message {id} must stand"),
    })?;
    b.byte().map(drop)
}

/// Reads the flash of a player (1) or of a monster (2).
pub(super) fn muzzle_flash(id: u8, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
    let at = b.at();
    let entity = b.short()?;
    MUZZLE_ENTITY.holds(is_entity(entity), at, || entity.to_string())?;
    let flash = b.byte()?;
    let known = if id == 1 { matches!(flash & 0x7F, 0..=18 | 30..=39) } else { matches!(flash, 1..=210) };
    if !known {
        report.note("muzzle flash that no engine knows");
    }
    Ok(())
}
