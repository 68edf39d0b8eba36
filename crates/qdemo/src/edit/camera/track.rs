//! Ways of a camera: places and angles between keys, and the angles that look at a place.

use super::script::Easing;
use crate::world::DemoTime;

/// A place of a camera at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// When it is there.
    pub at: DemoTime,
    /// The place, in units.
    pub place: [f32; 3],
    /// Pitch (down is positive), yaw and roll in degrees.
    pub angles: [f32; 3],
    /// Field of view in degrees.
    pub fov: Option<f32>,
    /// How it goes on from here.
    pub easing: Easing,
}

/// What a camera sees, and from where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose {
    pub(super) place: [f32; 3],
    pub(super) angles: [f32; 3],
    pub(super) fov: Option<f32>,
}

/// Where a camera is at a time on a way through keys; `None` without keys.
pub(super) fn along(keys: &[Key], time: DemoTime) -> Option<Pose> {
    let next = keys.partition_point(|key| key.at <= time);
    let still = |key: &Key| Pose { place: key.place, angles: key.angles, fov: key.fov };
    let (Some(at), Some(to)) = (next.checked_sub(1), keys.get(next)) else {
        return keys.get(next.saturating_sub(1)).map(still);
    };
    let from = keys.get(at)?;
    let share = (time.0 - from.at.0) as f32 / (to.at.0 - from.at.0).max(1) as f32;
    let fov = match (from.fov, to.fov) {
        (Some(a), Some(b)) => Some(a + (b - a) * eased(from.easing, share)),
        (a, _) => a,
    };
    if from.easing == Easing::Smooth {
        let before = at.checked_sub(1).and_then(|n| keys.get(n));
        let behind = keys.get(next + 1);
        let place = |axis: usize| curve(before, [from, to], behind, share, |key, _| key.place[axis]);
        // Angles go the short way round, from one key to the next.
        let turn =
            |axis: usize| curve(before, [from, to], behind, share, |key, near| round(key.angles[axis], near[axis]));
        return Some(Pose { place: std::array::from_fn(place), angles: std::array::from_fn(turn), fov });
    }
    let share = eased(from.easing, share);
    let angles =
        std::array::from_fn(|i| from.angles[i] + (round(to.angles[i], from.angles[i]) - from.angles[i]) * share);
    Some(Pose { place: between(from.place, to.place, share), angles, fov })
}

/// A share of the way from one place to another.
pub(super) fn between(from: [f32; 3], to: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * share)
}

/// The share of a way at a share of its time.
fn eased(easing: Easing, t: f32) -> f32 {
    match easing {
        Easing::Linear | Easing::Smooth => t,
        Easing::In => t * t,
        Easing::Out => t * (2.0 - t),
        Easing::InOut => t * t * (3.0 - 2.0 * t),
    }
}

/// The same angle, less than half a turn away from another.
pub(super) fn round(angle: f32, near: f32) -> f32 {
    near + (angle - near + 180.0).rem_euclid(360.0) - 180.0
}

/// A cubic curve from one key to the next, whose speed at each is that between its neighbours. `value` takes the angles that
/// others are to be near to.
fn curve(
    before: Option<&Key>,
    [from, to]: [&Key; 2],
    behind: Option<&Key>,
    t: f32,
    value: impl Fn(&Key, [f32; 3]) -> f32,
) -> f32 {
    let seconds = |key: &Key| (key.at.0 - from.at.0) as f32 / 1e6;
    let near = from.angles;
    let far = std::array::from_fn(|i| round(to.angles[i], near[i]));
    let [a, b] = [value(from, near), value(to, near)];
    let speed = |from: (f32, f32), to: (f32, f32)| (to.1 - from.1) / (to.0 - from.0).max(1e-6);
    let (start, end) = ((0.0, a), (seconds(to), b));
    let known = |key: &Key, near| (seconds(key), value(key, near));
    let first = speed(before.map_or(start, |key| known(key, near)), end);
    let last = speed(start, behind.map_or(end, |key| known(key, far)));
    let (length, t2, t3) = (end.0, t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0)
        + first * length * (t3 - 2.0 * t2 + t)
        + b * (3.0 * t2 - 2.0 * t3)
        + last * length * (t3 - t2)
}

