//! What a text of LMPC's for a `.dem` may hold, and the bytes of it.

use super::lexer::{Statement, Wrong};
use super::values::{Group, ints, put, put_strings, wrong};

/// Messages without a field.
const BARE: [(&str, u8); 8] = [
    ("bad", 0),
    ("nop", 1),
    ("disconnect", 2),
    ("spawnbinary", 21),
    ("killedmonster", 27),
    ("foundsecret", 28),
    ("intermission", 30),
    ("sellscreen", 33),
];

/// Messages with values behind their word.
const INLINE: [(&str, u8, &str); 12] = [
    ("version", 4, "l"),
    ("setview", 5, "h"),
    ("time", 7, "T"),
    ("print", 8, "S"),
    ("stufftext", 9, "S"),
    ("setangle", 10, "aaa"),
    ("setpause", 24, "b"),
    ("signonnum", 25, "b"),
    ("centerprint", 26, "S"),
    ("finale", 31, "S"),
    ("cutscene", 34, "S"),
    ("stopsound", 16, "h"),
];

/// Messages in braces, with their fields in the order of the wire.
const BRACED: [Message; 9] = [
    ("updatestat", 3, &[("index", "b"), ("value", "l")]),
    ("lightstyle", 12, &[("style", "b"), ("string", "S")]),
    ("updatename", 13, &[("player", "b"), ("netname", "S")]),
    ("updatefrags", 14, &[("player", "b"), ("frags", "h")]),
    ("particle", 18, &[("origin", "ccc"), ("vel", "ppp"), ("count", "b"), ("color", "b")]),
    ("damage", 19, &[("save", "b"), ("take", "b"), ("origin", "ccc")]),
    ("spawnstaticsound", 29, &[("origin", "ccc"), ("soundnum", "b"), ("vol", "v"), ("attenuation", "n")]),
    ("cdtrack", 32, &[("fromtrack", "b"), ("totrack", "b")]),
    (
        "temp_entity",
        23,
        &[
            ("entitytype", "b"),
            ("entity", "h?"),
            ("origin", "ccc"),
            ("trace_endpos", "ccc?"),
            ("color", "b?"),
            ("range", "b?"),
        ],
    ),
];

/// Other words of the language.
const WORDS: &str = "track block camera unknown id data sound vol attenuation channel entity soundnum origin \
    serverinfo serverversion maxclients multi mapname models sounds clientdata view_ofs_z punchangle_x angles_1 angles_2 \
    angles_3 vel_x vel_y vel_z weapons ammotype armortype megahealth keys power_ups uk_items_b23 uk_items_b24 uk_items_b25 \
    uk_items_b26 uk_items_b27 runes uk_bit_b10 uk_bit_b11 weaponframe armorvalue weaponmodel health currentammo ammo_shells \
    ammo_nails ammo_rockets ammo_cells weapon updatecolors colors spawnstatic spawnbaseline default_modelindex default_frame \
    default_colormap default_skin default_origin default_angles updateentity modelindex frame colormap skin effects origin_x \
    origin_y origin_z new s m h player";

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    listed_words((&BARE, &INLINE, &BRACED), WORDS)
}

/// Tables of messages: without a field, with values behind their word, in braces.
pub(super) type Listed = (Bare, Inline, Braced);
type Bare = &'static [(&'static str, u8)];
type Inline = &'static [(&'static str, u8, &'static str)];
type Braced = &'static [Message];

/// A message in braces: its word, its number, and its fields with the types of their values.
pub(super) type Message = (&'static str, u8, &'static [(&'static str, &'static str)]);

