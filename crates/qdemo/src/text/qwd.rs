//! The text of QuakeWorld: the three kinds of blocks.

use super::builder::{build_block, parse_message};
use super::form::{HasText, Language, TextForm};
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Mistake, Name, Part, Table};
use crate::format::qwd::{Block, BlockKind, Contents, Dialect, Header, Message, Messages, Packet, Qwd, parse_contents};
use crate::format::{as_named, write_message};
use crate::wire::{ByteWriter, Fault};

impl HasText for Qwd {
    type Text = QwdText;
}

/// What is known from statement to statement.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct QwdText {
    /// LMPC takes commands in `playerinfo` for wide ones: not before a serverdata told it so.
    wide_commands: bool,
}

/// How far LMPC's language goes for a message of `raw` bytes, if it takes commands of players for wide ones or not.
pub(super) fn words(
    message: &Message<'_>,
    (before, after): (&Dialect, &Dialect),
    raw: &[u8],
    wide_commands: bool,
) -> LmpcCoverage {
    match message {
        Message::Unknown(_) => LmpcCoverage::Wrong,
        // `serverdata` reads alike in all dialects: the one that it leads to decides. LMPC wants the variables of movement.
        Message::ServerData(_) if after.known_to_lmpc && after.movevars => LmpcCoverage::All,
        Message::ServerData(_) => LmpcCoverage::None,
        // Quake has these words.
        Message::Nop(_) | Message::Time(_) => LmpcCoverage::None,
        Message::PlayerInfo(m) if m.command.is_some() && before.wide_commands != wide_commands => LmpcCoverage::None,
        // A number alone means the same in all dialects.
        _ if before.known_to_lmpc || raw.len() == 1 => LmpcCoverage::All,
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

    fn words(&mut self, message: &Message<'_>, dialects: (&Dialect, &Dialect), raw: &[u8]) -> LmpcCoverage {
        words(message, dialects, raw, self.wide_commands)
    }

    fn printed<S: MessageSink>(&mut self, message: &Message<'_>, after: &Dialect, foreign: bool, s: &mut S) {
        if let (Message::ServerData(_), false) = (message, foreign) {
            self.wide_commands = after.wide_commands;
        }
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
            if let Message::Unknown(unknown) = &message {
                // LMPC's style may have no words for a serverdata.
                let mut within = Messages::new(&unknown.bytes, *d);
                within.by_ref().for_each(drop);
                *d = within.dialect();
            }
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
    let written = data.write_as_given(d.number_of(message.kind()?)?, 0, w, d);
    *d = Dialect::announced(data.serverversion, &data.extensions, false);
    Some(written)
}
