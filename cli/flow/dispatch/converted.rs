//! Requests that a conversion puts together to be sent: what is made in one is made for each attempt.
//!
//! `From` and `TryFrom` only compute, so nothing that they make was stored before; and nobody sets a field later on of what
//! they return. Only of requests that move money is it told, as their types say.

use super::super::eval::Eval;
use super::super::value::{Alt, Atom, Kind, Value, made};
use super::super::words::snake;
use super::{has_word, is_key_name};
use crate::catalog::Words;
use crate::ir::{Body, ExprKind, Function, Name, TypeDecl};

/// What a conversion gives a request to be known by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownBy {
    /// a key
    Key,
    /// no key, though it has a field for one
    NoKey,
    /// a reference of its own making
    Reference,
}

/// What a field of a request is given in a conversion, as far as repeats are told by it.
pub(super) fn given(eval: &Eval<'_, '_>, ty: &TypeDecl, names: [Name; 2], value: &Value) -> Option<KnownBy> {
    let words = &eval.engine.catalog.words;
    if !converts(eval.function.map(|id| &eval.engine.program.function(id).ir)?) || !moves_money(words, ty) {
        return None;
    }
    let value = value.flat();
    let none = !value.is_bottom() && value.atoms().all(|atom| matches!(atom.kind, Kind::Absent));
    match names.iter().any(|name| is_key_name(eval, name.as_str())) {
        true if none => Some(KnownBy::NoKey),
        true => Some(KnownBy::Key),
        false => (is_reference(words, names[0]) && value.alts.iter().any(is_minted)).then_some(KnownBy::Reference),
    }
}

/// Whether nothing but what is made here goes into a value.
fn is_minted(alt: &Alt) -> bool {
    let own = |atom: &Atom| made(&atom.kind) || matches!(atom.kind, Kind::Constant(_));
    alt.atoms.iter().all(own) && alt.atoms.iter().any(|atom| made(&atom.kind))
}

/// Whether a function may give a request a reference in one of the structs that it puts together: the analysis starts there.
pub(crate) fn may_refer(words: &Words, function: &Function, body: &Body) -> bool {
    let refers = |kind: &ExprKind| match kind {
        ExprKind::Struct(literal) => literal.fields.iter().any(|(name, _)| is_reference(words, *name)),
        _ => false,
    };
    converts(function) && body.exprs.iter().any(|expr| refers(&expr.kind))
}

fn converts(function: &Function) -> bool {
    matches!(function.name.as_str(), "from" | "try_from")
}

/// Whether a field holds what the receiver of a request knows it by.
fn is_reference(words: &Words, name: Name) -> bool {
    words.reference_names.iter().any(|word| has_word(name.as_str(), word))
        && !words.label_names.iter().any(|label| label == name.as_str())
}

/// Whether a type is a request that is written out to be sent, and asks for money to be moved.
fn moves_money(words: &Words, ty: &TypeDecl) -> bool {
    let written = ty.attributes.iter().any(|attribute| {
        let mut names = attribute.args.split(|c: char| !c.is_alphanumeric());
        &*attribute.path == "derive" && names.any(|name| name == "Serialize")
    });
    let name = snake(ty.name.as_str());
    let any = |list: &[String]| list.iter().any(|word| has_word(&name, word));
    written && any(&words.request_words) && any(&words.payment_words) && !any(&words.question_names)
}
