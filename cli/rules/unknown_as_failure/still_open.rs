//! States and rows that leave it open what came of a dispatch, or close it on purpose: no failure is decided by them.

use crate::flow::{EventFact, StateIndex, state_word};
use crate::ir::{TypeIr, Variant};
use crate::operations::FunctionOps;
use crate::resolve::Ty;
use crate::rules::Facts;
use crate::rules::scene::{has_any, has_known_key};
use crate::source::Span;
use crate::sql::Kind;

/// Whether a state says that something is asked for again, which happens under the same key.
pub(super) fn is_due(facts: &Facts<'_>, state: &str, dispatch: &EventFact) -> bool {
    let word = state_word(state.rsplit("::").next().unwrap_or(state));
    has_known_key(dispatch) && facts.catalog.words.due_states.contains(&word)
}

/// Whether a variant says of an answer that it is still to come, in an enum that has no other word for that.
pub(super) fn is_open_answer(facts: &Facts<'_>, variant: &str) -> bool {
    let (of, name) = variant.rsplit_once("::").unwrap_or(("", variant));
    if !has_any(&state_word(name), &facts.catalog.words.waiting_states) {
        return false;
    }
    let words = StateIndex::new(facts.catalog);
    let in_doubt = |variant: &Variant| words.of_variant(variant.name.as_str()) == Some("unknown");
    !facts.program.find_type(of).is_some_and(|id| facts.program.type_(id).ir.variants.iter().any(in_doubt))
}

/// Whether a row is taken off beside an arm on which it is put back for later: it was tried as often as it was to be.
pub(super) fn is_given_up(function: &FunctionOps, at: usize, dispatch: &EventFact) -> bool {
    let tables = function.changed_tables(at);
    let asks = |branch: Span| {
        let mut conditions = function.facts.conditions.iter();
        conditions.any(|known| known.branch.0 == branch && known.about.contains(&dispatch.span))
    };
    let mut around = function.event(at).branches.iter().filter(|(branch, _)| !asks(*branch));
    around.any(|(branch, arm)| {
        function.writes().any(|(other, write)| {
            write.branches.iter().any(|(beside, taken)| beside == branch && taken != arm)
                && function.statements(other).iter().any(|statement| statement.kind == Kind::Update)
                && function.changed_tables(other) == tables
        })
    })
}

/// Whether a variant that its function answers with has an error for a part, perhaps in a structure beside it: that hands the
/// error on to the caller, who may know better.
pub(super) fn holds_error(facts: &Facts<'_>, event: &EventFact) -> bool {
    let Some((of, name)) = event.name.rsplit_once("::") else {
        return false;
    };
    let Some(id) = facts.program.find_type(of) else {
        return false;
    };
    let answers = |ty: &Ty| matches!(ty, Ty::Adt(known, _) if *known == id);
    let answered = match &facts.program.function(event.function).ret {
        Ty::External(_, args) => args.iter().any(answers),
        ret => answers(ret),
    };
    let variants = &facts.program.type_(id).ir.variants;
    let variant = variants.iter().find(|variant| variant.name == name).filter(|_| answered);
    let module = of.rsplit_once("::").map_or("", |(module, _)| module);
    let beside = |name: &str| {
        let id = facts.program.find_type(&format!("{module}::{name}"))?;
        let info = facts.program.type_(id);
        info.ir.variants.first().filter(|_| !info.ir.is_enum)
    };
    variant.is_some_and(|variant| {
        has_error(variant)
            || variant.fields.iter().filter_map(|field| last(&field.ty)).filter_map(beside).any(has_error)
    })
}

fn has_error(variant: &Variant) -> bool {
    variant.fields.iter().filter_map(|field| last(&field.ty)).any(|name| name.ends_with("Error"))
}

fn last(ty: &TypeIr) -> Option<&str> {
    match ty {
        TypeIr::Path(path) => path.segments.last().map(|last| last.name.as_str()),
        _ => None,
    }
}
