//! Suppressions: `[[allow]]`, and `allow` in an `[[effect]]`.
//!
//! In: tables. Out: suppressions with a reason, and a date that is one. Whether the rule exists is judged as a finding.

use effect_contracts_grammar::{Allow, date};

use super::{AllowTable, AllowTarget};
use crate::catalog::ConfiguredPath;
use crate::config::sections::glob;
use crate::source::TextRange;
use crate::toml_text::{Fields, Item};

pub(super) fn allows(root: &mut Fields<'_>, paths: &mut Vec<ConfiguredPath>) -> Vec<AllowTable> {
    let tables = root.tables("allow");
    tables.into_iter().filter_map(|fields| table(fields, paths)).collect()
}

fn table(mut fields: Fields<'_>, paths: &mut Vec<ConfiguredPath>) -> Option<AllowTable> {
    let range = fields.range;
    let item = fields.get("item");
    let file = fields.get("file");
    let target = match (item, file) {
        (Some(item), None) => item.text().map(|path| {
            paths.push(ConfiguredPath { path: path.to_owned(), table: "allow", range: item.range });
            AllowTarget::Item(path.to_owned())
        }),
        (None, Some(file)) => glob(file).map(AllowTarget::File),
        (Some(_), Some(file)) => {
            let help = "write two tables, one for each";
            file.wrong("[[allow]] covers an `item` or a `file`, not both", Some(help.into()));
            None
        }
        (None, None) => {
            let help = "add item = \"shop::admin::resend\" or file = \"docs/old.md\"";
            fields.wrong("[[allow]] names no `item` and no `file`, so it covers nothing", Some(help.into()));
            None
        }
    };
    let allow = facts(&mut fields);
    fields.finish();
    let allow = allow?;
    Some(AllowTable {
        rule: allow.rule,
        target: target?,
        reason: allow.reason,
        until: allow.until,
        owner: allow.owner,
        range,
    })
}

/// The suppressions of an `[[effect]]`, with their places.
pub(super) fn of_effect(item: Item<'_>) -> Vec<(Allow, TextRange)> {
    let entries = item.entries().into_iter();
    entries
        .filter_map(|entry| {
            let mut fields = entry.table()?;
            let allow = facts(&mut fields);
            fields.finish();
            Some((allow?, entry.range))
        })
        .collect()
}

fn facts(fields: &mut Fields<'_>) -> Option<Allow> {
    let rule = fields.need("rule").and_then(|item| item.text());
    let reason = fields.need("reason").and_then(|item| item.text());
    let until = fields.get("until").and_then(|item| {
        let text = item.text()?;
        match date::check(text) {
            Ok(()) => Some(text.to_owned()),
            Err(invalid) => {
                item.wrong(format!("`until`: {invalid}"), None);
                None
            }
        }
    });
    let owner = fields.text("owner");
    Some(Allow { rule: rule?.to_owned(), reason: reason?.to_owned(), until, owner })
}
