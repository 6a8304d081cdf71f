//! Key positions with no dispatch in sight: headers, fields, columns.

use super::super::Recognition;
use super::super::call::Site;
use super::super::eval::Eval;
use super::super::replaced;
use super::super::value::{Atom, Kind, Record, Value, made};
use super::converted::{self, KnownBy};
use super::stored_key::Filled;
use super::*;
use crate::ir::{ExprId, ExprKind, Name, TypeDecl, Variant};
use crate::source::Span;

/// A key position with no dispatch in sight; told only where the value says something.
pub(super) fn free_standing(eval: &mut Eval<'_, '_>, value: &Value, position: Span) {
    lone_key(eval, value, position, false);
}

/// A key in a field of a value that nobody is seen to send: it may be kept and sent with every attempt.
fn kept_key(eval: &mut Eval<'_, '_>, value: &Value, position: Span) {
    lone_key(eval, value, position, true);
}

/// An id that may be a key: told only where a caller gives it on one way, and it is made up on another.
fn own_id(eval: &mut Eval<'_, '_>, value: &Value, position: Span) {
    let Some(mut new) = new_use(eval, position, "", Recognition::FreeStanding).filter(|_| !is_of_question(eval)) else {
        return;
    };
    new.key = value.flat();
    new.position = Some(position);
    new.loose = true;
    finish(eval, new);
}

fn lone_key(eval: &mut Eval<'_, '_>, value: &Value, position: Span, kept: bool) {
    let tells = value.flat().atoms().any(|atom| made(&atom.kind) || matches!(atom.kind, Kind::Param(..)));
    if tells && !is_of_question(eval) {
        set_key(eval, value, position, kept);
    }
}

fn set_key(eval: &mut Eval<'_, '_>, value: &Value, position: Span, kept: bool) {
    let Some(mut new) = new_use(eval, position, "", Recognition::FreeStanding) else {
        return;
    };
    new.key = value.flat();
    new.position = Some(position);
    new.kept = kept;
    // What is fixed in front of a loop that repeats the request holds over it, though the request itself is not seen.
    if repeats_after(eval, position) {
        new.key = new.key.map_atoms(&mut |atom| Atom { outside: atom.outside || made(&atom.kind), ..atom.clone() });
    }
    finish(eval, new);
}

/// Whether the function around makes a request that only asks, by its name: for the state of a payment, for a token.
fn is_of_question(eval: &Eval<'_, '_>) -> bool {
    let words = &eval.engine.catalog.words;
    let name = eval.function.map_or("", |function| eval.engine.program.function(function).ir.name.as_str());
    let any = |list: &[String]| list.iter().any(|word| has_word(name, word));
    any(&words.question_names) && !any(&words.verbs) && !any(&words.client_verbs)
}

/// Whether a loop that repeats its body stands behind a place of this function.
pub(super) fn repeats_after(eval: &Eval<'_, '_>, position: Span) -> bool {
    let words = &eval.engine.catalog.words;
    eval.body.exprs.iter().enumerate().any(|(at, expr)| match &expr.kind {
        ExprKind::Loop(repeat) if expr.range.start > position.range.end => {
            super::super::scope::loop_scope(eval.body, eval.file, ExprId(at as u32), repeat, words).is_some()
        }
        _ => false,
    })
}

/// `insert("Idempotency-Key", value)` and the like on anything.
pub(crate) fn key_argument(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let pair = match (site.args.as_slice(), site.arg_ids.as_slice()) {
        ([name, value], [_, id]) => {
            name.text().is_some_and(|text| is_key_header(eval, text)).then(|| (value.clone(), *id))
        }
        ([value], [id]) if is_key_name(eval, site.name.as_str()) && site.receiver.is_some() => {
            Some((value.clone(), *id))
        }
        _ => None,
    };
    if let Some((value, id)) = pair {
        let span = eval.span_of(id);
        free_standing(eval, &value, span);
    }
}

/// Whether a call sets a key header on its receiver: the receiver is then followed as what it is.
pub(crate) fn sets_key_header(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let named = |name: &Value| name.text().is_some_and(|text| is_key_header(eval, text));
    site.receiver.is_some() && matches!(site.args.as_slice(), [name, _] if named(name))
}

/// A tuple of header name and value, and whether that is a key.
pub(crate) fn header_pair(eval: &mut Eval<'_, '_>, name: &Value, value: &Value, span: Span) -> bool {
    let is_key = name.text().is_some_and(|text| is_key_header(eval, text));
    if is_key {
        free_standing(eval, value, span);
    }
    is_key
}

