//! Charts over time: axes and curves.

use super::clock;
use super::sheet::{Area, Sheet};
use super::svg::{Anchor, INK, Path, SMALL, Style, TEXT, fitted};

/// Room for the numbers beside an axis, in pixels.
const BESIDE: f64 = 44.0;
const BELOW: f64 = 34.0;
/// A lower strip has no room for a name, in pixels.
const LEAST_NAMED: f64 = 16.0;
/// Numbers beside an axis that lie closer together than this run into each other, in pixels.
const LINE: f64 = 12.0;
/// Steps between the marks of time, in milliseconds.
const STEPS_MS: [i64; 12] =
    [100, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];

/// A curve: times in milliseconds, and values; `None` where nothing is told.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) color: &'static str,
    pub(super) points: Vec<(i64, Option<f64>)>,
    /// It holds its value until the next one.
    pub(super) steps: bool,
    /// What lies below it is coloured.
    pub(super) filled: bool,
    pub(super) wide: f64,
}

impl Curve {
    /// The lowest and the highest value.
    pub(super) fn ends(&self) -> Option<[f64; 2]> {
        let values = self.points.iter().filter_map(|(_, v)| *v);
        values.fold(None, |ends, v| Some(ends.map_or([v; 2], |[low, high]: [f64; 2]| [low.min(v), high.max(v)])))
    }
}

/// A strip of a chart.
pub(super) struct Strip {
    /// Whose it is, where there are several.
    pub(super) name: String,
    pub(super) color: &'static str,
    pub(super) curves: Vec<Curve>,
}

/// Strips one below the other, with one axis of time and one scale.
///
/// What lies outside of `shown` is not shown.
pub(super) fn draw(sheet: &mut Sheet, strips: &[Strip], times: [i64; 2], unit: &str, shown: [f64; 2]) {
    let ends = strips.iter().flat_map(|strip| &strip.curves).filter_map(Curve::ends);
    let [low, high] = ends.fold([0.0_f64, 1.0_f64], |[a, b], [low, high]| [a.min(low), b.max(high)]);
    let [low, high] = [low.max(shown[0]), high.min(shown[1])];
    let [x, y] = sheet.area.at;
    let all =
        Area { at: [x + BESIDE, y + 22.0], size: [sheet.area.size[0] - BESIDE, sheet.area.size[1] - BELOW - 22.0] };
    sheet.svg.text([x, y + 14.0], unit, SMALL);
    let share = all.size[1] / strips.len().max(1) as f64;
    // Many strips of a small picture lie closer together.
    let gap = if strips.len() > 1 { (share * 0.2).min(10.0) } else { 0.0 };
    let each = (all.size[1] + gap) / strips.len().max(1) as f64 - gap;
    let mut number = f64::MIN;
    for (n, strip) in strips.iter().enumerate() {
        let area = Area { at: [all.at[0], all.at[1] + (each + gap) * n as f64], size: [all.size[0], each] };
        let axes = Axes { area, times, values: [low, high] };
        number = axes.draw(sheet, number);
        sheet.svg.begin_clip(area.at, area.size);
        strip.curves.iter().for_each(|curve| axes.curve(sheet, curve));
        sheet.svg.end_clip();
        // The legend has it too.
        if !strip.name.is_empty() && each >= LEAST_NAMED {
            let style = Style { bold: true, halo: true, size: 12.0, color: INK, ..TEXT };
            let text = fitted(&strip.name, area.size[0] / 2.0, style);
            sheet.svg.dot([area.at[0] + 11.0, area.at[1] + 11.0], 4.5, strip.color, "");
            sheet.svg.text([area.at[0] + 20.0, area.at[1] + 15.0], &text, style);
        }
    }
    let axes = Axes { area: all, times, values: [low, high] };
    let style = Style { anchor: Anchor::Middle, ..SMALL };
    for ms in axes.marks_of_time() {
        let text = if axes.step_ms() < 1_000 { format!("{:.1}", ms as f64 / 1000.0) } else { clock(ms) };
        sheet.svg.text([axes.x(ms), all.bottom() + 16.0], &text, style);
    }
    sheet.svg.text(
        [all.right(), all.bottom() + 32.0],
        "time since the recording began",
        Style { anchor: Anchor::End, ..SMALL },
    );
}

