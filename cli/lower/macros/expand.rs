//! Calls of `macro_rules!` macros in bodies: what they stand for.
//!
//! In: the definitions of the file, and the tokens of a call. Out: the tokens of the arm that fits, with what the call gave in
//! them. What the definition wrote stands at the place of the call, what the call gave keeps its own. Names are not told
//! apart by who wrote them, and definitions of other files are not known: such a call is read by its arguments alone.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::{Block, Expr, Pat, Path, Stmt, Type};

use super::Call;
use crate::index::{FileIndex, ItemKind};
use crate::ir::{BlockKind, ExprId, Name};
use crate::lower::body::Lowerer;
use crate::lower::{gate, types};
use crate::source::TextRange;

/// Calls in the expansion of calls, and brackets in an arm, are followed so far.
const DEPTH: u8 = 12;

/// Tokens of one expansion.
const TOKENS: usize = 8_192;

/// Places at which an argument may end that are tried.
const ENDS: usize = 16;

/// Places of a call that are told apart, and the words that begin what is.
const SLOTS: usize = 64;
const BEGINNINGS: [&str; 6] = ["async", "for", "if", "loop", "match", "while"];

/// Characters that a token of an expansion is counted as.
const WIDTH: u64 = 8;

/// The macros that a file defines.
#[derive(Default)]
pub(in crate::lower) struct Definitions {
    /// nothing where a name has several
    bodies: HashMap<Name, Option<TextRange>>,
    read: RefCell<HashMap<Name, Rc<[Arm]>>>,
}

impl Definitions {
    pub(in crate::lower) fn of(index: &FileIndex) -> Self {
        let mut bodies = HashMap::new();
        for item in index.items.iter().filter(|item| item.kind == ItemKind::MacroRules) {
            if let (Some(name), Some(body)) = (item.name, item.body) {
                bodies.entry(name).and_modify(|known| *known = None).or_insert(Some(body));
            }
        }
        Self { bodies, read: RefCell::default() }
    }
}

/// What a call has to look like, and what then stands for it.
struct Arm {
    matcher: Vec<Pattern>,
    transcriber: Vec<TokenTree>,
}

/// A part of a matcher.
enum Pattern {
    Token(TokenTree),
    Group(Delimiter, Vec<Pattern>),
    Variable { name: Name, fragment: Name },
    Repeated { inner: Vec<Pattern>, separator: Vec<TokenTree>, once: bool },
}

/// What a metavariable stands for.
#[derive(Clone)]
enum Bound {
    One(Rc<[TokenTree]>),
    Each(Rc<[Bound]>),
}

type Bindings = HashMap<Name, Bound>;

impl Lowerer<'_, '_> {
    /// What a call of a macro of this file stands for; `None` if that is not known.
    pub(super) fn expanded(&mut self, call: Call<'_>) -> Option<ExprId> {
        let definitions = &self.cut.source.definitions;
        let body = (*definitions.bodies.get(&call.name)?)?;
        if self.expansions >= DEPTH {
            return None;
        }
        let known = definitions.read.borrow().get(&call.name).cloned();
        let arms = known.unwrap_or_else(|| {
            let arms: Rc<[Arm]> = arms(self.cut.source.slice(body)).into();
            definitions.read.borrow_mut().insert(call.name, arms.clone());
            arms
        });
        let input: Vec<TokenTree> = call.node.tokens.clone().into_iter().collect();
        let (arm, bindings) = arms.iter().find_map(|arm| {
            let mut bindings = Bindings::new();
            let rest = matched(&arm.matcher, &input, &mut bindings)?;
            rest.is_empty().then_some((arm, bindings))
        })?;
        let mut writer = Writer { places: places(call, &input)?, at: 0, left: TOKENS };
        let tokens = writer.write(&arm.transcriber, &bindings, 0)?;
        let fuel = WIDTH * (TOKENS - writer.left) as u64;
        let tokens: TokenStream = tokens.into_iter().collect();
        if self.fuel < fuel || gate::too_deep(&tokens) {
            return None;
        }
        let statements: Vec<Stmt> = Block::parse_within.parse2(tokens).ok()?;
        self.fuel -= fuel;
        self.expansions += 1;
        let id = match &statements[..] {
            [Stmt::Expr(value, None)] => self.expr(value),
            statements => self.statements(BlockKind::Plain, None, statements, call.range).id,
        };
        self.expansions -= 1;
        Some(id)
    }
}

