//! Whatever stands in a text.

use proptest::prelude::*;

use crate::common::cases;

proptest! {
    #![proptest_config(cases(4_000))]

    /// No text makes the compiler panic, and a mistake names a place within the text.
    #[test]
    fn any_text_compiles_or_says_where_it_is_wrong(
        text in r#"(track "-1";)?( |\n|block|\{|\}|;|"|camera|-?[0-9]{1,6}|\\|//|print|entity|updateentity|0x[0-9A-F]|unknown|data){0,60}"#
    ) {
        if let Err(e) = qdemo::text::compile_bytes(text.as_bytes(), "t.txt") {
            if let qdemo::error::ErrorKind::Text(t) = &e.kind {
                prop_assert!(t.line >= 1 && t.line <= 1 + text.matches('\n').count() as u64, "{}", e);
                prop_assert!(t.caret <= t.source.len(), "{}", e);
            }
        }
    }
}
