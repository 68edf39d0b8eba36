//! `schema`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::support::Place;

#[test]
fn the_reference_tells_types_and_units() {
    let place = Place::new();
    let done = place.run(&["schema", "dem", "updateentity"]).ends(0).in_silence();
    done.shows("origin_x").shows("mask bit 1").shows("units");
    place.run(&["schema", "dem", "nonsense"]).ends(2).says("no such message");
    place.run(&["schema", "doom"]).ends(2);
}

#[test]
fn markdown_and_text_name_the_same_messages() {
    let place = Place::new();
    let markdown = place.run(&["schema", "--markdown"]).ends(0).in_silence();
    let names: Vec<_> = markdown.text().lines().filter_map(|l| l.strip_prefix("### ")).collect();
    let text = place.run(&["schema"]).ends(0).in_silence();
    let in_text: Vec<_> = text.text().lines().skip(2).collect();
    assert!(names.len() > 40);
    for name in names {
        assert!(in_text.iter().any(|l| l.split(' ').next() == Some(name)), "{name}");
    }
}

/// Every key that `decompile --json` writes stands in the JSON Schema.
#[test]
fn the_json_schema_knows_what_is_written() {
    let place = Place::with_clip();
    let done = place.run(&["schema", "--json-schema"]).ends(0).in_silence();
    let schema: Value = serde_json::from_slice(&done.out).unwrap();
    let keys = |object: &Value| object.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let pieces = place.run(&["decompile", "--json", "demo1.dem"]).ends(0).objects();
    for message in pieces.iter().filter_map(|piece| piece["messages"].as_array()).flatten() {
        let definition = &schema["$defs"][format!("dem.{}", message["message"].as_str().unwrap())];
        let (known, written) = (keys(&definition["properties"]), keys(message));
        assert!(written.is_subset(&known), "{message}");
        let required = definition["required"].as_array().unwrap();
        assert!(required.iter().all(|key| written.contains(key.as_str().unwrap())), "{message}");
    }
}
