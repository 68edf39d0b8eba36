//! Demos in gz and pak, in folders, by patterns; `unpack`.

use super::support::{Place, clip, gzip, pak};

/// A PAK of two demos and something else, and the same one inside another PAK.
fn place() -> Place {
    let place = Place::new();
    let inner = pak(&[("demo1.dem", &clip()), ("demos/cut.dem", &clip()[..5000]), ("quake.rc", b"exec default.cfg\n")]);
    place.write("pak0.pak", &inner);
    place.write("outer.pak", &pak(&[("readme.txt", b"read me"), ("id1/pak0.pak", &inner)]));
    place
}

#[test]
fn gzip_is_transparent() {
    let place = Place::new();
    place.write("demo1.dem.gz", &gzip(&clip()));
    place.run(&["info", "demo1.dem.gz"]).ends(0).shows("Container:     gzip").shows("Episode Select");
    place.run(&["verify", "demo1.dem.gz"]).ends(0).shows("87295 bytes covered");
    let done = place.run_with(&["verify", "-"], &gzip(&clip())).ends(0);
    assert_eq!(done.text(), "exact  -: 1104 blocks, 9344 messages, 87295 bytes covered\n");
}

#[test]
fn info_lists_an_archive() {
    let place = place();
    let done = place.run(&["info", "pak0.pak"]).ends(0).in_silence();
    let lines: Vec<_> = done.text().lines().collect();
    assert_eq!(lines[0], "pak0.pak: pak, 3 files, 2 demos");
    assert!(lines[3].ends_with("demo  demos/cut.dem"), "{}", lines[3]);
    let done = place.run(&["info", "--json", "outer.pak:pak0.pak"]).ends(0).in_silence();
    let listing = &done.objects()[0];
    assert_eq!(listing["entries"][1]["name"], "demos/cut.dem");
    assert_eq!(listing["entries"][1]["bytes"], 5000);
}

#[test]
fn members_are_named_behind_a_colon() {
    let place = place();
    place.run(&["verify", "pak0.pak:demo1.dem"]).ends(0).shows("exact  pak0.pak:demo1.dem: 1104 blocks");
    place.run(&["verify", "outer.pak:pak0.pak:demo1.dem"]).ends(0).shows("1104 blocks");
    place.run(&["verify", "pak0.pak:demo9.dem"]).ends(2).says("no member 'demo9.dem'").says("demos/cut.dem");
}

#[test]
fn one_of_several_must_be_named() {
    let place = place();
    let done = place.run(&["verify", "pak0.pak"]).ends(2).says("2 demos among 3 files: demo1.dem, demos/cut.dem");
    done.says("pak0.pak:demo1.dem").says("pak0.pak:*");
    // With a single demo it is clear which one is meant.
    place.write("one.pak", &pak(&[("readme.txt", b"read me"), ("demo1.dem", &clip())]));
    place.run(&["verify", "one.pak"]).ends(0).shows("1104 blocks");
}

#[test]
fn a_star_goes_through_all_demos() {
    let place = place();
    let done = place.run(&["verify", "pak0.pak:*"]).ends(1).says("2 files: 1 exact and whole, 1 not");
    assert_eq!(done.text().lines().count(), 2);
    // Also through archives in the archive.
    let done = place.run(&["verify", "outer.pak:*"]).ends(1);
    done.shows("outer.pak:id1/pak0.pak:demo1.dem: 1104 blocks").shows("outer.pak:id1/pak0.pak:demos/cut.dem");
    let done = place.run(&["info", "--json", "pak0.pak:d*1.DEM"]).ends(0);
    assert_eq!(done.objects()[0]["file"], "pak0.pak:demo1.dem");
    place.run(&["verify", "pak0.pak:*.mvd"]).ends(2).says("no member fits");
}

#[test]
fn a_real_name_goes_before_a_pattern() {
    let place = Place::new();
    place.write("old.pak", &pak(&[("duel[dm2].dem", &clip()), ("dueld.dem", b"-1\n")]));
    place.run(&["decompile", "old.pak:duel[dm2].dem", "-o", "duel.txt"]).ends(0).in_silence();
    assert!(place.path("duel.txt").is_file());
    place.run(&["decompile", "old.pak:duel[d].dem", "-o", "texts"]).ends(0);
    assert_eq!(place.names("texts"), ["dueld.dem.txt"]);
}

#[test]
fn a_folder_is_walked_in_order() {
    let place = Place::new();
    let packed = pak(&[("demo1.dem", &clip())]);
    for (name, bytes) in [
        ("demos/b.dem", clip().as_slice()),
        ("demos/a/z.DEM", &clip()),
        ("demos/c.pak", &packed),
        ("demos/duel.dz", b"dzip"),
        ("demos/readme.txt", b"read me"),
    ] {
        place.write(name, bytes);
    }
    for jobs in ["1", "4"] {
        let done = place.run(&["verify", "-j", jobs, "demos"]).ends(0);
        let names: Vec<_> = done.text().lines().map(|l| l.split(": ").next().unwrap()).collect();
        assert_eq!(names, ["exact  demos/a/z.DEM", "exact  demos/b.dem", "exact  demos/c.pak:demo1.dem"]);
        done.says("demos: 2 files left out: 1 of formats that qdemo does not read yet, 1 of other kinds")
            .says("3 files: 3 exact and whole");
    }
    place.write("other/readme.txt", b"read me");
    place.run(&["verify", "other"]).ends(2).says("no demos here");
}

