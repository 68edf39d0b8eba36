//! Rules about settings and texts: TOML files that anybody can write.

mod parse;
mod probe;
mod settings;

use std::sync::LazyLock;

use super::found::Severity;
use crate::demo::FileKind;
use crate::error::Result;

pub(super) use probe::Judge;
use settings::{Source, Test};

/// A set of rules, as a TOML file has it. `docs/rules.md` tells the format.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::analysis::check::{Checks, RuleSet};
/// let rules = r#"
///     name = "cup"
///     formats = ["qwd", "mvd"]
///
///     [[rule]]
///     name = "timelimit"
///     where = "serverinfo"
///     key = "timelimit"
///     must = 10
///     description = "matches of the cup last ten minutes"
/// "#;
/// let checks = Checks::default().with_rules(RuleSet::parse(rules, "cup.toml")?);
/// assert!(checks.list().iter().any(|rule| rule.name == "cup/timelimit"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct RuleSet {
    name: String,
    description: String,
    rules: Vec<Rule>,
}

/// A rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// The set and the rule in it.
    pub(super) name: String,
    pub(super) description: String,
    pub(super) severity: Severity,
    /// Names of formats; empty: all.
    pub(super) formats: Vec<String>,
    /// Games and mods; empty: all.
    pub(super) games: Vec<String>,
    pub(super) kind: RuleSubject,
    /// Conditions that hold where the rule counts.
    when: Vec<Condition>,
}

/// What a rule is about.
#[derive(Debug, Clone)]
pub(super) enum RuleSubject {
    /// A setting.
    Setting(Condition),
    /// Texts of the server; the words are in lower case.
    Text { source: Source, says: Vec<String> },
}

/// A setting, and what its value should be.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) source: Source,
    pub(super) key: String,
    test: Test,
}

impl Rule {
    /// True for recordings of a format that the rule is about.
    pub(super) fn is_for(&self, kind: FileKind) -> bool {
        self.formats.is_empty() || self.formats.iter().any(|name| name == kind.name())
    }

    /// What the rule wants, in words.
    pub(super) fn wants(&self) -> String {
        match &self.kind {
            RuleSubject::Setting(condition) => {
                format!("{} {} {}", condition.source.name(), condition.key, condition.test)
            }
            RuleSubject::Text { source, says } => format!("no {} says {}", source.name(), says.join(" or ")),
        }
    }
}

impl RuleSet {
    /// The rules in a TOML text. `file` is for messages.
    ///
    /// # Errors
    /// A text that is no set of rules: line, column, and what is due there.
    pub fn parse(text: &str, file: &str) -> Result<RuleSet> {
        parse::parse(text, file)
    }

    /// The name of the set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the set is for.
    pub fn description(&self) -> &str {
        &self.description
    }

    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The sets that are built in.
    pub fn built_in() -> &'static [RuleSet] {
        static SETS: LazyLock<Vec<RuleSet>> = LazyLock::new(|| {
            // A test parses them all.
            TEXTS.iter().filter_map(|(file, text)| RuleSet::parse(text, file).ok()).collect()
        });
        &SETS
    }
}

const TEXTS: [(&str, &str); 5] = [
    ("defrag.toml", include_str!("defrag.toml")),
    ("quake2.toml", include_str!("quake2.toml")),
    ("quake3.toml", include_str!("quake3.toml")),
    ("quakeworld.toml", include_str!("quakeworld.toml")),
    ("speedrun.toml", include_str!("speedrun.toml")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sets_are_well_formed() {
        for (file, text) in TEXTS {
            let set = RuleSet::parse(text, file).unwrap();
            assert_eq!(format!("{}.toml", set.name), file);
            assert!(!set.rules.is_empty() && !set.description.is_empty());
            assert!(set.rules.iter().all(|rule| !rule.description.is_empty()), "{file}");
        }
        assert_eq!(RuleSet::built_in().len(), TEXTS.len());
    }
}
