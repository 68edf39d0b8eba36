//! The plan of a level: its floor from above, and where on the sheet a place is.

use std::collections::HashMap;

use super::sheet::{Area, Entry, Sheet};
use super::svg::{Anchor, Path, Style, TEXT, width};
use super::{Picture, Scene};
use crate::view::{CELL, Map, Replay, Track, TrackOf};

/// Around what is shown, in units.
const AROUND: f64 = 72.0;
/// Less than this is not shown of a level, in units: who stands still is somewhere.
const LEAST: f64 = 256.0;
/// Shades of floors, from low to high.
const SHADES: usize = 20;
const LOW: [f64; 3] = [168.0, 176.0, 188.0];
const HIGH: [f64; 3] = [232.0, 235.0, 239.0];
/// Smaller cells cannot be told apart, in pixels.
const LEAST_CELL: f64 = 4.0;
/// Cells that differ less in height than this, in units, are one floor.
const STEP: i32 = 20;
/// Surfaces are floors whose normals point up at least this much.
const STEEPEST: f64 = 0.55;
/// From where a player is to the highest floor and the lowest that are shown, in units: what is higher is a roof.
const ABOVE: f64 = 96.0;
const BELOW: f64 = 400.0;

/// A place on the ground, in units.
pub(super) type Ground = [f64; 2];

/// A level, from above, on a sheet.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) area: Area,
    /// Pixels to a unit.
    pub(super) scale: f64,
    /// What lies in the middle.
    middle: Ground,
}

/// What a plan leaves out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftOut {
    /// Levels in which there is something to show.
    pub(super) other_levels: usize,
    /// What is on no place, and what one of it is.
    pub(super) without_place: usize,
    pub(super) of: &'static str,
}

/// The level of a plan, and its rows.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) number: usize,
    pub(super) map: String,
    pub(super) rows: std::ops::Range<u32>,
}

/// The rows of a level.
pub(super) fn level(replay: &Replay, number: usize) -> Level {
    let levels = &replay.about.levels;
    let [from, to] = [number, number + 1].map(|n| levels.get(n).map(|level| level.row));
    let rows = from.unwrap_or(0)..to.unwrap_or(replay.rows.len() as u32);
    let map = levels.get(number).map(|level| level.map.clone()).unwrap_or_default();
    Level { number, map: if map.is_empty() { "an unnamed map".to_owned() } else { map }, rows }
}

/// The level in which most happens, by how much happens in each row; and in how many others something does.
pub(super) fn busiest(replay: &Replay, rows: impl Iterator<Item = u32>) -> Option<(Level, usize)> {
    let mut counts = vec![0_usize; replay.about.levels.len().max(1)];
    for row in rows {
        let at = replay.about.levels.partition_point(|level| level.row <= row).saturating_sub(1);
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let number = counts.iter().position(|count| *count == most)?;
    let others = counts.iter().filter(|count| **count > 0).count() - 1;
    Some((level(replay, number), others))
}

/// The ways of players in a level, with slots.
pub(super) fn ways<'r>(replay: &'r Replay, level: &Level) -> impl Iterator<Item = (u32, &'r Track)> {
    let rows = level.rows.clone();
    replay.tracks.iter().filter_map(move |track| match track.of {
        TrackOf::Player(slot) if rows.contains(&track.from) => Some((slot, track)),
        _ => None,
    })
}

