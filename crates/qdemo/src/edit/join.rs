//! Putting recordings one behind the other.

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;

use super::account::{Account, Joined};
use super::board::Board;
use super::editor::{Coming, Editor};
use super::end;
use super::writer::Writer;
use crate::demo::{Chunk, FileKind, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dem::{self, CdTrack, Dem};
use crate::format::{AnyDialect as _, BlockOf, Decoder, Format, mvd, qwd};
use crate::frame;
use crate::limits::Limits;
use crate::replay::World;
use crate::world::{DemoTime, Scene};

/// Joins recordings of one format into one that holds all of their levels, one behind the other, as engines record them
/// when the level changes.
///
/// * What ends a recording is left out but for the last one's: `disconnect`, end marks, what stands behind them. The last
///   one gets an end where it has none.
/// * The blocks follow byte for byte, with these exceptions. In a `.qwd` numbers of packets are raised by a multiple of
///   256 so that they go on rising, a block in front tells the client where they stand, and the recorder's clock goes on.
///   In Quake III numbers of packets go on rising, and numbers of server commands go on from the last one: the game's
///   client program passes over others. A `.dem` has one line in front that asks for music: where it asks for none, and
///   the line of a later recording does, `cdtrack` messages of that recording ask for its track.
/// * Where nobody has a name after a recording's first frame, names, scores and colours are those of the
///   recording before it, slot by slot, as far as the level has players: Quake and QuakeWorld.
/// * A recording that begins with exactly the state in which the one before it ends, as those do that were [cut](super::cut())
///   out of one recording, goes on without loading the level anew: its full start is left out, and what follows stays as
///   it is. That is so where [`World::difference`] finds none between both before any time passes, or
///   after the first moment in which it does: what was cut at a moment has its blocks in both parts, and here once.
///
/// Inputs are names and what to read; each is asked for when the one before it is about to be read. Gives back what was
/// written to, and what was done. Memory for two worlds and the full start of a recording.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::edit::{cut, join};
/// use qdemo::{Limits, replay};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let part = |from: &str, to: &str| {
///     let range = replay::Range { from: from.parse().unwrap(), to: to.parse().unwrap() };
///     cut(demo, "oa-dm4.dm_71", Limits::default(), range, Vec::new()).map(|(clip, _)| clip)
/// };
/// let (one, two) = (part("start", "0:10")?, part("0:10", "end")?);
/// let (whole, account) = join([("one.dm_71", &one[..]), ("two.dm_71", &two[..])], Limits::default(), Vec::new())?;
/// assert!(account.parts[1].goes_on);
/// let length = |demo| Ok::<_, qdemo::Error>(replay::at(demo, "a.dm_71", Limits::default(), None)?.1);
/// assert_eq!(length(&whole[..])?, length(demo)?);
/// # Ok(()) }
/// ```
///
/// # Errors
/// Recordings that do not go together: of several formats or protocols, or by clients and by servers (Quake II). One
/// behind the first that does not begin with a level: [`cut`](super::cut()) gives a clip a beginning. No recording at all, and
/// whatever reading and writing give.
pub fn join<N: AsRef<str>, R: Read, W: Write>(
    inputs: impl IntoIterator<Item = (N, R)>,
    limits: Limits,
    out: W,
) -> Result<(W, Account)> {
    let mut inputs = inputs.into_iter().peekable();
    let mut writer = Writer::new(out);
    let mut done = Done::default();
    while let Some((name, input)) = inputs.next() {
        let is_last = inputs.peek().is_none();
        done.add(name.as_ref(), input, limits, is_last, &mut writer)?;
    }
    if done.parts.is_empty() {
        return Err(Error::new(ErrorKind::Refused("there is no recording to join".to_owned())));
    }
    let (out, mut account) = writer.finish()?;
    account.blocks_read = done.parts.iter().map(|part| part.blocks_read).sum();
    account.blocks_dropped = done.parts.iter().map(|part| part.blocks_dropped).sum();
    account.notes.splice(0..0, done.notes);
    account.parts = done.parts;
    Ok((out, account))
}

/// What is behind us.
#[derive(Default)]
struct Done {
    parts: Vec<Joined>,
    notes: Vec<String>,
    before: Option<Before>,
    length: DemoTime,
    /// The CD track that the line in front asks for.
    track: i32,
    /// The players who were told of last.
    board: Option<Board>,
}

/// The recording before.
struct Before {
    name: String,
    kind: FileKind,
    world: World,
}

impl Done {
    fn add<W: Write>(
        &mut self,
        name: &str,
        input: impl Read,
        limits: Limits,
        is_last: bool,
        writer: &mut Writer<W>,
    ) -> Result<()> {
        let mut input = Kept { input, bytes: Vec::new() };
        let skipped = match &self.before {
            Some(before) => before.look(&mut input, name, limits)?,
            None => Some(0),
        };
        let mut editor = Editor::new(Cursor::new(input.bytes).chain(input.input), name, limits)?;
        let (kind, is_first) = (editor.detected().kind, self.before.is_none());
        let mut part = Part {
            is_first,
            is_last,
            skipped: skipped.unwrap_or(0),
            joint: !is_first && skipped.is_none(),
            board: self.board.clone().filter(|_| skipped.is_none()),
            players_carried: 0,
            track: self.track,
            music: None,
            unframed: Vec::new(),
            levels: 0,
            end: DemoTime(0),
            notes: &mut self.notes,
        };
        let (kept, changed) = (writer.account().blocks_kept, writer.account().blocks_changed);
        editor.run(&mut |coming| {
            part.take(coming, writer)?;
            Ok(ControlFlow::Continue(()))
        })?;
        let (levels, end, track, players_carried) = (part.levels, part.end, part.track, part.players_carried);
        let shifts = writer.shifts();
        let account = writer.account();
        let mut own = Account {
            blocks_kept: account.blocks_kept - kept,
            blocks_changed: account.blocks_changed - changed,
            ..Account::default()
        };
        editor.account(&mut own);
        self.notes.append(&mut own.notes);
        self.parts.push(Joined {
            name: name.to_owned(),
            from: self.length,
            levels,
            players_carried,
            goes_on: !is_first && skipped.is_some(),
            blocks_read: own.blocks_read,
            blocks_kept: own.blocks_kept,
            blocks_changed: own.blocks_changed,
            blocks_dropped: own.blocks_dropped,
            packets_shifted: shifts.packets,
            commands_shifted: shifts.commands,
            seconds_shifted: shifts.seconds,
        });
        self.track = track;
        self.length = DemoTime(self.length.0.saturating_add(end.0));
        if !is_last {
            self.board = Board::of(editor.world()).or(self.board.take());
            self.before = Some(Before { name: name.to_owned(), kind, world: editor.world().clone() });
        }
        Ok(())
    }
}

/// What was read of an input, to be read again.
struct Kept<R> {
    input: R,
    bytes: Vec<u8>,
}

impl<R: Read> Read for &mut Kept<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.input.read(buf)?;
        self.bytes.extend_from_slice(buf.get(..n).unwrap_or_default());
        Ok(n)
    }
}

