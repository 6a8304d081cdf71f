//! Values that are put together to be told of and nothing else: `let status = if sent.is_ok() { "success" } else { "failure" };`
//! in front of `counter!("sent", "status" => status)`.

use super::Eval;
use crate::flow::{has_word, walk};
use crate::ir::{ExprId, ExprKind, Literal, LocalId, PatId, PatKind, Statement};

/// Expressions of a body in which mentions of a local are looked for.
const MAX_BODY: usize = 20_000;
/// Expressions around a mention that are looked at.
const MAX_AROUND: usize = 8;

impl Eval<'_, '_> {
    /// Whether a value is chosen by branches and bound to what only macros that count and tell are given: no state is decided.
    pub(super) fn is_label(&self, pat: PatId, value: ExprId) -> bool {
        let chosen = match &self.body.expr(value).kind {
            ExprKind::If { then, otherwise, .. } => otherwise.iter().chain([then]).all(|&arm| self.only_names(arm)),
            ExprKind::Match { arms, .. } => arms.iter().all(|arm| self.only_names(arm.body)),
            _ => false,
        };
        let PatKind::Bind { local, inner: None } = self.body.pat(pat).kind else {
            return false;
        };
        let mentions = |(at, expr): (u32, &crate::ir::Expr)| match expr.kind {
            ExprKind::Local(LocalId(known)) if known == local.0 => Some(ExprId(at)),
            _ => None,
        };
        if !chosen || self.body.exprs.len() > MAX_BODY {
            return false;
        }
        let mut found = (0u32..).zip(&self.body.exprs).filter_map(mentions).peekable();
        found.peek().is_some() && found.all(|mention| self.is_counted_by(mention))
    }

    /// Whether an arm gives a text and does nothing else, but for what macros tell of it.
    fn only_names(&self, arm: ExprId) -> bool {
        match &self.body.expr(arm).kind {
            ExprKind::Literal(Literal::Str(_)) => true,
            ExprKind::Block(block) => {
                let tells = |statement: &Statement| match statement {
                    Statement::Expr(id) => matches!(self.body.expr(*id).kind, ExprKind::Macro(_) | ExprKind::Format(_)),
                    Statement::Let { .. } => false,
                };
                block.statements.iter().all(tells) && block.tail.is_some_and(|tail| self.only_names(tail))
            }
            _ => false,
        }
    }

    /// Whether a macro that counts and tells is given a value.
    fn is_counted_by(&self, mention: ExprId) -> bool {
        let words = &self.engine.catalog.words.telling_macros;
        let mut at = mention;
        for _ in 0..MAX_AROUND {
            let Some(parent) = walk::parent(&self.parents, at) else {
                return false;
            };
            match &self.body.expr(parent).kind {
                ExprKind::Macro(call) => {
                    let name = call.path.segments.last().map(|last| last.name);
                    return name.is_some_and(|name| words.iter().any(|word| has_word(name.as_str(), word)));
                }
                ExprKind::MethodCall(call) if call.receiver == at && call.args.is_empty() => {}
                ExprKind::Deref(_) | ExprKind::Tuple(_) | ExprKind::Binary { .. } => {}
                _ => return false,
            }
            at = parent;
        }
        false
    }
}
