//! The facts of a Quake demo.

use std::fmt::Write;

use qdemo::format::dem::{Variant, protocol_name};
use qdemo::game::quake::info;
use qdemo::wire::{AngleKind, CoordKind};

use super::{ending, heading, kinds, line, matches, runs, unknown_bytes};
use crate::console::DOUBT;
use crate::show::{Safe, clock, some, word};
use crate::table::table;

pub(super) fn format(facts: &info::Info) -> String {
    let dialect = &facts.dialect;
    let mut text = format!("Quake demo (dem), protocol {} ({})", dialect.protocol, protocol_name(dialect.protocol));
    let _ = write!(text, ", dialect {}", dialect.name);
    if (dialect.coord, dialect.angle) != (CoordKind::I16, AngleKind::I8) {
        let _ = write!(text, ", coordinates {}, angles {}", dialect.coord.name(), dialect.angle.name());
    }
    if dialect.variant != Variant::Standard {
        let _ = write!(text, ", read as {}", dialect.variant.name());
    }
    if !dialect.decoded {
        let _ = write!(text, "; {DOUBT}its messages are not decoded{DOUBT:#}");
    }
    text
}

pub(super) fn facts(out: &mut String, facts: &info::Info, detail: bool) {
    if let Some(banner) = &facts.banner {
        line(out, "Server", Safe(banner));
    }
    if let Some(crc) = facts.progs_crc {
        line(out, "Progs CRC", crc);
    }
    if let Some(game) = &facts.game {
        line(out, "Game", Safe(game));
    }
    match facts.track {
        -1 => line(out, "CD track", "-1 (the level's own)"),
        track => line(out, "CD track", track),
    }
    if !facts.levels.is_empty() {
        heading(out, "Levels", "times on the server clock");
        levels(out, &facts.levels);
    }
    matches(out, facts.levels.iter().map(|level| (&*level.map, &level.matches)));
    runs::runs(out, &facts.runs);
    if !facts.players.is_empty() {
        heading(out, "Players", "");
        players(out, facts);
    }
    line(out, "Blocks", facts.blocks);
    line(out, "Messages", facts.messages);
    unknown_bytes(out, facts.unknown_bytes);
    ending(out, facts.ends_cleanly, "disconnect");
    if detail {
        kinds(out, "Bytes", &facts.kinds, facts.unknown_bytes);
    }
}

fn levels(out: &mut String, levels: &[info::Level]) {
    // Servers tell these counts in every game, but in a deathmatch there is nothing to count.
    let share = |n, of| if (n, of) == (0, 0) { String::new() } else { format!("{n}/{of}") };
    let table = table! {
        for level in levels;
        "Map" => Safe(&level.map),
        "Title" => Safe(&level.title),
        "Mode" => level.mode(),
        ">From" => clock(level.first_time),
        ">To" => clock(level.last_time),
        ">Length" => clock(level.length()),
        ">Finished" => some(level.finished.map(|t| clock(Some(t)))),
        ">Kills" => share(level.totals.kills, level.totals.monsters),
        ">Secrets" => share(level.totals.found, level.totals.secrets),
    };
    table.without_empty_columns().write(out, 2);
}

fn players(out: &mut String, facts: &info::Info) {
    let number = |n: Option<i16>| n.map_or("-".to_owned(), |n| n.to_string());
    let table = table! {
        for player in &facts.players;
        ">Slot" => player.slot,
        "Name" => Safe(&player.name()),
        ">Shirt" => number(player.colors.map(|c| c.shirt().into())),
        ">Pants" => number(player.colors.map(|c| c.pants().into())),
        ">Score" => number(player.frags),
        "" => word(player.left, "left"),
        // The entity of a player is slot + 1.
        "" => word(!player.left && facts.view_entity == Some(u16::from(player.slot) + 1), "recorder"),
    };
    table.without_empty_columns().write(out, 2);
}
