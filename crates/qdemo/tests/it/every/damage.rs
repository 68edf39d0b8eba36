//! Damaged and cut files: nothing panics, nothing is lost, and what is whole is read.

use proptest::prelude::*;
use qdemo::error::ErrorKind;
use qdemo::replay::{self, Position, info};
use qdemo::text::{self, Options, compile_bytes, decompile_bytes};
use qdemo::world::DemoTime;
use qdemo::{Faults, Limits, Reader, verify};

use super::{Samples, for_every_format};
use crate::common::{Random, assert_survives, assert_written_back, cases, comes_back, places, report, rounds};

for_every_format!(
    the_short_recordings_have_much_in_them,
    a_cut_keeps_what_stands_before_it,
    what_came_before_an_error_is_given_first,
    a_flipped_bit_loses_nothing,
    reading_goes_on_behind_a_damaged_header,
    a_byte_more_or_less_costs_a_few_blocks,
    mutations_neither_panic_nor_lose_anything,
    any_bytes_come_back,
    a_cut_file_is_never_faultless,
    faults_have_a_time,
    all_readers_count_the_same_faults,
);

/// If they had not, the tests below would test little.
fn the_short_recordings_have_much_in_them<F: Samples>() {
    let all = F::short();
    for demo in &all {
        let report = report(demo, F::FILE);
        assert!(report.detected.kind == F::KIND && report.uncovered * 20 < report.bytes, "{:?}", report.faults);
        assert!((200..13_000).contains(&demo.len()), "{}", demo.len());
    }
    assert!(all.iter().map(|demo| F::messages(demo).len()).max() > Some(15));
}

/// Where a connection breaks, all chunks come that were read in full, then the error with its place, and not half a block; and all
/// that happened in them.
fn what_came_before_an_error_is_given_first<F: Samples>() {
    struct Breaks<'b>(&'b [u8]);
    impl std::io::Read for Breaks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer) {
                Ok(0) => Err(std::io::ErrorKind::ConnectionReset.into()),
                read => read,
            }
        }
    }
    let bytes = F::shipped();
    let part = &bytes[..bytes.len() * 2 / 3];
    let (mut broken, mut cut) = (Reader::new(Breaks(part), "broken", Limits::default()).unwrap(), 0);
    let error = loop {
        match broken.next_chunk() {
            Ok(chunk) => cut += usize::from(chunk.is_some()),
            Err(error) => break error,
        }
    };
    let ErrorKind::Io(io) = &error.kind else { panic!("{error}") };
    assert_eq!(io.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!((error.place.file.as_deref(), error.place.offset), (Some("broken"), Some(part.len() as u64)));
    let whole = &part[..broken.offset() as usize];
    let (mut reader, mut chunks) = (Reader::new(part, F::FILE, Limits::default()).unwrap(), 0);
    while reader.next_chunk().unwrap().is_some() {
        chunks += usize::from(reader.offset() <= whole.len() as u64);
    }
    assert!(cut == chunks && cut > 20, "{cut} of {chunks}");
    let count = |input: &mut dyn std::io::Read| {
        let mut all = 0;
        let done = replay::events(input, F::FILE, Limits::default(), &mut |_| {
            all += 1;
            Ok(())
        });
        (all, done)
    };
    let ((told, read), (expected, done)) = (count(&mut Breaks(part)), count(&mut &whole[..]));
    assert!(done.is_ok() && matches!(read.unwrap_err().kind, ErrorKind::Io(_)));
    assert_eq!(told, expected);
}

/// Cut at any offset, a recording still gives every message that stands before the cut, and all of its bytes.
fn a_cut_keeps_what_stands_before_it<F: Samples>() {
    for demo in F::short() {
        let whole = F::messages(&demo);
        let ends_cleanly = report(&demo, F::FILE).ends_cleanly;
        for cut in places(demo.len()) {
            let (left, cut) = (&demo[..cut], cut as u64);
            let expected = &whole[..whole.partition_point(|(end, _)| *end <= cut)];
            let mut found = 0;
            F::each_message(left, &mut |end, message| {
                if let Some((place, text)) = expected.get(found) {
                    assert_eq!(end, *place, "cut at {cut}");
                    // Far from the cut nothing differs from the round before.
                    let near = end + 300 >= cut;
                    assert!(!near || format!("{message:?}") == *text, "cut at {cut}: {message:?}");
                }
                found += 1;
            });
            assert!(found >= expected.len(), "cut at {cut}: {found} messages");
            let report = assert_written_back(left, F::FILE);
            assert!(!(report.ends_cleanly && ends_cleanly), "cut at {cut}");
        }
        let step = (demo.len() / 125).clamp(1, 97);
        for cut in places(demo.len()).step_by(step).chain(places(64)) {
            assert_survives(&demo[..cut], F::FILE);
        }
    }
}

