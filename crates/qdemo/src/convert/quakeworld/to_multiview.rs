//! What a client recorded, as a server records it.

use std::borrow::Cow;
use std::io::Write;

use super::alike::turn;
use super::protocol::modernize;
use super::{ClientPacket, packet_of_client, recorder};
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::describe::Seconds;
use crate::error::Result;
use crate::format::MessageSet as _;
use crate::format::mvd::{self, Mvd, Target};
use crate::format::qwd::{self, DeltaPacketEntities, Dialect, Disconnect, Message, MvdPlayerInfo, PacketEntities, Qwd};
use crate::game::quakeworld::info::full_serverinfo;
use crate::game::quakeworld::{EntityState, PlayerState, World, diff_entities};
use crate::world::{Clock, Scene};

/// More time than this in ms, in which nothing was recorded, is damage: each quarter of a second takes a record.
const LONGEST_GAP: i64 = 60_000;
/// Print levels of what only the recorder is told: what was picked up.
const LOW: u8 = 0;

/// What becomes of a message.
enum Becomes {
    /// It is told to somebody.
    Told(Target),
    /// What it tells is part of a frame.
    Shown,
    Lost,
}

/// What others than the recorder saw at the same time.
pub(crate) trait Beside {
    /// Goes to a moment of the recording: after this chunk the world is this one.
    ///
    /// # Errors
    /// Whatever reading gives.
    fn go_to(&mut self, world: &World) -> Result<()>;
    /// A player whom the recorder does not see, with the view as far as it is known.
    fn player(&mut self, slot: u8) -> Option<(PlayerState, [i16; 3])>;
    /// The entities in view, with those that the recorder does not see.
    fn entities<'e>(&mut self, seen: &'e [EntityState]) -> Cow<'e, [EntityState]>;
    /// What was told since the last moment: to whom, about whom, and what.
    fn told(&mut self) -> Vec<(Target, u8, Message<'static>)>;
}

/// Nobody else saw anything.
impl Beside for () {
    fn go_to(&mut self, _: &World) -> Result<()> {
        Ok(())
    }

    fn player(&mut self, _: u8) -> Option<(PlayerState, [i16; 3])> {
        None
    }

    fn entities<'e>(&mut self, seen: &'e [EntityState]) -> Cow<'e, [EntityState]> {
        Cow::Borrowed(seen)
    }

    fn told(&mut self) -> Vec<(Target, u8, Message<'static>)> {
        Vec::new()
    }
}

/// For whom a message is that a client was told while a game is on; `None` for one that is part of a frame, or that only the
/// connection knows.
pub(crate) fn audience(message: &Message<'_>) -> Option<Target> {
    Some(match message {
        Message::PlayerInfo(_)
        | Message::PacketEntities(_)
        | Message::DeltaPacketEntities(_)
        | Message::Nails(_)
        | Message::Nails2(_)
        | Message::Choke(_)
        | Message::Download(_) => return None,
        Message::UpdateStat(_) | Message::UpdateStatLong(_) => Target::Stats,
        Message::Print(m) if m.level == LOW => Target::Single,
        Message::StuffText(m) if full_serverinfo(m.text.bytes()).is_some() => Target::All,
        Message::CenterPrint(_)
        | Message::StuffText(_)
        | Message::Damage(_)
        | Message::SetAngle(_)
        | Message::SmallKick(_)
        | Message::BigKick(_)
        | Message::MaxSpeed(_)
        | Message::EntGravity(_) => Target::Single,
        _ => Target::All,
    })
}

/// True for what is heard or seen for a moment, and is told to all who are near. Servers record it in one with the entities of its
/// frame (MVDSV's `SV_SendDemoMessage`), so that a sound and the thing that goes with it are told together.
pub(crate) fn is_moment(message: &Message<'_>) -> bool {
    matches!(message, Message::Sound(_) | Message::TempEntity(_) | Message::MuzzleFlash(_))
}

/// A client's recording on its way to a server's.
pub(super) struct ToMultiview<'b, B> {
    world: World,
    beside: &'b mut B,
    /// Players and entities as the output has told them.
    players: [Option<PlayerState>; World::SLOTS],
    entities: Vec<EntityState>,
    /// Lists of entities in the level.
    lists: u32,
    /// False where the last list was not known.
    is_known: bool,
    /// The time of the output in ms.
    msec: i64,
    /// Commands since the last packet.
    commands: u32,
    /// True once a level shows something: what was told before is for everyone.
    plays: bool,
    ended: bool,
}

