//! The sections that steer the tool: `version`, `[levels]`, `[scan]`, `[prose]`, `[docs]`, `[baseline]`, `[evidence]`.
//!
//! In: the root table. Out: their values, checked as far as the text alone allows.

use globset::GlobBuilder;

use super::{Dialect, Docs, LevelSetting, Prose, Scan};
use crate::findings::Level;
use crate::toml_text::{Fields, Item, did_you_mean};

pub(super) fn version(root: &mut Fields<'_>) {
    let Some(item) = root.get("version") else {
        return;
    };
    if item.as_number() != Some(1) {
        let help = "write version = 1; a later version needs a later `cargo effects`";
        item.wrong("this tool reads version 1 of the file", Some(help.into()));
    }
}

pub(super) fn levels(root: &mut Fields<'_>) -> Vec<LevelSetting> {
    let Some(table) = root.table("levels") else {
        return Vec::new();
    };
    let words = Level::ALL.map(Level::as_str);
    let mut levels: Vec<LevelSetting> = table
        .named()
        .into_iter()
        .filter_map(|(item, range)| {
            let level = Level::parse(item.word(&words)?)?;
            Some(LevelSetting { rule: item.key.to_owned(), level, range })
        })
        .collect();
    levels.sort_by_key(|setting| setting.range);
    levels
}

pub(super) fn scan(root: &mut Fields<'_>) -> Scan {
    let Some(mut table) = root.table("scan") else {
        return Scan::default();
    };
    let exclude = globs(&mut table, "exclude").unwrap_or_default();
    let words = ["postgres", "sqlite", "mysql", "generic"];
    let dialect = table.get("dialect").and_then(|item| item.word(&words));
    table.finish();
    Scan {
        exclude,
        dialect: dialect.map(|word| match word {
            "postgres" => Dialect::Postgres,
            "sqlite" => Dialect::Sqlite,
            "mysql" => Dialect::Mysql,
            _ => Dialect::Generic,
        }),
    }
}

pub(super) fn prose(root: &mut Fields<'_>) -> Prose {
    let usual = Prose::default();
    let Some(mut table) = root.table("prose") else {
        return usual;
    };
    let include = globs(&mut table, "include").unwrap_or(usual.include);
    let exclude = globs(&mut table, "exclude").unwrap_or(usual.exclude);
    table.finish();
    Prose { include, exclude }
}

pub(super) fn docs(root: &mut Fields<'_>) -> Docs {
    let Some(mut table) = root.table("docs") else {
        return Docs::default();
    };
    let docs = Docs {
        out: table.get("out").and_then(file),
        tables: files(&mut table, "tables"),
        per_package: table.flag("per-package").unwrap_or(false),
        templates: table.get("templates").and_then(file),
        range: table.range,
    };
    table.finish();
    docs
}

pub(super) fn baseline(root: &mut Fields<'_>) -> Option<String> {
    let mut table = root.table("baseline")?;
    let path = table.need("file").and_then(file);
    table.finish();
    path
}

pub(super) fn evidence(root: &mut Fields<'_>) -> Vec<String> {
    let Some(mut table) = root.table("evidence") else {
        return Vec::new();
    };
    let results = files(&mut table, "results");
    table.finish();
    results
}

fn files(table: &mut Fields<'_>, key: &'static str) -> Vec<String> {
    let entries = table.get(key).map(|item| item.entries()).unwrap_or_default();
    entries.into_iter().filter_map(file).collect()
}

fn globs(table: &mut Fields<'_>, key: &'static str) -> Option<Vec<String>> {
    let entries = table.get(key)?.entries();
    Some(entries.into_iter().filter_map(glob).collect())
}

/// A glob over files below the workspace root.
pub(super) fn glob(item: Item<'_>) -> Option<String> {
    let pattern = file(item)?;
    match GlobBuilder::new(&pattern).build() {
        Ok(_) => Some(pattern),
        Err(error) => {
            item.wrong(format!("`{}`: no glob: {}", item.key, error.kind()), None);
            None
        }
    }
}

/// A path below the workspace root. What a checked-in file says must not lead the tool out of the repository.
fn file(item: Item<'_>) -> Option<String> {
    let text = item.text()?;
    let outside = text.starts_with(['/', '\\', '~'])
        || text.get(1..2) == Some(":")
        || text.split(['/', '\\']).any(|part| part == "..");
    if outside || text.contains('\0') {
        item.wrong(
            format!("`{}` leads out of the workspace: `{}`", item.key, text.escape_debug()),
            Some("give a path relative to the folder of this file, without `..`".into()),
        );
        return None;
    }
    Some(text.to_owned())
}

/// Rejects a key that only the attribute has.
pub(super) fn attribute_only(fields: &mut Fields<'_>) {
    for key in ["bind", "contract", "crate"] {
        if let Some(item) = fields.take(key) {
            item.wrong(
                format!("`{key}` is an instruction to the attribute, which has no meaning here"),
                Some("remove it".into()),
            );
        }
    }
}

/// Notes a word that is none of the known ones.
pub(super) fn unknown(item: Item<'_>, word: &str, known: &[&str]) {
    item.wrong(format!("`{}` has no form `{word}`", item.key), Some(did_you_mean(word, known.iter().copied())));
}