impl Plan {
    /// A plan of all of a level in which somebody was, and of these places.
    fn new(area: Area, replay: &Replay, level: &Level, shown: &[Ground]) -> Self {
        let mut bounds = [[f64::MAX; 2], [f64::MIN; 2]];
        let mut take = |place: Ground| {
            for (n, v) in place.into_iter().enumerate() {
                bounds[0][n] = bounds[0][n].min(v);
                bounds[1][n] = bounds[1][n].max(v);
            }
        };
        shown.iter().for_each(|place| take(*place));
        let floor = replay.floors.iter().find(|floor| floor.level as usize == level.number);
        let cells = floor.map(|floor| &*floor.cells).unwrap_or_default();
        cells.iter().for_each(|[x, y, _]| take([x, y].map(|v| f64::from(*v * CELL + CELL / 2))));
        if cells.is_empty() {
            ways(replay, level).flat_map(|(_, track)| &track.keys).for_each(|key| take(ground(key.origin())));
        }
        let [min, max] = bounds;
        let sides = [0, 1].map(|n| (max[n] - min[n]).max(LEAST) + 2.0 * AROUND);
        let scale = (area.size[0] / sides[0]).min(area.size[1] / sides[1]);
        Plan { area, scale, middle: [0, 1].map(|n| (min[n] + max[n]) / 2.0) }
    }

    /// Where a place is on the sheet.
    pub(super) fn at(&self, place: Ground) -> [f64; 2] {
        let [x, y] = [0, 1].map(|n| (place[n] - self.middle[n]) * self.scale);
        [self.area.at[0] + self.area.size[0] / 2.0 + x, self.area.at[1] + self.area.size[1] / 2.0 - y]
    }

    fn is_seen(&self, [x, y]: [f64; 2]) -> bool {
        (self.area.at[0]..self.area.right()).contains(&x) && (self.area.at[1]..self.area.bottom()).contains(&y)
    }
}

/// A plan on a sheet.
#[derive(Debug)]
pub(super) struct PlanSheet {
    pub(super) sheet: Sheet,
    pub(super) plan: Plan,
    level: Level,
    taken: Vec<Area>,
    /// The plan is drawn, and its legend has begun.
    ended: bool,
}

impl PlanSheet {
    /// The plan of a level, with its floor.
    pub(super) fn new(scene: &Scene<'_>, level: Level, what: &str, told: &str, shown: &[Ground]) -> Self {
        let title = format!("{what}{} on {}", scene.whose(), level.map);
        let mut sheet = Sheet::new(scene, &title, told);
        let plan = Plan::new(sheet.area, scene.replay, &level, shown);
        sheet.ground();
        sheet.svg.begin_clip(sheet.area.at, sheet.area.size);
        let map = scene.replay.maps.iter().find(|map| map.level as usize == level.number);
        match map {
            Some(map) => draw_map(&mut sheet, &plan, map, heights(scene.replay, &level)),
            None => draw_cells(&mut sheet, &plan, scene.replay, &level),
        }
        PlanSheet { sheet, plan, level, taken: Vec::new(), ended: false }
    }

    /// A text beside a place, where no other one stands yet; else nothing.
    pub(super) fn label(&mut self, [x, y]: [f64; 2], radius: f64, text: &str) {
        let style = Style { halo: true, size: 11.5, ..TEXT };
        let (w, h) = (width(text, style), style.size + 3.0);
        let places = [
            ([x + radius + 4.0, y + 4.0], Anchor::Start, x + radius + 4.0),
            ([x - radius - 4.0, y + 4.0], Anchor::End, x - radius - 4.0 - w),
            ([x, y - radius - 5.0], Anchor::Middle, x - w / 2.0),
            ([x, y + radius + 13.0], Anchor::Middle, x - w / 2.0),
        ];
        for (at, anchor, left) in places {
            let place = Area { at: [left, at[1] - h + 3.0], size: [w, h] };
            let inside = self.plan.is_seen(place.at) && self.plan.is_seen([place.right(), place.bottom()]);
            let apart = |other: &Area| {
                place.right() < other.at[0]
                    || other.right() < place.at[0]
                    || place.bottom() < other.at[1]
                    || other.bottom() < place.at[1]
            };
            if inside && self.taken.iter().all(apart) {
                self.taken.push(place);
                self.sheet.svg.text(at, text, Style { anchor, ..style });
                return;
            }
        }
    }

