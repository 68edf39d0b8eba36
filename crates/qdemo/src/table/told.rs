//! Tables of what blocks tell: commands of clients, shots, sounds, texts, and the messages themselves.

use super::columns::{table, unless_plain};
use super::range::{
    ANGLE, BIT, BITS, BYTE, COUNT, EIGHTHS, FADING, MOVES, NUMBERS, SHARE, SOUNDS as SOUND_NUMBERS, STRINGS,
};
use super::row::{OneMessage, Row, RowOf, Told};
use super::{Rows, Subject, Table};
use crate::analysis::texts::{self, Text, TextTag};
use crate::demo::MessagePlaces;
use crate::error::Result;
use crate::replay::{Shots, Sounds, Step};
use crate::world::{Charset, Scene};

table! {
    /// What players ask for.
    INPUTS = "inputs", "A command of a player's client, or what the recording shows of one.", Subject::Inputs;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL BLOCK SLOT NAME NAME_RAW TEAM]
    told of input {
        source: Word, "What tells of it. `command`: the command as the client that recorded sent it (`.qwd`). `playerinfo`: the \
            last command of another player, as the server tells it (`.qwd`). `hidden_command`: the command as the server got it \
            (`.mvd` of some servers). `block`: the view as the client had it when a block came (`.dem`). `player_state`: what the \
            server made of the command (Quake II and Quake III)." = told.it.source.name();
        command_ms: Integer in "ms" within COUNT, "Time of the command on the server's clock: Quake III." = told.it.command_ms;
        msec: Integer in "ms" within BYTE, "For so long the command holds: QuakeWorld." = told.it.msec;
    }
    [PITCH YAW ROLL]
    told of input {
        delta_pitch: Number in "degrees" within ANGLE, "What the server adds to the pitch of commands, as after a \
            teleporter; it is part of `pitch`: Quake II and Quake III." = told.it.delta_angles?[0];
        delta_yaw: Number in "degrees" within ANGLE, "Likewise, yaw." = told.it.delta_angles?[1];
        delta_roll: Number in "degrees" within ANGLE, "Likewise, roll." = told.it.delta_angles?[2];
        forward: Integer within MOVES, "Forward, below 0 backward, as the game counts it: units/s in QuakeWorld, 127 at most in \
            Quake Live." = told.it.speed?[0];
        side: Integer within MOVES, "To the right, below 0 to the left." = told.it.speed?[1];
        up: Integer within MOVES, "Up, below 0 down." = told.it.speed?[2];
        direction: Integer within EIGHTHS, "Direction of the movement keys in eighths of a turn to the left, 0 forward, 4 \
            backward; it stays when no key is held: Quake III." = told.it.direction;
        buttons: Integer within BYTE, "Buttons, as bits: 1 fires, 2 jumps. QuakeWorld." = told.it.buttons;
        impulse: Integer within BYTE, "Impulse, such as the number of a weapon; 0 none: QuakeWorld." = told.it.impulse;
        move_flags: Integer within BITS, "Flags of the movement (`pm_flags`), as bits of the game: Quake II and Quake III." =
            told.it.flags;
        attack: Boolean, "True while the player shoots: QuakeWorld; Quake III, where there is something to shoot with." =
            told.it.attack;
        jump: Boolean, "True while the key for jumps is held; in Quake II and Quake III after the jump that it made." =
            told.it.jump;
        duck: Boolean, "True while the player is ducked: Quake II and Quake III." = told.it.duck;
    }
}

table! {
    /// Shots.
    SHOTS = "shots", "A shot. What tells of shots differs from game to game: see above.", Subject::Shots;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL BLOCK SLOT NAME NAME_RAW TEAM]
    told of shot {
        entity: Integer within NUMBERS, "Number of the entity that shoots." = told.it.entity;
        weapon: Word, "The weapon, by the game's name; of a monster with the monster's. Missing where its number has no name." =
            told.it.weapon.as_deref();
    }
    [X Y Z PITCH YAW ROLL]
    told of shot {
        source: Word, "What tells of it: `sound` of the weapon, `temp_entity` (lightning), `muzzleflash`, `muzzleflash2` (of a \
            monster), `event`." = told.it.source.name();
    }
}

table! {
    /// Sounds.
    SOUNDS = "sounds", "A sound that begins.", Subject::Sounds;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL BLOCK]
    told of sound {
        sound: Word, "Name of the sound; one that begins with `*` is the player model's own." = Charset::Quake.cleaned(told.it.name?);
        number: Integer within SOUND_NUMBERS, "Its number in the level." = told.it.number;
        entity: Integer within NUMBERS, "Number of the entity that makes it; 0 the world." = told.it.entity;
    }
    [SLOT NAME NAME_RAW TEAM]
    told of sound {
        channel: Integer within BYTE, "Channel: 0 any, 1 weapon, 2 voice, 3 item, 4 body. Missing in Quake III." =
            told.it.channel;
        volume: Number within SHARE, "Loudness. Missing in Quake III." = told.it.volume;
        attenuation: Number within FADING, "How fast it fades with distance: 0 not at all, 1 as usual, 2 and 3 faster. Missing \
            in Quake III." = told.it.attenuation;
        delay_ms: Integer in "ms" within BYTE, "So long after `time_ms` it begins: Quake II." = told.it.delay_ms;
    }
    [X Y Z]
    told of sound {
        source: Word, "What tells of it: `sound`, the message; in Quake III `event` and `global_event`, which all hear." =
            told.it.source.name();
    }
}

