//! What ioquake3 prints with `cl_shownet 3` while it plays a demo, as lines with a meaning.
//!
//! Source: ioquake3, `code/client/cl_parse.c` (SHOWNET, CL_ParsePacketEntities, CL_ParseSnapshot) and
//! `code/qcommon/msg.c` (MSG_ReadDeltaEntity, MSG_ReadDeltaPlayerstate).

use std::fmt;
use std::io::{self, BufRead};

/// Where the state of an entity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// As it was in the snapshot before, without a difference.
    Unchanged,
    /// A difference to the snapshot before.
    Delta,
    /// A difference to its baseline.
    Baseline,
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Base::Unchanged => "unchanged",
            Base::Delta => "delta",
            Base::Baseline => "baseline",
        })
    }
}

/// One line of the trace. `at` is the engine's place in the block in bytes; how it counts differs from line to line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// `  2:svc_gamestate`: a message or a part of one begins.
    Name { at: usize, name: String },
    /// `  9: playerstate commandTime:5072  (61 bits)`
    Player { at: usize, delta: Delta },
    /// ` 31: #0   pos.trBase[0]:272 eType:6  (386 bits)`. The number is that of whatever was there before.
    Entity { at: usize, delta: Delta },
    /// ` 95: #202 remove`
    Remove { at: usize, number: u16 },
    /// ` 58:  baseline: 81`
    Base { at: usize, base: Base, number: u16 },
    /// `   snapshot:84  delta:83  ping:4494`: the engine accepted a snapshot.
    Accepted { number: i32, delta: i32 },
    /// Anything else that the engine had to say.
    Text(String),
}

/// The fields of a delta as they are printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delta {
    fields: String,
    /// The size that the engine tells; `None` when the line ends early.
    pub(crate) bits: Option<usize>,
}

impl Delta {
    fn parse(text: &str) -> Delta {
        let (fields, bits) = text.rsplit_once('(').unwrap_or((text, ""));
        let bits = bits.strip_suffix(" bits)").and_then(|n| n.parse().ok());
        Delta { fields: fields.to_owned(), bits }
    }

    /// Names and values in the order of the wire.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.split_whitespace().map(|word| word.rsplit_once(':').unwrap_or((word, "")))
    }
}

impl Line {
    fn parse(text: &str) -> Line {
        Self::accepted(text).or_else(|| Self::placed(text)).unwrap_or_else(|| Line::Text(text.to_owned()))
    }

    fn accepted(text: &str) -> Option<Line> {
        let (number, rest) = text.strip_prefix("   snapshot:")?.split_once("  delta:")?;
        let (delta, _) = rest.split_once("  ping:")?;
        Some(Line::Accepted { number: number.parse().ok()?, delta: delta.parse().ok()? })
    }

    fn placed(text: &str) -> Option<Line> {
        let (at, rest) = text.split_once(':')?;
        let at = at.trim_start().parse().ok()?;
        if let Some(fields) = rest.strip_prefix(" playerstate ") {
            return Some(Line::Player { at, delta: Delta::parse(fields) });
        }
        if let Some(entity) = rest.strip_prefix(" #") {
            let (number, fields) = entity.split_once(' ')?;
            return Some(match fields.trim() {
                "remove" => Line::Remove { at, number: number.parse().ok()? },
                _ => Line::Entity { at, delta: Delta::parse(fields) },
            });
        }
        if let Some((base, number)) = rest.strip_prefix("  ").and_then(|rest| rest.split_once(": ")) {
            let base = match base {
                "unchanged" => Base::Unchanged,
                "delta" => Base::Delta,
                "baseline" => Base::Baseline,
                _ => return None,
            };
            return Some(Line::Base { at, base, number: number.parse().ok()? });
        }
        (!rest.starts_with(' ')).then(|| Line::Name { at, name: rest.to_owned() })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Name { name, .. } => f.write_str(name),
            Line::Player { .. } => f.write_str("a player's fields"),
            Line::Entity { .. } => f.write_str("an entity's fields"),
            Line::Remove { number, .. } => write!(f, "remove of entity {number}"),
            Line::Base { base, number, .. } => write!(f, "{base} of entity {number}"),
            Line::Accepted { number, .. } => write!(f, "end of snapshot {number}"),
            Line::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// The trace, cut into blocks.
pub(crate) struct Trace<R> {
    input: R,
    line: Vec<u8>,
    /// True when the separator of the next block was read.
    begun: bool,
}

impl<R: BufRead> Trace<R> {
    /// What the engine prints in front of each block.
    const SEPARATOR: &'static [u8] = b"------------------";

    pub(crate) fn new(input: R) -> Self {
        Trace { input, line: Vec::new(), begun: false }
    }

    /// The next line is in `self.line`; false at the end.
    fn read(&mut self) -> io::Result<bool> {
        self.line.clear();
        let n = self.input.read_until(b'\n', &mut self.line)?;
        let end = self.line.iter().rposition(|b| !b"\r\n".contains(b)).map_or(0, |last| last + 1);
        self.line.truncate(end);
        Ok(n > 0)
    }

    /// The lines of the next block; false at the end. Behind the last block stands whatever the engine prints when it
    /// quits, as text.
    pub(crate) fn next_block(&mut self, lines: &mut Vec<Line>) -> io::Result<bool> {
        lines.clear();
        while !self.begun {
            if !self.read()? {
                return Ok(false);
            }
            self.begun = self.line == Self::SEPARATOR;
        }
        self.begun = false;
        while self.read()? {
            if self.line == Self::SEPARATOR {
                self.begun = true;
                break;
            }
            lines.push(Line::parse(&String::from_utf8_lossy(&self.line)));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as the engine printed them, and a text that only begins like one.
    #[test]
    fn lines_of_the_engine() {
        let line = Line::parse(" 31: #0   pos.trBase[0]:272 eType:6  (386 bits)");
        let Line::Entity { at: 31, delta } = line else { panic!("{line}") };
        assert_eq!(delta.fields().collect::<Vec<_>>(), [("pos.trBase[0]", "272"), ("eType", "6")]);
        assert_eq!(delta.bits, Some(386));
        let Line::Entity { delta, .. } = Line::parse("3166: #0    (43 bits)") else { panic!() };
        assert_eq!((delta.fields().count(), delta.bits), (0, Some(43)));
        let Line::Player { at: 9, delta } = Line::parse("  9: playerstate commandTime:50") else { panic!() };
        assert_eq!(delta.bits, None);
        assert_eq!(Line::parse(" 95: #202 remove"), Line::Remove { at: 95, number: 202 });
        assert_eq!(Line::parse(" 58:  baseline: 81"), Line::Base { at: 58, base: Base::Baseline, number: 81 });
        assert_eq!(Line::parse("  2:svc_gamestate"), Line::Name { at: 2, name: "svc_gamestate".to_owned() });
        let accepted = Line::parse("   snapshot:84  delta:-1  ping:4494");
        assert_eq!(accepted, Line::Accepted { number: 84, delta: -1 });
        assert!(matches!(Line::parse("handle 1: demos/d.dm_71"), Line::Text(_)));
    }

    #[test]
    fn blocks_end_at_the_separator() {
        let text = "start\n------------------\n  2:svc_nop\n\n------------------\n  2:END OF MESSAGE\nbye\n";
        let mut trace = Trace::new(text.as_bytes());
        let mut lines = Vec::new();
        let mut count = || trace.next_block(&mut lines).unwrap().then_some(lines.len());
        assert_eq!([count(), count(), count()], [Some(2), Some(2), None]);
    }
}
