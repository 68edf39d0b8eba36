//! The rooms of the library: which module may use which, read from the sources.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::root;

/// The modules from the lowest to the highest: each may use those in front of it.
const LAYERS: &[&str] = &[
    "sealed",
    "foreign",
    "packing",
    "kinds",
    "json",
    "limits",
    "error",
    "divide",
    "pipe",
    "wire",
    "container",
    "describe",
    "frame",
    "format",
    "demo",
    "text",
    "world",
    "event",
    "game",
    "replay",
    "edit",
    "convert",
    "merge",
    "diff",
    "analysis",
    "table",
    "view",
    "draw",
    "report",
    "open",
];

/// What the crate's root gives again, and where it stands.
const FRONT: &[(&str, &str)] = &[
    ("Bound", "limits"),
    ("Chunk", "demo"),
    ("Demo", "demo"),
    ("Error", "error"),
    ("Event", "event"),
    ("Faults", "demo"),
    ("FileKind", "demo"),
    ("Limits", "limits"),
    ("Reader", "demo"),
    ("Result", "error"),
    ("Seeker", "replay"),
    ("World", "replay"),
    ("detect", "demo"),
    ("verify", "demo"),
];

/// Layers that know nothing of each other although one stands in front of the other.
const APART: &[(&str, &str)] = &[
    // What a container holds is bytes.
    ("describe", "container"),
    ("frame", "container"),
    ("format", "container"),
    ("demo", "container"),
    ("text", "container"),
    ("game", "container"),
    ("replay", "container"),
    ("diff", "container"),
    ("analysis", "container"),
    ("table", "container"),
    ("view", "container"),
    ("draw", "container"),
    ("report", "container"),
    ("edit", "container"),
    ("convert", "container"),
    ("merge", "container"),
    // What is numbered, said or shown is for those who ask an edit.
    ("analysis", "edit"),
    ("table", "edit"),
    ("view", "edit"),
    ("draw", "edit"),
    ("report", "edit"),
    ("diff", "convert"),
    ("analysis", "convert"),
    ("table", "convert"),
    ("view", "convert"),
    ("draw", "convert"),
    ("report", "convert"),
    // One vocabulary for all games names no format.
    ("world", "describe"),
    ("world", "format"),
    ("world", "demo"),
    ("event", "describe"),
    ("event", "format"),
    ("event", "demo"),
    // Games read messages, whatever file these are from.
    ("game", "demo"),
    ("game", "text"),
    // What a recording tells is told without its text.
    ("replay", "text"),
    ("analysis", "text"),
    ("view", "text"),
    ("draw", "text"),
    ("report", "text"),
    ("analysis", "diff"),
    ("table", "diff"),
    ("view", "diff"),
    ("draw", "diff"),
    ("report", "diff"),
    // Tables are rows of what is known.
    ("table", "format"),
    ("table", "frame"),
];

/// Games that use another one's world.
const GAMES: &[(&str, &str)] = &[("quakeworld", "quake")];

fn sources() -> PathBuf {
    root().join("crates/qdemo/src")
}

fn rust_files(dir: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => rust_files(&path, all),
            false => all.extend(Some(path).filter(|path| path.extension().is_some_and(|it| it == "rs"))),
        }
    }
}

/// The code of a file without comments and tests of its own.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The first names behind `prefix` in some code: of `crate::a::b` it is `a`, of `crate::{a::b, c}` they are `a` and `c`.
fn names_behind(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut item = true;
        for (n, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => item = true,
                c if item && !c.is_whitespace() => {
                    names.insert(word(&list[n..]));
                    item = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// The modules of the library that each file uses: the file, its own module, and those.
fn uses() -> Vec<(PathBuf, String, BTreeSet<String>)> {
    let mut files = Vec::new();
    rust_files(&sources(), &mut files);
    let own = |path: &Path| {
        let inside = path.strip_prefix(sources()).unwrap().to_owned();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let module = |name: String| FRONT.iter().find(|(front, _)| *front == name).map_or(name, |(_, at)| (*at).to_owned());
    let used = |path: &Path| names_behind(&code(path), "crate::").into_iter().map(module).collect();
    files.into_iter().map(|path| (path.clone(), own(&path), used(&path))).filter(|(_, own, _)| own != "lib").collect()
}

#[test]
fn modules_use_lower_ones_only() {
    let place = |module: &str| LAYERS.iter().position(|layer| *layer == module);
    let uses = uses();
    assert!(uses.len() > 200, "the sources were not found");
    let mut wrong = Vec::new();
    for (path, own, used) in &uses {
        let here = place(own).unwrap_or_else(|| panic!("{own} has no layer: {}", path.display()));
        for module in used.iter().filter(|module| *module != own) {
            let Some(there) = place(module) else { panic!("{module} has no layer: {}", path.display()) };
            if there > here || APART.contains(&(own, module)) {
                wrong.push(format!("{} uses {module}", path.strip_prefix(sources()).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn games_stand_alone() {
    let mut wrong = Vec::new();
    for (path, own, _) in uses().iter().filter(|(_, own, _)| own == "game") {
        let inside = path.strip_prefix(sources().join(own)).unwrap();
        let game = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let others = names_behind(&code(path), "crate::game::");
        let others = others.iter().filter(|other| sources().join(own).join(other).is_dir() && **other != game);
        let others = others.filter(|other| !GAMES.contains(&(&game, other)));
        wrong.extend(others.map(|other| format!("{} uses {other}", inside.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_in_use_lines_are_found() {
    let found = names_behind("use crate::{Limits, wire::{Str, clean}, demo};\ncrate::error::Result", "crate::");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Limits", "demo", "error", "wire"]);
}
