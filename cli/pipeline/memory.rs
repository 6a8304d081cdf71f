//! A run over texts in memory: what rule pages and tests use.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Analysis, add_texts, analyse, policy};
use crate::config::Config;
use crate::findings::Report;
use crate::index::{self, FileIndex};
use crate::lower::Selection;
use crate::source::{Location, Memory, Options, Workspace};

/// The manifest of an example that has none of its own.
const MANIFEST: &str = "\
[package]
name = \"example\"
edition = \"2024\"

[dependencies]
effect-contracts = \"0.1\"
";

/// Checks the texts of one workspace, given by path: `src/lib.rs`, `src/keys.rs`, `effects.toml` … A `Cargo.toml` is
/// made where none is given.
pub fn check_texts(texts: Vec<(String, String)>, today: Option<&str>) -> Result<Report, String> {
    let analysis = analyse_texts(texts)?;
    let policy = policy(&analysis, Vec::new(), today.map(str::to_owned));
    Ok(analysis.check(&policy))
}

/// All stages before the rules over the texts of one workspace.
pub fn analyse_texts(texts: Vec<(String, String)>) -> Result<Analysis, String> {
    let configuration = texts.iter().find(|(path, _)| path == "effects.toml");
    let config = match configuration {
        Some((path, text)) => Config::read(path, text).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            faults.join("\n")
        })?,
        None => Config::default(),
    };
    let options = Options { exclude: config.scan.exclude.clone(), threads: 1, ..Options::default() };
    let text = configuration.map(|(path, text)| (path.clone(), Arc::from(text.as_str())));
    let (mut workspace, indexes) = read(texts, &options, &config)?;
    workspace.add_texts(text);
    Ok(analyse(workspace, &indexes, config, Selection::WithoutTests, 1))
}

/// A workspace of texts, read and not analysed.
pub fn workspace_of_texts(texts: Vec<(String, String)>) -> Result<Workspace, String> {
    read(texts, &Options::default(), &Config::default()).map(|(workspace, _)| workspace)
}

fn read(
    mut texts: Vec<(String, String)>,
    options: &Options,
    config: &Config,
) -> Result<(Workspace, Vec<FileIndex>), String> {
    if !texts.iter().any(|(path, _)| path == "Cargo.toml") {
        texts.push(("Cargo.toml".to_owned(), MANIFEST.to_owned()));
    }
    let tree = Memory(texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect());
    let location = Location { repository: PathBuf::new(), workspace: String::new(), package: None, file: None };
    let (mut workspace, indexes) = index::read_tree(&tree, &location, options).map_err(|error| error.to_string())?;
    add_texts(&tree, &location, &mut workspace, config).map_err(|error| error.to_string())?;
    Ok((workspace, indexes))
}
