//! Use trees, flattened.

use syn::UseTree;

use super::text::Cut;
use super::types::{SEGMENTS, name};
use crate::ir::{Name, Use};
use crate::source::TextRange;

/// The leaves of a `use` item.
pub(super) fn flatten(item: &syn::ItemUse, cut: Cut<'_, '_>, out: &mut Vec<Use>) {
    let leaf =
        Leaf { absolute: item.leading_colon.is_some(), public: !matches!(item.vis, syn::Visibility::Inherited), cut };
    let mut path = Vec::new();
    leaf.tree(&item.tree, &mut path, out);
}

struct Leaf<'s, 'a> {
    absolute: bool,
    public: bool,
    cut: Cut<'s, 'a>,
}

impl Leaf<'_, '_> {
    fn tree(&self, tree: &UseTree, path: &mut Vec<Name>, out: &mut Vec<Use>) {
        if path.len() >= SEGMENTS {
            return;
        }
        match tree {
            UseTree::Path(inner) => {
                path.push(name(&inner.ident));
                self.tree(&inner.tree, path, out);
                path.pop();
            }
            UseTree::Name(leaf) => {
                let range = self.cut.range(leaf.ident.span());
                self.push(path, name(&leaf.ident), None, range, out);
            }
            UseTree::Rename(leaf) => {
                let range = self.cut.between(leaf.ident.span(), leaf.rename.span());
                self.push(path, name(&leaf.ident), Some(name(&leaf.rename)), range, out);
            }
            UseTree::Glob(glob) => out.push(Use {
                absolute: self.absolute,
                path: path.clone(),
                alias: None,
                public: self.public,
                range: self.cut.range(glob.star_token.spans[0]),
            }),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(tree, path, out);
                }
            }
        }
    }

    fn push(&self, path: &[Name], last: Name, alias: Option<Name>, range: TextRange, out: &mut Vec<Use>) {
        let mut path = path.to_vec();
        // `use a::{self}` imports `a`; a lone `self` is the module itself
        if last.as_str() != "self" || path.is_empty() {
            path.push(last);
        }
        let alias = alias.or(path.last().copied());
        out.push(Use { absolute: self.absolute, path, alias, public: self.public, range });
    }
}
