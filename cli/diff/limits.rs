//! Timeouts, retry counts and retention times that code fixes, by the names that they stand under.
//!
//! In: the functions of a handler. Out: by name, the source text of each. Which names matter is a list of the catalog.

use std::collections::{BTreeMap, BTreeSet};

use super::snapshot::Known;
use crate::flow::{has_word, visit};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, LoopKind, Name, PatId, PatKind, Statement};
use crate::resolve::{BodyTypes, ConstId, FnId, ValueDef};
use crate::source::FileId;

/// How deep a constant is looked into; nobody writes one that is deeper.
const DEPTH: usize = 12;

/// The limits of some functions, sorted by name. Those of a handler itself stand without the name of its function, which
/// may change.
pub(super) fn limits(known: Known<'_>, handler: &[FnId], functions: &BTreeSet<FnId>) -> BTreeMap<String, String> {
    let mut limits = BTreeMap::new();
    for id in functions {
        let function = known.program.function(*id);
        let Some(body) = function.ir.body.as_deref() else { continue };
        let reader = Reader { known, body, types: &function.types, file: function.file };
        for (_, name, text) in reader.limits() {
            let name = if handler.contains(id) { name } else { format!("{} in {}", name, function.ir.name) };
            let mut names = std::iter::once(name.clone()).chain((2_u32..).map(|number| format!("{name} #{number}")));
            if let Some(free) = names.find(|name| !limits.contains_key(name)) {
                limits.insert(free, text);
            }
        }
    }
    limits
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    known: Known<'a>,
    body: &'a Body,
    types: &'a BodyTypes,
    file: FileId,
}

