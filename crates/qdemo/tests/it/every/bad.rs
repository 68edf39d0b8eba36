//! Every kind of error in a recording has a tiny file in `testdata/bad`, and says what, where, and what to do.

use qdemo::error::Moment;
use qdemo::replay::info;
use qdemo::text::{Options, decompile};
use qdemo::verify::verify;
use qdemo::{Error, Faults, Limits};

use crate::common::{assert_survives, bad, report};

/// A file, and where and what its first fault is.
struct Case {
    file: &'static str,
    what: &'static str,
    offset: u64,
    block: Option<u64>,
    message: Option<&'static str>,
    field: Option<&'static str>,
    after: Option<&'static [&'static str]>,
    time: Option<Moment>,
}

fn case(file: &'static str, what: &'static str, offset: u64) -> Case {
    Case { file, what, offset, block: None, message: None, field: None, after: None, time: None }
}

impl Case {
    fn block(self, block: u64) -> Self {
        Case { block: Some(block), ..self }
    }

    fn message(self, message: &'static str) -> Self {
        Case { message: Some(message), ..self }
    }

    fn field(self, message: &'static str, field: &'static str) -> Self {
        Case { field: Some(field), ..self.message(message) }
    }

    /// Behind these messages, in a block of that time.
    fn after(self, after: &'static [&'static str], time: Moment) -> Self {
        Case { after: Some(after), time: Some(time), ..self }
    }

    fn check(self) {
        let error = first_fault(self.file);
        let (place, line) = (&error.place, error.to_string());
        assert_eq!(error.kind.to_string(), self.what, "{}", self.file);
        assert_eq!((place.offset, place.block), (Some(self.offset), self.block), "{line}");
        assert_eq!((place.message, place.field), (self.message, self.field), "{line}");
        assert_eq!(place.file.as_deref(), Some(self.file), "{line}");
        assert!(self.after.is_none_or(|after| place.after == after), "{line}: {:?}", place.after);
        assert!(self.time.is_none() || place.time == self.time, "{line}: {:?}", place.time);
        assert!(line.contains("; ") && !line.contains('\n'), "one line with advice: {line}");
    }
}

/// The first fault that verifying a damaged recording reports. Facts and text report the same one.
fn first_fault(name: &str) -> Error {
    let demo = bad(name);
    let report = report(&demo, name);
    assert!(!report.is_sound(), "{name} passes");
    assert_eq!(report.different, 0, "{name} is not written back as it was");
    assert_survives(&demo, name);
    let first = |faults: Faults| faults.into_vec().into_iter().next().unwrap_or_else(|| panic!("{name}: no fault"));
    let fault = first(report.faults);
    let told = first(info::info(&demo[..], name, Limits::default()).unwrap().faults);
    assert_eq!(told.to_string(), fault.to_string(), "facts of {name}");
    let text = decompile(&demo[..], name, std::io::sink(), &Options::default()).unwrap();
    assert_eq!(first(text.faults).to_string(), fault.to_string(), "text of {name}");
    fault
}

/// Offsets are counted by hand: "-1\n" is 3 bytes, the first block 16 + 58, a block header 16, a time message 5.
#[test]
fn of_quake() {
    const SECOND: u64 = 3 + 16 + 58;
    const AFTER_TIME: u64 = SECOND + 16 + 5;
    let cases = [
        case("truncated.dem", "truncated: 2 more bytes needed, 1 left", AFTER_TIME + 3)
            .block(1)
            .field("sound", "source"),
        case("cut_block.dem", "truncated: 200 more bytes needed, 8 left", SECOND).block(1),
        case("cut_header.dem", "truncated: 16 more bytes needed, 6 left", AFTER_TIME),
        // Behind a time and a setview.
        case("unknown_message.dem", "unknown message 0x3B", AFTER_TIME + 3)
            .block(1)
            .after(&["time", "setview"], Moment::Seconds(1.5)),
        case("malformed.dem", "malformed: unknown type of temporary entity", AFTER_TIME)
            .block(1)
            .message("temp_entity"),
        case("unsupported.dem", "protocol 3504 (DarkPlaces 7) is not decoded", 3 + 16).block(0).message("serverinfo"),
        case("negative_size.dem", "malformed: negative block size", SECOND),
        case("huge_block.dem", "block size 2147483647 exceeds the limit of 1048576", SECOND),
        case(
            "half_life.dem",
            "no demo that qdemo knows: this is a recording of Half-Life (HLDEMO, protocol 5, network protocol 48), not of the Quake family that qdemo reads",
            0,
        ),
    ];
    cases.into_iter().for_each(Case::check);
}

