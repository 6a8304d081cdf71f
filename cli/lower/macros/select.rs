//! `select!` and `join!`: futures side by side.

use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, Pat, Token, token};

use super::Call;
use crate::ir::{Branch, Concurrent, ExprId, ExprKind};
use crate::lower::body::Lowerer;
use crate::lower::parse;

/// One branch, parsed.
struct Arm {
    /// `pattern = future`; `None` for `else`, `default`, `complete`
    future: Option<(Pat, Expr)>,
    guard: Option<Expr>,
    handler: Expr,
}

impl Lowerer<'_, '_> {
    /// `select!`; `None` if it is not of the form of tokio's or futures'.
    pub(super) fn select(&mut self, call: Call<'_>) -> Option<ExprId> {
        let arms = arms.parse2(call.node.tokens.clone()).ok()?;
        let mut branches = Vec::with_capacity(arms.len());
        for arm in &arms {
            let branch = self.branch(arm, call);
            branches.push(branch);
        }
        Some(self.concurrent(call, true, branches))
    }

    fn branch(&mut self, arm: &Arm, call: Call<'_>) -> Branch {
        // the guard is evaluated before anything runs, and does not see the result
        let guard = arm.guard.as_ref().map(|guard| self.expr(guard));
        let future = match &arm.future {
            Some((_, future)) => self.expr(future),
            None => self.add(ExprKind::Opaque("no future of a `select!` is ready"), call.range),
        };
        let mark = self.enter();
        let pat = arm.future.as_ref().map(|(pat, _)| self.pattern(pat));
        let handler = Some(self.expr(&arm.handler));
        self.leave(mark);
        Branch { pat, future, guard, handler }
    }

    /// `join!`, `try_join!`.
    pub(super) fn join(&mut self, call: Call<'_>) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| {
            biased(input)?;
            parse::commas(input)
        };
        let futures = parser.parse2(call.node.tokens.clone()).ok()?;
        let branches =
            futures.iter().map(|future| Branch { pat: None, future: self.expr(future), guard: None, handler: None });
        let branches = branches.collect();
        Some(self.concurrent(call, false, branches))
    }

    fn concurrent(&mut self, call: Call<'_>, race: bool, branches: Vec<Branch>) -> ExprId {
        let concurrent = Concurrent { name: call.name, race, branches: branches.into_boxed_slice() };
        self.add(ExprKind::Concurrent(Box::new(concurrent)), call.range)
    }
}

/// `biased;`
fn biased(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Ident) && input.peek2(Token![;]) {
        input.parse::<Ident>()?;
        input.parse::<Token![;]>()?;
    }
    Ok(())
}

/// `recv(receiver) -> pattern`, as crossbeam's channels have it.
fn channel(input: ParseStream<'_>) -> syn::Result<(Pat, Expr)> {
    let operation: Ident = input.parse()?;
    let content;
    let paren_token = syn::parenthesized!(content in input);
    let args = parse::commas(&content)?;
    input.parse::<Token![->]>()?;
    let pat = Pat::parse_multi_with_leading_vert(input)?;
    let call = syn::ExprCall {
        attrs: Vec::new(),
        func: Box::new(Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: operation.into() })),
        paren_token,
        args,
    };
    Ok((pat, Expr::Call(call)))
}

fn arms(input: ParseStream<'_>) -> syn::Result<Vec<Arm>> {
    biased(input)?;
    let mut arms = Vec::new();
    while !input.is_empty() {
        let fallback = input.peek(Token![else]) || (input.peek(Ident) && input.peek2(Token![=>]));
        let mut guard = None;
        let future = if fallback {
            input.parse::<proc_macro2::TokenTree>()?;
            None
        } else if channel(&input.fork()).is_ok() {
            Some(channel(input)?)
        } else {
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            input.parse::<Token![=]>()?;
            let future: Expr = input.parse()?;
            if input.peek(Token![,]) && input.peek2(Token![if]) {
                input.parse::<Token![,]>()?;
            }
            if input.parse::<Option<Token![if]>>()?.is_some() {
                guard = Some(input.parse()?);
            }
            Some((pat, future))
        };
        input.parse::<Token![=>]>()?;
        let handler = if input.peek(token::Brace) { Expr::Block(input.parse()?) } else { input.parse()? };
        input.parse::<Option<Token![,]>>()?;
        arms.push(Arm { future, guard, handler });
    }
    Ok(arms)
}
