//! What a text of LMPC's for a `.qwd` may hold, and the bytes of it.

use super::lexer::{Statement, Wrong};
use super::quake::{Message, listed_words, put_listed, put_placed, put_stopsound, put_unknown};
use super::values::{Group, ints, put, put_strings, seconds, wrong};

const BARE: [(&str, u8); 7] = [
    ("bad", 0),
    ("disconnect", 2),
    ("killedmonster", 27),
    ("foundsecret", 28),
    ("sellscreen", 33),
    ("smallkick", 34),
    ("bigkick", 35),
];

const INLINE: [(&str, u8, &str); 10] = [
    ("stufftext", 9, "S"),
    ("setangle", 10, "aaa"),
    ("setpause", 24, "b"),
    ("centerprint", 26, "S"),
    ("finale", 31, "S"),
    ("cdtrack", 32, "b"),
    ("muzzleflash", 39, "h"),
    ("choke", 44, "b"),
    ("maxspeed", 49, "f"),
    ("entgravity", 50, "f"),
];

const BRACED: [Message; 15] = [
    ("print", 8, &[("level", "b"), ("string", "S")]),
    ("updatestat", 3, &[("index", "b"), ("value", "b")]),
    ("updatestatlong", 38, &[("index", "b"), ("value", "l")]),
    ("lightstyle", 12, &[("style", "b"), ("string", "S")]),
    ("updatefrags", 14, &[("player", "b"), ("frags", "h")]),
    ("damage", 19, &[("save", "b"), ("take", "b"), ("origin", "ccc")]),
    ("spawnstaticsound", 29, &[("origin", "ccc"), ("soundnum", "b"), ("vol", "v"), ("attenuation", "n")]),
    (
        "temp_entity",
        23,
        &[("entitytype", "b"), ("entity", "h?"), ("count", "b?"), ("origin", "ccc"), ("trace_endpos", "ccc?")],
    ),
    ("intermission", 30, &[("origin", "ccc"), ("angles", "aaa")]),
    ("updateping", 36, &[("player", "b"), ("ping", "h")]),
    ("updateentertime", 37, &[("player", "b"), ("entertime", "T")]),
    ("updatepl", 53, &[("player", "b"), ("loss", "b")]),
    ("updateuserinfo", 40, &[("player", "b"), ("user", "l"), ("string", "S")]),
    ("setinfo", 51, &[("player", "b"), ("name", "S"), ("string", "S")]),
    ("serverinfo", 52, &[("name", "S"), ("string", "S")]),
];

const WORDS: &str = "sblock cblock fblock time seq1 seq2 reliable connless client_command challenge console connect ping load \
    angles speed fire jump flag impulse uk_angles sound soundnum vol attenuation channel entity origin serverdata \
    serverversion age game client mapname uk_floats stopsound spawnstatic spawnbaseline default_modelindex default_frame \
    default_colormap default_skin default_origin default_angles download size percent data nails nail angles_1 angles_2 \
    angles_3 modellist first models next soundlist sounds packetentities packetentity deltapacketentity remove modelindex \
    frame colormap skin effects origin_x origin_y origin_z playerinfo unknown_mask_bits player speed_x speed_y speed_z \
    cspeed_x cspeed_y cspeed_z uk_byte6 weapon weaponframe unknown id s m h";

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    listed_words((&BARE, &INLINE, &BRACED), WORDS)
}

/// What LMPC carries along: whether a serverdata told of the later form of commands.
#[derive(Default)]
pub(super) struct QuakeWorld {
    wide: bool,
}

impl QuakeWorld {
    pub(super) fn put_top(&mut self, s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
        let mut group = Group::new(s)?;
        let time = seconds(group.need("time")?)?.to_le_bytes();
        match &*s.word {
            "sblock" => {
                let payload = self.payload(s)?;
                out.extend(time);
                out.push(1);
                out.extend((payload.len() as u32).to_le_bytes());
                out.extend(payload);
                Ok(())
            }
            "cblock" => {
                out.extend(time);
                out.push(0);
                group.put("load", "l", out)?;
                group.put("angles", "fff", out)?;
                group.put("speed", "hhh", out)?;
                out.push(buttons(&mut group, 1)?.unwrap_or(0));
                if !group.put_if("impulse", "b", out)? {
                    out.push(0);
                }
                group.put("uk_angles", "fff", out)?;
                group.finish()
            }
            "fblock" => {
                out.extend(time);
                out.push(2);
                put_sequence(&mut group, out)?;
                group.finish()
            }
            _ => wrong(s, "no block of a qwd"),
        }
    }