fn a_flipped_bit_loses_nothing<F: Samples>() {
    for mut demo in F::short() {
        let step = (demo.len() / 125).max(1);
        for (n, at) in places(demo.len()).enumerate() {
            demo[at] ^= 1 << (at % 8);
            assert_written_back(&demo, F::FILE);
            if n % step == 0 {
                assert_survives(&demo, F::FILE);
            }
            demo[at] ^= 1 << (at % 8);
        }
    }
}

/// Random damage, many times: no panic, and the same bytes back.
fn mutations_neither_panic_nor_lose_anything<F: Samples>() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut part = F::parts();
    for round in 0..rounds(F::ROUNDS) {
        let (mut damaged, name) = part(round, &mut random);
        random.damage(&mut damaged);
        if random.below(6) == 0 {
            // The head is where it stands how all of the rest is to be read.
            let at = random.below(damaged.len().min(24));
            damaged[at] = random.next() as u8;
        }
        assert_written_back(&damaged, name);
        let text = decompile_bytes(&damaged, name, &Options::default()).unwrap();
        let back = compile_bytes(&text, "t").unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(back == damaged, "round {round}");
        if round % 16 == 0 {
            assert_survives(&damaged, name);
        }
    }
}

/// Any bytes at all, and the same behind what a file of the format begins with.
fn any_bytes_come_back<F: Samples>() {
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    proptest!(cases(4_000), |(bytes in bytes)| {
        comes_back(&bytes, F::FILE);
        comes_back(&F::begun(&bytes), F::FILE);
    });
}

/// Behind a damaged header blocks are found again: all of the game that follows, but for three blocks at most.
fn reading_goes_on_behind_a_damaged_header<F: Samples>() {
    let whole = F::shipped();
    let (borders, messages) = (borders(&whole, F::FILE), F::messages(&whole));
    for part in [3, 2] {
        let at = borders.len() / part;
        let (header, behind) = (borders[at] as usize, borders[at + 4]);
        let mut damaged = whole.clone();
        damaged[header..header + F::HEADER].fill(0x77);
        let found = F::messages(&damaged);
        let before = messages.partition_point(|(end, _)| *end <= header as u64);
        assert!(found.get(..before) == Some(&messages[..before]), "part {part}");
        let from = |all: &[(u64, String)]| all.partition_point(|(end, _)| *end <= behind);
        assert!(found[from(&found)..] == messages[from(&messages)..], "part {part}");
        assert!(found[before..from(&found)].iter().all(|m| messages.contains(m)), "part {part}: more than there is");
        assert!(!comes_back(&damaged, F::FILE).is_sound());
    }
}

/// With a byte too much or too few in a block all others are found, but for a few around it: on average no more than one,
/// although the header behind it is read one byte off, as a size that is 256 times too large or too small.
fn a_byte_more_or_less_costs_a_few_blocks<F: Samples>() {
    const PLACES: usize = 150;
    let (demo, name) = (F::shipped(), F::SHIPPED);
    let whole = borders(&demo, name);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for more in [true, false] {
        let mut lost = 0;
        for _ in 0..PLACES {
            let at = random.below(demo.len());
            let mut damaged = demo.clone();
            if more {
                damaged.insert(at, random.next() as u8);
            } else {
                damaged.remove(at);
            }
            let found = borders(&damaged, name);
            // Both ends of a block have to be found.
            let is_there = |block: &&[u64]| {
                let moved = |border: u64| if more { border + 1 } else { border - 1 };
                let there = |border: u64| found.binary_search(&border).is_ok();
                match block {
                    [start, end] if *end <= at as u64 => there(*start) && there(*end),
                    [start, end] if *start > at as u64 => there(moved(*start)) && there(moved(*end)),
                    _ => true,
                }
            };
            lost += whole.windows(2).filter(|block| !is_there(block)).count();
        }
        assert!(lost <= PLACES, "{name}, a byte more: {more}: {lost} blocks are lost by {PLACES} bytes");
    }
}

