//! The intent key: a template in quotation marks, or any expression.

use super::{at, string};
use crate::cursor::Cursor;
use crate::grammar::{Key, Parsed, Placeholder};
use crate::{template, tokens_text, Error, KeyPart, KeyTemplate};
use proc_macro2::{Delimiter, TokenTree};

pub(crate) fn intent_key(cursor: &mut Cursor, parsed: &mut Parsed) -> Result<(), Error> {
    let span = cursor.span();
    let mut tokens = cursor.expression()?;
    if let [TokenTree::Group(group)] = tokens.as_slice() {
        // A fragment of `macro_rules!`.
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        if group.delimiter() == Delimiter::None && matches!(inside.as_slice(), [TokenTree::Literal(_)]) {
            tokens = inside;
        }
    }
    let [TokenTree::Literal(literal)] = tokens.as_slice() else {
        parsed.contract.intent_key = Some(KeyTemplate::Expression(tokens_text(tokens.iter().cloned())));
        parsed.extras.key = Some(Key::Expression(tokens.into_iter().collect()));
        return Ok(());
    };
    let Some(text) = string(literal) else {
        return Err(Error::at(
            span,
            "`intent_key` takes a template in quotation marks, as in `\"invoice/{invoice.id}/charge\"`, or an expression",
        ));
    };
    let key = KeyTemplate::parse(&text).map_err(at(span))?;
    let mut placeholders = Vec::new();
    if let KeyTemplate::Template { parts, .. } = &key {
        for part in parts {
            if let KeyPart::Placeholder(text) = part {
                let tokens = template::lex(text).map_err(at(span))?;
                placeholders.push(Placeholder { text: text.clone(), tokens });
            }
        }
    }
    parsed.contract.intent_key = Some(key);
    parsed.extras.key = Some(Key::Template { literal: literal.span(), placeholders });
    Ok(())
}
