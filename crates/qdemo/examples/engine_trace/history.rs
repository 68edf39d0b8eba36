//! What the engine remembers of earlier snapshots, as far as its print depends on it.

use std::collections::VecDeque;

use qdemo::format::dm3::{Change, Message, Packet, Snapshot};

/// Which entities the snapshots had that others may build on: the engine keeps 32 of them.
#[derive(Debug, Default)]
pub(crate) struct History(VecDeque<(i32, Vec<u16>)>);

impl History {
    const KEPT: i32 = 32;

    fn get(&self, number: i32) -> Option<&[u16]> {
        self.0.iter().rev().find(|(n, _)| *n == number).map(|(_, entities)| entities.as_slice())
    }

    /// Takes in the snapshots of a packet. Gives what each of them builds on: a list of entities, empty for a complete
    /// snapshot; `None` when the base is not there, so that the engine drops the snapshot.
    pub(crate) fn take_in(&mut self, sequence: i32, packet: &Packet<'_>) -> Vec<Option<Vec<u16>>> {
        let mut bases = Vec::new();
        for message in &packet.messages {
            match message {
                Message::Gamestate(_) => self.0.clear(),
                Message::Snapshot(snapshot) => {
                    // The engine takes 0 and less for "no base".
                    let base = match base_number(sequence, snapshot) {
                        number if number > 0 => self.get(number).map(<[u16]>::to_vec),
                        _ => Some(Vec::new()),
                    };
                    if let Some(base) = &base {
                        self.0.retain(|(n, _)| sequence.wrapping_sub(*n) < Self::KEPT);
                        self.0.push_back((sequence, entities_after(base, snapshot)));
                    }
                    bases.push(base);
                }
                _ => {}
            }
        }
        bases
    }
}

/// The packet with the snapshot that this one is a difference to; -1 when it is complete.
pub(crate) fn base_number(sequence: i32, snapshot: &Snapshot) -> i32 {
    if snapshot.delta_num == 0 { -1 } else { sequence.wrapping_sub(i32::from(snapshot.delta_num)) }
}

/// The entities that a snapshot has, in order.
fn entities_after(base: &[u16], snapshot: &Snapshot) -> Vec<u16> {
    let mut old = base.iter().copied().peekable();
    let mut now = Vec::new();
    for entity in snapshot.entities() {
        now.extend(std::iter::from_fn(|| old.next_if(|n| *n < entity.number)));
        old.next_if_eq(&entity.number);
        if !matches!(entity.change, Change::Remove) {
            now.push(entity.number);
        }
    }
    now.extend(old);
    now
}
