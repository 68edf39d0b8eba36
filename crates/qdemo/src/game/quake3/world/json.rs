//! What only Quake III has, as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::describe::{FieldSchema, schema_of};
use crate::format::dm3::{Array, EntityField, PlayerField};
use crate::game::quake3::{EntityState, World};
use crate::json::{bytes_as_text, decimal};

/// What only Quake III has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake3World")]
pub(crate) struct Own {
    /// The snapshot that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<Snapshot>,
    /// Fields and arrays of the player who is seen. Fields that are 0 are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PlayerFields>")]
    player_state: Option<BTreeMap<&'static str, FieldOrArray>>,
    /// The states of the entities in the snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_states: Option<Vec<Entity>>,
    /// Configstrings by number.
    configstrings: BTreeMap<String, String>,
    /// Numbers of the entities that have a base state.
    baseline_numbers: Vec<u16>,
    /// Scores of the red and the blue team.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_scores: Option<[i32; 2]>,
    /// Snapshots so far that build on one that was not recorded.
    missing_bases: u64,
}

/// A snapshot.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake3Snapshot")]
struct Snapshot {
    /// Number of the message that it came with.
    number: i32,
    /// 1 delayed by the rate, 2 not active, 4 changes with each restart of the server.
    flags: u8,
    /// Bits of the areas that cannot be seen.
    areamask: Vec<u8>,
}

/// The value of a field: whole, or a float, which is null where JSON has no word for it.
#[derive(Serialize)]
#[serde(untagged)]
enum Field {
    /// A whole number.
    Integer(i32),
    /// A float.
    Float(Option<f64>),
}

impl Field {
    /// The value in so many bits; `None` for 0.
    fn of(bits: u32, is_float: bool) -> Option<Self> {
        let float = || Field::Float(decimal(Some(f32::from_bits(bits))));
        (bits != 0).then(|| if is_float { float() } else { Field::Integer(bits as i32) })
    }
}

/// A field, or an array of numbers.
#[derive(Serialize)]
#[serde(untagged)]
enum FieldOrArray {
    /// A field.
    Field(Field),
    /// An array.
    Array(Vec<i32>),
}

/// The state of an entity. Fields that are 0 are left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Quake3EntityState")]
struct Entity {
    /// Its number.
    entity: u16,
    #[serde(flatten)]
    #[schemars(with = "EntityFields")]
    fields: BTreeMap<&'static str, Field>,
}

/// In a schema: the fields of an entity, over all protocols.
struct EntityFields;

impl JsonSchema for EntityFields {
    fn schema_name() -> Cow<'static, str> {
        "Quake3EntityFields".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object", "properties": keys(EntityField::SCHEMA)})
    }
}

/// In a schema: the fields and arrays of a player, over all protocols.
struct PlayerFields;

impl JsonSchema for PlayerFields {
    fn schema_name() -> Cow<'static, str> {
        "Quake3PlayerState".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut keys = keys(PlayerField::SCHEMA);
        for array in Array::ALL {
            let about = match array {
                Array::Stats => "Health, armour, weapons ... The game module says which.",
                Array::Persistant => "What lasts over deaths: score, team ...",
                Array::Ammo => "Ammunition by weapon; -1 without end.",
                Array::Powerups => "Server time at which each powerup ends. Unit: ms.",
            };
            let list = json!({"type": "array", "items": {"type": "integer"}, "description": about});
            keys.insert(array.name().to_owned(), list);
        }
        schemars::json_schema!({
            "description": "The state of a player.", "type": "object", "properties": keys, "required": Array::ALL.map(Array::name),
        })
    }
}

fn keys(fields: &[FieldSchema]) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.to_owned(), schema_of(field.doc, &field.ty))).collect()
}

/// What only Quake III has; configstrings that are the same in the world `beside` are left out.
pub(super) fn own(world: &World, beside: Option<&World>) -> Own {
    let is_other = |(n, text): &(usize, &[u8])| beside.is_none_or(|other| other.strings.get(*n as u16) != *text);
    let strings = world.strings.iter().filter(is_other);
    let layout = world.dialect.layout;
    let snapshot = world.snapshot().filter(|_| world.complete);
    let player_state = snapshot.map(|snapshot| {
        let fields = layout.player.fields().iter().filter_map(|field| {
            let bits = snapshot.player().bits(PlayerField::ALL[usize::from(field.id)]);
            Some((field.name.text, FieldOrArray::Field(Field::of(bits, field.bits == 0)?)))
        });
        let array = |array: Array| (array.name(), FieldOrArray::Array(snapshot.player().array(array).to_vec()));
        fields.chain(Array::ALL.into_iter().map(array)).collect()
    });
    let entity_states = snapshot.map(|snapshot| {
        let entity = |(entity, state): (u16, &EntityState)| {
            let fields = layout.entity.fields().iter().filter_map(|field| {
                let bits = state.bits(EntityField::ALL[usize::from(field.id)]);
                Some((field.name.text, Field::of(bits, field.bits == 0)?))
            });
            Entity { entity, fields: fields.collect() }
        };
        snapshot.entities().map(entity).collect()
    });
    Own {
        snapshot: snapshot.map(|snapshot| Snapshot {
            number: snapshot.number(),
            flags: snapshot.flags(),
            areamask: snapshot.areamask().to_vec(),
        }),
        player_state,
        entity_states,
        configstrings: strings.map(|(n, text)| (n.to_string(), bytes_as_text(text))).collect(),
        baseline_numbers: world.baselines.iter().map(|(n, _)| n).collect(),
        team_scores: world.roster.sides,
        missing_bases: world.missing,
    }
}
