//! A checker for the part of JSON Schema that `schema --json-schema` uses. A keyword that it does not know is a panic.

#![allow(clippy::panic)]

use serde_json::{Map, Value};

/// True when `value` fits the schema as a whole.
pub(crate) fn fits(schema: &Value, value: &Value) -> bool {
    check(schema, schema, value)
}

fn check(root: &Value, schema: &Value, value: &Value) -> bool {
    let rules: &Map<_, _> = schema.as_object().unwrap();
    rules.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" => true,
        "$ref" => check(root, root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap(), value),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("type {other}"),
        },
        "oneOf" => rule.as_array().unwrap().iter().filter(|rule| check(root, rule, value)).count() == 1,
        "anyOf" => rule.as_array().unwrap().iter().any(|rule| check(root, rule, value)),
        "properties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, value)| rule.get(key).is_none_or(|rule| check(root, rule, value)))
        }),
        "patternProperties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, value)| pattern(rules, key).is_none_or(|rule| check(root, rule, value)))
        }),
        "required" => value
            .as_object()
            .is_none_or(|object| rule.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))),
        "additionalProperties" => {
            assert_eq!(rule, false);
            let known = |key: &str| rules["properties"].get(key).is_some() || pattern(rules, key).is_some();
            value.as_object().is_none_or(|object| object.keys().all(|key| known(key)))
        }
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| check(root, rule, item))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "minimum" => value.as_i64().is_none_or(|n| n >= rule.as_i64().unwrap()),
        "maximum" => value.as_i64().is_none_or(|n| n <= rule.as_i64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| match rule.as_str().unwrap() {
            r"^[\u0000-\u00FF]*$" => text.chars().all(|c| u32::from(c) < 256),
            r"^(f32\(0x[0-9A-Fa-f]{1,8}\)|f24\(-?\d+,\d+\)|(by|long)\(-?\d+(\.\d+)?\))$" => {
                ["f32(0x", "f24(", "by(", "long("].iter().any(|word| text.starts_with(word)) && text.ends_with(')')
            }
            other => panic!("pattern {other}"),
        }),
        other => panic!("keyword {other}"),
    })
}

/// The rule for a key by its pattern.
fn pattern<'a>(rules: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let rule = |(pattern, rule)| match pattern {
        r"^stats\[(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\]$" => {
            let number = key.strip_prefix("stats[")?.strip_suffix(']')?;
            number.parse::<u8>().is_ok_and(|n| n.to_string() == number).then_some(rule)
        }
        other => panic!("pattern {other}"),
    };
    rules.get("patternProperties")?.as_object()?.iter().map(|(p, r)| (p.as_str(), r)).find_map(rule)
}
