//! What a text of LMPC's for a `.dm2` may hold, and the bytes of it.

use super::lexer::{Statement, Wrong};
use super::quake::{Message, listed_words, put_listed, put_unknown};
use super::values::{Group, ints, put, wrong};

const BARE: [(&str, u8); 4] = [("bad", 0), ("nop", 6), ("disconnect", 7), ("reconnect", 8)];

const INLINE: [(&str, u8, &str); 4] =
    [("layout", 4, "S"), ("stufftext", 11, "S"), ("centerprint", 15, "S"), ("frame", 20, "l")];

const BRACED: [Message; 6] = [
    ("muzzleflash", 1, &[("entity", "h"), ("value", "b")]),
    ("muzzlflash2", 2, &[("entity", "h"), ("value", "b")]),
    ("print", 10, &[("level", "b"), ("string", "S")]),
    (
        "serverdata",
        12,
        &[("serverversion", "l"), ("key", "l"), ("isdemo", "b"), ("game", "S"), ("client", "h"), ("mapname", "S")],
    ),
    ("configstring", 13, &[("index", "h"), ("string", "S")]),
    (
        "temp_entity",
        3,
        &[
            ("entitytype", "b"),
            ("dest_entity", "h?"),
            ("entity", "h?"),
            ("nextid", "h?"),
            ("count", "b?"),
            ("start", "ccc?"),
            ("dest_origin", "ccc?"),
            ("type", "h?"),
            ("origin", "ccc"),
            ("flash_entity", "h?"),
            ("trace_endpos", "ccc?"),
            ("pos1", "ccc?"),
            ("pos2", "ccc?"),
            ("pos3", "ccc?"),
            ("pos4", "ccc?"),
            ("movedir", "M?"),
            ("style", "b?"),
            ("plat2flags", "h?"),
            ("wait", "l?"),
        ],
    ),
];

const WORDS: &str = "block betweenblock endblock unicast unknown id data inventory sound unknown_mask_bits soundnum vol \
    attenuation timeofs channel entity origin spawnbaseline download size percent frame seq1 seq2 uk_b1 areas connected \
    playerinfo pm_type velocity pm_time pm_flags gravity delta_angles viewoffset viewangles kick_angles gunindex gunframe \
    gunoffset gunangles blend fov rdflags stats stat index value packetentities packetentity deltapacketentities remove \
    modelindex modelindex2 modelindex3 modelindex4 skin vwep effects renderfx origin_x origin_y origin_z angles_1 angles_2 \
    angles_3 old_origin event solid s m h";

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    listed_words((&BARE, &INLINE, &BRACED), WORDS)
}

/// A statement at the top of a text, as bytes. Nothing follows an `endblock`.
pub(super) fn put_top(s: &Statement, ended: &mut bool, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if *ended {
        return wrong(s, "stands behind endblock");
    }
    match &*s.word {
        "betweenblock" => {
            out.extend([0; 4]);
            put(s, "", out)
        }
        "endblock" => {
            *ended = true;
            out.extend([0xFF; 4]);
            put(s, "", out)
        }
        "block" => {
            let group = Group::new(s)?;
            drop(group);
            let (mut all, mut to) = (Vec::new(), None);
            for child in &s.inner {
                if child.word == "unicast" && to.is_none() {
                    let mut client = Vec::new();
                    put(child, "b", &mut client)?;
                    to = Some(client[0]);
                    continue;
                }
                let at = all.len();
                put_message(child, &mut all)?;
                if let Some(client) = to.take() {
                    if child.word == "unknown" {
                        return wrong(child, "is for no client");
                    }
                    all[at] |= 0x80;
                    all.insert(at + 1, client);
                }
            }
            if to.is_some() || all.len() > 65_536 {
                return wrong(s, "unicast without a message, or more than 65536 bytes");
            }
            out.extend((all.len() as u32).to_le_bytes());
            out.extend(all);
            Ok(())
        }
        _ => wrong(s, "no block of a dm2"),
    }
}

