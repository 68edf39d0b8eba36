//! `hash`, and `info --hash`. The hashes of shipped files are those that `sha256sum` of GNU coreutils tells.

use super::support::{Place, clip, gzip, pak};

const CLIP: &str = "34a37e743b5e66a77a61d5ace04bb1979eb41266ff6328e97359648691e232ec";
const QUAKE3: &str = "9e778736fb67912510ddb0fa4708eeb424688dd9d96b395bdd05b428e0e0a7f4";
/// Of nothing: FIPS 180-4 has it among its examples.
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn place() -> Place {
    let place = Place::with(&["oa-dm2.dm_68"]);
    place.write("run.dem", &clip());
    place.write("run.dem.gz", &gzip(&clip()));
    place.write("old/pak0.pak", &pak(&[("demo1.dem", &clip()), ("cut.dem", &clip()[..5000])]));
    place
}

#[test]
fn the_hash_is_that_of_what_is_inside() {
    let place = place();
    let files = ["run.dem", "run.dem.gz", "old/pak0.pak:demo1.dem", "oa-dm2.dm_68"];
    let done = place.run(&[&["hash"], &files[..]].concat()).ends(0).in_silence();
    let expected = files.map(|file| format!("{}  {file}\n", if file == "oa-dm2.dm_68" { QUAKE3 } else { CLIP }));
    assert_eq!(done.text(), expected.concat());
    let done = place.run_with(&["hash", "-"], &gzip(&clip())).ends(0);
    assert_eq!(done.text(), format!("{CLIP}  -\n"));
    place.write("empty.dem", b"");
    assert_eq!(place.run(&["hash", "empty.dem"]).ends(0).text(), format!("{NOTHING}  empty.dem\n"));
}

#[test]
fn hashes_for_programs() {
    let place = place();
    let done = place.run(&["hash", "--json", "old/pak0.pak:demo1.dem", "nowhere.dem"]).ends(2);
    let [told, missing] = &done.objects()[..] else { panic!("{}", done.text()) };
    assert_eq!(told["sha256"], CLIP);
    assert_eq!(told["bytes"], clip().len());
    assert_eq!(told["containers"], serde_json::json!(["pak"]));
    assert!(missing["error"].is_string());
    let done = place.run(&["hash", "--csv", "run.dem.gz"]).ends(0);
    assert_eq!(done.text(), format!("file,sha256,bytes,containers\nrun.dem.gz,{CLIP},87295,gzip\n"));
    place.run(&["info", "--hash", "--json", "run.dem.gz"]).ends(0).shows(&format!(r#""sha256":"{CLIP}""#));
    place.run(&["info", "--hash", "run.dem.gz"]).ends(0).shows(&format!("SHA-256:       {CLIP}\n"));
    assert!(!place.run(&["info", "--json", "run.dem"]).ends(0).text().contains("sha256"));
}

#[test]
fn duplicates_stand_together() {
    let place = place();
    let group = format!("{CLIP}  ./old/pak0.pak:demo1.dem\n{CLIP}  ./run.dem\n{CLIP}  ./run.dem.gz\n");
    assert_eq!(place.run(&["hash", "--duplicates", "."]).ends(1).text(), group);
    place.write("again.dm_68", &place.read("oa-dm2.dm_68"));
    let both = format!("{QUAKE3}  ./again.dm_68\n{QUAKE3}  ./oa-dm2.dm_68\n\n{group}");
    assert_eq!(place.run(&["hash", "--duplicates", "."]).ends(1).text(), both);
    let done = place.run(&["hash", "--duplicates", "--json", "."]).ends(1);
    let objects = done.objects();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[1]["files"].as_array().unwrap().len(), 3);
    assert_eq!(place.run(&["hash", "--duplicates", "run.dem", "oa-dm2.dm_68"]).ends(0).text(), "");
}

/// Half a recording has no hash: it would be that of another one.
#[test]
fn a_damaged_container_has_none() {
    let place = place();
    let packed = gzip(&clip());
    place.write("half.dem.gz", &packed[..packed.len() / 2]);
    let done = place.run(&["hash", "half.dem.gz"]).ends(2).says("half.dem.gz");
    assert_eq!(done.text(), "");
    let done = place.run(&["info", "--hash", "--json", "half.dem.gz"]).ends(2);
    assert!(done.objects()[0].get("sha256").is_none());
}

/// As sha256sum has it, so that it can check what is not packed.
#[cfg(unix)]
#[test]
fn a_backslash_is_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let place = Place::new();
    // So sha256sum 9.1 writes them; what is no text, and what steers a terminal, it leaves as it is.
    for (name, told) in [(&b"a\nb.dem"[..], &b"a\\nb.dem"[..]), (b"a\rb.dem", b"a\\rb.dem"), (b"\xFF\x1B", b"\xFF\x1B")]
    {
        let name = OsStr::from_bytes(name);
        std::fs::write(place.path(".").join(name), b"-1\n").unwrap();
        let done = place.command().arg("hash").arg(name).output().unwrap();
        let line = done.stdout.strip_suffix(b"\n").unwrap();
        assert!(line.ends_with(&[b"  ", told].concat()), "{line:?}");
        assert_eq!(line.starts_with(b"\\"), told.contains(&b'\\'));
    }
    place.write(r"a\b.dem", b"-1\n");
    let done = place.run(&["hash", r"a\b.dem"]).ends(0);
    assert!(done.text().starts_with('\\') && done.text().ends_with("  a\\\\b.dem\n"), "{}", done.text());
}
