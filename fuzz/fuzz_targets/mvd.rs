//! Any bytes as an `.mvd`: verified, gathered, decompiled in every style and compiled back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::detect::Format;
use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};

fuzz_target!(|data: &[u8]| {
    let report = qdemo::verify::verify(data, "x.mvd", Limits::default()).unwrap();
    assert_eq!(report.different, 0);
    assert_eq!(report.bytes, data.len() as u64);
    serde_json::to_value(qdemo::info::info(data, "x.mvd", Limits::default()).unwrap()).unwrap();
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let text = decompile_bytes(data, "x.mvd", &Options::with_style(style)).unwrap();
        // LMPC's language cannot hold all of a Quake III demo, which a file of this name may be by its content.
        if style != Style::Lmpc || !matches!(report.detected.format, Format::Dm3(_)) {
            assert_eq!(compile_bytes(&text, "x").unwrap(), data);
        }
    }
});
