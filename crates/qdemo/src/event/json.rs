//! Events as JSON, with the keys that docs/tables.md documents.

use serde_json::{Map, Value, json};

use super::{Event, Sure, What, Who};
use crate::json::{bytes_as_text, numbers};

impl Who {
    /// `slot`, `name`, `team`; and `name_raw` where it differs from `name`.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("slot".to_owned(), self.slot.into());
        map.insert("name".to_owned(), self.name.as_str().into());
        if self.name.as_bytes() != self.name_raw {
            map.insert("name_raw".to_owned(), bytes_as_text(&self.name_raw).into());
        }
        map.insert("team".to_owned(), self.team.as_deref().into());
        Value::Object(map)
    }
}

fn who(who: &Option<Who>) -> Value {
    who.as_ref().map_or(Value::Null, Who::to_json)
}

fn place(v: Option<[f32; 3]>) -> Value {
    v.map_or(Value::Null, |v| numbers(&v))
}

impl Event {
    /// The event as JSON: `block`, `offset`, `kind`, the clock, `source`, `inferred` where it was not told, and what
    /// happened.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("block".to_owned(), self.block.into());
        map.insert("offset".to_owned(), self.offset.into());
        map.insert("kind".to_owned(), self.what.kind().name().into());
        map.extend(self.clock.to_json());
        map.insert("source".to_owned(), self.source.into());
        if let Sure::Inferred(how) = self.sure {
            map.insert("inferred".to_owned(), how.into());
        }
        if let Value::Object(more) = self.what.to_json() {
            map.extend(more);
        }
        map
    }
}

impl What {
    fn to_json(&self) -> Value {
        match self {
            What::Level { map, title } => json!({"map": map, "title": title}),
            What::Match(phase) => json!({"phase": phase.name()}),
            What::Frag(frag) => json!({
                "attacker": who(&frag.attacker), "victim": frag.victim.to_json(), "weapon": frag.weapon,
                "means": frag.means, "frag_kind": frag.kind.name(), "attacker_origin": place(frag.attacker_origin),
                "victim_origin": place(frag.victim_origin),
            }),
            What::Chat(chat) => json!({
                "speaker": who(&chat.speaker), "text": chat.text, "text_raw": bytes_as_text(&chat.text_raw),
                "team_chat": chat.team, "private": chat.private, "location": chat.location,
            }),
            What::Print { text, text_raw } | What::Center { text, text_raw } => {
                json!({"text": text, "text_raw": bytes_as_text(text_raw)})
            }
            What::Join(player) | What::Leave(player) => json!({"player": player.to_json()}),
            What::Rename(player, from) => json!({"player": player.to_json(), "from": from}),
            What::Team(player, from) => json!({"player": player.to_json(), "from": from, "to": player.team}),
            What::Score { player, from, to } => json!({"player": player.to_json(), "from": from, "to": to}),
            What::Scores(sides) => json!({"scores": sides}),
            What::Pickup { player, item } | What::Drop { player, item } => {
                json!({"player": who(player), "item": item})
            }
            What::Respawn { item, origin } => json!({"item": item, "origin": place(*origin)}),
            What::Damage(damage) => json!({
                "attacker": who(&damage.attacker), "victim": who(&damage.victim), "amount": damage.amount,
                "taken": damage.taken, "means": damage.means, "splash": damage.splash,
            }),
            What::Flag { team, action, player } => {
                json!({"team": team, "action": action.name(), "player": who(player)})
            }
            What::Secret(found) => json!({"found": found}),
            What::Monster(killed) => json!({"killed": killed}),
            What::Run(run) => json!({
                "player": who(&run.player), "run_time": run.time, "precision": run.precision, "from": run.from,
                "map": run.map, "mode": run.mode,
                "kills": run.totals.map(|t| t[0]), "monsters": run.totals.map(|t| t[1]),
                "secrets_found": run.totals.map(|t| t[2]), "secrets": run.totals.map(|t| t[3]),
            }),
        }
    }
}
