//! The commands of multi-view recordings of Quake II.

use qdemo::describe::{Body, Schema};
use qdemo::format::dm2::{self, PacketEntity};
use qdemo::format::dm2::{Bytes, Dialect};
use qdemo::format::mvd2::{Kind, PlayerDelta};
use serde_json::{Map, Value};

use super::json::{fields, flag, int, message, messages, object, reference};
use super::{Chapter, Entry};

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as extended limits have them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the mask is set,
`flag bit 5` is the bit itself without data, and `selected` depends on an earlier field, on the number of the command or on
the protocol. The number of a command has five bits; the three bits above it have the meaning that the fields tell.

The messages of the game within `unicast` and `multicast` are those of a `.dm2`: of protocol 34; with extended limits of
Q2PRO's protocol 3434; with the second extended limits of 3435, and from minor version 2013 on of 3436.
[text-format.md](text-format.md#multi-view-demos-of-quake-ii) has the rest.
";

const PLAYER: &Schema = &<PlayerDelta as Body<'_, Bytes>>::SCHEMA;
const ENTITY: &Schema = &<PacketEntity as Body<'_, Bytes>>::SCHEMA;

pub(super) fn chapter() -> Chapter {
    let mut entries: Vec<_> = Kind::ALL.iter().map(|kind| Entry::new(kind.schema(), number(*kind))).collect();
    entries.push(Entry::new(PLAYER, "A state in serverdata and frame".to_owned()));
    entries.push(Entry::new(ENTITY, "A state in serverdata and frame, as in a `.dm2`".to_owned()));
    Chapter { title: "Quake II, multi-view (mvd2)", intro: INTRO.to_owned(), entries, appendix: String::new() }
}

/// The numbers of a command.
fn number(kind: Kind) -> String {
    match kind {
        Kind::Unicast => "Numbers 8 and, reliable, 9".to_owned(),
        Kind::Multicast => "Numbers 10 to 12 (all, phs, pvs) and, reliable, 13 to 15".to_owned(),
        kind => Dialect::MVD2.number_of_command(kind).map(|n| format!("Number {n}")).unwrap_or_default(),
    }
}

/// The lines of `decompile --json`; what they refer to goes to `defs`.
pub(super) fn lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let mut define = |key: &str, value: Value| {
        let key = format!("mvd2.{key}");
        let reference = reference(&key);
        defs.insert(key, value);
        reference
    };
    let entity = define("packetentity", message(ENTITY));
    let mut state = message(PLAYER);
    // The numbers on the status bar have a name each.
    for n in 0..64 {
        state["properties"][format!("stats[{n}]")] = int("Number on the status bar.", -32_768, 32_767);
    }
    state["properties"]["no_stats"] = flag("None of the numbers is there.");
    state["properties"]["stats_spare_bytes"] = int("Bytes of their mask beyond those that it needs.", 0, 9);
    let player = define("player", state);
    let of_game = dm2::Kind::ALL.iter().filter(|kind| **kind != dm2::Kind::Unicast).map(|kind| {
        let schema = kind.schema();
        let within = match kind {
            dm2::Kind::PacketEntities => vec![("messages", messages(vec![entity.clone()]))],
            _ => Vec::new(),
        };
        define(&format!("game.{}", schema.name), fields(schema, Some(("message", schema.name)), within, &[]))
    });
    let of_game: Vec<_> = of_game.collect();
    let string = define("configstring", message(Kind::ConfigString.schema()));
    let end_mask = ("end_mask", int("Mask of the entity 0 that ends the list.", 0, 0xFF_FFFF_FFFF));
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let schema = kind.schema();
        let more = match kind {
            Kind::ConfigString => {
                kinds.push(string.clone());
                continue;
            }
            Kind::ServerData => {
                let within = vec![string.clone(), player.clone(), entity.clone()];
                vec![end_mask.clone(), ("messages", messages(within))]
            }
            Kind::Frame => vec![end_mask.clone(), ("messages", messages(vec![player.clone(), entity.clone()]))],
            Kind::Unicast | Kind::Multicast => vec![("messages", messages(of_game.clone()))],
            _ => Vec::new(),
        };
        let required: &[&str] = if matches!(kind, Kind::ServerData | Kind::Frame) { &["portals"] } else { &[] };
        kinds.push(define(schema.name, fields(schema, Some(("message", schema.name)), more, required)));
    }
    kinds.push(reference("unknown_message"));
    let size = ("size", int("Size of a block that the end of the file cuts.", 0, u16::MAX.into()));
    vec![
        object(
            "In front of the first block: the mark of the format, unless it is missing.",
            Some(("piece", "mvd2")),
            &[("unmarked", flag("The mark is missing."))],
            &[],
        ),
        object(
            "A block of commands.",
            Some(("piece", "block")),
            &[size.clone(), ("messages", messages(kinds))],
            &["messages"],
        ),
        object("A block whose header is all that there is.", Some(("piece", "block")), &[size], &["size"]),
    ]
}
