//! Single messages as text, for tools and tests.

use super::builder;
use super::json::{JsonSink, parse_line};
use super::parse::{Parser, Stop};
use super::print::TextSink;
use crate::demo;
use crate::describe::{Mistake, Tree};
use crate::format::dem::{Dem, Dialect};
use crate::format::encode_messages;
use crate::wire::ByteWriter;

/// A message in the text form, as it would stand in a block.
///
/// ```
/// use qdemo::format::dem::{Message, SetView};
/// let text = qdemo::text::message_to_text(&qdemo::demo::Message::Dem(Message::SetView(SetView { entity: 1 })));
/// assert_eq!(text, " setview 1;\n");
/// ```
pub fn message_to_text(message: &demo::Message<'_>) -> String {
    let mut sink = TextSink::new(false);
    sink.enter();
    message.show(&mut sink);
    sink.out.push(b'\n');
    String::from_utf8_lossy(&sink.out[1..]).into_owned()
}

/// A message as JSON, as it would stand in a block's `messages`.
///
/// ```
/// use qdemo::format::dem::{Message, SetView};
/// let json = qdemo::text::message_to_json(&qdemo::demo::Message::Dem(Message::SetView(SetView { entity: 1 })));
/// assert_eq!(json, r#"{"message":"setview","entity":1}"#);
/// ```
pub fn message_to_json(message: &demo::Message<'_>) -> String {
    let mut sink = JsonSink::default();
    message.show(&mut sink);
    String::from_utf8_lossy(&sink.out).trim_end().replacen("\"piece\"", "\"message\"", 1)
}

/// The bytes of a message of Quake (`.dem`) from its text or JSON.
///
/// # Errors
/// A [`Mistake`] with the offset in `text`.
pub fn parse_message(text: &str, dialect: &Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
    let mut tree = Tree::default();
    let json;
    if text.trim_start().starts_with('{') {
        json = text.replacen("\"message\"", "\"piece\"", 1);
        parse_line(json.trim(), &mut tree)?;
    } else {
        match Parser::new(text.as_bytes(), true, 16).statement(&mut tree) {
            Ok(_) | Err(Stop::Incomplete) => {}
            Err(Stop::Mistake(m)) => return Err(m),
        }
    }
    let Some(mut root) = tree.root() else { return Err(Mistake::new(0, "no message")) };
    let message = builder::parse_message::<Dem>(&mut root, dialect)?;
    encode_messages([&message], &mut { *dialect }, w).map_err(|f| Mistake::new(0, f.to_string()))
}
