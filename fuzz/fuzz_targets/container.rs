//! Any bytes as a container: members are listed and read within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::container::{Opened, open_bytes};

fuzz_target!(|data: &[u8]| {
    let mut limits = Limits::default();
    limits.unpacked = 1 << 20;
    // Qizmo's files have no magic number; their name makes the rest of the bytes count.
    if let Ok(Opened::File(mut source)) = open_bytes("x.qwz", data.to_vec(), &[], &limits) {
        drop(source.salvage(&limits));
    }
    match open_bytes("x", data.to_vec(), &[], &limits) {
        Ok(Opened::File(mut source)) => drop(source.salvage(&limits)),
        Ok(Opened::Listing(listing)) => {
            for index in 0..listing.entries.len().min(8) {
                if let Ok(Opened::File(mut source)) = listing.open(index, &limits) {
                    drop(source.salvage(&limits));
                }
            }
        }
        Err(e) => drop(e.to_string()),
    }
});
