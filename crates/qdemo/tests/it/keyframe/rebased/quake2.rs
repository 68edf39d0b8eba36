//! Quake II.

mod single {
    //! Recordings of a client, a server, or Relay.

    use qdemo::demo::detect::Detected;
    use qdemo::format::dm2::{Dialect, Recording};
    use qdemo::format::dm2::{Dm2, Packet};
    use qdemo::game::quake2::World as World2;

    /// What a keyframe does not carry, as its documents name it.
    const COUNTS: &[&str] = &[
        "demo_ms",
        "level",
        "missing_bases",
        "scores",
        "delta",
        "frags",
        "ping",
        "isdemo",
        "armor",
        "body_armor",
        "power_shield",
        "cells",
    ];

    crate::keyframe::rebased::laws! {
        Dm2, World2,
        new |_: &Detected| World2::default(),
        oldest |world: &World2| world.frame().map_or(i32::MAX, |frame| frame.number()),
        rebase |world: &World2, packet: &mut Packet<'_>, oldest| world.rebase(packet, oldest).unwrap(),
        counts COUNTS,
        packets 32_768,
    }

    #[test]
    fn recordings_may_begin_anywhere() {
        let mut cuts = 0;
        for file in crate::keyframe::rebased::recordings(|extension| extension == "dm2") {
            let parts = qdemo::demo::Recording::<Dm2>::read(file.bytes.clone(), &file.name).unwrap().len();
            for (n, at) in crate::keyframe::rebased::places(parts).into_iter().enumerate() {
                cuts += usize::from(check(&file, at, if n == 3 { usize::MAX } else { 120 }).is_some());
            }
        }
        assert!(cuts >= 8, "{cuts}");
    }

    /// Every kind of recording and protocol, those too that nobody has recordings of.
    #[test]
    fn made_recordings_may_begin_anywhere() {
        let server = Dialect::announced(32, 0).recorded_by(Recording::Server);
        let kinds = [
            (26, 1, 1, None),
            (31, 1, 1, None),
            (34, 1, 1, None),
            (34, 2, 1, None),
            (34, 0x80, 1, None),
            // A server's, which does not say so.
            (32, 0, 1, Some(server)),
            (56, 1, 1, None),
            (3434, 1, 1, None),
            (3435, 1, 1, None),
            (3436, 1, 1, None),
            (2022, 1, 1, None),
            (2023, 1, 1, None),
            (2023, 1, 3, None),
        ];
        for (protocol, isdemo, screens, dialect) in kinds {
            let file = crate::keyframe::rebased::made::recording(protocol, isdemo, screens, dialect);
            for at in [0, 1, 24, 40, 77] {
                assert!(check(&file, at, usize::MAX).is_some(), "{} {at}", file.name);
            }
        }
    }
}

mod all_players {
    //! Multi-view recordings.

    use qdemo::demo::detect::Detected;
    use qdemo::format::mvd2::{Mvd2, Packet};
    use qdemo::game::quake2::multiview::World as World2;

    /// What a keyframe does not carry, as its documents name it.
    const COUNTS: &[&str] = &[
        "demo_ms",
        "time_ms",
        "frame",
        "level",
        "missing_bases",
        "scores",
        "ping",
        "armor",
        "body_armor",
        "power_shield",
        "cells",
    ];

    crate::keyframe::rebased::laws! {
        Mvd2, World2,
        new |_: &Detected| World2::default(),
        oldest |_: &World2| 0,
        rebase |_: &World2, _: &mut Packet<'_>, _| false,
        counts COUNTS,
        packets 65_535,
    }

    #[test]
    fn recordings_may_begin_anywhere() {
        let mut cuts = 0;
        for file in crate::keyframe::rebased::recordings(|extension| extension == "mvd2") {
            let parts = qdemo::demo::Recording::<Mvd2>::read(file.bytes.clone(), &file.name).unwrap().len();
            for at in crate::keyframe::rebased::places(parts) {
                cuts += usize::from(check(&file, at, usize::MAX / 2).is_some());
            }
        }
        assert!(cuts >= 8, "{cuts}");
    }
}
