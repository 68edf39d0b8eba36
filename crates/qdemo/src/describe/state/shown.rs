//! States as JSON shows them, in structs that are serialised.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{ShownField, StateField, StateValue};

/// Fields of a state `S` with their values. Its JSON Schema has all fields that `S` declares, and asks for none.
#[derive(Debug)]
pub(crate) struct ShownState<S> {
    fields: Map<String, Value>,
    of: PhantomData<S>,
}

impl<S: StateValue> ShownState<S> {
    /// All fields.
    pub(crate) fn all(state: &S) -> Self {
        Self::some(state, |_| true)
    }

    /// The fields that are wanted.
    pub(crate) fn some(state: &S, wanted: impl Fn(&ShownField) -> bool) -> Self {
        let fields =
            state.shown().into_iter().filter(wanted).map(|shown| (shown.key.to_owned(), shown.value)).collect();
        ShownState { fields, of: PhantomData }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl<S> Serialize for ShownState<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.fields.serialize(serializer)
    }
}

impl<S: StateValue> JsonSchema for ShownState<S> {
    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut keys = Map::new();
        add(S::FIELDS, &mut keys);
        schemars::json_schema!({"type": "object", "properties": keys})
    }
}

/// Adds the keys of fields; a state that has no key of its own has its fields among them.
fn add(fields: &[StateField], keys: &mut Map<String, Value>) {
    for field in fields {
        let Some(key) = field.key else {
            add(field.fields, keys);
            continue;
        };
        let mut schema = if field.fields.is_empty() {
            of_type(field.ty.json)
        } else {
            let mut inner = Map::new();
            add(field.fields, &mut inner);
            json!({"type": "object", "properties": inner})
        };
        let unit = if field.ty.unit.is_empty() { String::new() } else { format!(" Unit: {}.", field.ty.unit) };
        let words: Vec<_> = field.doc.split_whitespace().collect();
        schema["description"] = (words.join(" ") + &unit).into();
        keys.insert(key.to_owned(), schema);
    }
}

/// A type as [`TypeSchema`](super::super::TypeSchema) names it: `integer`, `number[3]` ...
fn of_type(ty: &str) -> Value {
    if let Some((item, count)) = ty.strip_suffix(']').and_then(|ty| ty.split_once('[')) {
        let mut list = json!({"type": "array", "items": of_type(item)});
        if let Ok(count) = count.parse::<u64>() {
            (list["minItems"], list["maxItems"]) = (count.into(), count.into());
        }
        return list;
    }
    match ty {
        "number" => {
            json!({"anyOf": [{"type": "number"}, {"type": "null", "description": "A number that JSON cannot say."}]})
        }
        "integer" | "boolean" | "string" => json!({"type": ty}),
        _ => json!({}),
    }
}
