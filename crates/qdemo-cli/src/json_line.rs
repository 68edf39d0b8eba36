//! JSON on one line, with the keys of objects in alphabetical order.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// A value on one line. Characters that a terminal obeys are escaped: those that JSON itself does not escape as well.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    let mut text = Vec::with_capacity(512);
    let written = value.serialize(&mut Serializer::with_formatter(&mut text, AsDoubles));
    let sorted = written.ok().and_then(|()| sort(&text));
    // What has no such text, or unusual keys, goes by way of a tree.
    let line = sorted.unwrap_or_else(|| serde_json::json!(value).to_string());
    let steers = |c: char| matches!(c, '\u{7F}'..='\u{9F}');
    if line.is_ascii() && !line.contains('\u{7F}') || !line.contains(steers) {
        return line;
    }
    let mut out = String::with_capacity(line.len() + 5);
    for c in line.chars() {
        // They stand within strings alone.
        let _ = if steers(c) { write!(out, "\\u{:04x}", u32::from(c)) } else { out.write_char(c) };
    }
    out
}

/// Writes floats with the digits of the doubles that they become.
struct AsDoubles;

impl Formatter for AsDoubles {
    fn write_f32<W: Write + ?Sized>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        self.write_f64(writer, f64::from(value))
    }
}

/// JSON without white space, with the members of each object in the order of their keys, and of several with one key the
/// last. `None` for keys with escapes, whose order their text does not tell, and for what nests deep.
fn sort(json: &[u8]) -> Option<String> {
    let mut sorted = Sorted { json, at: 0, out: Vec::with_capacity(json.len()), members: Vec::new() };
    sorted.value(0)?;
    String::from_utf8(sorted.out).ok()
}

struct Sorted<'j> {
    json: &'j [u8],
    at: usize,
    out: Vec<u8>,
    /// The members of all objects that are open: where the key begins, where it ends, and where the value ends.
    members: Vec<[usize; 3]>,
}

impl Sorted<'_> {
    const DEEPEST: usize = 32;

    fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    /// Copies the value here, sorted.
    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            _ if depth > Self::DEEPEST => None,
            b'{' => self.object(depth),
            b'[' => {
                while self.peek()? != b']' {
                    self.copy(1);
                    if self.peek()? == b']' {
                        break;
                    }
                    self.value(depth + 1)?;
                }
                self.copy(1);
                Some(())
            }
            _ => {
                let from = self.at;
                self.pass()?;
                self.out.extend_from_slice(&self.json[from..self.at]);
                Some(())
            }
        }
    }

    fn copy(&mut self, bytes: usize) {
        let to = (self.at + bytes).min(self.json.len());
        self.out.extend_from_slice(&self.json[self.at..to]);
        self.at = to;
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let first = self.members.len();
        self.at += 1;
        while self.peek()? != b'}' {
            if self.peek()? == b',' {
                self.at += 1;
            }
            let key = self.at;
            self.pass()?;
            let end = self.at;
            if self.json[key..end].contains(&b'\\') {
                return None;
            }
            self.at += 1;
            self.pass()?;
            self.members.push([key, end, self.at]);
        }
        let after = self.at + 1;
        let json = self.json;
        // Without the quotation marks: a key may be the beginning of another.
        let text = |member: &[usize; 3]| &json[member[0] + 1..member[1] - 1];
        self.members[first..].sort_by(|a, b| text(a).cmp(text(b)));
        self.out.push(b'{');
        let last = self.members.len();
        for n in first..last {
            let member = self.members[n];
            if n + 1 < last && text(&member) == text(&self.members[n + 1]) {
                continue;
            }
            if self.out.last() != Some(&b'{') {
                self.out.push(b',');
            }
            self.out.extend_from_slice(&json[member[0]..=member[1]]);
            self.at = member[1] + 1;
            self.value(depth + 1)?;
        }
        self.out.push(b'}');
        self.members.truncate(first);
        self.at = after;
        Some(())
    }

    /// Passes the value here over.
    fn pass(&mut self) -> Option<()> {
        let mut open = 0usize;
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => {
                    while self.peek().is_some_and(|b| !matches!(b, b',' | b']' | b'}')) {
                        self.at += 1;
                    }
                }
            }
            if open == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.json.get(self.at..)?;
            let n = rest.iter().position(|b| matches!(b, b'"' | b'\\'))?;
            self.at += n + if rest[n] == b'"' { 1 } else { 2 };
            if rest[n] == b'"' {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// What a tree of sorted maps writes.
    #[test]
    fn objects_are_in_order_at_all_depths() {
        let unsorted =
            r#"{"b":[{"z":1,"a":{}},[],[{"d":null,"c":"}\"],{"}]],"a":-1.5,"ab":"","B":true,"b":{"y":[1,2],"x":"ü"}}"#;
        let tree: Value = serde_json::from_str(unsorted).unwrap();
        assert_eq!(sort(unsorted.as_bytes()), Some(tree.to_string()));
        assert_eq!(sort(b"{}"), Some("{}".to_owned()));
        assert_eq!(sort(b"[]"), Some("[]".to_owned()));
        assert_eq!(sort(br#"{"\n":1}"#), None);
    }

    #[test]
    fn lines_are_those_of_trees() {
        #[derive(Serialize)]
        struct Row {
            late: f32,
            early: Option<f32>,
            none: f64,
            text: &'static str,
        }
        let row = Row { late: 1.4, early: None, none: f64::NAN, text: "a\u{85}\u{7F}\"b" };
        assert_eq!(json_line(&row), json!(row).to_string().replace('\u{85}', "\\u0085").replace('\u{7F}', "\\u007f"));
        let odd = json!({"b\n": 1, "a": 2});
        assert_eq!(json_line(&odd), odd.to_string());
    }
}
