//! Patterns, and the variables they bind.

use proc_macro2::Span;
use syn::{Member, Pat};

use super::body::Lowerer;
use super::{literal, types};
use crate::ir::{LocalId, Name, PatId, PatKind, PathIr, Segment};
use crate::source::TextRange;

type LoweredPat = (PatId, TextRange);

impl Lowerer<'_, '_> {
    /// A whole pattern; its variables are in scope from here on.
    pub(super) fn pattern(&mut self, pat: &Pat) -> PatId {
        // a guard inside a pattern may hold patterns of its own
        let around = std::mem::take(&mut self.bound);
        let (id, _) = self.pat(pat);
        self.bound = around;
        id
    }

    fn pat(&mut self, pat: &Pat) -> LoweredPat {
        match pat {
            Pat::Ident(pat) => self.ident_pat(pat),
            Pat::TupleStruct(pat) => self.tuple_struct_pat(pat),
            Pat::Struct(pat) => self.struct_pat(pat),
            Pat::Path(pat) => {
                let range = self.path_range(pat.qself.as_ref(), &pat.path);
                let path = types::qualified_path(pat.qself.as_ref(), &pat.path);
                self.done(PatKind::Path(Box::new(path)), range)
            }
            Pat::Tuple(pat) => {
                let elements = self.pats(&pat.elems);
                let range = self.delimited(&pat.paren_token.span);
                self.done(PatKind::Tuple(elements), range)
            }
            Pat::Slice(pat) => {
                let elements = self.pats(&pat.elems);
                let range = self.delimited(&pat.bracket_token.span);
                self.done(PatKind::Slice(elements), range)
            }
            Pat::Or(pat) => self.or_pat(pat),
            Pat::Lit(pat) => {
                let range = self.cut.range(pat.lit.span());
                self.done(PatKind::Literal(literal::literal(&pat.lit)), range)
            }
            Pat::Range(pat) => self.range_pat(pat),
            Pat::Wild(pat) => {
                let range = self.cut.range(pat.underscore_token.spans[0]);
                self.done(PatKind::Wild, range)
            }
            Pat::Rest(pat) => {
                let range = self.cut.between(pat.dot2_token.spans[0], pat.dot2_token.spans[1]);
                self.done(PatKind::Wild, range)
            }
            Pat::Paren(pat) => {
                let (id, _) = self.pat(&pat.pat);
                (id, self.delimited(&pat.paren_token.span))
            }
            Pat::Reference(pat) => {
                let start = self.cut.start(pat.and_token.spans[0]);
                let (id, range) = self.pat(&pat.pat);
                (id, TextRange { start, ..range })
            }
            Pat::Type(pat) => {
                let (id, range) = self.pat(&pat.pat);
                let end = self.cut.end(types::type_end(&pat.ty));
                (id, TextRange { end, ..range })
            }
            Pat::Guard(pat) => self.pat(&pat.pat),
            Pat::Macro(pat) => {
                let start = types::path_start(None, &pat.mac.path);
                let range = self.cut.between(start, pat.mac.delimiter.span().close());
                self.done(PatKind::Opaque, range)
            }
            Pat::Const(pat) => {
                let range = self.cut.between(pat.const_token.span, pat.block.brace_token.span.close());
                self.done(PatKind::Opaque, range)
            }
            Pat::Verbatim(tokens) => {
                let range = self.tokens_range(tokens);
                self.done(PatKind::Opaque, range)
            }
            _ => self.done(PatKind::Opaque, TextRange::default()),
        }
    }

    fn done(&mut self, kind: PatKind, range: TextRange) -> LoweredPat {
        (self.add_pat(kind, range), range)
    }

