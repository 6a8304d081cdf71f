//! What a stale document lacks, as a unified diff.

use similar::TextDiff;

/// The difference between what a file holds and what it should hold; empty where they are equal. Line ends do not count:
/// a checkout may have changed them.
pub fn difference(path: &str, present: &str, wanted: &str) -> String {
    let (present, wanted) = (present.replace("\r\n", "\n"), wanted.replace("\r\n", "\n"));
    if present == wanted {
        return String::new();
    }
    TextDiff::from_lines(&present, &wanted)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_names_the_file_and_the_lines() {
        assert_eq!(
            difference("docs/g.md", "a\nb\n", "a\nc\n"),
            "--- a/docs/g.md\n+++ b/docs/g.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
    }

    #[test]
    fn line_ends_are_no_difference() {
        assert_eq!(difference("x", "a\r\nb\r\n", "a\nb\n"), "");
    }
}
