//! `--message-format json` is read by the types that tools around Cargo read rustc's own stream with.

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};

use super::run::{faulty, hostile, printed};

#[test]
fn every_line_is_a_diagnostic_of_rustc() {
    let folder = hostile();
    for folder in [faulty().as_path(), folder.path()] {
        let text = printed(folder, &["check", "--message-format", "json"]);
        assert!(text.ends_with('\n') && text.lines().count() > 2, "{text}");
        let mut errors = 0;
        for line in text.lines() {
            let diagnostic: Diagnostic = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let primary: Vec<_> = diagnostic.spans.iter().filter(|span| span.is_primary).collect();
            assert_eq!(primary.len(), 1, "{line}");
            for span in &diagnostic.spans {
                let file = std::fs::read(folder.join(&span.file_name)).expect("the file is there, from the root");
                let start = span.byte_start as usize;
                // the byte and the line say the same place
                let before = String::from_utf8_lossy(&file[..start]).into_owned();
                assert_eq!(before.matches('\n').count() + 1, span.line_start, "{line}");
                let last = before.rsplit('\n').next().unwrap_or_default();
                assert_eq!(last.chars().count() + 1, span.column_start, "{line}");
                assert!(span.byte_end >= span.byte_start && (span.byte_end as usize) <= file.len(), "{line}");
                assert!(!span.text.is_empty(), "{line}");
            }
            let code = diagnostic.code.expect("the rule");
            let rule = code.code.strip_prefix("effects::").expect("the namespace of this tool");
            assert!(code.explanation.is_some_and(|page| !page.is_empty()), "{line}");
            assert!(diagnostic.rendered.is_some_and(|text| text.contains(&format!("[{rule}]"))), "{line}");
            errors += usize::from(diagnostic.level == DiagnosticLevel::Error);
        }
        assert!(errors > 0, "{text}");
    }
}
