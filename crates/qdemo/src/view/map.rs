//! The surfaces of a map, as a replay has them.

use super::columns::{Reader, Writer};
use crate::error::Result;

/// The surfaces of a map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map {
    /// The level, as [`About::levels`](super::About::levels) counts them.
    pub level: u32,
    /// Corners, in whole units.
    pub corners: Vec<[i32; 3]>,
    /// The world, then the models that move, by number: those whose entities have a model `*1`, `*2` ... Each is a list of
    /// triangles, by the numbers of their corners; seen from the front they go against the clock.
    pub models: Vec<Vec<[u32; 3]>>,
}

impl Map {
    pub(super) fn write(&self, column: &mut Writer) {
        column.count(self.level.into());
        column.count(self.corners.len() as u64);
        let mut last = [0; 3];
        for corner in &self.corners {
            corner.iter().zip(last).for_each(|(v, last)| column.number(i64::from(*v) - i64::from(last)));
            last = *corner;
        }
        column.count(self.models.len() as u64);
        let mut last = 0;
        for model in &self.models {
            column.count(model.len() as u64);
            for corner in model.iter().flatten() {
                column.number(i64::from(*corner) - last);
                last = i64::from(*corner);
            }
        }
    }

    pub(super) fn read(column: &mut Reader<'_>) -> Result<Self> {
        let (level, count, mut last) = (column.index()?, column.count()?, [0_i32; 3]);
        let mut corners = Vec::new();
        for _ in 0..count {
            for v in &mut last {
                *v = i64::from(*v).wrapping_add(column.number()?) as i32;
            }
            corners.push(last);
        }
        let (mut models, mut last) = (Vec::new(), 0_i64);
        for _ in 0..column.count()? {
            let mut model = Vec::new();
            for _ in 0..column.count()? {
                let mut triangle = [0; 3];
                for corner in &mut triangle {
                    last = last.wrapping_add(column.number()?);
                    *corner = last as u32;
                }
                model.push(triangle);
            }
            models.push(model);
        }
        Ok(Map { level, corners, models })
    }
}
