//! A repair is done at once: there is nothing to repair in what it wrote.

use qdemo::Limits;
use qdemo::edit::repair::{Done, Found, repair};

use super::{all, blocks, repaired};
use crate::common::{Random, assert_sound, demo, rounds, serverinfo, testdata};

fn assert_done(bytes: &[u8], name: &str, what: &str) {
    let Ok((out, _)) = repair(|| Ok(bytes), name, Limits::default(), Vec::new()) else { return };
    assert_sound(&out, name);
    let again = repaired(&out, name).1;
    assert!(again.is_sound(), "{name}: {what}: {:?}", again.repairs.first());
}

/// Bytes up to a place, and those from another one on.
fn spliced(name: &str, to: usize, from: usize) -> Vec<u8> {
    let bytes = testdata(name);
    [&bytes[..to], &bytes[from..]].concat()
}

#[test]
fn recordings_that_were_put_together_wrongly_are_repaired_at_once() {
    for (name, to, from) in [
        // A beginning of a level within a block whose size is damaged.
        ("e0m1-666.dem", 201, 13_075),
        ("dm13-15.dem", 1_442, 20_816),
        ("q2-demo1.dm2", 774, 10_223),
        // Made behind a block that stands in front of it: the mark of the format is in front of that.
        ("q2pro-dm.mvd2", 2_721, 7_897),
        // The first time that is read is one of damage.
        ("dm13-15.dem", 0, 12_821),
        ("e0m1-666.dem", 12, 14_394),
        // Packets that were there before, behind one whose number is damaged.
        ("oa-dm2.dm_68", 2_385, 7_123),
    ] {
        assert_done(&spliced(name, to, from), name, &format!("{to}, {from}"));
    }
}

/// Whatever it is, bits, bytes, blocks that come again, blocks that are lost.
#[test]
fn whatever_the_damage_it_is_repaired_at_once() {
    let mut random = Random(0x2_71CE);
    for (name, bytes) in all() {
        let ranges = blocks(&bytes, name).ranges;
        for nth in 0..rounds(120) {
            let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
            let (block, next) = (random.below(ranges.len()), random.below(ranges.len()));
            let mut damaged = bytes.clone();
            match nth % 8 {
                0 => (0..30).for_each(|_| damaged[random.below(bytes.len())] ^= 1 << random.below(8)),
                1 => damaged = [&bytes[..at], &bytes[other..]].concat(),
                2 => drop(damaged.drain(..at)),
                3 => {
                    let more = random.bytes(300);
                    drop(damaged.splice(at..at, more));
                }
                4 => damaged = bytes[ranges[block].start..].to_vec(),
                5 => damaged = [&bytes[..ranges[block].end], &bytes[..]].concat(),
                6 => damaged = [&bytes[..ranges[block].start], &bytes[ranges[next].start..]].concat(),
                _ => {
                    let moved = bytes[ranges[block].clone()].to_vec();
                    drop(damaged.splice(ranges[next].start..ranges[next].start, moved));
                }
            }
            assert_done(&damaged, name, &format!("round {nth}"));
        }
    }
}

/// What tells players to begin has a number of its own in QuakeWorld; where none is left it comes into the next packet.
#[test]
fn what_tells_players_to_begin_takes_no_number_of_another_packet() {
    let name = "merge-a.qwd";
    let mut bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let at = bytes.windows(7).position(|text| text == b"\tskins\n").unwrap();
    bytes[at] = 0xFA;
    // Behind time, kind and size: the packet with that command has the number in front of that of the first frame.
    let number = |block: usize| ranges[block].start + 9;
    let first = u32::from_le_bytes(bytes[number(8)..][..4].try_into().unwrap());
    bytes[number(5)..][..4].copy_from_slice(&(first - 1).to_le_bytes());
    let (out, account) = repaired(&bytes, name);
    assert_eq!((account.count(Found::NoSignon), account.count(Found::Stale)), (1, 0), "{:?}", account.repairs);
    assert!(out.windows(6).any(|text| text == b"skins\n"));
    assert_done(&bytes, name, "no number is left");
    assert_eq!(account.account.blocks_made, 0, "{:?}", account.repairs);
}

/// Behind a block within which the file ends nothing can stand, no end either; where a protocol is told that is not decoded, too
/// (3504 is one of DarkPlaces). One that nobody has is damage: what stands in front of it is a recording.
#[test]
fn a_cut_block_of_a_protocol_that_is_not_decoded_gets_no_end() {
    let text = [b"\x08\x02", &b"hello"[..].repeat(60)[..], b"\n\0"].concat();
    let cut = |protocol| {
        let mut whole = demo("-1\n", &[&[text.clone(), serverinfo(15, &[]), serverinfo(protocol, &[])].concat()]);
        whole.truncate(whole.len() - 2);
        whole
    };
    let other = cut(3504);
    let e = repair(|| Ok(&other[..]), "x.dem", Limits::default(), Vec::new()).unwrap_err();
    assert!(e.to_string().contains("nothing of the recording can be kept"), "{e}");
    let (out, _) = repaired(&cut(77_777), "x.dem");
    assert_eq!(out, demo("-1\n", &[&[text.clone(), serverinfo(15, &[])].concat(), &[2]]));
}

/// Blocks that go on behind an end, whatever stands between: players would stop there.
#[test]
fn an_end_within_a_recording_is_none_whatever_stands_behind_it() {
    let name = "dm13-15.dem";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let at = ranges[100].start;
    let end = &bytes[ranges[ranges.len() - 1].clone()];
    for between in [vec![], vec![0x80; 72]] {
        let damaged = [&bytes[..at], end, &between, &bytes[at..]].concat();
        let (out, account) = repaired(&damaged, name);
        assert!(out == bytes, "{}: {:?}", between.len(), account.repairs);
        assert_eq!(account.count(Found::EndWithin), 1);
    }
}

/// The time of a made beginning is that of the first frame, also where a number of that size has few digits.
#[test]
fn a_made_beginning_is_not_later_than_the_first_frame() {
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    let times: Vec<_> = (0..12).map(|nth| frame(538.1258 + 0.0145 * nth as f32)).collect();
    let frames: Vec<&[u8]> = times.iter().map(|frame| &frame[..]).collect();
    let (_, account) = repaired(&demo("-1\n", &frames), "x.dem");
    assert_eq!(account.count(Found::NoBeginning), 1);
    assert_done(&demo("-1\n", &frames), "x.dem", "late");
}

/// The number of a block that is damaged itself does not tell which one is due in front of it.
#[test]
fn a_damaged_block_gives_no_number_to_the_one_in_front_of_it() {
    let name = "oa-dm2.dm_68";
    let mut bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let number = |bytes: &mut [u8], block: usize, number: i32| {
        bytes[ranges[block].start..][..4].copy_from_slice(&number.to_le_bytes());
    };
    // The beginning cannot be read, the number of the next block is far off, and in the one behind that all is wrong.
    bytes[ranges[0].start + 8..ranges[0].end].fill(0);
    number(&mut bytes, 1, 361_518_984);
    number(&mut bytes, 2, 19_458);
    bytes[ranges[2].start + 8..ranges[2].end].fill(0);
    let account = repaired(&bytes, name).1;
    let done = account.repairs.iter().find(|repair| repair.block == Some(1)).map(|repair| (repair.found, repair.done));
    assert_eq!(done, Some((Found::WrongNumber, Done::Dropped)), "{:?}", account.repairs);
    assert_done(&bytes, name, "two numbers are damaged");
}
