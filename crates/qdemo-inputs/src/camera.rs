//! Scripts of cameras as users write them, in TOML.

use std::fmt;

use anyhow::{Result, anyhow};
use qdemo::edit::{self, Easing, Key, ShotKind};
use qdemo::world::DemoTime;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor, value};
use toml::Spanned;

/// The shots of a script.
///
/// # Errors
/// What is not understood, with its line.
pub fn parse(text: &str) -> Result<edit::Script> {
    let written: Script = toml::from_str(text).map_err(|e| anyhow!("{}", e.to_string().trim_end()))?;
    let mut script = edit::Script::default();
    for shot in written.shot {
        let line = text.get(..shot.span().start).unwrap_or(text).matches('\n').count() + 1;
        let at = |what: &dyn fmt::Display| anyhow!("line {line}: {what}");
        script.shots.push(shot.into_inner().shot().map_err(|what| at(&what))?);
        // What is wrong with the last one, or stands between it and the one in front of it.
        script.check().map_err(|e| at(&e))?;
    }
    Ok(script)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    shot: Vec<Spanned<Shot>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Fixed,
    Path,
    Follow,
    Ride,
}

/// A shot of any kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shot {
    from: Time,
    to: Time,
    kind: Kind,
    look_at: Option<Subject>,
    fov: Option<f32>,
    place: Option<[f32; 3]>,
    angles: Option<[f32; 3]>,
    keys: Option<Vec<KeyWritten>>,
    easing: Option<EasingWritten>,
    who: Option<Subject>,
    distance: Option<f32>,
    height: Option<f32>,
    turn: Option<f32>,
    smooth: Option<Time>,
    offset: Option<[f32; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyWritten {
    at: Time,
    place: [f32; 3],
    angles: Option<[f32; 3]>,
    fov: Option<f32>,
    easing: Option<EasingWritten>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct EasingWritten(Easing);

impl TryFrom<String> for EasingWritten {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let names = || Easing::ALL.iter().map(|easing| easing.name()).collect::<Vec<_>>().join(", ");
        Easing::by_name(&name).map(EasingWritten).ok_or_else(|| format!("easing is one of {}", names()))
    }
}

impl Shot {
    /// Behind whom a camera is that follows, where a script does not say.
    const DISTANCE: f32 = 120.0;
    const HEIGHT: f32 = 40.0;

    fn shot(self) -> Result<edit::Shot, String> {
        self.check_keys()?;
        let who = |who: Option<Subject>| {
            who.map(|who| who.0).ok_or("who is missing: the name of a player, or { entity = 12 }")
        };
        let kind = match self.kind {
            Kind::Fixed => {
                if self.angles.is_none() && self.look_at.is_none() {
                    return Err("a fixed camera needs angles = [pitch, yaw, roll], or look_at".to_owned());
                }
                let place = self.place.ok_or("a fixed camera needs a place = [x, y, z]")?;
                ShotKind::Fixed { place, angles: self.angles.unwrap_or_default() }
            }
            Kind::Path => {
                let usual = self.easing.map_or(Easing::Smooth, |easing| easing.0);
                let mut keys = Vec::new();
                for key in self.keys.unwrap_or_default() {
                    if key.angles.is_none() && self.look_at.is_none() {
                        return Err(
                            "each key of a path needs angles = [pitch, yaw, roll], or the shot a look_at".to_owned()
                        );
                    }
                    let easing = key.easing.map_or(usual, |easing| easing.0);
                    let angles = key.angles.unwrap_or_default();
                    keys.push(Key { at: key.at.0, place: key.place, angles, fov: key.fov, easing });
                }
                ShotKind::Path { keys }
            }
            Kind::Follow => ShotKind::Follow {
                who: who(self.who)?,
                distance: self.distance.unwrap_or(Self::DISTANCE),
                height: self.height.unwrap_or(Self::HEIGHT),
                turn: self.turn.unwrap_or_default(),
                smooth: self.smooth.map_or(DemoTime::default(), |time| time.0),
            },
            Kind::Ride => ShotKind::Ride { who: who(self.who)?, offset: self.offset.unwrap_or_default() },
        };
        let look_at = self.look_at.map(|subject| subject.0);
        Ok(edit::Shot { from: self.from.0, to: self.to.0, kind, look_at, fov: self.fov })
    }

    /// Finds keys that mean something in another kind of shot.
    fn check_keys(&self) -> Result<(), String> {
        use Kind::{Fixed, Follow, Path, Ride};
        let keys: [(&str, bool, &[Kind]); 10] = [
            ("place", self.place.is_some(), &[Fixed]),
            ("angles", self.angles.is_some(), &[Fixed]),
            ("keys", self.keys.is_some(), &[Path]),
            ("easing", self.easing.is_some(), &[Path]),
            ("who", self.who.is_some(), &[Follow, Ride]),
            ("distance", self.distance.is_some(), &[Follow]),
            ("height", self.height.is_some(), &[Follow]),
            ("turn", self.turn.is_some(), &[Follow]),
            ("smooth", self.smooth.is_some(), &[Follow]),
            ("offset", self.offset.is_some(), &[Ride]),
        ];
        let own = || {
            let own = keys.iter().filter(|(.., of)| of.contains(&self.kind)).map(|(name, ..)| *name);
            own.chain(["look_at", "fov"]).collect::<Vec<_>>().join(", ")
        };
        match keys.iter().find(|(_, there, of)| *there && !of.contains(&self.kind)) {
            Some((name, ..)) => Err(format!("{name} means nothing in a shot of this kind; it has from, to, {}", own())),
            None => Ok(()),
        }
    }
}

/// A time as the command takes it, or seconds.
#[derive(Clone, Copy)]
struct Time(DemoTime);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Times;
        impl Visitor<'_> for Times {
            type Value = Time;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time: 90, \"1:30\", \"1500ms\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse().map(Time).map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, seconds: i64) -> Result<Time, E> {
                self.visit_str(&seconds.to_string())
            }
            fn visit_f64<E: serde::de::Error>(self, seconds: f64) -> Result<Time, E> {
                self.visit_str(&seconds.to_string())
            }
        }
        deserializer.deserialize_any(Times)
    }
}

