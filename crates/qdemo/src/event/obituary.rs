//! Texts about deaths, of Quake and QuakeWorld.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use super::roster::{Line, Roster};
use super::{FragKind, PlayerRef};
use crate::error::{Error, ErrorKind, Result, TextMistake};

/// What games print when somebody dies.
///
/// The text form has a line for each: what the death counts as (`kill`, `team_kill`, `suicide`, `world`), the weapon,
/// the means, the text, with tabs between. `-` is no weapon. In the text `{victim}`, `{killer}` and `{other}` stand for
/// names; there are at most two. `'s` behind a name is also found as `'`. Empty lines and those that begin with `#`
/// say nothing.
///
/// ```
/// use qdemo::event::Patterns;
/// let mine = Patterns::parse("kill\taxe\taxe\t{victim} was split by {killer}'s hatchet")?;
/// let all = mine.and(Patterns::known());
/// # Ok::<(), qdemo::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// Those with the longest text first.
    all: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    kind: FragKind,
    weapon: Cow<'static, str>,
    means: Cow<'static, str>,
    before: Cow<'static, str>,
    first: Role,
    between: Cow<'static, str>,
    second: Option<Role>,
    after: Cow<'static, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Victim,
    Killer,
    Other,
}

/// A death as a text tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Obituary {
    pub(crate) kind: FragKind,
    pub(crate) weapon: Cow<'static, str>,
    pub(crate) means: Cow<'static, str>,
    pub(crate) victim: Option<PlayerRef>,
    pub(crate) killer: Option<PlayerRef>,
}

static KNOWN: LazyLock<Arc<Patterns>> = LazyLock::new(|| Arc::new(Patterns::built_in(include_str!("obituaries.tsv"))));
static QUAKE2: LazyLock<Patterns> = LazyLock::new(|| Patterns::built_in(include_str!("obituaries_quake2.tsv")));

/// The game directory of D-Day: Normandy.
pub(crate) const DDAY: &[u8] = b"dday";

/// Mods of Quake II by their game directories: their texts mean something else elsewhere, or are said there of other things.
static QUAKE2_MODS: [(&[u8], LazyLock<Patterns>); 4] = [
    (b"arena", LazyLock::new(|| Patterns::built_in(include_str!("obituaries_arena.tsv")))),
    (b"chaos", LazyLock::new(|| Patterns::built_in(include_str!("obituaries_chaos.tsv")))),
    (DDAY, LazyLock::new(|| Patterns::built_in(include_str!("obituaries_dday.tsv")))),
    (b"wf", LazyLock::new(|| Patterns::built_in(include_str!("obituaries_wf.tsv")))),
];

