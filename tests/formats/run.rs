//! Runs the program over the faulty example, or over a package whose texts try to get out of every format.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(super) fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn faulty() -> PathBuf {
    here().join("examples/faulty")
}

pub(super) fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .env_remove("CARGO_TERM_COLOR")
        .output()
        .expect("the program runs")
}

/// What a run prints, which has findings.
pub(super) fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Starts a colour, does the same in one character, turns the direction of reading, rings.
pub(super) const STEERING: &str = "\u{1b}[31m\u{9b}31m\u{202e}\u{2066}\u{7}";

const MANIFEST: &str = "[package]\nname = \"hostile\"\nversion = \"0.1.0\"\nedition = \"2024\"\ndescription = \"S\"\n";

const SOURCE: &str = r#"use effect_contracts::effect;

#[effect(
    intent_key = "S/{invoice}",
    name = "S",
    provider = "S",
    provider_window = at_least("1d"),
    terminal = [confirmed = "S"],
    replay_horizon = "7d",
    operator = "S | <b>\n```",
)]
pub async fn charge(http: &reqwest::Client, invoice: &str) {
    loop {
        let key = (uuid::Uuid::new_v4().to_string(), "S").0; // S
        let sent = http.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", key).body("S").send();
        if sent.await.is_ok() {
            return;
        }
    }
}
"#;

const CONFIGURATION: &str = "version = 1\n[[effect]]\nhandler = \"hostile::nowhere\"\noperator = \"S\"\n\
                             [[allow]]\nrule = \"missing-key\"\nitem = \"S\"\nreason = \"S\"\nowner = \"S\"\n";

/// A package in which [`STEERING`] stands wherever a text may.
pub(super) fn hostile() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: String| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("Cargo.toml", MANIFEST.replace('S', &escaped()));
    write("effects.toml", CONFIGURATION.replace('S', &escaped()));
    let name = format!("a{}b", if cfg!(windows) { "" } else { STEERING });
    write("src/lib.rs", format!("#[path = \"{name}.rs\"]\nmod inner;\n"));
    write(&format!("src/{name}.rs"), SOURCE.replace('S', STEERING));
    write(&format!("docs/{name}.md"), format!("Payments are processed exactly once.{STEERING}\n"));
    folder
}

/// The same characters as TOML writes them.
fn escaped() -> String {
    STEERING
        .chars()
        .map(|c| if c.is_ascii_graphic() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
        .collect()
}
