//! Macro invocations in bodies.
//!
//! In: a macro's path and tokens. Out: the expressions they stand for. Well-known macros are recognised by their last
//! segment, whichever crate or re-export they come from; one table names them all. A macro that the same file defines is
//! what its arm stands for. Any other gives what can be read of its arguments.

mod arguments;
mod format;
mod json;
mod own;
mod select;
mod template;

use std::borrow::Cow;

pub(super) use own::Definitions;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::{Block, Expr, Macro, MacroDelimiter, Pat, Stmt, Token};

use super::body::{Lowered, Lowerer};
use super::gate::LIMIT;
use super::{pattern, types};
use crate::ir::{Arm, BlockKind, ExprId, ExprKind, Literal, Name, PatKind};
use crate::source::TextRange;

/// How a well-known macro is read.
#[derive(Clone, Copy)]
enum Reading {
    /// so many expressions, then a template with its arguments
    Format(usize),
    /// so many expressions, then fields, then a template with its arguments
    Event(usize),
    /// an early return of an error made like a format
    Bail,
    /// a condition, then as `Bail` if it does not hold
    Ensure,
    /// `vec!`
    List,
    /// what is bound to a statement: `params![a, b]` by its place, `params! { a, "b" => c }` by its name
    Params,
    /// `json!`
    Json,
    Document,
    /// an expression and a pattern
    Matches,
    /// branches of which the first to finish wins
    Select,
    /// futures that all run
    Join,
    /// the one argument itself
    Transparent,
    /// literals put together
    Concat,
    /// the text of another file
    Included,
    /// the tokens as text
    Stringify,
    /// declares items, which the index has cut out
    Items,
    /// one of [`TEMPLATES`]
    Template,
    /// `handler!`: contract fields and a closure
    Handler,
}

/// All macros whose meaning is known, by the last segment of their path.
const KNOWN: &[(&str, Reading)] = &[
    ("anyhow", Reading::Format(0)),
    ("assert", Reading::Format(1)),
    ("assert_eq", Reading::Format(2)),
    ("assert_matches", Reading::Matches),
    ("assert_ne", Reading::Format(2)),
    ("bail", Reading::Bail),
    ("bson", Reading::Json),
    ("concat", Reading::Concat),
    ("dbg", Reading::Transparent),
    ("debug", Reading::Event(0)),
    ("debug_assert", Reading::Format(1)),
    ("debug_assert_eq", Reading::Format(2)),
    ("debug_assert_ne", Reading::Format(2)),
    ("debug_span", Reading::Event(0)),
    ("doc", Reading::Document),
    ("ensure", Reading::Ensure),
    ("eprint", Reading::Format(0)),
    ("eprintln", Reading::Format(0)),
    ("error", Reading::Event(0)),
    ("error_span", Reading::Event(0)),
    ("event", Reading::Event(1)),
    ("eyre", Reading::Format(0)),
    ("format", Reading::Format(0)),
    ("format_args", Reading::Format(0)),
    ("format_compact", Reading::Format(0)),
    ("format_err", Reading::Format(0)),
    ("format_smolstr", Reading::Format(0)),
    ("formatdoc", Reading::Format(0)),
    ("handler", Reading::Handler),
    ("include_str", Reading::Included),
    ("indoc", Reading::Transparent),
    ("info", Reading::Event(0)),
    ("info_span", Reading::Event(0)),
    ("join", Reading::Join),
    ("json", Reading::Json),
    ("lazy_static", Reading::Items),
    ("log", Reading::Event(1)),
    ("matches", Reading::Matches),
    ("miette", Reading::Format(0)),
    ("named_params", Reading::Document),
    ("panic", Reading::Format(0)),
    ("params", Reading::Params),
    ("pin", Reading::Transparent),
    ("print", Reading::Format(0)),
    ("println", Reading::Format(0)),
    ("select", Reading::Select),
    ("select_biased", Reading::Select),
    ("smallvec", Reading::List),
    ("span", Reading::Event(1)),
    ("stringify", Reading::Stringify),
    ("thread_local", Reading::Items),
    ("todo", Reading::Format(0)),
    ("trace", Reading::Event(0)),
    ("trace_span", Reading::Event(0)),
    ("try_join", Reading::Join),
    ("unimplemented", Reading::Format(0)),
    ("unreachable", Reading::Format(0)),
    ("vec", Reading::List),
    ("warn", Reading::Event(0)),
    ("warn_span", Reading::Event(0)),
    ("write", Reading::Format(1)),
    ("writedoc", Reading::Format(1)),
    ("writeln", Reading::Format(1)),
];

/// Macros whose argument is code for another program: nothing in it is code of this one.
pub(super) const TEMPLATES: [&str; 4] = ["parse_quote", "parse_quote_spanned", "quote", "quote_spanned"];

