//! From uses to facts: what is left open is resolved or named, and every key gets its verdict.

mod extracted;
mod found_first;
mod handed_keys;
mod own_keys;
mod own_way;
mod same_day;
mod settled;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::DispatchFact;
use super::FlowFacts;
use super::FunctionEvents;
use super::KeyFact;
use super::KeyVerdict;
use super::OriginFact;
use super::OriginKind;
use super::Recognition;
use super::RepeatScope;
use super::SharedKey;
use super::dispatch::{KEY_HEADER, client_facts, is_unsent, names_result, provider_at};
use super::engine::{Analysis, Engine};
use super::events::{Event, EventKind};
use super::handlers::{self, Handler};
use super::schedule::{self, on_threads};
use super::scope::{has_word, is_attempt};
use super::told::Kept;
use super::uses::{Use, alternatives};
use super::value::{Alt, Atom, Entered, FieldPath, Kind, Value, made};
use super::{address, replaced, seeds, width};
use crate::catalog::FreshKind;
use crate::findings::Confidence;
use crate::ir::Name;
use crate::resolve::{FnId, Program, Ty, TypeId};
use crate::source::Span;

/// Functions that are looked at on the way up, at most: a guard against call graphs without end.
const MAX_FUNCTIONS: usize = 40_000;

/// Calls over which an operation is followed to its callers.
pub(super) const MAX_FOLLOWED: usize = 3;

/// Evaluates the seeds and their callers, and tells what was found.
pub(crate) fn report<'p>(analysis: &'p Analysis<'p>, threads: usize) -> FlowFacts {
    let looked_at: Vec<FnId> = looked_at(analysis, threads).into_iter().collect();
    let above = handed_keys::callers(analysis, &looked_at, threads);
    let writers = Writers::of(analysis.program);
    let next = AtomicUsize::new(0);
    let told = on_threads(threads, || {
        let mut engine = Engine::new(analysis);
        let mut kept = Kept::default();
        let mut told = Vec::new();
        while let Some(&id) = looked_at.get(next.fetch_add(1, Ordering::Relaxed)) {
            told.push(of_function(&mut engine, &writers, &mut kept, id));
        }
        told
    });
    let mut told: Vec<Told> = told.into_iter().flatten().collect();
    let empty = on_threads(1, || {
        let mut engine = Engine::new(analysis);
        above.iter().flat_map(|&id| handed_keys::empty(&mut engine, &writers, id)).collect::<Vec<_>>()
    });
    told.sort_by_key(|told| told.events.function);
    let (mut dispatches, mut functions, mut shared, mut unresolved_calls) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut unheard = Vec::new();
    dispatches.extend(empty.into_iter().flatten());
    for function in told {
        dispatches.extend(function.dispatches);
        unheard.extend(function.made_here);
        shared.extend(function.shared);
        functions.push(Arc::new(function.events));
        unresolved_calls += function.unresolved;
    }
    shared.sort();
    shared.dedup_by(|b, a| (a.site, a.other) == (b.site, b.other));
    let (own_ids, dispatches) = settled::settle(dispatches, unheard).into_iter().partition(|fact| fact.loose);
    FlowFacts { dispatches, own_ids, functions, shared, unresolved_calls }
}

/// The functions of which something may be told: where the analysis starts, and on the way up from there whoever can put
/// something in front of what happens, or behind.
fn looked_at<'p>(analysis: &'p Analysis<'p>, threads: usize) -> BTreeSet<FnId> {
    let mut engine = Engine::new(analysis);
    let handlers = handlers::all(&engine);
    let Analysis { program, catalog, matcher, contracts, .. } = *analysis;
    let mut next = seeds::seeds(program, catalog, matcher, contracts, &analysis.rows.traits, handlers, threads);
    let mut looked_at: BTreeSet<FnId> = BTreeSet::new();
    while !next.is_empty() {
        schedule::evaluate(analysis, &next, threads);
        let mut callers = BTreeSet::new();
        for id in next {
            if looked_at.len() >= MAX_FUNCTIONS || !looked_at.insert(id) {
                continue;
            }
            let summary = engine.summary(id);
            let open = summary.uses.iter().any(Use::is_open)
                || summary.events.iter().any(|event| is_followed(&engine, event))
                || hands_out_key(&summary.ret)
                || summary.ret.alts.iter().any(|alt| is_unsent(catalog, alt));
            // The intent's way ends at each handler; whoever calls a declared one may still be dropped around it, and whoever
            // hands a delivery to several helpers says what comes first.
            let goes_on = |handler: handlers::Handler<'_>| handler.contract || handler.is_handed_delivery();
            if open && handlers::handler(&engine, id).is_none_or(goes_on) {
                callers.extend(engine.callers(id));
            }
        }
        next = callers.into_iter().filter(|caller| !looked_at.contains(caller)).collect();
    }
    looked_at
}

