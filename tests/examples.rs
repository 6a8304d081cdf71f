//! The examples hold what they show: no findings, and documents that are up to date.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::path::Path;
use std::process::Command;

/// Runs the binary in the repository and returns its exit code and what it printed.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .output()
        .expect("the binary runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_documents_are_up_to_date() {
    let (code, text) = run(&["docs", "--check", "--workspace"]);
    assert_eq!(code, Some(0), "run `cargo effects docs --workspace`\n{text}");
}

#[test]
fn the_services_have_no_findings() {
    let (code, text) = run(&["check", "--fail-on", "note", "--workspace", "--format", "short"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2 handlers declared"), "{text}");
}

#[test]
fn the_faulty_twin_shows_its_faults() {
    let manifest = "examples/faulty/Cargo.toml";
    let (code, text) = run(&["check", "--manifest-path", manifest, "--format", "short"]);
    assert_eq!(code, Some(1), "{text}");
    for rule in [
        "per-attempt-key",
        "window-below-replay",
        "compensation-as-defence",
        "missing-reconcile",
        "provider-without-dedup",
    ] {
        assert!(text.contains(&format!("deny[{rule}]")), "{rule}\n{text}");
    }
}