#[test]
fn patterns_work_without_a_shell() {
    let place = place();
    place.write("demo1.dem", &clip());
    place.write("demo2.dem", &clip());
    place.write("x/demo3.dem", &clip());
    let files = |pattern| place.run(&["verify", pattern]).ends(0).text().lines().count();
    assert_eq!(files("demo*.dem"), 2);
    assert_eq!(files("demo[2-9].dem"), 1);
    assert_eq!(files("**/*.dem"), 3);
    assert_eq!(files("p*.pak:demo1.dem"), 1);
    place.run(&["verify", "nothing*.dem"]).ends(2).says("no file fits this pattern");
}

#[test]
fn unpack_writes_the_plain_file() {
    let place = place();
    place.write("demo1.dem.gz", &gzip(&clip()));
    place.run(&["unpack", "demo1.dem.gz", "-o", "a.dem"]).ends(0).in_silence();
    assert_eq!(place.read("a.dem"), clip());
    place.run(&["unpack", "outer.pak:pak0.pak:demo1.dem", "-o", "b.dem"]).ends(0).in_silence();
    assert_eq!(place.read("b.dem"), clip());
    assert_eq!(place.run(&["unpack", "pak0.pak:quake.rc"]).ends(0).in_silence().text(), "exec default.cfg\n");
    place.run(&["unpack", "pak0.pak", "-o", "c.dem"]).ends(2).says("holds 3 files: demo1.dem, demos/cut.dem, quake.rc");
    assert!(!place.path("c.dem").exists());
    place.run(&["unpack", "pak0.pak:*", "-o", "all"]).ends(0);
    assert_eq!(place.names("all"), ["demo1.dem", "demos"]);
    place.run(&["unpack", "a.dem", "-o", "d.dem"]).ends(0).says("not packed");
}

#[test]
fn unpack_keeps_what_stands_before_damage() {
    let place = Place::new();
    let packed = gzip(&clip());
    place.write("cut.dem.gz", &packed[..packed.len() / 2]);
    place.run(&["unpack", "cut.dem.gz", "-o", "cut.dem"]).ends(2).says("truncated").says("cut.dem: holds the ");
    let rest = place.read("cut.dem");
    assert!(rest.len() > 10_000 && clip().starts_with(&rest));
}

#[test]
fn members_cannot_leave_the_folder() {
    let place = Place::new();
    place.write("evil.pak", &pak(&[("../../evil.dem", b"-1\n"), ("/tmp/evil.dem", b"-1\n")]));
    place.run(&["unpack", "evil.pak:*", "-o", "out/in"]).ends(0);
    assert_eq!(place.names("."), ["evil.pak", "out"]);
    assert_eq!(place.names("out/in"), ["evil.dem", "tmp"]);
}

#[test]
fn unpacking_is_bounded() {
    let place = Place::new();
    place.write("demo1.dem.gz", &gzip(&clip()));
    place.run(&["verify", "--max-unpacked", "10K", "demo1.dem.gz"]).ends(2).says("exceeds the limit of 10240");
    place.run(&["verify", "--max-unpacked", "1M", "demo1.dem.gz"]).ends(0);
    place.run(&["verify", "--max-unpacked", "1X", "demo1.dem.gz"]).ends(2).says("unknown unit");
}

#[test]
fn what_qizmo_compressed_is_unpacked() {
    let place = Place::new();
    let packed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/qizmo.qwz")).unwrap();
    place.write("duel.qwz", &packed);
    place.write("more/duel.qwz.gz", &gzip(&packed));
    place.run(&["unpack", "duel.qwz", "-o", "duel.qwd"]).ends(0).in_silence();
    let plain = place.read("duel.qwd");
    assert!(plain.ends_with(b"\xFF\xFF\xFF\xFF\x02EndOfDemo\0"));
    assert_eq!(place.run_with(&["unpack", "-"], &packed).ends(0).in_silence().out, plain);
    place.run(&["unpack", "duel.qwz", "more/duel.qwz.gz", "-o", "out"]).ends(2).says("out/duel.qwd");
    assert_eq!(place.names("out"), ["duel.qwd"]);
    // Other verbs take the file inside.
    let out = |name: &str| place.run(&["decompile", name]).out;
    let text = String::from_utf8(out("duel.qwz")).unwrap();
    assert_eq!(text.replace("duel.qwz", "duel.qwd"), String::from_utf8(out("duel.qwd")).unwrap());
}

#[test]
fn a_broken_qwz_is_told_clearly() {
    let place = Place::new();
    let packed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/qizmo.qwz")).unwrap();
    place.write("cut.qwz", &packed[..packed.len() / 2]);
    place.write("tiny.qwz", &packed[..9]);
    place.write("empty.qwz", b"");
    place.write("page.qwz", b"<html><body>404 Not Found</body></html>");
    let done = place.run(&["unpack", "cut.qwz", "-o", "cut.qwd"]).ends(2);
    let rest = place.read("cut.qwd");
    assert!(!rest.is_empty());
    done.says(&format!("cut.qwz: truncated: 1 more bytes needed, 0 left (at byte {})", rest.len()))
        .says("cut.qwd: holds the ");
    for name in ["tiny.qwz", "empty.qwz"] {
        place
            .run(&["unpack", name, "-o", "none.qwd"])
            .ends(2)
            .says(": truncated: 1 more bytes needed, 0 left (at byte 0)");
    }
    let done = place.run(&["unpack", "page.qwz", "-o", "none.qwd"]).ends(2);
    done.says("page.qwz: damaged: this does not begin like a demo that Qizmo compressed");
    assert!(!place.path("none.qwd").exists());
    place.run(&["verify", "tiny.qwz"]).ends(2).says("truncated");
}
