//! `qdemo view`: pages. What a browser makes of them, scripts/view-test.sh asks one.

use super::support::Place;

#[test]
fn a_page_holds_everything_it_needs() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    let told = place.run(&["view", "oa-dm4.dm_71", "-o", "page.html", "--json"]).ends(0).objects().remove(0);
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert_eq!(told["bytes_written"], page.len());
    // The numbers are those of `timeline`, `players` and `frags`.
    assert_eq!(told["to_ms"], 42_050);
    let frags = place.run(&["frags", "oa-dm4.dm_71", "--json"]).ends(0).objects();
    assert_eq!(told["frags"], frags.len());
    let players = place.run(&["players", "oa-dm4.dm_71", "--json"]).ends(0).objects();
    let watch = players.iter().filter(|player| player["spectator"] == true).count();
    assert_eq!((&told["players"], &told["spectators"]), (&(players.len() - watch).into(), &watch.into()));
    // Nothing is fetched: the only things with an address are in the page.
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn a_part_is_shown() {
    let place = Place::with(&["ez-dm.mvd"]);
    let args = ["view", "ez-dm.mvd", "-o", "page.html", "--json", "--from", "0:05", "--to", "0:10"];
    let told = place.run(&args).ends(0).objects().remove(0);
    let [from, to] = ["from_ms", "to_ms"].map(|key| told[key].as_i64().unwrap());
    assert!((5_000..5_100).contains(&from) && (9_900..=10_000).contains(&to), "{from} to {to}");
    place.run(&["view", "ez-dm.mvd", "-o", "page.html", "--from", "0:10", "--to", "0:05"]).ends(2).says("nothing lies");
}

#[test]
fn a_page_needs_a_place_and_a_recording() {
    let place = Place::with(&["ez-dm.mvd"]);
    place.run(&["view", "ez-dm.mvd"]).ends(2).says("-o OUT");
    place.write("notes.txt", b"no demo");
    place.run(&["view", "notes.txt", "-o", "page.html"]).ends(2).says("notes.txt");
    assert!(!place.path("page.html").exists());
}

#[test]
fn maps_are_looked_for_by_name() {
    let place = Place::with(&["ez-dm.mvd"]);
    // Another map's file, in a folder: it is left alone.
    place.write("maps/other.bsp", b"");
    let args = ["view", "ez-dm.mvd", "-o", "page.html", "--maps", "maps"];
    place.run(&args).ends(0).shows("no map of lqdm13");
    // One that is no map is passed over in a folder, and is a fault where it is named itself.
    place.write("maps/LQDM13.bsp", b"nonsense");
    place.run(&args).ends(0).shows("no map of lqdm13");
    let named = ["view", "ez-dm.mvd", "-o", "page.html", "--maps", "maps/LQDM13.bsp"];
    place.run(&named).ends(2).says("LQDM13.bsp").says("no map");
    place.run(&["view", "ez-dm.mvd", "-o", "page.html", "--maps", "nowhere"]).ends(2).says("nowhere");
}
