//! A run that finds what an earlier one kept prints the same, byte for byte; one that must not find it does not.
//!
//! Output does not show whether anything was found. The file does: whoever analyses writes it anew, with other digests.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const MANIFEST: &str = "\
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2021\"
description = \"Charges cards exactly once\"
";

const LIB: &str = "\
mod charge;
mod absent;

pub use charge::charge;
";

const CHARGE: &str = r#"
use effect_contracts::effect;

pub async fn charge(http: &reqwest::Client) {
    for _ in 0..3 {
        let key = crate::charge::fresh();
        let request = http.post("https://api.stripe.com/v1/charges");
        if request.header("Idempotency-Key", key).send().await.is_ok() {
            return;
        }
    }
}

fn fresh() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[effect(
    intent_key = "invoice/{invoice}/charge",
    provider = "stripe-v1",
    provider_window = at_least("24h"),
    terminal = [confirmed, rejected, reconciled],
    allow(missing_reconcile, reason = "the lookup comes with the next release", until = "2027-06-30"),
)]
async fn declared(invoice: &str, client: &reqwest::Client) -> reqwest::Result<()> {
    let request = client.post("https://api.stripe.com/v1/charges");
    request.header("Idempotency-Key", format!("invoice/{invoice}/charge")).send().await?;
    Ok(())
}
"#;

const CONFIGURATION: &str = r#"version = 1

[[allow]]
rule = "unknown-as-success"
item = "shop::charge"
reason = "the provider is replaced in June"
until = "2027-06-30"
owner = "payments"

[[effect]]
handler = "shop::nowhere"
intent_key = "nowhere/{id}"

[levels]
no-such-rule = "warn"
"#;

const README: &str = "# Shop\n\nIt delivers every mail exactly once.\n";

const DAY: [&str; 2] = ["--today", "2027-01-01"];

/// A workspace, and a folder for what is kept.
struct Place {
    workspace: TempDir,
    cache: TempDir,
}

