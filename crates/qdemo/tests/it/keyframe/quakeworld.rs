//! QuakeWorld.

use qdemo::describe::{Seconds, StatIndex};
use qdemo::format::dem::{Finale, LightStyle, SetPause, SpawnBaseline, SpawnStatic, StuffText, UpdateFrags};
use qdemo::format::mvd::{self, Mvd, Target};
use qdemo::format::qwd::{
    self, Buttons, CdTrack, DeltaPacketEntities, Effects, FteModelList, Impulse, Intermission, MaxSpeed, Message,
    ModelList, MoveVars, MvdPlayerInfo, Nail, Nails, PacketEntities, PacketEntity, PacketNumbers, PlayerCoord,
    PlayerInfo, Qwd, ServerData, SetAngle, UpdateEnterTime, UpdatePing, UpdatePl, UpdateStat, UpdateStatLong,
    UpdateUserInfo, UserCommand,
};
use qdemo::game::quakeworld::World as QuakeWorld;
use qdemo::replay::World;
use qdemo::wire::{Angle, Coord, F32, StrList};

use super::{Asked, check_all, check_made};

fn quakeworld(world: &World) -> &QuakeWorld {
    let World::QuakeWorld(world) = world else { panic!("another game") };
    world
}

const PACKETS: Asked<Qwd> = Asked {
    keyframe: |world| quakeworld(world).keyframe_packets(),
    difference: |one, other| quakeworld(one).difference(quakeworld(other)),
};

const RECORDS: Asked<Mvd> = Asked {
    keyframe: |world| quakeworld(world).keyframe_records(),
    difference: |one, other| quakeworld(one).difference(quakeworld(other)),
};

/// Anywhere in the recording of a client a keyframe makes the world that all of it before has made, and what follows
/// does the same to both. id's client has room for packets of 1,450 bytes.
#[test]
fn a_keyframe_of_a_client_is_the_world() {
    let seen = check_all(&PACKETS);
    assert!(seen.largest <= 1450, "{seen:?}");
}

/// The same in the recording of a server. MVDSV writes records of at most 8,092 bytes.
#[test]
fn a_keyframe_of_a_server_is_the_world() {
    let seen = check_all(&RECORDS);
    assert!(seen.largest <= 8092, "{seen:?}");
}

fn stuff(text: &str) -> Message<'static> {
    Message::StuffText(StuffText { text: text.as_bytes().to_vec().into() })
}

fn serverdata(multiview: bool) -> Message<'static> {
    Message::ServerData(ServerData {
        extensions: Default::default(),
        serverversion: 28,
        age: 7,
        game: "qw".into(),
        servertime: multiview.then_some(Seconds(F32::from(100.0))),
        // A spectator in slot 2.
        client: (!multiview).then_some(0x82),
        mapname: "Claustrophobopolis".into(),
        movevars: Some(MoveVars([F32::from(1.0); 10])),
    })
}

/// 300 models in three parts, of which the last one begins beyond number 255.
fn models() -> Vec<Message<'static>> {
    let names: Vec<_> = (0..300).map(|n| format!("progs/{n}.mdl").into_bytes()).collect();
    let part = |range: std::ops::Range<usize>| StrList::from_strings(names[range].iter().map(|name| &name[..]));
    vec![
        Message::ModelList(ModelList { first: Some(0), models: part(0..200), next: Some(200) }),
        Message::ModelList(ModelList { first: Some(200), models: part(200..257), next: Some(1) }),
        Message::FteModelList(FteModelList { first: 257, models: part(257..300), next: 0 }),
    ]
}

fn still_things() -> Vec<Message<'static>> {
    vec![
        Message::SpawnBaseline(SpawnBaseline { entity: 40, default_skin: 3, ..Default::default() }),
        Message::SpawnStatic(SpawnStatic { default_frame: 9, ..Default::default() }),
        Message::LightStyle(LightStyle { style: 3, string: "az".into() }),
        Message::CdTrack(CdTrack { track: 9 }),
    ]
}

fn board(player: u8) -> Vec<Message<'static>> {
    vec![
        Message::UpdateFrags(UpdateFrags { player, frags: -3 }),
        Message::UpdatePing(UpdatePing { player, ping: 999 }),
        Message::UpdatePl(UpdatePl { player, loss: 2 }),
        Message::UpdateEnterTime(UpdateEnterTime { player, entertime: Seconds(F32::from(12.5)) }),
        Message::UpdateUserInfo(UpdateUserInfo { player, user: 55, string: "\\name\\x\\team\\red".into() }),
    ]
}

