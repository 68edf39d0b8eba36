//! `qdemo report`: pages of matches. What is in them, the library's tests hold.

use super::support::Place;

#[test]
fn a_report_is_a_page() {
    let place = Place::with(&["oa-dm4.dm_71", "ez-dm.mvd"]);
    let told = place.run(&["report", "oa-dm4.dm_71", "-o", "x.html", "--json"]).ends(0).objects().remove(0);
    let page = place.read("x.html");
    assert!(page.starts_with(b"<!doctype html>") && told["bytes_written"] == page.len());
    let players = place.run(&["stats", "oa-dm4.dm_71", "--csv"]).ends(0).text().lines().count() - 1;
    assert_eq!((told["periods"].as_u64(), told["players"].as_u64()), (Some(1), Some(players as u64)));
    place.run(&["report", "oa-dm4.dm_71", "ez-dm.mvd", "-o", "pages/"]).ends(0);
    assert_eq!(place.names("pages"), ["ez-dm.html", "oa-dm4.html"]);
}
