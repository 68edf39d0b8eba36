//! The commands of multi-view recordings of Quake II, declared.

pub use super::contents::{Multicast, Unicast};
pub use super::level::{SceneDelta, ServerData};
use super::values::SpareBits;
use crate::describe::{
    Attenuation, Field, Fields, Mask, Mistake, Name, Sink, SoundIndex, Volume, field_bits, field_parse, field_read,
    field_schema, field_show, field_type, field_write, masked, message, messages, name_of,
};
use crate::format::dm2::{Bytes as Wire, Dialect, SoundSource, TimeOffset};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, Str};

messages! {
    /// One command of a multi-view recording.
    pub enum Message<'a> / MessageKind, from 'a, keeps 'a, after super::packet::after {
        Nop, ServerData<'a>, ConfigString<'a>, Frame, Unicast<'a>, Multicast<'a>, Sound, Print<'a>,
    }
}

message! {
    /// Nothing.
    pub struct Nop = "nop", inline {
        /// Bits of the number without a meaning; 0 in most files.
        spare_bits: SpareBits, number;
    }
}
message! {
    /// A string that every level has: names of models, sounds and pictures, players ...
    pub struct ConfigString<'a> = "configstring", block {
        /// Bits of the number without a meaning; 0 in most files.
        spare_bits: SpareBits, number;
        /// Number of the configstring.
        index: u16;
        /// Its value.
        string: Str<'a>;
    }
}
message! {
    /// A frame of the server: what changed since the one before. There are ten a second, unless the server says otherwise.
    pub struct Frame = "frame", block {
        /// Bits of the number without a meaning; 0 in most files.
        spare_bits: SpareBits, number;
        /// Players and entities that changed.
        scene: SceneDelta;
    }
}
masked! {
    /// Starts a sound.
    pub struct Sound = "sound", mask SoundMask {
        /// Sound number.
        soundnum: SoundIndex, wide 5;
        /// Loudness; full when absent.
        vol: Volume, bit 0;
        /// How fast it fades with distance; 1 when absent.
        attenuation: Attenuation, bit 1;
        /// Time after the frame; 0 when absent.
        timeofs: TimeOffset, bit 4;
        /// Channel and entity.
        source: SoundSource, always;
        /// Heard by everyone, not only by those near by.
        to_all: (), flag 8;
        /// Sent so that it cannot get lost.
        reliable: (), flag 9;
    }
}
message! {
    /// Text for everyone's console and screen.
    pub struct Print<'a> = "print", block {
        /// Bits of the number without a meaning; 0 in most files.
        spare_bits: SpareBits, number;
        /// 0 pickups, 1 deaths, 2 important, 3 chat.
        level: u8;
        /// The text.
        string: Str<'a>;
    }
}

/// The mask of `sound`: one byte, and from bit 8 on the three highest bits of the number.
pub(super) struct SoundMask;

impl Mask<Dialect> for SoundMask {
    const HOLDS_ID: bool = true;

    fn read(id: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        Ok(u64::from(SpareBits::of_number(id).0) << 8 | u64::from(r.u8()?))
    }
    fn write(id: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        match u8::try_from(mask >> 8) {
            Ok(high @ 0..=7) => w.u8(id | SpareBits(high).in_number()),
            _ => return Err(Fault::unwritable("a mask bit above the mask's eleven")),
        }
        w.u8(mask as u8);
        Ok(())
    }
    fn present(mask: u64, d: &Dialect) -> u64 {
        // The place is never there, the entity always.
        mask & (d.layout.sound_bits & 0x33 | 0x300)
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        // The bit of the entity is set all the same.
        bits | 1 << 3
    }
}
