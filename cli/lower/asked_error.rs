//! Questions for the error of a result: `if let Some(error) = sent.err()` reads as `if let Err(error) = sent`.
//!
//! What became of a call is told by the arms that its result is taken apart in; so there is one form of them.

use syn::{Expr, Pat};

use super::body::Lowerer;
use crate::ir::{Name, PatId, PatKind};

/// The result that a value is the error of, where patterns only ask whether there is one.
pub(super) fn result_of<'s>(value: &'s Expr, mut patterns: impl Iterator<Item = &'s Pat>) -> Option<&'s Expr> {
    match value {
        Expr::MethodCall(call) if call.method == "err" && call.args.is_empty() && patterns.all(asks) => {
            Some(&call.receiver)
        }
        _ => None,
    }
}

/// `Some(error)`, `None` or `_`.
fn asks(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(pat) => pat.path.is_ident("Some") && pat.elems.len() == 1,
        Pat::Ident(pat) => pat.ident == "None",
        Pat::Guard(pat) => asks(&pat.pat),
        Pat::Wild(_) => true,
        _ => false,
    }
}

impl Lowerer<'_, '_> {
    /// Makes of a pattern for what `err()` gives one for the result.
    pub(super) fn of_result(&mut self, pat: PatId) {
        let range = self.body.pat(pat).range;
        let mut kind = std::mem::replace(&mut self.body.pats[pat.0 as usize].kind, PatKind::Wild);
        let rename = |path: &mut crate::ir::PathIr, name: &str| {
            if let Some(last) = path.segments.last_mut() {
                last.name = Name::new(name);
            }
        };
        match &mut kind {
            PatKind::TupleStruct { path, .. } => rename(path, "Err"),
            PatKind::Path(path) => {
                let mut path = path.clone();
                rename(&mut path, "Ok");
                let any = self.add_pat(PatKind::Wild, range);
                kind = PatKind::TupleStruct { path, elements: Box::new([any]), rest: None };
            }
            _ => {}
        }
        self.body.pats[pat.0 as usize].kind = kind;
    }
}
