//! `commands`: what a recording would make the machine of its viewer do.
//!
//! A server can put commands into the console of a client, and a recording keeps them: playing it carries them out. What
//! engines and mods send as a matter of course is listed in `event/commands.tsv` and is no finding, or a note where it changes
//! something. What rebinds keys, writes files, ends the program or speaks for the viewer is a warning, and so is what the
//! list does not know. In Quake III such commands are those behind `stuff` (OSP, CPMA) and `rcmd` (Quake Live), and the
//! variables of the system information, which the engine sets. Nothing is ever carried out here.

use std::collections::HashSet;

use super::found::{Findings, Severity, Statement, excerpt};
use super::{ChunkSeen, Place, Probe};
use crate::event::Lines;
use crate::event::commands::{CommandClass, KnownCommand, Where, commands};
use crate::format::dm3::Indices;
use crate::replay::World;
use crate::wire::{clean, info_pairs};
use crate::world::{Scene, TextKind};

/// How bad a command is; `None`: not at all. What the table does not know is a warning.
fn severity(class: CommandClass) -> Option<Severity> {
    match class {
        CommandClass::Normal => None,
        CommandClass::Look => Some(Severity::Note),
        CommandClass::Harm => Some(Severity::Warning),
    }
}

#[derive(Default)]
pub(super) struct Commands {
    lines: Lines,
    systeminfo: Vec<u8>,
}

impl Commands {
    /// Commands of a console, behind each other.
    fn console(text: &[u8], source: &str, place: &Place, found: &mut Findings) {
        for command in commands(text).map(clean) {
            let command = command.trim_matches([' ', '\t', ';', '\n', '\r', '\0']);
            if command.is_empty() {
                continue;
            }
            let known = KnownCommand::find(Where::Console, command);
            let Some(severity) = severity(known.map_or(CommandClass::Harm, |known| known.class)) else { continue };
            found.add("commands", severity, place, source, || {
                let what = known.map_or("no command that engines or mods are known to send", |known| known.meaning);
                let text = format!("playing this carries out `{}`: {what}", excerpt(command));
                Statement::new(text, vec![("command", excerpt(command).into())])
            });
        }
    }

    fn text(&mut self, said: TextKind, text: &[u8], slot: Option<u8>, place: &Place, found: &mut Findings) {
        match said {
            TextKind::Console => {
                if let Some(line) = self.lines.add((None, slot), text) {
                    Self::console(&line.raw, "stufftext", place, found);
                }
            }
            TextKind::Command => {
                let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
                let (word, rest) = text.split_at(end);
                if matches!(word, b"stuff" | b"rcmd") {
                    Self::console(rest, "serverCommand", place, found);
                } else if let Some(known) = KnownCommand::find(Where::Command, &clean(word)) {
                    let Some(severity) = severity(known.class) else { return };
                    let word = clean(word);
                    found.add("commands", severity, place, "serverCommand", || {
                        let text = format!("playing this carries out `{word}`: {}", known.meaning);
                        Statement::new(text, vec![("command", word.as_str().into())])
                    });
                }
            }
            TextKind::Print(_) | TextKind::Center => {}
        }
    }

    /// Variables that the engine sets.
    fn variables(&mut self, info: &[u8], place: &Place, found: &mut Findings) {
        let before: HashSet<_> = info_pairs(&self.systeminfo).collect();
        for (key, value) in info_pairs(info).filter(|pair| !before.contains(pair)) {
            let key = clean(key);
            if key.is_empty() || KnownCommand::find(Where::SystemInfo, &key).is_some() {
                continue;
            }
            found.add("commands", Severity::Warning, place, "systeminfo", || {
                let (key, value) = (excerpt(&key), excerpt(&clean(value)));
                let text = format!("playing this sets the variable {key} to `{value}`");
                Statement::new(text, vec![("variable", key.into()), ("value", value.into())])
            });
        }
        info.clone_into(&mut self.systeminfo);
    }
}

impl Probe for Commands {
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        let world = seen.world;
        for (said, text, slot) in world.changes().texts() {
            self.text(said, text, slot, &seen.place, found);
        }
        let told = world.changes().settings || world.changes().level;
        if let (World::Dm3(world), true) = (world, told) {
            self.variables(world.configstrings().get(Indices::SYSTEM_INFO), &seen.place, found);
        }
    }

    fn finish(&mut self, _: &World, at: &Place, found: &mut Findings) {
        // A command without a line end is carried out together with the next one: here there is none.
        let rest: Vec<_> = self.lines.rest().collect();
        rest.iter().for_each(|(_, line)| Self::console(&line.raw, "stufftext", at, found));
    }
}
