//! Entities: baselines, and the list of each frame as changes from another (document 3.15, 3.19, facts 1.2, 4.4).

use std::collections::BTreeMap;

use super::Report;
use super::bytes::Bytes;
use super::rules::{Broken, ENTITY_BITS, ENTITY_NUMBER, ENTITY_ORDER, REMOVE_PLAIN, REMOVE_PRESENT};

const REMOVE: u32 = 0x40;
const MORE: [u32; 3] = [0x80, 0x8000, 0x0080_0000];
const NUMBER_16: u32 = 0x100;
/// Bits without a meaning up to protocol 34.
const UNUSED: u32 = 0xF000_2000;

/// A note: of such an entity no server tells a client, so that its baseline may be missing (document 3.15).
pub(super) const UNSEEN: &str = "entity in a frame without model, effects, sound and event";

/// True for a number from 1 to 1023.
pub(super) fn is_entity(number: i16) -> bool {
    (1..1024).contains(&number)
}

/// Of an entity's state, what makes it seen or heard.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entity {
    pub(super) number: i16,
    pub(super) models: [u8; 4],
    pub(super) effects: u32,
    pub(super) sound: u8,
    pub(super) event: u8,
}

impl Entity {
    fn is_seen(&self) -> bool {
        self.models[0] != 0 || self.effects != 0 || self.sound != 0 || self.event != 0
    }
}

/// The entities of a level at its start.
pub(super) type Baselines = BTreeMap<i16, Entity>;

/// The head of an entity: where it stands, its mask, its number.
struct Head {
    at: usize,
    mask: u32,
    number: i16,
}

impl Head {
    fn read(b: &mut Bytes) -> Result<Self, Broken> {
        let at = b.at();
        let mut mask = u32::from(b.byte()?);
        for (more, shift) in MORE.into_iter().zip([8, 16, 24]) {
            if mask & more == 0 {
                break;
            }
            mask |= u32::from(b.byte()?) << shift;
        }
        ENTITY_BITS.holds(mask & UNUSED == 0, at, || format!("a mask of {mask:#x}"))?;
        let number = if mask & NUMBER_16 == 0 { i16::from(b.byte()?) } else { b.short()? };
        Ok(Self { at, mask, number })
    }

    fn removes(&self) -> bool {
        self.mask & REMOVE != 0
    }

    /// The mask without what only says how it is written.
    fn fields(&self) -> u32 {
        self.mask & !(MORE[0] | MORE[1] | MORE[2] | NUMBER_16 | REMOVE)
    }

    /// The fields, upon a state.
    fn delta(&self, from: Entity, b: &mut Bytes) -> Result<Entity, Broken> {
        let mut entity = Entity { number: self.number, event: 0, ..from };
        let has = |bit| self.mask & bit != 0;
        for (model, bit) in entity.models.iter_mut().zip([0x800, 0x0010_0000, 0x0020_0000, 0x0040_0000]) {
            if has(bit) {
                *model = b.byte()?;
            }
        }
        if has(0x10) {
            b.byte()?; // frame
        }
        if has(0x0002_0000) {
            b.word()?; // frame
        }
        sized(b, has(0x0001_0000), has(0x0200_0000))?; // skin
        if let Some(effects) = sized(b, has(0x4000), has(0x0008_0000))? {
            entity.effects = effects;
        }
        sized(b, has(0x1000), has(0x0004_0000))?; // render effects
        for (bit, bytes) in [(0x1, 2), (0x2, 2), (0x200, 2), (0x400, 1), (0x4, 1), (0x8, 1), (0x0100_0000, 6)] {
            if has(bit) {
                b.skip(bytes)?; // origin, angles, old origin
            }
        }
        if has(0x0400_0000) {
            entity.sound = b.byte()?;
        }
        if has(0x20) {
            entity.event = b.byte()?;
        }
        if has(0x0800_0000) {
            b.word()?; // solid
        }
        Ok(entity)
    }
}

/// A number whose width two bits tell.
fn sized(b: &mut Bytes, narrow: bool, wide: bool) -> Result<Option<u32>, Broken> {
    Ok(match (narrow, wide) {
        (true, true) => Some(b.mask()?),
        (true, false) => Some(u32::from(b.byte()?)),
        (false, true) => Some(u32::from(b.word()?)),
        (false, false) => None,
    })
}

/// Reads a baseline.
pub(super) fn baseline(b: &mut Bytes) -> Result<Entity, Broken> {
    let head = Head::read(b)?;
    REMOVE_PLAIN.holds(!head.removes(), head.at, || format!("baseline of entity {}", head.number))?;
    ENTITY_NUMBER.holds(is_entity(head.number), head.at, || head.number.to_string())?;
    let entity = head.delta(Entity::default(), b)?;
    Ok(Entity { event: 0, ..entity })
}

/// Reads the list of a frame, upon the list it refers to.
pub(super) fn list(
    b: &mut Bytes,
    base: &[Entity],
    baselines: &Baselines,
    report: &mut Report,
) -> Result<Vec<Entity>, Broken> {
    let mut base = base.iter().peekable();
    let mut entities = Vec::new();
    let unchanged = |entity: &Entity| Entity { event: 0, ..*entity };
    let mut last = 0;
    loop {
        let head = Head::read(b)?;
        let number = head.number;
        if number == 0 {
            if head.mask != 0 {
                report.note("list of entities ended by more than two zero bytes");
            }
            break;
        }
        ENTITY_NUMBER.holds(is_entity(number), head.at, || number.to_string())?;
        ENTITY_ORDER.holds(number > last, head.at, || format!("{number} behind {last}"))?;
        last = number;
        while let Some(entity) = base.next_if(|entity| entity.number < number) {
            entities.push(unchanged(entity));
        }
        let old = base.next_if(|entity| entity.number == number);
        if head.removes() {
            REMOVE_PLAIN.holds(head.fields() == 0, head.at, || format!("entity {number}, mask {:#x}", head.mask))?;
            REMOVE_PRESENT.holds(old.is_some(), head.at, || number.to_string())?;
            continue;
        }
        if old.is_some() && head.fields() == 0 {
            report.note("entity listed without a change");
        }
        let from = old.or_else(|| baselines.get(&number)).copied().unwrap_or_default();
        entities.push(head.delta(from, b)?);
    }
    entities.extend(base.map(unchanged));
    // Not a rule: id's recorder leaves out baselines without a model, and with them the sound of a loudspeaker.
    for _ in entities.iter().filter(|entity| !entity.is_seen()) {
        report.note(UNSEEN);
    }
    Ok(entities)
}
