//! Settings that a recording tells, and tests on them.

use std::borrow::Cow;
use std::fmt;

use crate::format::dm3::Indices;
use crate::game::quake2;
use crate::replay::World;
use crate::wire::info_value;
use crate::world::Scene;

/// Where a rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis::check) enum Source {
    ServerInfo,
    SystemInfo,
    UserInfo,
    MoveVars,
    ConfigString,
    Level,
    Print,
    CenterPrint,
    StuffText,
    ServerCommand,
}

impl Source {
    /// All of them, with the names in rules.
    pub(super) const ALL: [(Source, &'static str); 10] = [
        (Source::ServerInfo, "serverinfo"),
        (Source::SystemInfo, "systeminfo"),
        (Source::UserInfo, "userinfo"),
        (Source::MoveVars, "movevars"),
        (Source::ConfigString, "configstring"),
        (Source::Level, "level"),
        (Source::Print, "print"),
        (Source::CenterPrint, "centerprint"),
        (Source::StuffText, "stufftext"),
        (Source::ServerCommand, "serverCommand"),
    ];

    pub(in crate::analysis::check) fn name(self) -> &'static str {
        Source::ALL.iter().find(|(source, _)| *source == self).map_or("", |(_, name)| name)
    }

    /// True for texts: they have no keys.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Source::Print | Source::CenterPrint | Source::StuffText | Source::ServerCommand)
    }
}

/// Names of QuakeWorld's movement variables, in their order.
pub(super) const MOVEVARS: [&str; 10] = [
    "gravity",
    "stopspeed",
    "maxspeed",
    "spectatormaxspeed",
    "accelerate",
    "airaccelerate",
    "wateraccelerate",
    "friction",
    "waterfriction",
    "entgravity",
];

/// The key of the configstring that tells how players of Quake II steer in the air. Its number is that of a protocol.
pub(super) const AIR_ACCELERATION: &str = "airaccel";

/// What a value should be. Numbers are compared as numbers, whatever their digits; other values as bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Test {
    pub(super) one_of: Vec<String>,
    pub(super) none_of: Vec<String>,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) present: Option<bool>,
}

fn number(value: &str) -> Option<f64> {
    value.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

fn same(value: &str, wanted: &str) -> bool {
    match (number(value), number(wanted)) {
        (Some(a), Some(b)) => a == b || a as f32 == b as f32,
        _ => value == wanted,
    }
}

impl Test {
    /// True for a value that is as it should be. What is not told is, unless it must be there.
    pub(super) fn allows(&self, value: Option<&str>) -> bool {
        match value {
            None => self.present != Some(true),
            Some(value) => self.present != Some(false) && self.fits(value),
        }
    }

    /// True where the test tells that a rule counts: what is not told fits only when it must not be there, or not be
    /// something.
    pub(super) fn holds(&self, value: Option<&str>) -> bool {
        match value {
            None => self.present == Some(false) || self.present.is_none() && self.only_excludes(),
            Some(_) => self.allows(value),
        }
    }

    fn only_excludes(&self) -> bool {
        self.one_of.is_empty() && self.min.is_none() && self.max.is_none()
    }

    fn fits(&self, value: &str) -> bool {
        let beyond = |min: f64, max: f64| number(value).is_none_or(|v| v < min || v > max);
        (self.one_of.is_empty() || self.one_of.iter().any(|wanted| same(value, wanted)))
            && !self.none_of.iter().any(|other| same(value, other))
            && !((self.min.is_some() || self.max.is_some())
                && beyond(self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY)))
    }
}

/// As a demand: `must be 0`.
impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.present {
            Some(true) => parts.push("must be told".to_owned()),
            Some(false) => parts.push("must not be there".to_owned()),
            None => {}
        }
        if !self.one_of.is_empty() {
            parts.push(format!("must be {}", self.one_of.join(" or ")));
        }
        if !self.none_of.is_empty() {
            parts.push(format!("must not be {}", self.none_of.join(" nor ")));
        }
        if let Some(min) = self.min {
            parts.push(format!("must be at least {min}"));
        }
        if let Some(max) = self.max {
            parts.push(format!("must be at most {max}"));
        }
        f.write_str(&parts.join(", "))
    }
}

