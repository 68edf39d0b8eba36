//! `qdemo state`: the world at one moment.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::replay::{Position, World};
use qdemo::world::{Clock, Scene};
use qdemo_inputs::{Inputs, Item, LenientReader, Wanted};

use crate::batch::{self, Outcome};
use crate::console::{DOUBT, KEY, Note};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, moment, some};
use crate::table::table;
use crate::when::When;

/// Tell who is where with what at one moment of a recording
///
/// Times are counted from the beginning of the recording, unless the place names another clock. With --json the whole world is written: players, entities,
/// and everything that only this game has.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read

Examples:
  qdemo state duel.mvd --at 5:00
  qdemo state duel.dm_68                     at the end
  qdemo state run.dem --at 12.5 --entities   everything in view as well
  qdemo state run.dem --at 12500ms --json
  qdemo state run.dem --at server:12.5       when the server's clock shows that")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// The moment, from the beginning of the recording: 90, 1:30, 1:02:03.5, 1500ms; on the game's own clock: server:90,
    /// recorder:90, recording:90, clock:90; or frame:12, block:12, start; the default is the end
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true)]
    at: Option<Position>,

    #[command(flatten)]
    when: When,

    /// List the entities in view too
    #[arg(long)]
    entities: bool,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let work = |item: &Item| one(item, args, several, limits);
    batch::run(session, inputs.items(), several, args.json, Ok, work, |_| Ok(()))
}

fn one(item: &Item, args: &Args, several: bool, limits: Limits) -> Outcome {
    let read =
        |input: &mut LenientReader, name: &str| qdemo::replay::at(input, name, limits, place(item, args, limits)?);
    report::one(item, args.json, limits, read, |(world, end, faults), name| {
        let mut outcome = if args.json {
            Outcome::json(&report::line(name, &world))
        } else {
            let mut out = if several { format!("{KEY}{}{KEY:#}\n", Safe(name)) } else { String::new() };
            text(&world, end, args, &mut out);
            Outcome::text(out)
        };
        report::warn(&mut outcome, name, &faults);
        let end = Clock { demo: end, ..world.clock() };
        if let Some(at @ Position::Demo(_)) = args.at.filter(|at| !at.is_reached(None, &end)) {
            let what = format!("{name}: ends at {}, in front of {at}: this is its end", end.demo);
            outcome.notes.push(Note::Warning(what));
        }
        outcome
    })
}

/// The moment that is asked for, on a clock that a recording has. For times within matches and levels it is read once more.
fn place(item: &Item, args: &Args, limits: Limits) -> qdemo::Result<Option<Position>> {
    let parts = args.when.parts(item, limits)?;
    args.when.check(&parts)?;
    args.at.map(|at| args.when.resolve(at, &parts)).transpose()
}

fn text(world: &World, end: qdemo::world::DemoTime, args: &Args, out: &mut String) {
    let now = world.clock();
    let level = world.level();
    let _ = writeln!(out, "Time:    {} of {end}", now.demo);
    let frame = now.frame.map(|n| format!(", frame {n}")).unwrap_or_default();
    let _ = writeln!(out, "Clock:   {} ({}){frame}", moment(now.now), now.kind.name());
    let (map, title) = (String::from_utf8_lossy(level.map), world.charset().clean(level.title));
    let title = if title.is_empty() { String::new() } else { format!(" ({title})") };
    let _ = writeln!(out, "Level:   {}{}", Safe(&map), Safe(&title));
    if let Some(view) = world.view() {
        let name = view.slot.and_then(|slot| world.player(slot)).map(|p| p.clean_name()).unwrap_or_default();
        let at = view.origin.map(|o| format!(" at {}", vector(o))).unwrap_or_default();
        let _ = writeln!(out, "View:    {}{at}, angles {}", Safe(&name), vector(view.angles));
    }
    if world.is_paused() {
        let _ = writeln!(out, "{DOUBT}The game is paused.{DOUBT:#}");
    }
    if !world.is_complete() {
        let _ = writeln!(out, "{DOUBT}What this moment builds on was not recorded: entities are not known.{DOUBT:#}");
    }
    let table = table! {
        for player in world.players();
        let team = player.team.as_deref().map(|team| player.charset.clean(team));
        ">Slot" => player.slot,
        "Name" => Safe(&player.clean_name()),
        "Team" => if player.spectator { Safe("spectator") } else { Safe(team.as_deref().unwrap_or_default()) },
        ">Score" => some(player.frags),
        ">Ping" => some(player.ping),
        ">Health" => some(player.health),
        ">Armor" => some(player.armor),
        "Weapon" => Safe(player.weapon.as_deref().unwrap_or_default()),
        ">Ammo" => some(player.ammo),
        "Place" => some(player.origin.map(vector)),
        "Carries" => Safe(&carries(world, player.slot)),
    };
    out.push('\n');
    table.without_empty_columns().write(out, 0);
    if args.entities {
        let table = table! {
            for entity in world.entities();
            ">Entity" => entity.number,
            "Kind" => entity.kind,
            "Model" => Safe(&String::from_utf8_lossy(&entity.model)),
            "Place" => vector(entity.origin),
            "Angles" => vector(entity.angles),
            ">Frame" => entity.frame,
            ">Skin" => entity.skin,
            ">Effects" => entity.effects,
        };
        out.push('\n');
        table.without_empty_columns().write(out, 0);
    }
}

/// What a player has, and how much of it where that is not one.
fn carries(world: &World, slot: usize) -> String {
    let mut all = Vec::new();
    world.carried(slot, &mut |name, value| {
        all.push(if value == 1 { name.to_owned() } else { format!("{name} {value}") });
    });
    all.join(", ")
}

/// Three numbers in the digits that people can use.
fn vector(v: [f32; 3]) -> String {
    v.map(|v| ((f64::from(v) * 1000.0).round() / 1000.0).to_string()).join(" ")
}
