//! Texts about flags: Threewave's Capture the Flag for Quake, QuakeWorld and Quake II, and what came after it, tell of
//! them in the same words.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::obituary::without_stop;
use super::roster::{Line, Roster};
use super::{EventKind, FlagAction, PlayerRef};

/// Whose flags there are, as texts write it and as events name it.
pub(crate) const TEAMS: [(&str, &str); 2] = [("RED", "red"), ("BLUE", "blue")];

/// The flag that both teams fight for, where there is only one: its number, and as events name it.
pub(crate) const NEUTRAL: (usize, &str) = (TEAMS.len(), "neutral");

/// What is printed of it. Source: `g_team.c` of id's Team Arena.
const NEUTRAL_TEXTS: [(FlagAction, &str); 3] = [
    (FlagAction::Taken, "{player} got the flag"),
    (FlagAction::Returned, "The flag has returned"),
    (FlagAction::Captured, "{player} captured the flag"),
];

/// What a text says of a flag.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlagText {
    /// Its number in [`TEAMS`], or that of [`NEUTRAL`].
    pub(crate) flag: usize,
    pub(crate) action: FlagAction,
    pub(crate) player: Option<PlayerRef>,
}

impl FlagText {
    pub(crate) fn what(self) -> EventKind {
        let team = TEAMS.get(self.flag).map_or("", |(_, name)| name);
        EventKind::Flag { team: Cow::Borrowed(team), action: self.action, player: self.player }
    }
}

#[derive(Debug)]
struct Pattern {
    flag: usize,
    action: FlagAction,
    before: String,
    /// What stands behind the name; `None` where there is no name.
    after: Option<String>,
    /// What stands behind a time that follows.
    end: Option<String>,
}

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| include_str!("flags.tsv").lines().flat_map(Pattern::parse).collect());
static NEUTRAL_PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| NEUTRAL_TEXTS.iter().map(|(action, text)| Pattern::of(NEUTRAL.0, *action, text)).collect());

impl Pattern {
    /// A pattern for each team.
    fn parse(line: &str) -> Vec<Pattern> {
        let Some((action, text)) = line.split_once('\t') else { return Vec::new() };
        let Some(action) = FlagAction::by_name(action) else { return Vec::new() };
        let [red, blue] = TEAMS;
        let each = [(red, blue.0), (blue, red.0)].into_iter().enumerate();
        each.map(|(flag, ((team, color), other))| {
            let text = text.replace("{team}", team).replace("{color}", color).replace("{other}", other);
            Pattern::of(flag, action, &text)
        })
        .collect()
    }

    fn of(flag: usize, action: FlagAction, text: &str) -> Pattern {
        let (text, end) = match text.split_once("{time}") {
            Some((text, end)) => (text, Some(end.to_owned())),
            None => (text, None),
        };
        let (before, after) = match text.split_once("{player}") {
            Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
            None => (text.to_owned(), None),
        };
        Pattern { flag, action, before, after, end }
    }

