//! The packages of a workspace, and those it depends on by path.
//!
//! In: the folder of a workspace manifest. Out: every package that is read, with what it inherits filled in.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use globset::{GlobBuilder, GlobMatcher};

use super::error::Error;
use super::manifest::{self, DependencyEntry, Manifest};
use super::targets::{self, Planned};
use super::tree::{Refusal, Tree};
use super::{Selection, TargetKind, path};

/// Deepest folder that `**` in `members` looks into.
const MAX_DEPTH: usize = 16;

/// A package before its files are read.
#[derive(Debug)]
pub(super) struct PlannedPackage {
    /// from the repository root
    pub(super) folder: String,
    pub(super) name: String,
    pub(super) edition: u16,
    pub(super) description: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) unpublished: bool,
    pub(super) targets: Vec<Planned>,
    pub(super) dependencies: Vec<PlannedDependency>,
    pub(super) member: bool,
    pub(super) reported: bool,
}

/// A dependency before packages have numbers.
#[derive(Debug)]
pub(super) struct PlannedDependency {
    pub(super) extern_name: String,
    pub(super) package_name: String,
    /// folder of the package
    pub(super) local: Option<String>,
    pub(super) dev: bool,
}

/// Everything that is to be read.
#[derive(Debug)]
pub(super) struct Plan {
    /// sorted by folder
    pub(super) packages: Vec<PlannedPackage>,
    /// what was left out, for people
    pub(super) warnings: Vec<String>,
}

/// Manifests by folder.
struct Manifests<'a> {
    tree: &'a dyn Tree,
    /// the workspace's folder, for messages
    root: &'a str,
    known: BTreeMap<String, Option<Manifest>>,
}

impl Manifests<'_> {
    /// The manifest in a folder, if there is one.
    fn get(&mut self, folder: &str) -> Result<Option<&Manifest>, Error> {
        if !self.known.contains_key(folder) {
            let path = below(folder, "Cargo.toml");
            let shown = path::relative(&path, self.root);
            let found = match self.tree.read(&path) {
                Ok(content) => {
                    let text = String::from_utf8(content.bytes).map_err(|_| {
                        Error::new(
                            &shown,
                            "the manifest is not UTF-8, so nothing in it can be read",
                            "save it as UTF-8",
                        )
                    })?;
                    Some(manifest::parse(&shown, &text)?)
                }
                // what is outside is as good as absent: it is not read
                Err(Refusal::Missing | Refusal::Outside) => None,
                Err(refusal) => {
                    return Err(Error::new(shown, refusal.to_string(), "make the manifest readable"));
                }
            };
            self.known.insert(folder.to_owned(), found);
        }
        Ok(self.known.get(folder).and_then(Option::as_ref))
    }

    /// The folder of the workspace that a package belongs to.
    fn workspace_of(&mut self, folder: &str) -> Result<Option<String>, Error> {
        let pointer = self.get(folder)?.and_then(|manifest| manifest.package.as_ref()?.workspace.clone());
        if let Some(pointer) = pointer {
            return Ok(path::join(folder, &pointer));
        }
        let mut at = folder;
        loop {
            if let Some(workspace) = self.get(at)?.and_then(|found| found.workspace.as_ref()) {
                let excluded = at != folder
                    && workspace
                        .exclude
                        .iter()
                        .any(|exclude| path::join(at, exclude).is_some_and(|exclude| path::is_below(folder, &exclude)));
                if !excluded {
                    return Ok(Some(at.to_owned()));
                }
            }
            if at.is_empty() {
                return Ok(None);
            }
            at = path::folder(at);
        }
    }
}