/// Key fields of a struct literal or map.
pub(crate) fn record(eval: &mut Eval<'_, '_>, _id: ExprId, record: &Record, declared: Option<(&TypeDecl, &Variant)>) {
    // A token among credentials tells who asks, not what is asked for.
    let credentials = &eval.engine.catalog.words.credential_names;
    let secret = |name: &Name| credentials.iter().any(|word| super::super::has_word(name.as_str(), word));
    if declared.is_some_and(|(ty, _)| is_row(eval, ty)) || record.fields.keys().any(secret) {
        return;
    }
    for (&name, value) in &record.fields {
        let serde_name = declared
            .and_then(|(_, variant)| variant.fields.iter().find(|field| field.name == name))
            .map(|field| field.serde_name);
        let Some(&place) = record.places.get(&name) else {
            continue;
        };
        let names = [name, serde_name.unwrap_or(name)];
        let is_key =
            names.iter().any(|name| is_key_name(eval, name.as_str())) || is_key_header(eval, names[1].as_str());
        match declared.and_then(|(ty, _)| converted::given(eval, ty, names, value)) {
            Some(KnownBy::Key) => free_standing(eval, value, place),
            Some(KnownBy::NoKey | KnownBy::Reference) => set_key(eval, value, place, false),
            None if is_key => kept_key(eval, value, place),
            None if replaced::may_tell(eval, record, name) => own_id(eval, value, place),
            None => {}
        }
    }
}

/// A type that stands for a row of a table: a key in it is stored, not sent.
pub(super) fn is_row(eval: &Eval<'_, '_>, ty: &TypeDecl) -> bool {
    let derives = &eval.engine.catalog.words.row_derives;
    derives.iter().any(|name| ty.derives(name))
}

/// An assignment to a key field.
pub(crate) fn field(eval: &mut Eval<'_, '_>, name: Name, value: &Value, span: Span) {
    if is_key_name(eval, name.as_str()) {
        kept_key(eval, value, span);
    }
}

/// A key that was read from a key header of the request that is being handled.
pub(super) fn is_key_input(atom: &Atom) -> bool {
    matches!(atom.kind, Kind::Input(name) if name.as_str() == KEY_HEADER)
}

/// Name of the input that a key header is.
pub(crate) const KEY_HEADER: &str = "the key header of the request";

/// Whether a call reads a key header: `headers.get("idempotency-key")`.
pub(crate) fn reads_key_header(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    matches!(site.args.as_slice(), [name] if name.text().is_some_and(|text| is_key_header(eval, text)))
        && site.receiver.is_some()
}

/// The value bound to a key column of an `INSERT`, where it holds more than what was minted for it.
pub(super) fn stored(eval: &mut Eval<'_, '_>, inner: ExprId) {
    let body = eval.body;
    let mut binds = Vec::new();
    let mut at = inner;
    let sql = loop {
        match &body.expr(at).kind {
            ExprKind::MethodCall(call) => {
                if call.name.as_str() == "bind" {
                    binds.insert(
                        0,
                        *match call.args.first() {
                            Some(arg) => arg,
                            None => return,
                        },
                    );
                }
                at = call.receiver;
            }
            ExprKind::Await(next) | ExprKind::Try(next) => at = *next,
            ExprKind::Call { args, .. } => match args.first() {
                Some(&sql) => break sql,
                None => return,
            },
            ExprKind::Macro(call) => match call.args.split_first() {
                Some((&sql, rest)) => {
                    binds = rest.to_vec();
                    break sql;
                }
                None => return,
            },
            _ => return,
        }
    };
    let Some(text) = eval.quiet_text(sql) else {
        return;
    };
    for filled in super::stored_key::inserted_columns(text) {
        let Some(&bound) = binds.get(filled.placeholder).filter(|_| is_key_column(eval, &filled)) else {
            continue;
        };
        let value = eval.quiet(bound).flat();
        let composed = is_composed(&value);
        if composed {
            let span = eval.span_of(bound);
            free_standing(eval, &value, span);
        }
    }
}

/// The values that a statement stores in key columns, where they hold more than what was minted for them.
pub(crate) fn stored_keys(eval: &mut Eval<'_, '_>, texts: &[Name], binds: &[Value], place: Span) {
    let [text] = texts else {
        return;
    };
    for filled in super::stored_key::inserted_columns(text.as_str()) {
        let bound = binds.get(filled.placeholder).filter(|_| is_key_column(eval, &filled));
        if let Some(value) = bound.map(Value::flat).filter(is_composed) {
            free_standing(eval, &value, place);
        }
    }
}

/// Whether a column holds a key: by its name, or because the application says so of its table.
fn is_key_column(eval: &Eval<'_, '_>, filled: &Filled) -> bool {
    let declared = || {
        let table = eval.engine.catalog.table(filled.table.as_deref()?)?;
        Some(table.named("key").iter().any(|key| key.eq_ignore_ascii_case(&filled.column)))
    };
    is_key_name(eval, &filled.column) || declared().unwrap_or(false)
}

/// Whether a value is put together from something made and something given.
fn is_composed(value: &Value) -> bool {
    value.alts.iter().any(|alt| {
        alt.atoms.iter().any(|atom| made(&atom.kind))
            && alt.atoms.iter().any(|atom| !made(&atom.kind) && !matches!(atom.kind, Kind::Constant(_)))
    })
}
