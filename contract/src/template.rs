//! Key templates: `invoice/{invoice.id}/charge`, with `{{` and `}}` for plain braces.
//!
//! A placeholder holds an expression. It is only lexed here, so that both the compiler and the linter can go on with it.

use crate::{Invalid, KeyPart, KeyTemplate};
use proc_macro2::{Spacing, TokenStream, TokenTree};

impl KeyTemplate {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// If the text is blank, a brace has no partner, or a placeholder is empty, carries a format specification or does
    /// not lex.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if text.trim().is_empty() {
            return Err(Invalid::new(
                "the intent key is empty; name what makes the business command unique, as in \"invoice/{invoice.id}/charge\"",
            ));
        }
        let parts = split(text)?;
        for part in &parts {
            if let KeyPart::Placeholder(expression) = part {
                lex(expression)?;
            }
        }
        Ok(Self::Template { text: text.to_owned(), parts })
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        match self {
            Self::Template { text, .. } | Self::Expression(text) => text,
        }
    }

    /// The expressions that the key is made of, as source text.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        let (parts, whole): (&[KeyPart], Option<&str>) = match self {
            Self::Template { parts, .. } => (parts, None),
            Self::Expression(text) => (&[], Some(text)),
        };
        parts
            .iter()
            .filter_map(|part| match part {
                KeyPart::Placeholder(text) => Some(text.as_str()),
                KeyPart::Text(_) => None,
            })
            .chain(whole)
    }
}

fn split(text: &str) -> Result<Vec<KeyPart>, Invalid> {
    let mut parts = Vec::new();
    let mut fixed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        fixed.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            fixed.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            fixed.push('}');
            rest = after;
        } else if let Some(after) = from.strip_prefix('{') {
            let Some(length) = closing_brace(after) else {
                return Err(Invalid::new(format!(
                    "the placeholder `{from}` is not closed; close it with `}}`, or write `{{{{` for a plain brace"
                )));
            };
            let (expression, after) = after.split_at(length);
            if !fixed.is_empty() {
                parts.push(KeyPart::Text(std::mem::take(&mut fixed)));
            }
            parts.push(KeyPart::Placeholder(expression.trim().to_owned()));
            rest = &after[1..];
        } else {
            return Err(Invalid::new("a `}` closes no placeholder; write `}}` for a plain brace"));
        }
    }
    fixed.push_str(rest);
    if !fixed.is_empty() {
        parts.push(KeyPart::Text(fixed));
    }
    Ok(parts)
}

/// The offset of the brace that closes a placeholder whose opening brace has just been read.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(at),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The tokens of a placeholder's expression.
pub(crate) fn lex(expression: &str) -> Result<TokenStream, Invalid> {
    if expression.is_empty() {
        return Err(Invalid::new("the placeholder `{}` is empty; name a parameter in it, as in `{invoice.id}`"));
    }
    let tokens: TokenStream = expression.parse().map_err(|_| {
        Invalid::new(format!(
            "the placeholder `{{{expression}}}` is not an expression; name a parameter in it, as in `{{invoice.id}}`"
        ))
    })?;
    if has_format_spec(tokens.clone()) {
        return Err(Invalid::new(format!(
            "the placeholder `{{{expression}}}` has a format specification, which a key template does not take; \
             give the formatted value its own name, or write the key as an expression: `intent_key = format!(..)`"
        )));
    }
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Literal(_)) => Err(Invalid::new(format!(
            "the placeholder `{{{expression}}}` is a fixed value; write it into the template, or name a parameter"
        ))),
        Some(_) => Ok(tokens),
        None => Err(Invalid::new(format!(
            "the placeholder `{{{expression}}}` holds only a comment; name a parameter in it, as in `{{invoice.id}}`"
        ))),
    }
}

/// Whether a single colon stands outside all brackets, as in `id:05` (but not in `Type::of(id)`).
fn has_format_spec(tokens: TokenStream) -> bool {
    let mut in_path = false;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                if in_path {
                    in_path = false;
                } else if punct.spacing() == Spacing::Joint {
                    in_path = true;
                } else {
                    return true;
                }
            }
            // `{id:?}` lexes the colon as joined to the question mark.
            _ if in_path => return true,
            _ => {}
        }
    }
    in_path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> KeyPart {
        KeyPart::Text(text.to_owned())
    }

    fn hole(text: &str) -> KeyPart {
        KeyPart::Placeholder(text.to_owned())
    }

    fn parts(template: &str) -> Vec<KeyPart> {
        match KeyTemplate::parse(template) {
            Ok(KeyTemplate::Template { parts, .. }) => parts,
            other => panic!("{template}: {other:?}"),
        }
    }

    fn message(template: &str) -> String {
        KeyTemplate::parse(template).unwrap_err().to_string()
    }

    #[test]
    fn text_and_placeholders_alternate() {
        assert_eq!(parts("invoice/{invoice.id}/charge"), [text("invoice/"), hole("invoice.id"), text("/charge")]);
        assert_eq!(parts("{a}{ b }"), [hole("a"), hole("b")]);
        assert_eq!(parts("fixed"), [text("fixed")]);
        assert_eq!(parts("zahlung/{größe}/é"), [text("zahlung/"), hole("größe"), text("/é")]);
    }

    #[test]
    fn doubled_braces_are_plain_ones() {
        assert_eq!(parts("{{{id}}}"), [text("{"), hole("id"), text("}")]);
        assert_eq!(parts("a{{b}}c"), [text("a{b}c")]);
    }

    #[test]
    fn paths_and_calls_are_expressions() {
        assert_eq!(parts("{Id::of(a, b)}"), [hole("Id::of(a, b)")]);
        assert_eq!(parts("{crate::key::<A>(a)}"), [hole("crate::key::<A>(a)")]);
        assert_eq!(parts("{f(S { a: 1 })}"), [hole("f(S { a: 1 })")]);
    }

    #[test]
    fn faults_name_the_placeholder() {
        assert!(message("a/{id:05}").starts_with("the placeholder `{id:05}` has a format specification"));
        assert!(message("a/{id:?}").starts_with("the placeholder `{id:?}` has a format specification"));
        assert!(message("a/{id:}").starts_with("the placeholder `{id:}` has a format specification"));
        assert!(message("a/{id").starts_with("the placeholder `{id` is not closed"));
        assert!(message("a/{}").starts_with("the placeholder `{}` is empty"));
        assert!(message("a/{ }").starts_with("the placeholder `{}` is empty"));
        assert!(message("a/{0}").starts_with("the placeholder `{0}` is a fixed value"));
        assert!(message("a/{b)}").starts_with("the placeholder `{b)}` is not an expression"));
        assert!(message("a/{/* id */}").starts_with("the placeholder `{/* id */}` holds only a comment"));
        assert!(message("a}/b").starts_with("a `}` closes no placeholder"));
        assert!(message(" ").starts_with("the intent key is empty"));
    }

    #[test]
    fn expressions_are_listed() {
        let key = KeyTemplate::parse("{a}/{b.c}").unwrap();
        assert_eq!(key.expressions().collect::<Vec<_>>(), ["a", "b.c"]);
        let key = KeyTemplate::Expression("key_of(x)".to_owned());
        assert_eq!(key.expressions().collect::<Vec<_>>(), ["key_of(x)"]);
    }
}
