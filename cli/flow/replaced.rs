//! Keys that a caller gives and that are made up where he gives none, and the ids by which money is moved, which are keys only
//! there: whoever takes an id from his caller takes it to know the request again.

use super::dispatch::is_key_name;
use super::engine::Engine;
use super::eval::Eval;
use super::events::{Event, EventKind};
use super::sources::Sources;
use super::uses::Use;
use super::value::{Alt, Kind, Record, Value, made};
use super::words::snake;
use super::{KeyFact, KeyVerdict, has_word};
use crate::catalog::Words;
use crate::findings::Confidence;
use crate::ir::{Body, ExprKind, Name};
use crate::resolve::FnId;
use crate::source::Span;

/// Calls over which a caller's own id is looked for.
const MAX_ABOVE: usize = 4;

/// Whether a field of a request holds an id by which the movement of money may be told from another.
pub(super) fn may_tell(eval: &Eval<'_, '_>, record: &Record, field: Name) -> bool {
    let words = &eval.engine.catalog.words;
    record.path.is_some_and(|path| is_request(words, path)) && is_id(words, field) && !is_key_name(eval, field.as_str())
}

/// Whether a function may give a request such an id: the analysis starts there.
pub(super) fn may_give(words: &Words, body: &Body) -> bool {
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Struct(literal) => {
            let request = literal.path.segments.last().is_some_and(|last| is_request(words, last.name));
            request && literal.fields.iter().any(|(name, _)| is_id(words, *name))
        }
        _ => false,
    })
}

fn is_request(words: &Words, path: Name) -> bool {
    let name = snake(path.as_str().rsplit("::").next().unwrap_or_default());
    words.request_words.iter().any(|word| has_word(&name, word))
}

fn is_id(words: &Words, field: Name) -> bool {
    let name = field.as_str();
    let last = name.rsplit('_').next().unwrap_or(name);
    matches!(last, "id" | "uuid" | "reference")
        && words.payment_words.iter().any(|word| has_word(name, word))
        && !words.label_names.iter().any(|label| label == name)
}

/// Whether what tells a request from another is known well enough to stop: one way a caller gave it, on another it was made
/// up. Further above nothing is added to that.
pub(super) fn is_settled(known: &Use) -> bool {
    known.calls.len() >= MAX_ABOVE
        || !known.key.atoms().any(|atom| matches!(atom.kind, Kind::Param(..)))
        || known.key.flat().alts.iter().any(is_made_up)
}

/// A key of which all is known but that a caller may leave it to be made up: what he repeats without one looks new each time.
/// What was stored before may be found again.
pub(super) fn judge(engine: &mut Engine<'_>, looks: FnId, known: &Use, fact: &mut KeyFact) {
    if !matches!(fact.verdict, KeyVerdict::Stable | KeyVerdict::Unproven) {
        return;
    }
    let Some(place) = made_up(&known.key).filter(|place| !is_stored(&engine.summary(looks).events, *place)) else {
        return;
    };
    fact.verdict = KeyVerdict::RandomFallback;
    fact.confidence = if known.kept { Confidence::Possible } else { Confidence::Likely };
    fact.origins.sort_by_key(|origin| origin.path.first().is_none_or(|step| step.0 != place));
}

/// Where something is made in the place of what the caller did not give.
fn made_up(key: &Value) -> Option<Span> {
    let key = key.flat();
    let given = |alt: &Alt| {
        let of_caller = |kind: &Kind| matches!(kind, Kind::Input(name) if !name.as_str().starts_with("self."));
        let part = |kind: &Kind| of_caller(kind) || matches!(kind, Kind::Constant(_));
        alt.atoms.iter().all(|atom| part(&atom.kind)) && alt.atoms.iter().any(|atom| of_caller(&atom.kind))
    };
    let fresh = key.alts.iter().find(|alt| is_made_up(alt)).filter(|_| key.alts.iter().any(given))?;
    fresh.atoms.iter().find(|atom| made(&atom.kind))?.trail.origin()
}

/// Whether what is made in a place is handed to a store.
fn is_stored(events: &[Event], place: Span) -> bool {
    let holds = |sources: &Sources| sources.iter().any(|source| source.at() == Some(place));
    events.iter().any(|event| match &event.kind {
        EventKind::Sql { binds, .. } => binds.iter().any(holds),
        EventKind::Store { args, .. } => args.iter().any(holds),
        _ => false,
    })
}

/// Whether nothing but what is made at random goes into a value, and nothing keeps that over another run.
fn is_made_up(alt: &Alt) -> bool {
    let own = |kind: &Kind| made(kind) || matches!(kind, Kind::Constant(_));
    let kept = alt.atoms.iter().any(|atom| atom.outside || atom.remembered || atom.inside.is_some());
    !kept && alt.atoms.iter().all(|atom| own(&atom.kind)) && alt.atoms.iter().any(|atom| made(&atom.kind))
}