/// Finds every package; `root` is the folder of the workspace manifest, `named` a package that was asked for.
pub(super) fn plan(tree: &dyn Tree, root: &str, named: Option<&str>, selection: &Selection) -> Result<Plan, Error> {
    let mut manifests = Manifests { tree, root, known: BTreeMap::new() };
    let mut warnings = Vec::new();
    let Some(manifest) = manifests.get(root)?.cloned() else {
        return Err(Error::new(
            "Cargo.toml",
            "there is no manifest here, so there is nothing to read",
            "name a folder with a Cargo.toml, or one `.rs` file",
        ));
    };
    if manifest.package.is_none() && manifest.workspace.is_none() {
        return Err(Error::new(
            "Cargo.toml",
            "the manifest has neither `[package]` nor `[workspace]`",
            "add one of them",
        ));
    }
    let members = members(&mut manifests, root, &manifest, named)?;
    let all = follow(&mut manifests, &members, &mut warnings)?;
    let reported = selected(&mut manifests, root, &manifest, &members, named, selection)?;
    let mut packages = Vec::new();
    for folder in all {
        if let Some(package) = package(&mut manifests, &folder)? {
            let (member, reported) = (members.contains(&folder), reported.contains(&folder));
            packages.push(PlannedPackage { member, reported, ..package });
        }
    }
    name_libraries(&mut packages);
    Ok(Plan { packages, warnings })
}

/// The folders of all members: listed, the root package, and path dependencies inside the workspace's folder.
fn members(
    manifests: &mut Manifests<'_>,
    root: &str,
    manifest: &Manifest,
    named: Option<&str>,
) -> Result<BTreeSet<String>, Error> {
    let mut members = BTreeSet::new();
    let mut queue = VecDeque::new();
    if manifest.package.is_some() {
        queue.push_back(root.to_owned());
    }
    queue.extend(named.map(str::to_owned));
    let Some(workspace) = &manifest.workspace else {
        members.extend(queue);
        return Ok(members);
    };
    let mut listed = BTreeSet::new();
    for pattern in &workspace.members {
        for folder in expand(manifests, root, pattern, &workspace.exclude)? {
            listed.insert(folder.clone());
            queue.push_back(folder);
        }
    }
    while let Some(folder) = queue.pop_front() {
        if !members.insert(folder.clone()) {
            continue;
        }
        for dependency in local_dependencies(manifests, &folder)? {
            let excluded = workspace
                .exclude
                .iter()
                .any(|exclude| path::join(root, exclude).is_some_and(|exclude| path::is_below(&dependency, &exclude)));
            if path::is_below(&dependency, root) && !excluded && !is_vendored(&dependency) {
                queue.push_back(dependency);
            }
        }
    }
    Ok(members)
}

/// All packages that the members reach by path.
fn follow(
    manifests: &mut Manifests<'_>,
    members: &BTreeSet<String>,
    warnings: &mut Vec<String>,
) -> Result<BTreeSet<String>, Error> {
    let mut all = BTreeSet::new();
    let mut queue: VecDeque<String> = members.iter().cloned().collect();
    while let Some(folder) = queue.pop_front() {
        if all.contains(&folder) || (is_vendored(&folder) && !members.contains(&folder)) {
            continue;
        }
        if manifests.get(&folder)?.is_none_or(|found| found.package.is_none()) {
            if !members.contains(&folder) {
                warnings.push(format!(
                    "the path dependency `{}` has no manifest inside the repository and is not followed",
                    path::relative(&folder, manifests.root)
                ));
            }
            continue;
        }
        queue.extend(local_dependencies(manifests, &folder)?);
        all.insert(folder);
    }
    warnings.sort();
    warnings.dedup();
    Ok(all)
}

/// Copies of other people's sources are read no more than those that Cargo keeps.
fn is_vendored(folder: &str) -> bool {
    folder.split('/').any(|part| part == "vendor")
}

