//! Editing: what is written plays, and shows the states of what was read.

mod change;
mod cut;
mod join;
mod quake2_rules;
mod repair;
mod retime;

/// A recording of every format, all of which end cleanly but the `.qwd`, whose client was killed: it is not among them.
const SHIPPED: [&str; 8] = [
    "dm13-15.dem",
    "e0m1-666.dem",
    "ez-dm.mvd",
    "oa-dm2.dm_68",
    "oa-dm4.dm_71",
    "oa-dm5.dm_66",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
];

/// These and the `.qwd`.
fn shipped() -> impl Iterator<Item = &'static str> {
    SHIPPED.into_iter().chain(["ez-dm.qwd"])
}
