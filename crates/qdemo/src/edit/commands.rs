//! Server commands of Quake III that are put in: those behind them get higher numbers.

use crate::format::dm3::{Message, ServerCommand};

/// Numbers of server commands: those behind ones that were put in are higher.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// The number of the input behind which a command was put in, for each.
    put_in: Vec<i32>,
    /// The last number of the input so far.
    last: i32,
}

impl Commands {
    fn before(&self, number: i32) -> i32 {
        i32::try_from(self.put_in.partition_point(|after| *after < number)).unwrap_or(i32::MAX)
    }

    /// Gives the commands of a packet of the input numbers that follow from what was put in; true where that changed any.
    pub(crate) fn renumber(&mut self, messages: &mut [Message]) -> bool {
        let mut changed = false;
        for message in messages {
            let add = match message {
                Message::ServerCommand(command) => {
                    self.last = self.last.max(command.seq);
                    let add = self.before(command.seq);
                    command.seq = command.seq.saturating_add(add);
                    add
                }
                Message::Gamestate(gamestate) => {
                    let number = gamestate.server_command_sequence;
                    self.last = self.last.max(number);
                    let add = self.before(number.saturating_add(1));
                    gamestate.server_command_sequence = number.saturating_add(add);
                    add
                }
                _ => 0,
            };
            changed |= add != 0;
        }
        changed
    }

    /// Puts a command in front of the snapshot of a packet that was renumbered; false where there is none.
    pub(crate) fn put_in(&mut self, messages: &mut Vec<Message>, text: Vec<u8>) -> bool {
        let at = messages.iter().position(|message| matches!(message, Message::Snapshot(_)));
        let Some(at) = at else { return false };
        let seq = self.last.saturating_add(self.before(i32::MAX)).saturating_add(1);
        self.put_in.push(self.last);
        messages.insert(at, ServerCommand { seq, value: text.into() }.into());
        true
    }
}
