//! The names that a function's or closure's parameters bind.

use crate::function::Angles;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// The names bound by parameters, in order; a receiver is `self`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    names: Vec<Ident>,
}

impl Parameters {
    /// Reads what stands between the parentheses of a function or the bars of a closure.
    pub(crate) fn read(tokens: TokenStream) -> Self {
        let mut names = Vec::new();
        for parameter in split_at_commas(tokens) {
            names_of_pattern(&pattern(&parameter), &mut names);
        }
        Self { names }
    }

    /// The parameter of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Ident> {
        self.names.iter().find(|ident| *ident == name)
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.names.iter().map(Ident::to_string)
    }

    /// Whether `#[async_trait]` has replaced a pattern by a name of its own.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.names().any(|name| {
            let number = name.strip_prefix("__arg").unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    }
}

fn split_at_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parameters = vec![Vec::new()];
    let mut angles = Angles::default();
    for token in tokens {
        angles.pass(&token);
        let comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        if comma && angles.is_outside() {
            parameters.push(Vec::new());
        } else if let Some(last) = parameters.last_mut() {
            last.push(token);
        }
    }
    parameters
}

/// The tokens before the colon of the type; all of them if there is none.
fn pattern(parameter: &[TokenTree]) -> Vec<TokenTree> {
    let mut in_path = false;
    for (at, token) in parameter.iter().enumerate() {
        let TokenTree::Punct(punct) = token else {
            continue;
        };
        if punct.as_char() == ':' && !in_path {
            in_path = punct.spacing() == Spacing::Joint && is_colon(parameter.get(at + 1));
            if !in_path {
                return parameter[..at].to_vec();
            }
        } else {
            in_path = false;
        }
    }
    parameter.to_vec()
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
}

fn names_of_pattern(pattern: &[TokenTree], names: &mut Vec<Ident>) {
    let mut skip = false;
    for (at, token) in pattern.iter().enumerate() {
        match token {
            // The brackets of an attribute hold no pattern.
            TokenTree::Punct(punct) => skip = punct.as_char() == '#',
            TokenTree::Group(group) => {
                if !skip {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    names_of_pattern(&inside, names);
                }
                skip = false;
            }
            TokenTree::Ident(ident) if binds(ident, at, pattern) => names.push(ident.clone()),
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether a word in a pattern binds: it is neither a keyword nor part of a path nor the name of a field.
fn binds(ident: &Ident, at: usize, pattern: &[TokenTree]) -> bool {
    let word = ident.to_string();
    let keyword = matches!(word.as_str(), "ref" | "mut" | "box" | "_" | "true" | "false" | "const" | "dyn");
    let followed = match pattern.get(at + 1) {
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ':' | '!'),
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::None,
        _ => false,
    };
    // The name of a lifetime, or what ends a path.
    let preceded = at > 0
        && matches!(&pattern[at - 1], TokenTree::Punct(punct) if matches!(punct.as_char(), ':' | '\''))
        && !is_field_colon(pattern, at - 1);
    // A constant or a unit struct in a larger pattern; alone, even a capital letter binds.
    let constant = pattern.len() > 1 && word.starts_with(char::is_uppercase);
    !(keyword || followed || preceded || constant)
}

/// Whether the colon at this position separates a field from its pattern, as against `::`.
fn is_field_colon(pattern: &[TokenTree], at: usize) -> bool {
    is_colon(pattern.get(at)) && !(at > 0 && is_colon(pattern.get(at - 1)))
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    fn names(parameters: &str) -> Vec<String> {
        Parameters::read(parameters.parse().unwrap()).names().collect()
    }

    #[test]
    fn every_sort_of_parameter_gives_its_names() {
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names("a: A, mut b: Map<K, V>, &c: &C, ref d: D,"), ["a", "b", "c", "d"]);
        assert_eq!(names("&'a mut self, x: impl Fn(A, B) -> C"), ["self", "x"]);
        assert_eq!(names("self: Box<Self>, _: u8"), ["self"]);
        assert_eq!(names("Json(Body { id, name: n, .. }): Json<Body>"), ["id", "n"]);
        assert_eq!(names("shop::Id::<A, B>(id): shop::Id<A, B>, (a, [b, _]): T"), ["id", "a", "b"]);
        assert_eq!(names("#[cfg(feature = \"x\")] a: A"), ["a"]);
        assert_eq!(names("x @ Wrapper(_): W, N: u8"), ["x", "N"]);
        assert_eq!(names("a, b"), ["a", "b"]);
    }

    #[test]
    fn the_rewriting_of_async_trait_is_seen() {
        let read = |text: &str| Parameters::read(text.parse().unwrap());
        assert!(read("&'life0 self, __arg1: Charge").is_rewritten());
        assert!(!read("__argument: Charge, arg1: X").is_rewritten());
    }
}
