//! Several runs over one tree, and runs that are ended midway: what they write is whole, whoever comes last.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SOURCE: &str = r#"use effect_contracts::effect;

#[effect(intent_key = "invoice/{invoice}", provider = "stripe-v1", provider_window = at_least("24h"), terminal = [confirmed])]
pub async fn charge(http: &reqwest::Client, invoice: u64) -> Result<(), reqwest::Error> {
    let request = http.post("https://api.stripe.com/v1/charges");
    request.header("Idempotency-Key", format!("invoice/{invoice}")).send().await?;
    Ok(())
}

pub async fn mail(http: &reqwest::Client) -> Result<(), reqwest::Error> {
    http.post("https://api.resend.com/emails").send().await?;
    Ok(())
}
"#;

fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder");
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).expect("a file");
    fs::write(folder.path().join("src/lib.rs"), SOURCE).expect("a file");
    folder
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

fn status(mut child: Child) -> Option<i32> {
    child.wait().expect("it ends").code()
}

/// Every file below a folder, by its way from there.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.expect("an entry");
        if entry.file_type().is_file() {
            let inside = entry.path().strip_prefix(folder).expect("below it").to_string_lossy().replace('\\', "/");
            found.insert(inside);
        }
    }
    found
}

#[test]
fn runs_at_once_do_not_disturb_each_other() {
    let folder = package();
    let all = [&["baseline"][..], &["docs"], &["init"], &["list"], &["contracts"], &["check", "--fail-on-new"]];
    for _ in 0..3 {
        let children: Vec<_> =
            all.iter().chain(&all).map(|arguments| (arguments, start(folder.path(), arguments))).collect();
        for (arguments, child) in children {
            // a check may see the tree before the baseline is there
            let code = status(child);
            assert!(code == Some(0) || (arguments[0] == "check" && code == Some(1)), "{arguments:?}: {code:?}");
        }
    }
    let expected = ["Cargo.toml", "docs/guarantees.md", "effects-baseline.toml", "effects.toml", "src/lib.rs"];
    assert_eq!(files(folder.path()), expected.map(str::to_owned).into());
    assert_eq!(status(start(folder.path(), &["check", "--fail-on-new", "--fail-on", "note"])), Some(0));
    assert_eq!(status(start(folder.path(), &["docs", "--check"])), Some(0));
}

#[test]
fn a_run_that_is_ended_midway_leaves_whole_files() {
    let folder = package();
    for arguments in [["baseline"], ["docs"]] {
        assert_eq!(status(start(folder.path(), &arguments)), Some(0));
    }
    let written = |path: &str| fs::read_to_string(folder.path().join(path)).expect("a file");
    let (baseline, document) = (written("effects-baseline.toml"), written("docs/guarantees.md"));
    // what is stale is written anew: both texts are whole ones
    for wait in 0..24 {
        fs::write(folder.path().join("effects-baseline.toml"), "version = 1\n").expect("a file");
        fs::write(folder.path().join("docs/guarantees.md"), "old\n").expect("a file");
        let mut children = [["baseline"], ["docs"]].map(|arguments| start(folder.path(), &arguments));
        std::thread::sleep(Duration::from_millis(wait * 5));
        for child in &mut children {
            // one that has ended already has nothing to be ended
            let _ = child.kill();
            child.wait().expect("it ends");
        }
        let (new_baseline, new_document) = (written("effects-baseline.toml"), written("docs/guarantees.md"));
        assert!(new_baseline == baseline || new_baseline == "version = 1\n", "{new_baseline}");
        assert!(new_document == document || new_document == "old\n", "{new_document}");
    }
}
