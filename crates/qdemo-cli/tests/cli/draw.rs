//! `qdemo draw`: pictures. What is in them, the library's tests hold; that text shows in PNG, those of `png`.

use super::support::Place;

/// Width and height of a PNG: its first chunk tells them.
fn size(png: &[u8]) -> [u32; 2] {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()))
}

#[test]
fn the_name_of_the_output_tells_its_kind() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    let args = ["draw", "oa-dm4.dm_71", "--what", "deaths", "--size", "640x480"];
    let told = place.run(&[&args[..], &["-o", "x.svg", "--json"]].concat()).ends(0).objects().remove(0);
    let svg = place.read("x.svg");
    assert!(svg.starts_with(b"<svg ") && told["bytes_written"] == svg.len());
    let all = told["count"].as_u64().unwrap() + told["without_place"].as_u64().unwrap();
    assert_eq!(all as usize, place.run(&["frags", "oa-dm4.dm_71", "--json"]).ends(0).objects().len());
    assert_eq!(told["map"], "oa_dm4");
    place.run(&[&args[..], &["-o", "X.PNG"]].concat()).ends(0).shows("deaths on oa_dm4");
    assert_eq!(size(&place.read("X.PNG")), [640, 480]);
    place.run(&[&args[..], &["-o", "folder/"]].concat()).ends(0);
    assert_eq!(place.names("folder"), ["oa-dm4-deaths.svg"]);
    place.run(&[&args[..], &["-o", "folder/", "--as", "png"]].concat()).ends(0);
    assert_eq!(size(&place.read("folder/oa-dm4-deaths.png")), [640, 480]);
}

/// Charts have no floor: nothing is missing of it.
#[test]
fn charts_need_no_maps() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    place.write("maps/other.bsp", b"");
    for (what, missing) in [("paths", 1), ("scores", 0), ("speed", 0)] {
        let args = ["draw", "oa-dm4.dm_71", "-o", "x.svg", "--maps", "maps", "--what", what, "--json"];
        let told = place.run(&args).ends(0).objects().remove(0);
        assert_eq!(told["without_map"].as_array().map(Vec::len), Some(missing), "{what}");
    }
}

#[test]
fn what_cannot_be_drawn_is_said_with_what_to_do() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    let says = |args: &[&str], what: &str| {
        let output: &[&str] = if args.contains(&"-o") { &[] } else { &["-o", "x.svg"] };
        place.run(&[&["draw", "oa-dm4.dm_71"], args, output].concat()).ends(2).says(what);
    };
    says(&["--what", "flags"], "nothing to draw of flags");
    says(&["--what", "kills", "--player", "nobody"], "Angelyss");
    says(&["--what", "kills", "--player", "kyonshi", "--to", "0:05"], "nothing to draw of kills of Kyonshi");
    says(&["--what", "kills", "--weapon", "trebuchet"], "rocket_launcher");
    says(&["--what", "paths", "--weapon", "rocket"], "--what deaths or kills");
    says(&["--what", "paths", "--size", "10x10"], "1200x900");
    says(&["--what", "nothing"], "presence");
    says(&["--what", "paths", "-o", "x.jpg"], "--as");
    assert_eq!(place.names("."), ["oa-dm4.dm_71"]);
}