    fn payload(&mut self, s: &Statement) -> Result<Vec<u8>, Wrong> {
        let mut out = Vec::new();
        if let Some(outside) = s.inner.iter().find(|child| child.word == "connless") {
            out.extend([0xFF; 4]);
            if s.inner.len() != 2 || outside.inner.len() != 1 {
                return wrong(s, "connless holds one packet, and stands beside the time alone");
            }
            put_connectionless(&outside.inner[0], &mut out)?;
            return Ok(out);
        }
        let head = ["time", "seq1", "seq2", "reliable"];
        let size = s.inner.iter().take_while(|child| head.contains(&&*child.word)).count();
        if s.inner.first().is_none_or(|first| first.word != "time") {
            return wrong(s, "time stands first");
        }
        let mut before = s.clone();
        before.inner.truncate(size);
        let mut group = Group::new(&before)?;
        group.need("time")?;
        put_sequence(&mut group, &mut out)?;
        group.finish()?;
        s.inner[size..].iter().try_for_each(|child| self.put_message(child, &mut out))?;
        match out.len() {
            0..=65_536 => Ok(out),
            _ => wrong(s, "a block of more than 65536 bytes"),
        }
    }

    fn put_message(&mut self, s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
        if put_listed(s, (&BARE, &INLINE, &BRACED), out)? {
            return Ok(());
        }
        match &*s.word {
            "deltapacketentities" => {
                out.push(48);
                let mut group = Group::new(s)?;
                group.put("frame", "b", out)?;
                out.extend([0, 0]);
                // LMPC reads its own word for the entities, and does not compile them.
                group.finish()
            }
            "unknown" => put_unknown(s, out),
            "stopsound" => put_stopsound(s, out),
            "spawnstatic" | "spawnbaseline" => put_placed(s, out),
            "sound" => put_sound(s, out),
            "serverdata" => {
                out.push(11);
                let mut group = Group::new(s)?;
                self.wide = ints(group.need("serverversion")?)?[0] >= 27;
                let mut again = Group::new(s)?;
                for (name, ty) in [
                    ("serverversion", "l"),
                    ("age", "l"),
                    ("game", "S"),
                    ("client", "b"),
                    ("mapname", "S"),
                    ("uk_floats", "ffffffffff"),
                ] {
                    again.put(name, ty, out)?;
                }
                again.finish()
            }
            "download" => {
                out.push(41);
                let mut group = Group::new(s)?;
                group.put("size", "h", out)?;
                group.put("percent", "b", out)?;
                if let Some(data) = group.take("data")? {
                    out.extend(ints(data)?.iter().map(|v| *v as u8));
                }
                group.finish()
            }
            "modellist" => put_list(s, 45, "models", out),
            "soundlist" => put_list(s, 46, "sounds", out),
            "nails" => put_nails(s, out),
            "packetentities" => {
                out.push(47);
                for child in &s.inner {
                    match &*child.word {
                        "packetentity" => put_entity(child, out)?,
                        _ => return wrong(child, "is no packetentity"),
                    }
                }
                out.extend([0, 0]);
                if s.values.is_empty() { Ok(()) } else { wrong(s, "has no value") }
            }
            "playerinfo" => self.put_player(s, out),
            _ => wrong(s, "no message of a qwd that LMPC compiles"),
        }
    }

