//! Which checks there are, and which are asked for.

use super::editing::Editing;
use super::found::Severity;
use super::godmode::Godmode;
use super::impulse::Impulse9;
use super::order::{Order, Wanted};
use super::rules::{Judge, RuleSet};
use super::{Probe, commands::Commands};
use crate::demo::FileKind;

/// A check or a rule, described.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "Check")]
#[non_exhaustive]
pub struct Described {
    /// The name: of a check, or of a set and a rule in it.
    pub name: String,
    /// The worst that its findings are.
    pub severity: Severity,
    /// Names of the formats that it is for; empty: all.
    pub formats: Vec<String>,
    /// Names of the games that it is for; empty: all.
    pub games: Vec<String>,
    /// What it looks for.
    pub text: String,
}

/// A check that is built in: name, worst severity, formats, and what it looks for.
type BuiltIn = (&'static str, Severity, &'static [&'static str], &'static str);

/// The checks that are built in. Rules come on top of them.
const BUILT_IN: [BuiltIn; 10] = [
    ("godmode", Severity::Violation, &["dem"], "damage that does not lower health or armour as it should"),
    ("impulse9", Severity::Violation, &["dem"], "all weapons, keys and ammunition in one frame"),
    ("commands", Severity::Warning, &[], "console commands that playing would carry out"),
    ("clock", Severity::Warning, &[], "time that runs backwards within a level"),
    ("gaps", Severity::Warning, &[], "packets, frames and server commands that are missing or out of order"),
    ("base", Severity::Warning, &[], "differences to something that was not recorded"),
    ("start", Severity::Note, &["dem"], "levels of which the beginning is not in the recording"),
    ("editing", Severity::Warning, &[], "encodings that no engine writes"),
    (
        "end",
        Severity::Warning,
        &[],
        "a missing end mark, blocks behind the end, and empty blocks, at which players stop",
    ),
    ("damage", Severity::Warning, &[], "what cannot be read"),
];

/// Which checks to make. [`Checks::default`] makes all, with all sets of rules that are built in.
#[derive(Debug, Clone)]
pub struct Checks {
    sets: Vec<RuleSet>,
    only: Vec<String>,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { sets: RuleSet::built_in().to_vec(), only: Vec::new() }
    }
}

impl Checks {
    /// The built-in checks without any rules.
    pub fn without_rules() -> Self {
        Checks { sets: Vec::new(), only: Vec::new() }
    }

    /// Adds a set of rules; it takes the place of one of the same name.
    #[must_use]
    pub fn with_rules(mut self, set: RuleSet) -> Self {
        self.sets.retain(|other| other.name() != set.name());
        self.sets.push(set);
        self
    }

    /// Only these: names of checks, of sets, or of rules as `set/rule`. `Err` is a name that there is not.
    ///
    /// # Errors
    /// The first name that is none of a check, a set or a rule.
    pub fn only(mut self, names: &[String]) -> Result<Self, String> {
        let set = |name: &str| self.sets.iter().any(|set| set.name() == name);
        let all = self.list();
        match names.iter().find(|name| !set(name) && !all.iter().any(|known| known.name == **name)) {
            Some(unknown) => Err(unknown.clone()),
            None => {
                self.only = names.to_vec();
                Ok(self)
            }
        }
    }

    /// Everything that there is, whether it is asked for or not.
    pub fn list(&self) -> Vec<Described> {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let built_in = BUILT_IN.into_iter().map(|(name, severity, formats, text)| Described {
            name: name.to_owned(),
            severity,
            formats: own(formats),
            games: Vec::new(),
            text: text.to_owned(),
        });
        let rules = self.sets.iter().flat_map(RuleSet::rules).map(|rule| Described {
            name: rule.name.clone(),
            severity: rule.severity,
            formats: rule.formats.clone(),
            games: rule.games.clone(),
            text: format!("{}: {}", rule.wants(), rule.description),
        });
        built_in.chain(rules).collect()
    }

    /// True when a check or rule is asked for.
    pub(super) fn wants(&self, name: &str) -> bool {
        let set = name.split_once('/').map(|(set, _)| set);
        self.only.is_empty() || self.only.iter().any(|only| only == name || Some(only.as_str()) == set)
    }

    /// Names of what is asked for and applies to a format.
    pub(super) fn names(&self, kind: FileKind) -> Vec<String> {
        let applies = |known: &Described| known.formats.is_empty() || known.formats.iter().any(|f| f == kind.name());
        let wanted = |known: &Described| self.wants(&known.name) && applies(known);
        self.list().into_iter().filter(wanted).map(|known| known.name).collect()
    }

    /// The checks that look at every chunk of a recording of a format.
    pub(super) fn probes(&self, kind: FileKind) -> Vec<Box<dyn Probe>> {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let dem = kind == FileKind::Dem;
        if self.wants("editing") {
            probes.push(Box::new(Editing::new(kind)));
        }
        if dem && self.wants("godmode") {
            probes.push(Box::new(Godmode::default()));
        }
        if dem && self.wants("impulse9") {
            probes.push(Box::new(Impulse9::default()));
        }
        if self.wants("commands") {
            probes.push(Box::new(Commands::default()));
        }
        let [clock, gaps, base, start] = ["clock", "gaps", "base", "start"].map(|name| self.wants(name));
        if clock || gaps || base || start {
            probes.push(Box::new(Order::new(Wanted { clock, gaps, base, start: start && dem })));
        }
        let rules = self.sets.iter().flat_map(RuleSet::rules).filter(|rule| rule.is_for(kind));
        let judge = Judge::new(rules.filter(|rule| self.wants(&rule.name)).cloned());
        if !judge.is_empty() {
            probes.push(Box::new(judge));
        }
        probes
    }
}
