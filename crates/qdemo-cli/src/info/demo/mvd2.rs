//! The facts of a multi-view demo of Quake II.

use qdemo::game::quake2::multiview::info::{Info, Level};

use super::{ending, heading, kinds, length, line, matches, runs, trailer, unknown_bytes};
use crate::show::{Safe, moment, word};
use crate::table::table;

pub(super) fn format(facts: &Info) -> String {
    let dialect = &facts.dialect;
    let minor = facts.levels.last().map(|l| format!("/{}", l.minor)).unwrap_or_default();
    format!("Quake II multi-view demo (mvd2), protocol {}{minor} ({})", dialect.protocol, dialect.name)
}

pub(super) fn facts(out: &mut String, facts: &Info, detail: bool) {
    if let Some(level) = facts.levels.first() {
        let game = if level.gamedir.is_empty() { "baseq2" } else { &level.gamedir };
        line(out, "Game", Safe(game));
        if level.client >= 0 {
            line(out, "Recorder", format_args!("slot {}, a spectator for the recording", level.client));
        }
        if level.flags != 0 {
            line(out, "Flags", flags(level));
        }
    }
    if !facts.levels.is_empty() {
        heading(out, "Levels", "times since the recording began");
        levels(out, facts);
    }
    matches(out, facts.levels.iter().map(|level| (&*level.map, &level.matches)));
    runs::runs(out, &facts.runs);
    if !facts.players.is_empty() {
        heading(out, "Players", "");
        players(out, facts);
    }
    line(out, "Blocks", facts.blocks);
    line(out, "Commands", facts.messages);
    unknown_bytes(out, facts.unknown_bytes);
    trailer(out, facts.trailer_bytes, "end mark");
    ending(out, facts.ends_cleanly, "end mark");
    if detail {
        kinds(out, "Bytes", &facts.kinds, facts.unknown_bytes);
    }
}

fn flags(level: &Level) -> String {
    const WORDS: [&str; 4] = ["no messages", "one player only", "extended limits", "second extended limits"];
    let set = |n: usize| level.flags >> n & 1 == 1;
    let mut words: Vec<_> = (0..16).filter(|n| set(*n)).map(|n| WORDS.get(n).map_or("?", |word| *word)).collect();
    words.dedup();
    format!("{} ({})", level.flags, words.join(", "))
}

fn levels(out: &mut String, facts: &Info) {
    let table = table! {
        for level in &facts.levels;
        "Map" => Safe(&level.map),
        "Title" => Safe(&level.title),
        ">From block" => level.first_block,
        ">From" => moment(level.first_time),
        ">To" => moment(level.last_time),
        ">Length" => length(level.first_time, level.last_time),
        ">Frames" => level.frames,
    };
    table.write(out, 2);
}

fn players(out: &mut String, facts: &Info) {
    let table = table! {
        for player in &facts.players;
        ">Slot" => player.slot,
        "Name" => Safe(&player.name()),
        "Skin" => Safe(&player.skin),
        "" => word(player.left, "left"),
    };
    table.without_empty_columns().write(out, 2);
}