impl Reader<'_> {
    /// Place, name and text of each limit, in the order of the source.
    fn limits(self) -> Vec<(u32, String, String)> {
        let mut found = Vec::new();
        for id in (0..self.body.exprs.len() as u32).map(ExprId) {
            for (name, value) in self.named(id) {
                if self.is_constant(value, DEPTH) {
                    found.push((self.body.expr(value).range.start, name, self.text(value)));
                }
            }
            found.extend(self.interval(id));
        }
        found.sort();
        found.dedup();
        found
    }

    /// The values that an expression puts under a name that matters.
    fn named(self, id: ExprId) -> Vec<(String, ExprId)> {
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) if self.matters(call.name) => {
                call.args.iter().map(|arg| (call.name.to_string(), *arg)).collect()
            }
            ExprKind::Call { callee, args } => match self.name(*callee).filter(|name| self.matters(*name)) {
                Some(name) => args.iter().map(|arg| (name.to_string(), *arg)).collect(),
                None => Vec::new(),
            },
            ExprKind::Struct(literal) => {
                let fields = literal.fields.iter().filter(|(name, _)| self.matters(*name));
                fields.map(|(name, value)| (name.to_string(), *value)).collect()
            }
            ExprKind::Block(block) => block.statements.iter().filter_map(|statement| self.bound(statement)).collect(),
            ExprKind::Binary { op, left, right } if compares(*op) => [(*left, *right), (*right, *left)]
                .into_iter()
                .filter_map(|(of, value)| self.compared(of, value))
                .collect(),
            ExprKind::Loop(repeat) => match repeat.kind {
                LoopKind::For { pat, iterable } => self.rounds(pat, iterable).into_iter().collect(),
                LoopKind::Loop | LoopKind::While(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn bound(self, statement: &Statement) -> Option<(String, ExprId)> {
        let Statement::Let { pat, value: Some(value), .. } = statement else {
            return None;
        };
        let name = self.binding(*pat).filter(|name| self.matters(*name))?;
        Some((name.to_string(), *value))
    }

    fn compared(self, of: ExprId, value: ExprId) -> Option<(String, ExprId)> {
        let name = self.name(of).filter(|name| self.matters(*name))?;
        // a constant on this side is the value, not the name
        (!self.is_constant(of, DEPTH)).then(|| (name.to_string(), value))
    }

    /// `for _ in 0..3`, `for attempt in 1..=MAX`
    fn rounds(self, pat: PatId, iterable: ExprId) -> Option<(String, ExprId)> {
        let counts = self.binding(pat).is_none_or(|name| self.matters(name) || name.as_str().starts_with('_'));
        let range = matches!(self.body.expr(iterable).kind, ExprKind::Range { end: Some(_), .. });
        (counts && range).then(|| ("rounds".to_owned(), iterable))
    }

    /// `interval '30 days'` in a statement.
    fn interval(self, id: ExprId) -> Option<(u32, String, String)> {
        let expr = self.body.expr(id);
        let ExprKind::Literal(Literal::Str(text)) = &expr.kind else {
            return None;
        };
        let at = text.to_ascii_lowercase().find("interval '")?;
        let value = text.get(at + "interval '".len()..)?.split('\'').next()?;
        Some((expr.range.start, "interval".to_owned(), value.to_owned()))
    }

    fn binding(self, pat: PatId) -> Option<Name> {
        match &self.body.pat(pat).kind {
            PatKind::Bind { local, .. } => Some(self.body.locals[local.0 as usize].name),
            _ => None,
        }
    }

    /// The last name of what an expression names.
    fn name(self, id: ExprId) -> Option<Name> {
        match &self.body.expr(id).kind {
            ExprKind::Path(path) => path.segments.last().map(|segment| segment.name),
            ExprKind::Local(local) => Some(self.body.locals[local.0 as usize].name),
            ExprKind::Field { name, .. } => Some(*name),
            _ => None,
        }
    }

    fn matters(self, name: Name) -> bool {
        let name = name.as_str().to_ascii_lowercase();
        self.known.catalog.words.limit_names.iter().any(|word| has_word(&name, word))
    }

    /// Whether a value is fixed by the source.
    fn is_constant(self, id: ExprId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let inner = |id: ExprId| self.is_constant(id, depth);
        match &self.body.expr(id).kind {
            ExprKind::Literal(_) => true,
            ExprKind::Path(_) => matches!(self.types.path(id), Some(ValueDef::Consts(_) | ValueDef::External(_))),
            ExprKind::Call { callee, args } => {
                matches!(self.body.expr(*callee).kind, ExprKind::Path(_))
                    && args.iter().all(|arg| inner(*arg))
                    && !args.is_empty()
            }
            ExprKind::MethodCall(call) => inner(call.receiver) && call.args.iter().all(|arg| inner(*arg)),
            ExprKind::Binary { left, right, .. } => inner(*left) && inner(*right),
            ExprKind::Range { start, end } => start.iter().chain(end).all(|end| inner(*end)),
            ExprKind::Cast { value, .. } | ExprKind::Neg(value) => inner(*value),
            ExprKind::Tuple(items) | ExprKind::Array(items) => items.iter().all(|item| inner(*item)),
            _ => false,
        }
    }

    /// The source text of a constant, with what the constants of the workspace in it stand for.
    fn text(self, id: ExprId) -> String {
        let source = self.source(id);
        let meanings = self.meanings(id, DEPTH);
        let meanings = meanings.into_iter().map(|(name, value)| format!("{name} = {value}"));
        // a constant alone says nothing that its meaning does not
        let alone = matches!(self.types.path(id), Some(ValueDef::Consts(_)));
        let own = (!alone).then_some(source);
        own.into_iter().chain(meanings).collect::<Vec<_>>().join(", ")
    }

    fn source(self, id: ExprId) -> String {
        let range = self.body.expr(id).range;
        let text = self.known.workspace.file(self.file).text.get(range.start as usize..range.end as usize);
        text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The constants that a constant is made of.
    fn meanings(self, id: ExprId, depth: usize) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        let Some(depth) = depth.checked_sub(1) else {
            return found;
        };
        visit(self.body, id, &mut |id| {
            if let Some(ValueDef::Consts(ids)) = self.types.path(id) {
                for id in ids {
                    found.extend(self.meaning(*id, depth));
                }
            }
            true
        });
        found
    }

    fn meaning(self, id: ConstId, depth: usize) -> BTreeSet<(String, String)> {
        let constant = &self.known.program.consts[id.0 as usize];
        let Some(body) = constant.ir.body.as_deref() else {
            return BTreeSet::new();
        };
        let reader = Reader { body, types: &constant.types, file: constant.file, ..self };
        let mut found = reader.meanings(body.root, depth);
        found.insert((constant.ir.name.to_string(), reader.source(body.root)));
        found
    }
}

fn compares(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
