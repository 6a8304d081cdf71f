//! Calls of a file's own `macro_rules!` in bodies: what they stand for.
//!
//! In: the definitions of a file, and an invocation. Out: the tokens of the first arm that it matches, with its arguments
//! in them. Arguments keep their places; what the definition adds stands where the invocation does. A definition that uses
//! more than is read here, or that grows beyond bounds, leaves the invocation to be read like any macro.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};

use crate::index::{FileIndex, ItemKind};
use crate::ir::Name;
use crate::lower::gate;
use crate::lower::macro_rules::written_arms;
use crate::lower::text::Source;
use crate::source::TextRange;

/// Tokens that the invocations of one file may become, beside so many for each of its bytes.
const TOKENS: usize = 1 << 16;
const TOKENS_A_BYTE: usize = 4;

/// The definitions of a file.
pub(in crate::lower) struct Definitions<'s, 'a> {
    source: &'s Source<'a>,
    bodies: HashMap<Name, Vec<TextRange>>,
    read: RefCell<HashMap<Name, Rc<[Arm]>>>,
    /// how many tokens may still be made
    left: Cell<usize>,
}

impl<'s, 'a> Definitions<'s, 'a> {
    /// What the index has found.
    pub(in crate::lower) fn of(source: &'s Source<'a>, index: &FileIndex) -> Self {
        let mut bodies: HashMap<Name, Vec<TextRange>> = HashMap::new();
        for item in index.items.iter().filter(|item| item.kind == ItemKind::MacroRules) {
            if let (Some(name), Some(body)) = (item.name, item.body) {
                bodies.entry(name).or_default().push(body);
            }
        }
        let left = Cell::new(source.text.len() * TOKENS_A_BYTE + TOKENS);
        Self { source, bodies, read: RefCell::default(), left }
    }

    /// Whether the file defines a macro of this name.
    pub(super) fn has(&self, name: Name) -> bool {
        self.bodies.contains_key(&name)
    }

    /// What an invocation stands for, in at most so many tokens, and how many these are.
    pub(super) fn expand(
        &self,
        name: Name,
        tokens: &TokenStream,
        place: Span,
        most: usize,
    ) -> Option<(TokenStream, usize)> {
        let arms = self.arms(name);
        let (arm, bound) = arms.iter().find_map(|arm| {
            let mut bound = Bound::new();
            let matched = (|input: ParseStream<'_>| matches(&arm.matcher, input, &mut bound)).parse2(tokens.clone());
            matched.is_ok().then_some((arm, bound))
        })?;
        let before = self.left.get();
        let most = most.min(before);
        let mut left = most;
        let made = transcribe(arm.transcriber.clone(), &bound, place, &mut left);
        self.left.set(before - (most - left));
        Some((made?, most - left))
    }

    fn arms(&self, name: Name) -> Rc<[Arm]> {
        if let Some(known) = self.read.borrow().get(&name) {
            return known.clone();
        }
        let bodies = self.bodies.get(&name).into_iter().flatten();
        let arms: Rc<[Arm]> = bodies.flat_map(|&body| arms(self.source.slice(body))).collect();
        self.read.borrow_mut().insert(name, arms.clone());
        arms
    }
}

/// `(matcher) => { transcriber }`
struct Arm {
    matcher: Vec<Part>,
    transcriber: TokenStream,
}

/// A part of a matcher.
enum Part {
    Token(String),
    Group(Delimiter, Vec<Part>),
    /// `$name:fragment`
    Variable(String, String),
    /// `$( … ) separator operator`
    Each {
        parts: Vec<Part>,
        separator: Option<String>,
        operator: char,
    },
}

/// What variables stand for.
type Bound = HashMap<String, Tokens>;

#[derive(Clone)]
enum Tokens {
    One(TokenStream),
    /// of each turn of a repetition
    Each(Vec<Tokens>),
}

/// Arms up to the first that is not understood.
fn arms(text: &str) -> Vec<Arm> {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return Vec::new();
    };
    if gate::too_deep(&tokens) {
        return Vec::new();
    }
    let read = written_arms(tokens).map_while(|(matcher, transcriber)| {
        Some(Arm { matcher: parts(matcher.stream())?, transcriber: transcriber.stream() })
    });
    read.collect()
}

