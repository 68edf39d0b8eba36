//! The printer: messages to text.

use std::sync::Arc;

use crate::describe::{Form, Name, Sink, Table};
use crate::wire::{Scalar, StrList, printable};

use super::number;

/// Writes qdemo's text form, or LMPC's.
pub(crate) struct TextSink {
    /// The text so far.
    pub(crate) out: Vec<u8>,
    lmpc: bool,
    depth: usize,
    inline: bool,
    foreign: bool,
    /// Length of the text behind the brace of the group opened last, which may stay empty; 0 for none.
    opened: usize,
    models: NameTable,
    sounds: NameTable,
}

/// Names by number, made safe for comments; copies share them.
#[derive(Clone, Default, PartialEq)]
struct NameTable(Arc<Vec<String>>);

impl NameTable {
    fn get(&self, index: u32) -> Option<&str> {
        self.0.get((index as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// A line feed and the indents of all depths.
const INDENT: &[u8; 33] = b"\n                                ";
/// The indents of most depths: copied as a whole and cut, as copies of a known size are single moves.
const USUAL: usize = 8;
/// Longest line that a list of strings fills.
const WIDTH: usize = 79;

/// Names of the player state array (engine header `quakedef.h`).
const STATS: [&str; 15] = [
    "health",
    "frags",
    "weaponmodel",
    "currentammo",
    "armorvalue",
    "weaponframe",
    "ammo_shells",
    "ammo_nails",
    "ammo_rockets",
    "ammo_cells",
    "weapon",
    "total_secrets",
    "total_monsters",
    "found_secrets",
    "killed_monsters",
];

impl TextSink {
    pub(crate) fn new(lmpc: bool) -> Self {
        TextSink {
            out: Vec::new(),
            lmpc,
            depth: 0,
            inline: false,
            foreign: false,
            opened: 0,
            models: NameTable::default(),
            sounds: NameTable::default(),
        }
    }

    /// One for what follows, which knows the same names and writes into `room`.
    pub(super) fn fork(&self, room: Vec<u8>) -> Self {
        TextSink { out: room, models: self.models.clone(), sounds: self.sounds.clone(), ..TextSink::new(self.lmpc) }
    }

    /// True when what follows is shown alike.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.models == other.models && self.sounds == other.sounds
    }

    /// Adds what another one has shown, and takes over the names that it knows. Gives room for another text.
    pub(super) fn join(&mut self, other: Self) -> Vec<u8> {
        (self.models, self.sounds) = (other.models, other.sounds);
        append(&mut self.out, other.out)
    }

    /// Writes messages as they would stand inside a block.
    pub(crate) fn enter(&mut self) {
        self.depth += 1;
    }

    /// True when LMPC cannot say what was shown since the last call.
    pub(crate) fn foreign_since(&mut self) -> bool {
        std::mem::take(&mut self.foreign)
    }

    /// Takes back what was shown since the text had this length and depth.
    pub(crate) fn rewind(&mut self, (len, depth): (usize, usize)) {
        self.out.truncate(len);
        self.depth = depth;
        self.inline = false;
        self.opened = 0;
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    fn line(&mut self) {
        if self.depth >= USUAL {
            return self.out.extend_from_slice(&INDENT[..1 + self.depth.min(32)]);
        }
        let at = self.out.len();
        self.out.extend_from_slice(&INDENT[..USUAL]);
        self.out.truncate(at + 1 + self.depth);
    }

    #[inline]
    fn keyword(&mut self, name: Name) {
        if !self.inline {
            self.line();
            self.word(name);
        }
    }

    #[inline]
    fn word(&mut self, name: Name) {
        match name.lmpc.filter(|_| self.lmpc) {
            Some(word) => self.out.extend_from_slice(word.as_bytes()),
            None => {
                self.foreign |= self.lmpc;
                name.write(&mut self.out);
            }
        }
    }

    #[inline]
    fn end(&mut self) {
        if !self.inline {
            self.out.push(b';');
        }
    }

    #[inline]
    fn number(&mut self, v: Scalar) {
        self.out.push(b' ');
        let at = self.out.len();
        if !self.lmpc {
            number::native(&mut self.out, v);
        } else if let Scalar::Int(n @ 0x8000_0000..=0xFFFF_FFFF) = v {
            // LMPC keeps numbers in 32 bits with a sign.
            number::int(&mut self.out, n - (1 << 32));
        } else if number::lmpc(&mut self.out, v).is_none() {
            self.foreign = true;
            // It may have begun before it found that it cannot.
            self.out.truncate(at);
            number::native(&mut self.out, v);
        }
    }

    fn column(&self) -> usize {
        self.out.len() - memchr::memrchr(b'\n', &self.out).map_or(0, |n| n + 1)
    }

    /// A quoted string, on the next line when this one is full.
    fn quoted(&mut self, s: &[u8]) {
        let at = self.out.len();
        let column = self.column();
        self.out.push(b' ');
        self.out.push(b'"');
        escape(&mut self.out, s, self.lmpc);
        self.out.push(b'"');
        let width = self.out.len() - at;
        if column + width > WIDTH && column > self.depth {
            let string = self.out.split_off(at + 1);
            self.out.extend_from_slice(&INDENT[..2 + self.depth.min(31)]);
            self.out.extend_from_slice(&string);
        }
        // LMPC keeps strings in buffers of 2,048 bytes, and the first NUL ends them.
        self.foreign |= s.len() > 2047 || s.contains(&0);
    }
}

impl Sink for TextSink {
    fn form(&self) -> Form {
        if self.lmpc { Form::Lmpc } else { Form::Text }
    }

    #[inline]
    fn open(&mut self, name: Name, inline: bool) {
        self.opened = 0;
        self.line();
        self.word(name);
        if inline {
            self.inline = true;
        } else {
            self.out.extend_from_slice(b" {");
            self.depth += 1;
            if self.lmpc && self.depth > 1 {
                // LMPC has no empty braces within a block.
                self.opened = self.out.len();
            }
        }
    }

    #[inline]
    fn close(&mut self) {
        if self.inline {
            self.inline = false;
            self.out.push(b';');
        } else {
            self.depth -= 1;
            if self.opened > 0 && self.out.len() == self.opened {
                // Nothing in it: `name;`.
                self.out.truncate(self.opened - 2);
                self.out.push(b';');
                return;
            }
            self.line();
            self.out.push(b'}');
        }
    }

    #[inline]
    fn group(&mut self, name: Name) {
        self.open(name, false);
        self.opened = self.out.len();
    }

    #[inline]
    fn list(&mut self, name: Name) {
        self.group(name);
    }

    #[inline]
    fn item(&mut self, name: Name) {
        self.group(name);
    }

    #[inline]
    fn flag(&mut self, name: Name) {
        self.keyword(name);
        self.end();
    }

    #[inline]
    fn value(&mut self, name: Name, v: Scalar) {
        self.keyword(name);
        self.number(v);
        self.end();
    }

    #[inline]
    fn values(&mut self, name: Name, v: &[Scalar]) {
        self.keyword(name);
        for v in v {
            self.number(*v);
        }
        self.end();
    }

    fn index(&mut self, name: Name, v: u32, table: Table) {
        // LMPC knows one byte only.
        self.foreign |= v > 255;
        self.value(name, Scalar::Int(i64::from(v)));
        let known = match table {
            Table::Models => self.models.get(v).filter(|name| !name.starts_with('*')),
            Table::Sounds => self.sounds.get(v),
            Table::Stats if self.lmpc => None,
            Table::Stats => STATS.get(v as usize).copied(),
        };
        if let Some(known) = known {
            self.out.extend_from_slice(b" // ");
            self.out.extend_from_slice(known.as_bytes());
        }
    }

    fn string(&mut self, name: Name, v: &[u8]) {
        self.keyword(name);
        self.quoted(v);
        self.end();
    }

    fn strings(&mut self, name: Name, v: &StrList<'_>) {
        self.keyword(name);
        // LMPC has no list of strings without any.
        self.foreign |= v.iter().next().is_none();
        for s in v.iter() {
            self.quoted(s);
        }
        self.end();
    }

    fn bytes(&mut self, name: Name, v: &[u8]) {
        self.keyword(name);
        for (i, b) in v.iter().enumerate() {
            if i % 16 == 0 && i > 0 {
                self.out.extend_from_slice(&INDENT[..2 + self.depth.min(31)]);
            } else {
                self.out.push(b' ');
            }
            number::native(&mut self.out, Scalar::Hex(u64::from(*b)));
        }
        self.end();
    }

    fn foreign(&mut self) {
        self.foreign = true;
    }

    fn comment(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.extend_from_slice(b" // ");
        self.out.extend_from_slice(printable(text.to_string().as_bytes()).as_bytes());
    }

    fn remark(&mut self, line: &str) {
        self.opened = 0;
        self.line();
        self.out.extend_from_slice(b"// ");
        self.out.extend_from_slice(line.as_bytes());
    }

    fn learn(&mut self, table: Table, first: usize, names: &StrList<'_>) {
        let list = match table {
            Table::Models => &mut self.models,
            Table::Sounds => &mut self.sounds,
            Table::Stats => return,
        };
        let list = Arc::make_mut(&mut list.0);
        list.truncate(first);
        list.resize(first, String::new());
        list.extend(names.iter().map(printable));
    }
}

/// Moves text behind other text. Gives the memory that is not needed then, empty.
pub(super) fn append(out: &mut Vec<u8>, mut more: Vec<u8>) -> Vec<u8> {
    if out.is_empty() {
        std::mem::swap(out, &mut more);
    } else {
        out.append(&mut more);
    }
    more
}

/// A string with everything escaped that would not survive: control characters, quotes, backslashes, and outside
/// LMPC's style every byte above 0x7E.
fn escape(out: &mut Vec<u8>, s: &[u8], lmpc: bool) {
    for &b in s {
        match b {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7E => out.push(b),
            0x7F.. if lmpc => out.push(b),
            _ => out.extend_from_slice(&[b'\\', b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)]),
        }
    }
}
