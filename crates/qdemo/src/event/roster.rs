//! Names of players, to be found in texts.

use std::cmp::Ordering;

use super::{Frag, FragKind, PlayerRef};

/// True for a name by which somebody who comes back is known: games give these to those who have not taken any.
pub(crate) fn tells_apart(name: &[u8]) -> bool {
    !matches!(name, b"" | b"unnamed" | b"player" | b"UnnamedPlayer")
}

/// A name without the number that servers of QuakeWorld put in front of one that somebody has already: `(1)Alpha`. The game itself
/// goes on to call a player so who takes such a name in the middle of it.
pub(crate) fn without_number(name: &str) -> Option<&str> {
    let (number, rest) = name.strip_prefix('(')?.split_once(')')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    Some(rest).filter(|rest| is_number && !rest.is_empty())
}

/// Longer names are cut by servers of QuakeWorld, and by KTX.
const LONGEST_NAME: usize = 31;

/// What a server of QuakeWorld calls a player who wants to be called so, where that is something else: it takes the blanks around a
/// name away, and gives its own where there is a character that it does not allow, a colour of ezQuake, or its console's name
/// (`SV_ExtractFromUserinfo` of mvdsv). KTX goes on to use what the player asked for (`ClientUserInfoChanged`).
fn as_served(asked: &str) -> Option<&str> {
    let name = asked.trim_matches(' ');
    let is_refused = |name: &str| {
        name.contains(['\\', '\r', '\n', '$', '#', '"', ';'])
            || ["&c", "&r"].iter().any(|colour| name.contains(colour))
            || name.eq_ignore_ascii_case("console")
    };
    if name.is_empty() || asked.len() > LONGEST_NAME {
        return None;
    }
    if is_refused(name) { Some("unnamed") } else { Some(name).filter(|name| name.len() < asked.len()) }
}

/// A line: in plain characters, and as the bytes in the file, where these are known. A character for each byte: places
/// are the same in both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    pub(crate) plain: &'t str,
    pub(crate) raw: &'t [u8],
}

impl<'t> Line<'t> {
    /// A line of which only the characters are known.
    pub(crate) fn plain(plain: &'t str) -> Self {
        Line { plain, raw: &[] }
    }

    /// The bytes of a name with which the rest of the line begins.
    fn bytes_of(self, name: &str, rest: &str) -> &'t [u8] {
        let at = self.plain.len().saturating_sub(rest.len());
        self.raw.get(at..at + name.len()).unwrap_or_default()
    }
}

/// The name of a player without a number in front.
fn called(who: &PlayerRef) -> &str {
    without_number(&who.name).unwrap_or(&who.name)
}

/// True for a player whom a server of QuakeWorld calls otherwise than asked.
pub(crate) fn asked_for(who: &PlayerRef, asked: &str) -> bool {
    as_served(asked) == Some(called(who))
}

/// The players of a level by name: those who play, and names that somebody had, of which a text may still tell.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    now: Vec<PlayerRef>,
    gone: Vec<Gone>,
    /// The game may call a player otherwise than the server does.
    renamed: bool,
}

/// A name that somebody had.
#[derive(Debug)]
struct Gone {
    was: PlayerRef,
    /// The same player by the name of today, or by the last one.
    is: PlayerRef,
    /// The player is still there.
    stays: bool,
}

impl Roster {
    /// Names that are not kept any longer than these.
    const GONE: usize = 64;

