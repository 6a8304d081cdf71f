//! From arguments to analyses: which workspaces, which configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::exit::Failure;
use super::output::Output;
use crate::config::Config;
use crate::contracts;
use crate::diff::{Lock, Snapshot};
use crate::index;
use crate::lower::Selection;
use crate::pipeline::{self, Analysis};
use crate::source::{self, Disk, Input, Location, Options, Refusal, Tree};

/// Where the configuration lies in a workspace.
pub(super) const CONFIG: &str = "effects.toml";

/// A workspace after all stages before the rules.
pub(super) struct Loaded {
    /// what is known of it
    pub analysis: Analysis,
    /// its way from the folder that all loaded workspaces have in common, with a final `/` unless it is that
    pub prefix: String,
    /// where it was read, as the arguments name it
    group: Group,
}

impl Loaded {
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

    /// The same workspace as another tree of the repository holds it.
    pub(super) fn at(
        &self,
        tree: &dyn Tree,
        matches: &ArgMatches,
        warn: &mut dyn FnMut(&str),
    ) -> Result<Analysis, Failure> {
        load(matches, &self.group, tree, warn)
    }

    /// Whether it is one file on its own.
    pub(super) fn is_lone(&self) -> bool {
        self.group.first().file.is_some()
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
        let analysis = load(matches, &group, &tree, &mut |warning| output.say(&format!("warning: {warning}\n")))?;
        loaded.push(Loaded { analysis, prefix, group });
    }
    Ok(loaded)
}

/// Lets files be named from the root of their repository.
pub(super) fn from_repository(loaded: &mut [Loaded]) -> Result<(), Failure> {
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

fn load(matches: &ArgMatches, group: &Group, tree: &dyn Tree, warn: &mut dyn FnMut(&str)) -> Result<Analysis, Failure> {
    let location = group.first();
    let Configuration { config, text } = configuration(matches, location, tree)?;
    let mut options = Options { exclude: config.scan.exclude.clone(), ..Options::default() };
    if let Some(jobs) = matches.get_one::<u16>("jobs") {
        options.threads = usize::from(*jobs);
    }
    let many = |id| matches.get_many::<String>(id).into_iter().flatten().cloned().collect();
    options.selection.packages = many("package");
    options.selection.workspace = matches.get_flag("workspace");
    options.selection.exclude = many("exclude");
    let named: Vec<Option<&str>> = group.locations.iter().map(|location| location.package.as_deref()).collect();
    let several = named.len() > 1 && options.selection == source::Selection::default();
    if several {
        options.selection.workspace = true;
    }
    let (mut workspace, indexes) =
        index::read_tree(tree, location, &options).map_err(|error| Failure::new(error.to_string()))?;
    if several && !named.contains(&None) {
        restrict(&mut workspace, location, &named);
    }
    pipeline::add_texts(tree, location, &mut workspace, &config).map_err(|error| Failure::new(error.to_string()))?;
    workspace.add_texts(text);
    for warning in &workspace.warnings {
        warn(warning);
    }
    let analysis = pipeline::analyse(workspace, &indexes, config, Selection::WithoutTests, options.threads);
    for path in contracts::unmatched(&analysis.program, &analysis.config) {
        warn(&format!("[[effect]] handler = \"{path}\" names no function that was read, so the table says nothing"));
    }
    Ok(analysis)
}

/// Of a whole workspace, reports only the packages in the named folders.
fn restrict(workspace: &mut source::Workspace, location: &Location, named: &[Option<&str>]) {
    let full = |folder: &str| match (location.workspace.as_str(), folder) {
        ("", folder) => folder.to_owned(),
        (root, "") => root.to_owned(),
        (root, folder) => format!("{root}/{folder}"),
    };
    for package in &mut workspace.packages {
        package.reported = named.contains(&Some(&full(&package.folder)));
    }
    for file in &mut workspace.files {
        file.reported &= workspace.packages[file.package.0 as usize].reported;
    }
}

/// A configuration with its text, if there is a file.
struct Configuration {
    config: Config,
    text: Option<(String, Arc<str>)>,
}

/// `--config`, else `effects.toml` at the workspace root; a lone file has only the former. What lies in the repository
/// is read from the tree, so that an earlier revision has the configuration of its time.
fn configuration(matches: &ArgMatches, location: &Location, tree: &dyn Tree) -> Result<Configuration, Failure> {
    let given = matches.get_one::<PathBuf>("config");
    let unreadable = |path: &Path, why: String| Failure::new(format!("{} could not be read: {why}", path.display()));
    let (shown, content) = match (given, &location.file) {
        (None, Some(_)) => return Ok(Configuration::none()),
        (None, None) => (CONFIG.to_owned(), tree.read(&location.inside(CONFIG))),
        (Some(path), _) => {
            let place = std::fs::canonicalize(path).map_err(|error| unreadable(path, error.to_string()))?;
            let content = match slashed(&place, &location.repository) {
                Some(inside) => tree.read(&inside),
                None => Disk::new(place.parent().unwrap_or(&place).to_owned()).read(&name(&place)),
            };
            (slashed(&place, &location.root()).unwrap_or_else(|| name(&place)), content)
        }
    };
    let bytes = match content {
        Ok(content) => content.bytes,
        Err(Refusal::Missing) => return Ok(Configuration::none()),
        Err(refusal) => return Err(unreadable(given.map_or(Path::new(CONFIG), PathBuf::as_path), refusal.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|_| unreadable(Path::new(&shown), "it is not UTF-8".to_owned()))?;
    let config = Config::read(&shown, &text).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Failure::new(faults.join("\nerror: "))
    })?;
    Ok(Configuration { config, text: Some((shown, Arc::from(text))) })
}

impl Configuration {
    fn none() -> Self {
        Self { config: Config::default(), text: None }
    }
}

/// The way to a path from a folder around it, with `/`.
fn slashed(path: &Path, folder: &Path) -> Option<String> {
    let parts: Vec<_> = path.strip_prefix(folder).ok()?.iter().map(|part| part.to_string_lossy()).collect();
    Some(parts.join("/"))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
