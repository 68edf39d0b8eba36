//! Any bytes as a Quake III demo: verified, gathered, decompiled in every style and compiled back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::text::{Options, Style, compile_bytes, decompile};

fuzz_target!(|data: &[u8]| {
    for name in ["x.dm_68", "x.dm3"] {
        let report = qdemo::verify::verify(data, name, Limits::default()).unwrap();
        assert_eq!(report.different, 0);
        assert_eq!(report.bytes, data.len() as u64);
        serde_json::to_value(qdemo::info::info(data, name, Limits::default()).unwrap()).unwrap();
        for style in [Style::Text, Style::Lmpc, Style::Json] {
            let mut text = Vec::new();
            let done = decompile(data, name, &mut text, &Options::with_style(style)).unwrap();
            // LMPC's language cannot hold all of Quake III; what it was given must be a text all the same.
            let back = compile_bytes(&text, "x").unwrap();
            assert!(back == data || style == Style::Lmpc && done.beyond_lmpc > 0);
        }
    }
});
