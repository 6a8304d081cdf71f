//! From arguments to analyses: which workspaces.

use std::path::{Path, PathBuf};

use clap::ArgMatches;

use super::asked::Asked;
use super::exit::Failure;
use super::output::Output;
use crate::diff::{Lock, Snapshot};
use crate::pipeline::Analysis;
use crate::source::{self, Disk, Input, Location, Tree};

/// A workspace, by default after all stages before the rules.
pub(super) struct Loaded<A = Analysis> {
    /// what is known of it
    pub analysis: A,
    /// its way from the folder that all loaded workspaces have in common, with a final `/` unless it is that
    pub prefix: String,
    /// where it was read, as the arguments name it
    group: Group,
}

impl<A> Loaded<A> {
    /// The folder that nothing outside of is read.
    pub(super) fn repository(&self) -> &Path {
        &self.group.first().repository
    }

    /// What of the repository was asked for, with a final `/` for each name: the workspace's folder, or the named package
    /// or file in it, then what `-p` names.
    pub(super) fn scope(&self, packages: &[&str]) -> String {
        let locations = self.group.locations.iter();
        let mut named: Vec<&str> = locations
            .map(|location| location.file.as_deref().or(location.package.as_deref()).unwrap_or(&location.workspace))
            .collect();
        named.sort_unstable();
        let mut packages = packages.to_vec();
        packages.sort_unstable();
        let names = [named.join("+"), packages.join("+")];
        names.iter().filter(|name| !name.is_empty()).map(|name| format!("{name}/")).collect()
    }

    /// Whether it is one file on its own.
    pub(super) fn is_lone(&self) -> bool {
        self.group.first().file.is_some()
    }
}

impl Loaded {
    /// The same workspace as another tree of the repository holds it.
    pub(super) fn at(
        &self,
        tree: &dyn Tree,
        matches: &ArgMatches,
        warn: &mut dyn FnMut(&str),
    ) -> Result<Analysis, Failure> {
        Asked::new(matches, &self.group.locations, tree)?.analyse(tree, warn)
    }

    /// The guarantees of the present.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.snapshot_of(&self.analysis, &Disk::new(self.repository().to_owned()))
    }

    /// The guarantees that were analysed in a tree.
    pub(super) fn snapshot_of(&self, analysis: &Analysis, tree: &dyn Tree) -> Snapshot {
        let path = self.group.first().inside("Cargo.lock");
        let text = tree.read(&path).ok().and_then(|content| String::from_utf8(content.bytes).ok());
        let lock = text.and_then(|text| Lock::parse(&text));
        analysis.snapshot(lock.as_ref())
    }
}

/// The one workspace that the arguments name.
pub(super) fn one(matches: &ArgMatches, output: &mut Output) -> Result<Loaded, Failure> {
    let mut loaded = all(matches, output)?;
    match (loaded.pop(), loaded.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Failure::new("name one workspace")),
    }
}

/// All workspaces that the arguments name, each once, in the order of their paths.
pub(super) fn all(matches: &ArgMatches, output: &mut Output) -> Result<Vec<Loaded>, Failure> {
    each(matches, output, |asked, tree, warn| asked.analyse(tree, warn))
}

/// The same with less than an analysis: whatever is made of what is asked of a workspace.
pub(super) fn each<A>(
    matches: &ArgMatches,
    output: &mut Output,
    make: impl Fn(&Asked<'_>, &Disk, &mut dyn FnMut(&str)) -> Result<A, Failure>,
) -> Result<Vec<Loaded<A>>, Failure> {
    let mut groups: Vec<Group> = Vec::new();
    for input in inputs(matches)? {
        let location = source::locate(&input).map_err(|error| Failure::new(error.to_string()))?;
        let same = groups.iter_mut().find(|group| group.holds(&location));
        match same {
            Some(group) => group.locations.push(location),
            None => groups.push(Group { locations: vec![location] }),
        }
    }
    groups.sort_by_key(Group::root);
    let roots: Vec<PathBuf> = groups.iter().map(Group::root).collect();
    let prefixes = prefixes(&roots);
    let mut loaded = Vec::new();
    for (group, prefix) in groups.into_iter().zip(prefixes) {
        let tree = Disk::new(group.first().repository.clone());
        let asked = Asked::new(matches, &group.locations, &tree)?;
        let analysis = make(&asked, &tree, &mut |warning| output.say(&format!("warning: {warning}\n")))?;
        loaded.push(Loaded { analysis, prefix, group });
    }
    Ok(loaded)
}

/// Lets files be named from the root of their repository.
pub(super) fn from_repository<A>(loaded: &mut [Loaded<A>]) -> Result<(), Failure> {
    for at in 0..loaded.len() {
        if loaded[at].repository() != loaded[0].repository() {
            return Err(Failure::new(
                "`--repository-paths` names files from the root of one repository, and these paths lie in several; check \
                 each on its own",
            ));
        }
        // of a lone file nothing is known but its own folder
        let first = loaded[at].group.first();
        let inside = first.file.is_none() && !first.workspace.is_empty();
        loaded[at].prefix = if inside { format!("{}/", first.workspace) } else { String::new() };
    }
    Ok(())
}

/// Locations in one workspace.
struct Group {
    locations: Vec<Location>,
}

impl Group {
    fn first(&self) -> &Location {
        &self.locations[0]
    }

    fn root(&self) -> PathBuf {
        let first = self.first();
        match &first.file {
            Some(file) => first.root().join(file),
            None => first.root(),
        }
    }

    fn holds(&self, location: &Location) -> bool {
        let first = self.first();
        first.file == location.file && first.root() == location.root()
    }
}

fn inputs(matches: &ArgMatches) -> Result<Vec<Input>, Failure> {
    let manifest = matches.get_one::<PathBuf>("manifest-path");
    let paths = matches.try_get_many::<PathBuf>("paths").ok().flatten();
    let paths: Vec<&PathBuf> = paths.into_iter().flatten().collect();
    match (manifest, paths.as_slice()) {
        (Some(_), [_, ..]) => Err(Failure::new("`--manifest-path` and a PATH both name a workspace; give one of them")),
        (Some(manifest), []) => Ok(vec![Input::Manifest(manifest.clone())]),
        // relative, so that no message names an absolute path that nobody wrote
        (None, []) => Ok(vec![Input::Around(PathBuf::from("."))]),
        (None, paths) => Ok(paths.iter().map(|path| Input::Path((*path).clone())).collect()),
    }
}

/// The ways from the deepest common folder to each root, with `/`.
fn prefixes(roots: &[PathBuf]) -> Vec<String> {
    let [first, rest @ ..] = roots else {
        return Vec::new();
    };
    if rest.is_empty() {
        return vec![String::new()];
    }
    // of a lone file its folder counts
    let folder = |root: &PathBuf| match root.extension() {
        Some(extension) if extension == "rs" => root.parent().unwrap_or(root).to_owned(),
        _ => root.clone(),
    };
    let folders: Vec<PathBuf> = roots.iter().map(folder).collect();
    let common = first
        .ancestors()
        .find(|ancestor| folders.iter().all(|folder| folder.starts_with(ancestor)))
        .unwrap_or(Path::new(""));
    let way = |folder: &PathBuf| -> String {
        let parts = folder.strip_prefix(common).unwrap_or(folder).components();
        parts.map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
    };
    folders.iter().map(way).collect()
}
