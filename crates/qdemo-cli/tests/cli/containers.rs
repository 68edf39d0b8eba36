//! Demos in gz and pak, in folders, by patterns; `unpack`.

use super::support::{Place, clip, gzip, pak, testdata};

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

/// Engines go by the extension: where the input has none, the result in a folder has that of the recording.
#[test]
fn results_in_a_folder_have_an_extension() {
    let place = Place::with(&["ez-dm.mvd"]);
    place.write("backup.gz", &gzip(&place.read("ez-dm.mvd")));
    place.write("e1m1_0.45.gz", &gzip(&clip()));
    place.write("plain", &testdata("oa-dm2.dm_68"));
    place.write("old.bak", &clip());
    place.run(&["repair", "backup.gz", "e1m1_0.45.gz", "plain", "old.bak", "-o", "out/"]).ends(0);
    assert_eq!(place.names("out"), ["backup.mvd", "e1m1_0.45.dem", "old.bak", "plain.dm_68"]);
    place.run(&["split", "plain", "--by", "level", "-o", "levels/"]).ends(0);
    place.run(&["split", "backup.gz", "--by", "level", "-n"]).ends(0).shows("backup-level-1.mvd: ");
    place.run(&["convert", "e1m1_0.45.gz", "-o", "levels/", "--to", "dem", "--protocol", "666"]).ends(0);
    assert_eq!(place.names("levels"), ["e1m1_0.45.dem", "plain-level-1.dm_68"]);
    let given =
        [(clip(), "stdin.dem"), (gzip(&place.read("plain")), "stdin.dm_68"), (testdata("oa-dm4.dm_71"), "stdin.dm_71")];
    for (bytes, name) in given {
        place.run_with(&["retime", "-", "--speed", "2", "-o", "from/"], &bytes).ends(0);
        assert!(place.names("from").contains(&name.to_owned()), "{name}");
    }
    // What has several points keeps all but the extension.
    for (verb, name) in [(&["view"][..], "e1m1_0.45.html"), (&["draw", "--what", "speed"], "e1m1_0.45-speed.svg")] {
        place.run(&[verb, &["e1m1_0.45.gz", "-o", "pages/"]].concat()).ends(0);
        assert!(place.names("pages").contains(&name.to_owned()), "{name}");
    }
    // A name that the user gave is the name.
    place.run(&["repair", "backup.gz", "-o", "mine"]).ends(0);
    assert!(place.path("mine").exists());
    place.run(&["repair", "backup.gz", "-o", "./"]).ends(0);
    place.write("backup.mvd", &place.read("ez-dm.mvd"));
    place.run(&["repair", "backup.gz", "backup.mvd", "-o", "both/"]).ends(2).says("backup.mvd is taken");
}

/// Nothing that has a name of its own is left out.
#[test]
fn texts_keep_the_whole_name() {
    let place = Place::new();
    let (demo, other) = (clip(), testdata("oa-dm2.dm_68"));
    let inputs = [
        ("x", &other, "x.dm_68"),
        ("x.gz", &gzip(&other), "x.dm_68"),
        ("x.dem", &demo, "x.dem"),
        ("x.dem.gz", &gzip(&demo), "x.dem"),
        ("x_0.45", &demo, "x_0.45.dem"),
        ("x_0.45.gz", &gzip(&demo), "x_0.45.dem"),
        ("x.pak", &pak(&[("in/y.dem", &demo)]), "x.dem"),
    ];
    for (style, extension) in [("--style=text", "txt"), ("--style=lmpc", "txt"), ("--json", "jsonl")] {
        let texts = format!("texts{style}");
        let names = inputs.map(|(name, bytes, _)| {
            place.write(name, bytes);
            name
        });
        place.run(&[&["decompile", "-q", style, "-o", &texts], &names[..]].concat()).ends(0);
        assert_eq!(place.names(&texts).len(), inputs.len(), "{style}");
        // What the text makes tells the extension of a recording.
        for (name, _, made) in inputs {
            let (text, out) = (format!("{texts}/{name}.{extension}"), format!("made{style}/{name}/"));
            place.run(&["compile", &text, "-o", &out]).ends(0).in_silence();
            assert_eq!(place.names(&out), [made], "{text}");
        }
    }
    let text = place.read("texts--style=text/x.txt");
    place.run_with(&["compile", "-", "-o", "from/"], &text).ends(0).in_silence();
    assert!(place.read("from/stdin.dm_68") == other);
}

