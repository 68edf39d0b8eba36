//! What a text of LMPC's for Quake III may hold.

use super::lexer::{Statement, Token, Wrong};
use super::values::wrong;

/// The fields of a player, in the order of the wire.
const PLAYER: [&str; 48] = [
    "commandTime",
    "origin[0]",
    "origin[1]",
    "bobCycle",
    "velocity[0]",
    "velocity[1]",
    "viewangles[1]",
    "viewangles[0]",
    "weaponTime",
    "origin[2]",
    "velocity[2]",
    "legsTimer",
    "pm_time",
    "eventSequence",
    "torsoAnim",
    "movementDir",
    "events[0]",
    "legsAnim",
    "events[1]",
    "pm_flags",
    "groundEntityNum",
    "weaponstate",
    "eFlags",
    "externalEvent",
    "gravity",
    "speed",
    "delta_angles[1]",
    "externalEventParm",
    "viewheight",
    "damageEvent",
    "damageYaw",
    "damagePitch",
    "damageCount",
    "generic1",
    "pm_type",
    "delta_angles[0]",
    "delta_angles[2]",
    "torsoTimer",
    "eventParms[0]",
    "eventParms[1]",
    "clientNum",
    "weapon",
    "viewangles[2]",
    "grapplePoint[0]",
    "grapplePoint[1]",
    "grapplePoint[2]",
    "jumppad_ent",
    "loopSound",
];

/// Those of an entity.
const ENTITY: [&str; 51] = [
    "pos.trTime",
    "pos.trBase[0]",
    "pos.trBase[1]",
    "pos.trDelta[0]",
    "pos.trDelta[1]",
    "pos.trBase[2]",
    "apos.trBase[1]",
    "pos.trDelta[2]",
    "apos.trBase[0]",
    "event",
    "angles2[1]",
    "eType",
    "torsoAnim",
    "eventParm",
    "legsAnim",
    "groundEntityNum",
    "pos.trType",
    "eFlags",
    "otherEntityNum",
    "weapon",
    "clientNum",
    "angles[1]",
    "pos.trDuration",
    "apos.trType",
    "origin[0]",
    "origin[1]",
    "origin[2]",
    "solid",
    "powerups",
    "modelindex",
    "otherEntityNum2",
    "loopSound",
    "generic1",
    "origin2[2]",
    "origin2[0]",
    "origin2[1]",
    "modelindex2",
    "angles[0]",
    "time",
    "apos.trTime",
    "apos.trDuration",
    "apos.trBase[2]",
    "apos.trDelta[0]",
    "apos.trDelta[1]",
    "apos.trDelta[2]",
    "time2",
    "angles[2]",
    "angles2[0]",
    "angles2[2]",
    "constantLight",
    "frame",
];

/// Fields that hold floats; all others hold whole numbers.
const FLOATS: [&str; 10] = [
    "origin[",
    "velocity[",
    "viewangles[",
    "grapplePoint[",
    "pos.trBase[",
    "pos.trDelta[",
    "apos.trBase[",
    "apos.trDelta[",
    "angles[",
    "angles2[",
];

/// Lists behind the fields of a player, in order, and what they are made of.
const LISTS: [(&str, &str); 4] =
    [("stats", "stat"), ("persistants", "persistant"), ("ammos", "ammo"), ("powerups", "powerup")];

fn is_float(field: &str) -> bool {
    field.starts_with("origin2[") || FLOATS.iter().any(|float| field.starts_with(float))
}

/// The kind of values that a statement has: `i` one whole number, `f` one float, `s` one string, `I` any number of whole
/// numbers, nothing: none.
fn values(s: &Statement, kind: &str) -> Result<(), Wrong> {
    let fits = match (kind, &s.values[..]) {
        _ if s.braces => false,
        ("", values) => values.is_empty(),
        ("i", [Token::Int(_)]) | ("f", [Token::Float(_)]) | ("s", [Token::Str(_)]) => true,
        ("I", values) => values.iter().all(|v| matches!(v, Token::Int(_))),
        _ => false,
    };
    if fits { Ok(()) } else { wrong(s, format_args!("wants {kind:?}, found {:?}", s.values)) }
}

/// Statements with these words in this order, each once, with the kind of their values.
fn exactly(of: &Statement, inner: &[Statement], fields: &[(&str, &str)]) -> Result<(), Wrong> {
    if inner.len() != fields.len() {
        return wrong(of, format_args!("wants {} statements, found {}", fields.len(), inner.len()));
    }
    for (s, (word, kind)) in inner.iter().zip(fields) {
        if s.word != *word {
            return wrong(s, format_args!("{word} is due here"));
        }
        values(s, kind)?;
    }
    Ok(())
}