    fn matches(&self, line: Line<'_>, roster: &Roster) -> Option<FlagText> {
        let from = line.plain.strip_prefix(&*self.before)?;
        let rest = without_stop(from);
        let rest = match &self.end {
            Some(end) => rest.strip_suffix(&**end)?.trim_end_matches(|c: char| c.is_ascii_digit() || ":.".contains(c)),
            None => rest,
        };
        let player = match &self.after {
            Some(after) => Some(roster.named(rest.strip_suffix(&**after)?, line, from)?),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(FlagText { flag: self.flag, action: self.action, player })
    }
}

/// What a line says of a flag. The name must be that of a player.
pub(crate) fn find(line: Line<'_>, roster: &Roster) -> Option<FlagText> {
    if !line.plain.contains("flag") && !line.plain.contains("FLAG") {
        return None;
    }
    PATTERNS.iter().find_map(|pattern| pattern.matches(line, roster))
}

/// The same of the flag that both teams fight for.
pub(crate) fn find_neutral(line: Line<'_>, roster: &Roster) -> Option<FlagText> {
    NEUTRAL_PATTERNS.iter().find_map(|pattern| pattern.matches(line, roster))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Charset;

    #[test]
    fn flags_in_texts() {
        // None of the lines is lost: two teams each.
        let lines = include_str!("flags.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(PATTERNS.len(), 2 * lines);
        let mut roster = Roster::default();
        for (slot, name) in ["a", "a got the RED flag!", "The"].into_iter().enumerate() {
            roster.set(slot, Some(PlayerRef { slot: Some(slot), ..PlayerRef::named(name.as_bytes(), Charset::Quake) }));
        }
        let find =
            |line: &str| find(Line::plain(line), &roster).map(|t| (t.flag, t.action, t.player.and_then(|p| p.slot)));
        use FlagAction::{Captured, Dropped, Returned, Taken};
        assert_eq!(find("a got the RED flag!"), Some((0, Taken, Some(0))));
        assert_eq!(find("a tossed the BLUE flag! "), Some((1, Dropped, Some(0))));
        assert_eq!(find("The RED flag has been returned"), Some((0, Returned, None)));
        assert_eq!(find("The returned the RED flag"), Some((0, Returned, Some(2))));
        // Quake Live names the team that gains, and how long the flag was held.
        let text = "RED TEAM CAPTURED the flag! (a captured in 1:35.302)";
        assert_eq!(find(text), Some((1, Captured, Some(0))));
        assert_eq!(find("RED TEAM CAPTURED the flag! (b captured in 1:35.302)"), None);
        // Loki's Minions write colours small.
        assert_eq!(find("a stole the blue flag."), Some((1, Taken, Some(0))));
        assert_eq!(find("a lost the blue flag."), Some((1, Dropped, Some(0))));
        assert_eq!(find("a returned the red flag."), Some((0, Returned, Some(0))));
        assert_eq!(find("a captured the blue flag."), Some((1, Captured, Some(0))));
        // Clan Ring's CRMod writes the word in capitals, but where the flag is lost.
        assert_eq!(find("a got the BLUE FLAG!"), Some((1, Taken, Some(0))));
        assert_eq!(find("a returned the RED FLAG!"), Some((0, Returned, Some(0))));
        assert_eq!(find("a captured the BLUE FLAG!"), Some((1, Captured, Some(0))));
        // Keys of the re-release.
        assert_eq!(find("$g_got_flag \"a\" \"BLUE\""), Some((1, Taken, Some(0))));
        assert_eq!(find("$g_lost_flag \"a\" \"BLUE\""), Some((1, Dropped, Some(0))));
        assert_eq!(find("$g_returned_flag \"a\" \"RED\""), Some((0, Returned, Some(0))));
        assert_eq!(find("$g_flag_returned \"RED\""), Some((0, Returned, None)));
        assert_eq!(find("$g_flag_captured \"a\" \"BLUE\""), Some((1, Captured, Some(0))));
        // A name may look like the text.
        assert_eq!(find("a got the RED flag! captured the BLUE flag!"), Some((1, Captured, Some(1))));
        for no in ["b got the RED flag!", "a got the GREEN flag!", " got the RED flag!", "a defends the RED flag", ""] {
            assert_eq!(find(no), None, "{no}");
        }
        let find = |line: &str| {
            find_neutral(Line::plain(line), &roster).map(|t| (t.flag, t.action, t.player.and_then(|p| p.slot)))
        };
        assert_eq!(find("a got the flag!"), Some((2, Taken, Some(0))));
        assert_eq!(find("The flag has returned!"), Some((2, Returned, None)));
        assert_eq!(find("a captured the flag!"), Some((2, Captured, Some(0))));
        assert_eq!(find("a got the RED flag!"), None);
    }
}
