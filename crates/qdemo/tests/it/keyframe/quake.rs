//! Quake.

use qdemo::describe::{ByteOrShort, LongSoundIndex, ModelIndex, Seconds, StatIndex, State};
use qdemo::format::dem::{
    CdTrack, ClientData, Colors, CutScene, Dem, Dialect, Finale, Fog, HideLmp, Intermission, LightStyle, Message,
    NehahraFog, NehahraTrans, Packet, ServerInfo, SetPause, SetView, ShowLmp, SignonNum, SkyBox, SkyBoxSize,
    SpawnBaseline, SpawnBaseline2, SpawnStatic2, SpawnStaticSound2, Time, UpdateColors, UpdateEntity, UpdateFrags,
    UpdateMore, UpdateName, UpdateStat,
};
use qdemo::game::quake::{Client, World as Quake};
use qdemo::replay::World;
use qdemo::wire::{Coord, F32, StrList};

use super::{Asked, check_all, check_made};

fn quake(world: &World) -> &Quake {
    let World::Dem(world) = world else { panic!("another game") };
    world
}

const ASKED: Asked<Dem> =
    Asked { keyframe: |world| quake(world).keyframe(), difference: |one, other| quake(one).difference(quake(other)) };

/// Anywhere in a recording a keyframe makes the world that all of it before has made, and what follows does the same
/// to both. id's engine has room for blocks of 8,000 bytes.
#[test]
fn a_keyframe_is_the_world() {
    let seen = check_all(&ASKED);
    assert!(seen.largest <= 8000, "{seen:?}");
}

fn serverinfo(protocol: i32, models: usize) -> Message<'static> {
    let models: Vec<_> = (0..models).map(|n| format!("progs/{n}.mdl").into_bytes()).collect();
    Message::ServerInfo(ServerInfo {
        extensions: Default::default(),
        serverversion: protocol,
        protocolflags: None,
        gamedir: None,
        maxclients: 4,
        multi: 1,
        mapname: "the Slipgate Complex".into(),
        models: StrList::from_strings(models.iter().map(|name| &name[..])),
        sounds: StrList::from_strings([&b"misc/null.wav"[..], b"weapons/sgun1.wav"]),
    })
}

fn time(seconds: f32) -> Message<'static> {
    Message::Time(Time { time: Seconds(F32::from(seconds)) })
}

fn stat(index: u16, value: i32) -> Message<'static> {
    Message::UpdateStat(UpdateStat { index: StatIndex(index), value })
}

fn client(health: i16) -> ClientData {
    ClientData { health, ..State::diff(&Client::ZERO, &Client::ZERO, &Dialect::FITZQUAKE) }
}

