//! `macro_rules!` definitions: the `impl`s that their arms declare.
//!
//! A call of `id_type!(InvoiceId)` may declare a `Default` that mints an id. Arms are not expanded: their `impl`s are read
//! with each metavariable replaced by an identifier, which is enough to see what their functions do.

use std::ops::Range;

use proc_macro2::{Group, Spacing, TokenStream, TokenTree};

use super::items::FileLowerer;
use super::text::{Cut, Source, blank};
use super::types;
use crate::index::ItemKind;
use crate::ir::{MacroRules, Name, TypeIr};
use crate::source::TextRange;

/// Brackets nested deeper than this are left as they are.
const DEPTH: usize = 64;

impl FileLowerer<'_, '_> {
    /// A definition with the `impl`s in its arms.
    pub(super) fn macro_rules(&mut self, at: usize, module: usize) -> Option<MacroRules> {
        let entry = self.entry(at);
        let mut out = MacroRules { name: entry.name?, impls: Vec::new(), self_argument: None, range: entry.range };
        let blocks: Vec<_> = self.inside(at);
        let blocks: Vec<_> = blocks.into_iter().filter(|&child| self.entry(child).kind == ItemKind::Impl).collect();
        if blocks.is_empty() {
            return Some(out);
        }
        let arms = arms(self.source, entry.body?);
        let fragments = arms.iter().flat_map(|arm| &arm.variables);
        let fragments = fragments.map(|variable| (variable.name, variable.fragment)).collect();
        let around = self.metavariables.replace(fragments);
        for block in blocks {
            let range = self.entry(block).range;
            let Some(block) = self.implementation(block, module) else {
                continue;
            };
            let arm = arms.iter().find(|arm| arm.transcriber.covers(range));
            if out.self_argument.is_none() {
                out.self_argument = arm.and_then(|arm| arm.argument(&block.self_ty));
            }
            out.impls.push(block);
        }
        self.metavariables = around;
        Some(out)
    }
}

/// One arm of a definition.
struct Arm {
    variables: Vec<Variable>,
    transcriber: TextRange,
}

impl Arm {
    /// At which position a call names this type.
    fn argument(&self, ty: &TypeIr) -> Option<usize> {
        let TypeIr::Path(path) = ty else { return None };
        let name = path.segments.first()?.name;
        let variable = self.variables.iter().find(|variable| variable.name == name)?;
        (path.segments.len() == 1).then_some(variable.argument)
    }
}

/// A metavariable.
struct Variable {
    name: Name,
    fragment: Name,
    /// position of the comma-separated argument it is in
    argument: usize,
}

fn arms(source: &Source<'_>, body: TextRange) -> Vec<Arm> {
    let cut = source.cut(body.start);
    let Ok(tokens) = source.slice(body).parse::<TokenStream>() else {
        return Vec::new();
    };
    let arms = written_arms(tokens).map(|(matcher, transcriber)| {
        let mut variables = Vec::new();
        let mut argument = 0;
        matched(&matcher.stream(), 0, &mut argument, &mut variables);
        Arm { variables, transcriber: cut.between(transcriber.span_open(), transcriber.span_close()) }
    });
    arms.collect()
}

/// The matcher and the transcriber of each arm of a definition.
pub(super) fn written_arms(definition: TokenStream) -> impl Iterator<Item = (Group, Group)> {
    let mut groups = definition.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    std::iter::from_fn(move || Some((groups.next()?, groups.next()?)))
}

/// The metavariables of a matcher. Commas count at its top level only, and inside `$(…)` there.
fn matched(tokens: &TokenStream, depth: usize, argument: &mut usize, out: &mut Vec<Variable>) {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => *argument += 1,
            TokenTree::Punct(punct) if punct.as_char() == '$' => {
                if let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Ident(fragment), ..] = &tokens[at + 1..]
                {
                    out.push(Variable {
                        name: types::name(name),
                        fragment: types::name(fragment),
                        argument: *argument,
                    });
                }
            }
            TokenTree::Group(group) if depth < DEPTH => {
                let repeated =
                    matches!(tokens.get(at.wrapping_sub(1)), Some(TokenTree::Punct(p)) if p.as_char() == '$');
                let mut inner = *argument;
                matched(&group.stream(), depth + 1, &mut inner, out);
                // `$($x:ident),*` is a list of no fixed length: what follows has no position
                if repeated {
                    *argument = inner;
                }
            }
            _ => {}
        }
    }
}