    fn put_player(&self, s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
        let mut group = Group::new(s)?;
        let mut mask = group.bits("unknown_mask_bits", |n| (9..=15).contains(&n).then(|| 1 << n))?.unwrap_or(0) as u16;
        let mut rest = Vec::new();
        out.push(42);
        group.put("player", "b", out)?;
        group.put("origin", "ccc", &mut rest)?;
        group.put("frame", "b", &mut rest)?;
        mask |= u16::from(group.put_if("ping", "g", &mut rest)?);
        let command = self.command(&mut group)?;
        if let Some(command) = command {
            mask |= 2;
            rest.extend(command);
        }
        let weapon = |n| match n {
            1 => Some(0),
            2..=9 => Some(1 << (n - 2)),
            _ => None,
        };
        mask |= group.put_masked(
            &[
                ("cspeed_x", "c", 2),
                ("cspeed_y", "c", 3),
                ("cspeed_z", "c", 4),
                ("modelindex", "b", 5),
                ("uk_byte6", "b", 6),
            ],
            &mut rest,
        )? as u16;
        if let Some(effects) = group.bits("weapon", weapon)? {
            mask |= 1 << 7;
            rest.push(effects as u8);
        }
        mask |= u16::from(group.put_if("weaponframe", "b", &mut rest)?) << 8;
        out.extend(mask.to_le_bytes());
        out.extend(rest);
        group.finish()
    }

    fn command(&self, group: &mut Group<'_>) -> Result<Option<Vec<u8>>, Wrong> {
        let (mut mask, mut there, mut rest) = (0u8, false, Vec::new());
        let speed = if self.wide { "h" } else { "b" };
        let seventh = if self.wide { "angles_2" } else { "load" };
        for (name, ty, bit) in [
            ("angles_1", "A", 0),
            ("angles_2", "A", 7),
            ("angles_3", "A", 1),
            ("speed_x", speed, 2),
            ("speed_y", speed, 3),
            ("speed_z", speed, 4),
            ("buttons", "", 5),
            ("impulse", "b", 6),
            ("load", "b", 7),
        ] {
            let given = match name {
                "buttons" => match buttons(group, 3)? {
                    // LMPC's fault: in playerinfo the word for fire is that for fire and jump.
                    Some(buttons) => {
                        rest.push(buttons);
                        true
                    }
                    None => false,
                },
                "angles_2" | "load" if name != seventh => {
                    if !group.put_if(name, ty, &mut rest)? {
                        there |= mask != 0;
                        continue;
                    }
                    there = true;
                    continue;
                }
                _ => group.put_if(name, ty, &mut rest)?,
            };
            mask |= u8::from(given) << bit;
        }
        there |= mask != 0;
        if !there {
            return Ok(None);
        }
        // The field without a bit is always there: its bytes would be missing else.
        rest.insert(0, mask);
        let expected = 1 + (0..8).filter(|bit| mask >> bit & 1 == 1).map(|bit| self.width(bit)).sum::<usize>();
        let needed = expected + if self.wide { 1 } else { 2 };
        if rest.len() != needed {
            return Err(Wrong {
                line: 0,
                what: "playerinfo: a command without load, or before 27 without angles_2".into(),
            });
        }
        Ok(Some(rest))
    }

    fn width(&self, bit: u8) -> usize {
        match bit {
            0 | 1 => 2,
            2..=4 => 1 + usize::from(self.wide),
            7 => 1 + usize::from(self.wide),
            _ => 1,
        }
    }
}

/// Buttons as bits; `fire` is what the word fire stands for.
fn buttons(group: &mut Group<'_>, fire: u8) -> Result<Option<u8>, Wrong> {
    let (fired, jumped) = (group.flag("fire")?, group.flag("jump")?);
    let flags = group.bits("flag", |n| (0..8).contains(&n).then(|| 1 << n))?;
    let words = (u8::from(fired) * fire) | (u8::from(jumped) * 2);
    let all = words | flags.unwrap_or(0) as u8;
    Ok((fired || jumped || flags.is_some()).then_some(all))
}

/// Numbers of 31 bits, and who has bit 31.
fn put_sequence(group: &mut Group<'_>, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let reliable = group.bits("reliable", |n| (1..=2).contains(&n).then_some(n as u32))?.unwrap_or(0);
    for (name, bit) in [("seq1", 1), ("seq2", 2)] {
        let field = group.need(name)?;
        let mut word = Vec::new();
        put(field, "l", &mut word)?;
        if word[3] & 0x80 != 0 {
            return wrong(field, "has 31 bits");
        }
        word[3] |= if reliable & bit != 0 { 0x80 } else { 0 };
        out.extend(word);
    }
    Ok(())
}

