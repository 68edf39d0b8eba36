//! Quake's messages.

use qdemo::format::dem::Kind;
use qdemo::format::dem::{Variant, number_of};
use serde_json::{Map, Value, json};

use super::json::{int, list, message, messages, object, reference, string};
use super::{Chapter, Entry};

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the protocol has them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 5` is the bit itself without data, `always; wide: bit 14` has more bytes when the bit is set, and `selected`
depends on an earlier field or the protocol.
";

pub(super) fn chapter() -> Chapter {
    let entries = Kind::ALL.iter().map(|kind| Entry::new(kind.schema(), number(*kind))).collect();
    Chapter { title: "Quake (dem)", intro: INTRO.to_owned(), entries, appendix: String::new() }
}

/// The number of a message, and the dialect that brought it.
fn number(kind: Kind) -> String {
    match number_of(kind) {
        Some((0x80, _)) => "Number 128 and above".to_owned(),
        Some((number, "quake")) => format!("Number {number}"),
        Some((number, dialect)) => format!("Number {number} in {dialect}"),
        None => String::new(),
    }
}

/// The lines of `decompile --json`; what they refer to goes to `defs`.
pub(super) fn lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let key = format!("dem.{}", kind.schema().name);
        kinds.push(reference(&key));
        defs.insert(key, message(kind.schema()));
    }
    kinds.push(reference("unknown_message"));
    let variants: Vec<_> = Variant::ALL.map(Variant::name).into();
    vec![
        object("The line in front of a Quake demo.", Some(("piece", "track")), &[("line", string())], &["line"]),
        object(
            "From here on, how an ambiguous protocol is read.",
            Some(("piece", "variant")),
            &[("name", json!({"enum": variants}))],
            &["name"],
        ),
        object(
            "A block of messages, with the view angles of the recorder.",
            Some(("piece", "block")),
            &[
                ("camera", list(reference("number"), Some(3))),
                ("size", int("Size of a block that the end of the file cuts.", 0, u32::MAX.into())),
                ("messages", messages(kinds)),
            ],
            &["camera"],
        ),
    ]
}
