//! `docs/cookbook.md`: every command in it does what the page shows. With `QDEMO_BLESS=1` the page gets the outputs of
//! today, to be looked at before they are kept.

#![allow(clippy::panic)]

use std::path::{Path, PathBuf};

use crate::shell::run;
use crate::support::{Place, verbs};

/// Stands for lines of output that the page leaves out.
const GAP: &str = "...";

/// A command of the page, and what it is said to print.
#[derive(Debug)]
struct Step {
    /// Number of its first line in the page, from 0.
    line: usize,
    /// The recipe, by the number of its heading.
    recipe: usize,
    command: String,
    /// Where the expected output stands in the page: lines from, up to.
    output: (usize, usize),
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cookbook.md")
}

/// The commands in the `console` blocks of a page.
fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut inside, mut fenced, mut recipe) = (false, false, 0);
    for (at, &line) in lines.iter().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
            inside = fenced && line == "```console";
        } else if !fenced {
            recipe += usize::from(line.starts_with('#'));
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            steps.push(Step { line: at, recipe, command: command.to_owned(), output: (at + 1, at + 1) });
        } else if let (true, Some(step)) = (inside, steps.last_mut()) {
            match line.strip_prefix('>') {
                Some(more) if step.output == (at, at) => {
                    step.command.push('\n');
                    step.command.push_str(more.strip_prefix(' ').unwrap_or(more));
                    step.output = (at + 1, at + 1);
                }
                _ => step.output.1 = at + 1,
            }
        }
    }
    steps
}

/// A folder with the demos that the page names.
fn kitchen() -> Place {
    let place = Place::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_file() && !name.ends_with(".md") {
            std::fs::copy(entry.path(), place.path(&name)).unwrap();
        }
    }
    place
}

/// True when the output is what the page shows; each gap stands for a line or more.
fn fits(shown: &[&str], actual: &[&str]) -> bool {
    let parts: Vec<_> = shown.split(|&line| line == GAP).collect();
    let [first, rest @ ..] = parts.as_slice() else { return actual.is_empty() };
    let Some((last, middle)) = rest.split_last() else { return first == &actual };
    let Some(mut left) = actual.strip_prefix(*first) else { return false };
    for part in middle {
        let Some(at) = (1..left.len()).find(|&at| left[at..].starts_with(part)) else { return false };
        left = &left[at + part.len()..];
    }
    left.len() > last.len() && left.ends_with(last)
}

/// The output as the page may show it: with a gap where there was one, and as much around it.
fn shortened(shown: &[&str], actual: &[&str]) -> Vec<String> {
    let parts: Vec<_> = shown.split(|&line| line == GAP).map(<[_]>::len).collect();
    let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
    match parts.as_slice() {
        [head, .., tail] if head + tail < actual.len() => {
            [owned(&actual[..*head]), vec![GAP.to_owned()], owned(&actual[actual.len() - tail..])].concat()
        }
        _ => owned(actual),
    }
}

/// Both texts line by line: what the page shows with `-`, what was printed with `+`.
fn difference(shown: &[&str], actual: &[&str]) -> String {
    let same = shown.iter().zip(actual).take_while(|(a, b)| a == b).count();
    let line = |sign: char| move |line: &&str| format!("{sign}{line}\n");
    let (before, gone, new) = (&shown[..same], &shown[same..], &actual[same..]);
    before.iter().map(line(' ')).chain(gone.iter().map(line('-'))).chain(new.iter().map(line('+'))).collect()
}

