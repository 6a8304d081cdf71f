//! The shape of an annotated function: where its attributes end, its name, its parameters, its body.
//!
//! All of it is found on tokens. Neither types nor the body are parsed, so half-written code stays as it is.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

/// A function item, with or without a body.
pub(crate) struct Function {
    /// all of its tokens
    tokens: Vec<TokenTree>,
    /// how many of them are attributes
    attributes: usize,
    /// how many of them are attributes and visibility
    visibility: usize,
    /// whether it is a `const fn`
    pub(crate) is_const: bool,
    /// its name
    pub(crate) name: Ident,
    /// what stands between the parentheses
    pub(crate) parameters: TokenStream,
    /// the body's braces; absent in a trait or an extern block
    pub(crate) body: Option<Group>,
}

impl Function {
    /// Reads a function; gives the tokens back if they are something else.
    pub(crate) fn read(item: TokenStream) -> Result<Self, TokenStream> {
        let tokens = unwrap_item(item.clone());
        Self::find(tokens).ok_or(item)
    }

    fn find(tokens: Vec<TokenTree>) -> Option<Self> {
        let attributes = attributes_end(&tokens);
        let visibility = visibility_end(&tokens, attributes);
        let keyword = fn_keyword(&tokens, visibility)?;
        let is_const = tokens[visibility..keyword].iter().any(|token| is_word(token, "const"));
        let TokenTree::Ident(name) = unwrapped(tokens.get(keyword + 1)?) else {
            return None;
        };
        let parameters = tokens[generics_end(&tokens, keyword + 2)..].iter().find_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group.stream()),
            _ => None,
        })?;
        let body = match unwrapped(tokens.last()?) {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        };
        Some(Self { attributes, visibility, is_const, name, parameters, body, tokens })
    }

    /// The visibility, to be repeated on something beside the function.
    pub(crate) fn visibility(&self) -> TokenStream {
        self.tokens[self.attributes..self.visibility].iter().cloned().collect()
    }

    /// The `cfg` attributes, to be repeated on something beside the function.
    pub(crate) fn cfg_attributes(&self) -> TokenStream {
        let attributes = &self.tokens[..self.attributes];
        attributes
            .windows(2)
            .filter(|pair| match pair {
                [TokenTree::Punct(_), TokenTree::Group(group)] => {
                    group.stream().into_iter().next().is_some_and(|token| is_word(&token, "cfg"))
                }
                _ => false,
            })
            .flatten()
            .cloned()
            .collect()
    }

    /// The function with documentation behind its own and with statements in front of its body.
    ///
    /// The body's own tokens stay in the block that they were in: what looks at that block from outside, as
    /// `#[tracing::instrument]` looks for the future that `#[async_trait]` makes, still finds it.
    pub(crate) fn with(self, docs: TokenStream, prefix: TokenStream) -> TokenStream {
        let mut tokens = self.tokens;
        if let (Some(body), Some(last)) = (&self.body, tokens.last_mut()) {
            *last = TokenTree::Group(prefixed(body, prefix));
        }
        let mut out: TokenStream = tokens[..self.attributes].iter().cloned().collect();
        out.extend(docs);
        out.extend(tokens.drain(..).skip(self.attributes));
        out
    }
}

/// A block with statements in front of its own, behind its inner attributes.
pub(crate) fn prefixed(block: &Group, prefix: TokenStream) -> Group {
    if prefix.is_empty() {
        return block.clone();
    }
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let inner = attributes_end(&tokens);
    let mut inside: TokenStream = tokens[..inner].iter().cloned().collect();
    inside.extend(prefix);
    inside.extend(tokens.into_iter().skip(inner));
    let mut group = Group::new(Delimiter::Brace, inside);
    // Resolved at the macro, the block is no longer the user's own, so that lints on the order of statements and items
    // do not blame the user for the statement in front; its position stays.
    group.set_span(block.span().resolved_at(Span::mixed_site()));
    group
}

/// `macro_rules!` hands a whole item over in an invisible group.
fn unwrap_item(item: TokenStream) -> Vec<TokenTree> {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    while let [TokenTree::Group(group)] = tokens.as_slice() {
        if group.delimiter() != Delimiter::None {
            break;
        }
        tokens = group.stream().into_iter().collect();
    }
    tokens
}

/// A token without the invisible groups around it.
fn unwrapped(token: &TokenTree) -> TokenTree {
    let mut token = token.clone();
    loop {
        let inside = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                let mut inside = group.stream().into_iter();
                match (inside.next(), inside.next()) {
                    (Some(only), None) => only,
                    _ => return token,
                }
            }
            _ => return token,
        };
        token = inside;
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

/// How many tokens at the start are attributes: `#[..]`, or `#![..]` inside a block.
fn attributes_end(tokens: &[TokenTree]) -> usize {
    let mut at = 0;
    loop {
        if !is_punct(tokens.get(at), '#') {
            return at;
        }
        let bracket = at + 1 + usize::from(is_punct(tokens.get(at + 1), '!'));
        match tokens.get(bracket) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => at = bracket + 1,
            _ => return at,
        }
    }
}

fn visibility_end(tokens: &[TokenTree], at: usize) -> usize {
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => at + 1,
        Some(token) if is_word(token, "pub") => {
            let restricted = matches!(
                tokens.get(at + 1),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis
            );
            at + 1 + usize::from(restricted)
        }
        _ => at,
    }
}

/// Where `fn` stands, if only qualifiers stand before it.
fn fn_keyword(tokens: &[TokenTree], start: usize) -> Option<usize> {
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token {
            TokenTree::Ident(ident) if *ident == "fn" => return Some(at),
            TokenTree::Ident(ident)
                if ["default", "const", "async", "gen", "unsafe", "safe", "extern"]
                    .iter()
                    .any(|word| ident == word) => {}
            // The name of an ABI.
            TokenTree::Literal(_) => {}
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {}
            _ => return None,
        }
    }
    None
}

/// The position behind `<..>`, if that stands here.
fn generics_end(tokens: &[TokenTree], start: usize) -> usize {
    if !is_punct(tokens.get(start), '<') {
        return start;
    }
    let mut depth = Angles::default();
    for (at, token) in tokens.iter().enumerate().skip(start) {
        depth.pass(token);
        if depth.is_outside() {
            return at + 1;
        }
    }
    tokens.len()
}

/// Counts angle brackets; the one of an arrow is none.
#[derive(Default)]
pub(crate) struct Angles {
    depth: usize,
    arrow: bool,
}

impl Angles {
    pub(crate) fn pass(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            self.arrow = false;
            return;
        };
        match punct.as_char() {
            '<' => self.depth += 1,
            '>' if !self.arrow => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.arrow = matches!(punct.as_char(), '-' | '=') && punct.spacing() == Spacing::Joint;
    }

    pub(crate) fn is_outside(&self) -> bool {
        self.depth == 0
    }
}
