//! The wire layer.

use qdemo::wire::{
    BitReader, ByteReader, Coding, Coord, CoordKind, StrList, info_value, set_info_value, with_info_value,
};

/// Readers agree with their writers at the edges.
#[test]
fn numbers_are_little_endian() {
    let mut r = ByteReader::new(&[0xFF, 0x7F, 0x00, 0x80]);
    assert_eq!((r.i16().unwrap(), r.i16().unwrap()), (i16::MAX, i16::MIN));
}

/// Coordinates of protocol 999 with 24BITCOORD are whole units and 255ths: from 5 254/255 on, 6 is next.
#[test]
fn the_nearest_255th_may_be_the_next_whole() {
    assert_eq!(Coord::from_f64(5.999, CoordKind::I24), Some(Coord::I24(6, 0)));
    assert_eq!(Coord::from_f64(-0.001, CoordKind::I24), Some(Coord::I24(0, 0)));
    assert_eq!(Coord::from_f64(32_767.999, CoordKind::I24), None);
}

/// Precache lists end with an empty string, so neither it nor a NUL can stand within one.
#[test]
fn lists_of_strings_end_where_the_wire_would_end_them() {
    let list = StrList::from_strings([b"*1".as_slice(), b"", b"*2"]);
    assert!(list.iter().eq([b"*1"]));
    let list = StrList::from_strings([b"*1".as_slice(), b"a\0b", b"*2"]);
    assert!(list.iter().eq([b"*1"]));
}

/// Messages of protocols without Huffman codes begin at a byte border; what fills a byte up to it is zero in what
/// engines write. A fault is told at the byte where the bit is.
#[test]
fn bits_that_fill_up_a_byte_are_zero() {
    let mut r = BitReader::new(&[0xFF, 0x07, 0xAA], Coding::Plain);
    r.skip(11);
    r.align().unwrap();
    assert_eq!(r.pos(), 16);
    r.align().unwrap();
    assert_eq!(r.pos(), 16);
    let mut r = BitReader::new(&[0xFF, 0x0F], Coding::Plain);
    r.skip(11);
    assert_eq!(r.align().unwrap_err().at, 1);
}

#[test]
fn bits_are_passed_over_up_to_the_end() {
    let mut r = BitReader::new(&[1, 2, 3], Coding::Plain);
    r.skip(8);
    r.skip(usize::MAX);
    assert_eq!((r.pos(), r.remaining()), (24, 0));
}

/// Engines look for a key whatever its case (`Info_ValueForKey` of Quake III), and set it with regard to it
/// (`Info_RemoveKey` of Quake III and of QuakeWorld).
#[test]
fn keys_of_info_strings_and_their_case() {
    let mut info = br"\name\a".to_vec();
    set_info_value(&mut info, b"Name", b"b");
    assert_eq!(info, br"\name\a\Name\b");
    assert_eq!(info_value(&info, "NAME"), Some(&b"a"[..]));
    assert_eq!(with_info_value(&info, "NAME", b"c").as_deref(), Some(&br"\name\c\Name\b"[..]));
    set_info_value(&mut info, b"name", b"");
    assert_eq!(info, br"\Name\b");
}