/// The folders that a member pattern names.
fn expand(manifests: &mut Manifests<'_>, root: &str, pattern: &str, exclude: &[String]) -> Result<Vec<String>, Error> {
    let is_glob = |part: &str| part.contains(['*', '?', '[']);
    if !is_glob(pattern) {
        let Some(folder) = path::join(root, pattern) else {
            return Err(Error::new(
                "Cargo.toml",
                format!("the member `{pattern}` is outside the repository, and nothing outside is read"),
                "check that workspace from a folder that holds all its members and a `.git`",
            ));
        };
        return if manifests.get(&folder)?.is_some() {
            Ok(vec![folder])
        } else {
            Err(Error::new(
                "Cargo.toml",
                format!("the member `{pattern}` has no Cargo.toml, so it cannot be read"),
                "correct `workspace.members`, or check out what is missing",
            ))
        };
    }
    let mut folders = vec![root.to_owned()];
    for part in pattern.split('/') {
        let mut next = Vec::new();
        match part {
            "" | "." => continue,
            ".." => next.extend(folders.iter().filter_map(|folder| path::join(folder, ".."))),
            "**" => {
                for folder in &folders {
                    descend(manifests.tree, folder, &mut next);
                }
            }
            part if is_glob(part) => {
                let matcher = glob(part).ok_or_else(|| {
                    Error::new(
                        "Cargo.toml",
                        format!("the member pattern `{pattern}` is no valid glob"),
                        "correct `workspace.members`",
                    )
                })?;
                for folder in &folders {
                    next.extend(
                        manifests
                            .tree
                            .list(folder)
                            .into_iter()
                            .filter(|entry| entry.folder && matcher.is_match(&entry.name))
                            .map(|entry| below(folder, &entry.name)),
                    );
                }
            }
            part => next.extend(folders.iter().map(|folder| below(folder, part))),
        }
        folders = next;
    }
    let mut found = Vec::new();
    for folder in folders {
        let excluded = exclude
            .iter()
            .any(|exclude| path::join(root, exclude).is_some_and(|exclude| path::is_below(&folder, &exclude)));
        // what a pattern finds without a manifest is not meant
        if !excluded && manifests.get(&folder)?.is_some() {
            found.push(folder);
        }
    }
    Ok(found)
}

fn glob(part: &str) -> Option<GlobMatcher> {
    Some(GlobBuilder::new(part).literal_separator(true).build().ok()?.compile_matcher())
}

/// A folder and all below it.
fn descend(tree: &dyn Tree, folder: &str, found: &mut Vec<String>) {
    let mut queue = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = queue.pop() {
        if depth < MAX_DEPTH {
            for entry in tree.list(&folder) {
                if entry.folder && !entry.name.starts_with('.') && entry.name != "target" {
                    queue.push((below(&folder, &entry.name), depth + 1));
                }
            }
        }
        found.push(folder);
    }
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folders that the dependencies of a package name, as far as they are inside the repository.
fn local_dependencies(manifests: &mut Manifests<'_>, folder: &str) -> Result<Vec<String>, Error> {
    let Some(found) = manifests.get(folder)? else {
        return Ok(Vec::new());
    };
    let entries = found.dependencies.clone();
    let mut folders = Vec::new();
    for entry in &entries {
        folders.extend(local_folder(manifests, folder, entry)?.1);
    }
    Ok(folders)
}

/// The package name of a dependency, and its folder if it has one inside the repository.
fn local_folder(
    manifests: &mut Manifests<'_>,
    folder: &str,
    entry: &DependencyEntry,
) -> Result<(Option<String>, Option<String>), Error> {
    if !entry.workspace {
        let local = entry.path.as_ref().and_then(|path| path::join(folder, path));
        return Ok((entry.package.clone(), local));
    }
    let Some(workspace) = manifests.workspace_of(folder)? else {
        return Ok((None, None));
    };
    let inherited = manifests
        .get(&workspace)?
        .and_then(|manifest| manifest.workspace.as_ref()?.dependencies.iter().find(|found| found.key == entry.key))
        .cloned();
    Ok(inherited.map_or((None, None), |found| {
        let local = found.path.and_then(|path| path::join(&workspace, &path));
        (found.package, local)
    }))
}

/// The members that are reported.
fn selected(
    manifests: &mut Manifests<'_>,
    root: &str,
    manifest: &Manifest,
    members: &BTreeSet<String>,
    named: Option<&str>,
    selection: &Selection,
) -> Result<BTreeSet<String>, Error> {
    let mut names = Vec::new();
    for folder in members {
        if let Some(package) = manifests.get(folder)?.and_then(|found| found.package.as_ref()) {
            names.push((package.name.clone(), folder.clone()));
        }
    }
    let matching = |pattern: &String| -> Result<BTreeSet<String>, Error> {
        let matcher = glob(pattern);
        let found: BTreeSet<String> = names
            .iter()
            .filter(|(name, _)| name == pattern || matcher.as_ref().is_some_and(|glob| glob.is_match(name)))
            .map(|(_, folder)| folder.clone())
            .collect();
        if found.is_empty() {
            let near = names
                .iter()
                .map(|(name, _)| (strsim::jaro_winkler(name, pattern), name))
                .filter(|(likeness, _)| *likeness > 0.8)
                .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(left.1)));
            return Err(Error::new(
                "Cargo.toml",
                format!("no member of the workspace is named `{pattern}`"),
                match near {
                    Some((_, name)) => format!("did you mean `{name}`?"),
                    None => "name a package of this workspace".to_owned(),
                },
            ));
        }
        Ok(found)
    };
    let mut chosen = BTreeSet::new();
    if !selection.packages.is_empty() {
        for pattern in &selection.packages {
            chosen.append(&mut matching(pattern)?);
        }
    } else if selection.workspace {
        chosen = members.clone();
    } else if let Some(named) = named {
        chosen.insert(named.to_owned());
    } else if let Some(patterns) = manifest.workspace.as_ref().and_then(|workspace| workspace.default_members.as_ref())
    {
        for pattern in patterns {
            chosen.extend(expand(manifests, root, pattern, &[])?);
        }
    } else {
        // Cargo would build the root package alone; a promise of another member is no less one of this workspace.
        chosen = members.clone();
    }
    for pattern in &selection.exclude {
        for folder in matching(pattern)? {
            chosen.remove(&folder);
        }
    }
    Ok(chosen)
}

