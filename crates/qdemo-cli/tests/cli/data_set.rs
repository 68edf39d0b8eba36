//! `export` into a folder: a data set, parted by table and game.

use std::path::Path;
use std::process::Stdio;

use crate::support::{Place, testdata};

const DEMOS: [&str; 4] = ["clip.dem", "ez-dm.mvd", "q2-demo1.dm2", "oa-dm4.dm_71"];

/// All files below a folder, by their names, with what is in them.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
                    all.push((name, std::fs::read(entry.path()).unwrap()));
                }
            }
        }
    }
    all.sort();
    all
}

/// Lines of CSV behind the headings, of all files of a table.
fn lines(files: &[(String, Vec<u8>)], table: &str) -> Vec<String> {
    let of = files.iter().filter(|(name, _)| name.starts_with(&format!("table={table}/")));
    of.flat_map(|(_, file)| String::from_utf8_lossy(file).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn demos() -> Place {
    let place = Place::new();
    DEMOS.iter().for_each(|name| place.write(&format!("demos/{name}"), &testdata(name)));
    place
}

#[test]
fn a_data_set_is_the_same_whatever_the_threads_and_has_the_rows_of_the_tables() {
    let place = demos();
    for more in [&[][..], &["--rows-per-file", "500"]] {
        let args = ["export", "demos/", "--table", "demos,frags,frames"];
        let run = |out: &str, jobs: &str| {
            place.run(&[&args[..], more, &["-o", out, "-j", jobs]].concat()).ends(0);
            let all = files(&place.path(out));
            std::fs::remove_dir_all(place.path(out)).unwrap();
            all
        };
        let one = run("data/", "1");
        assert!(one == run("data/", "4") && one == run("data/", "4"));
        for table in ["frags", "frames"] {
            let done = place.run(&["export", "demos/", "--table", table]).ends(0);
            let mut together: Vec<_> = done.text().lines().skip(1).map(str::to_owned).collect();
            let mut parted = lines(&one, table);
            together.sort();
            parted.sort();
            assert_eq!(together, parted, "{table} {more:?}");
        }
        assert_eq!(lines(&one, "demos").len(), DEMOS.len());
        let games: Vec<_> = one.iter().filter_map(|(name, _)| name.strip_prefix("table=demos/game=")).collect();
        for game in ["quake/", "quakeworld/", "quake2/", "quake3/"] {
            assert_eq!(games.iter().filter(|name| name.starts_with(game)).count(), 1, "{games:?}");
        }
        if !more.is_empty() {
            let rows = one.iter().map(|(_, file)| file.iter().filter(|b| **b == b'\n').count() - 1);
            assert!(rows.max() <= Some(500));
        }
    }
}

/// Two folders may have a recording of one name.
#[test]
fn recordings_of_one_name_have_files_of_their_own() {
    let place = Place::new();
    place.write("a/duel.qwd", &testdata("merge-a.qwd"));
    place.write("b/duel.qwd", &testdata("ez-dm.qwd"));
    let table = ["--table", "frames", "--columns", "frame"];
    let alone = |folder: &str| {
        place.run(&[&["export", folder, "--format", "csv"][..], &table].concat()).ends(0).text().lines().count()
    };
    let rows = alone("a") + alone("b") - 2;
    for jobs in ["-j1", "-j2"] {
        place.run(&[&["export", "a", "b", "--format", "csv", "-o", "out", jobs][..], &table].concat()).ends(0);
        let files = files(&place.path("out"));
        assert!(
            files.len() == 2 && files[0].1 != files[1].1,
            "{:?}",
            files.iter().map(|file| &file.0).collect::<Vec<_>>()
        );
        assert_eq!(lines(&files, "frames").len(), rows);
    }
}

#[test]
fn a_broken_recording_costs_its_own_rows_alone() {
    let place = demos();
    place.write("demos/text.dem", b"This is no demo at all.");
    let demo = testdata("oa-dm4.dm_71");
    place.write("demos/cut.dm_71", &demo[..demo.len() / 2]);
    for more in [&[][..], &["--rows-per-file", "500"]] {
        let args = ["export", "demos/", "--table", "demos,frames", "--json", "-o", "data/"];
        place.run(&[&args[..], more].concat()).ends(2).says("text.dem");
        let all = files(&place.path("data/"));
        std::fs::remove_dir_all(place.path("data")).unwrap();
        let told = all.iter().filter(|(name, _)| name.starts_with("table=demos/"));
        let rows =
            told.flat_map(|(_, file)| String::from_utf8_lossy(file).lines().map(str::to_owned).collect::<Vec<_>>());
        let rows: Vec<serde_json::Value> = rows.map(|row| serde_json::from_str(&row).unwrap()).collect();
        assert_eq!(rows.len(), DEMOS.len() + 2);
        let row = |name: &str| rows.iter().find(|row| row["file"] == format!("demos/{name}")).unwrap();
        assert!(row("text.dem")["error"].as_str().unwrap().contains("no demo"), "{}", row("text.dem"));
        assert_eq!((row("text.dem").get("format"), row("clip.dem").get("error")), (None, None));
        // What stands in front of the damage is told.
        assert!(row("cut.dm_71")["fault"].as_str().unwrap().contains("truncated"));
        let cut = all.iter().filter(|(name, _)| name.starts_with("table=frames/"));
        assert!(cut.clone().any(|(_, file)| String::from_utf8_lossy(file).contains("demos/cut.dm_71")));
        assert!(!cut.clone().any(|(_, file)| String::from_utf8_lossy(file).contains("text.dem")));
    }
}

/// A program that is killed leaves whole files alone, and the next run makes what a run that was not killed makes.
#[cfg(target_os = "linux")]
#[test]
fn what_is_killed_leaves_nothing_half_written() {
    let place = demos();
    for more in [&[][..], &["--rows-per-file", "2000"]] {
        let args = [&["export", "demos/", "--table", "positions,frames,demos", "-o", "data/"][..], more].concat();
        let _ = std::fs::remove_dir_all(place.path("data"));
        let begun = std::time::Instant::now();
        place.run(&args).ends(0);
        let (whole, took) = (files(&place.path("data")), begun.elapsed());
        for part in 1..=10 {
            std::fs::remove_dir_all(place.path("data")).unwrap();
            let mut child = place.command().args(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(took * part / 11);
            child.kill().unwrap();
            child.wait().unwrap();
            let left = if place.path("data").exists() { files(&place.path("data")) } else { Vec::new() };
            for file in left {
                assert!(whole.contains(&file), "{} is not whole", file.0);
            }
            place.run(&args).ends(0);
            assert!(files(&place.path("data")) == whole);
        }
    }
}

/// Where files of an earlier run lie beside those of this one, readers take both: it is said.
#[test]
fn what_an_earlier_run_left_is_named() {
    let place = demos();
    let args = ["export", "demos/", "--table", "frames", "-o", "data/"];
    place.run(&args).ends(0).in_silence();
    place.run(&args).ends(0).in_silence();
    place.run(&[&args[..], &["--rows-per-file", "1000"]].concat()).ends(0).says("4 files from an earlier run");
}

#[test]
fn what_cannot_be_is_said() {
    let place = demos();
    place.run(&["export", "demos/", "--table", "frames,frags"]).ends(2).says("give -o FOLDER/");
    place
        .run(&["export", "demos/clip.dem", "--table", "frames", "--rows-per-file", "5"])
        .ends(2)
        .says("give -o FOLDER/");
    place.run(&["export", "demos/clip.dem", "--table", "demos", "--from", "1"]).ends(2).says("about times");
    let done = place.run(&["export", "demos/clip.dem", "--table", "frames", "-o", "frames.parquet"]);
    match cfg!(feature = "parquet") {
        true => drop(done.ends(0)),
        false => drop(done.ends(2).says("--features parquet")),
    }
}
