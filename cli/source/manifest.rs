//! One Cargo.toml, as far as it says what belongs to a package.
//!
//! In: its text. Out: a [`Manifest`]. Nothing is inherited or looked up here.

use toml::{Table, Value};

use super::error::Error;
use super::{TextRange, line_starts, position_in};

/// What a manifest says.
#[derive(Clone, Debug, Default)]
pub(super) struct Manifest {
    pub(super) package: Option<PackageTable>,
    pub(super) workspace: Option<WorkspaceTable>,
    pub(super) lib: Option<TargetTable>,
    pub(super) bins: Vec<TargetTable>,
    pub(super) examples: Vec<TargetTable>,
    pub(super) tests: Vec<TargetTable>,
    pub(super) benches: Vec<TargetTable>,
    pub(super) dependencies: Vec<DependencyEntry>,
}

/// `[package]`.
#[derive(Clone, Debug, Default)]
pub(super) struct PackageTable {
    pub(super) name: String,
    pub(super) edition: Inherited<u16>,
    pub(super) description: Inherited<String>,
    pub(super) keywords: Inherited<Vec<String>>,
    /// `publish = false`
    pub(super) unpublished: Inherited<bool>,
    /// `package.workspace`
    pub(super) workspace: Option<String>,
    pub(super) build: BuildScript,
    pub(super) autolib: bool,
    pub(super) autobins: Option<bool>,
    pub(super) autoexamples: Option<bool>,
    pub(super) autotests: Option<bool>,
    pub(super) autobenches: Option<bool>,
}

/// A value that the workspace may give.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) enum Inherited<T> {
    #[default]
    Absent,
    Workspace,
    Own(T),
}

impl<T: Clone> Inherited<T> {
    pub(super) fn or(&self, workspace: Option<&T>) -> Option<T> {
        match self {
            Self::Own(value) => Some(value.clone()),
            Self::Workspace => workspace.cloned(),
            Self::Absent => None,
        }
    }
}

/// `package.build`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) enum BuildScript {
    /// `build.rs` if there is one
    #[default]
    Found,
    /// `build = false`
    Off,
    At(Vec<String>),
}

/// `[workspace]`.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkspaceTable {
    pub(super) members: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) default_members: Option<Vec<String>>,
    pub(super) edition: Option<u16>,
    pub(super) description: Option<String>,
    pub(super) keywords: Option<Vec<String>>,
    pub(super) unpublished: Option<bool>,
    pub(super) dependencies: Vec<DependencyEntry>,
}

/// `[lib]`, `[[bin]]` and the like.
#[derive(Clone, Debug, Default)]
pub(super) struct TargetTable {
    pub(super) name: Option<String>,
    pub(super) path: Option<String>,
}

/// One entry of a dependency table.
#[derive(Clone, Debug)]
pub(super) struct DependencyEntry {
    pub(super) key: String,
    pub(super) package: Option<String>,
    pub(super) path: Option<String>,
    pub(super) workspace: bool,
    pub(super) dev: bool,
}

/// Reads a manifest; `path` is for messages.
pub(super) fn parse(path: &str, text: &str) -> Result<Manifest, Error> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let table: Table = toml::from_str(text).map_err(|error| {
        let mut found = Error::new(
            path,
            format!("the manifest is no valid TOML: {}", error.message().lines().collect::<Vec<_>>().join(", ")),
            "correct the manifest, `cargo metadata` must accept it, too",
        );
        found.position = error.span().map(|span| {
            let range = TextRange { start: span.start as u32, end: span.end as u32 };
            position_in(text, &line_starts(text), range.start)
        });
        found
    })?;
    let mut manifest = Manifest {
        lib: table.get("lib").map(target),
        bins: targets(&table, "bin"),
        examples: targets(&table, "example"),
        tests: targets(&table, "test"),
        benches: targets(&table, "bench"),
        dependencies: all_dependencies(&table),
        ..Manifest::default()
    };
    if let Some(package) = table.get("package").or_else(|| table.get("project")) {
        manifest.package = Some(package_table(path, package)?);
    }
    if let Some(workspace) = table.get("workspace") {
        manifest.workspace = Some(workspace_table(path, workspace)?);
    }
    Ok(manifest)
}