/// Fields in the order of a list. What comes back begins with the first statement that is none of them.
fn in_order<'s>(inner: &'s [Statement], list: &[&str]) -> Result<&'s [Statement], Wrong> {
    let mut due = 0;
    for (n, s) in inner.iter().enumerate() {
        let Some(place) = list.iter().position(|field| *field == s.word) else { return Ok(&inner[n..]) };
        if place < due {
            return wrong(s, "stands behind a field that follows it on the wire, or twice");
        }
        due = place + 1;
        values(s, if is_float(&s.word) { "f" } else { "i" })?;
    }
    Ok(&[])
}

fn entity(s: &Statement) -> Result<(), Wrong> {
    if s.word != "entity" || s.inner.first().is_none_or(|first| first.word != "index") {
        return wrong(s, "an entity with its index first is due here");
    }
    values(&s.inner[0], "i")?;
    match &s.inner[1..] {
        [only] if only.word == "remove" => values(only, ""),
        fields => match in_order(fields, &ENTITY)? {
            [] => Ok(()),
            [other, ..] => wrong(other, "is no field of an entity"),
        },
    }
}

fn player(s: &Statement) -> Result<(), Wrong> {
    let mut left = in_order(&s.inner, &PLAYER)?;
    for (list, item) in LISTS {
        let Some((first, rest)) = left.split_first().filter(|(first, _)| first.word == list) else { continue };
        for s in &first.inner {
            if s.word != item {
                return wrong(s, format_args!("is no {item}"));
            }
            exactly(s, &s.inner, &[("index", "i"), ("value", "i")])?;
        }
        left = rest;
    }
    match left.first() {
        None => Ok(()),
        Some(other) => wrong(other, "is no field of a player, or too late"),
    }
}

fn gamestate(s: &Statement) -> Result<(), Wrong> {
    let is_told = |s: &&Statement| matches!(&*s.word, "configstring" | "baseline");
    let (told, around): (Vec<_>, Vec<_>) = s.inner.iter().partition(is_told);
    let around: Vec<_> = around.into_iter().cloned().collect();
    exactly(s, &around, &[("serverCommandSequence", "i"), ("clientNum", "i"), ("checksumFeed", "i")])?;
    let last = s.inner.iter().rposition(|s| is_told(&s)).unwrap_or(0);
    if s.inner[0].word != "serverCommandSequence" || last + 2 >= s.inner.len() {
        return wrong(s, "what it tells stands behind serverCommandSequence and in front of clientNum");
    }
    for s in told {
        match &*s.word {
            "configstring" => exactly(s, &s.inner, &[("index", "i"), ("value", "s")])?,
            _ if s.inner.len() == 1 => entity(&s.inner[0])?,
            _ => return wrong(s, "holds one entity"),
        }
    }
    Ok(())
}

fn message(s: &Statement) -> Result<(), Wrong> {
    match &*s.word {
        "gamestate" => gamestate(s),
        "serverCommand" => exactly(s, &s.inner, &[("seq", "i"), ("value", "s")]),
        "snapshot" => {
            let (head, rest) = s.inner.split_at(4.min(s.inner.len()));
            exactly(s, head, &[("serverTime", "i"), ("deltaNum", "i"), ("snapFlags", "i"), ("areamask", "I")])?;
            match rest {
                [who, all] if who.word == "player" && all.word == "entities" => {
                    player(who)?;
                    all.inner.iter().try_for_each(entity)
                }
                _ => wrong(s, "player and entities are due at the end"),
            }
        }
        "download" if s.inner.len() == 3 => {
            exactly(s, &s.inner, &[("transfer", "i"), ("downloadSize", "i"), ("data", "I")])
        }
        "download" => exactly(s, &s.inner, &[("transfer", "i"), ("data", "I")]),
        _ => wrong(s, "no message of a dm3"),
    }
}

/// A statement at the top of a text.
pub(super) fn check_top(s: &Statement, first: bool) -> Result<(), Wrong> {
    match &*s.word {
        "dm3" if first => values(s, ""),
        "endblock" if !first => values(s, ""),
        "block" if !first => {
            let (head, messages) = s.inner.split_at(2.min(s.inner.len()));
            exactly(s, head, &[("sequence", "i"), ("rel_ack", "i")])?;
            messages.iter().try_for_each(message)
        }
        _ => wrong(s, "dm3 stands first and once, block and endblock behind it"),
    }
}
