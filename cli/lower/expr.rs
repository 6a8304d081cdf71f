//! Expressions.
//!
//! In: the parser's expressions. Out: those of the representation. One function a kind, so that no stack frame of the
//! recursion is large.

use proc_macro2::extra::DelimSpan;
use proc_macro2::{Span, TokenStream};
use syn::{BinOp, Expr, UnOp};

use super::body::{Lowered, Lowerer, label_name};
use super::pattern::member;
use super::{asked_error, literal, types};
use crate::ir::{
    Arm, BinaryOp, Block, BlockKind, Closure, ExprId, ExprKind, Loop, LoopKind, MacroCall, MethodCall, StructExpr,
};
use crate::source::TextRange;

impl Lowerer<'_, '_> {
    /// An expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> ExprId {
        self.lower(expr).id
    }

    /// An expression and the source it stands for.
    pub(super) fn lower(&mut self, expr: &Expr) -> Lowered {
        match expr {
            Expr::Array(array) => {
                let elements = self.exprs(&array.elems);
                self.made(ExprKind::Array(elements), self.delimited(&array.bracket_token.span))
            }
            Expr::Assign(assign) => self.assign(assign),
            Expr::Async(block) => self.block(BlockKind::Async, None, block.async_token.span, &block.block),
            Expr::Await(awaited) => {
                let base = self.lower(&awaited.base);
                self.wrapped(ExprKind::Await(base.id), base, awaited.await_token.span)
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Block(block) => {
                let start = block.block.brace_token.span.open();
                self.block(BlockKind::Plain, block.label.as_ref(), start, &block.block)
            }
            Expr::Break(jump) => self.break_expr(jump),
            Expr::Call(call) => self.call(call),
            Expr::Cast(cast) => {
                let value = self.lower(&cast.expr);
                let ty = Box::new(types::ty(&cast.ty));
                self.wrapped(ExprKind::Cast { value: value.id, ty }, value, types::type_end(&cast.ty))
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Const(block) => self.block(BlockKind::Plain, None, block.const_token.span, &block.block),
            Expr::Continue(jump) => self.continue_expr(jump),
            Expr::Field(field) => {
                let base = self.lower(&field.base);
                let end = match &field.member {
                    syn::Member::Named(ident) => ident.span(),
                    syn::Member::Unnamed(index) => index.span,
                };
                let name = member(&field.member);
                self.wrapped(ExprKind::Field { base: base.id, name }, base, end)
            }
            Expr::ForLoop(looped) => self.for_loop(looped),
            Expr::Group(group) => self.lower(&group.expr),
            Expr::If(condition) => self.if_expr(condition),
            Expr::Index(index) => self.index(index),
            Expr::Infer(infer) => {
                let range = self.cut.range(infer.underscore_token.spans[0]);
                self.made(ExprKind::Opaque("`_`"), range)
            }
            Expr::Let(condition) => self.let_expr(condition),
            Expr::Lit(lit) => {
                let range = self.cut.range(lit.lit.span());
                self.made(ExprKind::Literal(literal::literal(&lit.lit)), range)
            }
            Expr::Loop(looped) => self.loop_expr(looped),
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::Match(matched) => self.match_expr(matched),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Paren(paren) => {
                let id = self.expr(&paren.expr);
                let range = self.delimited(&paren.paren_token.span);
                Lowered { id, range }
            }
            Expr::Path(path) => self.path(path),
            Expr::Range(range) => self.range_expr(range),
            Expr::RawAddr(address) => self.prefixed(address.and_token.spans[0], &address.expr),
            Expr::Reference(reference) => self.prefixed(reference.and_token.spans[0], &reference.expr),
            Expr::Repeat(repeat) => {
                let value = self.expr(&repeat.expr);
                let count = self.expr(&repeat.len);
                let range = self.delimited(&repeat.bracket_token.span);
                self.made(ExprKind::Repeat { value, count }, range)
            }
            Expr::Return(jump) => {
                let value = jump.expr.as_ref().map(|value| self.lower(value));
                let range = self.keyword(jump.return_token.span, value);
                self.made(ExprKind::Return(value.map(|value| value.id)), range)
            }
            Expr::Struct(literal) => self.struct_expr(literal),
            Expr::Try(tried) => {
                let base = self.lower(&tried.expr);
                self.wrapped(ExprKind::Try(base.id), base, tried.question_token.spans[0])
            }
            Expr::TryBlock(block) => self.block(BlockKind::Try, None, block.try_token.span, &block.block),
            Expr::Tuple(tuple) => {
                let elements = self.exprs(&tuple.elems);
                self.made(ExprKind::Tuple(elements), self.delimited(&tuple.paren_token.span))
            }
            Expr::Unary(unary) => self.unary(unary),
            Expr::Unsafe(block) => self.block(BlockKind::Plain, None, block.unsafe_token.span, &block.block),
            Expr::Verbatim(tokens) => {
                self.made(ExprKind::Opaque("syntax that the parser does not know"), self.tokens_range(tokens))
            }
            Expr::While(looped) => self.while_loop(looped),
            Expr::Yield(yielded) => self.yield_expr(yielded),
            _ => self.made(ExprKind::Opaque("an expression of unknown kind"), TextRange::default()),
        }
    }

    /// Several expressions.
    pub(super) fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Box<[ExprId]> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    /// The range of brackets.
    pub(super) fn delimited(&self, span: &DelimSpan) -> TextRange {
        self.cut.between(span.open(), span.close())
    }

    /// The range of some tokens.
    pub(super) fn tokens_range(&self, tokens: &TokenStream) -> TextRange {
        let mut ends = tokens.clone().into_iter().map(|token| token.span());
        let Some(first) = ends.next() else {
            return TextRange::default();
        };
        self.cut.between(first, ends.last().unwrap_or(first))
    }

    /// The range of a path.
    pub(super) fn path_range(&self, qself: Option<&syn::QSelf>, path: &syn::Path) -> TextRange {
        self.path_to(qself, path, types::path_end(path))
    }

    /// From the start of a path to a later token.
    pub(super) fn path_to(&self, qself: Option<&syn::QSelf>, path: &syn::Path, last: Span) -> TextRange {
        self.cut.between(types::path_start(qself, path), last)
    }

    /// An expression that starts with another one.
    fn wrapped(&mut self, kind: ExprKind, first: Lowered, last: Span) -> Lowered {
        let range = TextRange { start: first.range.start, end: self.cut.end(last) };
        self.made(kind, range)
    }

    /// A prefix that is dropped.
    fn prefixed(&mut self, prefix: Span, expr: &Expr) -> Lowered {
        let inner = self.lower(expr);
        let range = TextRange { start: self.cut.start(prefix), end: inner.range.end };
        Lowered { id: inner.id, range }
    }

    /// The range of a keyword and the value behind it.
    fn keyword(&self, keyword: Span, value: Option<Lowered>) -> TextRange {
        let own = self.cut.range(keyword);
        TextRange { start: own.start, end: value.map_or(own.end, |value| value.range.end) }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Lowered {
        let range = self.path_range(path.qself.as_ref(), &path.path);
        if path.qself.is_none() {
            if let Some(ident) = path.path.get_ident() {
                let kind = self.named(types::name(ident));
                return self.made(kind, range);
            }
        }
        let ir = types::qualified_path(path.qself.as_ref(), &path.path);
        self.made(ExprKind::Path(Box::new(ir)), range)
    }

    /// What a single name means here.
    pub(super) fn named(&mut self, name: crate::ir::Name) -> ExprKind {
        match self.local(name) {
            Some(local) => ExprKind::Local(local),
            None => ExprKind::Path(Box::new(super::pattern::single(name))),
        }
    }

    fn call(&mut self, call: &syn::ExprCall) -> Lowered {
        let callee = self.lower(&call.func);
        let args = self.exprs(&call.args);
        let kind = ExprKind::Call { callee: callee.id, args };
        self.wrapped(kind, callee, call.paren_token.span.close())
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) -> Lowered {
        let receiver = self.lower(&call.receiver);
        let args = self.method_args(call);
        let call_ir = MethodCall {
            receiver: receiver.id,
            name: types::name(&call.method),
            name_range: self.cut.range(call.method.span()),
            turbofish: call.turbofish.as_ref().map(types::turbofish).unwrap_or_default(),
            args,
        };
        let kind = ExprKind::MethodCall(Box::new(call_ir));
        self.wrapped(kind, receiver, call.paren_token.span.close())
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Lowered {
        let base = self.lower(&index.expr);
        let at = self.expr(&index.index);
        let kind = ExprKind::Index { base: base.id, index: at };
        self.wrapped(kind, base, index.bracket_token.span.close())
    }

    fn struct_expr(&mut self, literal: &syn::ExprStruct) -> Lowered {
        let fields = literal.fields.iter().map(|field| (member(&field.member), self.expr(&field.expr)));
        let fields = fields.collect();
        let rest = literal.rest.as_ref().map(|rest| self.expr(rest));
        let last = literal.brace_token.span.close();
        let range = self.path_to(literal.qself.as_ref(), &literal.path, last);
        let path = types::qualified_path(literal.qself.as_ref(), &literal.path);
        self.made(ExprKind::Struct(Box::new(StructExpr { path, fields, rest })), range)
    }

    fn assign(&mut self, assign: &syn::ExprAssign) -> Lowered {
        // Where an expression has to stand, as in an arm.
        if let Some((statement, range)) = self.discarded(assign) {
            let block = Block { kind: BlockKind::Plain, label: None, statements: Box::new([statement]), tail: None };
            return self.made(ExprKind::Block(Box::new(block)), range);
        }
        let target = self.lower(&assign.left);
        let value = self.lower(&assign.right);
        let kind = ExprKind::Assign { target: target.id, value: value.id };
        self.made(kind, joined(target, value))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Lowered {
        let left = self.lower(&binary.left);
        let right = self.lower(&binary.right);
        let kind = match operator(&binary.op) {
            Some((op, false)) => ExprKind::Binary { op, left: left.id, right: right.id },
            Some((op, true)) => ExprKind::AssignOp { op, target: left.id, value: right.id },
            None => ExprKind::Opaque("an operator of unknown kind"),
        };
        self.made(kind, joined(left, right))
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Lowered {
        let inner = self.lower(&unary.expr);
        let (kind, prefix) = match &unary.op {
            UnOp::Deref(token) => (ExprKind::Deref(inner.id), token.spans[0]),
            UnOp::Not(token) => (ExprKind::Not(inner.id), token.spans[0]),
            UnOp::Neg(token) => (ExprKind::Neg(inner.id), token.spans[0]),
            _ => return inner,
        };
        let range = TextRange { start: self.cut.start(prefix), end: inner.range.end };
        self.made(kind, range)
    }

    fn range_expr(&mut self, range: &syn::ExprRange) -> Lowered {
        let start = range.start.as_ref().map(|start| self.lower(start));
        let end = range.end.as_ref().map(|end| self.lower(end));
        let dots: &[Span] = match &range.limits {
            syn::RangeLimits::HalfOpen(dots) => &dots.spans,
            syn::RangeLimits::Closed(dots) => &dots.spans,
        };
        let own = self.cut.between(dots[0], dots[dots.len() - 1]);
        let whole = TextRange {
            start: start.map_or(own.start, |start| start.range.start),
            end: end.map_or(own.end, |end| end.range.end),
        };
        let kind = ExprKind::Range { start: start.map(|start| start.id), end: end.map(|end| end.id) };
        self.made(kind, whole)
    }

    fn break_expr(&mut self, jump: &syn::ExprBreak) -> Lowered {
        let value = jump.expr.as_ref().map(|value| self.lower(value));
        let mut range = self.keyword(jump.break_token.span, value);
        if let (Some(label), None) = (&jump.label, value) {
            range.end = self.cut.end(label.ident.span());
        }
        let kind = ExprKind::Break { label: jump.label.as_ref().map(label_name), value: value.map(|value| value.id) };
        self.made(kind, range)
    }

    fn continue_expr(&mut self, jump: &syn::ExprContinue) -> Lowered {
        let mut range = self.cut.range(jump.continue_token.span);
        if let Some(label) = &jump.label {
            range.end = self.cut.end(label.ident.span());
        }
        let label = jump.label.as_ref().map(label_name);
        self.made(ExprKind::Continue { label }, range)
    }

    fn yield_expr(&mut self, yielded: &syn::ExprYield) -> Lowered {
        let value = yielded.expr.as_ref().map(|value| self.lower(value));
        let range = self.keyword(yielded.yield_token.span, value);
        let call = MacroCall {
            path: super::pattern::single("yield".into()),
            args: value.map(|value| value.id).into_iter().collect(),
            complete: true,
        };
        self.made(ExprKind::Macro(Box::new(call)), range)
    }

    fn if_expr(&mut self, condition: &syn::ExprIf) -> Lowered {
        // variables of `if let` chains end with the first branch
        let mark = self.enter();
        let test = self.expr(&condition.cond);
        let then = self.plain_block(&condition.then_branch);
        self.leave(mark);
        let otherwise = condition.else_branch.as_ref().map(|(_, otherwise)| self.lower(otherwise));
        let range = TextRange {
            start: self.cut.start(condition.if_token.span),
            end: otherwise.map_or(then.range.end, |otherwise| otherwise.range.end),
        };
        let kind = ExprKind::If { condition: test, then: then.id, otherwise: otherwise.map(|otherwise| otherwise.id) };
        self.made(kind, range)
    }

    fn let_expr(&mut self, condition: &syn::ExprLet) -> Lowered {
        let result = asked_error::result_of(&condition.expr, std::iter::once(&*condition.pat));
        let value = self.lower(result.unwrap_or(&condition.expr));
        let pat = self.pattern(&condition.pat);
        if result.is_some() {
            self.of_result(pat);
        }
        let range = TextRange { start: self.cut.start(condition.let_token.span), end: value.range.end };
        self.made(ExprKind::Let { pat, value: value.id }, range)
    }

    fn match_expr(&mut self, matched: &syn::ExprMatch) -> Lowered {
        let result = asked_error::result_of(&matched.expr, matched.arms.iter().map(|arm| &arm.pat));
        let value = self.expr(result.unwrap_or(&matched.expr));
        let mut arms = Vec::with_capacity(matched.arms.len());
        for arm in &matched.arms {
            let arm = self.arm(&arm.pat, &arm.body);
            if result.is_some() {
                self.of_result(arm.pat);
            }
            arms.push(arm);
        }
        let range = self.cut.between(matched.match_token.span, matched.brace_token.span.close());
        let arms = arms.into_boxed_slice();
        self.made(ExprKind::Match { value, arms }, range)
    }

    fn arm(&mut self, pat: &syn::Pat, body: &Expr) -> Arm {
        let mark = self.enter();
        let (pat, guard) = self.guarded(pat);
        let body = self.expr(body);
        self.leave(mark);
        Arm { pat, guard, body }
    }

    /// A pattern with its guard; the caller ends the scope.
    pub(super) fn guarded(&mut self, pat: &syn::Pat) -> (crate::ir::PatId, Option<ExprId>) {
        let id = self.pattern(pat);
        let guard = match pat {
            syn::Pat::Guard(pat) => Some(self.expr(&pat.guard)),
            _ => None,
        };
        (id, guard)
    }

    fn loop_expr(&mut self, looped: &syn::ExprLoop) -> Lowered {
        let body = self.plain_block(&looped.body);
        self.looped(LoopKind::Loop, looped.label.as_ref(), looped.loop_token.span, body)
    }

    fn while_loop(&mut self, looped: &syn::ExprWhile) -> Lowered {
        let mark = self.enter();
        let condition = self.expr(&looped.cond);
        let body = self.plain_block(&looped.body);
        self.leave(mark);
        let kind = LoopKind::While(condition);
        self.looped(kind, looped.label.as_ref(), looped.while_token.span, body)
    }

    fn for_loop(&mut self, looped: &syn::ExprForLoop) -> Lowered {
        let iterable = self.expr(&looped.expr);
        let mark = self.enter();
        let pat = self.pattern(&looped.pat);
        let body = self.plain_block(&looped.body);
        self.leave(mark);
        let kind = LoopKind::For { pat, iterable };
        self.looped(kind, looped.label.as_ref(), looped.for_token.span, body)
    }

    fn looped(&mut self, kind: LoopKind, label: Option<&syn::Label>, keyword: Span, body: Lowered) -> Lowered {
        let start = label.map_or(keyword, |label| label.name.apostrophe);
        let range = TextRange { start: self.cut.start(start), end: body.range.end };
        let looped = Loop { kind, label: label.map(|label| label_name(&label.name)), body: body.id };
        self.made(ExprKind::Loop(Box::new(looped)), range)
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Lowered {
        let mark = self.enter();
        let params = closure.inputs.iter().map(|input| match input {
            syn::Pat::Type(typed) => (self.pattern(&typed.pat), Some(types::ty(&typed.ty))),
            pat => (self.pattern(pat), None),
        });
        let params = params.collect();
        let body = self.lower(&closure.body);
        self.leave(mark);
        let firsts = [
            closure.lifetimes.as_ref().map(|lifetimes| lifetimes.for_token.span),
            closure.constness.map(|token| token.span),
            closure.asyncness.map(|token| token.span),
            closure.capture.map(|token| token.span),
        ];
        let first = firsts.into_iter().flatten().next().unwrap_or(closure.inputs_begin.spans[0]);
        let range = TextRange { start: self.cut.start(first), end: body.range.end };
        let body = match closure.asyncness {
            Some(_) => self.async_block(body),
            None => body.id,
        };
        self.made(ExprKind::Closure(Box::new(Closure { params, body })), range)
    }

    /// An async block around a value.
    fn async_block(&mut self, value: Lowered) -> ExprId {
        let block = Block { kind: BlockKind::Async, label: None, statements: Box::default(), tail: Some(value.id) };
        self.add(ExprKind::Block(Box::new(block)), value.range)
    }
}

fn joined(first: Lowered, last: Lowered) -> TextRange {
    TextRange { start: first.range.start, end: last.range.end }
}

/// The operator, and whether it assigns.
fn operator(op: &BinOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Sub, true),
        BinOp::MulAssign(_) => (BinaryOp::Mul, true),
        BinOp::DivAssign(_) => (BinaryOp::Div, true),
        BinOp::RemAssign(_) => (BinaryOp::Rem, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::ShlAssign(_) => (BinaryOp::Shl, true),
        BinOp::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}
