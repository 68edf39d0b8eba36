//! JSON lines: the same statements, one chunk of the demo a line.
//!
//! A line is `{"piece":"block","camera":[…],"messages":[{"message":"time","time":1.3},…]}`. Strings hold one character
//! for each byte, U+0000 to U+00FF, so every byte survives. Floats that no decimal names are strings: `"f32(0x7FC00001)"`.

use std::borrow::Cow;

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

/// Objects within objects, at most.
const DEEPEST: usize = 8;

/// One line of JSON as a statement.
pub(crate) fn parse_line<'t>(line: &'t str, tree: &mut Tree<'t>) -> Result<(), Mistake> {
    tree.nodes.clear();
    tree.values.clear();
    tree.json = true;
    // `serde_json` says whether it is JSON at all. Then one walk over it finds everything.
    let _: serde::de::IgnoredAny = decode(line, 0)?;
    let mut walk = Walk { line, at: 0 };
    walk.space();
    walk.object("piece", 0, tree)
}

/// What JSON at an offset of the line stands for.
fn decode<'t, T: serde::Deserialize<'t>>(part: &'t str, at: usize) -> Result<T, Mistake> {
    serde_json::from_str(part).map_err(|e| {
        let at = at + if e.line() <= 1 { e.column().saturating_sub(1) } else { 0 };
        Mistake::new(at, format!("not the JSON that is due here: {e}"))
    })
}

/// A cursor over a line that is JSON.
struct Walk<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Walk<'t> {
    fn bad(&self, what: impl Into<String>) -> Mistake {
        Mistake::new(self.at, what)
    }

    /// The bytes from here on.
    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.line.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn next(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.next() {
            self.at += 1;
        }
    }

    /// Passes over a mark, if it is next, and over the space around it.
    #[inline]
    fn passes(&mut self, mark: u8) -> bool {
        self.space();
        let is_next = self.next() == Some(mark);
        if is_next {
            self.at += 1;
            self.space();
        }
        is_next
    }

    /// Stands at each item of an object or a list in turn: `item` passes over it.
    #[inline]
    fn items(
        &mut self,
        [begin, end]: [u8; 2],
        mut item: impl FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        if !self.passes(begin) {
            let what = if begin == b'{' { "an object" } else { "a list" };
            return Err(self.bad(format!("{what} is due here")));
        }
        while self.at < self.line.len() && !self.passes(end) {
            item(self)?;
            self.passes(b',');
        }
        Ok(())
    }

    /// Stands at the value of each member of an object in turn: `member` passes over it.
    #[inline]
    fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'t, [u8]>) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        self.items(*b"{}", |walk| {
            let key = walk.string()?;
            walk.passes(b':');
            member(walk, key)
        })
    }

    /// A number, or what else has no quotes.
    #[inline]
    fn word(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let ends = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
        let word = rest.iter().position(ends).and_then(|n| rest.get(..n)).unwrap_or(rest);
        self.at += word.len();
        word
    }

    /// The bytes that a string stands for: borrowed from the line where it has no escapes.
    fn string(&mut self) -> Result<Cow<'t, [u8]>, Mistake> {
        let rest = self.rest();
        let Some(b'"') = rest.first() else { return Err(self.bad("a string is due here")) };
        let (mut len, mut is_plain) = (1, true);
        loop {
            match rest.get(len) {
                None | Some(b'"') => break,
                Some(b'\\') => (len, is_plain) = (len + 2, false),
                Some(b) => (len, is_plain) = (len + 1, is_plain && b.is_ascii()),
            }
        }
        let from = self.at;
        self.at += len + 1;
        if is_plain {
            return Ok(Cow::Borrowed(rest.get(1..len).unwrap_or_default()));
        }
        let decoded: String = decode(self.line.get(from..self.at).unwrap_or_default(), from)?;
        let bytes = decoded.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
        let wrong = "a string holds bytes: characters U+0000 to U+00FF";
        Ok(Cow::Owned(bytes.ok_or_else(|| Mistake::new(from, wrong))?))
    }

    fn scalar(&mut self) -> Result<Value<'t>, Mistake> {
        match self.next() {
            Some(b'"') => self.string().map(Value::Str),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Word(self.word())),
            _ => Err(self.bad("a number or a string is due here")),
        }
    }

    fn is_not_too_deep(&self, depth: usize) -> Result<(), Mistake> {
        if depth <= DEEPEST { Ok(()) } else { Err(self.bad(format!("objects nest deeper than {DEEPEST}"))) }
    }

    /// An object that says with `kind` what it is. Its messages stand behind everything else.
    fn object(&mut self, kind: &str, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        self.is_not_too_deep(depth)?;
        let from = self.at;
        let node = tree.start(Vec::new(), from, true);
        let (mut is_named, mut messages) = (false, None);
        self.members(|walk, key| {
            if !is_named && *key == *kind.as_bytes() {
                is_named = true;
                tree.rename(node, walk.string()?);
                return Ok(());
            }
            if messages.is_some() || *key != *b"messages" {
                return walk.field(key, depth, tree);
            }
            let first = tree.nodes.len();
            walk.items(*b"[]", |walk| walk.object("message", depth + 1, tree))?;
            messages = Some(first..tree.nodes.len());
            Ok(())
        })?;
        if !is_named {
            return Err(Mistake::new(from, format!("an object here has the key \"{kind}\"")));
        }
        if let Some(messages) = messages {
            tree.move_behind(messages);
        }
        tree.finish(node);
        Ok(())
    }

    /// An object without a kind: its members are statements within one called `key`.
    fn group(&mut self, key: Cow<'t, [u8]>, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        self.is_not_too_deep(depth)?;
        let node = tree.start(key, self.at, true);
        self.members(|walk, key| walk.field(key, depth, tree))?;
        tree.finish(node);
        Ok(())
    }

    fn field(&mut self, key: Cow<'t, [u8]>, depth: usize, tree: &mut Tree<'t>) -> Result<(), Mistake> {
        let at = self.at;
        match self.next() {
            // Absent, as far as messages are concerned.
            Some(b'f' | b'n') => drop(self.word()),
            Some(b'{') => self.group(key, depth + 1, tree)?,
            Some(b'[') => {
                let mut list = Walk { ..*self };
                let is_of_objects = list.passes(b'[') && list.next() == Some(b'{');
                let node = tree.start(key, at, is_of_objects);
                self.items(*b"[]", |walk| match is_of_objects {
                    true => walk.group(Cow::Borrowed(b""), depth + 1, tree),
                    false => {
                        let at = walk.at;
                        tree.value(at, walk.scalar()?);
                        Ok(())
                    }
                })?;
                tree.finish(node);
            }
            Some(b't') => {
                tree.start(key, at, false);
                self.word();
            }
            _ => {
                tree.start(key, at, false);
                tree.value(at, self.scalar()?);
            }
        }
        Ok(())
    }
}
