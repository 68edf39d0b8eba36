//! The text of QuakeWorld: the three kinds of blocks.

use super::builder::{build_block, parse_message};
use super::form::{HasText, Language, TextForm};
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Mistake, Name, Part, Table};
use crate::format::{as_named, write_message};
use crate::format::qwd::{Block, BlockKind, Contents, Dialect, Header, Message, Packet, Qwd, parse_contents};
use crate::wire::{ByteWriter, Fault};

impl HasText for Qwd {
    type Text = QwdText;
}

/// Nothing is carried along but the dialect.
#[derive(Default)]
pub(crate) struct QwdText;

/// How far LMPC's language goes for a message.
pub(super) fn words(message: &Message<'_>, (before, after): (&Dialect, &Dialect)) -> LmpcCoverage {
    match message {
        Message::Unknown(_) => LmpcCoverage::Wrong,
        // `serverdata` reads alike in all dialects: the one that it leads to decides.
        Message::ServerData(_) if after.known_to_lmpc => LmpcCoverage::All,
        Message::ServerData(_) => LmpcCoverage::None,
        _ if before.known_to_lmpc => LmpcCoverage::All,
        _ => LmpcCoverage::None,
    }
}

/// Makes the names known that a message tells.
pub(super) fn learn<S: MessageSink>(message: &Message<'_>, s: &mut S) {
    match message {
        Message::ModelList(m) => s.learn(Table::Models, usize::from(m.first.unwrap_or(0)), &m.models),
        Message::SoundList(m) => s.learn(Table::Sounds, usize::from(m.first.unwrap_or(0)), &m.sounds),
        Message::FteModelList(m) => s.learn(Table::Models, usize::from(m.first), &m.models),
        _ => {}
    }
}

impl TextForm<Qwd> for QwdText {
    const LANGUAGE: Language = Language {
        demo: "QuakeWorld",
        statements: "sblock, cblock, fblock",
        block: "sblock { time T; seq1 N; seq2 N; messages }",
        message: ("message", "qwd"),
    };

    fn keyword(header: &Header) -> Name {
        header.kind.keyword()
    }

    fn words(&mut self, message: &Message<'_>, dialects: (&Dialect, &Dialect), _: &[u8]) -> LmpcCoverage {
        words(message, dialects)
    }

    fn printed<S: MessageSink>(&mut self, message: &Message<'_>, _: &Dialect, _: bool, s: &mut S) {
        learn(message, s);
    }

    fn is_foreign<S: MessageSink>(block: &Block<'_>, packet: &Packet<'_>, _: &Dialect, _: &mut S) -> bool {
        let short = block.header.kind == BlockKind::Packet && matches!(packet.contents, Contents::Bytes(_));
        block.is_cut() || short
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        Self::is_block(f.keyword())
    }

    fn is_block(keyword: &[u8]) -> bool {
        BlockKind::has(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let header = Header::parse(f, as_named)?;
        let contents = parse_contents(&header, f)?;
        if !matches!(contents, Contents::Packet(_)) {
            // No messages stand in it.
            f.finish()?;
        }
        build_block::<Qwd>(f, d, w, &header, &contents, |f, d, w| {
            let message = parse_message::<Qwd>(f, d)?;
            write_misread(&message, d, w)
                .unwrap_or_else(|| write_message::<Qwd, _>(&contents, &message, d, w))
                .map_err(|fault| Mistake::new(f.at(), fault.to_string()))
        })
    }
}

/// Writes a serverdata that only LMPC's texts have: it takes extensions for the protocol, and reads on. `None` for any
/// other message.
fn write_misread(message: &Message<'_>, d: &mut Dialect, w: &mut ByteWriter) -> Option<Result<(), Fault>> {
    let Message::ServerData(data) = message else { return None };
    if !data.is_misread() {
        return None;
    }
    let written = data.write_as_given(d.number_of(message.kind()?)?, w, d);
    *d = Dialect::announced(data.serverversion, &data.extensions, false);
    Some(written)
}
