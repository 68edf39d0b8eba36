//! Players in compressed packets.
//!
//! Where a player is follows from where he was and how fast; what is left is sent. For each group of fields a mask
//! tells which of them differ from the guess, and the mask itself is sent as a difference to the last one.

use super::Trouble;
use super::command::add;
use super::packet::{Base, Packet};
use super::world::{PLAYERS, Player};
use std::io::BufRead;
use std::sync::Arc;

/// Rows of the differences, low and high byte.
const ORIGIN: [(u8, u8); 3] = [(11, 12), (13, 14), (15, 16)];
const ANGLES: [(u8, u8); 2] = [(18, 19), (20, 21)];
const FORWARD: (u8, u8) = (22, 23);
const SIDE: (u8, u8) = (24, 25);
const UP: (u8, u8) = (26, 27);
const VELOCITY: [(u8, u8); 3] = [(31, 32), (33, 34), (35, 36)];

/// Bits of masks that hold for one packet only: those of fields that are sent as they are.
const ORIGIN_KEPT: u8 = 0xBF;
const STATE_KEPT: u8 = 0x97;
const VELOCITY_KEPT: u8 = 0xBF;

/// The last mask: the player is dead.
const DEAD: u8 = 0x80;

impl<R: BufRead> Packet<'_, R> {
    /// The recording player, with whom every packet begins.
    pub(super) fn own_player(&mut self) -> Result<(), Trouble> {
        let (own, model) = (self.world.own, self.world.player_model);
        let mut player = Player { number: own, model, ..Player::default() };
        let back = u32::from(self.byte(0));
        if back > 0 {
            let sequence = self.world.sequence.wrapping_sub(back);
            let (command, msec) = self.world.command_at(sequence);
            let sets = (self.world.players.get(sequence), self.world.entities.get(sequence));
            let ((Some(players), Some(entities)), true) = (sets, command == sequence) else {
                return Err(Trouble::Drop);
            };
            player = players.iter().find(|p| p.number == own).copied().unwrap_or(player);
            self.base = Some(Base { players: Arc::clone(players), entities: Arc::clone(entities) });
            self.elapsed = i64::from(msec) * i64::from(back);
        }
        player.masks[0] ^= self.byte(1);
        player.masks[2] ^= self.byte(2);
        player.masks[3] ^= self.byte(3);
        self.origin(&mut player, self.elapsed);
        self.state(&mut player);
        self.velocity(&mut player);

        self.out.extend([0x2A, player.number]);
        let [mut flags, mut second] = player.flags(model);
        // What others have two bytes earlier begins with the velocity here.
        flags &= 0xFC;
        second |= u8::from(player.masks[3] & DEAD != 0) << 1;
        self.out.extend([flags, second]);
        self.out.extend(player.origin.map(i16::to_le_bytes).as_flattened());
        self.out.push(player.frame);
        self.rest(&player, model);
        self.home = player.origin;
        self.place = player.origin;
        self.players.push(player);
        Ok(())
    }

    /// The other players.
    pub(super) fn other_players(&mut self) -> Result<(), Trouble> {
        let mut is_first = true;
        loop {
            let step = self.byte(5);
            if step == 0 {
                return Ok(());
            }
            self.last_player = self.last_player.wrapping_add(step);
            if usize::from(self.last_player) >= PLAYERS {
                return Err(Trouble::Drop);
            }
            if !std::mem::take(&mut is_first) {
                self.out.push(0x2A);
            }
            self.other_player(self.last_player);
            if self.players.len() > 2 * PLAYERS {
                return Err(Trouble::Damage("more players than a server has"));
            }
            self.check_size()?;
        }
    }

    fn other_player(&mut self, number: u8) {
        let model = self.world.player_model;
        let old = self.base.as_ref().and_then(|base| base.players.iter().find(|p| p.number == number));
        let fresh = Player { number, model, origin: self.home, ..Player::default() };
        let mut player = old.copied().unwrap_or(fresh);
        let age = self.byte(6);
        if age & 0x80 == 0 {
            let time = whole_commands(player.msec, i64::from(age) + self.elapsed - i64::from(player.age));
            player.age = age;
            for (mask, row) in player.masks.iter_mut().zip(7..) {
                *mask ^= self.coder.byte(row);
            }
            self.origin(&mut player, time);
            self.command(&mut player);
            self.state(&mut player);
            self.velocity(&mut player);
        }
        player.age = age & 0x7F;

        let command = player.command_mask();
        let [mut low, mut high] = player.flags(model);
        low |= 1 | u8::from(player.msec != 0 || command != 0) << 1;
        high |= u8::from(player.masks[3] & DEAD != 0) << 1;
        self.out.extend([number, low, high]);
        self.out.extend(player.origin.map(i16::to_le_bytes).as_flattened());
        self.out.extend([player.frame, player.age]);
        if low & 2 != 0 {
            self.out.push(command);
            let [yaw, pitch] = player.angles;
            for word in [pitch, yaw, player.forward, player.side, player.up] {
                if word != 0 {
                    self.out.extend(word.to_le_bytes());
                }
            }
            if player.impulse != 0 {
                self.out.push(player.impulse);
            }
            self.out.push(player.msec);
        }
        self.rest(&player, model);
        self.players.push(player);
    }

    /// Where the player is after `time` ms, and the animation frame.
    fn origin(&mut self, player: &mut Player, time: i64) {
        let mask = player.masks[0];
        for (axis, (low, high)) in ORIGIN.into_iter().enumerate() {
            let has = |bit: usize| mask >> bit & 1 != 0;
            let way = way(player.velocity[axis], time);
            player.origin[axis] = player.origin[axis].wrapping_add(way);
            add(&mut player.origin[axis], self.coder, (has(2 * axis), low), (has(2 * axis + 1), high));
        }
        if mask & 0x40 != 0 {
            player.frame = player.frame.wrapping_add(self.byte(17));
        }
        player.masks[0] &= ORIGIN_KEPT;
    }

    /// The command of another player.
    fn command(&mut self, player: &mut Player) {
        let mask = player.masks[1];
        let has = |bit: usize| mask >> bit & 1 != 0;
        for (i, (low, high)) in ANGLES.into_iter().enumerate() {
            add(&mut player.angle_drift[i], self.coder, (has(2 * i), low), (has(2 * i + 1), high));
            player.angles[i] = player.angles[i].wrapping_add(player.angle_drift[i]);
        }
        add(&mut player.forward, self.coder, (has(4), FORWARD.0), (has(5), FORWARD.1));
        add(&mut player.side, self.coder, (has(6), SIDE.0), (has(7), SIDE.1));
        let mask = player.masks[2];
        let has = |bit: usize| mask >> bit & 1 != 0;
        add(&mut player.up, self.coder, (has(0), UP.0), (has(1), UP.1));
        if has(2) {
            player.spare ^= self.byte(28);
        }
        if has(3) {
            player.impulse = self.byte(29);
        }
        if has(4) {
            player.msec = player.msec.wrapping_add(self.byte(30));
        }
    }

    /// Model, skin and effects.
    fn state(&mut self, player: &mut Player) {
        let mask = player.masks[2];
        if mask & 0x20 != 0 {
            let model = self.byte(37);
            player.model = self.world.names.model_numbers[usize::from(model)];
        }
        if mask & 0x40 != 0 {
            player.skin = self.byte(38);
        }
        if mask & 0x80 != 0 {
            player.effects ^= self.byte(39);
        }
        player.masks[2] &= STATE_KEPT;
    }

    /// Velocity and the frame of the weapon.
    fn velocity(&mut self, player: &mut Player) {
        let mask = player.masks[3];
        for (axis, (low, high)) in VELOCITY.into_iter().enumerate() {
            let has = |bit: usize| mask >> bit & 1 != 0;
            let drift = &mut player.velocity_drift[axis];
            add(drift, self.coder, (has(2 * axis), low), (has(2 * axis + 1), high));
            player.velocity[axis] = player.velocity[axis].wrapping_add(*drift);
        }
        if mask & 0x40 != 0 {
            player.weapon_frame = player.weapon_frame.wrapping_add(self.byte(40));
        }
        player.masks[3] &= VELOCITY_KEPT;
    }

    /// Writes the fields that all players have at the end.
    fn rest(&mut self, player: &Player, model: u8) {
        for axis in player.velocity {
            if axis != 0 {
                self.out.extend(axis.to_le_bytes());
            }
        }
        if player.model != model {
            self.out.push(player.model);
        }
        for byte in [player.skin, player.effects, player.weapon_frame] {
            if byte != 0 {
                self.out.push(byte);
            }
        }
    }
}

