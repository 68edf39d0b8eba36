//! Clocks that leap: nothing is put in between.

use qdemo::edit::TimeMap;
use qdemo::text::{Options, compile_bytes, decompile_bytes};

use super::{clock, run, with_clock};
use crate::common::{assert_sound, testdata};

/// Engines make a second of a time without blocks, however long it is (id's `CL_GetDemoMessage`), and no client waits a minute for
/// its server (`cl_timeout`). So a clock that leaps by hours is a second that takes longer, and not hours without anything.
#[test]
fn a_recorders_clock_that_leaps_is_not_filled() {
    let recording = testdata("ez-dm.qwd");
    let middle = clock(&recording).len() / 2;
    let slow = TimeMap::speed(0.05, None).unwrap();
    let made = |gap: f32| {
        let bytes = with_clock(&recording, |n, clock| if n < middle { clock } else { clock + gap });
        let (out, account) = run(&bytes, "x.qwd", &slow).unwrap();
        assert_sound(&out, "x.qwd");
        let all = clock(&out);
        let longest = all.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max);
        let leaps = account.notes.iter().any(|note| note.contains("leaps by more than a minute"));
        (account.blocks_made, longest, all[all.len() - 1] - all[0], leaps)
    };
    let (before, _, length, _) = made(0.0);
    // What a client may have waited for: a block every half a second.
    let (blocks, longest, whole, leaps) = made(50.0);
    assert!((1990..=2010).contains(&(blocks - before)) && longest < 0.6 && !leaps, "{blocks} {before} {longest}");
    assert!((whole - length - 1000.0).abs() < 1.0, "{whole} {length}");
    // 20 s of such blocks for the second, and the clock tells all of the time.
    for gap in [70.0, 100_000.0] {
        let (blocks, longest, whole, leaps) = made(gap);
        assert!((30..=50).contains(&(blocks - before)) && leaps, "{gap}: {blocks} {before}");
        assert!(
            (longest - 20.0 * gap).abs() < 25.0 && (whole - length - 20.0 * gap).abs() < 2.0,
            "{gap}: {longest} {whole}"
        );
    }
}

/// A line of a decompiled recording with a clock of the server, by so many seconds later; `first` is the number of the first frame
/// of Quake II that is.
fn later(line: &str, seconds: f64, first: &mut Option<f64>) -> Option<String> {
    let (name, value) = line.trim().strip_suffix(';')?.split_once(' ')?;
    let value: f64 = value.trim_end_matches('s').parse().ok()?;
    match name {
        "time" => Some(format!("time {}s;\n", value + seconds)),
        // What a frame builds on may be one in front of them.
        "seq1" | "seq2" if value >= *first.get_or_insert(value) => {
            Some(format!("{name} {};\n", value + seconds * 10.0))
        }
        _ => None,
    }
}

/// The same of a server's clock, in Quake and in Quake II: see [`a_recorders_clock_that_leaps_is_not_filled`].
#[test]
fn a_servers_clock_that_leaps_is_not_filled() {
    let slow = TimeMap::speed(0.05, None).unwrap();
    for name in ["clip.dem", "q2-demo1.dm2"] {
        let text = decompile_bytes(&testdata(name), name, &Options::default()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let made = |gap: f64| {
            let (mut at, mut first) = (0, None);
            let lines = text.split_inclusive('\n').map(|line| {
                at += line.len();
                let behind = (at > text.len() / 2).then(|| later(line, gap, &mut first)).flatten();
                behind.unwrap_or_else(|| line.to_owned())
            });
            let bytes = compile_bytes(lines.collect::<String>().as_bytes(), name).unwrap();
            let (out, account) = run(&bytes, name, &slow).unwrap();
            assert_sound(&out, name);
            (account.blocks_made, account.notes.iter().any(|note| note.contains("leaps by more than a minute")))
        };
        let (before, leaps) = made(0.0);
        assert!(before > 0 && !leaps, "{name}: {before}");
        // As many frames as show 50 s at that speed.
        let (blocks, leaps) = made(50.0);
        assert!((9_900..=10_100).contains(&(blocks - before)) && !leaps, "{name}: {blocks} {before}");
        // Later times are told less exactly, so that a few frames more may come.
        for gap in [70.0, 1_000.0] {
            let (blocks, leaps) = made(gap);
            assert!(blocks < before + 50 && leaps, "{name}, {gap}: {blocks} {before}");
        }
    }
}
