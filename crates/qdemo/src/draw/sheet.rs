//! The sheet of a picture: title, legend, and the place for what is drawn.

use super::svg::{Anchor, GROUND, INK, LINE, Path, SMALL, Svg, TEXT, TITLE, fitted, width};
use super::{Scene, Size};

/// Around everything, in pixels.
const MARGIN: f64 = 20.0;
const HEAD: f64 = 62.0;
/// The width of the legend, and of a line of it.
const LEGEND: f64 = 210.0;
const LINE_HEIGHT: f64 = 20.0;

/// A line of a legend.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) color: &'static str,
    pub(super) name: String,
    pub(super) number: String,
}

/// A sheet, with a title.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) svg: Svg,
    /// Where the picture is.
    pub(super) area: Area,
    legend: [f64; 2],
    /// The width of the legend.
    room: f64,
    /// Up to where there is room for the legend.
    bottom: f64,
}

/// A rectangle on the sheet, in whole pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) at: [f64; 2],
    pub(super) size: [f64; 2],
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.at[0] + self.size[0]
    }

    pub(super) fn bottom(&self) -> f64 {
        self.at[1] + self.size[1]
    }
}

impl Sheet {
    pub(super) fn new(scene: &Scene<'_>, title: &str, told: &str) -> Self {
        let Size { width: w, height: h } = scene.choice.size;
        let (wide, high) = (f64::from(w), f64::from(h));
        let mut svg = Svg::new(w, h, title);
        let room = wide - 2.0 * MARGIN;
        svg.text([MARGIN, MARGIN + 14.0], &fitted(title, room, TITLE), TITLE);
        let below = format!("{told} · {}", scene.source());
        svg.text([MARGIN, MARGIN + 34.0], &fitted(&below, room, SMALL), SMALL);
        // A small picture has more need of its plan.
        let room = LEGEND.min((wide * 0.28).floor());
        let right = wide - MARGIN - room - 16.0;
        let area = Area { at: [MARGIN, HEAD], size: [(right - MARGIN).floor(), (high - HEAD - MARGIN).floor()] };
        Sheet { svg, area, legend: [right + 16.0, HEAD + 12.0], room, bottom: high - MARGIN }
    }

    /// The heading of a part of the legend.
    pub(super) fn heading(&mut self, text: &str) {
        let style = super::svg::Style { bold: true, ..SMALL };
        self.svg.text(self.legend, &fitted(text, self.room, style), style);
        self.legend[1] += LINE_HEIGHT;
    }

    /// Lines of the legend; those that find no room are counted.
    pub(super) fn entries(&mut self, entries: &[Entry]) {
        let room = ((self.bottom - self.legend[1]) / LINE_HEIGHT).floor().max(1.0) as usize;
        let shown = if entries.len() > room { room - 1 } else { entries.len() };
        let right = self.legend[0] + self.room;
        for entry in entries.iter().take(shown) {
            let [x, y] = self.legend;
            self.svg.dot([x + 5.0, y - 4.5], 5.0, entry.color, "");
            let number = width(&entry.number, TEXT);
            self.svg.text([x + 17.0, y], &fitted(&entry.name, self.room - number - 26.0, TEXT), TEXT);
            let style = super::svg::Style { anchor: Anchor::End, ..TEXT };
            self.svg.text([right, y], &entry.number, style);
            self.legend[1] += LINE_HEIGHT;
        }
        if shown < entries.len() {
            self.svg.text(self.legend, &format!("and {} more", entries.len() - shown), SMALL);
            self.legend[1] += LINE_HEIGHT;
        }
        self.legend[1] += 8.0;
    }

    /// A remark below the legend, in lines as long as there is room.
    pub(super) fn remark(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split(' ').chain([""]) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if word.is_empty() || width(&longer, SMALL) > self.room {
                self.svg.text(self.legend, &line, SMALL);
                self.legend[1] += 16.0;
                line = word.to_owned();
            } else {
                line = longer;
            }
        }
        self.legend[1] += 8.0;
    }

    /// A ramp of colours from few to many.
    pub(super) fn ramp(&mut self, colors: &[String], ends: [&str; 2]) {
        let ([x, y], room) = (self.legend, self.room);
        let step = room / colors.len() as f64;
        self.svg.rect([x, y - 8.0], [room, 10.0], GROUND);
        for (n, color) in colors.iter().enumerate() {
            self.svg.rect([x + step * n as f64, y - 8.0], [step + 0.3, 10.0], color);
        }
        self.svg.text([x, y + 16.0], ends[0], SMALL);
        let style = super::svg::Style { anchor: Anchor::End, ..SMALL };
        self.svg.text([x + room, y + 16.0], ends[1], style);
        self.legend[1] += 42.0;
    }

    /// The ground of the picture.
    pub(super) fn ground(&mut self) {
        self.svg.rect(self.area.at, self.area.size, GROUND);
    }

    /// How long something is: `units` are `pixels` long.
    pub(super) fn scale_bar(&mut self, units: f64, pixels: f64) {
        let [x, y] = [self.area.at[0] + 14.0, self.area.bottom() - 14.0];
        let mut bar = Path::default();
        [[x, y - 5.0], [x, y], [x + pixels, y], [x + pixels, y - 5.0]]
            .iter()
            .enumerate()
            .for_each(|(n, at)| bar.to(*at, n == 0));
        self.svg.line(&bar, INK, 1.5, 1.0);
        let style = super::svg::Style { halo: true, ..SMALL };
        self.svg.text([x + 5.0, y - 6.0], &format!("{units} units"), style);
    }

    pub(super) fn grid_line(&mut self, from: [f64; 2], to: [f64; 2]) {
        let mut path = Path::default();
        path.to(from, true);
        path.to(to, false);
        self.svg.line(&path, LINE, 1.0, 1.0);
    }
}