struct Axes {
    area: Area,
    times: [i64; 2],
    values: [f64; 2],
}

impl Axes {
    fn x(&self, ms: i64) -> f64 {
        let long = (self.times[1] - self.times[0]).max(1) as f64;
        self.area.at[0] + (ms - self.times[0]) as f64 / long * self.area.size[0]
    }

    fn y(&self, v: f64) -> f64 {
        let [low, high] = self.values;
        // A little room above, so that the highest line is a whole one.
        self.area.bottom() - (v - low) / ((high - low) * 1.06) * self.area.size[1]
    }

    fn step_ms(&self) -> i64 {
        let long = self.times[1] - self.times[0];
        let most = (self.area.size[0] / 60.0).max(2.0) as i64;
        STEPS_MS.into_iter().find(|step| long / step <= most).unwrap_or(3_600_000)
    }

    fn marks_of_time(&self) -> Vec<i64> {
        let step = self.step_ms();
        let first = self.times[0].div_euclid(step) * step;
        (0..200).map(|n| first + n * step).filter(|ms| (self.times[0]..=self.times[1]).contains(ms)).collect()
    }

    fn marks_of_values(&self) -> Vec<f64> {
        let [low, high] = self.values;
        let most = (self.area.size[1] / 36.0).clamp(1.0, 8.0);
        let rough = ((high - low) / most).max(0.5);
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
        let step = step.max(1.0);
        let first = (low / step).ceil() as i64;
        (0..12).map(|n| (first + n) as f64 * step).filter(|v| *v <= high).collect()
    }

    /// Draws them, with the numbers for which there is room below another one; gives where the lowest is.
    fn draw(&self, sheet: &mut Sheet, above: f64) -> f64 {
        sheet.svg.rect(self.area.at, self.area.size, super::svg::GROUND);
        for ms in self.marks_of_time() {
            let x = self.x(ms);
            sheet.grid_line([x, self.area.at[1]], [x, self.area.bottom()]);
        }
        let (mut lowest, mut below) = (above, f64::MAX);
        for v in self.marks_of_values() {
            let y = self.y(v);
            sheet.grid_line([self.area.at[0], y], [self.area.right(), y]);
            if y - above >= LINE && below - y >= LINE {
                let style = Style { anchor: Anchor::End, ..SMALL };
                sheet.svg.text([self.area.at[0] - 6.0, y + 4.0], &format!("{v:.0}"), style);
                (lowest, below) = (lowest.max(y), y);
            }
        }
        let mut zero = Path::default();
        zero.to([self.area.at[0], self.y(0.0)], true);
        zero.to([self.area.right(), self.y(0.0)], false);
        sheet.svg.line(&zero, "#9aa3ad", 1.0, 1.0);
        lowest
    }

    fn curve(&self, sheet: &mut Sheet, curve: &Curve) {
        for run in curve.points.split(|(_, v)| v.is_none()) {
            let told = |(ms, v): &(i64, Option<f64>)| Some((self.x(*ms), self.y((*v)?)));
            let mut corners: Vec<[f64; 2]> = Vec::new();
            for (x, y) in run.iter().filter_map(told) {
                if let (true, Some([_, before])) = (curve.steps, corners.last().copied()) {
                    corners.push([x, before]);
                }
                corners.push([x, y]);
            }
            // What lies on one pixel is seen once; what stands between two that are alike is not needed.
            corners.dedup_by(|a, b| (a[0] - b[0]).abs() < 0.4 && (a[1] - b[1]).abs() < 0.4);
            let (Some(first), Some(last)) = (corners.first().copied(), corners.last().copied()) else { continue };
            if curve.filled {
                let mut below = corners.clone();
                below.extend([[last[0], self.y(0.0)], [first[0], self.y(0.0)]]);
                let mut path = Path::default();
                path.polygon(&below);
                sheet.svg.fill(&path, curve.color, 0.22);
            }
            let mut path = Path::default();
            corners.iter().enumerate().for_each(|(n, at)| path.to(*at, n == 0));
            sheet.svg.line(&path, curve.color, curve.wide, 1.0);
        }
    }
}