/// Looks settings up in the world.
pub(in crate::analysis::check) struct Settings<'w>(pub(in crate::analysis::check) &'w World);

impl Settings<'_> {
    /// The value of a key, in plain characters.
    pub(super) fn get(&self, source: Source, key: &str) -> Option<Cow<'_, str>> {
        let info = |info: &[u8]| info_value(info, key).map(|value| Cow::Owned(crate::wire::clean(value)));
        match (source, self.0) {
            (Source::ServerInfo, World::QuakeWorld(world)) => info(world.serverinfo()),
            (Source::ServerInfo, World::Dm3(world)) => info(world.configstrings().get(0)),
            (Source::SystemInfo, World::Dm3(world)) => info(world.configstrings().get(Indices::SYSTEM_INFO)),
            // Of the player who recorded.
            (Source::UserInfo, World::QuakeWorld(world)) => info(world.slot(world.recorder()?)?.userinfo()),
            (Source::UserInfo, World::Dm3(world)) => info(world.player_info(world.recorder()?)),
            (Source::MoveVars, World::QuakeWorld(world)) => {
                let at = MOVEVARS.iter().position(|name| name.eq_ignore_ascii_case(key))?;
                let all = world.movevars();
                // Protocol 24 tells none, nor does a recording that lacks the beginning of its level.
                let told = all.iter().any(|value| *value != 0.0);
                all.get(at).filter(|_| told).map(|value| Cow::Owned(value.to_string()))
            }
            (Source::ConfigString, _) => self.configstring(key),
            (Source::Level, _) => self.level(key),
            _ => None,
        }
    }

    fn configstring(&self, key: &str) -> Option<Cow<'_, str>> {
        let value = match self.0 {
            World::Dm2(world) => quake2_string(world, key)?,
            World::Mvd2(world) => quake2_string(world.game(), key)?,
            World::Dm3(world) => world.configstrings().get(key.parse().ok()?),
            World::Dem(_) | World::QuakeWorld(_) => return None,
        };
        // Engines do not tell an empty one from one that is not there.
        Some(Cow::Owned(crate::wire::clean(value))).filter(|_| !value.is_empty())
    }

    /// What is known of the level: see `docs/rules.md`.
    fn level(&self, key: &str) -> Option<Cow<'_, str>> {
        let level = self.0.level();
        Some(match (key, self.0) {
            ("map", _) => Cow::Owned(crate::wire::clean(level.map)),
            ("title", _) => Cow::Owned(self.0.charset().clean(level.title)),
            ("number", _) => Cow::Owned((level.number + 1).to_string()),
            ("game", _) => self.game()?,
            ("protocol", World::Dem(world)) => Cow::Owned(world.protocol().to_string()),
            ("protocol", World::QuakeWorld(world)) => Cow::Owned(world.dialect().protocol.to_string()),
            ("protocol", World::Dm2(world)) => Cow::Owned(world.dialect().protocol.to_string()),
            ("protocol", World::Mvd2(world)) => Cow::Owned(world.game().dialect().protocol.to_string()),
            ("protocol", World::Dm3(world)) => Cow::Owned(world.dialect().protocol.to_string()),
            ("maxclients", World::Dem(world)) => Cow::Owned(world.maxclients().to_string()),
            ("maxclients", World::Dm2(world)) => Cow::Owned(world.maxclients()?.to_string()),
            ("maxclients", World::Mvd2(world)) => Cow::Owned(world.game().maxclients()?.to_string()),
            ("deathmatch", World::Dem(world)) => Cow::Borrowed(if world.is_deathmatch() { "1" } else { "0" }),
            _ => return None,
        })
    }

    /// The game or mod, as the recording names it.
    pub(super) fn game(&self) -> Option<Cow<'_, str>> {
        let clean = |name: &[u8]| Cow::Owned(crate::wire::clean(name));
        match self.0 {
            World::Dem(world) => Some(Cow::Borrowed(world.game().name())),
            World::QuakeWorld(world) => info_value(world.serverinfo(), "*gamedir").map(clean),
            World::Dm2(world) => Some(quake2_game(world.gamedir())),
            World::Mvd2(world) => Some(quake2_game(world.game().gamedir())),
            World::Dm3(world) => info_value(world.configstrings().get(0), "gamename").map(clean),
        }
    }

    /// Which settings a chunk told, or may have. Costs less than asking the rules. `strings` are the configstrings that they
    /// ask for, `before` what was told last of settings that no change is noted of.
    pub(super) fn told(&self, strings: &[String], before: &mut Vec<u8>) -> impl Fn(Source) -> bool + use<> {
        let changes = self.0.changes();
        let mut differs = |now: &[u8]| {
            let differs = before != now;
            if differs {
                now.clone_into(before);
            }
            differs
        };
        let others = match self.0 {
            World::QuakeWorld(world) => differs(world.movevars().map(f32::to_le_bytes).as_flattened()),
            World::Dm2(world) => differs(&values_of(world, strings)),
            World::Mvd2(world) => differs(&values_of(world.game(), strings)),
            World::Dem(_) | World::Dm3(_) => false,
        };
        let players = changes.board != 0 || changes.settings && matches!(self.0, World::Dm3(_));
        let (level, settings) = (changes.level, changes.settings);
        move |source| match source {
            Source::ServerInfo | Source::SystemInfo => level || settings,
            Source::UserInfo => level || players,
            Source::MoveVars => level || others,
            Source::ConfigString => level || settings || others,
            Source::Level => level,
            Source::Print | Source::CenterPrint | Source::StuffText | Source::ServerCommand => false,
        }
    }
}

