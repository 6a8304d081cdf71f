//! Which columns a function takes of a row that a call in it was answered with.
//!
//! In: a body and a call. Out: the names or places of the columns that are taken out of the row, or nothing where the row goes
//! on as a whole: whoever has all of it may look at any of it.

use super::{MAX_CLIMB, MAX_LOCALS, Turns};
use crate::flow::events::is_read;
use crate::flow::walk;
use crate::ir::{ExprId, ExprKind, Literal, LocalId, LoopKind, Name, PatId, PatKind, Statement};
use crate::source::Span;

/// Patterns inside each other that are taken apart.
const MAX_PATTERNS: usize = 8;

/// What is taken of a row so far, and the locals that the row is in.
#[derive(Default)]
struct Row {
    columns: Vec<Name>,
    locals: Vec<LocalId>,
}

impl Row {
    fn takes(&mut self, columns: impl IntoIterator<Item = Name>) -> Option<()> {
        self.columns.extend(columns);
        Some(())
    }
}

impl Turns<'_> {
    /// The columns that are taken of what a call at a place answered, none where all of it goes on.
    pub(crate) fn taken(&self, call: Span) -> Option<Vec<Name>> {
        let call = self.at(call)?;
        // `query_row(sql, params, |row| Ok((row.get(0)?, row.get(1)?)))`
        let read = match &self.body.expr(call).kind {
            ExprKind::MethodCall(called) => called.args.iter().find_map(|&arg| self.taken_by(arg)),
            _ => None,
        };
        let mut row = Row::default();
        let goes_on = self.follow_row(call, &mut row).is_none();
        match (read, goes_on) {
            (read, true) => read,
            (None, false) => Some(row.columns),
            (Some(read), false) => {
                let of = |column: Name| column.as_str().parse().ok().and_then(|at: usize| read.get(at).copied());
                Some(row.columns.into_iter().map(|column| of(column).unwrap_or(column)).collect())
            }
        }
    }

    /// What a closure takes of the row that it is called with.
    fn taken_by(&self, closure: ExprId) -> Option<Vec<Name>> {
        let ExprKind::Closure(closure) = &self.body.expr(closure).kind else {
            return None;
        };
        let mut row = Row::default();
        self.parts(closure.params.first()?.0, &mut row, 0)?;
        self.mentions(&mut row)?;
        Some(row.columns)
    }

    fn follow_row(&self, from: ExprId, row: &mut Row) -> Option<()> {
        self.take(from, row)?;
        self.mentions(row)
    }

    /// Takes apart what all locals are used for that the row is in.
    fn mentions(&self, row: &mut Row) -> Option<()> {
        let mut next = 0;
        while let Some(&local) = row.locals.get(next) {
            next += 1;
            for at in 0..self.body.exprs.len() {
                if matches!(self.body.exprs[at].kind, ExprKind::Local(other) if other == local) {
                    self.take(ExprId(at as u32), row)?;
                }
            }
        }
        (row.locals.len() < MAX_LOCALS).then_some(())
    }

    /// Goes from a row to what is taken of it, or to the locals that it is put into.
    fn take(&self, from: ExprId, row: &mut Row) -> Option<()> {
        let mut at = from;
        for _ in 0..MAX_CLIMB {
            let parent = walk::parent(&self.parents, at)?;
            match &self.body.expr(parent).kind {
                ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Deref(_) => {}
                ExprKind::MethodCall(call) if call.receiver == at && hands_on(call.name.as_str()) => {}
                ExprKind::MethodCall(call) if call.receiver == at => return self.asked_of(&call.name, &call.args, row),
                ExprKind::Field { name, .. } => return row.takes([*name]),
                ExprKind::Index { base, index } if *base == at => return row.takes([self.literal(*index)?]),
                ExprKind::Let { pat, value } if *value == at => return self.parts(*pat, row, 0),
                ExprKind::Match { value, arms } if *value == at => {
                    return arms.iter().try_for_each(|arm| self.parts(arm.pat, row, 0));
                }
                // the value of an arm is the value of the branching
                ExprKind::If { condition, .. } if *condition != at => {}
                ExprKind::Match { arms, .. } if arms.iter().any(|arm| arm.body == at) => {}
                ExprKind::Loop(repeat) => match repeat.kind {
                    LoopKind::For { pat, iterable } if iterable == at => return self.parts(pat, row, 0),
                    _ => return None,
                },
                ExprKind::Block(block) if block.tail == Some(at) => {}
                ExprKind::Block(block) => {
                    let bound = block.statements.iter().find_map(|statement| match statement {
                        Statement::Let { pat, value: Some(value), .. } if *value == at => Some(*pat),
                        _ => None,
                    });
                    return bound.map_or(Some(()), |pat| self.parts(pat, row, 0));
                }
                _ => return None,
            }
            at = parent;
        }
        None
    }

    /// What a method takes of the row that it is called on: a column by its name or place, or what its closure takes.
    fn asked_of(&self, name: &Name, args: &[ExprId], row: &mut Row) -> Option<()> {
        if matches!(name.as_str(), "is_some" | "is_none" | "is_ok" | "is_err" | "is_empty" | "len") {
            return Some(());
        }
        match args {
            &[arg] => match &self.body.expr(arg).kind {
                ExprKind::Closure(closure) => self.parts(closure.params.first()?.0, row, 0),
                _ => row.takes([self.literal(arg)?]),
            },
            _ => None,
        }
    }

    fn literal(&self, id: ExprId) -> Option<Name> {
        match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(name)) => Some(Name::new(name)),
            ExprKind::Literal(Literal::Int(place)) => Some(Name::new(&place.to_string())),
            _ => None,
        }
    }

    /// What a pattern takes of a row.
    fn parts(&self, pat: PatId, row: &mut Row, depth: usize) -> Option<()> {
        let unread = |part: PatId| match self.body.pat(part).kind {
            PatKind::Wild => true,
            PatKind::Bind { local, inner: None } => !is_read(self.body, local),
            _ => false,
        };
        match &self.body.pat(pat).kind {
            _ if depth > MAX_PATTERNS => None,
            PatKind::Wild | PatKind::Path(_) => Some(()),
            PatKind::Bind { local, inner: None } => {
                if !row.locals.contains(local) {
                    row.locals.push(*local);
                }
                Some(())
            }
            PatKind::TupleStruct { path, elements, .. } => match path.of_option_or_result() {
                Some("Some" | "Ok") => elements.iter().try_for_each(|&inner| self.parts(inner, row, depth + 1)),
                Some("Err") => Some(()),
                _ => None,
            },
            PatKind::Tuple(parts) => {
                let hidden = |part: &PatId| matches!(self.body.pat(*part).kind, PatKind::Opaque);
                let taken = parts.iter().enumerate().filter(|(_, part)| !unread(**part));
                row.takes(taken.map(|(place, _)| Name::new(&place.to_string())))?;
                (!parts.iter().any(hidden)).then_some(())
            }
            PatKind::Struct { fields, .. } => {
                let taken = fields.iter().filter(|(_, part)| !unread(*part));
                row.takes(taken.map(|(name, _)| *name))
            }
            PatKind::Or(choices) => choices.iter().try_for_each(|&choice| self.parts(choice, row, depth + 1)),
            _ => None,
        }
    }
}

/// Whether a method only hands on the row that it is called on, or the one row of what it is called on.
fn hands_on(name: &str) -> bool {
    matches!(
        name,
        "as_deref"
            | "as_ref"
            | "clone"
            | "cloned"
            | "context"
            | "expect"
            | "first"
            | "into_iter"
            | "iter"
            | "map_err"
            | "next"
            | "ok"
            | "ok_or"
            | "ok_or_else"
            | "optional"
            | "pop"
            | "transpose"
            | "unwrap"
            | "with_context"
    )
}