/// One package with what it inherits, before it is known who asks for it.
fn package(manifests: &mut Manifests<'_>, folder: &str) -> Result<Option<PlannedPackage>, Error> {
    let workspace = match manifests.workspace_of(folder)? {
        Some(workspace) => manifests.get(&workspace)?.and_then(|manifest| manifest.workspace.clone()),
        None => None,
    };
    let Some(manifest) = manifests.get(folder)?.cloned() else {
        return Ok(None);
    };
    let Some(package) = &manifest.package else {
        return Ok(None);
    };
    let shared = workspace.as_ref();
    let edition = package.edition.or(shared.and_then(|shared| shared.edition.as_ref())).unwrap_or(2015);
    let mut dependencies = Vec::new();
    for entry in &manifest.dependencies {
        let (renamed, local) = local_folder(manifests, folder, entry)?;
        let local = match local {
            Some(local) if manifests.get(&local)?.is_some_and(|found| found.package.is_some()) => Some(local),
            _ => None,
        };
        dependencies.push(PlannedDependency {
            extern_name: targets::crate_name(&entry.key),
            package_name: renamed.unwrap_or_else(|| entry.key.clone()),
            local,
            dev: entry.dev,
        });
    }
    Ok(Some(PlannedPackage {
        folder: folder.to_owned(),
        name: package.name.clone(),
        edition,
        description: package.description.or(shared.and_then(|shared| shared.description.as_ref())),
        keywords: package.keywords.or(shared.and_then(|shared| shared.keywords.as_ref())).unwrap_or_default(),
        unpublished: package.unpublished.or(shared.and_then(|shared| shared.unpublished.as_ref())).unwrap_or(false),
        targets: targets::discover(manifests.tree, folder, &manifest, edition),
        dependencies,
        member: false,
        reported: false,
    }))
}

/// A dependency that is not renamed goes by the name of the other package's library, which may be its own.
fn name_libraries(packages: &mut [PlannedPackage]) {
    let libraries: BTreeMap<String, (String, String)> = packages
        .iter()
        .filter_map(|package| {
            let library = package.targets.iter().find(|target| target.kind == TargetKind::Lib)?;
            Some((package.folder.clone(), (package.name.clone(), library.crate_name.clone())))
        })
        .collect();
    for package in packages {
        for dependency in &mut package.dependencies {
            let Some((name, library)) = dependency.local.as_ref().and_then(|local| libraries.get(local)) else {
                continue;
            };
            if dependency.extern_name == targets::crate_name(name) {
                dependency.extern_name.clone_from(library);
            }
        }
        // the same dependency for two targets or kinds is one; a normal one outweighs one for tests
        package.dependencies.sort_by(|left, right| {
            (&left.extern_name, left.dev, &left.package_name, &left.local).cmp(&(
                &right.extern_name,
                right.dev,
                &right.package_name,
                &right.local,
            ))
        });
        package.dependencies.dedup_by(|later, first| later.extern_name == first.extern_name);
    }
}
