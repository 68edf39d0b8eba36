//! What editing takes of a format, beside what its messages say.

use super::says::{Game, Places, Saying};
use super::subtitle::Screen;
use crate::demo::Listed;
use crate::edit::commands::Commands;
use crate::format::dm2::{self, Dm2};
use crate::format::dm3::{self, Dm3};
use crate::format::mvd::{self, Mvd};
use crate::format::mvd2::{self, Audience, Mvd2};
use crate::format::qwd::{self, BlockKind, Connectionless, Qwd};
use crate::format::{DialectOf, Packet, dem};
use crate::wire::Str;

/// Says whether a message is kept, and may change it.
pub(super) type Keeps<'k> = &'k mut dyn FnMut(&mut dyn Saying) -> bool;

/// Bytes of a text in the middle of the screen, in the buffers of all engines (`scr_centerstring`), and of a server command
/// of Quake III (`MAX_STRING_CHARS`), a closing zero excluded.
const KEPT: usize = 1_023;
/// What stands in front of such a text in a server command.
const CENTER: &[u8] = b"cp \"";

/// A format whose texts can be changed.
pub(super) trait Alter: Listed {
    /// Whose recordings they are.
    const GAME: Game;
    /// Bytes that engines take in a block.
    const ROOM: usize;
    /// How engines show texts in the middle of the screen.
    const SCREEN: Screen;

    /// The same; texts leave half of a block for what shows the game.
    fn screen() -> Screen {
        Screen { most: Self::SCREEN.most.min(Self::ROOM / 2), ..Self::SCREEN }
    }

    /// Where configstrings stand.
    fn places(_: &DialectOf<Self>) -> Places {
        Places::None
    }

    /// A message, to be asked and changed.
    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying;

    /// Shows every message of a packet and keeps those for which `each` says so.
    fn retain(packet: &mut Packet<'_, Self>, each: Keeps<'_>) {
        packet.messages.retain_mut(|message| each(Self::saying(message)));
    }

    /// True for a packet that shows a moment of the game to all who watch.
    fn is_frame(packet: &Packet<'_, Self>) -> bool;

    /// A text for the middle of the screen.
    fn center<'a>(text: &[u8]) -> Self::Message<'a>;

    /// Puts in such a text; false for a packet in which it has no place.
    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], _: &mut Commands) -> bool {
        let is_frame = Self::is_frame(packet);
        if is_frame {
            packet.messages.push(Self::center(text));
        }
        is_frame
    }

    /// Empties a packet that is none of the game's, and of which playing needs nothing: what it was.
    fn empty_outside(_: &mut Packet<'_, Self>) -> Option<Vec<u8>> {
        None
    }

    /// Gives numbers that follow from what was put in; true where that changed any.
    fn renumber(_: &mut Packet<'_, Self>, _: &mut Commands) -> bool {
        false
    }

    /// A message that does nothing, for a packet that has lost all of its own, where engines stop at one without any.
    fn nothing<'a>(_: &DialectOf<Self>) -> Option<Self::Message<'a>> {
        None
    }

    /// What is left to do with a packet that was changed.
    fn complete(_: &mut Packet<'_, Self>, _: &DialectOf<Self>) {}
}

impl Alter for dem::Dem {
    const GAME: Game = Game::Quake;
    const ROOM: usize = 8_000;
    const SCREEN: Screen = Screen { width: 40, stands: 1_900, most: KEPT };

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, dem::Message::Time(_)))
    }

    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        dem::CenterPrint { text: Str::from(text.to_vec()) }.into()
    }

    fn nothing<'a>(_: &dem::Dialect) -> Option<Self::Message<'a>> {
        Some(dem::Nop {}.into())
    }
}

impl Alter for Qwd {
    const GAME: Game = Game::QuakeWorld;
    const ROOM: usize = 1_450;
    const SCREEN: Screen = Screen { width: 40, stands: 1_900, most: KEPT };

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    /// Answers to `rcon` among them, and whatever else came to the recorder's address.
    fn empty_outside(packet: &mut Packet<'_, Self>) -> Option<Vec<u8>> {
        let qwd::Contents::Connectionless(outside) = &mut packet.contents else { return None };
        if outside.is_end_of_demo() || outside.data.iter().all(|b| *b == 0) {
            return None;
        }
        let empty = Connectionless::console(b"");
        Some(std::mem::replace(outside, empty).data.into_owned())
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        let is_numbered =
            packet.header.kind == BlockKind::Packet && matches!(packet.contents, qwd::Contents::Packet(_));
        is_numbered && packet.messages.iter().any(|m| matches!(m, qwd::Message::PlayerInfo(_)))
    }

    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        qwd::CenterPrint { text: Str::from(text.to_vec()) }.into()
    }
}