fn package_table(path: &str, value: &Value) -> Result<PackageTable, Error> {
    let Some(name) = value.get("name").and_then(Value::as_str) else {
        return Err(Error::new(
            path,
            "`package.name` is absent or no text, so the crate has no name",
            "give the package a name",
        ));
    };
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    Ok(PackageTable {
        name: name.to_owned(),
        edition: inherited(value, "edition", edition),
        description: inherited(value, "description", text),
        keywords: inherited(value, "keywords", texts),
        unpublished: inherited(value, "publish", unpublished),
        workspace: value.get("workspace").and_then(text),
        build: match value.get("build") {
            None | Some(Value::Boolean(true)) => BuildScript::Found,
            Some(Value::Boolean(false)) => BuildScript::Off,
            Some(Value::String(path)) => BuildScript::At(vec![path.clone()]),
            Some(other) => BuildScript::At(texts(other).unwrap_or_default()),
        },
        autolib: flag("autolib").unwrap_or(true),
        autobins: flag("autobins"),
        autoexamples: flag("autoexamples"),
        autotests: flag("autotests"),
        autobenches: flag("autobenches"),
    })
}

fn workspace_table(path: &str, value: &Value) -> Result<WorkspaceTable, Error> {
    let list = |key: &str| match value.get(key) {
        None => Ok(None),
        Some(found) => texts(found).map(Some).ok_or_else(|| {
            Error::new(
                path,
                format!("`workspace.{key}` is no list of texts, so the members are unknown"),
                format!("write `{key} = [\"…\"]`"),
            )
        }),
    };
    let shared = value.get("package");
    let mut dependencies = Vec::new();
    add_dependencies(&mut dependencies, value.get("dependencies"), false);
    Ok(WorkspaceTable {
        members: list("members")?.unwrap_or_default(),
        exclude: list("exclude")?.unwrap_or_default(),
        default_members: list("default-members")?,
        edition: shared.and_then(|shared| edition(shared.get("edition")?)),
        description: shared.and_then(|shared| text(shared.get("description")?)),
        keywords: shared.and_then(|shared| texts(shared.get("keywords")?)),
        unpublished: shared.and_then(|shared| unpublished(shared.get("publish")?)),
        dependencies,
    })
}

fn inherited<T>(table: &Value, key: &str, read: fn(&Value) -> Option<T>) -> Inherited<T> {
    let Some(value) = table.get(key) else {
        return Inherited::Absent;
    };
    if value.get("workspace").and_then(Value::as_bool) == Some(true) {
        return Inherited::Workspace;
    }
    read(value).map_or(Inherited::Absent, Inherited::Own)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

/// `false`, or a list of no registry.
fn unpublished(value: &Value) -> Option<bool> {
    value.as_bool().map(|published| !published).or_else(|| Some(value.as_array()?.is_empty()))
}

fn edition(value: &Value) -> Option<u16> {
    value.as_str()?.parse().ok()
}

fn target(value: &Value) -> TargetTable {
    TargetTable { name: value.get("name").and_then(text), path: value.get("path").and_then(text) }
}

fn targets(table: &Table, key: &str) -> Vec<TargetTable> {
    table.get(key).and_then(Value::as_array).map(|array| array.iter().map(target).collect()).unwrap_or_default()
}

fn all_dependencies(table: &Table) -> Vec<DependencyEntry> {
    let mut found = Vec::new();
    let empty = Table::new();
    let specific = table.get("target").and_then(Value::as_table).unwrap_or(&empty);
    for section in std::iter::once(table).chain(specific.values().filter_map(Value::as_table)) {
        add_dependencies(&mut found, section.get("dependencies"), false);
        for key in ["build-dependencies", "build_dependencies"] {
            add_dependencies(&mut found, section.get(key), false);
        }
        for key in ["dev-dependencies", "dev_dependencies"] {
            add_dependencies(&mut found, section.get(key), true);
        }
    }
    found
}

fn add_dependencies(found: &mut Vec<DependencyEntry>, table: Option<&Value>, dev: bool) {
    let Some(table) = table.and_then(Value::as_table) else {
        return;
    };
    for (key, value) in table {
        found.push(DependencyEntry {
            key: key.clone(),
            package: value.get("package").and_then(text),
            path: value.get("path").and_then(text),
            workspace: value.get("workspace").and_then(Value::as_bool) == Some(true),
            dev,
        });
    }
}
