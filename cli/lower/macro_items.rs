//! Item-position macro invocations: what the index found inside them becomes items.
//!
//! Real connectors keep all their handlers inside one invocation, so a function in there is as good as one outside. What
//! `Self` means in it is unknown; the invocation's `ident: value` heads tell those apart that belong together.

use proc_macro2::{TokenStream, TokenTree};

use super::attributes::split;
use super::items::{FileLowerer, empty_impl};
use super::text::blank;
use super::types;
use crate::index::ItemKind;
use crate::ir::{Impl, Items, MacroItem, MacroRules, Name, PathIr, Segment, TypeIr};
use crate::source::TextRange;

impl FileLowerer<'_, '_> {
    /// An invocation between items.
    pub(super) fn macro_item(&mut self, at: usize, module: usize, out: &mut Items) {
        let entry = self.entry(at);
        let inside = self.inside(at);
        if inside.is_empty() {
            // those between statements are read with the body around them
            let around = entry.parent.map(|parent| self.entry(parent as usize).kind);
            if around != Some(ItemKind::Fn) {
                out.macro_calls.push(MacroItem {
                    path: self.macro_path(at),
                    arguments: self.macro_arguments(at),
                    range: entry.range,
                });
            }
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
        let (methods, free) = functions
            .into_iter()
            .partition(|function| function.has_self || heads.contains(':'));
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
        let segments = path.split("::").map(str::trim);
        PathIr {
            absolute: path.trim_start().starts_with("::"),
            segments: segments
                .filter(|segment| !segment.is_empty())
                .map(|segment| Segment {
                    name: Name::new(segment.trim_start_matches("r#")),
                    args: Vec::new(),
                })
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
            range.start.saturating_sub(body.start) as usize
                ..range.end.saturating_sub(body.start) as usize
        });
        blank(self.source.slice(body), ranges).parse().ok()
    }

    /// The first identifier of each argument.
    fn macro_arguments(&self, at: usize) -> Vec<Name> {
        let Some(tokens) = self.macro_tokens(at) else {
            return Vec::new();
        };
        let pieces = split(&tokens).into_iter();
        let firsts = pieces.map(|piece| match piece.first() {
            Some(TokenTree::Ident(ident)) => types::name(ident),
            _ => Name::new(""),
        });
        firsts.collect()
    }

    /// The macro's name and its `ident: path` heads.
    pub(super) fn macro_heads(&self, at: usize) -> Box<str> {
        let path = self.macro_path(at);
        let mut out = path
            .segments
            .last()
            .map_or("", |segment| segment.name.as_str())
            .to_owned();
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

    /// A `macro_rules!` definition.
    pub(super) fn macro_rules(&mut self, at: usize) -> Option<MacroRules> {
        let entry = self.entry(at);
        Some(MacroRules {
            name: entry.name?,
            impls: Vec::new(),
            self_argument: None,
            range: entry.range,
        })
    }
}
