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

/// True for a packet that a recording can begin with: `svc_serverdata` of a protocol of QuakeWorld's, or one without a
/// connection. Of the latter those that a server sends are: challenge, connection, ping, acknowledgements, print.
pub(super) fn may_begin(packet: &[u8]) -> bool {
    matches!(
        packet,
        [0xFF, 0xFF, 0xFF, 0xFF, b'c' | b'j' | b'k' | b'l' | b'm' | b'n', ..]
            | [_, _, _, _, _, _, _, _, SERVERDATA, 24..=28, 0, 0, 0, ..]
    )
}
