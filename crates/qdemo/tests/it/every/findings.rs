//! Inputs that fuzzing found trouble with, replayed. Each name says what it was.

use crate::common::{assert_survives, files, root};
use qdemo::Limits;

#[test]
fn demos_found_by_fuzzing() {
    for path in files(&root().join("testdata/fuzz/dem"), "") {
        let demo = std::fs::read(&path).unwrap();
        let report = qdemo::verify::verify(&demo[..], "x.dem", Limits::default()).unwrap();
        assert_eq!(report.different, 0, "{}", path.display());
        assert_survives(&demo, &path.display().to_string());
    }
}

/// Under both kinds of names that Quake III's demos have.
#[test]
fn quake_3_demos_found_by_fuzzing() {
    for path in files(&root().join("testdata/fuzz/dm3"), "") {
        let demo = std::fs::read(&path).unwrap();
        for name in ["x.dm_68", "x.dm3"] {
            let report = qdemo::verify::verify(&demo[..], name, Limits::default()).unwrap();
            assert_eq!((report.different, report.bytes), (0, demo.len() as u64), "{}", path.display());
            assert_survives(&demo, name);
        }
    }
}