impl Player {
    /// The flags of `svc_playerinfo` for velocity, model, skin, effects and weapon frame.
    fn flags(&self, model: u8) -> [u8; 2] {
        let fields = [
            self.velocity[0] != 0,
            self.velocity[1] != 0,
            self.velocity[2] != 0,
            self.model != model,
            self.skin != 0,
            self.effects != 0,
            self.weapon_frame != 0,
        ];
        let flags = fields.into_iter().zip(2..).map(|(is_sent, bit)| u16::from(is_sent) << bit);
        flags.sum::<u16>().to_le_bytes()
    }

    /// The mask of the command in `svc_playerinfo`.
    fn command_mask(&self) -> u8 {
        let [yaw, pitch] = self.angles;
        let fields = [
            (pitch != 0, 0x01),
            (yaw != 0, 0x80),
            (self.forward != 0, 0x04),
            (self.side != 0, 0x08),
            (self.up != 0, 0x10),
            (self.impulse != 0, 0x40),
        ];
        fields.into_iter().filter(|field| field.0).map(|field| field.1).sum()
    }
}

/// How far one gets at a velocity in units per second, in eighths of a unit.
fn way(velocity: i16, time: i64) -> i16 {
    let length = (i64::from(velocity.unsigned_abs()) * time + 62) / 125;
    // Damaged input may lead beyond 16 bits, and wraps as all sums here do.
    (length * i64::from(velocity.signum())) as i16
}

/// The time that other players are moved on by: commands of `msec` each, up to the last one that is not behind `target`.
fn whole_commands(msec: u8, target: i64) -> i64 {
    let msec = i64::from(msec);
    if msec == 0 || target <= 2 * msec {
        return msec;
    }
    // While there is more than one command's time to go, another one fits.
    let more = (target - 2 * msec + msec - 1) / msec;
    msec + more * msec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_players_move_by_whole_commands() {
        for msec in 0..=255u8 {
            for target in -300..3000 {
                let step = i64::from(msec);
                let mut time = step;
                while step > 0 && time < target - step {
                    time += step;
                }
                assert_eq!(whole_commands(msec, target), time, "{msec} {target}");
            }
        }
    }

    #[test]
    fn ways_are_rounded_to_the_nearest_eighth() {
        // 320 units a second for 13 ms are 4.16 units.
        assert_eq!(way(320, 13), 33);
        assert_eq!(way(-320, 13), -33);
        assert_eq!(way(0, 13), 0);
        assert_eq!(way(10, 0), 0);
    }
}
