//! Crates made on the spot, which depend on this one and are checked with cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A source file with a name.
pub(crate) struct Source {
    pub(crate) name: &'static str,
    text: &'static str,
}

impl Source {
    pub(crate) const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }
}

/// A message of the compiler.
#[derive(Debug)]
pub(crate) struct Message {
    /// the binary or library that it is about
    pub(crate) target: String,
    /// its whole text
    pub(crate) rendered: String,
    /// the lines that it points to
    pub(crate) lines: Vec<usize>,
    level: String,
}

impl Message {
    /// Whether it is an error, and not only the count of them.
    pub(crate) fn is_error(&self) -> bool {
        self.level == "error" && !self.lines.is_empty()
    }
}

/// A crate in the target directory. All of them share what they have built.
pub(crate) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// Makes the crate anew: its name, the options of its dependency on this crate, and its other dependencies.
    pub(crate) fn new(name: &str, options: &str, dependencies: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(root.join("src"));
        fs::create_dir_all(root.join("src/bin")).unwrap();
        let here = env!("CARGO_MANIFEST_DIR").replace('\\', "/");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
             [dependencies.effect-contracts]\npath = \"{here}\"\n{options}\n\n[dependencies]\n{dependencies}\n"
        );
        fs::write(root.join("Cargo.toml"), manifest).unwrap();
        // The versions that the workspace has built already, so that nothing is fetched.
        fs::copy(Path::new(&here).join("../Cargo.lock"), root.join("Cargo.lock")).unwrap();
        Self { root }
    }

    pub(crate) fn write_lib(&self, text: &str) {
        fs::write(self.root.join("src/lib.rs"), text).unwrap();
    }

    /// A binary: its prelude, and then its source.
    pub(crate) fn write_bin(&self, source: &Source, prelude: &str) {
        let text = format!("{prelude}{}", source.text);
        fs::write(self.root.join(format!("src/bin/{}.rs", source.name)), text).unwrap();
    }

    pub(crate) fn write_bin_of_edition(&self, edition: &str, text: &str) {
        let name = format!("edition{edition}");
        fs::write(self.root.join(format!("src/bin/{name}.rs")), text).unwrap();
        let manifest = self.root.join("Cargo.toml");
        let mut all = fs::read_to_string(&manifest).unwrap();
        all.push_str(&format!("[[bin]]\nname = \"{name}\"\nedition = \"{edition}\"\npath = \"src/bin/{name}.rs\"\n\n"));
        fs::write(manifest, all).unwrap();
    }

    /// What the compiler says about the targets chosen.
    pub(crate) fn check(&self, targets: &[&str]) -> Vec<Message> {
        let mut arguments = vec!["check", "--message-format=json"];
        arguments.extend(targets);
        let output = self.cargo(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let messages: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let checked = |message: &serde_json::Value| message["reason"] == "build-finished";
        assert!(
            messages.iter().any(checked),
            "cargo did not come to the end:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        messages.iter().filter(|message| message["reason"] == "compiler-message").map(message).collect()
    }

    /// A page of the crate's documentation.
    pub(crate) fn doc(&self, page: &str) -> String {
        let output = self.cargo(&["doc", "--no-deps", "--lib"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let name = self.root.file_name().unwrap();
        fs::read_to_string(target_directory().join("doc").join(name).join(page)).unwrap()
    }

    /// The crate's dependencies.
    pub(crate) fn tree(&self, options: &[&str]) -> String {
        let mut arguments = vec!["tree"];
        arguments.extend(options);
        let output = self.cargo(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .arg("--offline")
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", target_directory())
            .env_remove("RUSTFLAGS")
            .env("RUSTDOCFLAGS", "-D warnings")
            .output()
            .unwrap()
    }
}

fn target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("target")
}

fn message(message: &serde_json::Value) -> Message {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let inner = &message["message"];
    let spans = inner["spans"].as_array().cloned().unwrap_or_default();
    let lines = spans
        .iter()
        .filter(|span| span["is_primary"] == true)
        .filter_map(|span| span["line_start"].as_u64())
        .filter_map(|line| usize::try_from(line).ok())
        .collect();
    Message {
        target: text(&message["target"]["name"]),
        rendered: text(&inner["rendered"]),
        lines,
        level: text(&inner["level"]),
    }
}
