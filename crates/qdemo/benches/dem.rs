//! Throughput of each layer on Quake demos, in MB of demo a second.
//!
//! Measures the corpus where there is one (`QDEMO_CORPUS`, or `shared` beside the checkout), else `testdata`.
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros; a bench may panic")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use qdemo::format::dem::{self, Decoder, Messages};
use qdemo::text::{Options, Style, compile, decompile};
use qdemo::{Limits, Piece, Pieces};

fn demos() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("QDEMO_CORPUS").map_or_else(|| root.join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus/dem");
    let dir = if corpus.is_dir() { corpus } else { root.join("testdata") };
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "dem")).map(|p| std::fs::read(p).unwrap()).collect()
}

fn blocks(demo: &[u8], mut each: impl FnMut(&dem::Block<'_>)) {
    let mut pieces = Pieces::new(demo, "x.dem", Limits::default()).unwrap();
    while let Some(piece) = pieces.next_piece().unwrap() {
        if let Piece::Dem(dem::Piece::Block(block)) = piece {
            each(&block);
        }
    }
}

fn layers(c: &mut Criterion) {
    let demos = demos();
    let texts: Vec<Vec<u8>> =
        demos.iter().map(|demo| qdemo::text::decompile_bytes(demo, "x.dem", &Options::default()).unwrap()).collect();
    let mut group = c.benchmark_group("dem");
    group.throughput(Throughput::BytesDecimal(demos.iter().map(|d| d.len() as u64).sum()));
    group.bench_function("blocks", |b| {
        b.iter(|| {
            for demo in &demos {
                blocks(demo, |block| {
                    black_box(block.payload);
                });
            }
        });
    });
    group.bench_function("messages", |b| {
        b.iter(|| {
            for demo in &demos {
                let mut dialect = Decoder::default().dialect();
                blocks(demo, |block| {
                    let mut messages = Messages::new(block.payload, dialect);
                    for message in messages.by_ref() {
                        black_box(&message);
                    }
                    dialect = messages.dialect();
                });
            }
        });
    });
    group.bench_function("verify", |b| {
        b.iter(|| demos.iter().for_each(|d| drop(qdemo::verify::verify(&d[..], "x.dem", Limits::default()).unwrap())));
    });
    group.bench_function("info", |b| {
        b.iter(|| demos.iter().for_each(|d| drop(qdemo::info::info(&d[..], "x.dem", Limits::default()).unwrap())));
    });
    for (name, style) in [("decompile", Style::Text), ("decompile_lmpc", Style::Lmpc), ("decompile_json", Style::Json)]
    {
        group.bench_function(name, |b| {
            b.iter(|| {
                for demo in &demos {
                    decompile(&demo[..], "x.dem", std::io::sink(), &Options::with_style(style)).unwrap();
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(3));
    targets = layers
}
criterion_main!(benches);
