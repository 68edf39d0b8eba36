//! The recording of the test release, 3.00 (protocol 25), as far as it is known (facts 3).
//!
//! It was worked out from the only file there is: what that file does not show is refused as unknown.

use super::bytes::Bytes;
use super::configs::{Configs, MAP};
use super::entities::is_entity;
use super::level::{follows, muzzle_flash};
use super::rules::{
    BASELINE_PLACE, Broken, ENTITY_BITS, ENTITY_NUMBER, ENTITY_ORDER, FRAME_AREAS, FRAME_NUMBER, FRAME_ONCE,
    FRAME_ORDER, MAP as MAP_NAMED, MESSAGE_KNOWN, NOT_COVERED, PLAYER_BITS, PRECACHE, PRINT_LEVEL, SERVERDATA_FIRST,
    SOUND_BITS, SOUND_ENTITY, TEMP_KIND,
};
use super::{Play, Report};

const SERVERDATA: u8 = 7;
const PLAYERINFO: u8 = 14;
const PACKETENTITIES: u8 = 16;

/// True for a file whose first message is a `serverdata` of the test release.
pub(super) fn is(file: &[u8]) -> bool {
    file.get(4..9) == Some(&[SERVERDATA, 25, 0, 0, 0])
}

/// A client that plays.
#[derive(Default)]
pub(super) struct TestRelease {
    report: Report,
    level: Option<Level>,
}

#[derive(Default)]
struct Level {
    configs: Configs,
    active: bool,
    last: Option<i32>,
}

impl Play for TestRelease {
    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    /// The file has no end mark.
    fn may_end_unmarked(&self) -> bool {
        self.level.is_some()
    }

    fn block(&mut self, b: &mut Bytes) -> Result<(), Broken> {
        let frames = self.report.frames;
        while !b.rest().is_empty() {
            let at = b.at();
            let id = b.byte()?;
            if id == SERVERDATA {
                self.serverdata(b)?;
                continue;
            }
            let Some(level) = &mut self.level else {
                return SERVERDATA_FIRST.broken(at, format!("message {id}"));
            };
            level.message(id, at, b, &mut self.report)?;
            FRAME_ONCE.holds(self.report.frames <= frames + 1, at, || "a second one".to_owned())?;
        }
        Ok(())
    }
}

impl TestRelease {
    fn serverdata(&mut self, b: &mut Bytes) -> Result<(), Broken> {
        let at = b.at();
        let protocol = b.long()?;
        NOT_COVERED.holds(protocol == 25, at, || format!("protocol {protocol}"))?;
        b.long()?; // spawn count
        let at = b.at();
        let mark = b.byte()?;
        NOT_COVERED.holds(mark <= 1, at, || format!("a mark of {mark}"))?;
        b.string()?; // game directory
        b.short()?; // player
        b.string()?; // name of the level
        self.report.levels += 1;
        self.report.protocol = protocol;
        self.level = Some(Level::default());
        Ok(())
    }
}

impl Level {
    fn message(&mut self, id: u8, at: usize, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        match id {
            4 => sound(b)?,
            5 => {
                let level = b.byte()?;
                PRINT_LEVEL.holds(level <= 3, at + 1, || level.to_string())?;
                b.string()?;
            }
            6 => {
                if b.string()?.starts_with(b"precache") {
                    MAP_NAMED.holds(self.configs.has(MAP), at, || "none does".to_owned())?;
                    self.active = true;
                }
            }
            8 => {
                let at = b.at();
                let index = b.short()?;
                self.configs.set(at, index, b.string()?)?;
            }
            9 => {
                BASELINE_PLACE.holds(self.last.is_none(), at, || "one behind it".to_owned())?;
                let at = b.at();
                let number = entity(b)?;
                ENTITY_NUMBER.holds(is_entity(number), at, || number.to_string())?;
            }
            10 => temp_entity(b)?,
            12 => muzzle_flash(1, b, report)?,
            19 => muzzle_flash(2, b, report)?,
            PLAYERINFO | PACKETENTITIES => return FRAME_ORDER.broken(at, format!("message {id} behind no frame")),
            18 => self.frame(at, b, report)?,
            _ => return MESSAGE_KNOWN.broken(at, format!("message {id}")),
        }
        Ok(())
    }