impl<'b, B: Beside> ToMultiview<'b, B> {
    pub(super) fn new(beside: &'b mut B) -> Self {
        ToMultiview {
            world: World::new(false),
            beside,
            players: [None; World::SLOTS],
            entities: Vec::new(),
            lists: 0,
            is_known: false,
            msec: 0,
            commands: 0,
            plays: false,
            ended: false,
        }
    }

    /// The slot of whoever recorded.
    fn recorder(&self) -> u8 {
        recorder(&self.world)
    }

    /// Lets the time of the output be that of the input; gives what is left for the header of the next record.
    fn time<W: Write>(&mut self, out: &mut Output<Mvd, W>) -> Result<u8> {
        let now = self.world.clock().demo.ms();
        if now - self.msec > LONGEST_GAP {
            out.lose(Loss::Time);
            self.msec = now - LONGEST_GAP;
        }
        loop {
            let ahead = now.saturating_sub(self.msec).max(0);
            if let Ok(left) = u8::try_from(ahead) {
                self.msec += ahead;
                return Ok(left);
            }
            self.msec += i64::from(u8::MAX);
            out.packet(mvd::Packet::to_all(u8::MAX, Vec::new()))?;
        }
    }

    fn record<W: Write>(&mut self, target: Target, messages: Vec<Message<'_>>, out: &mut Output<Mvd, W>) -> Result<()> {
        self.record_for(target, self.recorder(), messages, out)
    }

    /// A record for somebody, where the target is one player.
    fn record_for<W: Write>(
        &mut self,
        target: Target,
        slot: u8,
        messages: Vec<Message<'_>>,
        out: &mut Output<Mvd, W>,
    ) -> Result<()> {
        let slot = if matches!(target, Target::Single | Target::Stats) { slot } else { 0 };
        let header = mvd::Header::new(self.time(out)?, target, slot);
        out.packet(mvd::Packet::new(header, messages))
    }

    fn becomes(&self, message: &Message<'_>) -> Becomes {
        match (message, audience(message)) {
            (Message::Choke(_) | Message::Download(_), _) => Becomes::Lost,
            (_, None) => Becomes::Shown,
            (_, Some(target)) => {
                Becomes::Told(if self.plays || target == Target::Stats { target } else { Target::All })
            }
        }
    }

    /// A message as a server records it.
    fn changed(&mut self, message: &mut Message<'_>, from: &Dialect, to: i32) {
        modernize(message, from, to);
        let slot = self.recorder();
        match message {
            Message::ServerData(m) => {
                m.client = None;
                m.servertime = Some(Seconds((self.world.clock().demo.seconds() as f32).into()));
                (self.players, self.entities, self.lists, self.plays) = ([None; World::SLOTS], Vec::new(), 0, false);
            }
            Message::SetAngle(m) => m.about = Some(slot),
            _ => {}
        }
    }

    /// Everyone in view, and all entities, with what is heard and seen in this moment.
    fn frame<W: Write>(&mut self, mut moments: Vec<Message<'_>>, out: &mut Output<Mvd, W>) -> Result<()> {
        self.plays = true;
        if std::mem::take(&mut self.commands) > 1 {
            out.lose(Loss::View);
        }
        let d = out.dialect();
        self.beside.go_to(&self.world)?;
        for (target, slot, message) in self.beside.told() {
            match target == Target::All && is_moment(&message) {
                true => moments.push(message),
                false => self.record_for(target, slot, vec![message], out)?,
            }
        }
        let mut things: Vec<Message<'_>> = vec![self.list(&d)];
        for nails in self.world.nails_told() {
            things.push(nails);
        }
        things.append(&mut moments);
        self.record(Target::All, things, out)?;
        let mut players = Vec::new();
        let recorder = self.recorder();
        let watches = self.world.is_spectator();
        for (slot, known) in (0..).zip(&mut self.players) {
            let seen = self.world.is_in_view(slot.into());
            let is_recorder = slot == recorder;
            let own =
                self.world.slot(slot.into()).and_then(|it| it.state).filter(|_| seen && !(is_recorder && watches));
            if seen && is_recorder && watches {
                out.lose(Loss::View);
            }
            let told = match own {
                Some(state) => {
                    let looks = || self.world.view_angles().map(|view| view.map(turn));
                    state.recorded(if is_recorder { looks() } else { state.turns() })
                }
                None => match self.beside.player(slot) {
                    Some((state, turns)) => state.recorded(Some(turns)),
                    None => continue,
                },
            };
            if let Some(state) = own {
                if state.alpha.is_some() {
                    out.lose(Loss::Alpha);
                }
                if state.tells_movement() {
                    out.lose(Loss::Movement);
                }
            }
            players.push(player(slot, known, &told, &d, out));
        }
        if !players.is_empty() {
            self.record(Target::All, players, out)?;
        }
        Ok(())
    }