/// What is told of one function.
struct Told {
    dispatches: Vec<DispatchFact>,
    /// those with a key that is made anew for each call, of which a caller may know more
    made_here: Vec<DispatchFact>,
    events: FunctionEvents,
    shared: Vec<SharedKey>,
    unresolved: usize,
}

fn of_function(engine: &mut Engine<'_>, writers: &Writers, kept: &mut Kept, id: FnId) -> Told {
    let summary = engine.summary(id);
    let uses = own_keys::of_client(engine, writers, id, &summary.uses);
    let mut shared = super::shared::shared_keys(id, engine.program.body(id), &uses);
    shared.extend(summary.shared.iter().cloned());
    let events = super::told::of_function(engine, writers, kept, id, &summary);
    let handler = handlers::handler(engine, id);
    let top = handler.is_some() || engine.callers(id).is_empty();
    // Functions that only call each other have no top; what they do is told of each, unless only a name speaks for it.
    let root = |known: &Use| top || known.recognition != Recognition::FreeStanding && engine.is_root(id);
    // An open use below a function with callers is told where it is closed.
    let (told, open): (Vec<&Use>, Vec<&Use>) = uses.iter().partition(|known| root(known) || !known.is_open());
    let mut tell = |known: &Use| fact(engine, writers, id, handler.as_ref(), known.clone());
    let mut dispatches: Vec<DispatchFact> = told.into_iter().map(&mut tell).collect();
    dispatches.retain(|fact| !fact.loose || fact.key.verdict == KeyVerdict::RandomFallback);
    let made_here = open.into_iter().filter(|known| known.is_made_per_call()).map(&mut tell).collect();
    Told { dispatches, made_here, events, shared, unresolved: summary.unresolved }
}

/// Whether a function gives its caller the key that a request carries.
fn hands_out_key(value: &Value) -> bool {
    value.atoms().any(|atom| matches!(atom.kind, Kind::Input(name) if name.as_str() == KEY_HEADER))
}

/// Whether callers are looked at because of what happens here: they may put something in front of it, or behind.
fn is_followed(engine: &Engine<'_>, event: &Event) -> bool {
    let undoes = |name: &str| engine.catalog.words.compensation_verbs.iter().any(|verb| has_word(name, verb));
    let acts = event.kind.is_operation()
        || match event.kind {
            EventKind::Dispatch { harmless, ref asked, .. } => !harmless || asked.is_some(),
            EventKind::Call { awaited, .. } => awaited && undoes(event.name.as_str()),
            EventKind::Digest { ref value } => event.via.is_empty() && value.has_param(),
            _ => false,
        };
    acts && event.via.len() < MAX_FOLLOWED
}

