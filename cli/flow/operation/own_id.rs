//! The id that a message bears in its own content: where a queue takes no key, whoever reads from it knows a repeat by that.

use crate::flow::dispatch::is_key_name;
use crate::flow::eval::Eval;
use crate::flow::sources::Sources;
use crate::flow::value::{Atom, FieldPath, Kind, Shape, Value};
use crate::flow::words::normal;
use crate::ir::Name;
use crate::resolve::{Ty, behind};

/// Values inside each other that are looked through on the way to the content.
const MAX_INSIDE: usize = 3;

/// What a message among these values is told from others by; nothing where it says none.
pub(crate) fn of_message(eval: &Eval<'_, '_>, system: Option<&str>, given: &[Value]) -> Sources {
    let found: Vec<Value> = match system {
        Some("queue") => given.iter().map(|value| in_value(eval, value, 0)).collect(),
        _ => return Sources::default(),
    };
    Sources::all(&found)
}

fn in_value(eval: &Eval<'_, '_>, value: &Value, depth: usize) -> Value {
    let mut found = Value::bottom();
    for alt in value.alts.iter() {
        let inside: Vec<&Value> = match &alt.shape {
            // A thing that is named says itself who it is: what it speaks of is another.
            Shape::Record(record) if record.path.is_some() && !record.is_list() => {
                let own = record.fields.iter().find(|(name, _)| is_own(eval, record.path, name.as_str()));
                found = found.join(&own.map(|(_, value)| value.clone()).unwrap_or_default());
                continue;
            }
            Shape::Record(record) => record.fields.values().collect(),
            // The client that a chain starts from is no content.
            Shape::Builder(builder) => builder.steps.iter().flat_map(|step| &step.args).collect(),
            _ => Vec::new(),
        };
        if depth < MAX_INSIDE {
            inside.into_iter().for_each(|value| found = found.join(&in_value(eval, value, depth + 1)));
        }
        if matches!(alt.shape, Shape::Plain) {
            alt.atoms.iter().filter_map(|atom| of_parameter(eval, atom)).for_each(|own| found = found.join(&own));
        }
    }
    found
}

/// The id of what a function is handed as a whole, by its type.
fn of_parameter(eval: &Eval<'_, '_>, atom: &Atom) -> Option<Value> {
    let Kind::Param(index, path) = atom.kind else {
        return None;
    };
    let program = eval.engine.program;
    let ty = program.function(eval.function?).param(index as usize)?;
    let ty = path.iter().fold(ty.clone(), |ty, &field| program.field_ty(&ty, field));
    let Ty::Adt(id, _) = behind(&ty) else {
        return None;
    };
    let declared = program.type_(*id);
    let own = declared.ir.fields().iter().find(|field| is_own(eval, Some(declared.path), field.name.as_str()))?;
    let kind = Kind::Param(index, FieldPath::then(path, own.name));
    Some(Value::atom(Atom { kind, ..atom.clone() }))
}

/// Whether a field says which one a thing is: `id`, or named after it, as `event_id` in a `UsageEvent`.
fn is_own(eval: &Eval<'_, '_>, ty: Option<Name>, field: &str) -> bool {
    let named_after = |ty: Name| {
        let of = normal(ty.as_str().rsplit("::").next().unwrap_or_default());
        let id = field.strip_suffix("_id").or_else(|| field.strip_suffix("_uuid"));
        id.and_then(|noun| of.strip_suffix(noun)).is_some_and(|front| front.is_empty() || front.ends_with('_'))
    };
    matches!(field, "id" | "uuid") || is_key_name(eval, field) || ty.is_some_and(named_after)
}
