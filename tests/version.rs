//! `--version` names the commit: of a checkout, of a package from a registry, and of nothing else.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::path::Path;
use std::process::Command;

#[allow(dead_code, reason = "the script's own start")]
#[path = "../build.rs"]
mod script;

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().expect("git runs");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_commit_is_that_of_the_package_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(&path).expect("a folder");
        path
    };
    let checkout = at("checkout");
    assert_eq!(script::commit(&checkout), None, "nothing says it");
    git(&checkout, &["init", "--quiet"]);
    assert_eq!(script::commit(&checkout), None, "there is no commit yet");
    let author = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    git(&checkout, &[&author[..], &["commit", "--quiet", "--allow-empty", "-mx"]].concat());
    let commit = script::commit(&checkout).expect("a commit");
    assert!(commit.len() == 10 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");

    // vendored into that repository, or unpacked in it
    let vendored = at("checkout/vendor/cargo-effects");
    assert_eq!(script::commit(&vendored), None);
    let written =
        format!("{{\n  \"git\": {{\n    \"sha1\": \"{}\"\n  }},\n  \"path_in_vcs\": \"\"\n}}", "ab".repeat(20));
    fs::write(vendored.join(".cargo_vcs_info.json"), written).expect("a file");
    assert_eq!(script::commit(&vendored).as_deref(), Some("ababababab"));
    for broken in ["", "{\"git\":{\"dirty\":true}}", "{\"git\":{\"sha1\":", "{\"git\":{\"sha1\":\"é\"}}"] {
        fs::write(vendored.join(".cargo_vcs_info.json"), broken).expect("a file");
        assert_eq!(script::commit(&vendored), None, "{broken}");
    }
    // a checkout that git refuses, as one that belongs to somebody else
    fs::write(checkout.join(".git/HEAD"), "nonsense\n").expect("a file");
    assert_eq!(script::commit(&checkout), None);
}

#[test]
fn the_version_is_said_on_one_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-effects")).arg("--version").output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let version = text.strip_prefix("cargo-effects ").expect("the name").trim_end();
    let (number, rest) = version.split_once(' ').unwrap_or((version, ""));
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    let commit = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    assert!(rest.is_empty() || commit.is_some_and(|commit| commit.len() == 10), "{text}");
}