/// An archive is named for the only recording in it, which is no archive.
#[test]
fn results_of_archives_have_the_extension_of_the_recording() {
    let place = Place::new();
    // The directory of a PAK stands behind its files.
    let (one, two) = (pak(&[("in/x", &clip())]), pak(&[("in/y", &testdata("oa-dm2.dm_68")), ("in/x", &clip())]));
    place.write("one.pak", &one);
    place.write("two.pak", &two);
    let retime = |file: &str, input: &[u8], out: &str| {
        let file = [file];
        place.run_with(&[&["retime", "-q", "--speed", "2", "-o", out, "--"], &file[..]].concat(), input).ends(0);
        place.names(out)
    };
    assert_eq!(retime("one.pak", b"", "a/"), ["one.dem"]);
    assert_eq!(retime("two.pak:in/y", b"", "b/"), ["y.dm_68"]);
    assert_eq!(retime("-", &one, "c/"), ["stdin.dem"]);
    assert_eq!(retime("-", &gzip(&one), "d/"), ["stdin.dem"]);
    assert_eq!(retime("-:in/y", &two, "e/"), ["y.dm_68"]);
    // What was looked at is read, and what went wrong is told.
    let clips = ["c/stdin.dem", "a/one.dem"].map(|name| place.read(name));
    assert!(clips[0] == clips[1]);
    let several = ["retime", "--speed", "2", "-o", "f/", "-"];
    place.run_with(&several, &two).ends(2).says("this pak holds 2 files: in/y, in/x; name one of them (-:in/y)");
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
        ("demos/old.rar", b"Rar!"),
        ("demos/readme.txt", b"read me"),
    ] {
        place.write(name, bytes);
    }
    for jobs in ["1", "4"] {
        let done = place.run(&["verify", "-j", jobs, "demos"]).ends(0);
        let names: Vec<_> = done.text().lines().map(|l| l.split(": ").next().unwrap()).collect();
        assert_eq!(names, ["exact  demos/a/z.DEM", "exact  demos/b.dem", "exact  demos/c.pak:demo1.dem"]);
        done.says("demos: 2 files left out: 1 archive that qdemo does not unpack, 1 of other kinds")
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
    let both = ["unpack", "duel.qwz", "more/duel.qwz.gz", "-o", "out"];
    place.run(&both).ends(2).says("duel.qwd is taken by another input of that name in out;");
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

/// The content counts, not the name.
#[test]
fn a_plain_demo_that_is_called_qwz_is_read() {
    let place = Place::with(&["qizmo.qwz"]);
    place.run(&["cut", "qizmo.qwz", "-o", "cut.qwz"]).ends(0).says("cut.qwz: what was written is a .qwd");
    place.run(&["verify", "cut.qwz"]).ends(0).shows("exact");
    place.run(&["cut", "qizmo.qwz", "-o", "cut.qwd"]).ends(0).in_silence();
    assert_eq!(place.read("cut.qwz"), place.read("cut.qwd"));
}

/// Files that other tools packed: each holds `demos/one.dem`.
fn fixture(name: &str) -> Vec<u8> {
    super::support::testdata(&format!("containers/{name}"))
}

#[test]
fn archives_of_other_tools_are_walked_through() {
    let place = Place::new();
    for name in ["gnu.tar.xz", "solid.7z"] {
        place.write(name, &fixture(name));
        place.run(&["info", name]).ends(0).in_silence().shows("demo  demos/one.dem");
        let member = format!("{name}:demos/one.dem");
        let out = place.run(&["unpack", &member]).ends(0).in_silence().out;
        assert!(out.starts_with(b"0 00000000\n1 9e3779b9\n") && out.len() == 3000);
        let all = format!("{name}:*");
        let done = place.run(&["unpack", &all, "-o", &format!("out-{name}")]).ends(0);
        assert!(done.err.is_empty(), "{}", done.err);
        assert_eq!(place.names(&format!("out-{name}/demos")).len(), 3);
    }
    place.write("one.dem.xz", &fixture("one.xz"));
    place.write("two.dem.bz2", &fixture("one.bz2"));
    place.run(&["unpack", "one.dem.xz", "two.dem.bz2", "-o", "plain"]).ends(0).in_silence();
    assert_eq!(place.names("plain"), ["one.dem", "two.dem"]);
    assert_eq!(place.read("plain/one.dem").len(), 3000);
}

/// A speedrun packed by dzip in the plainest way: version 2, one file as it is.
fn dz(name: &str, bytes: &[u8]) -> Vec<u8> {
    let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let mut out = [b"DZ\x02\x09".as_slice(), &number(12 + bytes.len()), &number(1), bytes].concat();
    out.extend([number(12), number(bytes.len()), number(bytes.len()), number(name.len() + 1)].concat());
    out.extend([(!crc.sum()).to_le_bytes(), number(8), number(0), number(0)].concat());
    out.extend(name.as_bytes());
    out.push(0);
    out
}

#[test]
fn a_dz_is_read_directly() {
    let place = Place::new();
    place.write("runs/e1m1_0024.dz", &dz("e1m1_0024.dem", &clip()));
    place.run(&["verify", "runs/e1m1_0024.dz"]).ends(0).in_silence().shows("1104 blocks");
    place.run(&["verify", "runs"]).ends(0).shows("exact  runs/e1m1_0024.dz:e1m1_0024.dem: 1104 blocks");
    place.run(&["info", "runs/e1m1_0024.dz"]).ends(0).shows("dz, 1 file, 1 demo");
    place.run(&["unpack", "runs/e1m1_0024.dz", "-o", "run.dem"]).ends(0).in_silence();
    assert_eq!(place.read("run.dem"), clip());
}

#[test]
fn what_stands_behind_packed_data_is_a_remark() {
    let place = Place::new();
    let mut packed = gzip(&clip());
    let end = packed.len();
    packed.extend(b"\r\n");
    place.write("demo1.dem.gz", &packed);
    let told = format!("demo1.dem.gz: 2 bytes behind the end of the gzip data, at byte {end}: 0D 0A; no part of it");
    place.run(&["verify", "demo1.dem.gz"]).ends(0).says(&told).shows("exact  demo1.dem.gz: 1104 blocks");
    for verb in ["info", "decompile", "frags", "timeline"] {
        place.run(&[verb, "demo1.dem.gz"]).ends(0).says(&told);
    }
    let done = place.run(&["info", "--json", "demo1.dem.gz"]).ends(0);
    let behind = &done.objects()[0]["behind"][0];
    assert_eq!((behind["bytes"].as_u64(), behind["offset"].as_u64()), (Some(2), Some(end as u64)));
    assert_eq!((&behind["container"], &behind["begins_with"]), (&"gzip".into(), &"0D 0A".into()));
    // Nothing is lost: both parts of the file can be had.
    place.run(&["unpack", "demo1.dem.gz", "-o", "a.dem", "--rest", "a.rest"]).ends(0);
    assert_eq!((place.read("a.dem"), place.read("a.rest")), (clip(), b"\r\n".to_vec()));
    place.run(&["unpack", "--rest", "r", "demo1.dem.gz", "a.dem", "-o", "x"]).ends(2).says("for a single file");
    // The same of what Qizmo packed.
    let mut qwz = super::support::testdata("qizmo.qwz");
    let end = qwz.len();
    qwz.extend(b"\r\n");
    place.write("duel.qwz", &qwz);
    let told = format!("duel.qwz: 2 bytes behind the end of the qwz data, at byte {end}: 0D 0A");
    place.run(&["unpack", "duel.qwz", "-o", "duel.qwd"]).ends(0).says(&told);
    place.run(&["verify", "duel.qwz"]).ends(0).says(&told);
}

#[test]
fn a_total_bounds_all_members_together() {
    let place = place();
    // Two demos of 233 and 5 kilobytes.
    let total = clip().len() + 4999;
    let limit = total.to_string();
    let done = place.run(&["unpack", "-j", "1", "--max-unpacked", &limit, "pak0.pak:*", "-o", "out"]).ends(2);
    done.says("pak0.pak:demos/cut.dem: unpacked size").says("raise the limit (`qdemo --max-unpacked`)");
    let limit = (total + 1).to_string();
    place.run(&["unpack", "--max-unpacked", &limit, "pak0.pak:*", "-o", "all"]).ends(0);
}

#[test]
fn limits_that_errors_name_can_be_raised() {
    let place = Place::new();
    let files: Vec<(String, &[u8])> = (0..9).map(|i| (format!("{i}.cfg"), b"x".as_slice())).collect();
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    place.write("many.pak", &pak(&files));
    place.run(&["info", "--max-entries", "8", "many.pak"]).ends(2).says("(`qdemo --max-entries`)");
    place.run(&["info", "--max-entries", "9", "many.pak"]).ends(0);
    let deep = (0..5).fold(clip(), |inner, _| gzip(&inner));
    place.write("deep.dem.gz", &deep);
    place.run(&["verify", "deep.dem.gz"]).ends(2).says("(`qdemo --max-depth`)");
    place.run(&["verify", "--max-depth", "5", "deep.dem.gz"]).ends(0);
    place.write("pack.gz", &gzip(&pak(&[("demo1.dem", &clip())])));
    place.run(&["verify", "--max-held", "10K", "pack.gz"]).ends(2).says("(`qdemo --max-held`)");
    place.run(&["verify", "--max-held", "1M", "pack.gz"]).ends(0);
    place.write("demo1.dem", &clip());
    place.run(&["verify", "--max-block", "100", "demo1.dem"]).ends(1).shows("block size");
    place.run(&["verify", "--max-block", "8000", "demo1.dem"]).ends(0);
    place.run(&["decompile", "demo1.dem", "-o", "demo1.txt"]).ends(0);
    place.run(&["compile", "--max-nesting", "1", "demo1.txt"]).ends(2).says("(`qdemo --max-nesting`)");
    place.run(&["compile", "--max-statement", "100", "demo1.txt"]).ends(2).says("(`qdemo --max-statement`)");
}

#[cfg(target_os = "linux")]
#[test]
fn what_has_no_end_is_an_error() {
    let place = Place::new();
    let done = place.run(&["verify", "--max-unpacked", "1M", "/dev/zero"]).ends(2);
    done.says("number of bytes from a pipe or device 1048577 exceeds the limit of 1048576")
        .says("(`qdemo --max-unpacked`)");
    // A pipe with a name.
    let fifo = place.path("fifo.dem");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || {
            let mut file = std::fs::OpenOptions::new().write(true).open(fifo).unwrap();
            let zeros = [0; 65536];
            while std::io::Write::write_all(&mut file, &zeros).is_ok() {}
        }
    });
    place.run(&["unpack", "--max-unpacked", "1M", "fifo.dem", "-o", "out"]).ends(2).says("(`qdemo --max-unpacked`)");
    assert_eq!(place.read("out").len(), 1 << 20);
    writer.join().unwrap();
}