impl Before {
    /// No full start is as large as this, in bytes.
    const LOOK: u64 = 4 << 20;

    /// Looks at the beginning of what comes next: whether it goes with this. Gives how many blocks show nothing but the
    /// state in which this ends; `None` where another level begins.
    fn look(&self, input: &mut Kept<impl Read>, name: &str, limits: Limits) -> Result<Option<u64>> {
        let mut reader = Reader::new(input, name, limits)?;
        let kind = reader.detected().kind;
        let mut world = World::of(reader.detected(), name)?;
        if kind != self.kind {
            let (one, other) = (self.kind.name(), kind.name());
            return Err(self.mismatch(name, &format!("{one} and {other} are different formats")));
        }
        let (mut blocks, mut has_level, mut moment) = (0, false, 0);
        while reader.offset() < Self::LOOK {
            let Some(chunk) = reader.next_chunk()? else { break };
            world.apply(&chunk);
            if chunk.block().is_none() {
                continue;
            }
            blocks += 1;
            has_level |= world.changes().level;
            let now = world.clock().demo.0;
            match has_level {
                // A full start lets no time pass; what was cut at a moment may have the blocks of that moment in both parts.
                true if moment > 0 && now > moment => break,
                true if world.difference(&self.world).is_none() => return Ok(Some(blocks)),
                false if world.changes().frame => break,
                _ => moment = now,
            }
        }
        if !has_level {
            let what = "it does not begin with a level, so that nothing of it can be shown behind another recording";
            return Err(Error::new(ErrorKind::Mismatch(what.to_owned())).in_file(name));
        }
        match (protocol(&self.world), protocol(&world)) {
            (Some(one), Some(other)) if one != other => {
                Err(self.mismatch(name, &format!("protocols {one} and {other} are different")))
            }
            _ => match (recorder(&self.world), recorder(&world)) {
                (Some(one), Some(other)) if one != other => {
                    Err(self.mismatch(name, &format!("one was recorded by a {one}, the other by a {other}")))
                }
                _ => Ok(None),
            },
        }
    }

    fn mismatch(&self, name: &str, what: &str) -> Error {
        Error::new(ErrorKind::Mismatch(format!("it cannot follow {}: {what}", self.name))).in_file(name)
    }
}