    /// Where the server changes names that players ask for, and the game does not.
    pub(crate) fn of_quakeworld() -> Self {
        Roster { renamed: true, ..Roster::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.now.clear();
        self.gone.clear();
    }

    /// Who is in a slot from now on: whoever has another name is somebody else.
    pub(crate) fn set(&mut self, slot: usize, who: Option<PlayerRef>) {
        self.put(slot, who, false);
    }

    /// The player in a slot is known by this from now on.
    pub(crate) fn rename(&mut self, slot: usize, who: PlayerRef) {
        self.put(slot, Some(who), true);
    }

    fn put(&mut self, slot: usize, who: Option<PlayerRef>, same: bool) {
        let who = who.filter(|who| !who.name.is_empty());
        if let Some(at) = self.now.iter().position(|w| w.slot == Some(slot)) {
            let before = self.now.remove(at);
            let is_named = |w: &PlayerRef| w.name == before.name && w.name_raw == before.name_raw;
            let keeps_name = who.as_ref().is_some_and(is_named);
            let stays = who.as_ref().filter(|_| same || keeps_name);
            for gone in self.gone.iter_mut().filter(|gone| gone.stays && gone.is.slot == Some(slot)) {
                gone.stays = stays.is_some();
                gone.is.clone_from(stays.unwrap_or(&before));
            }
            if !keeps_name {
                self.gone.retain(|gone| !is_named(&gone.was));
                if self.gone.len() >= Self::GONE {
                    self.gone.remove(0);
                }
                let is = stays.unwrap_or(&before).clone();
                self.gone.push(Gone { was: before, is, stays: stays.is_some() });
            }
        }
        if let Some(who) = who {
            self.now.push(who);
            self.now.sort_by_key(|w| std::cmp::Reverse(w.name.len()));
        }
    }

    /// Who is in a slot now.
    pub(crate) fn in_slot(&self, slot: usize) -> Option<&PlayerRef> {
        self.now.iter().find(|who| who.slot == Some(slot))
    }

    /// The names with which a text begins: those of players who play first, the longest name first.
    pub(crate) fn in_front_of<'r>(&'r self, text: &'r str) -> impl Iterator<Item = &'r str> {
        self.names().filter(move |name| text.starts_with(name))
    }

    /// True for a name that somebody has, or had, or that the game may have for somebody.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.names().any(|known| known == name) || self.renames(name)
    }

    /// True for a name that a player may have asked for whom the server calls otherwise.
    pub(crate) fn renames(&self, asked: &str) -> bool {
        self.served(asked).is_some()
    }

    /// Who may have asked for a name, and was called otherwise.
    fn served(&self, asked: &str) -> Option<PlayerRef> {
        if self.renamed { self.only(&|who| asked_for(who, asked)) } else { None }
    }

    /// True where a text may have a name that the server has changed: blanks and the name of a player, or somebody has the name of
    /// those who have none.
    pub(crate) fn may_rename(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let blanks = || text.starts_with(b" ") || text.windows(2).any(|two| matches!(two, b"  " | b" '"));
        let may_be = |who: &PlayerRef| {
            let name = called(who);
            name == "unnamed" || memchr::memmem::find(text, name.as_bytes()).is_some() && blanks()
        };
        self.renamed && self.now.iter().any(may_be)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.now.iter().chain(self.gone.iter().rev().map(|gone| &gone.was)).map(|who| &*who.name);
        all.chain(self.now.iter().filter_map(|who| without_number(&who.name)))
    }

    /// Those whom a text may mean that names this player: who is called so, with or without a number in front.
    pub(crate) fn namesakes(&self, who: &PlayerRef) -> impl Iterator<Item = &PlayerRef> {
        self.now.iter().filter(move |other| called(other) == called(who))
    }

    /// Those of one name whom a text may mean that has found this player: the game may leave the number in front out.
    pub(crate) fn meant(&self, who: &PlayerRef) -> impl Iterator<Item = &PlayerRef> {
        let is_numbered = move |other: &PlayerRef| self.renamed && without_number(&other.name) == Some(&who.name);
        self.now.iter().filter(move |other| other.name_raw == who.name_raw || is_numbered(other))
    }

