//! Pages of the manual: those of the command line, and those made of the documents that come with the source.

use std::fmt::Write;

/// The documents that people want at hand where qdemo is installed: name, section, what it is about, and the text.
pub(crate) const DOCUMENTS: [(&str, &str, &str, &str); 4] = [
    ("qdemo-tables", "5", "tables and JSON that qdemo writes", include_str!("../../../docs/tables.md")),
    ("qdemo-rules", "5", "rules for qdemo check", include_str!("../../../docs/rules.md")),
    ("qdemo-text", "5", "demos as text", include_str!("../../../docs/text-format.md")),
    ("qdemo-cookbook", "7", "what to do with qdemo, by example", include_str!("../../../docs/cookbook.md")),
];

/// A document in Markdown as a page of the manual.
pub(crate) fn page(name: &str, section: &str, about: &str, markdown: &str) -> String {
    let mut out = format!(".TH {name} {section}\n.SH NAME\n{name} \\- {about}\n");
    let mut verbatim = false;
    let mut heads: Vec<String> = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            verbatim = !verbatim;
            out.push_str(if verbatim { ".PP\n.in +2\n.nf\n" } else { ".fi\n.in -2\n" });
        } else if verbatim {
            let _ = writeln!(out, "{}", plain(line));
        } else if line.starts_with("<!--") || line.starts_with("# ") {
            // Where it comes from, and what stands above.
        } else if let Some(row) = line.strip_prefix('|') {
            table_row(row, &mut heads, &mut out);
        } else {
            heads.clear();
            let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
            let _ = match mark {
                "##" => writeln!(out, ".SH {}", plain(text).to_uppercase()),
                "###" | "####" => writeln!(out, ".SS {}", plain(text)),
                "" if text.is_empty() => writeln!(out, ".PP"),
                "*" | "-" => writeln!(out, ".IP \\(bu 2\n{}", styled(text)),
                number if number.ends_with('.') && number.trim_end_matches('.').parse::<u8>().is_ok() => {
                    writeln!(out, ".IP {number} 3\n{}", styled(text))
                }
                _ => writeln!(out, "{}", styled(line.trim_start())),
            };
        }
    }
    out
}

/// A row of a table: its first cell, and below that the others with what stands above them. Terminals are too narrow for more.
fn table_row(row: &str, heads: &mut Vec<String>, out: &mut String) {
    let row = row.trim_end().trim_end_matches('|').replace("\\|", "\u{0}");
    let cells: Vec<String> = row.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect();
    if heads.is_empty() {
        *heads = cells;
        return;
    }
    if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'))) {
        return;
    }
    let Some((first, rest)) = cells.split_first() else { return };
    let _ = writeln!(out, ".TP\n{}", styled(first));
    let told = heads.iter().skip(1).zip(rest).filter(|(_, cell)| !cell.is_empty());
    let told: Vec<_> = told.map(|(head, cell)| (head, styled(cell))).collect();
    match told.as_slice() {
        // What there is one of needs no name.
        [(_, one)] if heads.len() == 2 => drop(writeln!(out, "{one}")),
        all => {
            let all: Vec<_> = all.iter().map(|(head, cell)| format!("{}: {cell}", styled(head))).collect();
            let _ = writeln!(out, "{}", all.join("; "));
        }
    }
}

/// Text as it stands, without what roff would obey.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

/// Text with names in bold; of links what they are called.
fn styled(text: &str) -> String {
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        match n % 2 {
            0 => out.push_str(&without_links(part).replace('\\', "\\e")),
            _ => {
                let _ = write!(out, "\\fB{}\\fR", part.replace('\\', "\\e").replace('-', "\\-"));
            }
        }
    }
    let out = out.replace("**", "");
    if out.starts_with(['.', '\'']) { format!("\\&{out}") } else { out }
}

fn without_links(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, (called, behind))) =
        rest.split_once('[').and_then(|(before, behind)| Some((before, behind.split_once("](")?)))
    {
        let Some((_, behind)) = behind.split_once(')') else { break };
        out.push_str(before);
        out.push_str(called);
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_roff() {
        let text = "# Title\n\nSee [the rules](rules.md) of `a-b`.\n\n## Part\n\n* one\n2. two\n\n```text\n.x \\ -\n```\n\n\
                    | key | type | what |\n|---|---|---|\n| `a\\|b` | | it |\n";
        let expected = ".TH x 5\n.SH NAME\nx \\- about\n.PP\nSee the rules of \\fBa\\-b\\fR.\n.PP\n.SH PART\n.PP\n\
                        .IP \\(bu 2\none\n.IP 2. 3\ntwo\n.PP\n.PP\n.in +2\n.nf\n\\&.x \\e \\-\n.fi\n.in -2\n.PP\n\
                        .TP\n\\fBa|b\\fR\nwhat: it\n";
        assert_eq!(page("x", "5", "about", text), expected);
    }
}
