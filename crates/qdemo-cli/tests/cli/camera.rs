//! Recordings seen from elsewhere: `camera`. The library's tests hold views and states against the scripts.

use std::path::Path;

use crate::support::Place;

/// Recordings with a view of their own.
const ALL: [&str; 5] = ["clip.dem", "ez-dm.qwd", "q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71"];

/// The scripts of docs/camera.md.
fn scripts() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/camera.md");
    let page = std::fs::read_to_string(page).unwrap();
    page.split("```").filter_map(|part| part.strip_prefix("toml\n")).map(str::to_owned).collect()
}

#[test]
fn the_scripts_of_the_page_work() {
    let place = Place::with(&ALL);
    let scripts = scripts();
    for kind in ["fixed", "path", "follow", "ride"] {
        assert!(scripts.iter().any(|script| script.contains(&format!("kind = \"{kind}\""))), "{kind}");
    }
    for (n, script) in scripts.iter().enumerate() {
        place.write("cam.toml", script.as_bytes());
        for demo in ALL {
            let out = format!("film-{n}-{demo}");
            let account =
                place.run(&["camera", demo, "--script", "cam.toml", "-o", &out, "--json"]).ends(0).in_silence();
            let account = account.objects().remove(0);
            assert_eq!(account["bytes_written"], place.read(&out).len(), "{out}");
            assert_eq!(account["shots"][0]["from_demo_ms"], 1000, "{out}");
            let sum = |keys: &[&str]| keys.iter().map(|key| account[*key].as_u64().unwrap()).sum::<u64>();
            assert_eq!(sum(&["blocks_kept", "blocks_changed"]), sum(&["blocks_read"]), "{out}");
            place.run(&["verify", &out]).ends(0).shows("exact");
        }
    }
}

#[test]
fn a_suggested_script_can_be_carried_out() {
    let place = Place::with(&ALL);
    for demo in ALL {
        let script = place.run(&["camera", demo, "--suggest"]).ends(0).in_silence();
        place.write("cam.toml", script.text().as_bytes());
        place.run(&["camera", demo, "--script", "cam.toml", "-n"]).ends(0);
    }
    // Kyonshi kills three of them at 0:21.450, out of sight; Arachna two with one shot at 0:39.850.
    let script = place.run(&["camera", "oa-dm4.dm_71", "--suggest"]).ends(0).in_silence();
    script.shows("# 0:21.450: Kyonshi, 3 kills").shows("to = \"0:39.850\"").shows("who = \"Arachna\"");
}

#[test]
fn mistakes_are_told_with_their_line() {
    let place = Place::with(&["clip.dem", "e0m1-666.dem", "ez-dm.mvd"]);
    let try_it = |demo: &str, script: &str, what: &[&str]| {
        place.write("cam.toml", script.as_bytes());
        let done = place.run(&["camera", demo, "--script", "cam.toml", "-o", "film"]).ends(2);
        what.iter().fold(done, |done, what| done.says(what));
        assert!(!place.path("film").exists(), "{script}");
    };
    let shot = "[[shot]]\nfrom = 0\nto = 9\n";
    try_it("clip.dem", &format!("{shot}kind = \"fixed\"\nplase = [1, 2, 3]\n"), &["cam.toml", "line 5", "plase"]);
    try_it("clip.dem", &format!("{shot}kind = \"follow\"\n"), &["cam.toml", "line 1", "who is missing"]);
    let fixed = format!("{shot}kind = \"fixed\"\nangles = [0, 0, 0]\n");
    try_it("ez-dm.mvd", &format!("{fixed}place = [1, 2, 3]\n"), &["no view of its own"]);
    // Sixteen bits of eighths.
    try_it("e0m1-666.dem", &format!("{fixed}place = [4096, 0, 0]\n"), &["4096", "-4096 to 4095"]);
    place.run(&["camera", "clip.dem", "-o", "film"]).ends(2).says("--script");
}
