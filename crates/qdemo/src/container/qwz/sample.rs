//! An encoder, for tests: it writes what it is told to, not what is short.

use super::packet::BYTES;
use super::tables::Tables;

/// Encodes symbols, the mirror image of the decoder.
pub(super) struct Encoder {
    out: Vec<u8>,
    low: u32,
    /// The highest code less the lowest.
    width: u32,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Encoder { out: Vec::new(), low: 0, width: u32::MAX }
    }

    /// A symbol by the cumulative frequencies of a table.
    pub(super) fn symbol(&mut self, table: &[u32], symbol: usize) {
        while self.width <= 0x00FF_FFFF {
            self.out.push((self.low >> 24) as u8);
            self.low <<= 8;
            self.width = self.width << 8 | 0xFF;
        }
        let scaled = |share: u32| ((u64::from(share) * u64::from(self.width)) >> 32) as u32;
        let below = if symbol == 0 { 0 } else { scaled(table[symbol - 1]) };
        self.width = scaled(table[symbol]) - 1 - below;
        let carry;
        (self.low, carry) = self.low.overflowing_add(below);
        if carry {
            for byte in self.out.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    /// The kind of a block.
    pub(super) fn kind(&mut self, kind: usize) {
        self.symbol(&super::coder::KINDS, kind);
    }

    /// Symbols with the rows they have.
    pub(super) fn rows(&mut self, symbols: &[(u8, u8)]) {
        for &(row, symbol) in symbols {
            self.symbol(Tables::get().row(row), symbol.into());
        }
    }

    /// Symbols of a text.
    pub(super) fn text(&mut self, row: u8, symbols: &[u16]) {
        for &symbol in symbols {
            self.symbol(Tables::get().pair(row), symbol.into());
        }
    }

    /// Bytes without rows of their own.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.rows(&[(BYTES, byte)]));
    }

    /// An uncompressed packet.
    pub(super) fn packet(&mut self, packet: &[u8]) {
        self.kind(1);
        self.rows(&[(242, 0)]);
        self.bytes(&u16::try_from(packet.len()).unwrap().to_le_bytes());
        self.bytes(packet);
    }

    /// The file: all bytes of the lowest code.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.out.extend(self.low.to_be_bytes());
        self.out
    }
}

/// The beginning of a packet: its number and the last command that has arrived.
pub(super) fn head(sequence: u32) -> Vec<u8> {
    [sequence.to_le_bytes(); 2].concat()
}

/// `svc_serverdata` of protocol 28 for player 2, with all that is behind.
pub(super) fn serverdata() -> Vec<u8> {
    let mut packet = head(1);
    packet.extend(b"\x0B\x1C\0\0\0\x07\0\0\0qw\0\x02The Abandoned Base\0");
    packet.extend([0; 40]);
    packet
}

