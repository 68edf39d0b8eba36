//! Where a player was and looked of late.

use std::collections::VecDeque;

/// A player at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Demo time in microseconds.
    pub(super) at: i64,
    pub(super) origin: [f32; 3],
    /// Pitch and yaw in degrees.
    pub(super) angles: Option<[f32; 2]>,
    pub(super) on_ground: Option<bool>,
}

/// The last seconds of a player.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    samples: VecDeque<Sample>,
}

/// How a player flew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flight {
    /// For how long, in microseconds.
    pub(super) lasted: i64,
    /// How far above the place where it began.
    pub(super) height: f32,
    /// The recording tells that there was no ground; else it follows from the way.
    pub(super) told: bool,
}

/// How far a view turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// In degrees.
    pub(super) degrees: f32,
    /// In how many microseconds.
    pub(super) lasted: i64,
}

impl Track {
    /// So much is kept, in microseconds.
    const SPAN: i64 = 5_000_000;
    const MOST: usize = 1024;
    /// Whoever is further away than this after no time, or moves faster, was teleported: units, units a second.
    const NEAR: f32 = 200.0;
    const FASTEST: f32 = 4000.0;
    /// Who rises faster than before by so much, in units a second, has jumped again or was thrown.
    const BOUNCE: f32 = 150.0;
    /// How far a flight may be from the curve that gravity makes: servers tell places at other moments than times.
    const TOLERANCE: f32 = 8.0;

    pub(super) fn clear(&mut self) {
        self.samples.clear();
    }

