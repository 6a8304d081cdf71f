//! Identity of a finding over edits: what it is about, never where it stands.

use std::collections::HashMap;

use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

use super::Violation;

/// Numbers equal findings in source order and hashes rule, item, detail and that number.
#[derive(Default)]
pub(super) struct Fingerprints {
    seen: HashMap<u128, u32>,
}

impl Fingerprints {
    /// The fingerprint of the next violation in source order. `file` stands in where no item is known.
    pub(super) fn next(&mut self, violation: &Violation, file: &str) -> String {
        let mut base = SipHasher13::new();
        write(&mut base, violation.rule);
        match &violation.handler {
            Some(path) => write(&mut base, path),
            None => {
                write(&mut base, "file");
                write(&mut base, file);
            }
        }
        let mut detail: Vec<_> = violation.detail.iter().collect();
        detail.sort();
        for (name, value) in detail {
            write(&mut base, name);
            write(&mut base, value);
        }
        let seen = self.seen.entry(base.finish128().as_u128()).or_insert(0);
        base.write_u32(*seen);
        *seen += 1;
        format!("{:032x}", base.finish128().as_u128())
    }
}

/// Length first, so that no two lists of texts hash the same bytes.
fn write(hasher: &mut SipHasher13, text: &str) {
    hasher.write(&(text.len() as u64).to_le_bytes());
    hasher.write(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Confidence, Place};
    use crate::source::TextRange;

    fn violation(start: u32, origin: &str) -> Violation {
        Violation {
            rule: "per-attempt-key",
            confidence: Confidence::Certain,
            message: "m".into(),
            help: "h".into(),
            place: Place::Text { path: "src/lib.rs".into(), range: TextRange { start, end: start + 1 } },
            path: Vec::new(),
            handler: Some("shop::charge".into()),
            detail: vec![("origin", origin.into())],
        }
    }

    #[test]
    fn position_does_not_count_but_occurrence_does() {
        let mut first = Fingerprints::default();
        let mut moved = Fingerprints::default();
        let a = first.next(&violation(10, "random"), "src/lib.rs");
        assert_eq!(a, moved.next(&violation(99, "random"), "src/other.rs"));
        assert_ne!(a, first.next(&violation(20, "random"), "src/lib.rs"));
        assert_ne!(a, first.next(&violation(30, "clock"), "src/lib.rs"));
    }

    /// Baselines and code-scanning services keep these over versions.
    #[test]
    fn the_hash_is_fixed() {
        let print = Fingerprints::default().next(&violation(10, "random"), "src/lib.rs");
        assert_eq!(print, "632bc1e1b979c3acc7e080a2d388617c");
    }
}
