//! What a script says: shots, and where the camera is in each.

use super::track::Key;
use crate::error::{Error, ErrorKind, Result};
use crate::kinds::kinds;
use crate::world::DemoTime;

/// Shots of a recording. Between them the view is the recorded one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The shots by their time: none begins before the one in front of it ends.
    pub shots: Vec<Shot>,
}

/// What the camera does for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// When it begins.
    pub from: DemoTime,
    /// When it ends: at that moment it is over.
    pub to: DemoTime,
    /// Where the camera is.
    pub kind: ShotKind,
    /// What it looks at; `None`: where its angles, or whom it follows or rides on, say.
    pub look_at: Option<Subject>,
    /// Field of view in degrees, in games whose recordings tell one; `None`: as recorded.
    pub fov: Option<f32>,
}

/// Where a camera is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ShotKind {
    /// At a place that does not change.
    Fixed {
        /// The place, in units.
        place: [f32; 3],
        /// Pitch (down is positive), yaw and roll in degrees.
        angles: [f32; 3],
    },
    /// On a way through keys, at least one, by their time. In front of the first it is there, behind the last one too.
    Path {
        /// The keys.
        keys: Vec<Key>,
    },
    /// Behind somebody.
    Follow {
        /// Whom it follows.
        who: Subject,
        /// How many units behind.
        distance: f32,
        /// How many units above.
        height: f32,
        /// Degrees to the left around who is followed: 180 is in front, looking back.
        turn: f32,
        /// The time in which two thirds of a way are made up for; 0 follows at once.
        smooth: DemoTime,
    },
    /// In the eyes of somebody.
    Ride {
        /// On whom it rides.
        who: Subject,
        /// How many units in front of the eyes, to the right, and above.
        offset: [f32; 3],
    },
}

/// What a camera looks at, follows, or rides on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Subject {
    /// The player of a name: in plain characters or as the game writes it, whatever its case; else a player whose name
    /// contains it.
    Player(String),
    /// The entity with a number.
    Entity(u16),
    /// A place, in units.
    Place([f32; 3]),
}

kinds! {
    /// How a camera goes from a key to the next.
    pub enum Easing {
        /// At one speed, in a straight line.
        Linear = "linear",
        /// On a curve through all keys, without a jerk (Catmull and Rom).
        Smooth = "smooth",
        /// In a straight line, from rest.
        In = "in",
        /// In a straight line, to rest.
        Out = "out",
        /// In a straight line, from rest to rest.
        InOut = "in_out",
    }
}

impl Script {
    /// The most that a coordinate of any game may be, in units.
    const FAR: f32 = 1e6;

    /// Says whether it can be carried out, as far as that is known without a recording.
    ///
    /// # Errors
    /// A shot that ends before it begins, or before the one in front of it has ended; keys that are not in the order of their
    /// times; numbers that are no places, angles or fields of view.
    pub fn check(&self) -> Result<()> {
        let mut before = DemoTime::default();
        for (n, shot) in (1..).zip(&self.shots) {
            shot.check().map_err(|what| Error::new(ErrorKind::Refused(format!("shot {n}: {what}"))))?;
            if shot.from < before {
                let what = format!("shot {n} begins at {}, before the one in front of it ends: {before}", shot.from);
                return Err(Error::new(ErrorKind::Refused(what)));
            }
            before = shot.to;
        }
        Ok(())
    }

    /// The same shots on the clock of a recording: `resolve` gives the time since its beginning.
    ///
    /// # Errors
    /// Those of `resolve`.
    pub fn on_clock<E>(
        &self,
        resolve: &dyn Fn(DemoTime) -> std::result::Result<DemoTime, E>,
    ) -> std::result::Result<Script, E> {
        let mut script = self.clone();
        for shot in &mut script.shots {
            (shot.from, shot.to) = (resolve(shot.from)?, resolve(shot.to)?);
            if let ShotKind::Path { keys } = &mut shot.kind {
                keys.iter_mut().try_for_each(|key| resolve(key.at).map(|at| key.at = at))?;
            }
        }
        Ok(script)
    }
}

impl Shot {
    /// Says what is wrong with it by itself.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if self.to <= self.from {
            return Err(format!("it ends at {}, and begins at {}: let it end later", self.to, self.from));
        }
        let near = |all: &[f32]| all.iter().all(|v| v.abs() <= Script::FAR);
        let fov = |fov: Option<f32>| fov.is_none_or(|fov| (1.0..=160.0).contains(&fov));
        let is_near = match &self.kind {
            ShotKind::Fixed { place, angles } => near(place) && near(angles),
            ShotKind::Path { keys } => {
                if keys.is_empty() {
                    return Err(
                        "a path needs keys: [{ at = \"0:05\", place = [0, 0, 0], angles = [0, 0, 0] }]".to_owned()
                    );
                }
                if let Some([before, key]) = keys
                    .windows(2)
                    .find_map(|pair| if let [a, b] = pair { (b.at <= a.at).then_some([a, b]) } else { None })
                {
                    return Err(format!(
                        "the key at {} stands behind the one at {}: order them by time",
                        key.at, before.at
                    ));
                }
                keys.iter().all(|key| near(&key.place) && near(&key.angles) && fov(key.fov))
            }
            ShotKind::Follow { distance, height, turn, .. } => near(&[*distance, *height, *turn]),
            ShotKind::Ride { offset, .. } => near(offset),
        };
        let place = if let Some(Subject::Place(place)) = &self.look_at { near(place) } else { true };
        if !is_near || !place || !fov(self.fov) {
            return Err(
                "places and angles are numbers of at most a million, a field of view has 1 to 160 degrees".to_owned()
            );
        }
        Ok(())
    }
}