fn known(name: &str) -> Option<Reading> {
    if TEMPLATES.contains(&name) {
        return Some(Reading::Template);
    }
    let at = KNOWN.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(KNOWN[at].1)
}

/// An invocation being read.
#[derive(Clone, Copy)]
struct Call<'m> {
    node: &'m Macro,
    /// last segment of its path
    name: Name,
    /// the whole invocation
    range: TextRange,
}

impl Lowerer<'_, '_> {
    /// An invocation in expression or statement position.
    pub(super) fn macro_call(&mut self, node: &Macro) -> Lowered {
        let range = self.path_to(None, &node.path, node.delimiter.span().close());
        let last = node.path.segments.last();
        let name = last.map_or_else(|| Name::new(""), |segment| types::name(&segment.ident));
        let call = Call { node, name, range };
        // every level of nested invocations is parsed anew; this keeps a tower of them from costing its square
        let fuel = u64::from(range.end - range.start);
        if self.fuel < fuel {
            return self.made(ExprKind::Opaque("macro invocations nested too deeply"), range);
        }
        self.fuel -= fuel;
        let read =
            self.own_macro(call).or_else(|| known(name.as_str()).and_then(|reading| self.known_macro(reading, call)));
        let id = read.unwrap_or_else(|| self.any_macro(call));
        Lowered { id, range }
    }

    /// A macro that the file defines: the expression or the statements that it stands for.
    fn own_macro(&mut self, call: Call<'_>) -> Option<ExprId> {
        let (tokens, length) = self.expanded(call.node, call.name)?;
        self.expanding += length;
        let read = match syn::parse2::<Expr>(tokens.clone()) {
            Ok(value) => Some(self.expr(&value)),
            Err(_) => Block::parse_within
                .parse2(tokens)
                .ok()
                .map(|statements| self.statements(BlockKind::Plain, None, &statements, call.range).id),
        };
        self.expanding -= length;
        read
    }

    /// What an invocation of one of the file's own macros stands for. Those inside it count, too: together they are not
    /// deeper than what is written out may be.
    fn expanded(&self, node: &Macro, name: Name) -> Option<(TokenStream, usize)> {
        if node.path.segments.len() > 1 || !self.macros.has(name) {
            return None;
        }
        let first = node.path.segments.first()?.ident.span();
        let place = first.join(node.delimiter.span().close()).unwrap_or(first);
        self.macros.expand(name, &node.tokens, place, LIMIT.checked_sub(self.expanding)?)
    }

