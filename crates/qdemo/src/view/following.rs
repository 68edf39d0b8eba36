//! Tracks while a replay is made.

use super::track::{Key, Track, TrackOf};

/// Places and angles, quantised.
pub(super) type Place = ([i32; 3], [i16; 3]);

/// What is seen of an entity: what it is, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    pub(super) kind: u32,
    pub(super) model: u32,
    pub(super) place: Place,
}

/// The track that something is on.
#[derive(Debug, Default)]
pub(super) struct Following {
    /// Number of the track.
    pub(super) track: Option<usize>,
    pub(super) last: Option<Place>,
}

/// True for an entity that is another one than before, although its number and looks are the same: what flies does not
/// jump.
pub(super) fn jumped(following: &Following, seen: &Seen) -> bool {
    const FAR: i32 = 600 * 8;
    let Some((last, _)) = following.last else { return false };
    last.iter().zip(seen.place.0).any(|(last, now)| (last - now).abs() > FAR)
}

/// Notes where something is at a row; `None`: not in view.
pub(super) fn follow(it: &mut Following, of: TrackOf, now: Option<Place>, row: u32, tracks: &mut Vec<Track>) {
    let Some((place, angles)) = now else {
        if let Some(track) = it.track.take().and_then(|track| tracks.get_mut(track)) {
            track.to = row;
        }
        it.last = None;
        return;
    };
    if it.last == now {
        return;
    }
    it.last = now;
    let number = *it.track.get_or_insert_with(|| {
        tracks.push(Track { of, from: row, to: u32::MAX, keys: Vec::new() });
        tracks.len() - 1
    });
    if let Some(track) = tracks.get_mut(number) {
        track.keys.push(Key { row, place, angles });
    }
}
