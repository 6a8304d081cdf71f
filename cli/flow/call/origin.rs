//! What the catalog says that a call or constant of another crate gives.

use super::super::eval::Eval;
use super::super::events::{EventKind, Usage};
use super::super::sources::Sources;
use super::super::value::{Alt, Atom, BuildStep, Builder, Kind, Shape, Trail, Value};
use super::super::{built, filled_in, prepared, shapes};
use super::Site;
use super::build::{carrier, number_of};
use super::combine::run_or_self;
use crate::catalog::{Call, Carrier, FreshKind, Gives, OriginRule, WithoutKey};
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::Callee;
use std::sync::Arc;

/// Name of the input that the surroundings of the process are.
pub(crate) const ENVIRONMENT: &str = "the environment";

/// Whether an input is the surroundings of the process, or something in them.
pub(crate) fn is_surroundings(name: Name) -> bool {
    name.as_str().strip_prefix(ENVIRONMENT).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What a row of the catalog says a call gives.
pub(super) fn from_origin(eval: &mut Eval<'_, '_>, site: &Site<'_>, origin: &OriginRule) -> Value {
    // The order of a map is told of where something is done in it.
    let fresh = match origin.gives {
        Gives::Fresh(kind) => Some(kind).filter(|kind| *kind != FreshKind::MapOrder),
        _ => None,
    };
    if let (Some(kind), true) = (fresh, eval.engine.has_workflows) {
        eval.event(EventKind::Fresh { kind }, site.span, site.name, Usage::Used);
    }
    if origin.surroundings && eval.engine.has_workflows {
        eval.event(EventKind::Fresh { kind: FreshKind::Process }, site.span, site.name, Usage::Used);
    }
    if origin.digest {
        let value = Sources::all(&site.all_args());
        eval.event(EventKind::Digest { value }, site.span, site.name, Usage::Used);
    }
    if let (Gives::Stored, Some(value)) = (&origin.gives, prepared::claimed(eval, site)) {
        return value;
    }
    let mut parts: Vec<Value> = Vec::new();
    // A method called by path: its receiver is the first argument, and the numbers count from the one after.
    let shift = i32::from(site.receiver.is_none() && origin.has_receiver());
    let operand = |number: i32| if number < 0 { number } else { number + shift };
    let own = |eval: &Eval<'_, '_>, kind: Kind, note: &str| {
        Value::atom(Atom::new(kind, eval.here(), Trail::start(site.span, note)))
    };
    for &number in &origin.keeps {
        if let Some(value) = site.argument(operand(number)).cloned() {
            // What makes a value stands for what it makes: `LazyLock::new(|| ..)`.
            let value = if site.receiver.is_none() { run_or_self(eval, site, &value, &[]) } else { value };
            let kept = prepared::inputs(eval, &value).unwrap_or(value);
            let cut = number < 0 && eval.engine.catalog.words.day_calls.iter().any(|word| word == site.name.as_str());
            let kept = if cut { kept.field(site.name) } else { kept };
            parts.push(if origin.serializes { kept.serialized() } else { kept });
            if origin.serializes && shapes::is_unordered(eval, site, operand(number)) {
                parts.push(own(eval, Kind::Fresh(FreshKind::MapOrder), fresh_note(FreshKind::MapOrder)));
            }
        }
    }
    match &origin.gives {
        Gives::Fresh(kind) => parts.push(own(eval, Kind::Fresh(*kind), fresh_note(*kind))),
        Gives::Attempt(what) => parts.push(own(eval, Kind::Attempt(Name::new(what)), "this differs between attempts")),
        Gives::Durable => parts.push(own(eval, Kind::Durable, "")),
        Gives::Stored => {
            if reads(eval, site) {
                parts.iter_mut().for_each(|part| *part = part.asked_for());
            }
            // Rows that are asked for by nothing but constants are not constant.
            let fixed = |part: &Value| part.atoms().all(|atom| matches!(atom.kind, Kind::Constant(_)));
            if parts.iter().all(fixed) {
                parts.push(own(eval, Kind::Stored, ""));
            }
        }
        Gives::Input if origin.surroundings => parts.push(own(eval, Kind::Input(Name::new(ENVIRONMENT)), "")),
        Gives::Input => parts.push(own(eval, Kind::Input(site.name), "")),
        Gives::Field => {
            let known = |kind: &Kind| matches!(kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored);
            let receiver = site.argument(-1).filter(|value| value.atoms().any(|atom| known(&atom.kind)));
            // Of a receiver that nobody knows it is still something from outside.
            parts.push(match receiver {
                Some(receiver) => receiver.field(site.name),
                None => own(eval, Kind::Input(site.name), ""),
            });
        }
        Gives::Empty => parts.push(own(eval, Kind::Empty, "an empty value is made here")),
        Gives::Constant => parts.push(eval.constant(None)),
        Gives::Kept => {}
        Gives::Opaque(reason) => parts.push(own(eval, Kind::Opaque(Name::new(reason)), reason)),
    }
    if let (Some(unit), Some(number)) = (&origin.unit, site.args.first().and_then(Value::text)) {
        if number.bytes().all(|byte| byte.is_ascii_digit()) {
            parts = vec![eval.constant(Some(&format!("{number}{unit}")))];
        }
    }
    // One part that is only handed on keeps its shape.
    let value = match (parts.len(), &origin.gives) {
        (0, _) => eval.opaque("nothing of what goes in comes out", site.span),
        (1, Gives::Kept | Gives::Field) => parts.swap_remove(0),
        _ => Value::concat(&parts),
    };
    let value = if origin.serializes { filled_in::parsed(eval, site, value) } else { value };
    let value = match origin.gives {
        Gives::Kept => prepared::extended(eval, site, &value).unwrap_or(value),
        _ => value,
    };
    if let Some(number) = origin.mutates.map(operand) {
        if let Some(id) = site.argument_id(number).map(|id| changed(eval, id)) {
            let old = site.argument(number).cloned().unwrap_or_default();
            let known = old.alts.iter().any(|alt| !alt.atoms.is_empty());
            let chain = matches!(value.alts.first(), Some(Alt { shape: Shape::Builder(_), .. }));
            let order = eval.takes_in(id);
            let mut taken = eval.all_taken(id, &value);
            taken.extend(order);
            let new = match known && !chain {
                _ if joins(site, &old) => old.join(&site.args[0]),
                true => Value::concat(&[vec![old], taken].concat()),
                false => value.clone(),
            };
            let range = eval.body.expr(id).range;
            eval.assign(id, new, range);
        }
    }
    value
}

/// Whether what is put together is added to a list that holds nothing else: `entries.push(entry(change)?)`. What each was put
/// together from stays in sight.
fn joins(site: &Site<'_>, list: &Value) -> bool {
    let is_built = |alt: &Alt| matches!(alt.shape, Shape::Builder(_));
    let is_new = |alt: &Alt| matches!(alt.shape, Shape::Plain) && alt.atoms.iter().all(|atom| atom.kind == Kind::Empty);
    matches!((&site.args[..], site.name.as_str()), ([one], "push" | "push_back") if !one.is_bottom() && one.alts.iter().all(is_built))
        && list.alts.iter().all(|alt| is_built(alt) || is_new(alt))
}

/// What a call changes through an expression: `command.arg(a).arg(b)` changes the command, as each call hands it on.
fn changed(eval: &Eval<'_, '_>, id: ExprId) -> ExprId {
    let mut at = id;
    while let ExprKind::MethodCall(call) = &eval.body.expr(at).kind {
        let Some(Callee::ExternalMethod { receiver, method }) = eval.types.callee(at) else {
            break;
        };
        let row = eval.engine.matcher.origin(&Call::Method {
            receiver: receiver.as_str(),
            method: method.as_str(),
            fields: &[],
        });
        if row.is_none_or(|row| row.mutates != Some(-1)) {
            break;
        }
        at = call.receiver;
    }
    at
}

pub(super) fn fresh_note(kind: FreshKind) -> &'static str {
    match kind {
        FreshKind::Random => "a random value is made here",
        FreshKind::Clock => "the clock is read here",
        FreshKind::Counter => "a counter of this process is read here",
        FreshKind::Process => "this belongs to the running process",
        FreshKind::Address => "an address in memory is taken here",
        FreshKind::MapOrder => "the order of a map comes in here",
    }
}

