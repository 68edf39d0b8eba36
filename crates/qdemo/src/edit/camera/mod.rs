//! Another camera: what a recording shows, seen from elsewhere.

mod account;
mod dem;
mod dm2;
mod dm3;
mod operator;
mod qwd;
mod script;
mod track;

use std::io::{Read, Write};

pub use account::{CameraAccount, ShotAccount, Unseen};
pub use script::{Easing, Script, Shot, ShotKind, Subject};
pub use track::Key;

use self::operator::{Operator, View};
use self::track::Pose;
use super::end::of_output;
use crate::demo::{Chunk, FileKind, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{DialectOf, Format, Packet};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene;

/// Shows a recording from where a script says.
///
/// Blocks outside shots go through byte for byte, but for the first one behind a shot, which puts the view back, and in
/// Quake II and III those that are told as differences to a frame of a shot. How formats say where the view is:
///
/// * Quake's `.dem`: the view is put on an entity of its own, which is told in each frame of a shot, and the angles stand in
///   front of each block. The recorder's weapon, kicks and damage flashes are left out; the recorder's player is there like any
///   other. A dead recorder's view lies on its side, so health is told as 1 then.
/// * QuakeWorld's `.qwd`: the place is that of the recorder's own player, the angles stand in the recorder's commands, which go
///   nowhere meanwhile. The recorder's player is not to be seen, as there is no other entity of that look.
/// * Quake III: the state of the player who is seen becomes that of a spectator without a name. The player through whose eyes
///   the recording looks is put in as an entity.
/// * Quake II's `.dm2`: the place, the angles and the field of view stand in the recorder's state. The recorder's player is put
///   in a second time, as engines do not draw the recorder's own.
///
/// Recordings of all players (`.mvd`, `.mvd2`) have no view of their own.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, edit::{Script, Shot, ShotKind, camera}, replay, world::{DemoTime, Scene}};
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let kind = ShotKind::Fixed { place: [100.0, 200.0, 50.0], angles: [10.0, 90.0, 0.0] };
/// let at = DemoTime::from_ms;
/// let script = Script { shots: vec![Shot { from: at(200), to: at(600), kind, look_at: None, fov: None }] };
/// let (film, account) = camera(demo, "clip.dem", Limits::default(), &script, Vec::new())?;
/// assert!(account.shots[0].frames > 0);
/// let (world, ..) = replay::at(&film[..], "film.dem", Limits::default(), Some(replay::Position::Demo(at(400))))?;
/// assert_eq!(world.view().and_then(|view| view.origin), Some([100.0, 200.0, 50.0]));
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of [`Script::check`], a recording without a view of its own, a place that the format cannot tell, and whatever
/// reading and writing give.
pub fn camera<W: Write>(
    input: impl Read,
    name: &str,
    limits: Limits,
    script: &Script,
    mut out: W,
) -> Result<(W, CameraAccount)> {
    script.check()?;
    let mut reader = Reader::new(input, name, limits)?;
    let mut film = Film { out: &mut out, account: CameraAccount::default(), w: ByteWriter::default() };
    let done = run(&mut reader, name, script, &mut film);
    done.map_err(|e| e.in_file(name))?;
    let account = film.account;
    out.flush()?;
    Ok((out, account))
}

/// Said of a field of view in games whose recordings tell none.
const NO_FOV: &str = "the recording tells no field of view: it is that of who plays it";

/// Something that cannot be done to a recording.
fn refused(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused(what.into()))
}

/// What is written.
struct Film<'o> {
    out: &'o mut dyn Write,
    account: CameraAccount,
    w: ByteWriter,
}

impl Film<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(of_output)?;
        self.account.account.bytes_written += bytes.len() as u64;
        Ok(())
    }

    /// A block that the recording does not have.
    fn made(&mut self, bytes: &[u8]) -> Result<()> {
        self.account.account.blocks_made += 1;
        self.bytes(bytes)
    }

    /// A block of a recording, as a packet tells it now.
    fn packet<F: Format>(&mut self, step: &Step<'_>, packet: &Packet<'_, F>, mut dialect: DialectOf<F>) -> Result<()> {
        let mut w = std::mem::take(&mut self.w);
        w.clear();
        packet.write(&mut dialect, &mut w).map_err(|fault| match &step.view {
            None => fault.into(),
            Some(view) => {
                let place = view.pose.place.map(|v| v.to_string()).join(" ");
                refused(format!(
                    "the camera is at {place} at {}, a place that the protocol does not have: where it has 16 bits for each \
                     number, they go from -4096 to 4095; choose a nearer one",
                    step.world.clock().demo
                ))
            }
        })?;
        let written = self.block(step.bytes, Some(w.as_slice()));
        self.w = w;
        written
    }

    /// A block as it was, or as it is now.
    fn block(&mut self, bytes: &[u8], new: Option<&[u8]>) -> Result<()> {
        let new = new.filter(|new| *new != bytes);
        let account = &mut self.account.account;
        *(if new.is_some() { &mut account.blocks_changed } else { &mut account.blocks_kept }) += 1;
        self.bytes(new.unwrap_or(bytes))
    }
}

/// A block of the recording.
struct Step<'s> {
    chunk: &'s Chunk<'s>,
    bytes: &'s [u8],
    /// The world after it.
    world: &'s World,
    /// Where the camera is, if this is a frame of a shot.
    view: Option<View>,
}

/// How a format says where the view is.
trait Shooting {
    /// True for a block that shows a frame.
    fn shows(&self, world: &World) -> bool;
    /// True for a block with which another view may begin.
    fn may_cut(&self, _chunk: &Chunk<'_>) -> bool {
        true
    }
    /// A block comes next, in front of which the world is this one.
    fn before(&mut self, _world: &World) {}
    /// Writes a block, or holds it back.
    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()>;
    /// Writes what is held back: no block comes next.
    fn flush(&mut self, _film: &mut Film<'_>) -> Result<()> {
        Ok(())
    }
}

fn run<R: Read>(reader: &mut Reader<R>, name: &str, script: &Script, film: &mut Film<'_>) -> Result<()> {
    let mut world = World::of(reader.detected(), name)?;
    let mut shooting: Box<dyn Shooting> = match reader.detected().kind {
        FileKind::Dem => Box::new(dem::Quake::default()),
        FileKind::Qwd => Box::new(qwd::Client::default()),
        FileKind::Dm3 => Box::new(dm3::Quake3::default()),
        FileKind::Dm2 => Box::new(dm2::Quake2::default()),
        kind @ (FileKind::Mvd | FileKind::Mvd2) => {
            let what = format!(
                "a .{} shows all players and has no view of its own: whoever plays it chooses one, so there is no camera to move",
                kind.name()
            );
            return Err(refused(what));
        }
        kind => return Err(refused(format!("a {} has no camera to move", kind.name()))),
    };
    let mut operator = Operator::new(script);
    while let Some((chunk, bytes)) = reader.next_with_bytes()? {
        shooting.before(&world);
        world.apply(&chunk);
        let Some((block, _)) = chunk.block() else {
            shooting.flush(film)?;
            film.bytes(bytes)?;
            continue;
        };
        film.account.account.blocks_read += 1;
        film.account.account.has(chunk.block(), world.clock());
        let view = if shooting.shows(&world) { operator.view(&world, block, shooting.may_cut(&chunk)) } else { None };
        shooting.step(&Step { chunk: &chunk, bytes, world: &world, view }, film)?;
    }
    shooting.flush(film)?;
    operator.finish(&mut film.account);
    Ok(())
}