pub(super) fn fact(
    engine: &mut Engine<'_>,
    writers: &Writers,
    id: FnId,
    handler: Option<&Handler<'_>>,
    mut known: Use,
) -> DispatchFact {
    let receiver = named(engine, writers, id, handler, known.receiver.get(), true);
    let catalog = engine.catalog;
    let attached = client_facts(catalog, &mut known, &receiver);
    if let (Some(site), None) = (attached, &known.repeat) {
        let what = "a client that repeats its requests".to_owned();
        known.repeat = Some(Arc::new(RepeatScope { site, what, confidence: Confidence::Certain, by_method: false }));
    }
    own_keys::in_headers(engine, writers, id, &mut known);
    if !known.carried.is_empty() {
        known.key = super::dispatch::carried::unknown(&known);
    }
    let leaves_out = same_day::leaves_out(engine, id, &known.key);
    known.key = named(engine, writers, id, handler, &known.key, false);
    if let Some(handler) = handler {
        let scope = handler.scope.clone();
        known.key = known.key.map_atoms(&mut |atom| {
            let mut atom = atom.clone();
            // The next attempt may be that of another process.
            let anew = matches!(atom.entered, Entered::Here(_)) || atom.remembered;
            if made(&atom.kind) && atom.inside.is_none() && anew {
                atom.inside = Some(scope.clone());
            }
            atom
        });
    }
    let mut key = verdict(engine, &known);
    if leaves_out && matches!(key.verdict, KeyVerdict::Stable | KeyVerdict::Coarse) {
        key.verdict = KeyVerdict::Coarse;
        key.confidence = Confidence::Likely;
    }
    found_first::judge(engine, id, &known, &mut key);
    replaced::judge(engine, id, &known, &mut key);
    own_way::judge(engine, &known, &mut key);
    if known.chosen {
        key.confidence = key.confidence.min(Confidence::Likely);
    }
    let row = known.row.and_then(|number| catalog.dispatches.get(number as usize));
    let is_http = row.is_some_and(super::dispatch::is_http);
    // A wrapper does not know whom its caller asks, nor what for.
    let of_caller = || provider_at(catalog, known.operation.get());
    let provider = known.provider.or_else(|| is_http.then(of_caller).flatten());
    let names_result = provider.is_some_and(|id| catalog.provider(id.as_str()).is_some_and(names_result));
    let bare = is_http && provider.is_none() && known.recognition == Recognition::Catalog;
    let asks = bare && known.position.is_none() && address::asks(&catalog.words, known.operation.get());
    DispatchFact {
        site: known.site,
        function: known.function,
        call: known.call.to_string(),
        provider: provider.map(|name| name.to_string()),
        recognition: known.recognition,
        handler: handler.map(|_| id),
        without_key: known.without_key,
        key_optional: row.is_some_and(|row| row.key_optional),
        harmless: known.harmless || asks || names_result,
        repeated: known.repeat.as_deref().cloned(),
        sibling_keyed: known.sibling_keyed,
        operation: address::texts(known.operation.get()),
        bare,
        address: is_http.then(|| address::shown(known.operation.get())).flatten(),
        looks: id,
        chosen: known.chosen,
        loose: known.loose,
        calls: known.calls,
        key,
    }
}

