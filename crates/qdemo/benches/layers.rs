//! Throughput of each layer on real demos, format by format, in MB of demo a second.
//!
//! Measures the corpus where there is one (`QDEMO_CORPUS`, or `shared` beside the checkout), else `testdata`.
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros; a bench may panic")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use qdemo::detect::Format;
use qdemo::event::{self, Event, Kind, each_step};
use qdemo::format::{dem, dm2, dm3, mvd, mvd2, qwd};
use qdemo::text::{Options, Style, compile, decompile};
use qdemo::world::{DemoTime, Scene, Seeker, World};
use qdemo::{Chunk, Limits, Reader};

/// A demo and its name.
type Demo = (String, Vec<u8>);

/// The demos of a folder of the corpus whose names fit, or those in `testdata`.
fn demos(folder: &str, fits: fn(&str) -> bool) -> Vec<Demo> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("QDEMO_CORPUS").map_or_else(|| root.join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus").join(folder);
    let dir = if corpus.is_dir() { corpus } else { root.join("testdata") };
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let named = paths.into_iter().map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), p));
    named.filter(|(name, _)| fits(name)).map(|(name, p)| (name, std::fs::read(p).unwrap())).collect()
}

/// Hands out every chunk of a demo.
fn chunks((name, demo): &Demo, mut each: impl FnMut(Format, Chunk<'_>)) {
    let mut chunks = Reader::new(&demo[..], name, Limits::default()).unwrap();
    let format = chunks.detected().format;
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        each(format, chunk);
    }
}

/// Decodes every message.
fn messages(demo: &Demo) {
    let mut dialect = dem::Decoder::default().dialect();
    let mut quakeworld = None;
    let mut quake2 = dm2::Dialect::QUAKE2;
    let mut multiview2 = dm2::Dialect::MVD2;
    let mut packet = dm3::Packet::default();
    let mut packets = |payload: &[u8], first: Dialect| {
        let mut messages = qwd::Messages::new(payload, quakeworld.unwrap_or(first));
        for message in messages.by_ref() {
            black_box(&message);
        }
        quakeworld = Some(messages.dialect());
    };
    chunks(demo, |format, chunk| match (chunk, format) {
        (Chunk::Dem(dem::Chunk::Block(block)), _) => {
            let mut messages = dem::Messages::new(block.payload, dialect);
            for message in messages.by_ref() {
                black_box(&message);
            }
            dialect = messages.dialect();
        }
        (Chunk::Qwd(qwd::Chunk::Block(block)), _) if matches!(block.kind, qwd::BlockKind::Packet { .. }) => {
            packets(qwd::PacketHead::split(block.payload).1, qwd::Dialect::QUAKEWORLD);
        }
        (Chunk::Mvd(mvd::Chunk::Block(block)), _)
            if !matches!(block.target, mvd::Target::Multiple(0) | mvd::Target::Set) =>
        {
            packets(block.payload, qwd::Dialect::MULTIVIEW);
        }
        (Chunk::Dm2(dm2::Chunk::Block(block)), _) => {
            // The test release has message numbers of its own.
            if block.payload.starts_with(&[7, 25, 0, 0, 0]) {
                quake2 = dm2::Dialect::TEST_RELEASE;
            }
            let mut messages = dm2::Messages::new(block.payload, quake2);
            for message in messages.by_ref() {
                black_box(&message);
            }
            quake2 = messages.dialect();
        }
        (Chunk::Mvd2(mvd2::Chunk::Block(block)), _) => {
            let mut messages = mvd2::Messages::new(block.payload, multiview2);
            for message in messages.by_ref() {
                black_box(&message);
            }
            multiview2 = messages.dialect();
        }
        (Chunk::Dm3(dm3::Chunk::Block(block)), Format::Dm3(dialect)) => {
            packet.read(block.payload, &dialect);
            black_box(&packet);
        }
        _ => {}
    });
}

