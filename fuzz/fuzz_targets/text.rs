//! Any bytes as a text: a mistake has a place; what compiles is a demo that comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::error::ErrorKind;
use qdemo::text::{Options, compile_bytes, decompile_bytes};

fuzz_target!(|data: &[u8]| match compile_bytes(data, "x.txt") {
    Ok(demo) => {
        let text = decompile_bytes(&demo, "x.dem", &Options::default()).unwrap();
        assert_eq!(compile_bytes(&text, "x").unwrap(), demo);
    }
    Err(e) => {
        let _ = (e.to_string(), e.details());
        if let ErrorKind::Text(t) = e.kind {
            assert!(t.line >= 1 && t.column >= 1 && t.caret <= t.source.len());
        }
    }
});