/// The verdict on a key of which nothing is open any more.
fn verdict(engine: &Engine<'_>, known: &Use) -> KeyFact {
    let words = &engine.catalog.words;
    let shown = known.position.map(|position| width::shown(engine, known.function, position)).unwrap_or_default();
    let mut fact = KeyFact {
        position: known.position,
        verdict: KeyVerdict::NotCarried,
        confidence: Confidence::Certain,
        origins: Vec::new(),
        scope: None,
        kept_over: false,
        remembered: false,
        payload: false,
        least_length: shown.least.map(|width| (width.least, width.at)),
        cut: shown.cut,
    };
    if known.key.is_bottom() {
        return fact;
    }
    let alts = alternatives(&known.key);
    let mut classes: Vec<(KeyVerdict, Confidence, Vec<&Atom>)> = alts.iter().map(|alt| classify(alt, words)).collect();
    classes.sort_by_key(|class| rank(class.0));
    let all = |verdict| classes.iter().all(|class| class.0 == verdict);
    let some = |verdict| classes.iter().find(|class| class.0 == verdict);
    let (verdict, confidence) = if all(KeyVerdict::Missing) {
        (KeyVerdict::Missing, Confidence::Certain)
    } else if let Some(class) = some(KeyVerdict::PerAttempt) {
        // A default in the place of what is made anew, beside parts that are the same, is no other key.
        let kinds = |class: &(KeyVerdict, Confidence, Vec<&Atom>)| -> BTreeSet<Kind> {
            let atoms = class.2.iter().map(|atom| atom.kind);
            atoms.filter(|kind| !matches!(kind, Kind::Constant(_) | Kind::Empty)).collect()
        };
        let made_anew = kinds(class);
        // And what all of is in that one is that one before something was put into it: a digest that a loop feeds.
        let all_in = |own: &[&Atom]| own.iter().all(|atom| class.2.iter().any(|made| made.kind == atom.kind));
        let part = |class: &(KeyVerdict, Confidence, Vec<&Atom>)| {
            let own = kinds(class);
            !own.is_empty() && own.is_subset(&made_anew) || !class.2.is_empty() && all_in(&class.2)
        };
        let keyed = classes.iter().filter(|class| class.0 != KeyVerdict::Missing && !part(class));
        // What the memory of the process had was put there by the same way: no more stable than what it lacks.
        let made = || classes.iter().filter(|class| class.0 == KeyVerdict::PerAttempt);
        let remembered = made().all(|class| class.2.first().is_some_and(|atom| atom.remembered));
        match remembered || keyed.clone().all(|class| class.0 == KeyVerdict::PerAttempt) {
            true => (KeyVerdict::PerAttempt, class.1),
            false => (KeyVerdict::RandomFallback, class.1),
        }
    } else if let Some(class) = some(KeyVerdict::Missing) {
        (KeyVerdict::Missing, class.1)
    } else if let Some(class) = some(KeyVerdict::MayBeEmpty) {
        (KeyVerdict::MayBeEmpty, class.1)
    } else if some(KeyVerdict::Unproven).is_some() || known.key.wide || classes.is_empty() {
        (KeyVerdict::Unproven, Confidence::Certain)
    } else if all(KeyVerdict::Coarse) {
        (KeyVerdict::Coarse, classes[0].1)
    } else {
        (KeyVerdict::Stable, Confidence::Certain)
    };
    fact.verdict = verdict;
    let recognised = match known.recognition {
        Recognition::Declared | Recognition::Catalog => Confidence::Certain,
        _ => Confidence::Likely,
    };
    // Where nobody is seen to send it, and nothing that runs again is around, it may be made once and kept.
    let kept = known.kept
        && matches!(verdict, KeyVerdict::PerAttempt | KeyVerdict::RandomFallback | KeyVerdict::MayBeEmpty)
        && !classes.iter().any(|class| class.2.iter().any(|atom| atom.inside.is_some()));
    fact.confidence = if kept { Confidence::Possible } else { confidence.min(recognised) };
    let mut seen = Vec::new();
    for (_, _, atoms) in &classes {
        for atom in atoms {
            let path = atom.trail.steps();
            let origin = OriginFact { kind: kind_of(&atom.kind), path };
            if !seen.contains(&(origin.kind, origin.path.first().cloned())) {
                seen.push((origin.kind, origin.path.first().cloned()));
                fact.origins.push(origin);
            }
        }
    }
    if matches!(verdict, KeyVerdict::PerAttempt | KeyVerdict::RandomFallback) {
        let decisive = classes.first().and_then(|class| class.2.first());
        fact.scope = decisive.and_then(|atom| atom.inside.as_deref().cloned());
        fact.kept_over = decisive.is_some_and(|atom| atom.outside || atom.remembered);
        fact.remembered = decisive.is_some_and(|atom| atom.remembered);
        let names = |atom: &&Atom| matches!(atom.kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored | Kind::Durable);
        let beside = classes.first().is_some_and(|class| class.2.iter().any(names));
        fact.payload = beside && decisive.is_some_and(|atom| atom.payload);
    }
    fact
}

/// Worse first, so that the decisive origin leads.
fn rank(verdict: KeyVerdict) -> u8 {
    match verdict {
        KeyVerdict::PerAttempt => 0,
        KeyVerdict::Missing => 1,
        KeyVerdict::MayBeEmpty => 2,
        KeyVerdict::Unproven => 3,
        KeyVerdict::Coarse => 4,
        _ => 5,
    }
}

