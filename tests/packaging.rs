//! The files for other people's pipelines, run as far as that goes here: their commands, on a repository with a finding
//! and a weakened guarantee.

#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped(path: &str) -> String {
    fs::read_to_string(here().join(path)).expect("a file of the repository")
}

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const SOURCE: &str = r#"use effect_contracts::effect;

#[effect(
    intent_key = "invoice/{invoice}/charge",
    provider = "adyen",
    provider_window = at_least("7d"),
    terminal = [confirmed, rejected],
    replay_horizon = "3d",
    reconcile = none("the result comes by notification"),
    operator = "runbooks/charge.md",
)]
pub async fn charge(http: &reqwest::Client, invoice: u64) -> Result<(), reqwest::Error> {
    http.post("https://checkout.adyen.com/payments")
        .header("Idempotency-Key", format!("invoice/{invoice}/charge"))
        .send()
        .await?;
    Ok(())
}
"#;

fn run(folder: &Path, program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let own = Path::new(env!("CARGO_BIN_EXE_cargo-effects")).parent().expect("a folder");
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .envs(environment.iter().copied())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A repository whose working tree weakens what its only commit promises.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder");
    fs::write(folder.path().join("Cargo.toml"), MANIFEST).expect("a file");
    fs::write(folder.path().join("src/lib.rs"), SOURCE).expect("a file");
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "--quiet",
            "-mx",
        ],
    ] {
        assert!(run(folder.path(), "git", arguments, &[]).status.success());
    }
    fs::write(folder.path().join("src/lib.rs"), SOURCE.replace("\"3d\"", "\"14d\"")).expect("a file");
    folder
}

#[test]
fn the_action_annotates_summarises_and_gates() {
    let folder = repository();
    let script = here().join("ci/github.sh");
    let script = script.to_str().expect("UTF-8");
    let go = |environment: &[(&str, &str)]| {
        let _ = fs::remove_file(folder.path().join("summary.md"));
        let summary = [("GITHUB_STEP_SUMMARY", "summary.md")];
        let output = run(folder.path(), "bash", &[script], &[&summary[..], environment].concat());
        let written = fs::read_to_string(folder.path().join("summary.md")).unwrap_or_default();
        (output.status.code(), text(&output.stdout), written)
    };
    let (code, annotations, summary) = go(&[("BASE", "HEAD"), ("SARIF", "effects.sarif")]);
    assert_eq!(code, Some(1), "{annotations}{summary}");
    assert!(annotations.contains("::error file=src/lib.rs,"), "{annotations}");
    assert!(summary.contains("## Effect guarantees") && summary.contains("### Weakened: `shop::charge`"), "{summary}");
    let sarif = fs::read_to_string(folder.path().join("effects.sarif")).expect("a file");
    assert!(serde_json::from_str::<serde_json::Value>(&sarif).expect("JSON")["runs"][0]["results"][0].is_object());

    // nothing but what is asked for
    let (_, _, summary) = go(&[]);
    assert!(!summary.contains("### Weakened"), "{summary}");
    // the comparison gates on its own, and may be told not to
    let arguments = [("CHECK_ARGUMENTS", "-A window-below-replay"), ("BASE", "HEAD")];
    assert_eq!(go(&arguments).0, Some(1));
    assert_eq!(go(&[&arguments[..], &[("FAIL_ON_WEAKENED", "false")]].concat()).0, Some(0));
    // what cannot be compared is no success
    assert_eq!(go(&[("CHECK_ARGUMENTS", "-A window-below-replay"), ("BASE", "no-such-branch")]).0, Some(2));
}

#[test]
fn inputs_of_the_action_reach_the_script_by_the_environment_alone() {
    let action = shipped("action.yml");
    let inputs = action.split_once("inputs:\n").expect("inputs").1.split_once("runs:\n").expect("runs").0;
    let names: Vec<&str> = inputs
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.trim().trim_end_matches(':'))
        .collect();
    assert_eq!(names.len(), 7, "{names:?}");
    // the workflow that newcomers copy names no other
    let adopting = shipped("ADOPTING.md");
    let step =
        adopting.split_once("effect-contracts@<commit>").expect("the step").1.split_once("- if").expect("its end").0;
    let given = step.lines().filter_map(|line| line.trim().split_once(": ")).map(|(name, _)| name);
    given.for_each(|name| assert!(names.contains(&name), "{name}"));
    let script = shipped("ci/github.sh");
    for name in names {
        let used: Vec<&str> = action.lines().filter(|line| line.contains(&format!("inputs.{name} }}}}"))).collect();
        assert_eq!(used.len(), 1, "{name}: {used:?}");
        let variable = used[0].trim().split(':').next().expect("a name");
        assert!(variable == "working-directory" || script.contains(&format!("${{{variable}:-")), "{used:?}");
    }
    let scripts = action.lines().filter(|line| line.trim_start().starts_with("run:"));
    scripts.for_each(|line| assert!(!line.contains("${{"), "{line}"));
}

#[test]
fn the_job_for_gitlab_reports_and_gates() {
    let folder = repository();
    let job = shipped("ci/gitlab.yml");
    let script = job.split_once("  script:\n").expect("a script").1.split_once("  artifacts:").expect("its end").0;
    let lines: Vec<&str> = script.lines().map(|line| line.trim_start().trim_start_matches("- ")).collect();
    let script = lines.join("\n");
    let output = run(folder.path(), "bash", &["-ec", &script], &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("weakened: shop::charge"));
    let report = fs::read_to_string(folder.path().join("gl-code-quality-report.json")).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report[0]["location"]["path"], "src/lib.rs", "{report}");
    assert!(job.contains("codequality: gl-code-quality-report.json"));
}

#[test]
fn the_hooks_run_and_find_something() {
    let folder = repository();
    let hooks = shipped(".pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries.len(), hooks.matches("- id: ").count());
    for entry in entries {
        let words: Vec<&str> = entry.split(' ').collect();
        let output = run(folder.path(), words[0], &words[1..], &[]);
        assert_eq!(output.status.code(), Some(1), "{entry}: {}", text(&output.stderr));
    }
}
