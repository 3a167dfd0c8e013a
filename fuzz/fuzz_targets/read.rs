//! Any bytes are read and checked without a panic; spans stay inside the text; a valid game, written back, is read as
//! the same game. Small limits make the fuzzer meet them.

#![no_main]

use groundrules_gdl::{Limits, Options, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let limits = Limits {
        nesting: 60,
        connectives: 20,
        symbol_bytes: 40,
        diagnostics_per_code: 5,
        steps: 20_000,
        ..Limits::default()
    };
    for lenient in [false, true] {
        let options = Options { limits, lenient, ..Options::default() };
        let checked = read(text, &options);
        for label in checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            assert!(label.span.start <= label.span.end && label.span.end as usize <= text.len());
            if let Ok(text) = std::str::from_utf8(text) {
                assert!(text.get(label.span.range()).is_some(), "a span cuts a character");
            }
        }
        let Some(game) = checked.game else { continue };
        let written = game.to_kif();
        let again = read(written.as_bytes(), &options);
        assert_eq!(again.verdict, checked.verdict, "{written}");
        assert_eq!(again.game.map(|game| game.to_kif()).as_deref(), Some(written.as_str()));
    }
});