/// Pitch, yaw and roll of a camera that looks from a place at another; `None` where both are the same.
pub(super) fn towards(from: [f32; 3], to: [f32; 3]) -> Option<[f32; 3]> {
    let [x, y, z]: [f32; 3] = std::array::from_fn(|i| to[i] - from[i]);
    let flat = x.hypot(y);
    (flat > 0.0 || z != 0.0).then(|| [-z.atan2(flat).to_degrees(), y.atan2(x).to_degrees(), 0.0])
}

/// The directions forward, to the right, and up of angles.
pub(super) fn axes([pitch, yaw, roll]: [f32; 3]) -> [[f32; 3]; 3] {
    let [(sp, cp), (sy, cy), (sr, cr)] = [pitch, yaw, roll].map(|angle| angle.to_radians().sin_cos());
    let forward = [cp * cy, cp * sy, -sp];
    let right = [-sr * sp * cy + cr * sy, -sr * sp * sy - cr * cy, -sr * cp];
    let up = [cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp];
    [forward, right, up]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seconds: i64, place: [f32; 3], yaw: f32, easing: Easing) -> Key {
        Key { at: DemoTime::from_ms(seconds * 1000), place, angles: [0.0, yaw, 0.0], fov: None, easing }
    }

    fn at(keys: &[Key], ms: i64) -> ([f32; 3], f32) {
        let pose = along(keys, DemoTime::from_ms(ms)).expect("keys");
        (pose.place, pose.angles[1])
    }

    #[test]
    fn a_line_is_in_the_middle_at_half_time() {
        let keys = |easing| [key(1, [0.0, 100.0, -8.0], 350.0, easing), key(3, [100.0, 0.0, 8.0], 10.0, easing)];
        let linear = keys(Easing::Linear);
        // From 350 to 10 degrees it is 20, and not 340 back.
        assert_eq!(at(&linear, 2000), ([50.0, 50.0, 0.0], 360.0));
        assert_eq!(at(&linear, 0), ([0.0, 100.0, -8.0], 350.0));
        assert_eq!(at(&linear, 9000), ([100.0, 0.0, 8.0], 10.0));
        // A quarter of the time: t², 1 - (1 - t)², and 3t² - 2t³.
        assert_eq!(at(&keys(Easing::In), 1500).0[0], 6.25);
        assert_eq!(at(&keys(Easing::Out), 1500).0[0], 43.75);
        assert_eq!(at(&keys(Easing::InOut), 1500).0[0], 15.625);
    }

    #[test]
    fn a_curve_goes_through_its_keys_without_a_jerk() {
        let keys = [(0, 0.0), (1, 10.0), (3, 10.0), (4, 0.0)].map(|(s, x)| key(s, [x, 0.0, 0.0], 0.0, Easing::Smooth));
        for key in &keys {
            assert_eq!(at(&keys, key.at.ms()).0, key.place);
        }
        // Symmetric: highest in the middle, where the speeds at 1 s (10 units in 3 s) and at 3 s (as much back) have carried it
        // 2 s * (10/3 + 10/3) / 8 above the keys.
        let middle = at(&keys, 2000).0[0];
        assert!((middle - (10.0 + 2.0 * (20.0 / 3.0) / 8.0)).abs() < 1e-4, "{middle}");
        // The speed is the same on both sides of a key.
        let speed = |from: i64| (at(&keys, from + 1).0[0] - at(&keys, from).0[0]) * 1000.0;
        assert!((speed(999) - speed(1000)).abs() < 0.1, "{} {}", speed(999), speed(1000));
    }

    #[test]
    fn angles_look_at_a_place() {
        let near =
            |a: Option<[f32; 3]>, b: [f32; 3]| a.is_some_and(|a| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3));
        assert!(near(towards([0.0; 3], [10.0, 10.0, 0.0]), [0.0, 45.0, 0.0]));
        // Down is positive: 10 down on 10 ahead are 45 degrees.
        assert!(near(towards([0.0; 3], [0.0, -10.0, -10.0]), [45.0, -90.0, 0.0]));
        assert_eq!(towards([1.0; 3], [1.0; 3]), None);
        let [forward, right, up] = axes([0.0, 90.0, 0.0]);
        assert!(
            near(Some(forward), [0.0, 1.0, 0.0])
                && near(Some(right), [1.0, 0.0, 0.0])
                && near(Some(up), [0.0, 0.0, 1.0])
        );
    }
}
