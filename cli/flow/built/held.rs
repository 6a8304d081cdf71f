//! Rows that are put together elsewhere, in another statement or in a function that was called.

use super::write::Assigned;
use super::write::Kind;
use super::{Eval, MAX_COLUMNS};
use crate::flow::value::{Shape, Value};
use crate::ir::{ExprId, Name};
use crate::resolve::Ty;

/// The columns of such a row, as it is stored.
pub(super) fn columns_of(eval: &Eval<'_, '_>, id: ExprId, kind: Kind) -> Option<Vec<(String, Assigned)>> {
    let value = eval.quiet(id);
    let [alt] = &value.alts[..] else {
        return None;
    };
    let Shape::Record(record) = &alt.shape else {
        // A row that is changed as a whole is given what it has, for the most part.
        return (kind == Kind::Insert).then(|| columns_of_type(eval, id, &value)).flatten();
    };
    let program = eval.engine.program;
    let path = record.path?;
    let fields: Vec<(Name, Name)> = match program.find_type(path.as_str()).map(|id| &program.type_(id).ir) {
        Some(declared) => {
            let stored = declared.fields().iter().filter(|field| !field.serde_skip);
            stored.map(|field| (field.name, field.serde_name)).collect()
        }
        // One that macros declare has what it is written with, and leaves the others to the store.
        None => {
            let names = &eval.engine.catalog.words.model_names;
            names.iter().find(|known| path.as_str().rsplit("::").next() == Some(known))?;
            record.fields.keys().map(|&name| (name, name)).collect()
        }
    };
    let mut columns = Vec::new();
    for (field, column) in fields.into_iter().take(MAX_COLUMNS) {
        let given = record.fields.get(&field).filter(|given| !given.is_bottom())?;
        let assigned = match given.text() {
            Some(text) => Assigned::Text(text.to_owned()),
            None => Assigned::Held(given.clone()),
        };
        columns.push((column.to_string(), assigned));
    }
    (!columns.is_empty()).then_some(columns)
}

/// The columns of a row that the function is handed, by the fields of its type.
fn columns_of_type(eval: &Eval<'_, '_>, id: ExprId, value: &Value) -> Option<Vec<(String, Assigned)>> {
    let Ty::Adt(of, _) = eval.ty(id) else {
        return None;
    };
    let declared = &eval.engine.program.type_(*of).ir;
    let fields = declared.fields().iter().take(MAX_COLUMNS);
    let columns: Vec<_> =
        fields.map(|field| (field.name.to_string(), Assigned::Held(value.field(field.name)))).collect();
    (declared.derives("Insertable") && !columns.is_empty()).then_some(columns)
}
