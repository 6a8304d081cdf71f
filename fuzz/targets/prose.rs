//! Documents, doc comments and package descriptions.
#![no_main]

use cargo_effects::prose::{Text, TextKind, claims};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for kind in [TextKind::Markdown, TextKind::Rust, TextKind::Manifest] {
        let own = ["effects".to_owned()];
        for claim in claims(Text { text, kind, history: false, own: &own }, &[]) {
            let range = claim.range.start as usize..claim.range.end as usize;
            assert!(text.get(range.clone()).is_some_and(|phrase| !phrase.is_empty()), "{range:?} of {text:?}");
        }
    }
});
