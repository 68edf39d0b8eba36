//! Text to chunks: statements of any format as bytes.

use super::form::{HasText, TextForm};
use crate::demo::for_formats;
use crate::describe::{Fields, Mistake, Name, Part, Unknown};
use crate::format::{ByteFormat, ByteMessages, DialectOf, FORMAT, INTRODUCTION, MessageSet, write_message};
use crate::wire::ByteWriter;

const ENDBLOCK: Name = Name::new("endblock");
const TRAILER: Name = Name::with("trailer", "");
const DATA: Name = Name::new("data");

/// True for the keyword of an end mark.
pub(crate) fn is_end_mark(keyword: &[u8]) -> bool {
    ENDBLOCK.is(keyword)
}

/// Turns statements of one format into bytes, carrying the dialect along.
#[derive(Clone, PartialEq)]
pub(crate) struct FormatBuilder<F: HasText> {
    dialect: DialectOf<F>,
    text: F::Text,
}

impl<F: HasText> FormatBuilder<F> {
    fn new() -> Self {
        FormatBuilder { dialect: F::first_dialect(None), text: F::Text::default() }
    }

    /// Writes the chunk that a top-level statement describes.
    fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        let language = &F::Text::LANGUAGE;
        if self.text.statement(&mut f, &mut self.dialect, w)? {
            f.finish()
        } else if F::Text::is_block(keyword) {
            if !f.braces() {
                return Err(f.mistake(format!("a block is written {}", language.block)));
            }
            self.text.block(&mut f, &mut self.dialect, w)?;
            f.finish()
        } else if ENDBLOCK.is(keyword) && !F::END_MARK.is_empty() {
            w.bytes(F::END_MARK);
            f.finish()
        } else if TRAILER.is(keyword) && F::TRAILER {
            f.check_shape(false)?;
            w.bytes(&f.take(DATA)?.bytes()?);
            f.finish()
        } else if INTRODUCTION.is(keyword) {
            f.check_shape(false)?;
            let format = f.take(FORMAT)?;
            if format.string()? != F::NAME.as_bytes() {
                return Err(format.mistake(format!(
                    "this is the text of a {} demo: write format \"{}\"",
                    language.demo,
                    F::NAME
                )));
            }
            for mut child in f.children().filter(|child| !child.is_used()) {
                let message = parse_message::<F>(&mut child, &self.dialect)?;
                self.dialect = message.dialect_after(&self.dialect).unwrap_or(self.dialect);
                child.consume();
            }
            f.finish()
        } else if keyword == b"unknown" {
            w.bytes(&Unknown::parse(&mut f)?.bytes);
            Ok(())
        } else {
            let word = String::from_utf8_lossy(keyword).into_owned();
            let end_mark = if F::END_MARK.is_empty() { "" } else { ", endblock" };
            let trailer = if F::TRAILER { ", trailer" } else { "" };
            Err(f.mistake(format!(
                "{word} is no part of a {} demo: {}{end_mark}{trailer} or unknown is due here",
                language.demo, language.statements
            )))
        }
    }
}

/// A message from its statement: one of a kind that the keyword names, or bytes that could not be decoded.
pub(crate) fn parse_message<'x, F: HasText>(
    f: &mut Fields<'x, '_>,
    d: &DialectOf<F>,
) -> Result<F::Message<'x>, Mistake> {
    match F::Message::kind_by_name(f.keyword()) {
        Some(kind) => F::Message::parse(kind, f, d),
        None if f.keyword() == b"unknown" => Unknown::parse(f).map(F::Message::unknown),
        None => {
            let word = String::from_utf8_lossy(f.keyword()).into_owned();
            let (what, format) = F::Text::LANGUAGE.message;
            Err(f.mistake(format!("there is no {what} {word} in a block: see `qdemo schema {format}`")))
        }
    }
}