    /// Each frame is whole: its entities are changes from the baselines.
    fn frame(&mut self, at: usize, b: &mut Bytes, report: &mut Report) -> Result<(), Broken> {
        PRECACHE.holds(self.active, at, || "a frame without it".to_owned())?;
        let number = b.long()?;
        let last = self.last.unwrap_or(-1);
        FRAME_NUMBER.holds(number > last, at, || format!("{number} behind {last}"))?;
        self.last = Some(number);
        let areas = b.byte()?;
        FRAME_AREAS.holds(areas <= 32, b.at() - 1, || areas.to_string())?;
        b.skip(areas.into())?;
        follows(PLAYERINFO, b)?;
        playerinfo(b)?;
        follows(PACKETENTITIES, b)?;
        let mut last = 0;
        loop {
            let at = b.at();
            let number = entity(b)?;
            if number == 0 {
                break;
            }
            ENTITY_ORDER.holds(number > last, at, || format!("{number} behind {last}"))?;
            last = number;
        }
        report.frames += 1;
        report.full_frames += 1;
        Ok(())
    }
}

fn sound(b: &mut Bytes) -> Result<(), Broken> {
    let at = b.at();
    let flags = b.byte()?;
    SOUND_BITS.holds(flags & !0x1F == 0, at, || format!("flags of {flags:#x}"))?;
    b.byte()?;
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

fn playerinfo(b: &mut Bytes) -> Result<(), Broken> {
    let at = b.at();
    let bits = b.word()?;
    // 4 and 16 are always set, so that nobody knows what stands without them.
    PLAYER_BITS.holds(bits & 0x14 == 0x14 && bits & !0x1D == 0, at, || format!("a mask of {bits:#x}"))?;
    b.skip(3 * 6)?; // origin, angles, further angles
    b.word()?; // gun
    for (bit, bytes) in [(8, 8), (1, 4)] {
        if bits & bit != 0 {
            b.skip(bytes)?; // gun's frame, offset, angles; blend
        }
    }
    let stats = b.mask()?;
    b.skip(2 * stats.count_ones() as usize)?;
    Ok(())
}

/// Reads an entity, of a baseline or of a frame, and gives its number: 0 ends a list.
fn entity(b: &mut Bytes) -> Result<i16, Broken> {
    let at = b.at();
    let head = b.word()?;
    if head == 0 {
        return Ok(0);
    }
    let second = if head & 0x20 == 0 { 0 } else { b.word()? };
    let third = if head & 0x10 == 0 { 0 } else { b.byte()? };
    ENTITY_BITS.holds(second & 0x3880 == 0 && third & !1 == 0, at, || {
        format!("masks of {head:#x}, {second:#x}, {third:#x}")
    })?;
    let fields = [
        (second & 0x8, 1),    // model
        (head & 0x8, 1),      // frame
        (second & 0x100, 2),  // frame
        (second & 0x20, 1),   // skin
        (second & 0x8000, 4), // skin
        (second & 0x40, 1),   // effects
        (second & 0x400, 2),  // effects
        (second & 0x10, 1),   // render effects
        (second & 0x200, 2),  // render effects
        (head & 0x1, 2),      // origin
        (head & 0x2, 2),
        (head & 0x4, 2),
        (second & 0x1, 1), // angles
        (second & 0x2, 1),
        (second & 0x4, 1),
        (second & 0x4000, 6),      // old origin
        (u16::from(third & 1), 1), // sound
    ];
    for (bit, bytes) in fields {
        if bit != 0 {
            b.skip(bytes)?;
        }
    }
    let number = (head >> 6) as i16;
    ENTITY_NUMBER.holds(number != 0, at, || "0 with fields".to_owned())?;
    Ok(number)
}

fn temp_entity(b: &mut Bytes) -> Result<(), Broken> {
    let at = b.at();
    let kind = b.byte()?;
    match kind {
        2 | 12 | 14 | 16 | 21 | 26 => {
            b.position()?;
            b.direction()
        }
        17..=19 => b.position(),
        _ => TEMP_KIND.broken(at, format!("{kind} in protocol 25")),
    }
}
