//! `docs`: writes the guarantee document and the tables in listed files, or says which of them are stale.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::output::Output;
use super::{args, file, load};
use crate::docs::{self, Planned, TEMPLATE_NAMES, Templates};
use crate::pipeline::Analysis;
use crate::render;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let analysis = load::one(matches, output)?.analysis;
    let places = Places { root: analysis.workspace.root.clone(), named: matches.get_one::<String>("out").cloned() };
    let planned = planned(&analysis, &places)?;
    if matches.get_flag("check") {
        return check(&planned, output);
    }
    for file in planned.iter().filter(|file| file.is_stale()) {
        file::replace(&places.of(&file.path)?, &file.wanted)
            .map_err(|error| Failure::new(format!("{} could not be written: {error}", file.path)))?;
        output.say(&format!("wrote {}\n", file.path));
    }
    Ok(Exit::Success)
}

fn check(planned: &[Planned], output: &mut Output) -> Result<Exit, Failure> {
    let stale: Vec<&Planned> = planned.iter().filter(|file| file.is_stale()).collect();
    for file in &stale {
        // what stands in the file is not ours
        output.result(&render::neutral(&file.difference()))?;
    }
    if stale.is_empty() {
        return Ok(Exit::Success);
    }
    let names: Vec<&str> = stale.iter().map(|file| file.path.as_str()).collect();
    output.say(&format!("stale: {}; `cargo effects docs` writes them anew\n", names.join(", ")));
    Ok(Exit::Findings)
}

fn planned(analysis: &Analysis, places: &Places) -> Result<Vec<Planned>, Failure> {
    let mut settings = analysis.config.docs.clone();
    if let Some(out) = &places.named {
        settings.out = Some(out.clone());
        settings.per_package = false;
    }
    let own = settings.templates.as_deref().map(|folder| templates(places, folder)).transpose()?.unwrap_or_default();
    let templates = Templates::new(own).map_err(Failure::new)?;
    let document = analysis.document();
    let folders = docs::folders(&analysis.workspace);
    docs::plan(&document, &templates, &settings, &folders, &|path| {
        let file = places.of(path).map_err(|failure| failure.message)?;
        read(&file).map_err(|error| format!("{path} could not be read: {error}"))
    })
    .map_err(Failure::new)
}

/// The application's own templates: the files of a folder that have the name of one.
fn templates(places: &Places, folder: &str) -> Result<BTreeMap<String, String>, Failure> {
    let root = places.of(folder)?;
    let entries = fs::read_dir(&root).map_err(|error| Failure::new(format!("{folder} could not be read: {error}")))?;
    let mut found = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(|error| Failure::new(format!("{folder}: {error}")))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".md") && !name.ends_with(".mmd") {
            continue;
        }
        if !TEMPLATE_NAMES.contains(&name.as_str()) {
            return Err(Failure::new(format!(
                "{folder}/{name} replaces no template; the names are {}",
                TEMPLATE_NAMES.join(", ")
            )));
        }
        let path = places.of(&format!("{folder}/{name}"))?;
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("{folder}/{name} could not be read: {error}")))?;
        found.insert(name, text);
    }
    Ok(found)
}

/// Where files lie.
struct Places {
    /// folder of the workspace
    root: PathBuf,
    /// the file that the command line names, which may be anywhere
    named: Option<String>,
}

impl Places {
    /// The file behind a path. One that the configuration names must not lead out of the repository, over links either.
    fn of(&self, path: &str) -> Result<PathBuf, Failure> {
        if self.named.as_deref() == Some(path) {
            return Ok(PathBuf::from(path));
        }
        let file = self.root.join(path);
        let outside = || Failure::new(format!("{path} lies outside of the repository"));
        let existing = file.ancestors().find_map(|ancestor| fs::canonicalize(ancestor).ok()).ok_or_else(outside)?;
        if existing.starts_with(self.repository()) { Ok(file) } else { Err(outside()) }
    }

    /// The folder with `.git`, else the workspace's.
    fn repository(&self) -> PathBuf {
        let root = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let repository = root.ancestors().find(|folder| folder.join(".git").exists());
        repository.unwrap_or(&root).to_owned()
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
