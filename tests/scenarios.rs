//! Runs the binary end to end over the scenarios of `tests/scenarios/*.md`.
//!
//! A scenario is one Markdown file. A fenced block with `file=path` writes that file into an empty folder. A block of
//! language `console` runs its first line, `$ cargo effects …` (perhaps with `< file`), in that folder; the other lines
//! are what it must print on standard output, byte for byte. `exit=N` in the fence gives the exit status, 0 by default;
//! `stderr` says that standard error is compared instead. Blocks run in order; files stay.
//!
//! `BLESS=1 cargo test --test scenarios` writes what was printed into the scenarios: read the difference before keeping
//! it.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

struct Block {
    info: String,
    /// the content's place in the scenario
    range: Range<usize>,
    content: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let first_line = text[range.start..].find('\n').map_or(range.end, |at| range.start + at + 1);
                open = Some(Block { info: info.to_string(), range: first_line..first_line, content: String::new() });
            }
            Event::Text(content) => {
                if let Some(block) = &mut open {
                    block.content.push_str(&content);
                    block.range.end = range.end;
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

fn option<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// Runs a command line and returns what is compared.
fn run(folder: &Path, info: &str, line: &str) -> Result<String, String> {
    let mut words = line.split_whitespace();
    if (words.next(), words.next(), words.next()) != (Some("$"), Some("cargo"), Some("effects")) {
        return Err(format!("a console block starts with `$ cargo effects`, not `{line}`"));
    }
    let mut arguments: Vec<&str> = words.collect();
    let stdin = match arguments.iter().position(|word| *word == "<") {
        Some(at) => {
            let file = arguments.split_off(at)[1];
            fs::read(folder.join(file)).map_err(|error| error.to_string())?
        }
        None => Vec::new(),
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .arg("effects")
        .args(&arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .env_remove("NO_COLOR")
        .env_remove("CARGO_TERM_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    child.stdin.take().expect("piped").write_all(&stdin).map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let stdout = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let stderr = String::from_utf8(output.stderr).map_err(|error| error.to_string())?;
    let expected: i32 = option(info, "exit").map_or(0, |code| code.parse().expect("a number"));
    if output.status.code() != Some(expected) {
        return Err(format!(
            "`{line}` ended with {:?}, not {expected}\nstdout:\n{stdout}\nstderr:\n{stderr}",
            output.status.code()
        ));
    }
    let compared = if info.split_whitespace().any(|word| word == "stderr") { stderr } else { stdout };
    // the folder's own name differs from run to run, and no output may depend on it
    if compared.contains(&*folder.to_string_lossy()) {
        return Err(format!("`{line}` prints an absolute path:\n{compared}"));
    }
    Ok(compared)
}

fn scenario(path: &Path, bless: bool) -> Vec<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut text = fs::read_to_string(path).expect("the scenario is readable");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = Vec::new();
    let mut replacements = Vec::new();
    let mut runs = 0;
    for block in blocks(&text) {
        if let Some(file) = option(&block.info, "file") {
            let target = folder.path().join(file);
            fs::create_dir_all(target.parent().expect("a file has a folder")).expect("a folder");
            fs::write(target, &block.content).expect("a file");
        } else if block.info.starts_with("console") {
            runs += 1;
            let (line, expected) = block.content.split_once('\n').unwrap_or((&block.content, ""));
            match run(folder.path(), &block.info, line) {
                Err(problem) => wrong.push(format!("{name}: {problem}")),
                Ok(printed) if printed != expected => {
                    if bless {
                        replacements.push((block.range.clone(), format!("{line}\n{printed}")));
                    } else {
                        wrong.push(format!("{name}: `{line}` printed\n{printed}\nexpected\n{expected}"));
                    }
                }
                Ok(_) => {}
            }
        }
    }
    if runs == 0 {
        wrong.push(format!("{name}: runs nothing"));
    }
    for (range, replacement) in replacements.into_iter().rev() {
        text.replace_range(range, &replacement);
        fs::write(path, &text).expect("the scenario is writable");
    }
    wrong
}

#[test]
fn scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of scenarios")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let wrong: Vec<String> = paths.iter().flat_map(|path| scenario(path, bless)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}
