//! The match statistics that KTX has MVDSV put into a recording.

use qdemo::replay::info::{Facts, Info};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::batch::Outcome;
use crate::console::Note;
use crate::exit::Exit;

/// The statistics of one demo; with `json` as one line.
pub(super) fn outcome(info: &Info, name: &str, json: bool) -> Outcome {
    let stats = match &info.facts {
        Facts::QuakeWorld(facts) => facts.ktx.as_deref(),
        _ => None,
    };
    let mut outcome = Outcome::new();
    outcome.raw = true;
    match stats {
        _ if json => match line(name, stats) {
            Ok(line) => outcome.out = line.into_bytes(),
            Err(e) => outcome.fail(&e.into()),
        },
        Some(stats) => {
            outcome.out = layout(stats, Some(2)).unwrap_or_else(|| stats.to_vec());
            if !outcome.out.ends_with(b"\n") {
                outcome.out.push(b'\n');
            }
        }
        None => {}
    }
    if stats.is_none() {
        outcome.notes.push(Note::Error(format!("{name}: there are no KTX statistics in it"), None));
        outcome.exit = Exit::No;
    }
    outcome
}

/// What `--ktx --json` tells of a recording.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KtxStats")]
pub(crate) struct Ktx {
    /// The file as it was named.
    file: String,
    /// The statistics as KTX wrote them; null where there are none. Text that is no JSON is a string, one character for
    /// each byte.
    #[schemars(with = "Value")]
    ktx_stats: Box<RawValue>,
}

/// One object, with the statistics as they are: numbers keep their spelling, keys their order.
fn line(name: &str, stats: Option<&[u8]>) -> serde_json::Result<String> {
    let stats = stats.map_or_else(
        || Value::Null.to_string(),
        |stats| match layout(stats, None).map(String::from_utf8) {
            Some(Ok(text)) => text,
            // No JSON, but text of some kind: a character for each byte.
            _ => Value::from(stats.iter().map(|b| char::from(*b)).collect::<String>()).to_string(),
        },
    );
    let line = Ktx { file: name.to_owned(), ktx_stats: RawValue::from_string(stats)? };
    Ok(serde_json::to_string(&line)? + "\n")
}

/// JSON with other white space: on one line, or each entry on its own, indented. `None` when it is no JSON.
fn layout(text: &[u8], indent: Option<usize>) -> Option<Vec<u8>> {
    serde_json::from_slice::<Value>(text).ok()?;
    let mut out = Vec::new();
    let mut depth = 0;
    let begin_line = |out: &mut Vec<u8>, depth: usize| {
        if let Some(width) = indent {
            out.push(b'\n');
            out.resize(out.len() + depth * width, b' ');
        }
    };
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if in_string {
            out.push(byte);
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                begin_line(&mut out, depth);
            }
            b'}' | b']' => {
                depth -= 1;
                // Nothing stands in it: no lines for that.
                let end = out.trim_ascii_end().len();
                if out[..end].ends_with(if byte == b'}' { b"{" } else { b"[" }) {
                    out.truncate(end);
                } else {
                    begin_line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                begin_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(if indent.is_some() { b": " } else { b":" }),
            _ => {
                in_string = byte == b'"';
                out.push(byte);
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str, indent: Option<usize>) -> String {
        String::from_utf8(layout(text.as_bytes(), indent).unwrap()).unwrap()
    }

    #[test]
    fn order_and_numbers_stay_as_they_are() {
        let text = r#"{ "b":1.50,"a" : [ -0.0, {} , [ ] ],"text":"{\"x\", \\" }"#;
        assert_eq!(laid_out(text, None), r#"{"b":1.50,"a":[-0.0,{},[]],"text":"{\"x\", \\"}"#);
        let lines = r#"{
  "b": 1.50,
  "a": [
    -0.0,
    {},
    []
  ],
  "text": "{\"x\", \\"
}"#;
        assert_eq!(laid_out(text, Some(2)), lines);
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        for text in ["", "{", "{\"a\":1}x", "statistics"] {
            assert_eq!(layout(text.as_bytes(), Some(2)), None, "{text}");
        }
        assert_eq!(line("a.mvd", Some(b"\xE9\"")).unwrap(), "{\"file\":\"a.mvd\",\"ktx_stats\":\"\u{E9}\\\"\"}\n");
        assert_eq!(line("a.mvd", None).unwrap(), "{\"file\":\"a.mvd\",\"ktx_stats\":null}\n");
    }
}
