//! What the servers of Quake and QuakeWorld print: lines in pieces, chat, pickups, deaths.

use std::borrow::Cow;

use super::obituary::Patterns;
use super::roster::{Line, Roster};
use super::{Chat, Frag, FragKind, PlayerRef, flags, one_line};
use crate::wire::clean;
use crate::world::{Charset, TextTag};

/// Level of a print, and the slot of the player for whom alone it is.
pub(crate) type To = (Option<u8>, Option<u8>);

/// Puts lines together that come in pieces.
#[derive(Debug, Default, Clone)]
pub(crate) struct Lines {
    open: Vec<(To, Text)>,
    /// Lines that the block at hand has left open: one for each reader.
    fresh: Vec<To>,
}

/// Lines, and where their pieces begin.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) raw: Vec<u8>,
    /// With their levels.
    starts: Vec<(usize, Option<u8>)>,
}

impl Lines {
    /// No line of a game is longer.
    const LONGEST: usize = 4096;

    /// Takes in a piece. Gives the text that ends with it.
    pub(crate) fn add(&mut self, to: To, piece: &[u8]) -> Option<Text> {
        self.put(to, to.0, piece)
    }

    /// The same, where the pieces of a line may have other levels: a piece goes on with the line that the block at hand has
    /// left open for the same reader. The text has the level of its first piece.
    pub(crate) fn add_across(&mut self, to: To, piece: &[u8]) -> Option<(To, Text)> {
        let at = self.fresh.iter().position(|open| open.1 == to.1);
        let of = at.map_or(to, |at| self.fresh.swap_remove(at));
        let text = self.put(of, to.0, piece);
        if text.is_none() && (at.is_some() || !piece.is_empty()) {
            self.fresh.push(of);
        }
        Some((of, text?))
    }

    /// The block at hand ends.
    pub(crate) fn block_ends(&mut self) {
        self.fresh.clear();
    }

    fn put(&mut self, to: To, level: Option<u8>, piece: &[u8]) -> Option<Text> {
        let at = self.open.iter().position(|(other, _)| *other == to);
        let mut text = at.map(|at| self.open.swap_remove(at).1).unwrap_or_default();
        text.starts.push((text.raw.len(), level));
        text.raw.extend_from_slice(piece);
        // Some lines have a blank behind their end.
        let end = piece.iter().rposition(|b| *b == b'\n').map(|n| n + 1);
        let ended = end.is_some_and(|end| piece.get(end..).is_some_and(|rest| rest.iter().all(|b| *b == b' ')));
        if ended || text.raw.len() > Self::LONGEST {
            return Some(text);
        }
        if !text.raw.is_empty() {
            self.open.push((to, text));
        }
        None
    }

    /// What has not ended so far.
    pub(crate) fn open(&self) -> impl Iterator<Item = &(To, Text)> {
        self.open.iter()
    }

    /// What has not ended.
    pub(crate) fn rest(&mut self) -> impl Iterator<Item = (To, Text)> + '_ {
        self.open.drain(..)
    }
}

impl Text {
    /// The lines, of which `plain` are the plain characters. A line that came in pieces also begins at each of these, for a
    /// piece in front of it may be the end of another line.
    pub(crate) fn lines<'t>(&'t self, plain: &'t str) -> impl Iterator<Item = Line<'t>> {
        let mut at = 0;
        let lines = plain.split('\n').flat_map(move |line| {
            let (from, end) = (at, at + line.len());
            at = end + 1;
            let starts = self.starts.iter().map(|(at, _)| *at).filter(move |start| (from + 1..end).contains(start));
            let part = move |start| Some(Line { plain: plain.get(start..end)?, raw: self.raw.get(start..end)? });
            std::iter::once(from).chain(starts).filter_map(part)
        });
        lines.filter(|line| !line.plain.is_empty())
    }

