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
