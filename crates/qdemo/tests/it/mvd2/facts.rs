//! What Q2PRO's source tells of the format, one fact a test.

use qdemo::detect::detect;
use qdemo::error::Moment;
use qdemo::replay::info::{Facts, info};
use qdemo::{FileKind, Limits, text::compile_bytes};

use super::build::*;

#[test]
fn every_command_of_every_minor_version_comes_back() {
    for version in VERSIONS {
        let demo = version.demo();
        let text = assert_exact(&demo);
        assert_eq!(text.contains("stats[63] 63;"), version.second(), "{version:?}");
        assert_eq!(text.contains("gunskin 5;"), version.extended(), "{version:?}");
        assert_eq!(detect(&demo, true, "x", Limits::default()).kind, FileKind::Mvd2);
    }
}

/// Bits 0 to 14, and 17 for fog: each brings its own field and no other.
#[test]
fn each_bit_of_a_players_mask_has_its_field() {
    for version in VERSIONS {
        let fields = version.player_fields();
        for (bit, _, shown) in &fields {
            let text = assert_exact(&with_frame(version, &[version.player(5, 1 << bit, false)], &[]));
            let player = text.split(" player {").nth(1).unwrap();
            for (other, _, name) in &fields {
                assert_eq!(player.contains(name), other == bit, "{version:?}, bit {bit}: {shown} {name}\n{player}");
            }
            assert!(!text.contains("mask_extra") && !text.contains("remove"), "{text}");
        }
    }
}

/// Bit 15 removes a player, up to where it announces a third byte; then bit 16 does. The fields stay.
#[test]
fn players_who_leave_keep_their_fields() {
    for version in VERSIONS {
        let text = assert_exact(&with_frame(version, &[version.player(5, 1, true)], &[]));
        assert!(text.contains("remove;\n   pm_type 4;"), "{text}");
        assert!(!text.contains("mask_extra"), "{text}");
    }
}

/// An id demo has nothing behind the number of a removed entity; here there may be fields.
#[test]
fn removed_entities_may_have_fields() {
    let version = VERSIONS[1];
    // U_REMOVE and U_ORIGIN1.
    let text = assert_exact(&with_frame(version, &[], &[vec![0x41, 9, 0x10, 0x00]]));
    assert!(text.contains("entity 9;\n   remove;\n   origin_x 2;"), "{text}");
}

/// Bits that say nothing: another byte of a mask that is 0, numbers on the status bar of which none is there.
#[test]
fn bits_in_vain_are_kept() {
    let version = Version { minor: 2013, flags: 12 };
    let entity = vec![0x80, 0x00, 9];
    let text = assert_exact(&with_frame(version, &[vec![5, 0x00, 0x80, 0x00]], &[entity]));
    assert_eq!(text.matches("mask_extra").count(), 2, "{text}");
    // The highest bit of the third byte has no meaning, and bit 15 announces the byte in vain.
    let text = assert_exact(&with_frame(version, &[vec![5, 0x00, 0x80, 0x80]], &[]));
    assert!(text.contains("mask_extra 0x808000;"), "{text}");
    let text = assert_exact(&with_frame(VERSIONS[0], &[vec![5, 0x00, 0x40, 0, 0, 0, 0]], &[]));
    assert!(text.contains("no_stats;"), "{text}");
    // A mask of variable length that is longer than needed.
    let text = assert_exact(&with_frame(version, &[vec![5, 0x00, 0x40, 0x80, 0x00]], &[]));
    assert!(text.contains("stats_spare_bytes 1;") && text.contains("no_stats;"), "{text}");
    // The entity 0 that ends a list, with a mask of two bytes.
    let end = [&[6, 0, 255][..], &[0x80, 0x00, 0]].concat();
    let text = assert_exact(&demo(&[version.serverdata(&version.scene(&[], &[])), end]));
    assert!(text.contains("end_mask 0x80;"), "{text}");
}

#[test]
fn what_a_level_says() {
    for version in VERSIONS {
        let demo = version.demo();
        let Facts::Mvd2(facts) = info(&demo[..], "x", Limits::default()).unwrap().facts else { panic!("Quake II") };
        let level = &facts.levels[0];
        assert_eq!(
            (level.map.as_str(), level.title.as_str(), level.gamedir.as_str()),
            ("rhangar1", "Lost Hall", "rogue")
        );
        assert_eq!((level.minor, level.flags, level.client), (version.minor, version.flags, -1));
        // The one in serverdata; two alone and two together.
        assert_eq!(level.frames, 5);
        let times = [level.first_time, level.last_time];
        assert_eq!(times, [0, 400].map(|ms| Some(Moment::Milliseconds(ms))));
        let all = qdemo::replay::timeline::timeline(&demo[..], "x", Limits::default()).unwrap();
        assert_eq!([all.spans[0].from.now, all.spans[0].to.now], times, "the timeline says the same");
        assert_eq!((facts.players[0].name().as_str(), facts.players[0].skin.as_str()), ("claire", "female/athena"));
        assert_eq!((facts.dialect.protocol, facts.ends_cleanly, facts.unknown_bytes), (37, true, 0));
    }
}

/// Minor versions before and behind those that are known are named, and kept as bytes.
#[test]
fn other_minor_versions_stay_bytes() {
    for minor in [2008, 2014] {
        let version = Version { minor, flags: 0 };
        let demo = demo(&[version.serverdata(&version.scene(&[], &[])), vec![1]]);
        let report = report(&demo);
        assert_eq!((report.detected.kind, report.different), (FileKind::Mvd2, 0));
        assert!(report.uncovered > 0 && !report.faults.is_empty());
        crate::common::assert_survives(&demo, "x.mvd2");
    }
    // The second extended limits need the first.
    let version = Version { minor: 2012, flags: 8 };
    let demo = demo(&[version.serverdata(&version.scene(&[], &[]))]);
    assert!(report(&demo).uncovered > 0);
    crate::common::assert_survives(&demo, "x.mvd2");
}

#[test]
fn a_missing_mark_and_an_empty_demo_come_back() {
    let demo = VERSIONS[1].demo();
    let report = report(&demo[4..]);
    assert_eq!((report.detected.kind, report.uncovered, report.different), (FileKind::Mvd2, 0, 0));
    crate::common::assert_survives(&demo[4..], "x.mvd2");
    for bytes in
        [&b"MVD2"[..], b"MVD2\0", b"MVD2\0\0", b"MVD2\0\0\0\0", b"MVD2\0\0x", b"MVD2\x01\0\x01MVD2\x01\0\x01\0\0"]
    {
        assert_eq!(detect(bytes, true, "x", Limits::default()).kind, FileKind::Mvd2);
        assert_eq!(super::build::report(bytes).different, 0);
        crate::common::assert_survives(bytes, "x.mvd2");
    }
}

#[test]
fn mistakes_in_texts_are_told() {
    for (text, word) in [
        ("mvd2; endblock; block { }", "end mark"),
        ("mvd2; block { multicast { nop; } }", "all, phs or pvs"),
        ("mvd2; block { unicast { client 1; mvdnothing; } }", "mvdnothing"),
        ("mvd2; block { dance; }", "dance"),
        ("mvd2; block { frame { portals; player { slot 255; } } }", "255"),
        ("mvd2; sblock { }", "sblock"),
    ] {
        let mistake = compile_bytes(text.as_bytes(), "t").unwrap_err().to_string();
        assert!(mistake.contains(word), "{text}: {mistake}");
    }
    // Right behind the mark an empty block is all of an empty demo.
    assert_eq!(compile_bytes(b"mvd2; block { }", "t").unwrap(), b"MVD2\0\0");
}
