//! Commands that servers put into the consoles of clients: which are known, and what they do.

use std::sync::LazyLock;

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// In a line for the console.
    Console,
    /// It is a server command of Quake III.
    Command,
    /// It is a variable that Quake III's system information sets.
    SystemInfo,
}

/// What a command does to the machine of a viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandClass {
    /// Nothing: engines and mods send it as a matter of course.
    Normal,
    /// It changes what is seen or heard.
    Look,
    /// It rebinds keys, writes files, ends the program, speaks for the viewer ...
    Harm,
}

/// A command that is known: a line of the table.
pub(crate) struct KnownCommand {
    place: Where,
    /// A `*` at the end of a word stands for anything. A name of several words is about commands that begin so, and only
    /// the last of these words for more than one.
    name: &'static str,
    pub(crate) class: CommandClass,
    /// What it does, for people.
    pub(crate) meaning: &'static str,
}

static TABLE: LazyLock<Vec<KnownCommand>> = LazyLock::new(|| {
    let lines = include_str!("commands.tsv").lines().skip(1);
    let known = |line: &'static str| {
        let mut cells = line.split('\t');
        let place = match cells.next()? {
            "console" => Where::Console,
            "command" => Where::Command,
            _ => Where::SystemInfo,
        };
        let name = cells.next()?;
        let class = match cells.next()? {
            "normal" => CommandClass::Normal,
            "look" => CommandClass::Look,
            _ => CommandClass::Harm,
        };
        Some(KnownCommand { place, name, class, meaning: cells.next()? })
    };
    lines.filter_map(known).collect()
});

impl KnownCommand {
    fn is<'c>(&self, mut words: impl Iterator<Item = &'c str>) -> bool {
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
    pub(crate) fn find(place: Where, command: &str) -> Option<&'static KnownCommand> {
        let (head, last) = without_quotes(command);
        let words = head.split_whitespace().chain(last.split_whitespace());
        TABLE.iter().find(|known| known.place == place && known.is(words.clone()))
    }
}

/// A command in two parts: the second is a last word in quotes without them, unless it holds several commands.
fn without_quotes(command: &str) -> (&str, &str) {
    let quoted = || command.trim_end().strip_suffix('"')?.split_once('"');
    let one = |(head, word): &(&str, &str)| head.ends_with([' ', '\t']) && !word.contains(['"', ';', '\n', '\r']);
    quoted().filter(one).unwrap_or((command, ""))
}

/// The commands of a text as consoles take it apart, each with what ends it: at semicolons and line ends, but not within
/// quotes. A remark does not hide what stands behind a semicolon: only the tokenizer knows remarks, and it comes later.
pub(crate) fn commands(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    text.split_inclusive(move |b| {
        quoted ^= *b == b'"';
        let ends = *b == b'\n' || *b == b';' && !quoted;
        quoted &= !ends;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        let trim = |command: &[u8]| String::from_utf8_lossy(command).trim_matches([' ', ';', '\n']).to_owned();
        let all = |text: &str| commands(text.as_bytes()).map(trim).filter(|c| !c.is_empty()).collect::<Vec<_>>();
        assert_eq!(all("bf\n"), ["bf"]);
        assert_eq!(all("wait; wait;cmd ack \"a;b\"\nquit"), ["wait", "wait", "cmd ack \"a;b\"", "quit"]);
        assert_eq!(all("//ktx took 1; quit\nbf"), ["//ktx took 1", "quit", "bf"]);
        assert_eq!(all(" ;\n; "), [""; 0]);
    }

    #[test]
    fn the_table_is_whole() {
        assert!(TABLE.len() > 60);
        for line in include_str!("commands.tsv").lines().skip(1) {
            let cells: Vec<_> = line.split('\t').collect();
            assert!(["console", "command", "systeminfo"].contains(&cells[0]), "{line}");
            assert!(["normal", "look", "harm"].contains(&cells[2]) && !cells[3].is_empty(), "{line}");
        }
        let class = |word| KnownCommand::find(Where::Console, word).map(|known| known.class);
        assert_eq!(class("//ktx"), Some(CommandClass::Normal));
        assert_eq!(class("QUIT"), Some(CommandClass::Harm));
        assert_eq!(class("-attack"), Some(CommandClass::Look));
        assert_eq!(class("b"), None);
        // A word for a command of the mod does nothing by itself; what else it may be a word for, does.
        assert_eq!(class("alias ready cmd cc 3"), Some(CommandClass::Look));
        assert_eq!(class("alias 5 impulse 5"), Some(CommandClass::Look));
        assert_eq!(class("alias 5 \"impulse 5\""), Some(CommandClass::Look));
        assert_eq!(class("alias ready \t\"cmd cc 3\" "), Some(CommandClass::Look));
        for harm in [
            "alias ready \"cmd cc 3;quit\"",
            "alias ready \"cmd cc 3\" \"quit\"",
            "alias \"ready\" \"cmd cc 3\"",
            "alias ready \"cmd cc 3",
            "alias ready quit",
            "alias ready",
            "alias next_fav fav_next quit",
        ] {
            assert_eq!(class(harm), Some(CommandClass::Harm), "{harm}");
        }
    }
}
