//! Bytes that are spelled one by one: `digest.iter().map(|byte| format!("{byte:02x}")).collect()`.

use super::super::template;
use super::{Reader, Width};
use crate::ir::{ExprId, ExprKind};

impl Reader<'_, '_> {
    /// The length of a text into which the bytes of something are put together, each as two digits.
    pub(super) fn spelled(&self, collected: ExprId) -> Option<Width> {
        let ExprKind::MethodCall(collect) = &self.body.expr(collected).kind else {
            return None;
        };
        if !matches!(collect.name.as_str(), "collect" | "concat") {
            return None;
        }
        let ExprKind::MethodCall(map) = &self.body.expr(collect.receiver).kind else {
            return None;
        };
        let &[each] = &map.args[..] else {
            return None;
        };
        if map.name.as_str() != "map" || !self.is_two_digits(each) {
            return None;
        }
        let mut bytes = map.receiver;
        while let ExprKind::MethodCall(call) = &self.body.expr(bytes).kind {
            match call.name.as_str() {
                "iter" | "into_iter" | "copied" | "cloned" | "bytes" => bytes = call.receiver,
                _ => break,
            }
        }
        let width = Reader { depth: self.depth + 1, ..*self }.of(bytes)?;
        self.here(collected, width.least.saturating_mul(2))
    }

    /// Whether a closure writes what it is given as two hexadecimal digits, and nothing else.
    fn is_two_digits(&self, closure: ExprId) -> bool {
        let ExprKind::Closure(closure) = &self.body.expr(closure).kind else {
            return false;
        };
        let written = match &self.body.expr(closure.body).kind {
            ExprKind::Block(block) => block.tail.unwrap_or(closure.body),
            _ => closure.body,
        };
        let ExprKind::Format(call) = &self.body.expr(written).kind else {
            return false;
        };
        call.template.as_deref().is_some_and(|template| {
            let alone = template::parts(template).count() == 1;
            alone && template::in_hexadecimal(template) == [true] && template.contains(":02")
        })
    }
}