/// The protocol of a level, where recordings of a format have several.
fn protocol(world: &World) -> Option<i32> {
    let number = match world {
        World::Dem(world) => world.dialect().protocol(),
        World::QuakeWorld(world) => world.dialect().protocol(),
        World::Dm2(world) => world.dialect().protocol(),
        World::Dm3(world) => world.dialect().protocol(),
        World::Mvd2(_) => return None,
    };
    (number != 0).then_some(number)
}

/// Who recorded: Quake II.
fn recorder(world: &World) -> Option<&'static str> {
    use crate::format::dm2::Recording;
    let World::Dm2(world) = world else { return None };
    Some(match world.dialect().recording {
        Recording::Client => "client",
        Recording::Server => "server",
        Recording::Relay => "Relay server",
        Recording::TestRelease => "client of the test release",
    })
}

/// A recording on its way into the output.
struct Part<'d> {
    is_first: bool,
    is_last: bool,
    /// Blocks of a full start that are left out.
    skipped: u64,
    /// Nothing of it was written yet, and it does not go on from what was.
    joint: bool,
    /// The players of the recording before, while it is not known whether this one tells of any, or not all were put in.
    board: Option<Board>,
    players_carried: u64,
    /// The CD track that the line in front of the output asks for.
    track: i32,
    /// What reads its blocks where they have to ask for another track.
    music: Option<Music>,
    /// Bytes that are no block, while no block has followed.
    unframed: Vec<u8>,
    levels: u64,
    end: DemoTime,
    notes: &'d mut Vec<String>,
}

/// Makes `cdtrack` messages ask for a track.
struct Music {
    decoder: dem::Decoder,
    track: u8,
}

/// What becomes of a chunk.
enum Fate {
    Kept,
    Changed(Vec<u8>),
    Dropped,
}

impl Part<'_> {
    fn take<W: Write>(&mut self, coming: &mut Coming<'_>, writer: &mut Writer<W>) -> Result<()> {
        if self.is_last && self.board.is_none() {
            coming.let_go();
        }
        self.end = coming.clock().demo;
        let fate = match coming.block() {
            // A full start: from here on the world knows what it shows.
            Some(block) if block < self.skipped => return Ok(()),
            Some(_) => match self.block(coming)? {
                Fate::Kept => self.with_players(coming)?,
                fate => fate,
            },
            None => self.other(coming.chunk()),
        };
        let changed = match fate {
            Fate::Dropped if coming.block().is_some() => {
                coming.leave_out();
                return Ok(());
            }
            Fate::Dropped => return Ok(()),
            Fate::Kept => None,
            Fate::Changed(bytes) => Some(bytes),
        };
        if std::mem::take(&mut self.joint) {
            writer.joint(coming.world());
        }
        writer.bytes(&std::mem::take(&mut self.unframed))?;
        self.levels += u64::from(coming.begins_level());
        coming.append(writer, changed)
    }

    /// What is no block.
    fn other(&mut self, chunk: &Chunk<'_>) -> Fate {
        if let Chunk::Dem(frame::Chunk::Start(line)) = chunk {
            self.line(line);
        }
        let is_kept = match chunk.unframed() {
            // Damage between blocks stays; damage at the end must not hide what follows.
            Some(unframed) if !self.is_last => {
                self.unframed.extend_from_slice(unframed.bytes);
                false
            }
            _ if chunk.is_start() => self.is_first,
            _ => self.is_last,
        };
        if is_kept { Fate::Kept } else { Fate::Dropped }
    }

    /// The line in front of a `.dem`.
    fn line(&mut self, line: &[u8]) {
        let track = dem::track_number(line);
        if self.is_first {
            self.track = track;
        } else if track != self.track {
            self.music = u8::try_from(track)
                .ok()
                .filter(|_| self.track == -1)
                .map(|track| Music { decoder: dem::Decoder::default(), track });
            if self.music.is_none() {
                let first = self.track;
                self.notes.push(format!(
                    "the line in front of the first recording asks for CD track {first}, another one's for {track}: all \
                     play {first}"
                ));
            }
        }
    }

    fn block(&mut self, coming: &Coming<'_>) -> Result<Fate> {
        let world = coming.world();
        Ok(match (coming.chunk(), world) {
            (Chunk::Dem(frame::Chunk::Block(block)), World::Dem(world)) => {
                if let Some(bytes) = self.music.as_mut().map_or(Ok(None), |music| music.change(block))? {
                    return Ok(Fate::Changed(bytes));
                }
                let maybe = block.payload.last() == Some(&DISCONNECT);
                self.without_end::<Dem>(block, maybe, world.dialect(), |_| true)?
            }
            (Chunk::Qwd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                let is_end = |packet: &qwd::Packet<'_>| match &packet.contents {
                    qwd::Contents::Connectionless(packet) => packet.is_end_of_demo(),
                    _ => true,
                };
                self.without_end::<qwd::Qwd>(block, ends_with_text(block.payload), world.dialect(), is_end)?
            }
            (Chunk::Mvd(frame::Chunk::Block(block)), World::QuakeWorld(world)) => {
                let lasts = block.header.msec > 0;
                let maybe = ends_with_text(block.payload);
                self.without_end::<mvd::Mvd>(block, maybe, world.dialect(), |_| !lasts)?
            }
            (Chunk::Dm2(frame::Chunk::Block(block)), _) => self.whole(block)?,
            (Chunk::Mvd2(frame::Chunk::Block(block)), _) => self.whole(block)?,
            (Chunk::Dm3(frame::Chunk::Block(block)), _) => self.whole(block)?,
            _ => Fate::Kept,
        })
    }

    /// A block of a level in which nobody has a name, with those who were there before.
    fn with_players(&mut self, coming: &Coming<'_>) -> Result<Fate> {
        let Some(board) = &mut self.board else { return Ok(Fate::Kept) };
        let world = coming.world();
        if self.players_carried == 0 {
            if self.levels == 0 || coming.begins_level() || !world.changes().frame {
                return Ok(Fate::Kept);
            }
            *board = board.clone().for_level(world);
            self.players_carried = board.players;
            if board.players == 0 || Board::of(world).is_some() {
                (self.board, self.players_carried) = (None, 0);
                return Ok(Fate::Kept);
            }
        }
        let changed = board.put(coming.chunk(), world)?;
        if board.is_told() {
            self.board = None;
        }
        Ok(changed.map_or(Fate::Kept, Fate::Changed))
    }

    /// A block as it stands among others. One that the end of its file cuts would swallow what follows.
    fn whole<H: frame::Header>(&mut self, block: &frame::Block<'_, H>) -> Result<Fate> {
        if !self.is_last && block.is_cut() {
            self.notes.push(end::cut_off(block.index));
            return Ok(Fate::Dropped);
        }
        Ok(Fate::Kept)
    }

    /// A block without a `disconnect` at its end, which would end the output for those who play it. `maybe` is false where
    /// there cannot be one. A block of nothing else is left out if `empty` says so.
    fn without_end<F: Disconnects>(
        &mut self,
        block: &BlockOf<'_, F>,
        maybe: bool,
        dialect: crate::format::DialectOf<F>,
        empty: impl Fn(&crate::format::Packet<'_, F>) -> bool,
    ) -> Result<Fate> {
        let fate = self.whole(block)?;
        if self.is_last || !maybe || !matches!(fate, Fate::Kept) {
            return Ok(fate);
        }
        let mut decoder = Decoder::<F>::new(dialect);
        let (mut packet, _) = decoder.read(block);
        if packet.messages.last().is_some_and(F::is_disconnect) {
            packet.messages.pop();
        } else if !F::is_last(block, &packet) {
            return Ok(Fate::Kept);
        }
        if packet.messages.is_empty() && empty(&packet) {
            return Ok(Fate::Dropped);
        }
        Ok(Fate::Changed(packet.to_bytes(decoder.before())?))
    }
}

