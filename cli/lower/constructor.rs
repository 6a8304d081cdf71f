//! Constructors that are handed over by name: `unwrap_or_else(Sale::Failed)` reads as `unwrap_or_else(|it| Sale::Failed(it))`.
//!
//! The stages behind look into the closures that decide what a result becomes; so there is one form of them.

use syn::Expr;

use super::body::Lowerer;
use crate::ir::{Closure, ExprId, ExprKind, Name, PatKind};
use crate::source::TextRange;

/// Methods of options and results that make something of what they hold. None of them hands a variant or tuple struct more or
/// less than one value.
const MAKERS: [&str; 5] = ["map", "map_err", "map_or_else", "or_else", "unwrap_or_else"];

impl Lowerer<'_, '_> {
    /// The arguments of a method.
    pub(super) fn method_args(&mut self, call: &syn::ExprMethodCall) -> Box<[ExprId]> {
        let makes = MAKERS.iter().any(|name| call.method == name);
        let lowered = call.args.iter().map(|arg| match arg {
            Expr::Path(path) if makes && is_constructor(path) => self.constructor(arg),
            _ => self.expr(arg),
        });
        lowered.collect()
    }

    fn constructor(&mut self, path: &Expr) -> ExprId {
        let callee = self.lower(path);
        let range = TextRange { start: callee.range.end, ..callee.range };
        let mark = self.enter();
        let local = self.bind(Name::new("it"), range);
        let pat = self.add_pat(PatKind::Bind { local, inner: None }, range);
        let held = self.add(ExprKind::Local(local), range);
        let body = self.add(ExprKind::Call { callee: callee.id, args: Box::new([held]) }, callee.range);
        self.leave(mark);
        self.add(ExprKind::Closure(Box::new(Closure { params: Box::new([(pat, None)]), body })), callee.range)
    }
}

/// Whether a path ends as the name of a variant or struct does, and not as that of a constant.
fn is_constructor(path: &syn::ExprPath) -> bool {
    path.qself.is_none()
        && path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.starts_with(|first: char| first.is_ascii_uppercase())
                && name.contains(|any: char| any.is_ascii_lowercase())
        })
}
