//! What stands in front of the first frame, and behind the last one.

use qdemo::edit::TimeMap;
use qdemo::replay::World;
use qdemo::text::{Options, decompile_bytes};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};

use super::shown::{Way, compare};
use super::{clock, extent, frames, ms, run, with_clock};
use crate::common::{assert_sound, demo, testdata};

/// All of it, to the end of what it shows or beyond: what stands in front of all blocks does so once, and so does the end.
#[test]
fn a_whole_recording_is_repeated() {
    // The block that ends a `.qwd` comes later than the last that shows something.
    let (ended, _) = run(&testdata("ez-dm.qwd"), "ez-dm.qwd", &TimeMap::freeze(ms(1_000), ms(0)).unwrap()).unwrap();
    let last = clock(&ended).len() - 1;
    let ended = with_clock(&ended, |n, clock| if n == last { clock + 1.0 } else { clock });
    let shipped = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];
    let shipped = shipped.map(|name| (name, testdata(name)));
    for (name, bytes) in shipped.into_iter().chain([("ended.qwd", ended)]) {
        let length = extent(&bytes, name).1;
        for to in [length - 500, length, length + 1, length + 3_000] {
            let (out, _) = run(&bytes, name, &TimeMap::repeat(ms(0), ms(to), 2).unwrap()).unwrap();
            assert_sound(&out, name);
            let longer = extent(&out, name).1 - length;
            // Its end may come a second after all else, and a level that is loaded again takes a frame.
            assert!((length - 1_600..=length + 100).contains(&longer), "{name}, {to}: {longer}, not {length}");
            if name == "clip.dem" {
                assert_eq!(out.windows(3).filter(|bytes| bytes == b"-1\n").count(), 1, "{to}");
            }
        }
    }
}

/// Time stands still at the first frame where none has been shown by then: the clock begins as recorded.
#[test]
fn the_first_frame_stands_still() {
    const STOP: i64 = 2_000;
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"] {
        let bytes = testdata(name);
        let (times, _) = frames(&bytes, name, usize::MAX);
        // When the level begins, and what the clock shows at the first frame.
        let begins = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
            let mut world = World::of(reader.detected(), name).unwrap();
            let mut level = None;
            while let Some(chunk) = reader.next_chunk().unwrap() {
                world.apply(&chunk);
                level = level.or(world.changes().level.then(|| world.clock()));
                if world.changes().frame {
                    return (level.unwrap(), world.clock());
                }
            }
            panic!("{name}: no frame");
        };
        let (out, _) = run(&bytes, name, &TimeMap::freeze(ms(0), ms(STOP)).unwrap()).unwrap();
        assert_sound(&out, name);
        assert_eq!(begins(&out), begins(&bytes), "{name}");
        assert_eq!(extent(&out, name).1 - extent(&bytes, name).1, STOP, "{name}");
        let later = times.iter().skip(1).map(|time| (*time, DemoTime(time.0 + 1000 * STOP)));
        let moments: Vec<_> = [(times[0], times[0])].into_iter().chain(later.step_by(20)).collect();
        assert!(compare(&bytes, &out, name, Way::Forward(1.0), &moments) > 2, "{name}");
        if !name.ends_with(".qwd") && !name.ends_with(".mvd") {
            // Nothing comes at that time in QuakeWorld.
            let still = [(times[0], DemoTime(times[1].0 + 1_000_000))];
            compare(&bytes, &out, name, Way::Still, &still);
        }
    }
    // A clock, and nothing to be seen on it.
    let time = |seconds: f32| [[7].as_slice(), &seconds.to_le_bytes()].concat();
    let bytes = demo("-1\n", &[&time(1.0), &time(2.0), &time(3.0)]);
    let e = run(&bytes, "x.dem", &TimeMap::freeze(ms(500), ms(STOP)).unwrap()).unwrap_err().to_string();
    assert!(e.contains("nothing is shown that could stand still"), "{e}");
}

/// A recording of Quake II in whose last frame something is said, of which a faster one has no frame.
fn said_at_the_end<F: qdemo::demo::Listed>(name: &str, text: F::Message<'static>) -> Vec<u8> {
    let mut demo = qdemo::demo::Recording::<F>::read(testdata(name), name).unwrap();
    let (part, mut packet) = demo.packets().map(|(part, packet)| (part, packet.into_owned())).last().unwrap();
    packet.messages.extend(std::iter::repeat_n(text, 30));
    demo.replace(part, packet);
    demo.to_bytes().unwrap()
}

/// What is said in frames that are left out comes with the next one, or behind all of them. No packet of a `.dm2` is longer than
/// engines read (id's `MAX_MSGLEN`).
#[test]
fn what_is_said_last_is_said_in_a_faster_recording() {
    use qdemo::format::{dm2, mvd2};
    const TEXT: &str = "that is how it ended, and no frame of the faster recording comes behind it\n";
    let string = || TEXT.into();
    let said = dm2::Message::Print(dm2::Print { level: 3, string: string() });
    let to_all =
        mvd2::Message::Print(mvd2::Print { spare_bits: mvd2::SpareBits::default(), level: 3, string: string() });
    let recordings = [
        ("q2-demo1.dm2", said_at_the_end::<dm2::Dm2>("q2-demo1.dm2", said)),
        ("q2pro-dm.mvd2", said_at_the_end::<mvd2::Mvd2>("q2pro-dm.mvd2", to_all)),
    ];
    for (name, bytes) in recordings {
        let texts = |bytes: &[u8]| {
            let text = String::from_utf8(decompile_bytes(bytes, name, &Options::default()).unwrap()).unwrap();
            text.lines().filter(|line| line.trim().starts_with("string ")).map(str::to_owned).collect::<Vec<_>>()
        };
        let all = texts(&bytes);
        assert!(all.len() > 30, "{name}");
        for speed in [2.0, 3.7, 7.0, 20.0, 1000.0] {
            let (out, _) = run(&bytes, name, &TimeMap::speed(speed, None).unwrap()).unwrap();
            assert_sound(&out, name);
            assert_eq!(texts(&out), all, "{name}: {speed}");
            let mut rest = &out[..];
            while let Some(size) = rest.first_chunk().filter(|_| name.ends_with(".dm2")).map(|b| i32::from_le_bytes(*b))
            {
                assert!(size <= 1400, "{speed}: {size}");
                rest = &rest[(4 + size.max(0) as usize).min(rest.len())..];
            }
        }
    }
}
