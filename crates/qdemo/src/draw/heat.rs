//! Heat: how much of something is where.

use super::plan::{Ground, Plan};
use super::svg::{Path, Svg};

/// The side of a cell, in pixels: whole ones, so that cells that touch show no line between.
const CELL: f64 = 4.0;
/// Steps between nothing and the most.
const STEPS: usize = 14;
/// Less than this share of the most is not shown.
const LEAST: f64 = 0.04;
/// Colours from few to many.
const STOPS: [[f64; 3]; 4] = [[254.0, 217.0, 118.0], [253.0, 141.0, 60.0], [220.0, 38.0, 38.0], [110.0, 0.0, 40.0]];

/// Cells over the area of a plan.
#[derive(Debug)]
pub(super) struct Heat {
    columns: usize,
    rows: usize,
    cells: Vec<f64>,
    at: [f64; 2],
    /// Units to a side of a cell.
    side: f64,
}

impl Heat {
    pub(super) fn new(plan: &Plan) -> Self {
        let [columns, rows] = plan.area.size.map(|v| (v / CELL).floor() as usize);
        Heat { columns, rows, cells: vec![0.0; columns * rows], at: plan.area.at, side: CELL / plan.scale }
    }

    /// Adds so much at a place.
    pub(super) fn add(&mut self, plan: &Plan, place: Ground, much: f64) {
        let [x, y] = plan.at(place);
        let [x, y] = [(x - self.at[0]) / CELL, (y - self.at[1]) / CELL];
        if x >= 0.0 && y >= 0.0 && (x as usize) < self.columns && (y as usize) < self.rows {
            self.cells[y as usize * self.columns + x as usize] += much;
        }
    }

    /// Spreads what is in each cell: a bell whose deviation is so many units.
    pub(super) fn spread(&mut self, deviation: f64) {
        let deviation = (deviation / self.side).max(0.8);
        let reach = (deviation * 3.0).ceil() as usize;
        let mut bell: Vec<f64> = (0..=reach).map(|n| (-(n as f64 / deviation).powi(2) / 2.0).exp()).collect();
        let sum = bell[0] + 2.0 * bell[1..].iter().sum::<f64>();
        bell.iter_mut().for_each(|v| *v /= sum);
        let (columns, rows) = (self.columns, self.rows);
        self.cells = spread_along(&self.cells, &bell, columns, |n| n % columns, 1);
        self.cells = spread_along(&self.cells, &bell, rows, |n| n / columns, columns);
    }

    /// The most there is in a square with a side of so many units.
    pub(super) fn most_in(&self, side: f64) -> f64 {
        self.most() * (side / self.side).powi(2)
    }

    fn most(&self) -> f64 {
        self.cells.iter().copied().fold(0.0, f64::max)
    }

    /// Draws all cells; what has `share` of the most and more has the colour of most, so that one place where somebody slept
    /// does not make all others cold.
    pub(super) fn draw(&self, svg: &mut Svg, share: f64) {
        let most = self.most() * share;
        if most <= 0.0 {
            return;
        }
        let mut paths = vec![Path::default(); STEPS];
        for row in 0..self.rows {
            let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
            let mut column = 0;
            for run in cells.chunk_by(|a, b| step(a / most) == step(b / most)) {
                if let Some(path) = run.first().and_then(|v| step(v / most)).and_then(|n| paths.get_mut(n)) {
                    let at = [self.at[0] + column as f64 * CELL, self.at[1] + row as f64 * CELL];
                    path.rect(at, [run.len() as f64 * CELL, CELL]);
                }
                column += run.len();
            }
        }
        for (n, path) in paths.iter().enumerate() {
            svg.fill(path, &color(n), opacity(n));
        }
    }

    /// The colours of the steps, as they are seen on white.
    pub(super) fn ramp() -> Vec<String> {
        (0..STEPS).map(color).collect()
    }
}

/// The step of a share of the most; `None` for nothing.
fn step(share: f64) -> Option<usize> {
    (share > LEAST).then(|| ((share.min(1.0) - LEAST) / (1.0 - LEAST) * (STEPS as f64 - 0.001)) as usize)
}

fn opacity(step: usize) -> f64 {
    0.30 + 0.58 * step as f64 / (STEPS - 1) as f64
}

fn color(step: usize) -> String {
    let at = step as f64 / (STEPS - 1) as f64 * (STOPS.len() - 1) as f64;
    let from = (at.floor() as usize).min(STOPS.len() - 2);
    let [r, g, b] = [0, 1, 2].map(|n| {
        let [a, b] = [STOPS[from][n], STOPS[from + 1][n]];
        (a + (b - a) * (at - from as f64)).round() as u8
    });
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Spreads along one direction: `long` cells lie in it, `place` tells where a cell lies, `stride` how far its neighbour is.
fn spread_along(cells: &[f64], bell: &[f64], long: usize, place: impl Fn(usize) -> usize, stride: usize) -> Vec<f64> {
    let mut out = vec![0.0; cells.len()];
    for (n, v) in cells.iter().enumerate().filter(|(_, v)| **v > 0.0) {
        let here = place(n);
        for (away, weight) in bell.iter().enumerate() {
            if here + away < long {
                out[n + away * stride] += v * weight;
            }
            if away > 0 && here >= away {
                out[n - away * stride] += v * weight;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_keeps_the_sum() {
        let mut heat = Heat { columns: 40, rows: 30, cells: vec![0.0; 1200], at: [0.0; 2], side: 8.0 };
        heat.cells[15 * 40 + 20] = 3.0;
        heat.spread(24.0);
        let sum: f64 = heat.cells.iter().sum();
        assert!((sum - 3.0).abs() < 1e-6, "{sum}");
        assert!(heat.cells[15 * 40 + 20] < 0.5 && heat.cells[14 * 40 + 20] > heat.cells[10 * 40 + 20]);
    }

    #[test]
    fn few_is_shown_and_nothing_is_not() {
        assert_eq!([step(0.0), step(0.05), step(1.0), step(7.0)], [None, Some(0), Some(STEPS - 1), Some(STEPS - 1)]);
    }
}
