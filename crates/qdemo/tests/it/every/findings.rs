//! Inputs that fuzzing found trouble with, replayed. Each name says what it was; the folder tells the format.

use qdemo::Limits;
use qdemo::replay::info::info;

use crate::common::{comes_back, file_name, files, root};

#[test]
fn inputs_found_by_fuzzing() {
    let mut replayed = Vec::new();
    for folder in files(&root().join("testdata/fuzz"), "") {
        let format = file_name(&folder);
        // Under both kinds of names that Quake III's demos have.
        let names = match &*format {
            "dm3" => vec!["x.dm_68".to_owned(), "x.dm3".to_owned()],
            _ => vec![format!("x.{format}")],
        };
        for path in files(&folder, "") {
            let demo = std::fs::read(&path).unwrap();
            for name in &names {
                comes_back(&demo, name);
                serde_json::to_value(info(&demo[..], name, Limits::default()).unwrap()).unwrap();
            }
            replayed.push(format.clone());
        }
    }
    replayed.dedup();
    assert_eq!(replayed, ["dem", "dm3", "mvd", "qwd"], "folders with inputs");
}
