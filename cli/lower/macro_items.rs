//! Item-position macro invocations: what the index found inside them becomes items.
//!
//! Real connectors keep all their handlers inside one invocation, so a function in there is as good as one outside. What
//! `Self` means in it is unknown; the invocation's `ident: value` heads tell those apart that belong together.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::attributes::split;
use super::items::{FileLowerer, empty_impl};
use super::text::blank;
use super::{macros, tables, types};
use crate::index::ItemKind;
use crate::ir::{Impl, Items, MacroItem, ModuleIr, Name, PathIr, Segment, TypeIr};
use crate::source::TextRange;

impl FileLowerer<'_, '_> {
    /// An invocation between items.
    pub(super) fn macro_item(&mut self, at: usize, module: usize, out: &mut Items) {
        let entry = self.entry(at);
        // those between statements are read with the body around them
        let around = entry.parent.map(|parent| self.entry(parent as usize).kind);
        if around != Some(ItemKind::Fn) {
            out.macro_calls.push(MacroItem {
                path: self.macro_path(at),
                arguments: self.macro_arguments(at),
                range: entry.range,
            });
        }
        if tables::declares(&self.macro_path(at)) {
            out.tables.extend(self.macro_tokens(at).iter().flat_map(tables::of_macro));
        }
        let inside = self.inside(at);
        if inside.is_empty() || is_template(&self.macro_path(at)) {
            return;
        }
        let heads = self.macro_heads(at);
        let mut functions = Vec::new();
        for &child in &inside {
            match self.entry(child).kind {
                ItemKind::Fn => functions.extend(self.function(child, module, Some(&heads))),
                _ => self.nested(child, module, out),
            }
        }
        // `connector: X` heads say that the functions are somebody's; without them, as in `cfg_if!`, only a receiver does
        let (methods, free) = functions.into_iter().partition(|function| function.has_self || heads.contains(':'));
        out.functions.extend(Vec::into_iter(free));
        let methods: Vec<_> = methods;
        if !methods.is_empty() {
            out.impls.push(Impl {
                self_ty: TypeIr::Opaque,
                functions: methods,
                macro_heads: Some(heads),
                ..empty_impl(entry.range)
            });
        }
    }

    /// The path of an invocation.
    fn macro_path(&self, at: usize) -> PathIr {
        let entry = self.entry(at);
        let start = entry.attributes.end.max(entry.range.start);
        let end = entry.body.map_or(entry.range.end, |body| body.start);
        let text = self.source.slice(TextRange { start, end });
        let path = text.split('!').next().unwrap_or_default();
        let segments = path.split("::").take(super::types::SEGMENTS).map(str::trim);
        PathIr {
            absolute: path.trim_start().starts_with("::"),
            segments: segments
                .filter(|segment| !segment.is_empty())
                .map(|segment| Segment { name: Name::new(segment.trim_start_matches("r#")), args: Vec::new() })
                .collect(),
            ..PathIr::default()
        }
    }

    /// The tokens of an invocation without the items inside it.
    fn macro_tokens(&self, at: usize) -> Option<TokenStream> {
        let body = self.entry(at).body?;
        let inside = self.inside(at);
        let ranges = inside.iter().map(|&child| self.entry(child).range);
        let ranges = ranges.map(|range| {
            range.start.saturating_sub(body.start) as usize..range.end.saturating_sub(body.start) as usize
        });
        blank(self.source.slice(body), ranges).parse().ok()
    }

    /// What each argument names.
    fn macro_arguments(&self, at: usize) -> Vec<Name> {
        // with the items inside: `id! { pub struct InvoiceId; }` names one
        let body = self.entry(at).body.map(|body| self.source.slice(body));
        let Some(Ok(tokens)) = body.map(str::parse::<TokenStream>) else {
            return Vec::new();
        };
        split(&tokens).iter().map(|piece| Name::new(&named(piece))).collect()
    }

    /// The macro's name and its `ident: path` heads.
    pub(super) fn macro_heads(&self, at: usize) -> Box<str> {
        let path = self.macro_path(at);
        let mut out = path.segments.last().map_or("", |segment| segment.name.as_str()).to_owned();
        for piece in self.macro_tokens(at).iter().flat_map(split) {
            let [TokenTree::Ident(key), TokenTree::Punct(colon), value @ ..] = &piece[..] else {
                continue;
            };
            let plain = value.iter().all(|token| match token {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(punct) => punct.as_char() == ':',
                _ => false,
            });
            if colon.as_char() == ':' && plain && !value.is_empty() {
                out.push_str(&format!(" {key}:"));
                out.extend(value.iter().map(ToString::to_string));
            }
        }
        out.into_boxed_str()
    }
}

/// Gives the methods found in a file's macro invocations their `Self`: what most invocations have as a head's value, so
/// that `connector: X` here and `connector_name: X` there are one type. Of those named equally often, the first.
pub(super) fn share_self(modules: &mut [ModuleIr]) {
    let found = |block: &&mut Impl| block.self_ty == TypeIr::Opaque && block.macro_heads.is_some();
    let mut blocks: Vec<_> = modules.iter_mut().flat_map(|module| &mut module.items.impls).filter(found).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let heads: Vec<Box<str>> = blocks.iter_mut().filter_map(|block| block.macro_heads.clone()).collect();
    for heads in &heads {
        let values: BTreeSet<&str> = values(heads).collect();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
    }
    for (block, heads) in blocks.iter_mut().zip(&heads) {
        // the last of several maxima is the first in the source when read backwards
        let values: Vec<&str> = values(heads).collect();
        let owner = values.iter().rev().max_by_key(|value| counts.get(**value));
        if let Some(owner) = owner {
            block.macro_heads = Some((*owner).into());
        }
    }
}

/// Whether the macro's argument is code for another program to compile.
fn is_template(path: &PathIr) -> bool {
    let last = path.segments.last();
    last.is_some_and(|segment| macros::TEMPLATES.contains(&segment.name.as_str()))
}

fn values(heads: &str) -> impl Iterator<Item = &str> {
    heads.split(' ').filter_map(|head| Some(head.split_once(':')?.1))
}

/// Words in front of the name that an argument is about.
const KEYWORDS: [&str; 5] = ["pub", "struct", "enum", "type", "union"];

/// The identifier an argument is about: behind attributes, visibility, a keyword or an own `name:`.
fn named(piece: &[TokenTree]) -> String {
    let mut rest = piece;
    loop {
        rest = match rest {
            [TokenTree::Punct(hash), TokenTree::Group(_), rest @ ..] if hash.as_char() == '#' => rest,
            [TokenTree::Ident(word), TokenTree::Group(_), rest @ ..] if word == "pub" => rest,
            [TokenTree::Ident(word), TokenTree::Ident(_), ..] if KEYWORDS.iter().any(|known| word == known) => {
                &rest[1..]
            }
            [TokenTree::Ident(_), TokenTree::Punct(colon), rest @ ..]
                if colon.as_char() == ':' && colon.spacing() == Spacing::Alone && !rest.is_empty() =>
            {
                rest
            }
            [TokenTree::Ident(name), ..] => return types::name(name).as_str().to_owned(),
            _ => return String::new(),
        };
    }
}
