//! The facts of a Quake II demo.

use std::collections::BTreeSet;

use qdemo::format::dm2::Info;

use super::{ending, heading, kinds, line, trailer, unknown_bytes};
use crate::show::{Safe, clock_ms};
use crate::table::Table;

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
    let mut table = Table::new(&["Map", "Title", "Recorder", ">From", ">To", ">Length", ">Frames"]);
    for level in &facts.levels {
        let (from, to) = (level.first_time_ms(), level.last_time_ms());
        let length = to.zip(from).map(|(to, from)| to - from);
        table.row([
            Safe(&level.map).to_string(),
            Safe(&level.title).to_string(),
            if level.client >= 0 { format!("slot {}", level.client) } else { String::new() },
            clock_ms(from),
            clock_ms(to),
            clock_ms(length),
            level.frames.to_string(),
        ]);
    }
    table.without_empty_columns().write(out, 2);
}

fn players(out: &mut String, facts: &Info) {
    let recorder = facts.levels.last().and_then(|l| u8::try_from(l.client).ok());
    let mut table = Table::new(&[">Slot", "Name", "Skin", "", ""]);
    for player in &facts.players {
        table.row([
            player.slot.to_string(),
            Safe(&player.name()).to_string(),
            Safe(&player.skin).to_string(),
            if player.left { "left" } else { "" }.to_owned(),
            if !player.left && recorder == Some(player.slot) { "recorder" } else { "" }.to_owned(),
        ]);
    }
    table.without_empty_columns().write(out, 2);
}