/// A cut of a transcriber as plain Rust, every character in its place: `$x` is ` x`, `$( … ),*` is what it repeats once.
pub(super) fn plain(text: &str, fragments: &[(Name, Name)]) -> String {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return text.to_owned();
    };
    let source = Source::new(text);
    let mut edits = Edits { cut: source.cut(0), fragments, gone: Vec::new(), blocks: Vec::new() };
    edits.walk(&tokens, 0);
    edits.gone.sort_by_key(|range| range.start);
    let mut out = blank(text, edits.gone.iter().cloned());
    for block in &edits.blocks {
        // `$b` is at least two characters long, all of them ASCII or blanked to it one by one
        let Some(chars) = text.get(block.clone()).map(|text| text.chars().count()) else {
            continue;
        };
        let start = text[..block.start].chars().count();
        let from: usize = out.chars().take(start).map(char::len_utf8).sum();
        out.replace_range(from..from + chars, &format!("{{{}}}", " ".repeat(chars.saturating_sub(2))));
    }
    out
}

struct Edits<'e, 's, 'a> {
    cut: Cut<'s, 'a>,
    fragments: &'e [(Name, Name)],
    gone: Vec<Range<usize>>,
    blocks: Vec<Range<usize>>,
}

impl Edits<'_, '_, '_> {
    fn remove(&mut self, range: TextRange) {
        self.gone.push(range.start as usize..range.end as usize);
    }

    fn walk(&mut self, tokens: &TokenStream, depth: usize) {
        if depth > DEPTH {
            return;
        }
        let tokens: Vec<_> = tokens.clone().into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => self.walk(&group.stream(), depth + 1),
                TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.get(at) {
                    Some(TokenTree::Ident(ident)) => {
                        at += 1;
                        self.variable(punct.span(), ident);
                    }
                    Some(TokenTree::Group(group)) => {
                        at += 1;
                        self.remove(self.cut.between(punct.span(), group.span_open()));
                        self.walk(&group.stream(), depth + 1);
                        let last = self.repetition(&tokens[at..]);
                        at += last;
                        let end = tokens.get(at - 1).map_or(group.span_close(), TokenTree::span);
                        let end = if last == 0 { group.span_close() } else { end };
                        self.remove(self.cut.between(group.span_close(), end));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn variable(&mut self, dollar: proc_macro2::Span, ident: &proc_macro2::Ident) {
        let name = types::name(ident);
        let fragment = self.fragments.iter().find(|(variable, _)| *variable == name);
        let whole = self.cut.between(dollar, ident.span());
        match fragment.map(|(_, fragment)| fragment.as_str()) {
            Some("vis" | "lifetime" | "item") => self.remove(whole),
            Some("block") => {
                self.remove(whole);
                self.blocks.push(whole.start as usize..whole.end as usize);
            }
            _ => self.remove(self.cut.range(dollar)),
        }
    }

    /// How many tokens behind `$(…)` say how it repeats: a separator, then `*`, `+` or `?`.
    fn repetition(&self, tokens: &[TokenTree]) -> usize {
        let operator = |token: Option<&TokenTree>| match token {
            Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '*' | '+' | '?'),
            _ => false,
        };
        if operator(tokens.first()) {
            return 1;
        }
        if operator(tokens.get(1)) {
            return 2;
        }
        // a separator of two characters, such as `=>`
        let joint = matches!(tokens.first(), Some(TokenTree::Punct(first)) if first.spacing() == Spacing::Joint);
        if joint && operator(tokens.get(2)) { 3 } else { 0 }
    }
}
