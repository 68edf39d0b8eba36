//! Writing JSON lines.

use crate::describe::{Form, Name, Sink, Table};
use crate::text::number;
use crate::wire::{Scalar, StrList};

/// Writes JSON lines.
#[derive(Default)]
pub(crate) struct JsonSink {
    /// The text so far.
    pub(crate) out: Vec<u8>,
    /// What is open, the chunk first.
    open: Vec<Level>,
}

/// An object or list that is open.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// A chunk or message, and how many messages were shown in it.
    Message(usize),
    /// An object without a kind.
    Group,
    /// A list of such objects.
    List,
}

impl JsonSink {
    /// One that writes behind a text.
    pub(crate) fn writing_to(out: Vec<u8>) -> Self {
        JsonSink { out, open: Vec::new() }
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Takes back what was shown since the text had this length and depth.
    pub(crate) fn rewind(&mut self, (len, depth): (usize, usize)) {
        self.out.truncate(len);
        self.open.truncate(depth);
        if let Some(Level::Message(messages)) = self.open.last_mut() {
            *messages = 0;
        }
    }

    /// A comma, unless this is the first thing in a group or list.
    fn comma(&mut self) {
        if !matches!(self.out.last(), Some(b'{' | b'[')) {
            self.out.push(b',');
        }
    }

    fn key(&mut self, name: Name) {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.text.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn number(&mut self, v: Scalar) {
        match v {
            Scalar::Hex(n) => return self.out.extend_from_slice(n.to_string().as_bytes()),
            // The unit stands in the schema.
            Scalar::Seconds(f) => return self.number(Scalar::Float(f)),
            _ => {}
        }
        let at = self.out.len();
        number::native(&mut self.out, v);
        if self.out[at].is_ascii_lowercase() {
            self.out.insert(at, b'"');
            self.out.push(b'"');
        }
    }

    fn text(&mut self, s: &[u8]) {
        self.out.push(b'"');
        for &b in s {
            match b {
                b'"' => self.out.extend_from_slice(b"\\\""),
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                0x20..=0x7E => self.out.push(b),
                0x00..=0x1F | 0x7F..=0x9F => self.out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
                0xA0.. => self.out.extend_from_slice(char::from(b).encode_utf8(&mut [0; 2]).as_bytes()),
            }
        }
        self.out.push(b'"');
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.out.push(b'[');
        for (i, item) in items.enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            each(self, item);
        }
        self.out.push(b']');
    }
}

impl Sink for JsonSink {
    fn form(&self) -> Form {
        Form::Json
    }
    fn open(&mut self, name: Name, _: bool) {
        let key: &[u8] = match self.open.last_mut() {
            Some(Level::Message(messages)) => {
                *messages += 1;
                if *messages == 1 { b",\"messages\":[{\"message\":\"" } else { b",{\"message\":\"" }
            }
            _ => b"{\"piece\":\"",
        };
        self.out.extend_from_slice(key);
        self.out.extend_from_slice(name.text.as_bytes());
        self.out.push(b'"');
        self.open.push(Level::Message(0));
    }
    fn close(&mut self) {
        let end: &[u8] = match self.open.pop() {
            Some(Level::Message(0) | Level::Group) => b"}",
            Some(Level::Message(_)) => b"]}",
            Some(Level::List) => b"]",
            None => b"",
        };
        self.out.extend_from_slice(end);
        if self.open.is_empty() {
            self.out.push(b'\n');
        }
    }
    fn group(&mut self, name: Name) {
        self.key(name);
        self.out.push(b'{');
        self.open.push(Level::Group);
    }
    fn list(&mut self, name: Name) {
        self.key(name);
        self.out.push(b'[');
        self.open.push(Level::List);
    }
    fn item(&mut self, _: Name) {
        self.comma();
        self.out.push(b'{');
        self.open.push(Level::Group);
    }
    fn flag(&mut self, name: Name) {
        self.key(name);
        self.out.extend_from_slice(b"true");
    }
    fn value(&mut self, name: Name, v: Scalar) {
        self.key(name);
        self.number(v);
    }
    fn values(&mut self, name: Name, v: &[Scalar]) {
        self.key(name);
        self.list(v.iter(), |s, v| s.number(*v));
    }
    fn index(&mut self, name: Name, v: u32, _: Table) {
        self.value(name, Scalar::Int(i64::from(v)));
    }
    fn string(&mut self, name: Name, v: &[u8]) {
        self.key(name);
        self.text(v);
    }
    fn strings(&mut self, name: Name, v: &StrList<'_>) {
        self.key(name);
        self.list(v.iter(), |s, v| s.text(v));
    }
    fn bytes(&mut self, name: Name, v: &[u8]) {
        self.key(name);
        self.list(v.iter(), |s, v| s.number(Scalar::Int(i64::from(*v))));
    }
}