/// All words of such tables, and more.
pub(super) fn listed_words((bare, inline, braced): Listed, more: &'static str) -> impl Iterator<Item = &'static str> {
    let fields = braced.iter().flat_map(|(name, _, fields)| fields.iter().map(|(field, _)| *field).chain([*name]));
    bare.iter()
        .map(|(name, _)| *name)
        .chain(inline.iter().map(|(name, ..)| *name))
        .chain(fields)
        .chain(more.split_whitespace())
}

/// Writes a message of one of the tables. False for another one. `?` behind a type: the field may be absent.
pub(super) fn put_listed(s: &Statement, (bare, inline, braced): Listed, out: &mut Vec<u8>) -> Result<bool, Wrong> {
    if let Some((_, id)) = bare.iter().find(|(name, _)| *name == s.word) {
        out.push(*id);
        if s.braces || !s.values.is_empty() {
            return wrong(s, "has no value");
        }
        return Ok(true);
    }
    if let Some((_, id, types)) = inline.iter().find(|(name, ..)| *name == s.word && !s.braces) {
        out.push(*id);
        return put(s, types, out).map(|()| true);
    }
    let Some((_, id, fields)) = braced.iter().find(|(name, ..)| *name == s.word) else { return Ok(false) };
    out.push(*id);
    let mut group = Group::new(s)?;
    for (name, types) in *fields {
        match types.strip_suffix('?') {
            Some(types) => drop(group.put_if(name, types, out)?),
            None => group.put(name, types, out)?,
        }
    }
    group.finish().map(|()| true)
}

/// `unknown { id B; data B...; }`: two bytes at least.
pub(super) fn put_unknown(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    group.put("id", "b", out)?;
    out.extend(ints(group.need("data")?)?.iter().map(|v| *v as u8));
    group.finish()
}

pub(super) fn put_message(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    if put_listed(s, (&BARE, &INLINE, &BRACED), out)? {
        return Ok(());
    }
    match &*s.word {
        "unknown" => put_unknown(s, out),
        "sound" => put_sound(s, out),
        "serverinfo" => {
            out.push(11);
            let mut group = Group::new(s)?;
            for (name, ty) in [("serverversion", "l"), ("maxclients", "b"), ("multi", "b"), ("mapname", "S")] {
                group.put(name, ty, out)?;
            }
            put_strings(group.need("models")?, out)?;
            put_strings(group.need("sounds")?, out)?;
            group.finish()
        }
        "clientdata" => put_clientdata(s, out),
        "stopsound" => put_stopsound(s, out),
        "updatecolors" => {
            out.push(17);
            let mut group = Group::new(s)?;
            group.put("player", "b", out)?;
            match ints(group.need("colors")?)?[..] {
                [shirt, pants] => out.push((shirt << 4 | pants) as u8),
                _ => return wrong(s, "colors are two"),
            }
            group.finish()
        }
        "spawnstatic" | "spawnbaseline" => put_placed(s, out),
        "updateentity" => put_update(s, out),
        _ => wrong(s, "no message of a dem"),
    }
}

pub(super) fn put_stopsound(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    out.push(16);
    let mut group = Group::new(s)?;
    let (channel, entity) = (ints(group.need("channel")?)?[0], ints(group.need("entity")?)?[0]);
    out.extend(((entity << 3 | channel & 7) as u16).to_le_bytes());
    group.finish()
}

/// Eight fields of an entity that is told once: spawnstatic 20, spawnbaseline 22.
pub(super) fn put_placed(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    out.push(if s.word == "spawnstatic" { 20 } else { 22 });
    if s.word == "spawnbaseline" {
        group.put("entity", "h", out)?;
    }
    for name in ["default_modelindex", "default_frame", "default_colormap", "default_skin"] {
        group.put(name, "b", out)?;
    }
    let (mut origin, mut angles) = (Vec::new(), Vec::new());
    group.put("default_origin", "ccc", &mut origin)?;
    group.put("default_angles", "aaa", &mut angles)?;
    for axis in 0..3 {
        out.extend(&origin[2 * axis..2 * axis + 2]);
        out.push(angles[axis]);
    }
    group.finish()
}

fn put_sound(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let mut rest = Vec::new();
    let vol = group.put_if("vol", "v", &mut rest)?;
    let attenuation = group.put_if("attenuation", "n", &mut rest)?;
    out.extend([6, u8::from(vol) | u8::from(attenuation) << 1]);
    out.extend(rest);
    let (channel, entity) = (ints(group.need("channel")?)?[0], ints(group.need("entity")?)?[0]);
    out.extend((((entity & 0x1FFF) << 3 | channel & 7) as u16).to_le_bytes());
    group.put("soundnum", "b", out)?;
    group.put("origin", "ccc", out)?;
    group.finish()
}

/// Lists of what is carried: word, and the bit of number 1 (weapons have an order of their own).
const ITEMS: [(&str, u32, i64); 5] =
    [("ammotype", 8, 4), ("armortype", 13, 3), ("keys", 17, 2), ("power_ups", 19, 4), ("runes", 28, 4)];

fn put_clientdata(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let (mut mask, mut rest) = (1u16 << 9, Vec::new());
    for (name, bit) in [
        ("view_ofs_z", 0),
        ("punchangle_x", 1),
        ("angles_1", 2),
        ("vel_x", 5),
        ("angles_2", 3),
        ("vel_y", 6),
        ("angles_3", 4),
        ("vel_z", 7),
    ] {
        mask |= u16::from(group.put_if(name, "i", &mut rest)?) << bit;
    }
    let weapon = |n| match n {
        1 => Some(1 << 12),
        2..=9 => Some(1 << (n - 2)),
        _ => None,
    };
    let mut items = group.bits("weapons", weapon)?.unwrap_or(0);
    for (name, first, count) in ITEMS {
        let bit = |n: i64| (1..=count).contains(&n).then(|| 1 << (first + n as u32 - 1));
        items |= group.bits(name, bit)?.unwrap_or(0);
    }
    items |= u32::from(group.flag("megahealth")?) << 16;
    for bit in 23..=27 {
        items |= u32::from(group.flag(&format!("uk_items_b{bit}"))?) << bit;
    }
    rest.extend(items.to_le_bytes());
    mask |= u16::from(group.flag("uk_bit_b10")?) << 10 | u16::from(group.flag("uk_bit_b11")?) << 11;
    for (name, bit) in [("weaponframe", 12), ("armorvalue", 13), ("weaponmodel", 14)] {
        mask |= u16::from(group.put_if(name, "b", &mut rest)?) << bit;
    }
    group.put("health", "h", &mut rest)?;
    for name in ["currentammo", "ammo_shells", "ammo_nails", "ammo_rockets", "ammo_cells"] {
        group.put(name, "b", &mut rest)?;
    }
    match group.bits("weapon", |n| weapon(n).map(|bit| bit & 0xFF))? {
        Some(weapon) => rest.push(weapon as u8),
        None => return wrong(s, "weapon is missing"),
    }
    out.push(15);
    out.extend(mask.to_le_bytes());
    out.extend(rest);
    group.finish()
}

fn put_update(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let entity = ints(group.need("entity")?)?[0] as u16;
    let (mut mask, mut rest) = (0u16, Vec::new());
    mask |= group.put_masked(
        &[
            ("modelindex", "b", 10),
            ("frame", "b", 6),
            ("colormap", "b", 11),
            ("skin", "b", 12),
            ("effects", "b", 13),
            ("origin_x", "c", 1),
            ("angles_1", "a", 8),
            ("origin_y", "c", 2),
            ("angles_2", "a", 4),
            ("origin_z", "c", 3),
            ("angles_3", "a", 9),
        ],
        &mut rest,
    )? as u16;
    mask |= u16::from(group.flag("new")?) << 5 | u16::from(entity > 255) << 14;
    mask |= u16::from(mask >> 8 != 0) | 0x80;
    out.push(mask as u8);
    if mask & 1 != 0 {
        out.push((mask >> 8) as u8);
    }
    match entity {
        0..=255 => out.push(entity as u8),
        _ => out.extend(entity.to_le_bytes()),
    }
    out.extend(rest);
    group.finish()
}

/// A statement at the top of a text, as bytes.
pub(super) fn put_top(s: &Statement, first: bool, out: &mut Vec<u8>) -> Result<(), Wrong> {
    match &*s.word {
        "track" if first => {
            put(s, "S", out)?;
            out.pop();
            Ok(())
        }
        "block" if !first => {
            let mut camera = Vec::new();
            let mut messages = Vec::new();
            let group = Group::new(s)?;
            for child in &s.inner {
                match &*child.word {
                    "camera" if camera.is_empty() => put(child, "fff", &mut camera)?,
                    "camera" => return wrong(s, "camera stands twice"),
                    _ => put_message(child, &mut messages)?,
                }
            }
            drop(group);
            if camera.is_empty() {
                return wrong(s, "camera is missing");
            }
            if messages.is_empty() {
                return wrong(s, "a block without messages writes nothing");
            }
            if messages.len() > 65_536 {
                return wrong(s, "a block of more than 65536 bytes");
            }
            out.extend((messages.len() as u32).to_le_bytes());
            out.extend(camera);
            out.extend(messages);
            Ok(())
        }
        _ => wrong(s, "track stands first and once, block behind it"),
    }
}
