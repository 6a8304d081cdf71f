//! Bodies: the arena being filled, the scopes of local variables, blocks and statements.
//!
//! In: the parser's blocks and expressions. Out: a [`Body`]. Local variables are bound here, while the order of the
//! source is at hand: what a name means where it stands (shadowing, match arms, `let` chains) is lost later.

use std::collections::{BTreeMap, HashMap};

use proc_macro2::Span;
use syn::{Stmt, Token};

use super::macros::Definitions;
use super::text::Cut;
use super::{asked_error, types};
use crate::ir::{
    Block, BlockKind, Body, Expr, ExprId, ExprKind, Function, Local, LocalId, Name, Pat, PatId, PatKind, Statement,
};
use crate::source::TextRange;

/// What a lowering function hands back: the expression, and the whole source it stands for (parentheses, references
/// and the like are not part of the expression's own range, but of everything around it).
#[derive(Clone, Copy)]
pub(super) struct Lowered {
    pub(super) id: ExprId,
    pub(super) range: TextRange,
}

/// A body in the making.
pub(super) struct Lowerer<'s, 'a> {
    /// where tokens are in the file
    pub(super) cut: Cut<'s, 'a>,
    /// what is made
    pub(super) body: Body,
    /// what each name in scope means
    scope: HashMap<Name, LocalId>,
    /// what to restore when scopes end
    shadowed: Vec<(Name, Option<LocalId>)>,
    /// variables of the pattern at hand: the alternatives of `A(x) | B(x)` share theirs
    pub(super) bound: HashMap<Name, LocalId>,
    /// what is bound around this body, with its place, where the body is a closure of its own
    pub(super) outer: HashMap<Name, TextRange>,
    /// what was taken from there
    pub(super) captures: BTreeMap<Name, LocalId>,
    /// the closures of `handler!` invocations
    pub(super) handlers: Vec<Function>,
    /// the file's own macros
    pub(super) macros: &'s Definitions<'s, 'a>,
    /// tokens of the invocations of them that are being read
    pub(super) expanding: usize,
    /// how many bytes of macro invocations may still be read
    pub(super) fuel: u64,
}

/// How many bytes of macro invocations a body may read: each level of nested ones is read anew, and no real code
/// comes near this.
const FUEL: u64 = 16 << 20;

/// A point in [`Lowerer::shadowed`] to go back to.
#[must_use]
pub(super) struct Mark(usize);

impl<'s, 'a> Lowerer<'s, 'a> {
    /// An empty body.
    pub(super) fn new(cut: Cut<'s, 'a>, macros: &'s Definitions<'s, 'a>) -> Self {
        Self {
            cut,
            body: Body::default(),
            scope: HashMap::new(),
            shadowed: Vec::new(),
            bound: HashMap::new(),
            outer: HashMap::new(),
            captures: BTreeMap::new(),
            handlers: Vec::new(),
            macros,
            expanding: 0,
            fuel: FUEL,
        }
    }

    /// The body, with this value.
    pub(super) fn finish(mut self, root: ExprId) -> Body {
        self.body.root = root;
        self.body.exprs.shrink_to_fit();
        self.body.pats.shrink_to_fit();
        self.body.locals.shrink_to_fit();
        self.body
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, kind: ExprKind, range: TextRange) -> ExprId {
        let id = ExprId(self.body.exprs.len() as u32);
        self.body.exprs.push(Expr { kind, range });
        id
    }

    /// Adds an expression whose range is all of its source.
    pub(super) fn made(&mut self, kind: ExprKind, range: TextRange) -> Lowered {
        Lowered { id: self.add(kind, range), range }
    }

    /// Adds a pattern.
    pub(super) fn add_pat(&mut self, kind: PatKind, range: TextRange) -> PatId {
        let id = PatId(self.body.pats.len() as u32);
        self.body.pats.push(Pat { kind, range });
        id
    }

    /// The variable a name means here, if any.
    pub(super) fn local(&mut self, name: Name) -> Option<LocalId> {
        let known = self.scope.get(&name).or_else(|| self.captures.get(&name));
        if let Some(&known) = known {
            return Some(known);
        }
        let range = *self.outer.get(&name)?;
        let id = self.new_local(name, range);
        self.captures.insert(name, id);
        Some(id)
    }

    /// All variables in scope, with the places where they are bound.
    pub(super) fn visible(&self) -> HashMap<Name, TextRange> {
        let mut visible = self.outer.clone();
        let inner = self.captures.iter().chain(&self.scope);
        visible.extend(inner.map(|(&name, id)| (name, self.body.locals[id.0 as usize].range)));
        visible
    }

    fn new_local(&mut self, name: Name, range: TextRange) -> LocalId {
        let id = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(Local { name, range, value: None });
        id
    }

    /// Makes a variable and puts it in scope.
    pub(super) fn bind(&mut self, name: Name, range: TextRange) -> LocalId {
        let id = self.new_local(name, range);
        let before = self.scope.insert(name, id);
        self.shadowed.push((name, before));
        id
    }

    /// Starts a scope.
    pub(super) fn enter(&self) -> Mark {
        Mark(self.shadowed.len())
    }

    /// Ends a scope.
    pub(super) fn leave(&mut self, mark: Mark) {
        while self.shadowed.len() > mark.0 {
            match self.shadowed.pop() {
                Some((name, Some(before))) => self.scope.insert(name, before),
                Some((name, None)) => self.scope.remove(&name),
                None => break,
            };
        }
    }

