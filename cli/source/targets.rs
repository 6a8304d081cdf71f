//! The targets of a package: those a manifest lists and those Cargo finds by their place.
//!
//! In: a manifest and its folder. Out: kind, crate name and root file of each target, in the order of [`super::Package`].

use super::TargetKind;
use super::manifest::{BuildScript, Manifest, TargetTable};
use super::path;
use super::tree::Tree;

/// A target before its file has a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Planned {
    pub(super) kind: TargetKind,
    pub(super) crate_name: String,
    /// its root file, from the repository root
    pub(super) root: String,
}

/// All targets of the package in `folder`.
pub(super) fn discover(tree: &dyn Tree, folder: &str, manifest: &Manifest, edition: u16) -> Vec<Planned> {
    let Some(package) = &manifest.package else {
        return Vec::new();
    };
    let mut found = Vec::new();
    library(tree, folder, manifest, &mut found);
    let main = [("main.rs", package.name.as_str())];
    let kinds = [
        (TargetKind::Bin, "src/bin", &manifest.bins, package.autobins),
        (TargetKind::Example, "examples", &manifest.examples, package.autoexamples),
        (TargetKind::Test, "tests", &manifest.tests, package.autotests),
        (TargetKind::Bench, "benches", &manifest.benches, package.autobenches),
    ];
    for (kind, place, listed, auto) in kinds {
        let mut inferred = in_folder(tree, folder, place);
        if kind == TargetKind::Bin {
            for (file, name) in main {
                let root = join(folder, &format!("src/{file}"));
                if tree.is_file(&root) {
                    inferred.push((name.to_owned(), root));
                }
            }
        }
        // Cargo 2015 looks for no more targets of a kind once one is listed
        let auto = auto.unwrap_or(edition > 2015 || listed.is_empty());
        let mut targets = Vec::new();
        for table in listed {
            explicit(tree, folder, kind, table, &inferred, &mut targets);
        }
        if auto {
            for (name, root) in inferred {
                let known = targets
                    .iter()
                    .any(|target: &Planned| target.root == root || target.crate_name == crate_name(&name));
                if !known {
                    targets.push(Planned { kind, crate_name: crate_name(&name), root });
                }
            }
        }
        targets.sort_by(|left, right| (&left.crate_name, &left.root).cmp(&(&right.crate_name, &right.root)));
        found.append(&mut targets);
    }
    build_script(tree, folder, &package.build, &mut found);
    found
}

/// The crate name of a target or package name.
pub(super) fn crate_name(name: &str) -> String {
    name.replace('-', "_")
}

fn library(tree: &dyn Tree, folder: &str, manifest: &Manifest, found: &mut Vec<Planned>) {
    let Some(package) = &manifest.package else {
        return;
    };
    let listed = manifest.lib.as_ref();
    let path = listed.and_then(|lib| lib.path.as_deref());
    let root = match path {
        Some(path) => path::join(folder, path),
        None if listed.is_some() || package.autolib => Some(join(folder, "src/lib.rs")),
        None => None,
    };
    let Some(root) = root else { return };
    if path.is_none() && !tree.is_file(&root) {
        return;
    }
    let name = listed.and_then(|lib| lib.name.as_deref()).unwrap_or(&package.name);
    found.push(Planned { kind: TargetKind::Lib, crate_name: crate_name(name), root });
}

/// `name.rs` and `name/main.rs` in a folder.
fn in_folder(tree: &dyn Tree, folder: &str, place: &str) -> Vec<(String, String)> {
    let place = join(folder, place);
    let mut found = Vec::new();
    for entry in tree.list(&place) {
        if entry.name.starts_with('.') {
            continue;
        }
        if entry.folder {
            let root = join(&place, &format!("{}/main.rs", entry.name));
            if tree.is_file(&root) {
                found.push((entry.name, root));
            }
        } else if let Some(name) = entry.name.strip_suffix(".rs") {
            found.push((name.to_owned(), join(&place, &entry.name)));
        }
    }
    found
}

fn explicit(
    tree: &dyn Tree,
    folder: &str,
    kind: TargetKind,
    table: &TargetTable,
    inferred: &[(String, String)],
    targets: &mut Vec<Planned>,
) {
    let Some(name) = &table.name else { return };
    let root = match &table.path {
        Some(path) => match path::join(folder, path) {
            Some(root) => root,
            None => return,
        },
        None => match inferred.iter().find(|(found, _)| found == name) {
            Some((_, root)) => root.clone(),
            // the default places of older editions
            None => {
                let places = match kind {
                    TargetKind::Bin => vec![format!("src/{name}.rs"), "src/main.rs".to_owned()],
                    TargetKind::Bench => vec!["src/bench.rs".to_owned()],
                    _ => Vec::new(),
                };
                let found = places.into_iter().map(|place| join(folder, &place)).find(|root| tree.is_file(root));
                match found {
                    Some(root) => root,
                    None => return,
                }
            }
        },
    };
    targets.push(Planned { kind, crate_name: crate_name(name), root });
}

fn build_script(tree: &dyn Tree, folder: &str, build: &BuildScript, found: &mut Vec<Planned>) {
    let paths = match build {
        BuildScript::Off => Vec::new(),
        BuildScript::Found => vec!["build.rs".to_owned()],
        BuildScript::At(paths) => paths.clone(),
    };
    for path in paths {
        let Some(root) = path::join(folder, &path) else {
            continue;
        };
        if tree.is_file(&root) {
            found.push(Planned { kind: TargetKind::BuildScript, crate_name: "build_script_build".to_owned(), root });
        }
    }
}

/// For parts that are known to stay inside.
fn join(folder: &str, part: &str) -> String {
    if folder.is_empty() { part.to_owned() } else { format!("{folder}/{part}") }
}
