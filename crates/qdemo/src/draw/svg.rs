//! Writing SVG.

use std::fmt::Write as _;

use crate::view::escaped;

/// A document that is written.
#[derive(Debug)]
pub(super) struct Svg {
    out: String,
}

/// Where a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// In pixels.
    pub(super) size: f64,
    pub(super) color: &'static str,
    pub(super) bold: bool,
    pub(super) anchor: Anchor,
    /// Light around it, to be read on whatever lies below.
    pub(super) halo: bool,
}

/// Colours of all pictures.
pub(super) const INK: &str = "#1b2129";
pub(super) const SOFT: &str = "#57616e";
pub(super) const LINE: &str = "#d5dae1";
pub(super) const PAPER: &str = "#ffffff";
pub(super) const GROUND: &str = "#f3f4f6";

pub(super) const TEXT: Style = Style { size: 13.0, color: INK, bold: false, anchor: Anchor::Start, halo: false };
pub(super) const SMALL: Style = Style { size: 11.5, color: SOFT, ..TEXT };
pub(super) const TITLE: Style = Style { size: 20.0, bold: true, ..TEXT };

/// A number in as few letters as a tenth of a pixel needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct N(pub(super) f64);

impl std::fmt::Display for N {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{}", tenths as f64 / 10.0),
        }
    }
}

impl Svg {
    pub(super) fn new(width: u32, height: u32, title: &str) -> Self {
        let title = escaped(title);
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" font-family=\"'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, Arial, sans-serif\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>\n"
        );
        Svg { out }
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    pub(super) fn rect(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2], fill: &str) {
        let _ =
            writeln!(self.out, r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{fill}"/>"#, N(x), N(y), N(w), N(h));
    }

    /// A disc with a light edge, and what it is, for those who point at it.
    pub(super) fn dot(&mut self, [x, y]: [f64; 2], radius: f64, fill: &str, told: &str) {
        let (x, y, r) = (N(x), N(y), N(radius));
        let told = if told.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(told)) };
        let _ = writeln!(
            self.out,
            r#"<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}" stroke="{PAPER}" stroke-width="1">{told}</circle>"#
        );
    }

    /// A path that is filled.
    pub(super) fn fill(&mut self, path: &Path, fill: &str, opacity: f64) {
        if !path.0.is_empty() {
            let _ = writeln!(self.out, r#"<path d="{}" fill="{fill}" fill-opacity="{opacity:.2}"/>"#, path.0);
        }
    }

    /// A path of faces: their edges have their colour too, so that nothing shines through between them.
    pub(super) fn faces(&mut self, path: &Path, fill: &str) {
        if !path.0.is_empty() {
            let _ = writeln!(
                self.out,
                r#"<path d="{}" fill="{fill}" stroke="{fill}" stroke-width="0.7" stroke-linejoin="round"/>"#,
                path.0
            );
        }
    }

    /// A path that is drawn as a line.
    pub(super) fn line(&mut self, path: &Path, color: &str, width: f64, opacity: f64) {
        if !path.0.is_empty() {
            let _ = writeln!(
                self.out,
                r#"<path d="{}" fill="none" stroke="{color}" stroke-width="{}" stroke-opacity="{opacity:.2}" stroke-linejoin="round" stroke-linecap="round"/>"#,
                path.0,
                N(width)
            );
        }
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], text: &str, style: Style) {
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if style.bold { r#" font-weight="bold""# } else { "" };
        let (x, y, size, color) = (N(x), N(y), N(style.size), style.color);
        let text = escaped(text);
        if style.halo {
            // In front of the text, not with it: not everybody knows an order of painting.
            let _ = writeln!(
                self.out,
                r#"<text x="{x}" y="{y}" font-size="{size}" fill="{PAPER}" stroke="{PAPER}" stroke-width="3" stroke-linejoin="round"{anchor}{weight} aria-hidden="true">{text}</text>"#
            );
        }
        let _ = writeln!(
            self.out,
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{color}"{anchor}{weight}>{text}</text>"#
        );
    }

    /// Begins a picture in the picture: nothing of it is seen outside of a rectangle. It needs no name, so that several
    /// pictures can stand in one page.
    pub(super) fn begin_clip(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2]) {
        let (x, y, w, h) = (N(x), N(y), N(w), N(h));
        let _ = writeln!(self.out, r#"<svg x="{x}" y="{y}" width="{w}" height="{h}" viewBox="{x} {y} {w} {h}">"#);
    }

    pub(super) fn end_clip(&mut self) {
        self.out.push_str("</svg>\n");
    }
}

/// A path.
#[derive(Debug, Clone, Default)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn to(&mut self, [x, y]: [f64; 2], begins: bool) {
        let _ = write!(self.0, "{}{} {}", if begins { 'M' } else { 'L' }, N(x), N(y));
    }

    pub(super) fn rect(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2]) {
        let _ = write!(self.0, "M{} {}h{}v{}h{}z", N(x), N(y), N(w), N(h), N(-w));
    }

    pub(super) fn polygon(&mut self, corners: &[[f64; 2]]) {
        corners.iter().enumerate().for_each(|(n, corner)| self.to(*corner, n == 0));
        self.0.push('z');
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// About how wide a text is, in pixels: the fonts that are named are alike.
pub(super) fn width(text: &str, style: Style) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | '|' | '!' => 0.32,
        ' ' | 't' | 'f' | 'r' | 'I' | '(' | ')' | '[' | ']' | '-' => 0.40,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
        'A'..='Z' => 0.70,
        c if c.is_ascii() => 0.62,
        _ => 0.80,
    };
    text.chars().map(wide).sum::<f64>() * style.size * if style.bold { 1.1 } else { 1.0 }
}

/// A text that fits into a width, with what is left out marked.
pub(super) fn fitted(text: &str, most: f64, style: Style) -> String {
    if width(text, style) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if width(&kept, style) + style.size * 1.6 > most {
            break;
        }
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [1.0, -0.04, 2.25, 1200.96, -3.5].map(|v| N(v).to_string());
        assert_eq!(texts, ["1", "0", "2.3", "1201", "-3.5"]);
    }

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(fitted("Sarge", 200.0, TEXT), "Sarge");
        let cut = fitted("a very long name of somebody", 80.0, TEXT);
        assert!(cut.ends_with('…') && width(&cut, TEXT) <= 80.0, "{cut}");
    }
}