fn put_message(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if !(s.word == "frame" && s.braces) && put_listed(s, (&BARE, &INLINE, &BRACED), out)? {
        return Ok(());
    }
    match &*s.word {
        "unknown" => put_unknown(s, out),
        "inventory" => {
            let all = ints(s)?;
            if all.len() != 256 {
                return wrong(s, "256 values");
            }
            out.push(5);
            all.iter().for_each(|v| out.extend((*v as i16).to_le_bytes()));
            Ok(())
        }
        "sound" => put_sound(s, out),
        "spawnbaseline" => {
            out.push(14);
            put_entity(s, out)
        }
        "download" => {
            out.push(16);
            let mut group = Group::new(s)?;
            group.put("size", "h", out)?;
            group.put("percent", "b", out)?;
            if let Some(data) = group.take("data")? {
                out.extend(ints(data)?.iter().map(|v| *v as u8));
            }
            group.finish()
        }
        "frame" => {
            out.push(20);
            let mut group = Group::new(s)?;
            group.put("seq1", "l", out)?;
            group.put("seq2", "l", out)?;
            group.put_if("uk_b1", "b", out)?;
            put_bytes(group.need("areas")?, out)?;
            if let Some(connected) = group.take("connected")? {
                put_bytes(connected, out)?;
            }
            group.finish()
        }
        "playerinfo" => put_player(s, out),
        "packetentities" => {
            out.push(18);
            for child in &s.inner {
                match &*child.word {
                    "packetentity" => put_entity(child, out)?,
                    _ => return wrong(child, "is no packetentity"),
                }
            }
            out.extend([0, 0]);
            if s.values.is_empty() { Ok(()) } else { wrong(s, "has no value") }
        }
        _ => wrong(s, "no message of a dm2"),
    }
}

/// Bytes behind their number; the only list of LMPC's that may be empty.
fn put_bytes(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    out.push(s.values.len() as u8);
    if !s.values.is_empty() {
        out.extend(ints(s)?.iter().map(|v| *v as u8));
    }
    if s.braces { wrong(s, "has no braces") } else { Ok(()) }
}

fn put_sound(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let mut mask = group.bits("unknown_mask_bits", |n| (5..8).contains(&n).then(|| 1 << n))?.unwrap_or(0) as u8;
    let mut rest = Vec::new();
    group.put("soundnum", "b", &mut rest)?;
    mask |= group.put_masked(&[("vol", "v", 0), ("attenuation", "n", 1), ("timeofs", "o", 4)], &mut rest)? as u8;
    let number = |field: Option<&Statement>| field.map(|field| ints(field).map(|all| all[0])).transpose();
    let (channel, entity) = (number(group.take("channel")?)?, number(group.take("entity")?)?);
    if channel.is_some() || entity.is_some() {
        mask |= 1 << 3;
        let both = (entity.unwrap_or(0) & 0x7FF) << 3 | channel.unwrap_or(0) & 7;
        rest.extend((both as u16).to_le_bytes());
    }
    mask |= u8::from(group.put_if("origin", "ccc", &mut rest)?) << 2;
    out.extend([9, mask]);
    out.extend(rest);
    group.finish()
}

