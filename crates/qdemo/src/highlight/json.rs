//! Highlights as JSON, with the keys that docs/tables.md documents.

use serde_json::{Map, Value};

use super::Highlight;
use crate::event::Who;
use crate::json::{Object, number};

impl Highlight {
    /// The highlight as JSON: `block`, `offset`, `highlight` (its kind), the clock, and what it is, without what is not
    /// told.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Object::default();
        map.put("block", self.block);
        map.put("offset", self.offset);
        map.put("highlight", self.kind.name());
        map.0.extend(self.clock.to_json());
        map.put("lasted_ms", self.lasted.ms());
        map.put("player", self.player.to_json());
        map.put("count", self.count);
        map.put("weapon", Some(&*self.weapon).filter(|weapon| !weapon.is_empty()));
        map.put("victims", self.victims.iter().map(Who::to_json).collect::<Vec<_>>());
        map.put("killed", self.killed);
        map.put("turned", self.proof.turned.map(|(degrees, _)| number(degrees)));
        map.put("turned_ms", self.proof.turned.map(|(_, time)| time.ms()));
        map.put("airborne_ms", self.proof.airborne.map(|time| time.ms()));
        map.put("height", self.proof.height.map(number));
        map.put("distance", self.proof.distance.map(number));
        map.put("inferred", self.proof.inferred);
        map.0
    }
}

/// What it is, in words for people.
impl std::fmt::Display for Highlight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use super::Kind;
        let seconds = |ms: i64| format!("{}.{:03} s", ms / 1000, ms % 1000);
        let lasted = seconds(self.lasted.ms());
        let victims: Vec<_> = self.victims.iter().map(|who| who.name.as_str()).collect();
        let victims = victims.join(", ");
        match self.kind {
            Kind::MultiKill => write!(f, "{} kills in {lasted}: {victims}", self.count)?,
            Kind::Streak => write!(f, "{} kills in {lasted} without dying", self.count)?,
            Kind::OneShot => write!(f, "{} kills with one shot: {victims}", self.count)?,
            Kind::MidAir => {
                let what = if self.killed { "kills" } else { "hits" };
                write!(f, "{what} {victims} in the air")?;
            }
            Kind::Flick => write!(f, "kills {victims} after a turn")?,
        }
        let mut numbers = Vec::new();
        if let Some((degrees, time)) = self.proof.turned {
            numbers.push(format!("{degrees:.0} degrees in {} ms", time.ms()));
        }
        if let (Some(time), Some(height)) = (self.proof.airborne, self.proof.height) {
            numbers.push(format!("{} in flight, {height:+.0} units", seconds(time.ms())));
        }
        if let Some(distance) = self.proof.distance {
            numbers.push(format!("{distance:.0} units away"));
        }
        if !numbers.is_empty() {
            write!(f, " ({})", numbers.join("; "))?;
        }
        Ok(())
    }
}
