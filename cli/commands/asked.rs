//! What is asked of one workspace: the configuration, and what arguments say about reading it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::exit::Failure;
use crate::cache::Key;
use crate::config::Config;
use crate::contracts;
use crate::index;
use crate::lower::Selection;
use crate::pipeline::{self, Analysis};
use crate::source::{self, Disk, Location, Options, Refusal, Selection as Packages, Tree};

/// Where the configuration lies in a workspace.
pub(super) const CONFIG: &str = "effects.toml";

/// All that an analysis depends on besides the files of a tree.
pub(super) struct Asked<'a> {
    /// the places that were named, all in one workspace
    locations: &'a [Location],
    /// what is configured
    pub(super) config: Config,
    /// the configuration's path as it is shown, and its text, if there is a file
    text: Option<(String, Arc<str>)>,
    options: Options,
}

impl<'a> Asked<'a> {
    /// Reads the configuration from the tree, if it lies there: an earlier revision has that of its time.
    pub(super) fn new(matches: &ArgMatches, locations: &'a [Location], tree: &dyn Tree) -> Result<Self, Failure> {
        let Configuration { config, text } = configuration(matches, &locations[0], tree)?;
        let mut options = Options { exclude: config.scan.exclude.clone(), ..Options::default() };
        if let Some(jobs) = matches.get_one::<u16>("jobs") {
            options.threads = usize::from(*jobs);
        }
        let many = |id| matches.get_many::<String>(id).into_iter().flatten().cloned().collect();
        options.selection.packages = many("package");
        options.selection.workspace = matches.get_flag("workspace");
        options.selection.exclude = many("exclude");
        Ok(Self { locations, config, text, options })
    }

    /// The same for the cache.
    pub(super) fn key(&self) -> Key<'_> {
        Key {
            locations: self.locations,
            selection: &self.options.selection,
            configuration: self.text.as_ref().map(|(path, text)| (path.as_str(), &**text)),
        }
    }

    /// On how many threads.
    pub(super) fn threads(&self) -> usize {
        self.options.threads
    }

    /// All stages before the rules.
    pub(super) fn analyse(&self, tree: &dyn Tree, warn: &mut dyn FnMut(&str)) -> Result<Analysis, Failure> {
        let config = self.config.clone();
        let mut options = self.options.clone();
        let location = &self.locations[0];
        let named: Vec<Option<&str>> = self.locations.iter().map(|location| location.package.as_deref()).collect();
        let several = named.len() > 1 && options.selection == Packages::default();
        if several {
            options.selection.workspace = true;
        }
        let (mut workspace, indexes) =
            index::read_tree(tree, location, &options).map_err(|error| Failure::new(error.to_string()))?;
        if several && !named.contains(&None) {
            restrict(&mut workspace, location, &named);
        }
        pipeline::add_texts(tree, location, &mut workspace, &config)
            .map_err(|error| Failure::new(error.to_string()))?;
        workspace.add_texts(self.text.clone());
        for warning in &workspace.warnings {
            warn(warning);
        }
        let analysis = pipeline::analyse(workspace, &indexes, config, Selection::WithoutTests, options.threads);
        for path in contracts::unmatched(&analysis.program, &analysis.config) {
            warn(&format!(
                "[[effect]] handler = \"{path}\" names no function that was read, so the table says nothing"
            ));
        }
        Ok(analysis)
    }
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