    /// A block in its own scope; `start` is its first token.
    pub(super) fn block(
        &mut self,
        kind: BlockKind,
        label: Option<&syn::Label>,
        start: Span,
        block: &syn::Block,
    ) -> Lowered {
        let start = label.map_or(start, |label| label.name.apostrophe);
        let range = self.cut.between(start, block.brace_token.span.close());
        self.statements(kind, label.map(|label| label_name(&label.name)), &block.stmts, range)
    }

    /// A block without keyword or label.
    pub(super) fn plain_block(&mut self, block: &syn::Block) -> Lowered {
        self.block(BlockKind::Plain, None, block.brace_token.span.open(), block)
    }

    /// The statements of a block in their own scope.
    pub(super) fn statements(
        &mut self,
        kind: BlockKind,
        label: Option<Name>,
        statements: &[Stmt],
        range: TextRange,
    ) -> Lowered {
        let mark = self.enter();
        let statements = &*self.written_out(statements);
        let mut out = Vec::with_capacity(statements.len());
        let mut tail = None;
        for (at, statement) in statements.iter().enumerate() {
            let last = at + 1 == statements.len();
            if let Stmt::Macro(call) = statement {
                if let Some(pinned) = self.pinned(&call.mac) {
                    for local in &pinned {
                        let statement = self.let_statement(local);
                        out.push(statement);
                    }
                    continue;
                }
            }
            match statement {
                // `#[cfg(test)] { … }` between statements is test code like any other
                Stmt::Local(local) if only_in_tests(&local.attrs) => {}
                Stmt::Macro(call) if only_in_tests(&call.attrs) => {}
                Stmt::Expr(syn::Expr::Block(block), _) if only_in_tests(&block.attrs) => {}
                Stmt::Expr(syn::Expr::Call(call), _) if only_in_tests(&call.attrs) => {}
                Stmt::Expr(syn::Expr::MethodCall(call), _) if only_in_tests(&call.attrs) => {}
                Stmt::Local(local) => {
                    let statement = self.let_statement(local);
                    out.push(statement);
                }
                // the index has cut it out already
                Stmt::Item(_) => {}
                Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
                Stmt::Expr(expr, semi) => self.statement(expr, *semi, last, &mut out, &mut tail),
                Stmt::Macro(call) => {
                    let id = self.macro_call(&call.mac).id;
                    if last && call.semi_token.is_none() {
                        tail = Some(id);
                    } else {
                        out.push(Statement::Expr(id));
                    }
                }
            }
        }
        self.leave(mark);
        let block = Block { kind, label, statements: out.into_boxed_slice(), tail };
        self.made(ExprKind::Block(Box::new(block)), range)
    }

    fn statement(
        &mut self,
        expr: &syn::Expr,
        semi: Option<Token![;]>,
        last: bool,
        out: &mut Vec<Statement>,
        tail: &mut Option<ExprId>,
    ) {
        if let syn::Expr::Assign(assign) = expr {
            if let Some((statement, _)) = self.discarded(assign) {
                out.push(statement);
                return;
            }
        }
        let id = self.expr(expr);
        if last && semi.is_none() {
            *tail = Some(id);
        } else {
            out.push(Statement::Expr(id));
        }
    }

    /// `_ = value`: what `let _ = value` says.
    pub(super) fn discarded(&mut self, assign: &syn::ExprAssign) -> Option<(Statement, TextRange)> {
        let syn::Expr::Infer(nothing) = &*assign.left else {
            return None;
        };
        let value = self.expr(&assign.right);
        let at = self.cut.range(nothing.underscore_token.spans[0]);
        let range = TextRange { start: at.start, end: self.body.expr(value).range.end };
        let pat = self.add_pat(PatKind::Wild, at);
        Some((Statement::Let { pat, ty: None, value: Some(value), otherwise: None }, range))
    }

    fn let_statement(&mut self, local: &syn::Local) -> Statement {
        // the value and the diverging block do not see the new variables
        let init = local.init.as_ref();
        let result = init.and_then(|init| asked_error::result_of(&init.expr, std::iter::once(&local.pat)));
        let value = init.map(|init| self.expr(result.unwrap_or(&init.expr)));
        let diverge = init.and_then(|init| init.diverge.as_ref());
        let otherwise = diverge.map(|(_, block)| self.expr(block));
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(Box::new(types::ty(&typed.ty)))),
            pat => (pat, None),
        };
        let pat = self.pattern(pat);
        if result.is_some() {
            self.of_result(pat);
        }
        if let PatKind::Bind { local, .. } = self.body.pat(pat).kind {
            self.body.locals[local.0 as usize].value = value;
        }
        Statement::Let { pat, ty, value, otherwise }
    }
}

/// Whether there is a `#[cfg(test)]`.
fn only_in_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let tokens: Vec<_> = list.tokens.clone().into_iter().collect();
            matches!(&tokens[..], [proc_macro2::TokenTree::Ident(only)] if only == "test")
        }
        _ => false,
    })
}

/// The name of a label, with its apostrophe.
pub(super) fn label_name(label: &syn::Lifetime) -> Name {
    Name::new(&format!("'{}", types::name(&label.ident)))
}
