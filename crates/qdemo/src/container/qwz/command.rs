//! Blocks that hold a command of the player.

use super::coder::Coder;
use std::io::BufRead;

/// Bits of the mask that are the guess for the next command: angles, and the length.
const STEADY: u16 = 0x203F;

/// Rows of the differences, low and high byte.
const ANGLES: [(u8, u8); 3] = [(226, 227), (228, 229), (230, 231)];
const MOVES: [(u8, u8); 3] = [(232, 233), (234, 235), (236, 237)];

/// The last command.
pub(super) struct Command {
    mask: u16,
    angles: [i16; 3],
    /// How much the angles change from command to command.
    drift: [i16; 3],
    /// Forward, side, up.
    moves: [i16; 3],
    buttons: u8,
    impulse: u8,
    /// Length in ms.
    pub(super) msec: u8,
}

impl Command {
    pub(super) fn new() -> Self {
        Command { mask: 0, angles: [0; 3], drift: [0; 3], moves: [0; 3], buttons: 0, impulse: 8, msec: 0 }
    }

    /// Decodes the next one.
    pub(super) fn read<R: BufRead>(&mut self, coder: &mut Coder<R>) {
        let low = u16::from(coder.byte(224));
        let high = u16::from(coder.byte(225));
        let mask = self.mask & STEADY ^ low ^ high << 8;
        let has = |bit: usize| mask >> bit & 1 != 0;
        for (axis, (low, high)) in ANGLES.into_iter().enumerate() {
            add(&mut self.drift[axis], coder, (has(2 * axis), low), (has(2 * axis + 1), high));
            self.angles[axis] = self.angles[axis].wrapping_add(self.drift[axis]);
        }
        for (axis, (low, high)) in MOVES.into_iter().enumerate() {
            add(&mut self.moves[axis], coder, (has(6 + 2 * axis), low), (has(7 + 2 * axis), high));
        }
        if has(12) {
            self.buttons ^= coder.byte(238);
        }
        if has(13) {
            self.msec = self.msec.wrapping_add(coder.byte(240));
        }
        if has(14) {
            self.impulse = coder.byte(239);
        }
        self.mask = mask;
    }

    /// Writes it as a `.qwd` has it: the C structure of the command, then the view angles.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let angles = self.angles.map(|angle| f32::from(angle) * 360.0 / 65536.0);
        let angles = angles.map(f32::to_le_bytes);
        out.extend([self.msec, 0, 0, 0]);
        out.extend(angles.as_flattened());
        out.extend(self.moves.map(i16::to_le_bytes).as_flattened());
        out.extend([self.buttons, self.impulse]);
        out.extend(angles.as_flattened());
    }
}

/// Adds a difference whose low and high byte are sent or not, each with the row it has.
pub(super) fn add<R: BufRead>(value: &mut i16, coder: &mut Coder<R>, low: (bool, u8), high: (bool, u8)) {
    if low.0 {
        *value = value.wrapping_add(coder.signed(low.1));
    }
    if high.0 {
        *value = value.wrapping_add(coder.high(high.1));
    }
}
