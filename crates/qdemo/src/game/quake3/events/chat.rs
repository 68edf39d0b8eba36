//! Chat of Quake III: a command with the name in front of the text.

use super::who;
use crate::event::{self, Chat, PlayerRef};
use crate::game::quake3::{World, first_word, unquoted};
use crate::world::Scene;

/// Game modules set the parts of a line apart with this.
const MARK: u8 = 0x19;

/// The chat in a command: its name, and what stands behind.
pub(super) fn parse(world: &World, command: &[u8], rest: &[u8]) -> Option<Chat> {
    if command == b"mm2" {
        return team_message(world, rest);
    }
    let team = command == b"tchat";
    let mut line = unquoted(rest);
    // Quake Live: the slot in front.
    let mut speaker = None;
    if world.dialect().layout.indices.quake_live {
        if let [a @ b'0'..=b'9', b @ b'0'..=b'9', b' ', after @ ..] = line {
            speaker = who(world, i32::from(a - b'0') * 10 + i32::from(b - b'0'));
            line = after;
        }
    }
    let (head, text) = split(world, line, speaker.as_ref());
    let private = !team && head.is_some_and(is_private);
    let (name, location) = match head {
        Some(head) if team || private => enclosed(head),
        head => (head, None),
    };
    // The slot may be that of somebody else by now: the name in the line is who spoke.
    let fits =
        |who: &PlayerRef| name.is_none_or(|name| ends_with(&world.charset().clean(&without_marks(name)), &who.name));
    if !speaker.as_ref().is_some_and(fits) {
        speaker = name.map(|name| find(world, name));
    }
    let text_raw = if head.is_some() { text.to_vec() } else { line.to_vec() };
    let location = location.map(|location| world.charset().clean(location)).filter(|l| !l.is_empty());
    Some(Chat { speaker, text: event::one_line(&world.charset().clean(&text_raw)), text_raw, team, private, location })
}

/// CPMA's team chat: `mm2 CLIENT LOCATION "text"`.
fn team_message(world: &World, rest: &[u8]) -> Option<Chat> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.parse::<i32>().ok());
    let client = first_word(rest);
    let rest = rest.get(client.len() + 1..)?;
    let place = first_word(rest);
    let text_raw = unquoted(rest.get(place.len() + 1..)?).to_vec();
    let location = number(place).and_then(|n| u16::try_from(n).ok()).and_then(|n| {
        let first = world.dialect().layout.indices.locations;
        Some(world.charset().clean(world.configstrings().get(first.checked_add(n)?))).filter(|l| !l.is_empty())
    });
    let speaker = number(client).and_then(|slot| who(world, slot));
    Some(Chat {
        speaker,
        text: event::one_line(&world.charset().clean(&text_raw)),
        text_raw,
        team: true,
        private: false,
        location,
    })
}

/// Divides a line at the `: ` that stands behind a known name; where none does, at the first.
fn split<'t>(world: &World, line: &'t [u8], speaker: Option<&PlayerRef>) -> (Option<&'t [u8]>, &'t [u8]) {
    let breaks = || line.windows(2).enumerate().filter(|(_, pair)| *pair == b": ").map(|(at, _)| at);
    let is_name = |at: usize| {
        let head = line.get(..at).unwrap_or_default();
        let is_enclosed = matches!(head, [MARK | b'(', ..]);
        let name = if is_enclosed { enclosed(head).0 } else { Some(head) };
        let clean = world.charset().clean(&without_marks(name.unwrap_or_default()));
        match speaker {
            // A clan may stand in front of the name.
            Some(speaker) if ends_with(&clean, &speaker.name) => true,
            _ => world.players().any(|p| p.clean_name().trim_end() == clean.trim_end()),
        }
    };
    match breaks().find(|at| is_name(*at)).or_else(|| breaks().next()) {
        Some(at) => (line.get(..at), line.get(at + 2..).unwrap_or_default()),
        None => (None, line),
    }
}

/// True for what stands in front of a text that one player alone is told (`SAY_TELL` in id's `g_cmds.c`).
fn is_private(head: &[u8]) -> bool {
    head.starts_with(&[MARK, b'['])
}

/// `(NAME) (LOCATION)` of a team, `[NAME] (LOCATION)` of what one player is told: the two, without marks.
fn enclosed(head: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    let is_edge = |b: &u8| matches!(*b, MARK | b' ');
    let start = head.iter().position(|b| !is_edge(b)).unwrap_or(0);
    let end = head.iter().rposition(|b| !is_edge(b)).map_or(0, |n| n + 1);
    let (close, inner) = match head.get(start..end) {
        Some([b'(', inner @ ..]) => (b')', inner),
        Some([b'[', inner @ ..]) if is_private(head) => (b']', inner),
        _ => return (Some(head), None),
    };
    let divider = inner.windows(3).position(|w| w == [close, b' ', b'(']);
    match divider {
        Some(at) => {
            let location = inner.get(at + 3..).map(|rest| rest.strip_suffix(b")").unwrap_or(rest));
            (inner.get(..at), location)
        }
        None => (Some(inner.strip_suffix(&[close]).unwrap_or(inner)), None),
    }
}

fn without_marks(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|b| *b != MARK).collect()
}

/// True for a name with something in front of it, such as a clan.
fn ends_with(line: &str, name: &str) -> bool {
    !name.trim().is_empty() && line.trim_end().ends_with(name.trim_end())
}

/// The player with a name, perhaps behind that of a clan; somebody without a slot when there is none.
fn find(world: &World, name: &[u8]) -> PlayerRef {
    let name = without_marks(name);
    let clean = world.charset().clean(&name);
    let same = world.players().find(|p| p.clean_name().trim_end() == clean.trim_end());
    let found = same.or_else(|| world.players().find(|p| ends_with(&clean, &p.clean_name())));
    found.map_or_else(|| PlayerRef::named(&name, world.charset()), |p| PlayerRef::of(&p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_in_parentheses() {
        assert_eq!(enclosed(b"\x19(pzk^7\x19) (Quad)\x19"), (Some(&b"pzk^7\x19"[..]), Some(&b"Quad"[..])));
        assert_eq!(enclosed(b"(pzk^7)"), (Some(&b"pzk^7"[..]), None));
        assert_eq!(enclosed(b"\x19[pzk^7\x19] (Quad)\x19"), (Some(&b"pzk^7\x19"[..]), Some(&b"Quad"[..])));
        assert_eq!(enclosed(b"\x19[pzk^7\x19]\x19"), (Some(&b"pzk^7\x19"[..]), None));
        assert_eq!(enclosed(b"[clan]pzk"), (Some(&b"[clan]pzk"[..]), None));
        assert_eq!(enclosed(b"pzk"), (Some(&b"pzk"[..]), None));
        assert_eq!(enclosed(b""), (Some(&b""[..]), None));
    }
}
