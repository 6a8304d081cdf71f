//! The shape of the code: who imports whom, who knows which crate, how long a file may get.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::path::{Path, PathBuf};

/// The stages in their order. A module imports only from its left. `findings.rs` alone holds plain types that flow,
/// contracts and rules use before their stage.
const ORDER: &[&str] = &[
    "parallel",
    "source",
    "toml_text",
    "catalog",
    "sql",
    "config",
    "ir",
    "index",
    "lower",
    "resolve",
    "contracts",
    "flow",
    "operations",
    "guarantee",
    "prose",
    "docs",
    "diff",
    "propose",
    "rules",
    "findings",
    "render",
    "pipeline",
    "cache",
    "commands",
];

/// The crates that only some files may name.
const CRATES: &[(&str, &[&str])] = &[
    ("miette", &["cli/render/human.rs"]),
    ("syn", &["cli/lower", "contract/src", "macros/src"]),
    ("sqlparser", &["cli/sql"]),
    ("clap", &["cli/commands"]),
    ("clap_complete", &["cli/commands"]),
    ("clap_mangen", &["cli/commands"]),
];

const LONGEST_FILE: usize = 600;
/// A rule says one thing.
const LONGEST_RULE: usize = 300;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Path from the root and text of every Rust file, sorted.
fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in ["cli", "contract", "macros", "effects", "tests"] {
        let folder = root().join(folder);
        if folder.exists() {
            rust_files(&folder, &mut paths);
        }
    }
    paths.sort();
    let named = paths.into_iter().filter(|path| !path.components().any(|part| part.as_os_str() == "target"));
    named
        .map(|path| {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(&path).expect("a text"))
        })
        .collect()
}

/// The stage that a file belongs to.
fn stage(name: &str) -> Option<&str> {
    let inside = name.strip_prefix("cli/")?;
    Some(inside.split(['/', '.']).next().unwrap_or_default())
}

fn is_test(name: &str, line: &str) -> bool {
    name.contains("tests") || line.contains("#[cfg(test)]")
}

#[test]
fn imports_lead_to_the_left() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let Some(own) = stage(&name) else { continue };
        let Some(own_rank) = ORDER.iter().position(|known| *known == own) else {
            if !matches!(own, "lib" | "main") {
                wrong.push(format!("{name}: `{own}` has no place in the order of stages"));
            }
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            if is_test(&name, line) {
                break;
            }
            let code = line.split("//").next().unwrap_or_default();
            for (at, _) in code.match_indices("crate::") {
                let target =
                    code[at + 7..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                let Some(rank) = ORDER.iter().position(|known| *known == target) else {
                    continue;
                };
                let plain_types = target == "findings" && own_rank >= 1;
                if rank > own_rank && !plain_types {
                    wrong.push(format!("{name}:{}: `{own}` imports `{target}`", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn crates_are_known_where_they_belong() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        for (krate, homes) in CRATES {
            let at_home = homes.iter().any(|home| {
                name == *home || name.strip_prefix(home).is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
            });
            let start = format!("{krate}::");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let named = code.match_indices(&start).any(|(at, _)| {
                    let before = code[..at].chars().next_back();
                    before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '"' | '`'))
                });
                if named && !at_home && !name.starts_with("tests/") && !code.contains('"') {
                    wrong.push(format!("{name}:{}: knows `{krate}`", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_stay_short() {
    let long: Vec<String> = sources()
        .into_iter()
        .map(|(name, text)| {
            let is_rule = name.starts_with("cli/rules/") && !name.contains("tests");
            (name, text.lines().count(), if is_rule { LONGEST_RULE } else { LONGEST_FILE })
        })
        .filter(|(_, lines, most)| lines > most)
        .map(|(name, lines, most)| format!("{name}: {lines} lines of at most {most}"))
        .collect();
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}

#[test]
fn modules_say_what_they_are() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| {
            !name.contains("/ui/") && !name.contains("tests") && !text.trim_start_matches("#!").starts_with("//!")
        })
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "no `//!` at the top: {silent:?}");
}

/// A rule file and its page stand side by side, and every page belongs to a rule.
#[test]
fn every_page_has_its_rule() {
    let folder = root().join("cli/rules");
    for entry in fs::read_dir(folder).expect("the folder of rules") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            assert!(path.with_extension("rs").exists(), "{} has no rule", path.display());
        }
    }
}

/// A test that starts the program says where it keeps what it finds: not among the caches of whoever runs the test.
#[test]
fn tests_leave_the_users_caches_alone() {
    // this file names it, too, and the version is said without reading anything
    let others = ["tests/tidy.rs", "tests/version.rs"];
    let careless: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| text.contains("CARGO_BIN_EXE_") && !text.contains("CARGO_EFFECTS_CACHE_DIR"))
        .map(|(name, _)| name)
        .filter(|name| !others.contains(&name.as_str()))
        .collect();
    assert!(careless.is_empty(), "{careless:?}");
}
