//! Patterns: `*` and `?` within a name, `[a-z]` and `[!a-z]` for one character, `**` for folders of any depth.

use std::path::{Component, Path, PathBuf};

/// True when the text has something special in it.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// True when the whole name fits the pattern. `*` stops at `/`.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<_> = pattern.chars().collect();
    let name: Vec<_> = name.chars().collect();
    // The usual walk with one place to come back to: linear for a single star, quadratic at worst.
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            p += 1;
            star = Some((p, n));
        } else if let Some(width) = one(&pattern[p..], name[n]) {
            p += width;
            n += 1;
        } else if let Some((after, from)) = star.filter(|&(_, from)| name[from] != '/') {
            star = Some((after, from + 1));
            (p, n) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// How much of the pattern one character takes up, if it fits.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => (c != '/').then_some(1),
        ['[', set @ ..] => {
            let negative = matches!(set.first(), Some('!' | '^'));
            let set = &set[usize::from(negative)..];
            // A bracket right at the beginning belongs to the set.
            let Some(end) = set.iter().skip(1).position(|&c| c == ']').map(|n| n + 1) else {
                return (c == '[').then_some(1);
            };
            let (mut inside, mut at) = (false, 0);
            while at < end {
                if at + 2 < end && set[at + 1] == '-' {
                    inside |= (set[at]..=set[at + 2]).contains(&c);
                    at += 3;
                } else {
                    inside |= set[at] == c;
                    at += 1;
                }
            }
            (inside != negative && c != '/').then_some(1 + usize::from(negative) + end + 1)
        }
        [p, ..] => (*p == c).then_some(1),
        [] => None,
    }
}

/// The files that fit, sorted, each with its path below the part of the pattern that is no pattern.
pub(crate) fn expand(pattern: &Path) -> Vec<(PathBuf, PathBuf)> {
    let parts: Vec<_> = pattern.components().collect();
    let special = |c: &Component<'_>| is_pattern(&c.as_os_str().to_string_lossy());
    let plain = parts.iter().position(special).unwrap_or(parts.len());
    let base: PathBuf = parts[..plain].iter().collect();
    let mut found = Vec::new();
    descend(&base, &parts[plain..], &mut found);
    found.sort_unstable();
    found.dedup();
    let below = |path: PathBuf| {
        let relative = path.strip_prefix(&base).unwrap_or(&path).to_owned();
        (path, relative)
    };
    found.into_iter().map(below).collect()
}

fn descend(at: &Path, rest: &[Component<'_>], found: &mut Vec<PathBuf>) {
    let Some((part, rest)) = rest.split_first() else {
        if at.is_file() {
            found.push(at.to_owned());
        }
        return;
    };
    let part = part.as_os_str().to_string_lossy();
    if !is_pattern(&part) {
        return descend(&at.join(&*part), rest, found);
    }
    let deep = part == "**";
    if deep {
        descend(at, rest, found);
    }
    let folder = if at.as_os_str().is_empty() { Path::new(".") } else { at };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // As in a shell, names with a dot in front are hidden from patterns without one.
        if name.starts_with('.') && !part.starts_with('.') {
            continue;
        }
        let path = at.join(entry.file_name());
        if deep {
            // Links are not followed: they may lead in circles.
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                descend(&path, &[&[Component::Normal("**".as_ref())], rest].concat(), found);
            }
        } else if fits(&part, &name) {
            descend(&path, rest, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, expected) in [
            ("*", "demo1.dem", true),
            ("*.dem", "demo1.dem", true),
            ("*.dem", "demo1.dem.gz", false),
            ("d?mo[1-3].dem", "demo2.dem", true),
            ("d?mo[1-3].dem", "demo4.dem", false),
            ("demo[!1].dem", "demo1.dem", false),
            ("demo[!1].dem", "demo2.dem", true),
            ("4on4[[]dm2].mvd", "4on4[dm2].mvd", true),
            ("[]]x", "]x", true),
            ("a[b", "a[b", true),
            ("*a*b*c", "xxaxxbxxc", true),
            ("*a*b*c", "xxaxxbxx", false),
            ("*.dem", "demos/x.dem", false),
            ("demos/*.dem", "demos/x.dem", true),
            ("", "", true),
            ("", "x", false),
            ("x", "", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