/// The arms of a definition as far as they are understood.
fn arms(text: &str) -> Vec<Arm> {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return Vec::new();
    };
    let mut groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let mut arms = Vec::new();
    while let (Some(matcher), Some(transcriber)) = (groups.next(), groups.next()) {
        // An arm that is not understood may be the one that is meant: those behind it are not known to be.
        let Some(matcher) = patterns(matcher.stream(), 0) else {
            break;
        };
        arms.push(Arm { matcher, transcriber: transcriber.stream().into_iter().collect() });
    }
    arms
}

fn is(token: Option<&TokenTree>, char: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

/// How many tokens behind `$(…)` are its separator, and the operator behind those.
fn repetition(tokens: &[TokenTree]) -> Option<(usize, char)> {
    (0..=2).find_map(|at| match tokens.get(at)? {
        TokenTree::Punct(punct) if matches!(punct.as_char(), '*' | '+' | '?') => Some((at, punct.as_char())),
        _ => None,
    })
}

fn patterns(tokens: TokenStream, depth: u8) -> Option<Vec<Pattern>> {
    if depth > DEPTH {
        return None;
    }
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let pattern = match (token, tokens.get(at..).unwrap_or_default()) {
            (TokenTree::Punct(dollar), [TokenTree::Group(group), rest @ ..]) if dollar.as_char() == '$' => {
                let (separators, operator) = repetition(rest)?;
                at += separators + 2;
                Pattern::Repeated {
                    inner: patterns(group.stream(), depth + 1)?,
                    separator: rest[..separators].to_vec(),
                    once: operator == '?',
                }
            }
            (
                TokenTree::Punct(dollar),
                [TokenTree::Ident(name), TokenTree::Punct(colon), TokenTree::Ident(fragment), ..],
            ) if dollar.as_char() == '$' && colon.as_char() == ':' => {
                at += 3;
                Pattern::Variable { name: types::name(name), fragment: types::name(fragment) }
            }
            (TokenTree::Punct(dollar), _) if dollar.as_char() == '$' => return None,
            (TokenTree::Group(group), _) => Pattern::Group(group.delimiter(), patterns(group.stream(), depth + 1)?),
            (token, _) => Pattern::Token(token.clone()),
        };
        out.push(pattern);
    }
    Some(out)
}

fn same(one: &TokenTree, other: &TokenTree) -> bool {
    match (one, other) {
        (TokenTree::Ident(one), TokenTree::Ident(other)) => one == other,
        (TokenTree::Punct(one), TokenTree::Punct(other)) => one.as_char() == other.as_char(),
        (TokenTree::Literal(one), TokenTree::Literal(other)) => one.to_string() == other.to_string(),
        _ => false,
    }
}

/// What is left of the tokens behind those that the patterns match.
fn matched<'t>(patterns: &[Pattern], mut input: &'t [TokenTree], out: &mut Bindings) -> Option<&'t [TokenTree]> {
    for pattern in patterns {
        input = match pattern {
            Pattern::Token(token) => input.split_first().filter(|(first, _)| same(token, first))?.1,
            Pattern::Group(delimiter, inner) => match input {
                [TokenTree::Group(group), rest @ ..] if group.delimiter() == *delimiter => {
                    let tokens: Vec<_> = group.stream().into_iter().collect();
                    matched(inner, &tokens, out).filter(|left| left.is_empty())?;
                    rest
                }
                _ => return None,
            },
            Pattern::Variable { name, fragment } => {
                let end = fragment_end(fragment.as_str(), input)?;
                let (own, rest) = input.split_at(end);
                let whole = matches!(fragment.as_str(), "expr" | "expr_2021") && own.len() > 1;
                let own = if whole { vec![grouped(own)] } else { own.to_vec() };
                out.insert(*name, Bound::One(own.into()));
                rest
            }
            Pattern::Repeated { inner, separator, once } => {
                let mut rounds: Vec<Bindings> = Vec::new();
                while !(input.is_empty() || *once && rounds.len() == 1) {
                    let start = if rounds.is_empty() { Some(input) } else { behind(separator, input) };
                    let mut round = Bindings::new();
                    match start.and_then(|start| matched(inner, start, &mut round)) {
                        Some(rest) if rest.len() < input.len() => input = rest,
                        _ => break,
                    }
                    rounds.push(round);
                }
                let mut names = Vec::new();
                variables(inner, &mut names);
                for name in names {
                    let each: Option<Rc<[Bound]>> = rounds.iter().map(|round| round.get(&name).cloned()).collect();
                    out.insert(name, Bound::Each(each?));
                }
                input
            }
        };
    }
    Some(input)
}

