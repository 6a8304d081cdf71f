//! The next state of a machine: a function that tells the variants of a state apart and answers with another one of them.
//!
//! In: where a variant is put together. Out: an event where that is in the arm of another variant of the same enum.

use super::eval::Eval;
use super::events::{EventKind, Usage};
use super::outcome::made;
use crate::ir::{Arm, ExprKind, Name, PatId, PatKind};
use crate::resolve::{StructDef, TypeId};
use crate::source::Span;

/// A state that is chosen as the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// the arm of the state before
    pub from: (Span, u32),
    /// the arm in which the next one is worked on, if there is one
    pub to: Option<(Span, u32)>,
}

/// Notes that a variant is put together as the next state. What a word tells of needs no further look.
pub(crate) fn note(eval: &mut Eval<'_, '_>, ty: TypeId, variant: u32, span: Span) {
    let program = eval.engine.program;
    let answered = eval.function.is_some_and(|id| made::answers_with(program.function(id), ty));
    if !answered || !eval.decides_here() {
        return;
    }
    let found = eval.branches.iter().rev().find_map(|&(id, arm)| match &eval.body.expr(id).kind {
        ExprKind::Match { arms, .. } if of_arm(eval, arms, arm).iter().any(|(of, _)| *of == ty) => {
            Some((id, arm, arms))
        }
        _ => None,
    });
    let Some((id, arm, arms)) = found else {
        return;
    };
    if of_arm(eval, arms, arm).contains(&(ty, variant)) {
        return;
    }
    let info = program.type_(ty);
    let Some(declared) = info.ir.variants.get(variant as usize) else {
        return;
    };
    let path = Name::new(&format!("{}::{}", info.path, declared.name));
    if eval.engine.words.of_variant(path.as_str()).is_some() {
        return;
    }
    let to = (0..arms.len() as u32).find(|&arm| of_arm(eval, arms, arm).contains(&(ty, variant)));
    let of_match = eval.span_of(id);
    let next = Next { from: (of_match, arm), to: to.map(|arm| (of_match, arm)) };
    eval.calling = None;
    eval.event(EventKind::Next(next), span, path, Usage::Used);
}

/// The variants that an arm takes.
fn of_arm(eval: &Eval<'_, '_>, arms: &[Arm], arm: u32) -> Vec<(TypeId, u32)> {
    let mut found = Vec::new();
    let mut left: Vec<PatId> = arms.get(arm as usize).map(|arm| arm.pat).into_iter().collect();
    while let Some(pat) = left.pop() {
        match &eval.body.pat(pat).kind {
            PatKind::Or(choices) => left.extend(choices.iter().copied()),
            PatKind::Bind { inner: Some(inner), .. } => left.push(*inner),
            _ => {
                if let Some(StructDef::Local(ty, variant)) = eval.types.pattern(pat) {
                    found.push((*ty, *variant));
                }
            }
        }
    }
    found
}
