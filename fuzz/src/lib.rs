//! What targets of several formats do.

use qdemo::text::{Options, Style, compile_bytes, decompile};
use qdemo::{FileKind, Limits};

/// Any bytes as a recording with a name: verified, gathered, decompiled in every style and compiled back.
pub fn comes_back(data: &[u8], name: &str) {
    let report = qdemo::verify::verify(data, name, Limits::default()).unwrap();
    assert_eq!(report.different, 0);
    assert_eq!(report.bytes, data.len() as u64);
    serde_json::to_value(qdemo::replay::info::info(data, name, Limits::default()).unwrap()).unwrap();
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let mut text = Vec::new();
        let done = decompile(data, name, &mut text, &Options::with_style(style)).unwrap();
        let back = compile_bytes(&text, "x").unwrap();
        // LMPC's language cannot hold all of a Quake III demo, which a file of any name may be by its content; what it was
        // given must be a text all the same.
        let beyond = style == Style::Lmpc && done.detected.kind == FileKind::Dm3 && done.beyond_lmpc > 0;
        assert!(back == data || beyond, "{style:?}");
    }
}
