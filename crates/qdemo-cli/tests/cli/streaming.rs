//! Memory is bounded by a few blocks, not by the file: a demo of hundreds of megabytes in a small address space.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::recording;

/// Feeds `copies` of a recording through standard input to a command that may use 300 MB of addresses.
// Below that the allocator itself runs short: it reserves 128 MB for a thread.
fn feed(args: &str, copies: usize) -> String {
    let qdemo = env!("CARGO_BIN_EXE_qdemo");
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v 300000; exec '{qdemo}' -j 1 {args}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let demo = recording();
    let feeder = std::thread::spawn(move || {
        input.write_all(&demo[..3]).unwrap();
        for _ in 0..copies {
            input.write_all(&demo[3..]).unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes where nothing is optimised")]
fn verify_needs_memory_for_blocks_only() {
    // 350 MB of demo.
    let line = feed("verify -", 12_000);
    assert!(line.contains("exact"), "{line}");
}

#[test]
fn decompile_needs_memory_for_blocks_only() {
    // 30 MB of demo, 400 MB of text.
    feed("decompile - -o /dev/null", 1_000);
}
