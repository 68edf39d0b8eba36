//! What repairing takes of a format, beside what every format has.

use crate::edit::readable::Partial;
use crate::format::{BlockOf, DialectOf, MessageSet, Packet};
use crate::frame::Diagnostic;
use crate::replay::World;
use crate::wire::Fault;

/// A message of a format.
pub(super) type MessageOf<'a, F> = <F as crate::format::Format>::Message<'a>;

/// A world in which another frame stands for a lost one.
pub(super) struct Assumed {
    pub(super) world: World,
    /// The number of the lost one.
    pub(super) lost: i64,
}

impl Assumed {
    /// A world like this one, if `assume` finds what stands for the lost frame, whose number it gives.
    pub(super) fn of(world: &World, assume: impl FnOnce(&mut World) -> Option<i64>) -> Option<Self> {
        let mut world = world.clone();
        assume(&mut world).map(|lost| Assumed { world, lost })
    }
}

/// A format that can be repaired.
pub(super) trait Mend: Partial {
    /// The number of a block that tells its place among others; a time in microseconds where there is none.
    fn number(_: &BlockOf<'_, Self>, _: &DialectOf<Self>) -> Option<i64> {
        None
    }

    /// When a block came, in microseconds of the recorder's clock, where its number is not a time.
    fn arrived(_: &BlockOf<'_, Self>) -> Option<i64> {
        None
    }

    /// The same block with another number, where blocks are known to be counted one by one.
    fn renumbered(_: &[u8], _: i64) -> Option<Vec<u8>> {
        None
    }

    /// The number behind which blocks are counted from here on, where a packet tells it.
    fn counts_from(_: &Packet<'_, Self>) -> Option<i64> {
        None
    }

    /// True for a block that no engine writes twice in a row.
    fn is_single(_: &BlockOf<'_, Self>, _: &World) -> bool {
        false
    }

    /// True where players pass over a block whose number is not above that of the one before, or stop at it.
    const COUNTED: bool = false;

    /// True when a level begins with it.
    fn begins(packet: &Packet<'_, Self>) -> bool;

    /// True when it tells of a level that has begun, in front of the first moment.
    fn is_of_level(_: &Packet<'_, Self>) -> bool {
        false
    }

    /// True for a message that may stand where it does. Bytes that are damaged can look like messages.
    fn is_possible(message: &MessageOf<'_, Self>, world: &World) -> bool;

    /// True for a block that can be read and cannot be right.
    fn is_wrong(_: &Packet<'_, Self>, _: &World) -> bool {
        false
    }

    /// Bytes behind the messages of a block that are none of them.
    fn rest(_: &Packet<'_, Self>) -> usize {
        0
    }

    /// True for what an engine writes of one moment of the game, and no more: parts of several blocks tell of one thing twice.
    fn is_moment(packet: &Packet<'_, Self>, d: &DialectOf<Self>) -> bool;

    /// True for a message that later ones build on, and that may be damaged itself where it stands in front of a fault: only
    /// what cannot be read shows damage.
    fn is_built_on(_: &MessageOf<'_, Self>) -> bool {
        false
    }

    /// Takes out and changes commands that stop players between two levels. Gives what they were.
    fn mend_level_change(_: &mut Packet<'_, Self>) -> Vec<&'static str> {
        Vec::new()
    }

    /// Puts in numbered commands that are lost, so that players do not take old ones for them. Gives how many.
    fn fill_commands(_: &mut Packet<'_, Self>, _: &World) -> u32 {
        0
    }

    /// Where a packet builds on a frame that is lost: a world in which another one stands for it.
    fn assume(_: &World, _: &mut Packet<'_, Self>, _invented: bool) -> Option<Assumed> {
        None
    }

    /// When that world has taken in the packet: changes it so that it builds on what is there. False where it is as it was.
    fn rebuild(_: &mut World, _: &mut Packet<'_, Self>, _lost: i64) -> Result<bool, Fault> {
        Ok(false)
    }

    /// True when a packet tells a player to begin with the game.
    fn is_signon(_: &Packet<'_, Self>) -> bool {
        false
    }

    /// A packet that does so; `None` where the world shows that it was told, or where there is nothing like it.
    fn signon<'p>(_: &World) -> Option<Packet<'p, Self>> {
        None
    }

    /// An introduction that a recording without one may have had, with what follows it, for what the rest of the recording tells.
    fn invent(
        beginning: Packet<'static, Self>,
        seen: &super::survey::Seen,
        d: &DialectOf<Self>,
    ) -> Vec<Packet<'static, Self>>;

    /// Notes what a packet tells of a level.
    fn note(_: &Packet<'_, Self>, _: &mut super::survey::Seen) {}
}

/// True for a packet in which nothing is wrong.
pub(super) fn is_right<F: Mend>(packet: &Packet<'_, F>, fault: Option<&Diagnostic>, world: &World) -> bool {
    let is_possible = || F::begins(packet) || intact::<F>(packet, world) == packet.messages.len();
    fault.is_none() && !F::is_wrong(packet, world) && is_possible()
}

/// Messages at the beginning of a list that can be kept.
pub(super) fn intact<F: Mend>(packet: &Packet<'_, F>, world: &World) -> usize {
    let good = |m: &&MessageOf<'_, F>| m.unknown_bytes().is_none() && F::is_possible(m, world);
    packet.messages.iter().take_while(good).count()
}
