//! The text of multi-view demos: records.

use super::builder::{build_block, build_message};
use super::form::{HasText, InFront, Language, TextForm};
use super::qwd::{learn, words};
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Form, Mistake, Name, Part, Unknown};
use crate::format::as_named;
use crate::format::mvd::{Block, Contents, Header, Mvd, Packet, parse_contents};
use crate::format::qwd::{Dialect, Message};
use crate::wire::ByteWriter;

const MVD: Name = Name::with("mvd", "");
const BLOCK: Name = Name::with("mblock", "");

impl HasText for Mvd {
    type Text = MvdText;
}

/// Nothing is carried along but the dialect.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct MvdText;

impl TextForm<Mvd> for MvdText {
    const LANGUAGE: Language = Language {
        demo: "multi-view",
        statements: "mvd, mblock",
        block: "mblock { msec N; all; messages }",
        message: ("message", "mvd"),
    };
    const TIMED: bool = true;

    fn in_front<S: MessageSink>(&mut self, what: InFront<'_, Mvd>, s: &mut S) -> bool {
        if let InFront::Demo(..) = what {
            s.open(MVD, true);
            s.close();
        }
        false
    }

    fn keyword(_: &Header) -> Name {
        BLOCK
    }

    fn words(&mut self, message: &Message<'_>, dialects: (&Dialect, &Dialect), _: &[u8]) -> LmpcCoverage {
        words(message, dialects, &[], false)
    }

    fn printed<S: MessageSink>(&mut self, message: &Message<'_>, _: &Dialect, _: bool, s: &mut S) {
        learn(message, s);
    }

    fn print_messages<S: MessageSink>(block: &Block<'_>, packet: &Packet<'_>, foreign: &mut u64, s: &mut S) -> bool {
        if packet.contents != Contents::Hidden {
            return false;
        }
        if s.form() != Form::Lmpc {
            packet.messages.iter().for_each(|message| message.show(s));
        } else {
            // `serverdata` is bytes there, so nothing says that these messages are hidden ones.
            *foreign += packet.decoded() as u64;
            if !block.payload.is_empty() {
                Unknown { bytes: block.payload.into() }.show(s);
            }
        }
        true
    }

    fn is_foreign<S: MessageSink>(_: &Block<'_>, _: &Packet<'_>, _: &Dialect, _: &mut S) -> bool {
        true
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        MVD.is(f.keyword())
    }

    fn statement(&mut self, f: &mut Fields<'_, '_>, _: &mut Dialect, _: &mut ByteWriter) -> Result<bool, Mistake> {
        Ok(MVD.is(f.keyword()))
    }

    fn is_block(keyword: &[u8]) -> bool {
        BLOCK.is(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let header = Header::parse(f, as_named)?;
        let contents = parse_contents(&header, f, d)?;
        if !matches!(contents, Contents::Messages | Contents::Hidden) {
            // No messages stand in it.
            f.finish()?;
        }
        build_block::<Mvd>(f, d, w, &header, &contents, |f, d, w| build_message::<Mvd, _>(f, &contents, d, w))
    }
}
