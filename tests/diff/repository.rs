//! A git repository in a temporary folder, and the program run in it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

pub(crate) struct Repository(tempfile::TempDir);

impl Repository {
    /// A folder without a repository.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn new() -> Self {
        let repository = Self::empty();
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.path())
            .output()
            .expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "a change"]);
    }

    /// Replaces a text that stands once in a file.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path().join(path)).expect("a file");
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {path}:\n{text}");
        self.write(path, &text.replace(from, to));
    }

    pub(crate) fn apply(&self, edit: &Edit) {
        match edit {
            Edit::Replace(path, from, to) => self.edit(path, from, to),
            Edit::Move(from, to) => fs::rename(self.path().join(from), self.path().join(to)).expect("a file"),
            Edit::Write(path, text) => self.write(path, text),
        }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
            .args(arguments)
            .current_dir(self.path())
            .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .output()
            .expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    pub(crate) fn diff(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let (code, stdout, stderr) = self.run(&[&["diff", "--format", "json"], arguments].concat());
        (code, serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}\n{stdout}\n{stderr}")))
    }
}

pub(crate) const MANIFEST: &str = r#"[package]
name = "shop"
version = "0.1.0"
edition = "2024"

[dependencies]
effect-contracts = "0.1"
reqwest = "0.12"
uuid = "1"
"#;

pub(crate) const LOCK: &str = r#"version = 4

[[package]]
name = "reqwest"
version = "0.12.3"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "shop"
version = "0.1.0"
dependencies = ["reqwest"]
"#;

pub(crate) const CONFIGURATION: &str = r#"version = 1

[[provider]]
id = "adyen"
mechanism = "key"
window_kind = "at_least"
window_min = "7d"
key_max_len = 64
"#;

pub(crate) const SOURCE: &str = r#"use std::time::Duration;

use effect_contracts::effect;

const PATIENCE: Duration = Duration::from_secs(10);

#[effect(
    intent_key = "invoice/{invoice}/charge",
    provider = "adyen",
    provider_window = at_least("7d"),
    terminal = [confirmed, rejected],
    replay_horizon = "3d",
    delivery = at_least_once,
    boundary = "postgres: ledger",
    record = "ledger",
    reconcile = unchecked("find_charge"),
    compensate = none("refunds are a business of their own"),
    evidence_retention = "400d",
    operator = "runbooks/charge.md",
    effect = "invoice-charge",
)]
pub async fn charge(http: &reqwest::Client, invoice: u64, lease: u64) -> Result<(), reqwest::Error> {
    http.post("https://checkout.adyen.com/payments")
        .timeout(PATIENCE)
        .header("Idempotency-Key", format!("invoice/{invoice}/charge"))
        .send()
        .await?;
    Ok(())
}

// the end of the file
"#;

pub(crate) fn changes(answer: &Value) -> Vec<(String, Vec<String>, Vec<String>)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let of = |change: &Value| {
        let fields = list(&change["fields"]);
        let fields = fields.iter().map(|field| format!("{} {}", text(&field["name"]), text(&field["change"])));
        let review = list(&change["review_again"]);
        (text(&change["change"]), fields.collect(), review.iter().map(|review| text(&review["what"])).collect())
    };
    list(&answer["changes"]).iter().map(of).collect()
}

/// The service at the beginning, in a commit.
pub(crate) fn service() -> Repository {
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write("Cargo.lock", LOCK);
    repository.write("effects.toml", CONFIGURATION);
    repository.write(LIB, SOURCE);
    repository.commit();
    repository
}

pub(crate) enum Edit {
    /// in this file, a text that stands there once, by another
    Replace(&'static str, &'static str, &'static str),
    /// a file
    Move(&'static str, &'static str),
    /// a file in full
    Write(&'static str, &'static str),
}

/// The source of the service.
pub(crate) const LIB: &str = "src/lib.rs";
