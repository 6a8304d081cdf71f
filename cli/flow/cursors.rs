//! Cursors: how far something was taken that comes one after the other, as it is kept for the next start.
//!
//! In: the bodies of functions that keep one, by its name. Out: where it is moved past what was taken before that is handed
//! on. It follows names and not values.

use rustc_hash::FxHashSet;

use super::events::parents;
use super::scope::{begins_with_any, has_word, is_pause};
use super::walk::{self, any, bound_by};
use crate::catalog::Words;
use crate::ir::{Body, ExprId, ExprKind, LocalId, LoopKind, Name, PatId, PathIr, Statement};
use crate::resolve::{FnId, FunctionInfo, Program};
use crate::source::{FileId, Span, TextRange};

/// Locals that a position is made of, or that are made of what was taken.
const MAX_LOCALS: usize = 24;

/// A cursor that is stored before what it passes over is dealt with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advance {
    /// the function in which that is
    pub function: FnId,
    /// where it is stored
    pub at: Span,
    /// where it is read
    pub read: Span,
    /// where what was taken is handed on only then
    pub handed: Span,
}

/// The cursors of a program that are moved too early, in order.
pub fn advances(program: &Program, words: &Words) -> Vec<Advance> {
    let functions = program.functions.iter().map(|function| function.ir.name);
    let constants = program.consts.iter().map(|constant| constant.ir.name);
    let names: FxHashSet<Name> = functions.chain(constants).filter(|name| is_cursor(words, name.as_str())).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (at, function) in program.functions.iter().enumerate().filter(|(_, known)| !known.test && !known.example) {
        out.extend(of_function(words, &names, FnId(at as u32), function));
    }
    out
}

/// `last_settle_index`, `LAST_FETCH_TIMESTAMP_KEY`, `save_cursor`
fn is_cursor(words: &Words, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |list: &[String]| list.iter().any(|word| has_word(&name, word));
    has(&words.cursor_names) || has_word(&name, "last") && has(&words.position_names)
}

fn of_function(words: &Words, names: &FxHashSet<Name>, id: FnId, function: &FunctionInfo) -> Vec<Advance> {
    let Some(body) = function.ir.body.as_deref() else {
        return Vec::new();
    };
    let mentions = |expr: &ExprKind| match expr {
        ExprKind::MethodCall(call) => names.contains(&call.name),
        ExprKind::Path(path) => path.segments.last().is_some_and(|last| names.contains(&last.name)),
        _ => false,
    };
    if !body.exprs.iter().any(|expr| mentions(&expr.kind)) {
        return Vec::new();
    }
    let known = Known { words, names, body, file: function.file, parents: parents(body) };
    let calls: Vec<Access> = (0..body.exprs.len()).filter_map(|at| known.access(ExprId(at as u32))).collect();
    let mut out: Vec<Advance> = Vec::new();
    for write in calls.iter().filter(|call| call.writes) {
        let earlier = |call: &&Access| !call.writes && known.start(call.at) < known.start(write.at);
        let Some(read) = calls.iter().find(earlier) else {
            continue;
        };
        let Some(handed) = known.handed_after(write).map(|at| known.span(at)) else {
            continue;
        };
        if out.iter().all(|other| other.handed != handed) {
            out.push(Advance { function: id, at: known.span(write.at), read: known.span(read.at), handed });
        }
    }
    out
}

/// A call by which a cursor is read or stored.
struct Access {
    at: ExprId,
    writes: bool,
    /// what is stored, and in what
    given: Vec<ExprId>,
}

struct Known<'b> {
    words: &'b Words,
    names: &'b FxHashSet<Name>,
    body: &'b Body,
    file: FileId,
    parents: Vec<Option<ExprId>>,
}