fn put_connectionless(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let texts = [("disconnect", 2), ("client_command", b'B'), ("challenge", b'c'), ("console", b'n')];
    let words = [("connect", b'j'), ("ping", b'k')];
    if let Some((_, id)) = texts.iter().find(|(name, _)| *name == s.word) {
        out.push(*id);
        return put(s, "S", out);
    }
    if let Some((_, id)) = words.iter().find(|(name, _)| *name == s.word) {
        out.push(*id);
        return put(s, "", out);
    }
    if s.word == "unknown" { put_unknown(s, out) } else { wrong(s, "no packet outside the game") }
}

fn put_sound(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let mut rest = Vec::new();
    let vol = group.put_if("vol", "v", &mut rest)?;
    let attenuation = group.put_if("attenuation", "n", &mut rest)?;
    let (channel, entity) = (ints(group.need("channel")?)?[0], ints(group.need("entity")?)?[0]);
    let word = channel as u16 & 7 | (entity as u16 & 0x3FF) << 3 | u16::from(attenuation) << 14 | u16::from(vol) << 15;
    out.push(6);
    out.extend(word.to_le_bytes());
    out.extend(rest);
    group.put("soundnum", "b", out)?;
    group.put("origin", "ccc", out)?;
    group.finish()
}

/// With `first` and `next` or without: both are accepted.
fn put_list(s: &Statement, id: u8, what: &str, out: &mut Vec<u8>) -> Result<(), Wrong> {
    out.push(id);
    if !s.braces {
        return put_strings(s, out);
    }
    let mut group = Group::new(s)?;
    group.put_if("first", "b", out)?;
    put_strings(group.need(what)?, out)?;
    group.put_if("next", "b", out)?;
    group.finish()
}

fn put_nails(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let group = Group::new(s)?;
    drop(group);
    out.extend([43, s.inner.len() as u8]);
    for nail in &s.inner {
        if nail.word != "nail" {
            return wrong(nail, "is no nail");
        }
        let mut group = Group::new(nail)?;
        let [x, y, z] = ints(group.need("origin")?)?[..] else { return wrong(nail, "origin has three numbers") };
        let [x, y, z] = [x, y, z].map(|v| ((v + 4096) >> 1) as u16);
        let field = group.need("angles_1")?;
        let super::lexer::Token::Float(pitch) = field.values[0] else { return wrong(field, "wants a float") };
        let pitch = (f64::from(pitch) * 16.0 / 360.0) as i64;
        let pitch = if pitch < 0 { pitch + 16 } else { pitch } as u16;
        out.extend([x as u8, (x >> 8) as u8 | (y as u8) << 4, (y >> 4) as u8, z as u8, (z >> 8 | pitch << 4) as u8]);
        group.put("angles_2", "a", out)?;
        group.finish()?;
    }
    Ok(())
}

fn put_entity(s: &Statement, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let mut group = Group::new(s)?;
    let mut mask = ints(group.need("entity")?)?[0] as u32 & 0x1FF;
    let mut rest = Vec::new();
    mask |= u32::from(group.flag("remove")?) << 14;
    mask |= group.put_masked(
        &[
            ("modelindex", "b", 18),
            ("frame", "b", 13),
            ("colormap", "b", 19),
            ("skin", "b", 20),
            ("effects", "b", 21),
            ("origin_x", "c", 9),
            ("angles_1", "a", 16),
            ("origin_y", "c", 10),
            ("angles_2", "a", 12),
            ("origin_z", "c", 11),
            ("angles_3", "a", 17),
        ],
        &mut rest,
    )?;
    mask |= u32::from(mask >> 16 != 0) << 15;
    out.extend(&mask.to_le_bytes()[..if mask >> 15 & 1 == 1 { 3 } else { 2 }]);
    out.extend(rest);
    group.finish()
}