    pub(super) fn add(&mut self, sample: Sample) {
        if let Some(last) = self.samples.back() {
            if last.at == sample.at {
                self.samples.pop_back();
            } else if last.at > sample.at || is_teleported(last, &sample) {
                self.samples.clear();
            }
        }
        while self.samples.front().is_some_and(|first| sample.at - first.at > Self::SPAN)
            || self.samples.len() >= Self::MOST
        {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The samples up to a time, the last one first.
    fn back_from(&self, at: i64) -> impl Iterator<Item = &Sample> {
        self.samples.iter().rev().skip_while(move |sample| sample.at > at)
    }

    /// Where the player was at a time, or last before it.
    pub(super) fn place(&self, at: i64) -> Option<[f32; 3]> {
        self.back_from(at).next().map(|sample| sample.origin)
    }

    /// The flight that goes on right before a time, if it lasted for so long at least.
    pub(super) fn flight(&self, before: i64, at_least: i64, gravity: f32) -> Option<Flight> {
        let last = self.back_from(before - 1).next()?;
        let flight = match last.on_ground {
            Some(true) => return None,
            Some(false) => {
                let (mut first, mut rose) = (last, f32::INFINITY);
                for sample in self.back_from(before - 1).skip(1) {
                    // Between two frames one may touch the ground and jump again: then it went down before.
                    let rise = (first.origin[2] - sample.origin[2]) / seconds(first.at - sample.at);
                    if rose - rise > Self::BOUNCE && rose.is_finite() {
                        break;
                    }
                    (first, rose) = (sample, rise);
                    if sample.on_ground != Some(false) {
                        break;
                    }
                }
                Flight { lasted: last.at - first.at, height: last.origin[2] - first.origin[2], told: true }
            }
            None => self.fall(last, before, at_least, gravity)?,
        };
        (flight.lasted >= at_least).then_some(flight)
    }

    /// The longest time up to `last` in which the height follows the curve that gravity makes.
    fn fall(&self, last: &Sample, before: i64, at_least: i64, gravity: f32) -> Option<Flight> {
        let mut found = None;
        for first in self.back_from(before - 1).filter(|first| last.at - first.at >= at_least) {
            let all = seconds(last.at - first.at);
            let follows = |sample: &Sample| {
                // Between both ends a thrown body is higher than the straight line.
                let (gone, left) = (seconds(sample.at - first.at), seconds(last.at - sample.at));
                let line = (first.origin[2] * left + last.origin[2] * gone) / all;
                (sample.origin[2] - line - 0.5 * gravity * gone * left).abs() <= Self::TOLERANCE
            };
            let mut between = self.back_from(before - 1).take_while(|sample| sample.at > first.at).skip(1);
            // Two ends alone say nothing.
            if last.at - first.at < 1 || !between.by_ref().next().is_some_and(follows) || !between.all(follows) {
                break;
            }
            let height = last.origin[2] - first.origin[2];
            found = Some(Flight { lasted: last.at - first.at, height, told: false });
        }
        found
    }

    /// How far the view turned up to a time, in at most `within` microseconds: the most that it differed.
    pub(super) fn turn(&self, at: i64, within: i64) -> Option<Turn> {
        let last = self.back_from(at).next()?;
        let now = direction(last.angles?);
        let mut most = Turn { degrees: 0.0, lasted: 0 };
        for sample in self.back_from(at).take_while(|sample| last.at - sample.at <= within) {
            let then = direction(sample.angles?);
            let cos: f64 = now.iter().zip(then).map(|(a, b)| a * b).sum();
            let degrees = cos.clamp(-1.0, 1.0).acos().to_degrees() as f32;
            if degrees > most.degrees {
                most = Turn { degrees, lasted: last.at - sample.at };
            }
        }
        (most.lasted > 0).then_some(most)
    }
}

fn seconds(micros: i64) -> f32 {
    micros as f32 / 1e6
}

pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

fn is_teleported(last: &Sample, next: &Sample) -> bool {
    let far = distance(last.origin, next.origin);
    far.is_nan() || far > Track::NEAR + Track::FASTEST * seconds(next.at - last.at)
}

/// Where one looks with this pitch and yaw.
fn direction([pitch, yaw]: [f32; 2]) -> [f64; 3] {
    let (pitch, yaw) = (f64::from(pitch).to_radians(), f64::from(yaw).to_radians());
    [pitch.cos() * yaw.cos(), pitch.cos() * yaw.sin(), -pitch.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(samples: impl Iterator<Item = (i64, f32, Option<bool>)>) -> Track {
        let mut track = Track::default();
        for (ms, z, on_ground) in samples {
            track.add(Sample { at: ms * 1000, origin: [0.0, 0.0, z], angles: None, on_ground });
        }
        track
    }

    #[test]
    fn a_throw_is_a_flight_and_a_walk_is_none() {
        // Up with 270 units a second for 600 ms, as places are sent: in eighths.
        let height = |t: f32| ((270.0 * t - 400.0 * t * t) * 8.0).round() / 8.0;
        let thrown = track((0..=30).map(|n| (n * 20, height(n as f32 * 0.02), None)));
        let flight = thrown.flight(600_001, 500_000, 800.0).unwrap();
        assert_eq!((flight.lasted, flight.told), (600_000, false));
        assert_eq!(flight.height, height(0.6));
        for slope in [0.0, 200.0, -200.0] {
            let walk = track((0..=30).map(|n| (n * 20, slope * n as f32 * 0.02, None)));
            assert_eq!(walk.flight(600_001, 500_000, 800.0), None, "slope {slope}");
        }
        // Only a part of the way: 300 ms on the ground, then 300 ms in the air.
        let late = track((0..=30).map(|n| (n * 20, if n < 15 { 0.0 } else { height((n - 15) as f32 * 0.02) }, None)));
        assert_eq!(late.flight(600_001, 500_000, 800.0), None);
    }

    #[test]
    fn the_ground_that_is_told_counts() {
        let samples = (0..=30).map(|n| (n * 20, n as f32, Some(n < 5)));
        let flight = track(samples.clone()).flight(600_001, 500_000, 800.0).unwrap();
        // Since the last moment on the ground, at 80 ms.
        assert_eq!(flight, Flight { lasted: 520_000, height: 26.0, told: true });
        assert_eq!(track(samples.clone()).flight(600_001, 521_000, 800.0), None);
        assert_eq!(track(samples).flight(80_001, 0, 800.0), None);
        // A jump of 675 ms that begins anew before a frame shows the ground.
        let height =
            |ms: i64| ((ms % 675) as f32 / 1000.0).mul_add(270.0, -400.0 * ((ms % 675) as f32 / 1000.0).powi(2));
        let hops = track((0..60).map(|n| (n * 20, height(n * 20), Some(n == 0))));
        assert_eq!(hops.flight(660_001, 0, 800.0).map(|f| f.lasted), Some(660_000));
        assert_eq!(hops.flight(1_180_001, 0, 800.0).map(|f| f.lasted), Some(500_000));
    }

    #[test]
    fn turns_are_angles_between_directions() {
        let mut track = Track::default();
        for (at, pitch, yaw) in [(0, 0.0, 0.0), (50_000, 0.0, 350.0), (100_000, 0.0, 80.0), (150_000, 90.0, 123.0)] {
            track.add(Sample { at, origin: [0.0; 3], angles: Some([pitch, yaw]), on_ground: None });
        }
        let degrees = |at, within| track.turn(at, within).map(|t| (t.degrees.round(), t.lasted));
        // 350 to 80 degrees are 90, the short way; straight down is 90 from anything level.
        assert_eq!(degrees(100_000, 50_000), Some((90.0, 50_000)));
        assert_eq!(degrees(100_000, 100_000), Some((90.0, 50_000)));
        assert_eq!(degrees(150_000, 50_000), Some((90.0, 50_000)));
        assert_eq!(degrees(50_000, 100_000), Some((10.0, 50_000)));
        assert_eq!(degrees(0, 100_000), None);
    }

    #[test]
    fn a_teleport_begins_anew() {
        let mut track = Track::default();
        for (at, x) in [(0, 0.0), (50_000, 10.0), (100_000, 2000.0), (150_000, f32::NAN), (200_000, 3.0)] {
            track.add(Sample { at, origin: [x, 0.0, 0.0], angles: Some([0.0; 2]), on_ground: Some(false) });
        }
        assert_eq!(track.samples.len(), 1);
    }
}
