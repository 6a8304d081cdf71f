//! Macro invocations in bodies.
//!
//! In: a macro's path and tokens. Out: the expressions they stand for.

use syn::{Block, Macro, Stmt};

use super::body::{Lowered, Lowerer};
use super::{parse, types};
use crate::ir::{BlockKind, ExprKind, MacroCall};
use syn::parse::Parser as _;

impl Lowerer<'_, '_> {
    /// An invocation in expression, statement or pattern position.
    pub(super) fn macro_call(&mut self, call: &Macro) -> Lowered {
        self.generic_macro(call)
    }

    /// Any macro: arguments as expressions, or the block it wraps.
    fn generic_macro(&mut self, call: &Macro) -> Lowered {
        let range = self.path_to(None, &call.path, call.delimiter.span().close());
        let path = types::path(&call.path);
        let (args, complete) = if let Ok(args) = parse::commas.parse2(call.tokens.clone()) {
            (self.exprs(&args), true)
        } else if let Ok(statements) = Block::parse_within.parse2(call.tokens.clone()) {
            let statements: Vec<Stmt> = statements;
            let inside = self.delimited(&call.delimiter.span().clone());
            let block = self.statements(BlockKind::Plain, None, &statements, inside);
            ([block.id].into(), true)
        } else {
            (Box::default(), false)
        };
        let call = MacroCall {
            path,
            args,
            complete,
        };
        self.made(ExprKind::Macro(Box::new(call)), range)
    }
}
