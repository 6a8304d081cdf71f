//! What scenarios cannot show: pipes, threads, generated texts.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn cargo_effects(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const FUNCTION: &str = "\
pub async fn fNUMBER(client: &reqwest::Client) {
    for _ in 0..3 {
        let key = uuid::Uuid::new_v4().to_string();
        let request = client.post(\"https://api.stripe.com/v1/charges\");
        if request.header(\"Idempotency-Key\", key).send().await.is_ok() {
            return;
        }
    }
}
";

/// A package with many findings, in several files.
fn many() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("Cargo.toml", "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let mut lib = String::new();
    for module in 0..20 {
        lib.push_str(&format!("mod m{module};\n"));
        let mut text = String::new();
        for function in 0..20 {
            text.push_str(&FUNCTION.replace("NUMBER", &function.to_string()));
        }
        write(&format!("src/m{module}.rs"), &text);
    }
    write("src/lib.rs", &lib);
    folder
}

#[test]
fn the_number_of_threads_does_not_show() {
    let folder = many();
    let one = cargo_effects(folder.path(), &["check", "--format", "json", "-j", "1"]);
    let several = cargo_effects(folder.path(), &["check", "--format", "json", "-j", "7"]);
    assert_eq!(one.status.code(), Some(1));
    assert!(text(&one.stdout).matches("\"rule\":\"per-attempt-key\"").count() >= 400);
    assert_eq!(one.stdout, several.stdout);
    assert_eq!(one.stderr, several.stderr);
}

/// A workspace of some packages; where `turned`, its members are listed and its files are made the other way round.
fn several(turned: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut members: Vec<String> = (0..6).map(|number| format!("p{number}")).collect();
    let mut files: Vec<(String, String)> = Vec::new();
    for member in &members {
        let manifest = format!("[package]\nname = \"{member}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        files.push((format!("{member}/Cargo.toml"), manifest));
        let mut lib = String::new();
        for module in 0..4 {
            lib.push_str(&format!("mod m{module};\n"));
            files.push((format!("{member}/src/m{module}.rs"), FUNCTION.replace("NUMBER", &module.to_string())));
        }
        files.push((format!("{member}/src/lib.rs"), lib));
    }
    if turned {
        members.reverse();
        files.reverse();
    }
    files.push(("Cargo.toml".to_owned(), format!("[workspace]\nmembers = {members:?}\n")));
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

#[test]
fn the_order_of_members_and_files_does_not_show() {
    let (one, other) = (several(false), several(true));
    for format in ["json", "human", "sarif"] {
        let arguments = ["check", "--format", format, "-j", "3"];
        let (one, other) = (cargo_effects(one.path(), &arguments), cargo_effects(other.path(), &arguments));
        assert_eq!(one.status.code(), Some(1));
        assert!(text(&one.stdout).matches("per-attempt-key").count() >= 24);
        assert_eq!(text(&one.stdout), text(&other.stdout));
    }
}

/// `cargo effects check | head -1` must end quietly.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = many();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(["check", "--format", "human"])
        .current_dir(folder.path())
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().expect("piped");
    stdout.read_exact(&mut first).expect("there is output");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(!stderr.contains("panicked") && !stderr.contains("error"), "{stderr}");
}

#[test]
fn explain_prints_the_page_under_either_spelling() {
    let page = fs::read(here().join("cli/rules/per_attempt_key.md")).expect("the page");
    for name in ["per-attempt-key", "per_attempt_key"] {
        let output = cargo_effects(here(), &["effects", "explain", name]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stdout), text(&page));
    }
}

#[test]
fn all_rules_are_listed_with_their_pages() {
    let output = cargo_effects(here(), &["rules"]);
    let listed: Vec<&str> = text(&output.stdout).lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let pages = fs::read_dir(here().join("cli/rules")).expect("the rules").filter(|entry| {
        let path = entry.as_ref().expect("an entry").path();
        path.extension().is_some_and(|extension| extension == "md")
    });
    assert_eq!(listed.len(), pages.count());
    for rule in listed {
        assert_eq!(cargo_effects(here(), &["explain", rule]).status.code(), Some(0), "{rule}");
    }
}

#[test]
fn completions_and_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = cargo_effects(here(), &["completions", shell]);
        assert!(text(&output.stdout).contains("explain"), "{shell}");
    }
    let manual = cargo_effects(here(), &["man"]);
    assert!(text(&manual.stdout).contains("fail\\-on"));
    let help = cargo_effects(here(), &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(help.stderr.is_empty());
}

#[test]
fn color_is_asked_for_or_not_given() {
    let folder = many();
    let plain = cargo_effects(folder.path(), &["check"]);
    assert!(!text(&plain.stdout).contains('\u{1b}'));
    let colored = cargo_effects(folder.path(), &["check", "--color", "always"]);
    assert!(text(&colored.stdout).contains('\u{1b}'));
}