impl Place {
    fn new() -> Self {
        let place =
            Self { workspace: tempfile::tempdir().expect("a folder"), cache: tempfile::tempdir().expect("a folder") };
        let files = [
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", LIB),
            ("src/charge.rs", CHARGE),
            ("effects.toml", CONFIGURATION),
            ("README.md", README),
            ("migrations/1.sql", "CREATE TABLE invoices (id BIGINT PRIMARY KEY);\n"),
            ("notes.txt", "nobody reads this\n"),
        ];
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.workspace.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-effects"));
        command
            .arg("check")
            .args(arguments)
            .args(DAY)
            .current_dir(self.workspace.path())
            .env("CARGO_EFFECTS_CACHE_DIR", self.cache.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    /// What is kept, by name.
    fn kept(&self) -> Vec<(PathBuf, Vec<u8>)> {
        kept(self.cache.path())
    }

    /// Whether a run found what was kept. It prints what a run prints that looks for nothing.
    fn found(&self, arguments: &[&str]) -> bool {
        let before = self.kept();
        let output = self.run(arguments);
        let after = self.kept();
        assert_eq!(output, self.run(&[arguments, &["--no-cache"]].concat()), "{arguments:?}");
        assert_eq!(after, self.kept(), "`--no-cache` leaves everything alone");
        before == after
    }
}

fn kept(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<(PathBuf, Vec<u8>)> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn all_formats_and_policies_print_the_same_from_what_was_kept() {
    let place = Place::new();
    let baseline = place.command(&[]).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&baseline.stderr).into_owned();
    assert!(stderr.contains("shop::nowhere") && stderr.contains("1 handler declared"), "{stderr}");
    let stdout = String::from_utf8_lossy(&baseline.stdout).into_owned();
    for rule in ["per-attempt-key", "unqualified-exactly-once", "unknown-rule"] {
        assert!(stdout.contains(rule), "{rule} is found:\n{stdout}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-effects"));
    command.arg("baseline").args(DAY).current_dir(place.workspace.path());
    let diff = "--- a/src/charge.rs\n+++ b/src/charge.rs\n@@ -14,0 +15,1 @@\n+    uuid\n";
    let arguments: &[&[&str]] = &[
        &["--format", "human", "-v"],
        &["--format", "human", "--color", "always"],
        &["--format", "short"],
        &["--format", "json"],
        &["--format", "sarif"],
        &["--format", "github"],
        &["--format", "gitlab"],
        &["--format", "junit"],
        &["--format", "markdown"],
        &["--message-format", "json"],
        &["-q"],
        &["-j", "1"],
        &["--fail-on", "note"],
        &["-A", "per-attempt-key"],
        &["-W", "per-attempt-key", "-N", "unqualified-exactly-once", "-v"],
        &["--repository-paths"],
        &["--fail-on-new"],
    ];
    for arguments in arguments {
        assert!(place.found(arguments), "{arguments:?}");
    }
    for day in ["2027-06-30", "2027-07-01"] {
        let run = |more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-effects"));
            command.args(["check", "--format", "json", "--today", day]).args(more);
            command.current_dir(place.workspace.path()).env("CARGO_EFFECTS_CACHE_DIR", place.cache.path());
            command.output().expect("it runs")
        };
        let output = run(&[]);
        assert_eq!(output, run(&["--no-cache"]));
        let expired = String::from_utf8_lossy(&output.stdout).matches("\"rule\":\"expired-allow\"").count();
        assert_eq!(expired, if day == "2027-06-30" { 0 } else { 2 });
    }
    let changed = |more: &[&str]| {
        let arguments = [&["--changed-lines", "-", "--format", "json"], more].concat();
        let mut child = place
            .command(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let before = place.kept();
    let output = changed(&[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("per-attempt-key"), "{output:?}");
    assert_eq!(output, changed(&["--no-cache"]));
    // the baseline is no part of what is kept, but its file is an entry of a folder
    assert!(command.output().expect("it runs").status.success());
    place.run(&[]);
    assert!(place.found(&["--fail-on-new"]));
    assert_eq!(place.run(&["--fail-on-new"]).status.code(), Some(0));
    place.write("effects-baseline.toml", "version = 1\n");
    assert!(place.found(&["--fail-on-new"]));
    assert_eq!(place.run(&["--fail-on-new"]).status.code(), Some(1));
    assert_eq!(before.len(), place.kept().len());
}

#[test]
fn what_changes_an_answer_is_not_found() {
    type Change = fn(&Place);
    let changes: &[(&str, Change)] = &[
        ("a source", |place| place.write("src/charge.rs", &CHARGE.replace("v4()", "nil()"))),
        ("a source of the same length", |place| place.write("src/charge.rs", &CHARGE.replace("0..3", "0..9"))),
        ("a missing module comes", |place| place.write("src/absent.rs", CHARGE)),
        ("a missing module comes as a folder", |place| place.write("src/absent/mod.rs", CHARGE)),
        ("a module goes", |place| fs::remove_file(place.path("src/charge.rs")).expect("it was there")),
        ("a target comes", |place| place.write("src/bin/tool.rs", CHARGE)),
        ("a test comes", |place| place.write("tests/crash.rs", CHARGE)),
        ("the manifest", |place| place.write("Cargo.toml", &MANIFEST.replace("exactly", "at least"))),
        ("the configuration", |place| place.write("effects.toml", &CONFIGURATION.replace("as-success", "as-failure"))),
        ("no configuration", |place| fs::remove_file(place.path("effects.toml")).expect("it was there")),
        ("a document", |place| place.write("README.md", "# Shop\n")),
        ("a document comes", |place| place.write("docs/mail.md", README)),
        ("a document goes", |place| fs::remove_file(place.path("README.md")).expect("it was there")),
        ("a schema", |place| place.write("migrations/1.sql", "CREATE TABLE invoices (id BIGINT);\n")),
        ("a schema comes", |place| place.write("migrations/2.sql", "DROP TABLE invoices;\n")),
        ("no text any more", |place| fs::write(place.path("src/charge.rs"), b"\xff").expect("a file")),
    ];
    for (name, change) in changes {
        let place = Place::new();
        assert!(!place.found(&[]), "{name}: nothing is kept yet");
        assert!(place.found(&[]), "{name}: the first run keeps what it finds");
        change(&place);
        assert!(!place.found(&[]), "{name}: it is analysed anew");
        assert!(place.found(&[]), "{name}: that is kept, too");
        assert_eq!(place.kept().len(), if *name == "no configuration" { 2 } else { 1 }, "{name}");
    }
}

#[test]
fn what_changes_no_answer_is_found() {
    let place = Place::new();
    place.run(&[]);
    place.write("notes.txt", "nobody reads this either\n");
    // the same bytes at another time
    place.write("src/charge.rs", CHARGE);
    assert!(place.found(&[]));
}

#[test]
fn another_selection_has_a_place_of_its_own() {
    let place = Place::new();
    place.run(&[]);
    for arguments in [&["--workspace"][..], &["-p", "shop"], &["--config", "other.toml"], &["src/charge.rs"]] {
        place.write("other.toml", "version = 1\n[levels]\nper-attempt-key = \"warn\"\n");
        place.run(&[]);
        assert!(!place.found(arguments), "{arguments:?}");
        assert!(place.found(arguments), "{arguments:?}");
        assert!(place.found(&[]), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_what_they_lead_to() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.write("shared/absent.rs", CHARGE);
    symlink("../shared/absent.rs", place.path("src/absent.rs")).expect("a link");
    place.run(&[]);
    assert!(place.found(&[]));
    place.write("shared/absent.rs", "pub fn nothing() {}\n");
    assert!(!place.found(&[]));
    fs::remove_file(place.path("src/absent.rs")).expect("it was there");
    // the same module, now a second path of a file that is read already
    symlink("charge.rs", place.path("src/absent.rs")).expect("a link");
    assert!(!place.found(&[]));
    assert!(place.found(&[]));
}

#[test]
fn several_workspaces_are_found_each_on_its_own() {
    let (place, other) = (Place::new(), Place::new());
    let named = other.workspace.path().to_str().expect("UTF-8");
    let arguments = [".", named, "--format", "json"];
    assert!(!place.found(&arguments));
    assert_eq!(place.kept().len(), 2);
    assert!(place.found(&arguments));
    other.write("src/charge.rs", "");
    assert!(!place.found(&arguments));
}

#[test]
fn broken_and_foreign_files_are_as_if_they_were_not_there() {
    let place = Place::new();
    place.run(&[]);
    let (path, whole) = place.kept().remove(0);
    let foreign = {
        let other = Place::new();
        other.write("src/charge.rs", "");
        other.run(&[]);
        other.kept().remove(0).1
    };
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let broken: &[&[u8]] = &[b"", b"x", &whole[..10], &whole[..whole.len() / 2], &flipped, &foreign, &[0; 1000]];
    for bytes in broken {
        fs::write(&path, bytes).expect("a file");
        assert!(!place.found(&[]), "{} bytes", bytes.len());
        assert!(place.found(&[]), "{} bytes", bytes.len());
    }
    // nothing can be read or written there
    fs::remove_file(&path).expect("it was there");
    fs::create_dir(&path).expect("a folder");
    let output = place.run(&[]);
    assert_eq!(output, place.run(&["--no-cache"]));
    let left = fs::read_dir(place.cache.path()).expect("a folder").count();
    assert_eq!(left, 1, "nothing is left beside it");
}

#[test]
fn runs_at_once_find_and_write_whole_files() {
    let place = Place::new();
    let expected = place.run(&["--no-cache"]);
    for _ in 0..3 {
        let start = || place.command(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let running: Vec<_> = (0..8).map(|_| start()).collect();
        for run in running {
            assert_eq!(run.wait_with_output().expect("it ends"), expected);
        }
        assert_eq!(place.kept().len(), 1);
        place.write("notes.txt", "the same for the program");
    }
    assert!(place.found(&[]));
}

#[test]
fn only_check_keeps_anything_and_only_where_it_may() {
    let place = Place::new();
    place.run(&["--no-cache"]);
    for arguments in [&["list"][..], &["contracts"], &["docs", "--check"], &["baseline"], &["rules"]] {
        Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
            .args(arguments)
            .current_dir(place.workspace.path())
            .env("CARGO_EFFECTS_CACHE_DIR", place.cache.path())
            .output()
            .expect("it runs");
    }
    assert!(place.kept().is_empty());
    let expected = place.run(&["--no-cache"]);
    // a file stands where the folder should be
    let nowhere = place.path("notes.txt").join("below");
    let output = place.command(&[]).env("CARGO_EFFECTS_CACHE_DIR", nowhere).output().expect("it runs");
    assert_eq!(output, expected);
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn the_folder_is_among_the_users_caches() {
    let place = Place::new();
    let expected = place.run(&["--no-cache"]);
    let homes = tempfile::tempdir().expect("a folder");
    let (home, caches) = (homes.path().join("home"), homes.path().join("caches"));
    let run = |variables: &[(&str, &str)]| {
        let mut command = place.command(&[]);
        for name in ["CARGO_EFFECTS_CACHE_DIR", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(name);
        }
        assert_eq!(command.envs(variables.iter().copied()).output().expect("it runs"), expected);
    };
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let usual = home.join(".cache/cargo-effects");
    run(&[]);
    run(&[("HOME", ""), ("XDG_CACHE_HOME", "relative")]);
    assert!(!place.path("relative").exists() && !place.path(".cache").exists());
    run(&[("HOME", &text(&home)), ("XDG_CACHE_HOME", "relative")]);
    assert_eq!(kept(&usual).len(), 1);
    assert!(!place.path("relative").exists());
    run(&[("HOME", &text(&home)), ("XDG_CACHE_HOME", &text(&caches))]);
    assert_eq!(kept(&caches.join("cargo-effects")).len(), 1);
}
