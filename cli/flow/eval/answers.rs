//! What a function answers with: the words for it, errors that become an answer, and what is kept to be told of later.

use super::super::events::{EventKind, Usage};
use super::super::value::{Atom, Value};
use super::super::{has_word, outcome, walk};
use super::Eval;
use crate::ir::{ExprId, ExprKind, Literal, LocalId, Name, PatId, PatKind, Statement};
use crate::resolve::{Callee, StructDef, Ty, TypeId, ValueDef};
use crate::source::Span;
use crate::sql::{self, Set};

/// Calls between an error and the answer that is made of it.
const MAX_CHAIN: usize = 12;

impl<'p> Eval<'_, 'p> {
    /// The catalog's word for what an expression answers with: the first variant or constant in it that has one.
    pub(super) fn answer(&self, id: ExprId) -> Option<Name> {
        let mut work = vec![id];
        for _ in 0..outcome::MAX_ASKED {
            let id = work.pop()?;
            let path = match (&self.body.expr(id).kind, self.types.callee(id)) {
                (ExprKind::Path(_), _) => self.path_name(id),
                (_, Some(Callee::External(path) | Callee::Unresolved(path))) => Some(*path),
                (_, Some(Callee::Constructor(ty, variant))) => self.variant_path(*ty, *variant),
                (ExprKind::Struct(_), _) => match self.types.structure(id) {
                    Some(StructDef::Local(ty, variant)) => self.variant_path(*ty, *variant),
                    _ => None,
                },
                _ => None,
            };
            if self.answers_with_error(id) {
                return Some(Name::new(self.status_of(id).unwrap_or("rejected")));
            }
            if let Some(means) = path.and_then(|path| self.engine.words.of_variant(path.as_str())) {
                return Some(Name::new(means));
            }
            match &self.body.expr(id).kind {
                ExprKind::Closure(_) => {}
                // What is answered where nothing is there is not what is answered as a rule.
                ExprKind::MethodCall(call) if call.name == "ok_or" => work.push(call.receiver),
                _ => work.extend(walk::children(self.body, id).into_iter().rev()),
            }
        }
        None
    }

    /// Whether a call makes an answer of the error that a branch has in its hands: whoever asked hears of it. Its text alone
    /// is an answer like any other.
    fn answers_with_error(&self, id: ExprId) -> bool {
        let words = &self.engine.catalog.words.response_calls;
        let mut at = id;
        for number in 0..MAX_CHAIN {
            at = match &self.body.expr(at).kind {
                ExprKind::MethodCall(call) if number == 0 && !words.iter().any(|name| name == call.name.as_str()) => {
                    return false;
                }
                ExprKind::MethodCall(call) if call.name.as_str() == "to_string" => return false,
                ExprKind::MethodCall(call) => call.receiver,
                ExprKind::Field { base, .. } => *base,
                ExprKind::Deref(inner) => *inner,
                ExprKind::Local(local) => return number > 0 && self.is_error_of_arm(*local),
                _ => return false,
            };
        }
        false
    }

    /// Whether a local is what an arm for errors binds.
    pub(super) fn is_error_of_arm(&self, local: LocalId) -> bool {
        let binds = |pat: PatId| {
            let PatKind::TupleStruct { path, .. } = &self.body.pat(pat).kind else {
                return false;
            };
            let mut locals = Vec::new();
            walk::bound_by(self.body, pat, &mut locals);
            path.of_option_or_result() == Some("Err") && locals.contains(&local)
        };
        self.body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| binds(arm.pat)),
            ExprKind::Let { pat, .. } => binds(*pat),
            _ => false,
        })
    }

    /// What an expression gives whose branches ask about answers: a state that is chosen by an answer tells of it.
    pub(super) fn chosen_by(&self, about: &[Span], id: ExprId, chosen: Value) -> Value {
        let told = match self.ty(id) {
            Ty::External(path, args) if path.as_str() == "std::result::Result" => args.first().unwrap_or(&Ty::Unknown),
            other => other,
        };
        if about.is_empty() || !self.engine.tells_outcome(told) {
            return chosen;
        }
        let reply = |&site: &Span| Atom::reply(site, false);
        chosen.with_atoms(&about.iter().map(reply).collect::<Vec<_>>())
    }

    /// The word for the statuses that a function of the workspace names, which makes an answer of an error.
    fn status_of(&self, id: ExprId) -> Option<&'p str> {
        let Some(Callee::Functions(ids)) = self.types.callee(id) else {
            return None;
        };
        let info = self.engine.program.function(*ids.first().filter(|_| ids.len() == 1)?);
        let body = info.ir.body.as_deref()?;
        let paths = (0..body.exprs.len()).filter_map(|at| match info.types.path(ExprId(at as u32))? {
            ValueDef::External(path) | ValueDef::Unresolved(path) => Some(*path),
            _ => None,
        });
        let words: Vec<&str> = paths.filter_map(|path| self.engine.words.of_variant(path.as_str())).collect();
        let good = |word: &&str| *word == "confirmed";
        words.iter().find(|word| !good(word)).or(words.first()).copied()
    }

    /// Where the outcome of a dispatch is looked at, something is put into a local from before that the function answers
    /// with, or ends by.
    pub(crate) fn noted(&mut self, into: ExprId, at: ExprId) {
        let mut target = into;
        while let ExprKind::Deref(inner) | ExprKind::Field { base: inner, .. } = self.body.expr(target).kind {
            target = inner;
        }
        let ExprKind::Local(local) = self.body.expr(target).kind else {
            return;
        };
        let made = self.body.locals[local.0 as usize].range;
        let around = self.branches.iter().find(|(id, _)| made.end <= self.body.expr(*id).range.start);
        let Some(&(first, _)) = around else {
            return;
        };
        let marks = self.branch_marks();
        let looked_at = self.conditions.iter().any(|known| !known.about.is_empty() && marks.contains(&known.branch));
        if looked_at && self.answers_by(local, self.body.expr(first).range.end) {
            self.calling = None;
            self.event(EventKind::Noted, self.span_of(at), Name::new("noted"), Usage::Used);
        }
    }

    /// An arm gives the word for a failure, `Err(_) => StatusCode::BAD_GATEWAY`, and what its branch gives is kept for the
    /// answer: whoever asked hears of it.
    pub(super) fn answers_later(&mut self, branch: ExprId, body: ExprId) {
        let kept = walk::parent(&self.parents, branch).and_then(|parent| match &self.body.expr(parent).kind {
            ExprKind::Block(block) => block.statements.iter().find_map(|statement| match statement {
                Statement::Let { pat, value: Some(value), .. } if *value == branch => Some(*pat),
                _ => None,
            }),
            _ => None,
        });
        let Some(kept) = kept.filter(|_| self.state.reachable) else {
            return;
        };
        let mut given = body;
        while let ExprKind::Block(block) = &self.body.expr(given).kind {
            match block.tail {
                Some(tail) => given = tail,
                None => return,
            }
        }
        let fails = self.answer(given).is_some_and(|word| word.as_str() != "confirmed");
        let mut locals = Vec::new();
        walk::bound_by(self.body, kept, &mut locals);
        let from = self.body.expr(branch).range.end;
        if fails && locals.iter().any(|&local| self.answers_by(local, from)) {
            self.calling = None;
            self.event(EventKind::Noted, self.span_of(given), Name::new("noted"), Usage::Used);
        }
    }

    /// A branch chooses the statement that is run behind it: the state that this writes is decided here.
    pub(super) fn statement_chosen(&mut self, id: ExprId, value: &Value) {
        let is_text = matches!(self.body.expr(id).kind, ExprKind::Literal(Literal::Str(_)) | ExprKind::Path(_));
        if !is_text || self.branches.is_empty() || !self.is_chosen(id) {
            return;
        }
        let Some(text) = value.text().filter(|text| changes_rows(text)) else {
            return;
        };
        let statements = sql::read(text, None).unwrap_or_default();
        let words = &self.engine.words;
        let written = statements.iter().flat_map(|statement| &statement.set).find_map(|set| match &set.value {
            Set::Text(word) => Some((word.clone(), words.of_text(word)?)),
            _ => None,
        });
        if let Some((word, means)) = written {
            self.state_word(Some(means), self.span_of(id), &word);
        }
    }

    /// An answer that is put together in a branch though it is read off the wire elsewhere, and says of itself that all went
    /// well: `Accepted { accepted: true }`.
    pub(crate) fn made_up(&mut self, ty: TypeId, id: ExprId, fields: &[(Name, ExprId)]) {
        if self.branches.is_empty() {
            return;
        }
        let words = &self.engine.catalog.words.good_flags;
        let holds = |id: ExprId| matches!(self.body.expr(id).kind, ExprKind::Literal(Literal::Bool(true)));
        let good = |name: &str| {
            words.iter().any(|word| has_word(name, word)) || self.engine.words.of_text(name) == Some("confirmed")
        };
        let said = fields.iter().find(|(name, value)| holds(*value) && good(name.as_str()));
        let Some(&(name, _)) = said.filter(|_| self.engine.program.type_(ty).ir.derives("Deserialize")) else {
            return;
        };
        self.state_word(Some("confirmed"), self.span_of(id), name.as_str());
    }

    /// Of a question whose answer is a yes or no, `matches!(reply, …)`, whoever goes by that has the branches, and not the
    /// question itself: nothing is passed over in it.
    pub(crate) fn without_questions(&mut self) {
        if self.conditions.is_empty() {
            return;
        }
        let exprs = (0..self.body.exprs.len()).map(|at| ExprId(at as u32));
        let asks: Vec<Span> =
            exprs.filter(|&id| outcome::is_yes_or_no(self.body, id)).map(|id| self.span_of(id)).collect();
        self.conditions.retain(|known| !asks.contains(&known.branch.0));
    }

    /// Whether an expression is what the innermost branch gives, as it stands.
    fn is_chosen(&self, id: ExprId) -> bool {
        let Some(&(branch, _)) = self.branches.last() else {
            return false;
        };
        let mut at = id;
        for _ in 0..MAX_CHAIN {
            let Some(parent) = walk::parent(&self.parents, at) else {
                return false;
            };
            match &self.body.expr(parent).kind {
                _ if parent == branch => return true,
                ExprKind::Block(block) if block.tail == Some(at) => at = parent,
                ExprKind::Tuple(_) | ExprKind::Deref(_) => at = parent,
                _ => return false,
            }
        }
        false
    }

    /// Whether what a local holds goes into what the function returns behind a place, or decides there if it fails.
    fn answers_by(&self, local: LocalId, from: u32) -> bool {
        let body = self.body;
        let mentions = |id: ExprId| walk::mentions(body, id, &[local]);
        let ends =
            |at: ExprId| matches!(body.expr(at).kind, ExprKind::Return(_) | ExprKind::Try(_)) || self.is_error(at);
        let leaves = |id: ExprId| walk::any(body, id, &ends);
        let behind = |id: ExprId| body.expr(id).range.start >= from;
        let told = |id: ExprId| match &body.expr(id).kind {
            ExprKind::Return(Some(value)) => mentions(*value),
            ExprKind::If { condition, .. } => mentions(*condition) && leaves(id),
            ExprKind::Match { value, .. } => mentions(*value) && leaves(id),
            _ => self.tails.contains(&id) && mentions(id),
        };
        (0..body.exprs.len()).map(|at| ExprId(at as u32)).any(|id| behind(id) && told(id))
    }
}

/// Whether a text is a statement that changes rows, as it begins.
fn changes_rows(text: &str) -> bool {
    let text = text.trim_start();
    ["update", "insert", "with"]
        .iter()
        .any(|verb| text.get(..verb.len()).is_some_and(|word| word.eq_ignore_ascii_case(verb)))
}