fn behind<'t>(separator: &[TokenTree], input: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
    let fits = input.len() >= separator.len() && separator.iter().zip(input).all(|(one, other)| same(one, other));
    fits.then(|| &input[separator.len()..])
}

fn variables(patterns: &[Pattern], out: &mut Vec<Name>) {
    for pattern in patterns {
        match pattern {
            Pattern::Variable { name, .. } => out.push(*name),
            Pattern::Group(_, inner) | Pattern::Repeated { inner, .. } => variables(inner, out),
            Pattern::Token(_) => {}
        }
    }
}

/// Tokens as one operand, whatever stands around them.
fn grouped(tokens: &[TokenTree]) -> TokenTree {
    let mut group = Group::new(Delimiter::None, tokens.iter().cloned().collect());
    if let [first, .., last] = tokens {
        group.set_span(first.span().join(last.span()).unwrap_or_else(|| first.span()));
    }
    TokenTree::Group(group)
}

/// How many tokens a fragment of this kind takes here.
fn fragment_end(fragment: &str, input: &[TokenTree]) -> Option<usize> {
    let parsed = |parses: &dyn Fn(TokenStream) -> bool, ends: &dyn Fn(&[TokenTree]) -> bool| {
        let ends = (1..=input.len()).filter(|&at| at == input.len() || ends(&input[at..]));
        ends.take(ENDS).find(|&end| parses(input[..end].iter().cloned().collect()))
    };
    let arrow = |rest: &[TokenTree]| is(rest.first(), '=') && is(rest.get(1), '>');
    let listed = |rest: &[TokenTree]| is(rest.first(), ',') || is(rest.first(), ';') || arrow(rest);
    let typed = |rest: &[TokenTree]| listed(rest) || ['=', ':', '|'].iter().any(|char| is(rest.first(), *char));
    let first = input.first();
    match fragment {
        "tt" if is(first, '\'') => Some(2),
        "tt" => first.map(|_| 1),
        "ident" => matches!(first, Some(TokenTree::Ident(_))).then_some(1),
        "lifetime" => is(first, '\'').then_some(2),
        "block" => match first {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(1),
            _ => None,
        },
        "literal" => {
            let sign = usize::from(is(first, '-'));
            match input.get(sign)? {
                TokenTree::Literal(_) => Some(sign + 1),
                TokenTree::Ident(word) if sign == 0 && (word == "true" || word == "false") => Some(1),
                _ => None,
            }
        }
        "vis" => match input {
            [TokenTree::Ident(word), TokenTree::Group(group), ..]
                if word == "pub" && group.delimiter() == Delimiter::Parenthesis =>
            {
                Some(2)
            }
            [TokenTree::Ident(word), ..] if word == "pub" => Some(1),
            _ => Some(0),
        },
        "expr" | "expr_2021" => parsed(&|tokens| syn::parse2::<Expr>(tokens).is_ok(), &listed),
        "ty" => parsed(&|tokens| syn::parse2::<Type>(tokens).is_ok(), &typed),
        "path" => parsed(&|tokens| syn::parse2::<Path>(tokens).is_ok(), &typed),
        "pat" | "pat_param" => {
            let parses = |tokens: TokenStream| Pat::parse_multi_with_leading_vert.parse2(tokens).is_ok();
            parsed(&parses, &|rest| listed(rest) || is(rest.first(), '='))
        }
        _ => None,
    }
}

/// Where what the definition wrote is said to stand: all of the call, from its first character, its second and so on, as far
/// as nothing that the call gave comes before. What begins later is inside what began before it or behind it, which is how
/// constructs are told apart.
fn places(call: Call<'_>, input: &[TokenTree]) -> Option<Vec<Span>> {
    let start = call.node.path.segments.first()?.ident.span().start();
    let delimiter = call.node.delimiter.span();
    let (end, open) = (delimiter.close().end(), delimiter.open().end());
    let given = input.first().map(|token| token.span().start()).filter(|given| given.line == start.line);
    let last = given.map_or(open.column, |given| given.column).max(start.column + 1);
    let count = (last - start.column).min(SLOTS);
    let mut text = "\n".repeat(start.line.checked_sub(1)?);
    text.extend(std::iter::repeat_n(' ', start.column));
    text.extend(std::iter::repeat_n(',', count));
    let mut column = start.column + count;
    if end.line > start.line {
        text.extend(std::iter::repeat_n('\n', end.line - start.line));
        column = 0;
    }
    text.extend(std::iter::repeat_n(' ', end.column.checked_sub(column + 1)?));
    text.push(',');
    let tokens: Vec<Span> = text.parse::<TokenStream>().ok()?.into_iter().map(|token| token.span()).collect();
    let (last, first) = tokens.split_last()?;
    first.iter().map(|span| span.join(*last)).collect()
}