    /// Of several players of a name in a text about a death the one is meant whose score the same block tells to change: who kills
    /// has more, who kills a mate or dies by nobody else's hand has less. Of two of a name who are in one text the other one dies.
    /// `changed` has slots, and whether their scores are more or less than before. False where the victim is not settled.
    pub(crate) fn told_by_scores(&self, frag: &mut Frag, changed: &[(usize, Ordering)], teams: bool) -> bool {
        let all_of = |who: &PlayerRef| self.meant(who).collect::<Vec<_>>();
        let victims = all_of(&frag.victim);
        let has = |who: &PlayerRef, way| who.slot.is_some_and(|slot| changed.contains(&(slot, way)));
        let only = |all: &[&PlayerRef], is: &dyn Fn(&PlayerRef) -> bool| -> Option<PlayerRef> {
            let mut all = all.iter().filter(|who| is(who));
            all.next().filter(|_| all.next().is_none()).map(|who| (*who).clone())
        };
        let (more, less) = (Ordering::Greater, Ordering::Less);
        if frag.attacker.is_none() || frag.kind == FragKind::Suicide {
            // Whose mate did it has not less.
            if victims.len() < 2 || frag.kind == FragKind::TeamKill {
                return victims.len() < 2;
            }
            if let Some(victim) = only(&victims, &|who| has(who, less)) {
                frag.attacker = frag.attacker.take().map(|_| victim.clone());
                frag.victim = victim;
                return true;
            }
            // One of both names in the text is the other one's.
            let killer = only(&victims, &|who| has(who, more)).filter(|_| !victims.iter().any(|who| has(who, less)));
            let Some(killer) = killer.filter(|_| frag.attacker.is_some()) else { return false };
            frag.attacker = Some(killer);
        } else if let Some(killer) = &mut frag.attacker {
            let killers = all_of(killer);
            let way = if frag.kind == FragKind::TeamKill { less } else { more };
            if let Some(it) = only(&killers, &|who| has(who, way)).filter(|_| killers.len() > 1) {
                *killer = it;
            }
        }
        let Some(killer) = &frag.attacker else { return false };
        let slot = killer.slot;
        let settled = victims.len() < 2
            || slot.is_some() && {
                let other = only(&victims, &|who| who.slot != slot);
                let found = other.is_some();
                other.into_iter().for_each(|other| frag.victim = other);
                found
            };
        if !settled && slot.is_some() && frag.victim.slot == slot {
            frag.victim.slot = None;
        }
        if frag.kind == FragKind::Suicide {
            frag.kind = FragKind::of(frag.attacker.as_ref(), &frag.victim, teams);
        }
        settled
    }

    /// The player whose name stands in a line, where `rest` of it begins. Games tell names apart by their bytes, or not at
    /// all: a name that several have now tells no slot.
    pub(crate) fn named(&self, name: &str, line: Line<'_>, rest: &str) -> Option<PlayerRef> {
        let raw = line.bytes_of(name, rest);
        let (same, alike) = (|who: &PlayerRef| who.name_raw == raw, |who: &PlayerRef| who.name == name);
        let gone = |is: &dyn Fn(&PlayerRef) -> bool| self.gone.iter().rev().find(|gone| is(&gone.was));
        (self.only(&same).or_else(|| gone(&same).map(|gone| gone.is.clone())))
            .or_else(|| self.only(&alike).or_else(|| gone(&alike).map(|gone| gone.is.clone())))
            .or_else(|| self.only(&|who| without_number(&who.name) == Some(name)))
            .or_else(|| self.served(name))
    }

