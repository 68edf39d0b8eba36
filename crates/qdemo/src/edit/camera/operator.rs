//! Who holds the camera: where it is at each moment of a recording.

use super::account::{CameraAccount, ShotAccount, Unseen};
use super::script::{Script, Shot, ShotKind, Subject};
use super::track::{self, Pose};
use crate::replay::World;
use crate::world::{DemoTime, Player, Scene};

/// Somebody's eyes, or the place of something.
#[derive(Debug, Clone, Copy)]
struct Seen {
    place: [f32; 3],
    angles: [f32; 3],
}

/// The camera at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) pose: Pose,
    /// Nothing leads here from what was shown before.
    pub(super) cut: bool,
}

/// Goes through a script with a recording.
pub(super) struct Operator<'s> {
    script: &'s Script,
    /// The first shot that is not over.
    next: usize,
    /// The shot of the last frame, and where the camera was.
    on: Option<usize>,
    last: Option<Pose>,
    /// Where who is followed, and what is looked at, was seen last.
    who: Option<Seen>,
    target: Option<Seen>,
    /// Where a camera that follows was, and when.
    followed: Option<([f32; 3], DemoTime)>,
    shots: Vec<ShotAccount>,
}

impl<'s> Operator<'s> {
    pub(super) fn new(script: &'s Script) -> Self {
        let shots = (1..).zip(&script.shots).map(|(number, shot)| ShotAccount::of(number, shot)).collect();
        Operator { script, next: 0, on: None, last: None, who: None, target: None, followed: None, shots }
    }

    /// Where the camera is in a frame that a world shows; `None` where the view is the recorded one. Where a block cannot
    /// tell all of another view (`may_cut`), the one before is held.
    pub(super) fn view(&mut self, world: &World, block: u64, may_cut: bool) -> Option<View> {
        let time = world.clock().demo;
        while self.script.shots.get(self.next).is_some_and(|shot| shot.to <= time) {
            self.next += 1;
        }
        let now = self.script.shots.get(self.next).filter(|shot| shot.from <= time).map(|shot| (self.next, shot));
        let cut = self.on != now.map(|(n, _)| n);
        if cut && !may_cut {
            if let Some((n, _)) = now.filter(|(_, shot)| !sees(shot, world)) {
                self.count_unseen(n, world, block);
            }
            return self.last.map(|pose| View { pose, cut: false });
        }
        let Some((n, shot)) = now else {
            (self.on, self.last) = (None, None);
            return None;
        };
        if cut {
            (self.who, self.target, self.followed) = (None, None, None);
        }
        let (pose, unseen) = self.pose(shot, world, time);
        if unseen {
            self.count_unseen(n, world, block);
        }
        self.last = pose;
        let pose = pose?;
        self.shots.get_mut(n)?.frames += u64::from(world.changes().frame);
        self.on = Some(n);
        Some(View { pose, cut })
    }

    /// Counts a frame that does not show whom a shot is about. Other blocks are none.
    fn count_unseen(&mut self, shot: usize, world: &World, block: u64) {
        if let Some(account) = self.shots.get_mut(shot).filter(|_| world.changes().frame) {
            account.unseen += 1;
            account.first_unseen.get_or_insert(Unseen { block, at: world.clock() });
        }
    }

    /// Where the camera is, and whether somebody whom it is about is not seen.
    fn pose(&mut self, shot: &Shot, world: &World, time: DemoTime) -> (Option<Pose>, bool) {
        let mut unseen = false;
        let (who, target) = (&mut self.who, &mut self.target);
        if let ShotKind::Follow { who: of, .. } | ShotKind::Ride { who: of, .. } = &shot.kind {
            unseen |= !find(of, world, who);
        }
        if let Some(of) = &shot.look_at {
            unseen |= !find(of, world, target);
        }
        let pose = match &shot.kind {
            ShotKind::Fixed { place, angles } => Some(Pose { place: *place, angles: *angles, fov: None }),
            ShotKind::Path { keys } => track::along(keys, time),
            ShotKind::Follow { distance, height, turn, smooth, .. } => who.map(|seen| {
                let [_, yaw, _] = seen.angles;
                let [forward, ..] = track::axes([0.0, yaw + turn, 0.0]);
                let [x, y, z]: [f32; 3] = std::array::from_fn(|i| seen.place[i] - forward[i] * distance);
                let wanted = [x, y, z + height];
                let place = match self.followed {
                    Some((was, then)) if smooth.0 > 0 => {
                        let passed = (time.0 - then.0).max(0) as f32 / smooth.0 as f32;
                        track::between(was, wanted, 1.0 - (-passed).exp())
                    }
                    _ => wanted,
                };
                self.followed = Some((place, time));
                let angles = track::towards(place, seen.place).unwrap_or(seen.angles);
                Pose { place, angles, fov: None }
            }),
            ShotKind::Ride { offset, .. } => who.map(|seen| {
                let axes = track::axes(seen.angles);
                let along = |i: usize| axes.iter().zip(offset).map(|(axis, by)| axis[i] * by).sum::<f32>();
                let place = std::array::from_fn(|i| seen.place[i] + along(i));
                Pose { place, angles: seen.angles, fov: None }
            }),
        };
        let pose = pose.map(|mut pose| {
            if let Some(angles) = target.and_then(|seen| track::towards(pose.place, seen.place)) {
                pose.angles = angles;
            }
            pose.fov = pose.fov.or(shot.fov);
            pose
        });
        (pose, unseen)
    }

    /// Adds what became of the shots.
    pub(super) fn finish(self, account: &mut CameraAccount) {
        account.shots = self.shots;
    }
}

/// True where a world shows all whom a shot is about.
fn sees(shot: &Shot, world: &World) -> bool {
    let who = match &shot.kind {
        ShotKind::Follow { who, .. } | ShotKind::Ride { who, .. } => Some(who),
        ShotKind::Fixed { .. } | ShotKind::Path { .. } => None,
    };
    who.into_iter().chain(&shot.look_at).all(|subject| find(subject, world, &mut None))
}

/// Finds a subject in a world; where it is not seen, it stays where it was. False then.
fn find(subject: &Subject, world: &World, last: &mut Option<Seen>) -> bool {
    let now = match subject {
        Subject::Place(place) => Some(Seen { place: *place, angles: [0.0; 3] }),
        Subject::Entity(number) => {
            world.entity(usize::from(*number)).map(|entity| Seen { place: entity.origin, angles: entity.angles })
        }
        Subject::Player(name) => player(name, world).and_then(|player| eyes(&player, world)),
    };
    *last = now.or(*last);
    now.is_some()
}

/// The player of a name; else one whose name contains it.
fn player<'w>(name: &str, world: &'w World) -> Option<Player<'w>> {
    let first = world.players().find(|player| player.is_called(name));
    first.or_else(|| world.players().find(|player| player.has_in_name(name)))
}

/// The eyes of a player who is in sight.
fn eyes(player: &Player<'_>, world: &World) -> Option<Seen> {
    if player.spectator {
        return None;
    }
    if let Some(view) = world.view().filter(|view| view.slot == Some(player.slot)) {
        if let Some(place) = view.origin {
            return Some(Seen { place, angles: view.angles });
        }
    }
    // Of who stands.
    let height = if matches!(world, World::Dm3(_)) { 26.0 } else { 22.0 };
    let [x, y, z] = player.origin?;
    Some(Seen { place: [x, y, z + height], angles: player.angles.unwrap_or_default() })
}