    /// Keeps texts away from a disc.
    pub(super) fn keep_free(&mut self, [x, y]: [f64; 2], radius: f64) {
        self.taken.push(Area { at: [x - radius, y - radius], size: [2.0 * radius; 2] });
    }

    /// Ends the plan: the sheet, for its legend.
    pub(super) fn legend(&mut self) -> &mut Sheet {
        if !std::mem::replace(&mut self.ended, true) {
            self.sheet.svg.end_clip();
        }
        &mut self.sheet
    }

    /// The legend, what is left out, and the end.
    pub(super) fn finish(mut self, heading: &str, entries: &[Entry], count: usize, left_out: LeftOut) -> Picture {
        self.legend();
        let LeftOut { other_levels, without_place, of } = left_out;
        let wanted = 160.0 / self.plan.scale;
        let units = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0];
        let units = units.into_iter().rfind(|units| *units <= wanted).unwrap_or(8.0);
        self.sheet.scale_bar(units, units * self.plan.scale);
        if !entries.is_empty() {
            self.sheet.heading(heading);
            self.sheet.entries(entries);
        }
        if without_place > 0 {
            let what = super::counted(without_place, of);
            self.sheet.remark(&format!("{what} left out: the recording does not tell where"));
        }
        if other_levels > 0 {
            let levels = super::counted(other_levels, "other level");
            self.sheet.remark(&format!("{levels} left out: --from and --to choose a time"));
        }
        Picture { svg: self.sheet.svg.finish(), count, map: Some(self.level.map), without_place, other_levels }
    }
}

/// A place without its height.
pub(super) fn ground([x, y, _]: [f32; 3]) -> Ground {
    [x, y].map(f64::from)
}

/// The lowest and the highest place of a player in a level.
fn heights(replay: &Replay, level: &Level) -> [f64; 2] {
    let all = ways(replay, level).flat_map(|(_, track)| &track.keys).map(|key| f64::from(key.origin()[2]));
    let [low, high] = all.fold([f64::MAX, f64::MIN], |[low, high], z| [low.min(z), high.max(z)]);
    if low > high { [f64::MIN, f64::MAX] } else { [low, high] }
}