/// An external path that is no call: a constant of another crate, or a function that is called where it is used.
pub(crate) fn external_path(eval: &mut Eval<'_, '_>, id: ExprId, path: Name) -> Value {
    let matcher = eval.engine.matcher;
    let origin = matcher.origin(&Call::External(path.as_str()));
    let Some(text) = matcher.constant(path.as_str()) else {
        return external_value(eval, id, path, origin);
    };
    eval.constant(Some(text))
}

/// An external path whose text nobody knows.
fn external_value(eval: &mut Eval<'_, '_>, id: ExprId, path: Name, origin: Option<&OriginRule>) -> Value {
    let matcher = eval.engine.matcher;
    // A unit struct such as `OsRng` is the value itself, a function is called where it is used.
    if let Some(Gives::Fresh(kind)) = origin.map(|origin| &origin.gives) {
        if is_type_name(path) {
            let trail = Trail::start(eval.span_of(id), fresh_note(*kind));
            return Value::atom(Atom::new(Kind::Fresh(*kind), eval.here(), trail));
        }
    }
    let carries = carrier(&matcher.carriers(&Call::External(path.as_str())));
    // Of strategies, one that takes a key is made where that is given, and one that mints where it is called.
    let called = |row: &Carrier| row.key.is_some() || row.without_key == WithoutKey::MintedPerCall;
    if origin.is_some() || std_conversion(path).is_some() || carries.is_some_and(called) {
        return Value::alt(Alt {
            atoms: eval.constant(Some(path.as_str())).alts[0].atoms.clone(),
            shape: Shape::External(path),
        });
    }
    let name = Name::new(path.as_str().rsplit("::").next().unwrap_or_default());
    let carries = carries.and_then(|row| number_of(&eval.engine.catalog.carriers, row));
    let step = BuildStep { carries, ..BuildStep::plain(name, Vec::new(), eval.span_of(id)) };
    let constant = eval.constant(Some(path.as_str()));
    match step.carries {
        None => constant,
        Some(_) => {
            let atoms = constant.alts[0].atoms.clone();
            let builder = Builder { root: Value::bottom(), steps: vec![step] };
            Value::alt(Alt { atoms, shape: Shape::Builder(Arc::new(builder)) })
        }
    }
}

/// A method named by its path, `str::to_owned`, `String::from`, as a method of any receiver.
pub(super) fn std_conversion(path: Name) -> Option<&'static str> {
    path.as_str()
        .rsplit_once("::")
        .map(|(_, method)| method)
        .filter(|method| method.starts_with(|char: char| char.is_lowercase()))
}

/// Whether a path ends like a type: a capital letter first, not only capitals.
fn is_type_name(path: Name) -> bool {
    let name = path.as_str().rsplit("::").next().unwrap_or_default();
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// Whether a call only gives rows that were there before: it runs a statement that adds none, or asks a store that has no
/// statements.
fn reads(eval: &Eval<'_, '_>, site: &Site<'_>) -> bool {
    let mut texts = prepared::of_call(site, site.rows.store).texts;
    texts.extend(built::statement(eval, site).map(|written| written.text));
    let adds = |text: &Name| text.as_str().to_ascii_lowercase().contains("insert");
    match texts.iter().any(|text| prepared::is_sql(text.as_str())) {
        true => !texts.iter().any(adds),
        false => site.rows.store.is_some_and(|row| row.op == "query" && row.executor.is_some()),
    }
}
