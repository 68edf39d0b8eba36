//! Quake II from one layout of states to another. There are hardly any recordings of the newer ones: what they hold is made by
//! converting, and by hand.

use qdemo::convert::{Conversion, Loss, Target, convert};
use qdemo::describe::{Alpha, ByteOrShort, ModelIndex, SoundIndex};
use qdemo::event::EventTag;
use qdemo::format::dem::{CenterPrint, StuffText};
use qdemo::format::dm2::{
    Args, ClientSlots, ConfigString, EffectType, Hits, LocPrint, Message, MuzzleFlash2, MuzzleFlash3, OriginCoord,
    PacketEntities, PacketEntity, PlayerInfo, Print, Recording, ServerData, Setting, Sound, SoundSource, TempEntity,
};
use qdemo::game::quake2::{InView, PlayerState};
use qdemo::replay::World;
use qdemo::wire::{Coord, CoordKind, F32, IntoOwned, Str};
use qdemo::world::{Clock, Scene};
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::assert_sound;
use crate::dm2::build;

const LAYOUTS: [i32; 5] = [56, 2023, 3434, 3435, 3436];

/// The protocol of a recording of Quake II.
fn protocol(bytes: &[u8], name: &str) -> Option<i32> {
    let reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let detected = reader.detected();
    detected.protocol.filter(|_| detected.kind == FileKind::Dm2)
}

fn into(bytes: &[u8], name: &str, protocol: i32) -> (Vec<u8>, Conversion) {
    let to = Target::by_extension("dm2", Some(protocol)).unwrap();
    let (made, account) = convert(bytes, name, Limits::default(), to, Vec::new()).unwrap();
    assert_sound(&made, name);
    (made, account)
}

fn lost(account: &Conversion) -> Vec<(Loss, u64)> {
    account.losses.iter().map(|lost| (lost.loss, lost.count)).collect()
}

/// Number and time of a frame, what it shows, the player's state, and what is heard and said with it.
type Shown = (i32, i64, Vec<InView>, PlayerState, Vec<String>);

fn shown(bytes: &[u8], name: &str) -> Vec<Shown> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let (mut all, mut said) = (Vec::new(), Vec::new());
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        let World::Dm2(game) = &world else { panic!("{name}") };
        let changes = game.changes();
        said.extend(changes.texts().filter(|(_, text, _)| *text != b"precache\n").map(|text| format!("{text:?}")));
        said.extend(changes.sounds.iter().map(|sound| format!("{sound:?}")));
        if changes.frame {
            let Clock { demo, .. } = game.clock();
            let frame = game.frame().unwrap();
            let player = frame.player(None).copied().unwrap_or(PlayerState::ZERO);
            all.push((frame.number(), demo.ms(), frame.entities().to_vec(), player, std::mem::take(&mut said)));
        }
    }
    all
}

/// Where everything is, frame by frame, and the models by their names.
fn places(bytes: &[u8], name: &str) -> Vec<Vec<(u16, [f32; 3], String)>> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame {
            all.push(
                world
                    .entities()
                    .map(|it| (it.number, it.origin, String::from_utf8_lossy(&it.model).into_owned()))
                    .collect(),
            );
        }
    }
    all
}

/// The first thing that two frames show in different ways.
fn different(one: &Shown, other: &Shown) -> String {
    let mut entities = one.2.iter().zip(&other.2).filter(|(a, b)| a != b);
    let said = (&one.4, &other.4);
    format!("{:?}\n{:?}\n{:?}", entities.next(), (one.3 != other.3).then_some((one.3, other.3)), said)
}

#[test]
fn to_every_layout_and_back() {
    let mut count = 0;
    each(|bytes, name| {
        if protocol(bytes, name) != Some(34) {
            return;
        }
        let before = shown(bytes, name);
        for layout in LAYOUTS {
            let (made, account) = into(bytes, name, layout);
            assert_eq!(lost(&account), [], "{name}: {layout}");
            assert_eq!(protocol(&made, name), Some(layout));
            let (back, account) = into(&made, name, 34);
            assert_eq!(lost(&account), [], "{name}: {layout}");
            let after = shown(&back, name);
            assert_eq!(before.len(), after.len(), "{name}: {layout}");
            assert_eq!(places(bytes, name), places(&made, name), "{name}: {layout}");
            for (n, (a, b)) in before.iter().zip(&after).enumerate() {
                assert!(a == b, "{name}: {layout}: frame {n}: {}", different(a, b));
            }
            let kinds = [EventTag::Frag, EventTag::Level, EventTag::Chat, EventTag::Pickup];
            assert_eq!(
                happened(events(bytes, name, &kinds)),
                happened(events(&back, name, &kinds)),
                "{name}: {layout}"
            );
            assert_eq!(
                happened(events(bytes, name, &kinds)),
                happened(events(&made, name, &kinds)),
                "{name}: {layout}"
            );
        }
        count += 1;
    });
    assert!(count > 0);
}

