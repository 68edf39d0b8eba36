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
    let mut sorted = Sorted { json, ..Sorted::default() };
    sorted.out.reserve(json.len());
    sorted.value(0)?;
    String::from_utf8(sorted.out).ok()
}

#[derive(Default)]
struct Sorted<'j> {
    json: &'j [u8],
    at: usize,
    out: Vec<u8>,
    /// The members of all objects that are open.
    members: Vec<Member<'j>>,
    /// Room for the members of an object in order.
    ordered: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Member<'j> {
    /// Without the quotation marks: a key may be the beginning of another.
    key: &'j [u8],
    /// Where it begins and ends in the output, for now.
    at: [usize; 2],
}

impl Sorted<'_> {
    const DEEPEST: usize = 32;

    fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    /// Copies the value here, sorted.
    fn value(&mut self, depth: usize) -> Option<()> {
        let from = self.at;
        match self.peek()? {
            _ if depth > Self::DEEPEST => return None,
            b'{' => return self.object(depth),
            b'[' => {
                while self.peek()? != b']' {
                    self.copy(1);
                    if self.peek()? == b']' {
                        break;
                    }
                    self.value(depth + 1)?;
                }
                self.copy(1);
                return Some(());
            }
            b'"' => self.string()?,
            _ => {
                let rest = &self.json[from..];
                self.at += rest.iter().position(|b| matches!(b, b',' | b']' | b'}')).unwrap_or(rest.len());
            }
        }
        self.out.extend_from_slice(&self.json[from..self.at]);
        Some(())
    }

    fn copy(&mut self, bytes: usize) {
        let to = (self.at + bytes).min(self.json.len());
        self.out.extend_from_slice(&self.json[self.at..to]);
        self.at = to;
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let first = self.members.len();
        self.copy(1);
        let behind = self.out.len();
        while self.peek()? != b'}' {
            if self.peek()? == b',' {
                self.at += 1;
            }
            let (key, begin) = (self.at, self.out.len());
            self.string()?;
            let key = &self.json[key..self.at];
            if key.contains(&b'\\') {
                return None;
            }
            self.out.extend_from_slice(key);
            self.copy(1);
            self.value(depth + 1)?;
            self.members.push(Member { key: &key[1..key.len() - 1], at: [begin, self.out.len()] });
        }
        self.ordered.clear();
        let members = &mut self.members[first..];
        members.sort_by(|a, b| a.key.cmp(b.key));
        for (n, Member { key, at: [begin, end] }) in members.iter().enumerate() {
            if members.get(n + 1).is_some_and(|next| next.key == *key) {
                continue;
            }
            if !self.ordered.is_empty() {
                self.ordered.push(b',');
            }
            self.ordered.extend_from_slice(&self.out[*begin..*end]);
        }
        self.out.truncate(behind);
        self.out.extend_from_slice(&self.ordered);
        self.members.truncate(first);
        self.copy(1);
        Some(())
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
        let unsorted = r#"{"b":[{"z":1,"a":{}},[],[{"d":null,"c":"}\"],{"}]],"a":-1.5,"ab":"","B":true,"b":{"y":[1,2],"x":"ü","x":{"d":0,"c":0}}}"#;
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
