//! Scanned code cannot steer the terminal of whoever scans it, in no format of no command.

use super::run::{faulty, hostile, run};

fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn nothing_that_is_printed_steers_a_terminal() {
    let folder = hostile();
    let saved = folder.path().join("saved.json");
    let contracts = String::from_utf8(run(folder.path(), &["contracts"]).stdout).expect("UTF-8");
    std::fs::write(&saved, contracts.replace("at_least 1d", "at_least 2d")).expect("a file");
    let formats = ["human", "short", "json", "sarif", "github", "gitlab", "junit", "markdown"];
    let mut runs: Vec<Vec<&str>> = formats.iter().map(|format| vec!["check", "-v", "--format", format]).collect();
    runs.extend([
        vec!["check", "--message-format", "json"],
        vec!["check", "--format", "human", "-v", "--color", "never"],
        vec!["list"],
        vec!["contracts"],
        vec!["diff", "saved.json"],
        vec!["diff", "saved.json", "--format", "json"],
        vec!["diff", "saved.json", "--format", "markdown"],
        vec!["docs"],
        vec!["init"],
        vec!["baseline"],
        vec!["check", "--format", "short", "-v", "-A", "per-attempt-key"],
    ]);
    let mut seen = 0;
    for arguments in runs {
        let output = run(folder.path(), &arguments);
        assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {output:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            let line = text.lines().find(|line| line.chars().any(steers));
            assert_eq!(line, None, "{arguments:?}");
            seen += text.len();
        }
    }
    assert!(seen > 10_000, "{seen}");

    // stale documents are shown, with what stands in them
    std::fs::write(folder.path().join("docs/guarantees.md"), "\u{1b}[31mold\u{9b}\n").expect("a file");
    let output = run(folder.path(), &["docs", "--check"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for bytes in [output.stdout, output.stderr] {
        assert!(!String::from_utf8(bytes).expect("UTF-8").chars().any(steers));
    }
    // so is what a manifest or configuration says that cannot be read
    for file in ["effects.toml", "Cargo.toml"] {
        std::fs::write(folder.path().join(file), "\"\\u001b[31m\\u009b\" = \u{1b}[31m\n").expect("a file");
        let output = run(folder.path(), &["check"]);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!((output.status.code(), said.chars().any(steers)), (Some(2), false), "{said:?}");
    }
}

#[test]
fn colour_comes_from_the_program_alone() {
    let output = run(&faulty(), &["check", "--color", "always"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\u{1b}["), "the test would see nothing otherwise");
}