#[test]
fn what_is_not_read_is_named() {
    let place = Place::new();
    for (name, bytes, what) in [
        (
            "old.rar",
            &b"Rar!\x1A\x07\x00\xCF\x90\x73\x00\x00\x0D"[..],
            "this is a RAR archive, which qdemo does not unpack",
        ),
        ("run.lzh", b"\x21\x33-lh5-\x10\0\0\0\x20\0\0\0", "this is an LHA (lzh) archive"),
        ("run.dem", b"HLDEMO\0\0\x05\0\0\0\x30\0\0\0", "this is a recording of Half-Life (HLDEMO, protocol 5"),
        ("movie.dem", b"HL2DEMO\0\x03\0\0\0\x18\0\0\0", "this is a recording of the Source engine (HL2DEMO"),
        ("hell.demo", b"DOOM 3 RDEMO\0\x01\0\0\0", "this is a recording of Doom 3's engine (DOOM 3 RDEMO)"),
    ] {
        place.write(name, bytes);
        place.run(&["verify", name]).ends(1).shows(what);
        place.run(&["frags", name]).ends(2).says(what);
    }
    place.run(&["unpack", "old.rar:demo1.dem"]).ends(2).says("this is a RAR archive");
}

#[test]
fn a_damaged_qwz_tells_what_follows() {
    let place = Place::new();
    let mut qwz = super::support::testdata("qizmo.qwz");
    let end = qwz.len();
    let noise = |seed: usize| (0..4000).map(move |i| (((i + 7 * seed + 1) * (i + seed) * 0x9E37) >> 5) as u8);
    let told = (0..256).find_map(|seed| {
        qwz.splice(end / 2.., noise(seed));
        place.write("bad.qwz", &qwz);
        let done = place.run(&["unpack", "bad.qwz", "-o", "bad.qwd"]);
        done.err.contains("of the qwz data or before").then_some(done)
    });
    let told = told.unwrap().ends(2);
    assert!(told.err.contains("bytes follow, which are not unpacked"), "{}", told.err);
}

#[test]
fn members_with_odd_names_are_unpacked_beside_the_others() {
    let place = Place::new();
    place.write("odd.pak", &pak(&[("a\u{1}b.dem", &clip()), ("c.dem", &clip())]));
    place.run(&["unpack", "odd.pak:*", "-o", "out"]).ends(0);
    assert_eq!(place.names("out"), ["a_b.dem", "c.dem"]);
    place.run(&["verify", "odd.pak:a\\x01b.dem"]).ends(0).shows("exact");
}