/// What everything that reads a whole recording says is wrong with it.
fn faults(demo: &[u8], name: &str) -> [(&'static str, Faults); 6] {
    let limits = Limits::default();
    let options = text::Options::default();
    let state = |place| replay::at(demo, name, limits, place).map_or_else(|_| not_a_demo(), |(.., faults)| faults);
    [
        ("verify", verify::verify(demo, name, limits).unwrap().faults),
        ("text", text::decompile(demo, name, std::io::sink(), &options).unwrap().faults),
        ("info", info::info(demo, name, limits).unwrap().faults),
        ("events", replay::events(demo, name, limits, &mut |_| Ok(())).unwrap_or_else(|_| not_a_demo())),
        ("state", state(None)),
        ("state at the beginning", state(Some(Position::Demo(DemoTime(0))))),
    ]
}

/// The faults of a file that is refused, because nothing in it shows what it is.
fn not_a_demo() -> Faults {
    verify::verify(&b"?"[..], "x", Limits::default()).unwrap().faults
}

/// Where chunks begin.
fn borders(demo: &[u8], name: &str) -> Vec<u64> {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut all = Vec::new();
    while chunks.next_chunk().unwrap().is_some() {
        all.push(chunks.offset());
    }
    all
}

/// Cut within a block, every reader finds a fault: also where the cut falls between two messages.
fn a_cut_file_is_never_faultless<F: Samples>() {
    let (demo, name) = (F::shipped(), F::SHIPPED);
    let (borders, mut within) = (borders(&demo, name), 0);
    // Every offset at the beginning and in one stretch further on: some fall between messages.
    let (first, middle) = (1..1_500, demo.len() / 2..demo.len() / 2 + 1_000);
    for cut in places(demo.len()).filter(|cut| first.contains(cut) || middle.contains(cut)) {
        if borders.binary_search(&(cut as u64)).is_ok() {
            continue;
        }
        within += 1;
        for (reader, faults) in faults(&demo[..cut], name) {
            assert!(!faults.is_empty(), "{name} cut at {cut}: {reader} finds no fault");
        }
    }
    assert!(within * 25 > places(2_500).count() * 20, "{name}: {within} cuts are within blocks");
}

/// A fault is told with the time of the game: that of the block or of the last frame before it.
fn faults_have_a_time<F: Samples>() {
    let (demo, name) = (F::shipped(), F::SHIPPED);
    let borders = borders(&demo, name);
    let border = borders[borders.len() * 3 / 4];
    // Three bytes more: no block is as short.
    for (reader, faults) in faults(&demo[..border as usize + 3], name) {
        let fault = faults.iter().next().unwrap();
        assert!(fault.place.time.is_some(), "{name}: {reader} tells no time: {fault}");
    }
}

/// What is wrong with a file is counted alike, whoever counts it: also what stands behind the end of the recording.
fn all_readers_count_the_same_faults<F: Samples>() {
    let (demo, name) = (F::shipped(), F::SHIPPED);
    let behind = demo.repeat(2);
    for demo in [&demo[..], &behind, &behind[..behind.len() - 40]] {
        let places = |faults: Faults| -> Vec<_> {
            let place = |fault: &qdemo::Error| (fault.place.offset, fault.kind.to_string());
            faults.iter().map(place).collect()
        };
        let [verify, others @ ..] = faults(demo, name).map(|(reader, faults)| (reader, places(faults)));
        for (reader, told) in others {
            assert_eq!(told, verify.1, "{name} of {} bytes: {reader}", demo.len());
        }
    }
    // A `.dem` goes on behind a disconnect, and the `.qwd` was not stopped: neither has an end in the middle.
    let tells = !matches!(F::NAME, "dem" | "qwd");
    let told = faults(&behind, name).map(|(_, faults)| faults.iter().any(|f| f.to_string().contains("blocks behind")));
    assert_eq!(told, [tells; 6], "{name}");
}
