//! Places where a function makes a key, by its own name or by that of the local which takes it.

use super::Facts;
use super::scene::has_any;
use crate::findings::{Confidence, Place, Violation};
use crate::flow::mentions;
use crate::ir::{Body, Expr, ExprId, ExprKind, LocalId, PatKind, Statement};
use crate::resolve::{FnId, FunctionInfo};
use crate::source::Span;

/// An expression of which a key is made.
pub(super) struct Part<'a> {
    /// the number of the function that makes the key
    pub(super) number: FnId,
    /// the function
    pub(super) function: &'a FunctionInfo,
    /// its body
    pub(super) body: &'a Body,
    /// the expression
    pub(super) id: ExprId,
}

impl Part<'_> {
    /// Where the expression stands.
    pub(super) fn span(&self) -> Span {
        Span::new(self.function.file, self.body.expr(self.id).range)
    }

    /// What is wrong with the key, told where the expression stands.
    pub(super) fn violation(&self, rule: &'static str, message: &str, help: &str) -> Violation {
        Violation {
            rule,
            confidence: Confidence::Likely,
            message: message.to_owned(),
            help: help.to_owned(),
            place: Place::Source(self.span()),
            path: Vec::new(),
            handler: Some(self.function.path.to_string()),
            detail: Vec::new(),
        }
    }

    /// The locals with the name of a key into whose value the expression goes.
    pub(super) fn keys(&self, facts: &Facts<'_>) -> Vec<LocalId> {
        let Part { body, id, .. } = *self;
        let range = body.expr(id).range;
        let taken = body.statements().filter_map(|statement| match statement {
            Statement::Let { pat, value: Some(value), .. } if body.expr(*value).range.covers(range) => {
                match &body.pat(*pat).kind {
                    PatKind::Bind { local, .. } => Some(*local),
                    _ => None,
                }
            }
            _ => None,
        });
        let names = &facts.catalog.words.key_names;
        taken.filter(|local| has_any(body.locals[local.0 as usize].name.as_str(), names)).collect()
    }
}

/// The expressions of one kind, outside of tests.
pub(super) fn all<'a>(facts: &Facts<'a>, is: &dyn Fn(&FunctionInfo, &Body, ExprId) -> bool) -> Vec<Part<'a>> {
    let of = |(at, function): (usize, &'a FunctionInfo)| {
        let body = function.ir.body.as_deref().filter(|_| !function.test && !function.example)?;
        let found = (0..body.exprs.len() as u32).map(ExprId).filter(|&id| is(function, body, id));
        Some(found.map(|id| Part { number: FnId(at as u32), function, body, id }).collect::<Vec<_>>())
    };
    facts.program.functions.iter().enumerate().filter_map(of).flatten().collect()
}

/// Those of them of which keys are made: the function says so, or the local that takes what is made, which is then handed to
/// something that is waited for. What stays in the process may be known by whatever lasts as long.
pub(super) fn parts<'a>(facts: &Facts<'a>, is: &dyn Fn(&FunctionInfo, &Body, ExprId) -> bool) -> Vec<Part<'a>> {
    let mut found = all(facts, is);
    found.retain(|part| {
        let keys = part.keys(facts);
        let waited = |expr: &Expr| matches!(expr.kind, ExprKind::Await(waited) if mentions(part.body, waited, &keys));
        has_any(part.function.ir.name.as_str(), &facts.catalog.words.key_names) || part.body.exprs.iter().any(waited)
    });
    found
}