fn packets(blocks: Vec<Vec<Message<'static>>>) -> Vec<Packet<'static>> {
    let camera = [10.0, -90.0, 0.5].map(F32::from);
    blocks.into_iter().map(|messages| Packet::new(camera, messages)).collect()
}

/// What few recordings have: a camera, a pause, stats that `clientdata` does not tell, a frame in two blocks, numbers
/// above 255, fog and sky, the end of a level some time ago.
#[test]
fn rare_states_of_fitzquake_are_kept() {
    let far = [Coord::I16(8000), Coord::I16(-8000), Coord::I16(1)];
    let mut base = SpawnBaseline2 { entity: 600, default_alpha: Some(9), ..Default::default() };
    (base.default_modelindex, base.default_frame) = (ModelIndex(300), ByteOrShort(400));
    let still = SpawnStatic2 { default_modelindex: ModelIndex(299), ..Default::default() };
    let humming = SpawnStaticSound2 { origin: far, soundnum: LongSoundIndex(300), ..Default::default() };
    let seen = |entity| Message::UpdateEntity(UpdateEntity { frame: Some(3), new: true, ..UpdateEntity::of(entity) });
    let faded = UpdateMore { lerpfinish: Some(7), alpha: Some(100), ..Default::default() };
    let blocks = vec![
        vec![
            serverinfo(666, 301),
            Message::CdTrack(CdTrack { fromtrack: 5, totrack: 5 }),
            Message::SetView(SetView { entity: 2 }),
            Message::SignonNum(SignonNum { signon: 1 }),
        ],
        vec![
            Message::SpawnBaseline(SpawnBaseline { entity: 2, default_skin: 1, ..Default::default() }),
            Message::SpawnBaseline2(base),
            Message::SpawnStatic2(still),
            Message::SpawnStaticSound2(humming),
            Message::SignonNum(SignonNum { signon: 2 }),
        ],
        vec![
            time(1.5),
            Message::UpdateName(UpdateName { player: 3, netname: "\u{8}x".into() }),
            Message::UpdateFrags(UpdateFrags { player: 1, frags: -7 }),
            Message::UpdateColors(UpdateColors { player: 2, colors: Colors(0x4D) }),
            Message::LightStyle(LightStyle { style: 5, string: "mamb".into() }),
            Message::SkyBox(SkyBox { name: "sky1".into() }),
            Message::Fog(Fog { density: 1, red: 2, green: 254, blue: 255, fade: -3 }),
            stat(11, 4),
            stat(20, -5),
            Message::SetPause(SetPause { pausestate: 1 }),
            Message::SignonNum(SignonNum { signon: 3 }),
        ],
        vec![
            time(1.6),
            Message::ClientData(client(-20)),
            seen(2),
            Message::UpdateEntity(UpdateEntity { more: faded, ..UpdateEntity::of(600) }),
            Message::SetView(SetView { entity: 700 }),
        ],
        vec![seen(700)],
        vec![time(1.7), Message::ClientData(client(30)), stat(0, 33), Message::Intermission(Intermission {}), seen(2)],
        vec![time(2.0), Message::SetPause(SetPause { pausestate: 0 }), seen(600)],
        vec![Message::Finale(Finale { text: "The end".into() })],
        vec![time(2.5), Message::CutScene(CutScene { text: "Not yet".into() })],
    ];
    let seen = check_made(b"3\n", packets(blocks), &ASKED);
    assert_eq!((seen.keyframes, seen.none), (9, 1));
}

/// Sky, fog, pictures and transparency of Nehahra.
#[test]
fn states_of_nehahra_are_kept() {
    let picture = |slot: &'static str, x| {
        Message::ShowLmp(ShowLmp { slot: slot.into(), picture: "gfx/face1.lmp".into(), x, y: 3 })
    };
    let fog = |red| NehahraFog {
        enable: 1,
        density: Some(F32::from(0.03)),
        red: Some(red),
        green: Some(100),
        blue: Some(255),
    };
    let trans = NehahraTrans { kind: F32::from(2.0), alpha: F32::from(0.4), fullbright: Some(F32::from(1.0)) };
    let ghost = UpdateMore { trans: Some(Box::new(trans)), ..Default::default() };
    let blocks = vec![
        vec![serverinfo(250, 3), Message::SetView(SetView { entity: 1 }), Message::SignonNum(SignonNum { signon: 1 })],
        vec![
            time(1.2),
            Message::SkyBox(SkyBox { name: "env/x".into() }),
            Message::SkyBoxSize(SkyBoxSize { size: Coord::I16(4096) }),
            Message::NehahraFog(fog(7)),
            picture("one", 1),
            picture("two", 2),
        ],
        vec![picture("one", 9), Message::NehahraFog(fog(8))],
        vec![time(1.3), Message::UpdateEntity(UpdateEntity { more: ghost, ..UpdateEntity::of(1) })],
        vec![
            Message::HideLmp(HideLmp { slot: "two".into() }),
            Message::NehahraFog(NehahraFog { enable: 0, density: None, red: None, green: None, blue: None }),
        ],
    ];
    let seen = check_made(b"-1\n", packets(blocks), &ASKED);
    assert_eq!((seen.keyframes, seen.none), (5, 1));
}

/// A level with more base states and entities in view than a block has room for: id's engine takes 8,000 bytes.
#[test]
fn large_levels_take_several_blocks() {
    let base = |entity| Message::SpawnBaseline(SpawnBaseline { entity, ..Default::default() });
    let moved = |entity| {
        let mut update = UpdateEntity::of(entity);
        update.place.first = [Some(Coord::I16(entity as i16)); 3];
        Message::UpdateEntity(update)
    };
    let mut blocks = vec![vec![serverinfo(15, 3)]];
    blocks.extend((0..4).map(|part| (part * 300..part * 300 + 300).map(base).collect()));
    blocks
        .extend((0..4).map(|part| [time(1.5)].into_iter().chain((part * 300..part * 300 + 300).map(moved)).collect()));
    let seen = check_made(b"-1\n", packets(blocks), &ASKED);
    assert!(seen.keyframes == 9 && (7000..=8000).contains(&seen.largest), "{seen:?}");
}
