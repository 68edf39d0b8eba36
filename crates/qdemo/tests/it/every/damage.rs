//! A recording whose end is missing is never faultless, whatever reads it.

use qdemo::{Faults, Limits, Pieces, event, info, text, verify};

/// What everything that reads a whole recording says is wrong with it.
fn faults(demo: &[u8], name: &str) -> [(&'static str, Faults); 4] {
    let limits = Limits::default();
    let options = text::Options::default();
    [
        ("verify", verify::verify(demo, name, limits).unwrap().faults),
        ("text", text::decompile(demo, name, std::io::sink(), &options).unwrap().faults),
        ("info", info::info(demo, name, limits).unwrap().faults),
        ("events", event::events(demo, name, limits, &mut |_, _| Ok(())).unwrap_or_else(|_| not_a_demo())),
    ]
}

/// The faults of a file that is refused, because nothing in it shows what it is.
fn not_a_demo() -> Faults {
    verify::verify(&b"?"[..], "x", Limits::default()).unwrap().faults
}

/// Where pieces begin.
fn borders(demo: &[u8], name: &str) -> Vec<u64> {
    let mut pieces = Pieces::new(demo, name, Limits::default()).unwrap();
    let mut all = Vec::new();
    while pieces.next_piece().unwrap().is_some() {
        all.push(pieces.offset());
    }
    all
}

/// Cut within a block, every reader finds a fault: also where the cut falls between two messages.
#[test]
fn a_cut_file_is_never_faultless() {
    for name in ["dm13-15.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
        let demo = std::fs::read(path).unwrap();
        let (borders, mut within) = (borders(&demo, name), 0);
        // Every offset at the beginning and in one stretch further on: some fall between messages.
        let (first, middle) = (0..1_500, demo.len() / 2..demo.len() / 2 + 1_000);
        for cut in first.chain(middle).filter(|cut| *cut > 0 && *cut < demo.len()) {
            if borders.contains(&(cut as u64)) {
                continue;
            }
            within += 1;
            for (reader, faults) in faults(&demo[..cut], name) {
                assert!(!faults.is_empty(), "{name} cut at {cut}: {reader} finds no fault");
            }
        }
        assert!(within > 2_000, "{name}: {within} cuts are within blocks");
    }
}

/// A fault is told with the time of the game, in every format: that of the block or of the last frame before it.
#[test]
fn faults_have_a_time() {
    for name in ["dm13-15.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
        let demo = std::fs::read(path).unwrap();
        let borders = borders(&demo, name);
        let border = borders[borders.len() * 3 / 4];
        // Three bytes more: no block is as short.
        for (reader, faults) in faults(&demo[..border as usize + 3], name) {
            let fault = faults.iter().next().unwrap();
            assert!(fault.place.time.is_some(), "{name}: {reader} tells no time: {fault}");
        }
    }
}