#[test]
fn every_recipe_works() {
    let text = std::fs::read_to_string(page()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let steps = steps(&lines);
    let bless = std::env::var_os("QDEMO_BLESS").is_some_and(|v| v == "1");
    let (mut blessed, mut kept, mut wrong) = (Vec::new(), 0, String::new());
    let (mut place, mut recipe) = (kitchen(), 0);
    for step in &steps {
        if step.recipe != recipe {
            (place, recipe) = (kitchen(), step.recipe);
        }
        let printed = run(&place, &step.command);
        let actual: Vec<_> = printed.lines().collect();
        let shown = &lines[step.output.0..step.output.1];
        assert!(!actual.iter().any(|line| *line == GAP || line.starts_with("```") || line.starts_with("$ ")));
        let blind = !shown.is_empty() && shown.iter().all(|&line| line == GAP);
        assert!(!blind, "docs/cookbook.md:{}: all of the output is left out", step.line + 1);
        let right = fits(shown, &actual);
        if !right {
            let (line, command) = (step.line + 1, &step.command);
            wrong += &format!("docs/cookbook.md:{line}: {command}\n{}\n", difference(shown, &actual));
        }
        blessed.extend(lines[kept..step.output.0].iter().map(|&line| line.to_owned()));
        blessed.extend(match right {
            true => shown.iter().map(|&line| line.to_owned()).collect(),
            false => shortened(shown, &actual),
        });
        kept = step.output.1;
    }
    if bless {
        blessed.extend(lines[kept..].iter().map(|&line| line.to_owned()));
        std::fs::write(page(), blessed.join("\n") + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "the page shows (-) what is not printed (+); QDEMO_BLESS=1 rewrites it\n{wrong}");
    }
    let recipes: std::collections::BTreeSet<_> = steps.iter().map(|step| step.recipe).collect();
    assert!(recipes.len() >= 12, "{} recipes", recipes.len());
}

/// README shows what some commands print.
#[test]
fn the_examples_of_the_readme_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let place = Place::new();
    std::os::unix::fs::symlink(root.join("testdata").canonicalize().unwrap(), place.path("testdata")).unwrap();
    let mut examples = 0;
    for step in steps(&lines).iter().filter(|step| step.command.starts_with("qdemo ") && step.output.0 < step.output.1)
    {
        let printed = run(&place, &step.command);
        let (shown, actual) = (&lines[step.output.0..step.output.1], printed.lines().collect::<Vec<_>>());
        assert!(fits(shown, &actual), "{}\n{}", step.command, difference(shown, &actual));
        examples += 1;
    }
    assert!(examples >= 5, "{examples}");
}

/// The page has an answer for every verb that reads demos.
#[test]
fn every_verb_has_a_recipe() {
    let text = std::fs::read_to_string(page()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let commands: String = steps(&lines).into_iter().map(|step| step.command + "\n").collect();
    for verb in verbs().iter().filter(|verb| !matches!(verb.as_str(), "completions" | "man")) {
        assert!(commands.contains(&format!("qdemo {verb} ")), "docs/cookbook.md has nothing on {verb}");
    }
}

#[test]
fn gaps_stand_for_lines() {
    assert!(fits(&[], &[]) && fits(&["a", "b"], &["a", "b"]));
    assert!(!fits(&[], &["a"]) && !fits(&["a"], &[]) && !fits(&["a", "b"], &["a", "c"]));
    assert!(fits(&["a", GAP, "d"], &["a", "b", "c", "d"]));
    assert!(fits(&["a", GAP], &["a", "b"]) && fits(&[GAP, "b"], &["a", "b"]));
    assert!(fits(&["a", GAP, "c", GAP, "e"], &["a", "b", "c", "d", "e"]));
    // A gap of nothing is none, order counts, and nothing is used twice.
    assert!(!fits(&["a", GAP, "b"], &["a", "b"]) && !fits(&["a", GAP], &["a"]));
    assert!(!fits(&[GAP, "c", GAP, "b", GAP], &["a", "b", "c", "d", "e"]));
    assert!(!fits(&["a", GAP, "a"], &["a"]) && !fits(&["a", GAP, "c", "c"], &["a", "b", "c"]));
    assert_eq!(shortened(&["x", GAP, "y"], &["a", "b", "c", "d"]), ["a", GAP, "d"]);
}

#[test]
fn commands_are_found() {
    let page = ["# A", "```console", "$ cat <<E", "> one", ">", "> E", "> no", "", "$ ls", "```", "```", "$ no", "```"];
    let steps = steps(&page);
    let found: Vec<_> = steps.iter().map(|step| (step.command.as_str(), step.output, step.recipe)).collect();
    assert_eq!(found, [("cat <<E\none\n\nE\nno", (7, 8), 1), ("ls", (9, 9), 1)]);
}