    /// True where a line begins with the name of a player and says more than that somebody comes, goes, is ready or
    /// has another name: that is told otherwise.
    pub(crate) fn names_somebody(&self, plain: &str, roster: &Roster) -> bool {
        plain.lines().any(|line| {
            let mut behind = roster.in_front_of(line).filter_map(|name| line.get(name.len()..));
            let is_name = |rest: &str| rest.starts_with([' ', '\'']) && rest.len() > 1;
            behind.any(|rest| is_name(rest) && !NOTICES.iter().any(|notice| rest.starts_with(notice)))
        })
    }

    /// The chat with which it ends, and where that begins. A piece in front of it may be the end of another line, so it
    /// begins with the first piece printed as chat that has the name of a player in front; where none has, with the first.
    pub(crate) fn chat(&self, roster: &Roster) -> Option<(usize, Chat)> {
        let pieces = self.starts.iter().filter_map(|(at, level)| Some((*at, *level, self.raw.get(*at..)?)));
        let is_chat = |(_, level, raw): &(usize, Option<u8>, &[u8])| TextTag::of_print(*level, raw) == TextTag::Chat;
        let mut pieces = pieces.filter(is_chat).map(|(at, _, raw)| (at, raw));
        let (first, raw) = pieces.clone().next()?;
        let known = pieces.find_map(|(at, raw)| Some((at, said(raw, roster, false)?)));
        known.or_else(|| Some((first, said(raw, roster, true)?)))
    }

    /// The pieces in which it came: where each begins, its level, its bytes.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (usize, Option<u8>, &[u8])> {
        let ends = self.starts.iter().skip(1).map(|(at, _)| *at).chain([self.raw.len()]);
        let pieces = self.starts.iter().zip(ends);
        pieces.map(|((at, level), end)| (*at, *level, self.raw.get(*at..end).unwrap_or_default()))
    }

    /// What stands in front of a place.
    pub(crate) fn in_front_of(&self, place: usize) -> Option<Text> {
        let raw = self.raw.get(..place).filter(|raw| !raw.is_empty())?.to_vec();
        let starts = self.starts.iter().copied().filter(|(at, _)| *at < place).collect();
        Some(Text { raw, starts })
    }

    /// What it tells of flags.
    pub(crate) fn flags(&self, plain: &str, roster: &Roster) -> Vec<flags::FlagText> {
        self.lines(plain).filter_map(|line| flags::find(line, roster)).collect()
    }

    /// The deaths that it tells: the lists are asked one after another, of each line as it is, then of what it is without a
    /// mark that may stand in front of names. `teams` tells that the game is played in teams.
    pub(crate) fn frags<'p>(
        &self,
        plain: &str,
        mark: Option<u8>,
        lists: impl Iterator<Item = &'p Patterns> + Clone,
        roster: &Roster,
        teams: bool,
    ) -> Vec<Frag> {
        let mut all = Vec::new();
        for line in self.lines(plain) {
            let find = |line: Line<'_>| lists.clone().find_map(|patterns| patterns.find(line, roster));
            let behind =
                |line: Line<'_>| without_remark(line).and_then(|(line, of_mates)| Some((find(line)?, of_mates)));
            let told = |line: Line<'_>| find(line).map(|found| (found, false)).or_else(|| behind(line));
            let unmarked = || {
                let raw = without(line.raw, mark.filter(|mark| line.raw.contains(mark))?);
                told(Line { plain: &clean(&raw), raw: &raw })
            };
            let Some((found, of_mates)) = told(line).or_else(unmarked) else { continue };
            let kind = match (&found.killer, &found.victim) {
                (Some(_), Some(_)) if found.kind == FragKind::Kill && of_mates => FragKind::TeamKill,
                (Some(killer), Some(victim)) if found.kind == FragKind::Kill => {
                    FragKind::of(Some(killer), victim, teams)
                }
                _ => found.kind,
            };
            let attacker = if kind == FragKind::Suicide { found.victim.clone() } else { found.killer };
            all.push(Frag {
                attacker,
                victim: found.victim.unwrap_or_default(),
                weapon: found.weapon,
                means: found.means,
                kind,
                attacker_origin: None,
                victim_origin: None,
            });
        }
        all
    }
}