    /// The player of whom something is true; without what differs where it is of several.
    fn only(&self, is: &dyn Fn(&PlayerRef) -> bool) -> Option<PlayerRef> {
        let mut all = self.now.iter().filter(|who| is(who));
        let first = all.next()?.clone();
        Some(all.fold(first, |who, other| {
            let team = who.team.filter(|team| other.team.as_ref() == Some(team));
            PlayerRef { slot: None, team, ..who }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Charset;

    fn who(slot: usize, name: &[u8]) -> PlayerRef {
        PlayerRef { slot: Some(slot), ..PlayerRef::named(name, Charset::Quake) }
    }

    /// Slot and name of the player whose name a line is.
    fn found(roster: &Roster, raw: &[u8]) -> Option<(Option<usize>, Vec<u8>)> {
        let plain = crate::wire::clean(raw);
        roster.named(&plain, Line { plain: &plain, raw }, &plain).map(|who| (who.slot, who.name_raw))
    }

    #[test]
    fn names_are_bytes() {
        let mut roster = Roster::default();
        roster.set(0, Some(who(0, b"\xE1lpha")));
        roster.set(1, Some(who(1, b"alpha")));
        assert_eq!(found(&roster, b"\xE1lpha"), Some((Some(0), b"\xE1lpha".to_vec())));
        assert_eq!(found(&roster, b"alpha"), Some((Some(1), b"alpha".to_vec())));
        // Neither is written so.
        assert_eq!(found(&roster, b"a\xECpha").unwrap().0, None);
        // Who went is known by the name still, and is not the other one.
        roster.set(0, None);
        assert_eq!(found(&roster, b"\xE1lpha").unwrap().0, Some(0));
        assert_eq!(found(&roster, b"a\xECpha").unwrap().0, Some(1));
    }

    #[test]
    fn two_of_a_name_have_no_slot() {
        let mut roster = Roster::default();
        for (slot, team) in [(0, "red"), (1, "red"), (2, "blue")] {
            roster.set(slot, Some(PlayerRef { team: Some(team.to_owned()), ..who(slot, b"player") }));
        }
        let named = |roster: &Roster| roster.named("player", Line::plain("player"), "player").unwrap();
        assert_eq!((named(&roster).slot, named(&roster).team), (None, None));
        roster.set(2, None);
        assert_eq!((named(&roster).slot, named(&roster).team.as_deref()), (None, Some("red")));
        roster.set(1, None);
        assert_eq!(named(&roster).slot, Some(0));
    }

    /// As servers of QuakeWorld write a name that somebody has already; the game's texts may leave the number out.
    #[test]
    fn numbers_in_front_of_names() {
        let mut roster = Roster::default();
        roster.set(0, Some(who(0, b"Alpha")));
        roster.set(1, Some(who(1, b"(1)Alpha")));
        roster.set(2, Some(who(2, b"(x)Beta")));
        assert_eq!(found(&roster, b"Alpha").unwrap().0, Some(0));
        let namesakes: Vec<_> = roster.namesakes(&who(0, b"Alpha")).filter_map(|who| who.slot).collect();
        assert_eq!(namesakes, [1, 0]);
        assert_eq!(found(&roster, b"Beta"), None);
        roster.clear();
        roster.set(1, Some(who(1, b"(1)Alpha")));
        assert!(roster.knows("Alpha") && !roster.knows("(1)"));
        assert_eq!(found(&roster, b"Alpha").unwrap().0, Some(1));
    }

    #[test]
    fn names_of_before() {
        let mut roster = Roster::default();
        roster.set(1, Some(who(1, b"beta")));
        roster.rename(1, who(1, b"gamma"));
        assert_eq!(found(&roster, b"beta"), Some((Some(1), b"gamma".to_vec())));
        roster.rename(1, who(1, b"delta"));
        assert_eq!(found(&roster, b"beta"), Some((Some(1), b"delta".to_vec())));
        // Another one in the slot is not the same player.
        roster.set(1, Some(who(1, b"other")));
        roster.rename(1, who(1, b"another"));
        assert_eq!(found(&roster, b"beta"), Some((Some(1), b"delta".to_vec())));
        assert_eq!(found(&roster, b"other"), Some((Some(1), b"another".to_vec())));
        // Who takes a name that another had is meant by it.
        roster.set(0, Some(who(0, b"beta")));
        assert_eq!(found(&roster, b"beta").unwrap().0, Some(0));
    }
}
