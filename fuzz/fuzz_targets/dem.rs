//! Any bytes as a `.dem`: verified, gathered, decompiled in every style and compiled back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};

fuzz_target!(|data: &[u8]| {
    let report = qdemo::verify::verify(data, "x.dem", Limits::default()).unwrap();
    assert_eq!(report.different, 0);
    assert_eq!(report.bytes, data.len() as u64);
    serde_json::to_value(qdemo::info::info(data, "x.dem", Limits::default()).unwrap()).unwrap();
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let text = decompile_bytes(data, "x.dem", &Options::with_style(style)).unwrap();
        assert_eq!(compile_bytes(&text, "x").unwrap(), data);
    }
});
