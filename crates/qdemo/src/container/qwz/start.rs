//! Tells a `.qwz` by its first bytes.
//!
//! There is no magic number. But the first block of a recording is a packet that Qizmo cannot compress, and that is
//! known well: the server presents itself, or answers the request to connect. Chance does not decode to that.

use super::coder::Coder;
use super::packet::BYTES;

/// The part of a packet that is looked at.
const HEAD: usize = 13;

/// `svc_serverdata`.
const SERVERDATA: u8 = 0x0B;

/// True for the first bytes of a `.qwz`; 64 are enough.
pub(in super::super) fn is_qwz(prefix: &[u8]) -> bool {
    let mut coder = Coder::new(prefix);
    // A packet, uncompressed.
    if coder.kind() != 1 || coder.byte(242) != 0 {
        return false;
    }
    let length = u16::from_le_bytes([coder.byte(BYTES), coder.byte(BYTES)]);
    let head: Vec<u8> = (0..length).take(HEAD).map(|_| coder.byte(BYTES)).collect();
    coder.is_sure() && may_begin(&head)
}

/// True for the first bytes of a `.qwd`, which is what a `.qwz` unpacks to: a time, the number of a packet, its size, and one
/// that a recording can begin with. Extensions stand in front of the protocol (FTE's `protocol.h`).
pub(in super::super) fn is_unpacked(prefix: &[u8]) -> bool {
    let [_, _, _, _, 1, a, b, c, d, packet @ ..] = prefix else { return false };
    let extended = matches!(
        packet,
        [_, _, _, _, _, _, _, _, SERVERDATA, b'F', b'T', b'E', b'X' | b'2', ..]
            | [_, _, _, _, _, _, _, _, SERVERDATA, b'M', b'V', b'D', b'1', ..]
    );
    u32::from_le_bytes([*a, *b, *c, *d]) >= 5 && (extended || may_begin(packet))
}

/// True for a packet that a recording can begin with: `svc_serverdata` of a protocol of QuakeWorld's, or one without a
/// connection. Of the latter those that a server sends are: challenge, connection, ping, acknowledgements, print.
pub(super) fn may_begin(packet: &[u8]) -> bool {
    matches!(
        packet,
        [0xFF, 0xFF, 0xFF, 0xFF, b'c' | b'j' | b'k' | b'l' | b'm' | b'n', ..]
            | [_, _, _, _, _, _, _, _, SERVERDATA, 24..=28, 0, 0, 0, ..]
    )
}
