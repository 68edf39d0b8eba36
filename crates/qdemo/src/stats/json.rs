//! Parts as JSON, with the keys that docs/tables.md documents.

use serde_json::{Map, Value, json};

use super::measure::{Measure, Numbers, WeaponMeasure};
use super::part::{Part, Player, Team};
use crate::json::{Object, number};

impl Numbers {
    /// The numbers by name, without those that nothing tells; `efficiency`; `weapons` and `items` by name.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Object::default();
        for measure in Measure::ALL {
            map.put(measure.name(), self.get(*measure));
        }
        map.put("efficiency", self.efficiency().map(number));
        let weapons: Map<_, _> = self
            .weapons()
            .map(|(name, weapon)| {
                let mut own = Object::default();
                for measure in WeaponMeasure::ALL {
                    own.put(measure.name(), weapon.get(*measure));
                }
                own.put("accuracy", weapon.accuracy().map(number));
                (name.to_owned(), Value::from(own.0))
            })
            .collect();
        let items: Map<_, _> = self.items().map(|(name, count)| (name.to_owned(), count.into())).collect();
        for (key, map_of) in [("weapons", weapons), ("items", items)] {
            if !map_of.is_empty() {
                map.put(key, map_of);
            }
        }
        map.0
    }
}

impl Player {
    /// Who it is, our numbers, `told` and `differences`.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Object::default();
        if let Value::Object(who) = self.who.to_json() {
            who.into_iter().for_each(|(key, value)| map.put(&key, value));
        }
        map.0.extend(self.ours.to_json());
        if !self.told.is_empty() {
            map.put("told", self.told.to_json());
            let by = self.told_by.iter().map(|(by, at)| json!({"source": by, "demo_ms": at.ms()}));
            map.put("told_by", by.collect::<Value>());
        }
        if !self.differences.is_empty() {
            let all = self.differences.iter().map(|d| json!({"what": d.what, "ours": d.ours, "told": d.told}));
            map.put("differences", all.collect::<Value>());
        }
        map.0
    }
}

impl Team {
    /// Its name, our numbers, and `told`.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Object::default();
        map.put("name", self.name.as_str());
        map.0.extend(self.ours.to_json());
        if !self.told.is_empty() {
            map.put("told", self.told.to_json());
        }
        map.0
    }
}

impl Part {
    /// The part as JSON.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Object::default();
        map.put("part", self.kind.name());
        map.put("level", self.level);
        map.put("map", self.map.as_str());
        map.put("clock", self.begin.kind.name());
        map.put("from_ms", self.begin.ms());
        map.put("to_ms", self.end.ms());
        map.put("from_demo_ms", self.begin.demo.ms());
        map.put("to_demo_ms", self.end.demo.ms());
        map.put("begun", self.begun);
        map.put("ended", self.ended);
        map.put("players", self.players.iter().map(|p| Value::from(p.to_json())).collect::<Value>());
        map.put("teams", self.teams.iter().map(|t| Value::from(t.to_json())).collect::<Value>());
        map.put("shows_all", self.shows_all);
        map.0
    }
}