impl Alter for Mvd {
    const GAME: Game = Game::QuakeWorld;
    const ROOM: usize = 1_450;
    const SCREEN: Screen = Screen { width: 40, stands: 1_900, most: KEPT };

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        let is_for_all = packet.header.to.target == mvd::Target::All;
        is_for_all && packet.messages.iter().any(|m| matches!(m, qwd::Message::MvdPlayerInfo(_)))
    }

    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        qwd::CenterPrint { text: Str::from(text.to_vec()) }.into()
    }
}

impl Alter for Dm2 {
    const GAME: Game = Game::Quake2;
    const ROOM: usize = 1_390;
    const SCREEN: Screen = Screen { width: 40, stands: 2_400, most: KEPT };

    fn places(d: &dm2::Dialect) -> Places {
        Places::Quake2(d.layout.configstrings)
    }

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        use dm2::Message::{PacketEntities, TestEntities};
        packet.messages.iter().any(|m| matches!(m, PacketEntities(_) | TestEntities(_)))
    }

    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        dm2::CenterPrint { text: Str::from(text.to_vec()) }.into()
    }

    /// The test release has no number for it that is known.
    fn nothing<'a>(d: &dm2::Dialect) -> Option<Self::Message<'a>> {
        Some(match d.recording {
            dm2::Recording::TestRelease => dm2::StuffText { text: Str::from("") }.into(),
            _ => dm2::Nop {}.into(),
        })
    }
}

impl Alter for Mvd2 {
    const GAME: Game = Game::Quake2;
    const ROOM: usize = 16_000;
    const SCREEN: Screen = Screen { width: 40, stands: 2_400, most: KEPT };

    fn places(d: &dm2::Dialect) -> Places {
        Places::Quake2(d.layout.configstrings)
    }

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    fn retain(packet: &mut Packet<'_, Self>, each: Keeps<'_>) {
        packet.messages.retain_mut(|message| {
            let inner = match message {
                mvd2::Message::Unicast(m) => &mut m.messages,
                mvd2::Message::Multicast(m) => &mut m.messages,
                message => return each(message),
            };
            let before = inner.len();
            inner.retain_mut(|message| each(message));
            // One that carries nothing any more goes, too.
            inner.len() == before || !inner.is_empty()
        });
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, mvd2::Message::Frame(_)))
    }

    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        let messages = vec![Dm2::center(text)];
        mvd2::Message::Multicast(mvd2::Multicast { reliable: true, to: Audience::All, messages })
    }

    /// The size 0 is the end mark.
    fn nothing<'a>(_: &dm2::Dialect) -> Option<Self::Message<'a>> {
        Some(mvd2::Nop::default().into())
    }
}

impl Alter for Dm3 {
    const GAME: Game = Game::Quake3;
    const ROOM: usize = 16_000;
    const SCREEN: Screen = Screen { width: 50, stands: 2_900, most: KEPT - CENTER.len() - 1 };

    fn places(d: &dm3::Dialect) -> Places {
        Places::Quake3(d.layout.indices)
    }

    fn saying<'m>(message: &'m mut Self::Message<'_>) -> &'m mut dyn Saying {
        message
    }

    fn is_frame(packet: &Packet<'_, Self>) -> bool {
        packet.messages.iter().any(|m| matches!(m, dm3::Message::Snapshot(_)))
    }

    /// Its number is open.
    fn center<'a>(text: &[u8]) -> Self::Message<'a> {
        dm3::ServerCommand { seq: 0, value: [CENTER, text, b"\""].concat().into() }.into()
    }

    fn caption(packet: &mut Packet<'_, Self>, text: &[u8], commands: &mut Commands) -> bool {
        let dm3::Message::ServerCommand(command) = Self::center(text) else { return false };
        commands.put_in(&mut packet.messages, command.value.0)
    }

    fn renumber(packet: &mut Packet<'_, Self>, commands: &mut Commands) -> bool {
        commands.renumber(&mut packet.messages)
    }

    fn complete(packet: &mut Packet<'_, Self>, d: &dm3::Dialect) {
        // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
        if packet.contents.closed {
            packet.contents.tail = dm3::Contents::new(0, d).tail;
        }
    }
}