/// A short demo that has something of everything: `testdata/qizmo.qwz`.
pub(super) fn demo() -> Vec<u8> {
    let mut e = Encoder::new();
    e.packet(&serverdata());
    // Names: of the server's, the third model is Qizmo's number 39, the second sound Qizmo's number 1.
    let mut packet = head(2);
    packet.extend(b"\x2E\0weapons/own.wav\0ambience/fire1.wav\0\0\0");
    packet.extend(b"\x2D\0maps/dm3.bsp\0progs/grenade.mdl\0progs/player.mdl\0\0\0");
    // The baseline of entity 40: model 2, the rest 0, at 256 128 0.
    packet.extend(b"\x16\x28\0\x02\0\0\0\0\x08\0\0\x04\0\0\0\0");
    packet.extend(b"\x09cmd spawn 7 0\n\0");
    e.packet(&packet);
    // A packet with the player himself at 100 0 24, going 320 to the side, and no entities.
    let mut packet = head(3);
    packet.extend(b"\x2A\x02\x04\0\x20\x03\0\0\xC0\0\x0C\x40\x01\x2F\0\0");
    e.packet(&packet);
    // Commands 1 to 5, 20 ms each and 13 ms apart; the first one turns and goes forward, the turning goes on.
    for i in 0..5 {
        e.kind(0);
        match i {
            0 => e.rows(&[(224, 0b1100_0010), (225, 0x20), (227, 0x10), (232, 0x90), (233, 1), (240, 20), (241, 13)]),
            1 => e.rows(&[(224, 0x02), (225, 0x20), (241, 0)]),
            2 => e.rows(&[(224, 0x01), (225, 0), (226, 0xFF), (241, 0)]),
            3 => e.rows(&[(224, 0x01), (225, 0), (241, 0)]),
            _ => e.rows(&[(224, 0), (225, 0), (241, 0)]),
        }
    }
    // A packet that differs from the one before: 20 ms later, a unit higher, with a new entity 40.
    e.kind(1);
    e.rows(&[(242, 1), (0, 1), (1, 0x10), (2, 0), (3, 0), (15, 8)]);
    e.rows(&[(4, 0x2F), (41, 0xC8), (43, 0x40), (44, 0x03), (45, 39), (46, 3), (41, 0)]);
    // Entity 40 makes the sound 1, at its place. A print with a known string. Health 80.
    e.rows(&[(4, 0x06), (65, 0x40), (66, 0x01), (69, 1), (70, 0)]);
    e.rows(&[(4, 0x08), (77, 1)]);
    e.text(78, &[u16::from(b'I'), 289, u16::from(b'i'), u16::from(b't'), 0]);
    e.rows(&[(4, 0x03), (63, 0), (64, 80), (4, 0)]);
    // The next one: player 5 comes, the entity moves by 8 units.
    e.kind(1);
    e.rows(&[(242, 1), (0, 1), (1, 0x10), (2, 0), (3, 0)]);
    e.rows(&[(4, 0x2A), (5, 6), (6, 10), (7, 1), (8, 0), (9, 0), (10, 0), (11, 0xF8), (5, 0)]);
    e.rows(&[(4, 0x30), (41, 0x61), (43, 0x01), (50, 64), (41, 0), (4, 0)]);
    // The entity is gone. Sequence numbers of the client from 9 on.
    e.kind(1);
    e.rows(&[(242, 1), (0, 1), (1, 0), (2, 0), (3, 0), (4, 0x30), (41, 0x01), (41, 0), (4, 0)]);
    e.kind(2);
    e.bytes(&[9, 0, 0, 0, 6, 0, 0, 0]);
    e.packet(b"\xFF\xFF\xFF\xFF\x02EndOfDemo\0");
    e.kind(3);
    e.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::qwz::coder::Coder;
    use crate::container::qwz::{Unqizmo, is_qwz, is_unpacked};
    use std::io::Read;

    fn decode(file: &[u8]) -> (Vec<u8>, Option<String>) {
        let mut out = Vec::new();
        let result = Unqizmo::new(file, Default::default()).read_to_end(&mut out);
        (out, result.err().map(|e| e.to_string()))
    }

    #[test]
    fn the_shipped_sample_is_this_one() {
        assert!(include_bytes!("../../../../../testdata/qizmo.qwz") == demo().as_slice(), "write it anew");
    }

    #[test]
    fn symbols_come_back_in_order() {
        // Rows with steep frequencies make the range narrow, and carries likely.
        let symbols: Vec<_> =
            (0..20_000u32).map(|i| ((i % 59) as u8, (i.wrapping_mul(2_654_435_761) >> 24) as u8)).collect();
        let mut encoder = Encoder::new();
        encoder.rows(&symbols);
        let file = encoder.finish();
        let mut coder = Coder::new(file.as_slice());
        for &(row, symbol) in &symbols {
            assert_eq!(coder.byte(row), symbol);
        }
        assert_eq!((coder.used(), coder.beyond(), coder.is_sure()), (file.len() as u64, 0, true));
    }

    #[test]
    fn a_decoder_knows_what_depends_on_missing_bytes() {
        let symbols: Vec<_> = (0..200u8).map(|i| (100, i)).collect();
        let mut encoder = Encoder::new();
        encoder.rows(&symbols);
        let file = encoder.finish();
        let mut most = 0;
        for end in 0..file.len() - 4 {
            let mut coder = Coder::new(&file[..end]);
            let mut sure = 0;
            for &(row, symbol) in &symbols {
                let found = coder.byte(row);
                if !coder.is_sure() {
                    break;
                }
                assert_eq!(found, symbol, "symbol {sure} of {end} bytes");
                sure += 1;
            }
            // More bytes never tell less.
            assert!(sure >= most, "{sure} of {end} bytes");
            most = sure;
        }
        assert!(most > 190);
    }

    #[test]
    fn a_recording_is_known_by_its_first_packet() {
        assert!(is_qwz(&demo()[..64]));
        let mut connected = Encoder::new();
        connected.packet(b"\xFF\xFF\xFF\xFFj");
        connected.kind(3);
        assert!(is_qwz(&connected.finish()));
        for other in [&b""[..], b"-1\n", b"\x90\x90\x90\x90\x90\x90", &[0; 64], &[0xFF; 64]] {
            assert!(!is_qwz(other), "{other:?}");
        }
    }

    /// What it unpacks to, and what other servers present themselves with.
    #[test]
    fn what_was_unpacked_is_known_by_its_first_packet() {
        let (plain, _) = decode(&demo());
        assert!(is_unpacked(&plain[..64]) && !is_qwz(&plain[..64]));
        let extended = b"\0\0\x20\x41\x01\x2d\0\0\0\x01\0\0\0\x01\0\0\0\x0bFTEX\0\0\0\0";
        assert!(is_unpacked(extended));
        for other in [&demo()[..64], b"", b"-1\n", &[0; 64], &[0xFF; 64], &[1; 64]] {
            assert!(!is_unpacked(other), "{other:?}");
        }
    }

    #[test]
    fn references_to_nothing_are_told_at_the_end() {
        let mut e = Encoder::new();
        e.packet(&serverdata());
        // Three packets back there is none.
        e.kind(1);
        e.rows(&[(242, 1), (0, 3)]);
        e.packet(&head(3));
        e.kind(3);
        let (out, error) = decode(&e.finish());
        assert!(error.unwrap().contains("a packet refers to one that is not there"));
        // The block is there, with nothing in it.
        let first = 9 + serverdata().len();
        assert_eq!(out[first..first + 9], [0, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(out[first + 9 + 9..], head(3));
    }

    #[test]
    fn a_lone_player_far_ahead_is_the_end() {
        let mut e = Encoder::new();
        e.packet(&serverdata());
        e.kind(1);
        e.rows(&[(242, 2), (0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]);
        let (out, error) = decode(&e.finish());
        assert_eq!(error, None);
        assert_eq!(out[9 + serverdata().len()..], [0, 0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn impossible_messages_and_strings_are_damage() {
        for (message, what) in [(0x0B, "a message that no packet has"), (0x1A, "a string that Qizmo does not have")] {
            let mut e = Encoder::new();
            e.packet(&serverdata());
            e.kind(1);
            e.rows(&[(242, 1), (0, 0), (1, 0), (2, 0), (3, 0), (4, message)]);
            e.text(105, &[508, 0]);
            e.bytes(&[0; 40]);
            let (out, error) = decode(&e.finish());
            assert_eq!(out.len(), 9 + serverdata().len());
            assert!(error.as_ref().is_some_and(|e| e.contains(what)), "{error:?}");
        }
    }

    #[test]
    fn packets_have_an_end() {
        let mut e = Encoder::new();
        e.packet(&serverdata());
        e.kind(1);
        e.rows(&[(242, 1), (0, 0), (1, 0), (2, 0), (3, 0)]);
        (0..70_000).for_each(|_| e.rows(&[(4, 0x01)]));
        let (out, error) = decode(&e.finish());
        assert_eq!(out.len(), 9 + serverdata().len());
        assert!(error.is_some_and(|e| e.contains("a packet without end")));
    }

    #[test]
    fn what_does_not_begin_like_a_recording_gives_nothing() {
        let mut e = Encoder::new();
        (0..300).for_each(|_| {
            e.kind(0);
            e.rows(&[(224, 0), (225, 0), (241, 0)]);
        });
        e.packet(&serverdata());
        let (out, error) = decode(&e.finish());
        assert!(out.is_empty() && error.is_some_and(|e| e.contains("does not begin like a demo")));
    }
}
