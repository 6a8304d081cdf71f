//! Which inputs of a function a key template can show: the compiler must accept what is proposed.

use super::Known;
use crate::ir::Name;
use crate::resolve::{FnId, Ty, TypeId};

/// Words that are names only behind `r#`, which paths do not show.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Whether `{path}` in a template of this function compiles: its parts are a parameter and fields that can be seen from
/// here, and its value can be displayed.
pub(super) fn can_show(known: Known<'_>, id: FnId, path: &str) -> bool {
    let program = known.program;
    let function = program.function(id);
    let mut parts = path.split('.');
    let Some(first) = parts.next() else {
        return false;
    };
    // a template cannot name what only `r#` makes a name
    if path.split('.').any(|part| KEYWORDS.contains(&part)) {
        return false;
    }
    let named = |name: &Option<Name>| name.is_some_and(|name| name.as_str() == first);
    let Some(at) = function.ir.params.iter().position(|param| named(&param.name)) else {
        return false;
    };
    let mut ty = function.params.get(at).cloned().unwrap_or_default();
    for part in parts {
        if !sees_fields(known, id, &ty) {
            return false;
        }
        ty = program.field_ty(&ty, Name::new(part));
    }
    is_displayed(known, &ty)
}

/// Whether fields of a type can be named in a function. Whether they are public is not known, so they count as private:
/// to be seen in the module of the type and below.
pub(super) fn sees_fields(known: Known<'_>, id: FnId, ty: &Ty) -> bool {
    let Ty::Adt(of, _) = ty else {
        return false;
    };
    let program = known.program;
    let home = program.modules[program.type_(*of).module.0 as usize].to_string();
    let here = program.modules[program.function(id).module.0 as usize].to_string();
    here.strip_prefix(&home).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn is_displayed(known: Known<'_>, ty: &Ty) -> bool {
    match ty {
        // of numbers those that stand for themselves: a float is no identity
        Ty::Primitive(name) => !matches!(name.as_str(), "f32" | "f64"),
        Ty::External(path, args) => {
            args.is_empty() && known.catalog.words.displayed_types.iter().any(|known| known == path.as_str())
        }
        Ty::Adt(id, args) => args.is_empty() && implements_display(known, *id),
        _ => false,
    }
}

fn implements_display(known: Known<'_>, id: TypeId) -> bool {
    known.program.impls.iter().any(|found| {
        let of = matches!(found.self_ty, Ty::Adt(ty, _) if ty == id);
        of && found.trait_path.is_some_and(|path| path.as_str() == "std::fmt::Display")
    })
}