/// The game directory, by its name.
fn quake2_game(gamedir: &[u8]) -> Cow<'static, str> {
    if gamedir.is_empty() { Cow::Borrowed("baseq2") } else { Cow::Owned(crate::wire::clean(gamedir)) }
}

/// The configstring of a key.
fn quake2_string<'w>(world: &'w quake2::World, key: &str) -> Option<&'w [u8]> {
    let number = match key {
        AIR_ACCELERATION => world.dialect().layout.configstrings.air_acceleration(),
        number => number.parse().ok()?,
    };
    Some(world.configstrings().get(number))
}

/// Configstrings as one text, to see a change.
fn values_of(world: &quake2::World, strings: &[String]) -> Vec<u8> {
    let values = strings.iter().filter_map(|key| quake2_string(world, key));
    values.flat_map(|value| [&value.len().to_le_bytes(), value].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_numbers() {
        let test = Test { one_of: vec!["1".to_owned()], ..Test::default() };
        for good in ["1", "1.0", " 1", "1.000"] {
            assert!(test.allows(Some(good)), "{good}");
        }
        for bad in ["0", "", "10", "1x", "nan"] {
            assert!(!test.allows(Some(bad)), "{bad}");
        }
        // Nothing is said of what is not told, unless it has to be.
        assert!(test.allows(None) && !test.holds(None));
        assert!(!Test { present: Some(true), ..test.clone() }.allows(None));
        let test = Test { min: Some(0.5), max: Some(2.0), ..Test::default() };
        assert!(test.allows(Some("0.5")) && !test.allows(Some("2.1")) && !test.allows(Some("fast")));
        let test = Test { none_of: vec!["2".to_owned(), "abc".to_owned()], ..Test::default() };
        assert!(test.holds(None) && test.holds(Some("3")) && !test.holds(Some("2.0")) && !test.holds(Some("abc")));
        let test = Test { present: Some(false), ..Test::default() };
        assert!(test.allows(None) && !test.allows(Some("")) && test.holds(None));
    }
}
