//! Which workspace a named path means, and how far reading may go.
//!
//! In: what the command line names. Out: a [`Location`]. This is the one place that looks above the repository root:
//! to find where it is.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::Error;
use super::tree::{Disk, Tree};
use super::{manifest, path};

/// What is to be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// the package or workspace around this folder: the working directory
    Around(PathBuf),
    /// a folder with a Cargo.toml, or one `.rs` file
    Path(PathBuf),
    /// a manifest
    Manifest(PathBuf),
}

/// A workspace inside its repository.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Location {
    /// canonical folder that nothing outside of is read
    pub repository: PathBuf,
    /// the workspace's folder from there, with `/`
    pub workspace: String,
    /// the package that was named, if it is not the workspace manifest's own: its folder from the repository root
    pub package: Option<String>,
    /// the file, from the repository root, if that alone is to be read
    pub file: Option<String>,
}

impl Location {
    /// Absolute folder of the workspace.
    pub fn root(&self) -> PathBuf {
        if self.workspace.is_empty() { self.repository.clone() } else { self.repository.join(&self.workspace) }
    }

    /// The path from the repository root to what has a path relative to the workspace root; none if that leads out.
    pub fn from_repository(&self, shown: &str) -> Option<String> {
        path::join(&self.workspace, shown)
    }

    /// The path from the repository root to a file at the workspace root.
    pub fn inside(&self, name: &str) -> String {
        if self.workspace.is_empty() { name.to_owned() } else { format!("{}/{name}", self.workspace) }
    }
}

/// Finds the workspace.
pub fn locate(input: &Input) -> Result<Location, Error> {
    let (named, given) = match input {
        Input::Around(path) | Input::Path(path) | Input::Manifest(path) => (path, path.display().to_string()),
    };
    let place = fs::canonicalize(named).map_err(|error| {
        Error::new(
            &given,
            format!("the path cannot be opened: {}", error.kind()),
            "name a folder with a Cargo.toml, or one `.rs` file",
        )
    })?;
    match input {
        Input::Manifest(_) if place.is_file() => around(&given, place.parent().unwrap_or(&place)),
        Input::Manifest(_) => Err(Error::new(given, "the manifest is no file", "name the Cargo.toml itself")),
        Input::Path(_) if place.is_file() => lone(&given, &place),
        Input::Path(_) if !place.join("Cargo.toml").is_file() => Err(Error::new(
            given,
            "the folder has no Cargo.toml, so it is no package",
            "name a folder with a Cargo.toml, or one `.rs` file",
        )),
        Input::Path(_) => around(&given, &place),
        Input::Around(_) => {
            let mut folder = Some(place.as_path());
            while let Some(at) = folder {
                if at.join("Cargo.toml").is_file() {
                    return around(&given, at);
                }
                folder = at.parent();
            }
            Err(Error::new(
                given,
                "neither this folder nor one above it has a Cargo.toml",
                "name a folder with a Cargo.toml, or one `.rs` file",
            ))
        }
    }
}

fn lone(given: &str, place: &Path) -> Result<Location, Error> {
    let name = place.file_name().and_then(|name| name.to_str());
    match (place.parent(), name) {
        (Some(folder), Some("Cargo.toml")) => around(given, folder),
        (Some(folder), Some(name)) if name.ends_with(".rs") => Ok(Location {
            repository: folder.to_owned(),
            workspace: String::new(),
            package: None,
            file: Some(name.to_owned()),
        }),
        _ => Err(Error::new(
            given,
            "this is neither a folder nor a Rust file",
            "name a folder with a Cargo.toml, or one `.rs` file",
        )),
    }
}

/// The workspace around a folder that has a manifest.
fn around(given: &str, folder: &Path) -> Result<Location, Error> {
    let repository = folder.ancestors().find(|at| at.join(".git").exists()).map(Path::to_owned);
    // without a repository the workspace bounds what is read; to find it manifests above are looked at, as Cargo does
    let bound = match &repository {
        Some(repository) => repository.clone(),
        None => folder.ancestors().last().unwrap_or(folder).to_owned(),
    };
    let tree = Disk::new(bound.clone());
    let package = slashed(given, folder, &bound)?;
    let workspace = workspace_of(&tree, &package)?;
    let (repository, workspace, package) = match repository {
        Some(repository) => (repository, workspace, package),
        None => (bound.join(&workspace), String::new(), path::relative(&package, &workspace)),
    };
    Ok(Location { repository, package: (package != workspace).then_some(package), workspace, file: None })
}

/// The folder of the workspace manifest of a package; its own if there is no workspace.
fn workspace_of(tree: &dyn Tree, package: &str) -> Result<String, Error> {
    let mut at = package;
    loop {
        let file = if at.is_empty() { "Cargo.toml".to_owned() } else { format!("{at}/Cargo.toml") };
        let text = match tree.read(&file) {
            Ok(content) => String::from_utf8(content.bytes).ok(),
            Err(_) => None,
        };
        // a broken manifest above is somebody else's
        let manifest = match text.map(|text| manifest::parse(path::name(&file), &text)) {
            Some(Err(error)) if at == package => return Err(error),
            Some(Ok(manifest)) => Some(manifest),
            _ => None,
        };
        if let Some(manifest) = manifest {
            let own = manifest.package.as_ref().filter(|_| at == package);
            if let Some(pointer) = own.and_then(|package| package.workspace.as_ref()) {
                return path::join(package, pointer).ok_or_else(|| {
                    Error::new(
                        "Cargo.toml",
                        "`package.workspace` leads out of the repository, and nothing outside is read",
                        "check that workspace from its own root",
                    )
                });
            }
            if let Some(workspace) = manifest.workspace {
                let excluded = at != package
                    && workspace.exclude.iter().any(|exclude| {
                        path::join(at, exclude).is_some_and(|exclude| path::is_below(package, &exclude))
                    });
                if !excluded {
                    return Ok(at.to_owned());
                }
            }
        }
        if at.is_empty() {
            return Ok(package.to_owned());
        }
        at = path::folder(at);
    }
}

fn slashed(given: &str, folder: &Path, root: &Path) -> Result<String, Error> {
    let mut parts = Vec::new();
    for part in folder.strip_prefix(root).unwrap_or(Path::new("")).components() {
        match part.as_os_str().to_str() {
            Some(part) => parts.push(part),
            None => {
                return Err(Error::new(
                    given,
                    "the path is not UTF-8, so places in it could not be printed",
                    "rename the folder",
                ));
            }
        }
    }
    Ok(parts.join("/"))
}
