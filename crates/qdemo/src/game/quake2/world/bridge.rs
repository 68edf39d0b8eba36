//! From one world to another: what those are told who see one and are to see the other, without loading the level anew.

use super::frames::{FullFrame, InView};
use super::keyframe::{FrameTold, Messages, tells_frame};
use super::tables::Personal;
use super::{EntityState, PlayerState, World};
use crate::format::dm2::{ConfigString, Frame, Inventory, Items, Layout, Message, Recording, Unicast};
use crate::wire::{F32, Fault, Str};

impl World {
    /// Frames that clients of every engine keep.
    const KEPT: i32 = 15;

    /// The messages of a frame under a number, for those who see `viewer`: the difference to the newest frame that they
    /// have, or to none.
    pub(crate) fn frame_for(&self, viewer: &World, frame: &FullFrame, number: i32) -> Result<Messages, Fault> {
        let mut frame = frame.clone();
        frame.number = number;
        let with_base = Frame::new(number, None, 0, &self.dialect).seq2.is_some()
            && !matches!(self.dialect.recording, Recording::Server | Recording::TestRelease);
        let near = number.saturating_sub(Self::KEPT).max(1)..number;
        let from = near.rev().filter(|_| with_base).find_map(|number| viewer.earlier(number));
        FrameTold { world: self, frame: &frame, from, changed: None }.messages()
    }

    /// The messages of a frame as the difference to an earlier one, or complete.
    pub(crate) fn frame_from(&self, from: Option<&FullFrame>, frame: &FullFrame) -> Result<Messages, Fault> {
        FrameTold { world: self, frame, from, changed: None }.messages()
    }

    /// Puts the messages of a frame in the place of those that a packet has.
    pub(crate) fn replace_frame(messages: &mut Vec<Message<'_>>, frame: Messages) {
        let at = messages.iter().position(tells_frame).unwrap_or(messages.len());
        messages.retain(|message| !tells_frame(message));
        let at = at.min(messages.len());
        messages.splice(at..at, frame);
    }

    /// Leaves out the messages of a frame.
    pub(crate) fn remove_frame(messages: &mut Vec<Message<'_>>) {
        messages.retain(|message| !tells_frame(message));
    }

    /// The last frame, unless what it builds on is missing.
    pub(crate) fn complete_frame(&self) -> Option<&FullFrame> {
        self.frame().filter(|_| self.complete)
    }

    /// Levels begun.
    pub(crate) fn level_number(&self) -> u32 {
        self.levels.begun()
    }

    /// Microseconds from frame to frame.
    pub(crate) fn period(&self) -> i64 {
        1_000_000 / i64::from(self.rate.unwrap_or(Self::RATE).max(1))
    }

    /// What is told, in front of a frame, to those who have seen another world of the same level.
    pub(crate) fn tables_after(&self, shown: &World) -> Messages {
        let mut messages = Vec::new();
        for index in self.strings_changed(shown) {
            let string = Str::from(self.strings.get(index).to_vec());
            messages.push(Message::ConfigString(ConfigString { index, string }));
        }
        for told in self.told.all() {
            let before = shown.told.get(told.client);
            messages.extend(self.personal_after(told, before));
        }
        for gone in shown.told.all().iter().filter(|gone| self.told.get(gone.client).is_none()) {
            let nothing = Personal { client: gone.client, layout: Vec::new(), inventory: None };
            messages.extend(self.personal_after(&nothing, Some(gone)));
        }
        messages
    }

    /// Configstrings that are others than in another world.
    pub(crate) fn strings_changed(&self, shown: &World) -> Vec<u16> {
        let all = self.strings.iter().chain(shown.strings.iter()).map(|(index, _)| index);
        let all: std::collections::BTreeSet<_> = all.filter_map(|index| u16::try_from(index).ok()).collect();
        all.into_iter().filter(|index| self.strings.get(*index) != shown.strings.get(*index)).collect()
    }

    fn personal_after(&self, told: &Personal, before: Option<&Personal>) -> Messages {
        let layout = before.map_or(&[][..], |before| &before.layout) != told.layout;
        let layout = layout.then(|| Message::Layout(Layout { text: Str::from(told.layout.clone()) }));
        let other = before.and_then(|before| before.inventory.as_ref()) != told.inventory.as_ref();
        let items = told.inventory.clone().filter(|_| other);
        let items = items.map(|items| Message::Inventory(Inventory { count: Items(items) }));
        let relay = self.dialect.recording == Recording::Relay;
        let to = told.client.filter(|_| relay);
        let all = layout.into_iter().chain(items);
        all.map(|message| match to {
            Some(client) => Message::Unicast(Unicast { client, message: Box::new(message) }),
            None => message,
        })
        .collect()
    }
}

impl FullFrame {
    /// A frame between two: a share of the way from this one to the next. Nothing happens in it.
    pub(crate) fn between(&self, next: &FullFrame, share: f32) -> FullFrame {
        let mut frame = self.clone();
        for InView { number, state } in &mut frame.entities {
            let from = state.rested();
            *state = next.entity(*number).map_or(from, |to| entity_between(&from, to, share));
        }
        for (client, state) in &mut frame.players {
            if let Some(to) = next.player(*client) {
                *state = player_between(state, to, share);
            }
        }
        frame
    }

    /// The frame where nothing happens any more.
    pub(crate) fn rested(&self) -> FullFrame {
        let mut frame = self.clone();
        frame.entities.iter_mut().for_each(|entity| entity.state = entity.state.rested());
        frame
    }
}

/// A jump of more units than this within a frame is no movement: engines do not show it as one (`CL_DeltaEntity`).
const TELEPORT: f32 = 512.0;

/// Eighths of a unit, which every protocol can tell.
fn place(from: [F32; 3], to: [F32; 3], share: f32) -> [F32; 3] {
    std::array::from_fn(|i| {
        let (a, b) = (from[i].get(), to[i].get());
        if a == b { from[i] } else { F32::from(((a + (b - a) * share) * 8.0).round() / 8.0) }
    })
}

fn is_far(from: [F32; 3], to: [F32; 3]) -> bool {
    from.iter().zip(to).any(|(a, b)| (b.get() - a.get()).abs() > TELEPORT)
}

/// The short way round, in steps that an angle of `steps` to a turn can tell.
fn turn(from: [F32; 3], to: [F32; 3], share: f32, steps: f32) -> [F32; 3] {
    std::array::from_fn(|i| {
        let (a, b) = (from[i].get(), to[i].get());
        if a == b {
            return from[i];
        }
        let by = (b - a + 540.0).rem_euclid(360.0) - 180.0;
        F32::from(((a + by * share) * (steps / 360.0)).round() * (360.0 / steps))
    })
}

fn entity_between(from: &EntityState, to: &EntityState, share: f32) -> EntityState {
    if from.modelindex != to.modelindex || from.is_beam() || is_far(from.origin, to.origin) {
        return *from;
    }
    let origin = place(from.origin, to.origin, share);
    EntityState { origin, angles: turn(from.angles, to.angles, share, 256.0), ..*from }
}

fn player_between(from: &PlayerState, to: &PlayerState, share: f32) -> PlayerState {
    if from.pm_type != to.pm_type || is_far(from.origin, to.origin) {
        return *from;
    }
    let origin = place(from.origin, to.origin, share);
    PlayerState { origin, viewangles: turn(from.viewangles, to.viewangles, share, 65536.0), ..*from }
}