/// The bytes but for those that are a mark.
pub(crate) fn without(raw: &[u8], mark: u8) -> Vec<u8> {
    raw.iter().copied().filter(|byte| *byte != mark).collect()
}

/// A line about a death without what mods of Quake II write behind it, and true where that says that it was one among team
/// mates: OSP Tourney and D-Day: Normandy. The second one also tells who wounded the victim before (`ClientObituary` of both).
fn without_remark(line: Line<'_>) -> Option<(Line<'_>, bool)> {
    let up_to = |end: usize| Some(Line { plain: line.plain.get(..end)?, raw: line.raw.get(..end).unwrap_or_default() });
    if let Some(front) = line.plain.strip_suffix("  ** Teammate Kill **") {
        return Some((up_to(front.len())?, true));
    }
    let remark = line.plain.strip_suffix('.').unwrap_or(line.plain).strip_suffix(')')?;
    if let Some((front, who)) = remark.rsplit_once(" (Friendly fire") {
        return Some((up_to(front.len()).filter(|_| who.is_empty() || who.starts_with(", Kill credited to "))?, true));
    }
    let (front, _) = remark.rsplit_once(" (kill credited to ")?;
    Some((up_to(front.len())?, false))
}

/// The chat in a print: the name of who says it stands in front. `None` where none does; unless it is of `anybody`, where
/// the name is not that of a player.
fn said(raw: &[u8], roster: &Roster, anybody: bool) -> Option<Chat> {
    // What somebody says at a server of Quake itself begins with the name of the server (`Host_Say_f`).
    let server = raw.strip_prefix(b"\x01<").and_then(|rest| rest.get(..rest.windows(2).position(|end| end == b"> ")?));
    let raw = raw.strip_prefix(&[1]).unwrap_or(raw);
    let end = raw.iter().rposition(|b| *b != b'\n').map_or(0, |n| n + 1);
    let raw = raw.get(..end).unwrap_or_default();
    // A character for each byte: places are the same in both.
    let plain = clean(raw);
    let line = Line { plain: &plain, raw };
    let found = HEADS.iter().find_map(|(head, to)| {
        let rest = plain.strip_prefix(head)?;
        let colon = if *to == Listeners::Team { "):" } else { ":" };
        let name =
            roster.in_front_of(rest).find(|name| rest.get(name.len()..).is_some_and(|r| r.starts_with(colon)))?;
        Some((roster.named(name, line, rest), head.len() + name.len() + colon.len(), *to))
    });
    let (speaker, from, to) = match (found, server) {
        (Some(found), _) => found,
        (None, Some(name)) => (Some(PlayerRef::named(name, Charset::Quake)), name.len() + 2, Listeners::All),
        (None, None) if !anybody => return None,
        (None, None) => {
            let colon = plain.find(": ")?;
            let head = raw.get(..colon).unwrap_or_default();
            let inner = head.strip_prefix(b"(").and_then(|head| head.strip_suffix(b")"));
            let to = if inner.is_some() { Listeners::Team } else { Listeners::All };
            (Some(PlayerRef::named(inner.unwrap_or(head), Charset::Quake)), colon + 1, to)
        }
    };
    let text_raw = raw.get(from..).unwrap_or_default();
    let text_raw = text_raw.strip_prefix(b" ").unwrap_or(text_raw).to_vec();
    let text = one_line(&without_markup(&clean(&text_raw)));
    let (team, private) = (to == Listeners::Team, to == Listeners::One);
    Some(Chat { speaker, text, text_raw, team, private, location: None })
}

/// For whom chat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listeners {
    All,
    /// The own team: the name stands in brackets.
    Team,
    /// The partner within the team.
    One,
}

