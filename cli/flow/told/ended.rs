//! Arms of branches that are left for good: who has taken one does not come to what stands behind the branch.
//!
//! In: a body. Out: the arms whose every way ends the function, or the closure, async block or round of a loop around them.
//! What an arm may leave by the way (`?`) does not count.

use crate::ir::{BlockKind, Body, ExprId, ExprKind, Name, Statement};
use crate::source::{FileId, Span, TextRange};

use crate::flow::facts::EndedArm;
use crate::flow::walk;

/// The arms that are left for good, by the place of their branch.
pub(super) fn arms(body: &Body, file: FileId) -> Vec<EndedArm> {
    let whole = TextRange { start: 0, end: u32::MAX };
    let mut search = Search { body, file, frame: whole, around: Vec::new(), found: Vec::new() };
    if !body.exprs.is_empty() {
        search.ends(body.root);
    }
    search.found.sort_by_key(|arm| arm.branch);
    search.found
}

struct Search<'b> {
    body: &'b Body,
    file: FileId,
    /// what `return` ends: the function, or a closure or async block of its own
    frame: TextRange,
    /// what `break` and `continue` end: label, whether it is a loop, its text
    around: Vec<(Option<Name>, bool, TextRange)>,
    found: Vec<EndedArm>,
}

/// What is left for good.
#[derive(Clone, Copy)]
struct Left {
    within: TextRange,
    /// by `continue`
    again: bool,
}

impl Search<'_> {
    /// What every way through an expression ends, if it ends something: the narrower one of two.
    fn ends(&mut self, id: ExprId) -> Option<Left> {
        let body = self.body;
        let range = body.expr(id).range;
        match &body.expr(id).kind {
            ExprKind::If { condition, then, otherwise } => {
                let before = self.ends(*condition);
                let yes = self.arm((id, 0), *then);
                let no = otherwise.and_then(|otherwise| self.arm((id, 1), otherwise));
                before.or(narrower(yes, no))
            }
            ExprKind::Match { value, arms } => {
                let before = self.ends(*value);
                let mut all: Option<Option<Left>> = None;
                for (number, arm) in arms.iter().enumerate() {
                    arm.guard.map(|guard| self.ends(guard));
                    let ended = self.arm((id, number as u32), arm.body);
                    all = Some(all.map_or(ended, |others| narrower(others, ended)));
                }
                before.or(all.flatten())
            }
            ExprKind::Block(block) if block.kind == BlockKind::Async => {
                self.apart(range, |search| search.statements(&block.statements, block.tail));
                None
            }
            ExprKind::Block(block) if block.label.is_some() => {
                self.around.push((block.label, false, range));
                let ended = self.statements(&block.statements, block.tail);
                self.around.pop();
                ended.filter(|ended| ended.within != range)
            }
            ExprKind::Block(block) => self.statements(&block.statements, block.tail),
            ExprKind::Closure(closure) => {
                self.apart(range, |search| search.ends(closure.body));
                None
            }
            ExprKind::Loop(repeat) => {
                self.around.push((repeat.label, true, range));
                walk::children(body, id).into_iter().for_each(|inner| _ = self.ends(inner));
                self.around.pop();
                None
            }
            ExprKind::Binary { left, right, op } if !op.compares() => {
                let ended = self.ends(*left);
                self.ends(*right);
                ended
            }
            ExprKind::Concurrent(_) => {
                walk::children(body, id).into_iter().for_each(|inner| _ = self.ends(inner));
                None
            }
            ExprKind::Return(value) => {
                value.map(|value| self.ends(value));
                Some(Left { within: self.frame, again: false })
            }
            ExprKind::Break { label, value } => {
                value.map(|value| self.ends(value));
                self.left(*label, false)
            }
            ExprKind::Continue { label } => self.left(*label, true),
            ExprKind::Format(format) if matches!(format.name.as_str(), "panic" | "todo" | "unimplemented") => {
                Some(Left { within: self.frame, again: false })
            }
            _ => {
                let all = walk::children(body, id).into_iter().map(|inner| self.ends(inner)).collect::<Vec<_>>();
                all.into_iter().flatten().next()
            }
        }
    }

    fn statements(&mut self, statements: &[Statement], tail: Option<ExprId>) -> Option<Left> {
        let mut ended = None;
        for statement in statements {
            let here = match statement {
                Statement::Let { value, otherwise, .. } => {
                    let given = value.and_then(|value| self.ends(value));
                    otherwise.map(|otherwise| self.arm((otherwise, 1), otherwise));
                    given
                }
                Statement::Expr(id) => self.ends(*id),
            };
            ended = ended.or(here);
        }
        let last = tail.and_then(|tail| self.ends(tail));
        ended.or(last)
    }

    fn arm(&mut self, (branch, number): (ExprId, u32), taken: ExprId) -> Option<Left> {
        let ended = self.ends(taken)?;
        let branch = (Span::new(self.file, self.body.expr(branch).range), number);
        self.found.push(EndedArm { branch, within: ended.within, again: ended.again });
        Some(ended)
    }

    /// Looks into something that is left on its own.
    fn apart(&mut self, range: TextRange, look: impl FnOnce(&mut Self) -> Option<Left>) {
        let (frame, around) = (std::mem::replace(&mut self.frame, range), std::mem::take(&mut self.around));
        look(self);
        (self.frame, self.around) = (frame, around);
    }

    fn left(&self, label: Option<Name>, again: bool) -> Option<Left> {
        let meant = self.around.iter().rev().find(|(own, is_loop, _)| match label {
            Some(_) => *own == label,
            None => *is_loop,
        });
        meant.map(|(_, _, range)| Left { within: *range, again })
    }
}

/// The narrower one of two, where both are there.
fn narrower(a: Option<Left>, b: Option<Left>) -> Option<Left> {
    let (a, b) = (a?, b?);
    Some(if a.within.covers(b.within) { b } else { a })
}