/// What the test release and KMQuake2 recorded tells the same story in 34.
#[test]
fn from_recordings_of_other_layouts() {
    each(|bytes, name| {
        let Some(number @ (25 | 56)) = protocol(bytes, name) else { return };
        let (made, account) = into(bytes, name, 34);
        assert_eq!(account.from_protocols, [number]);
        let (before, after) = (shown(bytes, name), shown(&made, name));
        assert_eq!(before.len(), after.len(), "{name}");
        for ((_, time, one, player, _), (_, then, other, seen, _)) in before.iter().zip(&after) {
            assert_eq!(time, then, "{name}");
            let places = |all: &[InView]| all.iter().map(|it| (it.number, it.state.origin)).collect::<Vec<_>>();
            assert_eq!(places(one), places(other), "{name}");
            assert_eq!((player.origin, player.stats[1]), (seen.origin, seen.stats[1]), "{name}");
        }
        let kinds = [EventTag::Frag, EventTag::Level, EventTag::Chat, EventTag::Pickup];
        assert_eq!(happened(events(bytes, name, &kinds)), happened(events(&made, name, &kinds)), "{name}");
    });
}

fn serverdata(protocol: i32, tickrate: Option<u8>) -> Message<'static> {
    Message::ServerData(ServerData {
        serverversion: protocol,
        key: 0x1_0001,
        isdemo: 1,
        game: Str::new(b""),
        tickrate,
        client: ClientSlots::one(0),
        mapname: Str::new(b"made"),
    })
}

fn string(index: u16, text: String) -> Message<'static> {
    Message::ConfigString(ConfigString { index, string: Str::from(text.into_bytes()) })
}

fn precache() -> Message<'static> {
    Message::StuffText(StuffText { text: Str::new(b"precache\n") })
}

/// A frame of Q2PRO's extended demos, told in full.
fn full_frame(number: i32, entities: Vec<PacketEntity>) -> Vec<Message<'static>> {
    let Message::Frame(frame) = build::frame(Recording::Client, 34, number) else { panic!() };
    let frame = qdemo::format::dm2::Frame { seq2: Some(-1), ..frame };
    let entities = Message::PacketEntities(PacketEntities { entities, end_mask: 0 });
    vec![Message::Frame(frame), Message::PlayerInfo(PlayerInfo::default()), entities]
}

/// The messages of a recording but those of frames, each packet by itself.
fn messages(bytes: &[u8]) -> Vec<Vec<Message<'static>>> {
    let mut reader = Reader::new(bytes, "made.dm2", Limits::default()).unwrap();
    let mut decoder = qdemo::format::dm2::Decoder::default();
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        if let Chunk::Dm2(qdemo::format::dm2::Chunk::Block(block)) = chunk {
            let (packet, fault) = decoder.read(&block);
            assert!(fault.is_none());
            all.push(packet.messages.into_iter().map(IntoOwned::into_owned).collect());
        }
    }
    all
}

