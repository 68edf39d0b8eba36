//! Texts of LMPC 3.4.5: they compile to the recordings that they were made from, and our LMPC style is what it writes.

use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};

use crate::common::{OfLmpc, told_by_lmpc};
use crate::dm3::recordings::walk;

/// Texts of LMPC compile to the recording they were made from.
#[test]
fn texts_compile_to_the_original() {
    for format in ["dem", "qwd", "dm2"] {
        for OfLmpc { name, text, demo } in told_by_lmpc(format, format) {
            match compile_bytes(&text, &name) {
                Ok(back) => assert!(back == demo, "{name} differs"),
                Err(e) => panic!("{name}: {e}"),
            }
        }
    }
}

/// LMPC's text compiles to the recording, but for the bytes that it cannot hold. Facts 1.6: a block that ends with a
/// byte has one more byte of whatever was in memory. LMPC does not tell it; it becomes 0.
#[test]
fn texts_of_quake_3_compile_to_the_original_but_for_unwritten_bytes() {
    let (mut differ, mut whole) = (0, 0);
    for OfLmpc { name, text, demo } in told_by_lmpc("q3", "dm_68") {
        let back = compile_bytes(&text, &name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (ours, _) = walk(&back, 0);
        let (theirs, end) = walk(&demo, 0);
        assert_eq!(ours, theirs, "{name}: blocks");
        assert_eq!(back[end..], demo[end..], "{name}: the end");
        for (offset, size) in theirs {
            let payload = |demo: &[u8]| demo[offset as usize..offset as usize + 8 + size].to_vec();
            let (mut ours, mut theirs) = (payload(&back), payload(&demo));
            let (our_last, their_last) = (ours.pop().unwrap(), theirs.pop().unwrap());
            assert_eq!(ours, theirs, "{name}: the block at {offset}");
            // The code of the end of message, 10101, fills up the byte in front of the last one.
            let at_border = theirs.last().unwrap() >> 3 == 0b10101 && our_last == 0;
            assert!(our_last == their_last || at_border, "{name}: the last byte of the block at {offset}");
            differ += u64::from(our_last != their_last);
            whole += u64::from(at_border);
        }
    }
    // In every eighth block or so the bits end with a byte; not all have something else than 0 behind.
    assert!(whole == 0 || differ > 0 && differ <= whole, "{differ} of {whole}");
}

/// To the letter. Left out are the name of the source in the first
/// line and LMPC's question whether the player cheats.
#[test]
fn the_style_is_what_lmpc_writes_of_quake() {
    for OfLmpc { name, text, demo } in told_by_lmpc("dem", "dem") {
        let ours = decompile_bytes(&demo, "in.dem", &Options::with_style(Style::Lmpc)).unwrap();
        let theirs: Vec<u8> = text
            .split_inclusive(|&b| b == b'\n')
            .flat_map(|line| match line.windows(14).position(|w| w == b" do you cheat?") {
                Some(_) => {
                    let comment = line.windows(4).position(|w| w == b" // ").unwrap();
                    [&line[..comment], b"\n"].concat()
                }
                None => line.to_vec(),
            })
            .collect();
        if ours != theirs {
            let line = ours.split(|&b| b == b'\n').zip(theirs.split(|&b| b == b'\n')).position(|(a, b)| a != b);
            panic!("{name}: line {:?} differs", line.map(|n| n + 1));
        }
    }
}

/// `--style lmpc` writes what LMPC itself writes, but for the name of the source in line 1, and for the place of
/// `unknown_mask_bits` in `playerinfo`: LMPC has it in front of the player's slot, we have it behind.
#[test]
fn the_style_is_nearly_what_lmpc_writes_of_quakeworld() {
    let mut masks = 0;
    let all = told_by_lmpc("qwd", "qwd");
    let characters = |text: &[u8]| text.iter().map(|&b| char::from(b)).collect::<String>();
    for OfLmpc { name, text, demo } in &all {
        let theirs = characters(text);
        let ours = characters(&decompile_bytes(demo, "in.qwd", &Options::with_style(Style::Lmpc)).unwrap());
        let mut ours: Vec<_> = ours.split('\n').skip(1).collect();
        for n in 1..ours.len() {
            if ours[n].starts_with("  unknown_mask_bits") {
                assert!(ours[n - 1].starts_with("  player "), "{name}");
                ours.swap(n - 1, n);
                masks += 1;
            }
        }
        let theirs: Vec<_> = theirs.split('\n').skip(1).collect();
        let first = ours.iter().zip(&theirs).enumerate().find(|(_, (a, b))| a != b);
        assert!(ours == theirs, "{name}: {first:?}, {} and {} lines", ours.len(), theirs.len());
    }
    // way2ez2_01 has them: ZQuake's bit 11, jump held.
    assert!(masks > 0 || all.is_empty());
}

/// `--style lmpc` writes what LMPC itself writes, to the letter but for the name of the source in the first line.
#[test]
fn the_style_is_what_lmpc_writes_of_quake_3() {
    for OfLmpc { name, text, demo } in told_by_lmpc("q3", "dm_68") {
        let ours = decompile_bytes(&demo, &name, &Options::with_style(Style::Lmpc)).unwrap();
        let lines = |text: &[u8]| text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (ours, theirs) = (lines(&ours), lines(&text));
        let head = b"// source: DM3 binary file ";
        assert!(ours[0].starts_with(head) && theirs[0].starts_with(head), "{name}");
        let other = ours.iter().zip(&theirs).skip(1).position(|(a, b)| a != b);
        assert_eq!((other.map(|n| n + 2), ours.len()), (None, theirs.len()), "{name}: the line where it differs");
    }
}
