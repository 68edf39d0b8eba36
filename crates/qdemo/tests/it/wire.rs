//! The wire layer.

use qdemo::wire::ByteReader;

/// Readers agree with their writers at the edges.
#[test]
fn numbers_are_little_endian() {
    let mut r = ByteReader::new(&[0xFF, 0x7F, 0x00, 0x80]);
    assert_eq!((r.i16().unwrap(), r.i16().unwrap()), (i16::MAX, i16::MIN));
}
