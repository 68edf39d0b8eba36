//! Whatever bytes stand in a recording: they come back.

use proptest::prelude::*;
use qdemo::FileKind;

use super::build::*;
use crate::common::{assert_survives, cases};

fn any_version() -> impl Strategy<Value = Version> {
    (0..VERSIONS.len()).prop_map(|n| VERSIONS[n])
}

/// Any bytes behind the number of any command.
fn any_payload() -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..4], 0..60);
    (1u8..18, 0u8..8, bytes).prop_map(|(number, spare, rest)| [&[number | spare << 5][..], &rest].concat())
}

/// Lists with any mask in front of any bytes.
fn any_scene(version: Version) -> impl Strategy<Value = Vec<u8>> {
    let bytes = |n| proptest::collection::vec(any::<u8>(), n);
    let player =
        (0u8..255, 0u32..1 << 18, any::<bool>()).prop_map(move |(slot, bits, gone)| version.player(slot, bits, gone));
    let entity = (bytes(4..5), bytes(0..40)).prop_map(|(mask, rest)| [mask, rest].concat());
    (proptest::collection::vec(player, 0..4), proptest::collection::vec(entity, 0..2))
        .prop_map(move |(players, entities)| [&[6][..], &version.scene(&players, &entities)].concat())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_commands_come_back(version in any_version(), payloads in proptest::collection::vec(any_payload(), 1..6)) {
        let mut all = vec![version.serverdata(&version.scene(&[], &[]))];
        all.extend(payloads);
        let demo = demo(&all);
        let report = report(&demo);
        prop_assert_eq!(report.detected.kind, FileKind::Mvd2);
        prop_assert_eq!((report.bytes, report.different), (demo.len() as u64, 0));
        assert_survives(&demo, "x.mvd2");
    }

    #[test]
    fn any_scenes_come_back((version, scenes) in any_version().prop_flat_map(|v| {
        (Just(v), proptest::collection::vec(any_scene(v), 1..4))
    })) {
        let mut all = vec![version.serverdata(&version.scene(&[], &[]))];
        all.extend(scenes);
        let demo = demo(&all);
        prop_assert_eq!(report(&demo).different, 0);
        assert_survives(&demo, "x.mvd2");
    }
}
