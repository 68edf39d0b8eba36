//! Holding rules against a recording.

use std::borrow::Cow;

use super::settings::{Settings, Source};
use super::{Rule, RuleSubject};
use crate::analysis::check::found::{Findings, Statement, excerpt};
use crate::analysis::check::{ChunkSeen, Place, Probe};
use crate::event::Lines;
use crate::game::quake3::unquoted;
use crate::replay::World;
use crate::wire::clean;
use crate::world::{Scene, TextKind};

/// A rule, and the value that it was found broken with last.
struct HeldRule {
    rule: Rule,
    broken: Option<String>,
}

/// Holds rules.
///
/// Settings are asked when they may have changed, at the first frame behind: a server tells them one by one. A finding has
/// the place where the change was.
pub(in crate::analysis::check) struct Judge {
    rules: Vec<HeldRule>,
    texts: bool,
    /// Configstrings that rules ask for, and what was told last that may change at any time.
    strings: Vec<String>,
    told: Vec<u8>,
    /// Where settings were told last, by source.
    places: [Option<Place>; Source::ALL.len()],
    /// Some were told that were not judged yet.
    changed: bool,
    lines: Lines,
}

impl Judge {
    pub(in crate::analysis::check) fn new(rules: impl Iterator<Item = Rule>) -> Self {
        let rules: Vec<_> = rules.map(|rule| HeldRule { rule, broken: None }).collect();
        let texts = rules.iter().any(|held| matches!(held.rule.kind, RuleSubject::Text { .. }));
        let asked = |rule: &Rule| {
            let own = if let RuleSubject::Setting(condition) = &rule.kind { Some(condition.clone()) } else { None };
            rule.when.iter().cloned().chain(own).collect::<Vec<_>>()
        };
        let conditions = rules.iter().flat_map(|held| asked(&held.rule));
        let strings = conditions.filter(|condition| condition.source == Source::ConfigString);
        let strings = strings.map(|condition| condition.key).collect();
        let places = [None; Source::ALL.len()];
        Judge { rules, texts, strings, told: Vec::new(), places, changed: false, lines: Lines::default() }
    }

    pub(in crate::analysis::check) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn settings(&mut self, world: &World, found: &mut Findings) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let settings = Settings(world);
        for held in &mut self.rules {
            let RuleSubject::Setting(condition) = &held.rule.kind else { continue };
            let value = settings.get(condition.source, &condition.key);
            if condition.test.allows(value.as_deref()) || !counts(&held.rule, &settings) {
                held.broken = None;
                continue;
            }
            let now = value.as_deref().unwrap_or_default();
            if held.broken.as_deref() == Some(now) {
                continue;
            }
            held.broken = Some(now.to_owned());
            let rule = &held.rule;
            let Some(place) = self.places.get(condition.source as usize).copied().flatten() else { continue };
            found.add(&rule.name, rule.severity, &place, condition.source.name(), || {
                let (key, wanted) = (&condition.key, condition.test.to_string());
                let is = value.as_deref().map_or("is not told".to_owned(), |value| format!("is `{}`", excerpt(value)));
                let evidence = vec![
                    ("key", key.as_str().into()),
                    ("value", value.as_deref().map(excerpt).into()),
                    ("wanted", wanted.as_str().into()),
                ];
                Statement::new(format!("{key} {is}, it {wanted}: {}", rule.description), evidence)
            });
        }
    }

    fn text(&self, source: Source, text: &str, settings: &Settings<'_>, place: &Place, found: &mut Findings) {
        let small = text.to_lowercase();
        for held in &self.rules {
            let RuleSubject::Text { source: wanted, says } = &held.rule.kind else { continue };
            let Some(words) = says.iter().find(|words| *wanted == source && small.contains(*words)) else { continue };
            if !counts(&held.rule, settings) {
                continue;
            }
            found.add(&held.rule.name, held.rule.severity, place, source.name(), || {
                let text = excerpt(text);
                let evidence = vec![("says", words.as_str().into()), ("text", text.as_str().into())];
                Statement::new(format!("`{text}`: {}", held.rule.description), evidence)
            });
        }
    }

    fn texts(&mut self, world: &World, place: &Place, found: &mut Findings) {
        let settings = Settings(world);
        for (said, text, slot) in world.changes().texts() {
            let (source, text) = match said {
                // Chat is no word of the server.
                TextKind::Print(Some(3)) => continue,
                TextKind::Print(level) => {
                    let Some(line) = self.lines.add((level, slot), text) else { continue };
                    if line.raw.first() == Some(&1) {
                        continue;
                    }
                    (Source::Print, Cow::Owned(line.raw))
                }
                TextKind::Center => (Source::CenterPrint, Cow::Borrowed(text)),
                TextKind::Console => (Source::StuffText, Cow::Borrowed(text)),
                TextKind::Command => match text.strip_prefix(b"print ") {
                    Some(rest) => (Source::Print, Cow::Borrowed(unquoted(rest))),
                    None => (Source::ServerCommand, Cow::Borrowed(text)),
                },
            };
            self.text(source, &clean(&text), &settings, place, found);
        }
    }
}

/// True where the rule counts.
fn counts(rule: &Rule, settings: &Settings<'_>) -> bool {
    let game = || settings.game().unwrap_or_default();
    (rule.games.is_empty() || rule.games.iter().any(|name| name.eq_ignore_ascii_case(&game())))
        && rule
            .when
            .iter()
            .all(|condition| condition.test.holds(settings.get(condition.source, &condition.key).as_deref()))
}

impl Probe for Judge {
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        let world = seen.world;
        let changes = world.changes();
        let settings = Settings(world);
        if changes.level {
            self.rules.iter_mut().for_each(|held| held.broken = None);
        }
        let told = settings.told(&self.strings, &mut self.told);
        for (source, _) in Source::ALL.into_iter().filter(|(source, _)| told(*source)) {
            if let Some(place) = self.places.get_mut(source as usize) {
                *place = Some(seen.place);
            }
            self.changed = true;
        }
        if self.texts {
            self.texts(world, &seen.place, found);
        }
        if changes.frame {
            self.settings(world, found);
        }
    }

    fn finish(&mut self, world: &World, _: &Place, found: &mut Findings) {
        // What was told behind the last frame.
        self.settings(world, found);
    }
}