/// What stands in front of the name of who speaks. Who is dead, partner or admin: Action Quake 2 (`Cmd_Say_f` of The Next
/// Generation, aq2-tng, source/g_cmds.c).
const HEADS: [(&str, Listeners); 8] = [
    ("", Listeners::All),
    ("(", Listeners::Team),
    ("[SPEC] ", Listeners::All),
    ("[DEAD] ", Listeners::All),
    ("[DEAD] (", Listeners::Team),
    ("[PARTNER] ", Listeners::One),
    ("[DEAD PARTNER] ", Listeners::One),
    ("[ADMIN] ", Listeners::All),
];

/// Chat without what only ezQuake understands: `&cRGB` and `&r` for colours, braces around what is white.
fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // A brace that nothing closes, or that closes nothing, is one that somebody typed.
    let mut open = 0;
    while let Some(c) = rest.chars().next() {
        let colour = rest.strip_prefix("&c").and_then(|rest| {
            let (digits, behind) = rest.split_at_checked(3)?;
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(behind)
        });
        if let Some(behind) = colour.or(rest.strip_prefix("&r")) {
            rest = behind;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '{' if rest.contains('}') => open += 1,
            '}' if open > 0 => open -= 1,
            c => out.push(c),
        }
    }
    out
}

/// What a line in plain characters says that its reader took.
pub(crate) fn pickup(line: &str) -> Option<Cow<'static, str>> {
    let line = line.trim_end_matches(['\n', '!', '.', ' ']);
    if let Some(rest) = line.strip_prefix("You receive ") {
        let amount: u32 = rest.strip_suffix(" health")?.parse().ok()?;
        return Some(if amount >= 100 { Cow::Borrowed("megahealth") } else { Cow::Owned(format!("health_{amount}")) });
    }
    if line.starts_with("You get ") {
        return Some(Cow::Borrowed("backpack"));
    }
    let thing = line.strip_prefix("You got ")?;
    let thing = thing.strip_prefix("the ").unwrap_or(thing).to_ascii_lowercase();
    THINGS.iter().find(|(text, _)| *text == thing).map(|(_, name)| Cow::Borrowed(*name))
}

/// What stands behind a name in lines about coming, going, waiting and names.
const NOTICES: [&str; 15] = [
    " entered the game",
    " left the game",
    " exited the level",
    " connected",
    " disconnected",
    " reconnected",
    " timed out",
    " wimped out and left",
    " was kicked",
    " is ready",
    " is READY",
    " is not ready",
    " changed name to ",
    " changed their name to ",
    " is now known as ",
];

