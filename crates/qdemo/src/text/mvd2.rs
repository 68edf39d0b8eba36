//! The text of multi-view demos of Quake II: the mark, blocks.

use super::builder::{build_block, build_message};
use super::form::{HasText, InFront, Language, TextForm};
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Mistake, Name, Part};
use crate::format::dm2::Dialect;
use crate::format::mvd2::{Block, Header, MAGIC, Message, Mvd2, Packet};
use crate::format::{MessagesAlone, as_named};
use crate::wire::ByteWriter;

const MVD2: Name = Name::with("mvd2", "");
/// The mark does not stand there.
const UNMARKED: Name = Name::with("unmarked", "");
const BLOCK: Name = Name::with("block", "");

impl HasText for Mvd2 {
    type Text = Mvd2Text;
}

/// What is known from statement to statement.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Mvd2Text {
    /// The mark was printed or written just before.
    marked: bool,
}

impl TextForm<Mvd2> for Mvd2Text {
    const LANGUAGE: Language = Language {
        demo: "Quake II multi-view",
        statements: "mvd2, block",
        block: "block { commands }",
        message: ("command", "mvd2"),
    };

    fn in_front<S: MessageSink>(&mut self, what: InFront<'_, Mvd2>, s: &mut S) -> bool {
        let marked = match what {
            InFront::Demo(_, first) => first.is_some_and(|header| header.mark.0),
            // That of the first block is printed in front of the demo.
            InFront::Block { header, .. } => header.mark.0 && !std::mem::take(&mut self.marked),
        };
        let demo = matches!(what, InFront::Demo(..));
        if demo || marked {
            self.marked = demo && marked;
            s.open(MVD2, marked);
            if !marked {
                s.flag(UNMARKED);
            }
            s.close();
        }
        false
    }

    fn keyword(_: &Header) -> Name {
        BLOCK
    }

    fn words(&mut self, message: &Message<'_>, _: (&Dialect, &Dialect), _: &[u8]) -> LmpcCoverage {
        if matches!(message, Message::Unknown(_)) { LmpcCoverage::Wrong } else { LmpcCoverage::None }
    }

    fn is_foreign<S: MessageSink>(_: &Block<'_>, _: &Packet<'_>, _: &Dialect, _: &mut S) -> bool {
        true
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        MVD2.is(f.keyword())
    }

    fn statement(&mut self, f: &mut Fields<'_, '_>, _: &mut Dialect, w: &mut ByteWriter) -> Result<bool, Mistake> {
        let marked = std::mem::take(&mut self.marked);
        if !MVD2.is(f.keyword()) {
            self.marked = marked && Self::is_block(f.keyword());
            return Ok(false);
        }
        if !f.flag(UNMARKED)? {
            w.bytes(&MAGIC);
            self.marked = true;
        }
        Ok(true)
    }

    fn is_block(keyword: &[u8]) -> bool {
        BLOCK.is(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let header = Header::parse(f, as_named)?;
        let empty = f.children().all(|child| child.is_used());
        if empty && header.size.0.is_none() && !std::mem::take(&mut self.marked) {
            return Err(f.mistake("a block without commands would be the end mark: write endblock;"));
        }
        build_block::<Mvd2>(f, d, w, &header, &MessagesAlone, |f, d, w| {
            build_message::<Mvd2, _>(f, &MessagesAlone, d, w)
        })
    }
}