/// Counted by hand. `serverdata`: id 1, protocol 4, server count 4, "qw" 3, slot 1, "x" 2, ten floats 40. A packet has
/// 9 bytes of header and 8 of numbers; a record has 6, and 4 more with a mask.
#[test]
fn of_quakeworld() {
    const QWD: u64 = 9 + 8 + 55;
    // The time of the server takes 4 bytes where the slot takes 1.
    const MVD: u64 = 6 + 58;
    let cases = [
        case("cut_block.qwd", "truncated: 200 more bytes needed, 20 left", QWD).block(1),
        case("cut_header.qwd", "truncated: 5 more bytes needed, 3 left", QWD),
        case("wrong_kind.qwd", "malformed: a block is of kind 0, 1 or 2", QWD),
        case("huge_size.qwd", "block size 2147483647 exceeds the limit of 1048576", QWD),
        case("negative_size.qwd", "malformed: negative block size", QWD),
        // Behind a nop and a setpause of two bytes.
        case("unknown_message.qwd", "unknown message 0x64", QWD + 17 + 3)
            .block(1)
            .after(&["nop", "setpause"], Moment::Seconds(1.5)),
        case("truncated.qwd", "truncated: 4 more bytes needed, 1 left", QWD + 17 + 1)
            .block(1)
            .field("updatestatlong", "value"),
        case("temp_entity.qwd", "malformed: unknown type of temporary entity", QWD + 17)
            .block(1)
            .message("temp_entity"),
        case("short_packet.qwd", "truncated: 8 more bytes needed, 3 left", QWD + 9).block(1),
        case("no_protocol.qwd", "malformed: no protocol of QuakeWorld", 17).block(0).message("serverdata"),
        case("cut_record.mvd", "truncated: 200 more bytes needed, 12 left", MVD).block(1),
        case("cut_header.mvd", "truncated: 2 more bytes needed, 1 left", MVD),
        case("wrong_kind.mvd", "malformed: a record is of kind 0 to 6", MVD),
        case("huge_size.mvd", "block size 2147483647 exceeds the limit of 1048576", MVD),
        case("unknown_message.mvd", "unknown message 0x64", MVD + 6 + 3)
            .block(1)
            .after(&["nop", "setpause"], Moment::Milliseconds(0)),
        // An extension word of 8 bytes in serverdata; a whole message of 6 + 8 bytes in front of the bad one.
        case("hidden.mvd", "malformed: no hidden message", MVD + 8 + 10 + 14).block(1),
    ];
    cases.into_iter().for_each(Case::check);
}

/// Counted by hand: the first block of a `.dm_68` has 8 + 21 bytes, the second 8 + 8 and a snapshot of 1500, so the third
/// begins at 45, its messages at 53; four codes of 0, two bits each, are the number of the last client command. Where the
/// third one has a snapshot of 1600 that is damaged, the fault lies then.
/// In the `.dm_48` the blocks have 8 + 26 and 8 + 20 bytes, and that number has four bytes: 34 + 28 + 8 + 4.
#[test]
fn of_quake_3() {
    const THIRD: u64 = 8 + 21 + 8 + 8;
    const MESSAGE: u64 = THIRD + 8 + 1;
    const TIME: Moment = Moment::Milliseconds(1500);
    const SNAPSHOT: Moment = Moment::Milliseconds(1600);
    let in_third = |file, what| case(file, what, MESSAGE).block(2).after(&[], TIME);
    let of_third = |file, what| case(file, what, THIRD).after(&[], TIME);
    let cases = [
        in_third("cut_block.dm_68", "truncated: 1 more bytes needed, 0 left").field("serverCommand", "value"),
        of_third("cut_header.dm_68", "truncated: 8 more bytes needed, 5 left"),
        of_third("negative_size.dm_68", "malformed: negative block size"),
        of_third("huge_block.dm_68", "block size 2147483647 exceeds the limit of 1048576"),
        // Behind a nop, whose code has five bits.
        in_third("unknown_message.dm_68", "unknown message 0x0B").after(&["nop"], TIME),
        in_third("too_many_fields.dm_68", "malformed: a state with more fields than this protocol has")
            .field("snapshot", "player")
            .after(&[], SNAPSHOT),
        in_third("long_areamask.dm_68", "malformed: an area mask of more than the 32 bytes that engines accept")
            .field("snapshot", "areamask")
            .after(&[], SNAPSHOT),
        in_third("out_of_step.dm_68", "malformed: a Huffman code that no engine writes: the stream is out of step")
            .field("serverCommand", "value"),
        // Eight nops of five bits end with a byte.
        case("no_end.dm_68", "malformed: the block has no end of message", MESSAGE + 5)
            .block(2)
            .after(&["nop", "nop", "nop"], TIME),
        case("fill_bits.dm_48", "malformed: bits are set that fill up a byte", 8 + 26 + 8 + 20 + 8 + 4)
            .block(2)
            .message("snapshot")
            .after(&[], TIME),
    ];
    cases.into_iter().for_each(Case::check);
}

/// An empty file is no demo, and no error either: it has nothing to lose.
#[test]
fn an_empty_file_is_unknown() {
    let report = verify(&b""[..], "empty.dem", Limits::default()).unwrap();
    assert_eq!((report.bytes, report.blocks), (0, 0));
}