    fn pats<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>) -> Box<[PatId]> {
        pats.into_iter().map(|pat| self.pat(pat).0).collect()
    }

    /// Binds a name, once for all alternatives of the pattern.
    fn bind_in_pattern(&mut self, name: Name, range: TextRange) -> LocalId {
        if let Some(&local) = self.bound.get(&name) {
            return local;
        }
        let local = self.bind(name, range);
        self.bound.insert(name, local);
        local
    }

    fn ident_pat(&mut self, pat: &syn::PatIdent) -> LoweredPat {
        let name = types::name(&pat.ident);
        let range = self.cut.range(pat.ident.span());
        let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if plain && name.as_str().starts_with(char::is_uppercase) {
            return self.done(PatKind::Path(Box::new(single(name))), range);
        }
        let local = self.bind_in_pattern(name, range);
        let inner = pat.subpat.as_ref().map(|(_, inner)| self.pat(inner));
        let by_ref = pat.by_ref.map(|token| token.span);
        let mutable = pat.mutability.map(|token| token.span);
        let whole = TextRange {
            start: by_ref.or(mutable).map_or(range.start, |first| self.cut.start(first)),
            end: inner.map_or(range.end, |(_, inner)| inner.end),
        };
        let inner = inner.map(|(id, _)| id);
        self.done(PatKind::Bind { local, inner }, whole)
    }

    fn tuple_struct_pat(&mut self, pat: &syn::PatTupleStruct) -> LoweredPat {
        let path = types::qualified_path(pat.qself.as_ref(), &pat.path);
        let rest = pat.elems.iter().position(|elem| matches!(elem, Pat::Rest(_)));
        let elements = self.pats(&pat.elems);
        let range = self.path_to(pat.qself.as_ref(), &pat.path, pat.paren_token.span.close());
        let kind = PatKind::TupleStruct { path: Box::new(path), elements, rest: rest.map(|rest| rest as u32) };
        self.done(kind, range)
    }

    fn struct_pat(&mut self, pat: &syn::PatStruct) -> LoweredPat {
        let path = types::qualified_path(pat.qself.as_ref(), &pat.path);
        let mut fields = Vec::with_capacity(pat.fields.len());
        for field in &pat.fields {
            let name = member(&field.member);
            let id = match &*field.pat {
                // a shorthand binds, whatever its case
                Pat::Ident(pat) if field.colon_token.is_none() => {
                    let range = self.cut.range(pat.ident.span());
                    let local = self.bind_in_pattern(name, range);
                    self.add_pat(PatKind::Bind { local, inner: None }, range)
                }
                pat => self.pat(pat).0,
            };
            fields.push((name, id));
        }
        let range = self.path_to(pat.qself.as_ref(), &pat.path, pat.brace_token.span.close());
        let kind = PatKind::Struct { path: Box::new(path), fields: fields.into_boxed_slice() };
        self.done(kind, range)
    }

    fn or_pat(&mut self, pat: &syn::PatOr) -> LoweredPat {
        let mut cases = Vec::with_capacity(pat.cases.len());
        let mut range: Option<TextRange> = None;
        for case in &pat.cases {
            let (id, own) = self.pat(case);
            cases.push(id);
            range = Some(TextRange { start: range.map_or(own.start, |range| range.start), end: own.end });
        }
        self.done(PatKind::Or(cases.into_boxed_slice()), range.unwrap_or_default())
    }

    fn range_pat(&mut self, pat: &syn::PatRange) -> LoweredPat {
        let bound = |bound: Option<&syn::Expr>| match bound {
            Some(syn::Expr::Lit(lit)) => Some(literal::literal(&lit.lit)),
            _ => None,
        };
        let extent = |bound: Option<&syn::Expr>| match bound {
            Some(syn::Expr::Lit(lit)) => Some((lit.lit.span(), lit.lit.span())),
            Some(syn::Expr::Path(path)) => {
                Some((types::path_start(path.qself.as_ref(), &path.path), types::path_end(&path.path)))
            }
            Some(syn::Expr::Const(block)) => Some((block.const_token.span, block.block.brace_token.span.close())),
            _ => None,
        };
        let dots: &[Span] = match &pat.limits {
            syn::RangeLimits::HalfOpen(dots) => &dots.spans,
            syn::RangeLimits::Closed(dots) => &dots.spans,
        };
        let first = extent(pat.start.as_deref()).map_or(dots[0], |(first, _)| first);
        let last = extent(pat.end.as_deref()).map_or(dots[dots.len() - 1], |(_, last)| last);
        let kind = PatKind::Range(Box::new([bound(pat.start.as_deref()), bound(pat.end.as_deref())]));
        let range = self.cut.between(first, last);
        self.done(kind, range)
    }
}

/// A path of one segment.
pub(super) fn single(name: Name) -> PathIr {
    PathIr { segments: vec![Segment { name, args: Vec::new() }], ..PathIr::default() }
}

/// A field's name; tuple fields are named by their number.
pub(super) fn member(member: &Member) -> Name {
    match member {
        Member::Named(ident) => types::name(ident),
        Member::Unnamed(index) => Name::new(&index.index.to_string()),
    }
}