    /// Statements with those in place of it that an invocation of one of the file's own macros stands for: what they bind
    /// by a name they were given is seen by those behind them.
    pub(super) fn written_out<'m>(&self, statements: &'m [Stmt]) -> Cow<'m, [Stmt]> {
        let own = |node: &Macro| {
            let name = types::name(&node.path.segments.last()?.ident);
            let (tokens, _) = self.expanded(node, name)?;
            let inner = Block::parse_within.parse2(tokens).ok()?;
            inner.iter().any(|statement| matches!(statement, Stmt::Local(_))).then_some(inner)
        };
        let mut out = Cow::Borrowed(statements);
        for (at, statement) in statements.iter().enumerate().rev() {
            if let Stmt::Macro(call) = statement {
                if let Some(inner) = own(&call.mac) {
                    out.to_mut().splice(at..=at, inner);
                }
            }
        }
        out
    }

    /// A well-known macro; `None` if it does not look as expected.
    fn known_macro(&mut self, reading: Reading, call: Call<'_>) -> Option<ExprId> {
        match reading {
            Reading::Format(before) => self.format_macro(call, before),
            Reading::Event(before) => self.event_macro(call, before),
            Reading::Bail => self.bail(call),
            Reading::Ensure => self.ensure(call),
            Reading::List => self.list_macro(call),
            Reading::Params => match call.node.delimiter {
                MacroDelimiter::Brace(_) => self.named_list(call).or_else(|| self.list_macro(call)),
                _ => self.list_macro(call).or_else(|| self.named_list(call)),
            },
            Reading::Json => self.json(call),
            Reading::Document => self.document(call),
            Reading::Matches => self.matches(call),
            Reading::Select => self.select(call),
            Reading::Join => self.join(call),
            Reading::Transparent => {
                let value: Expr = only.parse2(call.node.tokens.clone()).ok()?;
                Some(self.expr(&value))
            }
            Reading::Concat => self.concat(call),
            Reading::Included => self.included(call),
            Reading::Stringify => {
                let text = self.tokens_range(&call.node.tokens);
                let text = self.cut.source.slice(text);
                Some(self.add(ExprKind::Literal(Literal::Str(text.into())), call.range))
            }
            Reading::Items | Reading::Template => Some(self.macro_expr(call, Box::default(), true)),
            Reading::Handler => self.handler(call.node, call.range),
        }
    }

    /// `Err(value)`.
    fn err(&mut self, value: ExprId, range: TextRange) -> ExprId {
        let callee = ExprKind::Path(Box::new(pattern::single("Err".into())));
        let callee = self.add(callee, range);
        let args = [value].into();
        self.add(ExprKind::Call { callee, args }, range)
    }

    fn bail(&mut self, call: Call<'_>) -> Option<ExprId> {
        let value = self.format_macro(call, 0)?;
        let value = self.err(value, call.range);
        Some(self.add(ExprKind::Return(Some(value)), call.range))
    }

    fn ensure(&mut self, call: Call<'_>) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| {
            let condition: Expr = input.parse()?;
            input.parse::<Option<Token![,]>>()?;
            let rest: TokenStream = input.parse()?;
            Ok((condition, rest))
        };
        let (condition, rest) = parser.parse2(call.node.tokens.clone()).ok()?;
        let condition = self.lower(&condition);
        let value = self.format_tokens(call, 0, rest)?;
        let value = self.err(value, call.range);
        let then = self.add(ExprKind::Return(Some(value)), call.range);
        let kind =
            ExprKind::If { condition: self.add(ExprKind::Not(condition.id), condition.range), then, otherwise: None };
        Some(self.add(kind, call.range))
    }

    fn list_macro(&mut self, call: Call<'_>) -> Option<ExprId> {
        if let Ok(elements) = super::parse::commas.parse2(call.node.tokens.clone()) {
            let elements = self.exprs(&elements);
            return Some(self.add(ExprKind::Array(elements), call.range));
        }
        let parser = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            let count: Expr = input.parse()?;
            Ok((value, count))
        };
        let (value, count) = parser.parse2(call.node.tokens.clone()).ok()?;
        let value = self.expr(&value);
        let count = self.expr(&count);
        Some(self.add(ExprKind::Repeat { value, count }, call.range))
    }

    fn matches(&mut self, call: Call<'_>) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            super::parse::rest(input)?;
            Ok((value, pat, guard))
        };
        let (value, pat, guard) = parser.parse2(call.node.tokens.clone()).ok()?;
        let value = self.expr(&value);
        let mark = self.enter();
        let pat = self.pattern(&pat);
        let guard = guard.map(|guard| self.expr(&guard));
        self.leave(mark);
        let mut bool = |value| self.add(ExprKind::Literal(Literal::Bool(value)), call.range);
        let (yes, no) = (bool(true), bool(false));
        let other = self.add_pat(PatKind::Wild, call.range);
        let arm = |pat, guard, body| Arm { pat, guard, body };
        let arms = Box::new([arm(pat, guard, yes), arm(other, None, no)]);
        Some(self.add(ExprKind::Match { value, arms }, call.range))
    }

    fn included(&mut self, call: Call<'_>) -> Option<ExprId> {
        let text = self.included_text(&call.node.tokens)?;
        Some(self.add(ExprKind::Literal(text), call.range))
    }

    fn concat(&mut self, call: Call<'_>) -> Option<ExprId> {
        let text = concatenated(call.node)?;
        Some(self.add(ExprKind::Literal(Literal::Str(text.into())), call.range))
    }

    /// The `let`s of `pin! { let x = …; }`, whose variables outlive the invocation.
    pub(super) fn pinned(&self, node: &Macro) -> Option<Vec<syn::Local>> {
        if node.path.segments.last()?.ident != "pin" {
            return None;
        }
        let statements: Vec<Stmt> = Block::parse_within.parse2(node.tokens.clone()).ok()?;
        let locals = statements.into_iter().map(|statement| match statement {
            Stmt::Local(local) => Some(local),
            _ => None,
        });
        locals.collect()
    }
}

fn only(input: ParseStream<'_>) -> syn::Result<Expr> {
    let value = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok(value)
}

/// The text of a `concat!` of literals.
fn concatenated(node: &Macro) -> Option<String> {
    if node.path.segments.last()?.ident != "concat" {
        return None;
    }
    let parts = super::parse::commas.parse2(node.tokens.clone()).ok()?;
    let parts = parts.iter().map(|part| match part {
        Expr::Lit(lit) => match super::literal::literal(&lit.lit) {
            Literal::Str(text) | Literal::Float(text) => Some(text.into()),
            Literal::Int(int) => Some(int.to_string()),
            Literal::Bool(bool) => Some(bool.to_string()),
            Literal::Char(c) => Some(c.to_string()),
            Literal::Bytes(_) => None,
        },
        Expr::Macro(inner) => concatenated(&inner.mac),
        _ => None,
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted_for_the_search() {
        assert!(super::KNOWN.is_sorted_by_key(|(name, _)| name));
    }
}
