//! Tables that code declares: by the macro of a query builder, or by the attributes of a model.
//!
//! `table! { jobs (id) { id -> Uuid, key -> Text, } }`, and a struct with `#[sea_orm(table_name = "jobs")]` whose fields say
//! which of them are unique.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Meta;

use super::attributes::{split, text};
use crate::ir::{PathIr, TableDecl};

/// The attribute by which models say how they are stored.
const MODEL: &str = "sea_orm";
/// The macro that declares tables.
const TABLE: &str = "table";

/// Whether a macro may declare tables.
pub(super) fn declares(path: &PathIr) -> bool {
    path.segments.last().is_some_and(|last| last.name == TABLE)
}

/// The tables in an invocation: `name (primary, key) { column -> Type, … }`; without parentheses the key is `id`.
pub(super) fn of_macro(tokens: &TokenStream) -> Vec<TableDecl> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut tables = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(columns) = token else {
            continue;
        };
        if columns.delimiter() != Delimiter::Brace || !are_columns(&columns.stream()) {
            continue;
        }
        let (name, key) = match &tokens[..at] {
            [.., TokenTree::Ident(name), TokenTree::Group(key)] if key.delimiter() == Delimiter::Parenthesis => {
                (name, names(&key.stream()))
            }
            [.., TokenTree::Ident(name)] => (name, vec!["id".into()]),
            _ => continue,
        };
        tables.push(TableDecl { name: lower(&name.to_string()), unique: vec![key], by_module: false });
    }
    tables
}

/// The table of a model.
pub(super) fn of_model(item: &syn::ItemStruct) -> Option<TableDecl> {
    let said = said(&item.attrs);
    let name = said.iter().find(|(key, _)| key == "table_name").and_then(|(_, value)| value.as_deref())?;
    let mut primary = Vec::new();
    let mut together: BTreeMap<String, Vec<Box<str>>> = BTreeMap::new();
    let mut alone = Vec::new();
    for field in &item.fields {
        let said = self::said(&field.attrs);
        let renamed = said.iter().find(|(key, _)| key == "column_name").and_then(|(_, value)| value.clone());
        let Some(column) = renamed.or_else(|| Some(field.ident.as_ref()?.to_string())) else {
            continue;
        };
        let column = lower(&column);
        for (key, value) in said {
            match (key.as_str(), value) {
                ("primary_key", _) => primary.push(column.clone()),
                ("unique", _) => alone.push(vec![column.clone()]),
                ("unique_key", Some(index)) => together.entry(index).or_default().push(column.clone()),
                _ => {}
            }
        }
    }
    let keys = std::iter::once(primary).filter(|key| !key.is_empty());
    let unique = keys.chain(alone).chain(together.into_values()).collect();
    Some(TableDecl { name: lower(name), unique, by_module: true })
}

/// `key` and `key = "value"` in the attributes of a model or of its fields.
fn said(attributes: &[syn::Attribute]) -> Vec<(String, Option<String>)> {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident(MODEL) => Some(&list.tokens),
        _ => None,
    });
    let said = lists.flat_map(split).filter_map(|piece| match &piece[..] {
        [TokenTree::Ident(key)] => Some((key.to_string(), None)),
        [TokenTree::Ident(key), TokenTree::Punct(equals), TokenTree::Literal(value)] if equals.as_char() == '=' => {
            Some((key.to_string(), text(value)))
        }
        _ => None,
    });
    said.collect()
}

/// Whether these are `column -> Type, …`.
fn are_columns(tokens: &TokenStream) -> bool {
    let mut some = false;
    let all = split(tokens).iter().all(|piece| {
        let mut rest = &piece[..];
        while let [TokenTree::Punct(hash), TokenTree::Group(_), behind @ ..] = rest {
            if hash.as_char() != '#' {
                return false;
            }
            rest = behind;
        }
        some = true;
        match rest {
            [TokenTree::Ident(_), TokenTree::Punct(dash), TokenTree::Punct(tip), ..] => {
                dash.as_char() == '-' && tip.as_char() == '>'
            }
            _ => false,
        }
    });
    some && all
}

fn names(tokens: &TokenStream) -> Vec<Box<str>> {
    let names = split(tokens).into_iter().filter_map(|piece| match &piece[..] {
        [TokenTree::Ident(name)] => Some(lower(&name.to_string())),
        _ => None,
    });
    names.collect()
}

fn lower(name: &str) -> Box<str> {
    name.strip_prefix("r#").unwrap_or(name).to_lowercase().into_boxed_str()
}