/// What a camera looks at, follows or rides on: a name, `{ player = "name" }`, `{ entity = 12 }`, or a place.
struct Subject(edit::Subject);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectWritten {
    player: Option<String>,
    entity: Option<u16>,
    place: Option<[f32; 3]>,
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Subjects;
        const EXPECTED: &str = "the name of a player, { entity = 12 }, or a place [x, y, z]";
        impl<'de> Visitor<'de> for Subjects {
            type Value = Subject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Subject, E> {
                if name.is_empty() {
                    return Err(E::custom(format!("a name is missing: {EXPECTED}")));
                }
                Ok(Subject(edit::Subject::Player(name.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Subject, A::Error> {
                let place = <[f32; 3]>::deserialize(value::SeqAccessDeserializer::new(list))?;
                Ok(Subject(edit::Subject::Place(place)))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Subject, A::Error> {
                let written = SubjectWritten::deserialize(value::MapAccessDeserializer::new(map))?;
                match (written.player, written.entity, written.place) {
                    (Some(name), None, None) => self.visit_str(&name),
                    (None, Some(number), None) => Ok(Subject(edit::Subject::Entity(number))),
                    (None, None, Some(place)) => Ok(Subject(edit::Subject::Place(place))),
                    _ => Err(A::Error::custom(format!("it is one of {EXPECTED}"))),
                }
            }
        }
        deserializer.deserialize_any(Subjects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a script.
    fn mistake(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_name_their_line_and_what_would_be_right() {
        let shot = "[[shot]]\nfrom = 1\nto = \"0:02\"\n";
        let cases = [
            ("\n[[shot]]\nfrom = 1\n", "line 2", "missing field `to`"),
            ("[[shot]]\nfrom = \"1:99\"\n", "line 2", "a time is written"),
            (&format!("{shot}kind = \"pan\"\n"), "line 4", "expected one of `fixed`, `path`, `follow`, `ride`"),
            (&format!("{shot}kind = \"fixed\"\nplace = [0, 0, 0]\n"), "line 1", "needs angles"),
            (&format!("{shot}kind = \"fixed\"\nplace = [0, 0]\n"), "line 5", "array of length 3"),
            (&format!("{shot}kind = \"follow\"\n"), "line 1", "who is missing"),
            (&format!("{shot}kind = \"follow\"\nwho = \"a\"\noffset = [1, 2, 3]\n"), "line 1", "offset means nothing"),
            (&format!("{shot}kind = \"follow\"\nwho = {{ entity = 1, player = \"a\" }}\n"), "line 5", "it is one of"),
            (&format!("{shot}kind = \"path\"\neasing = \"bounce\"\n"), "line 5", "linear, smooth, in, out, in_out"),
            (&format!("{shot}kind = \"ride\"\nwho = \"a\"\nlens = 3\n"), "line 6", "unknown field `lens`"),
            (
                &format!("{shot}kind = \"ride\"\nwho = \"a\"\n{shot}kind = \"ride\"\nwho = \"b\"\n"),
                "line 6",
                "shot 2 begins at 0:01.000",
            ),
        ];
        for (text, line, what) in cases {
            let said = mistake(text);
            assert!(said.contains(line) && said.contains(what), "{text}: {said}");
        }
    }
}
