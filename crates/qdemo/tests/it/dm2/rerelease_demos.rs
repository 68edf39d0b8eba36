//! Protocol 2022, that of the demos that came with the re-release: as 2023, but that places take two bytes where the
//! entity has no box, and four where it has one, whenever that was told.
//!
//! Sources: the remark on protocol 2022 in the description of 2023, and q2proto's reader. No recording is at hand.

use qdemo::text::{Options, decompile_bytes};
use qdemo::world::Scene;

use super::wire::*;

#[test]
fn it_tells_its_map_and_players() {
    assert_info(RERELEASE_DEMOS, 62, 11_582, "quake2-rerelease-demos");
}

/// Where an entity tells its box, nothing else is needed; where nothing was told there is none.
#[test]
fn places_by_boxes() {
    let demo = |item: &[u8]| entity(RERELEASE_DEMOS, item);
    assert_eq!(
        demo(&bytes().u8(&[0x03, 9]).u16(&[12, 0xFFFF]).0),
        "entity 9; origin_x short(1.5); origin_y short(-0.125);"
    );
    let told = |solid: u32, place: Bytes| bytes().u8(&[0x81, 0x80, 0x80, 0x09, 9]).u32(solid).u8(&place.0).0;
    let short = told(0, bytes().u16(&[8, 16, 24, 32]));
    assert_eq!(demo(&short), "entity 9; solid 0; origin_x short(1); old_origin short(2) short(3) short(4);");
    let long = told(31, bytes().f32(&[0.1, 2.0, 3.0, 4.0]));
    assert_eq!(demo(&long), "entity 9; solid 31; origin_x 0.1; old_origin 2 3 4;");
    // Angles are floats all the same.
    assert_eq!(demo(&bytes().u8(&[0x05, 9]).u16(&[8]).f32(&[90.5]).0), "entity 9; origin_x short(1); angles_2 90.5;");
}

#[test]
fn other_places() {
    let rail = bytes().u8(&[3, 3]).u16(&[8, 16, 24, 32, 40, 48]);
    assert_eq!(text_of(RERELEASE_DEMOS, &rail.0), "temp_entity { entitytype 3; origin 1 2 3; trace_endpos 4 5 6; }");
    let sound = bytes().u8(&[9, 4]).u16(&[5, 8, 0xFFFF, 24]);
    assert_eq!(text_of(RERELEASE_DEMOS, &sound.0), "sound { soundnum 5; origin 1 -0.125 3; }");
    let state = bytes().u16(&[0x0082]).f32(&[0.1, 0.2, 0.3]).u16(&[16, 0, 0]).u8(&[22]).u8(&[0; 8]);
    assert_eq!(player(RERELEASE_DEMOS, &state.0), "origin 0.1 0.2 0.3; viewoffset 1 0 0; viewheight 22;");
    let baselines = bytes().u8(&[14, 0x01, 7]).u16(&[8]).u8(&[14, 0x81, 0x80, 0x80, 0x08, 8]).u32(5).f32(&[0.1]);
    assert_eq!(
        text_of(RERELEASE_DEMOS, &baselines.0),
        "spawnbaseline { entity 7; origin_x short(1); } spawnbaseline { entity 8; solid 5; origin_x 0.1; }"
    );
}

/// EntitySizes are told, and then places.
pub(super) fn little_game() -> Vec<u8> {
    let baseline = bytes().u8(&[14, 0x80, 0x80, 0x80, 0x08, 5]).u32(31).0;
    let frame = |number: u32, from: u32, entities: &[u8]| {
        let head = bytes().u8(&[20]).u32(number).u32(from).u8(&[0, 0, 17]).u8(&[0; 10]).u8(&[18]).0;
        [&head[..], entities, &[0, 0]].concat()
    };
    let long = |number: u8, x: f32| bytes().u8(&[0x01, number]).f32(&[x]).0;
    let short = |number: u8, x: i16| bytes().u8(&[0x01, number]).u16(&[x as u16]).0;
    let solid = |number: u8, solid: u32| bytes().u8(&[0x80, 0x80, 0x80, 0x08, number]).u32(solid).0;
    file(&[
        &[serverdata(RERELEASE_DEMOS), baseline].concat(),
        &frame(1, u32::MAX, &[long(5, 1.1), short(6, 8), solid(7, 99)].concat()),
        // 7 is moved with its box, then loses it.
        &frame(2, 1, &[short(6, 16), long(7, 2.2)].concat()),
        &frame(3, 2, &[solid(5, 0), solid(7, 0)].concat()),
        &frame(4, 3, &[short(5, 24), short(7, 32)].concat()),
        // Built on frame 2, where both have boxes.
        &frame(5, 2, &[long(5, 3.3), long(7, 4.4)].concat()),
        // Gone and come again: the baseline counts.
        &frame(6, 4, &[0x40, 5, 0x40, 7]),
        &frame(7, 6, &[long(5, 5.5), short(7, 40)].concat()),
        // In full: the baseline as well.
        &frame(8, u32::MAX, &[long(5, 6.6), short(7, 48)].concat()),
    ])
}

/// The box may have been told by a baseline, or by the frame that a frame builds on, which need not be the last one.
#[test]
fn boxes_are_remembered() {
    let demo = little_game();
    sound_report(&demo);
    let text = String::from_utf8(decompile_bytes(&demo, "x.dm2", &Options::default()).unwrap()).unwrap();
    let places: Vec<_> = text.lines().filter_map(|l| l.trim().strip_prefix("origin_x ")).collect();
    assert_eq!(
        places,
        [
            "1.1;",
            "short(1);",
            "short(2);",
            "2.2;",
            "short(3);",
            "short(4);",
            "3.3;",
            "4.4;",
            "5.5;",
            "short(5);",
            "6.6;",
            "short(6);"
        ]
    );
    let mut seen = Vec::new();
    let world = fold(&demo, |world| {
        if world.changes().frame {
            seen.push([5, 7].map(|number| world.entity_state(number).map(|e| e.origin()[0])));
        }
    });
    assert!(world.is_complete());
    let expected = [
        [Some(1.1), Some(0.0)],
        [Some(1.1), Some(2.2)],
        [Some(1.1), Some(2.2)],
        [Some(3.0), Some(4.0)],
        [Some(3.3), Some(4.4)],
        [None, None],
        [Some(5.5), Some(5.0)],
        [Some(6.6), Some(6.0)],
    ];
    assert_eq!(seen, expected);
}
