//! Masks of entities: how they are packed, and what their bits mean everywhere.

use super::dialect::{Dialect, EntityMaskKind};
use crate::describe::Mask;
use crate::wire::{ByteReader, ByteWriter, Fault};

/// The mask of an entity delta: one to five bytes. `WITH_ID` for a message of its own, with a message number in front.
pub(super) struct EntityMask<const WITH_ID: bool>;

const REMOVE: u64 = 1 << 6;
pub(super) const NUMBER16: u64 = 1 << 8;
/// Bits that announce the second, third, fourth and fifth byte.
const MORE: [u64; 4] = [1 << 7, 1 << 15, 1 << 23, 1 << 31];
/// Bits 28 to 31 mean something else in KMQuake2.
const KMQUAKE2: (u32, u32) = (28, 36);
/// Bits that mean something else in the re-release.
const RERELEASE: [(u32, u32); 5] = [(33, 41), (34, 42), (35, 43), (27, 44), (24, 48)];
/// There this one gives effects 64 bits; those that tell how long effects are then tell how long their upper half is.
const EFFECTS64: (u32, u32) = (29, 45);
const UPPER_HALF: [(u32, u32); 2] = [(14, 46), (19, 47)];
/// Angles, and the bit that makes them long.
const ANGLES: u64 = 1 << 2 | 1 << 3 | 1 << 10;
const LONG_ANGLES: u64 = 1 << 13;

/// Moves bits to other places.
fn moved(mask: u64, places: impl Iterator<Item = (u32, u32)>) -> u64 {
    places.fold(mask, |mask, (from, to)| mask & !(1 << from) | (mask >> from & 1) << to)
}

/// A mask of the re-release as bits that mean the same everywhere.
fn from_rerelease(mask: u64) -> u64 {
    let mask = moved(mask, RERELEASE.into_iter().chain([EFFECTS64]));
    if mask >> EFFECTS64.1 & 1 == 1 { moved(mask, UPPER_HALF.into_iter()) } else { mask }
}

/// The reverse; `None` for bits that the re-release has no place for.
fn to_rerelease(mask: u64) -> Option<u64> {
    let back = |(from, to)| (to, from);
    let upper = if mask >> EFFECTS64.1 & 1 == 1 { moved(mask, UPPER_HALF.into_iter().map(back)) } else { mask };
    let whole = moved(upper, RERELEASE.into_iter().chain([EFFECTS64]).map(back));
    (from_rerelease(whole) == mask).then_some(whole)
}

impl<const WITH_ID: bool> Mask<Dialect> for EntityMask<WITH_ID> {
    const HOLDS_ID: bool = !WITH_ID;
    const USUAL: Option<&'static Dialect> = Some(&Dialect::QUAKE2);

    #[inline(always)]
    fn is_usual(d: &Dialect) -> bool {
        d.has_standard_states()
    }

    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(r.u8()?);
        for (n, more) in MORE[..3].iter().enumerate() {
            if mask & more == 0 {
                return Ok(mask);
            }
            mask |= u64::from(r.u8()?) << (8 * (n + 1));
        }
        match d.layout.entity_mask {
            EntityMaskKind::Standard => {}
            EntityMaskKind::KmQuake2 => {
                let (from, to) = KMQUAKE2;
                mask = mask >> from << to | mask & ((1 << from) - 1);
            }
            EntityMaskKind::Extended | EntityMaskKind::Rerelease => {
                if mask & MORE[3] != 0 {
                    mask |= u64::from(r.u8()?) << 32;
                }
                if d.layout.entity_mask == EntityMaskKind::Rerelease {
                    mask = from_rerelease(mask);
                }
            }
        }
        Ok(mask)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let (mask, most) = match d.layout.entity_mask {
            EntityMaskKind::Standard => (mask, 3),
            EntityMaskKind::Extended => (mask, 4),
            EntityMaskKind::Rerelease => match to_rerelease(mask) {
                Some(mask) => (mask, 4),
                None => return Err(Fault::unwritable("a mask bit that the re-release does not have")),
            },
            EntityMaskKind::KmQuake2 => {
                let (from, to) = KMQUAKE2;
                if mask >> from & ((1 << (to - from)) - 1) != 0 {
                    return Err(Fault::unwritable("a mask bit that KMQuake2 does not have"));
                }
                (mask >> to << from | mask & ((1 << from) - 1), 3)
            }
        };
        let bytes = 1 + MORE[..most].iter().take_while(|more| mask & **more != 0).count();
        if mask >> (8 * bytes) != 0 {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.bytes(&mask.to_le_bytes()[..bytes]);
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        // A removed entity has its number, and but for multi-view demos nothing else.
        if mask & REMOVE != 0 && !d.remove_with_fields {
            mask & (REMOVE | NUMBER16)
        } else {
            mask & d.layout.entity_bits
        }
    }
    #[inline]
    fn canon(mut bits: u64, d: &Dialect) -> u64 {
        match d.layout.entity_mask {
            EntityMaskKind::Standard | EntityMaskKind::KmQuake2 => {}
            EntityMaskKind::Extended => {
                if bits & ANGLES != 0 {
                    bits |= LONG_ANGLES;
                }
                if bits >> 32 != 0 {
                    bits |= MORE[3];
                }
            }
            EntityMaskKind::Rerelease => return canon_rerelease(bits),
        }
        let bits = if bits >> 24 != 0 { bits | MORE[2] } else { bits };
        let bits = if bits >> 16 != 0 { bits | MORE[1] } else { bits };
        if bits >> 8 != 0 { bits | MORE[0] } else { bits }
    }
}

/// What the engine of the re-release writes: mask bytes up to the highest bit.
#[cold]
fn canon_rerelease(bits: u64) -> u64 {
    let Some(mut whole) = to_rerelease(bits) else { return bits };
    for (n, more) in MORE.iter().enumerate().rev() {
        if whole >> (8 * (n + 1)) != 0 {
            whole |= more;
        }
    }
    from_rerelease(whole)
}