/// Number of the message that ends a game, in Quake and QuakeWorld.
const DISCONNECT: u8 = 2;

/// True when bytes end with a text and the number of [`DISCONNECT`] before it.
fn ends_with_text(payload: &[u8]) -> bool {
    let Some((0, text)) = payload.split_last() else { return false };
    text.iter().rev().find(|b| matches!(**b, 0 | DISCONNECT)) == Some(&DISCONNECT)
}

/// Formats in which a message ends the game.
trait Disconnects: Format {
    fn is_disconnect(message: &Self::Message<'_>) -> bool;
}

impl Disconnects for Dem {
    fn is_disconnect(message: &dem::Message<'_>) -> bool {
        matches!(message, dem::Message::Disconnect(_))
    }
}

impl Disconnects for qwd::Qwd {
    fn is_disconnect(message: &qwd::Message<'_>) -> bool {
        matches!(message, qwd::Message::Disconnect(_))
    }
}

impl Disconnects for mvd::Mvd {
    fn is_disconnect(message: &qwd::Message<'_>) -> bool {
        matches!(message, qwd::Message::Disconnect(_))
    }
}

impl Music {
    /// A block that asks for the track; `None` where it asks for none.
    fn change(&mut self, block: &dem::Block<'_>) -> Result<Option<Vec<u8>>> {
        let (mut packet, _) = self.decoder.read(block);
        let mut changed = false;
        for message in &mut packet.messages {
            if let dem::Message::CdTrack(track) = message {
                *track = CdTrack { fromtrack: self.track, totrack: self.track };
                changed = true;
            }
        }
        Ok(changed.then(|| packet.to_bytes(self.decoder.before())).transpose()?)
    }
}
