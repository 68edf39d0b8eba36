//! `commands`: what a recording would make the machine of its viewer do.
//!
//! A server can put commands into the console of a client, and a recording keeps them: playing it carries them out. What
//! engines and mods send as a matter of course is listed in `commands.tsv` and is no finding, or a note where it changes
//! something. What rebinds keys, writes files, ends the program or speaks for the viewer is a warning, and so is what the
//! list does not know. In Quake III such commands are those behind `stuff` (OSP, CPMA) and `rcmd` (Quake Live), and the
//! variables of the system information, which the engine sets. Nothing is ever carried out here.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::found::{Findings, Severity, Statement, excerpt};
use super::{ChunkSeen, Place, Probe};
use crate::event::Lines;
use crate::replay::World;
use crate::wire::{clean, info_pairs};
use crate::world::{Scene, TextKind};

/// A line of the table.
struct TableLine {
    place: &'static str,
    name: &'static str,
    class: &'static str,
    meaning: &'static str,
}

static TABLE: LazyLock<Vec<TableLine>> = LazyLock::new(|| {
    let lines = include_str!("commands.tsv").lines().skip(1);
    let known = |line: &'static str| {
        let mut cells = line.split('\t');
        Some(TableLine { place: cells.next()?, name: cells.next()?, class: cells.next()?, meaning: cells.next()? })
    };
    lines.filter_map(known).collect()
});

impl TableLine {
    /// A `*` at the end of a word stands for anything. A name of several words is about commands that begin so, and only
    /// the last of these words for more than one.
    fn is(&self, command: &str) -> bool {
        let mut words = command.split_whitespace();
        let all = self.name.split(' ').all(|name| {
            let word = words.next().unwrap_or_default();
            match name.strip_suffix('*') {
                Some(head) => word.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head)),
                None => name.eq_ignore_ascii_case(word),
            }
        });
        let single = !self.name.contains(' ');
        all && (single || self.name.ends_with(" *") || words.next().is_none())
    }

    /// The line about a command: the first.
    fn find(place: &str, command: &str) -> Option<&'static TableLine> {
        TABLE.iter().find(|known| known.place == place && known.is(command))
    }

    /// How bad it is; `None`: not at all.
    fn severity(&self) -> Option<Severity> {
        match self.class {
            "normal" => None,
            "look" => Some(Severity::Note),
            _ => Some(Severity::Warning),
        }
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
        for command in commands(&clean(text)) {
            let known = TableLine::find("console", command);
            let severity = known.map_or(Some(Severity::Warning), TableLine::severity);
            let Some(severity) = severity else { continue };
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
                } else if let Some(known) = TableLine::find("command", &clean(word)) {
                    let Some(severity) = known.severity() else { return };
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
            if key.is_empty() || TableLine::find("systeminfo", &key).is_some() {
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
            self.variables(world.configstrings().get(1), &seen.place, found);
        }
    }

    fn finish(&mut self, _: &World, at: &Place, found: &mut Findings) {
        // A command without a line end is carried out together with the next one: here there is none.
        let rest: Vec<_> = self.lines.rest().collect();
        rest.iter().for_each(|(_, line)| Self::console(&line.raw, "stufftext", at, found));
    }
}

/// The commands of a line, as consoles take it apart: at semicolons and line ends, but not within quotes. A
/// remark does not hide what stands behind a semicolon: only the tokenizer knows remarks, and it comes later.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches([' ', '\t', ';', '\n', '\r', '\0']);
            if rest.is_empty() {
                return None;
            }
            let mut quoted = false;
            let end = rest.find(|c| {
                quoted ^= c == '"';
                c == '\n' || c == ';' && !quoted
            });
            let (command, behind) = rest.split_at(end.unwrap_or(rest.len()));
            rest = behind;
            if !command.trim().is_empty() {
                return Some(command.trim());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        let all = |text| commands(text).collect::<Vec<_>>();
        assert_eq!(all("bf\n"), ["bf"]);
        assert_eq!(all("wait; wait;cmd ack \"a;b\"\nquit"), ["wait", "wait", "cmd ack \"a;b\"", "quit"]);
        assert_eq!(all("//ktx took 1; quit\nbf"), ["//ktx took 1", "quit", "bf"]);
        assert_eq!(all(" ;\n; "), [""; 0]);
    }

    #[test]
    fn the_table_is_whole() {
        assert!(TABLE.len() > 60);
        for known in TABLE.iter() {
            assert!(["console", "command", "systeminfo"].contains(&known.place), "{}", known.place);
            assert!(["normal", "look", "harm"].contains(&known.class) && !known.meaning.is_empty(), "{}", known.name);
        }
        let class = |word| TableLine::find("console", word).map(|known| known.class);
        assert_eq!(class("//ktx"), Some("normal"));
        assert_eq!(class("QUIT"), Some("harm"));
        assert_eq!(class("-attack"), Some("look"));
        assert_eq!(class("b"), None);
        // A word for a command of the mod does nothing by itself; what else it may be a word for, does.
        assert_eq!(class("alias ready cmd cc 3"), Some("look"));
        assert_eq!(class("alias 5 impulse 5"), Some("look"));
        for harm in ["alias ready \"cmd cc 3;quit\"", "alias ready quit", "alias ready", "alias next_fav fav_next quit"]
        {
            assert_eq!(class(harm), Some("harm"), "{harm}");
        }
    }
}