impl Patterns {
    /// Those of Quake, QuakeWorld, KTX and mods that many play.
    pub fn known() -> &'static Patterns {
        &KNOWN
    }

    /// Those of Quake II and its mission packs.
    pub fn quake2() -> &'static Patterns {
        &QUAKE2
    }

    /// Those that only a mod of Quake II in such a game directory has: they count in front of the game's.
    pub(crate) fn of_quake2(gamedir: &[u8]) -> Option<&'static Patterns> {
        let mut mods = QUAKE2_MODS.iter();
        mods.find(|(dir, _)| dir.eq_ignore_ascii_case(gamedir)).map(|(_, patterns)| &**patterns)
    }

    pub(crate) fn shared() -> Arc<Patterns> {
        Arc::clone(&KNOWN)
    }

    fn built_in(text: &'static str) -> Patterns {
        Patterns::parse_with(text, Cow::Borrowed).unwrap_or_default()
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// A line that is no pattern.
    pub fn parse(text: &str) -> Result<Patterns> {
        Self::parse_with(text, |part| Cow::Owned(part.to_owned()))
    }

    fn parse_with<'t>(text: &'t str, keep: impl Fn(&'t str) -> Cow<'static, str>) -> Result<Patterns> {
        let mut all = Vec::new();
        let (mut rest, mut line_number) = (text, 0);
        while !rest.is_empty() {
            let (line, next) = cut(rest, b'\n').unwrap_or((rest, ""));
            let line = line.strip_suffix('\r').unwrap_or(line);
            (rest, line_number) = (next, line_number + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let pattern = Pattern::parse(line, &keep).map_err(|what| {
                let source = line.chars().take(200).collect();
                Error::new(ErrorKind::Text(TextMistake {
                    line: line_number,
                    column: 1,
                    what: what.to_owned(),
                    source,
                    caret: 0,
                }))
            })?;
            all.push(pattern);
        }
        Ok(Patterns { all }.sorted())
    }

    /// These, and others that count where none of these fits better.
    #[must_use]
    pub fn and(mut self, others: &Patterns) -> Patterns {
        self.all.extend_from_slice(&others.all);
        self.sorted()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True for none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn sorted(mut self) -> Self {
        self.all.sort_by_cached_key(|p| std::cmp::Reverse(p.before.len() + p.between.len() + p.after.len()));
        self
    }

    /// The death that a line tells. All names must be those of players.
    pub(crate) fn find(&self, line: Line<'_>, roster: &Roster) -> Option<Obituary> {
        let plain = behind_rating(line.plain).unwrap_or(line.plain);
        let in_front: Vec<&str> = roster.in_front_of(plain).collect();
        for pattern in &self.all {
            if pattern.before.is_empty() {
                let found = in_front.iter().find_map(|name| pattern.matches(line, plain, name, roster));
                if found.is_some() {
                    return found;
                }
            } else if let Some(rest) = plain.strip_prefix(&*pattern.before) {
                let found = roster.in_front_of(rest).find_map(|name| pattern.matches(line, rest, name, roster));
                if found.is_some() {
                    return found;
                }
            }
        }
        if !roster.may_rename(plain) {
            return None;
        }
        self.all.iter().find_map(|pattern| pattern.matches_renamed(line, plain, roster))
    }
}

impl Pattern {
    fn parse<'t>(
        line: &'t str,
        keep: impl Fn(&'t str) -> Cow<'static, str>,
    ) -> std::result::Result<Self, &'static str> {
        const COLUMNS: &str = "a line has four columns with tabs between";
        let (kind, rest) = cut(line, b'\t').ok_or(COLUMNS)?;
        let (weapon, rest) = cut(rest, b'\t').ok_or(COLUMNS)?;
        let (means, rest) = cut(rest, b'\t').ok_or(COLUMNS)?;
        let text = cut(rest, b'\t').map_or(rest, |(text, _)| text);
        let kind = [FragKind::Kill, FragKind::TeamKill, FragKind::Suicide, FragKind::World]
            .into_iter()
            .find(|k| k.name() == kind)
            .ok_or("the first column is kill, team_kill, suicide or world")?;
        let (before, first, rest) = split(text).ok_or("the text has no name: {victim}, {killer} or {other}")?;
        let (between, second, after) = match split(rest) {
            Some((between, second, after)) => (between, Some(second), after),
            None => (rest, None, ""),
        };
        if split(after).is_some() {
            return Err("the text has at most two names");
        }
        if before.len() + between.len() + after.len() < 4 {
            return Err("so short a text would be found everywhere");
        }
        Ok(Pattern {
            kind,
            weapon: keep(if weapon == "-" { "" } else { weapon }),
            means: keep(means),
            before: keep(before),
            first,
            between: keep(between),
            second,
            after: keep(after),
        })
    }

    /// The same where the first name is one that the server has changed, and so not known.
    fn matches_renamed(&self, line: Line<'_>, plain: &str, roster: &Roster) -> Option<Obituary> {
        let from = plain.strip_prefix(&*self.before)?;
        // Looked for anew each time: to prepare a search costs more than one in a line.
        let find = |at: usize| {
            let found = memchr::memmem::find(from.as_bytes().get(at..)?, self.between.as_bytes())?;
            Some(at + found)
        };
        let mut places = std::iter::successors(find(0), |at| find(at + 1));
        places.find_map(|at| {
            let name = from.get(..at).filter(|name| roster.renames(name))?;
            self.matches(line, from, name, roster)
        })
    }

    /// `from` is the line from the first name on.
    fn matches(&self, line: Line<'_>, from: &str, first: &str, roster: &Roster) -> Option<Obituary> {
        let rest = after_name(from.get(first.len()..)?, &self.between)?;
        let second = match self.second {
            Some(role) => {
                let name = [rest, without_stop(rest)].into_iter().find_map(|rest| {
                    let short = self.after.strip_prefix("'s").map(|after| rest.strip_suffix(after)?.strip_suffix('\''));
                    let long = rest.strip_suffix(&*self.after);
                    [long, short.flatten()].into_iter().flatten().find(|name| roster.knows(name))
                })?;
                Some((role, roster.named(name, line, rest)))
            }
            None if without_stop(rest).is_empty() => None,
            None => return None,
        };
        let mut obituary = Obituary {
            kind: self.kind,
            weapon: self.weapon.clone(),
            means: self.means.clone(),
            victim: None,
            killer: None,
        };
        for (role, who) in [Some((self.first, roster.named(first, line, from))), second].into_iter().flatten() {
            match role {
                Role::Killer => obituary.killer = who,
                Role::Victim => obituary.victim = who,
                Role::Other => {}
            }
        }
        Some(obituary)
    }
}

/// What stands behind `part`, with which `text` begins.
fn after_name<'t>(text: &'t str, part: &str) -> Option<&'t str> {
    let short = || text.strip_prefix('\'')?.strip_prefix(part.strip_prefix("'s")?);
    text.strip_prefix(part).or_else(short)
}

