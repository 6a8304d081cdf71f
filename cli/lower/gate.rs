//! How deeply the tree of a token stream can nest, before anything recurses over it.
//!
//! In: tokens (lexing them does not recurse). Out: an upper bound on the depth of every tree a parser can build from
//! them. Brackets nest, and so do operators, prefixes, method calls and `else if`: a chain of a thousand calls is a
//! tree a thousand levels deep, and so is a chain of a hundred calls inside ten others.

use proc_macro2::{TokenStream, TokenTree, token_stream::IntoIter};

/// Greatest bound that is read. Stacks of [`super::STACK`] bytes hold several times as much in debug builds.
pub(super) const LIMIT: usize = 4_000;

/// Words that start an expression, type or pattern around what follows them.
const PREFIXES: [&str; 20] = [
    "return", "break", "yield", "else", "as", "if", "match", "in", "for", "while", "loop", "unsafe", "async", "move",
    "mut", "ref", "dyn", "impl", "fn", "let",
];

/// One bracket level during the walk.
struct Level {
    tokens: IntoIter,
    /// operators and prefixes since the last separator
    run: usize,
    /// the deepest group since the last separator
    inner: usize,
    /// the deepest segment so far
    deepest: usize,
    /// the last token was a brace group, after which a new statement may start
    after_brace: bool,
}

impl Level {
    fn new(tokens: TokenStream) -> Self {
        Self { tokens: tokens.into_iter(), run: 0, inner: 0, deepest: 0, after_brace: false }
    }

    fn separate(&mut self) {
        self.deepest = self.deepest.max(self.run + self.inner);
        self.run = 0;
        self.inner = 0;
    }
}

/// Whether the tokens nest beyond [`LIMIT`].
pub(super) fn too_deep(tokens: &TokenStream) -> bool {
    let mut levels = vec![Level::new(tokens.clone())];
    while let Some(level) = levels.last_mut() {
        let brace = std::mem::take(&mut level.after_brace);
        match level.tokens.next() {
            None => {
                level.separate();
                let depth = level.deepest + 1;
                levels.pop();
                let Some(around) = levels.last_mut() else {
                    return depth > LIMIT;
                };
                around.inner = around.inner.max(depth);
                if depth > LIMIT {
                    return true;
                }
            }
            Some(TokenTree::Group(group)) => {
                level.run += 1;
                level.after_brace = group.delimiter() == proc_macro2::Delimiter::Brace;
                levels.push(Level::new(group.stream()));
                if levels.len() > LIMIT {
                    return true;
                }
            }
            Some(TokenTree::Punct(punct)) => match punct.as_char() {
                ',' | ';' => level.separate(),
                ':' | '#' => {}
                _ => level.run += 1,
            },
            Some(TokenTree::Ident(ident)) => {
                if brace && ident != "else" && ident != "as" {
                    level.separate();
                }
                if PREFIXES.iter().any(|prefix| ident == prefix) {
                    level.run += 1;
                }
            }
            Some(TokenTree::Literal(_)) => {
                if brace {
                    level.separate();
                }
            }
        }
    }
    false
}
