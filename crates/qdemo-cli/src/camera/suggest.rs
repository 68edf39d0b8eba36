//! A script to begin with: shots of what is worth seeing again.

use std::ffi::OsString;
use std::fmt::Write as _;

use anyhow::Result;
use qdemo::analysis::highlight::{Criteria, Highlight, highlights};
use qdemo::replay::Options;
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader, World};
use qdemo_inputs::{Inputs, Item, Wanted};

use crate::batch::{self, Outcome};
use crate::clips::Again;
use crate::exit::Exit;
use crate::report;
use crate::session::Session;

/// A camera follows for so long before it happens, and looks on from its place for so long behind it.
const BEFORE: DemoTime = DemoTime(3_000_000);
const BEHIND: DemoTime = DemoTime(2_000_000);
/// How far from the player a camera is put, and how far above.
const ASIDE: [f32; 3] = [-96.0, -96.0, 72.0];

pub(super) fn run(files: &[OsString], session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let work = |item: &Item| match one(item, limits) {
        Ok(text) => Outcome { raw: true, ..Outcome::text(text) },
        Err(e) => report::failed(&item.to_string(), &e, false),
    };
    batch::run(session, inputs.items(), several, true, Ok, work, |_| Ok(()))
}

/// The script of a recording.
fn one(item: &Item, limits: Limits) -> Result<String> {
    let (again, name) = (Again::new(item, limits)?, item.to_string());
    let find = |input: &mut dyn std::io::Read| {
        Ok(highlights(input, &name, limits, &Options::default(), &Criteria::default())?.0)
    };
    let found = again.read(&mut Vec::new(), find)?;
    let places = again.read(&mut Vec::new(), |input| places(input, &name, limits, &found))?;
    Ok(script(&name, &found, &places))
}

/// Where the players of highlights were seen last when these begin, else where they come into sight.
fn places(
    input: &mut dyn std::io::Read,
    name: &str,
    limits: Limits,
    found: &[Highlight],
) -> Result<Vec<Option<[f32; 3]>>> {
    let mut reader = Reader::new(input, name, limits)?;
    let mut world = World::of(reader.detected(), name)?;
    let mut places = vec![None; found.len()];
    while let Some(chunk) = reader.next_chunk()? {
        world.apply(&chunk);
        let now = world.clock().demo;
        let is_due = |it: &Highlight| (it.clock.demo.0.saturating_sub(BEFORE.0)..=it.end().0).contains(&now.0);
        for (it, place) in found.iter().zip(&mut places).filter(|(it, _)| is_due(it)) {
            if place.is_none() || now <= it.clock.demo {
                let player = it.player.slot.and_then(|slot| world.player(slot));
                *place = player.and_then(|player| player.origin).or(*place);
            }
        }
    }
    Ok(places)
}

fn script(name: &str, found: &[Highlight], places: &[Option<[f32; 3]>]) -> String {
    let mut text = format!("# Shots of {}: what `qdemo highlights` finds in it.\n", quoted(name));
    text += "# docs/camera.md tells what else there is. Try it: qdemo camera DEMO --script THIS -o OUT\n";
    if found.is_empty() {
        text += "\n# There is nothing of that kind. A shot looks like this:\n# [[shot]]\n# from = \"0:05\"\n# to = \"0:10\"\n\
                 # kind = \"follow\"\n# who = \"name\"\n";
    }
    let mut free = DemoTime::default();
    let at = |n: usize| found.get(n).map(|it| it.clock.demo);
    for (n, (it, place)) in found.iter().zip(places.iter().chain(std::iter::repeat(&None))).enumerate() {
        let begin = it.clock.demo;
        let end = DemoTime(it.end().0.saturating_add(BEHIND.0));
        // The next one has time to begin.
        let end = at(n + 1).map_or(end, |next| end.min(DemoTime(next.0.saturating_sub(BEHIND.0)).max(it.end())));
        let from = DemoTime(begin.0.saturating_sub(BEFORE.0)).max(free);
        let who = quoted(&it.player.name);
        let _ = write!(text, "\n# {}\n", comment(it));
        let Some(place) = place else {
            text += "# The recording does not show where that is: whoever did it is out of the recorder's sight.\n";
            continue;
        };
        if from < begin {
            let _ = write!(text, "[[shot]]\nfrom = \"{from}\"\nto = \"{begin}\"\nkind = \"follow\"\nwho = {who}\n");
            text += "distance = 120\nheight = 40\nsmooth = \"200ms\"\n";
            free = begin;
        }
        if begin.max(free) < end {
            let place: [f32; 3] = std::array::from_fn(|i| (place[i] + ASIDE[i]).round());
            let _ = write!(text, "[[shot]]\nfrom = \"{}\"\nto = \"{end}\"\nkind = \"fixed\"\n", begin.max(free));
            let _ = write!(text, "place = {place:?}\nlook_at = {who}\n");
            free = end;
        }
    }
    text
}

/// What happens, on a line of its own.
fn comment(it: &Highlight) -> String {
    let text = format!("{}: {}, {it}", it.clock.demo, it.player.name);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// As a string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}