/// One alternative: its verdict, how sure, and its atoms, the decisive one first.
fn classify<'a>(alt: &'a Alt, words: &crate::catalog::Words) -> (KeyVerdict, Confidence, Vec<&'a Atom>) {
    let mut atoms: Vec<&Atom> = alt.atoms.iter().collect();
    let lead = |atoms: &mut Vec<&'a Atom>, is: &dyn Fn(&Atom) -> bool| {
        if let Some(at) = atoms.iter().position(|atom| is(atom)) {
            atoms.swap(0, at);
        }
    };
    let is = |is: &dyn Fn(&Kind) -> bool| alt.atoms.iter().any(|atom| is(&atom.kind));
    if is(&|kind| kind.is_absent()) {
        lead(&mut atoms, &|atom| atom.kind.is_absent());
        return (KeyVerdict::Missing, Confidence::Certain, atoms);
    }
    let opaque = is(&|kind| matches!(kind, Kind::Opaque(_)));
    // Who puts the time beside what names the intent derives a key of that intent, wherever that is done.
    let named = is(&|kind| matches!(kind, Kind::Param(..) | Kind::Input(_) | Kind::Stored));
    let clock = |atom: &Atom| atom.kind == Kind::Fresh(FreshKind::Clock) && matches!(atom.entered, Entered::Here(_));
    let anew = |atom: &Atom| (atom.per_call || named && clock(atom)) && !atom.outside;
    let violating = |atom: &Atom| made(&atom.kind) && (atom.inside.is_some() || anew(atom));
    if let Some(atom) = alt.atoms.iter().find(|atom| violating(atom)) {
        let mut confidence = atom.inside.as_ref().map_or(Confidence::Likely, |scope| scope.confidence);
        // What is unknown may stand in its place; beside a field of what was serialised it stands in a place of its own.
        if atom.guessed || opaque && !atom.payload {
            confidence = if confidence == Confidence::Certain { Confidence::Likely } else { Confidence::Possible };
        } else if opaque {
            confidence = confidence.min(Confidence::Likely);
        }
        lead(&mut atoms, &violating);
        return (KeyVerdict::PerAttempt, confidence, atoms);
    }
    if opaque || alt.atoms.is_empty() {
        lead(&mut atoms, &|atom| matches!(atom.kind, Kind::Opaque(_)));
        return (KeyVerdict::Unproven, Confidence::Certain, atoms);
    }
    let fixed = |kind: &Kind| matches!(kind, Kind::Constant(_) | Kind::Empty);
    if alt.atoms.iter().all(|atom| fixed(&atom.kind)) {
        if is(&|kind| *kind == Kind::Empty) {
            return (KeyVerdict::MayBeEmpty, Confidence::Certain, atoms);
        }
        return (KeyVerdict::Coarse, Confidence::Likely, atoms);
    }
    let coarse = |kind: &Kind| match kind {
        Kind::Input(path) => {
            let last = path.as_str().rsplit('.').next().unwrap_or_default();
            words.coarse_names.iter().any(|word| has_word(last, word))
        }
        kind => fixed(kind),
    };
    if alt.atoms.iter().all(|atom| coarse(&atom.kind)) {
        return (KeyVerdict::Coarse, Confidence::Possible, atoms);
    }
    (KeyVerdict::Stable, Confidence::Certain, atoms)
}

pub(crate) fn kind_of(kind: &Kind) -> OriginKind {
    match kind {
        Kind::Constant(text) => OriginKind::Constant(text.map(|text| match text.as_str().contains('\u{0}') {
            true => Name::new(&text.as_str().replace('\u{0}', "…")),
            false => text,
        })),
        Kind::Param(_, path) => {
            OriginKind::Input(Name::new(&path.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(".")))
        }
        Kind::Input(name) => OriginKind::Input(*name),
        Kind::Stored | Kind::Reply(..) | Kind::Transaction(_) => OriginKind::Stored,
        Kind::Durable => OriginKind::Durable,
        Kind::Fresh(kind) => OriginKind::Fresh(*kind),
        Kind::Attempt(what) => OriginKind::Attempt(*what),
        Kind::Empty => OriginKind::Empty,
        Kind::Absent | Kind::AbsentIf(..) => OriginKind::Absent,
        Kind::Opaque(reason) => OriginKind::Opaque(*reason),
    }
}