impl Known<'_> {
    fn start(&self, id: ExprId) -> u32 {
        self.body.expr(id).range.start
    }

    fn end(&self, id: ExprId) -> u32 {
        self.body.expr(id).range.end
    }

    fn span(&self, id: ExprId) -> Span {
        let mut range = self.body.expr(id).range;
        if let ExprKind::MethodCall(call) = &self.body.expr(id).kind {
            range.start = call.name_range.start;
        }
        Span::new(self.file, range)
    }

    /// The name of a call and what it is given.
    fn call(&self, id: ExprId) -> Option<(Name, &[ExprId], Option<ExprId>)> {
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) => Some((call.name, &call.args, Some(call.receiver))),
            ExprKind::Call { callee, args } => match &self.body.expr(*callee).kind {
                ExprKind::Path(path) if path.of_option_or_result().is_none() => {
                    Some((path.segments.last()?.name, args, None))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn access(&self, id: ExprId) -> Option<Access> {
        let (name, args, receiver) = self.call(id)?;
        let is_key = |path: &PathIr| {
            let last = path.segments.last().map(|last| last.name);
            last.is_some_and(|last| self.names.contains(&last) && !last.as_str().contains(char::is_lowercase))
        };
        let key = |arg: &ExprId| matches!(&self.body.expr(*arg).kind, ExprKind::Path(path) if is_key(path));
        // The first word says what a function does, the others mostly what with.
        let begins = |verbs: &[String]| begins_with_any(name.as_str(), verbs);
        let has = |verbs: &[String]| verbs.iter().any(|verb| has_word(name.as_str(), verb));
        let (storing, asking) = (&self.words.storing_verbs, &self.words.query_verbs);
        let (writes, reads) = match (begins(storing), begins(asking)) {
            (false, false) => (has(storing), has(asking)),
            known => known,
        };
        if !(self.names.contains(&name) || args.iter().any(key)) || writes == reads {
            return None;
        }
        let given = args.iter().copied().filter(|arg| !key(arg)).chain(receiver).collect();
        Some(Access { at: id, writes, given })
    }

    /// Where what the position is read of is handed on only behind a write.
    fn handed_after(&self, write: &Access) -> Option<ExprId> {
        let stored = self.stored_at(write)?;
        let taken = self.taken(write);
        let first = taken.iter().filter_map(|&local| {
            let begin = self.body.locals[local.0 as usize].range.end;
            let before = self.hand_over(local, begin, self.start(write.at), write);
            before.is_none().then(|| self.hand_over(local, stored, u32::MAX, write)).flatten()
        });
        first.min_by_key(|&at| self.start(at))
    }

    /// Where the write is there for good: behind the commit of its transaction, if it is handed one.
    fn stored_at(&self, write: &Access) -> Option<u32> {
        let transaction = write.given.iter().find_map(|&given| match self.body.expr(given).kind {
            ExprKind::Local(local) => {
                let name = self.body.locals[local.0 as usize].name;
                let is = |word: &String| has_word(name.as_str(), word);
                self.words.transaction_names.iter().any(is).then_some(local)
            }
            _ => None,
        });
        let Some(transaction) = transaction else {
            return Some(self.end(write.at));
        };
        let commits = |at: &ExprId| match &self.body.expr(*at).kind {
            ExprKind::MethodCall(call) => {
                let own = matches!(self.body.expr(call.receiver).kind, ExprKind::Local(local) if local == transaction);
                own && call.name.as_str() == "commit" && self.start(*at) > self.start(write.at)
            }
            _ => false,
        };
        let ids = (0..self.body.exprs.len()).map(|at| ExprId(at as u32));
        ids.filter(commits).map(|at| self.end(at)).min()
    }

    /// The locals of which the position is a part: `message.index`, `rows.last()`.
    fn taken(&self, write: &Access) -> Vec<LocalId> {
        let mut locals: Vec<LocalId> = Vec::new();
        let mut taken = Vec::new();
        let mut exprs = write.given.clone();
        let mut next = 0;
        while exprs.len() < MAX_LOCALS * 2 {
            let Some(&at) = exprs.get(next) else {
                break;
            };
            next += 1;
            for inner in self.below(at) {
                let part = match &self.body.expr(inner).kind {
                    ExprKind::Field { base, .. } => Some(*base),
                    ExprKind::MethodCall(call)
                        if self.words.walking_calls.iter().any(|name| name == call.name.as_str()) =>
                    {
                        Some(call.receiver)
                    }
                    ExprKind::Local(local) => {
                        if locals.len() < MAX_LOCALS && !locals.contains(local) {
                            locals.push(*local);
                            exprs.extend(self.made_of(*local, self.start(write.at)));
                        }
                        None
                    }
                    _ => None,
                };
                let local = part.and_then(|part| match self.body.expr(part).kind {
                    ExprKind::Local(local) => Some(local),
                    _ => None,
                });
                if let Some(local) = local.filter(|local| self.body.locals[local.0 as usize].name.as_str() != "self") {
                    taken.push(local);
                }
            }
        }
        taken.dedup();
        taken
    }

    fn below(&self, id: ExprId) -> Vec<ExprId> {
        let mut out = Vec::new();
        walk::visit(self.body, id, &mut |at| {
            out.push(at);
            !matches!(self.body.expr(at).kind, ExprKind::Block(_))
        });
        out
    }

    /// What a local is bound to or set to, in front of a place.
    fn made_of(&self, local: LocalId, before: u32) -> Vec<ExprId> {
        let mut out = Vec::new();
        out.extend(self.body.bound(local));
        let binds = |pat| {
            let mut bound = Vec::new();
            bound_by(self.body, pat, &mut bound);
            bound.contains(&local)
        };
        for expr in self.body.exprs.iter().filter(|expr| expr.range.start < before) {
            match &expr.kind {
                ExprKind::Assign { target, value } | ExprKind::AssignOp { target, value, .. } => {
                    let own = matches!(self.body.expr(*target).kind, ExprKind::Local(other) if other == local);
                    out.extend(own.then_some(*value));
                }
                ExprKind::Let { pat, value } if binds(*pat) => out.push(*value),
                ExprKind::Match { value, arms } if arms.iter().any(|arm| binds(arm.pat)) => out.push(*value),
                _ => {}
            }
        }
        out
    }

    /// Where a local, or what is made of it, is handed on between two places, on a way that the write is on.
    fn hand_over(&self, local: LocalId, from: u32, to: u32, write: &Access) -> Option<ExprId> {
        let mut made = vec![local];
        let apart = self.apart(write.at);
        let within = |at: ExprId| {
            self.start(at) >= from
                && self.end(at) <= to
                && !apart.iter().any(|arm| arm.covers(self.body.expr(at).range))
        };
        // Blocks in blocks come in any order.
        let mut known = 0;
        while known < made.len() && made.len() < MAX_LOCALS {
            known = made.len();
            for (pat, value) in self.lets().filter(|(_, value)| within(*value)) {
                if self.mentions(value, &made) {
                    bound_by(self.body, pat, &mut made);
                }
            }
            made.sort_unstable();
            made.dedup();
        }
        let ids = (0..self.body.exprs.len()).map(|at| ExprId(at as u32));
        ids.filter(|&at| within(at) && self.hands_over(at, &made, write.at)).min_by_key(|&at| self.start(at))
    }

    /// What `let` binds, and to what.
    fn lets(&self) -> impl Iterator<Item = (PatId, ExprId)> {
        self.body.statements().filter_map(|statement| match statement {
            Statement::Let { pat, value: Some(value), .. } => Some((*pat, *value)),
            _ => None,
        })
    }

    fn mentions(&self, id: ExprId, locals: &[LocalId]) -> bool {
        any(self.body, id, &|at| matches!(self.body.expr(at).kind, ExprKind::Local(local) if locals.contains(&local)))
    }

    fn hands_over(&self, at: ExprId, locals: &[LocalId], write: ExprId) -> bool {
        let waits = |id: ExprId| any(self.body, id, &|at| matches!(self.body.expr(at).kind, ExprKind::Await(_)));
        match &self.body.expr(at).kind {
            ExprKind::Return(Some(value)) | ExprKind::Break { value: Some(value), .. } => {
                let error = any(
                    self.body,
                    *value,
                    &|at| matches!(&self.body.expr(at).kind, ExprKind::Path(path) if path.of_option_or_result() == Some("Err")),
                );
                !error && self.mentions(*value, locals)
            }
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::For { iterable, .. } => self.mentions(iterable, locals) && waits(repeat.body),
                _ => false,
            },
            _ => {
                let Some((name, args, _)) = self.call(at) else {
                    return false;
                };
                let awaited = walk::parent(&self.parents, at)
                    .is_some_and(|parent| matches!(self.body.expr(parent).kind, ExprKind::Await(_)));
                let cursor = at == write || self.access(at).is_some();
                awaited
                    && !cursor
                    && !begins_with_any(name.as_str(), &self.words.query_verbs)
                    && !is_pause(name, self.words)
                    && args.iter().any(|&arg| self.mentions(arg, locals))
            }
        }
    }

    /// The arms beside the one in which something stands.
    fn apart(&self, id: ExprId) -> Vec<TextRange> {
        let mut out = Vec::new();
        let mut at = id;
        while let Some(parent) = walk::parent(&self.parents, at) {
            match &self.body.expr(parent).kind {
                ExprKind::If { condition, then, otherwise } if at != *condition => {
                    let arms = [Some(*then), *otherwise].into_iter().flatten().filter(|arm| *arm != at);
                    out.extend(arms.map(|arm| self.body.expr(arm).range));
                }
                ExprKind::Match { value, arms } if at != *value => {
                    let beside = arms.iter().filter(|arm| arm.body != at);
                    out.extend(beside.map(|arm| self.body.expr(arm.body).range));
                }
                _ => {}
            }
            at = parent;
        }
        out
    }
}
