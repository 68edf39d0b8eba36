//! Damaged demos: what is intact is read.

use super::build::*;
use crate::common::assert_survives;

/// A size that runs over the blocks behind it is found out, and reading goes on.
#[test]
fn a_damaged_size_costs_little() {
    let version = VERSIONS[1];
    let mut all = vec![version.serverdata(&version.scene(&[], &[]))];
    all.extend((0..30).map(|n| [&[6][..], &version.scene(&[version.player(n, 0x1FFF, false)], &[])].concat()));
    let mut demo = demo(&all);
    let at = 4 + 2 + all[0].len() + 3 * (2 + all[1].len());
    demo[at + 1] = 0xF0;
    let report = report(&demo);
    assert_eq!(report.different, 0);
    assert!(report.uncovered < 200 && report.blocks >= 28, "{} blocks, {}", report.blocks, report.uncovered);
    assert_survives(&demo, "x.mvd2");
}

/// Two zeros within a block are no end of the recording, and prove no size in front of them: blocks go on behind.
#[test]
fn zeros_within_blocks_end_nothing() {
    let demo = crate::common::testdata("q2pro-dm.mvd2");
    let mut starts = vec![4];
    while let [low, high, ..] = demo[starts[starts.len() - 1]..] {
        let size = usize::from(u16::from_le_bytes([low, high]));
        if size == 0 {
            break;
        }
        starts.push(starts[starts.len() - 1] + 2 + size);
    }
    let of_block = |at: usize| starts.partition_point(|start| *start <= at) - 1;
    let damaged = 30;
    let (mut ends, mut last) = (0, damaged + 2);
    for end in starts[damaged + 3]..demo.len() - 200 {
        // One place in a block is enough.
        if demo[end..end + 2] != [0, 0] || starts.contains(&end) || of_block(end) == last {
            continue;
        }
        (ends, last) = (ends + 1, of_block(end));
        let mut demo = demo.clone();
        let size = u16::try_from(end - starts[damaged] - 2).unwrap();
        demo[starts[damaged]..starts[damaged] + 2].copy_from_slice(&size.to_le_bytes());
        let report = qdemo::verify::verify(&demo[..], "x.mvd2", qdemo::Limits::default()).unwrap();
        // Only a row of six blocks proves that they are some, and the first row may begin too early.
        let lost = (starts[damaged + 12] - starts[damaged]) as u64;
        assert!(report.uncovered <= lost, "{end}: {} bytes are lost", report.uncovered);
        assert!(report.blocks as usize >= starts.len() - 12, "{end}: {} blocks", report.blocks);
    }
    assert!(ends > 20, "{ends}");
}