/// Writes down what an arm stands for.
struct Writer {
    /// where what the definition wrote may stand
    places: Vec<Span>,
    /// how many of them are taken
    at: usize,
    left: usize,
}

impl Writer {
    fn write(&mut self, tokens: &[TokenTree], bindings: &Bindings, depth: u8) -> Option<Vec<TokenTree>> {
        if depth > DEPTH {
            return None;
        }
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            self.left = self.left.checked_sub(1)?;
            match (token, tokens.get(at..).unwrap_or_default()) {
                (TokenTree::Punct(dollar), [TokenTree::Ident(name), ..]) if dollar.as_char() == '$' => {
                    at += 1;
                    if name == "crate" {
                        out.push(TokenTree::Ident(Ident::new("crate", self.place())));
                        continue;
                    }
                    let Some(Bound::One(value)) = bindings.get(&types::name(name)) else {
                        return None;
                    };
                    self.left = self.left.checked_sub(size(value))?;
                    out.extend(value.iter().cloned());
                }
                (TokenTree::Punct(dollar), [TokenTree::Group(group), rest @ ..]) if dollar.as_char() == '$' => {
                    let (separators, _) = repetition(rest)?;
                    at += separators + 2;
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    self.repeat(&inner, &rest[..separators], bindings, depth, &mut out)?;
                }
                (TokenTree::Group(group), _) => {
                    self.at += usize::from(group.delimiter() == Delimiter::Brace);
                    let place = self.place();
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    let inner = self.write(&inner, bindings, depth + 1)?;
                    let mut group = Group::new(group.delimiter(), inner.into_iter().collect());
                    group.set_span(place);
                    out.push(TokenTree::Group(group));
                }
                (token, _) => out.push(self.placed(token)),
            }
        }
        Some(out)
    }

    fn repeat(
        &mut self,
        inner: &[TokenTree],
        separator: &[TokenTree],
        bindings: &Bindings,
        depth: u8,
        out: &mut Vec<TokenTree>,
    ) -> Option<()> {
        let mut used = Vec::new();
        mentioned(inner, &mut used, 0);
        let each: Vec<(Name, Rc<[Bound]>)> = used
            .into_iter()
            .filter_map(|name| match bindings.get(&name) {
                Some(Bound::Each(each)) => Some((name, each.clone())),
                _ => None,
            })
            .collect();
        let rounds = each.first()?.1.len();
        for round in 0..rounds {
            let mut own = bindings.clone();
            for (name, values) in &each {
                own.insert(*name, values.get(round)?.clone());
            }
            if round > 0 {
                for token in separator {
                    out.push(self.placed(token));
                }
            }
            out.extend(self.write(inner, &own, depth + 1)?);
        }
        Some(())
    }

    fn placed(&mut self, token: &TokenTree) -> TokenTree {
        let begins = matches!(token, TokenTree::Ident(word) if BEGINNINGS.iter().any(|begins| word == begins));
        self.at += usize::from(begins);
        let mut token = token.clone();
        token.set_span(self.place());
        token
    }

    fn place(&self) -> Span {
        let last = self.places.len().saturating_sub(1);
        self.places.get(self.at.min(last)).copied().unwrap_or_else(Span::call_site)
    }
}

/// How many tokens there are, with those in brackets.
fn size(tokens: &[TokenTree]) -> usize {
    let mut open: Vec<TokenStream> = Vec::new();
    let mut count = tokens.len();
    open.extend(tokens.iter().filter_map(inside));
    while let Some(stream) = open.pop() {
        for token in stream {
            count += 1;
            open.extend(inside(&token));
        }
        if count > TOKENS {
            break;
        }
    }
    count
}

fn inside(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    }
}

/// The metavariables in a part of an arm.
fn mentioned(tokens: &[TokenTree], out: &mut Vec<Name>, depth: u8) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if is(at.checked_sub(1).and_then(|before| tokens.get(before)), '$') => {
                out.push(types::name(name));
            }
            TokenTree::Group(group) if depth < DEPTH => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                mentioned(&inner, out, depth + 1);
            }
            _ => {}
        }
    }
}
