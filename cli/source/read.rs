//! A workspace from a tree: plan, files, numbers.
//!
//! In: a location and a tree. Out: a [`Workspace`] and what the scan made of each file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::error::Error;
use super::files::{self, Files};
use super::locate::Location;
use super::members::{self, Plan, PlannedPackage};
use super::targets::{self, Planned};
use super::tree::Tree;
use super::{
    Dependency, FileId, Options, Package, PackageId, Scanned, SourceFile, Target, TargetKind, Workspace, line_starts,
    path,
};

/// Edition of a file that has no manifest.
const LONE_EDITION: u16 = 2024;

pub(super) fn read<S: Send>(
    tree: &dyn Tree,
    location: &Location,
    options: &Options,
    scan: &(dyn Fn(&str) -> Scanned<S> + Sync),
) -> Result<(Workspace, Vec<S>), Error> {
    let workspace = &location.workspace;
    let exclude = globs(&options.exclude)?;
    let plan = match &location.file {
        Some(file) => lone(file),
        None => members::plan(tree, workspace, location.package.as_deref(), &options.selection)?,
    };
    let shown = |path: &str| path::relative(path, workspace);
    let files = files::read(tree, &plan.packages, &exclude, &shown, options.threads, scan);
    Ok(number(location.root(), workspace, plan, files))
}

/// The patterns as one set; a broken one is an error of the configuration.
pub fn globs(patterns: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        // as everybody expects from a path: only `**` crosses folders
        let built = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = built.map_err(|error| {
            Error::new(
                pattern,
                format!("this is no valid pattern: {}", error.kind()),
                "write a glob such as `crates/generated/**`",
            )
        })?;
        set.add(glob);
    }
    set.build().map_err(|error| {
        Error::new(
            "",
            format!("the patterns cannot be used together: {}", error.kind()),
            "write fewer or simpler patterns",
        )
    })
}

fn lone(file: &str) -> Plan {
    let name = file.strip_suffix(".rs").unwrap_or(file).to_owned();
    Plan {
        packages: vec![PlannedPackage {
            folder: String::new(),
            edition: LONE_EDITION,
            description: None,
            keywords: Vec::new(),
            unpublished: false,
            targets: vec![Planned {
                kind: TargetKind::Lib,
                crate_name: targets::crate_name(&name),
                root: file.to_owned(),
            }],
            dependencies: Vec::new(),
            member: true,
            reported: true,
            name,
        }],
        warnings: Vec::new(),
    }
}

