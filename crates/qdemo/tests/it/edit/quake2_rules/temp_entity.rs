//! Temporary entities (document 3.4, facts 1.2, 1.3).

use super::bytes::Bytes;
use super::entities::is_entity;
use super::rules::{Broken, TEMP_KIND};

/// TE_STEAM, whose end depends on its beginning.
const STEAM: u8 = 40;

/// What a kind holds: `p` position, `d` direction, `b` byte, `s` short, `e` the short of an entity.
fn shape(kind: u8, protocol: i32) -> Option<&'static str> {
    let last = match protocol {
        ..=30 => 22,
        31 => 27,
        32..=33 => 29,
        _ => 55,
    };
    let shape = match kind {
        _ if kind > last => return None,
        // 3.12 to 3.14 had these two the other way round.
        26 if protocol == 31 => "pp",
        27 if protocol == 31 => "pd",
        0 | 1 | 2 | 4 | 9 | 12 | 13 | 14 | 26 | 30 | 42 | 43 | 44 | 46 | 55 => "pd",
        5..=8 | 17 | 18 | 20..=22 | 28 | 35 | 45 | 47 | 48 | 49 | 51..=54 => "p",
        3 | 11 | 23 | 27 | 34 | 41 => "pp",
        10 | 15 | 25 | 29 => "bpdb",
        16 | 19 | 38 | 39 => "epp",
        24 => "eppp",
        33 => "eepp",
        36 => "pe",
        37 => "ppb",
        STEAM => "sbpdbs",
        50 => "sp",
        // Of 31 and 32 id's engine dies.
        _ => return None,
    };
    Some(shape)
}

/// Reads one, and tells whether an entity in it is out of range.
pub(super) fn read(b: &mut Bytes, protocol: i32) -> Result<bool, Broken> {
    let at = b.at();
    let kind = b.byte()?;
    let Some(shape) = shape(kind, protocol) else {
        return TEMP_KIND.broken(at, format!("{kind} in protocol {protocol}"));
    };
    let lasts = kind == STEAM && !b.rest().starts_with(&[0xFF, 0xFF]);
    let mut strange = false;
    for part in shape.bytes() {
        match part {
            b'p' => b.position()?,
            b'd' => b.direction()?,
            b'b' => b.skip(1).map(drop)?,
            b's' => b.skip(2).map(drop)?,
            _ => strange |= !is_entity(b.short()?),
        }
    }
    if lasts {
        b.long()?;
    }
    Ok(strange)
}
