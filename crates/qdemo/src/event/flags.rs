//! Texts about flags: Threewave's Capture the Flag for Quake, QuakeWorld and Quake II, and what came after it, tell of
//! them in the same words.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::obituary::without_stop;
use super::roster::Roster;
use super::{EventKind, FlagAction, PlayerRef};

/// Whose flags there are, as texts write it and as events name it.
pub(super) const TEAMS: [(&str, &str); 2] = [("RED", "red"), ("BLUE", "blue")];

/// What a text says of a flag.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlagText {
    /// Its number in [`TEAMS`].
    pub(super) flag: usize,
    pub(super) action: FlagAction,
    pub(super) player: Option<PlayerRef>,
}

impl FlagText {
    pub(super) fn what(self) -> EventKind {
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
}

static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| include_str!("flags.tsv").lines().flat_map(Pattern::parse).collect());

impl Pattern {
    /// A pattern for each team.
    fn parse(line: &str) -> Vec<Pattern> {
        let Some((action, text)) = line.split_once('\t') else { return Vec::new() };
        let Some(action) = FlagAction::by_name(action) else { return Vec::new() };
        let each = TEAMS.iter().enumerate().map(|(flag, (team, _))| {
            let text = text.replace("{team}", team);
            let (before, after) = match text.split_once("{player}") {
                Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
                None => (text, None),
            };
            Pattern { flag, action, before, after }
        });
        each.collect()
    }

    fn matches(&self, line: &str, roster: &Roster) -> Option<FlagText> {
        let rest = line.strip_prefix(&*self.before)?;
        let player = match &self.after {
            Some(after) => Some(roster.named(rest.strip_suffix(&**after)?)?.clone()),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(FlagText { flag: self.flag, action: self.action, player })
    }
}

/// What a line in plain characters says of a flag. The name must be that of a player.
pub(super) fn find(line: &str, roster: &Roster) -> Option<FlagText> {
    if !line.contains(" flag") {
        return None;
    }
    let line = without_stop(line);
    PATTERNS.iter().find_map(|pattern| pattern.matches(line, roster))
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
        let find = |line: &str| find(line, &roster).map(|t| (t.flag, t.action, t.player.and_then(|p| p.slot)));
        use FlagAction::{Captured, Dropped, Returned, Taken};
        assert_eq!(find("a got the RED flag!"), Some((0, Taken, Some(0))));
        assert_eq!(find("a tossed the BLUE flag! "), Some((1, Dropped, Some(0))));
        assert_eq!(find("The RED flag has been returned"), Some((0, Returned, None)));
        assert_eq!(find("The returned the RED flag"), Some((0, Returned, Some(2))));
        // A name may look like the text.
        assert_eq!(find("a got the RED flag! captured the BLUE flag!"), Some((1, Captured, Some(1))));
        for no in ["b got the RED flag!", "a got the GREEN flag!", " got the RED flag!", "a defends the RED flag", ""] {
            assert_eq!(find(no), None, "{no}");
        }
    }
}