fn put_player(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::or_empty(s)?;
    let (mut mask, mut rest) = (0u16, Vec::new());
    mask |= group.put_masked(
        &[
            ("pm_type", "b", 0),
            ("origin", "ccc", 1),
            ("velocity", "ccc", 2),
            ("pm_time", "b", 3),
            ("pm_flags", "b", 4),
            ("gravity", "h", 5),
            ("delta_angles", "AAA", 6),
            ("viewoffset", "qqq", 7),
            ("viewangles", "AAA", 8),
            ("kick_angles", "qqq", 9),
            ("gunindex", "b", 12),
        ],
        &mut rest,
    )? as u16;
    let mut gun = Vec::new();
    for (name, types) in [("gunframe", "b"), ("gunoffset", "qqq"), ("gunangles", "qqq")] {
        let mut part = Vec::new();
        if group.put_if(name, types, &mut part)? {
            mask |= 1 << 13;
        } else {
            part = vec![0; types.len()];
        }
        gun.extend(part);
    }
    if mask >> 13 & 1 == 1 {
        rest.extend(gun);
    }
    mask |= group.put_masked(&[("blend", "BBBB", 10), ("fov", "b", 11), ("rdflags", "b", 14)], &mut rest)? as u16;
    let (mut bits, mut stats) = (0u32, Vec::new());
    if let Some(list) = group.take("stats")? {
        drop(Group::new(list)?);
        let mut before = -1;
        for stat in &list.inner {
            if stat.word != "stat" {
                return wrong(stat, "is no stat");
            }
            let mut stat = Group::new(stat)?;
            let index = ints(stat.need("index")?)?[0];
            if index <= before || index > 31 {
                return wrong(list, "stats stand in order of their index");
            }
            before = index;
            bits |= 1 << index;
            stat.put("value", "h", &mut stats)?;
            stat.finish()?;
        }
    }
    out.push(17);
    out.extend(mask.to_le_bytes());
    out.extend(rest);
    out.extend(bits.to_le_bytes());
    out.extend(stats);
    group.finish()
}

fn put_entity(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let mut mask = group.bits("unknown_mask_bits", |n| (0..32).contains(&n).then(|| 1 << n))?.unwrap_or(0);
    let mut rest = Vec::new();
    let entity = ints(group.need("entity")?)?[0] as u16;
    match entity {
        0..=255 => rest.push(entity as u8),
        _ => {
            mask |= 1 << 8;
            rest.extend(entity.to_le_bytes());
        }
    }
    mask |= u32::from(group.flag("remove")?) << 6;
    for (name, bit) in [("modelindex", 11), ("modelindex2", 20), ("modelindex3", 21), ("modelindex4", 22)] {
        mask |= u32::from(group.put_if(name, "b", &mut rest)?) << bit;
    }
    let number = |field: Option<&Statement>| field.map(|field| ints(field).map(|all| all[0])).transpose();
    match number(group.take("frame")?)? {
        None => {}
        Some(v @ ..=255) => {
            mask |= 1 << 4;
            rest.push(v as u8);
        }
        Some(v) => {
            mask |= 1 << 17;
            rest.extend((v as u16).to_le_bytes());
        }
    }
    let (skin, vwep) = (number(group.take("skin")?)?, number(group.take("vwep")?)?);
    let skin =
        if skin.is_none() && vwep.is_none() { None } else { Some(skin.unwrap_or(0) & 0xFF | vwep.unwrap_or(0) << 8) };
    let effects = number(group.take("effects")?)?;
    let renderfx = number(group.take("renderfx")?)?;
    for (value, byte, short) in [(skin, 16, 25), (effects, 14, 19), (renderfx, 12, 18)] {
        match value {
            None => {}
            Some(v @ ..=255) => {
                mask |= 1 << byte;
                rest.push(v as u8);
            }
            Some(v @ ..=0x7FFF) => {
                mask |= 1 << short;
                rest.extend((v as u16).to_le_bytes());
            }
            Some(v) => {
                mask |= 1 << byte | 1 << short;
                rest.extend((v as u32).to_le_bytes());
            }
        }
    }
    mask |= group.put_masked(
        &[
            ("origin_x", "c", 0),
            ("origin_y", "c", 1),
            ("origin_z", "c", 9),
            ("angles_1", "a", 10),
            ("angles_2", "a", 2),
            ("angles_3", "a", 3),
            ("old_origin", "ccc", 24),
            ("sound", "b", 26),
            ("event", "b", 5),
            ("solid", "h", 27),
        ],
        &mut rest,
    )?;
    for (bit, above) in [(23, 24), (15, 16), (7, 8)] {
        mask |= u32::from(mask >> above != 0) << bit;
    }
    let bytes = 1 + [7, 15, 23].iter().take_while(|bit| mask >> **bit & 1 == 1).count();
    out.extend(&mask.to_le_bytes()[..bytes]);
    out.extend(rest);
    group.finish()
}