/// Puts numbers in the place of paths.
fn number<S>(root: PathBuf, workspace: &str, plan: Plan, read: Files<S>) -> (Workspace, Vec<S>) {
    let Plan { packages: mut planned, warnings } = plan;
    // order is that of the paths that are shown
    let shown = |path: &str| path::relative(path, workspace);
    let mut files: Vec<(String, String, files::Read<S>)> =
        read.files.into_iter().map(|file| (shown(&file.path), file.path.clone(), file)).collect();
    let old: Vec<String> = files.iter().map(|entry| entry.1.clone()).collect();
    files.sort_by(|left, right| left.0.cmp(&right.0));
    let mut ids: BTreeMap<String, FileId> =
        files.iter().enumerate().map(|(at, entry)| (entry.1.clone(), FileId(at as u32))).collect();
    let mut links: Vec<(String, FileId)> = Vec::new();
    for (path, number) in &read.links {
        if let Some(&id) = old.get(*number).and_then(|target| ids.get(target)) {
            links.push((shown(path), id));
        }
    }
    for (path, number) in read.links {
        if let Some(&id) = old.get(number).and_then(|target| ids.get(target)) {
            ids.entry(path).or_insert(id);
        }
    }
    links.sort();

    let manifest = |package: &PlannedPackage| match package.folder.as_str() {
        "" => shown("Cargo.toml"),
        folder => shown(&format!("{folder}/Cargo.toml")),
    };
    let mut order: Vec<usize> = (0..planned.len()).collect();
    order.sort_by_key(|&at| manifest(&planned[at]));
    let mut package_ids = vec![PackageId(0); planned.len()];
    for (new, &at) in order.iter().enumerate() {
        package_ids[at] = PackageId(new as u32);
    }
    let by_folder: BTreeMap<String, PackageId> =
        planned.iter().zip(&package_ids).map(|(package, &id)| (package.folder.clone(), id)).collect();
    let reported: Vec<bool> = planned.iter().map(|package| package.reported).collect();

    let mut unpublished: BTreeMap<PackageId, bool> = BTreeMap::new();
    let mut packages: Vec<(PackageId, Package)> = planned
        .drain(..)
        .zip(&package_ids)
        .map(|(package, &id)| {
            let manifest = manifest(&package);
            unpublished.insert(id, package.unpublished);
            let targets = package
                .targets
                .into_iter()
                .filter_map(|target| {
                    Some(Target { kind: target.kind, crate_name: target.crate_name, root: *ids.get(&target.root)? })
                })
                .collect();
            let dependencies = package
                .dependencies
                .into_iter()
                .map(|dependency| Dependency {
                    local: dependency.local.as_ref().and_then(|folder| by_folder.get(folder).copied()),
                    extern_name: dependency.extern_name,
                    package_name: dependency.package_name,
                    dev: dependency.dev,
                })
                .collect();
            let package = Package {
                name: package.name,
                folder: shown(&package.folder),
                manifest,
                edition: package.edition,
                description: package.description,
                keywords: package.keywords,
                targets,
                dependencies,
                member: package.member,
                reported: package.reported,
                test_support: false,
            };
            (id, package)
        })
        .collect();
    packages.sort_by_key(|(id, _)| *id);
    let unpublished: Vec<bool> = unpublished.into_values().collect();
    let mut packages: Vec<Package> = packages.into_iter().map(|(_, package)| package).collect();
    mark_test_support(&mut packages, &unpublished);

    let mut scans = Vec::with_capacity(files.len());
    let files = files
        .into_iter()
        .map(|(path, _, file)| {
            scans.push(file.scanned.result);
            SourceFile {
                path,
                line_starts: line_starts(&file.text),
                text: file.text,
                package: package_ids.get(file.package).copied().unwrap_or(PackageId(0)),
                reported: reported.get(file.package).copied().unwrap_or(false),
                problem: file.problem,
            }
        })
        .collect();
    let workspace = Workspace { root, packages, files, texts: Vec::<(String, Arc<str>)>::new(), links, warnings };
    (workspace, scans)
}

/// Words of the names of packages that help tests, whether or not their manifest keeps them from being published.
const TEST_WORDS: [&str; 8] = ["e2e", "fixtures", "harness", "mock", "mocks", "test", "testing", "tests"];
/// What the package is called by convention that automates the work on a workspace, and is no part of what it ships.
const AUTOMATION: &str = "xtask";

/// Marks the packages that are there for tests alone: nobody outside the workspace can use them, they run nothing, and in the
/// workspace only tests and packages of the same kind depend on them. What developers run on the workspace is like them.
fn mark_test_support(packages: &mut [Package], unpublished: &[bool]) {
    loop {
        let helps = |at: usize| {
            let id = PackageId(at as u32);
            let has = |kind: TargetKind| packages[at].targets.iter().any(|target| target.kind == kind);
            // Programs beside tests, in a package that is named after those, are what the tests run against.
            let of_tests = packages[at].name.rsplit(['-', '_']).next() == Some("tests") && has(TargetKind::Test);
            let runs = has(TargetKind::Bin) && !of_tests;
            let mut users = packages.iter().flat_map(|user| {
                let uses = user.dependencies.iter().filter(|dependency| dependency.local == Some(id));
                uses.map(|dependency| dependency.dev || user.test_support)
            });
            let used = users.clone().next().is_some();
            let named = packages[at].name.split(['-', '_']).any(|word| TEST_WORDS.contains(&word));
            let own = unpublished.get(at) == Some(&true) || named;
            // A package of nothing but tests and what helps them is used by its own tests.
            let used = used || named && has(TargetKind::Test);
            packages[at].name == AUTOMATION || own && !runs && used && users.all(|for_tests| for_tests)
        };
        let found: Vec<usize> = (0..packages.len()).filter(|&at| !packages[at].test_support && helps(at)).collect();
        if found.is_empty() {
            return;
        }
        for at in found {
            packages[at].test_support = true;
        }
    }
}