fn skin(entity: u16, skin: u8) -> PacketEntity {
    PacketEntity { skin: Some(skin), ..PacketEntity::of(entity) }
}

fn delta(frame: u8, entities: Vec<PacketEntity>) -> Message<'static> {
    Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities })
}

fn ending() -> Vec<Message<'static>> {
    vec![
        Message::Intermission(Intermission { origin: [Coord::I16(-9); 3], angles: [Angle::I8(-64); 3] }),
        Message::Finale(Finale { text: "Congratulations".into() }),
    ]
}

/// What few recordings of clients have: a spectator, differences to a packet some packets back or to none, packets
/// without entities, a player who went out of view, nails, more models than numbers in a byte, the end of a level.
#[test]
fn rare_states_of_a_client_are_kept() {
    let at = |number| F32::from(10.0 + number as f32 / 100.0);
    let packet =
        |number, messages| qwd::Packet::new(at(number), PacketNumbers { seq1: number, seq2: number }, messages);
    let player =
        |player| Message::PlayerInfo(PlayerInfo { player, frame: 4, effects: Some(Effects(8)), ..Default::default() });
    let list = |entities| Message::PacketEntities(PacketEntities { entities });
    let nails = vec![Nail { id: None, bytes: [1, 2, 3, 4, 5, 6] }];
    let command = UserCommand {
        msec: 13,
        angles: [F32::from(1.0); 3],
        speed: [400, 0, -400],
        buttons: Buttons(1),
        impulse: Impulse(0),
        viewangles: [F32::from(45.0); 3],
    };
    let mut start = vec![serverdata(false), stuff("fullserverinfo \"\\*z_ext\\511\\teamplay\\2\"\n")];
    start.extend(models());
    let mut more = still_things();
    more.extend(board(2).into_iter().chain(board(31)));
    more.push(Message::MaxSpeed(MaxSpeed { maxspeed: F32::from(250.0) }));
    more.push(Message::UpdateStatLong(UpdateStatLong { index: StatIndex(15), value: -1 }));
    let turned = SetAngle { about: None, angles: [Angle::I8(3); 3] };
    let packets = vec![
        packet(1, start),
        packet(2, more),
        packet(100, vec![player(0), player(2), list(vec![skin(40, 1), skin(50, 2)])]),
        qwd::Packet::command(at(100), command),
        packet(101, vec![player(2), delta(100, vec![skin(51, 5)]), Message::Nails(Nails { nails })]),
        packet(102, vec![Message::SetAngle(turned), Message::SetPause(SetPause { pausestate: 1 })]),
        packet(103, vec![player(2), delta(50, vec![])]),
        packet(104, vec![player(2), delta(101, vec![PacketEntity { remove: true, ..PacketEntity::of(40) }])]),
        packet(105, vec![player(2), delta(100, vec![skin(40, 7)])]),
        packet(106, ending()),
    ];
    let seen = check_made(b"", packets, &PACKETS);
    assert_eq!(seen.keyframes, 10);
}

/// What few recordings of servers have: entities that build on nothing, players told of before and after a list, one who
/// went, stats that are all 0, a record for several players in front of one for the same.
#[test]
fn rare_states_of_a_server_are_kept() {
    let record = |target, slot, messages| mvd::Packet::new(mvd::Header::new(13, target, slot), messages);
    let all = |messages| record(Target::All, 0, messages);
    let player = |player, x| {
        let origin_x = Some(PlayerCoord(Coord::I16(x)));
        Message::MvdPlayerInfo(MvdPlayerInfo { player, origin_x, dead: x < 0, ..Default::default() })
    };
    let mut start = vec![serverdata(true)];
    start.extend(models().into_iter().chain(still_things()).chain(board(3)));
    let nothing = Message::UpdateStat(UpdateStat { index: StatIndex(0), value: 0 });
    let list = PacketEntities { entities: vec![skin(40, 1), skin(50, 2)] };
    let records = vec![
        all(start),
        all(vec![delta(3, vec![skin(41, 1)])]),
        all(vec![player(3, 80), player(4, -80)]),
        record(Target::Stats, 4, vec![nothing]),
        all(vec![Message::PacketEntities(list)]),
        all(vec![player(3, 90)]),
        all(vec![delta(9, vec![skin(50, 3)])]),
        record(Target::Multiple(0b1_1000), 0, vec![stuff("bf\n")]),
        record(Target::Same, 0, vec![Message::UpdateStat(UpdateStat { index: StatIndex(3), value: 25 })]),
        all(ending()),
    ];
    let seen = check_made(b"", records, &RECORDS);
    assert_eq!(seen.keyframes, 10);
}
