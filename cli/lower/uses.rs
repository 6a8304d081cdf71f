//! Use trees, flattened.
//!
//! They are read here and not by syn, which knows no path from the root inside braces: `use { a::b, ::c::d };`.

pub(super) mod plain;

use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Ident, Token, Visibility, token};

use super::text::Cut;
use super::types::{SEGMENTS, name};
use crate::ir::{Name, Use};
use crate::source::TextRange;

/// Reads a `use` item; its leaves are added.
pub(super) fn read(input: ParseStream<'_>, cut: Cut<'_, '_>, out: &mut Vec<Use>) -> syn::Result<()> {
    input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    input.parse::<Token![use]>()?;
    let public = !matches!(visibility, Visibility::Inherited);
    let mut leaves = Leaves { public, absolute: false, out: Vec::new() };
    leaves.tree(input, cut, &mut Vec::new())?;
    input.parse::<Token![;]>()?;
    out.append(&mut leaves.out);
    Ok(())
}

struct Leaves {
    public: bool,
    /// the path that is read starts at the root of all crates
    absolute: bool,
    out: Vec<Use>,
}

impl Leaves {
    fn tree(&mut self, input: ParseStream<'_>, cut: Cut<'_, '_>, path: &mut Vec<Name>) -> syn::Result<()> {
        let around = self.absolute;
        if path.is_empty() && input.parse::<Option<Token![::]>>()?.is_some() {
            self.absolute = true;
        }
        let read = self.branch(input, cut, path);
        self.absolute = around;
        read
    }

    fn branch(&mut self, input: ParseStream<'_>, cut: Cut<'_, '_>, path: &mut Vec<Name>) -> syn::Result<()> {
        if input.peek(Token![*]) {
            let star: Token![*] = input.parse()?;
            let range = cut.range(star.spans[0]);
            self.add(path.clone(), None, range);
            return Ok(());
        }
        if input.peek(token::Brace) {
            let content;
            syn::braced!(content in input);
            while !content.is_empty() {
                self.tree(&content, cut, path)?;
                if !content.is_empty() {
                    content.parse::<Token![,]>()?;
                }
            }
            return Ok(());
        }
        let ident = input.call(Ident::parse_any)?;
        if input.parse::<Option<Token![::]>>()?.is_some() {
            path.push(name(&ident));
            self.branch(input, cut, path)?;
            path.pop();
            return Ok(());
        }
        let renamed = match input.parse::<Option<Token![as]>>()? {
            Some(_) => Some(input.call(Ident::parse_any)?),
            None => None,
        };
        let range = cut.between(ident.span(), renamed.as_ref().unwrap_or(&ident).span());
        self.leaf(path, name(&ident), renamed.as_ref().map(name), range);
        Ok(())
    }

    fn leaf(&mut self, path: &[Name], last: Name, alias: Option<Name>, range: TextRange) {
        let mut path = path.to_vec();
        // `use a::{self}` imports `a`; a lone `self` is the module itself
        if last.as_str() != "self" || path.is_empty() {
            path.push(last);
        }
        let alias = alias.or(path.last().copied());
        self.add(path, alias, range);
    }

    fn add(&mut self, path: Vec<Name>, alias: Option<Name>, range: TextRange) {
        if path.len() <= SEGMENTS {
            self.out.push(Use { absolute: self.absolute, path, alias, public: self.public, range });
        }
    }
}
