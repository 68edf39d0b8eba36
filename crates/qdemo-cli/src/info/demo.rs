//! The facts of one demo, for people.

use std::fmt::{Display, Write};

use qdemo::dialect::{Variant, protocol_name};
use qdemo::format::dem;
use qdemo::info::{Facts, Info};
use qdemo::wire::{AngleKind, CoordKind};

use crate::console::{BAD, DOUBT, GOOD, KEY};
use crate::show::{Safe, clock, count, size};
use crate::table::Table;

/// How many faults are shown.
const FAULTS: usize = 3;

pub(super) fn text(info: &Info, name: &str, containers: &[&str], detail: bool) -> String {
    let mut out = String::new();
    line(&mut out, "File", format_args!("{KEY}{}{KEY:#}", Safe(name)));
    if !containers.is_empty() {
        // Innermost first, as one unpacks it in one's mind.
        let chain: Vec<_> = containers.iter().rev().copied().collect();
        line(&mut out, "Container", chain.join(" in "));
    }
    line(&mut out, "Size", size(info.bytes));
    match &info.facts {
        Facts::Dem(facts) => {
            line(&mut out, "Format", format(facts));
            reason(&mut out, info);
            quake(&mut out, facts, detail);
        }
        _ => {
            line(&mut out, "Format", format_args!("{BAD}unknown{BAD:#}"));
            reason(&mut out, info);
            // That no byte is understood is said by now.
            return out;
        }
    }
    faults(&mut out, info, name);
    out
}

fn line(out: &mut String, key: &str, value: impl Display) {
    let width = 14 - key.len().min(13);
    let _ = writeln!(out, "{KEY}{key}:{KEY:#}{:width$}{value}", "", width = width);
}

fn reason(out: &mut String, info: &Info) {
    let detected = &info.detected;
    line(out, "Recognised", format_args!("{} ({} of 100)", Safe(&detected.reason), detected.score));
    if detected.name_disagrees {
        let word = match info.facts {
            Facts::Unknown => "the name promises a demo, the content is none that qdemo knows",
            _ => "the name promises something else",
        };
        line(out, "Name", format_args!("{DOUBT}{word}{DOUBT:#}"));
    }
}

fn format(facts: &dem::Info) -> String {
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

fn quake(out: &mut String, facts: &dem::Info, detail: bool) {
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
        let _ = writeln!(out, "{KEY}Levels:{KEY:#} (times on the server clock)");
        levels(out, &facts.levels);
    }
    if !facts.players.is_empty() {
        let _ = writeln!(out, "{KEY}Players:{KEY:#}");
        players(out, facts);
    }
    line(out, "Blocks", facts.blocks);
    line(out, "Messages", facts.messages);
    match facts.unknown_bytes {
        0 => line(out, "Unknown", "0 bytes"),
        n => line(out, "Unknown", format_args!("{DOUBT}{}{DOUBT:#}", count(n, "byte"))),
    }
    match facts.ends_cleanly {
        true => line(out, "Ending", format_args!("{GOOD}clean{GOOD:#} (disconnect)")),
        false => line(out, "Ending", format_args!("{DOUBT}no disconnect at the end{DOUBT:#}")),
    }
    if detail {
        let _ = writeln!(out, "{KEY}Kinds of messages:{KEY:#}");
        kinds(out, facts);
    }
}

fn levels(out: &mut String, levels: &[dem::Level]) {
    let headings = ["Map", "Title", "Mode", ">From", ">To", ">Length", ">Finished", ">Kills", ">Secrets"];
    let mut table = Table::new(&headings);
    for level in levels {
        let mode = match (level.deathmatch, level.maxclients) {
            (true, _) => "deathmatch",
            (false, 1) => "single player",
            (false, _) => "cooperative",
        };
        let totals = &level.totals;
        // Servers tell these counts in every game, but in a deathmatch there is nothing to count.
        let share = |n, of| if (n, of) == (0, 0) { String::new() } else { format!("{n}/{of}") };
        let finished = level.finished.map(|t| clock(Some(t))).unwrap_or_default();
        table.row([
            Safe(&level.map).to_string(),
            Safe(&level.title).to_string(),
            mode.to_owned(),
            clock(level.first_time),
            clock(level.last_time),
            clock(level.length()),
            finished,
            share(totals.kills, totals.monsters),
            share(totals.found, totals.secrets),
        ]);
    }
    table.without_empty_columns().write(out, 2);
}

fn players(out: &mut String, facts: &dem::Info) {
    let mut table = Table::new(&[">Slot", "Name", ">Shirt", ">Pants", ">Frags", "", ""]);
    for player in &facts.players {
        let number = |n: Option<String>| n.unwrap_or_else(|| "-".to_owned());
        // The entity of a player is slot + 1.
        let recorder = !player.left && facts.view_entity == Some(u16::from(player.slot) + 1);
        table.row([
            player.slot.to_string(),
            Safe(&player.name()).to_string(),
            number(player.colors.map(|c| c.shirt().to_string())),
            number(player.colors.map(|c| c.pants().to_string())),
            number(player.frags.map(|f| f.to_string())),
            if player.left { "left" } else { "" }.to_owned(),
            if recorder { "recorder" } else { "" }.to_owned(),
        ]);
    }
    table.without_empty_columns().write(out, 2);
}

fn kinds(out: &mut String, facts: &dem::Info) {
    let mut kinds: Vec<_> = facts.kinds.iter().collect();
    kinds.sort_by(|a, b| b.1.bytes.cmp(&a.1.bytes).then(a.0.cmp(b.0)));
    let all: u64 = kinds.iter().map(|(_, share)| share.bytes).sum::<u64>() + facts.unknown_bytes;
    let mut table = Table::new(&["Message", ">Count", ">Bytes", ">Share"]);
    let share = |bytes: u64| format!("{:.2} %", 100.0 * bytes as f64 / all.max(1) as f64);
    for (kind, sum) in kinds {
        let name = kind.schema().name.to_owned();
        table.row([name, sum.count.to_string(), sum.bytes.to_string(), share(sum.bytes)]);
    }
    if facts.unknown_bytes > 0 {
        let bytes = facts.unknown_bytes;
        table.row(["(unknown bytes)".to_owned(), String::new(), bytes.to_string(), share(bytes)]);
    }
    table.write(out, 2);
}

fn faults(out: &mut String, info: &Info, name: &str) {
    if info.faults.is_empty() {
        return line(out, "Faults", "none");
    }
    line(out, "Faults", format_args!("{BAD}{}{BAD:#}", info.faults.count()));
    for fault in info.faults.iter().take(FAULTS) {
        // The name stands above already.
        let text = fault.to_string();
        let text = text.strip_prefix(name).map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']));
        let _ = writeln!(out, "  {}", Safe(text));
    }
    let more = info.faults.count().saturating_sub(FAULTS as u64);
    if more > 0 {
        let _ = writeln!(out, "  and {more} more");
    }
}
