//! Whether the states of two worlds differ, and in what, from moment to moment.

use std::collections::HashSet;

use serde_json::Value;

use super::Which;
use super::fields::{Field, differences};
use crate::replay::World;
use crate::world::{ClockKind, Scene};

/// What a look at two worlds shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// The same.
    Same,
    /// The same again, after so many moments.
    Again(u64),
    /// They differ as before.
    Before,
    /// They differ in these fields, which were the same before; there are so many more.
    New(Vec<Field>, u64),
    /// They are the same but for these fields, of which a recording that begins here says nothing; there are so many more.
    Untold(Vec<Field>, u64),
}

/// Follows two worlds.
#[derive(Debug, Default)]
pub(super) struct Follower {
    /// The parts that differed when last looked at.
    parts: Vec<&'static str>,
    /// True while states differ.
    differ: bool,
    /// Fields that differ in this row of moments.
    known: HashSet<String>,
    /// Moments in this row.
    count: u64,
    /// Fields that a recording which begins here does not tell.
    untold: HashSet<String>,
}

/// Parts of worlds that only count packets, or say how later ones are to be read: another way to tell a state has others.
const PACKETS: &[&str] =
    &["ack", "command", "numbers of packets", "packets that others build on", "addressees", "personal"];
/// What counts since a recording began, or stands for how it is packed: a part of one has other values.
const COUNTS: &[&str] = &[
    "demo_ms",
    "level.number",
    "missing_bases",
    "snapshot.number",
    "complete",
    "sequence",
    "acknowledged",
    "outgoing",
];
/// Fields that are named, of all that there are.
const NAMED: usize = 16;
/// Fields that are looked for.
const MOST: usize = 4096;

/// True where two worlds have their numbers in the same encodings: else parts differ that tell the same.
fn is_alike(a: &World, b: &World) -> bool {
    match (a, b) {
        (World::Dem(a), World::Dem(b)) => a.dialect() == b.dialect(),
        (World::QuakeWorld(a), World::QuakeWorld(b)) => a.dialect() == b.dialect(),
        (World::Dm2(a), World::Dm2(b)) => a.dialect() == b.dialect(),
        _ => true,
    }
}

impl Follower {
    /// Looks at two worlds. `told` is false where both were told the same since the last look; `begins` says that a level begins
    /// in the first or in the second alone.
    pub(super) fn look(&mut self, a: &World, b: &World, told: bool, begins: Option<Which>) -> Found {
        let parts = a.differences(b);
        if parts.is_empty() {
            self.parts = parts;
            return self.same();
        }
        if !told && parts == self.parts {
            self.count += u64::from(self.differ);
            return if self.differ { Found::Before } else { Found::Same };
        }
        let recording = a.clock().kind == ClockKind::Recording;
        let counts =
            |path: &str| !(COUNTS.contains(&path) || recording && matches!(path, "time_ms" | "time" | "frame"));
        let json = |world: &World, other: &World| Value::Object(world.to_json_beside(other));
        let mut fields = differences(&json(a, b), &json(b, a), MOST, &counts);
        if fields.is_empty() && is_alike(a, b) {
            // What JSON has no word for.
            let is_new = |part: &&&str| {
                !PACKETS.contains(part) && !self.parts.contains(part) && told && !self.is_count(part, a, b)
            };
            let new: Vec<_> = parts.iter().filter(is_new).collect();
            fields.extend(new.into_iter().map(|part| Field { path: (*part).to_owned(), a: None, b: None }));
        }
        self.parts = parts;
        let mut untold = Vec::new();
        if let Some(which) = begins {
            let (left, right) = fields.into_iter().partition(|field| field.is_missing(which));
            (untold, fields) = (left, right);
            self.untold = untold.iter().map(|field: &Field| field.path.clone()).collect();
        } else if !self.untold.is_empty() {
            fields.retain(|field| field.a.is_some() && field.b.is_some() || !self.untold.contains(&field.path));
        }
        if fields.is_empty() {
            let more = untold.len().saturating_sub(NAMED) as u64;
            untold.truncate(NAMED);
            return if untold.is_empty() { self.same() } else { Found::Untold(untold, more) };
        }
        self.differ = true;
        self.count += 1;
        if self.known.len() > 100_000 {
            self.known.clear();
        }
        fields.retain(|field| self.known.insert(field.path.clone()));
        if fields.is_empty() {
            return Found::Before;
        }
        let more = fields.len().saturating_sub(NAMED) as u64;
        fields.truncate(NAMED);
        Found::New(fields, more)
    }

    /// True where a part differs only in a number of it that counts packets.
    fn is_count(&self, part: &str, a: &World, b: &World) -> bool {
        let number = |world: &World| match world {
            World::Dm3(world) => world.snapshot().map(|snapshot| snapshot.number()),
            _ => None,
        };
        part == "snapshot" && number(a) != number(b)
    }

    fn same(&mut self) -> Found {
        self.known.clear();
        let count = std::mem::take(&mut self.count);
        match std::mem::take(&mut self.differ) {
            true => Found::Again(count),
            false => Found::Same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::replay::Seeker;
    use crate::world::DemoTime;

    /// What is left out of worlds that are compared is the same in both: the fields that differ are those of the whole worlds.
    #[test]
    fn worlds_beside_each_other_differ_as_whole_ones_do() {
        let recordings: [(&str, &[u8]); 6] = [
            ("clip.dem", include_bytes!("../../../../testdata/clip.dem")),
            ("ez-dm.qwd", include_bytes!("../../../../testdata/ez-dm.qwd")),
            ("ez-dm.mvd", include_bytes!("../../../../testdata/ez-dm.mvd")),
            ("q2-demo1.dm2", include_bytes!("../../../../testdata/q2-demo1.dm2")),
            ("q2pro-dm.mvd2", include_bytes!("../../../../testdata/q2pro-dm.mvd2")),
            ("oa-dm2.dm_68", include_bytes!("../../../../testdata/oa-dm2.dm_68")),
        ];
        for (name, bytes) in recordings {
            let length = Seeker::open(bytes, name, Limits::default()).unwrap().length().ms();
            let at = |ms: i64| {
                let mut seeker = Seeker::open(bytes, name, Limits::default()).unwrap();
                seeker.seek(DemoTime::from_ms(ms)).clone()
            };
            let worlds: Vec<World> = [0, 1, length / 2, length / 2 + 100, length].map(at).into();
            for (a, b) in worlds.iter().flat_map(|a| worlds.iter().map(move |b| (a, b))) {
                let fields = |a, b| differences(&Value::Object(a), &Value::Object(b), MOST, &|_| true);
                assert_eq!(
                    fields(a.to_json_beside(b), b.to_json_beside(a)),
                    fields(a.to_json(), b.to_json()),
                    "{name}"
                );
            }
            // Tables never change from one moment to the next, and are left out.
            let (whole, beside) = (worlds[2].to_json(), worlds[2].to_json_beside(&worlds[3]));
            let size = |all| Value::Object(all).to_string().len();
            assert!(size(beside) < size(whole), "{name}");
        }
    }
}