table! {
    /// Messages.
    MESSAGES = "messages", "A message of a block.", Subject::Messages;
    [CLOCK TIME_MS TIME DEMO_MS LEVEL BLOCK]
    message of place {
        index: Integer within COUNT, "Number of the message within its block, from 0; those that another one carries have its \
            number." = message.index;
        message: Word, "Its name, as in text and JSON; `unknown` for bytes that could not be decoded." = message.name;
        within: Word, "Name of the message that carries it, and after which it stands: in `.mvd2`, and in recordings of Relay." =
            message.within;
        offset: Integer within COUNT, "Offset in the file of the byte in which it begins; missing within another message." =
            message.extent?.offset;
        bit: Integer within BIT, "The bit of that byte, 0 the lowest, in Quake III, where messages are no whole bytes." =
            message.extent.filter(|extent| !extent.in_bytes)?.bit;
        bytes: Integer in "bytes" within COUNT, "Its size; missing in Quake III." =
            message.extent.filter(|extent| extent.in_bytes)?.bits / 8;
        bits: Integer in "bits" within COUNT, "Its size in bits." = message.extent?.bits;
    }
    it of message {
        json: Text, "The message with all its fields, as `qdemo decompile --json` writes it." =
            it.message.json();
    }
}

table! {
    /// What people read while they play.
    PRINTS = "prints", "A text that was printed, said or shown in the middle of the screen, as the messages have it: a line may \
        come in several of them. `chat` has whole lines with their speakers.", Subject::Texts(TextTag::PRINTED);
    [CLOCK TIME_MS TIME DEMO_MS LEVEL BLOCK]
    text of text {
        kind: Word, "What it is. `print`, `chat` (a print that somebody says), `centerprint`. Table `texts` has also `stufftext` \
            (a command for the console of the client), `command` (another one for the game module: Quake III), `level` (its \
            name), `name` (of a player: Quake), `userinfo` and `serverinfo` (QuakeWorld), `configstring` (Quake II and Quake \
            III)." = text.kind.name();
        print_level: Integer within BYTE, "Level of the print: 0 pickups, 1 deaths, 2 important, 3 chat. Quake and Quake III \
            have none." = text.print_level;
        index: Integer within STRINGS, "Number of a configstring." = text.index;
    }
    [SLOT]
    row of any {
        player: Word, "Name of the player for whom alone it is, or whose name or settings it is; missing where it is for all." =
            row.name();
        player_raw: Raw, "The same as the bytes in the file, one character for each; missing where these are the plain \
            characters." = row.name_raw();
    }
    text of text {
        ends_line: Boolean, "True for a print that ends its line." =
            Some(text.text_raw.ends_with(b"\n")).filter(|_| text.kind == TextTag::Print || text.kind == TextTag::Chat);
        text: Text, "The text in plain characters, without the line end." = text.text.trim_end_matches('\n');
        text_raw: Raw, "The text as the bytes in the file, one character for each; missing where these are the plain \
            characters." = unless_plain(&text.text_raw, &text.text);
    }
}

/// All texts.
pub static TEXTS: Table = Table {
    name: "texts",
    doc: "A text that the server sent: what was printed, commands, names and settings. Columns are those of `prints`.",
    columns: PRINTS.columns,
    of: Subject::Texts(TextTag::ALL),
};

/// The row of [`TEXTS`] that a text makes.
pub fn text(text: &Text) -> Row<'_> {
    Row { clock: text.clock, block: text.block, level: text.level, about: RowOf::Text(text) }
}

/// Tells the rows of one of these tables, step by step.
pub(super) struct Blocks {
    of: Subject,
    state: Option<State>,
}

/// What that takes.
enum State {
    Inputs,
    Shots(Shots),
    Sounds(Sounds),
    Messages(MessagePlaces),
    Texts(&'static [TextTag]),
}

impl Blocks {
    pub(super) fn new(of: Subject) -> Self {
        Blocks { of, state: None }
    }

    pub(super) fn step(&mut self, step: &Step<'_>, rows: &mut impl Rows) -> Result<()> {
        let kind = step.detected.kind;
        let of = self.of;
        let state = self.state.get_or_insert_with(|| match of {
            Subject::Shots => State::Shots(Shots::new(kind)),
            Subject::Sounds => State::Sounds(Sounds::new(kind)),
            Subject::Messages => State::Messages(MessagePlaces::new(step.detected)),
            Subject::Texts(kinds) => State::Texts(kinds),
            _ => State::Inputs,
        });
        state.step(step, rows)
    }
}

impl State {
    fn step(&mut self, step: &Step<'_>, rows: &mut impl Rows) -> Result<()> {
        let world = step.world;
        let (clock, block, level) = (step.clock(), step.block, world.level().number);
        let mut done = Ok(());
        // What shows things to a function goes on to the end: the first error stays.
        let mut row = |about: RowOf<'_>| {
            if done.is_ok() {
                done = rows.row(&Row { clock, block, level, about });
            }
        };
        match (self, step.chunk) {
            (_, None) => {}
            (State::Inputs, Some(chunk)) => {
                if chunk.block().is_some() {
                    world.inputs(&mut |it| row(RowOf::Input(Told { world, it })));
                }
            }
            (State::Shots(shots), _) => shots.step(world, &mut |it| row(RowOf::Shot(Told { world, it }))),
            (State::Sounds(sounds), _) => sounds.step(world, &mut |it| row(RowOf::Sound(Told { world, it }))),
            (State::Messages(places), Some(chunk)) => {
                return places.each(chunk, &mut |place, message| {
                    rows.row(&Row { clock, block, level, about: RowOf::Message(OneMessage { place, message }) })
                });
            }
            (State::Texts(kinds), _) => {
                return texts::in_step(step, &mut |it| {
                    if kinds.contains(&it.kind) { rows.row(&text(it)) } else { Ok(()) }
                });
            }
        }
        done
    }
}
