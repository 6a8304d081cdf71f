//! A document that is found by an amount within some time, and is confirmed in the same step.

use super::super::call::Site;
use super::super::eval::Eval;
use super::super::events::{EventKind, Usage};
use super::super::scope::has_word;
use super::super::sources::Sources;
use super::super::value::{Record, Shape, Value};
use crate::ir::Name;

/// Records that one of several documents is picked, where the filter is known: an amount is among what it compares, nothing
/// tells one document from another, and one of some time will do. What anybody may take has another word for that.
pub(super) fn record(eval: &mut Eval<'_, '_>, site: &Site<'_>) {
    let changes = site.rows.store.is_some_and(|row| row.op == "conditional_update");
    let [filter, change, ..] = &*site.args else {
        return;
    };
    if changes && every(filter, &|record| is_common(eval, record)) && every(change, &|record| confirms(eval, record)) {
        eval.event(EventKind::Picked { from: Sources::of(filter), alike: true }, site.span, site.name, Usage::Used);
    }
}

/// Whether a value is a map that is written out, and all that it may be is so.
fn every(value: &Value, is_so: &dyn Fn(&Record) -> bool) -> bool {
    let known = |shape: &Shape| match shape {
        Shape::Record(record) => record.rest.is_none() && record.path.is_some_and(|path| path == "{}") && is_so(record),
        _ => false,
    };
    !value.alts.is_empty() && value.alts.iter().all(|alt| known(&alt.shape))
}

fn is_common(eval: &Eval<'_, '_>, filter: &Record) -> bool {
    let words = &eval.engine.catalog.words;
    let named = |name: &Name, list: &[String]| list.iter().any(|word| has_word(name.as_str(), word));
    let is_range = |value: &Value| every(value, &|record| record.fields.keys().all(is_order));
    let tells = |name: &Name| {
        let last = name.as_str().rsplit('_').next();
        name.starts_with('$')
            || named(name, &words.identity_names)
            || named(name, &words.key_names)
            || words.receipt_columns.iter().any(|known| *name == known.as_str())
            || matches!(last, Some("code" | "hash" | "no" | "nonce" | "ref" | "sha256" | "token"))
    };
    let of_time =
        |name: &Name| has_word(name.as_str(), "at") || words.weak_columns.iter().any(|known| *name == known.as_str());
    let mut in_time = filter.fields.iter().filter(|(_, value)| is_range(value));
    let mut equal = filter.fields.iter().filter(|(_, value)| !is_range(value));
    in_time.any(|(name, _)| of_time(name))
        && equal.clone().any(|(name, _)| named(name, &words.amount_columns))
        && !equal.any(|(name, _)| tells(name))
}

/// `$gte` and the like.
fn is_order(name: &Name) -> bool {
    matches!(name.as_str(), "$gt" | "$gte" | "$lt" | "$lte")
}

/// Whether a change sets a word that means a confirmed state.
fn confirms(eval: &Eval<'_, '_>, change: &Record) -> bool {
    let confirmed = |value: &Value| value.text().and_then(|text| eval.engine.words.of_text(text)) == Some("confirmed");
    let set = change.fields.iter().find(|(name, _)| *name == "$set");
    set.is_some_and(|(_, set)| every(set, &|record| record.fields.values().any(confirmed)))
}