/// A text without what only ends it.
pub(crate) fn without_stop(text: &str) -> &str {
    text.trim_end_matches(['.', '!', '?', ' '])
}

/// KTX rates a kill in the air in front of the names: `. bronze midair   [    2.9] by A on B`. This is what stands behind the
/// number.
fn behind_rating(line: &str) -> Option<&str> {
    let (_, measured) = line.split_once(" midair ")?;
    let measured = measured.trim_start().strip_prefix('[')?;
    let end = measured.find(']')?;
    let (height, behind) = measured.split_at_checked(end)?;
    height.trim().parse::<f32>().is_ok().then_some(behind)
}

/// What stands in front of an ASCII character, and what behind it. The lists are read whenever the command runs, and
/// `split_once` looks for a character of any length.
fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(at, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The text in front of the first name, whose name it is, and what follows.
fn split(text: &str) -> Option<(&str, Role, &str)> {
    let (before, rest) = cut(text, b'{')?;
    let (role, after) = cut(rest, b'}')?;
    let role = match role {
        "victim" => Role::Victim,
        "killer" => Role::Killer,
        "other" => Role::Other,
        _ => return None,
    };
    Some((before, role, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Charset;

    fn find(line: &str) -> Option<(FragKind, String, Option<String>, Option<String>)> {
        let mut roster = Roster::default();
        for (slot, name) in ["James", "a", "a was nailed by b", "b"].into_iter().enumerate() {
            let who = PlayerRef { slot: Some(slot), ..PlayerRef::named(name.as_bytes(), Charset::Quake) };
            roster.set(slot, Some(who));
        }
        let it = Patterns::known().find(Line::plain(line), &roster)?;
        Some((it.kind, it.means.into_owned(), it.killer.map(|k| k.name), it.victim.map(|v| v.name)))
    }

    fn is(
        kind: FragKind,
        means: &str,
        killer: &str,
        victim: &str,
    ) -> Option<(FragKind, String, Option<String>, Option<String>)> {
        let name = |name: &str| Some(name.to_owned()).filter(|n| !n.is_empty());
        Some((kind, means.to_owned(), name(killer), name(victim)))
    }

    fn lists() -> [(&'static Patterns, &'static str); 6] {
        let of_mod = |dir: &[u8]| Patterns::of_quake2(dir).unwrap();
        [
            (Patterns::known(), include_str!("obituaries.tsv")),
            (Patterns::quake2(), include_str!("obituaries_quake2.tsv")),
            (of_mod(b"arena"), include_str!("obituaries_arena.tsv")),
            (of_mod(b"chaos"), include_str!("obituaries_chaos.tsv")),
            (of_mod(b"wf"), include_str!("obituaries_wf.tsv")),
            (of_mod(b"dday"), include_str!("obituaries_dday.tsv")),
        ]
    }

    /// As KTX 1.42 writes them with `%s %-15s [%s] by %s on %s`.
    #[test]
    fn kills_in_the_air_are_rated_in_front() {
        let of = |line: &str| find(line);
        assert_eq!(of(". bronze midair   [    2.9] by a on James"), is(FragKind::Kill, "midair", "a", "James"));
        assert_eq!(of(". platinum midair [ 1041.4] by James on b"), is(FragKind::Kill, "midair", "James", "b"));
        assert_eq!(of(". bronze midair   [  -84.6] by b on a"), is(FragKind::Kill, "midair", "b", "a"));
        assert_eq!(of("by a on James"), None);
        assert_eq!(of(". bronze midair   [high] by a on James"), None);
    }

    /// Each text of a list is found, and as what its line says.
    #[test]
    fn no_text_hides_another() {
        let names = [("{victim}", "stg"), ("{killer}", "a b"), ("{other}", "James")];
        let mut roster = Roster::default();
        for (slot, (_, name)) in names.into_iter().enumerate() {
            let who = PlayerRef { slot: Some(slot), ..PlayerRef::named(name.as_bytes(), Charset::Quake) };
            roster.set(slot, Some(who));
        }
        for (patterns, text) in lists() {
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let columns: Vec<_> = line.split('\t').collect();
                let [kind, weapon, means, text] = columns[..] else { panic!("{line}") };
                let print = names.into_iter().fold(text.to_owned(), |text, (role, name)| text.replace(role, name));
                let it = patterns.find(Line::plain(&print), &roster).unwrap_or_else(|| panic!("{line}"));
                let weapon = if weapon == "-" { "" } else { weapon };
                assert_eq!((it.kind.name(), &*it.weapon, &*it.means), (kind, weapon, means), "{line}");
                let named = |role: &str, who: &Option<PlayerRef>| who.is_some() == text.contains(role);
                assert!(named("{victim}", &it.victim) && named("{killer}", &it.killer), "{line}");
            }
        }
        assert!(Patterns::of_quake2(b"").is_none() && Patterns::of_quake2(b"rogue").is_none());
    }

    #[test]
    fn deaths_in_texts() {
        use FragKind::{Kill, Suicide, TeamKill, World};
        assert!(Patterns::known().len() > 90);
        // None of the lines is lost.
        for (patterns, text) in lists() {
            assert_eq!(patterns.len(), text.lines().filter(|line| !line.starts_with('#')).count());
        }
        assert_eq!(find("a rides b's rocket"), is(Kill, "rocket_launcher", "b", "a"));
        assert_eq!(find("a rides James' rocket"), is(Kill, "rocket_launcher", "James", "a"));
        assert_eq!(find("a rips b a new one"), is(Kill, "quad_rocket_launcher", "a", "b"));
        assert_eq!(find("a was gibbed by b's grenade"), is(Kill, "grenade_launcher", "b", "a"));
        assert_eq!(find("a electrocutes himself."), is(Suicide, "discharge", "", "a"));
        assert_eq!(find("Satan's power deflects b's telefrag"), is(World, "telefrag_deflected", "", "b"));
        assert_eq!(find("a was telefragged by b's Satan's power"), is(World, "telefrag_deflected", "", "a"));
        assert_eq!(find("a was telefragged by his teammate"), is(TeamKill, "telefrag", "", "a"));
        // By whom is not told: in a recording of the victim's the health is gone with it.
        assert_eq!(find("a was telefragged"), is(World, "telefrag", "", "a"));
        assert_eq!(find("a was telefragged by b"), is(Kill, "telefrag", "b", "a"));
        assert_eq!(find("a commited suicide"), is(Suicide, "suicide", "", "a"));
        assert_eq!(find("a loses another friend"), is(TeamKill, "unknown", "a", ""));
        // Team Fortress.
        assert_eq!(find("a gets a third eye from b"), is(Kill, "head_shot", "b", "a"));
        assert_eq!(find("b's death put another notch on James' axe"), is(Kill, "axe", "James", "b"));
        assert_eq!(find("a checks his glasses after killing b"), is(TeamKill, "unknown", "a", "b"));
        assert_eq!(find("a gets a frag for the other team with b's death"), is(TeamKill, "unknown", "a", "b"));
        assert_eq!(find("a obstructs his team's sentry gun"), is(TeamKill, "sentry_gun", "", "a"));
        assert_eq!(find("a stepped on too many of his own caltrops"), is(Suicide, "caltrops", "", "a"));
        assert_eq!(find("a stepped on too many of b's caltrops"), is(Kill, "caltrops", "b", "a"));
        // MegaTF: what stands behind the name tells the weapon, and a name behind a text that needs none who did it.
        assert_eq!(find("a is shreaded by James' AirMirv"), is(Kill, "air_mirv", "James", "a"));
        assert_eq!(find("a is shreaded by b's pipebomb trap"), is(Kill, "pipebomb", "b", "a"));
        assert_eq!(find("a was perforated by b's nailgun"), is(Kill, "super_nailgun", "b", "a"));
        assert_eq!(find("a's labotomized by b's sniper round"), is(Kill, "head_shot", "b", "a"));
        assert_eq!(find("a was torn up by an enemy Rottweilerb"), is(Kill, "monster_dog", "b", "a"));
        assert_eq!(find("a was torn up by an enemy Rottweiler"), is(World, "monster_dog", "", "a"));
        assert_eq!(find("James' JetPack malfunctions"), is(Suicide, "jet_pack", "", "James"));
        assert_eq!(find("a gags on his own gas... pew!"), is(Suicide, "gas_grenade", "", "a"));
        assert_eq!(find("a didn't survive the operation."), is(TeamKill, "surgery", "", "a"));
        assert_eq!(find("a can't swim worth a crap!"), is(World, "water", "", "a"));
        assert_eq!(find("a suicides  :)"), is(Suicide, "suicide", "", "a"));
        // Clan Ring's CRMod.
        assert_eq!(find("a was annihilated by James' rocket"), is(Kill, "rocket_launcher", "James", "a"));
        assert_eq!(find("a thought b was light blue"), is(TeamKill, "unknown", "a", "b"));
        assert_eq!(find("a destroys his teammate b, with a Hook."), is(TeamKill, "hook", "a", "b"));
        assert_eq!(find("a telefragged his teammate b"), is(TeamKill, "telefrag", "b", "a"));
        assert_eq!(find("a  becomes bored with quake"), is(Suicide, "unknown", "", "a"));
        assert_eq!(find("a exploded"), is(World, "trap", "", "a"));
        assert_eq!(find("a exploded with laughter"), None);
        // PureCTF.
        assert_eq!(find("a was gibbed by b's wind!"), is(Kill, "wind", "b", "a"));
        assert_eq!(find("a rides b's rocket straight to hell"), is(Kill, "rocket_launcher", "b", "a"));
        // A name may look like the text.
        assert_eq!(find("a was nailed by b was nailed by James"), is(Kill, "nailgun", "James", "a was nailed by b"));
        assert_eq!(find("b was nailed by a was nailed by b"), is(Kill, "nailgun", "a was nailed by b", "b"));
        for no in
            ["a rides c's rocket", "c rides a's rocket", "a", "a died young", "a rides b's rocket ship", "", "ab died"]
        {
            assert_eq!(find(no), None, "{no}");
        }
    }

    /// Texts of Quake II, as its game prints them.
    #[test]
    fn deaths_in_quake2() {
        let mut roster = Roster::default();
        for (slot, name) in ["stg", "myrmidon^", "a b"].into_iter().enumerate() {
            roster.set(slot, Some(PlayerRef { slot: Some(slot), ..PlayerRef::named(name.as_bytes(), Charset::Quake) }));
        }
        let find = |line: &str| {
            let it = Patterns::quake2().find(Line::plain(line), &roster)?;
            Some((it.kind, it.means.into_owned(), it.killer.map(|k| k.name), it.victim.map(|v| v.name)))
        };
        use FragKind::{Kill, Suicide, World};
        let is_kill = |means: &str, killer: &str, victim: &str| is(Kill, means, killer, victim);
        assert_eq!(find("stg was railed by myrmidon^"), is(Kill, "railgun", "myrmidon^", "stg"));
        assert_eq!(find("myrmidon^ ate stg's rocket"), is(Kill, "rocket", "stg", "myrmidon^"));
        // What stands behind the name tells the weapon.
        assert_eq!(find("stg was shredded by a b's shrapnel"), is(Kill, "grenade_splash", "a b", "stg"));
        assert_eq!(find("stg was shredded by a b's ripsaw"), is(Kill, "chainfist", "a b", "stg"));
        assert_eq!(find("stg was disemboweled by a b's grappling hook"), is(Kill, "grapple", "a b", "stg"));
        assert_eq!(find("a b blew up."), is(World, "explosive", "", "a b"));
        assert_eq!(find("stg tripped on his own grenade."), is(Suicide, "grenade_splash", "", "stg"));
        assert_eq!(find("stg was railed by nobody"), None);
        // The mission packs.
        for own in ["his", "her", "it's"] {
            assert_eq!(find(&format!("stg sucked into {own} own trap.")), is(Suicide, "trap", "", "stg"));
            let found = find(&format!("stg got caught in {own} own trap."));
            assert_eq!(found, is(Suicide, "doppleganger_explode", "", "stg"));
        }
        assert_eq!(find("stg that's gotta hurt."), is(World, "gekk", "", "stg"));
        // Loki's Minions' Capture the Flag.
        assert_eq!(find("stg was gored by a b's grappling hook"), is_kill("grapple", "a b", "stg"));
        assert_eq!(find("stg got an infusion of plasma from a b"), is_kill("plasma", "a b", "stg"));
        assert_eq!(find("stg get's shocked."), is(Suicide, "plasma", "", "stg"));
        // Action Quake 2.
        assert_eq!(find("stg sucks down some toxic gas thanks to a b"), is_kill("gas", "a b", "stg"));
        assert_eq!(find("stg was shot by a b's Mark 23 Pistol"), is_kill("mk23", "a b", "stg"));
        assert_eq!(find("stg was shot in the legs by a b"), is_kill("sniper_rifle", "a b", "stg"));
        assert_eq!(find("stg was shot in the legs by a b's akimbo Mark 23 pistols"), is_kill("akimbo", "a b", "stg"));
        assert_eq!(find("a b's ribs don't help against stg's flying knife"), is_kill("thrown_knife", "stg", "a b"));
        assert_eq!(find("stg had a Bruce Lee put on him by a b, with a quickness"), is_kill("kick", "a b", "stg"));
        assert_eq!(find("stg plummets to his death"), is(World, "fall", "", "stg"));
        // OSP Tourney and Zaero.
        assert_eq!(find("stg was hooked to death by a b"), is_kill("grapple", "a b", "stg"));
        assert_eq!(find("stg didn't see a b's flare"), is_kill("flare", "a b", "stg"));
        assert_eq!(find("stg was perforated by a b"), is_kill("etf_rifle", "a b", "stg"));
        let arena = Patterns::of_quake2(b"arena").unwrap();
        let of_arena = arena.find(Line::plain("stg was perforated by a b"), &roster);
        assert_eq!(of_arena.map(|it| it.means.into_owned()).as_deref(), Some("machinegun"));
    }

    #[test]
    fn mistakes_in_patterns() {
        for (text, line) in
            [("kill\t-\t-", 1), ("\n#x\nmurder\t-\tx\t{victim} fell over", 3), ("kill\t-\tx\tno names", 1)]
        {
            match Patterns::parse(text).unwrap_err().kind {
                ErrorKind::Text(mistake) => assert_eq!(mistake.line, line),
                other => panic!("{other:?}"),
            }
        }
        assert!(Patterns::parse("kill\t-\tx\t{killer}{victim}{other} at once").is_err());
        assert!(Patterns::parse("").unwrap().is_empty());
    }
}