fn layers(c: &mut Criterion, name: &str, demos: &[Demo]) {
    let text = |(name, demo): &Demo| qdemo::text::decompile_bytes(demo, name, &Options::default()).unwrap();
    let texts: Vec<Vec<u8>> = demos.iter().map(text).collect();
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::BytesDecimal(demos.iter().map(|(_, d)| d.len() as u64).sum()));
    group.bench_function("blocks", |b| b.iter(|| demos.iter().for_each(|d| chunks(d, |_, p| drop(black_box(p))))));
    group.bench_function("messages", |b| b.iter(|| demos.iter().for_each(messages)));
    group.bench_function("verify", |b| {
        b.iter(|| demos.iter().for_each(|(n, d)| drop(qdemo::verify::verify(&d[..], n, Limits::default()).unwrap())));
    });
    group.bench_function("info", |b| {
        b.iter(|| demos.iter().for_each(|(n, d)| drop(qdemo::info::info(&d[..], n, Limits::default()).unwrap())));
    });
    group.bench_function("info_quick", |b| {
        b.iter(|| demos.iter().for_each(|(n, d)| drop(qdemo::info::quick(&d[..], n, Limits::default()).unwrap())));
    });
    for (name, style) in [("decompile", Style::Text), ("decompile_lmpc", Style::Lmpc), ("decompile_json", Style::Json)]
    {
        group.bench_function(name, |b| {
            b.iter(|| {
                for (name, demo) in demos {
                    decompile(&demo[..], name, std::io::sink(), &Options::with_style(style)).unwrap();
                }
            });
        });
    }
    group.bench_function("compile", |b| {
        b.iter(|| {
            for text in &texts {
                compile(&text[..], "x", std::io::sink(), Limits::default()).unwrap();
            }
        });
    });
    group.finish();
}

/// Goes to so many times of each demo, far from each other.
const SEEKS: i64 = 16;

fn world(c: &mut Criterion, name: &str, demos: &[Demo]) {
    let mut group = c.benchmark_group(format!("world_{name}"));
    group.throughput(Throughput::BytesDecimal(demos.iter().map(|(_, d)| d.len() as u64).sum()));
    group.bench_function("fold", |b| {
        b.iter(|| {
            for demo in demos {
                let mut world = None;
                chunks(demo, |format, chunk| {
                    if world.is_none() {
                        world = World::new(format);
                    }
                    let world = world.as_mut().unwrap();
                    drop(black_box(world.fold(&chunk)));
                });
                black_box(&world);
            }
        });
    });
    // Everything that happened; and chat alone, which needs no players and entities.
    for (name, kinds) in [("events", vec![]), ("chat", vec![Kind::Chat])] {
        let mut options = event::Options::default();
        options.kinds = kinds;
        group.bench_function(name, |b| {
            b.iter(|| {
                for (name, demo) in demos {
                    let each = &mut |_: &World, events: &[Event]| {
                        black_box(events);
                        Ok(())
                    };
                    drop(black_box(each_step(&demo[..], name, Limits::default(), &options, each)));
                }
            });
        });
    }
    let open = |(name, demo): &'static Demo| Seeker::open(demo, name, Limits::default()).unwrap();
    let demos: &'static [Demo] = demos.to_vec().leak();
    group.bench_function("open", |b| b.iter(|| demos.iter().for_each(|d| drop(black_box(open(d))))));
    let mut seekers: Vec<_> = demos.iter().map(open).collect();
    group.throughput(Throughput::Elements(seekers.len() as u64 * SEEKS as u64));
    group.bench_function("seek", |b| {
        b.iter(|| {
            for seeker in &mut seekers {
                let length = seeker.length().0;
                for n in 0..SEEKS {
                    // 7 has no factor in common with 16: each part once, with jumps to and fro.
                    let time = DemoTime(length / SEEKS * (n * 7 % SEEKS));
                    black_box(seeker.seek(time).clock());
                }
            }
        });
    });
    group.finish();
}

fn all(c: &mut Criterion) {
    let quake3 = |name: &str| name.contains(".dm") && !name.ends_with(".dm2");
    for (name, folder, fits) in [
        ("dem", "dem", (|name| name.ends_with(".dem")) as fn(&str) -> bool),
        ("qwd", "qwd", |name| name.ends_with(".qwd")),
        ("mvd", "mvd", |name| name.ends_with(".mvd")),
        ("dm2", "dm2", |name| name.ends_with(".dm2")),
        ("mvd2", "dm2", |name| name.ends_with(".mvd2")),
        ("dm3", "q3", quake3),
    ] {
        let demos = demos(folder, fits);
        layers(c, name, &demos);
        world(c, name, &demos);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(3));
    targets = all
}
criterion_main!(benches);