/// What games call things.
const THINGS: [(&str, &str); 35] = [
    ("shotgun", "shotgun"),
    ("super shotgun", "super_shotgun"),
    ("double-barrelled shotgun", "super_shotgun"),
    ("nailgun", "nailgun"),
    ("super nailgun", "super_nailgun"),
    ("perforator", "super_nailgun"),
    ("grenade launcher", "grenade_launcher"),
    ("rocket launcher", "rocket_launcher"),
    ("thunderbolt", "lightning_gun"),
    ("shells", "shells"),
    ("nails", "nails"),
    ("spikes", "nails"),
    ("rockets", "rockets"),
    ("cells", "cells"),
    ("armor", "armor"),
    ("green armor", "green_armor"),
    ("yellow armor", "yellow_armor"),
    ("red armor", "red_armor"),
    ("megahealth", "megahealth"),
    ("quad damage", "quad"),
    ("pentagram of protection", "invulnerability"),
    ("ring of shadows", "invisibility"),
    ("biosuit", "biosuit"),
    ("silver key", "silver_key"),
    ("silver keycard", "silver_key"),
    ("silver runekey", "silver_key"),
    ("gold key", "gold_key"),
    ("gold keycard", "gold_key"),
    ("gold runekey", "gold_key"),
    ("rune", "rune"),
    ("resistance rune", "resistance"),
    ("strength rune", "strength"),
    ("haste rune", "haste"),
    ("regeneration rune", "regeneration"),
    ("flag", "flag"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_lines() {
        let mut lines = Lines::default();
        let to = (None, None);
        assert_eq!(lines.add(to, b"a"), None);
        assert_eq!(lines.add((Some(2), None), b"b\n").map(|t| t.raw), Some(b"b\n".to_vec()));
        assert_eq!(lines.add(to, b" died"), None);
        let text = lines.add(to, b".\n ").unwrap();
        assert_eq!(text.raw, b"a died.\n ");
        let plain: Vec<_> = text.lines("a died.\n ").map(|line| line.plain).collect();
        assert_eq!(plain, ["a died.", " died.", ".", " "]);
        assert_eq!(lines.add(to, b""), None);
        assert_eq!(lines.rest().count(), 0);
    }

    /// Jump mods of Quake II print the times of a run at the level of chat, within a line of another one.
    #[test]
    fn pieces_of_other_levels() {
        const HIGH: To = (Some(2), None);
        const CHAT: To = (Some(3), None);
        let mut lines = Lines::default();
        assert_eq!(lines.add_across(HIGH, b"b finished (PB "), None);
        assert_eq!(lines.add_across((Some(3), Some(1)), b"to one\n").map(|t| t.0), Some((Some(3), Some(1))));
        assert_eq!(lines.add_across(CHAT, b"-1.345 "), None);
        let (to, text) = lines.add_across(HIGH, b"| 1st)\n").unwrap();
        assert_eq!((to, &*text.raw), (HIGH, &b"b finished (PB -1.345 | 1st)\n"[..]));
        // In another block it is another line.
        assert_eq!(lines.add_across(HIGH, b"5 "), None);
        lines.block_ends();
        assert_eq!(lines.add_across(CHAT, b"b: hi\n").map(|t| t.0), Some(CHAT));
        assert_eq!(lines.rest().map(|(_, text)| text.raw).collect::<Vec<_>>(), [b"5 "]);
    }

    /// What a mod printed without a line end stands in front of what comes next.
    #[test]
    fn chat_behind_a_piece() {
        let mut roster = Roster::default();
        roster.set(3, Some(PlayerRef { slot: Some(3), ..PlayerRef::named(b"a: b", Charset::Quake) }));
        let told = |level: Option<u8>, pieces: &[&[u8]]| {
            let mut lines = Lines::default();
            pieces.iter().find_map(|piece| lines.add((level, None), piece)).unwrap()
        };
        let text = |pieces: &[&[u8]]| told(None, pieces);
        let slot = |chat: &Chat| chat.speaker.as_ref().and_then(|who| who.slot);
        let chat_of = |text: Text| {
            let (from, chat) = text.chat(&roster)?;
            Some((from, slot(&chat), chat.text))
        };
        let all = |pieces: &[&[u8]]| chat_of(told(Some(3), pieces));
        assert_eq!(told(Some(2), &[b"a: b: hi\n"]).chat(&roster), None);
        assert_eq!(all(&[b"5 ", b"a: b: hi\n"]), Some((2, Some(3), "hi".to_owned())));
        assert_eq!(all(&[b"a: b", b": hi ", b"a: b: you\n"]), Some((0, Some(3), "hi a: b: you".to_owned())));
        assert_eq!(all(&[b"5 ", b"c: hi\n"]), Some((0, None, "hi".to_owned())));
        let marked = |pieces: &[&[u8]]| chat_of(text(pieces));
        assert_eq!(marked(&[b"5 ", b"a: b: hi\n"]), None);
        assert_eq!(marked(&[b"5 ", b"\x01a: b: hi\n"]), Some((2, Some(3), "hi".to_owned())));
        assert_eq!(text(&[b"5 ", b"6 ", b"7\n"]).in_front_of(4).map(|front| front.raw), Some(b"5 6 ".to_vec()));
        assert_eq!(text(&[b"5\n"]).in_front_of(0), None);
    }

    /// At a server of Quake itself somebody says something (`Host_Say_f`).
    #[test]
    fn chat_of_a_server() {
        let roster = Roster::default();
        let it = chat(b"\x01<my: server> rules: none\n", &roster).unwrap();
        assert_eq!((it.speaker.unwrap().name, &*it.text), ("my: server".to_owned(), "rules: none"));
        assert_eq!(chat(b"\x01<no end\n", &roster), None);
        assert_eq!(chat(b"<x> rules: none\n", &roster).unwrap().speaker.unwrap().name, "<x> rules");
    }

    fn chat(raw: &[u8], roster: &Roster) -> Option<Chat> {
        said(raw, roster, true)
    }

    #[test]
    fn chat_of_somebody() {
        let mut roster = Roster::default();
        roster.set(3, Some(PlayerRef { slot: Some(3), ..PlayerRef::named(b"a: b", Charset::Quake) }));
        let it = chat(b"\x01a: b: hello: you\n", &roster).unwrap();
        assert_eq!((it.speaker.unwrap().slot, &*it.text, it.team), (Some(3), "hello: you", false));
        let it = chat(b"(a: b): go\n", &roster).unwrap();
        assert_eq!((it.speaker.unwrap().slot, &*it.text, it.team), (Some(3), "go", true));
        let it = chat(b"(who): go\n", &roster).unwrap();
        assert_eq!((&*it.speaker.unwrap().name, &*it.text, it.team), ("who", "go", true));
        let it = chat(b"console: \xE8i\n", &roster).unwrap();
        assert_eq!((&*it.speaker.unwrap().name, &*it.text, &*it.text_raw), ("console", "hi", &b"\xE8i"[..]));
        // Action Quake 2 says of the speaker what others may hear.
        for (head, name_end, team, private) in [
            ("[DEAD] ", "", false, false),
            ("[DEAD] (", ")", true, false),
            ("[PARTNER] ", "", false, true),
            ("[DEAD PARTNER] ", "", false, true),
            ("[ADMIN] ", "", false, false),
            ("[SPEC] ", "", false, false),
        ] {
            let it = chat(format!("{head}a: b{name_end}: go\n").as_bytes(), &roster).unwrap();
            assert_eq!((it.speaker.unwrap().slot, &*it.text, it.team, it.private), (Some(3), "go", team, private));
        }
        // Letters of the other colour are another name.
        roster.set(4, Some(PlayerRef { slot: Some(4), ..PlayerRef::named(b"\xE1: b", Charset::Quake) }));
        assert_eq!(chat(b"(\xE1: b): go\n", &roster).unwrap().speaker.unwrap().slot, Some(4));
        assert_eq!(chat(b"a: b: go\n", &roster).unwrap().speaker.unwrap().slot, Some(3));
        assert_eq!(chat(b"no words\n", &roster), None);
        assert_eq!(chat(b"", &roster), None);
    }

    #[test]
    fn markup_of_chat_is_left_out() {
        // The first as ezQuake writes reports to a team.
        for (text, plain) in [
            ("took {&cff0ya&cfff} [{someplace}]", "took ya [someplace]"),
            ("{1} {&cf00enemy&r} at", "1 enemy at"),
            ("&cFFFwhite", "white"),
            ("8^} ", "8^} "),
            ("a { b", "a { b"),
            ("&cxyz &c12", "&cxyz &c12"),
            ("salt &rest", "salt est"),
        ] {
            assert_eq!(without_markup(text), plain);
        }
    }

    #[test]
    fn things_taken() {
        assert_eq!(pickup("You got the Super Shotgun\n").as_deref(), Some("super_shotgun"));
        assert_eq!(pickup("You receive 25 health\n").as_deref(), Some("health_25"));
        assert_eq!(pickup("You receive 100 health\n").as_deref(), Some("megahealth"));
        assert_eq!(pickup("You get 5 shells, 10 nails\n").as_deref(), Some("backpack"));
        assert_eq!(pickup("You got it\n"), None);
    }
}