/// More models than 34 has numbers for, far places, an entity and sounds with numbers that it does not have, forty frames a
/// second.
#[test]
fn what_34_has_less_room_for() {
    let place = |x: f32| Some(OriginCoord(Coord::of_float(F32::from(x), CoordKind::StretchedDelta)));
    let entity = |number: u16, model: u16, x: f32| PacketEntity {
        entity: ByteOrShort(number),
        modelindex: Some(ModelIndex(model)),
        origin_x: place(x),
        ..PacketEntity::default()
    };
    let mut level = vec![serverdata(3436, None), Message::Setting(Setting { index: 1, value: 40 })];
    level.push(string(63, "maps/made.bsp".to_owned()));
    level.extend((2..400).filter(|n| *n != 255).map(|n| string(62 + n, format!("models/{n}.md2"))));
    level.extend((1..300).map(|n| string(8254 + n, format!("{n}.wav"))));
    level.push(string(10_302 + 300, "picture".to_owned()));
    level.push(precache());
    let sound = |entity: u32, number: u16| {
        let source = Some(SoundSource { channel: 1, entity });
        Message::Sound(Sound { soundnum: SoundIndex(number), source, ..Sound::default() })
    };
    let mut all = vec![level];
    for number in 1..=9 {
        let mut seen = entity(5, 380, 100.0);
        seen.event = (number == 6).then_some(2);
        let glass = PacketEntity { alpha: Some(Alpha(128)), ..entity(6, 2, 9000.125) };
        let mut packet = full_frame(number, vec![seen, glass, entity(1500, 399, -20.5)]);
        packet.push(sound(5, 290));
        all.push(packet);
    }
    let demo = build::demo(&all);
    let (made, account) = into(&demo, "made.dm2", 34);
    let shown = shown(&made, "made.dm2");
    // Frames 4 and 8 are the first that a tenth of a second has; 1 to 3 are all one, as there is no frame 0.
    assert_eq!(shown.iter().map(|frame| frame.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(shown[1].2[0].state.event, 2);
    let last = places(&made, "made.dm2").pop().unwrap();
    let models = |number: u16| format!("models/{number}.md2");
    assert_eq!(
        last,
        [
            (5, [100.0, 0.0, 0.0], models(380)),
            (6, [4095.0, 0.0, 0.0], models(2)),
            (1023, [-20.5, 0.0, 0.0], models(399)),
        ]
    );
    // The sound has one of the numbers that are left, and its name is told once.
    let told = messages(&made).concat();
    let heard = told.iter().filter(|m| matches!(m, Message::Sound(m) if m.soundnum.0 == 255));
    assert_eq!(heard.count(), 9);
    let named = told.iter().filter(|m| matches!(m, Message::ConfigString(m) if m.string.bytes() == b"290.wav"));
    assert_eq!(named.count(), 1);
    let losses = lost(&account);
    for expected in [(Loss::Rate, 7), (Loss::Picture, 1), (Loss::FarPlace, 1), (Loss::Alpha, 1)] {
        assert!(losses.iter().any(|(loss, count)| (loss, *count >= expected.1) == (&expected.0, true)), "{losses:?}");
    }
}

/// Messages of the re-release become those of 34, or are lost.
#[test]
fn messages_of_the_rerelease() {
    let level = vec![serverdata(2023, Some(10)), string(63, "maps/made.bsp".to_owned()), precache()];
    let text = |flags: u8, base: &'static [u8]| {
        let args = Args::new([&b"Bitterman"[..], b"Strogg"]);
        Message::LocPrint(LocPrint { flags, base: Str::new(base), args })
    };
    let at = [Coord::F32(F32::from(10.0)); 3];
    let effect = |entitytype: u8| {
        let effect = EffectType { entitytype, nextid: None };
        Message::TempEntity(TempEntity { effect, origin: Some(at), trace_endpos: Some(at), ..TempEntity::default() })
    };
    let mut packet = full_frame(1, Vec::new());
    packet.extend([
        text(1, b"{} was railed by {}\n"),
        text(5, b"{} centred"),
        text(2, b"$g_key"),
        Message::MuzzleFlash3(MuzzleFlash3 { entity: 4, value: 100 }),
        Message::MuzzleFlash3(MuzzleFlash3 { entity: 4, value: 300 }),
        effect(3),
        effect(57),
        Message::Damage(qdemo::format::dm2::Damage { hits: Hits::default() }),
    ]);
    let demo = build::demo(&[level, packet]);
    let (made, account) = into(&demo, "made.dm2", 34);
    let told: Vec<_> = messages(&made).pop().unwrap().into_iter().skip(3).collect();
    let print = |level, text: &'static [u8]| Message::Print(Print { level, string: Str::new(text) });
    let at = [Coord::I16(80); 3];
    let effect = |entitytype: u8| {
        let effect = EffectType { entitytype, nextid: None };
        Message::TempEntity(TempEntity { effect, origin: Some(at), trace_endpos: Some(at), ..TempEntity::default() })
    };
    let expected = [
        print(1, b"Bitterman was railed by Strogg\n"),
        Message::CenterPrint(CenterPrint { text: Str::new(b"Bitterman centred") }),
        print(2, b"$g_key \"Bitterman\" \"Strogg\"\n"),
        Message::MuzzleFlash2(MuzzleFlash2 { entity: 4, value: 100 }),
        effect(3),
        effect(23),
    ];
    assert_eq!(told, expected);
    assert_eq!(lost(&account), [(Loss::Rerelease, 2), (Loss::Effect, 2)]);
}