    /// The entities in view, told to those who know the list before.
    fn list(&mut self, d: &Dialect) -> Message<'static> {
        // The number of the list before; 0 is none.
        let frame = self.lists as u8;
        self.lists = self.lists.wrapping_add(1);
        if !self.world.is_complete() {
            // What they are is not known: nothing is told of them.
            self.is_known = false;
            return Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities: Vec::new() });
        }
        let known = (frame > 0 && self.is_known).then_some(&self.entities[..]);
        let to = self.beside.entities(self.world.entity_states());
        let entities = diff_entities(known, &to, self.world.baselines(), d);
        let message = match known {
            None => Message::PacketEntities(PacketEntities { entities }),
            Some(_) => Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities }),
        };
        self.is_known = true;
        match to {
            Cow::Borrowed(seen) => {
                self.entities.clear();
                self.entities.extend_from_slice(seen);
            }
            Cow::Owned(all) => self.entities = all,
        }
        message
    }
}

/// A player, told to those who know what was told before.
fn player<W: Write>(
    slot: u8,
    known: &mut Option<PlayerState>,
    state: &PlayerState,
    d: &Dialect,
    out: &mut Output<Mvd, W>,
) -> Message<'static> {
    let told = known.get_or_insert(PlayerState::first(true));
    let info = MvdPlayerInfo { player: slot, ..told.difference(state, d) };
    told.update(&info, d);
    match state.origin().zip(told.origin()) {
        Some((a, b)) if a.iter().zip(b).any(|(a, b)| (a - b).abs() > 0.5) => out.lose(Loss::FarPlace),
        Some((a, b)) if a != b => out.lose(Loss::Place),
        _ => {}
    }
    Message::MvdPlayerInfo(info)
}

impl<B: Beside> Across for ToMultiview<'_, B> {
    type From = Qwd;
    type Into = Mvd;

    fn apply(&mut self, chunk: &qwd::Chunk<'_>) -> Clock {
        self.world.apply_packet(chunk);
        self.world.clock()
    }

    fn block<W: Write>(
        &mut self,
        block: &qwd::Block<'_>,
        packet: qwd::Packet<'_>,
        mut dialect: Dialect,
        out: &mut Output<Mvd, W>,
    ) -> Result<()> {
        match packet_of_client(block, &packet, &mut self.commands, out) {
            ClientPacket::Game => {}
            ClientPacket::End => return self.end(out),
            ClientPacket::Other => return Ok(()),
        }
        let mut record: Option<(Target, Vec<Message<'_>>)> = None;
        let mut moments = Vec::new();
        let mut shows = false;
        for mut message in packet.messages {
            let before = dialect;
            dialect = message.dialect_after(&before).unwrap_or(before);
            if message.unknown_bytes().is_some() || matches!(message, Message::Disconnect(_)) {
                continue;
            }
            if let Message::ServerData(m) = &message {
                out.progress.is_from(m.serverversion);
            }
            self.changed(&mut message, &before, out.progress.done.to_protocol);
            let target = match self.becomes(&message) {
                Becomes::Told(target) => target,
                Becomes::Shown => {
                    shows = true;
                    continue;
                }
                Becomes::Lost => {
                    out.lose(Loss::Connection);
                    continue;
                }
            };
            if target == Target::All && is_moment(&message) {
                moments.push(message);
                continue;
            }
            match &mut record {
                Some((to, messages)) if *to == target => messages.push(message),
                _ => {
                    if let Some((to, messages)) = record.replace((target, vec![message])) {
                        self.record(to, messages, out)?;
                    }
                }
            }
        }
        if let Some((to, messages)) = record {
            self.record(to, messages, out)?;
        }
        match (shows, moments.is_empty()) {
            (true, _) => self.frame(moments, out),
            (false, false) => self.record(Target::All, moments, out),
            (false, true) => Ok(()),
        }
    }

    fn end<W: Write>(&mut self, out: &mut Output<Mvd, W>) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let end = vec![Message::Disconnect(Disconnect { end_of_demo: true })];
        self.record(Target::All, end, out)
    }
}
