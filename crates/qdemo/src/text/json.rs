//! JSON lines: the same statements, one chunk of the demo a line.
//!
//! A line is `{"piece":"block","camera":[…],"messages":[{"message":"time","time":1.3},…]}`. Strings hold one character
//! for each byte, U+0000 to U+00FF, so every byte survives. Floats that no decimal names are strings: `"f32(0x7FC00001)"`.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::number;
use crate::describe::{Form, Mistake, Name, Sink, Table, Tree, Value};
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

/// The members of an object as they stand, double keys and all.
struct Object<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Object<'t> {
    fn remove(&mut self, key: &str) -> Option<&'t RawValue> {
        let at = self.0.iter().position(|(k, _)| k == key)?;
        Some(self.0.remove(at).1)
    }
}

impl<'t> serde::Deserialize<'t> for Object<'t> {
    fn deserialize<D: serde::Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'t> serde::de::Visitor<'t> for Members {
            type Value = Object<'t>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'t>>(self, mut map: A) -> Result<Object<'t>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Objects within objects, at most.
const DEEPEST: usize = 8;

/// One line of JSON as a statement.
pub(crate) fn parse_line<'t>(line: &'t str, tree: &mut Tree<'t>) -> Result<(), Mistake> {
    tree.nodes.clear();
    tree.values.clear();
    tree.json = true;
    Line { line }.object(line, "piece", 0, tree)
}

struct Line<'t> {
    line: &'t str,
}

impl<'t> Line<'t> {
    /// Offset of a part of the line within it.
    fn at(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize)
    }

    fn bad(&self, part: &str, what: impl Into<String>) -> Mistake {
        Mistake::new(self.at(part), what)
    }

    fn json<T: serde::Deserialize<'t>>(&self, part: &'t str) -> Result<T, Mistake> {
        serde_json::from_str(part).map_err(|e| {
            let at = self.at(part) + if e.line() <= 1 { e.column().saturating_sub(1) } else { 0 };
            Mistake::new(at, format!("not the JSON that is due here: {e}"))
        })
    }

    fn object(&self, part: &'t str, kind: &str, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        if depth > DEEPEST {
            return Err(self.bad(part, format!("objects nest deeper than {DEEPEST}")));
        }
        let mut object: Object<'t> = self.json(part)?;
        let Some(name) = object.remove(kind) else {
            return Err(self.bad(part, format!("an object here has the key \"{kind}\"")));
        };
        let name: String = self.json(name.get())?;
        let node = tree.start(name.into_bytes(), self.at(part), true);
        let messages = object.remove("messages");
        for (key, value) in object.0 {
            self.field(key, value.get(), depth, tree)?;
        }
        if let Some(messages) = messages {
            for message in self.json::<Vec<&RawValue>>(messages.get())? {
                self.object(message.get(), "message", depth + 1, tree)?;
            }
        }
        tree.finish(node);
        Ok(())
    }

    /// An object without a kind: its members are statements within one called `key`.
    fn group(&self, key: Vec<u8>, part: &'t str, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        if depth > DEEPEST {
            return Err(self.bad(part, format!("objects nest deeper than {DEEPEST}")));
        }
        let node = tree.start(key, self.at(part), true);
        for (key, value) in self.json::<Object<'t>>(part)?.0 {
            self.field(key, value.get(), depth, tree)?;
        }
        tree.finish(node);
        Ok(())
    }

    fn field(&self, key: String, value: &'t str, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        // Absent, as far as messages are concerned.
        if value == "false" || value == "null" {
            return Ok(());
        }
        let at = self.at(value);
        let is_list = |s: &str| s.strip_prefix('[').is_some_and(|s| s.trim_start().starts_with('{'));
        if value.starts_with('{') {
            return self.group(key.into_bytes(), value, depth + 1, tree);
        }
        if is_list(value) {
            let node = tree.start(key.into_bytes(), at, true);
            for item in self.json::<Vec<&RawValue>>(value)? {
                self.group(Vec::new(), item.get(), depth + 1, tree)?;
            }
            tree.finish(node);
            return Ok(());
        }
        tree.start(key.into_bytes(), at, false);
        match value.as_bytes().first() {
            Some(b't') => {}
            Some(b'[') => {
                for value in self.json::<Vec<&RawValue>>(value)? {
                    tree.value(self.at(value.get()), self.scalar(value.get())?);
                }
            }
            _ => tree.value(at, self.scalar(value)?),
        }
        Ok(())
    }

    fn scalar(&self, value: &'t str) -> Result<Value<'t>, Mistake> {
        match value.as_bytes().first() {
            Some(b'"') => {
                // Strings without escapes are borrowed from the line.
                if let Some(s) = serde_json::from_str::<&str>(value).ok().filter(|s| s.is_ascii()) {
                    return Ok(Value::Str(Cow::Borrowed(s.as_bytes())));
                }
                let s: String = self.json(value)?;
                let bytes = s.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
                let wrong = "a string holds bytes: characters U+0000 to U+00FF";
                Ok(Value::Str(Cow::Owned(bytes.ok_or_else(|| self.bad(value, wrong))?)))
            }
            Some(b'-' | b'0'..=b'9') => Ok(Value::Word(value.as_bytes())),
            _ => Err(self.bad(value, "a number or a string is due here")),
        }
    }
}
