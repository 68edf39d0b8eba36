//! What is worth seeing again: `highlights`. The library's tests hold them against the awards that the games give.

use qdemo::table::HIGHLIGHTS;

use crate::support::{Place, testdata};

fn place() -> Place {
    let place = Place::new();
    place.write("ffa.dm_71", &testdata("oa-dm4.dm_71"));
    place
}

#[test]
fn rows_of_kills_are_those_that_frags_tell() {
    let place = place();
    let found = place.run(&["highlights", "--json", "ffa.dm_71"]).ends(0).in_silence().objects();
    let row = found.iter().find(|it| it["highlight"] == "multikill").unwrap();
    let frags = place.run(&["frags", "--json", "ffa.dm_71"]).ends(0).in_silence().objects();
    let (begin, lasted) = (row["time_ms"].as_i64().unwrap(), row["lasted_ms"].as_i64().unwrap());
    let inside: Vec<_> = frags
        .iter()
        .filter(|frag| frag["frag_kind"] == "kill" && frag["attacker"]["slot"] == row["player"]["slot"])
        .filter(|frag| (begin..=begin + lasted).contains(&frag["time_ms"].as_i64().unwrap()))
        .collect();
    assert_eq!(inside.len() as u64, row["count"].as_u64().unwrap());
    assert!(inside.len() >= 3 && lasted <= 3000 * (inside.len() as i64 - 1));
    let victims: Vec<_> = row["victims"].as_array().unwrap().iter().map(|v| &v["name"]).collect();
    assert_eq!(victims, inside.iter().map(|frag| &frag["victim"]["name"]).collect::<Vec<_>>());
    place.run(&["highlights", "ffa.dm_71"]).ends(0).in_silence().shows("multikill").shows("3 kills in ");
}

#[test]
fn criteria_and_choices() {
    let place = place();
    place
        .run(&["highlights", "--kills", "9", "--kind", "multikill", "ffa.dm_71"])
        .ends(0)
        .in_silence()
        .shows("nothing");
    let few =
        place.run(&["highlights", "--json", "--kills", "2", "--kind", "multikill", "ffa.dm_71"]).ends(0).objects();
    assert!(few.len() > 1 && few.iter().all(|it| it["highlight"] == "multikill"));
    // Within no time only what happens at once is left.
    let args = ["highlights", "--json", "--kills", "2", "--within", "0", "--kind", "multikill", "ffa.dm_71"];
    let at_once = place.run(&args).ends(0).objects();
    assert!(at_once.iter().all(|it| it["lasted_ms"] == 0));
    place.run(&["highlights", "--player", "nobody here", "ffa.dm_71"]).ends(0).shows("nothing");
    for wrong in [["--kills", "1"], ["--turn", "181"], ["--kind", "ace"], ["--within", "soon"]] {
        place.run(&[&["highlights", "ffa.dm_71"], &wrong[..]].concat()).ends(2);
    }
}

#[test]
fn csv_has_the_documented_columns() {
    let place = place();
    place.write("other.dm_71", &testdata("oa-dm4.dm_71"));
    let names: Vec<_> = HIGHLIGHTS.columns.iter().map(|c| c.name).collect();
    let one = place.run(&["highlights", "--csv", "ffa.dm_71"]).ends(0).in_silence();
    assert_eq!(one.text().lines().next().unwrap(), names.join(","));
    let two = place.run(&["highlights", "--csv", "ffa.dm_71", "other.dm_71"]).ends(0).in_silence();
    assert_eq!(two.text().lines().next().unwrap(), format!("file,{}", names.join(",")));
    assert_eq!(two.text().lines().count() - 1, 2 * (one.text().lines().count() - 1));
}
