//! `effects.toml`: levels, defaults, contracts, suppressions, and the application's own catalog rows.
//!
//! In: the text of the file and its path for messages. Out: a valid [`Config`], or every [`Fault`] of the text with its
//! place. Whether a path or a rule exists is not asked here; nothing here touches the disk.

mod contract;
mod fault;
mod sections;
mod suppress;

use effect_contracts_grammar::Contract;

pub use self::fault::Fault;
use crate::catalog::{Catalog, ConfiguredPath, read_rows};
use crate::findings::{Level, Place};
use crate::source::TextRange;
use crate::toml_text::{self, Fields, Problem, Problems};

/// A valid configuration. Without a file it is [`Config::default`].
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// path of the file as places name it, relative to the workspace root
    pub path: String,
    /// the top-level keys that are given, in the order of the documentation
    pub given: Vec<&'static str>,
    /// `[levels]`, in the order of the file
    pub levels: Vec<LevelSetting>,
    /// `[defaults]`
    pub defaults: ContractDefaults,
    /// `[scan]`
    pub scan: Scan,
    /// `[prose]`
    pub prose: Prose,
    /// `[docs]`
    pub docs: Docs,
    /// `[baseline] file`
    pub baseline: Option<String>,
    /// `[evidence] results`
    pub evidence: Vec<String>,
    /// `[[effect]]`, in the order of the file
    pub effects: Vec<EffectTable>,
    /// `[[allow]]`, in the order of the file
    pub allows: Vec<AllowTable>,
    /// the rows of the catalog's tables, the application's own alone
    pub rows: Catalog,
    /// every path that the file names, so that one which matches nothing can be reported
    pub paths: Vec<ConfiguredPath>,
}

/// A rule's level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LevelSetting {
    /// name as written, perhaps one that no rule has
    pub rule: String,
    /// its level
    pub level: Level,
    /// where the name stands
    pub range: TextRange,
}

/// Facts of a contract as one table gives them.
#[derive(Clone, Debug, Default)]
pub struct ContractTable {
    /// the facts
    pub contract: Contract,
    /// the whole table
    pub range: TextRange,
    /// where the value of each given field stands, by the field's name
    pub fields: Vec<(&'static str, TextRange)>,
    /// where each suppression of [`Contract::allow`] stands, in the same order
    pub allows: Vec<TextRange>,
}

/// Facts that hold where nothing closer gives them.
#[derive(Clone, Debug, Default)]
pub struct ContractDefaults {
    /// for all effects
    pub all: Option<ContractTable>,
    /// `[defaults.provider.<id>]`, by provider
    pub providers: Vec<(String, ContractTable)>,
    /// `[defaults.package.<name>]`, by package
    pub packages: Vec<(String, ContractTable)>,
}

/// A contract for code that cannot carry the attribute.
#[derive(Clone, Debug)]
pub struct EffectTable {
    /// path of the function
    pub handler: String,
    /// where it stands
    pub handler_range: TextRange,
    /// the contract
    pub table: ContractTable,
}

/// A suppression outside handlers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowTable {
    /// rule as written, perhaps one that does not exist
    pub rule: String,
    /// what it covers
    pub target: AllowTarget,
    /// why
    pub reason: String,
    /// last day, `YYYY-MM-DD`
    pub until: Option<String>,
    /// who answers for it
    pub owner: Option<String>,
    /// the whole table
    pub range: TextRange,
}

/// What an [`AllowTable`] covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllowTarget {
    /// an item and all below it
    Item(String),
    /// a file, or files by a glob
    File(String),
}

/// What is scanned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scan {
    /// globs of files that are not read, relative to the workspace root
    pub exclude: Vec<String>,
    /// dialect of the SQL in the source
    pub dialect: Option<Dialect>,
}

/// A dialect of SQL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the databases")]
pub enum Dialect {
    Postgres,
    Sqlite,
    Mysql,
    Generic,
}

/// Which prose is checked for claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prose {
    /// globs of documents
    pub include: Vec<String>,
    /// globs of documents that are left out
    pub exclude: Vec<String>,
}

impl Default for Prose {
    fn default() -> Self {
        Self { include: vec!["**/README*".into(), "docs/**/*.md".into()], exclude: Vec::new() }
    }
}

/// What documents are written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Docs {
    /// the guarantee document
    pub out: Option<String>,
    /// files whose marked blocks are filled
    pub tables: Vec<String>,
    /// one document for each package
    pub per_package: bool,
    /// folder with replacements of single templates
    pub templates: Option<String>,
    /// where the section begins
    pub range: TextRange,
}

impl Config {
    /// Reads a configuration file. All problems of the text are reported together, in the order of their places.
    pub fn read(path: &str, text: &str) -> Result<Self, Vec<Fault>> {
        let fault = |problem: Problem| Fault::new(path, text, problem);
        let tree = match toml_text::parse(text) {
            Ok(tree) => tree,
            Err(problems) => return Err(problems.into_iter().map(fault).collect()),
        };
        let problems = Problems::default();
        let mut root = Fields::root(&tree, &problems);
        let config = config(path, &mut root);
        root.finish();
        let problems = problems.into_sorted();
        match problems.is_empty() {
            true => Ok(config),
            false => Err(problems.into_iter().map(fault).collect()),
        }
    }

    /// A place in the file.
    pub fn place(&self, range: TextRange) -> Place {
        Place::Text { path: self.path.clone(), range }
    }
}

/// Top-level keys, in the order of the documentation.
const SECTIONS: &[&str] = &[
    "version", "levels", "defaults", "scan", "prose", "docs", "baseline", "evidence", "effect", "allow", "provider",
    "dispatch", "carrier", "lookup", "origin", "constant", "store", "table", "state", "retry", "handler", "lease",
    "ack", "timeout", "spawn", "step",
];

fn config(path: &str, root: &mut Fields<'_>) -> Config {
    let mut paths = Vec::new();
    let named = root.named();
    let is_given = |key: &&str| named.iter().any(|(item, _)| item.key == *key);
    let given = SECTIONS.iter().copied().filter(is_given).collect();
    sections::version(root);
    let levels = sections::levels(root);
    let defaults = contract::defaults(root, &mut paths);
    let scan = sections::scan(root);
    let prose = sections::prose(root);
    let docs = sections::docs(root);
    let baseline = sections::baseline(root);
    let evidence = sections::evidence(root);
    let effects = contract::effects(root, &mut paths);
    let allows = suppress::allows(root, &mut paths);
    let rows = read_rows(root, true, None, &mut paths);
    paths.sort_by_key(|path| path.range);
    Config {
        path: path.to_owned(),
        given,
        levels,
        defaults,
        scan,
        prose,
        docs,
        baseline,
        evidence,
        effects,
        allows,
        rows,
        paths,
    }
}

#[cfg(test)]
mod tests;