/// Writes a block whose messages travel on bytes. `message` writes the message of a statement.
pub(crate) fn build_block<'x, F>(
    f: &mut Fields<'x, '_>,
    dialect: &mut DialectOf<F>,
    w: &mut ByteWriter,
    header: &F::Header,
    contents: &F::Contents<'x>,
    mut message: impl FnMut(&mut Fields<'x, '_>, &mut DialectOf<F>, &mut ByteWriter) -> Result<(), Mistake>,
) -> Result<(), Mistake>
where
    F: HasText + ByteFormat,
{
    let fault = |f: &Fields<'x, '_>, fault: crate::wire::Fault| f.mistake(fault.to_string());
    header.write(w).map_err(|e| fault(f, e))?;
    let start = w.len();
    F::write_contents(contents, w).map_err(|e| fault(f, e))?;
    for mut child in f.children().filter(|child| !child.is_used()) {
        check_child::<F>(f, &child)?;
        message(&mut child, dialect, w)?;
        child.consume();
    }
    w.close_size(start).map_err(|e| fault(f, e))
}

/// Finds a statement within a block that is no message: a field that stands there twice, or a key of JSON.
fn check_child<F: HasText>(f: &Fields<'_, '_>, child: &Fields<'_, '_>) -> Result<(), Mistake> {
    let keyword = child.keyword();
    let is_field = || F::Header::FIELDS.iter().copied().flatten().any(|field| field.name.as_bytes() == keyword);
    let is_message = || F::Message::kind_by_name(keyword).is_some();
    let word = || String::from_utf8_lossy(keyword).into_owned();
    if f.is_json() && !child.braces() {
        return Err(child.mistake(match is_field() {
            true => format!("{} stands twice in this block", word()),
            false => format!("a block has no key {}: messages are objects in \"messages\"", word()),
        }));
    }
    match is_field() && !is_message() {
        true => Err(child.mistake(format!("{} stands twice in this block", word()))),
        false => Ok(()),
    }
}

/// Writes the message of a statement.
pub(crate) fn build_message<'x, F, M>(
    f: &mut Fields<'x, '_>,
    contents: &F::Contents<'x>,
    d: &mut DialectOf<F>,
    w: &mut ByteWriter,
) -> Result<(), Mistake>
where
    F: HasText + ByteFormat<Wire = M::Wire, Message<'x> = M>,
    M: ByteMessages<'x>,
{
    let message = parse_message::<F>(f, d)?;
    write_message::<F, M>(contents, &message, d, w).map_err(|fault| Mistake::new(f.at(), fault.to_string()))
}

/// True for a statement with an introduction of a format.
fn is_introduction<F: HasText>(f: &Fields<'_, '_>) -> bool {
    let is_of = |child: Fields<'_, '_>| {
        FORMAT.is(child.keyword()) && child.own_values().string().is_ok_and(|name| name == F::NAME.as_bytes())
    };
    INTRODUCTION.is(f.keyword()) && f.children().any(is_of)
}

macro_rules! builders {
    ($($(#[doc = $doc:literal])* $name:ident = $module:ident;)*) => {
        /// Turns statements of one format into bytes.
        #[derive(Clone, PartialEq)]
        pub(crate) enum Builder {
            $($name(FormatBuilder<crate::format::$module::$name>),)*
        }

        impl Builder {
            /// The format whose text a statement begins. (Quake's blocks and Quake II's have one name: only Quake's have a camera.)
            pub(crate) fn begun_by(f: &Fields<'_, '_>) -> Option<Self> {
                $(if is_introduction::<crate::format::$module::$name>(f)
                    || <crate::format::$module::$name as HasText>::Text::begins(f)
                {
                    return Some(Builder::$name(FormatBuilder::new()));
                })*
                None
            }

            /// Writes what a statement describes.
            pub(crate) fn statement(&mut self, f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
                match self {
                    $(Builder::$name(builder) => builder.statement(f, w),)*
                }
            }
        }
    };
}
for_formats!(builders);