/// Parameters of a root function become inputs; fields of its service object what the workspace writes into them.
pub(super) fn named(
    engine: &mut Engine<'_>,
    writers: &Writers,
    id: FnId,
    handler: Option<&Handler<'_>>,
    value: &Value,
    client: bool,
) -> Value {
    let program = engine.program;
    let info = program.function(id);
    let words = &engine.catalog.words;
    let rule = handler.and_then(|handler| handler.rule);
    // A job that runs itself is its own task: its fields are inputs. Of other parameters only the client counts: what it
    // carries was written into it where it was made.
    let is_task = rule.is_some() && !client;
    let mut fields: BTreeMap<(u32, FieldPath), Value> = BTreeMap::new();
    for (index, path) in param_paths(value) {
        if let Some(made) = handler.filter(|_| !client).and_then(|_| extracted::read(engine, info, index, path)) {
            fields.insert((index, path), made);
            continue;
        }
        let ty = match info.params.get(index as usize) {
            _ if index == 0 && info.ir.has_self => &info.self_ty,
            Some(ty) if client => ty,
            _ => continue,
        };
        if let (Ty::Adt(ty, _), false) = (ty, is_task && index == 0) {
            let written = writers.read(engine, *ty, &path);
            fields.insert((index, path), written);
        }
    }
    let replaced = substitute_fields(value, &fields);
    replaced.map_atoms(&mut |atom| {
        let Kind::Param(index, path) = &atom.kind else {
            return match &atom.kind {
                Kind::Input(name) if is_attempt(last_of(*name), words) => {
                    Atom { kind: Kind::Attempt(Name::new("count")), guessed: true, ..atom.clone() }
                }
                _ => atom.clone(),
            };
        };
        let param = info.ir.params.get(*index as usize);
        let name = param.and_then(|param| param.name).map_or("argument", |name| name.as_str());
        let text = super::inputs::name(&info.ir, *index, path);
        let by_rule = |list: &[String]| list.iter().any(|known| *known == text || known == name);
        let last = path.last().map_or(name, |last| last.as_str());
        let stable = rule.is_some_and(|rule| by_rule(&rule.stable));
        if rule.is_some_and(|rule| by_rule(&rule.per_attempt) || atom.payload && handlers::differs_in(rule, &text)) {
            let span = Span::new(info.file, param.map(|param| param.range).unwrap_or_default());
            let trail = super::value::Trail::start(span, "this input differs between attempts");
            return Atom { kind: Kind::Attempt(Name::new("token")), trail, ..atom.clone() };
        }
        if !stable && is_attempt(Name::new(last), words) {
            let span = Span::new(info.file, param.map(|param| param.range).unwrap_or_default());
            let trail = super::value::Trail::start(span, "by its name this counts attempts");
            return Atom { kind: Kind::Attempt(Name::new("count")), guessed: true, trail, ..atom.clone() };
        }
        Atom { kind: Kind::Input(Name::new(&text)), ..atom.clone() }
    })
}

fn last_of(name: Name) -> Name {
    Name::new(name.as_str().rsplit('.').next().unwrap_or_default())
}

fn param_paths(value: &Value) -> BTreeSet<(u32, FieldPath)> {
    let mut paths = BTreeSet::new();
    value.map_atoms(&mut |atom| {
        if let Kind::Param(index, path) = &atom.kind {
            if !path.is_empty() {
                paths.insert((*index, *path));
            }
        }
        atom.clone()
    });
    paths
}

fn substitute_fields(value: &Value, fields: &BTreeMap<(u32, FieldPath), Value>) -> Value {
    if fields.is_empty() {
        return value.clone();
    }
    value.substitute_where(&|atom| match &atom.kind {
        Kind::Param(index, path) => fields.get(&(*index, *path)).filter(|value| !value.is_bottom()).cloned(),
        _ => None,
    })
}

/// Where each type of the workspace is made.
pub(super) struct Writers(BTreeMap<TypeId, Vec<FnId>>);

impl Writers {
    fn of(program: &Program) -> Self {
        let mut makers: BTreeMap<TypeId, Vec<FnId>> = BTreeMap::new();
        for (at, function) in program.functions.iter().enumerate() {
            if function.test {
                continue;
            }
            for (_, made) in &function.types.structs {
                if let crate::resolve::StructDef::Local(ty, _) = made {
                    let known = makers.entry(*ty).or_default();
                    if known.last() != Some(&FnId(at as u32)) {
                        known.push(FnId(at as u32));
                    }
                }
            }
        }
        Self(makers)
    }

    /// What the workspace writes into a field, where that is more than inputs: parameters of makers are inputs of the
    /// process, and what makers mint is made once for the object.
    pub(super) fn read(&self, engine: &mut Engine<'_>, ty: TypeId, path: &[Name]) -> Value {
        let Some(makers) = self.0.get(&ty) else {
            return Value::bottom();
        };
        let mut out = Value::bottom();
        for &maker in makers.iter().take(16) {
            let summary = engine.summary(maker);
            for (made, record) in &summary.literals {
                if *made != ty {
                    continue;
                }
                let Some((first, rest)) = path.split_first() else {
                    continue;
                };
                let Some(value) = record.fields.get(first) else {
                    continue;
                };
                let value = rest.iter().fold(value.clone(), |value, &name| value.field(name));
                out = out.join(&value);
            }
        }
        let label = path.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(".");
        out.map_atoms(&mut |atom| match &atom.kind {
            Kind::Param(..) | Kind::Opaque(_) => Atom {
                kind: Kind::Input(Name::new(&format!("self.{label}"))),
                entered: Entered::Elsewhere,
                ..atom.clone()
            },
            _ => Atom { entered: Entered::Elsewhere, per_call: false, ..atom.clone() },
        })
    }
}