fn parts(tokens: TokenStream) -> Option<Vec<Part>> {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        out.push(match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.next()? {
                TokenTree::Ident(name) => match (tokens.next()?, tokens.next()?) {
                    (TokenTree::Punct(colon), TokenTree::Ident(fragment)) if colon.as_char() == ':' => {
                        Part::Variable(name.to_string(), fragment.to_string())
                    }
                    _ => return None,
                },
                TokenTree::Group(group) => {
                    let parts = parts(group.stream())?;
                    let (separator, operator) = repetition(&mut tokens)?;
                    let separator = separator.map(|token| token.to_string());
                    Part::Each { parts, separator, operator }
                }
                _ => return None,
            },
            TokenTree::Group(group) => Part::Group(group.delimiter(), parts(group.stream())?),
            token => Part::Token(token.to_string()),
        });
    }
    Some(out)
}

/// What stands behind `$( … )`: a separator of one token, if any, and the operator.
fn repetition(tokens: &mut impl Iterator<Item = TokenTree>) -> Option<(Option<TokenTree>, char)> {
    let operator = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => Some(punct.as_char()).filter(|char| matches!(char, '*' | '+' | '?')),
        _ => None,
    };
    let first = tokens.next()?;
    match operator(&first) {
        Some(found) => Some((None, found)),
        None => Some((Some(first), operator(&tokens.next()?)?)),
    }
}

fn matches(parts: &[Part], input: ParseStream<'_>, bound: &mut Bound) -> syn::Result<()> {
    for part in parts {
        match part {
            Part::Token(text) => token(text, input)?,
            Part::Group(delimiter, parts) => {
                let TokenTree::Group(group) = input.parse::<TokenTree>()? else {
                    return Err(input.error("a group"));
                };
                if group.delimiter() != *delimiter {
                    return Err(input.error("another delimiter"));
                }
                (|input: ParseStream<'_>| matches(parts, input, bound)).parse2(group.stream())?;
            }
            Part::Variable(name, kind) => {
                let tokens = fragment(kind, input)?;
                bound.insert(name.clone(), Tokens::One(tokens));
            }
            Part::Each { parts, separator, operator } => {
                let turns = turns(parts, separator.as_deref(), *operator, input);
                if *operator == '+' && turns.is_empty() {
                    return Err(input.error("at least one"));
                }
                for name in variables(parts) {
                    let each = turns.iter().filter_map(|turn| turn.get(name)).cloned().collect();
                    bound.insert(name.to_owned(), Tokens::Each(each));
                }
            }
        }
    }
    Ok(())
}

/// What a repetition matches, as often as it does.
fn turns(parts: &[Part], separator: Option<&str>, operator: char, input: ParseStream<'_>) -> Vec<Bound> {
    let mut turns = Vec::new();
    while !input.is_empty() && (operator != '?' || turns.is_empty()) {
        let fork = input.fork();
        if let (Some(text), false) = (separator, turns.is_empty()) {
            if token(text, &fork).is_err() {
                break;
            }
        }
        let mut bound = Bound::new();
        if matches(parts, &fork, &mut bound).is_err() || fork.cursor() == input.cursor() {
            break;
        }
        input.advance_to(&fork);
        turns.push(bound);
    }
    turns
}

fn token(text: &str, input: ParseStream<'_>) -> syn::Result<()> {
    match input.parse::<TokenTree>()?.to_string() == text {
        true => Ok(()),
        false => Err(input.error("another token")),
    }
}

/// The variables of a repetition, those of repetitions inside it among them.
fn variables(parts: &[Part]) -> Vec<&str> {
    let inner = parts.iter().flat_map(|part| match part {
        Part::Token(_) => Vec::new(),
        Part::Variable(name, _) => vec![&**name],
        Part::Group(_, parts) | Part::Each { parts, .. } => variables(parts),
    });
    inner.collect()
}

/// The tokens of one fragment. An expression or type is kept together.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let begin = input.cursor();
    match kind {
        "ident" => drop(input.call(Ident::parse_any)?),
        "expr" | "expr_2021" => drop(input.parse::<syn::Expr>()?),
        "ty" => drop(input.parse::<syn::Type>()?),
        "path" => drop(input.parse::<syn::Path>()?),
        "pat" => drop(input.call(syn::Pat::parse_multi_with_leading_vert)?),
        "pat_param" => drop(input.call(syn::Pat::parse_single)?),
        "literal" => {
            input.parse::<Option<syn::Token![-]>>()?;
            input.parse::<syn::Lit>()?;
        }
        "lifetime" => drop(input.parse::<syn::Lifetime>()?),
        "block" => drop(input.parse::<syn::Block>()?),
        "meta" => drop(input.parse::<syn::Meta>()?),
        "vis" => drop(input.parse::<syn::Visibility>()?),
        "tt" => drop(input.parse::<TokenTree>()?),
        _ => return Err(input.error("a fragment that is not read")),
    }
    let (mut at, end) = (begin, input.cursor());
    let mut tokens = Vec::new();
    while at != end {
        let Some((token, next)) = at.token_tree() else {
            break;
        };
        tokens.push(token);
        at = next;
    }
    let tokens: TokenStream = tokens.into_iter().collect();
    Ok(match kind {
        "expr" | "expr_2021" | "ty" => TokenTree::Group(Group::new(Delimiter::None, tokens)).into(),
        _ => tokens,
    })
}

