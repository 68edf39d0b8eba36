//! Inputs that fuzzing found trouble with, replayed. Each name says what it was.

use qdemo::Limits;

use crate::common::{assert_survives, files, root};

#[test]
fn recordings_found_by_fuzzing() {
    for format in ["qwd", "mvd"] {
        let all = files(&root().join("testdata/fuzz").join(format), "");
        assert!(!all.is_empty(), "{format}");
        for path in all {
            let demo = std::fs::read(&path).unwrap();
            let name = format!("x.{format}");
            let report = qdemo::verify::verify(&demo[..], &name, Limits::default()).unwrap();
            assert_eq!((report.different, report.bytes), (0, demo.len() as u64), "{}", path.display());
            qdemo::info::info(&demo[..], &name, Limits::default()).unwrap().to_json(&name, true);
            assert_survives(&demo, &path.display().to_string());
        }
    }
}
