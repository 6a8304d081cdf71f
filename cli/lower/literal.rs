//! Literals.

use syn::Lit;

use crate::ir::Literal;

/// A literal's value.
pub(super) fn literal(lit: &Lit) -> Literal {
    match lit {
        Lit::Str(text) => Literal::Str(text.value().into_boxed_str()),
        Lit::CStr(text) => Literal::Str(text.value().to_string_lossy().into()),
        Lit::ByteStr(bytes) => Literal::Bytes(bytes.value().into_boxed_slice()),
        Lit::Byte(byte) => Literal::Char(char::from(byte.value())),
        Lit::Char(c) => Literal::Char(c.value()),
        Lit::Int(int) => match int.base10_parse() {
            Ok(value) => Literal::Int(value),
            Err(_) => Literal::Float(int.to_string().into()),
        },
        Lit::Float(float) => Literal::Float(float.to_string().into()),
        Lit::Bool(bool) => Literal::Bool(bool.value),
        // what the parser itself could not read, as written
        Lit::Verbatim(literal) => Literal::Float(literal.to_string().into()),
        _ => Literal::Float(Box::default()),
    }
}