/// A transcriber with what variables stand for in it; `None` where it asks for more than is read, or grows too long.
fn transcribe(tokens: TokenStream, bound: &Bound, place: Span, left: &mut usize) -> Option<TokenStream> {
    let mut tokens = tokens.into_iter();
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        *left = left.checked_sub(1)?;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.next()? {
                TokenTree::Ident(name) if name == "crate" => out.push(Ident::new("crate", place).into()),
                TokenTree::Ident(name) => match bound.get(&name.to_string())? {
                    Tokens::One(tokens) => {
                        *left = left.checked_sub(count(tokens.clone()))?;
                        out.extend(tokens.clone());
                    }
                    Tokens::Each(_) => return None,
                },
                TokenTree::Group(group) => {
                    let (separator, _) = repetition(&mut tokens)?;
                    for (at, turn) in split(group.stream(), bound)?.iter().enumerate() {
                        if let (Some(separator), true) = (&separator, at > 0) {
                            out.push(placed(separator.clone(), place));
                        }
                        out.extend(transcribe(group.stream(), turn, place, left)?);
                    }
                }
                _ => return None,
            },
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), transcribe(group.stream(), bound, place, left)?);
                made.set_span(place);
                out.push(made.into());
            }
            token => out.push(placed(token, place)),
        }
    }
    Some(out.into_iter().collect())
}

/// The variables as they are in each turn of a repetition; those in it that are repeated say how many there are.
fn split(tokens: TokenStream, bound: &Bound) -> Option<Vec<Bound>> {
    let mut used = Vec::new();
    names(tokens, &mut used);
    let each = used.iter().filter_map(|name| match bound.get(name)? {
        Tokens::Each(each) => Some((name, each)),
        Tokens::One(_) => None,
    });
    let each: Vec<_> = each.collect();
    let length = each.first()?.1.len();
    if each.iter().any(|(_, each)| each.len() != length) {
        return None;
    }
    let turn = |at: usize| {
        let mut turn = bound.clone();
        turn.extend(each.iter().map(|(name, each)| ((*name).clone(), each[at].clone())));
        turn
    };
    Some((0..length).map(turn).collect())
}

/// The variables that tokens name.
fn names(tokens: TokenStream, out: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Punct(punct), Some(TokenTree::Ident(name))) if punct.as_char() == '$' => {
                out.push(name.to_string());
            }
            (TokenTree::Group(group), _) => names(group.stream(), out),
            _ => {}
        }
    }
}

fn placed(mut token: TokenTree, place: Span) -> TokenTree {
    token.set_span(place);
    token
}

fn count(tokens: TokenStream) -> usize {
    let inner = |token: TokenTree| match token {
        TokenTree::Group(group) => 1 + count(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(inner).sum()
}
