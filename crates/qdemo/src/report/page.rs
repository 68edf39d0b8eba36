//! The page of a report: markup in which everything that is told is text.

use std::fmt::Write as _;

use super::matrix::Matrix;
use crate::analysis::stats::Board;
use crate::view::{PageSources, escaped, source};

const STYLE: &str = include_str!("style.css");
/// Shades of cells in which numbers stand, as the style has them.
const SHADES: u32 = 6;

pub(super) fn sources() -> PageSources {
    PageSources::of(&[], &[STYLE])
}

/// A page that is written.
#[derive(Debug)]
pub(super) struct Page {
    out: String,
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        let policy = format!("default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'", source(STYLE));
        let out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
            escaped(title)
        );
        Page { out }
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</body>\n</html>\n");
        self.out
    }

    pub(super) fn begin(&mut self, element: &str) {
        let _ = writeln!(self.out, "<{element}>");
    }

    pub(super) fn end(&mut self, element: &str) {
        let _ = writeln!(self.out, "</{element}>");
    }

    pub(super) fn element(&mut self, element: &str, text: &str) {
        let _ = writeln!(self.out, "<{element}>{}</{element}>", escaped(text));
    }

    fn cell(&mut self, element: &str, attributes: &str, text: &str) {
        let _ = write!(self.out, "<{element}{attributes}>{}</{element}>", escaped(text));
    }

    /// A table, where there is something in it.
    pub(super) fn board(&mut self, title: &str, board: &Board) {
        if board.rows.is_empty() {
            return;
        }
        if !title.is_empty() {
            self.element("h3", title);
        }
        self.out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        let class = |numbers: bool| if numbers { " class=\"n\"" } else { "" };
        for head in &board.heads {
            let attributes = format!(" scope=\"col\"{}", class(head.numbers));
            self.cell("th", &attributes, &head.name.replace('_', " "));
        }
        self.out.push_str("</tr></thead>\n<tbody>\n");
        for row in &board.rows {
            self.out.push_str("<tr>");
            for (head, cell) in board.heads.iter().zip(row) {
                self.cell("td", class(head.numbers), cell);
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody></table></div>\n");
    }

    /// Who killed whom, where anybody did.
    pub(super) fn matrix(&mut self, matrix: &Matrix) {
        let most = matrix.counts.iter().flatten().copied().max().unwrap_or_default();
        if most == 0 {
            return;
        }
        self.element("h3", "Who killed whom");
        self.out
            .push_str("<div class=\"wide\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">Killed by ↓</th>");
        for name in &matrix.names {
            let _ = write!(self.out, "<th scope=\"col\" class=\"up\"><span>{}</span></th>", escaped(name));
        }
        self.out.push_str("</tr></thead>\n<tbody>\n");
        let names = matrix.names.iter().map(|name| &**name).chain(["the world"]);
        for (n, (name, row)) in names.zip(&matrix.counts).enumerate() {
            if n == matrix.names.len() && row.iter().all(|count| *count == 0) {
                continue;
            }
            self.out.push_str("<tr>");
            self.cell("th", " scope=\"row\"", name);
            for (at, count) in row.iter().enumerate() {
                let shade = (count * SHADES).div_ceil(most);
                let own = if at == n { " own" } else { "" };
                let text = if *count == 0 { String::new() } else { count.to_string() };
                self.cell("td", &format!(" class=\"n s{shade}{own}\""), &text);
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody></table></div>\n");
    }

    /// A picture of ours: its markup is ours, and what it tells is text in it.
    pub(super) fn picture(&mut self, svg: &str) {
        let _ = writeln!(self.out, "<figure>{svg}</figure>");
    }

    /// A list of what happened, where something did: time, name and text. It can be folded.
    pub(super) fn list(&mut self, title: &str, lines: impl Iterator<Item = [String; 3]>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        let _ = writeln!(self.out, "<details open><summary>{}</summary>\n<ol>", escaped(title));
        for [time, name, text] in lines {
            self.out.push_str("<li>");
            self.cell("time", "", &time);
            self.cell("strong", "", &name);
            self.cell("span", "", &text);
            self.out.push_str("</li>\n");
        }
        self.out.push_str("</ol></details>\n");
    }
}
