//! Throughput of each layer on real demos, format by format, in MB of demo a second.
//!
//! Measures the corpus where there is one (`QDEMO_CORPUS`, or `shared` beside the checkout), else `testdata`.
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use qdemo::convert::{Target, convert};
use qdemo::demo::Listed;
use qdemo::detect::Detected;
use qdemo::edit::{self, Edits, TimeMap, Which};
use qdemo::event::EventTag;
use qdemo::format::{Format, dem, dm2, dm3, mvd, mvd2, qwd};
use qdemo::replay::{self, Pass, Position, Range, Seeker, Step, World};
use qdemo::text::{Options, Style, compile, decompile};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, Limits, Reader, frame};

/// A demo and its name.
type Demo = (String, Vec<u8>);

/// The demos of a folder of the corpus whose names fit, or those in `testdata`.
fn demos(folder: &str, fits: fn(&str) -> bool) -> Vec<Demo> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let shared = std::env::var_os("QDEMO_CORPUS").map_or_else(|| root.join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus").join(folder);
    let dir = if corpus.is_dir() { corpus } else { root.join("testdata") };
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let named = paths.into_iter().map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), p));
    named.filter(|(name, _)| fits(name)).map(|(name, p)| (name, std::fs::read(p).unwrap())).collect()
}

/// Hands out every chunk of a demo, with what it was taken for.
fn chunks((name, demo): &Demo, mut each: impl FnMut(&Detected, Chunk<'_>)) {
    let mut chunks = Reader::new(&demo[..], name, Limits::default()).unwrap();
    let detected = chunks.detected().clone();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        each(&detected, chunk);
    }
}

/// Decodes every message.
fn messages<F: Listed>(demo: &Demo) {
    let mut decoder = None;
    chunks(demo, |detected, chunk| {
        let Some(frame::Chunk::Block(block)) = F::chunk(&chunk) else { return };
        let decoder = decoder.get_or_insert_with(|| F::decoder(detected));
        let (packet, _) = decoder.read(block);
        black_box(&packet);
        decoder.recycle(packet);
    });
}

fn layers<F: Listed>(c: &mut Criterion, name: &str, demos: &[Demo]) {
    let text = |(name, demo): &Demo| qdemo::text::decompile_bytes(demo, name, &Options::default()).unwrap();
    let texts: Vec<Vec<u8>> = demos.iter().map(text).collect();
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::BytesDecimal(demos.iter().map(|(_, d)| d.len() as u64).sum()));
    group.bench_function("blocks", |b| b.iter(|| demos.iter().for_each(|d| chunks(d, |_, p| drop(black_box(p))))));
    group.bench_function("messages", |b| b.iter(|| demos.iter().for_each(messages::<F>)));
    group.bench_function("verify", |b| {
        b.iter(|| demos.iter().for_each(|(n, d)| drop(qdemo::verify::verify(&d[..], n, Limits::default()).unwrap())));
    });
    group.bench_function("info", |b| {
        b.iter(|| {
            demos.iter().for_each(|(n, d)| drop(qdemo::replay::info::info(&d[..], n, Limits::default()).unwrap()))
        });
    });
    group.bench_function("info_quick", |b| {
        b.iter(|| {
            demos.iter().for_each(|(n, d)| drop(qdemo::replay::info::quick(&d[..], n, Limits::default()).unwrap()))
        });
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
                chunks(demo, |detected, chunk| {
                    if world.is_none() {
                        world = World::new(detected);
                    }
                    let world = world.as_mut().unwrap();
                    drop(black_box(world.apply(&chunk)));
                });
                black_box(&world);
            }
        });
    });
    // Everything that happened; and chat alone, which needs no players and entities.
    for (name, kinds) in [("events", vec![]), ("chat", vec![EventTag::Chat])] {
        let mut options = replay::Options::default();
        options.kinds = kinds;
        let pass = Pass::new(Limits::default()).with(options);
        group.bench_function(name, |b| {
            b.iter(|| {
                for (name, demo) in demos {
                    let mut each = |step: &Step<'_>| {
                        black_box(step.events);
                        Ok(())
                    };
                    drop(black_box(pass.run(&demo[..], name, &mut [&mut each])));
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

/// Edits: what passes through, and what is written anew. Beside `fold`, as most of them follow the world.
fn edits(c: &mut Criterion, name: &str, demos: &[Demo]) {
    let mut group = c.benchmark_group(format!("edit_{name}"));
    group.throughput(Throughput::BytesDecimal(demos.iter().map(|(_, d)| d.len() as u64).sum()));
    let limits = Limits::default();
    let whole = Range { from: Position::Start, to: Position::End };
    group.bench_function("cut", |b| {
        b.iter(|| {
            demos.iter().for_each(|(n, d)| drop(black_box(edit::cut(&d[..], n, limits, whole, std::io::sink()))))
        });
    });
    let half = TimeMap::speed(0.5, None).unwrap();
    group.bench_function("retime", |b| {
        b.iter(|| {
            demos.iter().for_each(|(n, d)| drop(black_box(edit::retime(&d[..], n, limits, &half, std::io::sink()))))
        });
    });
    let chat = Which { kinds: vec!["chat".to_owned()], ..Which::default() };
    let quiet = Edits { remove: vec![chat], sanitize: true, ..Edits::default() };
    group.bench_function("change", |b| {
        b.iter(|| {
            demos.iter().for_each(|(n, d)| drop(black_box(edit::change(&d[..], n, limits, &quiet, std::io::sink()))))
        });
    });
    if let Some(protocol) = [("dem", 666), ("dm3", 71)].iter().find(|(of, _)| *of == name).map(|(_, to)| *to) {
        let extension = if name == "dem" { "dem".to_owned() } else { format!("dm_{protocol}") };
        let to = Target::by_extension(&extension, Some(protocol)).unwrap();
        group.bench_function("convert", |b| {
            b.iter(|| demos.iter().for_each(|(n, d)| drop(black_box(convert(&d[..], n, limits, to, std::io::sink())))));
        });
    }
    group.bench_function("repair", |b| {
        b.iter(|| {
            for (name, demo) in demos {
                drop(black_box(edit::repair::repair(|| Ok(&demo[..]), name, limits, std::io::sink())));
            }
        });
    });
    group.finish();
}

/// All of the recordings of a format, by their names in a folder of the corpus.
fn format<F: Listed>(c: &mut Criterion, folder: &str) {
    let demos = demos(folder, |name| {
        let extension = name.rsplit('.').next().unwrap_or_default();
        F::EXTENSIONS.contains(&extension) || F::NAME == dm3::Dm3::NAME && extension.starts_with("dm_")
    });
    layers::<F>(c, F::NAME, &demos);
    world(c, F::NAME, &demos);
    edits(c, F::NAME, &demos);
}

fn all(c: &mut Criterion) {
    format::<dem::Dem>(c, "dem");
    format::<qwd::Qwd>(c, "qwd");
    format::<mvd::Mvd>(c, "mvd");
    format::<dm2::Dm2>(c, "dm2");
    format::<mvd2::Mvd2>(c, "dm2");
    format::<dm3::Dm3>(c, "q3");
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(3));
    targets = all
}
criterion_main!(benches);
