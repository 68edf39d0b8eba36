//! States as JSON shows them, in structs that are serialised.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{ShownField, StateField, StateValue};
use crate::describe::TypeSchema;

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
        let mut schema = schema_of(field.doc, &field.ty);
        if !field.fields.is_empty() {
            let mut inner = Map::new();
            add(field.fields, &mut inner);
            (schema["type"], schema["properties"]) = ("object".into(), inner.into());
        }
        keys.insert(key.to_owned(), schema);
    }
}

/// The JSON Schema of a field.
pub(crate) fn schema_of(doc: &str, ty: &TypeSchema) -> Value {
    let mut schema = of_type(ty.json);
    let unit = if ty.unit.is_empty() { String::new() } else { format!(" Unit: {}.", ty.unit) };
    let words: Vec<_> = doc.split_whitespace().collect();
    schema["description"] = (words.join(" ") + &unit).into();
    schema
}

/// A type as [`TypeSchema`] names it: `integer`, `number[3]` ...
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
