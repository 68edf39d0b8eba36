//! The facts of a Quake II demo.

use std::collections::BTreeSet;

use qdemo::game::quake2::info::Info;

use super::{ending, heading, kinds, line, matches, runs, trailer, unknown_bytes};
use crate::show::{Safe, clock_ms, word};
use crate::table::table;

pub(super) fn format(facts: &Info) -> String {
    let dialect = &facts.dialect;
    format!(
        "Quake II demo (dm2), protocol {} ({}), recorded by a {}",
        dialect.protocol,
        dialect.name,
        facts.recorded_by()
    )
}

pub(super) fn facts(out: &mut String, facts: &Info, detail: bool) {
    if let Some(level) = facts.levels.first() {
        let game = if level.gamedir.is_empty() { "baseq2" } else { &level.gamedir };
        line(out, "Game", Safe(game));
    }
    if !facts.levels.is_empty() {
        let rates: BTreeSet<_> = facts.levels.iter().map(|level| level.frame_rate).collect();
        let rates: Vec<_> =
            rates.iter().map(|rate| if *rate == 10 { "ten".to_owned() } else { rate.to_string() }).collect();
        heading(out, "Levels", &format!("times on the server clock, {} frames a second", rates.join(" or ")));
        levels(out, facts);
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
    trailer(out, facts.trailer_bytes, "end mark");
    ending(out, facts.ends_cleanly, "end mark");
    if detail {
        kinds(out, "Bytes", &facts.kinds, facts.unknown_bytes);
    }
}

fn levels(out: &mut String, facts: &Info) {
    let table = table! {
        for level in &facts.levels;
        let (from, to) = (level.first_time_ms(), level.last_time_ms());
        "Map" => Safe(&level.map),
        "Title" => Safe(&level.title),
        "Recorder" => if level.client >= 0 { format!("slot {}", level.client) } else { String::new() },
        ">From" => clock_ms(from),
        ">To" => clock_ms(to),
        ">Length" => clock_ms(to.zip(from).map(|(to, from)| to - from)),
        ">Frames" => level.frames,
    };
    table.without_empty_columns().write(out, 2);
}

fn players(out: &mut String, facts: &Info) {
    let recorder = facts.levels.last().and_then(|l| u8::try_from(l.client).ok());
    let table = table! {
        for player in &facts.players;
        ">Slot" => player.slot,
        "Name" => Safe(&player.name()),
        "Skin" => Safe(&player.skin),
        "" => word(player.left, "left"),
        "" => word(!player.left && recorder == Some(player.slot), "recorder"),
    };
    table.without_empty_columns().write(out, 2);
}