fn shade(n: usize) -> String {
    let part = n as f64 / (SHADES - 1) as f64;
    let [r, g, b] = [0, 1, 2].map(|n| (LOW[n] + (HIGH[n] - LOW[n]) * part).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn shade_of(z: f64, [low, high]: [f64; 2]) -> usize {
    let part = if high > low { (z - low) / (high - low) } else { 1.0 };
    ((part.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize).min(SHADES - 1)
}

/// The floor where players stood, the lower under the higher, with lines where it ends.
fn draw_cells(sheet: &mut Sheet, plan: &Plan, replay: &Replay, level: &Level) {
    let Some(floor) = replay.floors.iter().find(|floor| floor.level as usize == level.number) else { return };
    let ends = [floor.cells.iter().map(|cell| cell[2]).min(), floor.cells.iter().map(|cell| cell[2]).max()];
    let ends = ends.map(|z| f64::from(z.unwrap_or_default()));
    // So many cells are one in each direction.
    let together = (LEAST_CELL / (f64::from(CELL) * plan.scale)).ceil().clamp(1.0, 4096.0) as i32;
    let mut cells: Vec<[i32; 3]> =
        floor.cells.iter().map(|[x, y, z]| [x.div_euclid(together), y.div_euclid(together), *z]).collect();
    cells.sort_unstable();
    cells.dedup_by(|a, b| a[..2] == b[..2] && (together == 1 || a[2].saturating_sub(b[2]) < STEP));
    let mut by_place: HashMap<[i32; 2], Vec<i32>> = HashMap::new();
    let mut by_shade: Vec<Vec<[i32; 3]>> = vec![Vec::new(); SHADES];
    for cell in &cells {
        by_place.entry([cell[0], cell[1]]).or_default().push(cell[2]);
        if let Some(cells) = by_shade.get_mut(shade_of(cell[2].into(), ends)) {
            cells.push(*cell);
        }
    }
    let corner = |x: i32, y: i32| plan.at([x, y].map(|v| f64::from(v) * f64::from(CELL * together)));
    for (n, cells) in by_shade.iter_mut().enumerate() {
        // Row by row, so that neighbours are one rectangle.
        cells.sort_unstable_by_key(|[x, y, z]| (*y, *x, *z));
        let (mut faces, mut edges) = (Path::default(), Path::default());
        let mut run: Option<[i32; 3]> = None;
        let mut end_run = |run: Option<[i32; 3]>| {
            if let Some([from, to, y]) = run {
                let ([left, bottom], [right, top]) = (corner(from, y), corner(to + 1, y + 1));
                faces.rect([left, top], [right - left, bottom - top]);
            }
        };
        for [x, y, z] in cells.iter().copied() {
            match &mut run {
                Some([_, to, row]) if *row == y && (*to == x || *to + 1 == x) => *to = x,
                _ => {
                    end_run(run.take());
                    run = Some([x, x, y]);
                }
            }
            let is_near = |dx: i32, dy: i32| {
                let there = by_place.get(&[x + dx, y + dy]);
                there.is_some_and(|all| all.iter().any(|other| other.saturating_sub(z).abs() < STEP))
            };
            let sides = [
                ([1, 0], [1, 0], [1, 1]),
                ([-1, 0], [0, 0], [0, 1]),
                ([0, 1], [0, 1], [1, 1]),
                ([0, -1], [0, 0], [1, 0]),
            ];
            for ([dx, dy], from, to) in sides {
                if !is_near(dx, dy) {
                    edges.to(corner(x + from[0], y + from[1]), true);
                    edges.to(corner(x + to[0], y + to[1]), false);
                }
            }
        }
        end_run(run);
        sheet.svg.faces(&faces, &shade(n));
        sheet.svg.line(&edges, "#8f99a6", 1.0, 0.8);
    }
}

/// The floors of a map, the lower under the higher.
fn draw_map(sheet: &mut Sheet, plan: &Plan, map: &Map, [low, high]: [f64; 2]) {
    let mut faces: Vec<(f64, [[f64; 2]; 3])> = Vec::new();
    let corner = |n: &u32| map.corners.get(*n as usize).map(|corner| corner.map(f64::from));
    for triangle in map.models.first().into_iter().flatten() {
        let [Some(a), Some(b), Some(c)] = triangle.each_ref().map(corner) else { continue };
        let z = (a[2] + b[2] + c[2]) / 3.0;
        let [u, v] = [b, c].map(|it| [0, 1, 2].map(|n| it[n] - a[n]));
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let long = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
        if normal[2] < long * STEEPEST || long <= 0.0 || z > high + ABOVE || z < low - BELOW {
            continue;
        }
        let on_sheet = [a, b, c].map(|[x, y, _]| plan.at([x, y]));
        let beside = |n: usize, from: f64, to: f64| {
            on_sheet.iter().all(|it| it[n] < from) || on_sheet.iter().all(|it| it[n] > to)
        };
        if !beside(0, plan.area.at[0], plan.area.right()) && !beside(1, plan.area.at[1], plan.area.bottom()) {
            faces.push((z, on_sheet));
        }
    }
    faces.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = [faces.first(), faces.last()].map(|face| face.map_or(0.0, |face| face.0));
    for run in faces.chunk_by(|a, b| shade_of(a.0, ends) == shade_of(b.0, ends)) {
        let mut path = Path::default();
        run.iter().for_each(|(_, corners)| path.polygon(corners));
        let of = run.first().map_or(0, |face| shade_of(face.0, ends));
        sheet.svg.faces(&path, &shade(of));
    }
}
