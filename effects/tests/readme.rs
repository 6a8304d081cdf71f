//! The readme's example is the one of the crate's documentation, which is compiled.

#![allow(clippy::disallowed_methods)] // the readme is the input

#[test]
fn the_readme_shows_the_compiled_example() {
    let here = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{here}/README.md")).unwrap();
    let source = std::fs::read_to_string(format!("{here}/src/lib.rs")).unwrap();
    let shown: Vec<&str> = block(readme.lines(), "```rust").collect();
    let documented = source.lines().map_while(|line| line.strip_prefix("//!"));
    let documented = documented.map(|line| line.strip_prefix(' ').unwrap_or(line));
    // A line that begins with a hash and a space is compiled, not shown.
    let compiled: Vec<&str> = block(documented, "```").filter(|line| !line.starts_with("# ")).collect();
    assert!(shown.len() > 10);
    assert_eq!(shown, compiled);
}

/// The lines of the first code block.
fn block<'a>(lines: impl Iterator<Item = &'a str>, fence: &'a str) -> impl Iterator<Item = &'a str> {
    lines.skip_while(move |line| *line != fence).skip(1).take_while(|line| *line != "```")
}
