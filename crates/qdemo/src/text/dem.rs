//! The text of Quake: the track line, blocks, and other readings of a protocol.

use super::builder::{build_block, parse_message};
use super::form::{HasText, InFront, Language, TextForm};
use super::sink::{LmpcCoverage, MessageSink};
use crate::describe::{Fields, Form, Mistake, Name, Part, Table};
use crate::format::dem::{Block, Dem, Dialect, Header, Message, Packet, Variant};
use crate::format::{MessagesAlone, as_named, encode_messages, write_message};
use crate::wire::{ByteWriter, Fault};

const TRACK: Name = Name::new("track");
const LINE: Name = Name::new("line");
const VARIANT: Name = Name::with("variant", "");
const NAME: Name = Name::new("name");
const BLOCK: Name = Name::new("block");
const CAMERA: Name = Name::new("camera");

impl HasText for Dem {
    type Text = DemText;
}

/// What is known from statement to statement.
#[derive(Clone, PartialEq)]
pub(crate) struct DemText {
    /// What a compiler of LMPC's text takes the dialect for: it does not see into `unknown` bytes.
    lmpc: Dialect,
    /// True while that is the dialect of the demo.
    in_step: bool,
}

impl Default for DemText {
    fn default() -> Self {
        DemText { lmpc: Dialect::initial(Variant::Standard), in_step: true }
    }
}

impl DemText {
    /// True when LMPC, to which every protocol is 15, writes the same bytes, and so does a compiler that reads the text
    /// without knowing more than it says.
    fn encodes(&self, message: &Message<'_>, before: &Dialect, raw: &[u8]) -> bool {
        let same = |mut dialect: Dialect| {
            let mut w = ByteWriter::default();
            encode_messages([message], &mut dialect, &mut w).is_ok() && w.as_slice() == raw
        };
        (*before == Dialect::QUAKE || same(Dialect::QUAKE)) && (self.in_step || same(self.lmpc))
    }
}

impl TextForm<Dem> for DemText {
    const LANGUAGE: Language = Language {
        demo: "Quake",
        statements: "track, block",
        block: "block { camera ...; messages }",
        message: ("message", "dem"),
    };
    const TIMED: bool = true;

    fn in_front<S: MessageSink>(&mut self, what: InFront<'_, Dem>, s: &mut S) -> bool {
        if let InFront::Block { told, before, .. } = what {
            if told.variant != before.variant {
                self.in_step = false;
                // LMPC sees the messages of other readings as bytes anyway.
                if s.form() != Form::Lmpc {
                    s.open(VARIANT, true);
                    s.string(NAME, before.variant.name().as_bytes());
                    s.close();
                }
            }
        }
        false
    }

    fn keyword(_: &Header) -> Name {
        BLOCK
    }

    fn words(&mut self, message: &Message<'_>, (before, _): (&Dialect, &Dialect), raw: &[u8]) -> LmpcCoverage {
        match message {
            Message::Bad(_) | Message::Unknown(_) => LmpcCoverage::Wrong,
            // A number alone means the same wherever protocol 15 has it.
            _ if (before.known_to_lmpc || raw.len() == 1) && self.encodes(message, before, raw) => LmpcCoverage::All,
            _ => LmpcCoverage::None,
        }
    }

    fn printed<S: MessageSink>(&mut self, message: &Message<'_>, after: &Dialect, foreign: bool, s: &mut S) {
        if let Message::ServerInfo(info) = message {
            if !foreign {
                self.lmpc = Dialect::after(info, self.lmpc.variant);
            }
            self.in_step = !foreign && self.lmpc.variant == after.variant;
            s.learn(Table::Models, 0, &info.models);
            s.learn(Table::Sounds, 0, &info.sounds);
        }
    }

    fn is_foreign<S: MessageSink>(block: &Block<'_>, _: &Packet<'_>, _: &Dialect, _: &mut S) -> bool {
        let steady = block.header.camera.iter().all(|angle| angle.get().is_finite());
        block.is_cut() || block.payload.is_empty() || !steady
    }

    fn begins(f: &Fields<'_, '_>) -> bool {
        let keyword = f.keyword();
        let seen = || f.children().any(|child| CAMERA.is(child.keyword()));
        TRACK.is(keyword) || VARIANT.is(keyword) || BLOCK.is(keyword) && seen()
    }

    fn statement(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<bool, Mistake> {
        if TRACK.is(f.keyword()) {
            w.bytes(f.take(LINE)?.string()?);
        } else if VARIANT.is(f.keyword()) {
            let name = f.take(NAME)?.string()?;
            let Some(variant) = Variant::by_name(name) else {
                let known = Variant::ALL.map(Variant::name).join(", ");
                return Err(f.mistake(format!("no such variant: it is one of {known}")));
            };
            *d = d.with_variant(variant);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn is_block(keyword: &[u8]) -> bool {
        BLOCK.is(keyword)
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
        let header = Header::parse(f, as_named)?;
        build_block::<Dem>(f, d, w, &header, &MessagesAlone, |f, d, w| {
            let message = parse_message::<Dem>(f, d)?;
            write_misread(&message, d, w)
                .unwrap_or_else(|| write_message::<Dem, _>(&MessagesAlone, &message, d, w))
                .map_err(|fault| Mistake::new(f.at(), fault.to_string()))
        })
    }
}

/// Writes a message that only LMPC's texts have: it reads every protocol as 15, and writes what it then finds, field by
/// field. `None` for any other message.
fn write_misread(message: &Message<'_>, d: &mut Dialect, w: &mut ByteWriter) -> Option<Result<(), Fault>> {
    let id = d.number_of(message.kind()?)?;
    match message {
        Message::ServerInfo(info) if info.is_misread() => {
            let written = info.write_as_given(id, 0, w, d);
            *d = Dialect::initial(d.variant);
            Some(written)
        }
        Message::TempEntity(effect) if effect.is_misread(d) => Some(effect.write_as_given(id, 0, w, d)),
        _ => None,
    }
}
